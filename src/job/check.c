// SPDX-License-Identifier: BSD-2-Clause
/*
 * check.c - is the input sorted?
 *
 * In:   one input.
 * Out:  the answer, and a sentence about the first key out of order; or counts.
 *
 * A stream: a thread reads chunks ahead (ahead.c), the others compare what is there
 * (order.c), in constant memory.  Nothing is written, no GPU is asked.
 */
#include <assert.h>

#include "format/key.h"
#include "format/lines.h"
#include "job/job.h"
#include "job/order.h"

/* Of binary keys: small enough to be compared out of the cache it was read to. */
#define CHUNK_BYTES	((size_t)1 << 20)

/* ---- binary ------------------------------------------------------------- */

/* The next chunk: *DISORDER if a key is not where it should be. */
static gs_status
check_chunk(struct gsort *job, struct gs_order *order, const struct gs_chunk *chunk,
            bool *disorder)
{
	const struct gsort_options *options = job->options;
	const size_t key_bytes = order->key_bits / 8, count = chunk->bytes / key_bytes;
	const uint64_t before = order->keys;
	size_t first;

	job->stats.bytes_in += chunk->bytes;
	if (chunk->bytes % key_bytes != 0)
		return gs_raw_partial(options->type, chunk->name, job->stats.bytes_in);
	gs_raw_to_ordered(options->type, options->endian, options->reverse, chunk->data, count);
	first = gs_order_follow(order, chunk->data, count);
	atomic_store(&job->counters.bytes_in, job->stats.bytes_in);
	atomic_store(&job->counters.keys_in, order->keys);
	*disorder = first < count;
	if (*disorder && options->check == GSORT_CHECK_FIRST)
		(void)gs_order_fail(order, &job->encoding, before + first + 1,
		                    chunk->data + first * key_bytes, options->skip_bytes, "");
	return GS_OK;
}

static gs_status
check_raw(struct gsort *job, struct gs_order *order, bool *disorder)
{
	struct gs_chunk *chunk;

	TRY(gs_arena_open(&job->arena, GS_AHEAD_CHUNKS * CHUNK_BYTES));
	TRY(gs_ahead_open_behind(&job->ahead, job->input, job->options->skip_bytes,
	                         gs_arena_take(&job->arena, GS_AHEAD_CHUNKS * CHUNK_BYTES),
	                         CHUNK_BYTES));
	while (!*disorder) {
		TRY(gs_ahead_take(&job->ahead, &chunk));
		if (chunk == NULL)
			break;
		order->name = chunk->name;
		TRY(check_chunk(job, order, chunk, disorder));
		gs_ahead_give(&job->ahead, chunk);
	}
	return GS_OK;
}

gs_status
gs_check_inputs(struct gsort *job, bool *disorder)
{
	struct gs_order order = {
		.key_bits = job->facts.key_bits,
		.strict = job->options->unique,
		.tallies = job->options->check == GSORT_CHECK_SUMMARY,
	};

	*disorder = false;
	atomic_store(&job->counters.phase, GSORT_READING);
	TRY(check_raw(job, &order, disorder));
	job->stats.keys = order.keys;
	job->stats.breaks = order.breaks;
	job->stats.duplicates = order.duplicates;
	*disorder |= order.breaks > 0 || (order.strict && order.duplicates > 0);
	return GS_OK;
}
