// SPDX-License-Identifier: BSD-2-Clause
/*
 * sample.cuh - look at all keys: how shall the first division find their buckets?
 *
 * In:   keys.
 * Out:  digits of their range, if they are even; if not, splitters, and about how many values
 *       each 16 bits of the keys have.
 *
 *     sample_kernel   keys from all parts of the input: 8192 (u64: 4096)
 *     plan_kernel     blocks rank some of them each; others estimate the values of 16 bits each
 *
 * If no part of their range is much fuller than the others, and there are not only few values,
 * buckets are digits of that range.
 * Otherwise keys of evenly spaced ranks in the sample are splitters: between two of them there
 * are about as many keys, however these lie.  N. Leischner, V. Osipov, P. Sanders, "GPU
 * Sample Sort", IPDPS 2010.
 *
 * Blocks that take the sample sort 32 parts of it, and each lane of a warp searches one of them: the sum is a
 * rank.  128 blocks take 3 us so (H200), and 9 to compare each key with all of the sample.
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

enum { RANK_THREADS = 1024 };	/* of a block that ranks samples */

template <class Key> struct sampling {
	enum {
		KEYS    = BUCKETS * (sizeof(Key) == 4 ? 32 : 16),	/* at most */
		LEAST   = KEYS / 8,
		EACH    = 24,		/* for a bucket, if these are few */
		CELLS   = KEYS / 8,
		SLOTS   = KEYS / 4,	/* for hashes of values */
		REPEATS = 512,		/* one sample in as many that is the same as another: so few values
					 * are less even than random keys; for slots */
		FAIR    = 8,		/* keys in a cell */
		SPREAD  = 96,		/* seven deviations of random keys' spread, for one cell */
		STRATA  = 1,		/* keys in order have less spread a cell, random ones 8 */
		ALIKE   = 8,		/* samples of a warp that are near the next key; of random ones 1 */
		NEAR    = 64,		/* times as near as another sample */
		UNEVEN  = 25,		/* in a cell, of 8 expected; 1 in 500 even samples has one, a
					 * bell always */
		MARGIN  = 64,		/* part of the range that a sample may have missed */
		SLOTS_MARGIN = 128,	/* the same of even keys that go to slots */
		TAKERS  = 256,		/* threads of a block that takes samples */
		THREADS = RANK_THREADS,
		RANKS   = sizeof(Key) == 4 ? 2 : 1,	/* that a warp finds, at most */
		UNITS   = sizeof(Key) / 2,		/* of 16 bits, of a key */
	};
};

/* Ranks that a warp finds, so that as many multiprocessors are at work for fewer KEYS. */
template <class Key> static __host__ __device__ inline uint32_t
ranks_of_warp(uint32_t keys)
{
	return keys < sampling<Key>::KEYS ? 1 : (uint32_t)sampling<Key>::RANKS;
}

/* Blocks that rank KEYS keys. */
template <class Key> static __host__ __device__ inline uint32_t
rank_blocks(uint32_t keys)
{
	return keys / (sampling<Key>::THREADS / 32 * ranks_of_warp<Key>(keys));
}

/* The order of a sample, from the first key of the input to the last; NEARLY: it falls at few places. */
enum order { UNORDERED, RISES, FALLS, NEARLY };

enum { NEARLY_PART = 32 };

enum {
	COUNTED_CODES = 1 << 16,	/* in 16-bit counters of a block */
	CODE_BINS     = 1 << 8,		/* of the lower of two levels, if a bin is a code */
};

enum { UNIT_BITS = 16, UNIT_VALUES = 1 << UNIT_BITS, UNIT_WORDS = UNIT_VALUES / 32, MOST_UNITS = 4 };

