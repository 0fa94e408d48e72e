// SPDX-License-Identifier: BSD-2-Clause
/*
 * shared.h - memory that processes of one host share
 *
 * One process makes it; others map it by the number of that process and its file, as /proc has them.
 * It has no name, so nothing stays behind when all of them have ended.
 */
#ifndef GS_SHARED_H
#define GS_SHARED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gs_shared {
	char  *base;		/* NULL: none */
	size_t bytes;
	int    fd;		/* -1: others cannot map it */
};

/* What others need to map it. */
struct gs_shared_offer {
	uint64_t pid, bytes, mark;
	int64_t  fd;		/* -1: they cannot */
};

/** Make BYTES, zeroed.  Where memory cannot be shared, others cannot map it.
 *  @return  false: no memory */
bool gs_shared_make(struct gs_shared *shared, size_t bytes, struct gs_shared_offer *offer);

/** Map what another process offers.  False: it cannot be reached, such as from another container. */
bool gs_shared_map(struct gs_shared *shared, const struct gs_shared_offer *offer);

/** A zeroed struct is allowed. */
void gs_shared_close(struct gs_shared *shared);

#endif
