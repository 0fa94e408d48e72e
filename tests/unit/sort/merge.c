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

/* A row in keys of BITS, one in SHARE of them: the runs, and all keys in order. */
struct made {
	struct gs_run runs[MOST_RUNS];
	uint64_t *all;
	char     *keys;
	size_t    total;
};

static struct made
make(const struct row *row, unsigned bits, size_t share)
{
	struct made m = { .total = 0 };
	size_t at = 0;

	for (size_t r = 0; r < row->runs; r++)
		m.total += run_count_keys(row, r) / share;
	m.all = calloc(m.total + 1, sizeof *m.all);
	m.keys = malloc((m.total + 1) * (bits / 8));
	for (size_t r = 0; r < row->runs; r++) {
		const size_t run_keys = run_count_keys(row, r) / share;

		for (size_t i = 0; i < run_keys; i++) {
			const uint64_t key = row->key(units_mix(r << 32 | i), r, i);

			m.all[at + i] = bits == 32 ? key >> 32 : key;
		}
		units_sort(m.all + at, run_keys);
		for (size_t i = 0; i < run_keys; i++)
			gs_key_put(m.keys, bits, at + i, m.all[at + i]);
		m.runs[r] = (struct gs_run){ m.keys + at * (bits / 8), run_keys, NULL };
		at += run_keys;
	}
	units_sort(m.all, m.total);
	return m;
}

static void
drop(const struct made *m)
{
	free(m->all);
	free(m->keys);
}

static void
check_row(const struct row *row, const struct made *made, enum gs_simd simd, unsigned bits, unsigned threads,
          size_t buffer_keys)
{
	const size_t key_bytes = bits / 8, total = made->total;
	char *got = malloc((total + 1) * key_bytes), *buffer = malloc(buffer_keys * key_bytes);
	char *memory = malloc(gs_merge_bytes(row->runs, threads));
	struct gs_run runs[MOST_RUNS];
	struct gs_merge *merge;
	size_t at, count;

	memcpy(runs, made->runs, sizeof runs);
	gs_simd_at_most(simd);
	merge = gs_merge_init(memory, bits, runs, row->runs, threads, buffer, buffer_keys * key_bytes);
	gs_simd_at_most(GS_SIMD_AVX512);
	count = drain(merge, bits, buffer_keys * key_bytes, got, total);
	for (at = 0; at < total && count == total; at++)
		if (gs_key_at(got, bits, at) != made->all[at])
			break;
	CHECK(count == total && at == total, "%s: %s, %u bits, %u threads, a buffer of %zu keys",
	      row->name, gs_simd_name(simd), bits, threads, buffer_keys);
	free(got);
	free(buffer);
	free(memory);
}

/* With a key a thread in the buffer each key is selected anew, so a tenth of them are enough. */
void
unit_merge(void)
{
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
		for (unsigned bits = 32; bits <= 64; bits += 32) {
			const struct made all = make(&rows[r], bits, 1);
			const size_t share = units_brief() && rows[r].run_keys > 99 ? 10 : 1;
			const struct made few = make(&rows[r], bits, share);

			for (unsigned threads = 1; threads <= 3; threads++) {
				check_row(&rows[r], &few, gs_simd_best(), bits, threads, threads);
				check_row(&rows[r], &all, gs_simd_best(), bits, threads, 1001);
				check_row(&rows[r], &all, gs_simd_best(), bits, threads, 40000);
			}
			for (unsigned simd = 0; simd <= gs_simd_best(); simd++)
				check_row(&rows[r], &all, (enum gs_simd)simd, bits, 2, 1 << 20);
			drop(&all);
			drop(&few);
		}
}
