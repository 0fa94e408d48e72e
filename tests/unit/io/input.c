// SPDX-License-Identifier: BSD-2-Clause
/* input.c - rows for src/io/input.c: files of every kind, and files that change meanwhile */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define ZLIB_CONST
#include <zlib.h>

#include "io/files.h"
#include "io/input.h"
#include "tests/unit/units.h"

enum { LARGE_BYTES = 9 << 20 };		/* enough for a parallel read */

static char folder[64];

static const char *const standard_input = "-", *const caller_input = "input";

static const char *
path(const char *name)
{
	return units_path(folder, name);
}

static char
byte_at(size_t at)
{
	return (char)(at * 2654435761u >> 13);
}

static void
write_file(const char *name, size_t bytes)
{
	FILE *file = fopen(path(name), "w");

	for (size_t b = 0; b < bytes; b++)
		putc_unlocked(byte_at(b), file);
	fclose(file);
}

static bool
is_content(const char *data, size_t bytes)
{
	for (size_t b = 0; b < bytes; b++)
		if (data[b] != byte_at(b))
			return false;
	return true;
}

static struct gs_input *
open_binary(const char *name, unsigned threads)
{
	const char *names[] = { name };
	const struct gs_input_options options = {
		.names = names, .count = 1, .unit = 4, .threads = threads,
	};
	struct gs_input *input;

	return gs_input_open(&input, &options) == GS_OK ? input : NULL;
}

static void
check_sizes(void)
{
	static const size_t sizes[] = {
		0, 1, 4095, (4 << 20) - 1, 4 << 20, (4 << 20) + 1, LARGE_BYTES,
	};
	char *data = malloc(LARGE_BYTES + 1);

	for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
		for (unsigned threads = 1; threads < 4; threads++) {
			const char *name = path("sized");
			struct gs_input *input;
			size_t got, more;

			write_file("sized", sizes[s]);
			input = open_binary(name, threads);
			CHECK(gs_files_bytes(gs_input_files(input), false) == sizes[s] &&
			      gs_input_next(input) &&
			      gs_input_read(input, data, LARGE_BYTES + 1, &got) == GS_OK &&
			      got == sizes[s] && is_content(data, got) &&
			      gs_input_read(input, data, 1, &more) == GS_OK && more == 0 &&
			      !gs_input_next(input) && !gs_input_next(input),
			      "%zu bytes are read by %u threads, and then no more", sizes[s],
			      threads);
			gs_input_close(input);
		}
	free(data);
}

/* A team reads no more than is wanted, even if the file has more. */
static void
check_part(size_t more)
{
	const size_t bytes = 2 * GS_TEAM_BYTES + more;
	const char *name = path("sized");
	struct gs_input *input;
	char *data = malloc(bytes + GS_TEAM_BYTES);
	size_t got, behind = 0, wrong = 0;

	memset(data, '?', bytes + GS_TEAM_BYTES);
	write_file("sized", bytes + 3 * GS_TEAM_BYTES);
	input = open_binary(name, 3);
	CHECK(gs_input_next(input) && gs_input_read(input, data, bytes, &got) == GS_OK && got == bytes &&
	      is_content(data, bytes), "a team reads %zu bytes", got);
	while (behind < GS_TEAM_BYTES && data[bytes + behind] == '?')
		behind++;
	CHECK(behind == GS_TEAM_BYTES, "and none behind them");
	CHECK(gs_input_read(input, data, 2 * GS_TEAM_BYTES, &got) == GS_OK && got == 2 * GS_TEAM_BYTES,
	      "and then more: %zu bytes", got);
	for (size_t b = 0; b < got; b++)
		wrong += data[b] != byte_at(bytes + b);
	CHECK(wrong == 0, "%zu bytes are wrong", wrong);
	gs_input_close(input);
	free(data);
}

/* A team reads a part of a file. */
static void
check_range(void)
{
	enum { FROM = 7, BYTES = 2 * GS_TEAM_BYTES + 5 };
	const char *name = path("sized");
	const struct gs_range range = { FROM, FROM + BYTES };
	const struct gs_input_options options = {
		.names = &name, .count = 1, .unit = 1, .threads = 3, .ranges = &range,
	};
	char *data = malloc(3 * GS_TEAM_BYTES);
	struct gs_input *input;
	size_t got, right = 0;

	write_file("sized", 3 * GS_TEAM_BYTES);
	CHECK(gs_input_open(&input, &options) == GS_OK && gs_input_next(input) &&
	      gs_input_read(input, data, 3 * GS_TEAM_BYTES, &got) == GS_OK && got == BYTES, "a part is read");
	while (right < BYTES && data[right] == byte_at(FROM + right))
		right++;
	CHECK(right == BYTES, "and byte %zu is right", right);
	gs_input_close(input);
	free(data);
}

/* A file that has another size than when it was opened. */
static void
check_changes(void)
{
	static const struct { const char *says; size_t before, after; } rows[] = {
		{ "a file that grew is read to its new end", 5 << 20, LARGE_BYTES },
		{ "a file that shrank is read to its new end", LARGE_BYTES, 5000001 },
		{ "a file that shrank to nothing is empty", LARGE_BYTES, 0 },
		{ "a file that shrank to less than a piece is read to its new end", LARGE_BYTES, 1000 },
		{ "a small file that grew is read to its new end", 10, LARGE_BYTES },
	};
	char *data = malloc(LARGE_BYTES + 1);

	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		const char *name = path("changes");
		struct gs_input *input;
		size_t got;

		write_file("changes", rows[r].before);
		input = open_binary(name, 3);
		write_file("changes", rows[r].after);
		CHECK(gs_input_next(input) &&
		      gs_input_read(input, data, LARGE_BYTES + 1, &got) == GS_OK &&
		      got == rows[r].after && is_content(data, got), "%s", rows[r].says);
		gs_input_close(input);
	}
	free(data);
}

