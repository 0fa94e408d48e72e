// SPDX-License-Identifier: BSD-2-Clause
/*
 * merge_input.c - the sorted inputs of a merge, of elements of any kind
 *
 * In:   files, each of which is opened when its turn comes.
 * Out:  their keys or items, in order.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "kinds/merge_input.h"
#include "sort/items/items.h"
#include "text/disorder.h"

/* ---- one input --------------------------------------------------------------- */

/* The advice of the message about disorder.  Numbers of text must be in order even if no order is checked. */
static const char *
advice(const struct gsort *job)
{
	return !job->options.trust_order ? GS_ADVICE_UNSORTED
	       : ": numbers of text must be sorted to be merged; sort it, or use -n, which merges lines";
}

static gs_status
open_file(struct gs_merge_input *input)
{
	struct gsort *job = input->all->job;
	struct gs_input_options in = gs_job_input_options(job);

	in.names = &input->name;
	in.count = 1;
	if (!in.later)			/* gsort_open() has looked at it */
		in.guarded = GS_UNGUARDED;
	in.later = false;
	in.threads = input->all->threads;
	in.window_bytes = job->plan.window_bytes;
	in.stops_with = job->files.input;
	TRY(gs_input_open(&input->input, &in));
	(void)gs_input_next(input->input);
	return GS_OK;
}

/* Pass the header of options.skip_bytes. */
static gs_status
skip_header(struct gs_merge_input *input)
{
	struct gs_merge_inputs *all = input->all;
	const uint64_t bytes = all->job->options.skip_bytes;
	const bool first = input == all->inputs && bytes > 0;

	if (first)
		all->header_bytes = (size_t)bytes;
	return gs_input_skip(input->input, bytes, first ? all->header : NULL);
}

gs_status
gs_records_begin_input(struct gs_merge_input *input)
{
	struct gsort *job = input->all->job;

	input->stretch = gs_stretch_open(job, &input->follow, advice(job));
	gs_stretch_begin(&input->stretch, gs_input_name(input->input), 0);
	return GS_OK;
}

gs_status
gs_keys_begin_input(struct gs_merge_input *input)
{
	struct gsort *job = input->all->job;

	if (input->follow.key_bits > 0)
		return gs_records_begin_input(input);
	input->reader = gs_stretch_open_text(job, input->input, input->memory, input->all->room);
	return GS_OK;
}

gs_status
gs_lines_begin_input(struct gs_merge_input *input)
{
	struct gs_merge_inputs *all = input->all;
	struct gsort *job = all->job;
	const struct gs_line_collector *first;
	struct gs_line_ingest *ingest;

	if (all->collectors == NULL)
		TRY(GS_NEW(all->collectors, all->count, "inputs"));
	first = all->collectors;
	input->lines = &all->collectors[input - all->inputs];
	ingest = &input->lines->ingest;
	while (first < input->lines && gs_line_ingest_wants_header(&first->ingest))
		first++;
	gs_line_collector_open(input->lines, first, &job->items.lines.order,
	                       &job->keys.ingest.text,
	                       job->options.trust_order ? NULL : &input->follow, &job->monitor,
	                       &all->spare);
	ingest->faults.advice = GS_ADVICE_UNSORTED;
	ingest->header_most = job->items.lines.header_most;
	ingest->measures = job->plan_input.input_bytes != UINT64_MAX;
	return GS_OK;
}

static gs_status
begin(struct gs_merge_input *input)
{
	input->begun = true;
	TRY(open_file(input));
	TRY(skip_header(input));
	return input->all->job->kind->begin_input(input);
}

static void
end(struct gs_merge_input *input)
{
	(void)gs_input_next(input->input);	/* puts the offset of standard input where it should be */
	gs_input_close(input->input);
	input->input = NULL;
}

bool
gs_merge_ended(const struct gs_merge_input *input)
{
	return input->begun && input->input == NULL;
}

/* Note that BYTES more were read. */
static void
note_bytes(struct gs_merge_input *input, uint64_t bytes)
{
	input->bytes += bytes;
	input->all->job->stats.bytes_in += bytes;
	atomic_fetch_add(&input->all->job->monitor.counters.bytes_in, bytes);
}

static void
note_keys(const struct gs_merge_input *input, unsigned key_class, void *keys, size_t count)
{
	struct gsort *job = input->all->job;
	const struct gs_piece piece = {
		.keys = keys, .count = count, .key_class = key_class,
		.key_bits = input->follow.key_bits > 0 ? input->follow.key_bits
		                                       : job->plan.class_bits[key_class],
	};

	job->stats.keys += count;
	gs_verify_in(&job->verify, &piece);
	atomic_fetch_add(&job->monitor.counters.keys_in, count);
}

