// SPDX-License-Identifier: BSD-2-Clause
/* seal.c - rows for src/sort/buckets/seal.c and part_list.c: the parts that keys are divided into */
#include <stdlib.h>
#include <string.h>

#include "sort/buckets/buckets.h"
#include "sort/buckets/state.h"
#include "sort/span.h"
#include "tests/unit/units.h"

void unit_seal(void);

enum { POOL_BYTES = 4 << 20, KEYS_MOST = 40000 };

/* Behind the keys that are sorted, and behind scratch memory: these bytes stay as they are. */
enum { GUARD = 90, GUARDED = 128 << 10 };

/* Fragments of 16 KiB; 48 KiB are sorted as one part; parts of 64 KiB, to which small ones are joined; a
 * bucket of more than 128 KiB is divided by all threads. */
static const struct gs_bucket_sizes sizes = {
	.threads = 2, .block_bytes = 512, .part_bytes = 64 << 10, .together_bytes = 128 << 10, .bins = 16,
	.bins_again = 16, .bins_most = 16, .lines_bytes = 256,
};

static uint64_t up(uint64_t i)      { return 5 + i; }
static uint64_t down(uint64_t i)    { return 1000000 - i; }
static uint64_t any(uint64_t i)     { return units_mix(i) >> 33; }
static uint64_t zeros(uint64_t i)   { (void)i; return 0; }
static uint64_t ledge(uint64_t i)   { return i / 4096; }
static uint64_t ledge32(uint64_t i) { return i / 8192; }
static uint64_t stairs(uint64_t i)  { return 9 - i / 4096; }
static uint64_t saw(uint64_t i)     { return i % 512; }
static uint64_t fall(uint64_t i)    { return 512 - i % 512; }
static uint64_t heavy(uint64_t i)   { return units_mix(i) % 2 ? 1 << 30 : units_mix(~i) >> 33; }
static uint64_t least(uint64_t i)   { return units_mix(i) % 8 ? 0 : units_mix(~i) >> 33; }
static uint64_t spoiled(uint64_t i) { return i == 19 ? 99 : 77; }
static uint64_t spoilt(uint64_t i)  { return i == 19 ? 0 : UINT32_MAX; }
static uint64_t late(uint64_t i)    { return i < 2048 ? 100000 + i : i; }
static uint64_t odd(uint64_t i)     { return i < 2 ? i << 30 : i == 219 ? 78 : 77; }
static uint64_t odd_late(uint64_t i) { return i < 2 ? i << 30 : i == 39219 ? 76 : 77; }
static uint64_t even(uint64_t i)    { return i % 2 << 30; }
static uint64_t pair(uint64_t i)    { return i % 3 == 2 ? 1 << 30 : 5; }
static uint64_t
fifths(uint64_t i)
{
	return i < 2 ? i << 30 : (1 << 20) + (units_mix(i) % 5 < 2 ? (1 << 20) / 3 : units_mix(~i) >> 44);
}
static uint64_t
fifths_below(uint64_t i)
{
	return i < 2 ? i << 30 : (1 << 20) + (units_mix(i) % 5 < 2 ? (2 << 20) / 3 : units_mix(~i) >> 44);
}
static uint64_t
largest(uint64_t i)
{
	return i == 0 ? 0 : units_mix(i) % 2 ? UINT32_MAX : UINT32_MAX - (units_mix(~i) >> 38);
}
static uint64_t two(uint64_t i)     { return units_mix(i) % 2 ? 1000 : 1001; }
static uint64_t ends(uint64_t i)    { return units_mix(i) % 5 < 2 ? 77 : UINT64_MAX; }
static uint64_t ends32(uint64_t i)  { return (uint32_t)ends(i); }
static uint64_t bottom(uint64_t i)  { return units_mix(i) % 3; }
static uint64_t top(uint64_t i)     { return UINT64_MAX - units_mix(i) % 3; }
static uint64_t top32(uint64_t i)   { return UINT32_MAX - units_mix(i) % 3; }
static uint64_t bottom_heavy(uint64_t i) { return units_mix(i) % 5 < 2 ? units_mix(i) % 5 * 2 : 1; }
static uint64_t top_heavy(uint64_t i)   { return UINT64_MAX - bottom_heavy(i); }
static uint64_t top32_heavy(uint64_t i) { return UINT32_MAX - bottom_heavy(i); }
static uint64_t powers(uint64_t i)  { return units_mix(i) >> (32 + units_mix(~i) % 32); }
static uint64_t nested(uint64_t i)  { return (UINT64_C(1) << (units_mix(i) % 32)) + units_mix(~i) % 3; }
static uint64_t crowd(uint64_t i)   { return i % 64 ? 1000000 + units_mix(i) % 5000 : units_mix(i) >> 32; }

