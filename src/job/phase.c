// SPDX-License-Identifier: BSD-2-Clause
/* phase.c - the phases of a job: for progress, for the caller, and how long each took */
#include "base/monitor.h"
#include "job/job.h"

void
gs_phase_end(struct gsort *job)
{
	const double seconds = gs_clock_seconds() - job->phases.since;

	switch (job->phases.now) {
	case GSORT_READING: job->stats.read_seconds += seconds; break;
	case GSORT_SORTING: job->stats.sort_seconds += seconds; break;
	case GSORT_WRITING: job->stats.write_seconds += seconds; break;
	default: break;
	}
	job->phases.now = GSORT_IDLE;
}

void
gs_phase_begin(struct gsort *job, enum gsort_phase phase)
{
	gs_phase_end(job);
	job->phases.now = phase;
	job->phases.since = gs_clock_seconds();
	atomic_store(&job->monitor.counters.phase, phase);
	if (job->options.begins != NULL)
		job->options.begins(job->options.begins_context, phase);
}
