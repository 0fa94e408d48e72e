// SPDX-License-Identifier: BSD-2-Clause
/* replace.c - rows for src/io/replace.c, outputs.c, identity.c and place.c: the old file, then the new one */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/filesystem.h"
#include "io/open.h"
#include "io/output.h"
#include "io/replace.h"
#include "tests/unit/units.h"

static char folder[64];

static const char *
path(const char *name)
{
	return units_path(folder, name);
}

static void
put_file(const char *name, const char *content)
{
	FILE *file = fopen(path(name), "w");

	fputs(content, file);
	fclose(file);
}

static bool
contains(const char *name, const char *content)
{
	FILE *file = fopen(path(name), "r");
	char data[200];
	size_t bytes;

	if (file == NULL)
		return false;
	bytes = fread(data, 1, sizeof data - 1, file);
	fclose(file);
	data[bytes] = '\0';
	return strcmp(data, content) == 0;
}

static unsigned
count_files(void)
{
	DIR *directory = opendir(folder);
	unsigned count = 0;

	for (const struct dirent *entry; (entry = readdir(directory)) != NULL; )
		count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	closedir(directory);
	return count;
}

/* Where no file can be without a name, each of FILES that are being written has one of its own. */
static unsigned
names_of(unsigned files)
{
	return gs_nameless_flag() == 0 ? files : 0;
}

static struct gs_output *
open_output(const char *name)
{
	const struct gs_output_options options = { .name = name };
	struct gs_output *out;

	return gs_output_open(&out, &options) == GS_OK ? out : NULL;
}

/* In all states between opening and finishing, what others see. */
static void
check_moments(bool exists)
{
	const char *kind = exists ? "an existing" : "a new";
	struct gs_output *out;

	if (exists)
		put_file("f", "old");
	out = open_output(path("f"));
	CHECK(out != NULL && count_files() == exists + names_of(1), "%s file: opening changes nothing", kind);
	CHECK(gs_output_write(out, "ne", 2) == GS_OK && count_files() == exists + names_of(1) &&
	      contains("f", "old") == exists, "%s file: nor does writing", kind);
	gs_output_close(out);
	CHECK(count_files() == exists && contains("f", "old") == exists,
	      "%s file: dropping it leaves what was there", kind);

	out = open_output(path("f"));
	CHECK(gs_output_write(out, "ne", 2) == GS_OK && gs_output_submit(out, "w", 1) == GS_OK &&
	      gs_output_submit(out, "er", 2) == GS_OK && gs_output_finish(&out, 1) == GS_OK &&
	      contains("f", "newer") && count_files() == 1,
	      "%s file: finishing makes it the output: %s", kind, gs_message());
	gs_output_close(out);
	CHECK(contains("f", "newer"), "%s file: closing does not undo that", kind);
	remove(path("f"));
}

/* Another process makes or removes the file while we write. */
static void
check_races(void)
{
	struct gs_output *out = open_output(path("f"));

	put_file("f", "theirs");
	CHECK(gs_output_write(out, "ours", 4) == GS_OK && gs_output_finish(&out, 1) == GS_OK &&
	      contains("f", "ours") && count_files() == 1,
	      "a file that appeared meanwhile is replaced: %s", gs_message());
	gs_output_close(out);

	out = open_output(path("f"));
	remove(path("f"));
	CHECK(gs_output_write(out, "again", 5) == GS_OK && gs_output_finish(&out, 1) == GS_OK &&
	      contains("f", "again") && count_files() == 1,
	      "a file that went away meanwhile is made: %s", gs_message());
	gs_output_close(out);

	out = open_output(path("f"));
	remove(path("f"));
	mkdir(path("f"), 0777);
	CHECK(gs_output_write(out, "x", 1) == GS_OK && gs_output_finish(&out, 1) == GS_EIO &&
	      strstr(gs_message(), "cannot replace") != NULL && count_files() == 1,
	      "a folder in its place is an error, and nothing is left: %s", gs_message());
	gs_output_close(out);
	remove(path("f"));
}

