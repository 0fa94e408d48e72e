// SPDX-License-Identifier: BSD-2-Clause
/*
 * distribution.c - divide keys that fit the second-level cache into bins of about a block each
 *
 * In:   keys, twice, in pieces; a sample.
 * Out:  the keys, bin by bin, and where each bin ends.
 */
#include <assert.h>
#include <string.h>

#include "sort/cpu/quicksort.h"
#include "sort/span.h"

enum { ROUND_KEYS = 512 };	/* whose bins are found at once */

/* Fewer bins are not worth the sample.  More keys do not fit a second-level cache: u32 2^19, 2^20 and 2^21,
 * Mkeys/s, Xeon of the H200 host, 257, 256 and 223, and with 8 MiB at once 181, 215 and 180; f64 143, 127 and
 * 123, and 119, 96 and 90. */
enum { BINS_LEAST = 32, MOST_BYTES = 2 << 20 };

/* After a share of the keys a scatter without counts may give up.  Another share may lie beyond either end of
 * a sample: at most six times the average, except once in 400 times. */
enum { TRIAL_SHARE = 16, GROUPS = 16, EDGE_SHARE = 43 };

#define UNROLLED	_Pragma("GCC unroll 8")

/* Rounded up. */
static size_t
root(size_t n)
{
	size_t root = 1;

	while (root * root < n)
		root++;
	return root;
}

/* Are the sorted keys of a sample even?  Not if more than a 32nd of them is in one bin, beyond what few bins
 * explain: a quicksort is as fast then, or faster if many keys are equal.  Random keys have few pairs in a
 * bin, of 256 coarse ones at most, as fine ones tell less. */
static bool
is_even(struct gs_distribution *distribution, const void *sample, size_t sample_keys)
{
	enum { COARSE_BINS = 256 };
	const unsigned bins = distribution->binner.bins;
	const int coarse = bins <= COARSE_BINS ? 0 : 32 - __builtin_clz((bins - 1) / COARSE_BINS);
	const size_t most = sample_keys / 32 + 2 * sample_keys / bins + 1;
	const size_t expected = (sample_keys * sample_keys << coarse) / (2 * bins);
	uint16_t found[GS_DISTRIBUTION_SAMPLE];

	distribution->kernels->bins(&distribution->binner, sample, sample_keys, found);
	for (size_t s = most; s < sample_keys; s++)
		if (found[s] == found[s - most])
			return false;
	distribution->even = gs_bins_pairs(found, sample_keys, coarse) <= expected + 5 * root(expected) / 2 &&
	                     gs_sample_repeated(sample, distribution->kernels->key_bits, sample_keys) < 3;
	return true;
}

bool
gs_sample_ordered(const void *sample, unsigned key_bits, size_t count)
{
	size_t turns = 0;

	for (size_t s = 2; s < count; s++) {
		const uint64_t first = gs_key_at(sample, key_bits, s - 2);
		const uint64_t middle = gs_key_at(sample, key_bits, s - 1);

		turns += (first < middle) != (middle < gs_key_at(sample, key_bits, s));
	}
	return turns < count / 4;
}

/* A bin should have seven eighths of a block of the network, so that few have more; or of 2, 4 blocks, if
 * bins would be too many.  Half a block takes as long a key, in twice as many bins: u32 2^18, Xeon, ns a key,
 * 3.33 and 3.06, u64 2^14, 2^16, 2^18 4.13 5.11 6.04 and 3.98 4.53 5.53.  But it is half a block if keys are
 * uneven, as full bins have more than a block: a bell of u64 2^14, 2^16 4.30 4.17 and 3.74 3.71. */
bool
gs_distribution_choose(struct gs_distribution *distribution, const struct gs_simd_kernels *kernels,
                       void *sample, size_t sample_keys, size_t count, bool ordered)
{
	const unsigned bits = kernels->key_bits;
	size_t each = kernels->block_keys - kernels->block_keys / 8;
	uint64_t least, most;
	unsigned bins;

	assert(sample_keys > 0 && sample_keys <= GS_DISTRIBUTION_SAMPLE);
	if (count / each < BINS_LEAST || count > MOST_BYTES / (bits / 8))
		return false;
	while (count / each > GS_DISTRIBUTION_BINS)
		each *= 2;
	bins = (unsigned)(count / each);
	kernels->sort_leaf(sample, sample, sample_keys);
	least = gs_key_at(sample, bits, 0);
	most = gs_key_at(sample, bits, sample_keys - 1);
	if (least == most)
		return false;
	distribution->kernels = kernels;
	distribution->ordered = ordered;
	distribution->room = each + 5 * root(each);
	distribution->binner = gs_binner_choose(least, most, bins, kernels, sample, sample_keys);
	if (!is_even(distribution, sample, sample_keys))
		return false;
	if (!distribution->even && bins <= GS_DISTRIBUTION_BINS / 2)
		distribution->binner = gs_binner_choose(least, most, 2 * bins, kernels, sample, sample_keys);
	memset(distribution->end, 0, distribution->binner.bins * sizeof *distribution->end);
	return true;
}

