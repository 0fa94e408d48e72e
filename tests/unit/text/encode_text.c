// SPDX-License-Identifier: BSD-2-Clause
/* encode_text.c - sorted keys become the lines that printf would make */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/simd.h"
#include "tests/unit/units.h"
#include "text/encode.h"
#include "text/text.h"

enum { GUARD_BYTES = 64 };

static const struct {
	const char *name;
	bool     wide;
	uint64_t first, last;		/* keys of the class */
	uint64_t bias;			/* value = key - bias */
} classes[GS_TEXT_CLASSES] = {
	[GS_NEG_WIDE]   = { "-2^63 .. -2^31-1", true, 0,
	                    (UINT64_C(1) << 63) - (UINT64_C(1) << 31) - 1, UINT64_C(1) << 63 },
	[GS_NEG_NARROW] = { "-2^31 .. -2^15-1", false, 0, (UINT64_C(1) << 31) - 32769,
	                    UINT64_C(1) << 31 },
	[GS_SMALL]      = { "-2^15 .. 2^16-1", false, 0, 98303, 32768 },
	[GS_POS_NARROW] = { "2^16 .. 2^32-1", false, 65536, UINT32_MAX, 0 },
	[GS_POS_WIDE]   = { "2^32 .. 2^64-1", true, UINT64_C(1) << 32, UINT64_MAX, 0 },
};

static int
compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* What the encoder should print. */
static size_t
print_plainly(unsigned class, const uint64_t *keys, size_t count, char *into)
{
	char *next = into;

	for (size_t k = 0; k < count; k++) {
		uint64_t value = keys[k] - classes[class].bias;

		if (class <= GS_NEG_NARROW || (class == GS_SMALL && keys[k] < 32768))
			next += sprintf(next, "%" PRId64 "\n", (int64_t)value);
		else
			next += sprintf(next, "%" PRIu64 "\n", value);
	}
	return (size_t)(next - into);
}

/* The same KEYS (ascending values), both ways, and both directions. */
static bool
agrees(unsigned class, bool reverse, uint64_t *keys, size_t count)
{
	char *plain = malloc(count * 24 + 1), *fast = malloc(count * 24 + GUARD_BYTES);
	void *given = calloc(count + 1, 8);
	size_t plain_bytes, bytes;
	bool holds = true;

	for (size_t k = 0; reverse && k < count / 2; k++) {
		uint64_t other = keys[count - 1 - k];

		keys[count - 1 - k] = keys[k];
		keys[k] = other;
	}
	for (size_t k = 0; k < count; k++)
		if (classes[class].wide)
			((uint64_t *)given)[k] = reverse ? ~keys[k] : keys[k];
		else
			((uint32_t *)given)[k] = (uint32_t)(reverse ? ~keys[k] : keys[k]);
	plain_bytes = print_plainly(class, keys, count, plain);
	for (enum gs_simd simd = GS_SIMD_NONE; simd <= gs_simd_best() && holds; simd++) {
		const struct gs_integers source = {
			.keys = given, .bits = gs_text_bits(class), .bias = classes[class].bias,
			.flip = reverse ? UINT64_MAX : 0, .terminator = '\n', .threads = simd + 1,
		};

		memset(fast, '#', plain_bytes + GUARD_BYTES);
		gs_simd_at_most(simd);
		bytes = gs_integers_print(&source, count, fast);
		gs_simd_at_most(GS_SIMD_AVX512);
		holds = bytes == plain_bytes && memcmp(plain, fast, bytes) == 0;
		for (size_t g = 0; g < GUARD_BYTES; g++)
			holds = holds && fast[plain_bytes + g] == '#';
	}
	free(plain);
	free(fast);
	free(given);
	return holds;
}

