// SPDX-License-Identifier: BSD-2-Clause
/*
 * partition.cuh - a block moves a tile of keys to their bins
 *
 * In:   a tile of keys, and how to find a key's bin.
 * Out:  the same keys, where the bins' cursors say.
 *
 * The order inside a bin is free: it is sorted later.  That makes this cheaper than a pass of a
 * radix sort, which must be stable.  A key's rank in its tile is what one atomic addition in
 * shared memory returns, and a tile's place in a bin what one addition in device memory returns:
 * no look-back, no second count.
 *
 *     tile in registers -> ranks -> bins one after the other in shared memory
 *                       -> to device memory, in runs of neighbouring addresses
 *
 * The additions in device memory are under way while keys go to shared memory.
 *
 * Rows that must keep their order are ranked by warps, and tiles are counted first: ordered_places.
 *
 * In the spirit of E. Stehle, H.-A. Jacobsen, "A Memory Bandwidth-Efficient Hybrid Radix Sort on
 * GPUs", SIGMOD 2017.
 *
 * Invariant: no two keys get the same place, for each addition reserves its own.
 */
#ifndef GS_PARTITION_CUH
#define GS_PARTITION_CUH

#include <type_traits>

#include "kernels/block/scan.cuh"
#include "kernels/block/splitters.cuh"
#include "kernels/launch.cuh"
#include "kernels/thread/bitonic.cuh"
#include "kernels/thread/rows.cuh"

/* ---- ranks ---------------------------------------------------------------- */

/* A key's bin and its rank in there make one word: tiles are shorter than 2^RANK_BITS. */
enum { RANK_BITS = 16 };

/*
 * A bin has COUNTERS, and lanes take turns at them: where many lanes meet in one bin, additions to one
 * counter would queue up.  H200, 2^28 u32 into 256 bins, cycles a key with 1, 2, 4 and 8: random bins
 * 0.75 0.75 0.75 0.79, few values 1.43 0.96 0.77 0.74, sorted keys 1.36 0.87 0.70 0.77.
 */
enum { COUNTERS = 4 };

/* Words from one counter of a bin to its next one, which is in another bank. */
static __host__ __device__ constexpr uint32_t
counters_pitch(uint32_t bins)
{
	return (bins + 31) / 32 * 32 + 8;
}

/* This lane's counters. */
static __device__ __forceinline__ uint32_t *
counters_of_lane(uint32_t *counts, uint32_t pitch)
{
	return counts + threadIdx.x % COUNTERS * pitch;
}

/* The sum of MANY words that are PITCH apart. */
template <unsigned MANY> static __device__ __forceinline__ uint32_t
counts_sum(const uint32_t *words, uint32_t pitch)
{
	uint32_t sum = 0;

#pragma unroll
	for (unsigned w = 0; w < MANY; w++)
		sum += words[w * pitch];
	return sum;
}

/* In place of each the sum of those before it, and BEGIN. */
template <unsigned MANY> static __device__ __forceinline__ void
counts_begin(uint32_t *words, uint32_t pitch, uint32_t begin)
{
#pragma unroll
	for (unsigned w = 0; w < MANY; w++) {
		const uint32_t count = words[w * pitch];

		words[w * pitch] = begin;
		begin += count;
	}
}

/* ---- where keys go ---------------------------------------------------------- */

/* A place that no key has: keys of this bin are not written. */
static const uint64_t NOWHERE = (uint64_t)1 << 62;

/* Cursors say where the next key of each bin goes.  (Other kinds: slot_places, and device/chunks.cuh.) */
struct exact_places {
	static const bool SKIPS = false;	/* may a bin be NOWHERE? */
	number *cursors;
};

/* The place of the bin, less BEFORE, where it begins in the tile; BEGUN: keys that it had before these. */
static __device__ __forceinline__ uint64_t
places_end(const exact_places &, uint32_t, uint32_t, uint32_t before, number begun)
{
	return begun - before;
}

