// SPDX-License-Identifier: BSD-2-Clause
/*
 * parts.c - the parts of a sealed set of buckets; each is sorted on its way out
 *
 * In:   the list of parts.
 * Out:  the keys of each part, in order.
 *
 * The first partition of a part reads its keys from their blocks, so collecting them costs no copy
 * of its own; then a quicksort sorts both halves.
 */
#include <assert.h>
#include <string.h>

#include "sort/buckets/parts.h"
#include "sort/buckets/state.h"
#include "sort/cpu/quicksort.h"
#include "sort/keys.h"

struct gs_part
gs_buckets_part(const struct gs_buckets *buckets, size_t part)
{
	const struct gs_part_entry *entry = &buckets->parts[buckets->sorted[part]];

	assert(part < buckets->part_count);
	return (struct gs_part){ entry->at, entry->keys };
}

/* --- keys that are in order ------------------------------------------------------ */

static void
reverse(char *into, const char *from, size_t key_bytes, size_t count)
{
	if (key_bytes == sizeof(uint32_t))
		for (size_t i = 0; i < count; i++)
			gs_key_put(into, 32, count - 1 - i, gs_key_at(from, 32, i));
	else
		for (size_t i = 0; i < count; i++)
			gs_key_put(into, 64, count - 1 - i, gs_key_at(from, 64, i));
}

/* Copy the keys of a part's chain to INTO, block by block, from its end if they descend. */
static void
copy_chain(const struct gs_buckets *buckets, const struct gs_part_entry *part, char *into)
{
	const struct gs_pool *pool = buckets->pool;
	char *end = into + part->keys * buckets->key_bytes;

	for (uint32_t block = part->chain.head; block != 0; block = pool->block_table[block].next) {
		const uint32_t count = pool->block_table[block].count;
		const size_t bytes = (size_t)count * buckets->key_bytes;

		if (part->kind == GS_REVERSED) {
			end -= bytes;
			reverse(end, gs_pool_block(pool, block), buckets->key_bytes, count);
		} else {
			memcpy(into, gs_pool_block(pool, block), bytes);
			into += bytes;
		}
	}
}

/* --- keys that are to be sorted --------------------------------------------------- */

/* A key that is at least about half of the keys of CHAIN, but less than MOST. */
static uint64_t
pivot_of(const struct gs_buckets *buckets, const struct gs_chain *chain, uint64_t most)
{
	const struct gs_pool *pool = buckets->pool;
	const size_t each = chain->blocks < GS_SAMPLE_KEYS ? GS_SAMPLE_KEYS / chain->blocks : 1;
	const size_t step = (chain->blocks + GS_SAMPLE_KEYS - 1) / GS_SAMPLE_KEYS;
	uint64_t sample[GS_SAMPLE_KEYS];
	size_t at = 0, found = 0;

	for (uint32_t block = chain->head; block != 0; block = pool->block_table[block].next) {
		const uint32_t count = pool->block_table[block].count;

		for (size_t s = 0; at % step == 0 && s < each && s < count; s++)
			gs_key_put(sample, buckets->key_bits, found++,
			           gs_key_at(gs_pool_block(pool, block), buckets->key_bits,
			                     s * count / each));
		at++;
	}
	return gs_sample_pivot(buckets->kernels, sample, found, most);
}

/* Sort the COUNT keys of CHAIN into INTO. */
static void
sort_chain(const struct gs_buckets *buckets, const struct gs_chain *chain, char *into, char *scratch,
           size_t count)
{
	const struct gs_pool *pool = buckets->pool;
	const struct gs_simd_kernels *kernels = buckets->kernels;
	const uint64_t most = UINT64_MAX >> (64 - buckets->key_bits);
	const bool is_leaf = count <= kernels->leaf_keys;
	const uint64_t pivot = is_leaf ? most : pivot_of(buckets, chain, most);
	size_t low = 0, high = count, low_bytes;

	for (uint32_t block = chain->head, next; block != 0; block = next) {
		next = pool->block_table[block].next;
		if (next != 0)
			for (size_t at = 0; at < pool->block_bytes; at += 64)
				__builtin_prefetch((char *)gs_pool_block(pool, next) + at, 0, 2);
		kernels->partition(scratch, &low, &high, gs_pool_block(pool, block),
		                   pool->block_table[block].count, pivot);
	}
	assert(low == high);
	if (is_leaf) {
		kernels->sort_leaf(into, scratch, count);
		return;
	}
	low_bytes = low * buckets->key_bytes;
	gs_quicksort(kernels, into, scratch, low, 0, pivot);
	gs_quicksort(kernels, into + low_bytes, scratch + low_bytes, count - low, pivot + 1, most);
}

void
gs_buckets_sort_part(struct gs_buckets *buckets, unsigned rank, size_t part, void *into,
                     void *scratch)
{
	struct gs_part_entry *entry = &buckets->parts[buckets->sorted[part]];

	assert(part < buckets->part_count && entry->keys > 0 && rank < buckets->thread_count);
	if (entry->kind == GS_EQUAL)
		gs_keys_fill(into, buckets->key_bits, entry->key, entry->keys);
	else if (entry->kind == GS_TO_SORT)
		sort_chain(buckets, &entry->chain, into, scratch, entry->keys);
	else
		copy_chain(buckets, entry, into);
	if (entry->kind != GS_EQUAL)
		gs_pool_give(buckets->pool, &entry->chain);
	atomic_fetch_sub(&buckets->pool->stored_bytes, entry->keys * buckets->key_bytes);
	atomic_fetch_sub(&buckets->threads[rank].keys, entry->keys);
	entry->keys = 0;
}
