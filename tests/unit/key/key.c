// SPDX-License-Identifier: BSD-2-Clause
/* key.c - ordered bits of every key type, and binary keys (src/key/key.c, raw.c) */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/simd.h"
#include "key/key.h"
#include "tests/unit/units.h"

void unit_key(void);

/* --- the maps, through the functions that the program uses ----------------------- */

/* Ordered bits of one key, given and returned in the low bits. */
static uint64_t
order(enum gsort_type type, bool reverse, uint64_t bits)
{
	uint8_t b8 = (uint8_t)bits;
	uint16_t b16 = (uint16_t)bits;
	uint32_t b32 = (uint32_t)bits;

	switch (gs_key_bits(type)) {
	case 8:  gs_raw_to_ordered(type, GSORT_ENDIAN_HOST, reverse, &b8, 1, 3); return b8;
	case 16: gs_raw_to_ordered(type, GSORT_ENDIAN_HOST, reverse, &b16, 1, 3); return b16;
	case 32: gs_raw_to_ordered(type, GSORT_ENDIAN_HOST, reverse, &b32, 1, 3); return b32;
	default: gs_raw_to_ordered(type, GSORT_ENDIAN_HOST, reverse, &bits, 1, 3); return bits;
	}
}

/* Bits of floats in order: -inf .. -0, 0 .. inf, NaN from the least payload on, -NaN from the largest. */
static const uint64_t f16s[] = {
	0xfc00, 0xfbff, 0xbc00, 0x8001, 0x8000, 0, 1, 0x3c00, 0x7bff, 0x7c00,
	0x7c01, 0x7dff, 0x7e00, 0x7e01, 0x7fff, 0xffff, 0xfe01, 0xfe00, 0xfdff, 0xfc01,
}, bf16s[] = {
	0xff80, 0xff7f, 0xbf80, 0x8001, 0x8000, 0, 1, 0x3f80, 0x7f7f, 0x7f80,
	0x7f81, 0x7fbf, 0x7fc0, 0x7fc1, 0x7fff, 0xffff, 0xffc1, 0xffc0, 0xffbf, 0xff81,
}, f32s[] = {
	0xff800000, 0xff7fffff, 0xbf800000, 0x80000001, 0x80000000,
	0, 1, 0x3f800000, 0x7f7fffff, 0x7f800000,
	0x7f800001, 0x7fbfffff, 0x7fc00000, 0x7fc00001, 0x7fffffff,
	0xffffffff, 0xffc00001, 0xffc00000, 0xffbfffff, 0xff800001,
}, f64s[] = {
	0xfff0000000000000, 0xffefffffffffffff, 0xbff0000000000000, 0x8000000000000001, 0x8000000000000000,
	0, 1, 0x3ff0000000000000, 0x7fefffffffffffff, 0x7ff0000000000000,
	0x7ff0000000000001, 0x7ff7ffffffffffff, 0x7ff8000000000000, 0x7ff8000000000001, 0x7fffffffffffffff,
	0xffffffffffffffff, 0xfff8000000000001, 0xfff8000000000000, 0xfff7ffffffffffff, 0xfff0000000000001,
};
_Static_assert(sizeof f16s == sizeof f64s && sizeof bf16s == sizeof f64s && sizeof f32s == sizeof f64s,
               "each type has the same kinds of floats");

static void
check_floats(enum gsort_type type, const uint64_t *floats)
{
	const size_t count = sizeof f64s / sizeof *floats;
	const uint64_t all = UINT64_MAX >> (64 - gs_key_bits(type));

	CHECK(order(type, false, floats[0]) == 0 && order(type, false, floats[count - 1]) == all,
	      "%s: -infinity is the least key, and the greatest is a NaN", gs_key_name(type));
	for (size_t i = 1; i < count; i++) {
		CHECK(order(type, false, floats[i - 1]) < order(type, false, floats[i]),
		      "%s 0x%llx is before 0x%llx", gs_key_name(type), (unsigned long long)floats[i - 1],
		      (unsigned long long)floats[i]);
		CHECK(order(type, true, floats[i - 1]) > order(type, true, floats[i]),
		      "%s 0x%llx is behind 0x%llx in reverse", gs_key_name(type),
		      (unsigned long long)floats[i - 1], (unsigned long long)floats[i]);
	}
	for (size_t i = 0; i < count; i++)
		CHECK(gs_key_float_bits(type, order(type, false, floats[i])) == floats[i],
		      "%s 0x%llx comes back from its key", gs_key_name(type), (unsigned long long)floats[i]);
}

