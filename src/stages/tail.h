// SPDX-License-Identifier: BSD-2-Clause
/*
 * tail.h - the last K of a stream of sorted keys, in memory in proportion to K
 *
 *     open; keep*; { next }* until it says that there are no more
 *
 * A sort that wants few keys runs in the reverse order and keeps the first K (head.h): then they
 * come from the last to the first.  Merges, and sorts of counted keys, keep the last K of all.
 */
#ifndef GS_STAGES_TAIL_H
#define GS_STAGES_TAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "gsort.h"
#include "sort/span.h"

/* Of more keys no tail is kept in memory. */
enum { GS_TAIL_MOST = 1 << 20 };

struct gs_tail {
	bool      on;
	bool      backward;	/* the last key comes first */
	uint64_t *keys, *times;	/* of the last ROOM that came, in a ring */
	uint8_t  *classes, *bits;
	size_t    room;
	uint64_t  kept;		/* all that ever came */
	uint64_t  left;		/* next: so many are still to be fetched */
};

/** The memory of the tail that is kept of at most KEYS keys. */
uint64_t gs_tail_bytes(const struct gsort_options *options, uint64_t keys);

/** Take memory from ARENA, or from one that is not open: only its sum. */
void gs_tail_carve(struct gs_tail *tail, const struct gsort_options *options, struct gs_arena *arena);

/** Keep the keys of SPAN, with their times if options.counts. */
void gs_tail_keep(struct gs_tail *tail, const struct gs_span *span);

/**
 * Fetch kept keys in the order of the output, at most ROOM.
 *
 * @span   keys of one class, in memory of the caller for ROOM keys of 64 bits; count 0: no more
 * @times  room for ROOM
 */
void gs_tail_next(struct gs_tail *tail, size_t room, void *keys, uint64_t *times,
                  struct gs_span *span);

#endif
