// SPDX-License-Identifier: BSD-2-Clause
/*
 * estimate.c - what a plan will cost on disk, for people and for the message of a full disk
 *
 * Runs of equal length are merged as stages/runs.c merges them: always the first of a queue, and
 * before the last pass only so many that the last pass merges FAN_IN runs.
 */
#include "plan/plan.h"

void
gs_plan_estimate(const struct gs_plan *plan, const struct gs_plan_input *input,
                 struct gs_estimate *estimate)
{
	const size_t fan_in = plan->fan_in;
	uint64_t bytes = input->input_bytes, runs;

	*estimate = (struct gs_estimate){ .runs = 1 };
	if (bytes == UINT64_MAX || plan->sort_bytes == 0)
		return;
	if (input->key_bits == 0 && input->type == GSORT_TEXT)
		bytes = bytes / 5 * 2;		/* ten digits and a newline for 4 bytes, twenty for 8 */
	estimate->key_bytes = bytes;
	estimate->runs = runs = bytes / plan->sort_bytes + (bytes % plan->sort_bytes > 0);
	if (runs < 2)
		return;
	estimate->disk_bytes = estimate->written_bytes = bytes;
	for (estimate->passes = 1; runs > fan_in; estimate->passes++) {
		/* Merge so many that FAN_IN runs are left. */
		const uint64_t merges = (runs - fan_in + fan_in - 2) / (fan_in - 1);
		const uint64_t merged = runs - fan_in + merges;

		if (__builtin_add_overflow(estimate->written_bytes, merged < runs ? bytes / runs * merged
		                           : bytes, &estimate->written_bytes))
			estimate->written_bytes = UINT64_MAX;
		runs = merged < runs ? fan_in : (runs + fan_in - 1) / fan_in;
	}
}
