// SPDX-License-Identifier: BSD-2-Clause
/*
 * item_store.c - every item of a sort, in memory or in temporary files
 *
 * In:   pieces of items, from many threads.
 * Out:  buckets in order (item_buckets.h), which item_drain.c sorts and hands to the sink.
 *
 * set_sizes() divides the memory: for reading, for sorting, and all the rest for items.  Unless
 * the caller has a sample, the first items are kept as they come, and divided when there are enough of
 * them to choose bounds.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/round.h"
#include "sort/items/part.h"
#include "stages/division.h"
#include "stages/item_buckets.h"
#include "stages/item_drain.h"
#include "stages/item_store.h"

#define KIB	((size_t)1 << 10)
#define MIB	((size_t)1 << 20)

/*
 * A piece is read, divided and copied while it is in the second-level cache; a slice of it should
 * have some KiB.  A part is sorted in a cache: 10^7 records to /dev/null, user seconds, two cores of
 * an EPYC 9005, least of 5: bins of 2 MiB 0.28 s (16 bytes) and 0.40 s (100 bytes), 1 MiB 0.27 and
 * 0.40, 0.8 MiB 0.25 and 0.44.
 */
#define MOST_PIECE_BYTES	(1 * MIB)
#define LEAST_PIECE_BYTES	(32 * KIB)
#define GOOD_BIN_BYTES		(1 * MIB)
#define MOST_PART_BYTES		(16 * MIB)
#define MOST_FILE_PART_BYTES	(64 * MIB)

/* The first items, of which bounds are chosen. */
#define MOST_SAMPLE_BYTES	(16 * MIB)

/* Input of unknown size is planned as if it had this. */
#define UNKNOWN_BYTES		(1024 * MIB)

/* Of the memory, for lists of extents.  Not tuned. */
enum { EXTENTS_SHARE = 3 };

/* The length of an item that has none: short lines; and one of which memory has few. */
enum { SHORT_ITEM = 16, LARGE_ITEM = 128 << 10 };

struct gs_item_store {
	struct gs_item_store_options options;
	struct gs_monitor        *monitor;
	struct gs_division_shared shared;
	struct gs_arena           arena;	/* the memory of SHARED */
	struct gs_division       *first;	/* the one that is being filled */
	struct gs_item_buckets    buckets;
	struct gs_item_limits     limits, file_limits;	/* of a part, in memory and in files */
	size_t                    fixed_bytes, data_bytes, sample_bytes;
	size_t                    largest;	/* bytes of an item that is larger than a piece */
	bool                      has_bounds, flushed;
	struct gs_item_digest     digest;	/* of what was drained, for VERIFY */
};

/* ---- sizes ---------------------------------------------------------------------- */

/* A part is in memory as it leaves, and so is the part before; in files, as it was read, too.  The largest
 * item can be so, too, in a part of its own, and once more to be compared with the part before. */
static void
set_limits(struct gs_item_store *store)
{
	const unsigned threads = store->options.threads;
	const size_t fixed = store->options.order->item_bytes, item = fixed > 0 ? fixed : SHORT_ITEM;
	const uint64_t arrays = GS_ITEM_PART_BYTES * 16 / item;	/* bytes of them for 16 of items */
	uint64_t memory = store->options.memory_bytes, part, file_part;

	part = memory / 8 / threads * 16 / (32 + arrays);
	memory -= gs_least(memory, 3 * (uint64_t)store->largest);
	file_part = memory / threads * 16 / (48 + arrays) / 5 * 4;
	part = gs_within(store->shared.piece_bytes + item, part, MOST_PART_BYTES);
	file_part = gs_within(part, file_part, MOST_FILE_PART_BYTES);
	store->limits = (struct gs_item_limits){
		.bytes = part,
		.items = part / item + 1,
		.bin_bytes = gs_within(1, part / 3, GOOD_BIN_BYTES),
	};
	store->file_limits = (struct gs_item_limits){
		.bytes = file_part,
		.items = file_part / item + 1,
		.bin_bytes = file_part / 3 + 1,
		.extents = store->options.memory_bytes / EXTENTS_SHARE /
		           (sizeof(struct gs_item_extent) * 3 / 2) + 1,	/* lists double */
	};
	store->limits.memory_bytes = store->file_limits.memory_bytes =
		store->data_bytes - gs_least(store->data_bytes / 2, 2 * (uint64_t)store->largest);
}

