// SPDX-License-Identifier: BSD-2-Clause
/*
 * checksum.h - what can be said of many keys at once: a sum that does not depend on their
 * order, and whether they ascend
 *
 * Each key is mixed to 64 bits by the finalizer of SplitMix64 (Steele, Lea and Flood, "Fast
 * splittable pseudorandom number generators", OOPSLA 2014), a bijection: one changed key
 * always changes the sum of all, several do but once in 2^64.  That a sort is proved by such
 * sums is valsort's idea (sortbenchmark.org).
 */
#ifndef GS_CHECKSUM_H
#define GS_CHECKSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gs_checksum {
	uint64_t sum;
	bool     falls;		/* a key is less than the one before it */
};

/** Look at COUNT keys of STREAM (8 to 64 bits wide) with THREADS; whether they fall is only
 *  looked at if they should be ORDERED. */
struct gs_checksum gs_checksum(unsigned threads, unsigned key_class, unsigned key_bits,
                               const void *keys, size_t count, bool ordered);

/** Added to keys: sets apart the same bits in different streams, and 0 from nothing. */
static inline uint64_t
gs_checksum_salt(unsigned key_class)
{
	return (key_class + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

/** What one KEY of STREAM adds to the sum. */
static inline uint64_t
gs_checksum_of(unsigned key_class, uint64_t key)
{
	key += gs_checksum_salt(key_class);
	key = (key ^ key >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	key = (key ^ key >> 27) * UINT64_C(0x94d049bb133111eb);
	return key ^ key >> 31;
}

#endif
