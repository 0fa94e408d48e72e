// SPDX-License-Identifier: BSD-2-Clause
/* keys.c - make keys, and tell whether a sort has lost any */
#include "config.h"

#include "bench/bench.h"

const char *const keys_shapes[] = {
	"uniform", "sorted", "reversed", "equal", "few", "organ", "normal", "zipf", "clusters",
	"floats", NULL
};

enum { UNIFORM, SORTED, REVERSED, EQUAL, FEW, ORGAN, NORMAL, ZIPF, CLUSTERS, FLOATS };

/* Number AT of the sequence that SEED begins (Vigna, "splitmix64"). */
static uint64_t
random_at(uint64_t seed, uint64_t at)
{
	uint64_t z = seed + (at + 1) * UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* The ordered bits of a random float from 0 to 1: half of all keys share an exponent. */
static uint64_t
float_bits(unsigned bits, uint64_t r)
{
	union { double d; uint64_t u; } wide = { .d = (double)(r >> 11) * 0x1p-53 };
	union { float f; uint32_t u; } narrow = { .f = (float)(r >> 40) * 0x1p-24f };

	return bits == 32 ? narrow.u | UINT32_C(1) << 31 : wide.u | UINT64_C(1) << 63;
}

static uint64_t
key_of(unsigned shape, unsigned bits, uint64_t at, uint64_t count, uint64_t seed)
{
	const uint64_t r = random_at(seed, at), top = r >> (64 - bits);

	switch (shape) {
	/* the mean of four: a bell, four deviations wide on either side */
	case NORMAL:   return (top >> 2) + (random_at(seed + 1, at) >> (66 - bits)) +
	                      (random_at(seed + 2, at) >> (66 - bits)) +
	                      (random_at(seed + 3, at) >> (66 - bits));
	/* as many keys from 2^k to 2^(k+1) for every k: what Zipf's law with exponent 1 says */
	case ZIPF:     return top >> random_at(seed + 1, at) % bits;
	case CLUSTERS: return (random_at(seed, r % 64) >> (64 - bits)) + (r >> 6 & 0xffff);
	case FLOATS:   return float_bits(bits, r);
	case SORTED:   return at;
	case REVERSED: return count - at;
	case EQUAL:    return 42;
	case FEW:      return r >> 60 << 20;
	case ORGAN:    return at < count / 2 ? at : count - at;
	default:       return r;
	}
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
