// SPDX-License-Identifier: BSD-2-Clause
/*
 * engine.c - the engine of the GPU module: several GPUs, host memory, slices
 *
 * In:   keys in staging buffers.
 * Out:  the keys of each class in order, in staging buffers.
 *
 * Staging buffers are dealt to the GPUs in turn.  While no GPU has had more than a batch, and only one has
 * keys of a class, the class is sent as it lies there.  Else all batches are runs, in host memory
 * or, the last one of each GPU, there; and slices of the output are dealt to the GPUs in turn.
 *
 *     lend, commit     buffers -> batches -> runs
 *     finish           the last batches; cuts
 *     drain            runs -> slices -> buffers
 *
 * This thread only moves buffers between queues and computes cuts; a worker for each GPU does
 * what takes time (worker.h).
 *
 * Invariant: a GPU is lent a buffer for its next batch only when a slot of host memory is reserved
 * for each batch before it.
 */
#include "config.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/cuda/cuda.h"
#include "gpu/cuda/worker.h"

/* The two symbols that a loader of the module sees. */
#define MODULE_SYMBOL	__attribute__((visibility("default")))

/*
 * A slice is sorted before its first key is sent, so it is not large; nor so small that sorting is
 * slow.  Of several GPUs each sends while its ring has room, so their slices are half a ring.  Not
 * tuned.
 */
#define SLICE_BYTES	((size_t)512 << 20)

struct lender {
	struct gs_worker worker;
	size_t           buffers;	/* lent since the last batch was drained, but for empty ones */
	size_t           reserved;	/* slots of host memory for its batches */
};

struct gs_gpu {
	struct gs_gpu_options options;
	char                  name[512];
	unsigned              failed;		/* GS_NO_GPU: none, as far as is known */
	struct lender         lenders[GSORT_GPUS_MOST];
	unsigned              count, next;	/* lenders; the next one to lend */
	struct gs_resident    resident;
	struct gs_gpu_runs    runs;
	struct gs_gpu_slices  slices;
	bool                  draining;
	size_t                slice;		/* being drained, ... */
	size_t                slice_keys;	/* ... and how many keys of it have been */
	struct gs_ring_buffer *borrowed;	/* by the last caller of drain */
};

/* ---- a worker that fails --------------------------------------------------------- */

/* Note which, if STATUS is that of a call of worker number G. */
static gs_status
note(struct gs_gpu *gpu, unsigned g, gs_status status)
{
	if (status != GS_OK && gpu->failed == GS_NO_GPU)
		gpu->failed = g;
	return status;
}

/* If no worker failed, it is the one whose keys the caller has. */
static unsigned
failed(const struct gs_gpu *gpu)
{
	return gpu->failed == GS_NO_GPU && gpu->borrowed != NULL ? gpu->borrowed->device->number
	                                                         : gpu->failed;
}

/* Wait for all workers. */
static gs_status
await_all(struct gs_gpu *gpu)
{
	for (unsigned g = 0; g < gpu->count; g++)
		TRY(note(gpu, g, gs_worker_await(&gpu->lenders[g].worker)));
	return GS_OK;
}

/* ---- opening ------------------------------------------------------------------- */

static gs_status
count_gpus(unsigned *gpus)
{
	int count;

	TRY_CUDA(cudaGetDeviceCount(&count), "looking for GPUs");
	*gpus = (unsigned)count;
	return GS_OK;
}

/* Bytes of keys for each GPU, or UINT64_MAX. */
static uint64_t
share_of(const struct gs_gpu_options *options)
{
	return options->hint_bytes == UINT64_MAX ? UINT64_MAX
	       : options->hint_bytes / options->gpu_count + options->staging_bytes;
}

static gs_status
open_workers(struct gs_gpu *gpu)
{
	const struct gs_gpu_options *options = &gpu->options;

	for (; gpu->count < options->gpu_count; gpu->count++)
		TRY(gs_worker_start(&gpu->lenders[gpu->count].worker, options, gpu->count,
		                    share_of(options), &gpu->resident, &gpu->runs, &gpu->slices));
	return await_all(gpu);
}

/* "NVIDIA H200"; "2 GPUs: NVIDIA H200, NVIDIA H200". */
static void
name_all(struct gs_gpu *gpu)
{
	size_t length = 0;

	if (gpu->count > 1)
		length = (size_t)snprintf(gpu->name, sizeof gpu->name, "%u GPUs: ", gpu->count);
	for (unsigned g = 0; g < gpu->count && length < sizeof gpu->name; g++)
		length += (size_t)snprintf(gpu->name + length, sizeof gpu->name - length, "%s%s",
		                           g > 0 ? ", " : "", gpu->lenders[g].worker.device.name);
}

