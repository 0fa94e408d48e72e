// SPDX-License-Identifier: BSD-2-Clause
/* line.c - unusual lines, and the faults of invalid ones */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "key/key.h"
#include "linekey/key_text.h"
#include "text/line.h"
#include "text/notation.h"

enum { SHOWN_BYTES = 40 };	/* of an invalid line, in its message */

/* Where NUL ends lines, a newline is a blank.  NUL never is one: it is a sign of binary keys. */
static bool
is_blank(char c, char terminator)
{
	return c == ' ' || c == '\t' || (c == '\n' && terminator == '\0');
}

/* Drop a CR at the end, and then blanks on both sides. */
static void
trim(const char **begin, const char **end, char terminator)
{
	if (*begin < *end && (*end)[-1] == '\r')
		--*end;
	while (*begin < *end && is_blank(**begin, terminator))
		++*begin;
	while (*begin < *end && is_blank((*end)[-1], terminator))
		--*end;
}

/* Read LINE .. END as a decimal integer. */
static bool
read_decimal(const char *line, const char *end, bool *negative, uint64_t *magnitude)
{
	*negative = line < end && *line == '-';
	*magnitude = 0;
	if (line < end && (*line == '-' || *line == '+'))
		line++;
	if (line == end)
		return false;
	for (; line < end; line++)
		if (!gs_is_digit(*line) || __builtin_mul_overflow(*magnitude, 10, magnitude) ||
		    __builtin_add_overflow(*magnitude, (uint64_t)(*line - '0'), magnitude))
			return false;
	*negative = *negative && *magnitude > 0;
	return gs_text_fits(*negative, *magnitude);
}

bool
gs_line_whole(const struct gs_text_options *options, const char *line, const char *end,
              bool *negative, uint64_t *magnitude)
{
	if (end - line > GS_LINE_BYTES)
		return false;
	trim(&line, &end, options->terminator);
	return options->notation == GSORT_DECIMAL
	       ? read_decimal(line, end, negative, magnitude)
	       : gs_notation_read(options->notation, line, end, negative, magnitude);
}

uint64_t
gs_line_float_key(double value)
{
	const double one = isnan(value) ? (double)NAN : value;	/* of all NaNs */
	uint64_t bits;

	memcpy(&bits, &one, sizeof bits);
	return gs_order_f64(bits);
}

/* The digits of LINE .. END, behind its sign: no 0 is in front of others. */
static bool
has_exact_digits(const char *line, const char *end)
{
	return line < end && gs_is_digit(*line) && (*line != '0' || end - line == 1);
}

enum { EXACT_DIGITS = 15 };	/* a decimal of so many digits is the shortest that its f64 has */

/* A float without an exponent, of so few digits that it must be the shortest. */
static bool
is_short_float(const char *line, const char *end)
{
	const size_t bytes = (size_t)(end - line);
	const char *point, *first;

	if (bytes > EXACT_DIGITS + 1)
		return false;
	point = memchr(line, '.', bytes);
	if (!has_exact_digits(line, point != NULL ? point : end))
		return false;
	for (const char *at = line; at < end; at++)
		if (!gs_is_digit(*at) && at != point)
			return false;
	if (point == NULL)
		return true;
	for (first = point + 1; first < end && *first == '0'; first++)
		;
	return point + 1 < end && end[-1] != '0' && (*line != '0' || first - point <= 4);
}

bool
gs_line_is_exact(const struct gs_text_options *options, const char *line, const char *end)
{
	const bool minus = line < end && *line == '-';
	const size_t bytes = (size_t)(end - line);
	const char *digits = line + minus;
	char printed[GS_FLOAT_BYTES + 7];
	double value;

	if (minus && bytes == 2 && line[1] == '0')
		return false;
	if (!options->floats)
		return has_exact_digits(digits, end) && gs_is_digit(end[-1]);
	if (is_short_float(digits, end))
		return true;
	if (bytes == 0 || bytes > GS_FLOAT_BYTES || gs_float_read(line, end, &value) != GS_FLOAT_GOOD)
		return false;
	return value - value == 0 && gs_float_print(value, false, printed) == bytes &&
	       memcmp(printed, line, bytes) == 0;
}

enum gs_float
gs_line_float(const struct gs_text_options *options, const char *line, const char *end,
              uint64_t *key)
{
	enum gs_float found;
	double value;

	if (end - line > GS_LINE_BYTES)
		return GS_FLOAT_NONE;
	trim(&line, &end, options->terminator);
	if (line == end || (found = gs_float_read(line, end, &value)) == GS_FLOAT_NONE)
		return GS_FLOAT_NONE;
	if (found == GS_FLOAT_INEXACT)
		return GS_FLOAT_NONE;
	if (value == 0 && options->merge_zeros)
		value = 0;		/* not -0 */
	*key = gs_line_float_key(value);
	return found;
}

bool
gs_line_aborts(const struct gs_text_options *options, const char *line, const char *end)
{
	if (options->invalid == GSORT_INVALID_SKIP_BLANK)
		trim(&line, &end, options->terminator);
	return options->invalid == GSORT_INVALID_ABORT ||
	       (options->invalid == GSORT_INVALID_SKIP_BLANK && line < end);
}

