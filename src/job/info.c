// SPDX-License-Identifier: BSD-2-Clause
/*
 * info.c - what this machine offers, and what this build contains
 *
 * Behind gsort --info and gsort --version -v.  Only here is a GPU asked for anything but
 * sorting; a machine without one is no trouble.
 */
#include "config.h"

#include <linux/magic.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/limits.h"
#include "io/inflate.h"
#include "job/job.h"

/* --- memory and disks ------------------------------------------------------- */

static void
tell_memory(const struct gs_line_printer *to, const struct gs_limits *limits)
{
	char ram[32], room[32], usual[32];

	gs_print_line(to, "memory", "%s", gs_job_size_text(limits->ram_bytes, ram));
	if (limits->room_bytes < limits->ram_bytes)
		gs_print_line(to, "limit", "control groups and limits of resources leave %s",
		     gs_job_size_text(limits->room_bytes, room));
	gs_print_line(to, "-S", "%s if nothing is said", gs_job_size_text(limits->host_bytes, usual));
}

static const char *
file_system(const char *dir)
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
		return "cannot be asked";
	for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
		if (known[k].type == (unsigned long)fs.f_type)
			return known[k].name;
	return "another file system";
}

static void
tell_dir(const struct gs_line_printer *to, const char *dir)
{
	const uint64_t free_bytes = gs_limits_disk_bytes(dir);
	char size[32];

	if (access(dir, W_OK | X_OK) != 0)
		gs_print_line(to, "temp", "%s: cannot be written to", dir);
	else
		gs_print_line(to, "temp", "%s: %s free, %s", dir, gs_job_size_text(free_bytes, size),
		     file_system(dir));
}

static void
tell_dirs(const struct gs_line_printer *to, const struct gsort_options *options)
{
	const char *usual = getenv("TMPDIR");

	for (size_t d = 0; d < options->temp_dir_count; d++)
		tell_dir(to, options->temp_dirs[d]);
	if (options->temp_dir_count == 0)
		tell_dir(to, usual != NULL && usual[0] != '\0' ? usual : "/tmp");
}

/* --- the public interface ----------------------------------------------------- */

void
gsort_info(const struct gsort_options *options, void (*line)(void *context, const char *line),
           void *context)
{
	const struct gs_line_printer to = { line, context };
	struct gs_limits limits;

	gs_limits_read(&limits, false);
	gs_print_line(&to, "gsort", "%s", PACKAGE_VERSION);
	gs_print_line(&to, "cpu", "%u thread%s, %s", limits.cores, limits.cores == 1 ? "" : "s",
	            gs_simd_name(gs_simd_best()));
	if (gs_backend_gpu == NULL)
		gs_print_line(&to, "gpu", "none: this build has no GPU backend");
	else
		gs_backend_gpu->survey(line, context);
	tell_memory(&to, &limits);
	tell_dirs(&to, options);
}

static char version[512];

static void
make_version(void)
{
	char libraries[128], gpu[256] = "none";

	if (gs_backend_gpu != NULL)
		gs_backend_gpu->build(gpu, sizeof gpu);
	snprintf(version, sizeof version,
	         PACKAGE_VERSION "\nCPU backend: CPU with %s\nGPU backend: %s\nLibraries: %s",
	         gs_simd_name(gs_simd_best()), gpu, gs_inflate_libraries(libraries, sizeof libraries));
}

const char *
gsort_version(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_version);
	return version;
}
