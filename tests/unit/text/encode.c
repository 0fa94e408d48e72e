// SPDX-License-Identifier: BSD-2-Clause
/* encode.c - keys of any type to bytes of any type, and what does not fit */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "key/key.h"
#include "sort/span.h"
#include "tests/unit/units.h"
#include "text/encode.h"
#include "text/text.h"

enum { MANY = 200000, GUARD_BYTES = 64 };

/* ---- helpers ------------------------------------------------------------------ */

/* The key of the NaN that text has, and its bits in totalOrder less those of all NaNs with a sign. */
#define NAN_KEY	(UINT64_C(0xfff8000000000000) - UINT64_C(0x000fffffffffffff))

static uint64_t f64(double x) { uint64_t u; memcpy(&u, &x, sizeof u); return gs_order_f64(u); }
static uint64_t f32(float x)  { uint32_t u; memcpy(&u, &x, sizeof u); return gs_order_f32(u); }
static uint64_t i64(int64_t x) { return gs_order_i64((uint64_t)x); }
static uint64_t i32(int32_t x) { return gs_order_i32((uint32_t)x); }

/* The encoding of COUNT keys; its room is exact, so that any excess shows. */
struct encoded {
	gs_status status;
	size_t    bytes;
	char      text[];
};

static unsigned threads = 1;

static struct encoded *
encode(struct gs_encoding encoding, unsigned key_class, unsigned bits, const uint64_t *keys,
       const uint64_t *counts, size_t count)
{
	const size_t room = count * gs_encoding_bytes(&encoding);
	struct encoded *encoded = malloc(sizeof *encoded + room + GUARD_BYTES);
	void *given = malloc(count * (bits / 8) + 1);
	uint64_t *times = malloc(count * sizeof *times + 1);
	const struct gs_span span = {
		.keys = given, .count = count, .times = counts != NULL ? times : NULL, .key_bits = bits,
		.key_class = key_class,
	};
	bool guarded = true;

	encoding.terminator = encoding.terminator == 0 ? '\n' : encoding.terminator;
	encoding.threads = threads;
	for (size_t k = 0; k < count; k++) {
		gs_key_put(given, bits, k, encoding.reverse ? ~keys[k] : keys[k]);
		times[k] = counts != NULL ? counts[k] : 0;
	}
	memset(encoded->text + room, '#', GUARD_BYTES);
	encoded->bytes = 0;
	encoded->status = gs_encode(&encoding, &span, encoded->text, &encoded->bytes);
	for (size_t g = 0; g < GUARD_BYTES; g++)
		guarded = guarded && encoded->text[room + g] == '#';
	CHECK(guarded, "nothing is written behind the room");
	free(given);
	free(times);
	return encoded;
}

static unsigned
bits_of(enum gsort_type type, unsigned key_class)
{
	return type == GSORT_TEXT ? gs_text_bits((enum gs_text_class)key_class) :
	       type == GSORT_TEXT_FLOAT ? 64 : gs_key_bits(type);
}

/* ---- one number ---------------------------------------------------------------- */

