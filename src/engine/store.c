// SPDX-License-Identifier: BSD-2-Clause
/*
 * store.c - every key of a sort, wherever it is
 *
 * In:   keys of each class, in any order.
 * Out:  the keys of each class, sorted, to a sink.
 *
 * When the CPU's batch is full, it is sorted and written to disk.  When a GPU and the host memory lent to
 * it are full, all their keys are sorted and written to disk.  If there are runs, the last batch becomes
 * runs as well, and all runs are merged.
 *
 * Invariant: every key that was added or committed is in the batch, the histogram, a staging
 * buffer, the GPU or a run.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/way.h"
#include "engine/store.h"
#include "text/text.h"

/* Blocks of the pool are spread over its huge pages: all if the input has so much, or those behind it. */
#define SPREAD_FROM_BYTES	((size_t)64 << 20)

/* ---- opening ----------------------------------------------------------------- */

/* Bins: one for each value of narrow binary keys, or for each small text integer. */
static size_t
bin_count(const struct gs_store *store)
{
	if (store->plan_input->type == GSORT_TEXT_FLOAT)
		return 0;
	if (store->plan_input->key_bits == 0)
		return GS_SMALL_COUNT;
	return gs_way("counting", store->plan->by_counting) ? (size_t)1 << store->plan_input->key_bits : 0;
}

void
gs_store_carve(struct gs_store *store, const struct gsort_options *options,
               const struct gs_plan_input *input, const struct gs_plan *plan,
               struct gs_arena *arena)
{
	store->options = options;
	store->plan_input = input;
	store->plan = plan;
	if (plan->batch_bytes > 0) {
		store->pool_memory = gs_arena_take(arena, plan->batch_bytes);
		store->block_table = gs_arena_take(arena, gs_pool_bytes(plan->batch_bytes,
		                                                         plan->buckets.block_bytes));
		store->batch.slots = gs_arena_take_sparse(arena,
			(gs_batch_slots(plan->threads) + plan->threads) * plan->buckets.part_bytes);
		for (unsigned c = 0; c < GS_CLASSES; c++) {
			if (plan->class_bits[c] == 0)
				continue;
			store->bucket_memory[c] = gs_arena_take_sparse(arena,
				gs_buckets_bytes(&plan->buckets, plan->batch_bytes));
			if (plan->head_keys > 0)
				store->head.first[c] = gs_arena_take(arena, options->head_count *
				                                            (plan->class_bits[c] / 8));
		}
	}
	gs_runs_carve(&store->runs, plan, arena);
	store->gpu.resident = gs_arena_take(arena, plan->resident_bytes);
	/* threads count into tables of their own; text is counted by its decoder */
	store->histogram.bins = gs_arena_take(arena, gs_count_bytes(bin_count(store), input->key_bits == 0
	                                                            ? 0 : plan->threads));
	store->count_memory = gs_arena_take(arena, plan->count_bytes);
	store->count_times = gs_arena_take(arena, bin_count(store) == 0 ? 0 :
	                                          GS_COUNT_PAIRS * sizeof *store->count_times);
}

void
gs_store_open(struct gs_store *store, struct gs_monitor *monitor)
{
	const struct gs_plan *plan = store->plan;
	const bool text = store->plan_input->key_bits == 0;
	const uint64_t bytes = store->plan_input->input_bytes;
	const bool fills = bytes < UINT64_MAX && bytes >= SPREAD_FROM_BYTES && plan->head_keys == 0;
	struct gs_batch *batch = &store->batch;

	store->monitor = monitor;
	snprintf(store->device_name, sizeof store->device_name, "cpu, %s, %u thread%s",
	         gs_simd_name(gs_simd_best()), plan->threads, plan->threads == 1 ? "" : "s");
	gs_runs_open(&store->runs, store->options, store->plan_input, monitor);
	if (plan->batch_bytes > 0) {
		batch->pool = gs_pool_init(store->block_table, store->pool_memory, plan->batch_bytes,
		                           plan->buckets.block_bytes);
		gs_pool_spread(batch->pool, plan->threads, fills ? 0 : SPREAD_FROM_BYTES);
		batch->threads = plan->threads;
		batch->part_bytes = plan->buckets.part_bytes;
		batch->clock = &monitor->clock;
		batch->scratch = batch->slots + gs_batch_slots(plan->threads) * plan->buckets.part_bytes;
		for (unsigned c = 0; c < GS_CLASSES; c++)
			if ((batch->bits[c] = plan->class_bits[c]) > 0)
				batch->buckets[c] = gs_buckets_init(store->bucket_memory[c], batch->pool,
				                                    batch->bits[c], &plan->buckets);
	}
	if (bin_count(store) > 0)
		gs_count_open(&store->histogram, store->histogram.bins, bin_count(store),
		              text ? 32 : store->plan_input->key_bits, text ? GS_SMALL : 0,
		              text ? 0 : plan->threads);
	gs_extremes_open(&store->extremes, store->options);
	gs_head_open(&store->head, store->options, plan, batch);
}

