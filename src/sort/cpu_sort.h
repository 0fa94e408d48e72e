// SPDX-License-Identifier: BSD-2-Clause
/* cpu_sort.h - sort ordered bits in memory, on the CPU */
#ifndef GS_CPU_SORT_H
#define GS_CPU_SORT_H

#include <stddef.h>

/* How the leaves are sorted; chosen at run time. */
enum gs_simd { GS_SIMD_NONE, GS_SIMD_AVX2, GS_SIMD_AVX512 };

/** The best this processor can do. */
enum gs_simd gs_simd_best(void);
const char *gs_simd_name(enum gs_simd simd);

/**
 * Sort COUNT keys of BITS (32 or 64), ascending; the result is in KEYS.
 *
 * @scratch  as large as KEYS; contents are lost.  Untouched if one leaf does.
 *
 * Time: O(count x bits / 8) for any input, plus the leaves.
 */
void gs_cpu_sort(void *keys, void *scratch, unsigned bits, size_t count, unsigned threads);

/** The same with leaves of SIMD, gs_simd_best() or less: for tests and measurements. */
void gs_cpu_sort_with(enum gs_simd simd, void *keys, void *scratch, unsigned bits, size_t count,
                      unsigned threads);

#endif
