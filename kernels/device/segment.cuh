// SPDX-License-Identifier: BSD-2-Clause
/*
 * segment.cuh - divide many segments at once, each into bins of its own
 *
 * In:   a list of segments: keys that are too many for a leaf.
 * Out:  the same keys in bins, and lists of leaves, one of which is segments again.
 *
 *     look_kernel     a block a segment: which bins?  (segment_look.cuh)
 *     count_kernel    a block some tiles: how many keys has each bin?
 *     settle_kernel   a block a segment: where bins begin, which leaves they make
 *     move_kernel     a block a tile: keys to their bins
 *
 * Segments that are not even are divided more finely, and segments that stay too large again: a range
 * shrinks by the number of bins each time, so there are few turns for any keys.
 *
 * Invariant: no key of a segment is outside of the range of its item.
 */
#ifndef GS_SEGMENT_CUH
#define GS_SEGMENT_CUH

#include "kernels/block/partition.cuh"
#include "kernels/device/leaf_worklist.cuh"

enum {
	SEGMENT_BINS   = 1024,		/* at most */
	LEAF_BINS      = SEGMENT_BINS / 8 * 5,	/* at most for leaves: more cost as much as longer ones */
	COUNT_THREADS  = SEGMENT_BINS,
	VALUE_KEYS     = 1024,		/* keys of one value that are worth a bin; not tuned */
	UNEVEN_BINS    = 4,		/* times as many, if a segment is not even; not tuned */
	LEAST_BINS     = 16,
	SEGMENT_ROWS   = 128,		/* splitters of a segment, if it has some */
	SEGMENT_TABLES = 1024,		/* segments that may have such splitters */
	SPLIT_FROM     = 2 * LEAF_KEYS,	/* keys of such a segment */
	TILE_THREADS   = 256,		/* that count one tile */
	COUNTS_PITCH   = counters_pitch(LEAF_BINS),
	GROUP_TILES    = 64,
};

/* Where the chunks of segments are; a segment says which is its first. */
struct chunk_map {
	const uint64_t *at;		/* NULL: keys are in one piece */
	uint32_t        tiles;		/* of a chunk */
};

struct segment {
	leaf_item keys;
	digits    d;
	uint32_t  bins_from, tiles_from;
	uint32_t  leaf_bits;		/* log2 of the keys of a leaf, as it is meant to be */
	uint32_t  splits;		/* 1: bins are found by splitters */
	uint32_t  first_bin;		/* the digit of its first bin, if digits are of all keys */
};

/* Of all segments; zero at first. */
struct segments_head {
	uint32_t looked;		/* blocks that have */
	uint32_t segments, tiles, bins;
};

/*
 * If rows keep their order, each tile counts its bins, in rows of LEAF_BINS; then each group of tiles
 * replaces the counts of a tile by the sums over the tiles before it in the group, and tells its own sum.
 * GROUP_TILES tiles of two segments are two groups.
 */
struct ordered_counts {
	uint32_t *tiles, *groups;	/* NULL: not counted so */
};

/* What the kernels of one division share.  (As __grid_constant__ it would make move_kernel spill more.) */
template <class Key> struct division {
	const Key     *keys;
	chunk_map      chunks;
	uint32_t       tile_keys;
	segment       *segments;
	segments_head *head;
	Key           *tables;		/* of splitters */
	number        *cursors, *counts;	/* of all bins */
	ordered_counts ordered;
};

/*
 * Keys that a leaf of 2^BITS is planned for: three deviations below, so with even keys one leaf in
 * 1000 is larger than its network, and is sorted by the next one.  That is cheaper than more room in
 * all leaves.  The longest, which have no next one, get twice as many deviations.
 */
static __host__ __device__ inline uint64_t
leaf_mean(unsigned bits, bool longest)
{
	const uint64_t deviations = (uint64_t)(bits % 2 == 0 ? 12 : 17) << bits / 2 >> (longest ? 1 : 2);

	return ((uint64_t)1 << bits) - deviations;
}

/* Bins for COUNT even keys, of *LEAF_BITS, LONGEST at most: the shortest leaves for which MOST bins are
 * enough. */
