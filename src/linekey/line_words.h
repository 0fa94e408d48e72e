// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_words.h - the bytes of usual keys, found and made fast
 *
 * For line_order.c.  A usual key does not end in a field before that in which it begins, and is a number,
 * a month or bytes as they are, in upper case perhaps.
 */
#ifndef GS_LINE_WORDS_H
#define GS_LINE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "linekey/collation.h"
#include "text/digits.h"
#include "linekey/key_text.h"
#include "linekey/keydef.h"
#include "text/line.h"
#include "linekey/skip.h"

/* Keys mostly come in the order of their fields: where the last one was is remembered. */
struct gs_field_walk {
	const char *line, *end;		/* without terminator */
	const char *at;			/* where field number FIELD, from 0, begins */
	size_t      field;
};

/** Is KEY of this kind?  Its locale is known. */
bool gs_line_key_is_usual(const struct gs_fields *fields, const struct gs_keydef *key);

static inline bool
gs_key_is_number(const struct gs_keydef *key)
{
	return key->ordering == GS_BY_NUMBER || key->ordering == GS_BY_SIZE;
}

/* Go to the beginning of FIELD. */
static inline __attribute__((always_inline)) void
gs_walk_to(const struct gs_fields *fields, struct gs_field_walk *walk, size_t field)
{
	if (field == walk->field)
		return;
	if (field < walk->field) {
		walk->at = walk->line;
		walk->field = 0;
	}
	walk->at = fields->separator == GS_NO_SEPARATOR
	           ? gs_skip_blank_fields(walk->at, walk->end, field - walk->field)
	           : gs_skip_separators(walk->at, walk->end, (char)fields->separator,
	                                field - walk->field);
	walk->field = field;
}

/* Go behind the field; returns where it ends. */
static inline const char *
gs_walk_behind(const struct gs_fields *fields, struct gs_field_walk *walk)
{
	const char *begin = walk->at;

	gs_walk_to(fields, walk, walk->field + 1);
	return fields->separator != GS_NO_SEPARATOR && walk->at > begin &&
	       (unsigned char)walk->at[-1] == fields->separator ? walk->at - 1 : walk->at;
}

/**
 * Find a usual KEY of a line without quotes where single bytes separate fields: from *BEGIN to *LIMIT.
 * What follows the end of a number there does not belong to it.
 */
static inline void
gs_line_find_usual(const struct gs_fields *fields, const struct gs_keydef *key,
                   struct gs_field_walk *walk, const char **begin, const char **limit)
{
	const char *end = walk->end, *field;

	gs_walk_to(fields, walk, gs_keydef_first_field(key));
	field = walk->at;
	*limit = end;
	if (key->end_char > 0) {
		gs_walk_to(fields, walk, key->end_field);
		*limit = gs_skip_bytes(walk->at, end, (key->letters & GS_LETTER_B_END) != 0,
		                       key->end_char);
	} else if (key->end_field != GS_LINE_END &&
	           (!gs_key_is_number(key) || key->begin_char > 0 ||
	            (field < end && gs_is_blank((unsigned char)*field)))) {
		gs_walk_to(fields, walk, key->end_field);
		*limit = gs_walk_behind(fields, walk);
	}
	*begin = gs_skip_bytes(field, end, (key->letters & GS_LETTER_B_BEGIN) != 0, key->begin_char);
	if (*limit < *begin)
		*limit = *begin;
}

/** Find a usual KEY that begins before QUOTE, the first of the line, or NULL.  False: it does not. */
static inline bool
gs_line_find_before(const struct gs_fields *fields, const struct gs_keydef *key, struct gs_field_walk *walk,
                    const char *quote, struct gs_key_text *text)
{
	const char *begin, *limit;

	if (!key->usual || (quote != NULL && key->end_char > 0))
		return false;
	gs_line_find_usual(fields, key, walk, &begin, &limit);
	text->at = (const unsigned char *)begin;
	text->end = (const unsigned char *)limit;
	return quote == NULL || quote > begin;
}

/* ---- the first word of a decimal number, for key_number.c, too -------------------- */

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

/** The power of 1024 that the suffix C stands for; 0: C is not a suffix. */
static inline int
gs_suffix_rank(int c)
{
	static const char suffixes[] = "KMGTPEZYRQ";
	const char *found = c > 0 ? strchr(suffixes, c == 'k' ? 'K' : c) : NULL;

	return found == NULL ? 0 : (int)(found - suffixes) + 1;
}

/** Seven bytes: up to 16 digits, and whether more follow. */
static inline uint64_t
gs_number_chunk(uint64_t digits, unsigned count, bool more)
{
	return digits * gs_digits_power[GS_NUMBER_CHUNK - count] << 2 | more;
}

/* Take up to eight digits from the eight bytes at AT; see text/line.h for how.  *COUNT is how many
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

		*digits = *digits * gs_digits_power[some] + part;
		*at += some;
		count += some;
		if (some < 8 || *at == end || !gs_is_digit(**at))
			return count;
	}
	for (; *at < end && gs_is_digit(**at) && count < room; ++*at, count++)
		*digits = 10 * *digits + (unsigned)(**at - '0');
	return count;
}

/* A decimal number, as far as its digits find room. */
struct gs_number {
	bool     negative;
	uint64_t digits;		/* an integer, from the first that is not 0 on; */
	unsigned count;			/* of DIGITS */
	int      exponent;		/* of these before the point; less than 0: zeros behind it */
	const unsigned char *end;	/* where it ends, or a digit for which there was no room */
};

