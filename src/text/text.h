// SPDX-License-Identifier: BSD-2-Clause
/*
 * text.h - how text is read, and the classes of its keys
 *
 * Text integers span 65 bits, -2^63 .. 2^64-1, and most are small.  Each belongs to one of five key
 * classes, which are already in order.  Four classes have keys as wide as those of an engine; small
 * values are only counted, because a histogram is their sorted form:
 *
 *     class       values                  key (ordered bits)      bits
 *     NEG_WIDE    -2^63  .. -2^31-1       value + 2^63            64
 *     NEG_NARROW  -2^31  .. -2^15-1       value + 2^31            32
 *     SMALL       -2^15  .. 2^16-1        value + 2^15, counted   32 (in spans)
 *     POS_NARROW  2^16   .. 2^32-1        value                   32
 *     POS_WIDE    2^32   .. 2^64-1        value                   64
 *
 * So a file of 32-bit numbers is sorted as 32-bit keys, and every key takes less memory than its line.
 * For descending order, keys are complemented, and classes are taken from the last to the first.
 */
#ifndef GS_TEXT_H
#define GS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/monitor.h"
#include "gsort.h"

/* ---- options --------------------------------------------------------------- */

#define GS_TEXT_WHOLE	UINT64_MAX

/* The header of the first file that has a line; the others have the same. */
struct gs_text_header {
	char  *text;		/* owned, from malloc() */
	size_t known;		/* bytes of it */
	size_t bytes;		/* with the bytes after it of a header that is being read */
};

enum { GS_HEADER_BYTES = 1 << 20 };	/* the longest header */

/* How text is read. */
struct gs_text_options {
	bool               floats;	/* GSORT_TEXT_FLOAT */
	enum gsort_notation notation;	/* else */
	bool               reverse;	/* keys are complemented */
	bool               merge_zeros;	/* -0 is read as 0: equal keys are merged */
	char               terminator;	/* '\n'; or '\0', and then a newline is a blank */
	enum gsort_invalid invalid;
	uint64_t           header_lines;	/* of each file, which are not numbers */
	struct gs_text_header *header;	/* of all files; NULL: headers are dropped */
	bool               exact;	/* decimal; the first line that is not what gsort prints for its
					 * number stops the decoder */
	bool               in_order;	/* keys stay in the order of their lines, and are of two classes
					 * at most, NEG_WIDE and POS_WIDE */

	/** For a file without a header that is read from some line on: how many lines are before that,
	 *  for messages; else GS_TEXT_WHOLE.  COUNT: false if only this is asked, as counting takes
	 *  long.  NULL: all files are whole. */
	uint64_t         (*lines_before)(void *context, const char *name, bool count);
	void              *lines_context;

	/* Told of each of the first 10 invalid lines that are left out, once at the end of the others
	 * ("... and N more"), and of the first float that becomes infinite. */
	struct gs_listener warn;
};

/* Is it decimal integers?  Usual lines of them are read fast. */
static inline bool
gs_text_is_decimal(const struct gs_text_options *options)
{
	return !options->floats && options->notation == GSORT_DECIMAL;
}

/* ---- classes --------------------------------------------------------------- */

enum gs_text_class {
	GS_NEG_WIDE, GS_NEG_NARROW, GS_SMALL, GS_POS_NARROW, GS_POS_WIDE,
	GS_TEXT_CLASSES,

	/* Floats (GSORT_TEXT_FLOAT) have one class of 64 bits, in place of NEG_WIDE: f64 with one
	 * NaN. */
	GS_FLOATS = 0,
};

enum {
	GS_SMALL_LOW   = -(1 << 15),			/* the least small value */
	GS_SMALL_COUNT = (1 << 15) + (1 << 16),		/* how many there are */
	GS_SMALL_PART  = GS_SMALL_COUNT / 64,		/* so few numbers touch few pages */
};

static inline unsigned
gs_text_bits(enum gs_text_class class)
{
	return class == GS_NEG_WIDE || class == GS_POS_WIDE ? 64 : 32;
}

/* Does some class hold the number?  The least is -2^63. */
static inline bool
gs_text_fits(bool negative, uint64_t magnitude)
{
	return !negative || magnitude <= UINT64_C(1) << 63;
}

/* The value of an integer is its key less this. */
static inline uint64_t
gs_text_bias(enum gs_text_class class)
{
	return class == GS_NEG_WIDE   ? UINT64_C(1) << 63 :
	       class == GS_NEG_NARROW ? UINT64_C(1) << 31 :
	       class == GS_SMALL      ? (uint64_t)-(int64_t)GS_SMALL_LOW : 0;
}

enum { GS_TEXT_LINE_BYTES = 21 };	/* the longest line that is printed, newline included */

#endif
