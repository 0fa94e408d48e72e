// SPDX-License-Identifier: BSD-2-Clause
/*
 * worker.c - the thread that works the GPU: batches in, slices out
 *
 * Arrivals, the keys of a staging buffer each, lie in a buffer of the GPU one behind the other,
 * whatever class they are of.  When a batch is full, or at the end, those of each class are brought
 * together, unless there is but one class, and each is sorted with the same place of the other
 * buffer to work in:
 *
 *     one buffer     keys as they came     a b a c a b ...
 *     the other      classes together      a a a b b c ...   (several classes only)
 *
 * Then the batch goes to host memory while the next one comes into the other buffer: both
 * directions of the bus at once.  A slice is gathered while the one before it is sent.
 *
 * Nothing is believed, from host to host.  Keys were summed as they came; a batch must have the
 * same sum when it is sorted, and be in order.  A slice must have the sum of its pieces, which
 * follows from the sums of the batches' blocks.  Keys that are sent have the sum of their
 * buffer with them.
 */
#include <assert.h>
#include <string.h>

#include "gpu/cuda/device.h"
#include "kernels/kernels.h"
#include "sort/checksum.h"

/* Keys of one class of a batch: their place in either buffer. */
struct region {
	size_t at, bytes;
	size_t block;		/* number of its first one, of all classes' */
};

/* What a worker is asked, among its filled buffers; and the answer. */
static char tasks[GS_WORKER_TASKS], done;

static gs_status
closed(void)
{
	return gs_fail(GS_EDEVICE, "the GPU was closed");
}

/* ---- keys in ------------------------------------------------------------------- */

static size_t
blocks_of(const struct gs_device *device, const struct region *region, unsigned key_class)
{
	const unsigned bits = device->options->class_bits[key_class];

	return bits == 0 ? 0 : gs_run_blocks(region->bytes / (bits / 8));
}

/* Where each class will be; *BLOCKS: in all.  Returns how many classes have keys. */
static unsigned
lay_out(const struct gs_device *device, struct region *regions, size_t *blocks)
{
	size_t end = 0;
	unsigned classes = 0;

	*blocks = 0;
	for (size_t a = 0; a < device->arrivals.count; a++)
		regions[device->arrivals.list[a].key_class].bytes += device->arrivals.list[a].bytes;
	for (unsigned c = 0; c < GS_CLASSES; c++) {
		regions[c].at = end;
		regions[c].block = *blocks;
		*blocks += blocks_of(device, &regions[c], c);
		end += (regions[c].bytes + GS_DEVICE_ALIGN - 1) / GS_DEVICE_ALIGN * GS_DEVICE_ALIGN;
		classes += regions[c].bytes > 0;
	}
	assert(end <= device->buffer_bytes);
	return classes;
}

/* Copy arrivals to their regions in the other buffer: 1 GiB in 0.5 ms, beside 20 on the bus. */
static gs_status
bring_together(struct gs_device *device, const struct region *regions, char *to)
{
	const char *from = device->buffers[device->arrivals.buffer];
	size_t at[GS_CLASSES];

	for (unsigned c = 0; c < GS_CLASSES; c++)
		at[c] = regions[c].at;
	for (size_t a = 0; a < device->arrivals.count; a++) {
		const struct gs_device_arrival *arrival = &device->arrivals.list[a];

		TRY_CUDA(cudaMemcpyAsync(to + at[arrival->key_class], from, arrival->bytes,
		                         cudaMemcpyDeviceToDevice, device->work),
		         "bringing keys together");
		at[arrival->key_class] += arrival->bytes;
		from += arrival->bytes;
	}
	return GS_OK;
}

/* Copy what was found to the host, and wait for it. */
static gs_status
fetch_checks(struct gs_device *device, size_t count)
{
	TRY_CUDA(cudaMemcpyAsync(device->checks, device->found, count * sizeof *device->found,
	                         cudaMemcpyDeviceToHost, device->work), "checking its work");
	TRY_CUDA(cudaStreamSynchronize(device->work), "checking its work");
	return device->checks[0] == 0 ? GS_OK : gs_gpu_wrong("it is out of order");
}

/* The runs of a batch in memory at KEYS, of the GPU or not. */
static gs_status
add_runs(struct gs_worker *worker, const struct region *regions, size_t blocks, char *keys,
         struct gs_device *on_device)
{
	const struct gs_device *device = &worker->device;

