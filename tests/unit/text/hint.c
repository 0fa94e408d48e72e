// SPDX-License-Identifier: BSD-2-Clause
/* hint.c - what is said of lines and fields that are not numbers, to the letter */
#include <stdio.h>
#include <string.h>

#include "tests/unit/units.h"
#include "text/line.h"

void unit_hint(void);

#define TEXT(literal)	literal, sizeof literal - 1

/* Is HINT, or nothing, what INTO has? */
static bool
says(const char into[GS_HINT_BYTES], const char *hint)
{
	return hint[0] == '\0' ? into[0] == '\0' : strncmp(into, "; ", 2) == 0 && strcmp(into + 2, hint) == 0;
}

/* ---- lines ----------------------------------------------------------------------------------- */

#define UUIDS		"IPv6 addresses, hardware addresses and UUIDs need --lines, which sorts them as text"
#define NUMBERS		"lines with numbers in them need --lines, or -V to sort by these"
#define HEADING		"a heading needs --header, lines of words --lines"
#define BINARY		"binary keys need a type, such as -u32"
#define JSON		"JSON? take the numbers out of it first: jq"
#define MISSING		"--invalid=ignore leaves out what is not a number"
#define UNGROUP		"remove what separates thousands: sed -E \"s/[_' ]([0-9]{3})/\\1/g\""
#define AROUND		"remove what is around the number: tr -d \\\"\\',\\;"
#define POINTS		"remove the points and replace the comma: sed -E 's/\\.([0-9]{3})/\\1/g; y/,/./'"
#define CURRENCY	"remove the currency signs: sed -E 's/\\$|\342\202\254|\302\243//g'"
#define SIZES		"write sizes as 5M: sed -E 's/([0-9]) *([KMGTP])i?B/\\1\\U\\2/gI'"
#define SIGN		"remove the blank behind the sign: sed -E 's/([-+]) +([0-9])/\\1\\2/g'"
#define DATES		"write dates in the form 2026-11-22"
#define TIMES		"dates and times need --type=time"
#define HEX		"hexadecimal numbers need --type=hex"
#define FIELD		"fields? sort lines by one: gsort"
#define LOG		"lines that begin with a time need --lines, which sorts them as text"
#define MONTHS		"dates of this form need --lines, which sorts them as text"
#define NEWLINES	"these lines end in newlines: leave -z out"

enum kind { INTEGERS, FLOATS, HEXADECIMAL, IPV4, TIME };

static const char *
hint_of(char into[GS_HINT_BYTES], enum kind kind, uint64_t number, const char *text, size_t bytes)
{
	const struct gs_text_options options = {
		.floats = kind == FLOATS, .terminator = '\n',
		.notation = kind == HEXADECIMAL ? GSORT_HEXADECIMAL : kind == IPV4 ? GSORT_IPV4
		            : kind == TIME ? GSORT_TIME : GSORT_DECIMAL,
	};

	return gs_hint(into, &options, number, text, text + bytes);
}

