// SPDX-License-Identifier: BSD-2-Clause
/*
 * cuda_environment.h - let CUDA open only what gsort uses
 */
#ifndef GS_CUDA_ENVIRONMENT_H
#define GS_CUDA_ENVIRONMENT_H

#include "gsort.h"

/**
 * Set CUDA_VISIBLE_DEVICES to the GPU that OPTIONS ask for, which is number 0 in OPTIONS then; and
 * CUDA_DEVICE_MAX_CONNECTIONS to what gsort needs, if it is not set.
 * Call before any thread is started and before any call of CUDA.
 */
void gs_cuda_environment(struct gsort_options *options);

#endif
