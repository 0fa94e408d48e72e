// SPDX-License-Identifier: BSD-2-Clause
/* buckets.c - rows for src/sort/buckets/: added keys come out in order */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/round.h"
#include "sort/buckets/buckets.h"
#include "sort/buckets/pool.h"
#include "sort/buckets/state.h"
#include "sort/span.h"
#include "tests/unit/shapes.h"
#include "tests/unit/units.h"

void unit_buckets(void);

enum { SPAN = 100 << 10, THREADS = 8, THREADS_MOST = 16 };
enum { POOL_BYTES = 96 << 20 };

/* What all rows work in. */
static struct {
	char *pool_memory, *block_table, *memory, *into, *scratch;
	char *keys;
	uint64_t *expect;
	struct gs_pool *pool;
	struct gs_buckets *buckets;
	unsigned bits, width, threads;
	size_t count, span;		/* keys; those added at once */
	size_t part_bytes;
	bool in_turns;			/* threads add spans one after the other */
	_Atomic size_t next_span;
	_Atomic size_t next_part;
	size_t parts;
	_Atomic unsigned wrong;
} w;

/* Make COUNT keys, in no order. */
static void
fill(const struct shape *shape, unsigned bits, size_t count)
{
	w.bits = bits;
	w.width = bits / 8;
	w.count = count;
	for (size_t i = 0; i < count; i++) {
		const uint64_t key = shape->key(i, count);

		w.expect[i] = bits == 32 ? key >> 32 : key;
		gs_key_put(w.keys, bits, i, w.expect[i]);
	}
}

static void
make(const struct shape *shape, unsigned bits, size_t count)
{
	fill(shape, bits, count);
	units_sort(w.expect, count);
}

static void
begin(unsigned threads, size_t pool_bytes, uint64_t expected)
{
	static unsigned begun;		/* each time other vectors */
	const uint64_t key_bytes = expected < UINT64_MAX / 8 ? expected * w.width : UINT64_MAX;
	const struct gs_bucket_sizes sizes = gs_buckets_choose(threads, 1, pool_bytes, key_bytes,
	                                                       w.part_bytes);
	const size_t bytes = gs_buckets_bytes(&sizes, pool_bytes);

	gs_simd_set_fetches_first(begun % 2 == 1);
	w.threads = threads;
	free(w.memory);
	w.memory = calloc(1, bytes);
	w.pool = gs_pool_init(w.block_table, w.pool_memory, pool_bytes, sizes.block_bytes);
	w.buckets = gs_buckets_init(w.memory, w.pool, w.bits, &sizes);
	CHECK(gs_buckets_reserve(&sizes, pool_bytes) / sizes.block_bytes >=
	      threads * (sizes.bins + 2 * w.pool->trip_blocks),
	      "what is reserved has two trips of each thread");
	gs_buckets_with(w.buckets, (enum gs_simd)(begun++ % ((unsigned)gs_simd_best() + 1)));
}

static void *
add_spans(void *context)
{
	const unsigned rank = (unsigned)(uintptr_t)context;

	for (;;) {
		const size_t sequence = w.next_span++, at = sequence * w.span;

		if (at >= w.count)
			return NULL;
		if (!gs_buckets_add(w.buckets, rank, sequence, w.keys + at * w.width,
		                    w.count - at < w.span ? w.count - at : w.span))
			w.wrong++;
	}
}

static void *
sort_parts(void *context)
{
	const unsigned rank = (unsigned)(uintptr_t)context;
	char *into = w.into + (size_t)rank * GS_PART_BYTES;
	char *scratch = w.scratch + (size_t)rank * GS_PART_BYTES;

	for (;;) {
		const size_t p = w.next_part++;
		struct gs_part part;

		if (p >= w.parts)
			return NULL;
		part = gs_buckets_part(w.buckets, p);
		if (part.count == 0 || part.count * w.width > w.part_bytes ||
		    part.at + part.count > w.count) {
			w.wrong++;
			continue;
		}
		gs_buckets_sort_part(w.buckets, rank, p, into, scratch);
		w.wrong += units_same(into, w.bits, w.expect + part.at, part.count) < part.count;
	}
}

static void
all_threads(void *(*body)(void *))
{
	pthread_t ids[THREADS_MOST];

	for (unsigned t = 1; t < w.threads; t++)
		pthread_create(&ids[t], NULL, body, (void *)(uintptr_t)t);
	body(NULL);
	for (unsigned t = 1; t < w.threads; t++)
		pthread_join(ids[t], NULL);
}

