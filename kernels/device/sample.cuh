// SPDX-License-Identifier: BSD-2-Clause
/*
 * sample.cuh - look at all keys: how shall the first division find their buckets?
 *
 * In:   keys.
 * Out:  digits of their range, if they are evenly spread; if not, splitters.
 *
 *     sample_kernel   keys from all parts of the input: 8192 (u64: 4096)
 *     plan_kernel     blocks rank some of them each
 *
 * If no part of their range is much fuller than the others, and there are not only few values,
 * buckets are digits of that range.
 * Otherwise keys of evenly spaced ranks in the sample are splitters: between two of them there
 * are about as many keys, however these are spread.  N. Leischner, V. Osipov, P. Sanders, "GPU
 * Sample Sort", IPDPS 2010.
 *
 * A rank is counted, against all of the sample: 128 blocks at once take a fifth of the time that
 * one block takes to sort it (H200: 4 and 28 us for u64).
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
		KEYS    = BUCKETS * (sizeof(Key) == 4 ? 32 : 16),
		CELLS   = KEYS / 8,
		UNEVEN  = 25,		/* in a cell, of 8 expected; 1 in 500 even samples has one, a
					 * bell always */
		MARGIN  = 64,		/* part of the range that a sample may have missed */
		TAKERS  = 256,		/* threads of a block that takes samples */
		THREADS = 1024,		/* of one that ranks them */
		RANKS   = sizeof(Key) == 4 ? 2 : 1,	/* that a warp counts */
		BLOCKS  = KEYS / (THREADS / 32 * RANKS),
	};
};

/* How the buckets of keys are found. */
template <class Key> struct bin_plan {
	uint32_t skewed;		/* 1: by splitters */
	uint32_t buckets, rows;		/* splitters, and how many there are with those behind all keys */
	digits   even;
	alignas(16) Key sample[sampling<Key>::KEYS];
	Key      ranked[FEW_BUCKETS];	/* of these ranks; see splitter_at() */
};

/*
 * Splitter P.  One that repeats is a value that fills a bucket: it gets a bucket for itself, and
 * those behind it are empty.
 */
template <class Key> static __device__ __forceinline__ Key
splitter_at(const bin_plan<Key> *plan, unsigned p)
{
	const Key before = p > 1 ? plan->ranked[p - 1] : 0, splitter = p > 0 ? plan->ranked[p] : 0;

	if (p >= plan->buckets)
		return (Key)~(Key)0;
	return splitter + (p > 0 && splitter == before && splitter < (Key)~(Key)0);
}

/* The largest key of bucket B, or one less than its splitter if it is empty. */
template <class Key> static __device__ __forceinline__ Key
bucket_high(const bin_plan<Key> *plan, unsigned b)
{
	return b == plan->rows - 1 ? (Key)~(Key)0 : splitter_at(plan, b + 1) - 1;
}

/* Take samples from COUNT keys; and set ZEROS words at ZERO to zero. */
template <class Key> static __global__ void
__launch_bounds__(sampling<Key>::TAKERS)
sample_kernel(bin_plan<Key> *plan, const Key *keys, size_t count, uint32_t *zero, uint32_t zeros)
{
	begin_in_turn();

	const size_t i = blockIdx.x * blockDim.x + threadIdx.x, step = count / sampling<Key>::KEYS;
	/* anywhere in its step: a period of the keys must not meet that of samples */
	const size_t off = (i * UINT64_C(0x9e3779b97f4a7c15) >> 32) * step >> 32;

	plan->sample[i] = step > 0 ? keys[i * step + off] : keys[i % count];
	for (size_t z = i; z < zeros; z += sampling<Key>::KEYS)
		zero[z] = 0;
}

/* Is one of the cells crowded where CELL_OF() says that samples are?  For all threads. */
template <class Key, class Cell> static __device__ bool
sample_crowds(const Key *sample, Cell cell_of)
{
	typedef sampling<Key> S;
	__shared__ uint32_t counters[S::CELLS];
	bool crowded = false;

	for (unsigned c = threadIdx.x; c < S::CELLS; c += S::THREADS)
		counters[c] = 0;
	__syncthreads();
	for (unsigned i = threadIdx.x; i < S::KEYS; i += S::THREADS)
		atomicAdd(&counters[cell_of(sample[i])], 1u);
	__syncthreads();
	for (unsigned c = threadIdx.x; c < S::CELLS; c += S::THREADS)
		crowded = crowded || counters[c] >= S::UNEVEN;
	return __syncthreads_or(crowded);
}

