// SPDX-License-Identifier: BSD-2-Clause
/* open.h - open inputs and output, plan, and get memory */
#ifndef GS_OPEN_JOB_H
#define GS_OPEN_JOB_H

#include "base/status.h"
#include "job/job.h"

/** Open inputs and output, plan, get memory: all that can fail before a job runs. */
MUST_CHECK gs_status gs_job_open(struct gsort *job);

/** The same for a job that sorts one input of the set operation WHOLE: its elements go to JOB->handover. */
MUST_CHECK gs_status gs_job_open_operand(struct gsort *job, const struct gsort *whole);

/** How all inputs are opened; of a merge, one of them is opened in the same way. */
struct gs_input_options gs_job_input_options(struct gsort *job);

/** Free what gs_job_open() has opened, and what came after. */
void gs_job_close(struct gsort *job);

/** Plan again with the facts known by now, and open the stages up to the store in the memory of the
 *  new plan; the keys that they had are lost. */
MUST_CHECK gs_status gs_job_replan(struct gsort *job);

/** JOB, which reads on, has other options now: choose its kind, plan, and get memory again. */
MUST_CHECK gs_status gs_job_reopen(struct gsort *job);

/** After the error STATUS: nothing has been written to the output yet, whatever the emit stage wrote
 *  elsewhere.  Returns STATUS, or GS_EBUDGET. */
gs_status gs_job_reset_emit(struct gsort *job, gs_status status);

#endif
