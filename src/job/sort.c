// SPDX-License-Identifier: BSD-2-Clause
/*
 * sort.c - the sequence of a sort
 *
 * In:   open inputs, a plan and its memory.
 * Out:  the sorted output.
 *
 * sort_once() is the whole program, left to right.  A GPU is never repaired.  If it cannot be
 * opened, fails or is wrong, and the user did not demand it, the job rewinds the input, plans for
 * the CPU, and calls sort_once() again.  The output is deterministic: the emit stage skips the bytes
 * that have been written, after it has compared them.
 */
#include "job/open.h"
#include "job/phase.h"
#include "job/read.h"
#include "job/sort.h"
#include "stages/figures.h"

/* ---- the sequence -------------------------------------------------------------- */

gs_status
gs_job_emit_classes(struct gsort *job, const char *header, size_t header_bytes)
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
	return GS_OK;
}

gs_status
gs_job_emit(struct gsort *job, const char *header, size_t header_bytes)
{
	TRY(gs_job_emit_classes(job, header, header_bytes));
	TRY(gs_emit_end(&job->emit));
	return gs_outputs_finish(&job->outputs);
}

/* The job is one input of a set operation: hand its keys over. */
static gs_status
hand_over(struct gsort *job)
{
	const struct gs_span_sink sink = gs_handover_sink(job->handover, &job->verify,
	                                                  gs_batch_slots(job->plan.threads));

	gs_handover_end(job->handover);		/* of reading */
	for (unsigned i = 0; i < GS_CLASSES; i++) {
		TRY(gs_store_drain(&job->store, job->options->reverse ? GS_CLASSES - 1 - i : i, &sink));
		gs_handover_end(job->handover);
	}
	return job->handover->shut ? GS_OK : gs_verify_end(&job->verify);
}

/* The output is figures about all keys: nothing is written before the last one has been seen. */
static gs_status
answer(struct gsort *job)
{
	struct gs_answer *figures = &job->answer;

	TRY(gs_answer_open(figures, job->options, &job->plan, &job->store, job->ingest.keys,
	                   &job->verify, &job->monitor));
	for (unsigned i = 0; i < GS_CLASSES; i++) {
		const struct gs_span_sink sink = gs_answer_sink(figures);

		TRY(gs_store_drain(&job->store, job->options->reverse ? GS_CLASSES - 1 - i : i, &sink));
		gs_answer_class_end(figures);
	}
	TRY(gs_verify_end(&job->verify));
	gs_answer_end(figures);
	TRY(gs_figures_write(figures, job->outputs.files[0], &job->emit.bytes));
	return gs_outputs_finish(&job->outputs);
}

/* Sorted keys to the output, or what is wanted of them. */
static gs_status
deliver(struct gsort *job)
{
	const char *header;
	size_t header_bytes;

	if (gs_answer_is_wanted(job->options))
		return answer(job);	/* -> figures -> output */
	if (job->handover != NULL)
		return hand_over(job);
	header = gs_ingest_header(&job->ingest, &header_bytes);
	TRY(gs_emit_expect_keys(&job->emit, job->options, job->ingest.keys, 0,
	                        job->ingest.keys));
	return gs_job_emit(job, header, header_bytes);	/* -> selected keys -> bytes -> output */
}

/* The whole program.  Read this first: each call is one stage. */
static gs_status
sort_once(struct gsort *job)
{
	gs_phase_begin(job, GSORT_READING);
	TRY(gs_job_read(job, gs_store_taker(&job->store)));	/* input -> ordered bits -> store */
	gs_phase_begin(job, GSORT_SORTING);
	TRY(gs_store_finish(&job->store));	/* -> sorted batches */
	gs_phase_begin(job, GSORT_WRITING);
	TRY(deliver(job));			/* -> keys or figures -> output */
	gs_phase_end(job);
	return GS_OK;
}

/* ---- choosing the device --------------------------------------------------------- */

/* Begin again, from the first byte of the input, with what the plan's input says by now. */
static gs_status
start_over(struct gsort *job)
{
	gs_store_stats(&job->store, &job->stats);
	gs_ingest_close(&job->ingest);		/* its thread reads */
	TRY(gs_outputs_wait(&job->outputs));	/* they borrow memory of the arena */
	TRY(gs_input_rewind(job->input));
	gs_verify_restart(&job->verify);
	gs_emit_resume(&job->emit);
	return gs_job_replan(job);
}

/* REASON: why not on the GPU, for people. */
static gs_status
start_over_on_cpu(struct gsort *job, const char *reason)
{
	job->plan_input.device = GSORT_DEVICE_CPU;
	TRY(start_over(job));
	gs_input_stop_recording(job->input);
	job->plan.device_rule = reason;
	return GS_OK;
}

/* Open the GPU.  If it cannot be opened, the CPU sorts, unless the user demands a GPU. */
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
	return start_over_on_cpu(job, "the GPU could not be opened");
}

/* Read the first bytes of an input of unknown size, until the device can be chosen. */
static gs_status
peek(struct gsort *job)
{
	struct gs_plan_input *input = &job->plan_input;
	uint64_t bytes;

	TRY(gs_input_peek_bytes(job->input, job->plan.peek_bytes, &bytes));
	if (bytes < job->plan.peek_bytes)
		return GS_OK;		/* the whole input: the plan for a small input is final */
	input->peeked_bytes = bytes;
	input->compressed |= gs_files_inflate(gs_input_files(job->input));
	return gs_job_replan(job);
}

/* Keep the input that cannot be read again, in case the job starts over. */
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
	TRY(start_over_on_cpu(job, status == GS_ENOCOPY
		? "memory has no room for a copy of the input, in case a GPU fails" : "the GPU failed"));
	return sort_once(job);
}
