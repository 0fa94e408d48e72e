// SPDX-License-Identifier: BSD-2-Clause
/* shapes.h - how keys are made, a formula for each distribution, here and on the device */
#ifndef GS_BENCH_SHAPES_H
#define GS_BENCH_SHAPES_H

#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define HERE_AND_THERE	static __host__ __device__ inline
#else
#define HERE_AND_THERE	static inline
#endif

enum shape { UNIFORM, SORTED, REVERSED, EQUAL, FEW, ORGAN, NORMAL, ZIPF, CLUSTERS, FLOATS };

/* Number AT of the sequence that SEED begins (Vigna, "splitmix64"). */
HERE_AND_THERE uint64_t
random_at(uint64_t seed, uint64_t at)
{
	uint64_t z = seed + (at + 1) * UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* The ordered bits of a random float from 0 to 1: half of all keys share an exponent. */
HERE_AND_THERE uint64_t
float_bits(unsigned bits, uint64_t r)
{
	const double wide = (double)(r >> 11) * (1.0 / 9007199254740992.0);	/* 2^53 */
	const float narrow = (float)(r >> 40) * (1.0f / 16777216.0f);
	uint64_t wide_bits;
	uint32_t narrow_bits;

	memcpy(&wide_bits, &wide, sizeof wide);
	memcpy(&narrow_bits, &narrow, sizeof narrow);
	return bits == 32 ? narrow_bits | UINT32_C(1) << 31 : wide_bits | UINT64_C(1) << 63;
}

/* Key AT of COUNT, as ordered bits. */
HERE_AND_THERE uint64_t
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

#endif