	for (unsigned c = 0; c < GS_CLASSES; c++) {
		const unsigned bits = device->options->class_bits[c];
		const uint64_t *sums = device->checks + 1 + regions[c].block;
		struct gs_gpu_run run = {
			.key_class = c, .bits = bits, .keys = keys + regions[c].at, .device = on_device,
		};

		if (regions[c].bytes == 0)
			continue;
		run.count = regions[c].bytes / (bits / 8);
		TRY(gs_gpu_runs_add(worker->runs, &run, sums, sums + blocks));
		if (on_device == NULL)
			gs_resident_need(worker->resident, run.keys, regions[c].bytes, true);
	}
	return GS_OK;
}

/* Copy a batch of BYTES to host memory, while the next one arrives. */
static gs_status
evacuate(struct gs_worker *worker, char *to, const char *from, size_t bytes)
{
	struct gs_device *device = &worker->device;

	TRY(gs_timed_wait(device, &device->left, "copying sorted keys from it"));
	TRY(gs_timed_begin(&device->left, device->out, &device->work_done.d2h_seconds));
	while (bytes > 0) {
		const size_t piece = gs_resident_piece(worker->resident, to, bytes);

		TRY_CUDA(cudaMemcpyAsync(to, from, piece, cudaMemcpyDeviceToHost, device->out),
		         "copying sorted keys from it");
		to += piece;
		from += piece;
		bytes -= piece;
	}
	return gs_timed_end(&device->left, device->out);
}

/* Sort what has arrived into runs: on the GPU, if it is the last batch, else in host memory. */
static gs_status
sort_batch(struct gs_worker *worker, bool last)
{
	struct gs_device *device = &worker->device;
	struct region regions[GS_CLASSES] = { { 0 } };
	size_t blocks;
	const unsigned classes = lay_out(device, regions, &blocks);
	const unsigned half = classes > 1 ? !device->arrivals.buffer : device->arrivals.buffer;
	char *sorted = device->buffers[half];

	if (classes == 0)
		return GS_OK;
	TRY_CUDA(cudaEventRecord(device->arrived, device->in), "sorting");
	TRY_CUDA(cudaStreamWaitEvent(device->work, device->arrived, 0), "sorting");
	TRY_CUDA(cudaStreamWaitEvent(device->work, device->left.done, 0), "sorting");
	TRY(gs_timed_begin(&device->sorted, device->work, &device->work_done.sort_seconds));
	if (classes > 1)
		TRY(bring_together(device, regions, sorted));
	TRY_CUDA(cudaMemsetAsync(device->found, 0, (1 + blocks) * sizeof *device->found,
	                         device->work), "checking its work");
	/* sort each class, and look at what has come of it */
	for (unsigned c = 0; c < GS_CLASSES; c++) {
		const unsigned bits = device->options->class_bits[c];
		char *const keys = sorted + regions[c].at;
		uint64_t *const sums = device->found + 1 + regions[c].block;
		size_t count;

		if (regions[c].bytes == 0)
			continue;
		count = regions[c].bytes / (bits / 8);
		TRY_CUDA(gs_sort(&device->sorter, keys, device->buffers[!half] + regions[c].at, bits,
		                 (struct gs_key_map){ 0 }, count, device->scratch, device->work), "sorting");
		TRY_CUDA(gs_check(keys, bits, count, GS_BLOCK_KEYS, gs_checksum_salt(c), sums,
		                  device->found, device->work), "checking its work");
		TRY_CUDA(gs_block_firsts(keys, bits, count, GS_BLOCK_KEYS, sums + blocks, device->work),
		         "checking its work");
	}
	TRY(gs_timed_end(&device->sorted, device->work));
	/* what was sorted must be in order, and what arrived */
	TRY(fetch_checks(device, 1 + 2 * blocks));
	for (unsigned c = 0; c < GS_CLASSES; c++) {
		uint64_t sum = 0;

		for (size_t b = 0; b < blocks_of(device, &regions[c], c); b++)
			sum += device->checks[1 + regions[c].block + b];
		if (sum != device->arrivals.sums[c])
			return gs_gpu_wrong("the keys that it sorted are not the keys that it was given");
	}
	TRY(gs_timed_wait(device, &device->sorted, "sorting"));
	if (last) {
		TRY(add_runs(worker, regions, blocks, sorted, device));
	} else {
		char *slot = gs_resident_take(worker->resident);

		TRY(add_runs(worker, regions, blocks, slot, NULL));
		TRY(evacuate(worker, slot, sorted, regions[GS_CLASSES - 1].at +
		                                   regions[GS_CLASSES - 1].bytes));
	}
	pthread_mutex_lock(&device->lock);
	device->work_done.batches++;
	pthread_mutex_unlock(&device->lock);
	device->arrivals.buffer = !half;
	return GS_OK;
}

