// SPDX-License-Identifier: BSD-2-Clause
/*
 * select.h - which of the sorted keys go out
 *
 * Works on spans in place, and remembers the last key across them.
 */
#ifndef GS_SELECT_H
#define GS_SELECT_H

#include <stdbool.h>
#include <stdint.h>

#include "sort/tile.h"

struct gs_select {
	bool      any;		/* there was a key before */
	unsigned  stream;	/* its stream */
	uint64_t  last;		/* and the key */
};

/** Keep the first of equal keys; SPAN's count goes down. */
void gs_select_unique(struct gs_select *select, struct gs_span *span);

#endif
