// SPDX-License-Identifier: BSD-2-Clause
/*
 * output.c - write the output, and report every error
 *
 * In:   bytes.
 * Out:  a file that is complete, or as it was before.
 *
 * A regular file is replaced (replace.c) unless that would lose something, as its other links
 * or the file behind an open descriptor.  Then it is written in place.  A callback may take the
 * place of a file; then there is nothing to preserve.
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
 *
 * Invariant: the target does not change before the first byte is written and, if it is
 * replaced, not before the last.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/filesystem.h"
#include "base/thread.h"
#include "io/open.h"
#include "io/output.h"
#include "io/replace.h"

enum { THREAD_BYTES = 1 << 15 };	/* less takes no longer than starting a thread; not tuned */

/* Bytes on their way to the writer thread, and what became of them. */
struct chunk {
	const void *data;
	size_t      bytes;
	struct gs_error error;
};

struct gs_output {
	const char       *name;		/* for messages */
	int               fd;		/* -1: a callback takes the bytes */
	int             (*write)(void *context, const void *data, size_t bytes);
	void             *write_context;
	bool              truncates;	/* still to be done, before the first byte */
	bool              pipe;
	bool              may_die;	/* of SIGPIPE: the thread that opened it does not block it */
	struct gs_preallocation preallocation;	/* if it is a regular file */
	bool              in_place;
	struct gs_replace replace;	/* if not */
	struct gs_clock  *clock;
	const atomic_bool *interrupted;

	struct gs_thread thread;
	struct gs_queue  submitted, done;
	struct chunk     chunk;
	bool             threaded;
	bool             busy;		/* the writer has CHUNK */
};

/* ---- opening ----------------------------------------------------------- */

gs_status
gs_output_open(struct gs_output **output, const struct gs_output_options *options)
{
	const char *name = options->name;
	enum gs_output_kind kind = GS_OUTPUT_DEVICE;
	gs_status status = GS_OK;
	struct gs_output *out;
	sigset_t blocked;
	struct stat st;
	bool in_place;

	*output = NULL;
	TRY(GS_NEW(out, 1, "output"));
	out->fd = -1;
	out->name = name;
	out->write = options->write;
	out->write_context = options->write_context;
	gs_queue_open(&out->submitted);
	gs_queue_open(&out->done);
	out->clock = options->clock;
	out->interrupted = options->interrupted;
	if (options->write != NULL) {
		if (name == NULL)
			out->name = "output";
	} else if (name == NULL) {
		out->name = "standard output";
		out->fd = STDOUT_FILENO;
		if (!gs_allows(out->fd, O_WRONLY))
			status = gs_fail_errno(GS_EIO, "write failed: %s", out->name);
	} else {
		/* others may read and write the file of an open descriptor through that, too */
		in_place = options->in_place || strncmp(name, "/dev/fd/", 8) == 0 ||
		           strncmp(name, "/dev/std", 8) == 0 || strncmp(name, "/proc/", 6) == 0;
		out->replace.inputs = options->inputs;
		out->replace.input_count = options->input_count;
		status = gs_replace_aim(&out->replace, name, in_place, &out->fd, &kind);
	}
	out->in_place = kind != GS_OUTPUT_NEW;
	out->truncates = kind == GS_OUTPUT_IN_PLACE;
	if (status == GS_OK && kind == GS_OUTPUT_DEVICE && options->binary && !options->terminal_ok &&
	    isatty(out->fd))
		status = gs_fail(GS_EUSAGE, "will not write binary %s to a terminal; use %s-o FILE, "
		                 "redirect output to a file or pipe, or use --force",
		                 options->whole ? "data" : "keys", options->whole ? "" : "--to=text, ");
	if (status != GS_OK) {
		gs_output_close(out);
		return status;
	}
	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	out->may_die = !sigismember(&blocked, SIGPIPE);
	out->pipe = out->fd >= 0 && fstat(out->fd, &st) == 0 && S_ISFIFO(st.st_mode);
	if (out->pipe)
		gs_pipe_enlarge(out->fd);
	else if (out->fd >= 0)
		gs_preallocate_open(&out->preallocation, out->fd, options->files);
	*output = out;
	return GS_OK;
}

const char *
gs_output_target(const struct gs_output *out)
{
	return out->in_place ? NULL : out->replace.target;
}

/* ---- writing ----------------------------------------------------------- */

