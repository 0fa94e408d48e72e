// SPDX-License-Identifier: BSD-2-Clause
/* text_decoder.c - lines become keys, whatever the chunks and the threads */
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/simd.h"
#include "tests/unit/units.h"
#include "text/text_decoder.h"

enum { MANY = 400000 };		/* lines, some 4 MB: several threads' shares */

static enum gs_simd level;	/* that lines are read with */

/* A text, and the result of decoding it. */
struct result {
	gs_status status;
	size_t    count[GS_TEXT_CLASSES], room[GS_TEXT_CLASSES];
	uint64_t *keys[GS_TEXT_CLASSES];	/* widened */
	uint64_t  small[GS_SMALL_COUNT], parts;	/* which of them are not all 0 */
	uint64_t  lines;
	uint64_t  invalid;
	char      header[64];
	size_t    header_bytes;
	char      warnings[2048];		/* warnings, a line each */
};

static struct result *spare;		/* was dropped: it is large, and new pages take time */

/* The result of nothing.  Few parts of the small values are counted, and to clear all takes long. */
static struct result *
new_result(void)
{
	struct result *result = spare != NULL ? spare : calloc(1, sizeof *result);

	spare = NULL;
	for (unsigned part = 0; part < 64; part++)
		if (result->parts >> part & 1)
			memset(result->small + part * GS_SMALL_PART, 0,
			       GS_SMALL_PART * sizeof *result->small);
	memset(result, 0, offsetof(struct result, small));
	memset(&result->parts, 0, sizeof *result - offsetof(struct result, parts));
	return result;
}

static void
hear(void *context, const char *line)
{
	struct result *result = context;

	strcat(strcat(result->warnings, line), "\n");
}

static void
fetch(struct gs_text_decoder *decoder, struct result *result)
{
	for (unsigned class = 0; class < GS_TEXT_CLASSES; class++) {
		const bool wide = class == GS_NEG_WIDE || class == GS_POS_WIDE;

		size_t room = result->count[class] + 1;

		for (unsigned s = 0; s < decoder->threads; s++)
			room += decoder->sections[s].keys.count[class];
		if (class == GS_SMALL)
			continue;
		if (room > result->room[class]) {	/* twice as many: a sanitizer copies them each time */
			result->room[class] = room * 2;
			result->keys[class] = realloc(result->keys[class], room * 2 * sizeof(uint64_t));
		}
		for (unsigned s = 0; s < decoder->threads; s++) {
			const void *keys = decoder->sections[s].keys.keys[class];

			for (size_t k = 0; k < decoder->sections[s].keys.count[class]; k++)
				result->keys[class][result->count[class]++] =
					wide ? ((const uint64_t *)keys)[k] : ((const uint32_t *)keys)[k];
		}
	}
}

