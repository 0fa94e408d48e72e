// SPDX-License-Identifier: BSD-2-Clause
/*
 * item_merger.h - sorted sources of items become one
 *
 *     open; set the sources; begin; drain; close
 *
 * Of equal items those of the first source come first.
 */
#ifndef GS_STAGES_ITEM_MERGER_H
#define GS_STAGES_ITEM_MERGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "gsort.h"
#include "sort/follow.h"
#include "sort/items/items.h"
#include "sort/span.h"

struct gs_merge_source {
	/** The next items, which ascend; none at the end. */
	gs_status (*fill)(void *context, struct gs_item_slice *items);
	void       *context;

	/* for the merger */
	const char *at, *end;		/* items that are left */
	size_t      bytes;		/* of the one at AT */
	uint64_t    word;		/* its first */
};

struct gs_item_merger {
	const struct gs_item_order *order;
	struct gs_merge_source  *sources;
	size_t                  count;
	struct gs_merge_source **heap;
	size_t                  heap_count;
	uint64_t                items;	/* that were read */

	/* what leaves */
	const struct gs_span_sink *sink;
	struct gs_arena arena;		/* the memory of: */
	char     *out;
	uint64_t *times;
	size_t    out_bytes, out_most;	/* that OUT has; its room */
	size_t    out_count, out_room;	/* items; that TIMES has room for */
	char     *group;		/* its first item */
	size_t    group_bytes, group_room;
	uint64_t  group_times;		/* 0: no group has begun */
	bool      groups, verifies;
	uint64_t  least, most, left;
	struct gs_follow follow;	/* with VERIFIES: all items before any is selected, and */
	uint64_t  sum;			/* theirs */
};

/** Begin, with ROOM bytes for items that leave; OPTIONS select and verify.  GS_EBUDGET: no memory. */
MUST_CHECK gs_status gs_item_merger_open(struct gs_item_merger *merger,
                                         const struct gs_item_order *order,
                                         const struct gsort_options *options, size_t count, size_t room);

/** Read the first items of all sources. */
MUST_CHECK gs_status gs_item_merger_begin(struct gs_item_merger *merger);

/** Hand on what leaves; all sources are read to their end, even if only a head leaves. */
MUST_CHECK gs_status gs_item_merger_drain(struct gs_item_merger *merger, const struct gs_span_sink *sink);

/** A zeroed struct is allowed. */
void gs_item_merger_close(struct gs_item_merger *merger);

#endif
