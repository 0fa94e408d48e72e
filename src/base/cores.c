// SPDX-License-Identifier: BSD-2-Clause
/* cores.c - sched_getaffinity(2) of Linux; elsewhere all processors that are online */
#include <string.h>
#include <unistd.h>

#include "base/team.h"

#if defined __linux__ && !defined GS_PORTABLE
#include <sched.h>

_Static_assert(sizeof(cpu_set_t) == GS_CORES_BYTES, "a set has room for all processors of glibc's");

unsigned
gs_cores_count(void)
{
	cpu_set_t few;

	if (sched_getaffinity(0, sizeof few, &few) == 0)
		return (unsigned)CPU_COUNT(&few);
	return (unsigned)sysconf(_SC_NPROCESSORS_ONLN);		/* more than 1,024 */
}

void
gs_cores_set(unsigned char set[GS_CORES_BYTES])
{
	cpu_set_t few;

	memset(&few, 0, sizeof few);
	(void)sched_getaffinity(0, sizeof few, &few);
	memcpy(set, &few, sizeof few);
}

#else

unsigned
gs_cores_count(void)
{
	const long online = sysconf(_SC_NPROCESSORS_ONLN);

	return online > 0 ? (unsigned)online : 1;
}

void
gs_cores_set(unsigned char set[GS_CORES_BYTES])
{
	memset(set, 0, GS_CORES_BYTES);
}
#endif
