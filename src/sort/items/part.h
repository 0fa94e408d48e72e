// SPDX-License-Identifier: BSD-2-Clause
/*
 * part.h - sort the items of one part, in one thread
 *
 * A part is slices of items, in input order.  Only words and places move; the items stay where
 * they are until they are gathered.
 *
 *     collect; [fold]; sort; [select]; gather
 */
#ifndef GS_ITEM_PART_H
#define GS_ITEM_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sort/items/items.h"
#include "sort/set_merge.h"

/* What an item of a part needs, beside its own bytes and the gathered ones. */
enum { GS_ITEM_PART_BYTES = 8 + 4 + 8 + 8 + 4 + 1 + 4 + 8 };

struct gs_item_part {
	const struct gs_item_order *order;
	size_t       room;		/* items */
	const char **items;		/* by place in the input */
	uint32_t    *lengths;		/* of each, unless they have a fixed length */
	uint64_t    *words, *other;	/* to sort; OTHER is the table of a fold */
	uint32_t    *places;		/* of the sorted items */
	uint8_t     *equal;		/* to the sorted item before */
	uint64_t    *weights;		/* how many items each is, if EQUAL is set; or its word */
	uint64_t    *times;		/* of a selected item: of its group; where WORDS were */
	size_t       count;		/* items */
	uint32_t    *spare;		/* in a sort of ties */
	bool         mark_equal;	/* set EQUAL */
	bool         keeps_words;	/* set WEIGHTS to a word of each, unless there is one item ... */
	unsigned     kept_from;		/* ... the eight bytes from this one on */
	bool         in_place;		/* no item was moved yet: PLACES are 0, 1, 2 ... */
	uint32_t    *ends;		/* of a set: the places behind each operand; the caller's */
};

/* Items come from operands, one after the other; of each group of equal ones some are kept. */
struct gs_item_set {
	enum gs_set_keep keep;		/* A: all operands before one; B: that one */
	unsigned operands;		/* 0: not a set */
	bool     distinct;		/* equal items of an operand count as one */
};

/** Carve the arrays of PART from MEMORY, ROOM x GS_ITEM_PART_BYTES; 8 bytes are its alignment. */
void gs_item_part_init(struct gs_item_part *part, const struct gs_item_order *order, void *memory,
                       size_t room);

/** Note the items of SLICES, at most ROOM in all. */
void gs_item_part_collect(struct gs_item_part *part, const struct gs_item_slice *slices,
                          size_t count);

/** Add more slices after the ones that are there. */
void gs_item_part_add(struct gs_item_part *part, const struct gs_item_slice *slices, size_t count);

/** Items FROM .. part->count and their lengths were set. */
void gs_item_part_begin(struct gs_item_part *part, size_t from);

/** Items with the same bytes become the first of them, with their number as its weight, unless hardly any
 *  have (fold.c).  O(bytes). */
void gs_item_part_fold(struct gs_item_part *part);

/** Sort them; all share the first SHARED bytes of their words. */
void gs_item_part_sort(struct gs_item_part *part, unsigned shared);

/** Keep the first item of each group that has LEAST .. MOST items, and set TIMES; EQUAL is set. */
void gs_item_part_select(struct gs_item_part *part, uint64_t least, uint64_t most);

/** Keep what SET keeps; GROUPS: instead the first item of each group of which it keeps LEAST .. MOST, and
 *  set TIMES.  EQUAL is set (set.c). */
void gs_item_part_combine(struct gs_item_part *part, const struct gs_item_set *set, bool groups,
                          uint64_t least, uint64_t most);

/** Copy BYTES from AT on of each sorted item to INTO; 0 bytes: whole items.  Returns the bytes
 *  copied. */
size_t gs_item_part_gather(const struct gs_item_part *part, size_t at, size_t bytes, char *into);

static inline size_t
gs_item_part_length(const struct gs_item_part *part, size_t place)
{
	return part->order->item_bytes > 0 ? part->order->item_bytes : part->lengths[place];
}

/** The sorted item number AT, and its length. */
static inline const char *
gs_item_part_at(const struct gs_item_part *part, size_t at, size_t *bytes)
{
	const uint32_t place = part->places[at];

	*bytes = gs_item_part_length(part, place);
	return part->items[place];
}

#endif
