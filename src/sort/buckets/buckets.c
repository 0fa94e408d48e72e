// SPDX-License-Identifier: BSD-2-Clause
/*
 * buckets.c - keys are divided by value as they come, and sorted as they leave
 *
 * In:   memory, and a pool of blocks.
 * Out:  an empty set of buckets; what it may need of the pool beyond its keys.
 *
 * Keys come through add.c; seal.c divides large buckets; parts.c lets keys leave in order.
 */
#include <assert.h>

#include "base/round.h"
#include "base/team.h"
#include "sort/buckets/buckets.h"
#include "sort/buckets/state.h"

enum { BINS_LEAST = 16 };

/*
 * The size that buckets should have, until there are GS_BINS_FEW; then they may be larger, up to half a part:
 * a key is scattered faster to few bins, but a large part does not fit a second-level cache together with
 * what it is sorted into.  H200 host, 2^27 u32, ms, buckets of 1 MiB / 512 KiB / 256 KiB: gsort_sort(), one
 * thread, 1072 / 864 / 831, 16 threads 90 / 81 / 80; file to new file, two cores, 636 / 587 / 567.  On an
 * EPYC 9004 they differ less than one run from the next.  Of BUCKET_MOST_BYTES or more they are divided by
 * quicksort first: 2^30 and 2^31 u64 to /dev/null, 16 threads, with 2048 bins 1.23 and 2.70 s, with 4096 1.18
 * and 2.48, with 8192 1.22 and 2.52; but two threads, 3.6 and 4.5 GiB of u64, Xeon, with 2048 bins 14.3 and
 * 13.3 ns of user time a key, with 4096 16.4 and 16.8 (between 2 and 16 threads not measured).  Small ones
 * are joined up to JOIN_BYTES, or a part if that is less.
 */
enum {
	BUCKET_BYTES       = 128 << 10,
	BUCKET_LARGE_BYTES = 512 << 10,
	BUCKET_MOST_BYTES  = (2 << 20) / 8 * 7,
	JOIN_BYTES         = 256 << 10,
	MANY_THREADS       = 8,
};

/* Keys that are buffered, whatever they are, before the binner is made from them: this, or half a
 * part if that is less.  Not tuned. */
enum { SAMPLE_BYTES = 1 << 20 };

/* Fragments end at this size, or a quarter of a part if that is less, so that parts can be made of
 * them.  Not tuned. */
enum { FRAGMENT_BYTES = 256 << 10 };

/* A smaller pool is divided into fewer buckets, so that more of it is keys.  Not tuned. */
enum { ROOMY_BYTES = 512 << 20 };

/* Whatever the number of threads, last blocks and parts that are being sorted may take so much, or
 * a sixth and an eighth of the keys.  Peak of sorting 256 MB of u32 with 2, 16, 32 threads: 264, 283,
 * 304 MB; with blocks of 4 KiB and parts of 4 MiB for any number of threads 275, 447, 549 MB. */
enum { LAST_BLOCKS_BYTES = 4 << 20, PARTS_BYTES = 24 << 20 };

/* Of a job, whose memory is limited: dividing a bucket by all threads takes more. */
enum { TOGETHER_BYTES = 16 << 20 };

/* Each part of the memory begins on a line of cache. */
enum { LINE_BYTES = 64 };

/* --- memory -------------------------------------------------------------------- */

/*
 * Last blocks are half full, on average, and may take a 24th of the keys; in a pool that memory limits,
 * at most a sixteenth of it, if it is small a 32nd for all key classes together.  If they took more,
 * first buckets become twice as large, unless they are large already, which costs less than what smaller
 * blocks cost; then blocks become smaller, then there are fewer buckets.
 */
