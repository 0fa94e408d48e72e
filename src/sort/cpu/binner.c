// SPDX-License-Identifier: BSD-2-Clause
/* binner.c - the map from a key to its bin */
#include <assert.h>

#include "sort/cpu/binner.h"

/* The bin of a key from least to most: as bins.inc does it. */
static unsigned
bin_of(const struct gs_binner *binner, uint64_t key)
{
	const uint64_t above = key - binner->least;

	return (unsigned)((above << binner->left >> binner->right) * binner->scale >> GS_BIN_SHIFT);
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
