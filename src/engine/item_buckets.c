// SPDX-License-Identifier: BSD-2-Clause
/*
 * item_buckets.c - the buckets of a store in order, and the parts that they are cut into
 *
 * In:   a division that is complete.
 * Out:  its buckets; one that was too large is replaced by the buckets of another division.
 *
 * After a thread has copied slices in memory, it reuses their space for the next items, or returns their
 * pages to the system.  So a division needs little more memory than its items.
 *
 * Invariant: a bucket that a division makes is smaller than the bucket that was divided, or is divided
 * next by another word.  When no word is left, items of the bucket become the bounds, and leave the
 * bucket.  So every bucket ends as a small one, as one item, or as equal items.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/round.h"
#include "base/team.h"
#include "engine/item_store.h"
#include "sort/items/items.h"

/* Items of a sample for each bin: a bucket of twice the mean is rare. */
enum { SAMPLE_OF_BIN = 32 };

/* Bins that a bucket is divided into, however few extents memory holds: they have to be smaller. */
enum { LEAST_BINS = 8 };

/* Rows or extents that a sample is taken from; and fewer, if they are large. */
enum { SAMPLE_ROWS = 64, FEW_ROWS = 16 };

/* ---- bounds ---------------------------------------------------------------------- */

/* A sample: items of some slices, evenly spaced in each. */
struct sample {
	const char *items[GS_ITEM_SAMPLE_MOST];
	uint32_t    lengths[GS_ITEM_SAMPLE_MOST];
	size_t      count;
};

static void
take_sample(struct sample *sample, const struct gs_item_order *order,
            const struct gs_item_slice *slice, size_t most)
{
	struct gs_item_walk walk = gs_item_walk_begin(order, slice, 1);
	const char *items[GS_ITEM_BATCH];
	uint32_t lengths[GS_ITEM_BATCH] = { 0 };
	size_t total = 0, at = 0, count, step;

	while ((count = gs_item_walk_next(&walk, items, lengths, GS_ITEM_BATCH)) > 0)
		total += count;
	step = most < total ? total / most : 1;
	walk = gs_item_walk_begin(order, slice, 1);
	while ((count = gs_item_walk_next(&walk, items, lengths, GS_ITEM_BATCH)) > 0)
		for (size_t i = 0; i < count; i++)
			if (at++ % step == step / 2 && sample->count < GS_ITEM_SAMPLE_MOST) {
				sample->items[sample->count] = items[i];
				sample->lengths[sample->count++] = lengths[i];
			}
}

unsigned
gs_item_buckets_wanted(uint64_t bytes, uint64_t items, unsigned operands,
                       const struct gs_item_limits *limits)
{
	const uint64_t by_items = items / (limits->items / 3 + 1) + 1;
	uint64_t wanted = bytes / limits->bin_bytes + 1;

	wanted = wanted > by_items ? wanted : by_items;
	if (limits->extents > 0) {	/* each flush, and each operand, makes one at least for each bin */
		const uint64_t most = limits->extents / (bytes / limits->memory_bytes + 1 + operands);

		wanted = gs_least(wanted, most > LEAST_BINS ? most : LEAST_BINS);
	}
	return wanted < GS_ITEM_BINS_MOST ? (unsigned)wanted : GS_ITEM_BINS_MOST;
}

gs_status
gs_item_buckets_choose(struct gs_division *division, unsigned from,
                       const struct gs_item_slice *slices, size_t count, unsigned wanted)
{
	const struct gs_item_order *order = division->shared->order;
	const size_t rows = count < SAMPLE_ROWS ? count : SAMPLE_ROWS;
	struct gs_arena arena;	/* malloc(3) would leave holes between what divisions keep */
	struct sample *sample;
	gs_status status;

	gs_item_bins_one(division->bins, from);
	if (count == 0 || wanted == 1)
		return GS_OK;
	TRY(gs_arena_open(&arena, gs_arena_round(sizeof *sample), false));
	sample = gs_arena_take(&arena, sizeof *sample);
	for (size_t r = 0; r < rows; r++)
		take_sample(sample, order, &slices[count * r / rows],
		            (size_t)wanted * SAMPLE_OF_BIN / rows + 1);
	status = gs_item_bins_choose(division->bins, order, from, sample->items,
	                             order->item_bytes > 0 ? NULL : sample->lengths, sample->count, wanted);
	gs_arena_close(&arena);
	return status;
}

