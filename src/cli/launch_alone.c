// SPDX-License-Identifier: BSD-2-Clause
/*
 * launch_alone.c - one process: gsort
 *
 * If mpirun(1) or srun(1) has started several of them, each sorts all of the input.  That is a
 * mistake, but a script may also sort a file of its own in each process: so warn.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/launch.h"
#include "cli/report.h"

void
gs_launch_begin(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
}

unsigned
gs_launch_size(void)
{
	return 1;
}

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

void
gs_launch_fail(void)
{
}

const struct gs_ranks *
gs_launch_rank(void)
{
	return NULL;
}

int
gs_launch_run(struct gs_opts *opts, int (*run)(struct gs_opts *opts))
{
	/* Open MPI, MPICH and Slurm say there how many processes they have started */
	static const char *const names[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_SIZE" };
	int processes = 1;

	for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
		const char *value = getenv(names[n]);

		if (value != NULL && atoi(value) > processes)
			processes = atoi(value);
	}
	if (processes > 1 && !opts->quiet && opts->job.output != NULL &&
	    opts->job.operation != GSORT_CHECK)
		gs_report_error("warning: each of %d processes sorts all of the input; gsort-mpi sorts it "
		                "once, together", processes);
	return run(opts);
}
