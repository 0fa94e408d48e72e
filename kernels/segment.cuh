// SPDX-License-Identifier: BSD-2-Clause
/*
 * segment.cuh - divide many segments at once, each by digits of its own range
 *
 * In:   a list of segments: keys, few or many, too many for a leaf.
 * Out:  the same keys in bins, and lists of leaves, one of which is segments again.
 *
 *     look_kernel     a block a segment: is the range as wide as was promised?
 *     range_kernel    a block a tile: if not, find the true one
 *     count_kernel    a block a tile: how many keys has each bin
 *     settle_kernel   a block a segment: where bins begin, what leaves they make
 *     move_kernel     a block a tile: to the bins
 *
 * This is what sorts small jobs, and the bins of others that came out too large:
 * where keys cluster, their range is found anew at each turn.  It shrinks each
 * time by as many bins as a segment has, so there are few turns for any keys.
 *
 * Invariant: no key of a segment lies outside its range.
 */
#ifndef GS_SEGMENT_CUH
#define GS_SEGMENT_CUH

#include "kernels/count.cuh"
#include "kernels/list.cuh"

enum {
	SEGMENT_BINS = 1024,		/* at most; settle_kernel has as many threads */
	LOOK_THREADS = 256,
	LOOKS        = 4,		/* keys that a thread looks at */
	VALUE_KEYS   = 1024,		/* keys of one value that are worth a bin; not tuned */
};

struct segment {
	leaf_item keys;
	number    least, most;		/* least: inverted */
	uint32_t  exact;		/* LEAST and MOST are to be found, and hold */
	uint32_t  bins, bins_from, tiles_from;
};

/* Of all segments; zero at first. */
struct segments_head {
	uint32_t looked;		/* blocks that have */
	uint32_t exact;			/* segments whose range is to be found */
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
		const uint64_t values = s < count ? segments[s].keys.high - segments[s].keys.low + 1 : 0;
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

/*
 * Block s makes segment s of ITEMS[s], or of ONE.  If what it sees of the keys
 * spans less than seven eighths of their range, the range is to be found exactly.
 */
template <class Key> static __global__ void
__launch_bounds__(LOOK_THREADS)
look_kernel(segment *segments, const leaf_item *items, leaf_item one, const Key *keys,
            uint32_t tile_keys, segments_head *head)
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
		const uint64_t at = (uint32_t)((step + 1) * 0x9e3779b9u) * (item.count >> 8) >> 24;
		const uint64_t key = keys[item.from + min(at, item.count - 1)];

		least = min(least, key);
		most = max(most, key);
	}
	block_range(least, most, shared, &shared[2], &shared[3]);
	if (threadIdx.x == 0) {
		segment s = { item, 0, 0, 0, 0, 0, 0 };

		s.exact = shared[3] - ~shared[2] < (item.high - item.low) / 8 * 7;
		segments[blockIdx.x] = s;
		if (s.exact)
			atomicAdd(&head->exact, 1u);
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
	uint64_t from;
	uint32_t count;		/* 0: no such tile */
};

/* The place of TILE; all threads call, and get the same. */
template <unsigned THREADS> static __device__ __forceinline__ tile_place
tile_of(const segment *segments, uint32_t count, uint32_t tile_keys, const segments_head *head,
        uint32_t tile)
{
	__shared__ uint32_t found;
	uint32_t low = 0, high = count;		/* it is one of these; each has a tile */
	tile_place t = {};

	if (tile >= head->tiles)
		return t;
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
	t.of = &segments[low];
	t.from = (uint64_t)(tile - t.of->tiles_from) * tile_keys;
	t.count = (uint32_t)min(t.of->keys.count - t.from, (uint64_t)tile_keys);
	t.from += t.of->keys.from;
	return t;
}

static __device__ inline digits
segment_digits(unsigned key_bits, const segment *s)
{
	return digits_over(key_bits, s->exact ? ~s->least : s->keys.low,
	                   s->exact ? s->most : s->keys.high, s->bins);
}

/* Blocks take tiles in turn; nearly always there is nothing to do. */
template <class Key> static __global__ void
__launch_bounds__(COUNT_THREADS)
range_kernel(segment *segments, uint32_t count, uint32_t tile_keys, const segments_head *head,
             const Key *keys)
{
	begin_in_turn();

	__shared__ number shared[2];

	if (head->exact == 0)
		return;
	for (uint32_t tile = blockIdx.x; tile < head->tiles; tile += gridDim.x) {
		const tile_place t = tile_of<COUNT_THREADS>(segments, count, tile_keys, head, tile);
		Key least = (Key)~(Key)0, most = 0;

		if (t.of->exact == 0)
			continue;
#pragma unroll 4
		for (uint32_t i = threadIdx.x; i < t.count; i += COUNT_THREADS) {
			const Key key = keys[t.from + i];

			least = min(least, key);
			most = max(most, key);
		}
		block_range(least, most, shared, &segments[t.of - segments].least,
		            &segments[t.of - segments].most);
		__syncthreads();
	}
}

