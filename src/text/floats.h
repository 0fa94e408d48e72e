// SPDX-License-Identifier: BSD-2-Clause
/*
 * floats.h - convert floats to text and back, and floats of 16 bits
 */
#ifndef GS_FLOATS_H
#define GS_FLOATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum gs_float {
	GS_FLOAT_NONE,		/* no number */
	GS_FLOAT_GOOD,
	GS_FLOAT_OVERFLOW,	/* larger than any f64: the value is infinite */
	GS_FLOAT_INEXACT,	/* an integer, all digits, that no f64 holds */
};

enum { GS_FLOAT_TEXT_BYTES = 4095 };	/* the longest that is read */

/**
 * Read TEXT .. END, all of it, as strtod(3) does in the C locale: decimal, hexadecimal,
 * "inf", "infinity", "nan"; to the nearest f64.  Integers without an exponent are not rounded:
 * they may be names of things.
 *
 * At most GS_FLOAT_TEXT_BYTES; not empty.
 */
enum gs_float gs_float_read(const char *text, const char *end, double *value);

enum { GS_FLOAT_BYTES = 24 };	/* the longest: -2.2250738585072014e-308 */

/**
 * Print VALUE with the fewest digits that are read as the same float: the same f32 if
 * NARROW (and VALUE is one), else the same f64; of several the nearest.
 *
 * Without exponent from 0.0001 up to below 1e16, as 100000 or 0.25, so integers that
 * are exact look like integers; else as 1e+20 or 1.5e-07.  -0, inf, -inf, nan, -nan.
 *
 * @into    room for GS_FLOAT_BYTES + 7: a few bytes after the text may be overwritten
 * @return  how many bytes
 */
size_t gs_float_print(double value, bool narrow, char *into);

/** The decimal with DIGITS significant digits, at most 16, nearest to VALUE, which is finite. */
double gs_float_round(double value, unsigned digits);

#ifdef __cplusplus
}
#endif

#endif
