// SPDX-License-Identifier: BSD-2-Clause
/*
 * leaf_long.cuh - a block sorts a long leaf by dividing it once more, whatever its keys are
 *
 * In:   up to LONGEST u32, or keys with payloads, in chunks of device memory.
 * Out:  the same rows, ascending, in one piece.
 *
 * Splitters come from a sample of the leaf.  Keys are read twice: once to count bins, once to put rows into
 * shared memory, bin after bin, as many as fit.  Rows stay in their bins:
 *
 *     sample -> splitters -> rows of each bin -> bins in shared memory
 *            -> u32:      windows sorted, and merged in turn -> device memory
 *            -> payloads: ranks in bins, counted             -> device memory
 *
 * All u32 are near their places: each window of neighbours is sorted, then windows that begin in the middle
 * of these are merged, and so on in turn, until half windows have moved as far as the longest bin asks for
 * (odd-even transposition): 54 stages or some more, not 105 to 120.  With payloads a bin has 16 keys or so,
 * which are 25 comparisons a key, and payloads need no network.  No slots are empty, and any leaf is sorted.
 * Several blocks share a leaf that is too long for one: each sorts some bins.  A bin of one value lies
 * between splitters v and v + 1, and needs no sort.  If no bin does, u32 are not read again.
 *
 * Invariant: no key of a bin is above any key of a later bin.
 */
#ifndef GS_LEAF_LONG_CUH
#define GS_LEAF_LONG_CUH

#include "kernels/block/bitonic.cuh"
#include "kernels/block/partition.cuh"
#include "kernels/block/scan.cuh"

#ifndef GS_LONG_KEYS
#define GS_LONG_KEYS	(191 << 8)	/* u32 that 227 KB have room for; the emulator has fewer */
#endif

/* Shared memory holds keys with payloads, and a bit for each row: it begins a bin. */
template <class Of> struct long_shape {
	typedef typename Of::key key;
	enum {
		WINDOWS = 0,
		BINS    = 1024,
		BATCHES = 12,
		KEYS    = GS_LONG_KEYS * 67 / 16 / (sizeof(key) + sizeof(typename Of::value)),
		ALONE   = GS_LONG_KEYS / 2,
		BEGINS  = KEYS / 32 + 1,
	};
	struct held {
		alignas(16) key    keys[KEYS];
		typename Of::value values[KEYS];
		uint32_t           begins[BEGINS];
	};
};

/* The same of u32. */
template <> struct long_shape<typed<uint32_t>> {
	typedef uint32_t key;
	enum {
		WINDOWS = 1,
		BINS    = 512,
		BATCHES = 21,		/* of a bucket that has two and a half times its share */
		KEYS    = GS_LONG_KEYS,
		ALONE   = KEYS,
		WINDOW_BITS = 9,
		HALF    = 1 << (WINDOW_BITS - 1),
	};
	struct held {
		word<WARP_BITS> keys[(KEYS + HALF) / THREAD_KEYS * block<word<WARP_BITS>>::PITCH];
	};
};

/* Shared memory of a block. */
template <class Of> struct long_leaf : long_shape<Of> {
	typedef long_shape<Of>      shape;
	typedef typename shape::key key;
	enum {
		THREADS  = 1024,
		SAMPLE   = 2 * THREADS,
		EACH     = 4,			/* rows of a thread at once; a batch is in one chunk */
		BATCH    = THREADS * EACH,
		LONGEST  = shape::BATCHES * BATCH,
		BIN_BITS = 10,			/* so three bins are a word */
		WORDS    = shape::BATCHES * EACH / 3,
		PITCH    = counters_pitch(shape::BINS),
	};
	typedef ::splitters<key, shape::BINS> copies;
	union {				/* in turn */
		key                  sample[SAMPLE];
		key                  rows[copies::BYTES / sizeof(key)];
		typename shape::held held;
	};
	key      splitters[shape::BINS + 1];
	uint32_t cursors[COUNTERS * PITCH];	/* how many keys each has; then where the next one goes */
	uint32_t sums[32];
	uint32_t longest;			/* keys of the longest bin of several values */
};

/* u64 without payloads gain nothing: words of a leaf take less. */
template <class Of> static __host__ __device__ constexpr bool
has_long_leaves(void)
{
	return Of::CARRIES || sizeof(typename Of::key) == 4;
}

