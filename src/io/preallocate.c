// SPDX-License-Identifier: BSD-2-Clause
/*
 * preallocate.c - blocks of a regular file, allocated before its bytes come
 *
 * In:   how much is about to be written.
 * Out:  a file that has blocks for it, and in the end no others.
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
 * - One thread writes, in a row.  pwrite(2) by many is no faster, as the inode is locked
 *   while bytes are copied.
 * - Mappings win on tmpfs with four threads or more, and nowhere else.  Not worth their
 *   SIGBUS; and `> file` could not be mapped: it is open for writing only.
 * - Blocks are asked for AHEAD_BYTES at a time, where that is a gain: not on tmpfs.
 *
 * The size of the file is left alone (FALLOC_FL_KEEP_SIZE): blocks without content lie
 * behind its end, and ftruncate(2) frees them.  A signal that kills leaves them there, up to
 * 64 MiB: the writer may be at work, and what he writes while we cut would leave a hole.
 *
 * Invariant: once cut, the file has no block of ours behind its last byte.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "io/preallocate.h"

enum {
	AHEAD_BYTES = 64 << 20,	/* as fast as all at once, on ext4 and xfs */
	AHEAD_FROM  = 1 << 20,	/* at 1 to 2 MiB no difference, from 4 on 10 % (cut files, 2 cores) */
};

void
gs_preallocate_open(struct gs_preallocation *room, int fd)
{
	const int flags = fcntl(fd, F_GETFL);
	struct stat st;
	off_t at;

	*room = (struct gs_preallocation){ .fd = fd };
	if (flags < 0 || (flags & O_APPEND) || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ||
	    (at = lseek(fd, 0, SEEK_CUR)) < 0)
		return;
	room->wanted = true;
	room->at = (uint64_t)at;
}

/*
 * Where fallocate(2) was measured.  Elsewhere it may be slow, or a promise that is not
 * kept, or turn compression off.  A limit on the file's size is for write(2) to find: we
 * would be killed for room that is not needed.
 */
static bool
pays(int fd)
{
	struct statfs fs;
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY ||
	    fstatfs(fd, &fs) != 0)
		return false;
	return fs.f_type == EXT4_SUPER_MAGIC || fs.f_type == XFS_SUPER_MAGIC ||
	       fs.f_type == OVERLAYFS_SUPER_MAGIC;
}

/* If it fails, is there room for the bytes alone?  write(2) knows. */
static bool
allocate(struct gs_preallocation *room, uint64_t bytes)
{
	int result;

	do
		result = fallocate(room->fd, FALLOC_FL_KEEP_SIZE, (off_t)room->at, (off_t)bytes);
	while (result != 0 && errno == EINTR);
	room->end = room->at + bytes;	/* also if it failed: some of it may be there */
	return result == 0;
}

void
gs_preallocate_ahead(struct gs_preallocation *room, size_t bytes)
{
	const uint64_t end = room->at + bytes;

	room->passed += bytes;
	if (room->wanted && end > room->end && room->passed >= AHEAD_FROM)
		room->wanted = (room->end > 0 || pays(room->fd)) &&
		               allocate(room, bytes > AHEAD_BYTES ? bytes : AHEAD_BYTES);
	room->at = end;
}

int
gs_preallocate_cut(struct gs_preallocation *room)
{
	struct stat st;

	if (room->end == 0)
		return 0;
	if (fstat(room->fd, &st) != 0)
		return -1;
	if ((uint64_t)st.st_size < room->end && ftruncate(room->fd, st.st_size) != 0)
		return -1;
	*room = (struct gs_preallocation){ .fd = room->fd };
	return 0;
}
