// SPDX-License-Identifier: BSD-2-Clause
/*
 * emit.c - sorted keys to output: the second half of a job
 *
 * Streams come one after the other, first to last, or last to first when the
 * largest key goes first.  Each has one source: the histogram, the merge of its
 * runs, or the backend that holds the one sorted batch.
 */
#include <assert.h>

#include "format/encode.h"
#include "job/job.h"

static gs_status
put_text(struct gsort *job, const struct gs_span *span)
{
	const size_t key_bytes = span->key_bits / 8;

	for (size_t at = 0; at < span->count;) {
		size_t count = span->count - at, bytes;
		char *print = job->print[job->print_at];

		if (count > job->plan.print_keys)
			count = job->plan.print_keys;
		bytes = gs_text_encode((enum gs_text_class)span->stream, job->options->reverse,
		                       (const char *)span->keys + at * key_bytes, count, print);
		TRY(gs_output_submit(job->output, print, bytes));
		job->print_at ^= 1;
		job->stats.bytes_out += bytes;
		at += count;
	}
	return GS_OK;
}

static gs_status
put(struct gsort *job, struct gs_span *span)
{
	if (job->options->unique)
		gs_select_unique(&job->select, span);
	job->stats.keys_out += span->count;
	if (job->facts.key_bits == 0)
		return put_text(job, span);
	gs_ordered_to_raw(job->options->type, job->options->reverse, span->keys, span->count);
	job->stats.bytes_out += span->count * (span->key_bits / 8);
	return gs_output_write(job->output, span->keys, span->count * (span->key_bits / 8));
}

static gs_status
emit_counts(struct gsort *job)
{
	const bool text = job->facts.key_bits == 0;
	struct gs_span span;

	if (job->options->unique)
		gs_count_unique(&job->small);
	for (;;) {
		/* Bins of binary keys are complemented like keys; those of text are not. */
		gs_count_drain(&job->small, job->options->reverse && text,
		               job->merge_buffer, job->plan.tile_bytes, &span);
		if (span.count == 0)
			return GS_OK;
		if (text && job->options->reverse)	/* complemented, as the streams' keys are */
			gs_ordered_to_raw(GSORT_U32, true, span.keys, span.count);
		TRY(put(job, &span));
	}
}

static gs_status
emit_merge(struct gsort *job, unsigned stream)
{
	const struct gs_run_list *list = &job->run_lists[stream];
	struct gs_merge *merge;
	struct gs_span span;

	merge = gs_merge_init((char *)job->merge_buffer + job->plan.tile_bytes,
	                      job->plan.stream_bits[stream], list->runs, list->count,
	                      job->plan.threads, job->merge_buffer, job->plan.tile_bytes);
	for (;;) {
		gs_merge_next(merge, &span);
		if (span.count == 0)
			return GS_OK;
		span.stream = stream;
		TRY(put(job, &span));
	}
}

/* The backend drains its streams in the same order; one span too far is held. */
static gs_status
emit_batch(struct gsort *job, unsigned stream)
{
	for (;;) {
		if (job->held.count == 0)
			TRY(job->backend->drain(job->device, &job->held));
		if (job->held.count == 0 || job->held.stream != stream)
			return GS_OK;
		TRY(put(job, &job->held));
		job->held.count = 0;
	}
}

gs_status
gs_emit(struct gsort *job)
{
	for (unsigned i = 0; i < GS_STREAMS; i++) {
		const unsigned s = job->options->reverse ? GS_STREAMS - 1 - i : i;

		if (job->small.bins != NULL && job->small.stream == s)
			TRY(emit_counts(job));
		else if (job->run_lists[s].count > 0)
			TRY(emit_merge(job, s));
		else if (job->plan.stream_bits[s] > 0)	/* drained already: nothing */
			TRY(emit_batch(job, s));
	}
	return gs_output_wait(job->output);
}
