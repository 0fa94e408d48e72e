// SPDX-License-Identifier: BSD-2-Clause
/*
 * device.c - a GPU and its memory, opened and closed
 *
 * In:   facts about the keys; how much of the GPU may be used.
 * Out:  all that batches need: once a device is open, nothing on it is allocated any more.
 */
#include "config.h"

#include <assert.h>
#include <stdlib.h>

#include "gpu/cuda/device.h"

#define COUNT(array)	(sizeof (array) / sizeof (array)[0])

enum {
	LEAST_STAGING_BYTES = 64 << 10,
	PERCENT_DEFAULT  = 80,		/* of free memory: other programs may need some */
};

/* Scratch for the keys of any class that fill a buffer. */
static size_t
scratch_bytes(const struct gs_gpu_options *options, size_t buffer_bytes)
{
	size_t most = 0, bytes;

	for (unsigned c = 0; c < GS_CLASSES; c++) {
		const unsigned bits = options->class_bits[c];

		if (bits > 0 && (bytes = gs_sort_scratch_bytes(bits, buffer_bytes / (bits / 8))) > most)
			most = bytes;
	}
	return most;
}

/* What is found of a batch: how often keys fall, then a sum and a first key of each block. */
static size_t
check_bytes(size_t key_bytes)
{
	return (1 + 2 * (gs_run_blocks(key_bytes / sizeof(uint32_t)) + GS_CLASSES)) *
	       sizeof(uint64_t);
}

size_t
gs_device_slice_bytes(const struct gs_device *device)
{
	return device->buffer_bytes / 3 / GS_DEVICE_ALIGN * GS_DEVICE_ALIGN;
}

/* Arrivals of a buffer, if all is to be within BUDGET: less scratch is enough for fewer. */
static size_t
arrivals_within(const struct gs_device *device, size_t budget)
{
	const size_t staging_bytes = device->staging_bytes;
	size_t low = 0, high = budget / 2 / staging_bytes;

	while (low < high) {
		const size_t count = (low + high + 1) / 2, bytes = count * staging_bytes;

		if (2 * bytes + check_bytes(bytes) +
		    scratch_bytes(device->options, bytes) <= budget)
			low = count;
		else
			high = count - 1;
	}
	return low;
}

static void
free_buffers(struct gs_device *device)
{
	(void)cudaFree(device->buffers[0]);
	(void)cudaFree(device->buffers[1]);
	(void)cudaFree(device->scratch);
	(void)cudaFree(device->found);
	device->buffers[0] = device->buffers[1] = NULL;
	device->scratch = NULL;
	device->found = NULL;
}

static gs_status
allocate_buffers(struct gs_device *device, size_t bytes)
{
	const size_t scratch = scratch_bytes(device->options, bytes);
	const size_t checks = check_bytes(bytes);

	TRY_CUDA(cudaMalloc((void **)&device->buffers[0], bytes), "allocating");
	TRY_CUDA(cudaMalloc((void **)&device->buffers[1], bytes), "allocating");
	TRY_CUDA(cudaMalloc(&device->scratch, scratch), "allocating");
	TRY_CUDA(cudaMalloc((void **)&device->found, checks), "allocating");
	device->work_done.memory_bytes = 2 * bytes + scratch + checks;
	return GS_OK;
}

/* Buffers for what the keys need, if that is known, within what may be used.  Another process may take memory
 * between the question and the allocation. */
