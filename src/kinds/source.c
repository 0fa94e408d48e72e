// SPDX-License-Identifier: BSD-2-Clause
/*
 * source.c - the sorted inputs of a merge or a check
 *
 * In:   files; for a merge each is opened when its turn comes.
 * Out:  their keys or items, in order; or only whether they are.
 *
 * For a check one thread reads chunks ahead (io/ahead.c), and the others compare neighbours (sort/follow.c),
 * in constant memory.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/round.h"
#include "key/key.h"
#include "kinds/source.h"
#include "text/disorder.h"
#include "text/line.h"

/* Is the order of inputs not checked? */
static bool
trusts(const struct gs_feed *feed)
{
	return feed->options->operation == GSORT_MERGE && feed->options->trust_order;
}

/* Note that BYTES more were read. */
static void
note_bytes(struct gs_merge_input *input, uint64_t bytes)
{
	input->bytes += bytes;
	input->feed->read.bytes += bytes;
	atomic_fetch_add(&input->feed->monitor->counters.bytes_in, bytes);
}

/* ---- keys and records ------------------------------------------------------------ */

/*
 * The next BYTES of a file are at DATA: keys become ordered bits, in place.
 *
 * Returns GS_EINPUT if an element is not whole, or out of order (follow.disorder), but the
 * follow.elements before it are good; GS_EBUDGET.
 */
static gs_status
follow_elements(struct gs_merge_input *input, void *data, size_t bytes)
{
	const struct gs_feed *feed = input->feed;
	const struct gsort_options *options = feed->options;
	struct gs_follow *follow = &input->follow;
	const struct gs_item_slice slice = { data, bytes };
	const size_t unit = feed->ingest.unit;
	const bool keys = follow->order == NULL;
	uint64_t since = gs_clock_now(), number;
	size_t at = bytes;

	if (bytes % unit != 0)
		return gs_partial(options, input->name, options->skip_bytes, input->bytes);
	if (keys) {
		gs_raw_to_ordered(options->type, options->endian, options->reverse, data, bytes / unit,
		                  follow->threads);
		gs_clock_lap(&feed->monitor->clock, GS_STAGE_DECODE, &since);
	}
	if (trusts(feed))
		follow->elements += bytes / unit;
	else
		at = keys ? unit * gs_follow_keys(follow, 0, data, bytes / unit)
		          : gs_follow_slice(follow, &slice);
	gs_clock_lap(&feed->monitor->clock, GS_STAGE_SORT, &since);
	if (at == bytes)
		return GS_OK;
	if (at == SIZE_MAX)
		return gs_fail(GS_EBUDGET, "out of memory");
	number = follow->elements - input->elements + 1;
	return keys ? gs_disorder_key(options, follow->key_bits, input->name, number, slice.data + at,
	                              options->skip_bytes, input->advice)
	            : gs_disorder_record(&feed->records.record, input->name, slice.data + at, number,
	                                 options->skip_bytes, input->advice);
}

/* Read up to ROOM bytes, of whole elements. */
static gs_status
read_bytes(struct gs_merge_input *input, void *into, size_t room, size_t *bytes)
{
	uint64_t since = gs_clock_now();

	TRY(gs_input_read(input->input, into, room, bytes));
	gs_clock_lap(&input->feed->monitor->clock, GS_STAGE_READ, &since);
	note_bytes(input, *bytes);
	return GS_OK;
}

static void
end(struct gs_merge_input *input)
{
	(void)gs_input_next(input->input);	/* puts the offset of standard input where it should be */
	gs_input_close(input->input);
	input->input = NULL;
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
	status = follow_elements(input, into, bytes / key_bytes * key_bytes);
	if (status == GS_OK && bytes % key_bytes > 0)	/* the keys before it can still be merged */
		status = follow_elements(input, into, bytes % key_bytes);
	*count = (size_t)(input->follow.elements - before);
	if (status == GS_OK && bytes < room * key_bytes)
		end(input);
	return status;
}