/* A line of each form, and its number. */
static const struct {
	enum kind kind;
	unsigned number;
	const char *text;
	size_t bytes;
	const char *hint;
} lines[] = {
	{ INTEGERS, 1, TEXT("1st"), NUMBERS },
	{ INTEGERS, 1, TEXT("pear"), HEADING },
	{ INTEGERS, 2, TEXT("pear"), "" },
	{ INTEGERS, 1, TEXT("pear 1"), FIELD " -k2,2n" },
	{ INTEGERS, 1, TEXT("<a>1"), HEADING },
	{ INTEGERS, 1, TEXT("-x"), "" },
	{ INTEGERS, 1, TEXT("5x"), NUMBERS },
	{ INTEGERS, 9, TEXT("5x"), "" },
	{ INTEGERS, 1, TEXT("one, two"), HEADING },
	{ INTEGERS, 1, TEXT("# a;b"), HEADING },
	{ INTEGERS, 1, TEXT("id;b"), FIELD " -t ';' --header -k id (:n behind it for numbers)" },
	{ INTEGERS, 2, TEXT("id;b"), "" },
	{ INTEGERS, 1, TEXT("9d;b"), FIELD " -t ';' --header -k 1,1" },
	{ INTEGERS, 1, TEXT("\"a\";b"), FIELD " -t ';' --header -k 1,1" },
	{ INTEGERS, 1, TEXT("x:y"), HEADING },
	{ INTEGERS, 1, TEXT("a\tb"), FIELD " -t '\\t' --header -k a (:n behind it for numbers)" },
	{ INTEGERS, 1, TEXT("a|3"), FIELD " -t '|' -k2,2n" },
	{ INTEGERS, 1, TEXT("a,3"), FIELD " --csv -k2,2n" },
	{ INTEGERS, 1, TEXT("a,b,3e5"), FIELD " --csv -k3,3g" },
	{ INTEGERS, 1, TEXT("\"a,\"\"1,2\",4"), FIELD " --csv -k2,2n" },
	{ INTEGERS, 1, TEXT("\"x,4"), FIELD " --csv --header -k 1,1" },
	{ INTEGERS, 1, TEXT("a;\" 7 \";3"), FIELD " -t ';' -k2,2n" },
	{ INTEGERS, 1, TEXT("a   7 x"), FIELD " -k2,2n" },
	{ INTEGERS, 1, TEXT("a 7.5"), FIELD " -k2,2g" },
	{ FLOATS, 1, TEXT("a 7"), FIELD " -k2,2g" },
	{ FLOATS, 1, TEXT("a,7"), FIELD " --csv -k2,2g" },
	{ INTEGERS, 1, TEXT("a:7"), FIELD " -t ':' -k2,2n" },
	{ HEXADECIMAL, 1, TEXT("a g:7"), HEADING },
	{ INTEGERS, 1, TEXT("a\t7;8"), FIELD " -t '\\t' --header -k a (:n behind it for numbers)" },
	{ INTEGERS, 1, TEXT("\t a;7 \t\r"), FIELD " -t ';' -k2,2n" },
	{ INTEGERS, 1, TEXT("\357\273\2771"), "remove the byte order mark before it: tail -c +4" },
	{ INTEGERS, 2, TEXT("\357\273\2771"), "byte 1 is U+FEFF a byte order mark" },
	{ INTEGERS, 1, TEXT("1\0002"), "lines that end in NUL need -z; UTF-16 needs iconv" },
	{ INTEGERS, 1, TEXT("1\000\0002"), BINARY },
	{ INTEGERS, 2, TEXT("1\0002"), "byte 2 is U+0000 NULL" },
	{ INTEGERS, 1, TEXT("\0011"), BINARY },
	{ INTEGERS, 1, TEXT("1\0132"), "byte 2 is U+000B a control character" },
	{ INTEGERS, 2, TEXT("\0011"), "byte 1 is U+0001 a control character" },
	{ INTEGERS, 1, TEXT("1\0332"), "byte 2 is U+001B ESCAPE" },
	{ INTEGERS, 1, TEXT("+5"), "floats need --type=float" },
	{ FLOATS, 1, TEXT("1,5"), "replace the decimal comma: tr , ." },
	{ INTEGERS, 1, TEXT("1,5"), FIELD " --csv -k1,1n" },
	{ INTEGERS, 1, TEXT("1.5"), "floats need --type=float" },
	{ FLOATS, 1, TEXT("1.5x"), NUMBERS },
	{ INTEGERS, 1, TEXT("nan"), "floats need --type=float" },
	{ INTEGERS, 1, TEXT("-infinity"), "floats need --type=float" },
	{ INTEGERS, 1, TEXT("1e"), "" },
	{ FLOATS, 1, TEXT("1e+"), "" },
	{ INTEGERS, 1, TEXT("0b101"), "" },
	{ INTEGERS, 1, TEXT("0x1f"), HEX },
	{ HEXADECIMAL, 1, TEXT("0x1g"), "" },
	{ INTEGERS, 1, TEXT("-0X1F"), HEX },
	{ INTEGERS, 1, TEXT("1f"), HEX },
	{ INTEGERS, 1, TEXT("deadbeef"), HEX },
	{ INTEGERS, 1, TEXT("cafe"), HEADING },
	{ FLOATS, 1, TEXT("1f"), HEX },
	{ INTEGERS, 1, TEXT("2026-11-22"), TIMES },
	{ TIME, 1, TEXT("2026-11-22x"), "" },
	{ INTEGERS, 1, TEXT("2026-11-22 10:00:01,123456789"), TIMES },
	{ INTEGERS, 1, TEXT("2026-11-22 10:00:01.5+01:00"), TIMES },
	{ INTEGERS, 1, TEXT("2026-11-22t10:00z"), TIMES },
	{ INTEGERS, 1, TEXT("2026-11-22 10:00:01 x"), LOG },
	{ INTEGERS, 1, TEXT("2026-11-22 10:xx"), LOG },
	{ INTEGERS, 1, TEXT("2026-11"), MONTHS },
	{ INTEGERS, 1, TEXT("2026-11-22+01:00"), MONTHS },
	{ INTEGERS, 1, TEXT("22.11.2026"), "day, month, year? sort by -k1.7,1.10n -k1.4,1.5n -k1.1,1.2n" },
	{ INTEGERS, 1, TEXT("2.11.2026"), DATES },
	{ INTEGERS, 1, TEXT("2026/1/2"), DATES },
	{ INTEGERS, 1, TEXT("22 nov 2026"), "dates? sort by -k3,3n -k2,2M -k1,1n" },
	{ INTEGERS, 1, TEXT("November 22, 2026"), "dates? sort by -k3,3n -k1,1M -k2,2n" },
	{ INTEGERS, 1, TEXT("dec  3"), "dates? sort by -k1,1M -k2,2n" },
	{ INTEGERS, 1, TEXT("dec 3 x"), "dates? sort by -k1,1M -k2,2n" },
	{ INTEGERS, 1, TEXT("may"), "months need -M" },
	{ INTEGERS, 1, TEXT("september"), "months need -M" },
	{ INTEGERS, 1, TEXT("janua"), HEADING },
	{ INTEGERS, 1, TEXT("10.0.0.1"), "IPv4 addresses need --type=ipv4" },
	{ IPV4, 1, TEXT("10.0.0.1x"), "" },
	{ INTEGERS, 1, TEXT("1000.0.0.1"), "versions need -V" },
	{ INTEGERS, 1, TEXT("10.0.0.0/8"), "networks need -V" },
	{ INTEGERS, 1, TEXT("10.0.0.1 x"), "lines that begin with an address need -V" },
	{ INTEGERS, 1, TEXT("12:30"), "times of day need -V" },
	{ INTEGERS, 1, TEXT("12:30:01.5"), "times of day need -V" },
	{ INTEGERS, 1, TEXT("1:2"), FIELD " -t ':' -k1,1n" },
	{ INTEGERS, 1, TEXT("123e4567-e89b-12d3-a456-426614174000"), UUIDS },
	{ INTEGERS, 1, TEXT("01:23:45:67:89:ab"), UUIDS },
	{ INTEGERS, 1, TEXT("fe80::1%eth0"), UUIDS },
	{ INTEGERS, 1, TEXT("2001:db8::/32"), UUIDS },
	{ INTEGERS, 1, TEXT("::1"), UUIDS },
	{ INTEGERS, 1, TEXT("1.2.3"), "versions need -V" },
	{ INTEGERS, 1, TEXT("1.10.2-rc1"), "versions need -V" },
	{ INTEGERS, 1, TEXT("v1"), "versions need -V" },
	{ INTEGERS, 1, TEXT("v1.2"), "versions need -V" },
	{ INTEGERS, 1, TEXT("1.2"), "floats need --type=float" },
	{ INTEGERS, 1, TEXT("1,000"), "remove the commas between thousands: tr -d ," },
	{ INTEGERS, 1, TEXT("1,000,000.5"), "remove the commas between thousands: tr -d ," },
	{ INTEGERS, 1, TEXT("-12,34"), FIELD " --csv -k1,1n" },
	{ INTEGERS, 1, TEXT("1.000.000,5"), POINTS },
	{ INTEGERS, 1, TEXT("1_000"), UNGROUP },
	{ INTEGERS, 1, TEXT("1'000,5"), UNGROUP },
	{ INTEGERS, 1, TEXT("1 000 000"), UNGROUP },
	{ INTEGERS, 1, TEXT("12 012"), UNGROUP },
	{ INTEGERS, 1, TEXT("12 345"), FIELD " -k1,1n" },
	{ INTEGERS, 1, TEXT("\"3\""), AROUND },
	{ INTEGERS, 1, TEXT("'3.5',"), AROUND },
	{ INTEGERS, 1, TEXT("3,"), AROUND },
	{ INTEGERS, 1, TEXT("5%"), "remove the percent signs: tr -d %" },
	{ INTEGERS, 1, TEXT("5 %"), "remove the percent signs: tr -d %" },
	{ INTEGERS, 1, TEXT("$5"), CURRENCY },
	{ INTEGERS, 1, TEXT("-\342\202\254 5,000.10"), CURRENCY },
	{ INTEGERS, 1, TEXT("10K"), "sizes with suffixes need -h" },
	{ INTEGERS, 1, TEXT("1.5Mi"), "sizes with suffixes need -h" },
	{ INTEGERS, 1, TEXT("5 MB"), SIZES },
	{ INTEGERS, 1, TEXT("5kib"), SIZES },
	{ INTEGERS, 1, TEXT("n/a"), MISSING },
	{ INTEGERS, 1, TEXT("null"), MISSING },
	{ INTEGERS, 1, TEXT("."), MISSING },
	{ INTEGERS, 1, TEXT("undefined"), MISSING },
	{ INTEGERS, 1, TEXT("[1,2]"), JSON " '.[]'" },
	{ INTEGERS, 1, TEXT("]"), JSON " '.[]'" },
	{ INTEGERS, 1, TEXT("{\"a\": 1}"), JSON " .a" },
	{ INTEGERS, 1, TEXT("{\"a\": \"x\", \"b_1\" : -5}"), JSON " .b_1" },
	{ INTEGERS, 1, TEXT("{}"), JSON " .NAME" },
	{ INTEGERS, 1, TEXT("- 3"), SIGN },
	{ INTEGERS, 1, TEXT("1\r2"), "these lines end in CR: tr '\\r' '\\n'" },
	{ INTEGERS, 1, TEXT("1\r\r"), "remove the CRs: tr -d '\\r'" },
	{ INTEGERS, 1, TEXT("1\n2"), NEWLINES },
	{ INTEGERS, 2, TEXT("x\ny"), NEWLINES },
	{ INTEGERS, 1, TEXT("\2401"), "byte 1 is a no-break space of Latin-1" },
	{ INTEGERS, 1, TEXT("1\377"), "byte 2 is not UTF-8" },
	{ INTEGERS, 1, TEXT("1\302"), "byte 2 is not UTF-8" },
};

