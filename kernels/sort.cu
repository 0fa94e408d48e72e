// SPDX-License-Identifier: BSD-2-Clause
/*
 * sort.cu - sort keys in device memory: partition, then bitonic leaves
 *
 * In:   COUNT keys, and as much room again.
 * Out:  the same keys, ascending, in the same place.
 *
 *     count digits          one sweep that only reads           count.cuh
 *     partition, once or    each one sweep                      partition.cuh
 *     twice
 *     sort leaves           one sweep                           leaf.cuh
 *
 * Bins are as many as leaves are needed: a bin of evenly spread keys fills a leaf
 * of 2^12 to nine tenths, and six standard deviations fit into the rest.  Bins
 * that lie next to each other and are small share a leaf.  Keys that are not
 * evenly spread make larger bins: for these there are leaves of up to 2^15 keys;
 * a bin of one value needs no sorting; and what is larger still is sorted by
 * itself, its own range divided anew.
 *
 * Invariant: a window's small bins together are shorter than a leaf.
 */
#include <algorithm>

#include "kernels/count.cuh"
#include "kernels/kernels.h"
#include "kernels/launch.cuh"
#include "kernels/leaf.cuh"

#ifndef GS_ONE_LEVEL
#define GS_ONE_LEVEL	1024		/* the emulator's are fewer, so that few keys go both ways */
#endif

enum {
	LEAF_BITS   = 12,
	LEAF_KEYS   = 1 << LEAF_BITS,
	LEAF_MEAN   = 3700,		/* + 6 sqrt(3700) < 2^12 */
	ONE_LEVEL   = GS_ONE_LEVEL,	/* bins: up to these, one partition */
	EQUAL_KEYS  = 1 << 16,		/* of one value, that a block writes */
	SMALL       = 1 << 16,		/* keys: fewer go to the network at once */
	DEPTH       = 4,		/* of bins in bins in bins; then the network, too */
};

/* Kinds of leaves; WORD_12 and on are networks of 2^12 words, 2^13, ... */
enum kind { NARROW, EQUAL, TOO_LARGE, WORD_12, WORD_13, WORD_14, WORD_15, KINDS };

struct leaf_item {
	uint64_t from, count, low;	/* no key is below LOW */
};

/* All of the scratch memory, for a count of keys. */
struct scratch {
	knowledge *known;
	uint32_t  *listed;		/* KINDS of them: leaves in each list */
	uint32_t  *windows;
	number    *counts;		/* for the first guess, then for the second */
	size_t     zero_bytes;		/* all before this is zero at first */
	number    *begins, *cursors[2];
	uint64_t  *segments;
	leaf_item *lists[KINDS];	/* TOO_LARGE is first of all */
	char      *rest;		/* for the sorts of what is too large: all but that list */
	size_t     bytes;

	uint32_t   bins, low_bits, segment_count, window_count;
};

/* Room for the leaves of a kind: bins larger than a leaf are fewer than keys / size. */
static size_t
list_room(kind k, size_t windows)
{
	switch (k) {
	case NARROW: case WORD_12: return 2 * windows;
	case EQUAL:                return windows + windows / (EQUAL_KEYS / LEAF_KEYS) + 1;
	case TOO_LARGE:            return windows / 4 + 1;
	default:                   return windows >> (k - WORD_13);
	}
}

/* Memory for COUNT of TYPE at *END, at a multiple of 256 bytes. */
template <class Type> static void
carve(Type **place, char *base, size_t *end, size_t count)
{
	*place = (Type *)(base + *end);
	*end += (count * sizeof(Type) + 255) / 256 * 256;
}