/* Claim all of the current file in pieces, then read them, the last one first. */
static size_t
read_claimed(struct gs_input *input, char *data, size_t piece_bytes, uint64_t offset,
             size_t *whole)
{
	struct gs_input_piece pieces[64];
	size_t count = 0, all = 0, got = 0;
	bool holds = true;

	do {
		gs_input_claim(input, piece_bytes, &pieces[count]);
		holds = holds && pieces[count].offset == offset + all;
		all += pieces[count].bytes;
	} while (pieces[count++].bytes > 0 && count < 64);
	*whole = all;
	while (count-- > 0) {
		holds = holds && gs_input_read_piece(input, &pieces[count],
		                                     data + pieces[count].offset, &got) == GS_OK;
		if (got < pieces[count].bytes)
			*whole = pieces[count].offset - offset + got;
	}
	return holds ? all : SIZE_MAX;
}

static void
check_claims(void)
{
	static const struct { size_t before, after, head, piece_bytes; const char *says; } rows[] = {
		{ 1000, 1000, 0, 100, "a file is claimed" },
		{ 1001, 1001, 0, 100, "the last piece is shorter" },
		{ 1000, 1000, 7, 64, "what was read before is not claimed" },
		{ 1000, 1000, 0, 5000, "one piece may be all" },
		{ 0, 0, 0, 100, "an empty file has no pieces" },
		{ 1000, 3000, 0, 100, "a file that grew is claimed to its old end" },
		{ 3000, 1000, 0, 100, "a file that shrank has short pieces" },
		{ 3000, 0, 0, 100, "a file that shrank to nothing has empty pieces" },
	};
	char data[4096];

	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		const char *name = path("changes");
		struct gs_input *input;
		size_t got = 0, all, whole, more = 0;
		bool yes;

		write_file("changes", rows[r].before);
		input = open_binary(name, 3);
		write_file("changes", rows[r].after);
		memset(data, 0, sizeof data);
		CHECK(gs_input_next(input) &&
		      gs_input_read(input, data, rows[r].head, &got) == GS_OK && got == rows[r].head &&
		      gs_input_claims(input, &yes) == GS_OK && yes, "%s: it can be", rows[r].says);
		all = read_claimed(input, data, rows[r].piece_bytes, got, &whole);
		CHECK(all == rows[r].before - got && got + whole ==
		      (rows[r].after < rows[r].before ? rows[r].after : rows[r].before) &&
		      gs_input_read(input, data + got + all, sizeof data - got - all, &more) == GS_OK &&
		      got + whole + more == rows[r].after && is_content(data, rows[r].after),
		      "%s: %zu in pieces, %zu behind them", rows[r].says, whole, more);
		gs_input_close(input);
	}
}

/* What a file has grown by is not claimed, even if some of it has been read. */
static void
check_claims_grown(void)
{
	const char *name = path("changes");
	struct gs_input_piece piece;
	struct gs_input *input;
	char data[2000];
	size_t got;
	bool yes;

	write_file("changes", 1000);
	input = open_binary(name, 1);
	write_file("changes", 3000);
	CHECK(gs_input_next(input) && gs_input_read(input, data, 2000, &got) == GS_OK && got == 2000 &&
	      gs_input_claims(input, &yes) == GS_OK, "more is read than there was");
	gs_input_claim(input, 100, &piece);
	CHECK(piece.bytes == 0, "and none of the rest is claimed: %zu bytes", piece.bytes);
	gs_input_close(input);
}

/* Pieces of a file that the input has left, and what cannot be claimed. */
static void
check_claims_left(void)
{
	const char *names[] = { path("eight"), path("pipe") };
	static atomic_bool interrupted;
	/* with a known format, gsort does not look at the pipe, which is empty */
	const struct gs_input_options options = {
		.names = names, .count = 2, .unit = 4, .decompress = GSORT_DECOMPRESS_NONE,
		.interrupted = &interrupted,
	};
	struct gs_input_piece pieces[2];
	char data[8];
	struct gs_input *input;
	int free_fd = dup(0), next_fd;
	size_t got;
	bool yes;

	close(free_fd);
	write_file("eight", 8);
	mkfifo(names[1], 0600);
	CHECK(gs_input_open(&input, &options) == GS_OK && gs_input_next(input) &&
	      gs_input_claims(input, &yes) == GS_OK && yes, "a file can be claimed");
	gs_input_glance(input, 0, 8, data, &got);
	CHECK(got == 8 && is_content(data, 8), "and looked at");
	atomic_store(&interrupted, true);
	gs_input_glance(input, 0, 8, data, &got);
	CHECK(got == 0, "unless the job is interrupted");
	pieces[0] = (struct gs_input_piece){ .bytes = 0 };
	CHECK(gs_input_read(input, data, 4, &got) == GS_EINTERRUPTED && got == 0 &&
	      gs_input_read_piece(input, &pieces[0], data, &got) == GS_EINTERRUPTED && got == 0 &&
	      gs_input_advance(input, 0) == GS_EINTERRUPTED, "and then no other call reads");
	atomic_store(&interrupted, false);
	for (unsigned p = 0; p < 2; p++)
		gs_input_claim(input, 4, &pieces[p]);
	CHECK(gs_input_next(input) && gs_input_claims(input, &yes) == GS_OK && !yes,
	      "a pipe behind it cannot, and nobody waits for its writer");
	CHECK(gs_input_read_piece(input, &pieces[1], data + 4, &got) == GS_OK && got == 4 &&
	      gs_input_read_piece(input, &pieces[0], data, &got) == GS_OK && got == 4 && is_content(data, 8),
	      "pieces of a file that was left can be read");
	next_fd = dup(0);
	close(next_fd);
	CHECK(next_fd == free_fd, "then nobody needs it");
	gs_input_close(input);
	next_fd = dup(0);
	close(next_fd);
	CHECK(next_fd == free_fd, "and it is closed once");
	remove(names[1]);
}