/* Lines of 200 bytes are looked at, and longer ones as lists of numbers. */
static void
check_lengths(void)
{
	static const struct { const char *form; size_t bytes; const char *hint; } rows[] = {
		{ "7", 199, "floats need --type=float" }, { "7", 200, "floats need --type=float" },
		{ "7", 201, "" },
		{ "7,", 200, "fields? sort lines by one: gsort --csv -k1,1n" },
		{ "7,", 202, "write one number a line: tr -s ' ,;\\t' '\\n'" },
		{ "7;", 1000, "write one number a line: tr -s ' ,;\\t' '\\n'" },
		{ "7\t", 1001, "write one number a line: tr -s ' ,;\\t' '\\n'" },
		{ "x,", 1000, "" }, { "7\n", 1000, NEWLINES }, { "x\n", 1000, NEWLINES },
	};

	for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
		const size_t each = strlen(rows[r].form);
		char into[GS_HINT_BYTES], text[1001];

		for (size_t b = 0; b < rows[r].bytes; b++)
			text[b] = rows[r].form[b % each];
		if (each == 1)		/* a fraction, so no integer */
			text[0] = '.';
		hint_of(into, INTEGERS, 2, text, rows[r].bytes);
		CHECK(says(into, rows[r].hint), "%zu of %s: %s", rows[r].bytes, rows[r].form, into);
	}
}

