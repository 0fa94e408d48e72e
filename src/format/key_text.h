// SPDX-License-Identifier: BSD-2-Clause
/*
 * key_text.h - the text of a key, byte by byte, as its letters and CSV's quotes want it
 *
 * Most keys are plain: their bytes are those of the line.  Others lose bytes (d, i, quotes) or
 * change them (f), so code that handles all keys calls gs_key_text_next() instead of looking at
 * memory.  A copy of the struct reads the same text again.
 */
#ifndef GS_KEY_TEXT_H
#define GS_KEY_TEXT_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct gs_key_text {
	const unsigned char *at, *end;
	const int16_t *map;	/* of each byte: what it becomes, or -1: it does not count; NULL: itself */
	bool           csv;	/* quotes surround a field, and two of them are one */
	bool           quoted;	/* with CSV: AT is between quotes */
	size_t         left;	/* with CSV: at most so many bytes */
};

/** Are its bytes simply those from AT to END? */
static inline bool
gs_key_text_is_plain(const struct gs_key_text *text)
{
	return text->map == NULL && !text->csv;
}

/* The next byte of a CSV field without its quotes; -1: the end. */
static inline int
gs_key_text_unquoted(struct gs_key_text *text)
{
	while (text->at < text->end && text->left > 0) {
		const unsigned char c = *text->at++;

		if (c == '"' && !(text->quoted && text->at < text->end && *text->at == '"')) {
			text->quoted = !text->quoted;
			continue;
		}
		text->at += c == '"';
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

/** Is C a blank, as sort(1) has it in the C locale?  A newline is one in lines that end in NUL. */
static inline bool
gs_is_blank(int c)
{
	return c == ' ' || c == '\t' || c == '\n';
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
 * wanted, those after SKIP. */
struct gs_key_bytes {
	uint64_t word;
	unsigned got;		/* bytes in WORD */
	size_t   skip;
	uint8_t  flip;		/* 0xff: descending */
};

/** Append a byte; returns true when eight are there. */
static inline bool
gs_key_bytes_put(struct gs_key_bytes *bytes, uint8_t byte)
{
	if (bytes->skip > 0) {
		bytes->skip--;
		return false;
	}
	bytes->word = bytes->word << 8 | (byte ^ bytes->flip);
	return ++bytes->got == 8;
}

/** Append the lowest COUNT bytes of NUMBER, the highest of them first; returns true when eight are
 *  there. */
static inline bool
gs_key_bytes_put_number(struct gs_key_bytes *bytes, uint64_t number, unsigned count)
{
	while (count-- > 0)
		if (gs_key_bytes_put(bytes, (uint8_t)(number >> 8 * count)))
			return true;
	return false;
}

/** Append the eight bytes of NUMBER; returns true when eight are there. */
static inline bool
gs_key_bytes_put_eight(struct gs_key_bytes *bytes, uint64_t number)
{
	if (bytes->skip >= 8) {
		bytes->skip -= 8;
		return false;
	}
	if (bytes->skip > 0 || bytes->got > 0)
		return gs_key_bytes_put_number(bytes, number, 8);
	bytes->word = bytes->flip != 0 ? ~number : number;
	bytes->got = 8;
	return true;
}

/* Is one of eight bytes 0 or 1? */
static inline bool
gs_has_low_byte(uint64_t word)
{
	return ((word - 0x0202020202020202) & ~word & 0x8080808080808080) != 0;
}

/**
 * Append a string, so that any other string compares with it as memcmp(3) and then the length say,
 * whatever follows both.  The end is 0, a byte below 2 is 1 and the byte plus 1.
 */
static inline bool
gs_key_bytes_put_text(struct gs_key_bytes *bytes, struct gs_key_text text)
{
	uint64_t word;
	int c;

	while (bytes->got == 0 && gs_key_text_is_plain(&text) && text.end - text.at >= 8 &&
	       (bytes->skip == 0 || bytes->skip >= 8)) {
		memcpy(&word, text.at, sizeof word);
		if (gs_has_low_byte(word))
			break;
		if (gs_key_bytes_put_eight(bytes, be64toh(word)))
			return true;
		text.at += 8;
	}
	while ((c = gs_key_text_next(&text)) >= 0)
		if ((c < 2 && gs_key_bytes_put(bytes, 1)) ||
		    gs_key_bytes_put(bytes, (uint8_t)(c < 2 ? c + 1 : c)))
			return true;
	return gs_key_bytes_put(bytes, 0);
}

#endif
