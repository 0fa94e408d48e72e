// SPDX-License-Identifier: BSD-2-Clause
/*
 * item_merger.c - sorted sources of items become one
 *
 * In:   items of each source, in order, a buffer at a time.
 * Out:  all of them, or the selected ones, in one order, to a sink.
 *
 * A binary heap of the sources has the least item at its root (Knuth, TAOCP 3, 5.2.3 and 5.4.1); the
 * first words of the items are in the heap.
 *
 * Invariant: among sources with equal items the one with the lower number is nearer to the root.
 */
#include <stdlib.h>
#include <string.h>

#include "base/round.h"
#include "engine/item_store.h"
#include "ingest/line_ingest.h"
#include "output/select.h"
#include "plan/items.h"

/* One item in a batch: two words, where it is, its length. */
enum { BATCH_BYTES = 2 * sizeof(uint64_t) + sizeof(char *) + sizeof(uint32_t) };

/* ---- what leaves ------------------------------------------------------------------ */

static gs_status
hand_on(struct gs_item_merger *merger, const char *items, size_t bytes, size_t count, uint64_t *times)
{
	struct gs_sorted_span sorted = { .slot = GS_NO_SLOT, .span = {
		.items = items, .bytes = bytes, .count = count, .times = merger->groups ? times : NULL,
	} };

	if (count > 0)
		TRY(merger->sink->take(merger->sink->context, &sorted));
	if (sorted.enough)
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

/* Let COUNT items leave, or one that stands for TIMES of them. */
static gs_status
put(struct gs_item_merger *merger, const char *items, size_t bytes, size_t count, uint64_t times)
{
	if (count > merger->left) {
		count = (size_t)merger->left;
		bytes = gs_items_bytes(merger->order, items, items + bytes, count);
	}
	merger->left -= count;
	if (merger->out_bytes + bytes > merger->out_most || merger->out_count + count > merger->out_room)
		TRY(flush(merger));
	if (bytes > merger->out_most || count > merger->out_room)
		return hand_on(merger, items, bytes, count, &times);
	gs_item_copy(merger->out + merger->out_bytes, items, bytes);
	merger->out_bytes += bytes;
	if (merger->groups && count > 0)
		merger->times[merger->out_count] = times;
	merger->out_count += count;
	return GS_OK;
}

static gs_status
end_group(struct gs_item_merger *merger)
{
	const uint64_t times = merger->group_times;

	merger->group_times = 0;
	return times >= merger->least && times <= merger->most && times > 0
	       ? put(merger, merger->group, merger->group_bytes, 1, times) : GS_OK;
}

static size_t
bytes_of(const struct gs_item_merger *merger, const struct gs_merge_source *source, size_t at)
{
	return merger->order->item_bytes > 0 ? merger->order->item_bytes : source->bytes[at];
}

/* The next items of all, in order: those of SOURCE up to TO, which lie one after the other. */
static gs_status
take(struct gs_item_merger *merger, struct gs_merge_source *source, size_t to)
{
	const struct gs_item_order *order = merger->order;
	const char *data = source->items[source->place];
	const char *end = source->items[to - 1] + bytes_of(merger, source, to - 1);
	const struct gs_item_slice slice = { data, (size_t)(end - data) };
	const size_t count = to - source->place;

	if (merger->verifies) {
		merger->sum += gs_items_sum(order, &slice);
		if (gs_follow_slice(&merger->follow, &slice) == SIZE_MAX)
			return gs_fail(GS_EBUDGET, "out of memory");
	}
	if (!merger->groups) {
		source->place = to;
		return put(merger, data, slice.bytes, count, 1);
	}
	for (; source->place < to; source->place++) {
		const uint64_t word = source->words[source->place];
		const char *item = source->items[source->place];
		const size_t bytes = bytes_of(merger, source, source->place);

		if (merger->group_times > 0 && word == merger->group_word &&
		    (gs_item_same(merger->group, merger->group_bytes, item, bytes) ||
		     gs_item_compare_whole(order, 1, merger->group, merger->group_bytes, item, bytes) == 0)) {
			merger->group_times++;
			continue;
		}
		TRY(end_group(merger));
		if (GS_GROW(merger->group, &merger->group_room, bytes, "bytes of an item") != GS_OK)
			return gs_item_fail_large(bytes, GS_COLLECTED_SHARE);
		memcpy(merger->group, item, bytes);	/* a group begins */
		merger->group_bytes = bytes;
		merger->group_word = word;
		merger->group_times = 1;
	}
	return GS_OK;
}

/* ---- the heap ---------------------------------------------------------------------- */

/* If no item of SOURCE's batch is left, load the next batch, which is empty at the end. */
static gs_status
load(struct gs_item_merger *merger, struct gs_merge_source *source)
{
	const struct gs_item_order *order = merger->order;
	struct gs_follow *follow = source->follow;
	struct gs_item_slice items;
	struct gs_item_walk walk;
	size_t good;

	if (source->place < source->count)
		return GS_OK;
	source->place = source->count = source->ties = 0;
	source->has_nexts = false;
	if (source->at == source->end) {
		items = (struct gs_item_slice){ source->at, 0 };
		TRY(source->fill(source->context, &items));
		source->at = items.data;
		source->end = items.data + items.bytes;
		if (items.bytes == 0)
			return GS_OK;
	}
	items = (struct gs_item_slice){ source->at, (size_t)(source->end - source->at) };
	walk = gs_item_walk_begin(order, &items, 1);
	source->count = gs_item_walk_next(&walk, source->items, source->bytes, merger->batch);
	source->at = walk.at;
	merger->items += source->count;
	if (follow == NULL) {
		source->more = order->words(order->context, source->items,
		                            order->item_bytes > 0 ? NULL : source->bytes, source->count, 0,
		                            source->words);
		return GS_OK;
	}
	follow->words = source->words;
	follow->nexts = source->nexts;
	good = gs_follow_items(follow, source->items, source->bytes, source->count);
	source->more = follow->more;
	source->has_nexts = follow->has_nexts;
	follow->words = NULL;
	if (good == SIZE_MAX)
		return gs_fail(GS_EBUDGET, "out of memory");
	return good == source->count ? GS_OK : source->fail(source->context, source->items[good],
	                                                    bytes_of(merger, source, good));
}

/* The second word of SOURCE's item.  The first call makes those of all that is left of the batch. */
static uint64_t
second_word(const struct gs_item_order *order, struct gs_merge_source *source)
{
	const size_t at = source->place;

	if (!source->has_nexts)
		(void)order->words(order->context, source->items + at,
		                   order->item_bytes > 0 ? NULL : source->bytes + at, source->count - at, 1,
		                   source->nexts + at);
	source->has_nexts = true;
	return source->nexts[at];
}

/* Does ONE's item come before OTHER's, as their first words tie? */
static bool
ties_before(const struct gs_item_merger *merger, struct gs_merge_source *one, struct gs_merge_source *other)
{
	const char *one_item = one->items[one->place], *other_item = other->items[other->place];
	const size_t one_bytes = bytes_of(merger, one, one->place);
	const size_t other_bytes = bytes_of(merger, other, other->place);
	uint64_t one_next, other_next;
	int compared;

	if ((!one->more && !other->more && merger->order->compare == NULL) ||
	    gs_item_same(one_item, one_bytes, other_item, other_bytes))
		return one < other;
	if (one->more && other->more && ++one->ties > GS_FEW_TIES && ++other->ties > GS_FEW_TIES) {
		one_next = second_word(merger->order, one);
		other_next = second_word(merger->order, other);
		if (one_next != other_next)
			return one_next < other_next;
	}
	compared = gs_item_compare_whole(merger->order, 1, one_item, one_bytes, other_item, other_bytes);
	return compared < 0 || (compared == 0 && one < other);
}

static inline bool
is_less(const struct gs_item_merger *merger, const struct gs_merge_head *one,
        const struct gs_merge_head *other)
{
	return one->word != other->word ? one->word < other->word
	                                : ties_before(merger, one->source, other->source);
}

static void
sift_down(struct gs_item_merger *merger, size_t at)
{
	struct gs_merge_head *heap = merger->heap, head = heap[at];

	for (size_t child; (child = 2 * at + 1) < merger->heap_count; at = child) {
		if (child + 1 < merger->heap_count && is_less(merger, &heap[child + 1], &heap[child]))
			child++;
		if (!is_less(merger, &heap[child], &head))
			break;
		heap[at] = heap[child];
	}
	heap[at] = head;
}

gs_status
gs_item_merger_drain(struct gs_item_merger *merger, const struct gs_span_sink *sink)
{
	struct gs_merge_head *heap = merger->heap;

	merger->sink = sink;
	for (size_t i = merger->heap_count; i > 0; i--)
		sift_down(merger, i - 1);
	while (merger->heap_count > 0 && merger->left > 0) {
		const struct gs_merge_head *rival = merger->heap_count > 1 ? &heap[1] : NULL;
		struct gs_merge_source *source = heap[0].source;
		const uint64_t *words = source->words;
		const size_t place = source->place;
		uint64_t most = UINT64_MAX;
		size_t to = place + 1;

		/* all items leave that come before the least one of the others */
		if (merger->heap_count > 2 && is_less(merger, &heap[2], rival))
			rival = &heap[2];
		if (rival != NULL)
			most = rival->word;
		for (; to < source->count && words[to] <= most; to++) {
			source->place = to;
			if (words[to] == most && rival != NULL && !ties_before(merger, source, rival->source))
				break;
		}
		source->place = place;
		TRY(take(merger, source, to));
		TRY(load(merger, source));
		if (source->count > 0)
			heap[0].word = words[source->place];
		else
			heap[0] = heap[--merger->heap_count];
		if (merger->heap_count > 0)
			sift_down(merger, 0);
	}
	TRY(end_group(merger));
	TRY(flush(merger));
	/* if the head is complete, the rest of all inputs must be in order, too */
	for (size_t i = 0; i < merger->heap_count; i++)
		while (heap[i].source->count > 0) {
			heap[i].source->place = heap[i].source->count;
			TRY(load(merger, heap[i].source));
		}
	return GS_OK;
}

/* ---- opening ---------------------------------------------------------------------------- */

gs_status
gs_item_merger_open(struct gs_item_merger *merger, const struct gs_item_order *order,
                    const struct gsort_options *options, size_t count, size_t room)
{
	const size_t out_room = room / gs_item_least_bytes(order->item_bytes);
	/* 200 sources with batches of 256 would not stay in the second-level cache */
	const size_t batch = gs_within(16, 4096 / count, GS_ITEM_BATCH) / 2 * 2, all = count * batch;
	struct gs_select select;

	gs_select_open(&select, options, NULL);
	*merger = (struct gs_item_merger){
		.order = order, .count = count, .batch = batch, .out_most = room, .out_room = out_room,
		.groups = select.groups, .least = select.least, .most = select.most,
		.left = options->head ? options->head_count : UINT64_MAX,
		.verifies = options->verify,
		.follow = { .order = order, .counts_breaks = true },
	};
	TRY(GS_NEW(merger->sources, count, "inputs"));
	TRY(GS_NEW(merger->heap, count, "inputs"));
	TRY(gs_arena_open(&merger->arena, gs_arena_round(room) +
	                  gs_arena_round(out_room * sizeof *merger->times) +
	                  gs_arena_round(all * BATCH_BYTES), false));
	merger->out = gs_arena_take(&merger->arena, room);
	merger->times = gs_arena_take(&merger->arena, out_room * sizeof *merger->times);
	merger->batches = gs_arena_take(&merger->arena, all * BATCH_BYTES);
	return GS_OK;
}

gs_status
gs_item_merger_begin(struct gs_item_merger *merger)
{
	const size_t batch = merger->batch;

	for (size_t i = 0; i < merger->count; i++) {
		struct gs_merge_source *source = &merger->sources[i];

		source->words = (uint64_t *)(merger->batches + i * batch * BATCH_BYTES);
		source->nexts = source->words + batch;
		source->items = (const char **)(source->nexts + batch);
		source->bytes = (uint32_t *)(source->items + batch);
		source->at = source->end = merger->out;		/* a place without items */
		TRY(load(merger, source));
		merger->heap[merger->heap_count] = (struct gs_merge_head){ source->words[0], source };
		merger->heap_count += source->count > 0;
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
