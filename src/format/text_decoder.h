// SPDX-License-Identifier: BSD-2-Clause
/*
 * text_decoder.h - inside a text decoder, for the two files that it is made of
 *
 * decode_text.c fills the sections' arrays, text_decoder.c lays them out and hands
 * out what is in them.
 */
#ifndef GS_TEXT_DECODER_H
#define GS_TEXT_DECODER_H

#include "base/simd.h"
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
	enum gs_simd simd;
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
	/* Of the chunk: from here on GS_PARSE_LOOK_BYTES before, and up to here
	 * GS_LINE_LOOK_BYTES behind can be looked at. */
	const char *looks_begin, *looks_end;
	size_t      chunk_bytes;
	unsigned    threads;
	size_t      carry_bytes;
	char        carry[GS_LINE_BYTES + 1];	/* an unfinished line, and its terminator */
	struct gs_text_section sections[];
};

static inline void
gs_text_put_small(struct gs_text_section *section, uint64_t at)
{
	section->small[at]++;
	section->small_parts[at / GS_SMALL_PART] = true;
}

/*
 * Put a number where it belongs; false: no class has it.  Written so that only
 * the width is a branch: widths repeat from line to line, signs may not.
 */
static inline bool
gs_text_put(struct gs_text_section *section, uint64_t flip, bool negative, uint64_t magnitude)
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
		gs_text_put_small(section, value - (uint64_t)(int64_t)GS_SMALL_LOW);
		return true;
	}
	if (!gs_line_fits(negative, magnitude))
		return false;
	class = negative ? GS_NEG_WIDE : GS_POS_WIDE;
	((uint64_t *)section->keys[class])[section->count[class]++] =
		(value + (minus << 63)) ^ flip;
	return true;
}

/** The most bytes of a chunk that are one thread's. */
size_t gs_text_share_bytes(size_t chunk_bytes, unsigned threads);

/** Parse with SIMD, gs_simd_best() or less, from now on: for tests and measurements. */
void gs_text_decoder_with(struct gs_text_decoder *decoder, enum gs_simd simd);

#endif
