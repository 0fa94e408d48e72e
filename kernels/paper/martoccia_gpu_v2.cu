// SPDX-License-Identifier: BSD-2-Clause
/*
 * martoccia_gpu_v2.cu - the tile in shared memory, if it fits   [report 001, 3.3]
 *
 * As V1, but a tile is sorted in shared memory, and the steps of later phases
 * whose stride is below a tile are one launch, a local merge, in shared memory
 * too.  Tiles of 2^t keys, 2^m in all, k = m - t:
 *
 *     launches = 1 + k (k + 1) / 2 + k        136 at 2^28, t = 13
 *     bytes moved = 2 * 4n * launches         292 GB at 2^28: 68 ms at 4.3 TB/s
 *
 * A tile must fit in the 48 KB that a block has without asking: 8192 keys, 32 KB.
 * As in the report, a grid with larger tiles falls back to V1; that is why V2
 * begins to win only where the grid is large enough.  The report always launched
 * 4096 blocks; here, unless told otherwise, it is as many as make tiles fit.
 * Shared memory is static, so a kernel is compiled for each size of tile; smaller
 * ones than 512 keys are not offered.
 *
 * The largest tile of the ladder gives the fewest sweeps; but each of its steps
 * costs a barrier, four accesses to shared memory a comparator, and index
 * arithmetic.  fraidakis_v3 shows the remedy for that, on smaller tiles.
 */
#include "kernels/paper/martoccia.cuh"

enum { LEAST_TILE_BITS = 9, MOST_TILE_BITS = 13 };

/* Block scope: steps of strides STRIDE .. 1, the first mirrored or not. */
template <unsigned PAIRS> static __device__ __forceinline__ void
tile_steps(uint32_t *tile, unsigned stride, bool mirrors, bool descending)
{
	for (; stride > 0; stride /= 2, mirrors = false) {
		merge_step(tile, threadIdx.x, PAIRS, blockDim.x, stride, mirrors, descending);
		__syncthreads();
	}
}

/* Block scope; ends with a barrier. */
template <unsigned KEYS> static __device__ __forceinline__ void
tile_copy(uint32_t *to, const uint32_t *from)
{
	for (unsigned i = threadIdx.x; i < KEYS; i += blockDim.x)
		to[i] = from[i];
	__syncthreads();
}

template <unsigned BITS> static __global__ void
tile_sort_kernel(uint32_t *keys, bool descending)
{
	__shared__ uint32_t shared[1 << BITS];
	uint32_t *tile = keys + ((size_t)blockIdx.x << BITS);

	tile_copy<1 << BITS>(shared, tile);
	for (unsigned half = 1; half < 1 << BITS; half *= 2)
		tile_steps<1 << (BITS - 1)>(shared, half, true, descending);
	tile_copy<1 << BITS>(tile, shared);
}

template <unsigned BITS> static __global__ void
merge_local_kernel(uint32_t *keys, bool descending)
{
	__shared__ uint32_t shared[1 << BITS];
	uint32_t *tile = keys + ((size_t)blockIdx.x << BITS);

	tile_copy<1 << BITS>(shared, tile);
	tile_steps<1 << (BITS - 1)>(shared, 1 << (BITS - 1), false, descending);
	tile_copy<1 << BITS>(tile, shared);
}

template <unsigned BITS> static int
sort_tiles_of(struct variant_job *job, const struct martoccia_shape *shape)
{
	const double bytes = sweep_bytes((size_t)1 << shape->bits);
	int error = step(job, SORT, bytes, tile_sort_kernel<BITS>, shape->blocks, shape->threads,
	                 job->keys, job->descending);

	for (unsigned phase = BITS + 1; error == 0 && phase <= shape->bits; phase++) {
		for (unsigned bit = phase - 1; error == 0 && bit >= BITS; bit--)
			error = merge_global(job, shape, phase, bit);
		if (error == 0)
			error = step(job, LOCAL, bytes, merge_local_kernel<BITS>, shape->blocks,
			             shape->threads, job->keys, job->descending);
	}
	return error;
}

/* 4096 blocks, or as many as make their tiles fit. */
static struct martoccia_shape
shape_of(const struct variant_job *job)
{
	const unsigned bits = variant_bits(job->count);
	const unsigned fits = bits > MOST_TILE_BITS ? 1u << (bits - MOST_TILE_BITS) : 1;

	return martoccia_shape_of(job, LEAST_TILE_BITS,
	                          fits > MARTOCCIA_BLOCKS ? fits : (unsigned)MARTOCCIA_BLOCKS);
}

extern "C" struct variant_cost
martoccia_gpu_v2_predict(const struct variant_job *job)
{
	const struct martoccia_shape shape = shape_of(job);
	const struct variant_cost pad = pad_cost(job, shape.bits);
	const double launches = variant_fused_launches(shape.bits, shape.tile_bits);

	if (shape.tile_bits > MOST_TILE_BITS)
		return martoccia_gpu_v1_predict(job);
	return { pad.launches + launches,
	         pad.bytes + launches * sweep_bytes((size_t)1 << shape.bits) };
}

extern "C" int
martoccia_gpu_v2_sort(struct variant_job *job)
{
	const struct martoccia_shape shape = shape_of(job);
	int error;

	if (shape.tile_bits > MOST_TILE_BITS)
		return martoccia_gpu_v1_sort(job);
	error = pad_to(job, shape.bits);
	if (error != 0)
		return error;
	switch (shape.tile_bits) {
	case 9:  return sort_tiles_of<9>(job, &shape);
	case 10: return sort_tiles_of<10>(job, &shape);
	case 11: return sort_tiles_of<11>(job, &shape);
	case 12: return sort_tiles_of<12>(job, &shape);
	case 13: return sort_tiles_of<13>(job, &shape);
	}
	return cudaErrorInvalidValue;
}
