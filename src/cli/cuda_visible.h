// SPDX-License-Identifier: BSD-2-Clause
/*
 * cuda_visible.h - let CUDA see only the GPU that gsort uses
 */
#ifndef GS_CUDA_VISIBLE_H
#define GS_CUDA_VISIBLE_H

#include "gsort.h"

/**
 * Set CUDA_VISIBLE_DEVICES to the GPU that OPTIONS ask for, and make it number 0 in OPTIONS.
 * Call before any thread is started and before any call of CUDA.
 */
void gs_cuda_visible(struct gsort_options *options);

#endif
