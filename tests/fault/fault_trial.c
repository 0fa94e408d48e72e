// SPDX-License-Identifier: BSD-2-Clause
/*
 * fault_trial.c - one run of the command, and a verdict on it
 *
 * In:   the environment of the shim.  Out: a status, and what is wrong.
 *
 * Invariant: after a verdict the folder holds nothing but out/file, or the files of -m, and files
 * of this program.
 */
#define _GNU_SOURCE	1
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fault_runner.h"

enum { HANGS_AFTER_S = 60, PIPE_BYTES = 1 << 20 };

static volatile pid_t running;
static volatile sig_atomic_t hung;

void
stop(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fprintf(stderr, "fault_runner: ");
	vfprintf(stderr, format, args);
	fprintf(stderr, "\n");
	va_end(args);
	exit(2);
}

/* begin() says what children of a sanitized walk get. */
const char *__asan_default_options(void);

const char *
__asan_default_options(void)
{
	return "detect_leaks=0";
}

/* ---- files ------------------------------------------------------------------------- */

static struct bytes
slurp(int fd)
{
	struct bytes all = { malloc(1 << 16), 0 };
	size_t room = 1 << 16;
	ssize_t got;

	while ((got = read(fd, all.data + all.count, room - all.count)) > 0) {
		all.count += (size_t)got;
		if (all.count == room)
			all.data = realloc(all.data, room *= 2);
	}
	return all;
}

struct bytes
load(const char *name)
{
	const int fd = open(name, O_RDONLY | O_CLOEXEC);
	struct bytes all;

	if (fd < 0)
		stop("%s: %s", name, strerror(errno));
	all = slurp(fd);
	close(fd);
	return all;
}

static void
store(int fd, struct bytes all)
{
	for (size_t done = 0; done < all.count;) {
		const ssize_t wrote = write(fd, all.data + done, all.count - done);

		if (wrote <= 0)
			stop("cannot write: %s", strerror(errno));
		done += (size_t)wrote;
	}
}

/* The name of a file of the result. */
static const char *
name_of(int file)
{
	static char name[40];

	if (walk.files == 0)
		return "out/file";
	snprintf(name, sizeof name, "out/file%d", file);
	return name;
}

static int
file_count(void)
{
	return walk.files > 0 ? walk.files : 1;
}

/* Do the files of the result hold ALL, one after the other, or EACH of them?  ALL NULL: is there
 * none? */
static bool
hold(const struct bytes *all, bool each)
{
	size_t at = 0;

	for (int file = 0; file < file_count(); file++) {
		const int fd = open(name_of(file), O_RDONLY | O_CLOEXEC);
		struct bytes found;
		bool same;

		if (all == NULL && fd < 0 && errno == ENOENT)
			continue;
		if (fd < 0 || all == NULL)
			return false;
		found = slurp(fd);
		close(fd);
		at = each ? 0 : at;
		same = found.count <= all->count - at &&
		       memcmp(found.data, all->data + at, found.count) == 0;
		at += found.count;
		free(found.data);
		if (!same || (each && at != all->count))
			return false;
	}
	return all == NULL || at == all->count;
}

static bool
is_output(const char *dir, const char *name)
{
	for (int file = 0; file < file_count(); file++)
		if (strcmp(dir, "out") == 0 && strcmp(name_of(file) + strlen("out/"), name) == 0)
			return true;
	return false;
}

/* Files in DIR, but for the output; they are removed. */
static unsigned
strays(const char *dir)
{
	DIR *list = opendir(dir);
	const struct dirent *entry;
	unsigned count = 0;

	while (list != NULL && (entry = readdir(list)) != NULL) {
		if (entry->d_name[0] == '.' && (entry->d_name[1] == '\0' || entry->d_name[1] == '.'))
			continue;
		if (is_output(dir, entry->d_name))
			continue;
		(void)unlinkat(dirfd(list), entry->d_name, 0);
		count++;
	}
	closedir(list);
	return count;
}

/* ---- one run ----------------------------------------------------------------------- */

static void
kill_what_hangs(int signal)
{
	(void)signal;
	hung = 1;
	if (running > 0)
		kill(-running, SIGKILL);
}

static int
pipe_with(struct bytes all, int ends[2])
{
	if (pipe(ends) != 0 || fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES) < 0)
		stop("no pipe: %s", strerror(errno));
	store(ends[1], all);
	return ends[0];
}

