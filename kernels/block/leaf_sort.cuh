// SPDX-License-Identifier: BSD-2-Clause
/*
 * leaf_sort.cuh - a block sorts a leaf: keys that fit one network in shared memory
 *
 * In:   up to 2^BITS keys, anywhere in device memory, in one piece or in chunks.
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
 *                          once, at the end.  Words that tie in the key's bits are
 *                          put in order one by one; if that is too much work, the
 *                          network sorts again, all 64 bits of the keys.  If keys
 *                          are uneven and words would tie, bits that are the same in
 *                          all keys are left out first, or a few prefixes are replaced
 *                          by their ranks; of u32, gaps in their range, and keys of a
 *                          crowd get more words than others
 *
 *     pairs          u32   the same words; keys that tie too much are sorted once more, by
 *                          the number of their run of ties and the bits that differ in a
 *                          run (u64), or else by one part of their bits after the other,
 *                          from the lowest on, and payloads follow in the end
 *
 * Places behind the last key hold the largest word there is and stay behind.  Keys are mapped back
 * (thread/rows.cuh) where they are written.
 */
#ifndef GS_LEAF_SORT_CUH
#define GS_LEAF_SORT_CUH

#include <type_traits>

#include "kernels/block/bitonic.cuh"
#include "kernels/block/scan.cuh"
#include "kernels/launch.cuh"
#include "kernels/thread/rows.cuh"

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

/* BODY(i) for each I below COUNT that is this thread's: one in THREADS. */
template <class Net, unsigned UNROLL = THREAD_KEYS, class Body> static __device__ __forceinline__ void
keys_each(unsigned count, const Body &body)
{
#pragma unroll UNROLL
	for (unsigned r = 0; r < THREAD_KEYS; r++) {
		const unsigned at = r * block<Net>::THREADS + threadIdx.x;

		if (at < count)
			body(at);
	}
}

/* X becomes BITS_OF(i) of each of these, and the largest word there is. */
template <class Net, class Bits_of> static __device__ __forceinline__ void
words_make(Net *x, unsigned count, const Bits_of &bits_of)
{
#pragma unroll
	for (unsigned r = 0; r < THREAD_KEYS; r++) {
		const unsigned at = r * block<Net>::THREADS + threadIdx.x;

		x[r].bits = ~(decltype(x[r].bits))0;
		if (at < count)
			x[r].bits = bits_of(at);
	}
}

/* Keys in chunks, as an array: key i of the leaf. */
template <class Key> struct chunked {
	const Key      *keys;
	const uint64_t *chunks;		/* where they begin */
	unsigned        bits;		/* log2 of the keys of a chunk */

	__device__ __forceinline__ const Key &
	operator[](unsigned i) const
	{
		return keys[chunks[i >> bits] + (i & ((1u << bits) - 1))];
	}
};

/* The same, or in one piece if CHUNKS is NULL. */
template <class Key> struct anywhere {
	chunked<Key> in;

	__device__ __forceinline__ const Key &
	operator[](unsigned i) const
	{
		return in.chunks == NULL ? in.keys[i] : in[i];
	}
};

/* Keys that are mapped as they are read, as an array. */
template <class Key, class Map> struct mapped {
	const Key *keys;
	Map        map;

	__device__ __forceinline__ Key
	operator[](unsigned i) const
	{
		return ordered(map, keys[i]);
	}
};

/* ---- 32 bits ------------------------------------------------------------- */

/* COUNT keys to registers. */
template <unsigned BITS, class From> static __device__ __forceinline__ void
leaf_load(word<BITS> *x, const From &from, unsigned count)
{
	words_make(x, count, [&](unsigned at) { return from[at]; });
}

/* The same; a row of one key a thread is in one chunk. */
template <unsigned BITS> static __device__ __forceinline__ void
leaf_load(word<BITS> *x, const chunked<uint32_t> &from, unsigned count)
{
	enum { THREADS = block<word<BITS>>::THREADS };
	const unsigned mask = (1u << from.bits) - 1;
	const uint32_t *key = NULL;

#pragma unroll
	for (unsigned r = 0; r < THREAD_KEYS; r++) {
		const unsigned row = r * THREADS;

		key = (row & mask) == 0 && row < count ? &from[row] + threadIdx.x : key + THREADS;
		key = forget(key);
		x[r].bits = row + threadIdx.x < count ? *key : ~0u;
	}
}

/* Sort what leaf_load() has loaded. */
template <unsigned BITS, class Map> static __device__ __forceinline__ void
leaf_sort(uint32_t *to, const Map &map, word<BITS> *x, unsigned count, word<BITS> *shared)
{
	block_sort(x, shared);
	if (!maps_none(map)) {
#pragma unroll
		for (unsigned r = 0; r < THREAD_KEYS; r++)
			x[r].bits = original(map, x[r].bits);
	}
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
template <unsigned BITS, class Map> static __device__ __forceinline__ void
leaf_sort_narrow(uint32_t *to, const Map &map, const uint32_t *from, unsigned count,
                 uint32_t least, pair<BITS> *shared)
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
	with_map(map, [&](const auto &m) {
		leaf_each(x, shared, HALF, [=](unsigned at, pair<BITS> w) {
			if (at < count)
				to[at] = original(m, least + (w.bits & 0xffff));
			if (at + HALF < count)
				to[at + HALF] = original(m, least + (w.bits >> 16));
		});
	});
}

/* ---- 64 bits ------------------------------------------------------------- */

