// SPDX-License-Identifier: BSD-2-Clause
/*
 * pool.h - one memory for the buckets of all key classes, in blocks of one size
 *
 * A block has a number, from 1; 0 means no block.  Blocks that belong together form a chain.  The
 * block table has the successor of a block in its chain and the number of its keys, so the block
 * itself is whole lines of cache, which can be written past the caches.
 *
 * The caller owns the memory and the block table.  gs_pool_take() and gs_pool_give() may be called
 * by any thread; a chain belongs to one thread at a time.
 */
#ifndef GS_BUCKETS_POOL_H
#define GS_BUCKETS_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* What the buckets of each key class are made of.  Each thread has tables of BINS, a last block for
 * each bin, and 3 parts in which it sorts: so all three are the smaller the more threads there are. */
struct gs_bucket_sizes {
	unsigned threads;
	size_t   block_bytes;		/* of the pool, that all key classes share */
	size_t   part_bytes;		/* sorted by a thread at a time */
	size_t   together_bytes;	/* a bucket up to this size is divided by one thread */
	unsigned bins, bins_again;	/* of the first division, and of each of the others */
	unsigned bins_most;		/* the larger of these: a thread's tables have so many */
	unsigned lines_bytes;		/* of each bin's lines */
};

struct gs_chain {
	uint32_t head, tail;
	size_t   blocks;
};

struct gs_pool {
	char           *memory;
	size_t          bytes, block_bytes;
	size_t          trip_blocks;	/* that a thread takes or gives back at once */
	uint32_t        blocks;
	uint32_t        pages_apart;	/* huge pages that trips are spread over; a power of two */
	uint32_t        spread_from;	/* the block from which they are */
	uint32_t        used;		/* blocks that were ever taken */
	struct gs_chain free;
	pthread_mutex_t lock;		/* of the two above */
	_Atomic size_t  stored_bytes;	/* of keys */
	size_t          reserved_bytes;	/* what key classes may need beyond their keys */
	struct gs_block_info {
		uint32_t next, count;
	} block_table[];
};

/* The sizes that blocks may have, powers of two. */
enum { GS_BLOCK_LEAST_BYTES = 512, GS_BLOCK_MOST_BYTES = 4096 };

/** Bytes of the block table of a pool of BYTES. */
size_t gs_pool_bytes(size_t bytes, size_t block_bytes);

/**
 * Make a pool of BYTES at MEMORY, in blocks of BLOCK_BYTES.
 *
 * @block_table  gs_pool_bytes(); holds the pool, too
 * @memory       a whole number of huge pages, which are not touched before they are used
 */
struct gs_pool *gs_pool_init(void *block_table, void *memory, size_t bytes, size_t block_bytes);

/**
 * Give THREADS, which take blocks at the same time, blocks of different huge pages.  Threads that touch
 * the same page first all clear 2 MiB, and all but one have done so in vain: gsort_sort() of 2^27 u32, 16
 * threads, H200 host, took 99 ms without this, 86 with it (kernel: 370 and 165 ms of processor time); 2^30
 * u64 from a file to /dev/null 1.58 and 1.23 s.  Up to 32 MiB more are touched; so if few blocks may be
 * taken, do so only with those from FROM_BYTES on.  Before a block is taken.
 */
void gs_pool_spread(struct gs_pool *pool, unsigned threads, size_t from_bytes);

/** Blocks that a thread takes from the pool, or gives back, at once: 16 KiB at least, so that few
 *  threads wait for each other, or 4 of a small pool.  It owns at most twice as many empty ones. */
static inline size_t
gs_pool_trip_blocks(size_t pool_bytes, size_t block_bytes)
{
	const size_t many = ((size_t)16 << 10) / block_bytes;

	return pool_bytes < 32 << 20 ? 4 : many < 16 ? 16 : many;
}

static inline void *
gs_pool_block(const struct gs_pool *pool, uint32_t block)
{
	return pool->memory + (size_t)(block - 1) * pool->block_bytes;
}

/** Move BLOCKS blocks from the pool to CHAIN, which is empty.  Cannot fail while no more keys are
 *  added than gs_buckets_fit() allows. */
void gs_pool_take(struct gs_pool *pool, struct gs_chain *chain, size_t blocks);

/** Give all of CHAIN back; it is empty then. */
void gs_pool_give(struct gs_pool *pool, struct gs_chain *chain);

/** Append a block, whatever it is linked to, to CHAIN. */
void gs_chain_add(struct gs_pool *pool, struct gs_chain *chain, uint32_t block);

/** Put a block, whatever it is linked to, in front of CHAIN. */
void gs_chain_push(struct gs_pool *pool, struct gs_chain *chain, uint32_t block);

/** Append all of MORE to CHAIN; MORE is empty then. */
void gs_chain_join(struct gs_pool *pool, struct gs_chain *chain, struct gs_chain *more);

/** Move the first blocks of FROM, at most BLOCKS, to CHAIN, which is empty. */
void gs_chain_cut(struct gs_pool *pool, struct gs_chain *from, size_t blocks, struct gs_chain *chain);

/** Fill blocks of CHAIN that are not full from each other, until at most one of them is left; those
 *  that are empty then go back to the pool. */
void gs_chain_compact(struct gs_pool *pool, struct gs_chain *chain, size_t key_bytes);

/** Copy keys of KEY_BITS of CHAIN, evenly spaced, to SAMPLE, which has ROOM.  Returns how many: one
 *  at least, if the chain has keys. */
size_t gs_chain_sample(const struct gs_pool *pool, const struct gs_chain *chain, unsigned key_bits,
                       void *sample, size_t room);

#endif
