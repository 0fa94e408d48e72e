// SPDX-License-Identifier: BSD-2-Clause
/*
 * decode_text.c - lines of digits become keys
 *
 * In:   chunks of text.
 * Out:  keys by class (text.h), in no order; small values counted.
 *
 * A chunk is cut into sections, one per thread, at line boundaries: a section
 * owns the lines that begin in its share of the bytes.  Each writes to arrays of
 * its own, long enough for a share full of the shortest lines of that class; the
 * pages that are never needed are never touched.
 *
 * Digits are read eight at a time.  In a 64-bit word, the first byte that is no
 * digit is found with an addition and a subtraction that carry into bit 7; the
 * bytes before it become a number with three multiplications, each joining
 * neighbours: 8 digits to 4 pairs to 2 fours to 1 eight.
 * See D. Lemire, "Number parsing at a gigabyte per second", 2021, section 5.
 *
 * Invariant: sections are in the order of the file and end behind a newline, so
 * the first bad line is that of the first section that has one, and all lines
 * before it have been counted, however many threads there are.
 */
#include <assert.h>
#include <endian.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "format/decode.h"

enum {
	LINE_BYTES = 4095,		/* the longest line, without its newline */
	LOOK_BYTES = 32,		/* most that read_line() may look at */
	/*
	 * A thread's least share.  Reckoned, not tuned: if starting a team costs 10 us,
	 * one thread parses 20 KB in that time; at 10 times that it does not matter.
	 */
	SHARE_BYTES = 256 << 10,
	PAGE_BYTES = 4096,
	SHOWN_BYTES = 40,		/* of a bad line, in the message */
	PARALLEL_COPY_BYTES = 1 << 20,
};

/* By class: bytes of the shortest line, newline included, and of a key. */
static const struct {
	unsigned line_bytes, key_bytes;
} sizes[GS_TEXT_CLASSES] = {
	[GS_NEG_WIDE]   = { sizeof "-2147483649", 8 },
	[GS_NEG_NARROW] = { sizeof "-32769", 4 },
	[GS_SMALL]      = { sizeof "0", 0 },
	[GS_POS_NARROW] = { sizeof "65536", 4 },
	[GS_POS_WIDE]   = { sizeof "4294967296", 8 },
};

struct section {
	const char *begin, *end;	/* whole lines */
	uint64_t    lines;		/* good ones */
	const char *bad;		/* the first bad line, or NULL */
	void       *keys[GS_TEXT_CLASSES];
	size_t      count[GS_TEXT_CLASSES];
	size_t      fetched[GS_TEXT_CLASSES];
	uint64_t   *small;		/* GS_SMALL_COUNT counters */
	bool        small_parts[64];	/* some of these are not 0 */
	char        apart[64];		/* from the next thread's cache lines */
};

struct gs_text_decoder {
	const char *name;
	uint64_t    file_lines;		/* good ones of this file */
	uint64_t    lines;		/* of all files */
	uint64_t    flip;		/* all ones for largest first */
	size_t      chunk_bytes;
	unsigned    threads;
	size_t      carry_bytes;
	char        carry[LINE_BYTES + 1];	/* an unfinished line, and its newline */
	struct section sections[];
};

/* ---- memory ------------------------------------------------------------ */

static size_t
pages(size_t bytes)
{
	return (bytes + PAGE_BYTES - 1) & ~(size_t)(PAGE_BYTES - 1);
}

/* The most bytes of a chunk that are one thread's. */
static size_t
share_bytes(size_t chunk_bytes, unsigned threads)
{
	size_t share = (chunk_bytes + threads - 1) / threads;

	return share < SHARE_BYTES ? SHARE_BYTES : share;
}

/* A share's last line may end outside; one more is carried in, one ends the file. */
static size_t
class_bytes(size_t share, unsigned class)
{
	return pages((share / sizes[class].line_bytes + 4) * sizes[class].key_bytes);
}

static size_t
section_bytes(size_t share)
{
	size_t bytes = pages(GS_SMALL_COUNT * sizeof(uint64_t));

	for (unsigned class = 0; class < GS_TEXT_CLASSES; class++)
		bytes += class_bytes(share, class);
	return bytes;
}

static size_t
head_bytes(unsigned threads)
{
	return pages(sizeof(struct gs_text_decoder) + threads * sizeof(struct section));
}

size_t
gs_text_decoder_bytes(size_t chunk_bytes, unsigned threads)
{
	return head_bytes(threads) + threads * section_bytes(share_bytes(chunk_bytes, threads));
}

