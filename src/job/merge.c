// SPDX-License-Identifier: BSD-2-Clause
/*
 * merge.c - merge sorted inputs
 *
 * In:   inputs, each in order (kinds/source.h).
 * Out:  all of them in one order, through an emit stage.
 *
 * Inputs of keys are sources of spill/external_merge.c, one key class at a time.  They are first copied
 * to temporary runs if the output would overwrite one, or if there are more text inputs than can be open
 * at once, because each of these may have keys of every class.  Keys of 8 and 16 bits are counted, as in
 * a sort.
 *
 * Inputs of items are sources of engine/item_store.h.  If there are too many, or the output would
 * overwrite one, they are sorted instead of merged; the sort is stable, so its output is the same.
 */
#include "base/round.h"
#include "job/job.h"
#include "kinds/source.h"
#include "ranks/rank_job.h"
#include "text/line.h"

/* Is the output an input that is written in place, so that writing destroys bytes still to be read? */
static bool
overwrites(const struct gsort *job)
{
	return gs_output_target(job->outputs.files[0]) == NULL &&
	       gs_job_rewrites(&job->options) != NULL;
}

/* Begin to read the inputs, in ROOM bytes for each of MOST at a time, each with THREADS. */
static gs_status
open_inputs(struct gsort *job, struct gs_merge_inputs *all, size_t room, size_t most, unsigned threads)
{
	struct gs_input_options in = gs_job_input_options(job);

	in.threads = threads;
	in.window_bytes = job->plan.window_bytes;
	in.stops_with = job->feed.input;
	atomic_store(&job->monitor.counters.phase, GSORT_MERGING);
	return gs_merge_inputs_open(all, &job->feed, &in, room, most);
}

/* ---- keys -------------------------------------------------------------------- */

/* Make COUNT inputs from FIRST on sources of the class that is number PLACE in the output. */
static struct gs_source *
list_sources(struct gs_merge_input *first, size_t count, unsigned place)
{
	struct gs_feed *feed = first->feed;
	struct gs_source *sources = feed->store.runs.sources;

	for (size_t i = 0; i < count; i++) {
		first[i].place = place;
		sources[i] = (struct gs_source){
			.read = gs_merge_read, .context = &first[i],
			.verified = !feed->options->trust_order,
			/* else their warnings, or headers, are in turn */
			.side_by_side = feed->options->invalid == GSORT_INVALID_ABORT &&
			                feed->options->header_lines == 0,
		};
	}
	return sources;
}

/* The head may be complete, but all input is read and checked. */
static gs_status
take_all(void *context, struct gs_sorted_span *sorted)
{
	const struct gs_span_sink *sink = context;
	const gs_status status = sink->take(sink->context, sorted);

	sorted->enough = false;
	return status;
}

static gs_status
merge_spans(struct gsort *job, struct gs_merge_inputs *all)
{
	struct gs_runs *runs = &job->feed.store.runs;
	const size_t fan_in = job->plan.fan_in;
	bool spills;

	TRY(gs_merge_read_header(all));
	spills = (job->plan_input.key_bits == 0 && all->count > fan_in) || overwrites(job);
	/* groups of inputs become runs on disk, one for each class */
	for (size_t at = 0, count; spills && at < all->count; at += count) {
		count = gs_least(all->count - at, fan_in);
		for (unsigned place = 0; place < GS_CLASSES; place++) {
			const unsigned key_class = gs_class_place(place, job->options.reverse);

			if (job->plan.class_bits[key_class] > 0)
				TRY(gs_runs_add(runs, key_class, list_sources(&all->inputs[at], count, place),
				                count));
		}
	}
	TRY(gs_emit_header(&job->emit, all->header, all->header_bytes));
	for (unsigned place = 0; place < GS_CLASSES; place++) {
		const unsigned key_class = gs_class_place(place, job->options.reverse);
		struct gs_span_sink sink = gs_emit_sink(&job->emit, key_class, 0);
		const struct gs_span_sink every = { .take = take_all, .context = &sink };

		if (job->plan.class_bits[key_class] == 0)
			continue;
		TRY(spills ? gs_runs_drain(runs, key_class, &sink)
		           : gs_runs_merge(runs, key_class, list_sources(all->inputs, all->count, place),
		                           all->count, &every));
		TRY(gs_emit_class_end(&job->emit, key_class));
	}
	return gs_rank_finish(job, GS_OK);
}

