// SPDX-License-Identifier: BSD-2-Clause
/*
 * program.h - a program that compresses: PROG from keys to a file, PROG -d back
 *
 * As sort(1) does it.  A child belongs to who started it, until it was ended.
 */
#ifndef GS_SPILL_PROGRAM_H
#define GS_SPILL_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/status.h"

struct gs_child {
	pid_t id;	/* 0: none */
	int   pipe;	/* to its input, or from its output */
};

/** Where PATH has PROGRAM, owned by the caller; NULL: nowhere that it may be run. */
char *gs_program_find(const char *program);

/** Run PROGRAM: what is written to child->pipe goes through it to FILE. */
MUST_CHECK gs_status
gs_child_compress(struct gs_child *child, const char *program, int file);

/** Run PROGRAM -d: what can be read from child->pipe comes through it from FILE. */
MUST_CHECK gs_status
gs_child_expand(struct gs_child *child, const char *program, int file);

/** All BYTES go to the program's input.  Trouble: GS_EIO naming PROGRAM. */
MUST_CHECK gs_status
gs_child_write(struct gs_child *child, const char *program, const void *from, size_t bytes);

/**
 * Fill INTO from the program's output.  LAST: nothing may come behind, and it is ended.
 *
 * @got  set to BYTES if it is as expected; else it gave fewer, or more
 */
MUST_CHECK gs_status
gs_child_read(struct gs_child *child, const char *program, void *into, size_t bytes, bool last,
              size_t *got);

/** Close the pipe and wait.  Trouble, if it did not end well: GS_EIO naming PROGRAM. */
MUST_CHECK gs_status gs_child_end(struct gs_child *child, const char *program);

/** The same at once, whatever it was doing. */
void gs_child_kill(struct gs_child *child);

#endif
