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
 * Each source has two batches: the loader, a thread, reads one and checks its order, while items of the other
 * leave.  Without it the merger loads a batch when it wants it.
 *
 * Invariant: among sources with equal items the one with the lower number is nearer to the root.
 */
#include <stdlib.h>
#include <string.h>

#include "base/round.h"
#include "base/team.h"
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
	struct gs_items_out *out = &merger->out;
	const size_t bytes = out->items.bytes, count = out->count;

	out->items.bytes = out->count = 0;
	return hand_on(merger, out->items.data, bytes, count, out->times);
}

/* Let COUNT items leave, or one that stands for TIMES of them. */
static gs_status
put(struct gs_item_merger *merger, const char *items, size_t bytes, size_t count, uint64_t times)
{
	struct gs_items_out *out = &merger->out;

	if (count > merger->left) {
		count = (size_t)merger->left;
		bytes = gs_items_bytes(merger->order, items, items + bytes, count);
	}
	merger->left -= count;
	if (out->items.bytes + bytes > out->items.room || out->count + count > out->room)
		TRY(flush(merger));
	if (bytes > out->items.room || count > out->room)
		return hand_on(merger, items, bytes, count, &times);
	gs_item_copy(out->items.data + out->items.bytes, items, bytes);
	out->items.bytes += bytes;
	if (merger->groups && count > 0)
		out->times[out->count] = times;
	out->count += count;
	return GS_OK;
}

static gs_status
end_group(struct gs_item_merger *merger)
{
	const uint64_t times = merger->group.times;

	merger->group.times = 0;
	return times >= merger->least && times <= merger->most && times > 0
	       ? put(merger, merger->group.first.data, merger->group.first.bytes, 1, times) : GS_OK;
}

/* The next items of all, in order: those of SOURCE up to TO, which lie one after the other. */
static gs_status
take(struct gs_item_merger *merger, struct gs_merge_source *source, size_t to)
{
	const struct gs_item_order *order = merger->order;
	const struct gs_item_batch *now = &source->now;
	const char *data = now->items[source->place];
	const char *end = now->items[to - 1] + gs_item_batch_bytes(order, now, to - 1);
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
		struct gs_merge_group *group = &merger->group;
		const uint64_t word = now->words[source->place];
		const char *item = now->items[source->place];
		const size_t bytes = gs_item_batch_bytes(order, now, source->place);

		if (group->times > 0 && word == group->word &&
		    (gs_item_same(group->first.data, group->first.bytes, item, bytes) ||
		     gs_item_compare_whole(order, 1, group->first.data, group->first.bytes, item,
		                           bytes) == 0)) {
			group->times++;
			continue;
		}
		TRY(end_group(merger));
		if (GS_GROW(group->first.data, &group->first.room, bytes, "bytes of an item") != GS_OK)
			return gs_item_fail_large(bytes, GS_COLLECTED_SHARE);
		memcpy(group->first.data, item, bytes);	/* a group begins */
		group->first.bytes = bytes;
		group->word = word;
		group->times = 1;
	}
	return GS_OK;
}

/* ---- loading ----------------------------------------------------------------------- */

/* Load the next items of SOURCE, none at the end. */
static gs_status
load(const struct gs_item_merger *merger, struct gs_merge_source *source)
{
	struct gs_item_batch *next = &source->next;
	size_t good;

	next->count = gs_item_walk_next(&source->walk, next->items, next->bytes, merger->batch);
	if (next->count == 0) {
		TRY(source->fill(source->context, &source->filled));
		source->walk = gs_item_walk_begin(merger->order, &source->filled, 1);
		next->count = gs_item_walk_next(&source->walk, next->items, next->bytes, merger->batch);
	}
	gs_item_batch_words(merger->order, next);
	if (source->follow == NULL)
		return GS_OK;
	good = gs_follow_batch(source->follow, next);
	if (good == SIZE_MAX)
		return gs_fail(GS_EBUDGET, "out of memory");
	return good == next->count ? GS_OK : source->fail(source->context, next->items[good],
	                                                  gs_item_batch_bytes(merger->order, next, good));
}

/* The loader: loads what is wanted, up to the first error. */
static gs_status
load_ahead(void *context)
{
	struct gs_item_merger *merger = context;
	struct gs_merge_source *source;
	gs_status status = GS_OK;

	while ((source = gs_queue_take(&merger->loader.wanted)) != NULL) {
		if (status == GS_OK) {
			status = load(merger, source);
			if (status != GS_OK)
				gs_error_keep(&merger->loader.error, status);
		}
		atomic_store(&source->state, status == GS_OK ? GS_LOADED : GS_FAILED);
		gs_futex_wake(&source->state, 1);
	}
	return GS_OK;
}

static void
ask(struct gs_item_merger *merger, struct gs_merge_source *source)
{
	atomic_store(&source->state, GS_WANTED);
	if (merger->loader.thread.runs)
		(void)gs_queue_give(&merger->loader.wanted, source);
}

/* If SOURCE's items were all taken, go on to the next ones: none at the end. */
static gs_status
go_on(struct gs_item_merger *merger, struct gs_merge_source *source)
{
	struct gs_item_batch used;

	if (source->place < source->now.count)
		return GS_OK;
	if (!merger->loader.thread.runs)
		TRY(load(merger, source));
	else
		while (atomic_load(&source->state) == GS_WANTED)
			gs_futex_wait(&source->state, GS_WANTED);
	if (atomic_load(&source->state) == GS_FAILED)
		return gs_error_again(&merger->loader.error);
	used = source->now;
	source->now = source->next;
	source->now.ties = 0;		/* without those of the check */
	source->next = used;
	source->place = 0;
	merger->items += source->now.count;
	if (source->now.count > 0)
		ask(merger, source);
	return GS_OK;
}

