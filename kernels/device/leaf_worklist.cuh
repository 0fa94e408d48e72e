// SPDX-License-Identifier: BSD-2-Clause
/*
 * leaf_worklist.cuh - leaves, listed by the network that sorts them
 *
 * In:   where bins begin, and the range of their keys.
 * Out:  a list of leaves for each kind of network.
 *
 * A leaf is one bin or several neighbours.  Of the bins that begin in the same window of 2^12
 * keys (or more), all but the last fit together, for they end where the last one begins.  If the
 * last one fits, too, all are one leaf; otherwise the last one is a leaf of its own, of the kind
 * that its size asks for.
 *
 * Invariant: leaves do not overlap, and every bin is in one, or in order already.
 */
#ifndef GS_LEAF_WORKLIST_CUH
#define GS_LEAF_WORKLIST_CUH

#include "kernels/block/scan.cuh"
#include "kernels/thread/digit.cuh"

enum {
	LEAF_BITS   = 12,
	LEAF_KEYS   = 1 << LEAF_BITS,
	EQUAL_KEYS  = 1 << 16,		/* of one value, that one block writes */
};

/*
 * NARROW_n and WORD_n: networks of 2^n keys, of 16 bits or more.  EQUAL: keys of one value that
 * are not where they belong.  TOO_LARGE: segments that are to be divided again.
 */
enum kind {
	EQUAL, TOO_LARGE, NARROW_12, NARROW_13, NARROW_14, NARROW_15,
	WORD_12, WORD_13, WORD_14, WORD_15, KINDS,
};

struct leaf_item {
	uint64_t from, count;
	uint64_t low, high;	/* no key is below LOW or above HIGH */
};

struct lists {
	leaf_item *list[KINDS];
	uint32_t  *listed;		/* how many in each */
	bool       in_place;		/* keys are already where they belong */
	bool       narrow;		/* use networks of 16 bits */
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
	const bool narrow = sizeof(Key) == 4 && l.narrow && item.high - item.low < 1 << 16;
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

#endif
