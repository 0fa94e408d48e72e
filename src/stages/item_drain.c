// SPDX-License-Identifier: BSD-2-Clause
/*
 * item_drain.c - sort the buckets of a store, and hand their items to a sink
 *
 * In:   buckets in order.
 * Out:  spans of sorted items.
 *
 * A part is a bucket, or some rows of one that is settled.  Each thread of a team takes the next part,
 * sorts it in its own memory, and waits for its turn to hand it on.  Where items have places in the
 * output, it puts them there and waits for nobody, unless the parts are verified.
 *
 * Invariant: parts are taken in order, so the thread whose turn it is never waits for another.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/team.h"
#include "sort/items/part.h"
#include "sort/items/sum.h"
#include "sort/items/walk.h"
#include "stages/item_drain.h"

struct part {
	const struct gs_item_bucket *bucket;
	size_t   from, to;		/* rows or extents */
	bool     first;			/* of its bucket */
	uint64_t items;			/* UINT64_MAX: nobody has counted */
	uint64_t least, most;		/* items before its first and up to its last one, at least and most */
};

/* A thread's memory, and what it has made of a part. */
struct worker {
	struct gs_arena       arena, large;	/* LARGE: of a part that is over the limit */
	struct gs_item_slice *slices;
	char                 *load, *out;
	struct gs_item_part   part;

	const char *data;		/* what leaves */
	size_t      bytes, count;	/* of it */
	const uint64_t *times;
	uint64_t    items;		/* of the part */
	const char *first, *last;	/* for VERIFY: items, and their lengths */
	size_t      first_bytes, last_bytes;
	uint64_t    sum;
	bool        falls;
};

struct draining {
	const struct gs_item_drain *drain;
	const struct gs_item_sink *sink;	/* NULL: only count */
	struct worker *workers;
	struct part   *parts;
	size_t         part_count;
	atomic_size_t  next;
	struct gs_first_error error;

	uint64_t       from, to;	/* without groups: the numbers of the items that leave */

	pthread_mutex_t lock;		/* guards: */
	pthread_cond_t  turned;
	size_t          turn;		/* the part that is handed on next */
	bool            ended;		/* nothing more is handed on */

	/* owned by the thread whose turn it is */
	uint64_t        number, skip, left;	/* items before; that are dropped; that may still leave */
	uint64_t        counted;	/* that would leave */
	char           *last;		/* item that left, for VERIFY */
	size_t          last_bytes, last_room;
	uint64_t        sum;
	bool            falls;
};

/* ---- parts ---------------------------------------------------------------------- */

static size_t
row_count(const struct gs_item_bucket *bucket)
{
	const struct gs_division *division = bucket->division;

	return division->extents != NULL ? division->extents[bucket->bin].count : division->row_count;
}

static size_t
bytes_of_row(const struct gs_item_bucket *bucket, size_t row)
{
	const struct gs_division *division = bucket->division;
	const uint32_t *offsets;

	if (division->extents != NULL)
		return division->extents[bucket->bin].list[row].bytes;
	offsets = division->rows[row]->offsets;
	return offsets[bucket->bin + 1] - offsets[bucket->bin];
}

/* The end of the part that begins with row FROM. */
static size_t
end_of_part(const struct draining *draining, const struct gs_item_bucket *bucket, size_t from,
            uint64_t *bytes)
{
	const size_t rows = row_count(bucket);
	size_t to = from;

	*bytes = bucket->bytes;
	if (!bucket->settled)
		return rows;
	for (*bytes = 0; to < rows; to++) {
		const size_t more = bytes_of_row(bucket, to);

		if (*bytes > 0 && *bytes + more > draining->drain->limits->bytes)
			break;
		*bytes += more;
	}
	return to;
}

/* Cut all buckets into parts; with PARTS NULL only count them. */
static size_t
make_parts(const struct draining *draining, struct part *parts)
{
	const struct gs_item_buckets *buckets = draining->drain->buckets;
	const size_t fixed = draining->drain->shared->order->item_bytes;
	uint64_t number = 0, bytes;
	size_t count = 0;

	for (size_t b = 0; b < buckets->count; b++) {
		const struct gs_item_bucket *bucket = &buckets->list[b];
		uint64_t done = 0;

		for (size_t from = 0, to; from < row_count(bucket); from = to) {
			const bool whole = (to = end_of_part(draining, bucket, from, &bytes)) ==
			                   row_count(bucket) && from == 0;
			struct part part = {
				.bucket = bucket, .from = from, .to = to, .first = from == 0,
				.items = whole ? bucket->items : fixed > 0 ? bytes / fixed : UINT64_MAX,
				.least = number, .most = number + bucket->items,
			};

			if (part.items < UINT64_MAX) {
				part.least += done;
				done += part.items;
				part.most = number + done;
			}
			if (parts != NULL)
				parts[count] = part;
			count++;
		}
		number += bucket->items;
	}
	return count;
}

