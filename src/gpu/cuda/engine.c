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
 *     finish           the last batches
 *     drain            cuts; runs -> slices -> buffers
 *
 * The first GPU is open when the engine is; the others are opened beside the first keys, and take
 * some when they are ready (two H200: driver and both contexts take 0.43 s, one alone 0.24).  Those that
 * are not ready when all keys are there take no part.
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
	bool             open;		/* as far as this thread knows */
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
	const uint64_t       *strand_at;	/* borrowed */
	size_t                strands;
	bool                  full;		/* keys did not fit: more will come */
	bool                  draining;		/* all batches are sorted; ... */
	bool                  sending;		/* ... there are slices */
	size_t                slice;		/* being drained, ... */
	size_t                slice_keys;	/* ... and how many keys of it have been */
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

static unsigned
failed(const struct gs_gpu *gpu)
{
	return gpu->failed;
}

/* Wait for all that are open. */
static gs_status
await_all(struct gs_gpu *gpu)
{
	for (unsigned g = 0; g < gpu->count; g++)
		if (gpu->lenders[g].open)
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

/* Bytes of keys for GPU number G, or UINT64_MAX.  The first one gets more: the others open later. */
static uint64_t
share_of(const struct gs_gpu_options *options, unsigned g)
{
	uint64_t share;

	if (options->hint_bytes == UINT64_MAX)
		return UINT64_MAX;
	share = options->hint_bytes / options->gpu_count + options->staging_bytes;
	return g == 0 && options->gpu_count > 1 ? 2 * share : share;
}

static gs_status
start_worker(struct gs_gpu *gpu)
{
	const unsigned g = gpu->count;

	TRY(gs_worker_start(&gpu->lenders[g].worker, &gpu->options, g,
	                    share_of(&gpu->options, g), &gpu->resident, &gpu->runs, &gpu->slices));
	gpu->count++;
	return GS_OK;
}

/* "NVIDIA H200"; "2 GPUs: NVIDIA H200, NVIDIA H200". */
static gs_status
name_all(struct gs_gpu *gpu)
{
	const unsigned count = gpu->options.gpu_count;
	size_t length = 0;

	if (count > 1)
		length = (size_t)snprintf(gpu->name, sizeof gpu->name, "%u GPUs: ", count);
	for (unsigned g = 0; g < count && length < sizeof gpu->name; g++) {
		char name[256];

		TRY(note(gpu, g, gs_cuda_name(gpu->options.gpus[g], name, sizeof name)));
		length += (size_t)snprintf(gpu->name + length, sizeof gpu->name - length, "%s%s",
		                           g > 0 ? ", " : "", name);
	}
	return GS_OK;
}

static uint64_t
batch_bytes(const struct gs_gpu *gpu)
{
	uint64_t bytes = 0;

	for (unsigned g = 0; g < gpu->count; g++)
		if (gpu->lenders[g].open)
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
	for (unsigned g = 0; g < gpu->count; g++)
		for (unsigned peer = 0; peer < gpu->count; peer++) {
			const struct gs_device *device = &gpu->lenders[g].worker.device;

			if (peer == g || !gpu->lenders[g].open || !gpu->lenders[peer].open)
				continue;
			TRY(note(gpu, g, gs_device_use(device)));
			TRY(note(gpu, g, gs_cuda_connect(device->index, gpu->options.gpus[peer])));
		}
	return GS_OK;
}

/* Note which workers are open by now; or, if it WAITS, all of them.  Then there is room for runs. */
static gs_status
settle(struct gs_gpu *gpu, bool waits)
{
	bool all = true;

	for (unsigned g = 0; g < gpu->count; g++) {
		struct lender *lender = &gpu->lenders[g];

		if (!lender->open && (waits || gs_worker_answered(&lender->worker))) {
			TRY(note(gpu, g, gs_worker_await(&lender->worker)));
			lender->open = true;
		}
		all &= lender->open;
	}
	all &= gpu->count == gpu->options.gpu_count;
	return all && !gpu->resident.open ? open_resident(gpu) : GS_OK;
}

static gs_status
open_all(struct gs_gpu *gpu)
{
	const struct gs_gpu_options *options = &gpu->options;

	TRY(start_worker(gpu));
	TRY(settle(gpu, true));
	for (unsigned g = 1; g < options->gpu_count; g++)
		TRY(note(gpu, g, gs_cuda_find(options->gpus[g])));
	TRY(name_all(gpu));		/* now: while a context is being made, the driver is busy */
	while (gpu->count < options->gpu_count)
		TRY(start_worker(gpu));
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

		if (!gpu->lenders[g].open)
			continue;
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

/* Can it take one more buffer?  Each batch before that one's needs a slot, which it may RESERVE. */
static bool
has_room(struct gs_gpu *gpu, struct lender *lender, bool reserve)
{
	size_t full;

	if (!lender->open)
		return false;
	full = lender->buffers / lender->worker.device.arrivals_most;
	for (; reserve && lender->reserved < full; lender->reserved++)
		if (!gs_resident_reserve(&gpu->resident))
			return false;
	return lender->reserved >= full;
}

/* The next GPU in turn that has room; NULL: none has. */
static struct lender *
next_lender(struct gs_gpu *gpu, bool reserve)
{
	for (unsigned tried = 0; tried < gpu->count; tried++) {
		struct lender *lender = &gpu->lenders[gpu->next];

		gpu->next = (gpu->next + 1) % gpu->count;
		if (has_room(gpu, lender, reserve))
			return lender;
	}
	return NULL;
}

/* Before anything goes to host memory, all GPUs are full. */
static gs_status
choose_lender(struct gs_gpu *gpu, struct lender **lender)
{
	TRY(settle(gpu, false));
	if ((*lender = next_lender(gpu, false)) != NULL)
		return GS_OK;
	TRY(settle(gpu, true));
	if ((*lender = next_lender(gpu, false)) == NULL)
		*lender = next_lender(gpu, true);
	gpu->full = *lender == NULL;
	return GS_OK;
}

static gs_status
lend(struct gs_gpu *gpu, unsigned key_class, struct gs_staging *staging)
{
	const unsigned bits = gpu->options.class_bits[key_class];
	struct gs_ring_buffer *buffer;
	struct lender *lender;

	assert(!gpu->draining);
	*staging = (struct gs_staging){ .key_class = key_class, .key_bits = bits };
	TRY(choose_lender(gpu, &lender));
	if (lender == NULL)
		return GS_OK;		/* room 0: all memory is full */
	TRY(note(gpu, lender->worker.number, gs_worker_free(&lender->worker, &buffer)));
	lender->buffers++;
	staging->handle = buffer;
	staging->keys = buffer->host;
	staging->room = lender->worker.device.staging_bytes / (bits / 8);
	return GS_OK;
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
slice_bytes(const struct gs_gpu *gpu, unsigned workers)
{
	size_t bytes = SLICE_BYTES;

	for (unsigned g = 0; g < gpu->count; g++) {
		const struct gs_device *device = &gpu->lenders[g].worker.device;

		if (!gpu->lenders[g].open)
			continue;
		if (bytes > gs_device_slice_bytes(device))
			bytes = gs_device_slice_bytes(device);
		if (workers > 1 && bytes > gpu->options.ring_buffers / 2 * device->staging_bytes)
			bytes = gpu->options.ring_buffers / 2 * device->staging_bytes;
		if (gpu->strands > 0 && bytes > device->staging_bytes)
			bytes = device->staging_bytes;
	}
	return bytes;
}

static gs_status
finish(struct gs_gpu *gpu)
{
	TRY(settle(gpu, false));
	for (unsigned g = 0; g < gpu->count; g++)
		if (gpu->lenders[g].open)
			gs_worker_finish(&gpu->lenders[g].worker);
	TRY(connect(gpu));
	TRY(await_all(gpu));
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

/* Divide all runs, and let the workers send. */
static gs_status
begin_sending(struct gs_gpu *gpu)
{
	unsigned workers[GSORT_GPUS_MOST];
	struct gs_gpu_division division = {
		.workers = workers, .descending_classes = gpu->options.descending_classes,
		.strand_at = gpu->strand_at, .strands = gpu->strands,
	};

	for (unsigned g = 0; g < gpu->count; g++)
		if (gpu->lenders[g].open)
			workers[division.worker_count++] = g;
	division.slice_bytes = slice_bytes(gpu, division.worker_count);
	TRY(gs_gpu_slices_cut(&gpu->slices, &gpu->runs, &division));
	for (unsigned w = 0; w < division.worker_count; w++)
		gs_worker_drain(&gpu->lenders[workers[w]].worker);
	gpu->sending = true;
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
	gpu->draining = gpu->sending = false;
	gpu->strands = 0;
	return GS_OK;
}

static void
give(struct gs_gpu *gpu, const struct gs_gpu_span *span)
{
	struct gs_ring_buffer *buffer = span->handle;

	buffer->count = 0;
	gs_worker_give(&gpu->lenders[buffer->device->number].worker, buffer);
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
	if (gpu->slice == gpu->slices.count)
		return end_batch(gpu);
	slice = &gpu->slices.list[gpu->slice];
	TRY(note(gpu, slice->worker, gs_worker_take(&gpu->lenders[slice->worker].worker, &buffer)));
	*drained = (struct gs_gpu_span){
		.span = { .keys = buffer->host, .count = buffer->count, .key_bits = buffer->bits,
		          .key_class = buffer->key_class },
		.sum = buffer->sum, .strand = slice->strand, .at = slice->at + gpu->slice_keys,
		.gpu = slice->worker, .handle = buffer,
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
	.failed = failed,
	.work = add_up_work,
	.close = close_gpu,
	.build = gs_cuda_build,
	.survey = gs_cuda_survey,
	.message = gs_message,
};