static bool
is_on_gpu(const struct gs_store *store)
{
	return store->plan->device == GSORT_DEVICE_GPU;
}

/* ---- a batch, of the CPU or of a GPU ----------------------------------------------- */

static uint64_t
count(const void *context, unsigned key_class)
{
	const struct gs_store *store = context;

	return gs_batch_count(&store->batch, key_class) + store->gpu.keys[key_class];
}

/* Nothing is added to the batch, or to the GPU's, until it has been drained. */
static gs_status
seal(struct gs_store *store)
{
	if (!is_on_gpu(store)) {
		gs_batch_seal(&store->batch);
		return GS_OK;
	}
	for (unsigned c = 0; c < GS_CLASSES; c++) {	/* commit all staging buffers, full or not */
		const struct gs_staging staging = store->gpu.staging[c];

		store->gpu.staging[c] = (struct gs_staging){ .keys = NULL };
		store->gpu.keys[c] += staging.count;
		if (staging.keys != NULL)
			TRY(gs_guard_call(&store->gpu.guard, commit, &staging));
	}
	return gs_guard_checked(&store->gpu.guard, store->gpu.guard.module->finish(store->gpu.guard.gpu));
}

/* Hand on the keys of a class in the batch, or in the GPU's. */
static gs_status
drain_batch(struct gs_store *store, unsigned key_class, const struct gs_span_sink *sink)
{
	if (is_on_gpu(store))
		return gs_gpu_drain(&store->gpu.guard, &store->gpu.pending, key_class, store->plan->threads,
		                    sink);
	return sink->strand_count > 0 ? gs_batch_drain_strands(&store->batch, key_class, sink)
	                              : gs_batch_drain(&store->batch, key_class, sink);
}

/* Make runs on disk of it, one for each class; parts of the CPU's are sorted while those before them are
 * written. */
static gs_status
spill(struct gs_store *store)
{
	for (unsigned place = 0; place < GS_CLASSES; place++) {
		const unsigned c = gs_class_place(place, store->options->reverse);
		const uint64_t keys = count(store, c);
		struct gs_span_sink sink;

		if (keys == 0)
			continue;
		TRY(gs_runs_begin(&store->runs, c, is_on_gpu(store) ? 0 : keys, &sink));
		TRY(drain_batch(store, c, &sink));
		TRY(gs_runs_end(&store->runs));
		store->gpu.keys[c] = 0;
	}
	gs_batch_reset(&store->batch);
	store->batches++;
	if (!gs_runs_are_crowded(&store->runs))
		return GS_OK;
	if (store->pool_memory != NULL)		/* a merge needs its memory */
		gs_arena_forget(store->pool_memory, store->plan->batch_bytes);
	return gs_runs_make_room(&store->runs);
}

/* Memory is full. */
static gs_status
make_runs(struct gs_store *store)
{
	atomic_store(&store->monitor->counters.phase, GSORT_SORTING);
	TRY(seal(store));
	TRY(spill(store));
	atomic_store(&store->monitor->counters.phase, GSORT_READING);
	return GS_OK;
}

/* ---- the CPU ---------------------------------------------------------------------- */

