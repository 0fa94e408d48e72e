// SPDX-License-Identifier: BSD-2-Clause
/* follow.h - are items in order?  For checking, and for merging */
#ifndef GS_ITEM_FOLLOW_H
#define GS_ITEM_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sort/items/items.h"

/* The items that have been compared. */
struct gs_item_follow {
	const struct gs_item_order *order;
	bool     strict;		/* equal items are out of order, too */
	bool     counts_breaks;		/* count items that are out of order, do not stop */
	uint64_t items;			/* so far, up to one that is out of order */
	uint64_t breaks, duplicates;	/* of them less than, and equal to the one before */
	char    *last;			/* a copy of the last one, in memory of LAST_ROOM; or NULL */
	size_t   last_bytes, last_room;
	bool     any;
};

/**
 * Compare the items of SLICE, which come next.
 *
 * @return  the offset of the first one out of order; SLICE.bytes: there is none, or breaks are
 *          counted.  SIZE_MAX: no memory for a copy of the last one
 */
size_t gs_items_follow(struct gs_item_follow *follow, const struct gs_item_slice *slice);

/** A zeroed struct is allowed. */
void gs_items_follow_close(struct gs_item_follow *follow);

#endif
