// SPDX-License-Identifier: BSD-2-Clause
/*
 * martoccia_gpu_v1.cu - a fixed grid strides over pairs in global memory   [report 001, 3.2]
 *
 * martoccia.cuh has the index map.  A first kernel sorts each block's tile, where
 * it lies, with a barrier after each step; then every step of every later phase is
 * a launch.  Tiles of 2^t keys, 2^m in all:
 *
 *     launches = 1 + sum over p = t+1 .. m of p       271 at 2^28, 4096 blocks: t = 16
 *     bytes asked = 2 * 4n * m (m + 1) / 2            every step, launched or not
 *
 * Strides below a tile are done by launches again in each later phase, though no
 * key leaves its block: V2 attacks these.  The keys of a tile of 256 KB fit no L1
 * cache, so the first kernel saves launches and no bytes.
 */
#include "kernels/paper/martoccia.cuh"

enum { LEAST_TILE_BITS = 1 };

/* Block scope: sort the block's own tile of 2 PAIRS keys. */
static __global__ void
tile_sort_kernel(uint32_t *keys, unsigned pairs, bool descending)
{
	uint32_t *tile = keys + (size_t)blockIdx.x * 2 * pairs;

	for (unsigned half = 1; half <= pairs; half *= 2)
		for (unsigned stride = half; stride > 0; stride /= 2) {
			merge_step(tile, threadIdx.x, pairs, blockDim.x, stride, stride == half,
			           descending);
			__syncthreads();
		}
}

extern "C" struct variant_cost
martoccia_gpu_v1_predict(const struct variant_job *job)
{
	const struct martoccia_shape shape =
		martoccia_shape_of(job, LEAST_TILE_BITS, MARTOCCIA_BLOCKS);
	const struct variant_cost pad = pad_cost(job, shape.bits);

	return { pad.launches + 1 + variant_steps(shape.bits) - variant_steps(shape.tile_bits),
	         pad.bytes + variant_steps(shape.bits) * sweep_bytes((size_t)1 << shape.bits) };
}

extern "C" int
martoccia_gpu_v1_sort(struct variant_job *job)
{
	const struct martoccia_shape shape =
		martoccia_shape_of(job, LEAST_TILE_BITS, MARTOCCIA_BLOCKS);
	int error = pad_to(job, shape.bits);

	if (error == 0)
		error = step(job, SORT,
		             variant_steps(shape.tile_bits) * sweep_bytes((size_t)1 << shape.bits),
		             tile_sort_kernel, shape.blocks, shape.threads,
		             job->keys, 1u << (shape.tile_bits - 1), job->descending);
	for (unsigned phase = shape.tile_bits + 1; phase <= shape.bits; phase++)
		for (unsigned bit = phase; error == 0 && bit-- > 0; )
			error = merge_global(job, &shape, phase, bit);
	return error;
}
