// SPDX-License-Identifier: BSD-2-Clause
/*
 * fault_runner.c - run a command many times; each time another of its calls fails
 *
 *     fault_runner [OPTION]... NAME RIGHT FAULT... -- COMMAND [ARGUMENT]...
 *
 * RIGHT is a file that holds the right result.  A FAULT is CALL[,CALL]...:ERRNO[:HOW], as in
 * fault.c, with ERRNO by name, or CALL...:SIGNAL:signal; or place:ERRNO[:HOW]: each TRY and THEN, in
 * a build of tests/tools/places, has an error in place of its call.  If FAULT_ONCE is a folder, a place
 * that is tried gets a file there, and is not tried again.  The command runs in a folder that has the
 * folders out and temp; its result is out/file.
 *
 *     -a        every call of these names fails once, N = 1, 2, 3 ... until the run makes
 *               fewer calls; else the first call from each place in the program
 *     -e N      only every N-th of these, beginning with the first of each FAULT
 *     -b FILE   the content of out/file before the run [there is no such file]
 *     -t        out/file may be lost: it is written in place
 *     -i FILE   standard input; -p FILE: standard input is a pipe, at most 512 KiB
 *     -o        standard output is out/file; -d: a pipe, whose bytes go there after the run
 *     -f        programs that the command runs may write to standard error, too
 *     -m N      the result is N files, out/file0 ... one after the other; after an error each
 *               must be unchanged
 *     -l NAMES  calls of these libraries do not fail; those of libasan never do.  !NAMES: only calls
 *               that none but these files have a part in
 *     -n NAME   calls of this name always fail
 *     -s N      the exit status of success [0]; -c N: of an error [2]
 *     -j N      run N commands at once [2]
 *     -1 N      only the N-th call of each FAULT
 *     -v        print a line for each FAULT
 *     -w        the command is a launcher: it loads the shim, which FAULT_SHIM names, where it wants
 *
 * After each run, one of these must hold.  The status is that of success, and the result is right:
 * the fault was harmless.  Or the status is that of an error, there is one message, and out/file is
 * unchanged: the run failed cleanly.  If a signal ended the run, out/file is unchanged or right.
 * out and temp hold nothing else.  A call that is interrupted, or does less than asked, must not
 * make the run fail.  A crash, a hang, a wrong result, a lost file or a report of a sanitizer is
 * printed with the command that repeats it, the first of each FAULT, and the exit status is 1.
 *
 * Standard output: "NAME: N tried: N harmless, N failed cleanly, N wrong".
 */
#define _GNU_SOURCE	1
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fault_runner.h"

enum { FAULTS_MOST = 256, ERRORS = 200 };

struct walk walk = { .trouble = 2, .jobs = 2, .every = 1, .spared = "libasan" };

static void
complain(const struct what *what, uint64_t at, int status, const char *problem, const char *told)
{
	char shown[600];

	snprintf(shown, sizeof shown, "%s", told);
	printf("%s: FAULT_CALL=%s FAULT_AT=%lu FAULT_ERRNO=%s FAULT_HOW=%s: %s (%s, status %d)\n%s%s",
	       walk.name, getenv("FAULT_CALL"), (unsigned long)at, what->number, what->how, problem,
	       what->error, status, told[0] != '\0' ? "    " : "", shown);
	fflush(stdout);
}

/* The AT-th CALL fails.  False: no such call is left. */
static bool
try(struct what *what, const char *call, uint64_t at)
{
	char number[24];
	struct bytes told;
	const char *problem;
	int status;

	snprintf(number, sizeof number, "%lu", (unsigned long)at);
	setenv("FAULT_CALL", call, 1);
	setenv("FAULT_AT", number, 1);
	setenv("FAULT_ERRNO", what->number, 1);
	setenv("FAULT_HOW", what->how, 1);
	setenv("FAULT_ERROR", what->error, 1);	/* for tests/tools/places.h */
	status = run();
	if (walk.report->hits == 0 && status == walk.status)
		return false;
	told = load("told");
	told.data = realloc(told.data, told.count + 1);
	told.data[told.count] = '\0';
	problem = trouble(what, status, told.data);
	if (problem == NULL)
		atomic_fetch_add(status == walk.status ? &what->harmless : &what->clean, 1);
	else if (atomic_fetch_add(&what->wrong, 1) == 0 || what->is_place)
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

	if (FAULT_IS_PLACE(call))
		return what->is_place;
	if (strncmp(what->calls, "all", 3) == 0)
		return true;

	for (const char *at = what->calls; at != NULL; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, call, bytes) == 0 && (at[bytes] == ',' || at[bytes] == '\0'))
			return true;
	}
	return false;
}

