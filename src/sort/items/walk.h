// SPDX-License-Identifier: BSD-2-Clause
/* walk.h - the items of some slices, a batch at a time; and to copy an item */
#ifndef GS_ITEM_WALK_H
#define GS_ITEM_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sort/items/items.h"

/* Where a walk is. */
struct gs_item_walk {
	const struct gs_item_order *order;
	const struct gs_item_slice *slices;
	size_t      slice_count;
	const char *at, *end;	/* of the current slice */
};

static inline struct gs_item_walk
gs_item_walk_begin(const struct gs_item_order *order, const struct gs_item_slice *slices,
                   size_t count)
{
	return (struct gs_item_walk){ order, slices, count, NULL, NULL };
}

/** The next items of the current slice, all of ITEM_BYTES. */
static inline size_t
gs_item_walk_fixed(struct gs_item_walk *walk, const char **items, size_t item_bytes, size_t room)
{
	const char *at = walk->at, *end = walk->end;
	size_t count = 0;

	for (; at < end && count < room; at += item_bytes)
		items[count++] = at;
	walk->at = at;
	return count;
}

/* Slices that are loaded before they are walked, and bytes of each: those of a part are short, and lie all
 * over the memory. */
enum { GS_ITEM_WALK_AHEAD = 2, GS_ITEM_WALK_AHEAD_BYTES = 2048 };

static inline __attribute__((always_inline)) void	/* a call without effects would be dropped */
gs_item_walk_prefetch(const struct gs_item_walk *walk)
{
	const struct gs_item_slice *slice = walk->slices + GS_ITEM_WALK_AHEAD;

	if (walk->slice_count <= GS_ITEM_WALK_AHEAD)
		return;
	for (size_t at = 0; at < slice->bytes && at < GS_ITEM_WALK_AHEAD_BYTES; at += 64)
		__builtin_prefetch(slice->data + at);
}

/** Go to the next items, ROOM at most: set ITEMS and, unless they have a fixed length, BYTES.
 *  Returns how many; 0 at the end. */
static inline size_t
gs_item_walk_next(struct gs_item_walk *walk, const char **items, uint32_t *bytes, size_t room)
{
	const size_t item_bytes = walk->order->item_bytes;
	size_t count = 0;

	while (count < room) {
		if (walk->at == walk->end) {
			if (walk->slice_count == 0)
				break;
			walk->at = walk->slices->data;
			walk->end = walk->at + walk->slices->bytes;
			if (item_bytes == 0)
				gs_item_walk_prefetch(walk);
			walk->slices++;
			walk->slice_count--;
			continue;
		}
		if (walk->order->split != NULL) {
			count += walk->order->split(walk->order->context, &walk->at, walk->end,
			                            items + count, bytes + count, room - count);
			continue;
		}
		if (item_bytes > 0) {
			count += gs_item_walk_fixed(walk, items + count, item_bytes, room - count);
			continue;
		}
		items[count] = walk->at;
		bytes[count] = (uint32_t)gs_item_length(walk->order, walk->at, walk->end);
		walk->at += bytes[count++];
	}
	return count;
}

/** Copy BYTES that do not overlap.  Items are short: a call of memcpy(3) takes as long as a copy. */
static inline void
gs_item_copy(char *to, const char *from, size_t bytes)
{
	if (bytes < 16 || bytes > 256) {
		memcpy(to, from, bytes);
		return;
	}
	for (size_t at = 0; at + 16 <= bytes; at += 16)
		memcpy(to + at, from + at, 16);
	if (bytes % 16 > 0)
		memcpy(to + bytes - 16, from + bytes - 16, 16);
}

#endif