static const struct row {
	const char *name;
	uint64_t  (*key)(uint64_t i);
	unsigned    bits;
	unsigned    threads;		/* two: only few values, as samples depend on the order of blocks */
	unsigned    count, span, step;	/* keys in all; keys of a call; step of its sequence number */
	unsigned    entries, blocks;	/* parts, divided ones too; blocks, with one thread */
	const char *parts;		/* to sort, in order, reversed, equal; "*": scattered */
} rows[] = {
	{ "nothing", up, 64, 1, 0, 1, 1, 0, 0, "" },
	{ "up", up, 64, 1, 5000, 512, 1,
	  3, 79, "i2048 i2048 i904" },
	{ "up, in one call", up, 64, 1, 9000, 9000, 1,
	  5, 141, "i2048 i2048 i2048 i2048 i808" },
	{ "up, by two threads, each in turn five calls", up, 64, 2, 10000, 1000, 1,
	  4, 0, "i3000 i2000 i3000 i2000" },
	{ "up, far apart", up, 64, 1, 5120, 512, 2,
	  10, 80, "i512 i512 i512 i512 i512 i512 i512 i512 i512 i512" },
	{ "down", down, 64, 1, 5000, 512, 1,
	  3, 79, "r904 r2048 r2048" },
	{ "down, 32 bits", down, 32, 1, 9000, 1000, 1,
	  2, 72, "r4000 r5000" },
	{ "down, in one call", down, 64, 1, 9000, 9000, 1,
	  5, 141, "r808 r2048 r2048 r2048 r2048" },
	{ "steps up", ledge, 64, 1, 10000, 2048, 1,
	  5, 157, "i2048 i2048 i2048 i2048 i1808" },
	{ "steps up, 32 bits", ledge32, 32, 1, 30000, 4096, 1,
	  8, 235, "i4096 i4096 i4096 i4096 i4096 i4096 i4096 i1328" },
	{ "steps down", stairs, 64, 1, 10000, 2048, 1,
	  5, 157, "r1808 r2048 r2048 r2048 r2048" },
	{ "rising stretches", saw, 64, 1, 5120, 512, 2,
	  1, 80, "s5120" },
	{ "as many rising stretches as are one part", saw, 64, 1, 6144, 512, 2,
	  1, 96, "s6144" },
	{ "and one key more", saw, 64, 1, 6145, 512, 2,
	  1, 97, "* s6145" },
	{ "falling stretches", fall, 64, 1, 6145, 512, 2,
	  1, 97, "* s6145" },
	{ "few keys in no order", any, 64, 1, 3000, 500, 1,
	  1, 48, "s3000" },
	{ "keys in no order", any, 64, 1, 20000, 1000, 1,
	  3, 320, "* s7502 s7436 s5062" },
	{ "more keys in no order", any, 64, 1, 40000, 1000, 1,
	  6, 633, "* s7608 s7501 s7495 s7376 s7618 s2402" },
	{ "32 bits in no order", any, 32, 2, 40000, 1000, 1,
	  3, 0, "* s15102 s14875 s10023" },
	{ "zeros far apart", zeros, 64, 1, 8192, 1, 2,
	  1, 128, "* s8192" },
	{ "two values that are one part, exactly", even, 64, 1, 8192, 16, 2,
	  1, 128, "* s8192" },
	{ "and a key more", even, 64, 1, 8193, 16, 2,
	  2, 129, "* s4097 s4096" },
	{ "a zero more", zeros, 64, 1, 8193, 1, 2,
	  3, 0, "* e8192 e1" },
	{ "many zeros far apart", zeros, 64, 2, 20000, 10, 2,
	  4, 0, "* e8192 e8192 e3616" },
	{ "half of the keys are one", heavy, 64, 1, 40000, 1000, 1,
	  9, 320, "* s7381 s1245 s1225 e8192 e8192 e3602 s7579 s2584" },
	{ "half of them, by two threads", heavy, 64, 2, 40000, 1000, 1,
	  10, 0, "* s7381 s1245 s1225 e8192 e8192 e3602 s7579 s2584" },
	{ "most keys are the least one", least, 64, 2, 40000, 1000, 1,
	  9, 0, "* e8192 e8192 e8192 e8192 e2259 s327 s4646" },
	{ "all are one but an early key", spoiled, 64, 1, 20000, 10, 2,
	  5, 1, "* e8192 e8192 e3615 s1" },
	{ "all but one, by two threads", spoiled, 64, 2, 40000, 10, 2,
	  7, 0, "* e8192 e8192 e8192 e8192 e7231 s1" },
	{ "all but one are the largest", spoilt, 32, 2, 40000, 10, 2,
	  5, 0, "* s1 e16384 e16384 e7231" },
	{ "two values", two, 64, 1, 40000, 1000, 1,
	  8, 0, "* e8192 e8192 e3602 e8192 e8192 e3630" },
	{ "the three least keys", bottom, 64, 1, 4000, 500, 1,
	  1, 64, "s4000" },
	{ "the three least keys of 32 bits", bottom, 32, 1, 5000, 500, 1,
	  1, 40, "s5000" },
	{ "the three largest keys", top, 64, 1, 4000, 500, 1,
	  1, 64, "s4000" },
	{ "the three largest keys of 32 bits", top32, 32, 1, 5000, 500, 1,
	  1, 40, "s5000" },
	{ "one least key and two", bottom_heavy, 64, 1, 4000, 500, 1,
	  1, 64, "s4000" },
	{ "one least key and two of 32 bits", bottom_heavy, 32, 1, 7000, 500, 1,
	  1, 56, "s7000" },
	{ "one large key and two", top_heavy, 64, 1, 4000, 500, 1,
	  1, 64, "s4000" },
	{ "one large key and two of 32 bits", top32_heavy, 32, 1, 7000, 500, 1,
	  1, 56, "s7000" },
	{ "most are the largest key", ends, 64, 1, 7900, 500, 1,
	  1, 125, "* s7900" },
	{ "most are the largest key of 32 bits", ends32, 32, 1, 16000, 500, 1,
	  1, 126, "* s16000" },
	{ "the first of three stretches above the others", late, 64, 1, 6144, 2048, 2,
	  1, 96, "s6144" },
	{ "all are one but the least, the largest and another", odd, 64, 1, 40000, 1000, 1,
	  9, 3, "* s1 e8192 e8192 e8192 e8192 e7229 s1 s1" },
	{ "the same, and the other one late", odd_late, 64, 1, 40000, 1000, 1,
	  8, 2, "* s2 e8192 e8192 e8192 e8192 e7229 s1" },
	{ "the same, by two threads", odd_late, 64, 2, 40000, 1000, 1,
	  9, 0, "* s2 e8192 e8192 e8192 e8192 e7229 s1" },
	{ "two values, many and more", pair, 64, 2, 40000, 1000, 1,
	  8, 0, "* e8192 e8192 e8192 e2091 e8192 e5141" },
	{ "two fifths of a bucket are one, in the first half", fifths, 64, 1, 40000, 1000, 1,
	  7, 378, "* s8003 e8192 e7808 s8184 s7812 s1" },
	{ "and in the other half", fifths_below, 64, 1, 40000, 1000, 1,
	  7, 378, "* s7810 s8138 e8192 e7808 s8051 s1" },
	{ "half of them are the largest", largest, 32, 1, 40000, 1000, 1,
	  6, 159, "* s1 s16299 s3715 e16384 e3601" },
	{ "powers of 2", powers, 64, 1, 40000, 1000, 1,
	  8, 635, "* s8060 s5887 s5566 s5186 s5095 s6429 s3777" },
	{ "nested clusters", nested, 64, 1, 40000, 1000, 1,
	  8, 630, "* s7979 s6214 s4966 s5443 s5022 s5364 s5012" },
	{ "nested clusters, 32 bits", nested, 32, 1, 40000, 1000, 1,
	  5, 314, "* s16254 s13793 s4941 s5012" },
	{ "a crowd", crowd, 64, 1, 40000, 1000, 1,
	  8, 633, "* s8050 s7038 s7066 s7010 s6932 s3320 s584" },
};

