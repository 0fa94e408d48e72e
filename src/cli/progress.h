// SPDX-License-Identifier: BSD-2-Clause
/*
 * progress.h - show on standard error how far the job has come
 *
 * A bar on a terminal, for --progress or -v.  A line for each SIGUSR1 (and SIGINFO where it
 * exists), always, even with -q.
 */
#ifndef GS_PROGRESS_H
#define GS_PROGRESS_H

#include "cli/opts.h"

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

#endif
