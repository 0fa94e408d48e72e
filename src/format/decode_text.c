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
#include "format/text_decoder.h"

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

/*
 * Put a number where it belongs; false: no class has it.  Written so that only
 * the width is a branch: widths repeat from line to line, signs may not.
 */
static inline bool
put(struct gs_text_section *section, uint64_t flip, bool negative, uint64_t magnitude)
{
	static const uint64_t narrow_low[2]  = { 1 << 16, (1 << 15) + 1 };
	static const uint64_t narrow_last[2] = { UINT32_MAX, UINT64_C(1) << 31 };
	const uint64_t minus = negative;
	const uint64_t value = (magnitude ^ -minus) + minus;	/* two's complement */
	unsigned class;

	if (magnitude - narrow_low[minus] <= narrow_last[minus] - narrow_low[minus]) {
		class = negative ? GS_NEG_NARROW : GS_POS_NARROW;
		((uint32_t *)section->keys[class])[section->count[class]++] =
			(uint32_t)((value + (minus << 31)) ^ flip);
		return true;
	}
	if (magnitude < narrow_low[minus]) {
		const uint64_t at = value - (uint64_t)(int64_t)GS_SMALL_LOW;

		section->small[at]++;
		section->small_parts[at / GS_SMALL_PART] = true;
		return true;
	}
	if (!gs_line_fits(negative, magnitude))
		return false;
	class = negative ? GS_NEG_WIDE : GS_POS_WIDE;
	((uint64_t *)section->keys[class])[section->count[class]++] =
		(value + (minus << 63)) ^ flip;
	return true;
}

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
		if (found == GS_FLOAT_BEYOND && section->beyond.line == NULL)
			section->beyond = place;
		if (found != GS_FLOAT_NONE)
			((uint64_t *)section->keys[GS_FLOATS])[section->count[GS_FLOATS]++] =
				key ^ decoder->flip;
		return found != GS_FLOAT_NONE;
	}
	return gs_line_integer(line, end, options->terminator, &negative, &key) &&
	       put(section, decoder->flip, negative, key);
}

/* Lines of one section; integers up to LOOKS the fast way. */
static void
read_section(const struct gs_text_decoder *decoder, struct gs_text_section *section,
             const char *looks)
{
	const char terminator = decoder->options.terminator;
	const uint64_t flip = decoder->flip;
	const char *line = section->begin, *next;
	uint64_t lines = 0, magnitude;
	bool negative;

	for (; line < section->end; line = next, lines++) {
		const char *end;

		next = line < looks ? gs_line_usual(line, terminator, &negative, &magnitude) : NULL;
		if (next != NULL && put(section, flip, negative, magnitude))
			continue;
		end = memchr(line, terminator, (size_t)(section->end - line));
		assert(end != NULL);
		next = end + 1;
		if (read_any(decoder, section, lines, line, end))
			continue;
		if (section->bad_lines < GS_LINE_WARNINGS)
			section->bad[section->bad_lines] =
				(struct gs_text_place){ line, end, lines };
		section->bad_lines++;
		if (decoder->options.invalid == GSORT_INVALID_ABORT)
			break;
	}
	section->lines = lines;
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

/* Sections, and the beginning of the text's last bytes. */
struct reading {
	struct gs_text_decoder *decoder;
	const char             *looks;
};

static void
read_one(void *context, size_t s)
{
	const struct reading *reading = context;

	read_section(reading->decoder, &reading->decoder->sections[s], reading->looks);
}

static gs_status
read_sections(struct gs_text_decoder *decoder, const char *text, const char *end,
              const char *looks)
{
	const unsigned count = cut(decoder, text, end);

	gs_team_each(count, count, read_one, &(struct reading){ decoder, looks });
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
	const char *looks = !decoder->options.floats && bytes > GS_LINE_LOOK_BYTES ?
	                    end - GS_LINE_LOOK_BYTES : text;

	assert(bytes <= decoder->chunk_bytes);
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
		TRY(read_sections(decoder, text, whole, looks));
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
