// SPDX-License-Identifier: BSD-2-Clause
/*
 * state.h - what a set of buckets is made of: private to this folder
 *
 * Invariant: every block is in one chain, which is the pool's, a thread's of empty blocks, a bin's, a
 * fragment's or a part's.  No more blocks are partly full than gs_buckets_init() reserved.
 */
#ifndef GS_BUCKETS_STATE_H
#define GS_BUCKETS_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sort/buckets/pool.h"
#include "sort/cpu/simd_kernels.h"

struct gs_chain;

/*
 * The constants of this folder were measured with gsort-bench-cpu, one thread, uniform keys,
 * AVX-512, gcc 12 -O2, on a 2-core AMD EPYC 9005 VM (1 MiB of L2 a core) and on a 16-core Xeon VM
 * (2 MiB), in Mkeys/s of u32 2^27.  With 2048 bins: 281, 171.
 *
 * Bins of the first division at most (buckets.c chooses), and of every other, which divides the range by
 * as many.  On the Xeon a key was scattered to 256, 512, 1024, 2048 bins in 1.3, 1.5, 1.95, 2.3 ns, when
 * it took 18 instructions and not 10; since then on an EPYC 9004 to 256, 512, 1024, 2048 in 1.31, 1.35,
 * 1.46, 1.65 ns (before 1.60, 1.58, 1.67, 1.75; least of 12).  A level of quicksort takes 0.2 ns on all.
 * More than GS_BINS_USUAL only for many threads, where buckets would not fit a second-level cache
 * (buckets.c).
 */
enum { GS_BINS = 4096, GS_BINS_USUAL = 2048, GS_BINS_AGAIN = 256 };

/*
 * Bytes of a bin's keys that are collected before they are written.  Each write is a branch that
 * the processor cannot predict, so few bytes cost more than many, which fill the cache.  With 1024
 * bins, ns a key:                    u32 EPYC  u64 EPYC  u32 Xeon
 *     64                                 1.76      2.65      1.91
 *     128                                1.47      2.17      1.96
 *     256                                1.33      1.83      1.95
 *
 * All of a sort by 512 bins, one thread of a Xeon, least of two series: u32 2^25 with 256 bytes 3.90, 3.89,
 * with 512 bytes 3.72, 3.76, with 1024 3.97; u64 2^24 5.68, 5.76, and 5.45, 5.51.  With 1024 bins 256 and 512
 * bytes take the same.  So the bytes are 512 up to GS_BINS_FEW bins, half of them up to GS_BINS_USUAL, and a
 * quarter with more, so that all of a thread's fit its second-level cache.
 */
enum { GS_LINES_BYTES = 512, GS_BINS_FEW = 512 };

/* So many divisions may go by a sample of the keys, the others by their bounds.  Not tuned. */
enum { GS_SAMPLED_LEVELS = 4 };

/* Fragments beyond the number that their size explains: with more, they are too small to buffer. */
enum { GS_SMALL_FRAGMENTS = 64 };

/* A sample of the keys that were buffered, to choose the binner by, and what a call adds to it. */
enum { GS_BIN_SAMPLE_KEYS = 512, GS_BIN_SAMPLE_EACH = 32 };

enum gs_buckets_state {
	GS_BUFFERING,	/* keys are buffered as they came: SAMPLE_BYTES, or all if they are in order */
	GS_SCATTER,	/* the binner is known: keys are scattered at once, then those buffered before */
	GS_SEALED,	/* no more keys: the threads' chains are joined, bin by bin, and listed as parts */
};

/* The orders that keys may be in: none, one, or, if all are equal, both. */
enum { GS_UP = 1, GS_DOWN = 2 };

/* A fragment: keys that one thread buffered as they came, of consecutive sequence numbers. */
struct gs_fragment {
	uint64_t        sequence, next_sequence;
	uint64_t        number;		/* of the thread's fragments, where sequences are the same */
	uint64_t        first, last;	/* keys */
	size_t          keys;
	struct gs_chain chain;
};

/* What a thread adds and divides with; each is on lines of cache of its own. */
struct gs_adder {
	_Alignas(64) _Atomic uint64_t keys;	/* added */
	struct gs_chain    empty;		/* blocks */
	struct gs_fragment open;
	uint64_t           fragments;
	/* For each bin: lines of keys, aligned to their size; where in them the next key goes, or NULL
	 * before the first one; the end of the keys in its newest block, or 0; blocks. */
	char              *lines;
	char             **next;
	uintptr_t         *end;
	struct gs_chain   *chain;
};

/* A list of parts in order, by number from 1; 0 means no part. */
struct gs_part_list {
	uint32_t first, last;
	bool     joining;		/* the last part may take more keys */
};

/* The keys of one bin, of all threads. */
struct gs_bucket {
	struct gs_chain chain;
	struct gs_chain rest;		/* blocks that are not full */
	size_t          keys;
};

