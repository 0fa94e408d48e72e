// SPDX-License-Identifier: BSD-2-Clause
/*
 * exchange.c - elements on their way from the rank that reads them to the rank that owns them
 *
 * In:   keys (key_exchange.c) or items (item_exchange.c), divided by owner.
 * Out:  blocks for their owners.
 *
 * Behind the header of a block come elements, class by class, each behind a head.
 *
 * No rank waits for ever, with keys as with items (item_exchange.c), as long as none fails: one that
 * fails ends all.
 *
 * 1. A thread that adds waits for no rank.  reserve() promises room only for slots that are free,
 *    and counts the blocks that each owner may begin, so gs_transport_take() finds one.  Items wait
 *    for their turn, but the piece whose turn it is waits for nothing.
 * 2. Only the owner thread waits for slots: in reserve() and in finish().  There it steps the
 *    network and lands what arrives, again and again.
 * 3. Landing sends nothing, so it waits for no rank.  Keys land in any order, at least one block at
 *    a time.  A block of items may be early; the one it waits for was sent before it, and needs no
 *    other slot than the one in which it already arrives.  A part of a large item is copied out.
 * 4. So each slot that takes becomes free again, and each block that was posted leaves its slot.
 *    Open blocks do not: at most one an owner.  The wish of reserve() is at most the room of the
 *    other slots, so it comes true; finish() posts the open blocks first, so all slots come back.
 * 5. Splitters of keys that are held are made by all ranks together.  Each rank makes them once, in
 *    reserve() or in finish(), and sends no block before; so no other rank waits for one.
 */
#include <stdlib.h>
#include <string.h>

#include "base/round.h"
#include "base/team.h"
#include "ranks/exchange.h"

gs_status
gs_exchange_open(struct gs_exchange *exchange, size_t window_bytes, gs_status status,
                 gs_status (*land)(void *context, bool *moved))
{
	const unsigned ranks = exchange->ranks->size;
	const size_t slots = window_bytes / gs_transport_block_bytes(ranks, window_bytes);

	pthread_mutex_init(&exchange->lock, NULL);
	pthread_mutex_init(&exchange->landing, NULL);
	gs_first_error_open(&exchange->error);
	THEN(status, GS_NEW(exchange->blocks, ranks, "blocks"));
	THEN(status, GS_NEW(exchange->writers, slots, "slots"));
	TRY(gs_ranks_agree(exchange->ranks, status));
	for (unsigned r = 0; r < ranks; r++)
		pthread_mutex_init(&exchange->blocks[r].lock, NULL);
	TRY(gs_transport_open(&exchange->transport, exchange->ranks, window_bytes));
	exchange->transport.land = land;
	exchange->transport.land_context = exchange;
	return GS_OK;
}

void
gs_exchange_close(struct gs_exchange *exchange)
{
	gs_transport_close(&exchange->transport);
	gs_arena_close(&exchange->arena);
	free(exchange->blocks);
	free(exchange->writers);
}

/* ---- filling blocks --------------------------------------------------------------------- */

void
gs_exchange_end_block(struct gs_exchange *exchange, unsigned owner, bool goes_on)
{
	struct gs_open_block *open = &exchange->blocks[owner];

	if (open->block == NULL)
		return;
	open->block->goes_on = goes_on;
	open->block = NULL;
	if (exchange->writers[open->slot].count > 0)
		exchange->writers[open->slot].bytes = open->bytes;
	else
		gs_transport_post(&exchange->transport, open->slot, owner, open->bytes);
}

/* The bytes of a class for which the open block has room.  Begins it, or a class, if need be. */
static size_t
find_room(struct gs_exchange *exchange, struct gs_open_block *open, unsigned key_class, unsigned key_bits)
{
	const size_t most = exchange->transport.window.block_bytes;

	if (open->block == NULL) {
		open->slot = gs_transport_take(&exchange->transport);
		open->block = gs_transport_block(&exchange->transport, open->slot);
		open->bytes = sizeof(struct gs_block);
		open->head = NULL;
	}
	if (open->head == NULL || open->head->key_class != key_class) {
		const size_t begin = gs_round_up(open->bytes, 8);

		if (begin + sizeof(struct gs_class_head) + key_bits / 8 > most)
			return 0;
		open->head = (struct gs_class_head *)(void *)((char *)open->block + begin);
		open->bytes = begin + sizeof(struct gs_class_head);
		*open->head = (struct gs_class_head){ .key_class = key_class, .key_bits = key_bits };
	}
	return most - open->bytes;
}

