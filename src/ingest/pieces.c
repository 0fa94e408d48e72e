// SPDX-License-Identifier: BSD-2-Clause
/* pieces.c - a binary file that a team reads piece by piece */
#include <stdatomic.h>

#include "base/round.h"
#include "ingest/ingest.h"

/*
 * Readers of a pipe take turns, so more of them only spread its bytes over more caches.
 * `cat in | gsort -u32 >out`, 1 GiB, 16 cores of a Xeon, median of 5: 6 threads 0.486 s, 16
 * threads 0.581 s; pieces of 512 KiB or 1 MiB instead of 256 KiB do not help (0.561, 0.569, with
 * 6 threads 0.541).
 */
enum { PIPE_READERS = 6 };

void
gs_read_counts_add(struct gs_read_counts *counts, struct gs_monitor *monitor, uint64_t bytes,
                   uint64_t elements)
{
	counts->bytes += bytes;
	counts->elements += elements;
	atomic_store(&monitor->counters.bytes_in, counts->bytes);
	atomic_store(&monitor->counters.keys_in, counts->elements);
}

gs_status
gs_pieces_open(struct gs_pieces *pieces, struct gs_input *input, size_t unit,
               struct gs_read_counts *counts, struct gs_monitor *monitor)
{
	*pieces = (struct gs_pieces){
		.input = input, .monitor = monitor, .unit = unit, .counts = counts,
		.number = counts->elements,
	};
	pthread_mutex_init(&pieces->lock, NULL);
	return gs_input_claims(input, &pieces->claims);
}

void
gs_pieces_close(struct gs_pieces *pieces)
{
	pthread_mutex_destroy(&pieces->lock);
}

/* ---- a round ----------------------------------------------------------------------- */

struct filler {
	struct gs_pieces            *pieces;
	const struct gs_piece_round *round;
	size_t left;		/* bytes of the round that are not claimed; with the lock */
};

static void
read_round(void *context, unsigned worker, unsigned size)
{
	struct filler *filler = context;
	struct gs_pieces *pieces = filler->pieces;
	const struct gs_piece_round *round = filler->round;
	struct gs_read_piece read = { .data = round->memory + worker * round->piece_bytes };
	struct gs_input_piece claimed;
	size_t want, bytes;
	uint64_t since;

	(void)size;
	pthread_mutex_lock(&pieces->lock);
	while ((want = gs_least(round->piece_bytes, filler->left)) > 0 && !pieces->ended &&
	       !atomic_load(&pieces->error.any)) {
		bytes = claimed.bytes = 0;
		filler->left -= want;
		if (pieces->claims) {
			gs_input_claim(pieces->input, want, &claimed);
			pieces->claims = claimed.bytes > 0;
		}
		if (!pieces->claims) {		/* read it in turn, with the lock */
			gs_status status;

			since = gs_clock_now();	/* waiting for the lock is idle time, reading is not */
			status = gs_input_read(pieces->input, read.data, want, &bytes);
			gs_clock_lap(&pieces->monitor->clock, GS_STAGE_READ, &since);
			if (!gs_first_error_note(&pieces->error, status))
				break;
			pieces->ended = bytes < want;
			if (bytes == 0)
				break;
		}
		read.sequence = gs_taker_next_sequence(round->taker, 0, 1);
		read.number = pieces->number;
		pieces->number += (claimed.bytes + bytes) / pieces->unit;
		pthread_mutex_unlock(&pieces->lock);
		if (claimed.bytes > 0) {	/* the bytes may be fewer: the file was truncated meanwhile */
			since = gs_clock_now();
			gs_first_error_note(&pieces->error, gs_input_read_piece(
				pieces->input, &claimed, read.data, &bytes));
			gs_clock_lap(&pieces->monitor->clock, GS_STAGE_READ, &since);
		}
		read.count = bytes / pieces->unit;
		/* Even after an error: a taker may wait for each sequence number. */
		gs_first_error_note(&pieces->error, round->store(round->context, worker, &read));
		pthread_mutex_lock(&pieces->lock);
		pieces->file_bytes += bytes;
		gs_read_counts_add(pieces->counts, pieces->monitor, bytes, read.count);
	}
	pthread_mutex_unlock(&pieces->lock);
}

gs_status
gs_pieces_fill(struct gs_pieces *pieces, const struct gs_piece_round *round, unsigned threads,
               size_t bytes)
{
	struct filler filler = { pieces, round, bytes - bytes % pieces->unit };
	gs_status status;

	if (!pieces->claims && threads > PIPE_READERS)
		threads = PIPE_READERS;
	gs_first_error_open(&pieces->error);
	gs_team_run(threads, read_round, &filler);
	status = gs_first_error_close(&pieces->error);
	gs_taker_end_round(round->taker);
	return status;
}
