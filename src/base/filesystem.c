// SPDX-License-Identifier: BSD-2-Clause
/* filesystem.c - statfs(2), fallocate(2), O_TMPFILE, statx(2) and extended attributes of Linux */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/filesystem.h"

#if defined __linux__ && !defined GS_PORTABLE
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>

#define NAMELESS	O_TMPFILE
#ifndef STATX_ATTR_MOUNT_ROOT
#define STATX_ATTR_MOUNT_ROOT	0x2000		/* musl's headers have not heard of it */
#endif

/* ---- kinds ------------------------------------------------------------- */

const char *
gs_filesystem_name(const char *dir)
{
	static const struct {
		unsigned long type;
		const char   *name;
	} known[] = {
		{ EXT4_SUPER_MAGIC, "ext4" }, { XFS_SUPER_MAGIC, "xfs" },
		{ BTRFS_SUPER_MAGIC, "btrfs" }, { TMPFS_MAGIC, "tmpfs: in memory" },
		{ RAMFS_MAGIC, "ramfs: in memory" }, { OVERLAYFS_SUPER_MAGIC, "overlay" },
		{ NFS_SUPER_MAGIC, "nfs" }, { F2FS_SUPER_MAGIC, "f2fs" },
		{ 0x65735546, "fuse" }, { 0x2fc12fc1, "zfs" },
	};
	struct statfs fs;

	if (statfs(dir, &fs) != 0)
		return "unknown file system";
	for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
		if (known[k].type == (unsigned long)fs.f_type)
			return known[k].name;
	return "another file system";
}

bool
gs_filesystem_preallocates(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && (fs.f_type == EXT4_SUPER_MAGIC ||
	       fs.f_type == XFS_SUPER_MAGIC || fs.f_type == OVERLAYFS_SUPER_MAGIC);
}

/* ---- names and extended attributes -------------------------------------- */

bool
gs_path_is_mount(const char *path)
{
	struct statx stx;

	return statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, 0, &stx) == 0 &&
	       (stx.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

enum { MOST = 64 << 10 };	/* bytes of a list or a value: the kernel has none that is longer */

struct attributes {
	char names[MOST], value[MOST], present[MOST];
};

int
gs_attributes_copy(int from, int to)
{
	struct attributes *a = malloc(sizeof *a);
	int result = 0, error;

	if (a == NULL)
		return -1;
	/* remove those of TO that FROM has not, such as an ACL that the folder gave it, and copy FROM's */
	for (int pass = 0; pass < 2 && result == 0; pass++) {
		const ssize_t bytes = flistxattr(pass == 0 ? to : from, a->names, MOST);
		const char *name = a->names;
		ssize_t got;

		if (bytes < 0 && errno != EOPNOTSUPP && errno != ENOSYS)
			result = -1;
		for (; name < a->names + bytes && result == 0; name += strlen(name) + 1)
			if (strcmp(name, "security.capability") == 0 || strcmp(name, "security.ima") == 0 ||
			    strcmp(name, "security.evm") == 0)
				continue;	/* the kernel sets it when the contents are written */
			else if ((got = fgetxattr(from, name, a->value, MOST)) < 0)
				result = errno != ENODATA ? -1 : pass == 0 ? fremovexattr(to, name) : 0;
			/* A label may be the same already, and not everybody may set it. */
			else if (pass == 1 && (fgetxattr(to, name, a->present, MOST) != got ||
			                       memcmp(a->value, a->present, (size_t)got) != 0))
				result = fsetxattr(to, name, a->value, (size_t)got, 0);
	}
	error = errno;
	free(a);
	errno = error;
	return result;
}

#else
#define NAMELESS	0
#define fallocate(fd, mode, at, bytes)	((void)(fd), (void)(at), (void)(bytes), errno = EOPNOTSUPP, -1)

const char *
gs_filesystem_name(const char *dir)
{
	(void)dir;
	return "unknown file system";
}

bool
gs_filesystem_preallocates(int fd)
{
	(void)fd;
	return false;
}

bool
gs_path_is_mount(const char *path)
{
	(void)path;
	return false;
}

int
gs_attributes_copy(int from, int to)
{
	(void)from, (void)to;
	return 0;
}
#endif

/* ---- blocks ------------------------------------------------------------ */

int
gs_blocks_allocate(int fd, uint64_t at, uint64_t bytes)
{
	int result;

	do
		result = fallocate(fd, FALLOC_FL_KEEP_SIZE, (off_t)at, (off_t)bytes);
	while (result != 0 && errno == EINTR);
	return result;
}

void
gs_blocks_free(int fd, uint64_t from, uint64_t to)
{
	(void)fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)(to - from));
}

/* ---- names --------------------------------------------------------------- */

int
gs_nameless_flag(void)
{
	return NAMELESS;
}

int
gs_nameless_link(int fd, const char *name)
{
	char self[64];

	snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}
