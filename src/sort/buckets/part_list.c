// SPDX-License-Identifier: BSD-2-Clause
/*
 * part_list.c - lists of parts, made while a set of buckets is sealed
 *
 * In:   buckets in order, each small enough; fragments that ascend, or descend; keys that are equal.
 * Out:  the parts of all keys, in order.
 *
 * Small buckets that follow each other become one part.
 *
 * Invariant: no part is larger than part_bytes; each key of a part is at least each key of the
 * parts before it in the list.
 */
#include <assert.h>

#include "sort/buckets/part_list.h"

void
gs_parts_add(struct gs_buckets *buckets, struct gs_part_list *list, enum gs_part_kind kind,
             uint64_t key, struct gs_chain *chain, size_t keys)
{
	const uint32_t number = ++buckets->part_count;
	struct gs_part_entry *part = &buckets->parts[number - 1];

	assert(number <= buckets->part_room && keys * buckets->key_bytes <= buckets->part_bytes);
	*part = (struct gs_part_entry){ .keys = keys, .kind = kind, .key = key, .chain = *chain };
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
joins(const struct gs_buckets *buckets, const struct gs_part_list *list, const struct gs_bucket *bucket)
{
	return list->joining && (buckets->parts[list->last - 1].keys + bucket->keys) *
	                        buckets->key_bytes <= buckets->join_bytes;
}

void
gs_parts_add_bucket(struct gs_buckets *buckets, struct gs_part_list *list, struct gs_bucket *bucket,
                    bool compact)
{
	if (bucket->keys == 0)
		return;
	if (joins(buckets, list, bucket)) {
		struct gs_part_entry *part = &buckets->parts[list->last - 1];

		gs_chain_join(buckets->pool, &part->chain, &bucket->chain);
		part->keys += bucket->keys;
		if (compact)
			gs_chain_compact(buckets->pool, &part->chain, buckets->key_bytes);
	} else {
		gs_parts_add(buckets, list, GS_TO_SORT, 0, &bucket->chain, bucket->keys);
	}
}

void
gs_parts_add_equal(struct gs_buckets *buckets, struct gs_part_list *list, struct gs_bucket *bucket,
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
gs_parts_add_row(struct gs_buckets *buckets, struct gs_part_list *list, struct gs_bucket *bucket,
                 unsigned count, bool compact)
{
	for (unsigned b = 0; b < count; b++) {
		const struct gs_part_list *parts = &bucket[b].parts;

		if (parts->first == 0) {
			gs_parts_add_bucket(buckets, list, &bucket[b], compact);
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
gs_parts_number(struct gs_buckets *buckets, const struct gs_part_list *list)
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
