// SPDX-License-Identifier: BSD-2-Clause
/* quicksort.c - rows for src/sort/cpu/: every kind of vectors that this processor has */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sort/cpu/quicksort.h"
#include "sort/span.h"
#include "tests/unit/shapes.h"
#include "tests/unit/units.h"

void unit_quicksort(void);

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
		gs_key_put(arrays->input, bits, i, arrays->expect[i]);
	}
	qsort(arrays->expect, count, sizeof *arrays->expect, units_compare);
}

/* @exact  tell the sort the least and the largest key, not only those of the type */
static void
check(const struct arrays *arrays, unsigned bits, unsigned shape, size_t count, bool exact)
{
	const uint64_t least = exact && count > 0 ? arrays->expect[0] : 0;
	const uint64_t most = exact && count > 0 ? arrays->expect[count - 1]
	                                         : UINT64_MAX >> (64 - bits);

	for (int simd = GS_SIMD_NONE; simd <= (int)gs_simd_best(); simd++) {
		size_t at = 0;

		memcpy(arrays->scratch, arrays->input, count * (bits / 8));
		gs_quicksort(gs_simd_kernels((enum gs_simd)simd, bits), arrays->keys, arrays->scratch,
		             count, least, most);
		while (at < count && arrays->expect[at] == gs_key_at(arrays->keys, bits, at))
			at++;
		CHECK(at == count, "%zu times u%u, %s, are sorted by %s: not at %zu", count, bits,
		      shapes[shape].name, gs_simd_name((enum gs_simd)simd), at);
	}
}

static void
check_shapes(struct arrays *arrays, size_t count)
{
	for (unsigned bits = 32; bits <= 64; bits += 32)
		for (unsigned shape = 0; shape < SHAPES; shape++) {
			make(arrays, bits, shape, count);
			check(arrays, bits, shape, count, false);
			check(arrays, bits, shape, count, true);
		}
}

/* --- partition -------------------------------------------------------------------- */

/* Into a gap that is longer than the keys, in two calls: what is around the gap stays. */
static void
check_partition(enum gs_simd simd, unsigned bits, size_t count, size_t beyond)
{
	enum { MARGIN = 3 };
	const struct gs_simd_kernels *kernels = gs_simd_kernels(simd, bits);
	const uint64_t most = UINT64_MAX >> (64 - bits), pivot = most / 3, mark = 0x55;
	const size_t room = count + beyond, all = room + 2 * MARGIN;
	uint64_t *from = malloc((count + 1) * 8), *to = malloc(all * 8);
	size_t low = MARGIN, high = MARGIN + room, lows = 0;
	bool good = true;

	for (size_t i = 0; i < all; i++)
		gs_key_put(to, bits, i, mark);
	for (size_t i = 0; i < count; i++) {
		gs_key_put(from, bits, i, units_mix(i) & most);
		lows += (units_mix(i) & most) <= pivot;
	}
	kernels->partition(to, &low, &high, from, count / 2, pivot);
	kernels->partition(to, &low, &high, (char *)from + count / 2 * (bits / 8), count - count / 2,
	                   pivot);
	good &= low == MARGIN + lows && high == MARGIN + room - (count - lows);
	for (size_t i = 0; i < MARGIN; i++)
		good &= gs_key_at(to, bits, i) == mark && gs_key_at(to, bits, all - 1 - i) == mark;
	for (size_t i = MARGIN; i < low; i++)
		good &= gs_key_at(to, bits, i) <= pivot;
	for (size_t i = high; i < MARGIN + room; i++)
		good &= gs_key_at(to, bits, i) > pivot;
	CHECK(good, "%zu times u%u are partitioned by %s into a gap with %zu to spare", count, bits,
	      gs_simd_name(simd), beyond);
	free(from);
	free(to);
}

/* --- range and bins --------------------------------------------------------------- */

