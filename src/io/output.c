// SPDX-License-Identifier: BSD-2-Clause
/*
 * output.c - the bytes go out, and no error is lost
 *
 * In:   bytes.
 * Out:  a file that is as it was, or complete.
 *
 * A regular file is replaced (replace.h) unless that would lose something: links,
 * an open descriptor's file.  What cannot be replaced is written in place.
 *
 * In place of a file there may be a callback; then there is nothing to keep whole.
 *
 * Invariant: nothing at the target is touched before the first byte is written,
 * and if it is replaced, not before the last.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/thread.h"
#include "io/open.h"
#include "io/output.h"
#include "io/replace.h"

enum {
	PIPE_BYTES   = 1 << 20,
	THREAD_BYTES = 1 << 15,	/* less is written before a thread has started; not tuned */
};

/* A piece on its way to the writer thread and back. */
struct piece {
	const void *data;
	size_t      bytes;
	gs_status   status;
	char        message[1024];
};

struct gs_output {
	const char *name;	/* for messages */
	int         fd;		/* -1: a callback takes the bytes */
	int       (*write)(void *context, const void *data, size_t bytes);
	void       *write_context;
	bool        through;	/* written in place */
	bool        truncates;	/* still to do, before the first byte */

	struct gs_replace replace;	/* if not through */

	struct gs_thread thread;
	struct gs_queue  pieces, written;
	struct piece     piece;
	bool             threaded;
	bool             busy;		/* PIECE is with the writer */
	bool             may_die;	/* of SIGPIPE, as the opener of the thread */
};

/* ---- opening ----------------------------------------------------------- */

static gs_status
guard_terminal(const struct gs_output *out, const struct gs_output_options *options)
{
	if (options->binary && !options->terminal_ok && isatty(out->fd))
		return gs_fail(GS_EUSAGE, "will not write binary keys to a terminal; use --to=text, "
		               "-o FILE, redirect output to a file or pipe, or use --force");
	return GS_OK;
}

static gs_status
open_standard(struct gs_output *out, const struct gs_output_options *options)
{
	struct stat st;

	out->name = "standard output";
	out->fd = STDOUT_FILENO;
	out->through = true;
	if (!gs_allows(out->fd, O_WRONLY) || fstat(out->fd, &st) != 0)
		return gs_fail_errno(GS_EIO, "write failed: %s", out->name);
	if (S_ISFIFO(st.st_mode))
		(void)fcntl(out->fd, F_SETPIPE_SZ, PIPE_BYTES);		/* may be forbidden */
	return guard_terminal(out, options);
}

/*
 * Names of what is open already: the file behind may have more readers and
 * writers than us, with offsets of their own.
 */
static bool
names_descriptor(const char *name)
{
	return strncmp(name, "/dev/fd/", 8) == 0 || strncmp(name, "/dev/std", 8) == 0 ||
	       strncmp(name, "/proc/", 6) == 0;
}

/* Trouble that says "not here", not "not now". */
static bool
is_forbidden(int error)
{
	return error == EACCES || error == EPERM || error == EROFS || error == ENAMETOOLONG;
}

/* NAME exists: replace it if that is possible and loses nothing. */
static gs_status
open_existing(struct gs_output *out, const struct gs_output_options *options)
{
	struct stat st;

	/* Also asks for permission to write it, which replacing would not need. */
	out->fd = gs_open(options->name, O_WRONLY, 0);
	if (out->fd < 0 || fstat(out->fd, &st) != 0)
		return gs_fail_errno(GS_EIO, "open failed: %s", out->name);
	out->through = true;
	out->truncates = S_ISREG(st.st_mode);
	if (S_ISFIFO(st.st_mode))
		(void)fcntl(out->fd, F_SETPIPE_SZ, PIPE_BYTES);
	if (!S_ISREG(st.st_mode))
		return guard_terminal(out, options);
	if (options->in_place || st.st_nlink > 1 || names_descriptor(options->name) ||
	    !gs_replace_aim(&out->replace, options->name) ||
	    !gs_replace_allows(&out->replace, &st))
		return GS_OK;
	if (gs_replace_open(&out->replace, out->fd) != 0)
		return is_forbidden(errno) ? GS_OK
		       : gs_fail_errno(GS_EIO, "cannot make a file beside %s", out->name);
	close(out->fd);
	out->fd = out->replace.fd;
	out->through = out->truncates = false;
	return GS_OK;
}

static gs_status
open_new(struct gs_output *out, const struct gs_output_options *options)
{
	if (options->in_place) {
		out->through = true;
		out->fd = gs_open(options->name, O_WRONLY | O_CREAT, 0666);
		return out->fd >= 0 ? GS_OK : gs_fail_errno(GS_EIO, "open failed: %s", out->name);
	}
	if (!gs_replace_aim(&out->replace, options->name) ||
	    gs_replace_open(&out->replace, -1) != 0)
		return gs_fail_errno(GS_EIO, "open failed: %s", out->name);
	out->fd = out->replace.fd;
	return GS_OK;
}

static gs_status
open_callback(struct gs_output *out, const struct gs_output_options *options)
{
	out->name = "output";
	out->through = true;
	out->write = options->write;
	out->write_context = options->write_context;
	return GS_OK;
}

