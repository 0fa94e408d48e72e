// SPDX-License-Identifier: BSD-2-Clause
/*
 * key_exchange.c - keys on their way from the rank that reads them to the rank that owns them
 *
 * In:   keys of all ranks, in any order.
 * Out:  in the store of each rank the keys that it owns.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/round.h"
#include "ranks/exchange.h"

/* Without splitters this many bytes of keys are held back.  Not tuned. */
#define HOLD_BYTES	((size_t)1 << 20)

/* ---- sizes --------------------------------------------------------------------- */

size_t
gs_exchange_chunk_bytes(unsigned ranks, uint64_t window_bytes, bool floats)
{
	const uint64_t keys = window_bytes / 4 - ranks * gs_transport_block_bytes(ranks, window_bytes) / 2;
	const uint64_t bytes = floats ? keys / 4 : keys;

	return bytes < (64 << 10) ? 64 << 10 : (size_t)(bytes - bytes % (64 << 10));
}

/* The bytes of keys that COUNT free slots have room for, whatever their owners: each owner may begin
 * a block, and each call that adds begins a class for each. */
static size_t
room_of(const struct gs_exchange *all, unsigned count)
{
	const struct gs_key_exchange *exchange = (const struct gs_key_exchange *)all;
	const size_t lost = sizeof(struct gs_block) + sizeof(struct gs_class_head) + sizeof(uint64_t);
	const size_t calls = exchange->plan->piece_bytes > 0 ? 0
	                     : exchange->plan->threads * GS_CLASSES * all->ranks->size;
	const size_t each = all->transport.window.block_bytes - lost;
	const size_t bytes = count <= all->ranks->size ? 0 : (count - all->ranks->size) * each;

	return bytes > calls * lost ? bytes - calls * lost : 0;
}

void
gs_key_exchange_measure(struct gs_key_exchange *exchange, unsigned key_class, unsigned key_bits,
                        const void *keys, size_t count, uint64_t times)
{
	atomic_fetch_add(&exchange->keys, count * times);
	if (exchange->measures)
		atomic_fetch_add(&exchange->bytes, times * gs_encode_measure(&exchange->encoding, key_class,
		                                                             key_bits, keys, count));
}

/* ---- storing ---------------------------------------------------------------------- */

static void
store(struct gs_key_exchange *exchange, unsigned rank, unsigned key_class, unsigned key_bits, void *keys,
      size_t count)
{
	const struct gs_taker *own = &exchange->all.own;
	const struct gs_piece piece = {
		.keys = keys, .count = count, .key_class = key_class, .key_bits = key_bits,
	};
	uint64_t sequence;

	gs_key_exchange_measure(exchange, key_class, key_bits, keys, count, 1);
	pthread_mutex_lock(&exchange->all.lock);
	sequence = gs_taker_next_sequence(own, key_class, 1);
	pthread_mutex_unlock(&exchange->all.lock);
	gs_taker_add(own, rank, sequence, &piece);
}

/* ---- landing ---------------------------------------------------------------------- */

static void
land_block(struct gs_exchange *all, unsigned worker, unsigned at)
{
	struct gs_block *block = all->transport.arrived[at].data;
	char *data = (char *)(block + 1), *end = (char *)block + block->bytes;

	while (data < end) {
		const struct gs_class_head head = *(const struct gs_class_head *)(void *)data;

		store((struct gs_key_exchange *)all, worker, head.key_class, (unsigned)head.key_bits,
		      data + sizeof head, head.count);
		data += gs_round_up(sizeof head + head.count * (head.key_bits / 8), 8);
	}
}

static gs_status
land(void *context, bool *moved)
{
	struct gs_key_exchange *exchange = context;
	struct gs_exchange *all = &exchange->all;
	struct gs_transport *transport = &all->transport;
	const size_t block_bytes = transport->window.block_bytes;
	size_t room, blocks;
	unsigned count;

	*moved |= transport->arrived_count > 0;
	TRY(gs_transport_release(transport, all->done));	/* what landed while keys were added */
	all->ready = all->claimed = all->done = 0;
	if (transport->arrived_count == 0)
		return GS_OK;
	TRY(all->own.reserve(all->own.context, block_bytes, 0, &room));
	if (exchange->plan->head_keys > 0)
		room = gs_least(room, GS_HEAD_ROUND_BYTES / 2);
	blocks = room / block_bytes;
	count = (unsigned)gs_least(transport->arrived_count, blocks > 0 ? blocks : 1);
	gs_exchange_land_all(all, count);
	TRY(gs_first_error_now(&all->error));
	return gs_transport_release(transport, count);
}

