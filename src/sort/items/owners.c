// SPDX-License-Identifier: BSD-2-Clause
/*
 * owners.c - which of several owners an item belongs to
 *
 * In:   a sample; items.
 * Out:  splitters; the owner of each item.
 *
 * A row is the words of an item of the sample, and its origin.
 */
#include <stdlib.h>
#include <string.h>

#include "sort/cpu/keys.h"
#include "sort/items/divide.h"
#include "sort/items/items.h"

enum { ROW_WORDS = GS_ITEM_OWNER_LEVELS + 1 };

struct rows {
	uint64_t (*list)[ROW_WORDS];
	size_t   count, room;
	unsigned levels;	/* that any item needs, so far */
	bool     whole;		/* they are all words of all items */
};

/* ---- the sample --------------------------------------------------------------------- */

static gs_status
add_slices(struct rows *rows, const struct gs_item_order *order,
           const struct gs_item_slice *sample, size_t origins)
{
	const char *items[GS_ITEM_BATCH];
	uint32_t bytes[GS_ITEM_BATCH];
	size_t count;

	for (size_t o = 0; o < origins; o++) {
		struct gs_item_walk walk = gs_item_walk_begin(order, &sample[o], 1);

		while ((count = gs_item_walk_next(&walk, items, bytes, GS_ITEM_BATCH)) > 0) {
			uint64_t words[GS_ITEM_BATCH];
			bool more = true;

			TRY(GS_GROW(rows->list, &rows->room, rows->count + count, "items of a sample"));
			for (unsigned level = 0; level < GS_ITEM_OWNER_LEVELS; level++) {
				if (more) {
					more = order->words(order->context, items, bytes, count, 8 * level,
					                    words);
					rows->levels = level + 1 > rows->levels ? level + 1 : rows->levels;
				} else {
					memset(words, 0, sizeof words);
				}
				for (size_t i = 0; i < count; i++)
					rows->list[rows->count + i][level] = words[i];
			}
			rows->whole &= !more;
			for (size_t i = 0; i < count; i++)
				rows->list[rows->count + i][GS_ITEM_OWNER_LEVELS] = o;
			rows->count += count;
		}
	}
	return GS_OK;
}

static int
compare_rows(const void *one, const void *other)
{
	const uint64_t *a = one, *b = other;

	for (unsigned w = 0; w < ROW_WORDS; w++)
		if (a[w] != b[w])
			return a[w] < b[w] ? -1 : 1;
	return 0;
}

/* ---- splitters -------------------------------------------------------------------------- */

gs_status
gs_item_owners_make(struct gs_item_owners *owners, const struct gs_item_order *order,
                    const struct gs_item_slice *sample, size_t origins, unsigned count,
                    bool together)
{
	struct rows rows = { .whole = true };
	gs_status status;

	*owners = (struct gs_item_owners){ .order = order, .owners = count };
	status = add_slices(&rows, order, sample, origins);
	owners->count = rows.count > 0 ? count - 1 : 0;
	owners->levels = rows.levels;
	THEN(status, GS_NEW(owners->words, (size_t)owners->count * owners->levels, "words of splitters"));
	THEN(status, GS_NEW(owners->origins, owners->count, "splitters"));
	if (rows.count > 0)
		qsort(rows.list, rows.count, sizeof *rows.list, compare_rows);
	for (unsigned s = 0; status == GS_OK && s < owners->count; s++) {
		const uint64_t *row = rows.list[rows.count * (s + 1) / count];

		for (unsigned level = 0; level < owners->levels; level++)
			owners->words[level * owners->count + s] = row[level];
		if (!together && rows.whole && order->compare == NULL)
			owners->origins[s] = row[GS_ITEM_OWNER_LEVELS];
	}
	free(rows.list);
	return status;
}

void
gs_item_owners_close(struct gs_item_owners *owners)
{
	free(owners->words);
	free(owners->origins);
	*owners = (struct gs_item_owners){ .count = 0 };
}

/* ---- finding ------------------------------------------------------------------------------ */

/* Items that are equal to the splitters LOW .. HIGH, as far as is known. */
struct open {
	const char *items[GS_ITEM_BATCH];
	uint32_t    bytes[GS_ITEM_BATCH];
	uint16_t    places[GS_ITEM_BATCH];	/* in the batch */
	uint16_t    low[GS_ITEM_BATCH], high[GS_ITEM_BATCH];
	size_t      count;
};

void
gs_item_owners_find(const struct gs_item_owners *owners, unsigned origin,
                    const char *const *items, const uint32_t *bytes, size_t count, uint16_t *found)
{
	struct open open = { .count = owners->count > 0 ? count : 0 };

	if (owners->count == 0)
		memset(found, 0, count * sizeof *found);
	memcpy(open.items, items, open.count * sizeof *items);
	if (bytes != NULL)
		memcpy(open.bytes, bytes, open.count * sizeof *bytes);
	for (size_t i = 0; i < open.count; i++) {
		open.places[i] = (uint16_t)i;
		open.low[i] = 0;
		open.high[i] = (uint16_t)owners->count;
	}
	/* compare by one more word; keep the items that are still equal to a splitter */
	for (unsigned level = 0; level < owners->levels && open.count > 0; level++) {
		const uint64_t *splitters = owners->words + (size_t)level * owners->count;
		uint64_t words[GS_ITEM_BATCH];
		size_t kept = 0;

		(void)owners->order->words(owners->order->context, open.items, open.bytes, open.count,
		                           8 * level, words);
		for (size_t i = 0; i < open.count; i++) {
			const size_t high = open.high[i];
			const size_t at = gs_keys_from(splitters, 64, open.low[i], high, words[i]);

			if (at == high || splitters[at] != words[i]) {
				found[open.places[i]] = (uint16_t)at;
				continue;
			}
			open.items[kept] = open.items[i];
			open.bytes[kept] = open.bytes[i];
			open.places[kept] = open.places[i];
			open.low[kept] = (uint16_t)at;
			open.high[kept++] = (uint16_t)gs_keys_above(splitters, 64, at, high, words[i]);
		}
		open.count = kept;
	}
	for (size_t i = 0; i < open.count; i++)
		found[open.places[i]] = (uint16_t)gs_keys_above(owners->origins, 64, open.low[i],
		                                                open.high[i], origin);
}