/* Add, seal, sort; all parts follow each other, and nothing is left. */
static void
pass(const char *what, size_t span)
{
	uint64_t at = 0;

	w.span = span;
	w.next_span = w.next_part = 0;
	w.wrong = 0;
	for (size_t s = 0; w.in_turns && s * span < w.count; s++)
		w.wrong += !gs_buckets_add(w.buckets, (unsigned)(s % w.threads), s,
		                           w.keys + s * span * w.width,
		                           (size_t)gs_least(w.count - s * span, span));
	if (!w.in_turns)
		all_threads(add_spans);
	CHECK(w.wrong == 0, "%s: all of %zu u%u are taken", what, w.count, w.bits);
	CHECK(gs_buckets_count(w.buckets) == w.count, "%s: %zu keys are counted", what, w.count);
	w.parts = gs_buckets_seal(w.buckets, w.threads);
	for (size_t p = 0; p < w.parts; p++) {
		const struct gs_part part = gs_buckets_part(w.buckets, p);

		w.wrong += part.at != at;
		at += part.count;
	}
	CHECK(at == w.count && w.wrong == 0, "%s: parts of %zu u%u follow each other, to %llu",
	      what, w.count, w.bits, (unsigned long long)at);
	all_threads(sort_parts);
	CHECK(w.wrong == 0, "%s: %zu u%u, added by %zu, come out in order with %u threads: %u parts are not",
	      what, w.count, w.bits, span, w.threads, w.wrong);
	CHECK(gs_buckets_count(w.buckets) == 0, "%s: no key is left", what);
	gs_buckets_reset(w.buckets);
	CHECK(w.pool->used == w.pool->free.blocks, "%s: all blocks are back, but %zu", what,
	      w.pool->used - w.pool->free.blocks);
}

static void
check_shapes(size_t count, size_t span, unsigned threads)
{
	for (unsigned bits = 32; bits <= 64; bits += 32)
		for (unsigned s = 0; s < SHAPES; s++) {
			make(&shapes[s], bits, count);
			begin(threads, POOL_BYTES, count);
			pass(shapes[s].name, span);
			if (s % 3 == 0)
				pass(shapes[s].name, span);	/* again, in the same memory */
		}
}

/* There are not more bins than arrays of a division have places, and last blocks take little of the pool. */
static void
check_choice(uint64_t pool_bytes, unsigned threads, uint64_t key_bytes)
{
	const struct gs_bucket_sizes s = gs_buckets_choose(threads, 1, pool_bytes, key_bytes, GS_PART_BYTES);
	const uint64_t first = (uint64_t)threads * s.bins * s.block_bytes;
	const uint64_t again = (uint64_t)threads * s.bins_again * s.block_bytes;
	const uint64_t least = (uint64_t)threads * 16 * GS_BLOCK_LEAST_BYTES;

	CHECK(s.bins <= GS_BINS && s.bins_again <= GS_BINS_AGAIN && s.bins_most >= s.bins &&
	      s.bins_most >= s.bins_again && s.bins_most <= GS_BINS && first <= pool_bytes / 16 + least &&
	      again <= pool_bytes / 32 + least,
	      "%llu MiB, %u threads, %llu KiB of keys: %u bins, then %u, of %zu",
	      (unsigned long long)pool_bytes >> 20, threads, (unsigned long long)key_bytes >> 10, s.bins,
	      s.bins_again, (size_t)s.block_bytes);
}

