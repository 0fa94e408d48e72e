// SPDX-License-Identifier: BSD-2-Clause
/*
 * runs.c - runs on disk, and runs merged
 *
 * In:   sorted batches (aside.c), sorted inputs (merge_inputs.c).
 * Out:  one order, in spans, to gs_emit_span().
 *
 * More runs than can be merged at once take several passes.  Merging takes the first
 * of a queue and appends to it, the smallest runs first, and so few of them at the
 * first time that every other merge, the last one above all, is as wide as it can be:
 * Knuth, TAOCP 3, section 5.4.9 (what is optimal for tapes that need not be rewound).
 *
 * Invariant: when a merge begins, kept batches and merge together fit the pool.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "job/job.h"

/* ---- a run ---------------------------------------------------------------- */

gs_status
gs_runs_open(struct gsort *job)
{
	const struct gsort_options *options = job->options;
	const struct gs_spill_options spill = {
		.dirs = options->temp_dirs,
		.dir_count = options->temp_dir_count,
		.compress_program = options->compress_program,
		.threads = job->plan.threads,
		.buffer = job->spill_memory,
		.buffer_bytes = job->plan.spill_bytes,
		.monitor = &job->monitor,
	};
	struct gs_estimate forecast;

	if (job->spill != NULL)
		return GS_OK;
	gs_plan_estimate(&job->plan, &job->facts, &forecast);
	TRY(gs_spill_open(&job->spill, &spill));
	gs_spill_expect(job->spill, forecast.disk_bytes);
	return GS_OK;
}

gs_status
gs_runs_begin(struct gsort *job, unsigned key_class)
{
	TRY(gs_runs_open(job));
	return gs_spill_begin(job->spill, job->plan.class_bits[key_class]);
}

gs_status
gs_runs_write(struct gsort *job, const struct gs_span *span)
{
	uint64_t since = gs_clock_now();

	TRY(gs_spill_write(job->spill, span->keys, span->count));
	gs_clock_lap(&job->monitor.clock, GS_STAGE_SPILL, &since);
	job->stats.spilled_bytes = gs_spill_bytes(job->spill);
	return GS_OK;
}

gs_status
gs_runs_end(struct gsort *job, struct gs_aside_list *list, unsigned depth)
{
	struct gs_aside *aside = &list->runs[list->count];
	uint64_t since = gs_clock_now();

	assert(list->count < job->plan.most_runs);
	*aside = (struct gs_aside){ .spill = job->spill, .clock = &job->monitor.clock, .depth = depth };
	TRY(gs_spill_end(job->spill, &aside->run));
	gs_clock_lap(&job->monitor.clock, GS_STAGE_SPILL, &since);
	list->count++;
	job->stats.spilled_bytes = gs_spill_bytes(job->spill);
	return GS_OK;
}

/* The gather's thread. */
static gs_status
read_run(void *context, void *into, size_t room, size_t *count)
{
	struct gs_aside *aside = context;
	uint64_t since = gs_clock_now();
	const gs_status status = gs_spill_read(aside->spill, &aside->run, into, room, count);

	gs_clock_lap(aside->clock, GS_STAGE_SPILL, &since);
	return status;
}

static struct gs_source
source_of(struct gs_aside *aside)
{
	if (aside->run.keys != NULL)
		return (struct gs_source){ .keys = aside->run.keys, .count = aside->run.count };
	return (struct gs_source){ .read = read_run, .context = aside };
}

/* ---- merging --------------------------------------------------------------- */

/* Memory that a merge may have beside what is kept. */
static size_t
merge_room(const struct gsort *job)
{
	const uint64_t held = job->keep.bytes;
	const uint64_t room = job->plan.pool_bytes > held ? job->plan.pool_bytes - held : 0;

	return room < job->plan.merge_bytes ? (size_t)room : job->plan.merge_bytes;
}

