// SPDX-License-Identifier: BSD-2-Clause
/*
 * sample.cuh - look at all keys: how shall the first division find their bins?
 *
 * In:   keys.
 * Out:  digits of their range, if they are evenly spread; if not, splitters.
 *
 * One block looks at 8192 keys (u64: 4096) from all parts of the input.  If no part of their
 * range is much fuller than the others, bins are digits of that range.  Otherwise the sample is
 * sorted, and every 32nd key (16th) of it is a splitter: between two of them there are about as
 * many keys, however these are spread.  N. Leischner, V. Osipov, P. Sanders, "GPU Sample Sort",
 * IPDPS 2010.
 *
 * A value that fills more than one bucket gets a bucket for itself, for splitters at v and v + 1
 * are ordinary splitters.
 *
 * Invariant: splitters never fall, and the first one is 0.
 */
#ifndef GS_SAMPLE_CUH
#define GS_SAMPLE_CUH

#include "kernels/block/bitonic.cuh"
#include "kernels/device/segment.cuh"

template <class Key> struct sampling {
	enum {
		THREADS = block<Key>::THREADS,
		KEYS    = block<Key>::KEYS,
		CELLS   = KEYS / 8,
		UNEVEN  = 31,		/* in a cell, of 8 expected; 1 in 10^6 even samples has one */
		MARGIN  = 64,		/* part of the range that a sample may have missed */
		EACH    = 2 * KEYS / BUCKETS,	/* samples of two buckets */
	};
};

/* How the bins of keys are found. */
template <class Key> struct bin_plan {
	uint32_t   skewed;		/* 1: by splitters */
	digits     even;
	Key        splitters[BUCKETS];
	refinement refinements[BUCKETS];	/* of each bucket into bins */
	Key        lows[SEGMENT_BINS];		/* the least key of each of these bins */
};

/* Is a cell of the sample's range crowded?  For all threads. */
template <class Key> static __device__ bool
sample_is_skewed(const Key *x, const digits &cells)
{
	typedef sampling<Key> S;
	__shared__ uint32_t counters[S::CELLS];
	bool crowded = false;

	for (unsigned c = threadIdx.x; c < S::CELLS; c += S::THREADS)
		counters[c] = 0;
	__syncthreads();
#pragma unroll
	for (unsigned r = 0; r < THREAD_KEYS; r++)
		atomicAdd(&counters[digit_of(cells, x[r])], 1u);
	__syncthreads();
	for (unsigned c = threadIdx.x; c < S::CELLS; c += S::THREADS)
		crowded = crowded || counters[c] >= S::UNEVEN;
	return __syncthreads_or(crowded);
}

/*
 * Splitter P: two buckets have EACH samples.  The splitter between them is the sample in the
 * middle; but if a gap is wider than a quarter of the whole, the middle of that gap: otherwise
 * most keys of such a bucket would lie at its two ends, in two bins.
 */
template <class Key> static __device__ Key
splitter_of(const Key *sample, unsigned p)
{
	typedef sampling<Key> S;
	const unsigned first = p / 2 * S::EACH, last = min(first + S::EACH, (unsigned)S::KEYS - 1);
	Key splitter = sample[slot<Key>(first + p % 2 * S::EACH / 2)];
	Key widest = (sample[slot<Key>(last)] - sample[slot<Key>(first)]) / 4;

	for (unsigned s = first; p % 2 == 1 && s < last; s++) {
		const Key key = sample[slot<Key>(s)], gap = sample[slot<Key>(s + 1)] - key;

		if (gap > widest) {
			widest = gap;
			splitter = key + gap / 2 + gap % 2;
		}
	}
	return p == 0 ? 0 : splitter;
}

/* All splitters of a sorted SAMPLE, to SPLITTERS in shared memory. */
template <class Key> static __device__ void
choose_splitters(Key *splitters, const Key *sample)
{
	enum { THREADS = sampling<Key>::THREADS, MINE = (BUCKETS + THREADS - 1) / THREADS };
	Key mine[MINE] = {};

	for (unsigned p = threadIdx.x; p < BUCKETS; p += THREADS)
		splitters[p] = splitter_of(sample, p);
	__syncthreads();
#pragma unroll
	for (unsigned i = 0; i < MINE; i++) {
		const unsigned p = i * THREADS + threadIdx.x;

		/* one splitter repeats: the value gets a bucket, those behind it are empty */
		if (p < BUCKETS)
			mine[i] = splitters[p] + (p > 0 && splitters[p - 1] == splitters[p] &&
			                          splitters[p] < (Key)~(Key)0);
	}
	__syncthreads();
#pragma unroll
	for (unsigned i = 0; i < MINE; i++)
		if (i * THREADS + threadIdx.x < BUCKETS)
			splitters[i * THREADS + threadIdx.x] = mine[i];
	__syncthreads();
}

