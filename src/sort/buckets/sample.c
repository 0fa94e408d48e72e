// SPDX-License-Identifier: BSD-2-Clause
/* sample.c - some keys of a chain of blocks */
#include "sort/buckets/sample.h"
#include "sort/buckets/state.h"
#include "sort/span.h"

size_t
gs_chain_sample(const struct gs_buckets *buckets, const struct gs_chain *chain, void *sample,
                size_t room)
{
	const struct gs_pool *pool = buckets->pool;
	const size_t each = chain->blocks < room ? room / chain->blocks : 1;
	const size_t step = (chain->blocks + room - 1) / room;
	size_t at = 0, found = 0;

	for (uint32_t block = chain->head; block != 0; block = pool->block_table[block].next) {
		const uint32_t count = pool->block_table[block].count;

		for (size_t s = 0; at % step == 0 && s < each && s < count; s++)
			gs_key_put(sample, buckets->key_bits, found++,
			           gs_key_at(gs_pool_block(pool, block), buckets->key_bits,
			                     s * count / each));
		at++;
	}
	return found;
}
