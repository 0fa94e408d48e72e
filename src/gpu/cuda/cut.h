// SPDX-License-Identifier: BSD-2-Clause
/* cut.h - sorted runs of one class, cut at exact ranks */
#ifndef GS_GPU_CUT_H
#define GS_GPU_CUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "gpu/cuda/run.h"

struct gs_gpu_cuts {
	const struct gs_gpu_run *const *runs;	/* of one class */
	size_t          run_count;
	uint64_t        keys;		/* of all runs */
	const uint64_t *ranks;		/* ascending, none above KEYS */
	size_t          count;		/* cuts: */
	size_t         *at;		/* cut C is before key number AT[C * run_count + R] of run R */
	uint64_t       *sums;		/* as AT: checksums of the keys before it */
};

/**
 * Find AT and SUMS.
 *
 * @return  GS_OK; GS_EBUDGET; GS_EDEVICE: a GPU fails, or what is known of a run's blocks is wrong
 *
 * A cut takes O(bits * k * log n) for k runs of n keys, and a few blocks from each run.  No other
 * thread uses the GPU.
 */
MUST_CHECK gs_status gs_gpu_cut(const struct gs_gpu_cuts *cuts);

#endif
