// SPDX-License-Identifier: BSD-2-Clause
/*
 * splitters.cuh - the bin of a key by a search among splitters
 *
 * In:   256 splitters, which never fall; the first is 0.
 * Out:  a key's bucket: how many splitters after the first are not above it.
 *
 * The search has no branches: a load, a comparison and an addition a step.  Splitters are kept
 * as many times as shared memory has banks, so each lane searches in a bank of its own (u64: two
 * lanes in two).  P. Sanders, S. Winkel, "Super Scalar Sample Sort", ESA 2004.
 *
 * A bucket may be divided further, evenly by its range; then its bins begin at FIRST.
 */
#ifndef GS_SPLITTERS_CUH
#define GS_SPLITTERS_CUH

#include "kernels/thread/digit.cuh"

#ifndef GS_BUCKET_BITS
#define GS_BUCKET_BITS	8	/* the emulator has fewer, so that buckets are large */
#endif

enum {
	BUCKETS          = 1 << GS_BUCKET_BITS,
	SPLITTER_ROW     = 128,		/* bytes: a word for each bank */
	SPLITTERS_BYTES  = BUCKETS * SPLITTER_ROW,
	SEARCHES         = 8,		/* keys of a thread that are searched for at once */
};

/* Of a digit in a bucket, all but its lowest key: a struct digits in 16 bytes. */
struct alignas(16) refinement {
	uint32_t base, scale, shift, first;	/* shift: negative if digits are whole */
};

static __device__ __forceinline__ refinement
refinement_of(const digits &d, uint32_t first)
{
	return refinement{ d.base, d.scale, d.whole != 0 ? ~d.shift : d.shift, first };
}

template <class Key> static __device__ __forceinline__ uint32_t
refined_bin(const refinement &r, Key key)
{
	const bool whole = (int32_t)r.shift < 0;
	const uint32_t shift = whole ? ~r.shift : r.shift;
	const uint32_t x = digit_position(shift, r.base, key);

	return r.first + (whole ? x : __umulhi(x, r.scale));
}

/* Shared memory of a block: rows of splitters, and refinements, or NULL. */
template <class Key> struct splitters {
	enum { COPIES = SPLITTER_ROW / sizeof(Key) };
	const Key        *rows;
	const refinement *refinements;
};

/* 16 bytes of keys. */
template <class Key> struct alignas(16) load {
	Key at[16 / sizeof(Key)];
};

/* Fill MEMORY, SPLITTERS_BYTES of it, from device memory; ends without a barrier. */
template <class Key> static __device__ __forceinline__ void
splitters_load(void *memory, const Key *from)
{
	enum { EACH = 16 / sizeof(Key), LOADS = SPLITTER_ROW / 16 };

	for (unsigned at = threadIdx.x; at < BUCKETS * LOADS; at += blockDim.x) {
		const Key splitter = from[at / LOADS];
		load<Key> copies;

#pragma unroll
		for (unsigned c = 0; c < EACH; c++)
			copies.at[c] = splitter;
		((load<Key> *)memory)[at] = copies;
	}
}

/* The bins of MANY keys of each thread. */
template <unsigned MANY, class Key> static __device__ __forceinline__ void
splitters_find(const splitters<Key> &s, const Key *keys, uint32_t *bins)
{
	const char *rows = (const char *)s.rows;
	const uint32_t lane = threadIdx.x % splitters<Key>::COPIES * (uint32_t)sizeof(Key);

#pragma unroll
	for (unsigned i = 0; i < MANY; i++)	/* offsets in bytes save an instruction a step */
		bins[i] = lane;
#pragma unroll
	for (unsigned half = BUCKETS / 2; half > 0; half /= 2)
#pragma unroll
		for (unsigned i = 0; i < MANY; i++)
			if (keys[i] >= *(const Key *)(rows + half * SPLITTER_ROW + bins[i]))
				bins[i] += half * SPLITTER_ROW;
#pragma unroll
	for (unsigned i = 0; i < MANY; i++) {
		bins[i] /= SPLITTER_ROW;
		if (s.refinements != NULL)
			bins[i] = refined_bin(s.refinements[bins[i]], keys[i]);
	}
}

template <class Key> static __device__ __forceinline__ uint32_t
digit_of(const splitters<Key> &s, Key key)
{
	uint32_t bin;

	splitters_find<1>(s, &key, &bin);
	return bin;
}

#endif
