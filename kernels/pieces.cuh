// SPDX-License-Identifier: BSD-2-Clause
/*
 * pieces.cuh - keys that cluster, cut into pieces of about as many keys each
 *
 * In:   a sorted sample of the keys.
 * Out:  the same keys in pieces, which are segments: to be divided by their range
 *       (segment.cuh).
 *
 *     fence_kernel         one block: the least key of each piece, from the sample
 *     move_pieces_kernel   a block a tile: to the pieces
 *     settle_pieces_kernel one block: where pieces are, and where they belong
 *
 * A key's piece is found by a search without branches.  Fences are kept as many
 * times as there are banks of shared memory, so each lane searches in a bank of its
 * own (u64: two lanes).  A value that is more than a piece's share gets a piece for
 * itself, for fences at v and v + 1 are ordinary fences; its keys are not moved at
 * all, but written at the end.
 *
 * Nobody counts first: that would take a search more.  A piece is made of chunks as
 * long as a tile, and takes another when one is full.  Only its last one is not, so
 * there is room for a chunk of each piece besides the keys'.
 *
 * P. Sanders, S. Winkel, "Super Scalar Sample Sort", ESA 2004; N. Leischner,
 * V. Osipov, P. Sanders, "GPU Sample Sort", IPDPS 2010.  Chunks: M. Axtmann, S. Witt,
 * D. Ferizovic, P. Sanders, "In-Place Parallel Super Scalar Samplesort", ESA 2017.
 *
 * Invariant: fences never fall, and the first one is 0; all chunks of a piece but
 * its newest are full.
 */
#ifndef GS_PIECES_CUH
#define GS_PIECES_CUH

#include "kernels/count.cuh"
#include "kernels/list.cuh"
#include "kernels/segment.cuh"

#ifndef GS_PIECE_BITS
#define GS_PIECE_BITS	8	/* the emulator has fewer, so that pieces are large */
#endif

enum {
	PIECES      = 1 << GS_PIECE_BITS,
	PIECE_ROW   = 128,		/* bytes: a word for each bank */
	PIECE_EACH  = 2 * SAMPLE_KEYS / PIECES,		/* samples of two pieces */
	PIECE_LOADS = 8,		/* keys of a thread that searches at once */
};

/* What a block needs for searches: all fences. */
enum { PIECE_BYTES = PIECES * PIECE_ROW };

/*
 * Chunks, and who has them.  Those that are not among the keys are in spare memory:
 * SPARE is where, as seen from where keys are moved to, in keys, modulo 2^64.
 */
