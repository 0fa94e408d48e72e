// SPDX-License-Identifier: BSD-2-Clause
/*
 * buckets.h - keys are divided by value as they come, and sorted as they leave
 *
 * What the CPU holds of one key class.  Many threads add keys at once, some 100 KiB at a time,
 * which the cache still holds from reading: each key goes to the bucket of its value, in blocks of
 * memory from one pool (pool.h).  So when the last key is in, most of the sort is done.  What is
 * left is to sort buckets, each in a cache, while those before it are being written.  Keys are in
 * memory once.
 *
 *     gs_buckets_add(), ...        any thread, its rank    add.h     scatter to buckets
 *     gs_buckets_seal()            once, with a team       seal.h    divide large buckets again
 *     gs_buckets_sort_part(), ...  any thread, any order   parts.h   collect and sort a part
 *
 * The first keys are only buffered: their range decides the bounds of the buckets.  If later keys
 * are otherwise, buckets become too large, and are divided again by their own range, at most
 * key_bits / 8 + 1 times.  As long as all keys that come ascend, or descend, they are buffered as
 * they are, and only copied in the end.
 *
 * Invariant: the set holds the multiset of keys added and not yet taken; every key of a part is at
 * least every key of the parts before it.
 */
#ifndef GS_BUCKETS_H
#define GS_BUCKETS_H

#include <stddef.h>
#include <stdint.h>

#include "base/simd.h"

struct gs_buckets;
struct gs_pool;

/* Bytes of one part, at most, where memory allows: each thread sorts in twice as much memory of its
 * own.  Wherever PART_BYTES are asked for it is this, or less, 16 KiB at least. */
enum { GS_PART_BYTES = 4 << 20 };

/**
 * Memory that gs_buckets_init() wants, zeroed: tables and lines of THREADS, lists as long as
 * a pool of POOL_BYTES can need.  Most of it is never touched.
 */
size_t gs_buckets_bytes(unsigned threads, size_t pool_bytes, size_t part_bytes);

/** Bytes of a pool for KEY_CLASSES that one of them may need beyond its keys: blocks that are not
 *  full. */
size_t gs_buckets_reserve(unsigned key_bits, unsigned threads, size_t pool_bytes,
                          unsigned key_classes, uint64_t expected);

/** And what all of them may need together, since they are sealed one after another. */
size_t gs_buckets_reserve_once(unsigned threads, size_t pool_bytes, size_t part_bytes);

/**
 * An empty set of keys of KEY_BITS (32 or 64), for threads of rank 0 .. THREADS - 1.
 *
 * @memory    gs_buckets_bytes(), zeroed; holds the set
 * @pool      borrowed, with the blocks in it
 * @expected  keys that will come, about, or UINT64_MAX: decides how many buckets there are
 */
struct gs_buckets *gs_buckets_init(void *memory, struct gs_pool *pool, unsigned key_bits,
                                   unsigned threads, size_t part_bytes, uint64_t expected);

/** Use vectors of SIMD, gs_simd_best() or less: for tests and measurements. */
void gs_buckets_with(struct gs_buckets *buckets, enum gs_simd simd);

/** Keys in the set. */
uint64_t gs_buckets_count(const struct gs_buckets *buckets);

/**
 * Instead of sealing: take out some keys, in no order, for another engine.
 *
 * @return  keys that are now in INTO, at most ROOM; 0: the set is empty
 */
size_t gs_buckets_take(struct gs_buckets *buckets, void *into, size_t room);

/** Forget all keys and begin anew: all blocks are the pool's again. */
void gs_buckets_reset(struct gs_buckets *buckets);

#endif
