// SPDX-License-Identifier: BSD-2-Clause
/*
 * quicksort.c - sort keys that fit a cache, from one array into another, in one thread
 *
 * In:   keys between two bounds.
 * Out:  the same keys in order, in the other array.
 *
 * Keys are divided into bins of about a leaf, if they are even enough (distribution.h).  Else each
 * level partitions a subarray from one array to the same place in the other, about the median of
 * a sample.  Leaves are sorted by a bitonic network into the array where they belong.  If PATIENCE
 * levels did not suffice, the pivot is the middle of the bounds, so that no keys take more than
 * PATIENCE + key_bits levels.
 *
 * Invariant: the bounds of both halves of a subarray are narrower than its own, whatever the pivot.
 */
#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "sort/cpu/distribution.h"
#include "sort/cpu/quicksort.h"
#include "sort/span.h"

/* Levels about a sampled pivot.  Uniform keys need 11 from 32 MiB to a leaf. */
enum { PATIENCE = 24 };

/* What a division into bins counts: so there are at most three within each other, whose tables are on
 * the stack. */
enum { DISTRIBUTION = 8 };

struct subarray {
	char  *from;	/* its keys */
	char  *other;	/* the same place in the other array */
	size_t count;
	bool   home;	/* its keys belong where they are */
};

uint64_t
gs_sample_pivot(const struct gs_simd_kernels *kernels, void *sample, size_t count, uint64_t most)
{
	uint64_t pivot;

	assert(count > 0 && count <= GS_SAMPLE_KEYS);
	kernels->sort_leaf(sample, sample, count);
	pivot = gs_key_at(sample, kernels->key_bits, count / 2);
	return pivot < most ? pivot : most - 1;
}

static uint64_t
pivot_of(const struct gs_simd_kernels *kernels, const struct subarray *keys, uint64_t most)
{
	const size_t step = keys->count / GS_SAMPLE_KEYS;
	uint64_t sample[GS_SAMPLE_KEYS];

	for (unsigned s = 0; s < GS_SAMPLE_KEYS; s++)
		gs_key_put(sample, kernels->key_bits, s,
		           gs_key_at(keys->from, kernels->key_bits, s * step + step / 2));
	return gs_sample_pivot(kernels, sample, GS_SAMPLE_KEYS, most);
}

static void sort(const struct gs_simd_kernels *kernels, const struct subarray *keys,
                 uint64_t least, uint64_t most, unsigned patience);

/* Divide KEYS into bins, and sort each of them; false: they are too uneven. */
static __attribute__((noinline)) bool
distribute(const struct gs_simd_kernels *kernels, const struct subarray *keys, uint64_t least,
           uint64_t most, unsigned patience)
{
	const size_t key_bytes = kernels->key_bits / 8, step = keys->count / GS_DISTRIBUTION_SAMPLE;
	struct gs_distribution distribution;
	uint64_t sample[GS_DISTRIBUTION_SAMPLE];
	size_t at = 0;

	for (unsigned s = 0; s < GS_DISTRIBUTION_SAMPLE; s++)
		gs_key_put(sample, kernels->key_bits, s,
		           gs_key_at(keys->from, kernels->key_bits, s * step + step / 2));
	if (!gs_distribution_choose(&distribution, kernels, sample, GS_DISTRIBUTION_SAMPLE, keys->count))
		return false;
	gs_distribution_count(&distribution, keys->from, keys->count, NULL);
	gs_distribution_place(&distribution);
	gs_distribution_scatter(&distribution, keys->other, keys->from, keys->count, NULL);
	for (unsigned b = 0; b < distribution.binner.bins; b++) {
		const size_t end = distribution.end[b];
		const struct subarray bin = { keys->other + at * key_bytes, keys->from + at * key_bytes,
		                              end - at, !keys->home };

		sort(kernels, &bin, least, most, patience);
		at = end;
	}
	return true;
}

static void
sort(const struct gs_simd_kernels *kernels, const struct subarray *keys, uint64_t least,
     uint64_t most, unsigned patience)
{
	const size_t key_bytes = kernels->key_bits / 8, count = keys->count;
	char *home = keys->home ? keys->from : keys->other;
	struct subarray half = { keys->other, keys->from, 0, !keys->home };
	size_t low = 0, high = count;
	uint64_t pivot;

	if (count <= kernels->leaf_keys) {
		kernels->sort_leaf(home, keys->from, count);
		return;
	}
	if (least == most) {
		if (!keys->home)
			memcpy(home, keys->from, count * key_bytes);
		return;
	}
	if (patience >= DISTRIBUTION && distribute(kernels, keys, least, most, patience - DISTRIBUTION))
		return;
	pivot = patience > 0 ? pivot_of(kernels, keys, most) : least + (most - least) / 2;
	assert(least <= pivot && pivot < most);
	kernels->partition(keys->other, &low, &high, keys->from, count, pivot);
	patience -= patience > 0;
	half.count = low;
	sort(kernels, &half, least, pivot, patience);
	half.from += low * key_bytes;
	half.other += low * key_bytes;
	half.count = count - low;
	sort(kernels, &half, pivot + 1, most, patience);
}

void
gs_quicksort(const struct gs_simd_kernels *kernels, void *into, void *from, size_t count,
             uint64_t least, uint64_t most)
{
	sort(kernels, &(struct subarray){ from, into, count, false }, least, most, PATIENCE);
}
