// SPDX-License-Identifier: BSD-2-Clause
/*
 * bars.h - how many keys lie in each of N intervals of equal width
 *
 * The intervals cover the least to the greatest finite number.  Integers: a bar has the numbers
 * FROM .. TO, and widths differ by 1 at most.  Floats: a bar has FROM <= x < TO, the last one its TO,
 * too; infinities and NaNs have bars of their own.  There are fewer bars than asked for if the range
 * has fewer numbers, or if edges of floats are equal once they are rounded.
 *
 * Invariant: edges ascend.
 *
 * Keys are sorted, so a bar is two ranks: those of the first key at or behind its edges.
 */
#ifndef GS_STAGES_BARS_H
#define GS_STAGES_BARS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "gsort.h"
#include "stages/store.h"
#include "stages/top.h"

struct gs_bar {
	__int128 from, to;		/* integers */
	double   float_from, float_to;
	struct gs_value edge;		/* the least key that it may have */
	uint64_t rank;			/* of the first key at EDGE or behind it */
	uint64_t keys;			/* set by gs_bars_end() */
};

struct gs_bars {
	bool   floats;
	struct gs_bar *bars;		/* ascending; NULL: none are wanted */
	size_t count, next;		/* edges before NEXT have been passed */
};

enum { GS_BARS_MOST = 1 << 20 };

/** The memory that they take. */
uint64_t gs_bars_bytes(const struct gsort_options *options);

/** Compute the edges, from the keys that STORE has.  GS_EBUDGET: no memory. */
MUST_CHECK gs_status
gs_bars_open(struct gs_bars *bars, const struct gsort_options *options, struct gs_store *store);

/** The next span of keys, which begins at RANK. */
void gs_bars_take(struct gs_bars *bars, const struct gs_span *span, uint64_t rank);

/** All KEYS have been taken. */
void gs_bars_end(struct gs_bars *bars, uint64_t keys);

/** A zeroed struct is allowed. */
void gs_bars_close(struct gs_bars *bars);

#endif
