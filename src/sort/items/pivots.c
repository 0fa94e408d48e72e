// SPDX-License-Identifier: BSD-2-Clause
/* pivots.c - choose pivots by a sample, and find the bins of items between them */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sort/items/divide.h"
#include "sort/items/part.h"

/* Items of a sample for each pivot. */
enum { SAMPLE_OF_PIVOT = 8 };

/* Copies of pivots have at most these bytes together, unless one alone has more: they stay in a cache. */
#define MOST_BYTES	((size_t)256 << 10)

gs_status
gs_item_pivots_choose(struct gs_item_pivots *pivots, const struct gs_item_order *order,
                      unsigned level, const char *const *items, const uint32_t *bytes, size_t count,
                      size_t wanted)
{
	const size_t most = SAMPLE_OF_PIVOT * wanted, sorted = count < most ? count : most;
	size_t *picked = NULL, chosen = 0, total = 0, room, length, last_length = 0;
	const char *last = NULL;
	struct gs_item_part part;
	void *memory;
	gs_status status = gs_allocate(&memory, sorted, GS_ITEM_PART_BYTES, "items of a sample");

	assert(count > 0 && wanted > 0);
	THEN(status, GS_NEW(picked, wanted, "splitters"));
	if (status == GS_OK) {
		gs_item_part_init(&part, order, memory, sorted);
		for (size_t i = 0; i < sorted; i++) {
			const size_t at = count * i / sorted;

			part.items[i] = items[at];
			part.lengths[i] = bytes != NULL ? bytes[at] : (uint32_t)order->item_bytes;
			part.places[i] = (uint32_t)i;
		}
		part.count = sorted;
		part.in_place = true;
		gs_item_part_sort(&part, 8 * level);
		/* pick the places of pivots that all differ, evenly spaced in the sorted sample */
		for (size_t q = 0; q < wanted; q++) {
			const size_t at = (2 * q + 1) * sorted / (2 * wanted);
			const char *item = gs_item_part_at(&part, at, &length);

			if (last != NULL && (total + length > MOST_BYTES ||
			    gs_item_compare(order, level, last, last_length, item, length) == 0))
				continue;
			picked[chosen++] = at;
			total += length;
			last = item;
			last_length = length;
		}
		room = chosen * (sizeof *pivots->items + sizeof *pivots->bytes) + total;
		status = gs_arena_open(&pivots->arena, gs_arena_round(room), false);
	}
	if (status == GS_OK) {
		char *to;

		pivots->count = chosen;
		pivots->items = gs_arena_take(&pivots->arena, room);
		pivots->bytes = (uint32_t *)(pivots->items + chosen);
		to = (char *)(pivots->bytes + chosen);
		for (size_t i = 0; i < chosen; i++, to += length) {
			const char *item = gs_item_part_at(&part, picked[i], &length);

			pivots->items[i] = memcpy(to, item, length);
			pivots->bytes[i] = (uint32_t)length;
		}
	}
	free(memory);
	free(picked);
	return status;
}

void
gs_item_pivots_find(const struct gs_item_pivots *pivots, const struct gs_item_order *order,
                    unsigned level, const char *const *items, const uint32_t *bytes, size_t count,
                    uint16_t *found)
{
	for (size_t i = 0; i < count; i++) {
		size_t low = 0, high = pivots->count, equal = 0;

		while (low < high && equal == 0) {
			const size_t middle = low + (high - low) / 2;
			const int compared = gs_item_compare_whole(
				order, level, items[i], bytes != NULL ? bytes[i] : order->item_bytes,
				pivots->items[middle], pivots->bytes[middle]);

			if (compared < 0)
				high = middle;
			else
				low = middle + 1;
			equal = compared == 0;
		}
		found[i] = (uint16_t)(2 * low - equal);
	}
}
