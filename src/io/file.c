// SPDX-License-Identifier: BSD-2-Clause
/*
 * file.c - one file of the input: what it is, and its bytes
 *
 * In:   a name.
 * Out:  whether it is regular, its size and format, and its bytes.
 *
 * A large request on a regular file is cut into pieces that several threads read: copying from
 * the page cache takes longer than decoding.
 *
 * Invariant: if FD is open, and was opened here, there are REFERENCES.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/filesystem.h"
#include "base/round.h"
#include "base/team.h"
#include "io/files.h"
#include "io/inflate.h"

enum {
	/*
	 * One piece of a parallel read.  2 cores, AMD EPYC VM, 256 MiB cached to memory touched before,
	 * median of 9: pieces of 256 KiB 22.7 GB/s, 1 MiB 22.9, 8 MiB 23.2; one thread 18.2.  Flat, so
	 * small: 16 threads share 4 MiB.
	 */
	PIECE_BYTES    = GS_TEAM_BYTES / 16,
	READAHEAD_BYTES = 128 << 10,	/* Linux reads so much ahead by default */
};

bool
gs_file_is_standard(const struct gs_file *file)
{
	return strcmp(file->name, "-") == 0;
}

gs_status
gs_file_fail(const struct gs_file *file)
{
	return gs_fail_errno(GS_EIO, "read failed: %s", file->name);
}

/* Give up a reference; the last one closes the file. */
static void
release(struct gs_file *file)
{
	assert(file->references > 0);
	if (atomic_fetch_sub(&file->references, 1) > 1)
		return;
	if (file->fd > STDIN_FILENO)
		close(file->fd);
	file->fd = -1;
}

/* ---- what it is --------------------------------------------------------- */

gs_status
gs_file_check(const struct gs_file *file, const void *data, size_t bytes, bool whole)
{
	return file->guarded != GS_UNGUARDED && bytes > 0
	       ? gs_contents_check(file->name, data, bytes, whole, file->unit, file->guarded,
	                           file->skip_bytes) : GS_OK;
}

gs_status
gs_file_recognize(struct gs_file *file, const void *data, size_t bytes, bool whole)
{
	if (file->format == GSORT_DECOMPRESS_AUTO) {
		file->format = file->unit > 0 ? gs_contents_packed(data, bytes)
		                            : gs_inflate_sniff(data, bytes);
		file->guessed = file->unit > 0 && file->format != GSORT_DECOMPRESS_NONE;
	}
	return file->format == GSORT_DECOMPRESS_NONE ? gs_file_check(file, data, bytes, whole) : GS_OK;
}

/* What the file is, and the size and format of a regular one.  There may be ten thousand files, so this makes
 * no system call whose result is not needed. */
