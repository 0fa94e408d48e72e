// SPDX-License-Identifier: BSD-2-Clause
/*
 * text_number.h - numbers as text behind each other, as items of --argsort
 *
 * An item is the key of a line, which compares as the number does, and then the number of the line.
 */
#ifndef GS_STAGES_TEXT_NUMBER_H
#define GS_STAGES_TEXT_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "format/lines.h"
#include "format/record.h"
#include "stages/line_number.h"

/** Describe items of text as OPTIONS read it.  GS_EBUDGET: no memory. */
MUST_CHECK gs_status gs_text_number_open(struct gs_record *item,
                                         const struct gs_text_options *options, bool reverse);

/** Items of at most so many bytes come of LINES lines of BYTES. */
size_t gs_text_number_most(const struct gs_record *item, uint64_t lines, size_t bytes);

/**
 * Make items of the whole lines from DATA to END, without those that are left out.
 *
 * @lines   knows the file, and the number of the line at DATA in it
 * @first   the number of that line in all inputs
 * @into    has room for gs_text_number_most()
 * @made    set to the bytes of the items
 * @return  GS_OK; GS_EINPUT: an invalid line
 */
MUST_CHECK gs_status
gs_text_number_put(const struct gs_record *item, struct gs_lines *lines,
                   struct gs_line_number number, const char *data, const char *end, uint64_t first,
                   char *into, size_t *made);

#endif
