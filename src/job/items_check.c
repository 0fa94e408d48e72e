// SPDX-License-Identifier: BSD-2-Clause
/*
 * items_check.c - are records sorted?
 *
 * In:   inputs, which are checked as if they were one.
 * Out:  the answer, and a message about the first record out of order; or counts.
 *
 * A thread reads chunks ahead (chunks.h), this one compares neighbours, as in check.c.
 */
#include "job/chunks.h"
#include "job/items_check.h"
#include "job/ranked.h"
#include "sort/items/follow.h"

#define CHUNK_BYTES	((size_t)4 << 20)

/* Where a file begins. */
struct file {
	uint64_t items, bytes;	/* of the files before it */
	uint64_t skipped;	/* items of it, that another rank checks */
};

struct checking {
	struct gsort         *job;
	struct gs_item_follow follow;
	struct file           file;
};

/* Check the next chunk; *DISORDER if a record is out of order. */
static gs_status
check_chunk(void *context, const struct gs_chunk *chunk, bool *disorder)
{
	struct checking *checking = context;
	struct gsort *job = checking->job;
	struct gs_item_follow *follow = &checking->follow;
	struct file *file = &checking->file;
	const struct gsort_options *options = job->options;
	const struct gs_record *record = &job->items.ingest.record;
	const struct gs_item_slice slice = { chunk->data, chunk->bytes / record->bytes * record->bytes };
	uint64_t since = gs_clock_now();
	size_t at;

	if (chunk->begins)
		*file = (struct file){
			follow->items, job->stats.bytes_in,
			gs_ranked_before(job->ranked, chunk->name, record->bytes),
		};
	job->stats.bytes_in += chunk->bytes;
	if (slice.bytes < chunk->bytes)
		return gs_record_partial(record, chunk->name, options->skip_bytes,
		                         job->stats.bytes_in - file->bytes);
	at = gs_items_follow(follow, &slice);
	gs_clock_lap(&job->monitor.clock, GS_STAGE_SORT, &since);
	if (at == SIZE_MAX)
		return gs_fail(GS_EBUDGET, "out of memory");
	atomic_store(&job->monitor.counters.bytes_in, job->stats.bytes_in);
	atomic_store(&job->monitor.counters.keys_in, follow->items);
	*disorder = at < slice.bytes;
	if (*disorder && options->check == GSORT_CHECK_FIRST)
		(void)gs_record_disorder(record, chunk->name, slice.data + at,
		                         file->skipped + follow->items - file->items + 1,
		                         options->skip_bytes, "");
	return GS_OK;
}

gs_status
gs_items_check(struct gsort *job, bool *disorder)
{
	struct checking checking = {
		.job = job,
		.follow = {
			.order = &job->items.order,
			.strict = job->options->unique,
			.counts_breaks = job->options->check == GSORT_CHECK_SUMMARY,
		},
	};
	struct gs_item_follow *follow = &checking.follow;
	const size_t record_bytes = job->items.ingest.record.bytes;
	gs_status status;

	*disorder = false;
	atomic_store(&job->monitor.counters.phase, GSORT_READING);
	status = gs_job_chunks(job, record_bytes, CHUNK_BYTES + record_bytes, check_chunk, &checking,
	                       disorder);
	job->stats.keys = follow->items;
	job->stats.breaks = follow->breaks;
	job->stats.duplicates = follow->duplicates;
	*disorder |= follow->breaks > 0 || (follow->strict && follow->duplicates > 0);
	gs_items_follow_close(follow);
	return status;
}
