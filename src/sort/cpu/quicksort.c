// SPDX-License-Identifier: BSD-2-Clause
/*
 * quicksort.c - sort keys that fit a cache, into another array, or in place
 *
 * In:   keys between two bounds.
 * Out:  the same keys in order, in the other array or in the same one.
 *
 * Keys of few values, or of a dense range, are counted: if half of a sample or more lies in at most
 * DENSE values, a table counts these (counting sort: Knuth, The Art of Computer Programming 3, 5.2), and
 * only the keys below and above are sorted.  So are keys that are a multiple of 2^k apart, as floats of
 * few digits are: each is looked at, and if one is not, nothing has been written.  If a sample has equal
 * keys, values that may lie anywhere are counted by a hash table (values.c).  Others are divided into
 * bins of about a leaf, if they are even enough (distribution.c).  Else each level partitions a subarray
 * from one array to the same place in the other, about the median of a sample.  Leaves are sorted by a
 * bitonic network into the array where they belong.  If PATIENCE levels did not suffice, the pivot is the
 * middle of the bounds, so that no keys take more than PATIENCE + key_bits levels.
 *
 * Keys that do not fit the cache are partitioned where they are, until they fit beside scratch memory that
 * stays in the cache: a second array of all keys would be read and written beyond it.  Several threads do
 * that side by side: each takes the largest piece that waits, partitions it, and leaves one half to another
 * thread.
 *
 * Keys of an array become raw again as they are written to their last place, while a leaf is in the
 * first-level cache: gs_raw_bits().
 *
 * Invariant: the bounds of both halves of a subarray are narrower than its own, whatever the pivot.
 */
#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/round.h"
#include "base/team.h"
#include "base/way.h"
#include "sort/cpu/keys.h"
#include "sort/cpu/quicksort.h"
#include "sort/span.h"

/* Levels about a sampled pivot.  Uniform keys need 11 from 32 MiB to a leaf. */
enum { PATIENCE = 24 };

/* What a division into bins counts: so there are at most two within each other, whose tables are on
 * the stack. */
enum { DISTRIBUTION = 9 };

/* Values of a sample that probably has all of them, and levels of partitions until tallies count them.  u32,
 * Xeon, ns a key before and now: 2^14, 24, 32 and 50 values, 0.93 0.78, 2.03 1.43, 3.25 1.76; 2^16, 32 and 64
 * values, 1.15 0.99 and 1.80 1.50. */
enum { KNOWN_VALUES = 64, KNOWN_LEVELS = 3 };

/* Keys of a sample, and of one for a leaf. */
enum { SAMPLE_KEYS = GS_DISTRIBUTION_SAMPLE, LEAF_SAMPLE_KEYS = 32, TALLY_VALUES = GS_TALLY_VALUES };

/* More bytes are copied before they are divided, so that bins are sorted in place: 2^20 u32, EPYC 9004, 3.0
 * ns a key, and 3.8 from one array to the other, which misses the cache once more. */
enum { CACHE_BYTES = 1 << 20 };

/* Pieces of keys in no order, if scratch memory has no room for all.  u64 2^20, Xeon with a second-level
 * cache of 2 MiB that is busy, ns a key: 512 KiB 6.26, 640 6.21, 1280 6.31; all from array to array 7.2. */
enum { PIECE_BYTES = 640 << 10 };

/* A range of at most this many values, each with DENSE_TIMES keys on average, is counted. */
enum { DENSE = 4096, DENSE_TIMES = 4 };

/* Up to this many leaves are partitioned if a block has this many keys, 32 bits with AVX-512: u32 2^14, Xeon,
 * ns a key, in bins 3.73, and 2.93; but u64 2^13 5.36 and 6.21, and u32 without AVX 7 and 15. */
enum { TWO_LEAVES = 2, WIDE_BLOCK = 256 };

struct subarray {
	char  *from;	/* its keys */
	char  *other;	/* the same place in the other array; NULL: the piece stays here */
	size_t count;
	bool   home;	/* its keys belong where they are */
	size_t room;	/* of the other array, if it is more than for COUNT keys; else 0 */
};

static uint64_t
median(const struct gs_simd_kernels *kernels, const void *sample, size_t count, uint64_t most)
{
	const uint64_t pivot = gs_key_at(sample, kernels->key_bits, count / 2);

	return pivot < most ? pivot : most - 1;
}

uint64_t
gs_sample_pivot(const struct gs_simd_kernels *kernels, void *sample, size_t count, uint64_t most)
{
	assert(count > 0 && count <= GS_SAMPLE_KEYS);
	kernels->sort_leaf(sample, sample, count);
	return median(kernels, sample, count, most);
}

static char *
home_of(const struct subarray *keys)
{
	return keys->home ? keys->from : keys->other;
}

static void
sort_leaf(const struct gs_simd_kernels *kernels, const struct subarray *keys)
{
	kernels->sort_last(home_of(keys), keys->from, keys->count, &kernels->raw);
}

