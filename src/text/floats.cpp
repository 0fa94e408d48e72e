// SPDX-License-Identifier: BSD-2-Clause
/*
 * floats.cpp - floats as text, by the C++ library's <charconv>
 *
 * std::to_chars() prints the shortest decimal (U. Adams, "Ryu: fast float-to-string
 * conversion", PLDI 2018), std::from_chars() reads the nearest float (D. Lemire, "Number
 * parsing at a gigabyte per second", 2021).  They know no locale and throw nothing.  What
 * std::from_chars() does not read (hexadecimal), or whose value it does not give
 * (overflow, infinities, the payload of a NaN), strtod_l(3) reads.
 *
 * Short decimals have faster ways.  An integer up to 2^53 and a power of ten up to 10^22
 * are floats without error, so one multiplication or division of the two rounds once:
 * exactly right.  W. D. Clinger, "How to read floating point numbers accurately", PLDI 1990.
 *
 * C calls this file: no exceptions, no type information, no memory.
 */
#include <cassert>
#include <cfloat>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <locale.h>

#include "text/digits.h"
#include "text/floats.h"

/* ---- printing ----------------------------------------------------------------- */

/* From LEAST_PLAIN up to below PLAIN_LIMIT no exponent is printed.  0.0001 as an f32 is a
 * little less than as an f64. */
static const double LEAST_PLAIN = 1e-4, LEAST_PLAIN_NARROW = (double)1e-4f, PLAIN_LIMIT = 1e16;

/*
 * Print VALUE, not whole and from LEAST_PLAIN up to below 10^9, if it has at most 6 digits
 * after the point.  With those before it they are at most 15, and of such decimals only one
 * is read as VALUE: none is shorter or nearer.  nullptr: it has more.
 *
 * Zen 3, GCC 12: 20 ns for a price, where std::to_chars() takes 57; it costs others 2 ns.
 */
static char *
print_short(double value, char *into)
{
	const uint64_t millionths = (uint64_t)(int64_t)(value * 1e6 + .5);

	if ((double)(int64_t)millionths / 1e6 != value)
		return nullptr;
	into = gs_digits_write(into, millionths / 1000000);
	*into = '.';
	gs_digits_print(into + 1, millionths % 1000000, 6);
	for (into += 6; *into == '0'; into--)
		;
	return into + 1;
}

/* From LEAST_PLAIN up, or 0. */
static char *
print_plain(double value, bool narrow, char *into, char *end)
{
	char *behind;

	/* For a whole f32 std::to_chars() would print the exact value, and not the fewest digits.  Below
	 * 10^16 the shortest decimal is an f64 without error: nine digits at most, and zeros. */
	if (narrow && value >= 0x1p24) {
		behind = std::to_chars(into, end, (float)value, std::chars_format::scientific).ptr;
		std::from_chars(into, behind, value);
	}
	if ((double)(int64_t)value == value)
		return gs_digits_write(into, (uint64_t)value);
	if (narrow)
		return std::to_chars(into, end, (float)value, std::chars_format::fixed).ptr;
	behind = value < 1e9 ? print_short(value, into) : nullptr;
	return behind != nullptr ? behind :
	       std::to_chars(into, end, value, std::chars_format::fixed).ptr;
}

double
gs_float_round(double value, unsigned digits)
{
	char text[GS_FLOAT_BYTES + 8];
	const std::to_chars_result printed = std::to_chars(text, text + sizeof text, value,
		std::chars_format::scientific, static_cast<int>(digits) - 1);
	double rounded = value;

	std::from_chars(text, printed.ptr, rounded);
	return rounded;
}

size_t
gs_float_print(double value, bool narrow, char *into)
{
	char *const begin = into, *const end = into + GS_FLOAT_BYTES;

	*into = '-';	/* no branch: random signs would be mispredicted, 5 ns each */
	into += std::signbit(value);
	value = std::fabs(value);
	if (!std::isfinite(value)) {
		memcpy(into, std::isnan(value) ? "nan" : "inf", 3);
		into += 3;
	} else if (value < PLAIN_LIMIT && (value >= (narrow ? LEAST_PLAIN_NARROW : LEAST_PLAIN) ||
	                                   value == 0)) {
		into = print_plain(value, narrow, into, end);
	} else {
		into = (narrow ? std::to_chars(into, end, (float)value, std::chars_format::scientific)
		               : std::to_chars(into, end, value, std::chars_format::scientific)).ptr;
	}
	assert(into <= end);
	return (size_t)(into - begin);
}

/* ---- reading ------------------------------------------------------------------ */

/* Append the digits at TEXT to NUMBER; returns what follows them. */
static const char *
read_digits(const char *text, const char *end, uint64_t *number)
{
	for (; text < end && *text >= '0' && *text <= '9'; text++)
		*number = *number * 10 + (uint64_t)(*text - '0');
	return text;
}

