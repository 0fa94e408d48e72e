// SPDX-License-Identifier: BSD-2-Clause
/*
 * lines.c - lines of text to keys, in the order of the lines
 *
 * In:   text.
 * Out:  (class, key) of each line, and where the line is.
 *
 * Invariant: the text that is used ends after a terminator, except at the last line, or within a
 * line that is too long; then the rest of that line is skipped.
 */
#include <assert.h>
#include <string.h>

#include "text/line.h"
#include "text/lines.h"

void
gs_lines_open(struct gs_lines *lines, const struct gs_text_options *options)
{
	*lines = (struct gs_lines){ .options = *options };
	lines->name = "-";
}

void
gs_lines_begin_file(struct gs_lines *lines, const char *name)
{
	lines->name = name;
	lines->line = 0;
	lines->header_left = gs_line_header_lines(&lines->options, lines->name);
	lines->in_long_line = false;
}

/* The class and key of a number; gs_text_put() makes the same ones. */
static inline uint8_t
classify(bool negative, uint64_t magnitude, uint64_t *key)
{
	const uint64_t minus = negative, value = (magnitude ^ -minus) + minus;

	if (magnitude <= (UINT64_C(1) << (16 - minus)) - !minus) {
		*key = value - (uint64_t)(int64_t)GS_SMALL_LOW;
		return GS_SMALL;
	}
	if (magnitude <= (UINT64_C(1) << (32 - minus)) - !minus) {
		*key = (uint32_t)(value + (minus << 31));
		return negative ? GS_NEG_NARROW : GS_POS_NARROW;
	}
	*key = value + (minus << 63);
	return negative ? GS_NEG_WIDE : GS_POS_WIDE;
}

/* What a line is; IS_CUT: its end is not in the text. */
enum outcome { IS_KEY, IS_BAD, IS_CUT };

/*
 * Read an unusual line, number lines->line + 1.
 *
 * @next  set to what follows, unless the line is cut
 * @stop  set to its end
 */
static enum outcome
read_unusual(struct gs_lines *lines, const char *line, const char *end, bool last,
             uint8_t *class, uint64_t *key, const char **next, const char **stop)
{
	const struct gs_text_options *options = &lines->options;
	enum gs_float found;
	uint64_t magnitude;
	bool negative;

	*stop = memchr(line, options->terminator, (size_t)(end - line));
	if (*stop != NULL) {
		*next = *stop + 1;
	} else {
		if (!last && end - line <= GS_LINE_BYTES)
			return IS_CUT;
		*stop = *next = end;
	}
	if (options->floats) {
		found = gs_line_float(options, line, *stop, key);
		if (found == GS_FLOAT_OVERFLOW)
			gs_line_overflow(options, lines->name, lines->line + 1, line, *stop,
			                 &lines->overflow_warned);
		*class = GS_FLOATS;
		return found != GS_FLOAT_NONE ? IS_KEY : IS_BAD;
	}
	if (!gs_line_whole(options, line, *stop, &negative, &magnitude))
		return IS_BAD;
	*class = classify(negative, magnitude, key);
	return IS_KEY;
}

gs_status
gs_lines_decode(struct gs_lines *lines, const char *text, size_t bytes, bool last,
                uint64_t *keys, uint8_t *classes, uint32_t *at, uint64_t *number,
                size_t room, size_t *count, size_t *used)
{
	const bool reverse = lines->options.reverse;
	const char terminator = lines->options.terminator, *const end = text + bytes;
	const char *const looks = gs_text_is_decimal(&lines->options) && bytes > GS_LINE_LOOK_BYTES ?
	                          end - GS_LINE_LOOK_BYTES : text;
	const uint64_t header_left = lines->header_left;
	const char *line = text, *next, *stop;
	gs_status status = GS_OK;
	size_t k = 0;

	assert(bytes <= UINT32_MAX || at == NULL);
	*count = *used = 0;
	if (lines->in_long_line) {	/* its rest is skipped */
		stop = memchr(text, terminator, bytes);
		lines->in_long_line = stop == NULL;
		line = stop != NULL ? stop + 1 : end;
	}
	TRY(gs_line_header(&lines->options, lines->name, line, end, last, &lines->header_left, &line));
	lines->line += header_left - lines->header_left;
	for (; k < room && line < end; line = next) {
		enum outcome outcome = IS_KEY;
		uint64_t magnitude, key;
		uint8_t class;
		bool negative;

		next = line < looks ? gs_line_usual(line, terminator, &negative, &magnitude) : NULL;
		if (next != NULL && gs_text_fits(negative, magnitude))
			class = classify(negative, magnitude, &key);
		else
			outcome = read_unusual(lines, line, end, last, &class, &key, &next, &stop);
		if (outcome == IS_CUT)
			break;
		if (outcome == IS_BAD) {
			status = gs_line_reject(&lines->options, lines->name, lines->line + 1,
			                        line, stop, &lines->invalid);
			if (status != GS_OK)
				break;
			lines->in_long_line = stop == end && !last;
			lines->line++;
			continue;
		}
		lines->line++;
		keys[k] = !reverse ? key : gs_text_bits(class) == 64 ? ~key : (uint32_t)~key;
		classes[k] = reverse ? GS_TEXT_CLASSES - 1 - class : class;
		if (at != NULL)
			at[k] = (uint32_t)(line - text);
		if (number != NULL)
			number[k] = lines->line;
		k++;
	}
	*count = k;
	*used = (size_t)(line - text);
	return status;
}

/* --- the lines of one input, a batch at a time ----------------------------------- */

/*
 * There is one buffer.  When no whole line is left, the rest moves to its beginning, and more is
 * read after it.
 *
 * Invariant: BEGIN <= END <= ROOM; bytes before BEGIN have been decoded.
 */

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

/* Read more text after the rest of the last one. */
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
