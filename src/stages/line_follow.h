// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_follow.h - are the lines of an input in order, and if not, where?
 *
 * For -c, and for -m, whose inputs must be sorted.
 */
#ifndef GS_STAGES_LINE_FOLLOW_H
#define GS_STAGES_LINE_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "format/line_order.h"

enum { GS_LINE_FOLLOW_LINES = 512 };	/* whose words are made at once; not tuned */

/* The lines of one input that have been compared. */
struct gs_line_follow {
	const struct gs_line_order *order;
	const char *name;	/* of the input */
	const char *tail;	/* of the message */
	bool        strict;	/* equal lines are out of order, too */
	bool        counts_breaks;	/* count lines that are out of order, do not stop */
	bool        disorder;	/* one was found; the message says where */
	uint64_t  (*lines_before)(void *context, const char *name, bool count);	/* NULL; or as in */
	void       *lines_context;	/* struct gs_text_options: of a part of a file */
	uint64_t    compared;	/* of all inputs, without headers */
	uint64_t    breaks;	/* lines less than the one before */
	uint64_t    duplicates;	/* and equal to it */
	char       *last;	/* a copy of the last line */
	size_t      last_bytes, last_room;
};

/** Begin with another input. */
void gs_line_follow_begin(struct gs_line_follow *follow, const char *name);

/**
 * Compare the next COUNT lines, up to GS_LINE_FOLLOW_LINES, which lie behind one another.
 *
 * @before  lines of the input before them, as an editor counts them
 * @return  GS_OK; GS_EINPUT: follow.disorder, with its message; GS_EBUDGET
 */
MUST_CHECK gs_status gs_line_follow_lines(struct gs_line_follow *follow, uint64_t before,
                                          const char *const *lines, const uint32_t *bytes,
                                          size_t count);

/** A zeroed struct is allowed. */
void gs_line_follow_close(struct gs_line_follow *follow);

#endif
