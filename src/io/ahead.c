// SPDX-License-Identifier: BSD-2-Clause
/*
 * ahead.c - a reader thread and three chunks that go round
 *
 * In:   the input, from its first file to its last.
 * Out:  its bytes in order, chunk by chunk; none spans two files.
 *
 * Two queues: EMPTY brings chunks to the reader, FULL brings them to the taker.
 * A full chunk may have to wait, an empty one is never missing for longer than
 * the taker holds it, so nobody needs to count.
 *
 * The first chunk is read by the taker, who would have to wait for it anyway; the thread
 * begins where there is more.  A job of ten lines spent a tenth of its time on it.
 *
 * Invariant: a chunk is in one place only: a queue, the reader, or the taker.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "io/ahead.h"

_Static_assert((int)GS_AHEAD_CHUNKS <= (int)GS_QUEUE_SLOTS, "giving a chunk never blocks");

/* Pass trouble on, after the bytes that came before it.  False: nobody cares. */
static bool
give_trouble(struct gs_ahead *ahead, gs_status status)
{
	char message[sizeof ahead->chunks[0].message];
	struct gs_chunk *chunk;

	snprintf(message, sizeof message, "%s", gs_message());
	chunk = gs_queue_take(&ahead->empty);
	if (chunk == NULL)
		return false;
	chunk->bytes = 0;
	chunk->status = status;
	memcpy(chunk->message, message, sizeof message);
	return gs_queue_give(&ahead->full, chunk);
}

/* The next chunk of the file that has begun.  False: stop. */
static bool
read_chunk(struct gs_ahead *ahead)
{
	struct gs_chunk *chunk = gs_queue_take(&ahead->empty);
	uint64_t since = gs_clock_now();
	gs_status status;

	if (chunk == NULL)
		return false;
	chunk->bytes = 0;
	status = ahead->begins ? gs_input_skip(ahead->input, ahead->skip_bytes, chunk->data,
	                                       ahead->chunk_bytes) : GS_OK;
	if (status == GS_OK)
		status = gs_input_read(ahead->input, chunk->data, ahead->chunk_bytes, &chunk->bytes);
	gs_clock_lap(ahead->clock, GS_STAGE_READ, &since);
	ahead->in_file = chunk->bytes == ahead->chunk_bytes;
	chunk->name = gs_input_name(ahead->input);
	chunk->begins = ahead->begins;
	chunk->ends = !ahead->in_file && status == GS_OK;
	chunk->status = GS_OK;
	ahead->begins = false;
	if (!gs_queue_give(&ahead->full, chunk))
		return false;
	if (status != GS_OK) {
		give_trouble(ahead, status);
		return false;
	}
	return true;
}

/* The next chunk, maybe of the next file.  False: there is none. */
static bool
read_next(struct gs_ahead *ahead)
{
	if (!ahead->in_file)
		ahead->begins = ahead->in_file = gs_input_next(ahead->input);
	return ahead->in_file && read_chunk(ahead);
}

static gs_status
read_all(void *context)
{
	struct gs_ahead *ahead = context;

	while (read_next(ahead))
		;
	gs_queue_shut(&ahead->full);
	return GS_OK;
}

void
gs_ahead_open(struct gs_ahead *ahead, struct gs_input *input, char *memory, size_t chunk_bytes)
{
	gs_ahead_open_behind(ahead, input, 0, memory, chunk_bytes);
}

void
gs_ahead_open_behind(struct gs_ahead *ahead, struct gs_input *input, uint64_t skip_bytes,
                     char *memory, size_t chunk_bytes)
{
	assert(chunk_bytes > 0);
	*ahead = (struct gs_ahead){
		.input = input, .skip_bytes = skip_bytes, .chunk_bytes = chunk_bytes,
	};
	gs_queue_open(&ahead->full);
	gs_queue_open(&ahead->empty);
	for (size_t c = 0; c < GS_AHEAD_CHUNKS; c++) {
		ahead->chunks[c].data = memory + c * chunk_bytes;
		gs_queue_give(&ahead->empty, &ahead->chunks[c]);
	}
	ahead->open = true;
}

/* The taker reads the first chunk itself, and sees whether there is more for a thread. */
static gs_status
read_on(struct gs_ahead *ahead)
{
	bool more;

	if (!ahead->begun) {
		ahead->begun = true;
		more = read_next(ahead);
		if (more && !ahead->in_file)
			return GS_OK;	/* whether a file follows is asked when it is wanted */
	} else {
		more = ahead->begins = ahead->in_file = gs_input_next(ahead->input);
	}
	ahead->settled = true;
	if (more)
		return gs_thread_start(&ahead->thread, read_all, ahead);
	gs_queue_shut(&ahead->full);
	return GS_OK;
}

gs_status
gs_ahead_take(struct gs_ahead *ahead, struct gs_chunk **chunk)
{
	*chunk = NULL;
	if (!ahead->settled)
		TRY(read_on(ahead));
	*chunk = gs_queue_take(&ahead->full);
	if (*chunk != NULL && (*chunk)->status != GS_OK) {
		struct gs_chunk *trouble = *chunk;

		*chunk = NULL;
		return gs_fail(trouble->status, "%s", trouble->message);
	}
	return GS_OK;
}

void
gs_ahead_give(struct gs_ahead *ahead, struct gs_chunk *chunk)
{
	assert(chunk >= ahead->chunks && chunk < ahead->chunks + GS_AHEAD_CHUNKS);
	(void)gs_queue_give(&ahead->empty, chunk);
}

void
gs_ahead_close(struct gs_ahead *ahead)
{
	if (!ahead->open)
		return;
	gs_input_stop(ahead->input);
	gs_queue_shut(&ahead->full);
	gs_queue_shut(&ahead->empty);
	(void)gs_thread_join(&ahead->thread);
	gs_queue_close(&ahead->full);
	gs_queue_close(&ahead->empty);
	ahead->open = false;
}
