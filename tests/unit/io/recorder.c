// SPDX-License-Identifier: BSD-2-Clause
/* recorder.c - inputs that are read again, and pipes whose size is looked at before */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#define ZLIB_CONST
#include <zlib.h>

#include "base/limits.h"
#include "base/team.h"
#include "io/input.h"
#include "io/files.h"
#include "tests/unit/units.h"

enum { MEMORY_BYTES = 4 << 20 };

static char folder[PATH_MAX / 2];
static char *memory;		/* MEMORY_BYTES, whole pages */

/* ---- tools ----------------------------------------------------------------- */

static const char *
path(const char *name)
{
	static char paths[16][PATH_MAX];
	static unsigned next;

	next = (next + 1) % 16;
	snprintf(paths[next], sizeof paths[next], "%s/%s", folder, name);
	return paths[next];
}

static char
byte_at(size_t at)
{
	return (char)(units_mix(at / 8) >> (at % 8 * 8));
}

/* BYTES of a content that begins at FROM. */
static char *
content(size_t from, size_t bytes)
{
	char *data = malloc(bytes + 1);

	for (size_t b = 0; b < bytes; b++)
		data[b] = byte_at(from + b);
	return data;
}

static bool
is_content(const char *data, size_t from, size_t bytes)
{
	for (size_t b = 0; b < bytes; b++)
		if (data[b] != byte_at(from + b))
			return false;
	return true;
}

static void
write_file(const char *name, size_t from, size_t bytes)
{
	char *data = content(from, bytes);
	FILE *file = fopen(path(name), "w");

	fwrite(data, 1, bytes, file);
	fclose(file);
	free(data);
}

/* A callback that gives 1 byte, then 2, 3 ...; every third call is interrupted; and at byte
 * FAILS_AT one call fails. */
struct source { const char *data; size_t bytes, at, calls, fails_at; };

static ptrdiff_t
give(void *context, void *into, size_t bytes)
{
	struct source *source = context;
	const size_t left = source->bytes - source->at;
	size_t count = ++source->calls;

	if (count % 3 == 0) {
		errno = EINTR;
		return -1;
	}
	if (source->fails_at > 0 && source->at >= source->fails_at) {
		source->fails_at = 0;
		errno = EIO;
		return -1;
	}
	count = count < left ? count : left;
	count = count < bytes ? count : bytes;
	memcpy(into, source->data + source->at, count);
	source->at += count;
	return (ptrdiff_t)count;
}

static struct gs_input *
open_source(struct source *source, bool binary, size_t record_bytes)
{
	const struct gs_input_options options = {
		.binary = binary, .threads = 1, .read = give, .read_context = source,
		.record_memory = memory, .record_bytes = record_bytes,
	};
	struct gs_input *input;

	source->at = source->calls = 0;
	return gs_input_open(&input, &options) == GS_OK ? input : NULL;
}

/* Read BYTES of the next file, or what is left of it; is it the content from FROM on? */
static bool
reads(struct gs_input *input, size_t from, size_t bytes, size_t expected)
{
	char *data = malloc(bytes + 1);
	size_t got;
	const bool holds = gs_input_read(input, data, bytes, &got) == GS_OK && got == expected &&
	                   is_content(data, from, got);

	free(data);
	return holds;
}

/* How many pages of MEMORY are there? */
static size_t
resident_pages(void)
{
	static unsigned char there[MEMORY_BYTES / 4096];
	const size_t pages = MEMORY_BYTES / (size_t)sysconf(_SC_PAGESIZE);
	size_t count = 0;

	mincore(memory, MEMORY_BYTES, there);
	for (size_t p = 0; p < pages; p++)
		count += there[p] & 1;
	return count;
}

static void
clear_memory(void)
{
	madvise(memory, MEMORY_BYTES, MADV_DONTNEED);
}

/* ---- one callback ------------------------------------------------------------ */

