// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_words.c - find out which keys are usual, and make words of many lines at once
 *
 * The end of a number need not be found: it ends at the separator anyway, unless the separator could be
 * part of a number.
 *
 * Words are made in two steps: the first finds eight bytes in each line and loads them, the second makes
 * words of these with vectors.  With AVX-512, the first step also takes eight lines at a time.  In a job,
 * both steps take 7.5 ns for the third field of CSV, with eight digits, and 14 if the first step takes
 * one line at a time; for the beginning of a line of 13 bytes, 2.2 and 4.3 (a busy Emerald Rapids).
 *
 * AVX-512 also joins the words of several keys, because most strings are shorter than a word; fields are
 * found once, from bits for the first 64 bytes of a line.  The second field of CSV, followed by the line,
 * takes 7 to 10 ns, and 22 to 33 byte by byte in line_order.c; two strings take 17 and 50 (the same
 * processor).
 */
#if defined __x86_64__
#include <immintrin.h>
#endif

#include "base/simd.h"
#include "linekey/line_words.h"

#define INLINE	static inline __attribute__((always_inline))

/* ---- which keys are usual --------------------------------------------------------- */

bool
gs_line_key_is_usual(const struct gs_fields *fields, const struct gs_keydef *key)
{
	const int separator = fields->separator, thousands = gs_locale_thousands(key->locale);

	/* all bytes count, from one field to the same or one behind it; a strict key is within its field */
	if (key->sought || (key->letters & (GS_LETTER_D | GS_LETTER_I)) != 0 ||
	    key->end_field < gs_keydef_first_field(key) ||
	    (key->strict && key->begin_char + key->end_char > 0))
		return false;
	/* letters of any case are not part of a number, but they are suffixes */
	if (key->ordering == GS_BY_NUMBER || (gs_key_is_number(key) && (key->letters & GS_LETTER_F) == 0))
		return separator != '-' && separator != gs_locale_point(key->locale) &&
		       separator != thousands && !gs_is_blank(thousands) && !gs_is_digit(separator) &&
		       (separator < 'A' || separator > 'z');
	if (key->letters & GS_LETTER_F)
		return key->ordering == GS_BY_COLLATION ||
		       (key->ordering == GS_BY_BYTES && (key->locale == NULL || key->locale->ascii_case));
	return key->ordering == GS_BY_BYTES || key->ordering == GS_BY_COLLATION ||
	       key->ordering == GS_BY_MONTH ||
	       gs_keydef_notation(key->ordering) != GSORT_DECIMAL;
}

/* ---- loading ---------------------------------------------------------------------- */

/* Eight bytes, the first one highest. */
INLINE uint64_t
load_eight(const char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof word);
	return be64toh(word);
}

#if defined __x86_64__
#define AVX512	__attribute__((target("avx512bw,avx512dq,avx512vl,bmi,bmi2")))

/* The same of eight, SOME of them; 0: of others. */
static inline AVX512 __m512i
first_eights(__mmask8 some, __m512i at)
{
	const __m512i turned = _mm512_set4_epi32(0x08090a0b, 0x0c0d0e0f, 0x00010203, 0x04050607);

	return _mm512_shuffle_epi8(_mm512_mask_i64gather_epi64(_mm512_setzero_si512(), some, at, NULL, 1),
	                           turned);
}
#endif

/* ---- numbers ---------------------------------------------------------------------- */

/* Bytes of each line, loaded. */
struct numbers {
	uint64_t text[GS_LINE_BATCH];	/* eight bytes from the first digit on; separators behind the line */
	uint64_t next[GS_LINE_BATCH];	/* and eight more */
	uint64_t text_whole[GS_LINE_BATCH];	/* of those, once points are removed: the bytes before the */
	uint64_t next_whole[GS_LINE_BATCH];	/* point; all if there was none */
	uint64_t flip[GS_LINE_BATCH];	/* UINT64_MAX: the number is complemented; or 0 */
	uint64_t line[GS_LINE_BATCH];	/* the first eight bytes of the line */
	uint64_t skip[GS_LINE_BATCH];	/* bits of the number that are not wanted; the line's bits follow */
	uint64_t reverse;		/* UINT64_MAX: all are complemented, zero too; or 0 */
	uint64_t points, separators;	/* eight bytes of what is within a number, and of what ends one */
};

/* Eight bytes of the LEFT ones up to END, then bytes of SEPARATORS; LINE .. END has eight. */
INLINE uint64_t
load_left(const char *end, size_t left, uint64_t separators)
{
	return left >= 8 ? gs_line_eight(end - left)
	                 : gs_line_eight(end - 8) >> 8 * (7 - left) >> 8 | separators << 8 * left;
}

/* A line that is too short, or has quotes, is made in another way. */
INLINE bool
is_plain(const struct gs_fields *fields, const char *line, const char *end)
{
	return end - line >= 8 && !(fields->csv && memchr(line, '"', (size_t)(end - line)) != NULL);
}

