// SPDX-License-Identifier: BSD-2-Clause
/*
 * samplesort.cuh - divide skewed keys into buckets of about as many keys each
 *
 * In:   a sorted sample of the keys.
 * Out:  the same keys in buckets, which are segments: to be divided by their range
 *       (segment.cuh).
 *
 *     splitter_kernel         one block: the least key of each bucket, from the sample
 *     move_buckets_kernel   a block a tile: to the buckets
 *     settle_buckets_kernel one block: where buckets are, and where they belong
 *
 * A key's bucket is found by a search without branches.  Splitters are kept as many
 * times as there are banks of shared memory, so each lane searches in a bank of its
 * own (u64: two lanes).  A value that is more than a bucket's share gets a bucket for
 * itself, for splitters at v and v + 1 are ordinary splitters; its keys are not moved at
 * all, but written at the end.
 *
 * Nobody counts first: that would take a search more.  A bucket is made of chunks as
 * long as a tile, and takes another when one is full.  Only its last one is not, so
 * there is room for a chunk of each bucket besides the keys'.
 *
 * P. Sanders, S. Winkel, "Super Scalar Sample Sort", ESA 2004; N. Leischner,
 * V. Osipov, P. Sanders, "GPU Sample Sort", IPDPS 2010.  Chunks: M. Axtmann, S. Witt,
 * D. Ferizovic, P. Sanders, "In-Place Parallel Super Scalar Samplesort", ESA 2017.
 *
 * Invariant: splitters never fall, and the first one is 0; all chunks of a bucket but
 * its newest are full.
 */
#ifndef GS_SAMPLESORT_CUH
#define GS_SAMPLESORT_CUH

#include "kernels/device/histogram.cuh"
#include "kernels/device/leaf_worklist.cuh"
#include "kernels/device/segment.cuh"

#ifndef GS_BUCKET_BITS
#define GS_BUCKET_BITS	8	/* the emulator has fewer, so that buckets are large */
#endif

enum {
	BUCKETS      = 1 << GS_BUCKET_BITS,
	BUCKET_ROW   = 128,		/* bytes: a word for each bank */
	BUCKET_EACH  = 2 * SAMPLE_KEYS / BUCKETS,		/* samples of two buckets */
	BUCKET_LOADS = 8,		/* keys of a thread that searches at once */
};

/* What a block needs for searches: all splitters. */
enum { BUCKET_BYTES = BUCKETS * BUCKET_ROW };

/*
 * Chunks, and who has them.  Those that are not among the keys are in spare memory:
 * SPARE is where, as seen from where keys are moved to, in keys, modulo 2^64.
 */
struct chunk_pool {
	number   *cursors;	/* of a bucket: its newest chunk in the upper half, keys in that */
	uint32_t *used;		/* chunks; at first each bucket has one */
	uint32_t *owners;	/* a bucket for each chunk */
	uint32_t  whole;	/* chunks that are among the keys */
	uint64_t  spare;
};

/* A cursor of keys that are not moved: the rest of it counts them. */
static const number STAYS = (number)1 << 63;

template <class Key> static __device__ __forceinline__ uint64_t
chunk_place(const chunk_pool &pool, uint32_t chunk)
{
	return (uint64_t)(chunk < pool.whole ? chunk : chunk - pool.whole) * tile_of_many<Key>::KEYS +
	       (chunk < pool.whole ? 0 : pool.spare);
}

/*
 * Two buckets of each BUCKET_EACH samples.  The splitter between them is the sample in
 * the middle; but if a gap is wider than a quarter of the whole, the middle of that:
 * else most keys of such a bucket would lie at its two ends, in two bins.
 */
template <class Key> static __global__ void
__launch_bounds__(BUCKETS)
splitter_kernel(Key *splitters, const Key *sample, chunk_pool pool)
{
	begin_in_turn();

	__shared__ Key found[BUCKETS];
	const unsigned p = threadIdx.x, first = p / 2 * BUCKET_EACH;
	const bool top = p == BUCKETS - 1;
	const unsigned last = min(first + BUCKET_EACH, (unsigned)SAMPLE_KEYS - 1);
	const Key quarter = (sample[last] - sample[first]) / 4;
	Key splitter = sample[first + p % 2 * BUCKET_EACH / 2], widest = quarter;

	for (unsigned s = first; p % 2 == 1 && s < last; s++) {
		const Key gap = sample[s + 1] - sample[s];

		if (gap > widest) {
			widest = gap;
			splitter = sample[s] + gap / 2 + gap % 2;
		}
	}
	found[p] = p == 0 ? 0 : splitter;
	__syncthreads();
	/* one splitter repeats: the value gets a bucket, those behind it are empty */
	splitter = p > 0 && found[p - 1] == splitter && splitter < (Key)~(Key)0 ? splitter + 1 : found[p];
	__syncthreads();
	found[p] = splitters[p] = splitter;
	__syncthreads();
	pool.owners[p] = p;
	pool.cursors[p] = (top ? (Key)~(Key)0 : found[p + !top] - 1) == splitter ? STAYS : (number)p << 32;
	if (top)
		*pool.used = BUCKETS;
}