static uint64_t
next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* COUNT keys; half of them few bits away from the end where numbers are short. */
static void
make_keys(unsigned class, uint64_t *keys, size_t count)
{
	const uint64_t low = classes[class].first, size = classes[class].last - low;
	uint64_t state = 88172645463325252;

	for (size_t k = 0; k < count; k++) {
		uint64_t draw = next_random(&state);
		uint64_t off = next_random(&state) & 1 ? draw >> draw % 61 : draw;

		off = size == UINT64_MAX ? off : off % (size + 1);
		keys[k] = class <= GS_NEG_NARROW ? classes[class].last - off : low + off;
	}
	qsort(keys, count, sizeof *keys, compare);
}

static void
check_random(void)
{
	static const size_t counts[] = { 0, 1, 2, 3, 7, 8, 9, 100, 8191, 8192, 8193, 50000 };
	uint64_t *keys = malloc(50000 * sizeof *keys);

	for (unsigned class = 0; class < GS_TEXT_CLASSES; class++)
		for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
			for (unsigned reverse = 0; reverse < 2; reverse++) {
				make_keys(class, keys, counts[c]);
				CHECK(agrees(class, reverse, keys, counts[c]),
				      "%zu numbers of %s print as printf does%s", counts[c],
				      classes[class].name, reverse ? ", reversed" : "");
			}
	free(keys);
}

/* Each power of ten and its neighbours, and the ends of the class. */
static void
check_edges(void)
{
	for (unsigned class = 0; class < GS_TEXT_CLASSES; class++) {
		uint64_t keys[128], power = 1;
		size_t count = 0;

		keys[count++] = classes[class].first;
		keys[count++] = classes[class].last;
		for (unsigned p = 0; p < 20; p++, power *= 10)
			for (unsigned d = 0; d < 6; d++) {
				uint64_t number = power - 1 + d % 3;
				uint64_t key = d < 3 ? classes[class].bias + number
				                     : classes[class].bias - number;

				if (key >= classes[class].first && key <= classes[class].last)
					keys[count++] = key;
			}
		qsort(keys, count, sizeof *keys, compare);
		CHECK(agrees(class, false, keys, count) && agrees(class, true, keys, count),
		      "powers of ten within %s print as printf does", classes[class].name);
	}
}

/* Numbers beside multiples of what they are divided by, many of each length. */
static void
check_multiples(void)
{
	static const uint64_t units[] = {
		100, 10000, 100000000, 1000000000000, 1000000000000000, 10000000000000000,
	};
	enum { KEYS = 5000 };
	uint64_t *keys = malloc(KEYS * sizeof *keys);

	for (unsigned class = 0; class < GS_TEXT_CLASSES; class++)
		for (unsigned u = 0; u < sizeof units / sizeof units[0]; u++) {
			size_t count = 0;

			for (uint64_t k = 0; k < KEYS * 8 && count < KEYS; k++) {
				const uint64_t number = (units_mix(k) >> k % 64) / units[u] * units[u] +
				                        k % 3 - 1;
				const uint64_t key = class <= GS_NEG_NARROW ?
				                     classes[class].bias - number :
				                     classes[class].bias + number;

				if (key >= classes[class].first && key <= classes[class].last)
					keys[count++] = key;
			}
			qsort(keys, count, sizeof *keys, compare);
			CHECK(agrees(class, u % 2 == 1, keys, count),
			      "%zu numbers beside multiples of %" PRIu64 " in %s print as printf does",
			      count, units[u], classes[class].name);
		}
	free(keys);
}

static void
check_all_small(void)
{
	uint64_t *keys = malloc(GS_SMALL_COUNT * sizeof *keys);

	for (size_t k = 0; k < GS_SMALL_COUNT; k++)
		keys[k] = k;
	CHECK(agrees(GS_SMALL, false, keys, GS_SMALL_COUNT), "every small number prints right");
	CHECK(agrees(GS_SMALL, true, keys, GS_SMALL_COUNT), "and from the last to the first");
	free(keys);
}

void unit_encode_text(void);

void
unit_encode_text(void)
{
	check_random();
	check_edges();
	check_multiples();
	check_all_small();
}