static void
check_in_place(void)
{
	struct gs_output *out;

	put_file("f", "old and longer");
	if (link(path("f"), path("g")) != 0)
		return;
	out = open_output(path("f"));
	CHECK(contains("g", "old and longer"), "in place: opening does not truncate");
	gs_output_close(out);
	CHECK(contains("g", "old and longer"), "in place: nor does dropping it");
	out = open_output(path("f"));
	CHECK(gs_output_write(out, "new", 3) == GS_OK && contains("g", "new"),
	      "in place: the first byte does");
	CHECK(gs_output_finish(&out, 1) == GS_OK && contains("g", "new"), "in place: that was it");
	gs_output_close(out);
	out = open_output(path("f"));
	CHECK(gs_output_finish(&out, 1) == GS_OK && contains("g", ""),
	      "in place: nothing written means empty");
	gs_output_close(out);
	remove(path("f"));
	remove(path("g"));
}

/* --in-place: the inode stays, and gsort knows which input it would destroy. */
static void
check_in_place_option(void)
{
	const char *name = path("f");
	const struct gs_output_options options = { .name = name, .in_place = true };
	struct gs_output *out;
	struct stat before, after;

	put_file("f", "old and longer");
	stat(name, &before);
	CHECK(gs_output_open(&out, &options) == GS_OK && contains("f", "old and longer"),
	      "asked to write in place: opening does not truncate");
	CHECK(gs_output_write(out, "new", 3) == GS_OK && gs_output_finish(&out, 1) == GS_OK &&
	      stat(name, &after) == 0 && before.st_ino == after.st_ino && contains("f", "new"),
	      "the file is the same, with new content: %s", gs_message());
	gs_output_close(out);

	remove(name);
	CHECK(gs_output_open(&out, &options) == GS_OK && contains("f", "") &&
	      gs_output_submit(out, "made", 4) == GS_OK && gs_output_finish(&out, 1) == GS_OK &&
	      contains("f", "made"), "a file that did not exist is made");
	gs_output_close(out);
	remove(name);
}

/* If the name of a file is nearly too long, a hidden name beside it does not fit. */
static void
check_long_name(void)
{
	char name[PATH_MAX];
	struct gs_output *out;
	struct stat before, after;

	snprintf(name, sizeof name, "%s", folder);
	while (strlen(name) < PATH_MAX - 6)
		strcat(name, "/.");
	strcat(name, "/f");
	put_file("f", "old and longer");
	stat(name, &before);
	out = open_output(name);
	CHECK(gs_output_write(out, "new", 3) == GS_OK && gs_output_finish(&out, 1) == GS_OK &&
	      contains("f", "new") && stat(name, &after) == 0 && before.st_ino == after.st_ino,
	      "a long name: the file is written in place: %s", gs_message());
	gs_output_close(out);
	remove(path("f"));

	out = open_output(name);
	CHECK((out != NULL) == (names_of(1) == 0), "a new file has a hidden name only where it must");
	if (out == NULL)
		return;
	put_file("f", "theirs");
	CHECK(gs_output_write(out, "ours", 4) == GS_OK && gs_output_finish(&out, 1) == GS_EIO &&
	      strstr(gs_message(), "File name too long") != NULL && contains("f", "theirs"),
	      "and a file that appeared meanwhile stays: %s", strrchr(gs_message(), ':'));
	gs_output_close(out);
	remove(path("f"));
}