/* Integers: the least has ordered bits 0, and each next one more. */
static void
check_integers(void)
{
	static const struct {
		enum gsort_type type;
		uint64_t        least;	/* its bits */
	} rows[] = {
		{ GSORT_U8, 0 }, { GSORT_I8, 0x80 }, { GSORT_U16, 0 }, { GSORT_I16, 0x8000 },
		{ GSORT_U32, 0 }, { GSORT_I32, 0x80000000 },
		{ GSORT_U64, 0 }, { GSORT_I64, 0x8000000000000000 },
	};

	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		const unsigned bits = gs_key_bits(rows[r].type);
		const uint64_t most = UINT64_MAX >> (64 - bits);
		const uint64_t step = bits <= 16 ? 1 : most / 100003;
		bool good = true, reverse_good = true;

		for (uint64_t u = 0; u <= most - step; u += step) {
			const uint64_t x = (rows[r].least + u) & most;

			good &= order(rows[r].type, false, x) == u;
			reverse_good &= order(rows[r].type, true, x) == most - u;
		}
		CHECK(good, "%s are numbered from the least up", gs_key_name(rows[r].type));
		CHECK(reverse_good, "%s are numbered from the largest in reverse",
		      gs_key_name(rows[r].type));
	}
}

/* --- there and back --------------------------------------------------------------- */

static void
check_round_trip(enum gsort_type type, bool reverse)
{
	/* All patterns of 8 and 16 bits; of more, as many as the threads like to share. */
	const unsigned bits = gs_key_bits(type);
	const size_t count = bits == 8 ? 256 : bits == 16 ? 65536 : 200003;
	const size_t bytes = count * (bits / 8);
	unsigned char *keys = malloc(bytes), *before = malloc(bytes);
	uint64_t state = 1;

	for (size_t i = 0; i < count; i++) {
		state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
		switch (bits) {
		case 8:  before[i] = (unsigned char)i; break;
		case 16: ((uint16_t *)(void *)before)[i] = (uint16_t)i; break;
		case 32: ((uint32_t *)(void *)before)[i] = (uint32_t)(state >> 32); break;
		default: ((uint64_t *)(void *)before)[i] = state ^ state >> 33; break;
		}
	}
	memcpy(keys, before, bytes);
	gs_raw_to_ordered(type, GSORT_ENDIAN_HOST, reverse, keys, count, 3);
	CHECK((memcmp(keys, before, bytes) == 0) ==
	      (!reverse && (type == GSORT_U8 || type == GSORT_U16 || type == GSORT_U32 ||
	                    type == GSORT_U64)),
	      "%s: only unsigned keys are ordered bits as they are", gs_key_name(type));
	gs_ordered_to_raw(type, GSORT_ENDIAN_HOST, reverse, keys, count, 3);
	CHECK(memcmp(keys, before, bytes) == 0, "%s come back with every bit%s", gs_key_name(type),
	      reverse ? " in reverse" : "");
	free(keys);
	free(before);
}

/* Loops of all vectors map keys to the bits of the plain loop, and back; some keys fill no vector. */
static void
check_levels(enum gsort_type type, bool reverse, enum gsort_endian endian)
{
	enum { KEYS = 500 + 7 };
	uint64_t before[KEYS], plain[KEYS], keys[KEYS], state = 3;
	const enum gs_simd best = gs_simd_best();
	const size_t bytes = KEYS * (gs_key_bits(type) / 8);

	for (size_t i = 0; i < KEYS; i++) {
		state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
		before[i] = state ^ state >> 33;
	}
	gs_simd_at_most(GS_SIMD_NONE);
	memcpy(plain, before, bytes);
	gs_raw_to_ordered(type, endian, reverse, plain, KEYS, 1);
	for (unsigned simd = GS_SIMD_NONE; simd <= best; simd++) {
		gs_simd_at_most((enum gs_simd)simd);
		memcpy(keys, before, bytes);
		gs_raw_to_ordered(type, endian, reverse, keys, KEYS, 1);
		CHECK(memcmp(keys, plain, bytes) == 0, "%s, %s: ordered bits of the plain loop%s",
		      gs_simd_name((enum gs_simd)simd), gs_key_name(type), reverse ? " in reverse" : "");
		gs_ordered_to_raw(type, endian, reverse, keys, KEYS, 1);
		CHECK(memcmp(keys, before, bytes) == 0, "%s, %s: and back%s",
		      gs_simd_name((enum gs_simd)simd), gs_key_name(type), reverse ? " in reverse" : "");
	}
	gs_simd_at_most(GS_SIMD_AVX512);
}

