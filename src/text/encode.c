// SPDX-License-Identifier: BSD-2-Clause
/*
 * encode.c - sorted keys of any type to bytes of any type, with or without counts
 *
 * In:   a span of sorted keys, and perhaps how often each came.
 * Out:  lines or binary keys.
 *
 * The places of lines of integers can be computed (encode_text.c).  Of counts and floats the
 * lengths are not known before: there each thread prints slices of the keys where the longest
 * lines would begin, and then the slices are moved together.
 */
#include <assert.h>
#include <string.h>

#include "base/round.h"
#include "base/team.h"
#include "key/key.h"
#include "text/digits.h"
#include "text/encode.h"
#include "text/floats.h"
#include "text/notation.h"
#include "text/text.h"

enum {
	COUNT_WIDTH = 7,		/* as uniq -c: "%7llu " */
	MOST_SLICES = 64,
	SLICE_KEYS  = 4096,		/* at least, as waking a thread takes time; not tuned */
};

size_t
gs_encoding_bytes(const struct gs_encoding *encoding)
{
	size_t bytes;

	if (!gs_key_is_text(encoding->to))
		return gs_key_bits(encoding->to) / 8 +
		       (encoding->counts ? sizeof(uint64_t) : 0);
	/* Digits are printed eight at a time, so a few bytes after the last are overwritten. */
	bytes = gs_key_is_float(encoding->from) ? GS_FLOAT_BYTES + 8 :
	        encoding->notation != GSORT_DECIMAL ? GS_NOTATION_BYTES + 1 : GS_TEXT_LINE_BYTES;
	return encoding->counts ? GS_COUNT_BYTES + bytes : bytes;
}

bool
gs_encoding_in_place(const struct gs_encoding *encoding)
{
	return encoding->from == encoding->to && !gs_key_is_text(encoding->to) && !encoding->counts;
}

/* ---- lines of any length --------------------------------------------------- */

char *
gs_count_print(uint64_t count, char *into)
{
	const unsigned digits = gs_digits_count(count);
	const unsigned blanks = digits < COUNT_WIDTH ? COUNT_WIDTH - digits : 0;

	memset(into, ' ', blanks);
	gs_digits_print(into + blanks, count, digits);
	into[blanks + digits] = ' ';
	return into + blanks + digits + 1;
}

struct slices {
	const struct gs_encoding *encoding;
	const struct gs_numbers  *numbers;
	const uint64_t           *counts;
	char                     *into;
	size_t most;			/* bytes of the longest line */
	size_t firsts[MOST_SLICES + 1];	/* the first key of each slice */
	size_t bytes[MOST_SLICES];
};

static void
print_one(void *context, size_t s)
{
	struct slices *slices = context;
	const size_t first = slices->firsts[s], last = slices->firsts[s + 1];
	char *begin = slices->into + first * slices->most, *into = begin;

	for (size_t k = first; k < last; k++) {
		if (slices->counts != NULL)
			into = gs_count_print(slices->counts[k], into);
		into += gs_number_print(slices->numbers, k, into);
		*into++ = slices->encoding->terminator;
	}
	slices->bytes[s] = (size_t)(into - begin);
	assert(slices->bytes[s] <= (last - first) * slices->most);
}

static struct gs_numbers
numbers_of(const struct gs_encoding *encoding, unsigned key_class, unsigned key_bits,
           const void *keys)
{
	return (struct gs_numbers){
		.type = encoding->from,
		.notation = encoding->notation,
		.integers = {
			.keys = keys, .bits = key_bits, .terminator = encoding->terminator,
			.bias = gs_key_bias(encoding->from, key_class),
			.flip = encoding->reverse ? UINT64_MAX : 0, .threads = encoding->threads,
		},
	};
}

gs_status
gs_encode(const struct gs_encoding *encoding, const struct gs_span *span, void *into, size_t *bytes)
{
	const struct gs_numbers numbers = numbers_of(encoding, span->key_class, span->key_bits, span->keys);
	const size_t count = span->count, n = (size_t)gs_within(1, count / SLICE_KEYS, MOST_SLICES);
	struct slices slices = {
		encoding, &numbers, encoding->counts ? span->times : NULL, into,
		.most = gs_encoding_bytes(encoding),
	};

	assert(encoding->counts == (slices.counts != NULL));
	if (!gs_key_is_text(encoding->to))
		*bytes = count * slices.most;
	if (gs_encoding_in_place(encoding)) {
		if (into != span->keys)
			memmove(into, span->keys, *bytes);
		gs_ordered_to_raw(encoding->to, encoding->endian, encoding->reverse, into, count,
		                  encoding->threads);
		return GS_OK;
	}
	if (!gs_key_is_text(encoding->to))
		return gs_numbers_convert(&numbers, encoding->to, encoding->endian, slices.counts, count,
		                          into);
	if (!encoding->counts && !gs_key_is_float(encoding->from) && encoding->notation == GSORT_DECIMAL) {
		*bytes = gs_integers_print(&numbers.integers, count, into);
		return GS_OK;
	}
	for (size_t s = 0; s <= n; s++)
		slices.firsts[s] = count * s / n;
	gs_team_each(encoding->threads, n, print_one, &slices);
	*bytes = 0;
	for (size_t s = 0; s < n; s++) {
		memmove((char *)into + *bytes, slices.into + slices.firsts[s] * slices.most, slices.bytes[s]);
		*bytes += slices.bytes[s];
	}
	return GS_OK;
}

uint64_t
gs_encode_measure(const struct gs_encoding *encoding, unsigned key_class, unsigned key_bits,
                  const void *keys, size_t count)
{
	const struct gs_numbers numbers = numbers_of(encoding, key_class, key_bits, keys);
	const uint64_t bias = numbers.integers.bias;
	char line[GS_FLOAT_BYTES + GS_NOTATION_BYTES];
	uint64_t bytes = count;		/* the terminators */

	if (gs_key_is_float(encoding->from) || encoding->notation != GSORT_DECIMAL) {
		for (size_t k = 0; k < count; k++)
			bytes += gs_number_print(&numbers, k, line);
		return bytes;
	}
	for (size_t k = 0; k < count; k++) {
		const uint64_t key = gs_integers_key(&numbers.integers, key_bits, k);

		bytes += gs_digits_count(key < bias ? bias - key : key - bias) + (key < bias);
	}
	return bytes;
}
