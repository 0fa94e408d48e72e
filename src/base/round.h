// SPDX-License-Identifier: BSD-2-Clause
/* round.h - sizes rounded up, to lines of cache, blocks or pages; kept within limits, and compared */
#ifndef GS_ROUND_H
#define GS_ROUND_H

#include <stddef.h>
#include <stdint.h>

/** The least multiple of STEP, a power of two, that is at least N. */
static inline size_t
gs_round_up(size_t n, size_t step)
{
	return (n + step - 1) & ~(step - 1);
}

static inline uint64_t
gs_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/** For qsort(3) of uint64_t. */
static inline int
gs_compare_u64(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/** VALUE, or the limit that it passes; LOW, if that is above HIGH and VALUE below it. */
static inline uint64_t
gs_within(uint64_t low, uint64_t value, uint64_t high)
{
	return value < low ? low : gs_least(value, high);
}

#endif