/* The squares of the lengths of runs that a thread puts in order, added up, at most: one of 16 takes 5 us. */
enum { LEAF_WORK = 16 * 16 };

/* What a block needs besides its registers.  A tie: a word and the next one agree in all but the
 * place.  It is wrong if the keys of both are not in order. */
template <unsigned BITS, class Key = uint64_t, class Value = Key> struct leaf_space {
	union {
		Key   keys[1 << BITS];
		Value values[1 << BITS];	/* after them */
	};
	word<BITS> words[block<word<BITS>>::ROOM];
	uint32_t   ties[block<word<BITS>>::THREADS];	/* a bit for each word of a row */
	uint32_t   wrong[block<word<BITS>>::THREADS];
	uint32_t   least, most;		/* of the high halves of key - low */
	typename atomic_type<Key>::type live;	/* bits that are not the same in all keys */
};

template <unsigned BITS, class Key, class Value> static __device__ __forceinline__ Key
leaf_key(const leaf_space<BITS, Key, Value> *space, unsigned at)
{
	return space->keys[space->words[slot<word<BITS>>(at)].bits & ((1u << BITS) - 1)];
}

/* Put in order the words from AT to END - 1, which tie. */
template <unsigned BITS, class Key, class Value> static __device__ void
leaf_insert(leaf_space<BITS, Key, Value> *space, unsigned at, unsigned end)
{
	const uint32_t places = (1u << BITS) - 1;

	for (unsigned next = at + 1; next < end; next++) {
		const word<BITS> w = space->words[slot<word<BITS>>(next)];
		const Key key = space->keys[w.bits & places];
		unsigned hole = next;

		for (; hole > at && leaf_key(space, hole - 1) > key; hole--)
			space->words[slot<word<BITS>>(hole)] = space->words[slot<word<BITS>>(hole - 1)];
		space->words[slot<word<BITS>>(hole)] = w;
	}
}

/* Where the run of ties ends that begins at word AT; 0 if it is in order. */
template <unsigned BITS, class Key, class Value> static __device__ unsigned
leaf_run(const leaf_space<BITS, Key, Value> *space, unsigned at)
{
	unsigned row = at / THREAD_KEYS;
	uint32_t here = ~0u << at % THREAD_KEYS, wrong = 0;

	while ((space->ties[row] & here) == here) {	/* it goes on in the next row */
		wrong |= space->wrong[row] & here;
		here = ~0u;
		row++;
	}
	const unsigned last = (unsigned)__ffs((int)(~space->ties[row] & here)) - 1;

	wrong |= space->wrong[row] & here & ((1u << last) - 1);
	return wrong != 0 ? row * THREAD_KEYS + last + 1 : 0;
}

/* Rows, in registers and in shared memory: put ties in order; false, for all threads, if that is too much for
 * one of them.  They know before they begin, for then whole keys are sorted after all. */
template <unsigned BITS, class Key, class Value> static __device__ __forceinline__ bool
leaf_ties(const word<BITS> *x, leaf_space<BITS, Key, Value> *space, unsigned count)
{
	const unsigned row = threadIdx.x, first = row * THREAD_KEYS, behind = first + THREAD_KEYS;
	const unsigned pairs = first + 1 < count ? min(count - 1 - first, (unsigned)THREAD_KEYS) : 0;
	bool before = false;		/* a tie of the row above goes on here */
	uint32_t ties = 0, wrong = 0, work = 0;

#pragma unroll
	for (unsigned r = 0; r + 1 < THREAD_KEYS; r++)
		ties |= (x[r].bits ^ x[r + 1].bits) >> BITS == 0 ? 1u << r : 0;
	if (behind < count)
		ties |= (space->words[slot<word<BITS>>(behind)].bits ^ x[THREAD_KEYS - 1].bits) >> BITS == 0 ?
		        1u << 31 : 0;
	if (first > 0)
		before = (space->words[slot<word<BITS>>(first - 1)].bits ^ x[0].bits) >> BITS == 0;
	ties &= pairs < THREAD_KEYS ? (1u << pairs) - 1 : ~0u;	/* no ties after the last key */
	for (uint32_t rest = ties; rest != 0; rest &= rest - 1) {
		const unsigned r = (unsigned)__ffs((int)rest) - 1;

		wrong |= leaf_key(space, first + r) > leaf_key(space, first + r + 1) ? 1u << r : 0;
	}
	space->ties[row] = ties;
	space->wrong[row] = wrong;
	if (!__syncthreads_or(wrong != 0))
		return true;
	for (unsigned turn = 0; turn < 2; turn++) {
		for (uint32_t runs = ties & ~(ties << 1 | before); runs != 0; runs &= runs - 1) {
			const unsigned at = first + (unsigned)__ffs((int)runs) - 1, end = leaf_run(space, at);

			if (end > 0 && turn == 0)
				work += (end - at) * (end - at);
			else if (end > 0)
				leaf_insert(space, at, end);
		}
		if (__syncthreads_or(work > LEAF_WORK))
			return false;
	}
	return true;
}

/* ---- gaps ----------------------------------------------------------------- */

enum {
	CELL_BITS  = 10,
	CELLS      = 1 << CELL_BITS,
	LOOK_BITS  = 11,	/* parts of the range, in some of which all keys may be */
	LOST_BITS  = 6,		/* for which words have no room, at most */
	MANY_TIED  = 64,	/* one key in as many: too many ties to be put in order one by one */
};

