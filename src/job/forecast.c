// SPDX-License-Identifier: BSD-2-Clause
/* forecast.c - a job as plan/forecast.c takes it, and how much of it is done: for --plan and the time left */
#include "job/job.h"

enum { INFLATES = 3 };			/* how many times as large compressed input becomes; not tuned */

void
gs_job_estimate(const struct gsort *job, struct gs_estimate *estimate)
{
	struct gs_plan_input input = job->plan_input;

	if (input.input_bytes != UINT64_MAX)
		(void)job->feed.kind->work(&job->feed, &input, &input.input_bytes);
	gs_plan_estimate(&job->plan, &input, estimate);
}

static void
forecast_of(const struct gsort *job, uint64_t bytes, struct gs_forecast *forecast)
{
	struct gs_plan_input input = job->plan_input, part;
	struct gs_plan plan = job->plan;
	enum gs_work work;
	uint64_t kept;

	input.input_bytes = bytes;
	work = job->feed.kind->work(&job->feed, &input, &kept);
	if (job->options.set != GSORT_NO_SET)
		input.operation = GSORT_SORT;
	/* each input of a set of keys is sorted, in an equal share */
	if (job->options.set != GSORT_NO_SET && input.shares > 1 && bytes != UINT64_MAX) {
		part = input;
		part.input_bytes /= part.shares - 1;
		part.heads = false;
		job->feed.kind->plan(&part);
		if (gs_plan_make(&plan, &part) != GS_OK)
			plan = job->plan;
	}
	gs_plan_forecast(forecast, &plan, &input, work, kept);
}

void
gs_job_forecast(const struct gsort *job, struct gs_forecast *forecast)
{
	const uint64_t stored = atomic_load(&job->monitor.counters.stored_total);
	const bool guess = job->plan_input.input_bytes == UINT64_MAX && stored < UINT64_MAX / INFLATES;

	forecast_of(job, guess ? INFLATES * stored : job->plan_input.input_bytes, forecast);
}

/* Counters hold no more than 30 years. */
static uint64_t
ns_of(double seconds)
{
	return (uint64_t)((seconds < 1e9 ? seconds : 1e9) * 1e9);
}

void
gs_job_expect(struct gsort *job, bool read)
{
	struct gs_counters *to = &job->monitor.counters;
	struct gs_forecast forecast;

	if (read && atomic_load(&to->read_ns) > 0)
		return;
	if (read)
		forecast_of(job, atomic_load(&to->bytes_in), &forecast);
	else
		gs_job_forecast(job, &forecast);
	atomic_store(&to->read_ns, ns_of(forecast.read_seconds));
	atomic_store(&to->merge_ns, ns_of(forecast.merge_seconds));
	atomic_store(&to->write_ns, ns_of(forecast.write_seconds));
	atomic_store(&to->disk_bytes, forecast.disk_bytes);
	atomic_store(&to->written_bytes, forecast.written_bytes);
}

/* ---- how much is done ---------------------------------------------------------- */

static double
share(uint64_t part, uint64_t whole)
{
	return whole == 0 || part >= whole ? 1 : (double)part / (double)whole;
}

void
gs_job_work(const struct gsort *job, struct gsort_progress *p)
{
	const struct gs_counters *now = &job->monitor.counters;
	const uint64_t read = atomic_load(&now->read_ns), merge = atomic_load(&now->merge_ns);
	const uint64_t write = atomic_load(&now->write_ns);
	const uint64_t runs = atomic_load(&now->disk_bytes), spilled = atomic_load(&now->spilled_bytes);
	const uint64_t come = p->bytes_in > p->stored_in ? p->bytes_in : p->stored_in;
	/* A merge and a set of keys write while they read; options may change while another thread asks. */
	const bool last = p->phase == GSORT_WRITING && write > 0 && atomic_load(&job->set) == NULL;
	double done = (double)read + (double)merge;

	p->work_total = read + merge + write;
	/* of passes over runs, before the last: what they write is all that is written, but for the runs */
	if (!last)
		done = (double)read * (p->bytes_total != UINT64_MAX ? share(come, p->bytes_total)
		                                                     : share(p->stored_in, p->stored_total)) +
		       (double)merge * (spilled <= runs ? 0 : share(spilled - runs,
		                                                    atomic_load(&now->written_bytes) - runs));
	if (p->keys_in > 0)
		done += (double)write * share(p->keys_sorted, p->keys_in);
	p->work_done = p->phase == GSORT_DONE || done >= (double)p->work_total ? p->work_total
	                                                                        : (uint64_t)done;
}
