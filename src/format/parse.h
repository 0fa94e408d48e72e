// SPDX-License-Identifier: BSD-2-Clause
/*
 * parse.h - usual lines of integers, many at once, with vectors
 *
 * First the ends of many lines are found, 64 bytes at a time; then the lines before these
 * ends are read side by side.  Neither depends on the length of a line read before, which
 * is what a line after a line waits for.
 */
#ifndef GS_PARSE_H
#define GS_PARSE_H

#include "base/simd.h"
#include "format/text_decoder.h"

enum {
	GS_PARSE_LINES = 8,		/* that are read at once */
	GS_PARSE_BLOCK_BYTES = 4096,	/* whose ends are found at once; not tuned */
	GS_PARSE_LOOK_BYTES = 32,	/* before a line's end that are looked at */
	GS_PARSE_SPILL_KEYS = 8,	/* behind a class's last key may be overwritten */
};

struct gs_parser {
	/**
	 * Where in TEXT, GS_PARSE_BLOCK_BYTES or less, TERMINATOR is.
	 *
	 * @ends    room for 64 more than there are bytes
	 * @return  how many were found
	 */
	unsigned (*find)(const char *text, size_t bytes, char terminator, uint32_t *ends);

	/**
	 * Read COUNT lines, or as many as are usual, but for the last few, and put their
	 * numbers into SECTION, complemented if FLIP is all ones.
	 *
	 * @ends    where in TEXT they end; ends[-1] + 1 is where the first begins
	 * @return  how many were read: of the next GS_PARSE_LINES, if there are so many, one
	 *          is not usual
	 */
	unsigned (*read)(struct gs_text_section *section, uint64_t flip, const char *text,
	                 const uint32_t *ends, unsigned count);
};

/** How to do that with SIMD; NULL: line by line is best. */
const struct gs_parser *gs_parser_of(enum gs_simd simd);

#endif
