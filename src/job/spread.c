// SPDX-License-Identifier: BSD-2-Clause
/*
 * spread.c - keys on their way from the rank that reads them to the rank that owns them
 *
 * In:   keys of all ranks, in any order.
 * Out:  in the store of each rank the keys that it owns.
 *
 * A block begins with a header: its bytes.  Then come segments: class, number of keys, keys.  After
 * its last block a rank tells each other one how many it has sent it.
 *
 * Invariant: a slot that is given is free, of an open block, in a parcel, or being sent.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/team.h"
#include "job/spread.h"
#include "sort/checksum.h"

struct header {
	uint64_t bytes;		/* of the block; 0: the rank has sent its last one, ... */
	uint64_t blocks;	/* ... so many in all */
};

struct segment {
	uint32_t key_class;
	uint32_t count;
	uint64_t key_bits;
};

/*
 * A block is as large as the window allows, within these: less costs a message for few keys, more
 * leaves the cache.  Not tuned.
 */
#define LEAST_BLOCK	((size_t)4 << 10)
#define MOST_BLOCK	((size_t)256 << 10)
#define WINDOW_BYTES	((size_t)32 << 20)	/* of few ranks with much memory */
#define LEAST_WINDOW	((size_t)1 << 20)
#define HOLD_BYTES	((size_t)1 << 20)

/* ---- sizes --------------------------------------------------------------------- */

static size_t
block_bytes(unsigned ranks, size_t window_bytes)
{
	size_t bytes = MOST_BLOCK;

	while (bytes > LEAST_BLOCK && bytes * 8 * ranks > window_bytes)
		bytes /= 2;
	return bytes;
}

size_t
gs_spread_window_bytes(unsigned ranks, uint64_t memory_bytes)
{
	const uint64_t most = WINDOW_BYTES > 8 * ranks * MOST_BLOCK ? WINDOW_BYTES
	                                                            : 8 * ranks * MOST_BLOCK;
	uint64_t bytes = memory_bytes / 8 < most ? memory_bytes / 8 : most;

	bytes = bytes < LEAST_WINDOW ? LEAST_WINDOW : bytes;
	return bytes < 8 * ranks * LEAST_BLOCK ? 8 * ranks * LEAST_BLOCK : (size_t)bytes;
}

size_t
gs_spread_chunk_bytes(unsigned ranks, uint64_t window_bytes, bool floats)
{
	const uint64_t keys = window_bytes / 4 - ranks * LEAST_BLOCK / 2;
	const uint64_t bytes = floats ? keys / 4 : keys;

	return bytes < (64 << 10) ? 64 << 10 : (size_t)(bytes - bytes % (64 << 10));
}

/* The bytes of keys that COUNT free slots have room for, whatever their owners: each owner may begin
 * a block, and each call that adds begins a segment for each. */
static size_t
room_of(const struct gs_spread *spread, unsigned count)
{
	const size_t lost = sizeof(struct header) + sizeof(struct segment) + sizeof(uint64_t);
	const size_t calls = spread->plan->piece_bytes > 0 ? 0
	                     : spread->plan->threads * GS_CLASSES * spread->ranks->size;
	const size_t each = spread->window.block_bytes - lost;
	const size_t bytes = count <= spread->ranks->size ? 0 : (count - spread->ranks->size) * each;

	return bytes > calls * lost ? bytes - calls * lost : 0;
}

static char *
slot_at(const struct gs_spread *spread, unsigned slot)
{
	return spread->window.memory + slot * spread->window.block_bytes;
}

/* ---- opening ---------------------------------------------------------------------- */

