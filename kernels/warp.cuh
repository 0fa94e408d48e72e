// SPDX-License-Identifier: BSD-2-Clause
/*
 * warp.cuh - the network inside a thread and inside a warp
 *
 * Two sorted halves become one sorted sequence of SIZE keys like this:
 *
 *     flip    i against SIZE-1-i     0 1 2 3 | 4 5 6 7      0-7 1-6 2-5 3-4
 *     halve   i against i + SIZE/4   0 1 | 2 3   4 5 | 6 7  0-2 1-3 4-6 5-7
 *     halve   ... down to neighbours                        0-1 2-3 4-5 6-7
 *
 * which is Batcher's bitonic merge with its second half read backwards.  Every
 * comparator puts the smaller key at the smaller index, so there is no direction
 * to keep track of, and the largest keys at the end of a sequence stay there.
 *
 * thread_*  each thread for itself, on keys in its registers: every index below
 *           is a constant once loops are unrolled, or keys would go to memory
 * warp_*    all 32 lanes call; lane l holds keys 32 l .. 32 l + 31 of the warp
 */
#ifndef GS_WARP_CUH
#define GS_WARP_CUH

#include <cuda_runtime.h>

#include "kernels/tune.h"

/*
 * A comparator.  u32: a minimum and a maximum, one instruction each.  u64: one
 * comparison (2 instructions), one selection (2), and the other key is what is
 * left of both (2): 6, where minimum and maximum compare twice and make 8.
 */
template <class Key> static __device__ __forceinline__ void
exchange(Key *low, Key *high)
{
	const Key a = *low, b = *high;

	*low  = a < b ? a : b;
	*high = sizeof(Key) == 8 ? a ^ b ^ *low : a < b ? b : a;
}

/* Comparator c of a stage: the index whose bit log2(half) is 0; half is a power of two. */
static __device__ __forceinline__ constexpr unsigned
lower_of(unsigned c, unsigned half)
{
	return 2 * c - (c & (half - 1));
}

/* The flip stage of each SIZE keys among COUNT. */
template <unsigned COUNT, unsigned SIZE, class Key> static __device__ __forceinline__ void
thread_flip(Key *x)
{
#pragma unroll
	for (unsigned c = 0; c < COUNT / 2; c++) {
		unsigned low = lower_of(c, SIZE / 2);

		exchange(&x[low], &x[low ^ (SIZE - 1)]);
	}
}

/* Halve stages, from SIZE keys down to LAST: thread_halve<COUNT, COUNT, 2> merges. */
template <unsigned COUNT, unsigned SIZE, unsigned LAST, class Key>
static __device__ __forceinline__ void
thread_halve(Key *x)
{
	if constexpr (SIZE >= LAST) {
#pragma unroll
		for (unsigned c = 0; c < COUNT / 2; c++) {
			unsigned low = lower_of(c, SIZE / 2);

			exchange(&x[low], &x[low + SIZE / 2]);
		}
		thread_halve<COUNT, SIZE / 2, LAST>(x);
	}
}

/* Sort each SIZE keys among a thread's. */
template <unsigned SIZE, class Key> static __device__ __forceinline__ void
thread_sort(Key *x)
{
	if constexpr (SIZE > 2)
		thread_sort<SIZE / 2>(x);
	thread_flip<THREAD_KEYS, SIZE>(x);
	thread_halve<THREAD_KEYS, SIZE / 2, 2>(x);
}

template <class Key> static __device__ __forceinline__ Key
warp_exchange(Key mine, Key theirs, bool keep_low)
{
	return (mine < theirs) == keep_low ? mine : theirs;
}

/*
 * One stage between the threads of a warp.  Lane l trades with l ^ LANES, all
 * its registers in order (halve: LANES is a power of two) or in reverse order
 * (flip: LANES is one less).  The lane whose highest bit of LANES is 0 keeps the
 * smaller keys.
 */
template <unsigned LANES, bool FLIP, class Key> static __device__ __forceinline__ void
warp_stage(Key *x)
{
	const bool keep_low = (threadIdx.x & (FLIP ? (LANES + 1) / 2 : LANES)) == 0;

#pragma unroll
	for (unsigned r = 0; r < THREAD_KEYS / 2; r++) {
		const unsigned mirror = THREAD_KEYS - 1 - r;
		Key a = __shfl_xor_sync(0xffffffffu, x[FLIP ? mirror : r], LANES);
		Key b = __shfl_xor_sync(0xffffffffu, x[FLIP ? r : mirror], LANES);

		x[r] = warp_exchange(x[r], a, keep_low);
		x[mirror] = warp_exchange(x[mirror], b, keep_low);
	}
}

/* The stages between threads of merging LANES sorted threads; LANES is 2, 4 or 8. */
template <unsigned LANES, class Key> static __device__ __forceinline__ void
warp_merge(Key *x)
{
	warp_stage<LANES - 1, true>(x);
	if constexpr (LANES >= 8)
		warp_stage<2, false>(x);
	if constexpr (LANES >= 4)
		warp_stage<1, false>(x);
}

#endif
