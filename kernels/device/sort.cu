// SPDX-License-Identifier: BSD-2-Clause
/*
 * sort.cu - sort keys in device memory: partition, then bitonic leaves
 *
 * In:   COUNT keys, and as much room again.
 * Out:  the same keys, ascending, in the same place.
 *
 *     count digits, once for two levels   one sweep that only reads    histogram.cuh
 *     partition by the upper level        one sweep                    partition.cuh
 *     partition by the lower level        one sweep
 *     sort leaves                         one sweep                    leaf_worklist.cuh, leaf_sort.cuh
 *
 * Bins are as many as leaves are needed: a bin of evenly spread keys fills a leaf
 * of 2^12 to nine tenths.  Keys that are not evenly spread make larger bins: for
 * these there are leaves of up to 2^15 keys; a bin of one value needs no sorting;
 * and what is larger still is divided again, all such bins at once, each by its
 * own range (segment.cuh), until nothing is left.  So are keys that are too few
 * for two levels, or so many that two levels are not counted in one sweep.
 *
 * Many keys are looked at first: if they crowd in parts of their range, they are cut
 * into buckets of about as many keys by a sample (samplesort.cuh), and these divided.
 *
 * Invariant: after each turn what is not sorted is in the list TOO_LARGE.
 */
#include "kernels/device/leaf_launch.cuh"
#include "kernels/kernels.h"

#ifndef GS_ONE_LEVEL
#define GS_ONE_LEVEL	SEGMENT_BINS	/* the emulator has fewer, so that few keys go both ways */
#endif

enum {
	SHARED = COUNT_BINS * 2,	/* bytes of a block; a GPU with less sorts by the network alone */
	SMALL = 1 << 17,	/* keys: fewer go to the network at once; it wins at 2^16, not at 2^18 */
	MANY  = 1 << 22,	/* keys that fill the GPU with large tiles; not tuned */
	TURNS = 8,		/* for what is too large; then the network, too */
};

/* ---- two levels at once --------------------------------------------------- */

template <class Key> static cudaError_t
count_digits(const job<Key> &j)
{
	const scratch &s = j.s;
	const size_t bytes = (j.plan.bins + 1) / 2 * 4;
	const size_t parts = j.count / (COUNT_THREADS * COUNT_LOADS * 16 / sizeof(Key)) + 1;
	const size_t blocks = j.sms * (bytes <= 100 << 10 ? 2 : 1);
	const places p = { s.begins, { s.cursors[0], s.cursors[1] }, s.level, j.plan.low_bits,
	                   s.windows, s.leaf_bits };

	if (j.count < GS_SAMPLESORT_FROM)	/* else it was done before */
		TRY_CUDA(launch(sample_kernel<Key>, 1, COUNT_THREADS, j.stream, j.keys, j.count,
		                j.plan.bins, j.plan.bins, s.known, NULL));
	for (int again = 0; again < 2; again++)
		TRY_CUDA(launch_shared(count_kernel<Key>, std::min(blocks, parts), COUNT_THREADS, bytes,
		                       j.stream, s.counts, j.keys, j.count, j.plan.bins, s.known,
		                       again != 0));
	return launch(place_kernel, (j.plan.bins + PLACE_BINS - 1) / PLACE_BINS, COUNT_THREADS,
	              j.stream, s.counts, j.plan.bins, s.known, p);
}

template <class Key> static cudaError_t
partition(const job<Key> &j, Key *to, const Key *from, const level &l)
{
	typedef tile_of_many<Key> tile;

	return launch_shared(partition_kernel<Key, tile::THREADS, tile::ITEMS, tile::BLOCKS>,
	                     level_tiles(j.count, l.segments, tile::KEYS), tile::THREADS,
	                     partition_bytes<Key, tile::KEYS>(l.bins), j.stream, to, from,
	                     &j.s.known->plan, l);
}

