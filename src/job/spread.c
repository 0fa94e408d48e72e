// SPDX-License-Identifier: BSD-2-Clause
/*
 * spread.c - keys on their way from the rank that reads them to the rank that owns them
 *
 * In:   keys of all ranks, in any order.
 * Out:  in the store of each rank the keys that it owns.
 *
 * Behind the header of a block come segments: class, number of keys, keys.
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
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "job/spread.h"

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
room_of(const struct gs_spread *spread, unsigned count)
{
	const size_t lost = sizeof(struct gs_block) + sizeof(struct gs_segment) + sizeof(uint64_t);
	const size_t calls = spread->plan->piece_bytes > 0 ? 0
	                     : spread->plan->threads * GS_CLASSES * spread->ranks->size;
	const size_t each = spread->exchange.window.block_bytes - lost;
	const size_t bytes = count <= spread->ranks->size ? 0 : (count - spread->ranks->size) * each;

	return bytes > calls * lost ? bytes - calls * lost : 0;
}

/* ---- opening ---------------------------------------------------------------------- */

static gs_status
allocate(struct gs_spread *spread, size_t window_bytes)
{
	const unsigned ranks = spread->ranks->size, threads = spread->plan->threads;
	const size_t piece_bytes = spread->plan->piece_bytes > 0 ? spread->plan->piece_bytes
		: 4 * spread->plan->chunk_bytes + gs_exchange_block_bytes(ranks, window_bytes);

	spread->scratch_bytes = gs_splitters_scratch_bytes(ranks, piece_bytes);
	TRY(gs_arena_open(&spread->arena, gs_arena_round(threads * spread->scratch_bytes), false));
	spread->scratch = gs_arena_take(&spread->arena, threads * spread->scratch_bytes);
	TRY(GS_NEW(spread->ends, (size_t)threads * ranks, "shares of pieces"));
	TRY(GS_NEW(spread->blocks, ranks, "blocks"));
	return GS_NEW(spread->writers, window_bytes / gs_exchange_block_bytes(ranks, window_bytes), "slots");
}

gs_status
gs_spread_open(struct gs_spread *spread, size_t window_bytes, struct gs_splitters *splitters,
               bool split)
{
	spread->splitters = *splitters;
	*splitters = (struct gs_splitters){ .count = 0 };
	spread->split = split;
	pthread_mutex_init(&spread->lock, NULL);
	pthread_mutex_init(&spread->landing.lock, NULL);
	gs_first_error_open(&spread->error);
	TRY(gs_ranks_agree(spread->ranks, allocate(spread, window_bytes)));
	for (unsigned r = 0; r < spread->ranks->size; r++)
		pthread_mutex_init(&spread->blocks[r].lock, NULL);
	TRY(gs_exchange_open(&spread->exchange, spread->ranks, window_bytes));
	spread->exchange.land = gs_spread_land;
	spread->exchange.land_context = spread;
	return GS_OK;
}

void
gs_spread_close(struct gs_spread *spread)
{
	gs_exchange_close(&spread->exchange);
	gs_arena_close(&spread->arena);
	for (unsigned c = 0; c < GS_CLASSES; c++)
		free(spread->held[c].keys);
	gs_splitters_close(&spread->splitters);
	free(spread->ends);
	free(spread->blocks);
	free(spread->writers);
	*spread = (struct gs_spread){ .ranks = NULL };
}

/* ---- filling blocks --------------------------------------------------------------------- */

/* The open block of an owner is as full as it gets; with its lock. */
static void
end_block(struct gs_spread *spread, unsigned owner)
{
	struct gs_open_block *block = &spread->blocks[owner];

	if (!block->any)
		return;
	block->any = false;
	if (spread->writers[block->slot].count > 0)
		spread->writers[block->slot].bytes = block->bytes;
	else
		gs_exchange_post(&spread->exchange, block->slot, owner, block->bytes);
}

/* A thread has copied its keys to SLOT; with the lock of the owner's block. */
static void
end_writing(struct gs_spread *spread, unsigned owner, unsigned slot)
{
	struct gs_writers *writers = &spread->writers[slot];

	if (--writers->count > 0 || writers->bytes == 0)
		return;
	gs_exchange_post(&spread->exchange, slot, owner, writers->bytes);
	writers->bytes = 0;
}

