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

static gs_status
store_piece(void *context, unsigned worker, const struct gs_read_piece *piece)
{
	struct gs_ingest *ingest = context;
	const struct gsort_options *options = ingest->options;
	const size_t unit = ingest->unit, key_bytes = ingest->key_bits / 8;
	const char *from = piece->data + ingest->key_at;
	char *to = piece->data;
	uint64_t since = gs_clock_now(), key;

	/* move the keys of records together */
	for (size_t i = 0; unit > key_bytes && i < piece->count; i++, from += unit, to += key_bytes)
		switch (key_bytes) {
		case 1:  *to = *from; break;
		case 2:  memcpy(&key, from, 2); memcpy(to, &key, 2); break;
		case 4:  memcpy(&key, from, 4); memcpy(to, &key, 4); break;
		default: memcpy(&key, from, 8); memcpy(to, &key, 8); break;
		}
	gs_raw_to_ordered(options->type, options->endian, options->reverse, piece->data, piece->count, 1);
	gs_clock_lap(&ingest->monitor->clock, GS_STAGE_DECODE, &since);
	gs_taker_add(&ingest->taker, worker, piece->sequence, &(struct gs_piece){
		.keys = piece->data, .count = piece->count, .key_bits = ingest->key_bits,
	});
	gs_clock_lap(&ingest->monitor->clock, GS_STAGE_SORT, &since);
	return GS_OK;
}

gs_status
gs_raw_ingest(struct gs_ingest *ingest)
{
	const struct gs_plan *plan = ingest->plan;
	const struct gs_taker *taker = &ingest->taker;
	const uint64_t header = ingest->options->skip_bytes;
	const size_t unit = ingest->unit;
	const struct gs_piece_round round = {
		.taker = taker, .memory = ingest->piece_memory,
		.piece_bytes = ingest->piece_bytes / unit * unit,
		.store = store_piece, .context = ingest,
	};

	while (gs_input_next(ingest->input)) {
		const char *name = gs_input_name(ingest->input);
		/* the first round of a file reads one piece: a small input needs no other thread */
		size_t most = round.piece_bytes, room = 0;
		unsigned threads = 1;
		struct gs_pieces pieces;
		gs_status status;

		if (gs_input_start(ingest->input) == 0) {	/* keep the header of the first input */
			TRY(gs_input_skip(ingest->input, header,
			                  ingest->header_bytes == 0 ? ingest->header : NULL));
			ingest->header_bytes = (size_t)header;
			ingest->read.bytes += header;
		}
		status = gs_pieces_open(&pieces, ingest->input, unit, &ingest->read, ingest->monitor);
		while (status == GS_OK && !pieces.ended) {
			status = taker->reserve(taker->context, plan->piece_bytes, 0, &room);
			THEN(status, gs_ingest_check_copy(ingest, round.piece_bytes));
			room = room / (ingest->key_bits / 8) * unit;
			most = gs_least(most, gs_input_record_room(ingest->input));
			THEN(status, gs_pieces_fill(&pieces, &round, threads, gs_least(room, most)));
			most = plan->head_keys > 0 ? GS_HEAD_ROUND_BYTES : ROUND_BYTES;
			threads = plan->threads;
		}
		gs_pieces_close(&pieces);
		TRY(status);
		if (pieces.file_bytes % unit != 0)
			return gs_partial(ingest->options, name, header, pieces.file_bytes);
	}
	return GS_OK;
}