/* Parts of the range of a leaf's keys, as long as each other; where words will be. */
template <class Key> struct leaf_cells {
	typedef typename atomic_type<Key>::type number;
	number   least[CELLS], most[CELLS];	/* of the keys in there, less the leaf's least key */
	uint32_t down[CELLS];			/* how far they are shifted */
	Key      first[CELLS];			/* of its numbers */
};

template <unsigned MANY_BITS = CELL_BITS, class Key> static __device__ __forceinline__ unsigned
cell_of(Key key, unsigned span)
{
	return (unsigned)(key >> (span - MANY_BITS));
}

/* Give each cell the numbers after the numbers of the cell before, as many as there are from its least key to
 * its most, shifted DOWN; returns how many there are in all. */
template <unsigned THREADS, class Key> static __device__ __forceinline__ uint64_t
cells_join(leaf_cells<Key> *cells)
{
	enum { EACH = CELLS / THREADS > 0 ? CELLS / THREADS : 1 };
	__shared__ uint64_t sums[32];
	const unsigned from = threadIdx.x * EACH, end = min(from + EACH, (unsigned)CELLS);
	uint64_t mine = 0, before, all;

	for (unsigned c = from; c < end; c++) {
		const Key least = (Key)cells->least[c], most = (Key)cells->most[c];

		cells->first[c] = (Key)mine;
		mine += least <= most ? (uint64_t)((Key)(most - least) >> cells->down[c]) + 1 : 0;
	}
	before = block_sum_before<THREADS>(mine, sums, &all);
	for (unsigned c = from; c < end; c++)
		cells->first[c] += (Key)before;
	__syncthreads();
	return all;
}

/*
 * Each cell gets as many numbers as its part of the keys asks for, all together as many as words have room
 * for: so words of keys in a crowd are as fine as need be, and others tie where they are few.  DOWN is zero
 * at first, then the number of keys.
 */
template <unsigned BITS, class Key, class Value> static __device__ __forceinline__ void
cells_share(leaf_cells<Key> *cells, const leaf_space<BITS, Key, Value> *space, unsigned count, Key least,
            unsigned span)
{
	enum { THREADS = block<word<BITS>>::THREADS, ROOM_BITS = 32 - 2 * BITS };	/* of one key */

	for (unsigned at = threadIdx.x; at < count; at += THREADS)
		atomicAdd(&cells->down[cell_of((Key)(space->keys[at] - least), span)], 1u);
	__syncthreads();
	for (unsigned c = threadIdx.x; c < CELLS; c += THREADS) {
		const uint32_t keys = cells->down[c];
		const uint64_t wide = (Key)(cells->most[c] - cells->least[c]);
		const int bits = 64 - __clzll((long long)wide), room = 31 - __clz((int)keys) + ROOM_BITS;

		cells->down[c] = keys > 1 ? (uint32_t)max(bits - room, 0) : 0;
	}
	__syncthreads();
}

/* How many keys, one a thread, have a WORD that ties with another one of their warp, which they are not equal
 * to?  For all threads. */
template <class Key> static __device__ __forceinline__ unsigned
words_tied(uint32_t word, Key key)
{
	const int first = __ffs((int)__match_any_sync(ALL_LANES, word)) - 1;

	return (unsigned)__syncthreads_count(key != __shfl_sync(ALL_LANES, key, first));
}

/* The same of some keys, of SPAN bits from LEAST on. */
template <unsigned BITS, class Key, class Value> static __device__ __forceinline__ unsigned
leaf_would_tie(const leaf_space<BITS, Key, Value> *space, unsigned count, Key least, unsigned span)
{
	const Key key = space->keys[min(threadIdx.x, count - 1)] - least;
	const unsigned down = span > 32 - BITS ? span - (32 - BITS) : 0;	/* upper bits are in a word */

	return words_tied((uint32_t)(key >> down) << BITS, key);
}

/* Do some keys lie in few parts of their range, of SPAN bits from LEAST on: three of four beside another one,
 * or CROWD of a warp in one?  For all threads.  TIES of SPACE are zero. */
template <unsigned BITS, class Key, class Value> static __device__ __forceinline__ bool
leaf_has_gaps(leaf_space<BITS, Key, Value> *space, unsigned count, Key least, unsigned span)
{
	enum { THREADS = block<word<BITS>>::THREADS, CROWD = 5 };
	bool crowd = false;
	int parts = 0;

#pragma unroll
	for (unsigned r = 0; r < 2; r++) {
		const Key key = space->keys[min(r * THREADS + threadIdx.x, count - 1)] - least;
		const unsigned part = cell_of<LOOK_BITS>(key, span);
		const uint32_t bit = 1u << part % 32;

		crowd |= __popc(__match_any_sync(ALL_LANES, part)) >= CROWD;
		parts += __syncthreads_count((atomicOr(&space->ties[part / 32], bit) & bit) == 0);
	}
	return __syncthreads_or(crowd || parts <= 2 * THREADS / 4);
}

/* Add the bits that any thread has in DIFFER to LIVE of SPACE; then a barrier. */
template <unsigned BITS, class Key, class Value> static __device__ __forceinline__ void
live_or(leaf_space<BITS, Key, Value> *space, Key differ)
{
#pragma unroll
	for (unsigned lanes = 16; lanes > 0; lanes /= 2)
		differ |= __shfl_xor_sync(ALL_LANES, differ, lanes);
	if (threadIdx.x % 32 == 0)
		atomicOr(&space->live, (typename atomic_type<Key>::type)differ);
	__syncthreads();
}

