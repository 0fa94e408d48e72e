// SPDX-License-Identifier: BSD-2-Clause
/*
 * spread_land.c - keys that have reached their owner
 *
 * In:   blocks that have arrived, and keys that were this rank's from the beginning.
 * Out:  the same in the store of this rank.
 */
#include "base/team.h"
#include "job/spread.h"

void
gs_spread_measure(struct gs_spread *spread, unsigned key_class, unsigned key_bits,
                  const void *keys, size_t count, uint64_t times)
{
	atomic_fetch_add(&spread->keys, count * times);
	if (spread->measures)
		atomic_fetch_add(&spread->bytes, times * gs_encode_measure(&spread->encoding, key_class,
		                                                           key_bits, keys, count));
}

/* ---- storing ---------------------------------------------------------------------- */

void
gs_spread_store(struct gs_spread *spread, unsigned rank, unsigned key_class, unsigned key_bits,
                void *keys, size_t count)
{
	const struct gs_taker *store = &spread->own;
	const struct gs_piece piece = {
		.keys = keys, .count = count, .key_class = key_class, .key_bits = key_bits,
	};
	uint64_t sequence;

	gs_spread_measure(spread, key_class, key_bits, keys, count, 1);
	pthread_mutex_lock(&spread->lock);
	sequence = gs_taker_next_sequence(store, key_class, 1);
	pthread_mutex_unlock(&spread->lock);
	gs_taker_add(store, rank, sequence, &piece);
}

/* ---- landing ---------------------------------------------------------------------- */

static void
land_block(struct gs_spread *spread, unsigned rank, struct gs_block *block)
{
	char *data = (char *)block;

	for (size_t at = sizeof *block; at < block->bytes;) {
		const struct gs_segment segment = *(const struct gs_segment *)(void *)(data + at);
		const size_t bytes = segment.count * (segment.key_bits / 8);

		gs_spread_store(spread, rank, segment.key_class, (unsigned)segment.key_bits,
		                data + at + sizeof segment, segment.count);
		at += (sizeof segment + bytes + 7) / 8 * 8;
	}
}

void
gs_spread_land_some(struct gs_spread *spread, unsigned rank)
{
	struct gs_landing *landing = &spread->landing;

	pthread_mutex_lock(&landing->lock);
	while (landing->claimed < landing->ready) {
		struct gs_block *block = spread->exchange.arrived[landing->claimed++].block;

		pthread_mutex_unlock(&landing->lock);
		land_block(spread, rank, block);
		pthread_mutex_lock(&landing->lock);
		landing->done++;
	}
	pthread_mutex_unlock(&landing->lock);
}

static void
land_team(void *context, unsigned rank, unsigned size)
{
	(void)size;
	gs_spread_land_some(context, rank);
}

/* All that may be claimed has landed: let READY blocks be claimed next. */
static gs_status
release(struct gs_spread *spread, unsigned ready)
{
	struct gs_landing *landing = &spread->landing;
	const unsigned done = landing->done;

	landing->ready = landing->claimed = landing->done = 0;
	TRY(gs_exchange_release(&spread->exchange, done));
	landing->ready = ready - done;
	return GS_OK;
}

gs_status
gs_spread_land_more(struct gs_spread *spread)
{
	struct gs_landing *landing = &spread->landing;
	const unsigned arrived = spread->exchange.arrived_count;
	gs_status status = GS_OK;

	pthread_mutex_lock(&landing->lock);
	if (landing->done == landing->ready) {
		const unsigned more = arrived - landing->done;
		const unsigned some = more < spread->landing_room ? more : (unsigned)spread->landing_room;

		spread->landing_room -= some;
		status = release(spread, landing->done + some);
	}
	pthread_mutex_unlock(&landing->lock);
	return status;
}

/* How many of the blocks that have arrived the store has room for. */
static gs_status
count_landing(struct gs_spread *spread, unsigned *count)
{
	const size_t most = spread->plan->head_keys > 0 ? GS_HEAD_ROUND_BYTES / 2 : SIZE_MAX;
	size_t room;

	*count = spread->exchange.arrived_count - spread->landing.done;
	if (*count == 0)
		return GS_OK;
	TRY(spread->own.reserve(spread->own.context, spread->exchange.window.block_bytes, 0,
	                            &room));
	if (room > most)
		room = most;
	if (*count > room / spread->exchange.window.block_bytes)
		*count = (unsigned)(room / spread->exchange.window.block_bytes);
	if (*count == 0)
		*count = 1;
	return GS_OK;
}

gs_status
gs_spread_land(void *context, bool *moved)
{
	struct gs_spread *spread = context;
	const unsigned threads = spread->plan->threads;
	struct gs_landing *landing = &spread->landing;
	uint64_t since = gs_clock_now();
	unsigned count;

	*moved |= spread->exchange.arrived_count > 0;
	TRY(count_landing(spread, &count));
	landing->ready = landing->done + count;
	if (landing->ready == 0)
		return GS_OK;
	if (count > 0)
		gs_team_run(count < threads ? count : threads, land_team, spread);
	gs_clock_lap(&spread->monitor->clock, GS_STAGE_SORT, &since);
	if (atomic_load(&spread->error.any))
		return gs_first_error_close(&spread->error);
	return release(spread, landing->done);
}