/* ---- keys and records ----------------------------------------------------------- */

/* Read up to ROOM bytes, of whole elements. */
static gs_status
read_bytes(struct gs_merge_input *input, void *into, size_t room, size_t *bytes)
{
	struct gs_clock *clock = &input->all->job->monitor.clock;
	uint64_t since = gs_clock_now();

	TRY(gs_input_read(input->input, into, room, bytes));
	gs_clock_lap(clock, GS_STAGE_READ, &since);
	note_bytes(input, *bytes);
	return GS_OK;
}

static gs_status
read_raw(struct gs_merge_input *input, void *into, size_t room, size_t *count)
{
	const size_t key_bytes = input->follow.key_bits / 8;
	const uint64_t before = input->follow.elements;
	gs_status status;
	size_t bytes;

	if (input->input == NULL)
		return GS_OK;
	TRY(read_bytes(input, into, room * key_bytes, &bytes));
	status = gs_stretch_next(&input->stretch, into, bytes / key_bytes * key_bytes);
	if (status == GS_OK && bytes % key_bytes > 0)	/* the keys before it can still be merged */
		status = gs_stretch_next(&input->stretch, into, bytes % key_bytes);
	*count = (size_t)(input->follow.elements - before);
	if (status == GS_OK && bytes < room * key_bytes)
		end(input);
	note_keys(input, 0, into, *count);
	return status;
}

/* ---- text --------------------------------------------------------------- */

/* The next batch of lines, in order. */
static gs_status
read_batch(struct gs_merge_input *input)
{
	struct gsort *job = input->all->job;
	struct gs_line_reader *reader = input->reader;

	assert(reader != NULL);
	input->taken = 0;
	TRY(gs_line_reader_next(reader));
	note_bytes(input, reader->bytes - input->bytes);
	if (reader->count == 0) {
		job->stats.invalid_lines += reader->lines.invalid;
		gs_line_reject_end(&reader->lines.options, reader->lines.invalid);
		end(input);
		return GS_OK;
	}
	return gs_stretch_text(job, reader, &input->follow, advice(job));
}

/*
 * Take keys of the current key class from the batch, up to ROOM.  A key of an earlier class is an
 * error even with --force, because it would be lost.
 */
static gs_status
take_keys(struct gs_merge_input *input, bool wide, void *into, size_t room, size_t *count)
{
	const struct gs_line_reader *reader = input->reader;
	const struct gsort *job = input->all->job;
	uint32_t *narrow = into;
	uint64_t *full = into;

	for (; *count < room && input->taken < reader->count; input->taken++, ++*count) {
		const uint64_t key = reader->keys[input->taken];

		if (reader->classes[input->taken] < input->place)
			return gs_stretch_fail_text(job, reader, input->taken, advice(job));
		if (reader->classes[input->taken] > input->place)
			break;
		if (wide)
			full[*count] = key;
		else
			narrow[*count] = (uint32_t)key;
	}
	return GS_OK;
}

static gs_status
read_text(struct gs_merge_input *input, void *into, size_t room, size_t *count)
{
	const struct gsort *job = input->all->job;
	const unsigned key_class = job->options.reverse ? GS_TEXT_CLASSES - 1 - input->place
	                                                 : input->place;
	const bool wide = job->plan.class_bits[key_class] == 64;
	gs_status status = GS_OK;

	while (status == GS_OK && *count < room && !gs_merge_ended(input)) {
		if (input->reader == NULL || input->taken == input->reader->count) {
			status = read_batch(input);
			continue;
		}
		status = take_keys(input, wide, into, room, count);
		if (input->taken < input->reader->count)
			break;
	}
	note_keys(input, key_class, into, *count);
	return status;
}

gs_status
gs_merge_read(void *context, void *into, size_t room, size_t *count)
{
	struct gs_merge_input *input = context;

	*count = 0;
	if (!input->begun)
		TRY(begin(input));
	return input->follow.key_bits > 0 ? read_raw(input, into, room, count)
	                                  : read_text(input, into, room, count);
}

