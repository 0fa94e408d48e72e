// SPDX-License-Identifier: BSD-2-Clause
/* call.h - the calls of gsort_cuda.h beside the kernels that they run, and CUB */
#ifndef GS_BENCH_CALL_H
#define GS_BENCH_CALL_H

#include "bench/device/compare.h"

/** Time gsort_cuda_sort() for WHAT; the harness is open and has the keys. */
void call_compare(const struct comparison *what);

/** Time gsort_cuda_sort_pairs() for the same unsigned keys with payloads of 32 and of 64 bits, and check
 *  its results. */
void call_compare_pairs(const struct comparison *what);

/** Check the calls: all types, directions and payloads; BIG: also beyond 2^31 keys.  Returns how many
 *  results were wrong. */
unsigned call_check(bool big);

#endif