/* Find where the number of KEY begins in the line of WALK; NULL: the line is not plain. */
INLINE const char *
find_number(const struct gs_fields *fields, const struct gs_keydef *key, struct gs_field_walk *walk)
{
	const char *at;

	if (!is_plain(fields, walk->line, walk->end))
		return NULL;
	gs_walk_to(fields, walk, gs_keydef_first_field(key));
	at = walk->at;
	while (fields->separator == GS_NO_SEPARATOR && at < walk->end && gs_is_blank((unsigned char)*at))
		at++;
	return at;
}

#if defined __x86_64__
/* The first 64 bytes of a line. */
struct head {
	__m512i  text;
	uint64_t within;	/* a bit for each byte that the line has, */
	uint64_t blanks;	/* of blanks, if they are looked for, */
	uint64_t ends;		/* and of ends of fields: separators, or the first of some blanks */
};

static inline AVX512 struct head
look_at(const struct gs_field_walk *walk, const struct gs_fields *fields, __m512i separator, bool blank)
{
	const size_t bytes = (size_t)(walk->end - walk->line);
	struct head head = { .within = _bzhi_u64(UINT64_MAX, bytes < 64 ? (unsigned)bytes : 64) };

	head.text = _mm512_maskz_loadu_epi8(head.within, walk->line);
	if (blank)
		head.blanks = _mm512_mask_cmpeq_epi8_mask(head.within, head.text, _mm512_set1_epi8(' ')) |
		              _mm512_mask_cmpeq_epi8_mask(head.within, head.text, _mm512_set1_epi8('\t')) |
		              _mm512_mask_cmpeq_epi8_mask(head.within, head.text, _mm512_set1_epi8('\n'));
	head.ends = fields->separator == GS_NO_SEPARATOR
	            ? head.blanks & ~(head.blanks << 1 | 1)
	            : _mm512_mask_cmpeq_epi8_mask(head.within, head.text, separator);
	return head;
}

/* As find_number() for all lines, if FIELD is not the first one. */
static AVX512 void
find_numbers_avx512(const struct gs_line_batch *batch, const struct gs_keydef *key, const char **at)
{
	const struct gs_fields *const fields = batch->fields;
	const __m512i separator = _mm512_set1_epi8((char)fields->separator), quote = _mm512_set1_epi8('"');
	const uint64_t number = UINT64_C(1) << (key->begin_field - 1);
	const bool by_blanks = fields->separator == GS_NO_SEPARATOR;

	for (size_t i = 0; i < batch->count; i++) {
		struct gs_field_walk walk = gs_line_load_next(batch, i);
		const struct head head = look_at(&walk, fields, separator, by_blanks);
		size_t begin = _tzcnt_u64(_pdep_u64(number, head.ends));

		if (begin < 64)
			begin += by_blanks ? _tzcnt_u64(~head.blanks >> begin) : 1;
		at[i] = walk.line + begin;
		if (begin >= 64 || walk.end - walk.line < 8 ||
		    (fields->csv && _mm512_cmpeq_epi8_mask(head.text, quote) != 0))
			at[i] = find_number(fields, key, &walk);
	}
}

/* As load_left(), of SOME. */
static inline AVX512 __m512i
load_lefts(__mmask8 some, __m512i end, __m512i left, uint64_t separators)
{
	const __m512i most = _mm512_set1_epi64(8), loaded = _mm512_max_epu64(left, most);
	const __m512i text = _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), some,
	                                                 _mm512_sub_epi64(end, loaded), NULL, 1);
	const __m512i back = _mm512_sub_epi64(loaded, left);

	return _mm512_or_si512(_mm512_srlv_epi64(text, _mm512_slli_epi64(back, 3)),
	                       _mm512_sllv_epi64(_mm512_set1_epi64((long long)separators),
	                                         _mm512_slli_epi64(left, 3)));
}