static __host__ __device__ inline uint64_t
bins_wanted(unsigned longest, uint64_t count, uint32_t most, unsigned *leaf_bits)
{
	for (*leaf_bits = LEAF_BITS;; ++*leaf_bits) {
		const uint64_t mean = leaf_mean(*leaf_bits, *leaf_bits == longest);
		const uint64_t wanted = (count + mean - 1) / mean;

		if (wanted <= most || *leaf_bits == longest)
			return wanted;
	}
}

/* Places for tiles and bins of all segments; one block. */
template <unsigned THREADS> static __device__ void
assign(segment *segments, uint32_t count, uint32_t tile_keys, segments_head *head)
{
	__shared__ uint32_t sums[2][THREADS / 32];
	uint32_t all_tiles = 0, all_bins = 0, more_tiles, more_bins;

	for (uint32_t at = 0; at < count; at += THREADS) {
		const uint32_t s = at + threadIdx.x;
		const uint64_t keys = s < count ? segments[s].keys.count : 0;
		const uint32_t tiles = (uint32_t)((keys + tile_keys - 1) / tile_keys);
		const uint32_t bins = s < count ? segments[s].d.bins : 0;
		const uint32_t tiles_from = block_sum_before<THREADS>(tiles, sums[0], &more_tiles);
		const uint32_t bins_from = block_sum_before<THREADS>(bins, sums[1], &more_bins);

		if (s < count) {
			segments[s].tiles_from = all_tiles + tiles_from;
			segments[s].bins_from = all_bins + bins_from;
		}
		all_tiles += more_tiles;
		all_bins += more_bins;
		__syncthreads();
	}
	if (threadIdx.x == 0) {
		head->segments = count;
		head->tiles = all_tiles;
		head->bins = all_bins;
	}
}

/* ---- tiles of segments ------------------------------------------------------ */

/* A tile, and the segment that it is from. */
struct tile_place {
	const segment *of;
	uint64_t from;		/* where it lies */
	uint64_t before;	/* keys of its segment in tiles before it */
	uint32_t count;		/* 0: no such tile */
};

/* Tile number TILE, of the segment OF. */
static __device__ __forceinline__ tile_place
tile_in(const segment *of, uint32_t tile_keys, chunk_map chunks, uint32_t tile)
{
	tile_place t = { of, 0, (uint64_t)(tile - of->tiles_from) * tile_keys, 0 };

	if (t.before < of->keys.count) {
		const uint32_t here = tile - of->tiles_from;

		t.from = of->keys.from + t.before;
		if (chunks.at != NULL)
			t.from = chunks.at[of->keys.first + here / chunks.tiles] +
			         (uint64_t)(here % chunks.tiles) * tile_keys;
		t.count = (uint32_t)min(of->keys.count - t.before, (uint64_t)tile_keys);
	}
	return t;
}

/* The place of TILE; all threads call, and get the same. */
template <unsigned THREADS> static __device__ __forceinline__ tile_place
tile_of(const segment *segments, const segments_head *head, uint32_t tile_keys, chunk_map chunks,
        uint32_t tile)
{
	__shared__ uint32_t found;
	uint32_t low = 0, high = head->segments;	/* it is one of these; each has a tile */

	if (tile >= head->tiles)
		return tile_place{};
	while (high - low > THREADS) {
		const uint32_t middle = (low + high) / 2;

		if (segments[middle].tiles_from <= tile)
			low = middle;
		else
			high = middle;
	}
	if (high - low > 1) {		/* all look at once: one latency, not ten */
		const uint32_t s = low + threadIdx.x;

		__syncthreads();
		if (s < high && segments[s].tiles_from <= tile &&
		    (s + 1 == high || segments[s + 1].tiles_from > tile))
			found = s;
		__syncthreads();
		low = found;
	}
	return tile_in(&segments[low], tile_keys, chunks, tile);
}

/* Each bin has one value, and that is known: then nothing is moved. */
static __device__ __forceinline__ bool
bins_are_values(const digits &d)
{
	return d.whole && !d.outside;
}

