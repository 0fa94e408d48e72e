// SPDX-License-Identifier: BSD-2-Clause
/*
 * key_float.c - keys that are floats: the order g of sort(1)
 *
 * In:   the text of a key.
 * Out:  its long double, as strtold(3) reads it; a comparison, or bytes with the same order.
 *
 * If the digits of a decimal number fit in 64 bits and the power of ten is exact, their product or
 * quotient is rounded once, so it is what strtold(3) returns (W. Clinger, "How to read floating point
 * numbers accurately", 1990).  Other text is copied, and strtold(3) reads the copy.
 */
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/way.h"
#include "linekey/collation.h"
#include "linekey/key_text.h"

/* As isspace(3) in the C locale: what strtold(3) skips. */
static inline bool
is_space(int c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* ---- the usual number ----------------------------------------------------------- */

/* Powers of ten and integers up to these are exact: 5 to the 27th has 63 bits, to the 22nd 52. */
enum {
	EXACT_POWER  = LDBL_MANT_DIG >= 64 ? 27 : 22,
	EXACT_DIGITS = LDBL_MANT_DIG >= 64 ? 19 : 15,
};

static const long double powers[] = {
	1e0L, 1e1L, 1e2L, 1e3L, 1e4L, 1e5L, 1e6L, 1e7L, 1e8L, 1e9L, 1e10L, 1e11L, 1e12L, 1e13L,
	1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L,
	1e27L,
};

/* The exponent behind 'e' or 'p', or 0.  A large one decides alone, unless millions of digits balance it.
 * (Not inlined, it keeps the text of read_fast() in memory.) */
static inline __attribute__((always_inline)) int64_t
read_exponent(struct gs_key_text *text)
{
	int c = gs_key_text_next(text);
	const bool negative = c == '-';
	int64_t exponent = 0;

	if (c == '-' || c == '+')
		c = gs_key_text_next(text);
	for (; gs_is_digit(c); c = gs_key_text_next(text))
		if (exponent < INT64_MAX / 100)
			exponent = 10 * exponent + c - '0';
	return negative ? -exponent : exponent;
}

/* Read decimal digits after the blanks; false: it takes strtold(3). */
static bool
read_fast(struct gs_key_text text, long double *value)
{
	const int decimal = text.locale != NULL ? text.locale->float_point : '.';
	uint64_t digits = 0;
	unsigned count = 0;
	int64_t point = 0, exponent = 0;
	int c;
	bool negative, any = false;

	do
		c = gs_key_text_next(&text);
	while (is_space(c));
	negative = c == '-';
	if (c == '-' || c == '+')
		c = gs_key_text_next(&text);
	for (bool fraction = false; gs_is_digit(c) || (c == decimal && !fraction);
	     c = gs_key_text_next(&text)) {
		if (c == decimal) {
			fraction = true;
			continue;
		}
		any = true;
		digits = 10 * digits + (unsigned)(c - '0');
		count += count > 0 || c != '0';
		point += fraction;
		if (count > EXACT_DIGITS)
			return false;
	}
	if (!any || c == 'x' || c == 'X' || (c >= 0x80 && decimal == GS_NO_BYTE))
		return false;
	if (c == 'e' || c == 'E')
		exponent = read_exponent(&text);
	exponent -= point;
	if (digits != 0 && (exponent < -EXACT_POWER || exponent > EXACT_POWER))
		return false;
	*value = (long double)digits;
	if (digits != 0)
		*value = exponent < 0 ? *value / powers[-exponent] : *value * powers[exponent];
	if (negative)
		*value = -*value;
	return true;
}

/* ---- any number ----------------------------------------------------------------- */

static locale_t c_locale;

static void
make_locale(void)
{
	c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* strtold(3) whatever the locale of the process is; NULL: in C. */
static long double
convert(const struct gs_locale *locale, const char *text, char **end)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	if (locale != NULL)
		return strtold_l(text, end, locale->handle);
	pthread_once(&once, make_locale);
	return c_locale != (locale_t)0 ? strtold_l(text, end, c_locale) : strtold(text, end);
}

enum {
	SHORT_BYTES = 256,
	/* No long double, nor the middle between two, has more digits that count: of 2^-16494, the
	 * least of 128 bits, 11,563 are between its zeros. */
	MOST_DIGITS = 11600,
};

/* A long number, decimal or hexadecimal, behind SKIPPED bytes: it becomes 0.DIGITS and an exponent; digits
 * beyond the last that can matter become one 1, unless all of them are 0. */
static __attribute__((noinline)) long double
convert_long(struct gs_key_text text, size_t skipped, bool negative, bool hex)
{
	const int decimal = gs_locale_point(text.locale);
	char copy[MOST_DIGITS + 64];
	size_t at = (size_t)sprintf(copy, "%s%s", negative ? "-" : "", hex ? "0x0." : "0.");
	const size_t most = at + MOST_DIGITS, first = at;
	bool fraction = false, rest = false;
	int64_t point = 0;
	int c;

	while (skipped-- > 0)
		(void)gs_key_text_next(&text);
	for (c = gs_key_text_next(&text); ; c = gs_key_text_next(&text)) {
		if (c == decimal && !fraction) {
			fraction = true;
			continue;
		}
		if (hex ? gs_hex_digit(c) < 0 : !gs_is_digit(c))
			break;
		if (at > first || c != '0') {
			point += !fraction;
			if (at < most)
				copy[at++] = (char)c;
			else
				rest |= c != '0';
		} else {
			point -= fraction;
		}
	}
	if (rest)
		copy[at++] = '1';
	if (hex)
		point *= 4;
	if (hex ? c == 'p' || c == 'P' : c == 'e' || c == 'E')
		point += read_exponent(&text);
	point = point > 1000000 ? 1000000 : point < -1000000 ? -1000000 : point;
	sprintf(copy + at, "%c%d", hex ? 'p' : 'e', (int)point);
	return convert(NULL, copy, NULL);
}

/* Read a key; false: it is not a number. */
static bool
read_any(struct gs_key_text text, long double *value)
{
	const int decimal = gs_locale_point(text.locale);
	struct gs_key_text all;
	char copy[SHORT_BYTES], *end;
	const char *digits;
	size_t bytes = 0;
	bool hex;
	int c;

	do {
		all = text;
		c = gs_key_text_next(&text);
	} while (is_space(c));
	/* strtold(3) reads none of the other bytes, so they end the copy as well; a point has several bytes,
	 * all above 0x7f, in some locales */
	for (; bytes < sizeof copy - 1 && c > ' ' && c != 0x7f; c = gs_key_text_next(&text))
		copy[bytes++] = (char)c;
	copy[bytes] = '\0';
	if (bytes == sizeof copy - 1) {		/* has the number more digits than fit? */
		digits = copy + (copy[0] == '-' || copy[0] == '+');
		hex = digits[0] == '0' && (digits[1] | 0x20) == 'x' &&
		      (gs_hex_digit(digits[2]) >= 0 || (unsigned char)digits[2] == decimal);
		if (hex || gs_is_digit(digits[(unsigned char)*digits == decimal])) {
			*value = convert_long(all, (size_t)(digits - copy) + 2 * hex, copy[0] == '-', hex);
			return true;
		}
	}
	*value = convert(all.locale, copy, &end);
	return end > copy;
}

static inline bool
read_float(struct gs_key_text text, long double *value)
{
	return gs_way("floats", read_fast(text, value)) || read_any(text, value);
}

/* ---- order ---------------------------------------------------------------------- */

enum { NO_NUMBER, NEGATIVE_NAN, POSITIVE_NAN, NUMBER };

static int
class_of(bool number, long double value)
{
	return !number ? NO_NUMBER : !isnan(value) ? NUMBER : signbit(value) ? NEGATIVE_NAN
	                                                                     : POSITIVE_NAN;
}

int
gs_float_compare(struct gs_key_text one, struct gs_key_text other)
{
	long double a = 0, b = 0;
	const bool a_number = read_float(one, &a), b_number = read_float(other, &b);
	const int difference = class_of(a_number, a) - class_of(b_number, b);

	return difference != 0 || !a_number || isnan(a) ? difference : (a > b) - (a < b);
}

/* The classes of bytes: as above, then numbers by their sign. */
enum { BELOW_ZERO = NUMBER, ZERO, ABOVE_ZERO };

bool
gs_float_put(struct gs_key_bytes *bytes, struct gs_key_text text)
{
	long double value = 0, rest;
	const bool number = read_float(text, &value);
	const int class = class_of(number, value);
	int exponent;

	if (class != NUMBER || value == 0)
		return gs_key_bytes_put(bytes, (uint8_t)(class != NUMBER ? class : ZERO));
	if (gs_key_bytes_put(bytes, value > 0 ? ABOVE_ZERO : BELOW_ZERO))
		return true;
	/* the absolute value: its exponent, then its digits in base 2 */
	if (value < 0) {
		bytes->flip = ~bytes->flip;
		value = -value;
	}
	if (isinf(value))
		return gs_key_bytes_put_number(bytes, UINT16_MAX, 2);
	(void)frexpl(value, &exponent);
	if (exponent < LDBL_MIN_EXP)
		exponent = LDBL_MIN_EXP;
	if (gs_key_bytes_put_number(bytes, (uint64_t)(exponent - LDBL_MIN_EXP), 2))
		return true;
	rest = ldexpl(value, 64 - exponent);
	return gs_key_bytes_put_number(bytes, (uint64_t)rest, 8) ||
	       (LDBL_MANT_DIG > 64 &&
	        gs_key_bytes_put_number(bytes, (uint64_t)ldexpl(rest - (long double)(uint64_t)rest, 64), 8));
}

double
gs_float_value(struct gs_key_text text)
{
	long double value = 0;

	(void)read_float(text, &value);
	return (double)value;
}

size_t
gs_float_length(const struct gs_locale *locale, const unsigned char *at, const unsigned char *end)
{
	char copy[SHORT_BYTES], *limit;
	size_t bytes = (size_t)(end - at) < sizeof copy ? (size_t)(end - at) : sizeof copy - 1;

	memcpy(copy, at, bytes);
	copy[bytes] = '\0';
	(void)convert(locale, copy, &limit);
	return (size_t)(limit - copy);
}
