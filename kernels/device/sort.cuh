// SPDX-License-Identifier: BSD-2-Clause
/*
 * sort.cuh - sort keys in device memory: divide them into bins, then sort these by networks
 *
 * In:   COUNT keys, and as much room again; or keys with payloads (thread/rows.cuh).
 * Out:  the same keys, ascending, in the same place.
 *
 *     look at a sample of all keys: digits or splitters?      sample.cuh
 *     keys that are in order already: check, or reverse       order.cuh
 *     keys that ascend but for a few: sort and unite these    strays.cuh
 *     keys of few values in each 16 bits: code or count them  codes.cuh
 *     divide all keys into buckets, without a count           chunks.cuh
 *     even keys: divide these, too, and sort small leaves     slots.cuh
 *     divide large segments: look, count, move                segment_look.cuh, segment.cuh
 *     sort leaves                                             leaf_worklist.cuh, leaf_launch.cuh
 *
 * The same steps for any number of keys, and for any keys.  Of few keys (16 MB) each bucket is a
 * leaf; of many, each is divided once more, into as many bins as leaves are needed: a bin of
 * even keys fills a leaf of 2^12 to 95 %.  Other bins may be larger: for these there are
 * leaves of up to 2^15 keys (u64: 2^14); a bin of one value needs no sorting; and bins that are
 * larger still are divided again, all at once, until none is left.
 *
 * Pairs take the same steps, but equal keys are moved with their payloads, not counted and written.
 *
 * Invariant: after each turn all unsorted segments are in the list TOO_LARGE, and each has a smaller range
 * than the segment that it comes from.
 */
#ifndef GS_SORT_CUH
#define GS_SORT_CUH

#include "kernels/device/codes.cuh"
#include "kernels/device/leaf_launch.cuh"
#include "kernels/device/order.cuh"
#include "kernels/device/segment_look.cuh"
#include "kernels/device/strays.cuh"
#include "kernels/kernels.h"

