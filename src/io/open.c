// SPDX-License-Identifier: BSD-2-Clause
/* open.c - files that are read: with a message, and until somebody stops it */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/filesystem.h"
#include "io/open.h"

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
	while ((!calls || reader->stop >= 0) && poll(both, 2, calls ? 0 : -1) < 0 && errno == EINTR)
		;
	if (both[1].revents != 0)
		return GS_READ_STOPPED;
	do
		got = calls ? reader->read(reader->context, into, bytes) : read(reader->fd, into, bytes);
	while (got == -1 && errno == EINTR);
	return got;
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
	*got = gs_read_at(fd, into, bytes, offset);
	return errno == 0 ? GS_OK : gs_fail_errno(GS_EIO, "read failed: %s", name);
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
