// SPDX-License-Identifier: BSD-2-Clause
/*
 * aside.c - batches set aside as runs, when memory or a GPU is full
 *
 * In:   the batch of the CPU or a GPU, again and again.
 * Out:  runs (runs.c).
 *
 * A batch of the CPU fills the pool, so it goes to disk, the last one too.  A batch of a GPU
 * goes to host memory while there is room, then to disk.
 */
#include <assert.h>

#include "base/arena.h"
#include "job/job.h"

static void
count_run(struct gsort *job, bool in_memory)
{
	if (!in_memory && job->stats.runs++ == 0)
		gs_note(&job->monitor, "the input is larger than memory: batches go to temporary files");
	atomic_fetch_add(&job->monitor.counters.runs, 1);
}

/* ---- of the CPU ------------------------------------------------------------ */

static gs_status
take_piece(void *context, struct gs_sorted_span *sorted, bool *enough)
{
	(void)enough;
	gs_spare_skip(context, &sorted->span);
	return gs_runs_write(context, &sorted->span);
}

/* Its streams go to disk, sorted while those pieces before are being written. */
static gs_status
spill_batch(struct gsort *job)
{
	const struct gs_span_sink sink = { .take = take_piece, .context = job };

	for (unsigned s = 0; s < GS_CLASSES; s++) {
		if (gs_batch_count(&job->batch, s) <= job->spare.gone[s])
			continue;
		count_run(job, false);
		TRY(gs_runs_begin(job, s));
		TRY(gs_batch_drain(&job->batch, s, &sink));
		TRY(gs_runs_end(job, &job->asides[s], 0));
	}
	gs_batch_reset(&job->batch);
	return GS_OK;
}

/* ---- of a GPU -------------------------------------------------------------- */

enum { ALIGN_BYTES = 8 };	/* of a run's first key, behind one of narrower keys */

/* Will the batch that a GPU holds fit beside what is kept?  If it may fail, half of the memory
 * is for the batches of the CPU that may come. */
static bool
fits_memory(const struct gsort *job)
{
	if (job->plan.spare_bytes > 0)
		return job->keep.bytes + job->spare.bytes + GS_CLASSES * ALIGN_BYTES <=
		       job->plan.spare_bytes / 2;

	const uint64_t held = gs_backend_gpu->batch_bytes(job->gpu);
	const uint64_t left = job->landed_bytes - job->aside_bytes;

	return job->keep.bytes + (held < left ? held : left) + GS_CLASSES * ALIGN_BYTES <=
	       job->keep.most_bytes;
}

/* Behind what is kept; the first span begins a run. */
static void
keep_keys(struct gsort *job, const struct gs_span *span, bool first)
{
	struct gs_aside_list *list = &job->asides[span->key_class];
	const size_t bytes = span->count * (span->key_bits / 8);
	uint64_t since = gs_clock_now();
	char *to;

	if (first)
		job->keep.bytes += -job->keep.bytes % ALIGN_BYTES;
	to = job->keep.memory + job->keep.bytes;
	if (first)
		list->runs[list->count++] = (struct gs_aside){ .run.keys = to };
	assert(job->keep.bytes + bytes <= job->plan.run_bytes);
	gs_spare_copy(job, to, span->keys, bytes);
	gs_clock_lap(&job->monitor.clock, GS_STAGE_SPILL, &since);
	job->keep.bytes += bytes;
	list->runs[list->count - 1].run.count += span->count;
}

static gs_status
drain_gpu(struct gsort *job)
{
	const bool in_memory = fits_memory(job);
	unsigned key_class = GS_CLASSES;	/* of the run that is being written */
	struct gs_span span;

	for (;;) {
		TRY(gs_device_drain(job, &span));
		const bool first = span.count > 0 && span.key_class != key_class;

		if (key_class < GS_CLASSES && !in_memory && (first || span.count == 0))
			TRY(gs_runs_end(job, &job->asides[key_class], 0));
		if (span.count == 0)
			return GS_OK;
		key_class = span.key_class;
		if (first)
			count_run(job, in_memory);
		if (first && !in_memory)
			TRY(gs_runs_begin(job, key_class));
		if (in_memory)
			keep_keys(job, &span, first);
		else
			TRY(gs_runs_write(job, &span));
		job->aside_bytes += span.count * (span.key_bits / 8);
		job->spare.gone[key_class] += span.count;
	}
}

/* ---- of either ------------------------------------------------------------- */

static gs_status
set_aside(struct gsort *job)
{
	if (job->gpu != NULL)
		TRY(drain_gpu(job));
	if (job->gpu == NULL)		/* or it failed just now: the rest */
		TRY(spill_batch(job));
	gs_spare_forget(job);
	job->stats.batches++;
	return gs_runs_make_room(job);
}

gs_status
gs_aside_batch(struct gsort *job)
{
	const bool by_gpu = job->gpu != NULL;

	atomic_store(&job->monitor.counters.phase, GSORT_SORTING);
	if (by_gpu) {
		TRY(gs_land_flush(job));
		TRY(gs_device_sort(job));
	} else {
		gs_batch_seal(&job->batch);
	}
	if (!by_gpu || job->gpu != NULL)
		TRY(set_aside(job));
	atomic_store(&job->monitor.counters.phase, GSORT_READING);
	return GS_OK;
}

gs_status
gs_aside_last(struct gsort *job)
{
	TRY(set_aside(job));
	if (job->gpu == NULL)
		gs_arena_forget(job->pool_memory, job->plan.batch_bytes);
	return GS_OK;
}
