// SPDX-License-Identifier: BSD-2-Clause
/*
 * segment_look.cuh - look at the keys of each segment: into which bins shall they be divided?
 *
 * In:   a list of segments: keys that are too many for a leaf; or the buckets of all keys (chunks.cuh).
 * Out:  for each the digits or splitters that find the bins of its keys.
 *
 * A sample says which range is divided.  Keys outside of it count as if they were at its ends,
 * so finding the true range, one more sweep, is not needed.  If the sample has few values
 * only, each gets a bin for itself, by splitters at v and v + 1: these need no further sorting.
 * If much of it is crowded in a small part of its range, or the segment is short, splitters come
 * from its ranks.
 */
#ifndef GS_SEGMENT_LOOK_CUH
#define GS_SEGMENT_LOOK_CUH

#include "kernels/device/chunks.cuh"

enum {
	LOOK_THREADS = 256,
	LOOKS        = 4,		/* keys that a thread looks at */
	LOOK_CELLS   = LOOK_THREADS * LOOKS / 8,
	LOOK_UNEVEN  = 28,		/* keys in a cell, of 8 expected: 1 in 10^8 even segments has
					 * such a cell */
	LOOK_MARGIN  = 64,		/* part of their range that a guess is wider; not tuned */
	MOST_VALUES  = SEGMENT_ROWS / 2 - 1,
	SOME_BINS    = 32,		/* runs of a tile in four times as many are still long */
	SHORT_KEYS   = SEGMENT_ROWS / 4 * LEAF_KEYS,	/* of one for whose leaves these are plenty */
};

/* Is a bin for each value from LOW to HIGH worth it, so that nothing is left to sort? */
static __device__ inline bool
values_are_few(uint64_t count, uint64_t low, uint64_t high)
{
	return high - low < SEGMENT_BINS / 2 && high - low < count / VALUE_KEYS;
}

/*
 * Bins for COUNT keys from LOW to HIGH: one for each leaf, of 2^LONGEST at most, if there may be so
 * many; if not, as many as there will be leaves, short ones, in each.  UNEVEN keys get more, for many bins
 * will be empty; so do few bins, as several make a leaf: then a slope in the keys does not matter.
 * A bin for each value, if these are few: then nothing is left to sort.
 */
static __device__ inline uint32_t
segment_bins(unsigned longest, uint64_t count, uint64_t low, uint64_t high, bool uneven,
             unsigned *leaf_bits)
{
	enum { MOST = LEAF_BINS };
	const uint64_t wanted = bins_wanted(longest, count, MOST, leaf_bits), values = high - low + 1;
	const uint64_t leaves = count / leaf_mean(LEAF_BITS, false);

	if (values_are_few(count, low, high))
		return (uint32_t)values;
	if (uneven || wanted <= SOME_BINS)
		return (uint32_t)min(max(wanted * UNEVEN_BINS, (uint64_t)LEAST_BINS), (uint64_t)MOST);
	if (wanted <= MOST)
		return (uint32_t)wanted;
	/* two divisions into as many: runs of a tile in its bins are longer then than in few and many */
	if (leaves >= (uint64_t)SEGMENT_BINS / 2 * SEGMENT_BINS / 2)
		return SEGMENT_BINS / 2;
	return 1u << ((64 - (unsigned)__clzll((long long)leaves)) / 2);
}

/*
 * The range to divide: all that the item allows; or, unless that has few values, if the keys LEAST
 * to MOST that were seen span less than seven eighths of that, somewhat more than these.
 */
static __device__ inline void
guess_range(const leaf_item &item, uint64_t least, uint64_t most, uint64_t *low, uint64_t *high)
{
	const uint64_t margin = (most - least) / LOOK_MARGIN + 1;

	*low = item.low;
	*high = item.high;
	if (most - least >= (item.high - item.low) / 8 * 7 || values_are_few(item.count, *low, *high))
		return;
	if (least - item.low > margin)
		*low = least - margin;
	if (item.high - most > margin)
		*high = most + margin;
}

/* How uneven keys are: 2 if one cell has an eighth of them, 1 if much more than the mean, or 0.
 * For all threads. */
