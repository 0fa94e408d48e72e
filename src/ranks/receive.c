// SPDX-License-Identifier: BSD-2-Clause
/*
 * receive.c - items that have reached their owner
 *
 * In:   blocks that have arrived.
 * Out:  their items in the store of this rank, by origin and in the order of the blocks.
 *
 * A block may arrive before one that was sent earlier.  It waits for that, which needs no other slot
 * than the one in which it already arrives.
 */
#include <assert.h>
#include <string.h>

#include "ranks/exchange.h"
#include "sort/items/items.h"

size_t
gs_item_fit(const struct gs_exchange *all, const char *data, size_t bytes, size_t room)
{
	const struct gs_item_exchange *exchange = (const struct gs_item_exchange *)all;
	const size_t fixed = exchange->order->item_bytes;
	const char *end = data, *next;

	if (bytes <= room)
		return bytes;
	if (fixed > 0)
		return room / fixed * fixed;
	if (exchange->lines != NULL)
		return (size_t)(gs_line_last_end(exchange->lines, data, data + room) - data);
	while (next = end + gs_item_length(exchange->order, end, data + bytes), next <= data + room)
		end = next;
	return (size_t)(end - data);
}

/* Move a block that is the next of its rank, or its end, to place TO of the blocks that have arrived; false:
 * no such block. */
static bool
bring(struct gs_item_exchange *exchange, unsigned to)
{
	struct gs_arrival *arrived = exchange->all.transport.arrived;

	for (unsigned a = to; a < exchange->all.transport.arrived_count; a++) {
		const struct gs_arrival next = arrived[a];
		const struct gs_block *block = next.data;

		if (block->bytes > 0 && block->number != exchange->senders[block->from].next)
			continue;
		memmove(arrived + to + 1, arrived + to, (a - to) * sizeof *arrived);
		arrived[to] = next;
		return true;
	}
	return false;
}

/* ---- rows --------------------------------------------------------------------------------- */

/* Add a slice to the row of its origin that is being made, or to a new one. */
static void
add_slice(struct gs_item_exchange *exchange, unsigned origin, const char *data, size_t bytes)
{
	const size_t most = exchange->all.own.piece_bytes;
	struct gs_received_row *row = NULL;

	for (unsigned r = exchange->row_count; r-- > 0 && row == NULL;)
		if (exchange->rows[r].origin == origin)
			row = &exchange->rows[r];
	if (row == NULL || row->count == GS_ROW_SLICES || row->bytes + bytes > most) {
		assert(exchange->row_count < GS_ROWS);
		row = &exchange->rows[exchange->row_count++];
		row->origin = origin;
		row->count = 0;
		row->bytes = 0;
	}
	row->slices[row->count++] = (struct gs_item_slice){ data, bytes };
	row->bytes += bytes;
	exchange->row_bytes += bytes;
}

void
gs_item_receive_row(struct gs_exchange *all, unsigned worker, unsigned at)
{
	const struct gs_item_exchange *exchange = (const struct gs_item_exchange *)all;
	const struct gs_received_row *row = &exchange->rows[at];
	const struct gs_piece piece = {
		.slices = row->slices, .count = row->count, .origin = row->origin,
	};

	all->own.add(all->own.context, worker, exchange->first + at, &piece);
}

/* Store all rows. */
static gs_status
land_rows(struct gs_item_exchange *exchange)
{
	const struct gs_taker *store = &exchange->all.own;
	size_t room;

	if (exchange->row_count == 0)
		return GS_OK;
	TRY(store->reserve(store->context, exchange->row_bytes, exchange->row_count, &room));
	exchange->first = gs_taker_next_sequence(store, 0, exchange->row_count);
	gs_exchange_land_all(&exchange->all, exchange->row_count);
	gs_taker_end_round(store);
	exchange->bytes += exchange->row_bytes;
	exchange->row_bytes = exchange->row_count = 0;
	return GS_OK;
}

/* ---- blocks ------------------------------------------------------------------------------- */

/* Take what BLOCK has: append it to a large item, which ends in its last block; or cut its items into slices
 * that a piece has room for. */
static gs_status
take(struct gs_item_exchange *exchange, const struct gs_block *block)
{
	const struct gs_segment *segment = (const struct gs_segment *)(const void *)(block + 1);
	const char *data = (const char *)(segment + 1);
	const size_t bytes = segment->count;
	struct gs_sender *sender = &exchange->senders[block->from];

	sender->next++;
	if (block->goes_on || sender->bytes > 0) {
		TRY(land_rows(exchange));
		TRY(GS_GROW(sender->item, &sender->room, sender->bytes + bytes, "bytes of an item"));
		memcpy(sender->item + sender->bytes, data, bytes);
		sender->bytes += bytes;
		if (block->goes_on)
			return GS_OK;
		add_slice(exchange, block->from, sender->item, sender->bytes);
		sender->bytes = 0;
		return land_rows(exchange);
	}
	for (size_t at = 0, some; at < bytes; at += some) {
		some = gs_item_fit(&exchange->all, data + at, bytes - at, exchange->all.own.piece_bytes);
		if (some == 0)
			some = gs_item_length(exchange->order, data + at, data + bytes);
		add_slice(exchange, block->from, data + at, some);
	}
	return GS_OK;
}

gs_status
gs_item_receive(void *context, bool *moved)
{
	struct gs_item_exchange *exchange = context;
	struct gs_transport *transport = &exchange->all.transport;
	const size_t piece_bytes = exchange->all.own.piece_bytes;
	const size_t most_bytes = 2 * exchange->all.threads * piece_bytes;
	/* that the slices of one more block may need: two slices in a row are larger than a piece */
	const size_t rows = 2 * (transport->window.block_bytes / piece_bytes) + 2;
	unsigned count = 0;

	/* the blocks that are next, as long as a round has room for them */
	while (exchange->row_bytes < most_bytes && exchange->row_count + rows <= GS_ROWS &&
	       bring(exchange, count)) {
		const struct gs_block *block = transport->arrived[count++].data;

		if (block->bytes > 0)
			TRY(take(exchange, block));
	}
	TRY(land_rows(exchange));
	*moved |= count > 0;
	return gs_transport_release(transport, count);
}
