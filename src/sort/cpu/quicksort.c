// SPDX-License-Identifier: BSD-2-Clause
/*
 * quicksort.c - sort keys that fit a cache, into another array or in place, in one thread
 *
 * In:   keys between two bounds.
 * Out:  the same keys in order, in the other array or in the same one.
 *
 * Keys of few values are counted.  Others are divided into bins of about a leaf, if they are even enough
 * (distribution.c).  Else each level partitions a subarray from one array to the same place in the other,
 * about the median of a sample.  Leaves are sorted by a bitonic network into the array where they belong.
 * If PATIENCE levels did not suffice, the pivot is the middle of the bounds, so that no keys take more than
 * PATIENCE + key_bits levels.
 *
 * Invariant: the bounds of both halves of a subarray are narrower than its own, whatever the pivot.
 */
#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "sort/cpu/quicksort.h"
#include "sort/keys.h"
#include "sort/span.h"

/* Levels about a sampled pivot.  Uniform keys need 11 from 32 MiB to a leaf. */
enum { PATIENCE = 24 };

/* What a division into bins counts: so there are at most three within each other, whose tables are on
 * the stack. */
enum { DISTRIBUTION = 8 };

/* Keys of a sample, and of one for a leaf; values that are worth counting: 16 take as long as three
 * levels. */
enum { SAMPLE_KEYS = GS_DISTRIBUTION_SAMPLE, LEAF_SAMPLE_KEYS = 32, TALLY_VALUES = 16 };

/* More bytes are copied before they are divided, so that bins are sorted in place: 2^20 u32, EPYC 9004, 3.0
 * ns a key, and 3.8 from one array to the other, which misses the cache once more. */
enum { CACHE_BYTES = 1 << 20 };

struct subarray {
	char  *from;	/* its keys */
	char  *other;	/* the same place in the other array */
	size_t count;
	bool   home;	/* its keys belong where they are */
};

static uint64_t
median(const struct gs_simd_kernels *kernels, const void *sample, size_t count, uint64_t most)
{
	const uint64_t pivot = gs_key_at(sample, kernels->key_bits, count / 2);

	return pivot < most ? pivot : most - 1;
}

uint64_t
gs_sample_pivot(const struct gs_simd_kernels *kernels, void *sample, size_t count, uint64_t most)
{
	assert(count > 0 && count <= GS_SAMPLE_KEYS);
	kernels->sort_leaf(sample, sample, count);
	return median(kernels, sample, count, most);
}

static char *
home_of(const struct subarray *keys)
{
	return keys->home ? keys->from : keys->other;
}

/* Draw COUNT of KEYS, and sort them. */
static void
draw(const struct gs_simd_kernels *kernels, const struct subarray *keys, void *sample, size_t count)
{
	const size_t step = keys->count / count;

	for (size_t s = 0; s < count; s++)
		gs_key_put(sample, kernels->key_bits, s,
		           gs_key_at(keys->from, kernels->key_bits, s * step + step / 2));
	kernels->sort_leaf(sample, sample, count);
}

/* The values of a sorted sample; MOST + 1: there are more. */
static size_t
distinct(const struct gs_simd_kernels *kernels, const void *sample, size_t count, void *values, size_t most)
{
	const unsigned bits = kernels->key_bits;
	size_t found = 0;

	for (size_t s = 0; s < count && found <= most; s++) {
		const uint64_t value = gs_key_at(sample, bits, s);

		if (s == 0 || value != gs_key_at(sample, bits, s - 1)) {
			if (found < most)
				gs_key_put(values, bits, found, value);
			found++;
		}
	}
	return found;
}

/* Have all KEYS one of these values?  Then they are counted, and written home. */
static bool
sort_by_tally(const struct gs_simd_kernels *kernels, const struct subarray *keys, const void *values,
              size_t value_count)
{
	size_t counts[TALLY_VALUES];
	char *home = home_of(keys);

	if (!kernels->tally(keys->from, keys->count, values, value_count, counts))
		return false;
	for (size_t v = 0; v < value_count; v++) {
		gs_keys_fill(home, kernels->key_bits, gs_key_at(values, kernels->key_bits, v), counts[v]);
		home += counts[v] * (kernels->key_bits / 8);
	}
	return true;
}

static void sort(const struct gs_simd_kernels *kernels, const struct subarray *keys,
                 uint64_t least, uint64_t most, unsigned patience);

/* Divide KEYS into bins, and sort each of them; false: they are too uneven. */
static __attribute__((noinline)) bool
distribute(const struct gs_simd_kernels *kernels, const struct subarray *keys, uint64_t least,
           uint64_t most, unsigned patience, void *sample)
{
	const size_t key_bytes = kernels->key_bits / 8;
	const struct subarray copy = { keys->other, keys->from, keys->count, false };
	struct gs_distribution distribution;
	size_t at = 0;

	if (!gs_distribution_choose(&distribution, kernels, sample, SAMPLE_KEYS, keys->count))
		return false;
	if (keys->home && keys->count > CACHE_BYTES / key_bytes) {
		memcpy(copy.from, copy.other, copy.count * key_bytes);
		keys = &copy;
	}
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

/* Choose a pivot by a sample; false: KEYS are sorted in another way. */
static __attribute__((noinline)) bool
choose_pivot(const struct gs_simd_kernels *kernels, const struct subarray *keys, uint64_t least,
             uint64_t most, unsigned patience, uint64_t *pivot)
{
	const bool is_leaf = keys->count <= kernels->leaf_keys;
	const size_t count = is_leaf ? LEAF_SAMPLE_KEYS : SAMPLE_KEYS;
	uint64_t sample[SAMPLE_KEYS], values[TALLY_VALUES];
	size_t found;

	draw(kernels, keys, sample, count);
	found = distinct(kernels, sample, count, values, TALLY_VALUES);
	if (is_leaf && found > count / 2) {
		kernels->sort_leaf(home_of(keys), keys->from, keys->count);
		return false;
	}
	if (found <= TALLY_VALUES && sort_by_tally(kernels, keys, values, found))
		return false;
	if (!is_leaf && patience >= DISTRIBUTION &&
	    distribute(kernels, keys, least, most, patience - DISTRIBUTION, sample))
		return false;
	*pivot = median(kernels, sample, count, most);
	return true;
}

static void
sort(const struct gs_simd_kernels *kernels, const struct subarray *keys, uint64_t least,
     uint64_t most, unsigned patience)
{
	const size_t key_bytes = kernels->key_bits / 8, count = keys->count;
	struct subarray half = { keys->other, keys->from, 0, !keys->home };
	uint64_t pivot = least + (most - least) / 2;
	size_t low = 0, high = count;

	if (count <= (patience > 0 ? kernels->leaf_keys / 4 : kernels->leaf_keys)) {
		kernels->sort_leaf(home_of(keys), keys->from, count);
		return;
	}
	if (least == most) {
		if (!keys->home)
			memcpy(keys->other, keys->from, count * key_bytes);
		return;
	}
	if (patience > 0 && !choose_pivot(kernels, keys, least, most, patience, &pivot))
		return;
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

void
gs_quicksort_in_place(const struct gs_simd_kernels *kernels, void *keys, void *scratch, size_t count)
{
	sort(kernels, &(struct subarray){ keys, scratch, count, true }, 0,
	     UINT64_MAX >> (64 - kernels->key_bits), PATIENCE);
}