static gs_status
reserve(void *context, size_t least, size_t small, size_t *room)
{
	struct gs_store *store = context;

	(void)small;
	*room = SIZE_MAX;
	if (store->plan->by_counting)
		return GS_OK;
	if (is_on_gpu(store))
		return gs_first_error_now(&store->gpu.buffers.error);
	TRY(gs_head_trim(&store->head));
	*room = gs_batch_room(&store->batch);
	if (*room < least) {
		TRY(make_runs(store));
		*room = gs_batch_room(&store->batch);
		assert(*room >= least);
	}
	return GS_OK;
}

static uint64_t
next_sequence(void *context, unsigned key_class, size_t count)
{
	struct gs_store *store = context;
	const uint64_t next = store->batch.sequences[key_class];

	store->batch.sequences[key_class] += count;
	return next;
}

static void
add(void *context, unsigned worker, uint64_t sequence, const struct gs_piece *piece)
{
	struct gs_store *store = context;
	size_t count = piece->count;

	if (store->plan->by_counting) {
		gs_count_add(&store->histogram, worker, piece->keys, count);
	} else if (is_on_gpu(store)) {
		gs_staging_buffers_add(&store->gpu.buffers, piece);
	} else {
		if (store->plan->head_keys > 0) {
			count = gs_head_filter(&store->head, piece->key_class, piece->keys, count);
			atomic_fetch_add(&store->head.stored, count);
		}
		gs_batch_add(&store->batch, worker, piece->key_class, sequence, piece->keys, count);
	}
}

/* ---- a GPU ------------------------------------------------------------------------- */

static gs_status
stage(void *context, unsigned key_class, bool not_alone, struct gs_staging *staging)
{
	struct gs_store *store = context;
	struct gs_staging *mine = &store->gpu.staging[key_class];

	if (mine->keys == NULL)
		TRY(gs_guard_call(&store->gpu.guard, lend, key_class, mine));
	if (mine->room == 0 && !not_alone) {
		*mine = (struct gs_staging){ .keys = NULL };
		TRY(make_runs(store));
		TRY(gs_guard_call(&store->gpu.guard, lend, key_class, mine));
	}
	*staging = *mine;
	*mine = (struct gs_staging){ .keys = NULL };
	return GS_OK;
}

static gs_status
give(void *context, const struct gs_staging *staging)
{
	struct gs_store *store = context;
	const unsigned c = staging->key_class;

	assert(staging->count <= staging->room);
	if (staging->count > 0 && staging->count < staging->room &&
	    store->gpu.staging[c].keys == NULL) {
		store->gpu.staging[c] = *staging;
		return GS_OK;
	}
	store->gpu.keys[c] += staging->count;
	return gs_guard_call(&store->gpu.guard, commit, staging);
}

gs_status
gs_store_open_gpu(struct gs_store *store)
{
	const struct gs_plan *plan = store->plan;
	const uint64_t bytes = store->plan_input->input_bytes;
	struct gs_gpu_options options = {
		.descending_classes = store->options->reverse,
		.staging_bytes = plan->staging_bytes,
		.ring_buffers = plan->ring_buffers,
		/* A line of text is at least 6 bytes for 4 of key, or 7 for 8. */
		.hint_bytes = store->plan_input->key_bits > 0 || bytes == UINT64_MAX ? bytes
		                                                                     : bytes / 7 * 8,
		.gpu = store->plan_input->gpu,
		.resident = store->gpu.resident,
		.resident_bytes = plan->resident_bytes,
		.gpu_memory_bytes = store->options->gpu_memory_bytes,
		.gpu_memory_percent = store->options->gpu_memory_percent,
	};

	for (unsigned c = 0; c < GS_CLASSES; c++)
		options.class_bits[c] = plan->class_bits[c];
	TRY(gs_guard_open(&store->gpu.guard, &options));
	store->gpu.buffers = (struct gs_staging_buffers){ .stage = stage, .give = give, .context = store };
	gs_staging_buffers_open(&store->gpu.buffers, plan->ring_buffers, gs_class_count(plan->class_bits));
	snprintf(store->device_name, sizeof store->device_name, "%s",
	         store->gpu.guard.module->describe(store->gpu.guard.gpu));
	gs_note(store->monitor, "%s: a batch holds %.1f MiB", store->device_name,
	        (double)store->gpu.guard.module->batch_bytes(store->gpu.guard.gpu) / (1 << 20));
	return GS_OK;
}

