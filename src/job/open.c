// SPDX-License-Identifier: BSD-2-Clause
/*
 * open.c - open inputs and output, plan, and get memory
 *
 * In:   options.
 * Out:  inputs and output open, the plan, and all memory carved out of one arena; or an error,
 *       before anything has been read.
 *
 * Invariant: carve() runs twice and takes the same buffers; the first time, it only adds up their bytes.
 * If it takes more the second time, an assert of base/arena.c fails.
 */
#include "config.h"

#include <sys/stat.h>
#include <unistd.h>

#include <string.h>

#include "base/limits.h"
#include "base/round.h"
#include "linekey/collation.h"
#include "text/disorder.h"
#include "key/key.h"
#include "gpu/guard.h"
#include "options/options.h"
#include "ranks/rank_job.h"
#include "job/job.h"
#include "spill/file.h"
#include "figures/statistics.h"

/* ---- opening ---------------------------------------------------------------- */

struct gs_input_options
gs_job_input_options(struct gsort *job)
{
	const struct gsort_options *options = &job->options;

	return (struct gs_input_options){
		.names = options->inputs,
		.count = options->input_count,
		.unit = job->feed.ingest.unit,
		.guarded = gs_options_guard(options),
		.skip_bytes = options->skip_bytes,
		.terminal_ok = options->force,
		.decompress = options->decompress,
		.ranges = job->rank_job->parts.ranges,
		.again = job->fallback.may,
		.later = options->operation == GSORT_MERGE,
		.stored = &job->monitor.counters.stored_in,
		.confined = job->rank_job->given.sandbox && !options->sandbox ? GS_RANKS_UNCONFINED : NULL,
		.read = options->read,
		.read_context = options->read_context,
		.interrupted = &job->phases.interrupted,
	};
}

static gs_status
open_input(struct gs_feed *feed, const struct gs_input_options *in)
{
	const size_t unit = feed->ingest.unit;
	const char *name;
	uint64_t bytes;

	TRY(gs_input_open(&feed->input, in));
	/* After a header that is not a multiple of a key, a partial key is found when it is read. */
	if (unit == 0 || feed->options->skip_bytes % unit != 0 ||
	    (name = gs_files_partial(gs_input_files(feed->input), unit, &bytes)) == NULL)
		return GS_OK;
	return gs_partial(feed->options, name, 0, bytes);
}

static gs_status
open_output(struct gsort *job)
{
	const struct gsort_options *options = &job->options, *given = &job->rank_job->given;
	const struct gs_output_options out = {
		.name = options->output,
		.binary = gs_options_write_binary(options),
		.terminal_ok = options->force,
		.whole = options->record_bytes > 0 || options->argsort_bits > 0,
		.in_place = options->in_place,
		.files = options->split < job->plan.threads ? options->split : job->plan.threads,
		.inputs = given->inputs,
		.input_count = given->read != NULL ? 0 : given->input_count,
		.write = options->write,
		.write_context = options->write_context,
		.clock = &job->monitor.clock,
		.interrupted = &job->phases.interrupted,
	};

	job->lost = gs_lost_open(options, &job->monitor);
	return gs_outputs_open(&job->outputs, &out, options->split);
}

/* The stage that writes, to the outputs. */
static gs_status
open_emit(struct gsort *job)
{
	TRY(gs_emit_open(&job->emit, &job->options, &job->outputs, &job->verify, &job->monitor));
	if (job->feed.by != NULL)
		gs_emit_open_items(&job->emit, &job->options, &job->feed.items.written,
		                   &job->feed.lines.order, job->feed.items.listed);
	return GS_OK;
}

/* ---- facts for the plan -------------------------------------------------------- */

/* So small an input needs little memory: not all limits of the machine are read. */
enum { SMALL_BYTES = 64 << 10 };

/* Memory for each input of a merge beside its name and its file, open or not.  Measured. */
enum { MERGE_INPUT_BYTES = 490 };

