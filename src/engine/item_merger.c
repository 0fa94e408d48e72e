// SPDX-License-Identifier: BSD-2-Clause
/*
 * item_merger.c - sorted sources of items become one
 *
 * In:   items of each source, in order, a buffer at a time.
 * Out:  all of them, or the selected ones, in one order, to a sink.
 *
 * Each source has a window: items that were loaded, with their first words, and have not left.  Threads load
 * more, and compare neighbours, while a team merges what is there, in rounds.  The limit of a round is the
 * least last item of the windows that more items may follow: what comes before it leaves.  The round is cut
 * into shares, behind items that are equal in all windows.  A share stays in a cache: the runs of few sources
 * are merged (Knuth, TAOCP 3, 5.2.4), and those of many are sorted; then items are selected and copied as
 * those of a sort's part are.  Shares leave in turn, while later ones are made.
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

/* Items of a share, and more for each source, whose window is searched for them; shares of a round for
 * each thread; and how many runs take as long to be merged as to be sorted.  Not tuned. */
enum { LEAST_SHARE = 4096, MORE_OF_SOURCE = 32, MOST_SHARES = 16, FEW_RUNS = 8 };

/* The words of 64 bits that a window has for an item of each of its batches: first words, second words,
 * addresses, and two lengths in one. */
enum { EIGHTS = GS_MERGE_BATCHES * 3 + (GS_MERGE_BATCHES + 1) / 2 };

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
	atomic_uint     turn;		/* twice how many have left from here, mod 2^32; and 1: one is made */
	struct gs_bytes out;		/* what leaves */
	struct gs_item_slice last;	/* the last share: the first item of a group that may go on, ... */
	uint64_t        times;		/* ... which has so many */
};

/* ---- loading ----------------------------------------------------------------------- */

/* Part NUMBER of what was loaded: make its first words, and the second ones once many tie in a share; and
 * look whether it is in order. */
static void
make_words(void *context, size_t number)
{
	struct gs_merge_source *source = context;
	const struct gs_item_order *order = source->merger->order;
	const struct gs_item_batch *next = &source->next;
	const size_t from = number * GS_ITEM_BATCH;
	struct gs_item_batch batch = {
		.items = next->items + from, .bytes = next->bytes + from, .words = next->words + from,
		.nexts = next->nexts + from, .count = gs_least(GS_ITEM_BATCH, next->count - from),
	};
	const size_t place = (size_t)(batch.items - source->window.items);
	int difference = 0;
	size_t at = 0;

	gs_item_batch_words(order, &batch);
	if (batch.more)
		atomic_store(&source->merger->more, true);
	if (next->nexts_from == 0) {
		(void)order->words(order->context, batch.items, batch.bytes, batch.count, 8, batch.nexts);
		batch.nexts_from = 0;
	}
	if (source->follow == NULL)		/* any order is right */
		return;
	if (place > 0)
		difference = gs_item_compare_whole(order, 0, batch.items[0],
		                                   gs_item_batch_bytes(order, &batch, 0),
		                                   source->window.items[place - 1],
		                                   gs_item_batch_bytes(order, &source->window, place - 1));
	while (difference >= 0 && ++at < batch.count)
		if (batch.words[at] <= batch.words[at - 1])
			difference = batch.words[at] < batch.words[at - 1]
			             ? -1 : gs_item_batch_compare(order, &batch, at, &batch, at - 1);
	if (at < batch.count)
		gs_team_least(&source->good, from + at);
}