/* As load_numbers(), eight at a time. */
static AVX512 void
load_numbers_avx512(const struct gs_line_batch *batch, const char *const *at, struct numbers *numbers)
{
	const __m512i byte = _mm512_set1_epi64(0xff), zero = _mm512_set1_epi64('0');
	const __m512i one = _mm512_set1_epi64(1);
	const uint64_t separators = numbers->separators;

	for (size_t i = 0; i < batch->count; i += 8) {
		const __mmask8 there = (__mmask8)_bzhi_u32(0xff, (unsigned)(batch->count - i));
		const __m512i lines = _mm512_maskz_loadu_epi64(there, batch->lines + i);
		const __m256i lengths = _mm256_maskz_loadu_epi32(there, batch->bytes + i);
		const __m512i bytes = _mm512_cvtepu32_epi64(lengths);
		const __m512i end = _mm512_sub_epi64(_mm512_add_epi64(lines, bytes), one);
		__m512i from = _mm512_maskz_loadu_epi64(there, at + i), left, text, first, next, digits;
		const __mmask8 some = _mm512_test_epi64_mask(from, from);
		__mmask8 minus = 0, sign, zeros;

		for (;;) {
			left = _mm512_maskz_sub_epi64(some, end, from);
			text = load_lefts(some, end, left, separators);
			digits = _mm512_sub_epi8(text, _mm512_set1_epi8('0'));
			digits = _mm512_movm_epi8(_mm512_cmple_epu8_mask(digits, _mm512_set1_epi8(9)));
			first = _mm512_and_si512(text, byte);
			zeros = _mm512_cmpeq_epi64_mask(first, zero);
			sign = _mm512_mask_cmpeq_epi64_mask(~minus, first, _mm512_set1_epi64('-'));
			sign |= _mm512_mask_test_epi64_mask(zeros, digits, _mm512_set1_epi64(0xff00));
			if (sign == 0)
				break;
			minus |= sign & ~zeros;
			from = _mm512_mask_add_epi64(from, sign, from, one);
		}
		left = _mm512_sub_epi64(_mm512_max_epu64(left, _mm512_set1_epi64(8)), _mm512_set1_epi64(8));
		next = load_lefts(some, end, left, separators);
		_mm512_storeu_si512(numbers->text + i, text);
		_mm512_storeu_si512(numbers->next + i, next);
		_mm512_storeu_si512(numbers->flip + i,
		                    _mm512_xor_si512(_mm512_movm_epi64(minus),
		                                     _mm512_set1_epi64((long long)numbers->reverse)));
		_mm512_storeu_si512(numbers->line + i, first_eights(some, lines));
	}
}
#endif

/* Load the numbers of KEY, AT these places or none, without the zeros before them but for the last one. */
static void
load_numbers(const struct gs_line_batch *batch, const struct gs_keydef *key, const char *const *at,
             struct numbers *numbers)
{
	const uint64_t ones = 0x0101010101010101;
	const int separator = batch->fields->separator;
	const uint64_t separators = ones * (unsigned char)(separator == GS_NO_SEPARATOR ? ' ' : separator);

	numbers->reverse = key->letters & GS_LETTER_R ? UINT64_MAX : 0;
	numbers->points = ones * (unsigned char)gs_locale_point(key->locale);
	numbers->separators = separators;
#if defined __x86_64__
	if (gs_simd_best() == GS_SIMD_AVX512) {
		load_numbers_avx512(batch, at, numbers);
		return;
	}
#endif
	for (size_t i = 0; i < batch->count; i++) {
		const char *from = at[i], *end = batch->lines[i] + batch->bytes[i] - 1;
		bool negative;
		size_t left;

		if (from == NULL) {
			numbers->text[i] = numbers->next[i] = numbers->flip[i] = numbers->line[i] = 0;
			continue;
		}
		negative = from < end && *from == '-';
		for (from += negative; end - from > 1 && *from == '0' && gs_is_digit(from[1]); from++)
			;
		left = (size_t)(end - from);
		numbers->text[i] = load_left(end, left, separators);
		numbers->next[i] = load_left(end, left > 8 ? left - 8 : 0, separators);
		numbers->flip[i] = negative ? ~numbers->reverse : numbers->reverse;
		numbers->line[i] = load_eight(batch->lines[i]);
	}
}

/* Remove points, if there may be some, and a zero before one: digits follow, and a number of 16 bytes stays
 * one.  Returns whether some have more than eight digits. */
INLINE bool
remove_points(struct numbers *numbers, size_t count, bool some)
{
	const uint64_t points = numbers->points;
	uint64_t any = 0;

	#pragma omp simd reduction(|: any)
	for (size_t i = 0; i < count; i++) {
		const uint64_t text = numbers->text[i], next = numbers->next[i];
		const bool full = gs_line_other(text) == 0;
		const uint64_t from = full ? next : text, other = gs_line_other(from), end = other & -other;
		const bool point = some && ((from ^ points) & ((end << 1) - (end >> 7))) == 0;
		const bool zero = point && (text & 0xff) == '0';
		const uint64_t whole = point ? (zero ? 0 : (end >> 7) - 1) : UINT64_MAX;
		const uint64_t text_whole = full ? UINT64_MAX : whole;
		const uint64_t next_whole = full || !point ? whole : 0;
		const uint64_t bits = zero ? 16 : 8, zeros = UINT64_C(0x3030) << 48 << (16 - bits);
		const uint64_t digits = (text & text_whole) |
		                        ((text >> bits | next << (64 - bits)) & ~text_whole);
		const uint64_t others = (next & next_whole) | ((next >> bits | zeros) & ~next_whole);

		numbers->text[i] = digits;
		numbers->next[i] = others;
		numbers->text_whole[i] = text_whole;
		numbers->next_whole[i] = next_whole;
		any |= (gs_line_other(digits) | (gs_line_other(others) & 0xff)) == 0;
	}
	return any != 0;
}

/* The eight digits at the beginning of TEXT, 0 behind the last one; *BYTES: how many are digits.  *FAULT is
 * set if another byte than a separator ends them; it is 0 if none does. */
