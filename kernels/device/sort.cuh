// SPDX-License-Identifier: BSD-2-Clause
/*
 * sort.cuh - sort keys in device memory: divide them into bins, then sort these by networks
 *
 * In:   COUNT keys, and as much room again; or keys with payloads (thread/rows.cuh).
 * Out:  the same keys, ascending, in the same place.
 *
 *     look at a sample of all keys: digits or splitters?      sample.cuh
 *     keys that are in order already: check, or reverse       order.cuh
 *     divide all keys into buckets, without a count           chunks.cuh
 *     divide large segments: look, count, move                segment_look.cuh, segment.cuh
 *     sort leaves                                             leaf_worklist.cuh, leaf_launch.cuh
 *
 * The same steps for any number of keys, and for any keys.  Of few keys (16 MB) each bucket is a
 * leaf; of many, each is divided once more, into as many bins as leaves are needed: a bin of
 * evenly spread keys fills a leaf of 2^12 to 95 %.  Other bins may be larger: for these there are
 * leaves of up to 2^15 keys (u64: 2^14); a bin of one value needs no sorting; and bins that are
 * larger still are divided again, all at once, until none is left.
 *
 * Pairs take the same steps.  Two differ: equal keys are moved with their payloads, not counted
 * and written; and divisions go on until no segment is left, for there is no fast network of pairs.
 *
 * Invariant: after each turn all unsorted segments are in the list TOO_LARGE.
 */
#ifndef GS_SORT_CUH
#define GS_SORT_CUH

#include "kernels/device/leaf_launch.cuh"
#include "kernels/device/network.cuh"
#include "kernels/device/order.cuh"
#include "kernels/device/segment_look.cuh"
#include "kernels/kernels.h"

