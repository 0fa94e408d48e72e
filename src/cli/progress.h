// SPDX-License-Identifier: BSD-2-Clause
/*
 * progress.h - how far the job has come, on standard error
 *
 * A bar on a terminal if --progress or -v asks for it; a line for every SIGUSR1
 * (SIGINFO where there is one) always, even with -q.
 */
#ifndef GS_PROGRESS_H
#define GS_PROGRESS_H

#include "cli/opts.h"

/** First of all: from here on the signals wait instead of killing; so do all threads'. */
void gs_progress_block(void);

/** Begin to watch.  May put a function into OPTS->job.write that clears the terminal
 *  before output goes there. */
void gs_progress_begin(struct gs_opts *opts);

/** The job is open: its figures can be asked for. */
void gs_progress_watch(const gsort *job);

/** The job has ended or is about to be closed; nothing is left on the terminal. */
void gs_progress_end(void);

/** Around a message: the bar steps aside and stays away. */
void gs_progress_hold(void);
void gs_progress_release(void);

#endif
