// SPDX-License-Identifier: BSD-2-Clause
/* tile_merge.h - merge sorted runs in device memory, for the ladder */
#ifndef TILE_MERGE_H
#define TILE_MERGE_H

#include <cuda_runtime_api.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Scratch for gs_tile_merge() of up to COUNT keys in all, 8 byte aligned: about a
 *  byte for every 1000 (u32) or 500 (u64) keys. */
size_t gs_tile_merge_scratch_bytes(unsigned bits, size_t count);

/**
 * Merge two sorted runs: A_COUNT keys at A and B_COUNT at B to OUT, which
 * overlaps neither.  If a count is 0 it is a copy.  Runs may begin at any key; OUT at a multiple
 * of 16 bytes is faster.
 *
 * @scratch  not shared with work that may run at the same time
 *
 * Merge path (Green, McColl, Bader, "GPU Merge Path", ICS 2012).
 */
cudaError_t gs_tile_merge(void *out, const void *a, size_t a_count, const void *b, size_t b_count,
                          unsigned bits, void *scratch, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