static gs_status
truncate_first(struct gs_output *out)
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
handle_error(const struct gs_output *out, int error)
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
write_all(const struct gs_output *out, const char *data, size_t bytes, int64_t at)
{
	size_t done = 0;

	for (;;) {
		done += gs_write_all(out->fd, data + done, bytes - done, at < 0 ? at : at + (int64_t)done);
		if (done == bytes)
			return GS_OK;
		TRY(handle_error(out, errno));
	}
}

/* Write all BYTES: to AT in the file, from any thread; or, if that is negative, behind those before. */
static gs_status
write_bytes(struct gs_output *out, const char *data, size_t bytes, int64_t at)
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
	TRY(truncate_first(out));
	gs_preallocate_ahead(&out->preallocation, bytes);
	return write_all(out, data, bytes, -1);
}

/* Write at AT, or behind what was written if AT is negative, and count the time. */
static gs_status
put(struct gs_output *out, const void *data, size_t bytes, int64_t at)
{
	uint64_t since = gs_clock_now();
	gs_status status = gs_check_interrupted(out->interrupted);

	THEN(status, write_bytes(out, data, bytes, at));
	gs_clock_lap(out->clock, GS_STAGE_WRITE, &since);
	return status;
}

static gs_status
write_chunks(void *context)
{
	struct gs_output *out = context;
	struct chunk *chunk;

	while ((chunk = gs_queue_take(&out->submitted)) != NULL) {
		gs_error_keep(&chunk->error, put(out, chunk->data, chunk->bytes, -1));
		if (!gs_queue_give(&out->done, chunk))
			break;
	}
	return GS_OK;
}

gs_status
gs_output_wait(struct gs_output *out)
{
	struct chunk *chunk;

	if (!out->busy)
		return GS_OK;
	chunk = gs_queue_take(&out->done);
	assert(chunk == &out->chunk);
	out->busy = false;
	return chunk->error.status == GS_OK ? GS_OK : gs_error_again(&chunk->error);
}

gs_status
gs_output_submit(struct gs_output *out, const void *data, size_t bytes)
{
	TRY(gs_output_wait(out));
	if (!out->threaded && bytes >= THREAD_BYTES)
		out->threaded = gs_thread_start(&out->thread, write_chunks, out) == GS_OK;
	if (!out->threaded)		/* or none could be started */
		return put(out, data, bytes, -1);
	out->chunk = (struct chunk){ .data = data, .bytes = bytes };
	out->busy = gs_queue_give(&out->submitted, &out->chunk);
	assert(out->busy);
	return GS_OK;
}

gs_status
gs_output_write(struct gs_output *out, const void *data, size_t bytes)
{
	TRY(gs_output_wait(out));
	return put(out, data, bytes, -1);
}

void
gs_output_expect(struct gs_output *out, uint64_t bytes)
{
	gs_preallocate_all(&out->preallocation, bytes);
}

gs_status
gs_output_write_at(struct gs_output *out, const void *data, size_t bytes, uint64_t at)
{
	return put(out, data, bytes, (int64_t)at);
}

/* ---- pages --------------------------------------------------------------- */

bool
gs_output_takes_pages(const struct gs_output *out)
{
	return out->pipe;
}

/* Without vmsplice(2) (other systems, some sandboxes), or with one that copies, the bytes are written. */
gs_status
gs_output_give_pages(struct gs_output *out, void *pages, size_t bytes)
{
	gs_status status = gs_output_wait(out);
	uint64_t since = gs_clock_now();
	char *at = pages;

	THEN(status, gs_check_interrupted(out->interrupted));
	while (status == GS_OK && out->pipe && bytes > 0) {
		const ssize_t done = gs_pipe_give(out->fd, at, bytes);

		if (done < 0 && (errno == ENOSYS || errno == EINVAL || errno == EPERM))
			break;
		if (done < 0) {
			status = handle_error(out, errno);
			continue;
		}
		at += done;
		bytes -= (size_t)done;
	}
	THEN(status, write_bytes(out, at, bytes, -1));
	gs_clock_lap(out->clock, GS_STAGE_WRITE, &since);
	return status;
}

/* ---- the end ----------------------------------------------------------- */