/* Where key AT of the tile goes, in a bin that has PLACE. */
template <class Places> static __device__ __forceinline__ uint64_t
place_of(const Places &, uint32_t, uint64_t place, uint32_t at)
{
	return place + at;
}

/* Slots, or chunks, of SIZE keys: WHOLE of them are where keys go, the others in spare memory.  SPARE is
 * where, as seen from where keys go to, in keys, modulo 2^64. */
struct slot_map {
	uint32_t size, whole;
	uint64_t spare;
};

static __device__ __forceinline__ uint64_t
slot_place(const slot_map &m, uint32_t slot)
{
	return (uint64_t)(slot < m.whole ? slot : slot - m.whole) * m.size + (slot < m.whole ? 0 : m.spare);
}

/* What is wrong with keys that are in slots: a bucket, or a bin, has too many. */
enum slot_fault { SLOTS_FIT, BUCKETS_BREAK, BINS_BREAK };

/* Zero at first. */
struct slot_state {
	uint32_t broken;	/* a slot_fault */
	uint32_t outside[2];	/* keys of the first and the last slot, if some are outside of the range */
	uint32_t taken;		/* turns (device/slots.cuh) */
};

/* For all threads of a block; others may be at it. */
static __device__ __forceinline__ bool
slots_broken(const slot_state *state)
{
	return __syncthreads_or(threadIdx.x == 0 && *(const volatile uint32_t *)&state->broken != 0);
}

/* A bin has its slot, from FIRST on.  One that overflows is written anywhere: nobody will read that. */
struct slot_places {
	static const bool SKIPS = false;
	number     *cursors;		/* keys in each slot from FIRST on */
	uint32_t    first;
	slot_map    at;
	slot_state *state;
	slot_fault  fault;		/* if one overflows */
};

static __device__ __forceinline__ uint64_t
places_end(const slot_places &p, uint32_t bin, uint32_t keys, uint32_t before, number begun)
{
	if (begun + keys <= p.at.size)
		return slot_place(p.at, p.first + bin) + begun - before;
	atomicExch(&p.state->broken, (uint32_t)p.fault);
	return 0 - (uint64_t)before;
}

/* The same for rows that keep their order in each bin: where bins begin, rows of each in groups of tiles
 * before, and in tiles of the group before (device/segment.cuh: ordered_counts). */
struct ordered_places {
	const number   *cursors;
	const uint32_t *group, *tile;
};

/* ---- tiles ------------------------------------------------------------------ */

/* A tile of MANY rows per thread.  SEVERAL: a block has several tiles, and splitters are loaded once.
 * TURNS: in move_kernel(). */
template <class Of, unsigned MANY> struct tile_of_rows {
	typedef Of of;
	typedef typename Of::row row;
	enum {
		THREADS = 512, ITEMS = MANY, BLOCKS = 2, KEYS = THREADS * ITEMS, ROW = sizeof(row),
		SEVERAL = false, TURNS = false,
	};
};

/* Of many keys, 24 of 4 bytes, 16 of 8 or 8 of 16 a thread, and the splitters of such;
 * doc/notebook/device-sort.md has what lost. */
template <class Of, class Row = typename Of::row>
struct tile_of_many : tile_of_rows<Of, sizeof(Row) == 4 ? 24 : sizeof(Row) == 8 ? 16 : 8> {
	enum { SPLITTERS = BUCKETS, TURNS = sizeof(Row) == 4 };	/* u64 would spill 948 bytes */
	typedef splitters<typename Of::key, BUCKETS> search;
};

/* Of keys that are too few for longer ones. */
template <class Of> struct tile_of_few : tile_of_rows<Of, 8> {
	enum { SPLITTERS = FEW_BUCKETS, SEVERAL = true };
	typedef splitters<typename Of::key, FEW_BUCKETS, 64 / sizeof(typename Of::key)> search;
};

/* The same where no such splitters are used.  With rows of 16 bytes tiles of many are not longer, so one
 * kernel is enough. */
template <class Of> using tile_to_move =
	typename std::conditional<sizeof(typename Of::row) == 16, tile_of_many<Of>, tile_of_few<Of>>::type;

