// SPDX-License-Identifier: BSD-2-Clause
/*
 * engine.c - the engine of the GPU module: a GPU, host memory, slices
 *
 * In:   keys in staging buffers.
 * Out:  the keys of each class in order, in staging buffers.
 *
 * If all keys are one batch, each class is sent as it lies on the GPU.  Else all batches are runs,
 * in host memory or, the last one, on the GPU; and the output is sorted slice by slice.
 *
 *     lend, commit     buffers -> batches -> runs
 *     finish           the last batch
 *     drain            cuts; runs -> slices -> buffers
 *
 * This thread only moves buffers between queues and computes cuts; a worker does what takes time
 * (worker.c).
 *
 * Invariant: a buffer for the next batch is lent only when a slot of host memory is reserved for
 * each batch before it.
 */
#include "config.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/round.h"
#include "gpu/cuda/device.h"

/* The two symbols that a loader of the module sees. */
#define MODULE_SYMBOL	__attribute__((visibility("default")))

/* A slice is sorted before its first key is sent, so it is not large; nor so small that sorting is
 * slow.  Not tuned. */
#define SLICE_BYTES	((size_t)512 << 20)

struct gs_gpu {
	struct gs_gpu_options options;
	char                  name[sizeof ((struct cudaDeviceProp *)NULL)->name];
	struct gs_worker      worker;
	size_t                buffers;		/* lent, not empty, since all was drained */
	size_t                reserved;		/* slots of host memory for its batches */
	struct gs_resident    resident;
	struct gs_gpu_runs    runs;
	struct gs_gpu_slices  slices;
	const uint64_t       *strand_at;	/* borrowed */
	size_t                strands;
	bool                  full;		/* keys did not fit: more will come */
	bool                  draining;		/* all batches are sorted; ... */
	bool                  sending;		/* ... there are slices */
	size_t                slice;		/* being drained, ... */
	size_t                slice_keys;	/* ... and how many keys of it have been */
};

/* ---- opening ------------------------------------------------------------------- */

static gs_status
count_gpus(unsigned *gpus)
{
	int count;

	TRY_CUDA(cudaGetDeviceCount(&count), "looking for GPUs");
	*gpus = (unsigned)count;
	return GS_OK;
}

static uint64_t
batch_bytes(const struct gs_gpu *gpu)
{
	return gpu->worker.device.buffer_bytes;
}

static void
close_gpu(struct gs_gpu *gpu)
{
	if (gpu == NULL)
		return;
	/* No thread may use what another one's is about to free. */
	gs_worker_stop(&gpu->worker);
	gs_resident_close(&gpu->resident);
	gs_worker_close(&gpu->worker);
	gs_gpu_slices_reset(&gpu->slices);
	gs_gpu_runs_reset(&gpu->runs);
	free(gpu);
}

static gs_status
open_gpu(struct gs_gpu **opened, const struct gs_gpu_options *options)
{
	const uint64_t hint = options->hint_bytes;
	struct cudaDeviceProp properties;
	struct gs_gpu *gpu;
	uint64_t stays, rest;
	gs_status status;

	TRY(GS_NEW(gpu, 1, "GPU"));
	gpu->options = *options;
	status = gs_worker_start(&gpu->worker, &gpu->options, &gpu->resident, &gpu->runs, &gpu->slices);
	THEN(status, gs_worker_await(&gpu->worker));
	/* what the GPU does not hold goes to host memory */
	stays = batch_bytes(gpu);
	rest = hint == UINT64_MAX ? SIZE_MAX : hint > stays ? gs_least(hint - stays, SIZE_MAX) : 0;
	THEN(status, gs_resident_open(&gpu->resident, options->resident, options->resident_bytes,
	                              (size_t)stays, (size_t)rest, options->gpu));
	THEN(status, gs_cuda_status(cudaGetDeviceProperties(&properties, options->gpu),
	                            "asking the GPU what it is"));
	if (status != GS_OK) {
		close_gpu(gpu);
		return status;
	}
	strcpy(gpu->name, properties.name);
	*opened = gpu;
	return GS_OK;
}

static const char *
describe(const struct gs_gpu *gpu)
{
	return gpu->name;
}

static void
tell_work(struct gs_gpu *gpu, struct gs_gpu_work *work)
{
	struct gs_device *device = &gpu->worker.device;

	pthread_mutex_lock(&device->lock);	/* the worker may be at work */
	*work = device->work_done;
	pthread_mutex_unlock(&device->lock);
}

/* ---- keys in ------------------------------------------------------------------- */

static gs_status
lend(struct gs_gpu *gpu, unsigned key_class, struct gs_staging *staging)
{
	const unsigned bits = gpu->options.class_bits[key_class];
	const size_t before = gpu->buffers / gpu->worker.device.arrivals.most;
	struct gs_ring_buffer *buffer;

	assert(!gpu->draining);
	*staging = (struct gs_staging){ .key_class = key_class, .key_bits = bits };
	/* each batch before the one of this buffer needs a slot */
	while (gpu->reserved < before && gs_resident_reserve(&gpu->resident))
		gpu->reserved++;
	gpu->full = gpu->reserved < before;
	if (gpu->full)
		return GS_OK;		/* room 0: all memory is full */
	TRY(gs_worker_next(&gpu->worker, &gpu->worker.free, "copying keys to it", &buffer));
	gpu->buffers++;
	staging->handle = buffer;
	staging->keys = buffer->host;
	staging->room = gpu->worker.device.staging_bytes / (bits / 8);
	return GS_OK;
}