static gs_status
get_buffers(struct gs_device *device)
{
	const struct gs_gpu_options *options = device->options;
	const unsigned classes = gs_class_count(options->class_bits);
	const uint64_t hint = options->hint_bytes;
	const uint64_t key_bytes = hint == UINT64_MAX ? hint : hint + device->staging_bytes;
	size_t free_bytes, total_bytes, budget, arrivals, bytes;
	gs_status status = GS_EDEVMEM;
	uint64_t needed;

	TRY_CUDA(cudaMemGetInfo(&free_bytes, &total_bytes), "asking for free GPU memory");
	budget = free_bytes / 100 *
	         (options->gpu_memory_percent > 0 ? options->gpu_memory_percent : PERCENT_DEFAULT);
	if (options->gpu_memory_bytes > 0 && options->gpu_memory_bytes < free_bytes)
		budget = options->gpu_memory_bytes;

	/* Several arrivals a class, or there is nothing to overlap. */
	while ((arrivals = arrivals_within(device, budget)) < 2 * classes &&
	       device->staging_bytes > LEAST_STAGING_BYTES)
		device->staging_bytes /= 2;
	/* One more a class than the keys fill: its last one is not full. */
	needed = key_bytes / device->staging_bytes + 1 + classes;
	bytes = (arrivals < needed ? arrivals : (size_t)needed) * device->staging_bytes;
	while (bytes >= device->staging_bytes &&
	       (status = allocate_buffers(device, bytes)) == GS_EDEVMEM) {
		free_buffers(device);
		bytes /= 2;
		bytes -= bytes % device->staging_bytes;
	}
	if (status == GS_EDEVMEM)
		return gs_fail(GS_EDEVMEM, "out of GPU memory: at least %zu KiB are needed",
		               (2 * device->staging_bytes + check_bytes(device->staging_bytes) +
		                scratch_bytes(device->options, device->staging_bytes) + 1023) >> 10);
	device->buffer_bytes = bytes;
	device->arrivals.most = bytes / device->staging_bytes;
	return status;
}

/* ---- streams, events, the ring ---------------------------------------------- */

static gs_status
create_event(cudaEvent_t *event, unsigned flags)
{
	TRY_CUDA(cudaEventCreateWithFlags(event, cudaEventBlockingSync | flags), "creating an event");
	return GS_OK;
}

static gs_status
create_timed(struct gs_timed *timed)
{
	TRY(create_event(&timed->begun, cudaEventDefault));
	return create_event(&timed->done, cudaEventDefault);
}

gs_status
gs_timed_begin(struct gs_timed *timed, cudaStream_t stream, double *seconds)
{
	timed->seconds = NULL;
	TRY_CUDA(cudaEventRecord(timed->begun, stream), "recording an event");
	timed->seconds = seconds;
	return GS_OK;
}

gs_status
gs_timed_end(struct gs_timed *timed, cudaStream_t stream)
{
	TRY_CUDA(cudaEventRecord(timed->done, stream), "recording an event");
	return GS_OK;
}

gs_status
gs_timed_wait(struct gs_device *device, struct gs_timed *timed, const char *doing)
{
	float ms;

	if (timed->seconds == NULL)
		return GS_OK;
	TRY_CUDA(cudaEventSynchronize(timed->done), doing);
	TRY_CUDA(cudaEventElapsedTime(&ms, timed->begun, timed->done), doing);
	pthread_mutex_lock(&device->lock);
	*timed->seconds += ms / 1e3;
	pthread_mutex_unlock(&device->lock);
	timed->seconds = NULL;
	return GS_OK;
}

/* ---- all of it --------------------------------------------------------------- */

static gs_status
touch(void *context)
{
	struct gs_pinned *pinned = context;
	volatile char *at = pinned->memory;

	for (size_t b = 0; b < pinned->touch_bytes; b += 4096)
		at[b] = 0;
	return GS_OK;
}

