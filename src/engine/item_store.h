// SPDX-License-Identifier: BSD-2-Clause
/*
 * item_store.h - every item of a sort, in memory or in temporary files
 *
 * The first part of this header is only for the files of the store: divisions become buckets, buckets are
 * cut into parts, threads sort the parts, and a sink takes the sorted items.  The store itself, at the
 * end, is for all callers.
 */
#ifndef GS_ENGINE_ITEM_STORE_H
#define GS_ENGINE_ITEM_STORE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/monitor.h"
#include "base/status.h"
#include "base/thread.h"
#include "plan/items.h"
#include "gsort.h"
#include "sort/follow.h"
#include "sort/items/divide.h"
#include "sort/items/items.h"
#include "sort/items/part.h"
#include "sort/span.h"
#include "spill/compress.h"
#include "spill/file.h"
#include "engine/engine.h"

/* ---- items divided by one set of bounds, in memory or in files (division.c) ---- */

/*
 * A division has rows: each is a piece of input, its items in the order of their bins.  The bucket
 * of a bin is that bin's slice of every row, or extents of temporary files after a flush.  Row after
 * row, and extent after extent, the items of a bucket are in input order.  Where pieces come from
 * several origins at once, each in its own order, they are in input order after gs_division_order().
 *
 * The memory of a division is its own; all divisions of a store share buffers and files (struct
 * gs_division_shared), and one division is filled at a time.
 */

enum { GS_DIVISION_FILES = 32 };	/* temporary files, at most */

/* What compresses them. */
struct gs_item_packers {
	unsigned         count;
	pthread_mutex_t  lock;		/* guards: */
	pthread_cond_t   given;
	uint64_t         idle;		/* bit P: packer P */
	struct gs_packer list[GS_ITEM_PACKERS_MOST];
};

struct gs_division_shared {
	const struct gs_item_order *order;
	struct gs_monitor *monitor;
	unsigned  threads;
	bool      striped;			/* each has addresses of its own in large divisions */
	size_t    piece_bytes;
	struct gs_item_divider *dividers;	/* one a thread */
	char     *buffers;			/* piece_bytes a thread */
	char     *kept;				/* with HEAD: the same, for items that are not dropped */
	const char *const *temp_dirs;
	size_t    temp_dir_count;
	struct gs_spill_file files[GS_DIVISION_FILES];
	unsigned  file_count;			/* 0: none was needed yet */
	struct gs_item_packers *packers;	/* NULL: nothing is compressed */
	uint64_t  spilled_bytes;
	uint64_t  head;				/* at most this many items leave; 0: no limit */
	unsigned  operands;		/* of a set, whose rows are kept apart; or 0 */
	_Atomic uint64_t items;			/* added to all divisions */
};

struct gs_item_row {
	char    *data;
	unsigned origin;
	uint32_t place;		/* among all rows, before they are ordered by origin */
	uint32_t offsets[];	/* where each bin begins, and the end */
};

/* Whole items in a temporary file; at most a piece, or one item. */
struct gs_item_extent {
	uint64_t at, sum;	/* sum: gs_bytes_sum() */
	uint32_t bytes, stored;	/* in memory; in the file: fewer if they are compressed */
	unsigned file;
	unsigned origin;
};

struct gs_item_extents {
	struct gs_item_extent *list;
	size_t count, room;
};

struct gs_division {
	struct gs_division        *next;	/* another one of the store */
	struct gs_division_shared *shared;
	struct gs_item_bins       *bins;	/* NULL once its buckets are known */
	unsigned                   bin_count;	/* of EXTENTS */
	struct gs_arena            arena;
	char                      *memory;
	size_t                     memory_bytes, limit_bytes;	/* that it has; that may be used */
	_Atomic size_t             used;
	size_t                     stripe_bytes;	/* of memory for each thread; 0: all share it */
	size_t                    *taken;	/* by each thread */
	struct gs_item_row       **rows;	/* by sequence */
	size_t                     row_count, rows_most;
	uint64_t                  *items, *bytes;	/* of each thread and bin */
	atomic_bool                more;	/* see gs_item_divider */
	atomic_uint                keep;	/* see there: with HEAD, only bins below it can leave */
	struct gs_item_extents    *extents;	/* of each bin; NULL: nothing was flushed */
	struct gs_item_slice      *spares;	/* memory of each thread for a row, or NULL */
};

/** Make a division with room for BYTES of items and their rows; DIVISION->bins is to be set then.
 *  GS_EBUDGET: the system refuses. */
MUST_CHECK gs_status gs_division_open(struct gs_division **division,
                                      struct gs_division_shared *shared, size_t bytes);

/** Replace its memory, which has no rows yet, by BYTES; and reserve as many addresses for each of STRIPES.
 *  GS_EBUDGET: the system refuses. */
