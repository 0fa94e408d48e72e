// SPDX-License-Identifier: BSD-2-Clause
/*
 * leaf_windows.cuh - a block sorts a leaf by dividing it once more
 *
 * In:   up to 2^BITS keys in device memory, in one piece, even or nearly.
 * Out:  the same keys, ascending; or the answer that they are too uneven.
 *
 * The whole network compares each key log2(n)^2 / 2 times, most of these far apart.  Instead keys
 * are put in bins of about three, by digits of their range, one atomic addition each.  Bins that
 * begin in the same FILL keys share a window of 64 slots, which has room for the last one, too,
 * unless that has very many keys.  Two threads sort a window: 20 stages, only one of them between
 * lanes, and no barrier of the block.
 *
 *     keys in registers -> range -> bins, ranks -> where bins begin -> windows in shared memory
 *                       -> a row of slots a thread, sorted -> device memory
 *
 * Keys of 64 bits stay in their slots while words are sorted: 25 bits of the key's distance from
 * the first bin of its window, and the slot.  Keys whose words tie come out in any order; a warp
 * that finds two in the wrong one sorts its keys once more, by all their bits.
 *
 * Invariant: a slot without a key has one that is not below any other.
 */
#ifndef GS_LEAF_WINDOWS_CUH
#define GS_LEAF_WINDOWS_CUH

#include "kernels/block/bitonic.cuh"
#include "kernels/block/scan.cuh"
#include "kernels/launch.cuh"
#include "kernels/thread/rows.cuh"

enum {
	WINDOW      = 2 * THREAD_KEYS,	/* slots */
	MOST_FILL   = 52,
	BIN_MEAN    = 3,		/* keys of a bin */
	SLOT_BITS   = 7,		/* of a word */
	WINDOW_BINS = 6,		/* log2 of the bins whose keys words tell apart */
};

/* What a block needs besides its registers. */
template <unsigned BITS> struct windows {
	enum {
		THREADS = 5 << (BITS - 7),	/* so MOST_FILL of each window are enough for 2^BITS */
		COUNT   = THREADS / 2,
		ITEMS   = ((1 << BITS) + THREADS - 1) / THREADS,
		BINS    = ((1 << BITS) + BIN_MEAN - 1) / BIN_MEAN,
		EACH    = (BINS + THREADS - 1) / THREADS,
		PITCH   = block<uint64_t>::PITCH,	/* a row of slots and its pad */
		BLOCKS  = 4 >> (BITS - 12),	/* that registers and shared memory have room for */
	};
	static_assert(COUNT * MOST_FILL >= 1 << BITS, "windows for all keys");
	alignas(16) uint64_t slots[THREADS * PITCH];
	uint32_t bins[BINS];		/* how many keys; then the slot of the first one */
	uint32_t begins[COUNT + 1];	/* keys before each window */
	uint32_t sums[32];
	uint32_t least, most;		/* of positions */
};

/* Sort the keys of two threads, to rows. */
template <class Word> static __device__ __forceinline__ void
window_sort(Word *x)
{
	const bool upper = threadIdx.x % 2 != 0;

	thread_sort<THREAD_KEYS>(x);
#pragma unroll
	for (unsigned r = 0; r < THREAD_KEYS / 2; r++) {
		const unsigned mirror = THREAD_KEYS - 1 - r;
		const Word a = __shfl_xor_sync(ALL_LANES, x[mirror], 1);
		const Word b = __shfl_xor_sync(ALL_LANES, x[r], 1);

		x[r] = upper ? max(x[r], a) : min(x[r], a);
		x[mirror] = upper ? max(x[mirror], b) : min(x[mirror], b);
	}
	thread_halve<THREAD_KEYS, THREAD_KEYS, 2>(x);
}

/* ---- bins ----------------------------------------------------------------- */

/* Where keys are in a leaf: 32 bits of their distance from LOW, and of that from LEAST on, their bin. */
struct window_scale {
	uint64_t low;
	unsigned down;
	uint32_t least, scale, whole;	/* as in thread/digit.cuh */
	uint32_t fill;			/* keys of a window, or some more */
	float    width;			/* of a bin */
};

static __device__ __forceinline__ uint32_t
position_of(const window_scale &s, uint64_t key)
{
	const uint64_t rest = key - s.low;

	return __funnelshift_rc((uint32_t)rest, (uint32_t)(rest >> 32), s.down);
}

static __device__ __forceinline__ uint32_t
window_bin(const window_scale &s, uint32_t position)
{
	const uint32_t x = position - s.least;

	return __umulhi(x, s.scale) + x * s.whole;
}

/* The range of positions X of some keys of each thread, for all threads.  *LEAST and *MOST: in shared
 * memory, and ~0 and 0 at first. */