gs_status
gs_device_open(struct gs_device *device, const struct gs_gpu_options *options)
{
	cudaStream_t *const streams[] = { &device->in, &device->work, &device->out };
	struct gs_pinned *pinned = &device->pinned;
	const unsigned ring = options->ring_buffers;
	const size_t ring_bytes = ring * options->staging_bytes;
	int count;

	assert(ring >= 2 && ring <= GS_RING_MOST);
	assert(ring > gs_class_count(options->class_bits));	/* one can always be lent */
	*device = (struct gs_device){
		.options = options, .staging_bytes = options->staging_bytes,
	};
	pthread_mutex_init(&device->lock, NULL);
	TRY_CUDA(cudaGetDeviceCount(&count), "looking for GPUs");	/* the driver begins: 0.1 s */
	if (options->gpu >= count)
		return gs_fail(GS_ENODEV, "there is no GPU %d: the last one is %d", options->gpu, count - 1);
	gs_cuda_stay_near(options->gpu);
	TRY(gs_arena_open(&pinned->arena, gs_arena_round(ring_bytes), true));
	pinned->memory = gs_arena_take(&pinned->arena, ring_bytes);
	pinned->touch_bytes = ring_bytes;
	/* Without a thread, registering touches it. */
	(void)!gs_thread_start(&pinned->toucher, touch, pinned);
	/* the context, another 0.1 s; a thread that waits for the GPU sleeps */
	TRY_CUDA(cudaSetDevice(options->gpu), "choosing the GPU");
	TRY_CUDA(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync), "choosing the GPU");
	TRY(get_buffers(device));	/* staging buffers may be smaller from here on */

	for (unsigned s = 0; s < COUNT(streams); s++)
		TRY_CUDA(cudaStreamCreateWithFlags(streams[s], cudaStreamNonBlocking),
		         "creating a stream");
	TRY_CUDA(gs_sorter_open(&device->sorter), "creating a stream");
	TRY(create_event(&device->arrived, cudaEventDisableTiming));
	TRY(create_timed(&device->sorted));
	TRY(create_timed(&device->left));
	for (unsigned s = 0; s < 2; s++) {
		TRY(create_timed(&device->slices[s].gathered));
		TRY(create_event(&device->slices[s].sent, cudaEventDisableTiming));
	}

	(void)!gs_thread_join(&pinned->toucher);
	pinned->registered = cudaHostRegister(pinned->memory, ring * device->staging_bytes,
	                                      cudaHostRegisterPortable) == cudaSuccess;
	if (!pinned->registered) {		/* not every system can */
		(void)cudaGetLastError();
		TRY_CUDA(cudaHostAlloc(&pinned->allocated, ring * device->staging_bytes,
		                       cudaHostAllocPortable), "pinning host memory");
		pinned->memory = pinned->allocated;
	}
	for (unsigned r = 0; r < ring; r++) {
		device->ring[r].host = pinned->memory + r * device->staging_bytes;
		TRY(create_timed(&device->ring[r].copied));
	}
	TRY(GS_NEW(device->arrivals.list, device->arrivals.most, "arrivals"));
	return gs_allocate(&device->checks, check_bytes(device->buffer_bytes), 1, "bytes of sums");
}

gs_status
gs_device_use(const struct gs_device *device)
{
	TRY_CUDA(cudaSetDevice(device->options->gpu), "choosing the GPU");
	return GS_OK;
}

static void
destroy_event(cudaEvent_t event)
{
	if (event != NULL)
		(void)cudaEventDestroy(event);
}

static void
destroy_timed(const struct gs_timed *timed)
{
	destroy_event(timed->begun);
	destroy_event(timed->done);
}

void
gs_device_close(struct gs_device *device)
{
	const cudaStream_t streams[] = { device->in, device->work, device->out };

	if (device->options == NULL)
		return;
	(void)cudaSetDevice(device->options->gpu);
	for (unsigned r = 0; r < GS_RING_MOST; r++)
		destroy_timed(&device->ring[r].copied);
	destroy_event(device->arrived);
	destroy_timed(&device->sorted);
	destroy_timed(&device->left);
	for (unsigned s = 0; s < 2; s++) {
		destroy_timed(&device->slices[s].gathered);
		destroy_event(device->slices[s].sent);
	}
	for (unsigned s = 0; s < COUNT(streams); s++)
		if (streams[s] != NULL)
			(void)cudaStreamDestroy(streams[s]);
	gs_sorter_close(&device->sorter);
	(void)!gs_thread_join(&device->pinned.toucher);
	if (device->pinned.registered)
		(void)cudaHostUnregister(device->pinned.memory);
	(void)cudaFreeHost(device->pinned.allocated);
	gs_arena_close(&device->pinned.arena);
	free_buffers(device);
	free(device->arrivals.list);
	free(device->checks);
	pthread_mutex_destroy(&device->lock);
	*device = (struct gs_device){ .options = NULL };
}