/* A key, and what it becomes as another type: its bits, or else why not. */
static const struct {
	enum gsort_type from;
	unsigned        key_class;
	uint64_t        key;
	enum gsort_type to;
	uint64_t        bits;
	const char     *message;
} fits[] = {
	/* integers to integers, to the ends of each */
	{ GSORT_TEXT, GS_SMALL, 32768 + 255, GSORT_U8, 255, NULL },
	{ GSORT_TEXT, GS_SMALL, 32768 + 256, GSORT_U8, 0, "256 does not fit in u8; --to=u16 holds it" },
	{ GSORT_TEXT, GS_SMALL, 32768 - 1, GSORT_U8, 0, "-1 does not fit in u8; --to=i8 holds it" },
	{ GSORT_TEXT, GS_SMALL, 32768 - 129, GSORT_U8, 0,
	  "-129 does not fit in u8; --to=i16 holds it" },
	{ GSORT_TEXT, GS_SMALL, 32768 - 128, GSORT_I8, 0x80, NULL },
	{ GSORT_TEXT, GS_SMALL, 32768 - 129, GSORT_I8, 0,
	  "-129 does not fit in i8; --to=i16 holds it" },
	{ GSORT_TEXT, GS_SMALL, 32768 + 127, GSORT_I8, 127, NULL },
	{ GSORT_TEXT, GS_SMALL, 32768 + 128, GSORT_I8, 0, "128 does not fit in i8; --to=i16 holds it" },
	{ GSORT_TEXT, GS_SMALL, 0, GSORT_I16, 0x8000, NULL },
	{ GSORT_TEXT, GS_POS_NARROW, 65536, GSORT_U16, 0,
	  "65536 does not fit in u16; --to=u32 holds it" },
	{ GSORT_TEXT, GS_POS_NARROW, UINT32_MAX, GSORT_U32, UINT32_MAX, NULL },
	{ GSORT_TEXT, GS_POS_NARROW, UINT32_MAX, GSORT_I32, 0,
	  "4294967295 does not fit in i32; --to=i64 holds it" },
	{ GSORT_TEXT, GS_POS_WIDE, UINT64_C(1) << 32, GSORT_U32, 0,
	  "4294967296 does not fit in u32; --to=u64 holds it" },
	{ GSORT_TEXT, GS_POS_WIDE, UINT64_MAX, GSORT_U64, UINT64_MAX, NULL },
	{ GSORT_TEXT, GS_POS_WIDE, UINT64_MAX, GSORT_I64, 0,
	  "18446744073709551615 does not fit in i64; --to=u64 holds it" },
	{ GSORT_TEXT, GS_NEG_NARROW, 0, GSORT_I32, 0x80000000, NULL },
	{ GSORT_TEXT, GS_NEG_WIDE, 0, GSORT_I64, UINT64_C(1) << 63, NULL },
	{ GSORT_TEXT, GS_NEG_WIDE, 0, GSORT_U64, 0,
	  "-9223372036854775808 does not fit in u64; --to=i64 holds it" },
	{ GSORT_U8, 0, 255, GSORT_I8, 0, "255 does not fit in i8; --to=i16 holds it" },
	{ GSORT_I8, 0, 0, GSORT_I64, (uint64_t)-128, NULL },
	{ GSORT_U16, 0, 65535, GSORT_U32, 65535, NULL },
	{ GSORT_U64, 0, UINT64_MAX, GSORT_U16, 0,
	  "18446744073709551615 does not fit in u16; --to=u64 holds it" },
	/* integers to floats, exactly */
	{ GSORT_TEXT, GS_SMALL, 32768 - 5, GSORT_F64, 0xc014000000000000, NULL },
	{ GSORT_TEXT, GS_SMALL, 32768, GSORT_F64, 0, NULL },
	{ GSORT_TEXT, GS_POS_NARROW, 16777216, GSORT_F32, 0x4b800000, NULL },
	{ GSORT_TEXT, GS_POS_NARROW, 16777217, GSORT_F32, 0,
	  "16777217 does not fit in f32; --to=f64 holds it" },
	{ GSORT_TEXT, GS_POS_NARROW, 16777218, GSORT_F32, 0x4b800001, NULL },
	{ GSORT_U64, 0, (UINT64_C(1) << 53) - 1, GSORT_F64, 0x433fffffffffffff, NULL },
	{ GSORT_U64, 0, UINT64_C(1) << 53, GSORT_F64, 0x4340000000000000, NULL },
	{ GSORT_U64, 0, (UINT64_C(1) << 53) + 1, GSORT_F64, 0,
	  "9007199254740993 does not fit in f64; --to=u64 holds it" },
	{ GSORT_U64, 0, (UINT64_C(1) << 53) + 77, GSORT_F64, 0,
	  "9007199254741069 does not fit in f64; --to=u64 holds it" },
	{ GSORT_U64, 0, (UINT64_C(1) << 53) + 2, GSORT_F64, 0x4340000000000001, NULL },
	{ GSORT_U64, 0, UINT64_MAX, GSORT_F64, 0,
	  "18446744073709551615 does not fit in f64; --to=u64 holds it" },
	{ GSORT_U64, 0, UINT64_C(1) << 63, GSORT_F32, 0x5f000000, NULL },
	{ GSORT_I64, 0, 0, GSORT_F64, 0xc3e0000000000000, NULL },
	{ GSORT_I64, 0, 1, GSORT_F64, 0,
	  "-9223372036854775807 does not fit in f64; --to=i64 holds it" },
	/* floats to integers, if they are whole */
	{ GSORT_F64, 0, UINT64_MAX, GSORT_U8, 0, "-nan does not fit in u8; --to=f64 holds it" },
	{ GSORT_TEXT_FLOAT, 0, NAN_KEY, GSORT_I64, 0, "nan does not fit in i64; --to=f64 holds it" },
	{ GSORT_TEXT_FLOAT, 0, NAN_KEY, GSORT_F64, 0x7ff8000000000000, NULL },
	{ GSORT_TEXT_FLOAT, 0, NAN_KEY, GSORT_F32, 0x7fc00000, NULL },
	{ GSORT_F64, 0, NAN_KEY + (UINT64_C(1) << 42), GSORT_F16, 0x7e01, NULL },	/* its payload */
	{ GSORT_F64, 0, NAN_KEY + (UINT64_C(1) << 45), GSORT_BF16, 0x7fc1, NULL },
	{ GSORT_F64, 0, 0, GSORT_F64, 0xfff0000000000000, NULL },
	{ GSORT_F64, 0, UINT64_MAX, GSORT_F64, 0xfff0000000000001, NULL },
	{ GSORT_F32, 0, UINT32_MAX, GSORT_F32, 0xff800001, NULL },
	/* floats of 16 bits in a message: the fewest digits that give them */
	{ GSORT_F16, 0, 0x7c01 + 0x2e66, GSORT_U8, 0, "0.1 does not fit in u8; --to=f64 holds it" },
	{ GSORT_BF16, 0, 0x7f81 + 0x40b5, GSORT_I64, 0, "5.66 does not fit in i64; --to=f64 holds it" },
};

