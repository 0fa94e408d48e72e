// SPDX-License-Identifier: BSD-2-Clause
/*
 * launch.h - one process, or one of the ranks of a job of MPI
 *
 * gsort has launch_alone.c, gsort-mpi launch_mpi.c; tests/mpi/launch_threads.c makes ranks of
 * threads.
 */
#ifndef GS_LAUNCH_H
#define GS_LAUNCH_H

#include "cli/opts.h"
#include "ranks/net/ranks.h"

/** Call before the command line is read.  Several ranks keep their messages until they agree. */
void gs_launch_begin(int *argc, char ***argv);

/** How many ranks are there?  1: this one is alone. */
unsigned gs_launch_size(void);

/** Call when the command line has been read: as OPTS, or READ is false after a message.  True: all
 *  ranks have read the same.  Else this one, or another, has reported its fault. */
bool gs_launch_agree(const struct gs_opts *opts, bool read);

/** Call RUN with the options of this rank, or of each; returns the exit status of the process. */
int gs_launch_run(struct gs_opts *opts, int (*run)(struct gs_opts *opts));

/** Call at the end of all that calls no gs_launch_run(); all ranks do, or none. */
void gs_launch_end(void);

/** This rank has failed, and has said so: end the others, unless they know.  May not return. */
void gs_launch_fail(void);

/** The rank that this process, or thread, is; NULL: it is alone. */
const struct gs_ranks *gs_launch_rank(void);

/** Does this rank speak for all? */
static inline bool
gs_launch_is_root(void)
{
	const struct gs_ranks *ranks = gs_launch_rank();

	return ranks == NULL || ranks->rank == 0;
}

/** Rank 0 speaks for all: let this one say nothing but errors. */
static inline void
gs_launch_mute(struct gs_opts *opts)
{
	opts->verbose = 0;
	opts->debug = false;
	opts->stats = GS_REPORT_NONE;
	opts->progress = GS_PROGRESS_NEVER;
}

#endif
