// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_number.h - lines behind their numbers in the input, as items of --argsort
 *
 * An item is GS_LINE_NUMBER_BYTES, the first of which are what is written, and then the line.
 */
#ifndef GS_STAGES_LINE_NUMBER_H
#define GS_STAGES_LINE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/line_order.h"
#include "sort/items/items.h"

enum { GS_LINE_NUMBER_BYTES = 8 };

/* The number of a line as it is written. */
struct gs_line_number {
	unsigned bits;		/* 32 or 64; 0: lines have no numbers */
	bool     swaps;		/* its byte order is not this machine's */
};

/** The bytes of VALUE as it is written, and behind them what stays unseen. */
uint64_t gs_line_number_bits(struct gs_line_number number, uint64_t value);

/** The order of such items: the lines in them compare by ORDER, which is borrowed. */
void gs_line_number_order(struct gs_item_order *items, const struct gs_line_order *order);

/** Lines from DATA to END.  O(END - DATA). */
uint64_t gs_line_number_count(const struct gs_line_order *order, const char *data, const char *end);

/** Make items of all lines from DATA to END, the first of which has FIRST; INTO has room for
 *  END - DATA bytes, and GS_LINE_NUMBER_BYTES for each line.  Returns the bytes of the items. */
size_t gs_line_number_put(const struct gs_line_order *order, struct gs_line_number number,
                          const char *data, const char *end, uint64_t first, char *into);

#endif