/* Decode TEXT in chunks; each has its own allocation, so that a read beyond it shows. */
static struct result *
decode_as(struct gs_text_options options, const char *text, size_t bytes, size_t chunk_bytes,
          unsigned threads)
{
	struct result *result = new_result();
	const size_t decoder_bytes = gs_text_decoder_bytes(chunk_bytes, threads, &options);
	void *memory = mmap(NULL, decoder_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct gs_text_decoder *decoder;
	struct gs_text_header header = { .text = NULL };
	size_t at = 0;

	options.header = &header;
	options.warn = (struct gs_listener){ hear, result };
	gs_simd_at_most(level);
	decoder = gs_text_decoder_init(memory, chunk_bytes, threads, &options);
	gs_simd_at_most(GS_SIMD_AVX512);
	if (threads % 2 == 1)
		decoder->sections[0].keys.small = result->small;
	gs_text_begin_file(decoder, "in");
	do {
		size_t piece = bytes - at < chunk_bytes ? bytes - at : chunk_bytes;
		char *chunk = malloc(piece + (piece == 0));

		memcpy(chunk, text + at, piece);
		at += piece;
		result->status = gs_text_decode(decoder, chunk, piece, at == bytes);
		free(chunk);
		if (result->status == GS_OK)
			fetch(decoder, result);
	} while (at < bytes && result->status == GS_OK);
	result->parts = gs_text_fetch_small(decoder, result->small);
	gs_line_reject_end(&options, decoder->invalid);
	result->lines = decoder->lines;
	result->invalid = decoder->invalid;
	result->header_bytes = header.known;
	if (header.known > 0 && header.known <= sizeof result->header)
		memcpy(result->header, header.text, header.known);
	free(header.text);
	munmap(memory, decoder_bytes);
	return result;
}

static struct result *
decode(const char *text, size_t bytes, size_t chunk_bytes, unsigned threads, bool reverse)
{
	const struct gs_text_options options = { .reverse = reverse, .terminator = '\n' };

	return decode_as(options, text, bytes, chunk_bytes, threads);
}

static void
drop(struct result *result)
{
	for (unsigned class = 0; class < GS_TEXT_CLASSES; class++)
		free(result->keys[class]);
	free(spare);
	spare = result;
}

/* ---- one line ----------------------------------------------------------- */

#define TWO63 (UINT64_C(1) << 63)
#define TWO31 (UINT64_C(1) << 31)

static const struct {
	const char *says, *text;
	enum gs_text_class class;
	uint64_t key;		/* of a small one: its value */
} good[] = {
	{ "zero is small", "0\n", GS_SMALL, 0 },
	{ "minus zero is zero", "-0\n", GS_SMALL, 0 },
	{ "minus zero may be long", "-000000000000000000000000\n", GS_SMALL, 0 },
	{ "a plus is allowed", "+5\n", GS_SMALL, 5 },
	{ "leading zeros say nothing", "007\n", GS_SMALL, 7 },
	{ "more leading zeros than a number has digits", "0000000000000000000000000012\n",
	  GS_SMALL, 12 },
	{ "twenty digits may be a small number", "00000000000000000012\n", GS_SMALL, 12 },
	{ "blanks around are allowed", " \t 12 \t\n", GS_SMALL, 12 },
	{ "so is one CR", "12\r\n", GS_SMALL, 12 },
	{ "and a CR after blanks", "12 \r\n", GS_SMALL, 12 },
	{ "the last newline may be missing", "12", GS_SMALL, 12 },
	{ "the last newline may be missing after a CR", "12\r", GS_SMALL, 12 },
	{ "a small one is at most 2^16-1", "65535\n", GS_SMALL, 65535 },
	{ "then it is narrow", "65536\n", GS_POS_NARROW, 65536 },
	{ "eight digits", "12345678\n", GS_POS_NARROW, 12345678 },
	{ "nine digits", "123456789\n", GS_POS_NARROW, 123456789 },
	{ "narrow up to 2^32-1", "4294967295\n", GS_POS_NARROW, UINT32_MAX },
	{ "then it is wide", "4294967296\n", GS_POS_WIDE, UINT64_C(1) << 32 },
	{ "sixteen digits", "1234567890123456\n", GS_POS_WIDE, UINT64_C(1234567890123456) },
	{ "seventeen digits", "12345678901234567\n", GS_POS_WIDE, UINT64_C(12345678901234567) },
	{ "the greatest is 2^64-1", "18446744073709551615\n", GS_POS_WIDE, UINT64_MAX },
	{ "also with zeros before it", "000000018446744073709551615\n", GS_POS_WIDE, UINT64_MAX },
	{ "small down to -2^15", "-32768\n", GS_SMALL, (uint64_t)-32768 },
	{ "then narrow", "-32769\n", GS_NEG_NARROW, TWO31 - 32769 },
	{ "narrow down to -2^31", "-2147483648\n", GS_NEG_NARROW, 0 },
	{ "then wide", "-2147483649\n", GS_NEG_WIDE, TWO63 - TWO31 - 1 },
	{ "the least is -2^63", "-9223372036854775808\n", GS_NEG_WIDE, 0 },
};

static const struct {
	const char *says, *text, *message;
} bad[] = {
	{ "a word", "abc\n",
	  "in:1: not a number: \"abc\"; a heading needs --header, lines of words --lines" },
	{ "an empty line", "1\n\n2\n", "in:2: empty line"
	  "; --invalid=skip-blank leaves empty lines out" },
	{ "a line of blanks", "1\n2\n \t \n", "in:3: empty line"
	  "; --invalid=skip-blank leaves empty lines out" },
	{ "a line with only a CR", "\r\n", "in:1: empty line"
	  "; --invalid=skip-blank leaves empty lines out" },
	{ "two CRs", "5\r\r\n", "in:1: not a number: \"5\r\"; remove the CRs: tr -d '\\r'" },
	{ "a sign alone", "-\n",
	  "in:1: not a number: \"-\"; --invalid=ignore leaves out what is not a number" },
	{ "two signs", "--5\n", "in:1: not a number: \"--5\""
	  "; lines with numbers in them need --lines, or -V to sort by these" },
	{ "a blank after the sign", "- 5\n", "in:1: not a number: \"- 5\"; "
	  "remove the blank behind the sign: sed -E 's/([-+]) +([0-9])/\\1\\2/g'" },
	{ "two numbers", "1 2\n", "in:1: not a number: \"1 2\"; "
	  "fields? sort lines by one: gsort -k1,1n" },
	{ "a fraction", "1.5\n", "in:1: not an integer: \"1.5\"; floats need --type=float" },
	{ "a fraction without an integer", "-.5\n",
	  "in:1: not an integer: \"-.5\"; floats need --type=float" },
	{ "a point", ".\n", "in:1: not a number: \".\"; --invalid=ignore leaves out what is not a number" },
	{ "an exponent", "1e9\n", "in:1: not an integer: \"1e9\"; floats need --type=float" },
	{ "an exponent that is none", "1e\n", "in:1: not a number: \"1e\"" },
	{ "hexadecimal", "0x1F\n", "in:1: not a number: \"0x1F\"; hexadecimal numbers need --type=hex" },
	{ "grouping", "1,000\n", "in:1: not a number: \"1,000\"; "
	  "remove the commas between thousands: tr -d ," },
	{ "2^64", "18446744073709551616\n", "in:1: out of range: \"18446744073709551616\" "
	  "(gsort sorts -9223372036854775808 to 18446744073709551615; -k1,1n sorts any)" },
	{ "-2^63-1", "-9223372036854775809\n", "in:1: out of range: \"-9223372036854775809\" "
	  "(gsort sorts -9223372036854775808 to 18446744073709551615; -k1,1n sorts any)" },
	{ "a long word is cut", "12345678901234567890123456789012345678901234567890x\n",
	  "in:1: not a number: \"1234567890123456789012345678901234567890...\""
	  "; lines with numbers in them need --lines, or -V to sort by these" },
	{ "an error in a last line without newline", "1\nx", "in:2: not a number: \"x\"" },
	{ "a bad byte after eight digits", "12345678:\n", "in:1: not a number: \"12345678:\""
	  "; fields? sort lines by one: gsort -t ':' -k1,1n" },
	{ "a byte of 255 between digits", "1\xff" "2\n", "in:1: not a number: \"1\xff" "2\"; "
	  "byte 2 is not UTF-8" },
	{ "the last line is a CR", "1\n\r", "in:2: empty line"
	  "; --invalid=skip-blank leaves empty lines out" },
};

static void
check_good(void)
{
	for (size_t g = 0; g < sizeof good / sizeof good[0]; g++) {
		for (unsigned padded = 0; padded < 2; padded++) {
			/* Once as the only line, once with room behind it for the fast way. */
			char text[256];
			size_t length = strlen(good[g].text);
			bool ends = good[g].text[length - 1] == '\n', holds;
			struct result *r;
			uint64_t value = good[g].key - (uint64_t)(int64_t)GS_SMALL_LOW;

			snprintf(text, sizeof text, "%s%s", good[g].text,
			         padded && ends ? "7777\n7777\n7777\n7777\n7777\n7777\n7777\n"
			                        : "");
			r = decode(text, strlen(text), 4096, 1, false);
			holds = r->status == GS_OK;
			if (good[g].class == GS_SMALL)
				holds = holds && r->small[value] == 1;
			else
				holds = holds && r->count[good[g].class] == 1 &&
				        r->keys[good[g].class][0] == good[g].key;
			CHECK(holds && r->lines == (padded && ends ? 8 : 1), "%s", good[g].says);
			drop(r);
		}
	}
}

static void
check_bad(void)
{
	for (size_t b = 0; b < sizeof bad / sizeof bad[0]; b++) {
		for (size_t chunk = 1; chunk < 64; chunk += 9) {
			struct result *r = decode(bad[b].text, strlen(bad[b].text), chunk, 2,
			                          false);

			CHECK(r->status == GS_EINPUT && strcmp(gs_message(), bad[b].message) == 0,
			      "%s, chunks of %zu, is: %s", bad[b].says, chunk, gs_message());
			drop(r);
		}
	}
}

static void
check_nul(void)
{
	struct result *r = decode("1\0002\n", 4, 64, 1, false);

	CHECK(r->status == GS_EINPUT && strcmp(gs_message(), "in:1: not a number: \"1\\02\"; "
	                                        "lines that end in NUL need -z; UTF-16 needs iconv") == 0,
	      "a NUL between digits is not a number: %s", gs_message());
	drop(r);
}

static void
check_nothing(void)
{
	struct result *r = decode("", 0, 64, 3, false);

	CHECK(r->status == GS_OK && r->lines == 0, "an empty file has no lines");
	drop(r);
}

/* ---- long lines --------------------------------------------------------- */

static void
check_long(void)
{
	static const struct { size_t zeros; bool good; } rows[] = {
		{ 4000, true }, { 4094, true }, { 4095, false }, { 4096, false }, { 9000, false },
		{ 700000, false },
	};
	static const size_t chunks[] = { 1000, 4095, 4096, 4097, 1 << 20 };
	char *text = malloc(800000);

	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
		for (size_t c = 0; c < sizeof chunks / sizeof chunks[0]; c++)
			for (unsigned ends = 0; ends < 2; ends++) {
				size_t bytes = 2 + rows[r].zeros;
				struct result *result;
				bool holds;

				memcpy(text, "8\n", 2);
				memset(text + 2, '0', rows[r].zeros);
				text[bytes++] = '9';
				if (ends)
					text[bytes++] = '\n';
				result = decode(text, bytes, chunks[c], 3, false);
				if (rows[r].good)
					holds = result->status == GS_OK && result->lines == 2;
				else
					holds = result->status == GS_EINPUT &&
					        strcmp(gs_message(), "in:2: line longer than "
					               "4095 bytes") == 0;
				CHECK(holds, "a line of %zu bytes is %s, chunks of %zu: %s",
				      rows[r].zeros + 1, rows[r].good ? "good" : "too long",
				      chunks[c], gs_message());
				drop(result);
			}
	free(text);
}

/* ---- many lines --------------------------------------------------------- */

static uint64_t
next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* LINES random lines of all classes; their sums by class, to compare with. */
static size_t
make_text(char *text, size_t lines, size_t *counts, uint64_t *sums)
{
	uint64_t state = 88172645463325252;
	char *next = text;

	memset(counts, 0, GS_TEXT_CLASSES * sizeof *counts);
	memset(sums, 0, GS_TEXT_CLASSES * sizeof *sums);
	for (size_t l = 0; l < lines; l++) {
		uint64_t magnitude = next_random(&state) >> (next_random(&state) % 64);
		bool minus = (next_random(&state) & 1) && magnitude <= TWO63;
		unsigned class;

		if (minus)
			class = magnitude <= 32768 ? GS_SMALL
			      : magnitude <= TWO31 ? GS_NEG_NARROW : GS_NEG_WIDE;
		else
			class = magnitude <= 65535 ? GS_SMALL
			      : magnitude <= UINT32_MAX ? GS_POS_NARROW : GS_POS_WIDE;
		counts[class]++;
		sums[class] += minus ? -magnitude : magnitude;
		next += sprintf(next, "%s%" PRIu64 "\n", minus ? "-" : "", magnitude);
	}
	return (size_t)(next - text);
}

/* Do the keys found have these counts and sums? */
static bool
agrees(const struct result *r, bool reverse, const size_t *counts, const uint64_t *sums)
{
	static const uint64_t bias[GS_TEXT_CLASSES] = { TWO63, TWO31, 0, 0, 0 };
	size_t small = 0;
	uint64_t sum = 0;

	for (unsigned class = 0; class < GS_TEXT_CLASSES; class++) {
		const bool wide = class == GS_NEG_WIDE || class == GS_POS_WIDE;
		uint64_t found = 0;

		if (class == GS_SMALL)
			continue;
		for (size_t k = 0; k < r->count[class]; k++) {
			uint64_t key = r->keys[class][k];

			if (reverse)
				key = wide ? ~key : (uint32_t)~key;
			found += key - bias[class];
		}
		if (r->count[class] != counts[class] || found != sums[class])
			return false;
	}
	for (size_t v = 0; v < GS_SMALL_COUNT; v++) {
		small += r->small[v];
		sum += r->small[v] * (v + (uint64_t)(int64_t)GS_SMALL_LOW);
	}
	return small == counts[GS_SMALL] && sum == sums[GS_SMALL];
}

static void
check_many(void)
{
	static const struct { size_t lines, chunk; unsigned threads; bool reverse; } rows[] = {
		{ 2000, 1, 1, false }, { 2000, 21, 3, true }, { 5000, 100, 2, false },
		{ 20000, 4096, 1, false }, { 20000, 5000, 4, true },
		{ MANY, 1 << 16, 2, false }, { MANY, 1 << 20, 3, true },
		{ MANY, 1 << 23, 1, false }, { MANY, 1 << 23, 2, true },
		{ MANY, 1 << 23, 7, false },
	};
	char *text = malloc(MANY * GS_TEXT_LINE_BYTES + 1);
	size_t counts[GS_TEXT_CLASSES];
	uint64_t sums[GS_TEXT_CLASSES];

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		size_t bytes = make_text(text, rows[i].lines, counts, sums);
		struct result *r = decode(text, bytes, rows[i].chunk, rows[i].threads,
		                          rows[i].reverse);

		CHECK(r->status == GS_OK && r->lines == rows[i].lines &&
		      agrees(r, rows[i].reverse, counts, sums),
		      "%zu lines, chunks of %zu, %u threads: every key is there: %s",
		      rows[i].lines, rows[i].chunk, rows[i].threads, gs_message());
		drop(r);
	}
	free(text);
}