/* All keys are one: they need not even be counted. */
static __device__ __forceinline__ bool
one_value(const digits &d)
{
	return d.low == d.high && !d.outside;
}

/* ---- count ------------------------------------------------------------------ */

/* Count a tile's digits; threads take LOADS keys at once, by the map FIRST. */
template <unsigned THREADS, class Key, class First, class Digits> static __device__ __forceinline__ void
count_tile(uint32_t *counters, const Key *keys, uint32_t count, const First &first, const Digits &d)
{
	enum { LOADS = 4 };
	uint32_t *const mine = counters_of_lane(counters, COUNTS_PITCH);
	Key x[LOADS];
	uint32_t bins[LOADS];

	for (uint32_t at = threadIdx.x; at - threadIdx.x < count; at += LOADS * THREADS) {
#pragma unroll
		for (unsigned l = 0; l < LOADS; l++)
			x[l] = keys[min(at + l * THREADS, count - 1)];
		map_first<LOADS>(first, x);
		bins_find<LOADS>(d, x, bins);
#pragma unroll
		for (unsigned l = 0; l < LOADS; l++)
			if (at + l * THREADS < count)
				atomicAdd(&mine[bins[l]], 1u);
	}
}

static __device__ __forceinline__ uint32_t *
tile_row(const ordered_counts &c, uint32_t tile)
{
	return c.tiles + tile * (size_t)LEAF_BINS;
}

/* The sums of the group that has TILE of segment number S. */
static __device__ __forceinline__ uint32_t *
group_row(const ordered_counts &c, uint32_t tile, uint32_t s)
{
	return c.groups + (tile / GROUP_TILES + s) * (size_t)LEAF_BINS;
}

/* TILES tiles a block: as long as they are of one segment, their counts stay here.  IN_ORDER: one tile, to
 * its row. */
template <bool IN_ORDER, class Key, class First> static __global__ void
__launch_bounds__(IN_ORDER ? TILE_THREADS : COUNT_THREADS,
                  IN_ORDER ? 1 : blocks_that_fit(COUNT_THREADS, 2))
count_kernel(division<Key> v, First first, uint32_t tiles)
{
	begin_in_turn();

	enum { THREADS = IN_ORDER ? TILE_THREADS : COUNT_THREADS };
	typedef splitters<Key, SEGMENT_ROWS> searched;
	__shared__ __align__(16) unsigned char memory[searched::BYTES];
	__shared__ uint32_t counters[COUNTERS * COUNTS_PITCH];
	uint32_t tile = blockIdx.x * tiles;
	const uint32_t end = tile + tiles;
	tile_place t = tile_of<THREADS>(v.segments, v.head, v.tile_keys, v.chunks, tile);

	while (t.count > 0) {
		const segment *of = t.of;
		const digits d = of->d;
		const Key *table = of->splits != 0 ? v.tables + (of - v.segments) * SEGMENT_ROWS : NULL;
		searched search = {};

		for (uint32_t w = threadIdx.x; w < COUNTERS * COUNTS_PITCH; w += THREADS)
			counters[w] = 0;
		if (table != NULL)
			search = splitters_load<searched>((Key *)memory,
			                                  [=](unsigned p) { return table[p]; });
		__syncthreads();
		for (; t.count > 0 && tile < end; t = tile_in(of, v.tile_keys, v.chunks, ++tile))
			if (table != NULL)
				count_tile<THREADS>(counters, v.keys + t.from, t.count, first, search);
			else if (d.outside)
				count_tile<THREADS>(counters, v.keys + t.from, t.count, first,
				                    clamped_digits{ d });
			else if (!one_value(d))
				count_tile<THREADS>(counters, v.keys + t.from, t.count, first, d);
		__syncthreads();
		for (uint32_t b = threadIdx.x; b < d.bins; b += THREADS) {
			const uint32_t here = counts_sum<COUNTERS>(&counters[b], COUNTS_PITCH);

			if (IN_ORDER)
				tile_row(v.ordered, blockIdx.x)[b] = here;
			else if (here > 0)
				atomicAdd(&v.counts[of->bins_from + b], (number)here);
		}
		if (IN_ORDER)
			return;
		__syncthreads();
		t = tile_place{};
		if (tile < end)
			t = tile_of<THREADS>(v.segments, v.head, v.tile_keys, v.chunks, tile);
	}
}

