// SPDX-License-Identifier: BSD-2-Clause
/* program_name.h - what this program was called as */
#ifndef GS_PROGRAM_NAME_H
#define GS_PROGRAM_NAME_H

#include <errno.h>
#include <stdlib.h>

/** The last part of argv[0]. */
static inline const char *
gs_program_name(void)
{
#ifdef __linux__
	return program_invocation_short_name;
#else
	return getprogname();
#endif
}

#endif