gs_status
gs_records_check(struct gs_feed *feed, struct gs_follow *follow)
{
	const size_t unit = feed->ingest.unit;
	const size_t bytes = gs_plan_check_bytes(feed->plan, feed->plan_input, unit);
	const uint64_t skip_bytes = feed->options->skip_bytes;
	struct gs_ahead *ahead = &feed->ingest.ahead;
	struct gs_merge_input input = { .feed = feed, .follow = *follow, .advice = "" };
	struct gs_chunk *chunk;
	gs_status status;

	if (bytes == 0)
		return gs_item_fail_large(unit, GS_AHEAD_CHUNKS + 2, 0, 1);
	TRY(gs_arena_open(&feed->arena, GS_AHEAD_CHUNKS * bytes, false));
	gs_ahead_open(ahead, feed->input, gs_arena_take(&feed->arena, GS_AHEAD_CHUNKS * bytes), bytes);
	ahead->skip_bytes = skip_bytes;
	ahead->clock = &feed->monitor->clock;
	while ((status = gs_ahead_take(ahead, &chunk)) == GS_OK && chunk != NULL) {
		if (chunk->begins) {
			input.name = chunk->name;
			input.elements = input.follow.elements;
			if (chunk->start > 0)		/* elements before it are another rank's */
				input.elements -= (chunk->start - skip_bytes) / unit;
			input.bytes = 0;
			feed->read.bytes += skip_bytes;
		}
		note_bytes(&input, chunk->bytes);
		status = follow_elements(&input, chunk->data, chunk->bytes);
		if (status != GS_OK)
			break;
		atomic_store(&feed->monitor->counters.bytes_in, feed->read.bytes);
		atomic_store(&feed->monitor->counters.keys_in, input.follow.elements);
		gs_ahead_give(ahead, chunk);
	}
	gs_ahead_close(ahead);
	*follow = input.follow;
	return status;
}

/* ---- text ------------------------------------------------------------------------ */

/* Begin to read INPUT->input, in ROOM bytes of INPUT->memory; nothing to close. */
static void
open_text(struct gs_merge_input *input, size_t room)
{
	const struct gs_text_options *options = &input->feed->ingest.text;
	const size_t chunk_bytes = gs_text_ordered_chunk(room);

	if (input->decoder == NULL) {
		input->text = input->memory + gs_text_decoder_bytes(chunk_bytes, 1, options);
		input->decoder = gs_text_decoder_init(input->memory, chunk_bytes, 1, options);
		input->found = &input->decoder->sections[0].keys;
	}
	gs_text_begin_file(input->decoder, gs_input_name(input->input));
	input->used = input->left = input->taken = input->run = 0;
	input->ended = false;
}

/* The error for key AT of those that were decoded last: it is out of order. */
static gs_status
fail_line(const struct gs_merge_input *input, size_t at)
{
	const char *name = gs_input_name(input->input), *line, *end;
	const uint64_t number = gs_text_line_of(input->decoder, at, &line, &end);

	return gs_disorder_line(name, gs_line_number(&input->feed->ingest.text, name, number), line,
	                        (size_t)(end - line), input->advice);
}

/* Find the next run of keys of one class, in order; an empty one at the end.  Keys before a bad line come
 * first. */
static gs_status
next_run(struct gs_merge_input *input)
{
	struct gs_feed *feed = input->feed;
	struct gs_text_decoder *decoder = input->decoder;
	struct gs_text_keys *found = input->found;
	const char terminator = feed->ingest.text.terminator, *end;
	char *text = input->text;
	uint64_t since;
	size_t first, bytes;

	if (input->taken == found->count[0])
		input->taken = input->run = found->count[0] = 0;
	while (found->count[0] == 0 && (input->left > 0 || !input->ended)) {
		gs_status status;

		memmove(text, text + input->used, input->left);
		if (!input->ended) {
			TRY(read_bytes(input, text + input->left, decoder->chunk_bytes - input->left,
			               &bytes));
			input->left += bytes;
			input->ended = input->left < decoder->chunk_bytes;
			if (input->ended && input->left > 0 && text[input->left - 1] != terminator)
				text[input->left++] = terminator;
		}
		end = memrchr(text, terminator, input->left);	/* NULL: a line is too long */
		bytes = end != NULL ? (size_t)(end + 1 - text) : input->left;
		since = gs_clock_now();
		status = gs_text_decode(decoder, text, bytes, input->ended);
		gs_clock_lap(&feed->monitor->clock, GS_STAGE_DECODE, &since);
		if (decoder->stopped) {
			feed->ingest.done.stopped = true;
			return gs_fail(GS_EINPUT, "a line is not a number as gsort prints it");
		}
		if (status != GS_OK && found->count[0] == 0)
			return status;
		input->used = status == GS_OK ? bytes : (size_t)(decoder->sections[0].bad[0].line - text);
		input->left -= input->used;
	}
	first = input->run;
	while (input->run < found->count[0] && found->classes[input->run] == found->classes[first])
		input->run++;
	since = gs_clock_now();
	bytes = trusts(feed) ? input->run - first
	        : gs_follow_keys(&input->follow, found->classes[first],
	                         (const uint64_t *)found->keys[0] + first, input->run - first);
	gs_clock_lap(&feed->monitor->clock, GS_STAGE_SORT, &since);
	return first + bytes == input->run ? GS_OK : fail_line(input, first + bytes);
}

