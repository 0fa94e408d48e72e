// SPDX-License-Identifier: BSD-2-Clause
/*
 * replace.h - a new file that replaces an old one in one step, or many of them together
 *
 * Until gs_replace_finish() the new file is invisible, and the old one is as it was.
 */
#ifndef GS_REPLACE_H
#define GS_REPLACE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct gs_replace {
	int  fd;			/* the new file, for writing */
	bool existed;			/* there is an old file */
	bool differs;			/* the new file could not get the attributes of the old one */
	bool shared;			/* others open it by its temporary name: it has one at once */
	char target[PATH_MAX];		/* the name it will have: gs_follow_links() */
	char hidden[PATH_MAX];		/* its temporary name, or "" */
	char backup[PATH_MAX];		/* another name of the old file, or "" */
};

/**
 * Make the new file.
 *
 * @old_fd  the old file, whose mode, owner, ACL and attributes the new one gets; -1: there is none
 * @return  0, or -1 and errno; EPERM also if the old file belongs to somebody else
 */
int gs_replace_open(struct gs_replace *new, int old_fd);

/**
 * Make a new file that will replace the regular file NAME, unless that would lose something, such
 * as another link, or this user may not.
 *
 * @fd        the old file; the new one, if it REPLACES the old one
 * @replaces  set to false: the old file is to be written in place
 */
MUST_CHECK gs_status gs_replace_existing(struct gs_replace *new, const char *name, int *fd,
                                         bool *replaces);

/**
 * Give the new file its name, with all signals blocked.  FD stays open.
 *
 * @return  0; or -1 and errno: the target is as it was
 */
int gs_replace_finish(struct gs_replace *new);

/**
 * Give COUNT new files their names, with all signals blocked.  Each first gets a temporary name;
 * only when all have one are they renamed, so what can fail has failed before.
 *
 * @failed  set to the first file that failed
 * @return  0; or -1 and errno: the files before *FAILED may have their names, the others do not
 */
int gs_replace_finish_all(struct gs_replace *const new[], size_t count, size_t *failed);

/**
 * Do what can fail before gs_replace_finish() is called: a temporary name for the new file and,
 * where the file system allows that, another name for the old one.
 *
 * @return  0, or -1 and errno
 */
int gs_replace_prepare(struct gs_replace *new);

/**
 * After both: the new file STAYS; or else the old file gets its name again, and if there was none, the new
 * one loses its name.
 *
 * @return  0; or -1 and errno: the new file stays though it should not, and the old one keeps its other
 *          name, if it has one
 */
int gs_replace_settle(struct gs_replace *new, bool stays);

/** Another process has made the file HIDDEN: remove it as if it were this one's, unless it is
 *  forgotten before. */
void gs_replace_adopt(struct gs_replace *new, const char *hidden);
void gs_replace_forget(struct gs_replace *new);

/** Remove temporary names.  A zeroed struct is allowed. */
void gs_replace_drop(struct gs_replace *new);

/** Remove the temporary names of all new files.  Safe in the handler of a signal. */
void gs_replace_abandon(void);

#endif
