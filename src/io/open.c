// SPDX-License-Identifier: BSD-2-Clause
/* open.c - system calls on files, with their old traps taken out */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "io/open.h"

enum { FIRST_FREE_FD = 3 };

int
gs_open(const char *name, int flags, mode_t mode)
{
	int fd, high, error;

	do
		fd = open(name, flags | O_CLOEXEC | O_NOCTTY, mode);
	while (fd < 0 && errno == EINTR);
	if (fd < 0 || fd >= FIRST_FREE_FD)
		return fd;
	high = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
	error = errno;
	close(fd);
	errno = error;
	return high;
}

ssize_t
gs_read(const struct gs_reader *reader, void *into, size_t bytes)
{
	const bool calls = reader->read != NULL;
	struct pollfd both[2] = {
		{ .fd = calls ? -1 : reader->fd, .events = POLLIN },
		{ .fd = reader->stop, .events = POLLIN },
	};
	ssize_t got;

	while (poll(both, 2, calls ? 0 : -1) < 0 && errno == EINTR)
		;
	if (both[1].revents != 0)
		return 0;
	do
		got = calls ? reader->read(reader->context, into, bytes)
		            : read(reader->fd, into, bytes);
	while (got < 0 && errno == EINTR);
	return got;
}

bool
gs_allows(int fd, int mode)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags >= 0 && ((flags & O_ACCMODE) == mode || (flags & O_ACCMODE) == O_RDWR))
		return true;
	errno = EBADF;
	return false;
}
