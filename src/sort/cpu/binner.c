// SPDX-License-Identifier: BSD-2-Clause
/* binner.c - the map from a key to its bin: its constants */
#include <assert.h>

#include "sort/cpu/binner.h"

struct gs_binner
gs_binner_make(uint64_t least, uint64_t most, unsigned bins)
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
