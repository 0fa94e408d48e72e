// SPDX-License-Identifier: BSD-2-Clause
/* encode_text.h - sorted integers to lines of digits */
#ifndef GS_ENCODE_TEXT_H
#define GS_ENCODE_TEXT_H

#include "format/integers.h"

/** Print COUNT integers, a line each, with all their threads; INTO has room for
 *  GS_TEXT_LINE_BYTES (text.h) a key.  Returns how many bytes. */
size_t gs_integers_print(const struct gs_integers *source, size_t count, char *into);

#endif
