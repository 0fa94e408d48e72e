// SPDX-License-Identifier: BSD-2-Clause
/*
 * segment.cuh - divide many segments at once, each by digits of its own range
 *
 * In:   a list of segments: keys, few or many, too many for a leaf.
 * Out:  the same keys in bins, and lists of leaves, one of which is segments again.
 *
 *     look_kernel     a block a segment: is the range as wide as was promised?
 *     count_kernel    a block a tile: how many keys has each bin
 *     settle_kernel   a block a segment: where bins begin, what leaves they make
 *     move_kernel     a block a tile: to the bins
 *
 * This is what sorts small jobs, and the bins of others that came out too large:
 * where keys cluster, their range is guessed anew at each turn.  It shrinks each
 * time by as many bins as a segment has, so there are few turns for any keys.  What
 * lies outside of a guess is as if it were in the first bin or the last one: to find
 * the true range would take a sweep.
 *
 * Invariant: no key of a segment lies outside the range that it was promised.
 */
#ifndef GS_SEGMENT_CUH
#define GS_SEGMENT_CUH

#include "kernels/device/histogram.cuh"
#include "kernels/device/leaf_worklist.cuh"

enum {
	SEGMENT_BINS = 1024,		/* at most; settle_kernel has as many threads */
	LOOK_THREADS = 256,
	LOOKS        = 4,		/* keys that a thread looks at */
	LOOK_MARGIN  = 64,		/* part of their range that a guess is wider; not tuned */
	VALUE_KEYS   = 1024,		/* keys of one value that are worth a bin; not tuned */
};

struct segment {
	leaf_item keys;
	uint64_t  low, high;		/* that are divided into bins */
	uint32_t  guessed;		/* there may be keys outside of LOW to HIGH */
	uint32_t  bins, bins_from, tiles_from;
};

/*
 * Where tiles are, if not one behind the other: tile t of all from AT[t] on, the
 * first of segment s being FIRST[s].
 */
struct chunks {
	uint64_t *at;		/* NULL: one behind the other */
	uint32_t *first;
};

/* Of all segments; zero at first. */
struct segments_head {
	uint32_t looked;		/* blocks that have */
	uint32_t tiles, bins;
};

/*
 * Bins for COUNT keys: one for each leaf, if a segment may have so many; if not, as
 * many as there will be leaves in each.  But SKEWED keys are divided as finely as
 * can be: most of their bins will be empty.  And where there are few VALUES, a bin
 * for each, for then nothing is left to sort.
 */
static __device__ inline uint32_t
segment_bins(uint64_t count, uint64_t values, bool skewed)
{
	const uint64_t wanted = (count + LEAF_MEAN - 1) / LEAF_MEAN;

	if (values > 0 && values <= SEGMENT_BINS && values <= count / VALUE_KEYS)
		return (uint32_t)values;
	if (wanted <= SEGMENT_BINS)
		return (uint32_t)wanted;
	if (skewed || wanted >= (uint64_t)SEGMENT_BINS * SEGMENT_BINS)
		return SEGMENT_BINS;
	return 1u << ((64 - (unsigned)__clzll((long long)wanted)) / 2);
}

/* Places for tiles and bins of all segments; one block. */
static __device__ void
assign(segment *segments, uint32_t count, uint32_t tile_keys, bool skewed,
       segments_head *head)
{
	__shared__ uint32_t sums[2][LOOK_THREADS / 32];
	uint32_t all_tiles = 0, all_bins = 0, more_tiles, more_bins;

	for (uint32_t at = 0; at < count; at += LOOK_THREADS) {
		const uint32_t s = at + threadIdx.x;
		const uint64_t keys = s < count ? segments[s].keys.count : 0;
		const uint32_t tiles = (uint32_t)((keys + tile_keys - 1) / tile_keys);
		const uint64_t values = s < count ? segments[s].high - segments[s].low + 1 : 0;
		const uint32_t bins = segment_bins(keys, values, skewed);
		const uint32_t tiles_from = sum_before<LOOK_THREADS>(tiles, sums[0], &more_tiles);
		const uint32_t bins_from = sum_before<LOOK_THREADS>(bins, sums[1], &more_bins);

		if (s < count) {
			segments[s].tiles_from = all_tiles + tiles_from;
			segments[s].bins_from = all_bins + bins_from;
			segments[s].bins = bins;
		}
		all_tiles += more_tiles;
		all_bins += more_bins;
		__syncthreads();
	}
	if (threadIdx.x == 0) {
		head->tiles = all_tiles;
		head->bins = all_bins;
	}
}

