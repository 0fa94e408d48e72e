// SPDX-License-Identifier: BSD-2-Clause
/*
 * text_section.c - the lines of a chunk that one thread parses
 *
 * In:   whole lines.
 * Out:  keys by class, and the lines that are to be reported.
 *
 * Invariant: while a section is read its line numbers are relative: the lines of the sections
 * before it are counted when all threads are done.
 */
#include <assert.h>
#include <string.h>

#include "text/text_decoder.h"

bool
gs_text_section_read_line(struct gs_text_section *section, const struct gs_text_rules *rules,
                          uint64_t at, const char *line, const char *end)
{
	const struct gs_text_options *options = &rules->options;
	struct gs_text_keys *keys = &section->keys;
	enum gs_float found;
	uint64_t key;
	bool negative;

	if (options->exact && !gs_line_is_exact(options, line, end))
		return false;
	if (options->floats) {
		found = gs_line_float(options, line, end, &key);
		if (found == GS_FLOAT_OVERFLOW && section->overflow.line == NULL)
			section->overflow = (struct gs_text_line){ line, end, at };
		if (found != GS_FLOAT_NONE)
			gs_text_put_first(keys, rules->flip, GS_FLOATS, key);
		return found != GS_FLOAT_NONE;
	}
	return gs_line_whole(options, line, end, &negative, &key) &&
	       gs_text_put(keys, rules->flip, negative, key);
}

/* Parse one line, inline if it is usual, and note it if it is bad; returns the next one, or the end of the
 * section where a bad line ends that. */
static const char *
read_next(struct gs_text_section *section, const struct gs_text_rules *rules, const char *line)
{
	const char terminator = rules->options.terminator, *next, *end;
	uint64_t magnitude;
	bool negative;

	next = line < rules->looks_end ? gs_line_usual(line, terminator, &negative, &magnitude)
	                               : NULL;
	if (next != NULL && (!rules->options.exact || gs_line_is_exact(&rules->options, line, next - 1)) &&
	    gs_text_put(&section->keys, rules->flip, negative, magnitude)) {
		section->lines++;
		return next;
	}
	end = memchr(line, terminator, (size_t)(section->end - line));
	assert(end != NULL);
	if (!gs_text_section_read_line(section, rules, section->lines, line, end)) {
		const bool aborts = gs_line_aborts(&rules->options, line, end);
		const uint64_t slot = aborts ? 0 : section->bad_lines;

		if (slot < GS_LINE_WARNINGS)
			section->bad[slot] = (struct gs_text_line){ line, end, section->lines };
		section->bad_lines++;
		if (aborts)
			return section->end;
	}
	section->lines++;
	return end + 1;
}

/*
 * Parse lines from LINE on, many at once.  Returns the first that was not parsed, or the end of
 * the section.  The last few lines of a block come again with the next block.
 */
static const char *
read_block(struct gs_text_section *section, const struct gs_text_rules *rules, const char *line)
{
	const struct gs_parser *parser = gs_parser_of(rules->simd);
	const size_t left = (size_t)(section->end - line);
	uint32_t found[1 + GS_PARSE_BLOCK_BYTES + 64], *ends = found + 1;
	unsigned count, i = 0;

	found[0] = UINT32_MAX;		/* the first line begins at 0 */
	count = parser->find(line, left < GS_PARSE_BLOCK_BYTES ? left : GS_PARSE_BLOCK_BYTES, true,
	                     rules->options.terminator, ends);
	while (count - i >= GS_PARSE_LINES) {
		const unsigned usual = parser->read(&section->keys, rules->flip, line, ends + i,
		                                    count - i, rules->options.exact);

		section->lines += usual;
		i += usual;
		for (unsigned n = 0; n < GS_PARSE_LINES && i < count; n++, i++)
			if (read_next(section, rules, line + (uint32_t)(found[i] + 1)) ==
			    section->end)
				return section->end;
	}
	return i > 0 ? line + found[i] + 1 : read_next(section, rules, line);
}

void
gs_text_section_read(struct gs_text_section *section, const struct gs_text_rules *rules)
{
	const bool many = gs_text_is_decimal(&rules->options) && gs_parser_of(rules->simd) != NULL;
	const char *line = section->begin;

	while (line < section->end)
		line = many && line >= rules->looks_begin ? read_block(section, rules, line)
		                                          : read_next(section, rules, line);
}
