// SPDX-License-Identifier: BSD-2-Clause
/*
 * digits.h - print numbers, eight digits at a time
 *
 * The reverse of line.h: eight digits are split into two groups of four, these into four pairs, and these
 * into single digits.  All parts of a word are divided at once, by multiplication.
 */
#ifndef GS_DIGITS_H
#define GS_DIGITS_H

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/byte_order.h"

static const uint64_t gs_digits_power[20] = {
	UINT64_C(1), UINT64_C(10), UINT64_C(100), UINT64_C(1000), UINT64_C(10000),
	UINT64_C(100000), UINT64_C(1000000), UINT64_C(10000000), UINT64_C(100000000),
	UINT64_C(1000000000), UINT64_C(10000000000), UINT64_C(100000000000),
	UINT64_C(1000000000000), UINT64_C(10000000000000), UINT64_C(100000000000000),
	UINT64_C(1000000000000000), UINT64_C(10000000000000000),
	UINT64_C(100000000000000000), UINT64_C(1000000000000000000),
	UINT64_C(10000000000000000000),
};

/* How many digits NUMBER has; log10(2) is about 1233 / 4096. */
static inline unsigned
gs_digits_count(uint64_t number)
{
	unsigned bits = 64 - (unsigned)__builtin_clzll(number | 1);
	unsigned digits = bits * 1233 >> 12;

	return digits + ((number | 1) >= gs_digits_power[digits]);
}

/* The eight digits of a number below 10^8; the first one in the lowest byte. */
static inline uint64_t
gs_digits_split(uint64_t number)
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
gs_digits_store(char *into, uint64_t word)
{
	const uint64_t bytes = htole64(word);

	memcpy(into, &bytes, sizeof bytes);
}

/* Print NUMBER, which has DIGITS digits; up to 7 bytes after them are overwritten. */
static inline void
gs_digits_print(char *into, uint64_t number, unsigned digits)
{
	const uint64_t unit = 100000000;
	const unsigned lead = (digits - 1) % 8 + 1;

	assert(digits > 0);
	if (digits > 16) {
		gs_digits_store(into, gs_digits_split(number / (unit * unit)) >> (64 - 8 * lead));
		number %= unit * unit;
		gs_digits_store(into + lead, gs_digits_split(number / unit));
		gs_digits_store(into + lead + 8, gs_digits_split(number % unit));
	} else if (digits > 8) {
		gs_digits_store(into, gs_digits_split(number / unit) >> (64 - 8 * lead));
		gs_digits_store(into + lead, gs_digits_split(number % unit));
	} else {
		gs_digits_store(into, gs_digits_split(number) >> (64 - 8 * lead));
	}
}

/* The same; returns what follows. */
static inline char *
gs_digits_write(char *into, uint64_t number)
{
	const unsigned digits = gs_digits_count(number);

	gs_digits_print(into, number, digits);
	return into + digits;
}

#endif
