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

#include "kernels/thread/digit.cuh"
#include "kernels/launch.cuh"
#include "kernels/thread/bitonic.cuh"

enum { ALL_LANES = 0xffffffff };

/* A key's bin and its rank in there make one word: tiles are shorter than 2^RANK_BITS. */
enum { RANK_BITS = 16 };

static __device__ __forceinline__ bool
lanes_agree(uint32_t value)
{
	return __all_sync(ALL_LANES, value == __shfl_sync(ALL_LANES, value, 0));
}

/*
 * Where many lanes add to one counter, additions queue up: 32 cycles instead of
 * about 14.  So a warp looks at one bin of each lane.  If all are the same, keys
 * are probably in order; if some are, that bin is HOT, and lanes that meet there
 * add together.  Else nobody looks again.
 */
enum { HOT_LANES = 6 };		/* so many alike: not tuned */

struct crowd {
	bool     alike;		/* all lanes */
	bool     some;
	uint32_t hot;
};

static __device__ __forceinline__ crowd
crowd_of(uint32_t bin)
{
	const uint32_t same = (uint32_t)__popc(__match_any_sync(ALL_LANES, bin));
	const uint32_t most = warp_greatest(same << 5 | threadIdx.x % 32);

	return crowd{ most >> 5 == 32, most >> 5 >= HOT_LANES,
	              __shfl_sync(ALL_LANES, bin, (int)(most & 31)) };
}

/* Lanes of the warp whose BIN is HOT; all lanes call. */
static __device__ __forceinline__ uint32_t
hot_lanes(uint32_t bin, uint32_t hot)
{
	return __ballot_sync(ALL_LANES, bin == hot);
}

/* atomicAdd(&counts[bin], 1), by all lanes; one addition for all whose bin is HOT. */
static __device__ __forceinline__ uint32_t
count_together(uint32_t *counts, uint32_t bin, uint32_t hot)
{
	const uint32_t lanes = hot_lanes(bin, hot), lane = threadIdx.x % 32;
	const uint32_t before = (uint32_t)__popc(lanes & ((1u << lane) - 1));
	uint32_t rank = 0, together;

	if (bin != hot)
		rank = atomicAdd(&counts[bin], 1u);
	else if (before == 0)
		rank = atomicAdd(&counts[hot], (uint32_t)__popc(lanes));
	together = __shfl_sync(ALL_LANES, rank, __ffs((int)lanes) - 1) + before;
	return bin == hot ? together : rank;
}

/* The sum of VALUE over the lanes up to and with this one. */
template <class Number> static __device__ __forceinline__ Number
lanes_sum(Number value)
{
	const unsigned lane = threadIdx.x % 32;

#pragma unroll
	for (unsigned lanes = 1; lanes < 32; lanes *= 2) {
		const Number left = __shfl_up_sync(ALL_LANES, value, lanes);

		value += lane >= lanes ? left : 0;
	}
	return value;
}