/* Replace each of COUNT words, which are a row apart, by the sum of the words before it; return the total. */
template <class Sum> static __device__ __forceinline__ Sum
rows_before(uint32_t *words, uint32_t count)
{
	enum { AT_ONCE = 16 };
	Sum sum = 0;

	for (uint32_t at = 0; at < count; at += AT_ONCE) {
		uint32_t some[AT_ONCE];

#pragma unroll
		for (uint32_t i = 0; i < AT_ONCE; i++)
			some[i] = at + i < count ? words[(at + i) * (size_t)LEAF_BINS] : 0;
#pragma unroll
		for (uint32_t i = 0; i < AT_ONCE; i++) {
			if (at + i < count)
				words[(at + i) * (size_t)LEAF_BINS] = (uint32_t)sum;
			sum += some[i];
		}
	}
	return sum;
}

/* A group a block, a bin a thread. */
template <class Key> static __global__ void
__launch_bounds__(COUNT_THREADS)
sum_tiles_kernel(division<Key> v)
{
	begin_in_turn();

	const uint32_t b = threadIdx.x, all = v.head->segments;
	uint32_t at = blockIdx.x * GROUP_TILES;
	const uint32_t end = min(at + GROUP_TILES, v.head->tiles);
	const tile_place t = tile_of<COUNT_THREADS>(v.segments, v.head, v.tile_keys, v.chunks, at);

	if (t.count == 0)
		return;
	for (uint32_t s = (uint32_t)(t.of - v.segments); at < end; s++) {
		const uint32_t last = s + 1 < all ? min(v.segments[s + 1].tiles_from, end) : end;

		if (at < last && b < v.segments[s].d.bins)
			group_row(v.ordered, at, s)[b] = rows_before<uint32_t>(&tile_row(v.ordered, at)[b],
			                                                       last - at);
		at = last;
	}
}

/* ---- settle ----------------------------------------------------------------- */

/*
 * Does a leaf begin with this thread's bin of BINS bins?  A leaf has as many of them as MOST keys have room
 * for, to *END - 1, or one, and the next one begins there: leaves are found from the first on by steps of
 * one leaf, two, four, ...  For all threads.
 */
static __device__ __forceinline__ bool
leaf_begins(const number *begins, uint32_t bins, number most, uint32_t *end)
{
	__shared__ uint16_t jumps[SEGMENT_BINS + 1];
	__shared__ uint32_t begun[SEGMENT_BINS / 32 + 1];
	const uint32_t b = threadIdx.x;

	*end = min(b + 1, bins);
	for (uint32_t half = SEGMENT_BINS / 2; half > 0; half /= 2)
		if (*end + half <= bins && begins[*end + half] - begins[b] <= most)
			*end += half;
	jumps[b] = (uint16_t)*end;
	if (b == 0)
		jumps[SEGMENT_BINS] = (uint16_t)bins;
	if (b <= SEGMENT_BINS / 32)
		begun[b] = b == 0;
	for (uint32_t steps = 1; steps < bins; steps *= 2) {
		__syncthreads();
		const uint32_t to = jumps[b], next = jumps[to], is = begun[b / 32] >> b % 32 & 1;

		__syncthreads();
		if (b < bins && is != 0)
			atomicOr(&begun[to / 32], 1u << to % 32);
		jumps[b] = (uint16_t)next;
	}
	__syncthreads();
	return b < bins && (begun[b / 32] >> b % 32 & 1) != 0;
}

/*
 * The bins of segment S have been counted: where each begins, and the leaves that they make.
 * SPLITTERS: of its bins, or NULL.
 */
