// SPDX-License-Identifier: BSD-2-Clause
/*
 * partition.cuh - count digits, and move keys to where their bins begin
 *
 * The order inside a bin is free: it is sorted later.  That is what makes this
 * cheaper than a pass of a radix sort, which must be stable.  A key's rank in its
 * tile is what one atomic addition in shared memory returns, a tile's place in
 * a bin what one in device memory returns: no look-back, no second count.
 *
 *     tile in registers -> ranks -> a bin behind the other in shared memory
 *                       -> to device memory, in runs of neighbouring addresses
 *
 * In the spirit of E. Stehle, H.-A. Jacobsen, "A Memory Bandwidth-Efficient
 * Hybrid Radix Sort on GPUs", SIGMOD 2017.
 *
 * Invariant: cursors of a bin stay between its begin and the next one's.
 */
#ifndef GS_PARTITION_CUH
#define GS_PARTITION_CUH

#include "kernels/digit.cuh"
#include "kernels/launch.cuh"

enum { ALL_LANES = 0xffffffff };

/* A key's bin and its rank in there make one word: tiles are shorter than 2^RANK_BITS. */
enum { RANK_BITS = 16 };

static __device__ __forceinline__ bool
lanes_agree(uint32_t value)
{
	return __all_sync(ALL_LANES, value == __shfl_sync(ALL_LANES, value, 0));
}

/* atomicAdd(counter, 1), by all lanes; one addition for all if they mean the same counter. */
static __device__ __forceinline__ uint32_t
count_together(uint32_t *counter)
{
	const unsigned lane = threadIdx.x % 32;
	uint32_t rank = 0;

	if (!lanes_agree((uint32_t)(uintptr_t)counter))
		return atomicAdd(counter, 1u);
	if (lane == 0)
		rank = atomicAdd(counter, 32u);
	return __shfl_sync(ALL_LANES, rank, 0) + lane;
}

/* The sum of VALUE over the threads before this one; *TOTAL of all.  SUMS: a number a warp. */
template <unsigned THREADS, class Number> static __device__ __forceinline__ Number
sum_before(Number value, Number *sums, Number *total)
{
	const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	Number upto = value, before = 0, all = 0;

#pragma unroll
	for (unsigned lanes = 1; lanes < 32; lanes *= 2) {
		const Number left = __shfl_up_sync(ALL_LANES, upto, lanes);

		upto += lane >= lanes ? left : 0;
	}
	if (lane == 31)
		sums[warp] = upto;
	__syncthreads();
#pragma unroll
	for (unsigned w = 0; w < THREADS / 32; w++) {
		before += w < warp ? sums[w] : 0;
		all += sums[w];
	}
	*total = all;
	return before + upto - value;
}

/* One level of a partition: segments, each divided into its bins. */
struct level {
	const uint64_t *begins;		/* of segments, and one more: the end */
	uint32_t segments;
	uint32_t bins;			/* of a segment, at most */
	uint32_t digit_shift, digit_mask;	/* which part of a digit this level looks at */
	unsigned long long *cursors;	/* of all bins of all segments: where the next key goes */
};

/*
 * Tile number T of a level: segment s has one tile more than its begin and end
 * are apart, in tiles, so that nobody has to count them first.
 */
static __device__ __forceinline__ uint64_t
level_tile(uint64_t begin, uint32_t segment, uint32_t tile_keys)
{
	return begin / tile_keys + segment;
}

static inline size_t
level_tiles(size_t count, uint32_t segments, uint32_t tile_keys)
{
	return count / tile_keys + segments;
}

/* What a block needs: keys, then counters and places, of as many bins as there are. */
template <class Key, unsigned TILE> static inline size_t
partition_bytes(uint32_t bins)
{
	return TILE * sizeof(Key) + 32 * sizeof(uint32_t) + 16 +
	       (size_t)bins * (sizeof(uint64_t) + sizeof(uint32_t));
}

/* The digit of a level: some bits of the whole. */
struct digit_part {
	digits   d;
	uint32_t shift, mask;
};

template <class Key> static __device__ __forceinline__ uint32_t
digit_of(const digit_part &part, Key key)
{
	return digit_of(part.d, key) >> part.shift & part.mask;
}

