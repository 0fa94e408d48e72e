// SPDX-License-Identifier: BSD-2-Clause
/*
 * martoccia.cuh - what GPU V1 and V2 of report 001 share
 *
 * The grid is free: BLOCKS blocks (a power of two) of THREADS threads (any number),
 * by default the 4096 x 384 that the report found best.  Each block has an equal
 * share of the array, its tile, and its threads stride over the comparators of
 * that share: thread t does t, t + THREADS, t + 2 THREADS, ...
 *
 * All comparators point the same way.  The first step of a phase is mirrored, i
 * against size - 1 - i within each group of `size` keys: two sorted halves, the
 * second read backwards, are a bitonic sequence.  So "descending" is one flag.
 */
#ifndef MARTOCCIA_CUH
#define MARTOCCIA_CUH

#include "kernels/paper/variant.cuh"

enum { SORT, GLOBAL, PAD, LOCAL };	/* kinds */

enum { MARTOCCIA_BLOCKS = 4096, MARTOCCIA_THREADS = 384 };

struct martoccia_shape {
	unsigned bits;		/* log2 of the padded keys */
	unsigned tile_bits;	/* and of those of a block */
	unsigned blocks, threads;
};

/* The grid that JOB asks for; no tile is smaller than 2^LEAST_BITS keys. */
static inline struct martoccia_shape
martoccia_shape_of(const struct variant_job *job, unsigned least_bits, unsigned default_blocks)
{
	const unsigned blocks = job->blocks != 0 ? job->blocks : default_blocks;
	unsigned bits = variant_bits(job->count), block_bits = variant_bits(blocks);

	bits = bits < 9 ? 9 : bits;	/* variant_room() has 512 at least */
	block_bits = block_bits + least_bits > bits ? bits - least_bits : block_bits;
	return { bits, bits - block_bits, 1u << block_bits,
	         job->threads != 0 ? job->threads : (unsigned)MARTOCCIA_THREADS };
}

/* Comparators FIRST, FIRST + EVERY, ... below LAST of one step. */
static __device__ __forceinline__ void
merge_step(uint32_t *keys, unsigned first, unsigned last, unsigned every, unsigned stride,
           bool mirrors, bool descending)
{
	for (unsigned t = first; t < last; t += every) {
		const unsigned low = lower_of(t, stride);
		const unsigned high = mirrors ? low ^ (2 * stride - 1) : low + stride;

		order(&keys[low], &keys[high], !descending);
	}
}

/* One step over the whole array: comparator t's keys are its own, so no barrier. */
static __global__ void
merge_global_kernel(uint32_t *keys, unsigned pairs, unsigned stride, bool mirrors,
                    bool descending)
{
	const unsigned first = blockIdx.x * pairs;

	merge_step(keys, first + threadIdx.x, first + pairs, blockDim.x, stride, mirrors,
	           descending);
}

static inline int
merge_global(struct variant_job *job, const struct martoccia_shape *shape, unsigned phase,
             unsigned stride_bits)
{
	return step(job, GLOBAL, sweep_bytes((size_t)1 << shape->bits), merge_global_kernel,
	            shape->blocks, shape->threads, job->keys, 1u << (shape->tile_bits - 1),
	            1u << stride_bits, stride_bits == phase - 1, job->descending);
}

/* Fill what lies behind the keys with what belongs last. */
static inline int
pad_to(struct variant_job *job, unsigned bits)
{
	const size_t pads = ((size_t)1 << bits) - job->count;
	cudaError_t error;

	if (pads == 0)
		return 0;
	error = cudaMemsetAsync(job->keys + job->count, job->descending ? 0 : 0xff,
	                        pads * sizeof *job->keys, (cudaStream_t)job->stream);
	if (error != cudaSuccess || job->note == NULL)
		return error;
	return job->note(job, PAD, NULL, 0, (double)(pads * sizeof *job->keys));
}

/* Launches and bytes of pad_to(). */
static inline struct variant_cost
pad_cost(const struct variant_job *job, unsigned bits)
{
	const size_t pads = ((size_t)1 << bits) - job->count;

	return { pads != 0 ? 1.0 : 0.0, (double)(pads * sizeof *job->keys) };
}

#endif
