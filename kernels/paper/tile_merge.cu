// SPDX-License-Identifier: BSD-2-Clause
/*
 * tile_merge.cu - two sorted runs become one
 *
 * In:   runs A and B, ascending, anywhere in device memory.
 * Out:  their keys, ascending, elsewhere.
 *
 * Every block writes one block of the output.  Which keys of A and B belong
 * there is found by merge path: output position d splits both runs at a and
 * d - a, where a is the one place at which neither run has to give a key back
 * (Green, McColl, Bader, "GPU Merge Path", ICS 2012).  One small kernel finds
 * all splits, then the merge needs no search.
 *
 * A's keys ascending, then B's descending: that is a bitonic sequence, whatever
 * the lengths.  So the merge is the last step of the tile sort again, with keys
 * that come from two places: 13 stages in registers, no data-dependent branch,
 * no bank conflict (block/bitonic.cuh).  Each key is read and written once.
 *
 * Invariant: splits ascend, and each block gets block<Key>::KEYS keys but the last.
 */
#include "kernels/block/bitonic.cuh"
#include "kernels/launch.cuh"
#include "kernels/paper/tile_merge.h"

enum { SPLIT_THREADS = 128 };

/*
 * Points that a merge-path search looks at in each step.  Steps are one memory
 * latency each, log8 instead of log2 of them: what a search costs is latency.
 */
enum { PROBES = 7 };

/*
 * How many of the first D keys of the merged order come from A: the number of
 * i for which a[i] goes before b[d - 1 - i], which is true, then false.
 */
template <class Key> static __device__ size_t
split_at(const Key *a, size_t a_count, const Key *b, size_t b_count, size_t d)
{
	size_t low = d > b_count ? d - b_count : 0, high = d < a_count ? d : a_count;

	while (low < high) {
		const size_t step = (high - low + PROBES) / (PROBES + 1);
		unsigned before = 0;

#pragma unroll
		for (unsigned p = 1; p <= PROBES; p++) {
			size_t at = low + p * step - 1;

			if (at < high)
				before += a[at] <= b[d - 1 - at];
		}
		low += before * step;
		if (before < PROBES && low + step - 1 < high)
			high = low + step - 1;
	}
	return low;
}

/* Thread t finds where the output of block t begins; the last one, where all ends. */
template <class Key> static __global__ void
__launch_bounds__(SPLIT_THREADS)
split_kernel(size_t *splits, size_t split_count, const Key *a, size_t a_count,
             const Key *b, size_t b_count)
{
	const size_t t = blockIdx.x * (size_t)SPLIT_THREADS + threadIdx.x;
	const size_t d = t * block<Key>::KEYS, count = a_count + b_count;

	if (t < split_count)
		splits[t] = split_at(a, a_count, b, b_count, d < count ? d : count);
}

/* Merge one block's share.  Where the share is short, largest keys fill the middle. */
template <class Key> static __global__ void
__launch_bounds__(block<Key>::THREADS, block<Key>::BLOCKS)
merge_kernel(Key *out, const Key *a, const Key *b, size_t count, const size_t *splits)
{
	__shared__ __align__(16) Key shared[block<Key>::ROOM];
	const size_t from = blockIdx.x * (size_t)block<Key>::KEYS;
	const size_t to = count - from < block<Key>::KEYS ? count : from + block<Key>::KEYS;
	const size_t a_from = splits[blockIdx.x], a_to = splits[blockIdx.x + 1];
	const int a_keys = (int)(a_to - a_from), b_keys = (int)(to - from) - a_keys;
	/* this thread's keys: up from a_first, down from b_last, every THREADS-th */
	const Key *a_first = a + a_from + threadIdx.x;
	const Key *b_last = b + (from - a_from) + (block<Key>::KEYS - 1) - threadIdx.x;
	/* registers below a_end / THREADS are A's, from b_begin / THREADS on B's */
	const int a_end = a_keys - (int)threadIdx.x;
	const int b_begin = block<Key>::KEYS - b_keys - (int)threadIdx.x;
	Key x[THREAD_KEYS];

	if (to - from == block<Key>::KEYS) {
#pragma unroll
		for (int r = 0; r < THREAD_KEYS; r++) {
			const int at = r * block<Key>::THREADS;

			x[r] = *(at < a_end ? a_first + at : b_last - at);
		}
	} else {
#pragma unroll
		for (int r = 0; r < THREAD_KEYS; r++) {
			const int at = r * block<Key>::THREADS;

			x[r] = at < a_end ? a_first[at] :
			       at >= b_begin ? b_last[-at] : (Key)~(Key)0;
		}
	}
	block_merge(x, shared);
	block_store(out + from, to - from, x, shared);
}

template <class Key> static size_t
share_count(size_t count)
{
	return count / block<Key>::KEYS + (count % block<Key>::KEYS != 0);
}

extern "C" size_t
gs_tile_merge_scratch_bytes(unsigned bits, size_t count)
{
	size_t shares = bits == 32 ? share_count<uint32_t>(count) : share_count<uint64_t>(count);

	return (shares + 1) * sizeof(size_t);
}

extern "C" cudaError_t
gs_tile_merge(void *out, const void *a, size_t a_count, const void *b, size_t b_count,
              unsigned bits, void *scratch, cudaStream_t stream)
{
	return by_width<uint32_t, uint64_t>(bits, [&](auto key) {
		typedef decltype(key) Key;
		const size_t count = a_count + b_count, blocks = share_count<Key>(count);
		size_t *const splits = (size_t *)scratch;

		if (a_count == 0 || b_count == 0)
			return count == 0 ? cudaSuccess :
			       cudaMemcpyAsync(out, a_count == 0 ? b : a, count * sizeof(Key),
			                       cudaMemcpyDeviceToDevice, stream);
		TRY_CUDA(launch<false>(split_kernel<Key>, blocks / SPLIT_THREADS + 1, SPLIT_THREADS, stream,
		                       splits, blocks + 1, (const Key *)a, a_count, (const Key *)b, b_count));
		return launch<false>(merge_kernel<Key>, blocks, block<Key>::THREADS, stream, (Key *)out,
		                     (const Key *)a, (const Key *)b, count, splits);
	});
}
