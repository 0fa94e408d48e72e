// SPDX-License-Identifier: BSD-2-Clause
/* span_encoder.c - a sorted span to the bytes of the output, on the thread that sorted it */
#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/round.h"
#include "key/key.h"
#include "output/emit.h"

/* ---- memory ---------------------------------------------------------------------- */

enum { PAGE_BYTES = 4096 };	/* two spans may share a larger one: its reader sees the first */

/* For BYTES, the next pages of a slot's memory, ROOM at BASE.  A pipe may hold the pages before them, so all
 * are replaced before the first are written again; memory that cannot be replaced is copied. */
static void *
next_pages(struct gs_encoded *encoded, char *base, size_t room, size_t bytes)
{
	if (encoded->given + bytes > room)
		encoded->given = 0;
	if (encoded->given == 0) {
		encoded->gives = gs_arena_forget(base, room);
		gs_arena_prefer_huge_pages(base, room);
	}
	return base + encoded->given;
}

void
gs_span_room(struct gs_span_encoder *encoder, const struct gs_sorted_span *sorted, void **keys)
{
	const struct gs_span *span = &sorted->span;

	if (encoder->gives_pages && gs_encoding_in_place(encoder->encoding))
		*keys = next_pages(&encoder->encoded[sorted->slot], span->keys, encoder->part_bytes,
		                   span->count * (span->key_bits / 8));
}

/* ---- any thread -------------------------------------------------------------------- */

gs_status
gs_span_encode(struct gs_span_encoder *encoder, const struct gs_select *select,
               const struct gs_sorted_span *sorted)
{
	enum { PIECE_KEYS = 1024 };	/* that are encoded at once if keys are selected, as their counts are here */
	uint64_t times[PIECE_KEYS];
	struct gs_encoding encoding = *encoder->encoding;
	const bool in_place = gs_encoding_in_place(&encoding);
	const size_t seam_keys = select->at_once ? 1 : GS_SEAM_KEYS;
	struct gs_encoded *encoded = &encoder->encoded[sorted->slot];
	struct gs_span span = sorted->span;
	struct gs_select alone;
	char *print = encoder->print + sorted->slot * encoder->print_bytes;

	encoding.threads = 1;
	if (!select->groups) {
		if (encoder->gives_pages && !in_place)
			print = next_pages(encoded, print, encoder->print_bytes,
			                   span.count * gs_encoding_bytes(&encoding));
		encoded->data = in_place ? span.keys : print;
		encoded->keys = span.count;
		TRY(gs_encode(&encoding, &span, encoded->data, &encoded->bytes));
		encoded->given += encoded->gives ? gs_round_up(encoded->bytes, PAGE_BYTES) : 0;
		return GS_OK;
	}
	alone = gs_select_alone(select, &span, times, &encoded->seam);
	/* behind room for the keys of the seam: where keys lie, two groups at least are not among those selected */
	encoded->data = !in_place ? print + GS_SEAM_KEYS * gs_encoding_bytes(&encoding)
	                : span.count > 0 && encoded->seam.first_times < seam_keys
	                ? (char *)sorted->span.keys + seam_keys * (span.key_bits / 8) : span.keys;
	encoded->keys = encoded->bytes = 0;
	for (size_t at = 0, taken, bytes; at < span.count; at += taken) {
		struct gs_span piece = span;

		piece.keys = (char *)span.keys + at * (span.key_bits / 8);
		piece.count = taken = in_place ? span.count : (size_t)gs_least(span.count - at, PIECE_KEYS);
		gs_select_span(&alone, &piece);
		TRY(gs_encode(&encoding, &piece, (char *)encoded->data + encoded->bytes, &bytes));
		encoded->keys += piece.count;
		encoded->bytes += bytes;
	}
	gs_select_end_alone(&alone, &encoded->seam);
	return GS_OK;
}

/* ---- in the order of spans ----------------------------------------------------------- */

gs_status
gs_span_join(const struct gs_span_encoder *encoder, struct gs_select *select, const struct gs_span *span,
             struct gs_encoded *encoded)
{
	enum { LINE_BYTES = 128 };
	struct gs_encoding encoding = *encoder->encoding;
	uint64_t keys[GS_SEAM_KEYS], times[GS_SEAM_KEYS];
	struct gs_span before = *span;
	char front[GS_SEAM_KEYS * LINE_BYTES];
	const char *data = encoded->data, *at = data;
	size_t bytes, own;

	before.keys = keys;
	before.times = times;
	before.count = !select->groups ? 0 : gs_select_join(select, span->key_class, span->key_bits,
	                                                    &encoded->seam, keys, times);
	before.count = gs_select_head(select, before.count);
	own = gs_select_head(select, encoded->keys);
	if (own < encoded->keys && gs_key_is_text(encoding.to)) {	/* so many lines */
		for (size_t k = 0; k < own; k++)
			at = (const char *)memchr(at, encoding.terminator,
			                          encoded->bytes - (size_t)(at - data)) + 1;
		encoded->bytes = (size_t)(at - data);
	} else if (own < encoded->keys) {
		encoded->bytes = own * gs_encoding_bytes(&encoding);
	}
	encoded->keys = before.count + own;
	if (before.count == 0)
		return GS_OK;
	assert(gs_encoding_bytes(&encoding) <= LINE_BYTES);
	encoding.threads = 1;
	TRY(gs_encode(&encoding, &before, front, &bytes));
	encoded->data = (char *)encoded->data - bytes;
	memcpy(encoded->data, front, bytes);
	encoded->bytes += bytes;
	return GS_OK;
}
