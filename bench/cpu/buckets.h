// SPDX-License-Identifier: BSD-2-Clause
/* buckets.h - gsort's sort on the CPU, from memory to memory, for benchmarks */
#ifndef GS_BENCH_CPU_BUCKETS_H
#define GS_BENCH_CPU_BUCKETS_H

#include <stddef.h>

#include "base/simd.h"

/**
 * Sort COUNT keys of BITS from KEYS to OUT, which may be the same array, by buckets.  The memory
 * of the buckets is reused by later calls, so only the first call for so many keys touches new
 * pages.
 *
 * @spent  set to the seconds of adding keys, sealing, and sorting parts; or NULL
 */
void bench_buckets(unsigned bits, const void *keys, void *out, size_t count, unsigned threads,
                   enum gs_simd simd, double spent[3]);

#endif
