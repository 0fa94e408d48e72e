// SPDX-License-Identifier: BSD-2-Clause
/*
 * item_maker.c - sort one part of a bucket
 *
 * In:   slices in memory, or extents of temporary files.
 * Out:  sorted items, or one for each group.
 *
 * The items of a settled bucket are already in order: all of them are copied, or only the first.  An item
 * that is larger than the memory of a part is not copied.
 */
#include <stdlib.h>
#include <string.h>

#include "base/round.h"
#include "base/way.h"
#include "engine/item_store.h"
#include "sort/items/items.h"

/* ---- memory ---------------------------------------------------------------------- */

gs_status
gs_item_maker_open(struct gs_item_maker *maker, const struct gs_item_store *store,
                   const struct gs_bucket_part *parts, size_t count)
{
	const struct gs_item_store_options *options = &store->options;
	const struct gs_item_limits *limits = store->limits;
	const size_t arrays = limits->items * GS_ITEM_PART_BYTES;
	const size_t load = store->flushed ? limits->bytes : 0;
	const size_t other = options->verify || options->groups ? 0 : limits->bytes;
	const size_t ends = options->set.operands * sizeof *maker->part.ends;
	size_t slices = sizeof *maker->slices;

	for (size_t p = 0; p < count; p++)
		if ((parts[p].to - parts[p].from) * sizeof *maker->slices > slices)
			slices = (parts[p].to - parts[p].from) * sizeof *maker->slices;
	*maker = (struct gs_item_maker){
		.options = options, .shared = &store->shared, .limit = limits->bytes,
		.follow.order = options->order,
	};
	TRY(gs_arena_open(&maker->arena, gs_arena_round(slices) + gs_arena_round(arrays) +
	                  gs_arena_round(load) + gs_arena_round(limits->bytes) +
	                  gs_arena_round(other) + gs_arena_round(ends), false));
	maker->slices = gs_arena_take(&maker->arena, slices);
	maker->load = gs_arena_take(&maker->arena, load);
	maker->out = gs_arena_take(&maker->arena, limits->bytes);
	maker->other = gs_arena_take(&maker->arena, other);
	gs_item_part_init(&maker->part, options->order, gs_arena_take(&maker->arena, arrays), limits->items);
	maker->part.ends = gs_arena_take(&maker->arena, ends);
	return GS_OK;
}

bool
gs_item_maker_swap(struct gs_item_maker *maker, const struct gs_item_made *made)
{
	char *out = maker->out;

	if (maker->other == NULL || made->span.items != out)
		return false;
	maker->out = maker->other;
	maker->other = out;
	return true;
}

void
gs_item_maker_release(struct gs_item_maker *maker)
{
	free(maker->large);
	maker->large = NULL;
}

void
gs_item_maker_close(struct gs_item_maker *maker)
{
	gs_item_maker_release(maker);
	gs_follow_close(&maker->follow);
	gs_arena_close(&maker->arena);
}

/* See that the slices of a part are in memory. */
static gs_status
load_slices(struct gs_item_maker *maker, const struct gs_bucket_part *part, bool counts, bool large,
            size_t *count)
{
	const struct gs_division *division = part->bucket->division;
	uint64_t since = gs_clock_now();
	char *load = maker->load;
	size_t at = 0;

	if (division->extents == NULL) {
		*count = gs_division_slices(division, part->bucket->bin, part->from, part->to,
		                            maker->slices);
		return GS_OK;
	}
	if (large) {
		TRY(gs_allocate(&maker->large, part->bytes, 1, "bytes of an item"));
		load = maker->large;
	}
	for (size_t e = part->from; e < part->to; e++) {
		const struct gs_item_extent *extent = &division->extents[part->bucket->bin].list[e];

		TRY(gs_division_read(maker->shared, extent, load + at, !counts));
		maker->slices[e - part->from] = (struct gs_item_slice){ load + at, extent->bytes };
		at += extent->bytes;
	}
	*count = part->to - part->from;
	gs_clock_lap(&maker->shared->monitor->clock, GS_STAGE_SPILL, &since);
	return GS_OK;
}

/* ---- verification ------------------------------------------------------------------ */

/* Note the items of BATCH, in order; each stands for TIMES with the same bytes, NULL: for one. */
static gs_status
verify_batch(struct gs_follow *follow, struct gs_item_made *made, struct gs_item_batch *batch,
             const uint64_t *times)
{
	const size_t good = gs_follow_batch(follow, batch);

	if (good == SIZE_MAX)
		return GS_EBUDGET;
	made->falls |= good < batch->count;
	for (size_t i = 0; i < batch->count; i++) {
		made->last = batch->items[i];
		made->last_bytes = gs_item_batch_bytes(follow->order, batch, i);
		made->sum += (times != NULL ? times[i] : 1) * gs_item_hash(made->last, made->last_bytes);
		if (made->first == NULL) {
			made->first = made->last;
			made->first_bytes = made->last_bytes;
		}
	}
	return GS_OK;
}