enum {
	GRAPH_TURNS = 2,	/* of divisions in a graph, after the first two */
	GRAPH_BLOCKS = 1024,	/* that look at segments, or settle them, in turn */
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

/*
 * QUEUE a kernel that reads keys by MAP.  Keys that need no map have a kernel of their own: behind a branch
 * nvcc has it wait for all keys of a thread before it looks at the first one, u32 3 to 6 % slower.
 */
template <class Of, class Map, class Queue> static cudaError_t
queue_by(const Map &map, const Queue &queue)
{
	if constexpr (!Of::CARRIES)
		if (maps_none(map))
			return queue(no_map{});
	return queue(map);
}

/* ---- divide ----------------------------------------------------------------- */

template <class Of> static division<typename Of::key>
division_of(const job<Of> &j, typename Of::source from, chunk_map chunks, uint32_t tile_keys)
{
	const scratch &s = j.s;

	return { keys_at(from), chunks, tile_keys, s.segments, s.head, (typename Of::key *)s.tables,
		 s.cursors, s.counts, {} };
}

/* Divide SEGMENTS of IN, or those of them that are taken, in CHUNKS or not, by the map FIRST, from FROM to
 * TO, in order or not as PLACES are. */
template <class Tile, class Places = exact_places, class Of> static cudaError_t
divide_by(const job<Of> &j, typename Of::source from, typename Of::place to, uint32_t segments,
          looked_at<typename Of::key> in, chunk_map chunks, const typename Of::first &first)
{
	typedef typename Of::key Key;
	const scratch &s = j.s;
	const size_t tiles = j.count / Tile::KEYS + segments;	/* at most */
	const size_t resident = (size_t)j.sorter->processors * Tile::BLOCKS;
	const bool in_turn = Tile::TURNS && in.taken != NULL;
	const uint32_t counts = tiles_a_block(j.sorter, tiles, 32, 16);
	const uint32_t blocks = in.taken != NULL ? std::min<uint32_t>(segments, GRAPH_BLOCKS) : segments;

	in.v = division_of(j, from, chunks, Tile::KEYS);
	in.longest = s.room.longest;
	TRY_CUDA(launch(look_kernel<typename Of::seen>, blocks, LOOK_THREADS, j.stream, in, first));
	if constexpr (std::is_same<Places, ordered_places>::value) {
		in.v.ordered = s.ordered;
		TRY_CUDA(launch(count_kernel<true, Key, typename Of::first>, tiles, TILE_THREADS, j.stream,
		                in.v, first, 1));
		TRY_CUDA(launch(sum_tiles_kernel<Key>, tiles / GROUP_TILES + 1, COUNT_THREADS, j.stream,
		                in.v));
	} else {
		TRY_CUDA(queue_by<Of>(first, [&](auto map) {
			return launch(count_kernel<false, Key, decltype(map)>, tiles / counts + 1,
			              COUNT_THREADS, j.stream, in.v, map, counts);
		}));
	}
	TRY_CUDA(launch(settle_kernel<typename Of::seen>, blocks, COUNT_THREADS, j.stream, in.v,
	                lists_of(j, to)));
	return launch_shared(move_kernel<Tile, LEAF_BINS, Places, typename Of::first>,
	                     in_turn ? std::min(tiles, resident) : tiles, Tile::THREADS,
	                     partition_bytes<Tile>(LEAF_BINS), j.stream, to, from, in.v, j.keys, j.map,
	                     first, in_turn);
}

/* The same, by the tiles that there is room for. */
template <class Of> static cudaError_t
divide_in_room(const job<Of> &j, typename Of::source from, typename Of::place to, uint32_t segments,
               const looked_at<typename Of::key> &in, chunk_map chunks, const typename Of::first &first)
{
	const bool many = !keys_are_few(Of::PLAN_BITS, j.count) && j.s.room.large;
	const auto by = [&](auto tile, auto places) {
		return divide_by<decltype(tile), decltype(places)>(j, from, to, segments, in, chunks, first);
	};

	if constexpr (Of::CARRIES)
		if (j.s.room.in_order)
			return many ? by(tile_in_order<Of>{}, ordered_places{}) :
			              by(tile_of_room<Of>{}, ordered_places{});
	return many ? by(tile_of_many<Of>{}, exact_places{}) :
	       j.s.room.whole ? by(tile_to_move<Of>{}, exact_places{}) :
	                        by(tile_of_room<Of>{}, exact_places{});
}

/* In a graph, are all keys divided as uneven ones?  Before CUDA 13, and if only the device knows how many. */
template <class Of> static bool
has_one_way(const job<Of> &j)
{
	return j.sorter->of_graph && (!GRAPHS_DECIDE || j.many != NULL);
}

/* Which even keys go to slots. */
template <class Of> static slot_rule
slot_rule_of(const job<Of> &j)
{
	return has_one_way(j) ? slot_rule{} : j.s.slots.rule;
}

/* Look at all keys; sets to zero what fill_buckets() or divide_even() want to be. */
template <class Tile, class Of> static cudaError_t
look_at_all(const job<Of> &j)
{
	typedef typename Of::key Key;
	typedef sampling<Key> sampling;
	const scratch &s = j.s;
	const bool few = keys_are_few(Of::PLAN_BITS, j.count);
	char *const end = few ? (char *)s.counts : (char *)s.listed + s.zero_bytes;
	const uint32_t zeros = (uint32_t)((end - (char *)s.pool.places) / sizeof *s.pool.places);
	/* of up to 32 MB a smaller sample will do, unless buckets shall be even */
	const bool uneven = uneven_are_long<Of>(j.s.room, j.count);
	const bool half = keys_are_few(Of::PLAN_BITS, j.count / 2) && !uneven;
	const uint32_t buckets = few ? s.splitters : (uint32_t)BUCKETS >> half;
	uint32_t keys = sampling::LEAST;	/* of the sample: a power of two */

	while (keys < sampling::KEYS && keys < buckets * sampling::EACH)
		keys *= 2;

	const uint32_t takers = std::min<uint32_t>(keys, sampling::TAKERS);
	const uint32_t bins = has_one_way(j) && !few ? (uint32_t)BUCKETS : s.even_bins;
	const uint32_t units = s.book != NULL ? (uint32_t)sampling::UNITS : 0;

	TRY_CUDA(launch(sample_kernel<Key, typename Of::map>, keys / takers + zeros / (takers * 8), takers,
	                j.stream, plan_of(j), keys, keys_at(j.keys), j.count, j.many, j.map, s.pool.places,
	                zeros));
	return launch(plan_kernel<Key>, rank_blocks<Key>(keys) + (few ? 0 : 1 + units), sampling::THREADS,
	              j.stream, plan_of(j), keys, bins, s.splitters, Tile::SPLITTERS, few,
	              (few && Of::PLAN_BITS == 32) || uneven, slot_rule_of(j));
}

template <class Of> static chunk_pool
pool_of(const job<Of> &j)
{
	chunk_pool pool = j.s.pool;

	pool.chunks.whole = (uint32_t)(j.count / pool.chunks.size);
	pool.chunks.spare = j.s.room_rows;	/* of pairs: behind the other room */
	if (!Of::CARRIES)
		pool.chunks.spare = (uint64_t)(((intptr_t)j.s.spare - (intptr_t)keys_at(j.other)) /
		                        (intptr_t)sizeof(typename Of::key));
	return pool;
}

/* Which keys may be coded.  Not rows of LONG leaves: their payloads move less often than with codes. */
template <class Of> static code_rule
code_rule_of(const job<Of> &j)
{
	const bool leaves = Of::CARRIES && uneven_are_long<Of>(j.s.room, j.count);
	const bool may = j.s.book != NULL && j.count <= UINT32_MAX && !leaves;

	return code_rule{ may ? (unsigned)sizeof(typename Of::key) * 8 : 0, Of::CARRIES };
}

/* A slot for each bucket of even keys, where chunks would be. */
template <class Of> static slot_map
bucket_slots(const job<Of> &j)
{
	const chunk_pool pool = pool_of(j);
	const size_t room = j.count + (size_t)pool.firsts * pool.chunks.size;
	const uint32_t size = (uint32_t)std::min<size_t>(room / (j.s.slots.rule.buckets + 1), UINT32_MAX);

	return slot_map{ size, (uint32_t)(j.count / size), pool.chunks.spare };
}

/* Move all keys to buckets.  SURE: only if the sample says that the host will want that; UNLESS they are in
 * slots, if that is not NULL. */
template <class Tile, class Of> static cudaError_t
fill_buckets(const job<Of> &j, bool sure, const slot_state *unless = NULL)
{
	const size_t tiles = (j.count + Tile::KEYS - 1) / Tile::KEYS;
	const uint32_t each = Tile::SEVERAL ? tiles_a_block(j.sorter, tiles, 12, 4) : 1;
	const chunk_pool pool = pool_of(j);

	return queue_by<Of>(j.map, [&](auto map) {
		return launch_shared(to_chunks_kernel<Tile, decltype(map)>, (tiles + each - 1) / each,
		                     Tile::THREADS, to_chunks_bytes<Tile>(pool.buckets), j.stream, j.other,
		                     j.keys, j.count, j.many, map, plan_of(j), pool, each, sure,
		                     code_rule_of(j), unless);
	});
}

/* The same with even keys, to slots. */
template <class Of> static cudaError_t
fill_slots(const job<Of> &j, bool sure)
{
	typedef tile_of_many<Of> tile;
	const size_t tiles = (j.count + tile::KEYS - 1) / tile::KEYS;

	return queue_by<Of>(j.map, [&](auto map) {
		return launch_shared(to_slots_kernel<tile, decltype(map)>, tiles, tile::THREADS,
		                     partition_bytes<tile>(BUCKETS), j.stream, j.other, j.keys, j.count,
		                     map, plan_of(j), j.s.pool.cursors, bucket_slots(j), j.s.turns,
		                     sure, code_rule_of(j), slot_rule_of(j));
	});
}

/* Buckets of many keys, which are in chunks, or SLOTS if STATE is NULL or says so. */
template <class Of> static looked_at<typename Of::key>
buckets_of(const job<Of> &j, const slot_map &slots = {}, const slot_state *state = NULL)
{
	return { NULL, NULL, plan_of(j), pool_of(j), slots, state, lists_of(j, j.other) };
}

/* List buckets, which are filled, as leaves. */
template <class Of> static cudaError_t
list_buckets(const job<Of> &j)
{
	const uint32_t most = j.has_long ? LEAF_KEYS << (j.s.leaf_bits - LEAF_BITS) : UINT32_MAX;

	return launch(settle_chunks_kernel<typename Of::seen>, 1, COUNT_THREADS, j.stream, pool_of(j),
	              plan_of(j), lists_of(j, j.other, j.s.pool.chunks.size), most,
	              uneven_are_long<Of>(j.s.room, j.count));
}

/* Chunks of buckets that are leaves.  Their length is a power of two, or of many u32 not used. */
template <class Of> static leaf_chunks
chunks_of(const job<Of> &j)
{
	unsigned bits = LEAF_BITS;

	while ((uint32_t)1 << bits < j.s.pool.chunks.size)
		bits++;
	return leaf_chunks{ j.s.pool.places, bits, false };
}

/* The same for a division of buckets. */
template <class Of> static chunk_map
chunk_map_of(const job<Of> &j)
{
	const bool few = keys_are_few(Of::PLAN_BITS, j.count);
	const uint32_t tile = few ? (uint32_t)tile_of_few<Of>::KEYS : (uint32_t)tile_of_many<Of>::KEYS;

	return chunk_map{ j.s.pool.places, j.s.pool.chunks.size / tile };
}

/* Many even keys: to bins of two levels. */
template <class Of> static cudaError_t
divide_even(const job<Of> &j)
{
	typedef typename Of::key Key;
	typedef tile_of_many<Of> tile;
	const scratch &s = j.s;
	const levels v = s.level;
	const bin_plan<Key> *const plan = plan_of(j);
	const size_t bytes = (v.bins + 1) / 2 * 4, most = ((size_t)s.room.level_bins + 1) / 2 * 4;
	const size_t tiles = (j.count + tile::KEYS - 1) / tile::KEYS;
	const size_t parts = j.count / (COUNT_THREADS * HISTOGRAM_LOADS * 16 / sizeof(Key)) + 1;
	const size_t blocks = (size_t)j.sorter->processors * (bytes <= 100 << 10 ? 2 : 1);

	TRY_CUDA(launch_shared(histogram_kernel<Key, typename Of::map>, std::min(blocks, parts),
	                       COUNT_THREADS, shared_size(bytes, most), j.stream, s.counts, keys_at(j.keys),
	                       j.count, j.map, v.bins, plan));
	TRY_CUDA(launch(settle_level_kernel<typename Of::seen>, v.upper, COUNT_THREADS, j.stream, s.segments,
	                s.upper_cursors, s.cursors, s.counts, plan, v, s.level_leaf_bits, tile::KEYS,
	                s.head, lists_of(j, j.keys)));
	TRY_CUDA(launch_shared(move_level_kernel<tile>, tiles, tile::THREADS,
	                       partition_bytes<tile>(UPPER_BINS), j.stream, j.other, j.keys,
	                       j.count, j.map, s.upper_cursors, plan, v));
	return launch_shared(move_kernel<tile, UPPER_BINS, exact_places, no_map>, tiles + v.upper,
	                     tile::THREADS, partition_bytes<tile>(UPPER_BINS), j.stream, j.keys,
	                     j.other, division_of(j, j.other, {}, tile::KEYS), j.keys, j.map, no_map{},
	                     false);
}

/* Sort the leaves in slots, of 2^BITS. */
template <unsigned BITS, class Map> static cudaError_t
sort_slots_of(const job<typed<uint32_t>> &j, const slot_leaves<uint32_t> &leaves, Map)
{
	typedef slot_net<BITS> net;
	typedef typename net::word word;
	const size_t turns = j.s.slots.most / net::LEAVES + 1;

	return launch_shared<false>(narrow_slots_kernel<BITS, Map>,
	                            std::min<size_t>((size_t)j.sorter->processors * net::BLOCKS, turns),
	                            net::THREADS, block<word>::ROOM * sizeof(word), j.stream, j.keys, j.map,
	                            leaves);
}

template <unsigned BITS, class Map> static cudaError_t
sort_slots_of(const job<typed<uint64_t>> &j, const slot_leaves<uint64_t> &leaves, Map)
{
	const int kind = WORD_12 + (int)(BITS - LEAF_BITS);
	const size_t many = (size_t)j.sorter->processors * windows<BITS>::BLOCKS;
	job<typed<uint64_t>> rest = j;

	rest.even = false;	/* windows have been tried */
	rest.rare = true;
	TRY_CUDA(launch_shared<false>(windows_slots_kernel<BITS, Map>, std::min<size_t>(many, j.s.slots.most),
	                              windows<BITS>::THREADS, sizeof(windows<BITS>), j.stream, j.keys,
	                              j.other, j.map, leaves, j.s.lists[kind], &j.s.listed[kind]));
	return sort_words<BITS>(rest, kind, leaf_place<typed<uint64_t>>{ j.other, {} });
}

template <class Of> static cudaError_t
sort_slots(const job<Of> &j, const slot_leaves<typename Of::key> &leaves)
{
	const auto sort = [&](auto bits) { return sort_slots_of<bits()>(j, leaves, j.map); };

	if constexpr (Of::PLAN_BITS == 32)
		return by_bits<7, 8, 9, 10, 11, 12, 13, 14, 15>(j.s.slots.bits, sort);
	else
		return by_bits<12, 13, 14>(j.s.slots.bits, sort);
}

/* The leaves of even keys in slots. */
template <class Of> static slot_leaves<typename Of::key>
slot_leaves_of(const job<Of> &j)
{
	typedef typename Of::key Key;
	const scratch &s = j.s;
	const intptr_t spare = ((intptr_t)s.slot_spare - (intptr_t)j.keys) / (intptr_t)sizeof(Key);
	const slot_map at = { 1u << s.slots.bits, (uint32_t)(j.count >> s.slots.bits), (uint64_t)spare };

	return slot_leaves<Key>{ at, s.cursors, (Key *)s.lows, s.head, s.turns, s.read };
}

/* Divide even keys, which are in slots of buckets, once more, to LEAVES. */
template <class Of> static cudaError_t
divide_slots(const job<Of> &j, const slot_leaves<typename Of::key> &leaves)
{
	typedef typename Of::key Key;
	typedef tile_of_many<Of> tile;
	const scratch &s = j.s;
	const uint32_t buckets = s.slots.rule.buckets;
	const size_t tiles = j.count / tile::KEYS + buckets, bytes = partition_bytes<tile>(LEAF_BINS);
	const auto move = s.slots.lower > UPPER_BINS ? move_slots_kernel<tile, LEAF_BINS> :
	                                               move_slots_kernel<tile, UPPER_BINS>;

	TRY_CUDA(launch(slot_buckets_kernel<Of>, 1, SLOT_THREADS, j.stream, pool_of(j),
	                plan_of(j), s.slots, bucket_slots(j), s.segments, s.head, tile::KEYS, s.turns));
	TRY_CUDA(launch_shared(move, tiles, tile::THREADS, bytes, j.stream, j.keys, j.other, s.segments,
	                       s.head, s.counts, leaves.at, s.turns));
	return launch(settle_slots_kernel<Key>, buckets, COUNT_THREADS, j.stream, s.segments, s.counts,
	              leaves);
}

/* Sort the keys of the first slot and of the last one, if it has any from outside of the range. */
template <class Of> static cudaError_t
sort_outside(const job<Of> &j, const slot_leaves<typename Of::key> &leaves)
{
	return launch(outside_slots_kernel<typename Of::key, typename Of::map>, 2, OUTSIDE_KEYS, j.stream,
	              j.keys, j.count, j.map, leaves);
}

/* Codes with payloads, each of so few codes to a bin of its own. */
template <class Of> static cudaError_t
divide_codes(job<Of> j)
{
	const uint32_t codes = j.codes, upper = codes / CODE_BINS + 1;
	bin_plan<typename Of::key> *const plan = plan_of(j);

	static_assert(COUNTED_CODES / CODE_BINS < UPPER_BINS, "as many bins as there may be");
	j.s.level = levels{ upper, 0, upper * CODE_BINS };
	while ((uint32_t)1 << j.s.level.low_bits < CODE_BINS)
		j.s.level.low_bits++;
	TRY_CUDA(cudaMemsetAsync(j.s.listed, 0, j.s.zero_bytes, j.stream));
	TRY_CUDA(for_each(1, j.stream, [=] __device__ (size_t) {
		plan->skewed = 0;
		plan->even = digits{ 0, codes - 1, 0, 0, 0, 1, codes, 0 };
	}));
	return divide_even(j);
}

/* The first block copies the listed ranges of IN, which are too large for a leaf, to TO, and clears LISTED
 * and all between there and COUNTS.  The others clear COUNTS up to END. */
template <class Of> static __global__ void
__launch_bounds__(COUNT_THREADS)
take_kernel(leaf_item *to, uint32_t *taken, const leaf_item *in, uint32_t *listed, number *counts, size_t end)
{
	begin_in_turn();

	if (blockIdx.x > 0) {
		const size_t step = (gridDim.x - 1) * (size_t)COUNT_THREADS;

		for (size_t z = (blockIdx.x - 1) * COUNT_THREADS + threadIdx.x; z < end; z += step)
			counts[z] = 0;
		return;
	}
	const uint32_t many = listed[TOO_LARGE];

	for (uint32_t i = threadIdx.x; i < many; i += COUNT_THREADS)
		to[i] = in[i];
	if (threadIdx.x == 0)
		*taken = many;
	__syncthreads();
	for (uint32_t *w = listed + threadIdx.x; w < (uint32_t *)counts; w += COUNT_THREADS)
		*w = 0;
}

typedef chosen<if_not_zero> divided_again;

template <class Of> static cudaError_t
sort_divided(job<Of> j, const leaf_place<Of> &at, unsigned leaf_bits, unsigned turns,
             divided_again *outer = NULL);

/* Divide the ranges AT that are listed as too large, TOO_LARGE of them or in a graph so many at most, and
 * sort what becomes of them: sort_divided(). */
template <class Of> static cudaError_t
sort_too_large(const job<Of> &j, const leaf_place<Of> &at, uint32_t too_large, unsigned turns,
               divided_again *outer = NULL)
{
	const scratch &s = j.s;
	const size_t zeros = (size_t)((char *)s.listed + s.zero_bytes - (char *)s.counts) / sizeof *s.counts;
	const uint32_t segments = std::min(too_large, (uint32_t)s.segments_most);
	const typename Of::place to = keys_at(at.from) == keys_at(j.keys) ? j.other : j.keys;
	const looked_at<typename Of::key> in = { s.too_large, j.sorter->of_graph ? s.taken : NULL };
	typename Of::first first = {};

	if (segments == 0)
		return cudaSuccess;
	if constexpr (!Of::CARRIES)
		if (at.chunks.unread)
			first = j.map;
	TRY_CUDA(launch<false>(take_kernel<Of>, 1 + (size_t)j.sorter->processors, COUNT_THREADS, j.stream,
	                       s.too_large, s.taken, s.lists[TOO_LARGE], s.listed, s.counts, zeros));
	TRY_CUDA(divide_in_room(j, at.from, to, segments, in,
	                        at.chunks.at != NULL ? chunk_map_of(j) : chunk_map{}, first));
	return sort_divided(j, leaf_place<Of>{ to, {} }, LEAF_BITS, turns, outer);
}

/*
 * Sort the leaves AT that a division has listed, which are likely of 2^LEAF_BITS, and divide what is too
 * large for one, again and again.  In a graph keys are divided TURNS times at most, each time in a part of
 * the graph inside the last one, and what is too large after these is sorted by blocks.  No block sorts
 * pairs: they are divided TURNS times in any case, then twice in a part that loops, which is OUTER if this
 * is its second division.
 */
template <class Of> static cudaError_t
sort_divided(job<Of> j, const leaf_place<Of> &at, unsigned leaf_bits, unsigned turns, divided_again *outer)
{
	divided_again again = { 1, { &j.s.listed[TOO_LARGE], {} }, Of::CARRIES };
	const bool chooses = Of::CARRIES == (turns == 0);
	uint32_t too_large = UINT32_MAX;	/* in a graph the host does not know */

	if (!j.sorter->of_graph) {
		TRY_CUDA(sort_listed(j, at, leaf_bits, &too_large, [] { return cudaSuccess; }));
		if (j.has_long)
			j.has_long = j.wide = false;
		return sort_too_large(j, at, too_large, 0);
	}
	j.s.leaf_bits = leaf_bits;
	TRY_CUDA(sort_all_kinds(j, at, [&] {
		if (chooses)
			return choose(j.stream, outer != NULL ? outer : &again);
		if constexpr (!Of::CARRIES)
			return launch<false>(too_large_kernel<typename Of::key, typename Of::map>,
			                     std::min<size_t>((size_t)j.sorter->processors,
			                                      (j.count >> j.s.room.longest) + 1),
			                     COUNT_THREADS, j.stream, j.keys, at.from, j.map,
			                     leaves_of(j, TOO_LARGE, at.chunks));
		return cudaSuccess;
	}));
	if (!chooses)
		return Of::CARRIES ? sort_too_large(j, at, too_large, turns - 1, outer) : cudaSuccess;
	if (outer != NULL)
		return cudaSuccess;
	return queue_chosen(j.stream, &again, [&](unsigned, cudaStream_t stream) {
		j.stream = stream;
		j.rare = true;
		j.has_long = false;
		return sort_too_large(j, at, too_large, Of::CARRIES ? 1 : turns - 1,
		                      Of::CARRIES ? &again : NULL);
	});
}

/* ---- all rows as one leaf, tile or segment ------------------------------------- */

/* Map J's keys to the order of their bits, or back. */
template <class Of, class From, class To> static cudaError_t
map_keys(const job<Of> &j, const From &from, const To &to)
{
	typename Of::key *const keys = keys_at(j.keys);

	if (maps_none(from) && maps_none(to))
		return cudaSuccess;
	return for_each<true>(j.count, j.stream, [=] __device__ (size_t i) {
		keys[i] = original(to, ordered(from, keys[i]));
	});
}

template <class Of> static cudaError_t
list_one(const job<Of> &j, int kind)
{
	leaf_item *const list = j.s.lists[kind];
	uint32_t *const listed = &j.s.listed[kind];
	const size_t count = j.count;

	return for_each(1, j.stream, [=] __device__ (size_t) {
		list[0] = leaf_item{ 0, count, 0, (typename Of::key)~(typename Of::key)0, 0 };
		*listed = 1;
	});
}

/* In a room that is not whole, or in order; pairs are mapped before, keys when they are first moved. */
template <class Of> static cudaError_t
sort_one_segment(job<Of> j)
{
	leaf_place<Of> all = { j.keys, {} };

	j.s.leaf_bits = LEAF_BITS;
	TRY_CUDA(cudaMemsetAsync(j.s.listed, 0, LISTED * sizeof *j.s.listed, j.stream));
	TRY_CUDA(list_one(j, TOO_LARGE));
	if constexpr (Of::CARRIES) {
		TRY_CUDA(map_keys(j, j.map, no_map{}));
		return sort_too_large(j, all, 1, j.count > LEAF_BINS * LEAF_KEYS / 2);
	}
	all.chunks.unread = true;
	return sort_too_large(j, all, 1, GRAPH_TURNS);
}

/* ---- all of it ---------------------------------------------------------------- */

template <class Of> static cudaError_t sort_in_slots(const job<Of> &j, bool filled);

/* Divide many keys in one WAY, and sort them.  Slots of even ones may be FILLED, or buckets of uneven ones;
 * these may be in SLOTS if STATE is NULL or says so.  A graph has parts for ways that it never takes. */
template <class Of> static cudaError_t
sort_in_way(job<Of> j, unsigned way, bool filled, const slot_map &slots = {}, const slot_state *state = NULL)
{
	typedef tile_of_many<Of> tile;

	if constexpr (!Of::CARRIES)
		if (way == IN_SLOTS)
			return j.s.slots.most > 0 ? sort_in_slots(j, filled) : cudaSuccess;
	if (way == IN_LEVELS) {
		if (j.s.level.bins == 0)
			return cudaSuccess;
		TRY_CUDA(divide_even(j));
		return sort_divided(j, leaf_place<Of>{ j.keys, {} }, j.s.level_leaf_bits, GRAPH_TURNS);
	}
	if (!filled)
		TRY_CUDA(fill_buckets<tile>(j, false, state));
	if (uneven_are_long<Of>(j.s.room, j.count) && state == NULL && !has_one_way(j)) {
		j.has_long = true;
		j.wide = true;		/* leaves of 16 bits have no lists */
		TRY_CUDA(list_buckets(j));
		return sort_divided(j, leaf_place<Of>{ j.other, chunks_of(j) }, LEAF_BITS, GRAPH_TURNS);
	}
	TRY_CUDA((divide_by<tile>(j, j.other, j.keys, BUCKETS, buckets_of(j, slots, state), chunk_map_of(j),
	                          typename Of::first{})));
	return sort_divided(j, leaf_place<Of>{ j.keys, {} }, j.s.leaf_bits, GRAPH_TURNS);
}

/* Even keys may not fit their slots, or some may be outside of the range. */
enum { NOT_EVEN, OUTSIDE, SLOTTED };

struct slots_choice {
	__host__ __device__ uint32_t
	operator()(const slot_state &state) const
	{
		return state.broken != SLOTS_FIT ? NOT_EVEN :
		       (state.outside[0] | state.outside[1]) != 0 ? OUTSIDE : SLOTTED;
	}
};

/* Divide even keys by slots of buckets, which the host may have had FILLED, then by slots, and sort the
 * leaves that come of it; if keys are not that even, divide them as uneven ones. */
template <class Of> static cudaError_t
sort_in_slots(const job<Of> &j, bool filled)
{
	const scratch &s = j.s;
	const slot_leaves<typename Of::key> leaves = slot_leaves_of(j);

	if (!filled || j.sorter->of_graph)
		TRY_CUDA(fill_slots(j, false));
	TRY_CUDA(divide_slots(j, leaves));
	return decide(j, s.turns, SLOTTED, slots_choice{}, [&](const job<Of> &all, unsigned part) {
		const slot_state *const state = s.turns, *const told = (const slot_state *)j.sorter->told;
		const bool fit = !j.sorter->of_graph && told->broken == BINS_BREAK;
		uint64_t *const listed = (uint64_t *)s.listed, *const places = fit ? listed : s.pool.places;

		if (part == OUTSIDE)
			return sort_outside(all, leaves);
		/* buckets may be in slots, or not fit them: set to zero what they want to be */
		TRY_CUDA(for_each((size_t)((const uint64_t *)state - places), all.stream,
		                  [=] __device__ (size_t i) {
			if (places + i >= listed || state->broken != BINS_BREAK)
				places[i] = 0;
		}));
		return sort_in_way(all, UNEVENLY, fit, bucket_slots(j), state);
	}, [&] { return sort_slots(j, leaves); }, j.count >= SLEEP_FROM);
}

/* Look at all keys, and if WAY suits them sort them: are they *DONE, as far as the host knows?  A graph also
 * looks for strays here, if the keys do not rise. */
template <class Of> static cudaError_t
look_in_way(const job<Of> &j, unsigned way, bool falls, bool *done)
{
	const bool in_graph = j.sorter->of_graph;

	if (way == CODED)
		return sort_by_codes(j, done);
	if constexpr (!Of::CARRIES)
		if (way == UNITED)
			return sort_strays(j, done);
	TRY_CUDA(look_at_order(j, falls));
	if (in_graph && falls)
		return cudaSuccess;
	*done = true;
	return decide(j, &plan_of(j)->broken, 1, is_zero{}, [&](const job<Of> &all, unsigned) {
		*done = false;
		return in_graph ? look_in_way(all, UNITED, false, done) : cudaSuccess;
	});
}

/* For decide(): how keys are divided, or that they are COMPARED and so on, or have been and are sorted. */
struct way_choice {
	ways may;