/* The sum of VALUE over the threads before this one; *TOTAL of all.  SUMS: a number a warp. */
template <unsigned THREADS, class Number> static __device__ __forceinline__ Number
sum_before(Number value, Number *sums, Number *total)
{
	const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	const Number upto = lanes_sum(value);
	Number warps;

	if (lane == 31)
		sums[warp] = upto;
	__syncthreads();
	warps = lanes_sum(lane < THREADS / 32 ? sums[lane] : (Number)0);
	*total = __shfl_sync(ALL_LANES, warps, 31);
	warps = __shfl_sync(ALL_LANES, warps, (int)(warp + 31) % 32);
	return upto - value + (warp > 0 ? warps : (Number)0);
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

/* A tile of many keys; doc/notebook/device-sort.md has what lost. */
template <class Key> struct tile_of_many {
	enum { THREADS = 512, ITEMS = sizeof(Key) == 4 ? 24 : 16, BLOCKS = 2, KEYS = THREADS * ITEMS };
};

/* Where keys go that need not be moved (samplesort.cuh); no place is so far. */
static const uint64_t NOWHERE = (uint64_t)1 << 62;

/* The digit of a level: some bits of the whole. */
template <class Digits> struct digit_part {
	Digits   d;
	uint32_t shift, mask;
};

template <class Digits, class Key> static __device__ __forceinline__ uint32_t
digit_of(const digit_part<Digits> &part, Key key)
{
	return digit_of(part.d, key) >> part.shift & part.mask;
}

/*
 * What else partition_tile() asks.  A digit costs so little that it is found when it
 * is needed, and again to write the key; where a search is needed (samplesort.cuh) all
 * are found at once, and written run by run.
 */
template <class Part> static __device__ __forceinline__ void
part_begin(const Part &)
{
}

template <unsigned THREADS, unsigned ITEMS, class Part, class Key>
static __device__ __forceinline__ void
part_find(const Part &, const Key *, uint32_t *)
{
}

template <class Part, class Key> static __device__ __forceinline__ uint32_t
part_found(const Part &part, Key key, uint32_t)
{
	return digit_of(part, key);
}

/* Room for KEYS keys of BIN, which begin at BEFORE in the tile: where in TO, less BEFORE. */
template <class Part> static __device__ __forceinline__ uint64_t
part_claim(const Part &, unsigned long long *cursors, uint32_t bin, uint32_t keys, uint32_t before)
{
	return atomicAdd(&cursors[bin], (unsigned long long)keys) - before;
}

/* All threads have claimed; false: nothing is to be written. */
template <class Part> static __device__ __forceinline__ bool
part_claimed(const Part &, bool)
{
	__syncthreads();
	return true;
}

/* A tile of COUNT keys, bin behind bin, which begin at BEGINS, to the bins' PLACES in TO. */
template <unsigned THREADS, unsigned ITEMS, class Key, class Part>
static __device__ __forceinline__ void
part_write(const Part &part, Key *to, const Key *sorted, uint32_t count, const uint32_t *begins,
           const uint64_t *places)
{
	(void)begins;
#pragma unroll
	for (unsigned i = 0; i < ITEMS; i++) {
		const unsigned at = i * THREADS + threadIdx.x;

		if (at < count) {
			const Key key = sorted[at];

			to[places[digit_of(part, key)] + at] = key;
		}
	}
}

/*
 * Move the tile of COUNT keys at FROM to where CURSORS of its BINS bins say, in TO.
 * MEMORY: as partition_bytes() says.
 */
template <unsigned THREADS, unsigned ITEMS, class Key, class Part>
static __device__ __forceinline__ void
partition_tile(Key *to, const Key *from, uint32_t count, const Part &part, uint32_t bins,
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
	bool moves = false;
	crowd c = {};

	part_begin(part);
	for (unsigned b = threadIdx.x; b < bins; b += THREADS)
		counts[b] = 0;
	from += threadIdx.x;
#pragma unroll
	for (unsigned i = 0; i < ITEMS; i++)
		if (i * THREADS + threadIdx.x < count)
			x[i] = from[i * THREADS];
	__syncthreads();
	part_find<THREADS, ITEMS>(part, x, place);
	if (count == TILE)
		c = crowd_of(part_found(part, x[0], place[0]));
	if (c.some) {
#pragma unroll
		for (unsigned i = 0; i < ITEMS; i++) {
			const uint32_t bin = part_found(part, x[i], place[i]);
			const uint32_t hot = c.alike ? __shfl_sync(ALL_LANES, bin, 0) : c.hot;

			place[i] = bin << RANK_BITS | count_together(counts, bin, hot);
		}
	} else {
#pragma unroll
		for (unsigned i = 0; i < ITEMS; i++)
			if (i * THREADS + threadIdx.x < count) {
				const uint32_t bin = part_found(part, x[i], place[i]);

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
		if (keys > 0) {
			places[b] = part_claim(part, cursors, b, keys, before);
			moves = moves || places[b] != NOWHERE;
		}
		before += keys;
	}
	if (!part_claimed(part, moves))
		return;
#pragma unroll
	for (unsigned i = 0; i < ITEMS; i++)
		if (i * THREADS + threadIdx.x < count) {
			const uint32_t bin = place[i] >> RANK_BITS;
			const uint32_t at = counts[bin] + (place[i] & ((1u << RANK_BITS) - 1));

			sorted[at] = x[i];
		}
	__syncthreads();
	part_write<THREADS, ITEMS>(part, to, sorted, count, counts, places);
}

/* The same, by part of a digit; that there are keys outside costs those who have some. */
template <unsigned THREADS, unsigned ITEMS, class Key> static __device__ __forceinline__ void
partition_by(Key *to, const Key *from, uint32_t count, const digits &d, uint32_t shift,
             uint32_t mask, uint32_t bins, unsigned long long *cursors, void *memory)
{
	const digit_part<digits> plain = { d, shift, mask };
	const digit_part<clamped_digits> clamped = { { d }, shift, mask };

	if (d.outside)
		partition_tile<THREADS, ITEMS>(to, from, count, clamped, bins, cursors, memory);
	else
		partition_tile<THREADS, ITEMS>(to, from, count, plain, bins, cursors, memory);
}

/* A tile of a level. */
template <class Key, unsigned THREADS, unsigned ITEMS, unsigned BLOCKS> static __global__ void
__launch_bounds__(THREADS, BLOCKS)
partition_kernel(Key *to, const Key *from, const digits *plan, level l)
{
	begin_in_turn();

	enum { TILE = THREADS * ITEMS };
	DYNAMIC_SHARED(memory);
	__shared__ uint32_t found;
	const digits d = *plan;
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
		partition_by<THREADS, ITEMS>(to, from + begin, (uint32_t)min(end - begin, (uint64_t)TILE),
		                             d, l.digit_shift, l.digit_mask, l.bins,
		                             l.cursors + (size_t)found * l.bins, memory);
}

#endif