gs_status
gs_item_buckets_choose_rows(struct gs_division *division, unsigned from, const struct gs_division *old,
                            unsigned bin, unsigned wanted)
{
	struct gs_item_slice *slices;
	gs_status status;

	TRY(GS_NEW(slices, old->row_count + 1, "rows"));
	status = gs_item_buckets_choose(division, from, slices,
	                                gs_division_slices(old, bin, 0, old->row_count, slices), wanted);
	free(slices);
	return status;
}

/* The same, where a bucket is in files: read some extents to where its items will go later, as many as fit in
 * a quarter of the memory; FEW_ROWS, which may be one large item each, may fill it. */
static gs_status
choose_from_extents(struct gs_division *division, const struct gs_item_bucket *bucket,
                    const struct gs_item_limits *limits, unsigned wanted)
{
	const struct gs_item_extents *extents = &bucket->division->extents[bucket->bin];
	const size_t rows = gs_least(extents->count, SAMPLE_ROWS);
	struct gs_item_slice slices[SAMPLE_ROWS] = { { NULL, 0 } };
	size_t count = 0, at = 0;

	for (size_t r = 0; r < rows; r++) {
		const struct gs_item_extent *extent = &extents->list[extents->count * r / rows];
		const size_t most = count < FEW_ROWS ? limits->memory_bytes : limits->memory_bytes / 4;

		if (count > 0 && at + extent->bytes > most)
			continue;
		assert(at + extent->bytes <= division->memory_bytes);
		slices[count++] = (struct gs_item_slice){ division->memory + at, extent->bytes };
		TRY(gs_division_read(division->shared, extent, division->memory + at, false));
		at += extent->bytes;
	}
	return gs_item_buckets_choose(division, bucket->level, slices, count, wanted);
}

/* ---- moving ------------------------------------------------------------------------ */

struct mover {
	struct gs_division   *old, *division;
	unsigned              bin;
	struct gs_first_error error;
	pthread_mutex_t       lock;	/* guards: */
	size_t                next;	/* row or extent of the old division */
	size_t                room;	/* bytes of this round */
};

static size_t
bytes_of_row(const struct gs_division *division, unsigned bin, size_t row)
{
	const uint32_t *offsets;

	if (division->extents != NULL)
		return division->extents[bin].list[row].bytes;
	offsets = division->rows[row]->offsets;
	return offsets[bin + 1] - offsets[bin];
}

/* The next rows, or the next extent: at most a piece, or one row.  False: that was all. */
static bool
next_move(struct mover *mover, size_t *from, size_t *to, uint64_t *sequence)
{
	const struct gs_division *old = mover->old;
	const size_t count = gs_division_rows(old, mover->bin);
	const bool set = old->shared->operands > 0;
	size_t bytes = 0, at = mover->next;

	if (atomic_load(&mover->error.any))
		return false;
	for (; at < count; at++) {
		const size_t more = bytes_of_row(old, mover->bin, at);

		if (bytes > 0 && bytes + more > old->shared->piece_bytes)
			break;
		if (set && at > mover->next && gs_division_origin(old, mover->bin, at) !=
		                                  gs_division_origin(old, mover->bin, mover->next)) {
			mover->room -= gs_least(mover->room - bytes, GS_ITEM_ROW_BYTES);
			break;
		}
		if (bytes + more > mover->room)
			break;
		bytes += more;
	}
	*from = mover->next;
	*to = mover->next = at;
	mover->room -= bytes;
	*sequence = mover->division->row_count;
	mover->division->row_count += at > *from;
	return at > *from;
}