INLINE uint64_t
join_digits(uint64_t text, uint64_t separators, uint64_t *bytes, uint64_t *fault)
{
	const uint64_t other = gs_line_other(text), end = other & -other;

	*bytes = (end >> 7) - 1;
	*fault = (text ^ separators) & ((end << 1) - (end >> 7));
	return gs_line_join(text & *bytes);
}

/* Returns whether any failed. */
INLINE uint64_t
make_numbers_of(const struct gs_line_batch *batch, const struct numbers *numbers, bool long_ones,
                uint64_t *words, uint64_t *failed)
{
	const uint64_t ones = 0x0101010101010101;
	const uint64_t separators = numbers->separators;
	const uint64_t zero = (uint64_t)GS_NUMBER_ZERO << 56 ^ numbers->reverse;
	const uint64_t line_next = batch->line_next, nothing_next = batch->nothing_next, flip = batch->flip;
	const size_t count = batch->count;
	uint64_t any = 0;

	#pragma omp simd reduction(|: any)
	for (size_t i = 0; i < count; i++) {
		const uint64_t text = numbers->text[i], skip = numbers->skip[i];
		const uint64_t next_to = (numbers->line[i] & line_next) | nothing_next;
		uint64_t bytes, fault, more, next;
		uint64_t digits = join_digits(text, separators, &bytes, &fault) * 100000000;
		uint64_t exponent = (bytes & numbers->text_whole[i] & ones) * ones >> 56, word;

		next = (numbers->next[i] ^ separators) & 0xff;
		if (long_ones) {
			digits += join_digits(numbers->next[i], separators, &more, &next) &
			          (bytes == UINT64_MAX ? UINT64_MAX : 0);
			exponent += bytes == UINT64_MAX ? (more & numbers->next_whole[i] & ones) * ones >> 56
			                                : 0;
			next |= more == UINT64_MAX;
		}
		word = (text & 0xff) == '0' ? zero
		       : ((GS_NUMBER_EXPONENT_0 + exponent) << 56 | digits << 2) ^ numbers->flip[i];
		failed[i] = (bytes == UINT64_MAX ? next : fault) | (bytes == 0) |
		            ((text & 0xff) == '0' && numbers->text_whole[i] == 0) |
		            (skip > 0 ? gs_low_bytes(next_to) : 0);
		words[i] = word << skip | (next_to ^ flip) >> 1 >> (63 - skip);
		any |= failed[i];
	}
	return any;
}

INLINE uint64_t
make_numbers(const struct gs_line_batch *batch, struct numbers *numbers, uint64_t *words, uint64_t *failed)
{
	const size_t count = batch->count;
	uint64_t some = 0;
	bool long_ones;

	#pragma omp simd reduction(|: some)
	for (size_t i = 0; i < count; i++)	/* bytes like a point */
		some |= gs_low_bytes(numbers->text[i] ^ numbers->points) |
		        gs_low_bytes(numbers->next[i] ^ numbers->points);
	long_ones = some != 0 ? remove_points(numbers, count, true) : remove_points(numbers, count, false);
	return long_ones ? make_numbers_of(batch, numbers, true, words, failed)
	                 : make_numbers_of(batch, numbers, false, words, failed);
}

GS_SIMD_BEST(uint64_t, make_numbers, (const struct gs_line_batch *batch, struct numbers *numbers,
                                      uint64_t *words, uint64_t *failed),
             (batch, numbers, words, failed))

bool
gs_line_words_of_numbers(struct gs_line_batch *batch, bool *more)
{
	const char *at[GS_LINE_BATCH];
	struct numbers numbers;

	*more |= batch->nothing_next == 0;
#if defined __x86_64__
	if (gs_simd_best() == GS_SIMD_AVX512 && gs_keydef_first_field(batch->keys) - 1 < 64)
		find_numbers_avx512(batch, batch->keys, at);
	else
#endif
	for (size_t i = 0; i < batch->count; i++) {
		struct gs_field_walk walk = gs_line_load_next(batch, i);

		at[i] = find_number(batch->fields, batch->keys, &walk);
	}
	load_numbers(batch, batch->keys, at, &numbers);
	for (size_t i = 0; i < batch->count; i++)
		numbers.skip[i] = 8 * batch->at;
	return make_numbers_best(batch, &numbers, batch->words, batch->failed) != 0;
}

/* ---- strings ----------------------------------------------------------------------- */

/* Bytes of each string, loaded. */
struct strings {
	uint64_t first[GS_LINE_BATCH];	/* eight bytes: the first ones, */
	uint64_t word[GS_LINE_BATCH];	/* the wanted bytes, behind others if the string ends */
	uint64_t others[GS_LINE_BATCH];	/* four times the number of these, 60 at most */
};

/* A string of BYTES; those before AT are not wanted.  What is before READABLE may be loaded.  Returns whether
 * it goes on behind the word. */
