// SPDX-License-Identifier: BSD-2-Clause
/*
 * buckets.c - keys divided by value as they come, sorted as they leave
 *
 * In:   pieces of a stream of keys, from many threads.
 * Out:  parts of all keys in order, each sorted when it is asked for.
 *
 * A thread has a line of cache for each bin, and a chain of blocks in the pool that full
 * lines are written to, past the caches (Wassenberg and Sanders, "Engineering a multi-core
 * radix sort", Euro-Par 2011, who let the pages of virtual memory be the blocks).  Nobody
 * counts keys before, and no thread waits for another.
 *
 *     GS_HOLD      pieces are kept as they came, until HELD_BYTES, or for good: in order
 *     GS_SCATTER   digits are known: pieces are scattered at once, then those kept before
 *     GS_SETTLED   the threads' chains are joined, bin by bin, and listed as parts
 *
 * Invariant: every block is in one chain: of the pool, a thread's spare ones, a bin, a piece
 * or a part.  Blocks that are not full are at most those that gs_buckets_init() reserved.
 */
#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/team.h"
#include "sort/buckets.h"
#include "sort/leaf.h"
#include "sort/pool.h"
#include "sort/stream.h"

/*
 * Constants.  Measured with gsort-bench-cpu --buckets, one thread, uniform keys, AVX-512, gcc 12
 * -O2, on a 2-core AMD EPYC 9005 VM (1 MiB of L2 a core) and on a 16-core Xeon VM (2 MiB), in
 * Mkeys/s of u32 2^27; as they are here: 281, 171.
 */

/*
 * Bins of the first division, and of every other, which divides the range by as many.
 *     1024, twice the bytes below   268 180
 *     4096, half                    -   161
 * On the Xeon a key is scattered to 256, 512, 1024, 2048 bins in 1.3, 1.5, 1.95, 2.3 ns; on the
 * EPYC to 256, 1024, 2048 in 1.3, 1.3, 1.35; a level of halves is 0.15 to 0.2 ns on both.
 */
enum { BINS_LEAST = 16, GS_BINS = 2048, GS_BINS_AGAIN = 256 };

/* What a bucket should be; small ones are joined up to JOIN_BYTES, at
 * most a part. */
enum { BUCKET_BYTES = 128 << 10, JOIN_BYTES = 256 << 10 };

/*
 * Keys of a bin that are collected before they are written.  Each time there is a branch that
 * the processor cannot foresee, so that few lines cost more than many, which fill the cache.
 * With 1024 bins, ns a key:          u32 EPYC  u64 EPYC  u32 Xeon
 *     64                                 1.76      2.65      1.91
 *     128                                1.47      2.17      1.96
 *     256                                1.33      1.83      1.95
 */
enum { GS_LINES_BYTES = 256 };

/* Keys that are kept, whatever they are, before digits are made from them.  Not tuned. */
enum { HELD_BYTES = 1 << 20 };		/* at most half a part */

/* A piece that is kept is cut at this size, so that parts can be made of them.  Not tuned. */
enum { PIECE_BYTES = 256 << 10 };	/* at most a quarter of a part */

/* A smaller bucket is divided by one thread.  Not tuned. */
enum { GS_TOGETHER_BYTES = 32 << 20 };

/* A smaller pool is divided less, so that more of it are keys.  Not tuned. */
enum { ROOMY_BYTES = 512 << 20 };

/* More pieces than their size explains: there are too many small ones to keep them. */
enum { GS_SMALL_PIECES = 64 };

enum { GS_UP = 1, GS_DOWN = 2 };
enum gs_buckets_state { GS_HOLD, GS_SCATTER, GS_SETTLED };

struct gs_kept {
	uint64_t        place, next_place;
	uint64_t        number;		/* of the thread's pieces, where places are the same */
	uint64_t        first, last;	/* keys */
	size_t          keys;
	struct gs_chain chain;
};

/* Each on lines of cache of its own. */
struct gs_adder {
	_Alignas(64) _Atomic uint64_t keys;	/* added */
	struct gs_chain spare;
	struct gs_kept    open;
	uint64_t        pieces;
	/* For each of GS_BINS bins: a line of keys, where in memory the next key will be, blocks. */
	char            *lines;
	uintptr_t       *end;
	struct gs_chain *chain;
};

/* Parts in order, by number from 1; 0 is none. */
struct gs_parts {
	uint32_t first, last;
	bool     joining;	/* the last part may take more */
};

struct gs_bucket {
	struct gs_chain chain;
	size_t          keys;
	struct gs_parts     parts;		/* it was divided into */
};

enum gs_part_kind { GS_TO_SORT, GS_IN_ORDER, GS_REVERSED, GS_EQUAL };

struct gs_listed {
	uint64_t        at;
	size_t          keys;
	uint32_t        next;
	enum gs_part_kind       kind;
	uint64_t        key;		/* GS_EQUAL */
	struct gs_chain chain;
};

struct gs_keys_in {
	unsigned (*order)(const void *keys, size_t count, uint64_t last);
	uint64_t (*at)(const void *keys, size_t at);
	void (*range)(const void *keys, size_t count, uint64_t *least, uint64_t *most);
	struct gs_digits (*digits)(uint64_t least, uint64_t most, unsigned bins);
	void (*scatter)(struct gs_buckets *buckets, struct gs_adder *thread,
	                const struct gs_digits *digits, const void *keys, size_t count);
};

struct gs_keys_out {
	void (*reverse)(void *into, const void *from, size_t count);
	void (*fill)(void *into, uint64_t key, size_t count);
	void (*sort_chain)(const struct gs_pool *pool, const struct gs_chain *chain,
	                   const struct gs_leaf *leaf, void *into, void *scratch, size_t count);
};

