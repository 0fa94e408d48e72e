// SPDX-License-Identifier: BSD-2-Clause
/* simd.h - which vector instructions this processor has, and how it likes keys to be scattered */
#ifndef GS_SIMD_H
#define GS_SIMD_H

#include <stdbool.h>

enum gs_simd { GS_SIMD_NONE, GS_SIMD_AVX2, GS_SIMD_AVX512 };

/** The widest vectors that processor and kernel support; found out once. */
enum gs_simd gs_simd_best(void);
/** For tests: from now on gs_simd_best() returns no more than MOST. */
void gs_simd_at_most(enum gs_simd most);
const char *gs_simd_name(enum gs_simd simd);

/**
 * Shall a line of cache be fetched before a key is scattered to it?  Intel's processors write to one line
 * after the other, if these are not in the first-level cache; AMD's to several at once.  gsort_sort() of u32
 * 2^27, one thread, Xeon of the H200 host: 1092 ms without, 787 with it, and buckets of 512 KiB; on an EPYC
 * 9004 a partition takes 10 to 20 % longer with it.
 */
bool gs_simd_fetches_first(void);
/** For tests: from now on gs_simd_fetches_first() is FETCHES. */
void gs_simd_set_fetches_first(bool fetches);

#endif