/* A tile of 32 KB: 99 KB have room for two. */
template <class Of> struct tile_of_32_kb : tile_of_few<Of> {
	enum { ITEMS = 64 / sizeof(typename Of::row), KEYS = tile_of_few<Of>::THREADS * ITEMS };
};

/*
 * A tile of many rows that keep their order.  Longer ones win until a thread's registers do not hold keys and
 * ranks: H100, 2^28 pairs, Gkeys/s, u32+u32 with 16 rows a thread 29.8, 24 28.5; u32+u64 with 8 23.5,
 * 12 24.9; u64+u64 with 8 17.6, 10 17.9.
 */
template <class Of> struct tile_in_order : tile_of_many<Of> {
	enum {
		ROW = sizeof(typename Of::key) + sizeof(typename Of::value),
		ITEMS = ROW == 8 ? 16 : ROW == 12 ? 12 : 10, KEYS = tile_of_many<Of>::THREADS * ITEMS,
	};
};

template <class Of> using tile_of_room =
	typename std::conditional<sizeof(typename Of::row) == 8, tile_of_few<Of>, tile_of_32_kb<Of>>::type;

/* Shared memory for partition_tile(): keys, then counters and places of up to BINS bins. */
template <class Tile> static inline size_t
partition_bytes(uint32_t bins)
{
	return Tile::KEYS * Tile::ROW + 32 * sizeof(uint32_t) + 16 +
	       bins * sizeof(uint64_t) + COUNTERS * counters_pitch(bins) * sizeof(uint32_t);
}

/* The tile's rows at FROM to X: every STEP-th from FIRST on. */
template <unsigned STEP, unsigned ITEMS, class Row, class Source> static __device__ __forceinline__ void
tile_load(Row *x, Source from, uint32_t first, uint32_t count)
{
	const int left = (int)count - (int)first;

	from = forget(from + first);
#pragma unroll
	for (int i = 0; i < (int)ITEMS; i++)
		x[i] = i * (int)STEP < left ? from[i * (int)STEP] : Row{};
}

/*
 * The bins of a thread's keys.  Even digits cost so little that they are computed here, and
 * again where a key is written; a search finds all bins at once.
 */
template <unsigned ITEMS, class Digits, class Row> static __device__ __forceinline__ void
bins_find(const Digits &d, const Row *x, uint32_t *bins)
{
#pragma unroll
	for (unsigned i = 0; i < ITEMS; i++)
		bins[i] = digit_of(d, key_of(x[i]));
}

template <unsigned ITEMS, class Row, class Key, unsigned ROWS, unsigned COPIES>
static __device__ __forceinline__ void
bins_find(const splitters<Key, ROWS, COPIES> &s, const Row *x, uint32_t *bins)
{
	enum { AT_ONCE = ITEMS % SEARCHES == 0 ? (int)SEARCHES : (int)ITEMS };

#pragma unroll
	for (unsigned i = 0; i < ITEMS; i += AT_ONCE)
		splitters_find<AT_ONCE>(s, x + i, bins + i);
}

/* Write a tile of COUNT keys, bin after bin, to where PLACES of the bins say. */
template <unsigned THREADS, unsigned ITEMS, class Digits, class Places, class Place, class Source>
static __device__ __forceinline__ void
tile_write(const Digits &d, const Places &p, Place to, Source sorted, uint32_t count,
           const uint32_t *, const uint16_t *, const uint64_t *places)
{
	const int left = thread_left(count);

	sorted = sorted + threadIdx.x;
#pragma unroll 4
	for (int i = 0; i < (int)(ITEMS * THREADS); i += THREADS)
		if (i < left) {
			const auto row = sorted[i];
			const uint32_t bin = digit_of(d, key_of(row));

			if (!Places::SKIPS || places[bin] != NOWHERE)
				row_put(to, place_of(p, bin, places[bin], threadIdx.x + (uint32_t)i), row);
		}
}