/* ---- characters -------------------------------------------------------------------------------- */

/* All that look like what they are not, and how Unicode or people call them. */
static const struct { uint32_t first, last; const char *name; } characters[] = {
	{ 0x00, 0x00, "NULL" }, { 0x01, 0x08, "a control character" }, { 0x0b, 0x0c, "a control character" },
	{ 0x0e, 0x19, "a control character" }, { 0x1a, 0x1a, "SUBSTITUTE, the end of a file of DOS" },
	{ 0x1b, 0x1b, "ESCAPE" }, { 0x1c, 0x1f, "a control character" },
	{ 0x7f, 0x9f, "a control character" },
	{ 0xa0, 0xa0, "NO-BREAK SPACE" }, { 0xad, 0xad, "SOFT HYPHEN" },
	{ 0x61c, 0x61c, "a mark of writing direction" }, { 0x660, 0x669, "an Arabic digit" },
	{ 0x6f0, 0x6f9, "an Arabic digit" }, { 0x966, 0x96f, "a Devanagari digit" },
	{ 0x1680, 0x1680, "a space" }, { 0x180e, 0x180e, "an invisible mark" },
	{ 0x2000, 0x200a, "a space of typography" }, { 0x200b, 0x200b, "ZERO WIDTH SPACE" },
	{ 0x200c, 0x200d, "an invisible mark" }, { 0x200e, 0x200f, "a mark of writing direction" },
	{ 0x2010, 0x2015, "a hyphen or dash, not HYPHEN-MINUS" }, { 0x2028, 0x2029, "a line break" },
	{ 0x202a, 0x202e, "a mark of writing direction" }, { 0x202f, 0x202f, "NARROW NO-BREAK SPACE" },
	{ 0x205f, 0x205f, "a space of typography" }, { 0x2060, 0x206f, "an invisible mark" },
	{ 0x2212, 0x2212, "MINUS SIGN, not HYPHEN-MINUS" }, { 0x2800, 0x2800, "BRAILLE PATTERN BLANK" },
	{ 0x3000, 0x3000, "IDEOGRAPHIC SPACE" }, { 0xfe63, 0xfe63, "a hyphen or dash, not HYPHEN-MINUS" },
	{ 0xfeff, 0xfeff, "a byte order mark" }, { 0xff0d, 0xff0d, "a hyphen or dash, not HYPHEN-MINUS" },
	{ 0xff10, 0xff19, "a FULLWIDTH DIGIT" }, { 0xfff9, 0xfffb, "an invisible mark" },
	{ 0xe0000, 0xe007f, "an invisible mark" },
};

