// SPDX-License-Identifier: BSD-2-Clause
/*
 * keydef.c - which part of a line is a key, and how keys compare: KEYDEF of sort(1)
 *
 * In:   the text of -k and of the ordering options.
 * Out:  positions from 0 and letters as bits; or a message that says what would be right.
 *
 * The rules are in POSIX and in the GNU manual, "sort invocation".
 */
#include <string.h>

#include "linekey/keydef.h"

/* ---- letters ------------------------------------------------------------------ */

static const struct {
	char     letter;
	unsigned bits;
} letters_of[] = {
	{ 'b', GS_LETTERS_B }, { 'd', GS_LETTER_D }, { 'f', GS_LETTER_F }, { 'g', GS_LETTER_G },
	{ 'h', GS_LETTER_H }, { 'i', GS_LETTER_I }, { 'M', GS_LETTER_M }, { 'n', GS_LETTER_N },
	{ 'r', GS_LETTER_R }, { 'V', GS_LETTER_V },
};

enum { LETTERS = sizeof letters_of / sizeof letters_of[0] };

/* The bits of LETTER; 0: not a letter of keys. */
static unsigned
bits_of(char letter)
{
	for (size_t l = 0; l < LETTERS; l++)
		if (letters_of[l].letter == letter)
			return letters_of[l].bits;
	return 0;
}

/* Read letters as far as there are any.  'b' sets only the bits of BLANKS. */
static const char *
read_letters(const char *at, unsigned blanks, unsigned *letters)
{
	for (; bits_of(*at) != 0; at++)
		*letters |= bits_of(*at) == GS_LETTERS_B ? blanks : bits_of(*at);
	return at;
}

/* Read what may follow a ':': ip or time, with b and r; or letters. */
static const char *
read_word(const char *at, unsigned *letters)
{
	const bool ip = strncmp(at, "ip", 2) == 0, time = strncmp(at, "time", 4) == 0;

	if (!ip && !time)
		return read_letters(at, GS_LETTERS_B, letters);
	*letters |= ip ? GS_LETTER_IP : GS_LETTER_TIME;
	for (at += ip ? 2 : 4; *at == 'b' || *at == 'r'; at++)
		*letters |= bits_of(*at);
	return at;
}

gs_status
gs_keydef_letters(const char *text, unsigned *letters)
{
	const char *end;

	*letters = 0;
	end = read_letters(text, GS_LETTERS_B, letters);
	return *end == '\0' ? GS_OK : gs_fail(GS_EUSAGE, "'%c' is not an ordering option", *end);
}

/* ---- a KEYDEF ------------------------------------------------------------------- */

static gs_status
refuse(const char *text, const char *why)
{
	return gs_fail(GS_EUSAGE, "invalid key '%s': %s", text, why);
}

/* A number of sort(1) may have blanks and a plus sign before it. */
static const char *
begin_number(const char *at)
{
	const char *digits = at + strspn(at, " \t\n\v\f\r");

	digits += *digits == '+';
	return gs_is_digit(*digits) ? digits : at;
}

/* Read a number of any size; a field that no line has is not an error. */
static const char *
read_number(const char *at, size_t *number)
{
	*number = 0;
	for (; gs_is_digit(*at); at++)
		if (__builtin_mul_overflow(*number, 10, number) ||
		    __builtin_add_overflow(*number, *at - '0', number))
			*number = SIZE_MAX / 16;
	return at;
}

/* Read FIELD[.CHARACTER]; *CHARACTER is 0 without one. */
static gs_status
read_position(const char *text, const char **at, size_t *field, size_t *character, bool *point)
{
	*at = begin_number(*at);
	if (!gs_is_digit(**at))
		return refuse(text, strchr(text, '@') != NULL
			? "a field number is missing; keys of records need --record-size"
			: gs_is_digit(*text) || *text == '\0' ? "a field number is missing"
			: "a field number is missing; a name needs --header (with commas --csv --header)");
	*at = read_number(*at, field);
	if (*field == 0)
		return refuse(text, "fields count from 1");
	*character = 0;
	*point = **at == '.';
	if (!*point)
		return GS_OK;
	*at = begin_number(*at + 1) - 1;
	if (!gs_is_digit((*at)[1]))
		return refuse(text, "a character number is missing after '.'");
	*at = read_number(*at + 1, character);
	return GS_OK;
}

/* NAME[:LETTERS]; what follows a ':' belongs to the name unless it is letters.  Or "NAME"[:LETTERS], where
 * any byte may be part of the name. */
