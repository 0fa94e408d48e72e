// SPDX-License-Identifier: BSD-2-Clause
/*
 * strays.cuh - many keys that ascend, except for a few that are out of place
 *
 * In:   keys whose sample ascends, or falls at a few places only (sample.cuh).
 * Out:  whether they had few strays: then they ascend now; otherwise they are as they were.
 *
 *     bounds_kernel   medians of some keys where two tiles meet: what range has each tile?
 *     scan_kernel     one block raises bounds that fall
 *     part_kernel     keys outside of the range of their tile, or where keys of the tile fall, are
 *                     strays; the others go to the other room, each tile to where it was
 *     scan_kernel     one block counts the keys that are left in the tiles before each tile
 *     each_kernel     in a graph: make the strays as many as the network sorts
 *     sort()          sorts the strays; its scratch memory is where all keys were
 *     below_kernel    how many strays are below each bound?  A tile whose range has many is crowded
 *     unite_kernel    writes each tile, and the strays of its range, where they belong
 *     crowd_kernel    writes the strays of crowded tiles, for which one block would take too long
 *
 * Each key that is not a stray is read and written twice.  If there are too many strays, part_kernel stops.
 *
 * If most of the keys around a bound are strays, the bound is wrong.  Then a tile has the wrong range, and
 * more strays; the result is right all the same.
 *
 * Invariant: bounds never fall, so no key of a tile and no stray of its range is below those of the tiles
 * before.
 */
#ifndef GS_STRAYS_CUH
#define GS_STRAYS_CUH

#include "kernels/device/each.cuh"
#include "kernels/device/order.cuh"

enum {
	STRAY_THREADS = 256,
	STRAY_EACH    = 15,
	STRAY_KEYS    = STRAY_THREADS * STRAY_EACH,	/* of a tile */
	STRAY_ROUNDS  = 3,	/* that take keys where a tile falls; after these all of it are strays */
	STRAY_RANKS   = 1024,	/* strays of a tile; if there are more, it is crowded */
	CROWD_PIECE   = 2048,	/* strays of a crowded tile, for a block */
	STRAY_PART    = 24,	/* of the keys may be strays, at most */
	MEDIAN_OF     = 8,	/* keys, which are MEDIAN_STEP apart */
	MEDIAN_STEP   = 16,
	RAISED_PART   = 16,	/* of the bounds may fall */
};

/* What the device finds out about strays. */
struct stray_news {
	uint32_t many, pieces, broken;
};

/* Strays of a crowded tile, from number FROM on. */
struct stray_piece {
	uint32_t tile, from;
};

/* Where strays are, MOST at most; and TILES + 1 bounds and sums. */
template <class Key> struct stray_room {
	uint32_t     tiles, most;
	Key         *strays;
	stray_news  *news;
	number      *bounds, *kept, *below;
	stray_piece *pieces;
};

/* Bound T, of keys by MAP, between tile T - 1 and tile T. */
template <class Key, class Map> static __global__ void
__launch_bounds__(STRAY_THREADS)
bounds_kernel(stray_room<Key> s, const Key *keys, size_t count, Map map)
{
	begin_in_turn();

	const uint32_t t = blockIdx.x * STRAY_THREADS + threadIdx.x;
	Key x[MEDIAN_OF];

	if (t == 0) {
		*s.news = stray_news{ 0, 0, 0 };
		s.bounds[0] = s.kept[0] = 0;
	}
	if (t == s.tiles)
		s.bounds[t] = (Key)~(Key)0;
	if (t == 0 || t >= s.tiles)
		return;
#pragma unroll
	for (unsigned i = 0; i < MEDIAN_OF; i++)
		x[i] = keys[min(t * (size_t)STRAY_KEYS + i * MEDIAN_STEP - MEDIAN_OF / 2 * MEDIAN_STEP,
		                count - 1)];
	map_first<MEDIAN_OF>(map, x);
	thread_sort<MEDIAN_OF>(x);
	s.bounds[t] = x[MEDIAN_OF / 2];
}