INLINE bool
load_string(const char *string, size_t bytes, const char *readable, size_t at, struct strings *strings,
            size_t i)
{
	const size_t others = bytes < at + 8 ? at + 8 - bytes : 0;
	uint64_t word = UINT64_MAX;

	if (bytes >= 8)
		word = load_eight(string + at - others);
	else if (bytes > 0)
		word = gs_load_some((const unsigned char *)string, bytes,
		                    (const unsigned char *)readable) >> 8 * (8 - bytes) |
		       UINT64_MAX << 8 * bytes;
	strings->first[i] = bytes >= 8 ? load_eight(string) : word;
	strings->word[i] = word;
	strings->others[i] = others < 16 ? 4 * others : 60;
	return others == 0;
}

/* The end of a string counts as a byte, which is complemented, too. */
INLINE uint64_t
make_strings(const struct strings *strings, size_t count, uint64_t flip, bool alone, uint64_t *words,
             uint64_t *failed)
{
	uint64_t any = 0;

	#pragma omp simd reduction(|: any)
	for (size_t i = 0; i < count; i++) {
		const uint64_t others = strings->others[i], flipped = others > 0 ? others - 4 : 0;

		failed[i] = gs_low_bytes(strings->first[i]) | gs_low_bytes(strings->word[i]) |
		            (!alone && others > 0);
		words[i] = (strings->word[i] << others << others) ^ (flip << flipped << flipped);
		any |= failed[i];
	}
	return any;
}

GS_SIMD_BEST(uint64_t, make_strings, (const struct strings *strings, size_t count, uint64_t flip, bool alone,
                                      uint64_t *words, uint64_t *failed),
             (strings, count, flip, alone, words, failed))

/* Load the strings of lines FROM .. TO.  Returns whether one goes on behind its word. */
static bool
load_strings(const struct gs_line_batch *batch, const struct gs_line_string *string, size_t from, size_t to,
             struct strings *strings)
{
	bool more = false;

	for (size_t i = from; i < to; i++) {
		const struct gs_field_walk walk = gs_line_load_next(batch, i);
		const size_t bytes = (size_t)(walk.end - walk.line);
		const size_t end = bytes < string->to ? bytes : string->to;
		const size_t begin = end < string->from ? end : string->from;

		more |= load_string(walk.line + begin, end - begin, walk.line + end, batch->at, strings, i);
	}
	return more;
}

#if defined __x86_64__
/* The same of all lines. */
static AVX512 bool
load_strings_avx512(const struct gs_line_batch *batch, const struct gs_line_string *string,
                    struct strings *strings)
{
	const __m512i at = _mm512_set1_epi64(batch->at), eight = _mm512_set1_epi64(8);
	const __m512i most = _mm512_set1_epi64((long long)string->to);
	const __m512i least = _mm512_set1_epi64((long long)string->from);
	bool more = false;
	size_t i = 0;

	for (; i + 8 <= batch->count; i += 8) {
		const __m256i lengths = _mm256_loadu_si256((const __m256i *)(const void *)(batch->bytes + i));
		const __m512i length = _mm512_sub_epi64(_mm512_cvtepu32_epi64(lengths), _mm512_set1_epi64(1));
		const __m512i end = _mm512_min_epu64(length, most), begin = _mm512_min_epu64(end, least);
		const __m512i bytes = _mm512_sub_epi64(end, begin), to = _mm512_add_epi64(at, eight);
		const __m512i others = _mm512_sub_epi64(_mm512_max_epu64(bytes, to), bytes);
		const __m512i first = _mm512_add_epi64(_mm512_loadu_si512(batch->lines + i), begin);
		const __m512i word = _mm512_add_epi64(first, _mm512_sub_epi64(at, others));

		for (size_t k = 0; k < 8; k++)
			gs_line_load_ahead(batch->lines, batch->bytes, batch->count + batch->behind, i + k);
		if (_mm512_cmplt_epu64_mask(bytes, eight) != 0) {
			more |= load_strings(batch, string, i, i + 8, strings);
			continue;
		}
		_mm512_storeu_si512(strings->first + i, first_eights(0xff, first));
		_mm512_storeu_si512(strings->word + i, first_eights(0xff, word));
		_mm512_storeu_si512(strings->others + i, _mm512_slli_epi64(others, 2));
		more |= _mm512_testn_epi64_mask(others, others) != 0;
	}
	return more | load_strings(batch, string, i, batch->count, strings);
}
#endif

bool
gs_line_words_of_strings(struct gs_line_batch *batch, bool *more)
{
	const struct gs_line_string *string = batch->string;
	struct strings strings;

#if defined __x86_64__
	if (gs_simd_best() == GS_SIMD_AVX512)
		*more |= load_strings_avx512(batch, string, &strings);
	else
#endif
		*more |= load_strings(batch, string, 0, batch->count, &strings);
	return make_strings_best(&strings, batch->count, string->flip, string->alone, batch->words,
	                         batch->failed) != 0;
}

/* ---- a string, and a number behind it ---------------------------------------------------- */

