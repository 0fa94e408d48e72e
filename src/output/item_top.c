// SPDX-License-Identifier: BSD-2-Clause
/*
 * item_top.c - the K most frequent items, each with its number of occurrences
 *
 * In:   sorted spans of complete groups, each by its first item.
 * Out:  the K most frequent ones, the most frequent first, for another sink.
 *
 * Groups arrive in order, so the numbers of equally frequent groups are in the same order.  The heap of
 * top.c has the numbers.  Each number has a slot with a copy of the group's item; a more frequent group
 * takes over the slot.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/round.h"
#include "output/top.h"

/* Copies of all items may have at most this share of memory, or so many bytes, and so many for each as a
 * small block of malloc(3) has.  Not tuned. */
enum { COPIES_SHARE = 16, LEAST_COPIES = 1 << 20, LEAST_COPY = 32 };

uint64_t
gs_item_top_bytes(uint64_t most, uint64_t input_bytes, uint64_t memory_bytes)
{
	const uint64_t items = gs_least(gs_least(most, input_bytes), UINT64_MAX / 256);
	const uint64_t blocks = LEAST_COPY * items;

	return items * (sizeof(struct gs_group) + sizeof(struct gs_bytes)) + blocks + gs_least(input_bytes,
	       gs_within(LEAST_COPIES + blocks, memory_bytes / COPIES_SHARE, UINT64_MAX) - blocks);
}

gs_status
gs_item_top_open(struct gs_item_top *top, const struct gs_item_order *order, uint64_t items,
                 uint64_t memory_bytes)
{
	const size_t most = (size_t)gs_least(gs_least(top->wanted, items), SIZE_MAX / 256);

	top->order = order;
	top->heap = (struct gs_top){ .most = most };
	TRY(GS_NEW(top->heap.groups, most, "most frequent values"));
	return gs_item_copies_open(&top->copies, most, memory_bytes);
}

/* ---- copies ------------------------------------------------------------------------ */

gs_status
gs_item_copies_open(struct gs_item_copies *copies, size_t count, uint64_t memory_bytes)
{
	*copies = (struct gs_item_copies){ .count = count };
	copies->most = gs_within(LEAST_COPIES + LEAST_COPY * count, memory_bytes / COPIES_SHARE, UINT64_MAX);
	return GS_NEW(copies->slots, count, "values");
}

gs_status
gs_item_copies_put(struct gs_item_copies *copies, size_t number, const char *item, size_t bytes)
{
	struct gs_bytes *slot = &copies->slots[number];

	assert(number < copies->count);
	if (bytes > slot->room) {
		copies->used += bytes - slot->room;
		if (copies->used > copies->most) {	/* what all need, if they are as long as these */
			size_t filled = number + 1;

			while (filled < copies->count && copies->slots[filled].room > 0)
				filled++;
			return gs_fail(GS_EBUDGET, "%zu lines or records are too large for memory: they need "
			               "'--buffer-size=%lluM' (-S) at least", copies->count, COPIES_SHARE *
			               (copies->used / filled * copies->count + (1ULL << 20)) >> 20);
		}
		slot->room = 0;
		free(slot->data);
		TRY(GS_NEW(slot->data, bytes, "bytes of an item"));
		slot->room = bytes;
	}
	memcpy(slot->data, item, bytes);
	slot->bytes = bytes;
	return GS_OK;
}

void
gs_item_copies_close(struct gs_item_copies *copies)
{
	for (size_t s = 0; copies->slots != NULL && s < copies->count; s++)
		free(copies->slots[s].data);
	free(copies->slots);
	copies->slots = NULL;
}

/* ---- groups ---------------------------------------------------------------------- */

gs_status
gs_item_top_take(struct gs_item_top *top, const struct gs_span *span)
{
	struct gs_top *heap = &top->heap;
	const char *item = span->items, *end = item + span->bytes;
	uint64_t most = 0;

	for (size_t g = 0; g < span->count; g++)
		most = span->times[g] > most ? span->times[g] : most;
	for (size_t g = 0; g < span->count && heap->most > 0; g++) {
		const size_t bytes = gs_item_length(top->order, item, end);
		const bool full = heap->count == heap->most;
		const struct gs_group group = {
			.value.key = top->groups + g,
			.value.slot = full ? heap->groups[0].value.slot : (unsigned)heap->count,
			.times = span->times[g],
		};

		if (full && most <= heap->floor)	/* no group of the span is wanted any more */
			break;
		if (!full || group.times > heap->floor) {
			TRY(gs_item_copies_put(&top->copies, group.value.slot, item, bytes));
			gs_top_add(heap, &group);
		}
		item += bytes;
	}
	top->groups += span->count;
	return GS_OK;
}

gs_status
gs_item_top_end(struct gs_item_top *top, const struct gs_span_sink *to)
{
	const struct gs_top *heap = &top->heap;
	gs_status status = GS_OK;

	gs_top_end(&top->heap);
	for (size_t g = 0; status == GS_OK && g < heap->count; g++) {
		const struct gs_bytes *slot = &top->copies.slots[heap->groups[g].value.slot];
		struct gs_sorted_span sorted = { .slot = GS_NO_SLOT, .span = {
			.items = slot->data, .bytes = slot->bytes, .count = 1,
			.times = &heap->groups[g].times,
		} };

		status = to->take(to->context, &sorted);
	}
	return status;
}

void
gs_item_top_close(struct gs_item_top *top)
{
	gs_item_copies_close(&top->copies);
	free(top->heap.groups);
	top->heap.groups = NULL;
}
