// SPDX-License-Identifier: BSD-2-Clause
/*
 * key_noted.c - IPv4 addresses and times as keys of lines
 *
 * In:   the text of a key.
 * Out:  a comparison, or bytes with the same order: the sign of the integer that it means, and the integer.
 */
#include "linekey/key_text.h"
#include "text/notation.h"

enum { MOST_BYTES = 64 };	/* no address and no time is longer */

struct noted {
	bool     negative;
	uint64_t magnitude;
};

size_t
gs_noted_trim(const unsigned char **at, const unsigned char *end)
{
	while (*at < end && gs_is_blank(**at))
		++*at;
	while (end > *at && (gs_is_blank(end[-1]) || end[-1] == '\r'))
		end--;
	return (size_t)(end - *at);
}

static struct noted
read_noted(enum gsort_notation notation, struct gs_key_text text)
{
	unsigned char copy[MOST_BYTES];
	const unsigned char *at = text.at, *end = text.end;
	struct noted value = { .negative = false };
	size_t bytes;

	if (!gs_key_text_is_plain(&text)) {
		while (gs_is_blank(gs_key_text_peek(&text)))
			(void)gs_key_text_next(&text);
		at = copy;
		end = copy + gs_key_text_copy(text, copy, sizeof copy);
	}
	bytes = gs_noted_trim(&at, end);
	(void)gs_notation_read(notation, (const char *)at, (const char *)at + bytes, &value.negative,
	                       &value.magnitude);
	return value;
}

int
gs_noted_compare(enum gsort_notation notation, struct gs_key_text one, struct gs_key_text other)
{
	const struct noted a = read_noted(notation, one), b = read_noted(notation, other);
	const int difference = (a.magnitude > b.magnitude) - (a.magnitude < b.magnitude);

	return a.negative != b.negative ? b.negative - a.negative : a.negative ? -difference : difference;
}

bool
gs_noted_put(struct gs_key_bytes *bytes, enum gsort_notation notation, struct gs_key_text text)
{
	const struct noted value = read_noted(notation, text);

	return gs_key_bytes_put(bytes, value.negative ? 1 : 2) ||
	       gs_key_bytes_put_number(bytes, value.negative ? -value.magnitude : value.magnitude, 8);
}
