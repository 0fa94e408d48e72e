// SPDX-License-Identifier: BSD-2-Clause
/*
 * follow.c - are elements in order, and if not, where?
 *
 * In:   ordered bits or items, a stretch at a time.
 * Out:  the first one that is less than the one before it, or how many such there are.
 *
 * A block of keys is compared with the same block one key further on, by vector instructions.
 * Only a block with a key out of order is searched key by key.  The first words of a batch of items
 * are loaded together; only where two are equal is the rest compared.
 */
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/team.h"
#include "sort/cpu/keys.h"
#include "sort/follow.h"
#include "sort/span.h"

enum {
	BLOCK_KEYS = 4096,	/* stays in the first-level cache for a second look; not tuned */
	TEAM_KEYS  = 1 << 16,	/* as in key/raw.c */
};

/* ---- stretches ---------------------------------------------------------- */

/* Keys that one team compares. */
struct stretch {
	unsigned               bits;
	bool                   strict;
	const void            *keys;
	size_t                 count;
	atomic_size_t          first;
	_Atomic uint64_t       breaks, duplicates;
};

/* Block B of a stretch, without its very first key; returns where it ends. */
static size_t
block_of(const struct stretch *stretch, size_t b, size_t *begin)
{
	*begin = b > 0 ? b * BLOCK_KEYS : 1;
	return stretch->count - b * BLOCK_KEYS < BLOCK_KEYS ? stretch->count : (b + 1) * BLOCK_KEYS;
}

static void
find_first(void *context, size_t b)
{
	struct stretch *stretch = context;
	const unsigned bits = stretch->bits;
	size_t begin, end = block_of(stretch, b, &begin);

	if (begin >= atomic_load(&stretch->first) ||
	    gs_keys_in_order(stretch->keys, bits, begin, end,
	                     stretch->strict ? GS_STRICTLY_ASCENDING : GS_ASCENDING))
		return;
	for (; begin < end; begin++) {
		const uint64_t before = gs_key_at(stretch->keys, bits, begin - 1);
		const uint64_t key = gs_key_at(stretch->keys, bits, begin);

		if (key < before || (stretch->strict && key == before))
			break;
	}
	gs_team_least(&stretch->first, begin);
}

static void
count_breaks(void *context, size_t b)
{
	struct stretch *stretch = context;
	const unsigned bits = stretch->bits;
	size_t begin, end = block_of(stretch, b, &begin);
	uint64_t breaks = 0, duplicates = 0;

	if (gs_keys_in_order(stretch->keys, bits, begin, end, GS_STRICTLY_ASCENDING))
		return;
	for (size_t i = begin; i < end; i++) {
		breaks += gs_key_at(stretch->keys, bits, i) < gs_key_at(stretch->keys, bits, i - 1);
		duplicates += gs_key_at(stretch->keys, bits, i) == gs_key_at(stretch->keys, bits, i - 1);
	}
	atomic_fetch_add(&stretch->breaks, breaks);
	atomic_fetch_add(&stretch->duplicates, duplicates);
}

/* ---- elements --------------------------------------------------------------- */

/* Note whether the next element is LESS than the one before or EQUAL to it.  False: it is out of order. */
static inline bool
note(struct gs_follow *follow, bool less, bool equal)
{
	follow->breaks += less;
	follow->duplicates += equal;
	follow->disorder = !follow->counts_breaks && (less || (follow->strict && equal));
	return !follow->disorder;
}

size_t
gs_follow_keys(struct gs_follow *follow, unsigned class, const void *keys, size_t count)
{
	const unsigned bits = follow->key_bits > 0 ? follow->key_bits : 64;
	const bool same = class == follow->last_class;
	const uint64_t key = count > 0 ? gs_key_at(keys, bits, 0) : 0;
	struct stretch stretch = { .bits = bits, .strict = follow->strict, .keys = keys, .count = count,
	                           .first = count };
	size_t first;

	if (count == 0)
		return 0;
	if (follow->any && !note(follow, same ? key < follow->last : class < follow->last_class,
	                         same && key == follow->last))
		return 0;
	gs_team_each(count >= TEAM_KEYS ? follow->threads : 1,
	             (count + BLOCK_KEYS - 1) / BLOCK_KEYS, follow->counts_breaks ? count_breaks : find_first,
	             &stretch);
	follow->breaks += stretch.breaks;
	follow->duplicates += stretch.duplicates;
	first = stretch.first;		/* COUNT: no other is out of order, or they are only counted */
	if (first < count)
		note(follow, gs_key_at(keys, bits, first) < gs_key_at(keys, bits, first - 1),
		     gs_key_at(keys, bits, first) == gs_key_at(keys, bits, first - 1));
	follow->elements += first;
	follow->any = true;
	follow->last_class = class;
	follow->last = gs_key_at(keys, bits, count - 1);
	return first;
}

/* ---- items -------------------------------------------------------------------- */

size_t
gs_follow_batch(struct gs_follow *follow, struct gs_item_batch *batch)
{
	const struct gs_item_order *order = follow->order;
	const uint64_t *words = batch->words;
	const size_t count = batch->count;
	size_t last_bytes;
	int difference = 1;

	if (count == 0)
		return 0;
	if (follow->any)
		difference = gs_item_compare_whole(order, 0, batch->items[0],
		                                   gs_item_batch_bytes(order, batch, 0), follow->item.data,
		                                   follow->item.bytes);
	if (!note(follow, difference < 0, difference == 0))
		return 0;
	for (size_t i = 1; i < count; i++) {
		if (words[i] > words[i - 1])
			continue;
		difference = words[i] < words[i - 1] ? -1
		             : gs_item_batch_compare(order, batch, i, batch, i - 1);
		if (!note(follow, difference < 0, difference == 0)) {
			follow->elements += i;
			return i;
		}
	}
	follow->elements += count;
	last_bytes = gs_item_batch_bytes(order, batch, count - 1);
	if (GS_GROW(follow->item.data, &follow->item.room, last_bytes, "bytes of an item") != GS_OK)
		return SIZE_MAX;
	memcpy(follow->item.data, batch->items[count - 1], last_bytes);
	follow->item.bytes = last_bytes;
	follow->any = true;
	return count;
}

size_t
gs_follow_items(struct gs_follow *follow, const char **items, uint32_t *bytes, size_t count)
{
	uint64_t words[GS_ITEM_BATCH], nexts[GS_ITEM_BATCH];
	struct gs_item_batch batch = {
		.items = items, .bytes = bytes, .words = words, .nexts = nexts, .count = count,
	};

	assert(count <= GS_ITEM_BATCH);
	gs_item_batch_words(follow->order, &batch);
	return gs_follow_batch(follow, &batch);
}

size_t
gs_follow_slice(struct gs_follow *follow, const struct gs_item_slice *slice)
{
	struct gs_item_walk walk = gs_item_walk_begin(follow->order, slice, 1);
	const char *items[GS_ITEM_BATCH];
	uint32_t bytes[GS_ITEM_BATCH];
	size_t count;

	bytes[0] = 0;		/* for clang's analyzer, which forgets that all have the same length */
	while ((count = gs_item_walk_next(&walk, items, bytes, GS_ITEM_BATCH)) > 0) {
		const size_t first = gs_follow_items(follow, items, bytes, count);

		if (first != count)
			return first == SIZE_MAX ? SIZE_MAX : (size_t)(items[first] - slice->data);
	}
	return slice->bytes;
}

void
gs_follow_close(struct gs_follow *follow)
{
	free(follow->item.data);
	*follow = (struct gs_follow){ .order = NULL };
}
