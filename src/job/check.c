// SPDX-License-Identifier: BSD-2-Clause
/*
 * check.c - is the input sorted?
 *
 * In:   inputs, which are checked as if they were one.
 * Out:  the answer, and a message about the first element out of order; or counts.
 *
 * One thread reads chunks ahead (io/ahead.c), the others compare neighbours (sort/follow.c), in
 * constant memory.  Nothing is written, and no GPU is used.
 */
#include "job/job.h"
#include "kinds/merge_input.h"
#include "plan/items.h"
#include "ranks/ranked.h"
#include "text/lines.h"

/* ---- keys and records ------------------------------------------------------ */

/* Check the next chunk, of the file that STRETCH is of. */
static gs_status
check_chunk(struct gsort *job, const struct gs_chunk *chunk, struct gs_stretch *stretch)
{
	const uint64_t skip_bytes = job->options.skip_bytes;

	if (chunk->begins) {
		job->stats.bytes_in += skip_bytes;
		gs_stretch_begin(stretch, chunk->name,
		                 gs_ranked_before(job->ranked, chunk->name, stretch->element_bytes));
	}
	job->stats.bytes_in += chunk->bytes;
	TRY(gs_stretch_next(stretch, chunk->data, chunk->bytes));
	atomic_store(&job->monitor.counters.bytes_in, job->stats.bytes_in);
	atomic_store(&job->monitor.counters.keys_in, stretch->follow->elements);
	return GS_OK;
}

gs_status
gs_records_check(struct gsort *job, struct gs_follow *follow)
{
	struct gs_stretch stretch = gs_stretch_open(job, follow, "");
	const size_t unit = stretch.element_bytes;
	const size_t bytes = gs_plan_check_bytes(&job->plan, &job->plan_input, unit);
	struct gs_ahead *ahead = &job->keys.ingest.ahead;
	struct gs_chunk *chunk;
	gs_status status;

	if (bytes == 0)
		return gs_item_fail_large(unit, GS_AHEAD_CHUNKS + 2);
	TRY(gs_arena_open(&job->keys.arena, GS_AHEAD_CHUNKS * bytes, false));
	gs_ahead_open(ahead, job->files.input,
	              gs_arena_take(&job->keys.arena, GS_AHEAD_CHUNKS * bytes), bytes);
	ahead->skip_bytes = job->options.skip_bytes;
	ahead->clock = &job->monitor.clock;
	while ((status = gs_ahead_take(ahead, &chunk)) == GS_OK && chunk != NULL) {
		status = check_chunk(job, chunk, &stretch);
		if (status != GS_OK)
			break;
		gs_ahead_give(ahead, chunk);
	}
	gs_ahead_close(ahead);
	return status;
}

/* ---- text --------------------------------------------------------------- */

/* The lines of one file. */
static gs_status
check_lines(struct gsort *job, struct gs_line_reader *reader, struct gs_follow *follow)
{
	const uint64_t before = job->stats.bytes_in;

	do {
		TRY(gs_line_reader_next(reader));
		job->stats.bytes_in = before + reader->bytes;
		atomic_store(&job->monitor.counters.bytes_in, job->stats.bytes_in);
		TRY(gs_stretch_text(job, reader, follow, ""));
		atomic_store(&job->monitor.counters.keys_in, follow->elements);
	} while (reader->count > 0);
	return GS_OK;
}

static gs_status
check_text(struct gsort *job, struct gs_follow *follow)
{
	struct gs_line_reader *reader = NULL;
	void *memory;

	TRY(gs_arena_open(&job->keys.arena, GS_LINE_READER_MOST_BYTES, false));
	memory = gs_arena_take(&job->keys.arena, GS_LINE_READER_MOST_BYTES);
	while (gs_input_next(job->files.input)) {
		gs_status status;

		reader = gs_stretch_open_text(job, job->files.input, memory, GS_LINE_READER_MOST_BYTES);
		reader->lines.invalid = job->stats.invalid_lines;
		status = check_lines(job, reader, follow);
		job->stats.invalid_lines = reader->lines.invalid;
		TRY(status);
	}
	if (reader != NULL)
		gs_line_reject_end(&reader->lines.options, reader->lines.invalid);
	return GS_OK;
}

gs_status
gs_keys_check(struct gsort *job, struct gs_follow *follow)
{
	return follow->key_bits > 0 ? gs_records_check(job, follow) : check_text(job, follow);
}

/* ---- all kinds ------------------------------------------------------------ */

gs_status
gs_job_check(struct gsort *job, bool *disorder)
{
	struct gs_follow follow = {
		.order = job->items.by,
		.key_bits = job->plan_input.key_bits,
		.strict = job->options.unique,
		.counts_breaks = job->options.check == GSORT_CHECK_SUMMARY,
		.threads = (job->plan.threads + 1) / 2,	/* the other half reads */
	};
	gs_status status;

	atomic_store(&job->monitor.counters.phase, GSORT_READING);
	status = job->kind->check(job, &follow);
	job->stats.keys = follow.elements;
	job->stats.breaks = follow.breaks;
	job->stats.duplicates = follow.duplicates;
	*disorder = follow.disorder || follow.breaks > 0 || (follow.strict && follow.duplicates > 0);
	if (follow.disorder)
		status = job->options.check == GSORT_CHECK_FIRST ? GS_OK : gs_fail(GS_OK, "%s", "");
	gs_follow_close(&follow);
	return status;
}
