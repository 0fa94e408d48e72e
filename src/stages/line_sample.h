// SPDX-License-Identifier: BSD-2-Clause
/*
 * line_sample.h - lines from all over a large file, before the first are stored
 *
 * Without them the first lines decide the bounds of the buckets.  They are divided again then, and so is
 * most of a file that is nearly sorted.
 */
#ifndef GS_STAGES_LINE_SAMPLE_H
#define GS_STAGES_LINE_SAMPLE_H

#include "format/line_order.h"
#include "io/input.h"
#include "stages/taker.h"

/**
 * Show TAKER a sample of INPUT, of which CHUNK has been read so far; nobody else reads it meanwhile.
 *
 * Does nothing if the input is small, not a regular file, or CSV with quotes, where no one knows
 * which lines are within quotes; or if there is no memory for it.  Returns what TAKER does.
 */
MUST_CHECK gs_status gs_line_sample(const struct gs_line_order *order, struct gs_input *input,
                                    const struct gs_chunk *chunk,
                                    const struct gs_taker *taker);

#endif
