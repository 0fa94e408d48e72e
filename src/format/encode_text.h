// SPDX-License-Identifier: BSD-2-Clause
/* encode_text.h - sorted integers to lines of digits */
#ifndef GS_ENCODE_TEXT_H
#define GS_ENCODE_TEXT_H

#include "base/simd.h"
#include "format/integers.h"

/** Print COUNT integers, a line each, with all their threads; INTO has room for
 *  GS_TEXT_LINE_BYTES (text.h) a key.  Returns how many bytes. */
size_t gs_integers_print(const struct gs_integers *source, size_t count, char *into);

/** For tests and measurements: the same with SIMD, gs_simd_best() or less. */
size_t gs_integers_print_with(enum gs_simd simd, const struct gs_integers *source, size_t count,
                              char *into);

#endif
