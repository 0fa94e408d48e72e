// SPDX-License-Identifier: BSD-2-Clause
/*
 * ingest.c - input to keys: read, decode, hand on
 *
 * In:   bytes of all inputs.
 * Out:  keys, as ordered bits, for their taker; the header; counts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/round.h"
#include "base/team.h"
#include "ingest/ingest.h"
#include "key/key.h"
#include "output/select.h"
#include "text/disorder.h"

/* ---- opening ---------------------------------------------------------------- */

/* A run of the stage over the same input repeats its warnings: pass on only new ones. */
static void
warn(void *context, const char *line)
{
	struct gs_ingest *ingest = context;

	if (ingest->done.warnings++ >= ingest->warned)
		ingest->options->warn(ingest->options->warn_context, line);
}

void
gs_ingest_set_format(struct gs_ingest *ingest, const struct gsort_options *options)
{
	ingest->options = options;
	ingest->key_bits = gs_key_bits(options->type);
	ingest->unit = ingest->key_bits / 8;
	ingest->key_at = 0;
	ingest->text = (struct gs_text_options){
		.floats = options->type == GSORT_TEXT_FLOAT,
		.notation = options->notation,
		.reverse = options->reverse,
		.merge_zeros = gs_select_merges_zeros(options),
		.terminator = options->zero_terminated ? '\0' : '\n',
		.invalid = options->invalid,
		.header_lines = options->header_lines,
		.header = &ingest->text_header,
		.warn = { options->warn != NULL ? warn : NULL, ingest },
		.in_order = options->operation != GSORT_SORT,
	};
}

/* The counts of small numbers, too. */
static size_t
decoder_bytes(const struct gs_plan_input *input, size_t chunk_bytes, unsigned threads)
{
	const struct gs_text_options text = {
		.floats = input->type == GSORT_TEXT_FLOAT, .notation = input->notation,
	};

	return gs_text_decoder_bytes(chunk_bytes, threads, &text) + GS_SMALL_COUNT * sizeof(uint64_t);
}

void
gs_ingest_plan(struct gs_plan_input *input)
{
	unsigned *bits = input->class_bits;

	input->reader_least_bytes = GS_TEXT_ORDERED_LEAST_BYTES;
	input->reader_most_bytes = GS_TEXT_ORDERED_MOST_BYTES;
	input->decoder_bytes = decoder_bytes;
	if (input->key_bits >= 32)
		bits[0] = input->key_bits;
	if (input->type == GSORT_TEXT_FLOAT)
		bits[GS_FLOATS] = 64;
	else if (input->key_bits == 0)
		for (unsigned c = 0; c < GS_TEXT_CLASSES; c++)
			bits[c] = c == GS_SMALL ? 0 : gs_text_bits((enum gs_text_class)c);
	if (input->operation == GSORT_MERGE && input->key_bits == 0)	/* in_order, of two classes */
		bits[GS_NEG_NARROW] = bits[GS_POS_NARROW] = 0;
}

void
gs_ingest_carve(struct gs_ingest *ingest, const struct gs_plan *plan, struct gs_arena *arena)
{
	ingest->plan = plan;
	ingest->piece_bytes = plan->piece_bytes > ingest->unit ? plan->piece_bytes : ingest->unit;
	ingest->piece_memory = gs_arena_take(arena, plan->threads * ingest->piece_bytes);
	ingest->header = gs_arena_take(arena, ingest->key_bits > 0 ? ingest->options->skip_bytes : 0);
	if (ingest->key_bits > 0)
		return;
	ingest->decoder = gs_arena_take(arena, gs_text_decoder_bytes(plan->chunk_bytes, plan->threads,
	                                                             &ingest->text));
}

void
gs_ingest_open(struct gs_ingest *ingest, struct gs_input *input, struct gs_count *histogram,
               struct gs_monitor *monitor)
{
	ingest->input = input;
	ingest->histogram = histogram;
	ingest->monitor = monitor;
	ingest->done = (struct gs_ingested){ .stopped = false };
	if (ingest->key_bits > 0)
		return;
	ingest->decoder = gs_text_decoder_init(ingest->decoder, ingest->plan->chunk_bytes,
	                                       ingest->plan->threads, &ingest->text);
	if (ingest->options->type == GSORT_TEXT)
		ingest->decoder->sections[0].keys.small = histogram->bins;
}

