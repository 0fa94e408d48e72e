// SPDX-License-Identifier: BSD-2-Clause
/* merge_input.c - the inputs of a merge, of keys or of records: each is opened when its turn comes */
#include "job/files.h"
#include "job/merge_input.h"
#include "job/options.h"
#include "job/rendezvous.h"

/* Is the one input a function, not a file? */
static bool
calls(const struct gsort_options *options)
{
	return options->read != NULL || options->fed;
}

size_t
gs_merge_count(const struct gsort_options *options)
{
	return options->input_count == 0 || calls(options) ? 1 : options->input_count;
}

const char *
gs_merge_name(const struct gsort_options *options, size_t i)
{
	return calls(options) ? "input" : options->input_count == 0 ? "-" : options->inputs[i];
}

gs_status
gs_merge_open(struct gsort *job, const char *const *name, unsigned threads, char *header,
              struct gs_input **input)
{
	const struct gsort_options *options = job->options;
	const uint64_t bytes = options->skip_bytes;
	const struct gs_input_options in = {
		.names = name,
		.count = 1,
		.binary = job->plan_input.key_bits > 0 ||
		          (gs_options_want_items(options) && !options->lines),
		.guarded = !options->force && bytes == 0 && options->record_bytes == 0 && !options->lines,
		.terminal_ok = options->force,
		.decompress = options->decompress,
		.threads = threads,
		.window_bytes = job->plan.window_bytes,
		.stops_with = job->input,
		.interrupted = &job->interrupted,
		.stored = &job->monitor.counters.stored_in,
		.before_inflate = gs_confine,
		.before_context = &job->confinement,
		.read = options->fed ? gs_rendezvous_read : options->read,
		.read_context = options->fed ? &job->rendezvous : options->read_context,
	};
	char scratch[4096];

	TRY(gs_input_open(input, &in));
	(void)gs_input_next(*input);
	return gs_input_skip(*input, bytes, header != NULL ? header : scratch,
	                     header != NULL ? (size_t)bytes : sizeof scratch);
}

bool
gs_merge_overwrites(const struct gsort *job)
{
	return !gs_output_is_new(job->outputs.files[0]) && gs_job_rewrites(job->options) != NULL;
}
