// SPDX-License-Identifier: BSD-2-Clause
/*
 * emit_items.c - sorted items to the output, or to the files of it
 *
 * In:   spans of sorted items.
 * Out:  their bytes, or those of a sample; with counts, each followed by an unsigned integer of 64 bits.
 *
 * With several new files, items of a fixed length go to their places as soon as they are sorted: no
 * thread waits for its turn, and the files are written at once.  One file is written in order: many
 * threads only wait for its lock (emit.c and io/preallocate.c have figures).
 */
#include <string.h>

#include "key/key.h"
#include "output/emit.h"

/* Bytes of items with counts that are written at once. */
#define BUFFER_BYTES	((size_t)256 << 10)

gs_status
gs_emit_bytes(struct gs_emit *emit, const void *data, size_t bytes)
{
	struct gs_output *output;

	TRY(gs_split_output(&emit->split, &output));
	TRY(gs_output_write(output, data, bytes));
	atomic_fetch_add(&emit->bytes, bytes);
	atomic_fetch_add(&emit->monitor->counters.bytes_out, bytes);
	return GS_OK;
}

gs_status
gs_emit_flush(struct gs_emit *emit, const void *data, size_t *bytes)
{
	const size_t all = *bytes;

	*bytes = 0;
	return gs_emit_bytes(emit, data, all);
}

/* Bytes of the first COUNT items that begin at DATA. */
static size_t
bytes_of(const struct gs_emit *emit, const char *data, const char *end, size_t count)
{
	return emit->written_bytes > 0 ? count * emit->written_bytes
	       : gs_items_bytes(emit->order, data, end, count);
}

/* Write COUNT items from DATA to END, to one file. */
static gs_status
write_items(struct gs_emit *emit, const char *data, const char *end, size_t count,
            const uint64_t *times)
{
	size_t filled = 0;

	emit->keys += count;
	if (emit->show.items != NULL)
		return emit->show.items(emit, data, end, count, times);
	if (!emit->encoding.counts)
		return gs_emit_bytes(emit, data, (size_t)(end - data));
	for (size_t i = 0; i < count; i++) {
		const size_t bytes = bytes_of(emit, data, end, 1);
		const uint64_t number = gs_endian_swaps(emit->encoding.endian) ? GS_SWAP64(times[i])
		                                                               : times[i];

		if (filled + bytes + sizeof number > BUFFER_BYTES)
			TRY(gs_emit_flush(emit, emit->buffer, &filled));
		if (bytes + sizeof number > BUFFER_BYTES) {
			TRY(gs_emit_bytes(emit, data, bytes));
		} else {
			memcpy(emit->buffer + filled, data, bytes);
			filled += bytes;
		}
		memcpy(emit->buffer + filled, &number, sizeof number);
		filled += sizeof number;
		data += bytes;
	}
	return gs_emit_flush(emit, emit->buffer, &filled);
}

/* Write the items of SPAN that are in the sample, gathered. */
static gs_status
take_sample(struct gs_emit *emit, const struct gs_span *span)
{
	uint64_t at = emit->split.position;
	const uint64_t wanted = gs_pick_count(&emit->pick, at, span->count);
	const uint64_t *positions = gs_pick_positions(&emit->pick, at);
	const char *item = span->items, *end = item + span->bytes;
	size_t filled = 0, count = 0;

	if (emit->buffer == NULL && wanted > 0)
		TRY(gs_allocate(&emit->buffer, BUFFER_BYTES, 1, "bytes"));
	emit->split.position += span->count;
	for (uint64_t k = 0; k < wanted; at = positions[k++] + 1) {
		size_t bytes;

		item += bytes_of(emit, item, end, (size_t)(positions[k] - at));
		bytes = bytes_of(emit, item, end, 1);
		if (filled + bytes > BUFFER_BYTES) {
			TRY(write_items(emit, emit->buffer, emit->buffer + filled, count, NULL));
			filled = count = 0;
		}
		if (bytes > BUFFER_BYTES) {
			TRY(write_items(emit, item, item + bytes, 1, NULL));
		} else {
			memcpy(emit->buffer + filled, item, bytes);
			filled += bytes;
			count++;
		}
		item += bytes;
	}
	return count > 0 ? write_items(emit, emit->buffer, emit->buffer + filled, count, NULL) : GS_OK;
}

static gs_status
take(void *context, struct gs_sorted_span *sorted, bool *enough)
{
	struct gs_emit *emit = context;
	const struct gs_span *span = &sorted->span;
	const char *data = span->items, *end = data + span->bytes;

	(void)enough;
	if (emit->top != NULL)
		return gs_item_top_take(emit->top, span);
	if (emit->pick.positions != NULL)
		return take_sample(emit, span);
	for (size_t at = 0, count; at < span->count; at += count) {
		size_t bytes;

		emit->split.position = emit->keys;
		count = (size_t)gs_split_together(&emit->split, span->count - at);
		bytes = count == span->count ? span->bytes : bytes_of(emit, data, end, count);
		TRY(write_items(emit, data, data + bytes, count,
		                span->times != NULL ? span->times + at : NULL));
		data += bytes;
	}
	return GS_OK;	/* the output counts its time */
}

static gs_status
put(void *context, uint64_t at, const struct gs_span *span)
{
	struct gs_emit *emit = context;

	TRY(gs_split_put_at(&emit->split, at, span->items, span->bytes));
	atomic_fetch_add(&emit->keys, span->count);
	atomic_fetch_add(&emit->bytes, span->bytes);
	atomic_fetch_add(&emit->monitor->counters.bytes_out, span->bytes);
	return GS_OK;
}

struct gs_span_sink
gs_emit_item_sink(struct gs_emit *emit, uint64_t items)
{
	/* items of a fixed length may be written in any order, if the outputs are several new files */
	const bool places = items > 0 && emit->split.outputs->count > 1 && !emit->select.groups &&
	                    emit->order->item_bytes > 0 && emit->show.items == NULL &&
	                    gs_split_begin_places(&emit->split, emit->written_bytes, 0,
	                                          emit->split.outputs->count);

	return (struct gs_span_sink){
		.take = take, .put = places ? put : NULL, .groups = true, .context = emit,
	};
}

gs_status
gs_emit_open_items(struct gs_emit *emit, const struct gs_item_order *order, size_t written_bytes)
{
	emit->order = order;
	emit->written_bytes = written_bytes > 0 ? written_bytes : order->item_bytes;
	emit->element_bytes = emit->written_bytes +
	                      (emit->written_bytes > 0 && emit->encoding.counts ? sizeof(uint64_t) : 0);
	return emit->encoding.counts ? gs_allocate(&emit->buffer, BUFFER_BYTES, 1, "bytes") : GS_OK;
}