/* ---- one part --------------------------------------------------------------------- */

/* Memory for a part that is larger than others: one huge item, or many that only COMPARE() tells
 * apart. */
static gs_status
make_large(const struct draining *draining, struct worker *worker, const struct part *part)
{
	const struct gs_item_bucket *bucket = part->bucket;
	const size_t bytes = bucket->settled ? bytes_of_row(bucket, part->from) : bucket->bytes;
	const size_t items = bucket->settled ? 1 : bucket->items, arrays = items * GS_ITEM_PART_BYTES;
	const bool load = bucket->division->extents != NULL;

	TRY(gs_arena_open(&worker->large, 3 * gs_arena_round(bytes) + gs_arena_round(arrays), false));
	worker->out = gs_arena_take(&worker->large, bytes);
	worker->load = gs_arena_take(&worker->large, load ? bytes : 0);
	gs_item_part_init(&worker->part, draining->drain->shared->order,
	                  gs_arena_take(&worker->large, arrays), items);
	return GS_OK;
}

/* See that the slices of a part are in memory. */
static gs_status
load_slices(const struct draining *draining, struct worker *worker, const struct part *part,
            size_t *count)
{
	const struct gs_division_shared *shared = draining->drain->shared;
	const struct gs_item_bucket *bucket = part->bucket;
	uint64_t since = gs_clock_now();
	size_t at = 0;

	if (bucket->division->extents == NULL) {
		*count = gs_division_slices(bucket->division, bucket->bin, part->from, part->to,
		                            worker->slices);
		return GS_OK;
	}
	for (size_t e = part->from; e < part->to; e++) {
		const struct gs_item_extent *extent = &bucket->division->extents[bucket->bin].list[e];

		TRY(gs_division_read(shared, extent, worker->load + at, draining->sink != NULL));
		at += extent->bytes;
	}
	worker->slices[0] = (struct gs_item_slice){ worker->load, at };
	*count = 1;
	gs_clock_lap(&shared->monitor->clock, GS_STAGE_SPILL, &since);
	return GS_OK;
}

/* Note one more item, in order. */
static void
verify_item(const struct gs_item_order *order, struct worker *worker, const char *item, size_t bytes)
{
	if (worker->first == NULL) {
		worker->first = item;
		worker->first_bytes = bytes;
	} else if (gs_item_compare(order, 0, worker->last, worker->last_bytes, item, bytes) > 0) {
		worker->falls = true;
	}
	worker->last = item;
	worker->last_bytes = bytes;
	worker->sum += gs_item_hash(item, bytes);
}

static void
verify_slices(const struct gs_item_order *order, struct worker *worker,
              const struct gs_item_slice *slices, size_t count)
{
	struct gs_item_walk walk = gs_item_walk_begin(order, slices, count);
	uint32_t bytes = (uint32_t)order->item_bytes;
	const char *item;

	while (gs_item_walk_next(&walk, &item, &bytes, 1) > 0)
		verify_item(order, worker, item, bytes);
}

static void
verify_places(const struct gs_item_order *order, struct worker *worker)
{
	const char *item;
	size_t bytes;

	for (size_t i = 0; i < worker->part.count; i++) {
		item = gs_item_part_at(&worker->part, i, &bytes);
		verify_item(order, worker, item, bytes);
	}
}

/* All items are equal: copy them as they are, or the first one. */
static void
make_settled(const struct draining *draining, struct worker *worker, const struct part *part,
             size_t slice_count)
{
	const struct gs_item_store_options *options = draining->drain->options;
	const struct gs_item_order *order = options->order;
	struct gs_item_walk walk = gs_item_walk_begin(order, worker->slices, slice_count);
	const bool whole = options->emit_bytes == 0;
	uint32_t bytes = (uint32_t)order->item_bytes;
	const char *item;

	if (options->verify)
		verify_slices(order, worker, worker->slices, slice_count);
	worker->data = worker->out;
	while (gs_item_walk_next(&walk, &item, &bytes, 1) > 0) {
		const size_t copied = whole ? bytes : options->emit_bytes;
		const bool takes = !options->groups || (part->first && worker->items == 0 &&
		                   part->bucket->items >= options->least &&
		                   part->bucket->items <= options->most);

		worker->items++;
		if (!takes)
			continue;
		gs_item_copy(worker->out + worker->bytes, item + options->emit_at, copied);
		worker->bytes += copied;
		worker->count++;
	}
	if (options->groups) {
		worker->part.times[0] = part->bucket->items;
		worker->times = worker->part.times;
	}
}