static gs_status
commit(struct gs_gpu *gpu, const struct gs_staging *staging)
{
	struct gs_ring_buffer *buffer = staging->handle;

	assert(staging->count <= staging->room);
	buffer->key_class = staging->key_class;
	buffer->bits = staging->key_bits;
	buffer->count = staging->count;
	buffer->sum = staging->sum;
	if (staging->count == 0)
		gpu->buffers--;
	gs_worker_give(&gpu->worker, buffer);
	return GS_OK;
}

/* ---- slices out ------------------------------------------------------------------ */

static gs_status
finish(struct gs_gpu *gpu)
{
	gs_worker_ask(&gpu->worker, GS_WORKER_FINISH);
	TRY(gs_worker_await(&gpu->worker));
	if (!gpu->full)
		gs_resident_end(&gpu->resident);
	gpu->draining = true;
	gpu->slice = gpu->slice_keys = 0;
	return GS_OK;
}

static gs_status
by_strands(struct gs_gpu *gpu, const uint64_t *at, size_t count)
{
	assert(gpu->draining && !gpu->sending && at[0] == 0);
	gpu->strand_at = at;
	gpu->strands = count;
	return GS_OK;
}

/* Divide all runs, and let the worker send. */
static gs_status
begin_sending(struct gs_gpu *gpu)
{
	const struct gs_device *device = &gpu->worker.device;
	static const uint64_t begin[] = { 0 };
	const bool by_strands = gpu->strands > 0;
	const struct gs_gpu_division division = {
		.descending_classes = gpu->options.descending_classes, .by_strands = by_strands,
		.strand_at = by_strands ? gpu->strand_at : begin, .strands = by_strands ? gpu->strands : 1,
		.slice_bytes = gs_least(by_strands ? device->staging_bytes : SLICE_BYTES,
		                        gs_device_slice_bytes(device)),
	};

	TRY(gs_gpu_slices_cut(&gpu->slices, &gpu->runs, &division));
	gs_worker_ask(&gpu->worker, GS_WORKER_DRAIN);
	gpu->sending = true;
	return GS_OK;
}

static void
give(struct gs_gpu *gpu, const struct gs_gpu_span *span)
{
	struct gs_ring_buffer *buffer = span->handle;

	buffer->count = 0;
	gs_worker_give(&gpu->worker, buffer);
}

static gs_status
drain(struct gs_gpu *gpu, struct gs_gpu_span *drained)
{
	const struct gs_gpu_slice *slice;
	struct gs_ring_buffer *buffer;

	*drained = (struct gs_gpu_span){ .sum = 0 };
	if (!gpu->draining)
		return GS_OK;
	if (!gpu->sending)
		TRY(begin_sending(gpu));
	if (gpu->slice == gpu->slices.count) {		/* all keys have been drained: be empty */
		TRY(gs_worker_await(&gpu->worker));
		gpu->buffers = gpu->reserved = 0;
		gs_resident_reset(&gpu->resident);
		gs_gpu_slices_reset(&gpu->slices);
		gs_gpu_runs_reset(&gpu->runs);
		gpu->draining = gpu->sending = false;
		gpu->strands = 0;
		return GS_OK;
	}
	slice = &gpu->slices.list[gpu->slice];
	TRY(gs_worker_next(&gpu->worker, &gpu->worker.ready, "copying sorted keys from it", &buffer));
	*drained = (struct gs_gpu_span){
		.span = { .keys = buffer->host, .count = buffer->count, .key_bits = buffer->bits,
		          .key_class = buffer->key_class },
		.sum = buffer->sum, .strand = slice->strand, .at = slice->at + gpu->slice_keys,
		.handle = buffer,
	};
	gpu->slice_keys += buffer->count;
	if (gpu->slice_keys == slice->count) {
		gpu->slice++;
		gpu->slice_keys = 0;
	}
	return GS_OK;
}

extern const struct gs_gpu_module gs_gpu_module;
extern const char gs_gpu_module_version[];

MODULE_SYMBOL const char gs_gpu_module_version[] = PACKAGE_VERSION;

MODULE_SYMBOL const struct gs_gpu_module gs_gpu_module = {
	.count = count_gpus,
	.open = open_gpu,
	.describe = describe,
	.batch_bytes = batch_bytes,
	.lend = lend,
	.commit = commit,
	.finish = finish,
	.by_strands = by_strands,
	.drain = drain,
	.give = give,
	.work = tell_work,
	.close = close_gpu,
	.build = gs_cuda_build,
	.survey = gs_cuda_survey,
	.message = gs_message,
};