/* Move the keys that may stay to the other room TO, mapped by MAP, tile by tile; and the strays to theirs. */
template <class Key, class Map> static __global__ void
__launch_bounds__(STRAY_THREADS, sizeof(Key) == 4 ? 5 : 4)
part_kernel(stray_room<Key> s, Key *to, const Key *keys, size_t count, Map map)
{
	begin_in_turn();

	__shared__ Key tile[STRAY_KEYS];
	__shared__ uint32_t warps[STRAY_THREADS / 32], place;
	const size_t from = blockIdx.x * (size_t)STRAY_KEYS;
	const uint32_t rows = (uint32_t)min(count - from, (size_t)STRAY_KEYS), lane = threadIdx.x % 32;
	const uint32_t first = threadIdx.x / 32 * (32 * STRAY_EACH) + lane;
	const Key low = (Key)s.bounds[blockIdx.x], high = (Key)s.bounds[blockIdx.x + 1];
	uint32_t left = rows, stay = 0;		/* STAY: a bit for each key */
	Key x[STRAY_EACH];

	if (__syncthreads_or(threadIdx.x == 0 && *(volatile uint32_t *)&s.news->broken != 0))
		return;
	tile_load<32, STRAY_EACH>(x, keys + from, first, rows);
	map_first<STRAY_EACH>(map, x);
#pragma unroll
	for (unsigned i = 0; i < STRAY_EACH; i++)
		stay |= (uint32_t)(first + i * 32 < rows && x[i] >= low && x[i] <= high) << i;
	for (unsigned round = 0;; round++) {
		const uint32_t upto = warp_upto((uint32_t)__popc(stay));
		uint32_t all, before = block_warps_before<STRAY_THREADS>(upto, warps, &all);
		bool falls = false;

		/* keys that stay go to the front, in order, strays behind them */
#pragma unroll
		for (unsigned i = 0; i < STRAY_EACH; i++) {
			const uint32_t at = first + i * 32;
			const bool stays = (stay >> i & 1) != 0;
			const uint32_t lanes = __ballot_sync(ALL_LANES, stays);
			const uint32_t rank = before + (uint32_t)__popc(lanes & ((1u << lane) - 1));

			if (at < left)
				tile[stays ? rank : left - 1 - (at - rank)] = x[i];
			before += (uint32_t)__popc(lanes);
		}
		left = all;
		__syncthreads();
		stay = 0;
#pragma unroll
		for (unsigned i = 0; i < STRAY_EACH; i++) {
			const uint32_t at = first + i * 32;
			bool fits;

			if (at >= left)
				continue;
			x[i] = tile[at];
			fits = (at == 0 || tile[at - 1] <= x[i]) && (at + 1 == left || x[i] <= tile[at + 1]);
			falls = falls || !fits;
			stay |= (uint32_t)fits << i;
		}
		if (!__syncthreads_or(falls))
			break;
		stay = round < STRAY_ROUNDS ? stay : 0;
	}
#pragma unroll
	for (unsigned i = 0; i < STRAY_EACH; i++)
		if (first + i * 32 < left)
			to[from + first + i * 32] = x[i];
	if (threadIdx.x == 0) {
		s.kept[blockIdx.x + 1] = left;
		place = left < rows ? atomicAdd(&s.news->many, rows - left) : 0;
	}
	__syncthreads();
	if ((uint64_t)place + rows - left > s.most) {
		s.news->broken = 1;
		return;
	}
	for (uint32_t k = left + threadIdx.x; k < rows; k += STRAY_THREADS)
		s.strays[place + k - left] = tile[k];
}

/* How many of COUNT ascending KEYS are below KEY. */
template <class Key> static __device__ __forceinline__ uint32_t
keys_below(const Key *keys, uint32_t count, Key key)
{
	return key > 0 ? last_upto(keys - 1, 0, count + 1, (Key)(key - 1)) : 0;
}

template <class Key> static __global__ void
__launch_bounds__(STRAY_THREADS)
below_kernel(stray_room<Key> s)
{
	begin_in_turn();

	const uint32_t t = blockIdx.x * STRAY_THREADS + threadIdx.x, many = s.news->many;
	const auto below = [&](uint32_t tile) {
		return tile < s.tiles ? keys_below(s.strays, many, (Key)s.bounds[tile]) : many;
	};
	uint32_t from, to, at;

	if (t > s.tiles)
		return;
	from = below(t);
	to = below(t + 1);
	s.below[t] = from;
	if (to - from <= STRAY_RANKS)
		return;
	at = atomicAdd(&s.news->pieces, (to - from + CROWD_PIECE - 1) / CROWD_PIECE);
	for (; from < to; from += CROWD_PIECE)
		s.pieces[at++] = stray_piece{ t, from };
}

