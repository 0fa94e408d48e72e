// SPDX-License-Identifier: BSD-2-Clause
/* item_parts.h - what a store of items is asked for, and the parts of its buckets, each of which a thread
 * sorts at once */
#ifndef GS_STAGES_ITEM_PARTS_H
#define GS_STAGES_ITEM_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stages/item_buckets.h"

struct gs_item_store_options {
	const struct gs_item_order *order;	/* borrowed */
	struct gs_item_store_facts facts;	/* from which its sizes are planned; it sets KEEPS */
	uint64_t  beside_bytes;		/* memory of the job that it may not use, for messages */
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

/* A bucket, or some rows or extents of one that is settled. */
struct gs_bucket_part {
	const struct gs_item_bucket *bucket;
	size_t   from, to;		/* rows or extents */
	uint64_t bytes;
	bool     first;			/* of its bucket */
	uint64_t items;			/* UINT64_MAX: nobody has counted */
	uint64_t least, most;		/* items before its first and up to its last one, at least and most */
};

/** Cut BUCKETS into parts of at most LIMITS.bytes, or of one item; returns how many.  PARTS NULL: only
 *  count.  Equal items are cut at LIMITS.bin_bytes, or rows: larger parts only touch more memory.  Of
 *  those of which one stands for all, only the first row is a part, unless all are to be verified. */
size_t gs_bucket_parts(const struct gs_item_buckets *buckets, const struct gs_item_limits *limits,
                      const struct gs_item_store_options *options, struct gs_bucket_part *shares);

#endif
