// SPDX-License-Identifier: BSD-2-Clause
/*
 * float_print.c - floats to text of the fewest digits
 *
 * All decimals between VALUE and halfway to its neighbours are read as VALUE.
 * Scaled to 17 digits they are an interval of whole numbers, and digits are dropped from
 * both ends of it as long as something is left between.  G. L. Steele, J. L. White, "How
 * to print floating-point numbers accurately", PLDI 1990; U. Adams, "Ryu: fast
 * float-to-string conversion", PLDI 2018, has tables for what needs more than 128 bits.
 * Such numbers are rare: for them the C library makes the nearest decimal of 17 digits
 * (f32: 9), which always comes back, and shorter ones that are near enough are tried.
 */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/digits.h"
#include "format/floats.h"

enum {
	WIDE_DIGITS    = 17,	/* enough for any f64, */
	NARROW_DIGITS  = 9,	/* and f32 */
	MOST_PLACES    = 21,	/* 4 * 2^53 * 10^21 < 2^128 */
	LEAST_EXPONENT = -4,	/* 0.0001: below, and from 10^16 on, with an exponent */
	PLAIN_EXPONENT = 16,
};

typedef gs_float_wide wide;

/* DIGITS * 10^EXPONENT */
struct decimal {
	uint64_t digits;
	int      exponent;
};

/* ---- where digits go -------------------------------------------- */

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
	const unsigned whole = after < 0 ? 0 : (unsigned)after + 1;	/* before the point */

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

/* ---- which digits ----------------------------------------------- */

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

/* The shortest decimal between LOW and HIGH, the nearest to MIDDLE of several; all are in
 * units of 2^-shift.  There is a whole number between them. */
static struct decimal
shortest_between(wide low, wide middle, wide high, unsigned shift, bool ends_too)
{
	const wide one = (wide)1 << shift, tenths = (middle & (one - 1)) * 10;
	uint64_t lo = (uint64_t)((low + one - 1) >> shift);
	uint64_t hi = (uint64_t)(high >> shift), number = (uint64_t)(middle >> shift);
	unsigned digit = (unsigned)(tenths >> shift);	/* the last one dropped */
	bool more = (tenths & (one - 1)) != 0;		/* behind it there is something, too */
	int exponent = 0;

	if (!ends_too) {
		lo += (low & (one - 1)) == 0;
		hi -= (high & (one - 1)) == 0;
	}
	assert(lo <= hi);
	for (; (lo + 9) / 10 <= hi / 10; exponent++) {
		more |= digit != 0;
		digit = (unsigned)(number % 10);
		number /= 10;
		lo = (lo + 9) / 10;
		hi /= 10;
	}
	number += digit > 5 || (digit == 5 && (more || number % 2 == 1));
	return (struct decimal){
		.digits = number < lo ? lo : number > hi ? hi : number, .exponent = exponent,
	};
}

/*
 * Integers, and floats of usual size, with whole numbers of 128 bits; false: another one.
 * VALUE is m * 2^e; decimals between it and halfway to its neighbours are read as VALUE,
 * those halfway if m is even.
 */
static bool
shorten_fast(double value, bool narrow, struct decimal *decimal)
{
	const unsigned dropped = narrow ? DBL_MANT_DIG - FLT_MANT_DIG : 0;
	unsigned places = WIDE_DIGITS, up, shift;
	double scaled = value;
	uint64_t bits, m;
	wide scale, below;
	int e;

	if (!(value < 0x1p53) || !(value >= 1e-5) || sizeof(wide) < 16)
		return false;
	decimal->digits = (uint64_t)value;
	decimal->exponent = 0;
	if ((double)decimal->digits == value && !(narrow && value >= 0x1p24))
		return true;
	memcpy(&bits, &value, sizeof bits);
	m = ((bits & UINT64_MAX >> 12) | UINT64_C(1) << 52) >> dropped;
	e = (int)(bits >> 52) - 1075 + (int)dropped;
	up = e > 0 ? (unsigned)e : 0;
	shift = 2 + (e < 0 ? (unsigned)-e : 0);
	below = m << dropped == UINT64_C(1) << 52 ? 1 : 2;	/* a power of two: it is closer */
	if (value >= 1)
		places -= gs_digits_count(decimal->digits);
	else
		for (; scaled < .1; places++)
			scaled *= 10;
	if (places > MOST_PLACES)
		return false;
	scale = (wide)gs_digits_power[places / 2] * gs_digits_power[places - places / 2] << up;
	*decimal = shortest_between((4 * (wide)m - below) * scale, 4 * (wide)m * scale,
	                            (4 * (wide)m + 2) * scale, shift, m % 2 == 0);
	decimal->exponent -= (int)places;
	return true;
}

/* Is DECIMAL read as VALUE? */
static bool
comes_back(const struct decimal *decimal, double value, bool narrow)
{
	char text[GS_FLOAT_BYTES + 8], *end;
	double back;

	*lay(decimal, text) = '\0';
	if (narrow)
		return gs_float_read_string(text, true, &end) == value;
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
	return (struct decimal){ .digits = digits, .exponent = (int)strtol(at + 1, NULL, 10) - (count - 1) };
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
	/* FULL may have been rounded */
	const bool up_first = rest != unit / 2 ? rest > unit / 2 :
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
	if (value > 0 && !shorten_fast(value, narrow, &decimal))
		decimal = shorten(value, narrow);
	into = lay(&decimal, into);
	assert(into - begin <= GS_FLOAT_BYTES);
	return (size_t)(into - begin);
}
