// SPDX-License-Identifier: BSD-2-Clause
/*
 * clock.h - where the time of all threads goes
 *
 * Each thread says, when it has done something, what it was; sums are for --stats.  A lap
 * costs some 40 ns, so it is for pieces of 100 KiB, not for keys.
 *
 * A thread's clock also runs for what its teams (team.h) do for it, and stands still while it
 * waits for other threads: so one lap around a function is right, whoever works in there.
 */
#ifndef GS_CLOCK_H
#define GS_CLOCK_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum gs_stage {
	GS_STAGE_READ,		/* waiting for input, and decompressing, included */
	GS_STAGE_DECODE,	/* bytes to ordered bits */
	GS_STAGE_SORT,		/* looking whether keys are in order, too */
	GS_STAGE_MERGE,
	GS_STAGE_SPILL,		/* runs to and from disk */
	GS_STAGE_ENCODE,	/* ordered bits to bytes; selecting and verifying, too */
	GS_STAGE_WRITE,		/* waiting for output included */
	GS_STAGES
};

struct gs_clock {
	_Atomic uint64_t ns[GS_STAGES];
};

/* Of this thread: work of others for it less its waiting for others, modulo 2^64. */
extern _Thread_local uint64_t gs_clock_helped;

/** What any wall clock says, in nanoseconds. */
static inline uint64_t
gs_clock_wall(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/** What this thread's clock says. */
static inline uint64_t
gs_clock_now(void)
{
	return gs_clock_wall() + gs_clock_helped;
}

/** The time since *SINCE, of this thread's clock, went into STAGE; *SINCE is now.  Any thread;
 *  CLOCK NULL: nobody asks. */
static inline void
gs_clock_lap(struct gs_clock *clock, enum gs_stage stage, uint64_t *since)
{
	const uint64_t now = gs_clock_now();

	if (clock != NULL)
		atomic_fetch_add_explicit(&clock->ns[stage], now - *since, memory_order_relaxed);
	*since = now;
}

#endif
