// SPDX-License-Identifier: BSD-2-Clause
/*
 * item_maker.h - sort one part of a bucket, in one thread
 *
 * The memory of a maker is for parts of its limits, and for the one item that is larger.  There are two
 * buffers for what is made, so that a part can be handed on while the next one is made.
 */
#ifndef GS_STAGES_ITEM_MAKER_H
#define GS_STAGES_ITEM_MAKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "sort/items/part.h"
#include "sort/span.h"
#include "stages/item_parts.h"

struct gs_item_maker {
	const struct gs_item_store_options *options;	/* borrowed, as what follows */
	const struct gs_division_shared    *shared;
	struct gs_arena       arena;		/* of all that follows */
	struct gs_item_slice *slices;
	char                 *load, *out;
	char                 *other;		/* as OUT, for another part; or NULL */
	size_t                limit;		/* bytes of each */
	struct gs_item_part   part;
	char                 *large;		/* an item that has no room in LOAD; or NULL */
};

/* What was made of a part: borrowed from the maker and the store, until the next part; or the one after it,
 * if the buffers are swapped. */
struct gs_item_made {
	struct gs_span span;	/* what leaves */
	uint64_t    items;		/* of the part */
	const char *first, *last;	/* for options.verify: items, and their lengths */
	size_t      first_bytes, last_bytes;
	uint64_t    sum;
	bool        falls;		/* it is not in order */
};

/** Get memory for COUNT PARTS, one after the other; LOADS: they are in files. */
MUST_CHECK gs_status gs_item_maker_open(struct gs_item_maker *maker,
                                        const struct gs_item_store_options *options,
                                        const struct gs_division_shared *shared,
                                        const struct gs_item_limits *limits,
                                        const struct gs_bucket_part *parts, size_t count,
                                        bool loads);

/**
 * Sort a part.
 *
 * @counts  only the numbers of items are wanted, and the files will be read again
 * @return  GS_OK; GS_EIO; GS_EBUDGET: no memory for an item that is larger than the limits
 */
MUST_CHECK gs_status gs_item_make(struct gs_item_maker *maker, const struct gs_bucket_part *part,
                                  bool counts, struct gs_item_made *made);

/** Keep what was MADE until the part after the next one is made: swap the buffers.  False: it is not all in
 *  its buffer, so it has to be handed on first. */
bool gs_item_maker_swap(struct gs_item_maker *maker, const struct gs_item_made *made);

/** What was made is not needed any more. */
void gs_item_maker_release(struct gs_item_maker *maker);

/** A zeroed struct is allowed. */
void gs_item_maker_close(struct gs_item_maker *maker);

#endif
