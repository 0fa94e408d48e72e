// SPDX-License-Identifier: BSD-2-Clause
/*
 * samples.cu - small kernels, right and wrong, that show what the emulator does; and a kernel of gsort by
 * itself, for leaves whose keys are in an order that no sort brings them in
 */
#include <cuda_runtime.h>

#include "kernels/device/leaf_launch.cuh"
#include "tests/emu/samples.h"

/* Each warp adds up its threads' numbers, and one thread of each adds that to *sum. */
static __global__ void
sum_kernel(unsigned *sum, unsigned count)
{
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x, value = t < count ? t : 0;

	for (unsigned lanes = 16; lanes > 0; lanes /= 2)
		value += __shfl_down_sync(0xffffffffu, value, lanes);
	if (threadIdx.x % 32 == 0)
		atomicAdd(sum, value);
}

/* Reverse the block's keys through shared memory, with a barrier or without. */
static __global__ void
reverse_kernel(unsigned *keys, bool with_barrier)
{
	__shared__ unsigned shared[1024];

	shared[threadIdx.x] = keys[threadIdx.x];
	if (with_barrier)
		__syncthreads();
	keys[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}

/* Only the first half of the block reaches the barrier. */
static __global__ void
half_barrier_kernel()
{
	if (threadIdx.x < blockDim.x / 2)
		__syncthreads();
}

/* Two barriers, half of the block at each. */
static __global__ void
other_barrier_kernel()
{
	if (threadIdx.x < blockDim.x / 2)
		__syncthreads();
	else
		__syncthreads();
}

/* The odd lanes wait for all lanes. */
static __global__ void
half_warp_kernel()
{
	if (threadIdx.x % 2 == 1)
		__syncwarp();
}

/* The even lanes read from the odd ones, which are not there. */
static __global__ void
stranger_kernel(unsigned *sum)
{
	if (threadIdx.x % 2 == 0)
		*sum = __shfl_xor_sync(0x55555555u, threadIdx.x, 1);
}

extern "C" cudaError_t
sample_sum(unsigned *sum, unsigned count)
{
	return launch(sum_kernel, (count + 95) / 96, 96, 0, sum, count);
}

extern "C" cudaError_t
sample_reverse(unsigned *keys, unsigned count, int with_barrier)
{
	return launch(reverse_kernel, 1, count, 0, keys, with_barrier != 0);
}

extern "C" cudaError_t
sample_uneven(uint32_t *to, const uint32_t *from, const uint64_t *chunks, uint32_t count, uint32_t always)
{
	typedef key_map<uint32_t> map;
	const uint32_t blocks = count > uneven::KEYS ? 2 : 1;
	const leaf_item halves[] = { { 0, count, 0, 0, 0 }, { 0, count, 1, 0, 0 } };

	static_assert((int)SAMPLE_CHUNK == (int)tile_of_many<typed<uint32_t>>::KEYS, "as in a sort");
	return launch_shared<false>(uneven_kernel<SAMPLE_CHUNK, map>, blocks, uneven::THREADS, sizeof(uneven),
	                            0, to, from, map(gs_key_map{ 0, always, 0 }),
	                            leaf_chunks{ chunks, 0, false }, halves, &blocks);
}

extern "C" cudaError_t
sample_wrong(enum sample_wrong which, unsigned *sum)
{
	switch (which) {
	case SAMPLE_HALF_BARRIER:  return launch(half_barrier_kernel, 1, 64, 0);
	case SAMPLE_OTHER_BARRIER: return launch(other_barrier_kernel, 1, 64, 0);
	case SAMPLE_HALF_WARP:     return launch(half_warp_kernel, 1, 64, 0);
	case SAMPLE_STRANGER:      return launch(stranger_kernel, 1, 64, 0, sum);
	case SAMPLE_TOO_MANY:      return launch(half_barrier_kernel, 1, 2048, 0);
	}
	return cudaErrorInvalidValue;
}
