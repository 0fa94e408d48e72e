// SPDX-License-Identifier: BSD-2-Clause
/*
 * transport.c - blocks on their way between ranks
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
gs_transport_block_bytes(unsigned ranks, size_t window_bytes)
{
	size_t bytes = MOST_BLOCK;

	while (bytes > LEAST_BLOCK && bytes * 8 * ranks > window_bytes)
		bytes /= 2;
	return bytes;
}

size_t
gs_transport_window_bytes(unsigned ranks, uint64_t memory_bytes)
{
	const size_t most = 8 * ranks * MOST_BLOCK, least = 8 * ranks * LEAST_BLOCK;

	return gs_within(LEAST_WINDOW > least ? LEAST_WINDOW : least, memory_bytes / 8,
	                 WINDOW_BYTES > most ? WINDOW_BYTES : most);
}

/* ---- opening -------------------------------------------------------------------- */

gs_status
gs_transport_open(struct gs_transport *transport, struct gs_ranks *ranks, size_t window_bytes)
{
	const size_t block = gs_transport_block_bytes(ranks->size, window_bytes);
	const unsigned slots = (unsigned)(window_bytes / block), takes = slots / 4, gives = slots - takes;
	gs_status status;

	*transport = (struct gs_transport){
		.ranks = ranks, .window = { .block_bytes = block, .takes = takes, .gives = gives },
	};
	pthread_mutex_init(&transport->lock, NULL);
	status = GS_NEW(transport->free_slots, gives, "slots");
	THEN(status, GS_NEW(transport->parcels, gives, "blocks"));
	THEN(status, GS_NEW(transport->posted, ranks->size, "ranks"));
	THEN(status, GS_NEW(transport->given, gives, "blocks"));
	THEN(status, GS_NEW(transport->arrived, slots, "blocks"));
	TRY(gs_ranks_agree(ranks, status));
	while (transport->free_count < gives) {
		transport->free_slots[transport->free_count] = gives - 1 - transport->free_count;
		transport->free_count++;
	}
	transport->open = true;
	assert(gives > 0 && takes > 0 && block < (size_t)1 << 30);
	TRY(gs_ranks_agree(ranks, ranks->calls->make(ranks, &transport->window)));
	return ranks->calls->open(ranks);
}

void
gs_transport_close(struct gs_transport *transport)
{
	if (transport->ranks == NULL)
		return;
	if (transport->open)
		transport->ranks->calls->close(transport->ranks);
	pthread_mutex_destroy(&transport->lock);
	free(transport->free_slots);
	free(transport->parcels);
	free(transport->posted);
	free(transport->given);
	free(transport->arrived);
	*transport = (struct gs_transport){ .ranks = NULL };
}

/* ---- sending ---------------------------------------------------------------------- */

unsigned
gs_transport_take(struct gs_transport *transport)
{
	unsigned slot;

	pthread_mutex_lock(&transport->lock);
	assert(transport->free_count > 0);
	slot = transport->free_slots[--transport->free_count];
	pthread_mutex_unlock(&transport->lock);
	return slot;
}

struct gs_block *
gs_transport_block(const struct gs_transport *transport, unsigned slot)
{
	return (struct gs_block *)(void *)(transport->window.memory +
	                                   slot * transport->window.block_bytes);
}

void
gs_transport_post(struct gs_transport *transport, unsigned slot, unsigned to, size_t bytes)
{
	struct gs_block *block = gs_transport_block(transport, slot);
	unsigned at;

	assert(bytes >= sizeof *block || bytes == 0);
	block->bytes = bytes;
	block->from = transport->ranks->rank;
	pthread_mutex_lock(&transport->lock);
	block->number = transport->posted[to];
	transport->posted[to] += bytes > 0;
	at = transport->parcel_first + transport->parcel_count++;
	transport->parcels[at % transport->window.gives] = (struct gs_parcel){ slot, to };
	pthread_mutex_unlock(&transport->lock);
}

/* ---- the calling thread -------------------------------------------------------------- */

static void
give_back(struct gs_transport *transport, const unsigned *slots, unsigned count)
{
	pthread_mutex_lock(&transport->lock);
	memcpy(transport->free_slots + transport->free_count, slots, count * sizeof *slots);
	transport->free_count += count;
	pthread_mutex_unlock(&transport->lock);
}

gs_status
gs_transport_step(struct gs_transport *transport, bool *moved)
{
	struct gs_ranks *ranks = transport->ranks;
	const unsigned gives = transport->window.gives;
	unsigned given, taken, count;

	pthread_mutex_lock(&transport->lock);
	count = transport->parcel_count;
	pthread_mutex_unlock(&transport->lock);
	for (unsigned p = 0; p < count; p++) {		/* others only append */
		const struct gs_parcel parcel = transport->parcels[(transport->parcel_first + p) % gives];
		struct gs_block *block = gs_transport_block(transport, parcel.slot);

		if (parcel.to == ranks->rank)
			transport->arrived[transport->arrived_count++] = (struct gs_arrival){
				parcel.slot, block->bytes, block,
			};
		else
			TRY(ranks->calls->give(ranks, parcel.slot, parcel.to,
			                       block->bytes > 0 ? block->bytes : sizeof *block));
	}
	pthread_mutex_lock(&transport->lock);
	transport->parcel_first = (transport->parcel_first + count) % gives;
	transport->parcel_count -= count;
	pthread_mutex_unlock(&transport->lock);

	TRY(ranks->calls->poll(ranks, transport->given, &given,
	                       transport->arrived + transport->arrived_count, &taken));
	transport->arrived_count += taken;
	*moved |= count > 0 || given > 0 || taken > 0;
	if (given > 0)
		give_back(transport, transport->given, given);
	return GS_OK;
}

gs_status
gs_transport_release(struct gs_transport *transport, unsigned count)
{
	struct gs_ranks *ranks = transport->ranks;

	for (unsigned a = 0; a < count; a++) {
		const unsigned slot = transport->arrived[a].slot;
		const struct gs_block *block = transport->arrived[a].data;

		if (block->bytes == 0) {
			transport->ended++;
			transport->due += block->number;
		} else {
			transport->landed++;
		}
		if (slot < transport->window.gives)
			give_back(transport, &slot, 1);
		else
			TRY(ranks->calls->retake(ranks, slot));
	}
	transport->arrived_count -= count;
	memmove(transport->arrived, transport->arrived + count,
	        transport->arrived_count * sizeof *transport->arrived);
	return GS_OK;
}

bool
gs_transport_is_over(const struct gs_transport *transport)
{
	return transport->ended == transport->ranks->size && transport->landed == transport->due &&
	       transport->free_count == transport->window.gives;
}

gs_status
gs_transport_turn(struct gs_transport *transport, unsigned *idle)
{
	bool moved = false;

	TRY(gs_transport_step(transport, &moved));
	TRY(transport->land(transport->land_context, &moved));
	if (moved)
		*idle = 0;
	else
		gs_ranks_rest(idle);
	return GS_OK;
}

gs_status
gs_transport_drain(struct gs_transport *transport)
{
	const struct gs_ranks *ranks = transport->ranks;
	unsigned idle = 0;

	for (unsigned o = 1; o <= ranks->size; o++) {
		const unsigned to = (ranks->rank + o) % ranks->size;	/* not all begin with the same one */

		while (transport->free_count == 0)
			TRY(gs_transport_turn(transport, &idle));
		gs_transport_post(transport, gs_transport_take(transport), to, 0);
	}
	while (!gs_transport_is_over(transport))
		TRY(gs_transport_turn(transport, &idle));
	gs_transport_close(transport);
	return GS_OK;
}
