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

#include "sort/buckets/state.h"

struct gs_part_entry *
gs_parts_add(struct gs_buckets *buckets, struct gs_part_list *list, enum gs_part_kind kind,
             struct gs_chain *chain, size_t keys)
{
	const uint32_t number = ++buckets->parts.entry_count;
	struct gs_part_entry *part = &buckets->parts.entries[number - 1];

	assert(number <= buckets->parts.room);
	assert(kind == GS_TO_DIVIDE || keys * buckets->key_bytes <= buckets->sizes.part_bytes);
	*part = (struct gs_part_entry){ .keys = keys, .kind = kind, .chain = *chain };
	if (list->first == 0)
		list->first = number;
	else
		buckets->parts.entries[list->last - 1].next = number;
	list->last = number;
	list->joining = kind == GS_TO_SORT;
	*chain = (struct gs_chain){ .blocks = 0 };
	return part;
}

void
gs_parts_add_bucket(struct gs_buckets *buckets, struct gs_part_list *list, struct gs_bucket *bucket,
                    bool compact)
{
	struct gs_part_entry *part = list->joining ? &buckets->parts.entries[list->last - 1] : NULL;

	if (bucket->keys == 0)
		return;
	if (part != NULL && (part->keys + bucket->keys) * buckets->key_bytes <= buckets->join_bytes) {
		gs_chain_join(buckets->pool, &part->chain, &bucket->chain);
		part->keys += bucket->keys;
		if (compact)
			gs_chain_compact(buckets->pool, &part->chain, buckets->key_bytes);
	} else {
		gs_parts_add(buckets, list, GS_TO_SORT, &bucket->chain, bucket->keys);
	}
}

void
gs_parts_add_equal(struct gs_buckets *buckets, struct gs_part_list *list, struct gs_part_entry *part)
{
	const size_t most = buckets->sizes.part_bytes / buckets->key_bytes;
	struct gs_chain none = { .blocks = 0 };

	gs_pool_give(buckets->pool, &part->chain);
	for (size_t left = part->keys, keys; left > 0; left -= keys) {
		keys = left < most ? left : most;
		gs_parts_add(buckets, list, GS_EQUAL, &none, keys)->least = part->least;
	}
}

uint64_t
gs_parts_number(struct gs_buckets *buckets, const struct gs_part_list *list)
{
	struct gs_part_entry *parts = buckets->parts.entries;
	uint32_t count = 0;
	uint64_t at = 0;

	for (uint32_t number = list->first, next; number != 0; number = next) {
		struct gs_part_entry *part = &parts[number - 1];

		next = part->next;
		if (part->kind == GS_TO_DIVIDE) {	/* it has keys, so its list has parts */
			parts[part->parts.last - 1].next = part->next;
			next = part->parts.first;
			continue;
		}
		buckets->parts.sorted[count++] = number - 1;
		part->at = at;
		at += part->keys;
	}
	buckets->parts.count = count;
	return at;
}
