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
#include "job/spread.h"

/* ---- sizes --------------------------------------------------------------------- */

struct gs_item_window
gs_item_spread_window(unsigned ranks, size_t window_bytes)
{
	const size_t block_bytes = gs_exchange_block_bytes(ranks, window_bytes);

	return (struct gs_item_window){
		.ranks = ranks, .bytes = window_bytes, .block_bytes = block_bytes,
		.block_room = block_bytes - sizeof(struct gs_block),
	};
}

/* ---- opening ---------------------------------------------------------------------- */

/* The MiB of each rank that an item of BYTES needs; 0: no memory is enough. */
static uint64_t
memory_for(const struct gs_item_order *order, unsigned ranks, size_t bytes)
{
	for (uint64_t mib = 16; mib < 1 << 16; mib += mib / 16) {
		const struct gs_item_window window =
			gs_item_spread_window(ranks, gs_exchange_window_bytes(ranks, mib << 20));

		if (gs_item_window_room(&window, order->item_bytes) >= bytes)
			return mib;
	}
	return 0;
}

/* Is there room for an item? */
static gs_status
check_item(const struct gs_item_spread *spread, size_t bytes)
{
	uint64_t needed;

	if (bytes <= spread->room)
		return GS_OK;
	needed = memory_for(spread->order, spread->ranks->size, bytes);
	return needed == 0
	       ? gs_fail(GS_EINPUT, "an item of %zu bytes is too large for %u ranks; gsort sorts it in one "
	                 "process", bytes, spread->ranks->size)
	       : gs_fail(GS_EBUDGET, "an item of %zu bytes is too large for %u ranks with this memory: that "
	                 "needs -S %lluM", bytes, spread->ranks->size, (unsigned long long)needed);
}

static gs_status
allocate(struct gs_item_spread *spread)
{
	const unsigned ranks = spread->ranks->size, threads = spread->threads;
	const size_t lengths = spread->tables.lengths_room;
	const size_t each = gs_item_window_thread_bytes(&spread->tables);

	TRY(check_item(spread, spread->order->item_bytes));
	TRY(gs_arena_open(&spread->arena, gs_arena_round(threads * each), false));
	spread->scratch = gs_arena_take(&spread->arena, threads * each);
	TRY(GS_NEW(spread->dividers, threads, "dividers"));
	TRY(GS_NEW(spread->items, threads * (size_t)GS_ITEM_BINS_MOST, "bins"));
	TRY(GS_NEW(spread->blocks, ranks, "blocks"));
	TRY(GS_NEW(spread->sources, ranks, "ranks"));
	for (unsigned t = 0; t < threads; t++) {
		char *memory = spread->scratch + t * each;

		spread->dividers[t] = (struct gs_item_divider){
			.owners = &spread->owners, .origin = spread->ranks->rank,
			.bytes = (uint32_t *)(void *)memory, .lengths = lengths,
			.found = (uint16_t *)(void *)(memory + lengths * sizeof(uint32_t)),
			.items = spread->items + (size_t)t * GS_ITEM_BINS_MOST,
		};
	}
	return GS_OK;
}

gs_status
gs_item_spread_open(struct gs_item_spread *spread, size_t window_bytes)
{
	pthread_mutex_init(&spread->lock, NULL);
	pthread_cond_init(&spread->turned, NULL);
	gs_first_error_open(&spread->error);
	spread->window = gs_item_spread_window(spread->ranks->size, window_bytes);
	spread->room = gs_item_window_room(&spread->window, spread->order->item_bytes);
	spread->tables = gs_item_window_tables(&spread->window, spread->order->item_bytes, spread->threads);
	TRY(gs_ranks_agree(spread->ranks, allocate(spread)));
	TRY(gs_exchange_open(&spread->exchange, spread->ranks, window_bytes));
	spread->exchange.land = gs_item_land;
	spread->exchange.land_context = spread;
	return GS_OK;
}

void
gs_item_spread_close(struct gs_item_spread *spread)
{
	gs_exchange_close(&spread->exchange);
	gs_arena_close(&spread->arena);
	for (unsigned r = 0; spread->sources != NULL && r < spread->ranks->size; r++)
		free(spread->sources[r].item);
	gs_item_owners_close(&spread->owners);
	free(spread->dividers);
	free(spread->items);
	free(spread->blocks);
	free(spread->sources);
	*spread = (struct gs_item_spread){ .ranks = NULL };
}

/* ---- blocks ----------------------------------------------------------------------------- */

static void
end_block(struct gs_item_spread *spread, unsigned owner, bool goes_on)
{
	struct gs_item_block *block = &spread->blocks[owner];

	if (!block->any)
		return;
	gs_exchange_block(&spread->exchange, block->slot)->goes_on = goes_on;
	gs_exchange_block(&spread->exchange, block->slot)->operand = spread->operand & ((1U << 30) - 1);
	gs_exchange_post(&spread->exchange, block->slot, owner, block->bytes);
	block->any = false;
}

static void
begin_block(struct gs_item_spread *spread, struct gs_item_block *block)
{
	if (block->any)
		return;
	*block = (struct gs_item_block){
		.any = true, .slot = gs_exchange_take(&spread->exchange),
		.bytes = sizeof(struct gs_block),
	};
}

