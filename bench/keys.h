// SPDX-License-Identifier: BSD-2-Clause
/* keys.h - make keys in host memory, and check that a sort loses none */
#ifndef GS_BENCH_KEYS_H
#define GS_BENCH_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/shapes.h"

/* For qsort(3). */
static inline int
keys_compare32(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static inline int
keys_compare64(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The shapes' names, in the order of enum shape; then a NULL. */
extern const char *const keys_shapes[];

/** The shape of this NAME; SHAPES for "all", or -1 if there is none. */
int keys_shape_named(const char *name);

/** Make COUNT keys of BITS, 32 or 64; the same SEED makes the same keys. */
void keys_fill(void *keys, unsigned bits, size_t count, unsigned shape, uint64_t seed);

/** Make COUNT keys that ascend, about every third twice. */
void keys_fill_sorted(void *keys, unsigned bits, size_t count, uint64_t seed);

/** A sum of hashes: the same for the same keys in any order. */
uint64_t keys_digest(const void *keys, unsigned bits, size_t count);

bool keys_ascend(const void *keys, unsigned bits, size_t count);

#endif
