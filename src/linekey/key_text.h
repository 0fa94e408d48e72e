// SPDX-License-Identifier: BSD-2-Clause
/*
 * key_text.h - the text of a key byte by byte, after its letters and CSV's quotes are applied; and the
 *              orders of keys
 *
 * Most keys are plain: their bytes are the line's.  Others lose bytes (d, i, quotes) or
 * change them (f), so code that handles all keys calls gs_key_text_next() instead of looking at
 * memory.  A copy of the struct reads the same text again.
 */
#ifndef GS_KEY_TEXT_H
#define GS_KEY_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/byte_order.h"
#include "gsort.h"

struct gs_locale;

struct gs_key_text {
	const unsigned char *at, *end;
	const int16_t *map;	/* of each byte: what it becomes, or -1: it does not count; NULL: itself */
	bool           csv;	/* quotes surround a field, and two of them are one */
	bool           quoted;	/* with CSV: AT is between quotes, */
	bool           inside;	/* or in a field, where a quote is data */
	char           separator;	/* with CSV: of fields */
	size_t         left;	/* with CSV: bytes at most */
	const struct gs_locale *locale;	/* of numbers and months; NULL: C */
};

/** Are its bytes simply those from AT to END? */
static inline bool
gs_key_text_is_plain(const struct gs_key_text *text)
{
	return text->map == NULL && !text->csv;
}

/* The next byte of fields of CSV without their quotes; -1: the end. */
static inline int
gs_key_text_unquoted(struct gs_key_text *text)
{
	while (text->at < text->end && text->left > 0) {
		const unsigned char c = *text->at++;

		if (c == '"' && !text->quoted && !text->inside) {
			text->quoted = text->inside = true;
			continue;
		}
		if (c == '"' && text->quoted) {
			if (text->at == text->end || *text->at != '"') {
				text->quoted = false;
				continue;
			}
			text->at++;
		}
		text->inside = text->quoted || (char)c != text->separator;
		text->left--;
		return c;
	}
	return -1;
}

/** Take the next byte; -1: the end. */
static inline int
gs_key_text_next(struct gs_key_text *text)
{
	for (;;) {
		const int c = text->csv ? gs_key_text_unquoted(text) :
		              text->at < text->end ? *text->at++ : -1;

		if (c < 0 || text->map == NULL)
			return c;
		if (text->map[c] >= 0)
			return text->map[c];
	}
}

/** The next byte, without taking it; -1: the end. */
static inline int
gs_key_text_peek(const struct gs_key_text *text)
{
	struct gs_key_text copy = *text;

	return gs_key_text_next(&copy);
}

/** Copy up to ROOM bytes of TEXT; returns how many. */
static inline size_t
gs_key_text_copy(struct gs_key_text text, unsigned char *into, size_t room)
{
	size_t bytes = 0;
	int c;

	while (bytes < room && (c = gs_key_text_next(&text)) >= 0)
		into[bytes++] = (unsigned char)c;
	return bytes;
}