static size_t
fan_in(const struct gsort *job)
{
	const uint64_t sources_bytes = job->plan.fan_in * job->plan.source_bytes;
	const size_t fits = gs_plan_fan_in(&job->plan, &job->facts, merge_room(job) + sources_bytes);

	return fits < job->plan.fan_in ? fits : job->plan.fan_in;
}

/* Inputs keep a reader busy that also checks their order, so the team is one smaller. */
static unsigned
merge_threads(const struct gsort *job)
{
	const unsigned threads = job->plan.threads;

	return job->options->operation == GSORT_MERGE && threads > 1 ? threads - 1 : threads;
}

static gs_status
begin_merge(struct gsort *job, unsigned key_class, const struct gs_source *sources, size_t count,
            struct gs_external_merge **gather)
{
	const unsigned threads = merge_threads(job);
	const size_t useful = gs_external_merge_useful_bytes(count, threads);
	const size_t room = merge_room(job);

	return gs_external_merge_open(gather, job->merge_memory, room < useful ? room : useful,
	                      job->plan.class_bits[key_class], sources, count, threads);
}

static unsigned
depth_of(const struct gs_source *sources, size_t count)
{
	unsigned depth = 0;

	for (size_t i = 0; i < count; i++)
		if (sources[i].read == read_run) {
			const struct gs_aside *aside = sources[i].context;

			if (aside->depth >= depth)
				depth = aside->depth + 1;
		}
	return depth;
}

/* If the merge ends EARLY, nobody waits for more input. */
static void
close_merge(struct gsort *job, struct gs_external_merge *gather, bool early)
{
	if (early)
		gs_input_stop(job->input);
	gs_external_merge_close(gather);
}

static gs_status
next_merged(struct gsort *job, struct gs_external_merge *gather, struct gs_span *span)
{
	uint64_t since = gs_clock_now();
	const gs_status status = gs_external_merge_next(gather, span);

	gs_clock_lap(&job->monitor.clock, GS_STAGE_MERGE, &since);
	return status;
}

static gs_status
write_merged(struct gsort *job, struct gs_external_merge *gather)
{
	struct gs_span span;

	for (;;) {
		TRY(next_merged(job, gather, &span));
		if (span.count == 0)
			return GS_OK;
		TRY(gs_runs_write(job, &span));
	}
}

/* One merge that is not the last: its run is the next of LIST. */
static gs_status
merge_to_run(struct gsort *job, unsigned key_class, const struct gs_source *sources, size_t count,
             struct gs_aside_list *list)
{
	const unsigned depth = depth_of(sources, count);
	struct gs_external_merge *gather;
	gs_status status;

	atomic_store(&job->monitor.counters.phase, GSORT_MERGING);
	TRY(gs_runs_begin(job, key_class));
	TRY(begin_merge(job, key_class, sources, count, &gather));
	status = write_merged(job, gather);
	close_merge(job, gather, status != GS_OK);
	TRY(status);
	return gs_runs_end(job, list, depth > 0 ? depth : 1);
}

static gs_status
emit_merged(struct gsort *job, unsigned key_class, struct gs_external_merge *gather)
{
	struct gs_span span;

	while (!gs_select_ends(&job->select)) {
		TRY(next_merged(job, gather, &span));
		if (span.count == 0)
			return GS_OK;
		span.key_class = key_class;
		TRY(gs_emit_span(job, &span));
	}
	return GS_OK;
}

/* How many of COUNT to merge now, so that all merges to come are full. */
static size_t
merge_width(size_t count, size_t most)
{
	const size_t odd = (count - 1) % (most - 1);

	return odd == 0 ? most : odd + 1;
}

/* Are there as many runs as can be?  Then they are merged before any more inputs. */
static bool
is_crowded(const struct gsort *job, const struct gs_source *sources, size_t count)
{
	size_t runs = 0;

	for (size_t i = 0; i < count; i++)
		runs += sources[i].read == read_run;
	return job->spill != NULL && runs >= gs_spill_most_runs(job->spill);
}