MUST_CHECK gs_status gs_division_map(struct gs_division *division, size_t bytes, unsigned stripes);

/** Bytes of items that can be added now, in pieces of piece_bytes and SMALL smaller ones. */
size_t gs_division_room(const struct gs_division *division, size_t small);

/** Add a piece: whole items in SLICES, in all at most piece_bytes, or one item.  Any thread. */
void gs_division_add(struct gs_division *division, unsigned worker, uint64_t sequence,
                     const struct gs_item_slice *slices, size_t count);

/** How many rows, or extents of BIN, there are, and the origin of one. */
size_t gs_division_rows(const struct gs_division *division, unsigned bin);
unsigned gs_division_origin(const struct gs_division *division, unsigned bin, size_t row);

/** Put all rows, and the extents of each bin, in the order of their origins; within an origin they stay as
 *  they are. */
void gs_division_order(struct gs_division *division);

/** The division's ITEMS, or BYTES, of a bin; after all threads have added. */
uint64_t gs_division_sum(const struct gs_division *division, const uint64_t *of_bins, unsigned bin);

/** Write all rows to temporary files, and begin anew with an empty memory. */
MUST_CHECK gs_status gs_division_flush(struct gs_division *division);

/** The same for the last time: nothing is added any more, and the memory is freed. */
MUST_CHECK gs_status gs_division_store(struct gs_division *division);

/** Read an extent; LAST: it is not needed any more, so its disk space is free.  GS_EIO; GS_EINPUT: it is
 *  not what was written. */
MUST_CHECK gs_status gs_division_read(const struct gs_division_shared *shared,
                                      const struct gs_item_extent *extent, char *into, bool last);

/** Append the extent->bytes of items at DATA to file extent->file, and set the other members.  GS_EIO. */
MUST_CHECK gs_status gs_item_extent_write(struct gs_division_shared *shared,
                                          struct gs_item_extent *extent, const char *data);

/** Memory for COUNT packers of pieces. */
size_t gs_item_packers_bytes(unsigned count, size_t piece_bytes);

/** Begin; PROGRAM is "zstd" or "lz4"; MEMORY is borrowed. */
void gs_item_packers_open(struct gs_item_packers *packers, const char *program, unsigned count,
                          size_t piece_bytes, char *memory);

/** A zeroed struct is allowed. */
void gs_item_packers_close(struct gs_item_packers *packers);

/** The slices of BIN in rows FROM .. TO, at most as many as rows; returns how many. */
size_t gs_division_slices(const struct gs_division *division, unsigned bin, size_t from, size_t to,
                          struct gs_item_slice *slices);

/**
 * The items of SLICE are copied: its memory may be used for the next row that this thread adds to DIVISION,
 * if there are spares; else it is given back to the system, at the latest by
 * gs_division_drop_spares().
 *
 * Pages that were given back are cleared again when they are needed: 10^7 sorted records of 100 bytes
 * from a pipe, which are nearly all divided twice, took 0.46 s of system time with this and 3.5 s without
 * it, on a guest that gives pages back to its host (medians of 5, two cores).
 */
void gs_division_spare(struct gs_division *division, unsigned worker,
                       const struct gs_item_slice *slice);
void gs_division_drop_spares(struct gs_division *division);

/** Forget where the items of BIN are in files. */
void gs_division_drop_extents(struct gs_division *division, unsigned bin);

/** Its buckets are known: free the bounds and the numbers of items. */
void gs_division_drop_bins(struct gs_division *division);

/** Free it; NULL is allowed. */
void gs_division_close(struct gs_division *division);

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
	struct gs_item_leaves *leaves;	/* settled, in a set: what leaves of each row or extent; else NULL */
	uint64_t left;			/* how many leave */
};

/* COUNT items of a row or extent, from FROM on. */
struct gs_item_leaves {
	uint32_t from, count;
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

/** The same by the items that all rows of OLD have of BIN. */
MUST_CHECK gs_status gs_item_buckets_choose_rows(struct gs_division *division, unsigned from,
                                                 const struct gs_division *old, unsigned bin,
                                                 unsigned wanted);

/** How many bins BYTES need.  ITEMS: the number of items, or 0.  OPERANDS of a set, which are kept apart. */
unsigned gs_item_buckets_wanted(uint64_t bytes, uint64_t items, unsigned operands,
                                const struct gs_item_limits *limits);

/** Append the buckets of DIVISION; divides again buckets that are too large. */
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

/* Only BYTES of each item, from AT on, leave; 0: the rest, which is an item of ORDER (or NULL). */
struct gs_item_cut {
	size_t    at, bytes;
	const struct gs_item_order *order;
};

struct gs_item_store_options {
	const struct gs_item_order *order;	/* borrowed */
	struct gs_item_store_facts facts;	/* from which its sizes are planned; it sets KEEPS */
	uint64_t  overhead_bytes;	/* for messages: memory of the job that it may not use */
	unsigned  shares;		/* for messages: the user's limit has these, the job, one; 0: 1 */
	bool      grows;		/* an item that needs more memory gets it */
	uint64_t  address_bytes;	/* that may be reserved in all */
	const char *const *temp_dirs;	/* used in rotation */
	size_t    temp_dir_count;	/* at least 1 */
	const char *compress_program;	/* compresses what is on disk; or NULL */