static scratch
scratch_of(void *memory, size_t count)
{
	const size_t wanted = (count + LEAF_MEAN - 1) / LEAF_MEAN;
	char *base = (char *)memory;
	scratch s = {};

	while (wanted > ONE_LEVEL && wanted >> (2 * s.low_bits + 1) > 0)
		s.low_bits++;
	s.segment_count = (uint32_t)(((wanted - 1) >> s.low_bits) + 1);
	s.bins = s.segment_count << s.low_bits;
	s.window_count = (uint32_t)(count / LEAF_KEYS + 1);
	carve(&s.lists[TOO_LARGE], base, &s.bytes, list_room(TOO_LARGE, s.window_count));
	s.rest = base + s.bytes;
	carve(&s.known, base, &s.bytes, 1);
	carve(&s.listed, base, &s.bytes, KINDS);
	carve(&s.windows, base, &s.bytes, 2 * (size_t)s.window_count);
	carve(&s.counts, base, &s.bytes, 2 * (size_t)s.bins);
	s.zero_bytes = s.bytes - (size_t)(s.rest - base);
	carve(&s.begins, base, &s.bytes, s.bins + 1);
	carve(&s.segments, base, &s.bytes, s.segment_count + 1);
	carve(&s.cursors[0], base, &s.bytes, s.segment_count);
	if (s.low_bits > 0)
		carve(&s.cursors[1], base, &s.bytes, s.bins);
	for (int k = 0; k < KINDS; k++)
		if (k != TOO_LARGE)
			carve(&s.lists[k], base, &s.bytes, list_room((kind)k, s.window_count));
	return s;
}

/* ---- leaves are listed ---------------------------------------------------- */

/* What list_kernel's threads need. */
struct listing {
	const number *begins;
	const uint32_t *windows;
	uint32_t window_count;
	leaf_item *lists[KINDS];
	uint32_t *listed;
	bool in_place;			/* keys lie already where they belong */
};

/* Append ITEM to list WHERE (KINDS: to none); all lanes call. */
static __device__ void
append(const listing &l, int where, const leaf_item &item)
{
	const unsigned lane = threadIdx.x % 32;

#pragma unroll
	for (int k = 0; k < KINDS; k++) {
		const unsigned lanes = __ballot_sync(ALL_LANES, where == k);
		uint32_t at = 0;

		if (lanes == 0)
			continue;
		if (lane == 0)
			at = atomicAdd(&l.listed[k], (uint32_t)__popc(lanes));
		at = __shfl_sync(ALL_LANES, at, 0);
		if (where == k)
			l.lists[k][at + (uint32_t)__popc(lanes & ((1u << lane) - 1))] = item;
	}
}

template <class Key> static __device__ int
kind_of(const listing &l, const leaf_item &item, uint64_t values)
{
	const int largest = sizeof(Key) == 4 ? WORD_15 : WORD_14;

	if (item.count == 0 || (l.in_place && (item.count == 1 || values == 1)))
		return KINDS;
	if (item.count <= LEAF_KEYS)
		return sizeof(Key) == 4 && values <= 1 << 16 ? NARROW : WORD_12;
	if (values == 1)
		return EQUAL;
	for (int k = WORD_13; k <= largest; k++)
		if (item.count <= (uint64_t)LEAF_KEYS << (k - WORD_12))
			return k;
	return TOO_LARGE;
}

/* A leaf of bins FIRST to LAST - 1, or nothing; all lanes call. */
template <class Key> static __device__ void
list_leaf(const listing &l, const digits &d, uint32_t first, uint32_t last)
{
	leaf_item item = {};
	int k = KINDS;

	if (first < last) {
		item.from = l.begins[first];
		item.count = l.begins[last] - item.from;
		item.low = digit_begin(d, first);
		k = kind_of<Key>(l, item, digit_begin(d, last) - item.low);
	}
	if (k == EQUAL) {	/* in pieces, each for one block */
		for (uint64_t rest = item.count; rest > 0; rest -= item.count) {
			item.count = min(rest, (uint64_t)EQUAL_KEYS);
			l.lists[EQUAL][atomicAdd(&l.listed[EQUAL], 1u)] = item;
			item.from += item.count;
		}
		k = KINDS;
	}
	append(l, k, item);
}

/*
 * Thread w lists the leaves of the bins that begin in window w: one, if all of
 * them fit, or all but the last bin, and the last.
 */
template <class Key> static __global__ void
list_kernel(listing l, const knowledge *known)
{
	const uint32_t w = blockIdx.x * blockDim.x + threadIdx.x;
	const digits d = known->plan;
	uint32_t first = 0, last = 0, middle = 0;

	if (w < l.window_count && l.windows[2 * w] != 0) {
		first = ~l.windows[2 * w];
		last = l.windows[2 * w + 1] + 1;
		middle = l.begins[last] - l.begins[first] <= LEAF_KEYS ? last : last - 1;
	}
	list_leaf<Key>(l, d, first, middle);
	list_leaf<Key>(l, d, middle, last);
}

