// SPDX-License-Identifier: BSD-2-Clause
/*
 * histogram.cuh - divide many even keys: count once, move twice
 *
 * In:   keys, and digits of their range (sample.cuh).
 * Out:  the same keys in bins, and lists of leaves.
 *
 *     histogram_kernel     counts all bins in one sweep that only reads
 *     settle_level_kernel  a block a bin of the upper level: where it and its lower bins begin
 *     move_level_kernel    a block a tile: keys to the bins of the upper level
 *
 * Then each bin of the upper level is a segment, and move_kernel (segment.cuh) moves its keys to
 * the lower bins.  Counters have 16 bits, two in a word of shared memory, up to 104 K of them a
 * block.  One that comes to its half moves that much to device memory.
 *
 * Invariant: a counter is below HALF after each barrier, and so never overflows.
 */
#ifndef GS_HISTOGRAM_CUH
#define GS_HISTOGRAM_CUH

#include "kernels/device/sample.cuh"

enum {
	HISTOGRAM_LOADS = 4,		/* of 16 bytes each, in flight */
	HISTOGRAM_BINS  = 104 << 10,	/* 208 KB of the 227 that a block may have */
	HISTOGRAM_HALF  = 1 << 14,
	UPPER_BINS      = 512,		/* at most: HISTOGRAM_BINS >> 8, and one more */
};

/* A bin of the upper level has 2^LOW_BITS bins of the lower one. */
struct levels {
	uint32_t upper, low_bits, bins;
};

/* Add ADD, at most 32, to a counter of BIN, which has 2^COPIES of them. */
template <class Count> static __device__ __forceinline__ void
histogram_add(uint32_t *counters, Count *counts, uint32_t bin, uint32_t add, unsigned copies = 0)
{
	const unsigned shift = bin % 2 * 16;
	const uint32_t old = atomicAdd(&counters[bin / 2], add << shift) >> shift & 0xffff;

	if (old < HISTOGRAM_HALF && old + add >= HISTOGRAM_HALF) {
		atomicSub(&counters[bin / 2], (uint32_t)HISTOGRAM_HALF << shift);
		atomicAdd(&counts[bin >> copies], (Count)HISTOGRAM_HALF);
	}
}

/*
 * Count the share of block BLOCK of BLOCKS in COUNT keys: first in COUNTERS, one for each of BINS, then in
 * COUNTS.  MANY(from) counts LOADS of 16 bytes for each thread.  ONE(key) counts each key that is left, and,
 * in the first block, each key before a multiple of 16 bytes.
 */
template <unsigned LOADS, class Key, class Many, class One> static __device__ __forceinline__ void
histogram_of(uint32_t *counters, number *counts, uint32_t bins, const Key *keys, size_t count, uint32_t block,
             uint32_t blocks, const Many &many, const One &one)
{
	enum { PART = COUNT_THREADS * LOADS * 16 / sizeof(Key) };

	for (uint32_t w = threadIdx.x; w < (bins + 1) / 2; w += COUNT_THREADS)
		counters[w] = 0;
	__syncthreads();
	for (; count > 0 && (uintptr_t)keys % 16 != 0; keys++, count--)
		if (block == 0 && threadIdx.x == 0)
			one(*keys);
	__syncthreads();		/* they may be all */
	for (size_t at = block * (size_t)PART; at < count; at += blocks * (size_t)PART) {
		if (count - at >= PART)
			many((const pack<Key> *)&keys[at]);
		else
			for (size_t i = at + threadIdx.x; i < count; i += COUNT_THREADS)
				one(keys[i]);
		__syncthreads();
	}
	for (uint32_t b = threadIdx.x; b < bins; b += COUNT_THREADS) {
		const uint32_t rest = counters[b / 2] >> b % 2 * 16 & 0xffff;

		if (rest > 0)
			atomicAdd(&counts[b], (number)rest);
	}
}

/* LOADS of 16 bytes for each thread, all of which exist; keys by MAP. */
template <class Key, class Map> static __device__ __forceinline__ void
histogram_loads(uint32_t *counters, number *counts, const digits &d, const pack<Key> *from,
                const Map &map)
{
	enum { EACH = 16 / sizeof(Key) };
	pack<Key> x[HISTOGRAM_LOADS];
	bool alike;

#pragma unroll
	for (unsigned l = 0; l < HISTOGRAM_LOADS; l++)
		x[l] = from[l * COUNT_THREADS + threadIdx.x];
	map_first<HISTOGRAM_LOADS * EACH>(map, x[0].at);
	if (d.outside) {
#pragma unroll
		for (unsigned i = 0; i < HISTOGRAM_LOADS * EACH; i++)
			x[i / EACH].at[i % EACH] = digit_clamp(d, x[i / EACH].at[i % EACH]);
	}
	/* keys in order: one addition for a warp whose lanes agree */
	alike = warp_agrees(digit_of(d, x[0].at[0]));
#pragma unroll
	for (unsigned i = 0; i < HISTOGRAM_LOADS * EACH; i++) {
		const uint32_t bin = digit_of(d, x[i / EACH].at[i % EACH]);

		if (!alike || !warp_agrees(bin))
			histogram_add(counters, counts, bin, 1);
		else if (threadIdx.x % 32 == 0)
			histogram_add(counters, counts, bin, 32);
	}
}