/* The same for floats, whose keys are not constants. */
static const struct {
	double          value;
	enum gsort_type to;
	uint64_t        bits;
	const char     *message;
} float_fits[] = {
	{ 255, GSORT_U8, 255, NULL }, { -0., GSORT_U8, 0, NULL }, { -128, GSORT_I8, 0x80, NULL },
	{ 256, GSORT_U8, 0, "256 does not fit in u8; --to=u16 holds it" },
	{ .5, GSORT_I32, 0, "0.5 does not fit in i32; --to=f64 holds it" },
	{ -1, GSORT_U32, 0, "-1 does not fit in u32; --to=i32 holds it" },
	{ 0x1p64, GSORT_U64, 0, "1.8446744073709552e+19 does not fit in u64; --to=f64 holds it" },
	{ 0x1.fffffffffffffp63, GSORT_U64, 0xfffffffffffff800, NULL },
	{ 0x1p63, GSORT_I64, 0, "9.223372036854776e+18 does not fit in i64; --to=u64 holds it" },
	{ -0x1p63, GSORT_I64, 0x8000000000000000, NULL },
	{ -0x1.0000000000001p63, GSORT_I64, 0,
	  "-9.223372036854778e+18 does not fit in i64; --to=f64 holds it" },
	{ INFINITY, GSORT_I64, 0, "inf does not fit in i64; --to=f64 holds it" },
	/* to f32: to the nearest, halfway to even; not to infinity */
	{ .1, GSORT_F32, 0x3dcccccd, NULL }, { 0x1.000001p0, GSORT_F32, 0x3f800000, NULL },
	{ 0x1.000003p0, GSORT_F32, 0x3f800002, NULL }, { 0x1p-149, GSORT_F32, 1, NULL },
	{ 0x1p-150, GSORT_F32, 0, NULL }, { 0x1.8p-150, GSORT_F32, 1, NULL },
	{ 0x1.fffffep127, GSORT_F32, 0x7f7fffff, NULL },
	{ 0x1.ffffffp127, GSORT_F32, 0, "3.4028235677973366e+38 does not fit in f32; --to=f64 holds it" },
	{ 1e300, GSORT_F32, 0, "1e+300 does not fit in f32; --to=f64 holds it" },
	{ -INFINITY, GSORT_F32, 0xff800000, NULL }, { -0., GSORT_F32, 0x80000000, NULL },
	{ -0., GSORT_F64, 0x8000000000000000, NULL },
	/* to floats of 16 bits likewise, with numbers below the least normal one */
	{ -1.5, GSORT_F16, 0xbe00, NULL }, { 0x1.002p0, GSORT_F16, 0x3c00, NULL },
	{ 0x1.006p0, GSORT_F16, 0x3c02, NULL }, { 0x1.ffcp0, GSORT_F16, 0x3fff, NULL },
	{ 0x1.ffep0, GSORT_F16, 0x4000, NULL }, { 0x1p-14, GSORT_F16, 0x400, NULL },
	{ 0x1.ff8p-15, GSORT_F16, 0x3ff, NULL }, { 0x1.ffcp-15, GSORT_F16, 0x400, NULL },
	{ 0x1p-24, GSORT_F16, 1, NULL }, { 0x1p-25, GSORT_F16, 0, NULL }, { 0x1.8p-25, GSORT_F16, 1, NULL },
	{ -0x1p-1074, GSORT_F16, 0x8000, NULL }, { 65519, GSORT_F16, 0x7bff, NULL },
	{ 65520, GSORT_F16, 0, "65520 does not fit in f16; --to=f32 holds it" },
	{ -65536, GSORT_F16, 0, "-65536 does not fit in f16; --to=f32 holds it" },
	{ INFINITY, GSORT_F16, 0x7c00, NULL }, { -INFINITY, GSORT_F16, 0xfc00, NULL },
	{ -0., GSORT_F16, 0x8000, NULL }, { 0, GSORT_F16, 0, NULL },
	{ 0x1.01p0, GSORT_BF16, 0x3f80, NULL }, { -0x1.03p0, GSORT_BF16, 0xbf82, NULL },
	{ 0x1p-133, GSORT_BF16, 1, NULL }, { 0x1p-134, GSORT_BF16, 0, NULL },
	{ 0x1.fep127, GSORT_BF16, 0x7f7f, NULL },
	{ 0x1.ffp127, GSORT_BF16, 0, "3.39617752923046e+38 does not fit in bf16; --to=f32 holds it" },
};