/* Write POINT as UTF-8. */
static size_t
put_character(char *to, uint32_t point)
{
	const size_t bytes = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;

	for (size_t b = bytes; b-- > 1; point >>= 6)
		to[b] = (char)(0x80 | (point & 0x3f));
	to[0] = (char)(bytes == 1 ? point : (0xf00u >> bytes & 0xff) | point);
	return bytes;
}

/* The first and last of each range, and those beside it. */
static void
check_characters(void)
{
	enum { COUNT = sizeof characters / sizeof *characters };

	for (size_t r = 0; r < COUNT; r++)
		for (int side = 0; side < 4; side++) {
			const uint32_t point = side < 2 ? characters[r].first - (side == 0)
			                       : characters[r].last + (side == 3);
			char into[GS_HINT_BYTES], text[8] = "7x", expected[GS_HINT_BYTES] = "";
			size_t c = 0;

			if (point == UINT32_MAX)
				continue;
			while (c < COUNT && (point < characters[c].first || point > characters[c].last))
				c++;
			if (c < COUNT)
				snprintf(expected, sizeof expected, "byte 3 is U+%04X %s", (unsigned)point,
				         characters[c].name);
			hint_of(into, HEXADECIMAL, 2, text, 2 + put_character(text + 2, point));
			CHECK(c < COUNT ? says(into, expected) : strstr(into, "byte") == NULL, "U+%04X: %s",
			      (unsigned)point, into);
		}
}

