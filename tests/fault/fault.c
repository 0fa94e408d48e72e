// SPDX-License-Identifier: BSD-2-Clause
/*
 * fault.c - a preloaded library in which system calls fail
 *
 *     LD_PRELOAD=tests/fault/fault.so FAULT_CALL=write FAULT_AT=3 FAULT_ERRNO=28 gsort ...
 *
 * FAULT_CALL    names as below, separated by commas, or "all", and "!NAME" to exclude one;
 *               "sites": no call fails, but the first from each place in the program, some
 *               callers deep, is reported
 * FAULT_AT      the number of the call that fails
 * FAULT_ERRNO   its errno
 * FAULT_HOW     "once" (the default); "on": all later calls fail, too; "short": the call does half
 *               of its work; "full": the same, and all later calls fail; "eintr": every second
 *               call, beginning with FAULT_AT, fails with EINTR; "signal": FAULT_ERRNO is the
 *               number of a signal to the process, and the call is made
 * FAULT_LACKS   a name: these calls always fail, as on a system that does not have them
 * FAULT_SPARE   names of libraries, separated by commas: their calls never fail
 * FAULT_REPORT  a file that holds a struct fault_report
 *
 * The shim has every function that gsort, or a library that it loads, calls, and that can fail in
 * a correct program.  strdup(), asprintf() and posix_spawn_file_actions_adddup2() are among them,
 * because libc calls this malloc().  libc's stdio calls its own write(2) and read(2), so messages
 * on standard error never fail; for standard output there is /dev/full.
 *
 * Calls before main() do not count.  Only the first process counts: children neither count nor
 * fail, and programs that gsort runs do not inherit the shim.
 *
 * _exit(2) after an error first looks for leaks, in a build with a leak checker.
 *
 * Invariant: calls that do not fail behave as without the shim.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/futex.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "fault_schedule.h"

/* ---- the calls --------------------------------------------------------------------- */