/* One key, in all byte orders, both directions, alone and with its count. */
static void
check_fit(enum gsort_type from, unsigned key_class, uint64_t key, enum gsort_type to, uint64_t bits,
          const char *message)
{
	const unsigned width = gs_key_bits(to) / 8;
	const uint64_t times = 0x0102030405060708;

	for (unsigned way = 0; way < 8; way++) {
		const bool big = way & 1, counts = way & 4;
		const struct gs_encoding encoding = {
			.from = from, .to = to, .reverse = way & 2, .counts = counts,
			.endian = big ? GSORT_ENDIAN_BIG : GSORT_ENDIAN_LITTLE,
		};
		struct encoded *e = encode(encoding, key_class, bits_of(from, key_class), &key,
		                           counts ? &times : NULL, 1);
		uint64_t value = 0, count = 0;

		if (message != NULL) {
			CHECK(e->status == GS_EINPUT && strcmp(gs_message(), message) == 0,
			      "%s: %s", message, gs_message());
			free(e);
			continue;
		}
		for (unsigned b = 0; b < width; b++)
			value |= (uint64_t)(uint8_t)e->text[b] << 8 * (big ? width - 1 - b : b);
		for (unsigned b = 0; counts && b < 8; b++)
			count |= (uint64_t)(uint8_t)e->text[width + b] << 8 * (big ? 7 - b : b);
		CHECK(e->status == GS_OK && e->bytes == width + (counts ? 8 : 0) && value == bits &&
		      count == (counts ? times : 0),
		      "%s key 0x%" PRIx64 " as %s is 0x%" PRIx64 ", way %u: %s", gs_key_name(from),
		      key, gs_key_name(to), value, way, gs_message());
		free(e);
	}
}