static void
check_partial(void)
{
	const char *names[] = { path("eight"), path("three"), path("five") };
	const struct gs_input_options options = {
		.names = names, .count = 3, .unit = 4, .threads = 1,
	};
	struct gs_input *input;
	uint64_t bytes;

	write_file("eight", 8);
	write_file("three", 3);
	write_file("five", 5);
	CHECK(gs_input_open(&input, &options) == GS_OK, "three files are opened");
	CHECK(gs_files_bytes(gs_input_files(input), false) == 16, "their sizes are added up");
	CHECK(gs_files_partial(gs_input_files(input), 4, &bytes) == names[1] && bytes == 3,
	      "the first that is no multiple is named");
	CHECK(gs_files_partial(gs_input_files(input), 1, &bytes) == NULL, "all are multiples of one");
	gs_input_close(input);
}

static void
check_errors(void)
{
	char expected[200];

	CHECK(open_binary(path("none"), 1) == NULL, "a missing file is an error");
	snprintf(expected, sizeof expected, "cannot read: %s: No such file or directory",
	         path("none"));
	CHECK(strcmp(gs_message(), expected) == 0, "and named: %s", gs_message());
	CHECK(open_binary(folder, 1) == NULL, "a folder is an error");
	snprintf(expected, sizeof expected, "read failed: %s: Is a directory", folder);
	CHECK(strcmp(gs_message(), expected) == 0, "and named: %s", gs_message());
}

/* Opened to check, and again when its turn comes: what is then there is read. */
static void
check_later(void)
{
	const char *names[] = { path("eight"), path("five") };
	struct gs_input_options options = {
		.names = names, .count = 2, .unit = 4, .threads = 1, .later = true,
	};
	int free_fd = dup(0), next_fd;
	struct gs_input *input;
	char data[16];
	size_t got;

	close(free_fd);
	write_file("eight", 8);
	write_file("five", 5);
	CHECK(gs_input_open(&input, &options) == GS_OK && gs_files_bytes(gs_input_files(input), false) == 13,
	      "files to be opened later are checked");
	next_fd = dup(0);
	close(next_fd);
	CHECK(next_fd == free_fd, "and use no descriptor until then");
	write_file("eight", 7);
	CHECK(gs_input_next(input) && gs_input_read(input, data, 16, &got) == GS_OK && got == 7 &&
	      is_content(data, 7), "one is read when its turn comes");
	remove(path("five"));
	CHECK(gs_input_next(input) && gs_input_read(input, data, 16, &got) == GS_EIO &&
	      strstr(gs_message(), "cannot read: ") != NULL, "another has gone: %s", gs_message());
	gs_input_close(input);
	CHECK(gs_input_open(&input, &options) == GS_EIO, "a missing file is an error all the same");
}

/* Bytes of CONTEXT, one more at each call; then an error, if it says so. */
struct caller { const char *data; size_t bytes, at, calls; int error; pthread_t last; };

static ptrdiff_t
call(void *context, void *into, size_t bytes)
{
	struct caller *caller = context;
	const size_t left = caller->bytes - caller->at;
	size_t count = ++caller->calls;

	caller->last = pthread_self();
	if (left == 0 && caller->error != 0) {
		errno = caller->error;
		return -1;
	}
	count = count < left ? count : left;
	count = count < bytes ? count : bytes;
	memcpy(into, caller->data + caller->at, count);
	caller->at += count;
	return (ptrdiff_t)count;
}

static void
check_callback(bool binary)
{
	static const char plain[] = "12\n3456\n", gzip[] =
		"\x1f\x8b\x08\0\0\0\0\0\0\x03\x33\x34\xe2\x02\0\xda\xeb\x4d\xd7\x03\0\0\0";
	struct caller caller = { .data = plain, .bytes = sizeof plain - 1 };
	const struct gs_input_options options = {
		.names = &caller_input, .count = 1, .unit = binary, .read = call, .read_context = &caller,
	};
	struct gs_input *input;
	char data[16];
	size_t got = 0, more = 0;

	CHECK(gs_input_open(&input, &options) == GS_OK &&
	      gs_files_bytes(gs_input_files(input), false) == GS_UNKNOWN &&
	      gs_input_next(input) && gs_input_read(input, data, 4, &got) == GS_OK && got == 4 &&
	      gs_input_read(input, data + 4, 12, &more) == GS_OK && more == 4 &&
	      memcmp(data, plain, 8) == 0 && !gs_input_next(input),
	      "a callback is one input: %zu and %zu bytes", got, more);
	gs_input_close(input);
	caller = (struct caller){ .data = plain, .bytes = 6, .error = EIO };
	CHECK(gs_input_open(&input, &options) == GS_OK && gs_input_next(input) &&
	      gs_input_read(input, data, 16, &got) == GS_EIO &&
	      strcmp(gs_message(), "read failed: input: Input/output error") == 0,
	      "its errno is reported: %s", gs_message());
	gs_input_close(input);
	caller = (struct caller){ .data = gzip, .bytes = sizeof gzip - 1 };
	CHECK(gs_input_open(&input, &options) == GS_OK && gs_input_next(input) &&
	      gs_input_read(input, data, 16, &got) == GS_OK &&
	      (binary ? got == 16 : got == 3 && memcmp(data, "12\n", 3) == 0),
	      "text from a callback may be compressed: %zu bytes", got);
	gs_input_close(input);
}

/* ---- ahead -------------------------------------------------------------- */

