// SPDX-License-Identifier: BSD-2-Clause
/*
 * buckets.c - gsort's sort on the CPU, from memory to memory, for benchmarks
 *
 * What a job does with src/sort/buckets/, without reading and writing: each thread adds shares of
 * the keys until there are none, then all seal, then each thread sorts parts.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/team.h"
#include "bench/clock.h"
#include "bench/cpu/buckets.h"
#include "bench/huge.h"
#include "sort/buckets/buckets.h"
#include "sort/buckets/pool.h"

enum { SHARE_BYTES = 128 << 10 };

struct work {
	const char *keys;
	char  *out, *scratch;
	size_t count, width;
	struct gs_buckets *buckets;
	size_t parts;
	_Atomic size_t next;
};

static void
add_shares(void *context, unsigned worker, unsigned size)
{
	struct work *work = context;
	const size_t share = SHARE_BYTES / work->width;
	size_t sequence;

	(void)size;
	while ((sequence = work->next++) * share < work->count) {
		const size_t at = sequence * share, left = work->count - at;

		if (!gs_buckets_add(work->buckets, worker, sequence, work->keys + at * work->width,
		                    left < share ? left : share))
			abort();
	}
}

static void
sort_parts(void *context, unsigned worker, unsigned size)
{
	struct work *work = context;
	size_t p;

	(void)size;
	while ((p = work->next++) < work->parts)
		gs_buckets_sort_part(work->buckets, worker, p,
		                     work->out + gs_buckets_part(work->buckets, p).at * work->width,
		                     work->scratch + (size_t)worker * GS_PART_BYTES);
}

/* The memory of the pool, which later calls reuse. */
static char *
pool_memory(size_t bytes)
{
	static char *memory;
	static size_t memory_bytes;

	if (bytes > memory_bytes) {
		free(memory);
		memory = huge_allocate(bytes);
		if (memory == NULL)
			abort();
		memset(memory, 1, bytes);
		memory_bytes = bytes;
	}
	return memory;
}

void
bench_buckets(unsigned bits, const void *keys, void *out, size_t count, unsigned threads,
              enum gs_simd simd, double spent[3])
{
	const size_t pool_bytes = (count * bits / 64 * 9 + ((size_t)256 << 20)) >> 21 << 21;
	const struct gs_bucket_sizes sizes = gs_buckets_choose(threads, 1, UINT64_MAX,
	                                                       count * (bits / 8), GS_PART_BYTES);
	const size_t table_bytes = gs_buckets_bytes(&sizes, pool_bytes);
	char *memory = calloc(1, table_bytes + gs_pool_bytes(pool_bytes, sizes.block_bytes));
	struct work work = { .keys = keys, .out = out, .count = count, .width = bits / 8 };
	double start, added, sealed;

	work.scratch = huge_allocate((size_t)threads * GS_PART_BYTES);
	if (memory == NULL || work.scratch == NULL)
		abort();
	work.buckets = gs_buckets_init(memory, gs_pool_init(memory + table_bytes, pool_memory(pool_bytes),
	                                                    pool_bytes, sizes.block_bytes),
	                               bits, &sizes);
	gs_buckets_with(work.buckets, simd);
	start = now();
	gs_team_run(threads, add_shares, &work);
	added = now();
	work.parts = gs_buckets_seal(work.buckets, threads);
	sealed = now();
	work.next = 0;
	gs_team_run(threads, sort_parts, &work);
	if (spent != NULL) {
		spent[0] = added - start;
		spent[1] = sealed - added;
		spent[2] = now() - sealed;
	}
	free(work.scratch);
	free(memory);
}
