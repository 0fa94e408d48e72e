// SPDX-License-Identifier: BSD-2-Clause
/* lines.c - lines become keys in their order, whatever the pieces */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/units.h"
#include "text/line.h"
#include "text/lines.h"

enum { ROOM = 4096, TEXT_BYTES = 1 << 20 };

/* What was made of a text. */
struct found {
	gs_status status;
	size_t    count;
	uint64_t  keys[ROOM];
	uint8_t   classes[ROOM];
	uint64_t  numbers[ROOM];
	uint64_t  offsets[ROOM];	/* in the whole text */
	uint64_t  invalid;
	char      warnings[4096];		/* warnings, a line each */
};

static void
hear(void *context, const char *line)
{
	struct found *found = context;

	strcat(strcat(found->warnings, line), "\n");
}

/*
 * Decode TEXT as a reader would: PIECE bytes come at a time, what is not used stays,
 * and ROOM_KEYS fit.  Each piece is in memory of its own, so that a look behind it shows.
 */
static struct found *
decode(struct gs_text_options options, const char *text, size_t bytes, size_t piece, size_t room_keys)
{
	struct found *found = calloc(1, sizeof *found);
	size_t begin = 0, end = 0;
	struct gs_lines lines;

	options.warn = (struct gs_listener){ hear, found };
	gs_lines_open(&lines, &options);
	gs_lines_begin_file(&lines, "in");
	while (found->status == GS_OK && (begin < bytes || bytes == 0)) {
		uint32_t at[ROOM];
		size_t count = 0, used = 0, took = 0;
		char *copy;

		end = end + piece < bytes ? end + piece : bytes;
		copy = malloc(end - begin + (end == begin));
		memcpy(copy, text + begin, end - begin);
		do {
			size_t room = ROOM - found->count < room_keys ? ROOM - found->count
			                                              : room_keys;

			count = took = 0;
			found->status = gs_lines_decode(&lines, copy + used, end - begin - used,
			                                end == bytes, found->keys + found->count,
			                                found->classes + found->count, at,
			                                found->numbers + found->count, room,
			                                &count, &took);
			for (size_t k = 0; k < count; k++)
				found->offsets[found->count + k] = begin + used + at[k];
			found->count += count;
			used += took;
		} while (found->status == GS_OK && took > 0);
		free(copy);
		begin += used;
		if (bytes == 0)
			break;
	}
	gs_line_reject_end(&lines.options, lines.invalid);
	found->invalid = lines.invalid;
	return found;
}

/* ---- single lines --------------------------------------------------------- */

#define TWO63 (UINT64_C(1) << 63)
#define TWO31 (UINT64_C(1) << 31)

