// SPDX-License-Identifier: BSD-2-Clause
/*
 * slides.cu - one block sorts 256 keys in shared memory        [report 002]
 *
 * The lecture's whole program: one block, one thread a key.  Thread t owns
 * shared[t]; in the step (size, stride) it meets t ^ stride, and the lower of
 * the two does the comparison for both.  The pair {t, t ^ stride} is the same
 * seen from either end, so no key is touched twice; the barrier ends the step.
 *
 *     launches = 1     bytes moved = 2 * 4n     steps = 36, each with a barrier
 *
 * 256 keys and not one more: a block cannot see another block's shared memory,
 * so larger arrays need steps between blocks.  Those are what report 000 adds.
 *
 * The slide's two comparisons need their braces: without them its `else` would
 * belong to the inner `if`, and nothing would ever be sorted downwards.
 */
#include "kernels/paper/variant.cuh"

enum { SLIDES_KEYS = 256 };

static __global__ void
bitonic_sort_kernel(uint32_t *keys)
{
	__shared__ uint32_t shared[SLIDES_KEYS];
	const unsigned t = threadIdx.x;

	shared[t] = keys[t];
	__syncthreads();
	for (unsigned size = 2; size <= SLIDES_KEYS; size *= 2)
		for (unsigned stride = size / 2; stride > 0; stride /= 2) {
			const unsigned partner = t ^ stride;

			if (partner > t)
				order(&shared[t], &shared[partner], (t & size) == 0);
			__syncthreads();
		}
	keys[t] = shared[t];
}

extern "C" struct variant_cost
slides_predict(const struct variant_job *job)
{
	return { 1, sweep_bytes(job->count) };
}

extern "C" int
slides_sort(struct variant_job *job)
{
	return step(job, 0, sweep_bytes(job->count), bitonic_sort_kernel, 1, SLIDES_KEYS,
	            job->keys);
}