struct gs_buckets {
	struct gs_pool     *pool;
	const struct gs_keys_in  *in;
	const struct gs_keys_out *out;
	enum gs_simd        simd;
	unsigned            bits, key_bytes, block_keys, bins, bins_again, thread_count;
	size_t              part_bytes, piece_bytes, held_bytes, join_bytes, slack_most_bytes;
	struct gs_adder      *threads;
	_Atomic int         state;
	_Atomic unsigned    order;	/* all pieces kept so far go up, or down */
	pthread_mutex_t     lock;	/* of what is below, up to here: */
	size_t              kept_bytes;
	size_t              slack_bytes;	/* of blocks of pieces that are not full */
	uint64_t            least, most;	/* of keys that were kept */
	struct gs_kept       *pieces;
	size_t              piece_count, piece_next, piece_room;
	struct gs_chain     source;	/* what settle() divides */
	/* : here. */
	struct gs_digits       digits;
	struct gs_listed        *parts;
	uint32_t           *sorted;	/* parts in their order, from 0 */
	_Atomic uint32_t    part_count;
	size_t              part_room;
	struct gs_bucket       bucket[GS_BINS];
};

/* --- blocks ------------------------------------------------------------------- */

static uint32_t
take_block(struct gs_buckets *buckets, struct gs_adder *thread)
{
	uint32_t block;

	if (thread->spare.blocks == 0)
		gs_pool_take(buckets->pool, &thread->spare, buckets->pool->batch);
	block = thread->spare.head;
	thread->spare.head = buckets->pool->book[block].next;
	thread->spare.blocks--;
	return block;
}

static void
give_block(struct gs_buckets *buckets, struct gs_adder *thread, uint32_t block)
{
	gs_chain_add(buckets->pool, &thread->spare, block);
	if (thread->spare.blocks == 2 * buckets->pool->batch)
		gs_pool_give(buckets->pool, &thread->spare);
}

/* Another block for a bin; where it begins. */
static __attribute__((noinline)) uintptr_t
new_block(struct gs_buckets *buckets, struct gs_adder *thread, unsigned bin)
{
	const uint32_t block = take_block(buckets, thread);

	buckets->pool->book[block].count = buckets->block_keys;
	gs_chain_add(buckets->pool, &thread->chain[bin], block);
	return (uintptr_t)gs_pool_block(buckets->pool, block);
}

/* Write what is in the lines of a thread to blocks. */
static void
gs_adder_flush(struct gs_buckets *buckets, struct gs_adder *thread, unsigned bins)
{
	for (unsigned b = 0; b < bins; b++) {
		const size_t used = thread->end[b] % buckets->pool->block_bytes;
		const size_t rest = used % GS_LINES_BYTES;
		uintptr_t to = thread->end[b] - rest;

		thread->end[b] = 0;
		if (used == 0)
			continue;
		if (used < GS_LINES_BYTES)
			to = new_block(buckets, thread, b);
		memcpy((void *)to, thread->lines + (size_t)b * GS_LINES_BYTES, rest);
		buckets->pool->book[thread->chain[b].tail].count = (uint32_t)(used / buckets->key_bytes);
	}
}

static size_t
chain_keys(const struct gs_buckets *buckets, const struct gs_chain *chain)
{
	return chain->blocks == 0 ? 0 : (chain->blocks - 1) * buckets->block_keys +
	                                buckets->pool->book[chain->tail].count;
}

#define LEAF_KEYS	(LEAF_BYTES / sizeof(KEY))

#define NAME3(a, b)	a##_##b
#define NAME2(a, b)	NAME3(a, b)
#define NAME(what)	NAME2(what, BITS)

#define BITS 32
#define KEY uint32_t
#include "sort/digits.inc"
#include "sort/halves.inc"
#include "sort/buckets.inc"
#undef BITS
#undef KEY

#define BITS 64
#define KEY uint64_t
#include "sort/digits.inc"
#include "sort/halves.inc"
#include "sort/buckets.inc"
#undef BITS
#undef KEY

/* --- before anything ---------------------------------------------------------- */

static size_t
line_up(size_t bytes)
{
	return (bytes + 63) & ~(size_t)63;
}

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t
piece_room(size_t pool_bytes, size_t part_bytes)
{
	return pool_bytes / least(PIECE_BYTES, part_bytes / 4) * 4 + GS_SMALL_PIECES +
	       GS_TEAM_MAX + 1;
}

static size_t
part_room(size_t pool_bytes, size_t part_bytes)
{
	return pool_bytes / least(JOIN_BYTES, part_bytes) * 5 + 4 * GS_BINS;
}

size_t
gs_buckets_bytes(unsigned bits, unsigned threads, size_t pool_bytes, size_t part_bytes)
{
	const struct gs_buckets *buckets = NULL;
	const size_t parts = part_room(pool_bytes, part_bytes);

	(void)bits;
	return line_up(sizeof *buckets) +
	       threads * (line_up(sizeof *buckets->threads) +
	                  GS_BINS * (GS_LINES_BYTES + sizeof(uintptr_t) + sizeof(struct gs_chain))) +
	       line_up(piece_room(pool_bytes, part_bytes) * sizeof *buckets->pieces) +
	       line_up(parts * sizeof *buckets->parts) +
	       line_up(parts * sizeof *buckets->sorted) + 64;
}

/* Levels of division by GS_BINS, most. */
static unsigned
levels_of(unsigned bits, unsigned bins)
{
	return bits / (unsigned)__builtin_ctz(bins) + 1;
}