static gs_status
examine(struct gs_file *file)
{
	char start[GS_CONTENTS_BYTES];
	struct stat st;
	off_t offset = 0;
	size_t got;

	if (fstat(file->fd, &st) != 0)
		return gs_fail_errno(GS_EIO, "cannot read: %s", file->name);
	if (S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return gs_file_fail(file);
	}
	if (file->no_terminal && S_ISCHR(st.st_mode) && isatty(file->fd))
		return gs_fail(GS_EUSAGE, "%s: will not read binary keys from a terminal; redirect "
		               "input from a file or pipe, or use --force", file->name);
	if (file->again && (st.st_dev != file->device || st.st_ino != file->inode))
		return gs_fail(GS_EIO, "%s: cannot be read again: it has been replaced by another file",
		               file->name);
	file->device = st.st_dev;
	file->inode = st.st_ino;
	if (S_ISFIFO(st.st_mode))
		gs_pipe_enlarge(file->fd);
	if (file->fd == STDIN_FILENO)		/* a file that was opened here is at its beginning */
		offset = lseek(file->fd, 0, SEEK_CUR);
	file->regular = S_ISREG(st.st_mode) && offset >= 0;
	if (!file->regular)
		return GS_OK;
	if (file->part != NULL) {
		file->start = file->part->begin;
		file->bytes = file->part->end - file->part->begin;
		file->format = GSORT_DECOMPRESS_NONE;
		return GS_OK;
	}
	file->start = (uint64_t)offset;
	file->bytes = st.st_size > offset ? (uint64_t)(st.st_size - offset) : 0;
#ifdef POSIX_FADV_SEQUENTIAL		/* macOS has none */
	if (file->bytes > READAHEAD_BYTES)
		(void)posix_fadvise(file->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
	if (file->bytes > 0 && file->format != GSORT_DECOMPRESS_AUTO &&
	    (file->guarded == GS_UNGUARDED || file->format != GSORT_DECOMPRESS_NONE))
		return GS_OK;
	TRY(gs_read_file(file->name, file->fd, start, sizeof start, file->start, &got));
	if (got > 0 && file->bytes == 0)
		file->bytes = GS_UNKNOWN;	/* files of /proc have size 0 */
	return gs_file_recognize(file, start, got, got < sizeof start);
}

gs_status
gs_file_open(struct gs_file *file, bool stay)
{
	struct stat st;
	gs_status status;

	if (gs_file_is_standard(file)) {
		file->fd = STDIN_FILENO;
		file->waits = false;
		file->references++;
		return examine(file);
	}
	if (stat(file->name, &st) == 0 && S_ISFIFO(st.st_mode) && !file->waits) {
		file->waits = true;
		return access(file->name, R_OK) == 0 ? GS_OK
		       : gs_fail_errno(GS_EIO, "cannot read: %s", file->name);
	}
	/* A pipe is opened without waiting for its writer: gs_read() waits, if need be. */
	file->fd = gs_open(file->name, O_RDONLY | (file->waits ? O_NONBLOCK : 0), 0);
	if (file->fd < 0 || (file->waits && fcntl(file->fd, F_SETFL, 0) != 0))
		return gs_fail_errno(GS_EIO, "cannot read: %s", file->name);
	file->references++;
	status = examine(file);
	if (!stay)
		release(file);
	file->waits = !stay;
	return status;
}

/* ---- leaving --------------------------------------------------------------- */

void
gs_file_leave(struct gs_file *file)
{
	if (file->fd == STDIN_FILENO && file->read_bytes > 0)	/* where read(2) would leave it */
		(void)lseek(file->fd, (off_t)(file->start + file->read_bytes), SEEK_SET);
	if (file->references > 0 && !(file->stays && file->regular))
		release(file);
}

void
gs_file_close_left(struct gs_file *file)
{
	if (file->stays && file->regular)
		release(file);
	file->stays = false;
}

void
gs_file_rewind(struct gs_file *file)
{
	const int fd = gs_file_is_standard(file) ? STDIN_FILENO : file->fd;

	file->stays = false;
	file->read_bytes = 0;
	if (!file->regular)
		return;
	if (fd >= 0)		/* decompression does not say from where it reads */
		(void)lseek(fd, (off_t)file->start, SEEK_SET);
	/* the current one stays open: its name may be gone */
	file->waits = file->again = file->references == 0;
}

/* ---- regular ---------------------------------------------------------------- */

uint64_t
gs_file_left(const struct gs_file *file)
{
	if (file->bytes == GS_UNKNOWN || file->bytes < file->read_bytes)
		return 0;
	return file->bytes - file->read_bytes;
}

/* A request, in pieces. */
struct request {
	const struct gs_file *file;
	char                 *into;
	size_t                bytes;
	atomic_size_t         whole;	/* bytes before the first gap */
};

static void
read_piece(void *context, size_t piece)
{
	struct request *request = context;
	const size_t at = piece * PIECE_BYTES, left = request->bytes - at;
	const size_t want = left < PIECE_BYTES ? left : PIECE_BYTES;
	const uint64_t offset = request->file->start + request->file->read_bytes + at;
	const size_t got = gs_read_at(request->file->fd, request->into + at, want, offset);

	if (got < want)
		gs_team_least(&request->whole, at + got);
}

void
gs_file_expect(const struct gs_file *file, uint64_t at, size_t bytes)
{
#ifdef POSIX_FADV_WILLNEED
	if (gs_file_left(file) > at)
		(void)posix_fadvise(file->fd, (off_t)(file->start + file->read_bytes + at), (off_t)bytes,
		                    POSIX_FADV_WILLNEED);
#else
	(void)file, (void)at, (void)bytes;
#endif
}

gs_status
gs_file_read(struct gs_file *file, unsigned threads, void *into, size_t bytes, size_t *got)
{
	const size_t known = gs_least(gs_file_left(file), bytes);	/* that should still come */
	const bool by_team = known >= GS_TEAM_BYTES && threads > 1;
	struct request request = { .file = file, .into = into, .bytes = known, .whole = known };
	size_t before;
	gs_status status;

	if (file->part != NULL)
		bytes = known;
	if (by_team)
		gs_team_each(threads, (known + PIECE_BYTES - 1) / PIECE_BYTES, read_piece, &request);
	before = by_team ? request.whole : 0;
	/* To the real end: the file may have grown or shrunk since it was opened.  A piece may be short since
	 * the file has shrunk, or because of an error: reading once more there tells which. */
	status = gs_read_file(file->name, file->fd, (char *)into + before, bytes - before,
	                      file->start + file->read_bytes + before, got);
	*got += before;
	file->read_bytes += *got;
	if (by_team)
		gs_file_expect(file, 0, bytes);
	return status;
}

/* ---- a piece ---------------------------------------------------------------- */

gs_status
gs_file_read_piece(struct gs_file *file, uint64_t offset, size_t bytes, void *into, size_t *got)
{
	const gs_status status = gs_read_file(file->name, file->fd, into, bytes, offset, got);

	release(file);
	return status;
}
