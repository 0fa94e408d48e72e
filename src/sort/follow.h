// SPDX-License-Identifier: BSD-2-Clause
/*
 * follow.h - are elements in order, and if not, where?
 *
 * For checking and merging: whoever reads keys, numbers of a text or items shows them in turn.  Keys are
 * ordered bits, and items compare by their order, so order is ascending whatever the options say.
 */
#ifndef GS_FOLLOW_H
#define GS_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "sort/items/items.h"

/* The elements that have been compared. */
struct gs_follow {
	const struct gs_item_order *order;	/* of items; NULL: keys */
	unsigned key_bits;	/* of keys: 8 .. 64; 0: text, whose keys have 64 */
	bool     strict;	/* equal elements are out of order, too */
	bool     counts_breaks;	/* count elements that are out of order, do not stop */
	unsigned threads;	/* that compare keys; 0: the caller's */
	uint64_t elements;	/* so far, up to one that is out of order */
	uint64_t breaks;	/* elements less than the one before */
	uint64_t duplicates;	/* and equal to it */
	bool     disorder;	/* one was found */

	bool     any;		/* there is a last one: */
	uint64_t last;		/* key, */
	unsigned last_class;	/* text: with its class */
	struct gs_bytes item;	/* or a copy of the item */
};

/**
 * Compare the next COUNT keys, all of CLASS, with all threads if there are many.  Keys of text compare by
 * (class, key).
 *
 * @return  the index of the first key out of order; COUNT: all are in order, or breaks are counted
 */
size_t gs_follow_keys(struct gs_follow *follow, unsigned class, const void *keys, size_t count);

/** The same for items whose first words are made.  SIZE_MAX: no memory for a copy of the last one. */
size_t gs_follow_batch(struct gs_follow *follow, struct gs_item_batch *batch);

/** The same for up to GS_ITEM_BATCH items; BYTES: of each, if they differ. */
size_t gs_follow_items(struct gs_follow *follow, const char **items, uint32_t *bytes, size_t count);

/** The same for all items of SLICE; returns the offset of the first one out of order, SLICE.bytes or
 *  SIZE_MAX. */
size_t gs_follow_slice(struct gs_follow *follow, const struct gs_item_slice *slice);

/** A zeroed struct is allowed. */
void gs_follow_close(struct gs_follow *follow);

#endif
