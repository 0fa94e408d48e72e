// SPDX-License-Identifier: BSD-2-Clause
/*
 * lines.c - what lines by key have of their own
 *
 * In:   open inputs.
 * Out:  lines in the store of the items; or whether they are in order.
 *
 * A merge of too many inputs is a sort that checks the order of each as it reads it: sorted together,
 * with ties in the order of the inputs, they are what a merge makes of them.
 */
#include <string.h>

#include "key/key.h"
#include "kinds/kind.h"
#include "options/options.h"
#include "output/select.h"
#include "text/disorder.h"

/* ---- opening -------------------------------------------------------------------- */

static gs_status
open_order(struct gs_feed *feed, bool strict)
{
	const struct gsort_options *options = feed->options;
	const struct gs_line_options lines = {
		.keys = options->keydefs,
		.key_count = options->keydef_count,
		.letters = options->ordering,
		.separator = options->separator,
		.csv = options->csv,
		.names = options->header_lines > 0,
		/* groups are lines with equal keys, so their bytes do not count */
		.stable = options->stable || gs_select_wants_groups(options) || options->set != GSORT_NO_SET,
		.strict = strict,
		.terminator = options->zero_terminated ? '\0' : '\n',
		.locale = options->locale,
	};

	return gs_line_order_open(&feed->lines.order, &lines);
}

gs_status
gs_lines_describe(struct gs_feed *feed, bool strict)
{
	TRY(open_order(feed, strict));
	if (feed->options->invalid == GSORT_INVALID_ABORT)
		return GS_OK;
	/* lines are left out if a strict key is at fault, so there must be one */
	if (!feed->lines.order.strict)
		return gs_fail(GS_EUSAGE, "'--invalid' needs a key by name, or --csv, and a letter such as "
		               "n: -k price:n; a key of sort(1) that is not a number counts as 0");
	return feed->options->argsort_bits == 0 ? GS_OK
	       : gs_fail(GS_EUSAGE, "options '--argsort' and '--invalid' are incompatible: the numbers "
	                 "are those of all lines");
}

static gs_status
describe(struct gs_feed *feed)
{
	struct gs_line_feed *lines = &feed->lines;

	TRY(gs_lines_describe(feed, false));
	gs_line_items_order(&feed->items.written, &lines->whole, &lines->order, 0);
	feed->items.order = feed->items.written;
	if (gs_options_want_numbers(feed->options))
		gs_line_items_order(&feed->items.order, &lines->behind_numbers, &lines->order,
		                    GS_LINE_NUMBER_BYTES);
	feed->by = &feed->items.order;
	return GS_OK;
}

/* Items are the numbers that lines are, and where the lines are. */
static gs_status
describe_numbers(struct gs_feed *feed)
{
	struct gs_record *item = &feed->lines.number;

	TRY(open_order(feed, false));
	TRY(gs_text_number_open(item, &feed->ingest.text, feed->options->reverse));
	feed->options->underline = false;		/* positions are not */
	feed->lines.text = &feed->ingest.text;
	feed->items.order = feed->items.written = (struct gs_item_order){
		.item_bytes = item->bytes, .words = gs_record_words, .context = item,
	};
	feed->by = &feed->items.order;
	return GS_OK;
}

/* A merge may become a sort: see merge.c. */
static void
plan(struct gs_plan_input *input)
{
	gs_items_plan(input);
	if (input->operation == GSORT_MERGE)
		input->operation = GSORT_SORT;
}

/* Get memory to read with. */
static gs_status
reserve(struct gs_feed *feed, const struct gs_item_sizes *sizes)
{
	struct gs_line_feed *lines = &feed->lines;
	const size_t bytes = GS_AHEAD_CHUNKS * sizes->chunk_bytes;

	lines->chunk_bytes = sizes->chunk_bytes;
	lines->limits.header_most = sizes->header_most;
	TRY(gs_arena_open(&feed->arena, bytes, false));
	lines->chunks = gs_arena_take(&feed->arena, bytes);
	return GS_OK;
}

static gs_status
allocate(struct gs_feed *feed)
{
	const struct gs_item_sizes sizes = gs_items_sizes(feed);

	TRY(reserve(feed, &sizes));
	return gs_items_open_engine(feed, &sizes);
}

/* ---- reading ---------------------------------------------------------------------- */

