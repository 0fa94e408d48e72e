// SPDX-License-Identifier: BSD-2-Clause
/*
 * item_buckets.h - the buckets of a store in order, none of them too large to be sorted at once
 *
 * A bucket that is too large for a thread is divided again, by bounds from a sample of it.  The
 * team does so, one bucket after the other.  A bucket whose items are all equal is settled: it is
 * in order as it is, and may have any size.
 */
#ifndef GS_STAGES_ITEM_BUCKETS_H
#define GS_STAGES_ITEM_BUCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "plan/items.h"
#include "stages/division.h"

struct gs_item_bucket {
	struct gs_division *division;
	unsigned bin;
	unsigned level;		/* its items share the words before */
	unsigned shared;	/* bytes of words that they share */
	bool     settled;
	uint64_t items, bytes;
};

struct gs_item_buckets {
	struct gs_item_bucket *list;
	size_t count, room;
	struct gs_division    *divisions;	/* all of them, to be closed */
};

/** Choose the bounds of about WANTED bins of DIVISION by items of SLICES, which share the words before
 *  level FROM.  GS_EBUDGET: no memory. */
MUST_CHECK gs_status gs_item_buckets_choose(struct gs_division *division, unsigned from,
                                            const struct gs_item_slice *slices, size_t count,
                                            unsigned wanted);

/** How many bins are wanted of BYTES; ITEMS: how many they are, or 0. */
unsigned gs_item_buckets_wanted(uint64_t bytes, uint64_t items, const struct gs_item_limits *limits);

/** Append the buckets of DIVISION; divides again those that are too large. */
MUST_CHECK gs_status gs_item_buckets_add(struct gs_item_buckets *buckets,
                                         struct gs_division *division,
                                         const struct gs_item_limits *limits);

/** Move all items of BIN of OLD to DIVISION, which is empty and has its bounds.  OLD's memory and
 *  files are given back meanwhile. */
MUST_CHECK gs_status gs_item_buckets_move(struct gs_division *old, unsigned bin,
                                          struct gs_division *division);

/** Close all divisions. */
void gs_item_buckets_close(struct gs_item_buckets *buckets);

#endif
