// SPDX-License-Identifier: BSD-2-Clause
/*
 * device.c - which backend sorts, decided while the input is being read
 *
 * Every job begins with the CPU backend: keys land in host memory, ready to be
 * sorted there.  When the plan says that a GPU pays, a thread of its own opens
 * one (0.2 s and more) while keys keep landing.  Once it is ready, what has
 * landed is copied over and the rest goes to it directly; if it cannot be had,
 * nothing was lost and the CPU sorts.
 *
 * Invariant: until the GPU has taken over, every key is in the store.
 */
#include <assert.h>
#include <stdio.h>

#include "base/arena.h"
#include "job/job.h"

enum { ALIGN_BYTES = 4096 };	/* a page: what memory is given back in */

static struct gs_backend_options
backend_options(struct gsort *job)
{
	struct gs_backend_options options = {
		.descending_streams = job->options->reverse,
		.threads = job->plan.threads,
		.tile_bytes = job->plan.tile_bytes,
		.ring_tiles = job->plan.ring_tiles,
		.hint_bytes = job->facts.key_bits > 0 ? job->facts.input_bytes : UINT64_MAX,
		.store = &job->store,
		.gpu_index = job->options->gpu_index,
		.gpu_memory_bytes = job->options->gpu_memory_bytes,
		.gpu_memory_percent = job->options->gpu_memory_percent,
	};

	for (unsigned s = 0; s < GS_STREAMS; s++)
		options.stream_bits[s] = job->plan.stream_bits[s];
	/* A line of text is at least 6 bytes for 4 of key, or 7 for 8. */
	if (job->facts.key_bits == 0 && job->facts.input_bytes != UINT64_MAX)
		options.hint_bytes = job->facts.input_bytes / 7 * 8;
	return options;
}

static void
name_device(struct gsort *job)
{
	snprintf(job->device_name, sizeof job->device_name, "%s",
	         job->plan.counts ? "cpu (histogram)" : job->backend->describe(job->device));
	job->stats.device = job->device_name;
}

gs_status
gs_device_begin(struct gsort *job)
{
	const struct gs_backend_options options = backend_options(job);

	job->backend = &gs_backend_cpu;
	TRY(job->backend->open(&job->device, &options));
	name_device(job);
	return gs_device_poll(job);
}

/* The opener's thread. */
static gs_status
open_gpu(void *context)
{
	struct gs_opener *opener = context;

	return gs_backend_gpu->open(&opener->device, &opener->options);
}

/*
 * Copy what has landed to the GPU, and give its memory back.  A batch may fill
 * up on the way: its run goes behind what has landed.
 */
static gs_status
hand_over(struct gsort *job, unsigned stream)
{
	struct gs_shelf *shelf = &job->store.shelf[stream];
	const size_t key_bytes = shelf->bits / 8;
	const size_t landed = shelf->count;
	size_t moved = 0;

	while (moved < landed) {
		struct gs_tile *tile = &job->tiles[stream];
		size_t count;

		TRY(gs_fill_room(job, stream));
		count = tile->room - tile->count;
		if (count > landed - moved)
			count = landed - moved;
		gs_store_copy((char *)tile->keys + tile->count * key_bytes,
		              (char *)shelf->keys + moved * key_bytes, count * key_bytes,
		              job->plan.threads);
		moved += count;
		TRY(gs_fill_took(job, stream, count));
	}
	gs_arena_forget(shelf->keys, landed * key_bytes / ALIGN_BYTES * ALIGN_BYTES);
	gs_arena_forget(shelf->scratch, job->plan.shelf_bytes);
	if (shelf->count == landed)
		shelf->count = 0;
	else
		shelf->gone = landed;
	return GS_OK;
}

/* There will be no GPU, gs_message() says why: an error if it was demanded. */
static gs_status
do_without(struct gsort *job)
{
	job->opener.settled = true;
	if (job->options->device == GSORT_DEVICE_GPU)
		return gs_fail(GS_ENODEV, "--device=gpu: %s", gs_message());
	gs_job_note(job, "no GPU (%s): sorting on the CPU", gs_message());
	return GS_OK;
}

/* The opener has ended: take its GPU, or do without. */
static gs_status
take_over(struct gsort *job)
{
	struct gs_opener *opener = &job->opener;
	const struct gs_backend *cpu = job->backend;
	struct gs_device *cpu_device;

	opener->settled = true;
	if (gs_thread_join(&opener->thread) != GS_OK)
		return do_without(job);
	TRY(gs_fill_flush(job));	/* tiles being filled are the store's, too */
	cpu_device = job->device;
	job->backend = gs_backend_gpu;
	job->device = opener->device;
	opener->device = NULL;
	cpu->close(cpu_device);
	job->store.total_bytes = job->plan.run_bytes;
	name_device(job);
	gs_job_note(job, "%s took over after %.1f MiB of keys; a batch holds %.1f MiB",
	            job->device_name, (double)job->landed_bytes / (1 << 20),
	            (double)job->backend->batch_bytes(job->device) / (1 << 20));
	for (unsigned s = 0; s < GS_STREAMS; s++)
		TRY(hand_over(job, s));
	return GS_OK;
}

gs_status
gs_device_poll(struct gsort *job)
{
	struct gs_opener *opener = &job->opener;

	if (opener->settled || job->landed_bytes < job->plan.gpu_from_bytes)
		return GS_OK;
	if (!opener->started) {
		opener->options = backend_options(job);
		opener->started = true;
		if (gs_thread_start(&opener->thread, open_gpu, opener) != GS_OK)
			return do_without(job);
		return GS_OK;
	}
	return gs_thread_ends(&opener->thread) ? take_over(job) : GS_OK;
}

gs_status
gs_device_settle(struct gsort *job)
{
	const struct gs_opener *opener = &job->opener;

	if (!opener->started || opener->settled)
		return GS_OK;
	if (job->landed_bytes < job->plan.gpu_wait_bytes) {
		gs_job_note(job, "the input ended before the GPU was ready: sorting on the CPU");
		return GS_OK;
	}
	return take_over(job);
}

void
gs_device_tell(struct gsort *job)
{
	struct gs_device_work work;

	if (job->device == NULL || job->backend->work == NULL)
		return;
	job->backend->work(job->device, &work);
	job->stats.h2d_seconds = work.to_seconds;
	job->stats.gpu_sort_seconds = work.sort_seconds;
	job->stats.d2h_seconds = work.from_seconds;
	job->stats.gpu_bytes = work.memory_bytes;
}

void
gs_device_end(struct gsort *job)
{
	if (job->opener.started && !job->opener.settled)
		(void)gs_thread_join(&job->opener.thread);
	if (job->opener.device != NULL)
		gs_backend_gpu->close(job->opener.device);
	if (job->device != NULL)
		job->backend->close(job->device);
}
