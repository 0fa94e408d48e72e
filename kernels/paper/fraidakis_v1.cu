// SPDX-License-Identifier: BSD-2-Clause
/*
 * fraidakis_v1.cu - kernel fusion        [report 003, section 3]
 *
 * Strides of at most 512 stay within a block of 1024 keys, so the block's barrier
 * can stand for a launch: intraBlockSort does all phases up to 1024 at once,
 * intraBlockMerge the last ten steps of each later phase.  For n = 2^m, k = m - 10:
 *
 *     launches = 1 + k (k + 1) / 2 + k           190 at 2^28 (the report says 190)
 *     bytes asked = 2 * 4n * m (m + 1) / 2       as in V0
 *
 * A block's 4 KB come from its L1 cache after the first step, so about 8n a launch
 * leave the SM to be read; every swap is still written through.  V2 attacks that.
 */
#include "kernels/paper/fraidakis.cuh"

/* Block scope: the steps of phase SIZE from DISTANCE down, each ended by a barrier. */
static __device__ __forceinline__ void
block_steps(uint32_t *keys, unsigned t, unsigned size, unsigned distance, bool descending)
{
	const bool ascending = ((t & size) == 0) != descending;

	for (; distance > 0; distance /= 2) {
		const unsigned partner = t ^ distance;

		if (partner > t)
			order(&keys[t], &keys[partner], ascending);
		__syncthreads();
	}
}

static __global__ void
intra_block_sort_kernel(uint32_t *keys, bool descending)
{
	const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;

	for (unsigned size = 2; size <= blockDim.x; size *= 2)
		block_steps(keys, t, size, size / 2, descending);
}

static __global__ void
intra_block_merge_kernel(uint32_t *keys, unsigned size, bool descending)
{
	const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;

	block_steps(keys, t, size, blockDim.x / 2, descending);
}

extern "C" struct variant_cost
fraidakis_v1_predict(const struct variant_job *job)
{
	const unsigned bits = variant_bits(job->count);

	return { variant_fused_launches(bits, FRAIDAKIS_BITS),
	         variant_steps(bits) * sweep_bytes(job->count) };
}

extern "C" int
fraidakis_v1_sort(struct variant_job *job)
{
	const unsigned threads = fraidakis_threads(job), block_bits = variant_bits(threads);
	const size_t blocks = job->count / threads;
	const double bytes = sweep_bytes(job->count);
	int error = step(job, SORT, variant_steps(block_bits) * bytes, intra_block_sort_kernel,
	                 blocks, threads, job->keys, job->descending);

	for (size_t size = 2 * FRAIDAKIS_THREADS; error == 0 && size <= job->count; size *= 2) {
		for (size_t d = size / 2; error == 0 && d >= FRAIDAKIS_THREADS; d /= 2)
			error = compare_swap(job, size, d);
		if (error == 0)
			error = step(job, MERGE, block_bits * bytes, intra_block_merge_kernel,
			             blocks, threads, job->keys, (unsigned)size, job->descending);
	}
	return error;
}
