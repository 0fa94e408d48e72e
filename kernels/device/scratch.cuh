// SPDX-License-Identifier: BSD-2-Clause
/*
 * scratch.cuh - the memory that a sort needs besides its keys, and how it divides them
 *
 * In:   how many keys of how many bits.
 * Out:  the number of bins, and where everything is in the scratch memory.
 */
#ifndef GS_SCRATCH_CUH
#define GS_SCRATCH_CUH

#include <algorithm>

#include "kernels/device/chunks.cuh"

/*
 * More keys than this are divided twice, first into chunks; up to it there are 2048 bins at
 * most, and one division is enough.
 */
#ifndef GS_CHUNKS_FROM
#define GS_CHUNKS_FROM	((1 << 22) + 1)	/* the emulator has fewer, so that few keys go both ways */
#endif

enum { REFINE_KEYS = 2048 };	/* of a bin that splitters make, on average; not tuned */

/* All of the scratch memory, for a count of keys. */
struct scratch {
	/* all zero before each division, but LISTED not before that of chunks */
	uint32_t      *listed;		/* KINDS of them */
	chunk_pool     pool;
	segments_head *head;
	number        *counts;
	size_t         zero_bytes;
	number        *cursors;
	void          *plan;		/* a bin_plan */
	segment       *segments;
	chunk_map      map;		/* where the pool's chunks are, bucket by bucket */
	uint64_t      *spare;		/* chunks for what is half full in the end; keys, too */
	leaf_item     *lists[KINDS], *too_large;	/* of this turn, and of the last */
	size_t         bytes;
	uint32_t       even_bins, refine;	/* bins of the first division, and of a bucket of it */
	unsigned       leaf_bits;	/* that even keys will need */
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

/* Memory for COUNT of TYPE at *END, at a multiple of 256 bytes. */
template <class Type> static void
carve(Type **place, char *base, size_t *end, size_t count)
{
	*place = (Type *)(base + *end);
	*end += (count * sizeof(Type) + 255) / 256 * 256;
}

static void
carve_chunks(scratch *s, char *base, unsigned bits, size_t count)
{
	const size_t chunk = bits == 32 ? (size_t)tile_of_many<uint32_t>::KEYS :
	                                  (size_t)tile_of_many<uint64_t>::KEYS;
	const size_t chunks = count / chunk + BUCKETS;

	carve(&s->pool.owners, base, &s->bytes, chunks);
	carve(&s->map.at, base, &s->bytes, chunks);
	carve(&s->map.first, base, &s->bytes, BUCKETS);
	carve(&s->spare, base, &s->bytes, BUCKETS * chunk * (bits / 8) / 8);
}

static scratch
scratch_of(void *memory, unsigned bits, size_t count)
{
	const size_t windows = count / LEAF_KEYS + 1 + BUCKETS;	/* each bucket begins a window */
	const size_t segments = list_room(TOO_LARGE, windows);
	char *base = (char *)memory;
	scratch s = {};
	size_t bins;

	if (count < GS_CHUNKS_FROM) {
		s.even_bins = (uint32_t)bins_wanted(bits, count, SEGMENT_BINS, &s.leaf_bits);
		s.refine = (uint32_t)std::min<size_t>(std::max<size_t>(count / BUCKETS / REFINE_KEYS, 1),
		                                      SEGMENT_BINS / BUCKETS);
	} else {
		s.even_bins = BUCKETS;
		(void)bins_wanted(bits, count / BUCKETS, SEGMENT_BINS / 2, &s.leaf_bits);
	}
	/* as segment_bins() makes them, for whatever segments there may be */
	bins = std::max<size_t>(SEGMENT_BINS, UNEVEN_BINS * (count / 3500) + count / VALUE_KEYS +
	                        (UNEVEN_BINS + LEAST_BINS) * segments);
	carve(&s.listed, base, &s.bytes, KINDS);
	carve(&s.pool.used, base, &s.bytes, 1);
	carve(&s.pool.cursors, base, &s.bytes, BUCKETS);
	carve(&s.head, base, &s.bytes, 1);
	carve(&s.counts, base, &s.bytes, bins);
	s.zero_bytes = s.bytes;
	carve(&s.cursors, base, &s.bytes, bins);
	carve((char **)&s.plan, base, &s.bytes, std::max(sizeof(bin_plan<uint32_t>), sizeof(bin_plan<uint64_t>)));
	carve(&s.segments, base, &s.bytes, segments);
	carve(&s.too_large, base, &s.bytes, segments);
	if (count >= GS_CHUNKS_FROM)
		carve_chunks(&s, base, bits, count);
	for (int k = 0; k < KINDS; k++)
		carve(&s.lists[k], base, &s.bytes, list_room(k, windows));
	return s;
}

#endif
