// SPDX-License-Identifier: BSD-2-Clause
/* quicksort.h - sort keys that fit a cache, into another array or in place, in one thread */
#ifndef GS_CPU_QUICKSORT_H
#define GS_CPU_QUICKSORT_H

#include <stddef.h>
#include <stdint.h>

#include "sort/cpu/simd_kernels.h"

/* Keys in a sample: their median misses the middle of all keys by 6 % (one standard deviation). */
enum { GS_SAMPLE_KEYS = 64 };

/**
 * Choose the key to partition at: the median of a sample, but less than MOST.
 *
 * @sample  1 to GS_SAMPLE_KEYS keys, which it sorts
 */
uint64_t gs_sample_pivot(const struct gs_simd_kernels *kernels, void *sample, size_t count,
                         uint64_t most);

/**
 * Sort COUNT keys at FROM into INTO, where there is room for as many; FROM's contents are lost.
 *
 * @least, most  no key is less, none is greater
 *
 * Time: O(count x key_bits) for any keys, O(count x log(count)) for most.
 */
void gs_quicksort(const struct gs_simd_kernels *kernels, void *into, void *from, size_t count,
                  uint64_t least, uint64_t most);

/** Sort COUNT keys where they are, with SCRATCH, where there is room for as many. */
void gs_quicksort_in_place(const struct gs_simd_kernels *kernels, void *keys, void *scratch, size_t count);

#endif
