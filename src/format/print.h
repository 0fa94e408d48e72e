// SPDX-License-Identifier: BSD-2-Clause
/* print.h - lines of integers of one length, many at once, with vectors */
#ifndef GS_PRINT_H
#define GS_PRINT_H

#include <stdbool.h>

#include "base/simd.h"
#include "format/integers.h"

/**
 * Print keys from FIRST on, which are all negative or none, and have so many DIGITS.
 * Nothing is written behind the lines of those before LAST.
 *
 * @return  how many were printed, perhaps 0; the others are the caller's
 */
size_t gs_print_lines(enum gs_simd simd, const struct gs_integers *source, unsigned digits,
                      bool minus, size_t first, size_t last, char *into);

#endif