/* How many blocks sort a leaf of COUNT rows. */
template <class Of> static __host__ __device__ constexpr uint32_t
long_parts(uint32_t count)
{
	enum { ALONE = long_leaf<Of>::ALONE };

	return count <= ALONE ? 1 : count / (ALONE / 8 * 7) + 1;
}

/* Rows in chunks. */
template <class Source> struct long_source {
	Source          rows;
	const uint64_t *chunks;		/* where they begin */
	uint32_t        chunk, inverse;	/* rows of one, and 2^32 / that, rounded up */

	__device__ __forceinline__ uint64_t
	index(uint32_t i) const
	{
		const uint32_t c = __umulhi(i, inverse);

		return chunks[c] + (i - c * chunk);
	}
};

/* Load rows of batch G, or only their keys, to X. */
template <class Of, class Row, class Rows, class Source> static __device__ __forceinline__ void
long_load(Row *x, Rows rows, const Source &from, uint32_t count, unsigned g)
{
	enum { THREADS = long_leaf<Of>::THREADS, EACH = long_leaf<Of>::EACH, BATCH = long_leaf<Of>::BATCH };

	tile_load<THREADS, EACH>(x, rows + from.index(g * BATCH), threadIdx.x, count - g * BATCH);
}

/* One stage of the sample's sort: compare this thread's keys with another's, STRIDE keys away; in a flip,
 * with their mirrors. */
template <unsigned STRIDE, bool FLIP, class Key> static __device__ __forceinline__ void
long_stage(Key *x, Key *shared)
{
	enum { MASK = FLIP ? STRIDE - 1 : STRIDE / 2 };		/* of thread numbers */
	const bool upper = (threadIdx.x & STRIDE / 2) != 0;
	Key other[2];

	if constexpr (MASK < 32) {
		other[0] = __shfl_xor_sync(ALL_LANES, x[0], MASK);
		other[1] = __shfl_xor_sync(ALL_LANES, x[1], MASK);
	} else {
		__syncthreads();
		shared[2 * threadIdx.x] = x[0];
		shared[2 * threadIdx.x + 1] = x[1];
		__syncthreads();
		other[0] = shared[2 * (threadIdx.x ^ MASK)];
		other[1] = shared[2 * (threadIdx.x ^ MASK) + 1];
	}
#pragma unroll
	for (unsigned i = 0; i < 2; i++) {
		const Key y = other[FLIP ? 1 - i : i];

		if (sizeof(Key) == 8)	/* 5 instructions, not 8 */
			x[i] = (x[i] < y) == upper ? y : x[i];
		else
			x[i] = upper ? max(x[i], y) : min(x[i], y);
	}
}

template <unsigned STRIDE, class Key> static __device__ __forceinline__ void
long_halve(Key *x, Key *shared)
{
	if constexpr (STRIDE > 1) {
		long_stage<STRIDE, false>(x, shared);
		long_halve<STRIDE / 2>(x, shared);
	} else {
		exchange(&x[0], &x[1]);
	}
}

/* Sort pieces of SIZE keys, two in a thread. */
template <unsigned SIZE, class Key> static __device__ __forceinline__ void
long_sort(Key *x, Key *shared)
{
	if constexpr (SIZE > 2) {
		long_sort<SIZE / 2>(x, shared);
		long_stage<SIZE / 2, true>(x, shared);
		long_halve<SIZE / 4>(x, shared);
	} else {
		exchange(&x[0], &x[1]);
	}
}

/* Take a sample of the leaf, and sort it in SAMPLE.  A key may be there several times.  Not in line: nvcc
 * would spill words. */
template <class Of> static __device__ __noinline__ void
long_sample(typename Of::key *sample, const long_source<const typename Of::key *> &from, uint32_t count)
{
	enum { SAMPLE = long_leaf<Of>::SAMPLE, THREADS = long_leaf<Of>::THREADS };
	typename Of::key x[2];

#pragma unroll
	for (unsigned i = 0; i < 2; i++)
		x[i] = from.rows[from.index((threadIdx.x + i * THREADS) * count / SAMPLE)];
	long_sort<SAMPLE>(x, sample);
	__syncthreads();
	sample[2 * threadIdx.x] = x[0];
	sample[2 * threadIdx.x + 1] = x[1];
	__syncthreads();
}

