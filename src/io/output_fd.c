// SPDX-License-Identifier: BSD-2-Clause
/*
 * output_fd.c - write to a file, a pipe, a device or a callback
 *
 * In:   bytes.
 * Out:  all of them written in order, or an error.
 *
 * A pipe can be given pages instead of copies (vmsplice(2)).  GB/s by `gsort-bench-output
 * --pipe`, 4 MiB pieces, pipe of 1 MiB, H200 host; two cores of an EPYC 9005 in brackets:
 *
 *	                     write   from memory     vmsplice
 *	cat >/dev/null    5.6  (2.3)   4.2  (3.3)    8.7  (19)
 *	wc -c             4.9  (2.4)   4.0  (2.3)    6.7  (12)
 *	cat >file         3.3          2.8  (1.3)    4.6  (2.4)
 *
 * Such pages must never change again, because the reader may read them later, or pass them on
 * to another pipe (splice(2)).  So they are replaced (gs_arena_forget()).
 *
 * Small pages cost more than a copy: 512 MiB in parts of 512 KiB to `cat >file`, processor time of both
 * programs on two cores of a Xeon: write 0.27 s, pages of 4 KiB 0.46, huge pages 0.29.
 *
 * Copying to fresh pages in order to give these away was tried: 1.2 to 2 times as fast as
 * write(2) with huge pages, but half as fast where there are none.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/filesystem.h"
#include "io/output_fd.h"

void
gs_output_fd_inspect(struct gs_output_fd *out, unsigned files)
{
	sigset_t blocked;
	struct stat st;

	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	out->may_die = !sigismember(&blocked, SIGPIPE);
	if (out->fd < 0)
		return;
	out->pipe = fstat(out->fd, &st) == 0 && S_ISFIFO(st.st_mode);
	if (out->pipe)
		gs_pipe_enlarge(out->fd);
	else
		gs_preallocate_open(&out->preallocation, out->fd, files);
}

gs_status
gs_output_fd_truncate(struct gs_output_fd *out)
{
	if (!out->truncates)
		return GS_OK;
	out->truncates = false;
	if (ftruncate(out->fd, 0) != 0)
		return gs_fail_errno(GS_EIO, "truncate failed: %s", out->name);
	return GS_OK;
}

/*
 * write(2) or vmsplice(2) failed.  GS_OK: try again.
 *
 * The kernel sends SIGPIPE to the thread that writes.  If that is a thread of ours, which blocks
 * all signals, but the one that opened the output does not block SIGPIPE, unblock it here: then
 * the process dies silently, as a filter should.
 */
static gs_status
handle_error(const struct gs_output_fd *out, int error)
{
	struct pollfd wait = { .fd = out->fd, .events = POLLOUT };
	sigset_t pipe;

	if (error == EINTR)
		return GS_OK;
	if (error == EAGAIN && (poll(&wait, 1, -1) >= 0 || errno == EINTR))
		return GS_OK;
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	if (error == EPIPE && out->may_die)
		pthread_sigmask(SIG_UNBLOCK, &pipe, NULL);	/* one is pending */
	errno = error;
	return gs_fail_errno(GS_EIO, "write failed: %s", out->name);
}

/* Write at AT; a negative AT: at the end of the output so far. */
static gs_status
write_all(const struct gs_output_fd *out, const char *data, size_t bytes, int64_t at)
{
	size_t done = 0;

	for (;;) {
		done += gs_write_all(out->fd, data + done, bytes - done, at < 0 ? at : at + (int64_t)done);
		if (done == bytes)
			return GS_OK;
		TRY(handle_error(out, errno));
	}
}

gs_status
gs_output_fd_write(struct gs_output_fd *out, const char *data, size_t bytes, int64_t at)
{
	if (bytes == 0)
		return GS_OK;
	if (at >= 0)
		return write_all(out, data, bytes, at);
	if (out->write != NULL) {
		int result;

		errno = 0;
		result = out->write(out->write_context, data, bytes);
		if (result > 0 || (result < 0 && errno == 0))
			errno = EPROTO;
		return result == 0 ? GS_OK : gs_fail_errno(GS_EIO, "write failed: %s", out->name);
	}
	TRY(gs_output_fd_truncate(out));
	gs_preallocate_ahead(&out->preallocation, bytes);
	return write_all(out, data, bytes, -1);
}

/* Without vmsplice(2) (other systems, some sandboxes), or with one that copies, the bytes are written. */
gs_status
gs_output_fd_give_pages(struct gs_output_fd *out, char *pages, size_t bytes)
{
	while (out->pipe && bytes > 0) {
		const ssize_t done = gs_pipe_give(out->fd, pages, bytes);

		if (done < 0 && (errno == ENOSYS || errno == EINVAL || errno == EPERM))
			break;
		if (done < 0) {
			TRY(handle_error(out, errno));
			continue;
		}
		pages += done;
		bytes -= (size_t)done;
	}
	return gs_output_fd_write(out, pages, bytes, -1);
}
