// SPDX-License-Identifier: BSD-2-Clause
/* cuda_visible.h - let CUDA see the GPU that is used, and no other */
#ifndef GS_CUDA_VISIBLE_H
#define GS_CUDA_VISIBLE_H

#include "gsort.h"

/** Before there are threads, and before CUDA is called: it changes the environment, and
 *  what OPTIONS calls the GPU. */
void gs_cuda_visible(struct gsort_options *options);

#endif
