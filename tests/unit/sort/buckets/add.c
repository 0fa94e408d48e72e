// SPDX-License-Identifier: BSD-2-Clause
/* add.c - rows for src/sort/buckets/add.c: how long keys are buffered, and what is known of them then */
#include <stdlib.h>

#include "base/round.h"
#include "sort/buckets/buckets.h"
#include "sort/buckets/state.h"
#include "sort/span.h"
#include "tests/unit/units.h"

void unit_add(void);

enum { POOL_BYTES = 4 << 20, KEYS_MOST = 20000 };

/* Fragments end at 16 KiB; 32 KiB in no order are scattered; 24 blocks may be wasted. */
static const struct gs_bucket_sizes sizes = {
	.threads = 2, .block_bytes = 512, .part_bytes = 64 << 10, .together_bytes = 1 << 20, .bins = 16,
	.bins_again = 16, .bins_most = 16, .lines_bytes = 256,
};

static uint64_t up(uint64_t i)     { return 5 + i; }
static uint64_t zero_up(uint64_t i) { return i; }
static uint64_t down(uint64_t i)   { return 1000000 - i; }
static uint64_t any(uint64_t i)    { return units_mix(i) >> 33; }
static uint64_t zeros(uint64_t i)  { (void)i; return 0; }
static uint64_t ones(uint64_t i)   { (void)i; return UINT32_MAX; }
static uint64_t all_ones(uint64_t i) { (void)i; return UINT64_MAX; }
static uint64_t sevens(uint64_t i) { (void)i; return 7; }
static uint64_t peak(uint64_t i)   { return i < 100 ? i : 200 - i; }
static uint64_t up_late(uint64_t i)   { return i == 0 ? 1000 : i; }
static uint64_t down_late(uint64_t i) { return i == 0 ? 1000 : 5000 - i; }
static uint64_t rises(uint64_t i)  { return i % 100; }
static uint64_t falls(uint64_t i)  { return 99 - i % 100; }
static uint64_t ledge(uint64_t i)  { return i / 100; }

