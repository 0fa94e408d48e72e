// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_faults.c - lines whose strict keys are not numbers: refused, or left out
 *
 * In:   whole lines.
 * Out:  the valid lines; warnings, or an error that names the first invalid line.
 */
#include <string.h>

#include "text/disorder.h"
#include "text/line.h"
#include "linekey/line_order.h"
#include "linekey/skip.h"
#include "ingest/line_ingest.h"

enum { BATCH_LINES = GS_ITEM_BATCH };

/* Find the first of COUNT lines whose KEY is at fault. */
static size_t
find_fault(const struct gs_line_faults *faults, const char *const *lines, const uint32_t *bytes,
           size_t count, size_t *key)
{
	return !faults->order->strict ? count
	       : gs_line_fault_find(faults->order, faults->options->invalid == GSORT_INVALID_SKIP_BLANK,
	                            lines, bytes, count, key);
}

uint64_t
gs_line_shown(const struct gs_line_faults *faults, const char *begin, const char *end, size_t count)
{
	return faults->order->fields.csv ? gs_count_byte(begin, end, faults->order->terminator) : count;
}

void
gs_line_check(const struct gs_line_faults *faults, struct gs_line_piece *piece)
{
	const char *lines[BATCH_LINES], *at = piece->data;
	uint32_t bytes[BATCH_LINES];
	size_t count, key, all = 0;

	for (; at < piece->end && !piece->faulty; all += count) {
		count = gs_line_split(faults->order, &at, piece->end, lines, bytes, BATCH_LINES);
		piece->faulty = find_fault(faults, lines, bytes, count, &key) < count;
	}
	piece->shown = gs_line_shown(faults, piece->data, piece->end, all);
}

static gs_status
reject(struct gs_line_faults *faults, size_t key, const char *line, size_t bytes)
{
	const enum gsort_invalid invalid = faults->options->invalid;
	const bool aborts = invalid == GSORT_INVALID_ABORT || invalid == GSORT_INVALID_SKIP_BLANK;
	char reason[GS_LINE_FAULT_BYTES] = "";
	uint64_t number = 0;

	if (aborts || gs_line_warns(faults->options, faults->invalid)) {	/* else nobody reads it */
		number = gs_line_number(faults->options, faults->name, faults->shown + 1);
		gs_line_fault_explain(faults->order, key, line, bytes, aborts ? number : 0, reason);
	}
	return gs_line_reject_for(faults->options, faults->name, number, invalid == GSORT_INVALID_ABORT ||
	                          (aborts && reason[0] != '\0'), reason, &faults->invalid);
}

gs_status
gs_line_disorder(const struct gs_line_faults *faults, uint64_t number, const char *line, size_t bytes)
{
	return gs_disorder_line(faults->name, gs_line_number(faults->options, faults->name, number), line,
	                        bytes - (line[bytes - 1] == faults->order->terminator), !faults->merges ? ""
	                        : faults->order->key_count > 0 && faults->order->last_resort
	                        ? GS_ADVICE_TIES : GS_ADVICE_UNSORTED);
}

/* The next COUNT lines come in order; or an error. */
static gs_status
follow(const struct gs_line_faults *faults, const char **lines, uint32_t *bytes, size_t count)
{
	const size_t first = faults->follow == NULL ? count
	                                            : gs_follow_items(faults->follow, lines, bytes, count);

	if (first == count)
		return GS_OK;
	if (first == SIZE_MAX)
		return gs_fail(GS_EBUDGET, "%s: no memory for a line of %u bytes", faults->name,
		               bytes[count - 1]);
	return gs_line_disorder(faults,
	                        faults->shown + gs_line_shown(faults, lines[0], lines[first], first) + 1,
	                        lines[first], bytes[first]);
}

gs_status
gs_line_leave_out(struct gs_line_faults *faults, char *data, const char **end)
{
	const char *from = data, *limit = *end, *lines[BATCH_LINES];
	uint32_t bytes[BATCH_LINES];
	size_t key = 0;

	while (from < limit) {
		const size_t count = gs_line_split(faults->order, &from, limit, lines, bytes, BATCH_LINES);

		for (size_t at = 0, sound; at < count; at += sound) {
			const char *begin = lines[at], *behind;

			sound = find_fault(faults, lines + at, bytes + at, count - at, &key);
			if (sound == 0) {
				TRY(reject(faults, key, begin, bytes[at]));
				sound = 1;
				faults->shown += gs_line_shown(faults, begin, begin + bytes[at], 1);
				continue;
			}
			behind = lines[at + sound - 1] + bytes[at + sound - 1];
			TRY(follow(faults, lines + at, bytes + at, sound));
			faults->shown += gs_line_shown(faults, begin, behind, sound);
			if (data < begin)
				memmove(data, begin, (size_t)(behind - begin));
			data += behind - begin;
		}
	}
	*end = data;
	return GS_OK;
}