/* Write COUNT equal keys to their last place. */
static void
fill(const struct gs_simd_kernels *kernels, char *home, uint64_t key, size_t count)
{
	gs_keys_fill(home, kernels->key_bits, gs_raw_bits(&kernels->raw, kernels->key_bits, key), count);
}

static void
to_ordered(const struct gs_quicksort_maps *maps, void *keys, size_t count)
{
	if (maps != NULL)
		maps->to_ordered(maps->context, keys, count);
}

/* Draw COUNT of KEYS, which become ordered bits by MAPS, and sort them; were they nearly in order? */
static bool
draw(const struct gs_simd_kernels *kernels, const struct subarray *keys, const struct gs_quicksort_maps *maps,
     void *sample, size_t count)
{
	const size_t step = keys->count / count;
	bool ordered;

	for (size_t s = 0; s < count; s++)
		gs_key_put(sample, kernels->key_bits, s,
		           gs_key_at(keys->from, kernels->key_bits, s * step + step / 2));
	to_ordered(maps, sample, count);
	ordered = gs_sample_ordered(sample, kernels->key_bits, count);
	kernels->sort_leaf(sample, sample, count);
	return ordered;
}

size_t
gs_sample_values(const void *sample, unsigned bits, size_t count, void *values, size_t most)
{
	size_t found = 0;

	for (size_t s = 0; s < count && found <= most; s++) {
		const uint64_t value = gs_key_at(sample, bits, s);

		if (s == 0 || value != gs_key_at(sample, bits, s - 1)) {
			if (found < most)
				gs_key_put(values, bits, found, value);
			found++;
		}
	}
	return found;
}

/* Have all KEYS one of these values?  Then they are counted, and written home. */
static bool
sort_by_tally(const struct gs_simd_kernels *kernels, const struct subarray *keys, const void *values,
              size_t value_count)
{
	size_t counts[TALLY_VALUES];
	char *home = home_of(keys);

	if (!kernels->tally(keys->from, keys->count, values, value_count, counts))
		return false;
	for (size_t v = 0; v < value_count; v++) {
		fill(kernels, home, gs_key_at(values, kernels->key_bits, v), counts[v]);
		home += counts[v] * (kernels->key_bits / 8);
	}
	return true;
}

/* The values of the widest range that is counted; 0: the counts, of 32 bits, may overflow. */
static size_t
dense(size_t count)
{
	return count > UINT32_MAX ? 0 : count / DENSE_TIMES < DENSE ? count / DENSE_TIMES : DENSE;
}

/* Fill COUNTS[i] places from AT on with LEAST + i * 2^SHIFT, or with VALUES[i] if there are any.  Each write
 * is of a whole line, as long as the place has room: the next run overwrites the excess. */
static inline __attribute__((always_inline)) void
write_runs(const struct gs_simd_kernels *kernels, char *at, const char *end, unsigned key_bits,
           uint64_t least, unsigned shift, const void *values, const uint32_t *counts, size_t range)
{
	enum { LINE_BYTES = 64 };
	const size_t key_bytes = key_bits / 8, line = LINE_BYTES / key_bytes;
	const bool mapped = gs_raw_differ(&kernels->raw);

	for (size_t v = 0; v < range; v++) {
		uint64_t key = values != NULL ? gs_key_at(values, key_bits, v)
		                              : least + ((uint64_t)v << shift);
		const size_t count = counts[v];
		uint64_t four[2];

		if (v + 4 <= range && (memcpy(four, counts + v, sizeof four), (four[0] | four[1]) == 0)) {
			v += 3;
			continue;
		}
		if (mapped)
			key = gs_raw_bits(&kernels->raw, key_bits, key);
		if (end - at < LINE_BYTES || count > line)
			gs_keys_fill(at, key_bits, key, count);
		else
			_Pragma("GCC unroll 16") for (size_t i = 0; i < line; i++)
				gs_key_put(at, key_bits, i, key);
		at += count * key_bytes;
	}
}

/* Keys from LEAST to LAST, a multiple of 2^SHIFT apart. */
struct range {
	uint64_t least, last;
	unsigned shift;
	bool     all;		/* no key is above */
};

/* Count KEYS of the range OF, and write them home; *IN is their number.  No key is less; those above are
 * behind the same place in the other array, as a partition stores them.  False: one is between two values,
 * and KEYS are as they were. */
static inline __attribute__((always_inline)) bool
count_range(const struct gs_simd_kernels *kernels, const struct subarray *keys, unsigned key_bits,
            const struct range *of, unsigned shift, size_t *in)
{
	enum { ROUND_KEYS = 512 };
	const size_t range = (size_t)((of->last - of->least) >> shift) + 1, key_bytes = key_bits / 8;
	const uint64_t least = of->least;
	uint32_t counts[DENSE];
	size_t high = keys->count;

	assert(range <= DENSE);
	memset(counts, 0, range * sizeof *counts);
	for (size_t at = 0, here; at < keys->count; at += here) {
		const char *round = keys->from + at * key_bytes;
		uint64_t between = 0;
		size_t low = 0;

		here = keys->count - at < ROUND_KEYS ? keys->count - at : ROUND_KEYS;
		if (of->all) {
			low = here;
		} else {
			kernels->partition(keys->other, &low, &high, round, here, of->last);
			round = keys->other;
		}
		_Pragma("GCC unroll 8") for (size_t i = 0; i < low; i++) {
			const uint64_t apart = gs_key_at(round, key_bits, i) - least;

			between |= apart;
			counts[apart >> shift]++;
		}
		if ((between & ((UINT64_C(1) << shift) - 1)) != 0)
			return false;
	}
	write_runs(kernels, home_of(keys), home_of(keys) + high * key_bytes, key_bits, least, shift, NULL,
	           counts, range);
	*in = high;
	return true;
}

