// SPDX-License-Identifier: BSD-2-Clause
/* one_gpu.h - let CUDA see the GPU that is used, and no other */
#ifndef GS_ONE_GPU_H
#define GS_ONE_GPU_H

#include "gsort.h"

/** Before there are threads, and before CUDA is called: it changes the environment, and
 *  what OPTIONS calls the GPU. */
void gs_one_gpu(struct gsort_options *options);

#endif
