// SPDX-License-Identifier: BSD-2-Clause
/*
 * backend_cuda.c - sort batches on a GPU: plain C over kernels/kernels.h
 *
 * Device memory is two halves.  Tiles come through a ring of pinned buffers and lie in
 * the first half one behind the other, whatever stream they are of.  finish() brings the
 * tiles of each stream together, unless there is but one stream, and sorts each with the
 * same place of the other half to work in; drain() copies that back through the same
 * ring, a few spans ahead of whoever takes them.
 *
 *     first half     tiles as they came    a b a c a b ...
 *     second half    streams together      a a a b b c ...   (several streams only)
 *
 * What must be sorted when the last tile has come takes a tenth of the time in which the
 * tiles crossed the bus: kernels/README.md has what was not worth to do earlier.
 *
 * Nothing is believed, from host to host.  Keys are summed up (checksum.h) in their tiles,
 * and again, span by span, when they are sorted, where their order is looked at, too; that is
 * compared before the first span goes out.  And each span must be what was looked at when it
 * has been copied.  So what drain() has given was right, whatever happens next.
 *
 * Invariant: tiles + tiles_promised <= tiles_most, of tile_bytes each.
 */
#include "config.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "kernels/kernels.h"
#include "sort/backend.h"
#include "sort/checksum.h"
#include "sort/cuda.h"

enum {
	RING_MOST = 8,
	LEAST_TILE_BYTES = 64 << 10,
	REGION_BYTES = 256,		/* alignment of what is sorted: what cudaMalloc gives */
	PERCENT_DEFAULT = 80,		/* of free memory: others may want some */
};

struct buffer {
	char        *host;	/* pinned, tile_bytes */
	cudaEvent_t  begun, copied;	/* the last copy from or to it */
	double      *seconds;	/* where that copy's time is to be added, or NULL */
	bool         taken;	/* by the caller, to fill */
};

/* A tile in the first half; the next one begins where it ends. */
struct arrival {
	unsigned stream;
	size_t   bytes;
};

/* A stream when all have arrived: its place in either half. */
struct region {
	size_t   at, bytes;
	size_t   span;		/* number of the first one, of all streams' */
};

struct gs_device {
	struct gs_backend_options options;
	char           name[256];
	size_t         tile_bytes;

	char          *halves[2];
	void          *scratch;
	struct gs_device_work work_done;

	struct arrival *arrivals;	/* room for tiles_most */
	size_t         tiles, tiles_promised, tiles_most;
	size_t         arrived_bytes;
	struct region  regions[GS_STREAMS];
	const char    *sorted_half;

	uint64_t       sums[GS_STREAMS];	/* of the keys that arrived */
	uint64_t      *found;		/* on the device: how often sorted keys fall, ... */
	uint64_t      *checks;		/* ... then the sum of each span; what of it came back */

	cudaStream_t   in, work, out;
	cudaEvent_t    arrived, begun, sorted;
	struct gs_pinned pinned;
	struct buffer  ring[RING_MOST];
	unsigned       ring_at;		/* next to take, or to copy out into */

	bool           draining;
	unsigned       drain_stream;	/* next span to copy: stream, in draining order */
	size_t         drain_at;	/*                    and byte */
	struct ahead {
		struct gs_span span;
		uint64_t       sum;	/* as it is on the device */
		struct buffer *buffer;
	} ahead[RING_MOST];		/* copies under way, oldest at ahead_first */
	unsigned       ahead_first, ahead_count;
	struct {			/* the last span that was drained */
		bool     any;
		unsigned stream;
		uint64_t key;		/* its last one */
	} last;
};

static unsigned
stream_count(const struct gs_backend_options *options)
{
	unsigned count = 0;

	for (unsigned s = 0; s < GS_STREAMS; s++)
		count += options->stream_bits[s] > 0;
	return count;
}

/* ---- opening ------------------------------------------------------------ */

/* For any stream, if it has all of a half. */
static size_t
scratch_bytes(const struct gs_backend_options *options, size_t half_bytes)
{
	size_t most = 0, bytes;

	for (unsigned s = 0; s < GS_STREAMS; s++) {
		const unsigned bits = options->stream_bits[s];

		if (bits > 0 && (bytes = gs_sort_scratch_bytes(bits, half_bytes / (bits / 8))) > most)
			most = bytes;
	}
	return most;
}

/* For so many tiles: spans are as long, but the last of each stream. */
static size_t
check_bytes(size_t tiles)
{
	return (1 + tiles + GS_STREAMS) * sizeof(uint64_t);
}

