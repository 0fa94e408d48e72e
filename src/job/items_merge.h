// SPDX-License-Identifier: BSD-2-Clause
/* items_merge.h - sorted files of records become one */
#ifndef GS_JOB_ITEMS_MERGE_H
#define GS_JOB_ITEMS_MERGE_H

#include "base/status.h"
#include "job/job.h"

/** Merge all inputs to the output.  GS_EINPUT: one of them is not in order. */
MUST_CHECK gs_status gs_items_merge(struct gsort *job);

#endif
