// SPDX-License-Identifier: BSD-2-Clause
/*
 * float_sum.c - the exact sum of any number of floats, rounded once
 *
 * In:   floats with the same exponent, as the sum of their fractions.
 * Out:  the sum of all.
 *
 * A sorted span has few exponents, so its fractions are added as integers, many at once.
 */
#include <assert.h>
#include <math.h>
#include <stdbool.h>

#include "key/key.h"
#include "text/float_sum.h"

enum { LOWEST = 1074 };		/* digit 0 is in units of 2^-LOWEST */

void
gs_float_sum_add(struct gs_float_sum *sum, enum gsort_type type, unsigned top, uint64_t count,
                 unsigned __int128 fractions)
{
	const unsigned fraction_bits = gs_key_fraction_bits(type);
	const unsigned bits = type == GSORT_TEXT_FLOAT ? 64 : gs_key_bits(type);
	const unsigned exponent_bits = bits - 1 - fraction_bits;
	const unsigned special = (1U << exponent_bits) - 1, exponent = top & special;
	const bool negative = top >> exponent_bits & 1;
	unsigned at;

	if (exponent == special) {	/* beside a NaN infinities do not matter */
		*(fractions > 0 ? &sum->nans : &sum->infinities[negative]) += count;
		return;
	}
	if (exponent > 0)
		fractions += (unsigned __int128)count << fraction_bits;
	/* add them times 2^AT, or subtract that */
	at = LOWEST + (exponent > 0 ? exponent : 1) - special / 2 - fraction_bits;
	for (unsigned digit = at / 32; fractions > 0; digit++, fractions >>= 32) {
		const uint64_t shifted = (uint64_t)(uint32_t)fractions << at % 32;
		const int64_t low = (int64_t)(uint32_t)shifted, high = (int64_t)(shifted >> 32);

		assert(digit + 1 < GS_FLOAT_SUM_DIGITS);
		sum->digits[digit] += negative ? -low : low;
		sum->digits[digit + 1] += negative ? -high : high;
	}
}

/* Carry: all digits but the last become 0 .. 2^32-1. */
static void
normalize(struct gs_float_sum *sum)
{
	for (unsigned d = 0; d + 1 < GS_FLOAT_SUM_DIGITS; d++) {
		sum->digits[d + 1] += sum->digits[d] >> 32;
		sum->digits[d] &= UINT32_MAX;
	}
}

void
gs_float_sum_merge(struct gs_float_sum *sum, struct gs_float_sum *part)
{
	normalize(part);
	for (unsigned d = 0; d < GS_FLOAT_SUM_DIGITS; d++)
		sum->digits[d] += part->digits[d];
	sum->nans += part->nans;
	sum->infinities[0] += part->infinities[0];
	sum->infinities[1] += part->infinities[1];
}

/* The 64 highest bits from the digit TOP on; the lowest is set if there is anything below them. */
static uint64_t
highest(const struct gs_float_sum *sum, unsigned top)
{
	const unsigned shift = (unsigned)__builtin_clz((uint32_t)sum->digits[top]);
	unsigned __int128 bits = 0;
	bool below = false;

	for (unsigned d = 0; d < 3; d++)
		bits = bits << 32 | (top >= d ? (uint32_t)sum->digits[top - d] : 0);
	for (unsigned d = 3; d <= top; d++)
		below |= sum->digits[top - d] != 0;
	bits <<= shift;		/* of 96 bits the highest is set */
	below |= (uint32_t)bits != 0;
	return (uint64_t)(bits >> 32) | below;
}

double
gs_float_sum_value(const struct gs_float_sum *given, int shift)
{
	struct gs_float_sum copy = *given, *const sum = &copy;
	unsigned top = GS_FLOAT_SUM_DIGITS - 1;
	bool negative;
	int place;

	if (sum->nans > 0 || (sum->infinities[0] > 0 && sum->infinities[1] > 0))
		return (double)NAN;
	if (sum->infinities[0] > 0 || sum->infinities[1] > 0)
		return sum->infinities[0] > 0 ? (double)INFINITY : -(double)INFINITY;
	normalize(sum);
	negative = sum->digits[top] < 0;
	for (unsigned d = 0; negative && d < GS_FLOAT_SUM_DIGITS; d++)
		sum->digits[d] = -sum->digits[d];
	normalize(sum);
	while (top > 0 && sum->digits[top] == 0)
		top--;
	if (sum->digits[top] == 0)
		return 0;
	place = (int)(32 * top) + 32 - __builtin_clz((uint32_t)sum->digits[top]) - 64 - LOWEST - shift;
	return ldexp(negative ? -(double)highest(sum, top) : (double)highest(sum, top), place);
}