/* Add bits to LIVE of SPACE in which keys from FROM to END - 1 differ from ONE; then a barrier. */
template <unsigned BITS, class Key, class Value> static __device__ __forceinline__ void
live_add(leaf_space<BITS, Key, Value> *space, unsigned from, unsigned end, Key base, Key one)
{
	Key differ = 0;

#pragma unroll 8
	for (unsigned at = from + threadIdx.x; at < end; at += block<word<BITS>>::THREADS)
		differ |= (space->keys[at] + base) ^ one;
	live_or(space, differ);
}

/* How many bits of key + BASE are not the same in all keys?  They are in SPACE, then.  If they are more than
 * MOST in some keys, others are not looked at. */
template <unsigned BITS, class Key, class Value> static __device__ __forceinline__ unsigned
live_find(leaf_space<BITS, Key, Value> *space, unsigned count, Key base, unsigned most)
{
	enum { THREADS = block<word<BITS>>::THREADS };
	const Key one = space->keys[0] + base;
	const unsigned some = min(count, (unsigned)THREADS);
	unsigned live;

	if (threadIdx.x == 0)
		space->live = 0;
	__syncthreads();
	live_add(space, 0, some, base, one);
	live = (unsigned)__popcll(space->live);
	__syncthreads();
	if (live > most)
		return live;
	live_add(space, some, count, base, one);
	return (unsigned)__popcll(space->live);
}

/* Find the least and the most key of each cell, and number all keys there may be, or as many as words have
 * room for; how many bits would a word need, at most one more than it has? */
template <unsigned BITS, class Key, class Value> static __device__ __forceinline__ unsigned
cells_fill(leaf_cells<Key> *cells, const leaf_space<BITS, Key, Value> *space, unsigned count, Key least,
           unsigned span)
{
	typedef typename leaf_cells<Key>::number number;
	enum { THREADS = block<word<BITS>>::THREADS };
	uint64_t numbers;

	for (unsigned c = threadIdx.x; c < CELLS; c += THREADS) {
		cells->least[c] = (Key)-1;
		cells->most[c] = 0;
		cells->down[c] = 0;
	}
	__syncthreads();
	for (unsigned at = threadIdx.x; at < count; at += THREADS) {
		const Key key = space->keys[at] - least;
		const unsigned c = cell_of(key, span);

		if (key < *(volatile number *)&cells->least[c])
			atomicMin(&cells->least[c], (number)key);
		if (key > *(volatile number *)&cells->most[c])
			atomicMax(&cells->most[c], (number)key);
	}
	__syncthreads();
	numbers = cells_join<THREADS>(cells);
	if (numbers <= (uint64_t)1 << (32 - BITS))
		return 64 - (unsigned)__clzll((long long)(numbers - 1));
	cells_share(cells, space, count, least, span);
	(void)cells_join<THREADS>(cells);
	return 32 - BITS + 1;
}

/* Append to each X the bits of KEY_OF(r) that are LIVE, from the top on, ROOM at most. */
template <class Key, class Key_of> static __device__ __forceinline__ void
append_bits(uint32_t *x, Key live, unsigned room, const Key_of &key_of)
{
#pragma unroll 1
	while (live != 0 && room > 0) {
		const unsigned end = 64 - (unsigned)__clzll((long long)live);
		const uint64_t gap = ~(uint64_t)live & (~(uint64_t)0 >> (64 - end));
		const unsigned begin = 64 - (unsigned)__clzll((long long)gap), some = min(end - begin, room);
		const uint32_t mask = (1u << some) - 1;

#pragma unroll
		for (unsigned r = 0; r < THREAD_KEYS; r++) {
			const Key key = key_of(r);

			x[r] = x[r] << some | ((uint32_t)(key >> (end - some)) & mask);
		}
		room -= some;
		live &= ((Key)1 << (end - some)) - 1;
	}
}

/* ---- few prefixes ----------------------------------------------------------- */

/* Prefixes of a leaf's keys, all bits but the lowest, by their hash.  There are at most a quarter as many as
 * slots: if half of the slots are in use, searches for one that is free take a leaf up to 60 us. */
template <unsigned BITS, class Key> struct leaf_prefixes {
	typedef typename atomic_type<Key>::type number;
	enum {
		SLOT_BITS = BITS - 2 < 11 ? BITS - 2 : 11, SLOTS = 1 << SLOT_BITS,
		PREFIX_BITS = SLOT_BITS - 2, PREFIXES = 1 << PREFIX_BITS,
	};
	number   slots[SLOTS];		/* all ones: free, for prefixes are shorter */
	number   found[PREFIXES];
	uint16_t at[PREFIXES];		/* their slots */
	uint16_t rank[SLOTS];		/* of prefixes in slots */
	unsigned many;
};

/* The slot of a prefix, which is added if there are not too many. */
template <unsigned BITS, class Key> static __device__ __forceinline__ uint32_t
prefix_slot(leaf_prefixes<BITS, Key> *prefixes, Key prefix)
{
	typedef leaf_prefixes<BITS, Key> table;
	typedef typename table::number number;
	const number none = ~(number)0;
	uint32_t s = (uint32_t)(prefix ^ prefix >> 32) * 0x9e3779b1u >> (32 - table::SLOT_BITS);

#pragma unroll 1
	for (;; s = (s + 1) % table::SLOTS) {
		number there = *(volatile number *)&prefixes->slots[s];

		if (there == none && *(volatile unsigned *)&prefixes->many <= table::PREFIXES) {
			there = atomicCAS(&prefixes->slots[s], none, (number)prefix);
			if (there == none) {
				const unsigned i = atomicAdd(&prefixes->many, 1u);

				if (i < table::PREFIXES) {
					prefixes->found[i] = prefix;
					prefixes->at[i] = (uint16_t)s;
				}
			}
		}
		if (there == prefix || there == none)
			return s;
	}
}

