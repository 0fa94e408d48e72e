// SPDX-License-Identifier: BSD-2-Clause
/* strands.h - the keys of a batch, drained by strands (sort/span.h) */
#ifndef GS_BUCKETS_STRANDS_H
#define GS_BUCKETS_STRANDS_H

#include "sort/buckets/batch.h"

/** gs_batch_drain() for a SINK that wants strands, at most GS_STRANDS_MOST.  Any thread calls its
 *  take(). */
MUST_CHECK gs_status
gs_batch_drain_strands(struct gs_batch *batch, unsigned key_class, const struct gs_span_sink *sink);

#endif
