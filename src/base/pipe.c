// SPDX-License-Identifier: BSD-2-Clause
/*
 * pipe.c - open(2), pread(2) and write(2) without their traps; and pipe2(2), F_SETPIPE_SZ and vmsplice(2) of
 * Linux, elsewhere pipe(2) alone
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/filesystem.h"

#if defined __linux__ && !defined GS_PORTABLE
#define LINUX	1
#else
#define LINUX	0
#define vmsplice(fd, pages, count, flags)	((void)(fd), (void)(pages), errno = ENOSYS, -1)
#endif

/* At once: files of /proc want as much kernel memory, and fail. */
enum { PREAD_BYTES = 1 << 20, PIPE_BYTES = 1 << 20 };

int
gs_open(const char *name, int flags, mode_t mode)
{
	int fd, high, error;

	do
		fd = open(name, flags | O_CLOEXEC | O_NOCTTY, mode);
	while (fd < 0 && errno == EINTR);
	if (fd < 0 || fd > STDERR_FILENO)
		return fd;
	high = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	error = errno;
	(void)close(fd);
	errno = error;
	return high;
}

size_t
gs_read_at(int fd, void *into, size_t bytes, uint64_t offset)
{
	size_t done = 0;
	ssize_t got = 1;

	while (done < bytes && got != 0) {
		const size_t want = bytes - done < PREAD_BYTES ? bytes - done : PREAD_BYTES;

		got = pread(fd, (char *)into + done, want, (off_t)(offset + done));
		if (got < 0 && errno != EINTR)
			return done;
		done += got > 0 ? (size_t)got : 0;
	}
	errno = 0;
	return done;
}

size_t
gs_write_all(int fd, const void *from, size_t bytes, int64_t at)
{
	size_t done = 0;
	ssize_t wrote = 0;

	while (done < bytes && wrote >= 0) {
		const char *next = (const char *)from + done;

		wrote = at < 0 ? write(fd, next, bytes - done)
		               : pwrite(fd, next, bytes - done, (off_t)((uint64_t)at + done));
		if (wrote < 0 && errno == EINTR)
			wrote = 0;
		done += wrote > 0 ? (size_t)wrote : 0;
	}
	return done;
}

bool
gs_pipe_open(int ends[2])
{
#if LINUX
	return pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0;
#else	/* a program that another thread starts at this moment inherits the ends */
	if (pipe(ends) != 0)
		return false;
	for (int e = 0; e < 2; e++) {
		(void)fcntl(ends[e], F_SETFD, FD_CLOEXEC);
		(void)fcntl(ends[e], F_SETFL, fcntl(ends[e], F_GETFL) | O_NONBLOCK);
	}
	return true;
#endif
}

void
gs_pipe_enlarge(int fd)
{
#if LINUX
	(void)fcntl(fd, F_SETPIPE_SZ, PIPE_BYTES);
#else
	(void)fd;
#endif
}

/* SPLICE_F_GIFT has no effect: no reader moves pages into a file any more. */
ssize_t
gs_pipe_give(int fd, char *pages, size_t bytes)
{
	const struct iovec all = { .iov_base = pages, .iov_len = bytes };

	return vmsplice(fd, &all, 1, 0);
}
