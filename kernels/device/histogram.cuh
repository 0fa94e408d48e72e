// SPDX-License-Identifier: BSD-2-Clause
/*
 * histogram.cuh - count digits: where every bin begins
 *
 *     sample_kernel   guesses the range of the keys from some of them
 *     count_kernel    counts digits over that range, and finds the true one; if
 *                     the guess was bad, it runs again over the true range
 *     place_kernel    sums counts up: where bins begin
 *
 * All bins of both levels are counted at once: counters of 16 bits, two in a word
 * of shared memory, up to 104 K of them a block.  A counter that comes to its
 * half moves that much to device memory.
 *
 * Invariant: a counter is below HALF after each barrier, and so never overflows.
 */
#ifndef GS_HISTOGRAM_CUH
#define GS_HISTOGRAM_CUH

#include "kernels/block/partition.cuh"

enum {
	COUNT_THREADS = 1024,
	COUNT_LOADS   = 4,		/* of 16 bytes each, in flight */
	COUNT_BINS    = 104 << 10,	/* 208 KB of the 227 that a block may have */
	COUNT_HALF    = 1 << 14,
	SAMPLES       = 8,		/* a thread */
	SAMPLE_KEYS   = COUNT_THREADS * SAMPLES,
	SAMPLE_BINS   = 256,
	SAMPLE_MARGIN = 64,		/* part of the range that a sample may have missed */
	COUNT_OUTSIDE = 64,		/* part of the keys that may be outside of it; not tuned */
	PLACE_EACH    = 4,		/* bins of a thread */
	PLACE_BINS    = COUNT_THREADS * PLACE_EACH,
};

typedef unsigned long long number;	/* what CUDA's 64 bit atomics take */

/* What is known of the keys; in device memory, all zero at first. */
struct knowledge {
	digits   plan;
	number   least, most;	/* least: inverted, so that 0 is no key yet */
	uint32_t ended;		/* blocks that have counted */
	uint32_t again;		/* the guess was bad: the plan is a new one */
	uint32_t crowd;		/* of SAMPLE_BINS of the sample: how many there are in the fullest */
	uint64_t ends[2];	/* 0, and how many keys there are */
};

/* Least, inverted, and most of a block's to *LEAST and *MOST; both in shared memory or not. */
static __device__ __forceinline__ void
block_range(uint64_t least, uint64_t most, number *shared, number *to_least, number *to_most)
{
	if (threadIdx.x < 2)
		shared[threadIdx.x] = 0;
	__syncthreads();
#pragma unroll
	for (unsigned lanes = 16; lanes > 0; lanes /= 2) {
		least = min(least, __shfl_xor_sync(ALL_LANES, least, lanes));
		most = max(most, __shfl_xor_sync(ALL_LANES, most, lanes));
	}
	if (threadIdx.x % 32 == 0) {
		atomicMax(&shared[0], (number)~least);
		atomicMax(&shared[1], (number)most);
	}
	__syncthreads();
	if (threadIdx.x == 0) {
		atomicMax(to_least, shared[0]);
		atomicMax(to_most, shared[1]);
	}
}

/*
 * A bin may be twice as full as the mean, or keys are no longer evenly spread: smaller
 * bins and some longer leaves are cheaper for a bell (2.7 times as dense in its middle).
 * If one is four times as full, buckets are (samplesort.cuh).
 */
enum {
	BELL_FROM   = 2 * SAMPLE_KEYS / SAMPLE_BINS,
	CROWD_FROM = 4 * SAMPLE_KEYS / SAMPLE_BINS,
};

/* Samples of each thread, in SAMPLE_BINS: how many are in the fullest?  For all threads. */
template <class Key> static __device__ uint32_t
crowd_in(const Key *x, const digits &d)
{
	__shared__ uint32_t counters[SAMPLE_BINS], most;

	if (threadIdx.x < SAMPLE_BINS)
		counters[threadIdx.x] = 0;
	if (threadIdx.x == 0)
		most = 0;
	__syncthreads();
#pragma unroll
	for (unsigned s = 0; s < SAMPLES; s++)
		atomicAdd(&counters[digit_of(d, x[s])], 1u);
	__syncthreads();
	if (threadIdx.x < SAMPLE_BINS)
		atomicMax(&most, counters[threadIdx.x]);
	__syncthreads();
	return most;
}

/*
 * One block: look at some keys, and plan for a range somewhat wider than theirs.
 * SAMPLE, if not NULL: room for them; and if they are a bell, plan for FINE bins.
 */
