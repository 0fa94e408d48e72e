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

/* The sum of VALUE over the lanes up to and with this one. */
template <class Number> static __device__ __forceinline__ Number
warp_sum(Number value)
{
	const unsigned lane = threadIdx.x % 32;

#pragma unroll
	for (unsigned lanes = 1; lanes < 32; lanes *= 2) {
		const Number left = __shfl_up_sync(ALL_LANES, value, lanes);

		value += lane >= lanes ? left : 0;
	}
	return value;
}

/* The sum of VALUE over the threads before this one; *TOTAL of all.  SUMS: a number a warp. */
template <unsigned THREADS, class Number> static __device__ __forceinline__ Number
block_sum_before(Number value, Number *sums, Number *total)
{
	const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	const Number upto = warp_sum(value);
	Number warps;

	if (lane == 31)
		sums[warp] = upto;
	__syncthreads();
	warps = warp_sum(lane < THREADS / 32 ? sums[lane] : (Number)0);
	*total = __shfl_sync(ALL_LANES, warps, 31);
	warps = __shfl_sync(ALL_LANES, warps, (int)(warp + 31) % 32);
	return upto - value + (warp > 0 ? warps : (Number)0);
}

/* The least and the greatest key of all threads, for all.  SHARED: two numbers. */
static __device__ __forceinline__ void
block_range(uint64_t *least, uint64_t *most, number *shared)
{
	if (threadIdx.x < 2)
		shared[threadIdx.x] = 0;
	__syncthreads();
#pragma unroll
	for (unsigned lanes = 16; lanes > 0; lanes /= 2) {
		*least = min(*least, __shfl_xor_sync(ALL_LANES, *least, lanes));
		*most = max(*most, __shfl_xor_sync(ALL_LANES, *most, lanes));
	}
	if (threadIdx.x % 32 == 0) {
		atomicMax(&shared[0], (number)~*least);
		atomicMax(&shared[1], (number)*most);
	}
	__syncthreads();
	*least = ~shared[0];
	*most = shared[1];
}

#endif