/* What is chosen, where a little more or less would be chosen otherwise. */
static const struct chosen {
	unsigned threads, key_classes;
	uint64_t pool_bytes, key_bytes;
	size_t   part_most_bytes;
	/* these are chosen */
	unsigned bins, bins_again, bins_most;
	size_t   block_bytes, lines_bytes, part_bytes;
	size_t   reserve, reserve_once;
} chosen[] = {
	{ 1, 5, 5 << 20, 4194336, 64 << 10,
	  64, 16, 64, 512, 512, 64 << 10, 54 << 10, 139 << 10 },
	{ 1, 1, UINT64_C(128) << 30, UINT64_C(7516194816), 16 << 20,
	  2048, 256, 2048, 4 << 10, 256, 8 << 20, 12496 << 10, UINT64_C(4430503936) },
	{ 1, 1, UINT64_C(128) << 30, UINT64_C(122167958642), 16 << 20,
	  2048, 256, 2048, 4 << 10, 256, 16 << 20, 12496 << 10, UINT64_C(4363395072) },
	{ 1, 1, UINT64_C(128) << 30, UINT64_C(122167958643), 16 << 20,
	  2048, 256, 2048, 4 << 10, 256, 4 << 20, 12496 << 10, UINT64_C(4564721664) },
	{ 7, 5, 536866816, 336 << 20, 16 << 20,
	  512, 128, 512, 512, 512, 2 << 20, 2483 << 10, 3070464 },
	{ 8, 1, 64 << 20, 33554687, 16 << 20,
	  128, 32, 128, 2 << 10, 512, 1 << 20, 3154 << 10, 2352 << 10 },
	{ 8, 1, 512 << 20, 402653183, 64 << 10,
	  1024, 256, 1024, 2 << 10, 256, 64 << 10, 25170 << 10, 70688 << 10 },
	{ 8, 1, UINT64_C(128) << 30, UINT64_C(30064775167), 16 << 20,
	  4096, 256, 4096, 4 << 10, 128, 8 << 20, 202543104, UINT64_C(4439736320) },
	{ 16, 1, 536866816, 268435967, 16 << 20,
	  512, 128, 512, 1 << 10, 512, 1 << 20, 10817 << 10, 8272 << 10 },
	{ 16, 5, 536866816, 256 << 20, 16 << 20,
	  256, 64, 256, 512, 512, 1 << 20, 3179008, 3663 << 10 },
	{ 64, 1, 1 << 20, 64 << 10, 16 << 20,
	  16, 16, 16, 512, 512, 256 << 10, 1024512, 1222 << 10 },
	{ 64, 1, UINT64_C(128) << 30, UINT64_C(12884901887), 16 << 20,
	  2048, 256, 2048, 4 << 10, 256, 4 << 20, 814551040, UINT64_C(4647813120) },
	{ 64, 1, UINT64_C(128) << 30, UINT64_C(24) << 30, 16 << 20,
	  4096, 256, 4096, 4 << 10, 128, 8 << 20, 1619857408, UINT64_C(4513595392) },
	{ 1, 1, 16 << 20, 3 << 20, 16 << 20,
	  32, 256, 256, 512, 512, 4 << 20, 34 << 10, 201 << 10 },
};

static void
check_chosen(const struct chosen *row)
{
	const struct gs_bucket_sizes s = gs_buckets_choose(row->threads, row->key_classes, row->pool_bytes,
	                                                   row->key_bytes, row->part_most_bytes);
	const size_t reserve = gs_buckets_reserve(&s, row->pool_bytes);
	const size_t reserve_once = gs_buckets_reserve_once(&s, row->pool_bytes);

	CHECK(s.bins == row->bins && s.bins_again == row->bins_again && s.bins_most == row->bins_most &&
	      s.block_bytes == row->block_bytes && s.lines_bytes == row->lines_bytes &&
	      s.part_bytes == row->part_bytes && reserve == row->reserve && reserve_once == row->reserve_once,
	      "%u threads, %llu of %llu bytes: %u, %u, %u bins of %zu and %zu, parts of %zu, %zu and %zu",
	      row->threads, (unsigned long long)row->key_bytes, (unsigned long long)row->pool_bytes, s.bins,
	      s.bins_again, s.bins_most, (size_t)s.block_bytes, (size_t)s.lines_bytes, (size_t)s.part_bytes,
	      reserve, reserve_once);
}

static void
check_choices(void)
{
	for (size_t r = 0; GS_PART_BYTES == 4 << 20 && r < sizeof chosen / sizeof chosen[0]; r++)
		check_chosen(&chosen[r]);
	for (uint64_t pool_bytes = 1 << 20; pool_bytes <= UINT64_C(1) << 42; pool_bytes *= 4)
		for (unsigned threads = 1; threads <= 512; threads *= 4)
			for (uint64_t key_bytes = 1 << 16; key_bytes <= UINT64_C(1) << 46; key_bytes *= 8)
				check_choice(pool_bytes, threads, key_bytes);
}

/* The keys of each span rise, or fall, but do not go on from those of the span before. */
static void
check_stretches(void)
{
	enum { STRETCH = 20000 };

	w.in_turns = true;
	for (unsigned falls = 0; falls < 2; falls++) {
		w.bits = 64;
		w.width = 8;
		w.count = 5 * STRETCH;
		for (size_t i = 0; i < w.count; i++) {
			w.expect[i] = falls == 1 ? STRETCH - i % STRETCH : i % STRETCH;
			gs_key_put(w.keys, 64, i, w.expect[i]);
		}
		units_sort(w.expect, w.count);
		begin(2, POOL_BYTES, w.count);
		pass(falls == 1 ? "falling stretches" : "rising stretches", STRETCH);
	}
	w.in_turns = false;
}