static void
check_fits(void)
{
	for (size_t f = 0; f < sizeof fits / sizeof fits[0]; f++)
		check_fit(fits[f].from, fits[f].key_class, fits[f].key, fits[f].to, fits[f].bits,
		          fits[f].message);
	for (size_t f = 0; f < sizeof float_fits / sizeof float_fits[0]; f++) {
		check_fit(GSORT_F64, 0, f64(float_fits[f].value), float_fits[f].to,
		          float_fits[f].bits, float_fits[f].message);
		check_fit(GSORT_TEXT_FLOAT, 0, f64(float_fits[f].value), float_fits[f].to,
		          float_fits[f].bits, float_fits[f].message);
	}
	check_fit(GSORT_F32, 0, f32(1.5f), GSORT_F64, 0x3ff8000000000000, NULL);
	check_fit(GSORT_F32, 0, f32(.1f), GSORT_F64, 0x3fb99999a0000000, NULL);
	check_fit(GSORT_F32, 0, f32(.1f), GSORT_I8, 0, "0.1 does not fit in i8; --to=f64 holds it");
	check_fit(GSORT_F32, 0, f32(-3e9f), GSORT_I32, 0,
	          "-3000000000 does not fit in i32; --to=i64 holds it");
}

/* ---- lines -------------------------------------------------------------------- */

static const struct {
	enum gsort_type from;
	unsigned        key_class;
	bool            counts;
	uint64_t        keys[4];	/* ascending */
	const char     *text;
} lines[] = {
	{ GSORT_U8, 0, false, { 0, 9, 10, 255 }, "0\n9\n10\n255\n" },
	{ GSORT_I8, 0, false, { 0, 127, 128, 255 }, "-128\n-1\n0\n127\n" },
	{ GSORT_U16, 0, false, { 0, 1, 9999, 65535 }, "0\n1\n9999\n65535\n" },
	{ GSORT_I16, 0, false, { 0, 32767, 32768, 65535 }, "-32768\n-1\n0\n32767\n" },
	{ GSORT_U32, 0, false, { 0, 65535, 65536, UINT32_MAX }, "0\n65535\n65536\n4294967295\n" },
	{ GSORT_U64, 0, false, { 0, 1, UINT32_MAX, UINT64_MAX },
	  "0\n1\n4294967295\n18446744073709551615\n" },
	{ GSORT_I64, 0, false, { 0, 1, UINT64_C(1) << 63, UINT64_MAX },
	  "-9223372036854775808\n-9223372036854775807\n0\n9223372036854775807\n" },
	{ GSORT_TEXT, GS_SMALL, true, { 0, 32767, 32768, 32778 },
	  "      1 -32768\n     10 -1\n 100000 0\n18446744073709551615 10\n" },
	{ GSORT_TEXT, GS_NEG_WIDE, true, { 0, 1, 2, 3 },
	  "      1 -9223372036854775808\n     10 -9223372036854775807\n"
	  " 100000 -9223372036854775806\n18446744073709551615 -9223372036854775805\n" },
	{ GSORT_U8, 0, true, { 0, 1, 2, 255 },
	  "      1 0\n     10 1\n 100000 2\n18446744073709551615 255\n" },
};
static const uint64_t line_counts[4] = { 1, 10, 100000, UINT64_MAX };

