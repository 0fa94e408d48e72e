// SPDX-License-Identifier: BSD-2-Clause
/* fraidakis.cuh - what V0, V1 and V2 of report 003 share: a thread a key, one step a launch */
#ifndef FRAIDAKIS_CUH
#define FRAIDAKIS_CUH

#include "kernels/paper/variant.cuh"

enum { FRAIDAKIS_BITS = 10, FRAIDAKIS_THREADS = 1 << FRAIDAKIS_BITS };

enum { COMPARE_SWAP, MERGE, SORT };	/* kinds */

/*
 * Thread t meets t ^ distance, and the lower of the two compares: each pair once,
 * no key shared, and half of the threads find nothing to do.
 */
static __global__ void
compare_swap_kernel(uint32_t *keys, unsigned size, unsigned distance, bool descending)
{
	const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
	const unsigned partner = t ^ distance;

	if (partner > t)
		order(&keys[t], &keys[partner], ((t & size) == 0) != descending);
}

/* min(n, 1024), as the report has it; n is a power of two, so blocks are full. */
static inline unsigned
fraidakis_threads(const struct variant_job *job)
{
	return job->count < FRAIDAKIS_THREADS ? (unsigned)job->count : (unsigned)FRAIDAKIS_THREADS;
}

static inline int
compare_swap(struct variant_job *job, size_t size, size_t distance)
{
	const unsigned threads = fraidakis_threads(job);

	return step(job, COMPARE_SWAP, sweep_bytes(job->count), compare_swap_kernel,
	            job->count / threads, threads,
	            job->keys, (unsigned)size, (unsigned)distance, job->descending);
}

#endif
