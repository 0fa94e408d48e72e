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

/**
 * Memory for COUNT keys of BITS with payloads, beside the harness, which has the keys, and scratch for a call
 * with FLAGS; returns the name of CUB's fastest call, which run_cub_pairs() makes from now on.
 */
const char *pairs_open(unsigned bits, unsigned value_bits, size_t count, unsigned flags);
void pairs_close(void);
harness_function run_call_pairs, run_cub_pairs;

/** Check the keys and payloads that RUN makes; if they are wrong, name it and end the program. */
void pairs_check_run(const char *name, harness_function *run, size_t count);

/** Check the calls: all types, directions and payloads, rows, segments; or those of 2^31 keys and more.
 *  Returns how many results were wrong. */
unsigned call_check(void);
unsigned call_check_big(void);

/** Six threads make CALLS calls each at once, of pairs, each of another count; how many have failed? */
unsigned call_threads(unsigned calls);

#endif
