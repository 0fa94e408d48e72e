// SPDX-License-Identifier: BSD-2-Clause
/*
 * exchange.c - blocks on their way between ranks
 *
 * In:   blocks that threads of this rank have filled.
 * Out:  blocks for this rank.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/round.h"
#include "ranks/net/ranks.h"

/*
 * A block is as large as the window allows, within these: less costs a message for few keys, more
 * leaves the cache.  Two ranks with an H200 each read and exchange 2^32 u64, seconds: with windows of
 * 32 MiB 1.18 to 1.27 (7 runs), of 64 MiB 1.15 and 1.17, of 128 MiB 1.15 and 1.19.  Blocks are not
 * tuned.
 */
#define LEAST_BLOCK	((size_t)4 << 10)
#define MOST_BLOCK	((size_t)256 << 10)
#define WINDOW_BYTES	((size_t)32 << 20)	/* of few ranks with much memory */
#define LEAST_WINDOW	((size_t)1 << 20)

/* ---- sizes --------------------------------------------------------------------- */

size_t
gs_exchange_block_bytes(unsigned ranks, size_t window_bytes)
{
	size_t bytes = MOST_BLOCK;

	while (bytes > LEAST_BLOCK && bytes * 8 * ranks > window_bytes)
		bytes /= 2;
	return bytes;
}

size_t
gs_exchange_window_bytes(unsigned ranks, uint64_t memory_bytes)
{
	const size_t most = 8 * ranks * MOST_BLOCK, least = 8 * ranks * LEAST_BLOCK;

	return gs_within(LEAST_WINDOW > least ? LEAST_WINDOW : least, memory_bytes / 8,
	                 WINDOW_BYTES > most ? WINDOW_BYTES : most);
}

/* ---- opening -------------------------------------------------------------------- */

gs_status
gs_exchange_open(struct gs_exchange *exchange, struct gs_ranks *ranks, size_t window_bytes)
{
	const size_t block = gs_exchange_block_bytes(ranks->size, window_bytes);
	const unsigned slots = (unsigned)(window_bytes / block), takes = slots / 4, gives = slots - takes;
	gs_status status;

	*exchange = (struct gs_exchange){
		.ranks = ranks, .window = { .block_bytes = block, .takes = takes, .gives = gives },
	};
	pthread_mutex_init(&exchange->lock, NULL);
	status = GS_NEW(exchange->free_slots, gives, "slots");
	THEN(status, GS_NEW(exchange->parcels, gives, "blocks"));
	THEN(status, GS_NEW(exchange->posted, ranks->size, "ranks"));
	THEN(status, GS_NEW(exchange->given, gives, "blocks"));
	THEN(status, GS_NEW(exchange->taken, takes, "blocks"));
	THEN(status, GS_NEW(exchange->arrived, slots, "blocks"));
	TRY(gs_ranks_agree(ranks, status));
	while (exchange->free_count < gives) {
		exchange->free_slots[exchange->free_count] = gives - 1 - exchange->free_count;
		exchange->free_count++;
	}
	exchange->open = true;
	return gs_ranks_open(ranks, &exchange->window);
}

void
gs_exchange_close(struct gs_exchange *exchange)
{
	if (exchange->ranks == NULL)
		return;
	if (exchange->open)
		exchange->ranks->calls->close(exchange->ranks);
	pthread_mutex_destroy(&exchange->lock);
	free(exchange->free_slots);
	free(exchange->parcels);
	free(exchange->posted);
	free(exchange->given);
	free(exchange->taken);
	free(exchange->arrived);
	*exchange = (struct gs_exchange){ .ranks = NULL };
}

/* ---- sending ---------------------------------------------------------------------- */

unsigned
gs_exchange_take(struct gs_exchange *exchange)
{
	unsigned slot;

	pthread_mutex_lock(&exchange->lock);
	assert(exchange->free_count > 0);
	slot = exchange->free_slots[--exchange->free_count];
	pthread_mutex_unlock(&exchange->lock);
	return slot;
}

struct gs_block *
gs_exchange_block(const struct gs_exchange *exchange, unsigned slot)
{
	return (struct gs_block *)(void *)(exchange->window.memory +
	                                   slot * exchange->window.block_bytes);
}

/* Append a parcel; with the lock. */
static void
enqueue(struct gs_exchange *exchange, unsigned slot, unsigned to)
{
	const unsigned at = exchange->parcel_first + exchange->parcel_count++;

	exchange->parcels[at % exchange->window.gives] = (struct gs_parcel){ slot, to };
}

