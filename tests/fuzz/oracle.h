// SPDX-License-Identifier: BSD-2-Clause
/* oracle.h - is the result of a job right? */
#ifndef GS_FUZZ_ORACLE_H
#define GS_FUZZ_ORACLE_H

#include "job.h"

/** Run JOB, and check its result with reference_model.c.  MAY_FAIL: an error is right, too. */
void fuzz_judge(struct fuzz_job *job, bool may_fail);

#endif
