// SPDX-License-Identifier: BSD-2-Clause
/* merge.c - rows for src/sort/merge.c: any runs, any buffer, any number of threads */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sort/merge.h"
#include "tests/unit/units.h"

void unit_merge(void);

enum { MOST_RUNS = 100 };

/* Keys of a row, from a random number, the run and the place in it. */
static uint64_t any(uint64_t x, size_t run, size_t at)   { (void)run; (void)at; return x; }
static uint64_t equal(uint64_t x, size_t run, size_t at) { (void)x; (void)run; (void)at; return 7; }
static uint64_t most(uint64_t x, size_t run, size_t at)
{
	(void)run; (void)at;
	return x % 4 ? UINT64_MAX : x;
}
static uint64_t few(uint64_t x, size_t run, size_t at)   { (void)run; (void)at; return x % 3; }
static uint64_t apart(uint64_t x, size_t run, size_t at) { (void)at; return run << 56 | x >> 40; }
static uint64_t teeth(uint64_t x, size_t run, size_t at) { (void)x; return (at << 8 | run) << 32; }

static const struct row {
	const char *name;
	size_t      runs;
	size_t      run_keys;	/* on the average; every fifth run is empty, if UNEVEN */
	int         uneven;
	uint64_t  (*key)(uint64_t x, size_t run, size_t at);
} rows[] = {
	{ "no run at all is the end", 0, 0, 0, any },
	{ "one run is copied", 1, 50000, 0, any },
	{ "one empty run is the end", 1, 0, 0, any },
	{ "two runs of any keys", 2, 30000, 0, any },
	{ "two runs, all keys of one below the other's", 2, 10000, 0, apart },
	{ "two runs of equal keys", 2, 10000, 0, equal },
	{ "two runs, mostly the largest key", 2, 10000, 0, most },
	{ "three runs of any keys", 3, 20000, 0, any },
	{ "three runs of three different keys", 3, 20000, 0, few },
	{ "seven runs, some of them empty", 7, 5000, 1, any },
	{ "seven runs of interleaved keys", 7, 5000, 0, teeth },
	{ "sixteen runs of equal keys", 16, 3000, 0, equal },
	{ "sixteen runs one behind the other", 16, 3000, 0, apart },
	{ "sixteen runs, mostly the largest key", 16, 3000, 0, most },
	{ "a hundred runs, some of them empty", 100, 500, 1, any },
	{ "a hundred runs of one key each", 100, 1, 0, any },
	{ "forty runs of a block and one key", 40, 65, 0, any },
	{ "a hundred runs of three different keys", 100, 300, 1, few },
};

static size_t
run_count_keys(const struct row *row, size_t run)
{
	if (!row->uneven)
		return row->run_keys;
	return run % 5 == 2 ? 0 : row->run_keys / 2 + units_mix(run) % row->run_keys;
}

/* Drain a merge into GOT; how many keys came, or SIZE_MAX if a span is odd. */
static size_t
drain(struct gs_merge *merge, unsigned bits, size_t buffer_bytes, void *got, size_t room)
{
	size_t count = 0;
	struct gs_span span;

	for (gs_merge_next(merge, &span); span.count > 0; gs_merge_next(merge, &span)) {
		if (span.key_bits != bits || span.count * (bits / 8) > buffer_bytes ||
		    count + span.count > room)
			return SIZE_MAX;
		memcpy((char *)got + count * (bits / 8), span.keys, span.count * (bits / 8));
		memset(span.keys, 0x55, span.count * (bits / 8));	/* the borrower may */
		count += span.count;
	}
	return count;
}

static void
check_row(const struct row *row, enum gs_simd simd, unsigned bits, unsigned threads,
          size_t buffer_keys)
{
	const size_t key_bytes = bits / 8;
	struct gs_run runs[MOST_RUNS];
	uint64_t *all;
	size_t total = 0, at = 0, count;
	char *keys, *got, *buffer, *memory;
	struct gs_merge *merge;

	for (size_t r = 0; r < row->runs; r++)
		total += run_count_keys(row, r);
	all = calloc(total + 1, sizeof *all);
	keys = malloc((total + 1) * key_bytes);
	got = malloc((total + 1) * key_bytes);
	buffer = malloc(buffer_keys * key_bytes);
	memory = malloc(gs_merge_bytes(row->runs, threads));
	for (size_t r = 0; r < row->runs; r++) {
		const size_t run_keys = run_count_keys(row, r);

		for (size_t i = 0; i < run_keys; i++) {
			const uint64_t key = row->key(units_mix(r << 32 | i), r, i);

			all[at + i] = bits == 32 ? key >> 32 : key;
		}
		units_sort(all + at, run_keys);
		for (size_t i = 0; i < run_keys; i++)
			gs_key_put(keys, bits, at + i, all[at + i]);
		runs[r] = (struct gs_run){ keys + at * key_bytes, run_keys, NULL };
		at += run_keys;
	}
	units_sort(all, total);
	merge = gs_merge_init(memory, bits, runs, row->runs, threads, buffer, buffer_keys * key_bytes);
	gs_merge_with(merge, simd);
	count = drain(merge, bits, buffer_keys * key_bytes, got, total);
	for (at = 0; at < total && count == total; at++)
		if (gs_key_at(got, bits, at) != all[at])
			break;
	CHECK(count == total && at == total, "%s: %s, %u bits, %u threads, a buffer of %zu keys",
	      row->name, gs_simd_name(simd), bits, threads, buffer_keys);
	free(all);
	free(keys);
	free(got);
	free(buffer);
	free(memory);
}

void
unit_merge(void)
{
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
		for (unsigned bits = 32; bits <= 64; bits += 32) {
			for (unsigned threads = 1; threads <= 3; threads++) {
				check_row(&rows[r], gs_simd_best(), bits, threads, threads);
				check_row(&rows[r], gs_simd_best(), bits, threads, 1001);
				check_row(&rows[r], gs_simd_best(), bits, threads, 40000);
			}
			for (unsigned simd = 0; simd <= gs_simd_best(); simd++)
				check_row(&rows[r], (enum gs_simd)simd, bits, 2, 1 << 20);
		}
}