/* FEED is JOB's, or an operand's of its set. */
static void
collect_plan_input(struct gsort *job, struct gs_feed *feed)
{
	const struct gsort_options *options = feed->options;
	const struct gs_encoding *encoding = &job->emit.encoding;
	const struct gs_files *files = gs_input_files(feed->input);
	const bool operand = feed != &job->feed;
	const uint64_t bytes = gs_files_bytes(files, false);
	const bool module = gs_gpu_module_exists();
	struct gs_plan_input *input = feed->plan_input;
	struct gs_limits *limits = &job->limits;
	uint64_t names_bytes = 0;
	struct stat output;
	/* the output is a regular file, or will be */
	const bool to_file = options->write == NULL &&
		(options->output == NULL ? fstat(STDOUT_FILENO, &output) == 0 && S_ISREG(output.st_mode)
		 : stat(options->output, &output) != 0 || S_ISREG(output.st_mode));
	bool guessed;

	if (limits->cores == 0)		/* not in the sandbox, which hides them */
		gs_limits_read(limits, bytes <= SMALL_BYTES && !options->explained);
	*input = (struct gs_plan_input){
		.operation = options->operation,
		.type = options->type,
		.notation = options->notation,
		.key_bits = gs_key_bits(options->type),
		.cpu_rule = feed->kind->cpu_rule,
		.ahead_chunks = GS_AHEAD_CHUNKS,
		.headers = options->header_lines > 0,
		/* a printed key is in two buffers, and has a count */
		.print_bytes = operand || gs_encoding_in_place(encoding) ? 0
		               : 2 * gs_encoding_bytes(encoding) + (encoding->counts ? sizeof(uint64_t) : 0),
		.compressed = options->operation == GSORT_SORT && gs_files_inflate(files, GS_INFLATES),
		.large_window = gs_files_inflate(files, GS_LARGE_WINDOW),
		.input_bytes = bytes,
		/* --plan=SIZE is of a file */
		.seekable = gs_files_are_seekable(files) || options->explained,
		.input_count = options->input_count,
		.device = options->device,
		.gpu_possible = module,
		.gpu_present = module && gs_gpu_is_present(),
		.to_file = to_file,
		.split = options->split,
		.gpu = options->gpu_count == GSORT_ALL_GPUS ? 0 : options->gpus[0],
		.gpu_memory_bytes = options->gpu_memory_bytes,
		.threads = options->threads,
		.cores = limits->cores,
		.memory_bytes = options->memory_bytes > 0 ? options->memory_bytes
		                : limits->ram_bytes / 100 * options->memory_percent,
		.memory_grows = options->memory_grows,
		.compares = options->set != GSORT_NO_SET || gs_select_wants_groups(options),
		.heads = options->head && !options->counts && !options->repeated &&
		         !options->singletons,
		.head_count = options->head_count,
		.host_bytes = limits->host_bytes,
		.address_bytes = limits->address_bytes,
		.files = limits->files == 0 ? 0
		         : limits->files > options->split ? limits->files - options->split : 1,
		.merge_files = options->merge_files,
	};
	feed->kind->plan(input);
	if (input->memory_bytes > 0)	/* the user's limit replaces the default share */
		input->host_bytes = limits->room_bytes;
	if (!operand && gs_job_combines(job)) {	/* equal shares, one of them for the merge */
		input->shares = (unsigned)job->rank_job->given.input_count + 1;
		input->memory_bytes = (input->memory_bytes > 0 ? input->memory_bytes : limits->host_bytes) /
		                      input->shares;
	}
	if (options->size_hint > 0 && (bytes == GS_UNKNOWN || options->explained)) {
		input->input_bytes = options->size_hint;
		input->guessed = true;
	}
	atomic_store(&feed->monitor->counters.bytes_total, input->input_bytes);
	atomic_store(&feed->monitor->counters.stored_total, gs_files_bytes(files, true));
	input->all_bytes = input->input_bytes;
	guessed = input->guessed;
	gs_rank_limit(job->rank_job, input, &feed->share);
	/* the memory that is kept beside the keys */
	if (options->locale != NULL)
		input->overhead_bytes += gs_plan_threads_most(input) * (uint64_t)GS_COLLATION_CACHE_BYTES;
	feed->kind->keep(feed, input, guessed);
	for (size_t i = 0; options->read == NULL && i < options->input_count; i++)
		names_bytes += sizeof(struct gs_file) + sizeof(char *) + strlen(options->inputs[i]) + 1 +
		               (options->operation == GSORT_MERGE ? MERGE_INPUT_BYTES : 0);
	gs_plan_reserve(input, names_bytes, "so many inputs");
	if (options->operation != GSORT_CHECK && options->skip_bytes < UINT64_MAX / 2)
		gs_plan_reserve(input, options->skip_bytes, "the header, which is copied to the output");
	gs_plan_reserve(input, (uint64_t)options->split * GS_OUTPUT_BYTES, "so many files of '--split'");
}

static gs_status
make_plan(struct gsort *job)
{
	TRY(gs_plan_make(&job->plan, &job->plan_input));
	if (job->plan_input.window_bytes > 0)	/* keys of a chunk fit into the window of several ranks */
		job->plan.chunk_bytes = gs_least(job->plan.chunk_bytes,
			gs_exchange_chunk_bytes(job->rank_job->ranks->size, job->plan_input.window_bytes,
			                        job->plan_input.type == GSORT_TEXT_FLOAT));
	gs_job_expect(job, false);
	return GS_OK;
}

