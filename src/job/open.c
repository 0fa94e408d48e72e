// SPDX-License-Identifier: BSD-2-Clause
/*
 * open.c - everything that a job is given before it runs
 *
 * In:   options.
 * Out:  inputs and output open, the facts and the plan made of them, and all memory carved
 *       out of one arena; or the reason why not, before anything has been read.
 *
 * Invariant: carve() takes the same from the arena twice, first only for the sum: taking
 * more the second time meets an assert of base/arena.c.
 */
#include "config.h"

#include <stdlib.h>

#include "base/limits.h"
#include "format/key.h"
#include "job/job.h"
#include "job/options.h"

/* In a sort, reading comes first; in a check or merge, it has half of the threads. */
static unsigned
readers(const struct gsort *job)
{
	const unsigned threads = job->plan.threads;

	return job->options->operation == GSORT_SORT ? threads : (threads + 1) / 2;
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
		.later = options->operation == GSORT_MERGE,
		.before_inflate = gs_confine,
		.before_context = job,
		.read = options->fed ? gs_rendezvous_read : options->read,
		.read_context = options->fed ? job : options->read_context,
	};
	const char *name;
	uint64_t bytes;

	TRY(gs_input_open(&job->input, &in));
	/* A header of whole keys does not matter; behind another one it is found later. */
	if (key_bits > 0 && options->skip_bytes % (key_bits / 8) == 0 &&
	    (name = gs_input_partial(job->input, key_bits / 8, &bytes)) != NULL)
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
		.write = job->options->drained ? gs_rendezvous_write : job->options->write,
		.write_context = job->options->drained ? job : job->options->write_context,
		.clock = &job->monitor.clock,
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
		.merge_zeros = gs_select_wants_groups(options),
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

/* Memory for each key that is printed; 0: keys go out where they lie. */
static size_t
print_bytes(const struct gsort *job)
{
	const size_t times = job->options->counts ? sizeof *job->select.times : 0;

	return gs_encoding_in_place(&job->encoding) ? 0
	       : 2 * gs_encoding_bytes(&job->encoding) + times;
}

/* The user's limit of memory, 0: none. */
static uint64_t
memory_wanted(const struct gsort_options *options, const struct gs_limits *limits)
{
	if (options->memory_bytes > 0 || options->memory_percent == 0)
		return options->memory_bytes;
	return limits->ram_bytes / 100 * options->memory_percent;
}

/* A process for each run that is merged: no more at once than sort(1) starts, unless told. */
enum { MOST_PROGRAMS = 16 };

static unsigned
merge_files(const struct gsort_options *options)
{
	if (options->merge_files == 0 && options->operation == GSORT_SORT &&
	    gs_spill_starts_programs(options->compress_program))
		return MOST_PROGRAMS;
	return options->merge_files;
}

/* An input of which nothing needs to be reckoned with. */
enum { SMALL_BYTES = 64 << 10 };

static void
gather_facts(struct gsort *job)
{
	const struct gsort_options *options = job->options;
	const uint64_t bytes = gs_input_bytes(job->input);
	struct gs_limits limits;

	gs_limits_read(&limits, bytes <= SMALL_BYTES);
	job->facts = (struct gs_plan_input){
		.operation = job->options->operation,
		.type = job->options->type,
		.key_bits = gs_key_bits(job->options->type),
		.headers = job->options->header_lines > 0,
		.print_bytes = print_bytes(job),
		.packed = options->operation == GSORT_SORT && gs_input_inflates(job->input),
		.large_window = gs_input_large_window(job->input),
		.input_bytes = bytes,
		.input_count = job->options->input_count,
		.device = job->options->device,
		.gpu_built = gs_backend_gpu != NULL,
		.gpu_memory_bytes = options->gpu_memory_bytes,
		.threads = options->threads,
		.cores = limits.cores,
		.memory_bytes = memory_wanted(job->options, &limits),
		.heads = options->head && !options->counts && !options->repeated &&
		         !options->singletons,
		.head_count = options->head_count,
		.host_bytes = limits.host_bytes,
		.address_bytes = limits.address_bytes,
		.files = limits.files,
		.merge_files = merge_files(options),
	};
	if (job->facts.memory_bytes > 0)	/* who says how much may have it all */
		job->facts.host_bytes = limits.room_bytes;
	if (bytes == GS_UNKNOWN && options->size_hint > 0) {
		job->facts.input_bytes = options->size_hint;
		job->facts.guessed = true;
	}
	atomic_store(&job->monitor.counters.bytes_total, job->facts.input_bytes);
}