static gs_status
allocate(struct gs_spread *spread, size_t window_bytes)
{
	const unsigned ranks = spread->ranks->size, threads = spread->plan->threads;
	const size_t block = block_bytes(ranks, window_bytes);
	const unsigned slots = (unsigned)(window_bytes / block);
	const size_t piece_bytes = spread->plan->piece_bytes > 0 ? spread->plan->piece_bytes
		: 4 * spread->plan->chunk_bytes + MOST_BLOCK;

	spread->window = (struct gs_window){
		.block_bytes = block, .takes = slots / 4, .gives = slots - slots / 4,
	};
	spread->scratch_bytes = gs_splitters_scratch_bytes(ranks, piece_bytes);
	spread->memory_bytes = slots * block + threads * spread->scratch_bytes;
	spread->memory = mmap(NULL, spread->memory_bytes, PROT_READ | PROT_WRITE,
	                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (spread->memory == MAP_FAILED) {
		spread->memory = NULL;
		return gs_fail_errno(GS_EBUDGET, "no memory for blocks of keys");
	}
	spread->window.memory = spread->memory;
	spread->scratch = spread->memory + slots * block;
	spread->ends = calloc((size_t)threads * ranks, sizeof *spread->ends);
	spread->free_slots = calloc(spread->window.gives, sizeof *spread->free_slots);
	spread->parcels = calloc(spread->window.gives, sizeof *spread->parcels);
	spread->given = calloc(spread->window.gives, sizeof *spread->given);
	spread->taken = calloc(spread->window.takes, sizeof *spread->taken);
	spread->arrived = calloc(spread->window.takes, sizeof *spread->arrived);
	spread->blocks = calloc(ranks, sizeof *spread->blocks);
	return spread->ends != NULL && spread->free_slots != NULL && spread->parcels != NULL &&
	       spread->given != NULL && spread->taken != NULL && spread->arrived != NULL &&
	       spread->blocks != NULL ? GS_OK
	       : gs_fail(GS_EBUDGET, "no memory for %u blocks of keys", slots);
}

gs_status
gs_spread_open(struct gs_spread *spread, size_t window_bytes, struct gs_splitters *splitters,
               bool split)
{
	gs_status status;

	spread->splitters = *splitters;
	*splitters = (struct gs_splitters){ .count = 0 };
	spread->split = split;
	pthread_mutex_init(&spread->lock, NULL);
	gs_first_error_open(&spread->error);
	status = gs_ranks_agree(spread->ranks, allocate(spread, window_bytes));
	TRY(status);
	for (unsigned r = 0; r < spread->ranks->size; r++)
		pthread_mutex_init(&spread->blocks[r].lock, NULL);
	for (unsigned s = 0; s < spread->window.gives; s++)
		spread->free_slots[spread->free_count++] = spread->window.gives - 1 - s;
	spread->open = true;
	return gs_ranks_open(spread->ranks, &spread->window);
}

void
gs_spread_close(struct gs_spread *spread)
{
	if (spread->open)
		gs_ranks_close(spread->ranks);
	if (spread->memory != NULL)
		munmap(spread->memory, spread->memory_bytes);
	for (unsigned c = 0; c < GS_CLASSES; c++)
		free(spread->held[c].keys);
	gs_splitters_close(&spread->splitters);
	free(spread->ends);
	free(spread->free_slots);
	free(spread->parcels);
	free(spread->given);
	free(spread->taken);
	free(spread->arrived);
	free(spread->blocks);
	*spread = (struct gs_spread){ .open = false };
}

/* ---- measuring ------------------------------------------------------------------------ */

void
gs_spread_measure(struct gs_spread *spread, unsigned key_class, unsigned key_bits,
                  const void *keys, size_t count, uint64_t times)
{
	atomic_fetch_add(&spread->keys, count * times);
	if (spread->measures)
		atomic_fetch_add(&spread->bytes, times * gs_encode_measure(&spread->encoding, key_class,
		                                                           key_bits, keys, count));
}

/* ---- filling blocks --------------------------------------------------------------------- */

static unsigned
take_slot(struct gs_spread *spread)
{
	unsigned slot;

	pthread_mutex_lock(&spread->lock);
	assert(spread->free_count > 0);		/* gs_spread_reserve() has seen to it */
	slot = spread->free_slots[--spread->free_count];
	pthread_mutex_unlock(&spread->lock);
	return slot;
}

/* The open block of an owner is as full as it gets. */
static void
end_block(struct gs_spread *spread, unsigned owner)
{
	struct gs_open_block *block = &spread->blocks[owner];
	struct header *header = (struct header *)(void *)slot_at(spread, block->slot);

	if (!block->any)
		return;
	*header = (struct header){ .bytes = block->bytes };
	block->any = false;
	block->sent++;
	pthread_mutex_lock(&spread->lock);
	spread->parcels[spread->parcel_count++] = (struct gs_parcel){ block->slot, owner };
	pthread_mutex_unlock(&spread->lock);
}

/* The keys of a class for which the open block has room.  Begins a segment, if need be. */
static size_t
find_room(struct gs_spread *spread, struct gs_open_block *block, unsigned key_class,
          unsigned key_bits)
{
	const size_t most = spread->window.block_bytes;
	char *data;
	struct segment *segment;

	if (!block->any) {
		block->slot = take_slot(spread);
		block->any = true;
		block->bytes = sizeof(struct header);
		block->segment = 0;
	}
	data = slot_at(spread, block->slot);
	segment = (struct segment *)(void *)(data + block->segment);
	if (block->segment == 0 || segment->key_class != key_class) {
		block->bytes = (block->bytes + 7) / 8 * 8;
		if (block->bytes + sizeof *segment + key_bits / 8 > most)
			return 0;
		block->segment = block->bytes;
		block->bytes += sizeof *segment;
		segment = (struct segment *)(void *)(data + block->segment);
		*segment = (struct segment){ .key_class = key_class, .key_bits = key_bits };
	}
	return (most - block->bytes) / (key_bits / 8);
}

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
		char *data = slot_at(spread, block->slot);

		if (some == 0) {
			end_block(spread, owner);
			continue;
		}
		memcpy(data + block->bytes, keys, some * key_bytes);
		((struct segment *)(void *)(data + block->segment))->count += (uint32_t)some;
		block->bytes += some * key_bytes;
		keys += some * key_bytes;
		count -= some;
	}
	pthread_mutex_unlock(&block->lock);
}

