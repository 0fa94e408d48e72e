// SPDX-License-Identifier: BSD-2-Clause
/*
 * pieces.cuh - sort many pieces of an array, each by itself: rows of one length, or segments
 *
 * In:   keys as their owner has them, and where pieces begin.
 * Out:  the same keys, ascending in each piece.
 *
 *     each_kernel         do segments begin one behind the other?
 *     list_pieces_kernel  a thread a piece: into the list of its kind
 *     piece_kernel        short pieces, each with as many slots as the next power of two, at least 16
 *
 * A block has 2^13 slots (u64: 2^12), and its network ends with the phase that sorts a piece
 * (block/bitonic.cuh), so one kernel sorts pieces of all short lengths: 2^9 pieces of 16 keys, two
 * a thread, or one that fills the block.  Rows that are that short are not listed.
 *
 * A longer piece is what a bucket of a first division would be: a leaf, or a segment that is
 * divided (sort.cuh).  But its keys have not been moved, so whoever reads them first maps them.
 *
 * Invariant: pieces do not overlap; if they would, none is listed.
 */
#ifndef GS_PIECES_CUH
#define GS_PIECES_CUH

#include "kernels/device/each.cuh"
#include "kernels/device/sort.cuh"

enum {
	PIECE_BITS  = THREAD_BITS - 1,		/* log2 of the slots of a piece, at least: two for a thread */
	PIECE_KINDS = block<uint32_t>::BITS - PIECE_BITS + 1,	/* of 2^(PIECE_BITS + kind) slots */
};

/*
 * COUNT pieces, as gs_cuts has them (kernels.h).  Kernels that choose among lists have it as
 * __grid_constant__: otherwise each thread first copies it to local memory, nearly as many bytes as its 32
 * keys.
 */
struct pieces {
	const uint64_t *at;
	uint64_t  length, count;
	unsigned  bits;			/* log2 of the slots of each, if they are not listed */
	uint64_t *list[PIECE_KINDS];	/* short pieces: where each begins, and in COUNT_BITS how many keys */
	uint32_t *listed;		/* how many of each kind; NULL: they are not listed */
	uint32_t *wrong;		/* 1: pieces overlap, or end behind all keys */
};

enum { COUNT_BITS = block<uint32_t>::BITS + 1 };

/* Keys of an array. */
struct alignas(16) stretch {
	uint64_t begin, count;
};

static __device__ __forceinline__ stretch
piece_at(const pieces &p, uint64_t i)
{
	if (p.at == NULL)
		return stretch{ i * p.length, p.length };
	return stretch{ p.at[i], p.at[i + 1] - p.at[i] };
}

/* log2 of the slots of COUNT keys. */
static __host__ __device__ inline unsigned
slot_bits(uint64_t count)
{
	unsigned bits = PIECE_BITS;

	while ((uint64_t)1 << bits < count)
		bits++;
	return bits;
}

/* ---- short pieces ------------------------------------------------------------ */

/* Piece I among pieces of 2^BITS slots. */
static __device__ __forceinline__ stretch
short_at(const pieces &p, unsigned bits, uint64_t i)
{
	if (p.listed == NULL)
		return piece_at(p, i);
	const uint64_t piece = p.list[bits - PIECE_BITS][i];

	return stretch{ piece >> COUNT_BITS, piece & ((1u << COUNT_BITS) - 1) };
}

/* Row R of a warp's 32 rows of slots, which has pieces WITHIN, of 2^BITS slots each, or a part of one: the
 * piece of the row, and which of its keys is for this lane. */
static __device__ __forceinline__ stretch
slots_of(const stretch *within, unsigned bits, unsigned r, unsigned *column)
{
	const unsigned slot = threadIdx.x / 32 * WARP_KEYS, at = slot + r * 32 + threadIdx.x % 32;

	*column = at & ((1u << bits) - 1);
	return within[(at >> bits) - (slot >> bits)];
}

/* Sort pieces of 2^BITS slots in a block: those from number FROM on, of COUNT that are of this kind.  Ends
 * and begins without a barrier: between networks a warp keeps to its own slots, and to 64 of PLACES. */