static __attribute__((noinline)) bool
sort_by_counts(const struct gs_simd_kernels *kernels, const struct subarray *keys, const struct range *of,
               size_t *in)
{
	if (kernels->key_bits == 32)
		return of->shift == 0 ? count_range(kernels, keys, 32, of, 0, in)
		                      : count_range(kernels, keys, 32, of, of->shift, in);
	return of->shift == 0 ? count_range(kernels, keys, 64, of, 0, in)
	                      : count_range(kernels, keys, 64, of, of->shift, in);
}

/* Some partitions and then tallies are faster for fewer values: ns a key, Xeon, u32 2^15, 20 values, 0.76,
 * and 1.03 by a table; u64 2^16, 32 values, 1.77 and 1.25; an H100 host, u32 2^16, 70 values, 1.26, 0.95. */
static bool
is_worth_a_table(const struct gs_simd_kernels *kernels, size_t likely)
{
	return likely > (kernels->key_bits == 32 ? 64 : 24);
}

/* Have KEYS few values?  LIKELY is an estimate.  ROOM has as many bytes as the keys, or as scratch memory. */
static __attribute__((noinline)) bool
sort_by_values(const struct gs_simd_kernels *kernels, const struct subarray *keys, size_t likely, char *room)
{
	const unsigned bits = kernels->key_bits;
	const size_t bytes = keys->count * (bits / 8);
	const char *end = home_of(keys) + bytes;
	const struct gs_values values = gs_values_count(
		kernels, keys->from, keys->count, likely, room, gs_least(bytes, GS_QUICKSORT_SCRATCH_BYTES),
		keys->home ? NULL : keys->from);

	if (bits == 32)
		write_runs(kernels, home_of(keys), end, 32, 0, 0, values.values, values.counts, values.count);
	else
		write_runs(kernels, home_of(keys), end, 64, 0, 0, values.values, values.counts, values.count);
	return values.count > 0;
}

static void sort(const struct gs_simd_kernels *kernels, const struct subarray *keys,
                 uint64_t least, uint64_t most, unsigned patience);

/* Divide KEYS into bins, and sort each of them; false: they are too uneven. */
static __attribute__((noinline)) bool
distribute(const struct gs_simd_kernels *kernels, const struct subarray *keys, uint64_t least,
           uint64_t most, unsigned patience, void *sample, bool ordered)
{
	const size_t key_bytes = kernels->key_bits / 8;
	const struct subarray copy = { keys->other, keys->from, keys->count, false, 0 };
	struct gs_distribution distribution;
	const char *rest;
	size_t at = 0, first;
	bool once;

	if ((kernels->block_keys >= WIDE_BLOCK && keys->count <= TWO_LEAVES * kernels->leaf_keys) ||
	    !gs_distribution_choose(&distribution, kernels, sample, SAMPLE_KEYS, keys->count, ordered))
		return false;
	if (keys->home && keys->count > CACHE_BYTES / key_bytes) {
		memcpy(copy.from, copy.other, copy.count * key_bytes);
		keys = &copy;
	}
	once = gs_distribution_begin_once(&distribution, keys->count, keys->room);
	if (once) {		/* scatter a few keys, then all if those were even */
		first = distribution.trial;
		rest = keys->from + first * key_bytes;
		once = gs_distribution_end_once(
			&distribution,
			gs_distribution_scatter_once(&distribution, keys->other, keys->from, first, rest) &&
			gs_distribution_scatter_once(&distribution, keys->other, rest, keys->count - first,
			                             rest));
	}
	if (!once) {
		/* which are found once if the other array has room for them, too: u64 2^16, 1 / u^8, Xeon,
		 * 7.8 ns a key, and so 5.9 */
		uint16_t *bins = keys->room / 2 < keys->count ? NULL
		                 : (uint16_t *)(void *)(keys->other + keys->count * key_bytes);

		gs_distribution_count(&distribution, keys->from, keys->count, bins);
		gs_distribution_place(&distribution);
		gs_distribution_scatter(&distribution, keys->other, keys->from, keys->count, bins,
		                        keys->from);
	}
	for (unsigned b = 0; b < distribution.binner.bins; b++) {
		const size_t begin = once ? gs_distribution_begin(&distribution, b) : at;
		const size_t count = distribution.end[b] - begin;
		char *const home = keys->from + at * key_bytes;
		const struct subarray bin = { keys->other + begin * key_bytes, home, count, !keys->home, 0 };

		if (count <= gs_quicksort_few(kernels))
			sort_leaf(kernels, &bin);
		else
			sort(kernels, &bin, least, most, patience);
		at += count;
	}
	return true;
}

