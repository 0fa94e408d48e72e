// SPDX-License-Identifier: BSD-2-Clause
/*
 * splitters.cuh - the bin of a key by a search among splitters
 *
 * In:   splitters that never fall, a power of two of them; the first one is not looked at.
 * Out:  a key's bucket: how many splitters after the first are not above it.
 *
 * The search has no branches: a load, a comparison and an addition a step.  Splitters are kept
 * in as many copies as shared memory has banks, so each lane searches in a bank of its own (u64: two
 * lanes in two); or if they are many, in half as many.  P. Sanders, S. Winkel, "Super Scalar
 * Sample Sort", ESA 2004.
 */
#ifndef GS_SPLITTERS_CUH
#define GS_SPLITTERS_CUH

#include "kernels/thread/digit.cuh"
#include "kernels/thread/rows.cuh"
#include "kernels/tune.h"

#ifndef GS_BUCKET_BITS
#define GS_BUCKET_BITS	8	/* the emulator has fewer, so that buckets are large */
#endif

enum {
	BUCKETS     = 1 << GS_BUCKET_BITS,	/* of many keys */
	FEW_BUCKETS = 2 * BUCKETS,		/* of few keys */
	SEARCHES    = 8,	/* keys of a thread that are searched for at once */
};

/* Shared memory of a block: ROWS rows (a power of two) of one splitter, in COPIES. */
template <class Key, unsigned ROWS, unsigned COPIES = 128 / sizeof(Key)> struct splitters {
	enum { ROW = COPIES * sizeof(Key), BYTES = ROWS * ROW };
	/* with this many bins a tile's runs are short: see tile_write() */
	static const bool SHORT_RUNS = ROW < 128;
	const Key *rows;

	__device__ __forceinline__ Key
	at(unsigned row) const
	{
		return rows[row * COPIES];
	}
};

/* Fill MEMORY with what GET(row) returns; ends without a barrier. */
template <class Search, class Key, class Get> static __device__ __forceinline__ Search
splitters_load(Key *memory, Get get)
{
	enum { EACH = 16 / sizeof(Key), LOADS = Search::ROW / 16 };

	for (unsigned at = threadIdx.x; at < Search::BYTES / 16; at += blockDim.x) {
		const Key splitter = get(at / LOADS);
		pack<Key> copies;

#pragma unroll
		for (unsigned c = 0; c < EACH; c++)
			copies.at[c] = splitter;
		((pack<Key> *)memory)[at] = copies;
	}
	return Search{ memory };
}

/* The bins of MANY rows of each thread. */
template <unsigned MANY, class Row, class Key, unsigned ROWS, unsigned COPIES>
static __device__ __forceinline__ void
splitters_find(const splitters<Key, ROWS, COPIES> &s, const Row *x, uint32_t *bins)
{
	enum { ROW = splitters<Key, ROWS, COPIES>::ROW };
	const char *rows = (const char *)s.rows;
	const uint32_t lane = threadIdx.x % COPIES * (uint32_t)sizeof(Key);

#pragma unroll
	for (unsigned i = 0; i < MANY; i++)	/* offsets in bytes save an instruction a step */
		bins[i] = lane;
#pragma unroll
	for (unsigned half = ROWS / 2; half > 0; half /= 2)
#pragma unroll
		for (unsigned i = 0; i < MANY; i++)
			if (key_of(x[i]) >= *(const Key *)(rows + half * ROW + bins[i]))
				bins[i] += half * ROW;
#pragma unroll
	for (unsigned i = 0; i < MANY; i++)
		bins[i] /= ROW;
}

#endif
