// SPDX-License-Identifier: BSD-2-Clause
/* floats.c - floats as text, there and back */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/units.h"
#include "text/floats.h"

static uint64_t
next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static double
from_bits(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

/* ---- reading ------------------------------------------------------------------ */

static const struct {
	const char   *text;
	enum gs_float found;
	double        value;
} reads[] = {
	{ "0", GS_FLOAT_GOOD, 0 }, { "1", GS_FLOAT_GOOD, 1 }, { "+1", GS_FLOAT_GOOD, 1 },
	{ "-1.5", GS_FLOAT_GOOD, -1.5 }, { ".5", GS_FLOAT_GOOD, .5 }, { "5.", GS_FLOAT_GOOD, 5 },
	{ "1e3", GS_FLOAT_GOOD, 1000 }, { "1E+3", GS_FLOAT_GOOD, 1000 },
	{ "1e-3", GS_FLOAT_GOOD, .001 }, { "00012.500e01", GS_FLOAT_GOOD, 125 },
	{ "1e22", GS_FLOAT_GOOD, 1e22 }, { "1e23", GS_FLOAT_GOOD, 1e23 },
	{ "9007199254740992e22", GS_FLOAT_GOOD, 9007199254740992e22 },
	/* halfway between two floats: to the even one; a little more: up */
	{ "9007199254740993.0", GS_FLOAT_GOOD, 0x1p53 },
	{ "9007199254740993", GS_FLOAT_INEXACT, 0x1p53 },
	{ "9007199254740993.00000000000000000000001", GS_FLOAT_GOOD, 0x1.0000000000001p53 },
	{ "9007199254740995e0", GS_FLOAT_GOOD, 0x1.0000000000002p53 },
	{ "-00009007199254740995", GS_FLOAT_INEXACT, -0x1.0000000000002p53 },
	{ "9007199254740996", GS_FLOAT_GOOD, 0x1.0000000000002p53 },
	{ "1.00000000000000011102230246251565404236316680908203125", GS_FLOAT_GOOD, 1 },
	{ "1.00000000000000011102230246251565404236316680908203126", GS_FLOAT_GOOD,
	  0x1.0000000000001p0 },
	/* integers that no float holds, decimal and hexadecimal, and neighbours that one does */
	{ "18446744073709551615", GS_FLOAT_INEXACT, 0x1p64 },
	{ "18446744073709551616", GS_FLOAT_GOOD, 0x1p64 },
	{ "+18446744073709551617", GS_FLOAT_INEXACT, 0x1p64 },
	{ "99999999999999999999999999999999999999999", GS_FLOAT_INEXACT, 1e41 },
	{ "100000000000000000000000", GS_FLOAT_INEXACT, 1e23 }, { "1e23", GS_FLOAT_GOOD, 1e23 },
	{ "99999999999999991611392", GS_FLOAT_GOOD, 1e23 },
	{ "0x20000000000001", GS_FLOAT_INEXACT, 0x1p53 },
	{ "-0X20000000000002", GS_FLOAT_GOOD, -0x20000000000002p0 },
	{ "0x1fffffffffffff", GS_FLOAT_GOOD, 0x1fffffffffffffp0 },
	{ "0x8000000000000000000000000000", GS_FLOAT_GOOD, 0x1p111 },
	{ "0x8000000000000000000000000001", GS_FLOAT_INEXACT, 0x1p111 },
	{ "0xffffffffffffffff", GS_FLOAT_INEXACT, 0x1p64 },
	{ "00000000000000000000", GS_FLOAT_GOOD, 0 }, { "0x00000000000000000", GS_FLOAT_GOOD, 0 },
	{ "5e-324", GS_FLOAT_GOOD, 0x1p-1074 }, { "2e-324", GS_FLOAT_GOOD, 0 },
	{ "2.2250738585072011e-308", GS_FLOAT_GOOD, 0x0.fffffffffffffp-1022 },
	{ "1e-999999999999", GS_FLOAT_GOOD, 0 }, { "0e999999999999", GS_FLOAT_GOOD, 0 },
	{ "1.7976931348623157e308", GS_FLOAT_GOOD, 0x1.fffffffffffffp1023 },
	{ "1.7976931348623159e308", GS_FLOAT_OVERFLOW, INFINITY },
	{ "-1e309", GS_FLOAT_OVERFLOW, -INFINITY }, { "1e999999999999", GS_FLOAT_OVERFLOW, INFINITY },
	/* less than half of the least float: 0; more: the least; and the same below infinity */
	{ "2.4703282292062327e-324", GS_FLOAT_GOOD, 0 },
	{ "2.4703282292062328e-324", GS_FLOAT_GOOD, 0x1p-1074 },
	{ "1.7976931348623158e308", GS_FLOAT_GOOD, 0x1.fffffffffffffp1023 },
	{ "1e99999999999999", GS_FLOAT_OVERFLOW, INFINITY }, { "0e99", GS_FLOAT_GOOD, 0 },
	/* 16 characters and 17, 2^53 and 2^53 + 1, 10^19 and 10^20: read in one way and another */
	{ "123456789012.345", GS_FLOAT_GOOD, 123456789012.345 },
	{ "1234567890123.456", GS_FLOAT_GOOD, 1234567890123.456 },
	{ "9007199254740992", GS_FLOAT_GOOD, 0x1p53 },
	{ "900719925474099.3", GS_FLOAT_GOOD, 900719925474099.3 },
	{ "3e19", GS_FLOAT_GOOD, 3e19 }, { "3e20", GS_FLOAT_GOOD, 3e20 },
	{ "3e-19", GS_FLOAT_GOOD, 3e-19 }, { "3.0e-19", GS_FLOAT_GOOD, 3e-19 },
	{ "3e-20", GS_FLOAT_GOOD, 3e-20 }, { "3e99", GS_FLOAT_GOOD, 3e99 },
	{ "3e100", GS_FLOAT_GOOD, 3e100 }, { "3e0000000000001", GS_FLOAT_GOOD, 30 },
	{ "0.00000000000012", GS_FLOAT_GOOD, 1.2e-13 }, { "1.e5", GS_FLOAT_GOOD, 100000 },
	{ "+.5", GS_FLOAT_GOOD, .5 }, { "+1.25e-300", GS_FLOAT_GOOD, 1.25e-300 },
	{ "-12345678901234567", GS_FLOAT_INEXACT, -12345678901234568. },
	{ "0x1p-3", GS_FLOAT_GOOD, .125 }, { "-0XA.8", GS_FLOAT_GOOD, -10.5 },
	{ "+0x1.8p1", GS_FLOAT_GOOD, 3 }, { "0x1p-1074", GS_FLOAT_GOOD, 0x1p-1074 },
	{ "0x1p-1075", GS_FLOAT_GOOD, 0 },
	{ "0x1p9999", GS_FLOAT_OVERFLOW, INFINITY },
	{ "inf", GS_FLOAT_GOOD, INFINITY }, { "-INF", GS_FLOAT_GOOD, -INFINITY },
	{ "+Infinity", GS_FLOAT_GOOD, INFINITY },
	{ "", GS_FLOAT_NONE, 0 }, { "-", GS_FLOAT_NONE, 0 }, { ".", GS_FLOAT_NONE, 0 },
	{ "-.", GS_FLOAT_NONE, 0 }, { "e5", GS_FLOAT_NONE, 0 }, { ".e5", GS_FLOAT_NONE, 0 },
	{ "1e", GS_FLOAT_NONE, 0 }, { "1e+", GS_FLOAT_NONE, 0 }, { "1e5x", GS_FLOAT_NONE, 0 },
	{ "1.2.3", GS_FLOAT_NONE, 0 }, { "1,5", GS_FLOAT_NONE, 0 }, { "0x", GS_FLOAT_NONE, 0 },
	{ "0xg", GS_FLOAT_NONE, 0 }, { "--1", GS_FLOAT_NONE, 0 }, { "1 2", GS_FLOAT_NONE, 0 },
	{ "infinite", GS_FLOAT_NONE, 0 }, { "in", GS_FLOAT_NONE, 0 }, { "nanx", GS_FLOAT_NONE, 0 },
	{ "+", GS_FLOAT_NONE, 0 }, { "+-1", GS_FLOAT_NONE, 0 }, { "-+1", GS_FLOAT_NONE, 0 },
	{ "++1", GS_FLOAT_NONE, 0 }, { "+.", GS_FLOAT_NONE, 0 }, { "1e-", GS_FLOAT_NONE, 0 },
	{ "1e5.", GS_FLOAT_NONE, 0 }, { "1e5 ", GS_FLOAT_NONE, 0 }, { "1p5", GS_FLOAT_NONE, 0 },
	{ "0x1p", GS_FLOAT_NONE, 0 }, { "-+inf", GS_FLOAT_NONE, 0 }, { "nan(1", GS_FLOAT_NONE, 0 },
	{ "1.5.", GS_FLOAT_NONE, 0 }, { "12345678901234567x", GS_FLOAT_NONE, 0 },
	{ "\v1", GS_FLOAT_NONE, 0 }, { "\n1", GS_FLOAT_NONE, 0 }, { " 1", GS_FLOAT_NONE, 0 },
};

/* From its own memory, so that a read beyond it shows. */
static enum gs_float
read_text(const char *text, size_t bytes, double *value)
{
	char *copy = calloc(bytes, 1);
	enum gs_float found = GS_FLOAT_NONE;

	memcpy(copy, text, bytes);
	if (bytes > 0)
		found = gs_float_read(copy, copy + bytes, value);
	free(copy);
	return found;
}

static void
check_reading(void)
{
	double value = 0;

	for (size_t r = 0; r < sizeof reads / sizeof reads[0]; r++) {
		enum gs_float found = read_text(reads[r].text, strlen(reads[r].text), &value);

		CHECK(found == reads[r].found &&
		      (found == GS_FLOAT_NONE || value == reads[r].value),
		      "\"%s\" is read as %.17g (%d)", reads[r].text, value, found);
	}
	CHECK(read_text("-0", 2, &value) == GS_FLOAT_GOOD && value == 0 && signbit(value),
	      "-0 has its sign");
	CHECK(read_text("-0e5", 4, &value) == GS_FLOAT_GOOD && value == 0 && signbit(value),
	      "in any spelling");
	CHECK(read_text("-1e-999", 7, &value) == GS_FLOAT_GOOD && value == 0 && signbit(value),
	      "and what is too small for a float keeps it");
	CHECK(read_text("nan", 3, &value) == GS_FLOAT_GOOD && isnan(value), "nan is one");
	CHECK(read_text("-NaN(12)", 8, &value) == GS_FLOAT_GOOD && isnan(value), "so is -NaN(12)");
	CHECK(read_text("nan(0x12)", 9, &value) == GS_FLOAT_GOOD && isnan(value) &&
	      memcmp(&value, &(double){ strtod("nan(0x12)", NULL) }, sizeof value) == 0,
	      "nan(0x12) is that of strtod()");
	CHECK(read_text("1\0", 2, &value) == GS_FLOAT_NONE, "a NUL is no part of a number");
}

/* The longest texts: a digit and zeros behind it, or before it. */
static void
check_reading_long(void)
{
	char text[GS_FLOAT_TEXT_BYTES];
	double value;

	memset(text, '0', sizeof text);
	text[0] = '1';
	CHECK(read_text(text, sizeof text, &value) == GS_FLOAT_INEXACT && value == INFINITY,
	      "10^4094 is an integer, not infinity");
	CHECK(read_text(text, 309, &value) == GS_FLOAT_INEXACT && value == 1e308, "10^308 is none, too");
	text[sizeof text - 1] = '.';
	CHECK(read_text(text, sizeof text, &value) == GS_FLOAT_OVERFLOW && value == INFINITY,
	      "with a point it overflows");
	text[sizeof text - 1] = '0';
	text[308] = '.';
	CHECK(read_text(text, 309, &value) == GS_FLOAT_GOOD && value == 1e307, "10^307 does not");
	text[308] = '0';
	text[0] = '0';
	text[1] = '.';
	text[sizeof text - 1] = '1';
	CHECK(read_text(text, sizeof text, &value) == GS_FLOAT_GOOD && value == 0, "10^-4093 is 0");
	text[302] = '1';
	CHECK(read_text(text, sizeof text, &value) == GS_FLOAT_GOOD && value == 1e-301,
	      "10^-301 and a little is not");
}

/* Random decimals are read as strtod() reads them. */
static void
check_reading_many(void)
{
	uint64_t state = 88172645463325252;
	unsigned wrong = 0;

	for (unsigned i = 0; i < 100000; i++) {
		const uint64_t digits = next_random(&state) >> next_random(&state) % 64;
		char text[64];
		double value;

		if (i % 2 == 0)
			sprintf(text, "%llue%d", (unsigned long long)digits,
			        (int)(next_random(&state) % 60) - 30);
		else
			sprintf(text, "-%llu.%llu", (unsigned long long)(digits >> 32),
			        (unsigned long long)(digits & 0xffffff));
		wrong += gs_float_read(text, text + strlen(text), &value) != GS_FLOAT_GOOD ||
		         value != strtod(text, NULL);
	}
	CHECK(wrong == 0, "%u of 100000 decimals are read wrong", wrong);
}

/* ---- printing ----------------------------------------------------------------- */

static const struct {
	double      value;
	const char *text;
} prints[] = {
	{ 0, "0" }, { -0., "-0" }, { 1, "1" }, { -1, "-1" }, { 10, "10" }, { 100000, "100000" },
	{ .1, "0.1" }, { .25, "0.25" }, { -1.5, "-1.5" }, { 1e15, "1000000000000000" },
	{ 123456.789, "123456.789" }, { .3, "0.3" }, { .1 + .2, "0.30000000000000004" },
	{ 1. / 3, "0.3333333333333333" }, { 2. / 3, "0.6666666666666666" },
	/* six decimals, and seven; nine digits before them, and ten */
	{ .000101, "0.000101" }, { .0001001, "0.0001001" }, { .1234567, "0.1234567" },
	{ 19.99, "19.99" }, { 19.990001, "19.990001" }, { 999999999.999999, "999999999.999999" },
	{ 999999999.9999999, "999999999.9999999" }, { 1000000000.5, "1000000000.5" },
	{ 999999999.5000001, "999999999.5000001" }, { 4503599627370495.5, "4503599627370495.5" },
	{ 1234567890123456.8, "1234567890123456.8" }, { 562949953421311.9, "562949953421311.9" },
	/* with an exponent below 0.0001 and from 1e16 on */
	{ .000099999999999999991, "9.999999999999999e-05" }, { .000099999997, "9.9999997e-05" },
	{ .0001, "0.0001" }, { .00012345, "0.00012345" }, { .00001, "1e-05" },
	{ 1.5e-7, "1.5e-07" }, { 9999999999999998, "9999999999999998" }, { 1e16, "1e+16" },
	{ 1e20, "1e+20" }, { 1e22, "1e+22" }, { 1e23, "1e+23" }, { 1.25e100, "1.25e+100" },
	{ 0x1p53 - 1, "9007199254740991" }, { 0x1p53, "9007199254740992" },
	{ 0x1p53 + 2, "9007199254740994" }, { 0x1p54, "1.8014398509481984e+16" },
	{ 0x1p64, "1.8446744073709552e+19" },
	/* the ends, and powers of two, below which floats are closer */
	{ 0x1p-1074, "5e-324" }, { 0x1.8p-1073, "1.5e-323" },
	{ 0x0.fffffffffffffp-1022, "2.225073858507201e-308" },
	{ 0x1p-1022, "2.2250738585072014e-308" },
	{ 0x1.fffffffffffffp1023, "1.7976931348623157e+308" },
	{ 0x1p-44, "5.684341886080802e-14" }, { 0x1p-20, "9.5367431640625e-07" },
	/* the seventeenth digit is a rounded 5 */
	{ -8.801767602555592e-293, "-8.801767602555592e-293" },
	{ INFINITY, "inf" }, { -INFINITY, "-inf" },
};

static const struct {
	float       value;
	const char *text;
} narrow_prints[] = {
	{ 0, "0" }, { -0.f, "-0" }, { .1f, "0.1" }, { .3f, "0.3" }, { 1.f / 3, "0.33333334" },
	{ 16777216, "16777216" }, { 16777218, "16777218" }, { 3.4028235e38f, "3.4028235e+38" },
	{ 1e-45f, "1e-45" }, { 1.1754944e-38f, "1.1754944e-38" }, { 1e10f, "10000000000" },
	{ 1.17549421e-38f, "1.1754942e-38" }, { 9.5367431640625e-07f, "9.536743e-07" },
	/* whole, where the fewest digits are not all of it */
	{ 33554436, "33554436" }, { 123456789012.f, "123456790000" },
	{ 9999999198822400.f, "9999999000000000" }, { 1e16f, "1e+16" },
	/* just less than 0.0001, but printed so; the next is not */
	{ .0001f, "0.0001" }, { 9.9999990e-05f, "9.999999e-05" },
	{ 8388607.5f, "8388607.5" }, { 19.99f, "19.99" }, { -.001f, "-0.001" },
	{ INFINITY, "inf" },
};

/* What follows VALUE's text in INTO is not zero. */
static const char *
print(double value, bool narrow, char *into)
{
	memset(into, '#', GS_FLOAT_BYTES + 8);
	into[gs_float_print(value, narrow, into)] = '\0';
	return into;
}

static void
check_printing(void)
{
	char text[GS_FLOAT_BYTES + 8];

	for (size_t p = 0; p < sizeof prints / sizeof prints[0]; p++)
		CHECK(strcmp(print(prints[p].value, false, text), prints[p].text) == 0,
		      "%s is printed as %s", prints[p].text, text);
	for (size_t p = 0; p < sizeof narrow_prints / sizeof narrow_prints[0]; p++)
		CHECK(strcmp(print(narrow_prints[p].value, true, text), narrow_prints[p].text) == 0,
		      "%s of 32 bits is printed as %s", narrow_prints[p].text, text);
	CHECK(strcmp(print(NAN, false, text), "nan") == 0 &&
	      strcmp(print(-NAN, false, text), "-nan") == 0, "nan keeps its sign");
}

static unsigned
count_digits(const char *text)
{
	unsigned count = 0, zeros = 0;

	for (; *text != '\0' && *text != 'e'; text++)
		if (*text >= '0' && *text <= '9' && (count > 0 || *text != '0')) {
			count++;
			zeros = *text == '0' ? zeros + 1 : 0;
		}
	return count - zeros;
}

/* It is read back the same, and fewer digits by printf() are not. */
static bool
is_shortest(double value, bool narrow)
{
	char text[GS_FLOAT_BYTES + 8], shorter[64];
	unsigned digits = count_digits(print(value, narrow, text));

	if (narrow ? strtof(text, NULL) != (float)value : strtod(text, NULL) != value)
		return false;
	if (digits <= 1)
		return true;
	sprintf(shorter, "%.*e", (int)digits - 2, value);
	return narrow ? strtof(shorter, NULL) != (float)value : strtod(shorter, NULL) != value;
}

static void
check_printing_many(void)
{
	uint64_t state = 88172645463325252;
	unsigned wide = 0, narrow = 0, few = 0, decimals = 0;

	for (unsigned i = 0; i < 20000; i++) {
		const uint64_t bits = next_random(&state), some = bits >> (bits >> 58);
		const uint32_t half = (uint32_t)(next_random(&state) >> 32);
		float small;

		if (isfinite(from_bits(bits)))
			wide += !is_shortest(from_bits(bits), false);
		few += !is_shortest(from_bits(some >> 12), false);		/* denormal */
		decimals += !is_shortest((double)(some >> 14) / 1000, false);
		memcpy(&small, &half, sizeof small);
		if (isfinite(small))
			narrow += !is_shortest((double)small, true);
	}
	CHECK(wide == 0 && few == 0 && decimals == 0 && narrow == 0, "of 20000 each, %u f64, %u denormals, "
	      "%u decimals, %u f32 are printed too long or wrong", wide, few, decimals, narrow);
	for (unsigned e = wide = narrow = 0; e < 2046; e++) {
		wide += !is_shortest(from_bits((uint64_t)(e + 1) << 52), false) ||
		        !is_shortest(from_bits(((uint64_t)(e + 1) << 52) - 1), false) ||
		        !is_shortest(from_bits(((uint64_t)e << 52) + 1), false);
		if (e > 1023 - 127 && e < 1023 + 127)
			narrow += !is_shortest(from_bits((uint64_t)e << 52), true);
	}
	CHECK(wide == 0 && narrow == 0, "so are %u powers of two or their neighbours, %u f32",
	      wide, narrow);
}

void unit_floats(void);

void
unit_floats(void)
{
	check_reading();
	check_reading_long();
	check_reading_many();
	check_printing();
	check_printing_many();
}