/* Lines of five bytes; those at FIRST and SECOND (from 1) are bad. */
static void
check_places(void)
{
	static const struct { size_t first, second; } rows[] = {
		{ 1, 2 }, { MANY / 3, MANY / 3 + 1 }, { 200000, MANY }, { MANY / 2, 7 * MANY / 8 },
		{ MANY - 1, MANY }, { MANY, MANY },
	};
	static const struct { size_t chunk; unsigned threads; } ways[] = {
		{ 1 << 16, 1 }, { 1 << 20, 3 }, { 1 << 22, 1 }, { 1 << 22, 2 }, { 1 << 22, 5 },
	};
	char *text = malloc(MANY * 5 + 1), expected[96];

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
			struct result *r;

			for (size_t l = 0; l < MANY; l++)
				memcpy(text + 5 * l, "1234\n", 5);
			memcpy(text + 5 * (rows[i].second - 1), "12x4\n", 5);
			memcpy(text + 5 * (rows[i].first - 1), "1x34\n", 5);
			snprintf(expected, sizeof expected, "in:%zu: not a number: \"1x34\"%s",
			         rows[i].first, rows[i].first == 1
			         ? "; lines with numbers in them need --lines, or -V to sort by these" : "");
			r = decode(text, MANY * 5, ways[w].chunk, ways[w].threads, false);
			CHECK(r->status == GS_EINPUT && strcmp(gs_message(), expected) == 0,
			      "of bad lines %zu and %zu the first is named, %u threads: %s",
			      rows[i].first, rows[i].second, ways[w].threads, gs_message());
			drop(r);
		}
	free(text);
}