/* ---- memory --------------------------------------------------------------------- */

/* Buffers for keys that are written.  With an arena that is not open they are only added up. */
static gs_status
open_buffers(struct gsort *job)
{
	job->buffers = (struct gs_arena){ .base = NULL };
	if (job->feed.by == NULL)
		gs_emit_carve(&job->emit, &job->options, &job->plan, &job->buffers);
	if (job->buffers.used_bytes == 0)
		return GS_OK;
	TRY(gs_arena_open(&job->buffers, job->buffers.used_bytes, job->plan.huge_pages));
	gs_emit_carve(&job->emit, &job->options, &job->plan, &job->buffers);
	return GS_OK;
}

gs_status
gs_job_replan(struct gsort *job)
{
	gs_feed_release(&job->feed);
	gs_arena_close(&job->buffers);
	TRY(make_plan(job));
	TRY(job->feed.kind->allocate(&job->feed));
	return open_buffers(job);
}

/* Get memory, as planned, and see that temporary files can be made. */
static gs_status
allocate(struct gs_feed *feed)
{
	const struct gsort_options *options = feed->options;
	const struct gs_plan_input *input = feed->plan_input;
	const struct gs_plan *plan = feed->plan;
	gs_status status;

	gs_verify_open(feed->verify, options, feed->by, plan->threads);
	/* a merge of items has buffers of its own */
	if (options->operation == GSORT_SORT || feed->by == NULL)
		TRY(feed->kind->allocate(feed));
	if (plan->host_bytes > input->memory_bytes && input->memory_bytes > 0)
		gs_note(feed->monitor, "%.1f MiB of memory are not enough: gsort uses %.1f",
		        (double)input->memory_bytes / (1 << 20), (double)plan->host_bytes / (1 << 20));
	if (!plan->spills)
		return GS_OK;
	/* As in sort(1), a directory that cannot be used is an error only if it is needed: here, if the input
	 * is known to be too large for memory; else when memory is full. */
	status = feed->by == NULL ? gs_runs_prepare_disk(&feed->store.runs)
	                          : gs_spill_dirs_check(options->temp_dirs, options->temp_dir_count);
	if (status == GS_OK || (input->input_bytes != UINT64_MAX && !input->guessed))
		return status;
	gs_note(feed->monitor, "%s; it is needed only if memory is not enough", gs_message());
	return GS_OK;
}

/* A sort reads with all threads; a check or merge with half of them, since it works meanwhile. */
static void
share_threads(struct gs_feed *feed)
{
	const struct gs_plan *plan = feed->plan;

	gs_input_share(feed->input, feed->options->operation == GSORT_SORT ? plan->threads
	               : (plan->threads + 1) / 2, plan->inflate_bytes, plan->window_bytes);
}

/* ---- all of it ------------------------------------------------------------------ */

/* Set the options to others that mean the same, and are done with less. */
static void
normalize(struct gsort *job)
{
	struct gsort_options *own = &job->options;
	const bool alone = job->rank_job->alone;
	struct gs_feed *feed = &job->feed;
	enum gs_elements elements = gs_options_elements(own);

	/* -n and -g begin with numbers, but not on several ranks, which would have to fall back together */
	if (elements == GS_OF_LINES && alone && gs_fallback_begin(&job->fallback, own))
		elements = gs_options_elements(own);
	if (elements == GS_OF_KEYS || elements == GS_OF_COLUMN || elements == GS_OF_FIELD) {
		if (own->set != GSORT_NO_SET)	/* of sorted inputs, as a merge is */
			own->operation = GSORT_MERGE;
		if (!alone || own->operation != GSORT_SORT || !own->tail.wanted ||
		    own->tail.count > GS_TAIL_MOST || own->json || own->counts || own->repeated ||
		    own->singletons)
			return;
		/* the last K keys are the first K of the reverse order, in memory in proportion to K */
		own->reverse = !own->reverse;
		own->head = true;
		own->head_count = own->tail.count;
		return;
	}
	if (own->json && own->quantiles == NULL && !own->summary) {
		feed->items.listed = own->top.wanted ? "top" : own->tail.wanted ? "tail" : "sample";
		own->json = false;
	}
	if (own->top.wanted) {		/* the most frequent items are counted items */
		feed->items.top = (struct gs_item_top){ .on = true, .wanted = own->top.count };
		own->top.wanted = false;
		own->counts = true;
	}
}

