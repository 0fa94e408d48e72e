// SPDX-License-Identifier: BSD-2-Clause
/* line.c - unusual lines of numbers, headers, and what is said of invalid lines */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/units.h"
#include "text/line.h"
#include "text/notation.h"

void unit_line(void);

/* ---- what is said -------------------------------------------------------------------------------- */

static char told[8192];

static void
tell(void *context, const char *line)
{
	(void)context;
	strncat(told, line, sizeof told - strlen(told) - 2);
	strcat(told, "\n");
}

/* The file "b" is read from line 101 on. */
static uint64_t
lines_before(void *context, const char *name, bool count)
{
	(void)context;
	return strcmp(name, "b") != 0 ? GS_TEXT_WHOLE : count ? 100 : 0;
}

enum {
	ABORT = GSORT_INVALID_ABORT, WARN = GSORT_INVALID_WARN, BLANK = GSORT_INVALID_SKIP_BLANK,
	IGNORE = GSORT_INVALID_IGNORE, HEX = GSORT_HEXADECIMAL, ADDRESS = GSORT_IPV4, TIME = GSORT_TIME,
};

#define FORTY	"1234567890123456789012345678901234567890"

/* Line 7 of the file "a": what is said, and whether it ends the job. */
static const struct {
	unsigned invalid, notation;
	bool floats, ends;
	const char *line, *said;
} rejected[] = {
	{ ABORT, 0, false, true, "x1", "a:7: not a number: \"x1\"" },
	{ ABORT, 0, false, true, " \t-1.5 \r", "a:7: not an integer: \"-1.5\"; floats need --type=float" },
	{ ABORT, 0, true, true, "1.5x", "a:7: not a number: \"1.5x\"" },
	{ ABORT, 0, true, true, "1,5",
	  "a:7: not a number: \"1,5\"; replace the decimal comma: tr , ." },
	{ ABORT, 0, false, true, "", "a:7: empty line; --invalid=skip-blank leaves empty lines out" },
	{ ABORT, 0, false, true, " \t\r", "a:7: empty line; --invalid=skip-blank leaves empty lines out" },
	{ ABORT, 0, false, true, "18446744073709551616",
	  "a:7: out of range: \"18446744073709551616\" (gsort sorts -9223372036854775808 to "
	  "18446744073709551615; -k1,1n sorts any)" },
	{ ABORT, 0, false, true, "-9223372036854775809",
	  "a:7: out of range: \"-9223372036854775809\" (gsort sorts -9223372036854775808 to "
	  "18446744073709551615; -k1,1n sorts any)" },
	{ ABORT, 0, true, true, "9007199254740993",
	  "a:7: out of range: \"9007199254740993\" (no f64 holds this integer exactly; "
	  "without --type=float it is kept)" },
	{ ABORT, 0, true, true, "90071992547409930001",
	  "a:7: out of range: \"90071992547409930001\" (no f64 holds this integer exactly; "
	  "-k1,1n sorts it)" },
	{ ABORT, 0, true, true, "0x20000000000001",
	  "a:7: out of range: \"0x20000000000001\" (no f64 holds this integer exactly; "
	  "--type=hex keeps it)" },
	{ ABORT, HEX, false, true, "gg",
	  "a:7: this is not a hexadecimal integer of 64 bits, such as 1f: \"gg\"" },
	{ ABORT, ADDRESS, false, true, "1.2", "a:7: this is not an IPv4 address, such as 192.0.2.1: \"1.2\"; "
	  "floats need --type=float" },
	{ ABORT, TIME, false, true, "x",
	  "a:7: this is not a time from 1677-09-21 to 2554-07-21, such as 2026-11-22T09:30:00Z: \"x\"" },
	{ ABORT, 0, false, true, FORTY "x", "a:7: not a number: \"" FORTY "...\"" },
	{ ABORT, 0, false, true, FORTY "12", "a:7: out of range: \"" FORTY "...\" (gsort sorts "
	  "-9223372036854775808 to 18446744073709551615; -k1,1n sorts any)" },
	{ BLANK, 0, false, true, "x1", "a:7: not a number: \"x1\"" },
	{ BLANK, 0, false, false, " \r", "" },
	{ IGNORE, 0, false, false, "x1", "" },
	{ WARN, 0, false, false, "x1", "a:7: not a number: \"x1\", left out\n" },
	{ WARN, 0, false, false, "1.5", "a:7: not an integer: \"1.5\", left out\n" },
	{ WARN, 0, false, false, "\t", "a:7: empty line, left out\n" },
	{ WARN, HEX, false, false, "g",
	  "a:7: this is not a hexadecimal integer of 64 bits, such as 1f: \"g\", left out\n" },
};