/* ---- adding ----------------------------------------------------------------------------------- */

static void
add(void *context, unsigned worker, uint64_t sequence, const struct gs_piece *piece)
{
	struct gs_key_exchange *exchange = context;
	struct gs_exchange *all = &exchange->all;
	const unsigned owners = all->ranks->size, self = all->ranks->rank;
	const unsigned key_class = piece->key_class, key_bits = piece->key_bits;
	const size_t key_bytes = key_bits / 8;
	size_t *ends = exchange->ends + (size_t)worker * owners;
	char *divided;

	(void)sequence;
	if (!exchange->split) {		/* hold the keys back */
		struct gs_bytes *held = &exchange->held[key_class];
		const size_t bytes = piece->count * key_bytes;

		pthread_mutex_lock(&all->lock);
		if (bytes > 0 && gs_first_error_note(&all->error,
		                                     GS_GROW(held->data, &held->room, held->bytes + bytes,
		                                             "bytes of keys that are held"))) {
			memcpy(held->data + held->bytes, piece->keys, bytes);
			held->bytes += bytes;
			exchange->held_bytes += bytes;
		}
		pthread_mutex_unlock(&all->lock);
		return;
	}
	divided = gs_splitters_divide(&exchange->splitters, key_class, key_bits, piece->keys, piece->count,
	                              all->scratch + worker * exchange->scratch_bytes, ends);
	/* Not all ranks begin with the same one. */
	for (unsigned o = 1; o <= owners; o++) {
		const unsigned owner = (self + o) % owners;
		const size_t from = owner == 0 ? 0 : ends[owner - 1], count = ends[owner] - from;
		char *keys = divided + from * key_bytes;

		if (owner == self && count > 0) {
			store(exchange, worker, key_class, key_bits, keys, count);
			continue;
		}
		for (size_t left = count * key_bytes, some; left > 0; keys += some, left -= some)
			some = gs_exchange_put(all, owner, key_class, key_bits, keys, left, true);
	}
	/* send and receive; when all blocks that were ready have landed, others are, if the store has room */
	if (worker == 0 && gs_exchange_step(all)) {
		pthread_mutex_lock(&all->landing);
		if (all->done == all->ready) {
			const gs_status status = gs_transport_release(&all->transport, all->done);

			all->ready = all->claimed = all->done = 0;
			if (gs_first_error_note(&all->error, status))
				all->ready = (unsigned)gs_least(all->transport.arrived_count,
				                                exchange->landing_room);
			exchange->landing_room -= all->ready;
		}
		pthread_mutex_unlock(&all->landing);
	}
	gs_exchange_land_some(all, worker);
}

static gs_status
reserve_split(struct gs_key_exchange *exchange, size_t least, size_t *room)
{
	const struct gs_exchange *all = &exchange->all;
	const size_t whole = room_of(all, all->transport.window.gives - all->ranks->size);
	size_t own_room = SIZE_MAX, half;

	assert(least <= whole);
	/* Some pieces for each thread at once. */
	TRY(gs_exchange_wait(&exchange->all, whole / 4 > least ? whole / 4 : least, room));
	TRY(all->own.reserve(all->own.context, least, 0, &own_room));
	/* Half of the store's room is for keys that are read, the rest for keys that arrive. */
	half = own_room / 2 < least ? least : own_room / 2;
	*room = gs_least(*room, half);
	exchange->landing_room = exchange->plan->head_keys > 0
	                       ? 0 : (own_room - *room) / all->transport.window.block_bytes;
	return GS_OK;
}

/* ---- splitters from the first keys ----------------------------------------------------------- */

