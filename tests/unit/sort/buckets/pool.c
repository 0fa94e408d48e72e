// SPDX-License-Identifier: BSD-2-Clause
/* pool.c - rows for src/sort/buckets/pool.c: which blocks are taken, and what becomes of chains */
#include <stdlib.h>
#include <string.h>

#include "sort/buckets/pool.h"
#include "sort/span.h"
#include "tests/unit/units.h"

void unit_pool(void);

enum { BLOCK = 512, BLOCKS = 64, LIST = 12 };

static struct gs_pool *pool;
static void *memory;

static void
open_pool(size_t bytes, size_t block_bytes)
{
	free(pool);
	pool = gs_pool_init(malloc(gs_pool_bytes(bytes, block_bytes)), memory, bytes, block_bytes);
}

/* Are these the blocks of CHAIN, up to a 0, and as many as it says? */
static bool
are(const struct gs_chain *chain, const uint32_t *expect)
{
	uint32_t block = chain->head, last = 0;
	size_t at = 0;

	for (; block != 0 && block == expect[at]; block = pool->block_table[block].next, at++)
		last = block;
	return block == 0 && expect[at] == 0 && chain->blocks == at && (at == 0 || chain->tail == last);
}

/* A chain of these blocks, up to a 0. */
static struct gs_chain
chain_of(const uint32_t *blocks)
{
	struct gs_chain chain = { .blocks = 0 };

	for (; *blocks != 0; blocks++)
		gs_chain_add(pool, &chain, *blocks);
	return chain;
}

static const struct cut {
	size_t   blocks;
	uint32_t cut[LIST], left[LIST];
} cuts[] = {
	{ 0, { 0 }, { 3, 1, 2 } },
	{ 1, { 3 }, { 1, 2 } },
	{ 2, { 3, 1 }, { 2 } },
	{ 3, { 3, 1, 2 }, { 0 } },
	{ 4, { 3, 1, 2 }, { 0 } },
};

static void
check_chains(void)
{
	static const uint32_t three[] = { 3, 1, 2, 0 }, two[] = { 7, 5, 0 }, none[] = { 0 };
	static const uint32_t five[] = { 3, 1, 2, 7, 5, 0 }, six[] = { 9, 3, 1, 2, 7, 5, 0 };
	static const uint32_t one[] = { 1, 0 };
	struct gs_chain chain, more = { .blocks = 0 };

	open_pool(BLOCKS * BLOCK, BLOCK);
	for (size_t r = 0; r < sizeof cuts / sizeof cuts[0]; r++) {
		struct gs_chain cut = { .blocks = 0 };

		chain = chain_of(three);
		gs_chain_cut(pool, &chain, cuts[r].blocks, &cut);
		CHECK(are(&cut, cuts[r].cut) && are(&chain, cuts[r].left), "%zu of three",
		      cuts[r].blocks);
	}
	chain = chain_of(three);
	gs_chain_join(pool, &chain, &more);
	CHECK(are(&chain, three) && are(&more, none), "three blocks and none");
	gs_chain_join(pool, &more, &chain);
	CHECK(are(&more, three) && are(&chain, none), "none and three blocks");
	chain = chain_of(two);
	gs_chain_join(pool, &more, &chain);
	CHECK(are(&more, five) && are(&chain, none), "three blocks and two");
	gs_chain_push(pool, &more, 9);
	CHECK(are(&more, six), "a block in front of five");
	gs_chain_push(pool, &chain, 1);
	CHECK(are(&chain, one), "a block alone, which was linked to another");
}