/* The greatest power of 2, as a shift, that the keys from FROM to TO of a sorted sample are a multiple of
 * apart; or 0, if they lie in WIDTH values without that.  Below LEAST, it may be any shift below. */
static unsigned
shift_of(const void *sample, unsigned key_bits, size_t from, size_t to, size_t width, unsigned least)
{
	const uint64_t first = gs_key_at(sample, key_bits, from);
	uint64_t apart = gs_key_at(sample, key_bits, to) - first;

	if (apart < width)
		return 0;
	for (size_t s = from + 1; s < to && (apart & ((UINT64_C(1) << least) - 1)) == 0; s++)
		apart |= gs_key_at(sample, key_bits, s) - first;
	return (unsigned)__builtin_ctzll(apart);
}

/* Where do three quarters of a sorted sample begin that lie in WIDTH values, a multiple of 2^SHIFT apart, or
 * else half of it?  *RUN further is the last of them.  COUNT: nowhere. */
static size_t
find_dense(const void *sample, unsigned key_bits, size_t count, size_t width, size_t *run, unsigned *shift)
{
	for (size_t outside = count / 4; outside <= count / 2; outside *= 2) {
		*run = count - 1 - outside;
		for (size_t s = 0; s <= outside; s += count / 8) {
			const uint64_t apart = gs_key_at(sample, key_bits, s + *run) -
			                       gs_key_at(sample, key_bits, s);
			const int more = __builtin_clzll(width | 1) - __builtin_clzll(apart | 1);
			unsigned least = more > 0 ? (unsigned)more : 0;

			least += least < 63 && apart >> least >= width;
			*shift = shift_of(sample, key_bits, s, s + *run, width, least);
			if (apart >> *shift < width)
				return s;
		}
	}
	return count;
}

bool
gs_sample_dense(const void *sample, unsigned key_bits, size_t count, size_t keys)
{
	unsigned shift;
	size_t run;

	return find_dense(sample, key_bits, count, dense(keys), &run, &shift) < count;
}

/* Do WIDTH values from OF->least on, as far apart as OF says, include KEY and OF->last? */
static bool
covers(const struct range *of, uint64_t key, size_t width)
{
	return (of->last - of->least) >> of->shift < width &&
	       ((key - of->least) & ((UINT64_C(1) << of->shift) - 1)) == 0;
}

/*
 * Do half of a sorted sample or more lie in a dense range?  If it begins with the least of KEYS, they
 * are sorted; else *PIVOT is below it.  One value with half of the keys takes longer to count than to
 * divide; so do FEW ones that are apart.
 */
static enum dense_keys { NOT_DENSE, DENSE_ABOVE, DENSE_SORTED }
sort_dense(const struct gs_simd_kernels *kernels, const struct subarray *keys, uint64_t least, uint64_t most,
           unsigned patience, const void *sample, size_t count, bool few, uint64_t *pivot)
{
	const unsigned bits = kernels->key_bits;
	const size_t width = dense(keys->count);
	struct subarray above = { .home = !keys->home };
	struct range of = { .least = least };
	size_t run;
	const size_t s = find_dense(sample, bits, count, width, &run, &of.shift), three = count / 8 * 3;
	size_t heavy = 0;
	uint64_t first;

	/* has one value half of the sample's keys, or three eighths and a few more? */
	while (heavy + three < count &&
	       gs_key_at(sample, bits, heavy) != gs_key_at(sample, bits, heavy + three))
		heavy += count / 8;
	if (s == count || (of.shift > 0 && few) || gs_way("heavy value", heavy + three < count))
		return NOT_DENSE;
	first = gs_key_at(sample, bits, s);
	of.last = gs_key_at(sample, bits, s + run);
	if (s == 0 && !covers(&of, first, width)) {
		of.least = most = of.last;
		kernels->range(keys->from, keys->count, &of.least, &most);
	}
	if (!covers(&of, first, width)) {
		*pivot = first - 1;
		return DENSE_ABOVE;
	}
	if (of.shift == 0 || shift_of(sample, bits, s, count - 1, width, of.shift) >= of.shift)
		of.last = (most - of.least) >> of.shift < width ? most : of.least + ((width << of.shift) - 1);
	of.all = of.last == most;
	if (!of.all && keys->other == NULL) {
		*pivot = of.last;
		return DENSE_ABOVE;
	}
	if (!gs_way("counts of dense keys", sort_by_counts(kernels, keys, &of, &above.count)))
		return NOT_DENSE;
	above.from = keys->other + above.count * (bits / 8);
	above.other = keys->from + above.count * (bits / 8);
	above.count = keys->count - above.count;
	if (above.count > 0)
		sort(kernels, &above, of.last + 1, most, patience - 1);
	return DENSE_SORTED;
}

/* Sort KEYS, which probably have these values, in order, and no other.  They are more than TALLY_VALUES: if a
 * tally fails, it leaves fewer keys than the caller had. */