/* Of all bytes of a callback some are read, with a memory of any size, and then all again. */
static void
check_each_byte(size_t bytes, size_t record_bytes, size_t before)
{
	char *data = content(0, bytes);
	struct source source = { .data = data, .bytes = bytes };
	struct gs_input *input = open_source(&source, true, record_bytes);
	const size_t first = before < bytes ? before : bytes;
	/* A file begins only where there is memory to recognize it. */
	const bool kept = first == 0 || (record_bytes >= GS_LOOK_LEAST && first <= record_bytes);
	gs_status status;

	CHECK(gs_input_next(input) && reads(input, 0, before, first),
	      "%zu of %zu bytes are read, memory for %zu", before, bytes, record_bytes);
	status = gs_input_rewind(input);
	if (!kept) {
		char expected[200];

		snprintf(expected, sizeof expected, record_bytes == 0
		         ? "input: cannot be read again: it is not a regular file, and was not kept in "
		           "memory; --device=cpu reads it once"
		         : "input: cannot be read again: only the first %zu bytes of the input were "
		           "kept in memory; --device=cpu reads it once",
		         record_bytes < GS_LOOK_LEAST ? (size_t)0 : record_bytes);
		CHECK(status == (record_bytes > 0 ? GS_EBUDGET : GS_EIO) &&
		      strcmp(gs_message(), expected) == 0,
		      "%zu of %zu bytes were read, memory for %zu: %s", before, bytes, record_bytes,
		      gs_message());
		CHECK(reads(input, first, bytes + 1, bytes - first), "the rest can be read");
	} else {
		CHECK(status == GS_OK && gs_input_next(input) &&
		      strcmp(gs_input_name(input), "input") == 0 && reads(input, 0, bytes + 1, bytes) &&
		      !gs_input_next(input), "%zu of %zu bytes were read, memory for %zu: all come again",
		      before, bytes, record_bytes);
	}
	gs_input_close(input);
	free(data);
}

/* Rewind again and again, until new bytes have been read. */
static void
check_twice(void)
{
	enum { BYTES = 5000 };
	char *data = content(0, BYTES);
	struct source source = { .data = data, .bytes = BYTES };
	struct gs_input *input = open_source(&source, true, MEMORY_BYTES);

	CHECK(gs_input_next(input) && reads(input, 0, 3000, 3000) && gs_input_rewind(input) == GS_OK &&
	      gs_input_next(input) && reads(input, 0, 2999, 2999) && gs_input_rewind(input) == GS_OK &&
	      gs_input_next(input) && reads(input, 0, 3000, 3000) &&
	      gs_input_rewind(input) == GS_OK && gs_input_next(input) && source.at == 3000,
	      "what was recorded is read three times, and nothing else");
	CHECK(reads(input, 0, 3001, 3001) && gs_input_rewind(input) != GS_OK &&
	      gs_input_rewind(input) == GS_EIO && strstr(gs_message(), "was not kept") != NULL,
	      "a byte behind it ends that: %s", gs_message());
	CHECK(reads(input, 3001, BYTES, BYTES - 3001), "and the rest is read");
	gs_input_close(input);

	input = open_source(&source, true, MEMORY_BYTES);
	CHECK(gs_input_next(input) && reads(input, 0, BYTES + 1, BYTES) &&
	      gs_input_rewind(input) == GS_OK && gs_files_bytes(gs_input_files(input)) == BYTES &&
	      gs_input_next(input) && reads(input, 0, BYTES + 1, BYTES) &&
	      gs_input_rewind(input) == GS_OK && gs_input_next(input) &&
	      reads(input, 0, BYTES + 1, BYTES),
	      "an input that was recorded to its end is read as often as one likes");
	gs_input_close(input);
	free(data);
}

/* An error of the callback: the bytes before it are there, and the next call is made. */
static void
check_error(void)
{
	char *data = content(0, 100);
	struct source source = { .data = data, .bytes = 100, .fails_at = 60 };
	struct gs_input *input = open_source(&source, true, MEMORY_BYTES);
	char into[200];
	size_t got;

	CHECK(gs_input_next(input) && gs_input_read(input, into, 200, &got) == GS_EIO &&
	      got == source.at && is_content(into, 0, got) &&
	      strcmp(gs_message(), "read failed: input: Input/output error") == 0,
	      "an error comes behind %zu good bytes: %s", got, gs_message());
	CHECK(gs_input_rewind(input) == GS_OK && gs_input_next(input) && reads(input, 0, 200, 100),
	      "which come again, and then all the others");
	gs_input_close(input);
	free(data);
}

/* ---- compressed ---------------------------------------------------------------- */

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

