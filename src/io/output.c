// SPDX-License-Identifier: BSD-2-Clause
/*
 * output.c - the bytes go out, and no error is lost
 *
 * In:   bytes. Out: a file that is as it was, or complete.
 *
 * A regular file is written as a file without a name (O_TMPFILE) in the
 * directory of the old one, so that not even SIGKILL leaves anything behind.  In
 * the end it is linked straight to a name that is still free; for an existing
 * name it has to take a hidden one for a moment, because linkat(2) cannot
 * replace but rename(2) can.  Signals wait while it has that name.  Where
 * there is no O_TMPFILE (NFS, some FUSE) the hidden name is there from the start.
 *
 * No fsync: what is promised is to outlive us, full disks and limits, not the
 * power cut; rename(1), cp(1) and sort(1) do not promise more, and it would cost
 * more than the sort.
 *
 * Invariant: nothing at the target is touched before the first byte is written,
 * and if it is replaced, not before the last.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "base/thread.h"
#include "io/open.h"
#include "io/output.h"

enum {
	PIPE_BYTES = 1 << 20,
	LINKS_MOST = 40,	/* symbolic links in a row, as in the kernel */
	NAME_TRIES = 100,
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
	int         fd;
	bool        through;	/* written in place */
	bool        truncates;	/* still to do, before the first byte */
	bool        existed;
	uint64_t    device, inode;

	/* While the file is written beside the old one: */
	char        target[PATH_MAX];	/* the real name, links followed */
	char        hidden[PATH_MAX];	/* "", or the name it has for now */

	struct gs_thread thread;
	struct gs_queue  pieces, written;
	struct piece     piece;
	bool             threaded;
	bool             busy;		/* PIECE is with the writer */
	bool             may_die;	/* of SIGPIPE, as the opener of the thread */
};

/* ---- names ------------------------------------------------------------- */

/* Replace the last part of PATH, or all of it if LINK is absolute. */
static bool
follow(char *path, const char *link)
{
	char *slash = strrchr(path, '/');
	size_t kept = link[0] == '/' || slash == NULL ? 0 : (size_t)(slash + 1 - path);

	if (kept + strlen(link) >= PATH_MAX)
		return false;
	strcpy(path + kept, link);
	return true;
}

/* Where NAME leads when every symbolic link is followed; it need not exist. */
static bool
resolve(const char *name, char *path)
{
	char link[PATH_MAX];

	if (strlen(name) >= PATH_MAX)
		return false;
	strcpy(path, name);
	for (unsigned links = 0; links < LINKS_MOST; links++) {
		ssize_t bytes = readlink(path, link, sizeof link - 1);

		if (bytes < 0)
			return true;	/* no link, or nothing there */
		link[bytes] = '\0';
		if (!follow(path, link))
			return false;
	}
	return false;
}

/* The directory of the target, into DIRECTORY. */
static void
directory_of(const char *target, char *directory)
{
	const char *slash = strrchr(target, '/');

	if (slash == NULL)
		strcpy(directory, ".");
	else
		snprintf(directory, PATH_MAX, "%.*s", (int)(slash + 1 - target), target);
}

/* A name beside the target that nobody else will take. */
static bool
make_hidden(struct gs_output *out, unsigned try)
{
	char directory[PATH_MAX];
	struct timespec now;
	int length;

	directory_of(out->target, directory);
	clock_gettime(CLOCK_REALTIME, &now);
	length = snprintf(out->hidden, sizeof out->hidden, "%s/.gsort.%ld.%lx.%u", directory,
	                  (long)getpid(), (unsigned long)now.tv_nsec, try);
	return length > 0 && (size_t)length < sizeof out->hidden;
}

/* ---- opening ----------------------------------------------------------- */

static gs_status
guard_terminal(const struct gs_output *out, const struct gs_output_options *options)
{
	if (options->binary && !options->terminal_ok && isatty(out->fd))
		return gs_fail(GS_EUSAGE, "will not write binary keys to a terminal; use -o FILE, "
		               "redirect output to a file or pipe, or use --force");
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
	out->device = st.st_dev;
	out->inode = st.st_ino;
	out->existed = true;
	if (S_ISFIFO(st.st_mode))
		(void)fcntl(out->fd, F_SETPIPE_SZ, PIPE_BYTES);		/* may be forbidden */
	return guard_terminal(out, options);
}

/* Give the new file what the old one had; only the mode has to be right. */
static void
keep_attributes(int old_fd, int new_fd, const struct stat *old)
{
	char names[4096], value[4096];
	ssize_t bytes = flistxattr(old_fd, names, sizeof names);

	if (fchown(new_fd, old->st_uid, old->st_gid) != 0)
		(void)!fchown(new_fd, (uid_t)-1, old->st_gid);
	(void)fchmod(new_fd, old->st_mode & 07777);	/* after: fchown clears set-id bits */
	for (const char *name = names; name < names + bytes; name += strlen(name) + 1) {
		ssize_t got = fgetxattr(old_fd, name, value, sizeof value);

		if (got >= 0)
			(void)fsetxattr(new_fd, name, value, (size_t)got, 0);
	}
}