/* Note the items of the part, which are sorted; OUT: where they were copied to, or NULL. */
static gs_status
verify_sorted(struct gs_item_maker *maker, struct gs_item_made *made, const char *out)
{
	const struct gs_item_part *part = &maker->part;
	const struct gs_item_order *order = part->order;
	/* the words that sorting made of these items; it did not make them by the order that is checked */
	const bool firsts = part->keeps_words && part->kept_from == 0;
	const bool seconds = part->keeps_words && part->kept_from == 8;
	const char *items[GS_ITEM_BATCH];
	uint32_t lengths[GS_ITEM_BATCH];
	uint64_t words[GS_ITEM_BATCH], nexts[GS_ITEM_BATCH], weights[GS_ITEM_BATCH];
	struct gs_item_batch batch = {
		.items = items, .bytes = lengths, .more = true,
		.words = firsts ? weights : words, .nexts = seconds ? weights : nexts,
	};

	for (size_t at = 0; at < part->count; at += batch.count) {
		batch.count = (size_t)gs_least(part->count - at, GS_ITEM_BATCH);
		for (size_t i = 0; i < batch.count; i++) {
			size_t bytes;

			items[i] = gs_item_part_at(part, at + i, &bytes);
			lengths[i] = (uint32_t)bytes;
			weights[i] = part->weights[part->places[at + i]];
			if (out != NULL) {
				items[i] = out;
				out += bytes;
			}
		}
		if (!firsts)
			gs_item_batch_words(order, &batch);
		batch.nexts_from = seconds ? 0 : batch.count;
		batch.ties = 0;
		TRY(verify_batch(&maker->follow, made, &batch, part->mark_equal ? weights : NULL));
	}
	return GS_OK;
}

static gs_status
verify_slices(struct gs_follow *follow, struct gs_item_made *made, const struct gs_item_slice *slices,
              size_t slice_count)
{
	struct gs_item_walk walk = gs_item_walk_begin(follow->order, slices, slice_count);
	const char *items[GS_ITEM_BATCH];
	uint32_t bytes[GS_ITEM_BATCH];
	uint64_t words[GS_ITEM_BATCH], nexts[GS_ITEM_BATCH];
	struct gs_item_batch batch = {
		.items = items, .bytes = bytes, .words = words, .nexts = nexts,
	};

	while ((batch.count = gs_item_walk_next(&walk, items, bytes, GS_ITEM_BATCH)) > 0) {
		gs_item_batch_words(follow->order, &batch);
		TRY(verify_batch(follow, made, &batch, NULL));
	}
	return GS_OK;
}

/* ---- sets ------------------------------------------------------------------------------ */

/* The items of rows FROM .. TO of a part, which are loaded. */
static size_t
slices_of(const struct gs_item_maker *maker, const struct gs_bucket_part *part, size_t from, size_t to,
          struct gs_item_slice *slices)
{
	const struct gs_division *division = part->bucket->division;

	if (division->extents == NULL)
		return gs_division_slices(division, part->bucket->bin, from, to, slices);
	memmove(slices, maker->slices + (from - part->from), (to - from) * sizeof *slices);
	return to - from;
}

/* Collect all items, by operand. */
static void
collect_operands(struct gs_item_maker *maker, const struct gs_bucket_part *part)
{
	const struct gs_division *division = part->bucket->division;
	struct gs_item_part *items = &maker->part;
	size_t row = part->from, to;

	gs_item_part_collect(items, NULL, 0);
	for (unsigned operand = 0; operand < maker->options->set.operands; operand++, row = to) {
		struct gs_item_slice *slices = maker->slices + (row - part->from);

		to = row;
		while (to < part->to && gs_division_origin(division, part->bucket->bin, to) == operand)
			to++;
		gs_item_part_add(items, slices, slices_of(maker, part, row, to, slices));
		items->ends[operand] = (uint32_t)items->count;
	}
}