template <class Of> static __device__ __forceinline__ void
settle(number *cursors, const number *counts, const segment *s,
       const typename Of::key *splitters, const lists &l)
{
	__shared__ number begins[SEGMENT_BINS + 1], sums[COUNT_THREADS / 32];
	const digits &d = s->d;
	const uint32_t b = threadIdx.x;
	leaf_item leaf = {};
	number mine = 0, total, begin;
	uint32_t end;

	if (b < d.bins)
		mine = one_value(d) ? s->keys.count : counts[s->bins_from + b];
	begin = block_sum_before<COUNT_THREADS>(mine, sums, &total);
	begins[b] = begin;
	if (b < d.bins)
		cursors[s->bins_from + b] = s->keys.from + begin;
	if (b == 0)
		begins[SEGMENT_BINS] = total;
	__syncthreads();
	/* nothing is left to sort */
	if (Of::CARRIES && !l.in_place ? one_value(d) : bins_are_values(d))
		return;
	if (leaf_begins(begins, d.bins, (number)1 << s->leaf_bits, &end)) {
		leaf.from = s->keys.from + begin;
		leaf.count = begins[end] - begin;
		leaf.low = b == 0 ? s->keys.low :
		           max((uint64_t)(splitters != NULL ? splitters[b] :
		                          digit_begin(d, s->first_bin + b)), s->keys.low);
		leaf.high = end == d.bins ? s->keys.high :
		            min((uint64_t)(splitters != NULL ? splitters[end] :
		                           digit_begin(d, s->first_bin + end)) - 1, s->keys.high);
	}
	list_leaf<Of>(l, leaf);
}

/* Blocks settle segments in turn.  If rows keep their order, sums of groups become those of groups before. */
template <class Of> static __global__ void
__launch_bounds__(COUNT_THREADS)
settle_kernel(division<typename Of::key> v, const __grid_constant__ lists l)
{
	begin_in_turn();

	for (uint32_t i = blockIdx.x; i < v.head->segments; i += gridDim.x) {
		const segment *s = &v.segments[i];
		const uint32_t from = s->tiles_from, b = threadIdx.x;

		if (v.ordered.tiles != NULL && b < s->d.bins && !one_value(s->d)) {
			const uint32_t tiles = (uint32_t)((s->keys.count + v.tile_keys - 1) / v.tile_keys);
			const uint32_t groups = (from + tiles - 1) / GROUP_TILES + 1 - from / GROUP_TILES;

			v.counts[s->bins_from + b] = rows_before<number>(
				&group_row(v.ordered, from, i)[b], groups);
		}
		settle<Of>(v.cursors, v.counts, s, s->splits != 0 ? v.tables + i * SEGMENT_ROWS : NULL, l);
		__syncthreads();
	}
}

/* ---- move ------------------------------------------------------------------- */

/*
 * A tile where each bin has one value: keys need not be moved, for it is known
 * what will be where.  BEGINS: of the segment's bins.
 */
template <unsigned THREADS, class Key, class Map> static __device__ __forceinline__ void
fill_tile(Key *to, const Map &map, const tile_place &t, const digits &d, const number *begins,
          number *shared)
{
	const uint64_t begin = t.of->keys.from + t.before, end = begin + t.count;

	for (uint32_t b = threadIdx.x; b < d.bins; b += THREADS)
		shared[b] = begins[b];
	if (threadIdx.x == 0)
		shared[d.bins] = t.of->keys.from + t.of->keys.count;
	__syncthreads();
	for (uint32_t b = threadIdx.x / 32; b < d.bins; b += THREADS / 32) {
		const uint64_t last = min((uint64_t)shared[b + 1], end);

		for (uint64_t i = max((uint64_t)shared[b], begin) + threadIdx.x % 32; i < last; i += 32)
			to[i] = original(map, (Key)(d.low + t.of->first_bin + b));
	}
}

/* A tile of a segment of one value: its rows (X has every THREADS-th one) go where they belong. */
template <unsigned THREADS, unsigned ITEMS, class Place, class Map, class Row>
static __device__ __forceinline__ void
copy_tile(Place to, const Map &map, const tile_place &t, const Row *x)
{
	const uint64_t begin = t.of->keys.from + t.before + threadIdx.x;

	rows_each<ITEMS, THREADS>(thread_left(t.count), [&](int i) {
		row_put(to, begin + i * THREADS, original(map, x[i]));
	});
}

