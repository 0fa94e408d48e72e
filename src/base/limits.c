// SPDX-License-Identifier: BSD-2-Clause
/*
 * limits.c - RAM, control groups, rlimits, cores and disks
 *
 * The memory that may be used is the least of physical memory, the room left in each control
 * group that this process is in (v1 and v2, up to the root), RLIMIT_DATA and RLIMIT_AS.
 *
 * The default use follows sort(1): what the kernel could free (MemAvailable), at least an
 * eighth and at most three quarters of physical memory.
 *
 * Cores are limited by affinity, OMP_NUM_THREADS, and the groups' quota of CPU time, rounded
 * up.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/round.h"
#include "base/team.h"

#define UNLIMITED	(UINT64_C(1) << 60)	/* v1 has 2^63 - 4096 for "no limit" */

static FILE *
open_in(const char *dir, const char *name)
{
	char file[4200];

	snprintf(file, sizeof file, "%s/%s", dir, name);
	return fopen(file, "re");
}

/* The number at the start of a line of file NAME of DIR, after LABEL, which may be "". */
static bool
read_number(const char *dir, const char *name, const char *label, uint64_t *number)
{
	const size_t label_bytes = strlen(label);
	bool found = false;
	char line[256];
	FILE *in = open_in(dir, name);

	if (in == NULL)
		return false;
	while (!found && fgets(line, sizeof line, in) != NULL) {
		char *end;

		if (strncmp(line, label, label_bytes) != 0)
			continue;
		*number = strtoull(line + label_bytes, &end, 10);	/* "max" is not a number */
		found = end != line + label_bytes;
	}
	fclose(in);
	return found;
}

/* A group's page cache counts as used, but the kernel drops it when memory is needed. */
static void
lower_to_memory(uint64_t *limit, const char *dir, bool v2)
{
	uint64_t most, used, cache = 0;

	if (!read_number(dir, v2 ? "memory.max" : "memory.limit_in_bytes", "", &most) || most >= UNLIMITED ||
	    !read_number(dir, v2 ? "memory.current" : "memory.usage_in_bytes", "", &used) ||
	    (most > used && most - used >= *limit))
		return;			/* the kernel takes 30 us to write memory.stat */
	(void)read_number(dir, "memory.stat", v2 ? "inactive_file " : "total_inactive_file ", &cache);
	used -= cache < used ? cache : used;
	*limit = gs_least(*limit, most > used ? most - used : 0);
}

/* Microseconds of CPU time, and the period for which they are: v2 has both in cpu.max, as
 * "max 100000" or "150000 100000". */
static void
lower_to_quota(uint64_t *limit, const char *dir, bool v2)
{
	long long quota = -1, period;
	uint64_t number = 0;
	FILE *in = open_in(dir, v2 ? "cpu.max" : "cpu.cfs_quota_us");

	if (in == NULL)
		return;
	if (!v2)
		(void)read_number(dir, "cpu.cfs_period_us", "", &number);
	period = (long long)number;
	/* NOLINTNEXTLINE(cert-err34-c): the kernel writes valid numbers */
	if (fscanf(in, "%lld %lld", &quota, &period) > 0 && quota > 0 && period > 0)
		*limit = gs_least(*limit, (uint64_t)((quota + period - 1) / period));
	fclose(in);
}

/* Is WORD one of the words of LIST, separated by commas? */
static bool
lists(const char *list, const char *word)
{
	const size_t bytes = strlen(word);

	for (; list != NULL; list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL)
		if (strncmp(list, word, bytes) == 0 && (list[bytes] == ',' || list[bytes] == '\0'))
			return true;
	return false;
}

/* Lower LIMIT to what the group at PATH allows, and each above it, up to the root. */
static void
lower_to_group(uint64_t *limit, const char *root, const char *path, bool v2,
               void (*lower_to)(uint64_t *, const char *, bool))
{
	char dir[4200];

	snprintf(dir, sizeof dir, "%s%s", root, path);
	while (strlen(dir) > strlen(root)) {
		lower_to(limit, dir, v2);
		*strrchr(dir, '/') = '\0';
	}
	lower_to(limit, root, v2);
}

