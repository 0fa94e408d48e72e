// SPDX-License-Identifier: BSD-2-Clause
/*
 * items_source.c - one sorted input of a merge of records or lines
 *
 * In:   an input, which is opened when it is first read.
 * Out:  its items, one at a time.
 *
 * A buffer is filled at once, and its order is checked then.  Lines are cut by the stage that cuts those of a
 * sort (stages/line_ingest.h), and collected behind one another.
 */
#include <stdlib.h>
#include <string.h>

#include "format/disorder.h"
#include "job/items_source.h"
#include "job/merge_input.h"
#include "sort/items/sum.h"

/* ---- records ----------------------------------------------------------------------- */

static gs_status
begin(struct gs_items_source *source)
{
	struct gsort *job = source->job;

	source->begun = true;
	if (source->first && !job->options->lines)
		source->header_bytes = (size_t)job->options->skip_bytes;
	source->stretch = gs_stretch_open(job, &source->follow, GS_ADVICE_UNSORTED);
	gs_stretch_begin(&source->stretch, source->name, 0);
	return gs_merge_open(job, &source->name, 1, source->header, &source->input);
}

static void
end(struct gs_items_source *source)
{
	if (source->input != NULL)
		(void)gs_input_next(source->input);	/* puts the offset of standard input right */
	gs_input_close(source->input);
	source->input = NULL;
}

/* Read up to a buffer. */
static gs_status
read_buffer(struct gs_items_source *source, size_t *bytes)
{
	TRY(gs_input_read(source->input, source->buffer, source->room, bytes));
	source->bytes += *bytes;
	atomic_fetch_add(&source->job->monitor.counters.bytes_in, *bytes);
	return GS_OK;
}

static gs_status
fill_records(struct gs_items_source *source)
{
	size_t bytes;

	TRY(read_buffer(source, &bytes));
	source->at = source->buffer;
	source->end = source->buffer + bytes;
	TRY(gs_stretch_next(&source->stretch, source->buffer, bytes));
	source->job->stats.keys += bytes / source->stretch.element_bytes;
	if (bytes < source->room)
		end(source);
	return GS_OK;
}

/* ---- lines --------------------------------------------------------------------------- */

/* Make room for BYTES more of whole lines. */
static gs_status
reserve(void *context, size_t bytes, size_t small, size_t *room)
{
	struct gs_items_source *source = context;
	const size_t wanted = source->lines_bytes + bytes, more = wanted - source->lines_room;
	char *grown;

	(void)small;
	*room = bytes;
	if (wanted <= source->lines_room)
		return GS_OK;
	if (more > *source->spare)
		return gs_item_fail_large(bytes, GS_MERGE_SHARE);
	grown = realloc(source->lines, wanted);
	if (grown == NULL)
		return gs_item_fail_large(bytes, GS_MERGE_SHARE);
	*source->spare -= more;
	source->lines = grown;
	source->lines_room = wanted;
	return GS_OK;
}

/* A line that has begun is twice in memory when it ends: the second time among whole ones. */
static gs_status
lend(void *context, size_t bytes)
{
	const struct gs_items_source *source = context;
	const size_t room = source->lines_room, more = bytes > room ? bytes - room : 0;

	return bytes + more > *source->spare ? gs_item_fail_large(bytes, GS_MERGE_SHARE) : GS_OK;
}

static uint64_t
next_sequence(void *context, size_t count)
{
	(void)context, (void)count;
	return 0;
}

static void
add(void *context, unsigned rank, uint64_t sequence, const char *data, size_t bytes)
{
	struct gs_items_source *source = context;

	(void)rank, (void)sequence;	/* one thread adds one piece */
	memcpy(source->lines + source->lines_bytes, data, bytes);
	source->lines_bytes += bytes;
}

static void
end_round(void *context)
{
	(void)context;
}

static void
open_lines(struct gs_items_source *source, const struct gs_items_source *first)
{
	struct gsort *job = source->job;
	const struct gs_item_taker taker = {
		.piece_bytes = SIZE_MAX, .lend = lend, .reserve = reserve, .add = add,
		.next_sequence = next_sequence, .end_round = end_round, .context = source,
	};

	gs_line_ingest_open(&source->ingest, &job->lines.order, &job->ingest.text, &taker,
	                    job->options->trust_order ? NULL : &source->follow, &job->monitor, 1);
	source->ingest.faults.advice = GS_ADVICE_UNSORTED;
	source->ingest.header_most = (size_t)(job->plan.pool_bytes / GS_HEADER_SHARE);
	source->ingest.measures = job->plan_input.input_bytes != UINT64_MAX;
	if (source == first)
		return;
	source->ingest.name = "";		/* it is not the first of all */
	source->ingest.header = first->ingest.header;	/* borrowed */
}

static gs_status
fill_lines(struct gs_items_source *source)
{
	struct gs_chunk chunk = {
		.data = source->buffer, .name = gs_input_name(source->input),
		.begins = source->bytes == 0,
	};

	source->lines_bytes = 0;
	source->ingest.faults.invalid = source->job->lines.ingest.faults.invalid;	/* of all inputs */
	while (source->lines_bytes == 0 && !chunk.ends) {
		TRY(read_buffer(source, &chunk.bytes));
		chunk.ends = chunk.bytes < source->room;
		TRY(gs_line_ingest_chunk(&source->ingest, &chunk));
		chunk.begins = false;
	}
	source->job->lines.ingest.faults.invalid = source->ingest.faults.invalid;
	if (source->lines_bytes > 0) {	/* else LINES may be NULL */
		source->at = source->lines;
		source->end = source->lines + source->lines_bytes;
	}
	if (chunk.ends)
		end(source);
	if (source->first) {
		source->header = source->ingest.header.data;
		source->header_bytes = source->ingest.header.bytes;
	}
	return GS_OK;
}

/* ---- both ------------------------------------------------------------------------------ */

static gs_status
fill(struct gs_items_source *source, const struct gs_items_source *first)
{
	const struct gs_item_order *order = &source->job->items.order;
	struct gs_item_slice slice;

	if (!source->begun) {
		TRY(begin(source));
		if (source->job->options->lines)
			open_lines(source, first);
	}
	source->at = source->end = source->buffer;
	if (source->input == NULL)
		return GS_OK;
	TRY(source->job->options->lines ? fill_lines(source) : fill_records(source));
	slice = (struct gs_item_slice){ source->at, (size_t)(source->end - source->at) };
	if (source->job->options->verify)
		source->sum += gs_items_sum(order, &slice);
	return GS_OK;
}

gs_status
gs_items_source_next(struct gs_items_source *source, const struct gs_items_source *first, bool *any)
{
	const struct gs_item_order *order = &source->job->items.order;
	uint32_t bytes;

	source->at += source->item_bytes;
	source->item_bytes = 0;
	if (source->at == source->end)
		TRY(fill(source, first));
	*any = source->at < source->end;
	if (!*any)
		return GS_OK;
	source->item_bytes = gs_item_length(order, source->at, source->end);
	bytes = (uint32_t)source->item_bytes;
	source->job->stats.keys += order->item_bytes == 0;
	(void)order->words(order->context, &source->at, order->item_bytes > 0 ? NULL : &bytes, 1, 0,
	                   &source->word);
	return GS_OK;
}

void
gs_items_source_close(struct gs_items_source *source)
{
	if (!source->first)
		source->ingest.header = (struct gs_line_bytes){ .data = NULL };
	gs_line_ingest_close(&source->ingest);
	gs_follow_close(&source->follow);
	gs_input_close(source->input);
	free(source->lines);
}
