// SPDX-License-Identifier: BSD-2-Clause
/*
 * device.h - one open GPU: its memory, its ring of staging buffers, its streams, and its thread
 *
 *     buffers[2]   for a batch: keys arrive in one and are sorted with the help of the other.
 *                  For slices: the other one is divided into three parts, slice, slice, scratch
 *     scratch      of gs_sort()
 *     found        what the checks of a batch or of slices find
 *     ring         pinned host buffers, for keys on their way in and out
 */
#ifndef GS_GPU_DEVICE_H
#define GS_GPU_DEVICE_H

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "base/thread.h"
#include "gpu/cuda/runs.h"
#include "gpu/engine.h"
#include "kernels/kernels.h"

/* ---- what the engine asks of CUDA besides sorting (cuda.c) ------------------------ */

/** What a device error means is decided here and nowhere else.  DOING: a sentence's part,
 *  "sorting". */
MUST_CHECK gs_status gs_cuda_status(cudaError_t error, const char *doing);

#define TRY_CUDA(call, doing)	TRY(gs_cuda_status((call), (doing)))

/** Keep this thread, and threads that it starts, on the processors near GPU INDEX, if the system
 *  says which; no context is needed. */
void gs_cuda_stay_near(int index);

/*
 * Pinned host memory: touched by a thread of its own beside what takes longer, then
 * registered, which takes 1 ms for 64 MiB.  H200 host: cudaHostAlloc() takes 21 ms.
 */
struct gs_pinned {
	char            *memory;
	struct gs_arena  arena;
	struct gs_thread toucher;
	size_t           touch_bytes;
	bool             registered;
	void            *allocated;	/* instead, where memory cannot be registered */
};

/* As struct gs_gpu_module has them. */
void gs_cuda_build(char *into, size_t bytes);
void gs_cuda_survey(void (*print)(void *context, const char *line), void *context);

/* ---- an open GPU (device.c) ------------------------------------------------------- */

enum {
	GS_RING_MOST = GS_QUEUE_SLOTS,
	GS_DEVICE_ALIGN = 256,	/* arrays that are sorted are aligned as by cudaMalloc() */
};

/* Two events and the figure of struct gs_gpu_work that the time between them is added to. */
struct gs_timed {
	cudaEvent_t begun, done;
	double     *seconds;	/* NULL: nothing was timed */
};

/* A pinned buffer, with keys to sort or with sorted keys. */
struct gs_ring_buffer {
	char           *host;	/* staging_bytes */
	struct gs_timed copied;	/* the last copy from or to it */
	unsigned        key_class, bits;
	size_t          count;	/* keys in it */
	uint64_t        sum;	/* their checksum */
};

/* Keys of a staging buffer, in the buffer that is being filled; the next ones lie behind them. */
struct gs_device_arrival {
	unsigned key_class;
	size_t   bytes;
};

/* All of a batch. */
struct gs_device_arrivals {
	struct gs_device_arrival *list;
	size_t         count, most, bytes;
	unsigned       buffer;		/* that they are in */
	uint64_t       sums[GS_CLASSES];	/* of their keys */
};

struct gs_device_slice {
	struct gs_timed gathered;	/* on IN: its keys */
	cudaEvent_t     sent;		/* on OUT */
};

struct gs_device {
	const struct gs_gpu_options *options;
	size_t         staging_bytes;

	char          *buffers[2];
	size_t         buffer_bytes;	/* of ARRIVALS.most full ones */
	void          *scratch;
	struct gs_sorter sorter;
	uint64_t      *found;		/* and on the host: */
	uint64_t      *checks;

	cudaStream_t   in, work, out;
	cudaEvent_t    arrived;		/* on IN: all keys so far; a slice's keys */
	struct gs_timed sorted;		/* on WORK */
	struct gs_timed left;		/* on OUT: a batch, to host memory */
	struct gs_device_slice slices[2];
	struct gs_pinned pinned;
	struct gs_ring_buffer ring[GS_RING_MOST];

