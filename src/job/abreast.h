// SPDX-License-Identifier: BSD-2-Clause
/*
 * abreast.h - inputs that are read at the same time, since one process may write them all
 *
 * A program that writes to several pipes, as tee(1) does, waits while one of them is full.  So the operands
 * of a set of items are read side by side if two or more of them are no regular files.  A set of keys is a
 * job for each operand (combine.c), and sort(1) reads one input after the other.
 */
#ifndef GS_JOB_ABREAST_H
#define GS_JOB_ABREAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "io/input.h"
#include "job/job.h"

/* Takes the chunks; all functions have CONTEXT, and the number of an input. */
struct gs_abreast_taker {
	/** Before the first chunk, each in a thread of its own.  Or NULL. */
	gs_status (*begin)(void *context, size_t number, struct gs_input *input);

	/** Take the next chunk of an input; one at a time. */
	gs_status (*take)(void *context, size_t number, const struct gs_chunk *chunk);

	/** May chunks of that input be taken already?  If not, others come first.  Or NULL: they may. */
	bool (*ready)(const void *context, size_t number);

	void *context;
};

/** Are the inputs of JOB to be read so? */
bool gs_abreast_is_wanted(const struct gsort *job);

/** Read all files of INPUT, in chunks of whole UNITs that are in MEMORY of ROOM bytes, at least one for each;
 *  returns the first error. */
MUST_CHECK gs_status gs_abreast_read(struct gs_input *input, char *memory, size_t room, size_t unit,
                                     const struct gs_abreast_taker *taker);

/** All records of JOB, for TAKER. */
MUST_CHECK gs_status gs_abreast_read_records(struct gsort *job, const struct gs_taker *taker);

/** All lines of JOB, whose ingest is open, in MEMORY of ROOM bytes. */
MUST_CHECK gs_status gs_abreast_read_lines(struct gsort *job, char *memory, size_t room);

#endif