/* Read NAMES ahead in chunks, by a team in turn if THREADS is 2; are BYTES of all COUNT there? */
static void
check_ahead(const char *const *names, size_t count, size_t bytes, size_t chunk_bytes, unsigned threads)
{
	const struct gs_input_options options = {
		.names = names, .count = count, .unit = 4, .threads = threads,
	};
	char *memory, *data;
	struct gs_ahead ahead;
	struct gs_input *input;
	struct gs_chunk *chunk;
	size_t files = 0, at = 0;
	bool holds = gs_input_open(&input, &options) == GS_OK;

	CHECK(holds, "%zu files of %zu bytes open", count, bytes);
	if (!holds)
		return;
	memory = malloc(GS_AHEAD_CHUNKS * chunk_bytes);
	data = malloc(bytes + 1);
	gs_ahead_open(&ahead, input, memory, chunk_bytes);
	ahead.in_turn = threads > 1;
	while (gs_ahead_take(&ahead, &chunk) == GS_OK && chunk != NULL) {
		holds = holds && chunk->begins == (at == 0) && chunk->name == names[files] &&
		        at + chunk->bytes <= bytes &&
		        chunk->ends == (chunk->bytes < chunk_bytes);
		if (holds)
			memcpy(data + at, chunk->data, chunk->bytes);
		at += chunk->bytes;
		if (chunk->ends) {
			holds = holds && at == bytes && is_content(data, bytes);
			files++;
			at = 0;
		}
		gs_ahead_give(&ahead, chunk);
	}
	CHECK(holds && files == count && gs_ahead_take(&ahead, &chunk) == GS_OK && chunk == NULL,
	      "%zu files of %zu bytes come in chunks of %zu, in order", count, bytes, chunk_bytes);
	gs_ahead_close(&ahead);
	gs_input_close(input);
	free(memory);
	free(data);
}

/* The first bytes of each file are in no chunk; an error if there are not as many. */
static void
check_ahead_behind(void)
{
	const char *names[] = { path("thirteen"), path("five") };
	struct gs_input_options options = { .names = names, .count = 2, .unit = 4 };
	const struct gs_range range = { 1, 5 };
	char memory[GS_AHEAD_CHUNKS * 4];
	struct gs_input *input;
	struct gs_ahead ahead;
	struct gs_chunk *chunk;
	gs_status status;
	size_t bytes = 0;
	bool holds = true;

	write_file("eight", 8);
	write_file("thirteen", 13);
	write_file("five", 5);
	CHECK(gs_input_open(&input, &options) == GS_OK, "two files are opened");
	gs_ahead_open(&ahead, input, memory, 4);
	ahead.skip_bytes = 6;
	while ((status = gs_ahead_take(&ahead, &chunk)) == GS_OK && chunk != NULL) {
		for (size_t b = 0; b < chunk->bytes; b++)
			holds = holds && chunk->data[b] == byte_at(6 + bytes + b);
		bytes += chunk->bytes;
		gs_ahead_give(&ahead, chunk);
	}
	CHECK(holds && bytes == 7, "six bytes are skipped, once: %zu are left", bytes);
	CHECK(status == GS_EINPUT &&
	      strstr(gs_message(), "five: has only 5 of the 6 bytes to be skipped") != NULL,
	      "a file that is too short is an error: %s", gs_message());
	gs_ahead_close(&ahead);
	gs_input_close(input);

	options.count = 1;
	options.ranges = &range;
	CHECK(gs_input_open(&input, &options) == GS_OK, "a part is opened");
	gs_ahead_open(&ahead, input, memory, 4);
	ahead.skip_bytes = 6;
	CHECK(gs_ahead_take(&ahead, &chunk) == GS_OK && chunk != NULL && chunk->bytes == 4 &&
	      chunk->data[0] == byte_at(1), "of a part that begins within a file nothing is skipped");
	gs_ahead_close(&ahead);
	gs_input_close(input);
}

/* A team that reads in turn stops at the first error, and does not read the next file. */
static void
check_ahead_in_turn(void)
{
	const char *names[] = { path("eight"), path("five"), path("eight") };
	const struct gs_input_options options = { .names = names, .count = 3, .unit = 4, .threads = 2 };
	const size_t chunk_bytes = GS_TEAM_BYTES;
	char *memory = malloc(GS_AHEAD_CHUNKS * chunk_bytes);
	struct gs_input *input;
	struct gs_ahead ahead;
	struct gs_chunk *chunk;
	gs_status status;
	size_t bytes = 0;

	CHECK(gs_input_open(&input, &options) == GS_OK, "three files are opened");
	gs_ahead_open(&ahead, input, memory, chunk_bytes);
	ahead.skip_bytes = 6;
	ahead.in_turn = true;
	while ((status = gs_ahead_take(&ahead, &chunk)) == GS_OK && chunk != NULL) {
		bytes += chunk->bytes;
		gs_ahead_give(&ahead, chunk);
	}
	CHECK(bytes == 2 && status == GS_EINPUT && strcmp(gs_input_name(input), names[1]) == 0,
	      "the second file is too short, and the third is not read: %s", gs_input_name(input));
	gs_ahead_close(&ahead);
	gs_input_close(input);
	free(memory);
}