/* Keys that are nearly in order come from STREAMS places far from each other: neighbours belong to one bin,
 * and would wait for each other's place in it.  EPYC 9005, least of 20, u32 2^18, one in 64 out of order: 280
 * Mkeys/s from one place, 389 from four; but uniform keys 396 and 346. */
enum { STREAMS = 4 };

/* Find the bins of HERE keys from AT on in each of STREAMS streams of LENGTH keys, or take those in BINS. */
static inline __attribute__((always_inline)) void
find_bins(const struct gs_distribution *distribution, const char *keys, size_t at, size_t length, size_t here,
          uint16_t *bins, bool known, unsigned streams, uint16_t *found, const uint16_t **round)
{
	for (size_t s = 0; s < streams; s++) {
		uint16_t *of = bins != NULL ? bins + s * length + at : found + s * (ROUND_KEYS / streams);

		if (!known)
			distribution->kernels->bins(&distribution->binner, keys + (s * length + at) *
			                            (distribution->kernels->key_bits / 8), here, of);
		round[s] = of;
	}
}

static inline __attribute__((always_inline)) void
count_bins(struct gs_distribution *distribution, const char *keys, size_t length, uint16_t *bins,
           unsigned streams)
{
	const size_t most = ROUND_KEYS / streams;
	uint16_t found[ROUND_KEYS];
	const uint16_t *round[STREAMS];

	for (size_t at = 0, here; at < length; at += here) {
		here = length - at < most ? length - at : most;
		find_bins(distribution, keys, at, length, here, bins, false, streams, found, round);
		UNROLLED for (size_t i = 0; i < here; i++)
			_Pragma("GCC unroll 4") for (size_t s = 0; s < streams; s++)
				distribution->end[round[s][i]]++;
	}
}

void
gs_distribution_count(struct gs_distribution *distribution, const void *keys, size_t count, uint16_t *bins)
{
	const size_t key_bytes = distribution->kernels->key_bits / 8;
	const size_t length = distribution->ordered ? count / STREAMS : 0;

	if (distribution->ordered)
		count_bins(distribution, keys, length, bins, STREAMS);
	count_bins(distribution, (const char *)keys + STREAMS * length * key_bytes, count - STREAMS * length,
	           bins != NULL ? bins + STREAMS * length : NULL, 1);
}

void
gs_distribution_place(struct gs_distribution *distribution)
{
	uint32_t begin = 0;

	for (unsigned b = 0; b < distribution->binner.bins; b++) {
		const uint32_t keys = distribution->end[b];

		distribution->end[b] = begin;
		begin += keys;
	}
}

/* If FETCHED, lines of cache are fetched before keys are written to them, and so are the lines of AFTER,
 * from where as many keys are read next, one by one: all of a block at once are more than the processor has
 * buffers for (u32 2^17 in blocks of memory, Xeon, 1.57 ns a key, and so 1.34). */
static inline __attribute__((always_inline)) void
scatter_streams(struct gs_distribution *distribution, char *to, const char *keys, size_t length,
                uint16_t *bins, unsigned key_bits, bool fetched, unsigned streams, const char *after)
{
	const size_t most = ROUND_KEYS / streams, later = 16 / streams;
	uint32_t *const next = distribution->end;
	uint16_t found[ROUND_KEYS];
	const uint16_t *round[STREAMS];

	for (size_t at = 0, here; at < length; at += here) {
		const char *from = keys + at * (key_bits / 8);
		size_t i = 0;

		here = length - at < most ? length - at : most;
		find_bins(distribution, keys, at, length, here, bins, bins != NULL, streams, found, round);
		for (size_t line = 64; fetched && line <= 128; line += 64)	/* those of the last keys */
			__builtin_prefetch(after + (at + here) * streams * (key_bits / 8) - line, 0, 2);
		for (; fetched && i + later + 4 <= here; i += 4) {
			uint64_t four[STREAMS], then[STREAMS];

			__builtin_prefetch(after + (at + i) * streams * (key_bits / 8), 0, 2);
			_Pragma("GCC unroll 4") for (size_t s = 0; s < streams; s++) {
				four[s] = gs_four_bins(round[s] + i);
				then[s] = gs_four_bins(round[s] + i + later);
			}
			_Pragma("GCC unroll 4") for (unsigned j = 0; j < 4; j++)
				_Pragma("GCC unroll 4") for (size_t s = 0; s < streams; s++) {
					/* the line to which the next key of a later one's bin goes */
					__builtin_prefetch(to + (size_t)next[gs_bin_of_four(then[s], j)] *
					                        (key_bits / 8), 1, 3);
					gs_key_put(to, key_bits, next[gs_bin_of_four(four[s], j)]++,
					           gs_key_at(from, key_bits, s * length + i + j));
				}
		}
		UNROLLED for (; i < here; i++)
			_Pragma("GCC unroll 4") for (size_t s = 0; s < streams; s++)
				gs_key_put(to, key_bits, next[round[s][i]]++,
				           gs_key_at(from, key_bits, s * length + i));
	}
}

