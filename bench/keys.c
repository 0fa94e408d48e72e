// SPDX-License-Identifier: BSD-2-Clause
/* keys.c - make keys in host memory, and check that a sort loses none */
#include "config.h"

#include <string.h>

#include "bench/keys.h"

const char *const keys_shapes[] = {
#define SHAPE(constant, name) name,
	SHAPES_OF_KEYS
#undef SHAPE
	NULL
};

int
keys_shape_named(const char *name)
{
	for (int shape = 0; shape < SHAPES; shape++)
		if (strcmp(keys_shapes[shape], name) == 0)
			return shape;
	return strcmp(name, "all") == 0 ? (int)SHAPES : -1;
}

static uint64_t
key_at(const void *keys, unsigned bits, size_t at)
{
	return bits == 32 ? ((const uint32_t *)keys)[at] : ((const uint64_t *)keys)[at];
}

static void
key_put(void *keys, unsigned bits, size_t at, uint64_t key)
{
	if (bits == 32)
		((uint32_t *)keys)[at] = (uint32_t)key;
	else
		((uint64_t *)keys)[at] = key;
}

void
keys_fill(void *keys, unsigned bits, size_t count, unsigned shape, uint64_t seed)
{
#pragma omp parallel for schedule(static)
	for (size_t at = 0; at < count; at++)
		key_put(keys, bits, at, key_of(shape, bits, at, count, seed));
}

void
keys_fill_sorted(void *keys, unsigned bits, size_t count, uint64_t seed)
{
	/* the distance of neighbours: as wide as the key allows, so that seeds interleave */
	const uint64_t step = (bits == 32 ? UINT32_MAX : UINT64_MAX) / (count + 1);

#pragma omp parallel for schedule(static)
	for (size_t at = 0; at < count; at++)
		key_put(keys, bits, at,
		        step < 3 ? (uint64_t)((double)at / (double)count * UINT32_MAX) :
		        at * step + random_at(seed, at) % 3 * (step / 3));
}

uint64_t
keys_digest(const void *keys, unsigned bits, size_t count)
{
	uint64_t sum = 0;

#pragma omp parallel for schedule(static) reduction(+ : sum)
	for (size_t at = 0; at < count; at++)
		sum += random_at(key_at(keys, bits, at), 1);
	return sum;
}

bool
keys_ascend(const void *keys, unsigned bits, size_t count)
{
	uint64_t falls = 0;

#pragma omp parallel for schedule(static) reduction(+ : falls)
	for (size_t at = 1; at < count; at++)
		falls += key_at(keys, bits, at - 1) > key_at(keys, bits, at);
	return falls == 0;
}
