// SPDX-License-Identifier: BSD-2-Clause
/*
 * spread_land.c - keys that have reached their owner
 *
 * In:   blocks that have arrived, and keys that were this rank's from the beginning.
 * Out:  the same in the store of this rank.
 */
#include <string.h>

#include "base/team.h"
#include "job/spread_land.h"
#include "sort/checksum.h"

void
gs_spread_measure(struct gs_spread *spread, unsigned key_class, unsigned key_bits,
                  const void *keys, size_t count, uint64_t times)
{
	atomic_fetch_add(&spread->keys, count * times);
	if (spread->measures)
		atomic_fetch_add(&spread->bytes, times * gs_encode_measure(&spread->encoding, key_class,
		                                                           key_bits, keys, count));
}

struct landing {
	struct gs_spread     *spread;
	atomic_uint           next;
	unsigned              count;
	struct gs_first_error error;
};

void
gs_spread_store(struct gs_spread *spread, unsigned rank, unsigned key_class, unsigned key_bits,
           void *keys, size_t count)
{
	uint64_t sequence;

	gs_spread_measure(spread, key_class, key_bits, keys, count, 1);
	pthread_mutex_lock(&spread->lock);
	sequence = gs_store_next_sequence(spread->store, key_class, 1);
	pthread_mutex_unlock(&spread->lock);
	gs_store_add(spread->store, rank, key_class, sequence, keys, count);
}

gs_status
gs_spread_stage(struct gs_spread *spread, unsigned key_class, unsigned key_bits, const char *keys,
           size_t count)
{
	const size_t key_bytes = key_bits / 8;

	gs_spread_measure(spread, key_class, key_bits, keys, count, 1);
	while (count > 0) {
		struct gs_staging staging;
		size_t some;
		uint64_t sum;

		TRY(gs_store_lend(spread->store, key_class, &staging));
		some = staging.room - staging.count < count ? staging.room - staging.count : count;
		memcpy((char *)staging.keys + staging.count * key_bytes, keys, some * key_bytes);
		sum = gs_checksum(spread->plan->threads, key_class, key_bits, keys, some, false).sum;
		TRY(gs_store_commit(spread->store, key_class, some, sum));
		keys += some * key_bytes;
		count -= some;
	}
	return GS_OK;
}

static gs_status
land_block(struct gs_spread *spread, unsigned rank, struct gs_block *block)
{
	char *data = (char *)block;

	for (size_t at = sizeof *block; at < block->bytes;) {
		const struct gs_segment segment = *(const struct gs_segment *)(void *)(data + at);
		const size_t bytes = segment.count * (segment.key_bits / 8);
		char *keys = data + at + sizeof segment;

		if (gs_store_is_on_gpu(spread->store))
			TRY(gs_spread_stage(spread, segment.key_class, (unsigned)segment.key_bits, keys,
			               segment.count));
		else
			gs_spread_store(spread, rank, segment.key_class, (unsigned)segment.key_bits, keys,
			           segment.count);
		at += (sizeof segment + bytes + 7) / 8 * 8;
	}
	return GS_OK;
}

static void
land_some(void *context, unsigned rank, unsigned size)
{
	struct landing *landing = context;
	const struct gs_exchange *exchange = &landing->spread->exchange;
	unsigned at;

	(void)size;
	while ((at = atomic_fetch_add(&landing->next, 1)) < landing->count)
		if (!gs_first_error_note(&landing->error, land_block(landing->spread, rank,
		                         gs_exchange_block(exchange, exchange->arrived[at]))))
			return;
}

/* How many of the blocks that have arrived the store has room for. */
static gs_status
count_landing(struct gs_spread *spread, unsigned *count)
{
	const size_t most = spread->plan->head_keys > 0 ? GS_HEAD_ROUND_BYTES / 2 : SIZE_MAX;
	size_t room;

	*count = spread->exchange.arrived_count;
	if (gs_store_is_on_gpu(spread->store) || *count == 0)
		return GS_OK;
	TRY(gs_store_reserve(spread->store, spread->exchange.window.block_bytes, &room));
	if (room > most)
		room = most;
	if (*count > room / spread->exchange.window.block_bytes)
		*count = (unsigned)(room / spread->exchange.window.block_bytes);
	if (*count == 0)
		*count = 1;
	return GS_OK;
}

gs_status
gs_spread_land(struct gs_spread *spread)
{
	struct landing landing = { .spread = spread };
	const bool gpu = gs_store_is_on_gpu(spread->store);
	uint64_t since = gs_clock_now();

	TRY(count_landing(spread, &landing.count));
	if (landing.count == 0)
		return GS_OK;
	gs_first_error_open(&landing.error);
	gs_team_run(gpu ? 1 : landing.count < spread->plan->threads ? landing.count
	                                                            : spread->plan->threads,
	            land_some, &landing);
	TRY(gs_first_error_close(&landing.error));
	gs_clock_lap(&spread->monitor->clock, GS_STAGE_SORT, &since);
	return gs_exchange_release(&spread->exchange, landing.count);
}
