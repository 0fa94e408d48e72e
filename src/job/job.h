// SPDX-License-Identifier: BSD-2-Clause
/*
 * job.h - one job: its objects and its operations
 *
 * Each object owns its state, and the others use only what its header offers.  The
 * sequence of an operation is in sort.c, merge.c or check.c.
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
 * As long as each line of the files is what gsort prints for its number, the job sorts numbers, which is
 * several times as fast.  At the first other line, it becomes a job of lines (sort.c), and reads the files
 * again.
 */

struct gs_fallback {
	bool      may;			/* the job may become a job of lines, with these options: */
	struct gsort_options lines;
	bool      ended;
};

/** Turn OPTIONS of lines into options of numbers; false: the job must sort lines from the beginning. */
bool gs_fallback_begin(struct gs_fallback *fallback, struct gsort_options *options);

/** Turn them back into options of lines, for good. */
void gs_fallback_end(struct gs_fallback *fallback, struct gsort_options *options);

/* ---- the files that a job reads and writes, by any name (files.c) ----------- */

/*
 * A job may write to the file that it reads.  Two outputs that are one file are refused where they are
 * opened (io/output.h).  gsort_clash() is for files that the caller reads or writes beside the job.
 */

/** The input that is also the only output; NULL: no input is, or there are several outputs. */
const char *gs_job_rewrites(const struct gsort_options *options);

/* ---- data lost without an error: "gsort f > f", "gsort -o f" ------------------- */

/** Before the output is opened: warn if it is an input that has become empty.  Returns the size of the output
 *  if no input is named; otherwise 0, because nothing can be lost. */
uint64_t gs_lost_open(const struct gsort_options *options, const struct gs_monitor *monitor);

/** After a sort that has read BYTES: warn if all it did was to empty its output, which had LOST bytes. */
void gs_lost_close(uint64_t lost, const struct gsort_options *options, uint64_t bytes,
                   const struct gs_monitor *monitor);

/* ---- the job -------------------------------------------------------------------- */

/* The state of a job: it runs once, and each phase is timed (sort.c). */
struct gs_phases {
	atomic_bool      began;		/* by gsort_run() */
	atomic_bool      interrupted;	/* by gsort_interrupt() */
	enum gsort_phase now;		/* the current phase */
	uint64_t         since;		/* the time at which it began */
};

struct gsort {
	struct gs_rank_job  *rank_job;		/* this process's rank; a job without MPI is rank 0 of 1 */
	struct gsort_options options;		/* a copy of the caller's, which a rank changes */
	struct gs_fallback   fallback;		/* from numbers to lines */
	struct gs_limits     limits;		/* of the machine; cores 0: not read yet */
	struct gs_plan_input plan_input;
	struct gs_plan       plan;
	struct gs_monitor    monitor;
	struct gsort_stats   stats;
	struct gs_phases     phases;
	struct gs_outputs    outputs;
	const char          *temp_dir;	/* if the options name none */
	uint64_t             lost;	/* see gs_lost_open() */
	struct gs_feed       feed;
	struct gs_arena      buffers;	/* memory for emit and verify */
	struct gs_emit       emit;
	struct gs_verify     verify;

	_Atomic(struct gs_combination *) set;	/* for a set operation: combine.c */
};

/** Is JOB a set operation on keys, which merges its operands, each from its own engine (combine.c)? */
static inline bool
gs_job_combines(const struct gsort *job)
{
	return job->options.set != GSORT_NO_SET && job->options.operation == GSORT_MERGE;
}

/* ---- open inputs and output, plan, and get memory (open.c) ------------------ */

/** Open inputs and output, plan, get memory: everything that can fail before a job runs. */
MUST_CHECK gs_status gs_job_open(struct gsort *job);

/** Open the one input of FEED, an operand of the set operation JOB, plan, and get memory. */
MUST_CHECK gs_status gs_job_open_operand(struct gsort *job, struct gs_feed *feed);

/** How all inputs are opened; a merge opens each of its inputs in the same way. */
struct gs_input_options gs_job_input_options(struct gsort *job);

/** Plan again with the facts known by now, and open the stages up to the store in the memory of the
 *  new plan.  The keys that the stages had are lost. */
MUST_CHECK gs_status gs_job_replan(struct gsort *job);

/** A line is not a number as gsort prints it: turn JOB into a job of lines, plan and get memory again.  The
 *  job then reads its files again, but does not write again what a merge has written. */
MUST_CHECK gs_status gs_job_become_lines(struct gsort *job);

/* ---- an estimate of the work, and how much of it is done (forecast.c) ---------- */

/** Forecast what JOB takes; the contents of compressed files are guessed. */
void gs_job_forecast(const struct gsort *job, struct gs_forecast *forecast);

/** Estimate batches and temporary files; for a column, those of the keys that it keeps. */
void gs_job_estimate(const struct gsort *job, struct gs_estimate *estimate);

/** Store in the counters what the plan expects: after planning, or if the size of the input was unknown,
 *  after all has been READ. */
void gs_job_expect(struct gsort *job, bool read);

/** Set the work in PROGRESS, whose other members are set. */
void gs_job_work(const struct gsort *job, struct gsort_progress *progress);

/* ---- phases: for progress, for the caller, and for the time of each (sort.c) --- */

/** Begin PHASE: reading, sorting or writing.  If a phase was not over, add its seconds to the
 *  statistics. */
void gs_phase_begin(struct gsort *job, enum gsort_phase phase);

/** End the phase, if one has begun, and add its seconds. */
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
 * Each input is sorted in its own engine, whether it fits in memory or not.  The engines share the memory.
 * Inputs are read one after the other: none is opened before the one before it has ended.  The sorted keys
 * are merged while they leave the engines.
 */

/** Run the set operation of the options: open each input, and merge all. */
MUST_CHECK gs_status gs_job_combine(struct gsort *job);

/** Add the figures of all inputs to those of the job. */
void gs_combine_stats(const struct gs_combination *set, struct gsort_stats *stats);

/** The sum of the counters of all inputs so far; any thread; NULL is allowed. */
void gs_combine_progress(const struct gs_combination *set, struct gsort_progress *progress);

/** Free all; NULL is allowed. */
void gs_combine_close(struct gs_combination *set);

/* ---- run one of them, and report on it (run.c) --------------------------------- */

/** gsort_run(), for a job that has not run yet. */
gsort_status gs_job_run(struct gsort *job);

#endif
