// SPDX-License-Identifier: BSD-2-Clause
/* binner.c - the map from a key to its bin */
#include <assert.h>
#include <float.h>
#include <math.h>

#include "sort/cpu/keys.h"
#include "sort/cpu/quicksort.h"
#include "sort/cpu/simd_kernels.h"
#include "sort/span.h"

/* The floats that have these ordered bits. */
static float
float_of(const struct gs_binner *binner, uint64_t key)
{
	const uint32_t total = (uint32_t)(key + binner->shift);
	const union { uint32_t bits; float number; } bits = {
		total >> 31 ? total ^ UINT32_C(1) << 31 : ~total
	};

	return bits.number;
}

static double
double_of(const struct gs_binner *binner, uint64_t key)
{
	const uint64_t total = key + binner->shift;
	const union { uint64_t bits; double number; } bits = {
		total >> 63 ? total ^ UINT64_C(1) << 63 : ~total
	};

	return bits.number;
}

/* The bin of a key from least to most: as bins.inc does it. */
static unsigned
bin_of(const struct gs_binner *binner, uint64_t key)
{
	const uint64_t above = key - binner->least;
	unsigned shift = 0;

	if (binner->value_bits == 32)
		return (unsigned)((float_of(binner, key) - (float)binner->value) * (float)binner->factor);
	if (binner->value_bits == 64)
		return (unsigned)((double_of(binner, key) - binner->value) * binner->factor);
	if (binner->scale > 0)
		return (unsigned)((above << binner->left >> binner->right) * binner->scale >>
		                  GS_BIN_SHIFT);
	while (above >> shift >= (uint64_t)2 << binner->mantissa_bits)
		shift++;
	return (shift << binner->mantissa_bits) + (unsigned)(above >> shift);
}

struct gs_binner
gs_binner_linear(uint64_t least, uint64_t most, unsigned bins)
{
	struct gs_binner binner = { .least = least, .most = most, .bins = bins };
	uint64_t range = most - least;

	assert(least < most && bins <= GS_BINS_MOST);
	while (range >> binner.right > UINT32_MAX)
		binner.right++;
	while (range << binner.left <= UINT32_MAX / 2)
		binner.left++;
	range = range << binner.left >> binner.right;
	binner.scale = (uint32_t)(((uint64_t)bins << GS_BIN_SHIFT) / (range + 1));
	return binner;
}

struct gs_binner
gs_binner_logarithmic(uint64_t least, uint64_t most, unsigned bins)
{
	struct gs_binner binner = { .least = least, .most = most };

	assert(least < most && bins >= 256 && bins <= GS_BINS_MOST);
	while (binner.bins <= bins && binner.mantissa_bits < 12) {
		binner.mantissa_bits++;
		binner.bins = bin_of(&binner, most) + 1;
	}
	if (binner.bins > bins)
		binner.mantissa_bits--;
	binner.bins = bin_of(&binner, most) + 1;
	assert(binner.mantissa_bits > 0 && binner.bins <= bins);
	return binner;
}

static double
number_of(const struct gs_binner *binner, uint64_t key)
{
	return binner->value_bits == 64 ? double_of(binner, key) : (double)float_of(binner, key);
}

/*
 * A factor that is a little less than bins over the range: so MOST has the last bin, whatever is rounded.
 *
 * If keys are complements, they lie where the negative float does, but the shift is the opposite: taken
 * for others, floats below 0 are four times as near to it, and floats above four times as far away.  So
 * keys of a sorted sample seem 16 times as dense below 0 as above, where others are about as dense.
 */
