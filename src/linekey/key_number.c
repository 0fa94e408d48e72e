// SPDX-License-Identifier: BSD-2-Clause
/*
 * key_number.c - keys that are decimal numbers or months: n, h and M of sort(1); addresses and times
 *
 * In:   the text of a key: blanks, an optional "-", digits, and optionally "." and more digits.
 * Out:  a comparison, or bytes with the same order.
 *
 * A number other than 0 is 0.DIGITS times ten to the EXPONENT, where the first and the last digit are not
 * 0.  So numbers compare by sign, exponent and digits, and so do their bytes: one byte for sign and
 * exponent, then seven bytes for every 16 digits.
 */
#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "linekey/collation.h"
#include "linekey/key_text.h"
#include "linekey/line_words.h"
#include "text/notation.h"

/* ---- reading -------------------------------------------------------------------- */

struct number {
	int    sign;		/* -1, 0 or 1 */
	size_t digits;		/* that count */
	int64_t exponent;
	int    next;		/* the byte after the number, if it may be a suffix; -1: none */
	struct gs_key_text text;	/* at the first digit that counts */
};

static struct number
read_number(struct gs_key_text text)
{
	const int decimal = gs_locale_point(text.locale), thousands = gs_locale_thousands(text.locale);
	struct number number = { .text = text };
	size_t digits = 0;	/* from the first that is not 0 */
	int64_t point = 0;	/* of these, before the point; less than 0: zeros after it */
	bool apart = false;	/* a separator of thousands is not between two digits */
	int c, before = -1;

	c = gs_key_text_next_nonblank(&text);
	number.sign = c == '-' ? -1 : 1;
	if (c == '-')
		c = gs_key_text_next(&text);
	for (bool fraction = false;; before = c, c = gs_key_text_next(&text)) {
		apart |= before == thousands && !gs_is_digit(c);
		if (c == thousands && !fraction) {
			apart |= !gs_is_digit(before);
			continue;
		}
		if (c == decimal && !fraction) {
			fraction = true;
			point = (int64_t)digits;
			continue;
		}
		if (!gs_is_digit(c)) {
			number.exponent = fraction ? point : (int64_t)digits;
			break;
		}
		if (c == '0' && digits == 0) {
			point -= fraction;
			continue;
		}
		digits++;
		if (c != '0')
			number.digits = digits;
		if (digits > 1)
			continue;
		number.text = text;	/* which is one byte further */
		number.text.at--;
		number.text.left += text.csv;
	}
	number.next = apart ? -1 : c;
	if (number.digits == 0)
		number.sign = 0;
	return number;
}

/* The next of the digits that count. */
static inline unsigned
next_digit(struct gs_key_text *text)
{
	int c;

	do
		c = gs_key_text_next(text);
	while (c >= 0 && !gs_is_digit(c));	/* a point, or separators of thousands */
	assert(gs_is_digit(c));
	return (unsigned)(c - '0');
}

const unsigned char *
gs_number_end(const unsigned char *at, const unsigned char *end, int point, int thousands)
{
	const unsigned char *const begin = at;
	bool any = false;

	for (; at < end && (gs_is_digit(*at) ||
	     (any && *at == thousands && at + 1 < end && gs_is_digit(at[1]))); at++)
		any = true;
	if (at < end && *at == point)
		for (at++; at < end && gs_is_digit(*at); at++)
			any = true;
	return any ? at : begin;
}

/* ---- n -------------------------------------------------------------------------- */

static int
compare(const struct number *one, const struct number *other)
{
	struct gs_key_text a = one->text, b = other->text;
	const size_t least = one->digits < other->digits ? one->digits : other->digits;
	int difference = one->sign - other->sign;

	if (difference != 0 || one->sign == 0)
		return difference;
	difference = (one->exponent > other->exponent) - (one->exponent < other->exponent);
	for (size_t d = 0; d < least && difference == 0; d++)
		difference = (int)next_digit(&a) - (int)next_digit(&b);
	if (difference == 0)
		difference = (one->digits > other->digits) - (one->digits < other->digits);
	return one->sign * difference;
}

int
gs_number_compare(struct gs_key_text one, struct gs_key_text other)
{
	const struct number a = read_number(one), b = read_number(other);

	return compare(&a, &b);
}

