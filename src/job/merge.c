// SPDX-License-Identifier: BSD-2-Clause
/*
 * merge.c - sorted inputs become one
 *
 * In:   inputs, each in order.
 * Out:  all of them in one order, through the emit stage (stages/emit.h).
 *
 * Each input is a source of spill/external_merge.h.  It is opened when it is first read, and its
 * order is checked while it is read.  A merge has one key class at a time.  Text is in the order of
 * the classes, so an input continues where it stopped.
 *
 * Inputs are first copied to temporary runs if the output would overwrite one, or if there are more
 * text inputs than can be open at once: each has keys of every class.  Keys of 8 and 16 bits are
 * counted, as in a sort.
 *
 * Invariant: a source has delivered all its keys of the classes before the current one.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "format/disorder.h"
#include "format/line_reader.h"
#include "job/merge.h"
#include "job/merge_input.h"
#include "job/sort.h"
#include "job/stretch.h"

/* The advice of the message about disorder.  Text must be in order even if order is not checked. */
static const char *
advice(const struct gsort *job)
{
	return job->options->trust_order ? ": lines of text must be sorted to be merged; sort it"
	       : GS_ADVICE_UNSORTED;
}

struct input {
	struct gsort    *job;
	struct merging  *merging;
	const char      *name;
	bool             first;
	bool             begun, ended;
	struct gs_input *input;		/* NULL unless begun and not ended */
	struct gs_follow follow;
	struct gs_stretch stretch;	/* of binary keys */
	struct gs_verify verify;	/* of the keys read */
	uint64_t         bytes, keys, invalid_lines;

	struct gs_line_reader  *reader;		/* of text, in MEMORY */
	void            *memory;
	size_t           taken;		/* of its batch */
	unsigned         rank;		/* of the current key class, in the order of output */
};

/* All inputs, and what they share. */
struct merging {
	struct gsort    *job;
	struct input    *inputs;
	size_t           count;
	struct gs_arena  arena;		/* the memory of: */
	char            *source_memory;	/* text: plan.source_bytes for each input being read */
	char            *header;	/* of the first input */
	size_t           header_bytes;
	struct gs_text_header text_header;	/* text: the same, while it is read */
};

/* ---- one input ------------------------------------------------------------ */

static gs_status
begin(struct input *input)
{
	struct gsort *job = input->job;
	struct gs_line_source source;

	input->begun = true;
	TRY(gs_merge_open(job, &input->name, (job->plan.threads + 1) / 2,
	                  input->first ? input->merging->header : NULL, &input->input));
	if (job->plan_input.key_bits > 0) {
		input->stretch = gs_stretch_open(job, &input->follow, advice(job));
		gs_stretch_begin(&input->stretch, gs_input_name(input->input), 0);
		if (input->first)
			input->merging->header_bytes = (size_t)job->options->skip_bytes;
		return GS_OK;
	}
	source = (struct gs_line_source){
		gs_input_read_callback, input->input, gs_input_name(input->input),
	};
	input->reader = gs_line_reader_open(input->memory, job->plan.source_bytes, &source,
	                                    &job->ingest.text);
	input->reader->clock = &job->monitor.clock;
	if (input->first && job->ingest.text.header_lines > 0)
		input->reader->lines.header = &input->merging->text_header;
	return GS_OK;
}

static void
end(struct input *input)
{
	input->ended = true;
	(void)gs_input_next(input->input);	/* puts the offset of standard input where it should be */
	gs_input_close(input->input);
	input->input = NULL;
}

/* Note that COUNT keys of KEY_CLASS were read. */
static void
note_keys(struct input *input, unsigned key_class, const void *keys, size_t count, uint64_t bytes)
{
	struct gsort *job = input->job;

	input->bytes += bytes;
	input->keys += count;
	gs_verify_in(&input->verify, key_class, job->plan.class_bits[key_class], keys, count);
	atomic_fetch_add(&job->monitor.counters.bytes_in, bytes);
	atomic_fetch_add(&job->monitor.counters.keys_in, count);
}

/* ---- binary ------------------------------------------------------------- */

