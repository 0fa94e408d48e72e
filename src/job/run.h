// SPDX-License-Identifier: BSD-2-Clause
/* run.h - run the operation of a job, and report on it */
#ifndef GS_RUN_JOB_H
#define GS_RUN_JOB_H

#include "job/job.h"

/** gsort_run(), of a job that has not run yet. */
gsort_status gs_job_run(struct gsort *job);

#endif
