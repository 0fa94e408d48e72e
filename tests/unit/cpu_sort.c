// SPDX-License-Identifier: BSD-2-Clause
/* cpu_sort.c - rows for src/sort/cpu/cpu_sort.c: every vector this processor has */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sort/cpu/cpu_sort.h"
#include "tests/unit/units.h"

void unit_cpu_sort(void);

/* Key I of N; 32-bit keys are the upper halves. */
static uint64_t uniform(uint64_t i, uint64_t n)  { (void)n; return units_mix(i); }
static uint64_t sorted(uint64_t i, uint64_t n)   { return UINT64_MAX / n * i; }
static uint64_t reversed(uint64_t i, uint64_t n) { return UINT64_MAX / n * (n - 1 - i); }
static uint64_t equal(uint64_t i, uint64_t n)    { (void)i; (void)n; return units_mix(42); }
static uint64_t zeros(uint64_t i, uint64_t n)    { (void)i; (void)n; return 0; }
static uint64_t ones(uint64_t i, uint64_t n)     { (void)i; (void)n; return UINT64_MAX; }
static uint64_t few(uint64_t i, uint64_t n)      { (void)n; return units_mix(units_mix(i) % 5); }
static uint64_t organ(uint64_t i, uint64_t n)
{
	return UINT64_MAX / n * (i < n / 2 ? i : n - i);
}
static uint64_t saw(uint64_t i, uint64_t n)      { (void)n; return (i % 300) << 50; }
static uint64_t ends(uint64_t i, uint64_t n)     { (void)n; return units_mix(i) % 2 ? UINT64_MAX : 0; }
static uint64_t swapped(uint64_t i, uint64_t n)
{
	return sorted(i == n / 2 ? n - 1 : i == n - 1 ? n / 2 : i, n);
}
/* As many keys near each power of two: most of the range holds few of them. */
static uint64_t powers(uint64_t i, uint64_t n)   { (void)n; return units_mix(i) >> (units_mix(~i) % 64); }
/* Each level of a partition by value can only split off the few outermost keys. */
static uint64_t nested(uint64_t i, uint64_t n)
{
	(void)n;
	return (UINT64_C(1) << (units_mix(i) % 64)) + units_mix(~i) % 3;
}
static uint64_t outlier(uint64_t i, uint64_t n)
{
	return i == n / 2 ? UINT64_MAX : (units_mix(i) % 1000) << 32 | units_mix(i) % 7;
}
/* Half of the keys are one value, which no pivot can divide. */
static uint64_t heavy(uint64_t i, uint64_t n)
{
	return units_mix(i) % 2 ? UINT64_MAX / 3 : units_mix(n + i);
}
static uint64_t zipf(uint64_t i, uint64_t n)     { return UINT64_MAX / (1 + units_mix(i) % n); }

static const struct {
	const char *name;
	uint64_t  (*key)(uint64_t i, uint64_t n);
} shapes[] = {
	{ "any keys", uniform }, { "ascending keys", sorted }, { "descending keys", reversed },
	{ "equal keys", equal }, { "zeros", zeros }, { "largest keys", ones },
	{ "five different keys", few }, { "an organ pipe", organ }, { "a saw", saw },
	{ "zeros and largest keys", ends }, { "two ascending keys swapped", swapped },
	{ "keys near powers of two", powers }, { "nested clusters", nested },
	{ "one outlier", outlier }, { "half of the keys equal", heavy }, { "1/x", zipf },
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

struct arrays {
	uint64_t *expect;	/* sorted by the C library, of any width */
	void     *input;	/* the same keys before */
	void     *keys, *scratch;
};

static void
make(struct arrays *arrays, unsigned bits, unsigned shape, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const uint64_t key = shapes[shape].key(i, count);

		arrays->expect[i] = bits == 32 ? key >> 32 : key;
		if (bits == 32)
			((uint32_t *)arrays->input)[i] = (uint32_t)(key >> 32);
		else
			((uint64_t *)arrays->input)[i] = key;
	}
	qsort(arrays->expect, count, sizeof *arrays->expect, units_compare);
}

static void
check(const struct arrays *arrays, unsigned bits, unsigned shape, size_t count, unsigned threads)
{
	for (int simd = GS_SIMD_NONE; simd <= (int)gs_simd_best(); simd++) {
		size_t at = 0;

		memcpy(arrays->keys, arrays->input, count * (bits / 8));
		gs_cpu_sort_with((enum gs_simd)simd, arrays->keys, arrays->scratch, bits, count,
		                 threads);
		while (at < count && arrays->expect[at] ==
		       (bits == 32 ? ((uint32_t *)arrays->keys)[at] : ((uint64_t *)arrays->keys)[at]))
			at++;
		CHECK(at == count, "%zu times u%u, %s, are sorted by %s with %u threads: not at %zu",
		      count, bits, shapes[shape].name, gs_simd_name((enum gs_simd)simd), threads, at);
	}
}

static void
check_shapes(struct arrays *arrays, size_t count, unsigned least_threads, unsigned most_threads)
{
	for (unsigned bits = 32; bits <= 64; bits += 32)
		for (unsigned shape = 0; shape < SHAPES; shape++) {
			make(arrays, bits, shape, count);
			for (unsigned threads = least_threads; threads <= most_threads; threads++)
				check(arrays, bits, shape, count, threads);
		}
}

void
unit_cpu_sort(void)
{
	/* Around blocks, leaves (2^11 u64, 2^12 u32), bins, teams and the cache. */
	static const size_t sizes[] = {
		1535, 2047, 2048, 2049, 3000, 4095, 4096, 4097, 5000, 8191, 8192, 8193, 20000,
		65535, 65536, 65537, 131073,
	};
	const size_t most = (1 << 19) + 4321;
	char *memory = malloc(4 * (most * 8 + 8));
	struct arrays arrays = { .expect = (uint64_t *)(void *)memory };

	arrays.input = memory + (most + 1) * 8;
	arrays.keys = memory + (most + 1) * 16;
	arrays.scratch = memory + (most + 1) * 24;
	for (size_t count = 0; count <= 1100; count += count < 300 ? 1 : 7) {
		make(&arrays, 32, 0, count);
		check(&arrays, 32, 0, count, 1);
		make(&arrays, 64, 0, count);
		check(&arrays, 64, 0, count, 1);
	}
	for (size_t count = 1; count < 600; count += 73)
		check_shapes(&arrays, count, 1, 1);
	for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
		check_shapes(&arrays, sizes[s], 1, sizes[s] < 60000 ? 1 : 3);
	check_shapes(&arrays, most, 3, 3);
	free(memory);
}
