// SPDX-License-Identifier: BSD-2-Clause
/*
 * backend_cuda.c - sort batches on a GPU: plain C over kernels/kernels.h
 *
 * Device memory is two double_buffer.  Tiles come through a ring of pinned buffers and lie in
 * the first half one behind the other, whatever key class they are of.  finish() brings the
 * tiles of each key class together, unless there is but one key class, and sorts each with the
 * same place of the other half to work in; drain() copies that back through the same
 * ring, a few spans ahead of whoever takes them.
 *
 *     first half     tiles as they came    a b a c a b ...
 *     second half    classes together      a a a b b c ...   (several classes only)
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
#include <string.h>

#include "kernels/kernels.h"
#include "gpu/cuda/engine_cuda.h"
#include "sort/checksum.h"

/* The two symbols that a loader of the module sees. */
#define MODULE_SYMBOL	__attribute__((visibility("default")))

enum { REGION_BYTES = 256 };	/* alignment of what is sorted: what cudaMalloc gives */

static const char *
describe(const struct gs_gpu *device)
{
	return device->name;
}

static uint64_t
batch_bytes(const struct gs_gpu *device)
{
	return (uint64_t)device->tiles_most * device->tile_bytes;
}

static void
tell_work(const struct gs_gpu *device, struct gs_gpu_work *work)
{
	*work = device->work_done;
}

/* ---- tiles in ----------------------------------------------------------- */

/* Wait until the last copy from or to BUFFER is done, and note its time. */
static gs_status
wait_for(struct gs_buffer *buffer, const char *doing)
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
copy(struct gs_buffer *buffer, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
     cudaStream_t stream, double *seconds, const char *doing)
{
	TRY_CUDA(cudaEventRecord(buffer->begun, stream), doing);
	TRY_CUDA(cudaMemcpyAsync(to, from, bytes, kind, stream), doing);
	TRY_CUDA(cudaEventRecord(buffer->copied, stream), doing);
	buffer->seconds = seconds;
	return GS_OK;
}