struct gs_text_decoder *
gs_text_decoder_init(void *memory, size_t chunk_bytes, unsigned threads,
                     const struct gs_text_options *options)
{
	struct gs_text_decoder *decoder = memory;
	char *next = (char *)memory + head_bytes(threads);
	size_t share = share_bytes(chunk_bytes, threads);

	assert(threads > 0);
	decoder->name = "-";
	decoder->flip = options->reverse ? UINT64_MAX : 0;
	decoder->chunk_bytes = chunk_bytes;
	decoder->threads = threads;
	for (unsigned t = 0; t < threads; t++) {
		decoder->sections[t].small = (uint64_t *)next;
		next += pages(GS_SMALL_COUNT * sizeof(uint64_t));
		for (unsigned class = 0; class < GS_TEXT_CLASSES; class++) {
			decoder->sections[t].keys[class] = next;
			next += class_bytes(share, class);
		}
	}
	assert(next == (char *)memory + gs_text_decoder_bytes(chunk_bytes, threads));
	return decoder;
}

void
gs_text_begin_file(struct gs_text_decoder *decoder, const char *name)
{
	assert(decoder->carry_bytes == 0);
	decoder->name = name;
	decoder->file_lines = 0;
}

uint64_t
gs_text_lines(const struct gs_text_decoder *decoder)
{
	return decoder->lines;
}

/* ---- digits, eight at a time ------------------------------------------- */

static const uint64_t power_of_ten[8] = {
	1, 10, 100, 1000, 10000, 100000, 1000000, 10000000,
};

static inline uint64_t
load_eight(const char *text)
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
find_other(uint64_t word)
{
	return ((word + 0x4646464646464646) | (word - 0x3030303030303030)) & 0x8080808080808080;
}

/* The number that eight digits make; bytes of zero in front count as '0'. */
static inline uint64_t
join_eight(uint64_t word)
{
	word &= 0x0f0f0f0f0f0f0f0f;
	word = word * 10 + (word >> 8);
	return ((word & 0x000000ff000000ff) * 0x000f424000000064 +
	        (word >> 16 & 0x000000ff000000ff) * 0x0000271000000001) >> 32;
}

/* The number that the first COUNT (0 .. 7) of eight bytes make. */
static inline uint64_t
join_some(uint64_t word, unsigned count)
{
	return join_eight(word << 8 << (56 - 8 * count));
}

static inline unsigned
digits_before(uint64_t other)
{
	return (unsigned)__builtin_ctzll(other) / 8;
}

/*
 * The digits at TEXT, at most 20 and less than 2^64.
 *
 * @return  what comes after them, or NULL: something else, see read_any()
 */
static inline const char *
read_digits(const char *text, uint64_t *value)
{
	uint64_t word = load_eight(text), other = find_other(word);
	unsigned digits;

	if (other != 0) {
		digits = digits_before(other);
		*value = join_some(word, digits);
		return digits > 0 ? text + digits : NULL;
	}
	*value = join_eight(word);
	word = load_eight(text + 8);
	other = find_other(word);
	if (other != 0) {
		digits = digits_before(other);
		*value = *value * power_of_ten[digits] + join_some(word, digits);
		return text + 8 + digits;
	}
	*value = *value * 100000000 + join_eight(word);
	word = load_eight(text + 16);
	other = find_other(word);
	digits = other != 0 ? digits_before(other) : 8;
	if (digits > 4 || __builtin_mul_overflow(*value, power_of_ten[digits], value) ||
	    __builtin_add_overflow(*value, join_some(word, digits), value))
		return NULL;
	return text + 16 + digits;
}

/* ---- one line ---------------------------------------------------------- */

/*
 * Put a number where it belongs; false: no class has it.  Written so that only
 * the width is a branch: widths repeat from line to line, signs may not.
 */
