// SPDX-License-Identifier: BSD-2-Clause
/* output.c - rows for src/io/output.c: preallocated blocks, and pages given to a pipe */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/filesystem.h"
#include "io/output.h"
#include "tests/unit/units.h"

enum {
	PIECE   = 100003,	/* of no page */
	PIECES  = 97,
	WHOLE   = PIECE * PIECES,
};

static char path[200];

/* The right value of byte AT in every output here. */
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
		same = getc_unlocked(file) == (unsigned char)letter(b);
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

/* ---- a file -------------------------------------------------------------------- */

/* BYTES of what belongs there from FROM on, in pieces that make it ask for room ahead. */
static gs_status
submit(struct gs_output *out, size_t from, size_t bytes)
{
	char *data = letters(from, bytes);
	gs_status status = GS_OK;

	for (size_t at = 0; at < bytes && status == GS_OK; at += 7 * PIECE)
		status = gs_output_submit(out, data + at,
		                          bytes - at < 7 * PIECE ? bytes - at : 7 * PIECE);
	if (status == GS_OK)
		status = gs_output_wait(out);
	free(data);
	return status;
}

static void
check_named(void)
{
	struct gs_output *out = open_output(path);

	CHECK(out != NULL && !gs_output_takes_pages(out) && submit(out, 0, WHOLE) == GS_OK &&
	      gs_output_finish(&out, 1) == GS_OK, "a named file is written: %s", gs_message());
	gs_output_close(out);
	CHECK(holds(0, WHOLE, WHOLE) && is_tight(), "and is as long as it is");
	remove(path);
}

/* A file of SIZE, written from AT on through its descriptor, which is not ours. */
static void
check_standard(size_t size, size_t at, bool finish)
{
	const size_t end = at + WHOLE;
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600), kept;
	struct rlimit limit = { .rlim_cur = 0 };
	struct gs_output *out;
	struct stat st;
	char last;

	CHECK(ftruncate(fd, (off_t)size) == 0 && pwrite(fd, "z", 1, (off_t)size - 1) == 1 &&
	      lseek(fd, (off_t)at, SEEK_SET) == (off_t)at, "a file is there");
	out = open_standard(fd, &kept);
	CHECK(submit(out, 0, WHOLE) == GS_OK, "standard output is written: %s", gs_message());
	CHECK(fstat(fd, &st) == 0 && getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
	      (limit.rlim_cur != RLIM_INFINITY || !gs_filesystem_preallocates(fd) ||
	       (size_t)st.st_blocks * 512 > end + WHOLE), "there are blocks for more");
	CHECK(!finish || gs_output_finish(&out, 1) == GS_OK, "it is finished: %s", gs_message());
	gs_output_close(out);
	restore_standard(kept);
	CHECK(lseek(fd, 0, SEEK_CUR) == (off_t)end, "the descriptor points behind the last byte");
	CHECK(holds(at, WHOLE, end > size ? end : size), "from byte %zu on all is there", at);
	CHECK(size <= end || (pread(fd, &last, 1, (off_t)size - 1) == 1 && last == 'z'),
	      "what was behind it is still");
	CHECK(is_tight(), "no blocks stay behind the end");
	close(fd);
	remove(path);
}

/* What another process writes to the same descriptor meanwhile is not written over, nor cut. */
static void
check_company(bool finish)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600), kept;
	struct gs_output *out = open_standard(fd, &kept);
	char note[5] = "";

	CHECK(submit(out, 0, WHOLE) == GS_OK && write(fd, "note", 4) == 4 &&
	      (!finish || gs_output_finish(&out, 1) == GS_OK), "two write one file");
	gs_output_close(out);
	restore_standard(kept);
	CHECK(holds(0, WHOLE, WHOLE + 4) && pread(fd, note, 4, WHOLE) == 4 &&
	      strcmp(note, "note") == 0 && is_tight(), "and both are there: %s", note);
	close(fd);
	remove(path);
}

/* ---- errors: in a process of their own ------------------------------------------- */

/* Writing stops with this message, and there are no more blocks than bytes. */
static void
expect_trouble(const char *reason)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600), kept;
	struct gs_output *out = open_standard(fd, &kept);
	const gs_status status = submit(out, 0, WHOLE);
	char message[200];

	snprintf(message, sizeof message, "%s", gs_message());
	gs_output_close(out);
	restore_standard(kept);
	CHECK(status == GS_EIO && strncmp(message, "write failed: standard output: ", 31) == 0 &&
	      strstr(message, reason) != NULL, "it fails, and says why: %s", message);
	CHECK(is_tight(), "no blocks stay behind the end");
	close(fd);
	remove(path);
}

