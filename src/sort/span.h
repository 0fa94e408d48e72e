// SPDX-License-Identifier: BSD-2-Clause
/*
 * span.h - spans and runs of sorted elements, the sinks that consume them, and staging buffers
 *
 * An element is a key, or an item: bytes with an order (sort/items/items.h).
 *
 * A key class is keys of one width that come before, or after, all keys of another key class.
 * Binary input and items are one key class (0); text has several, see text/text.h.  Classes are
 * drained in ascending order, or in descending order if the options say so.
 */
#ifndef GS_SPAN_H
#define GS_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum { GS_CLASSES = 5 };

/** The number of classes that have keys; keys of class C have BITS[C] bits, 0 if there are none. */
static inline unsigned
gs_class_count(const unsigned bits[GS_CLASSES])
{
	unsigned count = 0;

	for (unsigned c = 0; c < GS_CLASSES; c++)
		count += bits[c] > 0;
	return count;
}

/** The place of KEY_CLASS in the output; its own inverse: also the class at that place. */
static inline unsigned
gs_class_place(unsigned key_class, bool descending)
{
	return descending ? GS_CLASSES - 1 - key_class : key_class;
}

/* A staging buffer: unsorted keys on their way to a GPU. */
struct gs_staging {
	void     *keys;		/* uint32_t or uint64_t ordered bits */
	size_t    count;	/* keys in it */
	size_t    room;		/* keys that fit */
	uint64_t  sum;		/* the checksum of the keys in it */
	unsigned  key_bits;	/* 32 or 64 */
	unsigned  key_class;
	void     *handle;	/* for the lender */
};

/* Borrowed sorted elements, contiguous in memory. */
struct gs_span {
	union {
		void       *keys;	/* the borrower may change these in place, and TIMES */
		const char *items;
	};
	size_t    count;
	size_t    bytes;	/* of items; keys have COUNT * KEY_BITS / 8 */
	uint64_t *times;	/* if not NULL, element I is a complete group of TIMES[I] equal elements */
	unsigned  key_bits;	/* 8 and 16 only from count.c; 0: items */
	unsigned  key_class;
	bool      stays;	/* unchanged until take() returns for a later span, or the class ends */
};

/* A run: sorted keys of one key class, in memory or on disk. */
struct gs_run {
	const void       *keys;		/* ascending; borrowed; NULL: on disk */
	size_t            count;
	struct gs_extent *extent;	/* its place on disk, owned by spill.c; NULL: in memory */
};

/* A span and its place among the spans of its key class. */
struct gs_sorted_span {
	struct gs_span span;	/* borrowed; may be changed */
	size_t         number;	/* the number of spans of the key class before it */
	size_t         slot;	/* the producer's slot that holds it, or GS_NO_SLOT */
	uint64_t       at;	/* in a slot: the number of elements of the key class before it */
	size_t         strand;	/* in a slot: its strand, if the sink wants strands */
	bool           skipped;	/* see skip() */
	bool           summed;	/* the producer has set SUM */
	uint64_t       sum;	/* gs_checksum() */
	bool           enough;	/* take() sets it to true if the sink wants no more spans */
};

#define GS_NO_SLOT	SIZE_MAX

/*
 * A consumer of sorted elements.  Producers know only this interface.
 *
 * A producer with several threads (the buckets) works on several spans at once, each in its own
 * slot: any thread calls room() and make() for a span; then one thread calls take() for
 * the spans in order.  A producer with one thread (a merge, a GPU, a histogram) only calls
 * take(), with slot GS_NO_SLOT.  A store of items also only calls take(), from one thread at a time,
 * but not always the same thread.
 *
 * A strand is the part of a class that goes to one of several output files.  If a sink wants strands,
 * the buckets work on spans of several strands in turn.  Any thread calls take() for the spans of a
 * strand, in order, while other threads do so for other strands.  A span belongs to the strand of its
 * middle key.  A producer with one thread ignores strands.
 */
struct gs_span_sink {
	/** True if no key of a span in a slot is wanted.  Then the producer does not sort the span or call
	 *  room() and make(), and take() may use only its number of keys.  NULL: all spans are wanted. */
	bool (*skip)(void *context, const struct gs_sorted_span *sorted);

	/** Set *KEYS to the memory in which to sort SORTED.span.count keys, or leave it unchanged
	 *  to sort them in the slot.  NULL: always in the slot. */
	void (*room)(void *context, const struct gs_sorted_span *sorted, void **keys);

	/** Work on a sorted span; spans come in any order.  NULL: nothing to do. */
	gs_status (*make)(void *context, struct gs_sorted_span *sorted);

	/** Take the next span, in order; see enough. */
	gs_status (*take)(void *context, struct gs_sorted_span *sorted);

	/** Write a span of items at its place: AT is the number of its first item in the output.
	 *  Many threads may call it, in any order.  It replaces take() if the position of an item is known
	 *  before the items in front of it are sorted: without groups, and if items have a fixed length.
	 *  NULL: take() is called. */
	gs_status (*put)(void *context, uint64_t at, const struct gs_span *span);

	/** The sink accepts spans with TIMES.  False: a histogram repeats its keys. */
	bool        groups;

	void       *context;

	/** For each strand, the number of its first key within the key class; ascending, from 0.  Without
	 *  strands, all keys come in order. */
	const uint64_t *strand_at;
	size_t          strand_count;

	/** The last KEEPS spans taken from slots stay unchanged until take() returns for a later one,
	 *  or the class ends.  Fewer than the number of slots. */
	size_t          keeps;

	/** How many threads may work on spans; 0: all threads of the producer. */
	unsigned        threads;
};

/** Read, and write, key number AT of KEYS, 8 to 64 bits wide. */
static inline uint64_t
gs_key_at(const void *keys, unsigned key_bits, size_t at)
{
	switch (key_bits) {
	case 8:  return ((const uint8_t *)keys)[at];
	case 16: return ((const uint16_t *)keys)[at];
	case 32: return ((const uint32_t *)keys)[at];
	default: return ((const uint64_t *)keys)[at];
	}
}

static inline void
gs_key_put(void *keys, unsigned key_bits, size_t at, uint64_t key)
{
	switch (key_bits) {
	case 8:  ((uint8_t *)keys)[at] = (uint8_t)key; break;
	case 16: ((uint16_t *)keys)[at] = (uint16_t)key; break;
	case 32: ((uint32_t *)keys)[at] = (uint32_t)key; break;
	default: ((uint64_t *)keys)[at] = key; break;
	}
}

#endif
