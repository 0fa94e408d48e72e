// SPDX-License-Identifier: BSD-2-Clause
/* must.h - calls that end the benchmark if they fail */
#ifndef GS_BENCH_MUST_H
#define GS_BENCH_MUST_H

#include <cuda_runtime_api.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Unless ERROR is cudaSuccess, print what the program was DOING and exit with status 1. */
void must(cudaError_t error, const char *doing);

/** Host memory; exits with status 1 if it is short. */
void *must_malloc(size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