/* ---- headers ----------------------------------------------------------- */

gs_status
gs_line_headers_differ(const struct gs_text_options *options, const char *name, const char *header,
                       size_t bytes, const char *first, size_t first_bytes)
{
	enum { MOST_BYTES = 100 };	/* of each */
	char shown[GS_EXCERPT_BYTES(MOST_BYTES)], first_shown[sizeof shown];

	return gs_fail(GS_EINPUT, "%s: its header is \"%s\", and that of the first input \"%s\"; to sort its "
	               "rows all the same: (cat FIRST; tail -n +%llu %s) | gsort", name,
	               gs_excerpt(shown, header, bytes, MOST_BYTES),
	               gs_excerpt(first_shown, first, first_bytes, MOST_BYTES),
	               (unsigned long long)options->header_lines + 1, name);
}

/* Bytes of the line at *NEXT, if it is before END, without a CR; *NEXT moves behind it. */
static size_t
cut_line(const char **next, const char *end, char terminator)
{
	const char *line = *next, *stop = line < end ? memchr(line, terminator, (size_t)(end - line)) : NULL;

	if (stop == NULL)
		return 0;
	*next = stop + 1;
	return (size_t)(stop - line) - (stop > line && stop[-1] == '\r');
}

/* Has the file called NAME the header of all? */
static gs_status
compare_headers(const struct gs_text_options *options, const char *name)
{
	const struct gs_text_header *header = options->header;
	const char *first = header->text, *const first_end = first + header->known;
	const char *other = first_end, *const end = first + header->bytes;

	first += gs_line_mark(first, header->known);
	other += gs_line_mark(other, header->bytes - header->known);
	while (first < first_end || other < end) {
		const char *line = other, *first_line = first;
		const size_t bytes = cut_line(&other, end, options->terminator);
		const size_t first_bytes = cut_line(&first, first_end, options->terminator);

		if (bytes != first_bytes || memcmp(line, first_line, bytes) != 0)
			return gs_line_headers_differ(options, name, line, bytes, first_line, first_bytes);
	}
	return GS_OK;
}

gs_status
gs_line_header(const struct gs_text_options *options, const char *name, const char *text,
               const char *end, bool last, uint64_t *left, const char **next)
{
	struct gs_text_header *header = options->header;
	const char *at = text;
	size_t bytes;

	while (at < end && *left > 0) {
		const char *stop = memchr(at, options->terminator, (size_t)(end - at));

		at = stop != NULL ? stop + 1 : end;
		*left -= stop != NULL;
	}
	*next = at;
	bytes = (size_t)(at - text);
	if (header == NULL)
		return GS_OK;
	if (bytes > GS_HEADER_BYTES - (header->bytes - header->known))
		return gs_fail(GS_EINPUT, "%s: the header of %llu line%s is longer than %d bytes",
		               name, (unsigned long long)options->header_lines,
		               options->header_lines == 1 ? "" : "s", GS_HEADER_BYTES);
	if (header->text == NULL)	/* and a byte for a terminator that is missing */
		TRY(gs_allocate(&header->text, 2 * (GS_HEADER_BYTES + 1), 1, "bytes of headers"));
	memcpy(header->text + header->bytes, text, bytes);
	header->bytes += bytes;
	if (header->bytes == header->known || (*left > 0 && !last))
		return GS_OK;
	if (header->text[header->bytes - 1] != options->terminator)
		header->text[header->bytes++] = options->terminator;
	if (header->known > 0)
		TRY(compare_headers(options, name));
	else
		header->known = header->bytes;
	header->bytes = header->known;
	return GS_OK;
}

/* ---- the fault of a line ----------------------------------------------- */

static bool
is_whole_number(const char *line, const char *end)
{
	return gs_line_matches("[-+]?[0-9]+", line, end);
}

/* "0x1f", without a fraction or an exponent. */
static bool
is_hexadecimal(const char *line, const char *end)
{
	return gs_line_matches("[-+]?0x[0-9a-f]+", line, end);
}

