// SPDX-License-Identifier: BSD-2-Clause
/*
 * slots.cuh - divide many even keys twice, without a count, and sort them by small networks
 *
 * In:   keys that are even, and digits of their range (sample.cuh).
 * Out:  the same keys, sorted, where they belong; or the answer that they are not that even.
 *
 *     to_slots_kernel      a block a tile: keys to the slots of buckets
 *     slot_buckets_kernel  one block: how many bins each bucket has
 *     move_slots_kernel    a block a tile: keys to the slots of bins
 *     settle_slots_kernel  a block a bucket: where keys of its slots belong
 *     narrow_slots_kernel  sort u32: keys of a slot as words of 16 bits
 *     windows_slots_kernel sort u64: block/leaf_windows.cuh
 *     outside_slots_kernel a block an end: sort the slot that has keys from outside of the range
 *
 * A bin of even keys has as many keys as the mean, give or take six deviations, so they need not be counted:
 * each bucket has a slot, and then each bin has one of 2^BITS keys.  If a slot overflows, the keys are
 * uneven: they are still where they were, or in the slots of buckets, from where they are divided as uneven
 * keys.
 *
 * There are so many bins that the u32 keys of one differ in 16 bits only.  A warp sorts 2048 of them: one
 * bin, or up to sixteen small ones, whose network is shorter.
 *
 * Slots lie where the result belongs, the last ones in spare memory.  So leaves take turns in the order of
 * slots.  No leaf has more keys than its slot has room for, so turn i writes only to slots of turns up to i.
 * Each turn tells when it has read its own keys, and does not write before the turns of these slots have
 * told.  They are far behind, for slots have more room than keys, so a turn hardly ever waits.
 *
 * A few keys may be far outside of all that a sample sees.  They go to the first slot and the last one,
 * which hold hardly any others.  Leaves take these slots for empty, and they are sorted at the end: keys of
 * the first one lie where they belong, and the last one is in spare memory, so no leaf writes there.
 *
 * The waiting ends: turns are taken in order, by blocks that run, which tell before they wait.  So of all
 * turns that have not told, the lowest waits for nobody.
 *
 * Invariant: no leaf is sorted before all slots are known not to have overflown.
 */
#ifndef GS_SLOTS_CUH
#define GS_SLOTS_CUH

#include "kernels/block/leaf_sort.cuh"
#include "kernels/block/leaf_windows.cuh"
#include "kernels/device/chunks.cuh"
#include "kernels/device/histogram.cuh"

enum {
	LEAST_SLOT_BITS = 7,
	MOST_SLOT_BITS  = 15,	/* of u32 */
	SLOT_BINS       = 600,	/* of a bucket, on average; LEAF_BINS at most */
	SOME_SLOTS      = BUCKETS * 400,
	SLOT_THREADS    = BUCKETS,
	NARROW_BITS     = 16,
	OUTSIDE_KEYS    = 256,	/* of a slot that has keys from outside of the range, at most */
};

/* A slot has room for 2^BITS keys, and MEAN of them as a rule; MOST slots at most, 0: keys have none. */
struct slots {
	unsigned  bits;
	uint32_t  mean, most;
	uint32_t  lower;	/* bins of a bucket, at most */
	uint64_t  share;	/* of a bucket, if it has keys in all of its range */
	slot_rule rule;
};

/* Keys that a slot of 2^BITS is planned for: 5.6 deviations below.  Of 100,000 slots one overflows in one
 * sort of 500. */
static inline uint32_t
slot_mean(unsigned bits)
{
	const uint16_t means[] = { 76, 180, 400, 859, 1809, 3752, 7700, 15682, 31750 };

	return means[bits - LEAST_SLOT_BITS];
}

/* So many slots of u64 are better than longer ones.  For the longest a multiprocessor has room for one block
 * only. */
static inline size_t
some_slots(unsigned bits)
{
	return bits <= LEAF_BITS ? (size_t)SOME_SLOTS : (size_t)BUCKETS * SLOT_BINS - 1;
}

