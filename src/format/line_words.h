// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_words.h - the first words of lines with usual keys, made fast
 *
 * For line_order.c.  The first key is a field, or begins with one, and is a decimal number or bytes
 * as they are.
 */
#ifndef GS_LINE_WORDS_H
#define GS_LINE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/keydef.h"
#include "format/line_field.h"

/** Is KEY, the first one, of this kind? */
bool gs_line_words_are_usual(const struct gs_fields *fields, const struct gs_keydef *key);

/**
 * Make the first word of LINE .. END, which has no terminator.
 *
 * @return  true: *WORD is set; *WHOLE: it is all of the key.  False: the line is not usual.
 */
bool gs_line_word(const struct gs_fields *fields, const struct gs_keydef *key, const char *line,
                  const char *end, uint64_t *word, bool *whole);

#endif