/* TEXT .. END, an exponent from its "e" on, added to TENS; false: not an exponent, or too large. */
static bool
read_exponent(const char *text, const char *end, int *tens)
{
	uint64_t exponent = 0;
	bool minus;

	if ((*text++ | 0x20) != 'e')
		return false;
	minus = text < end && *text == '-';
	text += text < end && (*text == '-' || *text == '+');
	if (text == end || read_digits(text, end, &exponent) != end || exponent > 99)
		return false;
	*tens += minus ? -(int)exponent : (int)exponent;
	return true;
}

/*
 * A decimal of at most SHORT_BYTES that is rounded once; false: another text.
 *
 * Zen 3, GCC 12: 11 ns for a price, where std::from_chars() takes 16.  Of longer texts, 16
 * digits and more, most are too long for this way; to try it would cost each 8 ns.
 */
static bool
read_short(const char *text, const char *end, double *value)
{
	enum { SHORT_BYTES = 16, MOST_TENS = 19 };
	const char *const first = text + (*text == '-');
	uint64_t number = 0;
	int digits, tens = 0;

	if (FLT_EVAL_METHOD != 0 || end - text > SHORT_BYTES)
		return false;
	const char *at = read_digits(first, end, &number);
	digits = (int)(at - first);
	if (at < end && *at == '.') {
		const char *const behind = read_digits(at + 1, end, &number);

		tens = (int)(at + 1 - behind);
		digits -= tens;
		at = behind;
	}
	if (digits == 0 || (at < end && !read_exponent(at, end, &tens)) ||
	    number > UINT64_C(1) << DBL_MANT_DIG || tens < -MOST_TENS || tens > MOST_TENS)
		return false;
	*value = (double)(int64_t)number;
	if (tens < 0)
		*value /= (double)gs_digits_power[-tens];
	else
		*value *= (double)gs_digits_power[tens];
	if (first != text)
		*value = -*value;
	return true;
}

/* The C library's way. */
static enum gs_float
read_any(const char *text, const char *end, double *value)
{
	const size_t bytes = (size_t)(end - text);
	const locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	char copy[GS_FLOAT_TEXT_BYTES + 1], *behind;

	assert(bytes <= GS_FLOAT_TEXT_BYTES);
	assert(c != (locale_t)0);		/* it is built in */
	if ((unsigned char)*text <= ' ')	/* strtod() would skip it */
		return GS_FLOAT_NONE;
	memcpy(copy, text, bytes);
	copy[bytes] = '\0';
	*value = strtod_l(copy, &behind, c);
	freelocale(c);
	if (behind != copy + bytes)
		return GS_FLOAT_NONE;
	text += *text == '-' || *text == '+';
	return std::isinf(*value) && (*text | 0x20) != 'i' ? GS_FLOAT_OVERFLOW : GS_FLOAT_GOOD;
}

/* Is TEXT .. END, read as VALUE, an integer, decimal or hexadecimal, that VALUE is not? */
static bool
is_inexact(const char *text, const char *end, double value)
{
	enum { MOST_DIGITS = 309 };
	char exact[MOST_DIGITS + 1];
	uint64_t bits = 0;

	text += *text == '-' || *text == '+';
	const bool hexadecimal = end - text > 2 && text[0] == '0' && (text[1] | 0x20) == 'x';
	text += hexadecimal ? 2 : 0;
	for (const char *at = text; at < end; at++)
		if ((*at < '0' || *at > '9') &&
		    (!hexadecimal || (*at | 0x20) < 'a' || (*at | 0x20) > 'f'))
			return false;
	while (text < end && *text == '0')
		text++;
	if (text == end)
		return false;
	if (std::isinf(value) || end - text > MOST_DIGITS)
		return true;
	if (hexadecimal) {		/* at most 53 bits, and then zeros? */
		while (end[-1] == '0')
			end--;
		return end - text > 16 || std::from_chars(text, end, bits, 16).ptr != end ||
		       bits >> __builtin_ctzll(bits) >= UINT64_C(1) << DBL_MANT_DIG;
	}
	const size_t bytes = (size_t)(end - text);
	return std::to_chars(exact, exact + sizeof exact, std::fabs(value),
	                     std::chars_format::fixed, 0).ptr != exact + bytes ||
	       memcmp(exact, text, bytes) != 0;
}

enum gs_float
gs_float_read(const char *text, const char *end, double *value)
{
	enum gs_float found = GS_FLOAT_GOOD;

	assert(text < end);
	if (read_short(text, end, value))
		return GS_FLOAT_GOOD;
	const bool plus = *text == '+' && end - text > 1 && text[1] != '-';
	const std::from_chars_result read = std::from_chars(text + plus, end, *value);
	if (read.ec != std::errc() || read.ptr != end || !std::isfinite(*value))
		found = read_any(text, end, value);
	return found != GS_FLOAT_NONE && is_inexact(text, end, *value) ? GS_FLOAT_INEXACT : found;
}
