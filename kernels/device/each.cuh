// SPDX-License-Identifier: BSD-2-Clause
/*
 * each.cuh - a thread for each element of an array
 *
 * In:   keys of 8 or 16 bits, or words of 32.
 * Out:  the others.
 */
#ifndef GS_EACH_CUH
#define GS_EACH_CUH

#include "kernels/launch.cuh"
#include "kernels/thread/rows.cuh"

enum { EACH_THREADS = 256 };

/* A kernel with a thread for each of COUNT elements. */
template <class... Param> static cudaError_t
launch_each(void (*kernel)(size_t, Param...), size_t count, cudaStream_t stream,
            typename given<Param>::type... args)
{
	return launch<false>(kernel, (count + EACH_THREADS - 1) / EACH_THREADS, EACH_THREADS, stream, count,
	                     args...);
}

static __device__ __forceinline__ size_t
this_element(void)
{
	return blockIdx.x * (size_t)EACH_THREADS + threadIdx.x;
}

/* Keys as words in their order. */
template <class Key> static __global__ void
widen_kernel(size_t count, uint32_t *words, const Key *keys, key_map<Key> map)
{
	const size_t i = this_element();

	if (i < count)
		words[i] = ordered(map, keys[i]);
}

template <class Key> static __global__ void
shorten_kernel(size_t count, Key *keys, const uint32_t *words, key_map<Key> map)
{
	const size_t i = this_element();

	if (i < count)
		keys[i] = original(map, (Key)words[i]);
}

#endif
