// SPDX-License-Identifier: BSD-2-Clause
/* cpu_sort.h - sort ordered bits in memory, on the CPU */
#ifndef GS_CPU_CPU_SORT_H
#define GS_CPU_CPU_SORT_H

#include <stddef.h>

#include "base/simd.h"

/**
 * Sort COUNT keys of BITS (32 or 64), ascending; the result is in KEYS.
 *
 * @simd     gs_simd_best() or less
 * @scratch  as large as KEYS; contents are lost.  Untouched if one leaf does.
 *
 * Time: O(count x bits / 8) for any input, plus the leaves.
 */
void gs_cpu_sort_with(enum gs_simd simd, void *keys, void *scratch, unsigned bits, size_t count,
                      unsigned threads);

#endif
