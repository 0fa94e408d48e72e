// SPDX-License-Identifier: BSD-2-Clause
/*
 * pivots.h - the bounds of bins where words do not tell items apart: items themselves
 *
 * Between pivots, which ascend, are bins: 0 has the items less than pivot 0, 1 those equal to it, 2
 * those between pivots 0 and 1, and so on.  So equal items, however many, get a bin in which nothing
 * is left to be sorted.
 */
#ifndef GS_ITEM_PIVOTS_H
#define GS_ITEM_PIVOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "sort/items/items.h"

/* Copies of items; a zeroed struct has none. */
struct gs_item_pivots {
	size_t    count;
	struct gs_arena arena;	/* owned: the memory of all that follows.  malloc(3) would leave holes
				 * between what divisions keep */
	char    **items;
	uint32_t *bytes;	/* of each */
};

/**
 * Choose at most WANTED pivots, and at least one, of COUNT items, which share the words before LEVEL.
 *
 * @bytes   length of each item; NULL if they have a fixed length
 * @return  GS_OK; GS_EBUDGET: no memory.  It takes that of the pivots and 45 bytes an item, and gives
 *          the latter back
 *
 * Time: O(COUNT log COUNT).
 */
MUST_CHECK gs_status gs_item_pivots_choose(struct gs_item_pivots *pivots,
                                           const struct gs_item_order *order, unsigned level,
                                           const char *const *items, const uint32_t *bytes,
                                           size_t count, size_t wanted);

/** Find the bins of COUNT items.  O(COUNT log(pivots)). */
void gs_item_pivots_find(const struct gs_item_pivots *pivots, const struct gs_item_order *order,
                         unsigned level, const char *const *items, const uint32_t *bytes,
                         size_t count, uint16_t *found);

/** Free the copies; a zeroed struct is allowed. */
void gs_item_pivots_close(struct gs_item_pivots *pivots);

#endif
