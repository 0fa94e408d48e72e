// SPDX-License-Identifier: BSD-2-Clause
/* run.c - run the operation of a job, and report on it */
#include <stdio.h>

#include "base/monitor.h"
#include "base/thread.h"
#include "job/job.h"
#include "ranks/rank_job.h"

/* Collect the counts of the job's objects. */
static void
collect_stats(struct gsort *job)
{
	struct gsort_stats *stats = &job->stats;
	struct gsort_stages *busy = &stats->busy;
	double *const seconds[GS_STAGES] = {	/* over all threads */
		[GS_STAGE_READ] = &busy->read, [GS_STAGE_DECODE] = &busy->decode,
		[GS_STAGE_SORT] = &busy->sort, [GS_STAGE_MERGE] = &busy->merge,
		[GS_STAGE_SPILL] = &busy->spill, [GS_STAGE_ENCODE] = &busy->encode,
		[GS_STAGE_WRITE] = &busy->write,
	};
	const enum gsort_operation operation = job->options.operation;
	double idle = stats->seconds * job->plan.threads;

	for (int s = 0; s < GS_STAGES; s++) {
		*seconds[s] = (double)atomic_load(&job->monitor.clock.ns[s]) / 1e9;
		idle -= *seconds[s];
	}
	busy->idle = idle > 0 ? idle : 0;
	stats->device_rule = job->plan.device_rule;
	if (operation == GSORT_MERGE)
		stats->write_seconds = stats->seconds;
	if (operation == GSORT_CHECK) {
		stats->read_seconds = stats->seconds;
		return;
	}
	stats->device = "cpu";
	stats->batches = 1;
	if (job->feed.engine.context != NULL)
		job->feed.engine.stats(job->feed.engine.context, stats);
	if (operation == GSORT_MERGE && job->feed.by == NULL) {
		stats->device = "cpu";
		stats->batches = (unsigned)job->rank_job->given.input_count;
	}
	stats->keys_out = job->emit.written.keys;
	stats->bytes_out = job->emit.written.bytes;
	stats->verified = job->verify.on && !job->verify.order_alone;
	if (job->set != NULL)
		gs_combine_stats(job->set, stats);
	else
		gs_feed_count(&job->feed, stats);
}

/* Statistics of all ranks; the message stays.  Not inlined: the frame of gs_job_run() lies below all
 * others, and a stack may have 64 KiB. */
static __attribute__((noinline)) gs_status
sum_stats(struct gsort *job)
{
	char message[GS_MESSAGE_BYTES];

	snprintf(message, sizeof message, "%s", gs_message());
	TRY(gs_rank_sum_stats(job->rank_job, &job->stats));
	(void)gs_fail(GS_OK, "%s", message);
	return GS_OK;
}

gsort_status
gs_job_run(struct gsort *job)
{
	const uint64_t start = gs_clock_wall();
	bool disorder = false;
	const enum gsort_operation operation = job->options.operation;
	gs_status status = operation == GSORT_CHECK ? gs_job_check(job, &disorder) :
	                   operation == GSORT_SORT ? gs_job_sort(job) :
	                   gs_job_combines(job) ? gs_job_combine(job) : gs_job_merge(job);

	if (gs_thread_was_missed() && status == GS_OK)
		gs_warn(&job->monitor, "the system refused to start a thread: the job went on with fewer; "
		        "see ulimit -u, or ask for fewer with --parallel");
	job->stats.seconds = (double)(gs_clock_wall() - start) / 1e9;
	collect_stats(job);
	THEN(status, gs_ranks_agree(job->rank_job->ranks, gs_line_order_check(&job->feed.lines.order)));
	THEN(status, sum_stats(job));
	atomic_store(&job->monitor.counters.phase, GSORT_DONE);
	/* A read that was interrupted looks like the end of the file, or like an error. */
	if ((status != GS_OK || operation == GSORT_CHECK) &&
	    gs_check_interrupted(&job->phases.interrupted) != GS_OK)
		return GSORT_ERROR;
	if (status != GS_OK)
		return GSORT_ERROR;
	if (job->options.invalid == GSORT_INVALID_FAIL && job->stats.invalid_lines > 0) {
		const char *before = disorder ? gs_message() : "";	/* the first one comes first */

		(void)gs_fail(GS_EINPUT, "%s%s%llu invalid line%s left out", before,
		              *before != '\0' ? "; " : "", (unsigned long long)job->stats.invalid_lines,
		              job->stats.invalid_lines == 1 ? " was" : "s were");
		(void)!gs_ranks_agree(job->rank_job->ranks, GS_EINPUT);		/* one rank says so */
		return GSORT_ERROR;
	}
	gs_lost_close(job->lost, &job->options, job->stats.bytes_in, &job->monitor);
	return disorder ? GSORT_DISORDER : GSORT_OK;
}
