// SPDX-License-Identifier: BSD-2-Clause
/*
 * bitonic.cuh - the network inside a thread
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
 * Each thread works for itself, on keys in its registers: every index below is a
 * constant once loops are unrolled, or keys would go to memory.
 */
#ifndef GS_THREAD_BITONIC_CUH
#define GS_THREAD_BITONIC_CUH

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

/* Of a word<BITS> or wide<BITS>. */
template <template <unsigned> class Word, unsigned BITS> static __device__ __forceinline__ void
exchange(Word<BITS> *low, Word<BITS> *high)
{
	exchange(&low->bits, &high->bits);
}

template <unsigned BITS> static __device__ __forceinline__ void
exchange(pair<BITS> *low, pair<BITS> *high)
{
	const uint32_t a = low->bits, b = high->bits;

	low->bits  = __vminu2(a, b);
	high->bits = __vmaxu2(a, b);
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

/* Merge two sorted halves of SIZE keys, STRIDE apart: Batcher's odd-even merge. */
template <unsigned SIZE, unsigned STRIDE, class Key> static __device__ __forceinline__ void
thread_merge(Key *x)
{
	if constexpr (2 * STRIDE < SIZE) {
		thread_merge<SIZE, 2 * STRIDE>(x);
		thread_merge<SIZE, 2 * STRIDE>(x + STRIDE);
#pragma unroll
		for (unsigned i = STRIDE; i + STRIDE < SIZE; i += 2 * STRIDE)
			exchange(&x[i], &x[i + STRIDE]);
	} else {
		exchange(&x[0], &x[STRIDE]);
	}
}

/*
 * Sort SIZE keys of one thread, by odd-even merges: 191 comparators for 32 keys, where bitonic
 * merges take 240.  Between threads the bitonic merge is better: all its stages are alike.
 */
template <unsigned SIZE, class Key> static __device__ __forceinline__ void
thread_sort(Key *x)
{
	if constexpr (SIZE > 1) {
		thread_sort<SIZE / 2>(x);
		thread_sort<SIZE / 2>(x + SIZE / 2);
		thread_merge<SIZE, 1>(x);
	}
}

#endif