static void
check_compressed(size_t before)
{
	enum { BYTES = 600000 };
	char *data = content(0, BYTES), *packed = malloc(2 * BYTES);
	struct source source = { .data = packed, .bytes = gzip(data, BYTES, packed, 2 * BYTES) };
	struct gs_input *input = open_source(&source, false, MEMORY_BYTES);
	const size_t first = before < BYTES ? before : BYTES;
	uint64_t bytes;
	bool yes;

	CHECK(gs_input_next(input) && reads(input, 0, before, first) &&
	      gs_input_rewind(input) == GS_OK && gs_input_next(input) &&
	      reads(input, 0, BYTES + 1, BYTES) && !gs_input_next(input),
	      "%zu bytes of a compressed pipe were read: all come again", before);
	gs_input_close(input);
	input = open_source(&source, false, MEMORY_BYTES);
	CHECK(gs_input_peek_bytes(input, before + 1, &bytes) == GS_OK && bytes > 0 &&
	      gs_files_bytes(gs_input_files(input)) == GS_UNKNOWN &&
	      (before < 6 || gs_files_inflate(gs_input_files(input), GS_INFLATES)) &&
	      gs_input_next(input) && gs_input_claims(input, &yes) == GS_OK && !yes &&
	      reads(input, 0, BYTES + 1, BYTES) && gs_input_rewind(input) == GS_OK &&
	      gs_files_bytes(gs_input_files(input)) == GS_UNKNOWN && gs_input_next(input) &&
	      reads(input, 0, BYTES + 1, BYTES),
	      "%zu bytes of it were looked at: it is compressed, and its size unknown", before + 1);
	gs_input_close(input);
	free(data);
	free(packed);
}

/* ---- files --------------------------------------------------------------------- */

struct writer { const char *name; size_t from, bytes, pause_at; int go; pthread_t id; };

/* Write a content to a named pipe; at PAUSE_AT wait for a byte from GO. */
static void *
write_pipe(void *context)
{
	const struct writer *writer = context;
	char *data = content(writer->from, writer->bytes), byte;
	const int fd = open(writer->name, O_WRONLY);

	for (size_t at = 0; at < writer->bytes; ) {
		size_t want = writer->bytes - at < 7001 ? writer->bytes - at : 7001;
		ssize_t done;

		if (writer->pause_at > at && writer->pause_at - at < want)
			want = writer->pause_at - at;
		if (writer->pause_at > 0 && writer->pause_at == at && read(writer->go, &byte, 1) != 1)
			break;
		done = write(fd, data + at, want);
		if (done <= 0)
			break;
		at += (size_t)done;
	}
	close(fd);
	free(data);
	return NULL;
}

enum { FILES = 5 };
static const size_t sizes[FILES] = { 1000, 70001, 300000, 34, 65537 };
static const bool is_pipe[FILES] = { false, true, false, true, true };

/* Where the content of file F begins. */
static size_t
begin_of(size_t f)
{
	return f * 1000003;
}

/* Read BYTES of all files together; is every byte and name right? */
static bool
reads_files(struct gs_input *input, const char *const *names, size_t bytes)
{
	static char data[50000];
	bool holds = true;

	for (size_t f = 0; f < FILES && bytes > 0; f++) {
		size_t at = 0, want, got;

		holds = holds && gs_input_next(input) && gs_input_name(input) == names[f];
		do {
			want = bytes < sizeof data ? bytes : sizeof data;
			holds = holds && gs_input_read(input, data, want, &got) == GS_OK &&
			        is_content(data, begin_of(f) + at, got);
			at += got;
			bytes -= got;
		} while (holds && got == want && bytes > 0);
		holds = holds && (at == sizes[f] || bytes == 0);
	}
	return holds;
}

