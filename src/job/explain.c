// SPDX-License-Identifier: BSD-2-Clause
/* explain.c - the plan in words: gsort --plan, --debug */
#include "config.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/round.h"
#include "job/job.h"
#include "job/print.h"
#include "key/key.h"
#include "plan/plan.h"
#include "ranks/rank_job.h"

/* "/tmp", "/tmp and 1 more"; *FREE_BYTES: directories are used in turn, so the fullest one decides. */
static const char *
dirs_text(const struct gsort_options *options, char text[128], uint64_t *free_bytes)
{
	const char *first = options->temp_dirs[0];
	const size_t count = options->temp_dir_count;

	assert(count > 0);
	*free_bytes = UINT64_MAX;
	for (size_t d = 0; d < count; d++)
		*free_bytes = gs_least(*free_bytes, gs_limits_disk_bytes(options->temp_dirs[d]));
	if (*free_bytes < UINT64_MAX / count)
		*free_bytes *= count;
	if (count > 1)
		snprintf(text, 128, "%.80s and %zu more", first, count - 1);
	else
		snprintf(text, 128, "%.120s", first);
	return text;
}

static void
print_disk(const struct gs_line_printer *to, const struct gsort_options *options, uint64_t disk_bytes,
           uint64_t written_bytes)
{
	uint64_t free_bytes;
	char text[128], a[32], b[32], c[32];
	const char *dirs = dirs_text(options, text, &free_bytes);

	if (disk_bytes == 0)
		gs_print_line(to, "disk", "%s, if more comes: %s are free", dirs,
		              gs_size_text(free_bytes, a));
	else
		gs_print_line(to, "disk", "%s: %s at a time, %s written in all; %s are free%s", dirs,
		              gs_size_text(disk_bytes, a), gs_size_text(written_bytes, b),
		              gs_size_text(free_bytes, c), free_bytes >= disk_bytes ? "" :
		              options->compress_program != NULL ? ", enough only if they compress well" :
		              ", which is NOT ENOUGH: name other directories with -T");
}

static void
explain_keys_memory(const struct gs_line_printer *to, const struct gsort *job)
{
	const struct gs_plan *plan = &job->plan;
	struct gs_estimate estimate;
	char a[32];

	if (plan->by_counting) {
		gs_print_line(to, "batch", "a histogram of %zu bins", job->feed.store.histogram.bin_count);
		return;
	}
	if (plan->device == GSORT_DEVICE_CPU && plan->buckets.threads > 0)
		gs_print_line(to, "buckets", "%u, in blocks of %zu bytes; "
		              "each thread sorts up to %s at a time",
		              plan->buckets.bins, plan->buckets.block_bytes,
		              gs_size_text(plan->buckets.part_bytes, a));
	gs_job_estimate(job, &estimate);
	if (plan->head_keys > 0) {
		gs_print_line(to, "batch", "%llu keys at most",
		            (unsigned long long)plan->head_keys);
		return;
	}
	if (plan->device == GSORT_DEVICE_GPU) {
		gs_print_line(to, "staging", "%s, %u buffers", gs_size_text(plan->staging_bytes, a),
		              plan->ring_buffers);
		gs_print_line(to, "batch", "half of a GPU's memory; runs in host memory: up to %s",
		              gs_size_text(plan->resident_bytes, a));
		gs_print_line(to, "merge", "of up to %zu runs at once", plan->fan_in);
	} else if (!plan->spills) {
		gs_print_line(to, "batch", "all keys at once");
		return;
	} else if (estimate.key_bytes == 0) {
		gs_print_line(to, "batch", "%s of keys", gs_size_text(plan->sort_bytes, a));
		gs_print_line(to, "merge", "of up to %zu runs at once", plan->fan_in);
	} else {
		gs_print_line(to, "batch", "%s of keys; %llu batch%s", gs_size_text(plan->sort_bytes, a),
		              (unsigned long long)estimate.runs, estimate.runs == 1 ? "" : "es");
		if (estimate.passes > 0)
			gs_print_line(to, "merge", "of up to %zu runs at once: %u pass%s", plan->fan_in,
			              estimate.passes, estimate.passes == 1 ? "" : "es");
	}
	if (plan->spills)
		print_disk(to, &job->options, estimate.disk_bytes, estimate.written_bytes);
}

/* Where records are sorted, and in what memory. */
static void
explain_items_memory(const struct gs_line_printer *to, const struct gsort *job)
{
	struct gs_forecast forecast;
	char text[128], bytes[32];
	uint64_t free_bytes;
	const char *dirs = dirs_text(&job->options, text, &free_bytes);

	gs_print_line(to, "batch", job->plan.spills ? "as many as fit; if there are more, the parts of "
	              "all go to disk" : "all records at once");
	gs_job_forecast(job, &forecast);
	if (forecast.disk_bytes > 0)
		print_disk(to, &job->options, forecast.disk_bytes, forecast.written_bytes);
	else if (job->plan.spills)
		gs_print_line(to, "disk", "%s, if they do not fit: as much as the input, written and read "
		              "once; %s are free",
		              dirs, gs_size_text(free_bytes, bytes));
}