/* The largest key of bucket B, or one less than its splitter if it is empty. */
template <class Key> static __device__ __forceinline__ Key
bucket_high(const Key *splitters, unsigned b)
{
	return b == BUCKETS - 1 ? (Key)~(Key)0 : splitters[b + 1] - 1;
}

/* Divide each bucket into EACH bins by its range; returns how many bins there are in all. */
template <class Key> static __device__ uint32_t
refine_buckets(bin_plan<Key> *plan, const Key *splitters, uint32_t each)
{
	enum { THREADS = sampling<Key>::THREADS };
	__shared__ uint32_t sums[THREADS / 32];
	uint32_t all = 0, more;

	for (unsigned from = 0; from < BUCKETS; from += THREADS) {
		const unsigned b = from + threadIdx.x;
		const bool exists = b < BUCKETS &&
		                    (b == BUCKETS - 1 || splitters[b] < splitters[b + 1]);
		digits d = {};
		uint32_t first;

		if (exists)
			d = digits_over(sizeof(Key) * 8, splitters[b], bucket_high(splitters, b), each);
		first = all + block_sum_before<THREADS>(d.bins, sums, &more);
		if (b < BUCKETS)
			plan->refinements[b] = refinement_of(d, first);
		for (uint32_t i = 0; i < d.bins; i++)
			plan->lows[first + i] = (Key)digit_begin(d, i);
		all += more;
		__syncthreads();
	}
	return all;
}

/* A segment of all keys, in bins by PLAN. */
static __device__ void
whole_segment(segment *s, segments_head *head, size_t count, uint64_t top, const digits &d,
              uint32_t tile_keys)
{
	*s = segment{ { 0, count, 0, top }, d, 0, 0, 0, LEAF_BITS };
	head->tiles = (uint32_t)((count + tile_keys - 1) / tile_keys);
	head->bins = d.bins;
}

/*
 * One block: make a PLAN for COUNT keys.
 *
 * @bins     if they are evenly spread
 * @each     bins of a bucket; 0: buckets are not divided
 * @whole    if not NULL, also make a segment of all keys
 * @zero     ZEROS words to set to zero
 */
template <class Key> static __global__ void
__launch_bounds__(sampling<Key>::THREADS)
sample_kernel(bin_plan<Key> *plan, const Key *keys, size_t count, uint32_t bins, uint32_t each,
              segment *whole, segments_head *head, uint32_t tile_keys, uint32_t *zero,
              uint32_t zeros)
{
	begin_in_turn();

	typedef sampling<Key> S;
	enum { BITS = sizeof(Key) * 8 };
	__shared__ __align__(16) Key shared[block<Key>::ROOM];
	__shared__ Key splitters[BUCKETS];
	__shared__ number range[2];
	const size_t step = count / S::KEYS;
	const uint64_t top = (Key)~(Key)0;
	Key x[THREAD_KEYS];
	uint64_t low = ~(uint64_t)0, high = 0;
	digits d;

	for (uint32_t z = threadIdx.x; z < zeros; z += S::THREADS)
		zero[z] = 0;
#pragma unroll
	for (unsigned r = 0; r < THREAD_KEYS; r++) {
		const size_t i = r * S::THREADS + threadIdx.x;
		/* anywhere in its step: a period of the keys must not meet that of samples */
		const size_t off = (i * UINT64_C(0x9e3779b97f4a7c15) >> 32) * step >> 32;

		x[r] = step > 0 ? keys[i * step + off] : keys[i % count];
		low = min(low, (uint64_t)x[r]);
		high = max(high, (uint64_t)x[r]);
	}
	block_range(&low, &high, range);
	if (!sample_is_skewed(x, digits_over(BITS, low, high, S::CELLS))) {
		const uint64_t margin = (high - low) / S::MARGIN;

		low = low > margin ? low - margin : 0;
		high = top - high > margin ? high + margin : top;
		d = digits_over(BITS, low, high, bins);
		d.outside = low > 0 || high < top;
		if (threadIdx.x == 0) {
			plan->skewed = 0;
			plan->even = d;
			if (whole != NULL)
				whole_segment(whole, head, count, top, d, tile_keys);
		}
		return;
	}
	block_sort(x, shared);
	rows_put(x, shared);
	__syncthreads();
	choose_splitters(splitters, shared);
	for (unsigned b = threadIdx.x; b < BUCKETS; b += S::THREADS)
		plan->splitters[b] = splitters[b];
	d = digits{ 0, top, 0, 0, 0, 0, 0, 0 };
	if (each > 0)
		d.bins = refine_buckets(plan, splitters, each);
	if (threadIdx.x == 0) {
		plan->skewed = 1;
		if (whole != NULL)
			whole_segment(whole, head, count, top, d, tile_keys);
	}
}

#endif