static void
set_sizes(struct gs_item_store *store)
{
	const struct gs_item_store_options *options = &store->options;
	const size_t fixed = options->order->item_bytes, item = fixed > 0 ? fixed : SHORT_ITEM;
	const uint64_t memory = options->memory_bytes;
	struct gs_division_shared *shared = &store->shared;
	size_t piece, sorting, least_data;

	piece = (size_t)gs_within(LEAST_PIECE_BYTES, memory / options->threads / 32, MOST_PIECE_BYTES);
	piece = piece < item ? item : piece - piece % item;
	shared->piece_bytes = piece;
	shared->found_room = fixed > 0 ? piece / fixed : piece;
	shared->lengths_room = fixed > 0 ? 0 : piece / SHORT_ITEM;
	set_limits(store);
	sorting = options->threads * (2 * store->limits.bytes +
	                              store->limits.items * GS_ITEM_PART_BYTES);
	store->fixed_bytes = options->threads * (piece + shared->found_room * sizeof(uint16_t) +
	                                         shared->lengths_room * sizeof(uint32_t) +
	                                         (shared->head > 0 ? piece : 0));
	store->data_bytes = memory - gs_least(memory, sorting + store->fixed_bytes);
	/* Readers need room for two pieces each, and tables. */
	least_data = 2 * options->threads * piece + piece;
	if (piece < LARGE_ITEM)
		least_data = 8 * options->threads * piece;
	if (store->data_bytes < least_data)
		store->data_bytes = least_data;
	set_limits(store);
	store->sample_bytes = (size_t)gs_within(options->threads * piece, store->data_bytes / 8,
	                                     MOST_SAMPLE_BYTES);
}

/* Addresses of the first division: no more than the input can need. */
static size_t
first_bytes(const struct gs_item_store *store)
{
	const uint64_t input = store->options.input_bytes;
	const size_t tables = GS_ITEM_BINS_MOST * 4 + 256, piece = store->shared.piece_bytes;
	const uint64_t threads = store->options.threads;
	uint64_t bytes = store->data_bytes;

	if (input < UINT64_MAX / 4 && !store->options.guessed)
		bytes = gs_least(bytes, input + (input / piece + 2 * threads + 64) * 2 * tables +
		                        (2 * threads + 4) * piece);
	return (size_t)bytes;
}

/* The bytes that will come, as far as is known. */
static uint64_t
expected_bytes(const struct gs_item_store *store)
{
	const uint64_t input = store->options.input_bytes;

	return input < UINT64_MAX ? input : UNKNOWN_BYTES;
}

static const struct gs_item_limits *
limits_of(const struct gs_item_store *store)
{
	const bool files = store->flushed || expected_bytes(store) > store->data_bytes;

	return files ? &store->file_limits : &store->limits;
}

/* ---- opening ---------------------------------------------------------------------- */

static gs_status
open_store(struct gs_item_store *store)
{
	struct gs_division_shared *shared = &store->shared;
	const unsigned threads = store->options.threads;
	const size_t found = shared->found_room * sizeof(uint16_t);
	const size_t lengths = shared->lengths_room * sizeof(uint32_t);
	char *memory, *more;

	TRY(gs_arena_open(&store->arena, 4 * gs_arena_round(1) +
	                  (shared->head > 0 ? 2 : 1) * gs_arena_round(threads * shared->piece_bytes) +
	                  gs_arena_round(threads * found) + gs_arena_round(threads * lengths) +
	                  gs_arena_round(threads * sizeof *shared->dividers), false));
	shared->buffers = gs_arena_take(&store->arena, threads * shared->piece_bytes);
	if (shared->head > 0)
		shared->kept = gs_arena_take(&store->arena, threads * shared->piece_bytes);
	memory = gs_arena_take(&store->arena, threads * found);
	more = gs_arena_take(&store->arena, threads * lengths);
	shared->dividers = gs_arena_take(&store->arena, threads * sizeof *shared->dividers);
	for (unsigned t = 0; t < threads; t++)
		shared->dividers[t] = (struct gs_item_divider){
			.found = (uint16_t *)(memory + t * found), .lengths = shared->lengths_room,
			.bytes = lengths > 0 ? (uint32_t *)(void *)(more + t * lengths) : NULL,
		};
	TRY(gs_division_open(&store->first, shared, first_bytes(store)));
	gs_item_bins_one(store->first->bins, 0);
	store->buckets.divisions = store->first;
	return GS_OK;
}

gs_status
gs_item_store_open(struct gs_item_store **opened, const struct gs_item_store_options *options,
                   struct gs_monitor *monitor)
{
	struct gs_item_store *store = calloc(1, sizeof *store);
	gs_status status;

