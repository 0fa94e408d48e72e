// SPDX-License-Identifier: BSD-2-Clause
/* items.h - what a job of records, lines or keys of 128 bits, or of --argsort, has of its own */
#ifndef GS_JOB_ITEMS_H
#define GS_JOB_ITEMS_H

#include <stdbool.h>

#include "base/status.h"
#include "gsort.h"
#include "job/job.h"
#include "plan/items.h"

/** What the sizes of its items are planned from (plan/items.h). */
struct gs_item_facts gs_items_facts(const struct gsort *job);

/** The sizes that follow from them, of a sort or of a check of lines. */
struct gs_item_sizes gs_items_sizes(const struct gsort *job);

/** Open JOB->engine, with SIZES.  GS_EBUDGET. */
MUST_CHECK gs_status gs_items_open_engine(struct gsort *job, const struct gs_item_sizes *sizes);

/** Check that temporary files can be made. */
MUST_CHECK gs_status gs_items_check_disk(struct gsort *job);

void gs_items_close(struct gsort *job);

/* ---- what only a job of lines by key has (line_job.c) -------------------------- */

/** Read the options of the order of the lines.  GS_EUSAGE: one is wrong. */
MUST_CHECK gs_status gs_line_job_order(struct gsort *job);

/** Read all lines to TAKER, or to FOLLOW, which compares neighbours; either may be NULL. */
MUST_CHECK gs_status gs_line_job_read(struct gsort *job, const struct gs_taker *taker,
                                      struct gs_follow *follow);

void gs_line_job_close(struct gsort *job);

#endif