/* What was given back last is taken first, then what was never taken; once all is back, the first block. */
static void
check_turns(void)
{
	static const uint32_t first[] = { 1, 2, 3, 0 }, second[] = { 4, 5, 0 }, mixed[] = { 4, 5, 1, 2, 0 };
	static const uint32_t none[] = { 0 };
	struct gs_chain a = { .blocks = 0 }, b = { .blocks = 0 }, c = { .blocks = 0 };

	open_pool(8 * BLOCK, BLOCK);
	gs_pool_take(pool, &a, 3);
	gs_pool_take(pool, &b, 2);
	CHECK(are(&a, first) && are(&b, second) && pool->used == 5, "three blocks, then two");
	gs_pool_give(pool, &a);
	gs_pool_give(pool, &b);
	CHECK(are(&a, none) && are(&b, none) && are(&pool->free, none) && pool->used == 0, "all are back");
	gs_pool_take(pool, &a, 3);
	gs_pool_take(pool, &b, 2);
	gs_pool_take(pool, &c, 1);
	CHECK(c.head == 6, "the sixth");
	gs_pool_give(pool, &a);
	gs_pool_give(pool, &b);
	gs_pool_take(pool, &a, 4);
	CHECK(are(&a, mixed) && pool->used == 6 && pool->free.blocks == 1, "returned blocks come first");
	gs_pool_give(pool, &c);
	gs_pool_take(pool, &b, 2);
	CHECK(b.head == 6 && b.tail == 3 && pool->used == 6, "the sixth again");
	gs_pool_give(pool, &a);
	gs_pool_give(pool, &b);
	gs_pool_take(pool, &a, 2);
	gs_pool_take(pool, &b, 2);
	gs_pool_give(pool, &b);
	gs_pool_take(pool, &c, 5);
	CHECK(c.blocks == 5 && pool->used == 7, "what is back, and another");
	gs_pool_take(pool, &b, 5);
	CHECK(b.blocks == 1 && b.head == 8 && pool->used == 8, "fewer, at the end of the pool");
}

/* Where trips of 4 blocks begin in a pool of some huge pages: the first ones, and one that is late. */
static const struct spread {
	unsigned threads, pages;
	size_t   from;		/* block */
	uint32_t heads[5], late;
} spreads[] = {
	{ 1, 2, 0, { 1, 5, 9, 13, 17 }, 773 },
	{ 2, 2, 0, { 1, 513, 5, 517, 9 }, 897 },
	{ 2, 2, 1, { 1, 5, 9, 13, 17 }, 773 },
	{ 2, 4, 1024, { 1, 5, 9, 13, 17 }, 1793 },
	{ 3, 4, 0, { 1, 513, 1025, 1537, 5 }, 897 },
	{ 3, 3, 0, { 1, 5, 9, 13, 17 }, 1157 },
};

static void
check_spreads(const struct spread *row)
{
	uint32_t heads[5] = { 0 }, late = 0;

	open_pool((size_t)row->pages << 21, 4096);
	gs_pool_spread(pool, row->threads, row->from * 4096);
	for (unsigned trip = 0; trip < row->pages * 96 + 2; trip++) {
		struct gs_chain chain = { .blocks = 0 };

		gs_pool_take(pool, &chain, pool->trip_blocks);
		late = chain.head;
		if (trip < 5)
			heads[trip] = chain.head;
		CHECK(chain.blocks == 4 && chain.tail == chain.head + 3, "a trip of neighbours");
	}
	CHECK(memcmp(heads, row->heads, sizeof heads) == 0 && late == row->late,
	      "%u threads, %u pages from %zu: %u %u %u %u %u, %u", row->threads, row->pages, row->from,
	      heads[0], heads[1], heads[2], heads[3], heads[4], late);
}

/* Keys in each block of a chain, and when it has been compacted. */
static const struct compact {
	unsigned bits;
	uint32_t count[LIST], after[LIST];
} compacts[] = {
	{ 64, { 64, 64 }, { 64, 64 } },
	{ 64, { 10 }, { 10 } },
	{ 64, { 10, 20 }, { 30 } },
	{ 64, { 32, 32 }, { 64 } },
	{ 64, { 40, 40 }, { 64, 16 } },
	{ 64, { 64, 10, 64, 10 }, { 64, 64, 20 } },
	{ 64, { 60, 10, 10 }, { 64, 16 } },
	{ 64, { 63, 1, 64, 63, 1 }, { 64, 64, 64 } },
	{ 64, { 1, 1, 1, 63, 2 }, { 64, 4 } },
	{ 32, { 64, 128, 63, 1, 1 }, { 128, 128, 1 } },
};