/* A replaced file keeps its mode, its attributes and, if allowed, its owner and group. */
static void
check_attributes(void)
{
	static const mode_t modes[] = { 0600, 0640, 0755, 04711, 02770, 01666 };

	for (size_t m = 0; m < sizeof modes / sizeof modes[0]; m++) {
		const bool root = geteuid() == 0;
		const uid_t owner = root && m % 2 ? 1234 : geteuid();
		const gid_t group = root && m % 3 ? 4321 : getegid();
		char value[8] = "";
		struct gs_output *out;
		struct stat before, after;
		bool has;

		put_file("f", "old");
		has = setxattr(path("f"), "user.note", "kept", 4, 0) == 0;
		(void)!chown(path("f"), owner, group);	/* a container may not have them */
		CHECK(chmod(path("f"), modes[m]) == 0 && stat(path("f"), &before) == 0, "a file of mode %o",
		      (unsigned)modes[m]);
		out = open_output(path("f"));
		CHECK(out != NULL && gs_output_write(out, "new", 3) == GS_OK &&
		      gs_output_finish(&out, 1) == GS_OK, "it is replaced: %s", gs_message());
		gs_output_close(out);
		CHECK(contains("f", "new") && stat(path("f"), &after) == 0 && after.st_ino != before.st_ino &&
		      after.st_mode == before.st_mode &&
		      after.st_uid == before.st_uid && after.st_gid == before.st_gid,
		      "mode %o is %o, of %u and %u", (unsigned)before.st_mode, (unsigned)after.st_mode,
		      (unsigned)after.st_uid, (unsigned)after.st_gid);
		CHECK(!has || (getxattr(path("f"), "user.note", value, 8) == 4 && strcmp(value, "kept") == 0),
		      "its attribute is kept");
		remove(path("f"));
	}
}

/* Files that others open by a hidden name have one, and the mode of the old file; when a signal ends the
 * process all of them go. */
static void
check_hidden(void)
{
	static struct gs_replace new[3];
	const mode_t mask = umask(0);

	put_file("f0", "old");
	CHECK(chmod(path("f0"), 0640) == 0, "an old file");
	for (size_t n = 0; n < 3; n++) {
		enum gs_output_kind kind = GS_OUTPUT_DEVICE;
		char name[3] = { 'f', (char)('0' + n) };
		int fd = -1;
		struct stat st;

		new[n].shared = true;
		CHECK(gs_replace_aim(&new[n], path(name), false, &fd, &kind) == GS_OK &&
		      kind == GS_OUTPUT_NEW && fd > STDERR_FILENO && write(fd, "new", 3) == 3 &&
		      stat(new[n].hidden, &st) == 0 &&
		      st.st_size == 3 && (st.st_mode & 0777) == (n == 0 ? 0640 : 0666),
		      "file %zu has a name", n);
		close(fd);
	}
	umask(mask);
	CHECK(count_files() == 4, "three files beside the old one");
	gs_replace_abandon();
	CHECK(count_files() == 1 && contains("f0", "old"), "and then none");
	for (size_t n = 0; n < 3; n++)
		gs_replace_drop(&new[n]);
	remove(path("f0"));
}

static int
keep(void *context, const void *data, size_t bytes)
{
	char *text = context;

	if (bytes > 4) {
		errno = EFBIG;
		return -1;
	}
	strncat(text, data, bytes);
	return 0;
}

static void
check_callback(void)
{
	char text[20] = "";
	const struct gs_output_options options = {
		.name = "there", .in_place = true, .write = keep, .write_context = text,
	};
	struct gs_output *out;

	CHECK(gs_output_open(&out, &options) == GS_OK && gs_output_write(out, "on", 2) == GS_OK &&
	      gs_output_submit(out, "ce", 2) == GS_OK && gs_output_write(out, "", 0) == GS_OK &&
	      gs_output_finish(&out, 1) == GS_OK && strcmp(text, "once") == 0,
	      "a callback takes all bytes: %s", text);
	gs_output_close(out);
	CHECK(gs_output_open(&out, &options) == GS_OK &&
	      gs_output_submit(out, "longer", 6) == GS_EIO &&
	      strcmp(gs_message(), "write failed: there: File too large") == 0,
	      "and its errno is reported: %s", gs_message());
	gs_output_close(out);
}

