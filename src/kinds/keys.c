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
#include "job/job.h"
#include "key/key.h"
#include "kinds/merge_input.h"
#include "options/options.h"
#include "ranks/ranked.h"
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

/* The last K keys are the first K of the reverse order, which take memory in proportion to K. */
static void
adapt(struct gsort *job)
{
	struct gsort_options *own = &job->options;

	if (own->set != GSORT_NO_SET)	/* of sorted inputs, as a merge is */
		own->operation = GSORT_MERGE;
	if (!job->ranked->alone || own->operation != GSORT_SORT || !own->tail.wanted ||
	    own->tail.count > GS_TAIL_MOST || own->json || own->counts || own->repeated || own->singletons)
		return;
	own->reverse = !own->reverse;
	own->head = true;
	own->head_count = own->tail.count;
}

/* Memory for keys that are kept, by their number or position. */
static void
keep_values(const struct gsort *job, struct gs_plan_input *input, bool guessed)
{
	const struct gsort_options *options = &job->options;
	const uint64_t key_bytes = input->key_bits > 0 ? input->key_bits / 8 : 2;	/* "0\n" */
	const uint64_t keys = guessed || input->all_bytes == UINT64_MAX ? UINT64_MAX
	                                                                : input->all_bytes / key_bytes + 1;

	gs_plan_keep(input, gs_answer_bytes(options, keys, gs_plan_threads_most(input)) +
	             gs_pick_bytes(options, keys) + gs_tail_bytes(options, keys), GS_MANY_VALUES);
}

/* Take every buffer of the job.  An arena that is not open only adds up their bytes. */
static void
carve(struct gsort *job)
{
	if (job->options.operation == GSORT_SORT)
		gs_ingest_carve(&job->keys.ingest, &job->plan, &job->keys.arena);
	gs_store_carve(&job->keys.store, &job->options, &job->plan_input, &job->plan, &job->keys.arena);
	if (job->handover == NULL)
		gs_emit_carve(&job->emit, &job->options, &job->plan, &job->keys.arena);
}

static gs_status
allocate(struct gsort *job)
{
	job->keys.arena = (struct gs_arena){ .base = NULL };
	carve(job);
	TRY(gs_arena_open(&job->keys.arena, job->keys.arena.used_bytes, job->plan.huge_pages));
	carve(job);
	gs_store_open(&job->keys.store, &job->monitor);
	job->engine = gs_store_engine(&job->keys.store);
	if (job->options.operation == GSORT_SORT)
		gs_ingest_open(&job->keys.ingest, job->files.input, &job->keys.store.histogram,
		               &job->plan_input, &job->monitor);
	return GS_OK;
}

static gs_status
check_disk(struct gsort *job)
{
	return gs_runs_prepare_disk(&job->keys.store.runs);
}

static gs_status
read_all(struct gsort *job, const struct gs_taker *taker)
{
	struct gs_ingest *ingest = &job->keys.ingest;
	const struct gs_parts *parts = &job->ranked->parts;
	uint64_t left = job->options.header_lines;
	const char *next;

	/* of the first file, which rank 0 reads once more */
	if (ingest->key_bits == 0 && job->ranked->ranks->rank > 0 && parts->header_bytes > 0)
		TRY(gs_line_header(&ingest->text, "", parts->header, parts->header + parts->header_bytes,
		                   true, &left, &next));
	TRY(gs_ingest_run(ingest, taker));
	if (ingest->key_bits == 0)
		gs_verify_in_counts(&job->verify, &job->keys.store.histogram,
		                    job->options.reverse ? UINT32_MAX : 0);
	job->ranked->elements = ingest->read.elements;
	return GS_OK;
}

static gs_status
find_header(struct gsort *job, const char **header, size_t *bytes)
{
	*header = gs_ingest_header(&job->keys.ingest, bytes);
	return GS_OK;
}

static enum gs_work
work(const struct gsort *job, struct gs_plan_input *input, uint64_t *kept)
{
	*kept = input->input_bytes;
	if (job->plan.by_counting)
		return GS_WORK_COUNTED;
	return input->key_bits > 0 ? GS_WORK_KEYS : input->type == GSORT_TEXT_FLOAT ? GS_WORK_FLOATS
	                                                                            : GS_WORK_TEXT;
}

