// SPDX-License-Identifier: BSD-2-Clause
/* contents.c - rows for src/io/contents.c: keys are not mistaken for other files */
#include <stdlib.h>
#include <string.h>

#include "io/files.h"
#include "tests/unit/units.h"

enum { MOST_BYTES = 4096 };

/* ---- files of keys ------------------------------------------------------------- */

static uint64_t state;

static uint64_t
draw(void)
{
	return units_mix(state++);
}

/* The distribution of the keys in a file. */
enum spread { UNIFORM, SMALL, CLOSE, SORTED, TIMES, FEW, SPREADS };

/* A key of BYTES, the Nth of its file. */
static uint64_t
key_of(enum spread spread, unsigned bytes, uint64_t seed, size_t n)
{
	switch (spread) {
	case UNIFORM: return draw();
	case SMALL:   return draw() & 0xff;
	case CLOSE:   return seed + (draw() & 0xfff);
	case SORTED:  return seed + n * (draw() & 0x3f);
	case TIMES:   return bytes < 8 ? 1700000000 + (draw() & 0xffffff)
	                               : UINT64_C(1700000000000000000) + (draw() >> 20);
	default:      return units_mix(seed + draw() % 3);
	}
}

static void
fill_integers(unsigned char *data, size_t bytes, unsigned width, enum spread spread)
{
	const uint64_t seed = draw();
	const bool big = draw() & 1;

	for (size_t at = 0; at < bytes; at += width) {
		const uint64_t key = key_of(spread, width, seed, at / width);

		for (unsigned b = 0; b < width && at + b < bytes; b++) {
			const unsigned place = big ? width - 1 - b : b;

			data[at + b] = place < sizeof key ? (unsigned char)(key >> 8 * place) : 0;
		}
	}
}

/* Floats between 0 and 1, or whole ones. */
static void
fill_floats(unsigned char *data, size_t bytes, unsigned width, bool whole)
{
	for (size_t at = 0; at < bytes; at += width) {
		const double value = whole ? (double)(draw() & 0xffff) : (double)(draw() >> 11) * 0x1p-53;
		const float narrow = (float)value;
		const size_t room = bytes - at < width ? bytes - at : width;

		memcpy(data + at, width == 4 ? (const void *)&narrow : (const void *)&value, room);
	}
}

static size_t
make_file(unsigned char *data)
{
	static const unsigned widths[] = { 1, 2, 4, 8, 16 };
	const unsigned width = widths[draw() % (sizeof widths / sizeof widths[0])];
	/* as many small ones as large ones */
	const size_t bytes = 1 + draw() % ((size_t)1 << (draw() % 13));

	if ((width == 4 || width == 8) && draw() % 4 == 0)
		fill_floats(data, bytes, width, draw() & 1);
	else
		fill_integers(data, bytes, width, (enum spread)(draw() % SPREADS));
	return bytes;
}

static void
check_keys(void)
{
	const unsigned files = units_brief() ? 20000 : 1000000;
	unsigned char data[MOST_BYTES];
	unsigned packed = 0, refused = 0;

	for (unsigned f = 0; f < files; f++) {
		const size_t bytes = make_file(data);

		packed += gs_contents_packed(data, bytes) != GSORT_DECOMPRESS_NONE;
		refused += gs_contents_check("keys", data, bytes, draw() & 1, true, GS_GUARDED, 0) != GS_OK;
	}
	CHECK(packed == 0, "%u of %u files of keys were taken for compressed data", packed, files);
	CHECK(refused == 0, "%u of %u files of keys were refused", refused, files);
}

/* A byte of each header of compressed data changed at random must not make a worse guess: it
 * is this format, or none. */
