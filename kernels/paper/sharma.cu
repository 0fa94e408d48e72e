// SPDX-License-Identifier: BSD-2-Clause
/*
 * sharma.cu - a thread a key, 512 a block, padded on the device        [report 004]
 *
 * The two inner loops of the network: key k meets k ^ stride.  Strides of at
 * least 512 are a launch each; the others of a phase are one launch that works on
 * 512 keys in shared memory.  Only the middle loop is taken into the kernel, so
 * the first nine phases are nine launches.  For n = 2^m, k = m - 9:
 *
 *     launches = 9 + k (k + 1) / 2 + k        144 at 2^24, 218 at 2^28
 *     bytes moved = 2 * 4n * launches         468 GB at 2^28: 109 ms at 4.3 TB/s
 *
 * An array of any length is padded to 2^m by a kernel, so that no padding crosses
 * the bus; threads and keys then match one to one, and no kernel checks a bound.
 * As in the report the padding is zeros.  Zero is the smallest key, so padding
 * ends up in front, and the result begins behind it: only that is copied back.
 *
 * 512 threads a block and not 1024: the report saw more memory throughput with
 * more blocks.  The price is one more step between blocks in every phase, and
 * fraidakis_v2, which differs in this and in the fused first phases, shows it.
 */
#include "kernels/paper/variant.cuh"

enum { BLOCK_BITS = 9, THREADS = 1 << BLOCK_BITS };

enum { EXCHANGE, SHARED, PAD };	/* kinds */

/* The first of COUNT keys to be padded is FIRST; spare threads write the last one again. */
static __global__ void
pad_kernel(uint32_t *keys, unsigned first, unsigned count)
{
	keys[min(first + blockIdx.x * blockDim.x + threadIdx.x, count - 1)] = 0;
}

/* Threads k and k ^ stride belong to one pair; the lower does its work. */
static __global__ void
compare_exchange_kernel(uint32_t *keys, unsigned size, unsigned stride)
{
	const unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
	const unsigned partner = k ^ stride;

	if (partner > k)
		order(&keys[k], &keys[partner], (k & size) == 0);
}

/* Block scope: the steps of phase SIZE from STRIDE <= THREADS / 2 down. */
static __global__ void
shared_merge_kernel(uint32_t *keys, unsigned size, unsigned stride)
{
	__shared__ uint32_t shared[THREADS];
	const unsigned t = threadIdx.x, k = blockIdx.x * blockDim.x + t;

	shared[t] = keys[k];
	__syncthreads();
	for (; stride > 0; stride /= 2) {
		const unsigned partner = t ^ stride;

		if (partner > t)
			order(&shared[t], &shared[partner], (k & size) == 0);
		__syncthreads();
	}
	keys[k] = shared[t];
}

extern "C" struct variant_cost
sharma_predict(const struct variant_job *job)
{
	const unsigned bits = variant_bits(job->count);
	const unsigned within = bits < BLOCK_BITS ? bits : (unsigned)BLOCK_BITS;
	const double launches = within + variant_fused_launches(bits, BLOCK_BITS) - 1;
	const size_t padded = (size_t)1 << bits, pads = padded - job->count;

	return { launches + (pads != 0),
	         launches * sweep_bytes(padded) + (double)(pads * sizeof *job->keys) };
}

static int
pad(struct variant_job *job, size_t padded)
{
	const size_t pads = padded - job->count;

	if (pads == 0)
		return 0;
	job->first = pads;
	return step(job, PAD, (double)(pads * sizeof *job->keys), pad_kernel,
	            (pads - 1) / THREADS + 1, THREADS,
	            job->keys, (unsigned)job->count, (unsigned)padded);
}

extern "C" int
sharma_sort(struct variant_job *job)
{
	const size_t padded = (size_t)1 << variant_bits(job->count);
	const unsigned threads = padded < THREADS ? (unsigned)padded : (unsigned)THREADS;
	const size_t blocks = padded / threads;
	const double bytes = sweep_bytes(padded);
	int error = pad(job, padded);

	for (size_t size = 2; error == 0 && size <= padded; size *= 2) {
		size_t stride = size / 2;

		for (; error == 0 && stride >= THREADS; stride /= 2)
			error = step(job, EXCHANGE, bytes, compare_exchange_kernel, blocks, threads,
			             job->keys, (unsigned)size, (unsigned)stride);
		if (error == 0)
			error = step(job, SHARED, bytes, shared_merge_kernel, blocks, threads,
			             job->keys, (unsigned)size, (unsigned)stride);
	}
	return error;
}