/* What the host is told of a sample. */
struct bin_news {
	uint32_t skewed;		/* 1: by splitters */
	uint32_t order;
	uint32_t range_bits;		/* of the sample's keys */
	uint32_t spread;		/* 1: cells of its range differ more than with random keys, values
					 * repeat, or neighbours in the input are alike: then bins do, too */
	uint32_t values[MOST_UNITS];	/* that each unit of keys has, about (device/codes.cuh) */
	uint32_t broken;		/* 1: not all keys rise, or fall, as the sample does */
};

enum {
	DENSE_BITS   = 8,		/* one code for up to 2^8 values of a range is worth it */
	LEAST_VALUES = 64,		/* of a unit; keys of fewer are counted while they are moved */
	CODES_SURE   = 16,		/* times as many may turn out to be too many, after a sweep */
	FEW_CODES    = 1 << 13,		/* pairs of fewer have bins of their own anyway */
};

/* Codes that are sorted in place of keys of 64 bits, at most; PAIRS gain less. */
static __host__ __device__ inline uint64_t
most_codes(bool pairs)
{
	return (uint64_t)1 << (pairs ? 28 : 32);
}

/* May keys be coded?  BITS of a key, or 0: they may not. */
struct code_rule {
	unsigned bits;
	bool     pairs;
};

/* If a sample has such NEWS, are codes worth a look at all keys? */
static __host__ __device__ inline bool
codes_are_likely(const bin_news &news, const code_rule &rule)
{
	const uint64_t many = (uint64_t)1 << 33;
	const uint32_t dense = news.range_bits > DENSE_BITS ? news.range_bits - DENSE_BITS : 0;
	uint64_t codes = 1;
	uint32_t most = 0;

	for (unsigned u = 0; u < rule.bits / UNIT_BITS; u++) {
		most = news.values[u] > most ? news.values[u] : most;
		codes = codes * news.values[u] < many ? codes * news.values[u] : many;
	}
	if (most <= LEAST_VALUES || (rule.pairs && codes < FEW_CODES))
		return false;
	if (codes <= COUNTED_CODES + COUNTED_CODES / 8)
		return true;
	return rule.bits == 64 && news.skewed != 0 && codes <= most_codes(rule.pairs) / CODES_SURE &&
	       codes >> dense == 0;
}

/* Of how many bits the range of even keys is that go to slots (device/slots.cuh), and to how many BUCKETS
 * before. */
struct slot_rule {
	uint32_t least = 1, most = 0, buckets = 0;	/* none do */
};

static __host__ __device__ inline bool
slots_are_likely(const bin_news &news, const slot_rule &rule)
{
	return news.skewed == 0 && news.spread == 0 && news.range_bits >= rule.least &&
	       news.range_bits <= rule.most;
}

/* Does the host, once it has such NEWS, surely have keys moved to buckets?  Even ones only if these are for
 * SLOTS. */
static __host__ __device__ inline bool
buckets_are_sure(const bin_news &news, const code_rule &rule, const slot_rule &slots = {})
{
	return (news.skewed != 0 || slots_are_likely(news, slots)) && news.order == UNORDERED &&
	       !codes_are_likely(news, rule);
}

/*
 * The ways to sort many keys (kernels/README.md).  COMPARED: they are in order, or just the reverse.  UNITED:
 * but for strays.  CODED: by codes.  These look at all keys, which may not be so; nor may even ones fit
 * slots.
 */
enum way { IN_SLOTS, IN_LEVELS, UNEVENLY, COMPARED, UNITED, CODED };

/* The ways that there are for this many keys, and a bit for each that has been TRIED. */
struct ways {
	code_rule codes;
	slot_rule slots;
	bool      levels, strays;
	uint32_t  tried;
};

