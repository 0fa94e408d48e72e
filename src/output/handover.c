// SPDX-License-Identifier: BSD-2-Clause
/*
 * handover.c - one thread hands its sorted elements to another
 *
 * In:   spans.
 * Out:  the same spans, in another thread.
 *
 * Invariant: the offers in both queues and the one that is borrowed are the last ones given, fewer
 * than there are.
 */
#include "output/emit.h"

void
gs_handover_open(struct gs_handover *handover, unsigned threads)
{
	*handover = (struct gs_handover){ .threads = threads };
	gs_queue_open(&handover->there);
	gs_queue_open(&handover->back);
}

/* Wait until the taker has done with all offers but the last OUT.  False: it wants no more. */
static bool
await(struct gs_handover *handover, size_t out)
{
	for (; handover->given - handover->returned > out; handover->returned++)
		if (gs_queue_take(&handover->back) == NULL)
			return false;
	return true;
}

static bool
give(struct gs_handover *handover, const struct gs_span *span, size_t out)
{
	struct gs_span *offer = &handover->offers[handover->given++ % GS_HANDOVER_OFFERS];

	*offer = *span;
	return gs_queue_give(&handover->there, offer) && await(handover, out);
}

static gs_status
take(void *context, struct gs_sorted_span *sorted, bool *enough)
{
	struct gs_handover *handover = context;
	const size_t out = sorted->slot == GS_NO_SLOT ? 0 : handover->keeps;
	const bool empty = sorted->span.count == 0;	/* it takes a slot, but is not an offer */

	gs_verify_out(handover->verify, &sorted->span);
	if (!(empty ? await(handover, 0) : give(handover, &sorted->span, out)))
		*enough = handover->shut = true;
	return GS_OK;
}

struct gs_span_sink
gs_handover_sink(struct gs_handover *handover, struct gs_verify *verify, size_t slots)
{
	handover->verify = verify;
	handover->keeps = slots / 2 < GS_HANDOVER_OFFERS ? slots / 2 : GS_HANDOVER_OFFERS - 1;
	return (struct gs_span_sink){
		.take = take, .context = handover, .keeps = handover->keeps,
		.threads = handover->threads,
	};
}

void
gs_handover_end(struct gs_handover *handover)
{
	(void)give(handover, &(struct gs_span){ .count = 0 }, 0);
}

bool
gs_handover_next(struct gs_handover *handover, struct gs_span *span)
{
	if (handover->borrowed != NULL)
		(void)gs_queue_give(&handover->back, handover->borrowed);
	handover->borrowed = gs_queue_take(&handover->there);
	if (handover->borrowed == NULL)
		return false;
	*span = *handover->borrowed;
	return true;
}
