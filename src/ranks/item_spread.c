// SPDX-License-Identifier: BSD-2-Clause
/*
 * item_spread.c - items on their way from the rank that reads them to the rank that owns them
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
#include "ranks/spread.h"

/* ---- sizes --------------------------------------------------------------------- */

struct gs_item_window
gs_item_spread_window(unsigned ranks, size_t window_bytes)
{
	const size_t block_bytes = gs_exchange_block_bytes(ranks, window_bytes);

	return (struct gs_item_window){
		.ranks = ranks, .bytes = window_bytes, .block_bytes = block_bytes,
		.block_room = block_bytes - sizeof(struct gs_block) - sizeof(struct gs_segment),
	};
}

/* ---- opening ---------------------------------------------------------------------- */

/* Is there room for an item? */
static gs_status
check_item(const struct gs_item_spread *spread, size_t bytes)
{
	const unsigned ranks = spread->all.ranks->size;

	if (bytes <= spread->room)
		return GS_OK;
	for (uint64_t mib = 16; mib < 1 << 16; mib += mib / 16) {	/* of each rank */
		const struct gs_item_window window =
			gs_item_spread_window(ranks, gs_exchange_window_bytes(ranks, mib << 20));

		if (gs_item_window_room(&window, spread->order->item_bytes) >= bytes)
			return gs_fail(GS_EBUDGET, "an item of %zu bytes is too large for %u ranks with this "
			               "memory: that needs -S %lluM", bytes, ranks, (unsigned long long)mib);
	}
	return gs_fail(GS_EINPUT, "an item of %zu bytes is too large for %u ranks; gsort sorts it in one "
	               "process", bytes, ranks);
}

static gs_status
allocate(struct gs_item_spread *spread)
{
	const unsigned ranks = spread->all.ranks->size, threads = spread->all.threads;
	const size_t lengths = spread->tables.lengths_room;
	const size_t each = gs_item_window_thread_bytes(&spread->tables);

	TRY(check_item(spread, spread->order->item_bytes));
	TRY(gs_arena_open(&spread->all.arena, gs_arena_round(threads * each), false));
	spread->all.scratch = gs_arena_take(&spread->all.arena, threads * each);
	TRY(GS_NEW(spread->dividers, threads, "dividers"));
	TRY(GS_NEW(spread->items, threads * (size_t)GS_ITEM_BINS_MOST, "bins"));
	TRY(GS_NEW(spread->senders, ranks, "ranks"));
	TRY(GS_NEW(spread->rows, GS_ROWS, "pieces"));
	for (unsigned t = 0; t < threads; t++) {
		char *memory = spread->all.scratch + t * each;

		spread->dividers[t] = (struct gs_item_divider){
			.owners = &spread->owners, .origin = spread->all.ranks->rank,
			.bytes = (uint32_t *)(void *)memory, .lengths = lengths,
			.found = (uint16_t *)(void *)(memory + lengths * sizeof(uint32_t)),
			.items = spread->items + (size_t)t * GS_ITEM_BINS_MOST,
		};
	}
	return GS_OK;
}

static size_t
room_of(const struct gs_spread *all, unsigned slots)
{
	const struct gs_item_spread *spread = (const struct gs_item_spread *)all;

	return gs_item_window_slots_room(&spread->window, spread->order->item_bytes, slots);
}

gs_status
gs_item_spread_open(struct gs_item_spread *spread, size_t window_bytes)
{
	pthread_cond_init(&spread->turned, NULL);
	spread->window = gs_item_spread_window(spread->all.ranks->size, window_bytes);
	spread->room = gs_item_window_room(&spread->window, spread->order->item_bytes);
	spread->tables = gs_item_window_tables(&spread->window, spread->order->item_bytes,
	                                       spread->all.threads);
	spread->all.fit = gs_item_land_fit;
	spread->all.room = room_of;
	spread->all.land_one = gs_item_land_row;
	return gs_spread_open(&spread->all, window_bytes, allocate(spread), gs_item_land);
}

