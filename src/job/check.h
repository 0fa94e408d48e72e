// SPDX-License-Identifier: BSD-2-Clause
/* check.h - is the input sorted? */
#ifndef GS_CHECK_H
#define GS_CHECK_H

#include <stdbool.h>

#include "base/status.h"
#include "job/job.h"

/** Check the one input of JOB; *DISORDER is set to the answer. */
MUST_CHECK gs_status gs_job_check(struct gsort *job, bool *disorder);

#endif
