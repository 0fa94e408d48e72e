// SPDX-License-Identifier: BSD-2-Clause
/*
 * span_queue.c - one thread hands its sorted elements to another
 *
 * In:   spans.
 * Out:  the same spans, in another thread.
 *
 * Invariant: the offers in both queues and the one that is borrowed are the last ones given, fewer
 * than there are.
 */
#include "output/emit.h"

void
gs_span_queue_open(struct gs_span_queue *queue, unsigned threads)
{
	*queue = (struct gs_span_queue){ .threads = threads };
	gs_queue_open(&queue->there);
	gs_queue_open(&queue->back);
}

/* Wait until the taker has done with all offers but the last OUT.  False: it wants no more. */
static bool
await(struct gs_span_queue *queue, size_t out)
{
	for (; queue->given - queue->returned > out; queue->returned++)
		if (gs_queue_take(&queue->back) == NULL)
			return false;
	return true;
}

static bool
give(struct gs_span_queue *queue, const struct gs_span *span, size_t out)
{
	struct gs_span *offer = &queue->offers[queue->given++ % GS_SPAN_QUEUE_OFFERS];

	*offer = *span;
	return gs_queue_give(&queue->there, offer) && await(queue, out);
}

static gs_status
take(void *context, struct gs_sorted_span *sorted)
{
	struct gs_span_queue *queue = context;
	const size_t out = sorted->slot == GS_NO_SLOT ? 0 : queue->keeps;
	const bool empty = sorted->span.count == 0;	/* it takes a slot, but is not an offer */

	gs_verify_out(queue->verify, &sorted->span);
	if (!(empty ? await(queue, 0) : give(queue, &sorted->span, out)))
		sorted->enough = queue->shut = true;
	return GS_OK;
}

struct gs_span_sink
gs_span_queue_sink(struct gs_span_queue *queue, struct gs_verify *verify, size_t slots)
{
	queue->verify = verify;
	queue->keeps = slots / 2 < GS_SPAN_QUEUE_OFFERS ? slots / 2 : GS_SPAN_QUEUE_OFFERS - 1;
	return (struct gs_span_sink){
		.take = take, .context = queue, .keeps = queue->keeps,
		.threads = queue->threads,
	};
}

void
gs_span_queue_end(struct gs_span_queue *queue)
{
	(void)give(queue, &(struct gs_span){ .count = 0 }, 0);
}

bool
gs_span_queue_next(struct gs_span_queue *queue, struct gs_span *span)
{
	if (queue->borrowed != NULL)
		(void)gs_queue_give(&queue->back, queue->borrowed);
	queue->borrowed = gs_queue_take(&queue->there);
	if (queue->borrowed == NULL)
		return false;
	*span = *queue->borrowed;
	return true;
}
