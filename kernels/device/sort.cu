// SPDX-License-Identifier: BSD-2-Clause
/*
 * sort.cu - sort keys in device memory: divide them into bins, then sort these by networks
 *
 * In:   COUNT keys, and as much room again.
 * Out:  the same keys, ascending, in the same place.
 *
 *     look at a sample of all keys: digits or splitters?      sample.cuh
 *     divide all keys into buckets, without a count           chunks.cuh
 *     divide what is too large: look, count, move             segment.cuh
 *     sort leaves                                             leaf_worklist.cuh, leaf_launch.cuh
 *
 * The same steps for any number of keys, and for any keys.  Of few keys (16 MB) each bucket is a
 * leaf; of many, each is divided once more, into as many bins as leaves are needed: a bin of
 * evenly spread keys fills a leaf of 2^12 to 95 %.  Other bins may be larger: for these there are
 * leaves of up to 2^15 keys (u64: 2^14); a bin of one value needs no sorting; and bins that are
 * larger still are divided again, all at once, until none is left.
 *
 * Invariant: after each turn what is not sorted is in the list TOO_LARGE.
 */
#include "kernels/device/leaf_launch.cuh"
#include "kernels/kernels.h"

enum {
	SHARED = 208 << 10,	/* bytes of a block; a GPU with less sorts by the network alone */
	TURNS  = 8,		/* of divisions; then the network sorts what is left */
};

/*
 * Consecutive tiles of one block, which load splitters or add up counts once: as many as make all
 * blocks run at once if that is not MANY; if it is, SOME, for blocks are not equally fast.
 */
static uint32_t
tiles_a_block(const gs_sorter *sorter, size_t tiles, uint32_t many, uint32_t some)
{
	const size_t resident = (size_t)sorter->processors * 2, each = (tiles + resident - 1) / resident;

	return each < many ? (uint32_t)each : some;
}

/* ---- divide ----------------------------------------------------------------- */

/* Divide SEGMENTS of s.too_large, in CHUNKS or not, from FROM to TO. */
template <class Tile, class Key> static cudaError_t
divide_by(const job<Key> &j, const Key *from, Key *to, uint32_t segments, chunk_map chunks)
{
	const scratch &s = j.s;
	Key *const tables = (Key *)s.tables;
	const size_t tiles = j.count / Tile::KEYS + segments;	/* at most */
	const uint32_t counts = tiles_a_block(j.sorter, tiles, 32, 16);

	TRY_CUDA(launch(look_kernel<Key>, segments, LOOK_THREADS, j.stream, s.segments, s.too_large,
	                chunks, from, Tile::KEYS, s.head, tables));
	TRY_CUDA(launch(count_kernel<Key>, tiles / counts + 1, COUNT_THREADS, j.stream, s.counts,
	                s.segments, segments, Tile::KEYS, chunks, s.head, from, counts, tables));
	TRY_CUDA(launch(settle_kernel<Key>, segments, COUNT_THREADS, j.stream, s.cursors, s.counts,
	                s.segments, tables, lists_of(j, to)));
	return launch_shared(move_kernel<Key, Tile, SEGMENT_BINS>, tiles, Tile::THREADS,
	                     splitters<Key, SEGMENT_ROWS>::BYTES +
	                     partition_bytes<Key, Tile::KEYS>(SEGMENT_BINS), j.stream, to, from,
	                     s.segments, segments, chunks, s.head, s.cursors, j.keys, tables);
}

/* Divide *FROM, and sort the leaves that come of it.  Then *FROM is the other room. */
template <class Key> static cudaError_t
divide(const job<Key> &j, Key **from, uint32_t segments, chunk_map chunks,
       unsigned leaf_bits, uint32_t *too_large)
{
	Key *const to = *from == j.keys ? j.other : j.keys;

	if (keys_are_few(sizeof(Key) * 8, j.count))
		TRY_CUDA((divide_by<tile_of_few<Key>>(j, *from, to, segments, chunks)));
	else
		TRY_CUDA((divide_by<tile_of_many<Key>>(j, *from, to, segments, chunks)));
	*from = to;
	return sort_listed(j, leaf_place<Key>{ to, {} }, leaf_bits, true, too_large);
}

/* Look at all keys; sets to zero what divide_all() or divide_even() want to be. */
template <class Tile, class Key> static cudaError_t
look_at_all(const job<Key> &j)
{
	typedef sampling<Key> sampling;
	const scratch &s = j.s;
	bin_plan<Key> *const plan = (bin_plan<Key> *)s.plan;
	const size_t zeros = ((char *)s.counts - (char *)s.listed) / 4;
	const bool few = keys_are_few(sizeof(Key) * 8, j.count);
	const uint32_t keys = few ? sample_keys<Key>(s.splitters) : (uint32_t)sampling::KEYS;
	const uint32_t takers = std::min<uint32_t>(keys, sampling::TAKERS);

	TRY_CUDA(launch(sample_kernel<Key>, keys / takers, takers, j.stream, plan, j.keys, j.count,
	                s.listed, (uint32_t)zeros));
	return launch(plan_kernel<Key>, keys / sampling::BLOCK, sampling::THREADS, j.stream, plan, keys,
	              s.even_bins, s.splitters, Tile::SPLITTERS, few);
}