static void
choose_bins(struct gs_bucket_sizes *sizes, unsigned key_classes, uint64_t pool_bytes, uint64_t key_bytes)
{
	const uint64_t large = gs_within(BUCKET_BYTES, sizes->part_bytes / 2, BUCKET_LARGE_BYTES);
	const uint64_t most = pool_bytes / (pool_bytes < ROOMY_BYTES ? 16 * key_classes : 8);
	const uint64_t wanted = key_bytes / 6 > LAST_BLOCKS_BYTES ? key_bytes / 6 : LAST_BLOCKS_BYTES;
	const uint64_t each = gs_least(wanted, most) / (2 * sizes->threads);
	const unsigned most_bins = sizes->threads < MANY_THREADS ? GS_BINS_USUAL : GS_BINS;

	sizes->bins = sizes->bins_again = BINS_LEAST;
	while (sizes->bins < most_bins &&
	       key_bytes / sizes->bins > (sizes->bins < GS_BINS_FEW ? BUCKET_BYTES :
	                                  sizes->bins < GS_BINS_USUAL ? large : BUCKET_MOST_BYTES))
		sizes->bins *= 2;
	sizes->block_bytes = GS_BLOCK_MOST_BYTES;
	while (sizes->block_bytes > GS_BLOCK_LEAST_BYTES && pool_bytes / sizes->block_bytes < 1 << 15)
		sizes->block_bytes /= 2;
	if (sizes->bins > BINS_LEAST && sizes->bins * sizes->block_bytes > each &&
	    (sizes->bins >= GS_BINS_USUAL || key_bytes / sizes->bins <= BUCKET_BYTES))
		sizes->bins /= 2;
	while (sizes->block_bytes > GS_BLOCK_LEAST_BYTES && sizes->bins * sizes->block_bytes > each)
		sizes->block_bytes /= 2;
	while (sizes->bins > BINS_LEAST && sizes->bins * sizes->block_bytes > each)
		sizes->bins /= 2;
	while (sizes->bins_again < GS_BINS_AGAIN && 2 * sizes->bins_again * sizes->block_bytes <= each / 4)
		sizes->bins_again *= 2;
	sizes->bins_most = sizes->bins > sizes->bins_again ? sizes->bins : sizes->bins_again;
	sizes->lines_bytes = GS_LINES_BYTES >> ((sizes->bins > GS_BINS_FEW) + (sizes->bins > GS_BINS_USUAL));
}

struct gs_bucket_sizes
gs_buckets_choose(unsigned threads, unsigned key_classes, uint64_t pool_bytes, uint64_t key_bytes,
                  size_t part_most_bytes)
{
	const uint64_t bytes = gs_least(key_bytes, pool_bytes);
	const uint64_t parts = bytes / 8 > PARTS_BYTES ? bytes / 8 : PARTS_BYTES;
	struct gs_bucket_sizes sizes = { .threads = threads, .part_bytes = GS_PART_BYTES,
	                                 .together_bytes = TOGETHER_BYTES };

	while (sizes.part_bytes > 2 * BUCKET_BYTES && sizes.part_bytes > bytes / 256 &&
	       sizes.part_bytes > parts / (3 * threads))
		sizes.part_bytes /= 2;
	sizes.part_bytes = gs_least(sizes.part_bytes, part_most_bytes);
	choose_bins(&sizes, key_classes, pool_bytes, bytes);
	while (sizes.bins >= GS_BINS_USUAL && bytes / sizes.bins > sizes.part_bytes / 8 * 7 &&
	       sizes.part_bytes < gs_least(GS_PART_MOST_BYTES, part_most_bytes) &&
	       6 * threads * sizes.part_bytes <= bytes / 16 && bytes / 8 <= pool_bytes - bytes)
		sizes.part_bytes *= 2;
	return sizes;
}

static size_t
fragment_room(const struct gs_bucket_sizes *sizes, size_t pool_bytes)
{
	return pool_bytes / gs_least(FRAGMENT_BYTES, sizes->part_bytes / 4) * 4 + GS_SMALL_FRAGMENTS +
	       GS_TEAM_MAX + 1;
}

/* Buckets of the first division that there is room for. */
static size_t
buckets_most(const struct gs_bucket_sizes *sizes)
{
	return sizes->bins > GS_BINS_USUAL ? sizes->bins : GS_BINS_USUAL;
}

static size_t
part_room(const struct gs_bucket_sizes *sizes, size_t pool_bytes)
{
	return pool_bytes / gs_least(JOIN_BYTES, sizes->part_bytes) * 5 + 4 * buckets_most(sizes);
}

