// SPDX-License-Identifier: BSD-2-Clause
/*
 * keys.c - what a job of plain keys, binary or text, has of its own; and one of figures about a column
 *
 * In:   open inputs and a plan.
 * Out:  the engine of the keys, filled; and what stands before them.
 *
 * A column is the numbers that lines are by their key.  A job of figures about it is one of floats as
 * text, but for how these are found.  One of figures about a field of records is one of binary keys.
 */
#include <assert.h>

#include "base/round.h"
#include "key/key.h"
#include "kinds/kind.h"
#include "kinds/source.h"
#include "options/options.h"
#include "output/select.h"
#include "text/line.h"

const struct gs_kind *
gs_kind_of(const struct gsort_options *options)
{
	static const struct gs_kind *const kinds[] = {
		[GS_OF_KEYS] = &gs_keys, [GS_OF_RECORDS] = &gs_records, [GS_OF_FIELD] = &gs_field,
		[GS_OF_LINES] = &gs_lines, [GS_OF_COLUMN] = &gs_column,
		[GS_OF_TEXT_NUMBERS] = &gs_text_numbers,
	};

	return kinds[gs_options_elements(options)];
}

void
gs_feed_count(const struct gs_feed *feed, struct gsort_stats *stats)
{
	const struct gs_line_ingest *lines = &feed->lines.ingest;
	const struct gs_read_counts *keys = &feed->ingest.done.read;

	stats->bytes_in = feed->read.bytes + keys->bytes + feed->records.read.bytes + lines->bytes;
	stats->keys = feed->read.elements + keys->elements + feed->lines.column.count;
	if (feed->by != NULL && feed->engine.context != NULL)
		stats->keys += feed->engine.count(feed->engine.context, 0);
	stats->invalid_lines = feed->read.invalid_lines + keys->invalid_lines + lines->faults.invalid;
}

void
gs_feed_release(struct gs_feed *feed)
{
	gs_store_close(&feed->store);
	gs_arena_close(&feed->arena);
	feed->read = feed->ingest.done.read = (struct gs_read_counts){ .bytes = 0 };
}

void
gs_feed_close(struct gs_feed *feed)
{
	struct gs_line_feed *lines = &feed->lines;

	gs_ingest_close(&feed->ingest);
	gs_record_ingest_close(&feed->records);
	gs_line_ingest_close(&lines->ingest);
	gs_follow_close(&lines->follow);
	gs_line_order_close(&lines->order);
	gs_arena_close(&lines->numbered);
	gs_record_close(&lines->number);
	gs_item_top_close(&feed->items.top);
	gs_item_store_close(feed->items.store);
	gs_item_firsts_close(feed->items.firsts);
	gs_feed_release(feed);
}

/* Memory for keys that are kept, by their number or position. */
static void
keep_values(const struct gs_feed *feed, struct gs_plan_input *input, bool guessed)
{
	const struct gsort_options *options = feed->options;
	const uint64_t key_bytes = input->key_bits > 0 ? input->key_bits / 8 : 2;	/* "0\n" */
	const uint64_t keys = guessed || input->all_bytes == UINT64_MAX ? UINT64_MAX
	                                                                : input->all_bytes / key_bytes + 1;

	gs_plan_reserve(input, gs_statistics_bytes(options, keys, gs_plan_threads_most(input)) +
	             gs_pick_bytes(options, keys) + gs_tail_bytes(options, keys), GS_MANY_VALUES);
}

/* Take every buffer.  An arena that is not open only adds up their bytes. */
static void
carve(struct gs_feed *feed)
{
	if (feed->options->operation == GSORT_SORT)
		gs_ingest_carve(&feed->ingest, feed->plan, &feed->arena);
	gs_store_carve(&feed->store, feed->options, feed->plan_input, feed->plan, &feed->arena);
}