#define MOVES(function, parameters, ...) \
	ssize_t function parameters \
	{ \
		static struct call call = { .name = #function }; \
		REAL(function); \
		return moves_not(&call, &bytes) ? -1 : real(__VA_ARGS__); \
	}

MOVES(read, (int fd, void *to, size_t bytes), fd, to, bytes)
MOVES(pread, (int fd, void *to, size_t bytes, off_t at), fd, to, bytes, at)
MOVES(write, (int fd, const void *from, size_t bytes), fd, from, bytes)
MOVES(pwrite, (int fd, const void *from, size_t bytes, off_t at), fd, from, bytes, at)

ssize_t
vmsplice(int fd, const struct iovec *parts, size_t count, unsigned flags)
{
	static struct call call = { .name = "vmsplice" };
	struct iovec part = parts[0];

	REAL(vmsplice);
	if (moves_not(&call, &part.iov_len))
		return -1;
	return part.iov_len < parts[0].iov_len ? real(fd, &part, 1, flags)
	                                       : real(fd, parts, count, flags);
}

/* It does, or it returns FAILED. */
#define DOES(function, type, failed, parameters, ...) \
	type function parameters \
	{ \
		static struct call call = { .name = #function }; \
		REAL(function); \
		return fails(&call) && !fault.halves ? (failed) : real(__VA_ARGS__); \
	}

DOES(access, int, -1, (const char *name, int mode), name, mode)
DOES(dlopen, void *, NULL, (const char *name, int flags), name, flags)
DOES(execv, int, -1, (const char *name, char *const words[]), name, words)
DOES(faccessat, int, -1, (int at, const char *name, int mode, int flags), at, name, mode, flags)
DOES(fallocate, int, -1, (int fd, int mode, off_t at, off_t bytes), fd, mode, at, bytes)
DOES(fchmod, int, -1, (int fd, mode_t mode), fd, mode)
DOES(fchown, int, -1, (int fd, uid_t user, gid_t group), fd, user, group)
DOES(fgetxattr, ssize_t, -1, (int fd, const char *name, void *to, size_t room), fd, name, to, room)
DOES(flistxattr, ssize_t, -1, (int fd, char *to, size_t room), fd, to, room)
DOES(fopen, FILE *, NULL, (const char *name, const char *mode), name, mode)
DOES(fopencookie, FILE *, NULL, (void *context, const char *mode, cookie_io_functions_t calls),
     context, mode, calls)
DOES(fremovexattr, int, -1, (int fd, const char *name), fd, name)
DOES(fsetxattr, int, -1, (int fd, const char *name, const void *from, size_t bytes, int flags),
     fd, name, from, bytes, flags)
DOES(fstatfs, int, -1, (int fd, struct statfs *to), fd, to)
DOES(fdatasync, int, -1, (int fd), fd)
DOES(fsync, int, -1, (int fd), fd)
DOES(ftruncate, int, -1, (int fd, off_t bytes), fd, bytes)
DOES(getrlimit, int, -1, (__rlimit_resource_t which, struct rlimit *to), which, to)
DOES(getrusage, int, -1, (__rusage_who_t who, struct rusage *to), who, to)
DOES(glob, int, GLOB_NOSPACE,
     (const char *pattern, int flags, int (*trouble)(const char *, int), glob_t *to),
     pattern, flags, trouble, to)
DOES(isatty, int, 0, (int fd), fd)
DOES(link, int, -1, (const char *from, const char *to), from, to)
DOES(linkat, int, -1, (int from, const char *a, int to, const char *b, int flags),
     from, a, to, b, flags)
DOES(lseek, off_t, -1, (int fd, off_t at, int from), fd, at, from)
DOES(madvise, int, -1, (void *at, size_t bytes, int advice), at, bytes, advice)
DOES(mkostemp, int, -1, (char *name, int flags), name, flags)
DOES(mmap, void *, MAP_FAILED, (void *at, size_t bytes, int may, int flags, int fd, off_t offset),
     at, bytes, may, flags, fd, offset)
DOES(munmap, int, -1, (void *at, size_t bytes), at, bytes)
DOES(newlocale, locale_t, NULL, (int mask, const char *name, locale_t base), mask, name, base)
DOES(pipe2, int, -1, (int ends[2], int flags), ends, flags)
DOES(poll, int, -1, (struct pollfd *fds, nfds_t count, int ms), fds, count, ms)
DOES(posix_fadvise, int, fault.error, (int fd, off_t at, off_t bytes, int advice),
     fd, at, bytes, advice)
DOES(posix_spawn, int, fault.error,
     (pid_t *id, const char *program, const posix_spawn_file_actions_t *actions,
      const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]),
     id, program, actions, attributes, arguments, environment)
DOES(pthread_create, int, fault.error,
     (pthread_t *id, const pthread_attr_t *how, void *(*body)(void *), void *context),
     id, how, body, context)
DOES(pthread_key_create, int, fault.error, (pthread_key_t *key, void (*end)(void *)), key, end)
DOES(pthread_setspecific, int, fault.error, (pthread_key_t key, const void *value), key, value)
DOES(readlink, ssize_t, -1, (const char *name, char *to, size_t room), name, to, room)
DOES(rename, int, -1, (const char *from, const char *to), from, to)
DOES(sched_getaffinity, int, -1, (pid_t id, size_t bytes, cpu_set_t *to), id, bytes, to)
DOES(setenv, int, -1, (const char *name, const char *value, int over), name, value, over)
DOES(sigaction, int, -1, (int signal, const struct sigaction *now, struct sigaction *before),
     signal, now, before)
DOES(sigtimedwait, int, -1, (const sigset_t *set, siginfo_t *to, const struct timespec *most),
     set, to, most)
DOES(sigwaitinfo, int, -1, (const sigset_t *set, siginfo_t *to), set, to)
DOES(statfs, int, -1, (const char *name, struct statfs *to), name, to)
DOES(statvfs, int, -1, (const char *name, struct statvfs *to), name, to)
DOES(statx, int, -1, (int at, const char *name, int flags, unsigned mask, struct statx *to),
     at, name, flags, mask, to)
DOES(sysconf, long, -1, (int name), name)
DOES(unlink, int, -1, (const char *name), name)
DOES(waitpid, pid_t, -1, (pid_t id, int *status, int options), id, status, options)

/* These have been macros in <sys/stat.h>, or have special arguments there. */
DOES(stat, int, -1, (const char *name, struct stat *to), name, to)
DOES(lstat, int, -1, (const char *name, struct stat *to), name, to)
DOES(fstat, int, -1, (int fd, struct stat *to), fd, to)

/* They close the file, as the kernel does, and report an error. */
int
close(int fd)
{
	static struct call call = { .name = "close" };
	int status;

	REAL(close);
	status = real(fd);
	return status == 0 && fails(&call) && !fault.halves ? -1 : status;
}

int
fclose(FILE *stream)
{
	static struct call call = { .name = "fclose" };
	int status;

	REAL(fclose);
	status = real(stream);
	return status == 0 && fails(&call) && !fault.halves ? EOF : status;
}

/* As if reading had failed: the stream knows, in glibc's way. */
size_t
fread(void *to, size_t bytes, size_t count, FILE *stream)
{
	enum { ERROR_SEEN = 0x20 };
	static struct call call = { .name = "fread" };

	REAL(fread);
	if (!fails(&call))
		return real(to, bytes, count, stream);
	stream->_flags |= ERROR_SEEN;
	return 0;
}

char *
fgets(char *to, int room, FILE *stream)
{
	static struct call call = { .name = "fgets" };

	REAL(fgets);
	return fails(&call) ? NULL : real(to, room, stream);
}

static mode_t
mode_of(int flags, va_list rest)
{
	return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, mode_t) : 0;
}