/* Splitters of a leaf. */
template <class Of, class Source> static __device__ __forceinline__ void
long_splitters(long_leaf<Of> *space, const Source &from, uint32_t count)
{
	enum { BINS = long_leaf<Of>::BINS, STEP = long_leaf<Of>::SAMPLE / BINS };
	const typename Of::key *const sample = space->sample;
	const unsigned b = threadIdx.x;
	typename Of::key splitter = 0;

	long_sample<Of>(space->sample, { keys_at(from.rows), from.chunks, from.chunk, from.inverse },
	                count);
	if (b == 0) {
		space->longest = 0;
		space->splitters[BINS] = 0;	/* so the last bin may be one of one value */
	}
	if (b < BINS && b > 0) {
		splitter = sample[b * STEP];
		if (b > 1 && sample[(b - 1) * STEP] == splitter)
			splitter += (typename Of::key) ~splitter != 0;
	}
	if (b < BINS)
		space->splitters[b] = splitter;
	for (unsigned w = b; w < COUNTERS * long_leaf<Of>::PITCH; w += long_leaf<Of>::THREADS)
		space->cursors[w] = 0;
	__syncthreads();
}

/* Count the keys of batch G in their bins, and keep these in WORDS. */
template <class Of, class Source> static __device__ __forceinline__ void
long_count(long_leaf<Of> *space, const Source &from, uint32_t count, unsigned g, uint32_t *words)
{
	enum { EACH = long_leaf<Of>::EACH };
	const typename long_leaf<Of>::copies copies = { space->rows };
	uint32_t *const cursors = counters_of_lane(space->cursors, long_leaf<Of>::PITCH);
	const int left = thread_left(count) - (int)(g * long_leaf<Of>::BATCH);
	typename Of::key x[EACH];
	uint32_t bins[EACH];

	long_load<Of>(x, keys_at(from.rows), from, count, g);
	splitters_find<EACH>(copies, x, bins);
#pragma unroll
	for (unsigned i = 0; i < EACH; i++) {
		const unsigned k = g * EACH + i;
		const uint32_t bin = bins[i] << k % 3 * long_leaf<Of>::BIN_BITS;

		words[k / 3] = k % 3 == 0 ? bin : words[k / 3] | bin;
		if ((int)(i * long_leaf<Of>::THREADS) < left)
			atomicAdd(&cursors[bins[i]], 1u);
	}
}

/* Rows in shared memory. */
template <class Of> static __device__ __forceinline__ typename Of::place
long_rows(long_leaf<Of> *space)
{
	return typename Of::place{ space->held.keys, space->held.values };
}

/* Word I of u32 in shared memory. */
template <class Of> static __device__ __forceinline__ word<WARP_BITS> &
long_key(long_leaf<Of> *space, uint32_t i)
{
	return space->held.keys[slot<word<WARP_BITS>>(i)];
}

/* Put rows of batch G whose bins are BIN to END - 1 into shared memory, each behind others of its bin.  WORDS
 * has the bins.  Place AT of the leaf comes first there. */
template <class Of, class Source> static __device__ __forceinline__ void
long_put(long_leaf<Of> *space, const Source &from, uint32_t count, unsigned g, const uint32_t *words,
         uint32_t bin, uint32_t end, uint32_t at)
{
	enum { EACH = long_leaf<Of>::EACH, BITS = long_leaf<Of>::BIN_BITS };
	uint32_t *const cursors = counters_of_lane(space->cursors, long_leaf<Of>::PITCH);
	const int left = thread_left(count) - (int)(g * long_leaf<Of>::BATCH);
	typename Of::row x[EACH];
	uint32_t places[EACH];

	long_load<Of>(x, from.rows, from, count, g);
#pragma unroll
	for (unsigned i = 0; i < EACH; i++) {
		const unsigned k = g * EACH + i;
		const uint32_t b = words[k / 3] >> k % 3 * BITS & ((1u << BITS) - 1);
		const bool here = (int)(i * long_leaf<Of>::THREADS) < left && b >= bin && b < end;

		places[i] = here ? atomicAdd(&cursors[b], 1u) - at : UINT32_MAX;
	}
#pragma unroll
	for (unsigned i = 0; i < EACH; i++)
		if (places[i] != UINT32_MAX) {
			if constexpr (long_leaf<Of>::WINDOWS)
				long_key(space, places[i]).bits = x[i];
			else
				row_put(long_rows(space), places[i], x[i]);
		}
}

