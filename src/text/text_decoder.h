// SPDX-License-Identifier: BSD-2-Clause
/*
 * text_decoder.h - decode lines of numbers to keys, in no particular order
 *
 * Several threads parse one chunk at a time; then the caller takes its keys, section by section, before
 * the next chunk.  Small values are only counted.  The caller supplies the memory of the decoder.
 *
 *     gs_text_begin_file(decoder, name);
 *     do {
 *             TRY(gs_text_decode(decoder, chunk, bytes, last));
 *             for (each section, and each class)
 *                     keys = section->keys.keys[class];
 *     } while (!last);
 *
 * With options.exact, the decoder may stop at a line and not continue.
 */
#ifndef GS_TEXT_DECODER_H
#define GS_TEXT_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/simd.h"
#include "base/status.h"
#include "text/line.h"
#include "text/text.h"

struct gs_text_decoder;		/* below */

/* In_order: the least memory of a decoder and its chunk, which has room for the longest line; and as much as
 * is useful.  Not tuned. */
enum { GS_TEXT_ORDERED_LEAST_BYTES = 56 << 10, GS_TEXT_ORDERED_MOST_BYTES = 1 << 20 };

/** In_order: the bytes of a chunk that has room, and another byte, in BYTES beside the decoder for it. */
size_t gs_text_ordered_chunk(size_t bytes);

/** Memory for chunks of up to CHUNK_BYTES parsed by THREADS; page-aligned, zeroed. */
size_t gs_text_decoder_bytes(size_t chunk_bytes, unsigned threads, const struct gs_text_options *options);

/** A decoder inside MEMORY, borrowed for its life.  Nothing to close. */
struct gs_text_decoder *
gs_text_decoder_init(void *memory, size_t chunk_bytes, unsigned threads,
                     const struct gs_text_options *options);

/** What follows is the text of the file called NAME (borrowed), from line 1 on. */
void gs_text_begin_file(struct gs_text_decoder *decoder, const char *name);

/**
 * Parse the next BYTES of the file.  An unfinished line at the end is kept for the next call; with
 * LAST it is a line all the same.
 *
 * @return  GS_OK, or GS_EINPUT: "NAME:LINE: ..." for the first bad line
 *
 * A line is: blanks (space, tab; newline, if it ends no line), an optional + or -, digits,
 * blanks, and an optional CR; with a value within -2^63 .. 2^64-1, in at most 4095 bytes.  Floats
 * are what strtod(3) reads in the C locale, between blanks; a float larger than any f64 becomes
 * infinite, with one warning.
 */
MUST_CHECK gs_status
gs_text_decode(struct gs_text_decoder *decoder, const char *text, size_t bytes, bool last);

/** In_order: the line of key AT of the last chunk, *LINE to *END; returns its number.  The keys are
 *  lost. */
uint64_t gs_text_line_of(struct gs_text_decoder *decoder, size_t at, const char **line, const char **end);

/**
 * How often each small value came, over all files: add this to COUNTS (GS_SMALL_COUNT of them,
 * from the least value up), and start again at 0.
 *
 * @return  bit P is set: something was added to the GS_SMALL_PART counts from P * GS_SMALL_PART on
 */
uint64_t gs_text_fetch_small(struct gs_text_decoder *decoder, uint64_t *counts);

/* ---- the lines of a chunk that one thread parses, and the keys that they become ---- */

/*
 * For text_decoder.c.  Many lines are parsed at once with vectors (parse.c); unusual ones, and
 * those near the ends of the chunk, one by one (line.h).
 */

/* ---- where it puts the keys: an array for each class ---------------- */

/* No text fills all of the arrays, and a page that is not touched takes no memory. */

struct gs_text_keys {
	/* of 32 or 64 bits, by the width of the class, and complemented if the options have REVERSE; none of
	 * GS_SMALL; in_order: all are in the first array */
	void     *keys[GS_TEXT_CLASSES];
	size_t    count[GS_TEXT_CLASSES];
	uint8_t  *classes;		/* in_order: of each key, complemented with REVERSE; else NULL */
	uint64_t *small;		/* else GS_SMALL_COUNT counters */
	bool      small_parts[64];	/* counters of this part are not 0 */
};

/* ---- adding a number --------------------------------------------------------- */

static inline void
gs_text_put_small(struct gs_text_keys *keys, uint64_t at)
{
	keys->small[at]++;
	keys->small_parts[at / GS_SMALL_PART] = true;
}

/* Add a key to the first array, and its class, complemented as KEY is, if those are wanted. */
static inline void
gs_text_put_first(struct gs_text_keys *keys, uint64_t flip, unsigned class, uint64_t key)
{
	const size_t at = keys->count[0]++;

	((uint64_t *)keys->keys[0])[at] = key ^ flip;
	if (keys->classes != NULL)
		keys->classes[at] = (uint8_t)(flip != 0 ? GS_TEXT_CLASSES - 1 - class : class);
}