static void
check_files(size_t before, size_t record_bytes, bool fits, bool later)
{
	const char *names[FILES] = { path("a"), path("b"), path("c"), path("d"), path("e") };
	const struct gs_input_options options = {
		.names = names, .count = FILES, .binary = true, .threads = 2, .later = later,
		.record_memory = memory, .record_bytes = record_bytes,
	};
	struct writer writers[FILES];
	struct gs_input *input;
	size_t read = 0;

	for (size_t f = 0; f < FILES; f++) {
		writers[f] = (struct writer){ .name = names[f], .from = begin_of(f), .bytes = sizes[f] };
		if (!is_pipe[f]) {
			write_file(names[f] + strlen(folder) + 1, begin_of(f), sizes[f]);
		} else {
			mkfifo(names[f], 0600);
			pthread_create(&writers[f].id, NULL, write_pipe, &writers[f]);
		}
	}
	CHECK(gs_input_open(&input, &options) == GS_OK && reads_files(input, names, before),
	      "%zu bytes of files and pipes are read, memory for %zu", before, record_bytes);
	if (fits)
		CHECK(gs_input_rewind(input) == GS_OK && reads_files(input, names, SIZE_MAX) &&
		      !gs_input_next(input), "%zu bytes had been read: all files come again", before);
	else
		CHECK(gs_input_rewind(input) == GS_EBUDGET &&
		      strstr(gs_message(), "cannot be read again: only the first 700") != NULL,
		      "%zu bytes are too many for %zu: %s", before, record_bytes, gs_message());
	while (gs_input_next(input))		/* so that no writer waits */
		while (gs_input_read(input, memory + record_bytes, 65536, &read) == GS_OK && read > 0)
			;
	gs_input_close(input);
	for (size_t f = 0; f < FILES; f++) {
		if (is_pipe[f])
			pthread_join(writers[f].id, NULL);
		remove(names[f]);
	}
}

/* A file of another content takes the name of one that was read; or none has it any more.  The one that is
 * being read is open. */
static void
check_replaced(void)
{
	const char *names[] = { path("a"), path("b") };
	struct gs_input_options options = { .names = names, .count = 2, .binary = true };
	struct gs_input *input;
	size_t got;
	char byte;

	write_file("a", 0, 1000);
	write_file("b", 0, 1000);
	write_file("c", 1000, 1000);
	CHECK(gs_input_open(&input, &options) == GS_OK && gs_input_next(input) &&
	      reads(input, 0, 1001, 1000) && gs_input_next(input) && reads(input, 0, 10, 10),
	      "two files are read");
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
	write_file("a", 0, 10);
	write_file("b", 0, 10);
	CHECK(gs_input_open(&input, &options) == GS_OK && gs_input_next(input) && gs_input_next(input),
	      "two files are opened");
	remove(names[0]);
	CHECK(gs_input_rewind(input) == GS_OK && gs_input_next(input) &&
	      gs_input_read(input, &byte, 1, &got) == GS_EIO &&
	      strstr(gs_message(), "cannot read: ") != NULL, "one has gone: %s", gs_message());
	gs_input_close(input);
	options.again = true;
	for (int part = 0; part < 2; part++) {
		write_file("a", 0, 1000);
		CHECK(gs_input_open(&input, &options) == GS_OK && gs_input_next(input) &&
		      reads(input, 0, 1000, 1000) && gs_input_next(input), "files may be read again");
		remove(names[0]);
		if (part)
			gs_input_close_left(input);
		CHECK(gs_input_rewind(input) == GS_OK && gs_input_next(input) &&
		      (part ? gs_input_read(input, &byte, 1, &got) == GS_EIO
		            : reads(input, 0, 1001, 1000) && gs_input_next(input) && !gs_input_next(input)),
		      part ? "one was closed, and has gone" : "one that has gone stays open until then");
		gs_input_close(input);
	}
	remove(names[1]);
}

/* Decompression by one thread reads on from where the file is. */
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

/* Without memory, what was read of a pipe is gone. */
static void
check_unrecorded(void)
{
	char *data = content(0, 100);
	struct source source = { .data = data, .bytes = 100 };
	struct gs_input *input = open_source(&source, true, 0);
	uint64_t bytes;

	CHECK(gs_input_peek_bytes(input, 10, &bytes) == GS_OK && bytes == 0 && source.at == 0,
	      "without memory nothing is looked at");
	CHECK(gs_input_rewind(input) == GS_OK && gs_input_next(input) &&
	      gs_input_rewind(input) == GS_OK && gs_input_next(input) && reads(input, 0, 1, 1) &&
	      gs_input_rewind(input) != GS_OK, "without memory one byte is too many");
	gs_input_close(input);
	free(data);
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
	struct gs_input_options options = { .binary = true, .threads = 1 };
	struct gs_input *input;

	CHECK(gs_input_open(&input, &options) == GS_OK && gs_files_bytes(gs_input_files(input)) == 993 &&
	      gs_input_next(input) && reads(input, 7, 500, 500) && gs_input_rewind(input) == GS_OK &&
	      gs_input_next(input) && reads(input, 7, 1000, 993) && !gs_input_next(input) &&
	      gs_input_rewind(input) == GS_OK && gs_input_next(input) && reads(input, 7, 90, 90),
	      "a file that is standard input is read again from where it was");
	CHECK(!gs_input_next(input) && lseek(STDIN_FILENO, 0, SEEK_CUR) == 97,
	      "and left where reading ended");
	gs_input_close(input);
}