/* Keys of 8 and 16 bits: read all inputs, one after the other, and count the keys. */
static gs_status
count(struct gsort *job, struct gs_merge_inputs *all)
{
	struct gs_store *store = &job->feed.store;
	const size_t room = job->plan.count_bytes / (job->plan_input.key_bits / 8);
	size_t got;

	for (size_t i = 0; i < all->count; i++)
		do {
			uint64_t since;

			TRY(gs_merge_read(&all->inputs[i], store->count_memory, room, &got));
			since = gs_clock_now();
			gs_count_add(&store->histogram, 0, store->count_memory, got);
			gs_count_sum(&store->histogram);
			gs_clock_lap(&job->monitor.clock, GS_STAGE_SORT, &since);
		} while (got == room);
	return gs_job_emit(job, all->header, all->header_bytes);
}

static void
stop_input(void *context)
{
	gs_input_stop(context);
}

static gs_status
merge_keys(struct gsort *job)
{
	struct gs_runs *runs = &job->feed.store.runs;
	struct gs_merge_inputs all;
	gs_status status;

	runs->stop = stop_input;
	runs->stop_context = job->feed.input;
	/* A reader that also checks the order of inputs is busy, so the team is one smaller. */
	if (job->plan.threads > 1)
		runs->merge_threads = job->plan.threads - 1;
	status = open_inputs(job, &all, job->plan.source_bytes,
	                     job->plan_input.key_bits == 0 ? job->plan.fan_in : 0,
	                     (job->plan.threads + 1) / 2);
	THEN(status, job->plan.by_counting ? count(job, &all) : merge_spans(job, &all));
	gs_merge_inputs_close(&all);
	return status;
}

/* ---- items -------------------------------------------------------------------- */

static gs_status
merge_items(struct gsort *job, const struct gs_item_merge_sizes *sizes)
{
	struct gs_merge_inputs all = { .feed = NULL };
	struct gs_item_merger merger;
	const unsigned threads = job->plan.threads, each = threads / (unsigned)job->options.input_count;
	/* lines have their buffers in collectors */
	gs_status status = open_inputs(job, &all,
	                               sizes->room * (job->feed.ingest.unit > 0 ? GS_MERGE_BATCHES : 1),
	                               job->options.input_count, each);

	if (status != GS_OK) {		/* perhaps it has listed no inputs */
		gs_merge_inputs_close(&all);
		return status;
	}
	status = gs_item_merger_open(&merger, job->feed.by, &job->options, all.count, sizes->room, threads);
	all.spare = sizes->spare;
	job->feed.lines.limits.header_most = sizes->header_most;
	for (size_t i = 0; status == GS_OK && i < all.count; i++)
		merger.sources[i] = (struct gs_merge_source){
			.fill = gs_merge_fill, .fail = gs_merge_fail, .context = &all.inputs[i],
			.follow = gs_merge_checks(&all) ? &all.inputs[i].follow : NULL,
		};
	/* lines are left out in turn, as they are counted and there may be warnings */
	THEN(status, gs_item_merger_begin(&merger, job->options.invalid != GSORT_INVALID_ABORT ? 1
	                                           : (unsigned)gs_least(threads, all.count)));
	THEN(status, gs_emit_header(&job->emit, all.header, all.header_bytes));
	if (status == GS_OK) {
		const struct gs_span_sink sink = gs_emit_sink(&job->emit, 0, 0);

		status = gs_item_merger_drain(&merger, &sink);
	}
	if (status == GS_OK) {
		gs_line_reject_end(&job->feed.ingest.text, job->feed.lines.ingest.faults.invalid);
		gs_verify_out_items(&job->verify, &(const struct gs_item_digest){
			.sum = merger.sum, .falls = merger.follow.breaks > 0,
		});
		status = gs_rank_finish(job, GS_OK);
	}
	job->feed.read.elements = merger.read;
	if (status != GS_OK)
		gs_input_stop(job->feed.input);		/* the loader waits for nothing more */
	gs_item_merger_close(&merger);
	gs_merge_inputs_close(&all);
	return status;
}

gs_status
gs_job_merge(struct gsort *job)
{
	struct gs_item_merge_sizes sizes;
	gs_status status;

	if (job->feed.by == NULL) {
		status = merge_keys(job);
		if (status != GS_EINPUT || !job->feed.ingest.done.stopped)
			return status;
		TRY(gs_job_become_lines(job));
	}
	if (!gs_items_merge_sorts(&job->feed, &sizes) && !overwrites(job))
		return merge_items(job, &sizes);
	job->feed.records.checks_order = !job->options.trust_order;
	TRY(job->feed.kind->allocate(&job->feed));
	return gs_job_sort(job);
}
