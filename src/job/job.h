// SPDX-License-Identifier: BSD-2-Clause
/*
 * job.h - one job: the objects that it is made of, and its operations
 *
 * Each object owns its state and is known to the others only by what its header offers.  The
 * sequence of one operation is in sort.c, merge.c or check.c.
 */
#ifndef GS_JOB_H
#define GS_JOB_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/limits.h"
#include "base/monitor.h"
#include "base/status.h"
#include "gsort.h"
#include "io/output.h"
#include "plan/plan.h"
#include "kinds/kind.h"
#include "output/emit.h"
#include "output/verify.h"

struct gs_rank_job;

/* ---- -n and -g: numbers first, lines if that fails (fallback.c) ------------------- */

/*
 * For -n and -g:
 *
 *     begin; end, if an input is compressed or a line is not such a number
 *
 * While each line of its files is what gsort prints for its number, the job sorts numbers, several times as
 * fast.  At the first other line it becomes one of lines (sort.c), and reads the files again.
 */

struct gs_fallback {
	bool      may;			/* the job may become one of: */
	struct gsort_options lines;
	bool      ended;
};

/** Turn OPTIONS of lines into options of numbers; false: the sort may not begin so. */
bool gs_fallback_begin(struct gs_fallback *fallback, struct gsort_options *options);

/** Turn them back into options of lines, for good. */
void gs_fallback_end(struct gs_fallback *fallback, struct gsort_options *options);

/* ---- the files that a job reads and writes, by any name (files.c) ----------- */

/*
 * A job may write to the file that it reads.  Two outputs that are one file are refused where they are
 * opened (io/output.h).  gsort_clash() is for files that the caller reads or writes beside the job.
 */

/** The input that is the one output, too; NULL: none, or there are several outputs. */
const char *gs_job_rewrites(const struct gsort_options *options);

/* ---- data lost without an error: "gsort f > f", "gsort -o f" ------------------- */

/** Before the output is opened: warn if it is an input that has become empty.  Returns the bytes that it has,
 *  if no input is named; else nothing can be lost: 0. */
uint64_t gs_lost_open(const struct gsort_options *options, const struct gs_monitor *monitor);

/** After a sort that has read BYTES: warn if it has emptied its output, which had LOST, and nothing else. */
void gs_lost_close(uint64_t lost, const struct gsort_options *options, uint64_t bytes,
                   const struct gs_monitor *monitor);

/* ---- the job -------------------------------------------------------------------- */

/* How far a job is: it runs once, and each phase is timed (sort.c). */
struct gs_phases {
	atomic_bool      began;		/* by gsort_run() */
	atomic_bool      interrupted;	/* by gsort_interrupt() */
	enum gsort_phase now;		/* that is being timed, ... */
	uint64_t         since;		/* ... and when it began */
};

struct gsort {
	struct gs_rank_job  *rank_job;		/* what it is among the ranks; alone: the only one */
	struct gsort_options options;		/* a copy of the caller's; a rank has changed it */
	struct gs_fallback   fallback;		/* of lines, if they begin as numbers */
	struct gs_limits     limits;		/* of the machine; cores 0: not read yet */
	struct gs_plan_input plan_input;
	struct gs_plan       plan;
	struct gs_monitor    monitor;
	struct gsort_stats   stats;
	struct gs_phases     phases;
	struct gs_outputs    outputs;
	const char          *temp_dir;	/* of options without any */
	uint64_t             lost;	/* see gs_lost_open() */
	struct gs_feed       feed;
	struct gs_arena      buffers;	/* of: */
	struct gs_emit       emit;
	struct gs_verify     verify;

	_Atomic(struct gs_combination *) set;	/* of a set operation: combine.c */
};

/** Is it a set operation of keys, which merges the operands, each in an engine of its own (combine.c)? */
static inline bool
gs_job_combines(const struct gsort *job)
{
	return job->options.set != GSORT_NO_SET && job->options.operation == GSORT_MERGE;
}

