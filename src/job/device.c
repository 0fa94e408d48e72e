// SPDX-License-Identifier: BSD-2-Clause
/*
 * device.c - which backend sorts, decided while the input is being read
 *
 * Every job begins on the CPU: keys land in its buckets.  When the plan says that a GPU
 * pays, a thread of its own opens one (0.2 s and more) while keys keep landing.  Once it
 * is ready, what has landed is copied over and the rest goes to it directly; if it cannot
 * be had, nothing was lost and the CPU sorts.  Nor is anything lost if it fails: spare.c.
 *
 * Invariant: until the GPU has taken over, every key is in the batch.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "job/job.h"

static struct gs_backend_options
backend_options(struct gsort *job)
{
	struct gs_backend_options options = {
		.descending_classes = job->options->reverse,
		.threads = job->plan.threads,
		.tile_bytes = job->plan.tile_bytes,
		.ring_tiles = job->plan.ring_tiles,
		.hint_bytes = job->facts.key_bits > 0 ? job->facts.input_bytes : UINT64_MAX,
		.gpu_index = job->options->gpu_index,
		.gpu_memory_bytes = job->options->gpu_memory_bytes,
		.gpu_memory_percent = job->options->gpu_memory_percent,
	};

	for (unsigned s = 0; s < GS_CLASSES; s++)
		options.class_bits[s] = job->plan.class_bits[s];
	/* A line of text is at least 6 bytes for 4 of key, or 7 for 8. */
	if (job->facts.key_bits == 0 && job->facts.input_bytes != UINT64_MAX)
		options.hint_bytes = job->facts.input_bytes / 7 * 8;
	return options;
}

static void
tell_cpu(struct gsort *job, const char *why)
{
	snprintf(job->device_name, sizeof job->device_name, "cpu, %s, %u thread%s%s",
	         gs_simd_name(gs_simd_best()), job->plan.threads,
	         job->plan.threads == 1 ? "" : "s", why);
}

gs_status
gs_device_begin(struct gsort *job)
{
	tell_cpu(job, "");
	job->stats.device = job->plan.counts ? "cpu (histogram)" : job->device_name;
	return gs_device_poll(job);
}

/* Tests of the pretend GPU do not depend on a clock: it takes over once so many bytes have
 * landed, neither before nor later (Makefile.am). */
#ifndef GS_GPU_AT_BYTES
#define GS_GPU_AT_BYTES	GS_NEVER
#endif

/* The opener's thread. */
static gs_status
open_gpu(void *context)
{
	struct gs_opener *opener = context;

	return gs_backend_gpu->open(&opener->device, &opener->options);
}

/* A tile takes keys out of the buckets. */
static gs_status
hand_over(struct gsort *job, unsigned key_class)
{
	uint64_t since;
	size_t count;

	do {
		struct gs_staging *tile = &job->tiles[key_class];

		TRY(gs_land_take(job, key_class));
		if (job->gpu == NULL)
			return GS_OK;
		since = gs_clock_now();
		count = gs_buckets_take(job->batch.buckets[key_class],
		                        (char *)tile->keys + tile->count * (tile->key_bits / 8),
		                        tile->room - tile->count);
		gs_clock_lap(&job->monitor.clock, GS_STAGE_SORT, &since);
		TRY(gs_land_took(job, key_class, count));
	} while (count > 0 && job->gpu != NULL);
	return GS_OK;
}

/* There will be no GPU, STATUS and gs_message() say why: an error if it was demanded; news if
 * there is one that fails. */
static gs_status
do_without(struct gsort *job, gs_status status)
{
	job->opener.settled = true;
	if (job->options->device == GSORT_DEVICE_GPU)
		return gs_fail(GS_ENODEV, "--device=gpu: %s", gs_message());
	if (status == GS_EDEVICE)
		gs_warn(&job->monitor, "%s; the CPU sorts instead", gs_message());
	else
		gs_note(&job->monitor, "no GPU (%s): sorting on the CPU", gs_message());
	return GS_OK;
}

/* Does what has landed fit the GPU and, while it moves, memory twice?  If not, the CPU goes on
 * until its batch is empty. */
static bool
may_take_over(const struct gsort *job)
{
	/* The last one of each key class is not full. */
	const uint64_t tiles_bytes = gs_plan_classes(&job->plan) * (job->plan.tile_bytes + 4096);
	uint64_t bytes = 0;

	for (unsigned s = 0; s < GS_CLASSES; s++)
		bytes += gs_batch_count(&job->batch, s) * (job->plan.class_bits[s] / 8);
	return job->plan.spare_bytes == 0 || bytes == 0 ||
	       (bytes / job->plan.tile_bytes * job->plan.tile_bytes + tiles_bytes <=
	        gs_backend_gpu->batch_bytes(job->opener.device) &&
	        2 * (bytes + tiles_bytes) <= job->plan.spare_bytes);
}

