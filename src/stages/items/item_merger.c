// SPDX-License-Identifier: BSD-2-Clause
/*
 * item_merger.c - sorted sources of items become one
 *
 * In:   items of each source, in order, a buffer at a time.
 * Out:  all of them in one order, or those that are selected, to a sink.
 *
 * A binary heap of the sources has the least item at its root (Knuth, TAOCP 3, 5.2.3 and 5.4.1); the
 * first words of the items are in the heap.
 *
 * Invariant: of sources with equal items the one of the lower number is nearer to the root.
 */
#include <stdlib.h>
#include <string.h>

#include "plan/items.h"
#include "stages/items/item_store.h"
#include "stages/lines/line_ingest.h"
#include "stages/select.h"

/* ---- what leaves ------------------------------------------------------------------ */

static gs_status
hand_on(struct gs_item_merger *merger, const char *items, size_t bytes, size_t count, uint64_t *times)
{
	struct gs_sorted_span sorted = { .slot = GS_NO_SLOT, .span = {
		.items = items, .bytes = bytes, .count = count, .times = merger->groups ? times : NULL,
	} };
	bool enough = false;

	if (count > 0)
		TRY(merger->sink->take(merger->sink->context, &sorted, &enough));
	if (enough)
		merger->left = 0;
	return GS_OK;
}

static gs_status
flush(struct gs_item_merger *merger)
{
	const size_t bytes = merger->out_bytes, count = merger->out_count;

	merger->out_bytes = merger->out_count = 0;
	return hand_on(merger, merger->out, bytes, count, merger->times);
}

static gs_status
put(struct gs_item_merger *merger, const char *item, size_t bytes, uint64_t times)
{
	if (merger->left == 0)
		return GS_OK;
	merger->left--;
	if (merger->out_bytes + bytes > merger->out_most || merger->out_count == merger->out_room)
		TRY(flush(merger));
	if (bytes > merger->out_most)
		return hand_on(merger, item, bytes, 1, &times);
	gs_item_copy(merger->out + merger->out_bytes, item, bytes);
	merger->out_bytes += bytes;
	merger->times[merger->out_count++] = times;
	return GS_OK;
}

static gs_status
end_group(struct gs_item_merger *merger)
{
	const uint64_t times = merger->group_times;

	merger->group_times = 0;
	return times >= merger->least && times <= merger->most && times > 0
	       ? put(merger, merger->group, merger->group_bytes, times) : GS_OK;
}

/* A group begins with ITEM. */
static gs_status
begin_group(struct gs_item_merger *merger, const char *item, size_t bytes)
{
	if (GS_GROW(merger->group, &merger->group_room, bytes, "bytes of an item") != GS_OK)
		return gs_item_fail_large(bytes, GS_COLLECTED_SHARE);
	memcpy(merger->group, item, bytes);
	merger->group_bytes = bytes;
	merger->group_times = 1;
	return GS_OK;
}

/* The next item of all that may leave, in order. */
static gs_status
take(struct gs_item_merger *merger, const char *item, size_t bytes)
{
	const struct gs_item_order *order = merger->order;
	const struct gs_item_slice slice = { item, bytes };

	if (merger->verifies) {
		merger->sum += gs_items_sum(order, &slice);
		if (gs_follow_slice(&merger->follow, &slice) != slice.bytes)
			return gs_fail(GS_EBUDGET, "out of memory");
	}
	if (!merger->groups)
		return put(merger, item, bytes, 1);
	if (merger->group_times > 0 && gs_item_compare(order, 0, merger->group, merger->group_bytes,
	                                               item, bytes) == 0) {
		merger->group_times++;
		return GS_OK;
	}
	TRY(end_group(merger));
	return begin_group(merger, item, bytes);
}

/* There are no more. */
static gs_status
end(struct gs_item_merger *merger)
{
	TRY(end_group(merger));
	return flush(merger);
}

/* ---- the heap ---------------------------------------------------------------------- */

