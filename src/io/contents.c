// SPDX-License-Identifier: BSD-2-Clause
/*
 * contents.c - what a file is, by its first bytes
 *
 * In:   the first bytes of a file.
 * Out:  the format of compressed data; or a message about a file that has no numbers.
 *
 * Sources: RFC 1952 (gzip), RFC 8878 (zstd), the descriptions of the .xz, bzip2 and LZ4 frame
 * formats, and of the files in the table below.
 */
#include <stdio.h>
#include <string.h>

#include "io/files.h"

uint32_t
gs_little_endian(const unsigned char *at, unsigned bytes)
{
	uint32_t value = 0;

	while (bytes-- > 0)
		value = value << 8 | at[bytes];
	return value;
}

/* ---- formats: what stands behind their magic numbers, in the first BYTES at AT ---- */

static bool
is_gzip(const unsigned char *at, size_t bytes)
{
	enum { LEAST = 18, FEXTRA = 4, FNAME = 8, FCOMMENT = 16, FHCRC = 2, RESERVED = 0xe0 };
	const unsigned flags = at[3];

	if (bytes < LEAST || (flags & RESERVED) != 0 ||
	    (at[8] != 0 && at[8] != 2 && at[8] != 4) || (at[9] > 13 && at[9] != 255))
		return false;
	if ((flags & (FEXTRA | FNAME | FCOMMENT | FHCRC)) == 0)
		return (at[10] & 6) != 6;		/* the type of the first block */
	return (flags & (FEXTRA | FNAME)) != FNAME || at[10] >= ' ';
}

/* Has the frame at AT one segment, and so no size of a window? */
static bool
is_single(const unsigned char *at)
{
	return (at[4] & 0x20) != 0;
}

size_t
gs_zstd_header_bytes(const unsigned char *at)
{
	static const unsigned char id_bytes[] = { 0, 1, 2, 4 }, size_bytes[] = { 0, 2, 4, 8 };
	const bool single = is_single(at);

	return (size_t)5 + !single + id_bytes[at[4] & 3] +
	       (single && at[4] >> 6 == 0 ? 1 : size_bytes[at[4] >> 6]);
}

#define ZSTD_MAGIC	"\x28\xb5\x2f\xfd"

/* A frame's header, and the header of its first block. */
static bool
is_zstd(const unsigned char *at, size_t bytes)
{
	enum { UNUSED_BITS = 0x18, MOST_BLOCK = 128 << 10, MOST_WINDOW = 21 /* 2^31 bytes */ };
	uint32_t block;

	if (bytes < 9 || (at[4] & UNUSED_BITS) != 0 ||
	    (!is_single(at) && at[5] >> 3 > MOST_WINDOW) || bytes < gs_zstd_header_bytes(at) + 3)
		return false;
	block = gs_little_endian(at + gs_zstd_header_bytes(at), 3);
	return (block >> 1 & 3) != 3 && block >> 3 <= MOST_BLOCK;
}

/* A skippable frame, of any use, with a zstd frame behind it: files of pzstd begin so. */
static bool
is_skippable(const unsigned char *at, size_t bytes)
{
	const size_t next = (size_t)8 + gs_little_endian(at + 4, 4);

	return (at[0] & 0xf0) == 0x50 && next + 4 <= bytes &&
	       memcmp(at + next, ZSTD_MAGIC, 4) == 0 && is_zstd(at + next, bytes - next);
}

static bool
is_lz4(const unsigned char *at, size_t bytes)
{
	return bytes >= 11 && (at[4] & 0xc2) == 0x40 && (at[5] & 0x8f) == 0 && at[5] >> 4 >= 4;
}

/* The second magic number begins a block, or the end. */
static bool
is_bzip2(const unsigned char *at, size_t bytes)
{
	return bytes >= 14 && at[3] >= '1' && at[3] <= '9' &&
	       (memcmp(at + 4, "\x31\x41\x59\x26\x53\x59", 6) == 0 ||
	        memcmp(at + 4, "\x17\x72\x45\x38\x50\x90", 6) == 0);
}

/* The header of the first file in it: few versions, flags and methods exist. */
static bool
is_zip(const unsigned char *at, size_t bytes)
{
	enum { LEAST = 30, NEWEST = 63, UNUSED_FLAGS = 0xd780, MOST_METHOD = 99 };

	return bytes >= LEAST && at[4] <= NEWEST && (gs_little_endian(at + 6, 2) & UNUSED_FLAGS) == 0 &&
	       gs_little_endian(at + 8, 2) <= MOST_METHOD;
}

/*
 * Each byte is between those of LEAST and MOST.  Numbers so long that nothing more need be looked at have no
 * test.  Parquet: Thrift's compact protocol, the header of the first page begins with an i32, field 1.  ELF:
 * version 1, for 32 or 64 bits and for either byte order, and unused zeros behind it.  Old lz4: the size of
 * the first block, of 8 MiB before it was compressed.
 */
