// SPDX-License-Identifier: BSD-2-Clause
/*
 * statistics.h - figures about sorted keys: quantiles, a summary, the most frequent values, a histogram;
 * in JSON also the last keys, or random ones
 *
 * A span sink instead of the emit stage: the output is figures, not keys.
 *
 *     open; { sink, drain, end_group } in the order of the output; write; close
 */
#ifndef GS_FIGURES_STATISTICS_H
#define GS_FIGURES_STATISTICS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/monitor.h"
#include "base/status.h"
#include "engine/store.h"
#include "gsort.h"
#include "io/output.h"
#include "output/top.h"
#include "output/verify.h"
#include "plan/plan.h"
#include "sort/items/items.h"
#include "sort/span.h"
#include "text/float_sum.h"

/* ---- the bars of a histogram (bars.c) --------------------------------------------- */

/*
 * The bars cover the range from the least to the greatest finite number.  A bar of integers has the numbers
 * FROM .. TO.  A bar of floats has FROM <= x < TO, and the last one also TO; infinities and NaNs have their
 * own bars.  The widths of equal bars differ by at most 1, and the bars begin and end with the keys.  There
 * are fewer bars than wanted if the range has fewer numbers, or if rounded edges of floats are equal.
 *
 * Invariant: edges ascend.
 *
 * Keys are sorted, so a bar is two positions: the first key at or after each of its edges.
 */

struct gs_bar {
	__int128 from, to;		/* integers */
	double   float_from, float_to;
	struct gs_value edge;		/* the least key that the bar may have */
	uint64_t position;		/* of the first key at or after EDGE */
	uint64_t keys;			/* set by gs_bars_end() */
};

struct gs_bars {
	bool   floats;
	struct gs_bar *bars;		/* ascending; NULL: no bars are wanted */
	size_t count, next;		/* edges before NEXT have been passed */
};

enum { GS_BARS_MOST = 1 << 20 };

/** The memory for bars. */
uint64_t gs_bars_bytes(const struct gsort_options *options);

/** Compute the edges, from the least and the greatest key of each class.  GS_EBUDGET: no memory. */
MUST_CHECK gs_status
gs_bars_open(struct gs_bars *bars, const struct gsort_options *options,
             const struct gs_extreme extremes[GS_CLASSES]);

/** Take the next span of keys, which begins at POSITION. */
void gs_bars_take(struct gs_bars *bars, const struct gs_span *span, uint64_t position);

/** All KEYS have been taken. */
void gs_bars_end(struct gs_bars *bars, uint64_t keys);

/** Close BARS, which may be zeroed. */
void gs_bars_close(struct gs_bars *bars);

/*
 * Add at most N bars that cover LEAST .. MOST and have edges of few digits (edges.c).  EDGE of these bars is
 * not set.  False: none was added, because N is too small or doubles are too coarse; use bars of equal width.
 */
bool gs_edges_of_integers(struct gs_bars *bars, size_t n, __int128 least, __int128 most,
                          enum gsort_notation notation);
bool gs_edges_of_floats(struct gs_bars *bars, size_t n, double least, double most);

/* The same with edges at powers, on both sides of 0. */
bool gs_edges_of_integer_powers(struct gs_bars *bars, size_t n, __int128 least, __int128 most,
                                enum gsort_notation notation);
bool gs_edges_of_float_powers(struct gs_bars *bars, size_t n, double least, double most);

/* ---- all figures (statistics.c) ---------------------------------------------------- */

/* The key of a position. */
struct gs_mark {
	uint64_t        position;
	struct gs_value value;	/* set when the key is taken */
	const char     *name;	/* NAME_BYTES as the user wrote it, or a constant */
	size_t          name_bytes;
};

/* The quantiles of the options, in their order; quartiles; listed keys. */
struct gs_marks {
	struct gs_mark  *all, **by_position;
	size_t           count, found, quantiles, listed;
};

/* A summary without its quartiles. */
struct gs_summary {
	struct gs_value least, most;
	uint64_t        distinct;
	__int128        sum;		/* of integers */
	struct gs_float_sum float_sum;
};

/* The figures of a single span.  Its first and last group may continue in its neighbours. */
struct gs_tally {
	uint64_t taken;			/* keys */
	uint64_t first_times, last_times;
	uint64_t first, last;		/* keys */
	bool     more;			/* the first group is not the last one */
	uint64_t groups;
	unsigned __int128   sum;	/* of keys */
	struct gs_float_sum float_sum;
	struct gs_top       top;	/* of the groups between these */
	struct gs_span_digest digest;
};