/* The bytes of a key in the other order are the same key, in and out. */
static void
check_endian(enum gsort_type type, bool reverse)
{
	const unsigned bytes = gs_key_bits(type) / 8;
	const size_t counts[] = { 1, 7, 100003 };	/* the last for several threads */

	for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
		const size_t size = counts[c] * bytes;
		unsigned char *big = malloc(size), *little = malloc(size), *before = malloc(size);

		for (size_t i = 0; i < size; i++) {
			const size_t key = i / bytes, byte = i % bytes;

			before[i] = big[i] = (unsigned char)(key * 131 + byte * 77 + key / 251);
			little[key * bytes + (bytes - 1 - byte)] = big[i];
		}
		gs_raw_to_ordered(type, GSORT_ENDIAN_BIG, reverse, big, counts[c], 3);
		gs_raw_to_ordered(type, GSORT_ENDIAN_LITTLE, reverse, little, counts[c], 3);
		CHECK(memcmp(big, little, size) == 0, "%zu %s are read the same in both byte orders%s",
		      counts[c], gs_key_name(type), reverse ? " in reverse" : "");
		gs_ordered_to_raw(type, GSORT_ENDIAN_BIG, reverse, big, counts[c], 3);
		CHECK(memcmp(big, before, size) == 0, "and written, as big");
		gs_ordered_to_raw(type, GSORT_ENDIAN_LITTLE, reverse, little, counts[c], 3);
		gs_raw_to_ordered(type, GSORT_ENDIAN_BIG, reverse, big, counts[c], 3);
		gs_ordered_to_raw(type, GSORT_ENDIAN_LITTLE, reverse, big, counts[c], 3);
		CHECK(memcmp(big, little, size) == 0, "and as little");
		free(big);
		free(little);
		free(before);
	}
}

/* --- names, widths, messages -------------------------------------------------------- */

static void
check_names(void)
{
	static const struct {
		enum gsort_type type;
		const char     *name;
		unsigned        bits;
	} rows[] = {
		{ GSORT_TEXT, "text", 0 }, { GSORT_U8, "u8", 8 }, { GSORT_I8, "i8", 8 },
		{ GSORT_U16, "u16", 16 }, { GSORT_I16, "i16", 16 }, { GSORT_U32, "u32", 32 },
		{ GSORT_I32, "i32", 32 }, { GSORT_U64, "u64", 64 }, { GSORT_I64, "i64", 64 },
		{ GSORT_F32, "f32", 32 }, { GSORT_F64, "f64", 64 },
	};

	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
		CHECK(strcmp(gs_key_name(rows[r].type), rows[r].name) == 0 &&
		      gs_key_bits(rows[r].type) == rows[r].bits,
		      "%s keys have %u bits", rows[r].name, rows[r].bits);
	CHECK(gs_raw_partial(GSORT_U32, "a.bin", 1003) == GS_EINPUT &&
	      strcmp(gs_message(), "a.bin: 1003 bytes is not a multiple of 4 (3 trailing bytes): "
	             "not a file of u32") == 0, "a partial key is reported: %s", gs_message());
	CHECK(gs_raw_partial(GSORT_I16, "-", 7) == GS_EINPUT &&
	      strcmp(gs_message(), "-: 7 bytes is not a multiple of 2 (1 trailing byte): "
	             "not a file of i16") == 0, "in the singular, too: %s", gs_message());
}

void
unit_key(void)
{
	check_names();
	check_integers();
	check_floats(GSORT_F16, f16s);
	check_floats(GSORT_BF16, bf16s);
	check_floats(GSORT_F32, f32s);
	check_floats(GSORT_F64, f64s);
	for (int type = GSORT_U8; type <= GSORT_F64; type++) {
		check_round_trip((enum gsort_type)type, false);
		check_round_trip((enum gsort_type)type, true);
		check_endian((enum gsort_type)type, false);
		check_endian((enum gsort_type)type, true);
	}
	for (int type = GSORT_U8; type <= GSORT_BF16; type++)
		for (unsigned way = 0; way < 4; way++)
			check_levels((enum gsort_type)type, way & 1,
			             way & 2 ? GSORT_ENDIAN_BIG : GSORT_ENDIAN_LITTLE);
}
