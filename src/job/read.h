// SPDX-License-Identifier: BSD-2-Clause
/* read.h - all input of a sort, of any kind, for any taker */
#ifndef GS_READ_H
#define GS_READ_H

#include "base/status.h"
#include "job/job.h"

/** Read everything, keys or items, for TAKER; verification sees what it takes. */
MUST_CHECK gs_status gs_job_read(struct gsort *job, struct gs_taker taker);

/** After that: what stands in the output before COUNT elements, for a .npy file made of that.  GS_EBUDGET. */
MUST_CHECK gs_status gs_job_header(struct gsort *job, uint64_t count, const char **header,
                                   size_t *bytes);

#endif
