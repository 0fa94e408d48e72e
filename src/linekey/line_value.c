// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_value.c - the numbers in the first keys of lines, as ordered bits of f64
 *
 * In:   lines, and an order whose first key is strict: n, g or h.
 * Out:  a key for each, as for a float as text.
 *
 * A decimal number of at most 15 digits and 22 decimals is rounded once, by a division of two exact
 * numbers (W. Clinger, "How to read floating point numbers accurately", 1990).  Any other number is
 * copied.
 */
#include <math.h>
#include <string.h>

#include "linekey/key_text.h"
#include "text/line.h"
#include "linekey/line_order.h"
#include "linekey/line_words.h"

enum {
	EXACT_DIGITS = 15,
	MOST_BYTES = GS_FLOAT_TEXT_BYTES,
};

enum verdict { NUMBER, ROUNDED, INFINITE, MISSING, WRONG };

bool
gs_line_order_has_value(const struct gs_line_order *order)
{
	const enum gs_ordering ordering = order->key_count > 0 ? order->keys[0].ordering : GS_BY_BYTES;

	return ordering == GS_BY_NUMBER || ordering == GS_BY_FLOAT || ordering == GS_BY_SIZE;
}

/* ---- one number ------------------------------------------------------------------ */

/*
 * Read the usual number from AT to LIMIT, or to a separator before it.  Digits end before READABLE.
 * False: it is another.  gs_number_scan() takes a fifth more instructions.
 */
static inline bool
read_usual(const unsigned char *at, const unsigned char *limit, int separator,
           const unsigned char *readable, double *value)
{
	unsigned digits, decimals = 0;
	uint64_t number = 0;
	bool negative;

	while (at < limit && gs_is_blank(*at) && *at != separator)
		at++;
	if (at == limit)
		return false;
	negative = *at == '-';
	at += negative;
	digits = gs_number_take(&at, readable, EXACT_DIGITS, &number);
	if (digits == 0)
		return false;
	if (at < limit && *at == '.' && separator != '.') {
		at++;
		decimals = gs_number_take(&at, readable, EXACT_DIGITS - digits, &number);
	}
	if (at < limit && *at != separator && !(separator == GS_NO_SEPARATOR && gs_is_blank(*at)) &&
	    !(*at == '\r' && at + 1 == limit))
		return false;
	*value = (double)(int64_t)number / (double)(int64_t)gs_digits_power[decimals];
	if (negative)
		*value = -*value;
	return true;
}

/* Read all of TEXT, which is not at fault, as a number. */
static enum verdict
read_any(enum gs_ordering ordering, const struct gs_key_text *text, double *value)
{
	unsigned char copy[MOST_BYTES + 1];
	const unsigned char *from = text->at, *to = text->end;
	const char *at, *end, *point;
	size_t bytes;
	enum gs_float found;
	bool infinite;
	int power = 0;

	if (!gs_key_text_is_plain(text)) {
		from = copy;
		to = copy + gs_key_text_copy(*text, copy, sizeof copy);
	}
	bytes = gs_noted_trim(&from, to);
	at = (const char *)from;
	end = at + bytes;
	if (bytes == 0)
		return MISSING;
	for (const char *suffix = at; ordering == GS_BY_SIZE && suffix < end; suffix++)
		if ((power = gs_suffix_rank(*suffix)) > 0)
			end = suffix;
	/* cut off a point and zeros behind an integer */
	for (point = end; point > at && point[-1] == '0'; )
		point--;
	if (point - at > 1 && point[-1] == '.' && gs_is_digit(point[-2]))
		end = point - 1;
	found = end - at <= MOST_BYTES ? gs_float_read(at, end, value) : GS_FLOAT_NONE;
	if (found == GS_FLOAT_NONE)	/* too long, or a NaN with a payload */
		*value = gs_float_value(*text);
	infinite = found == GS_FLOAT_GOOD && isinf(*value);
	*value = ldexp(*value, 10 * power);
	return isinf(*value) && !infinite ? INFINITE : found == GS_FLOAT_INEXACT ? ROUNDED : NUMBER;
}

/* Read the number of LINE .. END, which has no terminator. */
static inline enum verdict
read_line(const struct gs_line_order *order, const char *line, const char *end,
          const unsigned char *readable, bool missing, double *value)
{
	const struct gs_keydef *key = &order->keys[0];
	const char *quote = order->fields.csv ? memchr(line, '"', (size_t)(end - line)) : NULL;
	const uint32_t bytes = (uint32_t)(end - line) + 1;
	struct gs_field_walk walk = { .line = line, .end = end, .at = line };
	struct gs_key_text text = { .map = NULL };
	size_t fault;

	if (!gs_line_find_before(&order->fields, key, &walk, quote, &text))
		gs_field_find(&order->fields, key, line, end, &text);
	if (key->usual && gs_key_text_is_plain(&text) &&
	    read_usual(text.at, text.end, order->fields.separator, readable, value))
		return NUMBER;
	if (gs_line_fault_find(order, missing, &line, &bytes, 1, &fault) == 0)
		return WRONG;
	gs_field_find(&order->fields, key, line, end, &text);
	return read_any(key->ordering, &text, value);
}

/* ---- interface -------------------------------------------------------------------- */

size_t
gs_line_values(const struct gs_line_order *order, bool missing, const char *const *lines,
               const uint32_t *bytes, size_t count, struct gs_line_values *to)
{
	const unsigned char *readable = (const unsigned char *)lines[count - 1] + bytes[count - 1];
	double value = 0;

	for (size_t i = 0; i < count; i++) {
		const enum verdict verdict = read_line(order, lines[i], lines[i] + bytes[i] - 1, readable,
		                                       missing, &value);

		if (verdict == WRONG)
			return i;
		if ((verdict == ROUNDED || verdict == INFINITE) && to->rounded == NULL) {
			to->rounded = lines[i];
			to->infinite = verdict == INFINITE;
		}
		if (verdict == MISSING)
			to->missing++;
		else
			to->keys[to->count++] = gs_line_float_key(value == 0 ? 0 : value) ^ to->flip;
	}
	return count;
}
