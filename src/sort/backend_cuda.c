// SPDX-License-Identifier: BSD-2-Clause
/*
 * backend_cuda.c - sort batches on a GPU: plain C over kernels/kernels.h
 *
 * Device memory is two halves.  Tiles come through a ring of pinned buffers into
 * slots of the first half; each is sorted where it lies while the next ones
 * cross the bus:
 *
 *     stream "in"     copy tile 3     copy tile 4     ...
 *     stream "work"   sort tile 2     sort tile 3     ...     merge, merge, ...
 *     stream "out"                                              copy span 1 ...
 *
 * finish() merges the tiles pairwise, from one half to the other and back, until
 * each stream of keys is one piece; drain() copies that back through the same
 * ring, a few spans ahead of whoever takes them.
 *
 * Invariant: slots_used + slots_promised <= slots; a slot is as long as a tile.
 */
#include "config.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "kernels/kernels.h"
#include "sort/backend.h"

enum {
	RING_MOST = 8,
	LEAST_TILE_BYTES = 64 << 10,	/* a sorting block of either width fits */
	REGION_BYTES = 256,		/* alignment of pieces: what cudaMalloc gives */
	PERCENT_DEFAULT = 80,		/* of free memory: others may want some */
};

struct buffer {
	char        *host;	/* pinned, tile_bytes */
	cudaEvent_t  copied;	/* the last copy from or to it is done */
	bool         taken;	/* by the caller, to fill */
};

struct piece {			/* sorted keys in device memory */
	char   *keys;
	size_t  count;
};

struct pieces {
	struct piece *list;	/* room for a piece a slot */
	size_t        count;
};

struct gs_device {
	struct gs_backend_options options;
	char          name[256];
	size_t        tile_bytes;

	char         *halves[2];
	void         *scratch;		/* for merging */
	size_t        slots, slots_used, slots_promised;
	struct pieces pieces[GS_STREAMS];

	cudaStream_t  in, work, out;
	cudaEvent_t   sorted;
	char         *ring_memory;
	struct buffer ring[RING_MOST];
	unsigned      ring_at;		/* next to take, or to copy out into */

	bool          draining;
	unsigned      drain_stream;	/* next span to copy: stream, in draining order */
	size_t        drain_at;		/*                    and key */
	struct gs_span ahead[RING_MOST];	/* copies under way, oldest at ahead_first */
	unsigned      ahead_first, ahead_count;
};

