// SPDX-License-Identifier: BSD-2-Clause
/*
 * job.c - a job from beginning to end, and the public interface
 *
 * sort_stream() is the whole program, left to right.
 */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/limits.h"
#include "base/team.h"
#include "format/key.h"
#include "io/replace.h"
#include "job/job.h"
#include "job/options.h"

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void
gs_job_note(const struct gsort *job, const char *format, ...)
{
	char line[1200];
	va_list args;

	if (job->options->note == NULL)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof line, format, args);
	va_end(args);
	job->options->note(job->options->note_context, line);
}

/* ---- opening ------------------------------------------------------------ */

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
		.threads = job->plan.threads,
		.read = options->fed ? gs_handover_read : options->read,
		.read_context = options->fed ? job : options->read_context,
	};
	const char *name;
	uint64_t bytes;

	TRY(gs_input_open(&job->input, &in));
	if (key_bits > 0 && (name = gs_input_partial(job->input, key_bits / 8, &bytes)) != NULL)
		return gs_raw_partial(options->type, name, bytes);
	return GS_OK;
}

static gs_status
open_output(struct gsort *job)
{
	const struct gs_output_options out = {
		.name = job->options->output,
		.binary = gs_key_bits(job->encoding.to) > 0,
		.terminal_ok = job->options->force,
		.in_place = job->options->in_place,
		.write = job->options->drained ? gs_handover_write : job->options->write,
		.write_context = job->options->drained ? job : job->options->write_context,
	};

	return gs_output_open(&job->output, &out);
}

/* How bytes are read and written. */
static void
set_formats(struct gsort *job)
{
	const struct gsort_options *options = job->options;
	const char terminator = options->zero_terminated ? '\0' : '\n';

	job->text = (struct gs_text_options){
		.floats = options->type == GSORT_TEXT_FLOAT,
		.reverse = options->reverse,
		.merge_zeros = options->unique || options->counts || options->repeated ||
		               options->singletons,
		.terminator = terminator,
		.invalid = options->invalid,
		.header_lines = options->header_lines,
		.warn = options->warn,
		.warn_context = options->warn_context,
	};
	job->encoding = (struct gs_encoding){
		.from = options->type,
		.to = options->converts ? options->to : options->type,
		.reverse = options->reverse,
		.endian = options->endian,
		.terminator = terminator,
		.counts = options->counts,
	};
}

static void
gather_facts(struct gsort *job)
{
	struct gs_limits limits;

	gs_limits_read(&limits);
	job->facts = (struct gs_facts){
		.type = job->options->type,
		.key_bits = gs_key_bits(job->options->type),
		.input_bytes = UINT64_MAX,
		.device = job->options->device,
		.gpu_built = gs_backend_gpu != NULL,
		.gpu_memory_bytes = job->options->gpu_memory_bytes,
		.threads = job->options->threads,
		.cores = limits.cores,
		.host_bytes = limits.host_bytes,
		.address_bytes = limits.address_bytes,
	};
}

/* One page-aligned carving for every buffer that PLAN names. */
static gs_status
allocate(struct gsort *job)
{
	const struct gs_plan *plan = &job->plan;
	const bool text = job->facts.key_bits == 0;
	const size_t bins = text ? GS_SMALL_COUNT : plan->counts ? (size_t)1 << job->facts.key_bits : 0;
	const size_t count_bytes = gs_count_bytes(bins, text ? 0 : plan->threads);
	const size_t print_bytes = gs_encoding_in_place(&job->encoding) ? 0 :
	                           plan->print_keys * gs_encoding_bytes(&job->encoding);
	const size_t times_bytes = job->options->counts ? plan->print_keys * sizeof(uint64_t) : 0;
	const size_t runs_bytes = GS_MOST_RUNS * sizeof(struct gs_run);
	const size_t decoder_bytes = text ? gs_text_decoder_bytes(plan->chunk_bytes, plan->threads) : 0;
	/* drained small keys, merged spans, and the merge's own memory */
	const size_t merge_bytes = plan->tile_bytes + gs_merge_bytes(GS_MOST_RUNS, plan->threads);

	TRY(gs_arena_open(&job->arena,
	                  gs_plan_shelves_bytes(plan) + gs_arena_round(count_bytes) +
	                  gs_arena_round(merge_bytes) + GS_STREAMS * gs_arena_round(runs_bytes) +
	                  gs_arena_round(GS_AHEAD_CHUNKS * plan->chunk_bytes) +
	                  gs_arena_round(decoder_bytes) + 2 * gs_arena_round(print_bytes) +
	                  gs_arena_round(times_bytes) +
	                  2 * GS_STREAMS * gs_arena_round(1)));
	for (unsigned s = 0; s < GS_STREAMS; s++) {
		struct gs_shelf *shelf = &job->store.shelf[s];

		if ((shelf->bits = plan->stream_bits[s]) == 0)
			continue;
		shelf->keys = gs_arena_take(&job->arena, plan->shelf_bytes);
		shelf->scratch = gs_arena_take(&job->arena, plan->shelf_bytes);
		shelf->room = plan->shelf_bytes / (shelf->bits / 8);
		job->run_lists[s].runs = gs_arena_take(&job->arena, runs_bytes);
	}
	job->store.total_bytes = plan->sort_bytes;
	job->merge_buffer = gs_arena_take(&job->arena, merge_bytes);
	if (bins > 0)
		gs_count_open(&job->small, gs_arena_take(&job->arena, count_bytes), bins,
		              text ? 32 : job->facts.key_bits, text ? GS_SMALL : 0,
		              text ? 0 : plan->threads);
	job->print[0] = gs_arena_take(&job->arena, print_bytes);
	job->print[1] = gs_arena_take(&job->arena, print_bytes);
	gs_select_open(&job->select, job->options, gs_arena_take(&job->arena, times_bytes));
	job->verify.on = job->options->verify;
	if (!text)
		return GS_OK;
	job->chunk_memory = gs_arena_take(&job->arena, GS_AHEAD_CHUNKS * plan->chunk_bytes);
	job->decoder = gs_text_decoder_init(gs_arena_take(&job->arena, decoder_bytes),
	                                    plan->chunk_bytes, plan->threads, &job->text);
	return GS_OK;
}