/* Why LINE .. END is invalid. */
static void
explain(char *reason, size_t room, const struct gs_text_options *options,
        const char *line, const char *end)
{
	char shown[GS_EXCERPT_BYTES(SHOWN_BYTES)];
	uint64_t magnitude;
	bool negative;

	if (end - line > GS_LINE_BYTES) {
		snprintf(reason, room, "line longer than %d bytes", GS_LINE_BYTES);
		return;
	}
	trim(&line, &end, options->terminator);
	if (line == end) {
		snprintf(reason, room, "empty line%s", options->invalid != GSORT_INVALID_ABORT ? "" :
		         "; --invalid=skip-blank leaves empty lines out");
		return;
	}
	gs_excerpt(shown, line, (size_t)(end - line), SHOWN_BYTES);
	if (options->notation != GSORT_DECIMAL) {
		const struct gs_notation *notation = &gs_notations[options->notation];

		snprintf(reason, room, "this is not %s, such as %s: \"%s\"", notation->name,
		         notation->example, shown);
		return;
	}
	if (options->floats && (is_whole_number(line, end) || is_hexadecimal(line, end)))
		snprintf(reason, room, "out of range: \"%s\" (no f64 holds this integer exactly; %s)",
		         shown, is_hexadecimal(line, end) ? "--type=hex keeps it" :
		         gs_line_whole(options, line, end, &negative, &magnitude)
		         ? "without --type=float it is kept" : "-k1,1n sorts it");
	else if (is_whole_number(line, end))
		snprintf(reason, room, "out of range: \"%s\" (gsort sorts -9223372036854775808 to "
		         "18446744073709551615; -k1,1n sorts any)", shown);
	else
		snprintf(reason, room, "not %s: \"%s\"", !options->floats &&
		         gs_line_matches(GS_LINE_NUMBER, line, end) ? "an integer" : "a number", shown);
}

uint64_t
gs_line_header_lines(const struct gs_text_options *options, const char *name)
{
	const bool partial = options->header_lines > 0 && options->lines_before != NULL &&
	                     options->lines_before(options->lines_context, name, false) !=
	                     GS_TEXT_WHOLE;

	return partial ? 0 : options->header_lines;
}

uint64_t
gs_line_number(const struct gs_text_options *options, const char *name, uint64_t number)
{
	const uint64_t before = options->lines_before == NULL ? GS_TEXT_WHOLE
	                        : options->lines_before(options->lines_context, name, true);

	return before == GS_TEXT_WHOLE ? number : before + number;
}

/* Is line number INVALID of those that are left out one to warn of? */
static bool
warns_of(const struct gs_text_options *options, uint64_t invalid)
{
	return options->invalid != GSORT_INVALID_IGNORE &&
	       options->invalid != GSORT_INVALID_SKIP_BLANK && options->warn != NULL &&
	       invalid <= GS_LINE_WARNINGS;
}

static void
warn_of(const struct gs_text_options *options, const char *name, uint64_t number,
        const char *reason)
{
	char warning[GS_MESSAGE_BYTES];

	snprintf(warning, sizeof warning, "%s:%llu: %s, left out", name,
	         (unsigned long long)gs_line_number(options, name, number), reason);
	options->warn(options->warn_context, warning);
}

gs_status
gs_line_reject_field(const struct gs_text_options *options, const char *name, uint64_t number,
                     const char *reason, uint64_t *invalid)
{
	if (options->invalid == GSORT_INVALID_ABORT ||
	    (options->invalid == GSORT_INVALID_SKIP_BLANK && *reason != '\0'))
		return gs_fail(GS_EINPUT, "%s:%llu: %s", name,
		               (unsigned long long)gs_line_number(options, name, number), reason);
	if (warns_of(options, ++*invalid))
		warn_of(options, name, number, reason);
	return GS_OK;
}

gs_status
gs_line_reject(const struct gs_text_options *options, const char *name, uint64_t number,
               const char *line, const char *end, uint64_t *invalid)
{
	unsigned long long at;
	char reason[256], hint[GS_HINT_BYTES];

	if (gs_line_aborts(options, line, end)) {
		at = number = gs_line_number(options, name, number);
		explain(reason, sizeof reason, options, line, end);
		return gs_fail(GS_EINPUT, "%s:%llu: %s%s", name, at, reason,
		               strncmp(reason, "empty", 5) == 0 || strncmp(reason, "out of", 6) == 0 ? ""
		               : gs_hint(hint, options, number, line, end));
	}
	if (warns_of(options, ++*invalid)) {
		explain(reason, sizeof reason, options, line, end);
		warn_of(options, name, number, reason);
	}
	return GS_OK;
}

void
gs_line_overflow(const struct gs_text_options *options, const char *name, uint64_t number,
                 const char *line, const char *end, bool *warned)
{
	char shown[GS_EXCERPT_BYTES(SHOWN_BYTES)], warning[GS_MESSAGE_BYTES];

	if (*warned || options->warn == NULL)
		return;
	*warned = true;
	number = gs_line_number(options, name, number);
	trim(&line, &end, options->terminator);
	gs_excerpt(shown, line, (size_t)(end - line), SHOWN_BYTES);
	snprintf(warning, sizeof warning, "%s:%llu: \"%s\" is beyond the range of f64 and becomes "
	         "infinite; of such numbers only the first is named", name,
	         (unsigned long long)number, shown);
	options->warn(options->warn_context, warning);
}

void
gs_line_reject_end(const struct gs_text_options *options, uint64_t invalid)
{
	char warning[80];

	if (invalid <= GS_LINE_WARNINGS || options->invalid == GSORT_INVALID_IGNORE ||
	    options->invalid == GSORT_INVALID_SKIP_BLANK || options->warn == NULL)
		return;
	snprintf(warning, sizeof warning, "... and %llu more, left out",
	         (unsigned long long)(invalid - GS_LINE_WARNINGS));
	options->warn(options->warn_context, warning);
}