static void
check_headers(void)
{
	static const struct { enum gsort_decompress format; size_t bytes; const char *data; } rows[] = {
		{ GSORT_DECOMPRESS_GZIP, 20, "\x1f\x8b\x08\0\0\0\0\0\0\3\3\0\0\0\0\0\0\0\0\0" },
		{ GSORT_DECOMPRESS_ZSTD, 13, "\x28\xb5\x2f\xfd\x24\0\1\0\0\x99\xe9\xd8\x51" },
		{ GSORT_DECOMPRESS_XZ, 32, "\xfd" "7zXZ\0\0\4\xe6\xd6\xb4\x46\0\0\0\0\x1c\xdf\x44\x21\x1f\xb6"
		                           "\xf3\x7d\1\0\0\0\0\4YZ" },
		{ GSORT_DECOMPRESS_BZIP2, 14, "BZh9\x17\x72\x45\x38\x50\x90\0\0\0\0" },
		{ GSORT_DECOMPRESS_LZ4, 15, "\x04\x22\x4d\x18\x64\x40\xa7\0\0\0\0\x05\x5d\xcc\x02" },
	};

	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		char data[40];
		bool worse = false;

		memcpy(data, rows[r].data, rows[r].bytes);
		CHECK(gs_contents_packed(data, rows[r].bytes) == rows[r].format,
		      "format %d is recognized when nothing is in it", rows[r].format);
		for (size_t b = 0; b < 4; b++)
			for (unsigned bit = 0; bit < 8; bit++) {
				data[b] ^= (char)(1 << bit);
				/* the third letter of "BZh9" alone may change: that is a size */
				worse |= gs_contents_packed(data, rows[r].bytes) != GSORT_DECOMPRESS_NONE &&
				         !(rows[r].format == GSORT_DECOMPRESS_BZIP2 && b == 3) &&
				         !(rows[r].format == GSORT_DECOMPRESS_GZIP && b == 3);
				data[b] ^= (char)(1 << bit);
			}
		CHECK(!worse, "format %d needs all bits of its magic number", rows[r].format);
		for (size_t bytes = 0; bytes < 7; bytes++)
			CHECK(gs_contents_packed(data, bytes) == GSORT_DECOMPRESS_NONE,
			      "the first %zu bytes of format %d are keys", bytes, rows[r].format);
	}
}

/* ---- the limits of each header ------------------------------------------------------- */

/* The shortest beginning of each format; its name as in messages, or "" if it is decompressed. */
static const struct head {
	const char *name;
	enum gsort_decompress format;
	size_t      bytes;
	const char *data;
} heads[] = {
#define HEAD(name, format, data)	{ name, GSORT_DECOMPRESS_##format, sizeof data - 1, data }
#define ZEROS				"\0\0\0\0\0\0\0\0"
#define MANY				ZEROS ZEROS ZEROS ZEROS ZEROS ZEROS ZEROS ZEROS \
					ZEROS ZEROS ZEROS ZEROS ZEROS ZEROS ZEROS ZEROS
	HEAD("", GZIP, "\x1f\x8b\x08\0\0\0\0\0\0\3\3\0\0\0\0\0\0\0"),
	HEAD("", ZSTD, "\x28\xb5\x2f\xfd\0\xa8\1\0\0"),
	HEAD("", ZSTD, "\x28\xb5\x2f\xfd\x20\xff\1\0\0"),	/* of one segment */
	HEAD("", ZSTD, "\x28\xb5\x2f\xfd\xc2\0\0\0" ZEROS "\1\0\0"),
	HEAD("", ZSTD, "\x50\x2a\x4d\x18\0\0\0\0\x28\xb5\x2f\xfd\0\0\1\0\0"),
	HEAD("", ZSTD, "\x5f\x2a\x4d\x18\2\0\0\0ab\x28\xb5\x2f\xfd\0\0\1\0\0"),
	HEAD("", XZ, "\xfd" "7zXZ\0\0\17"),
	HEAD("", BZIP2, "BZh1\x31\x41\x59\x26\x53\x59\0\0\0\0"),
	HEAD("", LZ4, "\x04\x22\x4d\x18\x40\x40\0\0\0\0\0"),
	HEAD("a zip archive", NONE, "PK\3\4\77\0\0\0\143\0" "\0\0\0\0" ZEROS ZEROS),
	HEAD("lz4 data of the old format", NONE, "\2\x21\x4c\x18\xff\xff\x8f\0"),
	HEAD("a Parquet file", NONE, "PAR1\x15"),
	HEAD("a program", NONE, "\x7f" "ELF\1\1\1\7\7\0\0\0\0\0\0"),
	HEAD("a PDF document", NONE, "%PDF-1."),
	HEAD("a NumPy array", NONE, "\x93NUMPY\1\0v\0{'"),
	HEAD("a 7z archive", NONE, "7z\xbc\xaf\x27\x1c"),
	HEAD("a rar archive", NONE, "Rar!\x1a\7"),
	HEAD("an Arrow file", NONE, "ARROW1\0\0"),
	HEAD("an SQLite database", NONE, "SQLite format 3\0"),
	HEAD("an HDF5 file", NONE, "\x89HDF\r\n\x1a\n"),
	HEAD("a tar archive", NONE, MANY MANY "\0ustar"),
};

