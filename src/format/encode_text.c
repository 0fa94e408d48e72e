// SPDX-License-Identifier: BSD-2-Clause
/*
 * encode_text.c - sorted keys become lines of digits
 *
 * In:   sorted keys of one class.
 * Out:  their lines, in order.
 *
 * A line's place depends on the lengths of all lines before it.  But keys are
 * sorted, so lines of one length stand together: at most one run for each sign
 * and number of digits.  A binary search finds where each run ends, and then the
 * place of any line is known; threads print their shares side by side, in loops
 * that know how many digits to print.
 *
 * Digits are made eight at a time, the mirror of decode_text.c: a number is
 * split into two fours, these into four pairs, these into eight digits, all
 * halves of one word at once, dividing by multiplication.
 *
 * Invariant: run r's lines begin where run r - 1's end.
 */
#include <assert.h>
#include <endian.h>
#include <stdbool.h>
#include <string.h>

#include "format/encode.h"

enum {
	RUNS_MOST = 2 * 20,	/* two signs, 1 to 20 digits */
	/* Reckoned, not tuned: at 165 M lines/s one thread prints so many in 50 us. */
	PARALLEL_KEYS = 8192,
	SPILL_LINES = 8,	/* print_run() may write this many lines too far, see there */
};

/* What a class's keys mean: value = key - bias; in SMALL, below the bias is minus. */
static const struct {
	bool     wide, minus, both;
	uint64_t bias;
} meaning[GS_TEXT_CLASSES] = {
	[GS_NEG_WIDE]   = { .wide = true, .minus = true, .bias = UINT64_C(1) << 63 },
	[GS_NEG_NARROW] = { .minus = true, .bias = UINT64_C(1) << 31 },
	[GS_SMALL]      = { .both = true, .bias = -(int64_t)GS_SMALL_LOW },
	[GS_POS_NARROW] = { .bias = 0 },
	[GS_POS_WIDE]   = { .wide = true, .bias = 0 },
};

/* Sorted keys of one class, and how to read them. */
struct source {
	const void *keys;
	bool        wide, minus, both;
	uint64_t    bias, flip;
};

/* Lines of one sign and one number of digits. */
struct run {
	size_t   key_at;	/* the first */
	size_t   byte_at;	/* where its line begins */
	unsigned digits;
	bool     minus;
};

/* ---- numbers ----------------------------------------------------------- */

static const uint64_t power_of_ten[20] = {
	UINT64_C(1), UINT64_C(10), UINT64_C(100), UINT64_C(1000), UINT64_C(10000),
	UINT64_C(100000), UINT64_C(1000000), UINT64_C(10000000), UINT64_C(100000000),
	UINT64_C(1000000000), UINT64_C(10000000000), UINT64_C(100000000000),
	UINT64_C(1000000000000), UINT64_C(10000000000000), UINT64_C(100000000000000),
	UINT64_C(1000000000000000), UINT64_C(10000000000000000),
	UINT64_C(100000000000000000), UINT64_C(1000000000000000000),
	UINT64_C(10000000000000000000),
};

/* How many digits; log10(2) is about 1233 / 4096. */
static unsigned
count_digits(uint64_t number)
{
	unsigned bits = 64 - (unsigned)__builtin_clzll(number | 1);
	unsigned digits = bits * 1233 >> 12;

	return digits + ((number | 1) >= power_of_ten[digits]);
}

static inline uint64_t
key_at(const struct source *source, bool wide, size_t at)
{
	if (wide)
		return ((const uint64_t *)source->keys)[at] ^ source->flip;
	return ((const uint32_t *)source->keys)[at] ^ (uint32_t)source->flip;
}

static bool
is_minus(const struct source *source, uint64_t key)
{
	return source->minus || (source->both && key < source->bias);
}

/* ---- where everything goes --------------------------------------------- */

/* Is the key at AT printed with RUN's sign and number of digits? */
static bool
belongs(const struct source *source, const struct run *run, size_t at)
{
	uint64_t key = key_at(source, source->wide, at);
	bool minus = is_minus(source, key);

	return minus == run->minus &&
	       count_digits(minus ? source->bias - key : key - source->bias) == run->digits;
}

/* Where RUN ends, before COUNT: from its first key on, it is all yes, then all no. */
static size_t
end_of(const struct source *source, const struct run *run, size_t count)
{
	size_t yes = run->key_at, no = count;

	while (no - yes > 1) {
		size_t middle = yes + (no - yes) / 2;

		if (belongs(source, run, middle))
			yes = middle;
		else
			no = middle;
	}
	return no;
}

static unsigned
line_bytes(const struct run *run)
{
	return run->digits + run->minus + 1;
}

