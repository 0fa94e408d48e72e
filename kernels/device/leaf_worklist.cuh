// SPDX-License-Identifier: BSD-2-Clause
/*
 * leaf_worklist.cuh - leaves, listed by the network that sorts them
 *
 * In:   where bins begin, and the keys that they may hold.
 * Out:  a list of leaves for each kind of network.
 *
 * Bins that begin in the same window of 2^12 keys (or more) make one leaf, but for the
 * last of them if they are too many: without it they fit, for they end where it
 * begins.  Then the last makes a leaf of its own, of the kind that its size asks.
 *
 * Invariant: leaves do not overlap, and every bin is in one, or in order already.
 */
#ifndef GS_LEAF_WORKLIST_CUH
#define GS_LEAF_WORKLIST_CUH

#include "kernels/device/histogram.cuh"

enum {
	LEAF_BITS   = 12,
	LEAF_KEYS   = 1 << LEAF_BITS,
	LEAF_MEAN   = 3700,		/* keys a bin if they are even: + 6 sqrt(3700) < 2^12 */
	BELL_MEAN   = 2900,		/* where they are a bell: + its middle's 2.7 times < 2^13 */
	EQUAL_KEYS  = 1 << 16,		/* of one value, that one block writes */
};

/*
 * NARROW_n and WORD_n: networks of 2^n keys, of 16 bits or more.  EQUAL: keys of
 * one value that are not where they belong.  TOO_LARGE: to be divided again.
 */
enum kind {
	EQUAL, TOO_LARGE, NARROW_12, NARROW_13, NARROW_14, NARROW_15,
	WORD_12, WORD_13, WORD_14, WORD_15, KINDS,
};

struct leaf_item {
	uint64_t from, count;
	uint64_t low, high;	/* keys are not below, not above */
};

struct lists {
	leaf_item *list[KINDS];
	uint32_t  *listed;		/* how many in each */
	bool       in_place;		/* keys lie already where they belong */
	unsigned   window_bits;		/* log2 of the keys of one */
};

/* Append ITEM to the list of KIND (KINDS: to none); all lanes call. */
static __device__ void
append(const lists &l, int kind, const leaf_item &item)
{
	const unsigned lane = threadIdx.x % 32;

#pragma unroll
	for (int k = 0; k < KINDS; k++) {
		const unsigned lanes = __ballot_sync(ALL_LANES, kind == k);
		uint32_t at = 0;

		if (lanes == 0)
			continue;
		if (lane == 0)
			at = atomicAdd(&l.listed[k], (uint32_t)__popc(lanes));
		at = __shfl_sync(ALL_LANES, at, 0);
		if (kind == k)
			l.list[k][at + (uint32_t)__popc(lanes & ((1u << lane) - 1))] = item;
	}
}

template <class Key> static __device__ int
kind_of(const lists &l, const leaf_item &item)
{
	const bool narrow = sizeof(Key) == 4 && item.high - item.low < 1 << 16;
	const int least = narrow ? NARROW_12 : WORD_12, kinds = sizeof(Key) == 4 ? 4 : 3;

	if (item.count == 0 || (l.in_place && (item.count == 1 || item.low == item.high)))
		return KINDS;
	if (item.low == item.high && item.count > LEAF_KEYS)
		return EQUAL;
	for (int k = 0; k < kinds; k++)
		if (item.count <= (uint64_t)LEAF_KEYS << k)
			return least + k;
	return TOO_LARGE;
}

/* List keys of one value, for several blocks. */
static __device__ inline void
list_equal(const lists &l, leaf_item item)
{
	for (uint64_t rest = item.count; rest > 0; rest -= item.count) {
		item.count = min(rest, (uint64_t)EQUAL_KEYS);
		l.list[EQUAL][atomicAdd(&l.listed[EQUAL], 1u)] = item;
		item.from += item.count;
	}
}

/* List a leaf, unless it has no keys; all lanes call. */
template <class Key> static __device__ void
list_leaf(const lists &l, const leaf_item &item)
{
	const int kind = kind_of<Key>(l, item);

	if (kind == EQUAL)
		list_equal(l, item);
	append(l, kind == EQUAL ? (int)KINDS : kind, item);
}

/*
 * The leaf of bins FIRST to LAST - 1 (none, if there are none), which begin at BEGINS.
 * All keys are LOW to HIGH, which may be more than are divided.
 */
static __device__ inline leaf_item
leaf_of(const digits &d, const unsigned long long *begins, uint32_t first, uint32_t last,
        uint64_t low, uint64_t high)
{
	leaf_item item = {};

	if (first < last) {
		item.from = begins[first];
		item.count = begins[last] - item.from;
		item.low = first > 0 ? digit_begin(d, first) : low;
		item.high = last < d.bins ? digit_begin(d, last) - 1 : high;
	}
	return item;
}

/*
 * Thread w lists the leaves of window w.  WINDOWS: of each, the first bin, its bits
 * inverted, and the last one, of those that begin there and have keys; or 0 twice.
 */
template <class Key> static __global__ void
list_kernel(lists l, const unsigned long long *begins, const uint32_t *windows,
            uint32_t window_count, const knowledge *known)
{
	begin_in_turn();

	const uint32_t w = blockIdx.x * blockDim.x + threadIdx.x;
	const digits d = known->plan;
	const uint64_t low = ~known->least, high = known->most;
	uint32_t first = 0, last = 0, middle = 0;

	if (w < window_count && windows[2 * w] != 0) {
		first = ~windows[2 * w];
		last = windows[2 * w + 1] + 1;
		middle = begins[last] - begins[first] <= 1u << l.window_bits ? last : last - 1;
	}
	list_leaf<Key>(l, leaf_of(d, begins, first, middle, low, high));
	list_leaf<Key>(l, leaf_of(d, begins, middle, last, low, high));
}

#endif
