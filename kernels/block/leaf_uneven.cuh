// SPDX-License-Identifier: BSD-2-Clause
/*
 * leaf_uneven.cuh - a block sorts a long leaf of uneven keys by dividing it once more
 *
 * In:   up to LONGEST keys of 32 bits in chunks of device memory.
 * Out:  the same keys, ascending, in one piece.
 *
 * Splitters come from a sample of the leaf.  Keys are read twice: bins are counted, then they are put one
 * behind the other in shared memory.  No key has to leave its bin, so all are near their places: each window
 * of neighbours is sorted, then windows that begin in the middle of these are merged, and so on in turn,
 * until half windows have moved as far as the longest bin asks for (odd-even transposition).
 *
 *     sample -> splitters -> keys of each bin -> bins in shared memory -> windows sorted, and merged in turn
 *            -> device memory
 *
 * So there are 54 stages or some more, not 105 to 120, no slots are empty, and any leaf is sorted.  Of one
 * that is too long for shared memory two blocks sort some bins each.  A bin of one value, which splitters at
 * v and v + 1 make, has no keys to sort; if all are such, keys are not read again.
 *
 * Invariant: no key of a bin is above any key of a later bin.
 */
#ifndef GS_LEAF_UNEVEN_CUH
#define GS_LEAF_UNEVEN_CUH

#include "kernels/block/bitonic.cuh"
#include "kernels/block/partition.cuh"
#include "kernels/block/scan.cuh"

#ifndef GS_UNEVEN_KEYS
#define GS_UNEVEN_KEYS	(49 << 10)	/* that 227 KB have room for; the emulator has fewer */
#endif

/* What a block needs besides its registers. */
struct uneven {
	enum {
		THREADS     = 1024,
		KEYS        = GS_UNEVEN_KEYS,
		RUNS        = 4,		/* of a sample, each sorted by a warp */
		BINS        = 512,
		WINDOW_BITS = 9,
		HALF        = 1 << (WINDOW_BITS - 1),
		EACH        = 6,		/* keys a thread, at once */
		BATCH       = THREADS * EACH,
		BATCHES     = 12,
		LONGEST     = BATCHES * BATCH,	/* a leaf, of which two blocks sort some bins each */
		BIN_BITS    = 10,		/* so three bins are a word */
		PITCH       = block<word<WARP_BITS>>::PITCH,
	};
	typedef ::splitters<uint32_t, BINS> copies;	/* until keys are here */
	union {
		word<WARP_BITS> keys[(KEYS + HALF) / THREAD_KEYS * PITCH];
		uint32_t        rows[copies::BYTES / sizeof(uint32_t)];
	};
	uint32_t splitters[BINS + 1];
	uint32_t cursors[BINS];		/* how many keys; then where the next one goes */
	uint32_t sums[32];
	uint32_t longest;		/* bin of more than one value */
};

/* Keys in chunks of CHUNK. */
template <unsigned CHUNK> struct uneven_source {
	const uint32_t *keys;
	const uint64_t *chunks;		/* where they begin */

	__device__ __forceinline__ const uint32_t *
	at(unsigned i) const
	{
		return keys + chunks[i / CHUNK] + i % CHUNK;
	}
};

/* Keys of batch G to X. */
template <unsigned CHUNK> static __device__ __forceinline__ void
uneven_load(uint32_t *x, const uneven_source<CHUNK> &from, uint32_t count, unsigned g)
{
	static_assert(CHUNK % uneven::BATCH == 0, "a batch is in one chunk");
	const int left = thread_left(count) - (int)(g * uneven::BATCH);
	const uint32_t *key = from.at(g * uneven::BATCH) + threadIdx.x;

#pragma unroll
	for (int i = 0; i < (int)uneven::EACH; i++)
		x[i] = i * (int)uneven::THREADS < left ? key[i * uneven::THREADS] : 0;
}

