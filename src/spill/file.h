// SPDX-License-Identifier: BSD-2-Clause
/*
 * file.h - a temporary file that has no name
 *
 * The file owns its descriptor and borrows the names of directories.  One thread writes it; meanwhile others
 * may read what was written before.
 */
#ifndef GS_SPILL_FILE_H
#define GS_SPILL_FILE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct gs_spill_file {
	const char *const *dirs;	/* if one is full, the next one takes the rest */
	size_t      dir_count;
	size_t      turn;		/* modulo dir_count: the next one ... */
	size_t      untried;		/* ... and how many are left to try */
	const char *dir;		/* where it is */
	int         fd;			/* -1: not made yet */
	uint64_t    begin;		/* of a rest: bytes before it */
	struct gs_spill_file *_Atomic rest;	/* owned; NULL: this is all */
	uint64_t    end;		/* bytes written, with the gaps between runs */
	uint64_t    needed_bytes;	/* beyond those, for the message of a full disk; 0: unknown */
	uint64_t    beside_bytes;	/* of this and other files, for that message, if more */
};

/** Check that all directories take temporary files, or are full but for one: make some and drop them.
 *  Returns GS_OK, or GS_EIO. */
MUST_CHECK gs_status gs_spill_dirs_check(const char *const *dirs, size_t dir_count);

/** Make the file, in directory TURN modulo DIR_COUNT, or the next one that is not full.  Returns GS_OK, or
 *  GS_EIO. */
MUST_CHECK gs_status
gs_spill_file_make(struct gs_spill_file *file, const char *const *dirs, size_t dir_count, size_t turn);

/** Append BYTES.  Returns GS_OK; GS_EIO: all directories are full, or it failed.  A size limit sends no
 *  signal. */
MUST_CHECK gs_status
gs_spill_file_write(struct gs_spill_file *file, const void *from, size_t bytes);

/** Read BYTES from offset AT on.  Returns GS_OK, GS_EIO, or GS_EINPUT: the file is shorter. */
MUST_CHECK gs_status
gs_spill_file_read(const struct gs_spill_file *file, uint64_t at, void *into, size_t bytes);

/** Give the disk space between two offsets back, as far as the file system can. */
void gs_spill_file_forget(const struct gs_spill_file *file, uint64_t from, uint64_t to);

/** Close it, which frees its disk space. */
void gs_spill_file_close(struct gs_spill_file *file);

/** Fail because a temporary file in DIR has changed.  Returns GS_EINPUT. */
gs_status gs_spill_file_corrupt(const char *dir);

#endif
