// SPDX-License-Identifier: BSD-2-Clause
/*
 * add.c - while keys come: buffer them as they are, or scatter them to bins
 *
 * In:   keys of one key class, from many threads.
 * Out:  fragments, or a chain of blocks for each thread and bin.
 *
 * A thread has a few lines of cache for each bin, and a chain of blocks of the pool.  It writes
 * lines that are full to the bin's newest block, past the caches (Wassenberg and Sanders,
 * "Engineering a multi-core radix sort", Euro-Par 2011, where the pages of virtual memory are the
 * blocks).  So no pass counts keys before, and no thread waits for another.
 *
 * Until SAMPLE_BYTES are in, keys are only buffered, since the binner is made from them; and as
 * long as all of them ascend, or descend, since then they need no division.
 *
 * Invariant: the last keys of a bin, fewer than its lines hold, are in its lines, up to NEXT; all others
 * are in its blocks, the newest of which ends at END; every block of a bin but the first is full.
 */
#include <assert.h>
#include <string.h>

#if defined __x86_64__
#include <immintrin.h>
#endif

#include "base/round.h"
#include "sort/buckets/buckets.h"
#include "sort/buckets/state.h"
#include "sort/cpu/keys.h"

/* --- blocks --------------------------------------------------------------------- */

static uint32_t
take_block(struct gs_buckets *buckets, struct gs_adder *thread)
{
	uint32_t block;

	if (thread->empty.blocks == 0)
		gs_pool_take(buckets->pool, &thread->empty, buckets->pool->trip_blocks);
	block = thread->empty.head;
	thread->empty.head = buckets->pool->block_table[block].next;
	thread->empty.blocks--;
	return block;
}

/* Put another block in front of a bin's; returns its address. */
static __attribute__((noinline)) uintptr_t
new_block(struct gs_buckets *buckets, struct gs_adder *thread, unsigned bin)
{
	const uint32_t block = take_block(buckets, thread);

	buckets->pool->block_table[block].count = buckets->block_keys;
	gs_chain_push(buckets->pool, &thread->chain[bin], block);
	return (uintptr_t)gs_pool_block(buckets->pool, block);
}

/* --- lines ---------------------------------------------------------------------- */

/* A bin's lines are empty: its next key goes to their begin. */
static void
clear_lines(const struct gs_buckets *buckets, struct gs_adder *thread, unsigned bin)
{
	thread->next[bin] = thread->lines + (size_t)bin * buckets->sizes.lines_bytes;
}

void
gs_adder_flush(struct gs_buckets *buckets, struct gs_adder *thread, unsigned bins)
{
	if (thread->next[0] == NULL)	/* it has not scattered anything */
		return;
	for (unsigned b = 0; b < bins; b++) {
		const char *lines = thread->lines + (size_t)b * buckets->sizes.lines_bytes;
		const size_t rest = (size_t)(thread->next[b] - lines);
		const size_t used = thread->end[b] % buckets->pool->block_bytes;
		uintptr_t to = thread->end[b];

		thread->end[b] = 0;
		clear_lines(buckets, thread, b);
		if (used + rest == 0)	/* no block, or a full one */
			continue;
		if (used == 0)
			to = new_block(buckets, thread, b);
		assert(thread->chain[b].blocks > 0);
		memcpy((void *)to, lines, rest);
		buckets->pool->block_table[thread->chain[b].head].count =
			(uint32_t)((used + rest) / buckets->key_bytes);
	}
}

/* --- scatter -------------------------------------------------------------------- */

/* Move the lines of a bin, which are full, to its newest block, or another if that is full.  Returns
 * where the bin's next key goes. */
static __attribute__((noinline)) char *
write_lines(struct gs_buckets *buckets, struct gs_adder *thread, unsigned bin)
{
	uintptr_t end = thread->end[bin];

	clear_lines(buckets, thread, bin);
	if ((end & (buckets->pool->block_bytes - 1)) == 0)
		end = new_block(buckets, thread, bin);
	buckets->kernels->copy_lines((void *)end, thread->next[bin], buckets->sizes.lines_bytes);
	thread->end[bin] = end + buckets->sizes.lines_bytes;
	return thread->next[bin];
}

