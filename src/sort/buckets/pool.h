// SPDX-License-Identifier: BSD-2-Clause
/*
 * pool.h - blocks of memory by number, and chains of them: for buckets*.c alone
 *
 * A block is named by a number, from 1; 0 is none.  What follows a block in its chain, and
 * how many keys are in it, is in the books and not in the block, so that a block is whole
 * lines of cache, written past the caches.
 */
#ifndef GS_BUCKETS_POOL_H
#define GS_BUCKETS_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "sort/buckets/buckets.h"

/** Size of the blocks, a power of two: 4 KiB; less in a small pool, of which half full ones
 *  would be too much. */
static inline size_t
gs_pool_block_bytes(size_t pool_bytes)
{
	size_t bytes = 4096;

	while (bytes > 512 && pool_bytes / bytes < 1 << 15)
		bytes /= 2;
	return bytes;
}

/** Blocks that a thread takes from the pool, or gives back, at once; it has at most twice as
 *  many that are empty. */
static inline size_t
gs_pool_batch(size_t pool_bytes)
{
	return pool_bytes < 32 << 20 ? 4 : 16;
}

struct gs_chain {
	uint32_t head, tail;
	size_t   blocks;
};

struct gs_pool {
	char           *memory;
	size_t          bytes, block_bytes, batch;
	unsigned        streams;
	uint32_t        blocks;
	uint32_t        used;		/* blocks that were ever given out are 1 .. used */
	struct gs_chain free;
	pthread_mutex_t lock;		/* of the two above */
	_Atomic size_t  held_bytes;	/* of keys */
	size_t          reserved_bytes;	/* what streams may need beyond their keys */
	struct gs_block_info {
		uint32_t next, count;
	} book[];
};

static inline void *
gs_pool_block(const struct gs_pool *pool, uint32_t block)
{
	return pool->memory + (size_t)(block - 1) * pool->block_bytes;
}

/** Move BLOCKS blocks from the pool to the empty CHAIN; never fails, see gs_buckets_fit(). */
void gs_pool_take(struct gs_pool *pool, struct gs_chain *chain, size_t blocks);

/** Give all of CHAIN back, and empty it. */
void gs_pool_give(struct gs_pool *pool, struct gs_chain *chain);

/** Put a block, whatever it is linked to, at the end of CHAIN. */
void gs_chain_add(struct gs_pool *pool, struct gs_chain *chain, uint32_t block);

/** Append all of MORE to CHAIN, and empty it. */
void gs_chain_join(struct gs_pool *pool, struct gs_chain *chain, struct gs_chain *more);

/** Move the first blocks of FROM, at most BLOCKS, to the empty CHAIN. */
void gs_chain_cut(struct gs_pool *pool, struct gs_chain *from, size_t blocks,
                  struct gs_chain *chain);

/** Fill blocks of CHAIN that are not full from each other, but for one; the empty ones go back. */
void gs_chain_compact(struct gs_pool *pool, struct gs_chain *chain, size_t key_bytes);

#endif
