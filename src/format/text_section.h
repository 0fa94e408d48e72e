// SPDX-License-Identifier: BSD-2-Clause
/*
 * text_section.h - the lines of a chunk that one thread parses
 *
 * For text_decoder.c.  Many lines are parsed at once with vectors (parse.h); unusual ones, and
 * those near the ends of the chunk, one by one (line.h).
 */
#ifndef GS_TEXT_SECTION_H
#define GS_TEXT_SECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/simd.h"
#include "format/line.h"
#include "format/text_keys.h"

/* A line that is to be reported. */
struct gs_text_line {
	const char *line, *end;
	uint64_t    at;		/* among the lines of its section */
};

struct gs_text_section {
	const char *begin, *end;	/* whole lines */
	uint64_t    lines;		/* of all kinds */
	uint64_t    bad_lines;	/* that end the job, are reported or counted */
	struct gs_text_line bad[GS_LINE_WARNINGS];	/* the first of them */
	struct gs_text_line overflow;	/* the first float that became infinite, or NULL */
	struct gs_text_keys keys;
	char        apart[64];		/* keeps threads off each other's cache lines */
};

/* What all sections of a chunk have in common. */
struct gs_text_rules {
	struct gs_text_options options;
	enum gs_simd simd;
	uint64_t    flip;	/* all ones: keys are complemented */
	/* The chunk's bytes may be loaded GS_PARSE_LOOK_BYTES before a line from LOOKS_BEGIN on,
	 * and GS_LINE_LOOK_BYTES after one before LOOKS_END. */
	const char *looks_begin, *looks_end;
};

/** Parse all lines of SECTION, or those up to the first bad one if that ends the job. */
void gs_text_section_read(struct gs_text_section *section, const struct gs_text_rules *rules);

/** Parse LINE .. END, without its terminator, which need not be in the section; AT is its place
 *  there.  False: it is bad. */
bool gs_text_section_read_line(struct gs_text_section *section, const struct gs_text_rules *rules,
                               uint64_t at, const char *line, const char *end);

/** Forget the bad lines and the keys, but not the counters of small values. */
void gs_text_section_clear(struct gs_text_section *section);

#endif
