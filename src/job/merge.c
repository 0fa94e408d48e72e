// SPDX-License-Identifier: BSD-2-Clause
/*
 * merge.c - sorted inputs become one
 *
 * In:   inputs, each in order (merge_input.h).
 * Out:  all of them in one order, through an emit stage.
 *
 * Inputs of keys are sources of spill/external_merge.c, one key class at a time.  They are first
 * copied to temporary runs if the output would overwrite one, or if there are more text inputs than can
 * be open at once: each has keys of every class.  Keys of 8 and 16 bits are counted, as in a sort.
 *
 * Inputs of items are sources of engine/item_store.h.  If there are too many, or the output would
 * overwrite one, they are sorted instead: the sort is stable, so its output is the same.
 */
#include "job/job.h"
#include "kinds/merge_input.h"
#include "ranks/ranked.h"
#include "text/line.h"

/* Is the output an input that is written in place, so that writing destroys bytes still to be read? */
static bool
overwrites(const struct gsort *job)
{
	return gs_output_target(job->files.outputs.files[0]) == NULL &&
	       gs_job_rewrites(&job->options) != NULL;
}

/* ---- keys -------------------------------------------------------------------- */

/* Make COUNT inputs from FIRST on sources of the class that is number PLACE in the output. */
static struct gs_source *
list_sources(struct gsort *job, struct gs_merge_input *first, size_t count, unsigned place)
{
	struct gs_source *sources = job->keys.store.runs.sources;

	for (size_t i = 0; i < count; i++) {
		first[i].place = place;
		sources[i] = (struct gs_source){
			.read = gs_merge_read, .context = &first[i],
			.verified = !job->options.trust_order,
		};
	}
	return sources;
}

/* Merge groups of inputs into runs on disk, one for each class. */
static gs_status
spill_inputs(const struct gs_merge_inputs *all)
{
	struct gsort *job = all->job;
	const size_t fan_in = job->plan.fan_in;

	for (size_t at = 0, count; at < all->count; at += count) {
		count = all->count - at < fan_in ? all->count - at : fan_in;
		for (unsigned place = 0; place < GS_CLASSES; place++) {
			const unsigned key_class = gs_class_place(place, job->options.reverse);

			if (job->plan.class_bits[key_class] == 0)
				continue;
			TRY(gs_runs_add(&job->keys.store.runs, key_class,
			                list_sources(job, &all->inputs[at], count, place), count));
		}
	}
	return GS_OK;
}

/* The head may be complete, but all input is read and checked. */
static gs_status
take_all(void *context, struct gs_sorted_span *sorted, bool *enough)
{
	const struct gs_span_sink *sink = context;
	bool complete;

	(void)enough;
	return sink->take(sink->context, sorted, &complete);
}

static gs_status
merge_class(const struct gs_merge_inputs *all, unsigned place, bool spilled)
{
	struct gsort *job = all->job;
	struct gs_runs *runs = &job->keys.store.runs;
	const unsigned key_class = gs_class_place(place, job->options.reverse);
	struct gs_span_sink sink = gs_emit_sink(&job->emit, key_class, 0);
	const struct gs_span_sink every = { .take = take_all, .context = &sink };

	if (job->plan.class_bits[key_class] == 0)
		return GS_OK;
	TRY(spilled ? gs_runs_drain(runs, key_class, &sink)
	            : gs_runs_merge(runs, key_class, list_sources(job, all->inputs, all->count, place),
	                            all->count, &every));
	return gs_emit_class_end(&job->emit, key_class);
}

static gs_status
merge_keys(struct gs_merge_inputs *all)
{
	struct gsort *job = all->job;
	const bool crowded = job->plan_input.key_bits == 0 && all->count > job->plan.fan_in;
	bool spills;

	TRY(gs_merge_read_header(all));
	spills = crowded || overwrites(job);
	if (spills)
		TRY(spill_inputs(all));
	TRY(gs_emit_header(&job->emit, all->header, all->header_bytes));
	for (unsigned place = 0; place < GS_CLASSES; place++)
		TRY(merge_class(all, place, spills));
	return gs_ranked_finish(job, GS_OK);
}

