// SPDX-License-Identifier: BSD-2-Clause
/*
 * item_store.c - every item of a sort, in memory or in temporary files
 *
 * In:   pieces of items, from many threads.
 * Out:  buckets in order (item_buckets.c), which item_drain.c sorts and hands to the sink.
 *
 * Unless the caller has a sample, the first items are kept as they arrive, and divided when there are
 * enough to choose bounds.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/round.h"
#include "engine/item_store.h"
#include "plan/items.h"

static_assert(sizeof(struct gs_item_extent) <= GS_ITEM_EXTENT_BYTES, "as planned");

static const struct gs_item_limits *
limits_of(const struct gs_item_store *store)
{
	const bool files = store->flushed || store->sizes.expected_bytes > store->sizes.data_bytes;

	return files ? &store->sizes.file_limits : &store->sizes.limits;
}

/* ---- opening ---------------------------------------------------------------------- */

static gs_status
open_store(struct gs_item_store *store)
{
	struct gs_division_shared *shared = &store->shared;
	const unsigned threads = store->options.facts.threads;
	const struct gs_item_tables *tables = &store->sizes.tables;
	const size_t found = tables->found_room * sizeof(uint16_t);
	const size_t lengths = tables->lengths_room * sizeof(uint32_t);
	const unsigned packers = store->sizes.packers;
	const size_t packed = gs_item_packers_bytes(packers, shared->piece_bytes);
	char *memory, *more;

	TRY(gs_arena_open(&store->arena, 4 * gs_arena_round(1) +
	                  gs_arena_round(packed) +
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
			.found = (uint16_t *)(memory + t * found), .lengths = tables->lengths_room,
			.bytes = lengths > 0 ? (uint32_t *)(void *)(more + t * lengths) : NULL,
		};
	if (packers > 0) {
		shared->packers = &store->packers;
		gs_item_packers_open(shared->packers, store->options.compress_program, packers,
		                     shared->piece_bytes, gs_arena_take(&store->arena, packed));
	}
	TRY(gs_division_open(&store->first, shared, store->sizes.first_bytes));
	gs_item_bins_one(store->first->bins, 0);
	store->buckets.divisions = store->first;
	return GS_OK;
}

gs_status
gs_item_store_open(struct gs_item_store **opened, const struct gs_item_store_options *options,
                   struct gs_monitor *monitor)
{
	const unsigned threads = options->facts.threads;
	struct gs_item_store *store;
	gs_status status;

	TRY(GS_NEW(store, 1, "store of items"));
	store->options = *options;
	store->shared.order = options->order;
	store->shared.monitor = monitor;
	store->shared.threads = threads;
	store->shared.head = options->head && !gs_item_selects(options) ? options->count : 0;
	store->shared.operands = options->set.operands;
	store->shared.temp_dirs = options->temp_dirs;
	store->shared.temp_dir_count = options->temp_dir_count;
	store->has_bounds = options->origins;
	store->options.facts.keeps = store->shared.head > 0;
	store->options.facts.packs = options->compress_program != NULL;
	gs_plan_item_store(&store->sizes, &store->options.facts);
	store->shared.piece_bytes = store->sizes.tables.piece_bytes;
	/* Is there memory for all items, and for pages of each thread that are not full, and are there
	 * addresses (ulimit -v) for others, too? */
	store->shared.striped = threads > 1 && store->shared.head == 0 &&
		store->sizes.data_bytes <= options->address_bytes / 4 / threads &&
		store->sizes.first_bytes < store->sizes.data_bytes &&
		store->sizes.data_bytes - store->sizes.first_bytes >= threads * gs_arena_round(1);
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
	gs_item_packers_close(&store->packers);
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
	                              gs_item_buckets_wanted(store->sizes.expected_bytes, 0,
	                                                     store->shared.operands, limits_of(store)));
}

/* Choose bounds from the items so far, of BYTES that will come; divide the items so far. */
static gs_status
choose_bounds(struct gs_item_store *store, uint64_t bytes)
{
	const unsigned wanted = gs_item_buckets_wanted(bytes, 0, store->shared.operands, limits_of(store));
	struct gs_division *old = store->first, *division;

	store->has_bounds = true;
	TRY(gs_division_open(&division, &store->shared, store->sizes.first_bytes));
	division->next = store->buckets.divisions;
	store->buckets.divisions = division;
	TRY(gs_item_buckets_choose_rows(division, 0, old, 0, wanted));
	store->first = division;
	TRY(gs_item_buckets_move(old, 0, division));
	store->flushed |= division->extents != NULL;
	division->limit_bytes = old->limit_bytes;
	return GS_OK;
}

/* ---- filling --------------------------------------------------------------------------- */

