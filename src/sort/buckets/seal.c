// SPDX-License-Identifier: BSD-2-Clause
/*
 * seal.c - after the last key: make every bucket small enough, and list all as parts
 *
 * In:   fragments, or chains of each thread and bin.
 * Out:  parts (part_list.c).
 *
 * The threads' chains are joined, bin by bin, to buckets.  A bucket that is larger than a part is
 * divided again by its own range: by one thread, or by all of them if it would keep one thread at
 * work when the others are done.
 *
 * Invariant: every key of a bucket is at least every key of those before it, and the range of each
 * bin is narrower than that of the bucket that is divided, so the divisions come to an end.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/team.h"
#include "sort/buckets/add.h"
#include "sort/buckets/buckets.h"
#include "sort/buckets/part_list.h"
#include "sort/buckets/seal.h"
#include "sort/buckets/state.h"

/* All blocks of a chain are full, but the last. */
static size_t
chain_keys(const struct gs_buckets *buckets, const struct gs_chain *chain)
{
	return chain->blocks == 0 ? 0 : (chain->blocks - 1) * buckets->block_keys +
	                                buckets->pool->block_table[chain->tail].count;
}

static bool
is_large(const struct gs_buckets *buckets, const struct gs_bucket *bucket)
{
	return bucket->keys * buckets->key_bytes > buckets->part_bytes && bucket->parts.first == 0;
}

/* Join small neighbours of a bucket's bins before anything else is divided, so that few blocks are
 * left that are not full. */
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

/* --- division ------------------------------------------------------------------- */

struct ranges {
	struct gs_buckets *buckets;
	const struct gs_chain *chain;
	uint64_t least[GS_TEAM_MAX], most[GS_TEAM_MAX];
	unsigned size;
};

/* Find the least and the largest key of a chain; each member reads every SIZEth block. */
static void
range_body(void *context, unsigned rank, unsigned size)
{
	struct ranges *ranges = context;
	const struct gs_pool *pool = ranges->buckets->pool;
	uint64_t least = UINT64_MAX, most = 0;
	size_t at = 0;

	for (uint32_t block = ranges->chain->head; block != 0; block = pool->block_table[block].next)
		if (at++ % size == rank)
			ranges->buckets->kernels->range(gs_pool_block(pool, block),
			                                pool->block_table[block].count, &least, &most);
	ranges->least[rank] = least;
	ranges->most[rank] = most;
	if (rank == 0)
		ranges->size = size;
}

/* Scatter fragments, or a bucket. */
static void
scatter_body(void *context, unsigned rank, unsigned size)
{
	struct gs_buckets *buckets = context;
	struct gs_adder *thread = &buckets->threads[rank];
	struct gs_chain some = { .blocks = 0 };

	(void)size;
	while (gs_adder_scatter_fragment(buckets, thread))
		;
	do {
		gs_adder_scatter(buckets, thread, &buckets->binner, &some);
		pthread_mutex_lock(&buckets->lock);
		gs_chain_cut(buckets->pool, &buckets->source, buckets->pool->trip_blocks, &some);
		pthread_mutex_unlock(&buckets->lock);
	} while (some.blocks > 0);
}