static char *
data_of(const struct gs_spread *spread, const struct gs_open_block *block)
{
	return (char *)gs_exchange_block(&spread->exchange, block->slot);
}

/* The keys of a class for which the open block has room.  Begins a segment, if need be. */
static size_t
find_room(struct gs_spread *spread, struct gs_open_block *block, unsigned key_class,
          unsigned key_bits)
{
	const size_t most = spread->exchange.window.block_bytes;
	char *data;
	struct gs_segment *segment;

	if (!block->any) {
		block->slot = gs_exchange_take(&spread->exchange);
		block->any = true;
		block->bytes = sizeof(struct gs_block);
		block->segment = 0;
	}
	data = data_of(spread, block);
	segment = (struct gs_segment *)(void *)(data + block->segment);
	if (block->segment == 0 || segment->key_class != key_class) {
		block->bytes = (block->bytes + 7) / 8 * 8;
		if (block->bytes + sizeof *segment + key_bits / 8 > most)
			return 0;
		block->segment = block->bytes;
		block->bytes += sizeof *segment;
		segment = (struct gs_segment *)(void *)(data + block->segment);
		*segment = (struct gs_segment){ .key_class = key_class, .key_bits = key_bits };
	}
	return (most - block->bytes) / (key_bits / 8);
}

/* Threads find room in turn, and copy at once. */
static void
append(struct gs_spread *spread, unsigned owner, unsigned key_class, unsigned key_bits,
       const char *keys, size_t count)
{
	struct gs_open_block *block = &spread->blocks[owner];
	const size_t key_bytes = key_bits / 8;

	pthread_mutex_lock(&block->lock);
	while (count > 0) {
		const size_t room = find_room(spread, block, key_class, key_bits);
		const size_t some = count < room ? count : room;
		char *data = data_of(spread, block), *to = data + block->bytes;
		const unsigned slot = block->slot;

		if (some == 0) {
			end_block(spread, owner);
			continue;
		}
		((struct gs_segment *)(void *)(data + block->segment))->count += (uint32_t)some;
		block->bytes += some * key_bytes;
		spread->writers[slot].count++;
		pthread_mutex_unlock(&block->lock);
		memcpy(to, keys, some * key_bytes);
		keys += some * key_bytes;
		count -= some;
		pthread_mutex_lock(&block->lock);
		end_writing(spread, owner, slot);
	}
	pthread_mutex_unlock(&block->lock);
}

/* ---- adding ----------------------------------------------------------------------------------- */

/* Before there are splitters. */
static void
hold(struct gs_spread *spread, unsigned key_class, const void *keys, size_t bytes)
{
	struct gs_held *held = &spread->held[key_class];

	pthread_mutex_lock(&spread->lock);
	if (gs_first_error_note(&spread->error, GS_GROW(held->keys, &held->room, held->bytes + bytes,
	                                                "bytes of keys that are held"))) {
		memcpy(held->keys + held->bytes, keys, bytes);
		held->bytes += bytes;
		spread->held_bytes += bytes;
	}
	pthread_mutex_unlock(&spread->lock);
}

/* The keys of OWNER, divided by a thread. */
static void
deliver(struct gs_spread *spread, unsigned rank, unsigned owner, unsigned key_class, char *keys,
        size_t count)
{
	const unsigned key_bits = spread->plan->class_bits[key_class];

	if (owner != spread->ranks->rank)
		append(spread, owner, key_class, key_bits, keys, count);
	else
		gs_spread_store(spread, rank, key_class, key_bits, keys, count);
}

static void
add(void *context, unsigned worker, uint64_t sequence, const struct gs_piece *piece)
{
	struct gs_spread *spread = context;
	const unsigned owners = spread->ranks->size, self = spread->ranks->rank;
	const unsigned key_class = piece->key_class;
	const size_t key_bytes = piece->key_bits / 8;
	size_t *ends = spread->ends + (size_t)worker * owners;
	bool moved = false;
	char *keys;

	(void)sequence;
	if (!spread->split) {
		hold(spread, key_class, piece->keys, piece->count * key_bytes);
		return;
	}
	keys = gs_splitters_divide(&spread->splitters, key_class, piece->key_bits, piece->keys,
	                           piece->count, spread->scratch + worker * spread->scratch_bytes, ends);
	/* Not all ranks begin with the same one. */
	for (unsigned o = 1; o <= owners; o++) {
		const unsigned owner = (self + o) % owners;
		const size_t from = owner == 0 ? 0 : ends[owner - 1];

		if (ends[owner] > from)
			deliver(spread, worker, owner, key_class, keys + from * key_bytes,
			        ends[owner] - from);
	}
	if (worker == 0 &&
	    gs_first_error_note(&spread->error, gs_exchange_step(&spread->exchange, &moved)))
		(void)gs_first_error_note(&spread->error, gs_spread_land_more(spread));
	gs_spread_land_some(spread, worker);
}