/* Of binary inputs; those of text have lines. */
static size_t
skip_bytes(const struct gsort *job)
{
	return job->facts.key_bits > 0 ? job->options->skip_bytes : 0;
}

/* Of text: room for the lines of a header.  Addresses; memory is what they need. */
#define HEADER_BYTES	((size_t)1 << 20)

/* ---- memory ------------------------------------------------------------- */

/* What is counted: bins, and none of them if nothing is. */
static size_t
bin_count(const struct gsort *job)
{
	if (job->text.floats)
		return 0;
	if (job->facts.key_bits == 0)
		return GS_SMALL_COUNT;
	return job->plan.counts ? (size_t)1 << job->facts.key_bits : 0;
}

/* What the CPU holds keys in, and sorts them with. */
static void
carve_batch(struct gsort *job)
{
	const struct gs_plan *plan = &job->plan;
	const unsigned slots = gs_batch_slots(plan->threads);
	struct gs_arena *arena = &job->arena;

	job->pool_memory = gs_arena_take(arena, plan->batch_bytes);
	job->pool_books = gs_arena_take(arena, gs_pool_bytes(plan->batch_bytes));
	job->batch.slots = gs_arena_take(arena, (slots + plan->threads) * plan->part_bytes);
	job->part_print = gs_arena_take(arena, slots * plan->part_print_bytes);
	for (unsigned s = 0; s < GS_CLASSES; s++) {
		const unsigned bits = plan->class_bits[s];

		if (bits == 0)
			continue;
		job->bucket_memory[s] = gs_arena_take(arena, gs_buckets_bytes(plan->threads,
		                                                              plan->batch_bytes,
		                                                              plan->part_bytes));
		if (plan->head_keys > 0)
			job->head.kept[s] = gs_arena_take(arena, job->options->head_count * (bits / 8));
	}
	job->keep.memory = gs_arena_take(arena, plan->run_bytes);
	job->spare.memory = gs_arena_take(arena, plan->spare_bytes);
	job->piece_memory = gs_arena_take(arena, plan->threads * plan->piece_bytes);
}

/* Every buffer of the job.  From an arena that is not open yet, only the sum of them. */
static void
carve(struct gsort *job)
{
	const struct gs_plan *plan = &job->plan;
	const bool text = job->facts.key_bits == 0, merge = job->options->operation == GSORT_MERGE;
	const size_t print_bytes = job->facts.print_bytes == 0 ? 0 :
	                           plan->print_keys * gs_encoding_bytes(&job->encoding);
	struct gs_arena *arena = &job->arena;

	if (!merge)
		carve_batch(job);
	for (unsigned s = 0; s < GS_CLASSES; s++)
		if (plan->class_bits[s] > 0)
			job->asides[s].runs = gs_arena_take(arena,
			                                    plan->most_runs * sizeof(struct gs_aside));
	job->merged.runs = gs_arena_take(arena, plan->most_runs * sizeof(struct gs_aside));
	job->sources = gs_arena_take(arena, plan->most_runs * sizeof *job->sources);
	job->merge_memory = gs_arena_take(arena, plan->merge_bytes);
	job->source_memory = gs_arena_take(arena, merge ? plan->fan_in * plan->source_bytes : 0);
	job->spill_memory = gs_arena_take(arena, plan->spill_bytes);
	job->small.bins = gs_arena_take(arena, gs_count_bytes(bin_count(job), text ? 0 : plan->threads));
	job->count_memory = gs_arena_take(arena, plan->count_bytes);
	job->print[0] = gs_arena_take(arena, print_bytes);
	job->print[1] = gs_arena_take(arena, print_bytes);
	job->select.times = gs_arena_take(arena, sizeof *job->select.times *
	                                         (job->options->counts ? plan->print_keys :
	                                          GS_SELECT_PAIRS));
	job->header = gs_arena_take(arena, skip_bytes(job));
	if (merge && text) {
		job->text_header.room = job->options->header_lines > 0 ? HEADER_BYTES : 0;
		job->text_header.text = gs_arena_take(arena, job->text_header.room + 1);
	}
	if (!text || merge)
		return;
	job->chunk_memory = gs_arena_take(arena, GS_AHEAD_CHUNKS * plan->chunk_bytes);
	job->decoder_memory = gs_arena_take(arena, gs_text_decoder_bytes(plan->chunk_bytes,
	                                                                 plan->threads, &job->text));
}

