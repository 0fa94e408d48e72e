// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_follow.c - are the lines of an input in order, and if not, where?
 *
 * In:   whole lines, a stretch at a time.
 * Out:  the first line that is less than the one before it, or how many such lines there are.
 *
 * Each line has its first word made once.  Only where two neighbours tie are the lines compared.
 */
#include <stdlib.h>
#include <string.h>

#include "format/line_ends.h"
#include "format/text.h"
#include "stages/line_follow.h"

enum {
	BATCH_LINES = 512,	/* whose words are made at once; not tuned */
	QUOTED_MOST = 1000,	/* bytes of a line in a message */
};

void
gs_line_follow_begin(struct gs_line_follow *follow, const char *name, uint64_t header_lines)
{
	follow->name = name;
	follow->lines = header_lines;
	follow->last_bytes = 0;
}

void
gs_line_follow_close(struct gs_line_follow *follow)
{
	free(follow->last);
	follow->last = NULL;
}

/* The number of the last line in its file. */
static uint64_t
number_of(const struct gs_line_follow *follow)
{
	uint64_t before = 0;

	if (follow->lines_before != NULL)
		before = follow->lines_before(follow->lines_context, follow->name, true);
	return follow->lines + (before == GS_TEXT_WHOLE ? 0 : before);
}

static gs_status
fail(struct gs_line_follow *follow, const char *line, size_t bytes)
{
	if (bytes > 0 && line[bytes - 1] == follow->order->terminator)
		bytes--;
	follow->disorder = true;
	return gs_fail(GS_EINPUT, "%s:%llu: disorder: %.*s%s%s", follow->name,
	               (unsigned long long)number_of(follow),
	               (int)(bytes < QUOTED_MOST ? bytes : QUOTED_MOST), line,
	               bytes > QUOTED_MOST ? "..." : "", follow->tail);
}

/* Keep a copy of the last line of a stretch. */
static gs_status
keep(struct gs_line_follow *follow, const char *line, size_t bytes)
{
	if (bytes > follow->last_room) {
		free(follow->last);
		follow->last_room = 2 * bytes;
		follow->last = malloc(follow->last_room);
		if (follow->last == NULL)
			return gs_fail(GS_EBUDGET, "%s: no memory for a line of %zu bytes", follow->name,
			               bytes);
	}
	memcpy(follow->last, line, bytes);
	follow->last_bytes = bytes;
	return GS_OK;
}

/* Note how a line compares with the one before. */
static gs_status
note(struct gs_line_follow *follow, int difference, const char *line, size_t bytes)
{
	follow->lines++;
	follow->breaks += difference > 0;
	follow->duplicates += difference == 0;
	return difference < 0 || follow->counts_breaks || (difference == 0 && !follow->strict)
	       ? GS_OK : fail(follow, line, bytes);
}

/* Compare COUNT lines, each with the one before it, and the first with the last one of a stretch. */
static gs_status
compare_batch(struct gs_line_follow *follow, const char *const *lines, const uint32_t *bytes,
              size_t count)
{
	uint64_t words[BATCH_LINES];

	if (follow->last_bytes > 0)
		TRY(note(follow, gs_line_compare(follow->order, follow->last, follow->last_bytes,
		                                 lines[0], bytes[0]), lines[0], bytes[0]));
	else
		follow->lines++;
	(void)gs_line_words(follow->order, lines, bytes, count, 0, words);
	for (size_t i = 1; i < count; i++) {
		const int difference = words[i - 1] < words[i] ? -1 : words[i - 1] > words[i] ? 1
			: gs_line_compare(follow->order, lines[i - 1], bytes[i - 1], lines[i], bytes[i]);

		TRY(note(follow, difference, lines[i], bytes[i]));
	}
	return keep(follow, lines[count - 1], bytes[count - 1]);
}

gs_status
gs_line_follow_lines(struct gs_line_follow *follow, const char *lines, size_t bytes)
{
	const char *end = lines + bytes, *starts[BATCH_LINES];
	uint32_t lengths[BATCH_LINES];

	while (lines < end) {
		size_t count = 0;

		for (; lines < end && count < BATCH_LINES; count++) {
			starts[count] = lines;
			lines = gs_line_end(follow->order, lines, end);
			lengths[count] = (uint32_t)(lines - starts[count]);
		}
		follow->compared += count;
		TRY(compare_batch(follow, starts, lengths, count));
	}
	return GS_OK;
}
