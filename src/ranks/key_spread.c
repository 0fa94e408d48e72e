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

#include "base/round.h"
#include "ranks/spread.h"

/* Without splitters so many bytes of keys are held back.  Not tuned. */
#define HOLD_BYTES	((size_t)1 << 20)

/* ---- sizes --------------------------------------------------------------------- */

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
land_block(struct gs_spread *all, unsigned worker, unsigned at)
{
	struct gs_block *block = all->exchange.arrived[at].block;
	char *data = (char *)(block + 1), *end = (char *)block + block->bytes;

	while (data < end) {
		const struct gs_segment segment = *(const struct gs_segment *)(void *)data;
		const size_t bytes = segment.count * (segment.key_bits / 8);

		store((struct gs_key_spread *)all, worker, segment.key_class, (unsigned)segment.key_bits,
		      data + sizeof segment, segment.count);
		data += gs_round_up(sizeof segment + bytes, 8);
	}
}

static gs_status
land(void *context, bool *moved)
{
	struct gs_key_spread *spread = context;
	struct gs_spread *all = &spread->all;
	struct gs_exchange *exchange = &all->exchange;
	const size_t block_bytes = exchange->window.block_bytes;
	size_t room, blocks;
	unsigned count;

	*moved |= exchange->arrived_count > 0;
	TRY(gs_exchange_release(exchange, all->done));		/* those that landed while keys were added */
	all->ready = all->claimed = all->done = 0;
	if (exchange->arrived_count == 0)
		return GS_OK;
	TRY(all->own.reserve(all->own.context, block_bytes, 0, &room));
	blocks = (spread->plan->head_keys > 0 ? gs_least(room, GS_HEAD_ROUND_BYTES / 2) : room) / block_bytes;
	count = (unsigned)gs_least(exchange->arrived_count, blocks > 0 ? blocks : 1);
	gs_spread_land_all(all, count);
	TRY(gs_first_error_now(&all->error));
	return gs_exchange_release(exchange, count);
}

/* ---- opening ---------------------------------------------------------------------- */

