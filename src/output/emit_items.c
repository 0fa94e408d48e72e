// SPDX-License-Identifier: BSD-2-Clause
/*
 * emit_items.c - write sorted items to the output, which may be several files
 *
 * In:   spans of sorted items.
 * Out:  their bytes, or a sample's; or another form of them (show.c).
 *
 * With several new files, items of a fixed length go to their places as soon as they are sorted: no
 * thread waits for its turn, and the files are written at the same time.  A single file is written in
 * order, because many threads would only wait for its lock (emit.c and io/preallocate.c have figures).
 */
#include "base/round.h"
#include "base/way.h"
#include "output/emit.h"

/* Text that is written at once. */
#define WRITE_BYTES	((size_t)256 << 10)

gs_status
gs_emit_bytes(struct gs_emit *emit, const void *data, size_t bytes)
{
	struct gs_output *output;

	TRY(gs_split_output(&emit->split, &output));
	TRY(gs_output_write(output, data, bytes));
	atomic_fetch_add(&emit->written.bytes, bytes);
	atomic_fetch_add(&emit->monitor->counters.bytes_out, bytes);
	return GS_OK;
}

gs_status
gs_emit_flush(struct gs_emit *emit)
{
	const size_t bytes = emit->items.show.bytes;

	emit->items.show.bytes = 0;
	return bytes == 0 ? GS_OK : gs_emit_bytes(emit, emit->items.show.text, bytes);
}

/* Bytes of the first COUNT items that begin at DATA. */
static size_t
bytes_of(const struct gs_emit *emit, const char *data, const char *end, size_t count)
{
	return emit->items.bytes > 0 ? count * emit->items.bytes
	       : gs_items_bytes(emit->items.order, data, end, count);
}

/* Write COUNT items from DATA to END as they are, or append them to the text in another form. */
static gs_status
write_items(struct gs_emit *emit, const char *data, const char *end, size_t count, const uint64_t *times)
{
	struct gs_show *show = &emit->items.show;

	emit->written.keys += count;
	if (show->item == NULL)
		return gs_emit_bytes(emit, data, (size_t)(end - data));
	for (size_t i = 0; i < count; i++) {
		const size_t bytes = bytes_of(emit, data, end, 1);

		TRY(show->item(show, data, bytes, times != NULL ? &times[i] : NULL));
		if (show->bytes >= WRITE_BYTES)
			TRY(gs_emit_flush(emit));
		data += bytes;
	}
	return GS_OK;
}

/* Write the items of SPAN that are in the sample. */
static gs_status
take_sample(struct gs_emit *emit, const struct gs_span *span)
{
	uint64_t at = emit->split.position;
	const uint64_t *positions, wanted = gs_pick_count(&emit->pick, at, span->count, &positions);
	const char *item = span->items, *next, *end = item + span->bytes;

	emit->split.position += span->count;
	for (uint64_t k = 0; k < wanted; at = positions[k++] + 1, item = next) {
		item += bytes_of(emit, item, end, (size_t)(positions[k] - at));
		next = item + bytes_of(emit, item, end, 1);
		TRY(write_items(emit, item, next, 1, NULL));
	}
	return GS_OK;
}

static gs_status
take(void *context, struct gs_sorted_span *sorted)
{
	struct gs_emit *emit = context;
	const struct gs_span *span = &sorted->span;
	const char *data = span->items, *end = data + span->bytes;
	const size_t first = (size_t)gs_least(emit->items.left_out, span->count);

	if (emit->items.top != NULL)
		return gs_item_top_take(emit->items.top, span);
	if (emit->pick.positions != NULL)
		return take_sample(emit, span);
	emit->items.left_out -= first;
	data += first > 0 ? bytes_of(emit, data, end, first) : 0;
	for (size_t at = first, count; at < span->count; at += count) {
		size_t bytes;

		emit->split.position = emit->written.keys;
		count = (size_t)gs_split_together(&emit->split, span->count - at);
		bytes = count == span->count ? span->bytes : bytes_of(emit, data, end, count);
		TRY(write_items(emit, data, data + bytes, count,
		                span->times != NULL ? span->times + at : NULL));
		if (emit->split.outputs->count > 1)	/* what follows may be for another file */
			TRY(gs_emit_flush(emit));
		data += bytes;
	}
	return GS_OK;	/* the output counts its time */
}

static gs_status
put(void *context, uint64_t at, const struct gs_span *span)
{
	struct gs_emit *emit = context;

	TRY(gs_split_put_at(&emit->split, at, span->items, span->bytes));
	atomic_fetch_add(&emit->written.keys, span->count);
	atomic_fetch_add(&emit->written.bytes, span->bytes);
	atomic_fetch_add(&emit->monitor->counters.bytes_out, span->bytes);
	return GS_OK;
}

struct gs_span_sink
gs_emit_item_sink(struct gs_emit *emit, uint64_t items)
{
	/* items of a fixed length may be written in any order, if the outputs are several new files */
	const bool places = items > 0 && emit->split.outputs->count > 1 && !emit->select.groups &&
	                    emit->items.order->item_bytes > 0 && emit->items.show.item == NULL &&
	                    gs_split_begin_places(&emit->split, emit->items.bytes, 0,
	                                          emit->split.outputs->count);

	return (struct gs_span_sink){
		.take = take, .put = gs_way("records put in their places", places) ? put : NULL,
		.groups = true, .context = emit,
	};
}
