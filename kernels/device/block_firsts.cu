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
#include "kernels/device/each.cuh"
#include "kernels/kernels.h"

template <class Key> static cudaError_t
block_firsts(const Key *keys, size_t count, size_t block_keys, uint64_t *firsts, cudaStream_t stream)
{
	return for_each((count - 1) / block_keys + 1, stream, [=] __device__ (size_t i) {
		firsts[i] = keys[i * block_keys];
	});
}

extern "C" cudaError_t
gs_block_firsts(const void *keys, unsigned bits, size_t count, size_t block_keys,
                uint64_t *firsts, cudaStream_t stream)
{
	if (count == 0)
		return cudaSuccess;
	return by_width<uint32_t, uint64_t>(bits, [&](auto key) {
		return block_firsts((const decltype(key) *)keys, count, block_keys, firsts, stream);
	});
}