static void
check_compact(const struct compact *row)
{
	struct gs_chain chain = { .blocks = 0 };
	uint64_t keys = 0, sum = 0, expect = 0;
	size_t blocks = 0, at = 0;
	bool good = true;

	open_pool(BLOCKS * BLOCK, BLOCK);
	while (row->count[blocks] > 0)
		blocks++;
	gs_pool_take(pool, &chain, blocks);
	for (uint32_t block = chain.head; block != 0; block = pool->block_table[block].next, at++) {
		pool->block_table[block].count = row->count[at];
		for (size_t k = 0; k < row->count[at]; k++, keys++) {
			gs_key_put(gs_pool_block(pool, block), row->bits, k, 1 + keys * keys);
			expect += 1 + keys * keys;
		}
	}
	gs_chain_compact(pool, &chain, row->bits / 8);
	at = 0;
	for (uint32_t block = chain.head; block != 0; block = pool->block_table[block].next, at++) {
		good = good && pool->block_table[block].count == row->after[at];
		for (size_t k = 0; k < pool->block_table[block].count; k++)
			sum += gs_key_at(gs_pool_block(pool, block), row->bits, k);
	}
	CHECK(good && row->after[at] == 0 && chain.blocks == at && sum == expect,
	      "%zu blocks of %u, %u ... keys are %zu", blocks, row->count[0], row->count[1], at);
	CHECK(pool->used - pool->free.blocks == at, "%zu blocks of %u, %u ...: empty blocks are back",
	      blocks, row->count[0], row->count[1]);
}

/* The sample of a chain whose blocks have so many keys: 100 times the number of the block, and of the key. */
static const struct sample {
	uint32_t count[LIST];
	size_t   room, found;
	uint64_t keys[LIST];
} samples[] = {
	{ { 64, 64 }, 8, 8, { 100, 116, 132, 148, 200, 216, 232, 248 } },
	{ { 64, 3 }, 9, 7, { 100, 116, 132, 148, 200, 200, 201 } },
	{ { 9, 9, 9 }, 3, 3, { 100, 200, 300 } },
	{ { 9, 9, 9, 9 }, 3, 2, { 100, 300 } },
	{ { 9, 9, 9, 9, 9, 9 }, 3, 3, { 100, 300, 500 } },
	{ { 9, 9, 9, 9, 9, 9, 9 }, 3, 3, { 100, 400, 700 } },
	{ { 64 }, 5, 5, { 100, 112, 125, 138, 151 } },
};

static void
check_sample(const struct sample *row)
{
	struct gs_chain chain = { .blocks = 0 };
	uint64_t sample[LIST] = { 0 };
	size_t blocks = 0, at = 0, found;

	open_pool(BLOCKS * BLOCK, BLOCK);
	while (row->count[blocks] > 0)
		blocks++;
	gs_pool_take(pool, &chain, blocks);
	for (uint32_t block = chain.head; block != 0; block = pool->block_table[block].next, at++) {
		pool->block_table[block].count = row->count[at];
		for (size_t k = 0; k < row->count[at]; k++)
			gs_key_put(gs_pool_block(pool, block), 64, k, 100 * (at + 1) + k);
	}
	found = gs_chain_sample(pool, &chain, 64, sample, row->room);
	CHECK(found == row->found && memcmp(sample, row->keys, found * sizeof *sample) == 0,
	      "%zu blocks, a sample of %zu: %zu, %llu %llu %llu", blocks, row->room, found,
	      (unsigned long long)sample[0], (unsigned long long)sample[1], (unsigned long long)sample[2]);
}

void
unit_pool(void)
{
	memory = aligned_alloc(4096, (size_t)8 << 20);
	CHECK(gs_pool_bytes(BLOCKS * BLOCK, BLOCK) ==
	      sizeof *pool + (BLOCKS + 1) * sizeof pool->block_table[0], "an entry for each block, and none");
	check_chains();
	check_turns();
	for (size_t r = 0; r < sizeof spreads / sizeof spreads[0]; r++)
		check_spreads(&spreads[r]);
	for (size_t r = 0; r < sizeof compacts / sizeof compacts[0]; r++)
		check_compact(&compacts[r]);
	for (size_t r = 0; r < sizeof samples / sizeof samples[0]; r++)
		check_sample(&samples[r]);
	free(pool);
	free(memory);
}
