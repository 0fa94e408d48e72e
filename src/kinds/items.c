// SPDX-License-Identifier: BSD-2-Clause
/*
 * items.c - what a job of records, lines or keys of 128 bits, or of --argsort, has of its own
 *
 * In:   open inputs and a plan.
 * Out:  the order of the items, their engine, and the form in which they are written.
 */
#include <string.h>

#include "key/key.h"
#include "kinds/kind.h"
#include "kinds/source.h"
#include "options/options.h"
#include "output/select.h"

static gs_status
describe(struct gs_feed *feed)
{
	const struct gsort_options *options = feed->options;
	struct gs_record_ingest *records = &feed->records;

	if (options->keep_order && options->record_bytes == 0 && gs_key_bits(options->type) == 0)
		return gs_fail(GS_EUSAGE, "option '--keep-order' needs '--lines' or '-n': numbers are "
		               "written anew, and lines as they are");
	TRY(gs_record_ingest_open(records, options));
	feed->ingest.unit = records->record.bytes;
	feed->items.order = feed->items.written = (struct gs_item_order){
		.item_bytes = records->item.bytes, .words = gs_record_words, .context = &records->item,
	};
	if (options->keep_order)
		feed->items.written.item_bytes -= sizeof(uint64_t);
	feed->by = &feed->items.order;
	return GS_OK;
}

/* ---- memory ---------------------------------------------------------------------- */

void
gs_items_plan(struct gs_plan_input *input)
{
	input->key_bits = GS_ITEM_BITS;
}

void
gs_items_keep(const struct gs_feed *feed, struct gs_plan_input *input, bool guessed)
{
	const struct gsort_options *options = feed->options;
	const uint64_t all = input->all_bytes, memory = gs_plan_memory(input);
	const size_t unit = feed->ingest.unit;

	(void)guessed;
	if (options->quantiles != NULL)
		gs_plan_reserve(input, gs_item_top_bytes(strlen(options->quantiles), all, memory),
		             "so many lines of '--quantiles'");
	gs_plan_reserve(input, feed->items.top.on ? gs_item_top_bytes(feed->items.top.wanted, all, memory)
	                                 : gs_pick_bytes(options, all / (unit > 0 ? unit : 1)),
	             GS_MANY_VALUES);
}

/* What the sizes of its items are planned from. */
static struct gs_item_facts
facts_of(const struct gs_feed *feed)
{
	return (struct gs_item_facts){
		.record_bytes = feed->ingest.unit,
		.item_bytes = feed->items.order.item_bytes,
		.numbered = gs_options_want_numbers(feed->options),
		.window = feed->share.window,
	};
}

struct gs_item_sizes
gs_items_sizes(const struct gs_feed *feed)
{
	const struct gs_item_facts facts = facts_of(feed);
	struct gs_item_sizes sizes;

	gs_plan_items(&sizes, feed->plan, feed->plan_input, &facts);
	return sizes;
}

/* There are more than can be read at once; or which are the last is known after all were read. */
bool
gs_items_merge_sorts(const struct gs_feed *feed, struct gs_item_merge_sizes *sizes)
{
	const struct gs_item_facts facts = facts_of(feed);
	const size_t count = feed->options->input_count;

	gs_plan_item_merge(sizes, feed->plan, feed->plan_input, &facts, count);
	return count > sizes->most || feed->options->tail.wanted;
}

