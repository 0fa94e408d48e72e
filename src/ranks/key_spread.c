// SPDX-License-Identifier: BSD-2-Clause
/*
 * key_spread.c - keys on their way from the rank that reads them to the rank that owns them
 *
 * In:   keys of all ranks, in any order.
 * Out:  in the store of each rank the keys that it owns.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/team.h"
#include "ranks/spread.h"

/* Without splitters so many bytes of keys are held back.  Not tuned. */
#define HOLD_BYTES	((size_t)1 << 20)

/* ---- sizes --------------------------------------------------------------------- */

static size_t
fit(const struct gs_spread *spread, unsigned key_bits, const char *data, size_t bytes, size_t room)
{
	(void)spread, (void)data, (void)bytes;
	return room - room % (key_bits / 8);
}

size_t
gs_spread_chunk_bytes(unsigned ranks, uint64_t window_bytes, bool floats)
{
	const uint64_t keys = window_bytes / 4 - ranks * gs_exchange_block_bytes(ranks, window_bytes) / 2;
	const uint64_t bytes = floats ? keys / 4 : keys;

	return bytes < (64 << 10) ? 64 << 10 : (size_t)(bytes - bytes % (64 << 10));
}

/* The bytes of keys that COUNT free slots have room for, whatever their owners: each owner may begin
 * a block, and each call that adds begins a segment for each. */
static size_t
room_of(const struct gs_spread *all, unsigned count)
{
	const struct gs_key_spread *spread = (const struct gs_key_spread *)all;
	const size_t lost = sizeof(struct gs_block) + sizeof(struct gs_segment) + sizeof(uint64_t);
	const size_t calls = spread->plan->piece_bytes > 0 ? 0
	                     : spread->plan->threads * GS_CLASSES * all->ranks->size;
	const size_t each = all->exchange.window.block_bytes - lost;
	const size_t bytes = count <= all->ranks->size ? 0 : (count - all->ranks->size) * each;

	return bytes > calls * lost ? bytes - calls * lost : 0;
}

void
gs_key_spread_measure(struct gs_key_spread *spread, unsigned key_class, unsigned key_bits,
                      const void *keys, size_t count, uint64_t times)
{
	atomic_fetch_add(&spread->keys, count * times);
	if (spread->measures)
		atomic_fetch_add(&spread->bytes, times * gs_encode_measure(&spread->encoding, key_class,
		                                                           key_bits, keys, count));
}

/* ---- storing ---------------------------------------------------------------------- */

static void
store(struct gs_key_spread *spread, unsigned rank, unsigned key_class, unsigned key_bits, void *keys,
      size_t count)
{
	const struct gs_taker *own = &spread->all.own;
	const struct gs_piece piece = {
		.keys = keys, .count = count, .key_class = key_class, .key_bits = key_bits,
	};
	uint64_t sequence;

	gs_key_spread_measure(spread, key_class, key_bits, keys, count, 1);
	pthread_mutex_lock(&spread->all.lock);
	sequence = gs_taker_next_sequence(own, key_class, 1);
	pthread_mutex_unlock(&spread->all.lock);
	gs_taker_add(own, rank, sequence, &piece);
}

/* ---- landing ---------------------------------------------------------------------- */

static void
land_block(struct gs_key_spread *spread, unsigned rank, struct gs_block *block)
{
	char *data = (char *)block;

	for (size_t at = sizeof *block; at < block->bytes;) {
		const struct gs_segment segment = *(const struct gs_segment *)(void *)(data + at);
		const size_t bytes = segment.count * (segment.key_bits / 8);

		store(spread, rank, segment.key_class, (unsigned)segment.key_bits, data + at + sizeof segment,
		      segment.count);
		at += (sizeof segment + bytes + 7) / 8 * 8;
	}
}