/* ---- bad lines that are left out, headers, terminators -------------------- */

/* The text begins its file; counts how often somebody wants a number of a line. */
static uint64_t
count_numbers(void *numbers, const char *name, bool count)
{
	(void)name;
	*(unsigned *)numbers += count;
	return GS_TEXT_WHOLE;
}

/*
 * Lines of five bytes, every 30000th bad, the last but one very long.  Each mode
 * finds the same ones, whatever the chunks and the threads.
 */
static void
check_invalid(void)
{
	enum { LINES = 390000, BAD = 13 };
	static const struct { size_t chunk; unsigned threads; } ways[] = {
		{ 1 << 16, 1 }, { 1 << 20, 3 }, { 1 << 22, 1 }, { 1 << 22, 2 }, { 1 << 22, 5 },
		{ 5000, 2 }, { 777, 1 },
	};
	char *text = malloc(LINES * 5 + 20000), warnings[1024] = "";
	size_t bytes = LINES * 5;

	for (size_t l = 1; l <= LINES; l++)
		memcpy(text + 5 * (l - 1), l % 30000 == 0 ? "12x4\n" : "1234\n", 5);
	bytes += (size_t)sprintf(text + bytes, "%012000d\n77777\n", 7);
	for (size_t l = 30000; l <= 300000; l += 30000)
		sprintf(warnings + strlen(warnings), "in:%zu: not a number: \"12x4\", left out\n", l);
	strcat(warnings, "... and 4 more, left out\n");
	for (unsigned mode = GSORT_INVALID_FAIL; mode <= GSORT_INVALID_IGNORE; mode++)
		for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
			unsigned numbers = 0;
			const struct gs_text_options options = {
				.terminator = '\n', .invalid = (enum gsort_invalid)mode,
				.lines_before = count_numbers, .lines_context = &numbers,
			};
			struct result *r = decode_as(options, text, bytes, ways[w].chunk,
			                             ways[w].threads);

			CHECK(numbers == (mode == GSORT_INVALID_IGNORE ? 0 : GS_LINE_WARNINGS),
			      "lines are counted for warnings alone, mode %u: %u", mode, numbers);
			CHECK(r->status == GS_OK && r->invalid == BAD + 1 &&
			      r->lines == LINES - BAD + 1 && r->small[1234 + 32768] == LINES - BAD &&
			      r->count[GS_POS_NARROW] == 1 && r->keys[GS_POS_NARROW][0] == 77777,
			      "%u bad lines are left out, mode %u, chunks of %zu: %" PRIu64,
			      BAD + 1, mode, ways[w].chunk, r->invalid);
			CHECK(strcmp(r->warnings, mode == GSORT_INVALID_IGNORE ? "" : warnings) == 0,
			      "ten are reported, mode %u, chunks of %zu: %s", mode, ways[w].chunk,
			      r->warnings);
			drop(r);
		}
	free(text);
}

/* A number just below the range is left out entirely: no part of it becomes a key. */
static void
check_invalid_leaves_nothing(void)
{
	static const char text[] = "-9223372036854775809\n18446744073709551616\n-3000000000\n"
	                           "-9223372036854775809\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n";
	const struct gs_text_options options = { .terminator = '\n', .invalid = GSORT_INVALID_WARN };
	struct result *r = decode_as(options, text, sizeof text - 1, 4096, 1);

	CHECK(r->invalid == 3 && r->lines == 15 && r->count[GS_NEG_WIDE] == 1 &&
	      r->keys[GS_NEG_WIDE][0] == TWO63 - UINT64_C(3000000000) && r->count[GS_POS_WIDE] == 0,
	      "numbers out of range leave no keys");
	drop(r);
}

static void
check_header(void)
{
	static const char text[] = "name \0 of it\n\n5\n70000\nx\n";
	const struct gs_text_options two = { .terminator = '\n', .header_lines = 2 };
	const struct gs_text_options nine = { .terminator = '\n', .header_lines = 9 };

	for (size_t chunk = 1; chunk < 40; chunk++) {
		struct result *r = decode_as(two, text, sizeof text - 3, chunk, 2);

		CHECK(r->status == GS_OK && r->lines == 2 && r->header_bytes == 14 &&
		      memcmp(r->header, text, 14) == 0 && r->keys[GS_POS_NARROW][0] == 70000,
		      "two lines are a header, chunks of %zu", chunk);
		drop(r);
		r = decode_as(two, text, sizeof text - 1, chunk, 2);
		CHECK(r->status == GS_EINPUT && strcmp(gs_message(), "in:5: not a number: \"x\"") == 0,
		      "the header's lines count: %s", gs_message());
		drop(r);
		r = decode_as(nine, text, sizeof text - 2, chunk, 2);
		CHECK(r->status == GS_OK && r->lines == 0 && r->header_bytes == sizeof text - 1 &&
		      memcmp(r->header, text, sizeof text - 1) == 0,
		      "a header may be all there is, and its end is supplied, chunks of %zu", chunk);
		drop(r);
	}
}

