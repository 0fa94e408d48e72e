// SPDX-License-Identifier: BSD-2-Clause
/*
 * print.c - lines of integers of one length, many at once, with vectors
 *
 * In:   keys whose lines have the same length.
 * Out:  the lines.
 *
 * As in digits.h all numbers are split side by side, into fours, pairs and digits, dividing by
 * multiplication.  Then a line takes one shuffle, which drops leading zeros, and one addition of
 * what all lines have in common: the sign, 48 for each digit, and the terminator.  It is stored as
 * 16 bytes, the last of which the next line overwrites.  A longer line takes two stores.
 *
 * Invariant: the second store, or the only one, has the last 15 digits at most; the first one has
 * up to 5 digits before them.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "format/integers.h"

#if defined __x86_64__
#include <immintrin.h>

enum {
	GROUP = 8,		/* keys that are printed at once */
	SPILL_KEYS = 8,		/* lines after the last that its 16 bytes may overwrite */
	TEN8 = 100000000,
	LAST_DIGITS = 15,
};
#define TEN15	UINT64_C(1000000000000000)

/* From digits to the 16 bytes of a store: which digit goes where, and what is added. */
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

#include "format/print_avx2.inc"
#include "format/print_avx512.inc"

size_t
gs_print_lines(enum gs_simd simd, const struct gs_integers *source, unsigned digits, bool minus,
               size_t first, size_t last, char *into)
{
	if (source->bits < 32 || last - first < GROUP + SPILL_KEYS)
		return 0;
	if (simd == GS_SIMD_AVX512)
		return print_avx512(source, digits, minus, first, last, into);
	return simd == GS_SIMD_AVX2 ? print_avx2(source, digits, minus, first, last, into) : 0;
}

#else

size_t
gs_print_lines(enum gs_simd simd, const struct gs_integers *source, unsigned digits, bool minus,
               size_t first, size_t last, char *into)
{
	(void)simd, (void)source, (void)digits, (void)minus, (void)first, (void)last, (void)into;
	return 0;
}

#endif
