// SPDX-License-Identifier: BSD-2-Clause
/*
 * combine.h - union, intersection and difference of inputs
 *
 * Each input is sorted by a job of its own, larger than memory or not; the jobs run side by side, and
 * share memory and threads.  Their sorted keys are merged as they come.
 */
#ifndef GS_JOB_COMBINE_H
#define GS_JOB_COMBINE_H

#include "base/status.h"
#include "job/job.h"

/** Run the set operation that the options want: open a job for each input, merge them all. */
MUST_CHECK gs_status gs_job_combine(struct gsort *job);

/** Add the figures of all inputs to those of the job. */
void gs_combine_stats(struct gsort *job);

/** The sum of what the jobs of all inputs have counted so far; any thread. */
void gs_combine_progress(const struct gsort *job, struct gsort_progress *progress);

/** Stop and free the jobs of all inputs, if there are any. */
void gs_combine_close(struct gsort *job);

#endif
