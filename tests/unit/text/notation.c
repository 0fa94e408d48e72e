// SPDX-License-Identifier: BSD-2-Clause
/* notation.c - drawn times, addresses and hexadecimal integers, beside expressions and timegm(3); UTF-8 */
#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gsort.h"
#include "tests/unit/units.h"
#include "text/line.h"
#include "text/notation.h"

void unit_notation(void);

enum { TEXTS = 20000, GROUPS = 16 };

#define PART	"(0|[1-9][0-9]{0,2})"

static const char *const patterns[] = {
	[GSORT_HEXADECIMAL] = "^([-+]?)(0[xX])?([0-9a-fA-F]+)$",
	[GSORT_IPV4] = "^" PART "\\." PART "\\." PART "\\." PART "$",
	/* 1 year, 2 month, 3 day, 5 hour, 6 minute, 8 second, 10 fraction; of a zone 13 sign, 14 hours,
	 * 16 minutes */
	[GSORT_TIME] = "^([0-9]{4})-([0-9]{2})-([0-9]{2})([Tt ]([0-9]{2}):([0-9]{2})"
	               "(:([0-9]{2})([.,]([0-9]{1,9}))?)?([Zz]|(([-+])([0-9]{2})(:?([0-9]{2}))?))?)?$",
};
static regex_t expressions[sizeof patterns / sizeof patterns[0]];

static long
group(const char *text, const regmatch_t *groups, unsigned g)
{
	long number = 0;

	for (regoff_t at = groups[g].rm_so; at < groups[g].rm_eo; at++)
		number = 10 * number + text[at] - '0';
	return number;
}

static bool
read_time(const char *text, const regmatch_t *groups, __int128 *value)
{
	struct tm day = { 0 }, same;
	const long hour = group(text, groups, 5), minute = group(text, groups, 6);
	const long second = group(text, groups, 8);
	const long zone = group(text, groups, 14), minutes = group(text, groups, 16);
	const bool west = groups[13].rm_so >= 0 && text[groups[13].rm_so] == '-';
	long nanoseconds = group(text, groups, 10);
	time_t at;

	for (regoff_t end = groups[10].rm_eo; groups[10].rm_so >= 0 && end < groups[10].rm_so + 9; end++)
		nanoseconds *= 10;
	day.tm_year = (int)group(text, groups, 1) - 1900;
	day.tm_mon = (int)group(text, groups, 2) - 1;
	day.tm_mday = (int)group(text, groups, 3);
	same = day;
	at = timegm(&same);
	if (same.tm_year != day.tm_year || same.tm_mon != day.tm_mon || same.tm_mday != day.tm_mday ||
	    hour > 23 || minute > 59 || second > 59 || zone > 23 || minutes > 59)
		return false;
	*value = ((__int128)at + 3600 * hour + 60 * minute + second -
	          (west ? -1 : 1) * (3600 * zone + 60 * minutes)) * 1000000000 + nanoseconds;
	return true;
}

/* The value of TEXT, which begins at the line; false: it has none. */
static bool
model(enum gsort_notation notation, const char *text, __int128 *value)
{
	regmatch_t groups[GROUPS + 1];

	*value = 0;
	if (regexec(&expressions[notation], text, GROUPS + 1, groups, 0) != 0)
		return false;
	if (notation == GSORT_IPV4)
		for (unsigned g = 1; g <= 4; g++) {
			if (group(text, groups, g) > 255)
				return false;
			*value = *value << 8 | group(text, groups, g);
		}
	if (notation == GSORT_HEXADECIMAL) {
		errno = 0;
		*value = strtoull(text + groups[3].rm_so, NULL, 16);
		if (errno != 0)
			return false;
		*value = *text == '-' ? -*value : *value;
	}
	return (notation != GSORT_TIME || read_time(text, groups, value)) &&
	       *value >= INT64_MIN && *value <= (__int128)UINT64_MAX;
}

/* Read TEXT, and print what it is. */
static void
check_text(enum gsort_notation notation, const char *text)
{
	char printed[GS_NOTATION_BYTES + 1];
	bool negative = true, again;
	uint64_t magnitude = 0, same = 0;
	__int128 value;
	const bool expected = model(notation, text, &value);
	const bool found = gs_notation_read(notation, text, text + strlen(text), &negative, &magnitude);

	CHECK(found == expected && (!found || (negative == (value < 0) &&
	      magnitude == (uint64_t)(negative ? -value : value))),
	      "%s, notation %d: %d, not %d; %llu", text, (int)notation, found, expected,
	      (unsigned long long)magnitude);
	if (!found)
		return;
	printed[gs_notation_print(notation, negative, magnitude, printed)] = '\0';
	CHECK(model(notation, printed, &value) && value == (negative ? -(__int128)magnitude : magnitude) &&
	      gs_notation_read(notation, printed, printed + strlen(printed), &again, &same) &&
	      again == negative && same == magnitude,
	      "%s, notation %d, is printed as %s", text, (int)notation, printed);
}

