// SPDX-License-Identifier: BSD-2-Clause
/*
 * sort.c - sort an array in place
 *
 * In:   keys of any binary type.
 * Out:  the same keys, in order, in the same place.
 *
 *     8 and 16 bits          counted                                  sort/count.h
 *     up to a leaf           a bitonic network, in place              sort/cpu/simd_kernels.h
 *     up to QUICK_BYTES      a copy is sorted back by quicksort       sort/cpu/quicksort.h
 *     more                   buckets by value, by a team; then each   sort/buckets/buckets.h
 *                            part is sorted to its place
 *
 * The maps to ordered bits and back are made of a piece that is in a cache anyway.
 */
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "array/sort.h"
#include "base/arena.h"
#include "base/round.h"
#include "base/team.h"
#include "format/raw.h"
#include "sort/buckets/add.h"
#include "sort/buckets/buckets.h"
#include "sort/buckets/parts.h"
#include "sort/buckets/pool.h"
#include "sort/buckets/seal.h"
#include "sort/count.h"
#include "sort/cpu/quicksort.h"
#include "sort/keys.h"

/* What one thread sorts without buckets.  More is left to buckets if there are more threads. */
enum { QUICK_BYTES = GS_PART_BYTES, QUICK_BYTES_OF_MANY = 1 << 20 };

/* What a thread adds to buckets at a time: it stays in the second-level cache while it is mapped. */
enum { SHARE_BYTES = 128 << 10 };

enum { HUGE_BYTES = 32 << 20, HUGE_PAGE = 2 << 20 };	/* from so many on, huge pages pay */

static void
to_ordered(const struct gs_array_args *args, void *keys, size_t count)
{
	gs_raw_to_ordered(args->type, GSORT_ENDIAN_HOST, args->reverse, keys, count, 1);
}

static void
to_raw(const struct gs_array_args *args, void *keys, size_t count)
{
	gs_ordered_to_raw(args->type, GSORT_ENDIAN_HOST, args->reverse, keys, count, 1);
}

/* ---- 8 and 16 bits -------------------------------------------------------------- */

/* Up to so many keys of 16 bits are sorted as 32 bits: 65,536 bins take longer. */
enum { WIDENED_KEYS = 2048 };

static void
sort_widened(uint16_t *keys, size_t count)
{
	uint32_t wide[WIDENED_KEYS];
	const struct gs_simd_kernels *kernels = gs_simd_kernels(gs_simd_best(), 32);

	assert(count <= kernels->leaf_keys);
	for (size_t i = 0; i < count; i++)
		wide[i] = keys[i];
	kernels->sort_leaf(wide, wide, count);
	for (size_t i = 0; i < count; i++)
		keys[i] = (uint16_t)wide[i];
}

struct counting {
	const struct gs_array_args *args;
	struct gs_count count;
	char  *keys;
	size_t begin, end;	/* of a round */
};

/* A thread counts so many keys before its counts are summed: they have 32 bits. */
#define ROUND_KEYS	((size_t)1 << 31)

static void
count_share(void *context, unsigned rank, unsigned size)
{
	struct counting *counting = context;
	const size_t keys = counting->end - counting->begin, key_bytes = counting->args->key_bytes;
	const size_t end = counting->begin + gs_team_begin(keys, rank + 1, size);
	size_t at = counting->begin + gs_team_begin(keys, rank, size);

	for (size_t now; at < end; at += now) {
		char *share = counting->keys + at * key_bytes;

		now = end - at < SHARE_BYTES ? end - at : SHARE_BYTES;
		to_ordered(counting->args, share, now);
		gs_count_add(&counting->count, rank, share, now);
	}
}

/* The array itself is the buffer of the histogram: its keys have been counted. */
static gs_status
sort_by_counting(void *keys, size_t count, const struct gs_array_args *args)
{
	const size_t bins = (size_t)1 << args->key_bits;
	const unsigned threads = gs_array_threads(args, count * args->key_bytes);
	struct counting counting = { .args = args, .keys = keys };
	void *memory = calloc(1, gs_count_bytes(bins, threads));
	struct gs_span span;

	if (memory == NULL)
		return gs_fail(GS_EBUDGET, "out of memory");
	gs_count_open(&counting.count, memory, bins, args->key_bits, 0, threads);
	for (; counting.begin < count; counting.begin = counting.end) {
		counting.end = count - counting.begin < ROUND_KEYS ? count : counting.begin + ROUND_KEYS;
		gs_team_run(threads, count_share, &counting);
		gs_count_sum(&counting.count);
	}
	gs_count_next(&counting.count, false, keys, count * args->key_bytes, &span);
	assert(span.count == count);
	to_raw(args, keys, count);
	free(memory);
	return GS_OK;
}

/* ---- what fits a cache ------------------------------------------------------------- */

/* Are they in order already?  Of keys that are not, few are read. */
static bool
in_order(const void *keys, unsigned key_bits, size_t count)
{
	enum { STEP = 1024 };

	for (size_t at = 1; at < count; at += STEP)
		if (!gs_keys_in_order(keys, key_bits, at, count - at < STEP ? count : at + STEP,
		                      GS_ASCENDING))
			return false;
	return true;
}