static void *pool_memory, *block_table, *memory, *into, *scratch, *keys;
static struct gs_pool *pool;
static struct gs_buckets *buckets;

static bool
is_guarded(const char *bytes)
{
	for (size_t b = 0; b < GUARDED; b++)
		if (bytes[b] != GUARD)
			return false;
	return true;
}

/* List all parts in TOLD, and sort them: are all keys there, in order? */
static bool
sort_parts(const struct row *row, size_t parts, char *told, size_t room)
{
	static uint64_t expect[KEYS_MOST];
	size_t at = 0, length = strlen(told);
	bool good = true;

	for (size_t k = 0; k < row->count; k++)
		expect[k] = row->key(k);
	units_sort(expect, row->count);
	for (size_t p = 0; p < parts; p++) {
		const struct gs_part part = gs_buckets_part(buckets, p);
		const enum gs_part_kind kind = buckets->parts.entries[buckets->parts.sorted[p]].kind;

		length += (size_t)snprintf(told + length, room - length, "%s%c%zu", p > 0 ? " " : "",
		                           "siredx"[kind], part.count);
		length = length < room ? length : room - 1;
		if (part.at != at || at + part.count > row->count)
			return false;
		memset((char *)into + part.count * row->bits / 8, GUARD, GUARDED);
		memset((char *)scratch + sizes.part_bytes, GUARD, GUARDED);
		gs_buckets_sort_part(buckets, 0, p, into, scratch);
		good = good && is_guarded((char *)into + part.count * row->bits / 8) &&
		       is_guarded((char *)scratch + sizes.part_bytes) &&
		       units_same(into, row->bits, expect + at, part.count) == part.count;
		at += part.count;
	}
	return good && at == row->count;
}