static __attribute__((noinline)) void
sort_known(const struct gs_simd_kernels *kernels, const struct subarray *keys, uint64_t least, uint64_t most,
           unsigned patience, const char *values, size_t value_count)
{
	const size_t key_bytes = kernels->key_bits / 8, half = value_count / 2;
	struct subarray part = { keys->other, keys->from, 0, !keys->home, 0 };
	size_t low = 0, high = keys->count;
	uint64_t pivot;

	if (value_count <= TALLY_VALUES) {
		if (!sort_by_tally(kernels, keys, values, value_count))
			sort(kernels, keys, least, most, patience);
		return;
	}
	pivot = gs_key_at(values, kernels->key_bits, half - 1);
	kernels->partition(keys->other, &low, &high, keys->from, keys->count, pivot);
	part.count = low;
	sort_known(kernels, &part, least, pivot, patience - 1, values, half);
	part.from += low * key_bytes;
	part.other += low * key_bytes;
	part.count = keys->count - low;
	sort_known(kernels, &part, pivot + 1, most, patience - 1, values + half * key_bytes,
	           value_count - half);
}

/* Choose a pivot by a sample; false: KEYS are sorted in another way, with ROOM for as many keys, or as many
 * as scratch memory holds. */
static __attribute__((noinline)) bool
choose_pivot(const struct gs_simd_kernels *kernels, const struct subarray *keys, uint64_t least,
             uint64_t most, unsigned patience, char *room, uint64_t *pivot)
{
	/* in a bin the stack has tables already */
	const bool is_leaf = keys->count <= (patience > PATIENCE - DISTRIBUTION ? kernels->network_keys :
	                                     kernels->leaf_keys / 2);
	size_t count = is_leaf ? LEAF_SAMPLE_KEYS : SAMPLE_KEYS;
	uint64_t sample[SAMPLE_KEYS], values[KNOWN_VALUES];
	enum dense_keys dense_keys;
	size_t found, likely;
	bool ordered, tallied;

	ordered = draw(kernels, keys, NULL, sample, count);
	found = gs_sample_values(sample, kernels->key_bits, count, values, TALLY_VALUES);
	if (found <= TALLY_VALUES && gs_way("tally", sort_by_tally(kernels, keys, values, found)))
		return false;
	dense_keys = sort_dense(kernels, keys, least, most, patience, sample, count, found <= TALLY_VALUES,
	                        pivot);
	if (dense_keys != NOT_DENSE)
		return dense_keys == DENSE_ABOVE;
	if (is_leaf && found > TALLY_VALUES && keys->count > kernels->leaf_keys / 2 &&
	    gs_sample_repeated(sample, kernels->key_bits, count) > 3) {
		count = SAMPLE_KEYS;	/* which pays if they are few values */
		(void)draw(kernels, keys, NULL, sample, count);
	}
	likely = count < SAMPLE_KEYS ? 0 : gs_values_estimate(sample, kernels->key_bits, count);
	tallied = likely > 0 && !is_worth_a_table(kernels, likely);
	if (likely > 0 && !tallied && gs_way("table of values", sort_by_values(kernels, keys, likely, room)))
		return false;
	if (tallied && keys->other != NULL && patience > KNOWN_LEVELS) {
		found = gs_sample_values(sample, kernels->key_bits, count, values, KNOWN_VALUES);
		if (gs_way("known values",
		           found >= likely && found > TALLY_VALUES && found <= KNOWN_VALUES)) {
			sort_known(kernels, keys, least, most, patience, (char *)values, found);
			return false;
		}
	}
	if (gs_way("network", is_leaf && found > TALLY_VALUES)) {
		sort_leaf(kernels, keys);
		return false;
	}
	if (!is_leaf && !tallied && keys->other != NULL && patience >= DISTRIBUTION &&
	    gs_way("distribution",
	           distribute(kernels, keys, least, most, patience - DISTRIBUTION, sample, ordered)))
		return false;
	*pivot = median(kernels, sample, count, most);
	return true;
}

static void
sort(const struct gs_simd_kernels *kernels, const struct subarray *keys, uint64_t least,
     uint64_t most, unsigned patience)
{
	const size_t key_bytes = kernels->key_bits / 8, count = keys->count;
	struct subarray half = { keys->other, keys->from, 0, !keys->home, 0 };
	uint64_t pivot = least + (most - least) / 2;
	size_t low = 0, high = count;

	if (count <= (patience > 0 ? gs_quicksort_few(kernels) : kernels->leaf_keys / 2)) {
		sort_leaf(kernels, keys);
		return;
	}
	if (least == most) {
		fill(kernels, home_of(keys), least, count);
		return;
	}
	if (patience > 0 && !choose_pivot(kernels, keys, least, most, patience, keys->other, &pivot))
		return;
	assert(least <= pivot && pivot < most);
	kernels->partition(keys->other, &low, &high, keys->from, count, pivot);
	patience -= patience > 0;
	half.count = low;
	sort(kernels, &half, least, pivot, patience);
	half.from += low * key_bytes;
	half.other += low * key_bytes;
	half.count = count - low;
	sort(kernels, &half, pivot + 1, most, patience);
}

