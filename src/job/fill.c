// SPDX-License-Identifier: BSD-2-Clause
/*
 * fill.c - input to backend: the first half of a job
 *
 * Binary keys are read straight into the backend's tiles and mapped in place.
 * Text is read ahead by a thread, parsed by all, and its keys copied to a tile
 * for each stream.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "format/key.h"
#include "job/job.h"

/* ---- tiles -------------------------------------------------------------- */

gs_status
gs_fill_room(struct gsort *job, unsigned stream)
{
	struct gs_tile *tile = &job->tiles[stream];

	if (job->plan.head_keys > 0)
		TRY(gs_head_poll(job));
	if (tile->keys != NULL)
		return GS_OK;
	TRY(gs_device_poll(job));
	if (tile->keys != NULL)		/* taken by the hand-over */
		return GS_OK;
	TRY(job->backend->take(job->device, stream, tile));
	if (tile->room == 0) {
		assert(job->plan.head_keys == 0);
		TRY(gs_aside_batch(job));
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

	if (job->plan.head_keys > 0)
		count = gs_head_filter(job, stream,
		                       (char *)tile->keys + tile->count * (tile->key_bits / 8), count);
	tile->count += count;
	assert(tile->count <= tile->room);
	return tile->count == tile->room || job->plan.head_keys > 0 ? feed(job, stream) : GS_OK;
}

gs_status
gs_fill_flush(struct gsort *job)
{
	for (unsigned s = 0; s < GS_STREAMS; s++)
		if (job->tiles[s].keys != NULL)
			TRY(feed(job, s));
	return GS_OK;
}

/* Note what has come, for statistics and whoever watches. */
static void
count_in(struct gsort *job, size_t bytes, uint64_t keys)
{
	job->stats.bytes_in += bytes;
	job->stats.keys += keys;
	atomic_store(&job->counters.bytes_in, job->stats.bytes_in);
	atomic_store(&job->counters.keys_in, job->stats.keys);
}

/* ---- binary ------------------------------------------------------------- */

gs_status
gs_fill_header(struct gsort *job)
{
	const uint64_t bytes = job->options->skip_bytes;
	const bool first = job->header_bytes == 0;	/* more is an error, so 0 is: none yet */
	char dropped[1 << 16];
	uint64_t passed = 0;

	while (passed < bytes) {
		const uint64_t left = bytes - passed;
		const size_t want = first || left < sizeof dropped ? (size_t)left : sizeof dropped;
		size_t got;

		TRY(gs_input_read(job->input, first ? job->header + passed : dropped, want, &got));
		passed += got;
		if (got < want)
			return gs_fail(GS_EINPUT, "%s: has only %llu of the %llu bytes to be skipped",
			               gs_input_name(job->input), (unsigned long long)passed,
			               (unsigned long long)bytes);
	}
	job->header_bytes = (size_t)bytes;
	job->stats.bytes_in += bytes;
	return GS_OK;
}

/* The file ended FILE_BYTES behind its header: must have been whole keys. */
static gs_status
check_whole(struct gsort *job, uint64_t file_bytes)
{
	const unsigned long long skipped = job->options->skip_bytes;
	char name[1024];

	if (file_bytes % (job->facts.key_bits / 8) == 0)
		return GS_OK;
	if (skipped == 0)
		return gs_raw_partial(job->options->type, gs_input_name(job->input), file_bytes);
	snprintf(name, sizeof name, "%s: behind %llu skipped", gs_input_name(job->input), skipped);
	return gs_raw_partial(job->options->type, name, file_bytes);
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
		gs_raw_to_ordered(job->options->type, job->options->endian, job->options->reverse, to,
		                  count, job->plan.threads);
		gs_verify_in(&job->verify, 0, job->facts.key_bits, to, count);
		job->landed_bytes += got;
		count_in(job, got, count);
		TRY(gs_fill_took(job, 0, count));
	} while (got == want);
	return GS_OK;
}

static gs_status
fill_counts_file(struct gsort *job)
{
	const size_t key_bytes = job->facts.key_bits / 8;
	const size_t want = job->plan.count_bytes;
	uint64_t file_bytes = 0;
	size_t got;

	do {
		TRY(gs_input_read(job->input, job->count_memory, want, &got));
		file_bytes += got;
		if (got < want)
			TRY(check_whole(job, file_bytes));
		gs_raw_to_ordered(job->options->type, job->options->endian, job->options->reverse,
		                  job->count_memory, got / key_bytes, job->plan.threads);
		gs_verify_in(&job->verify, 0, job->facts.key_bits, job->count_memory, got / key_bytes);
		gs_count_add(&job->small, job->count_memory, got / key_bytes);
		count_in(job, got, got / key_bytes);
	} while (got == want);
	return GS_OK;
}

static gs_status
fill_raw(struct gsort *job)
{
	while (gs_input_next(job->input)) {
		TRY(gs_fill_header(job));
		TRY(job->plan.counts ? fill_counts_file(job) : fill_raw_file(job));
	}
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
		char *to;

		while (gs_text_left(job->decoder, (enum gs_text_class)s) > 0) {
			TRY(gs_fill_room(job, s));
			to = (char *)tile->keys + tile->count * (tile->key_bits / 8);
			count = gs_text_fetch(job->decoder, (enum gs_text_class)s, to,
			                      tile->room - tile->count);
			gs_verify_in(&job->verify, s, tile->key_bits, to, count);
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

	gs_ahead_open(&job->ahead, job->input, job->chunk_memory, job->plan.chunk_bytes);
	for (;;) {
		TRY(gs_ahead_take(&job->ahead, &chunk));
		if (chunk == NULL)
			break;
		if (chunk->begins)
			gs_text_begin_file(job->decoder, chunk->name);
		TRY(gs_text_decode(job->decoder, chunk->data, chunk->bytes, chunk->ends));
		count_in(job, chunk->bytes, gs_text_lines(job->decoder) - job->stats.keys);
		gs_ahead_give(&job->ahead, chunk);
		TRY(fetch_keys(job));
	}
	job->small.parts = gs_text_fetch_small(job->decoder, job->small.bins);
	gs_text_end(job->decoder);
	gs_verify_in_counts(&job->verify, &job->small, job->options->reverse ? UINT32_MAX : 0);
	job->stats.keys = gs_text_lines(job->decoder);
	job->stats.invalid_lines = gs_text_invalid(job->decoder);
	return GS_OK;
}

gs_status
gs_fill(struct gsort *job)
{
	TRY(job->facts.key_bits == 0 ? fill_text(job) : fill_raw(job));
	TRY(gs_device_settle(job));
	return gs_fill_flush(job);
}