struct chunk_pool {
	number   *cursors;	/* of a piece: its newest chunk in the upper half, keys in that */
	uint32_t *used;		/* chunks; at first each piece has one */
	uint32_t *owners;	/* a piece for each chunk */
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
 * Two pieces of each PIECE_EACH samples.  The fence between them is the sample in
 * the middle; but if a gap is wider than a quarter of the whole, the middle of that:
 * else most keys of such a piece would lie at its two ends, in two bins.
 */
template <class Key> static __global__ void
__launch_bounds__(PIECES)
fence_kernel(Key *fences, const Key *sample, chunk_pool pool)
{
	begin_in_turn();

	__shared__ Key found[PIECES];
	const unsigned p = threadIdx.x, first = p / 2 * PIECE_EACH;
	const bool top = p == PIECES - 1;
	const unsigned last = min(first + PIECE_EACH, (unsigned)SAMPLE_KEYS - 1);
	const Key quarter = (sample[last] - sample[first]) / 4;
	Key fence = sample[first + p % 2 * PIECE_EACH / 2], widest = quarter;

	for (unsigned s = first; p % 2 == 1 && s < last; s++) {
		const Key gap = sample[s + 1] - sample[s];

		if (gap > widest) {
			widest = gap;
			fence = sample[s] + gap / 2 + gap % 2;
		}
	}
	found[p] = p == 0 ? 0 : fence;
	__syncthreads();
	/* one fence repeats: the value gets a piece, those behind it are empty */
	fence = p > 0 && found[p - 1] == fence && fence < (Key)~(Key)0 ? fence + 1 : found[p];
	__syncthreads();
	found[p] = fences[p] = fence;
	__syncthreads();
	pool.owners[p] = p;
	pool.cursors[p] = (top ? (Key)~(Key)0 : found[p + !top] - 1) == fence ? STAYS : (number)p << 32;
	if (top)
		*pool.used = PIECES;
}

/* ---- the search ----------------------------------------------------------- */

/* All fences in a row of banks each; a lane's copy begins at ROWS + its lane. */
template <class Key> struct fence_rows {
	enum { COPIES = PIECE_ROW / sizeof(Key) };
	Key *rows;
};

template <class Key> static __device__ __forceinline__ void
rows_load(void *memory, const Key *fences)
{
	enum { EACH = 16 / sizeof(Key), LOADS = PIECE_ROW / 16 };

	for (unsigned at = threadIdx.x; at < PIECES * LOADS; at += blockDim.x) {
		const Key fence = fences[at / LOADS];
		load<Key> copies;

#pragma unroll
		for (unsigned c = 0; c < EACH; c++)
			copies.at[c] = fence;
		((load<Key> *)memory)[at] = copies;
	}
}

/*
 * The pieces of MANY keys of each thread: a load, a comparison and an addition a
 * step.  With fences as a tree a step took two instructions more.
 */
template <unsigned MANY, class Key> static __device__ __forceinline__ void
rows_find(const fence_rows<Key> &f, const Key *keys, uint32_t *pieces)
{
	const char *rows = (const char *)f.rows;

	const uint32_t lane = threadIdx.x % fence_rows<Key>::COPIES * (uint32_t)sizeof(Key);

#pragma unroll
	for (unsigned i = 0; i < MANY; i++)	/* as bytes, for no instruction shall shift them */
		pieces[i] = lane;
#pragma unroll
	for (unsigned half = PIECES / 2; half > 0; half /= 2)
#pragma unroll
		for (unsigned i = 0; i < MANY; i++)
			if (keys[i] >= *(const Key *)(rows + half * PIECE_ROW + pieces[i]))
				pieces[i] += half * PIECE_ROW;
#pragma unroll
	for (unsigned i = 0; i < MANY; i++)
		pieces[i] /= PIECE_ROW;
}

/* ---- moving --------------------------------------------------------------- */

/* Keys of a piece that fill up one chunk, and begin another. */
struct chunk_change {
	uint32_t at;			/* the first key of the tile that is in the other chunk */
	uint64_t places[2];		/* of both, less where keys are in the tile */
};

static const uint64_t CHANGES = (uint64_t)1 << 63;	/* for a place: see the piece's change */

/* What partition_tile() asks of pieces. */
template <class Key> struct piece_part {
	void         *memory;	/* for fences */
	chunk_change *changes;
	const Key    *fences;
	chunk_pool    pool;
};

template <class Key> static __device__ __forceinline__ void
part_begin(const piece_part<Key> &part)
{
	rows_load(part.memory, part.fences);
}

template <unsigned THREADS, unsigned ITEMS, class Key> static __device__ __forceinline__ void
part_find(const piece_part<Key> &part, const Key *x, uint32_t *place)
{
	const fence_rows<Key> rows = { (Key *)part.memory };

#pragma unroll
	for (unsigned i = 0; i < ITEMS; i += PIECE_LOADS)
		rows_find<PIECE_LOADS>(rows, x + i, place + i);
}

template <class Key> static __device__ __forceinline__ uint32_t
part_found(const piece_part<Key> &, Key, uint32_t place)
{
	return place;
}

/*
 * Many add to a cursor at once.  The one whose keys go beyond the chunk takes the
 * next; who comes later waits until it has, and never long: it waits for nobody.
 */
template <class Key> static __device__ uint64_t
part_claim(const piece_part<Key> &part, number *cursors, uint32_t piece, uint32_t keys,
           uint32_t before)
{
	enum { CHUNK = tile_of_many<Key>::KEYS };

	for (;;) {
		const number old = atomicAdd(&cursors[piece], (number)keys);
		const uint32_t fill = (uint32_t)old;
		const uint64_t place = chunk_place<Key>(part.pool, (uint32_t)(old >> 32)) + fill - before;

		if ((old & STAYS) != 0)
			return NOWHERE;
		if (fill + keys <= CHUNK)
			return place;
		if (fill <= CHUNK) {
			const uint32_t next = atomicAdd(part.pool.used, 1u), rest = fill + keys - CHUNK;

			part.pool.owners[next] = piece;
			atomicExch(&cursors[piece], (number)next << 32 | rest);
			part.changes[piece] = chunk_change{ before + keys - rest, { place,
				chunk_place<Key>(part.pool, next) - (before + keys - rest) } };
			return CHANGES;
		}
		while ((uint32_t)*(volatile number *)&cursors[piece] > CHUNK)
			;
	}
}

template <class Key> static __device__ __forceinline__ bool
part_claimed(const piece_part<Key> &, bool moves)
{
	return __syncthreads_or(moves);
}

/*
 * Warps write as many keys each, a run of one piece after the other: a piece's place
 * is asked once a run, and nobody keeps which key has which piece.
 */
template <unsigned THREADS, unsigned ITEMS, class Key> static __device__ __forceinline__ void
part_write(const piece_part<Key> &part, Key *to, const Key *sorted, uint32_t count,
           const uint32_t *begins, const uint64_t *places)
{
	uint32_t at = threadIdx.x / 32 * (32 * ITEMS), last, piece = 0;
	const uint32_t end = min(at + 32 * ITEMS, count);

	for (unsigned half = PIECES / 2; half > 0; half /= 2)
		piece += begins[piece + half] <= at ? half : 0;
	for (; at < end; at = last, piece++) {
		const uint64_t place = places[piece];
		const chunk_change *change = &part.changes[piece];

		last = piece + 1 < PIECES ? min(begins[piece + 1], end) : end;
		if (place == NOWHERE)
			continue;
		for (uint32_t k = at + threadIdx.x % 32; k < last; k += 32)
			to[(place == CHANGES ? change->places[k >= change->at] : place) + k] = sorted[k];
	}
}

/* What a block needs of shared memory. */
template <class Key> static size_t
move_pieces_bytes(void)
{
	enum { TILE = tile_of_many<Key>::KEYS };

	return PIECE_BYTES + PIECES * sizeof(chunk_change) + partition_bytes<Key, TILE>(PIECES);
}

template <class Key> static __global__ void
__launch_bounds__(tile_of_many<Key>::THREADS, tile_of_many<Key>::BLOCKS)
move_pieces_kernel(Key *to, const Key *from, size_t count, const Key *fences, chunk_pool pool)
{
	begin_in_turn();

	typedef tile_of_many<Key> tile;
	DYNAMIC_SHARED(memory);
	chunk_change *changes = (chunk_change *)(memory + PIECE_BYTES);
	const uint64_t begin = blockIdx.x * (uint64_t)tile::KEYS;
	const piece_part<Key> part = { memory, changes, fences, pool };

	partition_tile<tile::THREADS, tile::ITEMS>(
		to, from + begin, (uint32_t)min(count - begin, (uint64_t)tile::KEYS), part, PIECES,
		pool.cursors, changes + PIECES);
}

/* ---- and then -------------------------------------------------------------- */

/* List pieces, and their chunks in the same order, the newest of each piece last. */
template <class Key> static __global__ void
__launch_bounds__(COUNT_THREADS)
settle_pieces_kernel(chunks where, chunk_pool pool, const Key *fences, lists l)
{
	begin_in_turn();

	__shared__ number sums[32], newest[PIECES];
	__shared__ uint32_t counts[32], held[PIECES], next[PIECES];
	const unsigned p = threadIdx.x;
	const uint32_t used = *pool.used;
	const number cursor = p < PIECES ? pool.cursors[p] : STAYS;
	leaf_item item = {};
	number all;
	uint32_t segment, segments, first, chunks;
	bool moves;

	if (p < PIECES)
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
	if (p < PIECES) {
		item.low = fences[p];
		item.high = p == PIECES - 1 ? (Key)~(Key)0 : fences[p + 1] - 1;
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
