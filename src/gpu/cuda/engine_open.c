// SPDX-License-Identifier: BSD-2-Clause
/*
 * backend_cuda_open.c - a GPU and its memory, opened and closed
 *
 * In:   what is known of the keys; how much of the GPU may be used.
 * Out:  two double_buffer, scratch and a ring of pinned buffers, all that a batch needs: once it is
 *       open nothing is allocated any more.
 */
#include "config.h"

#include <assert.h>
#include <stdlib.h>

#include "kernels/kernels.h"
#include "gpu/cuda/engine_cuda.h"

enum {
	LEAST_TILE_BYTES = 64 << 10,
	PERCENT_DEFAULT = 80,		/* of free memory: others may want some */
};

static unsigned
class_count(const struct gs_gpu_options *options)
{
	unsigned count = 0;

	for (unsigned s = 0; s < GS_CLASSES; s++)
		count += options->class_bits[s] > 0;
	return count;
}

/* For any key class, if it has all of a half. */
static size_t
scratch_bytes(const struct gs_gpu_options *options, size_t half_bytes)
{
	size_t most = 0, bytes;

	for (unsigned s = 0; s < GS_CLASSES; s++) {
		const unsigned bits = options->class_bits[s];

		if (bits > 0 && (bytes = gs_sort_scratch_bytes(bits, half_bytes / (bits / 8))) > most)
			most = bytes;
	}
	return most;
}

/* Tiles of a half, if all is to be within BUDGET: less scratch is enough for fewer. */
static size_t
tiles_within(const struct gs_gpu *device, size_t budget)
{
	const size_t tile_bytes = device->tile_bytes;
	size_t low = 0, high = budget / 2 / tile_bytes;

	while (low < high) {
		const size_t tiles = (low + high + 1) / 2;

		if (2 * tiles * tile_bytes + gs_engine_check_bytes(tiles) +
		    scratch_bytes(&device->options, tiles * tile_bytes) <= budget)
			low = tiles;
		else
			high = tiles - 1;
	}
	return low;
}

/* Bytes of a half: what the keys need, if that is known, within what may be used. */
static gs_status
half_bytes_wanted(struct gs_gpu *device, size_t *half_bytes)
{
	const struct gs_gpu_options *options = &device->options;
	const unsigned classes = class_count(options);
	size_t free_bytes, total_bytes, budget, tiles, needed;

	TRY_CUDA(cudaMemGetInfo(&free_bytes, &total_bytes), "asking for free GPU memory");
	budget = free_bytes / 100 *
	         (options->gpu_memory_percent > 0 ? options->gpu_memory_percent : PERCENT_DEFAULT);
	if (options->gpu_memory_bytes > 0 && options->gpu_memory_bytes < free_bytes)
		budget = options->gpu_memory_bytes;

	/* Several tiles a key class, or there is nothing to overlap. */
	while ((tiles = tiles_within(device, budget)) < 2 * classes &&
	       device->tile_bytes > LEAST_TILE_BYTES)
		device->tile_bytes /= 2;
	/* One more tile a key class than the keys fill: its last one is not full. */
	needed = options->hint_bytes / device->tile_bytes + 1 + classes;
	*half_bytes = (tiles < needed ? tiles : needed) * device->tile_bytes;
	return GS_OK;
}

static void
free_double_buffer(struct gs_gpu *device)
{
	(void)cudaFree(device->double_buffer[0]);
	(void)cudaFree(device->double_buffer[1]);
	(void)cudaFree(device->scratch);
	(void)cudaFree(device->found);
	device->double_buffer[0] = device->double_buffer[1] = NULL;
	device->scratch = NULL;
	device->found = NULL;
}

static gs_status
allocate_double_buffer(struct gs_gpu *device, size_t half_bytes)
{
	const size_t scratch = scratch_bytes(&device->options, half_bytes);
	const size_t checks = gs_engine_check_bytes(half_bytes / device->tile_bytes);

	TRY_CUDA(cudaMalloc((void **)&device->double_buffer[0], half_bytes), "allocating");
	TRY_CUDA(cudaMalloc((void **)&device->double_buffer[1], half_bytes), "allocating");
	TRY_CUDA(cudaMalloc(&device->scratch, scratch), "allocating");
	TRY_CUDA(cudaMalloc((void **)&device->found, checks), "allocating");
	device->work_done.memory_bytes = 2 * half_bytes + scratch + checks;
	return GS_OK;
}

