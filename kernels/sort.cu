// SPDX-License-Identifier: BSD-2-Clause
/*
 * sort.cu - sort keys in device memory: partition, then bitonic leaves
 *
 * In:   COUNT keys, and as much room again.
 * Out:  the same keys, ascending, in the same place.
 *
 *     count digits, once for two levels   one sweep that only reads    count.cuh
 *     partition by the upper level        one sweep                    partition.cuh
 *     partition by the lower level        one sweep
 *     sort leaves                         one sweep                    list.cuh, leaf.cuh
 *
 * Bins are as many as leaves are needed: a bin of evenly spread keys fills a leaf
 * of 2^12 to nine tenths.  Keys that are not evenly spread make larger bins: for
 * these there are leaves of up to 2^15 keys; a bin of one value needs no sorting;
 * and what is larger still is divided again, all such bins at once, each by its
 * own range (segment.cuh), until nothing is left.  So are keys that are too few
 * for two levels, or so many that two levels are not counted in one sweep.
 *
 * Many keys are looked at first: if they crowd in parts of their range, they are cut
 * into pieces of about as many keys by a sample (pieces.cuh), and these divided.
 *
 * Invariant: after each turn what is not sorted is in the list TOO_LARGE.
 */
#include <algorithm>

#include "kernels/kernels.h"
#include "kernels/leaf.cuh"
#include "kernels/pieces.cuh"
#include "kernels/segment.cuh"

#ifndef GS_PIECES_FROM
#define GS_PIECES_FROM	(1 << 26)	/* keys: to know of skew costs 10 us, so it shall be 1 % at most */
#endif
#ifndef GS_ONE_LEVEL
#define GS_ONE_LEVEL	SEGMENT_BINS	/* the emulator has fewer, so that few keys go both ways */
#endif

enum {
	SHARED = COUNT_BINS * 2,	/* bytes of a block; a GPU with less sorts by the network alone */
	SMALL = 1 << 17,	/* keys: fewer go to the network at once; it wins at 2^16, not at 2^18 */
	MANY  = 1 << 22,	/* keys that fill the GPU with large tiles; not tuned */
	TURNS = 8,		/* for what is too large; then the network, too */
};

/* All of the scratch memory, for a count of keys. */
struct scratch {
	knowledge     *known;
	uint32_t      *listed;		/* KINDS of them */
	uint32_t      *windows;
	number        *counts;		/* for the first guess, then for the second */
	size_t         zero_bytes;	/* all of these are zero at first */
	number        *begins, *cursors[2];
	uint64_t      *level;		/* where bins of the first level begin, and the end */
	segments_head *head;
	segment       *segments;
	uint64_t      *sample, *fences;	/* keys, of either width */
	leaf_item     *lists[KINDS], *too_large;	/* of this turn, and of the last */
	size_t         bytes;

	uint32_t bins, low_bits, level_bins;
	unsigned leaf_bits;		/* log2 of the keys of a leaf, as it is meant to be */
};

