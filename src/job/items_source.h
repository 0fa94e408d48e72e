// SPDX-License-Identifier: BSD-2-Clause
/* items_source.h - one sorted input of a merge of records or lines, a buffer at a time */
#ifndef GS_JOB_ITEMS_SOURCE_H
#define GS_JOB_ITEMS_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "job/job.h"
#include "job/stretch.h"

/* A line takes at most this share of memory: it grows in two buffers, and may be that of the output, and
 * of a group of equal ones. */
enum { GS_MERGE_SHARE = 10 };

struct gs_items_source {
	struct gsort    *job;
	const char      *name;
	struct gs_input *input;		/* NULL: not begun, or ended */
	bool             begun, first;
	struct gs_follow follow;
	struct gs_stretch stretch;	/* of records */
	char            *header;	/* of the first source.  Records: room for it; lines: set when it
					 * is read */
	size_t           header_bytes;
	char            *buffer;	/* borrowed */
	size_t           room;		/* bytes: records have it whole */
	const char      *at, *end;	/* items that are left */
	size_t           item_bytes;	/* of the one at AT */
	uint64_t         word;		/* its first */
	uint64_t         bytes, sum;	/* read */

	/* Lines. */
	struct gs_line_ingest ingest;
	char            *lines;		/* whole ones */
	size_t           lines_bytes, lines_room;
	size_t          *spare;		/* memory that lines may take beside the buffers, of all sources */
};

/** Go to the next item; *ANY: there is one.  FIRST: the first of all sources, whose header the others'
 *  must be, if keys name columns.  GS_EINPUT: it is out of order, or no whole record; GS_EIO; GS_EBUDGET. */
MUST_CHECK gs_status gs_items_source_next(struct gs_items_source *source,
                                          const struct gs_items_source *first, bool *any);

/** A zeroed struct is allowed. */
void gs_items_source_close(struct gs_items_source *source);

#endif
