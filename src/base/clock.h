// SPDX-License-Identifier: BSD-2-Clause
/*
 * clock.h - where the time of all threads goes
 *
 * Each thread says, when it has done something, what it was; sums are for --stats.  A lap
 * costs some 40 ns, so it is for pieces of 100 KiB, not for keys.
 */
#ifndef GS_CLOCK_H
#define GS_CLOCK_H

#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

enum gs_stage {
	GS_STAGE_READ,		/* waiting for input included */
	GS_STAGE_DECODE,	/* bytes to ordered bits */
	GS_STAGE_SORT,
	GS_STAGE_MERGE,
	GS_STAGE_SPILL,		/* runs to and from disk */
	GS_STAGE_ENCODE,	/* ordered bits to bytes; selecting and verifying, too */
	GS_STAGE_WRITE,		/* waiting for output included */
	GS_STAGES
};

struct gs_clock {
	_Atomic uint64_t ns[GS_STAGES];
};

static inline uint64_t
gs_clock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/** The time since *SINCE went into STAGE; *SINCE is now.  Any thread. */
static inline void
gs_clock_lap(struct gs_clock *clock, enum gs_stage stage, uint64_t *since)
{
	const uint64_t now = gs_clock_now();

	atomic_fetch_add_explicit(&clock->ns[stage], now - *since, memory_order_relaxed);
	*since = now;
}

#endif
