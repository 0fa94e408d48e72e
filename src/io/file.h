// SPDX-License-Identifier: BSD-2-Clause
/*
 * file.h - one file of the input: what it is, and its bytes if it is a regular one
 */
#ifndef GS_FILE_H
#define GS_FILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "io/input.h"

struct gs_file {
	const char *name;
	int         fd;			/* -1: not open, or spent */
	bool        waits;		/* to be opened when it is its turn */
	bool        regular;
	uint64_t    bytes;		/* from START on; GS_UNKNOWN if not regular */
	uint64_t    start;		/* where its bytes begin, if regular */
	uint64_t    read_bytes;		/* of these, so far; or claimed */
	enum gsort_decompress format;
	atomic_uint users;		/* the input while it is there, and pieces not yet read */
};

/** Is it "-"? */
bool gs_file_is_standard(const struct gs_file *file);

/**
 * Open FILE, or check that it can be opened (pipes, and if it may not STAY), and find out
 * what it is.
 */
MUST_CHECK gs_status
gs_file_open(struct gs_file *file, const struct gs_input_options *options, bool may_stay);

/** Done with it: it is closed behind the last piece that somebody still reads. */
void gs_file_leave(struct gs_file *file);

/** Bytes that should still come of a regular file, as far as its size was known. */
uint64_t gs_file_left(const struct gs_file *file);

/** The next BYTES of a regular file, by so many THREADS; fewer: it ended there. */
MUST_CHECK gs_status
gs_file_read(struct gs_file *file, unsigned threads, void *into, size_t bytes, size_t *got);

/**
 * The file, for pread() by somebody who comes after the input has left it: it stays open
 * until he has let go of it.
 */
void gs_file_hold(struct gs_file *file);
void gs_file_let_go(struct gs_file *file);

/** Read BYTES from OFFSET on, from any thread; fewer: the end, or trouble in *ERROR. */
size_t gs_file_read_at(int fd, void *into, size_t bytes, uint64_t offset, int *error);

#endif