static const struct {
	const char *text;
	uint8_t     class;
	uint64_t    key;
} rows[] = {
	{ "0", GS_SMALL, 32768 }, { "-0", GS_SMALL, 32768 }, { "+7", GS_SMALL, 32775 },
	{ " \t7 \t", GS_SMALL, 32775 }, { "7\r", GS_SMALL, 32775 },
	{ "65535", GS_SMALL, 98303 }, { "65536", GS_POS_NARROW, 65536 },
	{ "4294967295", GS_POS_NARROW, UINT32_MAX },
	{ "4294967296", GS_POS_WIDE, UINT64_C(1) << 32 },
	{ "18446744073709551615", GS_POS_WIDE, UINT64_MAX },
	{ "-32768", GS_SMALL, 0 }, { "-32769", GS_NEG_NARROW, TWO31 - 32769 },
	{ "-2147483648", GS_NEG_NARROW, 0 },
	{ "-2147483649", GS_NEG_WIDE, TWO63 - TWO31 - 1 },
	{ "-9223372036854775808", GS_NEG_WIDE, 0 },
	{ "000000000000000000000000000000000000000000000012", GS_SMALL, 32780 },
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static void
check_rows(bool reverse, char terminator, size_t piece)
{
	const struct gs_text_options options = { .reverse = reverse, .terminator = terminator };
	char text[2048];
	size_t bytes = 0;
	struct found *found;

	for (size_t r = 0; r < ROWS; r++)
		bytes += (size_t)sprintf(text + bytes, "%s%c", rows[r].text, terminator);
	found = decode(options, text, bytes, piece, ROOM);
	CHECK(found->status == GS_OK && found->count == ROWS, "every line is a key: %zu", found->count);
	for (size_t r = 0; r < found->count; r++) {
		const bool wide = rows[r].class == GS_NEG_WIDE || rows[r].class == GS_POS_WIDE;
		const uint64_t flip = !reverse ? 0 : wide ? UINT64_MAX : UINT32_MAX;

		CHECK(found->keys[r] == (rows[r].key ^ flip) &&
		      found->classes[r] == (reverse ? 4 - rows[r].class : rows[r].class) &&
		      found->numbers[r] == r + 1 &&
		      strncmp(text + found->offsets[r], rows[r].text, strlen(rows[r].text)) == 0,
		      "%s is class %u, key %" PRIu64 ", pieces of %zu", rows[r].text,
		      found->classes[r], found->keys[r], piece);
	}
	free(found);
}

/* The keys ascend when the numbers do, in both directions. */
static void
check_order(bool reverse)
{
	static const char text[] =
		"-9223372036854775808\n-2147483649\n-2147483648\n-32769\n-32768\n-1\n0\n1\n65535\n"
		"65536\n4294967295\n4294967296\n18446744073709551615\n";
	const struct gs_text_options options = { .reverse = reverse, .terminator = '\n' };
	struct found *found = decode(options, text, sizeof text - 1, 10, ROOM);

	for (size_t k = 1; k < found->count; k++) {
		const size_t less = reverse ? k : k - 1, more = reverse ? k - 1 : k;

		CHECK(found->classes[less] < found->classes[more] ||
		      (found->classes[less] == found->classes[more] &&
		       found->keys[less] < found->keys[more]),
		      "lines %zu and %zu ascend%s", k, k + 1, reverse ? " in reverse" : "");
	}
	CHECK(found->count == 13, "thirteen numbers");
	free(found);
}

/* ---- floats --------------------------------------------------------------- */

static void
check_floats(void)
{
	/* each is less than the one before */
	static const char text[] =
		"NaN\ninf\n1e308\n0x1p3\n7.5\n1\n+.5\n5e-324\n0\n-0\n-5e-324\n-1.\n-1e+308\n-infinity\n";
	const struct gs_text_options options = { .floats = true, .terminator = '\n' };
	const struct gs_text_options reverse = { .floats = true, .reverse = true, .terminator = '\n' };
	const struct gs_text_options merged = { .floats = true, .merge_zeros = true, .terminator = '\n' };
	struct found *down = decode(options, text, sizeof text - 1, 3, ROOM);
	struct found *up = decode(reverse, text, sizeof text - 1, 100, ROOM);
	struct found *zeros = decode(merged, text, sizeof text - 1, 100, ROOM);

	CHECK(down->count == 14 && up->count == 14, "fourteen floats");
	for (size_t k = 1; k < down->count; k++)
		CHECK(down->keys[k] < down->keys[k - 1] && up->keys[k] > up->keys[k - 1] &&
		      down->classes[k] == GS_FLOATS && up->classes[k] == 4,
		      "floats %zu and %zu are in order", k, k + 1);
	CHECK(down->keys[13] == 0, "-infinity is the least key");
	CHECK(zeros->keys[8] == zeros->keys[9], "zeros may be made equal");
	free(down);
	free(up);
	free(zeros);
}

static void
check_beyond(void)
{
	static const char text[] = "1\n1e999\n-1e999\n1e9999\n";
	const struct gs_text_options options = { .floats = true, .terminator = '\n' };
	struct found *found = decode(options, text, sizeof text - 1, 100, ROOM);

	CHECK(found->status == GS_OK && found->count == 4 && found->keys[1] == found->keys[3] &&
	      strcmp(found->warnings, "in:2: \"1e999\" is beyond the range of f64 and becomes infinite; "
	             "of such numbers only the first is named\n") == 0,
	      "too large is infinite, with one warning: %s", found->warnings);
	free(found);
}

/* ---- headers and bad lines ------------------------------------------------ */

static void
check_header(void)
{
	static const char text[] = "first\nsecond \0 line\n3\nx\n";
	struct gs_text_options options = { .terminator = '\n', .header_lines = 2 };

	for (size_t piece = 1; piece < 30; piece++) {
		struct gs_text_header header = { .text = NULL };
		struct found *found;

		options.header = &header;
		found = decode(options, text, sizeof text - 1, piece, ROOM);
		CHECK(found->count == 1 && found->numbers[0] == 3 && found->keys[0] == 32771 &&
		      header.known == 20 && memcmp(header.text, text, 20) == 0,
		      "two lines are a header, pieces of %zu: %zu bytes", piece, header.known);
		CHECK(found->status == GS_EINPUT &&
		      strcmp(gs_message(), "in:4: not a number: \"x\"") == 0,
		      "lines are counted from the top of the file: %s", gs_message());
		free(header.text);
		free(found);
	}
}

/* Two files with a header of two lines. */
static const struct {
	const char *says, *first, *other;
	bool same;
} headers[] = {
	{ "the same header", "a b\nc\n", "a b\nc\n", true },
	{ "the last line may be unfinished", "a\nc", "a\nc\n", true },
	{ "a file without a line has none", "", "a\nc\n", true },
	{ "nor has the second one", "a\nc\n", "", true },
	{ "CRs at the ends do not count", "a\r\nc\n", "a\nc\r\n", true },
	{ "nor at the end of a file", "a\nc\r", "a\nc\n", true },
	{ "a CR within a line does", "a\rb\nc\n", "ab\nc\n", false },
	{ "a byte order mark does not", "\357\273\277a\nc\n", "a\nc\n", true },
	{ "whichever has it", "a\nc\n", "\357\273\277a\nc\n", true },
	{ "it counts elsewhere", "a\nc\n", "a\n\357\273\277c\n", false },
	{ "another first line", "a\nc\n", "b\nc\n", false },
	{ "another second line", "a\nc\n", "a\nd\n", false },
	{ "a longer line", "a\nc\n", "a\ncc\n", false },
	{ "a shorter line", "a\ncc\n", "a\nc\n", false },
	{ "a line less", "a\nc\n", "a\n", false },
	{ "a line more", "a\n", "a\nc\n", false },
};

static void
check_headers(void)
{
	struct gs_text_header header;
	const struct gs_text_options options = {
		.terminator = '\n', .header_lines = 2, .header = &header,
	};

	for (size_t h = 0; h < sizeof headers / sizeof *headers; h++)
		for (size_t piece = 1; piece < 9; piece++) {
			struct found *first, *other;

			header = (struct gs_text_header){ .text = NULL };
			first = decode(options, headers[h].first, strlen(headers[h].first), piece, ROOM);
			other = decode(options, headers[h].other, strlen(headers[h].other), piece, ROOM);
			CHECK(first->status == GS_OK &&
			      other->status == (headers[h].same ? GS_OK : GS_EINPUT),
			      "%s, pieces of %zu: %d", headers[h].says, piece, other->status);
			free(header.text);
			free(first);
			free(other);
		}
}

static void
check_long_header(void)
{
	struct gs_text_header header = { .text = NULL };
	const struct gs_text_options options = {
		.terminator = '\n', .header_lines = 1, .header = &header,
	};
	char *text = malloc(GS_HEADER_BYTES + 1);

	memset(text, 'h', GS_HEADER_BYTES + 1);
	for (size_t file = 0; file < 2; file++) {
		struct found *found = decode(options, text, GS_HEADER_BYTES, 100000, ROOM);

		CHECK(found->status == GS_OK && header.known == GS_HEADER_BYTES + 1,
		      "each may have a header of 1 MiB: %zu bytes", header.known);
		free(found);
		found = decode(options, text, GS_HEADER_BYTES + 1, 100000, ROOM);
		CHECK(found->status == GS_EINPUT && strcmp(gs_message(),
		      "in: the header of 1 line is longer than 1048576 bytes") == 0,
		      "a header too long is reported: %s", gs_message());
		header.bytes = header.known;
		free(found);
	}
	free(header.text);
	free(text);
}

static void
check_bad(void)
{
	static const char *const modes[] = { "abort", "fail", "warn", "ignore" };
	char *text = malloc(TEXT_BYTES), warnings[4096] = "";
	size_t bytes = 0;

	/* Thirteen bad lines, the first of them very long. */
	bytes += (size_t)sprintf(text, "1\n%09000d\n2\n", 0);
	for (int l = 4; l < 40; l++)
		bytes += (size_t)sprintf(text + bytes, l % 3 == 0 ? "x%d\n" : "%d\n", l);
	strcpy(warnings, "in:2: line longer than 4095 bytes, left out\n");
	for (int l = 6; l < 33; l += 3)
		sprintf(warnings + strlen(warnings), "in:%d: not a number: \"x%d\", left out\n", l, l);
	strcat(warnings, "... and 3 more, left out\n");
	for (unsigned m = 0; m < 4; m++)
		for (size_t piece = 1; piece < 6000; piece = piece * 3 + 1) {
			const struct gs_text_options options = { .terminator = '\n',
			                                         .invalid = (enum gsort_invalid)m };
			struct found *found = decode(options, text, bytes, piece, ROOM);

			if (m == GSORT_INVALID_ABORT)
				CHECK(found->status == GS_EINPUT &&
				      strcmp(gs_message(), "in:2: line longer than 4095 bytes") == 0,
				      "the first bad line is reported: %s", gs_message());
			else
				CHECK(found->status == GS_OK && found->invalid == 13 &&
				      found->count == 26 && found->numbers[25] == 38,
				      "%s leaves out %" PRIu64 " of 39, pieces of %zu", modes[m],
				      found->invalid, piece);
			CHECK(strcmp(found->warnings, m == GSORT_INVALID_FAIL || m == GSORT_INVALID_WARN ?
			             warnings : "") == 0, "%s warns: %s", modes[m], found->warnings);
			free(found);
		}
	free(text);
}

static void
check_terminators(void)
{
	const struct gs_text_options zero = { .terminator = '\0' };
	const struct gs_text_options newline = { .terminator = '\n' };
	struct found *found = decode(zero, "\n5\n\0" "6", 5, 10, ROOM);

	CHECK(found->status == GS_OK && found->count == 2 && found->keys[1] == 32774,
	      "a newline is a blank where NUL ends lines, and the last NUL may be missing");
	free(found);
	found = decode(newline, "5\0\n", 3, 10, ROOM);
	CHECK(found->status == GS_EINPUT, "a NUL is no blank");
	free(found);
	found = decode(newline, "1\n2\n3", 5, 10, 1);
	CHECK(found->count == 3 && found->offsets[2] == 4, "room for one key at a time will do");
	free(found);
	found = decode(newline, "", 0, 10, ROOM);
	CHECK(found->status == GS_OK && found->count == 0, "nothing is nothing");
	free(found);
}

void unit_lines(void);

void
unit_lines(void)
{
	for (size_t piece = 1; piece < 400; piece = piece * 2 + 1)
		for (unsigned reverse = 0; reverse < 2; reverse++) {
			check_rows(reverse, '\n', piece);
			check_rows(reverse, '\0', piece);
		}
	check_order(false);
	check_order(true);
	check_floats();
	check_beyond();
	check_header();
	check_headers();
	check_long_header();
	check_bad();
	check_terminators();
}