template <class Key> static __device__ unsigned
unevenness(const Key *x, const digits &cells)
{
	__shared__ uint32_t counters[LOOK_CELLS];
	uint32_t most = 0;

	if (threadIdx.x < LOOK_CELLS)
		counters[threadIdx.x] = 0;
	__syncthreads();
#pragma unroll
	for (unsigned i = 0; i < LOOKS; i++)
		atomicAdd(&counters[digit_of(cells, x[i])], 1u);
	__syncthreads();
	if (threadIdx.x < LOOK_CELLS)
		most = counters[threadIdx.x];
	return __syncthreads_or(most >= LOOK_THREADS * LOOKS / 8) ? 2 :
	       __syncthreads_or(most >= LOOK_UNEVEN) ? 1 : 0;
}

/*
 * The values of a sample, sorted, to VALUES; how many, or more than MOST_VALUES if there are more.
 * For all threads.  A value is looked for in a table by its hash, then in the slots behind.
 */
template <class Key> static __device__ uint32_t
sample_values(Key *values, const Key *x)
{
	enum { SLOTS = 256, PROBES = 8, MANY = MOST_VALUES + 1 };
	typedef typename atomic_type<Key>::type word;
	const Key none = ~(Key)0;	/* this value has a place of its own */
	__shared__ word table[SLOTS], found[MANY];
	__shared__ uint32_t count, lost;

	for (unsigned s = threadIdx.x; s < SLOTS; s += LOOK_THREADS)
		table[s] = none;
	if (threadIdx.x == 0)
		count = lost = 0;
	__syncthreads();
#pragma unroll 1
	for (unsigned i = 0; i < LOOKS; i++) {
		const uint32_t hash = (uint32_t)(((uint64_t)x[i] * UINT64_C(0x9e3779b97f4a7c15)) >> 56);
		bool placed = x[i] == none;

		if (placed)
			atomicOr(&lost, 2u);
		if (*(volatile uint32_t *)&lost % 2 != 0)	/* there are too many */
			break;
		for (unsigned probe = 0; !placed && probe < PROBES; probe++) {
			word *slot = &table[(hash + probe) % SLOTS];
			const word was = atomicCAS(slot, (word)none, (word)x[i]);

			placed = was == (word)none || was == (word)x[i];
		}
		if (!placed)
			atomicOr(&lost, 1u);
	}
	__syncthreads();
	if ((lost & 1) != 0)
		return MANY;
	for (unsigned s = threadIdx.x; s < SLOTS; s += LOOK_THREADS)
		if (table[s] != (word)none) {
			const uint32_t at = atomicAdd(&count, 1u);

			if (at < MANY)
				found[at] = table[s];
		}
	__syncthreads();
	if (count + (lost >> 1) > MOST_VALUES)
		return MANY;
	if (threadIdx.x < count) {
		const word mine = found[threadIdx.x];
		uint32_t rank = 0;

		for (unsigned v = 0; v < count; v++)
			rank += found[v] < mine;
		values[rank] = (Key)mine;
	}
	if (threadIdx.x == 0 && lost >> 1 != 0)
		values[count] = none;
	__syncthreads();
	return count + (lost >> 1);
}

/*
 * Splitters of evenly spaced ranks in a part of the sample: one or two keys of each thread.  For a
 * short segment one is enough, as several bins make a leaf.  Among equal keys the first one has the
 * lowest rank.
 */
template <class Key> static __device__ void
split_by_ranks(Key *splitters, const Key *x, bool two)
{
	enum { MOST = 2 * LOOK_THREADS, EACH = 16 / sizeof(Key) };
	__shared__ __align__(16) Key sample[MOST], ranked[SEGMENT_ROWS];
	const unsigned t = threadIdx.x, many = two ? 2 * LOOK_THREADS : (unsigned)LOOK_THREADS;
	const unsigned each = many / SEGMENT_ROWS;
	const pack<Key> *const some = (const pack<Key> *)sample;
	uint32_t ranks[2] = { 0, 0 };

	sample[t] = x[0];
	sample[t + LOOK_THREADS] = x[1];
	__syncthreads();
#pragma unroll
	for (unsigned r = 0; r < 2; r++) {
		const unsigned at = t + r * LOOK_THREADS, warp = at / 32 * 32;

		if (r > 0 && !two)
			break;
#pragma unroll 4
		for (unsigned i = 0; i < warp / EACH; i++)
#pragma unroll
			for (unsigned k = 0; k < EACH; k++)
				ranks[r] += some[i].at[k] <= x[r];
		for (unsigned i = warp; i < warp + 32; i++)
			ranks[r] += sample[i] < x[r] || (sample[i] == x[r] && i < at);
#pragma unroll 4
		for (unsigned i = (warp + 32) / EACH; i < many / EACH; i++)
#pragma unroll
			for (unsigned k = 0; k < EACH; k++)
				ranks[r] += some[i].at[k] < x[r];
	}
#pragma unroll
	for (unsigned i = 0; i < 2; i++)
		if ((i == 0 || two) && ranks[i] % each == 0)
			ranked[ranks[i] / each] = ranks[i] > 0 ? x[i] : 0;
	__syncthreads();
	if (t < SEGMENT_ROWS)	/* one that repeats is a value that fills a bin */
		splitters[t] = ranked[t] + (t > 0 && ranked[t] == ranked[t - 1] && ranked[t] < (Key)~(Key)0);
}