/* Nameless files are a kind of their own: there are file systems without. */
int
open(const char *name, int flags, ...)
{
	static struct call named = { .name = "open" }, nameless = { .name = "tmpfile" };
	va_list rest;
	mode_t mode;

	REAL(open);
	va_start(rest, flags);
	mode = mode_of(flags, rest);
	va_end(rest);
	return fails((flags & O_TMPFILE) == O_TMPFILE ? &nameless : &named) ? -1
	       : real(name, flags, mode);
}

int
openat(int folder, const char *name, int flags, ...)
{
	static struct call call = { .name = "openat" };
	va_list rest;
	mode_t mode;

	REAL(openat);
	va_start(rest, flags);
	mode = mode_of(flags, rest);
	va_end(rest);
	return fails(&call) ? -1 : real(folder, name, flags, mode);
}

int
fcntl(int fd, int command, ...)
{
	static struct call call = { .name = "fcntl" };
	va_list rest;
	void *argument;

	REAL(fcntl);
	va_start(rest, command);
	argument = va_arg(rest, void *);
	va_end(rest);
	return fails(&call) ? -1 : real(fd, command, argument);
}

int
ioctl(int fd, unsigned long request, ...)
{
	static struct call call = { .name = "ioctl" };
	va_list rest;
	void *argument;

	REAL(ioctl);
	va_start(rest, request);
	argument = va_arg(rest, void *);
	va_end(rest);
	return fails(&call) ? -1 : real(fd, request, argument);
}

int
prctl(int option, ...)
{
	static struct call call = { .name = "prctl" };
	unsigned long a[4];
	va_list rest;

	REAL(prctl);
	va_start(rest, option);
	for (unsigned i = 0; i < 4; i++)
		a[i] = va_arg(rest, unsigned long);
	va_end(rest);
	return fails(&call) ? -1 : real(option, a[0], a[1], a[2], a[3]);
}

/* Calls without a wrapper of their own. */
long
syscall(long number, ...)
{
	static struct call landlock = { .name = "landlock" }, seccomp = { .name = "seccomp" };
	static struct call futex = { .name = "futex" };
	struct call *call = number == SYS_seccomp ? &seccomp : number == SYS_futex ? &futex :
	                    number >= 444 && number <= 446 ? &landlock : NULL;
	va_list rest;
	long a[6];

	va_start(rest, number);
	for (unsigned i = 0; i < 6; i++)
		a[i] = va_arg(rest, long);
	va_end(rest);
	/* Who wakes somebody is not refused. */
	if (call == &futex && (a[1] & FUTEX_CMD_MASK) != FUTEX_WAIT)
		call = NULL;
	return call != NULL && fails(call) ? -1 : raw(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* ---- memory: while dlsym() looks for who comes next, glibc's own --------------------- */

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *old, size_t bytes);

static struct call malloc_call = { .name = "malloc" };
THREAD_LOCAL bool looking;

#define MEMORY(function, parameters, ...) \
	void *function parameters \
	{ \
		static __typeof__(&function) real; \
		\
		if (fails(&malloc_call)) \
			return NULL; \
		if (real == NULL && looking) \
			return __libc_##function(__VA_ARGS__); \
		if (real == NULL) { \
			looking = true; \
			real = (__typeof__(&function))dlsym(RTLD_NEXT, #function); \
			looking = false; \
		} \
		return real(__VA_ARGS__); \
	}

MEMORY(malloc, (size_t bytes), bytes)
MEMORY(calloc, (size_t count, size_t bytes), count, bytes)
MEMORY(realloc, (void *old, size_t bytes), old, bytes)
