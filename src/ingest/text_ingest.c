// SPDX-License-Identifier: BSD-2-Clause
/*
 * text_ingest.c - numbers of all text files to ordered bits for their taker
 *
 * A team reads text, or one thread reads ahead what is not a file, and a team parses it; each thread hands on
 * the keys that it found.
 */
#include <string.h>

#include "base/team.h"
#include "ingest/ingest.h"

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
	const uint64_t bytes = gs_files_bytes(gs_input_files(ingest->input)), last = bytes - PLACE_BYTES;
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
	ingest->stopped = ingest->text.exact && ingest->read.bytes == 0 && !ingest->ahead.handed_over &&
	                  has_words(ingest, chunk);
	if (ingest->stopped)
		return GS_OK;
	TRY(gs_text_decode(ingest->decoder, chunk->data, chunk->bytes, chunk->ends));
	gs_clock_lap(&ingest->monitor->clock, GS_STAGE_DECODE, &since);
	ingest->stopped = ingest->decoder->stopped;
	if (ingest->stopped)
		return GS_OK;
	gs_read_counts_add(&ingest->read, ingest->monitor, chunk->bytes,
	                   ingest->decoder->lines - ingest->read.elements);
	gs_ahead_give(&ingest->ahead, chunk);
	TRY(gs_ingest_check_copy(ingest, (GS_AHEAD_CHUNKS + 1) * ingest->plan->chunk_bytes));
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

gs_status
gs_text_ingest(struct gs_ingest *ingest)
{
	struct gs_chunk *chunk;
	uint64_t since;
	char *memory;

	TRY(gs_ingest_open_chunks(ingest, &memory));
	gs_ahead_open(&ingest->ahead, ingest->input, memory, ingest->plan->chunk_bytes);
	ingest->ahead.clock = &ingest->monitor->clock;
	ingest->ahead.first_alone = ingest->text.exact;		/* has_words() glances at the file */
	ingest->ahead.in_turn = true;
	while (!ingest->stopped) {
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
	ingest->read.elements = ingest->decoder->lines;
	ingest->invalid_lines = ingest->decoder->invalid;
	return GS_OK;
}
