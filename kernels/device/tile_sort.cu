// SPDX-License-Identifier: BSD-2-Clause
/*
 * tile_sort.cu - sort a tile in place: a pure bitonic network
 *
 * In:   COUNT keys, in any order.
 * Out:  the same keys, ascending.
 *
 * Phase p makes sorted pieces of 2^p keys from pieces of half that, in p stages
 * of strides 2^(p-1) .. 1 (thread/bitonic.cuh draws them).  The first phases, up to pieces
 * of one block (2^13 u32, 2^12 u64), are one kernel that reads each key once.
 * A later phase p does the strides that span blocks in passes over device memory,
 * five at a time in registers, and all others in one more.  For 2^m keys and
 * blocks of 2^b that makes
 *
 *     sweeps = 1 + sum over p = b+1 .. m of (1 + ceil((p - b) / 5))
 *
 * each of which reads and writes every key: 23 for 2^22 u32, 26 for 2^22 u64.
 * doc/notebook/device-sort.md says what that should cost.
 *
 * K. E. Batcher, "Sorting networks and their applications", AFIPS 1968.
 *
 * A tile need not be a power of two.  Keys behind its end are imagined, each the
 * largest there is: no comparator ever moves one of them (it has the larger index
 * and is not the smaller key), so they are neither read nor written.
 *
 * Invariant: after phase p each aligned piece of 2^p keys is sorted.
 */
#include "kernels/block/bitonic.cuh"
#include "kernels/kernels.h"
#include "kernels/launch.cuh"

/* The key at AT, or the imagined one behind the end. */
template <class Key> static __device__ __forceinline__ Key
key_at(const Key *keys, size_t at, size_t count)
{
	return at < count ? keys[at] : (Key)~(Key)0;
}

/*
 * Sort each block's keys.  They may come to the threads in any order, so each
 * thread takes 16 bytes at a time and its neighbour the next 16.
 */
template <class Key> static __global__ void
__launch_bounds__(block<Key>::THREADS, block<Key>::BLOCKS)
block_sort_kernel(Key *keys, size_t count)
{
	__shared__ __align__(16) Key shared[block<Key>::ROOM];
	const size_t from = blockIdx.x * (size_t)block<Key>::KEYS;
	Key *mine = keys + from;
	Key x[THREAD_KEYS];

	if (count - from >= block<Key>::KEYS && (uintptr_t)mine % 16 == 0) {
#pragma unroll
		for (unsigned j = 0; j < THREAD_KEYS / block<Key>::PACK; j++) {
			const unsigned at = j * block<Key>::THREADS + threadIdx.x;
			const pack<Key> some = ((const pack<Key> *)mine)[at];

#pragma unroll
			for (unsigned k = 0; k < block<Key>::PACK; k++)
				x[j * block<Key>::PACK + k] = some.at[k];
		}
	} else {
#pragma unroll
		for (unsigned r = 0; r < THREAD_KEYS; r++)
			x[r] = key_at(mine, r * block<Key>::THREADS + threadIdx.x, count - from);
	}
	block_sort(x, shared);
	block_store(mine, count - from, x, shared);
}

/* Sort each block's keys, which are bitonic: all strides below a block's size. */
template <class Key> static __global__ void
__launch_bounds__(block<Key>::THREADS, block<Key>::BLOCKS)
block_merge_kernel(Key *keys, size_t count)
{
	__shared__ __align__(16) Key shared[block<Key>::ROOM];
	const size_t from = blockIdx.x * (size_t)block<Key>::KEYS;
	Key *mine = keys + from;
	Key x[THREAD_KEYS];

	if (count - from >= block<Key>::KEYS) {
#pragma unroll
		for (unsigned r = 0; r < THREAD_KEYS; r++)
			x[r] = mine[r * block<Key>::THREADS + threadIdx.x];
	} else {
#pragma unroll
		for (unsigned r = 0; r < THREAD_KEYS; r++)
			x[r] = key_at(mine, r * block<Key>::THREADS + threadIdx.x, count - from);
	}
	block_merge(x, shared);
	block_store(mine, count - from, x, shared);
}

enum { PASS_THREADS = 128 };

/*
 * A group is 2^STAGES rows of STRIDE keys, and a thread takes one column of it,
 * its neighbour the next: no two threads share a key, and a warp reads whole
 * lines.  With FLIP the column is mirrored in the lower half of the rows.
 *
 * @upper, @lower  this thread's first key in either half of the rows
 * WHOLE           all of the group lies before END
 *
 * It walks down both halves at once, reading, and back up, writing.
 */