/* The way to sort keys whose sample has such NEWS, which has not been tried. */
static __host__ __device__ inline enum way
way_of(const bin_news &news, const ways &may)
{
	const uint32_t untried = ~may.tried;

	if ((untried >> COMPARED & 1) != 0 && (news.order == RISES || news.order == FALLS))
		return COMPARED;
	if ((untried >> UNITED & 1) != 0 && may.strays && (news.order == RISES || news.order == NEARLY))
		return UNITED;
	if ((untried >> CODED & 1) != 0 && codes_are_likely(news, may.codes))
		return CODED;
	if (slots_are_likely(news, may.slots))
		return IN_SLOTS;
	return news.skewed == 0 && may.levels ? IN_LEVELS : UNEVENLY;
}

/* The values of each unit, of all keys: device/codes.cuh. */
struct code_book {
	uint64_t codes;			/* more than 2^32: that is all that is known */
	uint32_t many[MOST_UNITS];	/* values */
	/* zero at first */
	uint32_t done;			/* blocks that have looked */
	uint32_t present[MOST_UNITS * UNIT_WORDS];	/* a bit for each value */
	/* and then */
	uint16_t before[MOST_UNITS * UNIT_WORDS];	/* values in words before */
	uint16_t value[MOST_UNITS * UNIT_VALUES];	/* by its number */
};

/* How the buckets of keys are found. */
template <class Key> struct bin_plan : bin_news {
	uint32_t buckets, rows;		/* splitters, and how many there are with those behind all keys */
	uint32_t done;			/* blocks that have ranked */
	uint8_t  alike[sampling<Key>::KEYS / 32];	/* of a warp's samples: near the next key */
	digits   even;
	alignas(16) Key sample[sampling<Key>::KEYS];
	alignas(16) Key parts[sampling<Key>::KEYS];	/* 32 sorted ones: key r of part l is key 32 r + l */
	alignas(16) Key sorted[sampling<Key>::KEYS];
	Key      ranked[FEW_BUCKETS];	/* of these ranks, or between; see splitter_at() */
};

/*
 * Splitter P.  One that repeats is a value that fills a bucket: it gets a bucket for itself, and
 * those behind it are empty.
 */
template <class Key> static __device__ __forceinline__ Key
splitter_at(const bin_plan<Key> *plan, unsigned p)
{
	Key splitter;

	if (p == 0 || p >= plan->buckets)
		return p == 0 ? 0 : (Key)~(Key)0;
	splitter = plan->ranked[p];
	return splitter + (p > 1 && splitter == plan->ranked[p - 1] && splitter < (Key)~(Key)0);
}

/* COUNT, or if only the device knows, *MANY. */
static __device__ __forceinline__ size_t
count_of(size_t count, const uint32_t *many)
{
	return many != NULL ? *many : count;
}

/* Each of the first threads takes one of SAMPLES samples from all keys, by MAP, and finds its rank in its
 * part; and all set ZEROS words at ZERO to zero. */
template <class Key, class Map> static __global__ void
__launch_bounds__(sampling<Key>::TAKERS)
sample_kernel(bin_plan<Key> *plan, uint32_t samples, const Key *keys, size_t most, const uint32_t *many,
              Map map, uint64_t *zero, uint32_t zeros)
{
	begin_in_turn();

	const size_t count = count_of(most, many);
	const size_t i = blockIdx.x * blockDim.x + threadIdx.x, step = count / samples;
	/* anywhere in its step: a period of the keys must not meet the samples' */
	const size_t off = (i * UINT64_C(0x9e3779b97f4a7c15) >> 32) * step >> 32;
	__shared__ __align__(16) Key taken[sampling<Key>::TAKERS];
	__shared__ uint32_t same[sampling<Key>::TAKERS];	/* equal keys that have a rank */

	if (blockIdx.x * blockDim.x < samples) {	/* blocks take whole parts */
		enum { EACH = 16 / sizeof(Key) };
		const unsigned part = samples / 32, begin = threadIdx.x / part * part;
		const size_t at = step > 0 ? i * step + off : i % count;
		const Key mine = ordered(map, keys[at]), next = ordered(map, keys[min(at + 1, count - 1)]);
		const Key other = __shfl_xor_sync(ALL_LANES, mine, 1);
		const Key to_next = max(mine, next) - min(mine, next);
		const Key to_other = max(mine, other) - min(mine, other);
		const uint32_t alike = __ballot_sync(ALL_LANES, to_next < to_other / sampling<Key>::NEAR);
		unsigned rank = begin;

		taken[threadIdx.x] = mine;
		same[threadIdx.x] = 0;
		plan->sample[i] = mine;
		plan->alike[i / 32] = (uint8_t)__popc(alike);
		__syncthreads();
#pragma unroll 4
		for (unsigned k = begin / EACH; k < (begin + part) / EACH; k++) {
			const pack<Key> x = ((const pack<Key> *)taken)[k];

#pragma unroll
			for (unsigned e = 0; e < EACH; e++)
				rank += x.at[e] < mine;
		}
		rank += atomicAdd(&same[rank], 1u);
		plan->parts[(rank - begin) * 32 + i / part] = mine;
	}
	for (size_t z = i; z < zeros; z += gridDim.x * blockDim.x)
		zero[z] = 0;
	if (i == 0)
		plan->done = 0;
	if (i < MOST_UNITS)
		plan->values[i] = 0;
}