/* Count digits of KEYS, by MAP. */
template <class Key, class Map> static __global__ void
__launch_bounds__(COUNT_THREADS)
histogram_kernel(number *counts, const Key *keys, size_t count, Map map, uint32_t bins,
                 const bin_plan<Key> *plan)
{
	if (!begin_in_turn(SHARED_LARGE))
		return;

	DYNAMIC_SHARED(memory);
	uint32_t *const counters = (uint32_t *)memory;
	const digits d = plan->even;

	histogram_of<HISTOGRAM_LOADS>(counters, counts, bins, keys, count, blockIdx.x, gridDim.x,
		[&](const pack<Key> *from) { histogram_loads(counters, counts, d, from, map); },
		[&](Key key) {
			histogram_add(counters, counts, digit_of(clamped_digits{ d }, ordered(map, key)), 1);
		});
}

/*
 * Block u makes segment u, of the upper level's bin u; the last one assigns places to all.  It sums
 * up all counts before its own: that is quicker than one more kernel.
 */
template <class Of> static __global__ void
__launch_bounds__(COUNT_THREADS)
settle_level_kernel(segment *segments, number *upper_cursors, number *cursors, number *counts,
                    const bin_plan<typename Of::key> *plan, levels v, unsigned leaf_bits,
                    uint32_t tile_keys, segments_head *head, const __grid_constant__ lists l)
{
	if (!begin_in_turn(SHARED_LARGE))
		return;

	typedef typename Of::key Key;
	__shared__ number sums[2][COUNT_THREADS / 32];
	__shared__ segment here;
	__shared__ bool last;
	const uint32_t low_bins = 1u << v.low_bits, first = blockIdx.x << v.low_bits;
	number before = 0, from, all;

	for (uint32_t b = threadIdx.x; b < first; b += COUNT_THREADS)
		before += counts[b];
	(void)block_sum_before<COUNT_THREADS>(before, sums[0], &from);
	(void)block_sum_before<COUNT_THREADS>(threadIdx.x < low_bins ? counts[first + threadIdx.x] :
	                                                               (number)0, sums[1], &all);
	if (threadIdx.x == 0) {
		const digits &d = plan->even;

		here = segment{ { from, all, first == 0 ? 0 : digit_begin(d, min(first, d.bins)),
		                  first + low_bins >= d.bins ? (uint64_t)(Key)~(Key)0 :
		                  digit_begin(d, first + low_bins) - 1, 0 },
		                d, first, 0, leaf_bits, 0, first };
		here.d.bins = low_bins;
		upper_cursors[blockIdx.x] = from;
		segments[blockIdx.x] = here;
		__threadfence();
		last = atomicAdd(&head->looked, 1u) == gridDim.x - 1;
		__threadfence();
	}
	__syncthreads();
	settle<Of>(cursors, counts, &here, (const Key *)NULL, l);
	if (last)
		assign<COUNT_THREADS>(segments, gridDim.x, tile_keys, head);
}

/* Digits of the upper level. */
struct upper_digits {
	clamped_digits d;
	unsigned       low_bits;
};

template <class Key> static __device__ __forceinline__ uint32_t
digit_of(const upper_digits &u, Key key)
{
	return digit_of(u.d, key) >> u.low_bits;
}

/* A tile a block, to the bins of the upper level. */
template <class Tile> static __global__ void
__launch_bounds__(Tile::THREADS, Tile::BLOCKS)
move_level_kernel(typename Tile::of::place to, typename Tile::of::source from, size_t count,
                  typename Tile::of::map map, number *cursors,
                  const bin_plan<typename Tile::of::key> *plan, levels v)
{
	if (!begin_in_turn(SHARED_LARGE))
		return;

	DYNAMIC_SHARED(memory);
	const uint32_t begin = blockIdx.x, end = begin + 1;
	const exact_places places = { cursors };

	tiles_move<Tile, UPPER_BINS>(to, from, count, map,
	                             upper_digits{ { plan->even }, v.low_bits }, v.upper,
	                             places, begin, end, memory);
}

#endif