/* Take keys of the current class, up to ROOM.  A key of an earlier class is an error even with --force,
 * because it would be lost. */
static gs_status
read_text(struct gs_merge_input *input, uint64_t *into, size_t room, size_t *count)
{
	while (*count < room && input->input != NULL) {
		size_t taken = gs_least(input->run - input->taken, room - *count);

		if (taken == 0) {
			TRY(next_run(input));
			if (input->run > 0)
				continue;
			input->feed->read.invalid_lines += input->decoder->invalid;
			gs_line_reject_end(&input->feed->ingest.text, input->decoder->invalid);
			end(input);
			return GS_OK;
		}
		if (input->found->classes[input->taken] < input->place)
			return fail_line(input, input->taken);
		if (input->found->classes[input->taken] > input->place)
			return GS_OK;
		memcpy(into + *count, (const uint64_t *)input->found->keys[0] + input->taken,
		       taken * sizeof *into);
		*count += taken;
		input->taken += taken;
	}
	return GS_OK;
}

static gs_status
check_text(struct gs_feed *feed, struct gs_follow *follow)
{
	struct gs_merge_input input = {
		.feed = feed, .follow = *follow, .advice = "", .input = feed->input,
	};
	gs_status status = GS_OK;

	TRY(gs_arena_open(&feed->arena, GS_TEXT_ORDERED_MOST_BYTES, false));
	input.memory = gs_arena_take(&feed->arena, GS_TEXT_ORDERED_MOST_BYTES);
	while (status == GS_OK && gs_input_next(feed->input)) {
		open_text(&input, GS_TEXT_ORDERED_MOST_BYTES);
		do {
			status = next_run(&input);
			input.taken = input.run;
			atomic_store(&feed->monitor->counters.keys_in, input.follow.elements);
		} while (status == GS_OK && input.run > 0);
	}
	if (input.decoder != NULL)
		feed->read.invalid_lines = input.decoder->invalid;
	if (status == GS_OK)
		gs_line_reject_end(&feed->ingest.text, feed->read.invalid_lines);
	*follow = input.follow;
	return status;
}

gs_status
gs_keys_check(struct gs_feed *feed, struct gs_follow *follow)
{
	return follow->key_bits > 0 ? gs_records_check(feed, follow) : check_text(feed, follow);
}

/* ---- lines ------------------------------------------------------------------------- */

static gs_status
open_lines(struct gs_merge_input *input)
{
	struct gs_merge_inputs *all = input->all;
	struct gs_feed *feed = all->feed;
	const struct gs_line_collector *first;
	struct gs_line_ingest *ingest;

	if (all->collectors == NULL)
		TRY(GS_NEW(all->collectors, all->count, "inputs"));
	first = all->collectors;
	input->lines = &all->collectors[input - all->inputs];
	ingest = &input->lines->ingest;
	while (first < input->lines && gs_line_ingest_wants_header(&first->ingest))
		first++;
	gs_line_collector_open(input->lines, first, &feed->lines.order, &feed->ingest.text,
	                       trusts(feed) || gs_merge_checks(all) ? NULL : &input->follow, feed->monitor,
	                       &all->spare);
	input->lines->inputs = all->count;
	ingest->faults.merges = true;
	input->lines->follow.order = feed->by;
	if (gs_merge_checks(all))
		ingest->faults.follow = &input->lines->follow;	/* only before one that is refused */
	ingest->limits.header_most = feed->lines.limits.header_most;
	ingest->limits.measures = feed->plan_input->input_bytes != UINT64_MAX;
	return GS_OK;
}

