// SPDX-License-Identifier: BSD-2-Clause
/*
 * open.h - system calls on files, with their old traps taken out
 */
#ifndef GS_OPEN_H
#define GS_OPEN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Where bytes are read from. */
struct gs_reader {
	int         fd;
	int         stop;	/* another descriptor: reading ends when it can be read; or -1 */
	ptrdiff_t (*read)(void *context, void *into, size_t bytes);	/* not NULL: no FD, this */
	void       *context;
};

/**
 * open(2) that survives interruption, closes on exec, and never returns 0, 1 or
 * 2: with standard output closed, a file opened next would take its place.
 *
 * @return  the descriptor, or -1 and errno
 */
int gs_open(const char *name, int flags, mode_t mode);

/**
 * read(2) that survives interruption, and waits no longer than until STOP.
 *
 * @return  bytes; 0: the end, or STOP; or -1 and errno
 */
ssize_t gs_read(const struct gs_reader *reader, void *into, size_t bytes);

/**
 * Is FD open for MODE, O_RDONLY or O_WRONLY?  If not, errno is EBADF, as it would
 * be at the first byte: whoever asks need not read for an hour before that.
 */
bool gs_allows(int fd, int mode);

#endif
