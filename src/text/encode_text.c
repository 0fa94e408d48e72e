// SPDX-License-Identifier: BSD-2-Clause
/*
 * encode_text.c - sorted integers to lines of digits
 *
 * In:   sorted keys, integers of any width.
 * Out:  their lines, in order.
 *
 * The place of a line depends on the lengths of all lines before it.  But keys are sorted, so
 * lines of one length are neighbours: there is at most one stretch for each sign and number of
 * digits.  A binary search finds the end of each stretch, and then the place of any line is known.
 * Threads print their shares side by side, in loops with a fixed number of digits.
 *
 * Invariant: the lines of a stretch begin where the lines of the stretch before it end.
 */
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined __x86_64__
#include <immintrin.h>
#endif

#include "base/simd.h"
#include "base/team.h"
#include "text/digits.h"
#include "text/encode.h"
#include "text/text.h"

/* --- lines of one length, many at once, with vectors ---------------------------- */

/*
 * As in digits.h all numbers are split side by side, into fours, pairs and digits, dividing by
 * multiplication.  Then a line takes one shuffle, which drops leading zeros, and one addition of
 * what all lines have in common: the sign, 48 for each digit, and the terminator.  It is stored as
 * 16 bytes, the last of which the next line overwrites.  A longer line takes two stores.
 *
 * Invariant: the second store, or the only one, has the last 15 digits at most; the first one has
 * up to 5 digits before them.
 */

#if defined __x86_64__
enum {
	GROUP = 8,		/* keys that are printed at once */
	SPILL_KEYS = 8,		/* lines after the last that its 16 bytes may overwrite */
	TEN8 = 100000000,
	LAST_DIGITS = 15,
};
#define TEN15	UINT64_C(1000000000000000)

/* From digits to the 16 bytes of a store: which digit goes where, and the bytes to add. */
struct pattern {
	uint8_t shuffle[16], add[16];
};

/* The pattern of: a minus if MINUS, the DIGITS digits before source byte END, and TERMINATOR. */
static struct pattern
pattern_of(bool minus, unsigned digits, unsigned end, char terminator)
{
	struct pattern pattern;

	memset(pattern.shuffle, 0x80, sizeof pattern.shuffle);
	memset(pattern.add, terminator, sizeof pattern.add);
	for (unsigned d = 0; d < digits; d++) {
		pattern.shuffle[minus + d] = (uint8_t)(end - digits + d);
		pattern.add[minus + d] = '0';
	}
	if (minus)
		pattern.add[0] = '-';
	return pattern;
}

#include "text/print_avx2.inc"
#include "text/print_avx512.inc"

#endif

/* --- stretches ------------------------------------------------------------------- */

enum {
	STRETCHES_MOST = 2 * 20,	/* two signs, 1 to 20 digits */
	/* Estimated, not tuned: at 165 M lines/s one thread prints these in 50 us. */
	SHARE_KEYS = 8192,
	SPILL_LINES = 8,	/* print_lines() may overwrite this many lines after its last */
};

/* Lines of one sign and one number of digits. */
struct stretch {
	size_t   key_at;	/* the first */
	size_t   byte_at;	/* where its line begins */
	unsigned digits;
	bool     minus;
};

/* The stretch that begins with the key at AT; its byte_at is not set. */
static struct stretch
stretch_of(const struct gs_integers *source, size_t at)
{
	const uint64_t key = gs_integers_key(source, source->bits, at);
	const bool minus = key < source->bias;

	return (struct stretch){
		.key_at = at, .minus = minus,
		.digits = gs_digits_count(minus ? source->bias - key : key - source->bias),
	};
}

/* ---- where lines go ----------------------------------------------------- */

static unsigned
line_bytes(const struct stretch *stretch)
{
	return stretch->digits + stretch->minus + 1;
}

