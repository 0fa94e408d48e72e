// SPDX-License-Identifier: BSD-2-Clause
/*
 * walk.c - one command, again and again; each time another of its calls fails
 *
 *     walk [OPTION]... NAME RIGHT FAULT... -- COMMAND [ARGUMENT]...
 *
 * RIGHT is a file that holds the right result.  A FAULT is CALL[,CALL]...:ERRNO[:HOW], as
 * fault.c has it, with ERRNO by name, or CALL...:SIGNAL:signal.  The command is run in a folder that has the folders out and temp; its
 * result is out/file.
 *
 *     -a        every call of these names fails once, N = 1, 2, 3 ... until the run has
 *               fewer; else the first that comes from each place in the program
 *     -e N      only every N-th of these, beginning with the first of each FAULT
 *     -b FILE   what out/file holds before [there is none]
 *     -t        it may be lost: is written through
 *     -i FILE   is standard input; -p FILE: what comes by a pipe, at most 512 KiB
 *     -o        standard output is out/file; -d: is a pipe, whose bytes go there after the run
 *     -f        others, too, may write to standard error: programs that are run
 *     -l NAMES  what these libraries call does not fail; nor what libasan does
 *     -n NAME   calls of this name always fail, besides
 *     -s N      the exit status if all is well [0]; -c N: in trouble [2]
 *     -j N      so many runs at once [2]
 *     -v        a line for each FAULT
 *
 * After each run: the status is that of success, and the result right (the fault was
 * harmless); or it is that of trouble, with one message, and out/file as it was (failed
 * cleanly; so if a signal was to end it, and did, and out/file is as it was, or right).  Nothing
 * else is in out and temp.  Calls that are interrupted or do less than asked are no reason to
 * fail.  A crash, a hang, a wrong result, a lost file, what a sanitizer says are told with
 * what it takes to see them again, and then the exit status is 1.
 *
 * Standard output: "NAME: N tried: N harmless, N failed cleanly, N wrong".
 */
#define _GNU_SOURCE	1
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fault.h"

enum { HANGS_AFTER_S = 60, PIPE_BYTES = 1 << 20, FAULTS_MOST = 128, COMPLAINTS_MOST = 12,
       ERRORS = 200, HUNG = -1000 };

struct bytes {
	char  *data;
	size_t count;
};

/* What is to fail. */
struct what {
	char        calls[200];
	const char *error, *how;
	char        number[12];		/* of the error */
	bool        is_no_reason;	/* to fail */
	int         signal;		/* that ends it, instead of a fault */
	/* How many runs ended how; all workers add here. */
	_Atomic uint64_t next, harmless, clean, wrong;
	atomic_bool      over;
};

static struct {
	const char  *name, *self;	/* of the command's messages */
	char         shim[4096];	/* beside this program */
	char       **command;
	struct bytes right, before, fed;
	const char  *input, *spared;
	bool foreign, all, has_before, touches, feeds, to_stdout, drains, verbose;
	int  status, trouble, jobs, every;
	struct fault_report *report;	/* this worker's */
	struct fault_report *places;	/* where calls come from; shared */
	struct what *whats;		/* shared */
	size_t what_count;
} walk = { .trouble = 2, .jobs = 2, .every = 1, .spared = "libasan" };

static volatile pid_t running;
static volatile sig_atomic_t hung;

static _Noreturn void __attribute__((format(printf, 1, 2)))
stop(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fprintf(stderr, "walk: ");
	vfprintf(stderr, format, args);
	fprintf(stderr, "\n");
	va_end(args);
	exit(2);
}

/* What children of a sanitized walk are told is said in begin(). */
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

static struct bytes
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

