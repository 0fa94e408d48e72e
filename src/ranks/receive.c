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

/* ---- pieces --------------------------------------------------------------------------------- */

/* Add a slice to the piece of its origin that is being made, or to a new one. */
static void
add_slice(struct gs_item_exchange *exchange, unsigned origin, const char *data, size_t bytes)
{
	struct gs_received_piece *received = NULL;

	for (unsigned r = exchange->piece_count; r-- > 0 && received == NULL;)
		if (exchange->pieces[r].piece.origin == origin)
			received = &exchange->pieces[r];
	if (received == NULL || received->piece.count == GS_PIECE_SLICES ||
	    received->bytes + bytes > exchange->all.own.piece_bytes) {
		assert(exchange->piece_count < GS_RECEIVED_PIECES);
		received = &exchange->pieces[exchange->piece_count++];
		received->piece = (struct gs_piece){ .slices = received->slices, .origin = origin };
		received->bytes = 0;
	}
	received->slices[received->piece.count++] = (struct gs_item_slice){ data, bytes };
	received->bytes += bytes;
	exchange->pieces_bytes += bytes;
}

void
gs_item_receive_piece(struct gs_exchange *all, unsigned worker, unsigned at)
{
	const struct gs_item_exchange *exchange = (const struct gs_item_exchange *)all;

	all->own.add(all->own.context, worker, exchange->first + at, &exchange->pieces[at].piece);
}

/* Store all pieces. */
static gs_status
land_pieces(struct gs_item_exchange *exchange)
{
	const struct gs_taker *store = &exchange->all.own;
	size_t room;

	if (exchange->piece_count == 0)
		return GS_OK;
	TRY(store->reserve(store->context, exchange->pieces_bytes, exchange->piece_count, &room));
	exchange->first = gs_taker_next_sequence(store, 0, exchange->piece_count);
	gs_exchange_land_all(&exchange->all, exchange->piece_count);
	gs_taker_end_round(store);
	exchange->bytes += exchange->pieces_bytes;
	exchange->pieces_bytes = exchange->piece_count = 0;
	return GS_OK;
}

/* ---- blocks ------------------------------------------------------------------------------- */

/* Take what BLOCK has: append it to a large item, which ends in its last block; or cut its items into slices
 * that a piece has room for. */
static gs_status
take(struct gs_item_exchange *exchange, const struct gs_block *block)
{
	const struct gs_class_head *head = (const struct gs_class_head *)(const void *)(block + 1);
	const char *data = (const char *)(head + 1);
	const size_t bytes = head->count;
	struct gs_bytes *item = &exchange->senders[block->from].item;

	exchange->senders[block->from].next++;
	if (block->goes_on || item->bytes > 0) {
		TRY(land_pieces(exchange));
		TRY(GS_GROW(item->data, &item->room, item->bytes + bytes, "bytes of an item"));
		memcpy(item->data + item->bytes, data, bytes);
		item->bytes += bytes;
		if (block->goes_on)
			return GS_OK;
		add_slice(exchange, block->from, item->data, item->bytes);
		item->bytes = 0;
		return land_pieces(exchange);
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
	const size_t pieces = 2 * (transport->window.block_bytes / piece_bytes) + 2;
	unsigned count = 0;

	/* the blocks that are next, as long as a round has room for them */
	while (exchange->pieces_bytes < most_bytes && exchange->piece_count + pieces <= GS_RECEIVED_PIECES &&
	       bring(exchange, count)) {
		const struct gs_block *block = transport->arrived[count++].data;

		if (block->bytes > 0)
			TRY(take(exchange, block));
	}
	TRY(land_pieces(exchange));
	*moved |= count > 0;
	return gs_transport_release(transport, count);
}