static gs_status
sort_by_quicksort(void *keys, size_t count, const struct gs_array_args *args)
{
	void *copy = malloc(count * args->key_bytes);

	if (copy == NULL)
		return gs_fail(GS_EBUDGET, "out of memory");
	to_ordered(args, keys, count);
	if (!in_order(keys, args->key_bits, count)) {
		memcpy(copy, keys, count * args->key_bytes);
		gs_quicksort(gs_simd_kernels(gs_simd_best(), args->key_bits), keys, copy, count, 0,
		             UINT64_MAX >> (64 - args->key_bits));
	}
	to_raw(args, keys, count);
	free(copy);
	return GS_OK;
}

/* ---- more than that ------------------------------------------------------------------ */

struct work {
	const struct gs_array_args *args;
	char   *keys;
	size_t  count;
	struct gs_buckets *buckets;
	char   *scratch;		/* a part for each thread */
	size_t  part_bytes, parts;
	atomic_size_t next;		/* share, then part */
};

static void
add_shares(void *context, unsigned rank, unsigned size)
{
	struct work *work = context;
	const size_t key_bytes = work->args->key_bytes, most = SHARE_BYTES / key_bytes;
	size_t share;

	(void)size;
	while ((share = atomic_fetch_add(&work->next, 1)) * most < work->count) {
		const size_t at = share * most, left = work->count - at, keys = left < most ? left : most;
		bool added;

		to_ordered(work->args, work->keys + at * key_bytes, keys);
		added = gs_buckets_add(work->buckets, rank, share, work->keys + at * key_bytes, keys);
		(void)added;
		assert(added && "there was room");
	}
}

static void
sort_parts(void *context, unsigned rank, unsigned size)
{
	struct work *work = context;
	size_t p;

	(void)size;
	while ((p = atomic_fetch_add(&work->next, 1)) < work->parts) {
		const struct gs_part part = gs_buckets_part(work->buckets, p);
		char *into = work->keys + part.at * work->args->key_bytes;

		gs_buckets_sort_part(work->buckets, rank, p, into,
		                     work->scratch + rank * work->part_bytes);
		to_raw(work->args, into, part.count);
	}
}

/* Take the memory of the buckets; from an arena that is not open, only add it up. */
static void
carve(struct work *work, struct gs_arena *arena, const struct gs_bucket_sizes *sizes,
      size_t pool_bytes)
{
	void *pool = gs_arena_take(arena, pool_bytes);
	void *table = gs_arena_take_sparse(arena, gs_pool_bytes(pool_bytes, sizes->block_bytes));
	void *tables = gs_arena_take_sparse(arena, gs_buckets_bytes(sizes, pool_bytes));

	work->scratch = gs_arena_take(arena, sizes->threads * sizes->part_bytes);
	if (arena->base == NULL)
		return;
	work->buckets = gs_buckets_init(tables, gs_pool_init(table, pool, pool_bytes, sizes->block_bytes),
	                                work->args->key_bits, sizes);
	assert(gs_buckets_fit(work->buckets) >= work->count * work->args->key_bytes);
}

static gs_status
sort_by_buckets(void *keys, size_t count, const struct gs_array_args *args)
{
	const size_t bytes = count * args->key_bytes;
	const unsigned threads = gs_array_threads(args, bytes);
	const struct gs_bucket_sizes sizes = gs_buckets_choose(threads, 1, UINT64_MAX, bytes,
	                                                       GS_PART_BYTES);
	const size_t about = bytes + bytes / 2 + ((size_t)1 << 30);
	const size_t pool_bytes = gs_round_up(bytes + gs_buckets_reserve(&sizes, about) +
	                                      gs_buckets_reserve_once(&sizes, about), HUGE_PAGE);
	struct work work = { .args = args, .keys = keys, .count = count, .part_bytes = sizes.part_bytes };
	struct gs_arena arena = { .base = NULL };

	assert(pool_bytes <= about);
	carve(&work, &arena, &sizes, pool_bytes);
	TRY(gs_arena_open(&arena, arena.used_bytes, bytes >= HUGE_BYTES));
	carve(&work, &arena, &sizes, pool_bytes);
	gs_team_run(threads, add_shares, &work);
	work.parts = gs_buckets_seal(work.buckets, threads);
	atomic_store(&work.next, 0);
	gs_team_run(threads, sort_parts, &work);
	gs_arena_close(&arena);
	return GS_OK;
}

gs_status
gs_array_sort(void *keys, size_t count, const struct gs_array_args *args)
{
	const size_t bytes = count * args->key_bytes;
	const struct gs_simd_kernels *kernels;

	if (count < 2)
		return GS_OK;
	if (args->key_bits == 16 && count <= WIDENED_KEYS) {
		to_ordered(args, keys, count);
		sort_widened(keys, count);
		to_raw(args, keys, count);
		return GS_OK;
	}
	if (args->key_bits <= 16)
		return sort_by_counting(keys, count, args);
	kernels = gs_simd_kernels(gs_simd_best(), args->key_bits);
	if (count <= kernels->leaf_keys) {
		to_ordered(args, keys, count);
		kernels->sort_leaf(keys, keys, count);
		to_raw(args, keys, count);
		return GS_OK;
	}
	if (bytes <= (args->threads == 1 ? QUICK_BYTES : QUICK_BYTES_OF_MANY))
		return sort_by_quicksort(keys, count, args);
	return sort_by_buckets(keys, count, args);
}
