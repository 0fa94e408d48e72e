// SPDX-License-Identifier: BSD-2-Clause
/*
 * inside.h - what a set of buckets is made of: for buckets*.c alone
 *
 *     buckets.c          memory for it, what it may need, and keys for another backend
 *     buckets_add.c      while keys come: kept, or scattered to bins
 *     buckets_settle.c   after the last: what is too large is divided again
 *     buckets_parts.c    the list of parts; each is sorted on its way out
 *
 * Invariant: every block is in one chain: of the pool, a thread's spare ones, a bin, a piece
 * or a part.  Blocks that are not full are at most those that gs_buckets_init() reserved.
 */
#ifndef GS_BUCKETS_INSIDE_H
#define GS_BUCKETS_INSIDE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "sort/buckets/buckets.h"
#include "sort/cpu/simd_kernels.h"
#include "sort/buckets/pool.h"

/*
 * Constants of these files were measured with gsort-bench-cpu --buckets, one thread, uniform
 * keys, AVX-512, gcc 12 -O2, on a 2-core AMD EPYC 9005 VM (1 MiB of L2 a core) and on a 16-core
 * Xeon VM (2 MiB), in Mkeys/s of u32 2^27; as they are: 281, 171.
 *
 * Bins of the first division, and of every other, which divides the range by as many.
 *     1024, twice the bytes of a bucket   268 180
 *     4096, half                          -   161
 * On the Xeon a key is scattered to 256, 512, 1024, 2048 bins in 1.3, 1.5, 1.95, 2.3 ns; on the
 * EPYC to 256, 1024, 2048 in 1.3, 1.3, 1.35; a level of halves is 0.15 to 0.2 ns on both.
 */
enum { GS_BINS = 2048, GS_BINS_AGAIN = 256 };

/*
 * Keys of a bin that are collected before they are written.  Each time there is a branch that
 * the processor cannot foresee, so that few lines cost more than many, which fill the cache.
 * With 1024 bins, ns a key:          u32 EPYC  u64 EPYC  u32 Xeon
 *     64                                 1.76      2.65      1.91
 *     128                                1.47      2.17      1.96
 *     256                                1.33      1.83      1.95
 */
enum { GS_LINES_BYTES = 256 };

/* A smaller bucket is divided by one thread.  Not tuned. */
enum { GS_TOGETHER_BYTES = 32 << 20 };

/* More pieces than their size explains: there are too many small ones to keep them. */
enum { GS_SMALL_PIECES = 64 };

enum gs_buckets_state {
	GS_BUFFERING,	/* pieces are kept as they came, until HELD_BYTES, or for good: in order */
	GS_SCATTER,	/* digits are known: pieces are scattered at once, then those kept before */
	GS_SEALED,	/* the threads' chains are joined, bin by bin, and listed as parts */
};

/* Which orders keys may be in: none, one, or, if all are equal, both. */
enum { GS_UP = 1, GS_DOWN = 2 };

/* A piece that is kept as it came. */
struct gs_kept {
	uint64_t        place, next_place;
	uint64_t        number;		/* of the thread's pieces, where places are the same */
	uint64_t        first, last;	/* keys */
	size_t          keys;
	struct gs_chain chain;
};

/* What a thread adds and divides with; each on lines of cache of its own. */
struct gs_adder {
	_Alignas(64) _Atomic uint64_t keys;	/* added */
	struct gs_chain  spare;
	struct gs_kept   open;
	uint64_t         pieces;
	/* For each of GS_BINS bins: lines of keys, where in memory the next key will be, blocks. */
	char            *lines;
	uintptr_t       *end;
	struct gs_chain *chain;
};

/* Parts in order, by number from 1; 0 is none. */
struct gs_parts {
	uint32_t first, last;
	bool     joining;		/* the last part may take more */
};

/* The keys of one digit, of all threads. */
struct gs_bucket {
	struct gs_chain chain;
	size_t          keys;
	struct gs_parts parts;		/* it was divided into */
};

enum gs_part_kind { GS_TO_SORT, GS_IN_ORDER, GS_REVERSED, GS_EQUAL };

/* A part, and which follows it. */
struct gs_listed {
	uint64_t          at;
	size_t            keys;
	uint32_t          next;
	enum gs_part_kind kind;
	uint64_t          key;		/* GS_EQUAL */
	struct gs_chain   chain;
};