/* ---- leaves are sorted ---------------------------------------------------- */

/* Blocks take the leaves of a list in turn. */
template <unsigned BITS> static __global__ void
__launch_bounds__(block<pair<BITS>>::THREADS, block<pair<BITS>>::BLOCKS)
narrow_kernel(uint32_t *to, const uint32_t *from, const leaf_item *list, const uint32_t *listed)
{
	__shared__ __align__(16) pair<BITS> shared[block<pair<BITS>>::ROOM];

	for (uint32_t i = blockIdx.x; i < *listed; i += gridDim.x) {
		const leaf_item item = list[i];

		leaf_sort_narrow<BITS>(to + item.from, from + item.from, (uint32_t)item.count,
		                       (uint32_t)item.low, shared);
		__syncthreads();
	}
}

template <unsigned BITS> static __global__ void
__launch_bounds__(block<word<BITS>>::THREADS, block<word<BITS>>::BLOCKS)
word_kernel(uint32_t *to, const uint32_t *from, const leaf_item *list, const uint32_t *listed)
{
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
	for (uint32_t i = blockIdx.x; i < *listed; i += gridDim.x) {
		const leaf_item item = list[i];

		for (uint32_t k = threadIdx.x; k < item.count; k += blockDim.x)
			to[item.from + k] = (Key)item.low;
	}
}

template <unsigned BITS> static size_t
word_bytes(const uint32_t *)
{
	return block<word<BITS>>::ROOM * sizeof(word<BITS>);
}

template <unsigned BITS> static size_t
word_bytes(const uint64_t *)
{
	return sizeof(leaf_space<BITS>);
}

/* ---- the whole ------------------------------------------------------------ */

/* One sort under way. */
template <class Key> struct job {
	Key         *keys, *other;
	size_t       count;
	scratch      s;
	unsigned     sms;
	cudaStream_t stream;
};

/* Leaves of KIND, if ENOUGH of them are expected, by as many blocks as fit at once. */
template <unsigned BITS, class Key> static cudaError_t
sort_words(const job<Key> &j, const Key *from, kind k)
{
	const unsigned blocks = block<word<BITS>>::BLOCKS / (sizeof(Key) / 4);
	void (*kernel)(Key *, const Key *, const leaf_item *, const uint32_t *) = word_kernel<BITS>;

	return launch_shared(kernel, std::min<size_t>(j.sms * blocks, list_room(k, j.s.window_count)),
	                     block<word<BITS>>::THREADS, word_bytes<BITS>(from), j.stream,
	                     j.keys, from, j.s.lists[k], &j.s.listed[k]);
}

static cudaError_t
sort_narrow(const job<uint32_t> &j, const uint32_t *from)
{
	enum { BITS = LEAF_BITS - 1, BLOCKS = 16 };	/* of 2^12 keys: two in a word */

	return launch(narrow_kernel<BITS>,
	              std::min<size_t>(j.sms * BLOCKS, list_room(NARROW, j.s.window_count)),
	              block<pair<BITS>>::THREADS, j.stream, j.keys, from, j.s.lists[NARROW],
	              &j.s.listed[NARROW]);
}

static cudaError_t
sort_narrow(const job<uint64_t> &, const uint64_t *)
{
	return cudaSuccess;
}

#define TRY_CUDA(call) \
	do { \
		cudaError_t try_error = (call); \
		if (try_error != cudaSuccess) \
			return try_error; \
	} while (0)

