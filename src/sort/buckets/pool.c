// SPDX-License-Identifier: BSD-2-Clause
/*
 * pool.c - one memory for the buckets of all key classes, in blocks of one size
 *
 * In:   memory.
 * Out:  chains of blocks.
 *
 * Blocks that were given back are taken first: their pages exist already.
 *
 * Invariant: the first USED blocks, as nth_block() numbers them, are in the free chain, or in a chain of
 * whoever took them.
 */
#include <assert.h>
#include <string.h>

#include "sort/buckets/pool.h"
#include "sort/span.h"

enum { HUGE_PAGE_BYTES = 2 << 20 };

size_t
gs_pool_bytes(size_t bytes, size_t block_bytes)
{
	const struct gs_pool *pool = NULL;

	return sizeof *pool + (bytes / block_bytes + 1) * sizeof pool->block_table[0];
}

struct gs_pool *
gs_pool_init(void *block_table, void *memory, size_t bytes, size_t block_bytes)
{
	struct gs_pool *pool = block_table;

	assert(bytes / block_bytes < UINT32_MAX && (uintptr_t)memory % block_bytes == 0);
	*pool = (struct gs_pool){
		.memory = memory, .bytes = bytes, .block_bytes = block_bytes,
		.blocks = (uint32_t)(bytes / block_bytes), .pages_apart = 1,
		.trip_blocks = gs_pool_trip_blocks(bytes, block_bytes),
	};
	pthread_mutex_init(&pool->lock, NULL);
	return pool;
}

void
gs_pool_spread(struct gs_pool *pool, unsigned threads, size_t from_bytes)
{
	assert(pool->used == 0);
	pool->spread_from = (uint32_t)(from_bytes / pool->block_bytes);
	while (pool->pages_apart < threads && pool->pages_apart < 16)
		pool->pages_apart *= 2;
}

/* The number of the block that is taken as the Nth one, from 0: consecutive trips are in different huge
 * pages, if that is wanted and while there are enough pages. */
static uint32_t
nth_block(const struct gs_pool *pool, uint32_t n)
{
	const uint32_t page = (uint32_t)(HUGE_PAGE_BYTES / pool->block_bytes), apart = pool->pages_apart;
	const uint32_t trip = (uint32_t)pool->trip_blocks, begin = n - n % (apart * page);
	const uint32_t trips = (n - begin) / trip;

	if (begin < pool->spread_from || begin + apart * page > pool->blocks)
		return n + 1;
	return begin + trips % apart * page + trips / apart * trip + n % trip + 1;
}

void
gs_chain_add(struct gs_pool *pool, struct gs_chain *chain, uint32_t block)
{
	struct gs_chain one = { block, block, 1 };

	pool->block_table[block].next = 0;
	gs_chain_join(pool, chain, &one);
}

void
gs_chain_push(struct gs_pool *pool, struct gs_chain *chain, uint32_t block)
{
	struct gs_chain one = { block, block, 1 };

	pool->block_table[block].next = 0;
	gs_chain_join(pool, &one, chain);
	*chain = one;
}

void
gs_chain_join(struct gs_pool *pool, struct gs_chain *chain, struct gs_chain *more)
{
	if (chain->blocks == 0) {
		*chain = *more;
	} else if (more->blocks > 0) {
		pool->block_table[chain->tail].next = more->head;
		chain->tail = more->tail;
		chain->blocks += more->blocks;
	}
	*more = (struct gs_chain){ .blocks = 0 };
}

void
gs_chain_cut(struct gs_pool *pool, struct gs_chain *from, size_t blocks, struct gs_chain *chain)
{
	assert(chain->blocks == 0);
	if (blocks >= from->blocks) {
		*chain = *from;
		*from = (struct gs_chain){ .blocks = 0 };
		return;
	}
	if (blocks == 0)
		return;
	*chain = (struct gs_chain){ from->head, from->head, blocks };
	while (--blocks > 0)
		chain->tail = pool->block_table[chain->tail].next;
	from->head = pool->block_table[chain->tail].next;
	from->blocks -= chain->blocks;
	pool->block_table[chain->tail].next = 0;
}

void
gs_pool_take(struct gs_pool *pool, struct gs_chain *chain, size_t blocks)
{
	pthread_mutex_lock(&pool->lock);
	gs_chain_cut(pool, &pool->free, blocks, chain);
	while (chain->blocks < blocks && pool->used < pool->blocks)
		gs_chain_add(pool, chain, nth_block(pool, pool->used++));
	pthread_mutex_unlock(&pool->lock);
	assert(chain->blocks > 0);
}

void
gs_pool_give(struct gs_pool *pool, struct gs_chain *chain)
{
	pthread_mutex_lock(&pool->lock);
	/* In front: blocks that were read last are still in the cache. */
	gs_chain_join(pool, chain, &pool->free);
	pool->free = *chain;
	assert(pool->free.blocks <= pool->used);
	if (pool->free.blocks == pool->used) {
		pool->free = (struct gs_chain){ .blocks = 0 };
		pool->used = 0;
	}
	pthread_mutex_unlock(&pool->lock);
	*chain = (struct gs_chain){ .blocks = 0 };
}

void
gs_chain_compact(struct gs_pool *pool, struct gs_chain *chain, size_t key_bytes)
{
	struct gs_chain full = { .blocks = 0 }, empty = { .blocks = 0 };
	const uint32_t block_keys = (uint32_t)(pool->block_bytes / key_bytes);
	uint32_t open = 0;	/* the block that is being filled */

	for (uint32_t block = chain->head, next; block != 0; block = next) {
		uint32_t *count = &pool->block_table[block].count, move;

		next = pool->block_table[block].next;
		if (*count == block_keys) {
			gs_chain_add(pool, &full, block);
			continue;
		}
		if (open == 0) {
			open = block;
			continue;
		}
		move = block_keys - pool->block_table[open].count;
		move = move < *count ? move : *count;
		*count -= move;
		memcpy((char *)gs_pool_block(pool, open) + pool->block_table[open].count * key_bytes,
		       (char *)gs_pool_block(pool, block) + *count * key_bytes, move * key_bytes);
		pool->block_table[open].count += move;
		if (pool->block_table[open].count == block_keys) {
			gs_chain_add(pool, &full, open);
			open = 0;
		}
		if (*count == 0)
			gs_chain_add(pool, &empty, block);
		else
			open = block;
	}
	if (open != 0)
		gs_chain_add(pool, &full, open);
	*chain = full;
	gs_pool_give(pool, &empty);
}

size_t
gs_chain_sample(const struct gs_pool *pool, const struct gs_chain *chain, unsigned key_bits,
                void *sample, size_t room)
{
	const size_t each = chain->blocks < room ? room / chain->blocks : 1;
	const size_t step = (chain->blocks + room - 1) / room;
	size_t at = 0, found = 0;

	for (uint32_t block = chain->head; block != 0; block = pool->block_table[block].next) {
		const uint32_t count = pool->block_table[block].count;

		for (size_t s = 0; at % step == 0 && s < each && s < count; s++)
			gs_key_put(sample, key_bits, found++,
			           gs_key_at(gs_pool_block(pool, block), key_bits, s * count / each));
		at++;
	}
	return found;
}
