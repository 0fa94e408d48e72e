// SPDX-License-Identifier: BSD-2-Clause
/* keys.c - loops over an array of keys, compiled for each width and, where it pays, for vectors */
#include <assert.h>

#include "base/simd.h"
#include "sort/cpu/keys.h"

#define INLINE	static inline __attribute__((always_inline))

enum { BLOCK = 255 };	/* keys that are compared at once, whose number fits in any key; not tuned */

#define EACH_WIDTH	"sort/cpu/keys.inc"
#define NARROW_KEYS
#include "sort/each_width.inc"

INLINE bool
in_order(const void *keys, unsigned key_bits, size_t begin, size_t end, enum gs_key_order order)
{
#define IN_ORDER(width)	in_order_##width(keys, begin, end, order)
	return GS_BY_WIDTH(key_bits, IN_ORDER);
}

GS_SIMD_BEST(bool, in_order, (const void *keys, unsigned key_bits, size_t begin, size_t end,
                              enum gs_key_order order), (keys, key_bits, begin, end, order))

bool
gs_keys_in_order(const void *keys, unsigned key_bits, size_t begin, size_t end, enum gs_key_order order)
{
	assert(begin > 0);
	return in_order_best(keys, key_bits, begin, end, order);
}

void
gs_keys_fill(void *keys, unsigned key_bits, uint64_t key, size_t count)
{
#define FILL(width)	fill_##width(keys, key, count)
	GS_BY_WIDTH(key_bits, FILL);
}

/* --- groups of equal keys, and sums ------------------------------------------------ */

uint64_t
gs_scan_groups(const void *keys, unsigned key_bits, size_t count)
{
#define CHANGES(width)	changes_##width(keys, count)
	return count == 0 ? 0 : 1 + GS_BY_WIDTH(key_bits, CHANGES);
}

size_t
gs_scan_group_end(const void *keys, unsigned key_bits, size_t from, size_t count)
{
	const uint64_t key = gs_key_at(keys, key_bits, from);
	size_t step = 1, low = from;

	while (count - from > step && gs_key_at(keys, key_bits, from + step) == key) {
		low = from + step;
		step *= 2;
	}
	return gs_keys_above(keys, key_bits, low, count - from > step ? from + step : count, key);
}

size_t
gs_scan_repeated(const void *keys, unsigned key_bits, size_t from, size_t count, uint64_t times)
{
	size_t last, found;

	if (count - from <= times)
		return count;
	last = count - (size_t)times;
#define REPEATED(width)	repeated_##width(keys, from, last, (size_t)times)
	found = GS_BY_WIDTH(key_bits, REPEATED);
	return found < last ? found : count;
}

unsigned __int128
gs_scan_sum(const void *keys, unsigned key_bits, uint64_t least, size_t count)
{
	assert(count <= UINT32_MAX);
#define SUM(width)	sum_##width(keys, least, count)
	return GS_BY_WIDTH(key_bits, SUM);
}
