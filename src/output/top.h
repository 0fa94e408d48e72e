// SPDX-License-Identifier: BSD-2-Clause
/*
 * top.h - the most frequent values or items
 */
#ifndef GS_OUTPUT_TOP_H
#define GS_OUTPUT_TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "sort/items/items.h"
#include "sort/span.h"

/* ---- the K most frequent values, from groups in any order (top.c) -------------- */

/*
 * If values are equally frequent, the one that is written first in a sort wins.
 */

/* A value, as a key. */
struct gs_value {
	uint64_t key;
	unsigned key_class;
	union {
		unsigned key_bits;
		unsigned slot;		/* an item: where its copy is; KEY is the number of its group */
	};
};

/* Equal keys. */
struct gs_group {
	struct gs_value value;
	uint64_t        times;
};

struct gs_top {
	struct gs_group *groups;	/* the caller's, room for MOST: a heap, the last of them on top */
	size_t   count, most;
	bool     descending_classes;
	uint64_t floor;		/* a group that comes after all of these needs more keys than this to enter */
};

/** Offer a group.  O(log K) if it is taken. */
void gs_top_add(struct gs_top *top, const struct gs_group *group);

/** Offer the groups that keys FROM .. TO of SPAN make, if they are frequent enough. */
void gs_top_collect(struct gs_top *top, const struct gs_span *span, size_t from, size_t to);

/** Sort the groups, the most frequent first.  Nothing can be added after this. */
void gs_top_end(struct gs_top *top);

/* ---- the K most frequent items, and copies of items (item_top.c) ---------------- */

struct gs_item_copies {
	struct gs_bytes *slots;		/* an item in each; DATA NULL: the slot is empty */
	size_t   count;
	uint64_t most, used;	/* bytes of all copies */
};

/** Make COUNT empty slots, for a job with MEMORY_BYTES.  GS_EBUDGET. */
MUST_CHECK gs_status gs_item_copies_open(struct gs_item_copies *copies, size_t count, uint64_t memory_bytes);

/** Copy ITEM to slot NUMBER.  GS_EBUDGET: all copies are too large. */
MUST_CHECK gs_status gs_item_copies_put(struct gs_item_copies *copies, size_t number, const char *item,
                                        size_t bytes);

/** A zeroed struct is allowed. */
void gs_item_copies_close(struct gs_item_copies *copies);

/*
 *     open; take*; end; close
 */

struct gs_item_top {
	bool     on;		/* set by the caller, as is: */
	uint64_t wanted;	/* K */
	const struct gs_item_order *order;
	struct gs_top heap;	/* its keys are numbers of groups */
	struct gs_item_copies copies;
	uint64_t groups;	/* taken so far */
};

/** Memory for the MOST most frequent items of INPUT_BYTES, in a job with MEMORY_BYTES. */
uint64_t gs_item_top_bytes(uint64_t most, uint64_t input_bytes, uint64_t memory_bytes);

/** Begin; at most ITEMS will come.  ORDER is borrowed.  GS_EBUDGET. */
MUST_CHECK gs_status gs_item_top_open(struct gs_item_top *top, const struct gs_item_order *order,
                                      uint64_t items, uint64_t memory_bytes);

/** Take the next groups; each is complete.  GS_EBUDGET: the items do not fit in memory. */
MUST_CHECK gs_status gs_item_top_take(struct gs_item_top *top, const struct gs_span *span);

/** All groups have come: hand the most frequent ones to TO. */
MUST_CHECK gs_status gs_item_top_end(struct gs_item_top *top, const struct gs_span_sink *to);

/** A zeroed struct is allowed. */
void gs_item_top_close(struct gs_item_top *top);

#endif
