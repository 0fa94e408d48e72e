// SPDX-License-Identifier: BSD-2-Clause
/*
 * chunks.cuh - divide all keys into 256 buckets without counting them first
 *
 * In:   keys, and a plan (sample.cuh) that says where they go: by digits or by splitters.
 * Out:  the same keys in buckets, each in chunks; and lists of leaves and segments.
 *
 *     to_chunks_kernel      a block some tiles: to the buckets
 *     settle_chunks_kernel  one block: where buckets are, where they belong, and what is next
 *
 * Counting would take a sweep, or a search, more.  Instead a bucket is made of chunks, each as
 * long as a tile or a few, and takes another one when its chunk is full.  Only its last one is not full, so
 * besides the keys there is room for one chunk of each bucket.  M. Axtmann, S. Witt,
 * D. Ferizovic, P. Sanders, "In-Place Parallel Super Scalar Samplesort", ESA 2017.
 *
 * Few keys have short tiles, and a bucket of them is a leaf.  A bucket of many is a segment
 * (segment.cuh).  Keys of a bucket of one value are not moved, but written where they belong in
 * the end, unless they carry payloads.
 *
 * Invariant: all chunks of a bucket but its newest are full.
 */
#ifndef GS_CHUNKS_CUH
#define GS_CHUNKS_CUH

#include "kernels/device/sample.cuh"

/*
 * Chunks, and which of so many BUCKETS has them: chunk b is the first one of bucket b, and chunk
 * FIRSTS + i of OWNERS[i].  Of buckets by splitters, few of which may be in use, those from
 * FIRSTS - 1 to the last but one never have keys; chunk FIRSTS - 1 is the last one's.  Chunks
 * that do not fit among the keys are in spare memory: SPARE is where, as seen from where keys are
 * moved to, in keys, modulo 2^64.
 */
struct chunk_pool {
	number   *cursors;	/* of a bucket: 1 + i of its newest chunk, or 0, then 32 bits: keys in that */
	uint32_t *used;		/* chunks that have an owner; it and cursors are zero at first */
	uint32_t *owners;
	uint32_t  buckets, firsts;
	uint32_t  chunk;	/* keys of a chunk: of one tile or a few */
	uint32_t  whole;	/* chunks that are among the keys */
	uint64_t  spare;
};

/* The newest chunk of BUCKET. */
static __device__ __forceinline__ uint32_t
newest_chunk(const chunk_pool &pool, number cursor, uint32_t bucket)
{
	const uint32_t owned = (uint32_t)(cursor >> 32);

	return owned > 0 ? pool.firsts - 1 + owned : min(bucket, pool.firsts - 1);
}

static __device__ __forceinline__ uint64_t
chunk_place(const chunk_pool &pool, uint32_t chunk)
{
	return (uint64_t)(chunk < pool.whole ? chunk : chunk - pool.whole) * pool.chunk +
	       (chunk < pool.whole ? 0 : pool.spare);
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
	chunk_pool             pool;
	chunk_change          *changes;	/* of the tile; in shared memory */
	typename Tile::search  search;	/* without rows: by digits */
};

/* Has BUCKET one value only? */
template <class Tile> static __device__ __forceinline__ bool
has_one_value(const chunk_places<Tile> &p, uint32_t bucket)
{
	return chunk_places<Tile>::SKIPS && p.search.rows != NULL && bucket + 1 < Tile::SPLITTERS &&
	       p.search.at(bucket) + 1 == p.search.at(bucket + 1);
}

template <class Tile> static __device__ __forceinline__ number
places_begin(const chunk_places<Tile> &p, uint32_t bucket, uint32_t keys)
{
	return atomicAdd(&p.pool.cursors[bucket], (number)keys);
}

template <class Tile> static __device__ __forceinline__ bool
places_write(const chunk_places<Tile> &p, uint32_t bucket)
{
	return !has_one_value(p, bucket);
}

template <class Tile> static __device__ __forceinline__ bool
places_any(const chunk_places<Tile> &, bool writes)
{
	return __syncthreads_or(writes);
}

/*
 * Many add to a cursor at once.  The one whose keys go beyond the chunk takes the next; later
 * ones wait until it has, and never long: it waits for nobody.
 */