/* A bucket so large that all threads divide it together: of more than 16 MiB, most keys or half of them. */
static void
check_together(unsigned shape, size_t count)
{
	make(&shapes[shape], 64, count);
	for (unsigned threads = 1; threads <= THREADS; threads += 3) {
		begin(threads, POOL_BYTES, count);
		pass(shapes[shape].name, 50000);
	}
}

static void
check_sizes(void)
{
	static const size_t sizes[] = {
		0, 1, 2, 10, 63, 64, 65, 1023, 1024, 1025, 2047, 2048, 2049, 65535, 65536, 65537,
		131072, 262143, 262144, 262145, 327680, 330000, 524288, 600001,
	};

	for (unsigned bits = 32; bits <= 64; bits += 32)
		for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
			for (unsigned shape = 0; shape < 3; shape++) {
				const size_t spans[] = { sizes[s] / 3 + 1, sizes[s] / 100 + 1, 30000 };

				make(&shapes[shape], bits, sizes[s]);
				begin(2, POOL_BYTES, sizes[s]);
				for (unsigned i = 0; i < 3; i++)
					if (!units_brief() || (s + shape) % 3 == i)
						pass(shapes[shape].name, spans[i]);
			}
}

/* As much as fits, exactly, and no key more. */
static void
check_full(unsigned shape, unsigned threads, size_t span, uint64_t expected, size_t pool_bytes)
{
	fill(&shapes[shape], 64, pool_bytes / 8);
	begin(threads, pool_bytes, expected);
	CHECK(gs_buckets_fit(w.buckets) > pool_bytes / 2, "half of a pool is keys'");
	w.count = gs_buckets_fit(w.buckets) / 8;
	memcpy(w.expect, w.keys, w.count * 8);
	units_sort(w.expect, w.count);
	for (unsigned round = 0; round < 2; round++) {
		pass("a pool that is full", span);
		CHECK(gs_buckets_fit(w.buckets) / 8 == w.count, "there is as much room as before");
	}
	CHECK(gs_buckets_add(w.buckets, 0, 0, w.keys, w.count), "all fits at once");
	CHECK(!gs_buckets_add(w.buckets, 0, 1, w.keys, 1), "one key too many is refused");
}

/* Any keys, in parts of any size; without time, every seventh size. */
static void
check_all_full(void)
{
	static const unsigned threads[] = { 1, 2, 5, THREADS_MOST };
	const unsigned step = units_brief() ? 7 : 1;
	unsigned row = 0;

	for (unsigned s = 0; s < SHAPES; s++)
		for (unsigned t = 0; t < 4; t++)
			for (w.part_bytes = 16 << 10; w.part_bytes <= GS_PART_BYTES; w.part_bytes *= 16)
				if (row++ % step == 0)
					check_full(s, threads[t], s % 2 ? 10007 : 777, UINT64_MAX,
					           (size_t)(t + 1) << (units_brief() ? 21 : 22));
	w.part_bytes = GS_PART_BYTES;
}

/* Each block is taken once; trips that follow each other come from different huge pages, until too few are
 * left. */
static void
check_spread(unsigned threads, size_t apart, size_t from)
{
	enum { BLOCK = 4096, PAGE = (2 << 20) / BLOCK, PAGES = 2 * 16 + 3, BLOCKS = PAGES * PAGE };
	const size_t bytes = (size_t)PAGES << 21;
	struct gs_pool *pool = gs_pool_init(w.block_table, w.pool_memory, bytes, BLOCK);
	unsigned char *taken = calloc(BLOCKS + 1, 1), pages[PAGES] = { 0 };
	size_t wrong = 0;

	gs_pool_spread(pool, threads, from * BLOCK);
	for (size_t trip = 0; trip < BLOCKS / pool->trip_blocks; trip++) {
		struct gs_chain chain = { .blocks = 0 };

		gs_pool_take(pool, &chain, pool->trip_blocks);
		for (uint32_t block = chain.head; block != 0; block = pool->block_table[block].next)
			wrong += taken[block]++ > 0;
		if (trip % apart == 0)
			memset(pages, 0, sizeof pages);
		if (trip * pool->trip_blocks < from)
			wrong += chain.head != trip * pool->trip_blocks + 1;
		else if (trip * pool->trip_blocks < PAGES / apart * apart * PAGE)
			wrong += pages[(chain.head - 1) / PAGE]++ > 0;
	}
	CHECK(wrong == 0 && memchr(taken + 1, 0, BLOCKS) == NULL, "spread over %zu: %zu wrong", apart, wrong);
	free(taken);
}