static gs_status
move_rows(struct mover *mover, unsigned worker, size_t from, size_t to, uint64_t sequence)
{
	struct gs_item_slice *slices;
	size_t count;

	TRY(GS_NEW(slices, to - from, "rows"));
	count = gs_division_slices(mover->old, mover->bin, from, to, slices);
	gs_division_add(mover->division, worker, sequence, slices, count);
	mover->division->rows[sequence]->origin = mover->old->rows[from]->origin;
	for (size_t s = 0; s < count; s++)
		gs_division_spare(mover->division, worker, &slices[s]);
	free(slices);
	return GS_OK;
}

static gs_status
move_extents(struct mover *mover, unsigned worker, size_t from, size_t to, uint64_t sequence)
{
	struct gs_division_shared *shared = mover->old->shared;
	const struct gs_item_extent *list = mover->old->extents[mover->bin].list;
	char *buffer = shared->buffers + worker * shared->piece_bytes, *large = NULL;
	struct gs_item_slice slice = { buffer, 0 };
	gs_status status = GS_OK;

	if (list[from].bytes > shared->piece_bytes) {
		TRY(gs_allocate(&large, list[from].bytes, 1, "bytes of an item"));
		slice.data = buffer = large;
	}
	for (size_t e = from; status == GS_OK && e < to; e++) {
		status = gs_division_read(shared, &list[e], buffer + slice.bytes, true);
		slice.bytes += list[e].bytes;
	}
	if (status == GS_OK) {
		gs_division_add(mover->division, worker, sequence, &slice, 1);
		mover->division->rows[sequence]->origin = list[from].origin;
	}
	free(large);
	return status;
}

static void
move_round(void *context, unsigned worker, unsigned size)
{
	struct mover *mover = context;
	uint64_t since = gs_clock_now(), sequence;
	size_t from, to;
	bool any;

	(void)size;
	for (;;) {
		pthread_mutex_lock(&mover->lock);
		any = next_move(mover, &from, &to, &sequence);
		pthread_mutex_unlock(&mover->lock);
		if (!any)
			break;
		(void)gs_first_error_note(&mover->error, mover->old->extents != NULL
			? move_extents(mover, worker, from, to, sequence)
			: move_rows(mover, worker, from, to, sequence));
	}
	gs_clock_lap(&mover->old->shared->monitor->clock, GS_STAGE_SORT, &since);
}

gs_status
gs_item_buckets_move(struct gs_division *old, unsigned bin, struct gs_division *division)
{
	struct gs_division_shared *shared = old->shared;
	struct mover mover = { .old = old, .division = division, .bin = bin };
	const size_t count = gs_division_rows(old, bin);
	const uint64_t items = atomic_load(&shared->items);
	gs_status status = GS_OK;

	pthread_mutex_init(&mover.lock, NULL);
	while (status == GS_OK && mover.next < count) {
		const size_t before = mover.next;

		mover.room = gs_division_room(division, 2 * shared->threads);
		gs_first_error_open(&mover.error);
		gs_team_run(shared->threads, move_round, &mover);
		status = gs_first_error_close(&mover.error);
		if (status != GS_OK || mover.next > before)
			continue;
		assert(old->extents != NULL || shared->operands > 0);	/* in memory there is room for all */
		status = division->row_count > 0 ? gs_division_flush(division)
		         : gs_fail(GS_EBUDGET, "memory is not enough for one item of the input");
	}
	gs_division_drop_spares(division);
	pthread_mutex_destroy(&mover.lock);
	atomic_store(&shared->items, items);	/* they are not new */
	return status;
}

/* ---- buckets ------------------------------------------------------------------------- */

static gs_status
divide_again(struct gs_item_buckets *buckets, const struct gs_item_bucket *bucket,
             const struct gs_item_limits *limits)
{
	const unsigned wanted = gs_item_buckets_wanted(bucket->bytes, bucket->items,
	                                               bucket->division->shared->operands, limits);
	struct gs_division *old = bucket->division, *division;
	const bool in_files = old->extents != NULL;
	const uint64_t moved = gs_item_division_bytes(bucket->bytes, old->shared->piece_bytes,
	                                              old->shared->threads, 2,
	                                              16 + old->shared->operands);

	TRY(gs_division_open(&division, old->shared, in_files ? limits->memory_bytes : (size_t)moved));
	division->next = buckets->divisions;
	buckets->divisions = division;
	if (!in_files)
		TRY(GS_NEW(division->spares, old->shared->threads, "spare rows"));
	TRY(in_files ? choose_from_extents(division, bucket, limits, wanted)
	             : gs_item_buckets_choose_rows(division, bucket->level, old, bucket->bin, wanted));
	TRY(gs_item_buckets_move(old, bucket->bin, division));
	if (in_files) {
		gs_division_drop_extents(old, bucket->bin);
		TRY(gs_division_store(division));
	}
	return gs_item_buckets_add(buckets, division, limits);
}

