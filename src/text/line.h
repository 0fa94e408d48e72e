// SPDX-License-Identifier: BSD-2-Clause
/*
 * line.h - read one line of text as a number
 *
 * A usual line is read inline; any other is read by line.c, which also reports what is wrong with it.
 *
 * Digits are read eight at a time.  In a 64-bit word, the first byte that is not a digit is found with an
 * addition and a subtraction that carry into bit 7; the bytes before it become a number with three
 * multiplications, which join neighbours: 8 digits become 4 pairs, then 2 groups of four, then 1 of
 * eight.  See D. Lemire, "Number parsing at a gigabyte per second", 2021, section 5.
 */
#ifndef GS_LINE_H
#define GS_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/byte_order.h"
#include "base/status.h"
#include "text/digits.h"
#include "text/floats.h"
#include "text/text.h"

enum {
	GS_LINE_BYTES = 4095,		/* the longest line, without its terminator */
	GS_LINE_LOOK_BYTES = 32,	/* gs_line_usual() may load this many */
	GS_LINE_WARNINGS = 10,		/* invalid lines that are reported, each */
};

/* ---- digits, eight at a time ------------------------------------------- */

static inline uint64_t
gs_line_eight(const char *text)
{
	uint64_t word;

	memcpy(&word, text, sizeof word);
	return le64toh(word);		/* the first byte is the lowest */
}

/*
 * Bit 7 is set in the first byte that is not a digit, and perhaps in bytes after it; 0: eight
 * digits.  Only a byte that is not a digit carries into the next one.
 */
static inline uint64_t
gs_line_other(uint64_t word)
{
	return ((word + 0x4646464646464646) | (word - 0x3030303030303030)) & 0x8080808080808080;
}

/* The number that eight digits make; leading bytes of zero count as '0'. */
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
 * Read the digits at TEXT, 1 to 20 of them, as a number below 2^64.
 *
 * @return  what follows them, or NULL: there is something else, see gs_line_whole()
 */
static inline const char *
gs_line_digits(const char *text, uint64_t *value)
{
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
		*value = *value * gs_digits_power[digits] + gs_line_join_some(word, digits);
		return text + 8 + digits;
	}
	*value = *value * 100000000 + gs_line_join(word);
	word = gs_line_eight(text + 16);
	other = gs_line_other(word);
	digits = other != 0 ? gs_line_digits_before(other) : 8;
	if (digits > 4 || __builtin_mul_overflow(*value, gs_digits_power[digits], value) ||
	    __builtin_add_overflow(*value, gs_line_join_some(word, digits), value))
		return NULL;
	return text + 16 + digits;
}

/* ---- one line ---------------------------------------------------------- */

/*
 * Read a usual line: an optional minus, 1 to 20 digits, an optional CR, the terminator.
 * GS_LINE_LOOK_BYTES at LINE are loaded.  The value is *MAGNITUDE or, if *NEGATIVE, minus that;
 * it may be too far below zero.
 *
 * @return  the next line, or NULL: this one is unusual, see gs_line_whole()
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

/** Read any valid line as an integer, in the notation of OPTIONS; LINE .. END is without its
 *  terminator.  False: it is invalid. */
bool gs_line_whole(const struct gs_text_options *options, const char *line, const char *end,
                   bool *negative, uint64_t *magnitude);

/** The key of a float: its ordered bits; every NaN has the same. */
uint64_t gs_line_float_key(double value);

/** Is LINE .. END the line that gsort prints for its number?  OPTIONS are decimal; -0, NaN and infinities are
 *  not. */
bool gs_line_is_exact(const struct gs_text_options *options, const char *line, const char *end);

/** Read any valid line as a float; *KEY is set to its ordered bits, not complemented. */
enum gs_float gs_line_float(const struct gs_text_options *options, const char *line,
                            const char *end, uint64_t *key);

/* ---- headers ----------------------------------------------------------- */

/** Lines of the header of the file called NAME, as it is read: 0 if it is read from some line on. */
uint64_t gs_line_header_lines(const struct gs_text_options *options, const char *name);

/**
 * Skip *LEFT lines at TEXT, or as many as end before END.  If a line does not end there, the next
 * call continues within it.  They are kept, or compared with the ones of the first file that has any.
 *
 * @last    the file called NAME ends at END
 * @left    lowered by the lines that ended
 * @next    set to what follows
 * @return  GS_OK; GS_EINPUT: they are too long, or differ; GS_EBUDGET
 */
