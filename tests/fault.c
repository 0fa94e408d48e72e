// SPDX-License-Identifier: BSD-2-Clause
/*
 * fault.c - preloaded: the N-th system call of a kind fails, or all are interrupted
 *
 *     LD_PRELOAD=tests/fault.so FAULT_CALL=write FAULT_AT=3 FAULT_ERRNO=28 gsort ...
 *
 * FAULT_CALL    one of the names below
 * FAULT_AT      which call of that kind fails; 0: none, they are only counted
 * FAULT_ERRNO   with what errno; or "short": it does half of what it should; or "eintr":
 *               every second call, beginning with FAULT_AT, fails with EINTR
 * FAULT_REPORT  a file: "CALLS HITS", 20 digits each, kept up to date
 *
 * Calls within libc (fopen's read) are not seen, those of other libraries are; nor is what
 * goes on before main(), where the CUDA runtime registers its kernels and trusts malloc().
 * Counts are of the process; children that are run do not inherit the shim.
 *
 * Invariant: but for the call that fails, nothing is different.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static struct {
	const char *call;
	unsigned long at;
	int  error;
	bool halves, interrupts;
	_Atomic unsigned long calls, hits;
	int  report;
} fault = { .report = -1 };

static _Atomic(pid_t) owner;	/* 0: main() has not begun; a forked child, until it runs
				 * something else, is left alone */

static void
tell(void)
{
	char line[64];
	int length;

	if (fault.report < 0)
		return;
	length = snprintf(line, sizeof line, "%020lu %020lu\n", fault.calls, fault.hits);
	syscall(SYS_pwrite64, fault.report, line, (size_t)length, 0L);
}

