// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_words.c - which keys are usual
 *
 * A number needs no end: it ends at the separator anyway, unless that could be part of a number.
 */
#include "format/keydef/line_words.h"

/* Do all bytes count, from one field to the same or one behind it? */
static bool
is_forward(const struct gs_keydef *key)
{
	const size_t begin = key->begin_field == GS_LINE_BEGIN ? 0 : key->begin_field;

	return !key->sought && (key->letters & (GS_LETTER_D | GS_LETTER_I)) == 0 &&
	       key->end_field >= begin;
}

bool
gs_line_key_is_usual(const struct gs_fields *fields, const struct gs_keydef *key)
{
	const int separator = fields->separator, thousands = gs_locale_thousands(key->locale);

	if (!is_forward(key))
		return false;
	if (key->letters & GS_LETTER_F)
		return key->ordering == GS_BY_COLLATION ||
		       (key->ordering == GS_BY_BYTES && (key->locale == NULL || key->locale->ascii_case));
	if (gs_key_is_number(key))
		return separator != '-' && separator != gs_locale_point(key->locale) &&
		       separator != thousands && !gs_is_blank(thousands) && !gs_is_digit(separator) &&
		       (separator < 'A' || separator > 'z');
	return key->ordering == GS_BY_BYTES || key->ordering == GS_BY_COLLATION ||
	       key->ordering == GS_BY_MONTH ||
	       gs_keydef_notation(key->ordering) != GSORT_DECIMAL;
}