gs_status
gs_merge_read_header(struct gs_merge_inputs *all)
{
	struct gs_merge_input *input = all->inputs;
	const struct gs_text_header *header = &all->job->keys.ingest.text_header;

	TRY(begin(input));
	if (input->follow.key_bits > 0)
		return GS_OK;
	TRY(read_batch(input));
	while (header->known == 0 && gs_merge_ended(input) && ++input < all->inputs + all->count) {
		TRY(begin(input));
		TRY(read_batch(input));
	}
	all->header = header->text;
	all->header_bytes = header->known;
	return GS_OK;
}

/* ---- records and lines ------------------------------------------------------------ */

gs_status
gs_records_fill(struct gs_merge_input *input, struct gs_item_slice *items)
{
	TRY(read_bytes(input, input->memory, input->all->room, &items->bytes));
	items->data = input->memory;
	TRY(gs_stretch_next(&input->stretch, input->memory, items->bytes));
	if (items->bytes < input->all->room)
		end(input);
	return GS_OK;
}

gs_status
gs_lines_fill(struct gs_merge_input *input, struct gs_item_slice *items)
{
	struct gs_line_collector *lines = input->lines;
	uint64_t *invalid = &input->all->job->items.lines.ingest.faults.invalid;	/* of all inputs */
	struct gs_chunk chunk = { .data = input->memory, .begins = input->bytes == 0 };

	lines->bytes = 0;
	while (lines->bytes == 0 && !chunk.ends) {
		TRY(read_bytes(input, input->memory, input->all->room, &chunk.bytes));
		chunk.name = gs_input_name(input->input);
		chunk.ends = chunk.bytes < input->all->room;
		lines->ingest.faults.invalid = *invalid;
		TRY(gs_line_ingest_chunk(&lines->ingest, &chunk));
		*invalid = lines->ingest.faults.invalid;
		chunk.begins = false;
	}
	if (lines->bytes > 0)		/* else LINES may be NULL */
		*items = (struct gs_item_slice){ lines->lines, lines->bytes };
	if (chunk.ends)
		end(input);
	if (!lines->borrows) {
		input->all->header = lines->ingest.header.data;
		input->all->header_bytes = lines->ingest.header.bytes;
	}
	return GS_OK;
}

gs_status
gs_merge_fill(void *context, struct gs_item_slice *items)
{
	struct gs_merge_input *input = context;
	struct gsort *job = input->all->job;

	items->bytes = 0;
	if (!input->begun)
		TRY(begin(input));
	if (input->input == NULL)
		return GS_OK;
	TRY(job->kind->fill(input, items));
	if (items->bytes > 0)
		gs_verify_in(&job->verify, &(const struct gs_piece){ .slices = items, .count = 1 });
	return GS_OK;
}

/* ---- all inputs --------------------------------------------------------------------- */

/* Nothing is opened yet.  Standard input is read only once, even if it is named several times. */
static void
list_inputs(struct gs_merge_inputs *all, char *memory, size_t most)
{
	const struct gsort *job = all->job;
	bool standard = false;

	for (size_t i = 0; i < all->count; i++) {
		struct gs_merge_input *input = &all->inputs[i];

		*input = (struct gs_merge_input){
			.all = all, .memory = most == 0 ? NULL : memory + i % most * all->room,
			.name = job->options.inputs[i],
			.follow = {
				.order = job->items.by, .key_bits = job->plan_input.key_bits, .threads = 1,
			},
		};
		if (strcmp(input->name, "-") == 0) {
			input->begun = standard;
			standard = true;
		}
	}
}

gs_status
gs_merge_inputs_open(struct gs_merge_inputs *all, struct gsort *job, size_t room, size_t most)
{
	const struct gsort_options *options = &job->options;
	const size_t memory = gs_arena_round(most * room);

	*all = (struct gs_merge_inputs){ .job = job, .count = options->input_count, .room = room };
	TRY(GS_NEW(all->inputs, all->count, "inputs"));
	TRY(gs_arena_open(&all->arena, memory + gs_arena_round(options->skip_bytes), false));
	list_inputs(all, gs_arena_take(&all->arena, memory), most);
	all->header = gs_arena_take(&all->arena, options->skip_bytes);
	return GS_OK;
}

void
gs_merge_inputs_close(struct gs_merge_inputs *all)
{
	/* the first one last: others borrow from it */
	for (size_t i = all->inputs != NULL ? all->count : 0; i-- > 0;) {
		struct gs_merge_input *input = &all->inputs[i];

		gs_input_close(input->input);
		gs_follow_close(&input->follow);
		if (input->lines != NULL)
			gs_line_collector_close(input->lines);
	}
	free(all->inputs);
	free(all->collectors);
	gs_arena_close(&all->arena);
}
