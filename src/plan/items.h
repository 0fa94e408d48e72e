// SPDX-License-Identifier: BSD-2-Clause
/*
 * items.h - the sizes of a sort, check, merge and exchange of items: records, lines, keys of 128 bits
 *
 * They share the pool of the plan (plan.h), which is the same for all kinds.
 */
#ifndef GS_PLAN_ITEMS_H
#define GS_PLAN_ITEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/plan.h"

/* Where lengths differ, tables have room for the lengths of items of this many bytes; shorter items
 * are measured twice. */
enum { GS_SHORT_ITEM = 16 };

/* A header takes at most this share of memory; so does the one that is compared with it.  Not tuned. */
enum { GS_HEADER_SHARE = 32 };

/* What is known of items in a temporary file (engine/division.c), at most. */
enum { GS_ITEM_EXTENT_BYTES = 32 };

/* What compresses them: most packers; memory of each beside pieces (zstd). */
enum { GS_ITEM_PACKERS_MOST = 64, GS_ITEM_PACKER_BYTES = 768 << 10 };

/** The fewest bytes that an item is expected to have; ITEM_BYTES: of each, or 0. */
static inline size_t
gs_item_least_bytes(size_t item_bytes)
{
	return item_bytes > 0 ? item_bytes : GS_SHORT_ITEM;
}

/* Items that a thread divides at a time, and its tables of them. */
struct gs_item_tables {
	size_t piece_bytes;
	size_t found_room;	/* numbers of bins, of 16 bits: of items */
	size_t lengths_room;	/* lengths, of 32 bits; 0: all items are alike */
};

/** Bytes of the tables, without the piece. */
size_t gs_item_tables_bytes(const struct gs_item_tables *tables);

/* ---- exchange ------------------------------------------------------------------- */

/* The window through which RANKS exchange items (ranks/net/ranks.h). */
struct gs_item_window {
	unsigned ranks;
	size_t   bytes;
	size_t   block_bytes;	/* of a slot */
	size_t   block_room;	/* of it, without a header */
};

/** Bytes of items that fit in SLOTS free slots, whatever their owners. */
size_t gs_item_window_slots_room(const struct gs_item_window *window, size_t item_bytes, size_t slots);

/** The most that can be added in a round, and the largest item. */
size_t gs_item_window_room(const struct gs_item_window *window, size_t item_bytes);

/** What each of THREADS divides by owner. */
struct gs_item_tables gs_item_window_tables(const struct gs_item_window *window, size_t item_bytes,
                                            unsigned threads);

/** The memory of a thread for them and for the items that it divides. */
size_t gs_item_window_thread_bytes(const struct gs_item_tables *tables);

/** The most items of ITEM_BYTES (0: lines) in the sample of each of RANKS; MEMORY_BYTES: the user's limit. */
size_t gs_item_sample_most(uint64_t memory_bytes, unsigned ranks, size_t item_bytes);

/** The room for each of them. */
size_t gs_item_sample_room(size_t item_bytes);

/* ---- jobs ------------------------------------------------------------------------- */

/* What is known of items, beside a plan and its input. */
struct gs_item_facts {
	size_t record_bytes;	/* as they are read; 0: lines */
	size_t item_bytes;	/* as they are sorted; 0: lengths differ */
	bool   numbered;	/* --argsort */
	struct gs_item_window window;	/* of a sort by ranks; RANKS 0: no other rank */
};

/* What a store is asked for. */
struct gs_item_store_facts {
	uint64_t memory_bytes;		/* that it may use, in all */
	unsigned threads;
	size_t   item_bytes;		/* 0: lengths differ */
	bool     keeps;			/* of each piece the items that are not dropped: a head */
	uint64_t input_bytes;		/* of items that it will get, about; UINT64_MAX: unknown */
	bool     guessed;		/* INPUT_BYTES may be less than what comes */
	bool     packs;			/* what is on disk is compressed */
};

struct gs_item_sizes {
	struct gs_item_store_facts store;	/* its threads have memory for a record each */
	size_t   chunk_bytes;	/* of lines, read ahead */
	size_t   header_most;	/* bytes of the header of lines */
	size_t   line_most;	/* where nothing is stored: bytes of a line */
};

/** The sizes of a sort, or of a check of lines. */
void gs_plan_items(struct gs_item_sizes *sizes, const struct gs_plan *plan,
                   const struct gs_plan_input *input, const struct gs_item_facts *facts);

/** Bytes of a chunk of keys or records of UNIT bytes that are checked, whole ones; 0: memory is not
 *  enough. */
size_t gs_plan_check_bytes(const struct gs_plan *plan, const struct gs_plan_input *input, size_t unit);

/* Buffers of each input of a merge, whose items may not have left. */
enum { GS_MERGE_BATCHES = 3 };

/* A batch of a merge has as many items as a buffer has room for if each takes so many bytes. */
enum { GS_MERGE_ITEM_BYTES = 16 };

struct gs_item_merge_sizes {
	size_t most;		/* inputs that can be merged; if there are more, they are sorted */
	size_t room;		/* bytes of the buffer of each of them */
	size_t spare;		/* for lines that are larger */
	size_t header_most;	/* bytes of the header of lines */
};

/** The sizes of a merge of COUNT inputs. */
void gs_plan_item_merge(struct gs_item_merge_sizes *sizes, const struct gs_plan *plan,
                        const struct gs_plan_input *input, const struct gs_item_facts *facts,
                        size_t count);

/* ---- the store ---------------------------------------------------------------------- */

/* The row of a division, which says where each bin begins, at most. */
enum { GS_ITEM_ROW_BYTES = 1024 * 4 + 256 };

/* What a bucket may have, to be sorted by a thread; and how many bins are wanted of one that has
 * more. */
struct gs_item_limits {
	size_t   bytes, items;
	uint64_t bin_bytes;	/* a good size */
	size_t   memory_bytes;	/* to divide again items in files */
	size_t   extents;	/* of files, that memory has room for; 0: no files */
};

struct gs_item_store_sizes {
	struct gs_item_tables tables;
	struct gs_item_limits limits, file_limits;	/* of a part, in memory and in files */
	size_t   data_bytes;		/* for items */
	size_t   first_bytes;		/* of them for the first division: what the input can need */
	size_t   sample_bytes;		/* the first items, from which bounds are chosen */
	uint64_t expected_bytes;	/* that will come, as far as is known */
	unsigned packers;		/* that compress pieces */
};

void gs_plan_item_store(struct gs_item_store_sizes *sizes, const struct gs_item_store_facts *facts);

/** Set the limits again: an item has LARGEST bytes, more than a piece. */
void gs_plan_item_limits(struct gs_item_store_sizes *sizes, const struct gs_item_store_facts *facts,
                         size_t largest);

/** Memory of a division of BYTES of items that come in pieces of PIECE_BYTES, and SPARE of them more, from
 *  THREADS: for each piece or less, a row; and SPARE_ROWS. */
uint64_t gs_item_division_bytes(uint64_t bytes, size_t piece_bytes, unsigned threads, unsigned spare,
                                unsigned spare_rows);

#endif