/*
 * Move the tile of COUNT keys at FROM to where CURSORS of its BINS bins say, in TO.
 * MEMORY: as partition_bytes() says.
 */
template <unsigned THREADS, unsigned ITEMS, class Key> static __device__ __forceinline__ void
partition_tile(Key *to, const Key *from, uint32_t count, const digit_part &part, uint32_t bins,
               unsigned long long *cursors, void *memory)
{
	enum { TILE = THREADS * ITEMS };
	Key *sorted = (Key *)memory;
	uint64_t *places = (uint64_t *)(sorted + TILE);	/* where in TO, less where in the tile */
	uint32_t *counts = (uint32_t *)(places + bins);
	uint32_t *sums = counts + bins;
	const unsigned each = (bins + THREADS - 1) / THREADS;
	const unsigned first = threadIdx.x * each, last = min(first + each, bins);
	Key x[ITEMS];
	uint32_t place[ITEMS];	/* bin and rank */
	uint32_t before = 0, total;

	for (unsigned b = threadIdx.x; b < bins; b += THREADS)
		counts[b] = 0;
	from += threadIdx.x;
#pragma unroll
	for (unsigned i = 0; i < ITEMS; i++)
		if (i * THREADS + threadIdx.x < count)
			x[i] = from[i * THREADS];
	__syncthreads();
	/* neighbours alike, as if sorted: then a warp adds together, where it can */
	if (count == TILE && lanes_agree(digit_of(part, x[0]))) {
#pragma unroll
		for (unsigned i = 0; i < ITEMS; i++) {
			const uint32_t bin = digit_of(part, x[i]);

			place[i] = bin << RANK_BITS | count_together(&counts[bin]);
		}
	} else {
#pragma unroll
		for (unsigned i = 0; i < ITEMS; i++)
			if (i * THREADS + threadIdx.x < count) {
				const uint32_t bin = digit_of(part, x[i]);

				place[i] = bin << RANK_BITS | atomicAdd(&counts[bin], 1u);
			}
	}
	__syncthreads();
	for (unsigned b = first; b < last; b++)
		before += counts[b];
	before = sum_before<THREADS>(before, sums, &total);
	for (unsigned b = first; b < last; b++) {
		const uint32_t keys = counts[b];

		counts[b] = before;
		if (keys > 0)
			places[b] = atomicAdd(&cursors[b], (unsigned long long)keys) - before;
		before += keys;
	}
	__syncthreads();
#pragma unroll
	for (unsigned i = 0; i < ITEMS; i++)
		if (i * THREADS + threadIdx.x < count)
			sorted[counts[place[i] >> RANK_BITS] +
			       (place[i] & ((1u << RANK_BITS) - 1))] = x[i];
	__syncthreads();
#pragma unroll
	for (unsigned i = 0; i < ITEMS; i++) {
		const unsigned at = i * THREADS + threadIdx.x;

		if (at < count) {
			const Key key = sorted[at];

			to[places[digit_of(part, key)] + at] = key;
		}
	}
}

/* A tile of a level. */
template <class Key, unsigned THREADS, unsigned ITEMS, unsigned BLOCKS> static __global__ void
__launch_bounds__(THREADS, BLOCKS)
partition_kernel(Key *to, const Key *from, const digits *plan, level l)
{
	enum { TILE = THREADS * ITEMS };
	DYNAMIC_SHARED(memory);
	__shared__ uint32_t found;
	const digit_part part = { *plan, l.digit_shift, l.digit_mask };
	uint64_t begin, end;

	if (threadIdx.x == 0)
		found = ~0u;
	__syncthreads();
	for (unsigned s = threadIdx.x; s < l.segments; s += THREADS)
		if (level_tile(l.begins[s], s, TILE) <= blockIdx.x &&
		    blockIdx.x < level_tile(l.begins[s + 1], s + 1, TILE))
			found = s;
	__syncthreads();
	if (found == ~0u)
		return;
	begin = l.begins[found];
	end = l.begins[found + 1];
	begin += (blockIdx.x - level_tile(begin, found, TILE)) * TILE;
	if (begin < end)
		partition_tile<THREADS, ITEMS>(to, from + begin, (uint32_t)min(end - begin, (uint64_t)TILE),
		                               part, l.bins, l.cursors + (size_t)found * l.bins, memory);
}

#endif
