// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_follow.c - are the lines of an input in order, and if not, where?
 *
 * In:   whole lines, a stretch at a time.
 * Out:  the first line that is less than the one before it, or how many such lines there are.
 *
 * Each line has its first word made once.  Only where two neighbours tie are the lines compared.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "format/skip.h"
#include "format/text.h"
#include "stages/line_follow.h"

enum {
	BATCH_LINES = GS_LINE_FOLLOW_LINES,
	QUOTED_MOST = 1000,	/* bytes of a line in a message */
};

void
gs_line_follow_begin(struct gs_line_follow *follow, const char *name)
{
	follow->name = name;
	follow->last_bytes = 0;
}

void
gs_line_follow_close(struct gs_line_follow *follow)
{
	free(follow->last);
	follow->last = NULL;
}

/* NUMBER: of the line in its file. */
static gs_status
fail(struct gs_line_follow *follow, uint64_t number, const char *line, size_t bytes)
{
	uint64_t before = 0;

	if (follow->lines_before != NULL)
		before = follow->lines_before(follow->lines_context, follow->name, true);
	number += before == GS_TEXT_WHOLE ? 0 : before;
	if (bytes > 0 && line[bytes - 1] == follow->order->terminator)
		bytes--;
	follow->disorder = true;
	return gs_fail(GS_EINPUT, "%s:%llu: disorder: %.*s%s%s", follow->name,
	               (unsigned long long)number,
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

/* Note how a line compares with the one before.  False: it is out of order. */
static bool
note(struct gs_line_follow *follow, int difference)
{
	follow->breaks += difference > 0;
	follow->duplicates += difference == 0;
	return difference < 0 || follow->counts_breaks || (difference == 0 && !follow->strict);
}

/* How many lines an editor shows of COUNT lines from BEGIN to END: with CSV, one may be several. */
static uint64_t
count_lines(const struct gs_line_follow *follow, const char *begin, const char *end, size_t count)
{
	return follow->order->fields.csv ? gs_count_byte(begin, end, follow->order->terminator) : count;
}

/* Compare COUNT lines, each with the one before it, and the first with the last one of before. */
static gs_status
compare_batch(struct gs_line_follow *follow, uint64_t before, const char *const *lines,
              const uint32_t *bytes, size_t count)
{
	uint64_t words[BATCH_LINES];

	if (follow->last_bytes > 0 &&
	    !note(follow, gs_line_compare(follow->order, follow->last, follow->last_bytes, lines[0],
	                                  bytes[0])))
		return fail(follow, before + 1, lines[0], bytes[0]);
	(void)gs_line_words(follow->order, lines, bytes, count, 0, words);
	for (size_t i = 1; i < count; i++) {
		const int difference = words[i - 1] < words[i] ? -1 : words[i - 1] > words[i] ? 1
			: gs_line_compare(follow->order, lines[i - 1], bytes[i - 1], lines[i], bytes[i]);

		if (!note(follow, difference))
			return fail(follow, before + 1 + count_lines(follow, lines[0], lines[i], i),
			            lines[i], bytes[i]);
	}
	return keep(follow, lines[count - 1], bytes[count - 1]);
}

gs_status
gs_line_follow_lines(struct gs_line_follow *follow, uint64_t before, const char *const *lines,
                     const uint32_t *bytes, size_t count)
{
	assert(count <= BATCH_LINES);
	follow->compared += count;
	return count > 0 ? compare_batch(follow, before, lines, bytes, count) : GS_OK;
}
