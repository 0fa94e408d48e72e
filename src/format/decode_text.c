// SPDX-License-Identifier: BSD-2-Clause
/*
 * decode_text.c - lines of numbers become keys
 *
 * In:   chunks of text.
 * Out:  keys by class (text.h), in no order; small values counted.
 *
 * A chunk is cut into sections, one per thread, at line boundaries: a section
 * owns the lines that begin in its share of the bytes.  Each writes to arrays of
 * its own, long enough for a share full of the shortest lines of that class; the
 * pages that are never needed are never touched.  What a line says: line.h.
 *
 * Invariant: sections are in the order of the file and end behind a terminator, so
 * when all lines of the sections before are counted, a bad line's number is known,
 * and the first one is that of the first section that has one, however many threads.
 */
#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "base/team.h"
#include "format/parse.h"

void
gs_text_begin_file(struct gs_text_decoder *decoder, const char *name)
{
	assert(decoder->carry_bytes == 0);
	decoder->name = name;
	decoder->file_lines = 0;
	decoder->header_left = decoder->options.header_lines;
	decoder->in_long_line = false;
	decoder->files++;
}

/* ---- one line ---------------------------------------------------------- */

/* Any line, LINES of its section being before it; false: it is bad. */
static bool
read_any(const struct gs_text_decoder *decoder, struct gs_text_section *section, uint64_t lines,
         const char *line, const char *end)
{
	const struct gs_text_options *options = &decoder->options;
	const struct gs_text_place place = { line, end, lines };
	enum gs_float found;
	uint64_t key;
	bool negative;

	if (options->floats) {
		found = gs_line_float(options, line, end, &key);
		if (found == GS_FLOAT_OVERFLOW && section->beyond.line == NULL)
			section->beyond = place;
		if (found != GS_FLOAT_NONE)
			((uint64_t *)section->keys[GS_FLOATS])[section->count[GS_FLOATS]++] =
				key ^ decoder->flip;
		return found != GS_FLOAT_NONE;
	}
	return gs_line_integer(line, end, options->terminator, &negative, &key) &&
	       gs_text_put(section, decoder->flip, negative, key);
}

/* The line LINE .. END, bad or not; false: that was all. */
static bool
read_line(const struct gs_text_decoder *decoder, struct gs_text_section *section,
          const char *line, const char *end)
{
	if (!read_any(decoder, section, section->lines, line, end)) {
		if (section->bad_lines < GS_LINE_WARNINGS)
			section->bad[section->bad_lines] =
				(struct gs_text_place){ line, end, section->lines };
		section->bad_lines++;
		if (decoder->options.invalid == GSORT_INVALID_ABORT)
			return false;
	}
	section->lines++;
	return true;
}

/* The line at LINE, the fast way if it can be; returns the next, or the end of all. */
static const char *
read_next(const struct gs_text_decoder *decoder, struct gs_text_section *section,
          const char *line)
{
	const char terminator = decoder->options.terminator, *next, *end;
	uint64_t magnitude;
	bool negative;

	next = line < decoder->looks_end ? gs_line_usual(line, terminator, &negative, &magnitude)
	                                 : NULL;
	if (next != NULL && gs_text_put(section, decoder->flip, negative, magnitude)) {
		section->lines++;
		return next;
	}
	end = memchr(line, terminator, (size_t)(section->end - line));
	assert(end != NULL);
	return read_line(decoder, section, line, end) ? end + 1 : section->end;
}

/*
 * Lines from LINE on, many at once; returns the first that was not read, or the end.  If
 * few are left before the end of a block, they come again with the next.
 */
