// SPDX-License-Identifier: BSD-2-Clause
/*
 * file.c - a temporary file that has no name
 *
 * In:   bytes, appended.
 * Out:  the same bytes, from any offset; holes free the disk space of what was read.
 *
 * If its directory is full, the rest of the bytes go to a file in the next one.
 *
 * O_TMPFILE makes such a file in one step.  Where a file system lacks it (NFS, some FUSE), the file
 * has a name between two system calls, during which all signals are blocked that can be.
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
#include "base/limits.h"
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

static bool
is_full(int number)
{
	return number == ENOSPC || number == EDQUOT;
}

/* "/tmp", or "/tmp (0 MiB free), /var/tmp (3 MiB free)" */
static const char *
dirs_text(const struct gs_spill_file *file, char *text, size_t room)
{
	size_t at = 0;

	if (file->dir_count == 1)
		return file->dir;
	for (size_t d = 0; d < file->dir_count && at < room; d++)
		at += (size_t)snprintf(text + at, room - at, "%s%s (%llu MiB free)", d > 0 ? ", " : "",
		                       file->dirs[d],
		                       (unsigned long long)gs_limits_disk_bytes(file->dirs[d]) >> 20);
	return text;
}

/* Make FILE in the first directory with space that it has not tried. */
static gs_status
make(struct gs_spill_file *file)
{
	char dirs[GS_MESSAGE_BYTES / 2];
	int number;

	do {
		file->dir = file->dirs[file->turn++ % file->dir_count];
		file->untried--;
		if (gs_nameless_flag() != 0)
			file->fd = gs_open(file->dir, gs_nameless_flag() | O_RDWR, 0600);
		if (file->fd < 0)
			file->fd = make_and_unlink(file->dir);
		if (file->fd >= 0)
			return GS_OK;
	} while (is_full(errno) && file->untried > 0);
	number = errno;
	if (number == EMFILE || number == ENFILE)
		return gs_fail_errno(GS_EIO, "cannot make a temporary file in %s (raise ulimit -n)",
		                     file->dir);
	return gs_caused(number, gs_fail(GS_EIO, "cannot make a temporary file in %s: %s; name another "
	                                 "directory with -T", is_full(number)
	                                 ? dirs_text(file, dirs, sizeof dirs) : file->dir,
	                                 strerror(number)));
}

gs_status
gs_spill_file_make(struct gs_spill_file *file, const char *const *dirs, size_t dir_count, size_t turn)
{
	*file = (struct gs_spill_file){
		.dirs = dirs, .dir_count = dir_count, .turn = turn, .untried = dir_count, .fd = -1,
	};
	return make(file);
}

/* Permissions alone do not suffice: root has them in /proc and on read-only file systems. */
gs_status
gs_spill_dirs_check(const char *const *dirs, size_t dir_count)
{
	struct gs_spill_file file;

	for (size_t d = 0; d < dir_count; d++) {
		struct stat st;
		const int number = stat(dirs[d], &st) != 0 ? errno : !S_ISDIR(st.st_mode) ? ENOTDIR
		                   : faccessat(AT_FDCWD, dirs[d], W_OK | X_OK, AT_EACCESS) != 0 ? errno : 0;
		gs_status status;

		if (number != 0)
			return gs_caused(number, gs_fail(GS_EIO, "cannot use %s for temporary files: "
			                                 "%s; name another directory with -T", dirs[d],
			                                 strerror(number)));
		status = gs_spill_file_make(&file, &dirs[d], 1, 0);
		if (status != GS_OK && !is_full(gs_failure_errno()))
			return status;
		gs_spill_file_close(&file);
	}
	TRY(gs_spill_file_make(&file, dirs, dir_count, 0));	/* one has space */
	gs_spill_file_close(&file);
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
	const char *reason = strerror(number), *dir = file->dir;
	const unsigned long long written = mebibytes(file->end > file->beside_bytes
	                                             ? file->end : file->beside_bytes);
	const unsigned long long needed = mebibytes(file->needed_bytes);
	char dirs[GS_MESSAGE_BYTES / 2];

	if (is_full(number))
		dir = dirs_text(file, dirs, sizeof dirs);
	if (!is_full(number) && number != EFBIG)
		(void)gs_fail(GS_EIO, "cannot write a temporary file in %s: %s", dir, reason);
	else if (needed == 0)
		(void)gs_fail(GS_EIO, "cannot write a temporary file in %s: %s after %llu MiB; name "
		              "a directory with more space with -T", dir, reason, written);
	else
		(void)gs_fail(GS_EIO, "cannot write a temporary file in %s: %s after %llu MiB, and %llu "
		              "MiB more are needed; name a directory with more space with -T",
		              dir, reason, written, needed);
	return gs_caused(number, GS_EIO);
}