gs_status
gs_key_exchange_split(struct gs_key_exchange *exchange)
{
	enum { PIECE_BYTES = 64 << 10 };
	const struct gs_count *histogram = exchange->histogram;
	const size_t wanted = gs_sample_wanted(exchange->all.ranks->size);
	/* if all keys are counted, each rank has the sum of all histograms */
	const bool counts = !exchange->plan->by_counting || exchange->all.ranks->rank == 0;
	struct gs_sample sample = { .keys = NULL };
	gs_status status = GS_OK;
	size_t room;

	/* as many of the held keys as a rank takes for a sample; each stands for some others */
	for (unsigned c = 0; c < GS_CLASSES; c++) {
		const struct gs_bytes *held = &exchange->held[c];
		const unsigned bits = exchange->plan->class_bits[c];
		const unsigned place = gs_class_place(c, exchange->descending_classes);
		const size_t count = held->bytes == 0 ? 0 : held->bytes / (bits / 8);
		const size_t each = count / wanted + 1;

		for (size_t at = 0; status == GS_OK && at < count; at += each)
			status = gs_sample_add(&sample, place, gs_key_at(held->data, bits, at), each);
	}
	for (size_t b = 0; counts && status == GS_OK && b < histogram->bin_count; b++)
		if (histogram->bins[b] > 0)
			status = gs_sample_add(&sample, gs_class_place(histogram->key_class,
			                                               exchange->descending_classes),
			                       b ^ exchange->flip, histogram->bins[b]);
	status = gs_sample_split(&sample, status, exchange);
	gs_sample_close(&sample);
	TRY(status);

	/* deal out the keys that were held, piece by piece */
	for (unsigned c = 0; c < GS_CLASSES; c++) {
		struct gs_bytes *held = &exchange->held[c];
		struct gs_piece piece = { .key_class = c, .key_bits = exchange->plan->class_bits[c] };

		for (size_t at = 0, some; at < held->bytes; at += some) {
			some = gs_least(held->bytes - at, PIECE_BYTES);
			piece.keys = held->data + at;
			piece.count = some / (piece.key_bits / 8);
			TRY(reserve_split(exchange, some, &room));
			add(exchange, 0, 0, &piece);
		}
		free(held->data);
		*held = (struct gs_bytes){ .data = NULL };
	}
	return GS_OK;
}

static gs_status
reserve(void *context, size_t least, size_t small, size_t *room)
{
	struct gs_key_exchange *exchange = context;

	(void)small;
	if (!exchange->split && exchange->held_bytes >= HOLD_BYTES)
		TRY(gs_key_exchange_split(exchange));
	if (exchange->split)
		return reserve_split(exchange, least, room);
	TRY(gs_first_error_now(&exchange->all.error));
	*room = HOLD_BYTES > least ? HOLD_BYTES : least;
	return GS_OK;
}

/* ---- opening ---------------------------------------------------------------------- */

gs_status
gs_key_exchange_open(struct gs_key_exchange *exchange, size_t window_bytes, struct gs_taker *taker)
{
	const unsigned ranks = exchange->all.ranks->size, threads = exchange->all.threads;
	const struct gs_plan *plan = exchange->plan;
	const size_t piece_bytes = plan->piece_bytes > 0 ? plan->piece_bytes
		: 4 * plan->chunk_bytes + gs_transport_block_bytes(ranks, window_bytes);
	gs_status status;

	*taker = (struct gs_taker){ .reserve = reserve, .add = add, .context = exchange };
	exchange->all.room = room_of;
	exchange->all.land_one = land_block;
	exchange->scratch_bytes = gs_splitters_scratch_bytes(ranks, piece_bytes);
	status = gs_arena_open(&exchange->all.arena, gs_arena_round(threads * exchange->scratch_bytes),
	                       false);
	if (status == GS_OK)
		exchange->all.scratch = gs_arena_take(&exchange->all.arena,
		                                      threads * exchange->scratch_bytes);
	THEN(status, GS_NEW(exchange->ends, (size_t)threads * ranks, "shares of pieces"));
	return gs_exchange_open(&exchange->all, window_bytes, status, land);
}

void
gs_key_exchange_close(struct gs_key_exchange *exchange)
{
	gs_exchange_close(&exchange->all);
	for (unsigned c = 0; c < GS_CLASSES; c++)
		free(exchange->held[c].data);
	gs_splitters_close(&exchange->splitters);
	free(exchange->ends);
	*exchange = (struct gs_key_exchange){ .all.ranks = NULL };
}
