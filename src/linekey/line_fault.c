// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_fault.c - find lines whose keys are not valid numbers, and the bytes of a line that are its key
 *
 * In:   lines, and an order with strict keys, or a key.
 * Out:  the first invalid line, and the reason; why a header lacks the column of a key; the first and the
 *       last byte of a key that count, as sort(1) underlines them.
 *
 * Blanks around a number do not count, nor does a CR after it at the end of the line.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "linekey/collation.h"
#include "linekey/key_text.h"
#include "linekey/line_order.h"
#include "linekey/line_words.h"
#include "text/line.h"
#include "text/notation.h"

enum {
	MOST_BYTES = 4095,	/* of a field with quotes that is a number; as GS_LINE_BYTES */
	SHOWN_BYTES = 40,	/* of a field, in a message */
};

enum verdict { SOUND, MISSING, WRONG };

/* ---- fields as bytes --------------------------------------------------------------- */

/* A field, or more than that, if it is known to end at a separator. */
struct field {
	const unsigned char *at, *end;
	int separator;
};

static bool
ends_at(const struct field *field, const unsigned char *at)
{
	return at == field->end || *at == field->separator ||
	       (field->separator == GS_NO_SEPARATOR && gs_is_blank(*at)) ||
	       (*at == '\r' && at + 1 == field->end);
}

static void
skip_blanks(struct field *field)
{
	while (field->at < field->end && gs_is_blank(*field->at) && *field->at != field->separator)
		field->at++;
}

static enum verdict
judge(enum gs_ordering ordering, struct field field)
{
	const bool is_float = ordering == GS_BY_FLOAT;
	const unsigned char *at, *limit;
	bool negative, sound = false;
	uint64_t magnitude;
	size_t bytes;

	skip_blanks(&field);
	if (ends_at(&field, field.at))
		return MISSING;
	at = limit = field.at;
	switch (ordering) {
	case GS_BY_NUMBER:
	case GS_BY_SIZE:
	case GS_BY_FLOAT:
		at += *at == '-' || (is_float && *at == '+');
		limit = gs_number_end(at, field.end, field.separator == '.' ? GS_NO_BYTE : '.', GS_NO_BYTE);
		sound = limit > at;
		if (ordering == GS_BY_SIZE && limit < field.end && gs_suffix_rank(*limit) > 0) {
			limit++;	/* K, Ki, KB, KiB */
			limit += limit < field.end && *limit == 'i';
			limit += limit < field.end && *limit == 'B';
		}
		if (is_float && sound && limit < field.end && (*limit | 0x20) == 'e') {
			at = limit + 1;
			at += at < field.end && (*at == '-' || *at == '+');
			limit = gs_number_end(at, field.end, GS_NO_BYTE, GS_NO_BYTE);
			sound = limit > at;
		}
		if (is_float && !(sound && ends_at(&field, limit))) {	/* another one, for strtold(3) */
			limit = field.at + gs_float_length(NULL, field.at, field.end);
			sound = limit > field.at;
		}
		break;
	case GS_BY_MONTH:
		sound = gs_month_of((struct gs_key_text){ .at = at, .end = field.end }, NULL) > 0;
		while (!ends_at(&field, limit))
			limit++;
		break;
	case GS_BY_IP:
	case GS_BY_TIME:	/* all of the field */
		while (limit < field.end && *limit != field.separator)
			limit++;
		bytes = gs_noted_trim(&at, limit);
		sound = gs_notation_read(gs_keydef_notation(ordering), (const char *)at,
		                         (const char *)at + bytes, &negative, &magnitude);
		break;
	default:	/* text is always sound, and nobody asks */
		return SOUND;
	}
	field.at = limit;
	if (field.separator != GS_NO_SEPARATOR)
		skip_blanks(&field);
	return sound && ends_at(&field, field.at) ? SOUND : WRONG;
}

/* ---- keys ------------------------------------------------------------------------- */

static enum verdict
judge_text(const struct gs_line_order *order, enum gs_ordering ordering,
           const struct gs_key_text *text)
{
	unsigned char copy[MOST_BYTES + 1];
	struct field field = { text->at, text->end, order->fields.separator };

	if (!gs_key_text_is_plain(text)) {
		const unsigned char *begin = text->at + 1, *end = text->end;
		const bool ends = end > begin && end[-1] == '"' && text->left == SIZE_MAX;

		field = (struct field){ copy, copy, GS_NO_SEPARATOR - 1 };	/* of quotes */
		if (ends && *text->at == '"' && memchr(begin, '"', (size_t)(end - begin)) == end - 1)
			field.at = begin, field.end = end - 1;
		else
			field.end += gs_key_text_copy(*text, copy, sizeof copy);
	}
	return field.end - field.at > MOST_BYTES && field.at == copy ? WRONG : judge(ordering, field);
}