gs_status
gs_item_buckets_add(struct gs_item_buckets *buckets, struct gs_division *division,
                    const struct gs_item_limits *limits)
{
	const bool words_left = atomic_load(&division->more);

	gs_item_bins_close(division->bins);
	for (unsigned b = 0; b < division->bins->count; b++) {
		const struct gs_item_bucket bucket = {
			.division = division,
			.bin = b,
			.level = gs_item_bins_level(division->bins, b),
			.shared = gs_item_bins_shared(division->bins, b),
			.settled = gs_item_bins_are_equal(division->bins, division->shared->order, b,
			                                  words_left),
			.items = gs_division_sum(division, division->items, b),
			.bytes = gs_division_sum(division, division->bytes, b),
		};

		if (bucket.items == 0)
			continue;
		if (bucket.settled || bucket.items == 1 ||
		    (bucket.bytes <= limits->bytes && bucket.items <= limits->items)) {
			TRY(GS_GROW(buckets->list, &buckets->room, buckets->count + 1, "buckets"));
			buckets->list[buckets->count++] = bucket;
		} else {
			TRY(divide_again(buckets, &bucket, limits));
		}
	}
	gs_division_drop_bins(division);
	return GS_OK;
}

void
gs_item_buckets_close(struct gs_item_buckets *buckets)
{
	while (buckets->divisions != NULL) {
		struct gs_division *division = buckets->divisions;

		buckets->divisions = division->next;
		gs_division_close(division);
	}
	for (size_t b = 0; b < buckets->count; b++)
		free(buckets->list[b].leaves);
	free(buckets->list);
	*buckets = (struct gs_item_buckets){ .list = NULL };
}

/* ---- parts --------------------------------------------------------------------- */

size_t
gs_bucket_parts(const struct gs_item_store *store, struct gs_bucket_part *parts)
{
	const struct gs_item_store_options *options = &store->options;
	const size_t item_bytes = options->order->item_bytes;
	uint64_t number = 0;
	size_t count = 0;

	for (size_t b = 0; b < store->buckets.count; b++) {
		const struct gs_item_bucket *bucket = &store->buckets.list[b];
		const bool only_first = bucket->settled && bucket->leaves == NULL && options->groups &&
		                        !options->verify;
		const size_t rows = gs_division_rows(bucket->division, bucket->bin);
		const size_t most_bytes = only_first ? 0 : store->limits->bin_bytes;
		uint64_t done = 0;

		for (size_t from = 0; from < rows && !(only_first && done > 0); count++) {
			struct gs_bucket_part part = {
				.bucket = bucket, .from = from, .to = rows, .first = from == 0,
				.bytes = bucket->bytes, .items = bucket->items,
				.least = number, .most = number + bucket->items,
			};

			if (bucket->settled) {		/* equal items are cut anywhere */
				part.bytes = 0;
				for (part.to = from; part.to < rows; part.to++) {
					const size_t more = bytes_of_row(bucket->division, bucket->bin,
					                                 part.to);

					if (part.bytes > 0 && part.bytes + more > most_bytes)
						break;
					part.bytes += more;
				}
			}
			from = part.to;
			if (part.bytes < bucket->bytes)
				part.items = item_bytes > 0 ? part.bytes / item_bytes : UINT64_MAX;
			if (part.items < UINT64_MAX) {	/* the number of items before it is known */
				part.least += done;
				done += part.items;
				part.most = number + done;
			}
			if (only_first)
				done = part.items = bucket->items;
			if (parts != NULL)
				parts[count] = part;
		}
		number += bucket->items;
	}
	return count;
}
