// SPDX-License-Identifier: BSD-2-Clause
/* lanes.h - the keys of a batch, drained by lanes (sort/span.h); for batch.c */
#ifndef GS_BUCKETS_LANES_H
#define GS_BUCKETS_LANES_H

#include "sort/buckets/batch.h"

/** gs_batch_drain() for a SINK that wants lanes, at most GS_LANES_MOST. */
MUST_CHECK gs_status
gs_batch_drain_lanes(struct gs_batch *batch, unsigned key_class, const struct gs_span_sink *sink);

#endif
