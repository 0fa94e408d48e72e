// SPDX-License-Identifier: BSD-2-Clause
/*
 * number_word.h - the first word of a decimal number, read fast
 *
 * For key_number.c, which has the rest, and for line_words.c, where it is the hot loop.
 */
#ifndef GS_NUMBER_WORD_H
#define GS_NUMBER_WORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "format/key_text.h"
#include "format/line.h"

/*
 * The first byte of a number.  A negative number has the complement of all bytes of its absolute
 * value.  An exponent that does not fit is in eight bytes of its own, behind FAR or NEAR.
 */
enum {
	GS_NUMBER_ZERO = 0x80,
	GS_NUMBER_NEAR = 0x81,		/* of the exponents below LEAST */
	GS_NUMBER_EXPONENT_0 = 0xc0,
	GS_NUMBER_FAR = 0xff,		/* of those above MOST */
	GS_NUMBER_MOST = GS_NUMBER_FAR - GS_NUMBER_EXPONENT_0 - 1,
	GS_NUMBER_LEAST = GS_NUMBER_NEAR - GS_NUMBER_EXPONENT_0 + 1,
	GS_NUMBER_CHUNK = 16,		/* digits in seven bytes */
};

static const uint64_t gs_number_powers[GS_NUMBER_CHUNK + 1] = {
	1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000,
	100000000000, 1000000000000, 10000000000000, 100000000000000, 1000000000000000,
	10000000000000000,
};

static inline bool
gs_is_digit(int c)
{
	return c >= '0' && c <= '9';
}

/** Seven bytes: up to 16 digits, and whether more follow. */
static inline uint64_t
gs_number_chunk(uint64_t digits, unsigned count, bool more)
{
	return digits * gs_number_powers[GS_NUMBER_CHUNK - count] << 2 | more;
}

/* Take up to eight digits from the eight bytes at AT; see format/line.h for how.  *COUNT is how many
 * there are. */
static inline uint64_t
gs_number_eight(const unsigned char *at, unsigned *count)
{
	const uint64_t word = gs_line_eight((const char *)at), other = gs_line_other(word);

	*count = other == 0 ? 8 : gs_line_digits_before(other);
	return other == 0 ? gs_line_join(word) : gs_line_join_some(word, *count);
}

/* Take at most ROOM digits, and append them to *DIGITS; returns how many. */
static inline unsigned
gs_number_take(const unsigned char **at, const unsigned char *end, unsigned room, uint64_t *digits)
{
	unsigned count = 0, some;

	while (end - *at >= 8 && count + 8 <= room) {
		const uint64_t part = gs_number_eight(*at, &some);

		*digits = *digits * gs_number_powers[some] + part;
		*at += some;
		count += some;
		if (some < 8 || *at == end || !gs_is_digit(**at))
			return count;
	}
	for (; *at < end && gs_is_digit(**at) && count < room; ++*at, count++)
		*digits = 10 * *digits + (unsigned)(**at - '0');
	return count;
}

/**
 * The first eight bytes of gs_number_put(), if the text from *BEGIN to END is the usual number: at most
 * 16 digits that count.
 *
 * @return  true: *WORD is set, and it is all of the number; *BEGIN is behind it
 */
static inline bool
gs_number_word(const unsigned char **begin, const unsigned char *end, uint64_t *word)
{
	const unsigned char *at = *begin;
	uint64_t digits = 0;
	bool negative;
	int exponent;
	unsigned count;

	while (at < end && gs_is_blank(*at))
		at++;
	negative = at < end && *at == '-';
	at += negative;
	while (at < end && *at == '0')
		at++;
	count = gs_number_take(&at, end, GS_NUMBER_CHUNK, &digits);
	exponent = (int)count;
	if (at < end && *at == '.') {
		at++;
		if (count == 0)
			for (; at < end && *at == '0' && exponent > GS_NUMBER_LEAST; at++)
				exponent--;
		count += gs_number_take(&at, end, GS_NUMBER_CHUNK - count, &digits);
	}
	if (at < end && gs_is_digit(*at))
		return false;		/* too many digits, or zeros */
	*begin = at;
	if (digits == 0) {
		*word = (uint64_t)GS_NUMBER_ZERO << 56;
		return true;
	}
	*word = (uint64_t)(GS_NUMBER_EXPONENT_0 + exponent) << 56 |
	        gs_number_chunk(digits, count, false);
	if (negative)
		*word = ~*word;
	return true;
}

#endif
