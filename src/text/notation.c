// SPDX-License-Identifier: BSD-2-Clause
/*
 * notation.c - integers as text that is not decimal: hexadecimal, IPv4 addresses, times
 *
 * In:   text without blanks around it; or an integer.
 * Out:  an integer; or text.
 */
#include <stdio.h>
#include <string.h>

#include "linekey/key_text.h"
#include "text/notation.h"
#include "text/text.h"

const struct gs_notation gs_notations[] = {
	[GSORT_DECIMAL] = { "a number", "42" },
	[GSORT_HEXADECIMAL] = { "a hexadecimal integer of 64 bits", "1f" },
	[GSORT_IPV4] = { "an IPv4 address", "192.0.2.1" },
	[GSORT_TIME] = { "a time from 1677-09-21 to 2554-07-21", "2026-11-22T09:30:00Z" },
};

/* ---- hexadecimal ----------------------------------------------------------------- */

static bool
read_hex(const char *text, const char *end, bool *negative, uint64_t *magnitude)
{
	*negative = text < end && *text == '-';
	*magnitude = 0;
	text += text < end && (*text == '-' || *text == '+');
	if (end - text > 2 && text[0] == '0' && (text[1] | 0x20) == 'x')
		text += 2;
	if (text == end)
		return false;
	for (; text < end; text++) {
		if (gs_hex_digit(*text) < 0 || *magnitude >> 60 != 0)
			return false;
		*magnitude = *magnitude << 4 | (unsigned)gs_hex_digit(*text);
	}
	*negative = *negative && *magnitude > 0;
	return gs_text_fits(*negative, *magnitude);
}

/* ---- addresses --------------------------------------------------------------------- */

static bool
is_digit(const char *text, const char *end)
{
	return text < end && gs_is_digit(*text);
}

static bool
read_address(const char *text, const char *end, uint64_t *address)
{
	*address = 0;
	for (unsigned part = 0; part < 4; part++) {
		const char *begin = text;
		unsigned number = 0;

		if (part > 0 && (text == end || *text++ != '.'))
			return false;
		for (begin = text; is_digit(text, end) && text - begin < 4; text++)
			number = 10 * number + (unsigned)(*text - '0');
		if (text == begin || number > 255 || (text - begin > 1 && *begin == '0'))
			return false;
		*address = *address << 8 | number;
	}
	return text == end;
}

/* ---- times ----------------------------------------------------------------------------- */

enum { SECOND = 1000000000 };	/* nanoseconds */

/* Read COUNT digits at *AT, then move on. */
static bool
take_digits(const char **at, const char *end, unsigned count, unsigned *number)
{
	*number = 0;
	for (; count > 0; count--, ++*at) {
		if (!is_digit(*at, end))
			return false;
		*number = 10 * *number + (unsigned)(**at - '0');
	}
	return true;
}

static bool
take_char(const char **at, const char *end, char c)
{
	if (*at == end || **at != c)
		return false;
	++*at;
	return true;
}

/* Days from 1970-01-01 to a day of the Gregorian calendar; print_time() goes back.  A year of these counts
 * begins with March, so a leap day is its last; 400 years have 146097 days. */
static bool
take_date(const char **at, const char *end, int64_t *days)
{
	static const unsigned char lengths[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	unsigned year, month, day, of_year;
	int64_t of_era;
	bool leap;

	if (!take_digits(at, end, 4, &year) || !take_char(at, end, '-') ||
	    !take_digits(at, end, 2, &month) || !take_char(at, end, '-') ||
	    !take_digits(at, end, 2, &day) || month < 1 || month > 12 || day < 1)
		return false;
	leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
	if (day > (month == 2 && leap ? 29U : lengths[month - 1]))
		return false;
	*days = (int64_t)year - (month <= 2);
	of_era = *days % 400;		/* years are not negative */
	of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
	*days = *days / 400 * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
	return true;
}

/* ".5": up to 9 decimals of a second. */
static bool
take_decimals(const char **at, const char *end, unsigned *nanoseconds)
{
	unsigned digits = 0;

	*nanoseconds = 0;
	if (*at == end || (**at != '.' && **at != ','))
		return true;
	for (++*at; is_digit(*at, end); ++*at, digits++)
		*nanoseconds = digits < 9 ? 10 * *nanoseconds + (unsigned)(**at - '0') : *nanoseconds;
	for (unsigned d = digits; d < 9; d++)
		*nanoseconds *= 10;
	return digits > 0 && digits <= 9;
}

/* "Z", "+01:00", "-0330", "+02", or nothing; in seconds. */
static bool
take_offset(const char **at, const char *end, int64_t *seconds)
{
	unsigned hours, minutes = 0;
	bool west;

	*seconds = 0;
	if (*at == end || take_char(at, end, 'Z') || take_char(at, end, 'z'))
		return true;
	west = **at == '-';
	if ((!west && **at != '+') || (++*at, !take_digits(at, end, 2, &hours)))
		return false;
	if (*at < end && (take_char(at, end, ':') || true) && !take_digits(at, end, 2, &minutes))
		return false;
	*seconds = (west ? -1 : 1) * (int64_t)(3600 * hours + 60 * minutes);
	return hours <= 23 && minutes <= 59;
}

static bool
take_clock(const char **at, const char *end, int64_t *seconds, unsigned *nanoseconds)
{
	unsigned hour, minute, second = 0;
	int64_t offset;

	if (!take_digits(at, end, 2, &hour) || !take_char(at, end, ':') ||
	    !take_digits(at, end, 2, &minute))
		return false;
	*nanoseconds = 0;
	if (take_char(at, end, ':') &&
	    (!take_digits(at, end, 2, &second) || !take_decimals(at, end, nanoseconds)))
		return false;
	if (!take_offset(at, end, &offset))
		return false;
	*seconds = (int64_t)(3600 * hour + 60 * minute + second) - offset;
	return hour <= 23 && minute <= 59 && second <= 59;
}

static bool
read_time(const char *text, const char *end, bool *negative, uint64_t *magnitude)
{
	int64_t days, seconds = 0;
	unsigned nanoseconds = 0;
	__int128 time;

	if (!take_date(&text, end, &days))
		return false;
	if (text < end && (*text == 'T' || *text == 't' || *text == ' ')) {
		text++;
		if (!take_clock(&text, end, &seconds, &nanoseconds))
			return false;
	}
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
	size_t bytes;

	bytes = (size_t)snprintf(text, sizeof text, "%04u-%02u-%02uT%02u:%02u:%02u.%09u", year, month,
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
	if (notation == GSORT_HEXADECIMAL)
		return read_hex(text, end, negative, magnitude);
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
	else if (negative || number > UINT32_MAX)	/* a binary key that is no address */
		bytes = snprintf(text, sizeof text, "%s%llu", negative ? "-" : "", number);
	else
		bytes = snprintf(text, sizeof text, "%llu.%llu.%llu.%llu", number >> 24, number >> 16 & 255,
		                 number >> 8 & 255, number & 255);
	memcpy(into, text, (size_t)bytes);
	return (size_t)bytes;
}