static void
check_second_file(void)
{
	struct gs_text_header header = { .text = NULL };
	const struct gs_text_options options = {
		.terminator = '\n', .header_lines = 1, .header = &header,
	};
	void *memory = aligned_alloc(4096, gs_text_decoder_bytes(100, 1, &options));
	struct gs_text_decoder *decoder;

	memset(memory, 0, gs_text_decoder_bytes(100, 1, &options));
	decoder = gs_text_decoder_init(memory, 100, 1, &options);
	gs_text_begin_file(decoder, "empty");
	CHECK(gs_text_decode(decoder, "", 0, true) == GS_OK && header.known == 0, "a file without lines");
	gs_text_begin_file(decoder, "a");
	CHECK(gs_text_decode(decoder, "a\n1\n2", 5, true) == GS_OK, "a file");
	gs_text_begin_file(decoder, "b");
	CHECK(gs_text_decode(decoder, "a\n3\n4\n", 6, true) == GS_OK && decoder->lines == 4,
	      "each file has a header");
	CHECK(header.known == 2 && memcmp(header.text, "a\n", 2) == 0, "the first is kept");
	gs_text_begin_file(decoder, "c");
	CHECK(gs_text_decode(decoder, "a\n5\ny\n", 6, true) == GS_EINPUT &&
	      strcmp(gs_message(), "c:3: not a number: \"y\"") == 0,
	      "lines are counted anew in each: %s", gs_message());
	free(header.text);
	free(memory);
}

static void
check_zero_terminated(void)
{
	static const char text[] = "5\0" "\n70000\n\0" "-12\0" "+000000000000000000000000000000001";
	const struct gs_text_options options = { .terminator = '\0' };

	for (size_t chunk = 1; chunk < 60; chunk += 7) {
		struct result *r = decode_as(options, text, sizeof text - 1, chunk, 2);

		CHECK(r->status == GS_OK && r->lines == 4 && r->small[32773] == 1 &&
		      r->small[32756] == 1 && r->small[32769] == 1 &&
		      r->keys[GS_POS_NARROW][0] == 70000,
		      "NUL ends lines, a newline is a blank, chunks of %zu: %s", chunk, gs_message());
		drop(r);
	}
}

/* ---- floats --------------------------------------------------------------- */

static void
check_floats(void)
{
	enum { FLOATS = 300000 };
	static const struct { size_t chunk; unsigned threads; bool reverse; } ways[] = {
		{ 1 << 16, 1, false }, { 1 << 20, 3, true }, { 1 << 22, 2, false }, { 99, 1, true },
	};
	char *text = malloc(FLOATS * 12), *next = text;

	/* Halves, up and down: 0.0, 0.5, -1.0, 1.5 ... */
	for (int f = 0; f < FLOATS; f++)
		next += sprintf(next, "%.1f\n", f % 3 == 2 ? -f * .5 : f * .5);
	for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
		const struct gs_text_options options = {
			.floats = true, .reverse = ways[w].reverse, .terminator = '\n',
		};
		struct result *r = decode_as(options, text, (size_t)(next - text), ways[w].chunk,
		                             ways[w].threads);
		size_t right = 0;

		for (size_t f = 0; f < r->count[GS_FLOATS]; f++) {
			const double value = f % 3 == 2 ? -(double)f * .5 : (double)f * .5;
			uint64_t bits;

			memcpy(&bits, &value, sizeof bits);
			bits = (value < 0 ? ~bits : bits | TWO63) - UINT64_C(0x000fffffffffffff);
			right += r->keys[GS_FLOATS][f] == (ways[w].reverse ? ~bits : bits);
		}
		CHECK(r->status == GS_OK && r->lines == FLOATS && right == FLOATS,
		      "%zu floats of %d, in order, chunks of %zu, %u threads", right, FLOATS,
		      ways[w].chunk, ways[w].threads);
		drop(r);
	}
	free(text);
}

/* One warning in all, for the first of them, wherever it is. */
static void
check_beyond(void)
{
	enum { LINES = 200000 };
	const struct gs_text_options options = { .floats = true, .terminator = '\n' };
	char *text = malloc(LINES * 6);

	for (size_t l = 0; l < LINES; l++)
		memcpy(text + 6 * l, l % 50000 == 49999 ? "1e999\n" : "12.50\n", 6);
	for (unsigned threads = 1; threads < 6; threads += 2)
		for (size_t chunk = 1000; chunk < 2 << 20; chunk *= 30) {
			struct result *r = decode_as(options, text, LINES * 6 - 1, chunk, threads);

			CHECK(r->status == GS_OK && r->lines == LINES && strcmp(r->warnings,
			      "in:50000: \"1e999\" is beyond the range of f64 and becomes infinite; of "
			      "such numbers only the first is named\n") == 0,
			      "too large is reported once, chunks of %zu: %s", chunk, r->warnings);
			drop(r);
		}
	free(text);
}

/* ---- all kinds of vectors -------------------------------------------------- */

/* Do LEVEL and the portable way give the same for TEXT? Keys may be in another order. */
static bool
same(struct gs_text_options options, const char *text, size_t bytes, size_t chunk_bytes,
     unsigned threads)
{
	const enum gs_simd tried = level;
	struct result *ours = decode_as(options, text, bytes, chunk_bytes, threads), *plain;
	char message[256];
	bool holds = true;

	snprintf(message, sizeof message, "%s", ours->status != GS_OK ? gs_message() : "");
	level = GS_SIMD_NONE;
	plain = decode_as(options, text, bytes, chunk_bytes, threads);
	level = tried;
	if (plain->status != GS_OK)
		holds = ours->status == plain->status && strcmp(message, gs_message()) == 0;
	else
		for (unsigned class = 0; class < GS_TEXT_CLASSES; class++) {
			holds = holds && ours->count[class] == plain->count[class];
			if (!holds || class == GS_SMALL)
				continue;
			units_sort(ours->keys[class], ours->count[class]);
			units_sort(plain->keys[class], plain->count[class]);
			holds = memcmp(ours->keys[class], plain->keys[class],
			               ours->count[class] * 8) == 0;
		}
	holds = holds && ours->status == plain->status && ours->lines == plain->lines &&
	        ours->invalid == plain->invalid && strcmp(ours->warnings, plain->warnings) == 0 &&
	        (plain->status != GS_OK ||
	         memcmp(ours->small, plain->small, sizeof plain->small) == 0);
	drop(ours);
	drop(plain);
	return holds;
}