/* All keys of the buckets go to it; until the last one has, they take what memory they had. */
static gs_status
move_keys(struct gsort *job)
{
	struct gs_keep *keep = &job->keep;
	const size_t used = gs_pool_used(job->batch.pool);

	keep->most_bytes = used < job->plan.run_bytes ? job->plan.run_bytes - used : 0;
	for (unsigned s = 0; s < GS_CLASSES && job->gpu != NULL; s++)
		if (job->batch.buckets[s] != NULL)
			TRY(hand_over(job, s));
	keep->most_bytes = job->plan.run_bytes;
	if (job->gpu == NULL)
		return GS_OK;
	gs_batch_reset(&job->batch);
	gs_arena_forget(job->pool_memory, job->plan.batch_bytes);
	return GS_OK;
}

/* The opener has ended: take its GPU, or do without. */
static gs_status
take_over(struct gsort *job)
{
	struct gs_opener *opener = &job->opener;
	const gs_status status = gs_thread_join(&opener->thread);

	if (status != GS_OK)
		return do_without(job, status);
	if (!may_take_over(job))
		return GS_OK;
	opener->settled = true;
	job->gpu = opener->device;
	opener->device = NULL;
	snprintf(job->device_name, sizeof job->device_name, "%s",
	         gs_backend_gpu->describe(job->gpu));
	gs_note(&job->monitor, "%s took over after %.1f MiB of keys; a batch holds %.1f MiB",
	            job->device_name, (double)job->landed_bytes / (1 << 20),
	            (double)gs_backend_gpu->batch_bytes(job->gpu) / (1 << 20));
	return move_keys(job);
}

gs_status
gs_device_poll(struct gsort *job)
{
	struct gs_opener *opener = &job->opener;

	if (opener->settled || job->landed_bytes < job->plan.gpu_from_bytes)
		return GS_OK;
	if (!opener->started) {
		unsigned nobody = GS_FIRST_NOBODY;

		if (!atomic_compare_exchange_strong(&opener->first, &nobody, GS_FIRST_GPU)) {
			opener->settled = true;
			return GS_OK;
		}
		opener->options = backend_options(job);
		opener->started = true;
		if (gs_thread_start(&opener->thread, open_gpu, opener) != GS_OK)
			return do_without(job, GS_ENODEV);
		return GS_OK;
	}
	if (GS_GPU_AT_BYTES != GS_NEVER ? job->landed_bytes < GS_GPU_AT_BYTES :
	    opener->thread.runs && !gs_thread_ends(&opener->thread))
		return GS_OK;
	return take_over(job);
}

gs_status
gs_device_settle(struct gsort *job)
{
	const struct gs_opener *opener = &job->opener;

	if (!opener->started || opener->settled)
		return GS_OK;
	if (job->landed_bytes < job->plan.gpu_wait_bytes) {
		gs_note(&job->monitor, "the input ended before the GPU was ready: sorting on the CPU");
		return GS_OK;
	}
	TRY(take_over(job));
	if (!opener->settled)
		gs_note(&job->monitor,
		        "more came before the GPU was ready than it holds: sorting on the CPU");
	return GS_OK;
}

gs_status
gs_device_sort(struct gsort *job)
{
	gs_spare_wait(job);		/* sorted keys come back through the same buffers */
	return job->gpu == NULL ? GS_OK : gs_spare_survive(job, gs_backend_gpu->finish(job->gpu));
}

gs_status
gs_device_finish(struct gsort *job)
{
	TRY(gs_device_sort(job));
	if (job->gpu == NULL && !job->plan.counts)
		gs_batch_seal(&job->batch);
	return GS_OK;
}

gs_status
gs_device_drain(struct gsort *job, struct gs_span *span)
{
	const gs_status status = gs_backend_gpu->drain(job->gpu, span);

	if (status == GS_OK)
		return GS_OK;
	*span = (struct gs_span){ .count = 0 };
	TRY(gs_spare_survive(job, status));
	gs_batch_seal(&job->batch);
	return GS_OK;
}

void
gs_device_lose(struct gsort *job)
{
	gs_device_tell(job);
	gs_backend_gpu->close(job->gpu);
	job->gpu = NULL;
	tell_cpu(job, ", instead of a GPU that failed");
}

void
gs_device_tell(struct gsort *job)
{
	struct gs_device_work work;

	if (job->gpu == NULL)
		return;
	gs_backend_gpu->work(job->gpu, &work);
	job->stats.h2d_seconds = work.to_seconds;
	job->stats.gpu_sort_seconds = work.sort_seconds;
	job->stats.d2h_seconds = work.from_seconds;
	job->stats.gpu_bytes = work.memory_bytes;
}

void
gs_device_end(struct gsort *job)
{
	gs_spare_wait(job);		/* the memory is the GPU's */
	if (job->opener.started && !job->opener.settled)
		(void)gs_thread_join(&job->opener.thread);
	if (job->opener.device != NULL)
		gs_backend_gpu->close(job->opener.device);
	if (job->gpu != NULL)
		gs_backend_gpu->close(job->gpu);
}