	struct gs_device_arrivals arrivals;

	pthread_mutex_t lock;		/* guards: */
	struct gs_gpu_work work_done;
};

/** Most bytes that a slice can have on the device. */
size_t gs_device_slice_bytes(const struct gs_device *device);

/** Open the GPU of the options; slow. */
MUST_CHECK gs_status gs_device_open(struct gs_device *device,
                                    const struct gs_gpu_options *options);

/** This thread works with DEVICE from now on. */
MUST_CHECK gs_status gs_device_use(const struct gs_device *device);

/* Time the work queued on STREAM in between, for the figure at SECONDS. */
MUST_CHECK gs_status gs_timed_begin(struct gs_timed *timed, cudaStream_t stream, double *seconds);
MUST_CHECK gs_status gs_timed_end(struct gs_timed *timed, cudaStream_t stream);

/** Wait for its end; DOING: as for gs_cuda_status(). */
MUST_CHECK gs_status gs_timed_wait(struct gs_device *device, struct gs_timed *timed,
                                   const char *doing);

/** Nothing is under way, and no other thread uses it.  A zeroed struct is allowed. */
void gs_device_close(struct gs_device *device);

/* ---- the thread that works it: batches in, slices out (worker.c) ------------------ */

/*
 *     open; { give buffers; finish; await; { drain; take buffers; give them back; await }}*; close
 *
 * The worker opens its GPU, then sorts the keys that it is given, batch by batch.  A batch that
 * is full becomes runs in host memory; the last one stays on the GPU.  When it drains, it sorts
 * its slices and sends their keys.  A worker that fails shuts its queues: a thread that waits for it gets
 * NULL, and joins it for the reason.
 */

struct gs_worker {
	struct gs_device      device;
	const struct gs_gpu_options *options;
	struct gs_resident   *resident;
	struct gs_gpu_runs   *runs;		/* to which it adds its own */
	const struct gs_gpu_slices *slices;	/* that it sorts */

	struct gs_thread      thread;
	struct gs_queue       free;		/* struct gs_ring_buffer, to fill or to send keys in */
	struct gs_queue       filled;		/* with keys to sort; or what to do next */
	struct gs_queue       ready;		/* with sorted keys */
	struct gs_queue       answers;
	bool                  open;	/* there is something to close */
};

/** Start a worker that opens the GPU of the options; the first answer says that it is open. */
MUST_CHECK gs_status gs_worker_start(struct gs_worker *worker,
                                     const struct gs_gpu_options *options,
                                     struct gs_resident *resident, struct gs_gpu_runs *runs,
                                     const struct gs_gpu_slices *slices);

/** Wait for the answer to what was asked last. */
MUST_CHECK gs_status gs_worker_await(struct gs_worker *worker);

/** The next buffer of a QUEUE, once the last copy from or to it is done; blocks.  FREE: one that is not
 *  in use; READY: with sorted keys, to be given back without any.  DOING: what that copy does, for
 *  gs_cuda_status(). */
MUST_CHECK gs_status gs_worker_next(struct gs_worker *worker, struct gs_queue *queue, const char *doing,
                                    struct gs_ring_buffer **buffer);

/** Give it back: with keys to sort; or without any, from any thread. */
void gs_worker_give(struct gs_worker *worker, struct gs_ring_buffer *buffer);

/** FINISH: sort all keys that were given; then its runs are in the list.  DRAIN: sort and send all slices,
 *  then be empty. */
enum gs_worker_task { GS_WORKER_FINISH, GS_WORKER_DRAIN, GS_WORKER_TASKS };
void gs_worker_ask(struct gs_worker *worker, enum gs_worker_task task);

/** End the thread. */
void gs_worker_stop(struct gs_worker *worker);

/** Close the GPU, which no thread uses; a zeroed worker is allowed. */
void gs_worker_close(struct gs_worker *worker);

#endif
