// SPDX-License-Identifier: BSD-2-Clause
/*
 * aside.c - batches set aside as runs, and runs merged
 *
 * In:   memory, or a GPU, that is full, again and again.
 * Out:  one order, in spans, to gs_emit_span().
 *
 * A batch of the CPU fills the pool, so it goes to disk, the last one too.  A batch of a GPU
 * goes to host memory while there is room, then to disk.
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
gs_aside_open(struct gsort *job)
{
	const struct gsort_options *options = job->options;
	const struct gs_spill_options spill = {
		.dirs = options->temp_dirs,
		.dir_count = options->temp_dir_count,
		.compress_program = options->compress_program,
		.threads = job->plan.threads,
		.buffer = job->spill_memory,
		.buffer_bytes = job->plan.spill_bytes,
		.note = options->note,
		.note_context = options->note_context,
		.warn = options->warn,
		.warn_context = options->warn_context,
	};
	struct gs_forecast forecast;

	if (job->spill != NULL)
		return GS_OK;
	gs_plan_forecast(&job->plan, &job->facts, &forecast);
	TRY(gs_spill_open(&job->spill, &spill));
	gs_spill_expect(job->spill, forecast.disk_bytes);
	return GS_OK;
}

static gs_status
begin_run(struct gsort *job, unsigned stream)
{
	TRY(gs_aside_open(job));
	return gs_spill_begin(job->spill, job->plan.stream_bits[stream]);
}

static gs_status
write_keys(struct gsort *job, const struct gs_span *span)
{
	uint64_t since = gs_clock_now();

	TRY(gs_spill_write(job->spill, span->keys, span->count));
	gs_clock_lap(&job->clock, GS_STAGE_SPILL, &since);
	job->stats.spilled_bytes = gs_spill_bytes(job->spill);
	return GS_OK;
}

static gs_status
end_run(struct gsort *job, struct gs_aside_list *list, unsigned depth)
{
	struct gs_aside *aside = &list->runs[list->count];
	uint64_t since = gs_clock_now();

	assert(list->count < job->plan.most_runs);
	*aside = (struct gs_aside){ .spill = job->spill, .clock = &job->clock, .depth = depth };
	TRY(gs_spill_end(job->spill, &aside->run));
	gs_clock_lap(&job->clock, GS_STAGE_SPILL, &since);
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
begin_merge(struct gsort *job, unsigned stream, const struct gs_source *sources, size_t count,
            struct gs_gather **gather)
{
	const unsigned threads = merge_threads(job);
	const size_t useful = gs_gather_bytes_useful(count, threads);
	const size_t room = merge_room(job);

	return gs_gather_open(gather, job->merge_memory, room < useful ? room : useful,
	                      job->plan.stream_bits[stream], sources, count, threads);
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
close_merge(struct gsort *job, struct gs_gather *gather, bool early)
{
	if (early)
		gs_input_stop(job->input);
	gs_gather_close(gather);
}

static gs_status
next_merged(struct gsort *job, struct gs_gather *gather, struct gs_span *span)
{
	uint64_t since = gs_clock_now();
	const gs_status status = gs_gather_next(gather, span);

	gs_clock_lap(&job->clock, GS_STAGE_MERGE, &since);
	return status;
}

static gs_status
write_merged(struct gsort *job, struct gs_gather *gather)
{
	struct gs_span span;

	for (;;) {
		TRY(next_merged(job, gather, &span));
		if (span.count == 0)
			return GS_OK;
		TRY(write_keys(job, &span));
	}
}

/* One merge that is not the last: its run is the next of LIST. */
static gs_status
merge_to_run(struct gsort *job, unsigned stream, const struct gs_source *sources, size_t count,
             struct gs_aside_list *list)
{
	const unsigned depth = depth_of(sources, count);
	struct gs_gather *gather;
	gs_status status;

	atomic_store(&job->counters.phase, GSORT_MERGING);
	TRY(begin_run(job, stream));
	TRY(begin_merge(job, stream, sources, count, &gather));
	status = write_merged(job, gather);
	close_merge(job, gather, status != GS_OK);
	TRY(status);
	return end_run(job, list, depth > 0 ? depth : 1);
}