static gs_status
fill_lines(struct gs_merge_input *input, struct gs_item_slice *items)
{
	struct gs_line_collector *lines = input->lines;
	struct gs_line_ingest *ingest = &lines->ingest;
	uint64_t *all_invalid = &input->feed->lines.ingest.faults.invalid;
	uint64_t *invalid = &ingest->faults.invalid;
	const bool leaves_out = input->feed->options->invalid != GSORT_INVALID_ABORT;
	struct gs_chunk chunk = { .begins = input->bytes == 0 };
	const struct gs_bytes used = lines->lines[GS_MERGE_BATCHES - 1];

	memmove(lines->lines + 1, lines->lines, (GS_MERGE_BATCHES - 1) * sizeof used);
	*lines->lines = (struct gs_bytes){ used.data, 0, used.room };
	while (lines->lines->bytes == 0 && !chunk.ends) {
		const uint64_t shown = ingest->faults.shown;
		size_t begun = 0, room;
		gs_status status;

		chunk.data = input->memory;
		/* whole lines stay where they are read, behind the one that has begun, if it is short */
		if (ingest->file.line.bytes <= input->all->room / 64) {
			begun = ingest->file.line.bytes;
			TRY(ingest->taker.reserve(ingest->taker.context, begun + input->all->room, 1, &room));
			chunk.data = lines->lines->data;
			if (begun > 0)
				memcpy(chunk.data, ingest->file.line.data, begun);
			ingest->file.line.bytes = 0;
			ingest->file.place = GS_LINE_PLACE_BEGIN;
		}
		TRY(read_bytes(input, (char *)chunk.data + begun, input->all->room, &chunk.bytes));
		chunk.name = gs_input_name(input->input);
		chunk.ends = chunk.bytes < input->all->room;
		chunk.bytes += begun;
		if (leaves_out)		/* of all inputs, which are read in turn */
			*invalid = *all_invalid;
		status = gs_line_ingest_chunk(ingest, &chunk);
		if (status != GS_OK) {		/* its lines are not counted, as nobody gets them */
			lines->lines->bytes = 0;
			ingest->faults.shown = shown;
			return status;
		}
		if (leaves_out)
			*all_invalid = *invalid;
		chunk.begins = false;
	}
	*items = (struct gs_item_slice){ lines->lines->data, lines->lines->bytes };
	if (chunk.ends)
		end(input);
	if (!lines->borrows && input->all->header != ingest->header.data) {
		input->all->header = ingest->header.data;
		input->all->header_bytes = ingest->header.bytes;
	}
	return GS_OK;
}

/* ---- the inputs of a merge --------------------------------------------------------- */

static gs_status
begin(struct gs_merge_input *input)
{
	struct gs_merge_inputs *all = input->all;
	struct gs_feed *feed = all->feed;
	const uint64_t skip_bytes = feed->options->skip_bytes;
	const bool first = input == all->inputs;
	struct gs_input_options in = all->in;

	input->begun = true;
	in.names = &input->name;
	in.count = 1;
	TRY(gs_input_open(&input->input, &in));
	(void)gs_input_next(input->input);
	if (first)
		all->header_bytes = (size_t)skip_bytes;
	TRY(gs_input_skip(input->input, skip_bytes, first && skip_bytes > 0 ? all->header : NULL));
	if (feed->ingest.unit == 0 && feed->by != NULL)
		return open_lines(input);
	if (feed->ingest.unit == 0)
		open_text(input, all->room);
	return GS_OK;
}

gs_status
gs_merge_read(void *context, void *into, size_t room, size_t *count)
{
	struct gs_merge_input *input = context;
	struct gs_feed *feed = input->feed;
	struct gs_piece piece = { .keys = into, .key_bits = input->follow.key_bits };
	gs_status status;

	*count = 0;
	if (!input->begun)
		TRY(begin(input));
	if (piece.key_bits > 0) {
		status = read_raw(input, into, room, count);
	} else {
		piece.key_class = feed->options->reverse ? GS_TEXT_CLASSES - 1 - input->place
		                                         : input->place;
		piece.key_bits = 64;
		status = read_text(input, into, room, count);
	}
	piece.count = *count;
	feed->read.elements += *count;
	gs_verify_in(feed->verify, &piece);
	atomic_fetch_add(&feed->monitor->counters.keys_in, *count);
	return status;
}

