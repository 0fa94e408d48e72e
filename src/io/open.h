// SPDX-License-Identifier: BSD-2-Clause
/*
 * open.h - files by name or descriptor: reading them, with an error message; whether two names are one file
 */
#ifndef GS_OPEN_H
#define GS_OPEN_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/status.h"

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
 * read(2), or the function in its place.  Waits for bytes, or for STOP.
 *
 * @return  bytes; 0: the end; -1 and errno; GS_READ_STOPPED
 */
ssize_t gs_read(const struct gs_reader *reader, void *into, size_t bytes);

/** Open NAME to read it.  GS_EIO. */
MUST_CHECK gs_status gs_open_to_read(const char *name, int *fd);

/** gs_read_at() of the file NAME; *GOT: how many of BYTES were read.  GS_EIO. */
MUST_CHECK gs_status gs_read_file(const char *name, int fd, void *into, size_t bytes, uint64_t offset,
                                  size_t *got);

/**
 * Is FD open for MODE, O_RDONLY or O_WRONLY?  If not, errno is EBADF, which the first read(2)
 * or write(2) would otherwise find out, perhaps after an hour.
 */
bool gs_allows(int fd, int mode);

/* ---- which file a name or a descriptor is, whatever the name (identity.c) --------- */

/*
 * A file is its device and inode: hard links, symbolic links, ./NAME, /dev/stdout and /proc/self/fd/1
 * are one.  A file that does not exist yet is its folder and the last part of its name.
 *
 * Only what keeps bytes has an identity: regular files and block devices.  A pipe, a terminal or
 * /dev/null may be read and written under any number of names.
 */

struct gs_identity {
	bool  known;
	dev_t device;
	ino_t inode;
	char  last[NAME_MAX + 1];	/* of its name, in the folder DEVICE, INODE; "": it exists */
};

/** Follow the symbolic links of NAME, which need not exist.  False, with errno set, if that fails. */
bool gs_follow_links(const char *name, char target[PATH_MAX]);

/** The folder of TARGET, as a name. */
void gs_folder_of(const char *target, char folder[PATH_MAX]);

/** Which file is NAME or, with NAME NULL, the file of FD? */
struct gs_identity gs_identity_of(const char *name, int fd);

/** Are both known, and one file? */
bool gs_identity_same(const struct gs_identity *a, const struct gs_identity *b);

#endif