static void
check_lines_of(enum gsort_type from, unsigned key_class, const uint64_t *counts, const uint64_t *keys,
               const char *text)
{
	for (unsigned to = 0; to < 2; to++)
		for (unsigned reverse = 0; reverse < 2; reverse++) {
			const struct gs_encoding encoding = {
				.from = from, .to = to ? GSORT_TEXT_FLOAT : GSORT_TEXT,
				.reverse = reverse, .counts = counts != NULL,
			};
			struct encoded *e;

			if (from == GSORT_TEXT_FLOAT && to == 0)
				continue;
			e = encode(encoding, key_class, bits_of(from, key_class), keys, counts, 4);
			CHECK(e->status == GS_OK && e->bytes == strlen(text) &&
			      memcmp(e->text, text, e->bytes) == 0, "%s as lines: %.*s",
			      gs_key_name(from), (int)e->bytes, e->text);
			free(e);
		}
}

static void
check_lines(void)
{
	const uint64_t floats[4] = { f64(-1e20), f64(-0.), f64(.1), NAN_KEY };
	const uint64_t binary[4] = { 0, f64(1. / 3), NAN_KEY, UINT64_MAX };
	const uint64_t narrow[4] = { f32(-3e38f), f32(.1f), f32(100000), f32(INFINITY) };
	const uint64_t large[4] = { f64(-2.2250738585072014e-308), f64(1), f64(2), f64(3) };
	const uint64_t whole[4] = { i32(INT32_MIN), i32(-1), i32(0), i32(INT32_MAX) };

	for (size_t l = 0; l < sizeof lines / sizeof lines[0]; l++)
		check_lines_of(lines[l].from, lines[l].key_class, lines[l].counts ? line_counts : NULL,
		               lines[l].keys, lines[l].text);
	check_lines_of(GSORT_I32, 0, NULL, whole, "-2147483648\n-1\n0\n2147483647\n");
	check_lines_of(GSORT_TEXT_FLOAT, 0, NULL, floats, "-1e+20\n-0\n0.1\nnan\n");
	check_lines_of(GSORT_F64, 0, NULL, binary, "-inf\n0.3333333333333333\nnan\n-nan\n");
	check_lines_of(GSORT_F32, 0, NULL, narrow, "-3e+38\n0.1\n100000\ninf\n");
	check_lines_of(GSORT_F64, 0, line_counts, large, "      1 -2.2250738585072014e-308\n"
	               "     10 1\n 100000 2\n18446744073709551615 3\n");
}

static void
check_terminator(void)
{
	const uint64_t keys[2] = { 1, 2 };
	struct gs_encoding encoding = { .from = GSORT_U32, .to = GSORT_TEXT, .terminator = 0 };
	char text[2 * GS_TEXT_LINE_BYTES];
	uint32_t given[2] = { 1, 2 };
	const struct gs_span span = { .keys = given, .count = 2, .key_bits = 32 };
	struct encoded *none;
	size_t bytes;

	CHECK(gs_encode(&encoding, &span, text, &bytes) == GS_OK && bytes == 4 &&
	      memcmp(text, "1\0002", 4) == 0, "NUL ends lines");
	encoding.counts = true;
	CHECK(gs_encoding_bytes(&encoding) == 42, "a line with its count has at most 42 bytes");
	encoding.counts = false;
	encoding.from = GSORT_F64;
	{
		uint64_t floats[2] = { f64(.5), f64(1.5) };
		const struct gs_span two = { .keys = floats, .count = 2, .key_bits = 64 };
		char room[128];

		CHECK(gs_encode(&encoding, &two, room, &bytes) == GS_OK &&
		      bytes == 8 && memcmp(room, "0.5\0001.5", 8) == 0, "those of floats, too");
	}
	none = encode((struct gs_encoding){ .from = GSORT_U8, .to = GSORT_F64 }, 0, 8, keys, NULL, 0);
	CHECK(none->status == GS_OK && none->bytes == 0, "nothing is nothing");
	free(none);
}