/*
 * To X, the rank of the prefix of each key + BASE among all prefixes, and beside it its other bits, so all of
 * a key; unless there are more than PREFIXES, or seem to be: some keys have nearly as many.
 */
template <unsigned BITS, class Key, class Value> static __device__ __forceinline__ bool
prefixes_rank(uint32_t *x, leaf_prefixes<BITS, Key> *prefixes, const leaf_space<BITS, Key, Value> *space,
              unsigned count, Key base)
{
	typedef leaf_prefixes<BITS, Key> table;
	enum {
		THREADS  = block<word<BITS>>::THREADS,
		PREFIXES = table::PREFIXES,
		EACH     = (PREFIXES + THREADS - 1) / THREADS,
		LOW_BITS = 32 - BITS - table::PREFIX_BITS,
	};
	const auto key_of = [=](unsigned r) {
		return (Key)(space->keys[min(r * THREADS + threadIdx.x, count - 1)] + base);
	};
	Key mine[EACH];
	uint32_t ranks[EACH] = {};

	static_assert(PREFIXES + THREADS < table::SLOTS, "some slots stay free");
	for (unsigned s = threadIdx.x; s < table::SLOTS; s += THREADS)
		prefixes->slots[s] = (Key)-1;
	if (threadIdx.x == 0)
		prefixes->many = 0;
	__syncthreads();
#pragma unroll
	for (unsigned r = 0; r < THREAD_KEYS; r++) {
		x[r] = prefix_slot(prefixes, (Key)(key_of(r) >> LOW_BITS));
		if (r % 8 == 0 &&
		    __syncthreads_or(prefixes->many > (r > 0 ? (unsigned)PREFIXES : THREADS / 4 * 3u)))
			return false;
	}
	if (__syncthreads_or(prefixes->many > PREFIXES))
		return false;
#pragma unroll
	for (unsigned e = 0; e < EACH; e++)
		mine[e] = (Key)prefixes->found[min(threadIdx.x + e * THREADS, PREFIXES - 1u)];
#pragma unroll 4
	for (unsigned k = 0; k < prefixes->many; k++) {
		const Key other = (Key)prefixes->found[k];

#pragma unroll
		for (unsigned e = 0; e < EACH; e++)
			ranks[e] += other < mine[e];
	}
#pragma unroll
	for (unsigned e = 0; e < EACH; e++)
		if (threadIdx.x + e * THREADS < prefixes->many)
			prefixes->rank[prefixes->at[threadIdx.x + e * THREADS]] = (uint16_t)ranks[e];
	__syncthreads();
#pragma unroll
	for (unsigned r = 0; r < THREAD_KEYS; r++)
		x[r] = ((uint32_t)prefixes->rank[x[r]] << LOW_BITS |
		        ((uint32_t)key_of(r) & ((1u << LOW_BITS) - 1))) << BITS;
	return true;
}

/*
 * Words would tie.  So bits of key + BASE that are the same in all keys are left out, if all others fit a
 * word then; or keys of 64 bits get the ranks of their prefixes, if these are few; or nearly all bits fit a
 * word.  For keys of 32 bits the gaps between the keys of one cell and the next are left out, and if numbers
 * are still too many, cells of many keys get more.  (Cells of 64 bits cost more than ties.)  Words are then
 * in SPACE, word i of key i.  Returns how many bits are left, and their upper ones are in words; or 0 if
 * nothing is won.
 */
template <unsigned BITS, class Key, class Value> static __device__ __noinline__ unsigned
leaf_close(leaf_space<BITS, Key, Value> *space, unsigned count, Key least, Key base, unsigned span)
{
	enum { THREADS = block<word<BITS>>::THREADS };
	const unsigned most = sizeof(Key) == 4 ? 32 - BITS : span - 1;
	const unsigned live = live_find(space, count, base, most);
	bool ranked = false;
	unsigned bits;
	uint32_t x[THREAD_KEYS];

	if constexpr (sizeof(Key) == 8) {
		leaf_prefixes<BITS, Key> *const prefixes = (leaf_prefixes<BITS, Key> *)space->words;

		static_assert(sizeof *prefixes <= sizeof space->words, "as much room");
		ranked = live > 32 - BITS && prefixes_rank(x, prefixes, space, count, base);
	}
	if (ranked) {
		bits = 32 - BITS;
	} else if (live <= most) {
		bits = live;
#pragma unroll
		for (unsigned r = 0; r < THREAD_KEYS; r++)
			x[r] = 0;
		append_bits(x, (Key)space->live, 32 - BITS, [=](unsigned r) {
			return (Key)(space->keys[min(r * THREADS + threadIdx.x, count - 1)] + base);
		});
#pragma unroll
		for (unsigned r = 0; r < THREAD_KEYS; r++)
			x[r] <<= BITS;
		if (bits > 32 - BITS &&
		    words_tied(x[0], space->keys[min(threadIdx.x, count - 1)]) >= THREADS / MANY_TIED)
			return 0;
	} else if constexpr (sizeof(Key) == 4) {
		leaf_cells<Key> *const cells = (leaf_cells<Key> *)space->words;

		static_assert(sizeof *cells <= sizeof space->words, "as much room");
		bits = cells_fill(cells, space, count, least, span);
#pragma unroll
		for (unsigned r = 0; r < THREAD_KEYS; r++) {
			const Key key = space->keys[min(r * THREADS + threadIdx.x, count - 1)] - least;
			const unsigned c = cell_of(key, span);

			x[r] = cells->first[c] + ((key - (Key)cells->least[c]) >> cells->down[c]);
			x[r] <<= BITS;
		}
	} else {
		return 0;
	}
	__syncthreads();
#pragma unroll
	for (unsigned r = 0; r < THREAD_KEYS; r++) {
		const unsigned at = r * THREADS + threadIdx.x;

		space->words[at].bits = at < count ? x[r] | at : ~0u;
	}
	return bits;
}

