// SPDX-License-Identifier: BSD-2-Clause
/*
 * text_number.c - numbers as text, one after the other, as items for --argsort
 *
 * Integers have 65 bits, -2^63 .. 2^64-1.  An item has the upper 64 bits of (integer + 2^63), and the
 * lowest bit in a separate byte.
 */
#include <string.h>

#include "base/round.h"
#include "ingest/line_ingest.h"

/* What lines that are numbers have at least: a digit and a terminator. */
enum { LEAST_LINE_BYTES = 2 };

gs_status
gs_text_number_open(struct gs_record *item, const struct gs_text_options *options, bool reverse)
{
	const struct gsort_key keys[] = {
		{ .type = GSORT_U64, .offset = 0 }, { .type = GSORT_U8, .offset = sizeof(uint64_t) },
	};
	const size_t count = options->floats ? 1 : 2;

	return gs_record_open(item, sizeof(uint64_t) + count - 1 + GS_LINE_NUMBER_BYTES, keys, count,
	                      GSORT_ENDIAN_HOST, reverse);
}

size_t
gs_text_number_most(const struct gs_record *item, uint64_t lines, size_t bytes)
{
	return (size_t)gs_least(lines, bytes / LEAST_LINE_BYTES) * item->bytes;
}

gs_status
gs_text_number_put(const struct gs_record *item, struct gs_text_decoder *decoder,
                   struct gs_line_number number, const char *data, const char *end, uint64_t first,
                   char *into, size_t *made)
{
	const struct gs_text_options *options = &decoder->rules.options;
	const struct gs_text_keys *found = &decoder->sections[0].keys;
	const uint64_t before = decoder->file_lines;
	size_t bytes;

	*made = 0;
	for (; data < end; data += bytes) {
		const uint64_t at = first + decoder->file_lines - before;
		const size_t most = gs_least((size_t)(end - data), decoder->chunk_bytes);
		/* one line after the other, if some may be left out */
		const char *last = options->invalid == GSORT_INVALID_ABORT
		                   ? memrchr(data, options->terminator, most)
		                   : memchr(data, options->terminator, most);

		bytes = last != NULL ? (size_t)(last + 1 - data) : most;
		TRY(gs_text_decode(decoder, data, bytes, data + bytes == end));
		for (size_t i = 0; i < found->count[0]; i++, *made += item->bytes) {
			const uint64_t bits = gs_line_number_bits(number, at + i);
			uint64_t key = ((const uint64_t *)found->keys[0])[i];
			char *to = into + *made;

			if (!options->floats) {
				to[sizeof key] = (char)(key % 2);
				key = key / 2 + (found->classes[i] == GS_NEG_WIDE ? 0 : UINT64_C(1) << 62);
			}
			memcpy(to, &key, sizeof key);
			memcpy(to + item->bytes - GS_LINE_NUMBER_BYTES, &bits, sizeof bits);
		}
	}
	return GS_OK;
}