static int
fail_once(void *calls, const void *data, size_t bytes)
{
	(void)data, (void)bytes;
	return (*(unsigned *)calls)++ == 0;
}

/* If a thread cannot write, the next call fails, though it could write. */
static void
check_late_error(bool submits)
{
	unsigned calls = 0;
	const struct gs_output_options options = { .write = fail_once, .write_context = &calls };
	char *data = letters(0, WHOLE);
	struct gs_output *out;
	bool good = gs_output_open(&out, &options) == GS_OK && gs_output_submit(out, data, WHOLE) == GS_OK;

	good = good && (submits ? gs_output_submit : gs_output_write)(out, data, WHOLE) != GS_OK;
	CHECK(good, "the error of a thread is returned by the next %s", submits ? "submit" : "write");
	gs_output_close(out);
	free(data);
}

/* A call that can be the last one. */
static gs_status
end_by(unsigned call, struct gs_output *out, char *data)
{
	switch (call) {
	case 0: return gs_output_complete(out);
	case 1: return gs_output_prepare(out, true);
	case 2: return gs_output_finish(&out, 1);
	default: return gs_output_give_pages(out, data, PIECE);
	}
}

/* The last call returns the error of a thread that could not write, or else its own. */
static void
check_last_error(void)
{
	char *data = letters(0, PIECE);

	for (unsigned row = 0; row < 9; row++) {
		const unsigned call = row / 2;
		unsigned calls = 0;
		const struct gs_output_options options = {
			.name = "/dev/full", .write = row % 2 ? fail_once : NULL, .write_context = &calls,
		};
		struct gs_output *out;

		if (options.write == NULL && access("/dev/full", W_OK) != 0)
			continue;
		CHECK(gs_output_open(&out, &options) == GS_OK &&
		      (call == 4 || gs_output_submit(out, data, PIECE) == GS_OK), "a thread writes");
		CHECK(end_by(call, out, data) == GS_EIO &&
		      strstr(gs_message(), "write failed: /dev/full") != NULL, "call %u: %s", call,
		      gs_message());
		gs_output_close(out);
	}
	free(data);
}

static int
answer(void *result, const void *data, size_t bytes)
{
	(void)data, (void)bytes;
	errno = ((int *)result)[1];
	return ((int *)result)[0];
}

/* The status of a callback: an errno of the system, or else an error of the caller. */
static void
check_answers(void)
{
	static const struct { int result[2]; const char *says; } rows[] = {
		{ { 0, 0 }, NULL }, { { 0, EIO }, NULL }, { { -1, EFBIG }, "File too large" },
		{ { -7, ENOSPC }, "No space left" }, { { -1, 0 }, "Protocol error" },
		{ { 1, EFBIG }, "Protocol error" }, { { 5, 0 }, "Protocol error" },
	};

	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		int result[2] = { rows[r].result[0], rows[r].result[1] };
		const struct gs_output_options options = { .write = answer, .write_context = result };
		struct gs_output *out;
		gs_status status = gs_output_open(&out, &options);

		if (status == GS_OK)
			status = gs_output_write(out, "x", 1);
		CHECK(status == (rows[r].says == NULL ? GS_OK : GS_EIO) && (status == GS_OK ||
		      (strncmp(gs_message(), "write failed: output: ", 22) == 0 &&
		       strstr(gs_message(), rows[r].says) != NULL)),
		      "a callback that returns %d and errno %d: %s", result[0], result[1],
		      status == GS_OK ? "ok" : gs_message());
		gs_output_close(out);
	}
}

/* The file behind an open descriptor is written in place, whatever it is called. */
static void
check_descriptors(void)
{
	static const char *const folders[] = { "/dev/fd", "/proc/self/fd", "/dev/stdout" };

	for (size_t n = 0; n < 3; n++) {
		int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600), kept;
		struct gs_output *out = open_standard(fd, &kept);
		struct stat before, after;
		char name[40];

		gs_output_close(out);
		snprintf(name, sizeof name, n < 2 ? "%s/%d" : "%s", folders[n], fd);
		out = open_output(name);
		CHECK(out != NULL && fstat(fd, &before) == 0 && submit(out, 0, PIECE) == GS_OK &&
		      gs_output_finish(&out, 1) == GS_OK, "%s is written: %s", name, gs_message());
		gs_output_close(out);
		restore_standard(kept);
		CHECK(stat(path, &after) == 0 && before.st_ino == after.st_ino && holds(0, PIECE, PIECE),
		      "%s is the same file", name);
		close(fd);
	}
	remove(path);
}