enum { GS_QUARTILES = 3 };

/* A value as text. */
struct gs_word {
	const char *text;	/* NULL: no value */
	size_t      bytes;
	bool        number;	/* in JSON, too */
};

enum { GS_WORD_BYTES = 64 };	/* enough for a number: 2^127 has 39 digits */

struct gs_statistics;

/* Functions for figures about keys (statistics.c, figures.c), or about lines (line_statistics.c). */
struct gs_statistics_of {
	/** take() of the sink. */
	gs_status (*take)(void *figures, struct gs_sorted_span *sorted);

	/** Return a value that was taken as text, in WORD or elsewhere. */
	struct gs_word (*spell)(const struct gs_statistics *figures, const struct gs_value *value,
	                        char word[GS_WORD_BYTES]);
};

extern const struct gs_statistics_of gs_statistics_of_keys, gs_statistics_of_lines;

struct gs_statistics {
	const struct gs_statistics_of  *of;
	const struct gsort_options *options;
	struct gs_verify           *verify;
	struct gs_monitor          *monitor;

	struct gs_marks  marks;
	struct gs_bars   bars;
	struct gs_top    top;		/* its memory also has all other tops, after its groups */
	_Atomic uint64_t floor;		/* top.floor, for all threads */

	uint64_t        keys;		/* in all */
	bool            of_column;	/* keys are a column of lines, ... */
	uint64_t        missing;	/* ... and this many lines have none; set before gs_figures_write() */
	uint64_t        taken;		/* the position of the next key */
	uint64_t        class_position;	/* the position where the current class begins */
	struct gs_summary summary;
	struct gs_group group;		/* the open group; TIMES 0: none */

	struct gs_tally *tallies;	/* one for spans without a slot, one for each slot */

	const struct gs_item_order *order;	/* of lines */
	struct gs_item_copies copies;	/* values that are lines; a value's key is its slot here */
};

/** Is the next mark one of the next COUNT keys or lines? */
static inline bool
gs_statistics_marks_next(const struct gs_statistics *figures, uint64_t count)
{
	const struct gs_marks *marks = &figures->marks;

	return marks->found < marks->count &&
	       marks->by_position[marks->found]->position < figures->taken + count;
}

/** Do OPTIONS want figures, not keys? */
bool gs_statistics_is_wanted(const struct gsort_options *options);

/** Check the list of quantiles.  GS_EUSAGE */
MUST_CHECK gs_status gs_statistics_check(const struct gsort_options *options);

/** Memory for figures about at most KEYS keys, with a plan for THREADS or fewer. */
uint64_t gs_statistics_bytes(const struct gsort_options *options, uint64_t keys, unsigned threads);

/* What is known before keys are taken. */
struct gs_statistics_input {
	uint64_t keys;
	struct gs_extreme extremes[GS_CLASSES];		/* for a histogram */
	const struct gs_item_order *order;		/* of lines, which come in groups */
};

/** Begin.  Everything but INPUT is borrowed.  GS_EBUDGET: no memory. */
MUST_CHECK gs_status
gs_statistics_open(struct gs_statistics *figures, const struct gs_statistics_of *of,
                   const struct gsort_options *options, const struct gs_plan *plan,
                   const struct gs_statistics_input *input, struct gs_verify *verify,
                   struct gs_monitor *monitor);

/** The sink for the next class. */
struct gs_span_sink gs_statistics_sink(struct gs_statistics *figures);

/** End the open group: all keys of the class have been taken. */
void gs_statistics_end_group(struct gs_statistics *figures);

/** Free FIGURES, which may be zeroed. */
void gs_statistics_close(struct gs_statistics *figures);

/* ---- figures as text or JSON (figures.c) --------------------------------------- */

/** A key: gs_statistics_of.spell. */
struct gs_word gs_statistics_spell_key(const struct gs_statistics *figures, const struct gs_value *value,
                                       char word[GS_WORD_BYTES]);

/**
 * All classes have ended: complete the figures, and write them as lines, or as one line of JSON.
 *
 * @bytes  increased by the number of bytes written
 */
MUST_CHECK gs_status
gs_figures_write(struct gs_statistics *figures, struct gs_output *output, uint64_t *bytes);

#endif
