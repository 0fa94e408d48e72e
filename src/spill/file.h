// SPDX-License-Identifier: BSD-2-Clause
/*
 * file.h - a temporary file that has no name
 *
 * The file owns its descriptor, and borrows the name of its directory.
 */
#ifndef GS_SPILL_FILE_H
#define GS_SPILL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct gs_spill_file {
	const char *dir;
	int         fd;			/* -1: not made yet */
	uint64_t    end;		/* bytes written, gaps included */
	uint64_t    needed_bytes;	/* beyond those, for the message of a full disk; 0: unknown */
};

/** Can files be made in DIR?  Makes one, without a name, and drops it.  Trouble: GS_EIO. */
MUST_CHECK gs_status gs_spill_dir_check(const char *dir);

/** Is it kept in memory? */
bool gs_spill_dir_is_memory(const char *dir);

/** Make the file, of which nobody else has heard. */
MUST_CHECK gs_status gs_spill_file_make(struct gs_spill_file *file, const char *dir);

/** Append.  No signal comes of a size limit, only trouble: GS_EIO. */
MUST_CHECK gs_status
gs_spill_file_write(struct gs_spill_file *file, const void *from, size_t bytes);

/** BYTES from AT on.  Trouble: GS_EIO; GS_EINPUT: the file is shorter. */
MUST_CHECK gs_status
gs_spill_file_read(const struct gs_spill_file *file, uint64_t at, void *into, size_t bytes);

/** Give the disk space of a part back, as far as the file system can. */
void gs_spill_file_forget(const struct gs_spill_file *file, uint64_t from, uint64_t to);

/** FD, or a copy in its place if it is a standard one; -1 stays -1. */
int gs_spill_high_fd(int fd);

/** What is wrong with a temporary file whose contents changed. */
gs_status gs_spill_file_garbled(const char *dir);

/** Its space is free when this returns. */
void gs_spill_file_close(struct gs_spill_file *file);

/**
 * pwrite(2), or write(2) if AT is negative, of all BYTES; no SIGPIPE and no SIGXFSZ comes of
 * it, only EPIPE and EFBIG, whatever the process does with those signals.
 *
 * @return  bytes written; fewer: errno tells why
 */
size_t gs_spill_write_quietly(int fd, const void *from, size_t bytes, int64_t at);

#endif