gs_status
gs_lines_read(struct gs_feed *feed, const struct gs_taker *taker, struct gs_follow *follow)
{
	const struct gsort_options *options = feed->options;
	const struct gs_share *share = &feed->share;
	struct gs_line_feed *lines = &feed->lines;
	struct gs_line_ingest *ingest = &lines->ingest;
	struct gs_ahead *ahead = &feed->ingest.ahead;
	struct gs_chunk *chunk;
	unsigned begun = 0;

	gs_line_ingest_open(ingest, &lines->order, &feed->ingest.text, taker, follow, feed->monitor,
	                    feed->plan->threads);
	ingest->faults.merges = taker != NULL;
	ingest->number = (struct gs_line_number){ options->argsort_bits, gs_endian_swaps(options->endian) };
	if (options->keep_order)
		ingest->number = (struct gs_line_number){ 64, false };
	if (taker != NULL && ingest->number.bits > 0 && lines->numbered.base == NULL)
		TRY(gs_arena_open(&lines->numbered, feed->plan->threads * taker->piece_bytes, false));
	ingest->numbered = lines->numbered.base;
	ingest->text = lines->text;
	ingest->item = &lines->number;
	ingest->input = feed->input;
	ingest->limits = lines->limits;
	ingest->limits.shares = feed->plan_input->shares;
	ingest->limits.measures = feed->plan_input->input_bytes != UINT64_MAX && !feed->plan_input->guessed;
	if (lines->column.keys != NULL)
		ingest->column = &lines->column;
	if (share->headed)
		ingest->faults.name = "";	/* the header of the first file stands for all */
	if (share->headed && share->header_bytes > 0) {
		TRY(gs_allocate(&ingest->header.data, share->header_bytes, 1, "bytes of a header"));
		ingest->header.bytes = ingest->header.room = share->header_bytes;
		memcpy(ingest->header.data, share->header, share->header_bytes);
	}
	gs_ahead_open(ahead, feed->input, lines->chunks, lines->chunk_bytes);
	ahead->clock = &feed->monitor->clock;
	ahead->first_alone = lines->text == NULL;	/* a sample is taken */
	ahead->in_turn = follow == NULL;	/* else one thread works */
	ahead->rest = gs_line_ingest_takes_rest(ingest);
	for (;;) {
		TRY(gs_ahead_take(ahead, &chunk));
		if (chunk == NULL)
			break;
		if (chunk->begins) {		/* perhaps in the middle of the file */
			ingest->taker.origin = begun++;
			ingest->file.inside = chunk->start > 0;
			ingest->file.header_lines = ingest->file.inside ? 0 : options->header_lines;
		}
		atomic_fetch_add(&feed->monitor->counters.bytes_in, chunk->bytes);
		TRY(gs_line_ingest_chunk(ingest, chunk));
		gs_ahead_give(ahead, chunk);
		if (gs_ahead_leaves_rest(ahead))
			TRY(gs_line_ingest_rest(ingest, feed->input, lines->chunks,
			                        GS_AHEAD_CHUNKS * lines->chunk_bytes));
	}
	gs_line_reject_end(&feed->ingest.text, ingest->faults.invalid);
	return GS_OK;
}

static gs_status
read_all(struct gs_feed *feed, const struct gs_taker *taker)
{
	const bool follows = feed->options->operation == GSORT_MERGE && !feed->options->trust_order;

	feed->lines.limits.line_most = SIZE_MAX;	/* the store knows */
	feed->lines.follow = (struct gs_follow){ .order = &feed->items.order };
	TRY(gs_lines_read(feed, taker, follows ? &feed->lines.follow : NULL));
	feed->elements = feed->engine.count(feed->engine.context, 0);
	feed->header.data = feed->lines.ingest.header.data;
	feed->header.bytes = feed->options->argsort_bits > 0 || feed->items.listed != NULL
	                     ? 0 : feed->lines.ingest.header.bytes;
	return GS_OK;
}

static gs_status
check(struct gs_feed *feed, struct gs_follow *follow)
{
	const struct gs_item_sizes sizes = gs_items_sizes(feed);

	TRY(reserve(feed, &sizes));
	feed->lines.limits.line_most = sizes.line_most;
	return gs_lines_read(feed, NULL, follow);
}

static enum gs_work
work(const struct gs_feed *feed, struct gs_plan_input *input, uint64_t *kept)
{
	const struct gsort_options *options = feed->options;
	const bool fields = options->keydef_count > 0 || options->locale != NULL ||
	                    (options->ordering != NULL && *options->ordering != '\0');

	*kept = gs_items_kept(feed, input, GS_LINE_ABOUT_BYTES);
	if (options->argsort_bits > 0)
		return GS_WORK_NUMBERED;
	return options->csv ? GS_WORK_CSV : fields ? GS_WORK_FIELDS : GS_WORK_LINES;
}

const struct gs_kind gs_lines = {
	.describe = describe, .plan = plan, .cpu_rule = GS_ITEMS_ON_CPU, .keep = gs_items_keep,
	.allocate = allocate, .read = read_all,
	.check = check, .work = work, .figures = &gs_statistics_of_lines, .as = GS_AS_LINES,
};

/* The lines of --argsort of text are keys. */
const struct gs_kind gs_text_numbers = {
	.describe = describe_numbers, .plan = gs_items_plan, .cpu_rule = GS_ITEMS_ON_CPU,
	.keep = gs_items_keep, .allocate = allocate, .read = read_all,
	.work = work,
};