/*
 * Slots for COUNT keys.  u32 have the longest ones that still are enough for the keys of one to differ in
 * NARROW_BITS; u64 the shortest that make runs in a tile long enough.  Digits are whole numbers of values,
 * so where one value has several keys bins are less even.
 */
static inline slots
slots_for(unsigned key_bits, size_t count, unsigned longest)
{
	const unsigned least = key_bits == 32 ? (unsigned)LEAST_SLOT_BITS : (unsigned)LEAF_BITS;
	const unsigned most = key_bits == 32 ? (unsigned)MOST_SLOT_BITS : longest;
	slots s = { key_bits == 32 ? most : least, 0, 0, 0, 0, {} };
	size_t bins;

	if (key_bits == 32)
		while (s.bits > least && count / slot_mean(s.bits) < gs_slots_from)
			s.bits--;
	else
		while (s.bits < most && count / slot_mean(s.bits) > some_slots(s.bits))
			s.bits++;
	s.mean = slot_mean(s.bits);
	bins = count / s.mean + 1;
	if (bins > (size_t)BUCKETS * SLOT_BINS)
		return s;
	while (s.rule.buckets < BUCKETS && s.rule.buckets * s.rule.buckets < bins)
		s.rule.buckets++;
	s.most = (uint32_t)(bins + bins / 64) + s.rule.buckets;
	s.lower = UPPER_BINS;
	if (s.most >= s.rule.buckets * (UPPER_BINS / 16 * 15))
		s.lower = LEAF_BINS;
	s.share = count / s.rule.buckets / 64 * 65;
	while (count >> (s.rule.least + 1) > 0)
		s.rule.least++;
	s.rule.most = key_bits;
	if (key_bits == 32)
		while (((uint64_t)bins << NARROW_BITS) / 25 * 24 < (uint64_t)1 << s.rule.most)
			s.rule.most--;
	return s;
}

/* The most keys of KEY_BITS that have slots of 2^BITS. */
static inline size_t
slots_end(unsigned key_bits, unsigned bits, unsigned longest)
{
	size_t end = (size_t)BUCKETS * SLOT_BINS * slot_mean(bits);

	if (key_bits == 32 && bits < MOST_SLOT_BITS)
		end = std::min(end, gs_slots_from * slot_mean(bits + 1));
	if (key_bits == 64 && bits < longest)
		end = std::min(end, (some_slots(bits) + 1) * slot_mean(bits));
	return end - 1;
}

/* ---- buckets -------------------------------------------------------------------- */

/* A tile a block.  SURE: only if buckets_are_sure() by RULE and SLOTS (sample.cuh). */
template <class Tile, class Map> static __global__ void
__launch_bounds__(Tile::THREADS, Tile::BLOCKS)
to_slots_kernel(typename Tile::of::place to, typename Tile::of::source from, size_t count, Map map,
                const bin_plan<typename Tile::of::key> *plan, number *counts, slot_map at,
                slot_state *state, bool sure, code_rule rule, slot_rule slots)
{
	if (!begin_in_turn(SHARED_LARGE) || (sure && !buckets_are_sure(*plan, rule, slots)) ||
	    plan->skewed != 0)
		return;

	DYNAMIC_SHARED(memory);
	const slot_places places = { counts, 0, at, state, BUCKETS_BREAK };
	const digits d = plan->even;
	const uint32_t begin = blockIdx.x, end = begin + 1;

	if (d.outside)
		tiles_move<Tile, BUCKETS>(to, from, count, map, clamped_digits{ d }, d.bins, places, begin,
		                          end, memory);
	else
		tiles_move<Tile, BUCKETS>(to, from, count, map, d, d.bins, places, begin, end, memory);
}

/* ---- bins of buckets ------------------------------------------------------------ */

/*
 * Bucket b is segment b, whose FIRST key belongs there in the end.  A bucket that has more keys has more
 * bins; but a part of the first and the last ones may have no keys, as the range of the plan is longer
 * than the sample's.
 */
