// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_order.c - the order of lines, as sort(1) defines it
 *
 * In:   options; lines.
 * Out:  a comparison, and words that agree with it.
 *
 * The words of a line are the bytes of its keys, each in a form that memcmp(3) orders whatever follows
 * (key_text.h), then the bytes of the whole line.  The bytes of a descending key are complemented.  For
 * text in the order of a locale, the words have only the first bytes of the key, so no other key follows
 * (collation.h).
 *
 * Invariant: a usual key has the same bytes whichever way it is found and written.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/simd.h"
#include "base/way.h"
#include "linekey/collation.h"
#include "linekey/key_text.h"
#include "linekey/line_order.h"
#include "linekey/line_words.h"

/* ---- opening -------------------------------------------------------------------- */

/* Which bytes count in a key, and as what; NULL: all, as they are. */
static const int16_t *
map_of(const struct gs_line_order *order, const struct gs_keydef *key)
{
	const unsigned drop = key->letters & GS_LETTER_D ? 2 : key->letters & GS_LETTER_I ? 1 : 0;
	const unsigned fold = (key->letters & GS_LETTER_F) != 0;

	return drop + fold == 0 ? NULL : order->maps[2 * drop + fold];
}

/* Is it a usual number that begins its field? */
static bool
is_leading_number(const struct gs_keydef *key)
{
	return key->usual && key->ordering == GS_BY_NUMBER && key->begin_char == 0 && key->end_char == 0;
}

static bool
is_text(const struct gs_keydef *key)
{
	return key->ordering == GS_BY_BYTES || key->ordering == GS_BY_COLLATION;
}

/* All that is known once every key has its columns. */
static void
settle(struct gs_line_order *order)
{
	enum { NEAR = 64 };		/* of fields and characters that gs_line_words_of_texts() finds */
	const struct gs_keydef *first = order->keys;
	bool reverse = order->reverse;

	order->texts = true;
	for (struct gs_keydef *key = order->keys; key < order->keys + order->key_count; key++) {
		/* keys by name, and of CSV, are not keys of sort(1): they are strict, and a number ends with
		 * its field */
		key->strict = (key->name != NULL || order->fields.csv || order->all_strict ||
		               gs_keydef_notation(key->ordering) != GSORT_DECIMAL) &&
		              !is_text(key) && key->ordering != GS_BY_VERSION;
		order->strict |= key->strict;
		if (key->strict && key->begin_char == 0 && key->end_char == 0)
			key->letters &= ~(unsigned)GS_LETTERS_B;	/* blanks before it never count */
		if (key->strict && !key->sought && key->end_field > gs_keydef_first_field(key)) {
			key->end_field = gs_keydef_first_field(key);
			key->end_char = 0;
		}
		key->locale = key->strict ? NULL : order->locale;	/* strict ones are in C everywhere */
		if (is_text(key) && key->locale != NULL && key->locale->collates)
			key->ordering = GS_BY_COLLATION;
		key->usual = gs_line_key_is_usual(&order->fields, key);
		order->texts &= gs_keydef_first_field(key) < NEAR && key->begin_char < NEAR &&
		                (key->end_field < NEAR || key->end_field == GS_LINE_END) &&
		                key->end_char < NEAR &&
		                ((key->usual && key->ordering == GS_BY_BYTES) || is_leading_number(key));
	}
	order->collates = order->last_resort && order->locale != NULL && order->locale->collates;
	order->texts &= !order->collates;
	order->fixed = order->key_count == 0 && !order->collates;
	order->string = (struct gs_line_string){ .to = SIZE_MAX };
	/* are the bytes of the first key at the same place of every line? */
	if (order->key_count > 0 && first->usual && !order->fields.csv && first->ordering == GS_BY_BYTES &&
	    (first->letters & ~(unsigned)GS_LETTER_R) == 0 && gs_keydef_first_field(first) == 0 &&
	    (first->end_field == GS_LINE_END || (first->end_field == 0 && first->end_char > 0))) {
		order->fixed = true;
		order->string.from = first->begin_char;
		order->string.to = first->end_field == GS_LINE_END ? SIZE_MAX : first->end_char;
		reverse = (first->letters & GS_LETTER_R) != 0;
	}
	order->string.alone = order->key_count + order->last_resort == 1;
	order->string.flip = reverse ? UINT64_MAX : 0;
	order->pair = order->key_count > 1 && first->usual && first->ordering == GS_BY_BYTES &&
	              (first->letters & GS_LETTER_F) == 0 && is_leading_number(first + 1);
	order->number = order->key_count > 0 && is_leading_number(first);
}

