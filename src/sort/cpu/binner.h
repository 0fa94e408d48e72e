// SPDX-License-Identifier: BSD-2-Clause
/*
 * binner.h - the map from a key to its bin
 *
 * A binner divides a range of keys into bins of equal width:
 *
 *     bin = (key - least) * bins / (most - least)        rounded down, about
 *
 * The difference is first moved to 32 bits, the highest of which is set in that of MOST and LEAST,
 * so one multiplication of 32 bits by 32 is exact enough, and vectors have it.  bins.inc does it
 * for many keys at once.
 *
 * Invariant: a greater key never has a smaller bin; least has bin 0, and most the last bin.
 */
#ifndef GS_CPU_BINNER_H
#define GS_CPU_BINNER_H

#include <stdint.h>

enum { GS_BINS_MOST = 4096, GS_BIN_SHIFT = 51 };

struct gs_binner {
	uint64_t least, most;
	unsigned left, right;	/* the shifts that move a difference to 32 bits */
	unsigned bins;
	uint32_t scale;		/* bins << GS_BIN_SHIFT over 1 more than most - least, shifted */
};

/** A binner of the keys from LEAST to MOST, which must differ, with BINS bins, GS_BINS_MOST at
 *  most. */
struct gs_binner gs_binner_make(uint64_t least, uint64_t most, unsigned bins);

#endif
