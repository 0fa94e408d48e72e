// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_ends.h - where lines end
 *
 * With CSV a terminator between quotes ends no line.  A quote opens only where a field begins, as for
 * Python's csv; in any other place it is data.
 */
#ifndef GS_LINE_ENDS_H
#define GS_LINE_ENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/line_order.h"

/* A place in a line of CSV. */
struct gs_line_place {
	bool quoted;		/* it is between quotes */
	bool opens;		/* or else: a quote here opens, as a field begins, or as one that closed
				 * quotes is before it: both are one */
};

#define GS_LINE_PLACE_BEGIN	((struct gs_line_place){ false, true })	/* of a line */

/** Where the line at LINE ends, behind its terminator, or at LIMIT. */
const char *gs_line_end(const struct gs_line_order *order, const char *line, const char *limit);

/** Find up to ROOM lines from *AT on: set LINES and BYTES, and *AT to the end of the last one.  The last
 *  line before LIMIT may lack its terminator. */
size_t gs_line_split(const struct gs_line_order *order, const char **at, const char *limit,
                     const char **lines, uint32_t *bytes, size_t room);

/** As gs_line_end() from AT on, which is at *PLACE of a line, and then what is returned is.  *WHOLE: a
 *  terminator is before it. */
const char *gs_line_end_within(const struct gs_line_order *order, const char *at, const char *limit,
                               struct gs_line_place *place, bool *whole);

/** Where the last line that ends before LIMIT, or there, ends; LINE: none does.  O(LIMIT - LINE) with
 *  CSV. */
const char *gs_line_last_end(const struct gs_line_order *order, const char *line, const char *limit);

#endif