/*
 * Splitters of a leaf from a sample of RUNS times as many keys as a warp sorts, which may have a key several
 * times.  Each is the second of the keys that have its rank in the runs: these are sorted at once, and that
 * one is nearly as good as one from all of them.
 */
template <unsigned CHUNK> static __device__ __forceinline__ void
uneven_splitters(uneven *space, const uneven_source<CHUNK> &from, uint32_t count)
{
	enum { BINS = uneven::BINS, STEP = WARP_KEYS / BINS };
	const unsigned b = threadIdx.x, samples = uneven::RUNS * WARP_KEYS;
	uint32_t splitter = 0;

	if (b < uneven::RUNS * 32) {
		const unsigned first = b / 32 + b % 32 * uneven::RUNS;
		word<WARP_BITS> x[THREAD_KEYS];

#pragma unroll
		for (unsigned r = 0; r < THREAD_KEYS; r++)
			x[r].bits = *from.at((r * 32 * uneven::RUNS + first) * count / samples);
		block_sort(x, space->keys);
		rows_put(x, space->keys);
	}
	if (b == 0) {
		space->longest = 0;
		space->splitters[BINS] = 0;	/* so the last bin may be one of one value */
	}
	__syncthreads();
	if (b < BINS) {
		const uint32_t *const at = &space->keys[slot<word<WARP_BITS>>(b * STEP)].bits;
		const uint32_t p = at[0], q = at[32 * uneven::PITCH];
		const uint32_t r = at[64 * uneven::PITCH], s = at[96 * uneven::PITCH];

		splitter = min(max(min(p, q), min(r, s)), min(max(p, q), max(r, s)));
		space->cursors[b] = splitter;
	}
	__syncthreads();
	if (b < BINS) {
		const bool same = b > 1 && space->cursors[b - 1] == splitter;

		space->splitters[b] = b == 0 ? 0 : splitter + (same && ~splitter != 0);
	}
	__syncthreads();
	if (b < BINS)
		space->cursors[b] = 0;
}

/* Add 1 to the counter of each of these BINS, for batch G; RANKS: the counters before.  Of lanes that meet,
 * one adds for all: a leaf may have few values. */
static __device__ __forceinline__ void
uneven_ranks(uint32_t *counters, uint32_t *ranks, const uint32_t *bins, uint32_t count, unsigned g)
{
	const int left = thread_left(count) - (int)(g * uneven::BATCH);
	const bool some = (g + 1) * uneven::BATCH <= count && crowd_of(bins[0]).some;

#pragma unroll
	for (int i = 0; i < (int)uneven::EACH; i++)
		if (some) {
			const uint32_t same = __match_any_sync(ALL_LANES, bins[i]);
			const int first = __ffs((int)same) - 1, lane = (int)(threadIdx.x % 32);
			uint32_t rank = 0;

			if (lane == first)
				rank = atomicAdd(&counters[bins[i]], (uint32_t)__popc(same));
			ranks[i] = __shfl_sync(ALL_LANES, rank, first) +
			           (uint32_t)__popc(same & ((1u << lane) - 1));
		} else if (i * (int)uneven::THREADS < left) {
			ranks[i] = atomicAdd(&counters[bins[i]], 1u);
		}
}

/* Count the keys of batch G in their bins, which WORDS is told. */
template <unsigned CHUNK> static __device__ __forceinline__ void
uneven_count(uneven *space, const uneven_source<CHUNK> &from, uint32_t count, unsigned g, uint32_t *words)
{
	const uneven::copies copies = { space->rows };
	uint32_t x[uneven::EACH], bins[uneven::EACH];

	uneven_load(x, from, count, g);
	splitters_find<uneven::EACH>(copies, x, bins);
#pragma unroll
	for (unsigned i = 0; i < uneven::EACH; i += 3)
		words[i / 3] = bins[i] | bins[i + 1] << uneven::BIN_BITS |
		               bins[i + 2] << 2 * uneven::BIN_BITS;
	uneven_ranks(space->cursors, x, bins, count, g);
}

