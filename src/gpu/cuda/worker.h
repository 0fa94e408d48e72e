// SPDX-License-Identifier: BSD-2-Clause
/*
 * worker.h - the thread that works the GPU: batches in, slices out
 *
 *     open; { give buffers; finish; await; { drain; take buffers; give them back; await }}*; close
 *
 * The worker opens its GPU, then sorts the keys that it is given, batch by batch.  A batch that
 * is full becomes runs in host memory; the last one stays on the GPU.  When it drains, it sorts
 * its slices and sends their keys.  A worker that fails shuts its queues: who waits for it gets
 * NULL, and joins it for the reason.
 */
#ifndef GS_GPU_WORKER_H
#define GS_GPU_WORKER_H

#include <stdint.h>

#include "base/status.h"
#include "base/thread.h"
#include "gpu/cuda/device.h"
#include "gpu/cuda/resident.h"
#include "gpu/cuda/runs.h"

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

/** A buffer that is not in use; blocks while all are. */
MUST_CHECK gs_status gs_worker_free(struct gs_worker *worker, struct gs_ring_buffer **buffer);

/** Give it back: with keys to sort; or without any, from any thread. */
void gs_worker_give(struct gs_worker *worker, struct gs_ring_buffer *buffer);

/** Ask: sort all keys that were given.  Then its runs are in the list. */
void gs_worker_finish(struct gs_worker *worker);

/** Ask: sort and send all slices, then be empty. */
void gs_worker_drain(struct gs_worker *worker);

/** The next sorted keys; blocks.  The buffer is to be given back, with no keys. */
MUST_CHECK gs_status gs_worker_take(struct gs_worker *worker, struct gs_ring_buffer **buffer);

/** End the thread. */
void gs_worker_stop(struct gs_worker *worker);

/** Close the GPU, which no thread uses; a zeroed worker is allowed. */
void gs_worker_close(struct gs_worker *worker);

#endif
