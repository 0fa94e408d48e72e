// SPDX-License-Identifier: BSD-2-Clause
/*
 * fill.c - input to backend: the first half of a job
 *
 * Binary keys are read straight into the backend's tiles and mapped in place.
 * Text is read ahead by a thread, parsed by all, and its keys copied to a tile
 * for each stream.
 */
#include <assert.h>
#include <string.h>

#include "format/key.h"
#include "job/job.h"

/* ---- tiles -------------------------------------------------------------- */

static gs_status
batch_is_full(struct gsort *job)
{
	if (job->backend == &gs_backend_cpu && job->plan.shelf_bytes / 2 >= job->facts.input_bytes)
		return gs_fail(GS_EBUDGET, "the input grew to more than twice its size while it was "
		               "read; sort it when it is finished, or use: cat FILE | gsort");
	if (job->backend == &gs_backend_cpu)
		return gs_fail(GS_EBUDGET, "the input needs more than the %llu MiB of memory that can be "
		               "had; use sort(1), or sort it in parts",
		               (unsigned long long)(job->facts.host_bytes >> 20));
	TRY(gs_fill_flush(job));
	TRY(job->backend->finish(job->device));
	return gs_fill_set_aside(job);
}

gs_status
gs_fill_room(struct gsort *job, unsigned stream)
{
	struct gs_tile *tile = &job->tiles[stream];

	if (tile->keys != NULL)
		return GS_OK;
	TRY(gs_device_poll(job));
	if (tile->keys != NULL)		/* taken by the hand-over */
		return GS_OK;
	TRY(job->backend->take(job->device, stream, tile));
	if (tile->room == 0) {
		TRY(batch_is_full(job));
		TRY(job->backend->take(job->device, stream, tile));
	}
	assert(tile->room > 0 && tile->count == 0);
	return GS_OK;
}

static gs_status
feed(struct gsort *job, unsigned stream)
{
	struct gs_tile tile = job->tiles[stream];

	job->tiles[stream] = (struct gs_tile){ .keys = NULL };
	return job->backend->feed(job->device, &tile);
}

gs_status
gs_fill_took(struct gsort *job, unsigned stream, size_t count)
{
	struct gs_tile *tile = &job->tiles[stream];

	tile->count += count;
	assert(tile->count <= tile->room);
	return tile->count == tile->room ? feed(job, stream) : GS_OK;
}

gs_status
gs_fill_flush(struct gsort *job)
{
	for (unsigned s = 0; s < GS_STREAMS; s++)
		if (job->tiles[s].keys != NULL)
			TRY(feed(job, s));
	return GS_OK;
}

gs_status
gs_fill_set_aside(struct gsort *job)
{
	struct gs_span span;

	job->stats.batches++;
	for (unsigned s = 0; s < GS_STREAMS; s++) {
		struct gs_run_list *list = &job->run_lists[s];

		if (list->count == GS_MOST_RUNS)
			return gs_fail(GS_EBUDGET, "more than %d batches: give the GPU more memory",
			               GS_MOST_RUNS);
		if (list->runs != NULL)
			list->runs[list->count].count = 0;
	}
	for (;;) {
		struct gs_shelf *shelf;
		struct gs_run *run;
		size_t bytes;
		char *to;

		TRY(job->backend->drain(job->device, &span));
		if (span.count == 0)
			break;
		shelf = &job->store.shelf[span.stream];
		run = &job->run_lists[span.stream].runs[job->run_lists[span.stream].count];
		bytes = span.count * (span.key_bits / 8);
		if (gs_store_bytes(&job->store) + bytes > job->store.total_bytes ||
		    span.count > shelf->room - shelf->count)
			return gs_fail(GS_EBUDGET, "the input is larger than GPU and host memory (%llu MiB) "
			               "together; use sort(1), or sort it in parts",
			               (unsigned long long)(job->store.total_bytes >> 20));
		to = (char *)shelf->keys + shelf->count * (span.key_bits / 8);
		gs_store_copy(to, span.keys, bytes, job->plan.threads);
		if (run->count == 0)
			run->keys = to;
		run->count += span.count;
		shelf->count += span.count;
	}
	for (unsigned s = 0; s < GS_STREAMS; s++) {
		struct gs_run_list *list = &job->run_lists[s];

		list->count += list->runs != NULL && list->runs[list->count].count > 0;
	}
	return GS_OK;
}

