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
		EACH    = KEYS / BUCKETS,	/* samples of a bucket */
	};
};

/* How the bins of keys are found. */
template <class Key> struct bin_plan {
	uint32_t skewed;		/* 1: by splitters */
	digits   even;
	Key      splitters[BUCKETS];
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
 * Splitter P, of a sorted SAMPLE.  One that repeats is a value that fills a bucket: it gets a
 * bucket for itself, and those behind it are empty.
 */
template <class Key> static __device__ __forceinline__ Key
splitter_of(const Key *sample, unsigned p)
{
	typedef sampling<Key> S;
	const Key before = p > 1 ? sample[slot<Key>((p - 1) * S::EACH)] : 0;
	const Key splitter = p > 0 ? sample[slot<Key>(p * S::EACH)] : 0;

	return splitter + (p > 0 && splitter == before && splitter < (Key)~(Key)0);
}

/* The largest key of bucket B, or one less than its splitter if it is empty. */
template <class Key> static __device__ __forceinline__ Key
bucket_high(const Key *splitters, unsigned b)
{
	return b == BUCKETS - 1 ? (Key)~(Key)0 : splitters[b + 1] - 1;
}

/*
 * One block: make a PLAN for COUNT keys.
 *
 * @bins     if they are evenly spread
 * @zero     ZEROS words to set to zero
 */
template <class Key> static __global__ void
__launch_bounds__(sampling<Key>::THREADS)
sample_kernel(bin_plan<Key> *plan, const Key *keys, size_t count, uint32_t bins, uint32_t *zero,
              uint32_t zeros)
{
	begin_in_turn();

	typedef sampling<Key> S;
	enum { BITS = sizeof(Key) * 8 };
	__shared__ __align__(16) Key shared[block<Key>::ROOM];
	__shared__ number range[2];
	const size_t step = count / S::KEYS;
	const uint64_t top = (Key)~(Key)0;
	Key x[THREAD_KEYS];
	uint64_t low = ~(uint64_t)0, high = 0;
	bool skewed;

#pragma unroll
	for (unsigned r = 0; r < THREAD_KEYS; r++) {
		const size_t i = r * S::THREADS + threadIdx.x;
		/* anywhere in its step: a period of the keys must not meet that of samples */
		const size_t off = (i * UINT64_C(0x9e3779b97f4a7c15) >> 32) * step >> 32;

		x[r] = step > 0 ? keys[i * step + off] : keys[i % count];
	}
	for (uint32_t z = threadIdx.x; z < zeros; z += S::THREADS)
		zero[z] = 0;
#pragma unroll
	for (unsigned r = 0; r < THREAD_KEYS; r++) {
		low = min(low, (uint64_t)x[r]);
		high = max(high, (uint64_t)x[r]);
	}
	block_range(&low, &high, range);
	skewed = sample_is_skewed(x, digits_over(BITS, low, high, S::CELLS));
	if (threadIdx.x == 0)
		plan->skewed = skewed;
	if (!skewed) {
		const uint64_t margin = (high - low) / S::MARGIN;

		if (threadIdx.x == 0) {
			low = low > margin ? low - margin : 0;
			high = top - high > margin ? high + margin : top;
			plan->even = digits_over(BITS, low, high, bins);
			plan->even.outside = low > 0 || high < top;
		}
		return;
	}
	block_sort(x, shared);
	rows_put(x, shared);
	__syncthreads();
	for (unsigned p = threadIdx.x; p < BUCKETS; p += S::THREADS)
		plan->splitters[p] = splitter_of(shared, p);
}

#endif
