// SPDX-License-Identifier: BSD-2-Clause
/*
 * items.h - items: bytes with a key, their order, and the walk over them
 *
 * An item is bytes that are kept unchanged: a record of a fixed length, or a line with its
 * terminator.  The engine knows about a key only what an order tells: word number LEVEL of the
 * key of an item, an unsigned integer of 64 bits.  Items compare by their words, first word
 * first.  COMPARE decides a tie of all words, and the place in the input a tie of that.
 * So every sort is ascending and stable.  Descending orders complement their words.
 *
 * For a key that memcmp(3) orders, word 0 is its first 8 bytes, big endian, word 1 the next 8, and
 * 0 stands for missing bytes.
 */
#ifndef GS_ITEMS_H
#define GS_ITEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The most bytes of an item: lengths have 32 bits. */
#define GS_ITEM_MOST_BYTES	((size_t)UINT32_MAX - 4096)

/* A batch makes its second words after one tie of first words for this many items: comparing two items takes
 * as long as making words of several.  This number had the fewest instructions in a merge of lines by a text
 * and a number. */
enum { GS_ITEMS_A_TIE = 32 };

/* The most items of a batch: loads for one item overlap with those for others. */
enum { GS_ITEM_BATCH = 256 };

struct gs_item_order {
	/** The length of every item; 0: lengths differ, and END() finds them. */
	size_t item_bytes;

	/** The end of the item at ITEM; LIMIT is the end of this item or of a later one.  Items are
	 *  contiguous.  NULL if they have a fixed length. */
	const char *(*end)(const void *context, const char *item, const char *limit);

	/** The same for many items: set ITEMS and BYTES for up to ROOM items from *AT on, and *AT to their
	 *  end.  NULL: END() is called. */
	size_t (*split)(const void *context, const char **at, const char *limit, const char **items,
	                uint32_t *bytes, size_t room);

	/**
	 * Store in WORDS[i] the eight bytes from byte AT of the words of ITEMS[i], for COUNT items.  After
	 * the end of a key, words are 0.  Any thread; the words of an item depend only on the item.
	 *
	 * @bytes   the length of each; not read if they have a fixed length
	 * @at      a multiple of 8, unless ANY_AT
	 * @return  true: later bytes may not be 0; false: all later bytes are 0
	 */
	bool (*words)(const void *context, const char *const *items, const uint32_t *bytes,
	              size_t count, unsigned at, uint64_t *words);
	bool any_at;

	/** Return less than, equal to or greater than 0, as memcmp(3) does, in agreement with words that
	 *  differ.  NULL: items are equal if all of their words are. */
	int (*compare)(const void *context, const char *one, size_t one_bytes, const char *other,
	               size_t other_bytes);

	/**
	 * With COMPARE(): items whose words from AT on tie, and end, may still differ in a text.  Store the
	 * place of this text in *TEXT and *BYTES: items with the same bytes there are equal so far.  May be
	 * NULL.
	 *
	 * @return  the byte at which the words after this text begin; 0: no such text
	 */
	unsigned (*text)(const void *context, unsigned at, const char *item, size_t item_bytes,
	                 const char **text, size_t *bytes);

	/** Compare two items by that text alone. */
	int (*compare_text)(const void *context, unsigned at, const char *one, size_t one_bytes,
	                    const char *other, size_t other_bytes);

	/** With COMPARE(), the most bytes of words.  If the words of two items tie and end before that, the
	 *  items are equal; 0: items that tie may always differ. */
	unsigned word_bytes;

	const void *context;
};

/** If the words of two items tie and end within the first BYTES, are the items equal? */
static inline bool
gs_item_words_decide(const struct gs_item_order *order, unsigned bytes)
{
	return order->compare == NULL || bytes < order->word_bytes;
}

/* Whole items, contiguous in memory. */
struct gs_item_slice {
	const char *data;
	size_t      bytes;
};

/** Compare two items by their words from LEVEL on, then by COMPARE; 0: they are equal. */
int gs_item_compare(const struct gs_item_order *order, unsigned level, const char *one,
                    size_t one_bytes, const char *other, size_t other_bytes);

/** The same for items whose words before LEVEL tie, by COMPARE() alone if there is one, which is faster than
 *  making all words again. */
static inline int
gs_item_compare_whole(const struct gs_item_order *order, unsigned level, const char *one,
                      size_t one_bytes, const char *other, size_t other_bytes)
{
	return order->compare != NULL
	       ? order->compare(order->context, one, one_bytes, other, other_bytes)
	       : gs_item_compare(order, level, one, one_bytes, other, other_bytes);
}

/** Do two items have the same bytes?  Then they are equal in any order. */
static inline bool
gs_item_same(const char *one, size_t one_bytes, const char *other, size_t other_bytes)
{
	return one_bytes == other_bytes && memcmp(one, other, one_bytes) == 0;
}

/** The length of the item at ITEM; LIMIT as for END(). */
static inline size_t
gs_item_length(const struct gs_item_order *order, const char *item, const char *limit)
{
	return order->item_bytes > 0 ? order->item_bytes
	                             : (size_t)(order->end(order->context, item, limit) - item);
}

/** The bytes of COUNT items from DATA on; LIMIT as for END(). */
static inline size_t
gs_items_bytes(const struct gs_item_order *order, const char *data, const char *limit, size_t count)
{
	size_t at = 0;

	if (order->item_bytes > 0)
		return count * order->item_bytes;
	for (; count > 0; count--)
		at += gs_item_length(order, data + at, limit);
	return at;
}