/* A new file with a hidden name, where there are no nameless ones. */
static int
open_hidden(struct gs_output *out)
{
	for (unsigned try = 0; try < NAME_TRIES; try++) {
		int fd;

		if (!make_hidden(out, try)) {
			errno = ENAMETOOLONG;
			break;
		}
		fd = gs_open(out->hidden, O_WRONLY | O_CREAT | O_EXCL, 0666);
		if (fd >= 0)
			return fd;
		if (errno != EEXIST)
			break;
	}
	out->hidden[0] = '\0';
	return -1;
}

/* A new file beside the target, -1: not possible there. */
static int
open_beside(struct gs_output *out)
{
	char directory[PATH_MAX];
	int fd = -1;

	directory_of(out->target, directory);
	if (access("/proc/self/fd", X_OK) == 0)		/* linkat(2) will need it */
		fd = gs_open(directory, O_TMPFILE | O_WRONLY, 0666);
	return fd >= 0 ? fd : open_hidden(out);
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

/* May the target, which is OLD, be replaced by another file? */
static bool
is_replaceable(const struct gs_output *out, const struct stat *old)
{
	char directory[PATH_MAX];
	struct stat st;
	struct statx stx;
	uid_t self = geteuid();

	/* The name we made out must be the file we have opened. */
	if (lstat(out->target, &st) != 0 || st.st_ino != old->st_ino || st.st_dev != old->st_dev)
		return false;
	directory_of(out->target, directory);
	if (stat(directory, &st) != 0)
		return false;
	/* In a directory like /tmp only the owner may: rename(2) would say so too late. */
	if ((st.st_mode & S_ISVTX) && self != 0 && self != st.st_uid && self != old->st_uid)
		return false;
	/* A file that something is mounted on, as containers do, is busy. */
	return statx(AT_FDCWD, out->target, AT_SYMLINK_NOFOLLOW, 0, &stx) != 0 ||
	       !(stx.stx_attributes & STATX_ATTR_MOUNT_ROOT);
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
	int fd;

	/* Also asks for permission to write it, which replacing would not need. */
	out->fd = gs_open(options->name, O_WRONLY, 0);
	if (out->fd < 0 || fstat(out->fd, &st) != 0)
		return gs_fail_errno(GS_EIO, "open failed: %s", out->name);
	out->existed = true;
	out->device = st.st_dev;
	out->inode = st.st_ino;
	out->through = true;
	out->truncates = S_ISREG(st.st_mode);
	if (S_ISFIFO(st.st_mode))
		(void)fcntl(out->fd, F_SETPIPE_SZ, PIPE_BYTES);
	if (!S_ISREG(st.st_mode))
		return guard_terminal(out, options);
	if (st.st_nlink > 1 || names_descriptor(options->name) ||
	    !resolve(options->name, out->target) || !is_replaceable(out, &st))
		return GS_OK;
	fd = open_beside(out);
	if (fd < 0 && is_forbidden(errno))
		return GS_OK;
	if (fd < 0)
		return gs_fail_errno(GS_EIO, "cannot make a file beside %s", out->name);
	keep_attributes(out->fd, fd, &st);
	close(out->fd);
	out->fd = fd;
	out->through = out->truncates = false;
	return GS_OK;
}

static gs_status
open_new(struct gs_output *out, const struct gs_output_options *options)
{
	if (out->name[0] == '\0')
		errno = ENOENT;
	else if (!resolve(options->name, out->target))
		errno = ELOOP;
	else
		out->fd = open_beside(out);
	if (out->fd < 0)
		return gs_fail_errno(GS_EIO, "open failed: %s", out->name);
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
	if (options->name == NULL)
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
gs_output_identity(const struct gs_output *output, uint64_t *device, uint64_t *inode)
{
	*device = output->device;
	*inode = output->inode;
	return output->existed;
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

/* Give the nameless file NAME, which must not exist. */
static int
link_as(const struct gs_output *out, const char *name)
{
	char self[64];

	snprintf(self, sizeof self, "/proc/self/fd/%d", out->fd);
	return linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

/* Put the file, which has no name or a hidden one, in the target's place. */
static int
replace_target(struct gs_output *out)
{
	int result = -1;

	for (unsigned try = 0; out->hidden[0] == '\0' && try < NAME_TRIES; try++) {
		if (!make_hidden(out, try))
			errno = ENAMETOOLONG;
		else if (link_as(out, out->hidden) == 0)
			break;
		out->hidden[0] = '\0';
		if (errno != EEXIST)
			return -1;
	}
	if (out->hidden[0] != '\0')
		result = rename(out->hidden, out->target);
	if (result == 0)
		out->hidden[0] = '\0';
	return result;
}

static gs_status
put_in_place(struct gs_output *out)
{
	sigset_t all, before;
	int result = -1, error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (!out->existed && out->hidden[0] == '\0')
		result = link_as(out, out->target);
	if (result != 0)	/* there is a file, or there is one now */
		result = replace_target(out);
	error = errno;
	if (result != 0 && out->hidden[0] != '\0' && unlink(out->hidden) == 0)
		out->hidden[0] = '\0';
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = error;
	if (result != 0)
		return gs_fail_errno(GS_EIO, "cannot replace %s", out->name);
	return GS_OK;
}

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
	TRY(truncate_once(out));	/* nothing written: then that is the content */
	if (!out->through) {
		TRY(flush_by_closing(out));
		TRY(put_in_place(out));
	}
	out->fd = -1;
	if (close(fd) != 0)
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
	if (out->hidden[0] != '\0')
		unlink(out->hidden);
	if (out->fd > STDERR_FILENO)
		close(out->fd);
	free(out);
}