/* Keys of batch G that are from bin BIN to END - 1, as WORDS has it, to shared memory, behind others of their
 * bins; that at place AT is the first one there. */
template <unsigned CHUNK> static __device__ __forceinline__ void
uneven_put(uneven *space, const uneven_source<CHUNK> &from, uint32_t count, unsigned g, const uint32_t *words,
           uint32_t bin = 0, uint32_t end = uneven::BINS, uint32_t at = 0)
{
	const int left = thread_left(count) - (int)(g * uneven::BATCH);
	uint32_t x[uneven::EACH], bins[uneven::EACH], places[uneven::EACH];

	uneven_load(x, from, count, g);
#pragma unroll
	for (unsigned i = 0; i < uneven::EACH; i++)
		bins[i] = words[i / 3] >> i % 3 * uneven::BIN_BITS & ((1u << uneven::BIN_BITS) - 1);
	if (end - bin == uneven::BINS)
		uneven_ranks(space->cursors, places, bins, count, g);
#pragma unroll
	for (int i = 0; i < (int)uneven::EACH; i++)
		if (i * (int)uneven::THREADS < left && bins[i] >= bin && bins[i] < end) {
			if (end - bin < uneven::BINS)
				places[i] = atomicAdd(&space->cursors[bins[i]], 1u) - at;
			space->keys[slot<word<WARP_BITS>>(places[i])].bits = x[i];
		}
}

/* Bins have been counted: where they begin, and the longest that is to be sorted; returns if one is. */
static __device__ __forceinline__ bool
uneven_begin(uneven *space)
{
	const unsigned b = threadIdx.x;
	const uint32_t keys = b < uneven::BINS ? space->cursors[b] : 0;
	const bool sorts = keys > 0 && space->splitters[b] + 1 != space->splitters[b + 1];
	uint32_t all;
	const uint32_t begin = block_sum_before<uneven::THREADS>(keys, space->sums, &all);

	if (b < uneven::BINS)
		space->cursors[b] = begin;
	if (sorts && keys > uneven::HALF / 2)
		atomicMax(&space->longest, keys);
	return __syncthreads_or(sorts);
}

