// SPDX-License-Identifier: BSD-2-Clause
/*
 * ingest.h - input to keys: read, decode, hand on
 *
 *     set_format, carve, open; run; header; close
 *
 * If the device that sorts fails, all of it runs again over an input that was rewound.
 */
#ifndef GS_STAGES_INGEST_H
#define GS_STAGES_INGEST_H

#include <stddef.h>

#include "base/arena.h"
#include "base/monitor.h"
#include "base/status.h"
#include "gsort.h"
#include "io/input.h"
#include "plan/plan.h"
#include "stages/ingest_state.h"

/** Choose how text is read, from OPTIONS. */
void gs_ingest_set_format(struct gs_ingest *ingest, const struct gsort_options *options);

/** What a plan has to know of keys and of text: INPUT has their type and the operation. */
void gs_ingest_plan(struct gs_plan_input *input);

/** Take buffers from ARENA, or from one that is not open: only their sum. */
void gs_ingest_carve(struct gs_ingest *ingest, const struct gs_plan *plan,
                     struct gs_arena *arena);

/** Begin, with what was carved; everything is borrowed.  Small text integers are counted in HISTOGRAM,
 *  all other keys go to a taker. */
void gs_ingest_open(struct gs_ingest *ingest, struct gs_input *input, struct gs_count *histogram,
                    const struct gs_plan_input *plan_input, struct gs_monitor *monitor);

/** Read everything; at the end TAKER has all keys. */
MUST_CHECK gs_status gs_ingest_run(struct gs_ingest *ingest, const struct gs_taker *taker);

/** What stood before the keys of the first input; *BYTES may be 0. */
const char *gs_ingest_header(const struct gs_ingest *ingest, size_t *bytes);

/** Stop reading; forget what was read.  A zeroed struct is allowed. */
void gs_ingest_close(struct gs_ingest *ingest);

#endif
