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
 *     gs_buckets_add(), ...        any thread, its number    scatter to buckets
 *     gs_buckets_seal()            once, with a team       divide large buckets again
 *     gs_buckets_sort_part(), ...  any thread, any order   collect and sort a part
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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/simd.h"
#include "sort/buckets/pool.h"

struct gs_buckets;
struct gs_pool;

/* Bytes of one part: usual; most, where many keys make larger first buckets; least. */
enum { GS_PART_BYTES = 4 << 20, GS_PART_MOST_BYTES = 16 << 20, GS_PART_LEAST_BYTES = 16 << 10 };

/**
 * Choose the sizes.
 *
 * @key_classes      that share the pool
 * @pool_bytes       that the pool may have
 * @key_bytes        of keys that will be held at once, about
 * @part_most_bytes  a power of two; part_bytes is this or less, GS_PART_LEAST_BYTES at least
 */
struct gs_bucket_sizes gs_buckets_choose(unsigned threads, unsigned key_classes,
                                         uint64_t pool_bytes, uint64_t key_bytes, size_t part_most_bytes);

/**
 * Memory that gs_buckets_init() wants, zeroed: tables and lines of all threads, lists as long as
 * a pool of POOL_BYTES can need.  Most of it is never touched.
 */
size_t gs_buckets_bytes(const struct gs_bucket_sizes *sizes, size_t pool_bytes);

/** Bytes of a pool that one key class may need beyond its keys: blocks that are not full. */
size_t gs_buckets_reserve(const struct gs_bucket_sizes *sizes, size_t pool_bytes);

/** And what all of them may need together, since they are sealed one after another. */
size_t gs_buckets_reserve_once(const struct gs_bucket_sizes *sizes, size_t pool_bytes);

/**
 * An empty set of keys of KEY_BITS (32 or 64), for workers 0 .. SIZES.threads - 1.
 *
 * @memory    gs_buckets_bytes(), zeroed; holds the set
 * @pool      borrowed, with the blocks in it, of SIZES.block_bytes
 */
struct gs_buckets *gs_buckets_init(void *memory, struct gs_pool *pool, unsigned key_bits,
                                   const struct gs_bucket_sizes *sizes);

/** Use vectors of SIMD, gs_simd_best() or less: for tests and measurements. */
void gs_buckets_with(struct gs_buckets *buckets, enum gs_simd simd);

/** Keys in the set. */
uint64_t gs_buckets_count(const struct gs_buckets *buckets);

/** Forget all keys of a set that is sealed, or has none, and begin anew: all blocks are the pool's. */
void gs_buckets_reset(struct gs_buckets *buckets);

/* ---- while keys come (add.c) ---------------------------------------------------- */

/**
 * Add COUNT keys; they are copied.  Any number of threads at once, each with a number WORKER of its own.
 *
 * @sequence  consecutive for keys that follow each other in the input; only shows that all
 *            input is in order already
 * @return    false: the pool is full, and none of the keys was added; callers avoid it by
 *            gs_buckets_fit()
 */
bool gs_buckets_add(struct gs_buckets *buckets, unsigned worker, uint64_t sequence, const void *keys,
                    size_t count);

/**
 * Bytes of keys that can surely be added before the pool is full: by all threads together, to
 * whichever key class of the pool.
 */
size_t gs_buckets_fit(const struct gs_buckets *buckets);

/* ---- after the last key (seal.c) ------------------------------------------------ */

/**
 * No more keys: list the parts.  Divides buckets that are too large with a team of THREADS, no more
 * than gs_buckets_init() was told.
 *
 * @return  how many parts there are
 */
size_t gs_buckets_seal(struct gs_buckets *buckets, unsigned threads);

/* ---- on their way out (parts.c) -------------------------------------------------- */

/* A part: keys AT .. AT + COUNT of all keys in order, at most PART_BYTES of them. */
struct gs_part {
	uint64_t at;
	size_t   count;
};

/** Part number PART, from 0. */
struct gs_part gs_buckets_part(const struct gs_buckets *buckets, size_t part);

/**
 * Sort part number PART into INTO.  Any threads at once, each with a number WORKER of its own, each part
 * once.
 *
 * @into     room for its keys
 * @scratch  PART_BYTES
 */
void gs_buckets_sort_part(struct gs_buckets *buckets, unsigned worker, size_t part, void *into,
                          void *scratch);

#endif