/* ---- fields ------------------------------------------------------------------------------------- */

/* A field of column 3 in line NUMBER, and the letters of its key. */
enum where { BLANKS, COMMAS, OTHERS, NAMED };

static const struct {
	enum where where;
	unsigned number;
	const char *letter, *text;
	size_t bytes;
	const char *hint;
} fields[] = {
	{ BLANKS, 1, "n", TEXT("+5"), "numbers with a plus sign need g" },
	{ BLANKS, 1, "n", TEXT("5"), "floats need g" },
	{ BLANKS, 1, "g", TEXT("5.5"), "" },
	{ BLANKS, 1, "n", TEXT("5.5"), "floats need g" },
	{ BLANKS, 1, "n", TEXT("nan"), "floats need g" },
	{ BLANKS, 1, "n", TEXT("1e"), "" },
	{ BLANKS, 1, "n", TEXT("0xf"), "hexadecimal numbers need g" },
	{ BLANKS, 2, "n", TEXT("2026-11-22"), "dates and times need :time" },
	{ NAMED, 1, "n", TEXT("2026-11-22"), "dates and times need :time" },
	{ NAMED, 1, "n", TEXT("5.5"), "floats need :g" },
	{ NAMED, 1, "n", TEXT("x"), "" },
	{ BLANKS, 1, "n", TEXT("x"), "a heading needs --header" },
	{ BLANKS, 2, "n", TEXT("x"), "" },
	{ BLANKS, 1, "n", TEXT("[x"), "" },
	{ BLANKS, 1, "n", TEXT("5x"), "" },
	{ BLANKS, 1, "n", TEXT("2026-11"),
	  "dates of this form need a key without letters, which sorts them as text: -k 3,3" },
	{ COMMAS, 1, "n", TEXT("22.11.2026"), "day, month, year? sort by -k3.7,3.10n -k3.4,3.5n -k3.1,3.2n" },
	{ OTHERS, 1, "n", TEXT("22/11/2026"), "day, month, year? sort by -k3.7,3.10n -k3.4,3.5n -k3.1,3.2n" },
	{ BLANKS, 1, "n", TEXT("22/11/2026"), DATES },
	{ BLANKS, 1, "n", TEXT("[22/Nov/2026:10:00:00"),
	  "the time of a log? sort by -k3.10,3.13n -k3.6,3.8M -k3.3,3.4n -k3.15,3.22" },
	{ COMMAS, 1, "n", TEXT("[22/Nov/2026:10:00:00"), "" },
	{ BLANKS, 1, "n", TEXT("nov"), "months need M" },
	{ BLANKS, 1, "M", TEXT("november"), "a heading needs --header" },
	{ BLANKS, 1, "n", TEXT("10.0.0.1"), "IPv4 addresses need :ip" },
	{ BLANKS, 1, "n", TEXT("10.0.0.0/8"), "networks need V" },
	{ BLANKS, 1, "V", TEXT("10.0.0.0/8"), "" },
	{ BLANKS, 1, "n", TEXT("12:30"), "times of day need V" },
	{ BLANKS, 1, "n", TEXT("::1"),
	  "IPv6 addresses, hardware addresses and UUIDs need a key without letters, "
	  "which sorts them as text: -k 3,3" },
	{ BLANKS, 1, "n", TEXT("v1"), "versions need V" },
	{ COMMAS, 1, "n", TEXT("1,000.5"),
	  "remove the commas between thousands: "
	  "sed -E ':a; s/\"(-?[0-9]+),([0-9]{3}[0-9,.]*)\"/\"\\1\\2\"/; ta'" },
	{ BLANKS, 1, "n", TEXT("1,000"), "remove the commas between thousands: tr -d ," },
	{ COMMAS, 1, "n", TEXT("1,5"),
	  "replace the decimal comma: sed -E 's/\"([-+]?[0-9]+),([0-9]+)\"/\"\\1.\\2\"/g'" },
	{ OTHERS, 1, "n", TEXT("1,5"), "replace the decimal comma: tr , ." },
	{ COMMAS, 1, "n", TEXT("1.000,5"),
	  "remove the points and replace the comma: "
	  "sed -E ':a; s/\"([-+]?[0-9]+)\\.([0-9.]+,[0-9]*)\"/\"\\1\\2\"/; ta; "
	  "s/\"([-+]?[0-9]+),([0-9]*)\"/\"\\1.\\2\"/g'" },
	{ OTHERS, 1, "n", TEXT("1.000,5"), POINTS },
	{ COMMAS, 1, "n", TEXT("1 000"), UNGROUP },
	{ OTHERS, 1, "n", TEXT("12 345"), UNGROUP },
	{ BLANKS, 1, "n", TEXT("1_000"), UNGROUP },
	{ OTHERS, 1, "n", TEXT("\"5\""), "fields in quotes need --csv" },
	{ COMMAS, 1, "n", TEXT("\"5\""), "a heading needs --header" },
	{ BLANKS, 1, "n", TEXT("\"5"), "a heading needs --header" },
	{ COMMAS, 1, "n", TEXT("5%"), "remove the percent signs: tr -d %" },
	{ COMMAS, 1, "n", TEXT("$5"), CURRENCY },
	{ BLANKS, 1, "n", TEXT("5K"), "sizes with suffixes need h" },
	{ COMMAS, 1, "n", TEXT("5 MB"), SIZES },
	{ COMMAS, 1, "n", TEXT("n/a"), MISSING },
	{ COMMAS, 1, "n", TEXT("- 5"), SIGN },
	{ COMMAS, 1, "n", TEXT("5\r\r"), "remove the CRs: tr -d '\\r'" },
	{ COMMAS, 1, "n", TEXT("\302\2405"), "byte 1 is U+00A0 NO-BREAK SPACE" },
	{ BLANKS, 1, "n", TEXT(" \t5K\t "), "sizes with suffixes need h" },
};

void
unit_hint(void)
{
	char into[GS_HINT_BYTES];

	for (size_t r = 0; r < sizeof lines / sizeof *lines; r++) {
		hint_of(into, lines[r].kind, lines[r].number, lines[r].text, lines[r].bytes);
		CHECK(says(into, lines[r].hint), "%s: %s", lines[r].text, into);
	}
	for (size_t r = 0; r < sizeof fields / sizeof *fields; r++) {
		const enum where where = fields[r].where;
		const struct gs_hinted_field field = {
			.column = 3, .named = where == NAMED, .csv = where == COMMAS || where == NAMED,
			.separator = where == BLANKS ? -1 : where == OTHERS ? ';' : ',',
			.letter = fields[r].letter,
		};

		gs_hint_field(into, &field, fields[r].number, fields[r].text,
		              fields[r].text + fields[r].bytes);
		CHECK(says(into, fields[r].hint), "%s: %s", fields[r].text, into);
	}
	check_lengths();
	check_characters();
}