/* Tiles of a half, if all is to be within BUDGET: less scratch is enough for fewer. */
static size_t
tiles_within(const struct gs_device *device, size_t budget)
{
	const size_t tile_bytes = device->tile_bytes;
	size_t low = 0, high = budget / 2 / tile_bytes;

	while (low < high) {
		const size_t tiles = (low + high + 1) / 2;

		if (2 * tiles * tile_bytes + check_bytes(tiles) +
		    scratch_bytes(&device->options, tiles * tile_bytes) <= budget)
			low = tiles;
		else
			high = tiles - 1;
	}
	return low;
}

/* Bytes of a half: what the keys need, if that is known, within what may be used. */
static gs_status
half_bytes_wanted(struct gs_device *device, size_t *half_bytes)
{
	const struct gs_backend_options *options = &device->options;
	const unsigned streams = stream_count(options);
	size_t free_bytes, total_bytes, budget, tiles, needed;

	TRY_CUDA(cudaMemGetInfo(&free_bytes, &total_bytes), "asking for free GPU memory");
	budget = free_bytes / 100 *
	         (options->gpu_memory_percent > 0 ? options->gpu_memory_percent : PERCENT_DEFAULT);
	if (options->gpu_memory_bytes > 0 && options->gpu_memory_bytes < free_bytes)
		budget = options->gpu_memory_bytes;

	/* Several tiles a stream, or there is nothing to overlap. */
	while ((tiles = tiles_within(device, budget)) < 2 * streams &&
	       device->tile_bytes > LEAST_TILE_BYTES)
		device->tile_bytes /= 2;
	/* One more tile a stream than the keys fill: its last one is not full. */
	needed = options->hint_bytes / device->tile_bytes + 1 + streams;
	*half_bytes = (tiles < needed ? tiles : needed) * device->tile_bytes;
	return GS_OK;
}

static void
free_halves(struct gs_device *device)
{
	(void)cudaFree(device->halves[0]);
	(void)cudaFree(device->halves[1]);
	(void)cudaFree(device->scratch);
	(void)cudaFree(device->found);
	device->halves[0] = device->halves[1] = NULL;
	device->scratch = NULL;
	device->found = NULL;
}

static gs_status
allocate_halves(struct gs_device *device, size_t half_bytes)
{
	const size_t scratch = scratch_bytes(&device->options, half_bytes);
	const size_t checks = check_bytes(half_bytes / device->tile_bytes);

	TRY_CUDA(cudaMalloc((void **)&device->halves[0], half_bytes), "allocating");
	TRY_CUDA(cudaMalloc((void **)&device->halves[1], half_bytes), "allocating");
	TRY_CUDA(cudaMalloc(&device->scratch, scratch), "allocating");
	TRY_CUDA(cudaMalloc((void **)&device->found, checks), "allocating");
	device->work_done.memory_bytes = 2 * half_bytes + scratch + checks;
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
		               (2 * device->tile_bytes +
		                scratch_bytes(&device->options, device->tile_bytes) + 1023) >> 10);
	device->tiles_most = half_bytes / device->tile_bytes;
	return status;
}

static gs_status
get_streams(struct gs_device *device)
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
get_ring(struct gs_device *device)
{
	TRY(gs_pinned_open(&device->pinned, device->options.ring_tiles * device->tile_bytes));
	for (unsigned r = 0; r < device->options.ring_tiles; r++) {
		struct buffer *buffer = &device->ring[r];

		buffer->host = device->pinned.memory + r * device->tile_bytes;
		TRY_CUDA(cudaEventCreate(&buffer->begun), "creating an event");
		TRY_CUDA(cudaEventCreateWithFlags(&buffer->copied, cudaEventBlockingSync),
		         "creating an event");
	}
	return GS_OK;
}

static gs_status
get_all(struct gs_device *device)
{
	const struct gs_backend_options *options = &device->options;

	TRY(gs_cuda_find(options->gpu_index));
	TRY(gs_pinned_begin(&device->pinned, options->ring_tiles * device->tile_bytes));
	TRY(gs_cuda_choose(options->gpu_index, device->name, sizeof device->name));
	TRY(get_halves(device));
	TRY(get_streams(device));
	TRY(get_ring(device));
	device->arrivals = calloc(device->tiles_most, sizeof *device->arrivals);
	device->checks = malloc(check_bytes(device->tiles_most));
	return device->arrivals != NULL && device->checks != NULL ? GS_OK
	       : gs_fail(GS_EBUDGET, "out of memory");
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
	status = get_all(device);
	if (status == GS_OK)
		*opened = device;
	else
		close_device(device);
	return status;
}

