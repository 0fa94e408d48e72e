// SPDX-License-Identifier: BSD-2-Clause
/*
 * notation.c - integers as text: decimal, hexadecimal, IPv4 addresses, times
 *
 * In:   text without blanks around it; or an integer.
 * Out:  an integer; or text.
 */
#include <stdio.h>
#include <string.h>

#include "key/key.h"
#include "linekey/key_text.h"
#include "text/digits.h"
#include "text/notation.h"
#include "text/text.h"

const struct gs_notation gs_notations[] = {
	[GSORT_DECIMAL] = { "a number", "42" },
	[GSORT_HEXADECIMAL] = { "a hexadecimal integer of 64 bits", "1f" },
	[GSORT_IPV4] = { "an IPv4 address", "192.0.2.1" },
	[GSORT_TIME] = { "a time from 1677-09-21 to 2554-07-21", "2026-11-22T09:30:00Z" },
};

/* ---- decimal and hexadecimal integers -------------------------------------------- */

static bool
read_integer(unsigned base, const char *text, const char *end, bool *negative, uint64_t *magnitude)
{
	*negative = text < end && *text == '-';
	*magnitude = 0;
	text += text < end && (*text == '-' || *text == '+');
	if (base == 16 && end - text > 2 && text[0] == '0' && (text[1] | 0x20) == 'x')
		text += 2;
	if (text == end)
		return false;
	for (; text < end; text++)
		if ((unsigned)gs_hex_digit(*text) >= base ||
		    __builtin_mul_overflow(*magnitude, base, magnitude) ||
		    __builtin_add_overflow(*magnitude, (unsigned)gs_hex_digit(*text), magnitude))
			return false;
	*negative = *negative && *magnitude > 0;
	return gs_text_fits(*negative, *magnitude);
}

/* ---- addresses --------------------------------------------------------------------- */

static bool
read_address(const char *text, const char *end, uint64_t *address)
{
	*address = 0;
	for (unsigned part = 0; part < 4; part++) {
		const char *begin;
		unsigned number = 0;

		if (part > 0 && (text == end || *text++ != '.'))
			return false;
		for (begin = text; text < end && gs_is_digit(*text) && text - begin < 4; text++)
			number = 10 * number + (unsigned)(*text - '0');
		if (text == begin || number > 255 || (text - begin > 1 && *begin == '0'))
			return false;
		*address = *address << 8 | number;
	}
	return text == end;
}

/* ---- times ----------------------------------------------------------------------------- */

enum { SECOND = 1000000000 };	/* nanoseconds */

/* Take what FORM shows from *AT on: digits are a number each, and other characters between them as they are;
 * false: it is not there. */
static bool
take(const char **at, const char *end, const char *form, unsigned *numbers)
{
	const char *text = *at;

	for (*numbers = 0; *form != '\0'; form++, text++) {
		if (text == end || (*form == '0' ? !gs_is_digit(*text) : *text != *form))
			return false;
		if (*form == '0')
			*numbers = 10 * *numbers + (unsigned)(*text - '0');
		else
			*++numbers = 0;
	}
	*at = text;
	return true;
}

/* Days from 1970-01-01 to a day of the Gregorian calendar; print_time() goes back.  A year of these counts
 * begins with March, so a leap day is its last; 400 years have 146097 days. */