void
gs_exchange_post(struct gs_exchange *exchange, unsigned slot, unsigned to, size_t bytes)
{
	struct gs_block *block = gs_exchange_block(exchange, slot);

	assert(bytes >= sizeof *block);
	block->bytes = bytes;
	block->from = exchange->ranks->rank;
	pthread_mutex_lock(&exchange->lock);
	block->number = exchange->posted[to]++;
	enqueue(exchange, slot, to);
	pthread_mutex_unlock(&exchange->lock);
}

void
gs_exchange_end(struct gs_exchange *exchange, unsigned to)
{
	const unsigned slot = gs_exchange_take(exchange);
	struct gs_block *block = gs_exchange_block(exchange, slot);

	pthread_mutex_lock(&exchange->lock);
	*block = (struct gs_block){ .number = exchange->posted[to], .from = exchange->ranks->rank };
	enqueue(exchange, slot, to);
	pthread_mutex_unlock(&exchange->lock);
}

/* ---- the calling thread -------------------------------------------------------------- */

static void
give_back(struct gs_exchange *exchange, const unsigned *slots, unsigned count)
{
	pthread_mutex_lock(&exchange->lock);
	memcpy(exchange->free_slots + exchange->free_count, slots, count * sizeof *slots);
	exchange->free_count += count;
	pthread_mutex_unlock(&exchange->lock);
}

gs_status
gs_exchange_step(struct gs_exchange *exchange, bool *moved)
{
	struct gs_ranks *ranks = exchange->ranks;
	const unsigned gives = exchange->window.gives;
	unsigned given, taken, count;

	pthread_mutex_lock(&exchange->lock);
	count = exchange->parcel_count;
	pthread_mutex_unlock(&exchange->lock);
	for (unsigned p = 0; p < count; p++) {		/* others only append */
		const struct gs_parcel parcel = exchange->parcels[(exchange->parcel_first + p) % gives];
		struct gs_block *block = gs_exchange_block(exchange, parcel.slot);

		if (parcel.to == ranks->rank)
			exchange->arrived[exchange->arrived_count++] = (struct gs_arrived){
				block, parcel.slot,
			};
		else
			TRY(ranks->calls->give(ranks, parcel.slot, parcel.to,
			                       block->bytes > 0 ? block->bytes : sizeof *block));
	}
	pthread_mutex_lock(&exchange->lock);
	exchange->parcel_first = (exchange->parcel_first + count) % gives;
	exchange->parcel_count -= count;
	pthread_mutex_unlock(&exchange->lock);

	TRY(ranks->calls->poll(ranks, exchange->given, &given, exchange->taken, &taken));
	*moved |= count > 0 || given > 0 || taken > 0;
	for (unsigned t = 0; t < taken; t++)
		exchange->arrived[exchange->arrived_count++] = (struct gs_arrived){
			(struct gs_block *)(void *)exchange->taken[t].data, gives + exchange->taken[t].slot,
		};
	if (given > 0)
		give_back(exchange, exchange->given, given);
	return GS_OK;
}

gs_status
gs_exchange_release(struct gs_exchange *exchange, unsigned count)
{
	for (unsigned a = 0; a < count; a++) {
		const unsigned slot = exchange->arrived[a].slot;
		const struct gs_block *block = exchange->arrived[a].block;

		if (block->bytes == 0) {
			exchange->ended++;
			exchange->due += block->number;
		} else {
			exchange->landed++;
		}
		if (slot < exchange->window.gives)
			give_back(exchange, &slot, 1);
		else
			TRY(exchange->ranks->calls->retake(exchange->ranks, slot - exchange->window.gives));
	}
	exchange->arrived_count -= count;
	memmove(exchange->arrived, exchange->arrived + count,
	        exchange->arrived_count * sizeof *exchange->arrived);
	return GS_OK;
}

bool
gs_exchange_is_over(const struct gs_exchange *exchange)
{
	return exchange->ended == exchange->ranks->size && exchange->landed == exchange->due &&
	       exchange->free_count == exchange->window.gives;
}

gs_status
gs_exchange_turn(struct gs_exchange *exchange, unsigned *idle)
{
	bool moved = false;

	TRY(gs_exchange_step(exchange, &moved));
	TRY(exchange->land(exchange->land_context, &moved));
	if (moved)
		*idle = 0;
	else
		gs_ranks_rest(idle);
	return GS_OK;
}

gs_status
gs_exchange_drain(struct gs_exchange *exchange)
{
	const struct gs_ranks *ranks = exchange->ranks;
	unsigned idle = 0;

	for (unsigned o = 1; o <= ranks->size; o++) {		/* not all begin with the same one */
		while (exchange->free_count == 0)
			TRY(gs_exchange_turn(exchange, &idle));
		gs_exchange_end(exchange, (ranks->rank + o) % ranks->size);
	}
	while (!gs_exchange_is_over(exchange))
		TRY(gs_exchange_turn(exchange, &idle));
	gs_exchange_close(exchange);
	return GS_OK;
}