__attribute__((constructor)) static void
begin(void)
{
	const char *call = getenv("FAULT_CALL"), *at = getenv("FAULT_AT");
	const char *error = getenv("FAULT_ERRNO"), *report = getenv("FAULT_REPORT");
	int fd;

	if (call == NULL || at == NULL)
		return;
	if (report != NULL) {
		fd = (int)syscall(SYS_openat, AT_FDCWD, report, O_WRONLY | O_CREAT, 0600);
		fault.report = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 500);
		syscall(SYS_close, fd);
	}
	fault.at = strtoul(at, NULL, 10);
	if (error != NULL) {
		fault.halves = strcmp(error, "short") == 0;
		fault.interrupts = strcmp(error, "eintr") == 0;
		fault.error = fault.interrupts ? EINTR : atoi(error);
	}
	unsetenv("LD_PRELOAD");
	tell();
	fault.call = call;
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
	__typeof__(&__libc_start_main) real =
		(__typeof__(&__libc_start_main))dlsym(RTLD_NEXT, "__libc_start_main");

	real_main = main;
	return real(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

/* Is it this call's turn? */
static bool
strikes(const char *call)
{
	unsigned long number;
	bool hit;

	if (fault.call == NULL || strcmp(call, fault.call) != 0 || owner != getpid())
		return false;
	number = atomic_fetch_add(&fault.calls, 1) + 1;
	hit = fault.at > 0 && (fault.interrupts ? number >= fault.at && (number - fault.at) % 2 == 0
	                                        : number == fault.at);
	if (hit)
		atomic_fetch_add(&fault.hits, 1);
	tell();
	return hit;
}

#define REAL(name) \
	static __typeof__(&name) real; \
	if (real == NULL) \
		real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

/* Calls that move bytes: may also come out short. */
#define MOVES(name, type, parameters, bytes, ...) \
	type name parameters \
	{ \
		REAL(name); \
		if (strikes(#name)) { \
			if (fault.halves && (bytes) > 1) { \
				(bytes) /= 2; \
			} else if (!fault.halves) { \
				errno = fault.error; \
				return -1; \
			} \
		} \
		return real(__VA_ARGS__); \
	}

MOVES(read, ssize_t, (int fd, void *to, size_t bytes), bytes, fd, to, bytes)
MOVES(pread, ssize_t, (int fd, void *to, size_t bytes, off_t at), bytes, fd, to, bytes, at)
MOVES(write, ssize_t, (int fd, const void *from, size_t bytes), bytes, fd, from, bytes)
MOVES(pwrite, ssize_t, (int fd, const void *from, size_t bytes, off_t at), bytes, fd, from, bytes, at)

/* Calls that do or do not. */
#define DOES(name, type, failed, parameters, ...) \
	type name parameters \
	{ \
		REAL(name); \
		if (strikes(#name) && !fault.halves) { \
			errno = fault.error; \
			return failed; \
		} \
		return real(__VA_ARGS__); \
	}

DOES(fsync, int, -1, (int fd), fd)
DOES(ftruncate, int, -1, (int fd, off_t bytes), fd, bytes)
DOES(fallocate, int, -1, (int fd, int mode, off_t at, off_t bytes), fd, mode, at, bytes)
DOES(rename, int, -1, (const char *from, const char *to), from, to)
DOES(linkat, int, -1, (int from, const char *a, int to, const char *b, int flags), from, a, to, b, flags)
DOES(unlink, int, -1, (const char *name), name)
DOES(fchmod, int, -1, (int fd, mode_t mode), fd, mode)
DOES(lseek, off_t, -1, (int fd, off_t at, int from), fd, at, from)
DOES(madvise, int, -1, (void *at, size_t bytes, int advice), at, bytes, advice)
DOES(vmsplice, ssize_t, -1, (int fd, const struct iovec *parts, size_t count, unsigned flags),
     fd, parts, count, flags)
DOES(mmap, void *, MAP_FAILED, (void *at, size_t bytes, int may, int flags, int fd, off_t offset),
     at, bytes, may, flags, fd, offset)

int
fstat(int fd, struct stat *found)
{
	REAL(fstat);
	if (strikes("fstat") && !fault.halves) {
		errno = fault.error;
		return -1;
	}
	return real(fd, found);
}

/* It closes, as the kernel does, and says that something was lost. */
int
close(int fd)
{
	int status;

	REAL(close);
	if (fd == fault.report && fd >= 0)
		return 0;
	status = real(fd);
	if (strikes("close") && !fault.halves && status == 0) {
		errno = fault.error;
		return -1;
	}
	return status;
}

static mode_t
mode_of(int flags, va_list rest)
{
	return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, mode_t) : 0;
}

int
open(const char *name, int flags, ...)
{
	va_list rest;
	mode_t mode;

	REAL(open);
	va_start(rest, flags);
	mode = mode_of(flags, rest);
	va_end(rest);
	if (strikes("open") && !fault.halves) {
		errno = fault.error;
		return -1;
	}
	return real(name, flags, mode);
}

int
openat(int folder, const char *name, int flags, ...)
{
	va_list rest;
	mode_t mode;

	REAL(openat);
	va_start(rest, flags);
	mode = mode_of(flags, rest);
	va_end(rest);
	if (strikes("openat") && !fault.halves) {
		errno = fault.error;
		return -1;
	}
	return real(folder, name, flags, mode);
}

int
fcntl(int fd, int command, ...)
{
	va_list rest;
	void *argument;

	REAL(fcntl);
	va_start(rest, command);
	argument = va_arg(rest, void *);
	va_end(rest);
	if (strikes("fcntl") && !fault.halves) {
		errno = fault.error;
		return -1;
	}
	return real(fd, command, argument);
}

int
pthread_create(pthread_t *id, const pthread_attr_t *how, void *(*body)(void *), void *context)
{
	REAL(pthread_create);
	if (strikes("pthread_create") && !fault.halves)
		return EAGAIN;
	return real(id, how, body, context);
}

/* ---- memory: glibc's own names, as dlsym() itself allocates ------------------------ */

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *old, size_t bytes);

void *
malloc(size_t bytes)
{
	if (strikes("malloc")) {
		errno = ENOMEM;
		return NULL;
	}
	return __libc_malloc(bytes);
}

void *
calloc(size_t count, size_t bytes)
{
	if (strikes("malloc")) {
		errno = ENOMEM;
		return NULL;
	}
	return __libc_calloc(count, bytes);
}

void *
realloc(void *old, size_t bytes)
{
	if (strikes("malloc")) {
		errno = ENOMEM;
		return NULL;
	}
	return __libc_realloc(old, bytes);
}