/* ---- the network ---------------------------------------------------------------------------- */

/* Send what is full, and note what has been sent and what has arrived; *MOVED: something has. */
static gs_status
poll(struct gs_spread *spread, bool *moved)
{
	unsigned given, taken;
	struct gs_parcel parcel;

	for (;;) {
		pthread_mutex_lock(&spread->lock);
		if (spread->parcel_count == 0) {
			pthread_mutex_unlock(&spread->lock);
			break;
		}
		parcel = spread->parcels[--spread->parcel_count];
		pthread_mutex_unlock(&spread->lock);
		TRY(gs_ranks_give(spread->ranks, parcel.slot, parcel.to,
		                  ((struct header *)(void *)slot_at(spread, parcel.slot))->bytes > 0
			? ((struct header *)(void *)slot_at(spread, parcel.slot))->bytes
			: sizeof(struct header)));
		*moved = true;
	}
	TRY(gs_ranks_poll(spread->ranks, spread->given, &given, spread->taken, &taken));
	*moved |= given > 0 || taken > 0;
	for (unsigned t = 0; t < taken; t++)
		spread->arrived[spread->arrived_count++] = spread->taken[t];
	if (given > 0) {
		pthread_mutex_lock(&spread->lock);
		memcpy(spread->free_slots + spread->free_count, spread->given,
		       given * sizeof *spread->given);
		spread->free_count += given;
		pthread_mutex_unlock(&spread->lock);
	}
	return GS_OK;
}

/* ---- landing -------------------------------------------------------------------------------- */

struct landing {
	struct gs_spread     *spread;
	atomic_uint           next;
	unsigned              count;
	struct gs_first_error error;
};

static char *
arrived_at(const struct gs_spread *spread, unsigned number)
{
	return slot_at(spread, spread->window.gives + spread->arrived[number].slot);
}

/* Put keys of this rank into the CPU's store. */
static void
store_keys(struct gs_spread *spread, unsigned rank, unsigned key_class, unsigned key_bits,
           void *keys, size_t count)
{
	uint64_t sequence;

	gs_spread_measure(spread, key_class, key_bits, keys, count, 1);
	pthread_mutex_lock(&spread->lock);
	sequence = gs_store_next_sequence(spread->store, key_class, 1);
	pthread_mutex_unlock(&spread->lock);
	gs_store_add(spread->store, rank, key_class, sequence, keys, count);
}

