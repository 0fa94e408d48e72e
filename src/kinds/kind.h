// SPDX-License-Identifier: BSD-2-Clause
/*
 * kind.h - what elements are, and how an input of them is read: keys, records, lines
 *
 * A kind sees options, a plan and an input, but neither the job nor the other ranks.
 */
#ifndef GS_KIND_H
#define GS_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/monitor.h"
#include "base/status.h"
#include "engine/engine.h"
#include "engine/item_store.h"
#include "engine/store.h"
#include "figures/statistics.h"
#include "gsort.h"
#include "ingest/ingest.h"
#include "ingest/line_ingest.h"
#include "io/input.h"
#include "output/top.h"
#include "output/verify.h"
#include "plan/items.h"
#include "plan/plan.h"
#include "sort/set_merge.h"

/* ---- elements on their way from the input to an engine ------------------------- */

/*
 *     { describe; facts for the plan; { allocate; read }* }*; close
 *
 * A sort that starts over allocates and reads again; one that becomes another kind begins with describe.
 */

/* What one of several processes knows about the input; zeroed: one process reads all of it. */
struct gs_share {
	bool        headed;		/* the header is known, and not read here: */
	const char *header;
	size_t      header_bytes;
	struct gs_item_window window;	/* memory for items on their way to owners; BYTES 0: no owners */
};

/* Lines by key. */
struct gs_line_feed {
	struct gs_line_order  order;
	struct gs_line_items  whole, behind_numbers;	/* contexts of orders of items */
	struct gs_follow      follow;	/* for a merge that sorts */
	struct gs_line_ingest ingest;
	struct gs_line_column column;	/* for figures */
	char                 *chunks;	/* memory to read with */
	struct gs_arena       numbered;	/* pieces of --argsort */
	struct gs_record      number;	/* --argsort of numbers as text: an item, ... */
	const struct gs_text_options *text;	/* ... and how text is read; NULL: lines are not numbers */
	size_t                chunk_bytes;
	struct gs_line_limits limits;
};

/* What only items need. */
struct gs_feed_items {
	struct gs_item_order   order, written;	/* as they are stored; as they are written */
	struct gs_item_store  *store;
	struct gs_item_firsts *firsts;	/* instead of STORE, with --keep-order */

	struct gs_item_top top;		/* with --top */
	const char        *listed;	/* the name in JSON under which items are written; or NULL */
};

struct gs_feed {
	/* Borrowed, and set before describe. */
	struct gsort_options *options;	/* rewritten to equivalent, cheaper ones */
	struct gs_plan_input *plan_input;
	struct gs_plan       *plan;
	struct gs_monitor    *monitor;
	struct gs_verify     *verify;
	struct gs_share       share;
	struct gs_feed_items  items;

	/* Set by describe. */
	const struct gs_kind       *kind;
	const struct gs_item_order *by;	/* ITEMS.order; NULL: elements are keys */

	/* Set by allocate. */
	struct gs_arena  arena;
	struct gs_engine engine;	/* of STORE or ITEMS; context NULL: not open */
	struct gs_store  store;		/* of keys */

	/* Used to read. */
	struct gs_input        *input;
	struct gs_ingest        ingest;	/* for keys; lines use its text options and its reader */
	struct gs_record_ingest records;
	struct gs_line_feed     lines;
	uint64_t                elements;	/* in this process, after all have been read, ... */
	struct gs_item_slice    header;		/* ... and what comes before them in the output */
	struct gs_read_counts   read;	/* by a check or merge */
};

/** Set the bytes, elements and invalid lines in STATS that have been read. */
void gs_feed_count(const struct gs_feed *feed, struct gsort_stats *stats);

/** Release what was allocated; allocate or describe follows. */
void gs_feed_release(struct gs_feed *feed);

/** Close FEED, which may be zeroed. */
void gs_feed_close(struct gs_feed *feed);

/* ---- the differences between kinds ---------------------------------------------- */

enum gs_listed_as { GS_AS_KEYS, GS_AS_RECORDS, GS_AS_LINES };

