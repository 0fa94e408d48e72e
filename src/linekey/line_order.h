// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_order.h - lines by key: their order, as sort(1) defines it, their ends and faults
 *
 * Lines compare by their keys, one after the other, and then as a whole as a last resort.  Words of 64 bits
 * represent the same order: the words of two lines compare as the lines do.  In the C locale, words have
 * all bytes of the keys; in any other locale, a text key ends them (collation.h).
 *
 * All functions that take a const order may be called by any thread.
 */
#ifndef GS_LINE_ORDER_H
#define GS_LINE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/status.h"
#include "linekey/keydef.h"
#include "text/line.h"

struct gs_line_options {
	const char *const *keys;	/* KEYDEFs; they outlive the order */
	size_t      key_count;
	const char *letters;		/* ordering options for all keys, "nr"; or NULL */
	const char *separator;		/* "," or "\\0"; NULL: blanks, or ',' with CSV */
	bool        csv;
	bool        names;		/* keys may name columns: gs_line_order_header() will be called */
	bool        stable;		/* no last resort */
	bool        strict;		/* the whole field of a numeric key must be a number */
	char        terminator;		/* of lines: '\n' or '\0' */
	const char *locale;		/* a name; "": the environment's; NULL: C */
};

struct gs_line_order {
	struct gs_keydef *keys;		/* owned */
	size_t            key_count;
	struct gs_fields  fields;
	bool              reverse;	/* the last resort is descending */
	bool              last_resort;
	char              terminator;
	bool              strict;	/* some keys are strict */
	bool              all_strict;	/* all keys are, not only keys by name or of CSV */
	bool              fixed;	/* the first key is STRING */
	struct gs_line_string string;
	bool              pair;		/* the first key is a usual string, and the second a number that
					 * begins its field */
	bool              number;	/* the first key is such a number */
	bool              texts;	/* gs_line_words_of_texts() makes the words of all keys */
	int16_t           maps[6][256];	/* for keys with the letters f, d and i; see key_text.h */
	struct gs_locale *locale;	/* owned; NULL: C */
	bool              collates;	/* lines compare as text in the last resort */
};

/* The most bytes of words; after these, the comparison decides. */
enum { GS_LINE_WORD_BYTES = 128 };

/* The words of the second key begin at this byte, those of the third at twice this, and so on. */
enum { GS_LINE_KEY_STEP = 1 << 12 };

/** GS_LINE_WORD_BYTES, or 0 if the comparison decides every tie of words. */
unsigned gs_line_order_word_bytes(const struct gs_line_order *order);

/**
 * Parse the options of an order.
 *
 * @return  GS_OK; GS_EUSAGE: one is wrong; GS_EBUDGET: no memory.  Close ORDER in any case.
 */
MUST_CHECK gs_status gs_line_order_open(struct gs_line_order *order,
                                        const struct gs_line_options *options);

/** Does ORDER need a header, because keys name columns? */
bool gs_line_order_wants_header(const struct gs_line_order *order);

/** Find the columns that keys name in a header line of BYTES.  GS_EINPUT: a column is missing. */
MUST_CHECK gs_status gs_line_order_header(struct gs_line_order *order, const char *line,
                                          size_t bytes);

/** Do two header lines, with or without terminators, have the same columns? */
bool gs_line_same_columns(const struct gs_line_order *order, const char *one, size_t one_bytes,
                          const char *other, size_t other_bytes);

/** Fail if memory was missing for a comparison: the order of the lines is then wrong. */
MUST_CHECK gs_status gs_line_order_check(const struct gs_line_order *order);

/** Close ORDER, which may be zeroed. */
void gs_line_order_close(struct gs_line_order *order);

/** The end of the content of LINE, whose terminator is at END: in CSV, before a CR, as in RFC 4180. */
static inline const char *
gs_line_before_return(const struct gs_line_order *order, const char *line, const char *end)
{
	return end - (order->fields.csv && order->terminator == '\n' && end > line && end[-1] == '\r');
}

/** The end of the content of a line of BYTES, with or without its terminator. */
static inline const char *
gs_line_content_end(const struct gs_line_order *order, const char *line, size_t bytes)
{
	const char *end = line + bytes - (bytes > 0 && line[bytes - 1] == order->terminator);

	return gs_line_before_return(order, line, end);
}

/** Compare two lines, with or without terminator: less than, equal to or greater than 0. */
int gs_line_compare(const struct gs_line_order *order, const char *one, size_t one_bytes,
                    const char *other, size_t other_bytes);

/**
 * Store in WORDS[i] the eight bytes from byte AT of the words of LINES[i], which has BYTES[i] bytes with its
 * terminator.
 *
 * @return  true: later bytes of words may differ
 */
bool gs_line_words(const struct gs_line_order *order, const char *const *lines,
                   const uint32_t *bytes, size_t count, unsigned at, uint64_t *words);

/** Find the text at which the words from AT on stop without a decision: *TEXT_BYTES at *TEXT, in the line.
 *  Returns the byte at which the words after this text begin; 0: there is no such text, or its bytes are not
 *  unchanged bytes of the line. */