static const struct row {
	const char *name;
	uint64_t  (*key)(uint64_t i);
	unsigned    bits, threads;
	unsigned    span, step;		/* keys of a call; from its sequence number to the next one's */
	unsigned    most;			/* calls at most; fewer, if keys are scattered then */
	/* after them */
	unsigned    calls, order;
	size_t      fragments, wasted;	/* bytes */
	size_t      sampled, every;
	uint64_t    sum;		/* of the sample */
} rows[] = {
	{ "up", up, 64, 1, 100, 1, 100,
	  100, 1, 4, 384, 416, 8, 2084896 },
	{ "up, as many as a fragment", up, 64, 1, 2048, 1, 3,
	  3, 1, 2, 0, 96, 1, 292320 },
	{ "up, one more than a fragment", up, 64, 1, 2049, 1, 3,
	  3, 1, 3, 1008, 99, 1, 304722 },
	{ "down", down, 32, 1, 100, 1, 100,
	  100, 2, 2, 992, 416, 8, 413917184 },
	{ "up by two threads", up, 64, 2, 100, 1, 20,
	  20, 1, 18, 4032, 320, 2, 317376 },
	{ "up, one sequence number", up, 64, 1, 100, 0, 20,
	  20, 1, 0, 0, 320, 2, 317376 },
	{ "up, far apart", up, 64, 1, 1, 2, 100,
	  26, 3, 25, 12600, 26, 1, 455 },
	{ "up, full blocks far apart", up, 64, 1, 64, 2, 100,
	  35, 1, 34, 0, 288, 4, 325248 },
	{ "up, nearly full blocks far apart", up, 64, 1, 60, 2, 200,
	  33, 1, 32, 1024, 288, 4, 304916 },
	{ "in no order", any, 64, 1, 512, 1, 100,
	  8, 0, 1, 0, 256, 1, UINT64_C(271019717680) },
	{ "in no order, 32 bits", any, 32, 1, 512, 1, 100,
	  16, 0, 1, 0, 512, 1, UINT64_C(540866730418) },
	{ "in no order, in one call", any, 64, 1, 9000, 1, 2,
	  1, 0, 2, 0, 64, 1, UINT64_C(76813138418) },
	{ "zeros far apart", zeros, 64, 1, 1, 2, 100,
	  26, 3, 25, 12600, 26, 1, 0 },
	{ "zeros far apart, 32 bits", zeros, 32, 1, 1, 2, 100,
	  26, 3, 25, 12700, 26, 1, 0 },
	{ "largest keys far apart", ones, 32, 1, 1, 2, 100,
	  26, 3, 25, 12700, 26, 1, UINT64_C(111669149670) },
	{ "largest keys of 64 bits far apart", all_ones, 64, 1, 1, 2, 100,
	  26, 3, 25, 12600, 26, 1, UINT64_MAX - 25 },
	{ "sevens far apart", sevens, 64, 2, 1, 2, 100,
	  27, 3, 25, 12600, 27, 1, 189 },
	{ "sevens", sevens, 64, 1, 10, 1, 10,
	  10, 3, 0, 0, 100, 1, 700 },
	{ "up and down in a call", peak, 64, 1, 150, 1, 1,
	  1, 0, 0, 0, 32, 1, 1836 },
	{ "up and down in two calls", peak, 64, 1, 101, 1, 2,
	  2, 0, 0, 0, 64, 1, 3168 },
	{ "rising stretches", rises, 64, 1, 100, 1, 2,
	  2, 0, 0, 0, 64, 1, 3072 },
	{ "falling stretches", falls, 64, 1, 100, 1, 2,
	  2, 0, 0, 0, 64, 1, 3264 },
	{ "steps", ledge, 64, 1, 100, 1, 3,
	  3, 1, 0, 0, 96, 1, 96 },
	{ "steps in a call", ledge, 64, 1, 300, 1, 3,
	  3, 1, 0, 0, 96, 1, 381 },
	{ "up, but the first", up_late, 64, 1, 100, 1, 1,
	  1, 0, 0, 0, 32, 1, 2536 },
	{ "down, but the first", down_late, 64, 1, 100, 1, 1,
	  1, 0, 0, 0, 32, 1, 154464 },
	{ "few keys often", up, 64, 1, 1, 1, 2000,
	  2000, 1, 0, 0, 500, 4, 501500 },
	{ "few keys often, 32 bits", up, 32, 1, 3, 1, 2000,
	  2000, 1, 1, 504, 375, 16, 1120963 },
};

static void *pool_memory, *block_table, *memory, *into, *scratch, *keys;
static struct gs_pool *pool;
static struct gs_buckets *buckets;

static void
begin(unsigned bits)
{
	free(memory);
	memory = calloc(1, gs_buckets_bytes(&sizes, POOL_BYTES));
	pool = gs_pool_init(block_table, pool_memory, POOL_BYTES, sizes.block_bytes);
	buckets = gs_buckets_init(memory, pool, bits, &sizes);
}

/* Seal, and sort: are these the first COUNT keys? */
static bool
are_first(uint64_t (*key)(uint64_t), unsigned bits, size_t count)
{
	static uint64_t expect[KEYS_MOST];
	const size_t parts = gs_buckets_seal(buckets, 2);
	bool good = true;
	size_t at = 0;

	for (size_t k = 0; k < count; k++)
		expect[k] = key(k);
	units_sort(expect, count);
	for (size_t p = 0; p < parts; p++) {
		const struct gs_part part = gs_buckets_part(buckets, p);

		gs_buckets_sort_part(buckets, 0, p, into, scratch);
		good = good && part.at == at && at + part.count <= count &&
		       units_same(into, bits, expect + at, part.count) == part.count;
		at += part.count;
	}
	gs_buckets_reset(buckets);
	return good && at == count && pool->used == 0;
}