/* Good bytes come before the error; and closing early is no error. */
static void
check_ahead_error(void)
{
	static const char half[] = "\x1f\x8b\x08\0\0\0\0\0\0\x03\x33\x34\x32\x36\x31\x35\x33\x36";
	static const char whole[] = "\x1f\x8b\x08\0\0\0\0\0\2\3KLJNIMK\xcf" "HD\xa3\1g\nZ/\x18\0\0\0";
	static const char keys[] = "\x1f\x8b\x08\xff" "abcdefghijklmnop";
	const char *names[] = { path("half.gz") };
	_Atomic uint64_t stored = 0;
	const struct gs_input_options options = {
		.names = names, .count = 1, .unit = 4, .stored = &stored,
	};
	char plain[100];
	char memory[GS_AHEAD_CHUNKS * 4];
	struct gs_input *input;
	struct gs_ahead ahead;
	struct gs_chunk *chunk;
	FILE *file = fopen(names[0], "w");
	gs_status status;
	size_t bytes = 0;

	fwrite(half, 1, sizeof half - 1, file);
	fclose(file);
	CHECK(gs_input_open(&input, &options) == GS_OK, "half a file is opened");
	gs_ahead_open(&ahead, input, memory, 4);
	while ((status = gs_ahead_take(&ahead, &chunk)) == GS_OK && chunk != NULL) {
		bytes += chunk->bytes;
		gs_ahead_give(&ahead, chunk);
	}
	CHECK(status == GS_EINPUT && strstr(gs_message(), "half.gz: truncated gzip data") != NULL,
	      "an error comes with its message: %s", gs_message());
	CHECK(bytes > 0, "after the good bytes");
	gs_ahead_close(&ahead);
	gs_input_close(input);
	rename(names[0], path("half"));
	for (int says = 0; says < 3; says++) {
		const char *const unnamed[] = { path("half") };
		struct gs_input_options told = options;

		told.names = unnamed;
		told.decompress = says == 1 ? GSORT_DECOMPRESS_GZIP : GSORT_DECOMPRESS_AUTO;
		told.unit = says == 2 ? 0 : 4;		/* text */
		CHECK(gs_input_open(&input, &told) == GS_OK && gs_input_next(input), "it is opened again");
		do
			status = gs_input_read(input, plain, sizeof plain, &bytes);
		while (status == GS_OK && bytes > 0);
		CHECK(status == GS_EINPUT &&
		      (strstr(gs_message(), "if these are raw keys") == NULL) == (says > 0),
		      "keys may look compressed, if nobody says that they are: %s", gs_message());
		gs_input_close(input);
	}

	file = fopen(path("half"), "w");
	fwrite(keys, 1, sizeof keys - 1, file);
	fclose(file);
	for (unsigned unit = 1; unit <= 4; unit *= 4) {
		const char *const unnamed[] = { path("half") };
		struct gs_input_options raw = options;

		raw.names = unnamed;
		raw.unit = unit;
		CHECK(gs_input_open(&input, &raw) == GS_OK && gs_input_next(input) &&
		      gs_input_read(input, plain, sizeof plain, &bytes) == GS_OK && bytes == sizeof keys - 1,
		      "keys of %u bytes that cannot be gzip, as its flags are none", unit);
		gs_input_close(input);
	}
	file = fopen(names[0], "w");
	fwrite(whole, 1, sizeof whole - 1, file);
	fclose(file);
	atomic_store(&stored, 0);
	CHECK(gs_input_open(&input, &options) == GS_OK && gs_input_next(input) &&
	      gs_input_read(input, plain, sizeof plain, &bytes) == GS_OK && bytes == 24 &&
	      memcmp(plain, "abcdefghabcdefgh", 16) == 0 && stored == sizeof whole - 1,
	      "bytes that are guessed to be compressed are counted: %llu",
	      (unsigned long long)atomic_load(&stored));
	gs_input_close(input);

	write_file("long", 1000);
	names[0] = path("long");
	CHECK(gs_input_open(&input, &options) == GS_OK, "a file is opened");
	gs_ahead_open(&ahead, input, memory, 4);
	CHECK(gs_ahead_take(&ahead, &chunk) == GS_OK && chunk->bytes == 4, "one chunk is taken");
	gs_ahead_close(&ahead);
	gs_input_close(input);
	memset(&ahead, 0, sizeof ahead);
	gs_ahead_close(&ahead);
}

/* ---- reading again ------------------------------------------------------- */

/* BYTES of a content that begins at FROM. */
static char *
content(size_t from, size_t bytes)
{
	char *data = malloc(bytes + 1);

	for (size_t b = 0; b < bytes; b++)
		data[b] = byte_at(from + b);
	return data;
}

/* Read BYTES of the current file, or what is left of it; are EXPECTED bytes of the content from FROM on
 * there? */
static bool
reads(struct gs_input *input, size_t from, size_t bytes, size_t expected)
{
	char *data = malloc(bytes + 1), *right = content(from, bytes);
	size_t got;
	const bool holds = gs_input_read(input, data, bytes, &got) == GS_OK && got == expected &&
	                   memcmp(data, right, got) == 0;

	free(data);
	free(right);
	return holds;
}