/* Append bytes for which there is room. */
static void
put(struct gs_item_spread *spread, struct gs_item_block *block, const char *data, size_t bytes)
{
	memcpy((char *)gs_exchange_block(&spread->exchange, block->slot) + block->bytes, data, bytes);
	block->bytes += bytes;
}

/* An item that is larger than a block: in blocks of its own. */
static void
append_large(struct gs_item_spread *spread, unsigned owner, const char *data, size_t bytes)
{
	struct gs_item_block *block = &spread->blocks[owner];
	const size_t most = spread->exchange.window.block_bytes - sizeof(struct gs_block);

	for (size_t at = 0, some; at < bytes; at += some) {
		some = bytes - at < most ? bytes - at : most;
		begin_block(spread, block);
		put(spread, block, data + at, some);
		end_block(spread, owner, at + some < bytes);
	}
}

/* Append items for OWNER; in the turn of their piece. */
static void
append(struct gs_item_spread *spread, unsigned owner, const char *data, size_t bytes)
{
	struct gs_item_block *block = &spread->blocks[owner];

	while (bytes > 0) {
		size_t some;

		begin_block(spread, block);
		some = gs_item_land_fit(spread, data, bytes,
		                        spread->exchange.window.block_bytes - block->bytes);
		if (some > 0) {
			put(spread, block, data, some);
		} else if (block->bytes > sizeof(struct gs_block)) {
			end_block(spread, owner, false);
		} else {
			some = gs_item_length(spread->order, data, data + bytes);
			append_large(spread, owner, data, some);
		}
		data += some;
		bytes -= some;
	}
}

/* What follows is from another input: blocks of a set have one each. */
static void
begin_operand(struct gs_item_spread *spread, unsigned operand)
{
	if (!spread->operands || operand == spread->operand)
		return;
	for (unsigned o = 0; o < spread->ranks->size; o++)
		end_block(spread, o, false);
	spread->operand = operand;
}

/* ---- adding --------------------------------------------------------------------------------- */

static void
begin_turn(struct gs_item_spread *spread, uint64_t sequence)
{
	pthread_mutex_lock(&spread->lock);
	while (spread->turn != sequence)
		pthread_cond_wait(&spread->turned, &spread->lock);
	pthread_mutex_unlock(&spread->lock);
}

static void
end_turn(struct gs_item_spread *spread)
{
	pthread_mutex_lock(&spread->lock);
	spread->turn++;
	pthread_cond_broadcast(&spread->turned);
	pthread_mutex_unlock(&spread->lock);
}

/* A single item that no piece has room for. */
static unsigned
owner_of(const struct gs_item_spread *spread, const char *item, size_t bytes)
{
	const uint32_t length = (uint32_t)bytes;
	uint16_t owner;

	gs_item_owners_find(&spread->owners, spread->ranks->rank, &item,
	                    spread->order->item_bytes > 0 ? NULL : &length, 1, &owner);
	return owner;
}

static void
add(void *context, unsigned worker, uint64_t sequence, const struct gs_piece *piece)
{
	struct gs_item_spread *spread = context;
	struct gs_item_divider *divider = &spread->dividers[worker];
	const char *data = piece->slices->data;
	const size_t bytes = piece->slices->bytes;
	const unsigned ranks = spread->ranks->size;
	uint32_t offsets[GS_ITEM_BINS_MOST + 1];
	char *divided = (char *)divider->bytes + gs_round_up(gs_item_tables_bytes(&spread->tables), 64);
	bool moved = false;

	if (bytes <= spread->tables.piece_bytes)
		gs_items_divide(spread->order, NULL, piece->slices, bytes > 0, divider, offsets, divided);
	begin_turn(spread, sequence);
	begin_operand(spread, piece->origin);
	if (bytes > spread->tables.piece_bytes)
		append(spread, owner_of(spread, data, bytes), data, bytes);
	else
		for (unsigned o = 0; o < ranks; o++)
			append(spread, o, divided + offsets[o], offsets[o + 1] - offsets[o]);
	end_turn(spread);
	if (worker == 0)
		(void)gs_first_error_note(&spread->error, gs_exchange_step(&spread->exchange, &moved));
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
	const size_t wish = spread->room / 4 > least ? spread->room / 4 : least;
	unsigned idle = 0;

	(void)small;
	TRY(check_item(spread, least));
	do {
		if (atomic_load(&spread->error.any))
			return gs_first_error_close(&spread->error);
		TRY(gs_exchange_turn(&spread->exchange, &idle));
		*room = gs_item_window_slots_room(&spread->window, spread->order->item_bytes,
		                                  spread->exchange.free_count);
	} while (*room < wish || spread->exchange.arrived_count > spread->exchange.window.takes / 2);
	return GS_OK;
}

struct gs_taker
gs_item_spread_taker(struct gs_item_spread *spread)
{
	return (struct gs_taker){
		.piece_bytes = spread->tables.piece_bytes, .reserve = reserve, .next_sequence = next_sequence,
		.add = add, .context = spread,
	};
}

gs_status
gs_item_spread_finish(struct gs_item_spread *spread)
{
	if (atomic_load(&spread->error.any))
		return gs_first_error_close(&spread->error);
	for (unsigned o = 0; o < spread->ranks->size; o++)
		end_block(spread, o, false);
	TRY(gs_exchange_drain(&spread->exchange));
	gs_arena_close(&spread->arena);
	return GS_OK;
}
