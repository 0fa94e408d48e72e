// SPDX-License-Identifier: BSD-2-Clause
/* pairs.h - keys with payloads in device memory: made, sorted by CUB, checked */
#ifndef GS_BENCH_PAIRS_H
#define GS_BENCH_PAIRS_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

#include "bench/device/cub.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Unsigned keys of BITS, 32 or 64, with payloads of VALUE_BITS, 32 or 64; those of equal keys in order? */
struct pairs_kind {
	unsigned bits, value_bits;
	bool     stable;
};

/** Make payloads: 0, 1, 2, ... */
cudaError_t pairs_fill(void *values, struct pairs_kind kind, size_t count);

/**
 * Check pairs that are sorted, and whose payloads were made by pairs_fill(): does each key come from
 * where its payload says in SOURCE, is each payload there, do keys ascend?
 */
cudaError_t pairs_check(const void *keys, const void *values, const void *source,
                        struct pairs_kind kind, size_t count, bool *right);

/** cub::DeviceRadixSort::SortPairs, WHICH of its calls, between two arrays of each; SCRATCH NULL: asks
 *  for the bytes.  KEYS[0] and VALUES[0] are where the results are afterwards. */
cudaError_t pairs_cub(enum cub_which which, void *keys[2], void *values[2], struct pairs_kind kind,
                      size_t count, void *scratch, size_t *scratch_bytes, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
