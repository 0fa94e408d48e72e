// SPDX-License-Identifier: BSD-2-Clause
/*
 * line.h - one line of text is a number
 *
 * For decode.h and lines.h, which differ in what they do with it.  The usual line
 * is read inline and at once, any other by line.c, which also says what is wrong.
 *
 * Digits are read eight at a time.  In a 64-bit word, the first byte that is no
 * digit is found with an addition and a subtraction that carry into bit 7; the
 * bytes before it become a number with three multiplications, each joining
 * neighbours: 8 digits to 4 pairs to 2 fours to 1 eight.
 * See D. Lemire, "Number parsing at a gigabyte per second", 2021, section 5.
 */
#ifndef GS_LINE_H
#define GS_LINE_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/status.h"
#include "format/decode.h"
#include "format/floats.h"

enum {
	GS_LINE_BYTES = 4095,		/* the longest line, without its terminator */
	GS_LINE_LOOK_BYTES = 32,	/* most that gs_line_usual() may look at */
	GS_LINE_WARNINGS = 10,		/* so many bad lines are told of, each */
};

/* ---- digits, eight at a time ------------------------------------------- */

static inline uint64_t
gs_line_eight(const char *text)
{
	uint64_t word;

	memcpy(&word, text, sizeof word);
	return le64toh(word);		/* the first byte counts least */
}

/*
 * Bit 7 of the first byte that is no digit, and of some behind it; 0: eight
 * digits.  Only a byte that is no digit carries into the next one.
 */
static inline uint64_t
gs_line_other(uint64_t word)
{
	return ((word + 0x4646464646464646) | (word - 0x3030303030303030)) & 0x8080808080808080;
}

/* The number that eight digits make; bytes of zero in front count as '0'. */
static inline uint64_t
gs_line_join(uint64_t word)
{
	word &= 0x0f0f0f0f0f0f0f0f;
	word = word * 10 + (word >> 8);
	return ((word & 0x000000ff000000ff) * 0x000f424000000064 +
	        (word >> 16 & 0x000000ff000000ff) * 0x0000271000000001) >> 32;
}

/* The number that the first COUNT (0 .. 7) of eight bytes make. */
static inline uint64_t
gs_line_join_some(uint64_t word, unsigned count)
{
	return gs_line_join(word << 8 << (56 - 8 * count));
}

static inline unsigned
gs_line_digits_before(uint64_t other)
{
	return (unsigned)__builtin_ctzll(other) / 8;
}

/*
 * The digits at TEXT, at most 20 and less than 2^64.
 *
 * @return  what comes after them, or NULL: something else, see gs_line_integer()
 */
static inline const char *
gs_line_digits(const char *text, uint64_t *value)
{
	static const uint64_t power_of_ten[8] = {
		1, 10, 100, 1000, 10000, 100000, 1000000, 10000000,
	};
	uint64_t word = gs_line_eight(text), other = gs_line_other(word);
	unsigned digits;

	if (other != 0) {
		digits = gs_line_digits_before(other);
		*value = gs_line_join_some(word, digits);
		return digits > 0 ? text + digits : NULL;
	}
	*value = gs_line_join(word);
	word = gs_line_eight(text + 8);
	other = gs_line_other(word);
	if (other != 0) {
		digits = gs_line_digits_before(other);
		*value = *value * power_of_ten[digits] + gs_line_join_some(word, digits);
		return text + 8 + digits;
	}
	*value = *value * 100000000 + gs_line_join(word);
	word = gs_line_eight(text + 16);
	other = gs_line_other(word);
	digits = other != 0 ? gs_line_digits_before(other) : 8;
	if (digits > 4 || __builtin_mul_overflow(*value, power_of_ten[digits], value) ||
	    __builtin_add_overflow(*value, gs_line_join_some(word, digits), value))
		return NULL;
	return text + 16 + digits;
}

/* ---- one line ---------------------------------------------------------- */

/*
 * The usual line: perhaps a minus, 1 to 20 digits, perhaps a CR, the terminator.
 * GS_LINE_LOOK_BYTES can be looked at.  The value is *MAGNITUDE or, if *NEGATIVE,
 * minus that; it may be too far below zero.
 *
 * @return  the next line, or NULL: see gs_line_integer()
 */
static inline const char *
gs_line_usual(const char *line, char terminator, bool *negative, uint64_t *magnitude)
{
	const char *next;

	*negative = *line == '-';
	next = gs_line_digits(line + *negative, magnitude);
	if (next == NULL)
		return NULL;
	if (*next == '\r')
		next++;
	if (*next != terminator || (*negative && *magnitude == 0))
		return NULL;
	return next + 1;
}

/* Is it one of ours?  The least is -2^63. */
static inline bool
gs_line_fits(bool negative, uint64_t magnitude)
{
	return !negative || magnitude <= UINT64_C(1) << 63;
}

/** Any line that is allowed; LINE .. END is without its terminator.  False: it is not. */
bool gs_line_integer(const char *line, const char *end, char terminator,
                     bool *negative, uint64_t *magnitude);

/** The same for a float: the key is its ordered bits, not complemented. */
enum gs_float gs_line_float(const struct gs_text_options *options, const char *line,
                            const char *end, uint64_t *key);

/* ---- headers ----------------------------------------------------------- */

/**
 * Pass over *LEFT lines at TEXT, or as many as end before END; an unfinished one is
 * passed over in part, and the next call goes on with it.
 *
 * @last    the text ends at END: an unfinished line in HEADER is finished
 * @header  they are appended to it, which has a byte more than its room; NULL: to nothing
 * @next    set to what follows
 * @return  GS_OK; GS_EINPUT: they are more than HEADER has room for
 */
MUST_CHECK gs_status
gs_line_header(const struct gs_text_options *options, const char *name, const char *text,
               const char *end, bool last, uint64_t *left, struct gs_text_header *header,
               const char **next);

/* ---- what is wrong with a line ----------------------------------------- */

/**
 * LINE .. END is no number.
 *
 * @number   of the line in the file called NAME, from 1
 * @invalid  how many lines were left out before; one more if this one is, too
 * @return   GS_EINPUT, with the reason; or GS_OK: it is to be left out, and if that
 *           is one of the first, options.warn was told
 */
MUST_CHECK gs_status
gs_line_reject(const struct gs_text_options *options, const char *name, uint64_t number,
               const char *line, const char *end, uint64_t *invalid);

/** LINE .. END, line NUMBER of NAME, is larger than any f64: say so, unless *TOLD. */
void gs_line_beyond(const struct gs_text_options *options, const char *name, uint64_t number,
                    const char *line, const char *end, bool *told);

/** At the end: tell options.warn of the INVALID lines that it was not told of. */
void gs_line_reject_end(const struct gs_text_options *options, uint64_t invalid);

#endif
