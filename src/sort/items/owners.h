// SPDX-License-Identifier: BSD-2-Clause
/*
 * owners.h - which of several owners an item belongs to
 *
 * Owners have adjacent ranges of the order, of equal weight in a sample.  A range begins at a splitter:
 * an item of the sample, of which some words are kept.  Items that are equal to a splitter belong to
 * the range that begins there.
 *
 * Where a few words are the whole key and equal items may be parted, the splitter is the item and its
 * origin.  Items that are equal to it and come from an earlier origin belong to the range before.  So
 * equal items are shared out, and the order of origins is kept.
 */
#ifndef GS_ITEM_OWNERS_H
#define GS_ITEM_OWNERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "sort/items/bins.h"
#include "sort/items/items.h"

/* Words of a splitter, at most.  Items that differ only behind them have one owner. */
enum { GS_ITEM_OWNER_LEVELS = 8 };

struct gs_item_owners {
	const struct gs_item_order *order;
	unsigned  owners;
	unsigned  count;	/* splitters: owners - 1, or 0 without a sample */
	unsigned  levels;	/* words of each */
	uint64_t *words;	/* level after level: COUNT of each */
	uint64_t *origins;	/* of the splitters; all 0 if equal items have one owner */
};

/**
 * Choose splitters for OWNERS, at most GS_ITEM_BINS_MOST.
 *
 * @sample    items of each origin, from 0 on
 * @together  equal items have one owner
 * @return    GS_OK; GS_EBUDGET: no memory
 */
MUST_CHECK gs_status
gs_item_owners_make(struct gs_item_owners *owners, const struct gs_item_order *order,
                    const struct gs_item_slice *sample, size_t origins, unsigned count,
                    bool together);

/** Find the owners of COUNT items of ORIGIN, at most GS_ITEM_BATCH.  O(COUNT * log(owners)). */
void gs_item_owners_find(const struct gs_item_owners *owners, unsigned origin,
                         const char *const *items, const uint32_t *bytes, size_t count,
                         uint16_t *found);

/** A zeroed struct is allowed. */
void gs_item_owners_close(struct gs_item_owners *owners);

#endif