template <class Key> static __global__ void
__launch_bounds__(COUNT_THREADS)
sample_kernel(const Key *keys, size_t count, uint32_t bins, uint32_t fine, knowledge *known,
              Key *sample)
{
	begin_in_turn();

	__shared__ number shared[4];
	__shared__ digits coarse;
	const size_t step = count / SAMPLE_KEYS;
	Key x[SAMPLES];
	uint64_t least = ~(uint64_t)0, most = 0;
	uint32_t crowd = 0;

	if (threadIdx.x == 0)
		shared[2] = shared[3] = 0;
#pragma unroll
	for (unsigned s = 0; s < SAMPLES; s++) {
		const size_t i = s * COUNT_THREADS + threadIdx.x;
		/* anywhere in its step: a period of the keys must not meet that of samples */
		const size_t off = (i * UINT64_C(0x9e3779b97f4a7c15) >> 32) * step >> 32;

		x[s] = step > 0 ? keys[i * step + off] : keys[i % count];
		least = min(least, (uint64_t)x[s]);
		most = max(most, (uint64_t)x[s]);
		if (sample != NULL)
			sample[i] = x[s];
	}
	block_range(least, most, shared, &shared[2], &shared[3]);
	if (threadIdx.x == 0)
		coarse = digits_over(sizeof(Key) * 8, ~shared[2], shared[3], SAMPLE_BINS);
	__syncthreads();
	if (sample != NULL)
		crowd = crowd_in(x, coarse);
	if (threadIdx.x == 0) {
		const uint64_t low = ~shared[2], high = shared[3];
		const uint64_t top = (Key)~(Key)0, margin = (high - low) / SAMPLE_MARGIN;

		known->plan = digits_over(sizeof(Key) * 8, low > margin ? low - margin : 0,
		                          top - high > margin ? high + margin : top,
		                          crowd > BELL_FROM ? fine : bins);
		known->ends[1] = count;
		known->crowd = crowd;
	}
}

/*
 * The last block: was the guess good?  Few keys outside are nearly as good as none,
 * and cost less than to count once more: those of the tails of a bell, say.
 */
template <class Key> static __device__ void
judge(number *counts, size_t count, uint32_t bins, knowledge *known)
{
	/* atomics see what other blocks have done */
	const uint64_t least = ~atomicMax(&known->least, (number)0);
	const uint64_t most = atomicMax(&known->most, (number)0);
	const digits d = known->plan;

	if (least >= d.low && most <= d.high)
		return;
	if (atomicAdd(&counts[0], (number)0) + atomicAdd(&counts[d.bins - 1], (number)0) <=
	    count / COUNT_OUTSIDE) {
		known->plan.outside = 1;
		return;
	}
	known->plan = digits_over(sizeof(Key) * 8, least, most, bins);
	known->again = 1;
}

/* 16 bytes of keys. */
template <class Key> struct alignas(16) load {
	Key at[16 / sizeof(Key)];
};

/* Add ADD, at most 32, to the counter of BIN. */
static __device__ __forceinline__ void
count_add(uint32_t *counters, number *counts, uint32_t bin, uint32_t add)
{
	const unsigned shift = bin % 2 * 16;
	const uint32_t old = atomicAdd(&counters[bin / 2], add << shift) >> shift & 0xffff;

	if (old < COUNT_HALF && old + add >= COUNT_HALF) {
		atomicSub(&counters[bin / 2], (uint32_t)COUNT_HALF << shift);
		atomicAdd(&counts[bin], (number)COUNT_HALF);
	}
}

/* What count_kernel's threads carry with them. */
template <class Key> struct tally {
	digits    d;
	uint32_t *counters;	/* of this block's bins, two a word */
	number   *counts;	/* the same bins in device memory */
	Key       least, most;
};

/* A key of each lane; ALIKE: look first whether they all have the same digit. */
template <class Key> static __device__ __forceinline__ void
tally_key(const tally<Key> &t, Key key, bool alike)
{
	const uint32_t bin = digit_of(t.d, key);
	unsigned add = 1;

	if (alike && lanes_agree(bin))
		add = threadIdx.x % 32 == 0 ? 32 : 0;
	if (add > 0)
		count_add(t.counters, t.counts, bin, add);
}

/* The range of all keys, which may be wider than the guess. */
template <class Key> static __device__ __forceinline__ void
tally_range(tally<Key> *t, Key key)
{
	t->least = min(t->least, key);
	t->most = max(t->most, key);
}

template <class Key> static __device__ __forceinline__ void
tally_one(tally<Key> *t, Key key)
{
	tally_range(t, key);
	tally_key(*t, digit_clamp(t->d, key), false);
}

/*
 * LOADS of 16 bytes for each thread, all of which exist.  Hot bins (partition.cuh)
 * are not worth looking for here: that saved 3 % where half of the keys shared a
 * bin, and cost 40 % elsewhere.
 */
template <class Key> static __device__ __forceinline__ void
tally_loads(tally<Key> *t, const load<Key> *from)
{
	enum { EACH = 16 / sizeof(Key) };
	load<Key> x[COUNT_LOADS];

#pragma unroll
	for (unsigned l = 0; l < COUNT_LOADS; l++)
		x[l] = from[l * COUNT_THREADS + threadIdx.x];
#pragma unroll
	for (unsigned i = 0; i < COUNT_LOADS * EACH; i++)
		tally_range(t, x[i / EACH].at[i % EACH]);
	if ((Key)t->d.low > t->least || (Key)t->d.high < t->most) {	/* rarely, and then for good */
#pragma unroll
		for (unsigned i = 0; i < COUNT_LOADS * EACH; i++)
			x[i / EACH].at[i % EACH] = digit_clamp(t->d, x[i / EACH].at[i % EACH]);
	}
	if (lanes_agree(digit_of(t->d, x[0].at[0]))) {
#pragma unroll
		for (unsigned i = 0; i < COUNT_LOADS * EACH; i++)
			tally_key(*t, x[i / EACH].at[i % EACH], true);
	} else {
#pragma unroll
		for (unsigned i = 0; i < COUNT_LOADS * EACH; i++)
			tally_key(*t, x[i / EACH].at[i % EACH], false);
	}
}

