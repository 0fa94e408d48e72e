// SPDX-License-Identifier: BSD-2-Clause
/* line_job.h - what a job of lines by key has of its own; items.h has the rest */
#ifndef GS_LINE_JOB_H
#define GS_LINE_JOB_H

#include "base/status.h"
#include "job/job.h"
#include "plan/items.h"

/** Compare all lines with the ones before, and store none.  GS_EINPUT: one is invalid, or out of order
 *  (follow->disorder). */
MUST_CHECK gs_status gs_line_job_follow(struct gsort *job, const struct gs_item_sizes *sizes,
                                        struct gs_follow *follow);

void gs_line_job_close(struct gsort *job);

#endif