gs_status
gs_items_open_engine(struct gs_feed *feed, const struct gs_item_sizes *sizes)
{
	const struct gsort_options *options = feed->options;
	const unsigned argsort = options->argsort_bits / 8;
	const size_t fixed = feed->items.order.item_bytes;
	struct gs_item_store_options store = {
		.order = &feed->items.order,
		.facts = sizes->store,
		.overhead_bytes = feed->plan->host_bytes - feed->plan->pool_bytes,
		.shares = feed->plan_input->shares,
		.grows = options->memory_grows,
		.address_bytes = feed->plan_input->address_bytes,
		.origins = feed->share.window.bytes > 0,
		.numbered = gs_options_want_numbers(options),
		.temp_dirs = options->temp_dirs,
		.temp_dir_count = options->temp_dir_count,
		.compress_program = options->compress_program,
		.cut = { argsort > 0 && fixed > 0 ? fixed - sizeof(uint64_t) : 0, argsort, NULL },
		.head = options->head,
		.tail = options->tail.wanted,
		.count = options->tail.wanted ? options->tail.count : options->head_count,
		.verify = options->verify,
	};
	struct gs_select select;

	feed->plan->threads = sizes->store.threads;
	gs_select_open(&select, options, NULL);		/* which groups of equal items leave */
	store.groups = select.groups;
	store.least = select.least;
	store.most = select.most;
	if (options->set != GSORT_NO_SET)
		store.set = (struct gs_item_set){
			.keep = gs_set_keep_of(options->set), .distinct = options->unique,
			.operands = (unsigned)options->input_count,
		};
	if (options->keep_order) {
		store.cut = (struct gs_item_cut){
			fixed > 0 ? 0 : GS_LINE_NUMBER_BYTES, feed->items.written.item_bytes,
			&feed->items.written,
		};
		TRY(gs_item_firsts_open(&feed->items.firsts, &store, store.cut.bytes, feed->monitor));
		feed->engine = gs_item_firsts_engine(feed->items.firsts);
		return GS_OK;
	}
	TRY(gs_item_store_open(&feed->items.store, &store, feed->monitor));
	feed->engine = gs_item_store_engine(feed->items.store);
	return GS_OK;
}

static gs_status
allocate(struct gs_feed *feed)
{
	const struct gs_item_sizes sizes = gs_items_sizes(feed);

	TRY(gs_items_open_engine(feed, &sizes));
	return gs_record_ingest_allocate(&feed->records, feed->plan->threads, feed->engine.taker.piece_bytes);
}

static gs_status
read_all(struct gs_feed *feed, const struct gs_taker *taker)
{
	TRY(gs_record_ingest_run(&feed->records, feed->input, taker, feed->monitor));
	feed->elements = feed->engine.count(feed->engine.context, 0);
	feed->header.data = feed->records.header;
	feed->header.bytes = feed->options->argsort_bits > 0 ? 0 : feed->records.header_bytes;
	return GS_OK;
}

uint64_t
gs_items_kept(const struct gs_feed *feed, struct gs_plan_input *input, uint64_t each)
{
	const struct gsort_options *options = feed->options;
	uint64_t bytes = input->input_bytes;
	struct gs_item_merge_sizes sizes;

	if (options->operation == GSORT_MERGE)
		input->operation = gs_items_merge_sorts(feed, &sizes) ? GSORT_SORT : GSORT_MERGE;
	if (input->heads && !options->unique && options->head_count < bytes / each)
		bytes = each * options->head_count;
	if (gs_options_want_numbers(options))
		bytes += bytes / each * sizeof(uint64_t);
	return options->keep_order ? 2 * bytes : bytes;		/* by key, and then in order */
}

enum { SMALL_RECORD = 32 };

static enum gs_work
work(const struct gs_feed *feed, struct gs_plan_input *input, uint64_t *kept)
{
	const size_t unit = feed->ingest.unit;

	*kept = gs_items_kept(feed, input, unit);
	return feed->options->argsort_bits > 0 ? GS_WORK_NUMBERED : unit < SMALL_RECORD ? GS_WORK_SMALL
	                                                                                : GS_WORK_RECORDS;
}

const struct gs_kind gs_records = {
	.describe = describe, .plan = gs_items_plan, .cpu_rule = GS_ITEMS_ON_CPU, .keep = gs_items_keep,
	.allocate = allocate, .read = read_all,
	.check = gs_records_check, .work = work, .as = GS_AS_RECORDS,
};
