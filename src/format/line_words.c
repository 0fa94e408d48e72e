// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_words.c - the words of lines with usual keys, made fast
 *
 * In:   a line, and a key.
 * Out:  the same word that put_key() of line_order.c makes.
 *
 * A number needs no end: it ends at the separator anyway, unless that could be part of a number.
 */
#include <endian.h>
#include <string.h>

#include "format/line_words.h"
#include "format/number_word.h"
#include "format/skip.h"

/* Does the key begin where a field begins, and end there or with the line? */
static bool
is_field(const struct gs_keydef *key)
{
	const size_t begin = key->begin_field == GS_LINE_BEGIN ? 0 : key->begin_field;

	return key->name == NULL && key->begin_char == 0 && key->end_char == 0 &&
	       (key->letters & (GS_LETTERS_B | GS_LETTER_D | GS_LETTER_F | GS_LETTER_I)) == 0 &&
	       (key->end_field == GS_LINE_END || key->end_field == begin);
}

bool
gs_line_key_is_usual(const struct gs_fields *fields, const struct gs_keydef *key)
{
	const bool all = key->begin_field == GS_LINE_BEGIN && key->end_field == GS_LINE_END;

	if (!is_field(key) || (fields->separator == GS_NO_SEPARATOR && !all))
		return false;
	if (key->ordering == GS_BY_NUMBER)
		return fields->separator == GS_NO_SEPARATOR ||
		       (!gs_is_digit(fields->separator) && !gs_is_blank(fields->separator) &&
		        fields->separator != '-' && fields->separator != '.');
	return key->ordering == GS_BY_BYTES;
}

/* Is one of eight bytes BYTE? */
static inline bool
has_byte(uint64_t word, unsigned char byte)
{
	const uint64_t other = word ^ byte * UINT64_C(0x0101010101010101);

	return ((other - 0x0101010101010101) & ~other & 0x8080808080808080) != 0;
}

bool
gs_line_word(const struct gs_fields *fields, const struct gs_keydef *key, const char *line,
             const char *end, uint64_t *word)
{
	const char *at = line;

	if (fields->csv && memchr(line, '"', (size_t)(end - line)) != NULL)
		return false;
	if (key->begin_field != GS_LINE_BEGIN)
		at = gs_skip_separators(line, end, (char)fields->separator, key->begin_field);
	if (key->ordering == GS_BY_NUMBER)
		return gs_number_word((const unsigned char *)at, (const unsigned char *)end, word);
	if (end - at < 8)
		return false;
	memcpy(word, at, sizeof *word);
	if (gs_has_low_byte(*word) ||
	    (key->end_field != GS_LINE_END && has_byte(*word, (unsigned char)fields->separator)))
		return false;
	*word = be64toh(*word);
	return true;
}
