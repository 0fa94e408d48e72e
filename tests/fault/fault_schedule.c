// SPDX-License-Identifier: BSD-2-Clause
/*
 * fault_schedule.c - which calls fail
 *
 * In:   the environment, see fault.c.  Out: yes or no, for each call.
 *
 * Invariant: calls from this file neither count nor fail.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

#include "fault_schedule.h"

struct fault fault;

static _Atomic(pid_t) owner;	/* 0: main() has not begun */

long
raw(long number, long a, long b, long c, long d, long e, long f)
{
	static long (*real)(long, ...);

	if (real == NULL)
		real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	return real(number, a, b, c, d, e, f);
}

/* ---- whose turn it is -------------------------------------------------------------- */

static void
map_report(const char *name)
{
	const int fd = (int)raw(SYS_openat, AT_FDCWD, (long)name, O_RDWR, 0, 0, 0);
	const long at = raw(SYS_mmap, 0, sizeof *fault.report, PROT_READ | PROT_WRITE, MAP_SHARED,
	                    fd, 0);

	if (fd >= 0 && at != -1)
		fault.report = (struct fault_report *)at;
	raw(SYS_close, fd, 0, 0, 0, 0, 0);
}

__attribute__((constructor)) static void
begin(void)
{
	const char *at = getenv("FAULT_AT"), *error = getenv("FAULT_ERRNO");
	const char *how = getenv("FAULT_HOW"), *report = getenv("FAULT_REPORT");
	static struct fault_report nobody_looks;

	unsetenv("LD_PRELOAD");
	fault.report = &nobody_looks;
	if (report != NULL)
		map_report(report);
	fault.at = at != NULL ? strtoul(at, NULL, 10) : 0;
	fault.error = error != NULL ? atoi(error) : EIO;
	if (how != NULL) {
		fault.halves = strcmp(how, "short") == 0 || strcmp(how, "full") == 0;
		fault.on = strcmp(how, "on") == 0 || strcmp(how, "full") == 0;
		fault.interrupts = strcmp(how, "eintr") == 0;
		fault.signals = strcmp(how, "signal") == 0;
	}
	if (fault.interrupts)
		fault.error = EINTR;
	fault.spared = getenv("FAULT_SPARE");
	fault.lacks = getenv("FAULT_LACKS");
	fault.calls = getenv("FAULT_CALL");
	fault.sites = fault.calls != NULL && strcmp(fault.calls, "sites") == 0;
}

typedef int main_function(int, char **, char **);

static main_function *real_main;

static int
counted_main(int argc, char **argv, char **environment)
{
	owner = getpid();
	return real_main(argc, argv, environment);
}

int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

