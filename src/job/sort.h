// SPDX-License-Identifier: BSD-2-Clause
/* sort.h - the sequence of a sort */
#ifndef GS_SORT_JOB_H
#define GS_SORT_JOB_H

#include "base/status.h"
#include "job/job.h"

/** Sort everything, on another device if the first one fails. */
MUST_CHECK gs_status gs_job_sort(struct gsort *job);

/** Write the header, then all elements of the engine, and finish the output. */
MUST_CHECK gs_status gs_job_emit(struct gsort *job, const char *header, size_t header_bytes);

#endif
