// SPDX-License-Identifier: BSD-2-Clause
/*
 * item_store.h - every item of a sort, in memory or in temporary files
 *
 *     open; [sample]; { reserve; add*; end_round }*; finish; drain; close
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
#include "stages/item_sink.h"

struct gs_item_store;

/** Begin.  GS_EBUDGET: there is no memory for anything. */
MUST_CHECK gs_status
gs_item_store_open(struct gs_item_store **store, const struct gs_item_store_options *options,
                   struct gs_monitor *monitor);

/** Bytes of a piece that suit the cache. */
size_t gs_item_store_piece_bytes(const struct gs_item_store *store);

/** Before anything is added: items from all over the input, if that is possible.  Without it, the
 *  first pieces decide the bounds of the buckets. */
void gs_item_store_sample(struct gs_item_store *store, const char *items, size_t bytes);

/**
 * Between rounds: see that LEAST bytes can be added; *ROOM: how many can, in pieces of
 * gs_item_store_piece_bytes() and SMALL ones that are smaller.  May write to disk.
 *
 * @return  GS_OK; GS_EIO; GS_EBUDGET: an item of LEAST bytes does not fit in memory
 */
MUST_CHECK gs_status
gs_item_store_reserve(struct gs_item_store *store, size_t least, size_t small, size_t *room);

/** The sequence number of the next piece, and of COUNT - 1 more; one thread at a time. */
uint64_t gs_item_store_next_sequence(struct gs_item_store *store, size_t count);

/** Add a piece: of at most gs_item_store_piece_bytes(), or a single item.  Any thread, each with a
 *  RANK of its own; DATA is borrowed until it returns. */
void gs_item_store_add(struct gs_item_store *store, unsigned rank, uint64_t sequence,
                       const char *data, size_t bytes);

/** All threads of a round have added. */
void gs_item_store_end_round(struct gs_item_store *store);

/** No more items. */
MUST_CHECK gs_status gs_item_store_finish(struct gs_item_store *store);

/** Items that were added. */
uint64_t gs_item_store_count(const struct gs_item_store *store);

/** How many items will leave.  Slow with groups: sorts everything, and drain() does so again. */
MUST_CHECK gs_status gs_item_store_count_out(struct gs_item_store *store, uint64_t *count);

/** Hand all items that are to leave to SINK, in order; once.  With VERIFY, GS_EDEVICE at the end if the
 *  result is wrong. */
MUST_CHECK gs_status
gs_item_store_drain(struct gs_item_store *store, const struct gs_item_sink *sink);

/** Buckets that were written to disk, and bytes. */
void gs_item_store_stats(const struct gs_item_store *store, unsigned *buckets, uint64_t *bytes);

/** Free all; NULL is allowed. */
void gs_item_store_close(struct gs_item_store *store);

#endif
