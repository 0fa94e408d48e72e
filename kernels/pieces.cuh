// SPDX-License-Identifier: BSD-2-Clause
/*
 * pieces.cuh - keys that cluster, cut into pieces of about as many keys each
 *
 * In:   a sorted sample of the keys.
 * Out:  the same keys in pieces, and lists of leaves, one of which is segments:
 *       the pieces that are to be divided by their range (segment.cuh).
 *
 *     fence_kernel         one block: the least key of each piece, from the sample
 *     count_pieces_kernel  how many keys has each
 *     settle_pieces_kernel one block: where pieces begin, what leaves they make
 *     move_pieces_kernel   a block a tile: to the pieces
 *
 * A key's piece is found by a search without branches.  Fences are kept as many
 * times as there are banks of shared memory, so each lane searches in a bank of its
 * own (u64: two lanes).  A value that is more than a piece's share gets a piece for
 * itself, for fences at v and v + 1 are ordinary fences; its keys are not moved at
 * all, but written at the end.
 *
 * P. Sanders, S. Winkel, "Super Scalar Sample Sort", ESA 2004; N. Leischner,
 * V. Osipov, P. Sanders, "GPU Sample Sort", IPDPS 2010.
 *
 * Invariant: fences never fall, and the first one is 0.
 */
#ifndef GS_PIECES_CUH
#define GS_PIECES_CUH

#include "kernels/count.cuh"
#include "kernels/list.cuh"

#ifndef GS_PIECE_BITS
#define GS_PIECE_BITS	8	/* the emulator has fewer, so that pieces are large */
#endif

enum {
	PIECES      = 1 << GS_PIECE_BITS,
	PIECE_ROW   = 128,		/* bytes: a word for each bank */
	PIECE_EACH  = 2 * SAMPLE_KEYS / PIECES,		/* samples of two pieces */
	PIECE_LOADS = 8,		/* keys of a thread that searches at once */
};

/* A cursor that says: keys of this piece need not be moved.  Sums do not reach bit 63. */
static const number NOWHERE = (number)3 << 62;

/* What a block needs for searches: all fences, and later a piece for each key. */
enum { PIECE_BYTES = PIECES * PIECE_ROW };

/*
 * Two pieces of each PIECE_EACH samples.  The fence between them is the sample in
 * the middle; but if a gap is wider than a quarter of the whole, the middle of that:
 * else most keys of such a piece would lie at its two ends, in two bins.
 */
template <class Key> static __global__ void
__launch_bounds__(PIECES)
fence_kernel(Key *fences, const Key *sample)
{
	begin_in_turn();

	__shared__ Key found[PIECES];
	const unsigned p = threadIdx.x, first = p / 2 * PIECE_EACH;
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
	fences[p] = p > 0 && found[p - 1] == fence && fence < (Key)~(Key)0 ? fence + 1 : found[p];
}

/* ---- the search ----------------------------------------------------------- */

/* All fences in a row of banks each; a lane's copy begins at ROWS + its lane. */
template <class Key> struct fence_rows {
	enum { COPIES = PIECE_ROW / sizeof(Key) };
	Key *rows;
};

template <class Key> static __device__ __forceinline__ fence_rows<Key>
rows_load(void *memory, const Key *fences)
{
	enum { COPIES = fence_rows<Key>::COPIES };
	const fence_rows<Key> f = { (Key *)memory };

	for (unsigned at = threadIdx.x; at < PIECES * COPIES; at += blockDim.x)
		f.rows[at] = fences[at / COPIES];
	return f;
}

/*
 * The pieces of MANY keys of each thread: a load, a comparison and an addition a
 * step.  With fences as a tree a step took two instructions more.
 */