/* Does out/file hold ALL?  NULL: is there none? */
static bool
holds(const struct bytes *all)
{
	const int fd = open("out/file", O_RDONLY | O_CLOEXEC);
	struct bytes found;
	bool same;

	if (fd < 0 || all == NULL)
		return fd < 0 && all == NULL && errno == ENOENT;
	found = slurp(fd);
	close(fd);
	same = found.count == all->count && memcmp(found.data, all->data, found.count) == 0;
	free(found.data);
	return same;
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
		if (strcmp(dir, "out") == 0 && strcmp(entry->d_name, "file") == 0)
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

/* In the child: its three descriptors, its environment, and it begins. */
static _Noreturn void
begin(int in, int out)
{
	const int told = open("told", O_WRONLY | O_CREAT | O_TRUNC, 0600);

	setpgid(0, 0);
	setenv("LD_PRELOAD", walk.shim, 1);
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

/* The command, as the environment says.  Its exit status; less than 0: minus a signal; HUNG. */
static int
run(void)
{
	int in_ends[2] = { -1, -1 }, out_ends[2] = { -1, -1 }, in, out, status, orphan;

	if (walk.has_before || walk.to_stdout) {
		out = open("out/file", O_WRONLY | O_CREAT | O_TRUNC, 0600);
		store(out, walk.before);
		close(out);
	} else {
		(void)unlink("out/file");
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

/* ---- what became of it ------------------------------------------------------------- */

/* Lines of TOLD that are messages, and no warnings; -1: there is something else. */
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

/* NULL: all is well. */
static const char *
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
		return !keeps || holds(before) || holds(&walk.right) ? NULL : "the output was lost";
	if (status == walk.status)
		return holds(&walk.right) ? NULL : "a wrong result, and status of success";
	if (status != walk.trouble)
		return "another status";
	if (messages(told) != 1)
		return "not one message";
	if (what->is_no_reason)
		return "no reason to fail";
	return keeps && !holds(before) ? "the output was lost" : NULL;
}

static void
complain(const struct what *what, uint64_t at, int status, const char *problem, const char *told)
{
	char shown[600];

	snprintf(shown, sizeof shown, "%s", told);
	printf("%s: FAULT_CALL=%s FAULT_AT=%lu FAULT_ERRNO=%s FAULT_HOW=%s: %s (%s, status %d)\n%s%s",
	       walk.name, what->calls, (unsigned long)at, what->number, what->how, problem,
	       what->error, status, told[0] != '\0' ? "    " : "", shown);
	fflush(stdout);
}

/* False: there is no such call any more. */
static bool
try(struct what *what, uint64_t at)
{
	char number[24];
	struct bytes told;
	const char *problem;
	int status;

	snprintf(number, sizeof number, "%lu", (unsigned long)at);
	setenv("FAULT_CALL", what->calls, 1);
	setenv("FAULT_AT", number, 1);
	setenv("FAULT_ERRNO", what->number, 1);
	setenv("FAULT_HOW", what->how, 1);
	status = run();
	if (walk.report->hits == 0 && status == walk.status)
		return false;
	told = load("told");
	told.data = realloc(told.data, told.count + 1);
	told.data[told.count] = '\0';
	problem = trouble(what, status, told.data);
	if (problem == NULL)
		atomic_fetch_add(status == walk.status ? &what->harmless : &what->clean, 1);
	else if (atomic_fetch_add(&what->wrong, 1) < COMPLAINTS_MOST)
		complain(what, at, status, problem, told.data);
	free(told.data);
	return true;
}

/* ---- all of them ------------------------------------------------------------------- */

/* Is CALL one of WHAT's? */
static bool
has_call(const struct what *what, const char *call)
{
	const size_t bytes = strlen(call);

	for (const char *at = what->calls; at != NULL; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, call, bytes) == 0 && (at[bytes] == ',' || at[bytes] == '\0'))
			return true;
	}
	return false;
}

/* The INDEX-th place that WHAT is called from: its number; 0: there are fewer. */
static uint64_t
place(const struct what *what, uint64_t index)
{
	for (size_t s = 0; s < walk.places->site_count && s < FAULT_SITES; s++) {
		const struct fault_site *site = &walk.places->sites[s];

		if ((has_call(what, "all") || has_call(what, site->call)) && index-- == 0)
			return has_call(what, "all") ? site->order : site->number;
	}
	return 0;
}

static void
walk_through(struct what *what)
{
	while (!atomic_load(&what->over)) {
		const uint64_t index = atomic_fetch_add(&what->next, (uint64_t)walk.every);
		const uint64_t at = walk.all ? index + 1 : place(what, index);

		/* All interruptions are in one run. */
		if (at == 0 || place(what, 0) == 0 || (index > 0 && strcmp(what->how, "eintr") == 0) ||
		    (!try(what, at) && walk.all))
			atomic_store(&what->over, true);
	}
}

static void *
share(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		stop("no memory");
	return memory;
}

/* A folder of its own, a report of its own. */
static void
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
	fd = open("report", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, sizeof *walk.report) != 0)
		stop("report: %s", strerror(errno));
	walk.report = mmap(NULL, sizeof *walk.report, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	setenv("FAULT_REPORT", "report", 1);
	sigaction(SIGALRM, &hangs, NULL);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

/* Where do calls come from?  And does the command work at all? */
static void
look(void)
{
	int status;

	setenv("FAULT_CALL", "sites", 1);
	status = run();
	if (status != walk.status || !holds(&walk.right))
		stop("%s: without a fault the status is %d, and the result %s", walk.name, status,
		     holds(&walk.right) ? "right" : "wrong");
	*walk.places = *walk.report;
	if (walk.places->site_count == 0)
		stop("the shim does not work");
}

static void
work(int worker)
{
	const pid_t id = fork();

	if (id != 0)
		return;
	settle(worker);
	for (size_t w = 0; w < walk.what_count; w++)
		walk_through(&walk.whats[w]);
	exit(0);
}

/* Is NAME that of the error or signal with this number? */
static bool
is_called(int number, const char *name, bool is_signal)
{
	const char *known = !is_signal ? strerrorname_np(number)
	                    : number > 0 && number < NSIG ? sigabbrev_np(number) : NULL;

	return known != NULL && strcmp(known, name) == 0;
}

static void
add_fault(const char *text)
{
	struct what *what = &walk.whats[walk.what_count++];
	char *copy = strdup(text), *error = strchr(copy, ':'), *how;
	int number = 0;

	if (error == NULL || error - copy >= (ptrdiff_t)sizeof what->calls ||
	    walk.what_count > FAULTS_MOST)
		stop("%s: CALL:ERRNO[:HOW] is needed", text);
	*error++ = '\0';
	strcpy(what->calls, copy);
	how = strchr(error, ':');
	if (how != NULL)
		*how++ = '\0';
	what->error = error;
	what->how = how != NULL ? how : "once";
	while (number < ERRORS && !is_called(number, error, strcmp(what->how, "signal") == 0))
		number++;
	if (number == ERRORS)
		stop("%s: no such error", error);
	what->signal = strcmp(what->how, "signal") == 0 ? number : 0;
	snprintf(what->number, sizeof what->number, "%d", number);
	what->is_no_reason = strcmp(what->how, "eintr") == 0 || strcmp(what->how, "short") == 0;
}

static void
find_shim(void)
{
	char self[sizeof walk.shim - 10];
	const ssize_t bytes = readlink("/proc/self/exe", self, sizeof self - 1);

	if (bytes < 0)
		stop("/proc/self/exe: %s", strerror(errno));
	self[bytes] = '\0';
	snprintf(walk.shim, sizeof walk.shim, "%s/fault.so", dirname(self));
}

static void
parse(int argc, char **argv)
{
	int option;

	find_shim();

	while ((option = getopt(argc, argv, "+ab:c:de:fi:j:l:n:op:s:tv")) > 0) {
		switch (option) {
		case 'a': walk.all = true; break;
		case 'b': walk.has_before = true; walk.before = load(optarg); break;
		case 'c': walk.trouble = atoi(optarg); break;
		case 'd': walk.drains = true; break;
		case 'e': walk.every = atoi(optarg); break;
		case 'f': walk.foreign = true; break;
		case 'i': walk.input = realpath(optarg, NULL); break;
		case 'j': walk.jobs = atoi(optarg); break;
		case 'l': walk.spared = optarg; break;
		case 'n': setenv("FAULT_LACKS", optarg, 1); break;
		case 'o': walk.to_stdout = true; break;
		case 'p': walk.feeds = true; walk.fed = load(optarg); break;
		case 's': walk.status = atoi(optarg); break;
		case 't': walk.touches = true; break;
		case 'v': walk.verbose = true; break;
		default: exit(2);
		}
	}
	if (argc - optind < 4)
		stop("NAME RIGHT FAULT... -- COMMAND... are needed");
	walk.name = argv[optind];
	walk.right = load(argv[optind + 1]);
	for (optind += 2; optind < argc && strcmp(argv[optind], "--") != 0; optind++)
		add_fault(argv[optind]);
	walk.command = &argv[optind + 1];
	walk.self = basename(strdup(walk.command[0]));
}

int
main(int argc, char **argv)
{
	uint64_t harmless = 0, clean = 0, wrong = 0;

	walk.whats = share(FAULTS_MOST * sizeof *walk.whats);
	walk.places = share(sizeof *walk.places);
	parse(argc, argv);
	if (fork() == 0) {
		settle(0);
		look();
		exit(0);
	}
	int status;
	wait(&status);
	if (status != 0)
		exit(2);
	for (int worker = 0; worker < walk.jobs; worker++)
		work(worker);
	while (wait(&status) > 0)
		wrong += status != 0;
	for (size_t w = 0; w < walk.what_count; w++) {
		const struct what *what = &walk.whats[w];

		if (walk.verbose && what->harmless + what->clean + what->wrong > 0)
			printf("    %s:%s:%s: %lu harmless, %lu failed cleanly, %lu wrong\n", what->calls,
			       what->error, what->how, what->harmless, what->clean, what->wrong);
		harmless += what->harmless;
		clean += what->clean;
		wrong += what->wrong;
	}
	printf("%s: %lu tried: %lu harmless, %lu failed cleanly, %lu wrong\n", walk.name,
	       harmless + clean + wrong, harmless, clean, wrong);
	return wrong > 0;
}
