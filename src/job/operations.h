// SPDX-License-Identifier: BSD-2-Clause
/* operations.h - the operations of a job: the sequence of each, its phases, and the one that is wanted */
#ifndef GS_JOB_OPERATIONS_H
#define GS_JOB_OPERATIONS_H

#include <stdbool.h>

#include "base/status.h"
#include "job/job.h"

/* ---- phases: for progress, for the caller, and how long each took (phase.c) ---- */

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

/** Merge all inputs of JOB, keys or items, to its output.  GS_EINPUT: one of them is not in order. */
MUST_CHECK gs_status gs_job_merge(struct gsort *job);

/* ---- is the input sorted? (check.c) -------------------------------------------- */

/** Check the inputs of JOB as if they were one; *DISORDER is set to the answer. */
MUST_CHECK gs_status gs_job_check(struct gsort *job, bool *disorder);

/* ---- union, intersection and difference of inputs (combine.c) ------------------ */

/*
 * Each input is sorted by a job of its own, larger than memory or not; the jobs run side by side, and
 * share memory and threads.  Their sorted keys are merged as they come.
 */

/** Run the set operation that the options want: open a job for each input, merge them all. */
MUST_CHECK gs_status gs_job_combine(struct gsort *job);

/** Add the figures of all inputs to those of the job. */
void gs_combine_stats(struct gsort *job);

/** The sum of what the jobs of all inputs have counted so far; any thread. */
void gs_combine_progress(const struct gsort *job, struct gsort_progress *progress);

/** Stop and free the jobs of all inputs, if there are any. */
void gs_combine_close(struct gsort *job);

/* ---- run one of them, and report on it (run.c) --------------------------------- */

/** gsort_run(), of a job that has not run yet. */
gsort_status gs_job_run(struct gsort *job);

#endif