/* What binner.h says, in long double. */
static void
check_bins(enum gs_simd simd, unsigned bits, uint64_t least, uint64_t most, unsigned bins)
{
	enum { KEYS = 1003 };
	const struct gs_simd_kernels *kernels = gs_simd_kernels(simd, bits);
	const struct gs_binner binner = gs_binner_make(least, most, bins);
	const long double width = (long double)(most - least) / bins;
	uint64_t sorted[KEYS], keys[KEYS], low = UINT64_MAX >> (64 - bits), high = 0;
	uint16_t found[KEYS];
	unsigned wrong = 0;

	for (size_t i = 0; i < KEYS; i++)
		sorted[i] = i % 3 == 0 ? units_mix(i) >> (64 - bits)
		                       : least + (uint64_t)((long double)(most - least) * (long double)i / KEYS);
	sorted[0] = least;
	sorted[1] = most;
	qsort(sorted, KEYS, sizeof *sorted, units_compare);
	for (size_t i = 0; i < KEYS; i++)
		gs_key_put(keys, bits, i, sorted[i]);
	kernels->bins(&binner, keys, KEYS, found);
	for (size_t i = 0; i < KEYS; i++) {
		const uint64_t key = sorted[i] < least ? least : sorted[i] > most ? most : sorted[i];
		const long double bin = (long double)(key - least) / width;

		wrong += found[i] >= bins || (i > 0 && found[i] < found[i - 1]);
		/* One bin less or more, where a key is near a bound. */
		wrong += (long double)found[i] > bin + 0.01L || (long double)found[i] < bin - 1.01L;
		wrong += (key == least && found[i] != 0) || (key == most && found[i] != bins - 1);
	}
	CHECK(wrong == 0, "u%u from %llu to %llu are divided into %u bins by %s: %u are wrong", bits,
	      (unsigned long long)least, (unsigned long long)most, bins, gs_simd_name(simd), wrong);
	kernels->range(keys, KEYS, &low, &high);
	CHECK(low == sorted[0] && high == sorted[KEYS - 1], "their range is found by %s",
	      gs_simd_name(simd));
	low = sorted[0] / 2;
	high = sorted[KEYS - 1];
	kernels->range((char *)keys + bits / 8, 7, &low, &high);
	CHECK(low == sorted[0] / 2 && high == sorted[KEYS - 1], "a range never becomes narrower");
}

static void
check_all_bins(enum gs_simd simd)
{
	static const unsigned bins[] = { 16, 256, 2048, GS_BINS_MOST };

	for (unsigned bits = 32; bits <= 64; bits += 32) {
		const uint64_t end = UINT64_MAX >> (64 - bits);

		for (unsigned b = 0; b < sizeof bins / sizeof bins[0]; b++) {
			check_bins(simd, bits, 0, end, bins[b]);
			check_bins(simd, bits, end - 1, end, bins[b]);
			check_bins(simd, bits, 5, end / 3, bins[b]);
			check_bins(simd, bits, end / 7, end / 7 + 1000, bins[b]);
			check_bins(simd, bits, 1u << 31, UINT32_MAX, bins[b]);
		}
	}
}

void
unit_quicksort(void)
{
	/* Around blocks, leaves (2^11 u64, 2^12 u32) and the cache. */
	static const size_t sizes[] = {
		1535, 2047, 2048, 2049, 3000, 4095, 4096, 4097, 5000, 8191, 8192, 8193, 20000,
		65535, 65536, 65537, 131073, (1 << 19) + 4321,
	};
	const size_t most = (1 << 19) + 4321;
	char *memory = malloc(4 * (most * 8 + 8));
	struct arrays arrays = { .expect = (uint64_t *)(void *)memory };

	arrays.input = memory + (most + 1) * 8;
	arrays.keys = memory + (most + 1) * 16;
	arrays.scratch = memory + (most + 1) * 24;
	for (size_t count = 0; count <= 1100; count += count < 300 ? 1 : 7)
		for (unsigned bits = 32; bits <= 64; bits += 32) {
			make(&arrays, bits, SHAPE_UNIFORM, count);
			check(&arrays, bits, SHAPE_UNIFORM, count, false);
		}
	for (size_t count = 1; count < 600; count += 73)
		check_shapes(&arrays, count);
	for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
		check_shapes(&arrays, sizes[s]);
	free(memory);
	for (int simd = GS_SIMD_NONE; simd <= (int)gs_simd_best(); simd++) {
		check_all_bins((enum gs_simd)simd);
		for (unsigned bits = 32; bits <= 64; bits += 32)
			for (size_t count = 0; count < 200; count += 1 + count / 5)
				for (size_t beyond = 0; beyond < 40; beyond += 7)
					check_partition((enum gs_simd)simd, bits, count, beyond);
	}
}
