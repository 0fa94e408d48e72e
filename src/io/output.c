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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/thread.h"
#include "io/open.h"
#include "io/output.h"
#include "io/replace.h"
#include "io/output_fd.h"

enum { THREAD_BYTES = 1 << 15 };	/* less is written before a thread has started; not tuned */

/* A piece on its way to the writer thread and back. */
struct piece {
	const void *data;
	size_t      bytes;
	gs_status   status;
	char        message[GS_MESSAGE_BYTES];
};

struct gs_output {
	struct gs_output_fd    sink;
	bool              through;	/* written in place */
	struct gs_replace replace;	/* if not */
	struct gs_clock  *clock;

	struct gs_thread thread;
	struct gs_queue  pieces, done;
	struct piece     piece;
	bool             threaded;
	bool             busy;		/* PIECE is with the writer */
};

/* ---- opening ----------------------------------------------------------- */

static gs_status
guard_terminal(const struct gs_output *out, const struct gs_output_options *options)
{
	if (options->binary && !options->terminal_ok && isatty(out->sink.fd))
		return gs_fail(GS_EUSAGE, "will not write binary keys to a terminal; use --to=text, "
		               "-o FILE, redirect output to a file or pipe, or use --force");
	return GS_OK;
}

static gs_status
open_standard(struct gs_output *out, const struct gs_output_options *options)
{
	out->sink.name = "standard output";
	out->sink.fd = STDOUT_FILENO;
	out->through = true;
	if (!gs_allows(out->sink.fd, O_WRONLY))
		return gs_fail_errno(GS_EIO, "write failed: %s", out->sink.name);
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
	out->sink.fd = gs_open(options->name, O_WRONLY, 0);
	if (out->sink.fd < 0 || fstat(out->sink.fd, &st) != 0)
		return gs_fail_errno(GS_EIO, "open failed: %s", out->sink.name);
	out->through = true;
	out->sink.truncates = S_ISREG(st.st_mode);
	if (!S_ISREG(st.st_mode))
		return guard_terminal(out, options);
	if (options->in_place || st.st_nlink > 1 || names_descriptor(options->name) ||
	    !gs_replace_aim(&out->replace, options->name) ||
	    !gs_replace_allows(&out->replace, &st))
		return GS_OK;
	if (gs_replace_open(&out->replace, out->sink.fd) != 0)
		return is_forbidden(errno) ? GS_OK
		       : gs_fail_errno(GS_EIO, "cannot make a file beside %s", out->sink.name);
	close(out->sink.fd);
	out->sink.fd = out->replace.fd;
	out->through = out->sink.truncates = false;
	return GS_OK;
}

static gs_status
open_new(struct gs_output *out, const struct gs_output_options *options)
{
	if (options->in_place) {
		out->through = true;
		out->sink.fd = gs_open(options->name, O_WRONLY | O_CREAT, 0666);
		return out->sink.fd >= 0 ? GS_OK
		       : gs_fail_errno(GS_EIO, "open failed: %s", out->sink.name);
	}
	if (!gs_replace_aim(&out->replace, options->name) ||
	    gs_replace_open(&out->replace, -1) != 0)
		return gs_fail_errno(GS_EIO, "open failed: %s", out->sink.name);
	out->sink.fd = out->replace.fd;
	return GS_OK;
}

static gs_status
open_callback(struct gs_output *out, const struct gs_output_options *options)
{
	out->sink.name = "output";
	out->through = true;
	out->sink.write = options->write;
	out->sink.write_context = options->write_context;
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
	out->sink.fd = -1;
	out->sink.name = options->name;
	out->clock = options->clock;
	if (options->write != NULL)
		status = open_callback(out, options);
	else if (options->name == NULL)
		status = open_standard(out, options);
	else if (stat(options->name, &st) == 0)
		status = open_existing(out, options);
	else if (errno == ENOENT)
		status = open_new(out, options);
	else
		status = gs_fail_errno(GS_EIO, "open failed: %s", out->sink.name);
	if (status != GS_OK) {
		gs_output_close(out);
		return status;
	}
	gs_output_fd_inspect(&out->sink);
	*output = out;
	return GS_OK;
}

bool
gs_output_overwrites(const struct gs_output *out, const char *name, int fd)
{
	struct stat own, other;

	return out->through && out->sink.fd >= 0 && fstat(out->sink.fd, &own) == 0 &&
	       S_ISREG(own.st_mode) &&
	       (name != NULL ? stat(name, &other) : fstat(fd, &other)) == 0 &&
	       own.st_ino == other.st_ino && own.st_dev == other.st_dev;
}

