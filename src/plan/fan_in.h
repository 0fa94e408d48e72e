// SPDX-License-Identifier: BSD-2-Clause
/* fan_in.h - how many runs, or sorted inputs, are merged at once */
#ifndef GS_PLAN_FAN_IN_H
#define GS_PLAN_FAN_IN_H

#include <stddef.h>
#include <stdint.h>

#include "plan/input.h"

enum { GS_FAN_IN_MOST = 4096 };

/**
 * How many can be merged at once in BYTES of memory, by THREADS, with SOURCE_BYTES beside the buffers of
 * each; 2 at least, even if memory is too little for them.
 */
size_t gs_plan_fan_in(const struct gs_plan_input *input, unsigned threads, size_t source_bytes,
                      uint64_t bytes);

#endif
