// SPDX-License-Identifier: BSD-2-Clause
/*
 * sort.c - the sequence of a sort
 *
 * In:   open inputs, a plan and its memory.
 * Out:  the sorted output.
 *
 * sort_once() is the whole program, left to right, for keys and for items (engine/engine.h).  Between
 * the stages, ranks exchange what they have read (stages.c).  If a GPU cannot be opened, fails or is
 * wrong, and the user did not demand it, the job rewinds the input, plans for the CPU, and calls
 * sort_once() again.  The output is deterministic, so the emit stage compares the bytes that have
 * been written, and skips them.
 */
#include <string.h>

#include "ranks/rank_job.h"
#include "job/job.h"
#include "figures/statistics.h"

/* ---- phases -------------------------------------------------------------------- */

void
gs_phase_end(struct gsort *job)
{
	const double seconds = (double)(gs_clock_wall() - job->phases.since) * 1e-9;

	switch (job->phases.now) {
	case GSORT_READING: job->stats.read_seconds += seconds; break;
	case GSORT_SORTING: job->stats.sort_seconds += seconds; break;
	case GSORT_WRITING: job->stats.write_seconds += seconds; break;
	default: break;
	}
	job->phases.now = GSORT_IDLE;
}

void
gs_phase_begin(struct gsort *job, enum gsort_phase phase)
{
	gs_phase_end(job);
	if (phase == GSORT_WRITING)
		gs_job_expect(job, true);
	job->phases.now = phase;
	job->phases.since = gs_clock_wall();
	atomic_store(&job->monitor.counters.phase, phase);
	if (job->options.begins != NULL)
		job->options.begins(job->options.begins_context, phase);
}

/* ---- the sequence -------------------------------------------------------------- */

/* All items have been drained: verify them. */
static void
note_digest(struct gsort *job)
{
	if (job->feed.engine.digest != NULL)
		gs_verify_out_items(&job->verify, job->feed.engine.digest(job->feed.engine.context));
}

gs_status
gs_job_emit(struct gsort *job, const char *header, size_t header_bytes)
{
	const struct gs_engine *engine = &job->feed.engine;
	gs_status status = gs_emit_header(&job->emit, header, header_bytes);

	for (unsigned i = 0; status == GS_OK && i < GS_CLASSES; i++) {
		const unsigned c = gs_class_place(i, job->options.reverse);
		const struct gs_span_sink sink =
			gs_emit_sink(&job->emit, c, engine->count(engine->context, c));

		if (!gs_emit_is_complete(&job->emit))
			status = engine->drain(engine->context, c, &sink);
		THEN(status, gs_emit_class_end(&job->emit, c));
	}
	if (status == GS_OK)
		note_digest(job);
	return gs_rank_finish(job, status);
}

/* Write figures about all keys.  Nothing is written before the last key has been seen. */
static gs_status
make_figures(struct gsort *job)
{
	const struct gs_feed *feed = &job->feed;
	struct gs_statistics_input input = { .keys = feed->elements, .order = feed->by };
	struct gs_statistics figures = { .of = NULL };
	uint64_t bytes = 0;
	gs_status status;

	for (unsigned c = 0; job->options.histogram > 0 && c < GS_CLASSES; c++)
		input.extremes[c] = gs_store_extreme(&job->feed.store, c);
	status = gs_statistics_open(&figures, feed->kind->figures, &job->options, &job->plan, &input,
	                            &job->verify, &job->monitor);
	for (unsigned i = 0; status == GS_OK && i < GS_CLASSES; i++) {
		const struct gs_span_sink sink = gs_statistics_sink(&figures);

		status = feed->engine.drain(feed->engine.context, gs_class_place(i, job->options.reverse),
		                            &sink);
		if (status == GS_OK)
			gs_statistics_end_group(&figures);
	}
	if (status == GS_OK) {
		note_digest(job);
		figures.of_column = feed->lines.column.keys != NULL;
		figures.missing = feed->lines.column.missing;
		status = gs_border_verify(job->rank_job->ranks, &job->verify);
	}
	THEN(status, gs_figures_write(&figures, job->outputs.files[0], &bytes));
	job->emit.written.bytes = bytes;
	status = gs_rank_finish(job, status);
	gs_statistics_close(&figures);
	return status;
}

