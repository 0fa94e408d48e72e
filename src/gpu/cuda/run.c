// SPDX-License-Identifier: BSD-2-Clause
/* run.c - the list of an engine's sorted runs */
#include <stdlib.h>
#include <string.h>

#include "gpu/cuda/runs.h"

void *
gs_gpu_grown(void *list, size_t *room, size_t item_bytes)
{
	const size_t more = *room * 2 + 16;
	void *grown = realloc(list, more * item_bytes);

	if (grown != NULL)
		*room = more;
	return grown;
}

static gs_status
add(struct gs_gpu_runs *runs, const struct gs_gpu_run *run, uint64_t *blocks)
{
	if (runs->count == runs->room) {
		struct gs_gpu_run *list = gs_gpu_grown(runs->list, &runs->room, sizeof *list);

		if (list == NULL)
			return gs_fail(GS_EBUDGET, "out of memory");
		runs->list = list;
	}
	runs->list[runs->count] = *run;
	runs->list[runs->count].sums = blocks;
	runs->list[runs->count].firsts = blocks + gs_run_blocks(run->count);
	runs->count++;
	return GS_OK;
}

gs_status
gs_gpu_runs_add(struct gs_gpu_runs *runs, const struct gs_gpu_run *run, const uint64_t *sums,
                const uint64_t *firsts)
{
	const size_t count = gs_run_blocks(run->count);
	uint64_t *blocks = malloc(2 * count * sizeof *blocks);
	gs_status status;

	if (blocks == NULL)
		return gs_fail(GS_EBUDGET, "out of memory");
	memcpy(blocks, sums, count * sizeof *blocks);
	memcpy(blocks + count, firsts, count * sizeof *blocks);
	status = add(runs, run, blocks);
	if (status != GS_OK)
		free(blocks);
	return status;
}

void
gs_gpu_runs_reset(struct gs_gpu_runs *runs)
{
	for (size_t r = 0; r < runs->count; r++)
		free(runs->list[r].sums);
	runs->count = 0;
}

void
gs_gpu_runs_close(struct gs_gpu_runs *runs)
{
	gs_gpu_runs_reset(runs);
	free(runs->list);
}
