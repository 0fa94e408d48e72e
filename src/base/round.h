// SPDX-License-Identifier: BSD-2-Clause
/* round.h - sizes rounded up, to lines of cache, blocks or pages */
#ifndef GS_ROUND_H
#define GS_ROUND_H

#include <stddef.h>

/** The least multiple of STEP, a power of two, that is at least N. */
static inline size_t
gs_round_up(size_t n, size_t step)
{
	return (n + step - 1) & ~(step - 1);
}

#endif
