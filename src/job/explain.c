// SPDX-License-Identifier: BSD-2-Clause
/* explain.c - the plan in words: gsort --plan, --debug */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "format/key.h"
#include "job/job.h"

void
gs_print_line(const struct gs_line_printer *to, const char *what, const char *format, ...)
{
	char value[4300], line[4400];	/* a path, and what is said of it */
	va_list args;

	va_start(args, format);
	vsnprintf(value, sizeof value, format, args);
	va_end(args);
	snprintf(line, sizeof line, "%-8s %s", what, value);
	to->tell(to->context, line);
}

/* "1.0 GiB": for people, so one decimal will do. */
const char *
gs_job_size_text(uint64_t bytes, char text[32])
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double size = (double)bytes;
	unsigned u = 0;

	for (; size >= 1024 && u < 6; u++)
		size /= 1024;
	snprintf(text, 32, u == 0 ? "%.0f %s" : "%.1f %s", size, units[u]);
	return text;
}

static void
tell_device(const struct gs_line_printer *teller, const struct gsort *job)
{
	const struct gs_plan *plan = &job->plan;
	char from[32];

	if (plan->counts)
		gs_print_line(teller, "device", "cpu: keys of %u bits are counted, not sorted",
		     job->facts.key_bits);
	else if (plan->head_keys > 0)
		gs_print_line(teller, "device",
		            "cpu: all but the first %llu keys are dropped as they come",
		     (unsigned long long)job->options->head_count);
	else if (plan->gpu_from_bytes == GS_NEVER)
		gs_print_line(teller, "device", "cpu%s",
		            !job->facts.gpu_built ? ": this build has no GPU backend" :
		     job->options->device == GSORT_DEVICE_CPU ? ": as demanded" :
		     ": the input is too small for a GPU to pay");
	else if (plan->gpu_from_bytes == 0)
		gs_print_line(teller, "device", "gpu%s", job->options->device == GSORT_DEVICE_GPU ?
		     ": as demanded" : " if there is one, else cpu");
	else
		gs_print_line(teller, "device",
		            "cpu; a GPU, if there is one, once %s of keys have come",
		     gs_job_size_text(plan->gpu_from_bytes, from));
}

/* "/tmp", "/tmp and 1 more" */
static const char *
dirs_text(const struct gsort_options *options, char text[128])
{
	const char *usual = getenv("TMPDIR");
	const char *first = usual != NULL && usual[0] != '\0' ? usual : "/tmp";

	if (options->temp_dir_count > 0)
		first = options->temp_dirs[0];
	if (options->temp_dir_count > 1)
		snprintf(text, 128, "%.80s and %zu more", first, options->temp_dir_count - 1);
	else
		snprintf(text, 128, "%.120s", first);
	return text;
}

/* They take turns, so the fullest one decides. */
static uint64_t
disk_bytes_free(const struct gsort_options *options)
{
	const char *usual = getenv("TMPDIR");
	uint64_t free_bytes = UINT64_MAX;

	if (options->temp_dir_count == 0)
		return gs_limits_disk_bytes(usual != NULL && usual[0] != '\0' ? usual : "/tmp");
	for (size_t d = 0; d < options->temp_dir_count; d++) {
		const uint64_t bytes = gs_limits_disk_bytes(options->temp_dirs[d]);

		if (bytes < free_bytes)
			free_bytes = bytes;
	}
	return free_bytes < UINT64_MAX / options->temp_dir_count
	       ? free_bytes * options->temp_dir_count : free_bytes;
}

static void
tell_disk(const struct gs_line_printer *teller, const struct gsort *job, const struct gs_estimate *forecast)
{
	const uint64_t free_bytes = disk_bytes_free(job->options);
	char dirs[128], a[32], b[32], c[32];

	if (forecast->disk_bytes == 0)
		gs_print_line(teller, "disk", "%s, if more comes: %s are free",
		            dirs_text(job->options, dirs),
		     gs_job_size_text(free_bytes, a));
	else
		gs_print_line(teller, "disk", "%s: %s at a time, %s written in all; %s are free%s",
		     dirs_text(job->options, dirs), gs_job_size_text(forecast->disk_bytes, a),
		     gs_job_size_text(forecast->written_bytes, b), gs_job_size_text(free_bytes, c),
		     free_bytes >= forecast->disk_bytes ? "" :
		     job->options->compress_program != NULL ? ", enough only if they compress well" :
		     ", which is NOT ENOUGH: name other directories with -T");
}

