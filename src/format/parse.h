// SPDX-License-Identifier: BSD-2-Clause
/*
 * parse.h - usual lines of integers, many at once, with vectors
 *
 * First the ends of many lines are found, 64 bytes at a time; then the lines before these ends
 * are read side by side.  So no step waits for the length of the line before, as it does where
 * lines are read one by one.
 */
#ifndef GS_PARSE_H
#define GS_PARSE_H

#include "base/simd.h"
#include "format/text_keys.h"

enum {
	GS_PARSE_LINES = 8,		/* are read at once */
	GS_PARSE_BLOCK_BYTES = 4096,	/* are searched for ends at once; not tuned */
	GS_PARSE_LOOK_BYTES = 32,	/* before a line's end are loaded */
};

struct gs_parser {
	/**
	 * Find all TERMINATORs in TEXT, at most GS_PARSE_BLOCK_BYTES.
	 *
	 * @ends    set to their offsets; has room for 64 more than there are bytes
	 * @return  how many there are
	 */
	unsigned (*find)(const char *text, size_t bytes, char terminator, uint32_t *ends);

	/**
	 * Read lines, up to the first group of them that has an unusual one, and add their numbers
	 * to INTO, complemented if FLIP is all ones.
	 *
	 * @ends    where in TEXT they end; the first begins at ends[-1] + 1
	 * @count   how many there are
	 * @return  how many were read: fewer than GS_PARSE_LINES are left, or one of the next
	 *          GS_PARSE_LINES is unusual
	 */
	unsigned (*read)(struct gs_text_keys *into, uint64_t flip, const char *text,
	                 const uint32_t *ends, unsigned count);
};

/** The parser for SIMD; NULL: there is none, lines are read one by one. */
const struct gs_parser *gs_parser_of(enum gs_simd simd);

#endif