void
gs_quicksort(const struct gs_simd_kernels *kernels, void *into, void *from, size_t count,
             uint64_t least, uint64_t most)
{
	sort(kernels, &(struct subarray){ from, into, count, false, 0 }, least, most, PATIENCE);
}

/* ---- keys that do not fit a cache, where they are ------------------------------------ */

/* Keys between two bounds. */
struct piece {
	char    *keys;
	size_t   count;
	uint64_t least, most;
	unsigned patience;
};

struct large {
	const struct gs_simd_kernels *kernels;
	const struct gs_quicksort_maps *maps;	/* NULL: keys are ordered bits */
	char  *scratch;
	size_t scratch_keys;
	size_t piece_keys;			/* no more are sorted with it */
};

static void
prefetch(const char *keys, size_t bytes)
{
	for (size_t line = 0; line < bytes; line += 64)
		__builtin_prefetch(keys + line, 0, 2);
}

enum { HELD_KEYS = 512 };

/*
 * Partition COUNT keys, 2 * HELD_KEYS at least, which become ordered bits by MAPS; returns how many are up to
 * PIVOT.  As HELD_KEYS of each end are held, there is room for as many on one side of the unread keys, at
 * least; the next are read on the other side.
 */
static __attribute__((noinline)) size_t
partition_in_place(const struct gs_simd_kernels *kernels, const struct gs_quicksort_maps *maps, char *keys,
                   size_t count, uint64_t pivot)
{
	const size_t key_bytes = kernels->key_bits / 8, bytes = HELD_KEYS * key_bytes;
	uint64_t held[3 * HELD_KEYS];
	char *const last = (char *)held + bytes, *const round = last + bytes;
	size_t left = HELD_KEYS, right = count - HELD_KEYS, low = 0, high = count;

	memcpy(held, keys, bytes);
	memcpy(last, keys + right * key_bytes, bytes);
	while (right - left >= HELD_KEYS)
		if (left - low <= high - right) {
			char *here = keys + left * key_bytes;

			prefetch(here + bytes, bytes);
			to_ordered(maps, here, HELD_KEYS);
			kernels->partition(keys, &low, &high, here, HELD_KEYS, pivot);
			left += HELD_KEYS;
		} else {
			right -= HELD_KEYS;
			prefetch(keys + right * key_bytes - bytes, bytes);
			memcpy(round, keys + right * key_bytes, bytes);
			to_ordered(maps, round, HELD_KEYS);
			kernels->partition(keys, &low, &high, round, HELD_KEYS, pivot);
		}
	memcpy(round, keys + left * key_bytes, (right - left) * key_bytes);
	to_ordered(maps, held, high - low);
	kernels->partition(keys, &low, &high, held, high - low, pivot);
	return low;
}

/* The halves of PIECE, whose first LOW keys are up to PIVOT. */
static void
halve(const struct piece *piece, size_t key_bytes, size_t low, uint64_t pivot, struct piece halves[2])
{
	const unsigned patience = piece->patience - (piece->patience > 0);

	halves[0] = (struct piece){ piece->keys, low, piece->least, pivot, patience };
	halves[1] = (struct piece){ piece->keys + low * key_bytes, piece->count - low, pivot + 1,
		                    piece->most, patience };
}

/* Sort a piece of ordered bits, or partition it; false: it is sorted. */
static bool
sort_or_halve(const struct large *large, const struct piece *piece, bool fits, struct piece halves[2])
{
	const struct gs_simd_kernels *kernels = large->kernels;
	const struct subarray all = {
		piece->keys, fits ? large->scratch : NULL, piece->count, true, large->scratch_keys
	};
	const uint64_t least = piece->least, most = piece->most;
	uint64_t pivot = least + (most - least) / 2;

	if (fits || least == most) {
		sort(kernels, &all, least, most, piece->patience);
		return false;
	}
	if (piece->patience > 0 &&
	    !choose_pivot(kernels, &all, least, most, piece->patience, large->scratch, &pivot))
		return false;
	halve(piece, kernels->key_bits / 8,
	      partition_in_place(kernels, NULL, piece->keys, piece->count, pivot), pivot, halves);
	return true;
}

static void
sort_large(const struct large *large, const struct piece *piece)
{
	struct piece halves[2];

	if (!sort_or_halve(large, piece, piece->count <= large->piece_keys, halves))
		return;
	sort_large(large, &halves[0]);
	sort_large(large, &halves[1]);
}

/* ---- by several threads --------------------------------------------------------------- */

/* A larger piece is halved if a thread has none. */
enum { SHARED_BYTES = 64 << 10 };
_Static_assert(SHARED_BYTES >= 2 * HELD_KEYS * sizeof(uint64_t), "a piece has two ends that are held");

struct shared {
	const struct large *large;
	pthread_mutex_t lock;
	pthread_cond_t  changed;	/* a piece waits, or none will */
	struct piece    waiting[64];	/* if more wait, a thread sorts its own */
	unsigned        count;
	unsigned        threads;	/* at most */
	unsigned        at_work;	/* threads that sort a piece */
	unsigned        halving;	/* threads at work that may still leave a half to others */
};

