// SPDX-License-Identifier: BSD-2-Clause
/* cub.h - NVIDIA's sorts, for comparison; never part of gsort */
#ifndef GS_BENCH_CUB_H
#define GS_BENCH_CUB_H

#include "bench/device/device_keys.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Tuned: with the best of its published settings (measured at commit 277a465), for less than 2^32 keys. */
enum cub_which { CUB_RADIX, CUB_TUNED, CUB_MERGE };

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
