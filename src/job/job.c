// SPDX-License-Identifier: BSD-2-Clause
/*
 * job.c - a job from beginning to end, and the public interface
 *
 * sort_stream() is the whole program, left to right.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "format/key.h"
#include "job/job.h"

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- running ------------------------------------------------------------ */

/* The whole program, left to right.  Read this first: each call is one file. */
static gs_status
sort_stream(struct gsort *job)
{
	const double start = now();
	double read, sorted;

	atomic_store(&job->monitor.counters.phase, GSORT_READING);
	TRY(gs_device_begin(job));
	TRY(gs_fill(job));			/* input -> ordered bits -> buckets, or a GPU */
	read = now();
	atomic_store(&job->monitor.counters.phase, GSORT_SORTING);
	TRY(gs_device_finish(job));		/* -> one sorted batch, or what is soon sorted */
	if (job->stats.batches > 0)		/* it is not the only one */
		TRY(gs_aside_last(job));
	sorted = now();
	atomic_store(&job->monitor.counters.phase, GSORT_WRITING);
	TRY(gs_emit(job));			/* runs, sorted keys -> bytes -> output */
	TRY(gs_output_finish(job->output));

	job->stats.batches += job->stats.batches == 0;
	job->stats.read_seconds = read - start;
	job->stats.sort_seconds = sorted - read;
	job->stats.write_seconds = now() - sorted;
	return GS_OK;
}

/* ---- the public interface ----------------------------------------------- */

gsort_status
gsort_open(gsort **opened, const struct gsort_options *options)
{
	struct gsort *job = calloc(1, sizeof *job);

	*opened = job;
	if (job == NULL) {
		(void)gs_fail(GS_EBUDGET, "out of memory");
		return GSORT_TROUBLE;
	}
	job->options = options;
	job->monitor.note = (struct gs_listener){ options->note, options->note_context };
	job->monitor.warn = (struct gs_listener){ options->warn, options->warn_context };
	pthread_mutex_init(&job->confining, NULL);
	if (gs_job_open(job) != GS_OK) {
		gsort_close(job);
		*opened = NULL;
		return GSORT_TROUBLE;
	}
	job->stats.threads = job->plan.threads;
	job->stats.device = "cpu";
	return GSORT_OK;
}

static gs_status
run(struct gsort *job, bool *disorder)
{
	switch (job->options->operation) {
	case GSORT_CHECK: return gs_job_check(job, disorder);
	case GSORT_MERGE: return gs_job_merge(job);
	default:          return sort_stream(job);
	}
}

/* What threads were busy with, in the statistics. */
static void
tell_stages(struct gsort *job)
{
	struct gsort_stages *busy = &job->stats.busy;
	double *const seconds[GS_STAGES] = {
		[GS_STAGE_READ] = &busy->read, [GS_STAGE_DECODE] = &busy->decode,
		[GS_STAGE_SORT] = &busy->sort, [GS_STAGE_MERGE] = &busy->merge,
		[GS_STAGE_SPILL] = &busy->spill, [GS_STAGE_ENCODE] = &busy->encode,
		[GS_STAGE_WRITE] = &busy->write,
	};
	double idle = job->stats.seconds * job->plan.threads;

	for (int s = 0; s < GS_STAGES; s++) {
		*seconds[s] = (double)atomic_load(&job->monitor.clock.ns[s]) / 1e9;
		idle -= *seconds[s];
	}
	busy->idle = idle > 0 ? idle : 0;
}

gsort_status
gs_job_run(struct gsort *job)
{
	const double start = now();
	bool disorder = false;
	const gs_status status = run(job, &disorder);

	job->stats.seconds = now() - start;
	tell_stages(job);
	gs_device_tell(job);
	if (job->options->operation == GSORT_CHECK)
		job->stats.read_seconds = job->stats.seconds;
	if (job->options->operation == GSORT_MERGE)
		job->stats.write_seconds = job->stats.seconds;
	atomic_store(&job->monitor.counters.phase, GSORT_DONE);
	if (status != GS_OK)
		return GSORT_TROUBLE;
	if (job->options->invalid == GSORT_INVALID_FAIL && job->stats.invalid_lines > 0) {
		(void)gs_fail(GS_EINPUT, "%llu invalid line%s left out",
		              (unsigned long long)job->stats.invalid_lines,
		              job->stats.invalid_lines == 1 ? " was" : "s were");
		return GSORT_TROUBLE;
	}
	return disorder ? GSORT_DISORDER : GSORT_OK;
}

gsort_status
gsort_run(gsort *job)
{
	if (!job->options->fed && !job->options->drained)
		return gs_job_run(job);
	(void)gs_fail(GS_EUSAGE, "a job that is fed or drained runs by itself: it ends with "
	              "gsort_feed_end() or gsort_drain()");
	return GSORT_TROUBLE;
}

void
gsort_progress(const gsort *job, struct gsort_progress *progress)
{
	const struct gs_counters *now = &job->monitor.counters;

	*progress = (struct gsort_progress){
		.phase = (enum gsort_phase)atomic_load(&now->phase),
		.bytes_in = atomic_load(&now->bytes_in),
		.bytes_total = atomic_load(&now->bytes_total),
		.keys_in = atomic_load(&now->keys_in),
		.keys_sorted = atomic_load(&now->keys_sorted),
		.bytes_out = atomic_load(&now->bytes_out),
		.runs = atomic_load(&now->runs),
	};
}

const struct gsort_stats *
gsort_stats(const gsort *job)
{
	return &job->stats;
}

void
gsort_close(gsort *job)
{
	char message[GS_MESSAGE_BYTES];

	if (job == NULL)
		return;
	snprintf(message, sizeof message, "%s", gs_message());
	gs_rendezvous_close(job);
	gs_device_end(job);
	gs_ahead_close(&job->ahead);
	gs_output_close(job->output);
	gs_input_close(job->input);
	gs_runs_close(job);
	gs_arena_close(&job->arena);
	pthread_mutex_destroy(&job->confining);
	free(job);
	(void)gs_fail(GS_OK, "%s", message);	/* closing must not hide why */
}

void
gsort_abandon(void)
{
	gs_output_abandon();
}

const char *
gsort_message(void)
{
	return gs_message();
}

bool
gsort_type_named(const char *name, enum gsort_type *type)
{
	for (int t = GSORT_TEXT; t <= GSORT_TEXT_FLOAT; t++)
		if (strcmp(name, gs_key_name((enum gsort_type)t)) == 0) {
			*type = (enum gsort_type)t;
			return true;
		}
	return false;
}
