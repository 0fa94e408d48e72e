// SPDX-License-Identifier: BSD-2-Clause
/*
 * text_number.c - numbers as text behind each other, as items of --argsort
 *
 * Integers are of 65 bits, -2^63 .. 2^64-1.  An item has the upper 64 of (integer + 2^63), and the
 * lowest bit in a byte of its own.
 */
#include <string.h>

#include "base/round.h"
#include "ingest/line_ingest.h"

enum { BATCH_KEYS = 512, NUMBER_BYTES = GS_LINE_NUMBER_BYTES };

#define SIGN	(UINT64_C(1) << 63)

/* What lines that are numbers have at least: a digit and a terminator. */
enum { LEAST_LINE_BYTES = 2 };

gs_status
gs_text_number_open(struct gs_record *item, const struct gs_text_options *options, bool reverse)
{
	const struct gsort_key keys[] = {
		{ .type = GSORT_U64, .offset = 0 }, { .type = GSORT_U8, .offset = sizeof(uint64_t) },
	};
	const size_t count = options->floats ? 1 : 2;

	return gs_record_open(item, sizeof(uint64_t) + count - 1 + NUMBER_BYTES, keys, count,
	                      GSORT_ENDIAN_HOST, reverse);
}

size_t
gs_text_number_most(const struct gs_record *item, uint64_t lines, size_t bytes)
{
	return (size_t)gs_least(lines, bytes / LEAST_LINE_BYTES) * item->bytes;
}

gs_status
gs_text_number_put(const struct gs_record *item, struct gs_lines *lines,
                   struct gs_line_number number, const char *data, const char *end, uint64_t first,
                   char *into, size_t *made)
{
	const uint64_t before = lines->line;
	uint64_t keys[BATCH_KEYS], numbers[BATCH_KEYS];
	uint8_t classes[BATCH_KEYS];
	size_t count, used;

	*made = 0;
	for (; data < end; data += used) {
		TRY(gs_lines_decode(lines, data, (size_t)(end - data), true, keys, classes, NULL, numbers,
		                    BATCH_KEYS, &count, &used));
		for (size_t i = 0; i < count; i++, *made += item->bytes) {
			const uint64_t bits = gs_line_number_bits(number, first + numbers[i] - 1 - before);
			const enum gs_text_class class = (enum gs_text_class)classes[i];
			char *to = into + *made;

			if (!lines->options.floats) {	/* an integer of CLASS */
				const uint64_t value = keys[i] - gs_text_bias(class);
				const bool negative = class < GS_SMALL ||
				                      (class == GS_SMALL && value >= SIGN);

				keys[i] = negative ? (value + SIGN) / 2 : value / 2 + SIGN / 2;
				to[sizeof keys[i]] = (char)(value % 2);
			}
			memcpy(to, &keys[i], sizeof keys[i]);
			memcpy(to + item->bytes - NUMBER_BYTES, &bits, sizeof bits);
		}
	}
	return GS_OK;
}