template <class Key> static cudaError_t
sort_two_levels(const job<Key> &j, uint32_t *too_large)
{
	const scratch &s = j.s;
	const bin_plan &plan = j.plan;
	const uint32_t low_bins = 1u << plan.low_bits;
	const uint32_t windows = (uint32_t)(j.count >> s.leaf_bits) + 1;
	const level upper = { s.known->ends, 1, plan.level_bins, plan.low_bits, ~0u, s.cursors[0] };
	const level lower = { s.level, plan.level_bins, low_bins, 0, low_bins - 1, s.cursors[1] };
	const int longer = (int)s.leaf_bits - LEAF_BITS;
	/* 2^16 bins and more make u32 narrow, wherever they lie */
	const bool narrow = sizeof(Key) == 4 && plan.bins >= 1 << 16;

	if (j.count < GS_SAMPLESORT_FROM)
		TRY_CUDA(cudaMemsetAsync(s.known, 0, s.zero_bytes, j.stream));
	TRY_CUDA(count_digits(j));
	TRY_CUDA(partition(j, j.other, (const Key *)j.keys, upper));
	TRY_CUDA(partition(j, j.keys, (const Key *)j.other, lower));
	TRY_CUDA(launch(list_kernel<Key>, windows / 128 + 1, 128, j.stream,
	                lists_of(j, s.leaf_bits, true), s.begins, s.windows, windows, s.known));
	return sort_listed(j, j.keys, WORD_12 + longer, narrow ? NARROW_12 + longer : (int)KINDS,
	                   too_large);
}

/* ---- segments ------------------------------------------------------------- */

/* Which segments, and where: ITEMS, or all of the keys if that is NULL. */
struct division {
	uint32_t         segments;
	const leaf_item *items;
	chunks           where;
};

template <unsigned THREADS, unsigned ITEMS, unsigned BLOCKS, class Key> static cudaError_t
divide_by(const job<Key> &j, Key *from, Key *to, const division &d)
{
	enum { TILE = THREADS * ITEMS };
	const scratch &s = j.s;
	const leaf_item all = { 0, j.count, 0, (Key)~(Key)0 };
	const size_t tiles = j.count / TILE + d.segments;	/* at most */
	const uint32_t each = j.count < MANY ? 1 : 8;	/* of a block that only counts; not tuned */

	TRY_CUDA(launch(look_kernel<Key>, d.segments, LOOK_THREADS, j.stream, s.segments, d.items,
	                all, d.where, from, TILE, s.head));
	TRY_CUDA(launch(count_tiles_kernel<Key>, tiles / each + 1, COUNT_THREADS, j.stream, s.counts,
	                s.segments, d.segments, TILE, d.where, s.head, from, each));
	TRY_CUDA(launch(settle_kernel<Key>, d.segments, SEGMENT_BINS, j.stream, s.cursors[1], s.counts,
	                s.segments, lists_of(j, LEAF_BITS, to == j.keys)));
	return launch_shared(move_kernel<Key, THREADS, ITEMS, BLOCKS>, tiles, THREADS,
	                     partition_bytes<Key, TILE>(SEGMENT_BINS), j.stream, to, from, s.segments,
	                     d.segments, d.where, s.head, s.cursors[1], j.keys);
}

/*
 * Divide SEGMENTS, which are at *FROM: all of the keys (ALL), or the list TOO_LARGE,
 * in chunks that say WHERE.  Then *FROM is the other room.
 */
template <class Key> static cudaError_t
divide(const job<Key> &j, Key **from, uint32_t *segments, bool all, chunks where)
{
	typedef tile_of_many<Key> many;
	const scratch &s = j.s;
	const division d = { *segments, all ? NULL : s.too_large, where };
	Key *const to = *from == j.keys ? j.other : j.keys;

	if (!all)
		TRY_CUDA(cudaMemcpyAsync(s.too_large, s.lists[TOO_LARGE],
		                         *segments * sizeof(leaf_item), cudaMemcpyDeviceToDevice,
		                         j.stream));
	TRY_CUDA(cudaMemsetAsync(s.known, 0, s.zero_bytes, j.stream));
	if (j.count < MANY && where.at == NULL)
		TRY_CUDA((divide_by<512, 8, 3>(j, *from, to, d)));
	else
		TRY_CUDA((divide_by<many::THREADS, many::ITEMS, many::BLOCKS>(j, *from, to, d)));
	*from = to;
	return sort_listed(j, to, WORD_12,
	                   sizeof(Key) == 4 && j.plan.bins >= 1 << 16 ? (int)NARROW_12 : (int)KINDS,
	                   segments);
}

/* ---- skew ----------------------------------------------------------------- */