static void
check_offset_compressed(void)
{
	const struct gs_input_options options = { .binary = false, .threads = 1 };
	struct gs_input *input;

	CHECK(gs_input_open(&input, &options) == GS_OK && gs_input_next(input) &&
	      reads(input, 0, 4000, 4000) && gs_input_rewind(input) == GS_OK &&
	      gs_input_next(input) && reads(input, 0, 60000, 50000),
	      "and if it is compressed");
	gs_input_close(input);
}

/* A pipe, named twice: the second time it is empty, also when all is read again. */
static void
check_spent(void)
{
	const char *names[] = { "-", "-" };
	const struct gs_input_options options = {
		.names = names, .count = 2, .binary = true, .threads = 1,
		.record_memory = memory, .record_bytes = MEMORY_BYTES,
	};
	struct gs_input *input;

	CHECK(gs_input_open(&input, &options) == GS_OK && gs_input_next(input) &&
	      reads(input, 0, 200, 100) && gs_input_next(input) && reads(input, 0, 200, 0) &&
	      gs_input_rewind(input) == GS_OK && gs_input_next(input) && reads(input, 0, 200, 100) &&
	      gs_input_next(input) && reads(input, 0, 200, 0) && !gs_input_next(input),
	      "standard input is read once, however often it is named");
	gs_input_close(input);
}

