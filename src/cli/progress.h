// SPDX-License-Identifier: BSD-2-Clause
/*
 * progress.h - show on standard error how far the job has come
 *
 * A bar on a terminal, for --progress or -v.  A line for each SIGUSR1 (and SIGINFO where it
 * exists), always, even with -q.
 */
#ifndef GS_PROGRESS_H
#define GS_PROGRESS_H

#include <stddef.h>

#include "cli/opts.h"
#include "gsort.h"

/** From here on SIGUSR1 is answered, and does not kill.  Call first. */
void gs_progress_answer(void);

/** A signal is about to end the process: erase the bar.  Async-signal-safe. */
void gs_progress_abandon(void);

/** Begin, before the job is opened.  May set OPTS->job.write or OPTS->job.begins to a function that
 *  erases the bar before output reaches its terminal. */
void gs_progress_begin(struct gs_opts *opts);

/** JOB is open: show its progress. */
void gs_progress_watch(const gsort *job);

/** JOB has ended or is about to be closed: erase the bar. */
void gs_progress_end(void);

/** Around a message: erase the bar, and keep the thread from drawing. */
void gs_progress_hold(void);
void gs_progress_release(void);

/** How wide the terminal FD is, or what COLUMNS says of it. */
unsigned gs_terminal_columns(int fd);

/* ---- the same as a line of text --------------------------------------------------- */

/*
 * Async-signal-safe: a handler of SIGUSR1 may call it.
 */

enum { GS_PROGRESS_WIDEST = 256 };

struct gs_progress_line {
	char   text[GS_PROGRESS_WIDEST];
	size_t bytes;
};

/* Seconds. */
struct gs_progress_times {
	double elapsed;
	double write_start;	/* of ELAPSED, when a sort began to write; 0: it has not */
	double write_work;	/* that was done then */
	double left;		/* that the last line said; less than 0: it said nothing */
};

/**
 * Describe PROGRESS: "read 62% 3.9/6.3GiB 2.1GiB/s | sorted 3/5 runs | 0:03 eta 0:04".
 *
 * @progress  NULL: the job is not open yet
 * @times     ELAPSED is that of now, the rest of the last line, which sets it; first all 0, and LEFT -1.  The
 *            seconds left never grow from one line to the next
 * @columns   of the terminal: from 100 on there is a bar before it; 0: no terminal
 */
void gs_progress_describe(struct gs_progress_line *line, const struct gsort_progress *progress,
                          enum gsort_operation operation, struct gs_progress_times *times,
                          unsigned columns);

#endif
