// SPDX-License-Identifier: BSD-2-Clause
/* print.h - lines of integers of one length, many at once, with vectors */
#ifndef GS_PRINT_H
#define GS_PRINT_H

#include <stdbool.h>

#include "base/simd.h"
#include "format/integers.h"

/**
 * Print keys from FIRST on.  All up to LAST have DIGITS digits, and are negative if MINUS.  Nothing
 * is written behind their lines.
 *
 * @return  how many were printed, perhaps 0; the caller prints the others
 */
size_t gs_print_lines(enum gs_simd simd, const struct gs_integers *source, unsigned digits,
                      bool minus, size_t first, size_t last, char *into);

#endif