/* Sort COUNT keys in shared memory, bins of which have up to LONGEST. */
static __device__ __forceinline__ void
uneven_windows(uneven *space, uint32_t count, uint32_t longest)
{
	enum { HALF = uneven::HALF, FLIP = 2 * HALF / 32, PITCH = uneven::PITCH };
	const unsigned warp = threadIdx.x / 32;
	const unsigned end = (count + WARP_KEYS - 1) / WARP_KEYS * WARP_KEYS + HALF;
	const unsigned merges = max((longest + HALF - 2) / HALF, 1u);
	word<WARP_BITS> x[THREAD_KEYS];

	for (unsigned i = count + threadIdx.x; i < end; i += uneven::THREADS)
		space->keys[slot<word<WARP_BITS>>(i)].bits = ~0u;
	__syncthreads();
	for (unsigned turn = 0; turn <= merges; turn++) {
		for (unsigned w = warp; w * WARP_KEYS + turn % 2 * HALF < count; w += uneven::THREADS / 32) {
			word<WARP_BITS> *const keys = &space->keys[(w - warp) * (32 * PITCH) +
			                                           turn % 2 * (HALF / THREAD_KEYS * PITCH)];

			if (turn == 0) {
				rows_get(x, keys);
				block_sort(x, keys, uneven::WINDOW_BITS);
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

/* Keys in shared memory, sorted, to TO. */
template <class Map> static __device__ __forceinline__ void
uneven_write(uint32_t *to, const Map &map, const uneven *space, uint32_t count)
{
#pragma unroll 8
	for (uint32_t i = threadIdx.x; i < count; i += uneven::THREADS)
		to[i] = original(map, space->keys[slot<word<WARP_BITS>>(i)].bits);
}

/* Write COUNT keys, each bin of which has one value. */
template <class Map> static __device__ __forceinline__ void
uneven_values(uint32_t *to, const Map &map, const uneven *space, uint32_t count)
{
	for (unsigned bin = threadIdx.x / 32; bin < uneven::BINS; bin += uneven::THREADS / 32) {
		const uint32_t end = bin + 1 < uneven::BINS ? space->cursors[bin + 1] : count;

#pragma unroll 4
		for (uint32_t i = space->cursors[bin] + threadIdx.x % 32; i < end; i += 32)
			to[i] = original(map, space->splitters[bin]);
	}
}

/*
 * Half of a leaf that shared memory has no room for: as many bins as have half of the keys, or all others, as
 * many as fit at a time.  A bin of one value may not fit.
 */
template <class Map, unsigned CHUNK> static __device__ __noinline__ void
uneven_half(uint32_t *to, const Map &map, const uneven_source<CHUNK> &from, uint32_t count, bool second,
            const uint32_t *words, uneven *space)
{
	enum { BINS = uneven::BINS, KEYS = uneven::KEYS, WORDS = uneven::EACH / 3 };
	const uint32_t b = threadIdx.x, half = max(count / 2 + KEYS / 16, space->longest);
	const uint32_t most = min(half, (uint32_t)KEYS);
	uint32_t end, next;

	for (uint32_t bin = 0, at = 0; at < count && (bin == 0 || second); bin = end, at = next) {
		const uint32_t behind = b + 1 < BINS ? space->cursors[b + 1] : count;
		const bool fits = b >= bin && b < BINS && behind - at <= most;
		const uint32_t fit = (uint32_t)__syncthreads_count(fits);

		end = bin + max(fit, 1u);
		next = end < BINS ? space->cursors[end] : count;
		if ((bin > 0) != second)
			continue;
		if (fit == 0) {
			for (uint32_t i = at + threadIdx.x; i < next; i += uneven::THREADS)
				to[i] = original(map, space->splitters[bin]);
			continue;
		}
		for (unsigned g = 0; g * uneven::BATCH < count; g++)
			uneven_put(space, from, count, g, &words[g * WORDS], bin, end, at);
		uneven_windows(space, next - at, space->longest);
		uneven_write(to + at, map, space, next - at);
		__syncthreads();
	}
}

/*
 * Sort COUNT keys FROM chunks to TO, and map them back by MAP.  SECOND: of a leaf of
 * more than KEYS, the half that the other block leaves.
 *
 * @return  false, for all threads, if so many are in one bin that the sample is a freak: nothing is written
 */
template <class Map, unsigned CHUNK> static __device__ __forceinline__ bool
leaf_sort_uneven(uint32_t *to, const Map &map, const uneven_source<CHUNK> &from, uint32_t count, bool second,
                 uneven *space)
{
	enum { WORDS = uneven::EACH / 3 };
	uint32_t words[uneven::BATCHES * WORDS];

	uneven_splitters(space, from, count);
	(void)splitters_load<uneven::copies>(space->rows, [=](unsigned p) { return space->splitters[p]; });
	__syncthreads();
#pragma unroll
	for (unsigned g = 0; g < uneven::BATCHES; g++)
		if (g * uneven::BATCH < count)
			uneven_count(space, from, count, g, &words[g * WORDS]);
	__syncthreads();
	if (!uneven_begin(space)) {
		if (!second)
			uneven_values(to, map, space, count);
	} else if (space->longest > uneven::KEYS) {
		return false;
	} else if (count > uneven::KEYS) {
		uneven_half(to, map, from, count, second, words, space);
	} else {
#pragma unroll
		for (unsigned g = 0; g < uneven::BATCHES; g++)
			if (g * uneven::BATCH < min(count, (uint32_t)uneven::KEYS))
				uneven_put(space, from, count, g, &words[g * WORDS]);
		uneven_windows(space, count, space->longest);
		uneven_write(to, map, space, count);
	}
	return true;
}

#endif
