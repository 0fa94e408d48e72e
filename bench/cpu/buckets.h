// SPDX-License-Identifier: BSD-2-Clause
/* buckets.h - sort an array by the buckets that a job uses, for gsort-bench-cpu */
#ifndef GS_BENCH_CPU_BUCKETS_H
#define GS_BENCH_CPU_BUCKETS_H

#include <stddef.h>

#include "base/simd.h"

/**
 * Sort COUNT KEYS of BITS to OUT with THREADS threads.
 *
 * @spent  seconds for adding keys to buckets, settling these, and sorting the parts
 */
void buckets_sort(unsigned bits, const char *keys, char *out, size_t count, unsigned threads,
                  enum gs_simd simd, double spent[3]);

#endif