/* What leaf_close() has found, to X. */
template <unsigned BITS, class Key, class Value> static __device__ __forceinline__ void
words_closed(word<BITS> *x, const leaf_space<BITS, Key, Value> *space)
{
#pragma unroll
	for (unsigned r = 0; r < THREAD_KEYS; r++)
		x[r] = space->words[r * block<word<BITS>>::THREADS + threadIdx.x];
	__syncthreads();
}

/*
 * Words tie too much, and leaf_ties() has found where.  A word becomes the number of its run of ties, and
 * beside it as many as fit of the bits in which keys of one run differ, the upper ones.  Keys of few prefixes
 * have few runs, and few such bits.  Words go where they were.  Returns how many bits are needed, and
 * their upper ones are in words; or 0 if too many do not fit for this to pay.
 */
template <unsigned BITS, class Key, class Value> static __device__ __noinline__ unsigned
leaf_refine(leaf_space<BITS, Key, Value> *space, unsigned count)
{
	enum { THREADS = block<word<BITS>>::THREADS };
	__shared__ uint32_t sums[32];
	const unsigned row = threadIdx.x, first = row * THREAD_KEYS;
	const unsigned here = first < count ? min(count - first, (unsigned)THREAD_KEYS) : 0;
	const uint32_t ties = space->ties[row], before = row > 0 ? space->ties[row - 1] >> 31 : 0;
	const uint32_t begins = ~(ties << 1 | before) & (here < 32 ? (1u << here) - 1 : ~0u);
	uint32_t x[THREAD_KEYS], number, runs;
	unsigned room, bits;
	Key differ = 0, live;

	if (threadIdx.x == 0)
		space->live = 0;
	number = block_sum_before<THREADS>((uint32_t)__popc(begins), sums, &runs) - 1;
	for (uint32_t rest = ties; rest != 0; rest &= rest - 1) {
		const unsigned at = first + (unsigned)__ffs((int)rest) - 1;

		differ |= leaf_key(space, at) ^ leaf_key(space, at + 1);
	}
	live_or(space, differ);
	live = (Key)space->live;
	bits = 32 - (unsigned)__clz((int)(runs - 1));
	room = 32 - BITS - bits;
	bits += (unsigned)__popcll(live);
	if (bits > 32 - BITS + LOST_BITS)
		return 0;
#pragma unroll
	for (unsigned r = 0; r < THREAD_KEYS; r++)
		x[r] = number + (uint32_t)__popc(begins & ((2u << r) - 1));
	append_bits(x, live, room, [=](unsigned r) {
		return leaf_key(space, first + min(r, max(here, 1u) - 1));
	});
	__syncthreads();
#pragma unroll
	for (unsigned r = 0; r < THREAD_KEYS; r++) {
		word<BITS> *const w = &space->words[slot<word<BITS>>(first + r)];

		w->bits = r < here ? x[r] << BITS | (w->bits & ((1u << BITS) - 1)) : ~0u;
	}
	return bits;
}

/* Places of the keys of a thread's row, in the order of BITS of each. */
struct leaf_order {
	uint16_t place[THREAD_KEYS];
	unsigned done;
};

/*
 * Words tie too much: sort by 32 - BITS bits of key - LEAST after the other, of SPAN bits in all, from the
 * lowest on.  Each turn but the first finds words sorted, and makes words of the next bits.  A word's place
 * is its rank before the turn, so a turn keeps the order of earlier turns.  That a thread holds the words of
 * a row saves a barrier.
 *
 * @return  false: no bits are left, and words have the places of keys
 */
template <unsigned BITS, class Key, class Value> static __device__ __noinline__ bool
leaf_order_turn(leaf_space<BITS, Key, Value> *space, leaf_order *order, unsigned count, Key least,
                unsigned span, bool first_turn)
{
	const uint32_t places = (1u << BITS) - 1;
	const unsigned first = threadIdx.x * THREAD_KEYS;
	uint32_t rank[THREAD_KEYS];
	bool more;

	if (first_turn)
		order->done = 0;
	more = order->done < span;
#pragma unroll
	for (unsigned r = 0; r < THREAD_KEYS; r++)
		rank[r] = first_turn ? first + r : space->words[slot<word<BITS>>(first + r)].bits & places;
	__syncthreads();
#pragma unroll
	for (unsigned r = 0; r < THREAD_KEYS; r++)
		space->words[slot<word<BITS>>(first + r)].bits = first_turn ? first + r : order->place[r];
	__syncthreads();
#pragma unroll
	for (unsigned r = 0; r < THREAD_KEYS; r++)
		order->place[r] = (uint16_t)space->words[slot<word<BITS>>(rank[r])].bits;
	__syncthreads();
#pragma unroll
	for (unsigned r = 0; r < THREAD_KEYS; r++) {
		const uint32_t at = order->place[r];
		uint32_t w = at;

		if (more)
			w = first + r < count ? (uint32_t)((Key)(space->keys[at] - least) >> order->done)
			                        << BITS | (first + r) : ~0u;
		space->words[slot<word<BITS>>(first + r)].bits = w;
	}
	order->done += 32 - BITS;
	__syncthreads();
	return more;
}

