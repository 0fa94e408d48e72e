// SPDX-License-Identifier: BSD-2-Clause
/*
 * item_top.c - the K most frequent items, each with its number of occurrences; figures of lines
 *
 * In:   sorted spans of groups, which are complete; of each its first item.
 * Out:  the K most frequent ones, the most frequent first, for another sink.
 *
 * Groups come in order, so their numbers are the order of those that are equally frequent.  The heap of
 * top.c has the numbers; each has a slot with a copy of its item, which a more frequent one takes over.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/round.h"
#include "figures/answer.h"

/* Items that are handed on at once have so many bytes, or are one. */
#define BLOCK_BYTES	((size_t)256 << 10)

/* Copies of all items may have at most this share of memory.  Not tuned. */
enum { COPIES_SHARE = 16 };

static const uint64_t LEAST_COPIES = (uint64_t)1 << 20;

uint64_t
gs_item_top_bytes(uint64_t most, uint64_t input_bytes, uint64_t memory_bytes)
{
	const uint64_t items = gs_least(most, input_bytes);
	const uint64_t copies = memory_bytes / COPIES_SHARE;

	return gs_least(items, UINT64_MAX / 256) * (sizeof(struct gs_group) + sizeof(struct gs_item_slot)) +
	       gs_least(input_bytes, copies > LEAST_COPIES ? copies : LEAST_COPIES);
}

/* Make COUNT empty slots, for a job with MEMORY_BYTES. */
static gs_status
open_copies(struct gs_item_copies *copies, size_t count, uint64_t memory_bytes)
{
	*copies = (struct gs_item_copies){
		.count = count, .most = gs_within(LEAST_COPIES, memory_bytes / COPIES_SHARE, UINT64_MAX),
	};
	return GS_NEW(copies->slots, count, "values");
}

gs_status
gs_item_top_open(struct gs_item_top *top, const struct gs_item_order *order, uint64_t items,
                 uint64_t memory_bytes)
{
	const size_t most = (size_t)gs_least(gs_least(top->wanted, items), SIZE_MAX / 256);

	top->order = order;
	top->groups = 0;
	top->heap = (struct gs_top){ .most = most };
	TRY(GS_NEW(top->heap.groups, most, "most frequent values"));
	return open_copies(&top->copies, most, memory_bytes);
}

/* ---- copies ------------------------------------------------------------------------ */

/* The memory that has room for all copies, if they are as long as those that are there when slot NUMBER is
 * filled. */
static uint64_t
size_needed(const struct gs_item_copies *copies, size_t number)
{
	size_t filled = number + 1;

	while (filled < copies->count && copies->slots[filled].room > 0)
		filled++;
	return COPIES_SHARE * (copies->used / filled * copies->count + (1 << 20));
}

