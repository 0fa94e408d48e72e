// SPDX-License-Identifier: BSD-2-Clause
/* bench.h - what the parts of gsort-bench share */
#ifndef GS_BENCH_H
#define GS_BENCH_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Distributions of keys, by name; the last name is NULL. */
extern const char *const keys_shapes[];

/** Make COUNT keys; the same SEED makes the same keys. */
void keys_fill(void *keys, unsigned bits, size_t count, unsigned shape, uint64_t seed);

/** Make COUNT keys that ascend, about every third twice. */
void keys_fill_sorted(void *keys, unsigned bits, size_t count, uint64_t seed);

/** Which keys, whatever their order: a sum of hashes. */
uint64_t keys_digest(const void *keys, unsigned bits, size_t count);

bool keys_ascend(const void *keys, unsigned bits, size_t count);

/** End the program unless ERROR is cudaSuccess. */
void must(cudaError_t error, const char *doing);

/** Host memory, or the end of the program. */
void *must_malloc(size_t bytes);

/** Say that an option's VALUE is wrong; returns the exit status, 2. */
int bad_usage(const char *what, const char *value);

/** "1000", or "2^28"; 0 if TEXT is neither. */
size_t number(const char *text);

/** Sort and merge at awkward sizes, with BIG ones beyond 2^32 keys too; how many were wrong. */
unsigned check_all(bool big);

#endif
