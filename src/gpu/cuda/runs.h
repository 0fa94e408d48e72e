// SPDX-License-Identifier: BSD-2-Clause
/*
 * runs.h - sorted runs, on the GPU or in host memory, and the slices of the output that they are cut into
 *
 *     { gs_gpu_runs_add() }*; gs_gpu_slices_cut(); gs_gpu_slice_drop() of each; both resets
 */
#ifndef GS_GPU_CUDA_RUNS_H
#define GS_GPU_CUDA_RUNS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/thread.h"

struct gs_device;

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

/** GS_EDEVICE: the GPU's result is wrong, as WHAT says. */
gs_status gs_gpu_wrong(const char *what);

/** Append RUN, whose blocks have these SUMS and FIRSTS, which are copied. */
MUST_CHECK gs_status gs_gpu_runs_add(struct gs_gpu_runs *runs, const struct gs_gpu_run *run,
                                     const uint64_t *sums, const uint64_t *firsts);

/** Forget and free all runs; a zeroed struct is allowed. */
void gs_gpu_runs_reset(struct gs_gpu_runs *runs);

/* ---- host memory for the batches that are set aside as runs (resident.c) ---------- */

/*
 * Slots of one batch each, in the caller's memory.  Threads touch and pin it, chunk by chunk and
 * ahead of its use, so that the GPU copies to and from it at the speed of the bus.  Once no more batches
 * come, they give chunks back whose keys have all been copied, while the output is what takes time.
 *
 *     open; { { reserve; take; need }*; end; { need no more, spare }*; reset }*; close
 *
 * Invariant: taken <= reserved <= slots.
 */

/* 14 GiB while 16 GiB are read through 4 GiB of GPU memory, H200 host, 16 cores: with 4 threads
 * reading takes 1.05 to 1.15 s, with 8 0.95 s; with nothing to pin 0.51 s. */
enum { GS_PINNERS = 8 };

/* What is pinned and given back at once. */
struct gs_resident_chunk {
	bool   ready, pinned;
	size_t held;		/* bytes that are still needed */
};

/* Chunks to give back, and how many may be, now. */
struct gs_resident_idle {
	size_t  *chunks, count, spare;
};

struct gs_resident {
	char    *memory;
	size_t   slot_bytes, slots;
	size_t   chunk_bytes;		/* 0: it is not open */
	size_t   most;			/* chunks that will be needed, about */
	int      gpu;			/* whose context pins */
	size_t   reserved;		/* slots; by one thread */

	pthread_mutex_t lock;		/* guards what follows */
	pthread_cond_t  changed;
	size_t   taken;			/* slots */
	size_t   wanted;		/* chunks that will soon be used */
	size_t   next;			/* chunk to prepare */
	struct gs_resident_chunk *chunk;		/* each */
	struct gs_resident_idle idle;
	unsigned busy;			/* threads that prepare or give back */
	unsigned preparing;		/* pinners that are not at the end yet; 0: none was started */
	bool     ends, stops;
	struct gs_thread pinners[GS_PINNERS];
};

/** Begin, with slots of SLOT_BYTES, a multiple of 64 KiB, in BYTES of MEMORY.  MOST is how many bytes
 *  of it will be needed, SIZE_MAX if that is not known.  GPU is the CUDA device whose context is
 *  used. */
MUST_CHECK gs_status gs_resident_open(struct gs_resident *resident, void *memory, size_t bytes,
                                      size_t slot_bytes, size_t most, int gpu);

/** Reserve a slot, to take it later; false: none is free.  One thread. */
bool gs_resident_reserve(struct gs_resident *resident);

/** Take a slot that was reserved; waits until its memory is ready.  Any thread. */
char *gs_resident_take(struct gs_resident *resident);

/** Of BYTES from AT on, within a slot, how many can be copied at once. */
size_t gs_resident_piece(const struct gs_resident *resident, const char *at, size_t bytes);

/** BYTES from AT on, within a slot, are NEEDED; or they have been copied, and are not needed again.  Any
 *  thread. */
void gs_resident_need(struct gs_resident *resident, const char *at, size_t bytes, bool needed);

/** No more slots will be reserved before the reset: memory that is not needed may be given back. */
void gs_resident_end(struct gs_resident *resident);

/** Copies wait for something else: give one more chunk back now.  Unpinning one holds all copies up:
 *  while 14 GiB were drained to /dev/null that took 0.95 s instead of 0.45 (H200 host). */
void gs_resident_spare(struct gs_resident *resident);

/** All slots are free again; memory that was not given back stays pinned. */
void gs_resident_reset(struct gs_resident *resident);

/** No copy is under way.  A zeroed struct is allowed. */
void gs_resident_close(struct gs_resident *resident);

/* ---- runs of one class, cut at exact positions (cut.c) ------------------------------ */

struct gs_gpu_cuts {
	const struct gs_gpu_run *const *runs;	/* of one class */
	size_t          run_count;
	uint64_t        keys;		/* of all runs */
	const uint64_t *positions;		/* ascending, none above KEYS */
	size_t          count;		/* cuts: */
	size_t         *at;		/* cut C is before key number AT[C * run_count + R] of run R */
	uint64_t       *sums;		/* as AT: checksums of the keys before it */
};

/**
 * Find AT and SUMS.
 *
 * @return  GS_OK; GS_EBUDGET; GS_EDEVICE: a GPU fails, or the table of a run's blocks is wrong
 *
 * A cut takes O(bits * k * log n) for k runs of n keys, and a few blocks from each run.  No other
 * thread uses the GPU.
 */
MUST_CHECK gs_status gs_gpu_cut(const struct gs_gpu_cuts *cuts);

/* ---- slices (slice.c) ---------------------------------------------------------- */

/*
 * The keys of a class, in order, are cut at exact positions.  A slice has the keys between two
 * cuts: a piece of each run, which the GPU gathers and sorts.  If a class is one run on the GPU, its
 * slices are sorted already; without strands it has one slice.
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
	bool            by_strands;	/* else all keys in order, as one strand */
	const uint64_t *strand_at;	/* see struct gs_gpu_module */
	size_t          strands;
};

/**
 * Cut all RUNS into slices.  By strands, the first slice of each strand comes first, then the second
 * one of each, and so on.  No other thread uses the GPU.
 *
 * @return  GS_OK; GS_EBUDGET; GS_EDEVICE: the GPU fails, or sums or first keys of blocks are wrong
 */
MUST_CHECK gs_status gs_gpu_slices_cut(struct gs_gpu_slices *slices, const struct gs_gpu_runs *runs,
                                       const struct gs_gpu_division *division);

/** A slice was gathered: drop its keys in host memory.  Any thread. */
void gs_gpu_slice_drop(const struct gs_gpu_slice *slice, struct gs_resident *resident);

/** Forget and free all slices; a zeroed struct is allowed. */
void gs_gpu_slices_reset(struct gs_gpu_slices *slices);

#endif