static void
begin_batch(struct gs_device *device)
{
	device->arrivals.count = 0;
	device->arrivals.bytes = 0;
	memset(device->arrivals.sums, 0, sizeof device->arrivals.sums);
}

/* Copy the keys of a staging buffer to the GPU. */
static gs_status
take_keys(struct gs_worker *worker, struct gs_ring_buffer *buffer)
{
	struct gs_device *device = &worker->device;
	const size_t bytes = buffer->count * (buffer->bits / 8);

	if (device->arrivals.count == device->arrivals.most) {
		TRY(sort_batch(worker, false));
		begin_batch(device);
	}
	TRY(gs_timed_begin(&buffer->copied, device->in, &device->work_done.h2d_seconds));
	TRY_CUDA(cudaMemcpyAsync(device->buffers[device->arrivals.buffer] + device->arrivals.bytes,
	                         buffer->host, bytes, cudaMemcpyHostToDevice, device->in),
	         "copying keys to it");
	TRY(gs_timed_end(&buffer->copied, device->in));
	device->arrivals.list[device->arrivals.count++] = (struct gs_device_arrival){
		buffer->key_class, bytes
	};
	device->arrivals.bytes += bytes;
	device->arrivals.sums[buffer->key_class] += buffer->sum;
	return gs_queue_give(&worker->free, buffer) ? GS_OK : closed();
}

/* ---- slices out ---------------------------------------------------------------- */

/* The two places of slices, and a third for sorting, in the buffer without runs. */
static char *
place(struct gs_device *device, unsigned at)
{
	return device->buffers[device->arrivals.buffer] + at * gs_device_slice_bytes(device);
}

/* Begin to bring the pieces of a slice to the GPU, when the one in its place has left. */
static gs_status
gather(struct gs_worker *worker, const struct gs_gpu_slice *slice, unsigned at)
{
	struct gs_device *device = &worker->device;
	const size_t key_bytes = slice->bits / 8;
	char *to = place(device, at);

	if (slice->sorted)
		return GS_OK;
	TRY(gs_timed_wait(device, &device->slices[at].gathered, "gathering sorted keys"));
	TRY_CUDA(cudaStreamWaitEvent(device->in, device->slices[at].sent, 0), "gathering sorted keys");
	TRY(gs_timed_begin(&device->slices[at].gathered, device->in, &device->work_done.h2d_seconds));
	for (size_t p = 0; p < slice->piece_count; p++) {
		const struct gs_gpu_piece *piece = &slice->pieces[p];
		const bool here = piece->run->device != NULL;
		const char *from = piece->run->keys + piece->from * key_bytes;
		size_t bytes = piece->count * key_bytes;

		for (size_t part; bytes > 0; to += part, from += part, bytes -= part) {
			part = here ? bytes : gs_resident_piece(worker->resident, from, bytes);
			TRY_CUDA(cudaMemcpyAsync(to, from, part, here ? cudaMemcpyDeviceToDevice
			                                              : cudaMemcpyHostToDevice, device->in),
			         "gathering sorted keys");
		}
	}
	assert(to <= place(device, at + 1));
	return gs_timed_end(&device->slices[at].gathered, device->in);
}

