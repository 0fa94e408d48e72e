// SPDX-License-Identifier: BSD-2-Clause
/* device_keys.h - keys of a benchmark, made and checked in device memory */
#ifndef GS_BENCH_DEVICE_KEYS_H
#define GS_BENCH_DEVICE_KEYS_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What keys are: numbers, two's complement, IEEE 754; 32 or 64 bits each. */
enum key_kind { KEYS_UNSIGNED, KEYS_SIGNED, KEYS_FLOAT };

struct keys_verdict {
	unsigned long long falls, digest;	/* keys below the one before; as keys_digest() */
};

/** As keys_fill(). */
cudaError_t device_keys_fill(void *keys, unsigned bits, size_t count, unsigned shape,
                             uint64_t seed);

/** Count keys below the one before them, in each run of RUN_KEYS, and add up the digest. */
cudaError_t device_keys_check(const void *keys, unsigned bits, size_t count, size_t run_keys,
                              struct keys_verdict *verdict);

/** Turn COUNT keys of KIND into ordered bits, or back; in order on STREAM. */
cudaError_t device_keys_map(void *keys, unsigned bits, enum key_kind kind, bool back, size_t count,
                            cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
