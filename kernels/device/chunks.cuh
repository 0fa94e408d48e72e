// SPDX-License-Identifier: BSD-2-Clause
/*
 * chunks.cuh - divide many keys into 256 buckets without counting them first
 *
 * In:   keys, and a plan (sample.cuh) that says where they go: by digits or by splitters.
 * Out:  the same keys in buckets, which are segments (segment.cuh), each in chunks.
 *
 *     to_chunks_kernel      a block some tiles: to the buckets
 *     settle_chunks_kernel  one block: where buckets are, and where they belong
 *
 * Counting would take a sweep, or a search, more.  Instead a bucket is made of chunks as long as
 * a tile, and takes another one when its chunk is full.  Only its last one is not full, so
 * besides the keys there is room for one chunk of each bucket.  M. Axtmann, S. Witt,
 * D. Ferizovic, P. Sanders, "In-Place Parallel Super Scalar Samplesort", ESA 2017.
 *
 * Keys of a bucket of one value are not moved, but written where they belong in the end.
 *
 * Invariant: all chunks of a bucket but its newest are full.
 */
#ifndef GS_CHUNKS_CUH
#define GS_CHUNKS_CUH

#include "kernels/device/sample.cuh"

/*
 * Chunks, and which bucket has them: chunk b is the first one of bucket b, and chunk
 * BUCKETS + i of OWNERS[i].  Those that do not fit among the keys are in spare memory: SPARE is
 * where, as seen from where keys are moved to, in keys, modulo 2^64.
 */
struct chunk_pool {
	number   *cursors;	/* of a bucket: 1 + i of its newest chunk, or 0, then 32 bits: keys in that */
	uint32_t *used;		/* chunks that have an owner; it and cursors are zero at first */
	uint32_t *owners;
	uint32_t  whole;	/* chunks that are among the keys */
	uint64_t  spare;
};

/* The newest chunk of BUCKET. */
static __device__ __forceinline__ uint32_t
newest_chunk(number cursor, uint32_t bucket)
{
	const uint32_t owned = (uint32_t)(cursor >> 32);

	return owned > 0 ? BUCKETS - 1 + owned : bucket;
}

template <class Key> static __device__ __forceinline__ uint64_t
chunk_place(const chunk_pool &pool, uint32_t chunk)
{
	return (uint64_t)(chunk < pool.whole ? chunk : chunk - pool.whole) * tile_of_many<Key>::KEYS +
	       (chunk < pool.whole ? 0 : pool.spare);
}

/* Has BUCKET one value only? */
template <class Key> static __device__ __forceinline__ bool
has_one_value(const bin_plan<Key> *plan, uint32_t bucket)
{
	return plan->skewed != 0 && plan->splitters[bucket] == bucket_high(plan->splitters, bucket);
}

/* ---- moving --------------------------------------------------------------- */

/* Keys of a bucket that fill up one chunk, and begin another. */
struct chunk_change {
	uint32_t at;			/* the first key of the tile that is in the other chunk */
	uint64_t places[2];		/* of both, less where keys are in the tile */
};

static const uint64_t CHANGES = (uint64_t)1 << 63;	/* for a place: see the bucket's change */

template <class Key> struct chunk_places {
	static const bool SKIPS = true;
	const bin_plan<Key> *plan;
	chunk_pool           pool;
	chunk_change        *changes;	/* of the tile; in shared memory */
};

template <class Key> static __device__ __forceinline__ number
places_begin(const chunk_places<Key> &p, uint32_t bucket, uint32_t keys)
{
	return atomicAdd(&p.pool.cursors[bucket], (number)keys);
}

/*
 * Many add to a cursor at once.  The one whose keys go beyond the chunk takes the next; later
 * ones wait until it has, and never long: it waits for nobody.
 */