static void
check_rejected(void)
{
	for (size_t r = 0; r < sizeof rejected / sizeof *rejected; r++) {
		const char *line = rejected[r].line;
		const struct gs_text_options options = {
			.floats = rejected[r].floats, .notation = (enum gsort_notation)rejected[r].notation,
			.terminator = '\n', .invalid = (enum gsort_invalid)rejected[r].invalid,
			.warn = { .take = tell },
		};
		uint64_t invalid = 3;
		gs_status status;

		told[0] = '\0';
		status = gs_line_reject(&options, "a", 7, line, line + strlen(line), &invalid);
		CHECK(status == (rejected[r].ends ? GS_EINPUT : GS_OK) &&
		      strcmp(rejected[r].ends ? gs_message() : told, rejected[r].said) == 0,
		      "%s: %s%s", line, rejected[r].ends ? gs_message() : told, told);
		CHECK(invalid == (rejected[r].ends ? 3 : 4) || rejected[r].said[0] == '\0', "%s: %llu", line,
		      (unsigned long long)invalid);
	}
}

/* Ten lines are reported, of a part of a file by their numbers in all of it; the others are counted. */
static void
check_many(void)
{
	struct gs_text_options options = {
		.terminator = '\n', .invalid = GSORT_INVALID_WARN, .warn = { .take = tell },
		.lines_before = lines_before, .header_lines = 2,
	};
	static const char word[] = "x", large[] = " 1e999\r";
	uint64_t invalid = 0;
	bool warned = false;
	size_t lines = 0;

	told[0] = '\0';
	for (unsigned k = 1; k <= 13; k++)
		CHECK(gs_line_reject(&options, "b", k, word, word + 1, &invalid) == GS_OK, "line %u", k);
	for (const char *at = told; (at = strchr(at, '\n')) != NULL; at++)
		lines++;
	CHECK(lines == 10 && invalid == 13 && strstr(told, "b:101: not") == told &&
	      strstr(told, "\nb:110: not a number: \"x\", left out\n") != NULL, "%zu lines: %s", lines, told);
	for (invalid = 9; invalid < 13; invalid++) {
		told[0] = '\0';
		gs_line_reject_end(&options, invalid);
		CHECK(strcmp(told, invalid <= 10 ? "" : invalid == 11 ? "... and 1 more, left out\n"
		             : "... and 2 more, left out\n") == 0, "%llu: %s", (unsigned long long)invalid,
		      told);
	}
	CHECK(gs_line_header_lines(&options, "a") == 2 && gs_line_header_lines(&options, "b") == 0,
	      "the header of a part is not read");
	options.header_lines = 1;
	CHECK(gs_line_header_lines(&options, "a") == 1 && gs_line_header_lines(&options, "b") == 0,
	      "nor one of one line");
	CHECK(gs_line_number(&options, "a", 5) == 5 && gs_line_number(&options, "b", 5) == 105, "line 5");
	told[0] = '\0';
	for (unsigned k = 1; k < 3; k++)
		gs_line_overflow(&options, "b", k, large, large + 7, &warned);
	CHECK(warned && strcmp(told, "b:101: \"1e999\" is beyond the range of f64 and becomes infinite; "
	                       "of such numbers only the first is named\n") == 0, "%s", told);
	options.invalid = GSORT_INVALID_IGNORE;
	gs_line_reject_end(&options, 100);
	options.invalid = GSORT_INVALID_WARN;
	options.warn.take = NULL;
	warned = false;
	gs_line_reject_end(&options, 100);
	gs_line_overflow(&options, "b", 1, large, large + 7, &warned);
	CHECK(!warned && !gs_line_warns(&options, 0) && strstr(told, "100") == NULL, "nobody listens: %s",
	      told);
	options.lines_before = NULL;
	CHECK(gs_line_header_lines(&options, "b") == 1 && gs_line_number(&options, "b", 5) == 5,
	      "whole files");
}