/* Move a key to the lines of bin B.  NEXT alone tells the place, and by its address that lines are full. */
static inline __attribute__((always_inline)) void
put_key(struct gs_buckets *buckets, struct gs_adder *thread, unsigned b, unsigned bits, uintptr_t within,
        uint64_t key)
{
	char *at = thread->next[b];

	gs_key_put(at, bits, 0, key);
	at += bits / 8;
	if (((uintptr_t)at & within) == 0)
		at = write_lines(buckets, thread, b);
	thread->next[b] = at;
}

/* Move each key to the lines of its bin; a later key's lines are fetched first, if lines are FETCHED. */
static inline __attribute__((always_inline)) void
scatter_width(struct gs_buckets *buckets, struct gs_adder *thread, const struct gs_binner *binner,
              const char *keys, size_t count, unsigned bits, bool fetched)
{
	enum { ROUND_KEYS = 512, LATER = 16 };
	const uintptr_t within = buckets->sizes.lines_bytes - 1;
	uint16_t bins[ROUND_KEYS + LATER] = { 0 };	/* behind a round: any bins */

	for (size_t here, i; count > 0; keys += here * (bits / 8), count -= here) {
		here = count < ROUND_KEYS ? count : ROUND_KEYS;
		buckets->kernels->bins(binner, keys, here, bins);
		for (i = 0; i + 4 <= here; i += 4) {
			const uint64_t four = gs_four_bins(bins + i), later = gs_four_bins(bins + i + LATER);

			/* The processor's own prefetch ends with a page: u64 2^23 16.7, 15.1 ms, EPYC. */
			__builtin_prefetch(keys + (2 * ROUND_KEYS + i) * (bits / 8), 0, 2);
			_Pragma("GCC unroll 4") for (unsigned j = 0; j < 4; j++) {
				if (fetched)
					__builtin_prefetch(thread->next[gs_bin_of_four(later, j)], 1, 3);
				put_key(buckets, thread, gs_bin_of_four(four, j), bits, within,
				        gs_key_at(keys, bits, i + j));
			}
		}
		for (; i < here; i++)
			put_key(buckets, thread, bins[i], bits, within, gs_key_at(keys, bits, i));
	}
#if defined __x86_64__
	_mm_sfence();	/* other threads see stores past the caches after the next barrier */
#endif
}

static void
scatter(struct gs_buckets *buckets, struct gs_adder *thread, const struct gs_binner *binner,
        const void *keys, size_t count)
{
	if (thread->next[0] == NULL)
		for (unsigned b = 0; b < buckets->sizes.bins_most; b++)
			clear_lines(buckets, thread, b);
	if (buckets->key_bits == 32 && buckets->fetches_first)
		scatter_width(buckets, thread, binner, keys, count, 32, true);
	else if (buckets->key_bits == 32)
		scatter_width(buckets, thread, binner, keys, count, 32, false);
	else if (buckets->fetches_first)
		scatter_width(buckets, thread, binner, keys, count, 64, true);
	else
		scatter_width(buckets, thread, binner, keys, count, 64, false);
}

void
gs_adder_scatter(struct gs_buckets *buckets, struct gs_adder *thread,
                 const struct gs_binner *binner, struct gs_chain *chain)
{
	const struct gs_pool *pool = buckets->pool;

	for (uint32_t block = chain->head, next; block != 0; block = next) {
		next = pool->block_table[block].next;
		scatter(buckets, thread, binner, gs_pool_block(pool, block), pool->block_table[block].count);
		gs_chain_add(buckets->pool, &thread->empty, block);
		if (thread->empty.blocks == 2 * pool->trip_blocks)
			gs_pool_give(buckets->pool, &thread->empty);
	}
	*chain = (struct gs_chain){ .blocks = 0 };
}