/* How full is the fullest of SAMPLE_BINS of a sample?  Waits for the stream. */
template <class Key> static cudaError_t
look_for_skew(const job<Key> &j, uint32_t *crowd)
{
	const scratch &s = j.s;

	TRY_CUDA(cudaMemsetAsync(s.known, 0, s.zero_bytes, j.stream));
	TRY_CUDA(launch(sample_kernel<Key>, 1, COUNT_THREADS, j.stream, j.keys, j.count, s.even.bins,
	                s.fine.bins, s.known, (Key *)s.sample));
	TRY_CUDA(cudaMemcpyAsync(crowd, &s.known->crowd, sizeof *crowd, cudaMemcpyDeviceToHost,
	                         j.stream));
	return cudaStreamSynchronize(j.stream);
}

/* Into buckets between splitters from the sample, in chunks that s.cut tells. */
template <class Key> static cudaError_t
cut(const job<Key> &j, uint32_t *segments)
{
	enum { CHUNK = tile_of_many<Key>::KEYS };
	const scratch &s = j.s;
	chunk_pool pool = s.pool;
	Key *sample = (Key *)s.sample, *splitters = (Key *)s.splitters;

	pool.whole = (uint32_t)(j.count / CHUNK);
	pool.spare = (uint64_t)(((intptr_t)s.spare - (intptr_t)j.other) / (intptr_t)sizeof(Key));
	TRY_CUDA(gs_tile_sort(sample, sizeof(Key) * 8, SAMPLE_KEYS, j.stream));
	TRY_CUDA(launch(splitter_kernel<Key>, 1, BUCKETS, j.stream, splitters, sample, pool));
	TRY_CUDA(launch_shared(move_buckets_kernel<Key>, (j.count + CHUNK - 1) / CHUNK,
	                       tile_of_many<Key>::THREADS, move_buckets_bytes<Key>(), j.stream, j.other,
	                       j.keys, j.count, splitters, pool));
	TRY_CUDA(launch(settle_buckets_kernel<Key>, 1, COUNT_THREADS, j.stream, s.cut, pool, splitters,
	                lists_of(j, LEAF_BITS, false)));
	return sort_listed(j, (const Key *)j.other, KINDS, KINDS, segments);
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
sort(job<Key> &j)
{
	const chunks none = {};
	Key *from = j.keys;
	uint32_t segments = 1, crowd = 0;

	if (j.count >= GS_SAMPLESORT_FROM)
		TRY_CUDA(look_for_skew(j, &crowd));
	if (crowd > BELL_FROM)
		j.plan = j.s.fine;
	if (crowd > CROWD_FROM || (crowd > BELL_FROM && j.plan.bins > COUNT_BINS)) {
		TRY_CUDA(cut(j, &segments));
		from = j.other;
		if (segments > 0)
			TRY_CUDA(divide(j, &from, &segments, false, j.s.cut));
	} else if (j.count <= (size_t)GS_ONE_LEVEL * LEAF_MEAN || j.plan.bins > COUNT_BINS) {
		TRY_CUDA(divide(j, &from, &segments, true, none));
	} else {
		TRY_CUDA(sort_two_levels(j, &segments));
	}
	for (unsigned turn = 0; segments > 0; turn++) {
		if (turn == TURNS)
			return sort_stubborn(j, from, segments);
		TRY_CUDA(divide(j, &from, &segments, false, none));
	}
	return cudaSuccess;
}

template <class Key> static cudaError_t
sort(Key *keys, Key *other, size_t count, void *memory, cudaStream_t stream)
{
	job<Key> j = { keys, other, count, scratch_of(memory, sizeof(Key) * 8, count), {}, 0, stream,
	               NULL };
	cudaError_t error;
	int device, sms, shared;

	if (count < 2)
		return cudaSuccess;
	if (count < SMALL)
		return sort_by_network(j, 0, count);
	j.plan = j.s.even;
	TRY_CUDA(cudaGetDevice(&device));
	TRY_CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
	TRY_CUDA(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
	j.sms = (unsigned)sms;
	if (shared < SHARED)
		return sort_by_network(j, 0, count);
	TRY_CUDA(cudaEventCreateWithFlags(&j.known, cudaEventDisableTiming));
	error = sort(j);
	TRY_CUDA(cudaEventDestroy(j.known));
	return error;
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