/* All keys are one: they need not be counted. */
static __device__ __forceinline__ bool
one_value(const digits &d)
{
	return d.low == d.high;
}

/* The next tile of the same segment, of no keys if there is none. */
static __device__ __forceinline__ tile_place
tile_after(tile_place t, uint32_t tile_keys)
{
	t.from += t.count;
	t.count = (uint32_t)min(t.of->keys.from + t.of->keys.count - t.from, (uint64_t)tile_keys);
	return t;
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
				atomicAdd(&counters[digit_of(d, x[l])], 1u);
	}
}

/* TILES tiles a block: as long as they are of one segment, their counts stay here. */
template <class Key> static __global__ void
__launch_bounds__(COUNT_THREADS, blocks_that_fit(COUNT_THREADS, 2))
count_tiles_kernel(number *counts, const segment *segments, uint32_t count, uint32_t tile_keys,
                   const segments_head *head, const Key *keys, uint32_t tiles)
{
	begin_in_turn();

	__shared__ uint32_t counters[SEGMENT_BINS];
	tile_place t = tile_of<COUNT_THREADS>(segments, count, tile_keys, head,
	                                      blockIdx.x * tiles);

	for (uint32_t done = 0; t.count > 0;) {
		const segment *of = t.of;
		const digits d = segment_digits(sizeof(Key) * 8, of);

		for (uint32_t b = threadIdx.x; b < d.bins; b += COUNT_THREADS)
			counters[b] = 0;
		__syncthreads();
		for (; t.count > 0 && done < tiles; done++, t = tile_after(t, tile_keys))
			if (!one_value(d))
				count_tile(counters, keys + t.from, t.count, d);
		__syncthreads();
		for (uint32_t b = threadIdx.x; b < d.bins; b += COUNT_THREADS)
			if (counters[b] > 0)
				atomicAdd(&counts[of->bins_from + b], (number)counters[b]);
		__syncthreads();
		t = done < tiles ? tile_of<COUNT_THREADS>(segments, count, tile_keys, head,
		                                          blockIdx.x * tiles + done) : tile_place{};
	}
}

/* Thread b has bin b: where it begins, and if it is the first in its window, the window's leaves. */
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
	if (d.whole)		/* nothing is left to sort */
		return;
	__syncthreads();
	list_leaf<Key>(l, leaf_of(d, begins, b, middle));
	list_leaf<Key>(l, leaf_of(d, begins, middle, last));
}

/*
 * A tile where each bin has one value: keys need not be moved, for it is known
 * what will be where.  BEGINS: of the segment's bins.
 */
template <unsigned THREADS, class Key> static __device__ __forceinline__ void
fill_tile(Key *to, const tile_place &t, const digits &d, const number *begins, number *shared)
{
	const uint64_t end = t.from + t.count;

	for (uint32_t b = threadIdx.x; b < d.bins; b += THREADS)
		shared[b] = begins[b];
	if (threadIdx.x == 0)
		shared[d.bins] = t.of->keys.from + t.of->keys.count;
	__syncthreads();
	for (uint32_t b = threadIdx.x / 32; b < d.bins; b += THREADS / 32) {
		const uint64_t last = min((uint64_t)shared[b + 1], end);

		for (uint64_t i = max((uint64_t)shared[b], t.from) + threadIdx.x % 32; i < last; i += 32)
			to[i] = (Key)(d.low + b);
	}
}

/* SORTED is where keys belong in the end. */
template <class Key, unsigned THREADS, unsigned ITEMS, unsigned BLOCKS> static __global__ void
__launch_bounds__(THREADS, blocks_that_fit(THREADS, BLOCKS))
move_kernel(Key *to, const Key *from, const segment *segments, uint32_t count,
            const segments_head *head, number *cursors, Key *sorted)
{
	begin_in_turn();

	DYNAMIC_SHARED(memory);
	const tile_place t = tile_of<THREADS>(segments, count, THREADS * ITEMS, head, blockIdx.x);
	digit_part part = { {}, 0, ~0u };

	if (t.count == 0)
		return;
	part.d = segment_digits(sizeof(Key) * 8, t.of);
	if (part.d.whole) {
		fill_tile<THREADS>(sorted, t, part.d, cursors + t.of->bins_from, (number *)memory);
		return;
	}
	partition_tile<THREADS, ITEMS>(to, from + t.from, t.count, part, part.d.bins,
	                               cursors + t.of->bins_from, memory);
}

#endif