/* ---- the heap ---------------------------------------------------------------------- */

/* Does ONE's item come before OTHER's, as their first words tie? */
static bool
ties_before(const struct gs_item_merger *merger, struct gs_merge_source *one, struct gs_merge_source *other)
{
	const int compared = gs_item_batch_compare(merger->order, &one->now, one->place, &other->now,
	                                           other->place);

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
		const uint64_t *words = source->now.words;
		const size_t place = source->place;
		uint64_t most = UINT64_MAX;
		size_t to = place + 1;

		/* all items leave that come before the least one of the others */
		if (merger->heap_count > 2 && is_less(merger, &heap[2], rival))
			rival = &heap[2];
		if (rival != NULL)
			most = rival->word;
		for (; to < source->now.count && words[to] <= most; to++) {
			source->place = to;
			if (words[to] == most && rival != NULL && !ties_before(merger, source, rival->source))
				break;
		}
		source->place = place;
		TRY(take(merger, source, to));
		TRY(go_on(merger, source));
		if (source->now.count > 0)
			heap[0].word = source->now.words[source->place];
		else
			heap[0] = heap[--merger->heap_count];
		if (merger->heap_count > 0)
			sift_down(merger, 0);
	}
	TRY(end_group(merger));
	TRY(flush(merger));
	/* if the head is complete, the rest of all inputs must be in order, too */
	for (size_t i = 0; i < merger->heap_count; i++)
		while (heap[i].source->now.count > 0) {
			heap[i].source->place = heap[i].source->now.count;
			TRY(go_on(merger, heap[i].source));
		}
	return GS_OK;
}

/* ---- opening ---------------------------------------------------------------------------- */

gs_status
gs_item_merger_open(struct gs_item_merger *merger, const struct gs_item_order *order,
                    const struct gsort_options *options, size_t count, size_t room)
{
	const size_t out_room = room / gs_item_least_bytes(order->item_bytes);
	/* what 200 sources have loaded should stay in a cache; less makes the threads wait for each other */
	const size_t batch = gs_within(16, gs_least(131072 / count, room / 128), 2048) / 2 * 2;
	const size_t all = 2 * count * batch * BATCH_BYTES;
	struct gs_select select;

	gs_select_open(&select, options, NULL);
	*merger = (struct gs_item_merger){
		.order = order, .count = count, .batch = batch,
		.out = { .items = { .room = room }, .room = out_room },
		.groups = select.groups, .least = select.least, .most = select.most,
		.left = options->head ? options->head_count : UINT64_MAX,
		.verifies = options->verify,
		.follow = { .order = order, .counts_breaks = true },
	};
	gs_queue_open(&merger->loader.wanted);
	TRY(GS_NEW(merger->sources, count, "inputs"));
	TRY(GS_NEW(merger->heap, count, "inputs"));
	TRY(gs_arena_open(&merger->arena, gs_arena_round(room) +
	                  gs_arena_round(out_room * sizeof *merger->out.times) + gs_arena_round(all), false));
	merger->out.items.data = gs_arena_take(&merger->arena, room);
	merger->out.times = gs_arena_take(&merger->arena, out_room * sizeof *merger->out.times);
	merger->batches = gs_arena_take(&merger->arena, all);
	return GS_OK;
}

gs_status
gs_item_merger_begin(struct gs_item_merger *merger, bool ahead)
{
	const size_t batch = merger->batch;

	if (ahead)
		(void)!gs_thread_start(&merger->loader.thread, load_ahead, merger);	/* failed: slower */
	for (size_t i = 0; i < 2 * merger->count; i++) {
		struct gs_merge_source *source = &merger->sources[i / 2];
		uint64_t *words = (uint64_t *)(merger->batches + i * batch * BATCH_BYTES);
		const char **items = (const char **)(words + 2 * batch);

		*(i % 2 > 0 ? &source->next : &source->now) = (struct gs_item_batch){
			.items = items, .words = words, .nexts = words + batch,
			.bytes = merger->order->item_bytes > 0 ? NULL : (uint32_t *)(items + batch),
		};
		if (i % 2 == 0)
			continue;
		source->filled.data = merger->out.items.data;	/* a place without items */
		source->walk = gs_item_walk_begin(merger->order, &source->filled, 1);
		ask(merger, source);
	}
	for (size_t i = 0; i < merger->count; i++) {
		struct gs_merge_source *source = &merger->sources[i];

		TRY(go_on(merger, source));
		merger->heap[merger->heap_count] = (struct gs_merge_head){ source->now.words[0], source };
		merger->heap_count += source->now.count > 0;
	}
	return GS_OK;
}

void
gs_item_merger_close(struct gs_item_merger *merger)
{
	gs_queue_shut(&merger->loader.wanted);
	(void)gs_thread_join(&merger->loader.thread);
	gs_queue_close(&merger->loader.wanted);
	gs_follow_close(&merger->follow);
	free(merger->sources);
	free(merger->heap);
	free(merger->group.first.data);
	gs_arena_close(&merger->arena);
}