/* Keys of 8 and 16 bits: read all inputs, one after the other, and count the keys. */
static gs_status
count(struct gs_merge_inputs *all)
{
	struct gsort *job = all->job;
	struct gs_store *store = &job->keys.store;
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
		} while (!gs_merge_ended(&all->inputs[i]));
	return gs_job_emit(job, all->header, all->header_bytes);
}

static void
stop_input(void *context)
{
	struct gsort *job = context;

	gs_input_stop(job->files.input);
}

gs_status
gs_keys_merge(struct gsort *job)
{
	const bool text = job->plan_input.key_bits == 0;
	struct gs_merge_inputs all;
	gs_status status;

	job->keys.store.runs.stop = stop_input;
	job->keys.store.runs.stop_context = job;
	/* A reader that also checks the order of inputs is busy, so the team is one smaller. */
	if (job->plan.threads > 1)
		job->keys.store.runs.merge_threads = job->plan.threads - 1;
	atomic_store(&job->monitor.counters.phase, GSORT_MERGING);
	status = gs_merge_inputs_open(&all, job, job->plan.source_bytes, text ? job->plan.fan_in : 0);
	all.threads = (job->plan.threads + 1) / 2;
	THEN(status, job->plan.by_counting ? count(&all) : merge_keys(&all));
	gs_merge_inputs_close(&all);
	return status;
}

/* ---- items -------------------------------------------------------------------- */

static gs_status
open_items(struct gsort *job, const struct gs_item_merge_sizes *sizes, struct gs_merge_inputs *all,
           struct gs_item_merger *merger)
{
	const size_t count = job->options.input_count;

	TRY(gs_merge_inputs_open(all, job, sizes->room, count));
	all->threads = 1;
	all->spare = sizes->spare;
	job->items.lines.header_most = sizes->header_most;
	gs_verify_expect_items(&job->verify, &job->options, job->items.by);
	TRY(gs_item_merger_open(merger, job->items.by, &job->options, count, sizes->room));
	for (size_t i = 0; i < count; i++)
		merger->sources[i] = (struct gs_merge_source){
			.fill = gs_merge_fill, .context = &all->inputs[i],
		};
	return GS_OK;
}

static gs_status
merge_items(struct gs_merge_inputs *all, struct gs_item_merger *merger)
{
	struct gsort *job = all->job;
	struct gs_span_sink sink;

	TRY(gs_item_merger_begin(merger));
	TRY(gs_emit_header(&job->emit, all->header, all->header_bytes));
	sink = job->emit.sink(&job->emit, 0, 0);
	TRY(gs_item_merger_drain(merger, &sink));
	gs_line_reject_end(&job->keys.ingest.text, job->items.lines.ingest.faults.invalid);
	gs_verify_out_items(&job->verify, &(const struct gs_item_digest){
		.sum = merger->sum, .falls = merger->follow.breaks > 0,
	});
	return gs_ranked_finish(job, GS_OK);
}

gs_status
gs_items_merge(struct gsort *job)
{
	struct gs_merge_inputs all = { .job = job };
	struct gs_item_merger merger = { .count = 0 };
	struct gs_item_merge_sizes sizes;
	gs_status status;

	if (gs_items_merge_sorts(job, &sizes) || overwrites(job)) {
		job->items.ingest.checks_order = !job->options.trust_order;
		TRY(job->kind->allocate[GSORT_SORT](job));
		return gs_job_sort(job);
	}
	atomic_store(&job->monitor.counters.phase, GSORT_MERGING);
	status = open_items(job, &sizes, &all, &merger);
	THEN(status, merge_items(&all, &merger));
	job->stats.keys = merger.items;
	gs_item_merger_close(&merger);
	gs_merge_inputs_close(&all);
	return status;
}
