// SPDX-License-Identifier: BSD-2-Clause
/* api.c - the public interface: open, run, statistics, close */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread.h"
#include "io/replace.h"
#include "job/job.h"
#include "key/key.h"
#include "options/options.h"
#include "output/select.h"
#include "ranks/rank_job.h"
#include "text/disorder.h"

/* Is an input of a merge sorted?  All ranks check it.  If equal keys are one, so are they here. */
static gs_status
check_input(const struct gsort_options *merge, const char *name)
{
	const bool groups = gs_select_wants_groups(merge);
	struct gsort_options check = *merge;
	char message[GS_MESSAGE_BYTES / 2];
	const struct gs_line_order *order;
	const char *advice = GS_ADVICE_UNSORTED;
	gsort_status found;
	gsort *job;

	check.operation = GSORT_CHECK;
	check.check = GSORT_CHECK_FIRST;
	check.inputs = &name;
	check.input_count = 1;
	check.unique = check.counts = check.repeated = check.singletons = check.head = false;
	check.verify = check.in_place = check.underline = false;
	if (check.converts && gs_key_is_text(check.type)) {	/* what only the output needs */
		check.endian = GSORT_ENDIAN_HOST;
	} else if (check.converts) {
		check.notation = GSORT_DECIMAL;
		check.zero_terminated = false;
	}
	check.converts = false;
	check.tail.wanted = false;
	check.stable |= groups;
	check.output = NULL;
	if (gsort_open(&job, &check) != GSORT_OK)
		return gs_failure();
	job->feed.ingest.text.merge_zeros = groups;
	found = gsort_run(job);
	order = &job->feed.lines.order;
	if (order->key_count > 0 && order->last_resort)
		advice = GS_ADVICE_TIES;
	gsort_close(job);
	if (found == GSORT_ERROR)
		return gs_failure();
	if (found == GSORT_OK)
		return gs_ranks_agree(merge->ranks, GS_OK);
	snprintf(message, sizeof message, "%s", gs_message());
	return gs_ranks_agree(merge->ranks, message[0] == '\0' ? GS_OK
	                      : gs_fail(GS_EINPUT, "%s%s", message, advice));
}

static gs_status
open_job(struct gsort *job, const struct gsort_options *options)
{
	job->stats.struct_size = sizeof job->stats;
	TRY(gs_options_copy(&job->options, options));
	gs_options_name_dir(&job->options, &job->temp_dir);
	options = &job->options;
	job->feed.options = &job->options;	/* not assigned as a whole: it is large, and zeroed */
	job->feed.plan_input = &job->plan_input;
	job->feed.plan = &job->plan;
	job->feed.monitor = &job->monitor;
	job->feed.verify = &job->verify;
	job->monitor.note = (struct gs_listener){ options->note, options->note_context };
	job->monitor.warn = (struct gs_listener){ options->warn, options->warn_context };
	TRY(gs_rank_job_open(&job->rank_job, options, check_input, &job->options));
	TRY(gs_ranks_agree(job->rank_job->ranks, gs_job_open(job)));
	job->stats.threads = job->plan.threads;
	job->stats.device = "cpu";
	return GS_OK;
}

static gsort_status
misuse(const char *why)
{
	(void)gs_fail(GS_EUSAGE, "%s", why);
	return GSORT_ERROR;
}

gsort_status
gsort_open(gsort **opened, const struct gsort_options *options)
{
	struct gsort *job;

	if (opened == NULL)
		return misuse("gsort_open() needs a place for the job, not NULL");
	*opened = NULL;		/* until other threads may interrupt it */
	if (gs_thread_check_stack() != GS_OK)
		return GSORT_ERROR;
	job = calloc(1, sizeof *job);
	if (job == NULL) {
		(void)gs_fail(GS_EBUDGET, "out of memory");
		return GSORT_ERROR;
	}
	if (open_job(job, options) == GS_OK) {
		*opened = job;
		return GSORT_OK;
	}
	gsort_close(job);
	return GSORT_ERROR;
}

