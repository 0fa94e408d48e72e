// SPDX-License-Identifier: BSD-2-Clause
/*
 * guard.h - a GPU: its module is found and loaded, and its results checked, host memory to host memory
 *
 * In:   keys with the checksum that whoever read them computed before they cross the bus.
 * Out:  sorted keys that are in order, follow the keys before them, and have the checksum that the
 *       device found, which was compared with the input's.  So what was taken, checked and followed
 *       is right whatever happens next.
 *
 * A GPU is never repaired.  Every call that fails returns GS_EDEVICE (gs_guard_open() also
 * GS_ENODEV and GS_EDEVMEM); then the guard is only good for closing.
 */
#ifndef GS_GPU_GUARD_H
#define GS_GPU_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "gpu/engine.h"

/* ---- the module (module.c) ------------------------------------------------------ */

/*
 * gsort links no CUDA library.  The module is a file, gsort-cuda.so: first beside the running
 * program (a build that is not installed), then in $(pkglibdir).  It is loaded when a plan
 * wants a GPU, or when someone asks what there is, and stays loaded.
 */

#define GS_GPU_MODULE_FILE	"gsort-cuda.so"

/**
 * Load the module, once in a process; any thread.
 *
 * @module  set to it, or to NULL
 * @return  GS_OK; GS_ENODEV: not found, not loadable, or of another version of gsort; the
 *          message names the file and the reason
 */
MUST_CHECK gs_status gs_gpu_module_load(const struct gs_gpu_module **module);

/** Is there a module file, or is one linked in?  It may still be unusable. */
bool gs_gpu_module_exists(void);

/** May this machine have a GPU?  True if the NVIDIA driver has its device file, or the module that
 *  is linked in needs none.  It may still be hidden, or unusable. */
bool gs_gpu_is_present(void);

/* ---- the guard (guard.c) -------------------------------------------------------- */

/* The keys of a class, or of a strand of it, that were checked. */
struct gs_seen {
	bool     any;
	unsigned key_class;
	uint64_t first, last;
};

struct gs_guard {
	const struct gs_gpu_module *module;
	struct gs_gpu *gpu;		/* NULL: not open */
};

/** Load the module and open the GPU. */
MUST_CHECK gs_status gs_guard_open(struct gs_guard *guard, const struct gs_gpu_options *options);

/** Load the module and count the GPUs. */
MUST_CHECK gs_status gs_guard_count(unsigned *gpus);

/** A function of the module returned STATUS: GS_OK, or GS_EDEVICE, and its message is this thread's now. */
MUST_CHECK gs_status gs_guard_checked(const struct gs_guard *guard, gs_status status);

/** Call FUNCTION of the module, with the GPU and what follows: lend, commit, by_strands, or drain, whose span
 *  is not checked yet. */
#define gs_guard_call(guard, function, ...) \
	gs_guard_checked(guard, (guard)->module->function((guard)->gpu, __VA_ARGS__))

/** Check a span with THREADS: it must be what the device found.  Any thread. */
MUST_CHECK gs_status gs_guard_check(const struct gs_gpu_span *span, unsigned threads);

/** It was checked: it must follow what SEEN tells of its strand. */
MUST_CHECK gs_status gs_guard_follow(const struct gs_gpu_span *span, struct gs_seen *seen);

/** All spans were checked: the COUNT strands in SEEN must follow one another. */
MUST_CHECK gs_status gs_guard_check_strands(const struct gs_seen *seen, size_t count);

/** Close the device; a zeroed guard is allowed. */
void gs_guard_close(struct gs_guard *guard);

#endif