gs_status
gs_key_spread_open(struct gs_key_spread *spread, size_t window_bytes)
{
	const unsigned ranks = spread->all.ranks->size, threads = spread->all.threads;
	const struct gs_plan *plan = spread->plan;
	const size_t piece_bytes = plan->piece_bytes > 0 ? plan->piece_bytes
		: 4 * plan->chunk_bytes + gs_exchange_block_bytes(ranks, window_bytes);
	gs_status status;

	spread->all.room = room_of;
	spread->all.land_one = land_block;
	spread->scratch_bytes = gs_splitters_scratch_bytes(ranks, piece_bytes);
	status = gs_arena_open(&spread->all.arena, gs_arena_round(threads * spread->scratch_bytes), false);
	if (status == GS_OK)
		spread->all.scratch = gs_arena_take(&spread->all.arena, threads * spread->scratch_bytes);
	THEN(status, GS_NEW(spread->ends, (size_t)threads * ranks, "shares of pieces"));
	return gs_spread_open(&spread->all, window_bytes, status, land);
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

/* Send and receive; when all blocks that were ready have landed, others are, if the store has room. */
static void
step(struct gs_key_spread *spread)
{
	struct gs_spread *all = &spread->all;

	if (!gs_spread_step(all))
		return;
	pthread_mutex_lock(&all->landing);
	if (all->done == all->ready) {
		const gs_status status = gs_exchange_release(&all->exchange, all->done);

		all->ready = all->claimed = all->done = 0;
		if (gs_first_error_note(&all->error, status))
			all->ready = (unsigned)gs_least(all->exchange.arrived_count, spread->landing_room);
		spread->landing_room -= all->ready;
	}
	pthread_mutex_unlock(&all->landing);
}

static void
add(void *context, unsigned worker, uint64_t sequence, const struct gs_piece *piece)
{
	struct gs_key_spread *spread = context;
	const unsigned owners = spread->all.ranks->size, self = spread->all.ranks->rank;
	const unsigned key_class = piece->key_class, key_bits = piece->key_bits;
	const size_t key_bytes = key_bits / 8;
	size_t *ends = spread->ends + (size_t)worker * owners;
	char *divided;

	(void)sequence;
	if (!spread->split) {
		hold(spread, key_class, piece->keys, piece->count * key_bytes);
		return;
	}
	divided = gs_splitters_divide(&spread->splitters, key_class, key_bits, piece->keys, piece->count,
	                              spread->all.scratch + worker * spread->scratch_bytes, ends);
	/* Not all ranks begin with the same one. */
	for (unsigned o = 1; o <= owners; o++) {
		const unsigned owner = (self + o) % owners;
		const size_t from = owner == 0 ? 0 : ends[owner - 1], count = ends[owner] - from;
		char *keys = divided + from * key_bytes;

		if (owner == self && count > 0) {
			store(spread, worker, key_class, key_bits, keys, count);
			continue;
		}
		for (size_t left = count * key_bytes, some; left > 0; keys += some, left -= some)
			some = gs_spread_put(&spread->all, owner, key_class, key_bits, keys, left, true);
	}
	if (worker == 0)
		step(spread);
	gs_spread_land_some(&spread->all, worker);
}

static gs_status
reserve_split(struct gs_key_spread *spread, size_t least, size_t *room)
{
	const struct gs_spread *all = &spread->all;
	const size_t whole = room_of(all, all->exchange.window.gives - all->ranks->size);
	size_t own_room = SIZE_MAX, half;

	assert(least <= whole);
	/* Some pieces for each thread at once. */
	TRY(gs_spread_wait(&spread->all, whole / 4 > least ? whole / 4 : least, room));
	TRY(all->own.reserve(all->own.context, least, 0, &own_room));
	/* Of the store's room, half is for keys that are read, and the rest for keys that arrive. */
	half = own_room / 2 < least ? least : own_room / 2;
	*room = gs_least(*room, half);
	spread->landing_room = spread->plan->head_keys > 0
	                       ? 0 : (own_room - *room) / all->exchange.window.block_bytes;
	return GS_OK;
}

/* ---- splitters from the first keys ----------------------------------------------------------- */

gs_status
gs_key_spread_split(struct gs_key_spread *spread)
{
	enum { PIECE_BYTES = 64 << 10 };
	const struct gs_count *histogram = spread->histogram;
	const size_t wanted = gs_sample_wanted(spread->all.ranks->size);
	/* if all keys are counted, each rank has the sum of all histograms */
	const bool counts = !spread->plan->by_counting || spread->all.ranks->rank == 0;
	struct gs_sample sample = { .keys = NULL };
	gs_status status = GS_OK;
	size_t room;

	/* of the keys that are held, as many as a rank takes for a sample; each stands for some others */
	for (unsigned c = 0; c < GS_CLASSES; c++) {
		const struct gs_held *held = &spread->held[c];
		const unsigned bits = spread->plan->class_bits[c];
		const unsigned place = gs_class_place(c, spread->descending_classes);
		const size_t count = held->bytes == 0 ? 0 : held->bytes / (bits / 8);
		const size_t each = count / wanted + 1;

		for (size_t at = 0; status == GS_OK && at < count; at += each)
			status = gs_sample_add(&sample, place, gs_key_at(held->keys, bits, at), each);
	}
	for (size_t b = 0; counts && status == GS_OK && b < histogram->bin_count; b++)
		if (histogram->bins[b] > 0)
			status = gs_sample_add(&sample, gs_class_place(histogram->key_class,
			                                               spread->descending_classes),
			                       b ^ spread->flip, histogram->bins[b]);
	status = gs_sample_split(&sample, status, spread);
	gs_sample_close(&sample);
	TRY(status);

	/* deal out the keys that were held, piece by piece */
	for (unsigned c = 0; c < GS_CLASSES; c++) {
		struct gs_held *held = &spread->held[c];
		struct gs_piece piece = { .key_class = c, .key_bits = spread->plan->class_bits[c] };

		for (size_t at = 0, some; at < held->bytes; at += some) {
			some = gs_least(held->bytes - at, PIECE_BYTES);
			piece.keys = held->keys + at;
			piece.count = some / (piece.key_bits / 8);
			TRY(reserve_split(spread, some, &room));
			add(spread, 0, 0, &piece);
		}
		free(held->keys);
		*held = (struct gs_held){ .keys = NULL };
	}
	return GS_OK;
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