/* Write all items to disk. */
static gs_status
flush(struct gs_item_store *store)
{
	if (!store->has_bounds)
		TRY(choose_bounds(store, store->sizes.expected_bytes));
	if (store->options.origins)
		gs_division_order(store->first);
	if (store->first->row_count > 0)
		TRY(gs_division_flush(store->first));
	store->flushed = true;
	return GS_OK;
}

gs_status
gs_item_fail_large(size_t bytes, unsigned share, uint64_t beside, unsigned shares)
{
	const size_t other = (size_t)gs_within(16, (beside >> 20) + 1, SIZE_MAX);

	return gs_fail(GS_EBUDGET, "a line or record has %zu bytes or more: that needs "
	               "'--buffer-size=%zuM' (-S) at least", bytes,
	               (shares > 0 ? shares : 1) * ((share * bytes >> 20) + 5 + other));
}

/* An item of BYTES needs more memory: it can be there three times.  What is there goes to disk first, as the
 * memory is mapped anew. */
static gs_status
grow(struct gs_item_store *store, size_t bytes)
{
	if (!store->options.grows)	/* some memory is for other things */
		return gs_item_fail_large(bytes, 5, store->options.overhead_bytes, store->options.shares);
	if (store->first->row_count > 0)
		TRY(flush(store));
	store->options.facts.memory_bytes += 3 * (uint64_t)bytes;
	store->sizes.data_bytes += 3 * bytes;
	store->sizes.first_bytes = store->sizes.data_bytes;
	return gs_division_map(store->first, store->sizes.data_bytes, 1);
}

static gs_status
lend(void *context, size_t bytes)
{
	struct gs_item_store *store = context;
	size_t most;

	if (bytes > store->sizes.data_bytes / 3 * 2)
		TRY(grow(store, bytes));
	most = store->sizes.data_bytes - bytes;
	store->first->limit_bytes = (size_t)gs_least(store->first->memory_bytes, most);
	return atomic_load(&store->first->used) > most ? flush(store) : GS_OK;
}

static gs_status
reserve(void *context, size_t wanted, size_t small, size_t *room)
{
	struct gs_item_store *store = context;

	if (wanted > store->shared.piece_bytes && small == 1 && wanted > store->largest)
		store->largest = wanted;
	if (store->largest > store->sizes.data_bytes / 3)
		TRY(grow(store, store->largest));
	if (!store->has_bounds &&
	    gs_division_sum(store->first, store->first->bytes, 0) >= store->sizes.sample_bytes)
		TRY(choose_bounds(store, store->sizes.expected_bytes));
	*room = gs_division_room(store->first, small);
	if (*room < wanted) {
		TRY(flush(store));
		*room = gs_division_room(store->first, small);
	}
	if (*room < wanted) {
		TRY(grow(store, wanted));
		*room = gs_division_room(store->first, small);
	}
	if (!store->has_bounds && *room > store->sizes.sample_bytes && wanted <= store->sizes.sample_bytes)
		*room = store->sizes.sample_bytes;
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
	if (store->options.origins || store->shared.operands > 0)
		store->first->rows[sequence]->origin = piece->origin;
}

static void
end_round(void *context)
{
	struct gs_item_store *store = context;

	atomic_store(&store->shared.monitor->counters.keys_in, atomic_load(&store->shared.items));
}

static gs_status
finish(void *context)
{
	struct gs_item_store *store = context;
	if (!store->has_bounds && store->first->row_count > 0) {
		const uint64_t bytes = gs_division_sum(store->first, store->first->bytes, 0);

		if (bytes > store->sizes.limits.bytes ||
		    atomic_load(&store->shared.items) > store->sizes.limits.items ||
		    bytes > 2 * store->sizes.limits.bin_bytes)
			TRY(choose_bounds(store, bytes));
	}
	gs_plan_item_limits(&store->sizes, &store->options.facts, store->largest);	/* it is known */
	if (store->flushed) {
		TRY(flush(store));
		TRY(gs_division_store(store->first));
	}
	if (store->options.origins)
		gs_division_order(store->first);
	store->limits = store->flushed ? &store->sizes.file_limits : &store->sizes.limits;
	TRY(gs_item_buckets_add(&store->buckets, store->first, store->limits));
	return store->shared.operands == 0 ? GS_OK : gs_item_buckets_combine(store);
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

static void
limit(void *context, uint64_t count)
{
	struct gs_item_store *store = context;

	assert(count <= store->options.count);
	store->options.count = count;
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
		.finish = finish, .count = count, .count_out = gs_item_store_count_out, .limit = limit,
		.drain = gs_item_store_drain, .digest = digest, .stats = report, .context = store,
	};
}