template <class Of> static __global__ void
__launch_bounds__(SLOT_THREADS)
slot_buckets_kernel(chunk_pool pool, const bin_plan<typename Of::key> *plan, slots s, slot_map at,
                    segment *segments, segments_head *head, uint32_t tile_keys, slot_state *state)
{
	if (!begin_in_turn(SHARED_LARGE) || slots_broken(state))
		return;

	enum { BITS = sizeof(typename Of::key) * 8 };
	__shared__ number sums[SLOT_THREADS / 32];
	__shared__ uint32_t some[2][SLOT_THREADS / 32];
	const uint32_t b = threadIdx.x, buckets = s.rule.buckets;
	const digits &all = plan->even;
	segment mine = {};
	bool fits = all.bins == buckets, moved;
	uint32_t bins, tiles;
	number keys;

	if (b < buckets && fits) {
		mine.keys = bucket_of<Of>(plan, pool, b, &moved);
		const uint64_t low = max(mine.keys.low, all.low), high = min(mine.keys.high, all.high);
		const bool end = b <= buckets / 64 || b >= buckets - 1 - buckets / 64;
		uint64_t wanted = max(mine.keys.count, end ? s.share : 0) / s.mean + 1;

		if (BITS == 32)
			wanted = max(wanted, ((high - low) >> NARROW_BITS) + 1);
		fits = low <= high && wanted <= s.lower && mine.keys.count <= s.share / 32 * 33 + 256;
		if (fits) {
			mine.d = digits_over(BITS, low, high, (uint32_t)wanted);
			mine.d.outside = all.outside != 0 && (b == 0 || b == buckets - 1);
		}
	}
	tiles = (uint32_t)((mine.keys.count + tile_keys - 1) / tile_keys);
	mine.keys.first = block_sum_before<SLOT_THREADS>((number)mine.keys.count, sums, &keys);
	mine.keys.from = slot_place(at, b);
	mine.tiles_from = block_sum_before<SLOT_THREADS>(tiles, some[0], &tiles);
	mine.bins_from = block_sum_before<SLOT_THREADS>(mine.d.bins, some[1], &bins);
	if (b < buckets)
		segments[b] = mine;
	if (b == 0)
		*head = segments_head{ 0, buckets, tiles, bins };
	if (!fits || bins > s.most)
		state->broken = BINS_BREAK;
}

/* ---- moving --------------------------------------------------------------------- */

/* A tile a block, the first and the last bucket's tiles first: many keys may be outside of the range. */
template <class Tile, unsigned MOST_BINS> static __global__ void
__launch_bounds__(Tile::THREADS, Tile::BLOCKS)
move_slots_kernel(typename Tile::of::place to, typename Tile::of::source from, const segment *segments,
                  const segments_head *head, number *counts, slot_map at, slot_state *state)
{
	if (!begin_in_turn(SHARED_LARGE) || slots_broken(state))
		return;

	typedef typename Tile::of::key Key;
	enum { THREADS = Tile::THREADS, ITEMS = Tile::ITEMS };
	DYNAMIC_SHARED(memory);
	const uint32_t tiles = head->tiles, turn = blockIdx.x;

	if (turn >= tiles)
		return;

	const tile_place t = tile_of<THREADS>(segments, head, Tile::KEYS, chunk_map{},
	                                      turn % 2 != 0 ? turn / 2 : tiles - 1 - turn / 2);
	typename Tile::row x[ITEMS];

	tile_load<THREADS, ITEMS>(x, from + t.from, threadIdx.x, t.count);

	const digits d = t.of->d;
	const slot_places places = { counts + t.of->bins_from, t.of->bins_from, at, state, BINS_BREAK };

	if (d.outside) {
		const int left = thread_left(t.count);
		const Key low = (Key)d.low, high = (Key)d.high;
		bool below = false, above = false;

#pragma unroll
		for (int i = 0; i < (int)ITEMS; i++) {
			below = below || (i * (int)THREADS < left && x[i] < low);
			above = above || (i * (int)THREADS < left && x[i] > high);
		}
		if (below)
			atomicExch(&state->outside[0], 1u);
		if (above)
			atomicExch(&state->outside[1], 1u);
		partition_tile<Tile, MOST_BINS>(to, x, t.count, clamped_digits{ d }, d.bins, places, memory);
	} else {
		partition_tile<Tile, MOST_BINS>(to, x, t.count, d, d.bins, places, memory);
	}
}

