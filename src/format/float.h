// SPDX-License-Identifier: BSD-2-Clause
/*
 * float.h - floats as text, there and back
 */
#ifndef GS_FLOAT_H
#define GS_FLOAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gs_float {
	GS_FLOAT_NONE,		/* no number */
	GS_FLOAT_GOOD,
	GS_FLOAT_BEYOND,	/* larger than any f64: the value is infinite */
};

/**
 * Read TEXT .. END, all of it, as strtod(3) does in the C locale: decimal, hexadecimal,
 * "inf", "infinity", "nan"; to the nearest f64.
 *
 * At most GS_LINE_BYTES (line.h); not empty.
 */
enum gs_float gs_float_read(const char *text, const char *end, double *value);

#endif