/*
 * Add a number to its class; false: it is too far below zero.  FLIP is all ones if keys are
 * complemented.  Only the width is a branch: widths repeat from line to line, signs may not.
 */
static inline bool
gs_text_put(struct gs_text_keys *keys, uint64_t flip, bool negative, uint64_t magnitude)
{
	static const uint64_t narrow_low[2]  = { 1 << 16, (1 << 15) + 1 };
	static const uint64_t narrow_last[2] = { UINT32_MAX, UINT64_C(1) << 31 };
	const uint64_t minus = negative;
	const uint64_t value = (magnitude ^ -minus) + minus;	/* two's complement */
	unsigned class;

	if (keys->classes != NULL && gs_text_fits(negative, magnitude)) {
		const bool below = negative && magnitude > 0;

		gs_text_put_first(keys, flip, below ? GS_NEG_WIDE : GS_POS_WIDE,
		                  value + ((uint64_t)below << 63));
		return true;
	}
	if (magnitude - narrow_low[minus] <= narrow_last[minus] - narrow_low[minus]) {
		class = negative ? GS_NEG_NARROW : GS_POS_NARROW;
		((uint32_t *)keys->keys[class])[keys->count[class]++] =
			(uint32_t)((value + (minus << 31)) ^ flip);
		return true;
	}
	if (magnitude < narrow_low[minus]) {
		gs_text_put_small(keys, value - (uint64_t)(int64_t)GS_SMALL_LOW);
		return true;
	}
	if (!gs_text_fits(negative, magnitude))
		return false;
	class = negative ? GS_NEG_WIDE : GS_POS_WIDE;
	((uint64_t *)keys->keys[class])[keys->count[class]++] = (value + (minus << 63)) ^ flip;
	return true;
}

/* ---- usual lines of integers, many at once, with vectors (parse.c) ---------------- */

/*
 * First the ends of many lines are found, 64 bytes at a time; then the lines before these ends
 * are read side by side.  So no step waits for the length of the line before, as it does where
 * lines are read one by one.
 */

enum {
	GS_PARSE_LINES = 8,		/* are read at once */
	GS_PARSE_BLOCK_BYTES = 4096,	/* are searched for ends at once; not tuned */
	GS_PARSE_LOOK_BYTES = 32,	/* before a line's end are loaded */
};

struct gs_parser {
	/**
	 * Find all TERMINATORs in TEXT, at most GS_PARSE_BLOCK_BYTES.
	 *
	 * @loads   the bytes GS_PARSE_BLOCK_BYTES behind will be searched, too
	 * @ends    set to their offsets; has room for 64 more than there are bytes
	 * @return  how many there are
	 */
	unsigned (*find)(const char *text, size_t bytes, bool loads, char terminator, uint32_t *ends);

	/**
	 * Read lines, up to the first group of them that has an unusual one, and add their numbers
	 * to INTO, complemented if FLIP is all ones.
	 *
	 * @ends    where in TEXT they end; the first begins at ends[-1] + 1
	 * @count   how many there are
	 * @exact   a line is unusual, too, if its number is printed otherwise
	 * @return  how many were read: fewer than GS_PARSE_LINES are left, or one of the next
	 *          GS_PARSE_LINES is unusual
	 */
	unsigned (*read)(struct gs_text_keys *into, uint64_t flip, const char *text,
	                 const uint32_t *ends, unsigned count, bool exact);
};

/** The parser for SIMD; NULL: lines are read one by one. */
const struct gs_parser *gs_parser_of(enum gs_simd simd);

/* ---- the lines of one thread ------------------------------------------------------ */

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

/* ---- the decoder ------------------------------------------------------------------ */

struct gs_text_decoder {
	struct gs_text_rules rules;
	const char *name;
	uint64_t    file_lines;		/* of this file, of all kinds */
	uint64_t    first_line;		/* of its last section: its number */
	uint64_t    lines;		/* good ones, of all files */
	uint64_t    invalid;		/* left out, of all files: see gs_line_reject_end() */
	uint64_t    header_left;	/* lines of this file's header still to come */
	bool        overflow_warned;	/* a float became infinite, and there was a warning */
	bool        in_long_line;	/* its beginning was left out */
	bool        stopped;		/* at a line that is not exact: its keys are of no more use */
	size_t      chunk_bytes;
	unsigned    threads;
	size_t      carry_bytes;
	/* an unfinished line, perhaps a byte longer than any valid one, and its terminator */
	char        carry[GS_LINE_BYTES + 2];

	/* One for each thread, with the keys of the last chunk, which the caller may change where they are.
	 * A caller may set keys.small of the first one to its own counters, all 0, to which it adds the
	 * others' at the end: so a job of few lines touches half as many pages. */
	struct gs_text_section sections[];
};

#endif
