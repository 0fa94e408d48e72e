// SPDX-License-Identifier: BSD-2-Clause
/* forecast.c - a job as plan/forecast.c takes it, and how much of that is done: --plan, and the time left */
#include "format/key.h"
#include "job/job.h"
#include "job/options.h"
#include "stages/ingest.h"

enum { SMALL_RECORD = 32, LINE = 24 };	/* bytes; of a line about */
enum { INFLATES = 3 };			/* compressed input becomes so many times as large; not tuned */

static enum gs_work
work_of(const struct gsort *job)
{
	const struct gsort_options *o = &job->options;
	const bool fields = o->keydef_count > 0 || o->locale != NULL ||
	                    (o->ordering != NULL && *o->ordering != '\0');

	if (o->argsort_bits > 0)
		return GS_WORK_NUMBERED;
	if (gs_options_want_column(o))
		return o->lines ? GS_WORK_COLUMN : GS_WORK_RECORDS;
	if (job->kind->items)
		return !o->lines ? (o->record_bytes < SMALL_RECORD ? GS_WORK_SMALL : GS_WORK_RECORDS) :
		       o->csv ? GS_WORK_CSV : fields ? GS_WORK_FIELDS : GS_WORK_LINES;
	if (job->plan.by_counting)
		return GS_WORK_COUNTED;
	return job->plan_input.key_bits > 0 ? GS_WORK_KEYS : o->type == GSORT_TEXT_FLOAT ? GS_WORK_FLOATS
	                                                                                 : GS_WORK_TEXT;
}

/* How much a sort of BYTES of input keeps: of a column the keys, of a head little, with positions more. */
static uint64_t
bytes_kept(const struct gsort *job, uint64_t bytes)
{
	const struct gsort_options *o = &job->options;
	const uint64_t key_bytes = gs_key_bits(o->type) / 8;
	const uint64_t item_bytes = o->record_bytes > 0 ? o->record_bytes
	                            : key_bytes > 0 ? key_bytes : LINE;

	if (gs_options_want_column(o))
		return bytes / item_bytes * (key_bytes > 0 ? key_bytes : sizeof(uint64_t));
	if (!job->kind->items)
		return bytes;
	if (job->plan_input.heads && !o->unique && o->head_count < bytes / item_bytes)
		bytes = item_bytes * o->head_count;
	if (gs_options_want_numbers(o))
		bytes += bytes / item_bytes * sizeof(uint64_t);
	return o->keep_order ? 2 * bytes : bytes;	/* by key, and then in order */
}

void
gs_job_estimate(const struct gsort *job, struct gs_estimate *estimate)
{
	struct gs_plan_input input = job->plan_input;

	if (input.input_bytes != UINT64_MAX && gs_options_want_column(&job->options))
		input.input_bytes = bytes_kept(job, input.input_bytes);
	gs_plan_estimate(&job->plan, &input, estimate);
}

/* Each input of a set of keys is sorted, in an equal share. */
static void
plan_part(const struct gsort *job, const struct gs_plan_input *input, struct gs_plan *plan)
{
	struct gs_plan_input part = *input;

	if (part.shares <= 1 || part.input_bytes == UINT64_MAX)
		return;
	part.input_bytes /= part.shares - 1;
	part.heads = false;
	gs_ingest_plan(&part);
	if (gs_plan_make(plan, &part) != GS_OK)
		*plan = job->plan;
}

/* There are more than can be read at once; or which are the last is known after all were read. */
bool
gs_items_merge_sorts(const struct gsort *job, struct gs_item_merge_sizes *sizes)
{
	const struct gs_item_facts facts = {
		.record_bytes = job->keys.ingest.unit, .item_bytes = job->items.order.item_bytes,
	};
	const size_t count = gs_merge_count(&job->options);

	gs_plan_item_merge(sizes, &job->plan, &job->plan_input, &facts, count);
	return count > sizes->most || job->options.tail.wanted || job->items.npy.first != NULL;
}

static void
forecast_of(const struct gsort *job, uint64_t bytes, struct gs_forecast *forecast)
{
	struct gs_plan_input input = job->plan_input;
	struct gs_plan plan = job->plan;
	struct gs_item_merge_sizes sizes;

	input.input_bytes = bytes;
	if (job->options.set != GSORT_NO_SET) {
		input.operation = GSORT_SORT;
		plan_part(job, &input, &plan);
	} else if (job->options.operation == GSORT_MERGE && job->kind->items) {
		input.operation = gs_items_merge_sorts(job, &sizes) ? GSORT_SORT : GSORT_MERGE;
	}
	gs_plan_forecast(forecast, &plan, &input, work_of(job), bytes_kept(job, bytes));
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

static void
expect(struct gsort *job, const struct gs_forecast *forecast)
{
	struct gs_counters *to = &job->monitor.counters;

	atomic_store(&to->read_ns, ns_of(forecast->read_seconds));
	atomic_store(&to->merge_ns, ns_of(forecast->merge_seconds));
	atomic_store(&to->write_ns, ns_of(forecast->write_seconds));
	atomic_store(&to->disk_bytes, forecast->disk_bytes);
	atomic_store(&to->written_bytes, forecast->written_bytes);
}

void
gs_job_expect(struct gsort *job)
{
	struct gs_forecast forecast;

	gs_job_forecast(job, &forecast);
	expect(job, &forecast);
}

void
gs_job_expect_the_rest(struct gsort *job)
{
	struct gs_forecast forecast;

	if (atomic_load(&job->monitor.counters.read_ns) > 0)
		return;
	forecast_of(job, atomic_load(&job->monitor.counters.bytes_in), &forecast);
	expect(job, &forecast);
}

/* ---- how much is done ---------------------------------------------------------- */

static double
share(uint64_t part, uint64_t whole)
{
	return whole == 0 || part >= whole ? 1 : (double)part / (double)whole;
}

static double
share_read(const struct gsort_progress *p)
{
	const uint64_t come = p->bytes_in > p->stored_in ? p->bytes_in : p->stored_in;

	return p->bytes_total != UINT64_MAX ? share(come, p->bytes_total)
	                                    : share(p->stored_in, p->stored_total);
}

/* Of passes over runs, before the last: what they write is all that is written, but for the runs. */
static double
share_merged(const struct gs_counters *now)
{
	const uint64_t runs = atomic_load(&now->disk_bytes), written = atomic_load(&now->spilled_bytes);

	return written <= runs ? 0 : share(written - runs, atomic_load(&now->written_bytes) - runs);
}

void
gs_job_work(const struct gsort *job, struct gsort_progress *p)
{
	const struct gs_counters *now = &job->monitor.counters;
	const uint64_t read = atomic_load(&now->read_ns), merge = atomic_load(&now->merge_ns);
	const uint64_t write = atomic_load(&now->write_ns);
	/* A merge and a set of keys write while they read; options may change while another thread asks. */
	const bool last = p->phase == GSORT_WRITING && write > 0 && atomic_load(&job->set) == NULL;
	double done;

	p->work_total = read + merge + write;
	done = (double)read * (last ? 1 : share_read(p)) + (double)merge * (last ? 1 : share_merged(now));
	if (p->keys_in > 0)
		done += (double)write * share(p->keys_sorted, p->keys_in);
	p->work_done = p->phase == GSORT_DONE || done >= (double)p->work_total ? p->work_total
	                                                                        : (uint64_t)done;
}
