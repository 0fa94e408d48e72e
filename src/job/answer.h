// SPDX-License-Identifier: BSD-2-Clause
/* answer.h - a sort whose output is figures about its keys */
#ifndef GS_JOB_ANSWER_H
#define GS_JOB_ANSWER_H

#include "base/status.h"
#include "job/job.h"

/** All keys are in the store, sorted: write the figures that the options want.  It may be called
 *  again, if a GPU failed. */
MUST_CHECK gs_status gs_job_answer(struct gsort *job);

#endif