/* Take the largest piece that waits, or wait for one; false: none will. */
static bool
take(struct shared *shared, struct piece *piece)
{
	unsigned largest = 0;
	bool takes;

	pthread_mutex_lock(&shared->lock);
	while (shared->count == 0 && shared->halving > 0)
		pthread_cond_wait(&shared->changed, &shared->lock);
	takes = shared->count > 0;
	if (takes) {
		for (unsigned p = 1; p < shared->count; p++)
			if (shared->waiting[p].count > shared->waiting[largest].count)
				largest = p;
		*piece = shared->waiting[largest];
		shared->waiting[largest] = shared->waiting[--shared->count];
		shared->at_work++;
		shared->halving++;
	}
	pthread_mutex_unlock(&shared->lock);
	return takes;
}

static bool
give(struct shared *shared, const struct piece *piece)
{
	bool gives;

	pthread_mutex_lock(&shared->lock);
	gives = shared->count < sizeof shared->waiting / sizeof *piece;
	if (gives) {
		shared->waiting[shared->count++] = *piece;
		pthread_cond_signal(&shared->changed);
	}
	pthread_mutex_unlock(&shared->lock);
	return gives;
}

/* Does the thread that took PIECE sort all of it? */
static bool
keep(struct shared *shared, const struct piece *piece)
{
	const struct large *large = shared->large;
	bool keeps = piece->count <= large->piece_keys;

	pthread_mutex_lock(&shared->lock);
	keeps = keeps && (piece->count <= SHARED_BYTES * 8 / large->kernels->key_bits ||
	                  shared->at_work + shared->count >= shared->threads);
	if (keeps && --shared->halving == 0)
		pthread_cond_broadcast(&shared->changed);
	pthread_mutex_unlock(&shared->lock);
	return keeps;
}

static void
sort_shared(void *context, size_t member)
{
	struct shared *shared = context;
	struct large large = *shared->large;
	struct piece piece, halves[2];

	large.scratch += member * large.scratch_keys * (large.kernels->key_bits / 8);
	while (take(shared, &piece)) {
		bool keeps = keep(shared, &piece);

		while (sort_or_halve(&large, &piece, keeps, halves)) {
			if (!give(shared, &halves[1]))
				sort_large(&large, &halves[1]);
			piece = halves[0];
			keeps = keep(shared, &piece);
		}
		pthread_mutex_lock(&shared->lock);
		shared->at_work--;
		if (!keeps && --shared->halving == 0)
			pthread_cond_broadcast(&shared->changed);
		pthread_mutex_unlock(&shared->lock);
	}
}

/* ---- floats that are integers, or multiples of a power of 2 ------------------------------ */

/* Keys of the sample, and how many of them must equal others. */
enum { FIXED_SAMPLE = 64, FIXED_REPEATED = 2 };

/* Fewer keys take longer so: zipf f32 2^14 and f64 2^13, Xeon, 0.97 to 1.03 of ordered bits, half as many
 * keys 0.85 to 1.0, twice as many 1.25 to 1.5. */
enum { FIXED_LEAST_BYTES = 96 << 10 };

/* The largest step that a few of KEYS, raw floats, are multiples of; 0: no such step, or fixed points cannot
 * have as many steps, or too few keys are equal. */
static double
choose_step(const struct gs_simd_kernels *kernels, const char *keys, size_t count)
{
	const unsigned bits = kernels->key_bits, fraction_bits = bits == 32 ? 23 : 52;
	const uint64_t infinite = (UINT64_C(1) << (bits - 1 - fraction_bits)) - 1;
	uint64_t sample[FIXED_SAMPLE], last = 0, largest = 0, exponent, range;
	struct gs_raw_bits raw = { .step = 0 };
	int shift;

	for (size_t s = 0; s < 4; s++)		/* random floats end here */
		last |= gs_key_at(keys, bits, s * (count / 4));
	if ((last & 3) != 0)
		return 0;
	for (size_t s = 0; s < FIXED_SAMPLE; s++) {
		const uint64_t key = gs_key_at(keys, bits, s * (count / FIXED_SAMPLE));
		const uint64_t magnitude = key & (UINT64_MAX >> (65 - bits));

		gs_key_put(sample, bits, s, key);
		largest = largest > magnitude ? largest : magnitude;
	}
	exponent = largest >> fraction_bits;
	if (exponent == 0 || exponent == infinite)
		return 0;
	raw.step = ldexp(1, (int)exponent - (int)(infinite / 2) - (int)fraction_bits + 2);
	if (!kernels->fix(sample, sample, FIXED_SAMPLE, &raw))
		return 0;
	kernels->sort_leaf(sample, sample, FIXED_SAMPLE);
	last = 0;
	for (size_t s = 0; s < FIXED_SAMPLE; s++)
		last |= gs_key_at(sample, bits, s);
	shift = __builtin_ctzll(last);		/* the highest bits are set */
	range = (gs_key_at(sample, bits, FIXED_SAMPLE - 1) - gs_key_at(sample, bits, 0)) >> shift;
	return range < dense(count) || gs_sample_repeated(sample, bits, FIXED_SAMPLE) >= FIXED_REPEATED
	       ? ldexp(raw.step, shift) : 0;
}