template <class Stored, class Word> static __device__ __forceinline__ void
pieces_sort(Stored *keys, const key_map<Stored> &map, const pieces &p, unsigned bits, uint64_t from,
            uint64_t count, Word *shared, stretch *places)
{
	const unsigned lane = threadIdx.x % 32;
	stretch *const within = places + 2 * (threadIdx.x - lane);
	const uint64_t first = from + (threadIdx.x / 32 * WARP_KEYS >> bits);
	Word x[THREAD_KEYS];

	for (unsigned k = lane; k < (bits < THREAD_BITS ? 64 : 32); k += 32)
		within[k] = first + k < count ? short_at(p, bits, first + k) : stretch{};
	__syncwarp();
#pragma unroll
	for (unsigned r = 0; r < THREAD_KEYS; r++) {
		unsigned column;
		const stretch s = slots_of(within, bits, r, &column);
		const Stored *const key = forget(keys + s.begin + column);

		x[r] = column < (unsigned)s.count ? (Word)ordered(map, *key) : (Word)~(Word)0;
	}
	view_put<apart<Word>::COLUMNS, 0>(x, columns(shared));
	__syncwarp();
	rows_get(x, shared);
	block_sort(x, shared, bits);
	rows_put(x, shared);
	__syncwarp();
	view_get<apart<Word>::COLUMNS, 0>(x, columns(shared));
#pragma unroll
	for (unsigned r = 0; r < THREAD_KEYS; r++) {
		unsigned column;
		const stretch s = slots_of(within, bits, r, &column);

		if (column < (unsigned)s.count)
			keys[s.begin + column] = original(map, (Stored)x[r]);
	}
	__syncwarp();		/* all have read where their pieces are */
}

/* Longest pieces first. */
template <class Stored, class Word> static __global__ void
__launch_bounds__(block<Word>::THREADS, block<Word>::BLOCKS)
piece_kernel(Stored *keys, key_map<Stored> map, const __grid_constant__ pieces p)
{
	begin_in_turn();

	__shared__ __align__(16) Word shared[block<Word>::ROOM];
	__shared__ stretch places[2 * block<Word>::THREADS];

	for (unsigned bits = block<Word>::BITS; bits >= PIECE_BITS; bits--) {
		const uint64_t each = (uint64_t)1 << (block<Word>::BITS - bits);
		uint64_t count = bits == p.bits ? p.count : 0;

		if (p.listed != NULL)
			count = p.listed[bits - PIECE_BITS];
		for (uint64_t from = blockIdx.x * each; from < count; from += gridDim.x * each)
			pieces_sort(keys, map, p, bits, from, count, shared, places);
	}
}

/* ---- lists ------------------------------------------------------------------- */

/* List all pieces but those of one key or none. */
template <class Of> static __global__ void
__launch_bounds__(COUNT_THREADS)
list_pieces_kernel(const __grid_constant__ pieces p, const __grid_constant__ lists l)
{
	begin_in_turn();

	enum { MOST = block<typename Of::key>::KEYS };
	const uint64_t i = blockIdx.x * (uint64_t)COUNT_THREADS + threadIdx.x;
	unsigned kind = PIECE_KINDS;
	leaf_item item = {};
	stretch s = {};
	uint32_t at;

	if (i < p.count && *p.wrong == 0)
		s = piece_at(p, i);
	if (s.count > 1 && s.count <= MOST)
		kind = slot_bits(s.count) - PIECE_BITS;
	at = list_places<PIECE_KINDS>(p.listed, kind);
	if (kind < PIECE_KINDS)
		p.list[kind][at] = s.begin << COUNT_BITS | s.count;
	if (s.count > MOST)
		item = leaf_item{ s.begin, s.count, 0, (typename Of::key)~(typename Of::key)0, 0 };
	list_leaf<Of>(l, item);
}

/* ---- all of it ---------------------------------------------------------------- */

/* Are all pieces of G rows that one kernel sorts? */
template <class Word> static bool
pieces_are_short(const gs_cuts &g)
{
	return g.length > 0 && g.length <= block<Word>::KEYS;
}

