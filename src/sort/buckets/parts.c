// SPDX-License-Identifier: BSD-2-Clause
/*
 * parts.c - the list of parts; each is sorted on its way out
 *
 * In:   buckets in order, each small enough; pieces that go up, or down; keys that are equal.
 * Out:  parts of all keys in order, each sorted when it is asked for.
 *
 * Small buckets that follow each other are one part.  The first halving of a part reads it
 * from its blocks, so leaving them costs no copy of its own.
 *
 * Invariant: no part is larger than the sorter's memory; each key of a part is at least each
 * of those before it in the list.
 */
#include <assert.h>
#include <string.h>

#include "sort/buckets/inside.h"

#define LEAF_KEYS	(LEAF_BYTES / sizeof(KEY))

#define NAME3(a, b)	a##_##b
#define NAME2(a, b)	NAME3(a, b)
#define NAME(what)	NAME2(what, BITS)

#define BITS 32
#define KEY uint32_t
#include "sort/cpu/quicksort.inc"
#include "sort/buckets/parts.inc"
#undef BITS
#undef KEY

#define BITS 64
#define KEY uint64_t
#include "sort/cpu/quicksort.inc"
#include "sort/buckets/parts.inc"
#undef BITS
#undef KEY

void
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

/* Does a bucket fit into the last part? */
static bool
joins(const struct gs_buckets *buckets, const struct gs_parts *list, const struct gs_bucket *bucket)
{
	return list->joining && (buckets->parts[list->last - 1].keys + bucket->keys) *
	                        buckets->key_bytes <= buckets->join_bytes;
}

void
gs_parts_add_bucket(struct gs_buckets *buckets, struct gs_parts *list, struct gs_bucket *bucket,
                    bool again)
{
	if (bucket->keys == 0)
		return;
	if (joins(buckets, list, bucket)) {
		struct gs_listed *part = &buckets->parts[list->last - 1];

		gs_chain_join(buckets->pool, &part->chain, &bucket->chain);
		part->keys += bucket->keys;
		if (again)
			gs_chain_compact(buckets->pool, &part->chain, buckets->key_bytes);
	} else {
		gs_parts_add(buckets, list, GS_TO_SORT, 0, &bucket->chain, bucket->keys);
	}
}

void
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

void
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

uint64_t
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

struct gs_part
gs_buckets_part(const struct gs_buckets *buckets, size_t part)
{
	assert(part < buckets->part_count);
	return (struct gs_part){ buckets->parts[buckets->sorted[part]].at,
	                         buckets->parts[buckets->sorted[part]].keys };
}

/* --- out of it -------------------------------------------------------------------- */

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
	} else if (which->kind == GS_TO_SORT && gs_simd_kernel_sets[buckets->simd].halve_32 != NULL) {
		buckets->out->sort_chain(buckets->pool, &which->chain, &gs_simd_kernel_sets[buckets->simd],
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