static uint64_t
batch_bytes(const struct gs_gpu *gpu)
{
	uint64_t bytes = 0;

	for (unsigned g = 0; g < gpu->count; g++)
		bytes += gpu->lenders[g].worker.device.buffer_bytes;
	return bytes;
}

static gs_status
open_resident(struct gs_gpu *gpu)
{
	const struct gs_gpu_options *options = &gpu->options;
	const uint64_t stays = batch_bytes(gpu);
	size_t slot_bytes = 0;
	uint64_t most = SIZE_MAX;

	for (unsigned g = 0; g < gpu->count; g++)
		if (slot_bytes < gpu->lenders[g].worker.device.buffer_bytes)
			slot_bytes = gpu->lenders[g].worker.device.buffer_bytes;
	if (options->hint_bytes != UINT64_MAX)
		most = options->hint_bytes > stays ? options->hint_bytes - stays : 0;
	return gs_resident_open(&gpu->resident, options->resident, options->resident_bytes,
	                        slot_bytes, most < SIZE_MAX ? (size_t)most : SIZE_MAX,
	                        options->gpus[0]);
}

static void
close_gpu(struct gs_gpu *gpu)
{
	if (gpu == NULL)
		return;
	/* No thread may use what another one's is about to free. */
	for (unsigned g = 0; g < GSORT_GPUS_MOST; g++)
		gs_worker_stop(&gpu->lenders[g].worker);
	gs_resident_close(&gpu->resident);
	for (unsigned g = 0; g < GSORT_GPUS_MOST; g++)
		gs_worker_close(&gpu->lenders[g].worker);
	gs_gpu_slices_close(&gpu->slices);
	gs_gpu_runs_close(&gpu->runs);
	free(gpu);
}

/* Let each GPU read the others' memory.  Where it cannot, copies go through the host. */
static gs_status
connect(struct gs_gpu *gpu)
{
	for (unsigned g = 0; g < gpu->count; g++) {
		const struct gs_device *device = &gpu->lenders[g].worker.device;

		if (gpu->count > 1)
			TRY(note(gpu, g, gs_device_use(device)));
		for (unsigned peer = 0; peer < gpu->count; peer++)
			if (peer != g)
				TRY(note(gpu, g, gs_cuda_connect(device->index,
				                                 gpu->options.gpus[peer])));
	}
	return GS_OK;
}

static gs_status
open_all(struct gs_gpu *gpu)
{
	TRY(open_workers(gpu));
	TRY(connect(gpu));
	TRY(open_resident(gpu));
	name_all(gpu);
	return GS_OK;
}

static gs_status
open_gpu(struct gs_gpu **opened, const struct gs_gpu_options *options, unsigned *which)
{
	struct gs_gpu *gpu = calloc(1, sizeof *gpu);
	gs_status status;

	assert(options->gpu_count >= 1 && options->gpu_count <= GSORT_GPUS_MOST);
	*which = GS_NO_GPU;
	if (gpu == NULL)
		return gs_fail(GS_EBUDGET, "out of memory");
	gpu->options = *options;
	gpu->failed = GS_NO_GPU;
	gs_gpu_runs_open(&gpu->runs);
	status = open_all(gpu);
	*which = gpu->failed;
	if (status == GS_OK)
		*opened = gpu;
	else
		close_gpu(gpu);
	return status;
}

static const char *
describe(const struct gs_gpu *gpu)
{
	return gpu->name;
}

static void
add_up_work(struct gs_gpu *gpu, struct gs_gpu_work *work)
{
	*work = (struct gs_gpu_work){ .batches = 0 };
	for (unsigned g = 0; g < gpu->count; g++) {
		struct gs_device *device = &gpu->lenders[g].worker.device;

		pthread_mutex_lock(&device->lock);	/* the worker may be at work */
		work->h2d_seconds += device->work_done.h2d_seconds;
		work->sort_seconds += device->work_done.sort_seconds;
		work->d2h_seconds += device->work_done.d2h_seconds;
		work->memory_bytes += device->work_done.memory_bytes;
		work->batches += device->work_done.batches;
		pthread_mutex_unlock(&device->lock);
	}
}

/* ---- keys in ------------------------------------------------------------------- */

/* Can it take one more buffer?  Each batch before that one's needs a slot. */
static bool
has_room(struct gs_gpu *gpu, struct lender *lender)
{
	const size_t full = lender->buffers / lender->worker.device.arrivals_most;

	for (; lender->reserved < full; lender->reserved++)
		if (!gs_resident_reserve(&gpu->resident))
			return false;
	return true;
}