/** Is C a blank, as sort(1) has it in the C locale?  A newline is one in lines that end in NUL. */
static inline bool
gs_is_blank(int c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static inline bool
gs_is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static inline bool
gs_is_letter(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/** The value of a hexadecimal digit; -1: C is not one. */
static inline int
gs_hex_digit(int c)
{
	return gs_is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 :
	       c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/** Take all blanks, then one more byte; -1: the end. */
static inline int
gs_key_text_next_nonblank(struct gs_key_text *text)
{
	int c;

	do
		c = gs_key_text_next(text);
	while (gs_is_blank(c));
	return c;
}

/* Where a key's text becomes words: bytes of a key that memcmp(3) orders.  Only eight of them are
 * wanted, the ones after SKIP. */
struct gs_key_bytes {
	uint64_t word;		/* the first byte is the highest; bytes that are not there yet are 0 */
	unsigned got;		/* bytes in WORD; 8 or more: it is full */
	size_t   skip;
	uint64_t flip;		/* UINT64_MAX: descending; or 0.  A negative number inverts it, so it is set
				 * for each key */
};

/** Append the highest COUNT bytes of WORD, 1 to 8; returns true when eight are there. */
static inline bool
gs_key_bytes_put_some(struct gs_key_bytes *bytes, uint64_t word, unsigned count)
{
	if (bytes->skip >= count) {
		bytes->skip -= count;
		return false;
	}
	word = (word ^ bytes->flip) & UINT64_MAX << (64 - 8 * count);
	bytes->word |= word << 8 * bytes->skip >> 8 * bytes->got;
	bytes->got += count - (unsigned)bytes->skip;
	bytes->skip = 0;
	return bytes->got >= 8;
}

/** Append a byte; returns true when eight are there. */
static inline bool
gs_key_bytes_put(struct gs_key_bytes *bytes, uint8_t byte)
{
	return gs_key_bytes_put_some(bytes, (uint64_t)byte << 56, 1);
}

/** Append the lowest COUNT bytes of NUMBER, the highest of them first; returns true when eight are
 *  there. */
static inline bool
gs_key_bytes_put_number(struct gs_key_bytes *bytes, uint64_t number, unsigned count)
{
	return gs_key_bytes_put_some(bytes, number << (64 - 8 * count), count);
}

/* Not 0 if one of eight bytes is 0 or 1. */
static inline uint64_t
gs_low_bytes(uint64_t word)
{
	return (word - 0x0202020202020202) & ~word & 0x8080808080808080;
}

/* Eight bytes, 'a' to 'z' as upper case. */
static inline uint64_t
gs_upper_eight(uint64_t word)
{
	const uint64_t low = word & 0x7f7f7f7f7f7f7f7f;
	const uint64_t from_a = low + 0x1f1f1f1f1f1f1f1f, behind_z = low + 0x0505050505050505;

	return word ^ (~word & (from_a ^ behind_z) & 0x8080808080808080) >> 2;
}

/* The COUNT bytes at AT, 0 to 8, the first one highest, and then 0.  READABLE: where memory ends. */
static inline uint64_t
gs_load_some(const unsigned char *at, size_t count, const unsigned char *readable)
{
	uint64_t word = 0;
	uint32_t first, last;

	if (readable - at >= 8) {
		memcpy(&word, at, sizeof word);
		return count == 0 ? 0 : be64toh(word) & UINT64_MAX << (64 - 8 * count);
	}
	if (count >= 4) {
		memcpy(&first, at, sizeof first);
		memcpy(&last, at + count - 4, sizeof last);
		return (uint64_t)be32toh(first) << 32 | (uint64_t)be32toh(last) << (64 - 8 * count);
	}
	for (size_t i = 0; i < count; i++)
		word |= (uint64_t)at[i] << (56 - 8 * i);
	return word;
}

/**
 * Append a string, so that two strings compare by memcmp(3), then by length, whatever follows them.  The
 * end is written as 0; a byte below 2 as 1 and then the byte plus 1.
 */
static inline bool
gs_key_bytes_put_slowly(struct gs_key_bytes *bytes, struct gs_key_text text)
{
	int c;

	while ((c = gs_key_text_next(&text)) >= 0)
		if ((c < 2 && gs_key_bytes_put(bytes, 1)) ||
		    gs_key_bytes_put(bytes, (uint8_t)(c < 2 ? c + 1 : c)))
			return true;
	return gs_key_bytes_put(bytes, 0);
}

/* As gs_key_bytes_put_slowly(), for a string that has a byte below 2; rare. */
static __attribute__((noinline, unused)) bool
gs_key_bytes_put_low(struct gs_key_bytes *bytes, const unsigned char *at, const unsigned char *end,
                     const int16_t *map)
{
	const struct gs_key_text text = { .at = at, .end = end, .map = map };

	return gs_key_bytes_put_slowly(bytes, text);
}

/* gs_key_bytes_put_plain() where the word is eight bytes of the string at AT, behind SKIP others, and none of
 * these 8 + SKIP is below 2.  False: not so, or not known. */
static inline bool
gs_key_bytes_take_eight(struct gs_key_bytes *bytes, const unsigned char *at,
                        const unsigned char *end, const int16_t *map)
{
	uint64_t first, word;

	if (bytes->got > 0 || bytes->skip > 8 || (size_t)(end - at) < bytes->skip + 8)
		return false;
	memcpy(&first, at, sizeof first);
	memcpy(&word, at + bytes->skip, sizeof word);
	if ((gs_low_bytes(first) | gs_low_bytes(word)) != 0)
		return false;
	if (map != NULL)
		word = gs_upper_eight(word);
	bytes->word = be64toh(word) ^ bytes->flip;
	bytes->got = 8;
	bytes->skip = 0;
	return true;
}

/* The same as gs_key_bytes_put_plain(), eight bytes at a time. */
static inline bool
gs_key_bytes_put_parts(struct gs_key_bytes *bytes, const unsigned char *at, const unsigned char *end,
                       const int16_t *map, const unsigned char *readable)
{
	for (;; at += 8) {
		const size_t left = (size_t)(end - at), count = left < 8 ? left : 8;
		uint64_t word = gs_load_some(at, count, readable);

		if (gs_low_bytes(count < 8 ? word | UINT64_MAX >> 8 * count : word) != 0)
			return gs_key_bytes_put_low(bytes, at, end, map);
		if (map != NULL)
			word = gs_upper_eight(word);
		if (gs_key_bytes_put_some(bytes, word, count < 8 ? (unsigned)count + 1 : 8))
			return true;
		if (count < 8)
			return false;
	}
}

/** The same for the bytes from AT to END; with MAP, as upper case.  Bytes before READABLE may be
 *  loaded. */
static inline bool
gs_key_bytes_put_plain(struct gs_key_bytes *bytes, const unsigned char *at, const unsigned char *end,
                       const int16_t *map, const unsigned char *readable)
{
	return gs_key_bytes_take_eight(bytes, at, end, map) ||
	       gs_key_bytes_put_parts(bytes, at, end, map, readable);
}

/** The same for any text. */
static inline bool
gs_key_bytes_put_text(struct gs_key_bytes *bytes, struct gs_key_text text)
{
	return gs_key_text_is_plain(&text)
	       ? gs_key_bytes_put_plain(bytes, text.at, text.end, NULL, text.end)
	       : gs_key_bytes_put_slowly(bytes, text);
}

/* ---- decimal numbers and months: the orders n, h and M of sort(1) (key_number.c) ---- */

/*
 * Numbers are exact and of any length.  Each order has a comparison, and a form as bytes in the same order.
 */

/** Less than, equal to or greater than 0, for two decimal numbers; text that is not a number counts as 0. */
int gs_number_compare(struct gs_key_text one, struct gs_key_text other);

/** Append the number; returns true when eight bytes are there. */
bool gs_number_put(struct gs_key_bytes *bytes, struct gs_key_text text);

/** The same for numbers with a suffix: first by sign and suffix, then by number. */
int  gs_size_compare(struct gs_key_text one, struct gs_key_text other);
bool gs_size_put(struct gs_key_bytes *bytes, struct gs_key_text text);

/** The month that a text begins with, from 1; 0: none.  *BYTES, unless NULL: how long its name is. */
int gs_month_of(struct gs_key_text text, size_t *bytes);

/** Where digits end; THOUSANDS may stand between two, and more may follow POINT.  AT if there is no digit.
 *  GS_NO_BYTE matches no byte. */
const unsigned char *gs_number_end(const unsigned char *at, const unsigned char *end, int point,
                                   int thousands);

/* ---- floats: the order g of sort(1) (key_float.c) --------------------------------- */

/*
 * A key is what strtold(3) makes of its beginning in its locale: decimal, hexadecimal, infinity
 * or NaN.  The order: other text, NaN with a minus sign, other NaNs, then numbers; -0 equals
 * 0.  sort(1) up to 9.1 orders NaNs by their bits, later ones as here.
 */

/** Less than, equal to or greater than 0. */
int gs_float_compare(struct gs_key_text one, struct gs_key_text other);

/** Append the key; returns true when eight bytes are there. */
bool gs_float_put(struct gs_key_bytes *bytes, struct gs_key_text text);

/** The key. */
double gs_float_value(struct gs_key_text text);

/** How many bytes from AT on are a float, with the space before it; 0: none. */
size_t gs_float_length(const struct gs_locale *locale, const unsigned char *at, const unsigned char *end);

/* ---- IPv4 addresses and times ----------------------------------------------------- */

/*
 * As text/notation.h reads them.  Any other text has been refused (line_fault.c).
 */

/** Less than, equal to or greater than 0. */
int gs_noted_compare(enum gsort_notation notation, struct gs_key_text one, struct gs_key_text other);

/** Append the key; returns true when eight bytes are there.  No key begins with a byte of 0. */
bool gs_noted_put(struct gs_key_bytes *bytes, enum gsort_notation notation, struct gs_key_text text);

/** Skip the blanks at *AT; returns the length up to END without trailing blanks or CR. */
size_t gs_noted_trim(const unsigned char **at, const unsigned char *end);

/* ---- versions: the order V of sort(1) (key_version.c) ----------------------------- */

/*
 * As "Version sort ordering" in the manual of the GNU coreutils describes it, in their newest
 * release: numbers within the text compare as numbers, and suffixes like ".tar.gz" only if what is
 * before them is equal.  A key that is only a suffix does not count as one there; in 9.1 it did.
 */

/** Less than, equal to or greater than 0. */
int gs_version_compare(struct gs_key_text one, struct gs_key_text other);

/** Append the key; returns true when eight bytes are there. */
bool gs_version_put(struct gs_key_bytes *bytes, struct gs_key_text text);

#endif
