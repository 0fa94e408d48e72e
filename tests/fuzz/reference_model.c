// SPDX-License-Identifier: BSD-2-Clause
/*
 * reference_model.c - sorting as the manual describes it: strtod(3), printf(3), qsort(3)
 *
 * Only the shortest form of a float comes from gsort's code, which the floats target checks.
 */
#include <math.h>

#include "reference_model.h"
#include "text/floats.h"

enum { LINE_MOST = 4095 };

/* ---- types --------------------------------------------------------------- */

unsigned
fuzz_bits(enum gsort_type type)
{
	static const unsigned bits[] = { 0, 8, 8, 16, 16, 32, 32, 64, 64, 32, 64 };

	return type == GSORT_TEXT_FLOAT ? 0 : bits[type];
}

enum gsort_type
fuzz_type(unsigned number)
{
	return number == FUZZ_TYPES - 1 ? GSORT_TEXT_FLOAT : (enum gsort_type)number;
}

bool
fuzz_is_float(enum gsort_type type)
{
	return type == GSORT_F32 || type == GSORT_F64 || type == GSORT_TEXT_FLOAT;
}

static bool
is_signed(enum gsort_type type)
{
	return type == GSORT_I8 || type == GSORT_I16 || type == GSORT_I32 || type == GSORT_I64;
}

static bool
is_text(enum gsort_type type)
{
	return fuzz_bits(type) == 0;
}

fuzz_rank
fuzz_rank_of(enum gsort_type type, uint64_t bits)
{
	const fuzz_rank top = (fuzz_rank)1 << (type == GSORT_TEXT_FLOAT ? 63 : fuzz_bits(type) - 1);
	const uint64_t infinity = type == GSORT_F32 ? 0xff800000 : 0xfff0000000000000;

	if (!fuzz_is_float(type))
		return is_signed(type) && bits >= top ? (fuzz_rank)bits - 2 * top : (fuzz_rank)bits;
	if (bits < top)
		return (fuzz_rank)bits;
	return bits <= infinity ? top - 1 - (fuzz_rank)bits : 3 * top - 1 - (fuzz_rank)bits;
}

/* The bits of the float of a rank. */
static uint64_t
bits_of(enum gsort_type type, fuzz_rank rank)
{
	const fuzz_rank top = (fuzz_rank)1 << (type == GSORT_F32 ? 31 : 63);

	return (uint64_t)(rank < 0 ? top - 1 - rank : rank < top ? rank : 3 * top - 1 - rank);
}

static double
float_of(enum gsort_type type, fuzz_rank rank)
{
	const uint64_t bits = bits_of(type, rank);
	const uint32_t narrow_bits = (uint32_t)bits;
	double value;
	float narrow;

	memcpy(&value, &bits, sizeof value);
	memcpy(&narrow, &narrow_bits, sizeof narrow);
	return type == GSORT_F32 ? (double)narrow : value;
}

static bool
wants_groups(const struct gsort_options *options)
{
	return options->unique || options->counts || options->repeated || options->singletons;
}

static bool
swaps(enum gsort_endian endian)
{
	const uint16_t one = 1;
	const bool little = *(const uint8_t *)&one == 1;

	return endian != GSORT_ENDIAN_HOST && (endian == GSORT_ENDIAN_LITTLE) != little;
}

/* ---- input ----------------------------------------------------------------- */

static void
add(struct fuzz_numbers *numbers, fuzz_rank rank)
{
	if (numbers->count == numbers->room) {
		numbers->room = 2 * numbers->room + 64;
		numbers->at = realloc(numbers->at, numbers->room * sizeof *numbers->at);
		FUZZ_MUST(numbers->at != NULL);
	}
	numbers->at[numbers->count++] = (struct fuzz_number){ rank, 1 };
}

static bool
read_integer(const char *line, const char *end, fuzz_rank *rank)
{
	const fuzz_rank least = -((fuzz_rank)1 << 63), most = ((fuzz_rank)1 << 64) - 1;
	const bool minus = *line == '-';

	line += *line == '-' || *line == '+';
	*rank = 0;
	for (const char *at = line; at < end; at++) {
		if (*at < '0' || *at > '9')
			return false;
		if (*rank <= most)
			*rank = *rank * 10 + (*at - '0');
	}
	*rank = minus ? -*rank : *rank;
	return line < end && *rank >= least && *rank <= most;
}

