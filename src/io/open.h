// SPDX-License-Identifier: BSD-2-Clause
/*
 * open.h - open(2), read(2) and pread(2) without their traps
 *
 * Interrupted calls are repeated, short reads are completed where that is meant, and no
 * descriptor takes the place of a standard one.
 */
#ifndef GS_OPEN_H
#define GS_OPEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define GS_UNKNOWN	UINT64_MAX	/* a number of bytes that is not known */

/* The bytes of a file from BEGIN to before END. */
struct gs_range {
	uint64_t begin, end;
};

/* Where bytes are read from: a descriptor, or a function in its place. */
struct gs_reader {
	int         fd;
	int         stop;	/* a descriptor that becomes readable when reading shall end; or -1 */
	ptrdiff_t (*read)(void *context, void *into, size_t bytes);	/* NULL: read FD */
	void       *context;
};

enum { GS_READ_STOPPED = -2 };

/**
 * open(2), close-on-exec.  Never returns 0, 1 or 2, which a file could take if a standard
 * descriptor was closed.
 *
 * @return  the descriptor, or -1 and errno
 */
int gs_open(const char *name, int flags, mode_t mode);

/**
 * read(2), or the function in its place.  Waits for bytes, or for STOP.
 *
 * @return  bytes; 0: the end; -1 and errno; GS_READ_STOPPED
 */
ssize_t gs_read(const struct gs_reader *reader, void *into, size_t bytes);

/**
 * Read all BYTES of a file from OFFSET on.  Any thread.
 *
 * @error   set to errno if reading failed
 * @return  bytes; fewer than BYTES: the file ended, or reading failed
 */
size_t gs_read_at(int fd, void *into, size_t bytes, uint64_t offset, int *error);

/**
 * Is FD open for MODE, O_RDONLY or O_WRONLY?  If not, errno is EBADF, which the first read(2)
 * or write(2) would otherwise find out, perhaps after an hour.
 */
bool gs_allows(int fd, int mode);

#endif
