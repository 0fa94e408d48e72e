// SPDX-License-Identifier: BSD-2-Clause
/*
 * item_store.h - every item of a sort, in memory or in temporary files
 *
 *     open; as an engine (engine.h); close
 *
 * is the only legal order.  Readers add pieces: whole items, one after the other, as they came.
 * A piece is divided by the first words of its items while it is in the cache: the store's copy of
 * it has the items of bin 0, then those of bin 1, and so on, in input order within each.  A bucket
 * is the slices that all pieces have of one bin.  It is sorted when it leaves.
 *
 * If memory is full, the slices of each bucket are appended to temporary files.  A bucket is read
 * back and sorted, or divided again if it is too large; nothing is merged.
 */
#ifndef GS_STAGES_ITEM_STORE_H
#define GS_STAGES_ITEM_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/monitor.h"
#include "base/status.h"
#include "sort/items/items.h"
#include "stages/engine.h"
#include "stages/item_drain.h"

struct gs_item_store;

/** Begin.  GS_EBUDGET: there is no memory for anything. */
MUST_CHECK gs_status
gs_item_store_open(struct gs_item_store **store, const struct gs_item_store_options *options,
                   struct gs_monitor *monitor);

/** How it is filled and drained.  Without a sample the first pieces decide the bounds of the buckets.  With
 *  options.origins equal items leave in the order of their origins, and those of one origin in the order
 *  of sequence numbers. */
struct gs_engine gs_item_store_engine(struct gs_item_store *store);

/** Free all; NULL is allowed. */
void gs_item_store_close(struct gs_item_store *store);

/* ---- groups in the order of the input, by two stores (item_firsts.c) ----------- */

struct gs_item_firsts;

/** The same, for items with a number of 64 bits at NUMBER_AT, by which the first items of all groups leave.
 *  FIRSTS is to be closed after an error, too. */
MUST_CHECK gs_status
gs_item_firsts_open(struct gs_item_firsts **firsts, const struct gs_item_store_options *options,
                    size_t number_at, struct gs_monitor *monitor);

struct gs_engine gs_item_firsts_engine(struct gs_item_firsts *firsts);

/** Free all; NULL is allowed. */
void gs_item_firsts_close(struct gs_item_firsts *firsts);

#endif
