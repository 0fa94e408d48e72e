// SPDX-License-Identifier: BSD-2-Clause
/*
 * checksum.h - a sum over many keys that does not depend on their order, and whether they ascend
 *
 * Each key is mixed to 64 bits by the finalizer of SplitMix64 (Steele, Lea and Flood, "Fast
 * splittable pseudorandom number generators", OOPSLA 2014), a bijection.  So one changed key always
 * changes the sum; several changed keys leave it as it was once in 2^64 cases.  Two sets of keys
 * with one sum are taken for the same: valsort does so, too (sortbenchmark.org).
 */
#ifndef GS_CHECKSUM_H
#define GS_CHECKSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/splitmix.h"

struct gs_checksum {
	uint64_t sum;
	bool     falls;		/* a key is less than the one before it */
};

/**
 * Sum COUNT keys, 8 to 64 bits wide, of KEY_CLASS with up to THREADS threads.
 *
 * @ordered  look for a key that is less than the one before it, too; else FALLS is false
 */
struct gs_checksum gs_checksum(unsigned threads, unsigned key_class, unsigned key_bits,
                               const void *keys, size_t count, bool ordered);

/** What is added to the keys of a class: the same bits count differently in each class, and a key
 *  of 0 counts. */
static inline uint64_t
gs_checksum_salt(unsigned key_class)
{
	return (key_class + 1) * GS_GOLDEN;
}

/** What one KEY of a class adds to the sum. */
static inline uint64_t
gs_checksum_of(unsigned key_class, uint64_t key)
{
	return gs_splitmix(key + gs_checksum_salt(key_class));
}

#endif