/* Lines of one length after one of another, so that they end at any place of a block; and
 * the text ends where any of them does, with and without a terminator. */
static void
check_lengths(void)
{
	enum { LINES = 40 };
	const struct gs_text_options options = { .terminator = '\n' };
	char text[64 + LINES * 32];

	for (unsigned length = 1; length <= 25; length++)
		for (unsigned pad = 0; pad < 64; pad += length % 5 + 3) {
			size_t bytes = (size_t)sprintf(text, "%0*d\n", (int)pad + 1, 0);
			unsigned wrong = 0;

			for (unsigned l = 0; l < LINES; l++) {
				for (unsigned d = 0; d < length; d++)
					text[bytes++] = (char)(length - d > 18 ? '0' :
					                '0' + units_mix(l * 32 + d) % 10);
				if (length > 1 && l % 7 == pad % 11)
					text[bytes - length] = '-';
				text[bytes++] = '\n';
				wrong += l % 16 == pad % 16 && !same(options, text, bytes, 4096, 1);
			}
			wrong += !same(options, text, bytes - 1, 4096, 1);
			wrong += !same(options, text, bytes, 100 + pad, 1);
			wrong += !same(options, text, bytes, pad + 1, 1);
			CHECK(wrong == 0, "lines of %u after one of %u: %s reads them so, too", length,
			      pad + 1, gs_simd_name(level));
		}
}

/* A line: most are numbers of any length, with a sign if SIGNED_ONES; ODD of 100 are others. */
static char *
make_line(char *next, uint64_t random, bool signed_ones, unsigned odd)
{
	static const char *const others[] = {
		"-0", "+5", " 7", "7 ", "\t-70000 ", "", "-", "--1", "1-", "-1-", "\r", "12\r", "-12\r",
		"12\r\r", "18446744073709551615", "18446744073709551616", "18446744073709551615\r",
		"99999999999999999999", "-9223372036854775808", "-9223372036854775809",
		"-9223372036854775808\r", "-18446744073709551615", "-00000000000000000000",
		"0000000000000000000000000001", "000000000000000000018446744073709551615",
		"1234567890123456", "12345678901234567", "-123456789012345", "-1234567890123456",
		"-12345678901234567", "1\x80", "\xb0", "\xff", "1/2", "1:2", "1234567/", ":234567890123",
		"12345678901234567890123456789012345678901234567890", "4294967295", "4294967296",
		"65535", "65536", "-32768", "-32769", "-2147483648", "-2147483649", "1 2", "x",
		"1000000000000000", "10000000000000000", "100000000000000000", "99999999",
	};
	const uint64_t draw = units_mix(random);

	if (draw % 100 < odd)
		return stpcpy(next, others[draw / 100 % (sizeof others / sizeof others[0])]);
	random = units_mix(draw) >> draw / 128 % 64;
	return next + (signed_ones && random <= TWO63 && draw / 8192 % 2 == 1 ?
	               sprintf(next, "-%" PRIu64, random) : sprintf(next, "%" PRIu64, random));
}

static void
check_same(void)
{
	enum { LINES = 20000, TEXTS = 24 };
	static const size_t chunks[] = { 777, 4096, 20000, 1 << 19, 1 << 20 };
	static const unsigned odds[] = { 0, 1, 20 };
	char *text = malloc(LINES * 64);

	for (unsigned t = 0; t < TEXTS; t++) {
		const char *ends = t % 4 == 1 ? "\r\n" : "\n";
		const struct gs_text_options options = {
			.terminator = t % 4 == 2 ? '\0' : '\n', .reverse = t % 5 == 3,
			.invalid = t % 8 == 7 ? GSORT_INVALID_ABORT : GSORT_INVALID_WARN,
		};
		char *next = text;

		for (unsigned l = 0; l < LINES; l++) {
			next = make_line(next, (uint64_t)t << 32 | l, t % 2 == 1, odds[t % 3]);
			if (options.terminator == '\0')
				*next++ = '\0';
			else
				next = stpcpy(next, ends);
		}
		for (unsigned c = 0; c < sizeof chunks / sizeof chunks[0]; c++)
			CHECK(same(options, text, (size_t)(next - text), chunks[c], c % 3 + 1),
			      "text %u, chunks of %zu: %s makes the same of it", t, chunks[c],
			      gs_simd_name(level));
	}
	free(text);
}

/* A file of exact lines but for ODD, four bytes that may be more lines, in chunk number AT of 20 bytes. */
static void
check_exact(const char *odd, bool exact, unsigned at)
{
	enum { CHUNK = 20, CHUNKS = 6 };
	const struct gs_text_options options = { .terminator = '\n', .exact = true };
	const bool stops = !exact && at < CHUNKS;
	void *memory = aligned_alloc(4096, gs_text_decoder_bytes(CHUNK, 2, &options));
	struct gs_text_decoder *decoder;
	char text[CHUNKS * CHUNK + 1];
	unsigned chunk = 0;

	for (unsigned line = 0; line < CHUNKS * CHUNK / 5; line++)
		sprintf(text + 5 * line, line % 3 == 0 ? "-123\n" : "1234\n");
	if (at < CHUNKS)
		memcpy(text + at * CHUNK + CHUNK / 2, odd, 4);
	memset(memory, 0, gs_text_decoder_bytes(CHUNK, 2, &options));
	gs_simd_at_most(level);
	decoder = gs_text_decoder_init(memory, CHUNK, 2, &options);
	gs_simd_at_most(GS_SIMD_AVX512);
	gs_text_begin_file(decoder, "a");
	for (; chunk < CHUNKS && !decoder->stopped; chunk++)
		CHECK(gs_text_decode(decoder, text + chunk * CHUNK, CHUNK, chunk == CHUNKS - 1) == GS_OK,
		      "chunk %u of a file with '%.4s' in %u", chunk, odd, at);
	CHECK(decoder->stopped == stops && chunk == (stops ? at + 1 : CHUNKS),
	      "'%.4s' in chunk %u: it stops%s in chunk %u", odd, at, decoder->stopped ? "" : " not", chunk);
	free(memory);
}

