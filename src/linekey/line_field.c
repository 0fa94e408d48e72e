// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_field.c - find where in a line a key is
 *
 * In:   a line without terminator, and a key's positions.
 * Out:  the text of the key.
 *
 * The end of a key is counted from the beginning of the line, not of the key, so a key of one field that
 * begins with the field's first character takes one walk (gs_field_find()), and any other key takes two.
 */
#include <string.h>

#include "linekey/keydef.h"
#include "linekey/skip.h"

/* ---- walks over fields ---------------------------------------------------------- */

/* The end of the field that begins at AT. */
static const char *
end_of_field(const struct gs_fields *fields, const char *at, const char *end)
{
	if (fields->separator == GS_NO_SEPARATOR)
		return gs_skip_blank_fields(at, end, 1);
	if (fields->csv && at < end && *at == '"') {
		/* go behind the quote that closes it: two of them do not */
		do
			at = memchr(at + 1, '"', (size_t)(end - at - 1));
		while (at != NULL && ++at < end && *at == '"');
		if (at == NULL)
			return end;
	}
	at = memchr(at, fields->separator, (size_t)(end - at));
	return at != NULL ? at : end;
}

/* Skip COUNT fields, each with the separator behind it; END: the line has fewer. */
static const char *
skip_fields(const struct gs_fields *fields, const char *at, const char *end, size_t count)
{
	if (fields->separator == GS_NO_SEPARATOR)
		return gs_skip_blank_fields(at, end, count);
	if (!fields->csv)
		return gs_skip_separators(at, end, (char)fields->separator, count);
	for (; count > 0 && at < end; count--) {
		at = end_of_field(fields, at, end);
		at += at < end;
	}
	return at;
}

/* Begin to read the fields from AT to END without quotes. */
static struct gs_key_text
unquote(const struct gs_fields *fields, const char *at, const char *end)
{
	return (struct gs_key_text){
		.at = (const unsigned char *)at, .end = (const unsigned char *)end,
		.csv = fields->csv, .separator = (char)fields->separator, .left = SIZE_MAX,
	};
}

/* Skip COUNT bytes of a text, after blanks if BLANKS; returns how many bytes that were. */
static size_t
take(struct gs_key_text *text, bool blanks, size_t count)
{
	struct gs_key_text ahead = *text;
	size_t taken = 0;

	while (blanks && gs_is_blank(gs_key_text_unquoted(&ahead))) {
		*text = ahead;
		taken++;
	}
	for (; count > 0 && gs_key_text_unquoted(text) >= 0; count--)
		taken++;
	return taken;
}

/* Find a KEY that begins in FIELD of a line with quotes, without which its characters count: its end is a
 * number of bytes from FIELD on, and so is its begin. */
static __attribute__((noinline)) void
find_quoted(const struct gs_fields *fields, const struct gs_keydef *key, const char *line, const char *field,
            const char *end, struct gs_key_text *text)
{
	struct gs_key_text last, between;
	const char *limit;
	size_t before, most;

	text->at = (const unsigned char *)field;
	text->end = (const unsigned char *)end;
	text->csv = true;
	before = take(text, (key->letters & GS_LETTER_B_BEGIN) != 0, key->begin_char);
	if (key->end_field == GS_LINE_END)
		return;
	limit = skip_fields(fields, line, end, key->end_field);
	last = unquote(fields, limit, key->end_char == 0 ? end_of_field(fields, limit, end) : end);
	most = take(&last, (key->letters & GS_LETTER_B_END) != 0,
	            key->end_char == 0 ? SIZE_MAX : key->end_char);
	between = limit < field ? unquote(fields, limit, field) : unquote(fields, field, limit);
	*(limit < field ? &before : &most) += take(&between, false, SIZE_MAX);
	text->left = most > before ? most - before : 0;
}

/* ---- interface ------------------------------------------------------------------ */

const char *
gs_field_limit(const struct gs_fields *fields, const struct gs_keydef *key, const char *line,
               const char *end)
{
	const char *at;

	if (key->end_field == GS_LINE_END)
		return end;
	at = skip_fields(fields, line, end, key->end_field);
	return key->end_char == 0 ? end_of_field(fields, at, end)
	       : gs_skip_bytes(at, end, (key->letters & GS_LETTER_B_END) != 0, key->end_char);
}

void
gs_field_find(const struct gs_fields *fields, const struct gs_keydef *key, const char *line,
              const char *end, struct gs_key_text *text)
{
	const bool quotes = fields->csv && memchr(line, '"', (size_t)(end - line)) != NULL;
	const bool skips = (key->letters & GS_LETTER_B_BEGIN) != 0;
	const bool usual = key->end_char == 0 && key->end_field == gs_keydef_first_field(key);
	const char *field = skip_fields(fields, line, end, gs_keydef_first_field(key)), *begin, *limit;

	if (key->strict)
		end = end_of_field(fields, field, end);
	text->quoted = text->inside = false;
	text->separator = (char)fields->separator;
	text->left = SIZE_MAX;
	if (!quotes || (usual && key->begin_char == 0 && !skips)) {
		begin = gs_skip_bytes(field, end, skips, key->begin_char);
		limit = !usual ? gs_field_limit(fields, key, line, end)
		        : key->strict ? end : end_of_field(fields, field, end);
		text->at = (const unsigned char *)begin;
		text->end = (const unsigned char *)(limit > begin ? limit : begin);
		text->csv = quotes && text->at < text->end && *text->at == '"';	/* few fields are */
		return;
	}
	find_quoted(fields, key, line, field, end, text);
}

const char *
gs_field_last(const struct gs_fields *fields, const char *line, const char *end)
{
	const char *limit;

	while ((limit = end_of_field(fields, line, end)) < end)
		line = limit + 1;
	return line;
}

static bool
is_same(struct gs_key_text one, struct gs_key_text other)
{
	int c;

	while ((c = gs_key_text_next(&one)) == gs_key_text_next(&other))
		if (c < 0)
			return true;
	return false;
}

bool
gs_fields_are_same(const struct gs_fields *fields, const char *one, const char *one_end,
                   const char *other, const char *other_end)
{
	const bool blanks = fields->separator == GS_NO_SEPARATOR;

	for (;;) {
		const char *limit = end_of_field(fields, one, one_end);
		const char *other_limit = end_of_field(fields, other, other_end);

		if ((limit < one_end) != (other_limit < other_end) ||
		    !is_same(unquote(fields, one, limit), unquote(fields, other, other_limit)))
			return false;
		if (limit == one_end)
			return true;
		one = limit + !blanks;
		other = other_limit + !blanks;
	}
}

size_t
gs_field_named(const struct gs_fields *fields, const char *line, const char *end,
               const char *name, size_t name_bytes)
{
	const bool blanks = fields->separator == GS_NO_SEPARATOR;
	const struct gs_key_text wanted = {
		.at = (const unsigned char *)name, .end = (const unsigned char *)name + name_bytes,
		.csv = *name == '"', .left = SIZE_MAX,
	};
	size_t found = GS_NO_FIELD;

	for (size_t field = 0; line <= end; field++) {
		const char *limit = end_of_field(fields, line, end);

		if (is_same(unquote(fields, gs_skip_bytes(line, limit, blanks, 0), limit), wanted)) {
			if (found != GS_NO_FIELD)
				return GS_TWO_FIELDS;
			found = field;
		}
		if (limit >= end)
			break;
		line = limit + !blanks;
	}
	return found;
}
