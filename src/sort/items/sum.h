// SPDX-License-Identifier: BSD-2-Clause
/*
 * sum.h - a sum over items that does not depend on their order
 *
 * As sort/checksum.h, of items: each is mixed to 64 bits, with its length.
 */
#ifndef GS_ITEM_SUM_H
#define GS_ITEM_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sort/items/items.h"

/** What an item adds to a sum. */
uint64_t gs_item_hash(const char *item, size_t bytes);

/** A sum over bytes that does depend on their order: one changed byte always changes it. */
uint64_t gs_bytes_sum(const char *data, size_t bytes);

/** The sum of all items in SLICE. */
uint64_t gs_items_sum(const struct gs_item_order *order, const struct gs_item_slice *slice);

/* What a verification knows of sorted items; FIRST NULL: there was none. */
struct gs_item_digest {
	uint64_t sum;		/* gs_items_sum() */
	bool     falls;		/* they are not in order */
	char    *first, *last;	/* copies for free(3) */
	size_t   first_bytes, last_bytes;
};

#endif
