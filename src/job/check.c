// SPDX-License-Identifier: BSD-2-Clause
/*
 * check.c - is the input sorted?
 *
 * In:   inputs, which are checked as if they were one (kinds/source.c).
 * Out:  the answer, and a message about the first element out of order; or counts.
 *
 * Nothing is written, and no GPU is used.
 */
#include "job/job.h"
#include "ranks/rank_job.h"

gs_status
gs_job_check(struct gsort *job, bool *disorder)
{
	struct gs_follow follow;
	gs_status status;

	atomic_store(&job->monitor.counters.phase, GSORT_READING);
	do {
		if (job->feed.ingest.done.stopped)		/* numbers become lines */
			TRY(gs_job_become_lines(job));
		follow = (struct gs_follow){
			.order = job->feed.by,
			.key_bits = job->plan_input.key_bits,
			.strict = job->options.unique,
			.counts_breaks = job->options.check == GSORT_CHECK_SUMMARY,
			.threads = (job->plan.threads + 1) / 2,	/* the other half reads */
		};
		status = job->feed.kind->check(&job->feed, &follow);
	} while (job->feed.ingest.done.stopped);
	gs_feed_count(&job->feed, &job->stats);
	job->stats.keys = follow.elements;
	job->stats.breaks = follow.breaks;
	job->stats.duplicates = follow.duplicates;
	*disorder = follow.disorder || follow.breaks > 0 || (follow.strict && follow.duplicates > 0);
	if (follow.disorder)
		status = job->options.check == GSORT_CHECK_FIRST ? GS_OK : gs_fail(GS_OK, "%s", "");
	gs_follow_close(&follow);
	return gs_rank_check(job, status, disorder);
}