/* ---- binary ------------------------------------------------------------- */

/* The file ended after FILE_BYTES: must have been whole keys. */
static gs_status
check_whole(struct gsort *job, uint64_t file_bytes)
{
	if (file_bytes % (job->facts.key_bits / 8) == 0)
		return GS_OK;
	return gs_raw_partial(job->options->type, gs_input_name(job->input), file_bytes);
}

static gs_status
fill_raw_file(struct gsort *job)
{
	const size_t key_bytes = job->facts.key_bits / 8;
	uint64_t file_bytes = 0;
	size_t want, got;

	do {
		struct gs_tile *tile = &job->tiles[0];
		size_t count;
		char *to;

		TRY(gs_fill_room(job, 0));
		want = (tile->room - tile->count) * key_bytes;
		to = (char *)tile->keys + tile->count * key_bytes;
		TRY(gs_input_read(job->input, to, want, &got));
		file_bytes += got;
		count = got / key_bytes;
		if (got < want)
			TRY(check_whole(job, file_bytes));
		gs_raw_to_ordered(job->options->type, job->options->endian, job->options->reverse, to, count);
		job->landed_bytes += got;
		job->stats.keys += count;
		TRY(gs_fill_took(job, 0, count));
	} while (got == want);
	job->stats.bytes_in += file_bytes;
	return GS_OK;
}

static gs_status
fill_counts_file(struct gsort *job)
{
	const size_t key_bytes = job->facts.key_bits / 8;
	const size_t want = job->plan.tile_bytes;
	uint64_t file_bytes = 0;
	size_t got;

	do {
		TRY(gs_input_read(job->input, job->merge_buffer, want, &got));
		file_bytes += got;
		if (got < want)
			TRY(check_whole(job, file_bytes));
		gs_raw_to_ordered(job->options->type, job->options->endian, job->options->reverse,
		                  job->merge_buffer, got / key_bytes);
		gs_count_add(&job->small, job->merge_buffer, got / key_bytes);
	} while (got == want);
	job->stats.keys += file_bytes / key_bytes;
	job->stats.bytes_in += file_bytes;
	return GS_OK;
}

static gs_status
fill_raw(struct gsort *job)
{
	while (gs_input_next(job->input))
		TRY(job->plan.counts ? fill_counts_file(job) : fill_raw_file(job));
	return GS_OK;
}

/* ---- text --------------------------------------------------------------- */

/* Move the keys of the last chunk to the tiles of their streams. */
static gs_status
fetch_keys(struct gsort *job)
{
	for (unsigned s = 0; s < GS_STREAMS; s++) {
		struct gs_tile *tile = &job->tiles[s];
		size_t count;

		while (gs_text_left(job->decoder, (enum gs_text_class)s) > 0) {
			TRY(gs_fill_room(job, s));
			count = gs_text_fetch(job->decoder, (enum gs_text_class)s,
			                      (char *)tile->keys + tile->count * (tile->key_bits / 8),
			                      tile->room - tile->count);
			job->landed_bytes += count * (tile->key_bits / 8);
			TRY(gs_fill_took(job, s, count));
		}
	}
	return GS_OK;
}

static gs_status
fill_text(struct gsort *job)
{
	struct gs_chunk *chunk;

	TRY(gs_ahead_open(&job->ahead, job->input, job->chunk_memory, job->plan.chunk_bytes));
	for (;;) {
		TRY(gs_ahead_take(&job->ahead, &chunk));
		if (chunk == NULL)
			break;
		if (chunk->begins)
			gs_text_begin_file(job->decoder, chunk->name);
		TRY(gs_text_decode(job->decoder, chunk->data, chunk->bytes, chunk->ends));
		job->stats.bytes_in += chunk->bytes;
		gs_ahead_give(&job->ahead, chunk);
		TRY(fetch_keys(job));
	}
	job->small.parts = gs_text_fetch_small(job->decoder, job->small.bins);
	job->stats.keys = gs_text_lines(job->decoder);
	return GS_OK;
}

gs_status
gs_fill(struct gsort *job)
{
	TRY(job->facts.key_bits == 0 ? fill_text(job) : fill_raw(job));
	TRY(gs_device_settle(job));
	return gs_fill_flush(job);
}