static void
tell_runs(const struct gs_line_printer *teller, const struct gsort *job)
{
	const struct gs_plan *plan = &job->plan;
	struct gs_estimate forecast;
	char a[32];

	gs_plan_estimate(plan, &job->facts, &forecast);
	if (plan->head_keys > 0) {
		gs_print_line(teller, "batch", "%llu keys at most",
		            (unsigned long long)plan->head_keys);
		return;
	}
	if (plan->gpu_from_bytes != GS_NEVER) {
		gs_print_line(teller, "tile", "%s, %u in flight",
		            gs_job_size_text(plan->tile_bytes, a),
		     plan->ring_tiles);
		gs_print_line(teller, "batch",
		            "what GPU memory holds twice%s; of others %s stay in memory",
		            plan->spare_bytes > 0 ? ", with a copy in memory" : "",
		     gs_job_size_text(plan->spare_bytes > 0 ? plan->spare_bytes / 2 : plan->run_bytes,
		                      a));
		gs_print_line(teller, "merge", "of up to %zu runs at once", plan->fan_in);
	} else if (!plan->spills) {
		gs_print_line(teller, "batch", "all keys at once");
		return;
	} else if (forecast.key_bytes == 0) {
		gs_print_line(teller, "batch", "%s of keys", gs_job_size_text(plan->sort_bytes, a));
		gs_print_line(teller, "merge", "of up to %zu runs at once", plan->fan_in);
	} else {
		gs_print_line(teller, "batch", "%s of keys, %llu of them",
		            gs_job_size_text(plan->sort_bytes, a),
		     (unsigned long long)forecast.runs);
		if (forecast.passes > 0)
			gs_print_line(teller, "merge", "of up to %zu runs at once: %u pass%s",
			            plan->fan_in,
			     forecast.passes, forecast.passes == 1 ? "" : "es");
	}
	if (plan->spills)
		tell_disk(teller, job, &forecast);
}

static void
tell_memory(const struct gs_line_printer *teller, const struct gsort *job)
{
	const struct gs_plan *plan = &job->plan;
	char a[32], b[32];

	gs_print_line(teller, "memory", "%s in all%s, %s of them for keys, their sorting and merging",
	     gs_job_size_text(plan->host_bytes, a), job->facts.memory_bytes == 0 ? "" :
	     job->facts.memory_bytes < plan->host_bytes ? ", the least that will do" : " at most",
	     gs_job_size_text(plan->pool_bytes, b));
	if (plan->counts)
		gs_print_line(teller, "batch", "a histogram of %zu bins", job->small.bin_count);
	else if (job->options->operation == GSORT_SORT)
		tell_runs(teller, job);
}

void
gsort_plan(const gsort *job, void (*line)(void *context, const char *line), void *context)
{
	const struct gs_line_printer teller = { line, context };
	const struct gsort_options *options = job->options;
	const char *about = job->facts.guessed ? "about " : "";
	char size[32];

	gs_print_line(&teller, "type", "%s, %s first%s", gs_key_name(options->type),
	     options->reverse ? "largest" : "smallest", options->unique ? ", of equal keys one" : "");
	if (job->facts.input_bytes == UINT64_MAX)
		gs_print_line(&teller, "input", "of unknown size");
	else if (job->facts.key_bits == 0)
		gs_print_line(&teller, "input", "%s%s of text", about,
		            gs_job_size_text(job->facts.input_bytes, size));
	else
		gs_print_line(&teller, "input", "%s%s: %llu keys", about,
		     gs_job_size_text(job->facts.input_bytes, size),
		     (unsigned long long)(job->facts.input_bytes / (job->facts.key_bits / 8)));
	tell_device(&teller, job);
	gs_print_line(&teller, "threads", "%u", job->plan.threads);
	tell_memory(&teller, job);
}