/* Hexadecimal digits: how many bits are there from the first that is set to the last? */
static size_t
significant_bits(const char *digits)
{
	size_t first = 0, last = 0, at = 0;

	for (; *digits != '\0'; digits++) {
		const unsigned digit = *digits <= '9' ? (unsigned)(*digits - '0')
		                                      : (unsigned)(*digits | 0x20) - 'a' + 10;

		for (unsigned bit = 0; bit < 4; bit++) {
			at++;
			if ((digit >> (3 - bit) & 1) == 0)
				continue;
			first = first == 0 ? at : first;
			last = at;
		}
	}
	return first == 0 ? 0 : last - first + 1;
}

bool
fuzz_is_rounded(const char *text, double value)
{
	char exact[400];

	text += *text == '-' || *text == '+';
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X') && text[2] != '\0' &&
	    strspn(text + 2, "0123456789abcdefABCDEF") == strlen(text + 2))
		return isinf(value) || significant_bits(text + 2) > 53;
	if (*text == '\0' || strspn(text, "0123456789") != strlen(text))
		return false;
	text += strspn(text, "0");
	if (isinf(value))
		return true;
	snprintf(exact, sizeof exact, "%.0f", fabs(value));
	return strcmp(exact, *text != '\0' ? text : "0") != 0;
}

/* LINE has a NUL behind it. */
static bool
read_float(const char *line, const char *end, bool merge_zeros, fuzz_rank *rank)
{
	char *behind;
	double value;
	uint64_t bits;

	if (strchr(" \t\n\v\f\r", *line) != NULL)	/* strtod() passes over these */
		return false;
	value = strtod(line, &behind);
	if (behind != end || fuzz_is_rounded(line, value))
		return false;
	if (merge_zeros && value == 0)
		value = 0;
	if (isnan(value))
		value = NAN;
	memcpy(&bits, &value, sizeof bits);
	*rank = fuzz_rank_of(GSORT_TEXT_FLOAT, bits);
	return true;
}

static bool
is_blank(char c, char terminator)
{
	return c == ' ' || c == '\t' || (c == '\n' && terminator != '\n');
}

static bool
read_line(const struct gsort_options *options, const char *line, size_t bytes, fuzz_rank *rank)
{
	const char terminator = options->zero_terminated ? '\0' : '\n';
	char copy[LINE_MOST + 1];
	const char *begin = copy, *end;

	if (bytes > LINE_MOST)
		return false;
	memcpy(copy, line, bytes);
	end = copy + bytes;
	if (end > begin && end[-1] == '\r')
		end--;
	while (begin < end && is_blank(*begin, terminator))
		begin++;
	while (begin < end && is_blank(end[-1], terminator))
		end--;
	copy[end - copy] = '\0';
	if (begin == end)
		return false;
	return options->type == GSORT_TEXT_FLOAT
	       ? read_float(begin, end, wants_groups(options), rank)
	       : read_integer(begin, end, rank);
}