/* Bytes of a head that are something else, and whether it still is of its format. */
static const struct {
	unsigned char head, at, value;
	bool holds;
	unsigned char also, also_value;		/* if it is not 0 */
} edits[] = {
#define ALSO(head, at, value, also, also_value)		{ head, at, value, true, also, also_value }
#define NEITHER(head, at, value, also, also_value)	{ head, at, value, false, also, also_value }
#define IS(head, at, value)				ALSO(head, at, value, 0, 0)
#define NOT(head, at, value)				NEITHER(head, at, value, 0, 0)
	NOT(0, 3, 0x20), NOT(0, 3, 0x40), NOT(0, 3, 0x80), IS(0, 3, 1),
	NOT(0, 8, 1), IS(0, 8, 2), NOT(0, 8, 3), IS(0, 8, 4), NOT(0, 8, 5),
	IS(0, 9, 0), IS(0, 9, 13), NOT(0, 9, 14), NOT(0, 9, 254), IS(0, 9, 255),
	IS(0, 10, 2), IS(0, 10, 4), NOT(0, 10, 6), NOT(0, 10, 7), NOT(0, 10, 14),
	NEITHER(0, 10, 6, 3, 1), ALSO(0, 10, 6, 3, 2), ALSO(0, 10, 6, 3, 4), ALSO(0, 10, 6, 3, 16),
	NEITHER(0, 10, 31, 3, 8), ALSO(0, 10, 32, 3, 8), ALSO(0, 10, 0, 3, 12), NEITHER(0, 10, 0, 3, 24),
	NOT(1, 4, 8), NOT(1, 4, 0x10), IS(1, 5, 0xaf), NOT(1, 5, 0xb0), IS(1, 6, 3),
	IS(1, 6, 5), NOT(1, 6, 6), NOT(1, 6, 7), ALSO(1, 8, 0x10, 6, 1),
	NEITHER(1, 8, 0x10, 6, 9), NOT(1, 8, 0x11), IS(1, 7, 0xff), NOT(2, 6, 7),
	NOT(3, 5, 0xff), NOT(3, 16, 7), NOT(4, 0, 0x4f), NOT(4, 0, 0x60),
	IS(4, 0, 0x58), NOT(4, 4, 1), NOT(4, 7, 1), NOT(4, 11, 0), NOT(4, 14, 7),
	NOT(5, 4, 1), NOT(5, 4, 3), NOT(6, 7, 16), IS(6, 7, 0),
	NOT(7, 3, '0'), IS(7, 3, '9'), NOT(7, 3, ':'), NOT(7, 4, 0x32), NOT(7, 9, 0x58),
	NOT(8, 4, 0x42), NOT(8, 4, 0x80), NOT(8, 4, 0xc0), IS(8, 4, 0x7d), NOT(8, 5, 0x30),
	IS(8, 5, 0x70), NOT(8, 5, 0xc0), NOT(8, 5, 0x41), NOT(8, 5, 0x48),
	NOT(9, 4, 64), IS(9, 4, 0), NOT(9, 6, 0x80), IS(9, 6, 0x7f), NOT(9, 7, 1),
	NOT(9, 7, 2), NOT(9, 7, 4), IS(9, 7, 8), NOT(9, 7, 0x10), IS(9, 7, 0x20),
	NOT(9, 7, 0x40), NOT(9, 7, 0x80), NOT(9, 8, 100), IS(9, 8, 0), NOT(9, 9, 1),
	IS(10, 4, 0), NOT(10, 6, 0x90), IS(10, 6, 0), NOT(10, 7, 1),
	NOT(11, 4, 0x14), NOT(11, 4, 0x16), NOT(12, 4, 0), IS(12, 4, 2), NOT(12, 4, 3),
	NOT(12, 5, 0), IS(12, 5, 2), NOT(12, 5, 3), NOT(12, 6, 0), NOT(12, 6, 2),
	IS(12, 8, 0), NOT(12, 9, 1), NOT(12, 14, 1),
	NOT(13, 5, '0'), IS(13, 5, '9'), NOT(13, 5, ':'), NOT(13, 6, ','),
	NOT(14, 6, 0), IS(14, 6, 3), NOT(14, 6, 4), NOT(14, 7, 1),
};

