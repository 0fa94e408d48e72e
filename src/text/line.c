// SPDX-License-Identifier: BSD-2-Clause
/* line.c - unusual lines, and the faults of invalid ones */
#include <math.h>
#include <stdio.h>

#include "base/way.h"
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

bool
gs_line_whole(const struct gs_text_options *options, const char *line, const char *end,
              bool *negative, uint64_t *magnitude)
{
	if (end - line > GS_LINE_BYTES)
		return false;
	trim(&line, &end, options->terminator);
	return gs_notation_read(options->notation, line, end, negative, magnitude);
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

enum { EXACT_DIGITS = 15 };	/* a decimal of up to these digits is the shortest that its f64 has */

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
	if (gs_way("short float", is_short_float(digits, end)))
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
	found = line < end ? gs_float_read(line, end, &value) : GS_FLOAT_NONE;
	if (found == GS_FLOAT_NONE || found == GS_FLOAT_INEXACT)
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

uint64_t
gs_line_header_lines(const struct gs_text_options *options, const char *name)
{
	return options->header_lines > 0 && options->lines_before != NULL &&
	       options->lines_before(options->lines_context, name, false) != GS_TEXT_WHOLE
	       ? 0 : options->header_lines;
}

uint64_t
gs_line_number(const struct gs_text_options *options, const char *name, uint64_t number)
{
	const uint64_t before = options->lines_before == NULL ? GS_TEXT_WHOLE
	                        : options->lines_before(options->lines_context, name, true);

	return before == GS_TEXT_WHOLE ? number : before + number;
}

bool
gs_line_warns(const struct gs_text_options *options, uint64_t invalid)
{
	return invalid < GS_LINE_WARNINGS && options->warn.take != NULL &&
	       options->invalid != GSORT_INVALID_IGNORE && options->invalid != GSORT_INVALID_SKIP_BLANK;
}

gs_status
gs_line_reject_for(const struct gs_text_options *options, const char *name, uint64_t number, bool aborts,
                   const char *reason, uint64_t *invalid)
{
	if (aborts)
		return gs_fail(GS_EINPUT, "%s:%llu: %s", name, (unsigned long long)number, reason);
	if (gs_line_warns(options, (*invalid)++))
		gs_tell(&options->warn, "%s:%llu: %s, left out", name, (unsigned long long)number, reason);
	return GS_OK;
}

gs_status
gs_line_reject(const struct gs_text_options *options, const char *name, uint64_t number,
               const char *line, const char *end, uint64_t *invalid)
{
	const bool aborts = gs_line_aborts(options, line, end), decimal = options->notation == GSORT_DECIMAL;
	const struct gs_notation *notation = &gs_notations[options->notation];
	char shown[GS_EXCERPT_BYTES(SHOWN_BYTES)], reason[256 + GS_HINT_BYTES] = "";
	const char *at = line, *limit = end;
	bool negative, whole, hexadecimal;
	uint64_t magnitude;

	if (!aborts && !gs_line_warns(options, *invalid))	/* nobody reads the reason */
		return gs_line_reject_for(options, name, number, false, reason, invalid);
	number = gs_line_number(options, name, number);
	trim(&at, &limit, options->terminator);
	gs_excerpt(shown, at, (size_t)(limit - at), SHOWN_BYTES);
	whole = decimal && gs_line_matches("[-+]?[0-9]+", at, limit);
	hexadecimal = options->floats && gs_line_matches("[-+]?0x[0-9a-f]+", at, limit);
	if (end - line > GS_LINE_BYTES)
		snprintf(reason, sizeof reason, "line longer than %d bytes", GS_LINE_BYTES);
	else if (at == limit)
		snprintf(reason, sizeof reason, "empty line%s", options->invalid != GSORT_INVALID_ABORT ? "" :
		         "; --invalid=skip-blank leaves empty lines out");
	else if (!decimal)
		snprintf(reason, sizeof reason, "this is not %s, such as %s: \"%s\"", notation->name,
		         notation->example, shown);
	else if (options->floats && (whole || hexadecimal))
		snprintf(reason, sizeof reason, "out of range: \"%s\" (no f64 holds this integer exactly; "
		         "%s)", shown, hexadecimal ? "--type=hex keeps it" :
		         gs_line_whole(options, at, limit, &negative, &magnitude)
		         ? "without --type=float it is kept" : "-k1,1n sorts it");
	else if (whole)
		snprintf(reason, sizeof reason, "out of range: \"%s\" (gsort sorts -9223372036854775808 to "
		         "18446744073709551615; -k1,1n sorts any)", shown);
	else
		snprintf(reason, sizeof reason, "not %s: \"%s\"", !options->floats &&
		         gs_line_matches(GS_LINE_NUMBER, at, limit) ? "an integer" : "a number", shown);
	if (aborts && at < limit && !whole && !hexadecimal)
		gs_hint(reason + strlen(reason), options, number, line, end);
	return gs_line_reject_for(options, name, number, aborts, reason, invalid);
}

void
gs_line_overflow(const struct gs_text_options *options, const char *name, uint64_t number,
                 const char *line, const char *end, bool *warned)
{
	char shown[GS_EXCERPT_BYTES(SHOWN_BYTES)];

	if (*warned || options->warn.take == NULL)
		return;
	*warned = true;
	trim(&line, &end, options->terminator);
	gs_tell(&options->warn, "%s:%llu: \"%s\" is beyond the range of f64 and becomes infinite; of such "
	        "numbers only the first is named", name,
	        (unsigned long long)gs_line_number(options, name, number),
	        gs_excerpt(shown, line, (size_t)(end - line), SHOWN_BYTES));
}

void
gs_line_reject_end(const struct gs_text_options *options, uint64_t invalid)
{
	if (invalid > GS_LINE_WARNINGS && gs_line_warns(options, 0))
		gs_tell(&options->warn, "... and %llu more, left out",
		        (unsigned long long)(invalid - GS_LINE_WARNINGS));
}
