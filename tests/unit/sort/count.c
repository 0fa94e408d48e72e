// SPDX-License-Identifier: BSD-2-Clause
/* count.c - rows for src/sort/count.c */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sort/count.h"
#include "tests/unit/units.h"

void unit_count(void);

static int
compare8(const void *a, const void *b)
{
	return *(const uint8_t *)a - *(const uint8_t *)b;
}

static int
compare16(const void *a, const void *b)
{
	return *(const uint16_t *)a - *(const uint16_t *)b;
}

static const struct row {
	const char *name;
	unsigned    key_bits;
	size_t      count;
	unsigned    different;	/* so many different keys, spread evenly */
	size_t      buffer_bytes;
} rows[] = {
	{ "no key", 8, 0, 256, 100 },
	{ "one key", 8, 1, 256, 1 },
	{ "bytes, one at a time", 8, 5000, 256, 1 },
	{ "all bytes equal", 8, 300001, 1, 4096 },
	{ "many bytes", 8, 1000003, 256, 1000 },
	{ "many bytes of two kinds", 8, 777777, 2, 1 << 20 },
	{ "16 bits, a few", 16, 1000, 65536, 4 },
	{ "16 bits, an odd buffer", 16, 30000, 65536, 777 },
	{ "16 bits, all equal", 16, 400003, 1, 1 << 16 },
	{ "16 bits, many", 16, 900001, 65536, 1 << 20 },
	{ "16 bits, two kinds", 16, 600000, 2, 10000 },
};

/* Write all keys to GOT, which has room for ROOM of them; false: more or odd spans came. */
static bool
drain(struct gs_count *count, bool reversed, size_t buffer_bytes, char *got, size_t room)
{
	char *buffer = malloc(buffer_bytes);
	const size_t key_bytes = count->key_bits / 8;
	struct gs_span span;
	size_t at = 0;
	bool good = true;

	for (gs_count_next(count, reversed, buffer, buffer_bytes, NULL, &span); good && span.count > 0;
	     gs_count_next(count, reversed, buffer, buffer_bytes, NULL, &span)) {
		good = at + span.count <= room && span.key_class == 3 &&
		       span.key_bits == count->key_bits && span.count * key_bytes <= buffer_bytes;
		if (good)
			memcpy(got + at * key_bytes, span.keys, span.count * key_bytes);
		at += span.count;
	}
	free(buffer);
	return good && at == room;
}

/* Are keys GOT, the last first, the complements of KEYS? */
static bool
is_complement(const char *got, const char *keys, unsigned key_bits, size_t count)
{
	const uint64_t ones = UINT64_MAX >> (64 - key_bits);

	for (size_t i = 0; i < count; i++)
		if (gs_key_at(got, key_bits, count - 1 - i) != (gs_key_at(keys, key_bits, i) ^ ones))
			return false;
	return true;
}

static void
check_row(const struct row *row)
{
	const size_t key_bytes = row->key_bits / 8, bytes = row->count * key_bytes;
	const size_t bin_count = (size_t)1 << row->key_bits;
	uint64_t *bins = calloc(1, gs_count_bytes(bin_count, 3));
	char *keys = malloc(bytes + 1), *got = malloc(bytes + 1);
	uint32_t state = 1;
	struct gs_count count;

	for (size_t i = 0; i < row->count; i++) {
		const uint32_t key = (state = state * 747796405u + 2891336453u) % 65521 %
		                     row->different * (uint32_t)(bin_count / row->different);

		if (row->key_bits == 8)
			keys[i] = (char)(uint8_t)key;
		else
			((uint16_t *)(void *)keys)[i] = (uint16_t)key;
	}
	gs_count_open(&count, bins, bin_count, row->key_bits, 3, 3);
	gs_count_add(&count, 0, keys, row->count / 3);
	gs_count_add(&count, 2, keys + row->count / 3 * key_bytes, row->count - row->count / 3);
	gs_count_sum(&count);
	qsort(keys, row->count, key_bytes, row->key_bits == 8 ? compare8 : compare16);
	CHECK(drain(&count, false, row->buffer_bytes, got, row->count) &&
	      memcmp(got, keys, bytes) == 0, "%s: come out in order", row->name);

	gs_count_open(&count, bins, bin_count, row->key_bits, 3, 3);	/* used up: all zero again */
	gs_count_add(&count, 1, keys, row->count / 2);	/* in two rounds of one thread */
	gs_count_sum(&count);
	gs_count_add(&count, 1, keys + row->count / 2 * key_bytes, row->count - row->count / 2);
	gs_count_sum(&count);
	CHECK(drain(&count, true, row->buffer_bytes, got, row->count) &&
	      is_complement(got, keys, row->key_bits, row->count),
	      "%s: the last first and complemented, if wanted", row->name);
	free(bins);
	free(keys);
	free(got);
}

