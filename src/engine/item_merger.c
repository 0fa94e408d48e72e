// SPDX-License-Identifier: BSD-2-Clause
/*
 * item_merger.c - sorted sources of items become one
 *
 * In:   items of each source, in order, a buffer at a time.
 * Out:  all of them, or the selected ones, in one order, to a sink.
 *
 * Each source has a window: items that were loaded and have not left.  Threads load more, while a team merges
 * what is there, in rounds.  The limit of a round is the least last item of the windows that more items may
 * follow: what comes before it leaves.  The round is cut into shares, behind items that are equal in all
 * windows.  In a share, first words are made and compared with those before them, and merged with places
 * (Knuth, TAOCP 3, 5.2.4); then items are selected and copied as those of a sort's part are.
 *
 * Only a source whose window is empty is waited for.  If sources may be in any order, one share is merged up
 * to the last item of any window that goes on, as sort(1) does.
 *
 * Invariant: equal items leave in the order of their sources.  A group is in one share, or goes on in the
 * first share of the next round.
 */
#include <stdlib.h>
#include <string.h>

#include "base/round.h"
#include "base/team.h"
#include "engine/item_store.h"
#include "ingest/line_ingest.h"
#include "output/select.h"
#include "plan/items.h"

/* Items that are worth a thread.  Not tuned. */
enum { LEAST_SHARE = 2048 };

/* Items in the window of a source: two batches, and one that has left. */
#define ITEMS_OF(batch)	(2 * (batch) + 1)

/* An item of a share, by its place in the part. */
struct element {
	uint64_t word;
	uint32_t place;
};

/* What one thread merges. */
struct gs_merge_share {
	struct gs_item_part part;
	char           *memory;		/* of its elements, twice, and of the part */
	size_t          room;
	struct gs_bytes out;		/* what leaves */
	struct gs_item_slice last;	/* the last share: the first item of a group that may go on, ... */
	uint64_t        times;		/* ... which has so many */
};

/* ---- loading ----------------------------------------------------------------------- */

static void
load(const struct gs_item_merger *merger, struct gs_merge_source *source)
{
	struct gs_merge_batch *next = &source->next;
	gs_status status = GS_OK;

	next->count = gs_item_walk_next(&source->walk, next->items, next->bytes, merger->batch);
	if (next->count == 0) {
		status = source->fill(source->context, &source->filled);
		source->walk = gs_item_walk_begin(merger->order, &source->filled,
		                                  status == GS_OK && source->filled.bytes > 0);
		next->count = gs_item_walk_next(&source->walk, next->items, next->bytes, merger->batch);
	}
	gs_error_keep(&source->error, status);
	atomic_store(&source->state, status == GS_OK ? GS_LOADED : GS_FAILED);
	gs_futex_wake(&source->state, 1);
}

/* A loader: loads what is wanted. */
static gs_status
load_ahead(void *context)
{
	struct gs_item_merger *merger = context;
	struct gs_merge_source *source;

	while ((source = gs_queue_take(&merger->loaders.wanted)) != NULL)
		load(merger, source);
	return GS_OK;
}

/*
 * Take what was loaded behind the window of SOURCE; once all that was there before has left, let more be
 * loaded.  What has left is dropped, but for the last item, with which the next one is compared.
 */
static void
refill(struct gs_item_merger *merger, struct gs_merge_source *source)
{
	struct gs_merge_batch *window = &source->window, *next = &source->next;
	const size_t from = source->at - (source->at > 0);

	if (atomic_load(&source->state) == GS_LOADED) {
		window->count += next->count;
		merger->read += next->count;
		source->ended = next->count == 0;
		atomic_store(&source->state, GS_RECEIVED);
	}
	if (atomic_load(&source->state) == GS_RECEIVED && !source->ended &&
	    window->count - source->at <= next->count) {
		window->count -= from;
		source->at -= from;
		memmove(window->items, window->items + from, window->count * sizeof *window->items);
		memmove(window->bytes, window->bytes + from, window->count * sizeof *window->bytes);
		next->items = window->items + window->count;
		next->bytes = window->bytes + window->count;
		atomic_store(&source->state, GS_WANTED);
		if (merger->loaders.count > 0)
			(void)gs_queue_give(&merger->loaders.wanted, source);
	}
}

/* ---- windows ----------------------------------------------------------------------- */

