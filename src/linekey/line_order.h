// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_order.h - lines by key: their order, as sort(1) defines it, their ends and faults
 *
 * Lines compare by their keys, one after the other, then as a whole as a last resort.  The same
 * order is words of 64 bits: the words of two lines compare as the lines do, as far as they go.  In the
 * C locale all bytes of keys are in them; in any other, text ends them (collation.h).
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
	bool        names;		/* keys may name columns: gs_line_order_header() will come */
	bool        stable;		/* no last resort */
	bool        strict;		/* keys that are numbers must be all of their fields */
	char        terminator;		/* of lines: '\n', or '\0' */
	const char *locale;		/* its name; "": the environment's; NULL: C */
};

struct gs_line_order {
	struct gs_keydef *keys;		/* owned */
	size_t            key_count;
	struct gs_fields  fields;
	bool              reverse;	/* the last resort is descending */
	bool              last_resort;
	char              terminator;
	bool              strict;	/* keys are numbers, and nothing else */
	bool              all_strict;	/* all keys, not only keys by name and of CSV */
	bool              fixed;	/* the first key is STRING */
	struct gs_line_string string;
	bool              pair;		/* the first key is a usual string, and a number that begins its field
					 * the second */
	bool              number;	/* the first key is such a number */
	bool              texts;	/* gs_line_words_of_texts() makes the words of all keys */
	int16_t           maps[6][256];	/* of keys with the letters f, d and i; see key_text.h */
	struct gs_locale *locale;	/* owned; NULL: C */
	bool              collates;	/* lines compare as text in the last resort */
};

/* Bytes of words from this one on are not made: the comparison decides. */
enum { GS_LINE_WORD_BYTES = 128 };

/* Words from this byte on are of the second key, from twice this of the third, and so on. */
enum { GS_LINE_KEY_STEP = 1 << 12 };

/** The same, but 0 if the comparison decides ties of any words. */
unsigned gs_line_order_word_bytes(const struct gs_line_order *order);

/**
 * Read the options of an order.
 *
 * @return  GS_OK; GS_EUSAGE: one is wrong; GS_EBUDGET: no memory.  Close it in any case.
 */
MUST_CHECK gs_status gs_line_order_open(struct gs_line_order *order,
                                        const struct gs_line_options *options);

/** Is the order complete only with the names of a header? */
bool gs_line_order_wants_header(const struct gs_line_order *order);

/** Find the columns that keys name in a header line of BYTES.  GS_EINPUT: a column is not there. */
MUST_CHECK gs_status gs_line_order_header(struct gs_line_order *order, const char *line,
                                          size_t bytes);

/** Have two lines of headers, with terminators or without, the same columns? */
bool gs_line_same_columns(const struct gs_line_order *order, const char *one, size_t one_bytes,
                          const char *other, size_t other_bytes);

/** Was there no memory for a comparison?  Then the order of the lines is wrong. */
MUST_CHECK gs_status gs_line_order_check(const struct gs_line_order *order);

/** A zeroed order is allowed. */
void gs_line_order_close(struct gs_line_order *order);

/** Where the content of LINE ends, whose terminator is at END: of CSV before a CR, as RFC 4180 ends rows. */
static inline const char *
gs_line_before_return(const struct gs_line_order *order, const char *line, const char *end)
{
	return end - (order->fields.csv && order->terminator == '\n' && end > line && end[-1] == '\r');
}

/** Where the content of a line of BYTES ends, with its terminator or without. */
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
 * Store in WORDS[i] the eight bytes from byte AT on of all words of LINES[i], of BYTES[i] bytes with a
 * terminator.
 *
 * @return  true: later bytes may differ
 */
bool gs_line_words(const struct gs_line_order *order, const char *const *lines,
                   const uint32_t *bytes, size_t count, unsigned at, uint64_t *words);

/** The text in which the words from AT on stop, where they do not decide: *TEXT has *TEXT_BYTES, as they are
 *  in the line.  Returns where the words behind it begin; 0: there is none, or its bytes are not those of the
 *  line. */
unsigned gs_line_stop(const struct gs_line_order *order, unsigned at, const char *line, size_t bytes,
                      const char **text, size_t *text_bytes);

/** Compare two lines by that text alone. */
int gs_line_compare_stop(const struct gs_line_order *order, unsigned at, const char *one, size_t one_bytes,
                         const char *other, size_t other_bytes);

