// SPDX-License-Identifier: BSD-2-Clause
/*
 * spread.c - elements on their way from the rank that reads them to the rank that owns them
 *
 * In:   keys (key_spread.c) or items (item_spread.c), divided by owner.
 * Out:  blocks for their owners.
 *
 * Behind the header of a block come segments: class, number of elements, elements.
 *
 * No rank waits for ever, with keys as with items (item_spread.c), as long as none fails: one that
 * fails ends all.
 *
 * 1. A thread that adds waits for no rank.  reserve() promises room only for slots that are free,
 *    and counts the blocks that each owner may begin, so gs_exchange_take() finds one.  Items wait
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
#include "ranks/spread.h"

gs_status
gs_spread_open(struct gs_spread *spread, size_t window_bytes, gs_status status,
               gs_status (*land)(void *context, bool *moved))
{
	const unsigned ranks = spread->ranks->size;
	const size_t slots = window_bytes / gs_exchange_block_bytes(ranks, window_bytes);

	pthread_mutex_init(&spread->lock, NULL);
	pthread_mutex_init(&spread->landing, NULL);
	gs_first_error_open(&spread->error);
	THEN(status, GS_NEW(spread->blocks, ranks, "blocks"));
	THEN(status, GS_NEW(spread->writers, slots, "slots"));
	TRY(gs_ranks_agree(spread->ranks, status));
	for (unsigned r = 0; r < ranks; r++)
		pthread_mutex_init(&spread->blocks[r].lock, NULL);
	TRY(gs_exchange_open(&spread->exchange, spread->ranks, window_bytes));
	spread->exchange.land = land;
	spread->exchange.land_context = spread;
	return GS_OK;
}

void
gs_spread_close(struct gs_spread *spread)
{
	gs_exchange_close(&spread->exchange);
	gs_arena_close(&spread->arena);
	free(spread->blocks);
	free(spread->writers);
}

/* ---- filling blocks --------------------------------------------------------------------- */

void
gs_spread_end_block(struct gs_spread *spread, unsigned owner, bool goes_on)
{
	struct gs_open_block *open = &spread->blocks[owner];

	if (open->block == NULL)
		return;
	open->block->goes_on = goes_on;
	open->block = NULL;
	if (spread->writers[open->slot].count > 0)
		spread->writers[open->slot].bytes = open->bytes;
	else
		gs_exchange_post(&spread->exchange, open->slot, owner, open->bytes);
}

/* The bytes of a class for which the open block has room.  Begins it, or a segment, if need be. */
static size_t
find_room(struct gs_spread *spread, struct gs_open_block *open, unsigned key_class, unsigned key_bits)
{
	const size_t most = spread->exchange.window.block_bytes;

	if (open->block == NULL) {
		open->slot = gs_exchange_take(&spread->exchange);
		open->block = gs_exchange_block(&spread->exchange, open->slot);
		open->bytes = sizeof(struct gs_block);
		open->segment = NULL;
	}
	if (open->segment == NULL || open->segment->key_class != key_class) {
		const size_t begin = gs_round_up(open->bytes, 8);

		if (begin + sizeof(struct gs_segment) + key_bits / 8 > most)
			return 0;
		open->segment = (struct gs_segment *)(void *)((char *)open->block + begin);
		open->bytes = begin + sizeof(struct gs_segment);
		*open->segment = (struct gs_segment){ .key_class = key_class, .key_bits = key_bits };
	}
	return most - open->bytes;
}

/* Threads find room in turn, and copy at once. */
size_t
gs_spread_put(struct gs_spread *spread, unsigned owner, unsigned key_class, unsigned key_bits,
              const char *data, size_t bytes, bool whole)
{
	struct gs_open_block *open = &spread->blocks[owner];
	struct gs_writers *writers;
	unsigned slot;
	size_t some;
	char *to;

	pthread_mutex_lock(&open->lock);
	for (;;) {
		some = gs_least(find_room(spread, open, key_class, key_bits), bytes);
		if (whole)
			some = spread->fit == NULL ? some - some % (key_bits / 8)
			                           : spread->fit(spread, data, bytes, some);
		if (some > 0 || open->bytes == sizeof(struct gs_block) + sizeof(struct gs_segment))
			break;
		gs_spread_end_block(spread, owner, false);
	}
	slot = open->slot;
	writers = &spread->writers[slot];
	to = (char *)open->block + open->bytes;
	open->segment->count += (uint32_t)(some / (key_bits / 8));
	open->bytes += some;
	writers->count++;
	pthread_mutex_unlock(&open->lock);
	memcpy(to, data, some);
	pthread_mutex_lock(&open->lock);
	if (--writers->count == 0 && writers->bytes > 0) {
		gs_exchange_post(&spread->exchange, slot, owner, writers->bytes);
		writers->bytes = 0;
	}
	pthread_mutex_unlock(&open->lock);
	return some;
}

/* ---- landing ---------------------------------------------------------------------------- */

void
gs_spread_land_some(struct gs_spread *spread, unsigned worker)
{
	pthread_mutex_lock(&spread->landing);
	while (spread->claimed < spread->ready) {
		const unsigned at = spread->claimed++;

		pthread_mutex_unlock(&spread->landing);
		spread->land_one(spread, worker, at);
		pthread_mutex_lock(&spread->landing);
		spread->done++;
	}
	pthread_mutex_unlock(&spread->landing);
}

static void
land_team(void *context, unsigned rank, unsigned size)
{
	(void)size;
	gs_spread_land_some(context, rank);
}

void
gs_spread_land_all(struct gs_spread *spread, unsigned count)
{
	uint64_t since = gs_clock_now();

	spread->ready = count;
	gs_team_run((unsigned)gs_least(count, spread->threads), land_team, spread);
	spread->ready = spread->claimed = spread->done = 0;
	gs_clock_lap(&spread->monitor->clock, GS_STAGE_SORT, &since);
}

/* ---- the network ------------------------------------------------------------------------ */

bool
gs_spread_step(struct gs_spread *spread)
{
	bool moved = false;

	return gs_first_error_note(&spread->error, gs_exchange_step(&spread->exchange, &moved));
}

gs_status
gs_spread_wait(struct gs_spread *spread, size_t wish, size_t *room)
{
	unsigned idle = 0;

	do {
		TRY(gs_first_error_now(&spread->error));
		TRY(gs_exchange_turn(&spread->exchange, &idle));
		*room = spread->room(spread, spread->exchange.free_count);
	} while (*room < wish || spread->exchange.arrived_count > spread->exchange.window.takes / 2);
	return GS_OK;
}

gs_status
gs_spread_drain(struct gs_spread *spread)
{
	TRY(gs_first_error_now(&spread->error));
	for (unsigned o = 0; o < spread->ranks->size; o++)
		gs_spread_end_block(spread, o, false);
	TRY(gs_exchange_drain(&spread->exchange));
	gs_arena_close(&spread->arena);
	return GS_OK;
}
