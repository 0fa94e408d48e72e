// SPDX-License-Identifier: BSD-2-Clause
/*
 * monitor.h - what a job reports while it runs: notes, warnings, stage times, counters
 *
 * One monitor a job.  Every layer may report to it; nothing is ever read back from it to make
 * a decision.  Notes and warnings go to the caller's functions, a line a call; the operands of a set may call
 * these at the same time.
 */
#ifndef GS_MONITOR_H
#define GS_MONITOR_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/status.h"

/* ---- the time of all threads, divided into stages --------------------------------- */

/*
 * A thread that has finished a piece of work adds the time since its last lap to a stage;
 * --verbose=json prints the sums.  A lap costs about 40 ns, so take one every 100 KiB or so, not
 * for each key.
 *
 * A thread's clock also counts the time that the members of its team (team.h) work for it,
 * and stops while the thread waits for others.  So a lap around a function is right however
 * many threads work inside.
 */

enum gs_stage {
	GS_STAGE_READ,		/* including the wait for input, and decompression */
	GS_STAGE_DECODE,	/* bytes to ordered bits */
	GS_STAGE_SORT,		/* including the check whether keys are in order */
	GS_STAGE_MERGE,
	GS_STAGE_SPILL,		/* runs to and from disk */
	GS_STAGE_ENCODE,	/* ordered bits to bytes, including selection and --verify */
	GS_STAGE_WRITE,		/* including the wait for output */
	GS_STAGES
};

struct gs_clock {
	_Atomic uint64_t ns[GS_STAGES];
};

/* Of this thread: the work of others for it, less its waiting for others, modulo 2^64. */
extern _Thread_local uint64_t gs_clock_helped;

/** The monotonic clock in nanoseconds. */
static inline uint64_t
gs_clock_wall(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/** This thread's clock in nanoseconds; only differences mean something. */
static inline uint64_t
gs_clock_now(void)
{
	return gs_clock_wall() + gs_clock_helped;
}

/** Add the time of this thread's clock since *SINCE to STAGE, and set *SINCE to now.  Any
 *  thread may call it; with CLOCK NULL nothing is added. */
static inline void
gs_clock_lap(struct gs_clock *clock, enum gs_stage stage, uint64_t *since)
{
	const uint64_t now = gs_clock_now();

	if (clock != NULL)
		atomic_fetch_add_explicit(&clock->ns[stage], now - *since, memory_order_relaxed);
	*since = now;
}

/* ---- notes, warnings and counters (monitor.c) ------------------------------------- */

/* Progress, written by the threads of the job and read by any thread. */
struct gs_counters {
	atomic_uint      phase;		/* enum gsort_phase */
	_Atomic uint64_t bytes_in, bytes_total, keys_in, keys_sorted, bytes_out;
	_Atomic uint64_t stored_in, stored_total;	/* of the input's files, compressed as they are */
	atomic_uint      runs;
	_Atomic uint64_t spilled_bytes;		/* of keys, to temporary files */

	/* What the plan expects (job/forecast.c): nanoseconds until all is read, of merging runs into runs,
	 * of the rest; and bytes of keys in temporary files, at a time and in all. */
	_Atomic uint64_t read_ns, merge_ns, write_ns, disk_bytes, written_bytes;
};

/* A function that takes a line without a newline; NULL: the lines are dropped. */
struct gs_listener {
	void (*take)(void *context, const char *line);
	void  *context;
};

struct gs_monitor {
	struct gs_listener note, warn;
	struct gs_clock    clock;	/* time of each stage, over all threads */
	struct gs_counters counters;
};

/** Report a line: at most GS_MESSAGE_BYTES of it. */
void gs_tell(const struct gs_listener *to, const char *format, ...) PRINTF(2, 3);

/* That --verbose shows; and that every user should see. */
#define gs_note(monitor, ...)	gs_tell(&(monitor)->note, __VA_ARGS__)
#define gs_warn(monitor, ...)	gs_tell(&(monitor)->warn, __VA_ARGS__)

#endif