/* Choose what elements are, and the form in which they are written. */
static gs_status
describe(struct gsort *job)
{
	struct gs_feed *feed = &job->feed;
	struct gs_text_options *text = &feed->ingest.text;
	gs_status status = GS_OK;

	normalize(job);
	feed->kind = gs_kind_of(&job->options);
	gs_ingest_set_format(&feed->ingest, &job->options);
	text->exact = job->fallback.may;
	feed->lines.order.terminator = text->terminator;
	if (feed->kind->describe != NULL)
		status = feed->kind->describe(feed);
	TRY(gs_rank_describe(job->rank_job, status, &feed->lines.order));
	/* messages of a rank have the numbers of lines in the file */
	text->lines_before = gs_parts_lines_before;
	text->lines_context = &job->rank_job->parts;
	gs_emit_set_format(&job->emit, &job->options);
	return GS_OK;
}

/*
 * Open inputs first, so that a missing file is found before an output is created; then check what
 * could fail after an hour of reading: temporary directories, the output.
 */
gs_status
gs_job_open(struct gsort *job)
{
	struct gs_input_options in;
	struct gs_feed *feed = &job->feed;
	const struct gs_files *files;

	TRY(gs_options_check(&job->options));
	if (job->options.set != GSORT_NO_SET && job->rank_job->given.input_count < 2)
		return gs_fail(GS_EUSAGE, "a set operation needs two FILEs at least");
	TRY(describe(job));
	in = gs_job_input_options(job);
	TRY(open_input(feed, &in));
	files = gs_input_files(feed->input);
	/* known once it is open: reading it twice would take longer than sorting lines */
	if (job->fallback.may && gs_files_inflate(files, GS_INFLATES)) {
		gs_fallback_end(&job->fallback, &job->options);
		TRY(describe(job));
	}
	collect_plan_input(job, &job->feed);
	TRY(make_plan(job));
	share_threads(feed);
	if (job->options.operation != GSORT_CHECK) {	/* which has constant memory, and no output */
		TRY(allocate(feed));
		TRY(open_buffers(job));
		if (feed->items.top.on) {
			job->emit.items.top = &feed->items.top;
			TRY(gs_item_top_open(job->emit.items.top, &feed->items.order,
			                     job->plan_input.all_bytes, job->plan.host_bytes));
		}
		TRY(open_output(job));
		TRY(open_emit(job));
	}
	if (!job->options.sandbox || !gs_files_inflate(files, GS_MAY_INFLATE))
		return GS_OK;
	if (job->plan.device == GSORT_DEVICE_GPU)
		gs_note(&job->monitor, "no sandbox: a GPU may be started");
	else
		gs_confine(&job->options, &job->outputs, &job->monitor);
	return GS_OK;
}

gs_status
gs_job_become_lines(struct gsort *job)
{
	struct gs_emit *emit = &job->emit;
	const struct gs_written written = emit->written;

	gs_note(&job->monitor, "a line is not a number as gsort prints it: sorting lines");
	gs_ingest_close(&job->feed.ingest);		/* its thread reads */
	job->feed.ingest.done.stopped = false;
	TRY(gs_input_rewind(job->feed.input));
	TRY(gs_outputs_wait(&job->outputs));	/* they borrow memory of the arena */
	atomic_store(&job->monitor.counters.bytes_in, 0);
	atomic_store(&job->monitor.counters.keys_in, 0);
	atomic_store(&job->monitor.counters.keys_sorted, 0);
	gs_fallback_end(&job->fallback, &job->options);
	gs_emit_close(emit);
	gs_feed_release(&job->feed);
	gs_arena_close(&job->buffers);
	TRY(describe(job));
	collect_plan_input(job, &job->feed);
	TRY(make_plan(job));
	if (job->options.operation == GSORT_CHECK)
		return GS_OK;
	TRY(allocate(&job->feed));
	TRY(open_emit(job));
	emit->written = written;
	emit->items.left_out = written.keys;
	return GS_OK;
}

gs_status
gs_job_open_operand(struct gsort *job, struct gs_feed *feed)
{
	struct gs_input_options in = gs_job_input_options(job);

	feed->kind = gs_kind_of(feed->options);
	gs_ingest_set_format(&feed->ingest, feed->options);
	feed->ingest.text.merge_zeros = true;	/* in all sets, -0 is 0 */
	feed->ingest.text.header = job->feed.ingest.text.header;
	in.names = feed->options->inputs;
	in.count = feed->options->input_count;
	in.later = false;
	in.stored = &feed->monitor->counters.stored_in;
	in.stops_with = job->feed.input;
	TRY(open_input(feed, &in));
	collect_plan_input(job, feed);
	TRY(gs_plan_make(feed->plan, feed->plan_input));
	share_threads(feed);
	return allocate(feed);
}
