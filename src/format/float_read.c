// SPDX-License-Identifier: BSD-2-Clause
/*
 * float_read.c - text to floats
 *
 * A decimal of few digits is m * 10^e, and if m < 2^53 and |e| <= 22, then
 * m and 10^|e| are floats without error, and one multiplication or division rounds
 * once: exactly right.  W. D. Clinger, "How to read floating point numbers
 * accurately", PLDI 1990.  Up to 19 digits behind the point are divided with 128 bits.
 * Everything else is for the C library.
 */
#include <assert.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/digits.h"
#include "format/floats.h"
#include "format/line.h"

enum {
	EXACT_POWER = 22,	/* 10^22 = 2^22 * 5^22, and 5^22 < 2^53 */
	MOST_DIGITS = 19,	/* always less than 2^64 */
	HALF_BITS   = sizeof(gs_float_wide) * 4,
};

static const double power_of_ten[EXACT_POWER + 1] = {
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
	1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
};

/* A decimal: its digits as an integer, and how many tens to multiply it with. */
struct decimal {
	bool     negative;
	uint64_t digits;
	int      exponent;
};

/* Append the digits at TEXT to NUMBER; COUNT of them are read already. */
static const char *
read_digits(const char *text, const char *end, uint64_t *number, unsigned *count)
{
	for (; text < end && *text >= '0' && *text <= '9'; text++, ++*count)
		*number = *number * 10 + (uint64_t)(*text - '0');
	return text;
}

/* TEXT .. END as a decimal; false: it is none, or one of too many digits. */
static bool
read_decimal(const char *text, const char *end, struct decimal *decimal)
{
	unsigned count = 0, whole, tens = 0;
	uint64_t exponent = 0;
	bool minus;

	*decimal = (struct decimal){ .negative = *text == '-' };
	text += *text == '-' || *text == '+';
	text = read_digits(text, end, &decimal->digits, &count);
	whole = count;
	if (text < end && *text == '.')
		text = read_digits(text + 1, end, &decimal->digits, &count);
	decimal->exponent = (int)whole - (int)count;
	if (count == 0 || count > MOST_DIGITS)
		return false;
	if (text == end)
		return true;
	if ((*text++ | 0x20) != 'e')
		return false;
	minus = text < end && *text == '-';
	text += text < end && (*text == '-' || *text == '+');
	text = read_digits(text, end, &exponent, &tens);
	if (text != end || tens == 0 || tens > 4)
		return false;
	decimal->exponent += minus ? -(int)exponent : (int)exponent;
	return true;
}

/* Clinger's fast path; false: it is not that short. */
static bool
round_once(const struct decimal *decimal, double *value)
{
	if (FLT_EVAL_METHOD != 0 || decimal->digits > UINT64_C(1) << DBL_MANT_DIG ||
	    decimal->exponent < -EXACT_POWER || decimal->exponent > EXACT_POWER)
		return false;
	*value = (double)decimal->digits;
	if (decimal->exponent < 0)
		*value /= power_of_ten[-decimal->exponent];
	else
		*value *= power_of_ten[decimal->exponent];
	if (decimal->negative)
		*value = -*value;
	return true;
}

/* From the first 1 on; NUMBER is not 0. */
static unsigned
bits_in(gs_float_wide number)
{
	const uint64_t high = (uint64_t)(number >> HALF_BITS);

	return high != 0 ? HALF_BITS + 64 - (unsigned)__builtin_clzll(high)
	                 : 64 - (unsigned)__builtin_clzll((uint64_t)number);
}

/*
 * More digits, up to 19, behind the point: divided with 128 bits, and rounded to even once.
 * The quotient has 63 bits and more, and the remainder tells whether there are others.
 */
static bool
divide_once(const struct decimal *decimal, double *value)
{
	const unsigned lead = (unsigned)__builtin_clzll(decimal->digits | 1);
	const int tens = -decimal->exponent;
	gs_float_wide quotient, rest;
	uint64_t mantissa, bits;
	unsigned drop;
	bool more;

	if (sizeof(gs_float_wide) < 16 || tens < 0 || tens > MOST_DIGITS || decimal->digits == 0)
		return false;
	quotient = (gs_float_wide)(decimal->digits << lead) << HALF_BITS;
	more = quotient % gs_digits_power[tens] != 0;
	quotient /= gs_digits_power[tens];
	drop = bits_in(quotient) - DBL_MANT_DIG;
	mantissa = (uint64_t)(quotient >> drop);
	rest = quotient - ((gs_float_wide)mantissa << drop);
	mantissa += rest > (gs_float_wide)1 << (drop - 1) ||
	            (rest == (gs_float_wide)1 << (drop - 1) && (more || mantissa % 2 == 1));
	bits = (uint64_t)(1023 + (int)drop - 64 - (int)lead) << 52;	/* a power of two */
	memcpy(value, &bits, sizeof bits);
	*value *= (double)mantissa;
	if (decimal->negative)
		*value = -*value;
	return true;
}

double
gs_float_read_string(const char *text, bool narrow, char **behind)
{
	const locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	double value;

	assert(c != (locale_t)0);	/* it is built in */
	value = narrow ? (double)strtof_l(text, behind, c) : strtod_l(text, behind, c);
	freelocale(c);
	return value;
}

/* The C library's way. */
static enum gs_float
read_any(const char *text, const char *end, double *value)
{
	const size_t bytes = (size_t)(end - text);
	char copy[GS_LINE_BYTES + 1], *behind;

	assert(bytes <= GS_LINE_BYTES);
	if ((unsigned char)*text <= ' ')	/* strtod() would skip it */
		return GS_FLOAT_NONE;
	memcpy(copy, text, bytes);
	copy[bytes] = '\0';
	*value = gs_float_read_string(copy, false, &behind);
	if (behind != copy + bytes)
		return GS_FLOAT_NONE;
	text += *text == '-' || *text == '+';
	return isinf(*value) && (*text | 0x20) != 'i' ? GS_FLOAT_OVERFLOW : GS_FLOAT_GOOD;
}

enum gs_float
gs_float_read(const char *text, const char *end, double *value)
{
	struct decimal decimal;

	assert(text < end);
	if (read_decimal(text, end, &decimal) &&
	    (round_once(&decimal, value) || divide_once(&decimal, value)))
		return GS_FLOAT_GOOD;
	return read_any(text, end, value);
}
