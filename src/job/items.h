// SPDX-License-Identifier: BSD-2-Clause
/* items.h - the sequence of a sort of records, or of --argsort */
#ifndef GS_JOB_ITEMS_H
#define GS_JOB_ITEMS_H

#include <stdbool.h>

#include "base/status.h"
#include "gsort.h"
#include "job/job.h"

/** Understand the keys.  GS_EUSAGE: one of them is not in the record. */
MUST_CHECK gs_status gs_items_describe(struct gsort *job);

/** Get memory, as planned. */
MUST_CHECK gs_status gs_items_allocate(struct gsort *job);

/** Check that temporary files can be made. */
MUST_CHECK gs_status gs_items_prepare_disk(struct gsort *job);

/** Sort everything. */
MUST_CHECK gs_status gs_items_sort(struct gsort *job);

/** Open JOB->items.emit, which writes OPTIONS->to. */
MUST_CHECK gs_status gs_items_open_emit(struct gsort *job);

/** Write what stands before the items: of a .npy file, with the number of items that will be written. */
MUST_CHECK gs_status gs_items_write_header(struct gsort *job);

/** Set JOB->stats. */
void gs_items_stats(struct gsort *job);

void gs_items_close(struct gsort *job);

#endif