/* ---- many, with several threads -------------------------------------------------- */

static uint64_t
next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static int
compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Keys and counts become the lines that printf would make. */
static void
check_many_lines(const uint64_t *keys, const uint64_t *counts, bool floats)
{
	const struct gs_encoding encoding = {
		.from = floats ? GSORT_F64 : GSORT_I64, .to = GSORT_TEXT, .counts = counts != NULL,
	};
	struct encoded *e = encode(encoding, 0, 64, keys, counts, MANY);
	const char *at = e->text, *end = e->text + e->bytes;
	size_t right = 0;
	char text[64];

	for (size_t k = 0; k < MANY && at < end; k++) {
		char *behind;
		double value;
		size_t bytes;

		if (counts != NULL) {
			bytes = (size_t)sprintf(text, "%7" PRIu64 " ", counts[k]);
			right += memcmp(at, text, bytes) == 0;
			at += bytes;
		}
		if (floats) {
			value = strtod(at, &behind);
			right += f64(value) == keys[k] && *behind == '\n';
			at = behind + 1;
		} else {
			bytes = (size_t)sprintf(text, "%" PRId64 "\n",
			                        (int64_t)gs_unorder_i64(keys[k]));
			right += memcmp(at, text, bytes) == 0;
			at += bytes;
		}
	}
	CHECK(e->status == GS_OK && at == end && right == MANY * (counts != NULL ? 2 : 1),
	      "%zu of many lines of %s are right", right, floats ? "floats" : "integers");
	free(e);
}

/* Keys of all binary types through text's range: value by value as C converts. */
static void
check_many_copies(const uint64_t *keys, const uint64_t *counts)
{
	static const enum gsort_type to[] = { GSORT_I16, GSORT_I32, GSORT_I64, GSORT_F64 };

	for (size_t t = 0; t < sizeof to / sizeof to[0]; t++) {
		const unsigned width = gs_key_bits(to[t]) / 8;
		const struct gs_encoding encoding = {
			.from = GSORT_I64, .to = to[t], .counts = counts != NULL,
			.endian = GSORT_ENDIAN_LITTLE,
		};
		uint64_t *few = malloc(MANY * sizeof *few);
		struct encoded *e;
		size_t right = 0;

		for (size_t k = 0; k < MANY; k++)
			few[k] = i64((int64_t)gs_unorder_i64(keys[k]) >> 49);	/* 15 bits */
		e = encode(encoding, 0, 64, few, counts, MANY);
		for (size_t k = 0; k < MANY; k++) {
			const int64_t value = (int64_t)gs_unorder_i64(few[k]);
			const double real = (double)value;
			const char *at = e->text + k * (width + (counts != NULL ? 8 : 0));

			right += memcmp(at, to[t] == GSORT_F64 ? (const void *)&real : &value, width) == 0 &&
			         (counts == NULL || memcmp(at + width, &counts[k], 8) == 0);
		}
		CHECK(e->status == GS_OK && right == MANY, "%zu of many integers are right as %s",
		      right, gs_key_name(to[t]));
		free(e);
		free(few);
	}
}

/* Of many that do not fit, one is reported, the same with any number of threads. */
static void
check_many_bad(uint64_t *keys)
{
	const struct gs_encoding encoding = { .from = GSORT_F64, .to = GSORT_I32 };

	for (size_t k = 0; k < MANY; k++)
		keys[k] = f64((double)k);
	for (size_t k = MANY / 2; k < MANY; k += 1000)
		keys[k] = f64((double)k + .5);
	for (threads = 1; threads < 6; threads += 2) {
		struct encoded *e = encode(encoding, 0, 64, keys, NULL, MANY);

		CHECK(e->status == GS_EINPUT && strcmp(gs_message(),
		      "100000.5 does not fit in i32; --to=f64 holds it") == 0, "the first: %s",
		      gs_message());
		free(e);
	}
}