	/* Which items leave.  A group is items that are equal; the first of them stands for all. */
	bool      groups;		/* one of each group of LEAST .. MOST items; false: all items */
	bool      numbered;		/* no two items have the same bytes */
	uint64_t  least, most;
	bool      head, tail;		/* of what would leave, only the first or last COUNT */
	uint64_t  count;
	bool      origins;		/* pieces come from several origins at once, after a sample */
	struct gs_item_set set;		/* origins are its operands, which come one after the other */
	bool      verify;		/* make a digest of all drained items */
	struct gs_item_cut cut;
};

/** How many of an item's BYTES leave. */
static inline size_t
gs_item_leaving(const struct gs_item_store_options *options, size_t bytes)
{
	return options->cut.bytes > 0 ? options->cut.bytes : bytes - options->cut.at;
}

/** Are items dropped for another reason than a head or tail? */
static inline bool
gs_item_selects(const struct gs_item_store_options *options)
{
	return options->groups || options->set.operands > 0;
}

struct gs_item_store {
	struct gs_item_store_options options;
	struct gs_division_shared shared;
	struct gs_item_packers    packers;	/* of SHARED */
	struct gs_arena           arena;	/* the memory of SHARED */
	struct gs_division       *first;	/* the one that is being filled */
	struct gs_item_buckets    buckets;
	struct gs_item_store_sizes sizes;
	size_t                    largest;	/* bytes of an item that is larger than a piece */
	bool                      has_bounds, flushed;
	const struct gs_item_limits *limits;	/* of a part, once it is finished */
	struct gs_item_digest     digest;	/* of what was drained, for VERIFY */
};

/* A bucket, or some rows or extents of one that is settled. */
struct gs_bucket_part {
	const struct gs_item_bucket *bucket;
	size_t   from, to;		/* rows or extents */
	uint64_t bytes;
	bool     first;			/* of its bucket */
	uint64_t items;			/* UINT64_MAX: nobody has counted */
	uint64_t least, most;		/* bounds of the items before its first one, and up to its last one */
};

/** Cut all buckets into parts of at most limits->bytes, or of one item; returns how many.  PARTS NULL: only
 *  count.  Equal items are cut at limits->bin_bytes, or at the end of a row: larger parts only touch more
 *  memory.  If one item stands for a group, only its first row is a part, unless all are verified. */
size_t gs_bucket_parts(const struct gs_item_store *store, struct gs_bucket_part *parts);

/* ---- sets: what leaves of equal items (item_set.c) ------------------------------ */

/** Choose what leaves of buckets that are settled, whatever their size: they are not sorted.  GS_EIO;
 *  GS_EBUDGET. */
MUST_CHECK gs_status gs_item_buckets_combine(struct gs_item_store *store);

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
	struct gs_follow      follow;		/* for options.verify: the last item of a batch */
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

/** Get memory for COUNT PARTS of STORE, one after the other. */
MUST_CHECK gs_status gs_item_maker_open(struct gs_item_maker *maker, const struct gs_item_store *store,
                                        const struct gs_bucket_part *parts, size_t count);

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

/** The engine's drain(): sort all parts, and hand them on; frees the files meanwhile. */
MUST_CHECK gs_status gs_item_store_drain(void *store, unsigned key_class, const struct gs_span_sink *sink);

/** The engine's count_out(): groups are sorted for that. */
MUST_CHECK gs_status gs_item_store_count_out(void *store, uint64_t *count);

/* ---- the store (item_store.c) -------------------------------------------- */

/*
 *     open; as an engine (engine.h); close
 *
 * is the only legal order.  Readers add pieces: whole items, one after the other, as they came.
 * A piece is divided by the first words of its items while it is in the cache: the store's copy of
 * it has the items of bin 0, then those of bin 1, and so on, in input order within each.  A bucket
 * is the slices that all pieces have of one bin.  It is sorted when it leaves.
 *
 * If memory is full, the slices of each bucket are appended to temporary files.  A bucket is read
 * back and sorted, or divided again if it is too large; nothing is merged.
 */

/** Begin.  GS_EBUDGET: there is no memory for anything. */
MUST_CHECK gs_status
gs_item_store_open(struct gs_item_store **store, const struct gs_item_store_options *options,
                   struct gs_monitor *monitor);

/** How it is filled and drained.  Without a sample the first pieces decide the bounds of the buckets.  With
 *  options.origins equal items leave in the order of their origins, and within an origin in the order of
 *  sequence numbers. */
struct gs_engine gs_item_store_engine(struct gs_item_store *store);

/** Free all; NULL is allowed. */
void gs_item_store_close(struct gs_item_store *store);

/* ---- groups in the order of the input, by two stores (item_firsts.c) ----------- */

struct gs_item_firsts;

/** A store for --keep-order: items have a number of 64 bits at NUMBER_AT; the first item of each group
 *  leaves, in the order of these numbers.  Close FIRSTS after an error, too. */
MUST_CHECK gs_status
gs_item_firsts_open(struct gs_item_firsts **firsts, const struct gs_item_store_options *options,
                    size_t number_at, struct gs_monitor *monitor);

struct gs_engine gs_item_firsts_engine(struct gs_item_firsts *firsts);

/** Free all; NULL is allowed. */
void gs_item_firsts_close(struct gs_item_firsts *firsts);

/* ---- sorted sources of items become one (item_merger.c) -------------------------- */

/*
 *     open; set the sources; begin; drain; close
 *
 * Among equal items the first source's come first.
 */

/* The next items of a source: received, or not asked for; to be loaded; loaded; an error. */
enum gs_merge_state { GS_RECEIVED, GS_WANTED, GS_LOADED, GS_FAILED };

struct gs_merge_source {
	/** The next items, which stay until the next call but GS_MERGE_BATCHES - 1; none at the end. */
	gs_status (*fill)(void *context, struct gs_item_slice *items);

