// SPDX-License-Identifier: BSD-2-Clause
/* ranked_items.h - the sequence of a sort of records, lines or keys of 128 bits by several ranks */
#ifndef GS_RANKED_ITEMS_H
#define GS_RANKED_ITEMS_H

#include "job/job.h"

/** Sort; collective.  See gs_ranked_sort(). */
MUST_CHECK gs_status gs_ranked_items_sort(struct gsort *job);

#endif