/* Bytes of the input that are keys or records: neither headers nor skipped bytes. */
static uint64_t
key_bytes_in(const struct gsort *job)
{
	const struct gsort_options *options = &job->options;
	uint64_t bytes = job->plan_input.input_bytes;

	for (size_t f = 0; f < options->input_count; f++)
		bytes -= options->skip_bytes < bytes ? options->skip_bytes : bytes;
	return bytes;
}

/* ---- as JSON --------------------------------------------------------------------- */

static void
add_disk(struct gs_json *json, const struct gsort *job, const struct gs_forecast *forecast)
{
	const struct gsort_options *options = &job->options;
	struct gs_estimate estimate;
	uint64_t free_bytes;
	char text[128];

	gs_job_estimate(job, &estimate);
	gs_json_bool(json, "may_spill", job->plan.spills);
	gs_json_number(json, "batches", job->plan_input.input_bytes == UINT64_MAX ? UINT64_MAX
	                                                                         : estimate.runs);
	gs_json_number(json, "merge_passes", estimate.passes);
	gs_json_number(json, "merged_at_once", job->plan.fan_in);
	gs_json_number(json, "disk_bytes", forecast->disk_bytes);
	gs_json_number(json, "written_bytes", forecast->written_bytes);
	(void)dirs_text(options, text, &free_bytes);
	gs_json_number(json, "disk_free_bytes", free_bytes);
	gs_json_begin(json, "temporary_directories", '[');
	for (size_t d = 0; d < options->temp_dir_count; d++)
		gs_json_string(json, NULL, options->temp_dirs[d]);
	gs_json_end(json, ']');
}

static void
add_plan(struct gs_json *json, const struct gsort *job)
{
	const struct gsort_options *options = &job->options;
	const struct gs_plan_input *input = &job->plan_input;
	const struct gs_plan *plan = &job->plan;
	const char *const types[] = {
		[GS_AS_KEYS] = gs_key_name(options->type), [GS_AS_RECORDS] = "record",
		[GS_AS_LINES] = "lines",
	};
	const enum gs_listed_as as = gs_key_is_wide(options->type) ? GS_AS_KEYS : job->feed.kind->as;
	const size_t unit = job->feed.ingest.unit;
	struct gs_forecast forecast;

	gs_json_begin(json, NULL, '{');
	gs_json_string(json, "version", PACKAGE_VERSION);
	gs_json_string(json, "type", types[as]);
	gs_json_bool(json, "reverse", options->reverse);
	gs_json_bool(json, "unique", options->unique);
	gs_json_number(json, "input_bytes", input->input_bytes);
	gs_json_bool(json, "input_bytes_are_a_hint", input->guessed);
	gs_json_number(json, "keys", input->input_bytes == UINT64_MAX || unit == 0
	               ? UINT64_MAX : key_bytes_in(job) / unit);
	gs_json_string(json, "device", plan->device == GSORT_DEVICE_GPU ? "gpu" : "cpu");
	gs_json_string(json, "device_rule", plan->device_rule);
	gs_json_number(json, "threads", plan->threads);
	gs_json_number(json, "memory_bytes", plan->host_bytes);
	gs_json_number(json, "memory_for_keys_bytes", plan->pool_bytes);
	gs_job_forecast(job, &forecast);
	gs_json_number(json, "expected_memory_bytes", forecast.known ? forecast.memory_bytes : UINT64_MAX);
	gs_json_number(json, "expected_disk_bytes", forecast.known ? forecast.disk_bytes : UINT64_MAX);
	gs_json_number(json, "expected_ms", forecast.known
	               ? (uint64_t)(1e3 * gs_forecast_seconds(&forecast)) : UINT64_MAX);
	gs_json_number(json, "outputs", options->split > 0 ? options->split : 1);
	if (options->operation == GSORT_SORT)
		add_disk(json, job, &forecast);
	gs_json_end(json, '}');
}

void
gsort_plan_json(const gsort *job, void (*print)(void *context, const char *line), void *context)
{
	struct gs_json json;

	if (job == NULL || print == NULL)
		return;
	gs_json_open(&json);
	add_plan(&json, job);
	gs_json_print(&json, print, context);
}

/* ---- as text --------------------------------------------------------------------- */

