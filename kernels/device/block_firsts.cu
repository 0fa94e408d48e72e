// SPDX-License-Identifier: BSD-2-Clause
/*
 * block_firsts.cu - the first key of each block of keys
 *
 * In:   keys.
 * Out:  keys number 0, b, 2b, ..., each as 64 bits: of sorted keys, an index that fits the host's
 *       memory and most of it its cache.
 *
 * One thread a block of keys: 2^31 u64 in blocks of 2^13 are 2^18 reads of 32 bytes each.
 */
#include "kernels/kernels.h"
#include "kernels/launch.cuh"

enum { FIRSTS_THREADS = 256 };

template <class Key> static __global__ void
__launch_bounds__(FIRSTS_THREADS)
block_firsts_kernel(const Key *keys, size_t blocks, size_t block_keys, unsigned long long *firsts)
{
	const size_t block = blockIdx.x * (size_t)FIRSTS_THREADS + threadIdx.x;

	if (block < blocks)
		firsts[block] = keys[block * block_keys];
}

extern "C" cudaError_t
gs_block_firsts(const void *keys, unsigned bits, size_t count, size_t block_keys,
                uint64_t *firsts, cudaStream_t stream)
{
	const size_t blocks = (count + block_keys - 1) / block_keys;

	if (count == 0)
		return cudaSuccess;
	return by_width<uint32_t, uint64_t>(bits, [&](auto key) {
		return launch<false>(block_firsts_kernel<decltype(key)>,
		                     (blocks + FIRSTS_THREADS - 1) / FIRSTS_THREADS, FIRSTS_THREADS, stream,
		                     (const decltype(key) *)keys, blocks, block_keys,
		                     (unsigned long long *)firsts);
	});
}