static void
check_all_exact(void)
{
	static const struct { const char *odd; bool exact; } rows[] = {
		{ "0123", false }, { "-012", false }, { "123\r", false }, { "1\r\n2", false },
		{ "-0\n5", false },
		{ "12\n-", false }, { "00\n1", false }, { "+123", false }, { "1.50", false },
		{ " 123", false },
		{ "0\n12", true }, { "-9\n0", true }, { "1000", true }, { "-100", true },
	};

	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
		for (unsigned at = 0; at <= 6; at++)
			check_exact(rows[r].odd, rows[r].exact, at);
}

/* Read the header of the file "b" in chunks; *REST is set to what follows it. */
static gs_status
read_header(const struct gs_text_options *options, const char *text, size_t bytes, size_t chunk,
            const char **rest)
{
	uint64_t left = options->header_lines;
	gs_status status = GS_OK;
	size_t at = 0, to;

	do {
		to = bytes - at < chunk ? bytes : at + chunk;
		status = gs_line_header(options, "b", text + at, text + to, to == bytes, &left, rest);
		at = to;
	} while (status == GS_OK && left > 0 && at < bytes);
	return status;
}

/* The first header is kept, and compared with the headers of other files, whatever the chunk. */
static void
check_headers(void)
{
	static const struct {
		unsigned    lines;
		const char *files[3];
		const char *kept, *rest;	/* of the last file */
		const char *differ[2];		/* its header, and the first one */
	} rows[] = {
		{ 1, { "a\n1\n", "a\n2\n" }, "a\n", "2\n", { NULL } },
		{ 1, { "a\r\n1\n", "a\n2\n" }, "a\r\n", "2\n", { NULL } },
		{ 1, { "a\n", "a\r\n\n" }, "a\n", "\n", { NULL } },
		{ 1, { "a\n", "a" }, "a\n", "", { NULL } },
		{ 1, { "a", "a\n5" }, "a\n", "5", { NULL } },
		{ 1, { "", "a\n1\n", "a\n7" }, "a\n", "7", { NULL } },
		{ 1, { "a\n", "", "a\n7" }, "a\n", "7", { NULL } },
		{ 1, { "\n", "\n1" }, "\n", "1", { NULL } },
		{ 1, { "\xef\xbb\xbf" "a\n", "a\n8" }, "\xef\xbb\xbf" "a\n", "8", { NULL } },
		{ 1, { "a\n", "\xef\xbb\xbf" "a\n8" }, "a\n", "8", { NULL } },
		{ 2, { "a\nb\n1\n", "a\nb\n2" }, "a\nb\n", "2", { NULL } },
		{ 2, { "a\n", "a\n" }, "a\n", "", { NULL } },
		{ 1, { "a\n", "b\n" }, "a\n", "", { "b", "a" } },
		{ 1, { "a\n", "ab\n" }, "a\n", "", { "ab", "a" } },
		{ 1, { "ab\n", "a\n" }, "ab\n", "", { "a", "ab" } },
		{ 1, { "ab\n", "ac\n" }, "ab\n", "", { "ac", "ab" } },
		{ 1, { "a\n", "\n" }, "a\n", "", { "", "a" } },
		{ 1, { "\xef\xbb\xbf" "ab\n", "ac\n" }, "\xef\xbb\xbf" "ab\n", "", { "ac", "ab" } },
		{ 1, { "ab\n", "\xef\xbb\xbf" "ac\n" }, "ab\n", "", { "ac", "ab" } },
		{ 2, { "a\nb\n", "a\nc\n" }, "a\nb\n", "", { "c", "b" } },
		{ 2, { "a\nb\n", "a\n" }, "a\nb\n", "", { "", "b" } },
		{ 2, { "a\n", "a\nb\n" }, "a\n", "", { "b", "" } },
		{ 1, { "a\n", "a\n", "b\n" }, "a\n", "", { "b", "a" } },
	};
	char *longest = malloc(GS_HEADER_BYTES + 1), message[200];

	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
		for (size_t chunk = 1; chunk < 10; chunk++) {
			struct gs_text_header header = { .bytes = 0 };
			const struct gs_text_options options = {
				.terminator = '\n', .header = &header, .header_lines = rows[r].lines,
			};
			gs_status status = GS_OK;
			const char *rest = "";

			for (size_t f = 0; f < 3 && rows[r].files[f] != NULL && status == GS_OK; f++)
				status = read_header(&options, rows[r].files[f], strlen(rows[r].files[f]),
				                     chunk, &rest);
			CHECK(header.known == strlen(rows[r].kept) &&
			      memcmp(header.text, rows[r].kept, header.known) == 0, "row %zu: it is kept", r);
			sprintf(message, "b: its header is \"%s\", and that of the first input \"%s\";",
			        rows[r].differ[0] != NULL ? rows[r].differ[0] : "",
			        rows[r].differ[0] != NULL ? rows[r].differ[1] : "");
			if (rows[r].differ[0] == NULL)
				CHECK(status == GS_OK && rest[0] == rows[r].rest[0] &&
				      header.bytes == header.known,
				      "row %zu, chunks of %zu: '%s' follows", r, chunk, rest);
			else
				CHECK(status == GS_EINPUT &&
				      strncmp(gs_message(), message, strlen(message)) == 0,
				      "row %zu, chunks of %zu: %s", r, chunk, gs_message());
			free(header.text);
		}
	memset(longest, 'x', GS_HEADER_BYTES + 1);
	for (unsigned file = 1; file <= 2; file++)
		for (size_t bytes = GS_HEADER_BYTES - 1; bytes <= GS_HEADER_BYTES + 1; bytes++)
			for (unsigned chunks = 1; chunks <= 2; chunks++) {
				struct gs_text_header header = { .bytes = 0 };
				const struct gs_text_options options = {
					.terminator = '\n', .header = &header, .header_lines = file,
				};
				const char *rest;
				gs_status status = GS_OK;

				if (file == 2)
					status = read_header(&options, "y\n", 2, 2, &rest);
				CHECK(status == GS_OK, "a short header");
				status = read_header(&options, longest, bytes, bytes / chunks, &rest);
				sprintf(message, "b: the header of %u line%s is longer than %d bytes", file,
				        file == 1 ? "" : "s", GS_HEADER_BYTES);
				if (bytes > GS_HEADER_BYTES)
					CHECK(status == GS_EINPUT && strcmp(gs_message(), message) == 0,
					      "%zu bytes in file %u: %s", bytes, file, gs_message());
				else if (file == 1)
					CHECK(status == GS_OK && header.known == bytes + 1, "%zu bytes",
					      bytes);
				else
					CHECK(status == GS_EINPUT &&
					      strstr(gs_message(), "its header is") != NULL,
					      "%zu bytes are compared", bytes);
				free(header.text);
			}
	free(longest);
}