/* Count digits of KEYS.  Those before a multiple of 16 bytes are the first block's. */
template <class Key> static __global__ void
__launch_bounds__(COUNT_THREADS)
count_kernel(number *counts, const Key *keys, size_t count, uint32_t bins, knowledge *known,
             bool again)
{
	begin_in_turn();

	enum { PART = COUNT_THREADS * COUNT_LOADS * 16 / sizeof(Key) };
	DYNAMIC_SHARED(memory);
	__shared__ number range[2];
	tally<Key> t = {
		known->plan, (uint32_t *)memory, counts + (again ? bins : 0), (Key)~(Key)0, 0,
	};

	if (again && known->again == 0)
		return;
	for (uint32_t w = threadIdx.x; w < (bins + 1) / 2; w += COUNT_THREADS)
		t.counters[w] = 0;
	__syncthreads();
	while (count > 0 && (uintptr_t)keys % 16 != 0) {
		if (blockIdx.x == 0 && threadIdx.x == 0)
			tally_one(&t, *keys);
		keys++;
		count--;
	}
	for (size_t at = blockIdx.x * (size_t)PART; at < count; at += gridDim.x * (size_t)PART) {
		if (count - at >= PART)
			tally_loads(&t, (const load<Key> *)&keys[at]);
		else
			for (size_t i = at + threadIdx.x; i < count; i += COUNT_THREADS)
				tally_one(&t, keys[i]);
		__syncthreads();
	}
	for (uint32_t b = threadIdx.x; b < bins; b += COUNT_THREADS) {
		const uint32_t rest = t.counters[b / 2] >> b % 2 * 16 & 0xffff;

		if (rest > 0)
			atomicAdd(&t.counts[b], (number)rest);
	}
	if (again)
		return;
	block_range(t.least, t.most, range, &known->least, &known->most);
	if (threadIdx.x == 0) {
		__threadfence();
		if (atomicAdd(&known->ended, 1u) == gridDim.x - 1)
			judge<Key>(counts, known->ends[1], bins, known);
	}
}

/* Where results of place_kernel go. */
struct places {
	number   *begins;	/* of all bins, and the end */
	number   *cursors[2];	/* of the bins of the first level, and of all (or NULL) */
	uint64_t *segments;	/* where bins of the first level begin, and the end */
	uint32_t  low_bits;	/* log2 of bins of the second level in one of the first */
	uint32_t *windows;	/* of 2^WINDOW_BITS keys: twice a bin that begins there (leaf_worklist.cuh) */
	unsigned  window_bits;
};

/*
 * Block b sums up all counts before its own, too: more reading, for from the cache,
 * than a second kernel would take time to start.
 */
static __global__ void
__launch_bounds__(COUNT_THREADS)
place_kernel(const number *counts, uint32_t bins, const knowledge *known, places p)
{
	begin_in_turn();

	__shared__ number sums[COUNT_THREADS / 32], upto;
	const uint32_t first = blockIdx.x * PLACE_BINS + threadIdx.x * PLACE_EACH;
	number mine[PLACE_EACH], sum = 0, before = 0, total;

	counts += known->again != 0 ? bins : 0;
	for (uint32_t b = threadIdx.x; b < blockIdx.x * PLACE_BINS; b += COUNT_THREADS)
		before += counts[b];
	before = sum_before<COUNT_THREADS>(before, sums, &total);
	upto = total;
	__syncthreads();
#pragma unroll
	for (unsigned i = 0; i < PLACE_EACH; i++) {
		mine[i] = first + i < bins ? counts[first + i] : 0;
		sum += mine[i];
	}
	before = upto + sum_before<COUNT_THREADS>(sum, sums, &total);
#pragma unroll
	for (unsigned i = 0; i < PLACE_EACH; i++) {
		const uint32_t b = first + i, segment = b >> p.low_bits;

		if (b < bins) {
			p.begins[b] = before;
			if (p.cursors[1] != NULL)
				p.cursors[1][b] = before;
			if (segment << p.low_bits == b)
				p.cursors[0][segment] = p.segments[segment] = before;
			if (mine[i] > 0) {
				uint32_t *window = &p.windows[(before >> p.window_bits) * 2];

				atomicMax(&window[0], ~b);
				atomicMax(&window[1], b);
			}
		}
		before += mine[i];
		if (b == bins - 1)
			p.begins[bins] = p.segments[(b >> p.low_bits) + 1] = before;
	}
}

#endif
