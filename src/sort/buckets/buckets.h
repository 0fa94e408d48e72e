// SPDX-License-Identifier: BSD-2-Clause
/*
 * buckets.h - keys divided by value as they come, sorted as they leave
 *
 * What the CPU backend holds of one key class.  Keys are added by many threads at once, a
 * piece of some 100 KiB at a time, which is still in the cache from being read: each goes
 * to the bucket of its value, in blocks of memory that are taken from one pool.  So when
 * the last key is in, most of the sort is done; what is left is to sort buckets, each in
 * a cache, and that goes on while those before it are being written.  Keys are in memory
 * once, not twice.
 *
 *     add, add, ...          any thread, its rank     scatter (Wassenberg, Sanders 2011)
 *     settle                 once, with a team        large buckets are divided again
 *     sort_part, sort_part   any thread, any order    gathered, sorted by vectors
 *
 * The first keys are only kept: from them the buckets' bounds are guessed (they can be
 * wrong: a bucket that is too large is divided again by its own range, at most BITS / 8 + 1
 * times).  As long as all that comes ascends, or descends, it is kept as it is, and only
 * copied in the end.
 *
 * Invariant: what is held is the multiset of keys added and not yet taken; every key of a
 * part is at least every key of the parts before it.
 */
#ifndef GS_BUCKETS_H
#define GS_BUCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "sort/cpu/cpu_sort.h"

/* Blocks of memory for the buckets of all streams; one pool a job. */
struct gs_pool;

/** Most that bookkeeping of a pool of so many bytes takes. */
size_t gs_pool_bytes(size_t bytes);

/**
 * Make a pool of BYTES at MEMORY (a whole number of huge pages, untouched, so that it
 * costs nothing until it is used), for so many STREAMS, its books in BOOKS, gs_pool_bytes() of
 * it.
 */
struct gs_pool *gs_pool_init(void *books, void *memory, size_t bytes, unsigned streams);

/** Bytes in blocks that hold keys, part of them or whole. */
size_t gs_pool_used(const struct gs_pool *pool);

struct gs_buckets;

/* Keys of one part, at most, where memory allows: a sorter has that much of its own, twice.
 * Wherever PART_BYTES are asked for it is this, or less, 16 KiB at least. */
enum { GS_PART_BYTES = 4 << 20 };

/**
 * Memory that gs_buckets_init() wants, zeroed: tables and lines of THREADS, lists as long as
 * a pool of POOL_BYTES can need.  Most of it is never touched.
 */
size_t gs_buckets_bytes(unsigned bits, unsigned threads, size_t pool_bytes, size_t part_bytes);

/** Of the pool of so many streams, what one may need beyond its keys: blocks that are not full. */
size_t gs_buckets_reserve(unsigned bits, unsigned threads, size_t pool_bytes, unsigned streams,
                          uint64_t expected);

/** And what all together may, for they are settled one after another. */
size_t gs_buckets_reserve_once(unsigned threads, size_t pool_bytes, size_t part_bytes);

/**
 * An empty set of keys of BITS (32 or 64), for threads of rank 0 .. THREADS - 1.
 *
 * @expected  keys that will come, about, or UINT64_MAX: how many buckets are worth it
 */
struct gs_buckets *gs_buckets_init(void *memory, struct gs_pool *pool, unsigned bits,
                                   unsigned threads, size_t part_bytes, uint64_t expected);

/** Use vectors of SIMD, gs_simd_best() or less: for tests and measurements. */
void gs_buckets_with(struct gs_buckets *buckets, enum gs_simd simd);

/**
 * Add COUNT keys; they are copied.  Any number of threads at once, each with a RANK of
 * its own.
 *
 * @place   pieces that follow each other in the input have consecutive numbers, from 0; only
 *          for seeing that all input is in order already
 * @return  false: the pool is full, and the keys that were not added are lost: who calls
 *          asks gs_buckets_fit() before
 */
bool gs_buckets_add(struct gs_buckets *buckets, unsigned rank, uint64_t place, const void *keys,
                    size_t count);

/**
 * How many bytes of keys can surely be added without filling the pool: by all threads
 * together, to whichever key class of the pool.
 */
size_t gs_buckets_fit(const struct gs_buckets *buckets);

/** Keys held. */
uint64_t gs_buckets_count(const struct gs_buckets *buckets);

/**
 * No more keys: list the parts.  Divides buckets that are too large, with THREADS.
 *
 * @return  how many parts there are
 */
size_t gs_buckets_seal(struct gs_buckets *buckets, unsigned threads);

/* A part: keys AT .. AT + COUNT of all in order, at most PART_BYTES of them. */
struct gs_part {
	uint64_t at;
	size_t   count;
};

struct gs_part gs_buckets_part(const struct gs_buckets *buckets, size_t part);

/**
 * Sort part number PART into INTO (room for its keys, at a multiple of 64 bytes); its
 * blocks go back to the pool.  Any threads at once, each with a RANK of its own, each
 * part once.
 *
 * @scratch  as large as INTO
 */
void gs_buckets_sort_part(struct gs_buckets *buckets, unsigned rank, size_t part, void *into,
                          void *scratch);

/**
 * Instead of settling: take out some keys, in no order, for another backend.
 *
 * @return  keys now in INTO, at most ROOM; 0: it is empty
 */
size_t gs_buckets_take(struct gs_buckets *buckets, void *into, size_t room);

/** Forget all keys, begin anew: the pool has its blocks back. */
void gs_buckets_reset(struct gs_buckets *buckets);

#endif
