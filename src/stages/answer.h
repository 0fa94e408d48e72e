// SPDX-License-Identifier: BSD-2-Clause
/*
 * answer.h - figures about sorted keys: quantiles, a summary, the most frequent values, a histogram;
 * as JSON also the last keys, or random ones
 *
 * A span sink beside the emit stage: keys are not written in the form of the input.
 *
 *     open; { sink, drain, class_end } in the order of the output; end; the figures; close
 */
#ifndef GS_STAGES_ANSWER_H
#define GS_STAGES_ANSWER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/monitor.h"
#include "base/status.h"
#include "format/float_sum.h"
#include "gsort.h"
#include "plan/plan.h"
#include "sort/span.h"
#include "stages/bars.h"
#include "stages/store.h"
#include "stages/top.h"
#include "stages/verify.h"

/* The key of a rank. */
struct gs_mark {
	uint64_t        rank;
	struct gs_value value;	/* once the key has been taken */
	const char     *name;	/* as the user wrote it, NAME_BYTES; or a constant */
	size_t          name_bytes;
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

struct gs_answer {
	const struct gsort_options *options;
	const struct gs_plan       *plan;
	struct gs_verify           *verify;
	struct gs_monitor          *monitor;

	struct gs_mark  *marks;		/* quantiles as they were asked for; quartiles; listed keys */
	struct gs_mark **by_rank;
	size_t           mark_count, marks_found;
	size_t           quantile_count, listed_count;
	struct gs_bars   bars;
	struct gs_top    top;
	struct gs_group *groups;	/* memory of all tops */
	_Atomic uint64_t floor;		/* top.floor, for all threads */

	uint64_t        keys;		/* in all */
	uint64_t        taken;		/* so far */
	uint64_t        class_rank;	/* before the class that is being drained */
	struct gs_value least, most;
	uint64_t        distinct;
	__int128        sum;		/* of integers */
	struct gs_float_sum float_sum;
	bool            any;		/* a group has begun: */
	struct gs_group group;

	struct gs_tally *tallies;	/* one for each slot, one for spans without */
};

/** Do OPTIONS want figures, not keys? */
bool gs_answer_is_wanted(const struct gsort_options *options);

/** Is the list of quantiles sound?  GS_EUSAGE */
MUST_CHECK gs_status gs_answer_check(const struct gsort_options *options);

/** Memory for figures about at most KEYS keys, with a plan for THREADS or fewer. */
uint64_t gs_answer_bytes(const struct gsort_options *options, uint64_t keys, unsigned threads);

/** Begin; STORE has all KEYS.  Everything is borrowed.  GS_EBUDGET: no memory. */
MUST_CHECK gs_status
gs_answer_open(struct gs_answer *answer, const struct gsort_options *options,
               const struct gs_plan *plan, struct gs_store *store, uint64_t keys,
               struct gs_verify *verify, struct gs_monitor *monitor);

/** The sink of the next class. */
struct gs_span_sink gs_answer_sink(struct gs_answer *answer);

/** All keys of the class have been taken. */
void gs_answer_class_end(struct gs_answer *answer);

/** All classes have ended: complete the figures. */
void gs_answer_end(struct gs_answer *answer);

/** Free all.  A zeroed struct is allowed. */
void gs_answer_close(struct gs_answer *answer);

#endif