static void
land_some(struct gs_key_spread *spread, unsigned rank)
{
	struct gs_landing *landing = &spread->landing;

	pthread_mutex_lock(&landing->lock);
	while (landing->claimed < landing->ready) {
		struct gs_block *block = spread->all.exchange.arrived[landing->claimed++].block;

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
	land_some(context, rank);
}

/* All that may be claimed has landed: let READY blocks be claimed next. */
static gs_status
release(struct gs_key_spread *spread, unsigned ready)
{
	struct gs_landing *landing = &spread->landing;
	const unsigned done = landing->done;

	landing->ready = landing->claimed = landing->done = 0;
	TRY(gs_exchange_release(&spread->all.exchange, done));
	landing->ready = ready - done;
	return GS_OK;
}

static gs_status
land_more(struct gs_key_spread *spread)
{
	struct gs_landing *landing = &spread->landing;
	const unsigned arrived = spread->all.exchange.arrived_count;
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
count_landing(struct gs_key_spread *spread, unsigned *count)
{
	const size_t most = spread->plan->head_keys > 0 ? GS_HEAD_ROUND_BYTES / 2 : SIZE_MAX;
	size_t room;

	*count = spread->all.exchange.arrived_count - spread->landing.done;
	if (*count == 0)
		return GS_OK;
	TRY(spread->all.own.reserve(spread->all.own.context, spread->all.exchange.window.block_bytes, 0,
	                            &room));
	if (room > most)
		room = most;
	if (*count > room / spread->all.exchange.window.block_bytes)
		*count = (unsigned)(room / spread->all.exchange.window.block_bytes);
	if (*count == 0)
		*count = 1;
	return GS_OK;
}

static gs_status
land(void *context, bool *moved)
{
	struct gs_key_spread *spread = context;
	const unsigned threads = spread->all.threads;
	struct gs_landing *landing = &spread->landing;
	uint64_t since = gs_clock_now();
	unsigned count;

	*moved |= spread->all.exchange.arrived_count > 0;
	TRY(count_landing(spread, &count));
	landing->ready = landing->done + count;
	if (landing->ready == 0)
		return GS_OK;
	if (count > 0)
		gs_team_run(count < threads ? count : threads, land_team, spread);
	gs_clock_lap(&spread->all.monitor->clock, GS_STAGE_SORT, &since);
	TRY(gs_first_error_now(&spread->all.error));
	return release(spread, landing->done);
}

/* ---- opening ---------------------------------------------------------------------- */

static gs_status
allocate(struct gs_key_spread *spread, size_t window_bytes)
{
	const unsigned ranks = spread->all.ranks->size, threads = spread->all.threads;
	const size_t piece_bytes = spread->plan->piece_bytes > 0 ? spread->plan->piece_bytes
		: 4 * spread->plan->chunk_bytes + gs_exchange_block_bytes(ranks, window_bytes);

	spread->scratch_bytes = gs_splitters_scratch_bytes(ranks, piece_bytes);
	TRY(gs_arena_open(&spread->all.arena, gs_arena_round(threads * spread->scratch_bytes), false));
	spread->all.scratch = gs_arena_take(&spread->all.arena, threads * spread->scratch_bytes);
	return GS_NEW(spread->ends, (size_t)threads * ranks, "shares of pieces");
}

gs_status
gs_key_spread_open(struct gs_key_spread *spread, size_t window_bytes)
{
	spread->all.fit = fit;
	spread->all.room = room_of;
	pthread_mutex_init(&spread->landing.lock, NULL);
	return gs_spread_open(&spread->all, window_bytes, allocate(spread, window_bytes), land);
}

void
gs_key_spread_close(struct gs_key_spread *spread)
{
	gs_spread_close(&spread->all);
	for (unsigned c = 0; c < GS_CLASSES; c++)
		free(spread->held[c].keys);
	gs_splitters_close(&spread->splitters);
	free(spread->ends);
	*spread = (struct gs_key_spread){ .all.ranks = NULL };
}

/* ---- adding ----------------------------------------------------------------------------------- */

/* Before there are splitters. */
static void
hold(struct gs_key_spread *spread, unsigned key_class, const void *keys, size_t bytes)
{
	struct gs_held *held = &spread->held[key_class];

	if (bytes == 0)
		return;
	pthread_mutex_lock(&spread->all.lock);
	if (gs_first_error_note(&spread->all.error, GS_GROW(held->keys, &held->room, held->bytes + bytes,
	                                                "bytes of keys that are held"))) {
		memcpy(held->keys + held->bytes, keys, bytes);
		held->bytes += bytes;
		spread->held_bytes += bytes;
	}
	pthread_mutex_unlock(&spread->all.lock);
}

/* The keys of OWNER, divided by a thread. */
static void
deliver(struct gs_key_spread *spread, unsigned rank, unsigned owner, unsigned key_class, char *keys,
        size_t count)
{
	const unsigned key_bits = spread->plan->class_bits[key_class];

	if (owner == spread->all.ranks->rank) {
		store(spread, rank, key_class, key_bits, keys, count);
		return;
	}
	for (size_t bytes = count * (key_bits / 8), some; bytes > 0; keys += some, bytes -= some)
		some = gs_spread_put(&spread->all, owner, key_class, key_bits, keys, bytes, true);
}

static void
add(void *context, unsigned worker, uint64_t sequence, const struct gs_piece *piece)
{
	struct gs_key_spread *spread = context;
	const unsigned owners = spread->all.ranks->size, self = spread->all.ranks->rank;
	const unsigned key_class = piece->key_class;
	const size_t key_bytes = piece->key_bits / 8;
	size_t *ends = spread->ends + (size_t)worker * owners;
	char *keys;

	(void)sequence;
	if (!spread->split) {
		hold(spread, key_class, piece->keys, piece->count * key_bytes);
		return;
	}
	keys = gs_splitters_divide(&spread->splitters, key_class, piece->key_bits, piece->keys,
	                           piece->count, spread->all.scratch + worker * spread->scratch_bytes, ends);
	/* Not all ranks begin with the same one. */
	for (unsigned o = 1; o <= owners; o++) {
		const unsigned owner = (self + o) % owners;
		const size_t from = owner == 0 ? 0 : ends[owner - 1];

		if (ends[owner] > from)
			deliver(spread, worker, owner, key_class, keys + from * key_bytes,
			        ends[owner] - from);
	}
	if (worker == 0 && gs_spread_step(&spread->all))
		(void)gs_first_error_note(&spread->all.error, land_more(spread));
	land_some(spread, worker);
}

/* Of the store's room for this round, half is for keys that are read, and the rest for keys that arrive. */
static void
share_room(struct gs_key_spread *spread, size_t own_room, size_t least, size_t *room)
{
	const size_t half = own_room / 2 < least ? least : own_room / 2;

	if (*room > half)
		*room = half;
	spread->landing_room = spread->plan->head_keys > 0
	                       ? 0 : (own_room - *room) / spread->all.exchange.window.block_bytes;
}

static gs_status
reserve_split(struct gs_key_spread *spread, size_t least, size_t *room)
{
	const struct gs_spread *all = &spread->all;
	const size_t whole = room_of(all, all->exchange.window.gives - all->ranks->size);
	size_t own_room = SIZE_MAX;

	assert(least <= whole);
	/* Some pieces for each thread at once. */
	TRY(gs_spread_wait(&spread->all, whole / 4 > least ? whole / 4 : least, room));
	TRY(spread->all.own.reserve(spread->all.own.context, least, 0, &own_room));
	share_room(spread, own_room, least, room);
	return GS_OK;
}

/* ---- splitters from the first keys ----------------------------------------------------------- */

/* Of the keys that are held, as many as a rank takes for a sample; each stands for some others. */
static gs_status
sample_held(struct gs_key_spread *spread, struct gs_sample *sample)
{
	const size_t wanted = gs_sample_wanted(spread->all.ranks->size);

	for (unsigned c = 0; c < GS_CLASSES; c++) {
		const struct gs_held *held = &spread->held[c];
		const unsigned bits = spread->plan->class_bits[c];
		const size_t count = held->bytes == 0 ? 0 : held->bytes / (bits / 8);
		const size_t step_keys = count / wanted + 1;

		for (size_t at = 0; at < count; at += step_keys)
			TRY(gs_sample_add(sample, gs_class_place(c, spread->descending_classes),
			                  gs_key_at(held->keys, bits, at), step_keys));
	}
	return GS_OK;
}

/* Deal out the keys that were held, piece by piece. */
static gs_status
release_held(struct gs_key_spread *spread)
{
	struct gs_held held[GS_CLASSES];
	gs_status status = GS_OK;
	size_t room;

	memcpy(held, spread->held, sizeof held);
	memset(spread->held, 0, sizeof spread->held);
	spread->held_bytes = 0;
	for (unsigned c = 0; c < GS_CLASSES; c++) {
		enum { PIECE_BYTES = 64 << 10 };

		for (size_t at = 0, some; status == GS_OK && at < held[c].bytes; at += some) {
			struct gs_piece piece = {
				.keys = held[c].keys + at, .key_class = c,
				.key_bits = spread->plan->class_bits[c],
			};

			some = held[c].bytes - at < PIECE_BYTES ? held[c].bytes - at : PIECE_BYTES;
			piece.count = some / (piece.key_bits / 8);
			status = reserve_split(spread, some, &room);
			if (status == GS_OK)
				add(spread, 0, 0, &piece);
		}
		free(held[c].keys);
	}
	return status;
}

gs_status
gs_key_spread_split(struct gs_key_spread *spread)
{
	const struct gs_count *histogram = spread->histogram;
	/* if all keys are counted, each rank has the sum of all histograms */
	const bool counts = !spread->plan->by_counting || spread->all.ranks->rank == 0;
	struct gs_sample sample = { .keys = NULL };
	gs_status status = sample_held(spread, &sample);

	for (size_t b = 0; counts && status == GS_OK && b < histogram->bin_count; b++)
		if (histogram->bins[b] > 0)
			status = gs_sample_add(&sample, gs_class_place(histogram->key_class,
			                                               spread->descending_classes),
			                       b ^ spread->flip, histogram->bins[b]);
	status = gs_sample_split(&sample, status, spread);
	gs_sample_close(&sample);
	TRY(status);
	return release_held(spread);
}

static gs_status
reserve(void *context, size_t least, size_t small, size_t *room)
{
	struct gs_key_spread *spread = context;

	(void)small;
	if (!spread->split && spread->held_bytes >= HOLD_BYTES)
		TRY(gs_key_spread_split(spread));
	if (spread->split)
		return reserve_split(spread, least, room);
	TRY(gs_first_error_now(&spread->all.error));
	*room = HOLD_BYTES > least ? HOLD_BYTES : least;
	return GS_OK;
}

struct gs_taker
gs_key_spread_taker(struct gs_key_spread *spread)
{
	return (struct gs_taker){ .reserve = reserve, .add = add, .context = spread };
}