/* ---- the search ----------------------------------------------------------- */

/* All splitters in a row of banks each; a lane's copy begins at ROWS + its lane. */
template <class Key> struct splitter_rows {
	enum { COPIES = BUCKET_ROW / sizeof(Key) };
	Key *rows;
};

template <class Key> static __device__ __forceinline__ void
rows_load(void *memory, const Key *splitters)
{
	enum { EACH = 16 / sizeof(Key), LOADS = BUCKET_ROW / 16 };

	for (unsigned at = threadIdx.x; at < BUCKETS * LOADS; at += blockDim.x) {
		const Key splitter = splitters[at / LOADS];
		load<Key> copies;

#pragma unroll
		for (unsigned c = 0; c < EACH; c++)
			copies.at[c] = splitter;
		((load<Key> *)memory)[at] = copies;
	}
}

/*
 * The buckets of MANY keys of each thread: a load, a comparison and an addition a
 * step.  With splitters as a tree a step took two instructions more.
 */
template <unsigned MANY, class Key> static __device__ __forceinline__ void
rows_find(const splitter_rows<Key> &f, const Key *keys, uint32_t *buckets)
{
	const char *rows = (const char *)f.rows;

	const uint32_t lane = threadIdx.x % splitter_rows<Key>::COPIES * (uint32_t)sizeof(Key);

#pragma unroll
	for (unsigned i = 0; i < MANY; i++)	/* as bytes, for no instruction shall shift them */
		buckets[i] = lane;
#pragma unroll
	for (unsigned half = BUCKETS / 2; half > 0; half /= 2)
#pragma unroll
		for (unsigned i = 0; i < MANY; i++)
			if (keys[i] >= *(const Key *)(rows + half * BUCKET_ROW + buckets[i]))
				buckets[i] += half * BUCKET_ROW;
#pragma unroll
	for (unsigned i = 0; i < MANY; i++)
		buckets[i] /= BUCKET_ROW;
}

/* ---- moving --------------------------------------------------------------- */

/* Keys of a bucket that fill up one chunk, and begin another. */
struct chunk_change {
	uint32_t at;			/* the first key of the tile that is in the other chunk */
	uint64_t places[2];		/* of both, less where keys are in the tile */
};

static const uint64_t CHANGES = (uint64_t)1 << 63;	/* for a place: see the bucket's change */

/* What partition_tile() asks of buckets. */
template <class Key> struct bucket_part {
	void         *memory;	/* for splitters */
	chunk_change *changes;
	const Key    *splitters;
	chunk_pool    pool;
};

template <class Key> static __device__ __forceinline__ void
part_begin(const bucket_part<Key> &part)
{
	rows_load(part.memory, part.splitters);
}

template <unsigned THREADS, unsigned ITEMS, class Key> static __device__ __forceinline__ void
part_find(const bucket_part<Key> &part, const Key *x, uint32_t *place)
{
	const splitter_rows<Key> rows = { (Key *)part.memory };

#pragma unroll
	for (unsigned i = 0; i < ITEMS; i += BUCKET_LOADS)
		rows_find<BUCKET_LOADS>(rows, x + i, place + i);
}

template <class Key> static __device__ __forceinline__ uint32_t
part_found(const bucket_part<Key> &, Key, uint32_t place)
{
	return place;
}

/*
 * Many add to a cursor at once.  The one whose keys go beyond the chunk takes the
 * next; who comes later waits until it has, and never long: it waits for nobody.
 */
template <class Key> static __device__ uint64_t
part_claim(const bucket_part<Key> &part, number *cursors, uint32_t bucket, uint32_t keys,
           uint32_t before)
{
	enum { CHUNK = tile_of_many<Key>::KEYS };

	for (;;) {
		const number old = atomicAdd(&cursors[bucket], (number)keys);
		const uint32_t fill = (uint32_t)old;
		const uint64_t place = chunk_place<Key>(part.pool, (uint32_t)(old >> 32)) + fill - before;

		if ((old & STAYS) != 0)
			return NOWHERE;
		if (fill + keys <= CHUNK)
			return place;
		if (fill <= CHUNK) {
			const uint32_t next = atomicAdd(part.pool.used, 1u), rest = fill + keys - CHUNK;

			part.pool.owners[next] = bucket;
			atomicExch(&cursors[bucket], (number)next << 32 | rest);
			part.changes[bucket] = chunk_change{ before + keys - rest, { place,
				chunk_place<Key>(part.pool, next) - (before + keys - rest) } };
			return CHANGES;
		}
		while ((uint32_t)*(volatile number *)&cursors[bucket] > CHUNK)
			;
	}
}

template <class Key> static __device__ __forceinline__ bool
part_claimed(const bucket_part<Key> &, bool moves)
{
	return __syncthreads_or(moves);
}