static size_t
gzip(const char *data, size_t bytes, char *into, size_t room)
{
	z_stream zlib = {
		.next_in = (const unsigned char *)data, .avail_in = (unsigned)bytes,
		.next_out = (unsigned char *)into, .avail_out = (unsigned)room,
	};

	deflateInit2(&zlib, 1, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
	deflate(&zlib, Z_FINISH);
	deflateEnd(&zlib);
	return zlib.total_out;
}

/* Some of a callback's BYTES are read: these cannot be read again, but the rest can be read. */
static void
check_callback_again(size_t bytes, size_t before)
{
	char *data = content(0, bytes);
	struct caller caller = { .data = data, .bytes = bytes };
	const struct gs_input_options options = {
		.names = &caller_input, .count = 1, .unit = 4, .read = call, .read_context = &caller,
	};
	const size_t first = before < bytes ? before : bytes;
	struct gs_input *input;
	gs_status status;
	bool yes;

	CHECK(gs_input_open(&input, &options) == GS_OK && gs_input_rewind(input) == GS_OK &&
	      gs_input_next(input) && gs_input_claims(input, &yes) == GS_OK && !yes &&
	      gs_input_rewind(input) == GS_OK && gs_input_next(input) && reads(input, 0, before, first),
	      "%zu of %zu bytes are read; before, it is as often rewound as one likes", before, bytes);
	status = gs_input_rewind(input);
	if (first == 0)
		CHECK(status == GS_OK && gs_input_next(input), "no byte was read, so it is rewound");
	else
		CHECK(status == GS_EIO && strcmp(gs_message(), "input: cannot be read again: it is not a "
		      "regular file; --device=cpu reads it once") == 0, "%zu of %zu bytes were read: %s",
		      before, bytes, gs_message());
	CHECK(reads(input, first, bytes + 1, bytes - first) && !gs_input_next(input),
	      "the rest of %zu bytes is read behind %zu", bytes, first);
	CHECK(gs_input_rewind(input) == GS_EIO, "and cannot be read again, once it was left");
	gs_input_close(input);
	free(data);
}

/* A compressed callback, of many calls, the first of which gives one byte. */
static void
check_compressed_callback(void)
{
	enum { BYTES = 600000 };
	char *data = content(0, BYTES), *packed = malloc(2 * BYTES);
	struct caller caller = { .data = packed, .bytes = gzip(data, BYTES, packed, 2 * BYTES) };
	const struct gs_input_options options = {
		.names = &caller_input, .count = 1, .read = call, .read_context = &caller,
	};
	struct gs_input *input;
	bool yes;

	CHECK(gs_input_open(&input, &options) == GS_OK && gs_input_next(input) &&
	      gs_input_claims(input, &yes) == GS_OK && !yes &&
	      gs_files_inflate(gs_input_files(input), GS_INFLATES) && reads(input, 0, BYTES + 1, BYTES) &&
	      !gs_input_next(input), "it is recognized, and read whole: %s", gs_message());
	gs_input_close(input);
	free(data);
	free(packed);
}

/* A file of another content takes the name of one that was read; or none has it any more.  The one that is
 * being read is open. */
static void
check_replaced(void)
{
	const char *names[] = { path("a"), path("b") };
	struct gs_input_options options = { .names = names, .count = 2, .unit = 4 };
	const int free_fd = dup(0);
	struct gs_input *input;
	int next_fd;
	size_t got;
	char byte;

	close(free_fd);
	write_file("a", 1000);
	write_file("b", 1000);
	write_file("c", 1000);
	CHECK(gs_input_open(&input, &options) == GS_OK && gs_input_next(input) &&
	      reads(input, 0, 1001, 1000) && gs_input_next(input) && reads(input, 0, 10, 10),
	      "two files are read");
	gs_input_close_left(input);	/* none is kept */
	remove(names[1]);
	CHECK(gs_input_rewind(input) == GS_OK && gs_input_next(input) && reads(input, 0, 1001, 1000) &&
	      gs_input_next(input) && reads(input, 0, 1001, 1000), "the second, whose name is gone, too");
	rename(path("c"), names[0]);
	CHECK(gs_input_rewind(input) == GS_OK && gs_input_next(input) &&
	      gs_input_read(input, &byte, 1, &got) == GS_EIO &&
	      strstr(gs_message(), "a: cannot be read again: it has been replaced by another file"),
	      "one has been replaced: %s", gs_message());
	gs_input_close(input);
	remove(names[0]);
	write_file("a", 10);
	write_file("b", 10);
	CHECK(gs_input_open(&input, &options) == GS_OK && gs_input_next(input) && gs_input_next(input),
	      "two files are opened");
	remove(names[0]);
	CHECK(gs_input_rewind(input) == GS_OK && gs_input_next(input) &&
	      gs_input_read(input, &byte, 1, &got) == GS_EIO &&
	      strstr(gs_message(), "cannot read: ") != NULL, "one has gone: %s", gs_message());
	gs_input_close(input);
	options.again = true;
	for (int part = 0; part < 2; part++) {
		write_file("a", 1000);
		CHECK(gs_input_open(&input, &options) == GS_OK && gs_input_next(input) &&
		      reads(input, 0, 1000, 1000) && gs_input_next(input), "files may be read again");
		remove(names[0]);
		if (part)
			gs_input_close_left(input);
		CHECK(gs_input_rewind(input) == GS_OK && gs_input_next(input) &&
		      (part ? gs_input_read(input, &byte, 1, &got) == GS_EIO
		            : reads(input, 0, 1001, 1000) && gs_input_next(input) && !gs_input_next(input)),
		      part ? "one was closed, and has gone" : "one that has gone stays open until then");
		next_fd = dup(0);
		close(next_fd);
		CHECK(part || next_fd == free_fd, "and is closed when it is left again");
		gs_input_close(input);
	}
	remove(names[1]);
}

/* Decompression by one thread continues at the file's position. */
static void
check_compressed_file(void)
{
	enum { BYTES = 600000 };
	const char *name = path("a");
	const struct gs_input_options options = { .names = &name, .count = 1, .threads = 1 };
	char *data = content(0, BYTES), *packed = malloc(2 * BYTES);
	const size_t packed_bytes = gzip(data, BYTES, packed, 2 * BYTES);
	FILE *file = fopen(name, "w");
	struct gs_input *input;

	fwrite(packed, 1, packed_bytes, file);
	fclose(file);
	CHECK(gs_input_open(&input, &options) == GS_OK && gs_input_next(input) && reads(input, 0, 10, 10) &&
	      gs_input_rewind(input) == GS_OK && gs_input_next(input) && reads(input, 0, BYTES + 1, BYTES),
	      "a compressed file begins again: %s", gs_message());
	gs_input_close(input);
	remove(name);
	free(data);
	free(packed);
}

/* Each call for memory, or to read, fails in turn: that is an error, or both files come, twice, and the
 * compressed one as what it holds. */
static void
check_failing(unsigned threads)
{
	enum { BYTES = 20000 };
	const char *names[] = { path("a"), path("b") };
	const struct gs_input_options options = { .names = names, .count = 2, .threads = threads };
	char *data = content(0, BYTES), *packed = malloc(2 * BYTES), *came = malloc(5 * BYTES);
	const size_t packed_bytes = gzip(data, BYTES, packed, 2 * BYTES);
	FILE *file = fopen(names[1], "w");
	unsigned errors = 0;
	size_t memory = 0;
	bool failed = true;

	fwrite(packed, 1, packed_bytes, file);
	fclose(file);
	file = fopen(names[0], "w");
	fwrite(data, 1, BYTES, file);
	fclose(file);
	for (long call = -1; failed; call++) {
		struct gs_input *input = NULL;
		size_t at = 0, got = 1;
		gs_status status;
		bool good;

		units_fail(call < 0 ? 1000000 : call);	/* at first none does: libraries are loaded */
		status = gs_input_open(&input, &options);
		for (unsigned time = 0; time < 2 && status == GS_OK; time++) {
			while (status == GS_OK && gs_input_next(input))
				for (got = 1; status == GS_OK && got > 0; at += got)
					status = gs_input_read(input, came + at, 3000, &got);
			if (status == GS_OK && time == 0)
				status = gs_input_rewind(input);
		}
		failed = units_has_failed() || call < 0;
		errors += status != GS_OK;
		good = at == 4 * BYTES;
		for (size_t f = 0; f < 4 && good; f++)
			good = memcmp(came + f * BYTES, data, BYTES) == 0;
		CHECK(status == GS_OK ? good
		      : failed && (strstr(gs_message(), ": Input/output error") != NULL ||
		                   strstr(gs_message(), "no memory") != NULL),
		      "call %ld fails, %u threads: status %d, %zu bytes, %s", call, threads, (int)status, at,
		      status == GS_OK ? "ok" : gs_message());
		gs_input_close(input);
		memory = call < 0 ? units_memory() : memory;
		CHECK(units_memory() == memory, "call %ld fails: %zd bytes are not given back", call,
		      (ssize_t)(units_memory() - memory));
	}
	CHECK(errors > 5, "%u calls fail", errors);
	remove(names[0]);
	remove(names[1]);
	free(came);
	free(packed);
	free(data);
}

/* The caller reads the first chunk itself, and another thread the others, if there are more. */
static void
check_ahead_threads(size_t bytes)
{
	char *data = content(0, bytes);
	struct caller caller = { .data = data, .bytes = bytes };
	const struct gs_input_options options = {
		.names = &caller_input, .count = 1, .unit = 4, .read = call, .read_context = &caller,
		.decompress = GSORT_DECOMPRESS_NONE,
	};
	enum { CHUNK = 1000 };
	char *memory = malloc(GS_AHEAD_CHUNKS * CHUNK);
	struct gs_input *input;
	struct gs_ahead ahead;
	struct gs_chunk *chunk;
	size_t at = 0;

	CHECK(gs_input_open(&input, &options) == GS_OK, "a callback is opened");
	gs_ahead_open(&ahead, input, memory, CHUNK);
	while (gs_ahead_take(&ahead, &chunk) == GS_OK && chunk != NULL) {
		CHECK(at > 0 || bytes >= CHUNK ||
		      (pthread_equal(caller.last, pthread_self()) && !ahead.handed_over),
		      "no other thread reads, or is started for, a chunk that is the only one");
		CHECK(memcmp(data + at, chunk->data, chunk->bytes) == 0, "bytes from %zu on are right", at);
		at += chunk->bytes;
		gs_ahead_give(&ahead, chunk);
	}
	gs_ahead_close(&ahead);
	CHECK(at == bytes && ahead.handed_over && !ahead.alone &&
	      !pthread_equal(caller.last, pthread_self()) == (bytes >= CHUNK), "%zu of %zu bytes came", at,
	      bytes);
	gs_input_close(input);
	free(memory);
	free(data);
}

/* Without another thread the caller reads each chunk. */
static void
ahead_alone(void)
{
	const char *const names[] = { path("long"), path("long"), path("long") };

	for (size_t bytes = 0; bytes < 5000; bytes = 3 * bytes + 1000) {
		write_file("long", bytes);
		check_ahead(names, 3, bytes, 1000, 1);
		check_ahead(names, 3, bytes, 999, 1);
	}
}

/* ---- standard input --------------------------------------------------------------- */

/* Standard input is FD for CHECKED(). */
static void
with_standard_input(int fd, void (*checked)(void))
{
	const int kept = dup(STDIN_FILENO);

	dup2(fd, STDIN_FILENO);
	close(fd);
	checked();
	dup2(kept, STDIN_FILENO);
	close(kept);
}

static void
check_offset(void)
{
	struct gs_input_options options = {
		.names = &standard_input, .count = 1, .unit = 4, .threads = 1,
	};
	struct gs_input_piece piece;
	struct gs_input *input;
	char data[10];
	size_t got;

	CHECK(gs_input_open(&input, &options) == GS_OK &&
	      gs_files_bytes(gs_input_files(input), false) == 993 && gs_input_next(input) &&
	      reads(input, 7, 500, 500) && gs_input_rewind(input) == GS_OK &&
	      gs_input_next(input) && reads(input, 7, 1000, 993) && !gs_input_next(input) &&
	      gs_input_rewind(input) == GS_OK && gs_input_next(input) && reads(input, 7, 90, 90),
	      "a file that is standard input is read again from where it was");
	gs_input_claim(input, 10, &piece);
	CHECK(gs_input_read_piece(input, &piece, data, &got) == GS_OK && got == 10 &&
	      data[0] == byte_at(97) && reads(input, 107, 20, 20) && gs_input_rewind(input) == GS_OK &&
	      gs_input_next(input) && reads(input, 7, 90, 90), "and behind a piece of it, and again");
	CHECK(!gs_input_next(input) && lseek(STDIN_FILENO, 0, SEEK_CUR) == 97,
	      "and left where reading ended");
	gs_input_close(input);
}

static void
check_offset_compressed(void)
{
	const struct gs_input_options options = { .names = &standard_input, .count = 1, .threads = 1 };
	struct gs_input *input;

	CHECK(gs_input_open(&input, &options) == GS_OK && gs_input_next(input) &&
	      reads(input, 0, 4000, 4000) && gs_input_rewind(input) == GS_OK &&
	      gs_input_next(input) && reads(input, 0, 60000, 50000) && !gs_input_next(input) &&
	      lseek(STDIN_FILENO, 0, SEEK_CUR) > 7, "and if it is compressed, and left behind its beginning");
	gs_input_close(input);
	CHECK(fcntl(STDIN_FILENO, F_GETFD) >= 0, "standard input stays open");
}

/* A pipe, named twice: the second time it is empty. */
static void
check_spent(void)
{
	const char *names[] = { "-", "-" };
	const struct gs_input_options options = { .names = names, .count = 2, .unit = 4, .threads = 1 };
	struct gs_input *input;

	CHECK(gs_input_open(&input, &options) == GS_OK && gs_input_next(input) &&
	      reads(input, 0, 200, 100) && gs_input_next(input) && reads(input, 0, 200, 0) &&
	      !gs_input_next(input), "standard input is read once, however often it is named");
	gs_input_close(input);
}

static void
check_standard_input(void)
{
	char *data = content(0, 50000), *packed = malloc(100000);
	int ends[2], fd;

	write_file("a", 1000);
	fd = open(path("a"), O_RDONLY);
	lseek(fd, 7, SEEK_SET);
	with_standard_input(fd, check_offset);

	fd = open(path("a"), O_RDWR | O_TRUNC);
	if (write(fd, "1234567", 7) == 7 &&
	    write(fd, packed, gzip(data, 50000, packed, 100000)) > 0)
		lseek(fd, 7, SEEK_SET);
	with_standard_input(fd, check_offset_compressed);
	remove(path("a"));

	if (pipe(ends) == 0 && write(ends[1], data, 100) == 100) {
		close(ends[1]);
		with_standard_input(ends[0], check_spent);
	}
	free(data);
	free(packed);
}

/* Two named pipes between files, each opened and written when its turn comes. */
static void
check_pipes(void)
{
	const char *names[] = { path("a"), path("pipe"), path("b"), path("other") };
	const struct gs_input_options options = { .names = names, .count = 4, .unit = 4, .threads = 1 };
	struct gs_input *input;
	char *data = content(0, 100);
	bool holds = true;

	write_file("a", 1000);
	write_file("b", 1000);
	mkfifo(names[1], 0600);
	mkfifo(names[3], 0600);
	CHECK(gs_input_open(&input, &options) == GS_OK &&
	      gs_files_bytes(gs_input_files(input), false) == GS_UNKNOWN, "no writer is waited for");
	for (unsigned n = 0; n < 4; n++) {
		const int fd = n % 2 == 1 ? open(names[n], O_RDWR) : -1;
		const size_t bytes = n % 2 == 1 ? 90 + n : 1000;
		bool yes;

		holds = holds && gs_input_next(input) && gs_input_name(input) == names[n] &&
		        (fd < 0 || write(fd, data, bytes) == (ssize_t)bytes) &&
		        gs_input_claims(input, &yes) == GS_OK && yes == (fd < 0);
		if (fd >= 0)
			close(fd);
		holds = holds && reads(input, 0, 1001, bytes);
	}
	CHECK(holds && !gs_input_next(input), "files and pipes are read in order: %s", gs_message());
	CHECK(gs_input_rewind(input) == GS_EIO && strstr(gs_message(), "pipe: cannot be read again") != NULL,
	      "and the first pipe is named: %s", gs_message());
	gs_input_close(input);
	for (unsigned n = 0; n < 4; n++)
		remove(names[n]);
	free(data);
}

/* A thread that reads ahead is stopped while it waits for a pipe, and joined. */
static void
check_stopped(void)
{
	enum { CHUNK = 1000 };
	const char *name = path("pipe"), *names[] = { name, path("eight") };
	const struct gs_input_options options = { .names = names, .count = 2, .unit = 4, .threads = 1 };
	char chunks[GS_AHEAD_CHUNKS * CHUNK], *data = content(0, 2500);
	struct gs_chunk *chunk = NULL;
	struct gs_input *input;
	struct gs_ahead ahead;
	int fd;

	mkfifo(name, 0600);
	fd = open(name, O_RDWR);
	CHECK(gs_input_open(&input, &options) == GS_OK && write(fd, data, 2500) == 2500, "a pipe is opened");
	gs_ahead_open(&ahead, input, chunks, CHUNK);
	CHECK(gs_ahead_take(&ahead, &chunk) == GS_OK && chunk->bytes == CHUNK &&
	      memcmp(chunk->data, data, CHUNK) == 0, "a chunk is taken");
	gs_ahead_close(&ahead);
	CHECK(gs_input_name(input) == name, "nobody goes on to the next file: %s", gs_input_name(input));
	CHECK(gs_input_rewind(input) == GS_EIO, "the pipe is not read again");
	gs_input_close(input);
	close(fd);
	remove(name);
	free(data);
}

static void
remove_folder(void)
{
	static const char *const names[] = {
		"sized", "changes", "eight", "three", "five", "held", "other", "half.gz",
		"long", "",
	};

	for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
		remove(path(names[n]));
}

void unit_input(void);

void
unit_input(void)
{
	static const size_t sizes[] = { 0, 1, 8, 9, 1000 };
	const char *temp = getenv("TMPDIR");

	snprintf(folder, sizeof folder, "%s/units.XXXXXX",
	         temp != NULL && strlen(temp) < 40 ? temp : "/tmp");
	if (mkdtemp(folder) == NULL) {
		CHECK(false, "a temporary folder is made");
		return;
	}
	check_sizes();
	check_range();
	check_part(1);
	check_part(100);
	check_changes();
	check_claims();
	check_claims_grown();
	check_claims_left();
	check_partial();
	check_errors();
	check_later();
	check_callback(true);
	check_callback(false);
	for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
		const char *name, *names[3];

		write_file("long", sizes[s]);
		name = path("long");
		names[0] = names[1] = names[2] = name;
		check_ahead(names, 3, sizes[s], 4, 1);
		check_ahead(names, 1, sizes[s], 1000, 1);
		check_ahead(names, 3, sizes[s], GS_TEAM_BYTES, 2);
	}
	write_file("long", 2 * GS_TEAM_BYTES + 7);
	check_ahead((const char *[]){ path("long"), path("long") }, 2, 2 * GS_TEAM_BYTES + 7, GS_TEAM_BYTES,
	            2);
	for (size_t bytes = 500; bytes < 9000; bytes += 500)
		check_ahead_threads(bytes);
	units_denied(ahead_alone, 0, 0, 0, 0);
	check_ahead_behind();
	check_ahead_in_turn();
	check_ahead_error();
	for (size_t bytes = 0; bytes < 44; bytes = bytes == 2 ? GS_CONTENTS_LEAST - 4 : bytes + 1)
		for (size_t before = 0; before <= bytes + 1; before++)
			check_callback_again(bytes, before);
	check_callback_again(10000, 5000);
	check_compressed_callback();
	check_replaced();
	check_compressed_file();
	check_standard_input();
	check_failing(1);
	check_failing(3);
	check_pipes();
	for (unsigned round = 0; round < (units_brief() ? 20 : 500); round++)
		check_stopped();
	remove_folder();
}
