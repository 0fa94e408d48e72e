// SPDX-License-Identifier: BSD-2-Clause
/*
 * keys.c - what a job of plain keys, binary or text, has of its own
 *
 * In:   open inputs and a plan.
 * Out:  the engine of the keys, filled; and what stands before them.
 */
#include "format/key.h"
#include "job/job.h"
#include "job/kind.h"
#include "job/options.h"

const struct gs_kind *
gs_kind_of(const struct gsort_options *options)
{
	return gs_options_read_lines(options) ? &gs_lines :
	       gs_options_want_items(options) ? &gs_records : &gs_keys;
}

static size_t
element_bytes(const struct gsort *job)
{
	return gs_key_bits(job->options.type) / 8;
}

static bool
writes_binary(const struct gsort *job)
{
	return gs_key_bits(job->emit.encoding.to) > 0;
}

/* Take every buffer of the job.  An arena that is not open only adds up their bytes. */
static void
carve(struct gsort *job)
{
	if (job->options.operation == GSORT_SORT)
		gs_ingest_carve(&job->keys.ingest, &job->plan, &job->arena);
	gs_store_carve(&job->keys.store, &job->options, &job->plan_input, &job->plan, &job->arena);
	if (job->handover == NULL)
		gs_emit_carve(&job->emit, &job->options, &job->plan, &job->arena);
}

static gs_status
allocate(struct gsort *job)
{
	job->arena = (struct gs_arena){ .base = NULL };
	carve(job);
	TRY(gs_arena_open(&job->arena, job->arena.used_bytes, job->plan.huge_pages));
	carve(job);
	gs_store_open(&job->keys.store, &job->monitor);
	job->engine = gs_store_engine(&job->keys.store);
	if (job->options.operation == GSORT_SORT)
		gs_ingest_open(&job->keys.ingest, job->files.input, &job->keys.store.histogram,
		               &job->plan_input, &job->monitor);
	return GS_OK;
}

static gs_status
check_disk(struct gsort *job)
{
	return gs_runs_prepare_disk(&job->keys.store.runs);
}

static gs_status
read_all(struct gsort *job, const struct gs_taker *taker)
{
	TRY(gs_ingest_run(&job->keys.ingest, taker));
	if (job->plan_input.key_bits == 0)
		gs_verify_in_counts(&job->verify, &job->keys.store.histogram,
		                    job->options.reverse ? UINT32_MAX : 0);
	return gs_npy_check(&job->items.npy, job->keys.ingest.read.elements);
}

static gs_status
find_header(struct gsort *job, uint64_t count, const char **header, size_t *bytes)
{
	(void)count;
	*header = gs_ingest_header(&job->keys.ingest, bytes);
	return GS_OK;
}

static void
count_read(const struct gsort *job, struct gsort_stats *stats)
{
	stats->bytes_in = job->keys.ingest.read.bytes;
	stats->keys = job->keys.ingest.read.elements;
	stats->invalid_lines = job->keys.ingest.invalid_lines;
}

const struct gs_kind gs_keys = {
	.element_bytes = element_bytes, .writes_binary = writes_binary, .allocate = allocate,
	.check_disk = check_disk, .read = read_all, .header = find_header, .check = gs_keys_check,
	.explain = gs_keys_explain, .explain_memory = gs_keys_explain_memory,
	.count = count_read,
};
