// SPDX-License-Identifier: BSD-2-Clause
/*
 * lines.c - lines of text to keys in the order of the lines
 *
 * In:   text.
 * Out:  (class, key) of each line, and where it is.
 *
 * Invariant: what is used up ends behind a terminator, unless it is the last line or
 * one so long that nothing of it is of use; then the rest of it is passed over.
 */
#include <assert.h>

#include "format/line.h"
#include "format/lines.h"

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
	lines->header_left = lines->options.header_lines;
	lines->in_long_line = false;
}

/* Where a number belongs, as decode_text.c puts it. */
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

/* Any line as a key; false: it is none.  Its end is behind its terminator. */
static bool
read_any(struct gs_lines *lines, const char *line, const char *end, uint8_t *class,
         uint64_t *key)
{
	const struct gs_text_options *options = &lines->options;
	enum gs_float found;
	uint64_t magnitude;
	bool negative;

	if (options->floats) {
		found = gs_line_float(options, line, end, key);
		if (found == GS_FLOAT_OVERFLOW)
			gs_line_beyond(options, lines->name, lines->line + 1, line, end,
			               &lines->beyond);
		*class = GS_FLOATS;
		return found != GS_FLOAT_NONE;
	}
	if (!gs_line_integer(line, end, options->terminator, &negative, &magnitude))
		return false;
	*class = classify(negative, magnitude, key);
	return true;
}

/* Pass over the header, or the rest of a line that was too long; *NEXT follows. */
static gs_status
pass_over(struct gs_lines *lines, const char *text, const char *end, bool last,
          const char **next)
{
	const uint64_t before = lines->header_left;

	if (lines->in_long_line) {
		const char *stop = memchr(text, lines->options.terminator, (size_t)(end - text));

		lines->in_long_line = stop == NULL;
		text = stop != NULL ? stop + 1 : end;
	}
	TRY(gs_line_header(&lines->options, lines->name, text, end, last, &lines->header_left,
	                   lines->header, next));
	lines->line += before - lines->header_left;
	return GS_OK;
}

/* What became of a line. */
enum outcome { IS_KEY, IS_BAD, IS_CUT };

/*
 * A line that gs_line_usual() does not read, number lines->line + 1.
 *
 * @next  set to what follows, unless it does not end here
 * @stop  set to its end
 */
static enum outcome
read_unusual(struct gs_lines *lines, const char *line, const char *end, bool last,
             uint8_t *class, uint64_t *key, const char **next, const char **stop)
{
	*stop = memchr(line, lines->options.terminator, (size_t)(end - line));
	if (*stop != NULL) {
		*next = *stop + 1;
	} else {
		if (!last && end - line <= GS_LINE_BYTES)
			return IS_CUT;
		*stop = *next = end;
	}
	return read_any(lines, line, *stop, class, key) ? IS_KEY : IS_BAD;
}

gs_status
gs_lines_decode(struct gs_lines *lines, const char *text, size_t bytes, bool last,
                uint64_t *keys, uint8_t *classes, uint32_t *at, uint64_t *number,
                size_t room, size_t *count, size_t *used)
{
	const bool reverse = lines->options.reverse;
	const char terminator = lines->options.terminator, *const end = text + bytes;
	const char *const looks = !lines->options.floats && bytes > GS_LINE_LOOK_BYTES ?
	                          end - GS_LINE_LOOK_BYTES : text;
	const char *line, *next, *stop;
	gs_status status = GS_OK;
	size_t k = 0;

	assert(bytes <= UINT32_MAX || at == NULL);
	*count = *used = 0;
	TRY(pass_over(lines, text, end, last, &line));
	for (; k < room && line < end; line = next) {
		enum outcome outcome = IS_KEY;
		uint64_t magnitude, key;
		uint8_t class;
		bool negative;

		next = line < looks ? gs_line_usual(line, terminator, &negative, &magnitude) : NULL;
		if (next != NULL && gs_line_fits(negative, magnitude))
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

void
gs_lines_end(const struct gs_lines *lines)
{
	gs_line_reject_end(&lines->options, lines->invalid);
}