/* Has BIN one value? */
template <class Of> static __device__ __forceinline__ bool
long_is_value(const long_leaf<Of> *space, uint32_t bin)
{
	return (typename Of::key)(space->splitters[bin] + 1) == space->splitters[bin + 1];
}

/* Bins have been counted.  Set CURSORS to where they begin, and LONGEST.  True: a bin needs a sort. */
template <class Of> static __device__ __forceinline__ bool
long_begin(long_leaf<Of> *space)
{
	enum { BINS = long_leaf<Of>::BINS, PITCH = long_leaf<Of>::PITCH };
	const unsigned b = threadIdx.x;
	const uint32_t keys = b < BINS ? counts_sum<COUNTERS>(&space->cursors[b], PITCH) : 0;
	const bool sorts = keys > 0 && !long_is_value(space, b);
	uint32_t all;
	const uint32_t begin = block_sum_before<long_leaf<Of>::THREADS>(keys, space->sums, &all);

	if (b < BINS)
		counts_begin<COUNTERS>(&space->cursors[b], PITCH, begin);
	if (long_leaf<Of>::WINDOWS && sorts && keys > WARP_KEYS / 8)
		atomicMax(&space->longest, keys);
	return __syncthreads_or(sorts);
}

/* ---- u32 ---------------------------------------------------------------------- */

/* Sort COUNT keys in shared memory.  The longest bin has LONGEST. */
template <class Of> static __device__ __forceinline__ void
long_windows(long_leaf<Of> *space, uint32_t count, uint32_t longest)
{
	enum { HALF = long_leaf<Of>::HALF, FLIP = 2 * HALF / 32, PITCH = block<word<WARP_BITS>>::PITCH };
	const unsigned warp = threadIdx.x / 32;
	const unsigned end = (count + WARP_KEYS - 1) / WARP_KEYS * WARP_KEYS + HALF;
	const unsigned merges = max((longest + HALF - 2) / HALF, 1u);
	word<WARP_BITS> x[THREAD_KEYS];

	for (unsigned i = count + threadIdx.x; i < end; i += long_leaf<Of>::THREADS)
		long_key(space, i).bits = ~0u;
	__syncthreads();
	for (unsigned turn = 0; turn <= merges; turn++) {
		const unsigned from = turn % 2 * HALF;

		for (unsigned w = warp; w * WARP_KEYS + from < count; w += long_leaf<Of>::THREADS / 32) {
			word<WARP_BITS> *const keys =
				&space->held.keys[(w - warp) * (32 * PITCH) + from / THREAD_KEYS * PITCH];

			if (turn == 0) {
				rows_get(x, keys);
				block_sort(x, keys, long_leaf<Of>::WINDOW_BITS);
			} else {
				columns_flip<FLIP>(x, keys);
				rows_get(x, keys);
				thread_halve<THREAD_KEYS, THREAD_KEYS, 2>(x);
			}
			rows_put(x, keys);
		}
		__syncthreads();
	}
}

/* Write COUNT keys, each bin of which has one value. */
template <class Of> static __device__ __forceinline__ void
long_values(typename Of::key *to, const typename Of::map &map, const long_leaf<Of> *space, uint32_t count)
{
	for (unsigned bin = threadIdx.x / 32; bin < long_leaf<Of>::BINS; bin += long_leaf<Of>::THREADS / 32) {
		const uint32_t end = bin + 1 < long_leaf<Of>::BINS ? space->cursors[bin + 1] : count;

#pragma unroll 4
		for (uint32_t i = space->cursors[bin] + threadIdx.x % 32; i < end; i += 32)
			to[i] = original(map, space->splitters[bin]);
	}
}

/* ---- keys with payloads ------------------------------------------------------- */

/* Mark that a bin begins at place AT. */
template <class Of> static __device__ __forceinline__ void
long_mark(long_leaf<Of> *space, uint32_t at)
{
	atomicOr(&space->held.begins[at / 32], 1u << at % 32);
}