static gs_status
lend(struct gs_gpu *device, unsigned key_class, struct gs_staging *tile)
{
	struct gs_buffer *buffer;

	*tile = (struct gs_staging){
		.key_class = key_class, .key_bits = device->options.class_bits[key_class],
	};
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
commit(struct gs_gpu *device, const struct gs_staging *tile, uint64_t sum)
{
	const size_t at = (size_t)((char *)tile->keys - device->pinned.memory) / device->tile_bytes;
	const size_t bytes = tile->count * (tile->key_bits / 8);
	struct gs_buffer *buffer = &device->ring[at];

	assert(buffer->taken && tile->count <= tile->room);
	buffer->taken = false;
	device->tiles_promised--;
	if (tile->count == 0)
		return GS_OK;
	TRY(copy(buffer, device->double_buffer[0] + device->arrived_bytes, tile->keys, bytes,
	         cudaMemcpyHostToDevice, device->in, &device->work_done.h2d_seconds,
	         "copying a tile to it"));
	device->arrivals[device->tiles++] = (struct gs_arrival){ tile->key_class, bytes };
	device->arrived_bytes += bytes;
	device->sums[tile->key_class] += sum;
	return GS_OK;
}

/* ---- one order ---------------------------------------------------------- */

static size_t
spans_of(const struct gs_gpu *device, unsigned key_class)
{
	return (device->regions[key_class].bytes + device->tile_bytes - 1) / device->tile_bytes;
}

/* Where each key class will be; how many have keys. */
static unsigned
lay_out(struct gs_gpu *device)
{
	size_t end = 0, spans = 0;
	unsigned classes = 0;

	for (unsigned s = 0; s < GS_CLASSES; s++)
		device->regions[s] = (struct gs_region){ 0 };
	for (size_t t = 0; t < device->tiles; t++)
		device->regions[device->arrivals[t].key_class].bytes += device->arrivals[t].bytes;
	for (unsigned s = 0; s < GS_CLASSES; s++) {
		device->regions[s].at = end;
		device->regions[s].span = spans;
		spans += spans_of(device, s);
		end += (device->regions[s].bytes + REGION_BYTES - 1) / REGION_BYTES * REGION_BYTES;
		classes += device->regions[s].bytes > 0;
	}
	assert(end <= device->tiles_most * device->tile_bytes);
	return classes;
}

/* Copy tiles to their regions in the second half: 1 GiB in 0.5 ms, beside 20 on the bus. */
static gs_status
bring_together(struct gs_gpu *device)
{
	const char *from = device->double_buffer[0];
	size_t at[GS_CLASSES];

	for (unsigned s = 0; s < GS_CLASSES; s++)
		at[s] = device->regions[s].at;
	for (size_t t = 0; t < device->tiles; t++) {
		const struct gs_arrival *tile = &device->arrivals[t];

		TRY_CUDA(cudaMemcpyAsync(device->double_buffer[1] + at[tile->key_class], from, tile->bytes,
		                         cudaMemcpyDeviceToDevice, device->work),
		         "bringing tiles together");
		at[tile->key_class] += tile->bytes;
		from += tile->bytes;
	}
	return GS_OK;
}

/* Sort a key class, and look at what has come of it. */
static gs_status
sort_region(struct gs_gpu *device, unsigned key_class, unsigned half)
{
	const struct gs_region *region = &device->regions[key_class];
	const unsigned bits = device->options.class_bits[key_class];
	char *keys = device->double_buffer[half] + region->at;

	if (region->bytes == 0)
		return GS_OK;
	TRY_CUDA(gs_sort(keys, device->double_buffer[!half] + region->at, bits, region->bytes / (bits / 8),
	                 device->scratch, device->work), "sorting");
	TRY_CUDA(gs_check(keys, bits, region->bytes / (bits / 8), device->tile_bytes / (bits / 8),
	                  gs_checksum_salt(key_class), device->found + 1 + region->span, device->found,
	                  device->work), "checking its work");
	return GS_OK;
}

static gs_status
finish(struct gs_gpu *device)
{
	const unsigned half = lay_out(device) > 1;

	assert(device->tiles_promised == 0);
	assert(device->sorted_half == NULL);	/* sorting leaves nothing of the tiles */
	TRY_CUDA(cudaEventRecord(device->arrived, device->in), "sorting");
	TRY_CUDA(cudaStreamWaitEvent(device->work, device->arrived, 0), "sorting");
	TRY_CUDA(cudaEventRecord(device->begun, device->work), "sorting");
	if (half == 1)
		TRY(bring_together(device));
	TRY_CUDA(cudaMemsetAsync(device->found, 0, gs_engine_check_bytes(device->tiles_most), device->work),
	         "checking its work");
	for (unsigned s = 0; s < GS_CLASSES; s++)
		TRY(sort_region(device, s, half));
	TRY_CUDA(cudaEventRecord(device->sorted, device->work), "sorting");
	device->sorted_half = device->double_buffer[half];
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
prove_order(struct gs_gpu *device)
{
	const uint64_t *check = device->checks + 1;

	TRY_CUDA(cudaMemcpyAsync(device->checks, device->found, gs_engine_check_bytes(device->tiles_most),
	                         cudaMemcpyDeviceToHost, device->out), "checking its work");
	TRY_CUDA(cudaStreamSynchronize(device->out), "checking its work");
	if (device->checks[0] != 0)
		return wrong("it is out of order");
	for (unsigned s = 0; s < GS_CLASSES; s++) {
		uint64_t sum = 0;

		for (size_t n = spans_of(device, s); n > 0; n--)
			sum += *check++;
		if (sum != device->sums[s])
			return wrong("the keys that it sorted are not the keys that it was given");
	}
	return GS_OK;
}

/* ---- spans out ---------------------------------------------------------- */

/* Start copying the next span into the next buffer; nothing if all is on its way. */
static gs_status
copy_ahead(struct gs_gpu *device)
{
	const unsigned free_at = (device->ahead_first + device->ahead_count) % GS_RING_MOST;
	struct gs_buffer *buffer = &device->ring[device->ring_at];
	const struct gs_region *region = NULL;
	unsigned key_class = 0, bits;
	size_t bytes;

	for (; device->drain_class < GS_CLASSES; device->drain_class++, device->drain_at = 0) {
		key_class = device->options.descending_classes ? GS_CLASSES - 1 - device->drain_class
		                                            : device->drain_class;
		region = &device->regions[key_class];
		if (device->drain_at < region->bytes)
			break;
	}
	if (device->drain_class >= GS_CLASSES)
		return GS_OK;
	bits = device->options.class_bits[key_class];
	bytes = region->bytes - device->drain_at;
	if (bytes > device->tile_bytes)
		bytes = device->tile_bytes;
	TRY(copy(buffer, buffer->host, device->sorted_half + region->at + device->drain_at, bytes,
	         cudaMemcpyDeviceToHost, device->out, &device->work_done.d2h_seconds,
	         "copying sorted keys from it"));
	device->ahead[free_at] = (struct gs_copy_in_flight){
		.span = { .keys = buffer->host, .count = bytes / (bits / 8), .key_bits = bits,
		          .key_class = key_class },
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
begin_to_drain(struct gs_gpu *device)
{
	float ms;

	if (device->tiles > 0) {
		TRY_CUDA(cudaEventSynchronize(device->sorted), "sorting");
		TRY_CUDA(cudaEventElapsedTime(&ms, device->begun, device->sorted), "sorting");
		device->work_done.sort_seconds += ms / 1e3;
		TRY(prove_order(device));
	}
	device->draining = true;
	device->drain_class = 0;
	device->drain_at = 0;
	device->ring_at = 0;
	for (unsigned r = 0; r < device->options.ring_tiles; r++) {
		TRY(wait_for(&device->ring[r], "copying a tile to it"));
		TRY(copy_ahead(device));
	}
	return GS_OK;
}

static void
empty(struct gs_gpu *device)
{
	device->tiles = 0;
	device->arrived_bytes = 0;
	device->draining = false;
	device->sorted_half = NULL;
	memset(device->sums, 0, sizeof device->sums);
	(void)lay_out(device);		/* of nothing: who drains once more gets nothing */
}

static gs_status
drain(struct gs_gpu *device, struct gs_gpu_span *drained)
{
	const struct gs_copy_in_flight *next;

	if (device->draining)
		TRY(copy_ahead(device));	/* into what the borrower has just let go */
	else
		TRY(begin_to_drain(device));
	if (device->ahead_count == 0) {
		*drained = (struct gs_gpu_span){ .sum = 0 };
		empty(device);
		return GS_OK;
	}
	next = &device->ahead[device->ahead_first];
	TRY(wait_for(next->buffer, "copying sorted keys from it"));
	*drained = (struct gs_gpu_span){ next->span, next->sum };
	device->ahead_first = (device->ahead_first + 1) % GS_RING_MOST;
	device->ahead_count--;
	return GS_OK;
}

extern const struct gs_gpu_module gs_gpu_module;
extern const char gs_gpu_module_version[];

MODULE_SYMBOL const char gs_gpu_module_version[] = PACKAGE_VERSION;

MODULE_SYMBOL const struct gs_gpu_module gs_gpu_module = {
	.open = gs_engine_open,
	.describe = describe,
	.batch_bytes = batch_bytes,
	.lend = lend,
	.commit = commit,
	.finish = finish,
	.drain = drain,
	.work = tell_work,
	.close = gs_engine_close,
	.build = gs_cuda_build,
	.survey = gs_cuda_survey,
	.message = gs_message,
};
