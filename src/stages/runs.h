// SPDX-License-Identifier: BSD-2-Clause
/*
 * runs.h - sorted runs of each key class, on disk, and their merge
 *
 *     carve, open; { begin, sink, end }*; drain each class; close
 *
 * The runs own files, lists and the memory of merging.
 */
#ifndef GS_STAGES_RUNS_H
#define GS_STAGES_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/monitor.h"
#include "base/status.h"
#include "gsort.h"
#include "plan/plan.h"
#include "sort/span.h"
#include "spill/external_merge.h"
#include "spill/spill.h"

/* A run, and how to read it. */
struct gs_run_entry {
	struct gs_run    run;
	struct gs_spill *spill;		/* that can read it */
	struct gs_clock *clock;
	unsigned         depth;		/* merges it has come from */
};

struct gs_run_list {
	struct gs_run_entry *entries;	/* room for plan.most_runs */
	size_t               count;
};

struct gs_runs {
	const struct gs_plan       *plan;
	const struct gs_plan_input *plan_input;
	const struct gsort_options *options;
	struct gs_monitor          *monitor;
	struct gs_run_list lists[GS_CLASSES];
	struct gs_run_list merged;	/* of them, or of inputs, before the last merge */
	struct gs_source  *sources;	/* of the merge that is under way */
	struct gs_spill   *spill;	/* NULL: none was needed yet */
	void              *spill_memory, *merge_memory;
	unsigned           merge_threads;
	unsigned           key_class;	/* of the run that is being written, ... */
	unsigned           parts;	/* ... in so many parts, ... */
	uint64_t           part_at[GS_SPILL_PARTS];	/* ... which begin with these keys */

	/** Called when a merge ends before its sources do, or NULL. */
	void             (*stop)(void *context);
	void              *stop_context;

	unsigned           spilled, passes;	/* runs written; passes of merging */
};

/** Take buffers from ARENA, or from one that is not open: only their sum. */
void gs_runs_carve(struct gs_runs *runs, const struct gs_plan *plan, struct gs_arena *arena);

/** Begin, with what was carved; everything is borrowed. */
void gs_runs_open(struct gs_runs *runs, const struct gsort_options *options,
                  const struct gs_plan_input *input, struct gs_monitor *monitor);

/** Check that runs can be written to disk. */
MUST_CHECK gs_status gs_runs_prepare_disk(struct gs_runs *runs);

/* A run on disk: begin it, drain a producer into its sink, end it.  KEYS: so many will come, from a
 * producer that knows strands; 0: from another. */
MUST_CHECK gs_status gs_runs_begin(struct gs_runs *runs, unsigned key_class, uint64_t keys);
struct gs_span_sink  gs_runs_sink(struct gs_runs *runs);
MUST_CHECK gs_status gs_runs_end(struct gs_runs *runs);

/** Runs of KEY_CLASS. */
size_t gs_runs_count(const struct gs_runs *runs, unsigned key_class);

/** Must some runs be merged before the next batch?  gs_runs_make_room() does so; the pool must be
 *  empty. */
bool gs_runs_are_crowded(const struct gs_runs *runs);
MUST_CHECK gs_status gs_runs_make_room(struct gs_runs *runs);

/** Merge sorted SOURCES of KEY_CLASS, at most plan.fan_in, into a run on disk. */
MUST_CHECK gs_status gs_runs_add(struct gs_runs *runs, unsigned key_class,
                                 const struct gs_source *sources, size_t count);

/** Merge all runs of KEY_CLASS into SINK. */
MUST_CHECK gs_status
gs_runs_drain(struct gs_runs *runs, unsigned key_class, const struct gs_span_sink *sink);

/**
 * Merge sorted sources of KEY_CLASS into SINK, with all threads, in the memory of the plan.  If
 * there are more than plan.fan_in of them, the first ones are merged into runs on disk until
 * few enough are left.
 *
 * @sources  used up, changed in place.  At most plan.fan_in of them are read at a time, by
 *           other threads; each from its front to its end, and only after those before it
 *           were begun.  Keys are left unread only if the sink has enough.
 * @return   GS_OK; the error of a source, of the spill or of the sink
 *
 * O(n log k) comparisons for k sources of n keys in all, times the passes.
 */
MUST_CHECK gs_status
gs_runs_merge(struct gs_runs *runs, unsigned key_class, struct gs_source *sources, size_t count,
              const struct gs_span_sink *sink);

/** Bytes written to disk. */
uint64_t gs_runs_spilled_bytes(const struct gs_runs *runs);

/** Close what is on disk, forget all runs. */
void gs_runs_close(struct gs_runs *runs);

#endif