/* Mark BIN, whose keys go to BEGIN to END - 1, unless it is empty.  In a bin of one value each key is a bin.
 * For all lanes. */
template <class Of> static __device__ __forceinline__ void
long_mark(long_leaf<Of> *space, uint32_t bin, uint32_t begin, uint32_t end)
{
	const bool value = begin < end && long_is_value(space, bin);

	if (begin < end)
		long_mark(space, begin);
	for (uint32_t rest = __ballot_sync(ALL_LANES, value); rest != 0; rest &= rest - 1) {
		const int lane = __ffs((int)rest) - 1;
		const uint32_t from = __shfl_sync(ALL_LANES, begin, lane);
		const uint32_t to = __shfl_sync(ALL_LANES, end, lane);

		for (uint32_t i = from / 32 + threadIdx.x % 32; i * 32 < to; i += 32) {
			const uint32_t first = i == from / 32 ? ~0u << from % 32 : ~0u;
			const uint32_t last = to - i * 32 < 32 ? (1u << to % 32) - 1 : ~0u;

			atomicOr(&space->held.begins[i], first & last);
		}
	}
}

/* Is KEY at place I before OTHER at place J? */
static __device__ __forceinline__ uint32_t
long_before(uint32_t key, uint32_t i, uint32_t other, uint32_t j)
{
	return ((uint64_t)key << 32 | i) < ((uint64_t)other << 32 | j);
}

static __device__ __forceinline__ uint32_t
long_before(uint64_t key, uint32_t i, uint64_t other, uint32_t j)
{
#ifdef __CUDA_ARCH__		/* 5 instructions, not 7 */
	uint32_t borrow;

	asm("{ .reg .u32 t; sub.cc.u32 t, %1, %2; subc.cc.u32 t, %3, %4; subc.cc.u32 t, %5, %6;"
	    " subc.u32 %0, 0, 0; }" : "=r"(borrow) : "r"(i), "r"(j), "r"((uint32_t)key),
	    "r"((uint32_t)other), "r"((uint32_t)(key >> 32)), "r"((uint32_t)(other >> 32)));
	return 0 - borrow;
#else
	return (key < other) | ((key == other) & (i < j));
#endif
}

/* COUNT rows are in shared memory, bins marked.  Write each to TO, by its rank in its bin. */
template <class Of> static __device__ __forceinline__ void
long_rank(typename Of::place to, const typename Of::map &map, long_leaf<Of> *space, uint32_t count)
{
	const typename Of::key *const keys = space->held.keys;

	for (uint32_t i = threadIdx.x; i < count; i += long_leaf<Of>::THREADS) {
		const uint32_t *const words = space->held.begins, *word = words + i / 32, *next = word;
		const typename Of::row row = long_rows(space)[i];
		uint32_t before = *word & ~(~1u << i % 32), behind = *word & ~1u << i % 32;

		while (before == 0)
			before = *--word;
		while (behind == 0)
			behind = *++next;
		uint32_t rank = (uint32_t)(word - words) * 32 + 31 - (uint32_t)__clz((int)before);
		const uint32_t end = (uint32_t)(next - words) * 32 + (uint32_t)__ffs((int)behind) - 1;

		if (end - rank > 1)
#pragma unroll 4
			for (uint32_t j = rank; j < end; j++)
				rank += long_before(keys[j], j, key_of(row), i);
		row_put(to, rank, original(map, row));
	}
}

/*
 * Write a bin that does not fit shared memory straight to its place.  Keys of one value go in any order.  If
 * there are several values, the sample is a freak: each key is ranked among all COUNT keys of the leaf.
 */
