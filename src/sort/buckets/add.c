// SPDX-License-Identifier: BSD-2-Clause
/*
 * add.c - while keys come: kept as they are, or scattered to bins
 *
 * In:   pieces of a key class of keys, from many threads.
 * Out:  pieces that are kept, or a chain of blocks for each thread and bin.
 *
 * A thread has a line of cache for each bin, and a chain of blocks in the pool that full
 * lines are written to, past the caches (Wassenberg and Sanders, "Engineering a multi-core
 * radix sort", Euro-Par 2011, who let the pages of virtual memory be the blocks).  Nobody
 * counts keys before, and no thread waits for another.
 *
 * Until the first MiB is in, keys are only kept, for digits are made of what it is like; and
 * as long as all of them ascend, or descend, for then they need not be divided.
 *
 * Invariant: END % GS_LINES_BYTES bytes of a bin's keys are in its lines, all before them in its
 * blocks; every block of a bin but the last is full.
 */
#include <assert.h>
#include <string.h>

#include "sort/buckets/inside.h"
#include "sort/cpu/nontemporal.h"

static uint32_t
take_block(struct gs_buckets *buckets, struct gs_adder *thread)
{
	uint32_t block;

	if (thread->spare.blocks == 0)
		gs_pool_take(buckets->pool, &thread->spare, buckets->pool->batch);
	block = thread->spare.head;
	thread->spare.head = buckets->pool->book[block].next;
	thread->spare.blocks--;
	return block;
}

static void
give_block(struct gs_buckets *buckets, struct gs_adder *thread, uint32_t block)
{
	gs_chain_add(buckets->pool, &thread->spare, block);
	if (thread->spare.blocks == 2 * buckets->pool->batch)
		gs_pool_give(buckets->pool, &thread->spare);
}

/* Another block for a bin; where it begins. */
static __attribute__((noinline)) uintptr_t
new_block(struct gs_buckets *buckets, struct gs_adder *thread, unsigned bin)
{
	const uint32_t block = take_block(buckets, thread);

	buckets->pool->book[block].count = buckets->block_keys;
	gs_chain_add(buckets->pool, &thread->chain[bin], block);
	return (uintptr_t)gs_pool_block(buckets->pool, block);
}

void
gs_adder_flush(struct gs_buckets *buckets, struct gs_adder *thread, unsigned bins)
{
	for (unsigned b = 0; b < bins; b++) {
		const size_t used = thread->end[b] % buckets->pool->block_bytes;
		const size_t rest = used % GS_LINES_BYTES;
		uintptr_t to = thread->end[b] - rest;

		thread->end[b] = 0;
		if (used == 0)
			continue;
		if (used < GS_LINES_BYTES)
			to = new_block(buckets, thread, b);
		assert(thread->chain[b].blocks > 0);
		memcpy((void *)to, thread->lines + (size_t)b * GS_LINES_BYTES, rest);
		buckets->pool->book[thread->chain[b].tail].count = (uint32_t)(used / buckets->key_bytes);
	}
}

#define NAME3(a, b)	a##_##b
#define NAME2(a, b)	NAME3(a, b)
#define NAME(what)	NAME2(what, BITS)

#define BITS 32
#define KEY uint32_t
#include "sort/cpu/binner.inc"
#include "sort/buckets/add.inc"
#undef BITS
#undef KEY

#define BITS 64
#define KEY uint64_t
#include "sort/cpu/binner.inc"
#include "sort/buckets/add.inc"
#undef BITS
#undef KEY

void
gs_adder_close_piece(struct gs_buckets *buckets, struct gs_adder *thread)
{
	if (thread->open.keys == 0)
		return;
	assert(buckets->piece_count < buckets->piece_room);
	buckets->slack_bytes += thread->open.chain.blocks * buckets->pool->block_bytes -
	                        thread->open.keys * buckets->key_bytes;
	buckets->pieces[buckets->piece_count++] = thread->open;
	thread->open = (struct gs_kept){ .keys = 0 };
}

/* Copy keys behind those of the open piece. */
static void
append(struct gs_buckets *buckets, struct gs_adder *thread, const char *keys, size_t count)
{
	struct gs_chain *chain = &thread->open.chain;
	struct gs_block_info *book = buckets->pool->book;

	thread->open.keys += count;
	while (count > 0) {
		size_t room, here;
		uint32_t block;

		if (chain->blocks == 0 || book[chain->tail].count == buckets->block_keys) {
			block = take_block(buckets, thread);
			book[block].count = 0;
			gs_chain_add(buckets->pool, chain, block);
		}
		block = chain->tail;
		room = buckets->block_keys - book[block].count;
		here = room < count ? room : count;
		memcpy((char *)gs_pool_block(buckets->pool, block) +
		       (size_t)book[block].count * buckets->key_bytes, keys, here * buckets->key_bytes);
		book[block].count += (uint32_t)here;
		keys += here * buckets->key_bytes;
		count -= here;
	}
}