/* Make KEYS fixed points, if all of them have the step of a few: then they are counted like integers.  Two
 * cores of a Xeon, zipf, ns a key by ordered bits and so, f32 2^15 2.4 and 1.6, f64 2^14 3.8 and 2.8. */
static __attribute__((noinline)) bool
fix(struct gs_simd_kernels *kernels, char *keys, size_t count)
{
	const struct gs_raw_bits raw = {
		.flip = kernels->raw.flip, .step = choose_step(kernels, keys, count)
	};
	const size_t key_bytes = kernels->key_bits / 8;
	uint64_t round[HELD_KEYS];
	size_t at = 0, here;

	if (raw.step == 0)
		return false;
	for (; at < count; at += here) {
		here = gs_least(count - at, HELD_KEYS);
		if (!kernels->fix(round, keys + at * key_bytes, here, &raw))
			break;
		memcpy(keys + at * key_bytes, round, here * key_bytes);
	}
	if (at == count) {
		kernels->raw = raw;
		return true;
	}
	while (at-- > 0)
		gs_key_put(keys, kernels->key_bits, at,
		           gs_raw_bits(&raw, kernels->key_bits, gs_key_at(keys, kernels->key_bits, at)));
	return false;
}

/* ---- all of it --------------------------------------------------------------------------- */

/* Choose pieces, which are large if keys are nearly in order, and the first pivot, if keys are more than a
 * piece or for SEVERAL threads; false: they may be counted, which reads ordered bits. */
static bool
choose_first(struct large *large, char *keys, size_t count, uint64_t most, bool several, uint64_t *pivot)
{
	const struct gs_simd_kernels *kernels = large->kernels;
	const struct subarray all = { keys, NULL, count, true, 0 };
	const size_t piece_keys = PIECE_BYTES / (kernels->key_bits / 8);
	uint64_t sample[SAMPLE_KEYS], values[TALLY_VALUES];

	if (count <= piece_keys && !several)
		return false;
	if (!draw(kernels, &all, large->maps, sample, SAMPLE_KEYS) &&
	    (count > large->piece_keys || gs_sample_repeated(sample, kernels->key_bits, SAMPLE_KEYS) < 3))
		large->piece_keys = piece_keys;
	if (count <= large->piece_keys && !several)
		return false;
	*pivot = median(kernels, sample, SAMPLE_KEYS, most);
	return large->maps != NULL &&
	       gs_sample_values(sample, kernels->key_bits, SAMPLE_KEYS, values, TALLY_VALUES) >
	       TALLY_VALUES && !gs_sample_dense(sample, kernels->key_bits, SAMPLE_KEYS, count) &&
	       !is_worth_a_table(kernels, gs_values_estimate(sample, kernels->key_bits, SAMPLE_KEYS));
}

void
gs_quicksort_in_place(const struct gs_simd_kernels *kernels, void *keys, size_t count, void *scratch,
                      size_t scratch_bytes, const struct gs_quicksort_maps *maps, unsigned threads)
{
	const size_t key_bytes = kernels->key_bits / 8;
	const size_t most_keys = GS_QUICKSORT_SCRATCH_BYTES / key_bytes;
	struct gs_simd_kernels own = *kernels;
	struct large large = { &own, NULL, scratch, scratch_bytes / key_bytes, most_keys };
	const uint64_t most = UINT64_MAX >> (64 - kernels->key_bits);
	const struct piece all = { keys, count, 0, most, PATIENCE };
	struct piece pieces[2] = { all };
	unsigned listed = 1;
	uint64_t pivot;

	if (maps != NULL)
		own.raw = maps->raw;
	if (own.raw.floats != 0 && count * key_bytes >= FIXED_LEAST_BYTES && fix(&own, keys, count))
		maps = NULL;
	if (own.raw.floats != 0)
		own.network_keys = own.float_keys;
	large.maps = maps;
	if (choose_first(&large, keys, count, most, threads > 1, &pivot)) {
		halve(&all, key_bytes, partition_in_place(kernels, maps, keys, count, pivot), pivot, pieces);
		listed = 2;
	} else {
		to_ordered(maps, keys, count);
	}
	assert(threads == 1 || count >= 2 * HELD_KEYS);
	/* All threads together partitioned the first piece, block by block, in 0.70 ns a key each, where one
	 * takes 0.42: two threads took as long for u32 2^17 to 2^21.  One thread counts a piece. */
	if (threads > 1 && (listed > 1 || count > large.piece_keys)) {
		struct shared shared = {
			.large = &large, .count = listed, .threads = threads,
			.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER,
		};

		memcpy(shared.waiting, pieces, listed * sizeof *pieces);
		gs_team_each(threads, threads, sort_shared, &shared);
		return;
	}
	for (unsigned p = 0; p < listed; p++)
		sort_large(&large, &pieces[p]);
}