static const char *
read_block(const struct gs_text_decoder *decoder, struct gs_text_section *section,
           const char *line)
{
	const struct gs_parser *parser = gs_parser_of(decoder->simd);
	const size_t left = (size_t)(section->end - line);
	uint32_t found[1 + GS_PARSE_BLOCK_BYTES + 64], *ends = found + 1;
	unsigned count, i = 0;

	found[0] = UINT32_MAX;		/* the first line begins at 0 */
	count = parser->find(line, left < GS_PARSE_BLOCK_BYTES ? left : GS_PARSE_BLOCK_BYTES,
	                     decoder->options.terminator, ends);
	while (count - i >= GS_PARSE_LINES) {
		const unsigned usual = parser->read(section, decoder->flip, line, ends + i, count - i);

		section->lines += usual;
		i += usual;
		for (unsigned n = 0; n < GS_PARSE_LINES && i < count; n++, i++)
			if (read_next(decoder, section, line + (uint32_t)(found[i] + 1)) ==
			    section->end)
				return section->end;
	}
	return i > 0 ? line + found[i] + 1 : read_next(decoder, section, line);
}

/* All lines of one section. */
static void
read_section(const struct gs_text_decoder *decoder, struct gs_text_section *section)
{
	const bool many = !decoder->options.floats && gs_parser_of(decoder->simd) != NULL;
	const char *line = section->begin;

	section->lines = 0;
	while (line < section->end)
		line = many && line >= decoder->looks_begin ? read_block(decoder, section, line)
		                                            : read_next(decoder, section, line);
}

/* What was noted of SECTION is told; all lines before it are in file_lines. */
static gs_status
tell_section(struct gs_text_decoder *decoder, const struct gs_text_section *section)
{
	const struct gs_text_options *options = &decoder->options;
	const struct gs_text_place *beyond = &section->beyond;
	const uint64_t before = decoder->file_lines + 1;
	uint64_t b = 0;

	if (beyond->line != NULL)
		gs_line_beyond(options, decoder->name, before + beyond->at, beyond->line,
		               beyond->end, &decoder->beyond);
	for (; b < section->bad_lines && b < GS_LINE_WARNINGS; b++)
		TRY(gs_line_reject(options, decoder->name, before + section->bad[b].at,
		                   section->bad[b].line, section->bad[b].end,
		                   &decoder->invalid));
	decoder->invalid += section->bad_lines - b;
	return GS_OK;
}

/* ---- a chunk ----------------------------------------------------------- */

/* One line that is not in any section: carried over, or the last. */
static gs_status
read_single(struct gs_text_decoder *decoder, const char *line, const char *end)
{
	const uint64_t number = decoder->file_lines + 1;
	struct gs_text_section *section = &decoder->sections[0];
	bool good;

	section->beyond.line = NULL;
	good = read_any(decoder, section, 0, line, end);
	if (section->beyond.line != NULL)
		gs_line_beyond(&decoder->options, decoder->name, number, line, end,
		               &decoder->beyond);
	section->beyond.line = NULL;
	if (!good)
		TRY(gs_line_reject(&decoder->options, decoder->name, number, line, end,
		                   &decoder->invalid));
	decoder->file_lines++;
	decoder->lines += good;
	return GS_OK;
}

/* Pass over what is left of the header. */
static gs_status
pass_header(struct gs_text_decoder *decoder, const char **text, const char *end, bool last)
{
	struct gs_text_header *header = decoder->files == 1 ? &decoder->header : NULL;
	const uint64_t before = decoder->header_left;

	TRY(gs_line_header(&decoder->options, decoder->name, *text, end, last,
	                   &decoder->header_left, header, text));
	decoder->file_lines += before - decoder->header_left;
	return GS_OK;
}

/* Complete the line that the last chunk began, if it is complete now. */
static gs_status
join_carry(struct gs_text_decoder *decoder, const char **text, const char *end, bool last)
{
	size_t room = sizeof decoder->carry - decoder->carry_bytes;
	size_t bytes = (size_t)(end - *text);
	const char *stop = memchr(*text, decoder->options.terminator, bytes < room ? bytes : room);
	char *carry = decoder->carry;

	if (stop != NULL)
		bytes = (size_t)(stop - *text);
	if (bytes > room)
		bytes = room;		/* so it is too long, and seen to be */
	memcpy(carry + decoder->carry_bytes, *text, bytes);
	decoder->carry_bytes += bytes;
	*text += bytes + (stop != NULL);
	if (stop == NULL && !last && decoder->carry_bytes <= GS_LINE_BYTES)
		return GS_OK;
	decoder->in_long_line = stop == NULL;
	bytes = decoder->carry_bytes;
	decoder->carry_bytes = 0;
	return read_single(decoder, carry, carry + bytes);
}