/* Read all input, into the engine, or into the engines of all ranks. */
static gs_status
read_all(struct gsort *job)
{
	struct gs_taker taker = job->feed.engine.taker;

	TRY(gs_rank_deal(job, &taker));
	gs_verify_watch(&job->verify, &taker);
	TRY(job->feed.kind->read(&job->feed, &taker));
	return gs_rank_complete(job);
}

/* The whole program, for every kind of element, and for one rank or several.  Read this first: each call is
 * one stage. */
static gs_status
sort_once(struct gsort *job)
{
	gs_phase_begin(job, GSORT_READING);
	TRY(read_all(job));		/* input -> elements -> engine */
	if (job->feed.ingest.done.stopped) {		/* numbers become lines */
		TRY(gs_job_become_lines(job));
		TRY(read_all(job));
	}
	gs_input_close_left(job->feed.input);
	gs_phase_begin(job, GSORT_SORTING);
	TRY(job->feed.engine.finish(job->feed.engine.context));
	gs_phase_begin(job, GSORT_WRITING);
	if (gs_statistics_is_wanted(&job->options)) {
		TRY(make_figures(job));		/* -> figures -> output */
	} else {			/* -> selected -> bytes -> output */
		TRY(gs_rank_place(job));
		TRY(gs_job_emit(job, job->feed.header.data, job->feed.header.bytes));
	}
	gs_phase_end(job);
	return GS_OK;
}

/* ---- choosing the device --------------------------------------------------------- */

/* Begin again on the CPU, at the first byte of the input.  REASON tells people why not on the GPU. */
static gs_status
start_over_on_cpu(struct gsort *job, const char *reason)
{
	job->plan_input.device = GSORT_DEVICE_CPU;
	job->feed.engine.stats(job->feed.engine.context, &job->stats);
	gs_ingest_close(&job->feed.ingest);		/* its thread reads */
	TRY(gs_outputs_wait(&job->outputs));	/* they borrow memory of the arena */
	TRY(gs_input_rewind(job->feed.input));
	job->verify.keys_in = job->verify.sum_in = 0;	/* all is read again, and what was written stays */
	gs_emit_resume(&job->emit);
	TRY(gs_job_replan(job));
	job->plan.device_rule = reason;
	return GS_OK;
}

/* Open the GPU.  If it cannot be opened, the CPU sorts, unless the user demands a GPU. */
static gs_status
open_gpu(struct gsort *job)
{
	const gs_status status = gs_store_open_gpu(&job->feed.store);

	if (status == GS_OK)
		return GS_OK;
	if (job->options.device == GSORT_DEVICE_GPU)
		return gs_fail(GS_ENODEV, "--device=gpu: %s", gs_message());
	if (status == GS_EDEVICE)
		gs_warn(&job->monitor, "%s; the CPU sorts instead", gs_message());
	else
		gs_note(&job->monitor, "no GPU (%s): sorting on the CPU", gs_message());
	return start_over_on_cpu(job, "the GPU could not be opened");
}

gs_status
gs_job_sort(struct gsort *job)
{
	gs_status status;

	/* several ranks have a GPU only if the user demands one */
	TRY(gs_ranks_agree(job->rank_job->ranks,
	                   job->plan.device == GSORT_DEVICE_GPU ? open_gpu(job) : GS_OK));
	if (job->plan.device != GSORT_DEVICE_GPU)
		return sort_once(job);
	job->emit.delivered.resumable = job->options.device == GSORT_DEVICE_AUTO;
	status = sort_once(job);
	if (job->plan.device != GSORT_DEVICE_GPU || status != GS_EDEVICE)
		return status;
	if (job->options.device == GSORT_DEVICE_GPU)
		return gs_fail(status, "%s; --device=cpu works without it", gs_message());
	gs_warn(&job->monitor, "%s; the CPU sorts instead", gs_message());
	TRY(start_over_on_cpu(job, "the GPU failed"));
	return sort_once(job);
}
