// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_reader.c - the text of one input as keys, in the order of its lines
 *
 * In:   bytes of an input.
 * Out:  batches of keys, and where each came from.
 *
 * There is one buffer.  When no whole line is left, the rest moves to its beginning, and more is
 * read after it.
 *
 * Invariant: BEGIN <= END <= ROOM; bytes before BEGIN have been decoded.
 */
#include <assert.h>
#include <string.h>

#include "format/line.h"
#include "format/lines.h"

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

/* Read more text after what is left. */
static gs_status
read_more(struct gs_line_reader *reader)
{
	const size_t left = reader->end - reader->begin;
	uint64_t since = gs_clock_now();
	size_t got;

	memmove(reader->text, reader->text + reader->begin, left);
	reader->begin = 0;
	reader->end = left;
	assert(left <= GS_LINE_BYTES);	/* of a longer line nothing is left */
	TRY(reader->source.read(reader->source.context, reader->text + left,
	                        reader->room - left, &got));
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
		status = gs_lines_decode(&reader->lines, reader->batch_text,
		                         reader->end - reader->begin, reader->ended, reader->keys,
		                         reader->classes, reader->at, reader->numbers,
		                         GS_LINE_READER_KEYS, &reader->count, &used);
		gs_clock_lap(reader->clock, GS_STAGE_DECODE, &since);
		reader->begin += used;
		assert(reader->begin <= reader->end);
		if (reader->count == 0)
			TRY(status);	/* else return the keys first; the next call fails */
		if (reader->count > 0 || (reader->ended && reader->begin == reader->end))
			return GS_OK;
		if (!reader->ended)
			TRY(read_more(reader));
	}
}