static gs_status
wait_for_room(struct gs_spread *spread, size_t least, size_t *room)
{
	const size_t whole = room_of(spread, spread->exchange.window.gives - spread->ranks->size);
	/* Some pieces for each thread at once. */
	const size_t wish = whole / 4 > least ? whole / 4 : least;
	unsigned idle = 0;

	assert(least <= whole);
	do {
		if (atomic_load(&spread->error.any))
			return gs_first_error_close(&spread->error);
		TRY(gs_exchange_turn(&spread->exchange, &idle));
		*room = room_of(spread, spread->exchange.free_count);
	} while (*room < wish ||
	         spread->exchange.arrived_count > spread->exchange.window.takes / 2);
	return GS_OK;
}

/* Of the store's room for this round, half is for keys that are read, and the rest for keys that arrive. */
static void
share_room(struct gs_spread *spread, size_t own_room, size_t least, size_t *room)
{
	const size_t half = own_room / 2 < least ? least : own_room / 2;

	if (*room > half)
		*room = half;
	spread->landing_room = spread->plan->head_keys > 0
	                       ? 0 : (own_room - *room) / spread->exchange.window.block_bytes;
}

static gs_status
reserve_split(struct gs_spread *spread, size_t least, size_t *room)
{
	size_t own_room = SIZE_MAX;

	TRY(wait_for_room(spread, least, room));
	TRY(spread->own.reserve(spread->own.context, least, 0, &own_room));
	share_room(spread, own_room, least, room);
	return GS_OK;
}

/* ---- splitters from the first keys ----------------------------------------------------------- */

/* Of the keys that are held, as many as a rank takes for a sample; each stands for some others. */
static gs_status
sample_held(struct gs_spread *spread, struct gs_sample *sample)
{
	const size_t wanted = gs_sample_wanted(spread->ranks->size);

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
release_held(struct gs_spread *spread)
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

static gs_status
split(struct gs_spread *spread, uint64_t flip)
{
	struct gs_sample sample = { .keys = NULL };
	gs_status status = sample_held(spread, &sample);

	if (status == GS_OK && spread->histogram->bin_count > 0)
		status = gs_sample_histogram(&sample, spread->histogram, flip,
		                             spread->descending_classes);
	if (status == GS_OK)
		status = gs_sample_split(&sample, spread->ranks, spread->together,
		                         spread->descending_classes, &spread->splitters);
	gs_sample_close(&sample);
	TRY(status);
	spread->split = true;
	return release_held(spread);
}

static gs_status
reserve(void *context, size_t least, size_t small, size_t *room)
{
	struct gs_spread *spread = context;

	(void)small;
	if (!spread->split && spread->held_bytes >= HOLD_BYTES)
		TRY(split(spread, spread->descending_classes ? UINT32_MAX : 0));
	if (spread->split)
		return reserve_split(spread, least, room);
	if (atomic_load(&spread->error.any))
		return gs_first_error_close(&spread->error);
	*room = HOLD_BYTES > least ? HOLD_BYTES : least;
	return GS_OK;
}

struct gs_taker
gs_spread_taker(struct gs_spread *spread)
{
	return (struct gs_taker){ .reserve = reserve, .add = add, .context = spread };
}

/* ---- the end ---------------------------------------------------------------------------------- */

gs_status
gs_spread_finish(struct gs_spread *spread, uint64_t flip)
{
	if (!spread->split)
		TRY(split(spread, flip));
	if (atomic_load(&spread->error.any))
		return gs_first_error_close(&spread->error);
	for (unsigned o = 0; o < spread->ranks->size; o++)
		end_block(spread, o);
	TRY(gs_exchange_drain(&spread->exchange));
	gs_arena_close(&spread->arena);
	return GS_OK;
}