static void
check_standard_input(void)
{
	char *data = content(0, 50000), *packed = malloc(100000);
	int ends[2], fd;

	write_file("a", 0, 1000);
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

/* ---- looking ahead ------------------------------------------------------------------ */

static void
check_peek(size_t bytes, uint64_t least, size_t record_bytes)
{
	char *data = content(0, bytes), into[200];
	struct source source = { .data = data, .bytes = bytes };
	struct gs_input *input = open_source(&source, true, record_bytes);
	const size_t room = record_bytes < GS_LOOK_LEAST && record_bytes > 0 ? GS_LOOK_BYTES : record_bytes;
	const size_t some = least < bytes ? (size_t)least : bytes;
	const bool whole = least > bytes && bytes < record_bytes && record_bytes >= GS_LOOK_LEAST;
	struct gs_input_piece pieces[3];
	uint64_t there;
	size_t got;
	bool yes = false;

	CHECK(gs_input_peek_bytes(input, least, &there) == GS_OK &&
	      there == (some < room ? some : room) &&
	      gs_files_bytes(gs_input_files(input)) == (whole ? bytes : GS_UNKNOWN),
	      "%zu bytes, %zu wanted, memory for %zu: %zu are there", bytes, (size_t)least, record_bytes,
	      (size_t)there);
	CHECK(gs_files_partial(gs_input_files(input), 7, &there) == NULL || (whole && bytes % 7 != 0),
	      "no part of a key is seen where there is none");
	CHECK(gs_input_next(input) && gs_input_claims(input, &yes) == GS_OK && yes == whole,
	      "it can be claimed if all is there");
	if (yes) {
		CHECK(reads(input, 0, bytes / 3, bytes / 3), "its head is read");
		for (unsigned p = 0; p < 3; p++)
			gs_input_claim(input, bytes / 3, &pieces[p]);
		for (unsigned p = 3; p-- > 0; )
			CHECK(gs_input_read_piece(input, &pieces[p], into, &got) == GS_OK &&
			      got == pieces[p].bytes && is_content(into, pieces[p].offset, got) &&
			      pieces[p].bytes == (p < 2 ? bytes / 3 : bytes % 3 < bytes / 3 ? bytes % 3
			                                                                    : bytes / 3),
			      "piece %u of a recording is read", p);
		CHECK(gs_input_rewind(input) == GS_OK && gs_input_next(input), "it is rewound");
	}
	CHECK(reads(input, 0, bytes + 1, bytes) && !gs_input_next(input), "it is read whole");
	gs_input_close(input);
	free(data);
}

/* The pipe is looked at before the files that stand before it are read. */
static void
check_peek_behind_files(void)
{
	const char *names[] = { path("a"), path("b"), path("c") };
	const struct gs_input_options options = {
		.names = names, .count = 3, .binary = true, .threads = 1,
		.record_memory = memory, .record_bytes = MEMORY_BYTES,
	};
	struct writer writer = { .name = names[1], .from = 1000, .bytes = 70000 };
	struct gs_input *input;
	uint64_t bytes;

	write_file("a", 0, 1000);
	write_file("c", 71000, 1000);
	mkfifo(names[1], 0600);
	pthread_create(&writer.id, NULL, write_pipe, &writer);
	CHECK(gs_input_open(&input, &options) == GS_OK &&
	      gs_files_bytes(gs_input_files(input)) == GS_UNKNOWN &&
	      gs_input_peek_bytes(input, 1 << 20, &bytes) == GS_OK && bytes == 0 &&
	      gs_files_bytes(gs_input_files(input)) == GS_UNKNOWN,
	      "a named pipe between files is not waited for");
	CHECK(gs_input_next(input) && reads(input, 0, 1001, 1000) && gs_input_next(input) &&
	      gs_input_name(input) == names[1] && reads(input, 1000, 70001, 70000) &&
	      gs_input_next(input) && reads(input, 71000, 1001, 1000) && !gs_input_next(input),
	      "and read when its turn comes");
	gs_input_close(input);
	pthread_join(writer.id, NULL);
	for (unsigned n = 0; n < 3; n++)
		remove(names[n]);
}

/* ---- memory --------------------------------------------------------------------------- */

enum { LARGE_BYTES = 3 << 20, PART_BYTES = 100003 };

struct claims {
	struct gs_input *input;
	struct gs_input_piece pieces[64];
	char *into;
	bool  read[64];
};

static void
read_one(void *context, size_t p)
{
	struct claims *claims = context;
	const struct gs_input_piece *piece = &claims->pieces[p];
	size_t got;

	claims->read[p] = gs_input_read_piece(claims->input, piece, claims->into + piece->offset,
	                                      &got) == GS_OK && got == piece->bytes;
}

/* A pipe that was looked at whole is read by four threads; its memory stays, or goes. */
static void
check_threads(bool stop)
{
	char *data = content(0, LARGE_BYTES);
	struct source source = { .data = data, .bytes = LARGE_BYTES };
	struct gs_input *input = open_source(&source, true, MEMORY_BYTES);
	const size_t pages = LARGE_BYTES / (size_t)sysconf(_SC_PAGESIZE);
	struct claims claims = { .input = input, .into = malloc(LARGE_BYTES) };
	size_t count = 0, left;
	uint64_t bytes;
	bool yes = false;

	clear_memory();
	CHECK(gs_input_peek_bytes(input, MEMORY_BYTES, &bytes) == GS_OK && bytes == LARGE_BYTES &&
	      gs_input_next(input) && gs_input_claims(input, &yes) == GS_OK && yes &&
	      resident_pages() == pages, "%zu pages are touched, and no others", pages);
	if (stop)
		gs_input_stop_recording(input);
	do
		gs_input_claim(input, PART_BYTES, &claims.pieces[count]);
	while (claims.pieces[count].bytes > 0 && ++count < 64);
	gs_team_each(4, count, read_one, &claims);
	for (size_t p = 0; p < count; p++)
		CHECK(claims.read[p], "piece %zu is read by a thread of a team", p);
	left = resident_pages();
	CHECK(memcmp(claims.into, data, LARGE_BYTES) == 0 &&
	      (stop ? left <= count : left == pages), "%zu of %zu pages are left", left, pages);
	CHECK(!gs_input_next(input) && (stop ? resident_pages() == 0 : resident_pages() == pages) &&
	      (gs_input_rewind(input) == GS_OK) == !stop, "behind the last file: %zu", resident_pages());
	gs_input_close(input);
	free(claims.into);
	free(data);
}

/* Memory goes when recording ends: because somebody says so, it is full, or it was passed. */
static void
check_released(void)
{
	enum { HALF = LARGE_BYTES / 2 };
	char *data = content(0, LARGE_BYTES);
	struct source source = { .data = data, .bytes = LARGE_BYTES };
	struct gs_input *input = open_source(&source, true, MEMORY_BYTES);
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	clear_memory();
	CHECK(gs_input_next(input) && reads(input, 0, HALF, HALF) && resident_pages() == HALF / page,
	      "half of a pipe is kept");
	gs_input_stop_recording(input);
	CHECK(resident_pages() == 0 && gs_input_rewind(input) != GS_OK &&
	      reads(input, HALF, LARGE_BYTES, HALF) && resident_pages() == 0,
	      "and given back, and no more is kept");
	gs_input_close(input);

	input = open_source(&source, true, HALF);
	CHECK(gs_input_next(input) && reads(input, 0, HALF, HALF) &&
	      resident_pages() == HALF / page && reads(input, HALF, 1, 1) &&
	      resident_pages() == 0 && gs_input_rewind(input) == GS_EBUDGET &&
	      reads(input, HALF + 1, LARGE_BYTES, HALF - 1), "what is full is given back");
	gs_input_close(input);

	input = open_source(&source, true, MEMORY_BYTES);
	CHECK(gs_input_next(input) && reads(input, 0, HALF, HALF) && gs_input_rewind(input) == GS_OK &&
	      gs_input_next(input) && reads(input, 0, HALF, HALF) && resident_pages() == HALF / page &&
	      reads(input, HALF, 1, 1) && resident_pages() == 0 &&
	      reads(input, HALF + 1, LARGE_BYTES, HALF - 1) && resident_pages() == 0,
	      "what was read again is given back with the first new byte");
	gs_input_close(input);

	input = open_source(&source, true, MEMORY_BYTES);
	CHECK(gs_input_next(input) && reads(input, 0, HALF, HALF) && gs_input_rewind(input) == GS_OK,
	      "half of a pipe is kept once more");
	gs_input_stop_recording(input);
	CHECK(gs_input_next(input) && resident_pages() == HALF / page &&
	      reads(input, 0, HALF / 2, HALF / 2) && resident_pages() == HALF / 2 / page &&
	      reads(input, HALF / 2, LARGE_BYTES, LARGE_BYTES - HALF / 2) && resident_pages() == 0,
	      "and given back while it is read again");
	gs_input_close(input);
	free(data);
}

/* The second of two pipes has no memory left: then that of the first is given back. */
static void
check_released_first(void)
{
	const char *names[] = { path("b"), path("d") };
	const struct gs_input_options options = {
		.names = names, .count = 2, .binary = true, .threads = 1,
		.record_memory = memory, .record_bytes = LARGE_BYTES + GS_LOOK_LEAST - 1,
	};
	struct writer writers[2] = {
		{ .name = names[0], .bytes = LARGE_BYTES },
		{ .name = names[1], .from = LARGE_BYTES, .bytes = 10 },
	};
	struct gs_input *input;

	for (unsigned w = 0; w < 2; w++) {
		mkfifo(names[w], 0600);
		pthread_create(&writers[w].id, NULL, write_pipe, &writers[w]);
	}
	clear_memory();
	CHECK(gs_input_open(&input, &options) == GS_OK && gs_input_next(input) &&
	      reads(input, 0, LARGE_BYTES + 1, LARGE_BYTES) && gs_input_next(input) &&
	      resident_pages() > 0, "a pipe is kept");
	CHECK(reads(input, LARGE_BYTES, 1, 1) && resident_pages() == 0 && gs_input_rewind(input) != GS_OK &&
	      reads(input, LARGE_BYTES + 1, 20, 9) && gs_input_rewind(input) == GS_EBUDGET,
	      "and given back when there is no memory for the next one: %zu", resident_pages());
	gs_input_close(input);
	for (unsigned w = 0; w < 2; w++) {
		pthread_join(writers[w].id, NULL);
		remove(names[w]);
	}
}

/* ---- a reader thread -------------------------------------------------------------------- */

/* A thread that reads ahead is stopped while it waits for a pipe; then all is read again. */
static void
check_stopped(void)
{
	enum { CHUNK = 1000, BYTES = 10000, PAUSE_AT = 2500 };
	const char *names[] = { path("b") };
	const struct gs_input_options options = {
		.names = names, .count = 1, .binary = true, .threads = 1,
		.record_memory = memory, .record_bytes = MEMORY_BYTES,
	};
	char chunks[GS_AHEAD_CHUNKS * CHUNK];
	struct writer writer = { .name = names[0], .bytes = BYTES, .pause_at = PAUSE_AT };
	struct gs_chunk *chunk;
	struct gs_input *input = NULL;
	struct gs_ahead ahead;
	size_t at = 0;
	bool holds;
	int go[2];

	mkfifo(names[0], 0600);
	CHECK(pipe(go) == 0 && gs_input_open(&input, &options) == GS_OK, "a pipe is opened");
	writer.go = go[0];
	pthread_create(&writer.id, NULL, write_pipe, &writer);
	gs_ahead_open(&ahead, input, chunks, CHUNK);
	CHECK(gs_ahead_take(&ahead, &chunk) == GS_OK && chunk->bytes == CHUNK &&
	      is_content(chunk->data, 0, CHUNK), "a chunk is taken");
	gs_ahead_close(&ahead);
	CHECK(gs_input_rewind(input) == GS_OK, "it is rewound: %s", gs_message());
	CHECK(write(go[1], "", 1) == 1, "the writer goes on");
	gs_ahead_open(&ahead, input, chunks, CHUNK);
	do {
		holds = gs_ahead_take(&ahead, &chunk) == GS_OK;
		if (!holds || chunk == NULL)
			break;
		holds = is_content(chunk->data, at, chunk->bytes);
		at += chunk->bytes;
		gs_ahead_give(&ahead, chunk);
	} while (holds);
	CHECK(holds && at == BYTES, "after a stop %zu of %d bytes are read: %s", at, BYTES, gs_message());
	gs_ahead_close(&ahead);
	gs_input_close(input);
	pthread_join(writer.id, NULL);
	close(go[0]);
	close(go[1]);
	remove(names[0]);
}

/* 0, 1, 2, and then from before GS_LOOK_LEAST on. */
static size_t
next(size_t bytes)
{
	return bytes == 2 ? GS_LOOK_LEAST - 4 : bytes + 1;
}

void unit_recorder(void);

void
unit_recorder(void)
{
	snprintf(folder, sizeof folder, "%s/units.XXXXXX", gs_temp_dir());
	memory = mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE,
	              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (mkdtemp(folder) == NULL || memory == MAP_FAILED) {
		CHECK(false, "a temporary folder is made");
		return;
	}
	(void)signal(SIGPIPE, SIG_IGN);	/* a writer whose reader has failed ends */
	madvise(memory, MEMORY_BYTES, MADV_NOHUGEPAGE);
	for (size_t bytes = 0; bytes < 44; bytes = next(bytes))
		for (size_t record_bytes = 0; record_bytes < 48; record_bytes = next(record_bytes))
			for (size_t before = 0; before <= bytes + 1; before++)
				check_each_byte(bytes, record_bytes, before);
	check_twice();
	check_error();
	check_compressed(0);
	check_compressed(100);
	check_compressed(300000);
	check_compressed(700000);
	for (size_t before = 0; before < 440000; before += 39999)
		check_files(before, MEMORY_BYTES / 2, true, before % 2);
	check_files(1000 + 70001, 70001, true, false);
	check_files(1000 + 70001, 70000, false, false);
	check_files(1000 + 70001 + 300000 + 33, 70034, true, false);
	check_files(1000 + 70001 + 300000 + 34, 70034, false, false);
	check_replaced();
	check_compressed_file();
	check_unrecorded();
	check_standard_input();
	for (size_t bytes = 0; bytes < 44; bytes = next(bytes))
		for (uint64_t least = 0; least < 46; least = next(least))
			for (size_t record_bytes = 0; record_bytes < 48; record_bytes = next(record_bytes))
				check_peek(bytes, least, record_bytes);
	check_peek(20, UINT64_MAX, 100);
	check_peek_behind_files();
	check_threads(false);
	check_threads(true);
	check_released();
	check_released_first();
	/* Once in many thousand times, on a busy machine, the thread was between two files. */
	for (unsigned round = 0; round < (units_brief() ? 20 : 500); round++)
		check_stopped();
	munmap(memory, MEMORY_BYTES);
	rmdir(folder);
}