/* CUDA says "insufficient" of a driver that is not there, too. */
static gs_status
no_driver(void)
{
	int version = 0;

	(void)cudaDriverGetVersion(&version);
	if (version == 0)
		return gs_fail(GS_ENODEV, "there is no NVIDIA driver on this machine");
	return gs_fail(GS_ENODEV, "the NVIDIA driver is too old: it knows CUDA %d.%d, gsort needs %d.%d",
	               version / 1000, version % 1000 / 10,
	               CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
}

/* What a device error means is decided here and nowhere else. */
static gs_status
from_cuda(cudaError_t error, const char *doing)
{
	switch (error) {
	case cudaSuccess:
		return GS_OK;
	case cudaErrorMemoryAllocation:		/* halve, or let the CPU do it */
		(void)cudaGetLastError();
		return gs_fail(GS_EDEVMEM, "%s: out of GPU memory", doing);
	case cudaErrorNoDevice:
		(void)cudaGetLastError();
		return gs_fail(GS_ENODEV, "%s", cudaGetErrorString(error));
	case cudaErrorInsufficientDriver:
		(void)cudaGetLastError();
		return no_driver();
	default:				/* the context is lost */
		return gs_fail(GS_EDEVICE, "the GPU failed while %s: %s; --device=cpu works without it",
		               doing, cudaGetErrorString(error));
	}
}

#define TRY_CUDA(call, doing)	TRY(from_cuda((call), (doing)))

static unsigned
stream_count(const struct gs_backend_options *options)
{
	unsigned count = 0;

	for (unsigned s = 0; s < GS_STREAMS; s++)
		count += options->stream_bits[s] > 0;
	return count;
}

static size_t
key_bytes(const struct gs_device *device, unsigned stream)
{
	return device->options.stream_bits[stream] / 8;
}

/* ---- opening ------------------------------------------------------------ */

static gs_status
choose(struct gs_device *device)
{
	const int index = device->options.gpu_index;
	struct cudaDeviceProp properties;
	int count;

	TRY_CUDA(cudaGetDeviceCount(&count), "looking for GPUs");
	if (index >= count)
		return gs_fail(GS_ENODEV, "there is no GPU %d: the last one is %d", index, count - 1);
	TRY_CUDA(cudaSetDevice(index), "choosing the GPU");
	TRY_CUDA(cudaGetDeviceProperties(&properties, index), "asking the GPU what it is");
	snprintf(device->name, sizeof device->name, "%s", properties.name);
	return GS_OK;
}

static size_t
merge_scratch_bytes(size_t half_bytes)
{
	const size_t narrow = gs_tile_merge_scratch_bytes(32, half_bytes / 4);
	const size_t wide   = gs_tile_merge_scratch_bytes(64, half_bytes / 8);

	return narrow > wide ? narrow : wide;
}

/* Bytes of a half: what the keys need, if that is known, within what may be used. */
static gs_status
half_bytes_wanted(struct gs_device *device, size_t *half_bytes)
{
	const struct gs_backend_options *options = &device->options;
	const unsigned streams = stream_count(options);
	size_t free_bytes, total_bytes, budget, scratch, half, needed;

	TRY_CUDA(cudaMemGetInfo(&free_bytes, &total_bytes), "asking for free GPU memory");
	budget = free_bytes / 100 *
	         (options->gpu_memory_percent > 0 ? options->gpu_memory_percent : PERCENT_DEFAULT);
	if (options->gpu_memory_bytes > 0 && options->gpu_memory_bytes < free_bytes)
		budget = options->gpu_memory_bytes;
	scratch = merge_scratch_bytes(budget / 2);
	half = budget > scratch ? (budget - scratch) / 2 : 0;

	/* Several tiles a stream, or there is nothing to overlap. */
	while (half / device->tile_bytes < 2 * streams && device->tile_bytes > LEAST_TILE_BYTES)
		device->tile_bytes /= 2;
	half -= half % device->tile_bytes;
	if (options->hint_bytes < half) {
		/* One more tile a stream than the keys fill: its last one is not full. */
		needed = (options->hint_bytes / device->tile_bytes + 1 + streams) * device->tile_bytes;
		if (needed < half)
			half = needed;
	}
	*half_bytes = half;
	return GS_OK;
}

static void
free_halves(struct gs_device *device)
{
	(void)cudaFree(device->halves[0]);
	(void)cudaFree(device->halves[1]);
	(void)cudaFree(device->scratch);
	device->halves[0] = device->halves[1] = NULL;
	device->scratch = NULL;
}

static gs_status
allocate_halves(struct gs_device *device, size_t half_bytes)
{
	TRY_CUDA(cudaMalloc((void **)&device->halves[0], half_bytes), "allocating");
	TRY_CUDA(cudaMalloc((void **)&device->halves[1], half_bytes), "allocating");
	TRY_CUDA(cudaMalloc(&device->scratch, merge_scratch_bytes(half_bytes)), "allocating");
	return GS_OK;
}

/* Somebody else may take memory between the question and the allocation. */
static gs_status
get_halves(struct gs_device *device)
{
	gs_status status = GS_EDEVMEM;
	size_t half_bytes;

	TRY(half_bytes_wanted(device, &half_bytes));
	while (half_bytes >= device->tile_bytes &&
	       (status = allocate_halves(device, half_bytes)) == GS_EDEVMEM) {
		free_halves(device);
		half_bytes /= 2;
		half_bytes -= half_bytes % device->tile_bytes;
	}
	if (status == GS_EDEVMEM)
		return gs_fail(GS_EDEVMEM, "out of GPU memory: at least %zu KiB are needed",
		               (2 * device->tile_bytes + merge_scratch_bytes(device->tile_bytes) +
		                1023) >> 10);
	device->slots = half_bytes / device->tile_bytes;
	return status;
}

static gs_status
get_ring(struct gs_device *device)
{
	TRY_CUDA(cudaHostAlloc((void **)&device->ring_memory,
	                       device->options.ring_tiles * device->tile_bytes,
	                       cudaHostAllocPortable), "pinning host memory");
	for (unsigned r = 0; r < device->options.ring_tiles; r++) {
		device->ring[r].host = device->ring_memory + r * device->tile_bytes;
		TRY_CUDA(cudaEventCreateWithFlags(&device->ring[r].copied, cudaEventDisableTiming |
		                                  cudaEventBlockingSync), "creating an event");
	}
	return GS_OK;
}

static gs_status
get_streams(struct gs_device *device)
{
	TRY_CUDA(cudaStreamCreateWithFlags(&device->in, cudaStreamNonBlocking), "creating a stream");
	TRY_CUDA(cudaStreamCreateWithFlags(&device->work, cudaStreamNonBlocking), "creating a stream");
	TRY_CUDA(cudaStreamCreateWithFlags(&device->out, cudaStreamNonBlocking), "creating a stream");
	TRY_CUDA(cudaEventCreateWithFlags(&device->sorted, cudaEventDisableTiming),
	         "creating an event");
	return GS_OK;
}

static gs_status
get_lists(struct gs_device *device)
{
	for (unsigned s = 0; s < GS_STREAMS; s++) {
		if (device->options.stream_bits[s] == 0)
			continue;
		device->pieces[s].list = calloc(device->slots, sizeof *device->pieces[s].list);
		if (device->pieces[s].list == NULL)
			return gs_fail(GS_EBUDGET, "out of memory");
	}
	return GS_OK;
}

static void close_device(struct gs_device *device);

static gs_status
open_device(struct gs_device **opened, const struct gs_backend_options *options)
{
	struct gs_device *device = calloc(1, sizeof *device);
	gs_status status;

	assert(options->ring_tiles >= 2 && options->ring_tiles <= RING_MOST);
	assert(options->ring_tiles > stream_count(options));	/* one can always be taken */
	if (device == NULL)
		return gs_fail(GS_EBUDGET, "out of memory");
	device->options = *options;
	device->tile_bytes = options->tile_bytes;
	if ((status = choose(device)) != GS_OK ||
	    (status = get_halves(device)) != GS_OK ||
	    (status = get_streams(device)) != GS_OK ||
	    (status = get_ring(device)) != GS_OK ||
	    (status = get_lists(device)) != GS_OK) {
		close_device(device);
		return status;
	}
	*opened = device;
	return GS_OK;
}

static void
close_device(struct gs_device *device)
{
	if (device == NULL)
		return;
	/* Copies under way must not write to memory that is being freed. */
	if (device->in != NULL)
		(void)cudaStreamSynchronize(device->in);
	if (device->work != NULL)
		(void)cudaStreamSynchronize(device->work);
	if (device->out != NULL)
		(void)cudaStreamSynchronize(device->out);
	for (unsigned r = 0; r < RING_MOST; r++)
		if (device->ring[r].copied != NULL)
			(void)cudaEventDestroy(device->ring[r].copied);
	if (device->sorted != NULL)
		(void)cudaEventDestroy(device->sorted);
	if (device->in != NULL)
		(void)cudaStreamDestroy(device->in);
	if (device->work != NULL)
		(void)cudaStreamDestroy(device->work);
	if (device->out != NULL)
		(void)cudaStreamDestroy(device->out);
	(void)cudaFreeHost(device->ring_memory);
	free_halves(device);
	for (unsigned s = 0; s < GS_STREAMS; s++)
		free(device->pieces[s].list);
	free(device);
}

static const char *
describe(const struct gs_device *device)
{
	return device->name;
}

static uint64_t
batch_bytes(const struct gs_device *device)
{
	return (uint64_t)device->slots * device->tile_bytes;
}

/* ---- tiles in ----------------------------------------------------------- */

static gs_status
take(struct gs_device *device, unsigned stream, struct gs_tile *tile)
{
	struct buffer *buffer;

	*tile = (struct gs_tile){ .stream = stream, .key_bits = device->options.stream_bits[stream] };
	if (device->slots_used + device->slots_promised == device->slots)
		return GS_OK;		/* room 0: the batch is full */
	/* The opener's thread chose the device for itself alone. */
	TRY_CUDA(cudaSetDevice(device->options.gpu_index), "choosing the GPU");
	while (device->ring[device->ring_at].taken)
		device->ring_at = (device->ring_at + 1) % device->options.ring_tiles;
	buffer = &device->ring[device->ring_at];
	device->ring_at = (device->ring_at + 1) % device->options.ring_tiles;
	TRY_CUDA(cudaEventSynchronize(buffer->copied), "copying a tile to it");
	buffer->taken = true;
	device->slots_promised++;
	tile->keys = buffer->host;
	tile->room = device->tile_bytes / key_bytes(device, stream);
	return GS_OK;
}

static gs_status
feed(struct gs_device *device, const struct gs_tile *tile)
{
	const size_t at = (size_t)((char *)tile->keys - device->ring_memory) / device->tile_bytes;
	struct buffer *buffer = &device->ring[at];
	struct pieces *pieces = &device->pieces[tile->stream];
	char *slot = device->halves[0] + device->slots_used * device->tile_bytes;

	assert(buffer->taken && tile->count <= tile->room);
	buffer->taken = false;
	device->slots_promised--;
	if (tile->count == 0)
		return GS_OK;
	assert(gs_tile_room(tile->key_bits, tile->count) <= tile->room);
	pieces->list[pieces->count++] = (struct piece){ slot, tile->count };
	device->slots_used++;
	TRY_CUDA(cudaMemcpyAsync(slot, tile->keys, tile->count * (tile->key_bits / 8),
	                         cudaMemcpyHostToDevice, device->in), "copying a tile to it");
	TRY_CUDA(cudaEventRecord(buffer->copied, device->in), "copying a tile to it");
	TRY_CUDA(cudaStreamWaitEvent(device->work, buffer->copied, 0), "sorting a tile");
	TRY_CUDA(gs_tile_sort(slot, tile->key_bits, tile->count, device->work), "sorting a tile");
	return GS_OK;
}

/* ---- one order ---------------------------------------------------------- */

/*
 * Merge PIECES pairwise to consecutive places from TO on; an odd last one is
 * copied, so that afterwards all are in the same half.
 */
static gs_status
merge_round(struct gs_device *device, unsigned stream, char *to)
{
	struct pieces *pieces = &device->pieces[stream];
	size_t merged = 0;

	for (size_t p = 0; p < pieces->count; p += 2) {
		const struct piece a = pieces->list[p];
		const struct piece b = p + 1 < pieces->count ? pieces->list[p + 1]
		                                             : (struct piece){ a.keys, 0 };

		TRY_CUDA(gs_tile_merge(to, a.keys, a.count, b.keys, b.count,
		                       device->options.stream_bits[stream], device->scratch,
		                       device->work), "merging tiles");
		pieces->list[merged++] = (struct piece){ to, a.count + b.count };
		to += (a.count + b.count) * key_bytes(device, stream);
	}
	pieces->count = merged;
	return GS_OK;
}

/*
 * In the first half the slots of several streams are mixed, so all streams make
 * their first round together.  From then on each has a region of its own, at the
 * same place in both halves.
 */
static gs_status
finish(struct gs_device *device)
{
	size_t region_at[GS_STREAMS], end = 0;
	bool merge = false;

	assert(device->slots_promised == 0);
	for (unsigned s = 0; s < GS_STREAMS; s++)
		merge |= device->pieces[s].count > 1;
	for (unsigned s = 0; s < GS_STREAMS && merge; s++) {
		size_t keys = 0;

		region_at[s] = end;
		for (size_t p = 0; p < device->pieces[s].count; p++)
			keys += device->pieces[s].list[p].count;
		if (keys == 0)
			continue;
		TRY(merge_round(device, s, device->halves[1] + end));
		end += (keys * key_bytes(device, s) + REGION_BYTES - 1) / REGION_BYTES * REGION_BYTES;
	}
	assert(end <= device->slots * device->tile_bytes);
	for (unsigned s = 0; s < GS_STREAMS && merge; s++)
		for (unsigned half = 0; device->pieces[s].count > 1; half ^= 1)
			TRY(merge_round(device, s, device->halves[half] + region_at[s]));
	TRY_CUDA(cudaEventRecord(device->sorted, device->work), "merging tiles");
	return GS_OK;
}

/* ---- spans out ---------------------------------------------------------- */

/* Start copying the next span into the next buffer; nothing if all is on its way. */
static gs_status
copy_ahead(struct gs_device *device)
{
	const size_t wanted_bytes = device->tile_bytes;
	const struct piece *piece = NULL;
	struct buffer *buffer = &device->ring[device->ring_at];
	struct gs_span span = { .keys = buffer->host };

	for (; device->drain_stream < GS_STREAMS; device->drain_stream++, device->drain_at = 0) {
		span.stream = device->options.descending_streams ?
		              GS_STREAMS - 1 - device->drain_stream : device->drain_stream;
		piece = device->pieces[span.stream].list;
		if (device->pieces[span.stream].count > 0 && device->drain_at < piece->count)
			break;
	}
	if (device->drain_stream == GS_STREAMS)
		return GS_OK;
	span.key_bits = device->options.stream_bits[span.stream];
	span.count = wanted_bytes / (span.key_bits / 8);
	if (span.count > piece->count - device->drain_at)
		span.count = piece->count - device->drain_at;
	TRY_CUDA(cudaMemcpyAsync(buffer->host, piece->keys + device->drain_at * (span.key_bits / 8),
	                         span.count * (span.key_bits / 8), cudaMemcpyDeviceToHost,
	                         device->out), "copying sorted keys from it");
	TRY_CUDA(cudaEventRecord(buffer->copied, device->out), "copying sorted keys from it");
	device->ahead[(device->ahead_first + device->ahead_count++) % RING_MOST] = span;
	device->drain_at += span.count;
	device->ring_at = (device->ring_at + 1) % device->options.ring_tiles;
	return GS_OK;
}

static void
empty(struct gs_device *device)
{
	for (unsigned s = 0; s < GS_STREAMS; s++)
		device->pieces[s].count = 0;
	device->slots_used = 0;
	device->draining = false;
}

static gs_status
drain(struct gs_device *device, struct gs_span *span)
{
	if (!device->draining) {
		device->draining = true;
		device->drain_stream = 0;
		device->drain_at = 0;
		device->ring_at = 0;
		TRY_CUDA(cudaStreamWaitEvent(device->out, device->sorted, 0), "sorting");
		for (unsigned r = 0; r < device->options.ring_tiles; r++)
			TRY(copy_ahead(device));
	} else {
		TRY(copy_ahead(device));	/* into what the borrower has just let go */
	}
	if (device->ahead_count == 0) {
		*span = (struct gs_span){ .count = 0 };
		empty(device);
		return GS_OK;
	}
	*span = device->ahead[device->ahead_first];
	device->ahead_first = (device->ahead_first + 1) % RING_MOST;
	device->ahead_count--;
	for (unsigned r = 0; r < device->options.ring_tiles; r++)
		if (device->ring[r].host == span->keys)
			TRY_CUDA(cudaEventSynchronize(device->ring[r].copied),
			         "sorting or copying sorted keys from it");
	return GS_OK;
}

const struct gs_backend gs_backend_cuda;	/* declared for backend_list.c */
/* ---- for gsort --info and --version -v ---------------------------------------- */

static void
build(char *into, size_t bytes)
{
	snprintf(into, bytes, "CUDA runtime %d.%d, " GS_CUDA_ARCH, CUDART_VERSION / 1000,
	         CUDART_VERSION % 1000 / 10);
}

/* One GPU, or why it cannot be used. */
static gs_status
survey_gpu(int index, char *line, size_t bytes)
{
	struct cudaDeviceProp properties;
	size_t free_bytes, total_bytes;

	TRY_CUDA(cudaGetDeviceProperties(&properties, index), "asking the GPU what it is");
	TRY_CUDA(cudaSetDevice(index), "choosing the GPU");
	TRY_CUDA(cudaMemGetInfo(&free_bytes, &total_bytes), "asking for free GPU memory");
	snprintf(line, bytes, "gpu:%d    %s, sm_%d%d, %.1f GiB, %.1f GiB free", index,
	         properties.name, properties.major, properties.minor,
	         (double)total_bytes / (1 << 30), (double)free_bytes / (1 << 30));
	return GS_OK;
}

static void
survey(void (*tell)(void *context, const char *line), void *context)
{
	char line[1200];
	int count = 0, driver = 0;

	if (from_cuda(cudaGetDeviceCount(&count), "looking for GPUs") != GS_OK) {
		snprintf(line, sizeof line, "gpu      none: %s", gs_message());
		tell(context, line);
		return;
	}
	(void)cudaDriverGetVersion(&driver);
	snprintf(line, sizeof line, "driver   CUDA %d.%d", driver / 1000, driver % 1000 / 10);
	tell(context, line);
	for (int g = 0; g < count; g++) {
		if (survey_gpu(g, line, sizeof line) != GS_OK)
			snprintf(line, sizeof line, "gpu:%d    not usable: %s", g, gs_message());
		tell(context, line);
	}
}

const struct gs_backend gs_backend_cuda = {
	.open = open_device,
	.describe = describe,
	.batch_bytes = batch_bytes,
	.take = take,
	.feed = feed,
	.finish = finish,
	.drain = drain,
	.close = close_device,
	.build = build,
	.survey = survey,
};
