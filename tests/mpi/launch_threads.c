// SPDX-License-Identifier: BSD-2-Clause
/*
 * launch_threads.c - ranks that are threads: gsort-ranks, for tests
 *
 * GSORT_RANKS says how many.  Each has a job of its own, with the same options; the first one
 * that fails ends the others.
 *
 * SIGALRM ends a job that hangs.
 *
 * Rank 0 is the main thread, which alone takes signals, as in a process of its own: it makes the shared
 * output, and no file may come up behind the handler that removes it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/launch.h"
#include "cli/process.h"
#include "cli/report.h"
#include "tests/mpi/ranks_threads.h"

enum { RANKS_MOST = 64, HANGS_AFTER_S = 120 };

static unsigned size;
static _Thread_local struct gs_ranks *ranks;

struct member {
	struct gs_opts opts;
	int            status;
	int          (*run)(struct gs_opts *opts);
};

void
gs_launch_begin(int *argc, char ***argv)
{
	const char *value = getenv("GSORT_RANKS");

	(void)argc;
	(void)argv;
	size = value == NULL ? 1 : (unsigned)atoi(value);
	if (size == 0 || size > RANKS_MOST) {
		gs_report_error("cannot make the ranks");
		gs_process_end(GS_EXIT_ERROR);
	}
	alarm(HANGS_AFTER_S);
}

unsigned
gs_launch_size(void)
{
	return size;
}

/* There is one command line. */
bool
gs_launch_agree(const struct gs_opts *opts, bool read)
{
	(void)opts;
	return read;
}

void
gs_launch_end(void)
{
}

const struct gs_ranks *
gs_launch_rank(void)
{
	return ranks;
}

static void
run_member(struct gs_ranks *own, void *context)
{
	struct member *member = context;

	ranks = own;
	member->opts.job.ranks = ranks;
	member->opts.progress = GS_PROGRESS_NEVER;
	if (!gs_launch_is_root())
		gs_launch_mute(&member->opts);
	member->status = member->run(&member->opts);
}

int
gs_launch_run(struct gs_opts *opts, int (*run)(struct gs_opts *opts))
{
	static struct member members[RANKS_MOST];
	int status = 0;

	if (size == 1)
		return run(opts);
	for (unsigned r = 0; r < size; r++)
		members[r] = (struct member){ .opts = *opts, .run = run };
	if (!gs_ranks_threads_run(size, run_member, members, sizeof members[0])) {
		gs_report_error("cannot make the ranks");
		gs_process_end(GS_EXIT_ERROR);
	}
	for (unsigned r = 0; r < size; r++)
		if (members[r].status > status)
			status = members[r].status;
	return status;
}

void
gs_launch_fail(void)
{
	if (ranks != NULL && !ranks->agreed)
		gs_ranks_abort(ranks, GS_EXIT_ERROR);
}