size_t
gs_buckets_bytes(const struct gs_bucket_sizes *sizes, size_t pool_bytes)
{
	const struct gs_buckets *buckets = NULL;
	const size_t parts = part_room(sizes, pool_bytes), fragments = fragment_room(sizes, pool_bytes);

	return gs_round_up(sizeof *buckets + buckets_most(sizes) * sizeof *buckets->bucket, LINE_BYTES) +
	       sizes->threads * (gs_round_up(sizeof *buckets->threads, LINE_BYTES) +
	                         GS_LINES_BYTES +
	                         sizes->bins_most * (sizes->lines_bytes + sizeof(char *) +
	                                             sizeof(uintptr_t) + sizeof(struct gs_chain))) +
	       gs_round_up(fragments * sizeof *buckets->buffered.fragments, LINE_BYTES) +
	       gs_round_up(parts * sizeof *buckets->parts.entries, LINE_BYTES) +
	       gs_round_up(parts * sizeof *buckets->parts.sorted, LINE_BYTES) + LINE_BYTES;
}

/* Blocks that fragments may waste before they are scattered. */
static size_t
slack_blocks(const struct gs_bucket_sizes *sizes, size_t pool_bytes)
{
	return GS_SMALL_FRAGMENTS / 4 +
	       (size_t)sizes->bins * sizes->threads / (pool_bytes < ROOMY_BYTES ? 4 : 2);
}

/*
 * Each thread has the last block of each bin; empty blocks; the last block of its open fragment, of
 * one that it has just closed, and of one that is being scattered, whose keys are in memory twice.
 */
size_t
gs_buckets_reserve(const struct gs_bucket_sizes *sizes, size_t pool_bytes)
{
	const size_t trip = gs_pool_trip_blocks(pool_bytes, sizes->block_bytes);

	return (sizes->threads * (sizes->bins + 2 * trip + 3) + slack_blocks(sizes, pool_bytes) + 1) *
	       sizes->block_bytes;
}

/*
 * A thread that divides a bucket has the last blocks of its bins, until small neighbours are
 * joined; then each level has one behind the bucket that is being divided.  Of parts that follow
 * each other in one list any two together have more than JOIN_BYTES, so there are at most 2 for
 * that many keys, each with a last block, and one more in each list.  A bucket that one thread
 * divides has a list, and so has each that all threads divide together, at most 2 of a level for
 * each thread, which is interrupted by the large ones in it.
 */
size_t
gs_buckets_reserve_once(const struct gs_bucket_sizes *sizes, size_t pool_bytes)
{
	const size_t part_bytes = sizes->part_bytes;
	const size_t together = gs_least(pool_bytes / sizes->together_bytes, 2 * sizes->threads);
	const unsigned again = sizes->bins_again;
	const unsigned levels = GS_SAMPLED_LEVELS + 64 / (unsigned)__builtin_ctz(again) + 1;	/* at most */
	size_t parts = 2 * (pool_bytes / gs_least(JOIN_BYTES, part_bytes)) + pool_bytes / part_bytes;

	if (pool_bytes > sizes->together_bytes)
		parts += pool_bytes / part_bytes + together * 2 * levels;
	return (parts + sizes->threads * (again + levels + 1)) * sizes->block_bytes;
}

/* Take BYTES of *MEMORY, from and to the beginning of a line. */
static void *
carve(char **memory, size_t bytes)
{
	char *taken = *memory;

	*memory += gs_round_up(bytes, LINE_BYTES);
	return taken;
}

