// SPDX-License-Identifier: BSD-2-Clause
/* explain.c - the plan in words: gsort --plan, --debug */
#include <stdarg.h>
#include <stdio.h>

#include "format/key.h"
#include "job/job.h"

struct teller {
	void (*tell)(void *context, const char *line);
	void  *context;
};

static void PRINTF(3, 4)
tell(const struct teller *teller, const char *what, const char *format, ...)
{
	char value[256], line[320];
	va_list args;

	va_start(args, format);
	vsnprintf(value, sizeof value, format, args);
	va_end(args);
	snprintf(line, sizeof line, "%-8s %s", what, value);
	teller->tell(teller->context, line);
}

/* "1.0 GiB": for people, so one decimal will do. */
static const char *
size_text(uint64_t bytes, char text[32])
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
tell_device(const struct teller *teller, const struct gsort *job)
{
	const struct gs_plan *plan = &job->plan;
	char from[32];

	if (plan->counts)
		tell(teller, "device", "cpu: keys of %u bits are counted, not sorted",
		     job->facts.key_bits);
	else if (plan->head_keys > 0)
		tell(teller, "device", "cpu: all but the first %llu keys are dropped as they come",
		     (unsigned long long)job->options->head_count);
	else if (plan->gpu_from_bytes == GS_NEVER)
		tell(teller, "device", "cpu%s", !job->facts.gpu_built ? ": this build has no GPU backend" :
		     job->options->device == GSORT_DEVICE_CPU ? ": as demanded" :
		     ": the input is too small for a GPU to pay");
	else if (plan->gpu_from_bytes == 0)
		tell(teller, "device", "gpu%s", job->options->device == GSORT_DEVICE_GPU ?
		     ": as demanded" : " if there is one, else cpu");
	else
		tell(teller, "device", "cpu; a GPU, if there is one, once %s of keys have come",
		     size_text(plan->gpu_from_bytes, from));
}

static void
tell_memory(const struct teller *teller, const struct gsort *job)
{
	const struct gs_plan *plan = &job->plan;
	char a[32];

	if (plan->counts) {
		tell(teller, "memory", "a histogram of %zu bins", job->small.bin_count);
		return;
	}
	tell(teller, "memory", "%s can be had; the cpu needs twice the size of the keys",
	     size_text(job->facts.host_bytes, a));
	if (plan->gpu_from_bytes != GS_NEVER) {
		tell(teller, "tile", "%s, %u in flight", size_text(plan->tile_bytes, a),
		     plan->ring_tiles);
		tell(teller, "batch", "what GPU memory holds twice; others are merged from up to %s",
		     size_text(plan->run_bytes, a));
	}
}

void
gsort_plan(const gsort *job, void (*line)(void *context, const char *line), void *context)
{
	const struct teller teller = { line, context };
	const struct gsort_options *options = job->options;
	char size[32];

	tell(&teller, "type", "%s, %s first%s", gs_key_name(options->type),
	     options->reverse ? "largest" : "smallest", options->unique ? ", of equal keys one" : "");
	if (job->facts.input_bytes == UINT64_MAX)
		tell(&teller, "input", "of unknown size");
	else if (job->facts.key_bits == 0)
		tell(&teller, "input", "%s of text", size_text(job->facts.input_bytes, size));
	else
		tell(&teller, "input", "%s: %llu keys", size_text(job->facts.input_bytes, size),
		     (unsigned long long)(job->facts.input_bytes / (job->facts.key_bits / 8)));
	tell_device(&teller, job);
	tell(&teller, "threads", "%u", job->plan.threads);
	tell_memory(&teller, job);
}
