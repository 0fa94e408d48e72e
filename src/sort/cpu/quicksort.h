// SPDX-License-Identifier: BSD-2-Clause
/*
 * quicksort.h - sort keys that fit a cache, into another array, or in place
 *
 * By bins and then by partitions; for keys that lie in blocks parts.c makes the bins itself.
 */
#ifndef GS_CPU_QUICKSORT_H
#define GS_CPU_QUICKSORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/round.h"
#include "sort/cpu/simd_kernels.h"

/* Keys in a sample: their median misses the middle of all keys by 6 % (one standard deviation). */
enum { GS_SAMPLE_KEYS = 64 };

/**
 * Choose the key to partition at: the median of a sample, but less than MOST.
 *
 * @sample  1 to GS_SAMPLE_KEYS keys, which it sorts
 */
uint64_t gs_sample_pivot(const struct gs_simd_kernels *kernels, void *sample, size_t count, uint64_t most);

/* Values that are worth counting: 16 take as long as three levels. */
enum { GS_TALLY_VALUES = 16 };

/** Store up to MOST VALUES of a sorted sample; returns how many they are, or MOST + 1: there are more. */
size_t gs_sample_values(const void *sample, unsigned key_bits, size_t count, void *values, size_t most);

/** Do half of a sorted sample or more, COUNT of KEYS, lie in a range that quicksort counts? */
bool gs_sample_dense(const void *sample, unsigned key_bits, size_t count, size_t keys);

/* Values in order, and how many keys have each. */
struct gs_values {
	size_t    count;
	char     *values;
	uint32_t *counts;
};

/** How many of a sorted sample's keys equal the one before? */
size_t gs_sample_repeated(const void *sample, unsigned key_bits, size_t count);

/** How many values have keys, by COUNT of them, sorted?  0: too many to say. */
size_t gs_values_estimate(const void *sample, unsigned key_bits, size_t count);

/**
 * Count COUNT keys by value (values.c).
 *
 * @likely   gs_values_estimate() of GS_DISTRIBUTION_SAMPLE of them
 * @room     ROOM_BYTES for a table, and for the result if INTO is NULL; else it goes there, which may be KEYS
 * @return   count 0: there are too many, and KEYS are as they were
 */
struct gs_values gs_values_count(const struct gs_simd_kernels *kernels, const void *keys, size_t count,
                                 size_t likely, void *room, size_t room_bytes, void *into);

/** So few keys are sorted by the network, whatever they are.  Callers that have many such arrays do it
 *  themselves: bins of 112 u32 take 0.98 ns a key then, and 1.17 by gs_quicksort() (Xeon). */
static inline size_t
gs_quicksort_few(const struct gs_simd_kernels *kernels)
{
	return kernels->leaf_keys / 8;
}

/**
 * Sort COUNT keys at FROM into INTO, where there is room for as many; FROM's contents are lost.
 *
 * @least, most  no key is less, none is greater
 *
 * Time: O(count x key_bits) for any keys, O(count x log(count)) for most.
 */
void gs_quicksort(const struct gs_simd_kernels *kernels, void *into, void *from, size_t count,
                  uint64_t least, uint64_t most);

/** Make keys ordered bits, where they are; and what they become again. */
struct gs_quicksort_maps {
	void (*to_ordered)(const void *context, void *keys, size_t count);
	const void *context;
	struct gs_raw_bits raw;
};

/* As a second-level cache has.  Fewer keys are not partitioned where they are, which mixes keys that were
 * nearly in order: u64 2^18, one in 64 random, Xeon, 5.9 ns a key, and 7.2 in pieces. */
enum { GS_QUICKSORT_SCRATCH_BYTES = 2 << 20 };

/** What gs_quicksort_in_place() makes the best use of, for keys in BYTES. */
static inline size_t
gs_quicksort_scratch_bytes(size_t bytes)
{
	return gs_least(gs_round_up(3 * bytes, 64), GS_QUICKSORT_SCRATCH_BYTES);
}

/**
 * Sort COUNT keys where they are.
 *
 * @scratch  for each thread room for as many, in SCRATCH_BYTES, or GS_QUICKSORT_SCRATCH_BYTES of it
 * @maps     of the keys, by which they are mapped while a cache holds them; or NULL: they are ordered bits
 * @threads  at most; several need 1024 keys or more
 */
