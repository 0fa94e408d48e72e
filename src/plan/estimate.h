// SPDX-License-Identifier: BSD-2-Clause
/*
 * estimate.h - what a plan will cost on disk, for people and for the message of a full disk
 */
#ifndef GS_PLAN_ESTIMATE_H
#define GS_PLAN_ESTIMATE_H

#include "plan/plan.h"

/* All 0 but runs (1) if the size of the input is unknown. */
struct gs_estimate {
	uint64_t key_bytes;		/* of text: about */
	uint64_t runs;			/* the last batch included; 1: nothing goes to disk */
	unsigned passes;		/* of merging */
	uint64_t disk_bytes;		/* on disk at a time */
	uint64_t written_bytes;		/* to disk, in all */
};

/** Estimate a sort on the CPU. */
void gs_plan_estimate(const struct gs_plan *plan, const struct gs_plan_input *input,
                      struct gs_estimate *estimate);

#endif
