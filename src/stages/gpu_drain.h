// SPDX-License-Identifier: BSD-2-Clause
/* gpu_drain.h - the keys of a GPU, drained by several threads */
#ifndef GS_STAGES_GPU_DRAIN_H
#define GS_STAGES_GPU_DRAIN_H

#include "base/status.h"
#include "gpu/guard.h"
#include "sort/span.h"

/** Drain the one class that GPU has, with THREADS, to a SINK; if it wants strands (sort/span.h), it
 *  has make(), for which each thread has a slot of its own; else it takes all keys in order, while
 *  LANES spans are checked at once. */
MUST_CHECK gs_status gs_gpu_drain(struct gs_guard *gpu, unsigned threads, unsigned lanes,
                                  const struct gs_span_sink *sink);

#endif