/* A float is exact if gsort prints it unchanged: the fewest digits that have the value. */
static void
check_exact_floats(void)
{
	static const struct { const char *line; bool exact; } rows[] = {
		{ "1.5", true }, { "-1.5", true }, { "0", true }, { "0.5", true }, { "-0.25", true },
		{ "10.01", true }, { "0.0001", true }, { "0.00012", true }, { "1.00001", true },
		{ "123456.789012345", true }, { "0.12345678901234", true }, { "0.00012345678901", true },
		{ "-123456.789012345", true }, { "9007199254740992", true }, { "8.000000000000002", true },
		{ "8.0000000000000018", false }, { "inf", false }, { "-inf", false }, { "1e+20", true },
		{ "1e-05", true }, { "-0", false }, { "00", false }, { "01.5", false }, { "1.", false },
		{ "1.0", false }, { "1.50", false }, { ".5", false }, { "-.5", false }, { "+1", false },
		{ "+1.5", false }, { "1e3", false }, { "1E+20", false }, { "0.00001", false },
		{ "0.00001234", false }, { "8.000000000000001", false }, { "9007199254740993", false },
		{ "90071992547409930", false }, { "1.5 ", false }, { " 1.5", false }, { "1.5x", false },
		{ "0x1", false }, { "1.2.3", false }, { "1-2", false }, { "-", false }, { ".", false },
		{ "", false }, { "Inf", false }, { "infinity", false }, { "1e400", false },
		{ "1e-400", false },
	};
	const struct gs_text_options options = { .terminator = '\n', .exact = true, .floats = true };
	char text[64];

	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		const int bytes = sprintf(text, "2\n%s\n", rows[r].line);
		void *memory = calloc(1, gs_text_decoder_bytes(sizeof text, 1, &options));
		struct gs_text_decoder *decoder = gs_text_decoder_init(memory, sizeof text, 1, &options);

		gs_text_begin_file(decoder, "a");
		CHECK(gs_text_decode(decoder, text, (size_t)bytes, true) == GS_OK &&
		      decoder->stopped == !rows[r].exact, "'%s' is%s exact", rows[r].line,
		      rows[r].exact ? "" : " not");
		free(memory);
	}
}

/* In order: keys, classes and lines of all lengths and signs, whatever the chunk; and where it stops. */
static void
check_in_order(bool reverse, size_t chunk)
{
	enum { LINES = 500 };
	static char text[LINES * 24 + 8];
	const struct gs_text_options options = { .reverse = reverse, .terminator = '\n', .in_order = true };
	char *memory = calloc(1, gs_text_decoder_bytes(sizeof text, 1, &options));
	uint64_t state = 1 + chunk, value[LINES];
	size_t bytes = 0, found = 0, used;
	struct gs_text_decoder *decoder;
	gs_status status = GS_OK;
	bool minus[LINES];

	for (size_t i = 0; i < LINES; i++) {
		state = state * 6364136223846793005 + 1442695040888963407;
		value[i] = state >> (i < LINES / 2 ? 50 : state >> 3 & 63);
		minus[i] = i < LINES / 2 ? i % 100 < 50 : state & 1;
		value[i] >>= minus[i];
		bytes += (size_t)sprintf(text + bytes, "%s%" PRIu64 "\n", minus[i] ? "-" : "", value[i]);
	}
	bytes += (size_t)sprintf(text + bytes, "x\n7\n");
	gs_simd_at_most(level);
	decoder = gs_text_decoder_init(memory, sizeof text, 1, &options);
	gs_simd_at_most(GS_SIMD_AVX512);
	gs_text_begin_file(decoder, "in");
	for (size_t at = 0; status == GS_OK && at < bytes; at += used) {
		const char *end = memrchr(text + at, '\n', bytes - at < chunk ? bytes - at : chunk);
		const char *line, *stop;
		const struct gs_text_keys *made = &decoder->sections[0].keys;
		const uint64_t *keys = made->keys[0];
		size_t count;

		used = (size_t)(end + 1 - (text + at));
		status = gs_text_decode(decoder, text + at, used, at + used == bytes);
		count = made->count[0];
		for (size_t k = 0; k < count && found + k < LINES; k++) {
			const bool less = minus[found + k] && value[found + k] > 0;	/* -0 is 0 */
			const uint64_t bits = less ? -value[found + k] : value[found + k];
			const uint64_t key = bits + ((uint64_t)less << 63);

			CHECK(keys[k] == (reverse ? ~key : key) &&
			      made->classes[k] == (less == reverse ? 4 : 0), "line %zu", found + k + 1);
		}
		found += count;
		if (count > 0)
			CHECK(gs_text_line_of(decoder, count - 1, &line, &stop) == found && *stop == '\n' &&
			      strtoull(line + minus[found - 1], NULL, 10) == value[found - 1],
			      "the last line of a chunk is number %zu", found);
	}
	CHECK(status == GS_EINPUT && found == LINES &&
	      strcmp(decoder->sections[0].bad[0].line, "x\n7\n") == 0 &&
	      strcmp(gs_message(), "in:501: not a number: \"x\"") == 0, "%zu lines come before it: %s", found,
	      gs_message());
	free(memory);
}

static void
check_level(void)
{
	for (size_t chunk = 64; chunk < 10000; chunk = chunk * 3 + 1) {
		check_in_order(false, chunk);
		check_in_order(true, chunk);
	}
	check_all_exact();
	check_exact_floats();
	check_good();
	check_bad();
	check_nul();
	check_nothing();
	check_long();
	check_many();
	check_places();
	check_invalid();
	check_invalid_leaves_nothing();
	check_header();
	check_second_file();
	check_zero_terminated();
	check_floats();
	check_beyond();
	if (level != GS_SIMD_NONE) {
		check_lengths();
		check_same();
	}
}

void unit_text_decoder(void);

void
unit_text_decoder(void)
{
	check_headers();
	for (level = GS_SIMD_NONE; level <= gs_simd_best(); level++)
		check_level();
}
