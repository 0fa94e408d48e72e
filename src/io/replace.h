// SPDX-License-Identifier: BSD-2-Clause
/*
 * replace.h - a new file that takes an old one's place in one step
 *
 * Until gs_replace_finish(), nobody sees it, and the old file is as it was.
 */
#ifndef GS_REPLACE_H
#define GS_REPLACE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

struct gs_replace {
	int  fd;			/* the new file, for writing */
	bool existed;			/* there is an old one */
	char target[PATH_MAX];		/* the old one's real name, links followed */
	char hidden[PATH_MAX];		/* "", or the new one's name for now */
};

/** Find out where NAME leads; it need not exist.  False, and errno: nowhere. */
bool gs_replace_aim(struct gs_replace *new, const char *name);

/** May the target, which is OLD, be replaced by another file? */
bool gs_replace_allows(const struct gs_replace *new, const struct stat *old);

/**
 * Make the new file.
 *
 * @old_fd  the old one: its mode, owner and attributes are the new one's, too;
 *          -1: there is none
 * @return  0, or -1 and errno; EPERM also: its owner is another, and stays it
 */
int gs_replace_open(struct gs_replace *new, int old_fd);

/**
 * Give the new file its name.  Signals wait meanwhile.  FD stays open.
 *
 * @return  0; or -1 and errno: the target is as it was
 */
int gs_replace_finish(struct gs_replace *new);

/** Take back a name that is not the target's.  A zeroed struct is allowed. */
void gs_replace_drop(struct gs_replace *new);

/** Take back all such names, from a handler of a signal that ends the process. */
void gs_replace_abandon(void);

#endif