/* ---- batches of items --------------------------------------------------------------- */

/* Items with their words. */
struct gs_item_batch {
	const char **items;
	uint32_t    *bytes;		/* the length of each; not read if they have a fixed length */
	uint64_t    *words;		/* the first word of each, ... */
	uint64_t    *nexts;		/* ... and from item NEXTS_FROM on, the second */
	size_t       count, nexts_from;
	size_t       ties;		/* of first words, so far */
	bool         more;		/* words may continue after the first */
};

static inline size_t
gs_item_batch_bytes(const struct gs_item_order *order, const struct gs_item_batch *batch, size_t at)
{
	return order->item_bytes > 0 ? order->item_bytes : batch->bytes[at];
}

/** Make the first words of all items; ties make the second ones when needed. */
static inline void
gs_item_batch_words(const struct gs_item_order *order, struct gs_item_batch *batch)
{
	batch->more = order->words(order->context, batch->items, batch->bytes, batch->count, 0, batch->words);
	batch->nexts_from = batch->count;
	batch->ties = 0;
}

/** Compare two items whose first words tie; after a few ties, by their second words.  0: they are equal. */
int gs_item_batch_compare(const struct gs_item_order *order, struct gs_item_batch *one, size_t one_at,
                          struct gs_item_batch *other, size_t other_at);

/* ---- a walk over the items of slices, a batch at a time; a copy of an item -------- */

/* The state of a walk. */
struct gs_item_walk {
	const struct gs_item_order *order;
	const struct gs_item_slice *slices;
	size_t      slice_count;
	const char *at, *end;	/* of the current slice */
};

static inline struct gs_item_walk
gs_item_walk_begin(const struct gs_item_order *order, const struct gs_item_slice *slices,
                   size_t count)
{
	return (struct gs_item_walk){ order, slices, count, NULL, NULL };
}

/* How many slices ahead of the walk to prefetch, and how many bytes of each: the slices of a part are short,
 * and scattered in memory. */
enum { GS_ITEM_WALK_AHEAD = 2, GS_ITEM_WALK_AHEAD_BYTES = 2048 };

/** Go to the next items, at most ROOM: set ITEMS and, unless they have a fixed length, BYTES.
 *  Returns their number; 0 at the end. */
static inline size_t
gs_item_walk_next(struct gs_item_walk *walk, const char **items, uint32_t *bytes, size_t room)
{
	const size_t item_bytes = walk->order->item_bytes;
	size_t count = 0;

	while (count < room) {
		if (walk->at == walk->end) {
			size_t at = 0;

			if (walk->slice_count == 0)
				break;
			walk->at = walk->slices->data;
			walk->end = walk->at + walk->slices->bytes;
			if (item_bytes == 0 && walk->slice_count > GS_ITEM_WALK_AHEAD)
				for (const struct gs_item_slice *later = walk->slices + GS_ITEM_WALK_AHEAD;
				     at < later->bytes && at < GS_ITEM_WALK_AHEAD_BYTES; at += 64)
					__builtin_prefetch(later->data + at);
			walk->slices++;
			walk->slice_count--;
			continue;
		}
		if (walk->order->split != NULL) {
			count += walk->order->split(walk->order->context, &walk->at, walk->end,
			                            items + count, bytes + count, room - count);
			continue;
		}
		if (item_bytes > 0) {
			const char *at = walk->at, *end = walk->end;

			for (; at < end && count < room; at += item_bytes)
				items[count++] = at;
			walk->at = at;
			continue;
		}
		items[count] = walk->at;
		bytes[count] = (uint32_t)gs_item_length(walk->order, walk->at, walk->end);
		walk->at += bytes[count++];
	}
	return count;
}

/** Copy BYTES that do not overlap.  Items are short: a call of memcpy(3) takes as long as a copy of up to 128
 *  bytes.  150 to 250 bytes take 7.5 ns with it and 12.7 ns without (Emerald Rapids, in the cache). */
static inline void
gs_item_copy(char *to, const char *from, size_t bytes)
{
	if (bytes < 8 || bytes > 128) {
		memcpy(to, from, bytes);
		return;
	}
	if (bytes < 16) {
		memcpy(to, from, 8);
		memcpy(to + bytes - 8, from + bytes - 8, 8);
		return;
	}
	for (size_t at = 0; at + 16 <= bytes; at += 16)
		memcpy(to + at, from + at, 16);
	if (bytes % 16 > 0)
		memcpy(to + bytes - 16, from + bytes - 16, 16);
}

/* ---- sums that do not depend on the order of items: sort/checksum.h for items ------ */

/** The hash that an item adds to a sum. */
uint64_t gs_item_hash(const char *item, size_t bytes);

/** A sum over bytes that does depend on their order: one changed byte always changes it. */
uint64_t gs_bytes_sum(const char *data, size_t bytes);

/** The sum of all items in SLICE. */
uint64_t gs_items_sum(const struct gs_item_order *order, const struct gs_item_slice *slice);

/* What verification knows about sorted items; FIRST NULL: there were no items. */
struct gs_item_digest {
	uint64_t sum;		/* gs_items_sum() */
	bool     falls;		/* the items are not in order */
	char    *first, *last;	/* copies for free(3) */
	size_t   first_bytes, last_bytes;
};

#endif
