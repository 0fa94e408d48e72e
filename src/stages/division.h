// SPDX-License-Identifier: BSD-2-Clause
/*
 * division.h - items divided by one set of bounds, in memory or in temporary files
 *
 * A division has rows: each is a piece of input, its items in the order of their bins.  The bucket
 * of a bin is the slices that all rows have of it, or extents of temporary files after a flush.
 * Row after row, and extent after extent, the items of a bucket are in input order.  Where pieces
 * come from several origins at once, each in its own order, that is so after gs_division_order().
 *
 * The memory of a division is its own; buffers and files are shared by all divisions of a store
 * (struct gs_division_shared), of which one is filled at a time.
 */
#ifndef GS_STAGES_DIVISION_H
#define GS_STAGES_DIVISION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/monitor.h"
#include "base/status.h"
#include "sort/items/divide.h"
#include "sort/items/items.h"
#include "spill/file.h"

enum { GS_DIVISION_FILES = 32 };	/* temporary files, at most */

struct gs_division_shared {
	const struct gs_item_order *order;
	struct gs_monitor *monitor;
	unsigned  threads;
	size_t    piece_bytes;
	struct gs_item_divider *dividers;	/* one a thread */
	char     *buffers;			/* piece_bytes a thread */
	char     *kept;				/* with HEAD: the same, for items that are not dropped */
	size_t    found_room;			/* of each divider: items */
	size_t    lengths_room;			/* the same, of lengths; 0: all items are alike */
	const char *const *temp_dirs;
	size_t    temp_dir_count;
	struct gs_spill_file files[GS_DIVISION_FILES];
	unsigned  file_count;			/* 0: none was needed yet */
	uint64_t  spilled_bytes;
	uint64_t  head;				/* more items than that will not leave; 0: all may */
	_Atomic uint64_t items;			/* added to all divisions */
};

struct gs_item_row {
	char    *data;
	unsigned origin;
	uint32_t offsets[];	/* where each bin begins, and the end */
};

/* Whole items in a temporary file; at most a piece, or one item. */
struct gs_item_extent {
	uint64_t at, sum;	/* sum: gs_bytes_sum() */
	uint32_t bytes;
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
	struct gs_item_row       **rows;	/* by sequence */
	size_t                     row_count, rows_most;
	uint64_t                  *items;	/* of each thread and bin */
	atomic_bool                more;	/* see gs_item_divider */
	atomic_uint                keep;	/* the same: with HEAD, all that can leave are in them */
	struct gs_item_extents    *extents;	/* of each bin; NULL: nothing was flushed */
	struct gs_item_slice      *spares;	/* memory of each thread for a row, or NULL */
};

/** Make a division with room for BYTES of items and their rows; DIVISION->bins is to be set then.
 *  GS_EBUDGET: the system refuses. */
MUST_CHECK gs_status gs_division_open(struct gs_division **division,
                                      struct gs_division_shared *shared, size_t bytes);

/** Bytes of items that can be added now, in pieces of piece_bytes and SMALL smaller ones. */
size_t gs_division_room(const struct gs_division *division, size_t small);

/** Add a piece: whole items in SLICES, in all at most piece_bytes, or one item.  Any thread. */
void gs_division_add(struct gs_division *division, unsigned rank, uint64_t sequence,
                     const struct gs_item_slice *slices, size_t count);

/** The piece of SEQUENCE has been added, and is of an ORIGIN: 0 unless this is called. */
void gs_division_set_origin(struct gs_division *division, uint64_t sequence, unsigned origin);

/** Put all rows, and the extents of each bin, in the order of their origins; those of one origin stay in
 *  theirs.  GS_EBUDGET: no memory. */
MUST_CHECK gs_status gs_division_order(struct gs_division *division);

/** Items and bytes of a bin; after all threads have added. */
uint64_t gs_division_items(const struct gs_division *division, unsigned bin);
uint64_t gs_division_bytes(const struct gs_division *division, unsigned bin);

/** Write all rows to temporary files, and begin anew with an empty memory. */
MUST_CHECK gs_status gs_division_flush(struct gs_division *division);

/** The same for the last time: nothing is added any more, and the memory is freed. */
MUST_CHECK gs_status gs_division_store(struct gs_division *division);

/** Read an extent; LAST: it is not needed any more, so its disk space is free.  GS_EIO; GS_EINPUT: it is
 *  not what was written. */
MUST_CHECK gs_status gs_division_read(const struct gs_division_shared *shared,
                                      const struct gs_item_extent *extent, char *into, bool last);

/** The slices of BIN in rows FROM .. TO, at most as many as rows; returns how many. */
size_t gs_division_slices(const struct gs_division *division, unsigned bin, size_t from, size_t to,
                          struct gs_item_slice *slices);

/**
 * The items of SLICE are copied: a row that this thread adds to DIVISION next may have its memory, if
 * gs_division_reuse() was called before; else it goes back to the system, at the latest with
 * gs_division_drop_spares().
 *
 * Pages that were given back are cleared again when they are needed: 10^7 sorted records of 100 bytes
 * from a pipe, which are nearly all divided twice, took 0.46 s of system time with this and 3.5 s without
 * it, on a guest that gives pages back to its host (medians of 5, two cores).
 */
void gs_division_spare(struct gs_division *division, unsigned rank,
                       const struct gs_item_slice *slice);
MUST_CHECK gs_status gs_division_reuse(struct gs_division *division);
void gs_division_drop_spares(struct gs_division *division);

/** Forget where the items of BIN are in files. */
void gs_division_drop_extents(struct gs_division *division, unsigned bin);

/** Its buckets are known: free the bounds and the numbers of items. */
void gs_division_drop_bins(struct gs_division *division);

/** Free it; NULL is allowed. */
void gs_division_close(struct gs_division *division);

#endif
