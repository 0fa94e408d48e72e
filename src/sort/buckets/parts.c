// SPDX-License-Identifier: BSD-2-Clause
/*
 * parts.c - the parts of a sealed set of buckets; each is sorted on its way out
 *
 * In:   the list of parts.
 * Out:  the keys of each part, in order.
 *
 * The division of a part into bins reads its keys from their blocks, so collecting them costs no copy
 * of its own; then each bin, of about a leaf, is sorted to its place.  If the keys are few or uneven, the
 * first partition of a quicksort does the same.
 */
#include <assert.h>
#include <string.h>

#include "base/way.h"
#include "sort/buckets/buckets.h"
#include "sort/buckets/state.h"
#include "sort/cpu/keys.h"
#include "sort/cpu/quicksort.h"

struct gs_part
gs_buckets_part(const struct gs_buckets *buckets, size_t part)
{
	const struct gs_part_entry *entry = &buckets->parts.entries[buckets->parts.sorted[part]];

	assert(part < buckets->parts.count);
	return (struct gs_part){ entry->at, entry->keys };
}

/* --- keys that are in order ------------------------------------------------------ */

/* Copy the keys of a part's chain to INTO, block by block, from its end if they descend. */
static void
copy_chain(const struct gs_buckets *buckets, const struct gs_part_entry *part, char *into)
{
	const struct gs_pool *pool = buckets->pool;
	char *end = into + part->keys * buckets->key_bytes;

	for (uint32_t block = part->chain.head; block != 0; block = pool->block_table[block].next) {
		const uint32_t count = pool->block_table[block].count;
		const size_t bytes = (size_t)count * buckets->key_bytes;

		const char *from = gs_pool_block(pool, block);

		if (part->kind != GS_REVERSED) {
			memcpy(into, from, bytes);
			into += bytes;
			continue;
		}
		end -= bytes;
		if (buckets->key_bits == 32)
			for (size_t i = 0; i < count; i++)
				gs_key_put(end, 32, count - 1 - i, gs_key_at(from, 32, i));
		else
			for (size_t i = 0; i < count; i++)
				gs_key_put(end, 64, count - 1 - i, gs_key_at(from, 64, i));
	}
}

/* --- keys that are to be sorted --------------------------------------------------- */

/* How far ahead of a bin's place its lines are fetched, and how many: about a bin.  EPYC 9004, busy, least
 * of 100, all of u32 2^24 and u64 2^23: 72.0 and 55.9 ms without, 69.8 and 53.0 with it. */
enum { PREFETCH_BYTES = 1024 };

static void
prefetch_block(const struct gs_pool *pool, uint32_t block)
{
	if (block != 0)
		for (size_t at = 0; at < pool->block_bytes; at += 64)
			__builtin_prefetch((char *)gs_pool_block(pool, block) + at, 0, 2);
}

/* The keys of DISTRIBUTION's bins, in SCRATCH, counted or ONCE, are sorted into INTO. */
static void
sort_bins(const struct gs_distribution *distribution, bool once, char *into, char *scratch)
{
	const struct gs_simd_kernels *kernels = distribution->kernels;
	const size_t key_bytes = kernels->key_bits / 8;
	size_t at = 0;

	for (unsigned b = 0; b < distribution->binner.bins; b++) {
		const size_t begin = once ? gs_distribution_begin(distribution, b) : at;
		const size_t count = distribution->end[b] - begin;
		char *const to = into + at * key_bytes, *const from = scratch + begin * key_bytes;

		for (size_t line = 0; line < PREFETCH_BYTES; line += 64)
			__builtin_prefetch(to + PREFETCH_BYTES + line, 1, 3);
		if (count <= gs_quicksort_few(kernels))
			kernels->sort_leaf(to, from, count);
		else
			gs_quicksort(kernels, to, from, count, 0, UINT64_MAX >> (64 - kernels->key_bits));
		at += count;
	}
}

/* Scatter the keys of CHAIN to their bins in SCRATCH without counts; false: they are too uneven for that. */
static bool
scatter_once(const struct gs_pool *pool, struct gs_distribution *distribution, const struct gs_chain *chain,
             char *scratch)
{
	const bool fetched = gs_simd_fetches_first();	/* then the scatter fetches the next block */
	bool fit = true;

	prefetch_block(pool, chain->head);
	for (uint32_t block = chain->head, next; block != 0 && fit; block = next) {
		next = pool->block_table[block].next;
		if (!fetched)
			prefetch_block(pool, next);
		fit = gs_distribution_scatter_once(distribution, scratch, gs_pool_block(pool, block),
		                                   pool->block_table[block].count,
		                                   gs_pool_block(pool, next != 0 ? next : block));
	}
	return gs_distribution_end_once(distribution, fit);
}

