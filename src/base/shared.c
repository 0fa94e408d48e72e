// SPDX-License-Identifier: BSD-2-Clause
/*
 * shared.c - memfd_create(2) of Linux, mapped by others through /proc; elsewhere memory of one process
 *
 * The last 8 bytes are a mark.  Who maps the file looks for it: in another namespace the process's number
 * belongs to another process.
 */
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/round.h"
#include "base/shared.h"
#include "base/splitmix.h"

static uint64_t *
mark_of(const struct gs_shared *shared)
{
	return (uint64_t *)(void *)(shared->base + shared->bytes - sizeof(uint64_t));
}

static bool
map(struct gs_shared *shared, int flags)
{
	void *base = mmap(NULL, shared->bytes, PROT_READ | PROT_WRITE, flags, shared->fd, 0);

	shared->base = base == MAP_FAILED ? NULL : base;
	return shared->base != NULL;
}

#if defined __linux__ && !defined GS_PORTABLE
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#define NAME	"gsort"		/* the kernel shows it */

static int
open_file(const struct gs_shared_offer *offer)
{
	static const char memory[] = "/memfd:" NAME;
	char name[64], target[sizeof memory];
	struct stat st;
	int fd;

	snprintf(name, sizeof name, "/proc/%llu/fd/%lld", (unsigned long long)offer->pid,
	         (long long)offer->fd);
	/* In another namespace it may be anything: a device is not even opened. */
	if (readlink(name, target, sizeof target) < (ssize_t)sizeof memory - 1 ||
	    memcmp(target, memory, sizeof memory - 1) != 0)
		return -1;
	fd = open(name, O_RDWR | O_CLOEXEC);
	if (fd >= 0 && (fstat(fd, &st) != 0 || (uint64_t)st.st_size != offer->bytes)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

#else
#define memfd_create(name, flags)	(-1)
#define open_file(offer)	(-1)
#endif

bool
gs_shared_make(struct gs_shared *shared, size_t bytes, struct gs_shared_offer *offer)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	shared->bytes = gs_round_up(bytes + sizeof(uint64_t), 4096);
	shared->fd = memfd_create(NAME, MFD_CLOEXEC);
	if (shared->fd < 0 || ftruncate(shared->fd, (off_t)shared->bytes) != 0 || !map(shared, MAP_SHARED)) {
		gs_shared_close(shared);
		shared->bytes = bytes + sizeof(uint64_t);
		if (!map(shared, MAP_PRIVATE | MAP_ANONYMOUS))
			return false;
	}
	*offer = (struct gs_shared_offer){
		.pid = (uint64_t)getpid(), .bytes = shared->bytes, .fd = shared->fd,
		.mark = gs_splitmix((uint64_t)now.tv_nsec ^ (uint64_t)(uintptr_t)shared->base),
	};
	if (shared->fd >= 0)
		*mark_of(shared) = offer->mark;
	return true;
}

bool
gs_shared_map(struct gs_shared *shared, const struct gs_shared_offer *offer)
{
	shared->bytes = offer->bytes;
	shared->fd = offer->fd < 0 ? -1 : open_file(offer);
	if (shared->fd < 0 || !map(shared, MAP_SHARED) || *mark_of(shared) != offer->mark) {
		gs_shared_close(shared);
		return false;
	}
	close(shared->fd);
	shared->fd = -1;
	return true;
}

void
gs_shared_close(struct gs_shared *shared)
{
	if (shared->base != NULL)
		munmap(shared->base, shared->bytes);
	if (shared->bytes > 0 && shared->fd >= 0)
		close(shared->fd);
	*shared = (struct gs_shared){ .base = NULL, .fd = -1 };
}
