// SPDX-License-Identifier: BSD-2-Clause
/*
 * output_fd.c - where bytes leave the process: a file, a pipe, a device or a callback
 *
 * In:   bytes in a row.
 * Out:  all of them, or trouble.
 *
 * A pipe can be given pages instead of copies (vmsplice(2)).  GB/s by `gsort-bench-output
 * --pipe`, 4 MiB pieces, pipe of 1 MiB, H200 host; two cores of an EPYC 9005 in brackets:
 *
 *	                     write   from memory     vmsplice
 *	cat >/dev/null    5.6  (2.3)   4.2  (3.3)    8.7  (19)
 *	wc -c             4.9  (2.4)   4.0  (2.3)    6.7  (12)
 *	cat >file         3.3          2.8  (1.3)    4.6  (2.4)
 *
 * Such pages must never change again: the reader may come for them later, or pass them on
 * to another pipe (splice(2)).  So who gives them unmaps them.
 *
 * Copying to fresh pages in order to give these was tried: 1.2 to 2 times as fast as write(2)
 * with huge pages, but half as fast where there are none.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "io/output_fd.h"

enum { PIPE_BYTES = 1 << 20 };	/* the most an ordinary process may; with 64 KiB, half as fast */

/* What is it that was opened? */
void
gs_output_fd_inspect(struct gs_output_fd *sink)
{
	sigset_t blocked;
	struct stat st;

	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	sink->may_die = !sigismember(&blocked, SIGPIPE);
	if (sink->fd < 0)
		return;
	sink->pipe = fstat(sink->fd, &st) == 0 && S_ISFIFO(st.st_mode);
	if (sink->pipe)
		(void)fcntl(sink->fd, F_SETPIPE_SZ, PIPE_BYTES);	/* may be forbidden */
	else
		gs_preallocate_open(&sink->room, sink->fd);
}

/* In place: what was there goes now, and not before. */
gs_status
gs_output_fd_truncate(struct gs_output_fd *sink)
{
	if (!sink->truncates)
		return GS_OK;
	sink->truncates = false;
	if (ftruncate(sink->fd, 0) != 0)
		return gs_fail_errno(GS_EIO, "truncate failed: %s", sink->name);
	return GS_OK;
}

/*
 * write(2) or vmsplice(2) failed.  GS_OK: try again.
 *
 * All threads but the first block all signals.  SIGPIPE is meant for who writes: if he may
 * die of it, we do so in silence, as a filter should.
 */
static gs_status
understand(const struct gs_output_fd *sink, int error)
{
	struct pollfd wait = { .fd = sink->fd, .events = POLLOUT };
	sigset_t pipe;

	if (error == EINTR)
		return GS_OK;
	if (error == EAGAIN && (poll(&wait, 1, -1) >= 0 || errno == EINTR))
		return GS_OK;
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	if (error == EPIPE && sink->may_die)
		pthread_sigmask(SIG_UNBLOCK, &pipe, NULL);	/* there is one for us */
	errno = error;
	return gs_fail_errno(GS_EIO, "write failed: %s", sink->name);
}

gs_status
gs_output_fd_write(struct gs_output_fd *sink, const char *data, size_t bytes)
{
	if (sink->write != NULL)
		return bytes == 0 || sink->write(sink->write_context, data, bytes) == 0 ? GS_OK
		       : gs_fail_errno(GS_EIO, "write failed: %s", sink->name);
	if (bytes > 0)
		TRY(gs_output_fd_truncate(sink));
	gs_preallocate_ahead(&sink->room, bytes);
	while (bytes > 0) {
		const ssize_t done = write(sink->fd, data, bytes);

		if (done < 0) {
			TRY(understand(sink, errno));
			continue;
		}
		data += done;
		bytes -= (size_t)done;
	}
	return GS_OK;
}

/*
 * SPLICE_F_GIFT would change nothing: no reader moves the pages to a file any more.  Where
 * there is no vmsplice(2) (some sandboxes), or only a copying one, all arrives as well.
 */
gs_status
gs_output_fd_give_pages(struct gs_output_fd *sink, char *pages, size_t bytes)
{
	while (sink->pipe && bytes > 0) {
		const struct iovec rest = { .iov_base = pages, .iov_len = bytes };
		const ssize_t done = vmsplice(sink->fd, &rest, 1, 0);

		if (done < 0 && (errno == ENOSYS || errno == EINVAL || errno == EPERM))
			break;
		if (done < 0) {
			TRY(understand(sink, errno));
			continue;
		}
		pages += done;
		bytes -= (size_t)done;
	}
	return gs_output_fd_write(sink, pages, bytes);
}