static void
close_device(struct gs_device *device)
{
	if (device == NULL)
		return;

	cudaStream_t streams[] = { device->in, device->work, device->out };
	cudaEvent_t events[] = { device->arrived, device->begun, device->sorted };

	/* Copies under way must not write to memory that is being freed. */
	for (unsigned s = 0; s < 3; s++)
		if (streams[s] != NULL)
			(void)cudaStreamSynchronize(streams[s]);
	for (unsigned r = 0; r < RING_MOST; r++) {
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
	free_halves(device);
	free(device->arrivals);
	free(device->checks);
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
	return (uint64_t)device->tiles_most * device->tile_bytes;
}

static void
tell_work(const struct gs_device *device, struct gs_device_work *work)
{
	*work = device->work_done;
}

/* ---- tiles in ----------------------------------------------------------- */

/* Wait until the last copy from or to BUFFER is done, and note its time. */
static gs_status
wait_for(struct buffer *buffer, const char *doing)
{
	float ms;

	TRY_CUDA(cudaEventSynchronize(buffer->copied), doing);
	if (buffer->seconds != NULL) {
		TRY_CUDA(cudaEventElapsedTime(&ms, buffer->begun, buffer->copied), doing);
		*buffer->seconds += ms / 1e3;
		buffer->seconds = NULL;
	}
	return GS_OK;
}

static gs_status
copy(struct buffer *buffer, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
     cudaStream_t stream, double *seconds, const char *doing)
{
	TRY_CUDA(cudaEventRecord(buffer->begun, stream), doing);
	TRY_CUDA(cudaMemcpyAsync(to, from, bytes, kind, stream), doing);
	TRY_CUDA(cudaEventRecord(buffer->copied, stream), doing);
	buffer->seconds = seconds;
	return GS_OK;
}

static gs_status
take(struct gs_device *device, unsigned stream, struct gs_tile *tile)
{
	struct buffer *buffer;

	*tile = (struct gs_tile){ .stream = stream, .key_bits = device->options.stream_bits[stream] };
	if (device->tiles + device->tiles_promised == device->tiles_most)
		return GS_OK;		/* room 0: the batch is full */
	/* The opener's thread chose the device for itself alone. */
	TRY_CUDA(cudaSetDevice(device->options.gpu_index), "choosing the GPU");
	while (device->ring[device->ring_at].taken)
		device->ring_at = (device->ring_at + 1) % device->options.ring_tiles;
	buffer = &device->ring[device->ring_at];
	device->ring_at = (device->ring_at + 1) % device->options.ring_tiles;
	TRY(wait_for(buffer, "copying a tile to it"));
	buffer->taken = true;
	device->tiles_promised++;
	tile->keys = buffer->host;
	tile->room = device->tile_bytes / (tile->key_bits / 8);
	return GS_OK;
}

static gs_status
feed(struct gs_device *device, const struct gs_tile *tile)
{
	const size_t at = (size_t)((char *)tile->keys - device->pinned.memory) / device->tile_bytes;
	const size_t bytes = tile->count * (tile->key_bits / 8);
	struct buffer *buffer = &device->ring[at];

	assert(buffer->taken && tile->count <= tile->room);
	buffer->taken = false;
	device->tiles_promised--;
	if (tile->count == 0)
		return GS_OK;
	TRY(copy(buffer, device->halves[0] + device->arrived_bytes, tile->keys, bytes,
	         cudaMemcpyHostToDevice, device->in, &device->work_done.to_seconds,
	         "copying a tile to it"));
	device->arrivals[device->tiles++] = (struct arrival){ tile->stream, bytes };
	device->arrived_bytes += bytes;
	device->sums[tile->stream] += gs_checksum(device->options.threads, tile->stream,
	                                          tile->key_bits, tile->keys, tile->count,
	                                          false).sum;	/* beside the copy */
	return GS_OK;
}

/* ---- one order ---------------------------------------------------------- */

static size_t
spans_of(const struct gs_device *device, unsigned stream)
{
	return (device->regions[stream].bytes + device->tile_bytes - 1) / device->tile_bytes;
}

/* Where each stream will be; how many have keys. */
static unsigned
lay_out(struct gs_device *device)
{
	size_t end = 0, spans = 0;
	unsigned streams = 0;

	for (unsigned s = 0; s < GS_STREAMS; s++)
		device->regions[s] = (struct region){ 0 };
	for (size_t t = 0; t < device->tiles; t++)
		device->regions[device->arrivals[t].stream].bytes += device->arrivals[t].bytes;
	for (unsigned s = 0; s < GS_STREAMS; s++) {
		device->regions[s].at = end;
		device->regions[s].span = spans;
		spans += spans_of(device, s);
		end += (device->regions[s].bytes + REGION_BYTES - 1) / REGION_BYTES * REGION_BYTES;
		streams += device->regions[s].bytes > 0;
	}
	assert(end <= device->tiles_most * device->tile_bytes);
	return streams;
}

/* Copy tiles to their regions in the second half: 1 GiB in 0.5 ms, beside 20 on the bus. */
static gs_status
bring_together(struct gs_device *device)
{
	const char *from = device->halves[0];
	size_t at[GS_STREAMS];

	for (unsigned s = 0; s < GS_STREAMS; s++)
		at[s] = device->regions[s].at;
	for (size_t t = 0; t < device->tiles; t++) {
		const struct arrival *tile = &device->arrivals[t];

		TRY_CUDA(cudaMemcpyAsync(device->halves[1] + at[tile->stream], from, tile->bytes,
		                         cudaMemcpyDeviceToDevice, device->work),
		         "bringing tiles together");
		at[tile->stream] += tile->bytes;
		from += tile->bytes;
	}
	return GS_OK;
}

/* Sort a stream, and look at what has come of it. */
static gs_status
sort_region(struct gs_device *device, unsigned stream, unsigned half)
{
	const struct region *region = &device->regions[stream];
	const unsigned bits = device->options.stream_bits[stream];
	char *keys = device->halves[half] + region->at;

	if (region->bytes == 0)
		return GS_OK;
	TRY_CUDA(gs_sort(keys, device->halves[!half] + region->at, bits, region->bytes / (bits / 8),
	                 device->scratch, device->work), "sorting");
	TRY_CUDA(gs_check(keys, bits, region->bytes / (bits / 8), device->tile_bytes / (bits / 8),
	                  gs_checksum_salt(stream), device->found + 1 + region->span, device->found,
	                  device->work), "checking its work");
	return GS_OK;
}

static gs_status
finish(struct gs_device *device)
{
	const unsigned half = lay_out(device) > 1;

	assert(device->tiles_promised == 0);
	TRY_CUDA(cudaEventRecord(device->arrived, device->in), "sorting");
	TRY_CUDA(cudaStreamWaitEvent(device->work, device->arrived, 0), "sorting");
	TRY_CUDA(cudaEventRecord(device->begun, device->work), "sorting");
	if (half == 1)
		TRY(bring_together(device));
	TRY_CUDA(cudaMemsetAsync(device->found, 0, check_bytes(device->tiles_most), device->work),
	         "checking its work");
	for (unsigned s = 0; s < GS_STREAMS; s++)
		TRY(sort_region(device, s, half));
	TRY_CUDA(cudaEventRecord(device->sorted, device->work), "sorting");
	device->sorted_half = device->halves[half];
	return GS_OK;
}

/* ---- proof ---------------------------------------------------------------- */

static gs_status
wrong(const char *what)
{
	return gs_fail(GS_EDEVICE, "the GPU's result is wrong: %s", what);
}

/* What was sorted must be in order, and what arrived. */
static gs_status
prove_order(struct gs_device *device)
{
	const uint64_t *check = device->checks + 1;

	TRY_CUDA(cudaMemcpyAsync(device->checks, device->found, check_bytes(device->tiles_most),
	                         cudaMemcpyDeviceToHost, device->out), "checking its work");
	TRY_CUDA(cudaStreamSynchronize(device->out), "checking its work");
	if (device->checks[0] != 0)
		return wrong("it is out of order");
	for (unsigned s = 0; s < GS_STREAMS; s++) {
		uint64_t sum = 0;

		for (size_t n = spans_of(device, s); n > 0; n--)
			sum += *check++;
		if (sum != device->sums[s])
			return wrong("the keys that it sorted are not the keys that it was given");
	}
	return GS_OK;
}

/* What was copied must be what was looked at. */
static gs_status
prove_span(struct gs_device *device, const struct ahead *ahead)
{
	const struct gs_span *span = &ahead->span;
	const struct gs_checksum here = gs_checksum(device->options.threads, span->stream,
	                                            span->key_bits, span->keys, span->count, true);
	const bool follows = !device->last.any || device->last.stream != span->stream ||
	                     device->last.key <= gs_key_at(span->keys, span->key_bits, 0);

	if (here.falls || !follows || here.sum != ahead->sum)
		return wrong("sorted keys were copied wrongly");
	device->last.any = true;
	device->last.stream = span->stream;
	device->last.key = gs_key_at(span->keys, span->key_bits, span->count - 1);
	return GS_OK;
}

/* ---- spans out ---------------------------------------------------------- */

/* Start copying the next span into the next buffer; nothing if all is on its way. */
static gs_status
copy_ahead(struct gs_device *device)
{
	const unsigned free_at = (device->ahead_first + device->ahead_count) % RING_MOST;
	struct buffer *buffer = &device->ring[device->ring_at];
	const struct region *region = NULL;
	unsigned stream = 0, bits;
	size_t bytes;

	for (; device->drain_stream < GS_STREAMS; device->drain_stream++, device->drain_at = 0) {
		stream = device->options.descending_streams ? GS_STREAMS - 1 - device->drain_stream
		                                            : device->drain_stream;
		region = &device->regions[stream];
		if (device->drain_at < region->bytes)
			break;
	}
	if (device->drain_stream == GS_STREAMS)
		return GS_OK;
	bits = device->options.stream_bits[stream];
	bytes = region->bytes - device->drain_at;
	if (bytes > device->tile_bytes)
		bytes = device->tile_bytes;
	TRY(copy(buffer, buffer->host, device->sorted_half + region->at + device->drain_at, bytes,
	         cudaMemcpyDeviceToHost, device->out, &device->work_done.from_seconds,
	         "copying sorted keys from it"));
	device->ahead[free_at] = (struct ahead){
		.span = { .keys = buffer->host, .count = bytes / (bits / 8), .key_bits = bits,
		          .stream = stream },
		.sum = device->checks[1 + region->span + device->drain_at / device->tile_bytes],
		.buffer = buffer,
	};
	device->ahead_count++;
	device->drain_at += bytes;
	device->ring_at = (device->ring_at + 1) % device->options.ring_tiles;
	return GS_OK;
}

/* The sort is queued: wait for it, note the time, and begin to copy. */
static gs_status
begin_to_drain(struct gs_device *device)
{
	float ms;

	if (device->tiles > 0) {
		TRY_CUDA(cudaEventSynchronize(device->sorted), "sorting");
		TRY_CUDA(cudaEventElapsedTime(&ms, device->begun, device->sorted), "sorting");
		device->work_done.sort_seconds += ms / 1e3;
		TRY(prove_order(device));
	}
	device->draining = true;
	device->drain_stream = 0;
	device->drain_at = 0;
	device->ring_at = 0;
	for (unsigned r = 0; r < device->options.ring_tiles; r++) {
		TRY(wait_for(&device->ring[r], "copying a tile to it"));
		TRY(copy_ahead(device));
	}
	return GS_OK;
}

static void
empty(struct gs_device *device)
{
	device->tiles = 0;
	device->arrived_bytes = 0;
	device->draining = device->last.any = false;
	memset(device->sums, 0, sizeof device->sums);
	(void)lay_out(device);		/* of nothing: who drains once more gets nothing */
}

static gs_status
drain(struct gs_device *device, struct gs_span *span)
{
	const struct ahead *next;

	if (device->draining)
		TRY(copy_ahead(device));	/* into what the borrower has just let go */
	else
		TRY(begin_to_drain(device));
	if (device->ahead_count == 0) {
		*span = (struct gs_span){ .count = 0 };
		empty(device);
		return GS_OK;
	}
	next = &device->ahead[device->ahead_first];
	TRY(wait_for(next->buffer, "copying sorted keys from it"));
	TRY(prove_span(device, next));
	*span = next->span;
	device->ahead_first = (device->ahead_first + 1) % RING_MOST;
	device->ahead_count--;
	return GS_OK;
}

const struct gs_backend gs_backend_cuda;	/* declared for backend_list.c */
const struct gs_backend gs_backend_cuda = {
	.open = open_device,
	.describe = describe,
	.batch_bytes = batch_bytes,
	.take = take,
	.feed = feed,
	.finish = finish,
	.drain = drain,
	.work = tell_work,
	.close = close_device,
	.build = gs_cuda_build,
	.survey = gs_cuda_survey,
};