enum {
	TURNS = 8,		/* of divisions; then the network sorts the rest */
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

/* Divide SEGMENTS of s.too_large, in CHUNKS or not, by the map FIRST, from FROM to TO. */
template <class Tile, class Of> static cudaError_t
divide_by(const job<Of> &j, typename Of::source from, typename Of::place to, uint32_t segments,
          chunk_map chunks, const typename Of::first &first)
{
	typedef typename Of::key Key;
	const scratch &s = j.s;
	Key *const tables = (Key *)s.tables;
	const size_t tiles = j.count / Tile::KEYS + segments;	/* at most */
	const uint32_t counts = tiles_a_block(j.sorter, tiles, 32, 16);

	TRY_CUDA(launch(look_kernel<Of>, segments, LOOK_THREADS, j.stream, s.segments, s.too_large,
	                chunks, keys_at(from), first, Tile::KEYS, s.head, tables));
	TRY_CUDA(launch(count_kernel<Key, typename Of::first>, tiles / counts + 1, COUNT_THREADS, j.stream,
	                s.counts, s.segments, segments, Tile::KEYS, chunks, s.head, keys_at(from), first,
	                counts, tables));
	TRY_CUDA(launch(settle_kernel<Of>, segments, COUNT_THREADS, j.stream, s.cursors, s.counts,
	                s.segments, tables, lists_of(j, to)));
	return launch_shared(move_kernel<Tile, SEGMENT_BINS>, tiles, Tile::THREADS,
	                     splitters<Key, SEGMENT_ROWS>::BYTES +
	                     partition_bytes<Tile>(SEGMENT_BINS), j.stream, to, from,
	                     s.segments, segments, chunks, s.head, s.cursors, j.keys, j.map, first,
	                     tables);
}

/* Divide *FROM, and sort the leaves that come of it.  Then *FROM is the other room. */
template <class Of> static cudaError_t
divide(const job<Of> &j, typename Of::place *from, uint32_t segments, chunk_map chunks,
       const typename Of::first &first, unsigned leaf_bits, uint32_t *too_large)
{
	const typename Of::place to = keys_at(*from) == keys_at(j.keys) ? j.other : j.keys;

	if (keys_are_few(Of::PLAN_BITS, j.count))
		TRY_CUDA((divide_by<tile_of_few<Of>>(j, *from, to, segments, chunks, first)));
	else
		TRY_CUDA((divide_by<tile_of_many<Of>>(j, *from, to, segments, chunks, first)));
	*from = to;
	return sort_listed(j, leaf_place<Of>{ to, {} }, leaf_bits, true, too_large);
}

/* Look at all keys; sets to zero what divide_all() or divide_even() want to be. */
template <class Tile, class Of> static cudaError_t
look_at_all(const job<Of> &j)
{
	typedef typename Of::key Key;
	typedef sampling<Key> sampling;
	const scratch &s = j.s;
	bin_plan<Key> *const plan = (bin_plan<Key> *)s.plan;
	const uint32_t zeros = (uint32_t)(((char *)s.counts - (char *)s.pool.places) / sizeof *s.pool.places);
	const bool few = keys_are_few(Of::PLAN_BITS, j.count);
	/* of up to 32 MB a smaller sample will do: u32 2^23, skewed shapes 3 % faster in the median */
	const bool half = keys_are_few(Of::PLAN_BITS, j.count / 2);
	const uint32_t keys = sample_keys<Key>(few ? s.splitters : (uint32_t)BUCKETS >> half);
	const uint32_t takers = std::min<uint32_t>(keys, sampling::TAKERS);

	TRY_CUDA(launch(sample_kernel<Key, typename Of::map>, keys / takers + zeros / (takers * 8), takers,
	                j.stream, plan, keys, keys_at(j.keys), j.count, j.map, s.pool.places, zeros));
	return launch(plan_kernel<Key>, keys / sampling::BLOCK, sampling::THREADS, j.stream, plan, keys,
	              s.even_bins, s.splitters, Tile::SPLITTERS, few);
}

/* All keys to buckets; these are leaves, or if ITEMS is not NULL segments, which go there. */
template <class Tile, class Of> static cudaError_t
divide_all(const job<Of> &j, leaf_item *items)
{
	typedef typename Of::key Key;
	const scratch &s = j.s;
	bin_plan<Key> *const plan = (bin_plan<Key> *)s.plan;
	const size_t tiles = (j.count + Tile::KEYS - 1) / Tile::KEYS;
	const uint32_t each = Tile::SEVERAL ? tiles_a_block(j.sorter, tiles, 12, 4) : 1;
	chunk_pool pool = s.pool;

	pool.whole = (uint32_t)(j.count / pool.chunk);
	pool.spare = s.room_rows;	/* of pairs: behind the other room */
	if (!Of::CARRIES)
		pool.spare = (uint64_t)(((intptr_t)s.spare - (intptr_t)keys_at(j.other)) /
		                        (intptr_t)sizeof(Key));
	TRY_CUDA(launch_shared(to_chunks_kernel<Tile>, (tiles + each - 1) / each, Tile::THREADS,
	                       to_chunks_bytes<Tile>(pool.buckets), j.stream, j.other, j.keys,
	                       j.count, j.map, plan, pool, each));
	return launch(settle_chunks_kernel<Of>, 1, COUNT_THREADS, j.stream, pool, plan, items,
	              lists_of(j, j.other, items == NULL ? pool.chunk : 0));
}

/* Many keys that are evenly spread: to bins of two levels, and sort the leaves that come of it. */
template <class Of> static cudaError_t
divide_even(const job<Of> &j, uint32_t *too_large)
{
	typedef typename Of::key Key;
	typedef tile_of_many<Of> tile;
	const scratch &s = j.s;
	const levels v = s.level;
	const bin_plan<Key> *const plan = (const bin_plan<Key> *)s.plan;
	const size_t bytes = (v.bins + 1) / 2 * 4, tiles = (j.count + tile::KEYS - 1) / tile::KEYS;
	const size_t parts = j.count / (COUNT_THREADS * HISTOGRAM_LOADS * 16 / sizeof(Key)) + 1;
	const size_t blocks = (size_t)j.sorter->processors * (bytes <= 100 << 10 ? 2 : 1);

	TRY_CUDA(launch_shared(histogram_kernel<Key, typename Of::map>, std::min(blocks, parts),
	                       COUNT_THREADS, bytes, j.stream, s.counts, keys_at(j.keys), j.count,
	                       j.map, v.bins, plan));
	TRY_CUDA(launch(settle_level_kernel<Of>, v.upper, COUNT_THREADS, j.stream, s.segments,
	                s.upper_cursors, s.cursors, s.counts, plan, v, s.level_leaf_bits, tile::KEYS,
	                s.head, lists_of(j, j.keys)));
	TRY_CUDA(launch_shared(move_level_kernel<tile>, tiles, tile::THREADS,
	                       partition_bytes<tile>(UPPER_BINS), j.stream, j.other, j.keys,
	                       j.count, j.map, s.upper_cursors, plan, v));
	TRY_CUDA(launch_shared(move_kernel<tile, UPPER_BINS>, tiles + v.upper, tile::THREADS,
	                       splitters<Key, SEGMENT_ROWS>::BYTES +
	                       partition_bytes<tile>(1u << v.low_bits), j.stream, j.keys,
	                       j.other, s.segments, v.upper, chunk_map{}, s.head, s.cursors, j.keys,
	                       j.map, typename Of::first{}, (Key *)s.tables));
	return sort_listed(j, leaf_place<Of>{ j.keys, {} }, s.level_leaf_bits, false, too_large);
}

/* Divide again what was too large; in CHUNKS or not. */
template <class Of> static cudaError_t
divide_again(const job<Of> &j, typename Of::place *from, chunk_map chunks,
             const typename Of::first &first, uint32_t *too_large)
{
	const scratch &s = j.s;

	TRY_CUDA(cudaMemcpyAsync(s.too_large, s.lists[TOO_LARGE], *too_large * sizeof(leaf_item),
	                         cudaMemcpyDeviceToDevice, j.stream));
	TRY_CUDA(cudaMemsetAsync(s.listed, 0, s.zero_bytes, j.stream));
	return divide(j, from, *too_large, chunks, first, LEAF_BITS, too_large);
}

/* ---- what no partition divides -------------------------------------------- */

template <class Of> static cudaError_t
sort_stubborn(const job<Of> &j, typename Of::source from, const typename Of::first &first, uint32_t many)
{
	enum { SOME = 64 };
	leaf_item items[SOME];

	for (uint32_t at = 0; at < many; at += SOME) {
		const uint32_t some = std::min<uint32_t>(many - at, SOME);

		TRY_CUDA(cudaMemcpyAsync(items, j.s.lists[TOO_LARGE] + at, some * sizeof items[0],
		                         cudaMemcpyDeviceToHost, j.stream));
		TRY_CUDA(cudaStreamSynchronize(j.stream));
		for (uint32_t i = 0; i < some; i++) {
			if (keys_at(from) != keys_at(j.keys))
				TRY_CUDA(cudaMemcpyAsync(keys_at(j.keys) + items[i].from,
				                         keys_at(from) + items[i].from,
				                         items[i].count * sizeof(typename Of::key),
				                         cudaMemcpyDeviceToDevice, j.stream));
			TRY_CUDA(map_keys(j, items[i].from, items[i].count, first, no_map{}));
			TRY_CUDA(sort_ordered(j, items[i].from, items[i].count));
			TRY_CUDA(map_keys(j, items[i].from, items[i].count, no_map{}, j.map));
		}
	}
	return cudaSuccess;
}

/* Sort TOO_LARGE listed segments, which are at FROM, in CHUNKS or not, by the map FIRST. */
template <class Of> static cudaError_t
sort_too_large(const job<Of> &j, typename Of::place from, chunk_map chunks, typename Of::first first,
               uint32_t too_large)
{
	for (unsigned turn = 0; too_large > 0; turn++) {
		if constexpr (!Of::CARRIES)
			if (turn == TURNS)
				return sort_stubborn(j, from, first, too_large);
		TRY_CUDA(divide_again(j, &from, chunks, first, &too_large));
		chunks = chunk_map{};
		first = typename Of::first{};
	}
	return cudaSuccess;
}

/* ---- few pairs ---------------------------------------------------------------- */

template <class Of> static __global__ void
list_one_kernel(leaf_item *list, uint32_t *listed, uint64_t count)
{
	list[0] = leaf_item{ 0, count, 0, ~(uint64_t)0, 0 };
	*listed = 1;
}

/* One leaf of all rows, where they are; they are mapped before. */
template <class Of> static cudaError_t
sort_one_leaf(const job<Of> &j)
{
	const int kind = j.count <= LEAF_KEYS ? WORD_12 : j.count <= 2 * LEAF_KEYS ? WORD_13 : WORD_14;

	TRY_CUDA(launch<false>(list_one_kernel<Of>, 1, 1, j.stream, j.s.lists[kind], &j.s.listed[kind],
	                       j.count));
	TRY_CUDA(map_keys(j, 0, j.count, j.map, no_map{}));
	return sort_leaves(j, kind, leaf_place<Of>{ j.keys, {} });
}

/* ---- all of it ---------------------------------------------------------------- */

template <class Of> static cudaError_t
sort_by_bins(const job<Of> &j)
{
	const scratch &s = j.s;
	const size_t zeroed = (char *)s.counts - (char *)s.listed;	/* by the kernel that samples */
	chunk_map chunks = {};
	typename Of::place from = j.other;
	uint32_t too_large = 0, *const told = j.sorter->told, skewed;
	bool done = false;

	if (keys_are_few(Of::PLAN_BITS, j.count)) {
		unsigned chunk_bits = LEAF_BITS;

		while ((uint32_t)1 << chunk_bits < s.pool.chunk)
			chunk_bits++;
		TRY_CUDA((look_at_all<tile_of_few<Of>>(j)));
		TRY_CUDA((divide_all<tile_of_few<Of>>(j, NULL)));
		const leaf_place<Of> at = { j.other, { s.pool.places, chunk_bits, false } };

		if constexpr (!Of::CARRIES)
			if (j.sorter->of_graph)
				return sort_in_graph(j, at);
		TRY_CUDA(sort_listed(j, at, s.leaf_bits, false, &too_large));
		chunks = chunk_map{ s.pool.places, s.pool.chunk / tile_of_few<Of>::KEYS };
	} else {
		TRY_CUDA(cudaMemsetAsync(s.counts, 0, s.zero_bytes - zeroed, j.stream));
		TRY_CUDA((look_at_all<tile_of_many<Of>>(j)));
		/* the first words of the plan */
		TRY_CUDA(cudaMemcpyAsync(told, s.plan, 2 * sizeof *told, cudaMemcpyDeviceToHost, j.stream));
		TRY_CUDA(cudaStreamSynchronize(j.stream));
		skewed = told[0];
		if (told[1] != UNORDERED)
			TRY_CUDA(sort_in_order(j, (enum order)told[1], &done));
		if (done)
			return cudaSuccess;
		if (skewed == 0 && s.level.bins > 0) {
			from = j.keys;
			TRY_CUDA(divide_even(j, &too_large));
		} else {
			chunks = chunk_map{ s.pool.places, s.pool.chunk / tile_of_many<Of>::KEYS };
			TRY_CUDA((divide_all<tile_of_many<Of>>(j, s.too_large)));
			TRY_CUDA(divide(j, &from, BUCKETS, chunks, typename Of::first{}, s.leaf_bits,
			                &too_large));
			chunks = chunk_map{};
		}
	}
	return sort_too_large(j, from, chunks, typename Of::first{}, too_large);
}

template <class Of> static cudaError_t
sort(job<Of> j, void *memory)
{
	j.s = scratch_of<Of>(memory, j.count);
	if (j.count < 2)
		return cudaSuccess;
	if constexpr (Of::CARRIES) {
		if (j.sorter->shared_bytes < SHARED)
			return sort_by_network(j);
		if (j.count < bins_from<Of>())
			return sort_one_leaf(j);
		j.other = { (typename Of::key *)j.s.keys, (typename Of::value *)j.s.values };
		return sort_by_bins(j);
	} else {
		if (j.count < bins_from<Of>() || j.sorter->shared_bytes < SHARED ||
		    (j.sorter->of_graph && !keys_are_few(Of::PLAN_BITS, j.count)))
			return sort_by_network(j);
		return sort_by_bins(j);
	}
}

/* For sorts of COUNT or fewer. */
template <class Of> static size_t
sort_scratch_bytes(size_t count)
{
	const size_t few = GS_FEW_BYTES / (Of::PLAN_BITS / 8);
	size_t bytes = scratch_of<Of>(NULL, count).bytes;

	if (count > few)	/* fewer keys than COUNT may be more than a few, or not */
		bytes = std::max(bytes, scratch_of<Of>(NULL, few).bytes);
	return bytes + gs_tile_merge_scratch_bytes(Of::PLAN_BITS, count);
}

#endif