template <class Key> static cudaError_t
count_digits(const job<Key> &j)
{
	const scratch &s = j.s;
	const uint32_t sweeps = (s.bins + COUNT_BINS - 1) / COUNT_BINS;
	const size_t bytes = (std::min<size_t>(s.bins, COUNT_BINS) + 1) / 2 * 4;
	const size_t parts = j.count / (COUNT_THREADS * COUNT_LOADS * 16 / sizeof(Key)) + 1;
	const size_t blocks = std::max<size_t>(j.sms * (bytes <= 100 << 10 ? 2 : 1) / sweeps, 1);
	const places p = { s.begins, { s.cursors[0], s.cursors[1] }, s.segments, s.low_bits,
	                   s.windows, LEAF_KEYS };

	TRY_CUDA(launch(sample_kernel<Key>, 1, COUNT_THREADS, j.stream, j.keys, j.count, s.bins,
	                s.known));
	for (int again = 0; again < 2; again++)
		TRY_CUDA(launch_shared(count_kernel<Key>, std::min(blocks, parts) * sweeps,
		                       COUNT_THREADS, bytes, j.stream, s.counts, j.keys, j.count,
		                       s.bins, sweeps, s.known, again != 0));
	return launch(place_kernel, (s.bins + PLACE_BINS - 1) / PLACE_BINS, COUNT_THREADS, j.stream,
	              s.counts, s.bins, s.known, p);
}

template <unsigned THREADS, unsigned ITEMS, unsigned BLOCKS, class Key> static cudaError_t
partition_by(const job<Key> &j, Key *to, const Key *from, const level &l)
{
	enum { TILE = THREADS * ITEMS };

	return launch_shared(partition_kernel<Key, THREADS, ITEMS, BLOCKS>,
	                     level_tiles(j.count, l.segments, TILE), THREADS,
	                     partition_bytes<Key, TILE>(l.bins), j.stream, to, from, &j.s.known->plan,
	                     l);
}

/* One level, with tiles as large as the keys fill the GPU with, and the bins want. */
template <class Key> static cudaError_t
partition(const job<Key> &j, Key *to, const Key *from, const level &l)
{
	if (l.bins > 768 && j.count >= (size_t)1 << 22)
		return partition_by<1024, sizeof(Key) == 4 ? 32 : 16, 1>(j, to, from, l);
	if (j.count >= (size_t)1 << 22)
		return partition_by<512, sizeof(Key) == 4 ? 24 : 16, 2>(j, to, from, l);
	return partition_by<512, 8, 3>(j, to, from, l);
}

template <class Key> static cudaError_t
list_leaves(const job<Key> &j, bool in_place)
{
	const scratch &s = j.s;
	listing l = { s.begins, s.windows, s.window_count, {}, s.listed, in_place };

	for (int k = 0; k < KINDS; k++)
		l.lists[k] = s.lists[k];
	return launch(list_kernel<Key>, s.window_count / 128 + 1, 128, j.stream, l, s.known);
}

template <class Key> static cudaError_t sort_any(const job<Key> &j, unsigned depth);

/* Tiles sorted, then merged pairwise: for what no partition divides. */
template <class Key> static cudaError_t
sort_by_network(const job<Key> &j)
{
	const size_t tile = std::min<size_t>(j.count, (size_t)1 << 20);
	const unsigned bits = sizeof(Key) * 8;
	Key *from = j.keys, *to = j.other;

	for (size_t at = 0; at < j.count; at += tile)
		TRY_CUDA(gs_tile_sort(j.keys + at, bits, std::min(tile, j.count - at), j.stream));
	for (size_t run = tile; run < j.count; run *= 2, std::swap(from, to))
		for (size_t at = 0; at < j.count; at += 2 * run) {
			const size_t a = std::min(run, j.count - at), b = std::min(run, j.count - at - a);

			TRY_CUDA(gs_tile_merge(to + at, from + at, a, from + at + a, b, bits,
			                       j.s.known, j.stream));
		}
	return from == j.keys ? cudaSuccess :
	       cudaMemcpyAsync(j.keys, from, j.count * sizeof(Key), cudaMemcpyDeviceToDevice, j.stream);
}

