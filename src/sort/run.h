// SPDX-License-Identifier: BSD-2-Clause
/* run.h - a sorted batch set aside: keys of one stream, borrowed from the store */
#ifndef GS_RUN_H
#define GS_RUN_H

#include <stddef.h>

struct gs_run {
	const void *keys;	/* ascending */
	size_t      count;
};

#endif
