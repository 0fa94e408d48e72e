// SPDX-License-Identifier: BSD-2-Clause
/*
 * splitmix.h - SplitMix64: numbers that look random, and bits that are mixed
 *
 * G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", 2014.  Every function
 * is a bijection of 64 bits.
 */
#ifndef GS_SPLITMIX_H
#define GS_SPLITMIX_H

#include <stdint.h>

#define GS_GOLDEN	UINT64_C(0x9e3779b97f4a7c15)	/* 2^64 divided by the golden ratio */

/** The finalizer: each bit of Z changes half of all bits. */
static inline uint64_t
gs_splitmix(uint64_t z)
{
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/** The next number of the sequence that begins with a seed in *STATE. */
static inline uint64_t
gs_splitmix_next(uint64_t *state)
{
	*state += GS_GOLDEN;
	return gs_splitmix(*state);
}

#endif