	if (store == NULL)
		return gs_fail(GS_EBUDGET, "out of memory");
	store->options = *options;
	store->monitor = monitor;
	store->shared.order = options->order;
	store->shared.monitor = monitor;
	store->shared.threads = options->threads;
	store->shared.head = options->head && !options->groups ? options->count : 0;
	store->shared.temp_dirs = options->temp_dirs;
	store->shared.temp_dir_count = options->temp_dir_count;
	store->has_bounds = options->origins;
	set_sizes(store);
	status = open_store(store);
	if (status != GS_OK) {
		gs_item_store_close(store);
		store = NULL;
	}
	*opened = store;
	return status;
}

void
gs_item_store_close(struct gs_item_store *store)
{
	if (store == NULL)
		return;
	gs_item_buckets_close(&store->buckets);
	for (unsigned f = 0; f < store->shared.file_count; f++)
		gs_spill_file_close(&store->shared.files[f]);
	gs_arena_close(&store->arena);
	free(store->digest.first);
	free(store->digest.last);
	free(store);
}

/* ---- bounds -------------------------------------------------------------------------- */

static gs_status
show_sample(void *context, const char *items, size_t bytes)
{
	struct gs_item_store *store = context;
	const struct gs_item_slice slice = { items, bytes };

	assert(store->first->row_count == 0);
	store->has_bounds = true;
	return gs_item_buckets_choose(store->first, 0, &slice, bytes > 0,
	                              gs_item_buckets_wanted(expected_bytes(store), 0,
	                                                     limits_of(store)));
}

/* Choose bounds from the items so far, of BYTES that will come; divide those that came. */
static gs_status
choose_bounds(struct gs_item_store *store, uint64_t bytes)
{
	struct gs_division *old = store->first, *division;
	struct gs_item_slice *slices;
	gs_status status;

	store->has_bounds = true;
	slices = malloc((old->row_count + 1) * sizeof *slices);
	if (slices == NULL)
		return gs_fail(GS_EBUDGET, "out of memory");
	if (gs_division_open(&division, &store->shared, first_bytes(store)) != GS_OK) {
		free(slices);
		return GS_EBUDGET;
	}
	division->next = store->buckets.divisions;
	store->buckets.divisions = division;
	status = gs_item_buckets_choose(division, 0, slices,
	                                gs_division_slices(old, 0, 0, old->row_count, slices),
	                                gs_item_buckets_wanted(bytes, 0, limits_of(store)));
	free(slices);
	TRY(status);
	store->first = division;
	TRY(gs_item_buckets_move(old, 0, division));
	division->limit_bytes = old->limit_bytes;
	return GS_OK;
}

/* ---- filling --------------------------------------------------------------------------- */

/* Write all items to disk. */
static gs_status
flush(struct gs_item_store *store)
{
	if (!store->has_bounds)
		TRY(choose_bounds(store, expected_bytes(store)));
	if (store->options.origins)
		TRY(gs_division_order(store->first));
	if (store->first->row_count > 0)
		TRY(gs_division_flush(store->first));
	store->flushed = true;
	return GS_OK;
}

static gs_status
fail_large(size_t bytes, unsigned share, uint64_t beside)
{
	return gs_fail(GS_EBUDGET, "a line or record has %zu bytes or more: that needs "
	               "'--buffer-size=%zuM' (-S) at least", bytes,
	               share * ((bytes >> 20) + 1) + (size_t)gs_within(16, (beside >> 20) + 1, SIZE_MAX));
}

gs_status
gs_item_fail_large(size_t bytes, unsigned share)
{
	return fail_large(bytes, share, 0);
}

/* An item can be in memory three times, and some memory is for other things. */
static gs_status
too_large(const struct gs_item_store *store, size_t bytes)
{
	return fail_large(bytes, 5, store->options.beside_bytes);
}

static gs_status
lend(void *context, size_t bytes)
{
	struct gs_item_store *store = context;
	struct gs_division *first = store->first;
	const size_t most = store->data_bytes - (size_t)gs_least(store->data_bytes, bytes);

	if (bytes > store->data_bytes / 3 * 2)
		return too_large(store, bytes);
	first->limit_bytes = (size_t)gs_least(first->memory_bytes, most);
	return atomic_load(&first->used) > most ? flush(store) : GS_OK;
}