/* Digits of all keys, less the first one of a segment. */
struct digits_from {
	clamped_digits d;
	uint32_t       first;
};

template <class Key> static __device__ __forceinline__ uint32_t
digit_of(const digits_from &f, Key key)
{
	return digit_of(f.d, key) - f.first;
}

/*
 * Move the rows of a tile, by the map FIRST, to at most MOST_BINS.  SORTED is where they belong in the end,
 * by MAP.  A tile a block; or where there may be many and are none as a rule, tiles IN_TURN: thousands of
 * blocks that find none take long.
 */
template <class Tile, unsigned MOST_BINS, class Places, class First> static __global__ void
__launch_bounds__(Tile::THREADS, Tile::BLOCKS)
move_kernel(typename Tile::of::place to, typename Tile::of::source rows,
            division<typename Tile::of::key> v, typename Tile::of::place sorted, typename Tile::of::map map,
            First first, bool in_turn)
{
	if (!begin_in_turn(!std::is_same<Tile, tile_of_room<typename Tile::of>>::value * SHARED_LARGE))
		return;

	typedef typename Tile::of::key Key;
	typedef splitters<Key, SEGMENT_ROWS> searched;
	static const bool IN_ORDER = std::is_same<Places, ordered_places>::value;
	enum { THREADS = Tile::THREADS, ITEMS = Tile::ITEMS };
	DYNAMIC_SHARED(memory);

	for (uint32_t tile = blockIdx.x;; tile += gridDim.x) {
		const tile_place t = tile_of<THREADS>(v.segments, v.head, Tile::KEYS, v.chunks, tile);
		const typename Tile::of::source from = rows + t.from;
		typename std::conditional<IN_ORDER, Key, typename Tile::row>::type x[ITEMS];

		if (t.count == 0)
			return;
		if constexpr (IN_ORDER)
			tile_load<32, ITEMS>(x, keys_at(from), first_in_order<Tile>(), t.count);
		else
			tile_load<THREADS, ITEMS>(x, from, threadIdx.x, t.count);
		map_first<ITEMS>(first, x);

		const digits &d = t.of->d;
		Places places = {};
		const auto partition = [&](const auto &by, uint32_t bins) {
			if constexpr (IN_ORDER)
				partition_in_order<Tile, MOST_BINS>(to, from, x, t.count, by, bins, places,
				                                    memory);
			else
				partition_tile<Tile, MOST_BINS>(to, x, t.count, by, bins, places, memory);
		};

		places.cursors = v.cursors + t.of->bins_from;
		if constexpr (IN_ORDER) {
			places.group = group_row(v.ordered, tile, (uint32_t)(t.of - v.segments));
			places.tile = tile_row(v.ordered, tile);
		}
		if (t.of->splits != 0) {	/* splitters are where rows will be, at the end */
			const Key *table = v.tables + (t.of - v.segments) * SEGMENT_ROWS;

			partition(splitters_load<searched>(
				(Key *)(memory + Tile::KEYS * Tile::ROW - searched::BYTES),
				[=](unsigned p) { return table[p]; }), SEGMENT_ROWS);
		} else if (Tile::of::CARRIES && one_value(d)) {
			if constexpr (IN_ORDER) {
				typename Tile::row all[ITEMS];

				tile_load<THREADS, ITEMS>(all, from, threadIdx.x, t.count);
				copy_tile<THREADS, ITEMS>(sorted, map, t, all);
			} else {
				copy_tile<THREADS, ITEMS>(sorted, map, t, x);
			}
		} else if (!Tile::of::CARRIES && bins_are_values(d)) {
			fill_tile<THREADS>(keys_at(sorted), map, t, d, places.cursors, (number *)memory);
		} else {	/* clamped even where none are outside: one way less to compile */
			partition(digits_from{ { d }, t.of->first_bin }, d.bins);
		}
		if (!Tile::TURNS || MOST_BINS != LEAF_BINS || !in_turn)
			return;
		__syncthreads();
	}
}

#endif