/* ---- numbers --------------------------------------------------------------------------------------- */

/* Blanks around a number, a CR behind them; a newline is a blank where NUL ends lines, and NUL never is. */
static const struct {
	char terminator;
	const char *line;
	size_t bytes;
	bool good;
} blanks[] = {
	{ '\n', "5", 1, true }, { '\n', "\t 5 \t\r", 6, true }, { '\n', "5\r\r", 3, false },
	{ '\n', "5\r ", 3, false }, { '\n', "\r5", 2, false }, { '\n', "5\n", 2, false },
	{ '\n', "\v5", 2, false }, { '\n', "5 5", 3, false }, { '\n', "", 0, false }, { '\n', " ", 1, false },
	{ '\n', "\r", 1, false }, { '\0', "\n5\n", 3, true }, { '\0', "5\n\r", 3, true },
	{ '\0', "5\0", 2, false }, { '\0', "\0" "5", 2, false }, { '\n', "5\0", 2, false },
};

static void
check_blanks(void)
{
	for (size_t r = 0; r < sizeof blanks / sizeof *blanks; r++) {
		struct gs_text_options options = { .terminator = blanks[r].terminator };
		char framed[16] = "\r";		/* what is around a line is not part of it */
		const char *line = framed + 1, *end = line + blanks[r].bytes;
		bool negative = true;
		uint64_t value = 0;

		memset(framed + 1, ' ', sizeof framed - 1);
		memcpy(framed + 1, blanks[r].line, blanks[r].bytes);

		CHECK(gs_line_whole(&options, line, end, &negative, &value) == blanks[r].good &&
		      (!blanks[r].good || (value == 5 && !negative)), "row %zu: a whole number", r);
		CHECK(gs_line_float(&options, line, end, &value) == (blanks[r].good ? GS_FLOAT_GOOD
		                                                     : GS_FLOAT_NONE) &&
		      (!blanks[r].good || value == gs_line_float_key(5)), "row %zu: a float", r);
	}
}

static enum gs_float
read_float(const struct gs_text_options *options, const char *line, uint64_t *key)
{
	return gs_line_float(options, line, line + strlen(line), key);
}

/* The longest line; numbers that no f64 holds; zeros; all NaNs. */
static void
check_limits(void)
{
	static char digits[4096];
	struct gs_text_options options = { .terminator = '\n' };
	uint64_t value, zero, invalid = 0;
	bool negative;

	memset(digits, '0', sizeof digits);
	for (size_t bytes = 4094; bytes <= 4096; bytes++) {
		const char *end = digits + bytes;

		CHECK(gs_line_whole(&options, digits, end, &negative, &value) == (bytes < 4096),
		      "%zu bytes", bytes);
		CHECK((gs_line_float(&options, digits, end, &value) == GS_FLOAT_GOOD) == (bytes < 4096),
		      "a float of %zu bytes", bytes);
		CHECK(gs_line_matches("0+", digits, end) == (bytes < 4096), "a match of %zu bytes", bytes);
		if (bytes == 4096)
			CHECK(gs_line_reject(&options, "a", 7, digits, end, &invalid) == GS_EINPUT &&
			      strcmp(gs_message(), "a:7: line longer than 4095 bytes") == 0, "%s",
			      gs_message());
	}
	digits[0] = 'x';
	CHECK(gs_line_reject(&options, "a", 7, digits, digits + 4095, &invalid) == GS_EINPUT &&
	      strncmp(gs_message(), "a:7: not a number: \"x0", 22) == 0, "%s", gs_message());
	CHECK(read_float(&options, "1e999", &value) == GS_FLOAT_OVERFLOW, "it becomes infinite");
	CHECK(read_float(&options, "9007199254740993", &value) == GS_FLOAT_NONE, "it is not rounded");
	CHECK(read_float(&options, "0", &zero) == GS_FLOAT_GOOD &&
	      read_float(&options, "-0", &value) == GS_FLOAT_GOOD && value == zero - 1, "-0 is before 0");
	options.merge_zeros = true;
	CHECK(read_float(&options, "-0.0", &value) == GS_FLOAT_GOOD && value == zero, "-0 is 0");
	CHECK(read_float(&options, "nan", &value) == GS_FLOAT_GOOD &&
	      read_float(&options, "-nan", &zero) == GS_FLOAT_GOOD && value == zero, "all NaNs are one");
}