size_t
gs_line_fault_find(const struct gs_line_order *order, bool missing, const char *const *lines,
                   const uint32_t *bytes, size_t count, size_t *key)
{
	const unsigned char *readable = (const unsigned char *)lines[count - 1] + bytes[count - 1];
	const int separator = order->fields.separator, point = separator == '.' ? GS_NO_BYTE : '.';

	for (size_t i = 0; i < count; i++) {
		const char *line = lines[i], *end = line + bytes[i] - 1;
		const char *quote = order->fields.csv ? memchr(line, '"', (size_t)(end - line)) : NULL;
		struct gs_field_walk walk = { .line = line, .end = end, .at = line };
		enum verdict verdict, found = SOUND;

		for (size_t k = 0; k < order->key_count && found != WRONG; k++) {
			const struct gs_keydef *keydef = &order->keys[k];
			struct gs_key_text text = { .map = NULL };
			struct gs_number number;

			if (!keydef->strict)
				continue;
			if (gs_key_is_number(keydef) &&
			    gs_line_find_before(&order->fields, keydef, &walk, quote, &text)) {
				/* the usual number; what is before READABLE may be loaded, as no digit is
				 * behind a line */
				verdict = SOUND;
				if (!gs_number_scan(text.at, readable, point, GS_NUMBER_CHUNK, &number) ||
				    (number.end != text.end && *number.end != separator))
					verdict = judge(keydef->ordering,
					                (struct field){ text.at, text.end, separator });
			} else {
				gs_field_find(&order->fields, keydef, line, end, &text);
				verdict = judge_text(order, keydef->ordering, &text);
			}
			if (verdict == WRONG || (missing && verdict == MISSING && found == SOUND)) {
				*key = k;
				found = verdict;
			}
		}
		if (found != SOUND)
			return i;
	}
	return count;
}

void
gs_line_fault_explain(const struct gs_line_order *order, size_t key, const char *line, size_t bytes,
                      uint64_t number, char reason[GS_LINE_FAULT_BYTES])
{
	static const char *const letters[] = {
		[GS_BY_NUMBER] = "n", [GS_BY_FLOAT] = "g", [GS_BY_SIZE] = "h", [GS_BY_MONTH] = "M",
		[GS_BY_IP] = "ip", [GS_BY_TIME] = "time",
	};
	const struct gs_keydef *keydef = &order->keys[key];
	const bool named = keydef->name != NULL, quoted = named && keydef->name[0] == '"';
	const char *quote = quoted || !named ? "" : "\"";
	const enum gsort_notation notation = gs_keydef_notation(keydef->ordering);
	char copy[GS_HINT_BYTES], shown[GS_EXCERPT_BYTES(SHOWN_BYTES)], column[SHOWN_BYTES + 1];
	char hint[GS_HINT_BYTES] = "";
	struct gs_key_text text = { .map = NULL };
	size_t copied;

	reason[0] = '\0';
	gs_field_find(&order->fields, keydef, line, line + bytes - 1, &text);
	if (judge_text(order, keydef->ordering, &text) == MISSING)
		return;
	snprintf(column, sizeof column, "%zu", keydef->end_field + 1);
	if (named)
		snprintf(column, sizeof column, "%.*s", (int)keydef->name_bytes, keydef->name);
	copied = gs_key_text_copy(text, (unsigned char *)copy, sizeof copy);
	if (number > 0) {
		const struct gs_hinted_field field = {
			.column = keydef->end_field + 1, .named = named, .csv = order->fields.csv,
			.separator = order->fields.separator, .letter = letters[keydef->ordering],
		};

		gs_hint_field(hint, &field, number, copy, copy + copied);
	}
	snprintf(reason, GS_LINE_FAULT_BYTES, "column %s%s%s: not %s: \"%s\"%s", quote, column, quote,
	         notation != GSORT_DECIMAL ? gs_notations[notation].name :
	         keydef->ordering == GS_BY_MONTH ? "a month" :
	         judge_text(order, GS_BY_FLOAT, &text) == SOUND ? "a decimal number" : "a number",
	         gs_excerpt(shown, copy, copied, SHOWN_BYTES), hint);
}

/* ---- what of a line a key is, as --debug marks it and figures read it ---------- */