/*
 * Sort words X, and put words that tie in order, unless all BITS of keys are in them; words are then in
 * SPACE.  If ORDERS, and too many tie, words of u64 are sorted once more where that may do, and in the end
 * all by one part of their SPAN bits from LEAST on after the other.  (Keys without payloads gain nothing by
 * the first: u64 addresses at 2^22 would take 1.05 times as long, spike 1.06.)
 *
 * @return  false, for all threads, if too many keys are too much alike; not if it ORDERS
 */
template <bool ORDERS, unsigned BITS, class Key, class Value> static __device__ __forceinline__ bool
words_sort(leaf_space<BITS, Key, Value> *space, word<BITS> *x, unsigned count, unsigned bits, Key least,
           unsigned span)
{
	leaf_order order;
	bool refined = false, ordered = false;

	for (;;) {
		block_sort(x, space->words);	/* once: it is most of the code */
		rows_put(x, space->words);
		__syncthreads();
		if (!ordered && (bits <= 32 - BITS || leaf_ties(x, space, count)))
			return true;
		if constexpr (!ORDERS) {
			return false;
		} else {
			bits = 0;
			if constexpr (sizeof(Key) == 8)
				bits = refined ? 0 : leaf_refine(space, count);
			refined = true;
			if (bits == 0) {
				if (!leaf_order_turn(space, &order, count, least, span, !ordered))
					return true;
				ordered = true;
			}
#pragma unroll
			for (unsigned r = 0; r < THREAD_KEYS; r++)
				x[r] = space->words[slot<word<BITS>>(threadIdx.x * THREAD_KEYS + r)];
			__syncthreads();
		}
	}
}

/*
 * Keys to shared memory; least and most of the high halves of key - LOW.
 *
 * LOW is not above any key.  It makes keys of a small range differ in their low
 * halves only, wherever the range lies.
 */
template <unsigned BITS, class From> static __device__ __forceinline__ void
leaf_load(leaf_space<BITS> *space, const From &from, unsigned count, uint64_t low)
{
	uint32_t least = ~0u, most = 0;

	if (threadIdx.x == 0) {
		space->least = ~0u;
		space->most = 0;
	}
	__syncthreads();
	keys_each<word<BITS>, 16>(count, [&](unsigned at) {
		const uint64_t key = from[at] - low;

		space->keys[at] = key;
		least = min(least, (uint32_t)(key >> 32));
		most = max(most, (uint32_t)(key >> 32));
	});
	least = ~warp_greatest(~least);
	most = warp_greatest(most);
	if (threadIdx.x % 32 == 0) {
		atomicMin(&space->least, least);
		atomicMax(&space->most, most);
	}
	__syncthreads();
}

/*
 * Sort COUNT keys that leaf_load() has loaded, none of them below LOW.
 *
 * @return  false, for all threads, if too many are, or seem to be, too much alike: nothing is written
 */
template <unsigned BITS, class Map> static __device__ __forceinline__ bool
leaf_sort(uint64_t *to, const Map &map, unsigned count, uint64_t low, leaf_space<BITS> *space)
{
	enum { THREADS = block<word<BITS>>::THREADS };
	const uint32_t places = (1u << BITS) - 1;
	uint32_t least, span;
	unsigned down, bits = 0, tied = 0;
	word<BITS> x[THREAD_KEYS];

	least = space->least;
	span = space->most - least;
	down = 32 - (unsigned)__clz((int)span);		/* so far that the rest fits a word */
	if (span != 0)
		tied = leaf_would_tie(space, count, (uint64_t)least << 32, 32 + down);
	if (tied > 0)
		bits = leaf_close(space, count, (uint64_t)least << 32, low, 32 + down);
	if (bits == 0 && tied >= THREADS / MANY_TIED)
		return false;
	if (bits > 0)
		words_closed(x, space);
	else
		words_make(x, count, [&](unsigned at) {
			const uint64_t key = space->keys[at], rest = key - ((uint64_t)least << 32);

			const uint32_t upper = __funnelshift_rc((uint32_t)rest, (uint32_t)(rest >> 32), down);

			return span == 0 ? (uint32_t)key : (upper & ~places) | at;
		});
	if (bits == 0)
		bits = span == 0 ? 32 - BITS : 32 + down;
	if (!words_sort<false>(space, x, count, bits, (uint64_t)0, 0))
		return false;
	with_map(map, [&](const auto &m) {
		keys_each<word<BITS>, 16>(count, [&](unsigned at) {
			const uint32_t w = space->words[slot<word<BITS>>(at)].bits;

			to[at] = original(m, low + (span == 0 ? (uint64_t)least << 32 | w :
			                                        space->keys[w & places]));
		});
	});
	return true;
}

/* After leaf_sort() has failed: sort whole keys, at twice the price. */
template <unsigned BITS, class Map> static __device__ __noinline__ void
leaf_sort_wide(uint64_t *to, const Map map, unsigned count, uint64_t low, leaf_space<BITS> *space)
{
	typedef wide<BITS> net;
	static_assert(sizeof(leaf_space<BITS>) >= block<net>::ROOM * sizeof(net), "as much room");
	net x[THREAD_KEYS];

	words_make(x, count, [&](unsigned at) { return space->keys[at]; });
	__syncthreads();
	block_sort(x, (net *)space);
	with_map(map, [&](const auto &m) {
		leaf_each(x, (net *)space, count,
		          [=](unsigned at, net w) { to[at] = original(m, low + w.bits); });
	});
}