/* Stop the writer; what it has is written first. */
static void
stop_thread(struct gs_output *out)
{
	if (!out->threaded)
		return;
	gs_queue_shut(&out->submitted);
	gs_queue_shut(&out->done);
	(void)gs_thread_join(&out->thread);
	out->threaded = false;
}

gs_status
gs_output_complete(struct gs_output *out)
{
	uint64_t since = gs_clock_now();
	int copy;

	TRY(gs_output_wait(out));
	TRY(gs_check_interrupted(out->interrupted));
	if (out->write != NULL)
		return GS_OK;
	stop_thread(out);
	TRY(truncate_first(out));	/* if nothing was written */
	if (gs_preallocate_cut(&out->preallocation) != 0)
		return gs_fail_errno(GS_EIO, "truncate failed: %s", out->name);
	/* Some file systems report a failed write only in close(2). */
	if (!out->in_place && ((copy = fcntl(out->fd, F_DUPFD_CLOEXEC, 3)) < 0 || close(copy) != 0))
		return gs_fail_errno(GS_EIO, "close failed: %s", out->name);
	gs_clock_lap(out->clock, GS_STAGE_WRITE, &since);
	return GS_OK;
}

bool
gs_output_replaces_input(const struct gs_output *out)
{
	return !out->in_place && out->replace.forced;
}

/* Force the bytes of a new file, which is complete, to the disk. */
static gs_status
force(struct gs_output *out)
{
	out->replace.forced = true;
	return out->in_place || fdatasync(out->fd) == 0 ? GS_OK
	       : gs_fail_errno(GS_EIO, "write failed: %s", out->name);
}

gs_status
gs_output_prepare(struct gs_output *out, bool forced)
{
	TRY(gs_output_complete(out));
	if (forced)
		TRY(force(out));
	if (out->write == NULL && !out->in_place && gs_replace_prepare(&out->replace) != 0)
		return gs_fail_errno(GS_EIO, "cannot replace %s", out->name);
	return GS_OK;
}

gs_status
gs_output_settle(struct gs_output *out, bool stays)
{
	char old[PATH_MAX];

	if (out->write != NULL || out->in_place)
		return GS_OK;
	strcpy(old, out->replace.backup);	/* settling forgets it */
	if (gs_replace_settle(&out->replace, stays) == 0)
		return GS_OK;
	return old[0] == '\0' ? gs_fail_errno(GS_EIO, "cannot undo %s, which is complete", out->name)
	       : gs_fail_errno(GS_EIO, "cannot give %s its old contents back, which are in %s",
	                       out->name, old);
}

gs_status
gs_output_finish(struct gs_output *const outputs[], size_t count)
{
	struct gs_replace **new;
	bool forced = false;
	gs_status status;
	uint64_t since;
	size_t failed;

	for (size_t o = 0; o < count; o++) {
		TRY(gs_output_complete(outputs[o]));
		forced |= gs_output_replaces_input(outputs[o]);
	}
	since = gs_clock_now();
	for (size_t o = 0; forced && o < count; o++)
		TRY(force(outputs[o]));
	TRY(gs_allocate(&new, count, sizeof(struct gs_replace *), "outputs"));
	for (size_t o = 0; o < count; o++)
		new[o] = outputs[o]->in_place ? NULL : &outputs[o]->replace;
	status = gs_replace_finish(new, count, &failed) == 0 ? GS_OK
	         : gs_fail_errno(GS_EIO, "cannot replace %s", outputs[failed]->name);
	free(new);
	TRY(status);
	for (size_t o = 0; o < count; o++) {
		const int fd = outputs[o]->fd;

		if (outputs[o]->write != NULL)
			continue;
		outputs[o]->fd = -1;
		/* A new file has been flushed, and has replaced the old one: too late for an error. */
		if (close(fd) != 0 && outputs[o]->in_place)
			return gs_fail_errno(GS_EIO, "close failed: %s", outputs[o]->name);
	}
	gs_clock_lap(outputs[0]->clock, GS_STAGE_WRITE, &since);
	return GS_OK;
}

void
gs_output_close(struct gs_output *out)
{
	if (out == NULL)
		return;
	stop_thread(out);
	gs_queue_close(&out->submitted);
	gs_queue_close(&out->done);
	if (out->fd >= 0)
		(void)gs_preallocate_cut(&out->preallocation);
	gs_replace_drop(&out->replace);
	if (out->fd > STDERR_FILENO)
		close(out->fd);
	free(out);
}