#define MAGIC(magic)	magic, magic

static const struct kind {
	const char *least, *most;
	size_t      bytes, offset;
	bool      (*test)(const unsigned char *at, size_t bytes);
	const char *name, *way_out;
	enum gsort_decompress format;	/* of compressed data, which has no name */
} kinds[] = {
	{ MAGIC("\x1f\x8b\x08"), 3, 0, is_gzip, NULL, NULL, GSORT_DECOMPRESS_GZIP },
	{ MAGIC(ZSTD_MAGIC), 4, 0, is_zstd, NULL, NULL, GSORT_DECOMPRESS_ZSTD },
	{ MAGIC("\x2a\x4d\x18"), 3, 1, is_skippable, NULL, NULL, GSORT_DECOMPRESS_ZSTD },
	{ "\xfd" "7zXZ\0\0\0", "\xfd" "7zXZ\0\0\x0f", 8, 0, NULL, NULL, NULL, GSORT_DECOMPRESS_XZ },
	{ MAGIC("BZh"), 3, 0, is_bzip2, NULL, NULL, GSORT_DECOMPRESS_BZIP2 },
	{ MAGIC("\x04\x22\x4d\x18"), 4, 0, is_lz4, NULL, NULL, GSORT_DECOMPRESS_LZ4 },
	{ MAGIC("PK\3\4"), 4, 0, is_zip, "a zip archive", "unpack it first: unzip -p", 0 },
	{ MAGIC("ustar"), 5, 257, NULL, "a tar archive", "unpack it first: tar -xO", 0 },
	{ MAGIC("7z\xbc\xaf\x27\x1c"), 6, 0, NULL, "a 7z archive", "unpack it first: 7z x -so", 0 },
	{ MAGIC("Rar!\x1a\7"), 6, 0, NULL, "a rar archive", "unpack it first: unrar p", 0 },
	{ "\2\x21\x4c\x18\0\0\0", "\2\x21\x4c\x18\xff\xff\x8f", 8, 0, NULL, "lz4 data of the old format",
	  "decompress it first: lz4 -dc", 0 },
	{ MAGIC("PAR1\x15"), 5, 0, NULL, "a Parquet file", "write a column of it as CSV first", 0 },
	{ MAGIC("ARROW1\0"), 8, 0, NULL, "an Arrow file", "write a column of it as CSV first", 0 },
	{ MAGIC("SQLite format 3"), 16, 0, NULL, "an SQLite database", "select a column of it first", 0 },
	{ MAGIC("\x89HDF\r\n\x1a\n"), 8, 0, NULL, "an HDF5 file", "write a data set of it first: h5dump -b",
	  0 },
	{ "\x93NUMPY\1\0\0\0\0", "\x93NUMPY\3\0\xff\xff\xff\xff", 12, 0, NULL, "a NumPy array", NULL, 0 },
	{ "%PDF-1.", "%PDF-9.", 7, 0, NULL, "a PDF document", "extract its text first: pdftotext", 0 },
	{ "\x7f" "ELF\1\1\1\0\0\0\0\0\0\0", "\x7f" "ELF\2\2\1\xff\xff\0\0\0\0\0", 15, 0, NULL, "a program",
	  "name a file of numbers", 0 },
};

/* The kind of the file that begins so, compressed or another one; or NULL. */
static const struct kind *
kind_of(const unsigned char *at, size_t bytes, bool compressed)
{
	for (const struct kind *k = kinds; k < kinds + sizeof kinds / sizeof kinds[0]; k++) {
		size_t same = 0;

		if ((k->name == NULL) != compressed || bytes < k->offset + k->bytes)
			continue;
		while (same < k->bytes && at[k->offset + same] >= (unsigned char)k->least[same] &&
		       at[k->offset + same] <= (unsigned char)k->most[same])
			same++;
		if (same == k->bytes && (k->test == NULL || k->test(at, bytes)))
			return k;
	}
	return NULL;
}

enum gsort_decompress
gs_contents_packed(const void *data, size_t bytes)
{
	const struct kind *kind = bytes >= GS_CONTENTS_LEAST / 4 ? kind_of(data, bytes, true) : NULL;

	return kind != NULL ? kind->format : GSORT_DECOMPRESS_NONE;
}

/* ---- text --------------------------------------------------------------------- */

static bool
is_printable(unsigned char byte)
{
	return (byte >= ' ' && byte <= '~') || byte == '\n' || byte == '\t' || byte == '\r';
}

/*
 * Are these lines of ASCII?  Keys of 8 bits between 32 and 126 have no newlines.  Random bytes
 * are 32 times printable with a probability of 2^-44; fewer must be a whole file of numbers.  Keys
 * of 8 bits with three values are never words, and numbers only if no line is empty in 256 bytes.
 */