gsort_status
gsort_run(gsort *job)
{
	if (job == NULL)
		return misuse("there is no job: it is NULL");
	if (atomic_exchange(&job->phases.began, true))
		return misuse("a job runs once: to sort again, open another one");
	return gs_thread_check_stack() != GS_OK ? GSORT_ERROR : gs_job_run(job);
}

void
gsort_progress(const gsort *job, struct gsort_progress *progress)
{
	const struct gs_counters *now;

	if (progress == NULL)
		return;
	if (job == NULL) {
		*progress = (struct gsort_progress){ .phase = GSORT_IDLE };
		return;
	}
	now = &job->monitor.counters;
	*progress = (struct gsort_progress){	/* reserved: 0 */
		.phase = (enum gsort_phase)atomic_load(&now->phase),
		.bytes_in = atomic_load(&now->bytes_in),
		.bytes_total = atomic_load(&now->bytes_total),
		.keys_in = atomic_load(&now->keys_in),
		.keys_sorted = atomic_load(&now->keys_sorted),
		.bytes_out = atomic_load(&now->bytes_out),
		.runs = atomic_load(&now->runs),
		.stored_in = atomic_load(&now->stored_in),
		.stored_total = atomic_load(&now->stored_total),
	};
	gs_combine_progress(atomic_load(&job->set), progress);
	gs_job_work(job, progress);
}

const struct gsort_stats *
gsort_stats(const gsort *job)
{
	static const struct gsort_stats none = { .struct_size = sizeof none };

	return job != NULL ? &job->stats : &none;
}

void
gsort_close(gsort *job)
{
	struct gs_error error;

	if (job == NULL)
		return;
	gs_error_keep(&error, gs_failure());
	if (job->feed.input != NULL)
		gs_input_stop(job->feed.input);
	gs_combine_close(job->set);
	gs_emit_close(&job->emit);
	gs_outputs_close(&job->outputs);
	gs_feed_close(&job->feed);
	gs_input_close(job->feed.input);
	gs_arena_close(&job->buffers);
	gs_rank_job_close(job->rank_job);
	free(job);
	(void)gs_error_again(&error);	/* closing must not hide the reason */
}

void
gsort_interrupt(gsort *job)
{
	if (job == NULL)
		return;
	atomic_store(&job->phases.interrupted, true);
	if (job->feed.input != NULL)
		gs_input_stop(job->feed.input);
}

void
gsort_abandon(void)
{
	gs_replace_abandon();
}

const char *
gsort_message(void)
{
	return gs_message();
}

enum gsort_error
gsort_last_error(void)
{
	static const enum gsort_error kinds[] = {
		[GS_OK] = GSORT_ERROR_NONE, [GS_EUSAGE] = GSORT_ERROR_USAGE,
		[GS_EINPUT] = GSORT_ERROR_INPUT, [GS_EIO] = GSORT_ERROR_IO,
		[GS_EBUDGET] = GSORT_ERROR_MEMORY, [GS_ENODEV] = GSORT_ERROR_DEVICE,
		[GS_EDEVMEM] = GSORT_ERROR_DEVICE, [GS_EDEVICE] = GSORT_ERROR_DEVICE,
		[GS_EINTERRUPTED] = GSORT_ERROR_INTERRUPTED,
	};

	return kinds[gs_failure()];
}

int
gsort_last_errno(void)
{
	return gs_failure_errno();
}

bool
gsort_type_named(const char *name, enum gsort_type *type)
{
	for (int t = GSORT_TEXT; name != NULL && type != NULL && t <= GS_TYPE_LAST; t++)
		if (strcmp(name, gs_key_name((enum gsort_type)t)) == 0) {
			*type = (enum gsort_type)t;
			return true;
		}
	return false;
}
