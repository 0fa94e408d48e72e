// SPDX-License-Identifier: BSD-2-Clause
/*
 * extremes.h - the least and the greatest key of each class, known before the first is drained
 */
#ifndef GS_STAGES_EXTREMES_H
#define GS_STAGES_EXTREMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/team.h"
#include "gsort.h"
#include "sort/count.h"
#include "sort/span.h"
#include "stages/taker.h"

struct gs_extreme {
	uint64_t least, most;	/* least > most: there is no key */
};

struct gs_extremes {
	bool     on;
	uint64_t low, high;	/* only keys between them matter: finite floats */
	struct gs_extreme of[GS_TEAM_MAX][GS_CLASSES];	/* found by each thread */
};

/** Begin, for the histogram that OPTIONS want; else nothing is ever noted. */
void gs_extremes_open(struct gs_extremes *extremes, const struct gsort_options *options);

/** Note keys of 8 to 64 bits; different workers at once. */
void gs_extremes_note(struct gs_extremes *extremes, unsigned worker, const struct gs_piece *piece);

/** Note the keys of a histogram. */
void gs_extremes_note_counts(struct gs_extremes *extremes, const struct gs_count *count);

/** Those of a class, over all threads. */
struct gs_extreme gs_extremes_of(const struct gs_extremes *extremes, unsigned key_class);

#endif
