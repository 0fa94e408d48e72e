// SPDX-License-Identifier: BSD-2-Clause
/* merge.h - sorted inputs become one */
#ifndef GS_MERGE_JOB_H
#define GS_MERGE_JOB_H

#include "base/status.h"
#include "job/job.h"

/** Merge all inputs of JOB, keys or items, to its output.  GS_EINPUT: one of them is not in order. */
MUST_CHECK gs_status gs_job_merge(struct gsort *job);

#endif