static inline bool
put(struct section *section, uint64_t flip, bool negative, uint64_t magnitude)
{
	static const uint64_t narrow_low[2]  = { 1 << 16, (1 << 15) + 1 };
	static const uint64_t narrow_last[2] = { UINT32_MAX, UINT64_C(1) << 31 };
	const uint64_t minus = negative;
	const uint64_t value = (magnitude ^ -minus) + minus;	/* two's complement */
	unsigned class;

	if (magnitude - narrow_low[minus] <= narrow_last[minus] - narrow_low[minus]) {
		class = negative ? GS_NEG_NARROW : GS_POS_NARROW;
		((uint32_t *)section->keys[class])[section->count[class]++] =
			(uint32_t)((value + (minus << 31)) ^ flip);
		return true;
	}
	if (magnitude < narrow_low[minus]) {
		const uint64_t at = value - (uint64_t)(int64_t)GS_SMALL_LOW;

		section->small[at]++;
		section->small_parts[at / GS_SMALL_PART] = true;
		return true;
	}
	class = negative ? GS_NEG_WIDE : GS_POS_WIDE;
	((uint64_t *)section->keys[class])[section->count[class]++] =
		(value + (minus << 63)) ^ flip;
	return !negative || magnitude <= UINT64_C(1) << 63;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Drop blanks on both sides, and before that one CR at the end. */
static void
trim(const char **begin, const char **end)
{
	if (*begin < *end && (*end)[-1] == '\r')
		--*end;
	while (*begin < *end && is_blank(**begin))
		++*begin;
	while (*begin < *end && is_blank((*end)[-1]))
		--*end;
}

/* Any line that is allowed; LINE .. END is without its newline.  False: it is not. */
static bool
read_any(struct section *section, uint64_t flip, const char *line, const char *end)
{
	bool negative = false;
	uint64_t magnitude = 0;

	if (end - line > LINE_BYTES)
		return false;
	trim(&line, &end);
	if (line < end && (*line == '-' || *line == '+'))
		negative = *line++ == '-';
	if (line == end)
		return false;
	for (; line < end; line++)
		if (!is_digit(*line) || __builtin_mul_overflow(magnitude, 10, &magnitude) ||
		    __builtin_add_overflow(magnitude, (uint64_t)(*line - '0'), &magnitude))
			return false;
	return put(section, flip, negative && magnitude > 0, magnitude);
}

/*
 * The usual line: perhaps a minus, 1 to 20 digits, LF or CR LF.  LOOK_BYTES can
 * be looked at.  Returns the next line, or NULL: see read_any().
 */
static inline const char *
read_line(struct section *section, uint64_t flip, const char *line)
{
	bool negative = *line == '-';
	uint64_t magnitude;
	const char *next = read_digits(line + negative, &magnitude);

	if (next == NULL)
		return NULL;
	if (*next == '\r')
		next++;
	if (*next != '\n' || (negative && magnitude == 0))
		return NULL;
	return put(section, flip, negative, magnitude) ? next + 1 : NULL;
}

/* Lines of one section; up to LOOKS the fast way. */
static void
read_section(struct section *section, uint64_t flip, const char *looks)
{
	const char *line = section->begin;
	uint64_t lines = 0;

	while (line < section->end) {
		const char *next = line < looks ? read_line(section, flip, line) : NULL;

		if (next == NULL) {
			next = memchr(line, '\n', (size_t)(section->end - line));
			assert(next != NULL);
			if (!read_any(section, flip, line, next)) {
				section->bad = line;
				break;
			}
			next++;
		}
		lines++;
		line = next;
	}
	section->lines = lines;
}

/* ---- what is wrong with a line ----------------------------------------- */

static const char *
skip_digits(const char *text, const char *end)
{
	while (text < end && is_digit(*text))
		text++;
	return text;
}

/* Is it a number, if not one for us: a fraction, an exponent, hexadecimal? */
static bool
is_other_number(const char *text, const char *end)
{
	const char *digits;

	if (text < end && (*text == '-' || *text == '+'))
		text++;
	if (end - text > 2 && text[0] == '0' && (text[1] | 0x20) == 'x') {
		for (text += 2; text < end; text++)
			if (!is_digit(*text) && ((*text | 0x20) < 'a' || (*text | 0x20) > 'f'))
				return false;
		return true;
	}
	digits = text;
	text = skip_digits(text, end);
	if (text < end && *text == '.') {
		const char *point = text++;

		text = skip_digits(text, end);
		if (text - digits == 1 && text == point + 1)
			return false;		/* a lone point */
	}
	if (text == digits)
		return false;
	if (text < end && (*text | 0x20) == 'e') {
		text++;
		if (text < end && (*text == '-' || *text == '+'))
			text++;
		digits = text;
		text = skip_digits(text, end);
		if (text == digits)
			return false;
	}
	return text == end;
}

/* A line for a message: shortened, and a string. */
static void
show(char shown[SHOWN_BYTES + 8], const char *text, const char *end)
{
	size_t bytes = (size_t)(end - text), kept = bytes < SHOWN_BYTES ? bytes : SHOWN_BYTES;

	for (size_t b = 0; b < kept; b++)
		shown[b] = text[b] != '\0' ? text[b] : '?';
	strcpy(shown + kept, kept < bytes ? "..." : "");
}

/* A file whose first line has bytes that no text has is not meant to be text. */
static const char *
hint(unsigned long long number, const char *line, const char *end)
{
	if (number == 1)
		for (; line < end; line++)
			if ((unsigned char)*line < ' ' && (*line < '\t' || *line > '\r'))
				return "; binary keys need a type, such as -u32";
	return "";
}

/* Why LINE .. END, which follows LINES good lines of the file, is not one. */
static gs_status
explain(const struct gs_text_decoder *decoder, uint64_t lines, const char *line, const char *end)
{
	unsigned long long number = decoder->file_lines + lines + 1;
	const char *name = decoder->name, *digits;
	char shown[SHOWN_BYTES + 8];

	if (end - line > LINE_BYTES)
		return gs_fail(GS_EINPUT, "%s:%llu: line longer than %d bytes%s", name, number,
		               LINE_BYTES, hint(number, line, end));
	trim(&line, &end);
	if (line == end)
		return gs_fail(GS_EINPUT, "%s:%llu: empty line", name, number);
	show(shown, line, end);
	digits = line + (*line == '-' || *line == '+');
	if (digits < end && skip_digits(digits, end) == end)
		return gs_fail(GS_EINPUT, "%s:%llu: out of range: \"%s\" (gsort sorts "
		               "-9223372036854775808 to 18446744073709551615; use sort -n)",
		               name, number, shown);
	return gs_fail(GS_EINPUT, "%s:%llu: not %s: \"%s\"%s", name, number,
	               is_other_number(line, end) ? "an integer" : "a number", shown,
	               hint(number, line, end));
}

/* ---- a chunk ----------------------------------------------------------- */

/* One line that is not in any section: carried over, or the last. */
static gs_status
read_single(struct gs_text_decoder *decoder, const char *line, const char *end)
{
	if (!read_any(&decoder->sections[0], decoder->flip, line, end))
		return explain(decoder, 0, line, end);
	decoder->file_lines++;
	decoder->lines++;
	return GS_OK;
}

/* Complete the line that the last chunk began, if it is complete now. */
static gs_status
join_carry(struct gs_text_decoder *decoder, const char **text, const char *end, bool last)
{
	size_t room = sizeof decoder->carry - decoder->carry_bytes;
	size_t bytes = (size_t)(end - *text);
	const char *newline = memchr(*text, '\n', bytes < room ? bytes : room);
	char *carry = decoder->carry;

	if (newline != NULL)
		bytes = (size_t)(newline - *text);
	if (bytes > room)
		bytes = room;		/* so it is too long, and seen to be */
	memcpy(carry + decoder->carry_bytes, *text, bytes);
	decoder->carry_bytes += bytes;
	*text += bytes + (newline != NULL);
	if (newline == NULL && !last && decoder->carry_bytes <= LINE_BYTES)
		return GS_OK;
	bytes = decoder->carry_bytes;
	decoder->carry_bytes = 0;
	return read_single(decoder, carry, carry + bytes);
}

/* Behind the newline that is at TEXT or later. */
static const char *
skip_line(const char *text, const char *end)
{
	const char *newline = memchr(text, '\n', (size_t)(end - text));

	assert(newline != NULL);
	return newline + 1;
}

/* Cut TEXT .. END, whole lines, into sections; returns how many. */
static unsigned
cut(struct gs_text_decoder *decoder, const char *text, const char *end)
{
	size_t share = share_bytes((size_t)(end - text), decoder->threads);
	const char *begin = text;
	unsigned count = 0;

	for (; begin < end; count++) {
		struct section *section = &decoder->sections[count];
		const char *bound = text + (count + 1) * share;

		assert(count < decoder->threads);
		section->begin = begin;
		if (bound >= end)
			begin = end;
		else if (bound > begin)		/* else a long line covers all of it */
			begin = skip_line(bound - 1, end);
		section->end = begin;
	}
	return count;
}

static gs_status
read_sections(struct gs_text_decoder *decoder, const char *text, const char *end,
              const char *looks)
{
	const unsigned count = cut(decoder, text, end);
	uint64_t lines = 0;

	#pragma omp parallel for num_threads(count) schedule(static, 1) if(count > 1)
	for (unsigned s = 0; s < count; s++)
		read_section(&decoder->sections[s], decoder->flip, looks);
	for (unsigned s = 0; s < count; s++) {
		const struct section *section = &decoder->sections[s];

		lines += section->lines;
		if (section->bad != NULL)
			return explain(decoder, lines, section->bad,
			               memchr(section->bad, '\n', (size_t)(end - section->bad)));
	}
	decoder->file_lines += lines;
	decoder->lines += lines;
	return GS_OK;
}

gs_status
gs_text_decode(struct gs_text_decoder *decoder, const char *text, size_t bytes, bool last)
{
	const char *end = text + bytes, *whole;
	const char *looks = bytes > LOOK_BYTES ? end - LOOK_BYTES : text;

	assert(bytes <= decoder->chunk_bytes);
	for (unsigned s = 0; s < decoder->threads; s++) {
		decoder->sections[s].bad = NULL;
		memset(decoder->sections[s].count, 0, sizeof decoder->sections[s].count);
		memset(decoder->sections[s].fetched, 0, sizeof decoder->sections[s].fetched);
	}
	if (decoder->carry_bytes > 0)
		TRY(join_carry(decoder, &text, end, last));
	whole = memrchr(text, '\n', (size_t)(end - text));
	whole = whole != NULL ? whole + 1 : text;
	if (whole > text)
		TRY(read_sections(decoder, text, whole, looks));
	bytes = (size_t)(end - whole);
	if (bytes == 0)
		return GS_OK;
	if (last || bytes > LINE_BYTES)
		return read_single(decoder, whole, end);
	memcpy(decoder->carry, whole, bytes);
	decoder->carry_bytes = bytes;
	return GS_OK;
}

/* ---- what was found ---------------------------------------------------- */

static size_t
left_in(const struct section *section, enum gs_text_class class)
{
	return section->count[class] - section->fetched[class];
}

size_t
gs_text_left(const struct gs_text_decoder *decoder, enum gs_text_class class)
{
	size_t left = 0;

	for (unsigned s = 0; s < decoder->threads; s++)
		left += left_in(&decoder->sections[s], class);
	return left;
}

/* Copy what is left in section S to its place among the first ROOM keys. */
static void
copy_out(struct gs_text_decoder *decoder, unsigned s, enum gs_text_class class,
         char *into, size_t room)
{
	const size_t width = sizes[class].key_bytes;
	struct section *section = &decoder->sections[s];
	size_t before = 0, count = left_in(section, class);

	for (unsigned b = 0; b < s; b++)
		before += left_in(&decoder->sections[b], class);
	if (before >= room)
		return;
	if (count > room - before)
		count = room - before;
	memcpy(into + before * width,
	       (char *)section->keys[class] + section->fetched[class] * width, count * width);
}

size_t
gs_text_fetch(struct gs_text_decoder *decoder, enum gs_text_class class, void *into, size_t room)
{
	const size_t left = gs_text_left(decoder, class);
	const size_t count = left < room ? left : room;
	size_t more = count;

	assert(class != GS_SMALL);
	#pragma omp parallel for num_threads(decoder->threads) schedule(static, 1) \
		if(count * sizes[class].key_bytes >= PARALLEL_COPY_BYTES)
	for (unsigned s = 0; s < decoder->threads; s++)
		copy_out(decoder, s, class, into, count);
	for (unsigned s = 0; more > 0; s++) {	/* copy_out() looks at these */
		struct section *section = &decoder->sections[s];
		size_t here = left_in(section, class) < more ? left_in(section, class) : more;

		section->fetched[class] += here;
		more -= here;
	}
	return count;
}

uint64_t
gs_text_fetch_small(struct gs_text_decoder *decoder, uint64_t *counts)
{
	uint64_t parts = 0;

	for (unsigned s = 0; s < decoder->threads; s++) {
		struct section *section = &decoder->sections[s];

		for (unsigned part = 0; part < 64; part++) {
			const size_t from = part * GS_SMALL_PART;

			if (!section->small_parts[part])
				continue;
			for (size_t v = from; v < from + GS_SMALL_PART; v++)
				counts[v] += section->small[v];
			memset(section->small + from, 0, GS_SMALL_PART * sizeof *section->small);
			section->small_parts[part] = false;
			parts |= UINT64_C(1) << part;
		}
	}
	return parts;
}

uint64_t
gs_text_invalid(const struct gs_text_decoder *decoder)
{
	(void)decoder;
	return 0;
}

const char *
gs_text_header(const struct gs_text_decoder *decoder, size_t *bytes)
{
	(void)decoder;
	*bytes = 0;
	return NULL;
}