/* How many bins: for buckets of BUCKET_BYTES, but their last blocks shall be no more than an
 * eighth of the pool; where memory is dear a sixteenth, of all streams. */
static unsigned
bins_for(unsigned bits, unsigned threads, size_t pool_bytes, unsigned streams, uint64_t expected)
{
	const uint64_t bytes = expected < pool_bytes ? expected * (bits / 8) : pool_bytes;
	const size_t share = pool_bytes / (pool_bytes < ROOMY_BYTES ? 16 * streams : 8);
	unsigned bins = BINS_LEAST;

	while (bins < GS_BINS && bytes / bins > BUCKET_BYTES &&
	       2 * bins * threads * gs_pool_block_bytes(pool_bytes) <= share)
		bins *= 2;
	return bins;
}

/* Of a bucket that is divided again: no more than a thirty-second of the pool, or half of it. */
static unsigned
bins_again_for(unsigned threads, size_t pool_bytes)
{
	const size_t share = pool_bytes / (pool_bytes < ROOMY_BYTES ? 64 : 32);
	unsigned bins = BINS_LEAST;

	while (bins < GS_BINS_AGAIN &&
	       2 * bins * threads * gs_pool_block_bytes(pool_bytes) <= share)
		bins *= 2;
	return bins;
}

/* Pieces that are kept may waste so many blocks, or they are scattered. */
static size_t
slack_blocks(unsigned threads, unsigned bins, size_t pool_bytes)
{
	return GS_SMALL_PIECES / 4 + (size_t)bins * threads / (pool_bytes < ROOMY_BYTES ? 4 : 2);
}

size_t
gs_buckets_reserve(unsigned bits, unsigned threads, size_t pool_bytes, unsigned streams,
                   uint64_t expected)
{
	const unsigned bins = bins_for(bits, threads, pool_bytes, streams, expected);

	/* Each thread: the last block of each bin; empty ones; that of the open piece, that of
	 * one just closed, and one that is being scattered, whose keys are twice in memory. */
	return (threads * (bins + 2 * gs_pool_batch(pool_bytes) + 3) +
	        slack_blocks(threads, bins, pool_bytes) + 1) * gs_pool_block_bytes(pool_bytes);
}

/*
 * A thread that divides a bucket has the last blocks of its bins, until small neighbours are
 * joined; then each level has one behind the bucket that is being divided.  Of parts that
 * follow each other any two would be more than JOIN_BYTES: there are at most 2 for that many
 * keys, each with a last block.  Those between buckets that all divide together may be smaller.
 */
size_t
gs_buckets_reserve_once(unsigned threads, size_t pool_bytes, size_t part_bytes)
{
	const unsigned again = bins_again_for(threads, pool_bytes);
	size_t parts = 2 * (pool_bytes / least(JOIN_BYTES, part_bytes));

	if (pool_bytes > GS_TOGETHER_BYTES)
		parts += pool_bytes / part_bytes +
		         pool_bytes / GS_TOGETHER_BYTES * 2 * levels_of(64, again);
	return (parts + threads * (again + levels_of(64, again) + 1)) *
	       gs_pool_block_bytes(pool_bytes);
}

struct gs_buckets *
gs_buckets_init(void *memory, struct gs_pool *pool, unsigned bits, unsigned threads,
                size_t part_bytes, uint64_t expected)
{
	const size_t pool_bytes = pool->bytes;
	char *at = (char *)line_up((uintptr_t)memory);
	struct gs_buckets *buckets = (void *)at;

	at += line_up(sizeof *buckets);
	buckets->pool = pool;
	buckets->in = bits == 32 ? &in_32 : &in_64;
	buckets->out = bits == 32 ? &out_32 : &out_64;
	buckets->bits = bits;
	buckets->key_bytes = bits / 8;
	buckets->part_bytes = part_bytes;
	buckets->piece_bytes = least(PIECE_BYTES, part_bytes / 4);
	buckets->held_bytes = least(HELD_BYTES, part_bytes / 2);
	buckets->join_bytes = least(JOIN_BYTES, part_bytes);
	buckets->block_keys = (unsigned)(pool->block_bytes / buckets->key_bytes);
	buckets->thread_count = threads;
	buckets->bins = bins_for(bits, threads, pool_bytes, pool->streams, expected);
	buckets->bins_again = bins_again_for(threads, pool_bytes);
	buckets->slack_most_bytes = slack_blocks(threads, buckets->bins, pool_bytes) *
	                            pool->block_bytes;
	pthread_mutex_init(&buckets->lock, NULL);
	buckets->threads = (void *)at;
	at += threads * line_up(sizeof *buckets->threads);
	for (unsigned t = 0; t < threads; t++) {
		buckets->threads[t].lines = at;
		at += GS_BINS * GS_LINES_BYTES;
		buckets->threads[t].end = (void *)at;
		at += GS_BINS * sizeof(uintptr_t);
		buckets->threads[t].chain = (void *)at;
		at += GS_BINS * sizeof(struct gs_chain);
	}
	buckets->pieces = (void *)at;
	buckets->piece_room = piece_room(pool_bytes, part_bytes);
	at += line_up(buckets->piece_room * sizeof *buckets->pieces);
	buckets->parts = (void *)at;
	buckets->part_room = part_room(pool_bytes, part_bytes);
	at += line_up(buckets->part_room * sizeof *buckets->parts);
	buckets->sorted = (void *)at;
	buckets->order = GS_UP | GS_DOWN;
	buckets->least = UINT64_MAX;
	buckets->simd = gs_simd_best();
	if (pool->reserved_bytes == 0)
		pool->reserved_bytes = gs_buckets_reserve_once(threads, pool_bytes, part_bytes);
	pool->reserved_bytes += gs_buckets_reserve(bits, threads, pool_bytes, pool->streams, expected);
	return buckets;
}

