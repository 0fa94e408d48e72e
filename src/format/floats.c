// SPDX-License-Identifier: BSD-2-Clause
/*
 * floats.c - floats as text, there and back
 *
 * Reading.  A decimal of few digits is m * 10^e, and if m < 2^53 and |e| <= 22, then
 * m and 10^|e| are floats without error, and one multiplication or division rounds
 * once: exactly right.  W. D. Clinger, "How to read floating point numbers
 * accurately", PLDI 1990.  Everything else is for the C library.
 *
 * Printing.  Decimals of up to 15 digits differ as f64, too (6 as f32).  So if one of
 * them is read as the value, no other is, and with the zeros at its end dropped it is the
 * shortest.  Clinger's bounds make that a multiplication, and a division to see whether it
 * comes back.  For all other values the C library makes the nearest decimal of 17 digits
 * (9), which always comes back; those of 15 and 16 that are near enough are tried before
 * it.  Of denormals, which have fewer digits, every length is.
 */
#include <assert.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/digits.h"
#include "format/floats.h"
#include "format/line.h"

enum {
	EXACT_POWER    = 22,	/* 10^22 = 2^22 * 5^22, and 5^22 < 2^53 */
	MOST_DIGITS    = 19,	/* always less than 2^64 */
	WIDE_DIGITS    = 17,	/* enough for any f64, */
	NARROW_DIGITS  = 9,	/* and f32 */
	LEAST_EXPONENT = -4,	/* 0.0001: below, and from 10^16 on, with an exponent */
	PLAIN_EXPONENT = 16,
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

/* ---- reading ------------------------------------------------------------ */

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

/* strtod(3) or, if NARROW, strtof(3), whatever the locale of the program is. */
static double
read_string(const char *text, bool narrow, char **behind)
{
	const locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	double value;

	if (c == (locale_t)0)		/* it is built in: that does not happen */
		return narrow ? (double)strtof(text, behind) : strtod(text, behind);
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
	*value = read_string(copy, false, &behind);
	if (behind != copy + bytes)
		return GS_FLOAT_NONE;
	text += *text == '-' || *text == '+';
	return isinf(*value) && (*text | 0x20) != 'i' ? GS_FLOAT_BEYOND : GS_FLOAT_GOOD;
}

enum gs_float
gs_float_read(const char *text, const char *end, double *value)
{
	struct decimal decimal;

	assert(text < end);
	if (read_decimal(text, end, &decimal) && round_once(&decimal, value))
		return GS_FLOAT_GOOD;
	return read_any(text, end, value);
}

/* The same value, without zeros at the end. */
static struct decimal
drop_zeros(struct decimal decimal)
{
	while (decimal.digits % 10 == 0 && decimal.digits > 0) {
		decimal.digits /= 10;
		decimal.exponent++;
	}
	return decimal;
}

/* ---- printing: where digits go -------------------------------------------- */

/* 1.25e-07; AFTER is the first digit's exponent. */
static char *
lay_scientific(const struct decimal *decimal, unsigned count, int after, char *into)
{
	const unsigned power = (unsigned)abs(after);

	gs_digits_print(into + 1, decimal->digits, count);
	into[0] = into[1];
	into[1] = '.';
	into += count > 1 ? count + 1 : 1;
	*into++ = 'e';
	*into++ = after < 0 ? '-' : '+';
	if (power < 10)
		*into++ = '0';
	gs_digits_print(into, power, gs_digits_count(power));
	return into + gs_digits_count(power);
}

/* 0.00125, 1.25, 1250 */
static char *
lay_plainly(const struct decimal *decimal, unsigned count, int after, char *into)
{
	const unsigned whole = after < 0 ? 0 : (unsigned)after + 1;	/* digits before the point */

	if (after < 0) {
		memcpy(into, "0.000000", 8);
		into += 1 - after;
		gs_digits_print(into, decimal->digits, count);
		return into + count;
	}
	if (whole >= count) {
		gs_digits_print(into, decimal->digits * gs_digits_power[whole - count], whole);
		return into + whole;
	}
	gs_digits_print(into + 1, decimal->digits, count);
	memmove(into, into + 1, whole);
	into[whole] = '.';
	return into + count + 1;
}

/* Whichever of the two it is; only the digits count. */
static char *
lay(const struct decimal *decimal, char *into)
{
	const unsigned count = gs_digits_count(decimal->digits);
	const int after = decimal->exponent + (int)count - 1;

	if (after >= LEAST_EXPONENT && after < PLAIN_EXPONENT)
		return lay_plainly(decimal, count, after, into);
	return lay_scientific(decimal, count, after, into);
}

/* ---- printing: which digits ----------------------------------------------- */

/* An integer, or a decimal of up to 15 digits that is read as VALUE; false: it is none. */
static bool
shorten_fast(double value, struct decimal *decimal)
{
	unsigned places = DBL_DIG;
	uint64_t digits;

	if (FLT_EVAL_METHOD != 0 || !(value < 0x1p53) || !(value >= 1e-7))
		return false;
	digits = (uint64_t)value;
	if ((double)digits == value) {
		*decimal = drop_zeros((struct decimal){ .digits = digits });
		return true;
	}
	if (value >= 1)
		places -= gs_digits_count(digits);
	else
		for (double v = value; v < .1; v *= 10)
			places++;
	if (places > EXACT_POWER)
		return false;
	digits = (uint64_t)(value * power_of_ten[places] + .5);
	*decimal = drop_zeros((struct decimal){ .digits = digits, .exponent = -(int)places });
	return digits < gs_digits_power[DBL_DIG] && (double)digits / power_of_ten[places] == value;
}

/* Is DECIMAL read as VALUE? */
static bool
comes_back(const struct decimal *decimal, double value, bool narrow)
{
	char text[GS_FLOAT_BYTES + 8], *end;
	double back;

	*lay(decimal, text) = '\0';
	if (narrow)
		return read_string(text, true, &end) == value;
	return gs_float_read(text, text + strlen(text), &back) == GS_FLOAT_GOOD && back == value;
}

/* The nearest decimal of COUNT digits. */
static struct decimal
nearest(double value, int count)
{
	char text[64], *at = text;
	uint64_t digits = 0;

	snprintf(text, sizeof text, "%.*e", count - 1, value);
	for (; *at != 'e'; at++)	/* the point may be any that the locale has */
		if (*at >= '0' && *at <= '9')
			digits = digits * 10 + (uint64_t)(*at - '0');
	return (struct decimal){ .digits = digits, .exponent = atoi(at + 1) - (count - 1) };
}

/*
 * Try the neighbours of FULL that have PLACES digits less, the nearer one first.
 *
 * @reach  half the distance to the next float, in units of FULL's last digit: what is
 *         farther away need not be tried
 */
static bool
shorten_by(struct decimal *full, unsigned places, double reach, double value, bool narrow)
{
	const int most = narrow ? NARROW_DIGITS : WIDE_DIGITS;
	const uint64_t unit = gs_digits_power[places], rest = full->digits % unit;
	const bool up_first = rest != unit / 2 ? rest > unit / 2 :	/* FULL may have been rounded */
	                      nearest(value, most - (int)places).digits != full->digits / unit;

	for (unsigned i = 0; i < 2; i++) {
		const bool up = up_first ^ (i == 1);
		const struct decimal candidate = drop_zeros((struct decimal){
			.digits = full->digits - rest + (up ? unit : 0),
			.exponent = full->exponent,
		});

		if ((double)(up ? unit - rest : rest) <= reach &&
		    comes_back(&candidate, value, narrow)) {
			*full = candidate;
			return true;
		}
	}
	return false;
}

static struct decimal
shorten(double value, bool narrow)
{
	const int most = narrow ? NARROW_DIGITS : WIDE_DIGITS;
	struct decimal full = nearest(value, most);
	const bool denormal = value < (narrow ? (double)FLT_MIN : DBL_MIN);
	/* FULL itself may be half a unit off */
	const double reach = denormal ? INFINITY : 1 + (double)full.digits *
	                     (narrow ? FLT_EPSILON : DBL_EPSILON) / 2;
	const unsigned least = denormal ? 1 : narrow ? FLT_DIG : DBL_DIG;

	for (unsigned count = least; count < (unsigned)most; count++)
		if (shorten_by(&full, (unsigned)most - count, reach, value, narrow))
			return full;
	return drop_zeros(full);
}

size_t
gs_float_print(double value, bool narrow, char *into)
{
	char *const begin = into;
	struct decimal decimal = { .digits = 0 };

	if (signbit(value))
		*into++ = '-';
	value = fabs(value);
	if (!isfinite(value)) {
		memcpy(into, value == value ? "inf" : "nan", 3);
		return (size_t)(into + 3 - begin);
	}
	if (value > 0 && (narrow || !shorten_fast(value, &decimal)))
		decimal = shorten(value, narrow);
	into = lay(&decimal, into);
	assert(into - begin <= GS_FLOAT_BYTES);
	return (size_t)(into - begin);
}
