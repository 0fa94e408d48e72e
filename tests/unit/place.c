// SPDX-License-Identifier: BSD-2-Clause
/* place.c - many writers of one output, and pages for a pipe: what arrives is what was meant */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/output.h"
#include "tests/unit/units.h"

enum {
	THREADS = 6,
	PIECE   = 100003,	/* of no page */
	PIECES  = 97,
	WHOLE   = PIECE * PIECES,
};

static char path[200];

/* What belongs at byte AT of every output here. */
static char
letter(size_t at)
{
	return (char)(units_mix(at / 8) >> (at % 8 * 8));
}

static char *
letters(size_t from, size_t bytes)
{
	char *data = malloc(bytes + 1);

	for (size_t b = 0; b < bytes; b++)
		data[b] = letter(from + b);
	return data;
}

/* From its byte AT on the file holds that of an output of BYTES, and is SIZE long. */
static bool
holds(size_t at, size_t bytes, size_t size)
{
	FILE *file = fopen(path, "r");
	bool same = file != NULL && fseek(file, (long)at, SEEK_SET) == 0;

	for (size_t b = 0; same && b < bytes; b++)
		same = getc(file) == (unsigned char)letter(b);
	same = same && fseek(file, 0, SEEK_END) == 0 && (size_t)ftell(file) == size;
	if (file != NULL)
		fclose(file);
	return same;
}

/* No blocks behind the end. */
static bool
is_tight(void)
{
	struct stat st;

	return stat(path, &st) == 0 && st.st_blocks * 512 <= st.st_size + (256 << 10);
}

static struct gs_output *
open_output(const char *name)
{
	const struct gs_output_options options = { .name = name };
	struct gs_output *out;

	return gs_output_open(&out, &options) == GS_OK ? out : NULL;
}

/* Standard output is FD for a while: for an output that takes it as it is. */
static struct gs_output *
open_standard(int fd, int *kept)
{
	fflush(stdout);
	*kept = dup(STDOUT_FILENO);
	dup2(fd, STDOUT_FILENO);
	return open_output(NULL);
}

static void
restore_standard(int kept)
{
	dup2(kept, STDOUT_FILENO);
	close(kept);
}

/* ---- many writers -------------------------------------------------------------- */

static struct crew {
	struct gs_output *out;
	size_t            at;		/* of piece 0 */
	_Atomic unsigned  next, failed;
	char              message[200];
} crew;

/* Pieces in an order that is none; the last piece may be the first. */
static void *
place_pieces(void *context)
{
	unsigned p;

	(void)context;
	while ((p = atomic_fetch_add(&crew.next, 1)) < PIECES) {
		const size_t at = crew.at + p * 89 % PIECES * (size_t)PIECE;
		char *data = letters(at, PIECE);

		if (gs_output_place(crew.out, at, data, PIECE) != GS_OK &&
		    atomic_fetch_add(&crew.failed, 1) == 0)
			snprintf(crew.message, sizeof crew.message, "%s", gs_message());
		free(data);
	}
	return NULL;
}

/* True: each piece is at its place. */
static bool
place_all(struct gs_output *out, size_t at)
{
	pthread_t ids[THREADS];

	crew = (struct crew){ .out = out, .at = at };
	for (unsigned t = 0; t < THREADS; t++)
		pthread_create(&ids[t], NULL, place_pieces, NULL);
	for (unsigned t = 0; t < THREADS; t++)
		pthread_join(ids[t], NULL);
	return crew.failed == 0;
}

/* A header, what threads place, and a trailer: MORE bytes are expected and do not come. */
static void
check_named(size_t more)
{
	struct gs_output *out = open_output(path);
	char *head = letters(0, 1000), *tail = letters(1000 + WHOLE, 2000);

	CHECK(out != NULL && gs_output_places(out) && !gs_output_takes_pages(out) &&
	      gs_output_write(out, head, 1000) == GS_OK &&
	      gs_output_expect(out, 1000 + WHOLE + more) == GS_OK && place_all(out, 1000) &&
	      gs_output_submit(out, tail, 1500) == GS_OK &&
	      gs_output_write(out, tail + 1500, 500) == GS_OK && gs_output_finish(out) == GS_OK,
	      "a named file is written at its places: %s", gs_message());
	gs_output_close(out);
	CHECK(holds(0, WHOLE + 3000, WHOLE + 3000), "all is where it belongs");
	CHECK(is_tight(), "no blocks stay behind the end, %zu bytes too many expected", more);
	free(head);
	free(tail);
	remove(path);
}

