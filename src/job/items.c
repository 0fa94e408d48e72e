// SPDX-License-Identifier: BSD-2-Clause
/*
 * items.c - what a job of records, lines or keys of 128 bits, or of --argsort, has of its own
 *
 * In:   open inputs and a plan.
 * Out:  the order of the items, their engine, and the form in which they are written.
 */
#include "base/limits.h"
#include "format/key.h"
#include "job/items.h"
#include "job/line_job.h"
#include "job/options.h"
#include "job/ranked.h"
#include "spill/file.h"
#include "stages/select.h"

gs_status
gs_items_describe(struct gsort *job)
{
	struct gs_items *items = &job->items;

	if (gs_options_read_lines(job->options))
		return gs_line_job_describe(job);
	TRY(gs_record_ingest_open(&items->ingest, job->options));
	items->ingest.skips = items->npy.writes_header ? items->npy.skips : NULL;
	items->order = (struct gs_item_order){
		.item_bytes = items->ingest.item.bytes,
		.words = gs_record_words,
		.context = &items->ingest.item,
	};
	return GS_OK;
}

/* ---- memory ---------------------------------------------------------------------- */

/* Which groups of equal items leave. */
static void
set_groups(struct gs_item_store_options *to, const struct gsort_options *options)
{
	struct gs_select select;

	gs_select_open(&select, options, NULL);
	to->groups = select.groups;
	to->least = select.least;
	to->most = select.most;
	to->head = options->head;
	to->tail = options->tail.wanted;
	to->count = to->tail ? options->tail.count : options->head_count;
	to->verify = options->verify;
}

/* Numbers of lines go with them, and who knows how many lines there are? */
static bool
numbers_lines(const struct gsort_options *options)
{
	return gs_options_read_lines(options) && options->argsort_bits > 0;
}

/* Bytes of items, as far as is known. */
static uint64_t
item_bytes_of(const struct gsort *job)
{
	const struct gs_record_ingest *ingest = &job->items.ingest;
	const uint64_t bytes = job->plan_input.input_bytes;

	if (bytes == UINT64_MAX || (job->plan_input.guessed && job->ranked == NULL))
		return UINT64_MAX;
	if (numbers_lines(job->options))
		return bytes < UINT64_MAX / 4 ? 2 * bytes : UINT64_MAX;	/* a guess */
	if (job->options->lines)
		return bytes + job->options->input_count + 1;	/* each may lack a last newline */
	return bytes / ingest->record.bytes * ingest->item.bytes;
}

/* Each thread has buffers of a record at least: what it reads, divides, loads and sorts. */
enum { RECORDS_OF_THREAD = 6 };

static unsigned
threads_for(unsigned threads, uint64_t memory, size_t record)
{
	const uint64_t most = memory / RECORDS_OF_THREAD / (record + 1);

	return most >= threads ? threads : most > 0 ? (unsigned)most : 1;
}

gs_status
gs_items_allocate(struct gsort *job)
{
	struct gs_items *items = &job->items;
	const struct gsort_options *options = job->options;
	const unsigned argsort = options->argsort_bits / 8;
	/* of all that is read at a time, and of a round */
	const uint64_t memory = job->plan.pool_bytes;
	uint64_t reading = memory / 16;
	const bool lines = gs_options_read_lines(options);
	const size_t record = lines ? 0 : items->ingest.record.bytes;
	const unsigned threads = threads_for(job->plan.threads, memory, record);
	struct gs_item_store_options store = {
		.order = &items->order,
		.threads = threads,
		.beside_bytes = job->plan.host_bytes - memory,
		.input_bytes = item_bytes_of(job),
		.guessed = job->ranked != NULL || numbers_lines(options),
		.origins = job->ranked != NULL,
		.temp_dirs = options->temp_dirs,
		.temp_dir_count = options->temp_dir_count,
		.emit_at = argsort > 0 && !options->lines ? items->order.item_bytes - sizeof(uint64_t)
		                                          : 0,
		.emit_bytes = argsort,
	};

	if (lines)
		TRY(gs_line_job_allocate(job, memory, &reading));
	else if (reading < threads * record)
		reading = threads * record;
	if (job->ranked != NULL)
		reading += gs_ranked_item_bytes(job->ranked, &items->order, threads);
	store.memory_bytes = memory > reading ? memory - reading : 1;
	items->temp_dir = gs_temp_dir();
	if (options->temp_dir_count == 0) {
		store.temp_dirs = &items->temp_dir;
		store.temp_dir_count = 1;
	}
	set_groups(&store, options);
	gs_verify_expect_items(&job->verify, options, &items->order);
	job->plan.threads = threads;
	TRY(gs_item_store_open(&items->store, &store, &job->monitor));
	job->engine = gs_item_store_engine(items->store);
	return lines ? gs_line_job_number(job)
	       : gs_record_ingest_allocate(&items->ingest, job->plan.threads,
	                                 job->engine.taker.piece_bytes);
}

gs_status
gs_items_prepare_disk(struct gsort *job)
{
	const struct gsort_options *options = job->options;

	for (size_t d = 0; d < options->temp_dir_count; d++)
		TRY(gs_spill_dir_check(options->temp_dirs[d]));
	return options->temp_dir_count > 0 ? GS_OK : gs_spill_dir_check(gs_temp_dir());
}

/* ---- the output -------------------------------------------------------------------- */

gs_status
gs_items_open_emit(struct gsort *job)
{
	struct gs_items *items = &job->items;
	const struct gsort_options *options = job->options;

	TRY(gs_emit_open_items(&job->emit, &items->order, options->argsort_bits / 8));
	if (options->lines)
		gs_line_show_open(&job->lines.show, &job->lines.order, &job->emit, options->counts,
		                  options->underline);
	if (options->converts)		/* only wide keys are items then, and only to text */
		gs_wide_show_open(&items->show, options, &job->emit);
	return GS_OK;
}

void
gs_items_close(struct gsort *job)
{
	struct gs_items *items = &job->items;

	gs_npy_close(&items->npy);
	gs_item_store_close(items->store);
	gs_record_ingest_close(&items->ingest);
	gs_line_job_close(job);
	items->store = NULL;
}