void
gs_line_key_place(const struct gs_line_order *order, size_t key, const char *line, size_t bytes,
                  size_t *begin, size_t *end)
{
	const char *limit = gs_line_content_end(order, line, bytes);
	const struct gs_keydef *keydef = &order->keys[key];
	const enum gs_ordering ordering = keydef->ordering;
	struct gs_key_text text = { .locale = keydef->locale }, number;
	const unsigned char *blanks_end;
	size_t month_bytes = 0;

	gs_field_find(&order->fields, keydef, line, limit, &text);
	for (number = text; text.csv && gs_key_text_next(&number) >= 0;)
		continue;
	text.end = text.csv ? number.at : text.end;	/* the last byte that counts is before this */
	blanks_end = (const unsigned char *)gs_field_limit(&order->fields, keydef, line, limit);
	if (keydef->begin_field == GS_LINE_BEGIN && blanks_end < text.at)
		text.at = text.end = blanks_end;	/* sort(1) skips no blanks behind the end here */
	number = text;
	/* sort(1) looks for a number behind blanks, even behind the end of a key that ends too early */
	if (blanks_end < text.at)
		blanks_end = (const unsigned char *)limit;
	while (number.at < blanks_end && gs_is_blank(*number.at))
		number.at++;
	if (number.end < number.at)
		number.end = number.at;
	if (number.csv && number.at < number.end && *number.at == '"')
		number.at++;		/* quotes are around the number */
	if (ordering == GS_BY_NUMBER || ordering == GS_BY_SIZE) {
		const unsigned char *digits = number.at + (number.at < number.end && *number.at == '-');
		const unsigned char *after = gs_number_end(digits, number.end,
		                                           gs_locale_point(keydef->locale),
		                                           gs_locale_thousands(keydef->locale));

		if (after > digits && after < number.end && ordering == GS_BY_SIZE)
			after += gs_suffix_rank(*after) > 0;
		number.end = after > digits ? after : number.at;
	} else if (ordering == GS_BY_FLOAT) {
		number.end = number.at + gs_float_length(keydef->locale, number.at, number.end);
	} else if (ordering == GS_BY_MONTH) {
		(void)gs_month_of(text, &month_bytes);
		number.end = number.at + month_bytes;
	} else {
		number = text;
	}
	*begin = (size_t)(number.at - (const unsigned char *)line);
	*end = (size_t)(number.end - (const unsigned char *)line);
}

/* ---- headers ------------------------------------------------------------------- */

/* Why may a header not have a column that its author sees there? */
static const char *
explain_header(int separator, const char *line, size_t bytes)
{
	if (bytes > 0 && *line == '{')
		return "; JSON? put the key of each line before it: jq -r '[.KEY, tojson] | @tsv'";
	if (separator >= 0 && memchr(line, separator, bytes) != NULL)
		return "";
	return separator != ',' && memchr(line, ',', bytes) != NULL ? "; fields between commas need --csv"
	     : memchr(line, ';', bytes) != NULL ? "; fields between semicolons need -t ';'"
	     : separator >= 0 && memchr(line, '\t', bytes) != NULL ? "; fields between tabs need -t '\\t'"
	                                                           : "";
}

/* Cut blanks, quotes and a CR off both ends of *AT .. *END. */
static void
trim_name(const char **at, const char **end)
{
	static const char cut[] = " \"\r";

	while (*at < *end && memchr(cut, **at, sizeof cut - 1) != NULL)
		++*at;
	while (*at < *end && memchr(cut, (*end)[-1], sizeof cut - 1) != NULL)
		--*end;
}

gs_status
gs_line_refuse_header(int separator, const char *name, size_t name_bytes, const char *line,
                      const char *end, bool several)
{
	enum { HEADER_BYTES = 200 };	/* of it, in the message */
	const int between = separator >= 0 ? separator : ' ';
	const char *sought = name, *sought_end = name + name_bytes, *stop;
	char shown[GS_EXCERPT_BYTES(HEADER_BYTES)], near[GS_EXCERPT_BYTES(SHOWN_BYTES)] = "";

	/* a name that differs in capitals, or in blanks around it, was meant */
	trim_name(&sought, &sought_end);
	for (const char *at = line; !several && near[0] == '\0' && at < end; at = stop + (stop < end)) {
		const char *begin = at, *limit;

		stop = memchr(at, between, (size_t)(end - at));
		limit = stop = stop != NULL ? stop : end;
		trim_name(&begin, &limit);
		if (limit - begin == sought_end - sought && limit > begin &&
		    strncasecmp(begin, sought, (size_t)(limit - begin)) == 0)
			gs_excerpt(near, at + (*at == '"'), (size_t)(stop - at - 2 * (*at == '"')),
			           SHOWN_BYTES);
	}
	return gs_fail(GS_EINPUT, "the header has %s '%.*s': \"%s\"%s%s%s",
	               several ? "several columns" : "no column", (int)name_bytes, name,
	               gs_excerpt(shown, line, (size_t)(end - line), HEADER_BYTES),
	               near[0] != '\0' ? "; did you mean '" : "", near,
	               near[0] != '\0' ? "'?" :
	               several ? "; name one by its number, as in -k 1,1n"
	                       : explain_header(separator, line, (size_t)(end - line)));
}