/* A file of SIZE, written from AT on through its descriptor, which is not ours. */
static void
check_standard(size_t size, size_t at, size_t more, bool finish)
{
	const size_t end = at + WHOLE, after = !finish ? size : end > size ? end : size;
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600), kept;
	struct gs_output *out;
	char last;

	CHECK(ftruncate(fd, (off_t)size) == 0 && pwrite(fd, "z", 1, (off_t)size - 1) == 1 &&
	      lseek(fd, (off_t)at, SEEK_SET) == (off_t)at, "a file is there");
	out = open_standard(fd, &kept);
	CHECK(gs_output_places(out) && gs_output_expect(out, WHOLE + more) == GS_OK &&
	      place_all(out, 0) && (!finish || gs_output_finish(out) == GS_OK),
	      "standard output is written at its places: %s", gs_message());
	gs_output_close(out);
	restore_standard(kept);
	CHECK(lseek(fd, 0, SEEK_CUR) == (off_t)(finish ? end : at),
	      "the descriptor points behind the last byte, or where it did");
	CHECK(holds(at, finish ? WHOLE : 0, after),
	      "from byte %zu on all is there, or nothing", at);
	CHECK(size <= end || (pread(fd, &last, 1, (off_t)size - 1) == 1 && last == 'z'),
	      "what was behind it is still");
	CHECK(size > end || is_tight(), "no blocks stay behind the end");
	close(fd);
	remove(path);
}

/* A handler of a signal takes it back before it is whole. */
static void
check_abandoned(void)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600), kept;
	struct gs_output *out = open_standard(fd, &kept);
	struct stat st;

	CHECK(gs_output_expect(out, 2 * WHOLE) == GS_OK && place_all(out, WHOLE), "half is there");
	gs_output_abandon();
	CHECK(fstat(fd, &st) == 0 && st.st_size == 0 && st.st_blocks == 0, "and is taken back");
	CHECK(!place_all(out, 0) && fstat(fd, &st) == 0 && st.st_size == 0, "the rest does not come");
	gs_output_close(out);
	restore_standard(kept);
	close(fd);
	remove(path);
}

/* What somebody else writes to the same descriptor meanwhile comes behind, and stays. */
static void
check_company(bool finish)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600), kept;
	struct gs_output *out = open_standard(fd, &kept);
	char note[5] = "";

	CHECK(gs_output_expect(out, WHOLE) == GS_OK && write(fd, "note", 4) == 4 &&
	      place_all(out, 0) && (!finish || gs_output_finish(out) == GS_OK), "two write one file");
	gs_output_close(out);
	restore_standard(kept);
	CHECK(holds(0, WHOLE, WHOLE + 4) && lseek(fd, 0, SEEK_CUR) == WHOLE + 4 &&
	      pread(fd, note, 4, WHOLE) == 4 && strcmp(note, "note") == 0,
	      "and do not write over each other, nor cut: %s", note);
	close(fd);
	remove(path);
}

static void
check_kinds(void)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600), pair[2], kept;
	struct gs_output *out = open_standard(fd, &kept);

	CHECK(!gs_output_places(out) && !gs_output_takes_pages(out) &&
	      gs_output_expect(out, 100) == GS_OK, "a file to append to is not placed in");
	gs_output_close(out);
	restore_standard(kept);
	close(fd);
	remove(path);
	out = open_output("/dev/null");
	CHECK(!gs_output_places(out) && !gs_output_takes_pages(out), "nor is a device");
	gs_output_close(out);
	CHECK(pipe(pair) == 0, "a pipe");
	out = open_standard(pair[1], &kept);
	CHECK(!gs_output_places(out) && gs_output_takes_pages(out), "nor a pipe: it takes pages");
	gs_output_close(out);
	restore_standard(kept);
	close(pair[0]);
	close(pair[1]);
}