/*
 * Inputs first, so that a missing file is found before an output is made; then
 * the output, so that an unwritable one is found before an hour of reading.
 */
static gs_status
open_job(struct gsort *job)
{
	TRY(gs_handover_open(job));
	TRY(gs_options_check(job->options));
	set_formats(job);
	gather_facts(job);
	TRY(gs_plan_make(&job->plan, &job->facts));	/* how many threads may read */
	TRY(open_input(job));
	job->facts.input_bytes = gs_input_bytes(job->input);
	TRY(gs_plan_make(&job->plan, &job->facts));
	TRY(open_output(job));
	return allocate(job);
}

/* ---- running ------------------------------------------------------------ */

/* The whole program, left to right.  Read this first: each call is one file. */
static gs_status
sort_stream(struct gsort *job)
{
	const double start = now();
	double read, sorted;

	atomic_store(&job->counters.phase, GSORT_READING);
	TRY(gs_device_begin(job));
	TRY(gs_fill(job));			/* input -> ordered bits -> backend */
	read = now();
	atomic_store(&job->counters.phase, GSORT_SORTING);
	TRY(job->backend->finish(job->device));	/* tiles -> one sorted batch */
	if (job->stats.batches > 0)		/* it is not the only one */
		TRY(gs_fill_set_aside(job));
	sorted = now();
	atomic_store(&job->counters.phase, GSORT_WRITING);
	TRY(gs_emit(job));			/* sorted keys -> bytes -> output */
	TRY(gs_output_finish(job->output));

	job->stats.batches += job->stats.batches == 0;
	job->stats.read_seconds = read - start;
	job->stats.sort_seconds = sorted - read;
	job->stats.write_seconds = now() - sorted;
	job->stats.seconds = now() - start;
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
	if (open_job(job) != GS_OK) {
		gsort_close(job);
		*opened = NULL;
		return GSORT_TROUBLE;
	}
	job->stats.threads = job->plan.threads;
	return GSORT_OK;
}

static gs_status
run(struct gsort *job, bool *disorder)
{
	switch (job->options->operation) {
	case GSORT_CHECK: return gs_check_inputs(job, disorder);
	case GSORT_MERGE: return gs_merge_inputs(job);
	default:          return sort_stream(job);
	}
}

gsort_status
gs_job_run(struct gsort *job)
{
	const unsigned threads = gs_team_limit(job->plan.threads);
	bool disorder = false;
	const gs_status status = run(job, &disorder);

	(void)gs_team_limit(threads);	/* the caller's own regions are none of our business */
	atomic_store(&job->counters.phase, GSORT_DONE);
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
	const struct gs_counters *now = &job->counters;

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
	char message[1024];

	if (job == NULL)
		return;
	snprintf(message, sizeof message, "%s", gs_message());
	gs_handover_close(job);
	gs_device_end(job);
	gs_ahead_close(&job->ahead);
	gs_output_close(job->output);
	gs_input_close(job->input);
	gs_arena_close(&job->arena);
	free(job);
	(void)gs_fail(GS_OK, "%s", message);	/* closing must not hide why */
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

const char *
gsort_version(void)
{
	return PACKAGE_VERSION "\n"
#ifdef HAVE_CUDA
	       "GPU backend: CUDA, " GS_CUDA_ARCH
#else
	       "GPU backend: none"
#endif
	       ;
}
