// SPDX-License-Identifier: BSD-2-Clause
/*
 * leaf_sort.cuh - a block sorts a leaf: keys that fit one network in shared memory
 *
 * In:   up to 2^BITS keys, anywhere in device memory.
 * Out:  the same keys, ascending, in the same place or another.
 *
 * A network costs as much as its comparators, so keys are made narrow first.  All keys of a leaf
 * lie in a small range, for they come from one bin of a partition:
 *
 *     range < 2^16   u16   key - least, two keys in a word: a comparator's price
 *                          for two keys
 *     32 bits        u32   the key
 *     64 bits        u64   20 or fewer bits of key - least and the key's place in
 *                          shared memory make one word; the keys themselves move
 *                          once, at the end.  Words that agree in the key's bits
 *                          are put in order one by one: few, unless keys cluster
 *
 * Places behind the last key hold the largest word there is and stay behind.
 */
#ifndef GS_LEAF_SORT_CUH
#define GS_LEAF_SORT_CUH

#include "kernels/block/bitonic.cuh"

/*
 * Rows in registers to shared memory, then PUT(index, word) for each of COUNT
 * words, neighbours in neighbouring lanes.
 */
template <class Word, class Put> static __device__ __forceinline__ void
leaf_each(const Word *x, Word *shared, unsigned count, Put put)
{
	const unsigned lane = threadIdx.x % 32, row = threadIdx.x - lane;

	rows_put(x, shared);
	__syncwarp();
#pragma unroll
	for (unsigned r = 0; r < THREAD_KEYS; r++) {
		const unsigned at = row * THREAD_KEYS + r * 32 + lane;

		if (at < count)
			put(at, shared[row * block<Word>::PITCH + r * block<Word>::PITCH + lane]);
	}
}

/* ---- 32 bits ------------------------------------------------------------- */

template <unsigned BITS> static __device__ __forceinline__ void
leaf_sort(uint32_t *to, const uint32_t *from, unsigned count, word<BITS> *shared)
{
	word<BITS> x[THREAD_KEYS];

#pragma unroll
	for (unsigned r = 0; r < THREAD_KEYS; r++) {
		const unsigned at = r * block<word<BITS>>::THREADS + threadIdx.x;

		x[r].bits = at < count ? from[at] : ~0u;
	}
	block_sort(x, shared);
	leaf_each(x, shared, count, [=](unsigned at, word<BITS> w) { to[at] = w.bits; });
}

/* ---- 16 bits ------------------------------------------------------------- */

/*
 * Low halves of words are one sequence, high halves another; both are sorted at
 * once.  The high one is stored inverted, so it descends: in each word, its low
 * half and its high half are partners of the flip that begins the last phase.
 */
template <unsigned BITS> static __device__ __forceinline__ void
pairs_sort(pair<BITS> *x, pair<BITS> *shared)
{
	block_sort(x, shared);
#pragma unroll
	for (unsigned r = 0; r < THREAD_KEYS; r++) {
		const uint32_t up = x[r].bits & 0xffff, down = ~x[r].bits >> 16;

		x[r].bits = min(up, down) | max(up, down) << 16;
	}
	rows_put(x, shared);
	__syncthreads();
	view_get<apart<pair<BITS>>::FAR, 0>(x, far(shared));
	block_merge(x, shared);
}

/* All keys are from LEAST to LEAST + 2^16 - 1; twice 2^BITS of them. */
template <unsigned BITS> static __device__ __forceinline__ void
leaf_sort_narrow(uint32_t *to, const uint32_t *from, unsigned count, uint32_t least,
                 pair<BITS> *shared)
{
	enum { HALF = 1 << BITS };
	pair<BITS> x[THREAD_KEYS];

#pragma unroll
	for (unsigned r = 0; r < THREAD_KEYS; r++) {
		const unsigned at = r * block<pair<BITS>>::THREADS + threadIdx.x;
		const uint32_t up = at < count ? from[at] - least : 0xffff;
		const uint32_t down = at + HALF < count ? from[at + HALF] - least : 0xffff;

		x[r].bits = up | ~down << 16;
	}
	pairs_sort(x, shared);
	leaf_each(x, shared, HALF, [=](unsigned at, pair<BITS> w) {
		if (at < count)
			to[at] = least + (w.bits & 0xffff);
		if (at + HALF < count)
			to[at + HALF] = least + (w.bits >> 16);
	});
}