static void
check_many(void)
{
	uint64_t *keys = malloc(MANY * sizeof *keys), *counts = malloc(MANY * sizeof *counts);
	uint64_t *floats = malloc(MANY * sizeof *floats), state = 88172645463325252;

	for (size_t k = 0; k < MANY; k++) {
		const uint64_t draw = next_random(&state);

		keys[k] = i64((int64_t)next_random(&state) >> draw % 64);
		floats[k] = f64((double)(int64_t)keys[k] / (double)(1 + draw % 1000));
		counts[k] = next_random(&state) >> draw / 64 % 64;
	}
	qsort(keys, MANY, sizeof *keys, compare);
	qsort(floats, MANY, sizeof *floats, compare);
	for (threads = 1; threads < 6; threads += 3) {
		check_many_lines(keys, NULL, false);
		check_many_lines(keys, counts, false);
		check_many_lines(floats, NULL, true);
		check_many_lines(floats, counts, true);
		check_many_copies(keys, NULL);
		check_many_copies(keys, counts);
	}
	check_many_bad(keys);
	free(keys);
	free(counts);
	free(floats);
}

/* The first key of a float is found by its value: all of 16 bits, others drawn. */
static void
check_keys_of_floats(void)
{
	static const enum gsort_type types[] = {
		GSORT_F16, GSORT_BF16, GSORT_F32, GSORT_F64, GSORT_TEXT_FLOAT,
	};

	for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
		const unsigned bits = types[t] == GSORT_TEXT_FLOAT ? 64 : gs_key_bits(types[t]);

		for (uint64_t draw = 0; draw < 1 << 16; draw++) {
			const uint64_t key = bits == 16 ? draw : units_mix(draw) >> (64 - bits);
			const double value = gs_key_float(types[t], key);
			const uint64_t found = isnan(value) ? key : gs_key_of_float(types[t], value);

			CHECK(found == key || (value == 0 && found + 1 == key),
			      "%g of type %d: key %llx, not %llx", value, (int)types[t],
			      (unsigned long long)found, (unsigned long long)key);
		}
		for (int infinite = -1; infinite <= 1; infinite += 2) {
			const uint64_t key = gs_key_of_float(types[t], infinite * (double)INFINITY);

			CHECK(gs_key_float(types[t], key) == infinite * (double)INFINITY &&
			      isfinite(gs_key_float(types[t], key - (uint64_t)infinite)),
			      "%dinf of type %d", infinite, (int)types[t]);
		}
	}
}

static void
check_questions(void)
{
	const struct { struct gs_encoding encoding; bool in_place; size_t bytes; } rows[] = {
		{ { .from = GSORT_U32, .to = GSORT_U32 }, true, 4 },
		{ { .from = GSORT_U32, .to = GSORT_U32, .counts = true }, false, 12 },
		{ { .from = GSORT_U32, .to = GSORT_I32 }, false, 4 },
		{ { .from = GSORT_TEXT, .to = GSORT_TEXT }, false, 21 },
		{ { .from = GSORT_TEXT_FLOAT, .to = GSORT_TEXT_FLOAT }, false, 32 },
		{ { .from = GSORT_TEXT, .to = GSORT_U8 }, false, 1 },
	};

	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
		CHECK(gs_encoding_in_place(&rows[r].encoding) == rows[r].in_place &&
		      gs_encoding_bytes(&rows[r].encoding) == rows[r].bytes,
		      "row %zu: %zu bytes", r, gs_encoding_bytes(&rows[r].encoding));
}

void unit_encode(void);

void
unit_encode(void)
{
	check_questions();
	check_keys_of_floats();
	check_fits();
	check_lines();
	check_terminator();
	check_many();
}