/* Is one of the cells crowded where CELL_OF() says that samples are?  *SPREAD, if not NULL: the sum of the
 * squares of their distances from FAIR, and of the products of neighbours': these tell slopes, where samples
 * from parts that are in order differ less than random ones.  For all threads. */
template <class Key, class Cell> static __device__ bool
sample_crowds(const Key *sample, uint32_t keys, uint32_t *counters, Cell cell_of, uint32_t *spread = NULL)
{
	typedef sampling<Key> S;
	const unsigned cells = keys / S::FAIR;
	/* lanes have samples of one rank in their parts; of rising keys their cells are 32 from each other */
	const auto place = [](unsigned cell) { return cell ^ cell / 32 % 32; };
	uint32_t squares = 0;
	bool crowded = false;

	if (spread != NULL && threadIdx.x == 0)
		*spread = 0;
	for (unsigned c = threadIdx.x; c < cells; c += S::THREADS)
		counters[c] = 0;
	__syncthreads();
	for (unsigned i = threadIdx.x; i < keys; i += S::THREADS)
		atomicAdd(&counters[place(cell_of(sample[i]))], 1u);
	__syncthreads();
	for (unsigned c = threadIdx.x; c < cells; c += S::THREADS) {
		const int more = (int)counters[place(c)] - S::FAIR;
		const int next = c + 1 < cells ? (int)counters[place(c + 1)] - S::FAIR : 0;

		crowded = crowded || more >= S::UNEVEN - S::FAIR;
		squares += (uint32_t)(more * (more + next));
	}
	if (spread != NULL)
		atomicAdd(spread, squares);
	return __syncthreads_or(crowded);
}

/*
 * How many of the sample have the value of another key in it, of some others?  The last key of those with
 * the same hash is remembered, and all are compared with that.  The last one, not any: all blocks must come
 * to the same answer.  For all threads.
 */
template <class Key, class Hash> static __device__ uint32_t
sample_repeats(const Key *sample, uint32_t keys, uint32_t *slots, Hash hash)
{
	typedef sampling<Key> S;
	uint32_t repeats = 0;

	for (unsigned s = threadIdx.x; s < S::SLOTS; s += S::THREADS)
		slots[s] = 0;
	__syncthreads();
	for (unsigned i = threadIdx.x; i < keys; i += S::THREADS)
		atomicMax(&slots[hash(sample[i], S::SLOTS)], i);
	__syncthreads();
	for (unsigned from = 0; from < keys; from += S::THREADS) {
		const unsigned i = min(from + threadIdx.x, keys - 1);
		const unsigned other = slots[hash(sample[i], S::SLOTS)];

		repeats += (uint32_t)__syncthreads_count(other != i && sample[other] == sample[i]);
	}
	return repeats;
}