/* Each block writes a tile of KEPT keys where they belong, mapped back by MAP, with its strays unless the
 * tile is crowded. */
template <class Key, class Map> static __global__ void
__launch_bounds__(STRAY_THREADS, sizeof(Key) == 4 ? 5 : 4)
unite_kernel(stray_room<Key> s, Key *to, const Key *kept, Map map)
{
	begin_in_turn();

	__shared__ Key tile[STRAY_KEYS];
	__shared__ uint16_t ranks[STRAY_RANKS];
	const uint32_t keys = (uint32_t)(s.kept[blockIdx.x + 1] - s.kept[blockIdx.x]);
	const uint32_t many = (uint32_t)(s.below[blockIdx.x + 1] - s.below[blockIdx.x]);
	const Key *const strays = s.strays + s.below[blockIdx.x];
	const int left = thread_left(keys);
	Key x[STRAY_EACH];
	uint32_t before[STRAY_EACH];	/* strays before each key */

	to = to + s.kept[blockIdx.x] + s.below[blockIdx.x];
	kept = kept + blockIdx.x * (size_t)STRAY_KEYS;
	tile_load<STRAY_THREADS, STRAY_EACH>(x, kept, threadIdx.x, keys);
	if (many > STRAY_RANKS) {
#pragma unroll 1
		for (uint32_t k = threadIdx.x; k < keys; k += STRAY_THREADS) {
			const Key key = kept[k];
			const uint32_t up_to = key < (Key)~(Key)0 ? keys_below(strays, many, (Key)(key + 1)) :
			                                            many;

			to[(size_t)k + up_to] = original(map, key);
		}
		return;
	}
#pragma unroll
	for (int i = 0; i < STRAY_EACH; i++) {
		tile[i * STRAY_THREADS + threadIdx.x] = x[i];
		before[i] = 0;
	}
	__syncthreads();
	for (uint32_t k = threadIdx.x; k < many; k += STRAY_THREADS) {
		const Key stray = strays[k];
		const uint32_t rank = keys_below(tile, keys, stray);

		ranks[k] = (uint16_t)rank;
		to[rank + k] = original(map, stray);
	}
	__syncthreads();
	for (uint32_t half = many > 0 ? 1u << (31 - __clz((int)many)) : 0; half > 0; half /= 2)
#pragma unroll
		for (int i = 0; i < STRAY_EACH; i++) {
			const uint32_t more = before[i] + half;

			if (more <= many && ranks[more - 1] <= i * STRAY_THREADS + threadIdx.x)
				before[i] = more;
		}
	rows_each<STRAY_EACH, STRAY_THREADS>(left, [&](int i) {
		to[i * STRAY_THREADS + threadIdx.x + before[i]] = original(map, x[i]);
	});
}

/* Write the strays of crowded tiles of KEPT keys where they belong, mapped back by MAP. */
template <class Key, class Map> static __global__ void
__launch_bounds__(STRAY_THREADS)
crowd_kernel(stray_room<Key> s, Key *to, const Key *kept, Map map)
{
	begin_in_turn();

	for (uint32_t p = blockIdx.x; p < s.news->pieces; p += gridDim.x) {
		const stray_piece piece = s.pieces[p];
		const uint32_t end = (uint32_t)min(s.below[piece.tile + 1], (number)piece.from + CROWD_PIECE);
		const uint32_t keys = (uint32_t)(s.kept[piece.tile + 1] - s.kept[piece.tile]);
		const Key *const tile = kept + piece.tile * (size_t)STRAY_KEYS;

#pragma unroll 4
		for (uint32_t k = piece.from + threadIdx.x; k < end; k += STRAY_THREADS) {
			const Key stray = s.strays[k];

			to[s.kept[piece.tile] + keys_below(tile, keys, stray) + k] = original(map, stray);
		}
	}
}

template <class Of> static cudaError_t sort(job<Of> j, void *memory, bool in_order);
template <class Of> static size_t sort_scratch_bytes(size_t count, bool in_order = false);