static void
lower_to_rlimit(uint64_t *limit, bool data)
{
	uint64_t pages = 0, used;
	struct rlimit most;

	if ((data ? getrlimit(RLIMIT_DATA, &most) : getrlimit(RLIMIT_AS, &most)) != 0 ||
	    most.rlim_cur == RLIM_INFINITY)
		return;
	(void)read_number("/proc/self", "statm", "", &pages);	/* its first field: in use now */
	used = pages * (uint64_t)sysconf(_SC_PAGESIZE);
	*limit = gs_least(*limit, most.rlim_cur > used ? most.rlim_cur - used : 0);
}

void
gs_limits_read(struct gs_limits *limits, bool small)
{
	const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
	uint64_t cores = gs_team_most();	/* as nproc(1): affinity, or OMP_NUM_THREADS */
	uint64_t kib, policy, committed, *const addresses = &limits->address_bytes;
	struct rlimit files;
	char line[4096];
	FILE *in;

	limits->files = 1 << 20;
	if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < limits->files)
		limits->files = (size_t)files.rlim_cur;
	*addresses = UINT64_C(1) << 46;		/* half of x86-64's user addresses */
	lower_to_rlimit(addresses, false);
	lower_to_rlimit(addresses, true);
	/* Under strict overcommit a reservation counts as if it were used. */
	if (read_number("/proc/sys/vm", "overcommit_memory", "", &policy) && policy == 2 &&
	    read_number("/proc", "meminfo", "CommitLimit:", &kib) &&
	    read_number("/proc", "meminfo", "Committed_AS:", &committed))
		*addresses = gs_least(*addresses, kib > committed ? (kib - committed) << 10 : 0);

	/* sysconf(3) fails where /proc and sysinfo(2) are forbidden; then assume 1 GiB. */
	limits->ram_bytes = pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes
	                                                : UINT64_C(1) << 30;
	limits->room_bytes = limits->ram_bytes;
	/* Control groups: lines "ID:CONTROLLERS:PATH"; v2 is "0::PATH".  The kernel takes 10 us to write
	 * them, so they are read once. */
	in = small ? NULL : fopen("/proc/self/cgroup", "re");
	while (in != NULL && fgets(line, sizeof line, in) != NULL) {
		char *controllers = strchr(line, ':');
		char *path = controllers ? strchr(controllers + 1, ':') : NULL;
		bool v2;

		if (path == NULL)
			continue;
		*path++ = '\0';
		path[strcspn(path, "\n")] = '\0';
		v2 = controllers[1] == '\0';
		if (v2 || lists(controllers + 1, "cpu"))
			lower_to_group(&cores, v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu", path, v2,
			               lower_to_quota);
		if (v2 || lists(controllers + 1, "memory"))
			lower_to_group(&limits->room_bytes, v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory",
			               path, v2, lower_to_memory);
	}
	if (in != NULL)
		fclose(in);
	limits->room_bytes = gs_least(limits->room_bytes, *addresses);
	/* A control group is not filled to the last byte: our page cache counts, too, so the kernel would
	 * reclaim pages all the time, or kill a process of the group. */
	limits->host_bytes = limits->room_bytes / 16 * 15;
	if (!small) {
		if (!read_number("/proc", "meminfo", "MemAvailable:", &kib))
			kib = limits->ram_bytes >> 10;
		limits->host_bytes = gs_least(limits->host_bytes, gs_within(limits->ram_bytes / 8, kib << 10,
		                                                            limits->ram_bytes / 4 * 3));
	}
	limits->cores = (unsigned)cores;
}

uint64_t
gs_limits_disk_bytes(const char *dir)
{
	struct statvfs fs;

	return statvfs(dir, &fs) == 0 ? (uint64_t)fs.f_bavail * fs.f_frsize : UINT64_MAX;
}

const char *
gs_temp_dir(void)
{
	const char *dir = getenv("TMPDIR");

	return dir != NULL && *dir != '\0' ? dir : "/tmp";
}
