// SPDX-License-Identifier: BSD-2-Clause
/* items.h - what a job of records, lines or keys of 128 bits, or of --argsort, has of its own */
#ifndef GS_JOB_ITEMS_H
#define GS_JOB_ITEMS_H

#include <stdbool.h>

#include "base/status.h"
#include "gsort.h"
#include "job/job.h"
#include "plan/items.h"

/** Understand the keys.  GS_EUSAGE: one of them is not in the record. */
MUST_CHECK gs_status gs_items_describe(struct gsort *job);

/** What the sizes of its items are planned from (plan/items.h). */
struct gs_item_facts gs_items_facts(const struct gsort *job);

/** Get memory, as planned, and open JOB->engine. */
MUST_CHECK gs_status gs_items_allocate(struct gsort *job);

/** Check that temporary files can be made. */
MUST_CHECK gs_status gs_items_prepare_disk(struct gsort *job);

/** Let JOB->emit write them as OPTIONS say.  GS_EBUDGET. */
MUST_CHECK gs_status gs_items_open_emit(struct gsort *job);

void gs_items_close(struct gsort *job);

#endif
