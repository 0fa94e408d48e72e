// SPDX-License-Identifier: BSD-2-Clause
/*
 * michalainas_v2.cu - the loop inside the kernel works in shared memory   [report 000, 2.3]
 *
 * As V1, but a block first copies its two sections, of the lower and the upper
 * half of the array, into shared memory side by side, and back at the end:
 *
 *     launches = 1 + k (k + 1) / 2 + k, k = m - 10       190 at 2^28
 *     bytes moved = 2 * 4n * launches                    408 GB at 2^28, V1 asks for 872
 *
 * 8 KB a block, two blocks an SM: shared memory is no limit, threads are.  What
 * is left is k (k + 1) / 2 = 171 steps between blocks, a sweep each: 90 % of the
 * bytes.  Fewer of those need larger blocks (martoccia_gpu_v2.cu, 8192 keys) or
 * several steps a sweep (tile_sort.cu, five).
 */
#include "kernels/paper/michalainas.cuh"

/* Block scope; as in V1, on shared[0 .. offset) and shared[offset .. 2 offset). */
static __global__ void
local_sort_kernel(uint32_t *keys, unsigned half, unsigned size, unsigned stride)
{
	__shared__ uint32_t shared[2 * MICHALAINAS_THREADS];
	const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
	const unsigned t = threadIdx.x, offset = blockDim.x;
	const unsigned last = min(2 * half, (unsigned)MICHALAINAS_THREADS);

	shared[t] = keys[at];
	shared[t + offset] = keys[at + half];
	__syncthreads();
	do {
		for (; stride > 0; stride /= 2) {
			exchange_in_halves(shared, t, offset, at, half, size, stride);
			__syncthreads();
		}
		size *= 2;
		stride = size / 2;
	} while (size <= last);
	keys[at] = shared[t];
	keys[at + half] = shared[t + offset];
}

static int
local_sort(struct variant_job *job, unsigned size, unsigned stride)
{
	const unsigned half = (unsigned)(job->count / 2);
	const unsigned threads = half < MICHALAINAS_THREADS ? half : (unsigned)MICHALAINAS_THREADS;

	return step(job, LOCAL, sweep_bytes(job->count), local_sort_kernel,
	            half / threads, threads, job->keys, half, size, stride);
}

extern "C" struct variant_cost
michalainas_v2_predict(const struct variant_job *job)
{
	const double launches = variant_fused_launches(variant_bits(job->count), MICHALAINAS_BITS);

	return { launches, launches * sweep_bytes(job->count) };
}

extern "C" int
michalainas_v2_sort(struct variant_job *job)
{
	int error = local_sort(job, 2, 1);

	for (size_t size = 2 * MICHALAINAS_THREADS; error == 0 && size <= job->count; size *= 2) {
		error = exchange_down_to_blocks(job, (unsigned)size);
		if (error == 0)
			error = local_sort(job, (unsigned)size, MICHALAINAS_THREADS / 2);
	}
	return error;
}
