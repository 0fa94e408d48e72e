// SPDX-License-Identifier: BSD-2-Clause
/* oracle.h - was what a job did right? */
#ifndef GS_FUZZ_ORACLE_H
#define GS_FUZZ_ORACLE_H

#include "job.h"

/** Run JOB, and see that what came of it is what reference_model.c says.  MAY_FAIL: a sentence is
 *  right, too. */
void fuzz_judge(struct fuzz_job *job, bool may_fail);

#endif
