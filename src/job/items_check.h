// SPDX-License-Identifier: BSD-2-Clause
/* items_check.h - are records sorted? */
#ifndef GS_JOB_ITEMS_CHECK_H
#define GS_JOB_ITEMS_CHECK_H

#include <stdbool.h>

#include "base/status.h"
#include "job/job.h"

/** Check all inputs as if they were one; *DISORDER: a record is out of order, and, if options want
 *  it, gs_message() names it. */
MUST_CHECK gs_status gs_items_check(struct gsort *job, bool *disorder);

#endif
