// SPDX-License-Identifier: BSD-2-Clause
/*
 * chunks.cuh - divide all keys into 256 buckets without counting them first
 *
 * In:   keys, and a plan (sample.cuh) that says where they go: by digits or by splitters.
 * Out:  the same keys in buckets, each in chunks; and lists of leaves and segments.
 *
 *     to_chunks_kernel      a block some tiles: to the buckets
 *     settle_chunks_kernel  one block: where buckets are, where they belong, and lists of leaves
 *
 * Counting would take a sweep, or a search, more.  Instead a bucket is made of chunks, each as
 * long as a tile or a few.  Its cursor counts its keys; a table says where its chunk number j is.
 * Only its last chunk is not full, so besides the keys there is room for one chunk of each bucket.
 * M. Axtmann, S. Witt, D. Ferizovic, P. Sanders, "In-Place Parallel Super Scalar Samplesort",
 * ESA 2017.
 *
 * Few keys have short tiles, and a bucket of them is a leaf.  A bucket of many is a segment
 * (segment.cuh).  Keys of a bucket of one value are not moved, but written where they belong in
 * the end, unless they carry payloads.
 *
 * Invariant: the thread that reserves the first key of a chunk takes the chunk, and does not
 * wait for others before.
 */
#ifndef GS_CHUNKS_CUH
#define GS_CHUNKS_CUH

#include "kernels/block/leaf_long.cuh"
#include "kernels/device/sample.cuh"

/*
 * The chunks of BUCKETS.  Chunk b is the first one of bucket b; chunks from FIRSTS on are anybody's.
 * If there are few splitters, buckets from FIRSTS - 1 to the last but one never have keys, and chunk
 * FIRSTS - 1 is the last bucket's.  Cursors, USED and PLACES are zero at first.
 */
struct chunk_pool {
	number   *cursors;	/* keys of each bucket */
	uint32_t *used;		/* chunks taken, from FIRSTS on */
	uint64_t *places;	/* of each chunk; see chunk_row() */
	uint32_t  row;
	uint32_t  buckets, firsts;
	slot_map  chunks;	/* of one tile or a few */
	uint64_t  inverse;	/* 2^64 / their size, rounded up */
};

/* From where on the pool's PLACES have the places of BUCKET's chunks: ROW of them.  The place of its first
 * chunk is there only when all are settled. */
static __device__ __forceinline__ uint64_t
chunk_row(const chunk_pool &pool, uint32_t bucket)
{
	return min(bucket, pool.firsts - 1) * (uint64_t)pool.row;
}

static __device__ __forceinline__ uint64_t
first_place(const chunk_pool &pool, uint32_t bucket)
{
	return slot_place(pool.chunks, min(bucket, pool.firsts - 1));
}

/* ---- moving --------------------------------------------------------------- */

/* Keys of a bucket that fill up one chunk, and begin another. */
struct chunk_change {
	uint32_t at;			/* the first key of the tile that is in the other chunk */
	uint64_t places[2];		/* of both, less where keys are in the tile */
};

static const uint64_t CHANGES = (uint64_t)1 << 63;	/* for a place: see the bucket's change */

template <class Tile> struct chunk_places {
	static const bool SKIPS = !Tile::of::CARRIES;
	number                *cursors;
	chunk_pool             pool;
	chunk_change          *changes;	/* of the tile; in shared memory */
	typename Tile::search  search;	/* without rows: by digits */
};

/* Has BUCKET one value only? */
template <class Tile> static __device__ __forceinline__ bool
places_skip(const chunk_places<Tile> &p, uint32_t bucket)
{
	return chunk_places<Tile>::SKIPS && p.search.rows != NULL && bucket + 1 < Tile::SPLITTERS &&
	       p.search.at(bucket) + 1 == p.search.at(bucket + 1);
}

/*
 * The place of KEYS keys of the bucket, from number BEGUN on.  As no tile is longer than a chunk, they are in
 * one chunk or two, and are the first of one of these at most.
 */
