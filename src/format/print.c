// SPDX-License-Identifier: BSD-2-Clause
/*
 * print.c - many lines at once
 *
 * In:   keys whose lines are of one length.
 * Out:  the lines.
 *
 * As digits.h, but for several eights of digits: all numbers are halved side by side, to
 * fours, pairs and digits, dividing by multiplication.  Then each line is one shuffle, which
 * drops leading zeros, and one addition of what is the same in all: the sign, 48 for
 * each digit, and the terminator.  It is stored as 16 bytes, whose end the next line
 * overwrites; a longer line is stored in two pieces.
 *
 * Invariant: first .. 15 digits, the last ones, are a piece; up to 5 before them another.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "format/print.h"

#if defined __x86_64__
#include <immintrin.h>

enum {
	GROUP = 8,		/* keys that are printed at once */
	SPILL_KEYS = 8,		/* lines that 16 bytes at the last one's place may cover */
	TEN8 = 100000000,
	LAST_DIGITS = 15,
};
#define TEN15	UINT64_C(1000000000000000)

/* From digits to a piece of a line: which go where, and what is added. */
struct pattern {
	uint8_t shuffle[16], add[16];
};

/*
 * The pattern of BYTES bytes: a sign, DIGITS digits that end before source byte END, and
 * what follows.
 */
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
