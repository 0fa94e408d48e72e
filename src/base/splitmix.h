// SPDX-License-Identifier: BSD-2-Clause
/* splitmix.h - bits that are mixed: numbers that look random, and a digest of bytes */
#ifndef GS_SPLITMIX_H
#define GS_SPLITMIX_H

#include <stddef.h>
#include <stdint.h>

/* ---- SplitMix64 ------------------------------------------------------------------ */

/* G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", 2014.  Every function is a
 * bijection of 64 bits. */

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

/* ---- FNV-1a (G. Fowler, L. Noll, P. Vo), which is the same on any machine ------ */

#define GS_FNV_BEGIN	UINT64_C(0xcbf29ce484222325)	/* the digest of nothing */

/** The digest of the bytes of SUM, and DATA behind them. */
static inline uint64_t
gs_fnv_add(uint64_t sum, const void *data, size_t bytes)
{
	const unsigned char *at = data;

	for (size_t i = 0; i < bytes; i++)
		sum = (sum ^ at[i]) * UINT64_C(0x100000001b3);
	return sum;
}

#endif