bool
gs_adder_scatter_fragment(struct gs_buckets *buckets, struct gs_adder *thread)
{
	struct gs_buffered *buffered = &buckets->buffered;
	struct gs_fragment *fragment = NULL;

	pthread_mutex_lock(&buckets->lock);
	gs_adder_close_fragment(buckets, thread);
	if (buffered->fragment_next < buffered->fragment_count)
		fragment = &buffered->fragments[buffered->fragment_next++];
	pthread_mutex_unlock(&buckets->lock);
	if (fragment != NULL)
		gs_adder_scatter(buckets, thread, &buckets->binner, &fragment->chain);
	return fragment != NULL;
}

void
gs_adder_begin_scatter(struct gs_buckets *buckets)
{
	struct gs_buffered *buffered = &buckets->buffered;
	uint64_t least = buffered->least, most = buffered->most;

	if (least == most) {
		least -= least > 0;
		most += most == least;
	}
	buckets->kernels->sort_leaf(buffered->sample, buffered->sample, buffered->sample_count);
	buckets->binner = gs_binner_choose(least, most, buckets->sizes.bins, buckets->kernels,
	                                   buffered->sample, buffered->sample_count);
	atomic_store_explicit(&buckets->state, GS_SCATTER, memory_order_release);
}

/* --- buffer --------------------------------------------------------------------- */

void
gs_adder_close_fragment(struct gs_buckets *buckets, struct gs_adder *thread)
{
	struct gs_buffered *buffered = &buckets->buffered;

	if (thread->open.keys == 0)
		return;
	assert(buffered->fragment_count < buffered->fragment_room);
	buffered->slack_bytes += thread->open.chain.blocks * buckets->pool->block_bytes -
	                         thread->open.keys * buckets->key_bytes;
	buffered->fragments[buffered->fragment_count++] = thread->open;
	thread->open = (struct gs_fragment){ .keys = 0 };
}

/* Append keys to the open fragment. */
static void
append(struct gs_buckets *buckets, struct gs_adder *thread, const char *keys, size_t count)
{
	struct gs_chain *chain = &thread->open.chain;
	struct gs_block_info *block_table = buckets->pool->block_table;

	thread->open.keys += count;
	while (count > 0) {
		size_t at, here;
		uint32_t block;

		if (chain->blocks == 0 || block_table[chain->tail].count == buckets->block_keys) {
			block = take_block(buckets, thread);
			block_table[block].count = 0;
			gs_chain_add(buckets->pool, chain, block);
		}
		block = chain->tail;
		at = block_table[block].count;
		here = buckets->block_keys - at < count ? buckets->block_keys - at : count;
		memcpy((char *)gs_pool_block(buckets->pool, block) + at * buckets->key_bytes, keys,
		       here * buckets->key_bytes);
		block_table[block].count += (uint32_t)here;
		keys += here * buckets->key_bytes;
		count -= here;
	}
}