/** Read a minus, digits, and more digits after POINT, of which at most ROOM count.  False: no digit. */
static inline __attribute__((always_inline)) bool
gs_number_scan(const unsigned char *at, const unsigned char *end, int point, unsigned room,
               struct gs_number *number)
{
	const unsigned char *from;	/* of the digits; a byte behind it, if there is a point */

	number->negative = at < end && *at == '-';
	from = at += number->negative;
	while (at < end && *at == '0')
		at++;
	number->digits = 0;
	number->count = gs_number_take(&at, end, room, &number->digits);
	number->exponent = (int)number->count;
	if (at < end && *at == point) {
		at++;
		from++;
		if (number->count == 0)
			for (; at < end && *at == '0' && number->exponent > GS_NUMBER_LEAST; at++)
				number->exponent--;
		number->count += gs_number_take(&at, end, room - number->count, &number->digits);
	}
	number->end = at;
	return at > from;
}

/**
 * The first eight bytes of gs_number_put(), if the text from *BEGIN to END is the usual number: at most
 * 16 digits that count.
 *
 * @return  true: *WORD is set, and it is all of the number; *BEGIN is behind it
 */
static inline bool
gs_number_word(const unsigned char **begin, const unsigned char *end, const struct gs_locale *locale,
               uint64_t *word)
{
	const unsigned char *at = *begin;
	struct gs_number number;

	while (at < end && gs_is_blank(*at))
		at++;
	(void)gs_number_scan(at, end, gs_locale_point(locale), GS_NUMBER_CHUNK, &number);
	if (number.end < end && (gs_is_digit(*number.end) || *number.end == gs_locale_thousands(locale)))
		return false;		/* too many digits, or zeros; or it goes on */
	*begin = number.end;
	*word = (uint64_t)GS_NUMBER_ZERO << 56;
	if (number.digits == 0)
		return true;
	*word = (uint64_t)(GS_NUMBER_EXPONENT_0 + number.exponent) << 56 |
	        gs_number_chunk(number.digits, number.count, false);
	if (number.negative)
		*word = ~*word;
	return true;
}

/* ---- words of many lines at once (line_words.c) ------------------------------------ */

enum { GS_LINE_BATCH = 64 };	/* lines, at most */

/* Lines whose words are wanted; the terminator of each is counted. */
struct gs_line_batch {
	const struct gs_fields      *fields;	/* these four as in struct gs_line_order */
	const struct gs_keydef      *keys;
	size_t                       key_count;
	const struct gs_line_string *string;
	const char *const *lines;
	const uint32_t    *bytes;
	size_t             count, behind;	/* lines, and the lines whose words are made next */
	unsigned           at;			/* the words of eight bytes from there on */
	uint64_t           line_next;	/* UINT64_MAX: bytes of the line follow the keys; or 0 */
	uint64_t           nothing_next;	/* UINT64_MAX: nothing does; or 0.  Words with others fail */
	uint64_t           flip;	/* UINT64_MAX: what follows is complemented, as nothing is; or 0 */
	uint64_t          *words;		/* are put there, */
	uint64_t           failed[GS_LINE_BATCH];	/* but not of these: they are made in another way */
};

/** Load a line that is not far behind line number I: in a large part they may be anywhere. */
static inline void
gs_line_load_ahead(const char *const *lines, const uint32_t *bytes, size_t count, size_t i)
{
	enum { AHEAD = 8 };	/* not tuned */

	if (i + AHEAD < count) {
		__builtin_prefetch(lines[i + AHEAD]);
		__builtin_prefetch(lines[i + AHEAD] + bytes[i + AHEAD] - 1);
	}
}

/** Line number I of a batch; one that is not far behind it is loaded. */
static inline struct gs_field_walk
gs_line_load_next(const struct gs_line_batch *batch, size_t i)
{
	const char *line = batch->lines[i];

	gs_line_load_ahead(batch->lines, batch->bytes, batch->count + batch->behind, i);
	return (struct gs_field_walk){ .line = line, .end = line + batch->bytes[i] - 1, .at = line };
}

/**
 * Make the words of a batch; *MORE is set if they go on.
 *
 * @return  true: some failed
 */
typedef bool gs_line_words_of(struct gs_line_batch *batch, bool *more);

/** For a first key that is a usual number at the beginning of its field.  If words do not begin with it (AT
 *  is 1 to 7), what comes next follows.  Numbers without 1 to 15 digits fail; if AT is not 0, so do numbers
 *  before another key. */
gs_line_words_of gs_line_words_of_numbers;

/** For the string of the order, from its byte AT on, 8 at most.  Strings fail that have a byte below 2, or
 *  end within their word with other keys to follow. */
gs_line_words_of gs_line_words_of_strings;

/** For first keys that are a string, and a number at the beginning of its field; from byte AT of both on, 8
 *  at most. */
gs_line_words_of gs_line_words_of_pairs;

/** For all keys, usual strings or numbers at the beginning of their fields, and the line after them, if that
 *  follows; within the first 64 fields and characters.  AT is 56 at most.  With AVX-512. */
#if defined __x86_64__
gs_line_words_of gs_line_words_of_texts;
#else
#define gs_line_words_of_texts	((gs_line_words_of *)NULL)
#endif

#endif