/* Find all stretches; one more marks the end.  Returns how many. */
static unsigned
find_stretches(const struct gs_integers *source, size_t count, struct stretch *stretches)
{
	size_t key = 0, byte = 0;
	unsigned s = 0;

	for (; key < count; s++) {
		size_t no = count;

		assert(s < STRETCHES_MOST);
		stretches[s] = stretch_of(source, key);
		stretches[s].byte_at = byte;
		/* where it ends: keys belong to it up to there, and not from there on */
		while (no - key > 1) {
			const size_t middle = key + (no - key) / 2;
			const struct stretch other = stretch_of(source, middle);

			if (other.minus == stretches[s].minus && other.digits == stretches[s].digits)
				key = middle;
			else
				no = middle;
		}
		key = no;
		byte += (key - stretches[s].key_at) * line_bytes(&stretches[s]);
	}
	stretches[s] = (struct stretch){ .key_at = count, .byte_at = byte };
	return s;
}

/* ---- lines --------------------------------------------------------------- */

/*
 * Print the keys FIRST .. LAST, all of STRETCH.  Up to 7 bytes after the last line are
 * overwritten: fewer than SPILL_LINES lines have, as a line has at least two bytes.
 */
static inline __attribute__((always_inline)) char *
print_lines(const struct gs_integers *source, unsigned bits, const struct stretch *stretch,
            size_t first, size_t last, char *into)
{
	const unsigned digits = stretch->digits;
	const char terminator = source->terminator;

	for (size_t k = first; k < last; k++) {
		uint64_t key = gs_integers_key(source, bits, k);

		if (stretch->minus) {
			*into++ = '-';
			key = source->bias - key;
		} else {
			key -= source->bias;
		}
		gs_digits_print(into, key, digits);
		into += digits;
		*into++ = terminator;
	}
	return into;
}

/* The same, with a loop for each width. */
static char *
print_any(const struct gs_integers *source, const struct stretch *stretch, size_t first,
          size_t last, char *into)
{
#define PRINT(width)	print_lines(source, width, stretch, first, last, into)
	return GS_BY_WIDTH(source->bits, PRINT);
}

/*
 * Print the keys FIRST .. LAST, all of STRETCH, many at once with vectors; nothing after the last line is
 * touched.
 */
static void
print_exactly(enum gs_simd simd, const struct gs_integers *source, const struct stretch *stretch,
              size_t first, size_t last, char *into)
{
	char lines[(SPILL_LINES + 1) * GS_TEXT_LINE_BYTES];
	size_t many = 0, last_lines;
	char *end;

#if defined __x86_64__
	if (source->bits >= 32 && last - first >= GROUP + SPILL_KEYS && simd != GS_SIMD_NONE)
		many = (simd == GS_SIMD_AVX512 ? print_avx512 : print_avx2)(
			source, stretch->digits, stretch->minus, first, last, into);
#else
	(void)simd;
#endif
	first += many;
	into += many * line_bytes(stretch);
	last_lines = last - first < SPILL_LINES ? last - first : SPILL_LINES;
	into = print_any(source, stretch, first, last - last_lines, into);
	end = print_any(source, stretch, last - last_lines, last, lines);
	memcpy(into, lines, (size_t)(end - lines));
}

struct lines {
	const struct gs_integers *source;
	size_t     count;
	char      *into;
	enum gs_simd simd;
	struct stretch stretches[STRETCHES_MOST + 1];
};

static void
print_one(void *context, size_t share)
{
	const struct lines *lines = context;
	const struct stretch *stretch = lines->stretches;
	size_t first = share * SHARE_KEYS, end;
	const size_t last = lines->count - first < SHARE_KEYS ? lines->count : first + SHARE_KEYS;

	for (; first < last; first = end) {
		while (stretch[1].key_at <= first)
			stretch++;
		end = stretch[1].key_at < last ? stretch[1].key_at : last;
		print_exactly(lines->simd, lines->source, stretch, first, end,
		              lines->into + stretch->byte_at +
		              (first - stretch->key_at) * line_bytes(stretch));
	}
}

size_t
gs_integers_print(const struct gs_integers *source, size_t count, char *into)
{
	struct lines lines = {
		.source = source, .count = count, .into = into, .simd = gs_simd_best(),
	};
	const unsigned found = find_stretches(source, count, lines.stretches);

	gs_team_each(source->threads, (count + SHARE_KEYS - 1) / SHARE_KEYS, print_one,
	             &lines);
	return lines.stretches[found].byte_at;
}
