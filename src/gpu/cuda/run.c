// SPDX-License-Identifier: BSD-2-Clause
/* run.c - the list of an engine's sorted runs */
#include <stdlib.h>
#include <string.h>

#include "gpu/cuda/runs.h"

gs_status
gs_gpu_wrong(const char *what)
{
	return gs_fail(GS_EDEVICE, "the GPU's result is wrong: %s", what);
}

gs_status
gs_gpu_runs_add(struct gs_gpu_runs *runs, const struct gs_gpu_run *run, const uint64_t *sums,
                const uint64_t *firsts)
{
	const size_t count = gs_run_blocks(run->count);
	uint64_t *blocks;

	TRY(GS_GROW(runs->list, &runs->room, runs->count + 1, "runs"));
	TRY(GS_NEW(blocks, 2 * count, "numbers of a run"));
	memcpy(blocks, sums, count * sizeof *blocks);
	memcpy(blocks + count, firsts, count * sizeof *blocks);
	runs->list[runs->count] = *run;
	runs->list[runs->count].sums = blocks;
	runs->list[runs->count].firsts = blocks + count;
	runs->count++;
	return GS_OK;
}

void
gs_gpu_runs_reset(struct gs_gpu_runs *runs)
{
	for (size_t r = 0; r < runs->count; r++)
		free(runs->list[r].sums);
	free(runs->list);
	*runs = (struct gs_gpu_runs){ .list = NULL };
}
