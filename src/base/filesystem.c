// SPDX-License-Identifier: BSD-2-Clause
/* filesystem.c - statfs(2), fallocate(2), O_TMPFILE, statx(2) and extended attributes of Linux */
#include <errno.h>

#include "base/filesystem.h"

#if defined __linux__ && !defined GS_PORTABLE
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

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
gs_filesystem_is_memory(const char *dir)
{
	struct statfs fs;

	return statfs(dir, &fs) == 0 && (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC);
}

bool
gs_filesystem_preallocates(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && (fs.f_type == EXT4_SUPER_MAGIC ||
	       fs.f_type == XFS_SUPER_MAGIC || fs.f_type == OVERLAYFS_SUPER_MAGIC);
}

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
	return O_TMPFILE;
}

bool
gs_nameless_links(void)
{
	return access("/proc/self/fd", X_OK) == 0;
}

int
gs_nameless_link(int fd, const char *name)
{
	char self[64];

	snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

bool
gs_path_is_mount(const char *path)
{
	struct statx stx;

	return statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, 0, &stx) == 0 &&
	       (stx.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

void
gs_attributes_copy(int from, int to)
{
	char names[4096], value[4096];
	const ssize_t bytes = flistxattr(from, names, sizeof names);

	for (const char *name = names; name < names + bytes; name += strlen(name) + 1) {
		const ssize_t got = fgetxattr(from, name, value, sizeof value);

		if (got >= 0)
			(void)fsetxattr(to, name, value, (size_t)got, 0);
	}
}

#else

const char *
gs_filesystem_name(const char *dir)
{
	(void)dir;
	return "unknown file system";
}

bool
gs_filesystem_is_memory(const char *dir)
{
	(void)dir;
	return false;
}

bool
gs_filesystem_preallocates(int fd)
{
	(void)fd;
	return false;
}

int
gs_blocks_allocate(int fd, uint64_t at, uint64_t bytes)
{
	(void)fd, (void)at, (void)bytes;
	errno = EOPNOTSUPP;
	return -1;
}

void
gs_blocks_free(int fd, uint64_t from, uint64_t to)
{
	(void)fd, (void)from, (void)to;
}

int
gs_nameless_flag(void)
{
	return 0;
}

bool
gs_nameless_links(void)
{
	return false;
}

int
gs_nameless_link(int fd, const char *name)
{
	(void)fd, (void)name;
	errno = EOPNOTSUPP;
	return -1;
}

bool
gs_path_is_mount(const char *path)
{
	(void)path;
	return false;
}

void
gs_attributes_copy(int from, int to)
{
	(void)from, (void)to;
}
#endif