gs_status
gs_line_order_open(struct gs_line_order *order, const struct gs_line_options *options)
{
	const char *separator = options->separator;
	unsigned letters = 0;

	*order = (struct gs_line_order){
		.fields = { GS_NO_SEPARATOR, options->csv }, .terminator = options->terminator,
		.all_strict = options->strict,
	};
	if (separator == NULL)
		separator = options->csv ? "," : NULL;
	else if (separator[0] == '\0')
		return gs_fail(GS_EUSAGE, "the separator is empty: it must be one byte");
	if (separator != NULL)
		order->fields.separator = strcmp(separator, "\\0") == 0 ? '\0' :
		                          strcmp(separator, "\\t") == 0 ? '\t' :
		                          (unsigned char)separator[0];
	if (separator != NULL && separator[1] != '\0' && separator[0] == order->fields.separator)
		return gs_fail(GS_EUSAGE, "the separator '%s' has more than one byte", separator);
	if (options->csv && (order->fields.separator == '"' ||
	                     order->fields.separator == (unsigned char)order->terminator))
		return gs_fail(GS_EUSAGE, "with '--csv' the separator cannot be a quote, or what ends lines");
	if (options->locale != NULL)
		TRY(gs_locale_open(&order->locale, options->locale));
	/* what D, I and F make of each byte */
	for (int c = 0; c < 256; c++) {
		bool printable = c >= ' ' && c < 0x7f, dictionary = gs_is_letter(c) || gs_is_digit(c);
		int upper = c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c;

		if (order->locale != NULL) {
			printable = isprint_l(c, order->locale->handle) != 0;
			dictionary = isalnum_l(c, order->locale->handle) != 0;
			upper = toupper_l(c, order->locale->handle);
		}
		dictionary |= gs_is_blank(c);
		for (unsigned m = 0; m < 6; m++)
			order->maps[m][c] = (int16_t)((m / 2 == 1 && !printable) ||
			                              (m / 2 == 2 && !dictionary) ? -1 :
			                              m % 2 == 1 ? upper : c);
	}
	if (options->letters != NULL)
		TRY(gs_keydef_letters(options->letters, &letters));
	order->reverse = (letters & GS_LETTER_R) != 0;
	TRY(GS_NEW(order->keys, options->key_count + 1, "keys"));
	for (size_t k = 0; k < options->key_count; k++)
		TRY(gs_keydef_read(options->keys[k], options->names, &order->keys[k]));
	order->key_count = options->key_count;
	/* without keys and letters the last resort is all */
	if (order->key_count == 0 && (letters & ~(unsigned)GS_LETTER_R) != 0)
		order->keys[order->key_count++] = (struct gs_keydef){
			.begin_field = GS_LINE_BEGIN, .end_field = GS_LINE_END,
		};
	TRY(gs_keydef_complete(order->keys, order->key_count, letters));
	order->last_resort = order->key_count == 0 || !options->stable;
	settle(order);
	return GS_OK;
}

_Static_assert((int)GS_LINE_WORD_BYTES <= (int)GS_COLLATION_BYTES, "text of a locale has too few bytes");