/* Pass over the rest of a line whose beginning was left out. */
static const char *
pass_long_line(struct gs_text_decoder *decoder, const char *text, const char *end)
{
	const char *stop = memchr(text, decoder->options.terminator, (size_t)(end - text));

	decoder->in_long_line = stop == NULL;
	return stop != NULL ? stop + 1 : end;
}

/* Cut TEXT .. END, whole lines, into sections; returns how many. */
static unsigned
cut(struct gs_text_decoder *decoder, const char *text, const char *end)
{
	size_t share = gs_text_share_bytes((size_t)(end - text), decoder->threads);
	const char *begin = text;
	unsigned count = 0;

	for (; begin < end; count++) {
		struct gs_text_section *section = &decoder->sections[count];
		const char *bound = text + (count + 1) * share;

		assert(count < decoder->threads);
		section->begin = begin;
		if (bound >= end) {
			begin = end;
		} else if (bound > begin) {	/* else a long line covers all of it */
			begin = memchr(bound - 1, decoder->options.terminator,
			               (size_t)(end - bound + 1));
			assert(begin != NULL);
			begin++;
		}
		section->end = begin;
	}
	return count;
}

static void
read_one(void *context, size_t s)
{
	struct gs_text_decoder *decoder = context;

	read_section(decoder, &decoder->sections[s]);
}

static gs_status
read_sections(struct gs_text_decoder *decoder, const char *text, const char *end)
{
	const unsigned count = cut(decoder, text, end);

	gs_team_each(count, count, read_one, decoder);
	for (unsigned s = 0; s < count; s++) {
		const struct gs_text_section *section = &decoder->sections[s];

		TRY(tell_section(decoder, section));
		decoder->file_lines += section->lines;
		decoder->lines += section->lines - section->bad_lines;
	}
	return GS_OK;
}

gs_status
gs_text_decode(struct gs_text_decoder *decoder, const char *text, size_t bytes, bool last)
{
	const char *end = text + bytes, *whole;

	assert(bytes <= decoder->chunk_bytes);
	decoder->looks_begin = bytes > GS_PARSE_LOOK_BYTES ? text + GS_PARSE_LOOK_BYTES : end;
	decoder->looks_end = !decoder->options.floats && bytes > GS_LINE_LOOK_BYTES ?
	                     end - GS_LINE_LOOK_BYTES : text;
	for (unsigned s = 0; s < decoder->threads; s++) {
		struct gs_text_section *section = &decoder->sections[s];

		section->bad_lines = 0;
		section->beyond.line = NULL;
		memset(section->count, 0, sizeof section->count);
		memset(section->fetched, 0, sizeof section->fetched);
	}
	if (decoder->header_left > 0)
		TRY(pass_header(decoder, &text, end, last));
	if (decoder->carry_bytes > 0)
		TRY(join_carry(decoder, &text, end, last));
	if (decoder->in_long_line)
		text = pass_long_line(decoder, text, end);
	whole = memrchr(text, decoder->options.terminator, (size_t)(end - text));
	whole = whole != NULL ? whole + 1 : text;
	if (whole > text)
		TRY(read_sections(decoder, text, whole));
	bytes = (size_t)(end - whole);
	if (bytes == 0)
		return GS_OK;
	if (last || bytes > GS_LINE_BYTES) {
		decoder->in_long_line = true;	/* of which there may be more */
		return read_single(decoder, whole, end);
	}
	memcpy(decoder->carry, whole, bytes);
	decoder->carry_bytes = bytes;
	return GS_OK;
}
