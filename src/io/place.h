// SPDX-License-Identifier: BSD-2-Clause
/*
 * place.h - bytes at their places in a regular file, on blocks that are there already
 *
 * For output.c alone.  What is written in a row goes by write(2), and gs_place_ahead() only
 * sees that there is room; after gs_place_expect() all goes by gs_place_put(), in any order.
 */
#ifndef GS_PLACE_H
#define GS_PLACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct gs_place {
	const char *name;	/* for messages */
	int      fd;
	bool     possible;	/* a regular file, which is not appended to */
	bool     expects;	/* gs_place_expect() was called */
	uint64_t begin;		/* of the output, in its file: others count from here */
	uint64_t size;		/* of the file before anything was placed; counts from 0 */
	uint64_t kept;		/* the output up to here was written in a row */
	uint64_t expected;	/* where the output is to end */
	uint64_t room;		/* up to here there may be blocks */
	bool     has_room;	/* do not make any (more) */
	_Atomic uint64_t end;	/* behind the last byte placed */
	_Atomic uint64_t put;	/* so many were placed, or tried to */
	atomic_int error;	/* errno of the first trouble, which is everybody's; or 0 */
};

/** Find out what FD is; NAME is for messages. */
void gs_place_open(struct gs_place *place, int fd, const char *name);

/** write(2) is about to be called for BYTES at AT of the output. */
void gs_place_ahead(struct gs_place *place, uint64_t at, size_t bytes);

/** So many bytes in all, of which WRITTEN are there by write(2). */
MUST_CHECK gs_status gs_place_expect(struct gs_place *place, uint64_t written, uint64_t bytes);

/** Put BYTES at AT of the output.  Any thread. */
MUST_CHECK gs_status
gs_place_put(struct gs_place *place, uint64_t at, const void *data, size_t bytes);

/** All is there: give back what was too much, and let the descriptor point behind it. */
MUST_CHECK gs_status gs_place_finish(struct gs_place *place);

/** It is not to be: of what was placed nothing stays. */
void gs_place_drop(struct gs_place *place);

/** The same wherever bytes were placed, from a handler of a signal that ends the process. */
void gs_place_abandon(void);

#endif