/* ---- leaves ----------------------------------------------------------------------- */

template <class Key> struct slot_leaves {
	slot_map             at;
	number              *begins;	/* where keys of each slot belong, and behind the last one */
	Key                 *lows;	/* the least keys that may be in each, and behind the last one */
	const segments_head *head;
	slot_state          *state;
	uint32_t            *read;	/* 1: keys of this turn have been read; zero at first */
};

template <class Key> static __global__ void
__launch_bounds__(COUNT_THREADS)
settle_slots_kernel(const segment *segments, const number *counts, slot_leaves<Key> s)
{
	if (!begin_in_turn(SHARED_LARGE) || slots_broken(s.state))
		return;

	__shared__ number sums[COUNT_THREADS / 32];
	const segment *of = &segments[blockIdx.x];
	const digits d = of->d;
	const uint32_t b = threadIdx.x, slot = of->bins_from + b;
	const number count = b < d.bins ? counts[slot] : 0;
	number all;
	const number begin = of->keys.first + block_sum_before<COUNT_THREADS>(count, sums, &all);

	if (b >= d.bins)
		return;
	const uint64_t low = digit_begin(d, b), end = b + 1 < d.bins ? digit_begin(d, b + 1) : d.high + 1;
	const bool last = slot + 1 == s.head->bins;
	const bool outside = (slot == 0 || last) && s.state->outside[last] != 0;

	s.begins[slot] = begin + (outside && !last ? count : 0);
	s.lows[slot] = (Key)low;
	if (last) {
		s.begins[slot + 1] = begin + (outside ? 0 : count);
		s.lows[slot + 1] = (Key)end;
	}
	if (outside)
		s.state->outside[last] = (uint32_t)count;
	if ((sizeof(Key) == 4 && end - low > 1 << NARROW_BITS) || (outside && count > OUTSIDE_KEYS))
		atomicExch(&s.state->broken, (uint32_t)BINS_BREAK);
}

/* The next turn, for all threads of a block: its last one is over, and shared memory free.  (To take it
 * before the last one is over gains nothing.) */
static __device__ __forceinline__ uint32_t
turn_take(slot_state *state)
{
	__shared__ uint32_t turn;

	__syncthreads();
	if (threadIdx.x == 0)
		turn = atomicAdd(&state->taken, 1u);
	__syncthreads();
	return turn;
}

/* All threads have used the keys of TURN, and then met. */
static __device__ __forceinline__ void
turn_tell(uint32_t *read, uint32_t turn)
{
	if (threadIdx.x == 0) {
		__threadfence();
		atomicExch(&read[turn], 1u);
	}
}

/* Wait until keys may be written from BEGIN to END - 1, where turns have room for 2^BITS each; for a warp. */
static __device__ __forceinline__ void
turn_wait(const uint32_t *read, uint32_t turn, unsigned bits, uint64_t begin, uint64_t end)
{
	const uint64_t other = (threadIdx.x % 32 == 0 ? begin : end - 1) >> bits;

	if (threadIdx.x % 32 < 2 && other < turn)
		while (*(const volatile uint32_t *)&read[other] == 0)
			__nanosleep(20);
	__syncwarp();
}

/* Networks of two keys a word: of a warp, which has LEAVES, or of one leaf.  EACH: threads of a leaf. */
template <unsigned BITS> struct slot_net {
	typedef typename std::conditional<BITS <= WARP_BITS, pair<WARP_BITS>, pair<BITS - 1>>::type word;
	enum {
		LEAVES  = BITS <= WARP_BITS ? 2 << (WARP_BITS - BITS) : 1,
		THREADS = block<word>::THREADS,
		BLOCKS  = block<word>::BLOCKS,
		BITS_A_TURN = BITS <= WARP_BITS ? WARP_BITS + 1 : BITS,
		EACH    = BITS <= WARP_BITS ? 1 << (BITS - THREAD_BITS) : (int)THREADS,
		HALF    = LEAVES > 1 ? 0 : 1 << (BITS - 1),	/* where keys of high halves begin */
		ROWS    = LEAVES > 1 ? EACH : (int)THREAD_KEYS,	/* of a leaf, in a warp */
	};
};