struct gs_kind {
	/** Parse the keys, and set the size of an element if gs_ingest_set_format() does not know it.
	 *  GS_EUSAGE: a key is wrong.  NULL: there are no keys to parse. */
	gs_status (*describe)(struct gs_feed *feed);

	/** Set the facts about elements of this kind for a plan. */
	void (*plan)(struct gs_plan_input *input);
	const char *cpu_rule;

	/** Add the memory that elements of this kind need beside themselves; GUESSED: the size of the
	 *  input is a hint. */
	void (*keep)(const struct gs_feed *feed, struct gs_plan_input *input, bool guessed);

	/** Get memory, as planned, and open the engine.  GS_EBUDGET. */
	gs_status (*allocate)(struct gs_feed *feed);

	/** Read all input for TAKER, and the header that precedes the elements in the output. */
	gs_status (*read)(struct gs_feed *feed, const struct gs_taker *taker);

	/** Compare each element with the one before, and store none.  GS_EINPUT: one is invalid, or out
	 *  of order (follow->disorder). */
	gs_status (*check)(struct gs_feed *feed, struct gs_follow *follow);

	/** Return the kind of work in a job with INPUT, which may differ from the plan in size; set *KEPT to
	 *  the bytes that a sort keeps.  If a merge sorts, make INPUT a sort. */
	enum gs_work (*work)(const struct gs_feed *feed, struct gs_plan_input *input, uint64_t *kept);

	const struct gs_statistics_of *figures;	/* functions for figures; NULL: there are none */
	enum gs_listed_as as;		/* for messages */
};

extern const struct gs_kind gs_keys, gs_records, gs_lines, gs_text_numbers, gs_column, gs_field;

/** Return the kind that OPTIONS sort. */
const struct gs_kind *gs_kind_of(const struct gsort_options *options);

/* ---- shared by kinds (items.c) ---------------------------------------------------- */

#define GS_MANY_VALUES	"so many values (--top, --sample, --tail, --histogram)"
#define GS_ITEMS_ON_CPU	"records and lines are sorted on the CPU"

/** The sizes of items (plan/items.h) in a sort, or in a check of lines. */
struct gs_item_sizes gs_items_sizes(const struct gs_feed *feed);

/** Will a merge of items sort, even if the output does not overwrite an input?  Sets SIZES of the merge. */
bool gs_items_merge_sorts(const struct gs_feed *feed, struct gs_item_merge_sizes *sizes);

/** The number of bytes that a sort of INPUT keeps, if an item has about EACH: fewer for a head, more with
 *  numbers.  If a merge sorts, make INPUT a sort. */
uint64_t gs_items_kept(const struct gs_feed *feed, struct gs_plan_input *input, uint64_t each);

void gs_items_plan(struct gs_plan_input *input);
void gs_items_keep(const struct gs_feed *feed, struct gs_plan_input *input, bool guessed);

/** Open FEED->engine, with SIZES.  GS_EBUDGET. */
MUST_CHECK gs_status gs_items_open_engine(struct gs_feed *feed, const struct gs_item_sizes *sizes);

/** The elements that SET keeps. */
static inline enum gs_set_keep
gs_set_keep_of(enum gsort_set set)
{
	static const enum gs_set_keep keeps[] = {
		[GSORT_UNION] = GS_KEEP_UNION, [GSORT_INTERSECT] = GS_KEEP_INTERSECTION,
		[GSORT_DIFFERENCE] = GS_KEEP_DIFFERENCE, [GSORT_SYMMETRIC] = GS_KEEP_SYMMETRIC,
	};

	return keeps[set];
}

/* ---- lines (lines.c) --------------------------------------------------------------- */

enum { GS_LINE_ABOUT_BYTES = 24 };	/* the assumed length of a line */

/** Parse the options for the order of lines; STRICT: keys must be numbers.  GS_EUSAGE: an option is wrong. */
MUST_CHECK gs_status gs_lines_describe(struct gs_feed *feed, bool strict);

/** Read all lines for TAKER, or for FOLLOW, which compares neighbours; either may be NULL. */
MUST_CHECK gs_status gs_lines_read(struct gs_feed *feed, const struct gs_taker *taker,
                                   struct gs_follow *follow);

#endif
