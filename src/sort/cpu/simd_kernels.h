// SPDX-License-Identifier: BSD-2-Clause
/* simd_kernels.h - what has vectors, for cpu_sort.c and buckets*.c: a row for each kind of them */
#ifndef GS_CPU_SIMD_KERNELS_H
#define GS_CPU_SIMD_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "base/simd.h"

/*
 * A leaf fits the first-level cache beside its source.  The network alone does 2^8,
 * 2^10, 2^12 keys of 32 bits at 2600, 1760, 1230 with AVX-512, 1240, 850, 600 with
 * AVX2.
 *     8 KiB   336 255 252 145
 *     32 KiB  352 265 264 151	no gain that shows, and more of the stack
 */
#define LEAF_BYTES	16384

/* How keys are divided into bins, see digits.inc. */
struct gs_binner {
	uint64_t least, most;
	unsigned left, right, bins;
	uint32_t scale;		/* fits: bins << GS_BIN_SHIFT over 2^31 at least */
};
enum { GS_BINS_MOST = 4096, GS_BIN_SHIFT = 51 };

/* Indexed by enum gs_simd. */
extern const struct gs_simd_kernels {
	void (*sort_32)(uint32_t *to, const uint32_t *from, size_t count);
	void (*sort_64)(uint64_t *to, const uint64_t *from, size_t count);
	void (*halve_32)(uint32_t *to, size_t *low, size_t *high, const uint32_t *from, size_t count,
	                 uint32_t pivot);
	void (*halve_64)(uint64_t *to, size_t *low, size_t *high, const uint64_t *from, size_t count,
	                 uint64_t pivot);
	void (*range_32)(const uint32_t *keys, size_t count, uint32_t *least, uint32_t *most);
	void (*range_64)(const uint64_t *keys, size_t count, uint64_t *least, uint64_t *most);
	/* The bin of each key, or of the nearest that has one. */
	void (*bins_32)(const struct gs_binner *digits, const uint32_t *keys, size_t count,
	                uint16_t *bins);
	void (*bins_64)(const struct gs_binner *digits, const uint64_t *keys, size_t count,
	                uint16_t *bins);
} gs_simd_kernel_sets[];

#endif