	__host__ __device__ uint32_t
	operator()(const bin_news &news) const
	{
		const bool sorted = news.order != UNORDERED && news.broken == 0;
		const enum way way = way_of(news, may);

		return sorted || way > COMPARED ? (uint32_t)COMPARED : (uint32_t)way;
	}
};

/* What all keys are looked at for. */
enum look { AT_RISING, AT_FALLING, AT_CODES, LOOKS_AT_ALL };

struct look_choice {
	__host__ __device__ uint32_t
	operator()(const bin_news &news) const
	{
		return news.order == UNORDERED ? AT_CODES : news.order == FALLS ? AT_FALLING : AT_RISING;
	}
};

/* Few keys: to buckets, each of which is a leaf. */
template <class Of> static cudaError_t
sort_few(job<Of> j)
{
	j.has_long = j.s.room.has_long && (Of::CARRIES || j.count > LONG_FROM);
	TRY_CUDA((look_at_all<tile_of_few<Of>>(j)));
	TRY_CUDA(fill_buckets<tile_of_few<Of>>(j, false));
	TRY_CUDA(list_buckets(j));
	return sort_divided(j, leaf_place<Of>{ j.other, chunks_of(j) }, j.s.leaf_bits, 0);
}

/*
 * Many keys.  When the host has been told what their sample says, it has all of them looked at, in one way
 * after the other until they are sorted; if they are not, they are divided.  Meanwhile the device fills
 * buckets, if the sample says that the host will want them.  A graph has a part for each way to divide keys,
 * and one that looks at them once, and then has these parts, too.
 */
template <class Of> static cudaError_t
sort_many(const job<Of> &j)
{
	const bool in_graph = j.sorter->of_graph, early = j.count < SLEEP_FROM && j.s.level.bins > 0;
	const bin_news *const plan = plan_of(j);
	way_choice choice = { { code_rule_of(j), slot_rule_of(j), j.s.level.bins > 0, !Of::CARRIES, 0 } };

	TRY_CUDA(look_at_all<tile_of_many<Of>>(j));
	if (has_one_way(j))
		return sort_in_way(j, UNEVENLY, false);
	return decide(j, plan, COMPARED + 1, choice, [&](job<Of> all, unsigned way) {
		bool filled = early, done = false;

		if (!in_graph) {
			const bin_news news = *(const bin_news *)j.sorter->told;

			filled = early && buckets_are_sure(news, code_rule_of(j), slot_rule_of(j));
			all.even = news.skewed == 0 && j.count >= GS_WINDOWS_FROM;
			all.wide = news.skewed == 0 && news.range_bits > UNIT_BITS &&
			           (uint64_t)j.s.level.bins << UNIT_BITS <=
			           (uint64_t)1 << (news.range_bits - 1);
			while ((way = way_of(news, choice.may)) >= COMPARED && !done) {
				choice.may.tried |= 1u << way;
				TRY_CUDA(look_in_way(all, way, news.order == FALLS, &done));
			}
		} else if (way == COMPARED) {
			TRY_CUDA(decide(all, plan, LOOKS_AT_ALL, look_choice{},
			                [&](const job<Of> &here, unsigned look) {
				return look_in_way(here, look == AT_CODES ? CODED : COMPARED,
				                   look == AT_FALLING, &done);
			}));
			choice.may.tried = 1u << COMPARED | 1u << UNITED | 1u << CODED;
			return decide(all, plan, COMPARED, choice, [](const job<Of> &here, unsigned other) {
				return sort_in_way(here, other, false);
			});
		}
		return done ? cudaSuccess : sort_in_way(all, way, filled);
	}, [&] {
		if (early)
			TRY_CUDA(fill_buckets<tile_of_many<Of>>(j, true));
		if constexpr (!Of::CARRIES)
			if (early && !in_graph && j.s.slots.most > 0)
				return fill_slots(j, true);
		return cudaSuccess;
	});
}

template <class Of> static cudaError_t
sort(job<Of> j, void *memory, bool in_order)
{
	room room = room_of<Of>(j.sorter->shared_bytes, in_order);

	room.coded = j.coded;
	j.s = scratch_of<Of>(memory, j.count, room);
	if (j.count < 2)
		return cudaSuccess;
	if constexpr (Of::CARRIES) {
		if (j.count < bins_from<Of>(room)) {	/* one leaf, where rows are; they are mapped before */
			const int kind = j.count <= LEAF_KEYS ? WORD_12 :
			                 j.count <= 2 * LEAF_KEYS ? WORD_13 : WORD_14;

			TRY_CUDA(list_one(j, kind));
			TRY_CUDA(map_keys(j, j.map, no_map{}));
			return sort_leaves(j, kind, leaf_place<Of>{ j.keys, {} });
		}
		j.other = { (typename Of::key *)j.s.keys, (typename Of::value *)j.s.values };
	} else {
		if (j.count < bins_from<Of>(room) || (!room.whole && j.count < GS_SEGMENTS_FROM)) {
			TRY_CUDA(map_keys(j, j.map, no_map{}));
			TRY_CUDA(gs_tile_sort(j.keys, Of::PLAN_BITS, j.count, j.stream));
			return map_keys(j, no_map{}, j.map);
		}
	}
	j.even = !room.whole && !in_order && !j.sorter->of_graph;	/* nobody looks */
	if (!room.whole)
		return sort_one_segment(j);
	if constexpr (Of::CARRIES)
		if (j.codes > 0)
			return divide_codes(j);
	j.skewed = &plan_of(j)->skewed;
	return keys_are_few(Of::PLAN_BITS, j.count) ? sort_few(j) : sort_many(j);
}

/* For sorts of COUNT or fewer, of any room, of codes or not; and of any count: fewer keys than COUNT may be
 * more than a few, or not, and slots of fewer are shorter. */
template <class Of> static size_t
bins_scratch_bytes(size_t count, bool in_order, bool coded)
{
	const size_t few = std::min<size_t>(count, GS_FEW_BYTES / (Of::PLAN_BITS / 8));
	size_t bytes = 0;

	for (int shared_kb : SHARED_KB) {
		room room = room_of<Of>(shared_kb << 10, in_order);

		room.coded = coded;
		bytes = std::max(bytes, std::max(scratch_of<Of>(NULL, count, room).bytes,
		                                 scratch_of<Of>(NULL, few, room).bytes));
		for (unsigned k = LEAST_SLOT_BITS; !Of::CARRIES && k <= MOST_SLOT_BITS; k++) {
			const size_t end = slots_end(Of::PLAN_BITS, k, room.longest);

			bytes = std::max(bytes, scratch_of<Of>(NULL, std::min(count, end), room).bytes);
		}
	}
	return bytes;
}

template <class Of> static size_t
sort_scratch_bytes(size_t count, bool in_order)
{
	const size_t bytes = bins_scratch_bytes<Of>(count, in_order, false);

	if constexpr (Of::CARRIES || sizeof(typename Of::key) == 8) {
		typedef typename of_codes<Of>::type coded;
		const size_t behind = BOOK_BYTES + codes_bytes<Of>(count);

		if (!in_order && !keys_are_few(Of::PLAN_BITS, count))
			return std::max(bytes, behind + bins_scratch_bytes<coded>(count, false, true));
	}
	return bytes;
}

#endif