/* A segment of ITEM whose keys, as far as seen, are LEAST to MOST. */
static __device__ inline segment
segment_of(const leaf_item &item, uint64_t least, uint64_t most)
{
	const uint64_t margin = (most - least) / LOOK_MARGIN + 1;
	segment s = { item, item.low, item.high, 0, 0, 0, 0 };

	if (most - least >= (item.high - item.low) / 8 * 7)
		return s;
	s.guessed = 1;
	if (least - item.low > margin)
		s.low = least - margin;
	if (item.high - most > margin)
		s.high = most + margin;
	return s;
}

/*
 * Block s makes segment s of ITEMS[s], or of ONE.  If what it sees of the keys
 * spans less than seven eighths of their range, their range is guessed.
 */
template <class Key> static __global__ void
__launch_bounds__(LOOK_THREADS)
look_kernel(segment *segments, const leaf_item *items, leaf_item one, chunks where,
            const Key *keys, uint32_t tile_keys, segments_head *head)
{
	begin_in_turn();

	__shared__ number shared[4];
	__shared__ uint32_t last;
	const leaf_item item = items != NULL ? items[blockIdx.x] : one;
	uint64_t least = ~(uint64_t)0, most = 0;

	if (threadIdx.x < 2)
		shared[2 + threadIdx.x] = 0;
#pragma unroll
	for (unsigned i = 0; i < LOOKS; i++) {
		const uint64_t step = i * LOOK_THREADS + threadIdx.x;
		/* anywhere, evenly (Weyl): a period of the keys must not meet that of looks */
		const uint64_t any = (uint32_t)((step + 1) * 0x9e3779b9u) * (item.count >> 8) >> 24;
		const uint64_t at = min(any, item.count - 1);
		const uint64_t from = where.at == NULL ? item.from + at :
			where.at[where.first[blockIdx.x] + at / tile_keys] + at % tile_keys;
		const uint64_t key = keys[from];

		least = min(least, key);
		most = max(most, key);
	}
	block_range(least, most, shared, &shared[2], &shared[3]);
	if (threadIdx.x == 0) {
		segments[blockIdx.x] = segment_of(item, ~shared[2], shared[3]);
		__threadfence();
		last = atomicAdd(&head->looked, 1u) == gridDim.x - 1;
		__threadfence();
	}
	__syncthreads();
	if (last)
		assign(segments, gridDim.x, tile_keys, items != NULL, head);
}

/* A block's tile, and the segment that it is from. */
struct tile_place {
	const segment *of;
	uint64_t from;		/* where it lies */
	uint64_t before;	/* keys of its segment in tiles before it */
	uint32_t count;		/* 0: no such tile */
};

/* Tile number TILE, of the segment OF. */
static __device__ __forceinline__ tile_place
tile_in(const segment *of, uint32_t tile_keys, chunks where, uint32_t tile)
{
	tile_place t = { of, 0, (uint64_t)(tile - of->tiles_from) * tile_keys, 0 };

	if (t.before < of->keys.count) {
		t.from = where.at != NULL ? where.at[tile] : of->keys.from + t.before;
		t.count = (uint32_t)min(of->keys.count - t.before, (uint64_t)tile_keys);
	}
	return t;
}

/* The place of TILE; all threads call, and get the same. */
template <unsigned THREADS> static __device__ __forceinline__ tile_place
tile_of(const segment *segments, uint32_t count, uint32_t tile_keys, chunks where,
        const segments_head *head, uint32_t tile)
{
	__shared__ uint32_t found;
	uint32_t low = 0, high = count;		/* it is one of these; each has a tile */

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
	return tile_in(&segments[low], tile_keys, where, tile);
}

