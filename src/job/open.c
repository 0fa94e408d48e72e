// SPDX-License-Identifier: BSD-2-Clause
/*
 * open.c - open inputs and output, plan, and get memory
 *
 * In:   options.
 * Out:  inputs and output open, the plan, and all memory carved out of one arena; or an error,
 *       before anything has been read.
 *
 * Invariant: carve() takes the same buffers twice, first only to add up their bytes.  If the second
 * time takes more, an assert of base/arena.c fails.
 */
#include "config.h"

#include <sys/stat.h>
#include <unistd.h>

#include <string.h>

#include "base/limits.h"
#include "format/key.h"
#include "format/raw.h"
#include "gpu/module.h"
#include "job/open.h"
#include "job/options.h"
#include "job/ranked.h"
#include "spill/spill.h"

/* A sort reads with all threads; a check or merge with half of them, since it works meanwhile. */
static unsigned
readers(const struct gsort *job)
{
	const unsigned threads = job->plan.threads;

	return job->options->operation == GSORT_SORT ? threads : (threads + 1) / 2;
}

/* ---- opening ---------------------------------------------------------------- */

static gs_status
open_input(struct gsort *job)
{
	const struct gsort_options *options = job->options;
	const unsigned key_bits = gs_key_bits(options->type);
	const struct gs_input_options in = {
		.names = options->inputs,
		.count = options->input_count,
		.binary = key_bits > 0,
		.terminal_ok = options->force,
		.decompress = options->decompress,
		.ranges = job->ranked == NULL ? NULL : job->ranked->parts.ranges,
		.later = options->operation == GSORT_MERGE,
		.before_inflate = gs_confine,
		.before_context = &job->confinement,
		.read = options->fed ? gs_rendezvous_read : options->read,
		.read_context = options->fed ? &job->rendezvous : options->read_context,
	};
	const char *name;
	uint64_t bytes;

	TRY(gs_input_open(&job->input, &in));
	/* After a header that is not a multiple of a key, a partial key is found when it is read. */
	if (key_bits > 0 && options->skip_bytes % (key_bits / 8) == 0 && job->ranked == NULL &&
	    (name = gs_input_partial(job->input, key_bits / 8, &bytes)) != NULL)
		return gs_raw_partial(options->type, name, bytes);
	return GS_OK;
}

static gs_status
open_output(struct gsort *job)
{
	const struct gsort_options *options = job->options;
	const struct gs_output_options out = {
		.name = options->output,
		.binary = gs_key_bits(job->emit.encoding.to) > 0,
		.terminal_ok = options->force,
		.in_place = options->in_place,
		.files = options->split < job->plan.threads ? options->split : job->plan.threads,
		.write = options->drained ? gs_rendezvous_write : options->write,
		.write_context = options->drained ? &job->rendezvous : options->write_context,
		.clock = &job->monitor.clock,
	};

	TRY(gs_outputs_open(&job->outputs, &out, options->split));
	return gs_emit_set_output(&job->emit, &job->outputs);
}

/* ---- what is known ------------------------------------------------------------ */

/* The user's limit of memory; 0: none. */
static uint64_t
memory_wanted(const struct gsort_options *options, const struct gs_limits *limits)
{
	if (options->memory_bytes > 0 || options->memory_percent == 0)
		return options->memory_bytes;
	return limits->ram_bytes / 100 * options->memory_percent;
}

/* Each run that is merged has a process: by default at most as many as sort(1) starts. */
enum { MOST_PROGRAMS = 16 };

static unsigned
merge_files(const struct gsort_options *options)
{
	if (options->merge_files == 0 && options->operation == GSORT_SORT &&
	    gs_spill_starts_programs(options->compress_program))
		return MOST_PROGRAMS;
	return options->merge_files;
}

/* Is the output a regular file, or will it be? */
static bool
writes_file(const struct gsort_options *options)
{
	struct stat status;

	if (options->drained || options->write != NULL)
		return false;
	if (options->output == NULL)
		return fstat(STDOUT_FILENO, &status) == 0 && S_ISREG(status.st_mode);
	return stat(options->output, &status) != 0 || S_ISREG(status.st_mode);
}

/* So small an input needs little memory: not all limits of the machine are read. */
enum { SMALL_BYTES = 64 << 10 };

/* Of so many files that may be open, SPLIT are outputs. */
static size_t
files_left(size_t files, unsigned split)
{
	return files == 0 || files > split ? files - (files > 0 ? split : 0) : 1;
}