/* Memory for COUNT keys in pieces G, which are not all short; their lists are carved for P. */
template <class Of> static scratch
pieces_scratch_of(void *memory, const gs_cuts &g, size_t count, const room &room, pieces *p)
{
	scratch s = scratch_of<Of>(memory, std::max(count, bins_from<Of>(room)), room);
	char *const base = (char *)memory;

	/* there are keys for so many of a kind: each has 2, or more than half of its slots */
	for (unsigned kind = 0; kind < PIECE_KINDS; kind++)
		carve(&p->list[kind], base, &s.bytes,
		      std::min<size_t>(g.count, kind == 0 ? count / 2 : count >> (PIECE_BITS + kind - 1)));
	carve(&p->listed, base, &s.bytes, PIECE_KINDS + 1);
	p->wrong = p->listed + PIECE_KINDS;
	return s;
}

template <class Of> static size_t
pieces_scratch_bytes(const gs_cuts &g, size_t count)
{
	pieces p = {};
	size_t bytes = 0;

	if (pieces_are_short<typename Of::key>(g))
		return 0;
	for (int shared_kb : SHARED_KB) {
		const room room = room_of<Of>(shared_kb << 10, false);

		bytes = std::max(bytes, pieces_scratch_of<Of>(NULL, g, count, room, &p).bytes);
	}
	return bytes;
}

/* Sort rows of one short length. */
template <class Word, class Stored> static cudaError_t
sort_short_pieces(Stored *keys, const key_map<Stored> &map, const gs_cuts &g, cudaStream_t stream)
{
	const pieces p = { NULL, g.length, g.count, slot_bits(g.length), {}, NULL, NULL };
	const size_t each = (size_t)1 << (block<Word>::BITS - p.bits);

	return launch<false>(piece_kernel<Stored, Word>, std::min<size_t>((g.count - 1) / each + 1, 1 << 30),
	                     block<Word>::THREADS, stream, keys, map, p);
}

/* All keys of J, in pieces G; a piece that is *WRONG is not sorted. */
template <class Of> static cudaError_t
sort_pieces(job<Of> j, const gs_cuts &g, void *memory, bool *wrong)
{
	typedef typename Of::key Key;
	const room room = room_of<Of>(j.sorter->shared_bytes, false);
	/* likely leaves: of more keys than short pieces have */
	const unsigned leaf_bits = std::min<unsigned>(block<Key>::BITS + 1, room.longest);
	const size_t blocks = (size_t)j.sorter->processors * block<Key>::BLOCKS * 4;
	const size_t listers = (g.count - 1) / COUNT_THREADS + 1;
	const uint64_t *const at = g.at, count = j.count;
	uint32_t *const told = j.sorter->told;
	uint32_t too_large = 0;
	const leaf_place<Of> all = { j.keys, { NULL, 0, !maps_none(j.map) } };
	pieces p = { g.at, g.length, g.count, 0, {}, NULL, NULL };
	lists l;

	if (j.count < 2 || g.count == 0)
		return cudaSuccess;
	if (pieces_are_short<Key>(g))
		return sort_short_pieces<Key>(j.keys, j.map, g, j.stream);
	j.s = pieces_scratch_of<Of>(memory, g, j.count, room, &p);
	l = lists_of(j, j.keys);
	TRY_CUDA(cudaMemsetAsync(j.s.listed, 0, LISTED * sizeof *j.s.listed, j.stream));
	TRY_CUDA(cudaMemsetAsync(p.listed, 0, (PIECE_KINDS + 1) * sizeof *p.listed, j.stream));
	if (at != NULL)		/* are pieces as they should be? */
		TRY_CUDA(for_each<true>(g.count, j.stream, [=] __device__ (size_t i) {
			if (at[i] > at[i + 1] || at[i + 1] > count)
				*p.wrong = 1;
		}));
	TRY_CUDA(launch(list_pieces_kernel<Of>, listers, COUNT_THREADS, j.stream, p, l));
	TRY_CUDA(cudaMemcpyAsync(told + KINDS, p.wrong, sizeof *told, cudaMemcpyDeviceToHost, j.stream));
	TRY_CUDA(sort_listed(j, all, leaf_bits, &too_large, [&] {
		return launch<false>(piece_kernel<Key, Key>, blocks, block<Key>::THREADS, j.stream, j.keys,
		                     j.map, p);
	}));
	TRY_CUDA(sort_too_large(j, all, too_large, 0));
	*wrong = told[KINDS] != 0;
	return cudaSuccess;
}

#endif