/*
 * Low halves of words are the keys of one leaf, and high halves the keys of the next one; or both are
 * halves of one leaf.
 */
template <unsigned BITS, class Map> static __global__ void
__launch_bounds__(slot_net<BITS>::THREADS, slot_net<BITS>::BLOCKS)
narrow_slots_kernel(uint32_t *keys, Map map, slot_leaves<uint32_t> s)
{
	if (!begin_in_turn(SHARED_LARGE) || slots_broken(s.state))
		return;

	typedef slot_net<BITS> net;
	typedef typename net::word Word;
	enum { LEAVES = net::LEAVES, EACH = net::EACH, HALF = net::HALF };
	DYNAMIC_SHARED(memory);
	Word *const shared = (Word *)memory;
	__shared__ uint32_t begins[LEAVES + 1], lows[LEAVES];
	const uint32_t slots = s.head->bins, turns = (slots + LEAVES - 1) / LEAVES;
	const unsigned lane = threadIdx.x % 32, row = threadIdx.x - lane;
	const unsigned a = LEAVES > 1 ? threadIdx.x / EACH * 2 : 0, b = LEAVES > 1 ? a + 1 : 0;
	uint32_t turn;

	while ((turn = turn_take(s.state)) < turns) {
		const uint32_t first = turn * LEAVES;
		const number begin = s.begins[first];
		Word x[THREAD_KEYS];

		if (threadIdx.x <= LEAVES) {
			const uint32_t slot = min(first + threadIdx.x, slots);

			begins[threadIdx.x] = (uint32_t)(s.begins[slot] - begin);
			if (threadIdx.x < LEAVES)
				lows[threadIdx.x] = s.lows[slot];
		}
		__syncthreads();
		{
			const int some = (int)(begins[a + 1] - begins[a]) - (int)(threadIdx.x % EACH);
			const int more = (int)(begins[b + 1] - begins[b]) - (int)(threadIdx.x % EACH);
			const uint32_t *const up = forget(keys + slot_place(s.at, first + a) +
			                                  threadIdx.x % EACH);
			const uint32_t *const down = forget(keys + slot_place(s.at, first + b) +
			                                    threadIdx.x % EACH + HALF);

#pragma unroll
			for (int r = 0; r < THREAD_KEYS; r++) {
				const int at = r * EACH;
				const uint32_t low = at < some ? up[at] - lows[a] : 0xffff;
				const uint32_t high = at + HALF < more ? down[at] - lows[b] : 0xffff;

				x[r].bits = low | (LEAVES > 1 ? high : ~high) << 16;
			}
		}
		if (LEAVES > 1)
			block_sort(x, shared, BITS);
		else
			pairs_sort(x, shared);
		rows_put(x, shared);
		__syncthreads();
		turn_tell(s.read, turn);
		turn_wait(s.read, turn, net::BITS_A_TURN, begin, begin + begins[LEAVES]);
		with_map(map, [&](const auto &m) {
			uint32_t *const to = keys + begin;

#pragma unroll
			for (unsigned leaf = 0; leaf < THREAD_KEYS / net::ROWS; leaf++) {
				const unsigned l = 2 * leaf, h = LEAVES > 1 ? l + 1 : 0;
				const unsigned behind = (LEAVES > 1 ? 0 : row * THREAD_KEYS) + lane;
				const unsigned some = begins[l + 1] - begins[l];
				const unsigned more = begins[h + 1] - begins[h];
				uint32_t *const up = to + begins[l] + behind;
				uint32_t *const down = to + begins[h] + behind + HALF;
				const uint32_t low = lows[l], high = lows[h];

#pragma unroll
				for (unsigned r = 0; r < net::ROWS; r++) {
					const unsigned from = row + leaf * net::ROWS + r;
					const Word w = shared[from * block<Word>::PITCH + lane];

					if (behind + r * 32 < some)
						up[r * 32] = original(m, low + (w.bits & 0xffff));
					if (behind + r * 32 + HALF < more)
						down[r * 32] = original(m, high + (w.bits >> 16));
				}
			}
		});
	}
}