/* Is a part of the range crowded, or are there so few values that cells of their hashes are? */
template <class Key> static __device__ bool
sample_is_skewed(const Key *sample, const digits &cells)
{
	return sample_crowds(sample, [=](Key key) { return digit_of(cells, key); }) ||
	       sample_crowds(sample, [=](Key key) {
		return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) % sampling<Key>::CELLS;
	});
}

/*
 * Ranks of the keys from J on, RANKS of them, in a sample that is in shared memory; all lanes call,
 * and the last one gets them.  Of equal keys the first one has the lowest rank.
 */
template <class Key> static __device__ __forceinline__ void
sample_ranks(uint32_t *ranks, const Key *sample, unsigned j)
{
	typedef sampling<Key> S;
	enum { EACH = 16 / sizeof(Key) };
	const load<Key> *some = (const load<Key> *)sample;
	unsigned at = threadIdx.x % 32;
	Key mine[S::RANKS];

#pragma unroll
	for (unsigned r = 0; r < S::RANKS; r++) {
		mine[r] = sample[j + r];
		ranks[r] = 0;
	}
	for (; at < j / EACH; at += 32) {
		const load<Key> keys = some[at];

#pragma unroll
		for (unsigned r = 0; r < S::RANKS; r++)
#pragma unroll
			for (unsigned k = 0; k < EACH; k++)
				ranks[r] += keys.at[k] <= mine[r];
	}
	if (at == j / EACH) {
#pragma unroll
		for (unsigned r = 0; r < S::RANKS; r++)
			for (unsigned k = 0; k < EACH; k++) {
				const Key key = sample[at * EACH + k];

				ranks[r] += key < mine[r] || (key == mine[r] && at * EACH + k < j + r);
			}
		at += 32;
	}
	for (; at < S::KEYS / EACH; at += 32) {
		const load<Key> keys = some[at];

#pragma unroll
		for (unsigned r = 0; r < S::RANKS; r++)
#pragma unroll
			for (unsigned k = 0; k < EACH; k++)
				ranks[r] += keys.at[k] < mine[r];
	}
#pragma unroll
	for (unsigned r = 0; r < S::RANKS; r++)
		ranks[r] = warp_sum(ranks[r]);
}

/* Finish PLAN: digits over the range if keys are even, BINS of them, or splitters of
 * BUCKETS, in ROWS. */
template <class Key> static __global__ void
__launch_bounds__(sampling<Key>::THREADS)
plan_kernel(bin_plan<Key> *plan, uint32_t bins, uint32_t buckets, uint32_t rows)
{
	begin_in_turn();

	typedef sampling<Key> S;
	enum { BITS = sizeof(Key) * 8, EACH = 16 / sizeof(Key) };
	__shared__ __align__(16) Key sample[S::KEYS];
	__shared__ number range[2];
	const uint64_t top = (Key)~(Key)0;
	const unsigned j = (blockIdx.x * (S::THREADS / 32) + threadIdx.x / 32) * S::RANKS;
	uint64_t low = ~(uint64_t)0, high = 0;
	uint32_t ranks[S::RANKS];
	bool skewed;

	for (unsigned i = threadIdx.x; i < S::KEYS / EACH; i += S::THREADS) {
		const load<Key> keys = ((const load<Key> *)plan->sample)[i];

		((load<Key> *)sample)[i] = keys;
#pragma unroll
		for (unsigned k = 0; k < EACH; k++) {
			low = min(low, (uint64_t)keys.at[k]);
			high = max(high, (uint64_t)keys.at[k]);
		}
	}
	block_range(&low, &high, range);
	skewed = sample_is_skewed(sample, digits_over(BITS, low, high, S::CELLS));
	if (blockIdx.x == 0 && threadIdx.x == 0) {
		const uint64_t margin = (high - low) / S::MARGIN;

		low = low > margin ? low - margin : 0;
		high = top - high > margin ? high + margin : top;
		plan->skewed = skewed;
		plan->buckets = buckets;
		plan->rows = rows;
		plan->even = digits_over(BITS, low, high, bins);
		plan->even.outside = low > 0 || high < top;
	}
	if (!skewed)
		return;
	sample_ranks(ranks, sample, j);
#pragma unroll
	for (unsigned r = 0; r < S::RANKS; r++) {
		const uint32_t at = ranks[r] * buckets;

		if (threadIdx.x % 32 == 31 && at % S::KEYS < buckets)
			plan->ranked[at / S::KEYS] = sample[j + r];
	}
}

#endif