/* ---- open inputs and output, plan, and get memory (open.c) ------------------ */

/** Open inputs and output, plan, get memory: all that can fail before a job runs. */
MUST_CHECK gs_status gs_job_open(struct gsort *job);

/** Open the one input of FEED, an operand of the set operation JOB, plan, and get memory. */
MUST_CHECK gs_status gs_job_open_operand(struct gsort *job, struct gs_feed *feed);

/** How all inputs are opened; of a merge, one of them is opened in the same way. */
struct gs_input_options gs_job_input_options(struct gsort *job);

/** Plan again with the facts known by now, and open the stages up to the store in the memory of the
 *  new plan; the keys that they had are lost. */
MUST_CHECK gs_status gs_job_replan(struct gsort *job);

/** A line is not a number as gsort prints it: the job is one of lines, plans and gets memory again, and will
 *  read its files once more, but not write again what a merge has written. */
MUST_CHECK gs_status gs_job_become_lines(struct gsort *job);

/* ---- what it takes, about, and how much of that is done (forecast.c) ----------- */

/** What JOB takes; of compressed files, by a guess of what is in them. */
void gs_job_forecast(const struct gsort *job, struct gs_forecast *forecast);

/** Its batches and temporary files: of a column, those of the keys that it keeps. */
void gs_job_estimate(const struct gsort *job, struct gs_estimate *estimate);

/** It is planned; or all is READ, and the size of the input was unknown: store in its counters what the plan
 *  expects. */
void gs_job_expect(struct gsort *job, bool read);

/** Set the work in PROGRESS, whose other members are set. */
void gs_job_work(const struct gsort *job, struct gsort_progress *progress);

/* ---- phases: for progress, for the caller, and how long each took (sort.c) ----- */

/** The job begins to read, sort or write: PHASE.  The seconds since the phase before it began, if
 *  that is not over, are added to the statistics. */
void gs_phase_begin(struct gsort *job, enum gsort_phase phase);

/** The phase is over; its seconds are added.  Nothing may have begun. */
void gs_phase_end(struct gsort *job);

/* ---- the sequence of a sort (sort.c) ------------------------------------------- */

/** Sort everything, on another device if the first one fails. */
MUST_CHECK gs_status gs_job_sort(struct gsort *job);

/** Write the header, then all elements of the engine, and finish the output. */
MUST_CHECK gs_status gs_job_emit(struct gsort *job, const char *header, size_t header_bytes);

/* ---- sorted inputs become one (merge.c) ---------------------------------------- */

/** Merge all inputs of JOB to its output.  GS_EINPUT: one of them is not in order. */
MUST_CHECK gs_status gs_job_merge(struct gsort *job);

/* ---- is the input sorted? (check.c) -------------------------------------------- */

/** Check the inputs of JOB as if they were one; *DISORDER is set to the answer. */
MUST_CHECK gs_status gs_job_check(struct gsort *job, bool *disorder);

/* ---- union, intersection and difference of inputs (combine.c) ------------------ */

/*
 * Each input is sorted in an engine of its own, larger than memory or not.  They are read one after the
 * other, so that no input is opened before the one before it has ended, and share the memory.  Their sorted
 * keys are merged as they come.
 */

/** Run the set operation that the options want: open each input, merge them all. */
MUST_CHECK gs_status gs_job_combine(struct gsort *job);

/** Add the figures of all inputs to those of the job. */
void gs_combine_stats(const struct gs_combination *set, struct gsort_stats *stats);

/** The sum of what has been counted so far of all inputs; any thread; NULL is allowed. */
void gs_combine_progress(const struct gs_combination *set, struct gsort_progress *progress);

/** Free all; NULL is allowed. */
void gs_combine_close(struct gs_combination *set);

/* ---- run one of them, and report on it (run.c) --------------------------------- */

/** gsort_run(), of a job that has not run yet. */
gsort_status gs_job_run(struct gsort *job);

#endif