/* A line is exact if its number is printed so: numbers without an exponent, of up to 18 digits, with a point
 * anywhere, with and without zeros at their ends. */
static void
check_exact(void)
{
	const struct gs_text_options integers = { .terminator = '\n' };
	const struct gs_text_options floats = { .terminator = '\n', .floats = true };
	static const char *const floats_of[] = {	/* four are exact */
		"-2.2250738585072014e-308", "1e+20", "0.0001", "1234567890123456",
		"-2.22507385850720140e-308", "inf", "nan", "1e20", "0.00001", "1E+20", "5.",
	};
	static const struct { const char *line; bool exact; } rows[] = {
		{ "0", true }, { "-0", false }, { "00", false }, { "01", false }, { "-01", false },
		{ "-1", true }, { "+1", false }, { " 1", false }, { "1 ", false }, { "1\r", false },
		{ "10", true }, { "", false }, { "-", false }, { "1-", false },
	};

	for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
		char line[8] = "";
		const char *end = line + strlen(rows[r].line);

		sprintf(line, "%s5", rows[r].line);	/* a digit behind the line is not part of it */

		CHECK(gs_line_is_exact(&integers, line, end) == rows[r].exact, "integer %s", rows[r].line);
		CHECK(gs_line_is_exact(&floats, line, end) == rows[r].exact, "float %s", rows[r].line);
	}
	for (size_t r = 0; r < sizeof floats_of / sizeof *floats_of; r++) {
		const char *line = floats_of[r], *end = line + strlen(line);

		CHECK(gs_line_is_exact(&floats, line, end) == (r < 4), "float %s", line);
	}
	for (uint64_t n = 0; n < 20000; n++) {
		const unsigned count = 1 + (unsigned)(units_mix(5 * n) % 18);
		const unsigned point = (unsigned)(units_mix(5 * n + 1) % (count + 2));
		const unsigned zeros = (unsigned)(units_mix(5 * n + 2) % (count + 1));
		char line[32], printed[GS_FLOAT_BYTES + 7];
		double value;
		size_t bytes;
		char *at = line;

		if (units_mix(5 * n + 3) % 4 == 0)
			*at++ = '-';
		for (unsigned d = 0; d < count; d++) {
			if (d == point)
				*at++ = '.';
			*at++ = (char)('0' + (d < zeros && n % 2 == 0 ? 0 : d >= zeros && n % 8 == 1 ? 0
			                      : units_mix(32 * n + d) % 10));
		}
		if (point == count)
			*at++ = '.';
		*at = '\0';
		value = strtod(line, NULL);
		bytes = gs_float_print(value, false, printed);
		CHECK(gs_line_is_exact(&floats, line, at) ==
		      (bytes == (size_t)(at - line) && memcmp(line, printed, bytes) == 0 &&
		       (value != 0 || line[0] == '0')), "%s is printed as %.*s", line, (int)bytes, printed);
	}
}

/* ---- headers ------------------------------------------------------------------------------------------- */

#define HUNDRED	FORTY FORTY "12345678901234567890"