static gs_status
read_name(const char *text, struct gs_keydef *key)
{
	const char *colon = strrchr(text, ':'), *at = text + 1;
	unsigned letters = 0;

	key->sought = true;
	key->name = text;
	if (*text == '"') {
		while (*at != '\0' && (*at != '"' || at[1] == '"'))
			at += *at == '"' ? 2 : 1;
		key->name_bytes = (size_t)(at + 1 - text);
		if (*at == '"' && at[1] == '\0')
			at++;
		else if (*at == '"' && at[1] == ':')
			at = read_word(at + 2, &key->letters);
		else
			at = text;
		return *at == '\0' && key->name_bytes > 2 ? GS_OK
		       : refuse(text, "the form is \"NAME\"[:LETTERS], with quotes in NAME doubled");
	}
	key->name_bytes = strlen(text);
	if (colon != NULL && *read_word(colon + 1, &letters) == '\0') {
		key->letters = letters;
		key->name_bytes = (size_t)(colon - text);
	}
	return key->name_bytes > 0 ? GS_OK : refuse(text, "the name of a column is missing");
}

gs_status
gs_keydef_read(const char *text, bool names, struct gs_keydef *key)
{
	const char *at = text;
	bool point;

	*key = (struct gs_keydef){ .end_field = GS_LINE_END };
	if (names && !gs_is_digit(*begin_number(text)))
		return read_name(text, key);
	TRY(read_position(text, &at, &key->begin_field, &key->begin_char, &point));
	if (point && key->begin_char == 0)
		return refuse(text, "characters count from 1");
	key->begin_field--;
	key->begin_char -= point;
	if (key->begin_field == 0 && key->begin_char == 0)
		key->begin_field = GS_LINE_BEGIN;
	at = read_letters(at, GS_LETTER_B_BEGIN, &key->letters);
	if (*at == ',') {
		at++;
		TRY(read_position(text, &at, &key->end_field, &key->end_char, &point));
		key->end_field--;
		at = read_letters(at, GS_LETTER_B_END, &key->letters);
	}
	if (strncmp(at, ":ip", 3) == 0 || strncmp(at, ":time", 5) == 0) {
		at = read_word(at + 1, &key->letters);
		if (key->end_field != gs_keydef_first_field(key))
			return refuse(text, "an address or a time is one field: -k3,3:ip; a date and a time "
			              "between blanks sort as text: -k1,1 -k2,2");
		if (*at != '\0')
			return refuse(text, "behind ip or time there is only b or r");
	}
	if (names && *at == ':')
		return refuse(text, "letters follow a number, as in -k2,2n; a name that begins with a digit "
		              "is quoted, as in -k '\"2024\":n'");
	if (*at == 'R')
		return refuse(text, "R (random order) is not supported; use shuf(1)");
	if (*at == ':')
		return refuse(text, "letters follow the number at once, as in -k5,5nr or -k5,5g; behind a "
		              "colon there is ip or time");
	if (*at == '\0')
		return GS_OK;
	return gs_fail(GS_EUSAGE, "invalid key '%s': '%c' is not one of the letters bdfghiMnrV, and the "
	               "form is FIELD[.CHAR][LETTERS][,FIELD[.CHAR][LETTERS]]", text, *at);
}

gs_status
gs_keydef_complete(struct gs_keydef *keys, size_t count, unsigned all)
{
	for (struct gs_keydef *key = keys; key < keys + count; key++) {
		const unsigned letters = key->letters = key->letters != 0 ? key->letters : all;
		const unsigned exclusive = letters & (GS_LETTER_N | GS_LETTER_G | GS_LETTER_H | GS_LETTER_M |
		                                      GS_LETTER_IP | GS_LETTER_TIME);
		char list[LETTERS + 1];
		size_t listed = 0;

		key->ordering = letters & GS_LETTER_N ? GS_BY_NUMBER : letters & GS_LETTER_G ? GS_BY_FLOAT :
		                letters & GS_LETTER_H ? GS_BY_SIZE : letters & GS_LETTER_M ? GS_BY_MONTH :
		                letters & GS_LETTER_V ? GS_BY_VERSION : letters & GS_LETTER_IP ? GS_BY_IP :
		                letters & GS_LETTER_TIME ? GS_BY_TIME : GS_BY_BYTES;
		/* V and d or i go together, as in sort(1) */
		if (__builtin_popcount(exclusive) +
		    ((letters & (GS_LETTER_V | GS_LETTER_D | GS_LETTER_I)) != 0) <= 1)
			continue;
		if (letters & (GS_LETTER_IP | GS_LETTER_TIME))
			return gs_fail(GS_EUSAGE, "a key has one order: ip, time, or that of its letters");
		for (size_t l = 0; l < LETTERS; l++)
			if (letters & letters_of[l].bits & ~(unsigned)(GS_LETTERS_B | GS_LETTER_R) &&
			    !(letters_of[l].letter == 'i' && letters & GS_LETTER_D))
				list[listed++] = letters_of[l].letter;
		list[listed] = '\0';
		return gs_fail(GS_EUSAGE, "options '-%s' are incompatible", list);
	}
	return GS_OK;
}

void
gs_keydef_place(struct gs_keydef *key, size_t field)
{
	key->sought = false;
	key->begin_field = field > 0 ? field : GS_LINE_BEGIN;
	key->begin_char = 0;
	key->end_field = field;
	key->end_char = 0;
}