/* Read the next ROOM keys as ordered bits; fewer at the end. */
static gs_status
read_keys(struct input *input, void *into, size_t room, size_t *count)
{
	const size_t key_bytes = input->job->plan_input.key_bits / 8;
	const uint64_t before = input->follow.elements;
	gs_status status;
	uint64_t since;
	size_t got;

	assert(key_bytes > 0);
	*count = 0;
	if (!input->begun)
		TRY(begin(input));
	if (input->ended)
		return GS_OK;
	since = gs_clock_now();
	TRY(gs_input_read(input->input, into, room * key_bytes, &got));
	gs_clock_lap(&input->job->monitor.clock, GS_STAGE_READ, &since);
	input->bytes += got;
	status = gs_stretch_next(&input->stretch, into, got / key_bytes * key_bytes);
	if (status == GS_OK && got % key_bytes > 0)	/* the keys before it can still be merged */
		status = gs_stretch_next(&input->stretch, into, got % key_bytes);
	*count = (size_t)(input->follow.elements - before);
	if (status == GS_OK && got < room * key_bytes)
		end(input);
	return status;
}

/* For the reader thread of the external merge. */
static gs_status
read_raw(void *context, void *into, size_t room, size_t *count)
{
	struct input *input = context;
	const uint64_t bytes = input->bytes;
	gs_status status;

	status = read_keys(input, into, room, count);
	note_keys(input, 0, into, *count, 0);
	atomic_fetch_add(&input->job->monitor.counters.bytes_in, input->bytes - bytes);
	return status;
}

/* ---- text --------------------------------------------------------------- */

/* The next batch of lines, in order. */
static gs_status
read_batch(struct input *input)
{
	struct gs_line_reader *reader;

	if (!input->begun)
		TRY(begin(input));
	reader = input->reader;
	assert(reader != NULL);
	input->taken = 0;
	TRY(gs_line_reader_next(reader));
	atomic_fetch_add(&input->job->monitor.counters.bytes_in, reader->bytes - input->bytes);
	input->bytes = reader->bytes;
	input->invalid_lines = reader->lines.invalid;
	if (reader->count == 0) {
		gs_lines_end(&reader->lines);
		end(input);
		return GS_OK;
	}
	return gs_stretch_text(input->job, reader, &input->follow, advice(input->job));
}

/*
 * Take keys of the current key class from the batch, up to ROOM.  A key of an earlier class is an
 * error even with --nocheck-order, because it would be lost.
 */
static gs_status
take_keys(struct input *input, bool wide, void *into, size_t room, size_t *count)
{
	const struct gs_line_reader *reader = input->reader;
	uint32_t *narrow = into;
	uint64_t *full = into;

	for (; *count < room && input->taken < reader->count; input->taken++, ++*count) {
		const uint64_t key = reader->keys[input->taken];

		if (reader->classes[input->taken] < input->rank)
			return gs_stretch_fail_text(input->job, reader, input->taken,
			                            advice(input->job));
		if (reader->classes[input->taken] > input->rank)
			break;
		if (wide)
			full[*count] = key;
		else
			narrow[*count] = (uint32_t)key;
	}
	return GS_OK;
}

static unsigned
class_of_rank(const struct gsort *job, unsigned rank)
{
	return job->options->reverse ? GS_TEXT_CLASSES - 1 - rank : rank;
}

/* For the reader thread of the external merge. */
static gs_status
read_text(void *context, void *into, size_t room, size_t *count)
{
	struct input *input = context;
	const unsigned key_class = class_of_rank(input->job, input->rank);
	const bool wide = input->job->plan.class_bits[key_class] == 64;
	gs_status status = GS_OK;

	*count = 0;
	while (status == GS_OK && *count < room && !input->ended) {
		if (input->reader == NULL || input->taken == input->reader->count) {
			status = read_batch(input);
			continue;
		}
		status = take_keys(input, wide, into, room, count);
		if (input->taken < input->reader->count)
			break;
	}
	note_keys(input, key_class, into, *count, 0);
	return status;
}

/* ---- all inputs ------------------------------------------------------------ */

