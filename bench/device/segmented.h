// SPDX-License-Identifier: BSD-2-Clause
/* segmented.h - keys in segments of device memory: sorted by CUB, checked */
#ifndef GS_BENCH_SEGMENTED_H
#define GS_BENCH_SEGMENTED_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/device/device_keys.h"

#ifdef __cplusplus
extern "C" {
#endif

/* CUB's segmented sorts: one whose kernel depends on the length, and a radix sort of a block a segment;
 * with a DoubleBuffer, or from one array into another. */
enum segmented_way {
	SEGMENTED_SORT, SEGMENTED_SORT_INTO, SEGMENTED_RADIX, SEGMENTED_RADIX_INTO, SEGMENTED_WAYS,
};

/**
 * Count keys of BITS, 8, 32 or 64, below the one before them in their segment, and add up a digest of
 * keys and the numbers of their segments; segment i of MANY is from AT[i] to AT[i + 1] - 1.
 */
cudaError_t segmented_check(const void *keys, unsigned bits, const uint64_t *at, size_t many,
                            struct keys_verdict *verdict);

/** Sort COUNT unsigned keys of BITS, 32 or 64, by CUB; SCRATCH NULL: asks for the bytes.  Afterwards *KEYS
 *  is where they are. */
cudaError_t segmented_cub(enum segmented_way way, void **keys, void **other, unsigned bits, size_t count,
                          const int32_t *at, size_t many, void *scratch, size_t *bytes,
                          cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