/* Room for the leaves of a kind: bins larger than a leaf are fewer than keys / size. */
static size_t
list_room(int k, size_t windows)
{
	switch (k) {
	case EQUAL:                    return windows + windows / (EQUAL_KEYS / LEAF_KEYS) + 1;
	case TOO_LARGE:                return windows / 4 + 1;
	case NARROW_12: case WORD_12:  return 3 * windows;
	default:
		return (windows >> (k < WORD_12 ? k - NARROW_13 : k - WORD_13)) + 2;
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
scratch_of(void *memory, unsigned bits, size_t count)
{
	const unsigned most_leaf_bits = bits == 32 ? LEAF_BITS + 3 : LEAF_BITS + 1;
	const size_t leaves = (count + LEAF_MEAN - 1) / LEAF_MEAN, windows = count / LEAF_KEYS + 1;
	const size_t segments = list_room(TOO_LARGE, windows);
	const size_t bins = leaves + count / VALUE_KEYS + 2 * segments;	/* at least those of all */
	char *base = (char *)memory;
	scratch s = {};
	size_t wanted = leaves;

	/* Longer leaves cost less than bins that cannot be counted at once, up to a point. */
	for (s.leaf_bits = LEAF_BITS; wanted > COUNT_BINS && s.leaf_bits < most_leaf_bits;)
		wanted = leaves >> (++s.leaf_bits - LEAF_BITS);
	while (wanted >> (2 * s.low_bits + 1) > 0)
		s.low_bits++;
	s.level_bins = (uint32_t)((wanted >> s.low_bits) + 1);
	s.bins = s.level_bins << s.low_bits;
	carve(&s.known, base, &s.bytes, 1);
	carve(&s.head, base, &s.bytes, 1);
	carve(&s.listed, base, &s.bytes, KINDS);
	carve(&s.windows, base, &s.bytes, 2 * windows);
	carve(&s.counts, base, &s.bytes, std::max<size_t>(2 * (size_t)s.bins, bins));
	s.zero_bytes = s.bytes;
	carve(&s.begins, base, &s.bytes, s.bins + 1);
	carve(&s.cursors[0], base, &s.bytes, std::max<size_t>(s.level_bins, PIECES));
	carve(&s.cursors[1], base, &s.bytes, std::max<size_t>(s.bins, bins));
	carve(&s.level, base, &s.bytes, s.level_bins + 1);
	carve(&s.segments, base, &s.bytes, segments);
	carve(&s.too_large, base, &s.bytes, segments);
	carve(&s.sample, base, &s.bytes, count < GS_PIECES_FROM ? 0 : SAMPLE_KEYS);
	carve(&s.fences, base, &s.bytes, PIECES);
	for (int k = 0; k < KINDS; k++)
		carve(&s.lists[k], base, &s.bytes, list_room(k, windows));
	return s;
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

/* ---- the whole ------------------------------------------------------------ */

/* One sort under way. */
template <class Key> struct job {
	Key         *keys, *other;
	size_t       count;
	scratch      s;
	unsigned     sms;
	cudaStream_t stream;
};

#define TRY_CUDA(call) \
	do { \
		cudaError_t try_error = (call); \
		if (try_error != cudaSuccess) \
			return try_error; \
	} while (0)

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
 * Waits for the stream.  The LIKELY kinds are queued before anybody knows how many
 * there are.
 */
template <class Key> static cudaError_t
sort_listed(const job<Key> &j, const Key *from, unsigned leaf_bits, uint32_t *too_large)
{
	const int likely[2] = {
		WORD_12 + (int)leaf_bits - LEAF_BITS,
		/* 2^16 bins and more make u32 narrow, wherever they lie */
		sizeof(Key) == 4 && j.s.bins >= 1 << 16 ? NARROW_12 + (int)leaf_bits - LEAF_BITS : KINDS,
	};
	uint32_t listed[KINDS];

	for (int l = 0; l < 2 && likely[l] < KINDS; l++)
		TRY_CUDA(sort_leaves(j, likely[l], from));
	TRY_CUDA(cudaMemcpyAsync(listed, j.s.listed, sizeof listed, cudaMemcpyDeviceToHost, j.stream));
	TRY_CUDA(cudaStreamSynchronize(j.stream));
	if (listed[EQUAL] > 0)
		TRY_CUDA(launch(equal_kernel<Key>, j.sms * 4, 512, j.stream, j.keys, j.s.lists[EQUAL],
		                &j.s.listed[EQUAL]));
	for (int kind = NARROW_12; kind < KINDS; kind++)
		if (listed[kind] > 0 && kind != likely[0] && kind != likely[1])
			TRY_CUDA(sort_leaves(j, kind, from));
	*too_large = listed[TOO_LARGE];
	return cudaSuccess;
}

template <class Key> static lists
lists_of(const job<Key> &j, unsigned leaf_bits, bool in_place)
{
	lists l = { {}, j.s.listed, in_place, leaf_bits };

	for (int k = 0; k < KINDS; k++)
		l.list[k] = j.s.lists[k];
	return l;
}

/* ---- two levels at once --------------------------------------------------- */

template <class Key> static cudaError_t
count_digits(const job<Key> &j)
{
	const scratch &s = j.s;
	const size_t bytes = (s.bins + 1) / 2 * 4;
	const size_t parts = j.count / (COUNT_THREADS * COUNT_LOADS * 16 / sizeof(Key)) + 1;
	const size_t blocks = j.sms * (bytes <= 100 << 10 ? 2 : 1);
	const places p = { s.begins, { s.cursors[0], s.cursors[1] }, s.level, s.low_bits,
	                   s.windows, s.leaf_bits };

	if (j.count < GS_PIECES_FROM)	/* else it was done before */
		TRY_CUDA(launch(sample_kernel<Key>, 1, COUNT_THREADS, j.stream, j.keys, j.count,
		                s.bins, s.known, NULL));
	for (int again = 0; again < 2; again++)
		TRY_CUDA(launch_shared(count_kernel<Key>, std::min(blocks, parts), COUNT_THREADS, bytes,
		                       j.stream, s.counts, j.keys, j.count, s.bins, s.known,
		                       again != 0));
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

/* Keys per thread of a tile of 512 threads; kernels/README.md has the losers. */
template <class Key> struct tile_of_many {
	enum { THREADS = 512, ITEMS = sizeof(Key) == 4 ? 24 : 16, BLOCKS = 2 };
};

template <class Key> static cudaError_t
partition(const job<Key> &j, Key *to, const Key *from, const level &l)
{
	typedef tile_of_many<Key> many;

	return partition_by<many::THREADS, many::ITEMS, many::BLOCKS>(j, to, from, l);
}

template <class Key> static cudaError_t
sort_two_levels(const job<Key> &j, uint32_t *too_large)
{
	const scratch &s = j.s;
	const uint32_t low_bins = 1u << s.low_bits;
	const uint32_t windows = (uint32_t)(j.count >> s.leaf_bits) + 1;
	const level upper = { s.known->ends, 1, s.level_bins, s.low_bits, ~0u, s.cursors[0] };
	const level lower = { s.level, s.level_bins, low_bins, 0, low_bins - 1, s.cursors[1] };

	if (j.count < GS_PIECES_FROM)
		TRY_CUDA(cudaMemsetAsync(s.known, 0, s.zero_bytes, j.stream));
	TRY_CUDA(count_digits(j));
	TRY_CUDA(partition(j, j.other, (const Key *)j.keys, upper));
	TRY_CUDA(partition(j, j.keys, (const Key *)j.other, lower));
	TRY_CUDA(launch(list_kernel<Key>, windows / 128 + 1, 128, j.stream,
	                lists_of(j, s.leaf_bits, true), s.begins, s.windows, windows, &s.known->plan));
	return sort_listed(j, j.keys, s.leaf_bits, too_large);
}

/* ---- segments ------------------------------------------------------------- */

template <unsigned THREADS, unsigned ITEMS, unsigned BLOCKS, class Key> static cudaError_t
divide_by(const job<Key> &j, Key *from, Key *to, uint32_t segments, leaf_item one,
          const leaf_item *items)
{
	enum { TILE = THREADS * ITEMS };
	const scratch &s = j.s;
	const size_t tiles = j.count / TILE + segments;	/* at most */
	const uint32_t each = j.count < MANY ? 1 : 8;	/* of a block that only counts; not tuned */

	TRY_CUDA(launch(look_kernel<Key>, segments, LOOK_THREADS, j.stream, s.segments, items, one,
	                from, TILE, s.head));
	TRY_CUDA(launch(range_kernel<Key>, std::min<size_t>(tiles, j.sms * 2), COUNT_THREADS,
	                j.stream, s.segments, segments, TILE, s.head, from));
	TRY_CUDA(launch(count_tiles_kernel<Key>, tiles / each + 1, COUNT_THREADS, j.stream, s.counts,
	                s.segments, segments, TILE, s.head, from, each));
	TRY_CUDA(launch(settle_kernel<Key>, segments, SEGMENT_BINS, j.stream, s.cursors[1], s.counts,
	                s.segments, lists_of(j, LEAF_BITS, to == j.keys)));
	return launch_shared(move_kernel<Key, THREADS, ITEMS, BLOCKS>, tiles, THREADS,
	                     partition_bytes<Key, TILE>(SEGMENT_BINS), j.stream, to, from, s.segments,
	                     segments, s.head, s.cursors[1], j.keys);
}

/* Divide SEGMENTS, which are at FROM: all of the keys if they are one, else the list TOO_LARGE. */
template <class Key> static cudaError_t
divide(const job<Key> &j, Key *from, Key *to, uint32_t segments, bool all)
{
	typedef tile_of_many<Key> many;
	const scratch &s = j.s;
	const leaf_item one = { 0, j.count, 0, (Key)~(Key)0 };

	if (!all)
		TRY_CUDA(cudaMemcpyAsync(s.too_large, s.lists[TOO_LARGE], segments * sizeof(leaf_item),
		                         cudaMemcpyDeviceToDevice, j.stream));
	TRY_CUDA(cudaMemsetAsync(s.known, 0, s.zero_bytes, j.stream));
	if (j.count < MANY)
		return divide_by<512, 8, 3>(j, from, to, segments, one, all ? NULL : s.too_large);
	return divide_by<many::THREADS, many::ITEMS, many::BLOCKS>
		(j, from, to, segments, one, all ? NULL : s.too_large);
}

/* ---- skew ----------------------------------------------------------------- */

/* Do the keys crowd in some parts of their range?  Waits for the stream. */
template <class Key> static cudaError_t
look_for_skew(const job<Key> &j, uint32_t *skewed)
{
	const scratch &s = j.s;

	TRY_CUDA(cudaMemsetAsync(s.known, 0, s.zero_bytes, j.stream));
	TRY_CUDA(launch(sample_kernel<Key>, 1, COUNT_THREADS, j.stream, j.keys, j.count, s.bins,
	                s.known, (Key *)s.sample));
	TRY_CUDA(cudaMemcpyAsync(skewed, &s.known->skewed, sizeof *skewed, cudaMemcpyDeviceToHost,
	                         j.stream));
	return cudaStreamSynchronize(j.stream);
}

/* Into pieces between fences from the sample. */
template <class Key> static cudaError_t
cut(const job<Key> &j)
{
	typedef tile_of_many<Key> many;
	enum { TILE = many::THREADS * many::ITEMS };
	const scratch &s = j.s;
	Key *sample = (Key *)s.sample, *fences = (Key *)s.fences;

	TRY_CUDA(gs_tile_sort(sample, sizeof(Key) * 8, SAMPLE_KEYS, j.stream));
	TRY_CUDA(launch(fence_kernel<Key>, 1, PIECES, j.stream, fences, sample));
	TRY_CUDA(launch_shared(count_pieces_kernel<Key>, j.sms * 2, COUNT_THREADS,
	                       PIECE_BYTES + PIECES * 32 * sizeof(uint32_t), j.stream, s.counts,
	                       fences, j.keys, j.count));
	TRY_CUDA(launch(settle_pieces_kernel<Key>, 1, PIECES, j.stream, s.cursors[0], s.counts, fences,
	                lists_of(j, LEAF_BITS, false), &s.known->moving));
	return launch_shared(move_pieces_kernel<Key, many::THREADS, many::ITEMS, many::BLOCKS>,
	                     (j.count + TILE - 1) / TILE, many::THREADS,
	                     std::max<size_t>(PIECE_BYTES, TILE * sizeof(uint16_t)) +
	                     partition_bytes<Key, TILE>(PIECES), j.stream, j.other, j.keys, j.count,
	                     fences, s.cursors[0], &s.known->moving);
}

/* ---- what no partition divides -------------------------------------------- */

/* Sort COUNT keys from AT on: tiles, then merged pairwise. */
template <class Key> static cudaError_t
sort_by_network(const job<Key> &j, size_t start, size_t count)
{
	const size_t tile = std::min<size_t>(count, (size_t)1 << 20);
	const unsigned bits = sizeof(Key) * 8;
	Key *from = j.keys + start, *to = j.other + start;

	for (size_t at = 0; at < count; at += tile)
		TRY_CUDA(gs_tile_sort(from + at, bits, std::min(tile, count - at), j.stream));
	for (size_t run = tile; run < count; run *= 2, std::swap(from, to))
		for (size_t at = 0; at < count; at += 2 * run) {
			const size_t a = std::min(run, count - at), b = std::min(run, count - at - a);

			TRY_CUDA(gs_tile_merge(to + at, from + at, a, from + at + a, b, bits,
			                       j.s.counts, j.stream));
		}
	return from == j.keys + start ? cudaSuccess :
	       cudaMemcpyAsync(j.keys + start, from, count * sizeof(Key), cudaMemcpyDeviceToDevice,
	                       j.stream);
}

template <class Key> static cudaError_t
sort_stubborn(const job<Key> &j, const Key *from, uint32_t many)
{
	enum { SOME = 64 };
	leaf_item items[SOME];

	for (uint32_t at = 0; at < many; at += SOME) {
		const uint32_t some = std::min<uint32_t>(many - at, SOME);

		TRY_CUDA(cudaMemcpyAsync(items, j.s.lists[TOO_LARGE] + at, some * sizeof items[0],
		                         cudaMemcpyDeviceToHost, j.stream));
		TRY_CUDA(cudaStreamSynchronize(j.stream));
		for (uint32_t i = 0; i < some; i++) {
			if (from != j.keys)
				TRY_CUDA(cudaMemcpyAsync(j.keys + items[i].from, from + items[i].from,
				                         items[i].count * sizeof(Key),
				                         cudaMemcpyDeviceToDevice, j.stream));
			TRY_CUDA(sort_by_network(j, items[i].from, items[i].count));
		}
	}
	return cudaSuccess;
}

template <class Key> static cudaError_t
sort(const job<Key> &j)
{
	Key *from = j.keys, *to = j.other;
	uint32_t segments = 1, skewed = 0;

	if (j.count < SMALL)
		return sort_by_network(j, 0, j.count);
	if (j.count >= GS_PIECES_FROM)
		TRY_CUDA(look_for_skew(j, &skewed));
	if (skewed) {
		TRY_CUDA(cut(j));
		std::swap(from, to);
		TRY_CUDA(sort_listed(j, from, LEAF_BITS, &segments));
	} else if (j.count <= (size_t)GS_ONE_LEVEL * LEAF_MEAN || j.s.bins > COUNT_BINS) {
		TRY_CUDA(divide(j, from, to, segments, true));
		std::swap(from, to);
		TRY_CUDA(sort_listed(j, from, LEAF_BITS, &segments));
	} else {
		TRY_CUDA(sort_two_levels(j, &segments));
	}
	for (unsigned turn = 0; segments > 0; turn++) {
		if (turn == TURNS)
			return sort_stubborn(j, from, segments);
		TRY_CUDA(divide(j, from, to, segments, false));
		std::swap(from, to);
		TRY_CUDA(sort_listed(j, from, LEAF_BITS, &segments));
	}
	return cudaSuccess;
}

template <class Key> static cudaError_t
sort(Key *keys, Key *other, size_t count, void *memory, cudaStream_t stream)
{
	job<Key> j = { keys, other, count, scratch_of(memory, sizeof(Key) * 8, count), 0, stream };
	int device, sms, shared;

	if (count < 2)
		return cudaSuccess;
	TRY_CUDA(cudaGetDevice(&device));
	TRY_CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
	TRY_CUDA(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
	j.sms = (unsigned)sms;
	return shared < SHARED ? sort_by_network(j, 0, count) : sort(j);
}

extern "C" size_t
gs_sort_scratch_bytes(unsigned bits, size_t count)
{
	size_t most = scratch_of(NULL, bits, count).bytes;

	/* Where leaves begin to be longer, bins get fewer: fewer keys may need more. */
	for (unsigned longer = 0; longer < 4; longer++) {
		const size_t fewer = ((((size_t)COUNT_BINS + 1) << longer) - 1) * LEAF_MEAN;

		if (fewer < count)
			most = std::max(most, scratch_of(NULL, bits, fewer).bytes);
	}
	return most + gs_tile_merge_scratch_bytes(bits, count);
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