/* Put them into staging buffers of a GPU; the calling thread. */
static gs_status
stage_keys(struct gs_spread *spread, unsigned key_class, unsigned key_bits, const char *keys,
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

/* Store the keys of a block, or note that a rank has sent all of its. */
static gs_status
land_block(struct gs_spread *spread, unsigned rank, char *data)
{
	const struct header *header = (const struct header *)(void *)data;

	for (size_t at = sizeof *header; at < header->bytes;) {
		const struct segment segment = *(const struct segment *)(void *)(data + at);
		const size_t bytes = segment.count * (segment.key_bits / 8);
		char *keys = data + at + sizeof segment;

		if (gs_store_is_on_gpu(spread->store))
			TRY(stage_keys(spread, segment.key_class, (unsigned)segment.key_bits, keys,
			               segment.count));
		else
			store_keys(spread, rank, segment.key_class, (unsigned)segment.key_bits, keys,
			           segment.count);
		at += (sizeof segment + bytes + 7) / 8 * 8;
	}
	return GS_OK;
}

static void
land_some(void *context, unsigned rank, unsigned size)
{
	struct landing *landing = context;
	unsigned at;

	(void)size;
	while ((at = atomic_fetch_add(&landing->next, 1)) < landing->count)
		if (!gs_first_error_note(&landing->error,
		                         land_block(landing->spread, rank,
		                                    arrived_at(landing->spread, at))))
			return;
}

/* How many of the blocks that have arrived the store has room for. */
static gs_status
count_landing(struct gs_spread *spread, unsigned *count)
{
	const size_t most = spread->plan->head_keys > 0 ? GS_HEAD_ROUND_BYTES / 2 : SIZE_MAX;
	size_t room;

	*count = spread->arrived_count;
	if (gs_store_is_on_gpu(spread->store) || *count == 0)
		return GS_OK;
	TRY(gs_store_reserve(spread->store, spread->window.block_bytes, &room));
	if (room > most)
		room = most;
	if (*count > room / spread->window.block_bytes)
		*count = (unsigned)(room / spread->window.block_bytes);
	if (*count == 0)
		*count = 1;
	return GS_OK;
}

/* Store blocks that have arrived, with all threads. */
static gs_status
land(struct gs_spread *spread)
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
	for (unsigned a = 0; a < landing.count; a++) {
		const struct header *header = (const struct header *)(void *)arrived_at(spread, a);

		if (header->bytes == 0) {
			spread->ended++;
			spread->blocks_due += header->blocks;
		} else {
			spread->blocks_taken++;
		}
		TRY(gs_ranks_retake(spread->ranks, spread->arrived[a].slot));
	}
	spread->arrived_count -= landing.count;
	memmove(spread->arrived, spread->arrived + landing.count,
	        spread->arrived_count * sizeof *spread->arrived);
	return GS_OK;
}

/* Let the network go on, and store what has arrived; rest if nothing happens. */
static gs_status
step(struct gs_spread *spread, unsigned *idle)
{
	bool moved = spread->arrived_count > 0;

	TRY(poll(spread, &moved));
	TRY(land(spread));
	if (moved)
		*idle = 0;
	else
		gs_ranks_rest(idle);
	return GS_OK;
}

/* ---- adding ----------------------------------------------------------------------------------- */

/* Before there are splitters. */
static void
hold(struct gs_spread *spread, unsigned key_class, const void *keys, size_t bytes)
{
	struct gs_held *held = &spread->held[key_class];

	pthread_mutex_lock(&spread->lock);
	if (held->room - held->bytes < bytes) {
		const size_t room = 2 * (held->bytes + bytes);
		char *more = realloc(held->keys, room);

		if (more == NULL) {
			pthread_mutex_unlock(&spread->lock);
			(void)gs_first_error_note(&spread->error, gs_fail(GS_EBUDGET, "no memory to hold "
			                          "%zu bytes of keys", room));
			return;
		}
		held->keys = more;
		held->room = room;
	}
	memcpy(held->keys + held->bytes, keys, bytes);
	held->bytes += bytes;
	spread->held_bytes += bytes;
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
	else if (!gs_store_is_on_gpu(spread->store))
		store_keys(spread, rank, key_class, key_bits, keys, count);
	else		/* by one thread at a time: it is the caller's */
		hold(spread, key_class, keys, count * (key_bits / 8));
}

void
gs_spread_add(void *context, unsigned rank, unsigned key_class, void *keys, size_t count)
{
	struct gs_spread *spread = context;
	const unsigned owners = spread->ranks->size, self = spread->ranks->rank;
	const size_t key_bytes = spread->plan->class_bits[key_class] / 8;
	size_t *ends = spread->ends + (size_t)rank * owners;
	bool moved = false;

	if (!spread->split) {
		hold(spread, key_class, keys, count * key_bytes);
		return;
	}
	keys = gs_splitters_divide(&spread->splitters, key_class, (unsigned)key_bytes * 8, keys, count,
	                           spread->scratch + rank * spread->scratch_bytes, ends);
	/* Not all ranks begin with the same one. */
	for (unsigned o = 1; o <= owners; o++) {
		const unsigned owner = (self + o) % owners;
		const size_t from = owner == 0 ? 0 : ends[owner - 1];

		if (ends[owner] > from)
			deliver(spread, rank, owner, key_class, (char *)keys + from * key_bytes,
			        ends[owner] - from);
	}
	if (rank == 0)
		(void)gs_first_error_note(&spread->error, poll(spread, &moved));
}

