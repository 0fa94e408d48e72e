// SPDX-License-Identifier: BSD-2-Clause
/*
 * record_ingest.c - input to items: read records, and hand them to their taker
 *
 * In:   bytes of all inputs.
 * Out:  pieces of items for the taker; the header; counts.
 *
 * Each thread of a team reads a piece (pieces.c) and hands it on while it is in the thread's cache.  For
 * a large regular file, the taker first gets a sample, so that even sorted input is divided evenly.
 */
#include <stdlib.h>
#include <string.h>

#include "ingest/ingest.h"
#include "ingest/line_ingest.h"
#include "key/key.h"
#include "sort/follow.h"
#include "sort/items/divide.h"
#include "text/disorder.h"

/* Bytes of an item for --argsort: its number. */
enum { NUMBER_BYTES = 8 };

/* Places of a sample in a file, and the least file that is worth it.  Not tuned. */
enum { SAMPLE_PLACES = 512 };
#define SAMPLE_FROM_BYTES	((uint64_t)8 << 20)

/* ---- opening -------------------------------------------------------------------- */

gs_status
gs_record_ingest_open(struct gs_record_ingest *ingest, const struct gsort_options *options)
{
	const unsigned key_bits = gs_key_bits(options->type);
	const size_t bytes = key_bits > 0 ? key_bits / 8 : (size_t)options->record_bytes;
	const bool whole = options->keep_order;
	size_t at = whole ? bytes : 0;
	struct gsort_key *keys;

	*ingest = (struct gs_record_ingest){ .options = options };
	ingest->keys = options->keys;
	ingest->key_count = options->key_count;
	if (ingest->key_count == 0) {
		ingest->own_key = (struct gsort_key){ .type = options->type, .bytes = bytes };
		ingest->keys = &ingest->own_key;
		ingest->key_count = 1;
	}
	TRY(gs_record_open(&ingest->record, bytes, ingest->keys, ingest->key_count, options->endian,
	                   options->reverse));
	ingest->record.type = options->type;
	ingest->record.endian = options->endian;
	if (options->argsort_bits == 0 && !whole) {
		ingest->item = ingest->record;
		return GS_OK;
	}
	/* Items of --argsort: all keys, one after the other, then the number; of --keep-order the record,
	 * and then the number. */
	TRY(GS_NEW(ingest->item_keys, ingest->key_count, "keys"));
	keys = ingest->item_keys;
	for (size_t k = 0; k < ingest->key_count; k++) {
		keys[k] = ingest->keys[k];
		if (!whole) {
			keys[k].offset = at;
			at += gs_key_bytes(&keys[k]);
		}
	}
	return gs_record_open(&ingest->item, at + NUMBER_BYTES, keys, ingest->key_count, options->endian,
	                      options->reverse);
}

gs_status
gs_record_ingest_allocate(struct gs_record_ingest *ingest, unsigned threads, size_t piece_bytes)
{
	const bool other = ingest->item_keys != NULL;
	const size_t header = (size_t)ingest->options->skip_bytes;
	size_t pieces, item_pieces;

	ingest->threads = threads;
	ingest->piece_records = piece_bytes / ingest->item.bytes;
	if (ingest->piece_records == 0)
		ingest->piece_records = 1;
	pieces = threads * ingest->piece_records * ingest->record.bytes;
	item_pieces = other ? threads * ingest->piece_records * ingest->item.bytes : 0;
	TRY(gs_arena_open(&ingest->arena, gs_arena_round(pieces) + gs_arena_round(item_pieces) +
	                  gs_arena_round(header), false));
	ingest->pieces = gs_arena_take(&ingest->arena, pieces);
	ingest->item_pieces = gs_arena_take(&ingest->arena, item_pieces);
	ingest->header = gs_arena_take(&ingest->arena, header);
	return GS_OK;
}