void
gs_buckets_with(struct gs_buckets *buckets, enum gs_simd simd)
{
	buckets->simd = simd;
}

/* Bytes of keys that a pool can surely take. */
static size_t
capacity(const struct gs_pool *pool)
{
	return pool->reserved_bytes < pool->bytes ? pool->bytes - pool->reserved_bytes : 0;
}

size_t
gs_buckets_fit(const struct gs_buckets *buckets)
{
	const size_t held_bytes = buckets->pool->held_bytes, room = capacity(buckets->pool);

	return held_bytes < room ? room - held_bytes : 0;
}

uint64_t
gs_buckets_count(const struct gs_buckets *buckets)
{
	uint64_t keys = 0;

	for (unsigned t = 0; t < buckets->thread_count; t++)
		keys += buckets->threads[t].keys;
	return keys;
}

/* --- while keys come ---------------------------------------------------------- */

/* The open piece of a thread is done: to the others.  The lock is held. */
static void
gs_adder_close_piece(struct gs_buckets *buckets, struct gs_adder *thread)
{
	if (thread->open.keys == 0)
		return;
	assert(buckets->piece_count < buckets->piece_room);
	buckets->slack_bytes += thread->open.chain.blocks * buckets->pool->block_bytes -
	                        thread->open.keys * buckets->key_bytes;
	buckets->pieces[buckets->piece_count++] = thread->open;
	thread->open = (struct gs_kept){ .keys = 0 };
}

/* Copy keys behind those of the open piece. */
static void
append(struct gs_buckets *buckets, struct gs_adder *thread, const char *keys, size_t count)
{
	struct gs_chain *chain = &thread->open.chain;
	struct gs_page *book = buckets->pool->book;

	thread->open.keys += count;
	while (count > 0) {
		size_t room, here;
		uint32_t block;

		if (chain->blocks == 0 || book[chain->tail].count == buckets->block_keys) {
			block = take_block(buckets, thread);
			book[block].count = 0;
			gs_chain_add(buckets->pool, chain, block);
		}
		block = chain->tail;
		room = buckets->block_keys - book[block].count;
		here = room < count ? room : count;
		memcpy((char *)gs_pool_block(buckets->pool, block) +
		       (size_t)book[block].count * buckets->key_bytes, keys, here * buckets->key_bytes);
		book[block].count += (uint32_t)here;
		keys += here * buckets->key_bytes;
		count -= here;
	}
}

/* Make digits from what was kept.  The lock is held. */
static void
gs_buckets_begin_scatter(struct gs_buckets *buckets)
{
	uint64_t least = buckets->least, most = buckets->most;

	if (least == most) {
		least -= least > 0;
		most += most == least;
	}
	buckets->digits = buckets->in->digits(least, most, buckets->bins);
	atomic_store_explicit(&buckets->state, GS_SCATTER, memory_order_release);
}

/* Keep some keys, all of one place, as they are. */
static void
keep(struct gs_buckets *buckets, struct gs_adder *thread, uint64_t place, const void *keys,
     size_t count)
{
	struct gs_kept *open = &thread->open;
	uint64_t first = buckets->in->at(keys, 0), least = UINT64_MAX, most = 0;
	unsigned order = buckets->order;

	if (open->keys > 0 && ((place != open->next_place && place != open->next_place - 1) ||
	                       open->keys * buckets->key_bytes >= buckets->piece_bytes)) {
		pthread_mutex_lock(&buckets->lock);
		gs_adder_close_piece(buckets, thread);
		pthread_mutex_unlock(&buckets->lock);
	}
	if (open->keys == 0) {
		open->place = place;
		open->number = thread->pieces++;
		open->first = open->last = first;
	}
	if (order != 0)
		order &= buckets->in->order(keys, count, open->last);
	buckets->in->range(keys, count, &least, &most);
	append(buckets, thread, keys, count);
	open->next_place = place + 1;
	open->last = buckets->in->at(keys, count - 1);
	pthread_mutex_lock(&buckets->lock);
	buckets->order &= order;
	buckets->least = least < buckets->least ? least : buckets->least;
	buckets->most = most > buckets->most ? most : buckets->most;
	buckets->kept_bytes += count * buckets->key_bytes;
	if (buckets->state == GS_HOLD &&
	    ((buckets->kept_bytes >= buckets->held_bytes && buckets->order == 0) ||
	     buckets->piece_count >= buckets->kept_bytes / buckets->piece_bytes * 2 +
	                             GS_SMALL_PIECES / 2 ||
	     buckets->slack_bytes >= buckets->slack_most_bytes))
		gs_buckets_begin_scatter(buckets);
	pthread_mutex_unlock(&buckets->lock);
}

/* Scatter all of CHAIN; its blocks are the thread's then. */
static void
gs_adder_scatter(struct gs_buckets *buckets, struct gs_adder *thread,
                 const struct gs_digits *digits, struct gs_chain *chain)
{
	const struct gs_pool *pool = buckets->pool;

	for (uint32_t block = chain->head, next; block != 0; block = next) {
		next = pool->book[block].next;
		buckets->in->scatter(buckets, thread, digits, gs_pool_block(pool, block),
		                     pool->book[block].count);
		give_block(buckets, thread, block);
	}
	*chain = (struct gs_chain){ .blocks = 0 };
}