/* Print a number, and change up to three bytes. */
static void
check_drawn(enum gsort_notation notation, uint64_t seed)
{
	static const char other[] = "0123456789-+:.,TtZz xXaF";
	const uint64_t draw = units_mix(seed), kind = draw % 7;
	const bool negative = notation != GSORT_IPV4 && kind > 3;
	uint64_t number = units_mix(~seed) >> (notation == GSORT_IPV4 ? 32 : draw >> 8 & 31);
	char text[GS_NOTATION_BYTES + 1];
	size_t bytes;

	if (notation == GSORT_TIME && kind % 2 == 0)
		number -= number % 1000000000;
	if (negative && number > INT64_MAX)
		number >>= 1;
	bytes = gs_notation_print(notation, negative && number > 0, number, text);
	text[bytes] = '\0';
	if (notation == GSORT_TIME && kind == 1)
		strcpy(text + bytes - 1, draw >> 20 & 1 ? "+01:00" : draw >> 21 & 1 ? "-0330" : "-23");
	check_text(notation, text);
	for (uint64_t c = draw >> 30 & 3; c > 0; c--) {
		const uint64_t how = units_mix(seed + c);

		bytes = strlen(text);
		if (how % 8 < 6)
			text[how / 8 % bytes] = other[how / 1024 % (sizeof other - 1)];
		else if (how % 8 == 6)
			text[bytes - 1] = '\0';
		else if (bytes > 1)
			memmove(text + how / 8 % bytes, text + how / 8 % bytes + 1, bytes - how / 8 % bytes);
		if (*text != '\0')
			check_text(notation, text);
	}
}

/* Each day of 878 years, at its begin and its end. */
static void
check_days(void)
{
	for (long day = -106751; day <= 213503; day++) {
		const time_t at = day * 86400;
		const uint64_t since = (uint64_t)labs(day) * 86400 * 1000000000;
		struct tm tm;
		char text[GS_NOTATION_BYTES + 1], expected[GS_NOTATION_BYTES + 1];
		bool negative;
		uint64_t magnitude;

		gmtime_r(&at, &tm);
		strftime(expected, sizeof expected, "%Y-%m-%dT00:00:00Z", &tm);
		text[gs_notation_print(GSORT_TIME, day < 0, since, text)] = '\0';
		CHECK(strcmp(text, expected) == 0, "day %ld is %s, not %s", day, text, expected);
		CHECK(gs_notation_read(GSORT_TIME, text, text + 10, &negative, &magnitude) &&
		      negative == (day < 0) && magnitude == since, "%.10s is day %ld", text, day);
	}
}

/* What no other text has is written by hand. */
static const struct {
	enum gsort_notation notation;
	const char *text;
} rows[] = {
	{ GSORT_HEXADECIMAL, "-8000000000000000" }, { GSORT_HEXADECIMAL, "-8000000000000001" },
	{ GSORT_HEXADECIMAL, "ffffffffffffffff" }, { GSORT_HEXADECIMAL, "10000000000000000" },
	{ GSORT_HEXADECIMAL, "-0" }, { GSORT_HEXADECIMAL, "+0x0" }, { GSORT_HEXADECIMAL, "0x" },
	{ GSORT_HEXADECIMAL, "-" }, { GSORT_HEXADECIMAL, "-0Xf" }, { GSORT_HEXADECIMAL, "x1" },
	{ GSORT_IPV4, "255.255.255.255" }, { GSORT_IPV4, "256.0.0.0" }, { GSORT_IPV4, "00.0.0.0" },
	{ GSORT_IPV4, "0.0.0.0" }, { GSORT_IPV4, "1.2.3" }, { GSORT_IPV4, "1.2.3.4.5" },
	{ GSORT_IPV4, "1.2.3.0004" },
	{ GSORT_TIME, "1677-09-21T00:12:43.145224192Z" }, { GSORT_TIME, "1677-09-21T00:12:43.145224191Z" },
	{ GSORT_TIME, "2554-07-21T23:34:33.709551615Z" }, { GSORT_TIME, "2554-07-21T23:34:33.709551616Z" },
	{ GSORT_TIME, "2000-02-29" }, { GSORT_TIME, "1900-02-29" }, { GSORT_TIME, "2004-02-29t23:59" },
	{ GSORT_TIME, "2001-02-29" }, { GSORT_TIME, "2001-00-01" }, { GSORT_TIME, "2001-13-01" },
	{ GSORT_TIME, "2001-12-00" }, { GSORT_TIME, "2001-12-31 24:00" }, { GSORT_TIME, "2001-12-31 23:60" },
	{ GSORT_TIME, "2001-12-31 23:59:60" }, { GSORT_TIME, "2001-12-31 23:59:59.1234567891" },
	{ GSORT_TIME, "2001-12-31 23:59:59," }, { GSORT_TIME, "2001-12-31 23:59.5" },
	{ GSORT_TIME, "2001-12-31 23:59+24" }, { GSORT_TIME, "2001-12-31 23:59+23:60" },
	{ GSORT_TIME, "2001-12-31 23:59-23:59" }, { GSORT_TIME, "2001-12-31 23:59+2359z" },
	{ GSORT_TIME, "2001-12-31Z" },
};

