// SPDX-License-Identifier: BSD-2-Clause
/*
 * memory.h - memory of a call on arrays
 *
 * The memory of one call at a time is kept for the next one, up to 64 MiB: a call on 2^22 u32 would spend a
 * fifth of its time on pages that the system clears.  Calls beside it map memory of their own.
 */
#ifndef GS_ARRAY_MEMORY_H
#define GS_ARRAY_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/status.h"

/* Zeroed before it is got. */
struct gs_array_memory {
	char *at;
	bool  zeroed;		/* all of it */

	/* private */
	void *taken;		/* from malloc() */
	bool  keeps;
	struct gs_arena arena;
};

/** Get BYTES; GS_EBUDGET: there is not so much. */
MUST_CHECK gs_status gs_array_memory_get(struct gs_array_memory *memory, size_t bytes);

/** Of a memory that was not got, nothing. */
void gs_array_memory_give(struct gs_array_memory *memory);

#endif