template <unsigned ITEMS, unsigned THREADS> static __device__ __forceinline__ void
windows_range(const window_scale &s, const uint64_t *x, int left, uint32_t *least, uint32_t *most)
{
	uint32_t low = ~0u, high = 0;

	rows_each<ITEMS, THREADS>(left, [&](int i) {
		low = min(low, position_of(s, x[i]));
		high = max(high, position_of(s, x[i]));
	});
	low = ~warp_greatest(~low);
	high = warp_greatest(high);
	if (threadIdx.x % 32 == 0) {
		atomicMin(least, low);
		atomicMax(most, high);
	}
	__syncthreads();
}

/*
 * SPACE has the keys of each bin counted; all threads call.  Then it has the first slot of each bin,
 * and where windows begin: behind FILL keys, or at the next bin.
 *
 * @return  false, for all, if a bin does not fit its window, or not all FIT
 */
template <unsigned BITS> static __device__ __forceinline__ bool
windows_begin(windows<BITS> *space, uint32_t fill, uint32_t count, bool fit)
{
	typedef windows<BITS> W;
	const unsigned first = threadIdx.x * W::EACH;
	const uint32_t inverse = ~0u / fill + 1;	/* exact for such numbers */
	const unsigned behind = min(first + W::EACH, (unsigned)W::BINS);
	uint32_t before = 0, total;

#pragma unroll 3
	for (unsigned b = first; b < behind; b++)
		before += space->bins[b];
	before = block_sum_before<W::THREADS>(before, space->sums, &total);
	for (unsigned w = threadIdx.x; w <= W::COUNT; w += W::THREADS)
		if (w == 0 || w * fill > count)
			space->begins[w] = w == 0 ? 0 : count;
#pragma unroll 3
	for (unsigned b = first; b < behind; b++) {
		const uint32_t w = __umulhi(before, inverse), end = before + space->bins[b];
		const uint32_t next = (w + 1) * fill;

		fit = fit && end - w * fill <= WINDOW;
		if (end > before && fit) {
			space->bins[b] = before + w * (WINDOW - fill);
			/* no key of this bin is in those */
			if (next <= end)
				space->begins[w + 1] = end;
			if (next + fill <= end)
				space->begins[w + 2] = end;
		}
		before = end;
	}
	return !__syncthreads_or(!fit);
}

/* ---- windows ---------------------------------------------------------------- */

/* Sort the keys of this thread's window, where they are, by all their bits. */
template <class Key> static __device__ __noinline__ void
window_sort_whole(Key *slots)
{
	Key keys[THREAD_KEYS];

	rows_get(keys, slots);
	window_sort(keys);
	rows_put(keys, slots);
}

/*
 * Sort the keys of this thread's window, where they are, by words.  BASE, a lower bound of positions in
 * the window, is where its first bin begins; all that is more than 2^WINDOW_BINS bins away ties.
 */
template <unsigned BITS> static __device__ __forceinline__ void
window_sort_in(windows<BITS> *space, const window_scale &s)
{
	enum { PITCH = windows<BITS>::PITCH, MOST = (1 << (32 - SLOT_BITS)) - 1 };
	const unsigned w = threadIdx.x / 2, half = threadIdx.x % 2 * PITCH;
	const uint64_t *const window = &space->slots[w * (2 * PITCH)];
	const uint32_t slot = space->begins[w] - w * s.fill;	/* of the first key, if there is one */
	const uint64_t first = window[min(slot + slot / THREAD_KEYS * 2, 65u)];
	const uint32_t bin = window_bin(s, position_of(s, first));
	const uint32_t base = s.least + (uint32_t)((float)bin * s.width * (1.f - 1.f / (1 << 20)));
	const uint32_t bins = (uint32_t)(min(s.width, 6e7f) * (1 << WINDOW_BINS));
	const int down = max(SLOT_BITS - __clz((int)bins), 0);
	uint32_t x[THREAD_KEYS];
	uint64_t keys[THREAD_KEYS], next;
	bool wrong;

	rows_get(keys, space->slots);
#pragma unroll
	for (unsigned r = 0; r < THREAD_KEYS; r++) {
		x[r] = min((position_of(s, keys[r]) - base) >> down, (uint32_t)MOST);
		x[r] = x[r] << SLOT_BITS | (half + r);
	}
	window_sort(x);
#pragma unroll
	for (unsigned r = 0; r < THREAD_KEYS; r++)
		keys[r] = window[x[r] & ((1 << SLOT_BITS) - 1)];
	next = __shfl_down_sync(ALL_LANES, keys[0], 1);
	wrong = threadIdx.x % 2 == 0 && keys[THREAD_KEYS - 1] > next;
#pragma unroll
	for (unsigned r = 0; r + 1 < THREAD_KEYS; r++)
		wrong = wrong || keys[r] > keys[r + 1];
	__syncwarp();
	rows_put(keys, space->slots);
	if (__any_sync(ALL_LANES, wrong))
		window_sort_whole(space->slots);
}

