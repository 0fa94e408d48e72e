// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_words.h - the words of lines with usual keys, made fast
 *
 * For line_order.c.  A usual key is a field, or begins with one, and is a decimal number or bytes as
 * they are.
 */
#ifndef GS_LINE_WORDS_H
#define GS_LINE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/keydef.h"
#include "format/line_field.h"

/** Is KEY of this kind? */
bool gs_line_key_is_usual(const struct gs_fields *fields, const struct gs_keydef *key);

/**
 * Make the first word of a usual KEY of LINE .. END, which has no terminator.
 *
 * @return  true: *WORD is set, and it is all of a key that is a number; false: the key of this line is
 *          not usual
 */
bool gs_line_word(const struct gs_fields *fields, const struct gs_keydef *key, const char *line,
                  const char *end, uint64_t *word);

#endif
