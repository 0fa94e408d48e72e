// SPDX-License-Identifier: BSD-2-Clause
/*
 * splitters.cuh - the bin of a key by a search among splitters
 *
 * In:   splitters, as many as a power of two, which never fall; the first one is not looked at.
 * Out:  a key's bucket: how many splitters after the first are not above it.
 *
 * The search has no branches: a load, a comparison and an addition a step.  Splitters are kept
 * as many times as shared memory has banks, so each lane searches in a bank of its own (u64: two
 * lanes in two).  P. Sanders, S. Winkel, "Super Scalar Sample Sort", ESA 2004.
 */
#ifndef GS_SPLITTERS_CUH
#define GS_SPLITTERS_CUH

#include "kernels/thread/digit.cuh"

#ifndef GS_BUCKET_BITS
#define GS_BUCKET_BITS	8	/* the emulator has fewer, so that buckets are large */
#endif

enum {
	BUCKETS      = 1 << GS_BUCKET_BITS,
	SPLITTER_ROW = 128,		/* bytes: a word for each bank */
	SEARCHES     = 8,		/* keys of a thread that are searched for at once */
};

/* Shared memory of a block: ROWS rows, a power of two, of a splitter each. */
template <class Key, unsigned ROWS> struct splitters {
	enum { COPIES = SPLITTER_ROW / sizeof(Key), BYTES = ROWS * SPLITTER_ROW };
	const Key *rows;
};

/* 16 bytes of keys. */
template <class Key> struct alignas(16) load {
	Key at[16 / sizeof(Key)];
};

/* Fill MEMORY from device memory; ends without a barrier. */
template <unsigned ROWS, class Key> static __device__ __forceinline__ splitters<Key, ROWS>
splitters_load(void *memory, const Key *from)
{
	enum { EACH = 16 / sizeof(Key), LOADS = SPLITTER_ROW / 16 };

	for (unsigned at = threadIdx.x; at < ROWS * LOADS; at += blockDim.x) {
		const Key splitter = from[at / LOADS];
		load<Key> copies;

#pragma unroll
		for (unsigned c = 0; c < EACH; c++)
			copies.at[c] = splitter;
		((load<Key> *)memory)[at] = copies;
	}
	return splitters<Key, ROWS>{ (const Key *)memory };
}

/* The bins of MANY keys of each thread. */
template <unsigned MANY, class Key, unsigned ROWS> static __device__ __forceinline__ void
splitters_find(const splitters<Key, ROWS> &s, const Key *keys, uint32_t *bins)
{
	const char *rows = (const char *)s.rows;
	const uint32_t lane = threadIdx.x % splitters<Key, ROWS>::COPIES * (uint32_t)sizeof(Key);

#pragma unroll
	for (unsigned i = 0; i < MANY; i++)	/* offsets in bytes save an instruction a step */
		bins[i] = lane;
#pragma unroll
	for (unsigned half = ROWS / 2; half > 0; half /= 2)
#pragma unroll
		for (unsigned i = 0; i < MANY; i++)
			if (keys[i] >= *(const Key *)(rows + half * SPLITTER_ROW + bins[i]))
				bins[i] += half * SPLITTER_ROW;
#pragma unroll
	for (unsigned i = 0; i < MANY; i++)
		bins[i] /= SPLITTER_ROW;
}

#endif
