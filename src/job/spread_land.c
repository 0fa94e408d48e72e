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

/* ---- staging buffers of a GPU ----------------------------------------------------- */

/* Give a buffer back to the store, with its keys; with the lock. */
static gs_status
end_filling(struct gs_spread *spread, struct gs_filling *filling)
{
	filling->used = false;
	filling->staging.count = filling->claimed;
	pthread_cond_broadcast(&spread->staging_changed);
	return spread->own.give(spread->own.context, &filling->staging, filling->sum);
}

/* Give back what nobody writes to, full or not; with the lock.  *USED: how many are left. */
static gs_status
end_idle(struct gs_spread *spread, unsigned *used)
{
	*used = 0;
	for (unsigned f = 0; f < GS_FILLINGS; f++) {
		struct gs_filling *filling = &spread->filling[f];

		if (filling->used && filling->writers == 0)
			TRY(end_filling(spread, filling));
		*used += filling->used;
	}
	return GS_OK;
}

/* Begin one more buffer, if there may be one more; with the lock. */
static gs_status
begin_filling(struct gs_spread *spread, unsigned key_class)
{
	const unsigned ring = spread->plan->ring_buffers / 2;
	const unsigned most = ring < GS_FILLINGS ? ring : GS_FILLINGS;
	struct gs_filling *unused = NULL;
	unsigned used = 0;

	for (unsigned f = 0; f < GS_FILLINGS; f++)
		if (spread->filling[f].used)
			used++;
		else
			unused = &spread->filling[f];
	if (used >= most) {
		TRY(end_idle(spread, &used));
		if (used >= most)
			pthread_cond_wait(&spread->staging_changed, &spread->staging_lock);
		return GS_OK;
	}
	TRY(spread->own.stage(spread->own.context, key_class, used > 0, &unused->staging,
	                          &unused->sum));
	if (unused->staging.room == 0) {	/* all memory is full: the others come first */
		TRY(end_idle(spread, &used));
		if (used > 0)
			pthread_cond_wait(&spread->staging_changed, &spread->staging_lock);
		return GS_OK;
	}
	unused->used = true;
	unused->claimed = unused->staging.count;
	unused->writers = 0;
	return GS_OK;
}

/* A buffer of a class with room; NULL: there is none.  With the lock. */
static struct gs_filling *
find_filling(struct gs_spread *spread, unsigned key_class)
{
	for (unsigned f = 0; f < GS_FILLINGS; f++) {
		struct gs_filling *filling = &spread->filling[f];

		if (filling->used && filling->staging.key_class == key_class &&
		    filling->claimed < filling->staging.room)
			return filling;
	}
	return NULL;
}

/* Threads find room in turn, and copy at once. */
static void
stage(struct gs_spread *spread, unsigned key_class, unsigned key_bits, const char *keys, size_t count)
{
	const size_t key_bytes = key_bits / 8;

	pthread_mutex_lock(&spread->staging_lock);
	while (count > 0 && !atomic_load(&spread->error.any)) {
		struct gs_filling *filling = find_filling(spread, key_class);
		size_t some;
		uint64_t sum;
		char *to;

		if (filling == NULL) {
			(void)gs_first_error_note(&spread->error, begin_filling(spread, key_class));
			continue;
		}
		some = filling->staging.room - filling->claimed;
		some = some < count ? some : count;
		to = (char *)filling->staging.keys + filling->claimed * key_bytes;
		filling->claimed += some;
		filling->writers++;
		pthread_mutex_unlock(&spread->staging_lock);
		memcpy(to, keys, some * key_bytes);
		sum = gs_checksum(1, key_class, key_bits, keys, some, false).sum;
		keys += some * key_bytes;
		count -= some;
		pthread_mutex_lock(&spread->staging_lock);
		filling->sum += sum;
		if (--filling->writers == 0 && filling->claimed == filling->staging.room)
			(void)gs_first_error_note(&spread->error, end_filling(spread, filling));
	}
	pthread_cond_broadcast(&spread->staging_changed);
	pthread_mutex_unlock(&spread->staging_lock);
}

gs_status
gs_spread_land_end(struct gs_spread *spread)
{
	unsigned used;

	if (!gs_store_is_on_gpu(spread->store))
		return GS_OK;
	pthread_mutex_lock(&spread->staging_lock);
	(void)gs_first_error_note(&spread->error, end_idle(spread, &used));
	pthread_mutex_unlock(&spread->staging_lock);
	return gs_first_error_close(&spread->error);
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
	if (gs_store_is_on_gpu(spread->store)) {
		stage(spread, key_class, key_bits, keys, count);
		return;
	}
	pthread_mutex_lock(&spread->lock);
	sequence = gs_taker_next_sequence(store, key_class, 1);
	pthread_mutex_unlock(&spread->lock);
	store->add(store->context, rank, sequence, &piece);
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
	if (gs_store_is_on_gpu(spread->store) || *count == 0)
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
gs_spread_land(struct gs_spread *spread)
{
	const unsigned threads = spread->plan->threads;
	struct gs_landing *landing = &spread->landing;
	uint64_t since = gs_clock_now();
	unsigned count;

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
