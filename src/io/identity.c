// SPDX-License-Identifier: BSD-2-Clause
/* identity.c - which file a name or a descriptor is, whatever the name */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/open.h"

enum { LINKS_MOST = 40 };	/* symbolic links in a row, as in the kernel */

bool
gs_follow_links(const char *name, char target[PATH_MAX])
{
	char link[PATH_MAX];

	errno = name[0] == '\0' ? ENOENT : ENAMETOOLONG;
	if (name[0] == '\0' || strlen(name) >= PATH_MAX)
		return false;
	strcpy(target, name);
	for (unsigned links = 0; links < LINKS_MOST; links++) {
		const ssize_t bytes = readlink(target, link, sizeof link - 1);
		const char *slash = strrchr(target, '/');
		size_t kept = 0;	/* all but the last part of TARGET, unless LINK is absolute */

		if (bytes < 0)
			return errno == EINVAL || errno == ENOENT;	/* no link, or no file */
		link[bytes] = '\0';
		if (link[0] != '/' && slash != NULL)
			kept = (size_t)(slash + 1 - target);
		if (kept + (size_t)bytes >= PATH_MAX) {
			errno = ENAMETOOLONG;
			return false;
		}
		strcpy(target + kept, link);
	}
	errno = ELOOP;
	return false;
}

void
gs_folder_of(const char *target, char folder[PATH_MAX])
{
	const char *slash = strrchr(target, '/');

	if (slash == NULL)
		strcpy(folder, ".");
	else
		snprintf(folder, PATH_MAX, "%.*s", (int)(slash + 1 - target), target);
}

struct gs_identity
gs_identity_of(const char *name, int fd)
{
	struct gs_identity file = { .known = false };
	char target[PATH_MAX], folder[PATH_MAX];
	struct stat st;

	if ((name != NULL ? stat(name, &st) : fstat(fd, &st)) == 0) {
		file.known = S_ISREG(st.st_mode) || S_ISBLK(st.st_mode);
	} else if (name != NULL && errno == ENOENT && gs_follow_links(name, target)) {
		const char *slash = strrchr(target, '/'), *last = slash != NULL ? slash + 1 : target;

		gs_folder_of(target, folder);
		file.known = strlen(last) <= NAME_MAX && stat(folder, &st) == 0;
		if (file.known)
			strcpy(file.last, last);
	}
	if (file.known) {
		file.device = st.st_dev;
		file.inode = st.st_ino;
	}
	return file;
}

bool
gs_identity_same(const struct gs_identity *a, const struct gs_identity *b)
{
	return a->known && b->known && a->device == b->device && a->inode == b->inode &&
	       strcmp(a->last, b->last) == 0;
}