/* ---- binary keys -------------------------------------------------------------------- */

/* Most bytes of a round: long enough that the meeting of the team costs nothing.  Not tuned. */
#define ROUND_BYTES	((size_t)512 << 20)

/* A thread maps its piece to ordered bits and hands it on while it is in the thread's cache. */
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

/* Read every file of binary keys to its end.  A round reads at most as many keys as the taker has room for;
 * between two rounds the main thread alone asks it for room. */
static gs_status
run_raw(struct gs_ingest *ingest)
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
			                  ingest->done.header_bytes == 0 ? ingest->header : NULL));
			ingest->done.header_bytes = (size_t)header;
			ingest->done.read.bytes += header;
		}
		status = gs_pieces_open(&pieces, ingest->input, unit, &ingest->done.read, ingest->monitor);
		while (status == GS_OK && !pieces.ended) {
			status = taker->reserve(taker->context, plan->piece_bytes, 0, &room);
			room = room / (ingest->key_bits / 8) * unit;
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

/* ---- text --------------------------------------------------------------------------- */

/* Fewer bytes of keys are stored by one thread.  Not tuned. */
#define TEAM_BYTES	((size_t)128 << 10)

/* A chunk whose keys a team stores. */
struct storer {
	struct gs_ingest *ingest;
	uint64_t          sequence[GS_CLASSES];
};

/* Each thread takes the sections that it has parsed, whose keys of each class may still be in its cache. */
static void
store_sections(void *context, unsigned worker, unsigned size)
{
	struct storer *storer = context;
	struct gs_ingest *ingest = storer->ingest;

	for (unsigned n = worker; n < ingest->decoder->threads; n += size)
		for (unsigned c = 0; c < GS_CLASSES; c++) {
			const struct gs_text_keys *keys = &ingest->decoder->sections[n].keys;
			const struct gs_piece piece = {
				.keys = keys->keys[c], .count = keys->count[c], .key_class = c,
				.key_bits = ingest->plan->class_bits[c],
			};

			if (piece.key_bits > 0)
				gs_taker_add(&ingest->taker, worker, storer->sequence[c] + n, &piece);
		}
}

/* Does the only file, which begins with CHUNK, have a byte that no printed number has, at its end or at a few
 * other places?  Then not all lines are exact. */
static bool
has_words(struct gs_ingest *ingest, const struct gs_chunk *chunk)
{
	enum { PLACES = 8, PLACE_BYTES = 512 };
	const uint64_t bytes = gs_files_bytes(gs_input_files(ingest->input), false);
	const uint64_t last = bytes - PLACE_BYTES;
	char glanced[PLACE_BYTES];

	for (uint64_t p = 1; p <= PLACES && bytes != GS_UNKNOWN && bytes >= PLACE_BYTES; p++) {
		const uint64_t at = last - last / PLACES * (PLACES - p);
		const char *text = at < chunk->bytes ? chunk->data + at : glanced;
		size_t count = at < chunk->bytes ? chunk->bytes - at : 0;

		if (text == glanced)
			gs_input_glance(ingest->input, at - chunk->bytes, PLACE_BYTES, glanced, &count);
		for (size_t i = 0; i < count && i < PLACE_BYTES; i++)
			if (text[i] != ingest->text.terminator &&
			    strchr("-+.0123456789aefin", text[i]) == NULL)
				return true;
	}
	return false;
}

static gs_status
ingest_chunk(struct gs_ingest *ingest, struct gs_chunk *chunk)
{
	const struct gs_taker *taker = &ingest->taker;
	struct storer storer = { .ingest = ingest };
	uint64_t since = gs_clock_now();
	size_t bytes = 0, room;

	if (chunk->begins)
		gs_text_begin_file(ingest->decoder, chunk->name);
	ingest->done.stopped = ingest->text.exact && ingest->done.read.bytes == 0 &&
	                       !ingest->ahead.handed_over && has_words(ingest, chunk);
	if (ingest->done.stopped)
		return GS_OK;
	TRY(gs_text_decode(ingest->decoder, chunk->data, chunk->bytes, chunk->ends));
	gs_clock_lap(&ingest->monitor->clock, GS_STAGE_DECODE, &since);
	ingest->done.stopped = ingest->decoder->stopped;
	if (ingest->done.stopped)
		return GS_OK;
	gs_read_counts_add(&ingest->done.read, ingest->monitor, chunk->bytes,
	                   ingest->decoder->lines - ingest->done.read.elements);
	gs_ahead_give(&ingest->ahead, chunk);
	for (unsigned c = 0; c < GS_CLASSES; c++)
		for (unsigned n = 0; n < ingest->decoder->threads; n++)
			bytes += ingest->decoder->sections[n].keys.count[c] *
			         (ingest->plan->class_bits[c] / 8);
	TRY(taker->reserve(taker->context, bytes, 0, &room));
	if (bytes == 0)
		return GS_OK;
	for (unsigned c = 0; c < GS_CLASSES; c++)
		storer.sequence[c] = gs_taker_next_sequence(taker, c, ingest->decoder->threads);
	since = gs_clock_now();
	gs_team_run(bytes < TEAM_BYTES ? 1 : ingest->plan->threads, store_sections, &storer);
	gs_clock_lap(&ingest->monitor->clock, GS_STAGE_SORT, &since);
	gs_taker_end_round(taker);
	return GS_OK;
}

gs_status
gs_ingest_open_chunks(struct gs_ingest *ingest, char **memory)
{
	const size_t bytes = GS_AHEAD_CHUNKS * ingest->plan->chunk_bytes;

	TRY(gs_arena_open(&ingest->chunks, bytes, ingest->plan->huge_pages));
	*memory = gs_arena_take(&ingest->chunks, bytes);
	return GS_OK;
}

/* Read every file of numbers to its end.  A team reads a chunk of a file, or one thread reads ahead in a
 * pipe; a team parses the chunk, and each thread hands on the keys that it has found. */
static gs_status
run_text(struct gs_ingest *ingest)
{
	struct gs_chunk *chunk;
	uint64_t since;
	char *memory;

	TRY(gs_ingest_open_chunks(ingest, &memory));
	gs_ahead_open(&ingest->ahead, ingest->input, memory, ingest->plan->chunk_bytes);
	ingest->ahead.clock = &ingest->monitor->clock;
	ingest->ahead.first_alone = ingest->text.exact;		/* has_words() glances at the file */
	ingest->ahead.in_turn = true;
	while (!ingest->done.stopped) {
		TRY(gs_ahead_take(&ingest->ahead, &chunk));
		if (chunk == NULL)
			break;
		TRY(ingest_chunk(ingest, chunk));
	}
	/* add the small numbers that were counted, and warn of invalid lines not reported */
	since = gs_clock_now();
	ingest->histogram->touched = gs_text_fetch_small(ingest->decoder, ingest->histogram->bins);
	gs_line_reject_end(&ingest->text, ingest->decoder->invalid);
	gs_clock_lap(&ingest->monitor->clock, GS_STAGE_DECODE, &since);
	ingest->done.read.elements = ingest->decoder->lines;
	ingest->done.read.invalid_lines = ingest->decoder->invalid;
	return GS_OK;
}

/* ---- running ------------------------------------------------------------------------ */

gs_status
gs_ingest_run(struct gs_ingest *ingest, const struct gs_taker *taker)
{
	ingest->taker = *taker;
	return ingest->key_bits == 0 ? run_text(ingest) : run_raw(ingest);
}

struct gs_item_slice
gs_ingest_header(const struct gs_ingest *ingest)
{
	return ingest->key_bits == 0
	       ? (struct gs_item_slice){ ingest->text.header->text, ingest->text.header->known }
	       : (struct gs_item_slice){ ingest->header, ingest->done.header_bytes };
}

void
gs_ingest_close(struct gs_ingest *ingest)
{
	gs_ahead_close(&ingest->ahead);
	gs_arena_close(&ingest->chunks);
	free(ingest->text_header.text);
	ingest->text_header = (struct gs_text_header){ .text = NULL };
	if (ingest->done.warnings > ingest->warned)
		ingest->warned = ingest->done.warnings;
}