static struct gs_item_slice
item_at(const struct gs_item_merger *merger, const struct gs_merge_source *source, size_t at)
{
	const struct gs_merge_batch *window = &source->window;
	const size_t fixed = merger->order->item_bytes;

	return (struct gs_item_slice){ window->items[at], fixed > 0 ? fixed : window->bytes[at] };
}

static int
compare(const struct gs_item_merger *merger, struct gs_item_slice one, struct gs_item_slice other)
{
	return gs_item_compare_whole(merger->order, 0, one.data, one.bytes, other.data, other.bytes);
}

/* Where the items FROM .. TO of SOURCE's window end that are less than ITEM, or EQUAL. */
static size_t
bound(const struct gs_item_merger *merger, const struct gs_merge_source *source, size_t from, size_t to,
      struct gs_item_slice item, bool equal)
{
	while (from < to) {
		const size_t middle = from + (to - from) / 2;

		if (compare(merger, item_at(merger, source, middle), item) < equal)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* ---- a share ----------------------------------------------------------------------- */

/* Is ONE less than OTHER? */
static inline bool
is_less(const struct gs_item_order *order, struct gs_item_batch *batch, const struct element *one,
        const struct element *other)
{
	bool less = one->word < other->word;

	if (__builtin_expect(one->word == other->word, 0))
		less = gs_item_batch_compare(order, batch, one->place, batch, other->place) < 0;
	return less;
}

/* Merge A .. B with B .. END to INTO; equal ones of A are first.  Only what is VERIFIED is in order. */
static void
merge_two(const struct gs_item_order *order, bool verified, struct gs_item_batch *batch,
          const struct element *a, const struct element *b, const struct element *end, struct element *into)
{
	const struct element *middle = b;
	struct element *behind = into + (end - a);

	while (a < middle && b < end) {		/* from both ends: neither waits for the other */
		bool second = is_less(order, batch, b, a);

		/* compilers make branches of other forms, which are predicted wrong half of the time */
		*into++ = a[(b - a) & -(ptrdiff_t)second];
		a += !second;
		b += second;
		if (a == middle || b == end || !verified)
			continue;
		second = !is_less(order, batch, end - 1, middle - 1);
		*--behind = middle[-1 + ((end - middle) & -(ptrdiff_t)second)];
		middle -= !second;
		end -= second;
	}
	memcpy(into, a, (size_t)(middle - a) * sizeof *a);
	memcpy(into + (middle - a), b, (size_t)(end - b) * sizeof *b);
}

/* Sources may be in any order: what follows the last item of a source that goes on is not known, so that ends
 * the round.  PLACE: of the first item of a window. */
static void
limit_share(struct gs_item_merger *merger, const struct element *elements, size_t place,
            struct gs_item_part *part)
{
	enum { LAST = 1, LEAVES = 2 };
	size_t count = 0;

	memset(part->equal, 0, part->count);
	for (size_t s = 0, end = place; s < merger->count; s++) {
		end += merger->sources[s].cut - merger->sources[s].at;
		if (!merger->sources[s].ended || merger->sources[s].cut < merger->sources[s].window.count)
			part->equal[end - 1] = LAST;
	}
	do
		part->equal[elements[count].place] |= LEAVES;
	while ((part->equal[elements[count++].place] & LAST) == 0 && count < part->count);
	part->count = count;
	for (size_t s = 0; s < merger->count; s++) {
		struct gs_merge_source *source = &merger->sources[s];
		const size_t items = source->cut - source->at;

		source->cut = source->at;
		for (size_t i = 0; i < items; i++)
			source->cut += part->equal[place++] >= LEAVES;
	}
}

/* Make what leaves of share NUMBER of the round; a group that goes on is its first item. */
static gs_status
make_share(struct gs_item_merger *merger, size_t number)
{
	const struct gs_item_order *order = merger->order;
	const struct gs_merge_group *group = &merger->group;
	struct gs_merge_share *share = &merger->round.shares[number];
	struct gs_item_part *part = &share->part;
	const size_t *from = merger->round.cuts + number * merger->count, *to = from + merger->count;
	const bool goes_on = number == 0 && group->times > 0;
	size_t items = goes_on, runs = 0, place = goes_on, bytes = 0, count;
	struct element *elements, *others, *swap;
	uint32_t *ends;			/* of runs, first of each source's; the first begins at ENDS[0] */
	struct gs_item_batch batch;

	for (size_t s = 0; s < merger->count; s++)
		items += to[s] - from[s];
	TRY(GS_GROW(share->memory, &share->room,
	            (items + 1) * (2 * sizeof *elements + GS_ITEM_PART_BYTES), "bytes of items"));
	elements = (struct element *)share->memory;
	others = elements + items;
	gs_item_part_init(part, order, others + items, items + 1);
	part->mark_equal = merger->groups;
	part->count = items;
	ends = part->spare;
	ends[0] = goes_on;
	batch = (struct gs_item_batch){
		.items = part->items, .bytes = order->item_bytes > 0 ? NULL : part->lengths,
		.words = part->words, .nexts = part->other, .count = items, .nexts_from = items,
	};
	if (goes_on) {
		part->items[0] = group->first.data;
		part->lengths[0] = (uint32_t)group->first.bytes;
	}
	for (size_t s = 0; s < merger->count; s++) {
		const struct gs_merge_batch *window = &merger->sources[s].window;

		count = to[s] - from[s];
		if (count == 0)
			continue;
		memcpy(part->items + place, window->items + from[s], count * sizeof *part->items);
		memcpy(part->lengths + place, window->bytes + from[s], count * sizeof *part->lengths);
		place += count;
		ends[++runs] = (uint32_t)place;
	}
	for (size_t i = 0; i < items; i += count) {	/* their bytes stay in the cache */
		count = gs_least(GS_ITEM_BATCH, items - i);
		batch.more |= order->words(order->context, batch.items + i,
		                           batch.bytes != NULL ? batch.bytes + i : NULL, count, 0,
		                           batch.words + i);
	}
	for (size_t i = 0; i < items; i++) {
		elements[i] = (struct element){ batch.words[i], (uint32_t)i };
		bytes += gs_item_part_length(part, i);
	}
	place = goes_on;
	for (size_t s = 0; s < merger->count; place += to[s] - from[s], s++) {
		const struct gs_merge_source *source = &merger->sources[s];

		if (source->follow == NULL || from[s] == to[s])
			continue;
		if (from[s] > 0 && compare(merger, item_at(merger, source, from[s]),
		                           item_at(merger, source, from[s] - 1)) < 0)
			gs_team_least(&merger->round.disordered, s << 32 | from[s]);
		for (size_t at = from[s] + 1, i = place + 1; at < to[s]; at++, i++)
			if (is_less(order, &batch, elements + i, elements + i - 1))
				gs_team_least(&merger->round.disordered, s << 32 | at);
	}
	batch.ties = 0;		/* without those of the check */
	for (; runs > 1; runs = (runs + 1) / 2) {
		others[0] = elements[0];
		for (size_t r = 0; r < runs; r += 2) {
			const uint32_t end = ends[gs_least(r + 2, runs)];

			merge_two(order, merger->round.limited, &batch, elements + ends[r],
			          elements + ends[r + 1], elements + end, others + ends[r]);
			ends[r / 2 + 1] = end;
		}
		swap = elements;
		elements = others;
		others = swap;
	}
	if (!merger->round.limited)
		limit_share(merger, elements, goes_on, part);
	for (size_t i = 0; i < part->count; i++)
		part->places[i] = elements[i].place;
	for (size_t i = 0; merger->groups && i < part->count; i++) {
		part->weights[elements[i].place] = 1;
		part->equal[i] = i > 0 && elements[i].word == elements[i - 1].word &&
		                 gs_item_batch_compare(order, &batch, elements[i].place, &batch,
		                                       elements[i - 1].place) == 0;
	}
	for (size_t i = goes_on; merger->verifies && i < part->count; i++) {
		struct gs_item_slice item;

		item.data = gs_item_part_at(part, i, &item.bytes);
		merger->sum += gs_item_hash(item.data, item.bytes);
		if (gs_follow_slice(&merger->follow, &item) == SIZE_MAX)
			return gs_fail(GS_EBUDGET, "out of memory");
	}
	share->times = 0;
	if (merger->groups) {
		if (goes_on)
			part->weights[0] = group->times;
		if (number + 1 == merger->round.count) {	/* its last group may go on */
			do
				share->times += part->weights[part->places[--part->count]];
			while (part->count > 0 && part->equal[part->count]);
			share->last.data = gs_item_part_at(part, part->count, &share->last.bytes);
		}
		gs_item_part_select(part, merger->least, merger->most);
	}
	if (GS_GROW(share->out.data, &share->out.room, bytes, "bytes of items") != GS_OK)
		return gs_item_fail_large(bytes, GS_COLLECTED_SHARE(merger->count), 0, 1);
	share->out.bytes = gs_item_part_gather(part, 0, 0, share->out.data);
	return GS_OK;
}

static void
make(void *context, size_t number)
{
	struct gs_item_merger *merger = context;

	(void)gs_first_error_note(&merger->round.error, make_share(merger, number));
}

/* ---- rounds ------------------------------------------------------------------------ */

/* Let COUNT items leave. */
static gs_status
hand_on(struct gs_item_merger *merger, const char *items, size_t bytes, size_t count, uint64_t *times)
{
	struct gs_sorted_span sorted = { .slot = GS_NO_SLOT, .span = {
		.items = items, .bytes = bytes, .count = count, .times = merger->groups ? times : NULL,
	} };

	if (count > merger->left) {
		sorted.span.count = (size_t)merger->left;
		sorted.span.bytes = gs_items_bytes(merger->order, items, items + bytes, sorted.span.count);
	}
	merger->left -= sorted.span.count;
	if (sorted.span.count > 0)
		TRY(merger->sink->take(merger->sink->context, &sorted));
	if (sorted.enough)
		merger->left = 0;
	return GS_OK;
}

/* Cut the windows at the limit, and that into shares.  No share: all sources have ended. */
static gs_status
cut(struct gs_item_merger *merger)
{
	struct gs_merge_source *const sources = merger->sources, *least = NULL, *largest = sources;
	struct gs_merge_round *round = &merger->round;
	size_t *cuts = round->cuts, total = 0;

	for (size_t s = 0; s < merger->count; s++) {
		struct gs_merge_source *source = &sources[s];

		for (refill(merger, source); source->window.count == source->at && !source->ended;
		     refill(merger, source)) {
			if (atomic_load(&source->state) == GS_FAILED)
				return gs_error_again(&source->error);
			if (merger->loaders.count > 0)
				gs_futex_wait(&source->state, GS_WANTED);
			else
				load(merger, source);
		}
		if (!source->ended &&
		    (least == NULL || compare(merger, item_at(merger, source, source->window.count - 1),
		                              item_at(merger, least, least->window.count - 1)) < 0))
			least = source;
	}
	for (size_t s = 0; s < merger->count; s++) {
		struct gs_merge_source *source = &sources[s];

		source->cut = least == NULL || source == least ? source->window.count
		              : bound(merger, source, source->at, source->window.count,
		                      item_at(merger, least, least->window.count - 1), source < least);
		if (!round->limited)	/* one more shows that these leave; some, if there is no order */
			source->cut = gs_least(source->window.count, 1 + gs_within(
				source->at + (source->window.count - source->at) / merger->count,
				source->cut, source->window.count));
		if (source->cut - source->at > largest->cut - largest->at)
			largest = source;
		cuts[s] = source->at;
		total += source->cut - source->at;
	}
	round->count = total == 0 ? 0 : merger->verifies || !round->limited ? 1
	                      : gs_within(1, total / LEAST_SHARE, merger->round.threads);
	/* equal items are in one share; the last share has items, as it may leave a group */
	for (size_t k = 1; k <= round->count; k++, cuts += merger->count) {
		const size_t at = largest->at + (largest->cut - largest->at) / round->count * k;
		const bool ends = k == round->count;
		bool empty = true;

		for (size_t s = 0; s < merger->count; s++) {
			cuts[merger->count + s] = ends ? sources[s].cut
			                          : bound(merger, &sources[s], cuts[s], sources[s].cut,
			                                  item_at(merger, largest, at), true);
			empty &= cuts[merger->count + s] == sources[s].cut;
		}
		if (empty)
			round->count = k;
	}
	return GS_OK;
}

gs_status
gs_item_merger_drain(struct gs_item_merger *merger, const struct gs_span_sink *sink)
{
	struct gs_merge_group *group = &merger->group;
	struct gs_merge_round *round = &merger->round;
	struct gs_bytes *first = &group->first;

	merger->sink = sink;
	for (;;) {
		const struct gs_merge_share *last;

		TRY(cut(merger));
		if (round->count == 0)
			break;
		round->disordered = SIZE_MAX;
		gs_first_error_open(&round->error);
		gs_team_each(merger->round.threads, round->count, make, merger);
		TRY(gs_first_error_close(&round->error));
		if (round->disordered < SIZE_MAX) {
			struct gs_merge_source *source = &merger->sources[round->disordered >> 32];
			const size_t at = (uint32_t)round->disordered;
			const struct gs_item_slice item = item_at(merger, source, at);

			/* what is loaded counts, too; but no writer is waited for */
			merger->stop(merger->stop_context);
			while (atomic_load(&source->state) == GS_WANTED && merger->loaders.count > 0)
				gs_futex_wait(&source->state, GS_WANTED);
			source->follow->elements += at - source->at;
			return source->fail(source->context, item.data, item.bytes);
		}
		last = &round->shares[round->count - 1];
		group->times = last->times;
		if (group->times > 0 && first->data != last->last.data) {
			first->bytes = last->last.bytes;
			if (GS_GROW(first->data, &first->room, first->bytes, "bytes") != GS_OK)
				return gs_item_fail_large(first->bytes, GS_COLLECTED_SHARE(merger->count), 0,
				                          1);
			memcpy(first->data, last->last.data, first->bytes);
		}
		for (size_t s = 0; s < merger->count; s++) {
			struct gs_merge_source *source = &merger->sources[s];

			if (source->follow != NULL)
				source->follow->elements += source->cut - source->at;
			source->at = source->cut;
			refill(merger, source);
		}
		for (size_t k = 0; k < round->count; k++) {
			const struct gs_merge_share *share = &round->shares[k];

			TRY(hand_on(merger, share->out.data, share->out.bytes, share->part.count,
			            share->part.times));
		}
	}
	return group->times >= merger->least && group->times <= merger->most && group->times > 0
	       ? hand_on(merger, first->data, first->bytes, 1, &group->times) : GS_OK;
}

/* ---- opening ---------------------------------------------------------------------------- */

gs_status
gs_item_merger_open(struct gs_item_merger *merger, const struct gs_item_order *order,
                    const struct gsort_options *options, size_t count, size_t room, unsigned threads)
{
	struct gs_select select;

	gs_select_open(&select, options, NULL);
	*merger = (struct gs_item_merger){
		.order = order, .count = count, .round.threads = threads,
		.batch = gs_within(16, room / GS_MERGE_ITEM_BYTES, 1 << 18),
		.groups = select.groups, .least = select.least, .most = select.most,
		.left = options->head ? options->head_count : UINT64_MAX,
		.verifies = options->verify,
		.follow = { .order = order, .counts_breaks = true },
	};
	gs_queue_open(&merger->loaders.wanted);
	TRY(GS_NEW(merger->sources, count, "inputs"));
	TRY(GS_NEW(merger->items, count * ITEMS_OF(merger->batch), "items"));
	TRY(GS_NEW(merger->bytes, count * ITEMS_OF(merger->batch), "items"));
	TRY(GS_NEW(merger->loaders.threads, threads, "threads"));
	TRY(GS_NEW(merger->round.cuts, (threads + 1) * count, "inputs"));
	return GS_NEW(merger->round.shares, threads, "threads");
}

gs_status
gs_item_merger_begin(struct gs_item_merger *merger, unsigned loaders)
{
	struct gs_item_loaders *ahead = &merger->loaders;

	merger->round.limited = true;
	for (size_t s = 0; s < merger->count; s++) {	/* in turn: the first one has the header */
		struct gs_merge_source *source = &merger->sources[s];
		const size_t at = s * ITEMS_OF(merger->batch);

		source->window = (struct gs_merge_batch){ merger->items + at, merger->bytes + at, 0 };
		source->next = source->window;
		source->walk = gs_item_walk_begin(merger->order, NULL, 0);
		merger->round.limited &= source->follow != NULL;
		load(merger, source);
		if (atomic_load(&source->state) == GS_FAILED)
			return gs_error_again(&source->error);
	}
	while (ahead->count < loaders &&
	       gs_thread_start(&ahead->threads[ahead->count], load_ahead, merger) == GS_OK)
		ahead->count++;		/* fewer: slower */
	return GS_OK;
}

void
gs_item_merger_close(struct gs_item_merger *merger)
{
	gs_queue_shut(&merger->loaders.wanted);
	for (unsigned t = 0; t < merger->loaders.count; t++)
		(void)gs_thread_join(&merger->loaders.threads[t]);
	gs_queue_close(&merger->loaders.wanted);
	gs_follow_close(&merger->follow);
	for (unsigned t = 0; merger->round.shares != NULL && t < merger->round.threads; t++) {
		free(merger->round.shares[t].memory);
		free(merger->round.shares[t].out.data);
	}
	free(merger->loaders.threads);
	free(merger->round.cuts);
	free(merger->round.shares);
	free(merger->sources);
	free(merger->items);
	free(merger->bytes);
	free(merger->group.first.data);
}