unsigned gs_line_stop(const struct gs_line_order *order, unsigned at, const char *line, size_t bytes,
                      const char **text, size_t *text_bytes);

/** Compare two lines by that text alone. */
int gs_line_compare_stop(const struct gs_line_order *order, unsigned at, const char *one, size_t one_bytes,
                         const char *other, size_t other_bytes);

/** Find the part of key number KEY that counts: from *BEGIN to *END of a line (line_fault.c). */
void gs_line_key_place(const struct gs_line_order *order, size_t key, const char *line, size_t bytes,
                       size_t *begin, size_t *end);

/* ---- the ends of lines (line_ends.c) ----------------------------------------------- */

/*
 * In CSV, a terminator between quotes does not end a line.  A quote opens only at the beginning of a field,
 * as in Python's csv; in any other place it is data.
 */

/* A place in a line of CSV. */
struct gs_line_place {
	bool quoted;		/* between quotes */
	bool opens;		/* not quoted, but a quote here opens: a field begins, or the quote before
				 * has closed, and two quotes are one */
};

#define GS_LINE_PLACE_BEGIN	((struct gs_line_place){ false, true })	/* of a line */

/** The end of the line at LINE: after its terminator, or LIMIT. */
const char *gs_line_end(const struct gs_line_order *order, const char *line, const char *limit);

/** Find up to ROOM lines from *AT on: set LINES and BYTES, and *AT to the end of the last line found.  The
 *  last line before LIMIT may lack its terminator. */
size_t gs_line_split(const struct gs_line_order *order, const char **at, const char *limit,
                     const char **lines, uint32_t *bytes, size_t room);

/** Like gs_line_end(), from AT on, which is at *PLACE in a line; set *PLACE to the place of the result, and
 *  *WHOLE to true if a terminator precedes the result. */
const char *gs_line_end_within(const struct gs_line_order *order, const char *at, const char *limit,
                               struct gs_line_place *place, bool *whole);

/** The end of the last line that ends at or before LIMIT; LINE: there is none.  O(LIMIT - LINE) in
 *  CSV. */
const char *gs_line_last_end(const struct gs_line_order *order, const char *line, const char *limit);

/** The end of a piece of whole lines that begins at LINE and has at most BYTES; LINE, if the first line is
 *  longer.  The lines end at LIMIT. */
const char *gs_line_cut(const struct gs_line_order *order, const char *line, const char *limit,
                        size_t bytes);

/* ---- lines whose numeric keys are not numbers (line_fault.c) ----------------------- */

/*
 * Keys by name, and all keys of CSV, are strict: the whole field must be a number, or with M, a month.
 * An empty field is a missing value.
 */

enum { GS_LINE_FAULT_BYTES = 512 };	/* the most bytes of a reason */

/**
 * Find the first of COUNT adjacent lines with a strict key that is not a number.
 *
 * @missing  also find a line whose strict key is a missing value
 * @key      set to the number of the key
 * @return   the index of the line; COUNT: there is none
 */
size_t gs_line_fault_find(const struct gs_line_order *order, bool missing, const char *const *lines,
                          const uint32_t *bytes, size_t count, size_t *key);

/** Explain in REASON why KEY of a line is not a number; "" for a missing value.  NUMBER is the line's number
 *  in its file, and adds a hint; 0: no hint, which takes less time. */
void gs_line_fault_explain(const struct gs_line_order *order, size_t key, const char *line, size_t bytes,
                           uint64_t number, char reason[GS_LINE_FAULT_BYTES]);

/** Refuse the header LINE .. END, which has no column called NAME, or SEVERAL, and show it.  SEPARATOR is as
 *  in struct gs_fields. */
MUST_CHECK gs_status gs_line_refuse_header(int separator, const char *name, size_t name_bytes,
                                           const char *line, const char *end, bool several);

/* ---- the numbers in the first key of lines (line_value.c) -------------------------- */

/* Numbers of lines, as keys like those of floats as text. */
struct gs_line_values {
	uint64_t   *keys;	/* the caller's; has room for all */
	uint64_t    flip;	/* UINT64_MAX: keys are complemented; or 0 */
	size_t      count;	/* of keys so far */
	uint64_t    missing;	/* lines without a value */
	const char *rounded;	/* the first line whose number is an integer that no f64 holds, or is too
				 * large; NULL: no line */
	bool        infinite;	/* that number is too large */
};

/** Is the first key a number: n, g or h?  Then it is strict, if the options of the order say so. */
bool gs_line_order_has_value(const struct gs_line_order *order);

/**
 * Append the numbers of COUNT adjacent lines.
 *
 * @missing  a missing value is a fault
 * @return   the index of the first line at fault, where it stops; COUNT: no line is at fault
 */
size_t gs_line_values(const struct gs_line_order *order, bool missing, const char *const *lines,
                      const uint32_t *bytes, size_t count, struct gs_line_values *to);

#endif