unsigned
gs_line_order_word_bytes(const struct gs_line_order *order)
{
	bool ends = order->collates;

	for (size_t k = 0; k < order->key_count; k++)
		ends |= order->keys[k].ordering == GS_BY_COLLATION;
	return ends ? 0 : GS_LINE_WORD_BYTES;
}

gs_status
gs_line_order_check(const struct gs_line_order *order)
{
	return order->locale == NULL || !atomic_load(&order->locale->failed) ? GS_OK
	       : gs_fail(GS_EBUDGET, "out of memory");
}

bool
gs_line_order_wants_header(const struct gs_line_order *order)
{
	for (size_t k = 0; k < order->key_count; k++)
		if (order->keys[k].sought)
			return true;
	return false;
}

/* Where the names of a header line end. */
static const char *
end_of_names(const struct gs_line_order *order, const char *line, size_t bytes)
{
	const char *end = gs_line_content_end(order, line, bytes);

	return end - (end > line && end[-1] == '\r' && !order->fields.csv);
}

bool
gs_line_same_columns(const struct gs_line_order *order, const char *one, size_t one_bytes,
                     const char *other, size_t other_bytes)
{
	return gs_fields_are_same(&order->fields, one, end_of_names(order, one, one_bytes), other,
	                          end_of_names(order, other, other_bytes));
}

gs_status
gs_line_order_header(struct gs_line_order *order, const char *line, size_t bytes)
{
	const char *end = end_of_names(order, line, bytes);

	line += gs_line_mark(line, bytes);
	for (size_t k = 0; k < order->key_count; k++) {
		struct gs_keydef *key = &order->keys[k];
		size_t field;

		if (!key->sought)
			continue;
		field = gs_field_named(&order->fields, line, end, key->name, key->name_bytes);
		if (field >= GS_TWO_FIELDS)
			return gs_line_refuse_header(order->fields.separator, key->name, key->name_bytes,
			                             line, end, field == GS_TWO_FIELDS);
		gs_keydef_place(key, field);
	}
	settle(order);
	return GS_OK;
}

void
gs_line_order_close(struct gs_line_order *order)
{
	free(order->keys);
	order->keys = NULL;
	gs_locale_close(order->locale);
	order->locale = NULL;
}

/* ---- bytes ---------------------------------------------------------------------- */

static int
compare_memory(const void *one, size_t one_bytes, const void *other, size_t other_bytes)
{
	const int difference = memcmp(one, other, one_bytes < other_bytes ? one_bytes : other_bytes);

	return difference != 0 ? difference : (one_bytes > other_bytes) - (one_bytes < other_bytes);
}

/* ---- missing values ------------------------------------------------------------- */

/* Is there nothing in the text of a strict key, which ends at LIMIT or a separator? */
static inline bool
is_missing(const struct gs_fields *fields, const unsigned char *at, const unsigned char *limit)
{
	while (at < limit && gs_is_blank(*at) && *at != fields->separator)
		at++;
	return at == limit || *at == fields->separator || *at == '\r';
}

static bool
is_missing_text(const struct gs_line_order *order, struct gs_key_text text)
{
	int c;

	if (gs_key_text_is_plain(&text))
		return is_missing(&order->fields, text.at, text.end);
	c = gs_key_text_next_nonblank(&text);
	return c < 0 || c == '\r';
}

/* ---- comparing ------------------------------------------------------------------ */

static void
find(const struct gs_line_order *order, const struct gs_keydef *key, const char *line,
     const char *end, struct gs_key_text *text)
{
	text->map = map_of(order, key);
	text->locale = key->locale;
	gs_field_find(&order->fields, key, line, end, text);
}