static __device__ inline digits
segment_digits(unsigned key_bits, const segment *s)
{
	digits d = digits_over(key_bits, s->low, s->high, s->bins);

	d.outside = s->guessed;
	return d;
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

/* Count a tile's digits; threads take LOADS keys at once, half of a large tile in all. */
template <class Key> static __device__ __forceinline__ void
count_tile(uint32_t *counters, const Key *keys, uint32_t count, const digits &d)
{
	enum { LOADS = sizeof(Key) == 4 ? 6 : 4 };
	Key x[LOADS];

	for (uint32_t at = threadIdx.x; at < count; at += LOADS * COUNT_THREADS) {
#pragma unroll
		for (unsigned l = 0; l < LOADS; l++)
			x[l] = keys[min(at + l * COUNT_THREADS, count - 1)];
#pragma unroll
		for (unsigned l = 0; l < LOADS; l++)
			if (at + l * COUNT_THREADS < count)
				atomicAdd(&counters[digit_of(d, d.outside ? digit_clamp(d, x[l]) : x[l])],
				          1u);
	}
}

/* TILES tiles a block: as long as they are of one segment, their counts stay here. */
template <class Key> static __global__ void
__launch_bounds__(COUNT_THREADS, blocks_that_fit(COUNT_THREADS, 2))
count_tiles_kernel(number *counts, const segment *segments, uint32_t count, uint32_t tile_keys,
                   chunks where, const segments_head *head, const Key *keys, uint32_t tiles)
{
	begin_in_turn();

	__shared__ uint32_t counters[SEGMENT_BINS];
	uint32_t tile = blockIdx.x * tiles;
	const uint32_t end = tile + tiles;
	tile_place t = tile_of<COUNT_THREADS>(segments, count, tile_keys, where, head, tile);

	while (t.count > 0) {
		const segment *of = t.of;
		const digits d = segment_digits(sizeof(Key) * 8, of);

		for (uint32_t b = threadIdx.x; b < d.bins; b += COUNT_THREADS)
			counters[b] = 0;
		__syncthreads();
		for (; t.count > 0 && tile < end; t = tile_in(of, tile_keys, where, ++tile))
			if (!one_value(d))
				count_tile(counters, keys + t.from, t.count, d);
		__syncthreads();
		for (uint32_t b = threadIdx.x; b < d.bins; b += COUNT_THREADS)
			if (counters[b] > 0)
				atomicAdd(&counts[of->bins_from + b], (number)counters[b]);
		__syncthreads();
		t = tile < end ? tile_of<COUNT_THREADS>(segments, count, tile_keys, where, head,
		                                        tile) : tile_place{};
	}
}

/* Thread b has bin b: where it begins; and the window's leaves, if it is the first in there. */
template <class Key> static __global__ void
__launch_bounds__(SEGMENT_BINS)
settle_kernel(number *cursors, const number *counts, const segment *segments, lists l)
{
	begin_in_turn();

	__shared__ number begins[SEGMENT_BINS + 1], sums[SEGMENT_BINS / 32];
	const segment *s = &segments[blockIdx.x];
	const digits d = segment_digits(sizeof(Key) * 8, s);
	const uint32_t b = threadIdx.x;
	const number mine = b >= d.bins ? 0 : one_value(d) ? s->keys.count : counts[s->bins_from + b];
	uint32_t middle = b, last = b;
	number total, begin = sum_before<SEGMENT_BINS>(mine, sums, &total);

	begins[b] = begin;
	if (b == 0)
		begins[SEGMENT_BINS] = total;
	__syncthreads();
	if (b < d.bins && (b == 0 || begins[b - 1] >> l.window_bits != begin >> l.window_bits)) {
		while (last < d.bins && begins[last] >> l.window_bits == begin >> l.window_bits)
			last++;
		middle = begins[last] - begin <= 1u << l.window_bits ? last : last - 1;
	}
	__syncthreads();
	begins[b] = begin + s->keys.from;
	if (b == 0)
		begins[SEGMENT_BINS] = total + s->keys.from;
	if (b < d.bins)
		cursors[s->bins_from + b] = begin + s->keys.from;
	if (bins_are_values(d))		/* nothing is left to sort */
		return;
	__syncthreads();
	list_leaf<Key>(l, leaf_of(d, begins, b, middle, s->keys.low, s->keys.high));
	list_leaf<Key>(l, leaf_of(d, begins, middle, last, s->keys.low, s->keys.high));
}

/*
 * A tile where each bin has one value: keys need not be moved, for it is known
 * what will be where.  BEGINS: of the segment's bins.
 */
template <unsigned THREADS, class Key> static __device__ __forceinline__ void
fill_tile(Key *to, const tile_place &t, const digits &d, const number *begins, number *shared)
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
			to[i] = (Key)(d.low + b);
	}
}

/* SORTED is where keys belong in the end. */
template <class Key, unsigned THREADS, unsigned ITEMS, unsigned BLOCKS> static __global__ void
__launch_bounds__(THREADS, blocks_that_fit(THREADS, BLOCKS))
move_kernel(Key *to, const Key *from, const segment *segments, uint32_t count, chunks where,
            const segments_head *head, number *cursors, Key *sorted)
{
	begin_in_turn();

	DYNAMIC_SHARED(memory);
	const tile_place t = tile_of<THREADS>(segments, count, THREADS * ITEMS, where, head,
	                                      blockIdx.x);

	if (t.count == 0)
		return;

	const digits d = segment_digits(sizeof(Key) * 8, t.of);

	if (bins_are_values(d))
		fill_tile<THREADS>(sorted, t, d, cursors + t.of->bins_from, (number *)memory);
	else
		partition_by<THREADS, ITEMS>(to, from + t.from, t.count, d, 0, ~0u, d.bins,
		                             cursors + t.of->bins_from, memory);
}

#endif
