// SPDX-License-Identifier: BSD-2-Clause
/*
 * half.c - floats of 16 bits: f16 (IEEE 754 binary16) and bf16 (bfloat16)
 *
 * In:   bits, or an f64.
 * Out:  an f64, bits or digits.
 *
 * Every such float is an f64 without error.  Its shortest decimal has at most 5 digits; they are
 * tried one after the other.
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "text/floats.h"

double
gs_half_value(unsigned fraction_bits, uint16_t bits)
{
	const unsigned special = (1U << (15 - fraction_bits)) - 1;
	const unsigned exponent = bits >> fraction_bits & special;
	const unsigned fraction = bits & ((1U << fraction_bits) - 1);
	const unsigned whole = exponent > 0 ? fraction | 1U << fraction_bits : fraction;
	const int place = (int)(exponent > 0 ? exponent : 1) - (int)(special / 2 + fraction_bits);
	uint64_t wide = (uint64_t)(bits >> 15) << 63 | UINT64_C(0x7ff) << 52 |
	                (uint64_t)fraction << (52 - fraction_bits);
	double value = ldexp((double)whole, place);

	if (exponent == special)
		memcpy(&value, &wide, sizeof value);
	else if (bits >> 15)
		value = -value;
	return value;
}

uint16_t
gs_half_bits(unsigned fraction_bits, double value)
{
	const unsigned special = (1U << (15 - fraction_bits)) - 1, infinite = special << fraction_bits;
	const int least = 1 - (int)(special / 2);	/* exponent of the least normal number */
	uint64_t wide;
	unsigned sign, bits;
	int exponent;

	memcpy(&wide, &value, sizeof wide);
	sign = (unsigned)(wide >> 63) << 15;
	if (isnan(value))
		return (uint16_t)(sign | infinite | 1U << (fraction_bits - 1) |
		                  (wide >> (52 - fraction_bits) & ((1U << fraction_bits) - 1)));
	if (isinf(value) || value == 0)
		return (uint16_t)(sign | (value == 0 ? 0 : infinite));
	(void)frexp(value, &exponent);
	exponent = exponent - 1 > least ? exponent - 1 : least;
	if (exponent > -least + 1)
		return (uint16_t)(sign | infinite);
	/* The sum with 2^52 has no room for a fraction: it is rounded, of two to the even one.  A carry out
	 * of the fraction is right: it raises the exponent. */
	bits = (unsigned)(ldexp(fabs(value), (int)fraction_bits - exponent) + 0x1p52 - 0x1p52) +
	       ((unsigned)(exponent - least) << fraction_bits);
	return (uint16_t)(sign | (bits < infinite ? bits : infinite));
}

size_t
gs_half_print(unsigned fraction_bits, double value, char *into)
{
	const uint16_t bits = gs_half_bits(fraction_bits, value);
	double rounded = value;

	for (unsigned digits = 1; isfinite(value) && digits <= 5; digits++) {
		rounded = gs_float_round(value, digits);
		if (gs_half_bits(fraction_bits, rounded) == bits)
			break;
	}
	return gs_float_print(rounded, false, into);
}
