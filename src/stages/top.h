// SPDX-License-Identifier: BSD-2-Clause
/*
 * top.h - the K most frequent values, of groups of equal keys that come in any order
 *
 * Of values that are equally frequent, the one that is written first in a sort wins.
 */
#ifndef GS_STAGES_TOP_H
#define GS_STAGES_TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A value, as a key. */
struct gs_value {
	uint64_t key;
	unsigned key_class, key_bits;
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
	uint64_t floor;		/* groups of so many keys, or fewer, are not wanted if they come
				 * behind all values that are in it */
};

/** Offer a group.  O(log K) if it is taken. */
void gs_top_add(struct gs_top *top, const struct gs_group *group);

/** No more come: order them, the most frequent first; the heap is gone. */
void gs_top_end(struct gs_top *top);

#endif
