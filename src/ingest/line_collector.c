// SPDX-License-Identifier: BSD-2-Clause
/* line_collector.c - collect the whole lines of one input, one after the other, in memory */
#include <stdlib.h>
#include <string.h>

#include "ingest/line_ingest.h"

/* Make room for BYTES more. */
static gs_status
reserve(void *context, size_t bytes, size_t small, size_t *room)
{
	struct gs_line_collector *collector = context;
	const size_t wanted = collector->lines->bytes + bytes, more = wanted - collector->lines->room;
	size_t spare = atomic_load(collector->spare);
	char *grown;

	(void)small;
	*room = bytes;
	if (wanted <= collector->lines->room)
		return GS_OK;
	while (more <= spare && !atomic_compare_exchange_weak(collector->spare, &spare, spare - more))
		;
	grown = more > spare ? NULL : realloc(collector->lines->data, wanted);
	if (grown == NULL)
		return gs_item_fail_large(bytes, GS_COLLECTED_SHARE(collector->inputs), 0, 1);
	collector->lines->data = grown;
	collector->lines->room = wanted;
	return GS_OK;
}

/* A line that has begun is twice in memory when it ends: the second time among whole ones. */
static gs_status
lend(void *context, size_t bytes)
{
	const struct gs_line_collector *collector = context;
	const size_t room = collector->lines->room, more = bytes > room ? bytes - room : 0;

	return bytes + more <= *collector->spare ? GS_OK
	       : gs_item_fail_large(bytes, GS_COLLECTED_SHARE(collector->inputs), 0, 1);
}

static void
add(void *context, unsigned worker, uint64_t sequence, const struct gs_piece *piece)
{
	struct gs_line_collector *collector = context;
	const struct gs_item_slice *slice = piece->slices;

	(void)worker, (void)sequence;	/* one thread adds one piece */
	/* most are there already: fill_lines() in kinds/source.c */
	memmove(collector->lines->data + collector->lines->bytes, slice->data, slice->bytes);
	collector->lines->bytes += slice->bytes;
}

void
gs_line_collector_open(struct gs_line_collector *collector, const struct gs_line_collector *first,
                       struct gs_line_order *order, const struct gs_text_options *options,
                       struct gs_follow *follow, struct gs_monitor *monitor, atomic_size_t *spare)
{
	const struct gs_taker taker = {
		.piece_bytes = SIZE_MAX, .lend = lend, .reserve = reserve, .add = add,
		.context = collector,
	};

	*collector = (struct gs_line_collector){ .spare = spare, .borrows = collector != first };
	gs_line_ingest_open(&collector->ingest, order, options, &taker, follow, monitor, 1);
	if (!collector->borrows)
		return;
	collector->ingest.faults.name = "";		/* it is not the first of all */
	collector->ingest.header = first->ingest.header;
}

void
gs_line_collector_close(struct gs_line_collector *collector)
{
	if (collector->borrows)
		collector->ingest.header = (struct gs_bytes){ .data = NULL };
	gs_line_ingest_close(&collector->ingest);
	gs_follow_close(&collector->follow);
	for (unsigned i = 0; i < GS_MERGE_BATCHES; i++)
		free(collector->lines[i].data);
}
