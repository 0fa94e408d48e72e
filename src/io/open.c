// SPDX-License-Identifier: BSD-2-Clause
/* open.c - open(2), read(2) and pread(2) without their traps */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "io/open.h"

enum {
	FIRST_FREE_FD = 3,
	PREAD_BYTES   = 1 << 20,	/* at once: files of /proc want as much kernel memory, and fail */
};

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

	/* poll(2) also waits for the writer of a pipe that was opened without blocking. */
	while ((!calls || reader->stop >= 0) && poll(both, 2, calls ? 0 : -1) < 0 &&
	       errno == EINTR)
		;
	if (both[1].revents != 0)
		return GS_READ_STOPPED;
	do
		got = calls ? reader->read(reader->context, into, bytes)
		            : read(reader->fd, into, bytes);
	while (got == -1 && errno == EINTR);
	return got;
}

size_t
gs_read_at(int fd, void *into, size_t bytes, uint64_t offset, int *error)
{
	size_t done = 0;

	while (done < bytes) {
		const size_t want = bytes - done < PREAD_BYTES ? bytes - done : PREAD_BYTES;
		const ssize_t got = pread(fd, (char *)into + done, want, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			*error = errno;
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return done;
}

gs_status
gs_open_to_read(const char *name, int *fd)
{
	*fd = gs_open(name, O_RDONLY, 0);
	return *fd >= 0 ? GS_OK : gs_fail_errno(GS_EIO, "cannot read: %s", name);
}

gs_status
gs_read_file(const char *name, int fd, void *into, size_t bytes, uint64_t offset, size_t *got)
{
	int error = 0;

	*got = gs_read_at(fd, into, bytes, offset, &error);
	errno = error;
	return error == 0 ? GS_OK : gs_fail_errno(GS_EIO, "read failed: %s", name);
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
