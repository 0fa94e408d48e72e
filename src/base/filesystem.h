// SPDX-License-Identifier: BSD-2-Clause
/*
 * filesystem.h - files and pipes: open(2), pread(2) and write(2) without their traps; and what
 * Linux can do beyond POSIX: kinds, blocks, files without a name
 *
 * Elsewhere, and with GS_PORTABLE, each function of the latter says that it is not supported, or knows
 * nothing.
 */
#ifndef GS_FILESYSTEM_H
#define GS_FILESYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** What gsort --version -vv calls the file system of DIR, with "in memory" if its files are there. */
const char *gs_filesystem_name(const char *dir);

/** Is FD's file on a file system on which it was measured that a file is written faster if its blocks
 *  are allocated before?  Elsewhere it may be slow, or without effect, or turn compression off. */
bool gs_filesystem_preallocates(int fd);

/** Allocate blocks for BYTES from AT on; the file keeps its size.  0, or -1 and errno. */
int gs_blocks_allocate(int fd, uint64_t at, uint64_t bytes);

/** Free the blocks of bytes FROM .. TO; if that is not possible, they stay. */
void gs_blocks_free(int fd, uint64_t from, uint64_t to);

/** The flag with which open(2) makes a file without a name in a directory; 0: none is known. */
int gs_nameless_flag(void);

/** Give a file that has no name the name NAME, which must not exist; /proc/self/fd is needed.  0, or -1 and
 *  errno. */
int gs_nameless_link(int fd, const char *name);

/** Is PATH, a file, a mount point, as containers make of files?  Such a file cannot be replaced. */
bool gs_path_is_mount(const char *path);

/** Give file TO exactly the extended attributes and the ACL of file FROM, except the attributes that
 *  the kernel derives from the contents.  0, or -1 and errno.  Not supported: 0. */
int gs_attributes_copy(int from, int to);

/* ---- descriptors (pipe.c) --------------------------------------------------- */

/**
 * open(2), close-on-exec.  Never returns 0, 1 or 2, which a file could take if a standard
 * descriptor was closed.
 *
 * @return  the descriptor, or -1 and errno
 */
int gs_open(const char *name, int flags, mode_t mode);

/**
 * Read all BYTES of a file from OFFSET on.  Any thread.
 *
 * @return  bytes; fewer than BYTES: the file ended, and errno is 0, or reading failed
 */
size_t gs_read_at(int fd, void *into, size_t bytes, uint64_t offset);

/**
 * pwrite(2), or write(2) if AT is negative, of all BYTES.
 *
 * @return  bytes written; if fewer, errno says why
 */
size_t gs_write_all(int fd, const void *from, size_t bytes, int64_t at);

/* ---- pipes (pipe.c) --------------------------------------------------------------- */

/** Make a pipe that never blocks and no program inherits; false: errno says why. */
bool gs_pipe_open(int ends[2]);

/** Make room for 1 MiB in a pipe, which is the most that an ordinary process may have: fewer switches,
 *  4.1 instead of 2.7 GB/s on a server.  May be forbidden, or unknown to the system: then nothing happens. */
void gs_pipe_enlarge(int fd);

/** Give pages to the reader of a pipe, as vmsplice(2): they must never change again.
 *  @return  bytes; -1: the error is in errno, ENOSYS on a system without the call: write(2) them */
ssize_t gs_pipe_give(int fd, char *pages, size_t bytes);

#endif
