// SPDX-License-Identifier: BSD-2-Clause
/* item_parts.h - the parts of buckets, each of which a thread sorts at once */
#ifndef GS_STAGES_ITEM_PARTS_H
#define GS_STAGES_ITEM_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stages/item_buckets.h"
#include "stages/item_sink.h"

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