/* A sample of a chain of BLOCKS has keys of it alone, of all its blocks or, if there is no ROOM, of some. */
static void
check_sample(uint32_t blocks, size_t room)
{
	enum { BLOCK = 4096, KEYS = BLOCK / 8, NO_KEY = 77 };
	struct gs_pool *pool = gs_pool_init(w.block_table, w.pool_memory, 64 * BLOCK, BLOCK);
	struct gs_chain chain = { .blocks = 0 };
	uint64_t *sample = malloc(room * sizeof *sample), number = 0;
	size_t wrong = 0, found, all = 0;

	gs_pool_take(pool, &chain, blocks);
	for (size_t k = 0; k < 64 * KEYS; k++)
		((uint64_t *)w.pool_memory)[k] = NO_KEY;
	for (uint32_t block = chain.head; block != 0; block = pool->block_table[block].next, number++) {
		pool->block_table[block].count = number % 3 == 2 ? 5 : KEYS - (uint32_t)number;
		all += gs_least(pool->block_table[block].count, blocks < room ? room / blocks : 1);
		for (uint32_t k = 0; k < pool->block_table[block].count; k++)
			((uint64_t *)gs_pool_block(pool, block))[k] = 1000 * (1 + number) + k;
	}
	found = gs_chain_sample(pool, &chain, 64, sample, room);
	for (size_t s = 0; s < found; s++)
		wrong += sample[s] < 1000 || (s > 0 && sample[s] < sample[s - 1]);
	CHECK(wrong == 0 && found <= room && (blocks > room ? found > 0 : found == all),
	      "%u blocks, %zu of a sample of %zu, %zu are wrong", blocks, found, room, wrong);
	CHECK(blocks > room || sample[found - 1] / 1000 == blocks, "and of the last block");
	free(sample);
}

void
unit_buckets(void)
{
	const size_t most = 2500000, half = 4600000, large = 3000000, count = units_brief() ? 150000 : most;

	w.part_bytes = GS_PART_BYTES;
	w.pool_memory = mmap(NULL, POOL_BYTES + (2 << 20), PROT_READ | PROT_WRITE,
	                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	w.pool_memory += -(uintptr_t)w.pool_memory % (2 << 20);
	w.block_table = malloc(gs_pool_bytes(POOL_BYTES, GS_BLOCK_LEAST_BYTES));
	w.into = aligned_alloc(64, (size_t)THREADS_MOST * GS_PART_BYTES);
	w.scratch = aligned_alloc(64, (size_t)THREADS_MOST * GS_PART_BYTES);
	w.keys = malloc(half * 8);
	w.expect = malloc(half * 8);
	check_sizes();
	check_choices();
	check_stretches();
	for (uint32_t blocks = 1; blocks < 40; blocks += 3)
		for (size_t room = 1; room < 2000; room = 3 * room + 1)
			check_sample(blocks, room);
	check_spread(1, 1, 0);
	check_spread(3, 4, 0);
	check_spread(64, 16, 0);
	check_spread(64, 16, (32 << 20) / 4096);
	check_shapes(count, SPAN / 8, 1);
	check_shapes(count, 13579, 3);
	check_shapes(count / 5 * 3, 65536, THREADS);
	check_together(SHAPE_TRICKED, large);
	check_together(SHAPE_STUCK, large);
	check_together(SHAPE_HEAVY, half);
	check_together(SHAPE_NESTED, large);
	check_full(SHAPE_UNIFORM, 1, 10000, 1000000, 8 << 20);
	check_full(SHAPE_UNIFORM, 4, 1, 1000000, 8 << 20);
	check_full(SHAPE_SORTED, 4, 10001, 1000000, 8 << 20);
	check_full(SHAPE_SORTED, 4, 300, 1000000, 8 << 20);
	check_full(SHAPE_TRICKED, 2, 10000, UINT64_MAX, 8 << 20);
	check_full(SHAPE_POWERS, 3, 999, UINT64_MAX, 8 << 20);
	check_all_full();
	free(w.block_table);
	free(w.memory);
	free(w.into);
	free(w.scratch);
	free(w.keys);
	free(w.expect);
	munmap(w.pool_memory, POOL_BYTES);
}
