// SPDX-License-Identifier: BSD-2-Clause
/*
 * cuda.h - what the engine asks of CUDA besides sorting: a device, memory that it can copy from,
 * and what errors mean
 */
#ifndef GS_GPU_CUDA_H
#define GS_GPU_CUDA_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/status.h"
#include "base/thread.h"

/** What a device error means is decided here and nowhere else.  DOING: a sentence's part,
 *  "sorting". */
MUST_CHECK gs_status gs_cuda_status(cudaError_t error, const char *doing);

#define TRY_CUDA(call, doing)	TRY(gs_cuda_status((call), (doing)))

/** Is there a GPU INDEX?  The driver begins: 0.1 s. */
MUST_CHECK gs_status gs_cuda_find(int index);

/** Its name; no context is needed. */
MUST_CHECK gs_status gs_cuda_name(int index, char *name, size_t bytes);

/** Make its context, another 0.1 s. */
MUST_CHECK gs_status gs_cuda_choose(int index);

/** Keep this thread, and those that it starts, on the processors near GPU INDEX, if the system
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

/** Begin to touch BYTES. */
MUST_CHECK gs_status gs_pinned_begin(struct gs_pinned *pinned, size_t bytes);

/** Pin the first BYTES of them, at pinned->memory; there is a context now. */
MUST_CHECK gs_status gs_pinned_open(struct gs_pinned *pinned, size_t bytes);

/** No copy is under way; zeroed, or only begun, is allowed. */
void gs_pinned_close(struct gs_pinned *pinned);

/* As struct gs_gpu_module has them. */
void gs_cuda_build(char *into, size_t bytes);
void gs_cuda_survey(void (*print)(void *context, const char *line), void *context);

#endif