/* All keys to buckets; these are leaves, or if ITEMS is not NULL segments, which go there. */
template <class Tile, class Key> static cudaError_t
divide_all(const job<Key> &j, leaf_item *items)
{
	const scratch &s = j.s;
	bin_plan<Key> *const plan = (bin_plan<Key> *)s.plan;
	const size_t tiles = (j.count + Tile::KEYS - 1) / Tile::KEYS;
	const uint32_t each = Tile::SEVERAL ? tiles_a_block(j.sorter, tiles, 12, 4) : 1;
	chunk_pool pool = s.pool;

	pool.whole = (uint32_t)(j.count / pool.chunk);
	pool.spare = (uint64_t)(((intptr_t)s.spare - (intptr_t)j.other) / (intptr_t)sizeof(Key));
	TRY_CUDA(launch_shared(to_chunks_kernel<Key, Tile>, (tiles + each - 1) / each, Tile::THREADS,
	                       to_chunks_bytes<Key, Tile>(pool.buckets), j.stream, j.other, j.keys,
	                       j.count, plan, pool, each));
	return launch(settle_chunks_kernel<Key>, 1, COUNT_THREADS, j.stream, s.chunks, pool, plan,
	              items, lists_of(j, (const Key *)j.other));
}

/* Many keys that are evenly spread: to bins of two levels, and sort the leaves that come of it. */
template <class Key> static cudaError_t
divide_even(const job<Key> &j, uint32_t *too_large)
{
	typedef tile_of_many<Key> tile;
	const scratch &s = j.s;
	const levels v = s.level;
	const bin_plan<Key> *const plan = (const bin_plan<Key> *)s.plan;
	const size_t bytes = (v.bins + 1) / 2 * 4, tiles = (j.count + tile::KEYS - 1) / tile::KEYS;
	const size_t parts = j.count / (COUNT_THREADS * HISTOGRAM_LOADS * 16 / sizeof(Key)) + 1;
	const size_t blocks = (size_t)j.sorter->processors * (bytes <= 100 << 10 ? 2 : 1);

	TRY_CUDA(launch_shared(histogram_kernel<Key>, std::min(blocks, parts), COUNT_THREADS, bytes,
	                       j.stream, s.counts, j.keys, j.count, v.bins, plan));
	TRY_CUDA(launch(settle_level_kernel<Key>, v.upper, COUNT_THREADS, j.stream, s.segments,
	                s.upper_cursors, s.cursors, s.counts, plan, v, s.level_leaf_bits, tile::KEYS,
	                s.head, lists_of(j, (const Key *)j.keys)));
	TRY_CUDA(launch_shared(move_level_kernel<Key, tile>, tiles, tile::THREADS,
	                       partition_bytes<Key, tile::KEYS>(UPPER_BINS), j.stream, j.other, j.keys,
	                       j.count, s.upper_cursors, plan, v));
	TRY_CUDA(launch_shared(move_kernel<Key, tile, UPPER_BINS>, tiles + v.upper, tile::THREADS,
	                       splitters<Key, SEGMENT_ROWS>::BYTES +
	                       partition_bytes<Key, tile::KEYS>(1u << v.low_bits), j.stream, j.keys,
	                       j.other, s.segments, v.upper, chunk_map{}, s.head, s.cursors, j.keys,
	                       (Key *)s.tables));
	return sort_listed(j, leaf_place<Key>{ j.keys, {} }, s.level_leaf_bits, false, too_large);
}