/* In a row, by write(2), in pieces that make it ask for room ahead. */
static void
check_stream(void)
{
	struct gs_output *out = open_output(path);
	char *data = letters(0, WHOLE);
	bool good = out != NULL;

	for (size_t at = 0; at < WHOLE; at += 7 * PIECE)
		good = good && gs_output_submit(out, data + at,
		       WHOLE - at < 7 * PIECE ? WHOLE - at : 7 * PIECE) == GS_OK;
	CHECK(good && gs_output_finish(out) == GS_OK, "a stream is written: %s", gs_message());
	gs_output_close(out);
	CHECK(holds(0, WHOLE, WHOLE) && is_tight(), "and is as long as it is");
	free(data);
	remove(path);
}

/* ---- trouble: in a process of its own ------------------------------------------- */

/* The wait status of a child that runs BODY. */
static int
in_child(void (*body)(void))
{
	int status = -1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		units_failed = 0;
		body();
		fflush(stdout);
		_exit(units_failed > 0);
	}
	waitpid(child, &status, 0);
	return status;
}

/* Placing stops with this sentence, and the file is empty again. */
static void
expect_trouble(const char *reason, bool at_once)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600), kept;
	struct gs_output *out = open_standard(fd, &kept);
	/* Of few bytes no room is made: then it is found out by who writes. */
	const gs_status status = gs_output_expect(out, at_once ? WHOLE : 1000);
	const bool placed = !at_once && place_all(out, 0);
	struct stat st;

	if (at_once)
		snprintf(crew.message, sizeof crew.message, "%s", gs_message());
	gs_output_close(out);
	restore_standard(kept);
	CHECK((status == GS_EIO) == at_once && !placed, "it fails: %d", (int)status);
	CHECK(strncmp(crew.message, "write failed: standard output: ", 31) == 0 &&
	      strstr(crew.message, reason) != NULL, "and says why: %s", crew.message);
	CHECK(fstat(fd, &st) == 0 && st.st_size == 0 && st.st_blocks == 0 &&
	      lseek(fd, 0, SEEK_CUR) == 0, "nothing of it stays: %ld bytes", (long)st.st_size);
	close(fd);
	remove(path);
}

static void
with_limit(void)
{
	const struct rlimit limit = { 3 * PIECE + 50, 3 * PIECE + 50 };

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	expect_trouble("File too large", false);
}

/* A mount that nobody else sees, and that ends with this process. */
static void
with_small_disk(void)
{
	char folder[100];

	snprintf(folder, sizeof folder, "%.90s.d", path);
	if (mkdir(folder, 0700) != 0 || unshare(CLONE_NEWNS) != 0 ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("none", folder, "tmpfs", 0, "size=1m") != 0)
		return;
	snprintf(path, sizeof path, "%s/f", folder);
	expect_trouble("No space left on device", true);
	expect_trouble("No space left on device", false);
	umount2(folder, MNT_DETACH);
}

/* ---- pages ---------------------------------------------------------------------- */

