// SPDX-License-Identifier: BSD-2-Clause
/*
 * items.h - items: keys with something attached, the order of them, and the walk over them
 *
 * An item is bytes that are kept as they are: a record of a fixed length, or a line with its
 * terminator.  The engine knows nothing of keys but what an order tells: word number LEVEL of the
 * key of an item, an unsigned integer of 64 bits.  Items compare by their words, first word
 * first; a tie of all words is decided by COMPARE, and a tie of that by the place in the input.
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

/* Most bytes of an item: lengths are 32 bits wide. */
#define GS_ITEM_MOST_BYTES	((size_t)UINT32_MAX - 4096)

/* A batch makes its second words after one tie of first words for so many items: comparing two items takes
 * as long as making words of several.  The number had the fewest instructions in a merge of lines by a text
 * and a number. */
enum { GS_ITEMS_A_TIE = 32 };

/* Items that are looked at together, at most, so that one need not wait for another's loads. */
enum { GS_ITEM_BATCH = 256 };

struct gs_item_order {
	/** Bytes of every item; 0: they differ, and END() tells. */
	size_t item_bytes;

	/** Where the item at ITEM ends; LIMIT is the end of it or of an item after it.  Items lie one
	 *  after the other.  NULL if they have a fixed length. */
	const char *(*end)(const void *context, const char *item, const char *limit);

	/** The same for many: set ITEMS and BYTES for up to ROOM items from *AT on, and *AT to their
	 *  end.  NULL: END() does. */
	size_t (*split)(const void *context, const char **at, const char *limit, const char **items,
	                uint32_t *bytes, size_t room);

	/**
	 * Store in WORDS[i] the eight bytes from byte AT of the words of ITEMS[i], for COUNT items.  A key
	 * that has ended has words of 0.  Any thread; the word of an item depends on nothing but the item.
	 *
	 * @bytes   length of each; NULL if they have a fixed length
	 * @at      a multiple of 8, unless ANY_AT
	 * @return  true: bytes behind these may be other than 0; false: all of them are 0
	 */
	bool (*words)(const void *context, const char *const *items, const uint32_t *bytes,
	              size_t count, unsigned at, uint64_t *words);
	bool any_at;

	/** Less than, equal to or greater than 0, as memcmp(3): as the words, if they differ.  NULL: items
	 *  whose words are all equal are equal. */
	int (*compare)(const void *context, const char *one, size_t one_bytes, const char *other,
	               size_t other_bytes);

	/**
	 * With COMPARE(): items whose words from AT on tie, and end, may still differ by a text in them.
	 * Store where that is in *TEXT and *BYTES: items with the same bytes there are equal so far.  May
	 * be NULL.
	 *
	 * @return  where the words of what decides after that text begin; 0: no such text
	 */
	unsigned (*text)(const void *context, unsigned at, const char *item, size_t item_bytes,
	                 const char **text, size_t *bytes);

	/** Compare two items by that text alone. */
	int (*compare_text)(const void *context, unsigned at, const char *one, size_t one_bytes,
	                    const char *other, size_t other_bytes);

	/** With COMPARE(), the most bytes of words.  Items whose words tie and end before that are equal;
	 *  0: any that tie may differ. */
	unsigned word_bytes;

	const void *context;
};

/** Are items equal whose words tie and end within the first BYTES? */
static inline bool
gs_item_words_decide(const struct gs_item_order *order, unsigned bytes)
{
	return order->compare == NULL || bytes < order->word_bytes;
}

/* Whole items, one after the other. */
struct gs_item_slice {
	const char *data;
	size_t      bytes;
};

/** Compare two items by their words from LEVEL on, then by COMPARE; 0: they are equal. */
int gs_item_compare(const struct gs_item_order *order, unsigned level, const char *one,
                    size_t one_bytes, const char *other, size_t other_bytes);

/** The same for items whose words before LEVEL tie, by COMPARE() alone where there is one: it is faster than
 *  words that are all made again. */
static inline int
gs_item_compare_whole(const struct gs_item_order *order, unsigned level, const char *one,
                      size_t one_bytes, const char *other, size_t other_bytes)
{
	return order->compare != NULL
	       ? order->compare(order->context, one, one_bytes, other, other_bytes)
	       : gs_item_compare(order, level, one, one_bytes, other, other_bytes);
}

/** Have both the same bytes?  Then they are equal, whatever their order. */
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

/* ---- items that are looked at together ------------------------------------------- */

/* Items with their words. */
struct gs_item_batch {
	const char **items;
	uint32_t    *bytes;		/* length of each; NULL if they have a fixed length */
	uint64_t    *words;		/* the first one of each, */
	uint64_t    *nexts;		/* and the second ones from item NEXTS_FROM on */
	size_t       count, nexts_from;
	size_t       ties;		/* of first words, so far */
	bool         more;		/* words may go on behind the first */
};

static inline size_t
gs_item_batch_bytes(const struct gs_item_order *order, const struct gs_item_batch *batch, size_t at)
{
	return order->item_bytes > 0 ? order->item_bytes : batch->bytes[at];
}

/** Make the first words of all; the second ones are made when ties want them. */
static inline void
gs_item_batch_words(const struct gs_item_order *order, struct gs_item_batch *batch)
{
	batch->more = order->words(order->context, batch->items, batch->bytes, batch->count, 0, batch->words);
	batch->nexts_from = batch->count;
	batch->ties = 0;
}

/** Compare two items whose first words tie, by second words after a few such ties; 0: they are equal. */
int gs_item_batch_compare(const struct gs_item_order *order, struct gs_item_batch *one, size_t one_at,
                          struct gs_item_batch *other, size_t other_at);

/* ---- the items of some slices, a batch at a time; and to copy an item ------------ */

/* Where a walk is. */
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

/* Slices that are loaded before they are walked, and bytes of each: the slices of a part are short, and lie
 * all over the memory. */
enum { GS_ITEM_WALK_AHEAD = 2, GS_ITEM_WALK_AHEAD_BYTES = 2048 };

/** Go to the next items, ROOM at most: set ITEMS and, unless they have a fixed length, BYTES.
 *  Returns how many; 0 at the end. */
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
 *  bytes.  150 to 250 bytes take 7.5 ns by it and 12.7 without (Emerald Rapids, in the cache). */
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