static void
check_row(const struct row *row)
{
	const struct gs_buffered *buffered;
	uint64_t sum = 0, least = UINT64_MAX, most = 0;
	bool numbered = true;
	unsigned calls = 0;
	size_t count = 0;

	begin(row->bits);
	buffered = &buckets->buffered;
	while (calls < row->most && buckets->state == GS_BUFFERING) {
		for (size_t k = 0; k < row->span; k++)
			gs_key_put(keys, row->bits, k, row->key(count + k));
		if (!gs_buckets_add(buckets, calls % row->threads, calls * row->step, keys, row->span))
			break;
		count += row->span;
		calls++;
	}
	for (size_t s = 0; s < buffered->sample_count; s++)
		sum += gs_key_at(buffered->sample, row->bits, s);
	CHECK(calls == row->calls && buffered->order == row->order &&
	      buffered->fragment_count == row->fragments && buffered->slack_bytes == row->wasted &&
	      buffered->sample_count == row->sampled && buffered->sample_every == row->every &&
	      sum == row->sum && (calls < row->most) == (buckets->state == GS_SCATTER),
	      "%s: %u calls, order %u, %zu fragments waste %zu, %zu in a sample of every %zuth: %llu",
	      row->name, calls, buffered->order, buffered->fragment_count, buffered->slack_bytes,
	      buffered->sample_count, buffered->sample_every, (unsigned long long)sum);
	for (size_t k = 0; k < buffered->bytes * 8 / row->bits; k++) {
		least = gs_least(least, row->key(k));
		most = row->key(k) > most ? row->key(k) : most;
	}
	for (size_t f = 0; f < buffered->fragment_count; f++)
		numbered = numbered && (row->threads > 1 || buffered->fragments[f].number == f);
	CHECK(numbered, "%s: fragments in turn", row->name);
	CHECK(buffered->least == least && buffered->most == most, "%s: from %llu to %llu", row->name,
	      (unsigned long long)buffered->least, (unsigned long long)buffered->most);
	CHECK(gs_buckets_count(buckets) == count && are_first(row->key, row->bits, count), "%s: all keys",
	      row->name);
}

/* What does not fit is refused, and leaves as much room as before. */
static void
check_room(void)
{
	size_t fit, room;

	begin(64);
	fit = gs_buckets_fit(buckets);
	CHECK(fit == POOL_BYTES - pool->reserved_bytes, "an empty pool: %zu", fit);
	for (size_t k = 0; k < 101; k++)
		gs_key_put(keys, 64, k, k);
	pool->stored_bytes += fit - 800;
	CHECK(gs_buckets_fit(buckets) == 800 && !gs_buckets_add(buckets, 0, 0, keys, 101) &&
	      gs_buckets_fit(buckets) == 800 && gs_buckets_count(buckets) == 0, "100 keys fit, and not 101");
	CHECK(gs_buckets_add(buckets, 0, 0, keys, 100) && gs_buckets_fit(buckets) == 0 &&
	      !gs_buckets_add(buckets, 0, 0, keys, 1), "then none");
	pool->stored_bytes++;
	room = gs_buckets_fit(buckets);
	pool->stored_bytes -= fit - 800 + 1;
	CHECK(room == 0 && are_first(zero_up, 64, 100), "100 keys");
	pool->reserved_bytes = POOL_BYTES;
	CHECK(gs_buckets_fit(buckets) == 0, "all is reserved");
	pool->reserved_bytes++;
	CHECK(gs_buckets_fit(buckets) == 0 && !gs_buckets_add(buckets, 0, 0, keys, 1), "more than all");
}

void
unit_add(void)
{
	pool_memory = aligned_alloc(4096, POOL_BYTES);
	block_table = malloc(gs_pool_bytes(POOL_BYTES, sizes.block_bytes));
	into = aligned_alloc(64, sizes.part_bytes);
	scratch = aligned_alloc(64, sizes.part_bytes);
	keys = malloc(KEYS_MOST * sizeof(uint64_t));
	for (size_t r = 0; GS_SMALL_FRAGMENTS == 64 && r < sizeof rows / sizeof rows[0]; r++)
		check_row(&rows[r]);
	check_room();
	free(pool_memory);
	free(block_table);
	free(memory);
	free(into);
	free(scratch);
	free(keys);
}