static gs_status
merge(struct gsort *job)
{
	return job->options.set != GSORT_NO_SET ? gs_job_combine(job) : gs_keys_merge(job);
}

/* A merge has counted its keys itself. */
static void
count_read(const struct gsort *job, struct gsort_stats *stats)
{
	if (job->options.operation == GSORT_MERGE) {
		stats->device = "cpu";
		stats->batches = (unsigned)job->ranked->given.input_count;
		return;
	}
	stats->bytes_in = job->keys.ingest.read.bytes;
	stats->keys = job->keys.ingest.read.elements;
	stats->invalid_lines = job->keys.ingest.invalid_lines;
}

const struct gs_kind gs_keys = {
	.adapt = adapt, .plan = gs_ingest_plan, .keep = keep_values, .allocate = { allocate, allocate },
	.check_disk = check_disk,
	.read = read_all, .deal = gs_keys_deal, .header = find_header, .check = gs_keys_check,
	.merge = merge, .begin_input = gs_keys_begin_input, .work = work, .figures = &gs_answer_of_keys,
	.explain = gs_keys_explain, .explain_memory = gs_keys_explain_memory, .count = count_read,
};

/* ---- a column ------------------------------------------------------------------ */

static gs_status
refuse_reverse(const char *figures, const char *why)
{
	return gs_fail(GS_EUSAGE, "options '-r' and '--%s' are incompatible: %s", figures, why);
}

static gs_status
set_reverse(struct gsort_options *own, bool reverse)
{
	own->reverse = reverse;
	return reverse && own->summary ? refuse_reverse("summary", "a summary names its figures") :
	       reverse && own->histogram > 0 ? refuse_reverse("histogram", "its intervals ascend")
	                                     : GS_OK;
}

/* The figures are of whole lines, each with its count. */
static gs_status
describe_lines(struct gsort *job)
{
	const struct gs_line_order *order = &job->items.lines.order;
	struct gsort_options *own = &job->options;
	const bool reverse = order->key_count > 0 ? (order->keys[0].letters & GS_LETTER_R) != 0
	                                          : order->reverse;

	if (own->histogram > 0)
		return gs_fail(GS_EUSAGE, "'--histogram' of lines needs a key with the letter n, g or h: "
		               "%s",
		               order->key_count > 0 &&
		               gs_keydef_notation(order->keys[0].ordering) != GSORT_DECIMAL
		               ? "of the column alone, as cut(1) writes it, --type=time or ipv4 has one"
		               : "-k 3,3n, or -k price:n with '--header'");
	if (own->tail.wanted || own->sample.wanted)
		return gs_fail(GS_EUSAGE, "'--%s' beside figures needs a key with the letter n, g or h",
		               own->tail.wanted ? "tail" : "sample");
	TRY(set_reverse(own, reverse));
	gs_line_order_close(&job->items.lines.order);
	own->counts = true;
	job->kind = &gs_lines;
	return job->kind->describe(job);
}

/* The options of the job become those of floats. */
static gs_status
describe_column(struct gsort *job)
{
	const struct gs_line_order *order = &job->items.lines.order;
	struct gsort_options *own = &job->options;

	TRY(gs_line_job_order(job, true));
	if (!gs_line_order_has_value(order))
		return describe_lines(job);
	if (order->key_count > 1)
		return gs_fail(GS_EUSAGE, "figures are of one key; there are %zu", order->key_count);
	own->type = GSORT_TEXT_FLOAT;
	TRY(set_reverse(own, (order->keys[0].letters & GS_LETTER_R) != 0));
	gs_ingest_set_format(&job->keys.ingest, own);
	return GS_OK;
}