static gs_status
lend(struct gs_gpu *gpu, unsigned key_class, struct gs_staging *staging)
{
	const unsigned bits = gpu->options.class_bits[key_class];
	struct gs_ring_buffer *buffer;

	assert(!gpu->draining);
	*staging = (struct gs_staging){ .key_class = key_class, .key_bits = bits };
	for (unsigned tried = 0; tried < gpu->count; tried++) {
		struct lender *lender = &gpu->lenders[gpu->next];

		gpu->next = (gpu->next + 1) % gpu->count;
		if (!has_room(gpu, lender))
			continue;
		TRY(note(gpu, lender->worker.number, gs_worker_free(&lender->worker, &buffer)));
		lender->buffers++;
		staging->handle = buffer;
		staging->keys = buffer->host;
		staging->room = lender->worker.device.staging_bytes / (bits / 8);
		return GS_OK;
	}
	return GS_OK;		/* room 0: the batch is full */
}

static gs_status
commit(struct gs_gpu *gpu, const struct gs_staging *staging, uint64_t sum)
{
	struct gs_ring_buffer *buffer = staging->handle;
	struct lender *lender = &gpu->lenders[buffer->device->number];

	assert(staging->count <= staging->room);
	buffer->key_class = staging->key_class;
	buffer->bits = staging->key_bits;
	buffer->count = staging->count;
	buffer->sum = sum;
	if (staging->count == 0)
		lender->buffers--;
	gs_worker_give(&lender->worker, buffer);
	return GS_OK;
}

/* ---- slices out ------------------------------------------------------------------ */

static size_t
slice_bytes(const struct gs_gpu *gpu)
{
	size_t bytes = SLICE_BYTES;

	for (unsigned g = 0; g < gpu->count; g++) {
		const struct gs_device *device = &gpu->lenders[g].worker.device;

		if (bytes > gs_device_slice_bytes(device))
			bytes = gs_device_slice_bytes(device);
		if (gpu->count > 1 && bytes > gpu->options.ring_buffers / 2 * device->staging_bytes)
			bytes = gpu->options.ring_buffers / 2 * device->staging_bytes;
	}
	return bytes;
}

static gs_status
finish(struct gs_gpu *gpu)
{
	for (unsigned g = 0; g < gpu->count; g++)
		gs_worker_finish(&gpu->lenders[g].worker);
	TRY(await_all(gpu));
	TRY(gs_gpu_slices_cut(&gpu->slices, &gpu->runs, slice_bytes(gpu), gpu->count,
	                      gpu->options.descending_classes));
	for (unsigned g = 0; g < gpu->count; g++)
		gs_worker_drain(&gpu->lenders[g].worker);
	gpu->draining = true;
	gpu->slice = gpu->slice_keys = 0;
	return GS_OK;
}

/* All keys have been drained: be empty. */
static gs_status
end_batch(struct gs_gpu *gpu)
{
	TRY(await_all(gpu));
	for (unsigned g = 0; g < gpu->count; g++)
		gpu->lenders[g].buffers = gpu->lenders[g].reserved = 0;
	gs_resident_reset(&gpu->resident);
	gs_gpu_slices_reset(&gpu->slices);
	gs_gpu_runs_reset(&gpu->runs);
	gpu->draining = false;
	return GS_OK;
}

static void
give_back(struct gs_gpu *gpu)
{
	if (gpu->borrowed == NULL)
		return;
	gpu->borrowed->count = 0;
	gs_worker_give(&gpu->lenders[gpu->borrowed->device->number].worker, gpu->borrowed);
	gpu->borrowed = NULL;
}

static gs_status
drain(struct gs_gpu *gpu, struct gs_gpu_span *drained)
{
	const struct gs_gpu_slice *slice = gpu->slices.list + gpu->slice;
	struct gs_ring_buffer *buffer;

	*drained = (struct gs_gpu_span){ .sum = 0 };
	give_back(gpu);
	if (!gpu->draining)
		return GS_OK;
	if (gpu->slice == gpu->slices.count)
		return end_batch(gpu);
	TRY(note(gpu, slice->worker, gs_worker_take(&gpu->lenders[slice->worker].worker, &buffer)));
	gpu->borrowed = buffer;
	gpu->slice_keys += buffer->count;
	if (gpu->slice_keys == slice->count) {
		gpu->slice++;
		gpu->slice_keys = 0;
	}
	*drained = (struct gs_gpu_span){
		.span = { .keys = buffer->host, .count = buffer->count, .key_bits = buffer->bits,
		          .key_class = buffer->key_class },
		.sum = buffer->sum,
	};
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
	.drain = drain,
	.failed = failed,
	.work = add_up_work,
	.close = close_gpu,
	.build = gs_cuda_build,
	.survey = gs_cuda_survey,
	.message = gs_message,
};
