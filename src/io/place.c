// SPDX-License-Identifier: BSD-2-Clause
/*
 * place.c - bytes at their places in a regular file, on blocks that are there already
 *
 * In:   pieces of the output, and where they go; from any thread, in any order.
 * Out:  a file without a gap, as if it had been written from front to back.
 *
 * What makes a file fast is not who writes it, but that its blocks are allocated before
 * (fallocate(2)).  1 GiB from the cache in GB/s, by `gsort-bench-output`, on 16 Xeon cores
 * (H200 host) and, xfs and *, two of an EPYC 9005, Linux 6.18:
 *
 *	                      ext4                        xfs          tmpfs
 *	threads                 1    4   16    1*   2*    1*   2*     1    4   16
 *	new file
 *	  write               7.4             5.5        21
 *	  pwrite              7.5  6.8  6.8   6.0  5.1   26   22    4.7  4.8  4.4
 *	  pwrite on blocks    8.7  8.5  8.1  10.6 10.0   24   23    4.6  4.5  4.5
 *	  shared mapping      0.4  0.7  2.1   0.6  0.6    2    3    2.4  6.3  6.6
 *	a file that is cut
 *	  write               2.6             1.1         2
 *	  write on blocks     6.8             4.9        19
 *
 * (When a file that was cut is closed, and when one is renamed over another, ext4 and xfs
 * begin to write to the disk before the call returns, unless no block waits to be allocated.)
 * So:
 *
 * - pwrite(2) by many threads is no faster than by one, as the inode is locked while bytes
 *   are copied; nor much slower: who has a piece writes it, and pieces are not split.
 * - Mappings win on tmpfs with four threads or more, and nowhere else.  Not worth their
 *   SIGBUS; and `> file` could not be mapped: it is open for writing only.
 * - Blocks are asked for all at once when it is known how many bytes come, else AHEAD_BYTES
 *   at a time, where that is a gain: not on tmpfs.
 *
 * The size of the file is left alone (FALLOC_FL_KEEP_SIZE): blocks without content lie
 * behind its end, and ftruncate(2) frees them.
 *
 * The offset of the descriptor, which may be shared with other programs, steps over the
 * expected bytes at once, so that what these write comes behind them.
 *
 * Invariant: in the end bytes [0, end) of the output were each put once.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "io/place.h"

enum {
	AHEAD_BYTES = 64 << 20,	/* as fast as all at once, on ext4 and xfs */
	AHEAD_FROM  = 1 << 20,	/* at 1 to 2 MiB no difference, from 4 on 10 % (cut files, 2 cores) */
};

/* ---- places that a signal takes back --------------------------------------------- */

enum { LISTED_MOST = 16 };	/* jobs at once; more are not cleaned up after by signals */

static _Atomic(struct gs_place *) listed[LISTED_MOST];

static void
swap_listed(struct gs_place *from, struct gs_place *to)
{
	for (unsigned l = 0; l < LISTED_MOST; l++) {
		struct gs_place *expected = from;

		if (atomic_compare_exchange_strong(&listed[l], &expected, to))
			return;
	}
}

/*
 * Only what was placed.  Of a stream the room ahead stays, up to 64 MiB behind the end of the
 * file: its writer may be at work, and what he writes while we cut would leave a hole.
 */
void
gs_place_abandon(void)
{
	for (unsigned l = 0; l < LISTED_MOST; l++) {
		struct gs_place *place = atomic_load(&listed[l]);

		if (place != NULL && place->expects)
			gs_place_drop(place);
	}
}

void
gs_place_open(struct gs_place *place, int fd, const char *name)
{
	const int flags = fcntl(fd, F_GETFL);
	struct stat st;
	off_t begin;

	*place = (struct gs_place){ .fd = fd, .name = name };
	if (flags < 0 || (flags & O_APPEND) || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ||
	    (begin = lseek(fd, 0, SEEK_CUR)) < 0)
		return;
	place->possible = true;
	place->begin = (uint64_t)begin;
	swap_listed(NULL, place);
}

/* ---- room ---------------------------------------------------------------------- */

/*
 * Where fallocate(2) was measured.  Elsewhere it may be slow, or a promise that is not
 * kept, or turn compression off.  A limit on the file's size is for write(2) to find: on
 * tmpfs fallocate(2) would be killed for room that is not needed.
 */
static bool
takes_room(int fd, bool ahead)
{
	struct statfs fs;
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY ||
	    fstatfs(fd, &fs) != 0)
		return false;
	return fs.f_type == EXT4_SUPER_MAGIC || fs.f_type == XFS_SUPER_MAGIC ||
	       fs.f_type == OVERLAYFS_SUPER_MAGIC || (fs.f_type == TMPFS_MAGIC && !ahead);
}

