// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_show.h - lines with their number of occurrences, and with marks below their keys
 */
#ifndef GS_STAGES_LINE_SHOW_H
#define GS_STAGES_LINE_SHOW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "format/line_order.h"
#include "stages/emit.h"

struct gs_line_show {
	const struct gs_line_order *order;
	struct gs_emit *emit;
	bool    counts, underline;
	char   *text;		/* that is not written yet */
	size_t  bytes, room;
};

/** From now on EMIT writes lines in this form.  All are borrowed. */
void gs_line_show_open(struct gs_line_show *show, const struct gs_line_order *order,
                       struct gs_emit *emit, bool counts, bool underline);

/** A zeroed struct is allowed. */
void gs_line_show_close(struct gs_line_show *show);

#endif