void
gs_item_spread_close(struct gs_item_spread *spread)
{
	gs_spread_close(&spread->all);
	for (unsigned r = 0; spread->senders != NULL && r < spread->all.ranks->size; r++)
		free(spread->senders[r].item);
	gs_item_owners_close(&spread->owners);
	free(spread->dividers);
	free(spread->items);
	free(spread->senders);
	free(spread->rows);
	*spread = (struct gs_item_spread){ .all.ranks = NULL };
}

/* ---- adding --------------------------------------------------------------------------------- */

/* Put items into blocks for OWNER; in the turn of their piece. */
static void
put(struct gs_item_spread *spread, unsigned owner, const char *data, size_t bytes)
{
	for (size_t some; bytes > 0; data += some, bytes -= some) {
		some = gs_spread_put(&spread->all, owner, 0, 8, data, bytes, true);
		if (some > 0)
			continue;
		/* an item that is larger than a block is in blocks of its own */
		some = gs_item_length(spread->order, data, data + bytes);
		for (size_t at = 0; at < some;) {
			at += gs_spread_put(&spread->all, owner, 0, 8, data + at, some - at, false);
			gs_spread_end_block(&spread->all, owner, at < some);
		}
	}
}

static void
add(void *context, unsigned worker, uint64_t sequence, const struct gs_piece *piece)
{
	struct gs_item_spread *spread = context;
	struct gs_item_divider *divider = &spread->dividers[worker];
	const char *data = piece->slices->data;
	const size_t bytes = piece->slices->bytes;
	const bool single = bytes > spread->tables.piece_bytes;	/* an item that no piece has room for */
	const unsigned ranks = spread->all.ranks->size;
	const uint32_t length = (uint32_t)bytes;
	uint32_t offsets[GS_ITEM_BINS_MOST + 1];
	char *divided = (char *)divider->bytes + gs_round_up(gs_item_tables_bytes(&spread->tables), 64);
	uint16_t owner;

	if (single)
		gs_item_owners_find(&spread->owners, spread->all.ranks->rank, &data,
		                    spread->order->item_bytes > 0 ? NULL : &length, 1, &owner);
	else
		gs_items_divide(spread->order, NULL, piece->slices, bytes > 0, divider, offsets, divided);

	pthread_mutex_lock(&spread->all.lock);
	while (spread->turn != sequence)
		pthread_cond_wait(&spread->turned, &spread->all.lock);
	pthread_mutex_unlock(&spread->all.lock);
	if (single)
		put(spread, owner, data, bytes);
	for (unsigned o = 0; o < ranks && !single; o++)
		put(spread, o, divided + offsets[o], offsets[o + 1] - offsets[o]);
	pthread_mutex_lock(&spread->all.lock);
	spread->turn++;
	pthread_cond_broadcast(&spread->turned);
	pthread_mutex_unlock(&spread->all.lock);

	if (worker == 0)
		(void)gs_spread_step(&spread->all);
}

static uint64_t
next_sequence(void *context, unsigned key_class, size_t count)
{
	struct gs_item_spread *spread = context;

	(void)key_class;
	spread->sequence += count;
	return spread->sequence - count;
}

/* ---- the network ---------------------------------------------------------------------------- */

static gs_status
reserve(void *context, size_t least, size_t small, size_t *room)
{
	struct gs_item_spread *spread = context;

	(void)small;
	TRY(check_item(spread, least));
	return gs_spread_wait(&spread->all, spread->room / 4 > least ? spread->room / 4 : least, room);
}

struct gs_taker
gs_item_spread_taker(struct gs_item_spread *spread)
{
	return (struct gs_taker){
		.piece_bytes = spread->tables.piece_bytes, .reserve = reserve, .next_sequence = next_sequence,
		.add = add, .context = spread,
	};
}
