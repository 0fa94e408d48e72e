// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_job.c - what a job of lines by key has of its own
 *
 * In:   open inputs.
 * Out:  lines in the store of the items; or whether they are in order.
 *
 * A merge of too many inputs is a sort that checks the order of each as it reads it: sorted together,
 * with ties in the order of the inputs, they are what a merge makes of them.
 */
#include <stdlib.h>
#include <string.h>

#include "linekey/collation.h"
#include "text/disorder.h"
#include "key/key.h"
#include "text/line.h"
#include "linekey/line_order.h"
#include "io/input.h"
#include "job/job.h"
#include "options/options.h"
#include "kinds/merge_input.h"
#include "ranks/ranked.h"
#include "output/select.h"

/* ---- opening -------------------------------------------------------------------- */

/* Of several ranks all know the header, from which one of them reads lines. */
static gs_status
name_columns(struct gsort *job)
{
	struct gs_line_order *order = &job->items.lines.order;
	const struct gs_ranked *ranked = job->ranked;
	const char *header = ranked->parts.header, *end;
	const size_t bytes = ranked->parts.header_bytes;
	gs_status status;

	if (header == NULL || !gs_line_order_wants_header(order) ||
	    ranked->parts.plain_bytes + ranked->parts.other_bytes == 0)
		return GS_OK;
	end = gs_line_end(order, header + gs_line_mark(header, bytes), header + bytes);
	status = gs_line_order_header(order, header, (size_t)(end - header));
	return status == GS_OK ? GS_OK
	       : gs_fail(status, "%s: %s", ranked->given.inputs[0], gs_message());
}

/* The order is that of one locale, or sorted parts do not fit together. */
static gs_status
compare_locales(const struct gsort *job)
{
	const uint64_t mine = gs_locale_digest(job->items.lines.order.locale);
	uint64_t first = mine;

	if (job->options.locale == NULL)
		return GS_OK;
	TRY(gs_ranks_share(job->ranked->ranks, &first, sizeof first));
	return gs_ranks_agree(job->ranked->ranks, first == mine ? GS_OK
	                       : gs_fail(GS_EUSAGE, "--locale: the locale here is another one than where "
	                                 "rank 0 runs: all ranks need the same, of the same release"));
}

static gs_status
open_order(struct gsort *job, bool strict)
{
	const struct gsort_options *options = &job->options;
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

	TRY(gs_ranks_agree(job->ranked->ranks, gs_line_order_open(&job->items.lines.order, &lines)));
	TRY(compare_locales(job));
	return name_columns(job);
}

gs_status
gs_line_job_order(struct gsort *job, bool strict)
{
	const struct gsort_options *options = &job->options;

	TRY(open_order(job, strict));
	if (options->invalid == GSORT_INVALID_ABORT)
		return GS_OK;
	/* lines are left out if a strict key is at fault, so there must be one */
	if (!job->items.lines.order.strict)
		return gs_fail(GS_EUSAGE, "'--invalid' needs a key by name, or --csv, and a letter such as "
		               "n: -k price:n; a key of sort(1) that is not a number counts as 0");
	return options->argsort_bits == 0 ? GS_OK
	       : gs_fail(GS_EUSAGE, "options '--argsort' and '--invalid' are incompatible: the numbers "
	                 "are those of all lines");
}

/* Lines that are compared as numbers begin as numbers, once, but not of several ranks: all had to turn at a
 * time. */
static void
adapt(struct gsort *job)
{
	if (!job->ranked->alone || !gs_turn_begin(&job->keys.turn, &job->options)) {
		gs_items_adapt(job);
		return;
	}
	job->kind = job->kind_of(&job->options);
	job->kind->adapt(job);
}

static gs_status
describe(struct gsort *job)
{
	const struct gsort_options *options = &job->options;
	struct gs_line_job *lines = &job->items.lines;

	TRY(gs_line_job_order(job, false));
	job->items.by = &job->items.order;
	gs_line_items_order(&job->items.written, &lines->whole, &lines->order, 0);
	job->items.order = job->items.written;
	if (gs_options_want_numbers(options))
		gs_line_items_order(&job->items.order, &lines->behind_numbers, &lines->order,
		                    GS_LINE_NUMBER_BYTES);
	return GS_OK;
}

