// SPDX-License-Identifier: BSD-2-Clause
/*
 * michalainas_v1.cu - steps that stay within a block loop inside the kernel   [report 000, 2.2]
 *
 * A block of 1024 threads owns 1024 keys of the lower half and the 1024 above
 * them in the upper half.  A stride of at most 512 never leaves these, so all
 * such steps need only the block's own barrier: phases up to 1024 are one launch,
 * and so is the tail of every later phase.  For n = 2^m, k = m - 10:
 *
 *     launches = 1 + k (k + 1) / 2 + k                  190 at 2^28, V0: 406
 *     bytes asked = 2 * 4n * m (m + 1) / 2              as in V0
 *
 * The keys still travel between the SM and the caches in every step.  V2 attacks that.
 */
#include "kernels/paper/michalainas.cuh"

/* Block scope.  Steps of phase SIZE from STRIDE on, then whole phases up to the block. */
static __global__ void
local_sort_kernel(uint32_t *keys, unsigned half, unsigned size, unsigned stride)
{
	const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
	const unsigned last = min(2 * half, (unsigned)MICHALAINAS_THREADS);

	do {
		for (; stride > 0; stride /= 2) {
			exchange_in_halves(keys, t, half, t, half, size, stride);
			__syncthreads();
		}
		size *= 2;
		stride = size / 2;
	} while (size <= last);
}

/* The report starts 1024 threads always; spare ones must not miss a barrier, so there are none. */
static int
local_sort(struct variant_job *job, unsigned size, unsigned stride, unsigned steps)
{
	const unsigned half = (unsigned)(job->count / 2);
	const unsigned threads = half < MICHALAINAS_THREADS ? half : (unsigned)MICHALAINAS_THREADS;

	return step(job, LOCAL, steps * sweep_bytes(job->count), local_sort_kernel,
	            half / threads, threads, job->keys, half, size, stride);
}

extern "C" struct variant_cost
michalainas_v1_predict(const struct variant_job *job)
{
	const unsigned bits = variant_bits(job->count);

	return { variant_fused_launches(bits, MICHALAINAS_BITS),
	         variant_steps(bits) * sweep_bytes(job->count) };
}

extern "C" int
michalainas_v1_sort(struct variant_job *job)
{
	const unsigned bits = variant_bits(job->count);
	const unsigned local_bits = bits < MICHALAINAS_BITS ? bits : (unsigned)MICHALAINAS_BITS;
	int error = local_sort(job, 2, 1, (unsigned)variant_steps(local_bits));

	for (size_t size = 2 * MICHALAINAS_THREADS; error == 0 && size <= job->count; size *= 2) {
		error = exchange_down_to_blocks(job, (unsigned)size);
		if (error == 0)
			error = local_sort(job, (unsigned)size, MICHALAINAS_THREADS / 2,
			                   MICHALAINAS_BITS);
	}
	return error;
}
