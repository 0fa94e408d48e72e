// SPDX-License-Identifier: BSD-2-Clause
/* gpu_strands.h - the keys of a GPU, drained by strands (sort/span.h) */
#ifndef GS_STAGES_GPU_STRANDS_H
#define GS_STAGES_GPU_STRANDS_H

#include "base/status.h"
#include "gpu/guard.h"
#include "sort/span.h"

/** Drain the one class that GPU has, to a SINK that wants strands and has make(); THREADS at most
 *  call it, each with a slot of its own. */
MUST_CHECK gs_status gs_gpu_drain_strands(struct gs_guard *gpu, unsigned threads,
                                          const struct gs_span_sink *sink);

#endif