/*
 * A search for each key again would be dear.  Instead warps write as many keys each, a run of
 * one bin after the other: a bin's place is asked once a run.  If runs are short, the bins of
 * keys are KEPT beside them.
 */
template <unsigned THREADS, unsigned ITEMS, class Key, unsigned ROWS, unsigned COPIES, class Places,
          class Place, class Source>
static __device__ __forceinline__ void
tile_write(const splitters<Key, ROWS, COPIES> &, const Places &p, Place to, Source sorted,
           uint32_t count, const uint32_t *begins, const uint16_t *kept, const uint64_t *places)
{
	if constexpr (splitters<Key, ROWS, COPIES>::SHORT_RUNS) {
		for (uint32_t k = threadIdx.x; k < count; k += THREADS) {
			const uint32_t b = kept[k];

			if (!Places::SKIPS || places[b] != NOWHERE)
				row_put(to, place_of(p, b, places[b], k), sorted[k]);
		}
	} else {
		uint32_t at = threadIdx.x / 32 * (32 * ITEMS), last, bin = 0;
		const uint32_t end = min(at + 32 * ITEMS, count);

		for (unsigned half = ROWS / 2; half > 0; half /= 2)
			bin += begins[bin + half] <= at ? half : 0;
		for (; at < end; at = last, bin++) {
			last = bin + 1 < ROWS ? min(begins[bin + 1], end) : end;
			if (at == last || (Places::SKIPS && places[bin] == NOWHERE))
				continue;
			for (uint32_t k = at + threadIdx.x % 32; k < last; k += 32)
				row_put(to, place_of(p, bin, places[bin], k), sorted[k]);
		}
	}
}

/* Does tile_write() want the bins of keys? */
template <class Digits> struct keeps_bins {
	static const bool yes = false;
};

template <class Key, unsigned ROWS, unsigned COPIES> struct keeps_bins<splitters<Key, ROWS, COPIES>> {
	static const bool yes = splitters<Key, ROWS, COPIES>::SHORT_RUNS;
};

/*
 * Move the tile of COUNT keys in X (tile_load) to its bins in TO.
 *
 * @bins    not more than MOST_BINS
 * @memory  partition_bytes() of shared memory
 *
 * Ends without a barrier; the caller has one before its next tile.
 */
template <class Tile, unsigned MOST_BINS, class Digits, class Places>
static __device__ __forceinline__ void
partition_tile(typename Tile::of::place to, typename Tile::row *x, uint32_t count, const Digits &d,
               uint32_t bins, const Places &p, void *memory)
{
	enum {
		THREADS = Tile::THREADS, ITEMS = Tile::ITEMS, TILE = Tile::KEYS,
		EACH = (MOST_BINS + THREADS - 1) / THREADS,
	};
	typename Tile::row *sorted = (typename Tile::row *)memory;
	const uint32_t pitch = counters_pitch(bins);
	uint32_t *const counts = (uint32_t *)(sorted + TILE), *const mine = counters_of_lane(counts, pitch);
	/* where in TO, less where in the tile */
	uint64_t *places = (uint64_t *)(counts + COUNTERS * pitch);
	uint32_t *sums = (uint32_t *)(places + bins);
	uint16_t *kept = (uint16_t *)(sums + 32);
	const unsigned first = threadIdx.x * EACH;	/* of the bins of this thread */
	uint32_t place[ITEMS];	/* bin and rank */
	uint32_t keys[EACH], before = 0, total;
	number begun[EACH];
	const int left = thread_left(count);
	bool writes = false;

	for (unsigned w = threadIdx.x; w < COUNTERS * pitch; w += THREADS)
		counts[w] = 0;
	__syncthreads();
	bins_find<ITEMS>(d, x, place);
	rows_each<ITEMS, THREADS>(left, [&](int i) {
		place[i] = place[i] << RANK_BITS | atomicAdd(&mine[place[i]], 1u);
	});
	__syncthreads();
#pragma unroll
	for (unsigned i = 0; i < EACH; i++) {
		keys[i] = first + i < bins ? counts_sum<COUNTERS>(&counts[first + i], pitch) : 0;
		before += keys[i];
	}
	before = block_sum_before<THREADS>(before, sums, &total);
#pragma unroll
	for (unsigned i = 0; i < EACH; i++) {
		if (first + i < bins)
			counts_begin<COUNTERS>(&counts[first + i], pitch, before);
		begun[i] = 0;
		if (keys[i] > 0) {
			begun[i] = atomicAdd(&p.cursors[first + i], (number)keys[i]);	/* no wait yet */
			if constexpr (Places::SKIPS)
				writes = writes || !places_skip(p, first + i);
		}
		before += keys[i];
	}
	if (!Places::SKIPS)
		__syncthreads();
	else if (!__syncthreads_or(writes))
		return;
	rows_each<ITEMS, THREADS>(left, [&](int i) {
		const uint32_t bin = place[i] >> RANK_BITS;
		const uint32_t at = mine[bin] + (place[i] & ((1u << RANK_BITS) - 1));

		sorted[at] = x[i];
		if (keeps_bins<Digits>::yes)
			kept[at] = (uint16_t)bin;
	});
#pragma unroll
	for (unsigned i = EACH; i-- > 0;) {
		before -= keys[i];
		if (keys[i] > 0)
			places[first + i] = places_end(p, first + i, keys[i], before, begun[i]);
	}
	__syncthreads();
	tile_write<THREADS, ITEMS>(d, p, to, sorted, count, counts, kept, places);
}