/* Sort a slice; it must be in order, and have the keys of its pieces. */
static gs_status
sort_slice(struct gs_worker *worker, const struct gs_gpu_slice *slice, unsigned at)
{
	struct gs_device *device = &worker->device;
	const size_t span_keys = device->staging_bytes / (slice->bits / 8);
	const size_t spans = (slice->count + span_keys - 1) / span_keys;
	uint64_t sum = 0;

	if (slice->sorted)
		return GS_OK;
	TRY_CUDA(cudaStreamWaitEvent(device->work, device->slices[at].gathered.done, 0), "sorting");
	TRY_CUDA(cudaMemsetAsync(device->found, 0, (1 + spans) * sizeof *device->found,
	                         device->work), "checking its work");
	TRY(gs_timed_begin(&device->sorted, device->work, &device->work_done.sort_seconds));
	TRY_CUDA(gs_sort(&device->sorter, place(device, at), place(device, 2), slice->bits,
	                 (struct gs_key_map){ 0 }, slice->count, device->scratch, device->work), "sorting");
	TRY_CUDA(gs_check(place(device, at), slice->bits, slice->count, span_keys,
	                  gs_checksum_salt(slice->key_class), device->found + 1, device->found,
	                  device->work), "checking its work");
	TRY(gs_timed_end(&device->sorted, device->work));
	TRY(fetch_checks(device, 1 + spans));
	TRY(gs_timed_wait(device, &device->sorted, "sorting"));
	for (size_t s = 0; s < spans; s++)
		sum += device->checks[1 + s];
	return sum == slice->sum ? GS_OK
	       : gs_gpu_wrong("the keys that it sorted are not the keys that it was given");
}

/* The checksum of keys of a slice, whole buffers but for the last one. */
static uint64_t
sum_of(const struct gs_device *device, const struct gs_gpu_slice *slice, size_t from, size_t count)
{
	const size_t span_keys = device->staging_bytes / (slice->bits / 8);
	uint64_t sum = 0;

	if (!slice->sorted)
		return device->checks[1 + from / span_keys];
	if (count == slice->count)
		return slice->sum;
	assert(slice->pieces[0].from == 0);	/* blocks are whole, but for the last one */
	for (size_t b = from / GS_BLOCK_KEYS; b < gs_run_blocks(from + count); b++)
		sum += slice->pieces[0].run->sums[b];
	return sum;
}

/* Send sorted keys, buffer by buffer. */
static gs_status
send(struct gs_worker *worker, const struct gs_gpu_slice *slice, unsigned at)
{
	struct gs_device *device = &worker->device;
	const size_t key_bytes = slice->bits / 8, most = device->staging_bytes / key_bytes;
	const struct gs_gpu_piece *piece = &slice->pieces[0];
	const char *from = slice->sorted ? piece->run->keys + piece->from * key_bytes
	                                 : place(device, at);
	const struct gs_ring_buffer *last = NULL;

	for (size_t sent = 0; sent < slice->count; sent += most) {
		const size_t left = slice->count - sent, count = left < most ? left : most;
		struct gs_ring_buffer *buffer = gs_queue_take(&worker->free);

		if (buffer == NULL)
			return closed();
		if (last != NULL && cudaEventQuery(last->copied.done) == cudaSuccess)
			gs_resident_spare(worker->resident);	/* the bus waited for the output */
		last = buffer;
		TRY(gs_timed_wait(device, &buffer->copied, "copying keys to it"));
		buffer->key_class = slice->key_class;
		buffer->bits = slice->bits;
		buffer->count = count;
		buffer->sum = sum_of(device, slice, sent, count);
		TRY(gs_timed_begin(&buffer->copied, device->out, &device->work_done.d2h_seconds));
		TRY_CUDA(cudaMemcpyAsync(buffer->host, from + sent * key_bytes, count * key_bytes,
		                         cudaMemcpyDeviceToHost, device->out),
		         "copying sorted keys from it");
		TRY(gs_timed_end(&buffer->copied, device->out));
		if (!gs_queue_give(&worker->ready, buffer))
			return closed();
	}
	TRY_CUDA(cudaEventRecord(device->slices[at].sent, device->out), "copying sorted keys from it");
	return GS_OK;
}

static gs_status
drain(struct gs_worker *worker)
{
	const struct gs_gpu_slices *slices = worker->slices;

	for (size_t s = 0; s < slices->count; s++) {
		const struct gs_gpu_slice *slice = &slices->list[s];

		if (s == 0)
			TRY(gather(worker, slice, 0));
		if (s + 1 < slices->count)
			TRY(gather(worker, slice + 1, (s + 1) % 2));
		TRY(sort_slice(worker, slice, s % 2));
		gs_gpu_slice_drop(slice, worker->resident);
		TRY(send(worker, slice, s % 2));
	}
	for (unsigned p = 0; p < 2; p++)
		TRY(gs_timed_wait(&worker->device, &worker->device.slices[p].gathered,
		                  "gathering sorted keys"));
	begin_batch(&worker->device);
	return GS_OK;
}

