// SPDX-License-Identifier: BSD-2-Clause
/*
 * launch_mpi.c - one of the ranks of a job of MPI: gsort-mpi
 *
 * Alone, it is gsort: MPI ends before the sort begins, so standard output and the sandbox work.
 */
#include <stdio.h>

#include "cli/launch.h"
#include "cli/process.h"
#include "cli/report.h"
#include "net/ranks_mpi.h"

static struct gs_ranks *ranks;

void
gs_launch_begin(int *argc, char ***argv)
{
	const gs_status status = gs_ranks_mpi_open(&ranks, argc, argv);

	if (status != GS_OK) {
		gs_report_error("%s", gs_message());
		gs_process_end(GS_EXIT_ERROR);
	}
	gs_report_mute(ranks->rank > 0);
}

void
gs_launch_fail(void)
{
	if (ranks == NULL || ranks->size == 1 || ranks->agreed)
		return;
	gsort_abandon();		/* MPI_Abort() does not return */
	gs_ranks_abort(ranks, GS_EXIT_ERROR);
}

const struct gs_ranks *
gs_launch_rank(void)
{
	return ranks;
}

void
gs_launch_end(void)
{
	gs_ranks_mpi_close(ranks);
	ranks = NULL;
}

/* Each rank has one GPU, that of its number on its host, or of the user's list. */
static void
choose_gpu(struct gsort_options *job)
{
	if (job->device != GSORT_DEVICE_GPU || job->gpu_count == GSORT_ALL_GPUS)
		return;
	job->gpus[0] = job->gpu_count == 0 ? (int)ranks->local_rank
	                                   : job->gpus[ranks->local_rank % job->gpu_count];
	job->gpu_count = 1;
}

int
gs_launch_run(struct gs_opts *opts, int (*run)(struct gs_opts *opts))
{
	int status;

	gs_report_mute(false);
	if (ranks->size == 1) {
		if (opts->verbose > 0)
			gs_report_error("ranks 1: no other process takes part");
		gs_launch_end();
		return run(opts);
	}
	opts->job.ranks = ranks;
	choose_gpu(&opts->job);
	if (!gs_launch_speaks())
		gs_launch_mute(opts);
	status = run(opts);
	gs_launch_end();
	return status;
}