static void
load(struct gs_item_merger *merger, struct gs_merge_source *source)
{
	struct gs_item_batch *next = &source->next;
	gs_status status = GS_OK;

	while ((next->count = gs_item_walk_next(&source->walk, next->items, next->bytes,
	                                        merger->batch)) == 0) {
		status = source->fill(source->context, &source->filled);
		if (status != GS_OK || source->filled.bytes == 0)
			break;
		source->walk = gs_item_walk_begin(merger->order, &source->filled, 1);
	}
	next->nexts_from = atomic_load(&merger->ties) ? 0 : next->count;
	atomic_store(&source->good, next->count);
	gs_team_each(merger->round.threads / (unsigned)merger->count,
	             (next->count + GS_ITEM_BATCH - 1) / GS_ITEM_BATCH, make_words, source);
	if (source->follow != NULL) {
		source->follow->elements += source->good;
		if (source->good < next->count)
			status = source->fail(source->context, next->items[source->good],
			                      gs_item_batch_bytes(merger->order, next, source->good));
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

/* Take what was loaded behind the window of SOURCE, and let more be loaded while only items of the last two
 * batches are there, whose buffers stay: so a source that goes on behind the limit is loaded, too. */
static void
refill(struct gs_item_merger *merger, struct gs_merge_source *source)
{
	struct gs_item_batch *window = &source->window, *next = &source->next;
	const size_t room = GS_MERGE_BATCHES * merger->batch;
	size_t left;

	if (atomic_load(&source->state) == GS_LOADED) {
		if (next->nexts_from > 0)
			window->nexts_from = window->count + next->nexts_from;
		window->count += next->count;
		merger->read += next->count;
		source->ended = next->count == 0;
		atomic_store(&source->state, GS_RECEIVED);
	}
	left = window->count - source->at;
	if (atomic_load(&source->state) != GS_RECEIVED || source->ended ||
	    left > source->before + next->count || left + merger->batch > room)
		return;
	source->before = next->count;
	if (window->count + merger->batch > room) {	/* the last item stays, for the next one's check */
		const size_t from = gs_least(source->at, window->count - 1);

		left = window->count - from;
		memmove(window->items, window->items + from, left * sizeof *window->items);
		memmove(window->bytes, window->bytes + from, left * sizeof *window->bytes);
		memmove(window->words, window->words + from, left * sizeof *window->words);
		if (window->nexts_from < window->count)
			memmove(window->nexts, window->nexts + from, left * sizeof *window->nexts);
		window->nexts_from -= gs_least(window->nexts_from, from);
		window->count = left;
		source->at -= from;
	}
	*next = (struct gs_item_batch){
		.items = window->items + window->count, .bytes = window->bytes + window->count,
		.words = window->words + window->count, .nexts = window->nexts + window->count,
	};
	atomic_store(&source->state, GS_WANTED);
	if (merger->loaders.count > 0)
		(void)gs_queue_give(&merger->loaders.wanted, source);
}

/* ---- windows ----------------------------------------------------------------------- */

/* Compare item AT of ONE with item OTHER_AT of OTHER. */
static int
compare(const struct gs_item_merger *merger, const struct gs_merge_source *one, size_t at,
        const struct gs_merge_source *other, size_t other_at)
{
	const struct gs_item_order *order = merger->order;
	const struct gs_item_batch *a = &one->window, *b = &other->window;

	if (a->words[at] != b->words[other_at])
		return a->words[at] < b->words[other_at] ? -1 : 1;
	if (at >= a->nexts_from && other_at >= b->nexts_from && a->nexts[at] != b->nexts[other_at])
		return a->nexts[at] < b->nexts[other_at] ? -1 : 1;
	return gs_item_compare_whole(order, 1, a->items[at], gs_item_batch_bytes(order, a, at),
	                             b->items[other_at], gs_item_batch_bytes(order, b, other_at));
}

/* Where the items FROM .. TO of SOURCE's window end that are less than item AT of OTHER, or EQUAL. */
static size_t
bound(const struct gs_item_merger *merger, const struct gs_merge_source *source, size_t from, size_t to,
      const struct gs_merge_source *other, size_t at, bool equal)
{
	while (from < to) {
		const size_t middle = from + (to - from) / 2;

		if (compare(merger, source, middle, other, at) < equal)
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

/* Merge RUNS of PART, which end at ENDS, by ELEMENTS, which have room for two of each; items from NEXTS_FROM
 * on have second words. */
static void
merge_runs(struct gs_item_merger *merger, struct gs_item_part *part, struct element *elements,
           uint32_t *ends, size_t runs, size_t nexts_from)
{
	const struct gs_item_order *order = merger->order;
	struct element *others = elements + part->count, *swap;
	struct gs_item_batch batch = {
		.items = part->items, .bytes = part->lengths, .words = part->words, .nexts = part->other,
		.count = part->count, .nexts_from = nexts_from, .more = atomic_load(&merger->more),
	};

	for (size_t i = 0; i < part->count; i++)
		elements[i] = (struct element){ part->words[i], (uint32_t)i };
	for (; runs > 1; runs = (runs + 1) / 2, swap = elements, elements = others, others = swap) {
		others[0] = elements[0];
		for (size_t r = 0; r < runs; r += 2) {
			const uint32_t end = ends[gs_least(r + 2, runs)];

			merge_two(order, merger->round.limited, &batch, elements + ends[r],
			          elements + ends[r + 1], elements + end, others + ends[r]);
			ends[r / 2 + 1] = end;
		}
	}
	if (batch.nexts_from < batch.count)
		atomic_store(&merger->ties, true);
	if (!merger->round.limited)
		limit_share(merger, elements, ends[0], part);
	for (size_t i = 0; i < part->count; i++)
		part->places[i] = elements[i].place;
	for (size_t i = 1; merger->groups && i < part->count; i++)
		part->equal[i] = elements[i].word == elements[i - 1].word &&
		                 gs_item_batch_compare(order, &batch, elements[i].place, &batch,
		                                       elements[i - 1].place) == 0;
}

/* Make what leaves of SHARE NUMBER of the round; a group that goes on is its first item. */
static gs_status
make_share(struct gs_item_merger *merger, struct gs_merge_share *share, size_t number)
{
	const struct gs_item_order *order = merger->order;
	const struct gs_merge_group *group = &merger->group;
	struct gs_item_part *part = &share->part;
	const size_t *from = merger->round.cuts + number * merger->count, *to = from + merger->count;
	const bool goes_on = number == 0 && group->times > 0;
	size_t items = goes_on, runs = 0, place = goes_on, bytes = 0, nexts_from = 0;
	uint64_t differ = 0;
	uint32_t *ends;			/* of runs, first of each source's; the first begins at ENDS[0] */

	for (size_t s = 0; s < merger->count; s++)
		items += to[s] - from[s];
	TRY(GS_GROW(share->memory, &share->room,
	            (items + 1) * (2 * sizeof(struct element) + GS_ITEM_PART_BYTES), "bytes of items"));
	gs_item_part_init(part, order, (struct element *)share->memory + 2 * items, items + 1);
	part->mark_equal = merger->groups;
	ends = part->spare;
	ends[0] = goes_on;
	if (goes_on) {
		part->items[0] = group->first.data;
		part->lengths[0] = (uint32_t)group->first.bytes;
		(void)order->words(order->context, part->items, part->lengths, 1, 0, part->words);
		nexts_from = items;
	}
	for (size_t s = 0; s < merger->count; s++) {
		const struct gs_item_batch *window = &merger->sources[s].window;
		const size_t count = to[s] - from[s];

		if (count == 0)
			continue;
		memcpy(part->items + place, window->items + from[s], count * sizeof *part->items);
		memcpy(part->lengths + place, window->bytes + from[s], count * sizeof *part->lengths);
		memcpy(part->words + place, window->words + from[s], count * sizeof *part->words);
		if (window->nexts_from > from[s])
			nexts_from = items;
		if (nexts_from == 0)
			memcpy(part->other + place, window->nexts + from[s], count * sizeof *part->other);
		place += count;
		ends[++runs] = (uint32_t)place;
	}
	part->count = items;
	part->in_place = true;
	gs_item_part_begin(part, 0);
	for (size_t i = 0; i < items; i++) {
		bytes += gs_item_part_length(part, i);
		differ |= part->words[i] ^ part->words[0];
	}
	if (runs > FEW_RUNS && merger->round.limited)
		gs_item_part_sort(part, differ == 0 ? 8 : (unsigned)__builtin_clzll(differ) / 8);
	else
		merge_runs(merger, part, (struct element *)share->memory, ends, runs, nexts_from);
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

/* Make share NUMBER once the one before it in its place has left.  All that are made leave in turn, by one
 * thread at a time: others leave it their shares, and go on. */
static void
make(void *context, size_t number)
{
	struct gs_item_merger *merger = context;
	struct gs_merge_round *round = &merger->round;
	const size_t threads = round->threads, place = round->first + number;
	struct gs_merge_share *share = &round->shares[place % threads];
	unsigned turn, made = 1;

	while ((turn = atomic_load(&share->turn)) != (unsigned)(place / threads * 2))
		gs_futex_wait(&share->turn, turn);
	(void)gs_first_error_note(&round->error, make_share(merger, share, number));
	atomic_store(&share->turn, turn + 1);
	if (atomic_fetch_add(&round->made, 1) > 0)
		return;
	do
		for (; share = &round->shares[round->next % threads],
		     atomic_load(&share->turn) == (unsigned)(round->next / threads * 2 + 1); round->next++) {
			if (gs_first_error_note(&round->error, GS_OK))
				(void)gs_first_error_note(&round->error, hand_on(
					merger, share->out.data, share->out.bytes, share->part.count,
					share->part.times));
			atomic_fetch_add(&share->turn, 1);
			gs_futex_wake(&share->turn, 1);
		}
	while ((made = atomic_fetch_sub(&round->made, made) - made) > 0);
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
		    (least == NULL || compare(merger, source, source->window.count - 1, least,
		                              least->window.count - 1) < 0))
			least = source;
	}
	for (size_t s = 0; s < merger->count; s++) {
		struct gs_merge_source *source = &sources[s];

		source->cut = least == NULL || source == least ? source->window.count
		              : bound(merger, source, source->at, source->window.count, least,
		                      least->window.count - 1, source < least);
		if (!round->limited)	/* an item behind them shows that these leave */
			source->cut = gs_least(source->window.count, 1 + gs_within(
				source->at + (source->window.count - source->at) / merger->count,
				source->cut, source->window.count));
		if (source->cut - source->at > largest->cut - largest->at)
			largest = source;
		cuts[s] = source->at;
		total += source->cut - source->at;
	}
	round->count = total == 0 ? 0 : merger->verifies || !round->limited ? 1
	                      : gs_within(1, total / (LEAST_SHARE + MORE_OF_SOURCE * merger->count),
	                                  MOST_SHARES * round->threads);
	/* equal items are in one share; the last share has items, as it may leave a group */
	for (size_t k = 1; k <= round->count; k++, cuts += merger->count) {
		const size_t at = largest->at + (largest->cut - largest->at) / round->count * k;
		const bool ends = k == round->count;
		bool empty = true;

		for (size_t s = 0; s < merger->count; s++) {
			cuts[merger->count + s] = ends ? sources[s].cut
			                          : bound(merger, &sources[s], cuts[s], sources[s].cut,
			                                  largest, at, true);
			empty &= cuts[merger->count + s] == sources[s].cut;
		}
		if (empty)
			round->count = k;
	}
	return GS_OK;
}

/* The items of source NUMBER in this round have left: move its window on. */
static void
go_on(void *context, size_t number)
{
	struct gs_item_merger *merger = context;

	merger->sources[number].at = merger->sources[number].cut;
	refill(merger, &merger->sources[number]);
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
		gs_first_error_open(&round->error);
		round->first = round->next;
		gs_team_each(round->threads, round->count, make, merger);
		TRY(gs_first_error_close(&round->error));
		last = &round->shares[(round->next - 1) % round->threads];
		group->times = last->times;
		if (group->times > 0 && first->data != last->last.data) {
			first->bytes = last->last.bytes;
			TRY(GS_GROW(first->data, &first->room, first->bytes, "bytes of items"));
			memcpy(first->data, last->last.data, first->bytes);
		}
		gs_team_each(round->threads, merger->count, go_on, merger);
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
	TRY(GS_NEW(merger->items, count * merger->batch * EIGHTS, "items"));
	TRY(GS_NEW(merger->loaders.threads, threads, "threads"));
	TRY(GS_NEW(merger->round.cuts, (MOST_SHARES * threads + 1) * count, "inputs"));
	return GS_NEW(merger->round.shares, threads, "threads");
}

gs_status
gs_item_merger_begin(struct gs_item_merger *merger, unsigned loaders)
{
	merger->round.limited = true;
	for (size_t s = 0; s < merger->count; s++) {	/* in turn: the first one has the header */
		struct gs_merge_source *source = &merger->sources[s];
		const size_t room = GS_MERGE_BATCHES * merger->batch;
		uint64_t *words = merger->items + s * merger->batch * EIGHTS;

		source->merger = merger;
		source->window = (struct gs_item_batch){
			.items = (const char **)(words + 2 * room), .bytes = (uint32_t *)(words + 3 * room),
			.words = words, .nexts = words + room,
		};
		source->next = source->window;
		source->walk = gs_item_walk_begin(merger->order, NULL, 0);
		merger->round.limited &= source->follow != NULL;
		load(merger, source);
		if (atomic_load(&source->state) == GS_FAILED)
			return gs_error_again(&source->error);
	}
	while (merger->loaders.count < loaders &&
	       gs_thread_start(&merger->loaders.threads[merger->loaders.count], load_ahead, merger) == GS_OK)
		merger->loaders.count++;		/* fewer: slower */
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
	free(merger->group.first.data);
}