/* Long pieces through the thread arrive in order. */
static void
check_pieces(void)
{
	enum { PIECE = 300000, PIECES = 9 };
	struct gs_output *out = open_output(path("f"));
	char *pieces[2] = { malloc(PIECE), malloc(PIECE) };
	bool holds = true;
	FILE *file;

	for (int p = 0; p < PIECES; p++) {
		memset(pieces[p % 2], 'a' + p, PIECE);
		holds = holds && gs_output_submit(out, pieces[p % 2], PIECE) == GS_OK;
	}
	holds = holds && gs_output_wait(out) == GS_OK && gs_output_finish(&out, 1) == GS_OK;
	gs_output_close(out);
	file = fopen(path("f"), "r");
	for (int b = 0; b < PIECE * PIECES; b++)
		holds = holds && getc(file) == 'a' + b / PIECE;
	CHECK(holds && getc(file) == EOF, "pieces handed to the thread arrive in order");
	fclose(file);
	free(pieces[0]);
	free(pieces[1]);
	remove(path("f"));
}

static void
check_trouble(void)
{
	static const char many[1 << 16];
	struct gs_output *out = open_output("/dev/full");

	if (out != NULL) {
		CHECK(gs_output_submit(out, "x", 1) == GS_EIO, "a few bytes need no thread");
		CHECK(gs_output_submit(out, many, sizeof many) == GS_OK &&
		      gs_output_wait(out) == GS_EIO &&
		      strcmp(gs_message(), "write failed: /dev/full: No space left on device") == 0,
		      "an error of the thread is returned by the wait: %s", gs_message());
		gs_output_close(out);
	}
	CHECK(open_output(path("no/f")) == NULL && strstr(gs_message(), "open failed: ") != NULL,
	      "a missing folder is an error at once");
	CHECK(open_output("") == NULL, "no name is no file");
}

/* Another rank fails after this file has its name. */
static void
check_settling(void)
{
	struct gs_output *out;
	char said[256];

	for (unsigned exists = 0; exists < 2; exists++) {
		if (exists)
			put_file("f", "old");
		out = open_output(path("f"));
		CHECK(gs_output_write(out, "new", 3) == GS_OK && gs_output_prepare(out, false) == GS_OK,
		      "a file beside it is complete");
		gs_output_close(out);
		CHECK(contains("f", "old") == exists && count_files() == exists,
		      "and goes, if it may not replace it");
		out = open_output(path("f"));
		CHECK(gs_output_write(out, "new", 3) == GS_OK && gs_output_prepare(out, false) == GS_OK &&
		      gs_output_finish(&out, 1) == GS_OK && contains("f", "new"), "it is complete");
		CHECK(gs_output_settle(out, false) == GS_OK && contains("f", "old") == exists &&
		      count_files() == exists, "what was there is there again");
		gs_output_close(out);

		out = open_output(path("f"));
		CHECK(gs_output_prepare(out, false) == GS_OK && gs_output_finish(&out, 1) == GS_OK,
		      "once more");
		remove(path("f"));
		mkdir(path("f"), 0777);
		put_file("f/g", "theirs");
		snprintf(said, sizeof said, exists ? "cannot give %s its old contents back, which are in %s"
		         : "cannot undo %s, which is complete: ", path("f"), path("/.gsort."));
		CHECK(gs_output_settle(out, false) == GS_EIO &&
		      strncmp(gs_message(), said, strlen(said)) == 0,
		      "a folder in its place is an error: %s", gs_message());
		gs_output_close(out);
		if (exists) {
			const char *name = strstr(gs_message(), ".gsort.");
			char old[64] = "";

			if (name != NULL)
				snprintf(old, sizeof old, "%.*s", (int)strcspn(name, ":"), name);
			CHECK(contains(old, "old"), "and the old file is where the message says");
			remove(path(old));
		}
		remove(path("f/g"));
		remove(path("f"));
	}
	CHECK(count_files() == 0, "nothing else is left");
}

/* The file is closed, or is a pipe, which cannot be forced to disk: the message names the first failure. */
static void
check_preparing(void)
{
	for (unsigned piped = 0; piped < 2; piped++) {
		const int fd = dup(STDERR_FILENO);	/* the next one is its */
		struct gs_output *out = (close(fd), open_output(path("f")));
		int ends[2];

		CHECK(gs_output_write(out, "new", 3) == GS_OK && pipe(ends) == 0, "a file is written");
		if (piped)
			dup2(ends[1], fd);
		else
			close(fd);
		CHECK(gs_output_prepare(out, true) == GS_EIO &&
		      strstr(gs_message(), piped ? "write failed" : "close failed") != NULL,
		      "%s", gs_message());
		gs_output_close(out);
		close(ends[0]);
		close(ends[1]);
	}
	CHECK(count_files() == 0, "nothing is left");
}