/* Go to the next item of SOURCE; *ANY: there is one. */
static gs_status
next(struct gs_item_merger *merger, struct gs_merge_source *source, bool *any)
{
	const struct gs_item_order *order = merger->order;
	uint32_t bytes;

	source->at += source->bytes;
	source->bytes = 0;
	if (source->at == source->end) {
		struct gs_item_slice items = { source->at, 0 };

		TRY(source->fill(source->context, &items));
		source->at = items.data;
		source->end = items.data + items.bytes;
	}
	*any = source->at < source->end;
	if (!*any)
		return GS_OK;
	source->bytes = gs_item_length(order, source->at, source->end);
	bytes = (uint32_t)source->bytes;
	merger->items++;
	(void)order->words(order->context, &source->at, order->item_bytes > 0 ? NULL : &bytes, 1, 0,
	                   &source->word);
	return GS_OK;
}

static bool
is_less(const struct gs_item_order *order, const struct gs_merge_source *one,
        const struct gs_merge_source *other)
{
	int compared;

	if (one->word != other->word)
		return one->word < other->word;
	compared = gs_item_compare_whole(order, 1, one->at, one->bytes, other->at, other->bytes);
	return compared < 0 || (compared == 0 && one < other);
}

static void
sift_down(struct gs_item_merger *merger, size_t at)
{
	struct gs_merge_source **heap = merger->heap, *source = heap[at];

	for (size_t child; (child = 2 * at + 1) < merger->heap_count; at = child) {
		if (child + 1 < merger->heap_count && is_less(merger->order, heap[child + 1], heap[child]))
			child++;
		if (!is_less(merger->order, heap[child], source))
			break;
		heap[at] = heap[child];
	}
	heap[at] = source;
}

/* The head is complete: read the rest of all inputs, which must be in order, too. */
static gs_status
read_rest(struct gs_item_merger *merger)
{
	for (size_t i = 0; i < merger->heap_count; i++)
		for (bool any = true; any;)
			TRY(next(merger, merger->heap[i], &any));
	return GS_OK;
}

gs_status
gs_item_merger_drain(struct gs_item_merger *merger, const struct gs_span_sink *sink)
{
	bool any;

	merger->sink = sink;
	for (size_t i = merger->heap_count; i > 0; i--)
		sift_down(merger, i - 1);
	while (merger->heap_count > 0 && merger->left > 0) {
		struct gs_merge_source *source = merger->heap[0];

		TRY(take(merger, source->at, source->bytes));
		TRY(next(merger, source, &any));
		if (!any)
			merger->heap[0] = merger->heap[--merger->heap_count];
		if (merger->heap_count > 0)
			sift_down(merger, 0);
	}
	TRY(end(merger));
	return read_rest(merger);
}

/* ---- opening ---------------------------------------------------------------------------- */

gs_status
gs_item_merger_open(struct gs_item_merger *merger, const struct gs_item_order *order,
                    const struct gsort_options *options, size_t count, size_t room)
{
	const size_t out_room = room / gs_item_least_bytes(order->item_bytes);
	struct gs_select select;

	gs_select_open(&select, options, NULL);
	*merger = (struct gs_item_merger){
		.order = order, .count = count, .out_most = room, .out_room = out_room,
		.groups = select.groups, .least = select.least, .most = select.most,
		.left = options->head ? options->head_count : UINT64_MAX,
		.verifies = options->verify,
		.follow = { .order = order, .counts_breaks = true },
	};
	TRY(GS_NEW(merger->sources, count, "inputs"));
	TRY(GS_NEW(merger->heap, count, "inputs"));
	TRY(gs_arena_open(&merger->arena, gs_arena_round(room) +
	                  gs_arena_round(out_room * sizeof *merger->times), false));
	merger->out = gs_arena_take(&merger->arena, room);
	merger->times = gs_arena_take(&merger->arena, out_room * sizeof *merger->times);
	return GS_OK;
}

gs_status
gs_item_merger_begin(struct gs_item_merger *merger)
{
	for (size_t i = 0; i < merger->count; i++) {
		struct gs_merge_source *source = &merger->sources[i];
		bool any;

		source->at = source->end = merger->out;		/* a place without items */
		TRY(next(merger, source, &any));
		if (any)
			merger->heap[merger->heap_count++] = source;
	}
	return GS_OK;
}

void
gs_item_merger_close(struct gs_item_merger *merger)
{
	gs_follow_close(&merger->follow);
	free(merger->sources);
	free(merger->heap);
	free(merger->group);
	gs_arena_close(&merger->arena);
}