/* Nothing is opened yet.  Standard input is read only once, even if it is named several times. */
static void
list_inputs(struct merging *merging)
{
	struct gsort *job = merging->job;
	bool standard = false;

	for (size_t i = 0; i < merging->count; i++) {
		struct input *input = &merging->inputs[i];

		*input = (struct input){
			.job = job, .merging = merging, .name = gs_merge_name(job->options, i),
			.first = i == 0, .follow = { .key_bits = job->plan_input.key_bits, .threads = 1 },
		};
		if (merging->source_memory != NULL)
			input->memory = merging->source_memory +
			                i % job->plan.fan_in * job->plan.source_bytes;
		gs_verify_open(&input->verify, job->options, 1);
		if (strcmp(input->name, "-") == 0) {
			input->begun = input->ended = standard;
			standard = true;
		}
	}
}

/* Read the first input's header, before anything is written. */
static gs_status
read_header(struct merging *merging)
{
	if (merging->job->plan_input.key_bits > 0)
		return begin(&merging->inputs[0]);
	TRY(read_batch(&merging->inputs[0]));
	merging->header = merging->text_header.text;
	merging->header_bytes = merging->text_header.bytes;
	return GS_OK;
}

/* Make COUNT inputs from FIRST on sources of the class of RANK. */
static struct gs_source *
list_sources(struct gsort *job, struct input *first, size_t count, unsigned rank)
{
	struct gs_source *sources = job->store.runs.sources;

	for (size_t i = 0; i < count; i++) {
		first[i].rank = rank;
		sources[i] = (struct gs_source){
			.read = job->plan_input.key_bits > 0 ? read_raw : read_text,
			.context = &first[i], .verified = !job->options->trust_order,
		};
	}
	return sources;
}

/* Must inputs become runs on disk first? */
static bool
must_spill(const struct merging *merging)
{
	const struct gsort *job = merging->job;

	if (job->plan_input.key_bits == 0 && merging->count > job->plan.fan_in)
		return true;
	return gs_merge_overwrites(job);
}

/* Merge groups of inputs into runs on disk, one for each class. */
static gs_status
spill_inputs(struct merging *merging)
{
	struct gsort *job = merging->job;
	const size_t fan_in = job->plan.fan_in;

	for (size_t at = 0, count; at < merging->count; at += count) {
		count = merging->count - at < fan_in ? merging->count - at : fan_in;
		for (unsigned rank = 0; rank < GS_CLASSES; rank++) {
			const unsigned key_class = class_of_rank(job, rank);

			if (job->plan.class_bits[key_class] == 0)
				continue;
			TRY(gs_runs_add(&job->store.runs, key_class,
			                list_sources(job, &merging->inputs[at], count, rank), count));
		}
	}
	return GS_OK;
}

/* Add up the figures of all inputs. */
static void
sum_up(const struct merging *merging)
{
	struct gsort *job = merging->job;

	for (size_t i = 0; i < merging->count; i++) {
		const struct input *input = &merging->inputs[i];

		job->stats.bytes_in += input->bytes;
		job->stats.keys += input->keys;
		job->stats.invalid_lines += input->invalid_lines;
		job->verify.keys_in += input->verify.keys_in;
		job->verify.sum_in += input->verify.sum_in;
	}
}

/* The head may be complete, but all input is read and checked. */
static gs_status
take_all(void *context, struct gs_sorted_span *sorted, bool *enough)
{
	const struct gs_span_sink *sink = context;
	bool complete;

	(void)enough;
	return sink->take(sink->context, sorted, &complete);
}

static gs_status
merge_class(struct merging *merging, unsigned rank, bool spilled)
{
	struct gsort *job = merging->job;
	struct gs_runs *runs = &job->store.runs;
	const unsigned key_class = class_of_rank(job, rank);
	struct gs_span_sink sink = gs_emit_sink(&job->emit, key_class, 0);
	const struct gs_span_sink all = { .take = take_all, .context = &sink };

	if (job->plan.class_bits[key_class] == 0)
		return GS_OK;
	TRY(spilled ? gs_runs_drain(runs, key_class, &sink)
	            : gs_runs_merge(runs, key_class, list_sources(job, merging->inputs,
	                                                          merging->count, rank),
	                            merging->count, &all));
	return gs_emit_class_end(&job->emit, key_class);
}

