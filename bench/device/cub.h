// SPDX-License-Identifier: BSD-2-Clause
/* cub.h - NVIDIA's sorts, for comparison; never part of gsort */
#ifndef GS_BENCH_CUB_H
#define GS_BENCH_CUB_H

#include <stdint.h>

#include "bench/device/device_keys.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Ways to call CUB's sorts.  The radix sort is called with a DoubleBuffer, or from one array into
 * another; with offsets of 32 bits (counts of type int and uint32_t: one instance) or of 64 (size_t).
 * Which is the fastest depends on the type and the count.  Tuned: with the best of its published
 * settings (measured at commit 277a465), of CUB 3.0.  Those with 32 bits take less than 2^32 keys.
 */
enum cub_which {
	CUB_BUFFER_32, CUB_BUFFER_64, CUB_INTO_32, CUB_INTO_64, CUB_TUNED,
	CUB_RADIXES, CUB_MERGE = CUB_RADIXES,
};

/** May WHICH sort COUNT keys? */
bool cub_takes(enum cub_which which, size_t count);

/** Scratch for COUNT keys of KIND. */
cudaError_t cub_scratch_bytes(enum cub_which which, unsigned bits, enum key_kind kind,
                              size_t count, size_t *bytes);

/** Sort COUNT keys of KIND in *KEYS, with *OTHER as room; afterwards *KEYS is where they are. */
cudaError_t cub_sort(enum cub_which which, void **keys, void **other, unsigned bits,
                     enum key_kind kind, size_t count, void *scratch, size_t scratch_bytes,
                     cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
