// SPDX-License-Identifier: BSD-2-Clause
/* ranked_sort.h - the sequence of a sort, and of a check, by several ranks */
#ifndef GS_RANKED_SORT_H
#define GS_RANKED_SORT_H

#include "job/job.h"

/** Sort; collective.  After a failure gs_ranks_abort() must end the other ranks, unless
 *  ranks->agreed. */
MUST_CHECK gs_status gs_ranked_sort(struct gsort *job);

/** The same for records, lines or keys of 128 bits (ranked_items.c). */
MUST_CHECK gs_status gs_ranked_items_sort(struct gsort *job);

/** Check the order; collective.  The message of the first disorder is that of the rank that has it,
 *  and empty on the others. */
MUST_CHECK gs_status gs_ranked_check(struct gsort *job, bool *disorder);

#endif
