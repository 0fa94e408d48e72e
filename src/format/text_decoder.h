// SPDX-License-Identifier: BSD-2-Clause
/*
 * text_decoder.h - inside a text decoder, for the two files that it is made of
 *
 * decode_text.c fills the sections' arrays, text_decoder.c lays them out and hands
 * out what is in them.
 */
#ifndef GS_TEXT_DECODER_H
#define GS_TEXT_DECODER_H

#include "format/line.h"

/* A line to be told of. */
struct gs_text_place {
	const char *line, *end;
	uint64_t    at;			/* among the lines of its section */
};

struct gs_text_section {
	const char *begin, *end;	/* whole lines */
	uint64_t    lines;		/* of all kinds */
	uint64_t    bad_lines;
	struct gs_text_place bad[GS_LINE_WARNINGS];	/* the first of them */
	struct gs_text_place beyond;		/* the first float that became infinite, if any */
	void       *keys[GS_TEXT_CLASSES];
	size_t      count[GS_TEXT_CLASSES];
	size_t      fetched[GS_TEXT_CLASSES];
	uint64_t   *small;		/* GS_SMALL_COUNT counters */
	bool        small_parts[64];	/* some of these are not 0 */
	char        apart[64];		/* from the next thread's cache lines */
};

struct gs_text_decoder {
	struct gs_text_options options;
	const char *name;
	uint64_t    file_lines;		/* of this file, of all kinds */
	uint64_t    lines;		/* good ones, of all files */
	uint64_t    invalid;		/* left out, of all files */
	uint64_t    header_left;	/* lines of this file's header to come */
	struct gs_text_header header;	/* the first file's */
	unsigned    files;		/* begun */
	bool        beyond;		/* a float became infinite, and that was told */
	bool        in_long_line;	/* its beginning was left out */
	uint64_t    flip;		/* all ones for largest first */
	size_t      chunk_bytes;
	unsigned    threads;
	size_t      carry_bytes;
	char        carry[GS_LINE_BYTES + 1];	/* an unfinished line, and its terminator */
	struct gs_text_section sections[];
};

/** The most bytes of a chunk that are one thread's. */
size_t gs_text_share_bytes(size_t chunk_bytes, unsigned threads);

#endif
