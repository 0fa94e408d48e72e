// SPDX-License-Identifier: BSD-2-Clause
/*
 * key_float.h - keys that are floats: the order g of sort(1)
 *
 * A key is what strtold(3) makes of its beginning in the C locale: decimal, hexadecimal, infinity
 * or NaN.  The order: what is no number, NaN with a minus sign, other NaNs, then numbers; -0 equals
 * 0.  sort(1) up to 9.1 orders NaNs by their bits, later ones as here.
 */
#ifndef GS_KEY_FLOAT_H
#define GS_KEY_FLOAT_H

#include <stdbool.h>
#include <stddef.h>

#include "format/key_text.h"

/** Less than, equal to or greater than 0. */
int gs_float_compare(struct gs_key_text one, struct gs_key_text other);

/** Append the key; returns true when eight bytes are there. */
bool gs_float_put(struct gs_key_bytes *bytes, struct gs_key_text text);

/** How many bytes from AT on are a float, with the space before it; 0: none. */
size_t gs_float_length(const unsigned char *at, const unsigned char *end);

#endif
