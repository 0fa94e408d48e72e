// SPDX-License-Identifier: BSD-2-Clause
/*
 * keydef.h - which part of a line is a key, and how keys compare: KEYDEF of sort(1)
 *
 *     KEYDEF = POS1[,POS2]        POS = FIELD[.CHARACTER][LETTERS]
 *
 * Fields and characters count from 1.  LETTERS are ordering options: b d f g h i M n r V.  A column
 * of a header may be named instead: KEYDEF = NAME[:LETTERS], or "NAME"[:LETTERS] with quotes in NAME doubled.
 * Behind a ':' there may also be ip or time, and then the letters b and r: -k3,3:ip, -k when:timer.
 *
 * The keys own nothing: names point into the text that they were read from.
 */
#ifndef GS_KEYDEF_H
#define GS_KEYDEF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "linekey/key_text.h"

/* Ordering options, as bits.  Those that apply to one end of a key are two. */
enum gs_letter {
	GS_LETTER_B_BEGIN = 1 << 0,	/* skip blanks before the first character is counted */
	GS_LETTER_B_END   = 1 << 1,	/* the same for the last one */
	GS_LETTER_D       = 1 << 2,	/* only blanks, letters and digits count */
	GS_LETTER_F       = 1 << 3,	/* as upper case */
	GS_LETTER_G       = 1 << 4,	/* as a floating-point number */
	GS_LETTER_H       = 1 << 5,	/* as a number with a suffix: 2K, 1G */
	GS_LETTER_I       = 1 << 6,	/* only printable characters count */
	GS_LETTER_M       = 1 << 7,	/* as the name of a month */
	GS_LETTER_N       = 1 << 8,	/* as a decimal number */
	GS_LETTER_R       = 1 << 9,	/* descending */
	GS_LETTER_V       = 1 << 10,	/* as a version */
	GS_LETTER_IP      = 1 << 11,	/* as an IPv4 address */
	GS_LETTER_TIME    = 1 << 12,	/* as a date or time of ISO 8601 */
};

enum { GS_LETTERS_B = GS_LETTER_B_BEGIN | GS_LETTER_B_END };

enum gs_ordering { GS_BY_BYTES, GS_BY_NUMBER, GS_BY_FLOAT, GS_BY_SIZE, GS_BY_MONTH, GS_BY_VERSION, GS_BY_IP,
                   GS_BY_TIME, GS_BY_COLLATION };

#define GS_LINE_BEGIN	SIZE_MAX	/* as BEGIN_FIELD: where the line begins, whatever is there */
#define GS_LINE_END	SIZE_MAX	/* as END_FIELD: where the line ends */

struct gs_keydef {
	unsigned         letters;	/* enum gs_letter */
	enum gs_ordering ordering;
	size_t begin_field, begin_char;	/* both from 0; or GS_LINE_BEGIN */
	size_t end_field, end_char;	/* the field from 0, or GS_LINE_END; characters of it, 0: all */
	const char *name;		/* of a column, with its quotes; or NULL */
	size_t      name_bytes;
	bool        sought;		/* the column is not known yet: see gs_keydef_place() */
	bool        strict;		/* it must be a number, all of it: see line_fault.c */
	bool        usual;		/* gs_line_find_usual() finds it */
	const struct gs_locale *locale;	/* of its text; NULL: C */
};

/**
 * Read ordering options that apply to all keys: "nr".
 *
 * @return  GS_OK; GS_EUSAGE: one of them does not exist
 */
MUST_CHECK gs_status gs_keydef_letters(const char *text, unsigned *letters);

/**
 * Read a KEYDEF, which TEXT must outlive.
 *
 * @names   a column may be named
 * @return  GS_OK; GS_EUSAGE: the message names its fault
 */
MUST_CHECK gs_status gs_keydef_read(const char *text, bool names, struct gs_keydef *key);

/**
 * Complete keys: one without letters takes the letters that apply to all, as in sort(1).
 *
 * @return  GS_OK; GS_EUSAGE: letters exclude each other
 */
MUST_CHECK gs_status gs_keydef_complete(struct gs_keydef *keys, size_t count, unsigned all);

/** How addresses or times are read; for all other orderings, GSORT_DECIMAL. */
static inline enum gsort_notation
gs_keydef_notation(enum gs_ordering ordering)
{
	return ordering == GS_BY_IP ? GSORT_IPV4 : ordering == GS_BY_TIME ? GSORT_TIME : GSORT_DECIMAL;
}

/** The number of the field in which KEY begins, from 0. */
static inline size_t
gs_keydef_first_field(const struct gs_keydef *key)
{
	return key->begin_field == GS_LINE_BEGIN ? 0 : key->begin_field;
}

/** A key by name becomes column number FIELD, from 0. */
void gs_keydef_place(struct gs_keydef *key, size_t field);

/* ---- where in a line a key is (line_field.c) -------------------------------------- */

/*
 * Fields are separated by one byte, or else each begins with the blanks before it, as in sort(1).
 * With CSV, a separator between quotes is data.
 */

enum { GS_NO_SEPARATOR = -1 };		/* blanks separate fields */

struct gs_fields {
	int  separator;		/* a byte, or GS_NO_SEPARATOR */
	bool csv;		/* with quotes; needs a separator */
};

/* A string at the same place of every line. */
struct gs_line_string {
	size_t   from, to;	/* or up to the end of the line */
	uint64_t flip;		/* UINT64_MAX: descending; or 0 */
	bool     alone;		/* nothing follows */
};

/**
 * Find the text of KEY in LINE .. END, which has no terminator.
 *
 * O(END - LINE).  A key that begins after it ends is empty, at its beginning.
 */
void gs_field_find(const struct gs_fields *fields, const struct gs_keydef *key, const char *line,
                   const char *end, struct gs_key_text *text);

/** Where KEY ends in LINE .. END, which may be before it begins. */
const char *gs_field_limit(const struct gs_fields *fields, const struct gs_keydef *key,
                           const char *line, const char *end);

/** Have two lines without terminators the same fields; with CSV, without quotes? */
bool gs_fields_are_same(const struct gs_fields *fields, const char *one, const char *one_end,
                        const char *other, const char *other_end);

/** Where the last field of LINE .. END begins. */
const char *gs_field_last(const struct gs_fields *fields, const char *line, const char *end);

/**
 * The number of the field of LINE .. END, a header, that is called NAME; with CSV, without quotes, which NAME
 * may have, too.
 * Blanks around a name do not count where blanks separate fields.
 *
 * @return  from 0; GS_NO_FIELD: no field has this name; GS_TWO_FIELDS: several have it
 */
#define GS_NO_FIELD	SIZE_MAX
#define GS_TWO_FIELDS	(SIZE_MAX - 1)
size_t gs_field_named(const struct gs_fields *fields, const char *line, const char *end,
                      const char *name, size_t name_bytes);

#endif