template <class Key> static __device__ uint64_t
places_end(const chunk_places<Key> &p, uint32_t bucket, uint32_t keys, uint32_t before,
           number begun)
{
	enum { CHUNK = tile_of_many<Key>::KEYS };
	number *cursor = &p.pool.cursors[bucket];

	if (has_one_value(p.plan, bucket))
		return NOWHERE;
	for (;;) {
		const uint32_t fill = (uint32_t)begun;
		const uint64_t place = chunk_place<Key>(p.pool, newest_chunk(begun, bucket)) + fill - before;

		if (fill + keys <= CHUNK)
			return place;
		if (fill <= CHUNK) {
			const uint32_t next = atomicAdd(p.pool.used, 1u), rest = fill + keys - CHUNK;
			const uint32_t at = before + keys - rest;

			p.pool.owners[next] = bucket;
			atomicExch(cursor, (number)(next + 1) << 32 | rest);
			p.changes[bucket] = chunk_change{ at, { place,
				chunk_place<Key>(p.pool, BUCKETS + next) - at } };
			return CHANGES;
		}
		while ((uint32_t)*(volatile number *)cursor > CHUNK)
			__nanosleep(20);
		begun = atomicAdd(cursor, (number)keys);
	}
}

template <class Key> static __device__ __forceinline__ bool
places_known(const chunk_places<Key> &, bool writes)
{
	return __syncthreads_or(writes);
}

template <class Key> static __device__ __forceinline__ uint64_t
place_of(const chunk_places<Key> &p, uint32_t bucket, uint64_t place, uint32_t at)
{
	if (place == CHANGES) {
		const chunk_change *change = &p.changes[bucket];

		place = change->places[at >= change->at];
	}
	return place + at;
}

/*
 * A search for each key again would be dear.  Instead warps write as many keys each, a run of
 * one bucket after the other: a bucket's place is asked once a run.
 */
template <unsigned THREADS, unsigned ITEMS, class Key> static __device__ __forceinline__ void
tile_write(const splitters<Key> &, const chunk_places<Key> &p, Key *to, const Key *sorted,
           uint32_t count, const uint32_t *begins, uint32_t, const uint64_t *places)
{
	uint32_t at = threadIdx.x / 32 * (32 * ITEMS), last, bucket = 0;
	const uint32_t end = min(at + 32 * ITEMS, count);

	for (unsigned half = BUCKETS / 2; half > 0; half /= 2)
		bucket += begins[bucket + half] <= at ? half : 0;
	for (; at < end; at = last, bucket++) {
		last = bucket + 1 < BUCKETS ? min(begins[bucket + 1], end) : end;
		if (at == last || places[bucket] == NOWHERE)
			continue;
		for (uint32_t k = at + threadIdx.x % 32; k < last; k += 32)
			to[place_of(p, bucket, places[bucket], k)] = sorted[k];
	}
}

/* What a block needs of shared memory. */
template <class Key> static size_t
to_chunks_bytes(void)
{
	return SPLITTERS_BYTES + BUCKETS * sizeof(chunk_change) +
	       partition_bytes<Key, tile_of_many<Key>::KEYS>(BUCKETS);
}

/* Keys of tile T. */
template <class Key> static __device__ __forceinline__ uint32_t
tile_count(size_t count, uint32_t t)
{
	enum { KEYS = tile_of_many<Key>::KEYS };
	const size_t from = t * (size_t)KEYS;

	return from < count ? (uint32_t)min(count - from, (size_t)KEYS) : 0;
}

/* The tiles from T to END - 1. */
template <class Key, class Digits> static __device__ __forceinline__ void
tiles_to_chunks(Key *to, const Key *from, size_t count, const Digits &d, uint32_t bins,
                const chunk_places<Key> &places, uint32_t t, uint32_t end, void *memory)
{
	typedef tile_of_many<Key> tile;
	Key x[tile::ITEMS];
	uint32_t here = 0;
	auto load = [&]() {
		here = t < end ? tile_count<Key>(count, t) : 0;
		tile_load<tile::THREADS, tile::ITEMS>(x, from + t * (size_t)tile::KEYS, here);
		t++;
	};

	for (load(); here > 0;) {
		partition_tile<tile::THREADS, tile::ITEMS, BUCKETS>(to, x, here, d, bins, places, memory, load);
		__syncthreads();
	}
}