/* All runs; one more marks the end.  Returns how many. */
static unsigned
find_runs(const struct source *source, size_t count, struct run *runs)
{
	size_t key = 0, byte = 0;
	unsigned r = 0;

	for (; key < count; r++) {
		uint64_t first = key_at(source, source->wide, key);
		bool minus = is_minus(source, first);

		assert(r < RUNS_MOST);
		runs[r] = (struct run){
			.key_at = key, .byte_at = byte, .minus = minus,
			.digits = count_digits(minus ? source->bias - first
			                             : first - source->bias),
		};
		key = end_of(source, &runs[r], count);
		byte += (key - runs[r].key_at) * line_bytes(&runs[r]);
	}
	runs[r] = (struct run){ .key_at = count, .byte_at = byte };
	return r;
}

/* ---- digits ------------------------------------------------------------ */

/* Eight digits of a number below 10^8; the first in the first byte of memory. */
static inline uint64_t
split_eight(uint64_t number)
{
	uint64_t fours, pairs, ones;

	fours = number / 10000 | (number % 10000) << 32;
	pairs = (fours * 10486 >> 20) & 0x0000007f0000007f;	/* / 100, below 43699 */
	pairs |= (fours - pairs * 100) << 16;
	ones = (pairs * 103 >> 10) & 0x000f000f000f000f;	/* / 10, below 179 */
	ones |= (pairs - ones * 10) << 8;
	return ones + 0x3030303030303030;
}

static inline void
store_eight(char *into, uint64_t word)
{
	word = htole64(word);
	memcpy(into, &word, sizeof word);
}

/* Print NUMBER with exactly DIGITS; up to 7 bytes behind them are overwritten. */
static inline void
print_number(char *into, uint64_t number, unsigned digits)
{
	const uint64_t unit = 100000000;
	unsigned lead = digits;

	if (digits > 16)
		lead = digits - 16;
	else if (digits > 8)
		lead = digits - 8;
	if (digits > 16) {
		store_eight(into, split_eight(number / (unit * unit)) >> (64 - 8 * lead));
		number %= unit * unit;
		store_eight(into + lead, split_eight(number / unit));
		store_eight(into + lead + 8, split_eight(number % unit));
	} else if (digits > 8) {
		store_eight(into, split_eight(number / unit) >> (64 - 8 * lead));
		store_eight(into + lead, split_eight(number % unit));
	} else {
		store_eight(into, split_eight(number) >> (64 - 8 * lead));
	}
}

/*
 * Print the keys FIRST .. LAST, all of RUN.  Behind the last line, up to 7 bytes
 * more are overwritten: less than SPILL_LINES lines of two bytes and more.
 */
static inline char *
print_run(const struct source *source, bool wide, const struct run *run,
          size_t first, size_t last, char *into)
{
	const unsigned digits = run->digits;

	for (size_t k = first; k < last; k++) {
		uint64_t key = key_at(source, wide, k);

		if (run->minus) {
			*into++ = '-';
			key = source->bias - key;
		} else {
			key -= source->bias;
		}
		print_number(into, key, digits);
		into += digits;
		*into++ = '\n';
	}
	return into;
}

/* The same, and nothing behind the last line is touched. */
static void
print_exactly(const struct source *source, const struct run *run,
              size_t first, size_t last, char *into)
{
	char lines[(SPILL_LINES + 1) * GS_TEXT_LINE_BYTES];
	size_t held = last - first < SPILL_LINES ? last - first : SPILL_LINES;
	char *end;

	if (source->wide)
		into = print_run(source, true, run, first, last - held, into);
	else
		into = print_run(source, false, run, first, last - held, into);
	end = print_run(source, source->wide, run, last - held, last, lines);
	memcpy(into, lines, (size_t)(end - lines));
}

/* Print the keys FIRST .. LAST, of whatever runs. */
static void
print_share(const struct source *source, const struct run *runs, size_t first, size_t last,
            char *into)
{
	const struct run *run = runs;

	while (first < last) {
		size_t end;

		while (run[1].key_at <= first)
			run++;
		end = run[1].key_at < last ? run[1].key_at : last;
		print_exactly(source, run, first, end,
		              into + run->byte_at + (first - run->key_at) * line_bytes(run));
		first = end;
	}
}

size_t
gs_text_encode(enum gs_text_class class, bool reverse, char terminator, const void *keys,
               size_t count,
               char *into)
{
	(void)terminator;
	const struct source source = {
		.keys = keys,
		.wide = meaning[class].wide, .minus = meaning[class].minus,
		.both = meaning[class].both, .bias = meaning[class].bias,
		.flip = reverse ? UINT64_MAX : 0,
	};
	struct run runs[RUNS_MOST + 1];
	const size_t shares = (count + PARALLEL_KEYS - 1) / PARALLEL_KEYS;
	unsigned run_count = find_runs(&source, count, runs);

	#pragma omp parallel for schedule(static) if(shares > 1)
	for (size_t s = 0; s < shares; s++) {
		size_t first = s * PARALLEL_KEYS;
		size_t last = count - first < PARALLEL_KEYS ? count : first + PARALLEL_KEYS;

		print_share(&source, runs, first, last, into);
	}
	return runs[run_count].byte_at;
}
