// SPDX-License-Identifier: BSD-2-Clause
/*
 * encode.c - sorted keys of any type to bytes of any type
 *
 * In:   a span of sorted keys, and perhaps how often each came.
 * Out:  lines or binary keys.
 *
 * Lines of integers alone have places that can be computed (encode_text.c).  Where
 * lengths are not known before, as with counts and floats, each thread prints a slice of
 * the keys at the beginning of a room that is long enough, and then the slices are pushed
 * together.
 */
#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "base/team.h"
#include "format/convert.h"
#include "format/digits.h"
#include "format/floats.h"
#include "format/encode.h"
#include "format/key.h"

enum {
	COUNT_WIDTH = 7,		/* as uniq -c: "%7llu " */
	COUNT_BYTES = 20 + 1,		/* most digits of a count, and a blank */
	MOST_SLICES = 64,
	SLICE_KEYS  = 4096,		/* at least, so that starting a team pays.  Not tuned. */
};

static bool
is_text(enum gsort_type type)
{
	return type == GSORT_TEXT || type == GSORT_TEXT_FLOAT;
}

static bool
is_float(enum gsort_type type)
{
	return type == GSORT_TEXT_FLOAT || type == GSORT_F32 || type == GSORT_F64;
}

size_t
gs_encoding_bytes(const struct gs_encoding *encoding)
{
	size_t bytes;

	if (!is_text(encoding->to))
		return gs_key_bits(encoding->to) / 8 +
		       (encoding->counts ? sizeof(uint64_t) : 0);
	/* digits are printed eight at a time, so a few bytes behind the last are touched */
	bytes = is_float(encoding->from) ? GS_FLOAT_BYTES + 8 : GS_TEXT_LINE_BYTES;
	return encoding->counts ? COUNT_BYTES + bytes : bytes;
}

bool
gs_encoding_in_place(const struct gs_encoding *encoding)
{
	return encoding->from == encoding->to && !is_text(encoding->to) && !encoding->counts;
}

/* ---- lines of any length --------------------------------------------------- */

static char *
print_count(uint64_t count, char *into)
{
	const unsigned digits = gs_digits_count(count);

	if (digits < COUNT_WIDTH) {
		memset(into, ' ', COUNT_WIDTH - digits);
		into += COUNT_WIDTH - digits;
	}
	gs_digits_print(into, count, digits);
	into[digits] = ' ';
	return into + digits + 1;
}

/* Print the keys FIRST .. LAST; returns behind the last line. */
static char *
print_slice(const struct gs_encoding *encoding, const struct gs_numbers *numbers,
            const uint64_t *counts, size_t first, size_t last, char *into)
{
	for (size_t k = first; k < last; k++) {
		if (counts != NULL)
			into = print_count(counts[k], into);
		into += gs_number_print(numbers, k, into);
		*into++ = encoding->terminator;
	}
	return into;
}

struct slices {
	const struct gs_encoding *encoding;
	const struct gs_numbers  *numbers;
	const uint64_t           *counts;
	char                     *into;
	size_t most;			/* bytes of a line */
	size_t firsts[MOST_SLICES + 1];	/* keys */
	size_t bytes[MOST_SLICES];
};

static void
print_one(void *context, size_t s)
{
	struct slices *slices = context;
	const size_t first = slices->firsts[s], last = slices->firsts[s + 1];
	char *begin = slices->into + first * slices->most;

	slices->bytes[s] = (size_t)(print_slice(slices->encoding, slices->numbers, slices->counts,
	                                        first, last, begin) - begin);
	assert(slices->bytes[s] <= (last - first) * slices->most);
}

static size_t
print(const struct gs_encoding *encoding, const struct gs_numbers *numbers,
      const uint64_t *counts, size_t count, char *into)
{
	const size_t useful = count / SLICE_KEYS;
	const size_t n = useful < 1 ? 1 : useful > MOST_SLICES ? MOST_SLICES : useful;
	struct slices slices = {
		encoding, numbers, counts, into, .most = gs_encoding_bytes(encoding),
	};
	size_t bytes = 0;

	for (size_t s = 0; s <= n; s++)
		slices.firsts[s] = count * s / n;
	gs_team_each(encoding->threads, n, print_one, &slices);
	for (size_t s = 0; s < n; s++) {
		memmove(into + bytes, into + slices.firsts[s] * slices.most, slices.bytes[s]);
		bytes += slices.bytes[s];
	}
	return bytes;
}

gs_status
gs_encode(const struct gs_encoding *encoding, unsigned key_class, unsigned key_bits, const void *keys,
          const uint64_t *counts, size_t count, char *into, size_t *bytes)
{
	const bool text = is_text(encoding->from);
	const struct gs_numbers numbers = {
		.type = encoding->from,
		.integers = {
			.keys = keys, .bits = key_bits, .terminator = encoding->terminator,
			.bias = text ? gs_text_bias((enum gs_text_class)key_class) :
			        is_float(encoding->from) ? 0 : gs_key_bias(encoding->from),
			.flip = encoding->reverse ? UINT64_MAX : 0, .threads = encoding->threads,
		},
	};

	assert(encoding->counts == (counts != NULL));
	if (!is_text(encoding->to)) {
		*bytes = count * gs_encoding_bytes(encoding);
		return gs_numbers_convert(&numbers, encoding->to, encoding->endian, counts, count,
		                          into);
	}
	if (counts == NULL && !is_float(encoding->from))
		*bytes = gs_integers_print(&numbers.integers, count, into);
	else
		*bytes = print(encoding, &numbers, counts, count, into);
	return GS_OK;
}