MUST_CHECK gs_status
gs_line_header(const struct gs_text_options *options, const char *name, const char *text,
               const char *end, bool last, uint64_t *left, const char **next);

/** Fail because HEADER, a line of the file called NAME, is not the FIRST file's.  Returns GS_EINPUT. */
gs_status
gs_line_headers_differ(const struct gs_text_options *options, const char *name, const char *header,
                       size_t bytes, const char *first, size_t first_bytes);

/** Bytes of the byte order mark at the beginning of a file, or 0.  It is not part of a field of CSV, nor of a
 *  name. */
static inline size_t
gs_line_mark(const char *text, size_t bytes)
{
	return bytes >= 3 && memcmp(text, "\357\273\277", 3) == 0 ? 3 : 0;
}

/* ---- the fault of a line ----------------------------------------------- */

/** The number of a line in the file called NAME: it is line NUMBER of the part that is read. */
uint64_t gs_line_number(const struct gs_text_options *options, const char *name, uint64_t number);

/** Does the invalid line LINE .. END end the job?  Else it is left out. */
bool gs_line_aborts(const struct gs_text_options *options, const char *line, const char *end);

/** Is the user told of a line that is left out, as INVALID others were?  Else nobody asks for its number,
 *  which a rank counts from the beginning of the file. */
bool gs_line_warns(const struct gs_text_options *options, uint64_t invalid);

/**
 * Report that LINE .. END is invalid, as the options want it.
 *
 * @number   of the line in the file called NAME, from 1
 * @invalid  how many lines have been left out; incremented if this one is
 * @return   GS_EINPUT, with the reason; or GS_OK: leave it out (one of the first is warned of)
 */
MUST_CHECK gs_status
gs_line_reject(const struct gs_text_options *options, const char *name, uint64_t number,
               const char *line, const char *end, uint64_t *invalid);

/** The same for REASON, of the line that has this NUMBER in the whole file: it ABORTS the job, or not. */
MUST_CHECK gs_status
gs_line_reject_for(const struct gs_text_options *options, const char *name, uint64_t number, bool aborts,
                   const char *reason, uint64_t *invalid);

/** Warn that LINE .. END, line NUMBER of NAME, is larger than any f64; once, then set *WARNED. */
void gs_line_overflow(const struct gs_text_options *options, const char *name, uint64_t number,
                      const char *line, const char *end, bool *warned);

/** At the end: warn of the INVALID lines that were not reported one by one. */
void gs_line_reject_end(const struct gs_text_options *options, uint64_t invalid);

/* ---- what it looks like, and what would have worked (hint.c) ---------------------- */

/*
 * For the message about the line that ends a job.  It takes microseconds: not for each of many.
 */

enum { GS_HINT_BYTES = 256 };

/* A decimal number, with a fraction or an exponent perhaps. */
#define GS_LINE_NUMBER	"[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)(e[-+]?[0-9]+)?"

/** Does LINE .. END, at most GS_LINE_BYTES, match PATTERN, a POSIX extended regular expression, whatever the
 *  case of letters?  False, too, without memory for the match. */
bool gs_line_matches(const char *pattern, const char *line, const char *end);

/**
 * Describe LINE .. END, line NUMBER of its file, without its terminator.
 *
 * @into    set to "; " and what to do; or to "": it looks like nothing known
 * @return  INTO
 */
const char *gs_hint(char into[GS_HINT_BYTES], const struct gs_text_options *options,
                    uint64_t number, const char *line, const char *end);

/* A field that is refused. */
struct gs_hinted_field {
	size_t      column;	/* from 1 */
	bool        named, csv;	/* its key gives it by name */
	int         separator;	/* a byte, or negative: blanks */
	const char *letter;	/* of its key: "n" */
};

/** The same for FIELD, TEXT .. END, of line NUMBER. */
const char *gs_hint_field(char into[GS_HINT_BYTES], const struct gs_hinted_field *field, uint64_t number,
                          const char *text, const char *end);

/** The code point of the UTF-8 character at AT, which may be a surrogate or too large for Unicode, and its
 *  *BYTES; UINT32_MAX: it is not UTF-8. */
uint32_t gs_utf8_decode(const unsigned char *at, const unsigned char *end, size_t *bytes);

/** Is there, in DATA .. END, a field in quotes with SEPARATOR in it, and not TERMINATOR, which ends lines?
 *  Only CSV has such fields.  Looks at the first 64 KiB. */
bool gs_hint_quotes(int separator, char terminator, const char *data, const char *end);

#endif