/* What is done with keys of one width as they come ... */
struct gs_keys_in {
	unsigned (*order)(const void *keys, size_t count, uint64_t last);
	uint64_t (*at)(const void *keys, size_t at);
	void (*range)(const void *keys, size_t count, uint64_t *least, uint64_t *most);
	struct gs_binner (*digits)(uint64_t least, uint64_t most, unsigned bins);
	void (*scatter)(struct gs_buckets *buckets, struct gs_adder *thread,
	                const struct gs_binner *digits, const void *keys, size_t count);
};

/* ... and as they leave. */
struct gs_keys_out {
	void (*reverse)(void *into, const void *from, size_t count);
	void (*fill)(void *into, uint64_t key, size_t count);
	void (*sort_chain)(const struct gs_pool *pool, const struct gs_chain *chain,
	                   const struct gs_simd_kernels *leaf, void *into, void *scratch, size_t count);
};

struct gs_buckets {
	struct gs_pool           *pool;
	const struct gs_keys_in  *in;
	const struct gs_keys_out *out;
	enum gs_simd        simd;
	unsigned            bits, key_bytes, block_keys, bins, bins_again, thread_count;
	size_t              part_bytes, piece_bytes, held_bytes, join_bytes, slack_most_bytes;
	struct gs_adder    *threads;
	_Atomic int         state;
	_Atomic unsigned    order;		/* all pieces kept so far go up, or down */
	pthread_mutex_t     lock;		/* of what is below, up to here: */
	size_t              kept_bytes;
	size_t              slack_bytes;	/* of blocks of pieces that are not full */
	uint64_t            least, most;	/* of keys that were kept */
	struct gs_kept     *pieces;
	size_t              piece_count, piece_next, piece_room;
	struct gs_chain     source;		/* what settle() divides */
	/* : here. */
	struct gs_binner    digits;
	struct gs_listed   *parts;
	uint32_t           *sorted;		/* parts in their order, from 0 */
	_Atomic uint32_t    part_count;
	size_t              part_room;
	struct gs_bucket    bucket[GS_BINS];
};

/* --- buckets_add.c ------------------------------------------------------------------ */

extern const struct gs_keys_in gs_keys_in_32, gs_keys_in_64;

/** The open piece of a thread is done: to the others.  The lock is held, or nobody else there. */
void gs_adder_close_piece(struct gs_buckets *buckets, struct gs_adder *thread);

/** Make digits from what was kept.  The lock is held, or nobody else there. */
void gs_buckets_begin_scatter(struct gs_buckets *buckets);

/** Scatter all of CHAIN; its blocks are the thread's then. */
void gs_adder_scatter(struct gs_buckets *buckets, struct gs_adder *thread,
                      const struct gs_binner *digits, struct gs_chain *chain);

/** Scatter one of the pieces that were kept; false: there is none. */
bool gs_adder_scatter_kept(struct gs_buckets *buckets, struct gs_adder *thread);

/** Write what is in the lines of a thread to blocks. */
void gs_adder_flush(struct gs_buckets *buckets, struct gs_adder *thread, unsigned bins);

/* --- buckets_parts.c ---------------------------------------------------------------- */

extern const struct gs_keys_out gs_keys_out_32, gs_keys_out_64;

/** A part of all keys of CHAIN, which is empty then, to the end of LIST. */
void gs_parts_add(struct gs_buckets *buckets, struct gs_parts *list, enum gs_part_kind kind,
                  uint64_t key, struct gs_chain *chain, size_t keys);

/**
 * A bucket that is small enough: a part, or with its left neighbours.
 *
 * @again   it comes from a bucket: blocks that are not full are filled at once
 */
void gs_parts_add_bucket(struct gs_buckets *buckets, struct gs_parts *list,
                         struct gs_bucket *bucket, bool again);

/** A bucket whose keys are all KEY: parts without blocks. */
void gs_parts_add_equal(struct gs_buckets *buckets, struct gs_parts *list,
                        struct gs_bucket *bucket, uint64_t key);

/** Buckets, in order, some of them divided, to LIST. */
void gs_parts_add_row(struct gs_buckets *buckets, struct gs_parts *list, struct gs_bucket *bucket,
                      unsigned count, bool again);

/** Number parts in their order; how many keys are in them. */
uint64_t gs_parts_number(struct gs_buckets *buckets, const struct gs_parts *list);

#endif