/* Leave in the slices of a settled part only what leaves; returns how many they are. */
static size_t
narrow_slices(struct gs_item_maker *maker, const struct gs_bucket_part *part)
{
	const struct gs_item_order *order = maker->options->order;
	size_t count = 0;

	for (size_t row = part->from; row < part->to; row++) {
		const struct gs_item_leaves *leaves = &part->bucket->leaves[row];
		struct gs_item_slice slice;
		const char *end;

		if (slices_of(maker, part, row, row + 1, &slice) == 0 || leaves->count == 0)
			continue;
		end = slice.data + slice.bytes;
		slice.data += gs_items_bytes(order, slice.data, end, leaves->from);
		slice.bytes = gs_items_bytes(order, slice.data, end, leaves->count);
		maker->slices[count++] = slice;
	}
	return count;
}

/* ---- making --------------------------------------------------------------------------- */

/* All items are equal: copy them as they are, unless one stands for all. */
static gs_status
make_settled(struct gs_item_maker *maker, const struct gs_bucket_part *part, size_t slice_count,
             bool large, struct gs_item_made *made)
{
	const struct gs_item_store_options *options = maker->options;
	const struct gs_item_bucket *bucket = part->bucket;
	const struct gs_item_order *order = options->order;
	struct gs_item_walk walk;
	uint32_t bytes = (uint32_t)order->item_bytes;
	const char *item;

	if (options->verify)
		TRY(verify_slices(&maker->follow, made, maker->slices, slice_count));
	if (bucket->leaves != NULL)
		slice_count = narrow_slices(maker, part);
	walk = gs_item_walk_begin(order, maker->slices, slice_count);
	made->span.items = maker->out;
	while (gs_item_walk_next(&walk, &item, &bytes, 1) > 0) {
		const size_t copied = gs_item_leaving(options, bytes);

		if (made->items++ == 0 && (large || options->groups)) {
			/* it leaves uncopied; of a group if its size is right */
			if (options->groups && bucket->leaves == NULL &&
			    (!part->first || bucket->items < options->least || bucket->items > options->most))
				continue;
			maker->part.times[0] = bucket->leaves != NULL ? bucket->left : bucket->items;
			made->span = (struct gs_span){
				.items = item + options->cut.at, .bytes = copied, .count = 1,
				.times = options->groups ? maker->part.times : NULL,
			};
		} else if (!options->groups) {
			gs_item_copy(maker->out + made->span.bytes, item + options->cut.at, copied);
			made->span.bytes += copied;
			made->span.count++;
		}
	}
	if (part->items < UINT64_MAX)	/* where one stands for all, not all are here */
		made->items = part->items;
	return GS_OK;
}

static gs_status
make_sorted(struct gs_item_maker *maker, const struct gs_bucket_part *part, size_t slice_count,
            bool counts, struct gs_item_made *made)
{
	const struct gs_item_store_options *options = maker->options;
	struct gs_item_part *items = &maker->part;
	const bool set = options->set.operands > 0;
	const bool whole = !gs_item_selects(options) && options->cut.bytes == 0 && options->cut.at == 0;

	items->mark_equal = gs_item_selects(options);
	items->keeps_words = options->verify && !items->mark_equal;
	if (set)
		collect_operands(maker, part);
	else
		gs_item_part_collect(items, maker->slices, slice_count);
	made->items = items->count;
	if (gs_way("fold equal items", options->groups && !set && !options->numbered))
		gs_item_part_fold(items);
	gs_item_part_sort(items, part->bucket->shared);
	if (options->verify && !whole)
		TRY(verify_sorted(maker, made, NULL));
	if (set)
		gs_item_part_combine(items, &options->set, options->groups, options->least, options->most);
	else if (options->groups)
		gs_item_part_select(items, options->least, options->most);
	made->span = (struct gs_span){
		.items = maker->out, .count = items->count,
		.times = options->groups ? items->times : NULL,
	};
	if (counts)
		return GS_OK;
	made->span.bytes = gs_item_part_gather(items, options->cut.at, options->cut.bytes,
	                                       maker->out);
	return options->verify && whole ? verify_sorted(maker, made, maker->out) : GS_OK;
}

gs_status
gs_item_make(struct gs_item_maker *maker, const struct gs_bucket_part *part, bool counts,
             struct gs_item_made *made)
{
	uint64_t since = gs_clock_now();
	const bool large = part->bytes > maker->limit;
	size_t count = 0;

	*made = (struct gs_item_made){ .items = 0 };
	TRY(load_slices(maker, part, counts, large, &count));
	maker->follow.any = maker->follow.disorder = false;
	if (part->bucket->settled || part->bucket->items == 1)
		TRY(make_settled(maker, part, count, large, made));
	else
		TRY(make_sorted(maker, part, count, counts, made));
	gs_clock_lap(&maker->shared->monitor->clock, GS_STAGE_SORT, &since);
	return GS_OK;
}
