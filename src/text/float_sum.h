// SPDX-License-Identifier: BSD-2-Clause
/*
 * float_sum.h - the exact sum of any number of floats, rounded once
 *
 * The sum is a fixed-point number with digits of 32 bits, wide enough for every sum of f64: U. Kulisch,
 * W. Miranker, "Computer Arithmetic in Theory and Practice", 1981.
 */
#ifndef GS_FLOAT_SUM_H
#define GS_FLOAT_SUM_H

#include <stdint.h>

#include "gsort.h"

enum { GS_FLOAT_SUM_DIGITS = 72 };	/* 2^-1074 .. 2^1024, and 2^200 times that */

struct gs_float_sum {
	int64_t  digits[GS_FLOAT_SUM_DIGITS];	/* the lowest first, in units of 2^-1074; not normal */
	uint64_t nans, infinities[2];		/* of these the positive, the negative */
};

/**
 * Add COUNT floats of TYPE that have the same sign and exponent.
 *
 * @top        the bits above the fraction: sign, then exponent
 * @fractions  the sum of their fractions
 */
void gs_float_sum_add(struct gs_float_sum *sum, enum gsort_type type, unsigned top, uint64_t count,
                      unsigned __int128 fractions);

/** Add the sum in PART, which is made normal.  At most 2^30 times. */
void gs_float_sum_merge(struct gs_float_sum *sum, struct gs_float_sum *part);

/** The sum times 2^-SHIFT, rounded to the nearest f64: infinite if it is too large or has an infinity, NaN if
 *  it has a NaN or both infinities. */
double gs_float_sum_value(const struct gs_float_sum *sum, int shift);

#endif
