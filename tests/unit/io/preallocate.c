// SPDX-License-Identifier: BSD-2-Clause
/* preallocate.c - rows for src/io/preallocate.c: which blocks a file is given ahead, and that none stay */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/filesystem.h"
#include "io/replace.h"
#include "tests/unit/units.h"

void unit_preallocate(void);

enum { MIB = 1 << 20 };

static char path[200];

static int
open_file(int flags)
{
	return open(path, flags | O_CREAT, 0600);
}

static uint64_t
blocks_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 ? (uint64_t)st.st_blocks * 512 : 0;
}

/* Which descriptors want blocks, from where on, and how many at once if several are written. */
static void
check_open(void)
{
	static const struct { unsigned files; uint64_t mib; } rows[] = {
		{ 0, 64 }, { 1, 64 }, { 2, 32 }, { 16, 4 }, { 17, 4 }, { 1000, 4 },
	};
	const int fd = open_file(O_RDWR | O_TRUNC), appends = open_file(O_WRONLY | O_APPEND);
	const int none = open("/dev/null", O_WRONLY);
	struct gs_preallocation blocks;
	int ends[2];

	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		CHECK(lseek(fd, 7 * (off_t)r, SEEK_SET) == 7 * (off_t)r, "a place");
		gs_preallocate_open(&blocks, fd, rows[r].files);
		CHECK(blocks.wanted && blocks.fd == fd && blocks.at == 7 * r && blocks.end == 0 &&
		      blocks.written == 0 && blocks.ahead_bytes == rows[r].mib * MIB,
		      "one of %u files: %llu bytes", rows[r].files, (unsigned long long)blocks.ahead_bytes);
	}
	gs_preallocate_open(&blocks, appends, 1);
	CHECK(!blocks.wanted, "none where others may append");
	gs_preallocate_open(&blocks, none, 1);
	CHECK(!blocks.wanted, "none for a device");
	close(none);
	gs_preallocate_open(&blocks, none, 1);
	CHECK(!blocks.wanted, "none for what is closed");
	CHECK(pipe(ends) == 0, "a pipe");
	gs_preallocate_open(&blocks, ends[1], 1);
	CHECK(!blocks.wanted && gs_preallocate_cut(&blocks) == 0, "none for a pipe");
	close(ends[0]);
	close(ends[1]);
	close(appends);
	close(fd);
}

/* A file is written in pieces: after each, where its blocks end. */
static void
check_ahead(int fd, bool pays)
{
	static const struct { size_t bytes; uint64_t end; } pieces[] = {
		{ MIB - 1, 0 }, { 1, 5 + MIB - 1 + 4 * MIB }, { 4 * MIB - 1, 5 + 5 * MIB - 1 },
		{ 1, 5 + 9 * MIB - 1 }, { 9 * MIB, 5 + 14 * MIB }, { 1, 5 + 18 * MIB },
	};
	struct gs_preallocation blocks;
	uint64_t at = 5;

	CHECK(ftruncate(fd, 0) == 0 && lseek(fd, 5, SEEK_SET) == 5, "a file");
	gs_preallocate_open(&blocks, fd, 100);
	for (size_t p = 0; p < sizeof pieces / sizeof pieces[0]; p++) {
		gs_preallocate_ahead(&blocks, pieces[p].bytes);
		at += pieces[p].bytes;
		CHECK(blocks.at == at && blocks.end == (pays ? pieces[p].end : 0),
		      "piece %zu: blocks up to %llu", p, (unsigned long long)blocks.end);
		CHECK(blocks_of(fd) + MIB > blocks.end && blocks_of(fd) <= blocks.end + MIB,
		      "piece %zu: %llu bytes of blocks", p, (unsigned long long)blocks_of(fd));
	}
	CHECK(pwrite(fd, "x", 1, (off_t)at - 1) == 1 && gs_preallocate_cut(&blocks) == 0 && blocks.end == 0 &&
	      !blocks.wanted && lseek(fd, 0, SEEK_END) == (off_t)at && blocks_of(fd) < at + MIB,
	      "they are cut: %llu bytes stay", (unsigned long long)blocks_of(fd));
	gs_preallocate_ahead(&blocks, 9 * MIB);
	CHECK(blocks.end == 0, "and no others are asked for");
}

/* All blocks of a file at once. */
static void
check_all(int fd, bool pays)
{
	for (unsigned less = 0; less < 2; less++) {
		struct gs_preallocation blocks;

		CHECK(ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0, "a file");
		gs_preallocate_open(&blocks, fd, 1);
		gs_preallocate_all(&blocks, MIB - less);
		CHECK(!blocks.wanted && blocks.end == (pays && !less ? MIB : 0) && blocks.at == 0,
		      "%u less than a MiB: blocks up to %llu", less, (unsigned long long)blocks.end);
		gs_preallocate_ahead(&blocks, 2 * MIB);
		CHECK(blocks.end == (pays && !less ? MIB : 0), "no more are asked for");
		gs_preallocate_all(&blocks, 3 * MIB);
		CHECK(blocks.end == (pays && !less ? MIB : 0), "even if there will be more bytes");
		CHECK(gs_preallocate_cut(&blocks) == 0 && blocks_of(fd) == 0, "none is left");
	}
}

/* A descriptor that can be given no blocks, and cannot be cut. */
static void
check_failures(bool pays)
{
	const int fd = open_file(O_RDONLY);
	struct gs_preallocation blocks;

	gs_preallocate_open(&blocks, fd, 100);
	gs_preallocate_ahead(&blocks, 2 * MIB);
	CHECK(!blocks.wanted && blocks.end == (pays ? 4 * MIB : 0), "what fails is not tried again");
	CHECK((gs_preallocate_cut(&blocks) == 0) == !pays, "what cannot be cut is an error");
	blocks.end = 1;
	close(fd);
	CHECK(gs_preallocate_cut(&blocks) != 0, "nor can what is closed");
}

void
unit_preallocate(void)
{
	const char *temp = getenv("TMPDIR");
	struct rlimit before = { .rlim_cur = 0 }, limit;
	bool pays;
	int fd;

	snprintf(path, sizeof path, "%s/units.%ld.p",
	         temp != NULL && strlen(temp) < 40 ? temp : "/tmp", (long)getpid());
	check_open();
	fd = open_file(O_RDWR | O_TRUNC);
	pays = getrlimit(RLIMIT_FSIZE, &before) == 0 && before.rlim_cur == RLIM_INFINITY &&
	       gs_filesystem_preallocates(fd);
	check_ahead(fd, pays);
	check_all(fd, pays);
	CHECK(ftruncate(fd, 0) == 0, "a file");
	check_failures(pays);
	limit = before;
	if (limit.rlim_cur > 64 * MIB)
		limit.rlim_cur = 64 * MIB;
	setrlimit(RLIMIT_FSIZE, &limit);	/* none, where the kernel would kill */
	check_ahead(fd, false);
	check_all(fd, false);
	setrlimit(RLIMIT_FSIZE, &before);
	close(fd);
	remove(path);
}