/* Rows of a warp to TO, neighbours in neighbouring lanes. */
template <unsigned BITS, class Map> static __device__ __forceinline__ void
windows_write(uint64_t *to, const Map &map, const windows<BITS> *space)
{
	enum { PITCH = windows<BITS>::PITCH };
	const unsigned lane = threadIdx.x % 32, row = threadIdx.x - lane;

	with_map(map, [&](const auto &m) {
#pragma unroll
		for (unsigned r = 0; r < THREAD_KEYS; r += 2) {
			const uint32_t *const begins = &space->begins[(row + r) / 2];
			const uint32_t at = begins[0] + lane, end = begins[1];
			const uint64_t *const from = &space->slots[(row + r) * PITCH + lane];

			if (at < end)
				to[at] = original(m, from[0]);
			if (at + THREAD_KEYS < end)
				to[at + THREAD_KEYS] = original(m, from[PITCH]);
		}
	});
}

/* ---- a leaf ------------------------------------------------------------------ */

/* Before the next leaf; ends without a barrier. */
template <unsigned BITS> static __device__ __forceinline__ void
windows_clear(windows<BITS> *space)
{
	typedef windows<BITS> W;

	for (unsigned b = threadIdx.x; b < W::BINS; b += W::THREADS)
		space->bins[b] = 0;
	if (threadIdx.x == 0) {
		space->least = ~0u;
		space->most = 0;
	}
}

/*
 * Sort COUNT keys FROM somewhere to TO, which may be the same, and map them back by MAP.  No key is below
 * LOW or above HIGH.  SPACE is clear, and is left so.  Each warp calls READY before it writes; keys have
 * been read then.
 *
 * @return  false, for all threads, if they are too uneven: nothing is written
 */
template <unsigned BITS, class Map, class Ready> static __device__ __forceinline__ bool
leaf_sort_windows(uint64_t *to, const Map &map, const uint64_t *from, uint32_t count, uint64_t low,
                  uint64_t high, windows<BITS> *space, const Ready &ready)
{
	typedef windows<BITS> W;
	enum { THREADS = W::THREADS, ITEMS = W::ITEMS };
	const int left = (int)count - (int)threadIdx.x;
	const int span = 64 - __clzll((long long)((high - low) | 1));
	window_scale s = { low, (unsigned)max(span - 32, 0), 0, 0, 0, 0, 0.f };
	uint32_t ranks[(ITEMS + 3) / 4] = {};
	bool fit = true;
	uint64_t x[ITEMS], none[THREAD_KEYS];

	from = forget(from + threadIdx.x);
#pragma unroll
	for (int i = 0; i < ITEMS; i++) {
		x[i] = 0;		/* otherwise nvcc 13.0 spills registers */
		if (i * THREADS < left)
			x[i] = from[i * THREADS];
	}
#pragma unroll
	for (unsigned r = 0; r < THREAD_KEYS; r++)
		none[r] = high;
	rows_put(none, space->slots);
	windows_range<ITEMS, THREADS>(s, x, left, &space->least, &space->most);
	s.least = space->least;

	/* bins are rounded down, so that no key is beyond */
	const uint32_t positions = space->most - s.least, bins = (count + BIN_MEAN - 1) / BIN_MEAN;

	s.fill = max((count + W::COUNT - 1) / W::COUNT, (uint32_t)THREAD_KEYS);
	s.width = positions < bins ? 1.f : ((float)positions + 1.f) / (float)bins;
	s.whole = positions < bins;
	s.scale = positions < bins ? 0 : (uint32_t)(4294967296.f / s.width * (1.f - 1.f / (1 << 20)));
	rows_each<ITEMS, THREADS>(left, [&](int i) {
		const uint32_t rank = atomicAdd(&space->bins[window_bin(s, position_of(s, x[i]))], 1u);

		fit = fit && rank < WINDOW;
		ranks[i / 4] |= (rank & 255) << i % 4 * 8;
	});
	__syncthreads();
	fit = windows_begin(space, s.fill, count, fit);
	if (fit)
		rows_each<ITEMS, THREADS>(left, [&](int i) {
			const uint32_t bin = window_bin(s, position_of(s, x[i]));
			const uint32_t slot = space->bins[bin] + (ranks[i / 4] >> i % 4 * 8 & 255);

			space->slots[slot + slot / THREAD_KEYS * (W::PITCH - THREAD_KEYS)] = x[i];
		});
	__syncthreads();
	windows_clear(space);
	if (!fit)
		return false;
	window_sort_in(space, s);
	__syncwarp();
	ready();
	windows_write(to, map, space);
	return true;
}

#endif