static void
open_batch(struct gsort *job)
{
	const struct gs_plan *plan = &job->plan;
	struct gs_batch *batch = &job->batch;

	if (plan->batch_bytes == 0)
		return;
	batch->pool = gs_pool_init(job->pool_books, job->pool_memory, plan->batch_bytes,
	                           gs_plan_classes(plan));
	batch->threads = plan->threads;
	batch->part_bytes = plan->part_bytes;
	batch->clock = &job->monitor.clock;
	batch->scratch = batch->slots + gs_batch_slots(plan->threads) * plan->part_bytes;
	for (unsigned s = 0; s < GS_CLASSES; s++)
		if ((batch->bits[s] = plan->class_bits[s]) > 0)
			batch->buckets[s] = gs_buckets_init(job->bucket_memory[s], batch->pool,
			                                    batch->bits[s], plan->threads,
			                                    plan->part_bytes,
			                                    gs_plan_expected(&job->facts));
}

static gs_status
allocate(struct gsort *job)
{
	const struct gs_plan *plan = &job->plan;
	const bool text = job->facts.key_bits == 0;

	carve(job);
	TRY(gs_arena_open(&job->arena, job->arena.used_bytes, plan->huge_pages));
	carve(job);
	open_batch(job);
	if (bin_count(job) > 0)
		gs_count_open(&job->small, job->small.bins, bin_count(job),
		              text ? 32 : job->facts.key_bits, text ? GS_SMALL : 0,
		              text ? 0 : plan->threads);
	gs_select_open(&job->select, job->options, job->select.times);
	gs_verify_open(&job->verify, job->options, plan->threads);
	gs_head_begin(job);
	if (job->decoder_memory == NULL)
		return GS_OK;
	job->decoder = gs_text_decoder_init(job->decoder_memory, plan->chunk_bytes, plan->threads,
	                                    &job->text);
	if (job->options->type == GSORT_TEXT)
		gs_text_count_into(job->decoder, job->small.bins);
	return GS_OK;
}

/*
 * Directories that somebody named must do; /tmp, which nobody did, only where it is sure
 * to be needed: ten lines of a pipe are sorted without.
 */
static gs_status
check_temp(struct gsort *job)
{
	const bool named = job->options->temp_dir_count > 0 || getenv("TMPDIR") != NULL;
	const bool known = job->facts.input_bytes != UINT64_MAX && !job->facts.guessed;
	gs_status status;

	if (!job->plan.spills && job->options->temp_dir_count == 0)
		return GS_OK;
	status = gs_runs_open(job);
	if (status != GS_OK && !named && !known) {
		gs_note(&job->monitor, "%s, if memory does not do", gs_message());
		return GS_OK;
	}
	return status;
}

/* If it is known that something will be decompressed. */
static void
confine(struct gsort *job)
{
	if (!gs_input_inflates(job->input) || !job->options->sandbox)
		return;
	gs_confine(job);
	if (atomic_load(&job->opener.first) == GS_FIRST_SANDBOX)	/* for who reads the plan */
		job->plan.gpu_from_bytes = job->plan.gpu_wait_bytes = GS_NEVER;
}

/*
 * Inputs first, so that a missing file is found before an output is made; then what
 * could be in the way after an hour of reading: temporary directories, the output.
 */
gs_status
gs_job_open(struct gsort *job)
{
	TRY(gs_rendezvous_open(job));
	TRY(gs_options_check(job->options));
	set_formats(job);
	TRY(open_input(job));
	gather_facts(job);
	TRY(gs_plan_make(&job->plan, &job->facts));
	gs_input_share(job->input, readers(job), job->plan.unpack_bytes, job->plan.window_bytes);
	job->encoding.threads = job->plan.threads;
	if (job->options->operation == GSORT_CHECK) {	/* constant memory, and no output */
		confine(job);
		return GS_OK;
	}
	TRY(allocate(job));
	if (job->plan.host_bytes > job->facts.memory_bytes && job->facts.memory_bytes > 0)
		gs_note(&job->monitor, "%.1f MiB of memory are too few: %.1f are used",
		            (double)job->facts.memory_bytes / (1 << 20),
		            (double)job->plan.host_bytes / (1 << 20));
	TRY(check_temp(job));
	TRY(open_output(job));
	confine(job);
	return GS_OK;
}