/* The first of three sizes that has room for all strays. */
struct stray_sizes {
	uint32_t of[3];

	__host__ __device__ uint32_t
	operator()(const stray_news &news) const
	{
		uint32_t size = 0;

		while (size < 3 && (news.broken != 0 || news.many > of[size]))
			size++;
		return size;
	}
};

/* If J's keys ascend except for a few strays, unite them with these; did they?  A graph has a part for each
 * of some sizes. */
template <class Of> static cudaError_t
sort_strays(const job<Of> &j, bool *were)
{
	typedef typename Of::key Key;
	typedef typename Of::map Map;
	const uint32_t tiles = (uint32_t)((j.count + STRAY_KEYS - 1) / STRAY_KEYS);
	const uint32_t most = (uint32_t)std::min<size_t>({ (size_t)j.s.pool.firsts * j.s.pool.chunks.size,
	                                                   j.count / STRAY_PART, UINT32_MAX / 2 });
	const uint32_t few = std::min<uint32_t>(GS_FEW_BYTES / sizeof(Key), most);
	const stray_sizes sizes = { { std::min<uint32_t>(LEAF_KEYS, most), few, most } };
	const uintptr_t scratch = ((uintptr_t)(j.keys + most) + 255) / 256 * 256;	/* of their sort */
	/* all tables lie where cursors are, which need more room */
	number *const bounds = j.s.cursors + (sizeof(stray_news) - 1) / sizeof(number) + 1;
	const stray_room<Key> room = { tiles, most, (Key *)j.s.spare, (stray_news *)j.s.cursors, bounds,
		                       bounds + tiles + 1, bounds + 2 * ((size_t)tiles + 1),
		                       (stray_piece *)j.s.lists[WORD_12] };

	static_assert(sizeof(stray_piece) <= sizeof(leaf_item), "a list of leaves has room for all pieces");
	*were = false;
	if (scratch + sort_scratch_bytes<Of>(most) > (uintptr_t)(j.keys + j.count))
		return cudaSuccess;	/* too few keys: only in tests */
	TRY_CUDA(launch(bounds_kernel<Key, Map>, tiles / STRAY_THREADS + 1, STRAY_THREADS, j.stream, room,
	                j.keys, j.count, j.map));
	/* raise bounds that are below one before; if many are, keys are not nearly in order */
	TRY_CUDA(launch(scan_kernel<GREATEST>, 1, SCAN_THREADS, j.stream, room.bounds, tiles,
	                tiles / RAISED_PART, &room.news->broken));
	TRY_CUDA(launch(part_kernel<Key, Map>, tiles, STRAY_THREADS, j.stream, room, j.other, j.keys, j.count,
	                j.map));
	return decide(j, room.news, most > few ? 3 : 2, sizes,
	              [&](const job<Of> &all, unsigned size) {
		const bool in_graph = j.sorter->of_graph;
		const uint32_t many = in_graph ? sizes.of[size] : ((const stray_news *)j.sorter->told)->many;
		const bool network = in_graph && many < GS_BINS_FROM;	/* which sorts so many */
		const cudaStream_t stream = all.stream;
		job<Of> strays = { j.sorter, room.strays, j.keys, gs_key_map{}, many, {}, stream };

		*were = true;
		if (network)	/* append greatest keys, up to as many */
			TRY_CUDA(for_each<true>(many, stream, [=] __device__ (size_t i) {
				if (i >= room.news->many)
					room.strays[i] = ~(Key)0;
			}));
		else if (in_graph)
			strays.many = &room.news->many;
		TRY_CUDA(launch(scan_kernel<SUM>, 1, SCAN_THREADS, stream, room.kept, (size_t)tiles + 1, 0,
		                NULL));
		TRY_CUDA(sort(strays, (void *)scratch, false));
		TRY_CUDA(launch(below_kernel<Key>, tiles / STRAY_THREADS + 1, STRAY_THREADS, stream, room));
		TRY_CUDA(launch(unite_kernel<Key, Map>, tiles, STRAY_THREADS, stream, room, j.keys, j.other,
		                j.map));
		TRY_CUDA(launch(crowd_kernel<Key, Map>, (size_t)j.sorter->processors * 8, STRAY_THREADS,
		                stream, room, j.keys, j.other, j.map));
		return tell_sorted(all);
	});
}

#endif
