// SPDX-License-Identifier: BSD-2-Clause
/*
 * item_store.h - every item of a sort, in memory or in temporary files
 *
 *     open; fill by the taker; finish; drain; close
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
#include "stages/item_parts.h"
#include "stages/taker.h"

struct gs_item_store;

/** Begin.  GS_EBUDGET: there is no memory for anything. */
MUST_CHECK gs_status
gs_item_store_open(struct gs_item_store **store, const struct gs_item_store_options *options,
                   struct gs_monitor *monitor);

/** How it is filled.  Without a sample the first pieces decide the bounds of the buckets.  With
 *  options.origins equal items leave in the order of their origins, and those of one origin in the order
 *  of sequence numbers. */
struct gs_taker gs_item_store_taker(struct gs_item_store *store);

/** No more items. */
MUST_CHECK gs_status gs_item_store_finish(struct gs_item_store *store);

/** Items that were added. */
uint64_t gs_item_store_count(const struct gs_item_store *store);

/** How many items will leave.  Slow with groups: sorts everything, and drain() does so again. */
MUST_CHECK gs_status gs_item_store_count_out(struct gs_item_store *store, uint64_t *count);

/** Of what would leave, only COUNT, which is not more than options.count: with a head or tail. */
void gs_item_store_limit(struct gs_item_store *store, uint64_t count);

/** With VERIFY: of all items that were drained, before any is selected; the store's. */
const struct gs_item_digest *gs_item_store_digest(const struct gs_item_store *store);

/** Hand all items that are to leave to SINK, in order; once. */
MUST_CHECK gs_status
gs_item_store_drain(struct gs_item_store *store, const struct gs_span_sink *sink);

/** Buckets that were written to disk, and bytes. */
void gs_item_store_stats(const struct gs_item_store *store, unsigned *buckets, uint64_t *bytes);

/** Free all; NULL is allowed. */
void gs_item_store_close(struct gs_item_store *store);

#endif