/* ---- the thread ------------------------------------------------------------------ */

static gs_status
serve(struct gs_worker *worker)
{
	struct gs_device *device = &worker->device;
	void *asked;

	TRY(gs_device_open(device, worker->options));
	for (unsigned r = 0; r < worker->options->ring_buffers; r++)
		(void)gs_queue_give(&worker->free, &device->ring[r]);
	(void)gs_queue_give(&worker->answers, &done);
	while ((asked = gs_queue_take(&worker->filled)) != NULL) {
		if (asked == &tasks[GS_WORKER_DRAIN]) {
			TRY(drain(worker));
		} else if (asked == &tasks[GS_WORKER_FINISH]) {
			TRY(sort_batch(worker, true));
			/* nobody has the buffers now */
			for (unsigned r = 0; r < worker->options->ring_buffers; r++)
				TRY(gs_timed_wait(device, &device->ring[r].copied, "copying keys to it"));
			TRY(gs_timed_wait(device, &device->left, "copying sorted keys from it"));
		} else {
			TRY(take_keys(worker, asked));
			continue;
		}
		(void)gs_queue_give(&worker->answers, &done);
	}
	return GS_OK;
}

static void
each_queue(struct gs_worker *worker, void (*what)(struct gs_queue *queue))
{
	what(&worker->free);
	what(&worker->filled);
	what(&worker->ready);
	what(&worker->answers);
}

static gs_status
work(void *context)
{
	const gs_status status = serve(context);

	each_queue(context, gs_queue_shut);
	return status;
}

gs_status
gs_worker_start(struct gs_worker *worker, const struct gs_gpu_options *options,
                struct gs_resident *resident, struct gs_gpu_runs *runs,
                const struct gs_gpu_slices *slices)
{
	*worker = (struct gs_worker){
		.options = options, .resident = resident, .runs = runs, .slices = slices, .open = true,
	};
	each_queue(worker, gs_queue_open);
	return gs_thread_start(&worker->thread, work, worker);
}

/* ---- for the engine's thread ----------------------------------------------------- */

/* The worker has ended: why? */
static gs_status
reason(struct gs_worker *worker)
{
	TRY(gs_thread_join(&worker->thread));
	return closed();
}

gs_status
gs_worker_await(struct gs_worker *worker)
{
	return gs_queue_take(&worker->answers) != NULL ? GS_OK : reason(worker);
}

gs_status
gs_worker_next(struct gs_worker *worker, struct gs_queue *queue, const char *doing,
               struct gs_ring_buffer **buffer)
{
	*buffer = gs_queue_take(queue);
	if (*buffer == NULL)
		return reason(worker);
	TRY(gs_device_use(&worker->device));
	return gs_timed_wait(&worker->device, &(*buffer)->copied, doing);
}

void
gs_worker_give(struct gs_worker *worker, struct gs_ring_buffer *buffer)
{
	/* One that ends takes no more; the next thread that waits for it learns why. */
	(void)gs_queue_give(buffer->count > 0 ? &worker->filled : &worker->free, buffer);
}

void
gs_worker_ask(struct gs_worker *worker, enum gs_worker_task task)
{
	(void)gs_queue_give(&worker->filled, &tasks[task]);
}

void
gs_worker_stop(struct gs_worker *worker)
{
	const struct gs_device *device = &worker->device;
	const cudaStream_t *const streams[] = { &device->in, &device->work, &device->out };

	if (!worker->open)
		return;
	each_queue(worker, gs_queue_shut);
	(void)!gs_thread_join(&worker->thread);
	for (unsigned s = 0; s < sizeof streams / sizeof streams[0]; s++)	/* all that is under way */
		if (*streams[s] != NULL)
			(void)cudaStreamSynchronize(*streams[s]);
}

void
gs_worker_close(struct gs_worker *worker)
{
	if (!worker->open)
		return;
	gs_device_close(&worker->device);
	each_queue(worker, gs_queue_close);
	worker->open = false;
}
