// SPDX-License-Identifier: BSD-2-Clause
/*
 * statistics.h - figures about sorted keys: quantiles, a summary, the most frequent values, a histogram;
 * as JSON also the last keys, or random ones
 *
 * A span sink beside the emit stage: keys are not written in the form of the input.
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

/* ---- how many keys lie in each interval of their range (bars.c) ----------------- */

/*
 * The intervals cover the least to the greatest finite number.  Integers: a bar has the numbers
 * FROM .. TO.  Floats: a bar has FROM <= x < TO, the last one its TO,
 * too; infinities and NaNs have bars of their own.  Bars of equal width differ by 1 at most, and begin and
 * end with the keys; there are fewer than asked for if the range
 * has fewer numbers, or if edges of floats are equal once they are rounded.
 *
 * Invariant: edges ascend.
 *
 * Keys are sorted, so a bar is two positions: the first key at or after each of its edges.
 */

struct gs_bar {
	__int128 from, to;		/* integers */
	double   float_from, float_to;
	struct gs_value edge;		/* the least key that it may have */
	uint64_t position;		/* of the first key at EDGE or behind it */
	uint64_t keys;			/* set by gs_bars_end() */
};

struct gs_bars {
	bool   floats;
	struct gs_bar *bars;		/* ascending; NULL: none are wanted */
	size_t count, next;		/* edges before NEXT have been passed */
};

enum { GS_BARS_MOST = 1 << 20 };

/** The memory that they take. */
uint64_t gs_bars_bytes(const struct gsort_options *options);

/** Compute the edges, from the least and the greatest key of each class.  GS_EBUDGET: no memory. */
MUST_CHECK gs_status
gs_bars_open(struct gs_bars *bars, const struct gsort_options *options,
             const struct gs_extreme extremes[GS_CLASSES]);

/** The next span of keys, which begins at POSITION. */
void gs_bars_take(struct gs_bars *bars, const struct gs_span *span, uint64_t position);

/** All KEYS have been taken. */
void gs_bars_end(struct gs_bars *bars, uint64_t keys);

/** A zeroed struct is allowed. */
void gs_bars_close(struct gs_bars *bars);

/*
 * Edges of few digits (edges.c): N bars at most are added that cover LEAST .. MOST, without the edges of
 * keys.  False, and none was: so few cannot, or doubles are too coarse; bars of equal width can.
 */
bool gs_edges_of_integers(struct gs_bars *bars, size_t n, __int128 least, __int128 most,
                          enum gsort_notation notation);
bool gs_edges_of_floats(struct gs_bars *bars, size_t n, double least, double most);

/* The same between powers, of numbers with a sign, and 0. */
bool gs_edges_of_integer_powers(struct gs_bars *bars, size_t n, __int128 least, __int128 most,
                                enum gsort_notation notation);
bool gs_edges_of_float_powers(struct gs_bars *bars, size_t n, double least, double most);

/* ---- all figures (statistics.c) ---------------------------------------------------- */

/* The key of a position. */
struct gs_mark {
	uint64_t        position;
	struct gs_value value;	/* once the key has been taken */
	const char     *name;	/* as the user wrote it, NAME_BYTES; or a constant */
	size_t          name_bytes;
};

/* Quantiles as they were asked for; quartiles; listed keys. */
struct gs_marks {
	struct gs_mark  *all, **by_position;
	size_t           count, found, quantiles, listed;
};

/* What a summary has beside quartiles. */
struct gs_summary {
	struct gs_value least, most;
	uint64_t        distinct;
	__int128        sum;		/* of integers */
	struct gs_float_sum float_sum;
};

/* What a span has, by itself.  Its first and last group may go on in its neighbours. */
struct gs_tally {
	uint64_t taken;			/* keys */
	uint64_t first_times, last_times;
	uint64_t first, last;		/* keys */
	bool     more;			/* the first group is not the last one */
	uint64_t groups;
	unsigned __int128   sum;	/* of keys */
	struct gs_float_sum float_sum;
	struct gs_top       top;	/* of the groups between */
	struct gs_span_digest digest;
};

enum { GS_QUARTILES = 3 };

/* A value as people read it. */
struct gs_word {
	const char *text;	/* NULL: no value */
	size_t      bytes;
	bool        number;	/* in JSON, too */
};

enum { GS_WORD_BYTES = 64 };	/* of a number no more: 2^127 has 39 digits */

struct gs_statistics;

/* What figures are of: keys (statistics.c, figures.c), or lines (line_statistics.c). */
struct gs_statistics_of {
	/** take() of the sink. */
	gs_status (*take)(void *figures, struct gs_sorted_span *sorted);

	/** A value that was taken, in WORD or elsewhere. */
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
	struct gs_top    top;		/* behind its groups, the memory of all other tops */
	_Atomic uint64_t floor;		/* top.floor, for all threads */

	uint64_t        keys;		/* in all */
	bool            of_column;	/* of lines, which may have no value, ... */
	uint64_t        missing;	/* how many; the caller sets both before the figures are written */
	uint64_t        taken;		/* the position of the next one */
	uint64_t        class_position;	/* before the class that is being drained */
	struct gs_summary summary;
	struct gs_group group;		/* that has begun; TIMES 0: none */

	struct gs_tally *tallies;	/* one for spans without a slot, one for each slot */

	const struct gs_item_order *order;	/* of lines */
	struct gs_item_copies copies;	/* their values: the key of one is its slot */
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

/** Is the list of quantiles sound?  GS_EUSAGE */
MUST_CHECK gs_status gs_statistics_check(const struct gsort_options *options);

/** Memory for figures about at most KEYS keys, with a plan for THREADS or fewer. */
uint64_t gs_statistics_bytes(const struct gsort_options *options, uint64_t keys, unsigned threads);

/* What is known before keys are taken. */
struct gs_statistics_input {
	uint64_t keys;
	struct gs_extreme extremes[GS_CLASSES];		/* if there is to be a histogram */
	const struct gs_item_order *order;		/* of lines, which come in groups */
};

/** Begin.  Everything but INPUT is borrowed.  GS_EBUDGET: no memory. */
MUST_CHECK gs_status
gs_statistics_open(struct gs_statistics *figures, const struct gs_statistics_of *of,
                   const struct gsort_options *options, const struct gs_plan *plan,
                   const struct gs_statistics_input *input, struct gs_verify *verify,
                   struct gs_monitor *monitor);

/** The sink of the next class. */
struct gs_span_sink gs_statistics_sink(struct gs_statistics *figures);

/** The group that was open has ended: all keys of the class have been taken. */
void gs_statistics_end_group(struct gs_statistics *figures);

/** Free all.  A zeroed struct is allowed. */
void gs_statistics_close(struct gs_statistics *figures);

/* ---- figures as text or JSON (figures.c) --------------------------------------- */

/** A key: gs_statistics_of.spell. */
struct gs_word gs_statistics_spell_key(const struct gs_statistics *figures, const struct gs_value *value,
                                       char word[GS_WORD_BYTES]);

/**
 * All classes have ended: complete the figures, and write them as lines or as one of JSON.
 *
 * @bytes  the number of bytes written is added to it
 */
MUST_CHECK gs_status
gs_figures_write(struct gs_statistics *figures, struct gs_output *output, uint64_t *bytes);

#endif