/* ---- 64 bits ------------------------------------------------------------- */

enum { LEAF_TIES = 64 };	/* longest run of ties that is put in order one by one */

/* What a block needs besides its registers. */
template <unsigned BITS> struct leaf_space {
	uint64_t   keys[1 << BITS];
	word<BITS> words[block<word<BITS>>::ROOM];
	uint32_t   least, most;		/* of the high halves of key - low */
	unsigned   failed;
};

/* Put in order the words from AT to END - 1, which agree in all but the place. */
template <unsigned BITS> static __device__ void
leaf_repair(leaf_space<BITS> *space, unsigned at, unsigned end)
{
	const uint32_t places = (1u << BITS) - 1;

	if (end - at > LEAF_TIES)
		atomicExch(&space->failed, 1u);
	for (unsigned next = at + 1; next < end && end - at <= LEAF_TIES; next++) {
		const word<BITS> w = space->words[slot<word<BITS>>(next)];
		const uint64_t key = space->keys[w.bits & places];
		unsigned hole = next;

		for (; hole > at; hole--) {
			const word<BITS> left = space->words[slot<word<BITS>>(hole - 1)];

			if (space->keys[left.bits & places] <= key)
				break;
			space->words[slot<word<BITS>>(hole)] = left;
		}
		space->words[slot<word<BITS>>(hole)] = w;
	}
}

/* Rows, in registers and in shared memory: put in order the runs of ties that begin here. */
template <unsigned BITS> static __device__ __forceinline__ void
leaf_ties(const word<BITS> *x, leaf_space<BITS> *space, unsigned count)
{
	const unsigned first = threadIdx.x * THREAD_KEYS, behind = first + THREAD_KEYS;
	const uint32_t top = x[THREAD_KEYS - 1].bits;
	const bool before = first > 0 &&
	                    (space->words[slot<word<BITS>>(first - 1)].bits ^ x[0].bits) >> BITS == 0;
	unsigned last_end = behind;	/* of a run that goes on in the next row */
	uint32_t ties = 0, runs;

#pragma unroll
	for (unsigned r = 0; r + 1 < THREAD_KEYS; r++)
		ties |= (x[r].bits ^ x[r + 1].bits) >> BITS == 0 ? 1u << r : 0;
	while (last_end < count && last_end <= behind + LEAF_TIES &&
	       (space->words[slot<word<BITS>>(last_end)].bits ^ top) >> BITS == 0)
		last_end++;
	ties |= last_end > behind ? 1u << 31 : 0;
	runs = ties & ~(ties << 1 | before);
	__syncthreads();		/* all have looked at their neighbours */
	for (; runs != 0; runs &= runs - 1) {
		const unsigned r = (unsigned)__ffs((int)runs) - 1;
		const unsigned zeros = ~(ties >> r);	/* none: the row is one run */
		const unsigned end = zeros == 0 ? THREAD_KEYS + 1 : r + (unsigned)__ffs((int)zeros);

		/* words behind the last key may be ties, too: they have no place */
		if (first + r < count)
			leaf_repair(space, first + r,
			            min(end > THREAD_KEYS ? last_end : first + end, count));
	}
}

/*
 * Keys to shared memory; least and most of the high halves of key - LOW.
 *
 * LOW is not above any key.  It makes keys of a small range differ in their low
 * halves only, wherever the range lies.
 */
