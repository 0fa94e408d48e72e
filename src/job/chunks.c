// SPDX-License-Identifier: BSD-2-Clause
/* chunks.c - all bytes of binary inputs, read ahead by a thread, one chunk after the other */
#include "job/chunks.h"

gs_status
gs_job_chunks(struct gsort *job, size_t unit, size_t chunk_bytes,
              gs_status (*take)(void *context, const struct gs_chunk *chunk, bool *stop),
              void *context, bool *stop)
{
	const uint64_t skip_bytes = job->options->skip_bytes;
	struct gs_ahead *ahead = &job->ingest.ahead;
	const size_t most = (size_t)(job->plan.pool_bytes / (GS_AHEAD_CHUNKS + 1));
	struct gs_chunk *chunk;
	gs_status status;

	if (chunk_bytes > most)
		chunk_bytes = most;
	if (chunk_bytes < unit)
		return gs_item_fail_large(unit, GS_AHEAD_CHUNKS + 2);
	chunk_bytes -= chunk_bytes % unit;
	TRY(gs_arena_open(&job->arena, GS_AHEAD_CHUNKS * chunk_bytes, false));
	gs_ahead_open_behind(ahead, job->input, skip_bytes,
	                     gs_arena_take(&job->arena, GS_AHEAD_CHUNKS * chunk_bytes), chunk_bytes);
	ahead->clock = &job->monitor.clock;
	while ((status = gs_ahead_take(ahead, &chunk)) == GS_OK && chunk != NULL) {
		if (chunk->begins)
			job->stats.bytes_in += skip_bytes;
		status = take(context, chunk, stop);
		if (status != GS_OK || *stop)
			break;
		gs_ahead_give(ahead, chunk);
	}
	gs_ahead_close(ahead);
	return status;
}
