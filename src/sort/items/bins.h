// SPDX-License-Identifier: BSD-2-Clause
/*
 * bins.h - the bounds by which items are divided
 *
 * Bounds are quantiles of the words of a sample.  A word that is several quantiles gets a bin of its
 * own, [word, word + 1): its items need not be compared by this word again.
 *
 * If all items of the sample have the same words at first, the bounds are of the first word that
 * differs.  Items whose words before that are less go to the first bin, and greater to the last.
 *
 * Invariant: an item of a greater bin is greater than one of a smaller bin.
 */
#ifndef GS_ITEM_BINS_H
#define GS_ITEM_BINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sort/items/items.h"

enum { GS_ITEM_BINS_MOST = 1024, GS_ITEM_COMMON_MOST = 512, GS_ITEM_SAMPLE_MOST = 1 << 15 };

struct gs_item_bins {
	unsigned count;
	unsigned from;		/* items share all words of lower levels */
	unsigned level;		/* of the words that BOUNDS are of; between the two they are COMMON */
	uint64_t common[GS_ITEM_COMMON_MOST];
	size_t   bound_count;
	size_t   bound_steps;	/* a power of two above bound_count: of the search */
	uint64_t bounds[GS_ITEM_BINS_MOST];	/* ascending, then UINT64_MAX */
};

/** One bin for all: nothing is divided. */
void gs_item_bins_one(struct gs_item_bins *bins, unsigned from);

/** Choose about WANTED bins, at most GS_ITEM_BINS_MOST, by COUNT items, at most GS_ITEM_SAMPLE_MOST,
 *  which are like all that share the words before level FROM. */
void gs_item_bins_choose(struct gs_item_bins *bins, const struct gs_item_order *order,
                         unsigned from, const char *const *items, const uint32_t *bytes,
                         size_t count, unsigned wanted);

/** The level up to which the items of BIN share all words. */
unsigned gs_item_bins_level(const struct gs_item_bins *bins, unsigned bin);

/** The bytes of words that the items of BIN share, as far as the bounds tell. */
unsigned gs_item_bins_shared(const struct gs_item_bins *bins, unsigned bin);

enum { GS_ITEM_BATCH = 256 };

/**
 * Find the bins of COUNT items, at most GS_ITEM_BATCH.
 *
 * @return  false: all words after that of the bounds are 0
 */
bool gs_item_bins_find(const struct gs_item_bins *bins, const struct gs_item_order *order,
                       const char *const *items, const uint32_t *bytes, size_t count,
                       uint16_t *found);

#endif