static int
compare_key(enum gs_ordering ordering, struct gs_key_text one, struct gs_key_text other)
{
	int a, b;

	switch (ordering) {
	case GS_BY_NUMBER:  return gs_number_compare(one, other);
	case GS_BY_FLOAT:   return gs_float_compare(one, other);
	case GS_BY_SIZE:    return gs_size_compare(one, other);
	case GS_BY_MONTH:   return gs_month_of(one, NULL) - gs_month_of(other, NULL);
	case GS_BY_VERSION: return gs_version_compare(one, other);
	case GS_BY_IP:
	case GS_BY_TIME:    return gs_noted_compare(gs_keydef_notation(ordering), one, other);
	case GS_BY_COLLATION: return gs_collation_compare(one.locale, one, other);
	case GS_BY_BYTES:   break;
	}
	if (gs_key_text_is_plain(&one) && gs_key_text_is_plain(&other))
		return compare_memory(one.at, (size_t)(one.end - one.at), other.at,
		                      (size_t)(other.end - other.at));
	do {
		a = gs_key_text_next(&one);
		b = gs_key_text_next(&other);
	} while (a == b && a >= 0);
	return a - b;
}

static inline struct gs_key_text
plain_text(const char *at, const char *end)
{
	return (struct gs_key_text){
		.at = (const unsigned char *)at, .end = (const unsigned char *)end, .left = SIZE_MAX,
	};
}

/* Compare by one key. */
static int
compare_by(const struct gs_line_order *order, const struct gs_keydef *key, const char *one,
           const char *one_end, const char *other, const char *other_end)
{
	struct gs_key_text a, b;
	int difference = 0;

	find(order, key, one, one_end, &a);
	find(order, key, other, other_end, &b);
	if (key->strict && (is_missing_text(order, a) || is_missing_text(order, b)))
		difference = is_missing_text(order, b) - is_missing_text(order, a);	/* it is first */
	else
		difference = compare_key(key->ordering, a, b);
	return key->letters & GS_LETTER_R ? -difference : difference;
}

/* Keys whose texts are sorted by their own: each is a level of recursion (sort/items/part.c).  Later ones are
 * compared. */
enum { MOST_STOPS = 16 };

unsigned
gs_line_stop(const struct gs_line_order *order, unsigned at, const char *line, size_t bytes,
             const char **text, size_t *text_bytes)
{
	const size_t k = at / GS_LINE_KEY_STEP;
	const struct gs_keydef *key = order->keys + k;
	struct gs_key_text found;

	/* the words stop in it, and no other key has words before it */
	if (k >= order->key_count || k >= MOST_STOPS || key->ordering != GS_BY_COLLATION)
		return 0;
	find(order, key, line, gs_line_content_end(order, line, bytes), &found);
	*text = (const char *)found.at;
	*text_bytes = (size_t)(found.end - found.at);
	return found.csv ? 0 : (unsigned)(k + 1) * GS_LINE_KEY_STEP;
}

int
gs_line_compare_stop(const struct gs_line_order *order, unsigned at, const char *one, size_t one_bytes,
                     const char *other, size_t other_bytes)
{
	return compare_by(order, order->keys + at / GS_LINE_KEY_STEP, one,
	                  gs_line_content_end(order, one, one_bytes), other,
	                  gs_line_content_end(order, other, other_bytes));
}

int
gs_line_compare(const struct gs_line_order *order, const char *one, size_t one_bytes,
                const char *other, size_t other_bytes)
{
	const char *one_end = gs_line_content_end(order, one, one_bytes);
	const char *other_end = gs_line_content_end(order, other, other_bytes);
	int difference;

	for (size_t k = 0; k < order->key_count; k++) {
		difference = compare_by(order, &order->keys[k], one, one_end, other, other_end);
		if (difference != 0)
			return difference;
	}
	if (!order->last_resort)
		return 0;
	difference = order->collates
	             ? gs_collation_compare(order->locale, plain_text(one, one_end),
	                                          plain_text(other, other_end))
	             : compare_memory(one, (size_t)(one_end - one), other, (size_t)(other_end - other));
	return order->reverse ? -difference : difference;
}

/* ---- words ---------------------------------------------------------------------- */

