// SPDX-License-Identifier: BSD-2-Clause
/* strands.h - the keys of a batch, drained by strands (sort/span.h) */
#ifndef GS_BUCKETS_STRANDS_H
#define GS_BUCKETS_STRANDS_H

#include "sort/buckets/batch.h"

/* Strands of a sink, at most. */
enum { GS_STRANDS_MOST = 1024 };

/**
 * gs_batch_drain() for a SINK that wants strands: any thread calls its make() and take(); it has no
 * room().
 *
 * @return  GS_OK, or the first error of a function of SINK
 */
MUST_CHECK gs_status
gs_batch_drain_strands(struct gs_batch *batch, unsigned key_class, const struct gs_span_sink *sink);

#endif
