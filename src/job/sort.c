// SPDX-License-Identifier: BSD-2-Clause
/*
 * sort.c - the sequence of a sort
 *
 * In:   open inputs, a plan and its memory.
 * Out:  the sorted output.
 *
 * sort_once() is the whole program, left to right.  A GPU is never repaired: if it cannot be
 * opened, fails or is wrong, and the user did not insist on it, the input is rewound, a new plan
 * is made for the CPU, and sort_once() runs again.  The output is deterministic, so the emit stage
 * skips what has been written and checks that it is the same.
 */
#include "base/clock.h"
#include "job/open.h"
#include "job/sort.h"

static double
seconds(void)
{
	return (double)gs_clock_wall() / 1e9;
}

/* ---- the sequence -------------------------------------------------------------- */

gs_status
gs_job_emit(struct gsort *job, const char *header, size_t header_bytes)
{
	TRY(gs_emit_header(&job->emit, header, header_bytes));
	for (unsigned i = 0; i < GS_CLASSES; i++) {
		const unsigned c = job->options->reverse ? GS_CLASSES - 1 - i : i;
		const struct gs_span_sink sink = gs_emit_sink(&job->emit, c,
		                                              gs_store_count(&job->store, c));

		if (!gs_emit_is_complete(&job->emit))
			TRY(gs_store_drain(&job->store, c, &sink));
		TRY(gs_emit_class_end(&job->emit, c));
	}
	TRY(gs_emit_end(&job->emit));
	return gs_output_finish(job->output);
}

/* The whole program.  Read this first: each call is one stage. */
static gs_status
sort_once(struct gsort *job)
{
	const double start = seconds();
	double read, sorted;
	const char *header;
	size_t header_bytes;

	atomic_store(&job->monitor.counters.phase, GSORT_READING);
	TRY(gs_ingest_run(&job->ingest));	/* input -> ordered bits -> store */
	read = seconds();
	atomic_store(&job->monitor.counters.phase, GSORT_SORTING);
	TRY(gs_store_finish(&job->store));	/* -> sorted batches */
	sorted = seconds();
	atomic_store(&job->monitor.counters.phase, GSORT_WRITING);
	header = gs_ingest_header(&job->ingest, &header_bytes);
	TRY(gs_job_emit(job, header, header_bytes));	/* -> selected keys -> bytes -> output */

	job->stats.read_seconds += read - start;
	job->stats.sort_seconds += sorted - read;
	job->stats.write_seconds += seconds() - sorted;
	return GS_OK;
}

/* ---- choosing the device --------------------------------------------------------- */

static gs_status
start_over_on_cpu(struct gsort *job)
{
	const struct gs_store *store = &job->store;

	gs_store_stats(store, &job->stats);
	gs_ingest_close(&job->ingest);
	gs_store_close(&job->store);
	TRY(gs_output_wait(job->output));	/* it borrows memory of the arena */
	TRY(gs_input_rewind(job->input));
	gs_input_stop_recording(job->input);
	gs_verify_restart(&job->verify);
	gs_emit_resume(&job->emit);
	job->plan_input.device = GSORT_DEVICE_CPU;
	return gs_job_replan(job);
}

/* Open the GPU that the plan wants.  Without one, or with one that fails to open, the CPU does
 * the job, unless the user insists. */
static gs_status
open_gpu(struct gsort *job)
{
	const gs_status status = gs_store_open_gpu(&job->store);

	if (status == GS_OK)
		return GS_OK;
	if (job->options->device == GSORT_DEVICE_GPU)
		return gs_fail(GS_ENODEV, "--device=gpu: %s", gs_message());
	if (status == GS_EDEVICE)
		gs_warn(&job->monitor, "%s; the CPU sorts instead", gs_message());
	else
		gs_note(&job->monitor, "no GPU (%s): sorting on the CPU", gs_message());
	return start_over_on_cpu(job);
}

/* Read the first bytes of an input of unknown size, until the plan can be final. */
static gs_status
peek(struct gsort *job)
{
	struct gs_plan_input *input = &job->plan_input;
	uint64_t bytes;

	TRY(gs_input_peek_bytes(job->input, job->plan.peek_bytes, &bytes));
	if (bytes < job->plan.peek_bytes)
		return GS_OK;		/* all there is: the plan of a small input holds */
	input->peeked_bytes = bytes;
	input->compressed |= gs_input_inflates(job->input);
	return gs_job_replan(job);
}

/* The inputs may have to be read twice: keep what cannot be read again. */
static gs_status
record(struct gsort *job)
{
	const size_t bytes = job->plan.record_bytes;

	if (bytes == 0 || job->recording.base != NULL)
		return GS_OK;
	TRY(gs_arena_open(&job->recording, bytes, job->plan.huge_pages));
	gs_input_record(job->input, gs_arena_take(&job->recording, bytes), bytes);
	return GS_OK;
}

gs_status
gs_job_sort(struct gsort *job)
{
	gs_status status;

	TRY(record(job));
	if (job->plan.peek_bytes > 0)
		TRY(peek(job));
	if (job->plan.device != GSORT_DEVICE_GPU) {
		gs_input_stop_recording(job->input);
		return sort_once(job);
	}
	TRY(open_gpu(job));
	if (job->plan.device == GSORT_DEVICE_GPU && job->options->device == GSORT_DEVICE_AUTO)
		gs_emit_expect_failure(&job->emit);
	status = sort_once(job);
	if (job->plan.device != GSORT_DEVICE_GPU || (status != GS_EDEVICE && status != GS_ENOCOPY))
		return status;
	if (job->options->device == GSORT_DEVICE_GPU)
		return gs_fail(status, "%s; --device=cpu works without it", gs_message());
	if (status == GS_ENOCOPY)
		gs_note(&job->monitor, "%s: the CPU sorts instead", gs_message());
	else
		gs_warn(&job->monitor, "%s; the CPU sorts instead", gs_message());
	TRY(start_over_on_cpu(job));
	return sort_once(job);
}
