// SPDX-License-Identifier: BSD-2-Clause
/*
 * launch_mpi.c - one of the ranks of a job of MPI: gsort-mpi
 *
 * Alone, it is gsort: MPI ends before the sort begins, so standard output and the sandbox work.
 *
 * Invariant: no rank begins its job before all have read the same command line.
 */
#include <stdio.h>
#include <string.h>

#include "cli/launch.h"
#include "cli/process.h"
#include "cli/report.h"
#include "ranks/net/ranks.h"

/* What must be the same on all ranks: digests of the words and, if they are understood, of the names of
 * inputs. */
struct command {
	uint64_t words, read, inputs;
};

static struct gs_ranks *ranks;
static uint64_t words;		/* the digest of this rank's command line */

/* Digest COUNT strings with their terminators. */
static uint64_t
digest(const char *const *strings, size_t count)
{
	uint64_t sum = GS_FNV_BEGIN;

	for (size_t s = 0; s < count; s++)
		sum = gs_fnv_add(sum, strings[s], strlen(strings[s]) + 1);
	return sum;
}

void
gs_launch_begin(int *argc, char ***argv)
{
	const gs_status status = gs_ranks_mpi_open(&ranks, argc, argv);

	if (status != GS_OK) {
		gs_report_error("%s", gs_message());
		if (ranks != NULL)
			gs_ranks_abort(ranks, GS_EXIT_ERROR);
		gs_process_end(GS_EXIT_ERROR);
	}
	if (ranks->size == 1)
		return;
	gs_report_hold();
	if (*argc > 1)
		words = digest((const char *const *)*argv + 1, (size_t)*argc - 1);
}

unsigned
gs_launch_size(void)
{
	return ranks->size;
}

void
gs_launch_fail(void)
{
	if (ranks == NULL || ranks->size == 1 || ranks->agreed)
		return;
	gsort_abandon();		/* MPI_Abort() does not return */
	gs_ranks_abort(ranks, GS_EXIT_ERROR);
}

bool
gs_launch_agree(const struct gs_opts *opts, bool read)
{
	char name[GS_HOST_BYTES + 32];
	struct command mine = { .words = words, .read = read }, first;
	uint64_t before = 0, failed = 0;
	gs_status status;

	if (ranks->size == 1)
		return read;
	if (read)
		mine.inputs = digest(opts->job.inputs, opts->job.input_count);
	first = mine;
	status = gs_ranks_share(ranks, &first, sizeof first);
	if (status == GS_OK && read && first.read != 0) {
		read = mine.words == first.words && mine.inputs == first.inputs;
		if (mine.words != first.words)
			gs_report_error("its command line is not that of rank 0: all ranks take the same "
			                "options and inputs");
		else if (!read)
			gs_report_error("its names of inputs are not those that rank 0 has read: the file of "
			                "--files0-from must be the same on all hosts");
	}
	THEN(status, gs_ranks_scan(ranks, !read, &before, &failed));
	snprintf(name, sizeof name, "rank %u on %s: ", ranks->rank, ranks->host);
	if (status != GS_OK) {
		gs_report_error("%s", gs_message());
		gs_report_release(name);
		gs_launch_fail();
	} else if (failed > 0) {	/* with a name, if it is not the same for all */
		gs_report_release(!read && before == 0 ? failed < ranks->size ? name : "" : NULL);
	} else {
		gs_report_release(ranks->rank == 0 ? "" : NULL);
	}
	return status == GS_OK && failed == 0;
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

int
gs_launch_run(struct gs_opts *opts, int (*run)(struct gs_opts *opts))
{
	struct gsort_options *job = &opts->job;
	int status;

	if (job->gpu_count == GSORT_ALL_GPUS && ranks->size == 1)
		job->gpu_count = 0;
	if (job->device == GSORT_DEVICE_GPU && job->gpu_count != GSORT_ALL_GPUS) {
		/* each rank has one GPU: its number on its host, in the user's list if there is one */
		job->gpus[0] = job->gpu_count == 0 ? (int)ranks->local_rank
		                                   : job->gpus[ranks->local_rank % job->gpu_count];
		job->gpu_count = 1;
	}
	if (ranks->size == 1) {
		if (opts->verbose > 0)
			gs_report_error("ranks 1: no other process takes part");
		gs_launch_end();
		return run(opts);
	}
	job->ranks = ranks;
	if (!gs_launch_is_root())
		gs_launch_mute(opts);
	status = run(opts);
	gs_launch_end();
	return status;
}
