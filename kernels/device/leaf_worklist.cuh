// SPDX-License-Identifier: BSD-2-Clause
/*
 * leaf_worklist.cuh - leaves, listed by the network that sorts them
 *
 * In:   where bins begin, and the range of their keys.
 * Out:  a list of leaves for each kind of network.
 *
 * A leaf is one bin or several neighbours: as many as fit, from the first one on.  A network costs as much if
 * it is half empty.  A bin that does not fit is a leaf of its own, of the kind that its size asks for.
 *
 * Invariant: leaves do not overlap, and every bin is in one, or in order already.
 */
#ifndef GS_LEAF_WORKLIST_CUH
#define GS_LEAF_WORKLIST_CUH

#include "kernels/block/scan.cuh"
#include "kernels/thread/digit.cuh"
#include "kernels/thread/rows.cuh"

enum {
	LEAF_BITS   = 12,
	LEAF_KEYS   = 1 << LEAF_BITS,
	EQUAL_KEYS  = 1 << 16,		/* of one value, that one block writes */
};

/*
 * NARROW_n and WORD_n: networks of 2^n keys, of 16 bits or more.  LONG: block/leaf_long.cuh sorts these, or
 * parts of them.  EQUAL: keys of one value that are not where they belong, or not mapped back.  TOO_LARGE:
 * segments that are to be divided again.
 */
enum kind {
	EQUAL, TOO_LARGE, NARROW_12, NARROW_13, NARROW_14, NARROW_15,
	WORD_12, WORD_13, WORD_14, WORD_15, LONG, KINDS,
	AGAIN_12 = KINDS,		/* leaves of WORD_12 that are UNEVEN, and so on */
	LISTED = AGAIN_12 + KINDS - WORD_12,
};

/* A bit of the count of a listed leaf: block/leaf_windows.cuh has left it. */
static const uint64_t UNEVEN = (uint64_t)1 << 63;

struct leaf_item {
	uint64_t from, count;
	uint64_t low, high;	/* no key is below LOW or above HIGH */
	uint64_t first;		/* of its chunks, if it is in chunks */
};

struct lists {
	leaf_item *list[KINDS];
	uint32_t  *listed;		/* how many in each */
	bool       in_place;		/* keys are already where they belong, and what they were */
	uint32_t   equal_chunks;	/* of EQUAL_KEYS, if they are in chunks */
	bool       narrow;		/* use networks of 16 bits */
	int        kinds;		/* of leaves of each of both widths */
	int        paired;		/* from this length on two share a list, and the longer network */
};

template <class Of> static __device__ int
kind_of(const lists &l, const leaf_item &item)
{
	const bool narrow = Of::PLAN_BITS == 32 && l.narrow && item.high - item.low < 1 << 16;
	const int least = narrow ? NARROW_12 : WORD_12;

	if (item.count == 0 || (l.in_place && (item.count == 1 || item.low == item.high)))
		return KINDS;
	if (item.low == item.high && item.count > LEAF_KEYS)
		return EQUAL;
	for (int k = 0; k < l.kinds; k++)
		if (item.count <= (uint64_t)LEAF_KEYS << k)
			return least + (k < l.paired ? k : k & ~1);
	return TOO_LARGE;
}

/* List keys of one value, for several blocks. */
static __device__ inline void
list_equal(const lists &l, leaf_item item)
{
	uint64_t rest = item.count;
	uint32_t at = atomicAdd(&l.listed[EQUAL], (uint32_t)((rest + EQUAL_KEYS - 1) / EQUAL_KEYS));

	for (; rest > 0; rest -= item.count) {
		item.count = min(rest, (uint64_t)EQUAL_KEYS);
		l.list[EQUAL][at++] = item;
		item.from += item.count;
		item.first += l.equal_chunks;
	}
}

/*
 * The place of each thread in the list of its KIND, one of MANY or none; LISTED: how many are in each.
 * All threads of the block call, and it asks for room in each list once: the answer takes as long as all
 * the rest.
 */
template <unsigned MANY> static __device__ __forceinline__ uint32_t
list_places(uint32_t *listed, unsigned kind)
{
	__shared__ uint32_t counts[MANY], begins[MANY];
	uint32_t at = 0;

	if (threadIdx.x < MANY)
		counts[threadIdx.x] = 0;
	__syncthreads();
	if (kind < MANY)
		at = atomicAdd(&counts[kind], 1u);
	__syncthreads();
	if (threadIdx.x < MANY && counts[threadIdx.x] > 0)
		begins[threadIdx.x] = atomicAdd(&listed[threadIdx.x], counts[threadIdx.x]);
	__syncthreads();
	return kind < MANY ? begins[kind] + at : 0;
}

/* List ITEM of each thread, but none without keys; all threads of the block call. */
template <class Of> static __device__ void
list_leaf(const lists &l, const leaf_item &item)
{
	const int kind = kind_of<Of>(l, item);
	const uint32_t at = list_places<KINDS>(l.listed, (unsigned)(kind == EQUAL ? KINDS : kind));

	if (kind == EQUAL)
		list_equal(l, item);
	else if (kind < KINDS)
		l.list[kind][at] = item;
}

#endif