static bool
is_text(const unsigned char *at, size_t bytes, bool whole)
{
	enum { WORDS_LEAST = 32, NUMBERS_LEAST = 8, NUMBERS_MANY = 256 };
	bool seen[256] = { false }, numeric = true, lines = false, empty = false;
	unsigned distinct = 0;

	for (size_t b = 0; b < bytes; b++) {
		const unsigned char byte = at[b];

		if (!is_printable(byte))
			return false;
		distinct += !seen[byte];
		seen[byte] = true;
		/* 16 of 256 bytes can be part of a file of decimal numbers */
		numeric = numeric && ((byte >= '0' && byte <= '9') || strchr("+-. \r\n", byte) != NULL);
		lines = lines || byte == '\n';
		empty = empty || (byte == '\n' && (b == 0 || at[b - 1] == '\n'));
	}
	if (!lines)
		return false;
	if (bytes >= WORDS_LEAST && distinct >= 8)
		return true;
	if (!numeric || empty || distinct < (bytes < NUMBERS_MANY ? 4 : 2))
		return false;
	return bytes >= WORDS_LEAST ||
	       (whole && bytes >= NUMBERS_LEAST && at[bytes - 1] == '\n');
}

/*
 * UTF-16.  As text: a byte order mark, or ASCII with newlines in which every other byte is 0 (lines
 * that end in NUL have no newline).  As BINARY keys: both.
 */
static bool
is_utf16(const unsigned char *at, size_t bytes, bool binary)
{
	const bool marked = bytes >= 2 && (memcmp(at, "\xff\xfe", 2) == 0 ||
	                                   memcmp(at, "\xfe\xff", 2) == 0);
	const bool big = bytes >= 2 && (marked ? at[0] == 0xfe : at[0] == 0);
	bool lines = false;

	if (marked && !binary)
		return true;
	if (bytes < (binary ? 16 : 4) || (binary && !marked))
		return false;
	for (size_t b = marked ? 2 : 0; b + 1 < bytes; b += 2) {
		if (at[b + !big] != 0 || !is_printable(at[b + big]))
			return false;
		lines = lines || at[b + big] == '\n';
	}
	return lines;
}

/* Bytes of the header of an array of NumPy, the first BYTES of which are at AT: a version, a length, and
 * {'descr': '<f8', ...}; UINT64_MAX if it has numbers that elements of UNIT bytes would cut.  ADVICE: how its
 * keys are sorted. */
static uint64_t
advise_array(const char *at, size_t bytes, size_t unit, char advice[160])
{
	const unsigned char *length = (const unsigned char *)at + 8;
	const unsigned begin = at[6] > 1 ? 12 : 10;
	const uint32_t header = gs_little_endian(length, begin - 8) + begin;
	char type[64] = "and the type of its keys", descr[32] = "", letter, order;
	unsigned width = 0;
	int end = 0;

	memcpy(descr, at + begin, bytes - begin < sizeof descr - 1 ? bytes - begin : sizeof descr - 1);
	if (sscanf(descr, "{'descr': '%c%c%1u'%n", &order, &letter, &width, &end) == 3 &&
	    end > 0 && strchr("uif", letter) != NULL)
		snprintf(type, sizeof type, "-%c%u%s", letter, 8 * width, order == '>' ? "be" : "");
	else if (strncmp(descr, "{'descr': [", 11) == 0)
		snprintf(type, sizeof type, "--record-size and -k TYPE@OFFSET");
	snprintf(advice, 160, "sort it with --header=%u %s, or by gsort.sort_file() in Python", header, type);
	return end > 0 && width > 0 && unit % width != 0 ? UINT64_MAX : header;
}

/* ---- the check ------------------------------------------------------------------ */

gs_status
gs_contents_check(const char *name, const void *data, size_t bytes, bool whole, size_t unit,
                  enum gs_guarded guard, uint64_t skip)
{
	const size_t most = GS_CONTENTS_BYTES;
	const size_t seen = bytes < most ? bytes : most;
	const char *const numbers = unit > 0 ? "binary keys" : "numbers";
	const struct kind *kind = kind_of(data, seen, false);
	char advice[160] = "";

	if (kind != NULL && kind->way_out == NULL ? advise_array(data, seen, unit, advice) == skip
	                                          : guard == GS_GUARDED_HEADER)
		return GS_OK;
	if (kind != NULL)
		return gs_fail(GS_EINPUT, "%s: %s, not a file of %s; %s (--force reads it as it is)", name,
		               kind->name, numbers, *advice != '\0' ? advice : kind->way_out);
	if (is_utf16(data, seen, unit > 0))
		return gs_fail(GS_EINPUT, "%s: text in UTF-16, not a file of %s; convert it first: "
		               "iconv -f UTF-16 -t UTF-8 (--force reads it as it is)", name, numbers);
	if (unit > 0 && is_text(data, seen, whole && bytes <= most))
		return gs_fail(GS_EINPUT, "%s: text, not a file of binary keys; without a type gsort "
		               "reads text (--force reads it as binary keys)", name);
	return GS_OK;
}