/** Where key number KEY of a line is, and what of it counts: from *BEGIN to *END (line_fault.c). */
void gs_line_key_place(const struct gs_line_order *order, size_t key, const char *line, size_t bytes,
                       size_t *begin, size_t *end);

/* ---- where lines end (line_ends.c) ------------------------------------------------ */

/*
 * With CSV a terminator between quotes ends no line.  A quote opens only where a field begins, as for
 * Python's csv; in any other place it is data.
 */

/* A place in a line of CSV. */
struct gs_line_place {
	bool quoted;		/* it is between quotes */
	bool opens;		/* or else: a quote here opens, as a field begins, or as one that closed
				 * quotes is before it: both are one */
};

#define GS_LINE_PLACE_BEGIN	((struct gs_line_place){ false, true })	/* of a line */

/** Where the line at LINE ends, behind its terminator, or at LIMIT. */
const char *gs_line_end(const struct gs_line_order *order, const char *line, const char *limit);

/** Find up to ROOM lines from *AT on: set LINES and BYTES, and *AT to the end of the last one.  The last
 *  line before LIMIT may lack its terminator. */
size_t gs_line_split(const struct gs_line_order *order, const char **at, const char *limit,
                     const char **lines, uint32_t *bytes, size_t room);

/** As gs_line_end() from AT on, which is at *PLACE of a line; *PLACE becomes the place of the result.
 *  *WHOLE: a terminator is before it. */
const char *gs_line_end_within(const struct gs_line_order *order, const char *at, const char *limit,
                               struct gs_line_place *place, bool *whole);

/** Where the last line that ends before LIMIT, or there, ends; LINE: none does.  O(LIMIT - LINE) with
 *  CSV. */
const char *gs_line_last_end(const struct gs_line_order *order, const char *line, const char *limit);

/** Where a piece of at most BYTES that begins with LINE ends; or LINE, if it is longer.  The lines end at
 *  LIMIT. */
const char *gs_line_cut(const struct gs_line_order *order, const char *line, const char *limit,
                        size_t bytes);

/* ---- lines whose keys are not the numbers that they should be (line_fault.c) ------ */

/*
 * Keys by name, and all keys of CSV, are strict: a number (or a month, with M) must be all of the field.
 * An empty field is a missing value.
 */

enum { GS_LINE_FAULT_BYTES = 512 };	/* of a reason */

/**
 * Find the first of COUNT lines, which are adjacent, with a strict key that is not a number.
 *
 * @missing  or with one that is missing
 * @key      set to the number of the key
 * @return   the number of the line; COUNT: no line is at fault
 */
size_t gs_line_fault_find(const struct gs_line_order *order, bool missing, const char *const *lines,
                          const uint32_t *bytes, size_t count, size_t *key);

/** Report the fault of KEY of a line; of a missing value, "".  NUMBER, of the line in its file: with a hint;
 *  0: without, which takes less time. */
void gs_line_fault_explain(const struct gs_line_order *order, size_t key, const char *line, size_t bytes,
                           uint64_t number, char reason[GS_LINE_FAULT_BYTES]);

/** Refuse the header LINE .. END, which has no column with that NAME, or SEVERAL, and show it.  SEPARATOR: as
 *  in struct gs_fields. */
MUST_CHECK gs_status gs_line_refuse_header(int separator, const char *name, size_t name_bytes,
                                           const char *line, const char *end, bool several);

/* ---- the numbers that lines are by their first key (line_value.c) ----------------- */

/* Keys as those of floats as text, each a number of a line. */
struct gs_line_values {
	uint64_t   *keys;	/* the caller's; has room for all */
	uint64_t    flip;	/* UINT64_MAX: complemented; or 0 */
	size_t      count;	/* so far */
	uint64_t    missing;	/* lines without a value */
	const char *rounded;	/* the first line whose number is not an f64, but an integer or too large;
				 * NULL: no line */
	bool        infinite;	/* it is too large */
};

/** Is the first key a number: n, g or h?  Then it is strict, if the options of the order say so. */
bool gs_line_order_has_value(const struct gs_line_order *order);

/**
 * Append the numbers of COUNT lines, which lie behind one another.
 *
 * @missing  a missing value is a fault
 * @return   the number of the first line at fault, where it stops; COUNT: no line is at fault
 */
size_t gs_line_values(const struct gs_line_order *order, bool missing, const char *const *lines,
                      const uint32_t *bytes, size_t count, struct gs_line_values *to);

#endif
