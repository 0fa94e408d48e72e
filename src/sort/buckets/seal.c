// SPDX-License-Identifier: BSD-2-Clause
/*
 * seal.c - after the last key: make every bucket small enough, and list all as parts
 *
 * In:   fragments, or chains of each thread and bin.
 * Out:  parts (part_list.c).
 *
 * The threads' chains are joined, bin by bin, to buckets.  A bucket that is larger than a part
 * stands in the list as one part that is to be divided.  Large ones of these are divided by all
 * threads together, one after the other; then the others side by side, each by one thread with all
 * that it divides into.
 *
 * A bucket is divided by the range of a sample of its keys, since the range that its keys may have
 * is often much wider; keys outside of the sample's go to the outermost bins.  If half of the
 * sample is one key, that key gets a bin of its own, between one for all less and one for all
 * greater.  Samples may mislead; so after GS_SAMPLED_LEVELS divisions, buckets are divided by the
 * range that their keys may have.
 *
 * Invariant: every key of a bucket is at least every key of the buckets before it, and lies between its
 * LEAST and its MOST; these are nearer to each other than the bounds of the bucket that it comes from,
 * so the divisions come to an end.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/team.h"
#include "base/way.h"
#include "sort/buckets/buckets.h"
#include "sort/buckets/state.h"
#include "sort/cpu/quicksort.h"
#include "sort/span.h"

/* --- buckets -------------------------------------------------------------------- */

static bool
is_large(const struct gs_buckets *buckets, size_t keys)
{
	return keys * buckets->key_bytes > buckets->sizes.part_bytes;
}

/* Move what a thread has of a bin to the bucket; only the first block may be not full. */
static void
take_bin(const struct gs_buckets *buckets, struct gs_adder *thread, unsigned bin, struct gs_bucket *bucket)
{
	struct gs_chain *chain = &thread->chain[bin], first = { .blocks = 0 };
	struct gs_pool *pool = buckets->pool;

	if (chain->blocks == 0)
		return;
	bucket->keys += (chain->blocks - 1) * buckets->block_keys + pool->block_table[chain->head].count;
	if (pool->block_table[chain->head].count < buckets->block_keys) {
		gs_chain_cut(pool, chain, 1, &first);
		gs_chain_join(pool, &bucket->rest, &first);
	}
	gs_chain_join(pool, &bucket->chain, chain);
}

/* Join small neighbours, then fill the blocks of each bucket that are not full: before anything
 * else is divided, so that few blocks are left that are not full. */
static void
join_small(const struct gs_buckets *buckets, struct gs_bucket *bucket, unsigned count)
{
	struct gs_pool *pool = buckets->pool;
	struct gs_bucket *into = NULL;

	for (unsigned b = 0; b < count; b++) {
		if (is_large(buckets, bucket[b].keys)) {
			into = NULL;
		} else if (into != NULL && (into->keys + bucket[b].keys) * buckets->key_bytes <=
		                           buckets->join_bytes) {
			into->keys += bucket[b].keys;
			gs_chain_join(pool, &into->chain, &bucket[b].chain);
			gs_chain_join(pool, &into->rest, &bucket[b].rest);
			bucket[b].keys = 0;
		} else {
			into = &bucket[b];
		}
	}
	for (unsigned b = 0; b < count; b++)
		gs_chain_compact(pool, &bucket[b].rest, buckets->key_bytes);
}

/* --- one division ---------------------------------------------------------------- */

/* Are all keys of a chain KEY? */
struct comparison {
	const struct gs_buckets *buckets;
	const struct gs_chain   *chain;
	uint64_t                 key;
	atomic_bool              differs;
};

/* Each member compares every SIZEth block, until one finds another key. */
static void
compare_body(void *context, unsigned worker, unsigned size)
{
	struct comparison *comparison = context;
	const struct gs_buckets *buckets = comparison->buckets;
	const struct gs_block_info *block_table = buckets->pool->block_table;
	uint64_t least = comparison->key, most = least;
	size_t at = 0;

	for (uint32_t block = comparison->chain->head;
	     block != 0 && !atomic_load_explicit(&comparison->differs, memory_order_relaxed);
	     block = block_table[block].next) {
		if (at++ % size != worker)
			continue;
		buckets->kernels->range(gs_pool_block(buckets->pool, block), block_table[block].count,
		                        &least, &most);
		if (least < most)
			atomic_store(&comparison->differs, true);
	}
}

/* How to divide PART, with THREADS; false: all of its keys are equal, and LEAST is what they are. */
static bool
choose_binner(const struct gs_buckets *buckets, struct gs_part_entry *part, unsigned threads,
              struct gs_binner *binner)
{
	uint64_t least = part->least, most = part->most, sample[GS_SAMPLE_KEYS], middle;
	bool three_ways = false;
	size_t count = 0;

