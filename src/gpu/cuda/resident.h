// SPDX-License-Identifier: BSD-2-Clause
/*
 * resident.h - host memory for the batches of a GPU that are set aside as runs
 *
 * Slots of one batch each, in the caller's memory.  Threads touch and pin it, chunk by chunk and
 * ahead of its use, so that the GPU copies to and from it at the speed of the bus.  Once no more batches
 * come, they give chunks back whose keys have all been copied, while the output is what takes time.
 *
 *     open; { { reserve; take; hold }*; end; { drop, spare }*; reset }*; close
 *
 * Invariant: taken <= reserved <= slots.
 */
#ifndef GS_GPU_RESIDENT_H
#define GS_GPU_RESIDENT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/thread.h"

/* 14 GiB while 16 GiB are read through 4 GiB of GPU memory, H200 host, 16 cores: with 4 threads
 * reading takes 1.05 to 1.15 s, with 8 0.95 s; with nothing to pin 0.51 s. */
enum { GS_PINNERS = 8 };

/* What is pinned and given back at once. */
struct gs_resident_chunk {
	bool   ready, pinned;
	size_t held;		/* bytes that are still needed */
};

struct gs_resident {
	char    *memory;
	size_t   slot_bytes, slots;
	size_t   chunk_bytes, chunks;
	size_t   most;			/* chunks that will be needed, about */
	int      gpu;			/* whose context pins */
	size_t   reserved;		/* slots; by one thread */

	pthread_mutex_t lock;		/* guards what follows */
	pthread_cond_t  changed;
	size_t   taken;			/* slots */
	size_t   wanted;		/* chunks that will soon be used */
	size_t   next;			/* chunk to prepare */
	struct gs_resident_chunk *chunk;		/* each */
	size_t  *idle, idle_count;	/* chunks to give back, ... */
	size_t   spare;			/* ... and how many may be, now */
	unsigned busy;			/* threads that prepare or give back */
	unsigned preparing;		/* pinners that are not at the end yet */
	bool     ends, stops;
	struct gs_thread pinners[GS_PINNERS];
	bool     open, started;
};

/** Begin, with slots of SLOT_BYTES, a multiple of 64 KiB, in BYTES of MEMORY.  At MOST so many bytes
 *  of it will be needed, as far as is known; SIZE_MAX: it is not.  GPU is the CUDA device whose
 *  context is to be used. */
MUST_CHECK gs_status gs_resident_open(struct gs_resident *resident, void *memory, size_t bytes,
                                      size_t slot_bytes, size_t most, int gpu);

/** Reserve a slot, to take it later; false: there is none.  One thread. */
bool gs_resident_reserve(struct gs_resident *resident);

/** Take a slot that was reserved; waits until its memory is ready.  Any thread. */
char *gs_resident_take(struct gs_resident *resident);

/** Of BYTES from AT on, within a slot, how many can be copied at once. */
size_t gs_resident_piece(const struct gs_resident *resident, const char *at, size_t bytes);

/** BYTES from AT on, within a slot, are needed until they are dropped.  Any thread. */
void gs_resident_hold(struct gs_resident *resident, const char *at, size_t bytes);

/** No more slots will be reserved before the reset: memory that is dropped may be given back. */
void gs_resident_end(struct gs_resident *resident);

/** BYTES from AT on have been copied, and are not needed again.  Any thread. */
void gs_resident_drop(struct gs_resident *resident, const char *at, size_t bytes);

/** Copies wait for something else: give one more chunk back now.  Unpinning one holds all copies up:
 *  while 14 GiB were drained to /dev/null that took 0.95 s instead of 0.45 (H200 host). */
void gs_resident_spare(struct gs_resident *resident);

/** All slots are free again; memory that was not given back stays pinned. */
void gs_resident_reset(struct gs_resident *resident);

/** No copy is under way.  A zeroed struct is allowed. */
void gs_resident_close(struct gs_resident *resident);

#endif