template <class Tile> static __device__ uint64_t
places_end(const chunk_places<Tile> &p, uint32_t bucket, uint32_t keys, uint32_t before,
           number begun)
{
	const uint64_t j = __umul64hi(begun, p.pool.inverse);
	const uint32_t size = p.pool.chunks.size, fill = (uint32_t)begun - (uint32_t)j * size;
	const uint32_t rest = size - fill;
	uint64_t *const told = &p.pool.places[chunk_row(p.pool, bucket) + j];
	uint64_t place = 0, taken = 0;

	if (places_skip(p, bucket))
		return NOWHERE;
	if (keys > rest || (fill == 0 && j > 0)) {	/* TAKEN is never 0: chunk 0 is the first bucket's */
		taken = slot_place(p.pool.chunks, p.pool.firsts + atomicAdd(p.pool.used, 1u));
		atomicExch((number *)(told + (keys > rest)), (number)taken);
	}
	if (j == 0)
		place = first_place(p.pool, bucket);
	else if (fill == 0)
		place = taken;
	else
		while ((place = *(volatile uint64_t *)told) == 0)
			__nanosleep(20);
	place = place + fill - before;
	if (keys <= rest)
		return place;
	p.changes[bucket] = chunk_change{ before + rest, { place, taken - (before + rest) } };
	return CHANGES;
}

template <class Tile> static __device__ __forceinline__ uint64_t
place_of(const chunk_places<Tile> &p, uint32_t bucket, uint64_t place, uint32_t at)
{
	if (place == CHANGES) {
		const chunk_change *change = &p.changes[bucket];

		place = change->places[at >= change->at];
	}
	return place + at;
}

/* What a block needs of shared memory. */
template <class Tile> static size_t
to_chunks_bytes(uint32_t buckets)
{
	return Tile::search::BYTES + buckets * sizeof(chunk_change) +
	       partition_bytes<Tile>(buckets) +
	       (Tile::search::SHORT_RUNS ? Tile::KEYS * sizeof(uint16_t) : 0);
}

/*
 * TILES tiles a block.  SURE: move keys only if buckets_are_sure() by RULE (sample.cuh), and uneven.  SLOTS:
 * NULL, or move keys only if they are not in these.
 * Neighbouring blocks take tiles from far apart: where keys are nearly in order, blocks at work at the
 * same time would otherwise all want room in the same bucket.
 */
template <class Tile, class Map> static __global__ void
__launch_bounds__(Tile::THREADS, Tile::BLOCKS)
to_chunks_kernel(typename Tile::of::place to, typename Tile::of::source from, size_t most,
                 const uint32_t *many, Map map, const bin_plan<typename Tile::of::key> *plan, chunk_pool pool,
                 uint32_t tiles, bool sure, code_rule rule, const slot_state *slots)
{
	if (!begin_in_turn(SHARED_LARGE) || (sure && !buckets_are_sure(*plan, rule)) ||
	    (slots != NULL && slots->broken == BINS_BREAK))
		return;

	typedef typename Tile::of::key Key;
	enum { WAYS = 64 };
	DYNAMIC_SHARED(memory);
	chunk_change *changes = (chunk_change *)(memory + Tile::search::BYTES);
	void *const space = changes + pool.buckets;
	chunk_places<Tile> places = { pool.cursors, pool, changes, {} };
	const uint32_t row = gridDim.x / WAYS, rest = row * WAYS;
	const uint32_t turn = blockIdx.x < rest ? blockIdx.x % WAYS * row + blockIdx.x / WAYS : blockIdx.x;
	const uint32_t begin = turn * tiles, end = begin + tiles;
	const size_t count = count_of(most, many);

	if (plan->skewed != 0) {
		places.search = splitters_load<typename Tile::search>(
			(Key *)memory, [=](unsigned p) { return splitter_at(plan, p); });
		tiles_move<Tile, Tile::SPLITTERS>(to, from, count, map, places.search, Tile::SPLITTERS,
		                                  places, begin, end, space);
	} else {
		const clamped_digits clamped = { plan->even };

		tiles_move<Tile, Tile::SPLITTERS>(to, from, count, map, clamped, clamped.d.bins, places,
		                                  begin, end, space);
	}
}

