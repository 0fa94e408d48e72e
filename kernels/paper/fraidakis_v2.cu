// SPDX-License-Identifier: BSD-2-Clause
/*
 * fraidakis_v2.cu - fused steps in shared memory        [report 003, section 4]
 *
 * As V1, but a block copies its 1024 keys to shared memory, works there, and
 * copies them back.  For n = 2^m, k = m - 10:
 *
 *     launches = 1 + k (k + 1) / 2 + k        190 at 2^28
 *     bytes moved = 2 * 4n * launches         408 GB at 2^28: 95 ms at 4.3 TB/s
 *
 * 171 of the 190 are steps between blocks.  And within a block each of ten steps
 * still costs a barrier, two reads and two writes of shared memory, by half of
 * the threads.  V3 attacks both, though the first only by one step a phase.
 */
#include "kernels/paper/fraidakis.cuh"

/* Block scope: T is the index in the block, AT in the array. */
static __device__ __forceinline__ void
block_steps(uint32_t *shared, unsigned t, unsigned at, unsigned size, unsigned distance,
            bool descending)
{
	const bool ascending = ((at & size) == 0) != descending;

	for (; distance > 0; distance /= 2) {
		const unsigned partner = t ^ distance;

		if (partner > t)
			order(&shared[t], &shared[partner], ascending);
		__syncthreads();
	}
}

static __global__ void
intra_block_sort_shared_kernel(uint32_t *keys, bool descending)
{
	__shared__ uint32_t shared[FRAIDAKIS_THREADS];
	const unsigned t = threadIdx.x, at = blockIdx.x * blockDim.x + t;

	shared[t] = keys[at];
	__syncthreads();
	for (unsigned size = 2; size <= blockDim.x; size *= 2)
		block_steps(shared, t, at, size, size / 2, descending);
	keys[at] = shared[t];
}

static __global__ void
intra_block_merge_shared_kernel(uint32_t *keys, unsigned size, bool descending)
{
	__shared__ uint32_t shared[FRAIDAKIS_THREADS];
	const unsigned t = threadIdx.x, at = blockIdx.x * blockDim.x + t;

	shared[t] = keys[at];
	__syncthreads();
	block_steps(shared, t, at, size, blockDim.x / 2, descending);
	keys[at] = shared[t];
}

extern "C" struct variant_cost
fraidakis_v2_predict(const struct variant_job *job)
{
	const double launches = variant_fused_launches(variant_bits(job->count), FRAIDAKIS_BITS);

	return { launches, launches * sweep_bytes(job->count) };
}

extern "C" int
fraidakis_v2_sort(struct variant_job *job)
{
	const unsigned threads = fraidakis_threads(job);
	const size_t blocks = job->count / threads;
	const double bytes = sweep_bytes(job->count);
	int error = step(job, SORT, bytes, intra_block_sort_shared_kernel,
	                 blocks, threads, job->keys, job->descending);

	for (size_t size = 2 * FRAIDAKIS_THREADS; error == 0 && size <= job->count; size *= 2) {
		for (size_t d = size / 2; error == 0 && d >= FRAIDAKIS_THREADS; d /= 2)
			error = compare_swap(job, size, d);
		if (error == 0)
			error = step(job, MERGE, bytes, intra_block_merge_shared_kernel,
			             blocks, threads, job->keys, (unsigned)size, job->descending);
	}
	return error;
}