static bool
put_key(struct gs_key_bytes *bytes, enum gs_ordering ordering, struct gs_key_text text)
{
	switch (ordering) {
	case GS_BY_NUMBER:  return gs_number_put(bytes, text);
	case GS_BY_FLOAT:   return gs_float_put(bytes, text);
	case GS_BY_SIZE:    return gs_size_put(bytes, text);
	case GS_BY_MONTH:   return gs_key_bytes_put(bytes, (uint8_t)gs_month_of(text, NULL));
	case GS_BY_VERSION: return gs_version_put(bytes, text);
	case GS_BY_IP:
	case GS_BY_TIME:    return gs_noted_put(bytes, gs_keydef_notation(ordering), text);
	case GS_BY_COLLATION: return gs_collation_put(text.locale, bytes, text);
	case GS_BY_BYTES:   break;
	}
	return gs_key_bytes_put_text(bytes, text);
}

/* The same for a usual key of a line that has no quotes. */
static inline bool
put_usual(const struct gs_line_order *order, const struct gs_keydef *key,
          struct gs_field_walk *walk, struct gs_key_bytes *bytes)
{
	const char *begin, *limit;
	const unsigned char *at, *end;
	struct gs_key_text text;
	uint64_t word;

	gs_line_find_usual(&order->fields, key, walk, &begin, &limit);
	at = (const unsigned char *)begin;
	end = (const unsigned char *)limit;
	if (key->ordering == GS_BY_BYTES)
		return gs_key_bytes_put_plain(bytes, at, end, map_of(order, key),
		                              (const unsigned char *)walk->end);
	if (key->ordering == GS_BY_NUMBER && gs_number_word(&at, end, key->locale, &word) &&
	    (!key->strict || word != (uint64_t)GS_NUMBER_ZERO << 56))
		return gs_key_bytes_put_some(bytes, word, 8);
	at = (const unsigned char *)begin;
	if (key->strict && is_missing(&order->fields, at, end))
		return gs_key_bytes_put_some(bytes, 0, 8);	/* before all numbers: no word of them is 0 */
	text = plain_text(begin, limit);
	text.map = key->ordering == GS_BY_COLLATION ? map_of(order, key) : NULL;
	text.locale = key->locale;
	return put_key(bytes, key->ordering, text);
}

/* The eight bytes from byte FIRST on of the words of LINE .. END; *MORE: others follow. */
static inline uint64_t
word_of(const struct gs_line_order *order, const char *line, const char *end, unsigned first,
        bool *more)
{
	const bool plain = !order->fields.csv || memchr(line, '"', (size_t)(end - line)) == NULL;
	struct gs_field_walk walk = { .line = line, .end = end, .at = line };
	struct gs_key_bytes bytes = { .skip = first % GS_LINE_KEY_STEP };
	struct gs_key_text text;
	bool ended = false, full;

	*more = true;
	for (size_t k = first / GS_LINE_KEY_STEP; k < order->key_count && !ended; k++) {
		const struct gs_keydef *key = &order->keys[k];

		bytes.flip = key->letters & GS_LETTER_R ? UINT64_MAX : 0;
		if (key->usual && plain) {
			full = put_usual(order, key, &walk, &bytes);
		} else {
			find(order, key, line, end, &text);
			full = key->strict && is_missing_text(order, text)
			       ? gs_key_bytes_put_some(&bytes, 0, 8) : put_key(&bytes, key->ordering, text);
		}
		if (full) {	/* a number that is one word has two equal bits at its end, negative or not */
			*more = order->last_resort || k + 1 < order->key_count || bytes.got > 8 ||
			        key->ordering != GS_BY_NUMBER || first != k * GS_LINE_KEY_STEP ||
			        ((bytes.word ^ bytes.word >> 1) & 1) != 0;
			return bytes.word;
		}
		ended = key->ordering == GS_BY_COLLATION;
	}
	if (order->last_resort && !ended) {
		text = plain_text(line, end);
		bytes.flip = order->reverse ? UINT64_MAX : 0;
		if (order->collates ? gs_collation_put(order->locale, &bytes, text)
		                    : gs_key_bytes_put_text(&bytes, text))
			return bytes.word;
	}
	*more = false;
	return bytes.word;
}