void gs_quicksort_in_place(const struct gs_simd_kernels *kernels, void *keys, size_t count, void *scratch,
                           size_t scratch_bytes, const struct gs_quicksort_maps *maps, unsigned threads);

/* ---- keys that fit the second-level cache, in bins of about a block each (distribution.c) ---- */

/*
 *     gs_distribution_choose()    the bins, by a sample
 *     gs_distribution_count()     all keys, in any pieces
 *     gs_distribution_place()
 *     gs_distribution_scatter()   all keys again
 *
 * So a key is moved once where a quicksort moves it once for each level, and bins may be so small that one
 * block of the network sorts them.  ns a key, keys in the cache, EPYC 9004, least of 150:
 *
 *                       quicksort   count   scatter   leaves   all
 *     262,144 u32            4.49    0.40      0.90     1.16   2.47
 *     131,072 u64            8.24    0.49      1.01     2.06   3.57
 *
 * Even keys need no counts: gs_distribution_scatter_once().
 */

/* Keys in the sample, and bins, at most: 2 MiB in bins of 7/8 of a block with AVX-512.  Their table is on the
 * stack, in the frame of a table that is not in use then. */
enum { GS_DISTRIBUTION_SAMPLE = 256, GS_DISTRIBUTION_BINS = 2400 };

struct gs_distribution {
	const struct gs_simd_kernels *kernels;
	struct gs_binner binner;
	bool ordered;		/* nearly: neighbours belong to one bin */
	bool even;		/* as random keys, and few are equal */
	size_t room, edge;	/* of a bin that is not counted; and of the outer ones, too */
	size_t trial, done;	/* keys after which bins are looked at; that were scattered */
	/* Of each bin: how many keys were counted; then where the next goes; then where they end. */
	uint32_t end[GS_DISTRIBUTION_BINS];
};

/**
 * Choose bins for COUNT keys; false: they are few, or so uneven that most bins would be empty.
 *
 * @sample   SAMPLE_KEYS of them, at most GS_DISTRIBUTION_SAMPLE, which it sorts
 * @ordered  gs_sample_ordered() of it, before
 */
bool gs_distribution_choose(struct gs_distribution *distribution,
                            const struct gs_simd_kernels *kernels, void *sample,
                            size_t sample_keys, size_t count, bool ordered);

/** Do most keys of a sample, in the order of their places, go on up or down from the one before? */
bool gs_sample_ordered(const void *sample, unsigned key_bits, size_t count);

/**
 * Count COUNT keys.
 *
 * @bins  room for the bin of each of them, for gs_distribution_scatter(); or NULL
 */
void gs_distribution_count(struct gs_distribution *distribution, const void *keys, size_t count,
                           uint16_t *bins);

/** All keys are counted. */
void gs_distribution_place(struct gs_distribution *distribution);

/**
 * Move COUNT keys to their bins in TO, which has room for all that were counted.  After the last of
 * them end[] is the index after the keys of each bin.
 *
 * @bins   of each of them, or NULL: they are found again
 * @after  where the next keys are read from, if they are not in the cache; or KEYS
 */
void gs_distribution_scatter(struct gs_distribution *distribution, void *to, const void *keys, size_t count,
                             uint16_t *bins, const void *after);

/** Where bin B begins if keys are not counted. */
static inline size_t
gs_distribution_begin(const struct gs_distribution *distribution, unsigned b)
{
	return b * distribution->room + (b > 0 ? distribution->edge : 0);
}

/**
 * Without counts: each bin has more room than it needs if keys are even.
 *
 *     gs_distribution_begin_once()    instead of _count() and _place()
 *     gs_distribution_scatter_once()  all keys, in any pieces, while it is true
 *     gs_distribution_end_once()      after that end[] is as after gs_distribution_scatter()
 *
 * @after   where the next keys are read from, if they are not in the cache
 * @most    keys that TO has room for; for COUNT keys more than twice as many
 * @return  false: the keys are not even, or MOST is too little
 */
bool gs_distribution_begin_once(struct gs_distribution *distribution, size_t count, size_t most);
bool gs_distribution_scatter_once(struct gs_distribution *distribution, void *to, const void *keys,
                                  size_t count, const void *after);

/** @fit   were all keys scattered?
 *  @return  false: not all are in the room of their bin, and none is counted. */
bool gs_distribution_end_once(struct gs_distribution *distribution, bool fit);

#endif