/* Segments: items of a LIST, or buckets by a PLAN, whose keys are in chunks, or in SLOTS if these have room
 * for some, and STATE is NULL or says so; segments of one value are listed as EQUAL. */
template <class Key> struct looked_at {
	const leaf_item     *list;
	const uint32_t      *taken = NULL;	/* in a graph: how many */
	const bin_plan<Key> *plan = NULL;
	chunk_pool           pool = {};
	slot_map             slots = {};
	const slot_state    *state = NULL;
	lists                equal = {};
	division<Key>        v = {};
	unsigned             longest = 0;	/* log2 of the keys of the longest leaf */
};

/*
 * Bucket B, and how many segments and TILES are before it.  One without keys does not count, nor does one of
 * one value, which is listed.  Each block adds up all buckets: that takes less time than to wait for another
 * kernel's sums.  For all threads.
 */
template <class Of> static __device__ __forceinline__ leaf_item
bucket_segment(const looked_at<typename Of::key> &in, uint32_t bucket, uint32_t *segments, uint32_t *tiles)
{
	enum { TILES_FROM = 40 };	/* a bit of a sum; keys are fewer */
	__shared__ number sums[LOOK_THREADS / 32], before;
	__shared__ uint32_t moved_sums[LOOK_THREADS / 32], moved_before;
	__shared__ leaf_item mine;
	const uint32_t b = threadIdx.x, buckets = in.plan->skewed ? in.plan->rows : in.plan->even.bins;
	leaf_item item = {};
	bool moved = false;
	number here, sum, all;
	uint32_t others, all_moved;

	static_assert((unsigned)BUCKETS <= LOOK_THREADS, "a bucket a thread");
	if (b < buckets)
		item = bucket_of<Of>(in.plan, in.pool, b, &moved);
	here = (moved ? (item.count + in.v.tile_keys - 1) / in.v.tile_keys : 0) << TILES_FROM | item.count;
	sum = block_sum_before<LOOK_THREADS>(here, sums, &all);
	others = block_sum_before<LOOK_THREADS>((uint32_t)moved, moved_sums, &all_moved);
	if (b == bucket) {
		item.from = sum & (((number)1 << TILES_FROM) - 1);
		if (!moved && item.count > 0)
			list_equal(in.equal, item);
		mine = moved ? item : leaf_item{};
		before = sum >> TILES_FROM;
		moved_before = others;
	}
	if (b == 0 && bucket == 0) {
		in.v.head->segments = all_moved;
		in.v.head->tiles = (uint32_t)(all >> TILES_FROM);
	}
	__syncthreads();
	item = mine;
	if (in.slots.size > 0 && (in.state == NULL || in.state->broken == BINS_BREAK))
		for (uint64_t j = b; j * in.pool.chunks.size < item.count; j += LOOK_THREADS)
			in.pool.places[item.first + j] = slot_place(in.slots, bucket) +
			                                 j * in.pool.chunks.size;
	else if (b == 0 && item.count > 0)
		in.pool.places[item.first] = first_place(in.pool, bucket);
	__syncthreads();
	*segments = moved_before;
	*tiles = (uint32_t)before;
	return item;
}

/* Make segment NTH of ALL, of ITEM.  If it is of a list, the last block that has made one assigns places to
 * all; if not, TILES are before its own. */
