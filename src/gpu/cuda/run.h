// SPDX-License-Identifier: BSD-2-Clause
/*
 * run.h - sorted runs, on the GPU or in host memory, with sums and first keys of their blocks
 *
 * A run is the sorted keys of one class of one batch.  The GPU that sorted it found it in order,
 * and found the checksum and the first key of each block of GS_BLOCK_KEYS keys.  So a range of
 * keys can be found, and later be checked, by these and a look at the blocks at its two ends.
 */
#ifndef GS_GPU_RUN_H
#define GS_GPU_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum { GS_BLOCK_KEYS = 1 << 13 };	/* gs_check() can sum no fewer */

struct gs_device;

struct gs_gpu_run {
	unsigned          key_class, bits;
	size_t            count;
	char             *keys;
	struct gs_device *device;	/* that has them, or NULL: host memory */
	uint64_t         *sums;		/* of gs_run_blocks() blocks; allocated, with: */
	uint64_t         *firsts;	/* the first key of each */
};

/* The runs of an engine. */
struct gs_gpu_runs {
	struct gs_gpu_run *list;
	size_t             count, room;
};

static inline size_t
gs_run_blocks(size_t count)
{
	return (count + GS_BLOCK_KEYS - 1) / GS_BLOCK_KEYS;
}

/** LIST of *ROOM items of so many bytes, moved to where there is room for more; NULL: no memory, and
 *  LIST is as it was. */
void *gs_gpu_grown(void *list, size_t *room, size_t item_bytes);

/** Append RUN, whose blocks have these SUMS and FIRSTS, which are copied. */
MUST_CHECK gs_status gs_gpu_runs_add(struct gs_gpu_runs *runs, const struct gs_gpu_run *run,
                                     const uint64_t *sums, const uint64_t *firsts);

/** Forget all runs. */
void gs_gpu_runs_reset(struct gs_gpu_runs *runs);

void gs_gpu_runs_close(struct gs_gpu_runs *runs);

#endif