/* An output that cannot be opened, cut or closed frees its memory, and the message says which call failed. */
static void
check_wrong_end(void)
{
	const struct gs_output_options in_place = { .name = path, .in_place = true };
	struct gs_output *out;
	size_t memory = 0;
	int next;

	for (unsigned time = 0; time < 2; time++) {	/* libc keeps some of the first */
		memory = time == 0 ? 0 : units_memory();
		CHECK(open_output("/nowhere/at-all") == NULL, "it is not opened");
		out = open_output(path);
		CHECK(out != NULL && submit(out, 0, PIECE) == GS_OK && gs_output_finish(&out, 1) == GS_OK,
		      "another one is");
		gs_output_close(out);
	}
	CHECK(units_memory() == memory, "%zd bytes are not given back", (ssize_t)(units_memory() - memory));
	for (unsigned closed = 0; closed < 3; closed++) {
		close(open(path, O_RDWR | O_CREAT | O_TRUNC, 0600));
		next = dup(STDERR_FILENO);
		close(next);
		CHECK(gs_output_open(&out, &in_place) == GS_OK &&
		      (closed != 1 || gs_output_write(out, "x", 1) == GS_OK), "one that is written in place");
		close(next);
		CHECK((closed < 2 ? gs_output_finish(&out, 1) : gs_output_write(out, "x", 1)) == GS_EIO &&
		      strstr(gs_message(), closed == 1 ? "close failed: " : "truncate failed: ") != NULL &&
		      strstr(gs_message(), path) != NULL, "%s: %s", closed == 1 ? "closed" : "cut",
		      gs_message());
		gs_output_close(out);
	}
	remove(path);
}

static void
with_limit(void)
{
	const struct rlimit limit = { 3 * PIECE + 50, 3 * PIECE + 50 };

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	expect_trouble("File too large");
}

/* A mount that no other process sees, and that ends with this process. */
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
	expect_trouble("No space left on device");
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

static int ends[2], go[2];

static void
read_pipe(void)
{
	size_t right;

	close(ends[1]);
	close(go[1]);
	(void)!read(go[0], &right, 1);
	right = read_letters(ends[0]);
	CHECK(right == WHOLE + 5, "the reader gets what was given: the first %zu bytes", right);
}

/* The writer has long waited for the reader when that may begin. */
static void
on_alarm(int signal)
{
	static volatile sig_atomic_t alarms;

	(void)signal;
	if (++alarms % 20 == 0)
		(void)!write(go[1], "", 1);
}

/* A caller of the library with a handler of signals, that often come: no call is restarted. */
static void
alarm_every(long us)
{
	const struct sigaction action = { .sa_handler = on_alarm };
	const struct itimerval often = { { 0, us }, { 0, us } };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
}

/* Copies and pages in turns; the pages are replaced once they are given, and others are written there. */
static void
check_pages(bool blocks)
{
	struct gs_output *out;
	size_t at = 5, mapped;
	char *pages, *head = letters(0, 5);
	bool good;
	int kept, status = -1;
	pid_t reader;

	CHECK(pipe(ends) == 0 && pipe(go) == 0, "pipes");
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
	alarm_every(300);
	good = gs_output_submit(out, head, 5) == GS_OK;
	for (unsigned p = 0; p < PIECES; p++, at += PIECE) {
		pages = map_letters(at, PIECE, &mapped);
		if (p % 5 == 4)		/* as if it took no pages */
			good = good && gs_output_write(out, pages, PIECE) == GS_OK;
		else
			good = good && gs_output_give_pages(out, pages, PIECE) == GS_OK;
		gs_arena_forget(pages, mapped);
		memset(pages, '!', mapped);
		munmap(pages, mapped);
	}
	good = good && gs_output_finish(&out, 1) == GS_OK;
	alarm_every(0);
	close(go[0]);
	close(go[1]);
	gs_output_close(out);
	restore_standard(kept);
	CHECK(good, "pages are given: %s", gs_message());
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
	CHECK(gs_output_give_pages(out, pages, 1 << 20) == GS_EIO &&
	      strstr(gs_message(), "write failed: standard output: Broken pipe") != NULL,
	      "it is reported: %s", gs_message());
	munmap(pages, mapped);
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

static int denied;

/* The kernel, or a sandbox, has no vmsplice(2). */
static void
give_denied(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_vmsplice, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)denied),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { sizeof filter / sizeof filter[0], filter };
	struct gs_output *out;
	char data[PIECE / 10];
	size_t mapped;
	char *pages = map_letters(0, sizeof data, &mapped);
	int kept, pair[2];

	if (pipe(pair) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		return;
	out = open_standard(pair[1], &kept);
	if (denied != EIO)
		CHECK(gs_output_give_pages(out, pages, sizeof data) == GS_OK &&
		      read(pair[0], data, sizeof data) == (ssize_t)sizeof data &&
		      memcmp(data, pages, sizeof data) == 0, "bytes are written instead: %s", gs_message());
	else
		CHECK(gs_output_give_pages(out, pages, sizeof data) == GS_EIO &&
		      strstr(gs_message(), "Input/output error") != NULL, "an error: %s", gs_message());
	gs_output_close(out);
	restore_standard(kept);
}