static void
make_sorted(const struct draining *draining, struct worker *worker, const struct part *part,
            size_t slice_count)
{
	const struct gs_item_store_options *options = draining->drain->options;
	struct gs_item_part *items = &worker->part;
	const bool whole = !options->groups && options->emit_bytes == 0;
	struct gs_item_slice out;

	items->mark_equal = options->groups;
	gs_item_part_collect(items, worker->slices, slice_count);
	gs_item_part_sort(items, gs_item_bins_shared(&part->bucket->division->bins, part->bucket->bin));
	worker->items = items->count;
	if (options->verify && !whole)
		verify_places(options->order, worker);
	if (options->groups)
		gs_item_part_select(items, options->least, options->most);
	worker->data = worker->out;
	worker->count = items->count;
	worker->times = options->groups ? items->times : NULL;
	if (draining->sink == NULL)
		return;
	worker->bytes = gs_item_part_gather(items, options->emit_at, options->emit_bytes,
	                                    worker->out);
	out = (struct gs_item_slice){ worker->out, worker->bytes };
	if (options->verify && whole)
		verify_slices(options->order, worker, &out, 1);
}

/* Will none of its items leave? */
static bool
is_skipped(const struct draining *draining, const struct part *part)
{
	const struct gs_item_store_options *options = draining->drain->options;

	return !options->groups && (options->head || options->tail) && part->items < UINT64_MAX &&
	       (part->most <= draining->from || part->least >= draining->to);
}

static gs_status
make_part(const struct draining *draining, struct worker *worker, const struct part *part)
{
	const struct gs_item_bucket *bucket = part->bucket;
	const struct gs_item_limits *limits = draining->drain->limits;
	uint64_t since = gs_clock_now();
	size_t count;

	if (bucket->settled ? bytes_of_row(bucket, part->from) > limits->bytes
	                    : bucket->bytes > limits->bytes || bucket->items > limits->items)
		TRY(make_large(draining, worker, part));
	TRY(load_slices(draining, worker, part, &count));
	if (bucket->settled)
		make_settled(draining, worker, part, count);
	else
		make_sorted(draining, worker, part, count);
	gs_clock_lap(&draining->drain->shared->monitor->clock, GS_STAGE_SORT, &since);
	return GS_OK;
}

/* ---- handing on --------------------------------------------------------------------- */

/* The part is in its turn: is it in order behind the part before? */
static gs_status
note_verified(struct draining *draining, const struct worker *worker)
{
	const struct gs_item_order *order = draining->drain->shared->order;

	if (worker->first == NULL)
		return GS_OK;
	draining->sum += worker->sum;
	draining->falls |= worker->falls;
	if (draining->last != NULL && draining->last_bytes > 0)
		draining->falls |= gs_item_compare(order, 0, draining->last, draining->last_bytes,
		                                   worker->first, worker->first_bytes) > 0;
	if (draining->last_room < worker->last_bytes) {
		free(draining->last);
		draining->last_room = 2 * worker->last_bytes;
		draining->last = malloc(draining->last_room);
		if (draining->last == NULL)
			return gs_fail(GS_EBUDGET, "out of memory");
	}
	memcpy(draining->last, worker->last, worker->last_bytes);
	draining->last_bytes = worker->last_bytes;
	return GS_OK;
}

/* Bytes of the first COUNT items that leave. */
static size_t
bytes_of(const struct draining *draining, const char *data, size_t bytes, size_t count)
{
	const struct gs_item_store_options *options = draining->drain->options;
	const size_t fixed = options->emit_bytes > 0 ? options->emit_bytes : options->order->item_bytes;
	size_t at = 0;

	if (fixed > 0)
		return count * fixed;
	for (; count > 0; count--)
		at += gs_item_length(options->order, data + at, data + bytes);
	return at;
}

/* Does every item have its place among those that leave? */
static bool
has_places(const struct draining *draining)
{
	return draining->sink != NULL && draining->sink->put != NULL &&
	       !draining->drain->options->groups && draining->drain->options->order->item_bytes > 0;
}