/* Is a part of the range crowded, or are there so few values that cells of their hashes are, or,
 * if *REPEATS matter and are not zero, that most keys are the same as another? */
template <class Key> static __device__ bool
sample_is_skewed(const Key *sample, uint32_t keys, const digits &cells, uint32_t *repeats, uint32_t *spread)
{
	typedef sampling<Key> S;
	__shared__ uint32_t counters[S::SLOTS];
	/* a product alone would put keys at even distances, as samples are, in few cells */
	auto hash = [](Key key, uint32_t many) {
		const uint64_t product = key * UINT64_C(0xbf58476d1ce4e5b9);

		return __umulhi((uint32_t)((product ^ product >> 29) * UINT64_C(0x94d049bb133111eb) >> 32),
		                many);
	};

	if (sample_crowds(sample, keys, counters, [=](Key key) { return digit_of(cells, key); }, spread) ||
	    sample_crowds(sample, keys, counters, [=](Key key) { return hash(key, keys / 8); }))
		return true;
	if (*repeats > 0)
		*repeats = sample_repeats(sample, keys, counters, hash);
	return *repeats >= keys / 2;
}

/* The order of a sample of KEYS keys; equal ones have none: a few others may be among all keys, and
 * these are sorted in little more than a sweep.  For all threads. */
template <class Key> static __device__ __forceinline__ enum order
sample_order(const Key *sample, uint32_t keys)
{
	bool rises = false;
	uint32_t falls = 0;

	for (unsigned from = 0; from < keys; from += sampling<Key>::THREADS) {
		const unsigned i = min(from + threadIdx.x, keys - 2);

		rises = rises || sample[i] < sample[i + 1];
		falls += (uint32_t)__syncthreads_count(sample[i] > sample[i + 1]);
	}
	if (!__syncthreads_or(rises))
		return falls > 0 ? FALLS : UNORDERED;
	return falls == 0 ? RISES : falls <= keys / NEARLY_PART ? NEARLY : UNORDERED;
}

/*
 * About how many values UNIT has in all keys: the values in a SAMPLE of KEYS keys, and the number that it has
 * likely missed, which follows from the values that it has once or twice (A. Chao, "Nonparametric
 * Estimation of the Number of Classes in a Population", 1984).  For all threads.  SEEN: which values are
 * there, twice, three times.
 */
template <class Key> static __device__ uint32_t
sample_values_of(const Key *sample, uint32_t keys, unsigned unit, uint32_t *seen)
{
	typedef sampling<Key> S;
	__shared__ number sums[S::THREADS / 32];
	number mine = 0, all;

	for (unsigned w = threadIdx.x; w < 3 * UNIT_WORDS; w += S::THREADS)
		seen[w] = 0;
	__syncthreads();
	for (unsigned i = threadIdx.x; i < keys; i += S::THREADS) {
		const uint32_t value = (uint32_t)(sample[i] >> unit * UNIT_BITS) % UNIT_VALUES;
		const uint32_t bit = 1u << value % 32, same = __match_any_sync(ALL_LANES, value);
		int many = same >> threadIdx.x % 32 == 1 ? __popc(same) : 0;	/* one lane adds them all */

		for (unsigned times = 0; times < 3 && many > 0; times++)
			many -= (atomicOr(&seen[times * UNIT_WORDS + value / 32], bit) & bit) == 0;
	}
	__syncthreads();
	for (unsigned w = threadIdx.x; w < UNIT_WORDS; w += S::THREADS) {
		const uint32_t any = seen[w], more = seen[UNIT_WORDS + w], most = seen[2 * UNIT_WORDS + w];

		mine += (number)__popc(any) | (number)__popc(any & ~more) << 20 |
		        (number)__popc(more & ~most) << 40;
	}
	(void)block_sum_before<S::THREADS>(mine, sums, &all);
	const uint32_t once = (uint32_t)(all >> 20) % (1u << 20), twice = (uint32_t)(all >> 40);

	return min((uint32_t)all % (1u << 20) + once * (once - (once > 0)) / (2 * (twice + 1)),
	           (uint32_t)UNIT_VALUES);
}