template <class Of, class Source> static __device__ __noinline__ void
long_large(typename Of::place to, const typename Of::map &map, const Source &from, uint32_t count,
           long_leaf<Of> *space, uint32_t bin)
{
	typedef typename Of::key Key;
	const Key low = space->splitters[bin], most = (Key)(space->splitters[bin + 1] - 1);

	for (uint32_t g = 0; g < count; g += long_leaf<Of>::THREADS) {
		const uint32_t k = min(g + threadIdx.x, count - 1), lane = threadIdx.x % 32;
		const typename Of::row row = from.rows[(int64_t)from.index(k)];
		const Key key = key_of(row);
		const bool here = g + threadIdx.x < count && key >= low && key <= most;
		const uint32_t lanes = __ballot_sync(ALL_LANES, here);
		uint32_t rank = 0;

		if (low == most) {
			if (lane == 0)
				rank = atomicAdd(&space->cursors[bin], (uint32_t)__popc(lanes));
			rank = __shfl_sync(ALL_LANES, rank, 0) + (uint32_t)__popc(lanes & ((1u << lane) - 1));
		} else if (here) {
			for (uint32_t i = 0; i < count; i++)
				rank += long_before(keys_at(from.rows)[from.index(i)], i, key, k);
		}
		if (here)
			row_put(to, rank, original(map, row));
	}
}

/* How many bins begin before place AT?  For all threads. */
template <class Of> static __device__ __forceinline__ uint32_t
long_bins_before(const long_leaf<Of> *space, uint32_t at)
{
	const uint32_t b = threadIdx.x;

	return (uint32_t)__syncthreads_count(b < long_leaf<Of>::BINS && space->cursors[b] < at);
}

/* Sort COUNT rows FROM chunks to TO, and map them back by MAP; of PARTS, only part PART. */
template <class Of, class Source> static __device__ __forceinline__ void
leaf_sort_long(typename Of::place to, const typename Of::map &map, const Source &from, uint32_t count,
               uint32_t part, uint32_t parts, long_leaf<Of> *space)
{
	enum { BINS = long_leaf<Of>::BINS, KEYS = long_leaf<Of>::KEYS, BATCH = long_leaf<Of>::BATCH };
	const uint32_t b = threadIdx.x;
	uint32_t words[long_leaf<Of>::WORDS], bin, last;

	long_splitters(space, from, count);
	(void)splitters_load<typename long_leaf<Of>::copies>(space->rows,
	                                                     [=](unsigned p) { return space->splitters[p]; });
	__syncthreads();
#pragma unroll
	for (unsigned g = 0; g < long_leaf<Of>::BATCHES; g++)
		if (g * BATCH < count)
			long_count(space, from, count, g, words);
	__syncthreads();
	const bool sorts = long_begin(space);

	if constexpr (!Of::CARRIES)
		if (!sorts) {
			if (part == 0)
				long_values(to, map, space, count);
			return;
		}
	bin = long_bins_before(space, (uint32_t)((uint64_t)part * count / parts));
	last = long_bins_before(space, (uint32_t)((uint64_t)(part + 1) * count / parts));
	while (bin < last) {
		const uint32_t at = space->cursors[bin];
		const uint32_t begin = b < BINS ? space->cursors[b] : count;
		const uint32_t behind = b + 1 < BINS ? space->cursors[b + 1] : count;

		if constexpr (!long_leaf<Of>::WINDOWS)
			for (uint32_t i = b; i <= KEYS / 32; i += long_leaf<Of>::THREADS)
				space->held.begins[i] = 0;
		const bool fits = b >= bin && b < last && behind - at <= KEYS;
		const uint32_t fit = (uint32_t)__syncthreads_count(fits);
		const uint32_t end = bin + max(fit, 1u), next = end < BINS ? space->cursors[end] : count;

		if (fit == 0) {
			long_large(to, map, from, count, space, bin);
		} else {
			if constexpr (!long_leaf<Of>::WINDOWS) {
				long_mark(space, b, begin - at, b >= bin && b < end ? behind - at : 0);
				if (b == 0)	/* and behind the last */
					long_mark(space, next - at);
			}
#pragma unroll
			for (unsigned g = 0; g < long_leaf<Of>::BATCHES; g++)
				if (g * BATCH < count)
					long_put(space, from, count, g, words, bin, end, at);
			__syncthreads();
			if constexpr (long_leaf<Of>::WINDOWS) {
				long_windows(space, next - at, space->longest);
#pragma unroll 8
				for (uint32_t i = b; i < next - at; i += long_leaf<Of>::THREADS)
					to[at + i] = original(map, long_key(space, i).bits);
			} else {
				long_rank(to + at, map, space, next - at);
			}
		}
		__syncthreads();
		bin = end;
	}
}

#endif
