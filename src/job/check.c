// SPDX-License-Identifier: BSD-2-Clause
/*
 * check.c - is the input sorted?
 *
 * In:   inputs, which are checked as if they were one.
 * Out:  the answer, and a message about the first key out of order; or counts.
 *
 * One thread reads chunks ahead (io/ahead.c), the others compare neighbours (stages/order.c), in
 * constant memory.  Nothing is written, and no GPU is used.
 */
#include <assert.h>

#include "format/line.h"
#include "format/line_reader.h"
#include "format/raw.h"
#include "job/check.h"
#include "job/chunks.h"
#include "job/ranked.h"
#include "stages/order.h"

/*
 * A chunk of binary keys is compared while it is in the cache.  1 GiB of cached u32,
 * 2 cores, AMD EPYC VM, median of 15, milliseconds of the whole process:
 *
 *     cat    128 KiB  256 KiB  512 KiB  1 MiB  2 MiB  4 MiB  8 MiB
 *     43.6   94.6     53.4     46.5     45.0   45.6   44.7   57.3
 *
 * From 4 MiB on, several threads read a file, if there are more cores.
 */
#define CHUNK_BYTES	((size_t)4 << 20)

/* ---- binary ------------------------------------------------------------- */

/* Where a file begins. */
struct file {
	uint64_t keys, bytes;	/* of the files before it */
	uint64_t skipped_keys;	/* of it, that another rank checks */
};

struct checking {
	struct gsort    *job;
	struct gs_order *order;
	struct file      file;
};

/* Check the next chunk; *DISORDER if a key is out of order. */
static gs_status
check_chunk(void *context, const struct gs_chunk *chunk, bool *disorder)
{
	struct checking *checking = context;
	struct gsort *job = checking->job;
	struct gs_order *order = checking->order;
	struct file *file = &checking->file;
	const struct gsort_options *options = job->options;
	const size_t key_bytes = order->key_bits / 8, count = chunk->bytes / key_bytes;
	uint64_t since = gs_clock_now(), before;
	size_t first;

	if (chunk->begins) {
		*file = (struct file){
			order->keys, job->stats.bytes_in,
			gs_ranked_before(job->ranked, chunk->name, key_bytes),
		};
		order->name = chunk->name;
	}
	before = file->skipped_keys + order->keys - file->keys;
	job->stats.bytes_in += chunk->bytes;
	if (chunk->bytes % key_bytes != 0)
		return gs_order_partial(options, chunk->name, job->stats.bytes_in - file->bytes);
	gs_raw_to_ordered(options->type, options->endian, options->reverse, chunk->data, count,
	                  order->threads);
	gs_clock_lap(&job->monitor.clock, GS_STAGE_DECODE, &since);
	first = gs_order_follow(order, chunk->data, count);
	gs_clock_lap(&job->monitor.clock, GS_STAGE_SORT, &since);
	atomic_store(&job->monitor.counters.bytes_in, job->stats.bytes_in);
	atomic_store(&job->monitor.counters.keys_in, order->keys);
	*disorder = first < count;
	if (*disorder && options->check == GSORT_CHECK_FIRST)
		(void)gs_order_fail(order, &job->emit.encoding, before + first + 1,
		                    chunk->data + first * key_bytes, options->skip_bytes, "");
	return GS_OK;
}

static gs_status
check_raw(struct gsort *job, struct gs_order *order, bool *disorder)
{
	struct checking checking = { .job = job, .order = order };

	return gs_job_chunks(job, sizeof(uint64_t), CHUNK_BYTES, check_chunk, &checking, disorder);
}

/* ---- text --------------------------------------------------------------- */

/* The lines of one file. */
static gs_status
check_lines(struct gsort *job, struct gs_line_reader *reader, struct gs_order *order, bool *disorder)
{
	const uint64_t before = job->stats.bytes_in;

	do {
		uint64_t since;
		size_t first;

		TRY(gs_line_reader_next(reader));
		since = gs_clock_now();
		first = gs_order_follow_text(order, reader->classes, reader->keys, reader->count);
		gs_clock_lap(&job->monitor.clock, GS_STAGE_SORT, &since);
		*disorder = first < reader->count;
		if (*disorder && job->options->check == GSORT_CHECK_FIRST) {
			const char *line = reader->batch_text + reader->at[first];

			(void)gs_order_fail_text(order,
			                         gs_line_number(&job->ingest.text, order->name,
			                                        reader->numbers[first]), line,
			                         (size_t)(reader->text + reader->end - line),
			                         job->ingest.text.terminator, "");
		}
		job->stats.bytes_in = before + reader->bytes;
		atomic_store(&job->monitor.counters.bytes_in, job->stats.bytes_in);
		atomic_store(&job->monitor.counters.keys_in, order->keys);
	} while (reader->count > 0 && !*disorder);
	return GS_OK;
}

static gs_status
check_text(struct gsort *job, struct gs_order *order, bool *disorder)
{
	struct gs_line_reader *reader = NULL;
	struct gs_line_source source;
	void *memory;

	TRY(gs_arena_open(&job->arena, GS_LINE_READER_MOST_BYTES, false));
	memory = gs_arena_take(&job->arena, GS_LINE_READER_MOST_BYTES);
	while (!*disorder && gs_input_next(job->input)) {
		order->name = gs_input_name(job->input);
		source = (struct gs_line_source){ gs_input_read_callback, job->input, order->name };
		reader = gs_line_reader_open(memory, GS_LINE_READER_MOST_BYTES, &source,
		                             &job->ingest.text);
		reader->clock = &job->monitor.clock;
		reader->lines.invalid = job->stats.invalid_lines;
		TRY(check_lines(job, reader, order, disorder));
		job->stats.invalid_lines = reader->lines.invalid;
	}
	if (reader != NULL && !*disorder)
		gs_lines_end(&reader->lines);
	return GS_OK;
}

gs_status
gs_job_check(struct gsort *job, bool *disorder)
{
	struct gs_order order = {
		.key_bits = job->plan_input.key_bits,
		.strict = job->options->unique,
		.counts_breaks = job->options->check == GSORT_CHECK_SUMMARY,
		.threads = (job->plan.threads + 1) / 2,	/* the other half reads */
	};

	*disorder = false;
	atomic_store(&job->monitor.counters.phase, GSORT_READING);
	TRY(order.key_bits > 0 ? check_raw(job, &order, disorder)
	                       : check_text(job, &order, disorder));
	job->stats.keys = order.keys;
	job->stats.breaks = order.breaks;
	job->stats.duplicates = order.duplicates;
	*disorder |= order.breaks > 0 || (order.strict && order.duplicates > 0);
	return GS_OK;
}
