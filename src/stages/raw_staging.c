// SPDX-License-Identifier: BSD-2-Clause
/*
 * raw_staging.c - one file of binary keys to the staging buffers of a GPU
 *
 * Threads read into staging buffers; the main thread, rank 0, lends and commits them, one buffer
 * ahead, so that nobody waits until a buffer is full to its last piece.
 */
#include <assert.h>
#include <stdatomic.h>
#include <string.h>

#include "format/key.h"
#include "sort/checksum.h"
#include "stages/ingest.h"

/* Readers that fill the staging buffers of a GPU.  pread() of a cached file to pinned memory and on to
 * an H200: 2 threads 17 GB/s, 4 28, 8 40, 16 44. */
enum { GPU_READERS = 8 };

/* Staging buffers that are read into at once, at most.  Not tuned. */
enum { FILLINGS = 4 };

/* A staging buffer that is being read into. */
struct filling {
	struct gs_staging staging;
	uint64_t sum;		/* of the keys in it */
	size_t   begin;		/* bytes that were in it */
	size_t   room, claimed;	/* bytes behind them, and those of them that pieces have */
	size_t   pieces, missing;	/* and those that are not there yet */
	uint32_t got[GS_PIECES_MOST];	/* bytes of each piece */
	bool     used;
};

struct staging {
	struct gs_ingest      *ingest;
	struct gs_pieces      *pieces;	/* their lock guards what follows */
	pthread_cond_t         changed;
	struct filling         filling[FILLINGS];
	size_t                 fillings;	/* at once, at most */
	size_t                 used, current;	/* how many are in use; the one that is read into */
};

void
gs_raw_map(const struct gs_ingest *ingest, void *keys, size_t count)
{
	const struct gsort_options *options = ingest->options;
	uint64_t since = gs_clock_now();

	gs_raw_to_ordered(options->type, options->endian, options->reverse, keys, count, 1);
	gs_clock_lap(&ingest->monitor->clock, GS_STAGE_DECODE, &since);
}

/* Close the gaps behind pieces that are short because the file was truncated meanwhile. */
static size_t
compact(const struct filling *filling, size_t piece_bytes)
{
	char *to = (char *)filling->staging.keys + filling->begin;
	size_t bytes = 0;

	for (size_t p = 0; p < filling->pieces; p++) {
		if (bytes < p * piece_bytes)
			memmove(to + bytes, to + p * piece_bytes, filling->got[p]);
		bytes += filling->got[p];
	}
	return bytes;
}

/* Bytes that may still be read into the fillings; with the lock. */
static size_t
room_left(const struct staging *staging)
{
	size_t bytes = 0;

	for (size_t f = 0; f < FILLINGS; f++)
		if (staging->filling[f].used)
			bytes += staging->filling[f].room - staging->filling[f].claimed;
	return bytes;
}

static size_t
key_bytes(const struct staging *staging)
{
	return staging->ingest->key_bits / 8;
}

/* Lend one more staging buffer, into which FILLING reads; rank 0.  Without the lock, but at the
 * end. */
static gs_status
lend_filling(struct staging *staging, struct filling *filling)
{
	struct gs_ingest *ingest = staging->ingest;
	const size_t piece_bytes = ingest->plan->piece_bytes;
	gs_status status;

	filling->claimed = filling->pieces = filling->missing = 0;
	TRY(ingest->taker.stage(ingest->taker.context, 0, staging->used > 0, &filling->staging,
	                        &filling->sum));
	filling->begin = filling->staging.count * key_bytes(staging);
	filling->room = filling->staging.room * key_bytes(staging) - filling->begin;
	assert(filling->room <= GS_PIECES_MOST * piece_bytes);
	if (filling->room == 0)		/* the fillings that are in use come first */
		return GS_OK;
	pthread_mutex_lock(&staging->pieces->lock);
	status = gs_ingest_check_copy(ingest, room_left(staging) + filling->room);
	if (status == GS_OK) {		/* or nobody reads into it */
		filling->used = true;
		staging->used++;
		pthread_cond_broadcast(&staging->changed);
	}
	pthread_mutex_unlock(&staging->pieces->lock);
	return status;
}

/* All pieces are there: give the staging buffer back; rank 0. */
static gs_status
end_filling(struct staging *staging, struct filling *filling)
{
	const struct gs_taker *taker = &staging->ingest->taker;
	const size_t bytes = compact(filling, staging->ingest->plan->piece_bytes);

	filling->staging.count += bytes / key_bytes(staging);
	return taker->give(taker->context, &filling->staging, filling->sum);
}

/* A filling whose keys are all there, in the order of the file; or NULL.  With the lock. */
static struct filling *
find_filled(struct staging *staging)
{
	for (size_t i = 0; i < FILLINGS; i++) {
		struct filling *filling = &staging->filling[(staging->current + 1 + i) % FILLINGS];

		if (filling->used && filling->missing == 0 &&
		    (filling->claimed == filling->room || gs_pieces_stop(staging->pieces)))
			return filling;
	}
	return NULL;
}

