// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_words.h - the bytes of usual keys, found and made fast
 *
 * For line_order.c.  A usual key does not end in a field before that in which it begins, and is a number,
 * a month or bytes as they are, in upper case perhaps.
 */
#ifndef GS_LINE_WORDS_H
#define GS_LINE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/key_text.h"
#include "format/keydef.h"
#include "format/skip.h"

/* Keys mostly come in the order of their fields: where the last one was is remembered. */
struct gs_field_walk {
	const char *line, *end;		/* without terminator */
	const char *at;			/* where field number FIELD, from 0, begins */
	size_t      field;
};

/** Is KEY of this kind? */
bool gs_line_key_is_usual(const struct gs_fields *fields, const struct gs_keydef *key);

static inline bool
gs_key_is_number(const struct gs_keydef *key)
{
	return key->ordering == GS_BY_NUMBER || key->ordering == GS_BY_SIZE;
}

/* Go to the beginning of FIELD. */
static inline __attribute__((always_inline)) void
gs_walk_to(const struct gs_fields *fields, struct gs_field_walk *walk, size_t field)
{
	if (field == walk->field)
		return;
	if (field < walk->field) {
		walk->at = walk->line;
		walk->field = 0;
	}
	walk->at = fields->separator == GS_NO_SEPARATOR
	           ? gs_skip_blank_fields(walk->at, walk->end, field - walk->field)
	           : gs_skip_separators(walk->at, walk->end, (char)fields->separator,
	                                field - walk->field);
	walk->field = field;
}

/* Go behind the field; returns where it ends. */
static inline const char *
gs_walk_behind(const struct gs_fields *fields, struct gs_field_walk *walk)
{
	const char *begin = walk->at;

	gs_walk_to(fields, walk, walk->field + 1);
	return fields->separator != GS_NO_SEPARATOR && walk->at > begin &&
	       (unsigned char)walk->at[-1] == fields->separator ? walk->at - 1 : walk->at;
}

/* Behind COUNT bytes from AT on, and with BLANKS behind those before them; or END. */
static inline const char *
gs_walk_bytes(const char *at, const char *end, bool blanks, size_t count)
{
	while (blanks && at < end && gs_is_blank((unsigned char)*at))
		at++;
	return count < (size_t)(end - at) ? at + count : end;
}

/**
 * Find a usual KEY of a line without quotes, if the separators are those of CSV: from *BEGIN to *LIMIT.
 * What is there behind the end of a number does not belong to it.
 */
static inline void
gs_line_find_usual(const struct gs_fields *fields, const struct gs_keydef *key,
                   struct gs_field_walk *walk, const char **begin, const char **limit)
{
	const char *end = walk->end, *field;

	gs_walk_to(fields, walk, key->begin_field == GS_LINE_BEGIN ? 0 : key->begin_field);
	field = walk->at;
	*limit = end;
	if (key->end_char > 0) {
		gs_walk_to(fields, walk, key->end_field);
		*limit = gs_walk_bytes(walk->at, end, (key->letters & GS_LETTER_B_END) != 0,
		                       key->end_char);
	} else if (key->end_field != GS_LINE_END &&
	           (!gs_key_is_number(key) || key->begin_char > 0 ||
	            (field < end && gs_is_blank((unsigned char)*field)))) {
		gs_walk_to(fields, walk, key->end_field);
		*limit = gs_walk_behind(fields, walk);
	}
	*begin = gs_walk_bytes(field, end, (key->letters & GS_LETTER_B_BEGIN) != 0, key->begin_char);
	if (*limit < *begin)
		*limit = *begin;
}

#endif