/* With a GPU: stage the keys of this rank that threads have held. */
static gs_status
stage_held(struct gs_spread *spread)
{
	for (unsigned c = 0; c < GS_CLASSES && spread->split; c++) {
		struct gs_held *held = &spread->held[c];
		const unsigned bits = spread->plan->class_bits[c];

		if (held->bytes > 0)
			TRY(stage_keys(spread, c, bits, held->keys, held->bytes / (bits / 8)));
		held->bytes = 0;
	}
	if (spread->split)
		spread->held_bytes = 0;
	return GS_OK;
}

static gs_status
wait_for_room(struct gs_spread *spread, size_t least, size_t *room)
{
	const size_t whole = room_of(spread, spread->window.gives - spread->ranks->size);
	/* Some pieces for each thread at once. */
	const size_t wish = whole / 4 > least ? whole / 4 : least;
	unsigned idle = 0;

	assert(least <= whole);
	do {
		if (atomic_load(&spread->error.any))
			return gs_first_error_close(&spread->error);
		TRY(stage_held(spread));
		TRY(step(spread, &idle));
		*room = room_of(spread, spread->free_count);
	} while (*room < wish || spread->arrived_count > spread->window.takes / 2);
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
			TRY(gs_sample_add(sample, spread->descending_classes ? GS_CLASSES - 1 - c : c,
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
			some = held[c].bytes - at < PIECE_BYTES ? held[c].bytes - at : PIECE_BYTES;
			status = gs_spread_reserve(spread, some, &room);
			if (status == GS_OK)
				gs_spread_add(spread, 0, c, held[c].keys + at,
				              some / (spread->plan->class_bits[c] / 8));
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

	if (status == GS_OK && spread->store->histogram.bin_count > 0)
		status = gs_sample_histogram(&sample, &spread->store->histogram, flip,
		                             spread->descending_classes);
	if (status == GS_OK)
		status = gs_sample_split(&sample, spread->ranks, spread->together,
		                         spread->descending_classes, &spread->splitters);
	gs_sample_close(&sample);
	TRY(status);
	spread->split = true;
	return release_held(spread);
}

gs_status
gs_spread_reserve(void *context, size_t least, size_t *room)
{
	struct gs_spread *spread = context;
	size_t own_room = SIZE_MAX;

	if (!spread->split && spread->held_bytes >= HOLD_BYTES)
		TRY(split(spread, spread->descending_classes ? UINT32_MAX : 0));
	if (!spread->split) {
		if (atomic_load(&spread->error.any))
			return gs_first_error_close(&spread->error);
		*room = HOLD_BYTES > least ? HOLD_BYTES : least;
		return GS_OK;
	}
	TRY(wait_for_room(spread, least, room));
	if (!gs_store_is_on_gpu(spread->store))
		TRY(gs_store_reserve(spread->store, least, &own_room));
	if (*room > own_room)
		*room = own_room;
	return GS_OK;
}

/* ---- the end ---------------------------------------------------------------------------------- */

/* Tell each other rank that there will be no more. */
static gs_status
send_ends(struct gs_spread *spread)
{
	unsigned idle = 0;

	for (unsigned o = 1; o < spread->ranks->size; o++) {
		const unsigned to = (spread->ranks->rank + o) % spread->ranks->size;
		unsigned slot;

		while (spread->free_count == 0)
			TRY(step(spread, &idle));
		slot = take_slot(spread);
		*(struct header *)(void *)slot_at(spread, slot) =
			(struct header){ .bytes = 0, .blocks = spread->blocks[to].sent };
		spread->parcels[spread->parcel_count++] = (struct gs_parcel){ slot, to };
		TRY(step(spread, &idle));
	}
	return GS_OK;
}

gs_status
gs_spread_finish(struct gs_spread *spread, uint64_t flip)
{
	unsigned idle = 0;

	if (!spread->split)
		TRY(split(spread, flip));
	if (atomic_load(&spread->error.any))
		return gs_first_error_close(&spread->error);
	TRY(stage_held(spread));
	for (unsigned o = 0; o < spread->ranks->size; o++)
		end_block(spread, o);
	TRY(send_ends(spread));
	while (spread->ended + 1 < spread->ranks->size ||
	       spread->blocks_taken < spread->blocks_due ||
	       spread->free_count < spread->window.gives)
		TRY(step(spread, &idle));
	gs_ranks_close(spread->ranks);
	spread->open = false;
	munmap(spread->memory, spread->memory_bytes);
	spread->memory = NULL;
	return GS_OK;
}