/* The filling that the next piece goes to; or NULL.  With the lock. */
static struct filling *
find_room(struct staging *staging)
{
	for (size_t i = 0; i < FILLINGS; i++) {
		const size_t f = (staging->current + i) % FILLINGS;
		struct filling *filling = &staging->filling[f];

		if (!filling->used || filling->claimed == filling->room)
			continue;
		staging->current = f;
		return filling;
	}
	return NULL;
}

/* Read what was claimed to KEYS, and map it to ordered bits; returns their checksum, 0 after an
 * error. */
static uint64_t
read_piece(struct staging *staging, unsigned rank, void *keys, struct gs_file_piece *piece)
{
	struct gs_ingest *ingest = staging->ingest;
	struct gs_piece read = { .keys = keys, .key_bits = ingest->key_bits, .summed = true };
	uint64_t since;

	if (!gs_first_error_note(&staging->pieces->error,
	                         gs_pieces_read(staging->pieces, keys, piece)))
		return 0;
	read.count = piece->bytes / key_bytes(staging);
	gs_raw_map(ingest, keys, read.count);
	since = gs_clock_now();
	read.sum = gs_checksum(1, 0, read.key_bits, keys, read.count, false).sum;
	gs_taker_look(&ingest->taker, rank, &read);
	gs_clock_lap(&ingest->monitor->clock, GS_STAGE_DECODE, &since);
	return read.sum;
}

/* Read one piece into FILLING; with the lock, but meanwhile. */
static void
fill(struct staging *staging, unsigned rank, struct filling *filling)
{
	const size_t most = staging->ingest->plan->piece_bytes;
	const size_t left = filling->room - filling->claimed, want = left < most ? left : most;
	const size_t at = filling->pieces;
	char *keys = (char *)filling->staging.keys + filling->begin + filling->claimed;
	struct gs_file_piece piece;
	uint64_t sum;

	if (!gs_pieces_next(staging->pieces, keys, want, &piece)) {
		pthread_cond_broadcast(&staging->changed);
		return;
	}
	filling->claimed += want;
	filling->got[filling->pieces++] = 0;
	filling->missing++;
	pthread_mutex_unlock(&staging->pieces->lock);
	sum = read_piece(staging, rank, keys, &piece);
	pthread_mutex_lock(&staging->pieces->lock);
	gs_pieces_note(staging->pieces, &piece);
	filling->got[at] = (uint32_t)piece.bytes;
	filling->sum += sum;
	if (--filling->missing == 0)
		pthread_cond_broadcast(&staging->changed);
}

/* What rank 0 does for the others: lend a buffer, or give one back.  False: nothing is to be done.
 * With the lock, but meanwhile. */
static bool
serve(struct staging *staging)
{
	struct filling *filled = find_filled(staging);
	const bool wants = !gs_pieces_stop(staging->pieces) && staging->used < staging->fillings;
	struct filling *free = staging->filling;
	gs_status status;

	if (filled == NULL && !wants)
		return false;
	while (free < &staging->filling[FILLINGS - 1] && free->used)
		free++;
	pthread_mutex_unlock(&staging->pieces->lock);
	status = filled != NULL ? end_filling(staging, filled) : lend_filling(staging, free);
	gs_first_error_note(&staging->pieces->error, status);
	pthread_mutex_lock(&staging->pieces->lock);
	if (filled != NULL) {
		filled->used = false;
		staging->used--;
	}
	/* while no buffer was to be had, others may have filled one, and nobody waited for the signal */
	return filled != NULL || free->used || find_filled(staging) != NULL;
}

/* Are there no more pieces, and has rank 0 given back all buffers, or must not?  With the lock. */
static bool
is_done(const struct staging *staging, unsigned rank)
{
	return gs_pieces_stop(staging->pieces) &&
	       (rank > 0 || staging->used == 0 || atomic_load(&staging->pieces->error.any));
}

static void
fill_buffers(void *context, unsigned rank, unsigned size)
{
	struct staging *staging = context;

	(void)size;
	pthread_mutex_lock(&staging->pieces->lock);
	for (;;) {
		struct filling *filling;

		if (rank == 0 && serve(staging))
			continue;
		filling = gs_pieces_stop(staging->pieces) ? NULL : find_room(staging);
		if (filling != NULL)
			fill(staging, rank, filling);
		else if (is_done(staging, rank))
			break;
		else
			pthread_cond_wait(&staging->changed, &staging->pieces->lock);
	}
	pthread_cond_broadcast(&staging->changed);
	pthread_mutex_unlock(&staging->pieces->lock);
}

gs_status
gs_raw_stage(struct gs_ingest *ingest, struct gs_pieces *pieces)
{
	const size_t most = ingest->plan->ring_buffers / 2;
	const unsigned threads = ingest->plan->threads;
	struct staging staging = {
		.ingest = ingest, .pieces = pieces,
		.changed = PTHREAD_COND_INITIALIZER, .fillings = most < FILLINGS ? most : FILLINGS,
	};
	gs_status status;

	status = gs_pieces_run(staging.pieces, threads < GPU_READERS ? threads : GPU_READERS,
	                       fill_buffers, &staging);
	pthread_cond_destroy(&staging.changed);
	return status;
}
