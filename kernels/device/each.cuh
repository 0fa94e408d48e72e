// SPDX-License-Identifier: BSD-2-Clause
/*
 * each.cuh - a thread for each element of an array
 *
 * In:   how many elements there are, and what is done with one.
 * Out:  that, done with all.
 *
 * A body is a lambda for the device.  It captures pointers and numbers, so its kernel has them as arguments.
 */
#ifndef GS_EACH_CUH
#define GS_EACH_CUH

#include "kernels/launch.cuh"
#include "kernels/thread/rows.cuh"

enum { EACH_THREADS = 256 };

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
