// SPDX-License-Identifier: BSD-2-Clause
/* pipe.c - pipe2(2), F_SETPIPE_SZ and vmsplice(2) of Linux; elsewhere pipe(2) alone */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/filesystem.h"

#if defined __linux__ && !defined GS_PORTABLE
#include <sys/uio.h>

enum { PIPE_BYTES = 1 << 20 };

bool
gs_pipe_open(int ends[2], bool blocks)
{
	return pipe2(ends, blocks ? O_CLOEXEC : O_CLOEXEC | O_NONBLOCK) == 0;
}

void
gs_pipe_enlarge(int fd)
{
	(void)fcntl(fd, F_SETPIPE_SZ, PIPE_BYTES);
}

/* SPLICE_F_GIFT has no effect: no reader moves pages into a file any more. */
ssize_t
gs_pipe_give(int fd, char *pages, size_t bytes)
{
	return vmsplice(fd, &(struct iovec){ .iov_base = pages, .iov_len = bytes }, 1, 0);
}

#else

/* A program that another thread starts at this moment inherits the ends. */
bool
gs_pipe_open(int ends[2], bool blocks)
{
	if (pipe(ends) != 0)
		return false;
	for (int e = 0; e < 2; e++) {
		(void)fcntl(ends[e], F_SETFD, FD_CLOEXEC);
		if (!blocks)
			(void)fcntl(ends[e], F_SETFL, fcntl(ends[e], F_GETFL) | O_NONBLOCK);
	}
	return true;
}

void
gs_pipe_enlarge(int fd)
{
	(void)fd;
}

ssize_t
gs_pipe_give(int fd, char *pages, size_t bytes)
{
	(void)fd, (void)pages, (void)bytes;
	errno = ENOSYS;
	return -1;
}
#endif