template <unsigned MANY, class Key> static __device__ __forceinline__ void
rows_find(const fence_rows<Key> &f, const Key *keys, uint32_t *pieces)
{
	const char *rows = (const char *)f.rows;

#pragma unroll
	for (unsigned i = 0; i < MANY; i++)	/* as bytes, for no instruction shall shift them */
		pieces[i] = threadIdx.x % fence_rows<Key>::COPIES * (uint32_t)sizeof(Key);
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

/* ---- counting ------------------------------------------------------------- */

/* Each lane has counters of its own: no two add to one at a time, even if all keys are equal. */
template <class Key> static __global__ void
__launch_bounds__(COUNT_THREADS)
count_pieces_kernel(number *counts, const Key *fences, const Key *keys, size_t count)
{
	begin_in_turn();

	enum { PART = COUNT_THREADS * PIECE_LOADS };
	DYNAMIC_SHARED(memory);
	const fence_rows<Key> rows = rows_load(memory, fences);
	uint32_t *counters = (uint32_t *)(memory + PIECE_BYTES);
	const unsigned lane = threadIdx.x % 32;
	uint32_t piece[PIECE_LOADS];
	Key x[PIECE_LOADS];

	for (unsigned c = threadIdx.x; c < PIECES * 32; c += COUNT_THREADS)
		counters[c] = 0;
	__syncthreads();
	for (size_t at = blockIdx.x * (size_t)PART; at < count; at += gridDim.x * (size_t)PART) {
#pragma unroll
		for (unsigned i = 0; i < PIECE_LOADS; i++) {
			const size_t k = at + i * COUNT_THREADS + threadIdx.x;

			x[i] = keys[min(k, count - 1)];
		}
		rows_find<PIECE_LOADS>(rows, x, piece);
#pragma unroll
		for (unsigned i = 0; i < PIECE_LOADS; i++)
			if (at + i * COUNT_THREADS + threadIdx.x < count)
				atomicAdd(&counters[piece[i] * 32 + lane], 1u);
	}
	__syncthreads();
	for (unsigned p = threadIdx.x; p < PIECES; p += COUNT_THREADS) {
		number sum = 0;

		for (unsigned l = 0; l < 32; l++)
			sum += counters[p * 32 + (l + p) % 32];
		if (sum > 0)
			atomicAdd(&counts[p], sum);
	}
}

/* Thread p has piece p.  Are there any to be moved?  *MOVING says so; 0 at first. */
template <class Key> static __global__ void
__launch_bounds__(PIECES)
settle_pieces_kernel(number *cursors, const number *counts, const Key *fences, lists l,
                     uint32_t *moving)
{
	begin_in_turn();

	__shared__ number sums[32];
	const unsigned p = threadIdx.x;
	const bool top = p == PIECES - 1;
	leaf_item item = { 0, counts[p], fences[p], top ? (Key)~(Key)0 : fences[p + !top] };
	number total;
	bool moves;

	item.high -= !top && item.high > item.low;
	item.from = sum_before<(PIECES + 31) / 32 * 32>((number)item.count, sums, &total);
	moves = kind_of<Key>(l, item) != EQUAL;
	cursors[p] = moves ? item.from : NOWHERE;
	if (moves && item.count > 0)
		*moving = 1;
	list_leaf<Key>(l, item);
}

/* ---- moving --------------------------------------------------------------- */

/* What partition_tile() asks of pieces: found once, kept where fences were. */
template <class Key> struct piece_part {
	void      *memory;	/* for fences; then a key's piece, by its place in the tile */
	const Key *fences;
};

template <unsigned THREADS, unsigned ITEMS, class Key> static __device__ __forceinline__ void
part_find(const piece_part<Key> &part, const Key *x, uint32_t *place)
{
	const fence_rows<Key> rows = rows_load(part.memory, part.fences);	/* keys are on their way */

	__syncthreads();
#pragma unroll
	for (unsigned i = 0; i < ITEMS; i += PIECE_LOADS)
		rows_find<PIECE_LOADS>(rows, x + i, place + i);
}

template <class Key> static __device__ __forceinline__ uint32_t
part_found(const piece_part<Key> &, Key, uint32_t place)
{
	return place;
}

template <class Key> static __device__ __forceinline__ void
part_keep(const piece_part<Key> &part, unsigned at, uint32_t piece)
{
	((uint16_t *)part.memory)[at] = (uint16_t)piece;
}

template <class Key> static __device__ __forceinline__ uint32_t
part_kept(const piece_part<Key> &part, unsigned at, Key)
{
	return ((const uint16_t *)part.memory)[at];
}

template <class Key> static __device__ __forceinline__ bool
part_moves(const piece_part<Key> &, uint64_t place)
{
	return (int64_t)place >= 0;
}

template <class Key, unsigned THREADS, unsigned ITEMS, unsigned BLOCKS> static __global__ void
__launch_bounds__(THREADS, BLOCKS)
move_pieces_kernel(Key *to, const Key *from, size_t count, const Key *fences, number *cursors,
                   const uint32_t *moving)
{
	begin_in_turn();

	enum { TILE = THREADS * ITEMS };
	static_assert(TILE * sizeof(uint16_t) <= PIECE_BYTES || GS_PIECE_BITS < 8, "no room");
	DYNAMIC_SHARED(memory);
	const uint64_t begin = blockIdx.x * (uint64_t)TILE;
	const piece_part<Key> part = { memory, fences };

	if (*moving != 0)
		partition_tile<THREADS, ITEMS>(to, from + begin,
		                               (uint32_t)min(count - begin, (uint64_t)TILE), part, PIECES,
		                               cursors, memory + max((size_t)PIECE_BYTES,
		                               TILE * sizeof(uint16_t)));
}

#endif