/*
 * Sort leaves in slots.  Leaves too uneven for windows go to OTHER, and to the LIST for the network.  If S
 * has no state, sort the leaves of the LIST, each in one piece at OTHER: uneven ones are marked UNEVEN
 * there, and if many are, so are all that follow.
 */
template <unsigned BITS, class Map> static __global__ void
__launch_bounds__(windows<BITS>::THREADS, windows<BITS>::BLOCKS)
windows_slots_kernel(uint64_t *keys, uint64_t *other, Map map, slot_leaves<uint64_t> s, leaf_item *list,
                     uint32_t *listed)
{
	if (!begin_in_turn(sizeof(leaf_space<BITS>)) || (s.state != NULL && slots_broken(s.state)))
		return;

	enum { SOME = 1024 };
	const bool slotted = s.state != NULL;
	DYNAMIC_SHARED(shared);
	windows<BITS> *const space = (windows<BITS> *)shared;
	uint32_t *const uneven = slotted ? listed : &listed[AGAIN_12 - WORD_12];
	const uint32_t turns = slotted ? s.head->bins : *listed;
	uint32_t turn = slotted ? turn_take(s.state) : blockIdx.x;

	windows_clear(space);
	__syncthreads();
	for (bool many = false; turn < turns; turn = slotted ? turn_take(s.state) : turn + gridDim.x) {
		const uint64_t *from = other;
		leaf_item leaf = {};

		if (slotted) {
			from = keys + slot_place(s.at, turn);
			leaf.from = s.begins[turn];
			leaf.count = s.begins[turn + 1] - leaf.from;
			leaf.low = s.lows[turn];
			leaf.high = s.lows[turn + 1] - 1;
			if (leaf.count == 0) {
				turn_tell(s.read, turn);
				continue;
			}
		} else {
			leaf = list[turn];
			from += leaf.from;
		}
		uint64_t *const to = keys + leaf.from;
		const uint32_t count = (uint32_t)leaf.count;
		const bool sorted =
			!many && leaf_sort_windows(to, map, from, count, leaf.low, leaf.high, space, [=] {
				if (slotted) {
					turn_tell(s.read, turn);
					turn_wait(s.read, turn, BITS, leaf.from, leaf.from + leaf.count);
				}
			});

		if (!sorted && slotted) {
			for (uint32_t k = threadIdx.x; k < leaf.count; k += windows<BITS>::THREADS)
				other[leaf.from + k] = from[k];
			__syncthreads();
			turn_tell(s.read, turn);
		}
		if (!sorted && threadIdx.x == 0) {
			const uint32_t at = atomicAdd(uneven, 1u);

			if (slotted)
				list[at] = leaf;
			else
				list[turn].count |= UNEVEN;
		}
		if (!slotted)
			many = __syncthreads_or(threadIdx.x == 0 &&
			                        *(volatile uint32_t *)uneven * 8 > turn + SOME);
	}
}

/* Sort the first slot or the last one of COUNT keys by ranks, if it has keys from outside of the range. */
template <class Key, class Map> static __global__ void
__launch_bounds__(OUTSIDE_KEYS)
outside_slots_kernel(Key *keys, size_t count, Map map, slot_leaves<Key> s)
{
	begin_in_turn();
	if (slots_broken(s.state))
		return;

	__shared__ Key x[OUTSIDE_KEYS];
	const bool last = blockIdx.x > 0;
	const uint32_t many = s.state->outside[last], mine = threadIdx.x;
	uint32_t rank = 0;

	if (mine < many)
		x[mine] = keys[slot_place(s.at, last ? s.head->bins - 1 : 0) + mine];
	__syncthreads();
	if (mine >= many)
		return;
	for (uint32_t k = 0; k < many; k++)
		rank += x[k] < x[mine] || (x[k] == x[mine] && k < mine);
	keys[(last ? count - many : 0) + rank] = original(map, x[mine]);
}

#endif