/* Append to WORDS of strings the numbers, as far as they are wanted, and to what FAILED. */
INLINE uint64_t
append_numbers(const struct gs_line_batch *batch, const struct strings *strings, struct numbers *numbers,
               uint64_t *words, uint64_t *failed)
{
	const size_t count = batch->count;
	uint64_t behind[GS_LINE_BATCH], wrong[GS_LINE_BATCH], any = 0;

	(void)make_numbers(batch, numbers, behind, wrong);
	#pragma omp simd reduction(|: any)
	for (size_t i = 0; i < count; i++) {
		const uint64_t others = strings->others[i], before = others < 36 ? 36 - others : 0;

		words[i] |= behind[i] >> before >> before;
		failed[i] |= others > 4 ? wrong[i] : 0;
		any |= failed[i];
	}
	return any;
}

GS_SIMD_BEST(uint64_t, append_numbers, (const struct gs_line_batch *batch, const struct strings *strings,
                                        struct numbers *numbers, uint64_t *words, uint64_t *failed),
             (batch, strings, numbers, words, failed))

bool
gs_line_words_of_pairs(struct gs_line_batch *batch, bool *more)
{
	const struct gs_fields *fields = batch->fields;
	const struct gs_keydef *keys = batch->keys;
	const uint64_t flip = keys[0].letters & GS_LETTER_R ? UINT64_MAX : 0;
	const char *at[GS_LINE_BATCH];
	struct numbers numbers;
	struct strings strings;

	*more = true;
	for (size_t i = 0; i < batch->count; i++) {
		struct gs_field_walk walk = gs_line_load_next(batch, i);
		const char *begin = walk.line, *limit = begin;
		size_t bytes;

		if (is_plain(fields, walk.line, walk.end))
			gs_line_find_usual(fields, keys, &walk, &begin, &limit);
		bytes = (size_t)(limit - begin);
		(void)load_string(begin, bytes, walk.end, batch->at, &strings, i);
		at[i] = find_number(fields, keys + 1, &walk);
		numbers.skip[i] = batch->at > bytes ? 8 * (batch->at - bytes - 1) : 0;
	}
	load_numbers(batch, keys + 1, at, &numbers);
	(void)make_strings_best(&strings, batch->count, flip, true, batch->words, batch->failed);
	return append_numbers_best(batch, &strings, &numbers, batch->words, batch->failed) != 0;
}

/* ---- any strings and numbers, one behind the other, and the line --------------------------- */

#if defined __x86_64__
/* Where the fields of lines are, and how far their words are made. */
struct texts {
	uint64_t begins[GS_LINE_BATCH];	/* of fields: a bit for each of the first 64 bytes of a line */
	uint64_t ends[GS_LINE_BATCH], blanks[GS_LINE_BATCH];	/* see struct head */
	const char *strings[GS_LINE_BATCH];	/* the last key that was found, */
	uint64_t    bytes[GS_LINE_BATCH];	/* as far as it is wanted */
	uint64_t    places[GS_LINE_BATCH];	/* bytes before it; those from WANTED on are not wanted */
	size_t      wanted;
};

/* Look at all lines, and with BLANK for blanks.  Those fail that have a quote or a byte below 2 in their
 * first 64 bytes. */
static AVX512 void
look_at_lines(struct gs_line_batch *batch, bool blank, struct texts *texts)
{
	const struct gs_fields *const fields = batch->fields;
	const __m512i separator = _mm512_set1_epi8((char)fields->separator), quote = _mm512_set1_epi8('"');
	const bool csv = fields->csv, by_blanks = fields->separator == GS_NO_SEPARATOR;

	for (size_t i = 0; i < batch->count; i++) {
		const struct gs_field_walk walk = gs_line_load_next(batch, i);
		const struct head head = look_at(&walk, fields, separator, blank);
		bool fails = _mm512_mask_testn_epi8_mask(head.within, head.text, _mm512_set1_epi8(-2)) != 0;

		if (csv)
			fails |= _mm512_cmpeq_epi8_mask(head.text, quote) != 0;
		texts->begins[i] = head.ends << !by_blanks | 1;
		texts->ends[i] = head.ends;
		texts->blanks[i] = head.blanks;
		texts->places[i] = 0;
		batch->words[i] = 0;
		batch->failed[i] = fails;
	}
}

/* The number of the bit with BEFORE others before it; 64: no such bit. */
static inline AVX512 size_t
bit_of(uint64_t bits, size_t before)
{
	return _tzcnt_u64(_pdep_u64(UINT64_C(1) << before, bits));
}

/* Behind BLANKS, if they are skipped, and COUNT bytes. */
static inline AVX512 size_t
behind(uint64_t blanks, size_t at, bool skipped, size_t count)
{
	return count + at + (skipped && at < 64 ? _tzcnt_u64(~blanks >> at) : 0);
}

/* Find KEY, a string or number, in all lines.  Those fail where it is wanted and not in the first 64, or is a
 * number of a line of less than 8. */
