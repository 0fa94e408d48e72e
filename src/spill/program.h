// SPDX-License-Identifier: BSD-2-Clause
/*
 * program.h - an external program that compresses: PROG from keys to a file, PROG -d back
 *
 * As sort(1) runs it.  A child process belongs to the caller that started it, until it has ended.
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

/** The path of PROGRAM, by PATH; the caller frees it.  NULL: no such file may be run. */
char *gs_program_find(const char *program);

/** Run PROGRAM: what is written to child->pipe goes through it to FILE.  Returns GS_OK, or
 *  GS_EIO. */
MUST_CHECK gs_status
gs_child_compress(struct gs_child *child, const char *program, int file);

/** Run PROGRAM -d: what is read from child->pipe comes through it from FILE.  Returns GS_OK, or
 *  GS_EIO. */
MUST_CHECK gs_status
gs_child_expand(struct gs_child *child, const char *program, int file);

/** Write BYTES to the program's input.  Returns GS_OK, or GS_EIO naming PROGRAM. */
MUST_CHECK gs_status
gs_child_write(struct gs_child *child, const char *program, const void *from, size_t bytes);

/**
 * Read BYTES of the program's output to INTO.
 *
 * @last    no bytes should follow: wait for the end of the program
 * @got     BYTES if all is as expected; else the program gave fewer, or more
 * @return  GS_OK; or GS_EIO naming PROGRAM
 */
MUST_CHECK gs_status
gs_child_read(struct gs_child *child, const char *program, void *into, size_t bytes, bool last,
              size_t *got);

/** Close the pipe and wait for the end.  Returns GS_OK, or GS_EIO naming PROGRAM if it failed. */
MUST_CHECK gs_status gs_child_end(struct gs_child *child, const char *program);

/** Kill the program, if it runs, and wait for its end. */
void gs_child_kill(struct gs_child *child);

#endif