static gs_status
allocate(struct gs_feed *feed)
{
	feed->arena = (struct gs_arena){ .base = NULL };
	carve(feed);
	TRY(gs_arena_open(&feed->arena, feed->arena.used_bytes, feed->plan->huge_pages));
	carve(feed);
	gs_store_open(&feed->store, feed->monitor);
	feed->engine = gs_store_engine(&feed->store);
	if (feed->options->operation == GSORT_SORT)
		gs_ingest_open(&feed->ingest, feed->input, &feed->store.histogram, feed->monitor);
	return GS_OK;
}

static gs_status
read_all(struct gs_feed *feed, const struct gs_taker *taker)
{
	const struct gs_share *share = &feed->share;
	uint64_t left = feed->options->header_lines;
	const char *next;

	if (feed->plan_input->key_bits == 0 && share->headed && share->header_bytes > 0)
		TRY(gs_line_header(&feed->ingest.text, "", share->header, share->header + share->header_bytes,
		                   true, &left, &next));
	TRY(gs_ingest_run(&feed->ingest, taker));
	if (feed->plan_input->key_bits == 0)
		gs_verify_in_counts(feed->verify, &feed->store.histogram,
		                    feed->options->reverse ? UINT32_MAX : 0);
	feed->elements = feed->ingest.done.read.elements;
	feed->header = gs_ingest_header(&feed->ingest);
	return GS_OK;
}

static enum gs_work
work(const struct gs_feed *feed, struct gs_plan_input *input, uint64_t *kept)
{
	*kept = input->input_bytes;
	if (feed->plan->by_counting)
		return GS_WORK_COUNTED;
	return input->key_bits > 0 ? GS_WORK_KEYS : input->type == GSORT_TEXT_FLOAT ? GS_WORK_FLOATS
	                                                                            : GS_WORK_TEXT;
}

const struct gs_kind gs_keys = {
	.plan = gs_ingest_plan, .keep = keep_values, .allocate = allocate, .read = read_all,
	.check = gs_keys_check, .work = work, .figures = &gs_statistics_of_keys,
};

/* ---- figures of a column or field ------------------------------------------------- */

static gs_status
set_reverse(struct gsort_options *own, bool reverse)
{
	own->reverse = reverse;
	return !reverse || (!own->summary && own->histogram == 0) ? GS_OK
	       : gs_fail(GS_EUSAGE, "options '-r' and '--%s' are incompatible: %s",
	                 own->summary ? "summary" : "histogram",
	                 own->summary ? "a summary names its figures" : "its intervals ascend");
}

/* The options become those of floats; or, without a key that is a number, figures are of whole lines, each
 * with its count. */
static gs_status
describe_column(struct gs_feed *feed)
{
	struct gs_line_order *order = &feed->lines.order;
	struct gsort_options *own = feed->options;
	const struct gs_keydef *key;
	bool numbers;

	TRY(gs_lines_describe(feed, true));
	numbers = gs_line_order_has_value(order);
	key = order->key_count > 0 ? &order->keys[0] : NULL;
	if (!numbers && own->histogram > 0)
		return gs_fail(GS_EUSAGE, "'--histogram' of lines needs a key with the letter n, g or h: "
		               "%s", key != NULL && gs_keydef_notation(key->ordering) != GSORT_DECIMAL
		               ? "cut the column out, and sort it with --type=time or ipv4"
		               : "-k 3,3n, or -k price:n with '--header'");
	if (!numbers && (own->tail.wanted || own->sample.wanted))
		return gs_fail(GS_EUSAGE, "'--%s' beside figures needs a key with the letter n, g or h",
		               own->tail.wanted ? "tail" : "sample");
	if (numbers && order->key_count > 1)
		return gs_fail(GS_EUSAGE, "figures are of one key; there are %zu", order->key_count);
	TRY(set_reverse(own, key != NULL ? (key->letters & GS_LETTER_R) != 0 : order->reverse));
	if (numbers) {
		own->type = GSORT_TEXT_FLOAT;
		gs_ingest_set_format(&feed->ingest, own);
		return GS_OK;
	}
	gs_line_order_close(order);
	own->counts = true;
	feed->kind = &gs_lines;
	return feed->kind->describe(feed);
}