template <unsigned STAGES, bool FLIP, bool WHOLE, class Key> static __device__ __forceinline__ void
pass_column(Key *upper, Key *lower, const Key *end, size_t stride)
{
	enum { HALF = 1 << (STAGES - 1) };
	const Key largest = (Key)~(Key)0;
	Key x[2 * HALF];

#pragma unroll
	for (int r = 0; r < HALF; r++) {
		x[r]        = WHOLE || upper < end ? *upper : largest;
		x[r + HALF] = WHOLE || lower < end ? *lower : largest;
		if (r < HALF - 1) {
			upper = forget(upper + stride);
			lower = forget(lower + stride);
		}
	}
	if constexpr (FLIP)
		thread_flip<2 * HALF, 2 * HALF>(x);
	thread_halve<2 * HALF, FLIP ? HALF : 2 * HALF, 2>(x);
#pragma unroll
	for (int r = HALF - 1; r >= 0; r--) {
		if (WHOLE || upper < end)
			*upper = x[r];
		if (WHOLE || lower < end)
			*lower = x[r + HALF];
		if (r > 0) {
			upper = forget(upper - stride);
			lower = forget(lower - stride);
		}
	}
}

/*
 * STAGES stages, of strides 2^(STAGES-1) STRIDE .. STRIDE = 2^low_bits, in
 * registers; with FLIP the first of them is the flip that begins a phase.
 */
template <class Key, unsigned STAGES, bool FLIP> static __global__ void
__launch_bounds__(PASS_THREADS, tune<Key>::PASS_BLOCKS)
pass_kernel(Key *keys, size_t count, unsigned low_bits)
{
	const size_t t = blockIdx.x * (size_t)PASS_THREADS + threadIdx.x;
	const size_t stride = (size_t)1 << low_bits, half = stride << (STAGES - 1);
	const size_t column = t & (stride - 1), from = (t - column) << STAGES;
	Key *upper = keys + from + column;
	Key *lower = keys + from + half + (FLIP ? stride - 1 - column : column);

	if (count - from >= 2 * half)
		pass_column<STAGES, FLIP, true>(upper, lower, keys + count, stride);
	else
		pass_column<STAGES, FLIP, false>(upper, lower, keys + count, stride);
}

template <class Key> static cudaError_t
tile_sort(Key *keys, size_t count, cudaStream_t stream)
{
	void (*const flips[])(Key *, size_t, unsigned) = {
		pass_kernel<Key, 1, true>, pass_kernel<Key, 2, true>, pass_kernel<Key, 3, true>,
		pass_kernel<Key, 4, true>, pass_kernel<Key, 5, true>,
	};

	if (count < 2)
		return cudaSuccess;
	TRY_CUDA(launch<false>(block_sort_kernel<Key>, (count - 1) / block<Key>::KEYS + 1,
	                       block<Key>::THREADS, stream, keys, count));
	for (unsigned bits = block<Key>::BITS + 1; (count - 1) >> (bits - 1) != 0; bits++) {
		const size_t half = (size_t)1 << (bits - 1), rest = count & (2 * half - 1);
		/* a last piece of one half only is sorted already */
		const size_t unsorted = rest <= half ? count - rest : count;
		const unsigned odd = (bits - block<Key>::BITS - 1) % 5 + 1;

		/* the strides that span blocks: the odd ones with the flip, then five by five */
		for (unsigned high = bits, low = bits - odd; high > block<Key>::BITS; high = low, low -= 5) {
			const size_t groups = ((unsorted - 1) >> high) + 1;

			TRY_CUDA(launch<false>(high == bits ? flips[odd - 1] : pass_kernel<Key, 5, false>,
			                       (groups << low) / PASS_THREADS, PASS_THREADS, stream, keys,
			                       unsorted, low));
		}
		TRY_CUDA(launch<false>(block_merge_kernel<Key>, (unsorted - 1) / block<Key>::KEYS + 1,
		                       block<Key>::THREADS, stream, keys, unsorted));
	}
	return cudaSuccess;
}

extern "C" cudaError_t
gs_tile_sort(void *keys, unsigned bits, size_t count, cudaStream_t stream)
{
	return by_width<uint32_t, uint64_t>(bits, [&](auto key) {
		return tile_sort((decltype(key) *)keys, count, stream);
	});
}
