// SPDX-License-Identifier: BSD-2-Clause
/*
 * item_land.c - items that have reached their owner
 *
 * In:   blocks that have arrived.
 * Out:  their items in the store of this rank, by origin and in the order of the blocks.
 *
 * A block may arrive before one that was sent earlier.  It waits for that, which needs no other slot
 * than the one in which it already arrives.
 */
#include <assert.h>
#include <string.h>

#include "ranks/spread.h"
#include "sort/items/items.h"

size_t
gs_item_land_fit(const struct gs_spread *all, const char *data, size_t bytes, size_t room)
{
	const struct gs_item_spread *spread = (const struct gs_item_spread *)all;
	const size_t fixed = spread->order->item_bytes;
	const char *end = data, *next;

	if (bytes <= room)
		return bytes;
	if (fixed > 0)
		return room / fixed * fixed;
	if (spread->lines != NULL)
		return (size_t)(gs_line_last_end(spread->lines, data, data + room) - data);
	while (next = end + gs_item_length(spread->order, end, data + bytes), next <= data + room)
		end = next;
	return (size_t)(end - data);
}

/* Move a block that is the next of its rank, or its end, to place TO of those that have arrived; false: there
 * is none. */
static bool
bring(struct gs_item_spread *spread, unsigned to)
{
	struct gs_arrived *arrived = spread->all.exchange.arrived;

	for (unsigned a = to; a < spread->all.exchange.arrived_count; a++) {
		const struct gs_arrived next = arrived[a];

		if (next.block->bytes > 0 && next.block->number != spread->senders[next.block->from].next)
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
add_slice(struct gs_item_spread *spread, unsigned origin, const char *data, size_t bytes)
{
	const size_t most = spread->all.own.piece_bytes;
	struct gs_landing_row *row = NULL;

	for (unsigned r = spread->row_count; r-- > 0 && row == NULL;)
		if (spread->rows[r].origin == origin)
			row = &spread->rows[r];
	if (row == NULL || row->count == GS_ROW_SLICES || row->bytes + bytes > most) {
		assert(spread->row_count < GS_ROWS);
		row = &spread->rows[spread->row_count++];
		row->origin = origin;
		row->count = 0;
		row->bytes = 0;
	}
	row->slices[row->count++] = (struct gs_item_slice){ data, bytes };
	row->bytes += bytes;
	spread->row_bytes += bytes;
}

void
gs_item_land_row(struct gs_spread *all, unsigned worker, unsigned at)
{
	const struct gs_item_spread *spread = (const struct gs_item_spread *)all;
	const struct gs_landing_row *row = &spread->rows[at];
	const struct gs_piece piece = {
		.slices = row->slices, .count = row->count, .origin = row->origin,
	};

	all->own.add(all->own.context, worker, spread->first + at, &piece);
}

/* Store all rows. */
static gs_status
land_rows(struct gs_item_spread *spread)
{
	const struct gs_taker *store = &spread->all.own;
	size_t room;

	if (spread->row_count == 0)
		return GS_OK;
	TRY(store->reserve(store->context, spread->row_bytes, spread->row_count, &room));
	spread->first = gs_taker_next_sequence(store, 0, spread->row_count);
	gs_spread_land_all(&spread->all, spread->row_count);
	gs_taker_end_round(store);
	spread->bytes += spread->row_bytes;
	spread->row_bytes = spread->row_count = 0;
	return GS_OK;
}

/* ---- blocks ------------------------------------------------------------------------------- */

/* Take what BLOCK has: append it to a large item, of which the last block has the end; or cut its items into
 * slices that a piece has room for. */
static gs_status
take(struct gs_item_spread *spread, const struct gs_block *block)
{
	const struct gs_segment *segment = (const struct gs_segment *)(const void *)(block + 1);
	const char *data = (const char *)(segment + 1);
	const size_t bytes = segment->count;
	struct gs_sender *sender = &spread->senders[block->from];

	sender->next++;
	if (block->goes_on || sender->bytes > 0) {
		TRY(land_rows(spread));
		TRY(GS_GROW(sender->item, &sender->room, sender->bytes + bytes, "bytes of an item"));
		memcpy(sender->item + sender->bytes, data, bytes);
		sender->bytes += bytes;
		if (block->goes_on)
			return GS_OK;
		add_slice(spread, block->from, sender->item, sender->bytes);
		sender->bytes = 0;
		return land_rows(spread);
	}
	for (size_t at = 0, some; at < bytes; at += some) {
		some = gs_item_land_fit(&spread->all, data + at, bytes - at, spread->all.own.piece_bytes);
		if (some == 0)
			some = gs_item_length(spread->order, data + at, data + bytes);
		add_slice(spread, block->from, data + at, some);
	}
	return GS_OK;
}

gs_status
gs_item_land(void *context, bool *moved)
{
	struct gs_item_spread *spread = context;
	struct gs_exchange *exchange = &spread->all.exchange;
	const size_t piece_bytes = spread->all.own.piece_bytes;
	const size_t most_bytes = 2 * spread->all.threads * piece_bytes;
	/* that the slices of one more block may need: two slices in a row are larger than a piece */
	const size_t rows = 2 * (exchange->window.block_bytes / piece_bytes) + 2;
	unsigned count = 0;

	/* the blocks that are next, as long as a round has room for them */
	while (spread->row_bytes < most_bytes && spread->row_count + rows <= GS_ROWS &&
	       bring(spread, count)) {
		const struct gs_block *block = exchange->arrived[count++].block;

		if (block->bytes > 0)
			TRY(take(spread, block));
	}
	TRY(land_rows(spread));
	*moved |= count > 0;
	return gs_exchange_release(exchange, count);
}
