// SPDX-License-Identifier: BSD-2-Clause
/*
 * check.cu - are keys in order, and are they the keys that were given?
 *
 * In:   keys that should ascend.
 * Out:  how many are less than the one before; for each span a sum of hashes, which does not
 *       depend on their order.
 *
 * A caller that knows the sum of the unsorted keys can compare, and can check each span again
 * where it is copied to.  The hash is the finalizer of SplitMix64 (Steele, Lea and Flood, "Fast
 * splittable pseudorandom number generators", OOPSLA 2014), as in src/sort/checksum.h.
 *
 * One sweep that only reads.  H200, 2^28 u32: predicted 0.26 ms for the bytes and 0.5 ms for about
 * 30 instructions a key; measured 0.5 ms (u64 2^27: 0.3).
 *
 * Invariant: a block's keys lie in one span.
 */
#include "kernels/block/scan.cuh"
#include "kernels/kernels.h"
#include "kernels/launch.cuh"

enum { CHECK_THREADS = 256, CHECK_KEYS = 1 << 13 };

static __device__ __forceinline__ number
mixed(number key)
{
	key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9ull;
	key = (key ^ key >> 27) * 0x94d049bb133111ebull;
	return key ^ key >> 31;
}

template <class Key> static __global__ void
__launch_bounds__(CHECK_THREADS)
check_kernel(const Key *keys, size_t count, size_t span_keys, number salt, number *sums, number *falls)
{
	__shared__ number shared[CHECK_THREADS / 32];
	const size_t from = blockIdx.x * (size_t)CHECK_KEYS;
	const unsigned here = (unsigned)min(count - from, (size_t)CHECK_KEYS);
	number sum = 0, total;
	unsigned fell = 0;

	keys += from;
#pragma unroll 8
	for (unsigned i = threadIdx.x; i < here; i += CHECK_THREADS) {
		const Key key = keys[i];

		sum += mixed(key + salt);
		if (from + i > 0)
			fell += *(keys + i - 1) > key;
	}
	block_sum_before<CHECK_THREADS>(sum, shared, &total);
	if (threadIdx.x == 0)
		atomicAdd(&sums[from / span_keys], total);
	if (fell > 0)
		atomicAdd(falls, (number)fell);
}

extern "C" cudaError_t
gs_check(const void *keys, unsigned bits, size_t count, size_t span_keys, uint64_t salt,
         uint64_t *sums, uint64_t *falls, cudaStream_t stream)
{
	if (count == 0)
		return cudaSuccess;
	if (span_keys % CHECK_KEYS != 0)
		return cudaErrorInvalidValue;
	return by_width<uint32_t, uint64_t>(bits, [&](auto key) {
		return launch<false>(check_kernel<decltype(key)>, (count + CHECK_KEYS - 1) / CHECK_KEYS,
		                     CHECK_THREADS, stream, (const decltype(key) *)keys, count, span_keys,
		                     salt, (number *)sums, (number *)falls);
	});
}
