// SPDX-License-Identifier: BSD-2-Clause
/*
 * leaf_launch.cuh - sort the listed leaves, each kind with its own network
 *
 * In:   lists of leaves, and what they lie in.
 * Out:  their keys, sorted, where they belong; how many segments there are to divide.
 */
#ifndef GS_LEAF_LAUNCH_CUH
#define GS_LEAF_LAUNCH_CUH

#include "kernels/block/leaf_sort.cuh"
#include "kernels/device/scratch.cuh"

#define TRY_CUDA(call) \
	do { \
		cudaError_t try_error = (call); \
		if (try_error != cudaSuccess) \
			return try_error; \
	} while (0)

/* One sort under way. */
template <class Key> struct job {
	Key         *keys, *other;
	size_t       count;
	scratch      s;
	bin_plan     plan;
	unsigned     sms;
	cudaStream_t stream;
	cudaEvent_t  known;	/* lists are complete */
};

template <class Key> static lists
lists_of(const job<Key> &j, unsigned leaf_bits, bool in_place)
{
	lists l = { {}, j.s.listed, in_place, leaf_bits };

	for (int k = 0; k < KINDS; k++)
		l.list[k] = j.s.lists[k];
	return l;
}

/* ---- leaves are sorted ---------------------------------------------------- */

/* Blocks take the leaves of a list in turn. */
template <unsigned BITS> static __global__ void
__launch_bounds__(block<pair<BITS>>::THREADS, block<pair<BITS>>::BLOCKS)
narrow_kernel(uint32_t *to, const uint32_t *from, const leaf_item *list, const uint32_t *listed)
{
	begin_in_turn();

	DYNAMIC_SHARED(shared);

	for (uint32_t i = blockIdx.x; i < *listed; i += gridDim.x) {
		const leaf_item item = list[i];

		leaf_sort_narrow<BITS>(to + item.from, from + item.from, (uint32_t)item.count,
		                       (uint32_t)item.low, (pair<BITS> *)shared);
		__syncthreads();
	}
}

template <unsigned BITS> static __global__ void
__launch_bounds__(block<word<BITS>>::THREADS, block<word<BITS>>::BLOCKS)
word_kernel(uint32_t *to, const uint32_t *from, const leaf_item *list, const uint32_t *listed)
{
	begin_in_turn();

	DYNAMIC_SHARED(shared);

	for (uint32_t i = blockIdx.x; i < *listed; i += gridDim.x) {
		const leaf_item item = list[i];

		leaf_sort<BITS>(to + item.from, from + item.from, (uint32_t)item.count,
		                (word<BITS> *)shared);
		__syncthreads();
	}
}

template <unsigned BITS> static __global__ void
__launch_bounds__(block<word<BITS>>::THREADS, block<word<BITS>>::BLOCKS / 2)
word_kernel(uint64_t *to, const uint64_t *from, const leaf_item *list, const uint32_t *listed)
{
	begin_in_turn();

	DYNAMIC_SHARED(shared);
	leaf_space<BITS> *space = (leaf_space<BITS> *)shared;

	for (uint32_t i = blockIdx.x; i < *listed; i += gridDim.x) {
		const leaf_item item = list[i];

		if (!leaf_sort<BITS>(to + item.from, from + item.from, (uint32_t)item.count, item.low,
		                     space))
			leaf_sort_slowly<BITS>(to + item.from, (uint32_t)item.count, item.low, space);
		__syncthreads();
	}
}

template <class Key> static __global__ void
equal_kernel(Key *to, const leaf_item *list, const uint32_t *listed)
{
	begin_in_turn();

	for (uint32_t i = blockIdx.x; i < *listed; i += gridDim.x) {
		const leaf_item item = list[i];

		for (uint32_t k = threadIdx.x; k < item.count; k += blockDim.x)
			to[item.from + k] = (Key)item.low;
	}
}

/* Leaves of KIND, by four times as many blocks as fit at once: these even out. */
template <class Net, class Key> static cudaError_t
sort_kind(const job<Key> &j, int kind, size_t shared_bytes, unsigned blocks, const Key *from,
          void (*kernel)(Key *, const Key *, const leaf_item *, const uint32_t *))
{
	const size_t most = j.count / LEAF_KEYS * 3 + 3;

	/* not early: at 2^20 keys they would be sorted by half of the multiprocessors */
	return launch_shared<false>(kernel, std::min<size_t>(j.sms * blocks * 4, most),
	                            block<Net>::THREADS, shared_bytes, j.stream, j.keys, from,
	                            j.s.lists[kind], &j.s.listed[kind]);
}

