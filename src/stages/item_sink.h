// SPDX-License-Identifier: BSD-2-Clause
/* item_sink.h - what a store of items is asked for, and who takes its sorted items */
#ifndef GS_STAGES_ITEM_SINK_H
#define GS_STAGES_ITEM_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "sort/items/items.h"

struct gs_item_store_options {
	const struct gs_item_order *order;	/* borrowed */
	unsigned  threads;
	uint64_t  memory_bytes;		/* that the store may use, in all */
	uint64_t  beside_bytes;		/* memory of the job that it may not use, for messages */
	uint64_t  input_bytes;		/* of items that will come, about; UINT64_MAX: unknown */
	bool      guessed;		/* INPUT_BYTES may be less than what comes */
	const char *const *temp_dirs;	/* used in rotation */
	size_t    temp_dir_count;	/* at least 1 */

	/* Which items leave.  A group is items that are equal; the first of them stands for all. */
	bool      groups;		/* one of each group of LEAST .. MOST items; false: all items */
	uint64_t  least, most;
	bool      head, tail;		/* of what would leave, only the first or last COUNT */
	uint64_t  count;
	bool      origins;		/* pieces come from several origins, after a sample */
	bool      verify;		/* make a digest of what is drained */

	/* Of each item only EMIT_BYTES from EMIT_AT on leave; 0: whole items. */
	size_t    emit_at, emit_bytes;
};

/* Items that leave, in order, and one after the other in memory. */
struct gs_item_span {
	const char     *data;
	size_t          bytes;
	size_t          count;		/* items */
	const uint64_t *times;		/* with groups: how many items each stands for; else NULL */
};

/* Of all items that were sorted, for verify.h; FIRST NULL: there was none. */
struct gs_item_digest {
	uint64_t sum;		/* gs_items_sum() */
	bool     falls;		/* they are not in order */
	char    *first, *last;	/* copies for free(3) */
	size_t   first_bytes, last_bytes;
};

/* A consumer.  TAKE() is called for the spans in order, by one thread at a time but not always
 * the same.  If PUT() is set, it is called instead where every item has its place before those in
 * front of it are sorted: without groups, items of a fixed length.  It is called by many threads
 * at once, in any order; AT is the number of the first item, among those that leave. */
struct gs_item_sink {
	gs_status (*take)(void *context, const struct gs_item_span *span);
	gs_status (*put)(void *context, uint64_t at, const struct gs_item_span *span);
	void       *context;
};

#endif