static void
check_row(const struct row *row, enum gs_simd simd, unsigned sealers)
{
	unsigned calls = 0;
	uint64_t sequence = 0;
	char told[400] = "";
	size_t parts, blocks = 0;
	bool good;

	free(memory);
	memory = calloc(1, gs_buckets_bytes(&sizes, POOL_BYTES));
	pool = gs_pool_init(block_table, pool_memory, POOL_BYTES, sizes.block_bytes);
	gs_simd_set_fetches_first(simd % 2 == 1);
	buckets = gs_buckets_init(memory, pool, row->bits, &sizes);
	gs_buckets_with(buckets, simd);
	for (size_t at = 0, here; at < row->count; at += here, calls++, sequence += row->step) {
		here = row->count - at < row->span ? row->count - at : row->span;
		for (size_t k = 0; k < here; k++)
			gs_key_put(keys, row->bits, k, row->key(at + k));
		if (!gs_buckets_add(buckets, calls / 5 % row->threads, sequence, keys, here))
			break;
	}
	parts = gs_buckets_seal(buckets, sealers);
	for (unsigned t = 0; t < sizes.threads; t++)
		CHECK(buckets->threads[t].empty.blocks < 2 * pool->trip_blocks, "%s: few are kept",
		      row->name);
	for (size_t e = 0; row->threads == 1 && e < buckets->parts.entry_count; e++)
		blocks += buckets->parts.entries[e].chain.blocks;
	if (buckets->binner.bins > 0)		/* they were scattered */
		strcpy(told, "* ");
	good = sort_parts(row, parts, told, sizeof told);
	CHECK(good, "%s: in order, sealed by %u threads", row->name, sealers);
	CHECK(sealers != row->threads || (buckets->parts.entry_count == row->entries &&
	                                  blocks == row->blocks && strcmp(told, row->parts) == 0),
	      "%s: %u, %zu, %s", row->name, buckets->parts.entry_count, blocks, told);
	gs_buckets_reset(buckets);
	CHECK(pool->used == 0 && pool->stored_bytes == 0, "%s: all blocks are back", row->name);
}

void
unit_seal(void)
{
	pool_memory = aligned_alloc(4096, POOL_BYTES);
	block_table = malloc(gs_pool_bytes(POOL_BYTES, sizes.block_bytes));
	into = aligned_alloc(64, sizes.part_bytes + GUARDED);
	scratch = aligned_alloc(64, sizes.part_bytes + GUARDED);
	keys = malloc(KEYS_MOST * sizeof(uint64_t));
	for (unsigned simd = 0; GS_SMALL_FRAGMENTS == 64 && simd <= (unsigned)gs_simd_best(); simd++)
		for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
			for (unsigned sealers = 1; sealers <= rows[r].threads; sealers++)
				check_row(&rows[r], (enum gs_simd)simd, sealers);
	free(pool_memory);
	free(block_table);
	free(memory);
	free(into);
	free(scratch);
	free(keys);
}
