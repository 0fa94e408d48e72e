// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_reader.c - text of one input as keys in the order of its lines
 *
 * In:   bytes of an input.
 * Out:  batches of keys, and where each came from.
 *
 * One buffer: what is left of it when no whole line is moves to its beginning, and
 * is followed by what is read next.
 *
 * Invariant: BEGIN <= END <= ROOM, and what is before BEGIN is done with.
 */
#include <assert.h>
#include <string.h>

#include "format/line.h"
#include "format/line_reader.h"

struct gs_line_reader *
gs_line_reader_open(void *memory, size_t memory_bytes, const struct gs_line_source *source,
                    const struct gs_text_options *options)
{
	struct gs_line_reader *reader = memory;

	assert(memory_bytes >= GS_LINE_READER_LEAST_BYTES);
	reader->source = *source;
	reader->clock = NULL;
	reader->count = reader->begin = reader->end = 0;
	reader->bytes = 0;
	reader->ended = false;
	reader->room = memory_bytes - sizeof *reader;
	gs_lines_open(&reader->lines, options);
	gs_lines_begin_file(&reader->lines, source->name);
	return reader;
}

/* More text behind what is left of it. */
static gs_status
read_more(struct gs_line_reader *reader)
{
	const size_t left = reader->end - reader->begin;
	uint64_t since = gs_clock_now();
	size_t got;

	memmove(reader->text, reader->text + reader->begin, left);
	reader->begin = 0;
	reader->end = left;
	assert(left <= GS_LINE_BYTES);	/* the rest of one that is longer is passed over */
	TRY(reader->source.read(reader->source.context, reader->text + left, reader->room - left, &got));
	gs_clock_lap(reader->clock, GS_STAGE_READ, &since);
	reader->end += got;
	reader->bytes += got;
	reader->ended = reader->end < reader->room;
	return GS_OK;
}

gs_status
gs_line_reader_next(struct gs_line_reader *reader)
{
	for (;;) {
		uint64_t since = gs_clock_now();
		gs_status status;
		size_t used;

		reader->batch_text = reader->text + reader->begin;
		status = gs_lines_decode(&reader->lines, reader->batch_text, reader->end - reader->begin,
		                         reader->ended, reader->keys, reader->classes, reader->at,
		                         reader->numbers, GS_LINE_READER_KEYS, &reader->count, &used);
		gs_clock_lap(reader->clock, GS_STAGE_DECODE, &since);
		reader->begin += used;
		assert(reader->begin <= reader->end);
		if (reader->count == 0)
			TRY(status);	/* else keys come first, and the bad line once more */
		if (reader->count > 0 || (reader->ended && reader->begin == reader->end))
			return GS_OK;
		if (!reader->ended)
			TRY(read_more(reader));
	}
}
