// SPDX-License-Identifier: BSD-2-Clause
/* michalainas.cuh - what V0, V1 and V2 of report 000 share: the two-halves trick */
#ifndef MICHALAINAS_CUH
#define MICHALAINAS_CUH

#include "kernels/paper/variant.cuh"

/* "The number of threads per block is fixed": a block is as large as a block can be. */
enum { MICHALAINAS_BITS = 10, MICHALAINAS_THREADS = 1 << MICHALAINAS_BITS };

enum { EXCHANGE, LOCAL };	/* kinds */

/*
 * One comparison for each of n/2 threads.  Thread t would meet t ^ step; only the
 * lower of such a pair has work, so the upper one does the same in the other half
 * of the array: it moves both indices up by OFFSET.  AT is t's global index, which
 * alone knows the direction; LOW and HIGH halves may lie in shared memory.
 *
 * Every pair {i, i ^ step} of the lower half belongs to its lower index, every
 * pair of the upper half to its upper index less n/2: each is done exactly once.
 * In the last phase's first step, step = n/2, all partners are in the upper half.
 */
static __device__ __forceinline__ void
exchange_in_halves(uint32_t *keys, unsigned t, unsigned offset, unsigned at, unsigned half,
                   unsigned size, unsigned stride)
{
	const unsigned partner = t ^ stride;

	if (partner > t)
		order(&keys[t], &keys[partner], (at & size) == 0);
	else
		order(&keys[partner + offset], &keys[t + offset], ((at + half) & size) == 0);
}

static __global__ void
exchange_kernel(uint32_t *keys, unsigned half, unsigned size, unsigned stride)
{
	const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;

	if (t < half)
		exchange_in_halves(keys, t, half, t, half, size, stride);
}

/* One launch of it, and the wait that the report pays for each. */
static inline int
exchange_and_wait(struct variant_job *job, unsigned size, unsigned stride)
{
	const unsigned half = (unsigned)(job->count / 2);
	int error = step(job, EXCHANGE, sweep_bytes(job->count), exchange_kernel,
	                 (half - 1) / MICHALAINAS_THREADS + 1, MICHALAINAS_THREADS,
	                 job->keys, half, size, stride);

	return error != 0 ? error : cudaStreamSynchronize((cudaStream_t)job->stream);
}

/* The steps of phase SIZE that no block can do alone. */
static inline int
exchange_down_to_blocks(struct variant_job *job, unsigned size)
{
	int error = 0;

	for (unsigned stride = size / 2; error == 0 && stride >= MICHALAINAS_THREADS; stride /= 2)
		error = exchange_and_wait(job, size, stride);
	return error;
}

#endif