/* Divide the COUNT keys of CHAIN into bins, and sort each of them into INTO, which takes the bin of each key
 * first, if keys are counted; false: the keys are too uneven. */
static __attribute__((noinline)) bool
distribute_chain(const struct gs_buckets *buckets, const struct gs_chain *chain, char *into,
                 char *scratch, size_t count)
{
	const struct gs_pool *pool = buckets->pool;
	struct gs_distribution distribution;
	uint64_t sample[GS_DISTRIBUTION_SAMPLE];
	uint16_t *bins = (uint16_t *)(void *)into;
	const size_t found = gs_chain_sample(pool, chain, buckets->key_bits, sample, GS_DISTRIBUTION_SAMPLE);

	if (!gs_distribution_choose(&distribution, buckets->kernels, sample, found, count,
	                            gs_sample_ordered(sample, buckets->key_bits, found)))
		return false;
	if (gs_distribution_begin_once(&distribution, count,
	                               buckets->sizes.part_bytes / buckets->key_bytes) &&
	    scatter_once(pool, &distribution, chain, scratch)) {
		sort_bins(&distribution, true, into, scratch);
		return true;
	}
	for (uint32_t block = chain->head, next, keys; block != 0; block = next, bins += keys) {
		keys = pool->block_table[block].count;
		next = pool->block_table[block].next;
		prefetch_block(pool, next);
		gs_distribution_count(&distribution, gs_pool_block(pool, block), keys, bins);
	}
	assert(bins == (uint16_t *)(void *)into + count);
	gs_distribution_place(&distribution);
	bins -= count;
	for (uint32_t block = chain->head, keys; block != 0;
	     block = pool->block_table[block].next, bins += keys) {
		keys = pool->block_table[block].count;
		gs_distribution_scatter(&distribution, scratch, gs_pool_block(pool, block), keys, bins,
		                        gs_pool_block(pool, block));
	}
	sort_bins(&distribution, false, into, scratch);
	return true;
}

/* Sort the COUNT keys of CHAIN into INTO. */
static void
sort_chain(const struct gs_buckets *buckets, const struct gs_chain *chain, char *into, char *scratch,
           size_t count)
{
	const struct gs_pool *pool = buckets->pool;
	const struct gs_simd_kernels *kernels = buckets->kernels;
	const uint64_t most = UINT64_MAX >> (64 - buckets->key_bits);
	uint64_t sample[GS_SAMPLE_KEYS], pivot = most;
	size_t low = 0, high = count, low_bytes;

	if (count > kernels->leaf_keys &&
	    gs_way("bins of a part", distribute_chain(buckets, chain, into, scratch, count)))
		return;
	if (count > kernels->leaf_keys)
		pivot = gs_sample_pivot(kernels, sample, gs_chain_sample(pool, chain,
		                        buckets->key_bits, sample, GS_SAMPLE_KEYS), most);
	for (uint32_t block = chain->head, next; block != 0; block = next) {
		next = pool->block_table[block].next;
		prefetch_block(pool, next);
		kernels->partition(scratch, &low, &high, gs_pool_block(pool, block),
		                   pool->block_table[block].count, pivot);
	}
	assert(low == high);
	if (pivot == most) {
		kernels->sort_leaf(into, scratch, count);
		return;
	}
	low_bytes = low * buckets->key_bytes;
	gs_quicksort(kernels, into, scratch, low, 0, pivot);
	gs_quicksort(kernels, into + low_bytes, scratch + low_bytes, count - low, pivot + 1, most);
}

void
gs_buckets_sort_part(struct gs_buckets *buckets, unsigned worker, size_t part, void *into, void *scratch)
{
	struct gs_part_entry *entry = &buckets->parts.entries[buckets->parts.sorted[part]];

	assert(part < buckets->parts.count && entry->keys > 0 && worker < buckets->sizes.threads);
	if (gs_way("equal keys", entry->kind == GS_EQUAL))
		gs_keys_fill(into, buckets->key_bits, entry->least, entry->keys);
	else if (entry->kind == GS_TO_SORT)
		sort_chain(buckets, &entry->chain, into, scratch, entry->keys);
	else
		copy_chain(buckets, entry, into);
	atomic_fetch_sub(&buckets->pool->stored_bytes, entry->keys * buckets->key_bytes);
	atomic_fetch_sub(&buckets->threads[worker].keys, entry->keys);
}