/* ---- UTF-8 ------------------------------------------------------------------------------- */

/* The bytes of POINT, 1 to 4; the first of more than one has as many high bits. */
static size_t
encode(uint32_t point, size_t bytes, unsigned char *into)
{
	if (bytes == 1)
		*into = (unsigned char)point;
	for (size_t b = bytes; bytes > 1 && b-- > 0; point >>= 6)
		into[b] = (unsigned char)(b > 0 ? 0x80 | (point & 0x3f) : (0xf00u >> bytes & 0xf0) | point);
	return bytes;
}

static void
check_utf8(void)
{
	static const uint32_t ends[] = { 0, 0x80, 0x800, 0x10000, 0x140000 };	/* of 1 to 4 bytes */
	unsigned char text[8];
	size_t bytes;
	uint32_t found;

	for (size_t length = 1; length <= 4; length++)
		for (uint32_t point = 0; point < ends[length]; point += point < 0x11000 ? 1 : 61) {
			const bool shortest = point >= ends[length - 1];

			encode(point, length, text);
			found = gs_utf8_decode(text, text + length, &bytes);
			CHECK(found == (shortest ? point : UINT32_MAX) && bytes == (shortest ? length : 0),
			      "U+%04X in %zu bytes is U+%04X of %zu", point, length, found, bytes);
			for (size_t b = 1; shortest && b < length && point % 7 == 0; b++) {
				const unsigned char was = text[b];

				CHECK(gs_utf8_decode(text, text + b, &bytes) == UINT32_MAX && bytes == 0,
				      "%zu of %zu bytes of U+%04X", b, length, point);
				text[b] = (unsigned char)(was ^ (point & 1 ? 0x80 : 0x40));
				found = gs_utf8_decode(text, text + length, &bytes);
				CHECK(found == UINT32_MAX && bytes == 0,
				      "byte %zu of U+%04X is %x", b, point, text[b]);
				text[b] = was;
			}
		}
	for (unsigned first = 0x80; first < 0x100; first++) {
		memset(text, 0xbf, sizeof text);
		text[0] = (unsigned char)first;
		found = gs_utf8_decode(text, text + sizeof text, &bytes);
		CHECK((first < 0xc2 || first > 0xf4) == (found == UINT32_MAX),
		      "a first byte %x: U+%04X", first, found);
	}
}

/* ---- a field in quotes that has a separator in it -------------------------------------------- */

static void
check_quotes(void)
{
	static const struct { const char *text; bool has; } texts[] = {
		{ "a,\"b,c\",d\n", true }, { "\"b,c\",d\n", true }, { "a\n\"b,c\",d\n", true },
		{ "a,\"b,c\"\n", true }, { "a,\"b,c\"\r\n", true }, { "a,\"b\",\"c,d\"\n", true },
		{ "a,\"b\"\"c,d\",e\n", true }, { "a,\"b\",c\n", false }, { "a,b\n", false },
		{ "a,\"b\nc,d\",e\n", false }, { "a,\"b,c\"x\n", false }, { "a,\"b,c\"x", false },
		{ "ax\"b,c\",d\n", false }, { "a,\"b,c", false }, { "a,\"b;c\",d\n", false },
		{ "a,\"b\nc\",d\n", false }, { "a,\"b,c\"", false },
	};

	for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++)
		CHECK(gs_hint_quotes(',', '\n', texts[t].text, texts[t].text + strlen(texts[t].text)) ==
		      texts[t].has, "a separator in quotes: %s", texts[t].text);
}

void
unit_notation(void)
{
	check_quotes();
	for (enum gsort_notation notation = GSORT_HEXADECIMAL; notation <= GSORT_TIME; notation++) {
		CHECK(regcomp(&expressions[notation], patterns[notation], REG_EXTENDED) == 0, "it compiles");
		for (uint64_t seed = 0; seed < TEXTS; seed++)
			check_drawn(notation, seed);
	}
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
		check_text(rows[r].notation, rows[r].text);
	for (enum gsort_notation notation = GSORT_HEXADECIMAL; notation <= GSORT_TIME; notation++)
		regfree(&expressions[notation]);
	check_days();
	check_utf8();
}