/* ---- names ------------------------------------------------------------------ */

static bool
follows(const char *name, const char *expected, int error)
{
	char target[PATH_MAX];

	errno = 0;
	return gs_follow_links(name, target) ? error == 0 && strcmp(target, path(expected)) == 0
	                                     : error != 0 && errno == error;
}

static bool
same(const char *one, const char *other)
{
	const struct gs_identity a = gs_identity_of(one, -1), b = gs_identity_of(other, -1);

	return gs_identity_same(&a, &b);
}

static void
check_names(void)
{
	static const char *const made[] = { "f", "g", "h", "a", "b", "loop", "long", "absolute" };
	char name[PATH_MAX + 1];

	put_file("f", "");
	put_file("g", "");
	CHECK(symlink("loop", path("loop")) == 0 && symlink("b", path("a")) == 0 &&
	      symlink("new", path("b")) == 0 && symlink(path("f"), path("absolute")) == 0 &&
	      link(path("f"), path("h")) == 0, "links");
	CHECK(follows(path("a"), "new", 0) && follows(path("new"), "new", 0) && follows(path("f"), "f", 0) &&
	      follows(path("absolute"), "f", 0), "links are followed to their end");
	CHECK(follows("", "", ENOENT) && follows(path("loop"), "", ELOOP) &&
	      follows(path("f/x"), "", ENOTDIR), "no name, a loop, no folder");
	memset(name, 'x', PATH_MAX);
	name[PATH_MAX] = '\0';
	CHECK(follows(name, "", ENAMETOOLONG), "no file has such a name");
	name[PATH_MAX - 4] = '\0';
	for (size_t at = 200; at < PATH_MAX - 4; at += 200)
		name[at] = '/';
	CHECK(symlink(name, path("long")) == 0 && follows(path("long"), "", ENAMETOOLONG),
	      "a link to a name that is too long in its folder");

	CHECK(same(path("f"), path("h")) && same(path("f"), path("absolute")) && !same(path("f"), path("g")),
	      "files are the same by any name");
	CHECK(same(path("new"), path("./new")) && same(path("new"), path("a")) &&
	      !same(path("new"), path("newer")) && !same(path("new"), path("f")), "new ones, too");
	CHECK(!same(NULL, NULL) && !same(path("f/x"), path("f/x")) && !same(path("no/x"), path("no/x")) &&
	      !same(path("loop"), path("loop")) && !same(path("f"), path("loop")) &&
	      !same("/dev/null", "/dev/null"), "what is not a file is not the same");
	for (size_t m = 0; m < sizeof made / sizeof made[0]; m++)
		remove(path(made[m]));
}

/* ---- parts of a file ---------------------------------------------------------- */

