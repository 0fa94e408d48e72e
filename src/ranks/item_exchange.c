// SPDX-License-Identifier: BSD-2-Clause
/*
 * item_exchange.c - items on their way from the rank that reads them to the rank that owns them
 *
 * In:   pieces of items of all ranks.
 * Out:  in the store of each rank the items that it owns, by origin.
 *
 * A block has whole items.  An item that is larger than a block begins one, and goes on in the next.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/round.h"
#include "ranks/exchange.h"

/* ---- sizes --------------------------------------------------------------------- */

struct gs_item_window
gs_item_exchange_window(unsigned ranks, size_t window_bytes)
{
	const size_t block_bytes = gs_transport_block_bytes(ranks, window_bytes);

	return (struct gs_item_window){
		.ranks = ranks, .bytes = window_bytes, .block_bytes = block_bytes,
		.block_room = block_bytes - sizeof(struct gs_block) - sizeof(struct gs_class_head),
	};
}

/* Is there room for an item? */
static gs_status
check_item(const struct gs_item_exchange *exchange, size_t bytes)
{
	const unsigned ranks = exchange->all.ranks->size;

	if (bytes <= exchange->room)
		return GS_OK;
	for (uint64_t mib = 16; mib < 1 << 16; mib += mib / 16) {	/* of each rank */
		const struct gs_item_window window =
			gs_item_exchange_window(ranks, gs_transport_window_bytes(ranks, mib << 20));

		if (gs_item_window_room(&window, exchange->order->item_bytes) >= bytes)
			return gs_fail(GS_EBUDGET, "an item of %zu bytes is too large for %u ranks with this "
			               "memory: that needs -S %lluM", bytes, ranks, (unsigned long long)mib);
	}
	return gs_fail(GS_EINPUT, "an item of %zu bytes is too large for %u ranks; gsort sorts it in one "
	               "process", bytes, ranks);
}

/* ---- adding --------------------------------------------------------------------------------- */

/* Put items into blocks for OWNER; in the turn of their piece. */
static void
put(struct gs_item_exchange *exchange, unsigned owner, const char *data, size_t bytes)
{
	for (size_t some; bytes > 0; data += some, bytes -= some) {
		some = gs_exchange_put(&exchange->all, owner, 0, 8, data, bytes, true);
		if (some > 0)
			continue;
		/* an item that is larger than a block is in blocks of its own */
		some = gs_item_length(exchange->order, data, data + bytes);
		for (size_t at = 0; at < some;) {
			at += gs_exchange_put(&exchange->all, owner, 0, 8, data + at, some - at, false);
			gs_exchange_end_block(&exchange->all, owner, at < some);
		}
	}
}

static void
add(void *context, unsigned worker, uint64_t sequence, const struct gs_piece *piece)
{
	struct gs_item_exchange *exchange = context;
	struct gs_item_divider *divider = &exchange->dividers[worker];
	const char *data = piece->slices->data;
	const size_t bytes = piece->slices->bytes;
	const bool single = bytes > exchange->tables.piece_bytes;	/* an item larger than a piece */
	const unsigned ranks = exchange->all.ranks->size;
	const uint32_t length = (uint32_t)bytes;
	uint32_t offsets[GS_ITEM_BINS_MOST + 1];
	char *divided = (char *)divider->bytes + gs_round_up(gs_item_tables_bytes(&exchange->tables), 64);
	uint16_t owner;

	if (single)
		gs_item_owners_find(&exchange->owners, exchange->all.ranks->rank, &data, &length, 1, &owner);
	else
		gs_items_divide(exchange->order, NULL, piece->slices, bytes > 0, divider, offsets, divided);

	pthread_mutex_lock(&exchange->all.lock);
	while (exchange->turn != sequence)
		pthread_cond_wait(&exchange->turned, &exchange->all.lock);
	pthread_mutex_unlock(&exchange->all.lock);
	if (single)
		put(exchange, owner, data, bytes);
	for (unsigned o = 0; o < ranks && !single; o++)
		put(exchange, o, divided + offsets[o], offsets[o + 1] - offsets[o]);
	pthread_mutex_lock(&exchange->all.lock);
	exchange->turn++;
	pthread_cond_broadcast(&exchange->turned);
	pthread_mutex_unlock(&exchange->all.lock);

	if (worker == 0)
		(void)gs_exchange_step(&exchange->all);
}