/* Threads at once: only the first one adds to the bins before they are summed, and only a few keys. */
static void
check_threads(void)
{
	static uint64_t bins[256 + 3 * 8 * 256 / 2];
	static const uint8_t keys[1 << 13];
	static const struct {
		unsigned worker;
		size_t   count, at_once;
	} cases[] = { { 0, 10, 10 }, { 1, 10, 0 }, { 2, sizeof keys, 0 }, { 0, sizeof keys, 0 } };

	for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
		struct gs_count count;

		memset(bins, 0, sizeof bins);
		gs_count_open(&count, bins, 256, 8, 3, 3);
		CHECK(gs_count_bytes(256, 3) == sizeof bins, "%zu bytes", gs_count_bytes(256, 3));
		gs_count_add(&count, cases[c].worker, keys, cases[c].count);
		CHECK(bins[0] == cases[c].at_once, "%zu keys of thread %u: %llu are in the bins",
		      cases[c].count, cases[c].worker, (unsigned long long)bins[0]);
		gs_count_sum(&count);
		CHECK(bins[0] == cases[c].count, "%zu keys of thread %u: %llu are summed", cases[c].count,
		      cases[c].worker, (unsigned long long)bins[0]);
	}
}

/* Bins counted by the caller: 128 of them, so a bit of touched is for two. */
static void
check_bins(void)
{
	static const uint64_t start[128] = { 2, 0, 1, [100] = 3 };
	static const uint32_t reversed[] = { ~100u, ~100u, ~100u, ~2u, ~0u, ~0u };
	uint64_t bins[128];
	uint32_t got[6];
	struct gs_count count;

	memcpy(bins, start, sizeof bins);
	gs_count_open(&count, bins, 128, 32, 3, 0);
	count.touched = 1 | 1 << 1 | UINT64_C(1) << 50;
	CHECK(drain(&count, true, 8, (char *)got, 6) && memcmp(got, reversed, sizeof got) == 0,
	      "bins counted by others are expanded to 32 bits, two at a time");
	memcpy(bins, start, sizeof bins);
	gs_count_open(&count, bins, 128, 32, 3, 0);
	count.touched = 1;
	CHECK(drain(&count, false, 64, (char *)got, 2) && got[0] == 0 && got[1] == 0,
	      "bins that nobody touched are not looked at");
}

static void
check_pairs(void)
{
	uint64_t bins[128] = { 2, 0, 1, [100] = UINT64_MAX }, times[3];
	uint32_t got[3];
	struct gs_count count;
	struct gs_span span;

	gs_count_open(&count, bins, 128, 32, 3, 0);
	gs_count_next(&count, false, got, 3 * sizeof *got, times, &span);
	CHECK(span.count == 3 && span.keys == got && span.key_bits == 32 && span.key_class == 3 &&
	      memcmp(got, (uint32_t[]){ 0, 2, 100 }, sizeof got) == 0 &&
	      memcmp(times, (uint64_t[]){ 2, 1, UINT64_MAX }, sizeof times) == 0,
	      "pairs: each key once, however often");
	gs_count_next(&count, false, got, 3 * sizeof *got, times, &span);
	CHECK(span.count == 0, "pairs come to an end");

	gs_count_open(&count, bins, 128, 32, 3, 0);
	count.touched = 1 | UINT64_C(1) << 50;
	gs_count_next(&count, true, got, 1 * sizeof *got, times, &span);
	CHECK(span.count == 1 && got[0] == ~100u && times[0] == UINT64_MAX,
	      "pairs are reversed if wanted, no more than there is room for");
	gs_count_next(&count, true, got, 3 * sizeof *got, times, &span);
	CHECK(span.count == 1 && got[0] == ~0u && times[0] == 2,
	      "and go on there, over bins that nobody touched");
}

/* A sink that takes spans until it has ENOUGH keys, or fails after that. */
struct taker {
	uint32_t  keys[6];
	size_t    count, spans, enough;
	gs_status fails;
};

static gs_status
take(void *context, struct gs_sorted_span *sorted)
{
	struct taker *taker = context;

	CHECK(!sorted->enough && sorted->slot == GS_NO_SLOT && sorted->number == taker->spans++ &&
	      taker->count + sorted->span.count <= 6, "a span of two keys, number %zu", sorted->number);
	memcpy(taker->keys + taker->count, sorted->span.keys, sorted->span.count * sizeof(uint32_t));
	taker->count += sorted->span.count;
	sorted->enough = taker->count >= taker->enough;
	return sorted->enough && taker->fails != GS_OK ? gs_fail(taker->fails, "as wanted") : GS_OK;
}

static void
check_drain(size_t enough, gs_status fails, size_t comes)
{
	static const uint32_t keys[] = { 0, 0, 2, 100, 100, 100 };
	uint64_t bins[128] = { 2, 0, 1, [100] = 3 };
	struct taker taker = { .enough = enough, .fails = fails };
	const struct gs_span_sink sink = { .take = take, .context = &taker };
	struct gs_clock clock = { .ns = { 0 } };
	uint32_t buffer[2];
	struct gs_count count;

	gs_count_open(&count, bins, 128, 32, 3, 0);
	CHECK(gs_count_drain(&count, false, buffer, sizeof buffer, NULL, &clock, &sink) == fails &&
	      taker.count == comes && memcmp(taker.keys, keys, comes * sizeof keys[0]) == 0,
	      "a sink that wants %zu keys takes %zu, status %d", enough, taker.count, (int)fails);
	CHECK(clock.ns[GS_STAGE_SORT] > 0, "the time is counted");
}

void
unit_count(void)
{
	check_drain(SIZE_MAX, GS_OK, 6);
	check_drain(3, GS_OK, 4);
	check_drain(1, GS_EIO, 2);
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
		check_row(&rows[r]);
	check_threads();
	check_bins();
	check_pairs();
}
