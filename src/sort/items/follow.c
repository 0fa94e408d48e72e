// SPDX-License-Identifier: BSD-2-Clause
/*
 * follow.c - are items in order?
 *
 * In:   items, in slices.
 * Out:  the first one that is less than the one before.
 *
 * The first words of a batch are loaded together; only where two are equal the rest is compared.
 */
#include <stdlib.h>
#include <string.h>

#include "sort/items/follow.h"
#include "sort/items/walk.h"

/* A batch, behind the last item of the one before. */
struct batch {
	const char *items[GS_ITEM_BATCH + 1];
	uint32_t    bytes[GS_ITEM_BATCH + 1];
	uint64_t    words[GS_ITEM_BATCH + 1];
};

static size_t
length(const struct gs_item_follow *follow, const struct batch *batch, size_t at)
{
	return follow->order->item_bytes > 0 ? follow->order->item_bytes : batch->bytes[at];
}

/* Compare item AT with the one before; true: go on. */
static bool
follow_item(struct gs_item_follow *follow, const struct batch *batch, size_t at, bool more)
{
	int compared = 1;

	if (batch->words[at] < batch->words[at - 1])
		compared = -1;
	else if (batch->words[at] == batch->words[at - 1])
		compared = !more && follow->order->compare == NULL ? 0
		           : gs_item_compare(follow->order, 1, batch->items[at],
		                             length(follow, batch, at), batch->items[at - 1],
		                             length(follow, batch, at - 1));
	follow->breaks += compared < 0;
	follow->duplicates += compared == 0;
	return follow->counts_breaks || (compared >= 0 && !(follow->strict && compared == 0));
}

static bool
keep_last(struct gs_item_follow *follow, const char *item, size_t bytes)
{
	if (follow->last_room < bytes) {
		free(follow->last);
		follow->last_room = 2 * bytes;
		follow->last = malloc(follow->last_room);
		if (follow->last == NULL)
			return false;
	}
	memcpy(follow->last, item, bytes);
	follow->last_bytes = bytes;
	follow->any = true;
	return true;
}

size_t
gs_items_follow(struct gs_item_follow *follow, const struct gs_item_slice *slice)
{
	const struct gs_item_order *order = follow->order;
	struct gs_item_walk walk = gs_item_walk_begin(order, slice, 1);
	struct batch batch;
	size_t have = follow->any, count;
	bool more;

	batch.items[0] = follow->last;
	batch.bytes[0] = (uint32_t)follow->last_bytes;
	while ((count = gs_item_walk_next(&walk, batch.items + have, batch.bytes + have,
	                                  GS_ITEM_BATCH)) > 0) {
		count += have;
		more = order->words(order->context, batch.items,
		                    order->item_bytes > 0 ? NULL : batch.bytes, count, 0, batch.words);
		follow->items += have == 0;
		for (size_t i = 1; i < count; i++, follow->items++)
			if (!follow_item(follow, &batch, i, more))
				return (size_t)(batch.items[i] - slice->data);
		batch.items[0] = batch.items[count - 1];
		batch.bytes[0] = batch.bytes[count - 1];
		have = 1;
	}
	if (have > 0 && batch.items[0] != follow->last &&
	    !keep_last(follow, batch.items[0], length(follow, &batch, 0)))
		return SIZE_MAX;
	return slice->bytes;
}

void
gs_items_follow_close(struct gs_item_follow *follow)
{
	free(follow->last);
	*follow = (struct gs_item_follow){ .order = NULL };
}