static bool
put_exponent(struct gs_key_bytes *bytes, int64_t exponent)
{
	if (exponent >= GS_NUMBER_LEAST && exponent <= GS_NUMBER_MOST)
		return gs_key_bytes_put(bytes, (uint8_t)(GS_NUMBER_EXPONENT_0 + exponent));
	return gs_key_bytes_put(bytes, exponent > GS_NUMBER_MOST ? GS_NUMBER_FAR : GS_NUMBER_NEAR) ||
	       gs_key_bytes_put_number(bytes, (uint64_t)exponent ^ (uint64_t)1 << 63, 8);
}

static bool
put(struct gs_key_bytes *bytes, struct number *number)
{
	if (number->sign == 0)
		return gs_key_bytes_put_number(bytes, (uint64_t)GS_NUMBER_ZERO << 56, 8);
	if (number->sign < 0)
		bytes->flip = ~bytes->flip;
	if (put_exponent(bytes, number->exponent))
		return true;
	for (size_t left = number->digits; left > 0; ) {
		const unsigned count = left < GS_NUMBER_CHUNK ? (unsigned)left : GS_NUMBER_CHUNK;
		uint64_t digits = 0;

		for (unsigned d = 0; d < count; d++)
			digits = 10 * digits + next_digit(&number->text);
		left -= count;
		if (gs_key_bytes_put_number(bytes, gs_number_chunk(digits, count, left > 0), 7))
			return true;
	}
	return false;
}

/* Put a whole number of 17 to 32 digits, such as a time in nanoseconds, where gs_number_word() fails; *FULL:
 * what put() returns.  False: it is another one, and not put. */
static bool
put_long(struct gs_key_bytes *bytes, const struct gs_key_text *text, bool *full)
{
	const unsigned char *at = text->at, *end = text->end;
	struct gs_number number;
	uint64_t next = 0;
	unsigned count;

	while (gs_is_blank(*at))	/* before a digit */
		at++;
	(void)gs_number_scan(at, end, GS_NO_BYTE, GS_NUMBER_CHUNK, &number);
	count = gs_number_take(&number.end, end, GS_NUMBER_CHUNK, &next);
	if (number.count < GS_NUMBER_CHUNK ||
	    (number.end < end && (gs_is_digit(*number.end) || *number.end == gs_locale_point(text->locale) ||
	                          *number.end == gs_locale_thousands(text->locale))))
		return false;
	if (number.negative)
		bytes->flip = ~bytes->flip;
	*full = put_exponent(bytes, GS_NUMBER_CHUNK + (int64_t)count) ||
	        gs_key_bytes_put_number(bytes, gs_number_chunk(number.digits, number.count, next > 0), 7) ||
	        (next > 0 && gs_key_bytes_put_number(bytes, gs_number_chunk(next, count, false), 7));
	return true;
}

bool
gs_number_put(struct gs_key_bytes *bytes, struct gs_key_text text)
{
	struct number number;
	uint64_t word;
	bool full;

	if (gs_key_text_is_plain(&text)) {
		if (gs_number_word(&text.at, text.end, text.locale, &word))
			return gs_key_bytes_put_some(bytes, word, 8);
		if (put_long(bytes, &text, &full))
			return full;
	}
	number = read_number(text);
	return put(bytes, &number);
}

/* ---- h: first by the rank of the suffix, negative for a number below 0, then as n -------------- */

int
gs_size_compare(struct gs_key_text one, struct gs_key_text other)
{
	const struct number a = read_number(one), b = read_number(other);
	const int difference = a.sign * gs_suffix_rank(a.next) - b.sign * gs_suffix_rank(b.next);

	return difference != 0 ? difference : compare(&a, &b);
}

bool
gs_size_put(struct gs_key_bytes *bytes, struct gs_key_text text)
{
	const uint64_t zero = (uint64_t)GS_NUMBER_ZERO << 56;
	const unsigned char *at = text.at;
	struct number number;
	uint64_t word;

	if (gs_key_text_is_plain(&text) && gs_number_word(&at, text.end, text.locale, &word)) {
		const int rank = at < text.end && word != zero ? gs_suffix_rank(*at) : 0;

		return gs_key_bytes_put(bytes, (uint8_t)(word < zero ? 0x80 - rank : 0x80 + rank)) ||
		       gs_key_bytes_put_some(bytes, word, 8);
	}
	number = read_number(text);
	return gs_key_bytes_put(bytes, (uint8_t)(0x80 + number.sign * gs_suffix_rank(number.next))) ||
	       put(bytes, &number);
}