static gs_status
emit_merged(struct gsort *job, unsigned stream, struct gs_gather *gather)
{
	struct gs_span span;

	while (!gs_select_ends(&job->select)) {
		TRY(next_merged(job, gather, &span));
		if (span.count == 0)
			return GS_OK;
		span.stream = stream;
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
gs_aside_merge(struct gsort *job, unsigned stream, struct gs_source *sources, size_t count)
{
	const size_t most = fan_in(job);
	struct gs_gather *gather;
	gs_status status;
	unsigned passes;

	job->merged.count = 0;		/* those of another stream have been read */
	while (count > most) {
		const size_t width = merge_width(count, most);
		const size_t from = is_crowded(job, sources, count) ? count - width : 0;

		TRY(merge_to_run(job, stream, sources + from, width, &job->merged));
		count -= width;
		memmove(sources + from, sources + from + width, (count - from) * sizeof *sources);
		sources[count++] = source_of(&job->merged.runs[job->merged.count - 1]);
	}
	passes = depth_of(sources, count);
	if (passes > job->stats.merge_passes)
		job->stats.merge_passes = passes;
	atomic_store(&job->counters.phase, GSORT_WRITING);
	TRY(begin_merge(job, stream, sources, count, &gather));
	status = emit_merged(job, stream, gather);
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
gs_aside_emit(struct gsort *job, unsigned stream)
{
	struct gs_aside_list *list = &job->asides[stream];

	qsort(list->runs, list->count, sizeof *list->runs, by_size);
	for (size_t r = 0; r < list->count; r++)
		job->sources[r] = source_of(&list->runs[r]);
	return gs_aside_merge(job, stream, job->sources, list->count);
}

/* ---- room for more runs ----------------------------------------------------- */

/* The batch is empty: before a merge, its memory goes back. */
static void
forget_batch(struct gsort *job)
{
	gs_arena_forget(job->pool_memory, job->plan.batch_bytes);
}

/* The first runs of a list become its last one. */
static gs_status
merge_first(struct gsort *job, unsigned stream)
{
	struct gs_aside_list *list = &job->asides[stream];
	const size_t most = fan_in(job);
	const size_t width = list->count < most ? list->count : most;

	if (job->gpu == NULL)
		forget_batch(job);
	for (size_t r = 0; r < width; r++)
		job->sources[r] = source_of(&list->runs[r]);
	job->merged.count = 0;
	TRY(merge_to_run(job, stream, job->sources, width, &job->merged));
	list->count -= width;
	memmove(list->runs, list->runs + width, list->count * sizeof *list->runs);
	list->runs[list->count++] = job->merged.runs[0];
	gs_arena_forget(job->merge_memory, job->plan.merge_bytes);
	atomic_store(&job->counters.phase, GSORT_READING);
	return GS_OK;
}

/* See that each stream of the next batch can have a run; their tables are finite. */
static gs_status
make_room(struct gsort *job)
{
	const size_t most = job->spill != NULL ? gs_spill_most_runs(job->spill) : SIZE_MAX;

	for (;;) {
		size_t all = GS_STREAMS + 2;	/* a GPU that fails leaves half a run more */
		unsigned longest = 0;

		for (unsigned s = 0; s < GS_STREAMS; s++) {
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
gs_aside_sources(struct gsort *job, unsigned stream, const struct gs_source *sources, size_t count)
{
	TRY(merge_to_run(job, stream, sources, count, &job->asides[stream]));
	return make_room(job);
}

/* ---- a batch ---------------------------------------------------------------- */

static void
count_run(struct gsort *job, bool in_memory)
{
	if (!in_memory && job->stats.runs++ == 0)
		gs_job_note(job, "the input is larger than memory: batches go to temporary files");
	atomic_fetch_add(&job->counters.runs, 1);
}

/* ---- of the CPU */

static gs_status
take_piece(void *context, struct gs_sorted *sorted, bool *enough)
{
	(void)enough;
	gs_spare_skip(context, &sorted->span);
	return write_keys(context, &sorted->span);
}

/* Its streams go to disk, sorted while those pieces before are being written. */
static gs_status
spill_batch(struct gsort *job)
{
	const struct gs_batch_sink sink = { .take = take_piece, .context = job };

	for (unsigned s = 0; s < GS_STREAMS; s++) {
		if (gs_batch_count(&job->batch, s) <= job->spare.gone[s])
			continue;
		count_run(job, false);
		TRY(begin_run(job, s));
		TRY(gs_batch_drain(&job->batch, s, &sink));
		TRY(end_run(job, &job->asides[s], 0));
	}
	gs_batch_reset(&job->batch);
	return GS_OK;
}

/* ---- of a GPU */

enum { ALIGN_BYTES = 8 };	/* of a run's first key, behind one of narrower keys */

/* Will the batch that a GPU holds fit beside what is kept?  If it may fail, half of the memory
 * is for the batches of the CPU that may come. */
static bool
fits_memory(const struct gsort *job)
{
	if (job->plan.spare_bytes > 0)
		return job->keep.bytes + job->spare.bytes + GS_STREAMS * ALIGN_BYTES <=
		       job->plan.spare_bytes / 2;

	const uint64_t held = gs_backend_gpu->batch_bytes(job->gpu);
	const uint64_t left = job->landed_bytes - job->aside_bytes;

	return job->keep.bytes + (held < left ? held : left) + GS_STREAMS * ALIGN_BYTES <=
	       job->keep.most_bytes;
}

/* Behind what is kept; the first span begins a run. */
static void
keep_keys(struct gsort *job, const struct gs_span *span, bool first)
{
	struct gs_aside_list *list = &job->asides[span->stream];
	const size_t bytes = span->count * (span->key_bits / 8);
	uint64_t since = gs_clock_now();
	char *to;

	if (first)
		job->keep.bytes += -job->keep.bytes % ALIGN_BYTES;
	to = job->keep.memory + job->keep.bytes;
	if (first)
		list->runs[list->count++] = (struct gs_aside){ .run.keys = to };
	assert(job->keep.bytes + bytes <= job->plan.run_bytes);
	gs_spare_copy(job, to, span->keys, bytes);
	gs_clock_lap(&job->clock, GS_STAGE_SPILL, &since);
	job->keep.bytes += bytes;
	list->runs[list->count - 1].run.count += span->count;
}

static gs_status
drain_gpu(struct gsort *job)
{
	const bool in_memory = fits_memory(job);
	unsigned stream = GS_STREAMS;	/* of the run that is being written */
	struct gs_span span;

	for (;;) {
		TRY(gs_device_drain(job, &span));
		const bool first = span.count > 0 && span.stream != stream;

		if (stream < GS_STREAMS && !in_memory && (first || span.count == 0))
			TRY(end_run(job, &job->asides[stream], 0));
		if (span.count == 0)
			return GS_OK;
		stream = span.stream;
		if (first)
			count_run(job, in_memory);
		if (first && !in_memory)
			TRY(begin_run(job, stream));
		if (in_memory)
			keep_keys(job, &span, first);
		else
			TRY(write_keys(job, &span));
		job->aside_bytes += span.count * (span.key_bits / 8);
		job->spare.gone[stream] += span.count;
	}
}

/* ---- of either */

static gs_status
set_aside(struct gsort *job)
{
	if (job->gpu != NULL)
		TRY(drain_gpu(job));
	if (job->gpu == NULL)		/* or it failed just now: the rest */
		TRY(spill_batch(job));
	gs_spare_forget(job);
	job->stats.batches++;
	return make_room(job);
}

gs_status
gs_aside_batch(struct gsort *job)
{
	const bool by_gpu = job->gpu != NULL;

	atomic_store(&job->counters.phase, GSORT_SORTING);
	if (by_gpu)
		TRY(gs_land_flush(job));
	TRY(gs_device_sort(job));
	if (by_gpu && job->gpu == NULL)
		return GS_OK;
	TRY(gs_device_finish(job));
	TRY(set_aside(job));
	atomic_store(&job->counters.phase, GSORT_READING);
	return GS_OK;
}

gs_status
gs_aside_last(struct gsort *job)
{
	TRY(set_aside(job));
	if (job->gpu == NULL)
		forget_batch(job);
	return GS_OK;
}

void
gs_aside_close(struct gsort *job)
{
	gs_spill_close(job->spill);
}