static bool
is_of(const struct head *head, const char *data, size_t bytes)
{
	if (head->format != GSORT_DECOMPRESS_NONE)
		return gs_contents_packed(data, bytes) == head->format;
	return gs_contents_check("f", data, bytes, false, true, GS_GUARDED, 0) != GS_OK &&
	       strstr(gs_message(), head->name) != NULL;
}

static void
check_limits(void)
{
	char data[300];

	for (size_t h = 0; h < sizeof heads / sizeof heads[0]; h++) {
		memcpy(data, heads[h].data, heads[h].bytes);
		data[heads[h].bytes] = 'x';	/* whatever follows */
		CHECK(is_of(&heads[h], data, heads[h].bytes), "head %zu is of its format", h);
		CHECK(!is_of(&heads[h], data, heads[h].bytes - 1), "head %zu needs all of its %zu bytes", h,
		      heads[h].bytes);
	}
	for (size_t e = 0; e < sizeof edits / sizeof edits[0]; e++) {
		const struct head *head = &heads[edits[e].head];

		memcpy(data, head->data, head->bytes);
		data[edits[e].at] = (char)edits[e].value;
		if (edits[e].also > 0)
			data[edits[e].also] = (char)edits[e].also_value;
		CHECK(is_of(head, data, head->bytes) == edits[e].holds,
		      "head %d with byte %d of %d is%s of its format", edits[e].head, edits[e].at,
		      edits[e].value, edits[e].holds ? "" : " not");
	}
	/* a frame's header is the window, a dictionary of 0, 1, 2 or 4 bytes, a size of 0, 1, 2, 4 or 8 */
	for (unsigned descriptor = 0; descriptor < 256; descriptor++) {
		const unsigned char frame[5] = { 0x28, 0xb5, 0x2f, 0xfd, (unsigned char)descriptor };
		const unsigned size = descriptor / 64, single = descriptor / 32 % 2;
		const unsigned dictionary = descriptor % 4;

		CHECK(gs_zstd_header_bytes(frame) == 5 + (1 - single) + (dictionary == 3 ? 4 : dictionary) +
		      (size > 0 ? 1U << size : single), "the header of a frame with %u", descriptor);
	}
}

/* ---- files that are not keys --------------------------------------------------- */

/* Is a text of BYTES refused as binary keys? */
static bool
is_refused(const char *text, size_t bytes, bool whole)
{
	return gs_contents_check("f", text, bytes, whole, true, GS_GUARDED, 0) != GS_OK;
}