void
gs_record_ingest_close(struct gs_record_ingest *ingest)
{
	gs_arena_close(&ingest->arena);
	gs_record_close(&ingest->record);
	if (ingest->item_keys != NULL)
		gs_record_close(&ingest->item);
	free(ingest->item_keys);
	ingest->item_keys = NULL;
}

/* ---- a piece ---------------------------------------------------------------------- */

/* A file that a team reads. */
struct reader {
	struct gs_record_ingest *ingest;
	struct gs_follow      follow;	/* with checks_order: by one thread */
};

static void
make_items(const struct gs_record_ingest *ingest, const char *records, char *items, size_t count,
           uint64_t number)
{
	const size_t item_bytes = ingest->item.bytes;
	const bool whole = ingest->options->keep_order;
	const struct gs_line_number form = {
		ingest->options->argsort_bits, !whole && gs_endian_swaps(ingest->options->endian),
	};
	size_t at = whole ? ingest->record.bytes : 0;

	for (size_t i = 0; whole && i < count; i++)
		memcpy(items + i * item_bytes, records + i * at, at);
	for (size_t k = 0; !whole && k < ingest->key_count; k++) {
		const size_t bytes = gs_key_bytes(&ingest->keys[k]);
		const char *from = records + ingest->keys[k].offset;

		for (size_t i = 0; i < count; i++)
			memcpy(items + i * item_bytes + at, from + i * ingest->record.bytes, bytes);
		at += bytes;
	}
	for (size_t i = 0; i < count; i++, number++) {
		const uint64_t bits = gs_line_number_bits(form, number);

		memcpy(items + i * item_bytes + at, &bits, sizeof bits);
	}
}

static gs_status
store_piece(void *context, unsigned worker, const struct gs_read_piece *piece)
{
	struct reader *reader = context;
	struct gs_record_ingest *ingest = reader->ingest;
	struct gs_clock *clock = &ingest->monitor->clock;
	const size_t item_bytes = ingest->item.bytes;
	const struct gs_item_slice records = { piece->data, piece->count * ingest->record.bytes };
	uint64_t since = gs_clock_now();
	char *items = piece->data;
	size_t at = records.bytes;

	if (ingest->item_pieces != NULL) {
		items = ingest->item_pieces + worker * ingest->piece_records * item_bytes;
		make_items(ingest, piece->data, items, piece->count, piece->number);
		gs_clock_lap(clock, GS_STAGE_DECODE, &since);
	}
	gs_taker_add_items(&ingest->taker, worker, piece->sequence, items, piece->count * item_bytes);
	if (ingest->checks_order)
		at = gs_follow_slice(&reader->follow, &records);
	gs_clock_lap(clock, GS_STAGE_SORT, &since);
	if (at == SIZE_MAX)
		return gs_fail(GS_EBUDGET, "out of memory");
	return at == records.bytes ? GS_OK
	       : gs_disorder_record(&ingest->record, gs_input_name(ingest->input), records.data + at,
	                            reader->follow.elements + 1, ingest->skipped, GS_ADVICE_UNSORTED);
}

/* ---- a file ------------------------------------------------------------------------- */

/* Show the taker records from all over a large regular file. */
static gs_status
show_sample(struct gs_record_ingest *ingest)
{
	const uint64_t bytes = gs_files_bytes(gs_input_files(ingest->input), false);
	const size_t record_bytes = ingest->record.bytes, item_bytes = ingest->item.bytes;
	const size_t each = GS_ITEM_SAMPLE_MOST / SAMPLE_PLACES * 4096 / (4096 + record_bytes) + 1;
	const size_t most = SAMPLE_PLACES * each * (record_bytes + item_bytes);
	gs_status status = GS_OK;
	size_t count = 0, got;
	char *records, *items;

	if (bytes == UINT64_MAX || bytes < SAMPLE_FROM_BYTES || most > bytes / 8)
		return GS_OK;
	records = malloc(most);
	if (records == NULL)
		return GS_OK;	/* then the first pieces decide */
	items = records + SAMPLE_PLACES * each * record_bytes;
	for (uint64_t p = 0; p < SAMPLE_PLACES; p++) {
		const uint64_t at = bytes / SAMPLE_PLACES * p / record_bytes * record_bytes;

		gs_input_glance(ingest->input, at, each * record_bytes, records + count * record_bytes,
		              &got);
		count += got / record_bytes;
	}
	if (ingest->item_pieces != NULL)
		make_items(ingest, records, items, count, 0);
	else
		items = records;
	if (count > SAMPLE_PLACES / 2)
		status = ingest->taker.sample(ingest->taker.context, items, count * item_bytes);
	free(records);
	return status;
}