	if (least < most && part->level < GS_SAMPLED_LEVELS) {
		count = gs_chain_sample(buckets->pool, &part->chain, buckets->key_bits, sample,
		                        GS_SAMPLE_KEYS);
		buckets->kernels->sort_leaf(sample, sample, count);
		middle = gs_key_at(sample, buckets->key_bits, count / 2);
		least = gs_key_at(sample, buckets->key_bits, 0);
		most = gs_key_at(sample, buckets->key_bits, count - 1);
		if (least == most) {
			struct comparison comparison = { buckets, &part->chain, least, false };

			gs_team_run(threads, compare_body, &comparison);
			if (!comparison.differs) {
				part->least = least;
				return false;
			}
		}
		if (gs_key_at(sample, buckets->key_bits, count / 4) == middle &&
		    gs_key_at(sample, buckets->key_bits, count - 1 - count / 4) == middle) {
			three_ways = true;
			least = middle - (middle > part->least);
			most = middle + (middle < part->most);
		}
		assert(part->least <= least && least < most && most <= part->most);
	}
	if (least == most)
		return false;
	*binner = three_ways || part->level >= GS_SAMPLED_LEVELS
	          ? gs_binner_linear(least, most, buckets->sizes.bins_again)
	          : gs_binner_choose(least, most, buckets->sizes.bins_again, buckets->kernels, sample, count);
	return true;
}

/* The bounds of a bin's keys, which come from keys between LEAST and MOST; those outside of the
 * binner's range are in its first and last bin. */
static void
set_bounds(struct gs_part_entry *part, const struct gs_binner *binner, unsigned bin, uint64_t least,
           uint64_t most)
{
	part->least = bin == 0 ? least : gs_binner_first(binner, bin);
	part->most = bin == binner->bins - 1 ? most : gs_binner_first(binner, bin + 1) - 1;
	assert(least <= part->least && part->least <= part->most && part->most <= most);
}

/* --- by one thread --------------------------------------------------------------- */

/* Divide PART, and whatever of it is too large, with the tables of one thread.  Its parts go to
 * LIST. */
static void
divide_alone(struct gs_buckets *buckets, struct gs_adder *thread, struct gs_part_entry *part,
             struct gs_part_list *list)
{
	struct gs_bucket bucket[GS_BINS_AGAIN];
	struct gs_binner binner;

	if (!choose_binner(buckets, part, 1, &binner)) {
		gs_parts_add_equal(buckets, list, part);
		return;
	}
	gs_adder_scatter(buckets, thread, &binner, &part->chain);
	gs_adder_flush(buckets, thread, binner.bins);
	for (unsigned b = 0; b < binner.bins; b++) {
		bucket[b] = (struct gs_bucket){ .keys = 0 };
		take_bin(buckets, thread, b, &bucket[b]);
	}
	join_small(buckets, bucket, binner.bins);
	for (unsigned b = 0; b < binner.bins; b++) {
		struct gs_part_entry child = { .level = part->level + 1, .keys = bucket[b].keys };

		gs_chain_join(buckets->pool, &bucket[b].chain, &bucket[b].rest);
		if (!is_large(buckets, child.keys)) {
			gs_parts_add_bucket(buckets, list, &bucket[b], true);
			continue;
		}
		child.chain = bucket[b].chain;
		set_bounds(&child, &binner, b, part->least, part->most);
		divide_alone(buckets, thread, &child, list);
	}
}

static void
divide_body(void *context, unsigned worker, unsigned size)
{
	struct gs_buckets *buckets = context;
	uint32_t t;

	(void)size;
	while ((t = buckets->task_next++) < buckets->task_count) {
		struct gs_part_entry *part = &buckets->parts.entries[buckets->parts.sorted[t]];

		divide_alone(buckets, &buckets->threads[worker], part, &part->parts);
	}
}

/* --- by all threads --------------------------------------------------------------- */

/* Scatter fragments, or the source. */
static void
scatter_body(void *context, unsigned worker, unsigned size)
{
	struct gs_buckets *buckets = context;
	struct gs_adder *thread = &buckets->threads[worker];
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
	gs_adder_flush(buckets, thread, buckets->binner.bins);
}

/* Scatter the last keys, and join the threads' chains of each bin to a bucket. */
static void
collect(struct gs_buckets *buckets, unsigned threads, struct gs_bucket *bucket)
{
	gs_team_run(threads, scatter_body, buckets);
	/* no more than THREADS may have run */
	for (unsigned t = 0; t < buckets->sizes.threads; t++)
		gs_adder_flush(buckets, &buckets->threads[t], buckets->binner.bins);
	for (unsigned b = 0; b < buckets->binner.bins; b++) {
		bucket[b] = (struct gs_bucket){ .keys = 0 };
		for (unsigned t = 0; t < buckets->sizes.threads; t++)
			take_bin(buckets, &buckets->threads[t], b, &bucket[b]);
	}
}

/*
 * List the buckets that keys between LEAST and MOST were collected to, large ones as parts that are to
 * be divided.
 *
 * @compact  fill blocks that are not full at once, since the bucket comes from another bucket
 */