void
gs_buckets_begin_scatter(struct gs_buckets *buckets)
{
	uint64_t least = buckets->least, most = buckets->most;

	if (least == most) {
		least -= least > 0;
		most += most == least;
	}
	buckets->digits = buckets->in->digits(least, most, buckets->bins);
	atomic_store_explicit(&buckets->state, GS_SCATTER, memory_order_release);
}

/* Keep some keys, all of one place, as they are. */
static void
keep(struct gs_buckets *buckets, struct gs_adder *thread, uint64_t place, const void *keys,
     size_t count)
{
	struct gs_kept *open = &thread->open;
	uint64_t first = buckets->in->at(keys, 0), least = UINT64_MAX, most = 0;
	unsigned order = buckets->order;

	if (open->keys > 0 && ((place != open->next_place && place != open->next_place - 1) ||
	                       open->keys * buckets->key_bytes >= buckets->piece_bytes)) {
		pthread_mutex_lock(&buckets->lock);
		gs_adder_close_piece(buckets, thread);
		pthread_mutex_unlock(&buckets->lock);
	}
	if (open->keys == 0) {
		open->place = place;
		open->number = thread->pieces++;
		open->first = open->last = first;
	}
	if (order != 0)
		order &= buckets->in->order(keys, count, open->last);
	buckets->in->range(keys, count, &least, &most);
	append(buckets, thread, keys, count);
	open->next_place = place + 1;
	open->last = buckets->in->at(keys, count - 1);
	pthread_mutex_lock(&buckets->lock);
	buckets->order &= order;
	buckets->least = least < buckets->least ? least : buckets->least;
	buckets->most = most > buckets->most ? most : buckets->most;
	buckets->kept_bytes += count * buckets->key_bytes;
	if (buckets->state == GS_BUFFERING &&
	    ((buckets->kept_bytes >= buckets->held_bytes && buckets->order == 0) ||
	     buckets->piece_count >= buckets->kept_bytes / buckets->piece_bytes * 2 +
	                             GS_SMALL_PIECES / 2 ||
	     buckets->slack_bytes >= buckets->slack_most_bytes))
		gs_buckets_begin_scatter(buckets);
	pthread_mutex_unlock(&buckets->lock);
}

void
gs_adder_scatter(struct gs_buckets *buckets, struct gs_adder *thread,
                 const struct gs_binner *digits, struct gs_chain *chain)
{
	const struct gs_pool *pool = buckets->pool;

	for (uint32_t block = chain->head, next; block != 0; block = next) {
		next = pool->book[block].next;
		buckets->in->scatter(buckets, thread, digits, gs_pool_block(pool, block),
		                     pool->book[block].count);
		give_block(buckets, thread, block);
	}
	*chain = (struct gs_chain){ .blocks = 0 };
}

bool
gs_adder_scatter_kept(struct gs_buckets *buckets, struct gs_adder *thread)
{
	struct gs_kept *piece = NULL;

	pthread_mutex_lock(&buckets->lock);
	gs_adder_close_piece(buckets, thread);
	if (buckets->piece_next < buckets->piece_count)
		piece = &buckets->pieces[buckets->piece_next++];
	pthread_mutex_unlock(&buckets->lock);
	if (piece != NULL)
		gs_adder_scatter(buckets, thread, &buckets->digits, &piece->chain);
	return piece != NULL;
}

/* Bytes of keys that a pool can surely take. */
static size_t
capacity(const struct gs_pool *pool)
{
	return pool->reserved_bytes < pool->bytes ? pool->bytes - pool->reserved_bytes : 0;
}

size_t
gs_buckets_fit(const struct gs_buckets *buckets)
{
	const size_t held_bytes = buckets->pool->held_bytes, room = capacity(buckets->pool);

	return held_bytes < room ? room - held_bytes : 0;
}

bool
gs_buckets_add(struct gs_buckets *buckets, unsigned rank, uint64_t place, const void *keys,
               size_t count)
{
	struct gs_adder *thread = &buckets->threads[rank];
	const size_t bytes = count * buckets->key_bytes, most = buckets->piece_bytes / buckets->key_bytes;
	const char *from = keys;

	assert(rank < buckets->thread_count && buckets->state != GS_SEALED);
	if (atomic_fetch_add(&buckets->pool->held_bytes, bytes) + bytes > capacity(buckets->pool)) {
		atomic_fetch_sub(&buckets->pool->held_bytes, bytes);
		return false;
	}
	atomic_fetch_add_explicit(&thread->keys, count, memory_order_relaxed);
	while (count > 0 &&
	       atomic_load_explicit(&buckets->state, memory_order_acquire) == GS_BUFFERING) {
		const size_t here = count < most ? count : most;

		keep(buckets, thread, place, from, here);
		from += here * buckets->key_bytes;
		count -= here;
	}
	if (count > 0) {
		buckets->in->scatter(buckets, thread, &buckets->digits, from, count);
		gs_adder_scatter_kept(buckets, thread);
	}
	return true;
}
