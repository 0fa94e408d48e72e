// SPDX-License-Identifier: BSD-2-Clause
/*
 * buckets.c - keys divided by value as they come, sorted as they leave
 *
 * In:   memory, and a pool of blocks.
 * Out:  an empty set of buckets; how much of the pool it may need beyond its keys.
 *
 * The set is filled in buckets_add.c, divided in buckets_settle.c, and leaves in order through
 * buckets_parts.c; or in no order through gs_buckets_take(), for another backend.
 */
#include <assert.h>
#include <string.h>

#include "base/team.h"
#include "sort/buckets/inside.h"

enum { BINS_LEAST = 16 };

/* What a bucket should be; small ones are joined up to JOIN_BYTES, at most a part. */
enum { BUCKET_BYTES = 128 << 10, JOIN_BYTES = 256 << 10 };

/* Keys that are kept, whatever they are, before digits are made from them.  Not tuned. */
enum { HELD_BYTES = 1 << 20 };		/* at most half a part */

/* A piece that is kept is cut at this size, so that parts can be made of them.  Not tuned. */
enum { PIECE_BYTES = 256 << 10 };	/* at most a quarter of a part */

/* A smaller pool is divided less, so that more of it are keys.  Not tuned. */
enum { ROOMY_BYTES = 512 << 20 };

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
	       gs_pool_block_bytes(pool_bytes) * threads * 2 * bins <= share)
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
	       gs_pool_block_bytes(pool_bytes) * threads * 2 * bins <= share)
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
	buckets->in = bits == 32 ? &gs_keys_in_32 : &gs_keys_in_64;
	buckets->out = bits == 32 ? &gs_keys_out_32 : &gs_keys_out_64;
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

uint64_t
gs_buckets_count(const struct gs_buckets *buckets)
{
	uint64_t keys = 0;

	for (unsigned t = 0; t < buckets->thread_count; t++)
		keys += buckets->threads[t].keys;
	return keys;
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
	for (size_t p = 0; buckets->state == GS_SEALED && p < buckets->part_count; p++)
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
	struct gs_block_info *book = buckets->pool->book;
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

	assert(buckets->state != GS_SEALED);
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
	buckets->state = GS_BUFFERING;
	buckets->order = GS_UP | GS_DOWN;
	buckets->least = UINT64_MAX;
	buckets->most = buckets->kept_bytes = buckets->slack_bytes = 0;
	buckets->piece_count = buckets->piece_next = 0;
	buckets->part_count = 0;
}
