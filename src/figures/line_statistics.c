// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_statistics.c - figures of lines: quantiles, the first and the last one, how many differ
 *
 * In:   sorted spans of groups, which are complete; of each its first line.
 * Out:  figures, whose values are copies of lines: the key of one is its slot.
 */
#include "figures/statistics.h"

/* Keep a line as *VALUE, in the slot NUMBER. */
static gs_status
keep_line(struct gs_statistics *figures, struct gs_value *value, size_t number, const char *line,
          size_t bytes)
{
	value->key = number;
	return gs_item_copies_put(&figures->copies, number, line, bytes);
}

static gs_status
take(void *context, struct gs_sorted_span *sorted)
{
	const struct gs_span *span = &sorted->span;
	struct gs_statistics *figures = context;
	const char *line = span->items, *end = line + span->bytes;
	uint64_t count = 0;

	for (size_t g = 0; g < span->count; g++)
		count += span->times[g];
	figures->summary.distinct += span->count;
	if (figures->taken > 0 && figures->taken + count < figures->keys &&
	    !gs_statistics_marks_next(figures, count)) {
		figures->taken += count;
		return GS_OK;
	}
	for (size_t g = 0; g < span->count; g++) {
		const size_t bytes = gs_item_length(figures->order, line, end);

		if (figures->taken == 0)
			TRY(keep_line(figures, &figures->summary.least, figures->marks.count, line, bytes));
		figures->taken += span->times[g];
		for (; gs_statistics_marks_next(figures, 0); figures->marks.found++)
			TRY(keep_line(figures, &figures->marks.by_position[figures->marks.found]->value,
			              figures->marks.found, line, bytes));
		if (figures->taken == figures->keys)
			TRY(keep_line(figures, &figures->summary.most, figures->marks.count + 1, line,
			              bytes));
		line += bytes;
	}
	return GS_OK;
}

static struct gs_word
spell(const struct gs_statistics *figures, const struct gs_value *value, char word[GS_WORD_BYTES])
{
	const struct gs_bytes *line = &figures->copies.slots[value->key];

	(void)word;
	return (struct gs_word){ line->data, line->bytes - 1, false };
}

const struct gs_statistics_of gs_statistics_of_lines = { .take = take, .spell = spell };