struct gs_buckets *
gs_buckets_init(void *memory, struct gs_pool *pool, unsigned key_bits, const struct gs_bucket_sizes *sizes)
{
	const size_t pool_bytes = pool->bytes, part_bytes = sizes->part_bytes, bins = sizes->bins_most;
	char *at = (char *)gs_round_up((uintptr_t)memory, LINE_BYTES);
	struct gs_buckets *buckets = carve(&at, sizeof *buckets +
	                                        buckets_most(sizes) * sizeof *buckets->bucket);
	struct gs_buffered *buffered = &buckets->buffered;

	assert(pool->block_bytes == sizes->block_bytes);
	buckets->sizes = *sizes;
	buckets->pool = pool;
	buckets->fetches_first = gs_simd_fetches_first();
	buckets->key_bits = key_bits;
	buckets->key_bytes = key_bits / 8;
	buffered->fragment_bytes = gs_least(FRAGMENT_BYTES, part_bytes / 4);
	buffered->sample_bytes = gs_least(SAMPLE_BYTES, part_bytes / 2);
	buckets->join_bytes = gs_least(JOIN_BYTES, part_bytes);
	buckets->block_keys = (unsigned)(pool->block_bytes / buckets->key_bytes);
	buffered->slack_most_bytes = slack_blocks(sizes, pool_bytes) * pool->block_bytes;
	pthread_mutex_init(&buckets->lock, NULL);
	buckets->threads = carve(&at, sizes->threads * sizeof *buckets->threads);
	for (unsigned t = 0; t < sizes->threads; t++) {
		at = (char *)gs_round_up((uintptr_t)at, GS_LINES_BYTES);
		buckets->threads[t].lines = carve(&at, bins * sizes->lines_bytes);
		buckets->threads[t].next = carve(&at, bins * sizeof(char *));
		buckets->threads[t].end = carve(&at, bins * sizeof(uintptr_t));
		buckets->threads[t].chain = carve(&at, bins * sizeof(struct gs_chain));
	}
	buffered->fragment_room = fragment_room(sizes, pool_bytes);
	buffered->fragments = carve(&at, buffered->fragment_room * sizeof *buffered->fragments);
	buckets->parts.room = part_room(sizes, pool_bytes);
	buckets->parts.entries = carve(&at, buckets->parts.room * sizeof *buckets->parts.entries);
	buckets->parts.sorted = carve(&at, buckets->parts.room * sizeof *buckets->parts.sorted);
	assert(at <= (char *)memory + gs_buckets_bytes(sizes, pool_bytes));
	gs_buckets_reset(buckets);
	gs_buckets_with(buckets, gs_simd_best());
	if (pool->reserved_bytes == 0)
		pool->reserved_bytes = gs_buckets_reserve_once(sizes, pool_bytes);
	pool->reserved_bytes += gs_buckets_reserve(sizes, pool_bytes);
	return buckets;
}

void
gs_buckets_with(struct gs_buckets *buckets, enum gs_simd simd)
{
	buckets->kernels = gs_simd_kernels(simd, buckets->key_bits);
}

uint64_t
gs_buckets_count(const struct gs_buckets *buckets)
{
	uint64_t keys = 0;

	for (unsigned t = 0; t < buckets->sizes.threads; t++)
		keys += buckets->threads[t].keys;
	return keys;
}

/* --- forgetting all ------------------------------------------------------------ */

void
gs_buckets_reset(struct gs_buckets *buckets)
{
	struct gs_buffered *buffered = &buckets->buffered;
	struct gs_pool *pool = buckets->pool;
	struct gs_chain all = { .blocks = 0 };	/* blocks that have keys */

	assert(buckets->state != GS_SCATTER);
	atomic_fetch_sub(&pool->stored_bytes, gs_buckets_count(buckets) * buckets->key_bytes);
	for (unsigned t = 0; t < buckets->sizes.threads; t++)
		gs_adder_close_fragment(buckets, &buckets->threads[t]);
	for (; buffered->fragment_next < buffered->fragment_count; buffered->fragment_next++)
		gs_chain_join(pool, &all, &buffered->fragments[buffered->fragment_next].chain);
	for (size_t p = 0; buckets->state == GS_SEALED && p < buckets->parts.entry_count; p++)
		gs_chain_join(pool, &all, &buckets->parts.entries[p].chain);
	gs_chain_join(pool, &all, &buckets->source);
	gs_pool_give(pool, &all);
	for (unsigned t = 0; t < buckets->sizes.threads; t++) {
		gs_pool_give(pool, &buckets->threads[t].empty);
		buckets->threads[t].keys = 0;
	}
	buckets->state = GS_BUFFERING;
	buffered->order = GS_UP | GS_DOWN;
	buffered->least = UINT64_MAX;
	buffered->most = buffered->bytes = buffered->slack_bytes = 0;
	buffered->fragment_count = buffered->fragment_next = 0;
	buffered->sample_count = buffered->sample_calls = 0;
	buffered->sample_every = 1;
	buckets->parts.entry_count = buckets->parts.count = 0;
}
