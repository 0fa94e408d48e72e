// SPDX-License-Identifier: BSD-2-Clause
/*
 * handover.c - one job hands its sorted keys to a thread of another job
 *
 * In:   spans.
 * Out:  the same spans, in another thread.
 *
 * Invariant: a queue holds at most one offer, and it is the one of the struct.
 */
#include <assert.h>

#include "stages/handover.h"

void
gs_handover_open(struct gs_handover *handover)
{
	*handover = (struct gs_handover){ .borrowed = false };
	gs_queue_open(&handover->there);
	gs_queue_open(&handover->back);
}

/* Wait until the taker has done with SPAN.  False: it wants no more. */
static bool
give(struct gs_handover *handover, const struct gs_span *span)
{
	handover->offer = *span;
	return gs_queue_give(&handover->there, &handover->offer) &&
	       gs_queue_take(&handover->back) != NULL;
}

void
gs_handover_begin(struct gs_handover *handover, const char *header, size_t header_bytes)
{
	handover->header = header;
	handover->header_bytes = header_bytes;
	(void)give(handover, &(struct gs_span){ .count = 0 });
}

static gs_status
take(void *context, struct gs_sorted_span *sorted, bool *enough)
{
	struct gs_handover *handover = context;

	gs_verify_out(handover->verify, &sorted->span);
	if (sorted->span.count > 0 && !give(handover, &sorted->span))
		*enough = handover->shut = true;
	return GS_OK;
}

struct gs_span_sink
gs_handover_sink(struct gs_handover *handover, struct gs_verify *verify)
{
	handover->verify = verify;
	return (struct gs_span_sink){ .take = take, .context = handover };
}

void
gs_handover_class_end(struct gs_handover *handover)
{
	(void)give(handover, &(struct gs_span){ .count = 0 });
}

bool
gs_handover_next(struct gs_handover *handover, struct gs_span *span)
{
	const struct gs_span *offer;

	if (handover->borrowed)
		(void)gs_queue_give(&handover->back, &handover->offer);
	offer = gs_queue_take(&handover->there);
	handover->borrowed = offer != NULL;
	if (offer == NULL)
		return false;
	assert(offer == &handover->offer);
	*span = *offer;
	return true;
}

bool
gs_handover_header(struct gs_handover *handover, const char **header, size_t *bytes)
{
	struct gs_span none;

	if (!gs_handover_next(handover, &none))
		return false;
	*header = handover->header;
	*bytes = handover->header_bytes;
	return true;
}

void
gs_handover_shut(struct gs_handover *handover)
{
	gs_queue_shut(&handover->there);
	gs_queue_shut(&handover->back);
}

void
gs_handover_close(struct gs_handover *handover)
{
	gs_queue_close(&handover->there);
	gs_queue_close(&handover->back);
}
