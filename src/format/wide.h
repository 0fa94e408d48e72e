// SPDX-License-Identifier: BSD-2-Clause
/* wide.h - keys of 128 bits as text */
#ifndef GS_FORMAT_WIDE_H
#define GS_FORMAT_WIDE_H

#include <stddef.h>

#include "gsort.h"

/* A '-', 39 digits, and what is overwritten behind them. */
enum { GS_WIDE_BYTES = 1 + 39 + 7 };

/** Print the key of 16 bytes at KEY, whose TYPE is wide, in NOTATION, decimal or hexadecimal; returns
 *  how many bytes the text has.  Up to 7 bytes behind it are overwritten.  O(1). */
size_t gs_wide_print(enum gsort_type type, enum gsort_endian endian, enum gsort_notation notation,
                     const char *key, char *into);

#endif
