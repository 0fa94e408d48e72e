// SPDX-License-Identifier: BSD-2-Clause
/*
 * slice.h - runs divided into slices of the output
 *
 * The keys of a class, in order, are cut at exact ranks.  A slice has the keys between two cuts: a
 * piece of each run, which one GPU gathers and sorts.  Of a class that is one run on a GPU, the
 * run is the only slice, and it is sorted already.
 */
#ifndef GS_GPU_SLICE_H
#define GS_GPU_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "gpu/cuda/run.h"

struct gs_gpu_piece {
	const struct gs_gpu_run *run;
	size_t from, count;
};

struct gs_gpu_slice {
	unsigned key_class, bits;
	size_t   count;
	uint64_t sum;			/* of its keys */
	unsigned worker;		/* whose GPU sorts it */
	const struct gs_gpu_run *sorted;	/* that it is; or NULL, and: */
	struct gs_gpu_piece *pieces;
	size_t   piece_count;
};

struct gs_gpu_slices {
	struct gs_gpu_slice *list;
	size_t               count, room;
};

/**
 * Cut all RUNS into slices of at most SLICE_BYTES, and deal them to so many WORKERS in turn.
 * No other thread uses the runs' GPUs.
 *
 * @descending_classes  the last class first
 * @return  GS_OK; GS_EDEVICE: a GPU fails, or what is known of a run's blocks is wrong
 *
 * A cut takes O(bits * k * log n) for k runs of n keys, and a few blocks from each run.
 */
MUST_CHECK gs_status
gs_gpu_slices_cut(struct gs_gpu_slices *slices, const struct gs_gpu_runs *runs,
                  size_t slice_bytes, unsigned workers, bool descending_classes);

/** Forget all slices; a zeroed struct is allowed. */
void gs_gpu_slices_reset(struct gs_gpu_slices *slices);

void gs_gpu_slices_close(struct gs_gpu_slices *slices);

#endif