/* Scatter one of the pieces that were kept; false: there is none. */
static bool
gs_adder_scatter_kept(struct gs_buckets *buckets, struct gs_adder *thread)
{
	struct gs_kept *piece = NULL;

	pthread_mutex_lock(&buckets->lock);
	gs_adder_close_piece(buckets, thread);
	if (buckets->piece_next < buckets->piece_count)
		piece = &buckets->pieces[buckets->piece_next++];
	pthread_mutex_unlock(&buckets->lock);
	if (piece != NULL)
		gs_adder_scatter(buckets, thread, &buckets->digits, &piece->chain);
	return piece != NULL;
}

bool
gs_buckets_add(struct gs_buckets *buckets, unsigned rank, uint64_t place, const void *keys,
               size_t count)
{
	struct gs_adder *thread = &buckets->threads[rank];
	const size_t bytes = count * buckets->key_bytes, most = buckets->piece_bytes / buckets->key_bytes;
	const char *from = keys;

	assert(rank < buckets->thread_count && buckets->state != GS_SETTLED);
	if (atomic_fetch_add(&buckets->pool->held_bytes, bytes) + bytes > capacity(buckets->pool)) {
		atomic_fetch_sub(&buckets->pool->held_bytes, bytes);
		return false;
	}
	atomic_fetch_add_explicit(&thread->keys, count, memory_order_relaxed);
	while (count > 0 &&
	       atomic_load_explicit(&buckets->state, memory_order_acquire) == GS_HOLD) {
		const size_t here = count < most ? count : most;

		keep(buckets, thread, place, from, here);
		from += here * buckets->key_bytes;
		count -= here;
	}
	if (count > 0) {
		buckets->in->scatter(buckets, thread, &buckets->digits, from, count);
		gs_adder_scatter_kept(buckets, thread);
	}
	return true;
}

/* --- listing parts ------------------------------------------------------------ */

static void
gs_parts_add(struct gs_buckets *buckets, struct gs_parts *list, enum gs_part_kind kind,
             uint64_t key, struct gs_chain *chain, size_t keys)
{
	const uint32_t number = ++buckets->part_count;
	struct gs_listed *part = &buckets->parts[number - 1];

	assert(number <= buckets->part_room && keys * buckets->key_bytes <= buckets->part_bytes);
	*part = (struct gs_listed){ .keys = keys, .kind = kind, .key = key, .chain = *chain };
	if (list->first == 0)
		list->first = number;
	else
		buckets->parts[list->last - 1].next = number;
	list->last = number;
	list->joining = kind == GS_TO_SORT;
	*chain = (struct gs_chain){ .blocks = 0 };
}

/* A bucket that is small enough: a part, or with its left neighbours. */
static void
gs_parts_add_bucket(struct gs_buckets *buckets, struct gs_parts *list, struct gs_bucket *bucket,
                    bool again)
{
	struct gs_listed *part = list->joining ? &buckets->parts[list->last - 1] : NULL;

	if (bucket->keys == 0)
		return;
	if (part != NULL && (part->keys + bucket->keys) * buckets->key_bytes <= buckets->join_bytes) {
		gs_chain_join(buckets->pool, &part->chain, &bucket->chain);
		part->keys += bucket->keys;
		if (again)
			gs_chain_compact(buckets->pool, &part->chain, buckets->key_bytes);
	} else {
		gs_parts_add(buckets, list, GS_TO_SORT, 0, &bucket->chain, bucket->keys);
	}
}

static void
gs_parts_add_equal(struct gs_buckets *buckets, struct gs_parts *list, struct gs_bucket *bucket,
                   uint64_t key)
{
	struct gs_chain none = { .blocks = 0 };

	gs_pool_give(buckets->pool, &bucket->chain);
	for (size_t left = bucket->keys, keys; left > 0; left -= keys) {
		keys = buckets->part_bytes / buckets->key_bytes;
		keys = left < keys ? left : keys;
		gs_parts_add(buckets, list, GS_EQUAL, key, &none, keys);
	}
}

static bool
is_large(const struct gs_buckets *buckets, const struct gs_bucket *bucket)
{
	return bucket->keys * buckets->key_bytes > buckets->part_bytes && bucket->parts.first == 0;
}

/* Join small neighbours of a bucket's bins, before anything else is divided: few blocks that
 * are not full are left. */
static void
join_small(struct gs_buckets *buckets, struct gs_bucket *bucket, unsigned count)
{
	struct gs_bucket *into = NULL;

	for (unsigned b = 0; b < count; b++) {
		if (is_large(buckets, &bucket[b])) {
			into = NULL;
		} else if (into != NULL &&
		           (into->keys + bucket[b].keys) * buckets->key_bytes <= buckets->join_bytes) {
			into->keys += bucket[b].keys;
			gs_chain_join(buckets->pool, &into->chain, &bucket[b].chain);
			bucket[b].keys = 0;
		} else {
			into = &bucket[b];
		}
	}
	for (unsigned b = 0; b < count; b++)
		gs_chain_compact(buckets->pool, &bucket[b].chain, buckets->key_bytes);
}

/* Buckets, in order, some of them divided, to LIST. */
static void
gs_parts_add_row(struct gs_buckets *buckets, struct gs_parts *list, struct gs_bucket *bucket,
                 unsigned count, bool again)
{
	for (unsigned b = 0; b < count; b++) {
		const struct gs_parts *parts = &bucket[b].parts;

		if (parts->first == 0) {
			gs_parts_add_bucket(buckets, list, &bucket[b], again);
			continue;
		}
		if (list->first == 0)
			list->first = parts->first;
		else
			buckets->parts[list->last - 1].next = parts->first;
		list->last = parts->last;
		list->joining = false;
	}
	list->joining = false;
}

/* --- dividing ------------------------------------------------------------------- */

