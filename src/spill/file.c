// SPDX-License-Identifier: BSD-2-Clause
/*
 * file.c - a temporary file that has no name
 *
 * In:   bytes, appended.
 * Out:  the same bytes, from any offset; holes free the disk space of what was read.
 *
 * O_TMPFILE makes such a file in one step.  Where there is none (NFS, some FUSE), the file has a
 * name between two system calls, during which all signals are blocked that can be.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/filesystem.h"
#include "base/round.h"
#include "spill/file.h"

enum { BLOCK_BYTES = 4096 };	/* a hole is of whole blocks, which nearly everywhere are pages */

/* Make a file with a name and unlink it at once. */
static int
make_and_unlink(const char *dir)
{
	char *path;
	sigset_t all, before;
	int fd, error;

	if (asprintf(&path, "%s/gsortXXXXXX", dir) < 0)
		return -1;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	fd = mkostemp(path, O_CLOEXEC);
	error = errno;
	if (fd >= 0)
		(void)unlink(path);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	free(path);
	errno = error;
	return fd;
}

gs_status
gs_spill_file_make(struct gs_spill_file *file, const char *dir)
{
	int number;

	*file = (struct gs_spill_file){ .fd = -1, .dir = dir };
	if (gs_nameless_flag() != 0)
		file->fd = gs_open(dir, gs_nameless_flag() | O_RDWR, 0600);
	if (file->fd < 0)
		file->fd = make_and_unlink(dir);
	if (file->fd >= 0)
		return GS_OK;
	if (errno == EMFILE || errno == ENFILE)
		return gs_fail_errno(GS_EIO, "cannot make a temporary file in %s (raise ulimit -n)", dir);
	number = errno;
	return gs_caused(number, gs_fail(GS_EIO, "cannot make a temporary file in %s: %s; name another "
	                                 "directory with -T", dir, strerror(number)));
}

/* Permissions alone do not suffice: root has them in /proc and on read-only file systems. */
gs_status
gs_spill_dir_check(const char *dir)
{
	struct gs_spill_file file;
	struct stat st;
	bool good = stat(dir, &st) == 0;
	int number;

	if (good && !S_ISDIR(st.st_mode)) {
		errno = ENOTDIR;
		good = false;
	}
	if (!good || faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS) != 0) {
		number = errno;
		return gs_caused(number, gs_fail(GS_EIO, "cannot use %s for temporary files: %s; name "
		                                 "another directory with -T", dir, strerror(number)));
	}
	TRY(gs_spill_file_make(&file, dir));
	(void)close(file.fd);
	return GS_OK;
}

static uint64_t
mebibytes(uint64_t bytes)
{
	return (bytes >> 20) + (bytes % (1 << 20) > 0);
}

static gs_status
write_error(const struct gs_spill_file *file)
{
	const int number = errno;
	const char *reason = strerror(number);
	const unsigned long long written = mebibytes(file->end > file->beside_bytes
	                                             ? file->end : file->beside_bytes);
	const unsigned long long needed = mebibytes(file->needed_bytes);

	if (number != ENOSPC && number != EDQUOT && number != EFBIG)
		(void)gs_fail(GS_EIO, "cannot write a temporary file in %s: %s", file->dir, reason);
	else if (needed == 0)
		(void)gs_fail(GS_EIO, "cannot write a temporary file in %s: %s after %llu MiB; name "
		              "a directory with more space with -T", file->dir, reason, written);
	else
		(void)gs_fail(GS_EIO, "cannot write a temporary file in %s: %s after %llu MiB, and %llu "
		              "MiB more are needed; name a directory with more space with -T",
		              file->dir, reason, written, needed);
	return gs_caused(number, GS_EIO);
}

gs_status
gs_spill_file_write(struct gs_spill_file *file, const void *from, size_t bytes)
{
	const struct timespec now = { 0 };
	sigset_t ours, before;
	size_t wrote;
	int error;

	/* no SIGXFSZ, but EFBIG, whatever the process does with that signal */
	sigemptyset(&ours);
	sigaddset(&ours, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &ours, &before);
	wrote = gs_write_all(file->fd, from, bytes, (int64_t)file->end);
	error = errno;
	/* Take the signal that now waits for this thread, before the old mask lets it in. */
	while (wrote < bytes && sigtimedwait(&ours, NULL, &now) < 0 && errno == EINTR)
		;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = error;
	file->end += wrote;
	return wrote == bytes ? GS_OK : write_error(file);
}

gs_status
gs_spill_file_read(const struct gs_spill_file *file, uint64_t at, void *into, size_t bytes)
{
	if (gs_read_at(file->fd, into, bytes, at) == bytes)
		return GS_OK;
	return errno == 0 ? gs_spill_file_corrupt(file->dir)
	       : gs_fail_errno(GS_EIO, "cannot read a temporary file in %s", file->dir);
}

gs_status
gs_spill_file_corrupt(const char *dir)
{
	return gs_fail(GS_EINPUT, "temporary file in %s: what was read is not what was written", dir);
}

void
gs_spill_file_forget(const struct gs_spill_file *file, uint64_t from, uint64_t to)
{
	from = gs_round_up(from, BLOCK_BYTES);
	to = to / BLOCK_BYTES * BLOCK_BYTES;
	if (from < to)
		gs_blocks_free(file->fd, from, to);
}

void
gs_spill_file_close(struct gs_spill_file *file)
{
	if (file->fd >= 0)
		(void)close(file->fd);
	file->fd = -1;
}