static gs_status
read_file(struct gs_record_ingest *ingest, bool first)
{
	const struct gs_item_order order = {
		.item_bytes = ingest->record.bytes, .words = gs_record_words, .context = &ingest->record,
	};
	const unsigned threads = ingest->checks_order ? 1 : ingest->threads;
	const size_t record_bytes = ingest->record.bytes, item_bytes = ingest->item.bytes;
	struct reader reader = { .ingest = ingest, .follow = { .order = &order } };
	const struct gs_piece_round round = {
		.taker = &ingest->taker, .memory = ingest->pieces,
		.piece_bytes = ingest->piece_records * record_bytes, .store = store_piece,
		.context = &reader,
	};
	struct gs_pieces pieces;
	gs_status status = gs_pieces_open(&pieces, ingest->input, record_bytes, &ingest->read,
	                                  ingest->monitor);
	bool small = true;		/* a small input needs no other thread */
	size_t room;

	if (status == GS_OK && first && pieces.claims && ingest->taker.sample != NULL)
		status = show_sample(ingest);
	while (status == GS_OK && !pieces.ended) {
		status = ingest->taker.reserve(ingest->taker.context, ingest->piece_records * item_bytes,
		                               ingest->threads, &room);
		THEN(status, gs_pieces_fill(&pieces, &round, small ? 1 : threads, small
		                            ? round.piece_bytes : room / item_bytes * record_bytes));
		small = false;
	}
	gs_pieces_close(&pieces);
	gs_follow_close(&reader.follow);
	TRY(status);
	return pieces.file_bytes % record_bytes == 0 ? GS_OK
	       : gs_partial(ingest->options, gs_input_name(ingest->input), ingest->skipped,
	                    pieces.file_bytes);
}

/* ---- all files ------------------------------------------------------------------------ */

gs_status
gs_record_ingest_run(struct gs_record_ingest *ingest, struct gs_input *input,
                     const struct gs_taker *taker, struct gs_monitor *monitor)
{
	const size_t most = taker->piece_bytes / ingest->item.bytes;
	uint64_t file = 0;

	if (most < ingest->piece_records)	/* the exchange may have less than the store */
		ingest->piece_records = most > 0 ? most : 1;
	ingest->input = input;
	ingest->taker = *taker;
	ingest->monitor = monitor;
	for (; gs_input_next(input); file++) {
		ingest->taker.origin = (unsigned)file;
		ingest->skipped = gs_input_start(input);
		if (ingest->skipped == 0) {	/* else a part that begins behind the header */
			ingest->skipped = ingest->options->skip_bytes;
			if (file == 0)
				ingest->header_bytes = (size_t)ingest->skipped;
			TRY(gs_input_skip(input, ingest->skipped, file == 0 ? ingest->header : NULL));
			ingest->read.bytes += ingest->skipped;
		}
		TRY(read_file(ingest, file == 0));
		if (ingest->options->argsort_bits == 32 && ingest->read.elements > (uint64_t)UINT32_MAX + 1)
			return gs_fail(GS_EINPUT, "the input has more than 2^32 keys: use --argsort=u64");
	}
	return GS_OK;
}
