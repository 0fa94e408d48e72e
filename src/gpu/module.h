// SPDX-License-Identifier: BSD-2-Clause
/*
 * module.h - find and load the GPU module
 *
 * gsort links no CUDA library.  The module is a file, gsort-cuda.so: first beside the running
 * program (a build that is not installed), then in $(pkglibdir).  It is loaded when a plan
 * wants a GPU, or when someone asks what there is, and stays loaded.
 */
#ifndef GS_GPU_MODULE_H
#define GS_GPU_MODULE_H

#include <stdbool.h>

#include "base/status.h"
#include "gpu/engine.h"

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

#endif
