// SPDX-License-Identifier: BSD-2-Clause
/*
 * sorters.h - the sorters of libgsort_cuda: one for each call under way, kept for later ones
 *
 * Invariant: no two calls have the same sorter, and each has one of its own context.
 */
#ifndef GS_SORTERS_H
#define GS_SORTERS_H

#include <stdbool.h>

#include "kernels/kernels.h"

/** Take an idle sorter of the current context to *SORTER, or open one. */
cudaError_t gs_sorters_take(struct gs_sorter **sorter);

/** Give SORTER back; FAILED: its last call, so that it is closed. */
void gs_sorters_give(struct gs_sorter *sorter, bool failed);

/** Close all idle sorters of the current context. */
cudaError_t gs_sorters_release(void);

#endif