/* Scatter what is left, and join the threads' chains of each bin to a bucket. */
static void
collect(struct gs_buckets *buckets, unsigned threads, struct gs_bucket *bucket)
{
	gs_team_run(threads, scatter_body, buckets);
	for (unsigned t = 0; t < buckets->thread_count; t++)
		gs_adder_flush(buckets, &buckets->threads[t], buckets->binner.bins);
	for (unsigned b = 0; b < buckets->binner.bins; b++) {
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
             struct gs_part_list *list)
{
	struct ranges range = { .buckets = buckets, .chain = &bucket->chain };
	struct gs_bucket parts[GS_BINS_AGAIN];
	struct gs_binner binner;

	range_body(&range, 0, 1);
	if (range.least[0] == range.most[0]) {
		gs_parts_add_equal(buckets, list, bucket, range.least[0]);
		return;
	}
	binner = gs_binner_make(range.least[0], range.most[0], buckets->bins_again);
	gs_adder_scatter(buckets, thread, &binner, &bucket->chain);
	gs_adder_flush(buckets, thread, binner.bins);
	for (unsigned b = 0; b < binner.bins; b++) {
		parts[b] = (struct gs_bucket){ .chain = thread->chain[b],
		                               .keys = chain_keys(buckets, &thread->chain[b]) };
		thread->chain[b] = (struct gs_chain){ .blocks = 0 };
	}
	join_small(buckets, parts, binner.bins);
	for (unsigned b = 0; b < binner.bins; b++)
		if (is_large(buckets, &parts[b]))
			divide_alone(buckets, thread, &parts[b], list);
		else
			gs_parts_add_bucket(buckets, list, &parts[b], true);
}

struct row {
	struct gs_buckets *buckets;
	struct gs_bucket  *bucket;
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

/* Divide those of a row of buckets that are too large: by all threads together if one thread
 * would be at work when the others are done, else side by side. */
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
	buckets->binner = gs_binner_make(least, most, bins);
	buckets->source = bucket->chain;
	collect(buckets, threads, parts);
	join_small(buckets, parts, bins);
	divide_row(buckets, parts, bins, threads);
	gs_parts_add_row(buckets, &bucket->parts, parts, bins, true);
}

/* --- all of it ------------------------------------------------------------------ */

static int
compare_fragments(const void *a, const void *b)
{
	const struct gs_fragment *x = a, *y = b;

	if (x->sequence != y->sequence)
		return x->sequence < y->sequence ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* The orders in which all fragments, each in such an order, go on from each other. */
static unsigned
order_of_fragments(struct gs_buckets *buckets)
{
	unsigned order = buckets->order;

	if (order == 0)
		return 0;
	qsort(buckets->fragments, buckets->fragment_count, sizeof *buckets->fragments, compare_fragments);
	for (size_t f = 1; f < buckets->fragment_count; f++) {
		const uint64_t last = buckets->fragments[f - 1].last, first = buckets->fragments[f].first;

		order &= (first >= last ? GS_UP : 0) | (first <= last ? GS_DOWN : 0);
	}
	return order;
}

static void
list_fragments(struct gs_buckets *buckets, struct gs_part_list *list, enum gs_part_kind kind)
{
	for (size_t f = 0; f < buckets->fragment_count; f++) {
		const size_t at = kind == GS_REVERSED ? buckets->fragment_count - 1 - f : f;
		struct gs_fragment *fragment = &buckets->fragments[at];

		gs_parts_add(buckets, list, kind, 0, &fragment->chain, fragment->keys);
	}
}

/* All that was buffered, as one part. */
static void
list_buffered(struct gs_buckets *buckets, struct gs_part_list *list)
{
	struct gs_bucket all = { .keys = 0 };

	for (size_t f = 0; f < buckets->fragment_count; f++) {
		all.keys += buckets->fragments[f].keys;
		gs_chain_join(buckets->pool, &all.chain, &buckets->fragments[f].chain);
	}
	gs_parts_add_bucket(buckets, list, &all, false);
}

size_t
gs_buckets_seal(struct gs_buckets *buckets, unsigned threads)
{
	struct gs_part_list list = { .first = 0 };
	unsigned order, bins;
	uint64_t keys;

	assert(buckets->state != GS_SEALED);
	threads = threads < buckets->thread_count ? threads : buckets->thread_count;
	for (unsigned t = 0; t < buckets->thread_count; t++)
		gs_adder_close_fragment(buckets, &buckets->threads[t]);
	if (buckets->state == GS_BUFFERING && buckets->fragment_count > 0) {
		order = order_of_fragments(buckets);
		if (order != 0)
			list_fragments(buckets, &list, order & GS_UP ? GS_IN_ORDER : GS_REVERSED);
		else if (buckets->buffered_bytes <= buckets->sample_bytes + buckets->fragment_bytes)
			list_buffered(buckets, &list);
		else
			gs_adder_begin_scatter(buckets);
	}
	if (buckets->state == GS_SCATTER) {
		bins = buckets->binner.bins;
		collect(buckets, threads, buckets->bucket);
		divide_row(buckets, buckets->bucket, bins, threads);
		gs_parts_add_row(buckets, &list, buckets->bucket, bins, false);
	}
	keys = gs_parts_number(buckets, &list);
	assert(keys == gs_buckets_count(buckets));
	(void)keys;
	buckets->state = GS_SEALED;
	return buckets->part_count;
}