template <class Of> static __device__ __forceinline__ void
look_at(const looked_at<typename Of::key> &in, const typename Of::first &first, const leaf_item &item,
        uint32_t nth, uint32_t all, uint32_t tiles)
{
	typedef typename Of::key Key;
	enum { BITS = sizeof(Key) * 8 };
	__shared__ number shared[2];
	__shared__ Key values[MOST_VALUES + 1];
	__shared__ bool last;
	const uint64_t end = item.count - 1, chunk = (uint64_t)in.v.tile_keys * in.v.chunks.tiles;
	Key least = (Key)-1, most = 0;
	uint64_t low, high;
	const bool large = item.count >= 1 << 18;
	/* neighbours, which chunks never split: memory is asked once for all keys of a thread */
	const bool together = in.v.chunks.at != NULL && !large;
	bool splits = false;		/* by splitters */
	Key x[LOOKS];
	unsigned uneven;

#pragma unroll
	for (unsigned i = 0; i < LOOKS; i++) {
		const uint64_t step = together ? threadIdx.x : i * LOOK_THREADS + threadIdx.x;
		/* anywhere, evenly (Weyl): a period of the keys must not meet the looks' */
		const uint64_t any = (uint32_t)((step + 1) * 0x9e3779b9u) * (item.count >> 8) >> 24;
		const uint64_t at = min(together ? any / LOOKS * LOOKS + i : any, end);

		x[i] = in.v.keys[in.v.chunks.at == NULL ? item.from + at :
		                                      in.v.chunks.at[item.first + at / chunk] + at % chunk];
		map_first<1>(first, &x[i]);
		least = min(least, x[i]);
		most = max(most, x[i]);
	}
	block_range(&least, &most, shared);
	guess_range(item, least, most, &low, &high);
	uneven = unevenness(x, digits_over(BITS, low, high, LOOK_CELLS));
	if (uneven > 0 && !values_are_few(item.count, low, high) && nth < SEGMENT_TABLES &&
	    item.count >= SPLIT_FROM) {
		Key *const splitters = in.v.tables + nth * SEGMENT_ROWS;
		const uint32_t many = sample_values(values, x);

		splits = many <= MOST_VALUES || uneven > 1 || item.count <= SHORT_KEYS;
		if (many > MOST_VALUES) {
			if (splits)
				split_by_ranks(splitters, x, large);
		} else if (threadIdx.x < SEGMENT_ROWS) {	/* at each value and behind it */
			const unsigned r = (threadIdx.x + 1) / 2 - 1;	/* 1 and 2: of value 0 */
			const Key top = ~(Key)0, value = threadIdx.x > 0 && r < many ? values[r] : top;

			splitters[threadIdx.x] = threadIdx.x == 0 ? 0 :
			                         value + (threadIdx.x % 2 == 0 && value < top);
		}
	}
	if (threadIdx.x == 0) {
		segment s = { item, {}, 0, tiles, LEAF_BITS, splits, 0 };

		s.d = digits_over(BITS, low, high, segment_bins(in.longest, item.count, low, high,
		                                                uneven > 0, &s.leaf_bits));
		s.d.outside = low > item.low || high < item.high;
		if (s.splits != 0) {
			s.d.whole = 0;
			s.d.bins = SEGMENT_ROWS;
		}
		last = false;
		if (in.plan != NULL)
			s.bins_from = atomicAdd(&in.v.head->bins, s.d.bins);
		in.v.segments[nth] = s;
		if (in.plan == NULL) {
			__threadfence();
			last = atomicAdd(&in.v.head->looked, 1u) == all - 1;
			__threadfence();
		}
	}
	__syncthreads();
	if (last)
		assign<LOOK_THREADS>(in.v.segments, all, in.v.tile_keys, in.v.head);
}

/* Blocks look at the items in turn: as many as TAKEN says, or if it is NULL, one each. */
template <class Of> static __global__ void
__launch_bounds__(LOOK_THREADS)
look_kernel(const __grid_constant__ looked_at<typename Of::key> in, typename Of::first first)
{
	begin_in_turn();

	const uint32_t all = in.taken != NULL ? *in.taken : gridDim.x;

	for (uint32_t i = blockIdx.x; i < all; i += gridDim.x) {
		uint32_t nth = i, tiles = 0;
		const leaf_item item = in.plan == NULL ? in.list[i] : bucket_segment<Of>(in, i, &nth, &tiles);

		if (in.plan == NULL || item.count > 0)
			look_at<Of>(in, first, item, nth, all, tiles);
		__syncthreads();
	}
}

#endif