/* Threads find room in turn, and copy at once. */
size_t
gs_exchange_put(struct gs_exchange *exchange, unsigned owner, unsigned key_class, unsigned key_bits,
                const char *data, size_t bytes, bool whole)
{
	struct gs_open_block *open = &exchange->blocks[owner];
	struct gs_writers *writers;
	unsigned slot;
	size_t some;
	char *to;

	pthread_mutex_lock(&open->lock);
	for (;;) {
		some = gs_least(find_room(exchange, open, key_class, key_bits), bytes);
		if (whole)
			some = exchange->fit == NULL ? some - some % (key_bits / 8)
			                           : exchange->fit(exchange, data, bytes, some);
		if (some > 0 || open->bytes == sizeof(struct gs_block) + sizeof(struct gs_class_head))
			break;
		gs_exchange_end_block(exchange, owner, false);
	}
	slot = open->slot;
	writers = &exchange->writers[slot];
	to = (char *)open->block + open->bytes;
	open->head->count += (uint32_t)(some / (key_bits / 8));
	open->bytes += some;
	writers->count++;
	pthread_mutex_unlock(&open->lock);
	memcpy(to, data, some);
	pthread_mutex_lock(&open->lock);
	if (--writers->count == 0 && writers->bytes > 0) {
		gs_transport_post(&exchange->transport, slot, owner, writers->bytes);
		writers->bytes = 0;
	}
	pthread_mutex_unlock(&open->lock);
	return some;
}

/* ---- landing ---------------------------------------------------------------------------- */

void
gs_exchange_land_some(struct gs_exchange *exchange, unsigned worker)
{
	pthread_mutex_lock(&exchange->landing);
	while (exchange->claimed < exchange->ready) {
		const unsigned at = exchange->claimed++;

		pthread_mutex_unlock(&exchange->landing);
		exchange->land_one(exchange, worker, at);
		pthread_mutex_lock(&exchange->landing);
		exchange->done++;
	}
	pthread_mutex_unlock(&exchange->landing);
}

static void
land_team(void *context, unsigned rank, unsigned size)
{
	(void)size;
	gs_exchange_land_some(context, rank);
}

void
gs_exchange_land_all(struct gs_exchange *exchange, unsigned count)
{
	uint64_t since = gs_clock_now();

	exchange->ready = count;
	gs_team_run((unsigned)gs_least(count, exchange->threads), land_team, exchange);
	exchange->ready = exchange->claimed = exchange->done = 0;
	gs_clock_lap(&exchange->monitor->clock, GS_STAGE_SORT, &since);
}

/* ---- the network ------------------------------------------------------------------------ */

bool
gs_exchange_step(struct gs_exchange *exchange)
{
	bool moved = false;

	return gs_first_error_note(&exchange->error, gs_transport_step(&exchange->transport, &moved));
}

gs_status
gs_exchange_wait(struct gs_exchange *exchange, size_t wish, size_t *room)
{
	unsigned idle = 0;

	do {
		TRY(gs_first_error_now(&exchange->error));
		TRY(gs_transport_turn(&exchange->transport, &idle));
		*room = exchange->room(exchange, exchange->transport.free_count);
	} while (*room < wish || exchange->transport.arrived_count > exchange->transport.window.takes / 2);
	return GS_OK;
}

gs_status
gs_exchange_drain(struct gs_exchange *exchange)
{
	TRY(gs_first_error_now(&exchange->error));
	for (unsigned o = 0; o < exchange->ranks->size; o++)
		gs_exchange_end_block(exchange, o, false);
	TRY(gs_transport_drain(&exchange->transport));
	gs_arena_close(&exchange->arena);
	return GS_OK;
}