/* Not a pipe: the pages are written. */
static void
check_pages_to_file(void)
{
	struct gs_output *out = open_output(path);
	size_t mapped;
	char *pages = map_letters(0, PIECE, &mapped);

	CHECK(gs_output_give_pages(out, pages, PIECE) == GS_OK &&
	      gs_output_finish(&out, 1) == GS_OK, "a file may be given pages: %s", gs_message());
	gs_output_close(out);
	munmap(pages, mapped);
	CHECK(holds(0, PIECE, PIECE), "and has their bytes");
	remove(path);
}

/* No call writes once a job is interrupted; what it has written to a file is taken back. */
static void
check_interrupted(void)
{
	static atomic_bool interrupted;
	const struct gs_output_options options = { .name = path, .interrupted = &interrupted };
	struct gs_output *out;
	size_t mapped;
	char *pages = map_letters(0, PIECE, &mapped);

	CHECK(gs_output_open(&out, &options) == GS_OK && gs_output_write(out, pages, PIECE) == GS_OK,
	      "an output");
	atomic_store(&interrupted, true);
	CHECK(gs_output_write(out, pages, PIECE) == GS_EINTERRUPTED, "it is not written to");
	CHECK(gs_output_give_pages(out, pages, PIECE) == GS_EINTERRUPTED, "nor given pages");
	CHECK(gs_output_complete(out) == GS_EINTERRUPTED, "nor completed");
	gs_output_close(out);
	munmap(pages, mapped);
	CHECK(access(path, F_OK) != 0, "the file is gone");
}

void unit_output(void);

void
unit_output(void)
{
	static const int errors[] = { ENOSYS, EINVAL, EPERM, EIO };
	const char *temp = getenv("TMPDIR");
	int status;

	snprintf(path, sizeof path, "%s/units.%ld.f",
	         temp != NULL && strlen(temp) < 40 ? temp : "/tmp", (long)getpid());
	check_named();
	for (unsigned finish = 0; finish < 2; finish++) {
		check_standard(1, 1, finish);
		check_standard(5000, 1000, finish);
		check_standard(WHOLE + 90000, 1000, finish);
		check_company(finish);
	}
	for (unsigned submits = 0; submits < 2; submits++)
		check_late_error(submits);
	check_last_error();
	check_answers();
	check_descriptors();
	check_wrong_end();
	CHECK(units_child(with_limit) == 0, "a limit on file sizes ends it");
	if (geteuid() == 0) {
		char folder[100];

		CHECK(units_child(with_small_disk) == 0, "a full disk ends it");
		snprintf(folder, sizeof folder, "%.90s.d", path);
		rmdir(folder);
	}
	check_pages(true);
	check_pages(false);
	check_pages_to_file();
	check_interrupted();
	for (unsigned e = 0; e < sizeof errors / sizeof errors[0]; e++) {
		denied = errors[e];
		CHECK(units_child(give_denied) == 0, "a pipe that takes no pages: %s", strerror(denied));
	}
	status = units_child(lose_reader);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE,
	      "without a reader it dies in silence: %x", (unsigned)status);
	CHECK(units_child(lose_reader_quietly) == 0, "or says so, where SIGPIPE is ignored");
}
