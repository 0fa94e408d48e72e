// SPDX-License-Identifier: BSD-2-Clause
/*
 * pick.h - write keys by their rank: the last K, or a random sample
 *
 * The rank of a key is how many keys are written before it if all are.
 */
#ifndef GS_STAGES_PICK_H
#define GS_STAGES_PICK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "gsort.h"
#include "sort/span.h"

/* ---- by ranks that are known before the first key is drained (pick.c) ---------- */

/* So spans without any of them need not even be sorted. */
struct gs_pick {
	bool      on;		/* some keys are left out */
	uint64_t  from;		/* the tail: ranks from here on; else: */
	uint64_t *ranks;	/* the sample: ascending; NULL: none */
	size_t    rank_count;
};

/** Memory for the ranks of a sample of at most KEYS keys. */
uint64_t gs_pick_bytes(const struct gsort_options *options, uint64_t keys);

/** Begin: KEYS come in all.  GS_EBUDGET: no memory for the ranks of a sample. */
MUST_CHECK gs_status
gs_pick_open(struct gs_pick *pick, const struct gsort_options *options, uint64_t keys);

/** How many of the ranks AT .. AT + COUNT are wanted; any thread.  O(log ranks). */
uint64_t gs_pick_count(const struct gs_pick *pick, uint64_t at, uint64_t count);

/** The first rank of a sample that is at least AT; the others follow it. */
const uint64_t *gs_pick_ranks(const struct gs_pick *pick, uint64_t at);

/** Keep the wanted keys of SPAN, in place; its first key has rank AT.  Any thread. */
void gs_pick_span(const struct gs_pick *pick, uint64_t at, struct gs_span *span);

/** A zeroed struct is allowed. */
void gs_pick_close(struct gs_pick *pick);

/* ---- the last K of a stream, in memory in proportion to K (tail.c) ------------- */

/*
 *     open; keep*; { next }* until it says that there are no more
 *
 * A sort that wants few keys runs in the reverse order and keeps the first K (head.c): then they
 * come from the last to the first.  Merges, and sorts of counted keys, keep the last K of all.
 */

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
