// SPDX-License-Identifier: BSD-2-Clause
/*
 * encode_text.c - sorted keys become lines of digits
 *
 * In:   sorted keys, integers of any width.
 * Out:  their lines, in order.
 *
 * A line's place depends on the lengths of all lines before it.  But keys are
 * sorted, so lines of one length stand together: at most one run for each sign
 * and number of digits.  A binary search finds where each run ends, and then the
 * place of any line is known; threads print their shares side by side, in loops
 * that know how many digits to print.
 *
 * Invariant: run r's lines begin where run r - 1's end.
 */
#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "base/team.h"
#include "format/digits.h"
#include "format/encode.h"
#include "format/integers.h"
#include "format/print.h"

enum {
	RUNS_MOST = 2 * 20,	/* two signs, 1 to 20 digits */
	/* Reckoned, not tuned: at 165 M lines/s one thread prints so many in 50 us. */
	PARALLEL_KEYS = 8192,
	SPILL_LINES = 8,	/* print_run() may write this many lines too far, see there */
};

/* Lines of one sign and one number of digits. */
struct run {
	size_t   key_at;	/* the first */
	size_t   byte_at;	/* where its line begins */
	unsigned digits;
	bool     minus;
};

static inline __attribute__((always_inline)) uint64_t
key_at(const struct gs_integers *source, unsigned bits, size_t at)
{
	switch (bits) {
	case 8:  return ((const uint8_t *)source->keys)[at] ^ (uint8_t)source->flip;
	case 16: return ((const uint16_t *)source->keys)[at] ^ (uint16_t)source->flip;
	case 32: return ((const uint32_t *)source->keys)[at] ^ (uint32_t)source->flip;
	default: return ((const uint64_t *)source->keys)[at] ^ source->flip;
	}
}

/* The run that begins with the key at AT; where its lines begin is not known here. */
static struct run
run_of(const struct gs_integers *source, size_t at)
{
	const uint64_t key = key_at(source, source->bits, at);
	const bool minus = key < source->bias;

	return (struct run){
		.key_at = at, .minus = minus,
		.digits = gs_digits_count(minus ? source->bias - key : key - source->bias),
	};
}

/* ---- where everything goes --------------------------------------------- */

/* Is the key at AT printed with RUN's sign and number of digits? */
static bool
belongs(const struct gs_integers *source, const struct run *run, size_t at)
{
	const struct run other = run_of(source, at);

	return other.minus == run->minus && other.digits == run->digits;
}

/* Where RUN ends, before COUNT: from its first key on, it is all yes, then all no. */
static size_t
end_of(const struct gs_integers *source, const struct run *run, size_t count)
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
find_runs(const struct gs_integers *source, size_t count, struct run *runs)
{
	size_t key = 0, byte = 0;
	unsigned r = 0;

	for (; key < count; r++) {
		assert(r < RUNS_MOST);
		runs[r] = run_of(source, key);
		runs[r].byte_at = byte;
		key = end_of(source, &runs[r], count);
		byte += (key - runs[r].key_at) * line_bytes(&runs[r]);
	}
	runs[r] = (struct run){ .key_at = count, .byte_at = byte };
	return r;
}

/* ---- lines --------------------------------------------------------------- */

/*
 * Print the keys FIRST .. LAST, all of RUN.  Behind the last line, up to 7 bytes
 * more are overwritten: less than SPILL_LINES lines of two bytes and more.
 */
static inline __attribute__((always_inline)) char *
print_run(const struct gs_integers *source, unsigned bits, const struct run *run,
          size_t first, size_t last, char *into)
{
	const unsigned digits = run->digits;
	const char terminator = source->terminator;

	for (size_t k = first; k < last; k++) {
		uint64_t key = key_at(source, bits, k);

		if (run->minus) {
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

/* The same, for each width a loop of its own. */
static char *
print_run_of(const struct gs_integers *source, const struct run *run,
             size_t first, size_t last, char *into)
{
	switch (source->bits) {
	case 8:  return print_run(source, 8, run, first, last, into);
	case 16: return print_run(source, 16, run, first, last, into);
	case 32: return print_run(source, 32, run, first, last, into);
	default: return print_run(source, 64, run, first, last, into);
	}
}

/* The same, many at once where that goes, and nothing behind the last line is touched. */
static void
print_exactly(enum gs_simd simd, const struct gs_integers *source, const struct run *run,
              size_t first, size_t last, char *into)
{
	const size_t many = gs_print_lines(simd, source, run->digits, run->minus, first, last, into);
	char lines[(SPILL_LINES + 1) * GS_TEXT_LINE_BYTES];
	size_t held;
	char *end;

	first += many;
	into += many * line_bytes(run);
	held = last - first < SPILL_LINES ? last - first : SPILL_LINES;
	into = print_run_of(source, run, first, last - held, into);
	end = print_run_of(source, run, last - held, last, lines);
	memcpy(into, lines, (size_t)(end - lines));
}

/* Print the keys FIRST .. LAST, of whatever runs. */
static void
print_share(enum gs_simd simd, const struct gs_integers *source, const struct run *runs,
            size_t first, size_t last, char *into)
{
	const struct run *run = runs;

	while (first < last) {
		size_t end;

		while (run[1].key_at <= first)
			run++;
		end = run[1].key_at < last ? run[1].key_at : last;
		print_exactly(simd, source, run, first, end,
		              into + run->byte_at + (first - run->key_at) * line_bytes(run));
		first = end;
	}
}

struct lines {
	const struct gs_integers *source;
	size_t     count;
	char      *into;
	enum gs_simd simd;
	struct run runs[RUNS_MOST + 1];
};

static void
print_one(void *context, size_t share)
{
	const struct lines *lines = context;
	const size_t first = share * PARALLEL_KEYS, left = lines->count - first;

	print_share(lines->simd, lines->source, lines->runs, first,
	            first + (left < PARALLEL_KEYS ? left : PARALLEL_KEYS), lines->into);
}

size_t
gs_integers_print(const struct gs_integers *source, size_t count, char *into)
{
	return gs_integers_print_with(gs_simd_best(), source, count, into);
}

size_t
gs_integers_print_with(enum gs_simd simd, const struct gs_integers *source, size_t count,
                       char *into)
{
	struct lines lines = { .source = source, .count = count, .into = into, .simd = simd };
	const unsigned run_count = find_runs(source, count, lines.runs);

	gs_team_each(source->threads, (count + PARALLEL_KEYS - 1) / PARALLEL_KEYS, print_one,
	             &lines);
	return lines.runs[run_count].byte_at;
}