/* Headers of two lines of files "a" and "b", each in two pieces: what is kept, and what is said. */
static const struct { const char *a, *b, *kept, *said; } headers[] = {
	{ "x\ny\n", "x\ny\n", "x\ny\n", "" }, { "x\ny\n", "x\r\ny\r\n", "x\ny\n", "" },
	{ "\357\273\277x\ny\n", "x\ny", "\357\273\277x\ny\n", "" },
	{ "x\ny\n", "\357\273\277x\ny\n", "x\ny\n", "" }, { "x", "x\n", "x\n", "" },
	{ "", "x\ny\n", "x\ny\n", "" },
	{ "x\ny\n1\n2\n", "x\ny\n3", "x\ny\n", "" },
	{ "\n", "x\ny\n", "\n",
	  "b: its header is \"x\", and that of the first input \"\"; to sort its rows all the same: "
	  "(cat FIRST; tail -n +3 b) | gsort" },
	{ "x\ny\n", "x\nz\n", "x\ny\n",
	  "b: its header is \"z\", and that of the first input \"y\"; to sort its rows all the same: "
	  "(cat FIRST; tail -n +3 b) | gsort" },
	{ "x\ny\n", "x", "x\ny\n",
	  "b: its header is \"\", and that of the first input \"y\"; to sort its rows all the same: "
	  "(cat FIRST; tail -n +3 b) | gsort" },
	{ "x\n", "x\nyy\n", "x\n",
	  "b: its header is \"yy\", and that of the first input \"\"; to sort its rows all the same: "
	  "(cat FIRST; tail -n +3 b) | gsort" },
	{ HUNDRED "\ny\n", HUNDRED "0\ny\n", HUNDRED "\ny\n",
	  "b: its header is \"" HUNDRED "...\", and that of the first input \"" HUNDRED "\"; "
	  "to sort its rows all the same: (cat FIRST; tail -n +3 b) | gsort" },
};

/* Read the header of TEXT, of which CUT bytes come first. */
static gs_status
read_header(const struct gs_text_options *options, const char *name, const char *text, size_t cut)
{
	const char *const end = text + strlen(text), *next = text;
	uint64_t left = options->header_lines;

	if (cut < strlen(text))
		TRY(gs_line_header(options, name, text, text + cut, false, &left, &next));
	return left > 0 ? gs_line_header(options, name, next, end, true, &left, &next) : GS_OK;
}

static void
check_headers(void)
{
	for (size_t r = 0; r < sizeof headers / sizeof *headers; r++)
		for (size_t cut = 0; cut < 8; cut++) {
			const char *kept = headers[r].kept, *said = headers[r].said;
			struct gs_text_header header = { .text = NULL };
			const struct gs_text_options options = {
				.terminator = '\n', .header_lines = 2, .header = &header,
			};

			CHECK(read_header(&options, "a", headers[r].a, cut) == GS_OK, "row %zu: a", r);
			CHECK(said[0] == '\0' ? read_header(&options, "b", headers[r].b, cut) == GS_OK
			      : read_header(&options, "b", headers[r].b, cut) == GS_EINPUT &&
			        strcmp(gs_message(), said) == 0, "row %zu: %s", r, gs_message());
			CHECK(header.known == strlen(kept) && memcmp(header.text, kept, header.known) == 0,
			      "row %zu: %.*s", r, (int)header.known, header.text);
			free(header.text);
		}
}

/* Headers of 1 MiB, and a byte more; the next file may have as long a one. */
static void
check_long_headers(void)
{
	static char text[GS_HEADER_BYTES + 2];

	memset(text, 'x', GS_HEADER_BYTES + 1);
	for (unsigned lines = 1; lines <= 2; lines++) {
		struct gs_text_header header = { .text = NULL };
		const struct gs_text_options options = {
			.terminator = '\n', .header_lines = lines, .header = &header,
		};

		text[GS_HEADER_BYTES] = '\0';
		CHECK(read_header(&options, "a", text, 1000) == GS_OK &&
		      header.known == GS_HEADER_BYTES + 1 && read_header(&options, "b", text, 0) == GS_OK,
		      "%s", gs_message());
		text[GS_HEADER_BYTES] = 'x';
		CHECK(read_header(&options, "c", text, 1000) == GS_EINPUT &&
		      strcmp(gs_message(), lines == 1 ? "c: the header of 1 line is longer than 1048576 bytes"
		             : "c: the header of 2 lines is longer than 1048576 bytes") == 0, "%s",
		      gs_message());
		free(header.text);
	}
}

void
unit_line(void)
{
	check_rejected();
	check_many();
	check_blanks();
	check_limits();
	check_exact();
	check_headers();
	check_long_headers();
}