/* "u64, smallest first"; "records of 16 bytes, by u64@0 and 1 more key, smallest first"; "lines, by 3,3n" */
static void
print_elements(const struct gs_line_printer *to, const struct gsort *job)
{
	const struct gsort_options *options = &job->options;
	const struct gs_record_ingest *records = &job->feed.records;
	const enum gs_listed_as as = job->feed.kind->as;
	const bool whole = as == GS_AS_RECORDS && records->record.type == GSORT_TEXT;	/* or wide keys */
	const size_t keys = as == GS_AS_LINES ? options->keydef_count : records->key_count;
	const size_t unit = job->feed.ingest.unit;
	const bool letters = options->ordering != NULL && *options->ordering != '\0';
	const bool reverse = options->reverse || (as == GS_AS_RECORDS && records->keys[0].reverse);
	char first[64], more[48] = "", what[192], contents[48] = " of text", size[32];

	if (keys > 1)
		snprintf(more, sizeof more, " and %zu more key%s", keys - 1, keys == 2 ? "" : "s");
	if (whole)
		snprintf(what, sizeof what, "records of %zu bytes, by %s%s", unit,
		         gs_key_text(&records->keys[0], first), more);
	else
		snprintf(what, sizeof what, "%s", gs_key_name(as == GS_AS_RECORDS ? records->record.type
		                                                                  : options->type));
	if (as == GS_AS_LINES)
		gs_print_line(to, "type", "lines, by %s%s%s%s%s",
		              keys > 0 ? options->keydefs[0] : "all of them", more,
		              letters ? ", with -" : "", letters ? options->ordering : "",
		              options->unique ? ", of equal keys one" : "");
	else
		gs_print_line(to, "type", "%s, %s first%s", what, reverse ? "largest" : "smallest",
		              !options->unique ? "" : as == GS_AS_KEYS ? ", of equal keys one"
		                                                       : ", of equal ones one");
	if (unit > 0)
		snprintf(contents, sizeof contents, ": %llu %s",
		         (unsigned long long)(key_bytes_in(job) / unit), whole ? "records" : "keys");
	if (job->plan_input.input_bytes == UINT64_MAX)
		gs_print_line(to, "input", "of unknown size");
	else
		gs_print_line(to, "input", "%s%s%s", job->plan_input.guessed ? "about " : "",
		              gs_size_text(job->plan_input.input_bytes, size), contents);
}

void
gsort_plan(const gsort *job, void (*print)(void *context, const char *line), void *context)
{
	const struct gs_line_printer to = { print, context };
	const struct gs_plan_input *input;
	const struct gs_outputs *outputs;
	const struct gs_plan *plan;
	struct gs_forecast forecast;
	char a[32], b[32], time[32];

	if (job == NULL || print == NULL)
		return;
	input = &job->plan_input;
	plan = &job->plan;
	print_elements(&to, job);
	if (plan->head_keys > 0)
		gs_print_line(&to, "device", "cpu: all but the first %llu keys are dropped as they come",
		              (unsigned long long)job->options.head_count);
	else if (plan->device == GSORT_DEVICE_GPU)
		gs_print_line(&to, "device", "gpu%s: %s",
		              job->options.device == GSORT_DEVICE_GPU ? "" : " if there is one, else cpu",
		              plan->device_rule);
	else
		gs_print_line(&to, "device", "cpu: %s", plan->device_rule);
	if (plan->gpu_from_bytes > 0)
		gs_print_line(&to, "rule", "with %u thread%s a GPU pays from %s of input on", plan->threads,
		              plan->threads == 1 ? "" : "s", gs_size_text(plan->gpu_from_bytes, a));
	if (input->threads == 0 && plan->threads == gs_plan_threads_most(input) &&
	    plan->threads < input->cores)
		gs_print_line(&to, "threads", "%u of %u, as more would make this no faster", plan->threads,
		              input->cores);
	else
		gs_print_line(&to, "threads", "%u", plan->threads);
	gs_print_line(&to, "memory", "%s in all%s, %s of it for keys, sorting and merging",
	              gs_size_text(plan->host_bytes * (input->shares > 0 ? input->shares : 1), a),
	              input->memory_bytes > 0 && input->memory_bytes < plan->host_bytes
	              ? ", the least that will do" : " at most, as the input needs it",
	              gs_size_text(plan->pool_bytes, b));
	if (job->options.operation == GSORT_SORT || plan->by_counting)
		(job->feed.by == NULL ? explain_keys_memory : explain_items_memory)(&to, job);
	gs_job_forecast(job, &forecast);	/* what it takes, about, not at most */
	if (!forecast.known)
		gs_print_line(&to, "needs", "unknown, as the input size is unknown; use --plan=SIZE");
	else
		gs_print_line(&to, "needs", "about %s of memory, %s%s and %s%s",
		              gs_size_text(forecast.memory_bytes, a),
		              forecast.disk_bytes > 0 ? gs_size_text(forecast.disk_bytes, b) : "no",
		              forecast.disk_bytes > 0 ? " of temporary files" : " temporary files",
		              gs_time_text(gs_forecast_seconds(&forecast), time),
		              job->rank_job->alone ? "" : ", each rank");
	if (job->options.split == 0)
		return;
	outputs = &job->outputs;
	if (outputs->count == 1)
		gs_print_line(&to, "output", "1 file: %s", outputs->names[0]);
	else
		gs_print_line(&to, "output", "%zu files: %s to %s, %s", outputs->count, outputs->names[0],
		              outputs->names[outputs->count - 1],	/* see output/split.c */
		              plan->device == GSORT_DEVICE_CPU && plan->buckets.threads > 0 &&
		              plan->threads > 1 && gs_select_takes_all(&job->emit.select)
		              ? "written side by side if all keys fit in memory" : "one after the other");
}