/* ---- in order ------------------------------------------------------------------ */

/* The first row of this thread; it has each 32nd from there on, so that a warp has neighbours. */
template <class Tile> static __device__ __forceinline__ uint32_t
first_in_order(void)
{
	return threadIdx.x / 32 * (32 * Tile::ITEMS) + threadIdx.x % 32;
}

/* The lanes in PEERS whose BIN, of BITS, is this lane's: by votes, which cost less than __match_any_sync()
 * for few bits. */
static __device__ __forceinline__ uint32_t
lanes_of_bin(uint32_t peers, uint32_t bin, unsigned bits)
{
	enum { ALWAYS = 8, MOST = 10 };

#pragma unroll
	for (unsigned b = 0; b < MOST; b++)
		if (b < ALWAYS || b < bits) {
			const bool one = (bin >> b & 1) != 0;
			const uint32_t ones = __ballot_sync(ALL_LANES, one);

			peers &= one ? ones : ~ones;
		}
	return peers;
}

/*
 * The same, but rows keep their order in each bin.  The tile has COUNT rows at FROM, whose keys are in X.
 * Shared memory has the counts of warps until it has rows.  Payloads are read when keys need no ranks any
 * more, because the registers of a thread do not hold both.
 */
template <class Tile, unsigned MOST_BINS, class Digits> static __device__ __forceinline__ void
partition_in_order(typename Tile::of::place to, typename Tile::of::source from,
                   const typename Tile::of::key *x, uint32_t count, const Digits &d, uint32_t bins,
                   const ordered_places &p, void *memory)
{
	typedef typename Tile::of::key Key;
	typedef typename Tile::of::value Value;
	enum { THREADS = Tile::THREADS, ITEMS = Tile::ITEMS, WARPS = THREADS / 32 };
	static_assert(MOST_BINS <= 2 * THREADS, "two bins a thread");
	static_assert(WARPS * MOST_BINS * sizeof(uint16_t) <= Tile::KEYS * (sizeof(Key) + sizeof(Value)),
	              "room for counts");
	Value *const values = (Value *)memory;
	Key *const sorted = (Key *)((char *)memory + Tile::KEYS * Tile::ROW) - Tile::KEYS;
	uint64_t *places = (uint64_t *)(sorted + Tile::KEYS);
	uint32_t *counts = (uint32_t *)(places + bins);
	uint32_t *sums = counts + bins;
	const uint32_t pitch = (bins + 1) / 2, first = 2 * threadIdx.x;
	uint32_t *ranks = (uint32_t *)memory;
	uint16_t *mine = (uint16_t *)(ranks + threadIdx.x / 32 * pitch);	/* of this warp */
	const unsigned lane = threadIdx.x % 32, bits = 32 - (unsigned)__clz((int)(bins - 1));
	const int left = (int)count - (int)first_in_order<Tile>();
	uint32_t place[ITEMS], keys = 0, before, total;
	Value payload[ITEMS];

	for (unsigned w = threadIdx.x; w < WARPS * pitch; w += THREADS)
		ranks[w] = 0;
	__syncthreads();
	bins_find<ITEMS>(d, x, place);
	/* the rank of each row of this thread among its warp's rows of its bin, beside that bin */
#pragma unroll
	for (int i = 0; i < (int)ITEMS; i++) {
		const bool exists = i * 32 < left;
		const uint32_t bin = place[i];
		const uint32_t peers = lanes_of_bin(__ballot_sync(ALL_LANES, exists), bin, bits);
		const uint32_t rank = exists ? mine[bin] : 0;

		__syncwarp();
		if (exists && peers >> lane == 1)	/* the last of these */
			mine[bin] = (uint16_t)(rank + (uint32_t)__popc(peers));
		__syncwarp();
		place[i] = bin << RANK_BITS | (rank + (uint32_t)__popc(peers & ((1u << lane) - 1)));
	}
	__syncthreads();
	if (threadIdx.x < pitch)
		keys = counts_sum<WARPS>(&ranks[threadIdx.x], pitch);
	before = block_sum_before<THREADS>((keys & 0xffff) + (keys >> 16), sums, &total);
	if (threadIdx.x < pitch)
		counts_begin<WARPS>(&ranks[threadIdx.x], pitch, before | (before + (keys & 0xffff)) << 16);
#pragma unroll
	for (unsigned i = 0; i < 2; i++)
		if (first + i < bins) {
			counts[first + i] = before;
			places[first + i] = p.cursors[first + i] + p.group[first + i] +
			                    p.tile[first + i] - before;
			before += keys >> 16 * i & 0xffff;
		}
	__syncthreads();
	rows_each<ITEMS, 32>(left, [&](int i) {
		place[i] = mine[place[i] >> RANK_BITS] + (place[i] & ((1u << RANK_BITS) - 1));
	});
	__syncthreads();
	rows_each<ITEMS, 32>(left, [&](int i) { sorted[place[i]] = x[i]; });
	tile_load<32, ITEMS>(payload, from.values, first_in_order<Tile>(), count);
	rows_each<ITEMS, 32>(left, [&](int i) { values[place[i]] = payload[i]; });
	__syncthreads();
	tile_write<THREADS, ITEMS>(d, exact_places{}, to, arrays<Key, Value>{ sorted, values }, count,
	                           counts, (uint16_t *)NULL, places);
}

/*
 * Move the tiles from T to END - 1, of COUNT rows at FROM, by MAP, to not more than MOST_BINS in TO.
 */
template <class Tile, unsigned MOST_BINS, class Map, class Digits, class Places>
static __device__ __forceinline__ void
tiles_move(typename Tile::of::place to, typename Tile::of::source from, size_t count, const Map &map,
           const Digits &d, uint32_t bins, const Places &places, uint32_t t, uint32_t end, void *memory)
{
	typename Tile::row x[Tile::ITEMS];

	do {
		const size_t at = t * (size_t)Tile::KEYS;
		const uint32_t here = at < count ? (uint32_t)min(count - at, (size_t)Tile::KEYS) : 0;

		if (here == 0)
			return;
		tile_load<Tile::THREADS, Tile::ITEMS>(x, from + at, threadIdx.x, here);
		map_first<Tile::ITEMS>(map, x);
		partition_tile<Tile, MOST_BINS>(to, x, here, d, bins, places, memory);
		if (Tile::SEVERAL)
			__syncthreads();
	} while (Tile::SEVERAL && ++t < end);
}

#endif
