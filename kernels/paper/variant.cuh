// SPDX-License-Identifier: BSD-2-Clause
/* variant.cuh - what the kernels of all variants share: the comparator, and a launch that is noted */
#ifndef VARIANT_CUH
#define VARIANT_CUH

#include <cuda_runtime.h>

#include "kernels/launch.cuh"
#include "kernels/paper/ladder.h"

/* A comparator: afterwards *LOW <= *HIGH if ASCENDING, else *LOW >= *HIGH. */
static __device__ __forceinline__ void
order(uint32_t *low, uint32_t *high, bool ascending)
{
	const uint32_t a = *low, b = *high;

	if ((a > b) == ascending) {
		*low = b;
		*high = a;
	}
}

/* Comparator t of a step: the index that has a 0 bit put in at log2(stride). */
static __device__ __forceinline__ unsigned
lower_of(unsigned t, unsigned stride)
{
	return 2 * t - (t & (stride - 1));
}

/** Launch KERNEL and tell JOB: KIND it is, and BYTES it reads and writes. */
template <class... Param> static int
step(struct variant_job *job, unsigned kind, double bytes, void (*kernel)(Param...),
     size_t blocks, unsigned threads, std::common_type_t<Param>... args)
{
	cudaError_t error = launch<false>(kernel, blocks, threads, (cudaStream_t)job->stream, args...);

	if (error != cudaSuccess || job->note == NULL)
		return error;
	return job->note(job, kind, (const void *)kernel, threads, bytes);
}

/* Reading and writing every key once. */
static inline double
sweep_bytes(size_t keys)
{
	return 2.0 * sizeof(uint32_t) * (double)keys;
}

#endif