/*
 * The rank of key J in a sample of KEYS keys in shared memory, in parts; each lane looks into its own.  All
 * lanes call, and the last one gets it.  Equal keys are in the order of parts.
 */
template <class Key> static __device__ __forceinline__ uint32_t
sample_rank(const Key *sample, uint32_t keys, unsigned j)
{
	const unsigned lane = threadIdx.x % 32;
	const Key mine = sample[j];
	uint32_t rank = 0;

	for (unsigned step = keys / 32; step > 0; step /= 2) {
		const unsigned next = max(step / 2, 1u);
		const Key key = sample[(rank + next - 1) * 32 + lane];

		if (key < mine || (key == mine && lane < j % 32))
			rank += next;
	}
	return warp_upto(lane == j % 32 ? j / 32 : rank);
}

/*
 * Splitter P of BUCKETS buckets from a SORTED sample of KEYS.  It has its rank; but each other one
 * is in the middle of the widest gap between its neighbours, if that is more than a quarter of
 * the whole.  Else a bucket may have most keys at its two ends, in two bins.
 */
template <class Key> static __device__ Key
splitter_of(const Key *sorted, uint32_t keys, uint32_t buckets, uint32_t p)
{
	auto rank = [=](uint32_t q) { return min((q * keys + buckets - 1) / buckets, keys - 1); };
	const uint32_t first = rank(p - (p > 0)), last = rank(p + 1);
	Key splitter = sorted[rank(p)], widest = (sorted[last] - sorted[first]) / 4;

	if (p % 2 == 0 || splitter == sorted[first] || splitter == sorted[last])
		return splitter;
#pragma unroll 8
	for (uint32_t s = first; s < last; s++) {
		const Key gap = sorted[s + 1] - sorted[s];

		if (gap > widest) {
			widest = gap;
			splitter = sorted[s] + gap / 2 + gap % 2;
		}
	}
	return splitter;
}

/* This block has ranked its keys of PLAN; the last one that has makes splitters.  SAMPLE: in
 * shared memory. */
template <class Key> static __device__ __forceinline__ void
finish_splitters(bin_plan<Key> *plan, Key *sample, uint32_t keys, uint32_t buckets)
{
	typedef sampling<Key> S;
	enum { EACH = 16 / sizeof(Key) };
	__shared__ bool last;

	__threadfence();
	__syncthreads();
	if (threadIdx.x == 0) {
		last = atomicAdd(&plan->done, 1u) == rank_blocks<Key>(keys) - 1;
		__threadfence();
	}
	__syncthreads();
	if (!last)
		return;
	for (unsigned i = threadIdx.x; i < keys / EACH; i += S::THREADS)
		((pack<Key> *)sample)[i] = ((const pack<Key> *)plan->sorted)[i];
	__syncthreads();
	for (unsigned p = threadIdx.x; p < buckets; p += S::THREADS)
		plan->ranked[p] = splitter_of(sample, keys, buckets, p);
}

/*
 * Finish PLAN of KEYS keys: digits over the range if keys are even, BINS of them, or splitters of
 * BUCKETS, in ROWS.  If buckets are LEAVES, it does not matter that many keys have one value; if EVEN ones
 * are wanted, nor do gaps between keys.  Keys that go to SLOTS have fewer bins, as SLOTS says.  The first
 * blocks rank; if buckets are not leaves, the next one finds the order of the sample, and each
 * of the others looks at a unit of keys.
 */
