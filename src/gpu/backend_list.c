// SPDX-License-Identifier: BSD-2-Clause
/* backend_list.c - the one place that knows what was built */
#include "config.h"

#include "gpu/backend.h"

#ifdef HAVE_CUDA
extern const struct gs_backend gs_backend_cuda;
const struct gs_backend *const gs_backend_gpu = &gs_backend_cuda;
#else
const struct gs_backend *const gs_backend_gpu = NULL;
#endif