/*
 * Warps write as many keys each, a run of one bucket after the other: a bucket's place
 * is asked once a run, and nobody keeps which key has which bucket.
 */
template <unsigned THREADS, unsigned ITEMS, class Key> static __device__ __forceinline__ void
part_write(const bucket_part<Key> &part, Key *to, const Key *sorted, uint32_t count,
           const uint32_t *begins, const uint64_t *places)
{
	uint32_t at = threadIdx.x / 32 * (32 * ITEMS), last, bucket = 0;
	const uint32_t end = min(at + 32 * ITEMS, count);

	for (unsigned half = BUCKETS / 2; half > 0; half /= 2)
		bucket += begins[bucket + half] <= at ? half : 0;
	for (; at < end; at = last, bucket++) {
		const uint64_t place = places[bucket];
		const chunk_change *change = &part.changes[bucket];

		last = bucket + 1 < BUCKETS ? min(begins[bucket + 1], end) : end;
		if (place == NOWHERE)
			continue;
		for (uint32_t k = at + threadIdx.x % 32; k < last; k += 32)
			to[(place == CHANGES ? change->places[k >= change->at] : place) + k] = sorted[k];
	}
}

/* What a block needs of shared memory. */
template <class Key> static size_t
move_buckets_bytes(void)
{
	enum { TILE = tile_of_many<Key>::KEYS };

	return BUCKET_BYTES + BUCKETS * sizeof(chunk_change) + partition_bytes<Key, TILE>(BUCKETS);
}

template <class Key> static __global__ void
__launch_bounds__(tile_of_many<Key>::THREADS, tile_of_many<Key>::BLOCKS)
move_buckets_kernel(Key *to, const Key *from, size_t count, const Key *splitters, chunk_pool pool)
{
	begin_in_turn();

	typedef tile_of_many<Key> tile;
	DYNAMIC_SHARED(memory);
	chunk_change *changes = (chunk_change *)(memory + BUCKET_BYTES);
	const uint64_t begin = blockIdx.x * (uint64_t)tile::KEYS;
	const bucket_part<Key> part = { memory, changes, splitters, pool };

	partition_tile<tile::THREADS, tile::ITEMS>(
		to, from + begin, (uint32_t)min(count - begin, (uint64_t)tile::KEYS), part, BUCKETS,
		pool.cursors, changes + BUCKETS);
}

/* ---- and then -------------------------------------------------------------- */

/* List buckets, and their chunks in the same order, the newest of each bucket last. */
template <class Key> static __global__ void
__launch_bounds__(COUNT_THREADS)
settle_buckets_kernel(chunks where, chunk_pool pool, const Key *splitters, lists l)
{
	begin_in_turn();

	__shared__ number sums[32], newest[BUCKETS];
	__shared__ uint32_t counts[32], held[BUCKETS], next[BUCKETS];
	const unsigned p = threadIdx.x;
	const uint32_t used = *pool.used;
	const number cursor = p < BUCKETS ? pool.cursors[p] : STAYS;
	leaf_item item = {};
	number all;
	uint32_t segment, segments, first, chunks;
	bool moves;

	if (p < BUCKETS)
		held[p] = 0;
	__syncthreads();
#pragma unroll 8
	for (uint32_t c = p; c < used; c += COUNT_THREADS)
		atomicAdd(&held[__ldg(&pool.owners[c])], 1u);
	__syncthreads();
	item.count = (cursor & STAYS) != 0 ? cursor & ~STAYS :
	             (held[p] - 1) * (uint64_t)tile_of_many<Key>::KEYS + (uint32_t)cursor;
	moves = (cursor & STAYS) == 0 && item.count > 0;
	item.from = sum_before<COUNT_THREADS>((number)item.count, sums, &all);
	segment = sum_before<COUNT_THREADS>((uint32_t)moves, counts, &segments);
	__syncthreads();
	first = sum_before<COUNT_THREADS>(moves ? held[p] : 0, counts, &chunks);
	if (p < BUCKETS) {
		item.low = splitters[p];
		item.high = p == BUCKETS - 1 ? (Key)~(Key)0 : splitters[p + 1] - 1;
		newest[p] = moves ? cursor >> 32 : STAYS;
		next[p] = first;
	}
	if (p == 0)
		l.listed[TOO_LARGE] = segments;
	if (moves) {
		l.list[TOO_LARGE][segment] = item;
		where.first[segment] = first;
	} else if (item.count > 0) {
		list_equal(l, item);
	}
	__syncthreads();
#pragma unroll 8
	for (uint32_t c = p; c < used; c += COUNT_THREADS) {
		const uint32_t owner = __ldg(&pool.owners[c]);

		if (newest[owner] != STAYS && c != newest[owner])
			where.at[atomicAdd(&next[owner], 1u)] = chunk_place<Key>(pool, c);
	}
	if (moves)
		where.at[first + held[p] - 1] = chunk_place<Key>(pool, (uint32_t)(cursor >> 32));
}

#endif
