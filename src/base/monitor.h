// SPDX-License-Identifier: BSD-2-Clause
/*
 * monitor.h - what a job reports while it runs: notes, warnings, stage times, counters
 *
 * One monitor a job.  Every layer may report to it; nothing is ever read back from it to make
 * a decision.  Notes and warnings go to the caller's functions, one line at a time.
 */
#ifndef GS_MONITOR_H
#define GS_MONITOR_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/status.h"

/* Progress, written by the threads of the job and read by any thread. */
struct gs_counters {
	atomic_uint      phase;		/* enum gsort_phase */
	_Atomic uint64_t bytes_in, bytes_total, keys_in, keys_sorted, bytes_out;
	_Atomic uint64_t stored_in, stored_total;	/* of the input's files, compressed as they are */
	atomic_uint      runs;
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

/** Report a line that --verbose shows: at most 1,200 bytes of it. */
void gs_note(const struct gs_monitor *monitor, const char *format, ...) PRINTF(2, 3);

/** Report a line that every user should see. */
void gs_warn(const struct gs_monitor *monitor, const char *format, ...) PRINTF(2, 3);

#endif