template <class Key> static __global__ void
__launch_bounds__(RANK_THREADS, blocks_that_fit(RANK_THREADS, 1))
plan_kernel(bin_plan<Key> *plan, uint32_t keys, uint32_t bins, uint32_t buckets, uint32_t rows,
            bool leaves, bool even, slot_rule slots)
{
	if (!begin_in_turn(SHARED_LARGE))
		return;

	typedef sampling<Key> S;
	enum { BITS = sizeof(Key) * 8, EACH = 16 / sizeof(Key) };
	__shared__ __align__(16) union {
		Key      sample[S::KEYS];
		uint32_t seen[3 * UNIT_WORDS];
	} room;
	__shared__ number range[2];
	__shared__ uint32_t spread;
	Key *const sample = room.sample;
	const uint64_t top = (Key)~(Key)0;
	const unsigned each = ranks_of_warp<Key>(keys), others = rank_blocks<Key>(keys);
	const unsigned j = (blockIdx.x * (S::THREADS / 32) + threadIdx.x / 32) * each;
	Key least = (Key)-1, most = 0;
	uint64_t low, high;
	bool skewed, alike = false;
	uint32_t repeats = !leaves;

	if (blockIdx.x == others && !leaves) {
		const enum order order = sample_order(plan->sample, keys);

		if (threadIdx.x == 0) {
			plan->order = order;
			plan->broken = order == NEARLY;
		}
		return;
	}
	if (blockIdx.x >= others) {
		const unsigned unit = blockIdx.x - others - 1;
		const uint32_t values = sample_values_of(plan->sample, keys, unit, room.seen);

		if (threadIdx.x == 0)
			plan->values[unit] = values;
		return;
	}
	for (unsigned i = threadIdx.x; i < keys / EACH; i += S::THREADS) {
		const pack<Key> x = ((const pack<Key> *)plan->parts)[i];

		((pack<Key> *)sample)[i] = x;
#pragma unroll
		for (unsigned k = 0; k < EACH; k++) {
			least = min(least, x.at[k]);
			most = max(most, x.at[k]);
		}
	}
	block_range(&least, &most, range);
	low = least;
	high = most;
	skewed = sample_is_skewed(sample, keys, digits_over(BITS, low, high, keys / S::FAIR), &repeats,
	                          &spread);
	for (unsigned i = threadIdx.x; i < keys / 32; i += S::THREADS)
		alike = alike || plan->alike[i] > S::ALIKE;
	alike = __syncthreads_or(alike);
	if (blockIdx.x == 0 && threadIdx.x == 0) {
		plan->range_bits = high > low ? 64 - (uint32_t)__clzll((long long)(high - low)) : 0;
		plan->skewed = skewed;
		const uint32_t cells = keys / S::FAIR, more = max(spread, cells * S::FAIR) - cells * S::FAIR;

		plan->spread = repeats > keys / S::REPEATS || (alike ? spread > cells * S::STRATA :
		               (uint64_t)more * more > (uint64_t)cells * S::SPREAD * S::SPREAD);

		const bool few = slots_are_likely(*plan, slots);
		const uint64_t margin = (high - low) / (few ? S::SLOTS_MARGIN : S::MARGIN);

		low = low > margin ? low - margin : 0;
		high = top - high > margin ? high + margin : top;
		plan->buckets = buckets;
		plan->rows = rows;
		plan->even = digits_over(BITS, low, high, few ? slots.buckets : bins);
		plan->even.outside = low > 0 || high < top;
	}
	if (!skewed)
		return;
	for (unsigned r = 0; r < each; r++) {	/* put key j + r where it belongs */
		const uint32_t rank = sample_rank(sample, keys, j + r), at = rank * buckets;

		if (threadIdx.x % 32 == 31)
			plan->sorted[rank] = sample[j + r];
		if (threadIdx.x % 32 == 31 && at % keys < buckets)
			plan->ranked[at / keys] = sample[j + r];
	}
	if (even)
		return;
	finish_splitters(plan, sample, keys, buckets);
}

#endif