/* Buffer some keys, all of one sequence number, as they are. */
static void
buffer(struct gs_buckets *buckets, struct gs_adder *thread, uint64_t sequence, const void *keys, size_t count)
{
	struct gs_buffered *buffered = &buckets->buffered;
	struct gs_fragment *open = &thread->open;
	const uint64_t first = gs_key_at(keys, buckets->key_bits, 0);
	uint64_t least = first, most = first;
	unsigned order = buffered->order;

	if ((sequence != open->next_sequence && sequence != open->next_sequence - 1) ||
	    open->keys * buckets->key_bytes >= buffered->fragment_bytes) {
		pthread_mutex_lock(&buckets->lock);
		gs_adder_close_fragment(buckets, thread);
		pthread_mutex_unlock(&buckets->lock);
	}
	if (open->keys == 0) {
		open->sequence = sequence;
		open->number = thread->fragments++;
		open->first = open->last = first;
	}
	/* the orders in which the keys go on from the last one */
	order &= (first >= open->last ? GS_UP : 0) | (first <= open->last ? GS_DOWN : 0);
	if ((order & GS_UP) && !gs_keys_in_order(keys, buckets->key_bits, 1, count, GS_ASCENDING))
		order &= ~(unsigned)GS_UP;
	if ((order & GS_DOWN) && !gs_keys_in_order(keys, buckets->key_bits, 1, count, GS_DESCENDING))
		order &= ~(unsigned)GS_DOWN;
	buckets->kernels->range(keys, count, &least, &most);
	append(buckets, thread, keys, count);
	open->next_sequence = sequence + 1;
	open->last = gs_key_at(keys, buckets->key_bits, count - 1);
	pthread_mutex_lock(&buckets->lock);
	buffered->order &= order;
	buffered->least = least < buffered->least ? least : buffered->least;
	buffered->most = most > buffered->most ? most : buffered->most;
	buffered->bytes += count * buckets->key_bytes;
	/* take some keys of every SAMPLE_EVERYth call; if the sample is full, drop every other key, and
	 * from then on pass over half of the calls */
	if (buckets->state == GS_BUFFERING && buffered->sample_calls++ % buffered->sample_every == 0) {
		const size_t each = gs_least(count, GS_BIN_SAMPLE_EACH);

		if (buffered->sample_count + each > GS_BIN_SAMPLE_KEYS) {
			buffered->sample_count /= 2;
			buffered->sample_every *= 2;
			for (size_t s = 0; s < buffered->sample_count; s++)
				gs_key_put(buffered->sample, buckets->key_bits, s,
				           gs_key_at(buffered->sample, buckets->key_bits, 2 * s));
		}
		for (size_t s = 0; s < each; s++)
			gs_key_put(buffered->sample, buckets->key_bits, buffered->sample_count++,
			           gs_key_at(keys, buckets->key_bits, s * count / each));
	}
	if (buckets->state == GS_BUFFERING &&
	    ((buffered->bytes >= buffered->sample_bytes && buffered->order == 0) ||
	     buffered->fragment_count >= buffered->bytes / buffered->fragment_bytes * 2 +
	                                 GS_SMALL_FRAGMENTS / 2 ||
	     buffered->slack_bytes >= buffered->slack_most_bytes))
		gs_adder_begin_scatter(buckets);
	pthread_mutex_unlock(&buckets->lock);
}

/* --- both ----------------------------------------------------------------------- */

/* Bytes of keys that a pool can surely take. */
static size_t
capacity(const struct gs_pool *pool)
{
	return pool->reserved_bytes < pool->bytes ? pool->bytes - pool->reserved_bytes : 0;
}

size_t
gs_buckets_fit(const struct gs_buckets *buckets)
{
	const size_t stored_bytes = buckets->pool->stored_bytes, room = capacity(buckets->pool);

	return stored_bytes < room ? room - stored_bytes : 0;
}

bool
gs_buckets_add(struct gs_buckets *buckets, unsigned worker, uint64_t sequence, const void *keys, size_t count)
{
	struct gs_adder *thread = &buckets->threads[worker];
	const size_t bytes = count * buckets->key_bytes;
	const size_t most = buckets->buffered.fragment_bytes / buckets->key_bytes;
	const char *from = keys;

	assert(worker < buckets->sizes.threads && buckets->state != GS_SEALED);
	if (atomic_fetch_add(&buckets->pool->stored_bytes, bytes) + bytes > capacity(buckets->pool)) {
		atomic_fetch_sub(&buckets->pool->stored_bytes, bytes);
		return false;
	}
	atomic_fetch_add_explicit(&thread->keys, count, memory_order_relaxed);
	while (count > 0 && atomic_load_explicit(&buckets->state, memory_order_acquire) == GS_BUFFERING) {
		const size_t here = count < most ? count : most;

		buffer(buckets, thread, sequence, from, here);
		from += here * buckets->key_bytes;
		count -= here;
	}
	if (count > 0) {
		scatter(buckets, thread, &buckets->binner, from, count);
		gs_adder_scatter_fragment(buckets, thread);
	}
	return true;
}