static void
check_place(void)
{
	const uint64_t edge = GS_PLACE_BYTES;
	const int fd = open(path("f"), O_RDWR | O_CREAT | O_TRUNC, 0666);
	struct gs_place place;
	char data[16] = "";
	int ends[2];

	CHECK(gs_place_open(&place, fd, "f", true, edge - 3, edge + 7) == GS_OK && place.head_bytes == 3,
	      "a part has the bytes before the edge of a piece as its head");
	CHECK(gs_place_write(&place, "ab", 2) == 0 && gs_place_write(&place, "cdef", 4) == 0 &&
	      gs_place_write(&place, "ghij", 4) == 0 && memcmp(place.head, "abc", 3) == 0 &&
	      pread(fd, data, sizeof data, (off_t)edge - 3) == 10 && memcmp(data, "\0\0\0defghij", 10) == 0,
	      "and writes what is behind it");
	CHECK(gs_place_write(&place, "k", 1) == -1 && errno == EOVERFLOW, "but nothing behind its end");
	CHECK(gs_place_write_at(&place, place.head, 3, edge - 3) == 0 &&
	      pread(fd, data, sizeof data, (off_t)edge - 3) == 10 && memcmp(data, "abcdefghij", 10) == 0,
	      "another one writes the head");
	free(place.head);
	CHECK(gs_place_open(&place, fd, "f", true, 5, 9) == GS_OK && place.head_bytes == 4 &&
	      gs_place_write(&place, "wxyz", 4) == 0 && pread(fd, data, 4, 5) == 4 &&
	      memcmp(data, "\0\0\0\0", 4) == 0 && memcmp(place.head, "wxyz", 4) == 0,
	      "a part within a piece is all head");
	free(place.head);
	CHECK(gs_place_open(&place, fd, "f", true, edge, edge + 2) == GS_OK && place.head_bytes == 0 &&
	      gs_place_write(&place, "AB", 2) == 0 && pread(fd, data, 3, (off_t)edge) == 3 &&
	      memcmp(data, "ABf", 3) == 0, "a part that begins at an edge has none");
	free(place.head);
	close(fd);
	CHECK(gs_place_open(&place, fd, "f", true, 0, 9) == GS_OK && gs_place_write(&place, "x", 1) == -1 &&
	      errno == EBADF, "an error is returned");
	free(place.head);
	CHECK(pipe(ends) == 0 && gs_place_open(&place, ends[1], "f", false, 5, 6) == GS_OK &&
	      place.head_bytes == 0 && gs_place_write(&place, "all", 3) == 0 && read(ends[0], data, 9) == 3 &&
	      memcmp(data, "all", 3) == 0, "a device takes all bytes as they come");
	free(place.head);
	close(ends[0]);
	close(ends[1]);
	remove(path("f"));
}

/* Heads of one byte, and of a part that ends within the piece; and blocks for what is behind a head. */
static void
check_place_blocks(void)
{
	const uint64_t piece = GS_PLACE_BYTES, begin = (10 << 20) + piece - 3, end = begin + (3 << 20);
	const int fd = open(path("f"), O_RDWR | O_CREAT | O_TRUNC, 0666);
	struct rlimit limit = { .rlim_cur = 0 };
	struct gs_place place;
	struct stat st;

	CHECK(gs_place_open(&place, fd, "f", true, piece - 1, piece + 1) == GS_OK && place.head_bytes == 1 &&
	      gs_place_write(&place, "ab", 2) == 0 && place.head[0] == 'a' && fstat(fd, &st) == 0 &&
	      st.st_size == (off_t)piece + 1, "a head of one byte");
	free(place.head);
	CHECK(gs_place_open(&place, fd, "f", true, piece / 2, piece / 2 + 10) == GS_OK &&
	      place.head_bytes == 10 && gs_place_write(&place, "abcdefghij", 10) == 0 &&
	      fstat(fd, &st) == 0 && st.st_size == (off_t)piece + 1,
	      "a part within a piece, which stays in memory");
	free(place.head);
	CHECK(ftruncate(fd, 0) == 0 && gs_place_open(&place, fd, "f", true, begin, end) == GS_OK, "a part");
	free(place.head);
	CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0 && fstat(fd, &st) == 0 &&
	      (limit.rlim_cur != RLIM_INFINITY || !gs_filesystem_preallocates(fd) ||
	       (st.st_blocks * 512 >= (3 << 20) - 3 && st.st_blocks * 512 < 4 << 20)),
	      "blocks for its bytes: %llu", (unsigned long long)st.st_blocks);
	/* the second time what is behind the end is freed */
	CHECK(ftruncate(fd, (off_t)begin) == 0 && ftruncate(fd, (off_t)begin) == 0 &&
	      fstat(fd, &st) == 0 && st.st_blocks * 512 < 1 << 20,
	      "and none in front of it: %llu", (unsigned long long)st.st_blocks);
	close(fd);
	remove(path("f"));
}

void unit_replace(void);

/* ---- several files ------------------------------------------------------------ */