static inline __attribute__((always_inline)) void
scatter_width(struct gs_distribution *distribution, char *to, const char *keys, size_t count, uint16_t *bins,
              unsigned key_bits, bool fetched, const char *after)
{
	const size_t length = distribution->ordered ? count / STREAMS : 0, done = STREAMS * length;

	if (distribution->ordered)
		scatter_streams(distribution, to, keys, length, bins, key_bits, fetched, STREAMS, after);
	scatter_streams(distribution, to, keys + done * (key_bits / 8), count - done,
	                bins != NULL ? bins + done : NULL, key_bits, fetched, 1,
	                after + done * (key_bits / 8));
}

void
gs_distribution_scatter(struct gs_distribution *distribution, void *to, const void *keys, size_t count,
                        uint16_t *bins, const void *after)
{
	const bool fetched = gs_simd_fetches_first();

	if (distribution->kernels->key_bits == 32 && fetched)
		scatter_width(distribution, to, keys, count, bins, 32, true, after);
	else if (distribution->kernels->key_bits == 32)
		scatter_width(distribution, to, keys, count, bins, 32, false, after);
	else if (fetched)
		scatter_width(distribution, to, keys, count, bins, 64, true, after);
	else
		scatter_width(distribution, to, keys, count, bins, 64, false, after);
}

/* Are bins about as even as with random keys, after the first FIRST keys?  Then the variance of a bin is its
 * mean, within three deviations of it, and no group has an eighth more than others.  The outer bins have
 * keys beyond the sample, too. */
static bool
are_random(const struct gs_distribution *distribution, size_t first)
{
	const unsigned bins = distribution->binner.bins;
	const size_t group = (bins + GROUPS - 1) / GROUPS, mean = first * group / bins;
	const size_t most = mean + mean / 8 + 2 * root(mean);
	size_t squares = 0, sum = 0;

	for (unsigned b = 1; b + 1 < bins; b++) {
		const size_t keys = distribution->end[b] - gs_distribution_begin(distribution, b);

		squares += keys * keys;
		sum = b % group == 0 ? keys : sum + keys;
		if (sum > most)
			return false;
	}
	return squares <= first * first / bins + first + 4 * first / root(bins);
}

bool
gs_distribution_begin_once(struct gs_distribution *distribution, size_t count, size_t most)
{
	const unsigned bins = distribution->binner.bins;

	distribution->edge = count / EDGE_SHARE;
	distribution->trial = count / TRIAL_SHARE;
	distribution->done = 0;
	if (!distribution->even || distribution->ordered ||
	    gs_distribution_begin(distribution, bins) + distribution->edge + count > most)
		return false;
	for (unsigned b = 0; b < bins; b++)
		distribution->end[b] = (uint32_t)gs_distribution_begin(distribution, b);
	return true;
}

bool
gs_distribution_scatter_once(struct gs_distribution *distribution, void *to, const void *keys, size_t count,
                             const void *after)
{
	const bool tried = distribution->done >= distribution->trial;

	gs_distribution_scatter(distribution, to, keys, count, NULL, after);
	distribution->done += count;
	return tried || distribution->done < distribution->trial ||
	       are_random(distribution, distribution->done);
}

bool
gs_distribution_end_once(struct gs_distribution *distribution, bool fit)
{
	const unsigned bins = distribution->binner.bins;

	for (unsigned b = 0; b + 1 < bins && fit; b++)
		fit = distribution->end[b] <= gs_distribution_begin(distribution, b + 1);
	if (!fit)
		memset(distribution->end, 0, bins * sizeof *distribution->end);
	return fit;
}
