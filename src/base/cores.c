// SPDX-License-Identifier: BSD-2-Clause
/* cores.c - processors and stacks as Linux tells them; elsewhere all processors that are online */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/team.h"
#include "base/thread.h"

#if defined __linux__ && !defined GS_PORTABLE
#define LINUX	1
#include <sched.h>
#include <sys/syscall.h>

_Static_assert(sizeof(cpu_set_t) == GS_CORES_BYTES, "a set has room for all processors of glibc's");
#else
#define LINUX	0
#endif

unsigned
gs_cores_count(void)
{
	long online;

#if LINUX
	cpu_set_t few;

	if (sched_getaffinity(0, sizeof few, &few) == 0)	/* else more than 1,024 */
		return (unsigned)CPU_COUNT(&few);
#endif
	online = sysconf(_SC_NPROCESSORS_ONLN);
	return online > 0 ? (unsigned)online : 1;
}

void
gs_cores_set(unsigned char set[GS_CORES_BYTES])
{
	memset(set, 0, GS_CORES_BYTES);
#if LINUX
	(void)sched_getaffinity(0, GS_CORES_BYTES, (cpu_set_t *)(void *)set);
#endif
}

gs_status
gs_thread_check_stack(void)
{
#if LINUX
	enum { LEAST_BYTES = 48 << 10 };	/* 64 KiB, less what the C library takes */
	static _Thread_local bool enough;
	pthread_attr_t attributes;
	size_t bytes = LEAST_BYTES;

	if (enough)
		return GS_OK;
	/* The stack of the first thread grows, and its limit is read from /proc. */
	if (getpid() != syscall(SYS_gettid) && pthread_getattr_np(pthread_self(), &attributes) == 0) {
		(void)pthread_attr_getstacksize(&attributes, &bytes);
		(void)pthread_attr_destroy(&attributes);
	}
	enough = bytes >= LEAST_BYTES;
	if (!enough)
		return gs_fail(GS_EUSAGE, "the stack of this thread has %zu KiB: libgsort needs 64",
		               bytes / 1024);
#endif
	return GS_OK;
}