struct ranges {
	struct gs_buckets *buckets;
	const struct gs_chain *chain;
	uint64_t least[GS_TEAM_MAX], most[GS_TEAM_MAX];
	unsigned size;
};

/* The least and largest key of a chain: each member takes every so many'th block. */
static void
range_body(void *context, unsigned rank, unsigned size)
{
	struct ranges *ranges = context;
	const struct gs_pool *pool = ranges->buckets->pool;
	uint64_t least = UINT64_MAX, most = 0;
	size_t at = 0;

	for (uint32_t block = ranges->chain->head; block != 0; block = pool->book[block].next)
		if (at++ % size == rank)
			ranges->buckets->in->range(gs_pool_block(pool, block),
			                           pool->book[block].count, &least, &most);
	ranges->least[rank] = least;
	ranges->most[rank] = most;
	if (rank == 0)
		ranges->size = size;
}

/* All that is still to be scattered: pieces, or a bucket. */
static void
scatter_body(void *context, unsigned rank, unsigned size)
{
	struct gs_buckets *buckets = context;
	struct gs_adder *thread = &buckets->threads[rank];
	struct gs_chain batch = { .blocks = 0 };

	(void)size;
	while (gs_adder_scatter_kept(buckets, thread))
		;
	do {
		gs_adder_scatter(buckets, thread, &buckets->digits, &batch);
		pthread_mutex_lock(&buckets->lock);
		gs_chain_cut(buckets->pool, &buckets->source, buckets->pool->batch, &batch);
		pthread_mutex_unlock(&buckets->lock);
	} while (batch.blocks > 0);
}

/* Scatter what is left, and join what threads have of each bin to a bucket. */
static void
collect(struct gs_buckets *buckets, unsigned threads, struct gs_bucket *bucket)
{
	gs_team_run(threads, scatter_body, buckets);
	for (unsigned t = 0; t < buckets->thread_count; t++)
		gs_adder_flush(buckets, &buckets->threads[t], buckets->digits.bins);
	for (unsigned b = 0; b < buckets->digits.bins; b++) {
		bucket[b] = (struct gs_bucket){ .keys = 0 };
		for (unsigned t = 0; t < buckets->thread_count; t++) {
			struct gs_chain *chain = &buckets->threads[t].chain[b];

			bucket[b].keys += chain_keys(buckets, chain);
			gs_chain_join(buckets->pool, &bucket[b].chain, chain);
		}
	}
}

/* Divide a bucket by its own range, with the tables of one thread; its parts to LIST. */
static void
divide_alone(struct gs_buckets *buckets, struct gs_adder *thread, struct gs_bucket *bucket,
             struct gs_parts *list)
{
	struct ranges range = { .buckets = buckets, .chain = &bucket->chain };
	struct gs_bucket parts[GS_BINS_AGAIN];
	struct gs_digits digits;

	range_body(&range, 0, 1);
	if (range.least[0] == range.most[0]) {
		gs_parts_add_equal(buckets, list, bucket, range.least[0]);
		return;
	}
	digits = buckets->in->digits(range.least[0], range.most[0], buckets->bins_again);
	gs_adder_scatter(buckets, thread, &digits, &bucket->chain);
	gs_adder_flush(buckets, thread, digits.bins);
	for (unsigned b = 0; b < digits.bins; b++) {
		parts[b] = (struct gs_bucket){ .chain = thread->chain[b],
		                            .keys = chain_keys(buckets, &thread->chain[b]) };
		thread->chain[b] = (struct gs_chain){ .blocks = 0 };
	}
	join_small(buckets, parts, digits.bins);
	for (unsigned b = 0; b < digits.bins; b++)
		if (is_large(buckets, &parts[b]))
			divide_alone(buckets, thread, &parts[b], list);
		else
			gs_parts_add_bucket(buckets, list, &parts[b], true);
}

struct row {
	struct gs_buckets *buckets;
	struct gs_bucket     *bucket;
	unsigned           count;
	_Atomic unsigned   next;
};

static void
divide_body(void *context, unsigned rank, unsigned size)
{
	struct row *row = context;
	unsigned b;

	(void)size;
	while ((b = row->next++) < row->count)
		if (is_large(row->buckets, &row->bucket[b]))
			divide_alone(row->buckets, &row->buckets->threads[rank], &row->bucket[b],
			             &row->bucket[b].parts);
}

static void divide_together(struct gs_buckets *buckets, struct gs_bucket *bucket, unsigned threads);

/* Divide all of a row of buckets that are too large: those that would keep one thread at
 * work when the others are done by all together, the others side by side. */
static void
divide_row(struct gs_buckets *buckets, struct gs_bucket *bucket, unsigned count, unsigned threads)
{
	struct row row = { .buckets = buckets, .bucket = bucket, .count = count };
	size_t keys = 0, large = 0;

	for (unsigned b = 0; b < count; b++)
		if (is_large(buckets, &bucket[b])) {
			keys += bucket[b].keys;
			large++;
		}
	for (unsigned b = 0; b < count && threads > 1; b++)
		if (is_large(buckets, &bucket[b]) && bucket[b].keys > keys / (2 * threads) &&
		    bucket[b].keys * buckets->key_bytes > GS_TOGETHER_BYTES)
			divide_together(buckets, &bucket[b], threads);
	if (large > 0)
		gs_team_run(threads, divide_body, &row);
}

