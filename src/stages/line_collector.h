// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_collector.h - whole lines of one input, behind one another in memory
 *
 * The stage that cuts the lines of a sort (line_ingest.h) cuts these, too.
 */
#ifndef GS_STAGES_LINE_COLLECTOR_H
#define GS_STAGES_LINE_COLLECTOR_H

#include <stddef.h>

#include "stages/line_ingest.h"

/* A line takes at most this share of memory: it grows in two buffers, and may be that of the output, and
 * of a group of equal ones. */
enum { GS_COLLECTED_SHARE = 10 };

struct gs_line_collector {
	struct gs_line_ingest ingest;
	char   *lines;
	size_t  bytes, room;
	size_t *spare;		/* memory that may be taken, of all collectors */
	bool    borrows;	/* the header is that of another */
};

/** Begin; all are borrowed.  FIRST: the collector of the first of all inputs, whose header is that of all;
 *  or this one.  MONITOR, OPTIONS and FOLLOW as for gs_line_ingest_open(). */
void gs_line_collector_open(struct gs_line_collector *collector, const struct gs_line_collector *first,
                            struct gs_line_order *order, const struct gs_text_options *options,
                            struct gs_follow *follow, struct gs_monitor *monitor, size_t *spare);

/** A zeroed struct is allowed; the first one is closed last. */
void gs_line_collector_close(struct gs_line_collector *collector);

#endif
