// SPDX-License-Identifier: BSD-2-Clause
/* divide.h - copy items, those of the first bin first, in one thread */
#ifndef GS_ITEM_DIVIDE_H
#define GS_ITEM_DIVIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sort/items/bins.h"
#include "sort/items/items.h"
#include "sort/items/owners.h"

/* The memory of a thread that divides. */
struct gs_item_divider {
	const struct gs_item_owners *owners;	/* by these, and not by bins; or NULL */
	unsigned  origin;		/* of all items, with OWNERS */
	uint16_t *found;		/* the bin of each item: room for all of one call */
	uint32_t *bytes;		/* the length of each item, if they differ and LENGTHS are enough */
	size_t    lengths;
	uint64_t *items;		/* of each bin: added to, GS_ITEM_BINS_MOST */
	unsigned  keep;			/* bins; items of those behind are dropped.  0: all are kept */
	uint64_t  dropped;		/* items, added to */
	bool      more;			/* set if words after that of the bounds may be other than 0 */
};

/**
 * Copy the items of SLICES to INTO, where they do not lie, bin after bin, and in their order
 * within a bin; without those that are dropped.
 *
 * @bins     or NULL: DIVIDER->owners are the bins
 * @offsets  set to where each bin begins, and to the end: one more than there are bins
 *
 * Time: O(n log(bins)); the items are read twice, so they should fit a cache.
 */
void gs_items_divide(const struct gs_item_order *order, const struct gs_item_bins *bins,
                     const struct gs_item_slice *slices, size_t slice_count,
                     struct gs_item_divider *divider, uint32_t *offsets, char *into);

#endif