/* ---- M -------------------------------------------------------------------------- */

/* As sort(1) searches: where a name begins with another, the first that it meets is found. */
static int
month_of_locale(struct gs_key_text text, size_t *bytes)
{
	const struct gs_locale *locale = text.locale;
	char begin[GS_MONTH_BYTES] = "";
	int c = gs_key_text_next_nonblank(&text), low = 0, high = 12;

	for (unsigned i = 0; i < sizeof begin - 1 && c >= 0; i++, c = gs_key_text_next(&text))
		begin[i] = (char)toupper_l(c, locale->handle);
	while (low < high) {
		const int middle = (low + high) / 2;
		const char *name = locale->months[middle].name;
		const int difference = strncmp(begin, name, *bytes = strlen(name));

		if (difference == 0)
			return locale->months[middle].number;
		if (difference < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return 0;
}

int
gs_month_of(struct gs_key_text text, size_t *bytes)
{
#define MONTH(a, b, c)	((a) << 16 | (b) << 8 | (c))
	static const int months[12] = {
		MONTH('J', 'A', 'N'), MONTH('F', 'E', 'B'), MONTH('M', 'A', 'R'), MONTH('A', 'P', 'R'),
		MONTH('M', 'A', 'Y'), MONTH('J', 'U', 'N'), MONTH('J', 'U', 'L'), MONTH('A', 'U', 'G'),
		MONTH('S', 'E', 'P'), MONTH('O', 'C', 'T'), MONTH('N', 'O', 'V'), MONTH('D', 'E', 'C'),
	};
	size_t length = 3;
	int month = 0, name = 0, c;

	if (text.locale != NULL) {
		month = month_of_locale(text, &length);
	} else {
		c = gs_key_text_next_nonblank(&text);
		for (unsigned i = 0; i < 3 && c >= 0; i++, c = gs_key_text_next(&text))
			name = name << 8 | (c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
		for (int m = 0; m < 12 && month == 0; m++)
			month = name == months[m] ? m + 1 : 0;
	}
	if (bytes != NULL)
		*bytes = month > 0 ? length : 0;
	return month;
}

/* ---- IPv4 addresses and times ---------------------------------------------------- */

size_t
gs_noted_trim(const unsigned char **at, const unsigned char *end)
{
	while (*at < end && gs_is_blank(**at))
		++*at;
	while (end > *at && (gs_is_blank(end[-1]) || end[-1] == '\r'))
		end--;
	return (size_t)(end - *at);
}

/* The integer that a text means. */
static __int128
read_noted(enum gsort_notation notation, struct gs_key_text text)
{
	unsigned char copy[64];		/* no address and no time is longer */
	const unsigned char *at = text.at, *end = text.end;
	uint64_t magnitude = 0;
	bool negative = false;
	size_t bytes;

	if (!gs_key_text_is_plain(&text)) {
		while (gs_is_blank(gs_key_text_peek(&text)))
			(void)gs_key_text_next(&text);
		at = copy;
		end = copy + gs_key_text_copy(text, copy, sizeof copy);
	}
	bytes = gs_noted_trim(&at, end);
	(void)gs_notation_read(notation, (const char *)at, (const char *)at + bytes, &negative, &magnitude);
	return negative ? -(__int128)magnitude : (__int128)magnitude;
}

int
gs_noted_compare(enum gsort_notation notation, struct gs_key_text one, struct gs_key_text other)
{
	const __int128 a = read_noted(notation, one), b = read_noted(notation, other);

	return (a > b) - (a < b);
}

bool
gs_noted_put(struct gs_key_bytes *bytes, enum gsort_notation notation, struct gs_key_text text)
{
	const __int128 value = read_noted(notation, text);

	return gs_key_bytes_put(bytes, value < 0 ? 1 : 2) ||
	       gs_key_bytes_put_number(bytes, (uint64_t)value, 8);
}