int
__libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
                  void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
	REAL(__libc_start_main);

	real_main = main;
	return real(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

/* The addresses that lead to a call; the first are of the shim itself. */
enum { FRAMES = 8 };

struct trace {
	void    *frames[FRAMES];
	unsigned count;
};

static _Unwind_Reason_Code
add_frame(struct _Unwind_Context *context, void *into)
{
	struct trace *trace = into;

	trace->frames[trace->count++] = (void *)_Unwind_GetIP(context);
	return trace->count < FRAMES ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/* A site is known by these addresses; sets are not large. */
static void
note_site(const char *name, uint64_t number, uint64_t order, const struct trace *trace)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static uint64_t seen[FAULT_SITES];
	uint64_t sum = 0, known = 0;

	for (unsigned f = 0; f < trace->count; f++)
		sum = (sum ^ (uintptr_t)trace->frames[f]) * UINT64_C(0x9e3779b97f4a7c15);
	pthread_mutex_lock(&lock);
	while (known < fault.report->site_count && known < FAULT_SITES && seen[known] != sum)
		known++;
	if (known < FAULT_SITES && known == fault.report->site_count) {
		struct fault_site *site = &fault.report->sites[known];

		seen[known] = sum;
		strncpy(site->call, name, sizeof site->call - 1);
		site->number = number;
		site->order = order;
		fault.report->site_count++;
	}
	pthread_mutex_unlock(&lock);
}

/* Does FILE begin with one of the names in LIST? */
static bool
is_named(const char *file, const char *list)
{
	for (const char *at = list, *end; *at != '\0'; at = end + (*end == ',')) {
		end = strchrnul(at, ',');
		if (strncmp(file, at, (size_t)(end - at)) == 0)
			return true;
	}
	return false;
}

/* Do they belong to one of those that are spared?  After a '!' these are all but those in the list. */
static bool
are_spared(const struct trace *trace)
{
	const bool others = fault.spared != NULL && fault.spared[0] == '!';

	for (unsigned f = 0; f < trace->count && fault.spared != NULL; f++) {
		const char *file;
		Dl_info info;

		if (dladdr(trace->frames[f], &info) == 0)
			continue;
		file = strrchr(info.dli_fname, '/');
		file = file != NULL ? file + 1 : info.dli_fname;
		if (is_named(file, fault.spared + others) != others)
			return true;
	}
	return false;
}

/* Is WORD, after MARK, in the list? */
static bool
is_in_list(char mark, const char *word)
{
	const size_t bytes = strlen(word);

	for (const char *at = fault.calls; at != NULL; at = strchr(at, ',')) {
		at += *at == ',';
		if (mark != '\0' && *at != mark)
			continue;
		at += mark != '\0';
		if (strncmp(at, word, bytes) == 0 && (at[bytes] == ',' || at[bytes] == '\0'))
			return true;
	}
	return false;
}

static bool
is_meant(const char *name)
{
	return fault.sites || is_in_list('\0', name) ||
	       (is_in_list('\0', "all") && !is_in_list('!', name) && !FAULT_IS_PLACE(name));
}

/* Count it; is it this call's turn? */
static bool
count(struct call *call, const struct trace *trace)
{
	uint64_t number;
	bool hit;

	if (are_spared(trace))
		return false;
	number = fault.sites && FAULT_IS_PLACE(call->name) ? 0
	         : atomic_fetch_add(&fault.report->calls, 1) + 1;
	if (fault.sites) {
		note_site(call->name, atomic_fetch_add(&call->count, 1) + 1, number, trace);
		return false;
	}
	hit = number >= fault.at && (number == fault.at || fault.on ||
	                             (fault.interrupts && (number - fault.at) % 2 == 0));
	if (hit)
		atomic_fetch_add(&fault.report->hits, 1);
	if (hit && fault.signals)
		kill(owner, fault.error);
	return hit && !fault.signals;
}

/* A forked child, until it runs something else, is left alone, and so is what is called here. */
static bool
strikes(struct call *call)
{
	THREAD_LOCAL bool inside;
	struct trace trace = { .count = 0 };
	bool hit;

	if (fault.calls == NULL || owner == 0 || inside)
		return false;
	if (call->wanted == 0)
		call->wanted = is_meant(call->name) ? 1 : -1;
	if (call->wanted < 0 || owner != getpid())
		return false;
	inside = true;
	(void)_Unwind_Backtrace(add_frame, &trace);
	hit = count(call, &trace);
	inside = false;
	return hit;
}

bool
fails(struct call *call)
{
	const bool lacks = fault.lacks != NULL && strcmp(fault.lacks, call->name) == 0;

	if (!strikes(call) && !lacks)
		return false;
	errno = lacks ? EOPNOTSUPP : fault.error;
	return true;
}

bool
fault_place(struct call *call)
{
	return fails(call);
}

bool
moves_not(struct call *call, size_t *bytes)
{
	static atomic_bool halved;

	if (!fails(call))
		return false;
	if (!fault.halves || (fault.on && atomic_exchange(&halved, true)))
		return true;
	*bytes = *bytes > 1 ? *bytes / 2 : *bytes;
	return false;
}

/* ---- the end ------------------------------------------------------------------------- */

void
_exit(int status)
{
	int (*leaks)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "__lsan_do_recoverable_leak_check");

	fault.calls = NULL;
	if (status == 2 && leaks != NULL && leaks() != 0)
		status = 99;
	for (;;)
		raw(SYS_exit_group, status, 0, 0, 0, 0, 0);
}