/*
 * The INDEX-th place that WHAT is called from: its number, and *CALL is set; 0: there are fewer.  Of several
 * names that is not the place, but as good a number as others.
 */
static uint64_t
place(const struct what *what, uint64_t index, const char **call)
{
	*call = what->calls;
	if (walk.only > 0)
		return index == 0 ? walk.only : 0;
	for (size_t s = 0; s < walk.places->site_count && s < FAULT_SITES; s++) {
		const struct fault_site *site = &walk.places->sites[s];

		if (!has_call(what, site->call) || index-- > 0)
			continue;
		if (what->is_place)
			*call = site->call;
		return strncmp(what->calls, "all", 3) == 0 ? site->order : site->number;
	}
	return 0;
}

/* Has nobody tried this place?  Then this run does. */
static bool
is_new(const char *place)
{
	const char *folder = getenv("FAULT_ONCE");
	char name[4096];
	int fd;

	if (folder == NULL)
		return true;
	snprintf(name, sizeof name, "%s/%s", folder, place);
	for (char *slash = name + strlen(folder) + 1; (slash = strchr(slash, '/')) != NULL;)
		*slash = '+';
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void
walk_through(struct what *what)
{
	while (!atomic_load(&what->over)) {
		const uint64_t index = atomic_fetch_add(&what->next, (uint64_t)walk.every);
		const char *call;
		const uint64_t first = place(what, 0, &call);
		const uint64_t at = walk.all && !what->is_place ? index + 1 : place(what, index, &call);

		if (at > 0 && FAULT_IS_PLACE(call) && walk.only == 0 && !is_new(call))
			continue;

		/* All interruptions are in one run. */
		if (at == 0 || first == 0 || (index > 0 && strcmp(what->how, "eintr") == 0) ||
		    (!try(what, call, at) && walk.all && !what->is_place))
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

/* Where do calls come from? Does the command work at all? */
static void
look(void)
{
	int status;

	setenv("FAULT_CALL", "sites", 1);
	status = run();
	if (status != walk.status || !is_right())
		stop("%s: without a fault the status is %d, and the result %s", walk.name, status,
		     is_right() ? "right" : "wrong");
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

/* Does NAME name the error or signal with this number? */
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

	if (walk.what_count > FAULTS_MOST)
		stop("%s: more than %d kinds of faults", text, FAULTS_MOST);
	if (error == NULL || error - copy >= (ptrdiff_t)sizeof what->calls)
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
	what->is_place = strcmp(copy, "place") == 0;
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

	while ((option = getopt(argc, argv, "+1:ab:c:de:fi:j:l:m:n:op:s:tvw")) > 0) {
		switch (option) {
		case '1': walk.only = strtoul(optarg, NULL, 10); break;
		case 'a': walk.all = true; break;
		case 'b': walk.has_before = true; walk.before = load(optarg); break;
		case 'c': walk.trouble = atoi(optarg); break;
		case 'd': walk.drains = true; break;
		case 'e': walk.every = atoi(optarg); break;
		case 'f': walk.foreign = true; break;
		case 'i': walk.input = realpath(optarg, NULL); break;
		case 'j': walk.jobs = atoi(optarg); break;
		case 'l': walk.spared = optarg; break;
		case 'm': walk.files = atoi(optarg); break;
		case 'n': setenv("FAULT_LACKS", optarg, 1); break;
		case 'o': walk.to_stdout = true; break;
		case 'p': walk.feeds = true; walk.fed = load(optarg); break;
		case 's': walk.status = atoi(optarg); break;
		case 't': walk.touches = true; break;
		case 'v': walk.verbose = true; break;
		case 'w': walk.launches = true; break;
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