/* Items are the numbers that lines are, and where the lines are. */
static gs_status
describe_numbers(struct gsort *job)
{
	struct gs_record *item = &job->items.lines.number;

	TRY(open_order(job, false));
	TRY(gs_text_number_open(item, &job->keys.ingest.text, job->options.reverse));
	job->options.underline = false;		/* positions are not */
	job->items.lines.text = &job->keys.ingest.text;
	job->items.order = (struct gs_item_order){
		.item_bytes = item->bytes, .words = gs_record_words, .context = item,
	};
	job->items.written = job->items.order;
	job->items.by = &job->items.order;
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
reserve(struct gsort *job, const struct gs_item_sizes *sizes)
{
	struct gs_line_job *lines = &job->items.lines;

	lines->chunk_bytes = sizes->chunk_bytes;
	lines->header_most = sizes->header_most;
	TRY(gs_arena_open(&lines->arena, GS_AHEAD_CHUNKS * lines->chunk_bytes, false));
	lines->chunks = gs_arena_take(&lines->arena, GS_AHEAD_CHUNKS * lines->chunk_bytes);
	return GS_OK;
}

static gs_status
allocate(struct gsort *job)
{
	const struct gs_item_sizes sizes = gs_items_sizes(job);

	TRY(reserve(job, &sizes));
	return gs_items_open_engine(job, &sizes);
}

/* ---- reading ---------------------------------------------------------------------- */

/* The header of the first file is that of all ranks; rank 0 reads it once more. */
static gs_status
take_header(struct gsort *job)
{
	struct gs_line_ingest *ingest = &job->items.lines.ingest;
	const struct gs_parts *parts = &job->ranked->parts;
	const size_t bytes = parts->header_bytes;

	ingest->headed = job->ranked->ranks->rank > 0;
	if (!ingest->headed || bytes == 0)
		return GS_OK;
	TRY(gs_allocate(&ingest->header.data, bytes, 1, "bytes of a header"));
	ingest->header.bytes = ingest->header.room = bytes;
	memcpy(ingest->header.data, parts->header, bytes);
	return GS_OK;
}

/* A part of a rank may begin in the middle of a file. */
static void
begin_file(struct gsort *job, const char *name, unsigned number)
{
	const struct gs_parts *parts = &job->ranked->parts;
	struct gs_line_ingest *ingest = &job->items.lines.ingest;

	ingest->taker.origin = number;
	ingest->inside = gs_parts_begin(parts, name) > 0;
	ingest->header_lines = ingest->inside ? 0 : job->options.header_lines;
}

gs_status
gs_line_job_read(struct gsort *job, const struct gs_taker *taker, struct gs_follow *follow)
{
	struct gs_line_job *lines = &job->items.lines;
	struct gs_ahead *ahead = &job->keys.ingest.ahead;
	struct gs_chunk *chunk;
	unsigned begun = 0;

	gs_line_ingest_open(&lines->ingest, &lines->order, &job->keys.ingest.text, taker, follow,
	                    &job->monitor, job->plan.threads);
	lines->ingest.faults.advice = taker != NULL ? GS_ADVICE_UNSORTED : "";
	lines->ingest.number = (struct gs_line_number){
		job->options.argsort_bits, gs_endian_swaps(job->options.endian),
	};
	if (job->options.keep_order)
		lines->ingest.number = (struct gs_line_number){ 64, false };
	if (taker != NULL && lines->ingest.number.bits > 0 && lines->numbered.base == NULL)
		TRY(gs_arena_open(&lines->numbered, job->plan.threads * taker->piece_bytes, false));
	lines->ingest.numbered = lines->numbered.base;
	lines->ingest.text = lines->text;
	lines->ingest.item = &lines->number;
	lines->ingest.input = job->files.input;
	lines->ingest.line_most = lines->line_most;
	lines->ingest.header_most = lines->header_most;
	lines->ingest.shares = job->plan_input.shares;
	lines->ingest.measures = job->plan_input.input_bytes != UINT64_MAX && !job->plan_input.guessed;
	if (lines->column.keys != NULL)
		lines->ingest.column = &lines->column;
	TRY(take_header(job));
	gs_ahead_open(ahead, job->files.input, lines->chunks, lines->chunk_bytes);
	ahead->clock = &job->monitor.clock;
	ahead->first_alone = lines->text == NULL;	/* a sample is taken */
	ahead->in_turn = follow == NULL;	/* else one thread works */
	ahead->rest = gs_line_ingest_takes_rest(&lines->ingest);
	for (;;) {
		TRY(gs_ahead_take(ahead, &chunk));
		if (chunk == NULL)
			break;
		if (chunk->begins)
			begin_file(job, chunk->name, begun++);
		TRY(gs_line_ingest_chunk(&lines->ingest, chunk));
		gs_ahead_give(ahead, chunk);
		if (gs_ahead_leaves_rest(ahead))
			TRY(gs_line_ingest_rest(&lines->ingest, job->files.input, lines->chunks,
			                        GS_AHEAD_CHUNKS * lines->chunk_bytes));
	}
	gs_line_reject_end(&job->keys.ingest.text, lines->ingest.faults.invalid);
	return GS_OK;
}

static gs_status
read_to(struct gsort *job, const struct gs_taker *taker)
{
	const bool follows = job->options.operation == GSORT_MERGE && !job->options.trust_order;

	job->items.lines.line_most = SIZE_MAX;	/* the store knows */
	job->items.lines.follow = (struct gs_follow){ .order = &job->items.order };
	TRY(gs_line_job_read(job, taker, follows ? &job->items.lines.follow : NULL));
	job->ranked->elements = job->engine.count(job->engine.context, 0);
	return GS_OK;
}

static gs_status
check(struct gsort *job, struct gs_follow *follow)
{
	const struct gs_item_sizes sizes = gs_items_sizes(job);
	gs_status status;

	TRY(reserve(job, &sizes));
	job->items.lines.line_most = sizes.line_most;
	status = gs_line_job_read(job, NULL, follow);
	job->stats.bytes_in = job->items.lines.ingest.bytes;
	job->stats.invalid_lines = job->items.lines.ingest.faults.invalid;
	return status;
}

static gs_status
open_emit(struct gsort *job)
{
	const struct gsort_options *options = &job->options;

	TRY(gs_emit_open_items(&job->emit, &job->items.written, options->argsort_bits / 8));
	job->emit.lines = &job->items.lines.order;
	if (job->items.listed != NULL)
		gs_show_open_json(&job->items.show, job->items.listed, options, &job->items.lines.order,
		                  &job->emit);
	else if (options->counts || options->underline)
		gs_show_open_lines(&job->items.show, options, &job->items.lines.order, &job->emit);
	return GS_OK;
}

static gs_status
find_header(struct gsort *job, const char **header, size_t *bytes)
{
	const struct gs_line_bytes *lines = &job->items.lines.ingest.header;

	*header = lines->data;
	*bytes = job->options.argsort_bits > 0 || job->items.listed != NULL ? 0 : lines->bytes;
	return GS_OK;
}

static enum gs_work
work(const struct gsort *job, struct gs_plan_input *input, uint64_t *kept)
{
	const struct gsort_options *options = &job->options;
	const bool fields = options->keydef_count > 0 || options->locale != NULL ||
	                    (options->ordering != NULL && *options->ordering != '\0');

	*kept = gs_items_kept(job, input, GS_LINE_ABOUT_BYTES);
	if (options->argsort_bits > 0)
		return GS_WORK_NUMBERED;
	return options->csv ? GS_WORK_CSV : fields ? GS_WORK_FIELDS : GS_WORK_LINES;
}

const struct gs_kind gs_lines = {
	.adapt = adapt, .describe = describe, .plan = plan, .cpu_rule = GS_ITEMS_ON_CPU,
	.keep = gs_items_keep, .allocate = { allocate, gs_items_allocate_none },
	.check_disk = gs_items_check_disk,
	.open_emit = open_emit, .deal = gs_items_deal, .read = read_to,
	.header = find_header, .check = check, .merge = gs_items_merge, .begin_input = gs_lines_begin_input,
	.fill = gs_lines_fill, .work = work, .figures = &gs_answer_of_lines, .type = "lines",
	.explain = gs_lines_explain, .explain_memory = gs_items_explain_memory, .count = gs_items_count_read,
};

/* The lines of --argsort of text are keys. */
const struct gs_kind gs_text_numbers = {
	.adapt = gs_items_adapt, .describe = describe_numbers, .plan = gs_items_plan,
	.cpu_rule = GS_ITEMS_ON_CPU, .keep = gs_items_keep, .allocate = { allocate },
	.check_disk = gs_items_check_disk, .open_emit = open_emit,
	.deal = gs_items_deal, .read = read_to, .header = find_header, .work = work,
	.explain = gs_keys_explain, .explain_memory = gs_items_explain_memory, .count = gs_items_count_read,
};
