// SPDX-License-Identifier: BSD-2-Clause
/*
 * preallocate.c - allocate the blocks of a regular file before its bytes
 *
 * In:   how much is about to be written.
 * Out:  a file that has blocks for it, and in the end no others.
 *
 * Writing a file is fast if its blocks have been allocated before (fallocate(2)); more threads
 * do not make it faster.  1 GiB from the cache in GB/s, by `gsort-bench-output`, on 16 Xeon cores
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
 * (A "file that is cut" existed and is truncated.  When such a file is closed, and when a file
 * is renamed over another, ext4 and xfs write to the disk before the call returns, unless all
 * blocks have been allocated.)  So:
 *
 * - One thread writes, in order.  pwrite(2) by many threads is no faster, as the inode is locked
 *   while bytes are copied.
 * - Mappings win on tmpfs with four threads or more, and nowhere else.  That is not worth their
 *   SIGBUS; and `> file` could not be mapped, as it is open for writing only.
 * - Blocks are allocated AHEAD_BYTES at a time, on file systems where that is faster: not tmpfs.
 *
 * The size of the file does not change (FALLOC_FL_KEEP_SIZE): empty blocks lie after its end,
 * and ftruncate(2) frees them.  A signal that kills the process leaves them there, up to 64 MiB:
 * the handler must not cut the file, as the writer may still write, and leave a hole.
 *
 * Invariant: once cut, the file has no block allocated here after its last byte.
 */
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/filesystem.h"
#include "io/replace.h"

enum {
	AHEAD_BYTES = 64 << 20,	/* as fast as all at once, on ext4 and xfs */
	AHEAD_LEAST = 4 << 20,	/* of one of many files; not tuned */
	AHEAD_FROM  = 1 << 20,	/* at 1 to 2 MiB no difference, from 4 on 10 % (cut files, 2 cores) */
};

void
gs_preallocate_open(struct gs_preallocation *blocks, int fd, unsigned files)
{
	const int flags = fcntl(fd, F_GETFL);
	struct stat st;
	off_t at;

	*blocks = (struct gs_preallocation){ .fd = fd };
	if (flags < 0 || (flags & O_APPEND) || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ||
	    (at = lseek(fd, 0, SEEK_CUR)) < 0)
		return;
	blocks->wanted = true;
	blocks->at = (uint64_t)at;
	blocks->ahead_bytes = files > 1 ? AHEAD_BYTES / files : AHEAD_BYTES;
	if (blocks->ahead_bytes < AHEAD_LEAST)
		blocks->ahead_bytes = AHEAD_LEAST;
}

/* Not with a limit on the file's size: it would kill the process for blocks that are not needed. */
static bool
pays(int fd)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY &&
	       gs_filesystem_preallocates(fd);
}

/* If it fails, there may still be space for the bytes alone: write(2) will see. */
static bool
allocate(struct gs_preallocation *blocks, uint64_t bytes)
{
	const int result = gs_blocks_allocate(blocks->fd, blocks->at, bytes);

	blocks->end = blocks->at + bytes;	/* also if it failed: some blocks may be there */
	return result == 0;
}

void
gs_preallocate_ahead(struct gs_preallocation *blocks, size_t bytes)
{
	const uint64_t end = blocks->at + bytes;

	blocks->written += bytes;
	if (blocks->wanted && end > blocks->end && blocks->written >= AHEAD_FROM)
		blocks->wanted = (blocks->end > 0 || pays(blocks->fd)) &&
		               allocate(blocks, bytes > blocks->ahead_bytes ? bytes
		                                                            : blocks->ahead_bytes);
	blocks->at = end;
}

void
gs_preallocate_all(struct gs_preallocation *blocks, uint64_t bytes)
{
	if (blocks->wanted && bytes >= AHEAD_FROM && pays(blocks->fd))
		(void)allocate(blocks, bytes);
	blocks->wanted = false;
}

int
gs_preallocate_cut(struct gs_preallocation *blocks)
{
	struct stat st;

	if (blocks->end == 0)
		return 0;
	if (fstat(blocks->fd, &st) != 0)
		return -1;
	if ((uint64_t)st.st_size < blocks->end && ftruncate(blocks->fd, st.st_size) != 0)
		return -1;
	*blocks = (struct gs_preallocation){ .fd = blocks->fd };
	return 0;
}