template <unsigned BITS> static cudaError_t
sort_words(const job<uint32_t> &j, int kind, const uint32_t *from)
{
	typedef word<BITS> net;

	return sort_kind<net>(j, kind, block<net>::ROOM * sizeof(net), block<net>::BLOCKS, from,
	                      word_kernel<BITS>);
}

template <unsigned BITS> static cudaError_t
sort_words(const job<uint64_t> &j, int kind, const uint64_t *from)
{
	return sort_kind<word<BITS>>(j, kind, sizeof(leaf_space<BITS>), block<word<BITS>>::BLOCKS / 2,
	                             from, word_kernel<BITS>);
}

/* 2^BITS words, so twice as many keys. */
template <unsigned BITS> static cudaError_t
sort_narrow(const job<uint32_t> &j, int kind, const uint32_t *from)
{
	typedef pair<BITS> net;

	return sort_kind<net>(j, kind, block<net>::ROOM * sizeof(net), block<net>::BLOCKS, from,
	                      narrow_kernel<BITS>);
}

static cudaError_t
sort_leaves(const job<uint32_t> &j, int kind, const uint32_t *from)
{
	switch (kind) {
	case NARROW_12: return sort_narrow<11>(j, kind, from);
	case NARROW_13: return sort_narrow<12>(j, kind, from);
	case NARROW_14: return sort_narrow<13>(j, kind, from);
	case NARROW_15: return sort_narrow<14>(j, kind, from);
	case WORD_12:   return sort_words<12>(j, kind, from);
	case WORD_13:   return sort_words<13>(j, kind, from);
	case WORD_14:   return sort_words<14>(j, kind, from);
	default:        return sort_words<15>(j, kind, from);
	}
}

static cudaError_t
sort_leaves(const job<uint64_t> &j, int kind, const uint64_t *from)
{
	switch (kind) {
	case WORD_12:   return sort_words<12>(j, kind, from);
	case WORD_13:   return sort_words<13>(j, kind, from);
	default:        return sort_words<14>(j, kind, from);
	}
}

/*
 * Sort what is listed, from FROM to where it belongs; then how many are TOO_LARGE.
 * LIKELY kinds (KINDS: none) are queued before anybody knows how many there are.  While
 * these are at work, the host asks on another stream, and has it sort the other kinds:
 * these are few, and each alone would take as long as its longest leaf.
 */
template <class Key> static cudaError_t
sort_listed(const job<Key> &j, const Key *from, int likely, int narrow, uint32_t *too_large)
{
	const cudaStream_t aside = cudaStreamPerThread;
	job<Key> others = j;
	uint32_t listed[KINDS];

	others.stream = aside;
	TRY_CUDA(cudaEventRecord(j.known, j.stream));
	for (int kind : { likely, narrow })
		if (kind < KINDS)
			TRY_CUDA(sort_leaves(j, kind, from));
	TRY_CUDA(cudaStreamWaitEvent(aside, j.known, 0));
	TRY_CUDA(cudaMemcpyAsync(listed, j.s.listed, sizeof listed, cudaMemcpyDeviceToHost, aside));
	TRY_CUDA(cudaStreamSynchronize(aside));
	*too_large = listed[TOO_LARGE];
	listed[TOO_LARGE] = 0;
	for (int kind : { likely, narrow })
		if (kind < KINDS)
			listed[kind] = 0;
	if (listed[EQUAL] > 0)
		TRY_CUDA(launch(equal_kernel<Key>, j.sms * 4, 512, aside, j.keys, j.s.lists[EQUAL],
		                &j.s.listed[EQUAL]));
	for (int kind = NARROW_12; kind < KINDS; kind++)
		if (listed[kind] > 0)
			TRY_CUDA(sort_leaves(others, kind, from));
	if (std::count(listed, listed + KINDS, 0u) == KINDS)
		return cudaSuccess;
	TRY_CUDA(cudaEventRecord(j.known, aside));
	return cudaStreamWaitEvent(j.stream, j.known, 0);
}

#endif
