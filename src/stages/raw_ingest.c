// SPDX-License-Identifier: BSD-2-Clause
/*
 * raw_ingest.c - binary keys of all files to ordered bits for their taker; and the header
 *
 * Each thread of a team reads a piece, maps it to ordered bits and hands it on while it is in the
 * thread's cache.
 *
 * A round reads at most as many keys as the taker has room for.  Between two rounds the main thread
 * alone asks it for room.
 */
#include "format/disorder.h"
#include "stages/ingest_state.h"
#include "stages/raw_reading.h"

/* Most bytes of a round: long enough that the meeting of the team costs nothing.  Not tuned. */
#define ROUND_BYTES	((size_t)512 << 20)

/* The same where other jobs read at once: their number changes.  Not tuned. */
#define SHARED_ROUND_BYTES	((size_t)32 << 20)

/* ---- a round ---------------------------------------------------------------------- */

/* The next piece of this round, at KEYS; with the lock.  False: there is none. */
static bool
next_piece(struct gs_raw_reading *reading, void *keys, struct gs_file_piece *piece, uint64_t *sequence)
{
	struct gs_ingest *ingest = reading->ingest;
	const size_t most = ingest->plan->piece_bytes;

	if (!gs_pieces_next(&reading->pieces, keys, most < reading->left ? most : reading->left,
	                    piece))
		return false;
	reading->left -= piece->claimed.bytes + piece->bytes;
	*sequence = gs_taker_next_sequence(&ingest->taker, 0, 1);
	return true;
}

/* Read what was claimed, map keys to ordered bits, and hand them on. */
static gs_status
store_piece(struct gs_raw_reading *reading, unsigned rank, void *memory, struct gs_file_piece *piece,
            uint64_t sequence)
{
	struct gs_ingest *ingest = reading->ingest;
	struct gs_piece keys = { .keys = memory, .key_bits = ingest->key_bits };
	uint64_t since;

	TRY(gs_raw_decode(reading, piece, memory, &keys.count));
	since = gs_clock_now();
	gs_taker_add(&ingest->taker, rank, sequence, &keys);
	gs_clock_lap(&ingest->monitor->clock, GS_STAGE_SORT, &since);
	return GS_OK;
}

static void
read_round(void *context, unsigned rank, unsigned size)
{
	struct gs_raw_reading *reading = context;
	struct gs_pieces *pieces = &reading->pieces;
	const struct gs_ingest *ingest = reading->ingest;
	void *keys = ingest->piece_memory + rank * ingest->plan->piece_bytes;
	struct gs_file_piece piece;
	uint64_t sequence = 0;

	(void)size;
	pthread_mutex_lock(&pieces->lock);
	while (next_piece(reading, keys, &piece, &sequence)) {
		pthread_mutex_unlock(&pieces->lock);
		gs_first_error_note(&pieces->error, store_piece(reading, rank, keys, &piece, sequence));
		pthread_mutex_lock(&pieces->lock);
		gs_raw_note(reading, &piece);
	}
	pthread_mutex_unlock(&pieces->lock);
}

/* How many jobs share the threads? */
static unsigned
readers(const struct gs_ingest *ingest)
{
	const unsigned count = ingest->readers != NULL ? atomic_load(ingest->readers) : 1;

	return count > 0 ? count : 1;
}

/* The first round reads one piece: a small input needs no other thread. */
static gs_status
fill_store(struct gs_raw_reading *reading, bool first)
{
	struct gs_ingest *ingest = reading->ingest;
	const struct gs_plan *plan = ingest->plan;
	const unsigned shares = readers(ingest);
	const unsigned threads = first ? 1 : (plan->threads + shares - 1) / shares;
	const size_t most = first ? plan->piece_bytes :
	                    plan->head_keys > 0 ? GS_HEAD_ROUND_BYTES :
	                    shares > 1 ? SHARED_ROUND_BYTES : ROUND_BYTES;
	size_t room;

	TRY(ingest->taker.reserve(ingest->taker.context, plan->piece_bytes, 0, &room));
	if (room > most)
		room = most;
	reading->left = room - room % (ingest->key_bits / 8);
	TRY(gs_pieces_run(&reading->pieces, threads, read_round, reading));
	gs_taker_end_round(&ingest->taker);
	return GS_OK;
}

/* ---- all files --------------------------------------------------------------------- */

/* Keep the header of the first input, drop those of the others. */
static gs_status
read_header(struct gs_ingest *ingest)
{
	const uint64_t bytes = ingest->options->skip_bytes;
	char dropped[1 << 13];
	const bool first = ingest->header_bytes == 0;

	TRY(gs_input_skip(ingest->input, bytes, first ? ingest->header : dropped,
	                  first ? (size_t)bytes : sizeof dropped));
	ingest->header_bytes = (size_t)bytes;
	ingest->bytes += bytes;
	return GS_OK;
}

static gs_status
read_file(struct gs_ingest *ingest)
{
	const bool gpu = ingest->taker.stage != NULL;
	struct gs_raw_reading reading = { .ingest = ingest };
	gs_status status = gs_pieces_open(&reading.pieces, ingest->input, &ingest->monitor->clock);

	for (bool first = true; status == GS_OK && !reading.pieces.ended; first = false)
		status = gpu ? gs_raw_stage(&reading) : fill_store(&reading, first);
	gs_pieces_close(&reading.pieces);
	TRY(status);
	return reading.file_bytes % (ingest->key_bits / 8) == 0 ? GS_OK
	       : gs_keys_partial(ingest->options, gs_input_name(ingest->input), reading.file_bytes);
}

gs_status
gs_raw_ingest(struct gs_ingest *ingest)
{
	while (gs_input_next(ingest->input)) {
		if (gs_input_start(ingest->input) == 0)
			TRY(read_header(ingest));
		TRY(read_file(ingest));
	}
	return GS_OK;
}