static AVX512 void
find_key(struct gs_line_batch *batch, const struct gs_keydef *given, struct texts *texts)
{
	const struct gs_keydef key = *given;	/* no store can change it */
	const size_t field = gs_keydef_first_field(&key), wanted = texts->wanted;
	const bool number = key.ordering == GS_BY_NUMBER, to_end = number || key.end_field == GS_LINE_END;
	const bool skips = number ? batch->fields->separator == GS_NO_SEPARATOR
	                          : (key.letters & GS_LETTER_B_BEGIN) != 0;

	for (size_t i = 0; i < batch->count; i++) {
		const size_t bytes = batch->bytes[i] - 1, place = texts->places[i];
		const uint64_t begins = texts->begins[i], blanks = texts->blanks[i];
		size_t begin = behind(blanks, bit_of(begins, field), skips, key.begin_char), limit = bytes;

		if (key.end_char > 0)
			limit = behind(blanks, bit_of(begins, key.end_field),
			               (key.letters & GS_LETTER_B_END) != 0, key.end_char);
		else if (!to_end)
			limit = bit_of(texts->ends[i], key.end_field);
		limit = limit < bytes ? limit : bytes;
		begin = begin < bytes ? begin : bytes;
		limit = limit > begin ? limit : begin;
		batch->failed[i] |= number && bytes < 8 && place < wanted;
		if (bytes > 64 && limit >= 64) {
			batch->failed[i] |= place < wanted && (begin >= 64 || begin + wanted > 64 + place);
			limit = begin < 64 ? 64 : begin;
		}
		texts->strings[i] = batch->lines[i] + begin;
		texts->bytes[i] = limit - begin;
	}
}

/* The first BYTES of words are ones. */
static inline AVX512 __m512i
first_ones(__m512i bytes)
{
	const __m512i ones = _mm512_set1_epi64(-1);

	return _mm512_andnot_si512(_mm512_srlv_epi64(ones, _mm512_slli_epi64(bytes, 3)), ones);
}

/* A - B, or 0. */
static inline AVX512 __m512i
less(__m512i a, __m512i b)
{
	return _mm512_sub_epi64(_mm512_max_epu64(a, b), b);
}

/* Append BYTES to the words of eight lines from number I on, THERE; WORD is the first of them that are
 * wanted.  Returns which are full. */
static inline AVX512 __mmask8
append(struct gs_line_batch *batch, struct texts *texts, size_t i, __mmask8 there, __m512i word,
       __m512i bytes)
{
	const __m512i place = _mm512_loadu_si512(texts->places + i), behind = _mm512_add_epi64(place, bytes);
	const __m512i before = less(place, _mm512_set1_epi64(batch->at));
	const __m512i wanted = _mm512_set1_epi64((long long)texts->wanted);

	word = _mm512_or_si512(_mm512_maskz_loadu_epi64(there, batch->words + i),
	                       _mm512_srlv_epi64(word, _mm512_slli_epi64(before, 3)));
	_mm512_mask_storeu_epi64(batch->words + i, there, word);
	_mm512_storeu_si512(texts->places + i, behind);
	return (__mmask8)~there | _mm512_cmpge_epu64_mask(behind, wanted);
}

/* Eight bytes at each string, for lines that have no more than seven, into the others' WORD. */
static AVX512 __m512i
load_short(const struct gs_line_batch *batch, const struct texts *texts, size_t i, __mmask8 is_short,
           __m512i word)
{
	uint64_t words[8];

	_mm512_storeu_si512(words, word);
	for (size_t l = i; l < i + 8 && l < batch->count; l++) {
		const char *at, *end;

		if ((is_short >> (l - i) & 1) == 0)
			continue;
		end = batch->lines[l] + batch->bytes[l] - 1;
		at = texts->strings[l] + (batch->at > texts->places[l] ? batch->at - texts->places[l] : 0);
		words[l - i] = at >= end ? 0 : gs_load_some((const unsigned char *)at, (size_t)(end - at),
		                                            (const unsigned char *)end);
	}
	return _mm512_loadu_si512(words);
}

