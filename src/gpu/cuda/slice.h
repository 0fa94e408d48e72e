// SPDX-License-Identifier: BSD-2-Clause
/*
 * slice.h - runs divided into slices of the output
 *
 * The keys of a class, in order, are cut at exact ranks (cut.h).  A slice has the keys between two
 * cuts: a piece of each run, which the GPU gathers and sorts.  Of a class that is one run on the GPU,
 * slices are sorted already; without strands there is one of them.
 */
#ifndef GS_GPU_SLICE_H
#define GS_GPU_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "gpu/cuda/resident.h"
#include "gpu/cuda/run.h"

struct gs_gpu_piece {
	const struct gs_gpu_run *run;
	size_t from, count;
};

struct gs_gpu_slice {
	unsigned key_class, bits;
	size_t   count;
	uint64_t at;			/* keys of its class before it */
	size_t   strand;
	uint64_t sum;			/* of its keys */
	bool     sorted;		/* it is one piece, of a run on the GPU */
	struct gs_gpu_piece *pieces;
	size_t   piece_count;
};

struct gs_gpu_slices {
	struct gs_gpu_slice *list;	/* as they are sent */
	size_t               count, room;
};

/* How to divide. */
struct gs_gpu_division {
	size_t          slice_bytes;	/* at most */
	bool            descending_classes;	/* the last class first */
	const uint64_t *strand_at;	/* see struct gs_gpu_module */
	size_t          strands;	/* 0: all keys in order */
};

/**
 * Cut all RUNS into slices.  By strands, the first slice of each strand comes first, then the second
 * one of each, and so on.  No other thread uses the GPU.
 *
 * @return  GS_OK; GS_EBUDGET; GS_EDEVICE: the GPU fails, or sums or first keys of blocks are wrong
 */
MUST_CHECK gs_status
gs_gpu_slices_cut(struct gs_gpu_slices *slices, const struct gs_gpu_runs *runs,
                  const struct gs_gpu_division *division);

/** A slice was gathered: drop its keys in host memory.  Any thread. */
void gs_gpu_slice_drop(const struct gs_gpu_slice *slice, struct gs_resident *resident);

/** Forget all slices; a zeroed struct is allowed. */
void gs_gpu_slices_reset(struct gs_gpu_slices *slices);

void gs_gpu_slices_close(struct gs_gpu_slices *slices);

#endif
