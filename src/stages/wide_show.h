// SPDX-License-Identifier: BSD-2-Clause
/*
 * wide_show.h - keys of 128 bits as decimal text, with their number of occurrences
 */
#ifndef GS_STAGES_WIDE_SHOW_H
#define GS_STAGES_WIDE_SHOW_H

#include <stdbool.h>
#include <stddef.h>

#include "gsort.h"
#include "stages/emit.h"

struct gs_wide_show {
	const struct gsort_options *options;
	struct gs_emit *emit;
	char   text[64 << 10];		/* that is not written yet */
	size_t bytes;
};

/** From now on EMIT writes keys of OPTIONS->type, which is wide, as lines.  Both are borrowed. */
void gs_wide_show_open(struct gs_wide_show *show, const struct gsort_options *options,
                       struct gs_emit *emit);

#endif