static uint64_t
next_sequence(void *context, unsigned key_class, size_t count)
{
	struct gs_item_exchange *exchange = context;

	(void)key_class;
	exchange->sequence += count;
	return exchange->sequence - count;
}

/* ---- the network ---------------------------------------------------------------------------- */

static gs_status
reserve(void *context, size_t least, size_t small, size_t *room)
{
	struct gs_item_exchange *exchange = context;

	(void)small;
	TRY(check_item(exchange, least));
	return gs_exchange_wait(&exchange->all, exchange->room / 4 > least ? exchange->room / 4 : least,
	                        room);
}

/* ---- opening ---------------------------------------------------------------------- */

static gs_status
allocate(struct gs_item_exchange *exchange)
{
	const unsigned ranks = exchange->all.ranks->size, threads = exchange->all.threads;
	const size_t lengths = exchange->tables.lengths_room;
	const size_t each = gs_item_window_thread_bytes(&exchange->tables);

	TRY(check_item(exchange, exchange->order->item_bytes));
	TRY(gs_arena_open(&exchange->all.arena, gs_arena_round(threads * each), false));
	exchange->all.scratch = gs_arena_take(&exchange->all.arena, threads * each);
	TRY(GS_NEW(exchange->dividers, threads, "dividers"));
	TRY(GS_NEW(exchange->items, threads * (size_t)GS_ITEM_BINS_MOST, "bins"));
	TRY(GS_NEW(exchange->senders, ranks, "ranks"));
	TRY(GS_NEW(exchange->pieces, GS_RECEIVED_PIECES, "pieces"));
	for (unsigned t = 0; t < threads; t++) {
		char *memory = exchange->all.scratch + t * each;

		exchange->dividers[t] = (struct gs_item_divider){
			.owners = &exchange->owners, .origin = exchange->all.ranks->rank,
			.bytes = (uint32_t *)(void *)memory, .lengths = lengths,
			.found = (uint16_t *)(void *)(memory + lengths * sizeof(uint32_t)),
			.items = exchange->items + (size_t)t * GS_ITEM_BINS_MOST,
		};
	}
	return GS_OK;
}

static size_t
room_of(const struct gs_exchange *all, unsigned slots)
{
	const struct gs_item_exchange *exchange = (const struct gs_item_exchange *)all;

	return gs_item_window_slots_room(&exchange->window, exchange->order->item_bytes, slots);
}

gs_status
gs_item_exchange_open(struct gs_item_exchange *exchange, size_t window_bytes, struct gs_taker *taker)
{
	pthread_cond_init(&exchange->turned, NULL);
	exchange->window = gs_item_exchange_window(exchange->all.ranks->size, window_bytes);
	exchange->room = gs_item_window_room(&exchange->window, exchange->order->item_bytes);
	exchange->tables = gs_item_window_tables(&exchange->window, exchange->order->item_bytes,
	                                         exchange->all.threads);
	*taker = (struct gs_taker){
		.piece_bytes = exchange->tables.piece_bytes, .reserve = reserve,
		.next_sequence = next_sequence, .add = add, .context = exchange,
	};
	exchange->all.fit = gs_item_fit;
	exchange->all.room = room_of;
	exchange->all.land_one = gs_item_receive_piece;
	return gs_exchange_open(&exchange->all, window_bytes, allocate(exchange), gs_item_receive);
}

void
gs_item_exchange_close(struct gs_item_exchange *exchange)
{
	gs_exchange_close(&exchange->all);
	for (unsigned r = 0; exchange->senders != NULL && r < exchange->all.ranks->size; r++)
		free(exchange->senders[r].item.data);
	gs_item_owners_close(&exchange->owners);
	free(exchange->dividers);
	free(exchange->items);
	free(exchange->senders);
	free(exchange->pieces);
	*exchange = (struct gs_item_exchange){ .all.ranks = NULL };
}
