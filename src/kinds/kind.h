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

/* What one of several processes knows of the input; zeroed: it is alone, and reads all of it. */
struct gs_share {
	bool        headed;		/* the header is known, and not read here: */
	const char *header;
	size_t      header_bytes;
	struct gs_item_window window;	/* through which items come to their owners; BYTES 0: no owners */
};

/* Lines by key. */
struct gs_line_feed {
	struct gs_line_order  order;
	struct gs_line_items  whole, behind_numbers;	/* of orders of items */
	struct gs_follow      follow;	/* of a merge that is a sort */
	struct gs_line_ingest ingest;
	struct gs_line_column column;	/* of figures */
	char                 *chunks;	/* memory to read with */
	struct gs_arena       numbered;	/* pieces of --argsort */
	struct gs_record      number;	/* an item of --argsort of text, which is read as: */
	const struct gs_text_options *text;	/* or NULL: lines are not numbers */
	size_t                chunk_bytes;
	struct gs_line_limits limits;
};

/* What elements that are items have beside the others. */
struct gs_feed_items {
	struct gs_item_order   order, written;	/* as they are stored; as they are written */
	struct gs_item_store  *store;
	struct gs_item_firsts *firsts;	/* of --keep-order, in place of it */

	/* What leaves is only ... */
	struct gs_item_top top;		/* ... the most frequent items, ... */
	const char        *listed;	/* ... as JSON under this name; or NULL */
};

struct gs_feed {
	/* Borrowed, and set before describe. */
	struct gsort_options *options;	/* changed to others that mean the same */
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
	struct gs_ingest        ingest;	/* of keys; lines use its options of text and its reader ahead */
	struct gs_record_ingest records;
	struct gs_line_feed     lines;
	uint64_t                elements;	/* that this process has, once all have been read, ... */
	struct gs_item_slice    header;		/* ... and what comes before them */
	struct gs_read_counts   read;	/* by a check or merge */
};

/** What has been read: set bytes, elements and invalid lines in STATS. */
void gs_feed_count(const struct gs_feed *feed, struct gsort_stats *stats);

/** Forget what was allocated: allocate follows, or describe. */
void gs_feed_release(struct gs_feed *feed);

/** A zeroed struct is allowed. */
void gs_feed_close(struct gs_feed *feed);

/* ---- what differs among kinds --------------------------------------------------- */

enum gs_listed_as { GS_AS_KEYS, GS_AS_RECORDS, GS_AS_LINES };

struct gs_kind {
	/** Understand the keys, and set the bytes of an element if it has others than gs_ingest_set_format()
	 *  knows.  GS_EUSAGE: one is wrong.  NULL: there are none. */
	gs_status (*describe)(struct gs_feed *feed);

	/** The facts about them for a plan. */
	void (*plan)(struct gs_plan_input *input);
	const char *cpu_rule;

	/** Add to that the memory which elements of this kind need beside them; GUESSED: the size of the
	 *  input is a hint. */
	void (*keep)(const struct gs_feed *feed, struct gs_plan_input *input, bool guessed);

	/** Get memory, as planned, and open the engine.  GS_EBUDGET. */
	gs_status (*allocate)(struct gs_feed *feed);

	/** Read all input, for TAKER, and what stands in the output before the elements. */
	gs_status (*read)(struct gs_feed *feed, const struct gs_taker *taker);

	/** Compare all elements with the ones before, and store none.  GS_EINPUT: one is invalid, or out
	 *  of order (follow->disorder). */
	gs_status (*check)(struct gs_feed *feed, struct gs_follow *follow);

	/** The work that it is to do what INPUT says, which is as planned, but of any size; *KEPT: the bytes
	 *  that a sort keeps.  A merge that sorts becomes a sort in INPUT. */
	enum gs_work (*work)(const struct gs_feed *feed, struct gs_plan_input *input, uint64_t *kept);

	const struct gs_statistics_of *figures;	/* how they are made; NULL: there are none */
	enum gs_listed_as as;		/* for people */
};

extern const struct gs_kind gs_keys, gs_records, gs_lines, gs_text_numbers, gs_column, gs_field;

/** What OPTIONS sort. */
const struct gs_kind *gs_kind_of(const struct gsort_options *options);

/* ---- what kinds share (items.c) -------------------------------------------------- */

#define GS_MANY_VALUES	"so many values (--top, --sample, --tail, --histogram)"
#define GS_ITEMS_ON_CPU	"records and lines are sorted on the CPU"

/** The sizes of items (plan/items.h), of a sort or of a check of lines. */
struct gs_item_sizes gs_items_sizes(const struct gs_feed *feed);

/** Will a merge of items be a sort, even if the output does not overwrite an input?  Its SIZES are set. */
bool gs_items_merge_sorts(const struct gs_feed *feed, struct gs_item_merge_sizes *sizes);

/** How many bytes a sort of INPUT keeps, if items have about EACH: less for a head, more with numbers.  A
 *  merge that sorts becomes a sort. */
uint64_t gs_items_kept(const struct gs_feed *feed, struct gs_plan_input *input, uint64_t each);

void gs_items_plan(struct gs_plan_input *input);
void gs_items_keep(const struct gs_feed *feed, struct gs_plan_input *input, bool guessed);

/** Open FEED->engine, with SIZES.  GS_EBUDGET. */
MUST_CHECK gs_status gs_items_open_engine(struct gs_feed *feed, const struct gs_item_sizes *sizes);

/** What SET keeps. */
static inline enum gs_set_keep
gs_set_keep_of(enum gsort_set set)
{
	static const enum gs_set_keep keeps[] = {
		[GSORT_UNION] = GS_KEEP_UNION, [GSORT_INTERSECT] = GS_KEEP_INTERSECTION,
		[GSORT_DIFFERENCE] = GS_KEEP_DIFFERENCE, [GSORT_SYMMETRIC] = GS_KEEP_SYMMETRIC,
	};

	return keeps[set];
}

/* ---- and of lines (lines.c) ------------------------------------------------------ */

enum { GS_LINE_ABOUT_BYTES = 24 };	/* of a line, about */

/** Read the options of the order of the lines, whose keys are numbers if it is STRICT.  GS_EUSAGE: one is
 *  wrong. */
MUST_CHECK gs_status gs_lines_describe(struct gs_feed *feed, bool strict);

/** Read all lines to TAKER, or to FOLLOW, which compares neighbours; either may be NULL. */
MUST_CHECK gs_status gs_lines_read(struct gs_feed *feed, const struct gs_taker *taker,
                                   struct gs_follow *follow);

#endif
