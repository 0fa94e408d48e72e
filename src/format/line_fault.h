// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_fault.h - lines whose keys are not the numbers that they should be
 *
 * Keys by name and those of CSV are strict: a number (or a month, with M) must be all of the field.  A
 * field without anything is a missing value.
 */
#ifndef GS_LINE_FAULT_H
#define GS_LINE_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/line_order.h"

enum { GS_LINE_FAULT_BYTES = 160 };	/* of a reason */

/**
 * Find the first of COUNT lines, which lie behind one another, with a strict key that is no number.
 *
 * @missing  or with one that is missing
 * @key      set to the number of the key
 * @return   its number; COUNT: there is none
 */
size_t gs_line_fault_find(const struct gs_line_order *order, bool missing, const char *const *lines,
                          const uint32_t *bytes, size_t count, size_t *key);

/** Say what is wrong with KEY of a line; of a missing value, "". */
void gs_line_fault_explain(const struct gs_line_order *order, size_t key, const char *line,
                           size_t bytes, char reason[GS_LINE_FAULT_BYTES]);

#endif
