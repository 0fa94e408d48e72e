// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_place.c - what of a line a key is, as --debug marks it and figures read it
 *
 * In:   a line, and one of the keys of its order.
 * Out:  the first and the last byte that count, as sort(1) underlines them.
 */
#include "linekey/collation.h"
#include "linekey/key_text.h"
#include "linekey/keydef.h"
#include "linekey/line_order.h"
#include "linekey/line_words.h"

void
gs_line_key_place(const struct gs_line_order *order, size_t key, const char *line, size_t bytes,
                  size_t *begin, size_t *end)
{
	const char *limit = gs_line_content_end(order, line, bytes);
	const struct gs_keydef *keydef = &order->keys[key];
	const enum gs_ordering ordering = keydef->ordering;
	struct gs_key_text text = { .locale = keydef->locale };
	struct gs_key_text number;
	const unsigned char *blanks_end;
	size_t month_bytes = 0;

	gs_field_find(&order->fields, keydef, line, limit, &text);
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