bool
gs_binner_by_value(struct gs_binner *binner, uint64_t least, uint64_t most, unsigned bins,
                   const void *sample, unsigned key_bits, size_t count)
{
	const unsigned fraction_bits = (key_bits == 64 ? DBL_MANT_DIG : FLT_MANT_DIG) - 1;
	const double limit = key_bits == 64 ? 0x1p1000 : 0x1p100;
	const size_t below = gs_keys_from(sample, key_bits, 0, count, UINT64_C(1) << (key_bits - 1));
	double low, high;

	*binner = (struct gs_binner){ .least = least, .most = most, .bins = bins, .value_bits = key_bits,
	                              .shift = (UINT64_C(1) << fraction_bits) - 1 };
	low = number_of(binner, gs_key_at(sample, key_bits, 0));
	high = number_of(binner, gs_key_at(sample, key_bits, count - 1));
	if (low < 0 && high > 0 && (double)below * high > 4 * (double)(count - below) * -low)
		binner->shift = -binner->shift;
	low = number_of(binner, least);
	high = number_of(binner, most);
	binner->value = low;
	binner->factor = bins * (1 - 0x1p-19) / (high - low);
	/* (A comparison with NaN is false.) */
	return bins <= GS_BINS_MOST && fabs(low) < limit && fabs(high) < limit && binner->factor < limit;
}

/* Pairs of keys of a sorted sample that share a bin, but for bins of a single key, which need no sort. */
static size_t
collisions(const struct gs_binner *binner, const struct gs_simd_kernels *kernels, const void *sample,
           size_t count)
{
	const unsigned bits = kernels->key_bits;
	uint16_t bins[GS_BINNER_SAMPLE_KEYS];
	size_t sum = 0;

	kernels->bins(binner, sample, count, bins);
	if (gs_sample_repeated(sample, bits, count) == 0)
		return gs_bins_pairs(bins, count, 0);
	for (size_t from = 0, to; from < count; from = to) {
		const uint64_t first = gs_key_at(sample, bits, from);

		for (to = from + 1; to < count && bins[to] == bins[from]; to++)
			;
		if (first < gs_key_at(sample, bits, to - 1) || first == binner->most ||
		    bin_of(binner, first + 1) == bins[from])
			sum += (to - from) * (to - from - 1) / 2;
	}
	return sum;
}

/* With this many bins a sample of 256 keys has enough pairs to tell a curve from a line; in 2,340 bins
 * random floats had 37, and would have 14 by value. */
enum { COARSE_BINS = 256 };

/* Half as many pairs as the linear one has are worth the time of another; half as many more than even keys
 * have are not a curve.  Floats are even by value more often: about a power of two the linear one has a bend
 * that no sample shows, but bins do.  f32 2^19, Xeon, 3.46 and 3.27 ns a key. */
struct gs_binner
gs_binner_choose(uint64_t least, uint64_t most, unsigned bins, const struct gs_simd_kernels *kernels,
                 const void *sample, size_t count)
{
	const unsigned coarse = bins < COARSE_BINS ? bins : COARSE_BINS;
	const struct gs_binner linear = gs_binner_linear(least, most, coarse);
	const size_t even = 3 * count * count / (4 * coarse) + 8;
	struct gs_binner other, by_value = { .bins = 0 };
	size_t fewest, found;

	assert(count <= GS_BINNER_SAMPLE_KEYS);
	if (kernels->raw.floats != 0 &&
	    gs_binner_by_value(&other, least, most, coarse, sample, kernels->key_bits, count) &&
	    collisions(&other, kernels, sample, count) <= even &&
	    gs_binner_by_value(&other, least, most, bins, sample, kernels->key_bits, count))
		return other;
	fewest = collisions(&linear, kernels, sample, count);
	if (fewest <= even)
		return gs_binner_linear(least, most, bins);
	if (gs_binner_by_value(&other, least, most, coarse, sample, kernels->key_bits, count) &&
	    (found = collisions(&other, kernels, sample, count)) < fewest / 2 &&
	    gs_binner_by_value(&other, least, most, bins, sample, kernels->key_bits, count)) {
		by_value = other;
		fewest = found;
	}
	other = bins < COARSE_BINS ? linear : gs_binner_logarithmic(least, most, COARSE_BINS);
	if (collisions(&other, kernels, sample, count) < fewest / 2)
		return gs_binner_logarithmic(least, most, bins);
	return by_value.bins > 0 ? by_value : gs_binner_linear(least, most, bins);
}

uint64_t
gs_binner_first(const struct gs_binner *binner, unsigned bin)
{
	uint64_t low = binner->least, high = binner->most;

	assert(bin < binner->bins);
	while (low < high) {
		const uint64_t middle = low + (high - low) / 2;

		if (bin_of(binner, middle) < bin)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