static gs_status
reserve(void *context, size_t wanted, size_t small, size_t *room)
{
	struct gs_item_store *store = context;

	if (wanted > store->shared.piece_bytes && small == 1 && wanted > store->largest)
		store->largest = wanted;
	if (store->largest > store->data_bytes / 3)
		return too_large(store, store->largest);
	if (!store->has_bounds && gs_division_bytes(store->first, 0) >= store->sample_bytes)
		TRY(choose_bounds(store, expected_bytes(store)));
	*room = gs_division_room(store->first, small);
	if (*room < wanted) {
		TRY(flush(store));
		*room = gs_division_room(store->first, small);
	}
	if (*room < wanted)
		return too_large(store, wanted);
	if (!store->has_bounds && *room > store->sample_bytes && wanted <= store->sample_bytes)
		*room = store->sample_bytes;
	return GS_OK;
}

static uint64_t
next_sequence(void *context, unsigned key_class, size_t count)
{
	struct gs_item_store *store = context;

	(void)key_class;
	store->first->row_count += count;
	return store->first->row_count - count;
}

static void
add(void *context, unsigned worker, uint64_t sequence, const struct gs_piece *piece)
{
	struct gs_item_store *store = context;

	gs_division_add(store->first, worker, sequence, piece->slices, piece->count);
	if (store->options.origins)
		gs_division_set_origin(store->first, sequence, piece->origin);
}

static void
end_round(void *context)
{
	struct gs_item_store *store = context;

	atomic_store(&store->monitor->counters.keys_in, atomic_load(&store->shared.items));
}

static gs_status
finish(void *context)
{
	struct gs_item_store *store = context;
	const struct gs_item_limits *limits;

	if (!store->has_bounds && store->first->row_count > 0) {
		const uint64_t bytes = gs_division_bytes(store->first, 0);

		if (bytes > store->limits.bytes ||
		    atomic_load(&store->shared.items) > store->limits.items ||
		    bytes > 2 * store->limits.bin_bytes)
			TRY(choose_bounds(store, bytes));
	}
	set_limits(store);	/* the largest item is known */
	if (store->flushed) {
		TRY(flush(store));
		TRY(gs_division_store(store->first));
	}
	if (store->options.origins)
		TRY(gs_division_order(store->first));
	limits = store->flushed ? &store->file_limits : &store->limits;
	return gs_item_buckets_add(&store->buckets, store->first, limits);
}

static uint64_t
count(const void *context, unsigned key_class)
{
	const struct gs_item_store *store = context;

	return key_class > 0 ? 0 : atomic_load(&store->shared.items);
}

static const struct gs_item_digest *
digest(const void *context)
{
	const struct gs_item_store *store = context;

	return &store->digest;
}

static void
report(const void *context, struct gsort_stats *stats)
{
	const struct gs_item_store *store = context;

	stats->runs = store->flushed ? (unsigned)store->buckets.count : 0;	/* buckets on disk */
	stats->spilled_bytes = store->shared.spilled_bytes;
}

/* ---- draining -------------------------------------------------------------------------- */

static struct gs_item_drain
drain_of(struct gs_item_store *store)
{
	return (struct gs_item_drain){
		.options = &store->options,
		.shared = &store->shared,
		.buckets = &store->buckets,
		.limits = store->flushed ? &store->file_limits : &store->limits,
		.loads = store->flushed,
		.digest = &store->digest,
	};
}

static gs_status
count_out(void *context, uint64_t *count)
{
	struct gs_item_store *store = context;
	const struct gs_item_store_options *options = &store->options;
	const struct gs_item_drain drain = drain_of(store);

	TRY(gs_item_drain_count(&drain, count));
	if ((options->head || options->tail) && *count > options->count)
		*count = options->count;
	return GS_OK;
}

static void
limit(void *context, uint64_t count)
{
	struct gs_item_store *store = context;

	assert(count <= store->options.count);
	store->options.count = count;
}

static gs_status
drain(void *context, unsigned key_class, const struct gs_span_sink *sink)
{
	struct gs_item_store *store = context;
	const struct gs_item_drain draining = drain_of(store);

	return key_class > 0 ? GS_OK : gs_item_drain_run(&draining, sink);
}

struct gs_engine
gs_item_store_engine(struct gs_item_store *store)
{
	return (struct gs_engine){
		.taker = {
			.piece_bytes = store->shared.piece_bytes, .sample = show_sample, .lend = lend,
			.reserve = reserve, .next_sequence = next_sequence, .add = add,
			.end_round = end_round, .context = store,
		},
		.finish = finish, .count = count, .count_out = count_out, .limit = limit, .drain = drain,
		.digest = digest, .stats = report, .context = store,
	};
}