static void
collect_plan_input(struct gsort *job)
{
	const struct gsort_options *options = job->options;
	const uint64_t bytes = gs_input_bytes(job->input);
	struct gs_limits limits;

	gs_limits_read(&limits, bytes <= SMALL_BYTES);
	job->plan_input = (struct gs_plan_input){
		.operation = options->operation,
		.type = options->type,
		.key_bits = gs_key_bits(options->type),
		.headers = options->header_lines > 0,
		.print_bytes = gs_emit_print_bytes(&job->emit),
		.compressed = options->operation == GSORT_SORT && gs_input_inflates(job->input),
		.large_window = gs_input_large_window(job->input),
		.input_bytes = bytes,
		.seekable = gs_input_is_seekable(job->input),
		.input_count = options->input_count,
		.device = options->device,
		.gpu_possible = gs_gpu_module_exists(),
		.gpu_present = gs_gpu_is_present(),
		.to_file = writes_file(options),
		.gpu_count = options->gpu_count == 0 ? 1 : options->gpu_count,
		.gpu_memory_bytes = options->gpu_memory_bytes,
		.threads = options->threads,
		.cores = limits.cores,
		.memory_bytes = memory_wanted(options, &limits),
		.heads = options->head && !options->counts && !options->repeated &&
		         !options->singletons,
		.head_count = options->head_count,
		.host_bytes = limits.host_bytes,
		.address_bytes = limits.address_bytes,
		.files = files_left(limits.files, options->split),
		.merge_files = merge_files(options),
	};
	memcpy(job->plan_input.gpus, options->gpus, sizeof options->gpus);
	if (job->plan_input.memory_bytes > 0)	/* the user's limit replaces the default share */
		job->plan_input.host_bytes = limits.room_bytes;
	if (bytes == GS_UNKNOWN && options->size_hint > 0) {
		job->plan_input.input_bytes = options->size_hint;
		job->plan_input.guessed = true;
	}
	atomic_store(&job->monitor.counters.bytes_total, job->plan_input.input_bytes);
	if (job->ranked != NULL)
		gs_ranked_limit(job->ranked, &job->plan_input);
}

static gs_status
make_plan(struct gsort *job)
{
	TRY(gs_plan_make(&job->plan, &job->plan_input));
	if (job->ranked != NULL)
		gs_ranked_adapt(job->ranked, &job->plan);
	return GS_OK;
}

/* ---- memory --------------------------------------------------------------------- */

/* Take every buffer of the job.  An arena that is not open only adds up their bytes. */
static void
carve(struct gsort *job)
{
	if (job->options->operation == GSORT_SORT)
		gs_ingest_carve(&job->ingest, &job->plan, &job->arena);
	gs_store_carve(&job->store, job->options, &job->plan_input, &job->plan, &job->arena);
	gs_emit_carve(&job->emit, &job->plan, &job->arena);
}

static gs_status
allocate(struct gsort *job)
{
	job->arena = (struct gs_arena){ .base = NULL };
	carve(job);
	TRY(gs_arena_open(&job->arena, job->arena.used_bytes, job->plan.huge_pages));
	carve(job);
	gs_store_open(&job->store, &job->monitor);
	if (job->options->operation == GSORT_SORT)
		gs_ingest_open(&job->ingest, job->input, &job->store, &job->verify, &job->monitor);
	return GS_OK;
}

gs_status
gs_job_replan(struct gsort *job)
{
	gs_store_close(&job->store);
	gs_arena_close(&job->arena);
	TRY(make_plan(job));
	return allocate(job);
}

/*
 * A directory that the user named must be usable.  The default /tmp is checked only if spilling
 * is certain, so small pipes never touch it.
 */
static gs_status
check_temp(struct gsort *job)
{
	const bool named = job->options->temp_dir_count > 0 || gs_temp_dir_is_set();
	const bool known = job->plan_input.input_bytes != UINT64_MAX && !job->plan_input.guessed;
	gs_status status;

	if (!job->plan.spills && job->options->temp_dir_count == 0)
		return GS_OK;
	status = gs_runs_prepare_disk(&job->store.runs);
	if (status != GS_OK && !named && !known) {
		gs_note(&job->monitor, "%s; it is needed only if memory is not enough", gs_message());
		return GS_OK;
	}
	return status;
}

/* Enter the sandbox now if an input is known to be compressed. */
static void
confine(struct gsort *job)
{
	if (gs_input_inflates(job->input))
		gs_confine(&job->confinement);
}

/*
 * Open inputs first, so that a missing file is found before an output is created; then check what
 * could fail after an hour of reading: temporary directories, the output.
 */
gs_status
gs_job_open(struct gsort *job)
{
	TRY(gs_options_check(job->options));
	gs_ingest_set_format(&job->ingest, job->options);
	if (job->ranked != NULL) {
		job->ingest.text.lines_before = gs_parts_lines_before;
		job->ingest.text.lines_context = &job->ranked->parts;
	}
	gs_emit_set_format(&job->emit, job->options);
	gs_confinement_open(&job->confinement, job->options, &job->plan, &job->outputs,
	                    &job->monitor);
	TRY(open_input(job));
	collect_plan_input(job);
	TRY(make_plan(job));
	gs_input_share(job->input, readers(job), job->plan.inflate_bytes, job->plan.window_bytes);
	if (job->options->operation == GSORT_CHECK) {	/* constant memory, and no output */
		job->emit.encoding.threads = job->plan.threads;
		confine(job);
		return GS_OK;
	}
	gs_verify_open(&job->verify, job->options, job->plan.threads);
	TRY(allocate(job));
	gs_emit_open(&job->emit, job->options, &job->verify, &job->monitor);
	if (job->plan.host_bytes > job->plan_input.memory_bytes && job->plan_input.memory_bytes > 0)
		gs_note(&job->monitor, "%.1f MiB of memory are not enough: gsort uses %.1f",
		        (double)job->plan_input.memory_bytes / (1 << 20),
		        (double)job->plan.host_bytes / (1 << 20));
	TRY(check_temp(job));
	TRY(open_output(job));
	confine(job);
	return GS_OK;
}
