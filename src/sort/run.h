// SPDX-License-Identifier: BSD-2-Clause
/*
 * run.h - a run: sorted keys of one key class, in memory or on disk
 */
#ifndef GS_RUN_H
#define GS_RUN_H

#include <stddef.h>

struct gs_extent;	/* where on disk: spill.c */

struct gs_run {
	const void       *keys;		/* ascending; borrowed; NULL: on disk */
	size_t            count;
	struct gs_extent *extent;	/* owned by the spill; NULL: in memory */
};

#endif