/* 0, or -1 and errno. */
static int
make_room(struct gs_place *place, uint64_t at, uint64_t bytes)
{
	int result;

	do
		result = fallocate(place->fd, FALLOC_FL_KEEP_SIZE, (off_t)(place->begin + at),
		                   (off_t)bytes);
	while (result != 0 && errno == EINTR);
	place->room = at + bytes;	/* also if it failed: some of it may be there */
	return result;
}

void
gs_place_ahead(struct gs_place *place, uint64_t at, size_t bytes)
{
	const uint64_t end = at + bytes;

	if (place->has_room || end <= place->room || end < AHEAD_FROM)
		return;
	if ((place->room == 0 && !takes_room(place->fd, true)) ||
	    make_room(place, at, bytes > AHEAD_BYTES ? bytes : AHEAD_BYTES) != 0)
		place->has_room = true;		/* is there room for the bytes alone?  write(2) knows */
}

/* Free the blocks behind the end of the file. */
static int
drop_room(struct gs_place *place)
{
	struct stat st;

	if (place->room == 0)
		return 0;
	if (fstat(place->fd, &st) != 0)
		return -1;
	if ((uint64_t)st.st_size >= place->begin + place->room)
		return 0;
	place->room = 0;
	return ftruncate(place->fd, st.st_size);
}

/* ---- placing ------------------------------------------------------------------- */

gs_status
gs_place_expect(struct gs_place *place, uint64_t written, uint64_t bytes)
{
	struct stat st;
	off_t now;

	assert(place->possible && !place->expects && written <= bytes);
	/* Somebody else may have moved the descriptor meanwhile: we go on from there. */
	if (fstat(place->fd, &st) != 0 ||
	    (now = lseek(place->fd, (off_t)(bytes - written), SEEK_CUR)) < 0)
		return gs_fail_errno(GS_EIO, "write failed: %s", place->name);
	place->begin = (uint64_t)now - bytes;
	place->size = (uint64_t)st.st_size;
	place->end = written;
	place->kept = written;
	place->expected = bytes;
	place->expects = place->has_room = true;
	if (bytes - written < AHEAD_FROM || !takes_room(place->fd, false) ||
	    make_room(place, written, bytes - written) == 0 ||
	    (errno != ENOSPC && errno != EDQUOT && errno != EFBIG && errno != EIO))
		return GS_OK;
	return gs_fail_errno(GS_EIO, "write failed: %s", place->name);
}

/* The first trouble is everybody's. */
static gs_status
fail(struct gs_place *place, int error)
{
	int first = 0;

	if (atomic_compare_exchange_strong(&place->error, &first, error))
		first = error;
	errno = first;
	return gs_fail_errno(GS_EIO, "write failed: %s", place->name);
}

gs_status
gs_place_put(struct gs_place *place, uint64_t at, const void *data, size_t bytes)
{
	const char *from = data;
	uint64_t end = atomic_load(&place->end);

	assert(place->expects || bytes == 0);
	atomic_fetch_add(&place->put, bytes);
	if (atomic_load(&place->error) != 0)
		return fail(place, 0);
	while (end < at + bytes &&
	       !atomic_compare_exchange_weak(&place->end, &end, at + bytes))
		;
	while (bytes > 0) {
		const ssize_t done = pwrite(place->fd, from, bytes, (off_t)(place->begin + at));

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return fail(place, errno);
		from += done;
		at += (uint64_t)done;
		bytes -= (size_t)done;
	}
	return GS_OK;
}

/* ---- the end ------------------------------------------------------------------- */

/* Nobody has moved the descriptor since gs_place_expect() did. */
static bool
is_alone(const struct gs_place *place)
{
	return place->expects &&
	       lseek(place->fd, 0, SEEK_CUR) == (off_t)(place->begin + place->expected);
}

gs_status
gs_place_finish(struct gs_place *place)
{
	assert(!place->expects || place->kept + place->put == place->end);
	if (place->end != place->expected && is_alone(place) &&
	    lseek(place->fd, (off_t)(place->begin + place->end), SEEK_SET) < 0)
		return gs_fail_errno(GS_EIO, "write failed: %s", place->name);
	if (drop_room(place) != 0)
		return gs_fail_errno(GS_EIO, "truncate failed: %s", place->name);
	place->expects = false;		/* nothing to drop */
	swap_listed(place, NULL);
	return GS_OK;
}

/*
 * Holes would look like data.  So the file gets back the length that it had: where placing
 * began, unless there was something behind that, which then is partly overwritten.
 */
void
gs_place_drop(struct gs_place *place)
{
	atomic_store(&place->error, ECANCELED);		/* those at work begin no other piece */
	if (is_alone(place)) {
		(void)lseek(place->fd, (off_t)(place->begin + place->kept), SEEK_SET);
		if (ftruncate(place->fd, (off_t)place->size) == 0)
			place->room = 0;
	}
	(void)drop_room(place);
	swap_listed(place, NULL);
}
