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
#include <string.h>

#include "base/round.h"
#include "ingest/ingest.h"
#include "key/key.h"
#include "text/disorder.h"

/* Most bytes of a round: long enough that the meeting of the team costs nothing.  Not tuned. */
#define ROUND_BYTES	((size_t)512 << 20)

/* ---- a round ---------------------------------------------------------------------- */

/* Move the keys of COUNT records together. */
static void
gather(const struct gs_ingest *ingest, char *data, size_t count)
{
	const size_t unit = ingest->unit, key_bytes = ingest->key_bits / 8;
	const char *from = data + ingest->key_at;

	for (size_t i = 0; i < count; i++, from += unit, data += key_bytes) {
		uint64_t key;

		switch (key_bytes) {
		case 1:  *data = *from; break;
		case 2:  memcpy(&key, from, 2); memcpy(data, &key, 2); break;
		case 4:  memcpy(&key, from, 4); memcpy(data, &key, 4); break;
		default: memcpy(&key, from, 8); memcpy(data, &key, 8); break;
		}
	}
}

static gs_status
store_piece(void *context, unsigned worker, const struct gs_read_piece *piece)
{
	struct gs_ingest *ingest = context;
	const struct gsort_options *options = ingest->options;
	uint64_t since = gs_clock_now();

	if (ingest->unit > ingest->key_bits / 8)
		gather(ingest, piece->data, piece->count);
	gs_raw_to_ordered(options->type, options->endian, options->reverse, piece->data, piece->count, 1);
	gs_clock_lap(&ingest->monitor->clock, GS_STAGE_DECODE, &since);
	gs_taker_add(&ingest->taker, worker, piece->sequence, &(struct gs_piece){
		.keys = piece->data, .count = piece->count, .key_bits = ingest->key_bits,
	});
	gs_clock_lap(&ingest->monitor->clock, GS_STAGE_SORT, &since);
	return GS_OK;
}

/* The first round reads one piece: a small input needs no other thread. */
static gs_status
fill_store(struct gs_ingest *ingest, struct gs_pieces *pieces, bool first)
{
	const struct gs_piece_round round = {
		.taker = &ingest->taker, .memory = ingest->piece_memory,
		.piece_bytes = gs_ingest_piece_bytes(ingest) / ingest->unit * ingest->unit,
		.store = store_piece, .context = ingest,
	};
	const struct gs_plan *plan = ingest->plan;
	size_t most = first ? round.piece_bytes : plan->head_keys > 0 ? GS_HEAD_ROUND_BYTES : ROUND_BYTES;
	size_t room;

	TRY(ingest->taker.reserve(ingest->taker.context, plan->piece_bytes, 0, &room));
	TRY(gs_ingest_check_copy(ingest, round.piece_bytes));
	room = room / (ingest->key_bits / 8) * ingest->unit;
	most = gs_least(most, gs_input_record_room(ingest->input));
	return gs_pieces_fill(pieces, &round, first ? 1 : plan->threads, room < most ? room : most);
}

/* ---- all files --------------------------------------------------------------------- */

/* Keep the header of the first input, drop those of the others. */
static gs_status
read_header(struct gs_ingest *ingest)
{
	const uint64_t bytes = ingest->options->skip_bytes;

	TRY(gs_input_skip(ingest->input, bytes, ingest->header_bytes == 0 ? ingest->header : NULL));
	ingest->header_bytes = (size_t)bytes;
	ingest->read.bytes += bytes;
	return GS_OK;
}

static gs_status
read_file(struct gs_ingest *ingest)
{
	const char *name = gs_input_name(ingest->input);
	struct gs_pieces pieces;
	gs_status status = gs_pieces_open(&pieces, ingest->input, ingest->unit, &ingest->read,
	                                  ingest->monitor);

	for (bool first = true; status == GS_OK && !pieces.ended; first = false)
		status = fill_store(ingest, &pieces, first);
	gs_pieces_close(&pieces);
	TRY(status);
	return pieces.file_bytes % ingest->unit == 0 ? GS_OK
	       : gs_partial(ingest->options, name, ingest->options->skip_bytes, pieces.file_bytes);
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
