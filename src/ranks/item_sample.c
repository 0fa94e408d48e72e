// SPDX-License-Identifier: BSD-2-Clause
/*
 * item_sample.c - a sample of the items of all ranks
 *
 * In:   a sample of each rank.
 * Out:  splitters; the items of the sample that this rank will own.
 */
#include <stdlib.h>
#include <string.h>

#include "ranks/spread.h"
#include "sort/items/items.h"

/* Show the store what this rank will own, moved to the front of all. */
static gs_status
show(const struct gs_item_owners *owners, const struct gs_item_slice *slices, unsigned rank,
     char *all, const struct gs_taker *store)
{
	const char *items[GS_ITEM_BATCH];
	uint32_t bytes[GS_ITEM_BATCH];
	uint16_t found[GS_ITEM_BATCH];
	const size_t fixed = owners->order->item_bytes;
	size_t own = 0, count;

	for (unsigned r = 0; r < owners->owners; r++) {
		struct gs_item_walk walk = gs_item_walk_begin(owners->order, &slices[r], 1);

		while ((count = gs_item_walk_next(&walk, items, bytes, GS_ITEM_BATCH)) > 0) {
			gs_item_owners_find(owners, r, items, fixed > 0 ? NULL : bytes, count, found);
			for (size_t i = 0; i < count; i++) {
				const size_t here = fixed > 0 ? fixed : bytes[i];

				if (found[i] != rank)
					continue;
				memmove(all + own, items[i], here);
				own += here;
			}
		}
	}
	return store->sample(store->context, all, own);
}

gs_status
gs_item_sample_split(struct gs_item_owners *owners, const struct gs_item_order *order, const char *items,
                     size_t bytes, bool together, struct gs_ranks *ranks, const struct gs_taker *store)
{
	struct gs_item_slice *slices;
	struct gs_collected all;
	size_t at = 0;
	gs_status status = gs_ranks_collect(ranks, GS_NEW(slices, ranks->size, "ranks"), items, bytes,
	                                    GS_COLLECT_ALL, &all);

	for (unsigned r = 0; status == GS_OK && r < ranks->size; at += all.sizes[r++])
		slices[r] = (struct gs_item_slice){ all.data + at, all.sizes[r] };
	THEN(status, gs_item_owners_make(owners, order, slices, ranks->size, ranks->size, together));
	THEN(status, show(owners, slices, ranks->rank, all.data, store));
	gs_collected_close(&all);
	free(slices);
	return status;
}
