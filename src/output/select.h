// SPDX-License-Identifier: BSD-2-Clause
/*
 * select.h - which sorted keys are written: one of equal keys, or keys at some positions
 */
#ifndef GS_OUTPUT_SELECT_H
#define GS_OUTPUT_SELECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "gsort.h"
#include "sort/span.h"

/* ---- one of equal keys, or the first K (select.c) ------------------------- */

/*
 * Works on spans in place, and remembers the last group of equal keys across spans: how often a
 * key occurs is known only when another key follows, or its class ends.  A histogram knows at
 * once: its keys come with their counts.
 */

struct gs_select {
	bool      groups;	/* one key is written for each group of LEAST .. MOST equal ones */
	uint64_t  least, most;
	bool      at_once;	/* the first of a group is written, however many follow */
	bool      counts;	/* TIMES gets how often each key of the last span occurs */
	uint64_t *times;
	bool      head;
	uint64_t  left;		/* with HEAD: how many keys may still be written */

	bool      any;		/* a group has begun */
	unsigned  key_class;	/* the group's */
	unsigned  key_bits;
	uint64_t  last;		/* the group's key */
	uint64_t  last_times;	/* how often it has occurred */
	union { uint8_t u8; uint16_t u16; uint32_t u32; uint64_t u64; } ended;
};

/* The first and the last group of a span that is selected by itself. */
struct gs_seam {
	uint64_t first, first_times;	/* the first group, which may have begun before the span */
	struct gs_select alone;		/* selects the others; the last one may continue after the span */
};

enum { GS_SEAM_KEYS = 2 };

/** Do OPTIONS select groups of equal keys? */
bool gs_select_wants_groups(const struct gsort_options *options);

/** Do -0 and 0 in text become one key?  They do if the output shows which keys are equal. */
bool gs_select_merges_zeros(const struct gsort_options *options);

/** Begin; TIMES: borrowed, for the counts of a whole span if OPTIONS want counts, else NULL. */
void gs_select_open(struct gs_select *select, const struct gsort_options *options,
                    uint64_t *times);

/** Is every key written? */
bool gs_select_takes_all(const struct gs_select *select);

/** Keep only the keys of SPAN that are written.  Its keys and times move together in place. */
void gs_select_span(struct gs_select *select, struct gs_span *span);

/**
 * Several threads can select from spans at once.  This begins a span, which has a key.  Then call
 * gs_select_span() with SEAM->alone for SPAN, whole or in pieces.
 *
 * @select  may belong to another thread: only what gs_select_open() has set is read
 * @span    loses its first group
 * @times   as for gs_select_open(), for a piece
 */
void gs_select_alone(const struct gs_select *select, struct gs_span *span, uint64_t *times,
                     struct gs_seam *seam);

/**
 * Then, in the order of spans, join one with the spans before it.
 *
 * @keys   set to keys of KEY_BITS that are written before the span's own keys, which are between its
 *         first and last group; room for GS_SEAM_KEYS
 * @times  the same for their counts
 * @return how many
 */
size_t gs_select_join(struct gs_select *select, unsigned key_class, unsigned key_bits,
                      const struct gs_seam *seam, void *keys, uint64_t *times);

/** How many of COUNT keys that are about to be written the head has room for. */
size_t gs_select_head(struct gs_select *select, size_t count);

/** The key class ends: SPAN is set to the last group if it is written, else to count 0. */
void gs_select_end(struct gs_select *select, struct gs_span *span);

/* ---- by positions that are known before the first key is drained (pick.c) ---------- */

/*
 * The position of a key is how many keys are written before it if all are.
 */

/* A span that has none of these positions need not be sorted. */
struct gs_pick {
	bool      on;		/* some keys are left out */
	uint64_t  from;		/* for the tail: the first position */
	uint64_t *positions;	/* for a sample: its positions, ascending; NULL: no sample */
	size_t    position_count;
};

/** Memory for the positions of a sample from at most KEYS keys. */
uint64_t gs_pick_bytes(const struct gsort_options *options, uint64_t keys);

/** Begin; KEYS will come.  GS_EBUDGET: no memory for the positions of a sample. */
MUST_CHECK gs_status
gs_pick_open(struct gs_pick *pick, const struct gsort_options *options, uint64_t keys);

/** How many positions AT .. AT + COUNT are wanted; any thread.  *POSITIONS: the first of a sample, or NULL.
 *  O(log positions). */
uint64_t gs_pick_count(const struct gs_pick *pick, uint64_t at, uint64_t count, const uint64_t **positions);

/** Keep the wanted keys of SPAN, in place; its first key has position AT.  Any thread. */
void gs_pick_span(const struct gs_pick *pick, uint64_t at, struct gs_span *span);

/** A zeroed struct is allowed. */
void gs_pick_close(struct gs_pick *pick);

/* ---- the last K of a stream, in memory in proportion to K (tail.c) ------------- */

/*
 *     carve; keep*; { next }* until the span is empty
 *
 * A sort that wants few keys runs in the reverse order and keeps the first K (head.c): then they
 * come from the last to the first.  Merges, and sorts of counted keys, keep the last K of all.
 */

/* A tail of more keys is not kept in memory. */
enum { GS_TAIL_MOST = 1 << 20 };

struct gs_tail {
	bool      on;
	bool      backward;	/* the last key comes first */
	uint64_t *keys, *times;	/* a ring of the last ROOM keys */
	uint8_t  *classes, *bits;
	size_t    room;
	uint64_t  kept;		/* how many keys have come */
	uint64_t  left;		/* how many gs_tail_next() has still to fetch */
};

/** Memory for the tail of at most KEYS keys. */
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