template <unsigned BITS> static __device__ __forceinline__ void
leaf_load(leaf_space<BITS> *space, const uint64_t *from, unsigned count, uint64_t low)
{
	enum { THREADS = block<word<BITS>>::THREADS };
	uint32_t least = ~0u, most = 0;

	if (threadIdx.x == 0) {
		space->least = ~0u;
		space->most = 0;
		space->failed = 0;
	}
	__syncthreads();
#pragma unroll 16
	for (unsigned r = 0; r < THREAD_KEYS; r++) {
		const unsigned at = r * THREADS + threadIdx.x;

		if (at < count) {
			const uint64_t key = from[at] - low;

			space->keys[at] = key;
			least = min(least, (uint32_t)(key >> 32));
			most = max(most, (uint32_t)(key >> 32));
		}
	}
	least = ~warp_greatest(~least);
	most = warp_greatest(most);
	if (threadIdx.x % 32 == 0) {
		atomicMin(&space->least, least);
		atomicMax(&space->most, most);
	}
	__syncthreads();
}

/*
 * Sort COUNT keys, none of them below LOW.
 *
 * @return  false, for all threads, if too many are too much alike: nothing is written
 */
template <unsigned BITS> static __device__ __forceinline__ bool
leaf_sort(uint64_t *to, const uint64_t *from, unsigned count, uint64_t low,
          leaf_space<BITS> *space)
{
	enum { THREADS = block<word<BITS>>::THREADS };
	const uint32_t places = (1u << BITS) - 1;
	uint32_t least, span;
	unsigned down;
	word<BITS> x[THREAD_KEYS];

	leaf_load(space, from, count, low);
	least = space->least;
	span = space->most - least;
	down = 32 - (unsigned)__clz((int)span);		/* so far that the rest fits a word */
#pragma unroll
	for (unsigned r = 0; r < THREAD_KEYS; r++) {
		const unsigned at = r * THREADS + threadIdx.x;

		x[r].bits = ~0u;
		if (at < count) {
			const uint64_t key = space->keys[at];
			const uint64_t rest = key - ((uint64_t)least << 32);

			x[r].bits = span == 0 ? (uint32_t)key :
			            (__funnelshift_rc((uint32_t)rest, (uint32_t)(rest >> 32), down) &
			             ~places) | at;
		}
	}
	block_sort(x, space->words);
	rows_put(x, space->words);
	__syncthreads();
	if (span != 0)
		leaf_ties(x, space, count);
	if (__syncthreads_or(space->failed))
		return false;
#pragma unroll 16
	for (unsigned r = 0; r < THREAD_KEYS; r++) {
		const unsigned at = r * THREADS + threadIdx.x;

		if (at < count) {
			const uint32_t w = space->words[slot<word<BITS>>(at)].bits;

			to[at] = low + (span == 0 ? (uint64_t)least << 32 | w :
			                            space->keys[w & places]);
		}
	}
	return true;
}

/*
 * After leaf_sort() has failed: the keys, which are in shared memory, by the plain
 * network.  Several times slower, but for any keys.
 */
template <unsigned BITS> static __device__ void
leaf_sort_slowly(uint64_t *to, unsigned count, uint64_t low, leaf_space<BITS> *space)
{
	enum { THREADS = block<word<BITS>>::THREADS };

	for (unsigned size = 2; size < 2 * count; size *= 2)
		for (unsigned half = size / 2; half > 0; half /= 2) {
			for (unsigned c = threadIdx.x; c < 1 << (BITS - 1); c += THREADS) {
				const unsigned at = lower_of(c, half);
				const unsigned with = 2 * half == size ? at ^ (size - 1) : at + half;

				if (with < count)
					exchange(&space->keys[at], &space->keys[with]);
			}
			__syncthreads();
		}
	for (unsigned at = threadIdx.x; at < count; at += THREADS)
		to[at] = low + space->keys[at];
}

#endif
