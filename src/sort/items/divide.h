// SPDX-License-Identifier: BSD-2-Clause
/*
 * divide.h - bins of items, by bounds that a sample gives, and items divided by them, in one thread
 *
 *     gs_item_bins_choose()    words, or pivots, as bounds     gs_item_owners_make()    of ranks
 *     gs_items_divide()        as often as there are items
 *     gs_item_bins_close()                                     gs_item_owners_close()
 */
#ifndef GS_ITEM_DIVIDE_H
#define GS_ITEM_DIVIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "sort/items/items.h"

/* ---- bounds where words do not tell items apart: items (pivots.c) ---------------- */

/*
 * Between pivots, which ascend, are bins: 0 has the items less than pivot 0, 1 those equal to it, 2
 * those between pivots 0 and 1, and so on.  So equal items, however many, get a bin in which nothing
 * is left to be sorted.
 */

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
 * @return  GS_OK; GS_EBUDGET: no memory.  It takes the bytes of the pivots, and 45 bytes an item, which
 *          it gives back
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

/* ---- bounds by which items are divided (bins.c) ---------------------------------- */

/*
 * Bounds are quantiles of the words of a sample.  A word that is several quantiles gets a bin of its
 * own, [word, word + 1): its items need not be compared by this word again.
 *
 * If all items of the sample have the same words at first, the bounds are of the first word that
 * differs.  Items whose words before that are less go to the first bin, and greater to the last.
 * If no word differs, the bounds are pivots.
 *
 * Invariant: an item of a greater bin is greater than one of a smaller bin.
 */

enum { GS_ITEM_BINS_MOST = 1024, GS_ITEM_COMMON_MOST = 512, GS_ITEM_SAMPLE_MOST = 1 << 15 };

/* A search of bounds begins at the bounds of a cell, unless a cell has very many. */
enum { GS_ITEM_CELLS = 1024, GS_ITEM_CELL_MOST = 256 };

struct gs_item_bins {
	unsigned count;
	unsigned from;		/* items share all words of lower levels */
	unsigned level;		/* of the words that BOUNDS are of; between the two they are COMMON */
	uint64_t common[GS_ITEM_COMMON_MOST];
	size_t   bound_count;
	size_t   bound_steps;	/* a power of two above the bounds of any cell: of the search */
	uint64_t bounds[GS_ITEM_BINS_MOST + GS_ITEM_CELL_MOST];	/* ascending, then UINT64_MAX */
	unsigned cell_shift;	/* a cell has 1 << CELL_SHIFT words, from bounds[0] on */
	uint64_t last_cell;	/* it has all that follow */
	uint32_t cells[GS_ITEM_CELLS];	/* bounds before each */
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

/** Are all items of BIN equal?  WORDS_LEFT: some have words after the bounds' word. */
bool gs_item_bins_are_equal(const struct gs_item_bins *bins, const struct gs_item_order *order,
                            unsigned bin, bool words_left);

/**
 * Find the bins of COUNT items, at most GS_ITEM_BATCH.
 *
 * @return  false: all words after the bounds' word are 0
 */
bool gs_item_bins_find(const struct gs_item_bins *bins, const struct gs_item_order *order,
                       const char *const *items, const uint32_t *bytes, size_t count,
                       uint16_t *found);

/* ---- the owner of an item, among several (owners.c) ------------------------------ */

/*
 * Owners have adjacent ranges of the order, of equal weight in a sample.  A range begins at a splitter:
 * some words of an item of the sample.  Items that are equal to a splitter belong to the range that
 * begins there.
 *
 * Where a few words are the whole key and equal items may be parted, the splitter is the item and its
 * origin.  Items that are equal to it and come from an earlier origin belong to the range before.  So
 * equal items are shared out, and the order of origins is kept.
 */

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

/* ---- to divide (divide.c) ------------------------------------------------------- */

/* The memory of a thread that divides. */
struct gs_item_divider {
	const struct gs_item_owners *owners;	/* by these, and not by bins; or NULL */
	unsigned  origin;		/* of all items, with OWNERS */
	uint16_t *found;		/* the bin of each item: room for all of one call */
	uint32_t *bytes;		/* the length of each item, if they differ and LENGTHS are enough */
	size_t    lengths;
	uint64_t *items;		/* of each bin: added to, GS_ITEM_BINS_MOST */
	unsigned  keep;			/* bins; items of later bins are dropped.  0: all are kept */
	uint64_t  dropped;		/* items, added to */
	bool      more;			/* set if words after the bounds' word may be other than 0 */
};

/**
 * Copy the items of SLICES that are kept to other memory, INTO, bin after bin, and in their order
 * within a bin.
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
