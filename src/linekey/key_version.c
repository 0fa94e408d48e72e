// SPDX-License-Identifier: BSD-2-Clause
/*
 * key_version.c - keys that are versions: the order V of sort(1)
 *
 * In:   the text of a key.
 * Out:  a comparison, or bytes with the same order.
 *
 * A text consists of parts without digits and of numbers, in turn.  The first part may be empty, and the
 * last number may be missing, which counts as 0.  Parts compare byte by byte: '~' first, then the end of
 * the text, the end of the part, letters, and other bytes.  Numbers of any length compare by value.  The
 * text is first compared without its suffix, then as a whole.
 */
#include <string.h>

#include "linekey/key_text.h"

/* ---- suffixes ------------------------------------------------------------------- */

/* Take "." and a letter or '~', and what follows of letters, digits and '~'; false: it is not there,
 * and *TEXT is unchanged. */
static bool
take_extension(struct gs_key_text *text)
{
	struct gs_key_text ahead = *text;
	int c = gs_key_text_next(&ahead);

	if (c != '.')
		return false;
	c = gs_key_text_next(&ahead);
	if (!gs_is_letter(c) && c != '~')
		return false;
	do {
		*text = ahead;
		c = gs_key_text_next(&ahead);
	} while (gs_is_letter(c) || gs_is_digit(c) || c == '~');
	return true;
}

/* TEXT without its suffix: the longest end of it that is extensions alone, but not all of it. */
static struct gs_key_text
without_suffix(struct gs_key_text text)
{
	struct gs_key_text ahead = text;
	const unsigned char *at = text.end;

	if (!gs_key_text_is_plain(&text)) {
		text.end = text.at;
		while (gs_key_text_next(&ahead) >= 0) {
			text.end = ahead.at;
			while (take_extension(&ahead))
				;
		}
		return text;
	}
	do {	/* from the end back */
		text.end = at;
		while (at > text.at && (gs_is_letter(at[-1]) || gs_is_digit(at[-1]) || at[-1] == '~'))
			at--;
	} while (at < text.end && !gs_is_digit(*at) && at > text.at + 1 && *--at == '.');
	return text;
}

/* ---- parts and numbers ---------------------------------------------------------- */

/* The ranks of bytes in a part. */
enum { TILDE = 1, END, END_OF_PART, FIRST_LETTER };
enum { LETTERS = 52 };

/* A byte that is not a digit; -1: the end of the text. */
static int
rank_of(int c)
{
	if (c < 0)
		return END;
	if (c == '~')
		return TILDE;
	if (c >= 'A' && c <= 'Z')
		return FIRST_LETTER + c - 'A';
	if (c >= 'a' && c <= 'z')
		return FIRST_LETTER + 26 + c - 'a';
	/* of the bytes below C, 52 letters, ten digits and '~' are ranked elsewhere */
	return FIRST_LETTER + LETTERS + c - (c > '9' ? 10 : 0) - (c > 'Z' ? 26 : 0) -
	       (c > 'z' ? 26 : 0) - (c > '~');
}

/* Skip zeros, and count the digits that follow. */
static inline size_t
begin_number(struct gs_key_text *text)
{
	struct gs_key_text ahead;
	size_t digits = 0;

	while (gs_key_text_peek(text) == '0')
		(void)gs_key_text_next(text);
	for (ahead = *text; gs_is_digit(gs_key_text_next(&ahead)); digits++)
		;
	return digits;
}

/* The first things that compare: no text, ".", "..", what else begins with '.', and the rest. */
static int
class_of(struct gs_key_text text)
{
	int c = gs_key_text_next(&text);

	if (c != '.')
		return c < 0 ? 0 : 4;
	c = gs_key_text_next(&text);
	return c < 0 ? 1 : c == '.' && gs_key_text_peek(&text) < 0 ? 2 : 3;
}

/* ---- comparing ------------------------------------------------------------------ */

static int
compare_texts(struct gs_key_text one, struct gs_key_text other)
{
	int difference = 0;

	while (difference == 0) {
		const int a = gs_key_text_peek(&one), b = gs_key_text_peek(&other);
		const bool a_part = a >= 0 && !gs_is_digit(a), b_part = b >= 0 && !gs_is_digit(b);

		if (a < 0 && b < 0)
			return 0;
		if (a_part || b_part) {
			difference = (gs_is_digit(a) ? END_OF_PART : rank_of(a)) -
			             (gs_is_digit(b) ? END_OF_PART : rank_of(b));
			(void)gs_key_text_next(&one);
			(void)gs_key_text_next(&other);
		} else {	/* numbers: that with more digits, or with the larger first one */
			size_t digits = begin_number(&one), others = begin_number(&other);

			difference = (digits > others) - (digits < others);
			for (; digits > 0 && difference == 0; digits--)
				difference = gs_key_text_next(&one) - gs_key_text_next(&other);
		}
	}
	return difference;
}

int
gs_version_compare(struct gs_key_text one, struct gs_key_text other)
{
	const int class = class_of(one), difference = class - class_of(other);
	int result;

	if (difference != 0 || class < 3)
		return difference;
	result = compare_texts(without_suffix(one), without_suffix(other));
	return result != 0 ? result : compare_texts(one, other);
}

/* ---- bytes ---------------------------------------------------------------------- */

static inline __attribute__((always_inline)) bool
put_any(struct gs_key_bytes *bytes, struct gs_key_text text)
{
	for (;;) {
		size_t digits, left;
		int c;

		while ((c = gs_key_text_peek(&text)) >= 0 && !gs_is_digit(c)) {
			if (gs_key_bytes_put(bytes, (uint8_t)rank_of(c)))
				return true;
			(void)gs_key_text_next(&text);
		}
		if (gs_key_bytes_put(bytes, END_OF_PART))
			return true;
		/* the number of digits, as many bytes 255 as fit and the rest; then the digits */
		digits = begin_number(&text);
		for (left = digits; left >= UINT8_MAX; left -= UINT8_MAX)
			if (gs_key_bytes_put(bytes, UINT8_MAX))
				return true;
		if (gs_key_bytes_put(bytes, (uint8_t)left))
			return true;
		for (; digits > 0; digits--)
			if (gs_key_bytes_put(bytes, (uint8_t)gs_key_text_next(&text)))
				return true;
		if (gs_key_text_peek(&text) < 0)
			return gs_key_bytes_put(bytes, END);
	}
}

/* Most texts are plain, and have a loop of their own. */
static bool
put_text(struct gs_key_bytes *bytes, struct gs_key_text text)
{
	return gs_key_text_is_plain(&text)
	       ? put_any(bytes, (struct gs_key_text){ .at = text.at, .end = text.end })
	       : put_any(bytes, text);
}

bool
gs_version_put(struct gs_key_bytes *bytes, struct gs_key_text text)
{
	const int class = class_of(text);

	if (gs_key_bytes_put(bytes, (uint8_t)class))
		return true;
	if (class < 3)
		return false;
	return put_text(bytes, without_suffix(text)) || put_text(bytes, text);
}
