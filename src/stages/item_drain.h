// SPDX-License-Identifier: BSD-2-Clause
/*
 * item_drain.h - how a store of items hands them on in order: its divisions become buckets, these are cut
 * into parts, a thread sorts each part, and a sink takes what was made
 *
 * For the files of the store; item_store.h is for everybody.
 */
#ifndef GS_STAGES_ITEM_DRAIN_H
#define GS_STAGES_ITEM_DRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "plan/items.h"
#include "sort/items/items.h"
#include "sort/items/part.h"
#include "sort/span.h"
#include "stages/division.h"

/* ---- buckets, none too large to be sorted at once (item_buckets.c) ------------- */

/*
 * A bucket that is too large for a thread is divided again, by bounds from a sample of it.  The
 * team does so, one bucket after the other.  A bucket whose items are all equal is settled: it is
 * in order as it is, and may have any size.
 */

struct gs_item_bucket {
	struct gs_division *division;
	unsigned bin;
	unsigned level;		/* its items share the words before */
	unsigned shared;	/* bytes of words that they share */
	bool     settled;
	uint64_t items, bytes;
};

struct gs_item_buckets {
	struct gs_item_bucket *list;
	size_t count, room;
	struct gs_division    *divisions;	/* all of them, to be closed */
};

/** Choose the bounds of about WANTED bins of DIVISION by items of SLICES, which share the words before
 *  level FROM.  GS_EBUDGET: no memory. */
MUST_CHECK gs_status gs_item_buckets_choose(struct gs_division *division, unsigned from,
                                            const struct gs_item_slice *slices, size_t count,
                                            unsigned wanted);

/** How many bins are wanted of BYTES; ITEMS: how many they are, or 0. */
unsigned gs_item_buckets_wanted(uint64_t bytes, uint64_t items, const struct gs_item_limits *limits);

/** Append the buckets of DIVISION; divides again those that are too large. */
MUST_CHECK gs_status gs_item_buckets_add(struct gs_item_buckets *buckets,
                                         struct gs_division *division,
                                         const struct gs_item_limits *limits);

/** Move all items of BIN of OLD to DIVISION, which is empty and has its bounds.  OLD's memory and
 *  files are given back meanwhile. */
MUST_CHECK gs_status gs_item_buckets_move(struct gs_division *old, unsigned bin,
                                          struct gs_division *division);

/** Close all divisions. */
void gs_item_buckets_close(struct gs_item_buckets *buckets);

/* ---- what a store is asked for, and the parts of its buckets (item_buckets.c) ---- */

struct gs_item_store_options {
	const struct gs_item_order *order;	/* borrowed */
	struct gs_item_store_facts facts;	/* from which its sizes are planned; it sets KEEPS */
	uint64_t  beside_bytes;		/* for messages: memory of the job that it may not use, ... */
	unsigned  shares;		/* ... of one of so many shares of the user's limit; 0: all of it */
	const char *const *temp_dirs;	/* used in rotation */
	size_t    temp_dir_count;	/* at least 1 */

	/* Which items leave.  A group is items that are equal; the first of them stands for all. */
	bool      groups;		/* one of each group of LEAST .. MOST items; false: all items */
	uint64_t  least, most;
	bool      head, tail;		/* of what would leave, only the first or last COUNT */
	uint64_t  count;
	bool      origins;		/* pieces come from several origins, after a sample */
	bool      verify;		/* make a digest of all drained items */

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
 *  a group that one item stands for, only the first row is a part, unless all are to be verified. */
size_t gs_bucket_parts(const struct gs_item_buckets *buckets, const struct gs_item_limits *limits,
                       const struct gs_item_store_options *options, struct gs_bucket_part *shares);

/* ---- sort one part of a bucket, in one thread (item_maker.c) ------------------- */

/*
 * The memory of a maker is for parts of its limits, and for the one item that is larger.  There are two
 * buffers for parts, so that a part can be handed on while the next one is made.
 */

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

/* ---- sort all, and hand them to a sink (item_drain.c) -------------------------- */

/* What is drained; all of it is borrowed. */
struct gs_item_drain {
	const struct gs_item_store_options *options;
	struct gs_division_shared          *shared;
	const struct gs_item_buckets       *buckets;
	const struct gs_item_limits        *limits;	/* of a part */
	bool                                loads;	/* buckets are in files */
	struct gs_item_digest              *digest;	/* for options.verify: set by gs_item_drain_run() */
};

/** Count the items, or the groups, that a head or tail chooses from.  Groups are sorted for that. */
MUST_CHECK gs_status gs_item_drain_count(const struct gs_item_drain *drain, uint64_t *count);

/** Sort all parts, and hand them on; frees the files meanwhile. */
MUST_CHECK gs_status gs_item_drain_run(const struct gs_item_drain *drain,
                                       const struct gs_span_sink *sink);

#endif
