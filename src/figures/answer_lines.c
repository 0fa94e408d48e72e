// SPDX-License-Identifier: BSD-2-Clause
/*
 * answer_lines.c - figures of lines: quantiles, the first and the last one, how many differ
 *
 * In:   sorted spans of groups, which are complete; of each its first line.
 * Out:  figures, whose values are copies of lines: the key of one is its slot.
 */
#include "figures/answer.h"

/* Keep a line as *VALUE, in the slot NUMBER. */
static gs_status
keep_line(struct gs_answer *answer, struct gs_value *value, size_t number, const char *line, size_t bytes)
{
	value->key = number;
	return gs_item_copies_put(&answer->copies, number, line, bytes);
}

static gs_status
take(void *context, struct gs_sorted_span *sorted, bool *enough)
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

		if (answer->taken == 0)
			TRY(keep_line(answer, &answer->least, answer->mark_count, line, bytes));
		answer->taken += span->times[g];
		for (; gs_answer_marks_next(answer, 0); answer->marks_found++)
			TRY(keep_line(answer, &answer->by_position[answer->marks_found]->value,
			              answer->marks_found, line, bytes));
		if (answer->taken == answer->keys)
			TRY(keep_line(answer, &answer->most, answer->mark_count + 1, line, bytes));
		line += bytes;
	}
	return GS_OK;
}

static gs_status
open(struct gs_answer *answer, const struct gs_answer_input *input)
{
	(void)input;
	return gs_item_copies_open(&answer->copies, answer->mark_count + 2, answer->plan->host_bytes);
}

static struct gs_word
spell(const struct gs_answer *answer, const struct gs_value *value, char word[GS_WORD_BYTES])
{
	const struct gs_item_slot *line = &answer->copies.slots[value->key];

	(void)word;
	return (struct gs_word){ line->data, line->bytes - 1, false };
}

const struct gs_answer_of gs_answer_of_lines = { .open = open, .take = take, .spell = spell };
