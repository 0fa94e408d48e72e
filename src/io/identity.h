// SPDX-License-Identifier: BSD-2-Clause
/*
 * identity.h - which file a name or a descriptor is, whatever the name
 *
 * A file is its device and inode: hard links, symbolic links, ./NAME, /dev/stdout and /proc/self/fd/1
 * are one.  A file that does not exist yet is its folder and the last part of its name.
 *
 * Only what keeps bytes has an identity: regular files and block devices.  A pipe, a terminal or
 * /dev/null may be read and written under any number of names.
 */
#ifndef GS_IDENTITY_H
#define GS_IDENTITY_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct gs_identity {
	bool  known;
	dev_t device;
	ino_t inode;
	char  last[NAME_MAX + 1];	/* of its name, in the folder DEVICE, INODE; "": it exists */
};

/** Follow the symbolic links of NAME, which need not exist.  False, and errno: that fails. */
bool gs_follow_links(const char *name, char target[PATH_MAX]);

/** The folder of TARGET, as a name. */
void gs_folder_of(const char *target, char folder[PATH_MAX]);

/** Which file is NAME or, with NAME NULL, the file of FD? */
struct gs_identity gs_identity_of(const char *name, int fd);

/** An order of files that are known, by which one file is next to itself. */
int gs_identity_compare(const struct gs_identity *a, const struct gs_identity *b);

/** Are both known, and one file? */
bool gs_identity_same(const struct gs_identity *a, const struct gs_identity *b);

#endif
