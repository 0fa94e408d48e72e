// SPDX-License-Identifier: BSD-2-Clause
/* files.c - rows for src/io/files.c: facts about all files of an input, and how many stay open */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "io/files.h"
#include "io/input.h"
#include "tests/unit/units.h"

void unit_files(void);

/* A file is a letter: p plain with 8 bytes, q with 6, z zstd of 5, g gzip of 5, a one that may be compressed,
 * | a pipe, e empty. */
static const struct row {
	const char *files;
	uint64_t    bytes, stored;	/* 1: unknown */
	int         partial;		/* the first with a partial key of 4 bytes; -1: none */
	bool        may, does, large, seekable;
} rows[] = {
	{ "", 0, 0, -1, false, false, false, true },
	{ "p", 8, 8, -1, false, false, false, true },
	{ "q", 6, 6, 0, false, false, false, true },
	{ "e", 0, 0, -1, false, false, false, true },
	{ "z", 1, 5, -1, true, true, true, true },
	{ "g", 1, 5, -1, true, true, false, true },
	{ "a", 1, 8, -1, true, false, false, true },
	{ "|", 1, 1, -1, true, false, false, false },
	{ "ppe", 16, 16, -1, false, false, false, true },
	{ "pqpq", 28, 28, 1, false, false, false, true },
	{ "pz", 1, 13, -1, true, true, true, true },
	{ "gz", 1, 10, -1, true, true, true, true },
	{ "pgq", 1, 19, 2, true, true, false, true },
	{ "p|q", 1, 1, 2, true, false, false, false },
	{ "|pz", 1, 1, -1, true, true, true, false },
	{ "gap", 1, 21, -1, true, true, false, true },
};

static void
check_facts(const struct row *row)
{
	struct gs_file list[8] = { { .name = NULL } };
	const struct gs_files files = { list, strlen(row->files) };
	const uint64_t bytes = row->bytes == 1 ? GS_UNKNOWN : row->bytes;
	const uint64_t stored = row->stored == 1 ? GS_UNKNOWN : row->stored;
	const char *partial;
	uint64_t odd = 0;

	for (size_t f = files.count; f < 8; f++)	/* none of these is meant */
		list[f].bytes = 3;
	for (size_t f = 0; f < files.count; f++) {
		const char kind = row->files[f];

		list[f].name = &row->files[f];
		list[f].regular = kind != '|';
		list[f].bytes = kind == '|' ? GS_UNKNOWN : kind == 'e' ? 0 : kind == 'q' ? 6 : kind == 'p' ||
		                kind == 'a' ? 8 : 5;
		list[f].format = kind == 'z' ? GSORT_DECOMPRESS_ZSTD : kind == 'g' ? GSORT_DECOMPRESS_GZIP
		                 : kind == 'a' || kind == '|' ? GSORT_DECOMPRESS_AUTO : GSORT_DECOMPRESS_NONE;
	}
	CHECK(gs_files_bytes(&files, false) == bytes && gs_files_bytes(&files, true) == stored,
	      "%s: %llu bytes, %llu as they are stored", row->files,
	      (unsigned long long)gs_files_bytes(&files, false),
	      (unsigned long long)gs_files_bytes(&files, true));
	partial = gs_files_partial(&files, 4, &odd);
	CHECK(partial == (row->partial < 0 ? NULL : list[row->partial].name) && (partial == NULL || odd == 6),
	      "%s: a file of %llu bytes is none of whole keys", row->files, (unsigned long long)odd);
	CHECK(gs_files_inflate(&files, GS_MAY_INFLATE) == row->may &&
	      gs_files_inflate(&files, GS_INFLATES) == row->does &&
	      gs_files_inflate(&files, GS_LARGE_WINDOW) == row->large, "%s: what is compressed", row->files);
	CHECK(gs_files_are_seekable(&files) == row->seekable, "%s: what is read again", row->files);
}

/* How many of COUNT files stay open if a process may have LIMIT; none if they are opened LATER. */
static void
check_limit(size_t limit, size_t count, bool later, size_t stay)
{
	const char *name, *names[200];
	const struct gs_input_options options = {
		.names = names, .count = count, .unit = 1, .threads = 1, .later = later,
	};
	struct rlimit before, less;
	struct gs_files files;
	size_t open_ones = 0, waiting = 0;
	gs_status status;
	char path[64] = "/tmp/units.XXXXXX";

	close(mkstemp(path));
	name = path;
	for (size_t f = 0; f < count; f++)
		names[f] = name;
	getrlimit(RLIMIT_NOFILE, &before);
	less = before;
	less.rlim_cur = limit;
	setrlimit(RLIMIT_NOFILE, &less);
	status = gs_files_open(&files, &options);
	for (size_t f = 0; f < files.count; f++) {
		open_ones += files.list[f].fd >= 0;
		waiting += files.list[f].waits;
	}
	gs_files_close(&files);
	setrlimit(RLIMIT_NOFILE, &before);
	CHECK(status == GS_OK && open_ones == stay && waiting == count - stay && files.list == NULL,
	      "with %zu descriptors %zu of %zu files stay open, %zu wait", limit, open_ones, count, waiting);
	unlink(path);
}

static ptrdiff_t
no_bytes(void *context, void *into, size_t bytes)
{
	(void)context, (void)into, (void)bytes;
	return 0;
}

/* An opened file has the format that was asked for; standard input may be closed. */
static void
check_open(void)
{
	const char *names[2] = { "/proc/self/status", "-" };
	struct gs_input_options options = {
		.names = names, .count = 1, .threads = 1, .decompress = GSORT_DECOMPRESS_XZ,
	};
	const size_t memory = units_memory();
	const int kept = dup(STDIN_FILENO);
	struct gs_files files;

	CHECK(gs_files_open(&files, &options) == GS_OK && files.list[0].format == GSORT_DECOMPRESS_XZ &&
	      !files.list[0].spent, "the format that is asked for");
	gs_files_close(&files);
	options.decompress = GSORT_DECOMPRESS_NONE;
	CHECK(gs_files_open(&files, &options) == GS_OK && gs_files_bytes(&files, true) == GS_UNKNOWN &&
	      files.list[0].regular, "a file of /proc has bytes, though its size is 0");
	gs_files_close(&files);
	options.read = no_bytes;
	CHECK(gs_files_open(&files, &options) == GS_OK && files.list[0].fd == -1, "a callback has none");
	gs_files_close(&files);
	options.read = NULL;
	close(STDIN_FILENO);
	CHECK(gs_files_open(&files, &options) == GS_OK, "standard input is closed, and not wanted: %s",
	      gs_message());
	gs_files_close(&files);
	options.count = 2;
	CHECK(gs_files_open(&files, &options) == GS_EIO && strstr(gs_message(), "cannot read: -") != NULL,
	      "or wanted: %s", gs_message());
	gs_files_close(&files);
	dup2(kept, STDIN_FILENO);
	close(kept);
	memset(&files, 0x55, sizeof files);
	units_fail(0);
	CHECK(gs_files_open(&files, &options) == GS_EBUDGET && units_has_failed(), "no memory");
	gs_files_close(&files);
	CHECK(units_memory() == memory, "%zd bytes are not given back", (ssize_t)(units_memory() - memory));
}

void
unit_files(void)
{
	check_open();
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
		check_facts(&rows[r]);
	check_limit(40, 19, false, 19);
	check_limit(40, 21, false, 20);
	check_limit(41, 30, false, 20);
	check_limit(64, 40, false, 32);
	check_limit(66, 40, false, 34);
	check_limit(150, 150, false, 150 - 32);
	check_limit(150, 150, true, 0);
}
