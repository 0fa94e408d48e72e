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

/* ---- encoding, any thread ---------------------------------------------------------- */

/* What is encoded at once where keys are selected; their counts are on the stack. */
enum { PIECE_KEYS = 1024 };

/* Select keys of a span and convert them where they lie, behind room for those of the seam. */
static void
select_in_place(const struct gs_span_encoder *encoder, const struct gs_select *select,
                const struct gs_sorted_span *sorted, struct gs_encoded *encoded)
{
	const struct gs_encoding *encoding = encoder->encoding;
	struct gs_span span = sorted->span;
	struct gs_select alone = gs_select_alone(select, &span, NULL, &encoded->seam);
	const size_t key_bytes = span.key_bits / 8;
	const size_t seam_keys = select->at_once ? 1 : GS_SEAM_KEYS;

	gs_select_span(&alone, &span);
	gs_select_end_alone(&alone, &encoded->seam);
	encoded->data = span.keys;
	if (encoded->seam.first_times < seam_keys && encoded->seam.more) {
		/* There is room: two groups at least are not among those selected. */
		encoded->data = (char *)sorted->span.keys + seam_keys * key_bytes;
		memmove(encoded->data, span.keys, span.count * key_bytes);
	}
	gs_ordered_to_raw(encoding->to, encoding->endian, encoding->reverse, encoded->data, span.count,
	                  1);
	encoded->keys = span.count;
	encoded->bytes = span.count * key_bytes;
}

/* Select keys of a span and encode them, behind room for those of the seam. */
static gs_status
select_and_encode(const struct gs_span_encoder *encoder, const struct gs_select *select,
                  const struct gs_sorted_span *sorted, struct gs_encoded *encoded)
{
	uint64_t times[PIECE_KEYS];
	struct gs_encoding encoding = *encoder->encoding;
	struct gs_span span = sorted->span, piece;
	struct gs_select alone = gs_select_alone(select, &span, times, &encoded->seam);

	encoding.threads = 1;
	encoded->data = encoder->print + sorted->slot * encoder->print_bytes +
	                GS_SEAM_KEYS * gs_encoding_bytes(&encoding);
	encoded->keys = encoded->bytes = 0;
	for (size_t at = 0, bytes; at < span.count; at += PIECE_KEYS) {
		piece = span;
		piece.keys = (char *)span.keys + at * (span.key_bits / 8);
		piece.count = span.count - at < PIECE_KEYS ? span.count - at : PIECE_KEYS;
		gs_select_span(&alone, &piece);
		TRY(gs_encode(&encoding, piece.key_class, piece.key_bits, piece.keys,
		              encoding.counts ? times : NULL, piece.count,
		              (char *)encoded->data + encoded->bytes, &bytes));
		encoded->keys += piece.count;
		encoded->bytes += bytes;
	}
	gs_select_end_alone(&alone, &encoded->seam);
	return GS_OK;
}

/* Encode all keys of a span. */
static gs_status
encode(const struct gs_span_encoder *encoder, const struct gs_sorted_span *sorted,
       struct gs_encoded *encoded)
{
	const struct gs_span *span = &sorted->span;
	struct gs_encoding encoding = *encoder->encoding;

	encoding.threads = 1;
	encoded->keys = span->count;
	if (gs_encoding_in_place(&encoding)) {
		gs_ordered_to_raw(encoding.to, encoding.endian, encoding.reverse, span->keys,
		                  span->count, 1);
		encoded->data = span->keys;
		encoded->bytes = span->count * (span->key_bits / 8);
		return GS_OK;
	}
	encoded->data = encoder->print + sorted->slot * encoder->print_bytes;
	if (encoder->gives_pages)
		encoded->data = next_pages(encoded, encoded->data, encoder->print_bytes,
		                           span->count * gs_encoding_bytes(&encoding));
	return gs_encode(&encoding, span->key_class, span->key_bits, span->keys, NULL, span->count,
	                 encoded->data, &encoded->bytes);
}

gs_status
gs_span_encode(struct gs_span_encoder *encoder, const struct gs_select *select,
               const struct gs_sorted_span *sorted)
{
	struct gs_encoded *encoded = &encoder->encoded[sorted->slot];

	if (!select->groups) {
		TRY(encode(encoder, sorted, encoded));
		encoded->given += encoded->gives ? gs_round_up(encoded->bytes, PAGE_BYTES) : 0;
		return GS_OK;
	}
	if (!gs_encoding_in_place(encoder->encoding))
		return select_and_encode(encoder, select, sorted, encoded);
	select_in_place(encoder, select, sorted, encoded);
	return GS_OK;
}

/* ---- in the order of spans ----------------------------------------------------------- */

/* Bytes of the first KEYS of what was encoded. */
static size_t
bytes_of(const struct gs_encoding *encoding, const struct gs_encoded *encoded, size_t keys)
{
	const char *data = encoded->data, *at = data;

	if (keys == encoded->keys)
		return encoded->bytes;
	if (!gs_key_is_text(encoding->to))
		return keys * gs_encoding_bytes(encoding);
	for (; keys > 0; keys--)
		at = (const char *)memchr(at, encoding->terminator,
		                          encoded->bytes - (size_t)(at - data)) + 1;
	return (size_t)(at - data);
}

void
gs_span_cut(const struct gs_span_encoder *encoder, struct gs_select *select,
            struct gs_encoded *encoded)
{
	const size_t keys = gs_select_head(select, encoded->keys);

	encoded->bytes = bytes_of(encoder->encoding, encoded, keys);
	encoded->keys = keys;
}

gs_status
gs_span_join(struct gs_span_encoder *encoder, struct gs_select *select, const struct gs_span *span,
             struct gs_encoded *encoded)
{
	enum { LINE_BYTES = 128 };
	struct gs_encoding encoding = *encoder->encoding;
	uint64_t keys[GS_SEAM_KEYS], times[GS_SEAM_KEYS];
	char front[GS_SEAM_KEYS * LINE_BYTES];
	size_t bytes, count, own_keys;

	assert(gs_encoding_bytes(&encoding) <= LINE_BYTES);
	count = gs_select_join(select, span->key_class, span->key_bits, &encoded->seam, keys,
	                       times);
	count = gs_select_head(select, count);
	own_keys = gs_select_head(select, encoded->keys);
	encoded->bytes = bytes_of(&encoding, encoded, own_keys);
	encoding.threads = 1;
	if (gs_encoding_in_place(&encoding)) {
		bytes = count * (span->key_bits / 8);
		memcpy(front, keys, bytes);
		gs_ordered_to_raw(encoding.to, encoding.endian, encoding.reverse, front, count, 1);
	} else {
		TRY(gs_encode(&encoding, span->key_class, span->key_bits, keys,
		              encoding.counts ? times : NULL, count, front, &bytes));
	}
	encoded->data = (char *)encoded->data - bytes;
	memcpy(encoded->data, front, bytes);
	encoded->bytes += bytes;
	encoded->keys = count + own_keys;
	return GS_OK;
}