const char *
gs_output_target(const struct gs_output *out)
{
	return out->through ? NULL : out->replace.target;
}

/* ---- writing ----------------------------------------------------------- */

/* Write, and note how long it took. */
static gs_status
put(struct gs_output *out, const void *data, size_t bytes)
{
	uint64_t since = gs_clock_now();
	const gs_status status = gs_output_fd_write(&out->sink, data, bytes);

	gs_clock_lap(out->clock, GS_STAGE_WRITE, &since);
	return status;
}

static gs_status
write_pieces(void *context)
{
	struct gs_output *out = context;
	struct piece *piece;

	while ((piece = gs_queue_take(&out->pieces)) != NULL) {
		piece->status = put(out, piece->data, piece->bytes);
		snprintf(piece->message, sizeof piece->message, "%s", gs_message());
		if (!gs_queue_give(&out->done, piece))
			break;
	}
	return GS_OK;
}

static gs_status
start_thread(struct gs_output *out)
{
	gs_queue_open(&out->pieces);
	gs_queue_open(&out->done);
	out->threaded = true;
	return gs_thread_start(&out->thread, write_pieces, out);
}

gs_status
gs_output_wait(struct gs_output *out)
{
	struct piece *piece;

	if (!out->busy)
		return GS_OK;
	piece = gs_queue_take(&out->done);
	assert(piece == &out->piece);
	out->busy = false;
	return piece->status == GS_OK ? GS_OK : gs_fail(piece->status, "%s", piece->message);
}

gs_status
gs_output_submit(struct gs_output *out, const void *data, size_t bytes)
{
	TRY(gs_output_wait(out));
	if (!out->threaded && bytes < THREAD_BYTES)
		return put(out, data, bytes);
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
	return put(out, data, bytes);
}

/* ---- pages --------------------------------------------------------------- */

bool
gs_output_takes_pages(const struct gs_output *out)
{
	return out->sink.pipe;
}

gs_status
gs_output_give_pages(struct gs_output *out, void *pages, size_t bytes, size_t mapped)
{
	gs_status status = gs_output_wait(out);
	uint64_t since = gs_clock_now();

	if (status == GS_OK)
		status = gs_output_fd_give_pages(&out->sink, pages, bytes);
	munmap(pages, mapped);
	gs_clock_lap(out->clock, GS_STAGE_WRITE, &since);
	return status;
}

/* ---- the end ----------------------------------------------------------- */

/* Some file systems tell only on close(2) what went wrong with a write. */
static gs_status
flush_by_closing(const struct gs_output *out)
{
	int copy = fcntl(out->sink.fd, F_DUPFD_CLOEXEC, 3);

	if (copy < 0 || close(copy) != 0)
		return gs_fail_errno(GS_EIO, "close failed: %s", out->sink.name);
	return GS_OK;
}

static gs_status
finish(struct gs_output *out)
{
	const int fd = out->sink.fd;

	if (out->sink.write != NULL)
		return GS_OK;
	TRY(gs_output_fd_truncate(&out->sink));	/* nothing written: then that is the content */
	if (gs_preallocate_cut(&out->sink.room) != 0)
		return gs_fail_errno(GS_EIO, "truncate failed: %s", out->sink.name);
	if (!out->through) {
		TRY(flush_by_closing(out));
		if (gs_replace_finish(&out->replace) != 0)
			return gs_fail_errno(GS_EIO, "cannot replace %s", out->sink.name);
	}
	out->sink.fd = -1;
	/* What was replaced is flushed already, and the old file is gone: no news any more. */
	if (close(fd) != 0 && out->through)
		return gs_fail_errno(GS_EIO, "close failed: %s", out->sink.name);
	return GS_OK;
}

gs_status
gs_output_finish(struct gs_output *out)
{
	uint64_t since;
	gs_status status;

	TRY(gs_output_wait(out));
	since = gs_clock_now();
	status = finish(out);
	gs_clock_lap(out->clock, GS_STAGE_WRITE, &since);
	return status;
}

void
gs_output_close(struct gs_output *out)
{
	if (out == NULL)
		return;
	if (out->threaded) {
		gs_queue_shut(&out->pieces);
		gs_queue_shut(&out->done);
		(void)gs_thread_join(&out->thread);
		gs_queue_close(&out->pieces);
		gs_queue_close(&out->done);
	}
	if (out->sink.fd >= 0)
		(void)gs_preallocate_cut(&out->sink.room);
	gs_replace_drop(&out->replace);
	if (out->sink.fd > STDERR_FILENO)
		close(out->sink.fd);
	free(out);
}

void
gs_output_abandon(void)
{
	gs_replace_abandon();
}
