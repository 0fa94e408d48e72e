// SPDX-License-Identifier: BSD-2-Clause
/*
 * each.cuh - a thread for each element of an array, and a block for sums up to each
 *
 * In:   how many elements there are, and what is done with one.
 * Out:  that, done with all.
 *
 * A body is a lambda for the device.  It captures pointers and numbers, so its kernel has them as arguments.
 */
#ifndef GS_EACH_CUH
#define GS_EACH_CUH

#include "kernels/block/scan.cuh"
#include "kernels/launch.cuh"
#include "kernels/thread/rows.cuh"

enum { EACH_THREADS = 256, SCAN_THREADS = 1024 };

template <class Body> static __global__ void
__launch_bounds__(EACH_THREADS)
each_kernel(size_t count, Body body)
{
	begin_in_turn();

	const size_t i = blockIdx.x * (size_t)EACH_THREADS + threadIdx.x;

	if (i < count)
		body(i);
}

/* BODY(i) for each i below COUNT, which is not 0; EARLY as for launch(). */
template <bool EARLY = false, class Body> static cudaError_t
for_each(size_t count, cudaStream_t stream, const Body &body)
{
	return launch<EARLY>(each_kernel<Body>, (count - 1) / EACH_THREADS + 1, EACH_THREADS, stream, count,
	                     body);
}

/* Replace each of COUNT NUMBERS by what those up to it make together, in the only block; if more than MOST
 * have changed, and BROKEN is not NULL, set *BROKEN. */
template <combine HOW> static __global__ void
__launch_bounds__(SCAN_THREADS)
scan_kernel(number *numbers, size_t count, size_t most, uint32_t *broken)
{
	begin_in_turn();

	enum { EACH = 4 };
	__shared__ number shared[SCAN_THREADS / 32];
	number all = 0, changed = 0;

	for (size_t at = 0; at < count; at += EACH * SCAN_THREADS) {
		const size_t from = at + threadIdx.x * EACH;
		number x[EACH], mine = 0, upto, before, here;

#pragma unroll
		for (unsigned i = 0; i < EACH; i++) {
			x[i] = from + i < count ? numbers[from + i] : 0;
			mine = combined<HOW>(mine, x[i]);
		}
		upto = warp_upto<HOW>(mine);
		before = __shfl_up_sync(ALL_LANES, upto, 1);
		before = combined<HOW>(all, threadIdx.x % 32 > 0 ? before : 0);
		before = combined<HOW>(before, block_warps_before<SCAN_THREADS, HOW>(upto, shared, &here));
#pragma unroll
		for (unsigned i = 0; i < EACH; i++) {
			before = combined<HOW>(before, x[i]);
			if (from + i < count) {
				numbers[from + i] = before;
				changed += before != x[i];
			}
		}
		all = combined<HOW>(all, here);
		__syncthreads();
	}
	(void)block_sum_before<SCAN_THREADS>(changed, shared, &all);
	if (broken != NULL && threadIdx.x == 0 && all > most)
		*broken = 1;
}

/* Keys as words in their order. */
template <class Key> static cudaError_t
widen(uint32_t *words, const Key *keys, const key_map<Key> &map, size_t count, cudaStream_t stream)
{
	return for_each(count, stream, [=] __device__ (size_t i) { words[i] = ordered(map, keys[i]); });
}

template <class Key> static cudaError_t
shorten(Key *keys, const uint32_t *words, const key_map<Key> &map, size_t count, cudaStream_t stream)
{
	return for_each(count, stream, [=] __device__ (size_t i) { keys[i] = original(map, (Key)words[i]); });
}

#endif