/* Line NUMBER of HEADER, without a mark at the beginning, and a CR at the end; none is an empty one. */
static size_t
header_line(const struct fuzz_bytes *header, uint64_t number, char terminator, const char **line)
{
	const char *at = header->data, *const end = at + header->bytes, *stop;

	if (header->bytes >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
		at += 3;
	for (; at < end && number > 0; number--)
		at = (const char *)memchr(at, terminator, (size_t)(end - at)) + 1;
	*line = at;
	if (at == end)
		return 0;
	stop = memchr(at, terminator, (size_t)(end - at));
	return (size_t)(stop - at) - (stop > at && stop[-1] == '\r');
}

static void
read_text(struct fuzz_numbers *numbers, const struct gsort_options *options, size_t at,
          const char *input, size_t bytes)
{
	const char terminator = options->zero_terminated ? '\0' : '\n', *end = input + bytes;
	struct fuzz_bytes header = { NULL, 0, 0 };
	uint64_t line = 0;

	while (input < end) {
		const char *stop = memchr(input, terminator, (size_t)(end - input));
		fuzz_rank rank;

		stop = stop != NULL ? stop : end;
		if (++line <= options->header_lines) {
			fuzz_put(&header, input, (size_t)(stop - input));
			fuzz_put(&header, &terminator, 1);
		} else if (read_line(options, input, (size_t)(stop - input), &rank)) {
			add(numbers, rank);
		} else if (numbers->bad_lines++ == 0) {
			numbers->first_bad = line;
			numbers->first_bad_input = at;
		}
		input = stop + 1;
	}
	if (numbers->header.bytes == 0 && header.bytes > 0)
		fuzz_put(&numbers->header, header.data, header.bytes);
	for (uint64_t i = 0; i < options->header_lines && header.bytes > 0 && !numbers->partial; i++) {
		const char *one, *two;
		const size_t long_one = header_line(&numbers->header, i, terminator, &one);

		if (header_line(&header, i, terminator, &two) != long_one ||
		    memcmp(one, two, long_one) != 0) {
			numbers->partial = true;
			numbers->other_header = at;
		}
	}
	fuzz_free(&header);
}

static uint64_t
load(const char *input, unsigned bits, bool swap)
{
	uint64_t value = 0;

	for (unsigned b = 0; b < bits / 8; b++)
		((uint8_t *)&value)[b] = (uint8_t)input[swap ? bits / 8 - 1 - b : b];
	return value;		/* on a little-endian host, which fuzzes */
}

void
fuzz_read(struct fuzz_numbers *numbers, const struct gsort_options *options, size_t at,
          const char *input, size_t bytes)
{
	const unsigned bits = fuzz_bits(options->type);
	size_t skip = (size_t)options->skip_bytes;

	if (is_text(options->type)) {
		read_text(numbers, options, at, input, bytes);
		return;
	}
	if (bytes < skip || (bytes - skip) % (bits / 8) != 0) {
		numbers->partial = true;
		return;
	}
	if (at == 0)
		fuzz_put(&numbers->header, input, skip);
	for (; skip < bytes; skip += bits / 8)
		add(numbers, fuzz_rank_of(options->type, load(input + skip, bits, swaps(options->endian))));
}

/* ---- order ------------------------------------------------------------------ */

bool
fuzz_ordered(const struct fuzz_numbers *numbers, const struct gsort_options *options,
             uint64_t *breaks, uint64_t *duplicates)
{
	*breaks = *duplicates = 0;
	for (size_t k = 1; k < numbers->count; k++) {
		const fuzz_rank before = numbers->at[k - 1].rank, rank = numbers->at[k].rank;

		*breaks += options->reverse ? rank > before : rank < before;
		*duplicates += rank == before;
	}
	return *breaks == 0 && (!options->unique || *duplicates == 0);
}

static int
compare(const void *a, const void *b)
{
	const fuzz_rank x = ((const struct fuzz_number *)a)->rank;
	const fuzz_rank y = ((const struct fuzz_number *)b)->rank;

	return x < y ? -1 : x > y;
}

static int
compare_reverse(const void *a, const void *b)
{
	return compare(b, a);
}

void
fuzz_select(struct fuzz_numbers *numbers, const struct gsort_options *options)
{
	size_t kept = 0;

	if (numbers->count > 1)
		qsort(numbers->at, numbers->count, sizeof *numbers->at,
		      options->reverse ? compare_reverse : compare);
	if (wants_groups(options)) {
		for (size_t k = 0; k < numbers->count; k++)
			if (kept > 0 && numbers->at[kept - 1].rank == numbers->at[k].rank)
				numbers->at[kept - 1].times++;
			else
				numbers->at[kept++] = numbers->at[k];
		numbers->count = kept;
		kept = 0;
		for (size_t k = 0; k < numbers->count; k++)
			if ((!options->repeated || numbers->at[k].times > 1) &&
			    (!options->singletons || numbers->at[k].times == 1))
				numbers->at[kept++] = numbers->at[k];
		numbers->count = kept;
	}
	if (options->head && numbers->count > options->head_count)
		numbers->count = (size_t)options->head_count;
}

/* ---- output ------------------------------------------------------------------ */

static void
store(struct fuzz_bytes *out, uint64_t value, unsigned bits, bool swap)
{
	char bytes[8];

	for (unsigned b = 0; b < bits / 8; b++)
		bytes[swap ? bits / 8 - 1 - b : b] = (char)(value >> 8 * b);
	fuzz_put(out, bytes, bits / 8);
}

static size_t
print(enum gsort_type type, fuzz_rank rank, char into[64])
{
	const bool minus = rank < 0;

	if (fuzz_is_float(type))
		return gs_float_print(float_of(type, rank), type == GSORT_F32, into);
	return (size_t)sprintf(into, "%s%llu", minus ? "-" : "",
	                       (unsigned long long)(minus ? -rank : rank));
}

/* The bits of a float as another float; false: it becomes infinite. */
static bool
convert_float(enum gsort_type from, fuzz_rank rank, enum gsort_type to, uint64_t *bits)
{
	const double value = float_of(from, rank);
	const float narrow = (float)value;
	uint32_t narrow_bits;

	*bits = 0;
	if (from == to) {	/* a NaN, too, keeps all its bits */
		*bits = bits_of(from, rank);
		return true;
	}
	if (to == GSORT_F32) {
		memcpy(&narrow_bits, &narrow, sizeof narrow);
		*bits = narrow_bits;
		return !isinf(narrow) || isinf(value);
	}
	memcpy(bits, &value, sizeof value);
	return true;
}

/* A number as an integer; false: it is not one, or far too large. */
static bool
make_whole(enum gsort_type from, fuzz_rank *rank)
{
	double value;

	if (!fuzz_is_float(from))
		return true;
	value = float_of(from, *rank);
	if (isnan(value) || fabs(value) > 0x1p70 || floor(value) != value)
		return false;
	*rank = (fuzz_rank)value;
	return true;
}

/* The bits of RANK as a binary TO; false: it does not fit. */
static bool
convert(enum gsort_type from, fuzz_rank rank, enum gsort_type to, uint64_t *bits)
{
	const unsigned width = fuzz_bits(to);
	const fuzz_rank low = is_signed(to) ? -((fuzz_rank)1 << (width - 1)) : 0;
	const fuzz_rank high = low + ((fuzz_rank)1 << width) - 1;
	double value;
	float narrow;
	uint32_t narrow_bits;

	if (fuzz_is_float(from) && fuzz_is_float(to))
		return convert_float(from, rank, to, bits);
	if (!fuzz_is_float(to)) {
		if (!make_whole(from, &rank) || rank < low || rank > high)
			return false;
		*bits = (uint64_t)rank;
		return true;
	}
	value = (double)rank;
	narrow = (float)rank;
	memcpy(&narrow_bits, &narrow, sizeof narrow);
	memcpy(bits, &value, sizeof value);
	if (to == GSORT_F32)
		*bits = narrow_bits;
	return (to == GSORT_F32 ? (fuzz_rank)narrow : (fuzz_rank)value) == rank;
}

bool
fuzz_write(const struct fuzz_numbers *numbers, const struct gsort_options *options,
           struct fuzz_bytes *out)
{
	const enum gsort_type to = options->converts ? options->to : options->type;
	const char terminator = options->zero_terminated ? '\0' : '\n';
	const bool swap = swaps(options->endian);
	char line[64];

	fuzz_put(out, numbers->header.data, numbers->header.bytes);
	for (size_t k = 0; k < numbers->count; k++) {
		const struct fuzz_number number = numbers->at[k];
		uint64_t bits = 0;

		if (!is_text(to)) {
			if (!convert(options->type, number.rank, to, &bits))
				return false;
			store(out, bits, fuzz_bits(to), swap);
			if (options->counts)
				store(out, number.times, 64, swap);
			continue;
		}
		if (options->counts)
			fuzz_put(out, line, (size_t)sprintf(line, "%7llu ",
			                                    (unsigned long long)number.times));
		fuzz_put(out, line, print(options->type, number.rank, line));
		fuzz_put(out, &terminator, 1);
	}
	return true;
}

void
fuzz_numbers_free(struct fuzz_numbers *numbers)
{
	free(numbers->at);
	fuzz_free(&numbers->header);
	*numbers = (struct fuzz_numbers){ .at = NULL };
}