/* Append the strings that were found; their end is a byte, too.  Returns whether all words are full. */
static AVX512 bool
append_strings(struct gs_line_batch *batch, struct texts *texts, bool flip, bool upper)
{
	const __m512i at = _mm512_set1_epi64(batch->at), one = _mm512_set1_epi64(1);
	const __m512i eight = _mm512_set1_epi64(8), a = _mm512_set1_epi8('a');
	const __m512i flips = _mm512_set1_epi64(-(int)flip);
	__mmask8 full = 0xff;

	for (size_t i = 0; i < batch->count; i += 8) {
		const __mmask8 there = (__mmask8)_bzhi_u32(0xff, (unsigned)(batch->count - i));
		const __m512i failed = _mm512_loadu_si512(batch->failed + i);
		const __m256i lengths = _mm256_maskz_loadu_epi32(there, batch->bytes + i);
		const __m512i length = _mm512_cvtepu32_epi64(lengths);
		const __m512i line = _mm512_maskz_loadu_epi64(there, batch->lines + i);
		const __m512i end = _mm512_sub_epi64(_mm512_add_epi64(line, length), one);
		const __m512i skip = less(at, _mm512_loadu_si512(texts->places + i));
		const __m512i from = _mm512_add_epi64(_mm512_loadu_si512(texts->strings + i), skip);
		const __m512i bytes = _mm512_loadu_si512(texts->bytes + i);
		const __m512i with_end = _mm512_add_epi64(bytes, one);
		const __mmask8 some = _mm512_mask_testn_epi64_mask(there, failed, failed);
		const __mmask8 is_short = _mm512_cmple_epu64_mask(length, eight) & some;
		/* eight bytes, or those up to the end of the line and then 0 */
		const __m512i loaded = _mm512_min_epu64(from, _mm512_sub_epi64(end, eight));
		__m512i word = _mm512_sllv_epi64(first_eights(some & ~is_short, loaded),
		                                 _mm512_slli_epi64(_mm512_sub_epi64(from, loaded), 3));

		if (is_short != 0)
			word = load_short(batch, texts, i, is_short, word);
		if (upper) {
			const __mmask64 lower = _mm512_cmple_epu8_mask(_mm512_sub_epi8(word, a),
			                                               _mm512_set1_epi8('z' - 'a'));

			word = _mm512_mask_sub_epi8(word, lower, word, _mm512_set1_epi8('a' - 'A'));
		}
		word = _mm512_and_si512(word, first_ones(less(bytes, skip)));
		word = _mm512_xor_si512(word, _mm512_and_si512(first_ones(less(with_end, skip)), flips));
		full &= append(batch, texts, i, there, word, with_end);
	}
	return full == 0xff;
}

/* The same of numbers of KEY. */
static AVX512 bool
append_values(struct gs_line_batch *batch, const struct gs_keydef *key, struct texts *texts)
{
	const __m512i at = _mm512_set1_epi64(batch->at), wanted = _mm512_set1_epi64((long long)texts->wanted);
	uint64_t values[GS_LINE_BATCH], wrong[GS_LINE_BATCH];
	struct numbers numbers;
	__mmask8 full = 0xff;

	for (size_t i = 0; i < batch->count; i++) {
		texts->strings[i] = batch->failed[i] || batch->bytes[i] <= 8 ? NULL : texts->strings[i];
		numbers.skip[i] = 0;
	}
	load_numbers(batch, key, texts->strings, &numbers);
	(void)make_numbers_best(batch, &numbers, values, wrong);
	for (size_t i = 0; i < batch->count; i += 8) {
		const __mmask8 there = (__mmask8)_bzhi_u32(0xff, (unsigned)(batch->count - i));
		const __m512i place = _mm512_loadu_si512(texts->places + i), skip = less(at, place);
		const __mmask8 matters = _mm512_cmplt_epu64_mask(place, wanted);
		const __m512i failed = _mm512_loadu_si512(batch->failed + i);
		const __m512i value = _mm512_loadu_si512(values + i);
		const __m512i word = _mm512_sllv_epi64(value, _mm512_slli_epi64(skip, 3));

		_mm512_storeu_si512(batch->failed + i, _mm512_mask_or_epi64(failed, matters, failed,
		                                                            _mm512_loadu_si512(wrong + i)));
		full &= append(batch, texts, i, there, word, _mm512_set1_epi64(8));
	}
	return full == 0xff;
}

AVX512 bool
gs_line_words_of_texts(struct gs_line_batch *batch, bool *more)
{
	const struct gs_keydef *const keys_end = batch->keys + batch->key_count;
	const size_t wanted = batch->at + 8, count = batch->count;
	struct texts texts;
	bool full = false, blank = batch->fields->separator == GS_NO_SEPARATOR;
	uint64_t failed = 0, filled = 0;

	texts.wanted = wanted;
	for (const struct gs_keydef *key = batch->keys; key < keys_end; key++)
		blank |= (key->letters & GS_LETTERS_B) != 0;
	look_at_lines(batch, blank, &texts);
	for (const struct gs_keydef *key = batch->keys; key < keys_end && !full; key++) {
		size_t bad = 0;

		find_key(batch, key, &texts);
		for (size_t i = 0; i < count; i++)
			bad += batch->failed[i] != 0;
		if (2 * bad > count) {	/* all do: their words are made faster without those of some */
			for (size_t i = 0; i < count; i++)
				batch->failed[i] = 1;
			return true;
		}
		full = key->ordering == GS_BY_NUMBER
		       ? append_values(batch, key, &texts)
		       : append_strings(batch, &texts, (key->letters & GS_LETTER_R) != 0,
		                        (key->letters & GS_LETTER_F) != 0);
	}
	if (batch->line_next && !full) {
		for (size_t i = 0; i < count; i++) {
			texts.strings[i] = batch->lines[i];
			texts.bytes[i] = batch->bytes[i] - 1;
		}
		(void)append_strings(batch, &texts, batch->flip != 0, false);
	}
	#pragma omp simd reduction(|: failed, filled)
	for (size_t i = 0; i < count; i++) {
		filled |= texts.places[i] >= wanted;
		failed |= batch->failed[i];
	}
	*more |= filled != 0;
	return failed != 0;
}
#endif
