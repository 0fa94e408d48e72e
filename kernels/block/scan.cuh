// SPDX-License-Identifier: BSD-2-Clause
/*
 * scan.cuh - sums and extremes over the lanes of a warp and the threads of a block
 *
 * All lanes of a warp, or all threads of a block, call together, as the prefix says.
 */
#ifndef GS_SCAN_CUH
#define GS_SCAN_CUH

#include <cuda_runtime.h>
#include <stdint.h>

enum { ALL_LANES = 0xffffffff };

typedef unsigned long long number;	/* what CUDA's 64 bit atomics take */

/* A key as CUDA's atomics take it. */
template <class Key> struct atomic_type { typedef Key type; };
template <> struct atomic_type<uint64_t> { typedef number type; };

static __device__ __forceinline__ bool
warp_agrees(uint32_t value)
{
	return __all_sync(ALL_LANES, value == __shfl_sync(ALL_LANES, value, 0));
}

/* The last of BEGINS from LOW to HIGH - 1 that is not above AT; the first one is not. */
template <class Number> static __device__ __forceinline__ uint32_t
last_upto(const Number *begins, uint32_t low, uint32_t high, Number at)
{
	while (high - low > 1) {
		const uint32_t middle = low + (high - low) / 2;

		if (begins[middle] <= at)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* What numbers are combined to; 0 changes neither. */
enum combine { SUM, GREATEST };

template <combine HOW, class Number> static __device__ __forceinline__ Number
combined(Number a, Number b)
{
	return HOW == SUM ? a + b : max(a, b);
}

/* VALUE combined over the lanes up to and with this one. */
template <combine HOW = SUM, class Number> static __device__ __forceinline__ Number
warp_upto(Number value)
{
	const unsigned lane = threadIdx.x % 32;

#pragma unroll
	for (unsigned lanes = 1; lanes < 32; lanes *= 2) {
		const Number left = __shfl_up_sync(ALL_LANES, value, lanes);

		value = combined<HOW>(value, lane >= lanes ? left : (Number)0);
	}
	return value;
}

/* UPTO, which warp_upto() returns, combined over the warps before this one; *ALL over all threads.  SHARED: a
 * number a warp. */
template <unsigned THREADS, combine HOW = SUM, class Number> static __device__ __forceinline__ Number
block_warps_before(Number upto, Number *shared, Number *all)
{
	const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	Number warps;

	if (lane == 31)
		shared[warp] = upto;
	__syncthreads();
	warps = warp_upto<HOW>(lane < THREADS / 32 ? shared[lane] : (Number)0);
	*all = __shfl_sync(ALL_LANES, warps, 31);
	warps = __shfl_sync(ALL_LANES, warps, (int)(warp + 31) % 32);
	return warp > 0 ? warps : (Number)0;
}

/* The sum of VALUE over the threads before this one; *TOTAL of all.  SUMS: a number a warp. */
template <unsigned THREADS, class Number> static __device__ __forceinline__ Number
block_sum_before(Number value, Number *sums, Number *total)
{
	const Number upto = warp_upto(value), warps = block_warps_before<THREADS>(upto, sums, total);

	return upto - value + warps;
}

/* The greatest VALUE of all lanes, for all; one instruction from sm_80 on. */
static __device__ __forceinline__ uint32_t
warp_greatest(uint32_t value)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 800
	return __shfl_sync(ALL_LANES, warp_upto<GREATEST>(value), 31);
#else
	return __reduce_max_sync(ALL_LANES, value);
#endif
}

/* The greatest KEY of all lanes, for all. */
template <class Key> static __device__ __forceinline__ Key
warp_greatest_key(Key key)
{
	const uint32_t high = (uint32_t)((uint64_t)key >> 32);
	const uint32_t most = sizeof(Key) == 4 ? 0 : warp_greatest(high);

	return (Key)((uint64_t)most << 32 | warp_greatest(high == most ? (uint32_t)key : 0));
}

/* The least and the greatest key of all threads, for all.  SHARED: two numbers.  Warps that write to one of
 * 64 bits queue up, so only those do that have a greater one. */
template <class Key> static __device__ __forceinline__ void
block_range(Key *least, Key *most, number *shared)
{
	typedef typename atomic_type<Key>::type word;
	word *const ends = (word *)shared;
	const Key low = warp_greatest_key(~*least), high = warp_greatest_key(*most);

	if (threadIdx.x < 2)
		ends[threadIdx.x] = 0;
	__syncthreads();
	if (threadIdx.x % 32 == 0) {
		if (low > *(volatile word *)&ends[0])
			atomicMax(&ends[0], (word)low);
		if (high > *(volatile word *)&ends[1])
			atomicMax(&ends[1], (word)high);
	}
	__syncthreads();
	*least = ~(Key)ends[0];
	*most = (Key)ends[1];
}

#endif
