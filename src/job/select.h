// SPDX-License-Identifier: BSD-2-Clause
/*
 * select.h - which of the sorted keys go out
 *
 * Works on spans in place, and remembers the last group of equal keys across them:
 * how often a key came is known only when another one follows, or its stream ends.
 */
#ifndef GS_SELECT_H
#define GS_SELECT_H

#include <stdbool.h>
#include <stdint.h>

#include "gsort.h"
#include "sort/tile.h"

struct gs_select {
	bool      unique, counts, repeated, singletons, head;
	uint64_t  left;		/* head: so many may still go out */
	uint64_t *times;	/* counts: how often each key of the last span came */

	bool      any;		/* there was a key before */
	unsigned  stream;	/* its stream */
	unsigned  key_bits;
	uint64_t  last;		/* and the key */
	uint64_t  last_times;	/* how often, so far */
};

/** Begin, with room for the counts of SPAN_KEYS keys in TIMES, if counts are wanted. */
void gs_select_open(struct gs_select *select, const struct gsort_options *options,
                    uint64_t *times);

/** Does every key go out as it is? */
bool gs_select_takes_all(const struct gs_select *select);

/** Keep what goes out of SPAN, in place; its count goes down, keys may move. */
void gs_select_span(struct gs_select *select, struct gs_span *span);

/** The stream ends: SPAN is set to the last group if it goes out, else to count 0. */
void gs_select_end(struct gs_select *select, struct gs_span *span);

/** Has the head gone out?  Then nothing more will. */
bool gs_select_ends(const struct gs_select *select);

#endif
