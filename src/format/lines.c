// SPDX-License-Identifier: BSD-2-Clause
/* lines.c - lines of text to keys in the order of the lines */
#include "format/lines.h"

void gs_lines_open(struct gs_lines *lines, const struct gs_text_options *options)
{ *lines = (struct gs_lines){ .options = *options }; }
void gs_lines_begin_file(struct gs_lines *lines, const char *name)
{ lines->name = name; lines->line = 0; lines->header_left = lines->options.header_lines; }
gs_status gs_lines_decode(struct gs_lines *lines, const char *text, size_t bytes, bool last,
                uint64_t *keys, uint8_t *classes, uint32_t *at, uint64_t *number,
                size_t room, size_t *count, size_t *used)
{ (void)lines, (void)text, (void)bytes, (void)last, (void)keys, (void)classes, (void)at, (void)number,
  (void)room, (void)count, (void)used; return gs_fail(GS_EINPUT, "no lines yet"); }