/* ---- and then -------------------------------------------------------------- */

/* Bucket B of PLAN, but for where it belongs.  *MOVED: its keys are in chunks, not only counted. */
template <class Of> static __device__ __forceinline__ leaf_item
bucket_of(const bin_plan<typename Of::key> *plan, const chunk_pool &pool, uint32_t b, bool *moved)
{
	typedef typename Of::key Key;
	const digits &d = plan->even;
	leaf_item item = {};

	item.count = pool.cursors[b];
	item.first = chunk_row(pool, b);

	if (plan->skewed) {
		item.low = splitter_at(plan, b);
		item.high = b + 1 < plan->rows ? splitter_at(plan, b + 1) - 1 : (Key)~(Key)0;
	} else {
		item.low = b > 0 ? digit_begin(d, b) : 0;
		item.high = b + 1 < d.bins ? digit_begin(d, b + 1) - 1 : (Key)~(Key)0;
	}
	/* the last bucket is never skipped: see places_skip() */
	*moved = item.count > 0 &&
	         !(!Of::CARRIES && plan->skewed && b + 1 < plan->rows && item.low == item.high);
	return item;
}

/* List ITEM of each thread as a LONG leaf, longer ones than MEAN first: a block that took one last would end
 * last.  A leaf of several parts is listed once for each, as part LOW of HIGH.  For all threads of the only
 * block. */
template <class Of> static __device__ __forceinline__ void
list_long(const lists &l, leaf_item item, uint64_t mean)
{
	__shared__ uint32_t sums[COUNT_THREADS / 32];
	const bool fits = item.count <= long_leaf<Of>::LONGEST, early = item.count > mean;
	const uint32_t parts = item.count > 0 && fits ? long_parts<Of>((uint32_t)item.count) : 0;
	const uint32_t mine = parts << 16 | (early ? parts : 0);
	uint32_t all, before = block_sum_before<COUNT_THREADS>(mine, sums, &all);

	before = early ? before & 0xffff : (all & 0xffff) + (before >> 16) - (before & 0xffff);
	if (!fits)
		l.list[TOO_LARGE][atomicAdd(&l.listed[TOO_LARGE], 1u)] = item;
	item.high = parts;
	for (item.low = 0; item.low < parts; item.low++)
		l.list[LONG][before + item.low] = item;
	if (threadIdx.x == 0)
		l.listed[LONG] = all >> 16;
}

/* List buckets as leaves: LONG ones if they have more than MOST keys, or are uneven and UNEVEN_ARE_LONG.
 * (Buckets of many keys are segments otherwise: segment_look.cuh.) */
template <class Of> static __global__ void
__launch_bounds__(COUNT_THREADS)
settle_chunks_kernel(chunk_pool pool, const bin_plan<typename Of::key> *plan, const __grid_constant__ lists l,
                     uint32_t most, bool uneven_are_long)
{
	if (!begin_in_turn(SHARED_LARGE))
		return;

	__shared__ number sums[32];
	const uint32_t b = threadIdx.x, buckets = plan->skewed ? plan->rows : plan->even.bins;
	const bool uneven = uneven_are_long && plan->skewed != 0;
	const leaf_item none = {};
	leaf_item item = none;
	number all;
	bool moved = false;

	if (b < buckets)
		item = bucket_of<Of>(plan, pool, b, &moved);
	if (moved)
		pool.places[item.first] = first_place(pool, b);
	item.from = block_sum_before<COUNT_THREADS>((number)item.count, sums, &all);
	if (uneven)
		moved = moved && item.low != item.high;
	if (item.count > 0 && !moved)
		list_equal(l, item);
	if constexpr (has_long_leaves<Of>()) {
		const bool is_long = moved && (uneven || (item.count > most && item.low != item.high));

		if (__syncthreads_or(is_long))
			list_long<Of>(l, is_long ? item : none, all / plan->buckets);
		moved = moved && !is_long;
	}
	if (!uneven)
		list_leaf<Of>(l, moved ? item : none);
}

#endif