gs_status
gs_item_copies_put(struct gs_item_copies *copies, size_t number, const char *item, size_t bytes)
{
	struct gs_item_slot *slot = &copies->slots[number];

	assert(number < copies->count);
	if (bytes > slot->room) {
		copies->used += bytes - slot->room;
		if (copies->used > copies->most)
			return gs_fail(GS_EBUDGET, "%zu lines or records are too large for memory: they need "
			               "'--buffer-size=%lluM' (-S) at least", copies->count,
			               (unsigned long long)size_needed(copies, number) >> 20);
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

static bool
is_wanted(const struct gs_top *heap, uint64_t times)
{
	return heap->count < heap->most || times > heap->floor;
}

static gs_status
take(void *context, struct gs_sorted_span *sorted, bool *enough)
{
	struct gs_item_top *top = context;
	struct gs_top *heap = &top->heap;
	const struct gs_span *span = &sorted->span;
	const char *item = span->items, *end = item + span->bytes;
	const size_t fixed = top->order->item_bytes;
	uint64_t most = 0;

	(void)enough;
	for (size_t g = 0; g < span->count; g++)
		most = span->times[g] > most ? span->times[g] : most;
	for (size_t g = 0; g < span->count && is_wanted(heap, most) && heap->most > 0; g++) {
		const size_t bytes = fixed > 0 ? fixed : gs_item_length(top->order, item, end);
		const bool full = heap->count == heap->most;
		const struct gs_group group = {
			.value = {
				.key = top->groups + g,
				.key_bits = full ? heap->groups[0].value.key_bits : (unsigned)heap->count,
			},
			.times = span->times[g],
		};

		if (is_wanted(heap, group.times)) {
			TRY(gs_item_copies_put(&top->copies, group.value.key_bits, item, bytes));
			gs_top_add(heap, &group);
		}
		item += bytes;
	}
	top->groups += span->count;
	return GS_OK;
}

struct gs_span_sink
gs_item_top_sink(struct gs_item_top *top)
{
	return (struct gs_span_sink){ .take = take, .groups = true, .context = top };
}

/* ---- what they are ------------------------------------------------------------------ */

/* Hand COUNT groups from FIRST on to TO, whose items have BYTES. */
static gs_status
hand_on(const struct gs_item_top *top, size_t first, size_t count, size_t bytes,
        const struct gs_span_sink *to)
{
	struct gs_sorted_span sorted = { .span = { .count = count, .bytes = bytes }, .slot = GS_NO_SLOT };
	char *items = NULL, *at;
	uint64_t *times;
	gs_status status = GS_NEW(times, count, "values");
	bool enough = false;

	THEN(status, gs_allocate(&items, bytes, 1, "bytes of values"));
	at = items;
	for (size_t g = 0; status == GS_OK && g < count; g++) {
		const struct gs_group *group = &top->heap.groups[first + g];
		const struct gs_item_slot *slot = &top->copies.slots[group->value.key_bits];

		memcpy(at, slot->data, slot->bytes);
		at += slot->bytes;
		times[g] = group->times;
	}
	sorted.span.items = items;
	sorted.span.times = times;
	THEN(status, to->take(to->context, &sorted, &enough));
	free(items);
	free(times);
	return status;
}

gs_status
gs_item_top_end(struct gs_item_top *top, const struct gs_span_sink *to)
{
	const struct gs_top *heap = &top->heap;
	size_t first = 0, bytes = 0;

	gs_top_end(&top->heap);
	for (size_t g = 0; g < heap->count; g++) {
		bytes += top->copies.slots[heap->groups[g].value.key_bits].bytes;
		if (bytes < BLOCK_BYTES && g + 1 < heap->count)
			continue;
		TRY(hand_on(top, first, g + 1 - first, bytes, to));
		first = g + 1;
		bytes = 0;
	}
	top->heap.count = 0;
	return GS_OK;
}

void
gs_item_top_close(struct gs_item_top *top)
{
	gs_item_copies_close(&top->copies);
	free(top->heap.groups);
	top->heap.groups = NULL;
}

/* ---- figures of lines -------------------------------------------------------------------------- */

/* Keep a line as *VALUE, in the slot NUMBER. */
static gs_status
keep_line(struct gs_answer *answer, struct gs_value *value, size_t number, const char *line, size_t bytes)
{
	value->key = number;
	return gs_item_copies_put(&answer->copies, number, line, bytes);
}

/* TIMES lines that are equal to LINE. */
static gs_status
take_line(struct gs_answer *answer, const char *line, size_t bytes, uint64_t times)
{
	if (answer->taken == 0)
		TRY(keep_line(answer, &answer->least, answer->mark_count, line, bytes));
	answer->taken += times;
	for (; gs_answer_marks_next(answer, 0); answer->marks_found++)
		TRY(keep_line(answer, &answer->by_position[answer->marks_found]->value, answer->marks_found,
		              line, bytes));
	return answer->taken < answer->keys ? GS_OK
	       : keep_line(answer, &answer->most, answer->mark_count + 1, line, bytes);
}

static gs_status
take_lines(void *context, struct gs_sorted_span *sorted, bool *enough)
{
	const struct gs_span *span = &sorted->span;
	struct gs_answer *answer = context;
	const char *line = span->items, *end = line + span->bytes;
	uint64_t count = 0;

	(void)enough;
	for (size_t g = 0; g < span->count; g++)
		count += span->times[g];
	answer->distinct += span->count;
	if (answer->taken > 0 && answer->taken + count < answer->keys &&
	    !gs_answer_marks_next(answer, count)) {
		answer->taken += count;
		return GS_OK;
	}
	for (size_t g = 0; g < span->count; g++) {
		const size_t bytes = gs_item_length(answer->order, line, end);

		TRY(take_line(answer, line, bytes, span->times[g]));
		line += bytes;
	}
	return GS_OK;
}

static gs_status
open_lines(struct gs_answer *answer, const struct gs_answer_input *input)
{
	(void)input;
	return open_copies(&answer->copies, answer->mark_count + 2, answer->plan->host_bytes);
}

static struct gs_word
spell_line(const struct gs_answer *answer, const struct gs_value *value, char word[GS_WORD_BYTES])
{
	const struct gs_item_slot *line = &answer->copies.slots[value->key];

	(void)word;
	return (struct gs_word){ line->data, line->bytes - 1, false };
}

const struct gs_answer_of gs_answer_of_lines = {
	.open = open_lines, .take = take_lines, .spell = spell_line,
};
