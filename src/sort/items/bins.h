// SPDX-License-Identifier: BSD-2-Clause
/*
 * bins.h - the bounds by which items are divided
 *
 * Bounds are quantiles of the words of a sample.  A word that is several quantiles gets a bin of its
 * own, [word, word + 1): its items need not be compared by this word again.
 *
 * If all items of the sample have the same words at first, the bounds are of the first word that
 * differs.  Items whose words before that are less go to the first bin, and greater to the last.
 * If no word differs, the bounds are items (pivots.h).
 *
 * Invariant: an item of a greater bin is greater than one of a smaller bin.
 */
#ifndef GS_ITEM_BINS_H
#define GS_ITEM_BINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "sort/items/items.h"
#include "sort/items/pivots.h"

enum { GS_ITEM_BINS_MOST = 1024, GS_ITEM_COMMON_MOST = 512, GS_ITEM_SAMPLE_MOST = 1 << 15 };

struct gs_item_bins {
	unsigned count;
	unsigned from;		/* items share all words of lower levels */
	unsigned level;		/* of the words that BOUNDS are of; between the two they are COMMON */
	uint64_t common[GS_ITEM_COMMON_MOST];
	size_t   bound_count;
	size_t   bound_steps;	/* a power of two above bound_count: of the search */
	uint64_t bounds[GS_ITEM_BINS_MOST];	/* ascending, then UINT64_MAX */
	struct gs_item_pivots pivots;	/* if there are any, they are the bounds */
};

/** One bin for all: nothing is divided. */
void gs_item_bins_one(struct gs_item_bins *bins, unsigned from);

/** Choose about WANTED bins, at most GS_ITEM_BINS_MOST, by COUNT items, 1 .. GS_ITEM_SAMPLE_MOST,
 *  which are like all that share the words before level FROM.  GS_EBUDGET: no memory. */
MUST_CHECK gs_status gs_item_bins_choose(struct gs_item_bins *bins,
                                         const struct gs_item_order *order, unsigned from,
                                         const char *const *items, const uint32_t *bytes,
                                         size_t count, unsigned wanted);

/** Free what bounds take that are items: no bins are found any more.  A zeroed struct is allowed. */
void gs_item_bins_close(struct gs_item_bins *bins);

/** The level up to which the items of BIN share all words. */
unsigned gs_item_bins_level(const struct gs_item_bins *bins, unsigned bin);

/** The bytes of words that the items of BIN share, as far as the bounds tell. */
unsigned gs_item_bins_shared(const struct gs_item_bins *bins, unsigned bin);

/** Are all items of BIN equal?  WORDS_LEFT: some have words after that of the bounds. */
bool gs_item_bins_are_equal(const struct gs_item_bins *bins, const struct gs_item_order *order,
                            unsigned bin, bool words_left);

/**
 * Find the bins of COUNT items, at most GS_ITEM_BATCH.
 *
 * @return  false: all words after that of the bounds are 0
 */
bool gs_item_bins_find(const struct gs_item_bins *bins, const struct gs_item_order *order,
                       const char *const *items, const uint32_t *bytes, size_t count,
                       uint16_t *found);

#endif
