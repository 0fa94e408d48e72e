// SPDX-License-Identifier: BSD-2-Clause
/*
 * notation.h - integers as text: decimal, hexadecimal, IPv4 addresses, times; and integers of 128 bits
 *
 * Each text means one integer in the range of text.h, and each integer is printed in one form:
 *
 *     hexadecimal   an optional sign, an optional 0x, digits of any case     -1f
 *     IPv4          four numbers of 0 .. 255 without leading zeros           192.0.2.1
 *     time          ISO 8601, to the nanosecond since 1970-01-01T00:00:00Z   2026-11-22T09:30:00.5Z
 *
 * A time is a date alone (midnight), or a date, a T or a blank, hours, minutes and, optionally, seconds
 * with up to 9 decimals.  A Z or an offset such as +01:00 may follow; without it, the time is in UTC.
 * Times are printed in UTC.
 */
#ifndef GS_NOTATION_H
#define GS_NOTATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gsort.h"

enum { GS_NOTATION_BYTES = 40 };	/* no text that is printed is longer */

/** Read TEXT .. END, all of it, which has no blanks around it.  False: it is something else, or out
 *  of range. */
bool gs_notation_read(enum gsort_notation notation, const char *text, const char *end,
                      bool *negative, uint64_t *magnitude);

/** Print an integer; returns how many bytes, at most GS_NOTATION_BYTES. */
size_t gs_notation_print(enum gsort_notation notation, bool negative, uint64_t magnitude, char *into);

/** "an IPv4 address", and how one looks. */
extern const struct gs_notation { const char *name, *example; } gs_notations[];

/* ---- keys of 128 bits, decimal or hexadecimal ------------------------------------- */

/* A '-', 39 digits, and the bytes behind them that are overwritten. */
enum { GS_WIDE_BYTES = 1 + 39 + 7 };

/** Print the key of 16 bytes at KEY, whose TYPE is wide, in NOTATION, decimal or hexadecimal; returns
 *  how many bytes the text has.  Up to 7 bytes behind it are overwritten.  O(1). */
size_t gs_wide_print(enum gsort_type type, enum gsort_endian endian, enum gsort_notation notation,
                     const char *key, char *into);

/** The same for NUMBER, the two's complement if it is NEGATIVE. */
size_t gs_wide_print_number(enum gsort_notation notation, bool negative, unsigned __int128 number,
                            char *into);

#endif