gs_status
gs_runs_merge(struct gsort *job, unsigned key_class, struct gs_source *sources, size_t count)
{
	const size_t most = fan_in(job);
	struct gs_external_merge *gather;
	gs_status status;
	unsigned passes;

	job->merged.count = 0;		/* those of another key class have been read */
	while (count > most) {
		const size_t width = merge_width(count, most);
		const size_t from = is_crowded(job, sources, count) ? count - width : 0;

		TRY(merge_to_run(job, key_class, sources + from, width, &job->merged));
		count -= width;
		memmove(sources + from, sources + from + width, (count - from) * sizeof *sources);
		sources[count++] = source_of(&job->merged.runs[job->merged.count - 1]);
	}
	passes = depth_of(sources, count);
	if (passes > job->stats.merge_passes)
		job->stats.merge_passes = passes;
	atomic_store(&job->monitor.counters.phase, GSORT_WRITING);
	TRY(begin_merge(job, key_class, sources, count, &gather));
	status = emit_merged(job, key_class, gather);
	close_merge(job, gather, status != GS_OK || gs_select_ends(&job->select));
	return status;
}

/* Smallest first; what is in memory last, as that costs nothing to merge once more. */
static int
by_size(const void *a, const void *b)
{
	const struct gs_aside *one = a, *two = b;

	if ((one->run.keys != NULL) != (two->run.keys != NULL))
		return one->run.keys != NULL ? 1 : -1;
	return one->run.count < two->run.count ? -1 : one->run.count > two->run.count;
}

gs_status
gs_runs_emit(struct gsort *job, unsigned key_class)
{
	struct gs_aside_list *list = &job->asides[key_class];

	qsort(list->runs, list->count, sizeof *list->runs, by_size);
	for (size_t r = 0; r < list->count; r++)
		job->sources[r] = source_of(&list->runs[r]);
	return gs_runs_merge(job, key_class, job->sources, list->count);
}

/* ---- room for more runs ----------------------------------------------------- */

/* The first runs of a list become its last one. */
static gs_status
merge_first(struct gsort *job, unsigned key_class)
{
	struct gs_aside_list *list = &job->asides[key_class];
	const size_t most = fan_in(job);
	const size_t width = list->count < most ? list->count : most;

	if (job->gpu == NULL)		/* the batch is empty: its memory goes back before a merge */
		gs_arena_forget(job->pool_memory, job->plan.batch_bytes);
	for (size_t r = 0; r < width; r++)
		job->sources[r] = source_of(&list->runs[r]);
	job->merged.count = 0;
	TRY(merge_to_run(job, key_class, job->sources, width, &job->merged));
	list->count -= width;
	memmove(list->runs, list->runs + width, list->count * sizeof *list->runs);
	list->runs[list->count++] = job->merged.runs[0];
	gs_arena_forget(job->merge_memory, job->plan.merge_bytes);
	atomic_store(&job->monitor.counters.phase, GSORT_READING);
	return GS_OK;
}

/* See that each key class of the next batch can have a run; their tables are finite. */
gs_status
gs_runs_make_room(struct gsort *job)
{
	const size_t most = job->spill != NULL ? gs_spill_most_runs(job->spill) : SIZE_MAX;

	for (;;) {
		size_t all = GS_CLASSES + 2;	/* a GPU that fails leaves half a run more */
		unsigned longest = 0;

		for (unsigned s = 0; s < GS_CLASSES; s++) {
			all += job->asides[s].count;
			if (job->asides[s].count > job->asides[longest].count)
				longest = s;
		}
		if (job->asides[longest].count < 2 ||
		    (job->asides[longest].count + 1 < job->plan.most_runs && all <= most))
			return GS_OK;
		TRY(merge_first(job, longest));
	}
}

gs_status
gs_runs_add(struct gsort *job, unsigned key_class, const struct gs_source *sources, size_t count)
{
	TRY(merge_to_run(job, key_class, sources, count, &job->asides[key_class]));
	return gs_runs_make_room(job);
}

void
gs_runs_close(struct gsort *job)
{
	gs_spill_close(job->spill);
}