gs_status
gs_merge_read_header(struct gs_merge_inputs *all)
{
	struct gs_merge_input *input = all->inputs;
	const struct gs_text_header *header = &all->feed->ingest.text_header;

	TRY(begin(input));
	if (input->decoder == NULL)
		return GS_OK;
	TRY(next_run(input));
	/* the first input with a line has the header; those before it have ended: others get their memory */
	while (all->feed->options->header_lines > 0 && header->known == 0 &&
	       input + 1 < all->inputs + all->count) {
		end(input++);
		TRY(begin(input));
		TRY(next_run(input));
	}
	all->header = header->text;
	all->header_bytes = header->known;
	return GS_OK;
}

gs_status
gs_merge_fill(void *context, struct gs_item_slice *items)
{
	struct gs_merge_input *input = context;
	const size_t part = input->all->room / GS_MERGE_BATCHES;

	items->bytes = 0;
	if (!input->begun)
		TRY(begin(input));
	if (input->input == NULL)
		return GS_OK;
	if (input->lines != NULL) {
		TRY(fill_lines(input, items));
	} else {
		/* each read but the last one fills a part, in turn */
		items->data = input->memory + input->bytes / part % GS_MERGE_BATCHES * part;
		TRY(read_bytes(input, (void *)(uintptr_t)items->data, part, &items->bytes));
		if (items->bytes % input->feed->ingest.unit != 0)
			return gs_partial(input->feed->options, input->name, input->feed->options->skip_bytes,
			                  input->bytes);
		if (items->bytes < part)
			end(input);
	}
	if (items->bytes > 0)
		gs_verify_in(input->feed->verify, &(const struct gs_piece){ .slices = items, .count = 1 });
	return GS_OK;
}

bool
gs_merge_checks(const struct gs_merge_inputs *all)
{
	return !trusts(all->feed) && (!all->feed->lines.order.strict ||
	                              all->feed->ingest.text.invalid == GSORT_INVALID_ABORT);
}

gs_status
gs_merge_fail(void *context, const char *item, size_t bytes)
{
	struct gs_merge_input *input = context;
	const struct gs_feed *feed = input->feed;
	const struct gs_line_faults *faults;
	const bool counted = feed->lines.order.strict || feed->lines.order.fields.csv;
	uint64_t number = input->lines != NULL && counted ? 1 : input->follow.elements + 1;

	if (input->lines == NULL)
		return gs_disorder_record(&feed->records.record, input->name, item, number,
		                          feed->options->skip_bytes, input->advice);
	faults = &input->lines->ingest.faults;
	/* it has counted the header; strict lines and CSV, too, up to the last one that was read */
	if (counted) {
		const char *end = input->lines->lines[0].data + input->lines->lines[0].bytes;

		number -= gs_line_shown(faults, item, end, gs_line_number_count(faults->order, item, end));
	}
	return gs_line_disorder(faults, faults->shown + number, item, bytes);
}

gs_status
gs_merge_inputs_open(struct gs_merge_inputs *all, struct gs_feed *feed, const struct gs_input_options *in,
                     size_t room, size_t most)
{
	const struct gsort_options *options = feed->options;
	const size_t bytes = gs_arena_round(most * room);
	bool standard = false;
	char *memory;

	*all = (struct gs_merge_inputs){ .feed = feed, .in = *in, .room = room };
	if (!in->later)			/* gsort_open() has looked at it */
		all->in.guarded = GS_UNGUARDED;
	all->in.later = false;
	TRY(GS_NEW(all->inputs, options->input_count, "inputs"));
	TRY(gs_arena_open(&all->arena, bytes + gs_arena_round(options->skip_bytes), false));
	memory = gs_arena_take(&all->arena, bytes);
	all->header = gs_arena_take(&all->arena, options->skip_bytes);
	for (size_t i = 0; i < options->input_count; i++) {	/* nothing is opened yet */
		const bool dash = strcmp(options->inputs[i], "-") == 0;

		if (dash && standard)	/* it is read once, even if it is named twice */
			continue;
		standard |= dash;
		all->inputs[all->count] = (struct gs_merge_input){
			.all = all, .feed = feed, .name = options->inputs[i],
			.memory = most == 0 ? NULL : memory + all->count % most * room,
			/* numbers of text must be in order even if no order is checked */
			.advice = !options->trust_order ? GS_ADVICE_UNSORTED : ": numbers of text must be "
			          "sorted to be merged; sort it, or use -n, which merges lines",
			.follow = {
				.order = feed->by, .key_bits = feed->plan_input->key_bits, .threads = 1,
			},
		};
		all->count++;
	}
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