/* Each byte in turn, in a text of few digits, in one of words, and in one of UTF-16. */
static void
check_bytes(void)
{
	char digits[] = "1\n2\n0\n3\n", words[] = "the quick brown fox jumps over the dog.\n", many[256];
	char wide[] = "\xff\xfe" "1\0\n\0" "2\0\n\0" "3\0\n\0" "4\0";

	for (int byte = 0; byte < 256; byte++) {
		const bool printable = (byte > 31 && byte < 127) || byte == 9 || byte == 10 || byte == 13;

		digits[4] = words[0] = wide[14] = (char)byte;
		CHECK(is_refused(digits, 8, true) == (byte > 0 && strchr("0123456789+-. \r", byte) != NULL),
		      "byte %d among digits", byte);
		CHECK(is_refused(words, 40, true) == printable, "byte %d among words", byte);
		CHECK(is_refused(wide, 16, true) == printable && !is_refused(wide, 14, true),
		      "byte %d in UTF-16", byte);
	}
	digits[4] = '0';
	CHECK(!is_refused(digits, 8, false), "more follows");
	CHECK(is_refused("3\n1\n2\n7\n\n", 8, true) && !is_refused("\n1\n2\n3\n4", 8, true),
	      "an empty line behind, and in front");
	for (size_t b = 0; b < sizeof many; b++)
		many[b] = b % 2 == 0 ? '1' : '\n';
	CHECK(!is_refused(many, 254, true) && is_refused(many, 256, true), "a digit 127 and 128 times");
}

static void
check_kinds(void)
{
	static const struct { bool binary, text; size_t bytes; const char *data, *says; } rows[] = {
		{ true, false, 8, "3\n1\n2\n7\n", "lines of digits" },
		{ false, false, 4, "1\n2\n", "two lines of digits, which may be a key" },
		{ true, false, 40, "the quick brown fox jumps over the dog.\n", "a line of words" },
		{ false, false, 40, "the quick brown fox jumps over the dog..", "words without a newline" },
		{ false, false, 31, "the quick brown fox jumps over\n", "a short line of words" },
		{ false, true, 2, "\xff\xfe", "a mark of UTF-16" },
		{ true, true, 18, "\xff\xfe" "1\0\n\0" "2\0\n\0" "3\0\n\0" "4\0\n\0", "UTF-16" },
		{ true, true, 18, "\xfe\xff" "\0001\0\n" "\0002\0\n" "\0003\0\n" "\0004\0\n", "big UTF-16" },
		{ false, true, 4, "1\0\n\0", "UTF-16 without a mark" },
		{ false, false, 4, "1\0002\0", "two keys, or lines that end in NUL" },
		{ true, true, 30, "PK\3\4\24\0\0\0\10\0" "abcdefghijklmnopqrst", "a zip archive" },
		{ false, false, 30, "PK\3\4\377\377\0\0\10\0" "abcdefghijklmnopqrst", "no zip archive" },
		{ true, true, 12, "PAR1\25\4\25\6\25\10\0\0", "Parquet" },
		{ true, true, 52, "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0\76\0", "a program" },
		{ true, true, 10, "%PDF-1.7\n%", "PDF" },
		{ true, true, 12, "\x93NUMPY\1\0v\0{'", "NumPy" },
		{ false, false, 12, "\x93NUMPY\7\0v\0{'", "an unknown version of NumPy" },
		{ false, false, 6, "1\n2\n3\n", "few lines" },
		{ true, false, 32, "aaaaaaaaaaaaaaaaaaaaaaaabcdefg.\n", "words of eight and more bytes" },
		{ false, false, 32, "aaaaaaaaaaaaaaaaaaaaaaaaabcdef\n\n", "words of seven bytes" },
		{ true, false, 32, "11111111111111111111111111112\n3\n", "many digits, of four bytes" },
		{ false, false, 32, "1111111111111111111111111111111\n", "of two" },
		{ false, false, 32, "1111111111111111111111111112\n\n3\n", "with an empty line" },
		{ false, false, 8, "3\n1\n2\n77", "digits that do not end in a newline" },
		{ false, false, 7, "3\n1\n2\n7", "too few digits" },
		{ false, false, 8, "3\n1\n2\nx\n", "letters among few digits" },
		{ true, false, 8, "-\n+\n.1\r\n", "few signs" },
		{ false, false, 0, "", "an empty file" },
	};

	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		const char *data = rows[r].data, *says = rows[r].says;
		const size_t bytes = rows[r].bytes;

		CHECK((gs_contents_check("f", data, bytes, true, true, GS_GUARDED, 0) != GS_OK) ==
		      rows[r].binary,
		      "as binary keys %s: %s", rows[r].binary ? "refused" : "fine", says);
		CHECK((gs_contents_check("f", data, bytes, true, false, GS_GUARDED, 0) != GS_OK) ==
		      rows[r].text,
		      "as text %s: %s", rows[r].text ? "refused" : "fine", says);
		CHECK((gs_contents_check("f", data, bytes, true, true, GS_GUARDED_HEADER, 0) != GS_OK) ==
		      (strcmp(says, "NumPy") == 0), "as records %s", says);
	}
}

