// SPDX-License-Identifier: BSD-2-Clause
/*
 * item_set.c - what a set operation keeps of equal items, if they are too many to sort in one part
 *
 * In:   buckets that are settled; their rows or extents, in the order of the operands.
 * Out:  which items of each row are written.
 *
 * The rules are the same as in sort/items/set.c, with counts of items in place of items, because the
 * items that an operand keeps are adjacent.
 */
#include <stdlib.h>

#include "base/round.h"
#include "base/team.h"
#include "engine/item_store.h"

struct combiner {
	struct gs_item_store *store;
	struct gs_first_error error;
};

/* Count the items of a row or extent.  Files of records are not read for that. */
static gs_status
count_items(const struct combiner *combiner, const struct gs_item_bucket *bucket, size_t row,
            uint32_t *count)
{
	const struct gs_item_order *order = combiner->store->options.order;
	const struct gs_division *division = bucket->division;
	const struct gs_item_extent *extent = NULL;
	struct gs_item_slice slice = { .bytes = 0 };
	const char *items[GS_ITEM_BATCH];
	uint32_t lengths[GS_ITEM_BATCH];
	struct gs_item_walk walk;
	gs_status status = GS_OK;
	char *loaded = NULL;
	size_t found;

	*count = 0;
	if (division->extents != NULL) {
		extent = &division->extents[bucket->bin].list[row];
		slice.bytes = extent->bytes;
	} else {
		(void)gs_division_slices(division, bucket->bin, row, row + 1, &slice);
	}
	if (order->item_bytes > 0) {
		*count = (uint32_t)(slice.bytes / order->item_bytes);
		return GS_OK;
	}
	if (extent != NULL) {
		TRY(gs_allocate(&loaded, extent->bytes, 1, "bytes of items"));
		slice.data = loaded;
		status = gs_division_read(&combiner->store->shared, extent, loaded, false);
	}
	walk = gs_item_walk_begin(order, &slice, 1);
	while (status == GS_OK && (found = gs_item_walk_next(&walk, items, lengths, GS_ITEM_BATCH)) > 0)
		*count += (uint32_t)found;
	free(loaded);
	return status;
}

/* Drop the first COUNT of the items that would leave rows FROM .. TO. */
static void
drop(struct gs_item_leaves *leaves, size_t from, size_t to, uint64_t count)
{
	for (; from < to && count > 0; from++) {
		const uint32_t here = (uint32_t)gs_least(leaves[from].count, count);

		leaves[from].from += here;
		leaves[from].count -= here;
		count -= here;
	}
}

/* The same, but keep the first COUNT; returns how many there are. */
static uint64_t
keep(struct gs_item_leaves *leaves, size_t from, size_t to, uint64_t count)
{
	uint64_t kept = 0;

	for (; from < to; from++) {
		leaves[from].count = (uint32_t)gs_least(leaves[from].count, count - kept);
		kept += leaves[from].count;
	}
	return kept;
}

/* KEPT of rows 0 .. FROM leave; then comes the next operand, FROM .. TO.  Returns how many are kept. */
static uint64_t
combine(enum gs_set_keep keeps, struct gs_item_leaves *leaves, uint64_t kept, size_t from, size_t to)
{
	const uint64_t count = keep(leaves, from, to, UINT64_MAX), pairs = gs_least(kept, count);

	if ((keeps & GS_KEEP_A) == 0)
		kept = keep(leaves, 0, from, pairs);
	if ((keeps & GS_KEEP_BOTH) == 0) {
		drop(leaves, 0, from, pairs);
		kept -= pairs;
	}
	drop(leaves, from, to, (keeps & GS_KEEP_B) != 0 ? pairs : UINT64_MAX);
	return kept + ((keeps & GS_KEEP_B) != 0 ? count - pairs : 0);
}

static gs_status
combine_bucket(const struct combiner *combiner, struct gs_item_bucket *bucket)
{
	const struct gs_item_store_options *options = &combiner->store->options;
	const struct gs_item_set *set = &options->set;
	const size_t rows = gs_division_rows(bucket->division, bucket->bin);
	struct gs_item_leaves *leaves;
	size_t from = 0, to = 0;

	TRY(GS_NEW(bucket->leaves, rows, "rows"));
	leaves = bucket->leaves;
	for (size_t r = 0; r < rows; r++)
		TRY(count_items(combiner, bucket, r, &leaves[r].count));
	for (unsigned operand = 0; operand < set->operands; operand++, from = to) {
		while (to < rows && gs_division_origin(bucket->division, bucket->bin, to) == operand)
			to++;
		if (set->distinct)
			(void)keep(leaves, from, to, 1);
		bucket->left = combine(operand == 0 ? GS_KEEP_B : set->keep, leaves, bucket->left, from, to);
	}
	if (options->groups)
		(void)keep(leaves, 0, rows, bucket->left >= options->least && bucket->left <= options->most);
	return GS_OK;
}

static void
combine_next(void *context, size_t b)
{
	struct combiner *combiner = context;
	struct gs_item_bucket *bucket = &combiner->store->buckets.list[b];

	if (bucket->settled || bucket->items == 1)
		(void)gs_first_error_note(&combiner->error, combine_bucket(combiner, bucket));
}

gs_status
gs_item_buckets_combine(struct gs_item_store *store)
{
	struct combiner combiner = { .store = store };

	gs_first_error_open(&combiner.error);
	gs_team_each(store->shared.threads, store->buckets.count, combine_next, &combiner);
	return gs_first_error_close(&combiner.error);
}