/* Divide a bucket by its own range, with all threads. */
static void
divide_together(struct gs_buckets *buckets, struct gs_bucket *bucket, unsigned threads)
{
	struct ranges ranges = { .buckets = buckets, .chain = &bucket->chain };
	uint64_t least = UINT64_MAX, most = 0;
	struct gs_bucket parts[GS_BINS_AGAIN];
	unsigned bins = buckets->bins_again;

	gs_team_run(threads, range_body, &ranges);
	for (unsigned r = 0; r < ranges.size; r++) {
		least = ranges.least[r] < least ? ranges.least[r] : least;
		most = ranges.most[r] > most ? ranges.most[r] : most;
	}
	if (least == most) {
		gs_parts_add_equal(buckets, &bucket->parts, bucket, least);
		return;
	}
	buckets->digits = buckets->in->digits(least, most, bins);
	buckets->source = bucket->chain;
	collect(buckets, threads, parts);
	join_small(buckets, parts, bins);
	divide_row(buckets, parts, bins, threads);
	gs_parts_add_row(buckets, &bucket->parts, parts, bins, true);
}

/* --- after the last key ---------------------------------------------------------- */

static int
compare_pieces(const void *a, const void *b)
{
	const struct gs_kept *x = a, *y = b;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* Do all pieces, each in order, go on from each other? */
static unsigned
order_of_pieces(struct gs_buckets *buckets)
{
	unsigned order = buckets->order;

	if (order == 0)
		return 0;
	qsort(buckets->pieces, buckets->piece_count, sizeof *buckets->pieces, compare_pieces);
	for (size_t p = 1; p < buckets->piece_count; p++) {
		const uint64_t last = buckets->pieces[p - 1].last, first = buckets->pieces[p].first;

		order &= (first >= last ? GS_UP : 0) | (first <= last ? GS_DOWN : 0);
	}
	return order;
}

static void
list_pieces(struct gs_buckets *buckets, struct gs_parts *list, enum gs_part_kind kind)
{
	for (size_t p = 0; p < buckets->piece_count; p++) {
		const size_t at = kind == GS_REVERSED ? buckets->piece_count - 1 - p : p;
		struct gs_kept *piece = &buckets->pieces[at];

		gs_parts_add(buckets, list, kind, 0, &piece->chain, piece->keys);
	}
}

/* All that was kept, as one part. */
static void
list_held(struct gs_buckets *buckets, struct gs_parts *list)
{
	struct gs_bucket all = { .keys = 0 };

	for (size_t p = 0; p < buckets->piece_count; p++) {
		all.keys += buckets->pieces[p].keys;
		gs_chain_join(buckets->pool, &all.chain, &buckets->pieces[p].chain);
	}
	gs_parts_add_bucket(buckets, list, &all, false);
}

/* Number parts in their order; how many keys are in them. */
static uint64_t
gs_parts_number(struct gs_buckets *buckets, const struct gs_parts *list)
{
	uint64_t at = 0;
	size_t count = 0;

	for (uint32_t number = list->first; number != 0; number = buckets->parts[number - 1].next) {
		buckets->sorted[count++] = number - 1;
		buckets->parts[number - 1].at = at;
		at += buckets->parts[number - 1].keys;
	}
	assert(count == buckets->part_count);
	return at;
}

size_t
gs_buckets_settle(struct gs_buckets *buckets, unsigned threads)
{
	struct gs_parts list = { .first = 0 };
	unsigned order, bins;
	uint64_t keys;

	assert(buckets->state != GS_SETTLED);
	threads = threads < buckets->thread_count ? threads : buckets->thread_count;
	for (unsigned t = 0; t < buckets->thread_count; t++)
		gs_adder_close_piece(buckets, &buckets->threads[t]);
	if (buckets->state == GS_HOLD && buckets->piece_count > 0) {
		order = order_of_pieces(buckets);
		if (order != 0)
			list_pieces(buckets, &list, order & GS_UP ? GS_IN_ORDER : GS_REVERSED);
		else if (buckets->kept_bytes <= buckets->held_bytes + buckets->piece_bytes)
			list_held(buckets, &list);
		else
			gs_buckets_begin_scatter(buckets);
	}
	if (buckets->state == GS_SCATTER) {
		bins = buckets->digits.bins;
		collect(buckets, threads, buckets->bucket);
		divide_row(buckets, buckets->bucket, bins, threads);
		gs_parts_add_row(buckets, &list, buckets->bucket, bins, false);
	}
	keys = gs_parts_number(buckets, &list);
	assert(keys == gs_buckets_count(buckets));
	(void)keys;
	buckets->state = GS_SETTLED;
	return buckets->part_count;
}

struct gs_part
gs_buckets_part(const struct gs_buckets *buckets, size_t part)
{
	assert(part < buckets->part_count);
	return (struct gs_part){ buckets->parts[buckets->sorted[part]].at,
	                         buckets->parts[buckets->sorted[part]].keys };
}

/* Keys of a chain, block by block, to INTO, or from its end. */
static void
copy_chain(const struct gs_buckets *buckets, const struct gs_listed *part, char *into)
{
	const struct gs_pool *pool = buckets->pool;
	char *end = into + part->keys * buckets->key_bytes;

	for (uint32_t block = part->chain.head; block != 0; block = pool->book[block].next) {
		const uint32_t count = pool->book[block].count;
		const size_t bytes = (size_t)count * buckets->key_bytes;

		if (part->kind == GS_REVERSED) {
			end -= bytes;
			buckets->out->reverse(end, gs_pool_block(pool, block), count);
		} else {
			memcpy(into, gs_pool_block(pool, block), bytes);
			into += bytes;
		}
	}
}

void
gs_buckets_sort_part(struct gs_buckets *buckets, unsigned rank, size_t part, void *into,
                     void *scratch)
{
	struct gs_listed *which = &buckets->parts[buckets->sorted[part]];
	const size_t bytes = which->keys * buckets->key_bytes;

	assert(part < buckets->part_count && which->keys > 0 && rank < buckets->thread_count);
	if (which->kind == GS_EQUAL) {
		buckets->out->fill(into, which->key, which->keys);
	} else if (which->kind == GS_TO_SORT && gs_leaves[buckets->simd].halve_32 != NULL) {
		buckets->out->sort_chain(buckets->pool, &which->chain, &gs_leaves[buckets->simd],
		                         into, scratch, which->keys);
		gs_pool_give(buckets->pool, &which->chain);
	} else {
		copy_chain(buckets, which, into);
		if (which->kind == GS_TO_SORT)
			gs_cpu_sort_with(buckets->simd, into, scratch, buckets->bits, which->keys, 1);
		gs_pool_give(buckets->pool, &which->chain);
	}
	atomic_fetch_sub(&buckets->pool->held_bytes, bytes);
	atomic_fetch_sub(&buckets->threads[rank].keys, which->keys);
	which->keys = 0;
}

/* --- instead ----------------------------------------------------------------------- */

/* All blocks that have keys to one chain. */
static void
pour(struct gs_buckets *buckets, struct gs_chain *chain)
{
	struct gs_pool *pool = buckets->pool;

	for (unsigned t = 0; t < buckets->thread_count; t++)
		gs_adder_close_piece(buckets, &buckets->threads[t]);
	for (; buckets->piece_next < buckets->piece_count; buckets->piece_next++)
		gs_chain_join(pool, chain, &buckets->pieces[buckets->piece_next].chain);
	for (unsigned t = 0; buckets->state == GS_SCATTER && t < buckets->thread_count; t++) {
		struct gs_adder *thread = &buckets->threads[t];

		gs_adder_flush(buckets, thread, buckets->digits.bins);
		for (unsigned b = 0; b < buckets->digits.bins; b++)
			gs_chain_join(pool, chain, &thread->chain[b]);
	}
	for (size_t p = 0; buckets->state == GS_SETTLED && p < buckets->part_count; p++)
		gs_chain_join(pool, chain, &buckets->parts[p].chain);
	gs_chain_join(pool, chain, &buckets->source);
}

/* Keys of one block that go to another backend. */
struct lot {
	const char *from;
	char       *to;
	size_t      bytes;
};

enum { LOTS = 512, LOTS_EACH = 32 };	/* 4 MiB of blocks, 256 KiB of them by a thread at a time */

struct lots {
	struct lot lot[LOTS];
	size_t     count;
};

static void
copy_lots(void *context, size_t turn)
{
	const struct lots *lots = context;

	for (size_t l = turn * LOTS_EACH; l < lots->count && l < (turn + 1) * LOTS_EACH; l++)
		memcpy(lots->lot[l].to, lots->lot[l].from, lots->lot[l].bytes);
}

/* Note what of the first blocks is to be copied to INTO; blocks that will be empty go to DONE. */
static size_t
note_lots(struct gs_buckets *buckets, char *into, size_t room, struct lots *lots,
          struct gs_chain *done)
{
	struct gs_page *book = buckets->pool->book;
	size_t taken = 0;

	lots->count = 0;
	while (taken < room && buckets->source.blocks > 0 && lots->count < LOTS) {
		const uint32_t block = buckets->source.head;
		const size_t here = book[block].count < room - taken ? book[block].count : room - taken;
		struct gs_chain one = { .blocks = 0 };

		book[block].count -= (uint32_t)here;
		lots->lot[lots->count++] = (struct lot){
			.from = (char *)gs_pool_block(buckets->pool, block) +
			        book[block].count * buckets->key_bytes,
			.to = into + taken * buckets->key_bytes, .bytes = here * buckets->key_bytes,
		};
		taken += here;
		if (book[block].count == 0) {
			gs_chain_cut(buckets->pool, &buckets->source, 1, &one);
			gs_chain_join(buckets->pool, done, &one);
		}
	}
	return taken;
}

size_t
gs_buckets_take(struct gs_buckets *buckets, void *into, size_t room)
{
	struct gs_chain all = { .blocks = 0 };
	size_t taken = 0;

	assert(buckets->state != GS_SETTLED);
	pour(buckets, &all);
	buckets->source = all;
	while (taken < room && buckets->source.blocks > 0) {
		struct gs_chain done = { .blocks = 0 };
		struct lots lots;

		taken += note_lots(buckets, (char *)into + taken * buckets->key_bytes, room - taken,
		                   &lots, &done);
		gs_team_each(buckets->thread_count, (lots.count + LOTS_EACH - 1) / LOTS_EACH,
		             copy_lots, &lots);
		gs_pool_give(buckets->pool, &done);
	}
	atomic_fetch_sub(&buckets->pool->held_bytes, taken * buckets->key_bytes);
	atomic_fetch_sub(&buckets->threads[0].keys, taken);
	return taken;
}

void
gs_buckets_reset(struct gs_buckets *buckets)
{
	struct gs_chain all = { .blocks = 0 };

	atomic_fetch_sub(&buckets->pool->held_bytes, gs_buckets_count(buckets) * buckets->key_bytes);
	pour(buckets, &all);
	gs_pool_give(buckets->pool, &all);
	for (unsigned t = 0; t < buckets->thread_count; t++) {
		gs_pool_give(buckets->pool, &buckets->threads[t].spare);
		buckets->threads[t].keys = 0;
	}
	buckets->state = GS_HOLD;
	buckets->order = GS_UP | GS_DOWN;
	buckets->least = UINT64_MAX;
	buckets->most = buckets->kept_bytes = buckets->slack_bytes = 0;
	buckets->piece_count = buckets->piece_next = 0;
	buckets->part_count = 0;
}