/* In the child: set up its descriptors and environment, and start the command. */
static _Noreturn void
begin(int in, int out)
{
	const int told = open("told", O_WRONLY | O_CREAT | O_TRUNC, 0600);

	setpgid(0, 0);
	setenv(walk.launches ? "FAULT_SHIM" : "LD_PRELOAD", walk.shim, 1);
	setenv("FAULT_SPARE", walk.spared, 1);
	setenv("ASAN_OPTIONS", "verify_asan_link_order=0:allocator_may_return_null=1", 1);
	dup2(in, 0);
	dup2(out, 1);
	dup2(told, 2);
	for (int fd = 3; fd < 20; fd++)
		close(fd);
	execv(walk.command[0], walk.command);
	_exit(127);
}

int
run(void)
{
	int in_ends[2] = { -1, -1 }, out_ends[2] = { -1, -1 }, in, out, status, orphan;

	for (int file = 0; file < file_count(); file++) {
		(void)unlink(name_of(file));
		if (!walk.has_before && !walk.to_stdout)
			continue;
		out = open(name_of(file), O_WRONLY | O_CREAT | O_TRUNC, 0600);
		store(out, walk.before);
		close(out);
	}
	in = walk.feeds ? pipe_with(walk.fed, in_ends)
	     : open(walk.input != NULL ? walk.input : "/dev/null", O_RDONLY);
	out = open(walk.to_stdout ? "out/file" : "/dev/null", O_WRONLY);
	if (walk.drains) {
		close(out);
		(void)pipe_with((struct bytes){ NULL, 0 }, out_ends);
		out = out_ends[1];
	}
	close(in_ends[1]);
	memset(walk.report, 0, sizeof *walk.report - sizeof walk.report->sites);
	hung = 0;
	running = fork();
	if (running == 0)
		begin(in, out);
	alarm(HANGS_AFTER_S);
	waitpid(running, &status, 0);
	while (waitpid(-1, &orphan, 0) > 0)	/* what it has started ends, too */
		;
	alarm(0);
	close(in);
	close(out);
	if (walk.drains) {
		struct bytes drained = slurp(out_ends[0]);

		close(out_ends[0]);
		out = open("out/file", O_WRONLY | O_CREAT | O_TRUNC, 0600);
		store(out, drained);
		close(out);
		free(drained.data);
	}
	return hung ? HUNG : WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

void
settle(int worker)
{
	struct sigaction hangs = { .sa_handler = kill_what_hangs, .sa_flags = SA_RESTART };
	char name[40];
	int fd;

	snprintf(name, sizeof name, "walk.%d", worker);
	(void)mkdir(name, 0700);
	if (chdir(name) != 0)
		stop("%s: %s", name, strerror(errno));
	(void)mkdir("out", 0700);
	(void)mkdir("temp", 0700);
	(void)strays("out");	/* from an earlier walk, with other names */
	fd = open("report", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, sizeof *walk.report) != 0)
		stop("report: %s", strerror(errno));
	walk.report = mmap(NULL, sizeof *walk.report, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	setenv("FAULT_REPORT", "report", 1);
	sigaction(SIGALRM, &hangs, NULL);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

/* ---- what became of it ------------------------------------------------------------- */

bool
is_right(void)
{
	return hold(&walk.right, false);
}

/* The number of lines in TOLD that are messages, not warnings; -1: there is something else. */
static int
messages(const char *told)
{
	const size_t bytes = strlen(walk.self);
	int count = 0;

	for (const char *end; *told != '\0'; told = end + 1) {
		end = strchr(told, '\n');
		if (end == NULL)
			return -1;
		if (strncmp(told, walk.self, bytes) == 0)
			count += strncmp(told + bytes, ": warning: ", 11) != 0;
		else if (!walk.foreign)
			return -1;
	}
	return count;
}

const char *
trouble(const struct what *what, int status, const char *told)
{
	const bool may_stray = strstr(what->calls, "unlink") != NULL;

	const struct bytes *before = walk.has_before ? &walk.before : NULL;
	const bool keeps = !walk.touches && !walk.to_stdout && !walk.drains;

	if (status == HUNG)
		return "it hangs";
	if (status < 0 && -status != what->signal)
		return "a signal ended it";
	if (strays("out") + strays("temp") > 0 && !may_stray)
		return "files are left";
	if (strstr(told, "Sanitizer") != NULL || strstr(told, "runtime error") != NULL)
		return "a sanitizer complains";
	if (status < 0)
		return !keeps || hold(before, true) || is_right() ? NULL : "the output was lost";
	if (status == walk.status && what->is_place)
		return "the error of a place is dropped";
	if (status == walk.status)
		return is_right() ? NULL : "a wrong result, and status of success";
	if (status != walk.trouble)
		return "another status";
	if (messages(told) != 1)
		return "not one message";
	if (what->is_no_reason)
		return "no reason to fail";
	return keeps && !hold(before, true) ? "the output was lost" : NULL;
}