gs_status
gs_spill_file_write(struct gs_spill_file *file, const void *from, size_t bytes)
{
	struct gs_spill_file *last = file, *rest;
	const struct timespec now = { 0 };
	sigset_t ours, before;
	size_t wrote;
	int error;

	while ((rest = atomic_load(&last->rest)) != NULL)
		last = rest;
	/* no SIGXFSZ, but EFBIG, whatever the process does with that signal */
	sigemptyset(&ours);
	sigaddset(&ours, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &ours, &before);
	wrote = gs_write_all(last->fd, from, bytes, (int64_t)(file->end - last->begin));
	error = errno;
	/* Take the signal that now waits for this thread, before the old mask lets it in. */
	while (wrote < bytes && sigtimedwait(&ours, NULL, &now) < 0 && errno == EINTR)
		;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = error;
	file->end += wrote;
	if (wrote == bytes)
		return GS_OK;
	if (!is_full(error) || last->untried == 0)
		return write_error(file);
	TRY(GS_NEW(rest, 1, "temporary file"));
	*rest = *last;
	rest->fd = -1;
	rest->begin = file->end;
	atomic_store(&last->rest, rest);
	TRY(make(rest));
	return gs_spill_file_write(file, (const char *)from + wrote, bytes - wrote);
}

gs_status
gs_spill_file_read(const struct gs_spill_file *file, uint64_t at, void *into, size_t bytes)
{
	const struct gs_spill_file *rest = atomic_load(&file->rest);
	const size_t here = rest == NULL || at + bytes <= rest->begin ? bytes
	                    : at < rest->begin ? (size_t)(rest->begin - at) : 0;

	if (gs_read_at(file->fd, into, here, at - file->begin) != here)
		return errno == 0 ? gs_spill_file_corrupt(file->dir)
		       : gs_fail_errno(GS_EIO, "cannot read a temporary file in %s", file->dir);
	return here == bytes ? GS_OK : gs_spill_file_read(rest, at + here, (char *)into + here, bytes - here);
}

gs_status
gs_spill_file_corrupt(const char *dir)
{
	return gs_fail(GS_EINPUT, "temporary file in %s: what was read is not what was written", dir);
}

void
gs_spill_file_forget(const struct gs_spill_file *file, uint64_t from, uint64_t to)
{
	const struct gs_spill_file *rest = atomic_load(&file->rest);
	const uint64_t end = rest != NULL && rest->begin < to ? rest->begin : to;
	const uint64_t first = gs_round_up(from - file->begin, BLOCK_BYTES);
	const uint64_t last = (end - file->begin) / BLOCK_BYTES * BLOCK_BYTES;

	if (first < last)
		gs_blocks_free(file->fd, first, last);
	if (end < to)
		gs_spill_file_forget(rest, from > end ? from : end, to);
}

void
gs_spill_file_close(struct gs_spill_file *file)
{
	struct gs_spill_file *rest = atomic_load(&file->rest);

	if (file->fd >= 0)
		(void)close(file->fd);
	if (rest != NULL)
		gs_spill_file_close(rest);
	free(rest);
}
