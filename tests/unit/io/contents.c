// SPDX-License-Identifier: BSD-2-Clause
/* contents.c - rows for src/io/contents.c: no keys are taken for something else */
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

/* How the keys of a file are spread. */
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

/* ---- what is no file of keys --------------------------------------------------- */

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

void unit_contents(void);

void
unit_contents(void)
{
	check_keys();
	check_headers();
	check_kinds();
}