static __attribute__((noinline)) bool
make_words(const struct gs_line_order *order, const char *const *lines, const uint32_t *bytes, size_t count,
           unsigned at, uint64_t *words)
{
	bool any = false, more;
	const char *end;

	for (size_t i = 0; i < count; i++) {
		gs_line_load_ahead(lines, bytes, count, i);
		end = gs_line_before_return(order, lines[i], lines[i] + bytes[i] - 1);
		words[i] = word_of(order, lines[i], end, at, &more);
		any |= more;
	}
	return any && at % GS_LINE_KEY_STEP + 8 < GS_LINE_WORD_BYTES;
}

/* How the words of many lines are made at once, from byte AT on; NULL: one by one. */
static gs_line_words_of *
way_of(const struct gs_line_order *order, bool others, unsigned at)
{
	const struct gs_line_string *string = &order->string;
	const bool texts = order->texts && gs_simd_best() == GS_SIMD_AVX512;

	if (gs_way("words of numbers", order->number && at <= (others ? 0 : 7)))
		return gs_line_words_of_numbers;
	if (gs_way("words of pairs", order->pair && at <= 8 && !texts))
		return gs_line_words_of_pairs;
	if (gs_way("words of strings", order->fixed && at <= 8 &&
	           (string->alone || !texts || string->to - string->from >= at + 8)))
		return gs_line_words_of_strings;
	return gs_way("words of texts", texts && at <= 56) ? gs_line_words_of_texts : NULL;
}

bool
gs_line_words(const struct gs_line_order *order, const char *const *lines, const uint32_t *bytes,
              size_t count, unsigned at, uint64_t *words)
{
	const bool others = order->key_count > 1U + order->pair || order->collates;
	gs_line_words_of *const way = way_of(order, others, at);
	const bool line_next = order->last_resort && (way == gs_line_words_of_texts || !others);
	struct gs_line_batch batch = {
		.fields = &order->fields, .keys = order->keys, .key_count = order->key_count,
		.string = &order->string, .at = at,
		.line_next = line_next ? UINT64_MAX : 0,
		.nothing_next = others || order->last_resort ? 0 : UINT64_MAX,
		.flip = order->reverse || !order->last_resort ? UINT64_MAX : 0,
	};
	/* behind a number a word has no more than seven bytes of the line, before any CR at its end */
	const bool cuts = order->fields.csv && order->terminator == '\n' && way != gs_line_words_of_numbers;
	uint32_t cut[GS_LINE_BATCH];	/* lengths without that */
	bool more = false;
	size_t failed;

	if (way == NULL)
		return make_words(order, lines, bytes, count, at, words);
	for (size_t done = 0; done < count; done += batch.count) {
		batch.lines = lines + done;
		batch.bytes = bytes + done;
		batch.words = words + done;
		batch.count = count - done < GS_LINE_BATCH ? count - done : GS_LINE_BATCH;
		batch.behind = cuts ? 0 : count - done - batch.count;
		for (size_t i = 0; cuts && i < batch.count; i++) {
			const uint32_t all = bytes[done + i];

			/* of an empty line the terminator is looked at */
			cut[i] = all - (lines[done + i][all - 2 + (all < 2)] == '\r');
		}
		if (cuts)
			batch.bytes = cut;
		if (!way(&batch, &more))
			continue;
		for (size_t i = 0; i < batch.count; i += failed + 1) {
			for (failed = 0; i + failed < batch.count && batch.failed[i + failed] != 0; failed++)
				;
			if (gs_way("words one by one", failed > 0))
				more |= make_words(order, batch.lines + i, bytes + done + i, failed, at,
				                   batch.words + i);
		}
	}
	return more;
}
