// SPDX-License-Identifier: BSD-2-Clause
/* sort.h - the sequence of a sort */
#ifndef GS_SORT_JOB_H
#define GS_SORT_JOB_H

#include "base/status.h"
#include "job/job.h"

/** Sort everything, on another device if the first one fails. */
MUST_CHECK gs_status gs_job_sort(struct gsort *job);

/** Emit the header, then all classes of the store. */
MUST_CHECK gs_status gs_job_emit_classes(struct gsort *job, const char *header,
                                         size_t header_bytes);

/** The same, and finish the output. */
MUST_CHECK gs_status gs_job_emit(struct gsort *job, const char *header, size_t header_bytes);

#endif
