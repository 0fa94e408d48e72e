// SPDX-License-Identifier: BSD-2-Clause
/*
 * item_sample.c - a sample of the items of all ranks
 *
 * In:   parts of files.
 * Out:  splitters; the items of the sample that this rank will own.
 */
#include <stdlib.h>
#include <string.h>

#include "job/item_sample.h"
#include "job/sample.h"
#include "plan/items.h"
#include "sort/items/items.h"

/* The samples of all ranks, each as a slice of *ALL. */
static gs_status
collect(const char *mine, uint64_t bytes, struct gs_ranks *ranks, struct gs_item_slice *slices,
        char **all)
{
	uint64_t *sizes = calloc(ranks->size, sizeof *sizes), most = 1;
	char *padded = NULL;
	gs_status status = sizes != NULL ? GS_OK : gs_fail(GS_EBUDGET, "out of memory");

	if (status == GS_OK)
		status = gs_ranks_gather(ranks, &bytes, sizeof bytes, sizes);
	for (unsigned r = 0; status == GS_OK && r < ranks->size; r++)
		most = sizes[r] > most ? sizes[r] : most;
	if (status == GS_OK) {
		padded = calloc(most, 1);
		*all = malloc(most * ranks->size);
		if (padded == NULL || *all == NULL)
			status = gs_fail(GS_EBUDGET, "no memory for a sample of %llu bytes",
			                 (unsigned long long)(most * ranks->size));
	}
	if (status == GS_OK && bytes > 0)
		memcpy(padded, mine, bytes);
	if (status == GS_OK)
		status = gs_ranks_gather(ranks, padded, most, *all);
	for (unsigned r = 0; status == GS_OK && r < ranks->size; r++)
		slices[r] = (struct gs_item_slice){ *all + r * most, sizes[r] };
	free(padded);
	free(sizes);
	return status;
}

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
gs_item_sample_split(struct gs_item_owners *owners, const struct gs_item_order *order,
                     const struct gs_parts *parts, const struct gsort_options *options,
                     size_t item_bytes, const struct gs_line_order *lines, bool together,
                     struct gs_ranks *ranks, const struct gs_taker *store)
{
	const size_t most = gs_item_sample_most(options->memory_bytes, ranks->size, item_bytes);
	const size_t wanted = gs_sample_wanted(ranks->size);	/* as of keys */
	struct gs_item_slice *slices = calloc(ranks->size, sizeof *slices);
	char *mine = NULL, *all = NULL;
	size_t bytes = 0;
	gs_status status = slices != NULL ? GS_OK : gs_fail(GS_EBUDGET, "out of memory");

	if (status == GS_OK)
		status = gs_sample_items(&mine, &bytes, parts, options, item_bytes, lines,
		                         gs_item_sample_room(item_bytes), wanted < most ? wanted : most);
	status = gs_ranks_agree(ranks, status);
	if (status == GS_OK)
		status = collect(mine, bytes, ranks, slices, &all);
	if (status == GS_OK)
		status = gs_item_owners_make(owners, order, slices, ranks->size, ranks->size, together);
	if (status == GS_OK)
		status = show(owners, slices, ranks->rank, all, store);
	free(mine);
	free(all);
	free(slices);
	return status;
}