/* Put what is made to its place, without what the head or tail leaves out. */
static gs_status
put(const struct draining *draining, const struct worker *worker, const struct part *part)
{
	const uint64_t from = part->least < draining->from ? draining->from : part->least;
	const uint64_t to = part->most < draining->to ? part->most : draining->to;
	struct gs_item_span span = { .data = worker->data };

	assert(worker->count == part->items && part->items == part->most - part->least);
	if (from >= to)
		return GS_OK;
	span.data += bytes_of(draining, worker->data, worker->bytes, (size_t)(from - part->least));
	span.count = (size_t)(to - from);
	span.bytes = bytes_of(draining, span.data, worker->bytes, span.count);
	return draining->sink->put(draining->sink->context, from - draining->from, &span);
}

/* Hand on what is made, without what the head or tail leaves out. */
static gs_status
hand_on(struct draining *draining, const struct worker *worker)
{
	struct gs_item_span span = {
		.data = worker->data, .bytes = worker->bytes, .count = worker->count,
		.times = worker->times,
	};
	const size_t drop = draining->skip < span.count ? (size_t)draining->skip : span.count;
	size_t bytes;

	draining->counted += span.count;
	if (draining->sink == NULL || has_places(draining))
		return GS_OK;
	draining->skip -= drop;
	if (drop > 0) {
		bytes = bytes_of(draining, span.data, span.bytes, drop);
		span.data += bytes;
		span.bytes -= bytes;
		span.count -= drop;
		span.times += span.times != NULL ? drop : 0;
	}
	if (span.count > draining->left) {
		span.count = (size_t)draining->left;
		span.bytes = bytes_of(draining, span.data, span.bytes, span.count);
	}
	draining->left -= span.count;
	return span.count > 0 ? draining->sink->take(draining->sink->context, &span) : GS_OK;
}

/* Wait until all parts before number AT were handed on.  False: it is over. */
static bool
wait_for_turn(struct draining *draining, size_t at)
{
	bool ended;

	pthread_mutex_lock(&draining->lock);
	while (draining->turn != at && !draining->ended)
		pthread_cond_wait(&draining->turned, &draining->lock);
	ended = draining->ended;
	pthread_mutex_unlock(&draining->lock);
	return !ended;
}

static void
end_turn(struct draining *draining, size_t at, bool ended)
{
	pthread_mutex_lock(&draining->lock);
	draining->turn = at + 1;
	draining->ended |= ended;
	pthread_cond_broadcast(&draining->turned);
	pthread_mutex_unlock(&draining->lock);
}

static void
reset(struct worker *worker)
{
	worker->bytes = worker->count = 0;
	worker->times = NULL;
	worker->items = worker->sum = 0;
	worker->first = worker->last = NULL;
	worker->falls = false;
}

/* Note what is made, in its turn, and hand it on. */
static gs_status
do_in_turn(struct draining *draining, const struct worker *worker, size_t at, bool skipped)
{
	gs_status status = GS_OK;
	bool ends;

	if (draining->drain->options->verify)
		status = note_verified(draining, worker);
	if (status == GS_OK)
		status = hand_on(draining, worker);
	if (skipped)
		draining->skip -= draining->skip < worker->items ? draining->skip : worker->items;
	draining->number += worker->items;
	ends = draining->left == 0;
	end_turn(draining, at, status != GS_OK || ends);
	return status;
}

static gs_status
do_part(struct draining *draining, struct worker *own, size_t at)
{
	const struct part *part = &draining->parts[at];
	const bool skipped = is_skipped(draining, part), places = has_places(draining);
	const bool turns = !places || draining->drain->options->verify;
	struct worker worker = *own;
	gs_status status = GS_OK;

	reset(&worker);
	if (skipped)
		worker.items = part->items;
	else
		status = make_part(draining, &worker, part);
	if (status == GS_OK && !skipped && places)
		status = put(draining, &worker, part);
	if (status == GS_OK && turns && wait_for_turn(draining, at))
		status = do_in_turn(draining, &worker, at, skipped);
	else if (turns)
		end_turn(draining, at, true);
	atomic_fetch_add(&draining->drain->shared->monitor->counters.keys_sorted, worker.items);
	gs_arena_close(&worker.large);
	return status;
}

static void
drain_parts(void *context, unsigned rank, unsigned size)
{
	struct draining *draining = context;
	size_t at;

	(void)size;
	while ((at = atomic_fetch_add(&draining->next, 1)) < draining->part_count)
		if (!gs_first_error_note(&draining->error,
		                         do_part(draining, &draining->workers[rank], at)))
			break;
}

/* ---- all of them ---------------------------------------------------------------------- */