static char *
map_letters(size_t from, size_t bytes, size_t *mapped)
{
	char *pages, *data = letters(from, bytes);

	*mapped = (bytes + 4095) / 4096 * 4096;
	pages = mmap(NULL, *mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(pages, data, bytes);
	free(data);
	return pages;
}

static bool
is_mapped(char *pages, size_t bytes)
{
	return msync(pages, bytes, MS_ASYNC) == 0;
}

/* Reads PIPE slowly, in odd amounts, to its end; how many bytes were right. */
static size_t
read_letters(int fd)
{
	static char data[70001];
	size_t at = 0;
	ssize_t got;

	while ((got = read(fd, data, sizeof data - at % 977)) > 0) {
		for (ssize_t b = 0; b < got; b++)
			if (data[b] != letter(at + (size_t)b))
				return at + (size_t)b;
		at += (size_t)got;
		if (at % 16 == 0)
			usleep(2000);
	}
	return at;
}

static int ends[2];

static void
read_pipe(void)
{
	size_t right;

	close(ends[1]);
	right = read_letters(ends[0]);
	CHECK(right == WHOLE + 5, "the reader gets what was given: the first %zu bytes", right);
}

/* Copies and pages in turns; the pages are new each time, and their memory is soon reused. */
static void
check_pages(bool blocks)
{
	struct gs_output *out;
	size_t at = 5, mapped;
	char *pages, *head = letters(0, 5);
	bool good, gone = true;
	int kept, status = -1;
	pid_t reader;

	CHECK(pipe(ends) == 0, "a pipe");
	fflush(stdout);
	reader = fork();
	if (reader == 0) {
		units_failed = 0;
		read_pipe();
		fflush(stdout);
		_exit(units_failed > 0);
	}
	close(ends[0]);
	fcntl(ends[1], F_SETFL, blocks ? 0 : O_NONBLOCK);
	out = open_standard(ends[1], &kept);
	close(ends[1]);
	good = gs_output_submit(out, head, 5) == GS_OK;
	for (unsigned p = 0; p < PIECES; p++, at += PIECE) {
		pages = map_letters(at, PIECE, &mapped);
		if (p % 5 == 4) {	/* as if it took no pages */
			good = good && gs_output_write(out, pages, PIECE) == GS_OK;
			munmap(pages, mapped);
			continue;
		}
		good = good && gs_output_give_pages(out, pages, PIECE, mapped) == GS_OK;
		gone = gone && !is_mapped(pages, mapped);
	}
	good = good && gs_output_finish(out) == GS_OK;
	gs_output_close(out);
	restore_standard(kept);
	CHECK(good, "pages are given: %s", gs_message());
	CHECK(gone, "and gone");
	waitpid(reader, &status, 0);
	CHECK(status == 0, "nothing was lost or changed on its way, %s",
	      blocks ? "blocking" : "not blocking");
	free(head);
}

/* A writer whose reader has gone, in a thread that blocks all signals. */
static void *
give_to_nobody(void *context)
{
	struct gs_output *out = context;
	size_t mapped;
	char *pages = map_letters(0, 1 << 20, &mapped);
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	CHECK(gs_output_give_pages(out, pages, 1 << 20, mapped) == GS_EIO &&
	      strstr(gs_message(), "write failed: standard output: Broken pipe") != NULL,
	      "it is told: %s", gs_message());
	CHECK(!is_mapped(pages, mapped), "pages that could not be given are gone, too");
	return NULL;
}

static void
lose_reader(void)
{
	int pair[2], kept;
	struct gs_output *out;
	pthread_t id;

	if (pipe(pair) != 0)
		return;
	close(pair[0]);
	out = open_standard(pair[1], &kept);
	pthread_create(&id, NULL, give_to_nobody, out);
	pthread_join(id, NULL);
	gs_output_close(out);
	restore_standard(kept);
}

static void
lose_reader_quietly(void)
{
	signal(SIGPIPE, SIG_IGN);
	lose_reader();
}

/* Not a pipe: then they are written. */
static void
check_pages_to_file(void)
{
	struct gs_output *out = open_output(path);
	size_t mapped;
	char *pages = map_letters(0, PIECE, &mapped);

	CHECK(gs_output_give_pages(out, pages, PIECE, mapped) == GS_OK && !is_mapped(pages, mapped) &&
	      gs_output_finish(out) == GS_OK, "a file may be given pages: %s", gs_message());
	gs_output_close(out);
	CHECK(holds(0, PIECE, PIECE), "and has their bytes");
	remove(path);
}

void unit_place(void);

void
unit_place(void)
{
	const char *temp = getenv("TMPDIR");
	int status;

	snprintf(path, sizeof path, "%s/units.%ld.f",
	         temp != NULL && strlen(temp) < 40 ? temp : "/tmp", (long)getpid());
	check_named(0);
	check_named(200 << 20);
	check_standard(1, 1, 0, true);
	check_standard(5000, 5000, 50 << 20, true);
	check_standard(5000, 1000, 0, true);
	check_standard(WHOLE + 90000, 1000, 1 << 20, true);
	check_standard(5000, 5000, 50 << 20, false);
	check_standard(WHOLE + 90000, 1000, 0, false);
	check_abandoned();
	check_company(true);
	check_company(false);
	check_kinds();
	check_stream();
	CHECK(in_child(with_limit) == 0, "a limit on file sizes ends it");
	if (geteuid() == 0) {
		char folder[100];

		CHECK(in_child(with_small_disk) == 0, "a full disk ends it");
		snprintf(folder, sizeof folder, "%.90s.d", path);
		rmdir(folder);
	}
	check_pages(true);
	check_pages(false);
	check_pages_to_file();
	status = in_child(lose_reader);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE,
	      "without a reader it dies in silence: %x", (unsigned)status);
	CHECK(in_child(lose_reader_quietly) == 0, "or says so, where SIGPIPE is ignored");
}