/* The first of the options is the key of the records. */
static gs_status
describe_field(struct gs_feed *feed)
{
	struct gsort_options *own = feed->options;
	struct gs_ingest *ingest = &feed->ingest;
	const struct gsort_key *key = own->keys;

	TRY(gs_record_ingest_open(&feed->records, own));
	if (own->key_count != 1 || gs_key_bits(key->type) == 0 || gs_key_is_wide(key->type))
		return gs_fail(GS_EUSAGE, "figures of records need one key that is a number of at most 64 "
		               "bits, such as -k u32@8");
	own->type = key->type;
	own->endian = key->endian != GSORT_ENDIAN_HOST ? key->endian : own->endian;
	TRY(set_reverse(own, key->reverse || own->reverse));
	gs_ingest_set_format(ingest, own);
	ingest->unit = feed->records.record.bytes;
	ingest->key_at = key->offset;
	return GS_OK;
}

#define LITTLE_MEMORY	((uint64_t)24 << 20)

/* A line of a column may be there three times; a job with little memory has some to spare. */
static void
keep_column(const struct gs_feed *feed, struct gs_plan_input *input, bool guessed)
{
	const uint64_t memory = gs_plan_memory(input);

	keep_values(feed, input, guessed);
	if (feed->ingest.unit > 0)
		gs_plan_reserve(input, gs_plan_threads_most(input) * feed->ingest.unit, "large records");
	else
		gs_plan_reserve(input,
		                3 * ((memory - gs_least(memory, LITTLE_MEMORY)) / GS_COLUMN_LINE_SHARE),
		                "long lines");
}

/* The decoder, which has nothing to do, has memory for the keys of a chunk. */
static gs_status
read_column(struct gs_feed *feed, const struct gs_taker *taker)
{
	struct gs_line_feed *lines = &feed->lines;
	const size_t chunk_bytes = feed->plan->chunk_bytes;

	assert(gs_line_column_keys(chunk_bytes) * sizeof(uint64_t) <=
	       gs_text_decoder_bytes(chunk_bytes, feed->plan->threads, &feed->ingest.text));
	TRY(gs_ingest_open_chunks(&feed->ingest, &lines->chunks));
	lines->chunk_bytes = chunk_bytes;
	lines->limits.line_most = (size_t)(feed->plan->host_bytes / GS_COLUMN_LINE_SHARE);
	lines->limits.header_most = (size_t)(feed->plan->host_bytes / GS_HEADER_SHARE);
	lines->column = (struct gs_line_column){
		.keys = (void *)feed->ingest.decoder, .flip = feed->options->reverse ? UINT64_MAX : 0,
	};
	TRY(gs_lines_read(feed, taker, NULL));
	feed->elements = lines->column.count;
	return GS_OK;
}

static enum gs_work
work_of_values(const struct gs_feed *feed, struct gs_plan_input *input, uint64_t *kept)
{
	const size_t unit = feed->ingest.unit, key_bytes = input->key_bits / 8;

	*kept = input->input_bytes / (unit > 0 ? unit : GS_LINE_ABOUT_BYTES) *
	        (unit > 0 ? key_bytes : sizeof(uint64_t));
	return unit > 0 ? GS_WORK_RECORDS : GS_WORK_COLUMN;
}

const struct gs_kind gs_column = {
	.describe = describe_column, .plan = gs_ingest_plan, .cpu_rule = GS_ITEMS_ON_CPU, .keep = keep_column,
	.allocate = allocate, .read = read_column, .work = work_of_values,
	.figures = &gs_statistics_of_keys, .as = GS_AS_LINES,
};

const struct gs_kind gs_field = {
	.describe = describe_field, .plan = gs_ingest_plan, .cpu_rule = GS_ITEMS_ON_CPU, .keep = keep_column,
	.allocate = allocate, .read = read_all, .work = work_of_values,
	.figures = &gs_statistics_of_keys, .as = GS_AS_RECORDS,
};
