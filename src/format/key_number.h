// SPDX-License-Identifier: BSD-2-Clause
/*
 * key_number.h - keys that are decimal numbers or months: the orders n, h and M of sort(1)
 *
 * Numbers are exact and of any length.  Each order is a comparison, and the same order as bytes
 * (key_text.h).
 */
#ifndef GS_KEY_NUMBER_H
#define GS_KEY_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "format/key_text.h"

/** Less than, equal to or greater than 0, for two decimal numbers; text that is none is 0. */
int gs_number_compare(struct gs_key_text one, struct gs_key_text other);

/** Append the number; returns true when eight bytes are there. */
bool gs_number_put(struct gs_key_bytes *bytes, struct gs_key_text text);

/** The same for numbers with a suffix: first by sign and suffix, then by number. */
int  gs_size_compare(struct gs_key_text one, struct gs_key_text other);
bool gs_size_put(struct gs_key_bytes *bytes, struct gs_key_text text);

/** The month that a text begins with, from 1; 0: none. */
int gs_month_of(struct gs_key_text text);

/** How many bytes from AT on are a number; SUFFIX: or a number and its suffix.  0: none. */
size_t gs_number_length(bool suffix, const unsigned char *at, const unsigned char *end);

#endif