static bool
take_date(const char **at, const char *end, int64_t *days)
{
	static const unsigned char lengths[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	unsigned date[3], of_year;
	int64_t of_era;
	bool leap;

	if (!take(at, end, "0000-00-00", date) || date[1] < 1 || date[1] > 12 || date[2] < 1)
		return false;
	leap = date[0] % 4 == 0 && (date[0] % 100 != 0 || date[0] % 400 == 0);
	if (date[2] > (date[1] == 2 && leap ? 29U : lengths[date[1] - 1]))
		return false;
	*days = (int64_t)date[0] - (date[1] <= 2);
	of_era = *days % 400;		/* years are not negative */
	of_year = (153 * (date[1] > 2 ? date[1] - 3 : date[1] + 9) + 2) / 5 + date[2] - 1;
	*days = *days / 400 * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
	return true;
}

/* The time of a day, and behind it nothing, "Z", "+01:00", "-0330" or "+02". */
static bool
take_clock(const char **at, const char *end, int64_t *seconds, unsigned *nanoseconds)
{
	unsigned clock[2], second[2] = { 0 }, zone = 0, minute[2] = { 0 };
	bool west;

	if (!take(at, end, "00:00", clock))
		return false;
	if (take(at, end, ":00", second) && *at < end && (**at == '.' || **at == ',')) {
		unsigned unit = SECOND / 10;

		for (++*at; *at < end && gs_is_digit(**at) && unit > 0; ++*at, unit /= 10)
			*nanoseconds += unit * (unsigned)(**at - '0');
		if (unit == SECOND / 10)
			return false;
	}
	west = *at < end && **at == '-';
	if (*at < end && (**at == 'Z' || **at == 'z'))
		++*at;
	else if (*at < end && ((!west && **at != '+') || (++*at, !take(at, end, "00", &zone)) ||
	                       (*at < end && !take(at, end, ":00", minute) &&
	                        !take(at, end, "00", &minute[1]))))
		return false;
	*seconds = (int64_t)(3600 * clock[0] + 60 * clock[1] + second[1]) -
	           (west ? -1 : 1) * (int64_t)(3600 * zone + 60 * minute[1]);
	return clock[0] <= 23 && clock[1] <= 59 && second[1] <= 59 && zone <= 23 && minute[1] <= 59;
}

static bool
read_time(const char *text, const char *end, bool *negative, uint64_t *magnitude)
{
	int64_t days, seconds = 0;
	unsigned nanoseconds = 0;
	__int128 time;

	if (!take_date(&text, end, &days))
		return false;
	if (text < end && (*text == 'T' || *text == 't' || *text == ' ') &&
	    (++text, !take_clock(&text, end, &seconds, &nanoseconds)))
		return false;
	time = (__int128)(days * 86400 + seconds) * SECOND + nanoseconds;
	*negative = time < 0;
	if (text != end || time < INT64_MIN || time > (__int128)UINT64_MAX)
		return false;
	*magnitude = *negative ? -(uint64_t)time : (uint64_t)time;
	return true;
}

static size_t
print_time(bool negative, uint64_t magnitude, char *into)
{
	const __int128 time = negative ? -(__int128)magnitude : (__int128)magnitude;
	const __int128 day_length = (__int128)86400 * SECOND;
	const int64_t days = (int64_t)((time < 0 ? time - day_length + 1 : time) / day_length);
	const uint64_t of_day = (uint64_t)(time - days * day_length);
	const unsigned second = (unsigned)(of_day / SECOND), nanoseconds = (unsigned)(of_day % SECOND);
	const uint64_t since = (uint64_t)(days + 719468), of_era = since % 146097;
	const uint64_t y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	const uint64_t of_year = of_era - (365 * y + y / 4 - y / 100), m = (5 * of_year + 2) / 153;
	const unsigned month = (unsigned)(m < 10 ? m + 3 : m - 9);
	const unsigned day = (unsigned)(of_year - (153 * m + 2) / 5 + 1);
	const unsigned year = (unsigned)(since / 146097 * 400 + y + (month <= 2));
	char text[80];
	size_t bytes = (size_t)snprintf(text, sizeof text, "%04u-%02u-%02uT%02u:%02u:%02u.%09u", year, month,
	                                day, second / 3600, second / 60 % 60, second % 60, nanoseconds);

	while (text[bytes - 1] == '0' && nanoseconds > 0)
		bytes--;
	if (nanoseconds == 0)
		bytes -= 10;
	text[bytes++] = 'Z';
	memcpy(into, text, bytes);
	return bytes;
}

/* ---- any of them --------------------------------------------------------------------- */

bool
gs_notation_read(enum gsort_notation notation, const char *text, const char *end, bool *negative,
                 uint64_t *magnitude)
{
	if (notation == GSORT_DECIMAL || notation == GSORT_HEXADECIMAL)
		return read_integer(notation == GSORT_DECIMAL ? 10 : 16, text, end, negative, magnitude);
	if (notation == GSORT_TIME)
		return read_time(text, end, negative, magnitude);
	*negative = false;
	return read_address(text, end, magnitude);
}

size_t
gs_notation_print(enum gsort_notation notation, bool negative, uint64_t magnitude, char *into)
{
	const unsigned long long number = magnitude;
	char text[GS_NOTATION_BYTES];
	int bytes;

	if (notation == GSORT_TIME)
		return print_time(negative, magnitude, into);
	if (notation == GSORT_HEXADECIMAL)
		bytes = snprintf(text, sizeof text, "%s%llx", negative ? "-" : "", number);
	else
		bytes = snprintf(text, sizeof text, "%llu.%llu.%llu.%llu", number >> 24, number >> 16 & 255,
		                 number >> 8 & 255, number & 255);
	memcpy(into, text, (size_t)bytes);
	return (size_t)bytes;
}

/* ---- keys of 128 bits -------------------------------------------------------------------- */

enum { PART_DIGITS = 19 };	/* digits.h prints numbers below 10^19 in full */

size_t
gs_wide_print_number(enum gsort_notation notation, bool negative, unsigned __int128 number, char *into)
{
	const uint64_t unit = gs_digits_power[PART_DIGITS];
	uint64_t parts[3];		/* the last one first */
	size_t count = 0, bytes = 0;
	unsigned digits;

	if (negative) {
		into[bytes++] = '-';
		number = -number;
	}
	if (notation == GSORT_HEXADECIMAL) {
		for (digits = 1; digits < 32 && number >> 4 * digits > 0; digits++)
			;
		for (unsigned d = digits; d-- > 0; number >>= 4)
			into[bytes + d] = "0123456789abcdef"[(unsigned)number & 15];
		return bytes + digits;
	}
	do
		parts[count++] = (uint64_t)(number % unit);
	while ((number /= unit) > 0);
	bytes = (size_t)(gs_digits_write(into + bytes, parts[count - 1]) - into);
	while (--count > 0) {		/* with zeros in front */
		digits = gs_digits_count(parts[count - 1]);
		memset(into + bytes, '0', PART_DIGITS);
		bytes += PART_DIGITS;
		gs_digits_print(into + bytes - digits, parts[count - 1], digits);
	}
	return bytes;
}

size_t
gs_wide_print(enum gsort_type type, enum gsort_endian endian, enum gsort_notation notation,
              const char *key, char *into)
{
	const bool swaps = gs_endian_swaps(endian), big = swaps == gs_endian_swaps(GSORT_ENDIAN_BIG);
	uint64_t upper, lower;

	memcpy(&upper, key + (big ? 0 : 8), sizeof upper);
	memcpy(&lower, key + (big ? 8 : 0), sizeof lower);
	upper = swaps ? GS_SWAP64(upper) : upper;
	lower = swaps ? GS_SWAP64(lower) : lower;
	return gs_wide_print_number(notation, type == GSORT_I128 && upper >> 63 != 0,
	                            (unsigned __int128)upper << 64 | lower, into);
}