/* Somebody else may take memory between the question and the allocation. */
static gs_status
get_double_buffer(struct gs_gpu *device)
{
	gs_status status = GS_EDEVMEM;
	size_t half_bytes;

	TRY(half_bytes_wanted(device, &half_bytes));
	while (half_bytes >= device->tile_bytes &&
	       (status = allocate_double_buffer(device, half_bytes)) == GS_EDEVMEM) {
		free_double_buffer(device);
		half_bytes /= 2;
		half_bytes -= half_bytes % device->tile_bytes;
	}
	if (status == GS_EDEVMEM)
		return gs_fail(GS_EDEVMEM, "out of GPU memory: at least %zu KiB are needed",
		               (2 * device->tile_bytes +
		                scratch_bytes(&device->options, device->tile_bytes) + 1023) >> 10);
	device->tiles_most = half_bytes / device->tile_bytes;
	return status;
}

static gs_status
get_streams(struct gs_gpu *device)
{
	TRY_CUDA(cudaStreamCreateWithFlags(&device->in, cudaStreamNonBlocking), "creating a stream");
	TRY_CUDA(cudaStreamCreateWithFlags(&device->work, cudaStreamNonBlocking), "creating a stream");
	TRY_CUDA(cudaStreamCreateWithFlags(&device->out, cudaStreamNonBlocking), "creating a stream");
	TRY_CUDA(cudaEventCreateWithFlags(&device->arrived, cudaEventDisableTiming),
	         "creating an event");
	TRY_CUDA(cudaEventCreate(&device->begun), "creating an event");
	TRY_CUDA(cudaEventCreate(&device->sorted), "creating an event");
	return GS_OK;
}

static gs_status
get_ring(struct gs_gpu *device)
{
	TRY(gs_pinned_open(&device->pinned, device->options.ring_tiles * device->tile_bytes));
	for (unsigned r = 0; r < device->options.ring_tiles; r++) {
		struct gs_buffer *buffer = &device->ring[r];

		buffer->host = device->pinned.memory + r * device->tile_bytes;
		TRY_CUDA(cudaEventCreate(&buffer->begun), "creating an event");
		TRY_CUDA(cudaEventCreateWithFlags(&buffer->copied, cudaEventBlockingSync),
		         "creating an event");
	}
	return GS_OK;
}

static gs_status
get_all(struct gs_gpu *device)
{
	const struct gs_gpu_options *options = &device->options;

	TRY(gs_cuda_find(options->gpu_index));
	TRY(gs_pinned_begin(&device->pinned, options->ring_tiles * device->tile_bytes));
	TRY(gs_cuda_choose(options->gpu_index, device->name, sizeof device->name));
	TRY(get_double_buffer(device));
	TRY(get_streams(device));
	TRY(get_ring(device));
	device->arrivals = calloc(device->tiles_most, sizeof *device->arrivals);
	device->checks = malloc(gs_engine_check_bytes(device->tiles_most));
	return device->arrivals != NULL && device->checks != NULL ? GS_OK
	       : gs_fail(GS_EBUDGET, "out of memory");
}

gs_status
gs_engine_open(struct gs_gpu **opened, const struct gs_gpu_options *options)
{
	struct gs_gpu *device = calloc(1, sizeof *device);
	gs_status status;

	assert(options->ring_tiles >= 2 && options->ring_tiles <= GS_RING_MOST);
	assert(options->ring_tiles > class_count(options));	/* one can always be taken */
	if (device == NULL)
		return gs_fail(GS_EBUDGET, "out of memory");
	device->options = *options;
	device->tile_bytes = options->tile_bytes;
	status = get_all(device);
	if (status == GS_OK)
		*opened = device;
	else
		gs_engine_close(device);
	return status;
}

void
gs_engine_close(struct gs_gpu *device)
{
	if (device == NULL)
		return;

	cudaStream_t streams[] = { device->in, device->work, device->out };
	cudaEvent_t events[] = { device->arrived, device->begun, device->sorted };

	/* Copies under way must not write to memory that is being freed. */
	for (unsigned s = 0; s < 3; s++)
		if (streams[s] != NULL)
			(void)cudaStreamSynchronize(streams[s]);
	for (unsigned r = 0; r < GS_RING_MOST; r++) {
		if (device->ring[r].begun != NULL)
			(void)cudaEventDestroy(device->ring[r].begun);
		if (device->ring[r].copied != NULL)
			(void)cudaEventDestroy(device->ring[r].copied);
	}
	for (unsigned e = 0; e < 3; e++) {
		if (events[e] != NULL)
			(void)cudaEventDestroy(events[e]);
		if (streams[e] != NULL)
			(void)cudaStreamDestroy(streams[e]);
	}
	gs_pinned_close(&device->pinned);
	free_double_buffer(device);
	free(device->arrivals);
	free(device->checks);
	free(device);
}
