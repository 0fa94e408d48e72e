// SPDX-License-Identifier: BSD-2-Clause
/* open.h - everything that a job is given before it runs */
#ifndef GS_OPEN_JOB_H
#define GS_OPEN_JOB_H

#include "base/status.h"
#include "job/job.h"

/** Open inputs and output, plan, get memory: all that can fail before a job runs. */
MUST_CHECK gs_status gs_job_open(struct gsort *job);

/** Plan again for what is known by now, and get the memory of the new plan; all that the arena
 *  held is lost. */
MUST_CHECK gs_status gs_job_replan(struct gsort *job);

#endif
