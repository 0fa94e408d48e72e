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

/* Pick the places of pivots that all differ, evenly spaced in the sorted sample. */
static size_t
pick(const struct gs_item_part *part, unsigned level, size_t wanted, size_t *picked, size_t *total)
{
	size_t count = 0, bytes, last_bytes = 0;
	const char *last = NULL;

	*total = 0;
	for (size_t q = 0; q < wanted; q++) {
		const size_t at = (2 * q + 1) * part->count / (2 * wanted);
		const char *item = gs_item_part_at(part, at, &bytes);

		if (last != NULL && (*total + bytes > MOST_BYTES ||
		    gs_item_compare(part->order, level, last, last_bytes, item, bytes) == 0))
			continue;
		picked[count++] = at;
		*total += bytes;
		last = item;
		last_bytes = bytes;
	}
	return count;
}

static gs_status
copy(struct gs_item_pivots *pivots, const struct gs_item_part *part, const size_t *picked,
     size_t count, size_t total)
{
	const size_t bytes_of_all = count * (sizeof *pivots->items + sizeof *pivots->bytes) + total;
	char *to;

	TRY(gs_arena_open(&pivots->arena, gs_arena_round(bytes_of_all), false));
	pivots->count = count;
	pivots->items = gs_arena_take(&pivots->arena, bytes_of_all);
	pivots->bytes = (uint32_t *)(pivots->items + count);
	to = (char *)(pivots->bytes + count);
	for (size_t i = 0; i < count; i++) {
		size_t bytes;
		const char *item = gs_item_part_at(part, picked[i], &bytes);

		memcpy(to, item, bytes);
		pivots->items[i] = to;
		pivots->bytes[i] = (uint32_t)bytes;
		to += bytes;
	}
	return GS_OK;
}

gs_status
gs_item_pivots_choose(struct gs_item_pivots *pivots, const struct gs_item_order *order,
                      unsigned level, const char *const *items, const uint32_t *bytes, size_t count,
                      size_t wanted)
{
	const size_t most = SAMPLE_OF_PIVOT * wanted, sorted = count < most ? count : most;
	struct gs_item_part part;
	size_t *picked = NULL, total;
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
		wanted = pick(&part, level, wanted, picked, &total);
		status = copy(pivots, &part, picked, wanted, total);
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