/* ---- the histogram -------------------------------------------------------------------- */

static bool
counts(const struct gs_store *store, unsigned key_class)
{
	return store->histogram.bin_count > 0 && store->histogram.key_class == key_class;
}

static void
end_counted_round(void *context)
{
	struct gs_store *store = context;

	gs_count_sum(&store->histogram);
}

/* ---- either ----------------------------------------------------------------------------- */

static gs_status
finish(void *context)
{
	struct gs_store *store = context;

	if (store->plan->by_counting)
		return GS_OK;
	if (is_on_gpu(store))
		TRY(gs_staging_buffers_rest(&store->gpu.buffers));
	TRY(seal(store));
	if (store->batches == 0)
		return GS_OK;
	TRY(spill(store));
	if (store->pool_memory != NULL)
		gs_arena_forget(store->pool_memory, store->plan->batch_bytes);
	return GS_OK;
}

struct gs_extreme
gs_store_extreme(struct gs_store *store, unsigned key_class)
{
	return gs_extremes_of(&store->extremes, key_class,
	                      counts(store, key_class) ? &store->histogram : NULL);
}

static gs_status
drain(void *context, unsigned key_class, const struct gs_span_sink *sink)
{
	struct gs_store *store = context;

	/* Binary keys are complemented when they are counted, small text integers are not. */
	if (counts(store, key_class))
		return gs_count_drain(&store->histogram,
		                      store->options->reverse && store->plan_input->key_bits == 0,
		                      store->count_memory, store->plan->count_bytes, store->count_times,
		                      &store->monitor->clock, sink);
	if (store->runs.lists[key_class].count > 0)
		return gs_runs_drain(&store->runs, key_class, sink);
	if (store->plan->class_bits[key_class] == 0 ||
	    (is_on_gpu(store) ? store->batches > 0 : count(store, key_class) == 0))
		return GS_OK;
	return drain_batch(store, key_class, sink);
}

static void
report(const void *context, struct gsort_stats *stats)
{
	const struct gs_store *store = context;
	struct gs_gpu_work work;

	if (store->plan == NULL)	/* closed, and there was no memory for another plan */
		return;
	stats->device = store->plan->by_counting ? "cpu (histogram)" : store->device_name;
	stats->batches = store->batches > 0 ? store->batches : 1;
	stats->runs = store->runs.spilled;
	stats->merge_passes = store->runs.passes;
	stats->spilled_bytes = store->runs.spill != NULL ? gs_spill_bytes(store->runs.spill) : 0;
	if (store->gpu.guard.gpu == NULL)
		return;
	store->gpu.guard.module->work(store->gpu.guard.gpu, &work);
	if (work.batches > stats->batches)
		stats->batches = work.batches;
	stats->h2d_seconds = work.h2d_seconds;
	stats->gpu_sort_seconds = work.sort_seconds;
	stats->d2h_seconds = work.d2h_seconds;
	stats->gpu_bytes = work.memory_bytes;
}

struct gs_engine
gs_store_engine(struct gs_store *store)
{
	const bool counted = store->plan->by_counting;

	return (struct gs_engine){
		.taker = {
			.reserve = reserve, .next_sequence = next_sequence, .add = add, .context = store,
			.end_round = counted ? end_counted_round : NULL,
			.look = store->extremes.on && !counted ? gs_extremes_note : NULL,
			.look_context = &store->extremes,
		},
		.finish = finish, .count = count, .drain = drain, .stats = report, .context = store,
	};
}

void
gs_store_close(struct gs_store *store)
{
	gs_guard_close(&store->gpu.guard);
	if (store->gpu.buffers.most > 0) {
		pthread_mutex_destroy(&store->gpu.buffers.lock);
		pthread_cond_destroy(&store->gpu.buffers.changed);
	}
	gs_runs_close(&store->runs);
	*store = (struct gs_store){ .plan = NULL };
}
