// SPDX-License-Identifier: BSD-2-Clause
/*
 * items.c - what a job of records, lines or keys of 128 bits, or of --argsort, has of its own
 *
 * In:   open inputs and a plan.
 * Out:  the order of the items, their engine, and the form in which they are written.
 */
#include <stdlib.h>
#include <string.h>

#include "key/key.h"
#include "kinds/merge_input.h"
#include "job/job.h"
#include "options/options.h"
#include "ranks/ranked.h"
#include "spill/file.h"
#include "output/select.h"

void
gs_items_adapt(struct gsort *job)
{
	struct gsort_options *own = &job->options;

	if (own->json && own->quantiles == NULL && !own->summary) {
		job->items.listed = own->top.wanted ? "top" : own->tail.wanted ? "tail" : "sample";
		own->json = false;
	}
	if (!own->top.wanted)
		return;
	job->items.top = (struct gs_item_top){ .on = true, .wanted = own->top.count };
	own->top.wanted = false;
	own->counts = true;
}

static gs_status
describe(struct gsort *job)
{
	struct gs_items *items = &job->items;

	if (job->options.keep_order && job->options.record_bytes == 0 && gs_key_bits(job->options.type) == 0)
		return gs_fail(GS_EUSAGE, "option '--keep-order' needs '--lines' or '-n': numbers are "
		               "written anew, and lines as they are");
	TRY(gs_record_ingest_open(&items->ingest, &job->options));
	job->keys.ingest.unit = items->ingest.record.bytes;
	items->order = (struct gs_item_order){
		.item_bytes = items->ingest.item.bytes,
		.words = gs_record_words,
		.context = &items->ingest.item,
	};
	items->written = items->order;
	if (job->options.keep_order)
		items->written.item_bytes -= sizeof(uint64_t);
	job->items.by = &items->order;
	return GS_OK;
}

/* ---- memory ---------------------------------------------------------------------- */

void
gs_items_plan(struct gs_plan_input *input)
{
	input->key_bits = GS_ITEM_BITS;
}

void
gs_items_keep(const struct gsort *job, struct gs_plan_input *input, bool guessed)
{
	const struct gsort_options *options = &job->options;
	const uint64_t all = input->all_bytes, memory = gs_plan_memory(input);
	const size_t unit = job->keys.ingest.unit;

	(void)guessed;
	if (options->quantiles != NULL)
		gs_plan_keep(input, gs_item_top_bytes(strlen(options->quantiles), all, memory),
		             "so many lines of '--quantiles'");
	gs_plan_keep(input, job->items.top.on ? gs_item_top_bytes(job->items.top.wanted, all, memory)
	                                      : gs_pick_bytes(options, all / (unit > 0 ? unit : 1)),
	             GS_MANY_VALUES);
}

/* Which groups of equal items leave. */
static void
set_groups(struct gs_item_store_options *to, const struct gsort_options *options,
           const struct gs_ranked *ranked)
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
	if (options->set != GSORT_NO_SET)
		to->set = (struct gs_item_set){
			.keep = gs_set_keep_of(options->set), .distinct = options->unique,
			.operands = (unsigned)ranked->given.input_count,
		};
}

/* What the sizes of its items are planned from. */
static struct gs_item_facts
facts_of(const struct gsort *job)
{
	struct gs_item_facts facts = {
		.record_bytes = job->keys.ingest.unit,
		.item_bytes = job->items.order.item_bytes,
		.numbered = gs_options_want_numbers(&job->options),
	};

	if (job->ranked->window_bytes > 0)
		facts.window = gs_item_spread_window(job->ranked->ranks->size, job->ranked->window_bytes);
	return facts;
}

struct gs_item_sizes
gs_items_sizes(const struct gsort *job)
{
	const struct gs_item_facts facts = facts_of(job);
	struct gs_item_sizes sizes;

	gs_plan_items(&sizes, &job->plan, &job->plan_input, &facts);
	return sizes;
}

gs_status
gs_items_open_engine(struct gsort *job, const struct gs_item_sizes *sizes)
{
	struct gs_items *items = &job->items;
	const struct gsort_options *options = &job->options;
	const unsigned argsort = options->argsort_bits / 8;
	const size_t fixed = items->order.item_bytes;
	struct gs_item_store_options store = {
		.order = &items->order,
		.facts = sizes->store,
		.beside_bytes = job->plan.host_bytes - job->plan.pool_bytes,
		.shares = job->plan_input.shares,
		.grows = options->memory_grows,
		.address_bytes = job->plan_input.address_bytes,
		.origins = job->ranked->window_bytes > 0,
		.numbered = gs_options_want_numbers(options),
		.temp_dirs = options->temp_dirs,
		.temp_dir_count = options->temp_dir_count,
		.compress_program = options->compress_program,
		.emit_at = argsort > 0 && fixed > 0 ? fixed - sizeof(uint64_t) : 0,
		.emit_bytes = argsort,
	};

	job->plan.threads = sizes->store.threads;
	set_groups(&store, options, job->ranked);
	gs_verify_expect_items(&job->verify, options, &items->order);
	if (options->keep_order) {
		store.emit_at = fixed > 0 ? 0 : GS_LINE_NUMBER_BYTES;
		store.emit_bytes = items->written.item_bytes;
		store.leaves = &items->written;
		TRY(gs_item_firsts_open(&items->firsts, &store, items->written.item_bytes, &job->monitor));
		job->engine = gs_item_firsts_engine(items->firsts);
		return GS_OK;
	}
	TRY(gs_item_store_open(&items->store, &store, &job->monitor));
	job->engine = gs_item_store_engine(items->store);
	return GS_OK;
}

