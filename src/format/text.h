// SPDX-License-Identifier: BSD-2-Clause
/*
 * text.h - text integers as streams of ordered bits
 *
 * Text integers span 65 bits, -2^63 .. 2^64-1, and most are small.  Each goes
 * to one of five classes, which are already in order; four are streams of keys
 * of an engine width, and the small ones are only counted, because their sorted
 * form is a histogram:
 *
 *     class       values                  key (ordered bits)      bits
 *     NEG_WIDE    -2^63  .. -2^31-1       value + 2^63            64
 *     NEG_NARROW  -2^31  .. -2^15-1       value + 2^31            32
 *     SMALL       -2^15  .. 2^16-1        value + 2^15, counted   32 (in spans)
 *     POS_NARROW  2^16   .. 2^32-1        value                   32
 *     POS_WIDE    2^32   .. 2^64-1        value                   64
 *
 * So a file of 32-bit numbers is sorted as 32-bit keys, and no line of text is
 * shorter than the memory its key needs twice.  Largest first: keys are
 * complemented, classes taken from the last to the first.
 */
#ifndef GS_TEXT_H
#define GS_TEXT_H

#include <stdint.h>

enum gs_text_class {
	GS_NEG_WIDE, GS_NEG_NARROW, GS_SMALL, GS_POS_NARROW, GS_POS_WIDE,
	GS_TEXT_CLASSES,

	/* Floats (GSORT_TEXT_FLOAT) are one stream of 64 bits, in place of NEG_WIDE: f64
	 * in totalOrder, but every NaN is 0, the least. */
	GS_FLOATS = 0,
};

enum {
	GS_SMALL_LOW   = -(1 << 15),			/* least small value */
	GS_SMALL_COUNT = (1 << 15) + (1 << 16),		/* how many there are */
	GS_SMALL_PART  = GS_SMALL_COUNT / 64,		/* so few numbers touch few pages */
};

static inline unsigned
gs_text_bits(enum gs_text_class class)
{
	return class == GS_NEG_WIDE || class == GS_POS_WIDE ? 64 : 32;
}

/* An integer's value is its key less this. */
static inline uint64_t
gs_text_bias(enum gs_text_class class)
{
	return class == GS_NEG_WIDE   ? UINT64_C(1) << 63 :
	       class == GS_NEG_NARROW ? UINT64_C(1) << 31 :
	       class == GS_SMALL      ? (uint64_t)-(int64_t)GS_SMALL_LOW : 0;
}

enum { GS_TEXT_LINE_BYTES = 21 };	/* longest canonical line, newline included */

#endif