/* The first of the options is the key of the records. */
static gs_status
describe_field(struct gsort *job)
{
	struct gsort_options *own = &job->options;
	struct gs_ingest *ingest = &job->keys.ingest;
	const struct gsort_key *key = own->keys;

	TRY(gs_record_ingest_open(&job->items.ingest, own));
	if (own->key_count != 1 || gs_key_bits(key->type) == 0 || gs_key_is_wide(key->type))
		return gs_fail(GS_EUSAGE, "figures of records need one key that is a number of at most 64 "
		               "bits, such as -k u32@8");
	own->type = key->type;
	own->endian = key->endian != GSORT_ENDIAN_HOST ? key->endian : own->endian;
	TRY(set_reverse(own, key->reverse || own->reverse));
	gs_ingest_set_format(ingest, own);
	ingest->unit = job->items.ingest.record.bytes;
	ingest->key_at = key->offset;
	return GS_OK;
}

#define LITTLE_MEMORY	((uint64_t)24 << 20)

/* A line of a column may be there three times; a job with little memory has some to spare. */
static void
keep_lines(const struct gsort *job, struct gs_plan_input *input, bool guessed)
{
	const uint64_t memory = gs_plan_memory(input);

	keep_values(job, input, guessed);
	gs_plan_keep(input, 3 * ((memory - gs_least(memory, LITTLE_MEMORY)) / GS_COLUMN_LINE_SHARE),
	             "long lines");
}

static void
keep_records(const struct gsort *job, struct gs_plan_input *input, bool guessed)
{
	keep_values(job, input, guessed);
	gs_plan_keep(input, gs_plan_threads_most(input) * job->keys.ingest.unit, "large records");
}

/* The decoder, which has nothing to do, has memory for the keys of a chunk. */
static gs_status
read_column(struct gsort *job, const struct gs_taker *taker)
{
	struct gs_line_job *lines = &job->items.lines;
	const size_t chunk_bytes = job->plan.chunk_bytes;

	assert(gs_line_column_keys(chunk_bytes) * sizeof(uint64_t) <=
	       gs_text_decoder_bytes(chunk_bytes, job->plan.threads, &job->keys.ingest.text));
	TRY(gs_ingest_open_chunks(&job->keys.ingest, &lines->chunks));
	lines->chunk_bytes = chunk_bytes;
	lines->line_most = (size_t)(job->plan.host_bytes / GS_COLUMN_LINE_SHARE);
	lines->header_most = (size_t)(job->plan.host_bytes / GS_HEADER_SHARE);
	lines->column = (struct gs_line_column){
		.keys = job->keys.ingest.decoder_memory, .flip = job->options.reverse ? UINT64_MAX : 0,
	};
	TRY(gs_line_job_read(job, taker, NULL));
	job->keys.ingest.read.bytes = lines->ingest.bytes;
	job->keys.ingest.read.elements = job->ranked->elements = lines->column.count;
	job->keys.ingest.invalid_lines = lines->ingest.faults.invalid;
	return GS_OK;
}

static enum gs_work
work_of_values(const struct gsort *job, struct gs_plan_input *input, uint64_t *kept)
{
	const size_t unit = job->keys.ingest.unit, key_bytes = input->key_bits / 8;

	*kept = input->input_bytes / (unit > 0 ? unit : GS_LINE_ABOUT_BYTES) *
	        (unit > 0 ? key_bytes : sizeof(uint64_t));
	return unit > 0 ? GS_WORK_RECORDS : GS_WORK_COLUMN;
}

const struct gs_kind gs_column = {
	.adapt = adapt, .describe = describe_column, .plan = gs_ingest_plan, .cpu_rule = GS_ITEMS_ON_CPU,
	.keep = keep_lines, .allocate = { allocate }, .check_disk = check_disk, .read = read_column,
	.deal = gs_keys_deal,
	.header = find_header, .work = work_of_values, .figures = &gs_answer_of_keys, .type = "lines",
	.explain = gs_lines_explain, .explain_memory = gs_keys_explain_memory,
	.count = count_read,
};

const struct gs_kind gs_field = {
	.adapt = adapt, .describe = describe_field, .plan = gs_ingest_plan, .cpu_rule = GS_ITEMS_ON_CPU,
	.keep = keep_records, .allocate = { allocate }, .check_disk = check_disk, .read = read_all,
	.deal = gs_keys_deal,
	.header = find_header, .work = work_of_values, .figures = &gs_answer_of_keys, .type = "record",
	.explain = gs_records_explain, .explain_memory = gs_keys_explain_memory,
	.count = count_read,
};