template <class Key> static __global__ void
__launch_bounds__(tile_of_many<Key>::THREADS, tile_of_many<Key>::BLOCKS)
to_chunks_kernel(Key *to, const Key *from, size_t count, const bin_plan<Key> *plan,
                 chunk_pool pool, uint32_t tiles)
{
	begin_in_turn();

	DYNAMIC_SHARED(memory);
	chunk_change *changes = (chunk_change *)(memory + SPLITTERS_BYTES);
	void *const space = changes + BUCKETS;
	const chunk_places<Key> places = { plan, pool, changes };
	const uint32_t begin = blockIdx.x * tiles, end = begin + tiles;

	if (plan->skewed != 0) {
		splitters_load(memory, plan->splitters);
		tiles_to_chunks(to, from, count, splitters<Key>{ (const Key *)memory, NULL }, BUCKETS,
		                places, begin, end, space);
	} else if (plan->even.outside) {
		const clamped_digits clamped = { plan->even };

		tiles_to_chunks(to, from, count, clamped, BUCKETS, places, begin, end, space);
	} else {
		const digits plain = plan->even;

		tiles_to_chunks(to, from, count, plain, BUCKETS, places, begin, end, space);
	}
}

/* ---- and then -------------------------------------------------------------- */

/*
 * Make ITEMS of buckets, BUCKETS of them, those without keys behind the others; and list their
 * chunks in the same order, the newest of each bucket last.
 */
template <class Key> static __global__ void
__launch_bounds__(COUNT_THREADS)
settle_chunks_kernel(chunk_map where, chunk_pool pool, const bin_plan<Key> *plan,
                     leaf_item *items, lists l)
{
	begin_in_turn();

	enum { NONE = 0xffffffff };
	__shared__ number sums[32];
	__shared__ uint32_t counts[32], held[BUCKETS], next[BUCKETS], newest[BUCKETS];
	const unsigned b = threadIdx.x;
	const uint32_t used = *pool.used;
	const number cursor = b < BUCKETS ? pool.cursors[b] : 0;
	const bool stays = b < BUCKETS && has_one_value(plan, b);
	leaf_item item = {};
	number all;
	uint32_t segment, segments, first, chunks;
	bool moves;

	if (b < BUCKETS)
		held[b] = 1;
	__syncthreads();
#pragma unroll 8
	for (uint32_t c = b; c < used; c += COUNT_THREADS)
		atomicAdd(&held[__ldg(&pool.owners[c])], 1u);
	__syncthreads();
	item.count = stays || cursor == 0 ? cursor :
	             (held[b] - 1) * (uint64_t)tile_of_many<Key>::KEYS + (uint32_t)cursor;
	moves = !stays && item.count > 0;
	item.from = block_sum_before<COUNT_THREADS>((number)item.count, sums, &all);
	segment = block_sum_before<COUNT_THREADS>((uint32_t)moves, counts, &segments);
	__syncthreads();
	first = block_sum_before<COUNT_THREADS>(moves ? held[b] : 0, counts, &chunks);
	if (b < BUCKETS) {
		const digits &d = plan->even;

		item.low = plan->skewed ? plan->splitters[b] : b > 0 ? digit_begin(d, b) : 0;
		item.high = plan->skewed ? bucket_high(plan->splitters, b) :
		            b + 1 < d.bins ? digit_begin(d, b + 1) - 1 : (Key)~(Key)0;
		newest[b] = moves ? newest_chunk(cursor, b) : NONE;
		next[b] = first;
	}
	if (moves) {
		items[segment] = item;
		where.first[segment] = first;
	} else if (item.count > 0) {
		list_equal(l, item);
	}
	if (b >= segments && b < BUCKETS)
		items[b] = leaf_item{};
	__syncthreads();
#pragma unroll 8
	for (uint32_t c = b; c < used + BUCKETS; c += COUNT_THREADS) {
		const uint32_t owner = c < BUCKETS ? c : __ldg(&pool.owners[c - BUCKETS]);

		if (newest[owner] != NONE && c != newest[owner])
			where.at[atomicAdd(&next[owner], 1u)] = chunk_place<Key>(pool, c);
	}
	if (moves)
		where.at[first + held[b] - 1] = chunk_place<Key>(pool, newest[b]);
}

#endif