	/** Counts what is in order; NULL: it may be in any order.  The error for the first of BYTES that is
	 *  out of order. */
	struct gs_follow *follow;
	gs_status (*fail)(void *context, const char *item, size_t bytes);
	void       *context;

	/* for the merger: the items before AT of the window have left, and those before CUT leave in this
	 * round */
	struct gs_item_merger *merger;
	struct gs_item_batch window;
	size_t      at, cut;
	size_t      before;		/* items of the batch before the last one */
	bool        ended;		/* no more follow */
	atomic_uint state;		/* enum gs_merge_state; while it is WANTED, a loader has these: */
	struct gs_item_batch next;	/* behind the window */
	atomic_size_t good;		/* of them, before the first that is out of order */
	struct gs_item_slice filled;
	struct gs_item_walk walk;	/* through it */
	struct gs_error error;
};

/* Threads that load items ahead. */
struct gs_item_loaders {
	struct gs_thread *threads;
	unsigned          count;
	struct gs_queue   wanted;	/* sources */
};

/* Equal items. */
struct gs_merge_group {
	struct gs_bytes first;
	uint64_t times;			/* 0: no group has begun */
};

struct gs_merge_round {
	struct gs_merge_share *shares;
	size_t    count;
	unsigned  threads;		/* as many as SHARES */
	size_t    first, next;		/* its first share, and the next to leave, of all rounds' */
	atomic_uint made;		/* shares that the thread which hands them on has not counted */
	size_t   *cuts;			/* where shares begin and end in the windows: rows */
	bool      limited;		/* a source that is out of order is an error */
	struct gs_first_error error;
};

struct gs_item_merger {
	const struct gs_item_order *order;
	struct gs_merge_source *sources;
	size_t       count;
	size_t       batch;		/* most items of each */
	uint64_t    *items;		/* of the window of each source */
	atomic_bool  more, ties;	/* words may go on behind the first ones; many of these tie */
	_Atomic uint64_t read;		/* items */
	struct gs_item_loaders loaders;
	struct gs_merge_round  round;

	/* what leaves */
	const struct gs_span_sink *sink;
	struct gs_merge_group group;	/* goes on in the next round */
	bool      groups, verifies;
	uint64_t  least, most, left;
	struct gs_follow follow;	/* with VERIFIES: the order of all items, before selection */
	uint64_t  sum;			/* ... and their checksum */
};

/** Begin to merge COUNT sources with THREADS; each source's buffer has ROOM bytes; OPTIONS select and verify.
 *  GS_EBUDGET: no memory. */
MUST_CHECK gs_status gs_item_merger_open(struct gs_item_merger *merger,
                                         const struct gs_item_order *order,
                                         const struct gsort_options *options, size_t count, size_t room,
                                         unsigned threads);

/** Read the first items of all sources, in turn; so many LOADERS, at most as many as threads, read on
 *  while items leave. */
MUST_CHECK gs_status gs_item_merger_begin(struct gs_item_merger *merger, unsigned loaders);

/** Hand on what leaves; all sources are read to their end, even if only a head leaves. */
MUST_CHECK gs_status gs_item_merger_drain(struct gs_item_merger *merger, const struct gs_span_sink *sink);

void gs_item_merger_close(struct gs_item_merger *merger);

#endif