static unsigned
count_open(void)
{
	unsigned count = 0;

	for (int fd = 0; fd < 64; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static bool
open_three(struct gs_outputs *outputs, const char *const *input)
{
	const struct gs_output_options options = {
		.name = path("f%r%%"), .inputs = input, .input_count = input != NULL,
	};

	if (gs_outputs_open(outputs, &options, 3) != GS_OK)
		return false;
	for (size_t f = 0; f < 3; f++)
		if (gs_output_write(outputs->files[f], "new", 3) != GS_OK)
			return false;
	return true;
}

static void
check_outputs(void)
{
	struct gs_outputs outputs;
	char *const second = strdup(path("f1%"));
	const char *const input = second;
	unsigned open_before;

	put_file("f1%", "old");
	open_before = count_open();
	CHECK(open_three(&outputs, &input), "open");
	for (size_t f = 0; f < outputs.count; f++)
		CHECK(gs_output_replaces_input(outputs.files[f]) == (f == 1), "file 1 is an input");
	CHECK(gs_output_finish(outputs.files, outputs.count) == GS_OK && count_open() == open_before,
	      "finishing closes all: %u are open, not %u", count_open(), open_before);
	for (size_t f = 0; f < outputs.count; f++)
		CHECK(gs_output_replaces_input(outputs.files[f]), "file %zu is forced to the disk, too", f);
	gs_outputs_close(&outputs);
	free(second);
	remove(path("f0%"));
	remove(path("f2%"));

	put_file("f1%", "old");
	CHECK(open_three(&outputs, NULL) && count_files() == 1 + names_of(3) && contains("f1%", "old"),
	      "three files: writing changes nothing");
	CHECK(gs_output_finish(outputs.files, outputs.count) == GS_OK && count_files() == 3 &&
	      contains("f0%", "new") &&
	      contains("f1%", "new") && contains("f2%", "new"), "finishing makes them: %s", gs_message());
	gs_outputs_close(&outputs);

	put_file("f0%", "old");
	CHECK(open_three(&outputs, NULL) && (gs_outputs_close(&outputs), count_files() == 3) &&
	      contains("f0%", "old"), "dropping them leaves what was there");

	put_file("f1%", "old");
	put_file("f2%", "old");
	CHECK(open_three(&outputs, NULL), "open");
	remove(path("f0%"));
	mkdir(path("f0%"), 0777);
	CHECK(gs_output_finish(outputs.files, outputs.count) == GS_EIO &&
	      strstr(gs_message(), "cannot replace") != NULL &&
	      strstr(gs_message(), "f0%") != NULL && count_files() == 3 && contains("f1%", "old") &&
	      contains("f2%", "old"), "if one cannot be replaced, none is: %s", gs_message());
	gs_outputs_close(&outputs);
	CHECK(count_files() == 3, "and nothing is left");

	CHECK(gs_outputs_check_pattern("a") == GS_EUSAGE && gs_outputs_check_pattern("%%r") == GS_EUSAGE &&
	      gs_outputs_check_pattern("%r%x") == GS_EUSAGE && gs_outputs_check_pattern("%") == GS_EUSAGE &&
	      gs_outputs_check_pattern("%%%r%r%%") == GS_OK, "patterns");
	for (unsigned f = 0; f < 3; f++) {
		char name[8];

		snprintf(name, sizeof name, "f%u%%", f);
		remove(path(name));
	}
}

void
unit_replace(void)
{
	const char *temp = getenv("TMPDIR");

	snprintf(folder, sizeof folder, "%s/units.XXXXXX",
	         temp != NULL && strlen(temp) < 40 ? temp : "/tmp");
	if (mkdtemp(folder) == NULL) {
		CHECK(false, "a temporary folder is made");
		return;
	}
	check_moments(false);
	check_moments(true);
	check_races();
	check_in_place();
	check_in_place_option();
	check_long_name();
	check_attributes();
	check_hidden();
	check_settling();
	check_preparing();
	check_names();
	check_place();
	check_place_blocks();
	check_callback();
	check_pieces();
	check_trouble();
	check_outputs();
	CHECK(rmdir(folder) == 0, "nothing was left behind");
}