template <class Tile> static __device__ uint64_t
places_end(const chunk_places<Tile> &p, uint32_t bucket, uint32_t keys, uint32_t before,
           number begun)
{
	number *cursor = &p.pool.cursors[bucket];
	const uint32_t chunk = p.pool.chunk;

	if (!places_write(p, bucket))
		return NOWHERE;
	for (;;) {
		const uint32_t fill = (uint32_t)begun;
		const uint64_t place = chunk_place(p.pool, newest_chunk(p.pool, begun, bucket)) +
		                       fill - before;

		if (fill + keys <= chunk)
			return place;
		if (fill <= chunk) {
			const uint32_t next = atomicAdd(p.pool.used, 1u), rest = fill + keys - chunk;
			const uint32_t at = before + keys - rest;

			p.pool.owners[next] = bucket;
			atomicExch(cursor, (number)(next + 1) << 32 | rest);
			p.changes[bucket] = chunk_change{ at, { place,
				chunk_place(p.pool, p.pool.firsts + next) - at } };
			return CHANGES;
		}
		while ((uint32_t)*(volatile number *)cursor > chunk)
			__nanosleep(20);
		begun = atomicAdd(cursor, (number)keys);
	}
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
 * TILES tiles a block, but neighbouring blocks take tiles from far apart: where keys are nearly in
 * order, blocks at work at the same time would otherwise all want room in the same bucket.
 */
template <class Tile> static __global__ void
__launch_bounds__(Tile::THREADS, Tile::BLOCKS)
to_chunks_kernel(typename Tile::of::place to, typename Tile::of::source from, size_t count,
                 typename Tile::of::map map, const bin_plan<typename Tile::of::key> *plan,
                 chunk_pool pool, uint32_t tiles)
{
	begin_in_turn();

	typedef typename Tile::of::key Key;
	enum { WAYS = 64 };
	DYNAMIC_SHARED(memory);
	chunk_change *changes = (chunk_change *)(memory + Tile::search::BYTES);
	void *const space = changes + pool.buckets;
	chunk_places<Tile> places = { pool, changes, {} };
	const uint32_t row = gridDim.x / WAYS, rest = row * WAYS;
	const uint32_t turn = blockIdx.x < rest ? blockIdx.x % WAYS * row + blockIdx.x / WAYS : blockIdx.x;
	const uint32_t begin = turn * tiles, end = begin + tiles;

	if (plan->skewed != 0) {
		places.search = splitters_load<typename Tile::search>(
			(Key *)memory, [=](unsigned p) { return splitter_at(plan, p); });
		tiles_move<Tile, Tile::SPLITTERS>(to, from, count, map, places.search, Tile::SPLITTERS,
		                                  places, begin, end, space);
	} else if (plan->even.outside) {
		const clamped_digits clamped = { plan->even };

		tiles_move<Tile, Tile::SPLITTERS>(to, from, count, map, clamped, clamped.d.bins, places,
		                                  begin, end, space);
	} else {
		const digits plain = plan->even;

		tiles_move<Tile, Tile::SPLITTERS>(to, from, count, map, plain, plain.bins, places,
		                                  begin, end, space);
	}
}

/* ---- and then -------------------------------------------------------------- */

/*
 * Bucket B of PLAN, but for where it is; it has so many CHUNKS.  *MOVED: its keys are there, not
 * only counted.
 */
template <class Of> static __device__ __forceinline__ leaf_item
bucket_of(const bin_plan<typename Of::key> *plan, const chunk_pool &pool, uint32_t b,
          uint32_t chunks, bool *moved)
{
	typedef typename Of::key Key;
	const digits &d = plan->even;
	const number cursor = pool.cursors[b];
	leaf_item item = {};

	if (plan->skewed) {
		item.low = splitter_at(plan, b);
		item.high = bucket_high(plan, b);
	} else {
		item.low = b > 0 ? digit_begin(d, b) : 0;
		item.high = b + 1 < d.bins ? digit_begin(d, b + 1) - 1 : (Key)~(Key)0;
	}
	/* the last bucket is never skipped: see has_one_value() */
	*moved = cursor > 0 && !(!Of::CARRIES && plan->skewed && b + 1 < plan->rows && item.low == item.high);
	item.count = !*moved ? cursor : (chunks - 1) * (uint64_t)pool.chunk + (uint32_t)cursor;
	return item;
}

/*
 * List the chunks of each bucket, the newest one last.  And list the buckets: as leaves, or if ITEMS
 * is not NULL all as segments, as many as buckets, those without keys behind the others.
 */
template <class Of> static __global__ void
__launch_bounds__(COUNT_THREADS)
settle_chunks_kernel(uint64_t *chunks, chunk_pool pool, const bin_plan<typename Of::key> *plan,
                     leaf_item *items, lists l)
{
	begin_in_turn();

	enum { NONE = 0xffffffff };
	__shared__ number sums[32], both_sums[32];
	__shared__ uint32_t held[FEW_BUCKETS], next[FEW_BUCKETS], newest[FEW_BUCKETS];
	const uint32_t b = threadIdx.x, used = *pool.used;
	const uint32_t buckets = plan->skewed ? plan->rows : plan->even.bins;
	const leaf_item none = {};
	leaf_item item = none;
	number all, both;
	bool moved = false;

	if (b < buckets)
		held[b] = 1;
	__syncthreads();
#pragma unroll 8
	for (uint32_t c = b; c < used; c += COUNT_THREADS)
		atomicAdd(&held[__ldg(&pool.owners[c])], 1u);
	__syncthreads();
	if (b < buckets)
		item = bucket_of<Of>(plan, pool, b, held[b], &moved);
	item.from = block_sum_before<COUNT_THREADS>((number)item.count, sums, &all);
	/* those that are moved, and above 32 bits their chunks */
	both = block_sum_before<COUNT_THREADS>(moved ? (number)held[b] << 32 | 1 : 0, both_sums, &all);
	item.first = both >> 32;
	if (b < buckets) {
		newest[b] = moved ? newest_chunk(pool, pool.cursors[b], b) : NONE;
		next[b] = (uint32_t)item.first;
	}
	if (item.count > 0 && !moved)
		list_equal(l, item);
	if (items == NULL)
		list_leaves<Of, 1>(l, moved ? &item : &none);
	if (items != NULL && moved)
		items[(uint32_t)both] = item;
	if (items != NULL && b >= (uint32_t)all && b < pool.buckets)
		items[b] = none;
	__syncthreads();
#pragma unroll 8
	for (uint32_t c = b; c < used + pool.firsts; c += COUNT_THREADS) {
		const uint32_t owner = c >= pool.firsts ? __ldg(&pool.owners[c - pool.firsts]) :
		                       c == pool.firsts - 1 && plan->skewed ? buckets - 1 : c;

		if (owner < buckets && newest[owner] != NONE && c != newest[owner])
			chunks[atomicAdd(&next[owner], 1u)] = chunk_place(pool, c);
	}
	if (moved)
		chunks[item.first + held[b] - 1] = chunk_place(pool, newest[b]);
}

#endif