gs_status
gs_output_open(struct gs_output **output, const struct gs_output_options *options)
{
	struct gs_output *out = calloc(1, sizeof *out);
	struct stat st;
	gs_status status;

	*output = NULL;
	if (out == NULL)
		return gs_fail(GS_EBUDGET, "no memory to open the output");
	out->fd = -1;
	out->name = options->name;
	if (options->write != NULL)
		status = open_callback(out, options);
	else if (options->name == NULL)
		status = open_standard(out, options);
	else if (stat(options->name, &st) == 0)
		status = open_existing(out, options);
	else if (errno == ENOENT)
		status = open_new(out, options);
	else
		status = gs_fail_errno(GS_EIO, "open failed: %s", out->name);
	if (status != GS_OK)
		gs_output_close(out);
	else
		*output = out;
	return status;
}

bool
gs_output_overwrites(const struct gs_output *out, const char *name, int fd)
{
	struct stat own, other;

	return out->through && out->fd >= 0 && fstat(out->fd, &own) == 0 && S_ISREG(own.st_mode) &&
	       (name != NULL ? stat(name, &other) : fstat(fd, &other)) == 0 &&
	       own.st_ino == other.st_ino && own.st_dev == other.st_dev;
}

const char *
gs_output_target(const struct gs_output *out)
{
	return out->through ? NULL : out->replace.target;
}

/* ---- writing ----------------------------------------------------------- */

/* In place: what was there goes now, and not before. */
static gs_status
truncate_once(struct gs_output *out)
{
	if (!out->truncates)
		return GS_OK;
	out->truncates = false;
	if (ftruncate(out->fd, 0) != 0)
		return gs_fail_errno(GS_EIO, "truncate failed: %s", out->name);
	return GS_OK;
}

static gs_status
write_all(struct gs_output *out, const char *data, size_t bytes)
{
	if (out->write != NULL)
		return bytes == 0 || out->write(out->write_context, data, bytes) == 0 ? GS_OK
		       : gs_fail_errno(GS_EIO, "write failed: %s", out->name);
	if (bytes > 0)
		TRY(truncate_once(out));
	while (bytes > 0) {
		ssize_t done = write(out->fd, data, bytes);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return gs_fail_errno(GS_EIO, "write failed: %s", out->name);
		data += done;
		bytes -= (size_t)done;
	}
	return GS_OK;
}

/*
 * The writer thread.  It blocks all signals, like every thread of ours, but
 * SIGPIPE is meant for the thread that writes: with a default disposition we die
 * of it in silence, as a filter should.
 */
static gs_status
write_pieces(void *context)
{
	struct gs_output *out = context;
	struct piece *piece;
	sigset_t pipe;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	if (out->may_die)
		pthread_sigmask(SIG_UNBLOCK, &pipe, NULL);
	while ((piece = gs_queue_take(&out->pieces)) != NULL) {
		piece->status = write_all(out, piece->data, piece->bytes);
		snprintf(piece->message, sizeof piece->message, "%s", gs_message());
		if (!gs_queue_give(&out->written, piece))
			break;
	}
	return GS_OK;
}

static gs_status
start_thread(struct gs_output *out)
{
	sigset_t blocked;

	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	out->may_die = !sigismember(&blocked, SIGPIPE);
	gs_queue_open(&out->pieces);
	gs_queue_open(&out->written);
	out->threaded = true;
	return gs_thread_start(&out->thread, write_pieces, out);
}

gs_status
gs_output_wait(struct gs_output *out)
{
	struct piece *piece;

	if (!out->busy)
		return GS_OK;
	piece = gs_queue_take(&out->written);
	assert(piece == &out->piece);
	out->busy = false;
	return piece->status == GS_OK ? GS_OK : gs_fail(piece->status, "%s", piece->message);
}

gs_status
gs_output_submit(struct gs_output *out, const void *data, size_t bytes)
{
	TRY(gs_output_wait(out));
	if (!out->threaded && bytes < THREAD_BYTES)
		return write_all(out, data, bytes);
	if (!out->threaded)
		TRY(start_thread(out));
	out->piece = (struct piece){ .data = data, .bytes = bytes };
	out->busy = gs_queue_give(&out->pieces, &out->piece);
	assert(out->busy);
	return GS_OK;
}

gs_status
gs_output_write(struct gs_output *out, const void *data, size_t bytes)
{
	TRY(gs_output_wait(out));
	return write_all(out, data, bytes);
}

/* ---- the end ----------------------------------------------------------- */

/* Some file systems tell only on close(2) what went wrong with a write. */
static gs_status
flush_by_closing(const struct gs_output *out)
{
	int copy = fcntl(out->fd, F_DUPFD_CLOEXEC, 3);

	if (copy < 0 || close(copy) != 0)
		return gs_fail_errno(GS_EIO, "close failed: %s", out->name);
	return GS_OK;
}

gs_status
gs_output_finish(struct gs_output *out)
{
	int fd = out->fd;

	TRY(gs_output_wait(out));
	if (out->write != NULL)
		return GS_OK;
	TRY(truncate_once(out));	/* nothing written: then that is the content */
	if (!out->through) {
		TRY(flush_by_closing(out));
		if (gs_replace_finish(&out->replace) != 0)
			return gs_fail_errno(GS_EIO, "cannot replace %s", out->name);
	}
	out->fd = -1;
	/* What was replaced is flushed already, and the old file is gone: no news any more. */
	if (close(fd) != 0 && out->through)
		return gs_fail_errno(GS_EIO, "close failed: %s", out->name);
	return GS_OK;
}

void
gs_output_close(struct gs_output *out)
{
	if (out == NULL)
		return;
	if (out->threaded) {
		gs_queue_shut(&out->pieces);
		gs_queue_shut(&out->written);
		(void)gs_thread_join(&out->thread);
		gs_queue_close(&out->pieces);
		gs_queue_close(&out->written);
	}
	gs_replace_drop(&out->replace);
	if (out->fd > STDERR_FILENO)
		close(out->fd);
	free(out);
}