static void
list_buckets(struct gs_buckets *buckets, struct gs_part_list *list, struct gs_bucket *bucket,
             uint64_t least, uint64_t most, unsigned level, bool compact)
{
	for (unsigned b = 0; b < buckets->binner.bins; b++) {
		struct gs_part_entry *part;

		gs_chain_join(buckets->pool, &bucket[b].chain, &bucket[b].rest);
		if (!is_large(buckets, bucket[b].keys)) {
			gs_parts_add_bucket(buckets, list, &bucket[b], compact);
			continue;
		}
		part = gs_parts_add(buckets, list, GS_TO_DIVIDE, &bucket[b].chain, bucket[b].keys);
		part->level = level;
		set_bounds(part, &buckets->binner, b, least, most);
		buckets->parts.sorted[buckets->task_count++] = (uint32_t)(part - buckets->parts.entries);
	}
}

static int
compare_tasks(const void *a, const void *b, void *context)
{
	const struct gs_buckets *buckets = context;
	const size_t x = buckets->parts.entries[*(const uint32_t *)a].keys;
	const size_t y = buckets->parts.entries[*(const uint32_t *)b].keys;

	return (x < y) - (x > y);
}

/*
 * Divide all parts that are to be divided: by all threads together if a part would keep one thread
 * at work when the others are done, then the others side by side, the largest first.
 */
static void
divide_all(struct gs_buckets *buckets, unsigned threads)
{
	struct gs_bucket bucket[GS_BINS_AGAIN];
	uint32_t alone = 0;
	size_t keys = 0;

	for (uint32_t t = 0; t < buckets->task_count; t++)
		keys += buckets->parts.entries[buckets->parts.sorted[t]].keys;
	for (uint32_t t = 0; t < buckets->task_count; t++) {
		struct gs_part_entry *part = &buckets->parts.entries[buckets->parts.sorted[t]];

		if (!gs_way("bucket divided together", threads > 1 && part->keys > keys / (2 * threads) &&
		            part->keys * buckets->key_bytes > buckets->sizes.together_bytes)) {
			buckets->parts.sorted[alone++] = buckets->parts.sorted[t];
			continue;
		}
		if (!choose_binner(buckets, part, threads, &buckets->binner)) {
			gs_parts_add_equal(buckets, &part->parts, part);
			continue;
		}
		buckets->source = part->chain;
		part->chain = (struct gs_chain){ .blocks = 0 };
		collect(buckets, threads, bucket);
		join_small(buckets, bucket, buckets->binner.bins);
		list_buckets(buckets, &part->parts, bucket, part->least, part->most, part->level + 1, true);
	}
	buckets->task_count = alone;
	buckets->task_next = 0;
	qsort_r(buckets->parts.sorted, alone, sizeof(uint32_t), compare_tasks, buckets);
	if (alone > 0)
		gs_team_run(threads, divide_body, buckets);
	buckets->task_count = 0;
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

size_t
gs_buckets_seal(struct gs_buckets *buckets, unsigned threads)
{
	struct gs_buffered *buffered = &buckets->buffered;
	struct gs_part_list list = { .first = 0 };
	unsigned order;
	uint64_t keys;

	assert(buckets->state != GS_SEALED);
	threads = threads < buckets->sizes.threads ? threads : buckets->sizes.threads;
	for (unsigned t = 0; t < buckets->sizes.threads; t++)
		gs_adder_close_fragment(buckets, &buckets->threads[t]);
	if (buckets->state == GS_BUFFERING && buffered->fragment_count > 0) {
		struct gs_fragment *const fragments = buffered->fragments;
		const size_t count = buffered->fragment_count;
		struct gs_bucket all = { .keys = 0 };

		/* the orders in which all fragments, each in such an order, go on from each other */
		order = buffered->order;
		if (order != 0)
			qsort(fragments, count, sizeof *fragments, compare_fragments);
		for (size_t f = 1; f < count && order != 0; f++) {
			const uint64_t last = fragments[f - 1].last, first = fragments[f].first;

			order &= (first >= last ? GS_UP : 0) | (first <= last ? GS_DOWN : 0);
		}
		if (gs_way(order & GS_UP ? "keys in order" : "keys in reverse", order != 0)) {
			for (size_t f = 0; f < count; f++) {
				struct gs_fragment *fragment = &fragments[order & GS_UP ? f : count - 1 - f];

				gs_parts_add(buckets, &list, order & GS_UP ? GS_IN_ORDER : GS_REVERSED,
				             &fragment->chain, fragment->keys);
			}
		} else if (gs_way("few keys", buffered->bytes <=
		                              buffered->sample_bytes + buffered->fragment_bytes)) {
			for (size_t f = 0; f < count; f++) {	/* all are one part */
				all.keys += fragments[f].keys;
				gs_chain_join(buckets->pool, &all.chain, &fragments[f].chain);
			}
			gs_parts_add_bucket(buckets, &list, &all, false);
		} else {
			gs_adder_begin_scatter(buckets);
		}
	}
	if (buckets->state == GS_SCATTER) {
		collect(buckets, threads, buckets->bucket);
		list_buckets(buckets, &list, buckets->bucket, 0, UINT64_MAX >> (64 - buckets->key_bits), 0,
		             false);
		divide_all(buckets, threads);
	}
	keys = gs_parts_number(buckets, &list);
	assert(keys == gs_buckets_count(buckets));
	(void)keys;
	buckets->state = GS_SEALED;
	return buckets->parts.count;
}