/* Divide again what was too large; in CHUNKS or not. */
template <class Key> static cudaError_t
divide_again(const job<Key> &j, Key **from, chunk_map chunks, uint32_t *too_large)
{
	const scratch &s = j.s;

	TRY_CUDA(cudaMemcpyAsync(s.too_large, s.lists[TOO_LARGE], *too_large * sizeof(leaf_item),
	                         cudaMemcpyDeviceToDevice, j.stream));
	TRY_CUDA(cudaMemsetAsync(s.listed, 0, s.zero_bytes, j.stream));
	return divide(j, from, *too_large, chunks, LEAF_BITS, too_large);
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

/* ---- all of it ---------------------------------------------------------------- */

template <class Key> static cudaError_t
sort_by_bins(const job<Key> &j)
{
	const scratch &s = j.s;
	const size_t zeroed = (char *)s.counts - (char *)s.listed;	/* by the kernel that samples */
	chunk_map chunks = {};
	Key *from = j.other;
	uint32_t too_large = 0, *const told = j.sorter->told;

	if (keys_are_few(sizeof(Key) * 8, j.count)) {
		unsigned chunk_bits = LEAF_BITS;

		while ((uint32_t)1 << chunk_bits < s.pool.chunk)
			chunk_bits++;
		TRY_CUDA((look_at_all<tile_of_few<Key>>(j)));
		TRY_CUDA((divide_all<tile_of_few<Key>>(j, NULL)));
		TRY_CUDA(sort_listed(j, leaf_place<Key>{ j.other, { s.chunks, chunk_bits } }, s.leaf_bits,
		                     false, &too_large));
		chunks = chunk_map{ s.chunks, s.pool.chunk / tile_of_few<Key>::KEYS };
	} else {
		TRY_CUDA(cudaMemsetAsync(s.counts, 0, s.zero_bytes - zeroed, j.stream));
		TRY_CUDA((look_at_all<tile_of_many<Key>>(j)));
		/* the first word of the plan */
		TRY_CUDA(cudaMemcpyAsync(told, s.plan, sizeof *told, cudaMemcpyDeviceToHost, j.stream));
		TRY_CUDA(cudaStreamSynchronize(j.stream));
		if (*told == 0 && s.level.bins > 0) {
			from = j.keys;
			TRY_CUDA(divide_even(j, &too_large));
		} else {
			chunks = chunk_map{ s.chunks, s.pool.chunk / tile_of_many<Key>::KEYS };
			TRY_CUDA((divide_all<tile_of_many<Key>>(j, s.too_large)));
			TRY_CUDA(divide(j, &from, BUCKETS, chunks, s.leaf_bits, &too_large));
			chunks = chunk_map{};
		}
	}
	for (unsigned turn = 0; too_large > 0; turn++) {
		if (turn == TURNS)
			return sort_stubborn(j, (const Key *)from, too_large);
		TRY_CUDA(divide_again(j, &from, chunks, &too_large));
		chunks = chunk_map{};
	}
	return cudaSuccess;
}

template <class Key> static cudaError_t
sort(const gs_sorter *sorter, Key *keys, Key *other, size_t count, void *memory,
     cudaStream_t stream)
{
	const job<Key> j = {
		sorter, keys, other, count, scratch_of(memory, sizeof(Key) * 8, count), stream,
	};

	if (count < 2)
		return cudaSuccess;
	if (count < GS_BINS_FROM || sorter->shared_bytes < SHARED)
		return sort_by_network(j, 0, count);
	return sort_by_bins(j);
}

extern "C" size_t
gs_sort_scratch_bytes(unsigned bits, size_t count)
{
	const size_t few = GS_FEW_BYTES / (bits / 8);
	size_t bytes = scratch_of(NULL, bits, count).bytes;

	if (count > few)	/* fewer keys than COUNT may be more than a few, or not */
		bytes = std::max(bytes, scratch_of(NULL, bits, few).bytes);
	return bytes + gs_tile_merge_scratch_bytes(bits, count);
}

extern "C" cudaError_t
gs_sorter_open(struct gs_sorter *sorter)
{
	cudaError_t error;
	int device;

	*sorter = gs_sorter{};
	TRY_CUDA(cudaGetDevice(&device));
	TRY_CUDA(cudaDeviceGetAttribute(&sorter->processors, cudaDevAttrMultiProcessorCount, device));
	TRY_CUDA(cudaDeviceGetAttribute(&sorter->shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin,
	                                device));
	error = cudaStreamCreateWithFlags(&sorter->aside, cudaStreamNonBlocking);
	if (error == cudaSuccess)
		error = cudaEventCreateWithFlags(&sorter->listed, cudaEventDisableTiming);
	if (error == cudaSuccess)
		error = cudaEventCreateWithFlags(&sorter->copied, cudaEventDisableTiming);
	if (error == cudaSuccess)
		error = cudaMallocHost((void **)&sorter->told, KINDS * sizeof *sorter->told);
	if (error != cudaSuccess)
		gs_sorter_close(sorter);
	return error;
}

extern "C" void
gs_sorter_close(struct gs_sorter *sorter)
{
	(void)cudaFreeHost(sorter->told);
	if (sorter->copied != NULL)
		(void)cudaEventDestroy(sorter->copied);
	if (sorter->listed != NULL)
		(void)cudaEventDestroy(sorter->listed);
	if (sorter->aside != NULL)
		(void)cudaStreamDestroy(sorter->aside);
	*sorter = gs_sorter{};
}

extern "C" cudaError_t
gs_sort_with(const struct gs_sorter *sorter, void *keys, void *other, unsigned bits, size_t count,
             void *memory, cudaStream_t stream)
{
	switch (bits) {
	case 32: return sort(sorter, (uint32_t *)keys, (uint32_t *)other, count, memory, stream);
	case 64: return sort(sorter, (uint64_t *)keys, (uint64_t *)other, count, memory, stream);
	}
	return cudaErrorInvalidValue;
}

extern "C" cudaError_t
gs_sort(void *keys, void *other, unsigned bits, size_t count, void *memory, cudaStream_t stream)
{
	struct gs_sorter sorter = {};
	cudaError_t error;

	if (count >= GS_BINS_FROM)
		TRY_CUDA(gs_sorter_open(&sorter));
	error = gs_sort_with(&sorter, keys, other, bits, count, memory, stream);
	gs_sorter_close(&sorter);
	return error;
}
