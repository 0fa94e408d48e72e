// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_field.h - where in a line a key is
 *
 * Fields are separated by one byte, or else each begins with the blanks before it, as in sort(1).
 * With CSV, a separator between quotes is none.
 */
#ifndef GS_LINE_FIELD_H
#define GS_LINE_FIELD_H

#include <stdbool.h>
#include <stddef.h>

#include "format/key_text.h"
#include "format/keydef.h"

enum { GS_NO_SEPARATOR = -1 };		/* blanks separate fields */

struct gs_fields {
	int  separator;		/* a byte, or GS_NO_SEPARATOR */
	bool csv;		/* with quotes; needs a separator */
};

/**
 * Find the text of KEY in LINE .. END, which has no terminator.
 *
 * O(END - LINE).  A key that begins after it ends is empty, at its beginning.
 */
void gs_field_find(const struct gs_fields *fields, const struct gs_keydef *key, const char *line,
                   const char *end, struct gs_key_text *text);

/** Where KEY ends in LINE .. END, which may be before it begins. */
const char *gs_field_limit(const struct gs_fields *fields, const struct gs_keydef *key,
                           const char *line, const char *end);

/**
 * The number of the field of LINE .. END, a header, that is called NAME; with CSV, without quotes, which NAME
 * may have, too.
 * Blanks around a name do not count where blanks separate fields.
 *
 * @return  from 0; SIZE_MAX: there is none
 */
size_t gs_field_named(const struct gs_fields *fields, const char *line, const char *end,
                      const char *name, size_t name_bytes);

#endif
