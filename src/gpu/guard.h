// SPDX-License-Identifier: BSD-2-Clause
/*
 * guard.h - a GPU whose results are checked from host memory to host memory
 *
 * In:   keys with the checksum that whoever read them computed before they cross the bus.
 * Out:  sorted keys that are in order, follow those before them, and have the checksum that
 *       the device found, which was compared with that of the input.  So what
 *       gs_guard_drain() has given is right whatever happens next.
 *
 * A GPU is never repaired.  Every call that fails returns GS_EDEVICE (gs_guard_open() also
 * GS_ENODEV and GS_EDEVMEM); then the guard is only good for closing.
 */
#ifndef GS_GPU_GUARD_H
#define GS_GPU_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/engine.h"

struct gs_guard {
	const struct gs_gpu_module *module;
	struct gs_gpu *gpu;		/* NULL: not open */
	unsigned       threads;		/* that check spans */
	bool           any;		/* a span of this batch was drained: */
	unsigned       last_class;	/* its class ... */
	uint64_t       last_key;	/* ... and last key */
};

/** Load the module and open a device; THREADS check what comes back. */
MUST_CHECK gs_status gs_guard_open(struct gs_guard *guard, const struct gs_gpu_options *options,
                                   unsigned threads);

/* As the functions of struct gs_gpu_module. */
const char *gs_guard_describe(const struct gs_guard *guard);
uint64_t    gs_guard_batch_bytes(const struct gs_guard *guard);
MUST_CHECK gs_status
gs_guard_lend(struct gs_guard *guard, unsigned key_class, struct gs_staging *staging);
MUST_CHECK gs_status
gs_guard_commit(struct gs_guard *guard, const struct gs_staging *staging, uint64_t sum);
MUST_CHECK gs_status gs_guard_finish(struct gs_guard *guard);
MUST_CHECK gs_status gs_guard_drain(struct gs_guard *guard, struct gs_gpu_span *span);
void gs_guard_work(const struct gs_guard *guard, struct gs_gpu_work *work);

/** Close the device; a zeroed guard is allowed. */
void gs_guard_close(struct gs_guard *guard);

#endif
