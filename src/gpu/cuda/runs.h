// SPDX-License-Identifier: BSD-2-Clause
/*
 * runs.h - sorted runs, on the GPU or in host memory, and the slices of the output that they are cut into
 *
 *     { gs_gpu_runs_add() }*; gs_gpu_slices_cut(); gs_gpu_slice_drop() of each; both resets
 */
#ifndef GS_GPU_CUDA_RUNS_H
#define GS_GPU_CUDA_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct gs_device;
struct gs_resident;

/* ---- runs, with sums and first keys of their blocks (run.c) --------------------- */

/*
 * A run is the sorted keys of one class of one batch.  The GPU that sorted it found it in order,
 * and found the checksum and the first key of each block of GS_BLOCK_KEYS keys.  So a range of
 * keys can be found, and later be checked, by these and a look at the blocks at its two ends.
 */

enum { GS_BLOCK_KEYS = 1 << 13 };	/* gs_check() can sum no fewer */

struct gs_gpu_run {
	unsigned          key_class, bits;
	size_t            count;
	char             *keys;
	struct gs_device *device;	/* that has them, or NULL: host memory */
	uint64_t         *sums;		/* of gs_run_blocks() blocks; allocated, with: */
	uint64_t         *firsts;	/* the first key of each */
};

/* The runs of an engine. */
struct gs_gpu_runs {
	struct gs_gpu_run *list;
	size_t             count, room;
};

static inline size_t
gs_run_blocks(size_t count)
{
	return (count + GS_BLOCK_KEYS - 1) / GS_BLOCK_KEYS;
}

/** LIST of *ROOM items of so many bytes, moved to where there is room for more; NULL: no memory, and
 *  LIST is as it was. */
void *gs_gpu_grown(void *list, size_t *room, size_t item_bytes);

/** Append RUN, whose blocks have these SUMS and FIRSTS, which are copied. */
MUST_CHECK gs_status gs_gpu_runs_add(struct gs_gpu_runs *runs, const struct gs_gpu_run *run,
                                     const uint64_t *sums, const uint64_t *firsts);

/** Forget all runs. */
void gs_gpu_runs_reset(struct gs_gpu_runs *runs);

void gs_gpu_runs_close(struct gs_gpu_runs *runs);

/* ---- runs of one class, cut at exact ranks (cut.c) ------------------------------ */

struct gs_gpu_cuts {
	const struct gs_gpu_run *const *runs;	/* of one class */
	size_t          run_count;
	uint64_t        keys;		/* of all runs */
	const uint64_t *ranks;		/* ascending, none above KEYS */
	size_t          count;		/* cuts: */
	size_t         *at;		/* cut C is before key number AT[C * run_count + R] of run R */
	uint64_t       *sums;		/* as AT: checksums of the keys before it */
};

/**
 * Find AT and SUMS.
 *
 * @return  GS_OK; GS_EBUDGET; GS_EDEVICE: a GPU fails, or what is known of a run's blocks is wrong
 *
 * A cut takes O(bits * k * log n) for k runs of n keys, and a few blocks from each run.  No other
 * thread uses the GPU.
 */
MUST_CHECK gs_status gs_gpu_cut(const struct gs_gpu_cuts *cuts);

/* ---- slices (slice.c) ---------------------------------------------------------- */

/*
 * The keys of a class, in order, are cut at exact ranks.  A slice has the keys between two
 * cuts: a piece of each run, which the GPU gathers and sorts.  Of a class that is one run on the GPU,
 * slices are sorted already; without strands there is one of them.
 */

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