static gs_status
merge(struct merging *merging)
{
	struct gsort *job = merging->job;
	bool spilled;

	list_inputs(merging);
	TRY(read_header(merging));
	spilled = must_spill(merging);
	if (spilled)
		TRY(spill_inputs(merging));
	TRY(gs_emit_header(&job->emit, merging->header, merging->header_bytes));
	for (unsigned rank = 0; rank < GS_CLASSES; rank++)
		TRY(merge_class(merging, rank, spilled));
	sum_up(merging);
	TRY(gs_emit_end(&job->emit));
	return gs_outputs_finish(&job->outputs);
}

/* Keys of 8 and 16 bits: read all inputs, one after the other, and count the keys. */
static gs_status
count(struct merging *merging)
{
	struct gsort *job = merging->job;
	struct gs_store *store = &job->store;
	const size_t room = job->plan.count_bytes / (job->plan_input.key_bits / 8);
	uint64_t since;
	size_t got;

	list_inputs(merging);
	for (size_t i = 0; i < merging->count; i++)
		do {
			TRY(read_keys(&merging->inputs[i], store->count_memory, room, &got));
			since = gs_clock_now();
			gs_verify_in(&job->verify, 0, job->plan_input.key_bits, store->count_memory, got);
			gs_store_add(store, 0, 0, 0, store->count_memory, got);
			gs_store_end_round(store);
			gs_clock_lap(&job->monitor.clock, GS_STAGE_SORT, &since);
			merging->inputs[i].keys += got;
		} while (!merging->inputs[i].ended);
	sum_up(merging);
	return gs_job_emit(job, merging->header, merging->header_bytes);
}

/* ---- memory ----------------------------------------------------------------- */

/* Memory for the lines of a header: addresses, which cost only what the header needs. */
#define HEADER_BYTES	((size_t)1 << 20)

static gs_status
allocate(struct merging *merging)
{
	struct gsort *job = merging->job;
	const bool text = job->plan_input.key_bits == 0;
	const size_t source_bytes = text ? job->plan.fan_in * job->plan.source_bytes : 0;
	const size_t header_bytes = !text ? (size_t)job->options->skip_bytes :
	                            job->options->header_lines > 0 ? HEADER_BYTES + 1 : 1;

	merging->inputs = calloc(merging->count, sizeof *merging->inputs);
	if (merging->inputs == NULL)
		return gs_fail(GS_EBUDGET, "no memory for %zu inputs", merging->count);
	TRY(gs_arena_open(&merging->arena,
	                  gs_arena_round(source_bytes) + gs_arena_round(header_bytes), false));
	merging->source_memory = gs_arena_take(&merging->arena, source_bytes);
	merging->header = gs_arena_take(&merging->arena, header_bytes);
	if (text)
		merging->text_header = (struct gs_text_header){
			.text = merging->header, .room = header_bytes - 1,
		};
	return GS_OK;
}

static void
stop_input(void *context)
{
	struct gsort *job = context;

	gs_input_stop(job->input);
}

gs_status
gs_job_merge(struct gsort *job)
{
	struct merging merging = { .job = job, .count = gs_merge_count(job->options) };
	gs_status status;

	job->store.runs.stop = stop_input;
	job->store.runs.stop_context = job;
	/* A reader that also checks the order of inputs is busy, so the team is one smaller. */
	if (job->plan.threads > 1)
		job->store.runs.merge_threads = job->plan.threads - 1;
	atomic_store(&job->monitor.counters.phase, GSORT_MERGING);
	if ((status = allocate(&merging)) == GS_OK)
		status = job->plan.by_counting ? count(&merging) : merge(&merging);
	for (size_t i = 0; merging.inputs != NULL && i < merging.count; i++)
		gs_input_close(merging.inputs[i].input);
	free(merging.inputs);
	gs_arena_close(&merging.arena);
	return status;
}