/* Sort up to 32 keys by one warp: before a key's place are as many as are less, or equal and before it. */
template <class Key, class Map, class From> static __device__ __forceinline__ void
leaf_sort_few(Key *to, const Map &map, const From &from, unsigned count)
{
	const unsigned lane = threadIdx.x;

	if (lane >= 32)
		return;

	const Key key = from[min(lane, count - 1)];
	unsigned place = 0;

	for (unsigned i = 0; i < count; i++) {
		const Key other = __shfl_sync(ALL_LANES, key, (int)i);

		place += other < key || (other == key && i < lane);
	}
	if (lane < count)
		to[place] = original(map, key);
}

/* ---- pairs ---------------------------------------------------------------- */

/* Beside keys of 64 bits a leaf has as much room for any value, so those share what does not read values. */
template <class Key, class Value> using beside =
	typename std::conditional<sizeof(Key) == 8, Key, Value>::type;

/* Copy a value to shared memory, beside what follows; values_wait() ends that, for this thread. */
template <class Value> static __device__ __forceinline__ void
value_fetch(Value *to, const Value *from)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
	asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
	             :: "r"((uint32_t)__cvta_generic_to_shared(to)), "l"(from), "n"(sizeof(Value))
	             : "memory");
#else
	*to = *from;
#endif
}

static __device__ __forceinline__ void
values_wait(void)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
	asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/* COUNT keys from KEYS to shared memory, and words of the upper bits of key - *LEAST to X; returns how many
 * bits there are.  *LEFT: how many of these are left without bits and gaps that leaf_close() leaves out. */
template <unsigned BITS, class Key, class Value, class Keys> static __device__ __forceinline__ unsigned
words_upper(word<BITS> *x, const Keys &keys, unsigned count, uint64_t *least, bool uneven, unsigned *left,
            leaf_space<BITS, Key, Value> *space)
{
	__shared__ number range[2];
	Key low = (Key)-1, most = 0;
	unsigned span, bits;

	if (uneven && threadIdx.x < (1u << LOOK_BITS) / 32)
		space->ties[threadIdx.x] = 0;
	keys_each<word<BITS>, 16>(count, [&](unsigned at) {
		const Key key = keys[at];

		space->keys[at] = key;
		low = min(low, key);
		most = max(most, key);
	});
	block_range(&low, &most, range);
	*least = low;
	span = low == most ? 0 : 64 - (unsigned)__clzll((long long)(most - low));
	bits = 0;
	if (uneven && span > 32 - BITS &&
	    (sizeof(Key) == 4 ? leaf_has_gaps(space, count, (Key)*least, span) :
	                        leaf_would_tie(space, count, (Key)*least, span) > 0))
		bits = leaf_close((leaf_space<BITS, Key, beside<Key, Value>> *)space, count, (Key)*least,
		                  (Key)0, span);
	if (bits > 0) {
		words_closed(x, space);
	} else {
		const unsigned down = span > 32 - BITS ? span - (32 - BITS) : 0;

		bits = span;
		words_make(x, count, [&](unsigned at) {
			return (uint32_t)((Key)(space->keys[at] - (Key)*least) >> down) << BITS | at;
		});
	}
	*left = bits;
	return span;
}

/*
 * Sort COUNT rows from KEYS and VALUES to TO, which may be where they are.  DIRECT: a word has room for all
 * of key - LOW and a place, so keys need not be kept, and values come while the block sorts.  Otherwise
 * all keys are read before the first one is written, then all values.  UNEVEN: they may lie in few parts of
 * their range.
 */
template <unsigned BITS, class Key, class Value, class Keys, class Values>
static __device__ __forceinline__ void
leaf_sort_pairs(const arrays<Key, Value> &to, const key_map<Key> &map, const Keys &keys,
                const Values &values, unsigned count, Key low, bool direct, bool uneven,
                leaf_space<BITS, Key, Value> *space)
{
	typedef word<BITS> net;
	const auto word_at = [=](unsigned at) { return space->words[slot<net>(at)].bits; };
	const uint32_t places = (1u << BITS) - 1;
	uint64_t least = low;
	unsigned span = 0, left = 0;
	net x[THREAD_KEYS];

	if (direct) {
		keys_each<net, 8>(count, [&](unsigned at) { value_fetch(&space->values[at], &values[at]); });
		words_make(x, count, [&](unsigned at) { return (uint32_t)(keys[at] - low) << BITS | at; });
	} else {
		span = words_upper(x, keys, count, &least, uneven, &left, space);
	}
	(void)words_sort<true>((leaf_space<BITS, Key, beside<Key, Value>> *)space, x, count, left, (Key)least,
	                       span);
	if (direct) {
		values_wait();
		__syncthreads();
		keys_each<net>(count, [&](unsigned at) {
			const uint32_t w = word_at(at);

			to.keys[at] = original(map, (Key)(low + (w >> BITS)));
			to.values[at] = space->values[w & places];
		});
		return;
	}
	keys_each<net, 16>(count, [&](unsigned at) {
		to.keys[at] = original(map, space->keys[word_at(at) & places]);
	});
	__syncthreads();
	keys_each<net, 16>(count, [&](unsigned at) { space->values[at] = values[at]; });
	__syncthreads();
	keys_each<net, 16>(count, [&](unsigned at) { to.values[at] = space->values[word_at(at) & places]; });
}

#endif