static size_t
most_slices(const struct draining *draining)
{
	size_t most = 1;

	for (size_t p = 0; p < draining->part_count; p++) {
		const struct part *part = &draining->parts[p];

		if (part->bucket->division->extents == NULL && part->to - part->from > most)
			most = part->to - part->from;
	}
	return most;
}

static gs_status
open_worker(const struct draining *draining, struct worker *worker)
{
	const struct gs_item_limits *limits = draining->drain->limits;
	const size_t slices = most_slices(draining) * sizeof *worker->slices;
	const size_t arrays = limits->items * GS_ITEM_PART_BYTES;
	const size_t load = draining->drain->loads ? limits->bytes : 0;

	TRY(gs_arena_open(&worker->arena, gs_arena_round(slices) + gs_arena_round(arrays) +
	                  gs_arena_round(load) + gs_arena_round(limits->bytes), false));
	worker->slices = gs_arena_take(&worker->arena, slices);
	worker->load = gs_arena_take(&worker->arena, load);
	worker->out = gs_arena_take(&worker->arena, limits->bytes);
	gs_item_part_init(&worker->part, draining->drain->shared->order,
	                  gs_arena_take(&worker->arena, arrays), limits->items);
	return GS_OK;
}

static gs_status
open_draining(struct draining *draining)
{
	const unsigned threads = draining->drain->options->threads;

	draining->part_count = make_parts(draining, NULL);
	draining->parts = malloc((draining->part_count + 1) * sizeof *draining->parts);
	draining->workers = calloc(threads, sizeof *draining->workers);
	if (draining->parts == NULL || draining->workers == NULL)
		return gs_fail(GS_EBUDGET, "out of memory");
	(void)make_parts(draining, draining->parts);
	for (unsigned t = 0; t < threads; t++)
		TRY(open_worker(draining, &draining->workers[t]));
	return GS_OK;
}

static void
close_draining(struct draining *draining)
{
	for (unsigned t = 0; draining->workers != NULL && t < draining->drain->options->threads; t++)
		gs_arena_close(&draining->workers[t].arena);
	free(draining->workers);
	free(draining->parts);
	free(draining->last);
}

/* As far as everything left: with a head or tail only the order is known. */
static gs_status
check_sums(const struct draining *draining)
{
	const struct gs_item_store_options *options = draining->drain->options;
	const uint64_t came = atomic_load(&draining->drain->shared->items);

	if (!options->verify || draining->sink == NULL)
		return GS_OK;
	if (draining->falls)
		return gs_fail(GS_EDEVICE, "the result is wrong: it is not in order");
	if (options->head || options->tail)
		return GS_OK;
	if (draining->number != came)
		return gs_fail(GS_EDEVICE, "the result is wrong: %llu items were read, %llu are sorted",
		               (unsigned long long)came, (unsigned long long)draining->number);
	return draining->sum == draining->drain->sum_in ? GS_OK
	       : gs_fail(GS_EDEVICE, "the result is wrong: an item has changed");
}

static gs_status
run(struct draining *draining)
{
	gs_status status;

	pthread_mutex_init(&draining->lock, NULL);
	pthread_cond_init(&draining->turned, NULL);
	status = open_draining(draining);
	if (status == GS_OK && draining->left > 0) {
		gs_first_error_open(&draining->error);
		gs_team_run(draining->drain->options->threads, drain_parts, draining);
		status = gs_first_error_close(&draining->error);
	}
	if (status == GS_OK)
		status = check_sums(draining);
	close_draining(draining);
	pthread_cond_destroy(&draining->turned);
	pthread_mutex_destroy(&draining->lock);
	return status;
}

gs_status
gs_item_drain_count(const struct gs_item_drain *drain, uint64_t *count)
{
	struct draining draining = { .drain = drain, .left = 1, .to = UINT64_MAX };

	*count = atomic_load(&drain->shared->items);
	if (!drain->options->groups)
		return GS_OK;
	TRY(run(&draining));
	*count = draining.counted;
	return GS_OK;
}

gs_status
gs_item_drain_run(const struct gs_item_drain *drain, const struct gs_item_sink *sink)
{
	const struct gs_item_store_options *options = drain->options;
	struct draining draining = {
		.drain = drain, .sink = sink, .to = UINT64_MAX, .left = UINT64_MAX,
	};
	uint64_t all;

	if (options->head)
		draining.to = draining.left = options->count;
	if (options->tail) {
		TRY(gs_item_drain_count(drain, &all));
		draining.skip = draining.from = all > options->count ? all - options->count : 0;
		draining.left = all - draining.skip;
		draining.to = all;
	}
	return run(&draining);
}