/* Bins beyond all leaves, one by one; each has less to do than all together. */
template <class Key> static cudaError_t
sort_too_large(const job<Key> &j, const Key *from, uint32_t many, unsigned depth)
{
	enum { SOME = 64 };
	leaf_item items[SOME];

	for (uint32_t at = 0; at < many; at += SOME) {
		const uint32_t some = std::min<uint32_t>(many - at, SOME);

		TRY_CUDA(cudaMemcpyAsync(items, j.s.lists[TOO_LARGE] + at, some * sizeof items[0],
		                         cudaMemcpyDeviceToHost, j.stream));
		TRY_CUDA(cudaStreamSynchronize(j.stream));
		for (uint32_t i = 0; i < some; i++) {
			job<Key> part = j;

			part.keys += items[i].from;
			part.other += items[i].from;
			part.count = items[i].count;
			part.s = scratch_of(j.s.rest, part.count);
			if (from != j.keys)
				TRY_CUDA(cudaMemcpyAsync(part.keys, part.other,
				                         part.count * sizeof(Key),
				                         cudaMemcpyDeviceToDevice, j.stream));
			TRY_CUDA(sort_any(part, depth + 1));
		}
	}
	return cudaSuccess;
}

/* What the first look at the lists did not expect. */
template <class Key> static cudaError_t
sort_rest(const job<Key> &j, const Key *from, unsigned depth)
{
	uint32_t listed[KINDS];

	TRY_CUDA(cudaMemcpyAsync(listed, j.s.listed, sizeof listed, cudaMemcpyDeviceToHost, j.stream));
	TRY_CUDA(cudaStreamSynchronize(j.stream));
	if (listed[WORD_13] > 0)
		TRY_CUDA((sort_words<13>(j, from, WORD_13)));
	if (listed[WORD_14] > 0)
		TRY_CUDA((sort_words<14>(j, from, WORD_14)));
	if constexpr (sizeof(Key) == 4)
		if (listed[WORD_15] > 0)
			TRY_CUDA((sort_words<15>(j, from, WORD_15)));
	if (listed[EQUAL] > 0)
		TRY_CUDA(launch(equal_kernel<Key>, j.sms * 4, 512, j.stream, j.keys, j.s.lists[EQUAL],
		                &j.s.listed[EQUAL]));
	return listed[TOO_LARGE] > 0 ? sort_too_large(j, from, listed[TOO_LARGE], depth) : cudaSuccess;
}

template <class Key> static cudaError_t
sort_any(const job<Key> &j, unsigned depth)
{
	const scratch &s = j.s;
	const level first = { s.known->ends, 1, s.segment_count, s.low_bits, ~0u, s.cursors[0] };
	const level second = { s.segments, s.segment_count, 1u << s.low_bits, 0,
	                       (1u << s.low_bits) - 1, s.cursors[1] };
	const bool twice = s.low_bits > 0;
	const Key *from = twice ? j.keys : j.other;

	if (j.count < SMALL || depth == DEPTH)
		return sort_by_network(j);
	TRY_CUDA(cudaMemsetAsync(s.known, 0, s.zero_bytes, j.stream));
	TRY_CUDA(count_digits(j));
	TRY_CUDA(partition(j, j.other, (const Key *)j.keys, first));
	if (twice)
		TRY_CUDA(partition(j, j.keys, (const Key *)j.other, second));
	TRY_CUDA(list_leaves(j, twice));
	TRY_CUDA(sort_narrow(j, from));
	TRY_CUDA((sort_words<LEAF_BITS>(j, from, WORD_12)));
	return sort_rest(j, from, depth);
}

template <class Key> static cudaError_t
sort(Key *keys, Key *other, size_t count, void *memory, cudaStream_t stream)
{
	job<Key> j = { keys, other, count, scratch_of(memory, count), 0, stream };
	int device, sms;

	if (count < 2)
		return cudaSuccess;
	TRY_CUDA(cudaGetDevice(&device));
	TRY_CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
	j.sms = (unsigned)sms;
	return sort_any(j, 0);
}

extern "C" size_t
gs_sort_scratch_bytes(unsigned bits, size_t count)
{
	const scratch s = scratch_of(NULL, count);
	const size_t list = (size_t)(s.rest - (char *)NULL);

	return std::max(s.bytes + DEPTH * list, gs_tile_merge_scratch_bytes(bits, count) + list);
}

extern "C" cudaError_t
gs_sort(void *keys, void *other, unsigned bits, size_t count, void *memory, cudaStream_t stream)
{
	switch (bits) {
	case 32: return sort((uint32_t *)keys, (uint32_t *)other, count, memory, stream);
	case 64: return sort((uint64_t *)keys, (uint64_t *)other, count, memory, stream);
	}
	return cudaErrorInvalidValue;
}