gs_status
gs_items_allocate_none(struct gsort *job)
{
	(void)job;
	return GS_OK;
}

static gs_status
allocate(struct gsort *job)
{
	const struct gs_item_sizes sizes = gs_items_sizes(job);

	TRY(gs_items_open_engine(job, &sizes));
	return gs_record_ingest_allocate(&job->items.ingest, job->plan.threads,
	                                 job->engine.taker.piece_bytes);
}

gs_status
gs_items_check_disk(struct gsort *job)
{
	return gs_spill_dirs_check(job->options.temp_dirs, job->options.temp_dir_count);
}

/* ---- the output -------------------------------------------------------------------- */

static gs_status
open_emit(struct gsort *job)
{
	struct gs_items *items = &job->items;
	const struct gsort_options *options = &job->options;

	TRY(gs_emit_open_items(&job->emit, &items->written, options->argsort_bits / 8));
	if (options->converts)		/* only wide keys are items then, and only to text */
		gs_show_open_keys(&items->show, options, &job->emit);
	else if (options->counts && options->key_count > 0)
		gs_show_open_fields(&items->show, options, &job->emit);
	return GS_OK;
}

static gs_status
read_all(struct gsort *job, const struct gs_taker *taker)
{
	TRY(gs_record_ingest_run(&job->items.ingest, job->files.input, taker, &job->monitor));
	job->ranked->elements = job->engine.count(job->engine.context, 0);
	return GS_OK;
}

static gs_status
find_header(struct gsort *job, const char **header, size_t *bytes)
{
	*header = job->items.ingest.header;
	*bytes = job->options.argsort_bits > 0 ? 0 : job->items.ingest.header_bytes;
	return GS_OK;
}

uint64_t
gs_items_kept(const struct gsort *job, struct gs_plan_input *input, uint64_t each)
{
	const struct gsort_options *options = &job->options;
	uint64_t bytes = input->input_bytes;
	struct gs_item_merge_sizes sizes;

	if (options->operation == GSORT_MERGE)
		input->operation = gs_items_merge_sorts(job, &sizes) ? GSORT_SORT : GSORT_MERGE;
	if (input->heads && !options->unique && options->head_count < bytes / each)
		bytes = each * options->head_count;
	if (gs_options_want_numbers(options))
		bytes += bytes / each * sizeof(uint64_t);
	return options->keep_order ? 2 * bytes : bytes;		/* by key, and then in order */
}

enum { SMALL_RECORD = 32 };

static enum gs_work
work(const struct gsort *job, struct gs_plan_input *input, uint64_t *kept)
{
	const size_t unit = job->keys.ingest.unit;

	*kept = gs_items_kept(job, input, unit);
	return job->options.argsort_bits > 0 ? GS_WORK_NUMBERED : unit < SMALL_RECORD ? GS_WORK_SMALL
	                                                                              : GS_WORK_RECORDS;
}

/* A merge has counted itself. */
void
gs_items_count_read(const struct gsort *job, struct gsort_stats *stats)
{
	const struct gs_line_ingest *lines = &job->items.lines.ingest;

	stats->invalid_lines = lines->faults.invalid;
	if (job->engine.context == NULL)
		return;
	stats->bytes_in = job->items.ingest.read.bytes + lines->bytes;	/* records or lines */
	stats->keys = job->engine.count(job->engine.context, 0);
}

const struct gs_kind gs_records = {
	.adapt = gs_items_adapt, .describe = describe, .plan = gs_items_plan, .cpu_rule = GS_ITEMS_ON_CPU,
	.keep = gs_items_keep, .allocate = { allocate, gs_items_allocate_none },
	.check_disk = gs_items_check_disk, .open_emit = open_emit, .deal = gs_items_deal, .read = read_all,
	.header = find_header, .check = gs_records_check,
	.merge = gs_items_merge, .begin_input = gs_records_begin_input, .fill = gs_records_fill, .work = work,
	.type = "record", .explain = gs_records_explain, .explain_memory = gs_items_explain_memory,
	.count = gs_items_count_read,
};