enum gs_part_kind { GS_TO_SORT, GS_IN_ORDER, GS_REVERSED, GS_EQUAL, GS_TO_DIVIDE };

struct gs_part_entry {
	uint64_t            at;		/* keys of all parts before it */
	size_t              keys;
	uint32_t            next;	/* part of its list */
	enum gs_part_kind   kind;
	struct gs_chain     chain;
	uint64_t            least;	/* GS_EQUAL: its key; GS_TO_DIVIDE: no key is less, ... */
	uint64_t            most;	/* ... none is greater */
	unsigned            level;	/* GS_TO_DIVIDE: divisions that it comes from */
	struct gs_part_list parts;	/* GS_TO_DIVIDE: that it was divided into */
};

/* What was buffered, until it is scattered. */
struct gs_buffered {
	size_t              fragment_bytes, sample_bytes, slack_most_bytes;	/* limits */
	size_t              bytes;		/* of keys */
	size_t              slack_bytes;	/* of fragments' blocks that are not full */
	_Atomic unsigned    order;		/* of all fragments so far */
	uint64_t            least, most;	/* keys */
	uint64_t            sample[GS_BIN_SAMPLE_KEYS];	/* packed */
	size_t              sample_count, sample_calls, sample_every;
	struct gs_fragment *fragments;
	size_t              fragment_count, fragment_next, fragment_room;
};

/* The parts (part_list.c, parts.c). */
struct gs_part_table {
	struct gs_part_entry *entries;
	_Atomic uint32_t      entry_count;	/* those to divide included */
	size_t                room;
	uint32_t             *sorted;		/* in their order, from 0; before, those to divide */
	uint32_t              count;
};

struct gs_buckets {
	/* sizes, for everybody */
	struct gs_bucket_sizes        sizes;
	struct gs_pool               *pool;
	const struct gs_simd_kernels *kernels;
	bool                  fetches_first;	/* gs_simd_fetches_first() */
	unsigned              key_bits, key_bytes, block_keys;
	size_t                join_bytes;
	/* what adds (add.c) */
	struct gs_adder      *threads;
	_Atomic int           state;
	pthread_mutex_t       lock;		/* of BUFFERED, but its limits and its order, and SOURCE: */
	struct gs_buffered    buffered;
	/* what divides (seal.c) */
	struct gs_chain       source;		/* a bucket, for all threads */
	struct gs_binner      binner;		/* of what adds, too */
	uint32_t              task_count;	/* parts to divide */
	_Atomic uint32_t      task_next;
	struct gs_part_table  parts;
	struct gs_bucket      bucket[];	/* of the first division */
};

/* ---- while keys come: buffer them as they are, or scatter them to bins (add.c) ---- */

/** End the open fragment of a thread.  The caller holds the lock, or no other thread adds. */
void gs_adder_close_fragment(struct gs_buckets *buckets, struct gs_adder *thread);

/** Make the binner from what was buffered, and scatter from now on.  The lock: as above. */
void gs_adder_begin_scatter(struct gs_buckets *buckets);

/** Scatter all of CHAIN, which is empty then; its blocks are the thread's. */
void gs_adder_scatter(struct gs_buckets *buckets, struct gs_adder *thread,
                      const struct gs_binner *binner, struct gs_chain *chain);

/** Scatter one of the fragments; false: none is left. */
bool gs_adder_scatter_fragment(struct gs_buckets *buckets, struct gs_adder *thread);

/** Write the lines of a thread's BINS to blocks. */
void gs_adder_flush(struct gs_buckets *buckets, struct gs_adder *thread, unsigned bins);

/* ---- lists of parts, made while a set is sealed (part_list.c) --------------------- */

/* Each list belongs to one thread at a time; any number of threads may append to lists of their own. */

/** Append a part of all KEYS keys of CHAIN, which is empty then, to LIST. */
struct gs_part_entry *gs_parts_add(struct gs_buckets *buckets, struct gs_part_list *list,
                                   enum gs_part_kind kind, struct gs_chain *chain, size_t keys);

/**
 * Append a bucket that is small enough: as a part, or to the last part.
 *
 * @compact  fill blocks that are not full at once, since the bucket comes from another bucket
 */
void gs_parts_add_bucket(struct gs_buckets *buckets, struct gs_part_list *list,
                         struct gs_bucket *bucket, bool compact);

/** Append the keys of PART, which are all its LEAST, to LIST: parts without blocks. */
void gs_parts_add_equal(struct gs_buckets *buckets, struct gs_part_list *list, struct gs_part_entry *part);

/** Number the parts in their order; the parts of its list stand for a part that was to be divided.
 *  Returns how many keys are in them. */
uint64_t gs_parts_number(struct gs_buckets *buckets, const struct gs_part_list *list);

#endif
