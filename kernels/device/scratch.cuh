// SPDX-License-Identifier: BSD-2-Clause
/* scratch.cuh - the memory that a sort needs besides its keys, and how many bins it makes */
#ifndef GS_SCRATCH_CUH
#define GS_SCRATCH_CUH

#include <algorithm>

#include "kernels/device/samplesort.cuh"
#include "kernels/device/segment.cuh"

#ifndef GS_SAMPLESORT_FROM
#define GS_SAMPLESORT_FROM	(1 << 26)	/* keys: the sample costs 10 us, 1 % here */
#endif

/* Bins of two levels, all counted at once. */
struct bin_plan {
	uint32_t bins, low_bits, level_bins;
};

/* All of the scratch memory, for a count of keys. */
struct scratch {
	knowledge     *known;
	uint32_t      *listed;		/* KINDS of them */
	uint32_t      *windows;
	number        *counts;		/* for the first guess, then for the second */
	size_t         zero_bytes;	/* all of these are zero at first */
	number        *begins, *cursors[2];
	uint64_t      *level;		/* where bins of the first level begin, and the end */
	segments_head *head;
	segment       *segments;
	uint64_t      *sample, *splitters;	/* keys, of either width */
	chunk_pool     pool;
	chunks         cut;		/* where the pool's chunks are, bucket by bucket */
	uint64_t      *spare;		/* chunks for what is half full in the end; keys, too */
	leaf_item     *lists[KINDS], *too_large;	/* of this turn, and of the last */
	size_t         bytes;

	bin_plan even, fine;		/* for keys that are evenly spread, and nearly so */
	unsigned leaf_bits;		/* log2 of the keys of a leaf, as it is meant to be */
};

/* Room for the leaves of a kind: bins larger than a leaf are fewer than keys / size. */
static size_t
list_room(int k, size_t windows)
{
	switch (k) {
	case EQUAL:                    return windows + windows / (EQUAL_KEYS / LEAF_KEYS) + 1;
	case TOO_LARGE:                return std::max<size_t>(windows / 4 + 1, BUCKETS);
	case NARROW_12: case WORD_12:  return 3 * windows;
	default:
		return (windows >> (k < WORD_12 ? k - NARROW_13 : k - WORD_13)) + 2;
	}
}

static bin_plan
plan_bins(size_t wanted)
{
	bin_plan p = {};

	while (wanted >> (2 * p.low_bits + 1) > 0)
		p.low_bits++;
	p.level_bins = (uint32_t)((wanted >> p.low_bits) + 1);
	p.bins = p.level_bins << p.low_bits;
	return p;
}

/* Memory for COUNT of TYPE at *END, at a multiple of 256 bytes. */
template <class Type> static void
carve(Type **place, char *base, size_t *end, size_t count)
{
	*place = (Type *)(base + *end);
	*end += (count * sizeof(Type) + 255) / 256 * 256;
}

static void
carve_buckets(scratch *s, char *base, unsigned bits, size_t count)
{
	const size_t chunk = bits == 32 ? (size_t)tile_of_many<uint32_t>::KEYS :
	                                  (size_t)tile_of_many<uint64_t>::KEYS;
	const size_t chunks = count / chunk + BUCKETS;

	if (count < GS_SAMPLESORT_FROM)
		return;
	carve(&s->sample, base, &s->bytes, SAMPLE_KEYS);
	carve(&s->splitters, base, &s->bytes, BUCKETS);
	carve(&s->pool.cursors, base, &s->bytes, BUCKETS);
	carve(&s->pool.used, base, &s->bytes, 1);
	carve(&s->pool.owners, base, &s->bytes, chunks);
	carve(&s->cut.at, base, &s->bytes, chunks);
	carve(&s->cut.first, base, &s->bytes, BUCKETS);
	carve(&s->spare, base, &s->bytes, BUCKETS * chunk * (bits / 8) / 8);
}

static scratch
scratch_of(void *memory, unsigned bits, size_t count)
{
	const unsigned most_leaf_bits = bits == 32 ? LEAF_BITS + 3 : LEAF_BITS + 1;
	const size_t leaves = (count + LEAF_MEAN - 1) / LEAF_MEAN;
	const size_t buckets = count < GS_SAMPLESORT_FROM ? 0 : BUCKETS;	/* each begins a window */
	const size_t windows = count / LEAF_KEYS + 1 + buckets;
	const size_t segments = list_room(TOO_LARGE, windows);
	const size_t bins = leaves + count / VALUE_KEYS + 2 * segments;	/* at least those of all */
	char *base = (char *)memory;
	scratch s = {};
	size_t wanted = leaves, most, level_bins;

	/* Longer leaves cost less than bins that cannot be counted at once, up to a point. */
	for (s.leaf_bits = LEAF_BITS; wanted > COUNT_BINS && s.leaf_bits < most_leaf_bits;)
		wanted = leaves >> (++s.leaf_bits - LEAF_BITS);
	s.even = plan_bins(wanted);
	s.fine = plan_bins(std::max<size_t>(s.even.bins, std::min<size_t>(
		wanted * LEAF_MEAN / BELL_MEAN, COUNT_BINS - COUNT_BINS / 128)));
	most = std::max(s.even.bins, s.fine.bins);
	/* as many as there can be: with more low bits there may be fewer */
	level_bins = (size_t)2 << std::max(s.even.low_bits, s.fine.low_bits);
	carve(&s.known, base, &s.bytes, 1);
	carve(&s.head, base, &s.bytes, 1);
	carve(&s.listed, base, &s.bytes, KINDS);
	carve(&s.windows, base, &s.bytes, 2 * windows);
	carve(&s.counts, base, &s.bytes, std::max<size_t>(2 * most, bins));
	s.zero_bytes = s.bytes;
	carve(&s.begins, base, &s.bytes, most + 1);
	carve(&s.cursors[0], base, &s.bytes, level_bins);
	carve(&s.cursors[1], base, &s.bytes, std::max<size_t>(most, bins));
	carve(&s.level, base, &s.bytes, level_bins + 1);
	carve(&s.segments, base, &s.bytes, segments);
	carve(&s.too_large, base, &s.bytes, segments);
	carve_buckets(&s, base, bits, count);
	for (int k = 0; k < KINDS; k++)
		carve(&s.lists[k], base, &s.bytes, list_room(k, windows));
	return s;
}

#endif