/* The advice for an array: the length of its header, and the type of its elements. */
static void
check_arrays(void)
{
	static const struct { char major; const char *dict; size_t unit; const char *says; } rows[] = {
		{ 1, "{'descr': '<f8', ", 8, "sort it with --header=74 -f64, or by gsort.sort_file()" },
		{ 1, "{'descr': '>u4', ", 4, "sort it with --header=74 -u32be, or by" },
		{ 1, "{'descr': '|i1', ", 1, "sort it with --header=74 -i8, or by" },
		{ 2, "{'descr': '<i2', ", 2, "sort it with --header=76 -i16, or by" },
		{ 3, "{'descr': '>f4', ", 4, "sort it with --header=76 -f32be, or by" },
		{ 1, "{'descr': '<c8', ", 8, "sort it with --header=74 and the type of its keys, or by" },
		{ 1, "{'descr': '<c16'", 4, "sort it with --header=74 and the type of its keys, or by" },
		{ 1, "{'descr': [('a',", 4, "sort it with --header=74 --record-size and -k TYPE@OFFSET, or" },
		{ 1, "{'shape': (3,), ", 4, "sort it with --header=74 and the type of its keys, or by" },
	};

	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		const size_t begin = rows[r].major > 1 ? 12 : 10, bytes = begin + 64;
		char data[100] = "\x93NUMPY";

		data[6] = rows[r].major;
		data[8] = 64;
		memset(data + begin, ' ', 64);
		memcpy(data + begin, rows[r].dict, strlen(rows[r].dict));
		CHECK(gs_contents_check("f", data, bytes, true, rows[r].unit, GS_GUARDED, 0) == GS_EINPUT &&
		      strstr(gs_message(), rows[r].says) != NULL, "%s: %s", rows[r].dict, gs_message());
		CHECK(gs_contents_check("f", data, bytes, true, rows[r].unit, GS_GUARDED, bytes) == GS_OK &&
		      gs_contents_check("f", data, bytes, true, rows[r].unit, GS_GUARDED, bytes - 1) != GS_OK,
		      "%s: its header is skipped", rows[r].dict);
		for (size_t unit = 1; unit < 20; unit++) {	/* a width of a digit */
			const char *at = rows[r].dict + 10;
			const unsigned width = at[0] == '\'' && at[4] == '\'' ? (unsigned)(at[3] - '0') : 1;

			CHECK((gs_contents_check("f", data, bytes, true, unit, GS_GUARDED, bytes) == GS_OK) ==
			      (unit % width == 0), "%s: elements of %zu bytes", rows[r].dict, unit);
		}
	}
}

void unit_contents(void);

void
unit_contents(void)
{
	check_keys();
	check_headers();
	check_limits();
	check_kinds();
	check_bytes();
	check_arrays();
}
